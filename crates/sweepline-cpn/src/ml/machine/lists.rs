//! Lists.

use crate::ml::Value;
use crate::ml::machine::Machine;
use crate::ml::machine::native::{Raised, sized};
use crate::ml::machine::run::raised;
use crate::ml::primitives::Primitive;

impl Machine {
    pub(super) fn list_function(
        &mut self,
        primitive: Primitive,
        steps: &mut u64,
    ) -> Result<Value, Raised> {
        match primitive {
            Primitive::Append => {
                let (left, right) = self.two();
                if right == Value::NIL {
                    return Ok(left);
                }
                let elements = self.taken(left, steps)?;
                self.prepended(&elements, right, steps)
            }
            Primitive::Reverse => {
                let list = self.pop();
                let mut elements = self.taken(list, steps)?;
                elements.reverse();
                self.listed(&elements, steps)
            }
            Primitive::Length => {
                let list = self.pop();
                let length = self.values.elements(list).count();
                self.pay(steps, length)?;
                sized(i64::try_from(length).ok())
            }
            Primitive::Nth => {
                let (list, at) = self.two();
                let at = usize::try_from(at.as_int().unwrap_or(-1)).ok();
                let walked = self.values.size(list).min(at.unwrap_or(0));
                self.pay(steps, walked)?;
                let found = at.and_then(|at| self.values.elements(list).nth(at));
                found.ok_or_else(|| raised("Subscript"))
            }
            Primitive::Head | Primitive::Tail => {
                let list = self.pop();
                let at = usize::from(primitive == Primitive::Tail);
                let found = self.values.fields(list).get(at).copied();
                found.ok_or_else(|| raised("Empty"))
            }
            Primitive::Member => {
                let (list, element) = self.two();
                let mut walked = 0;
                let found = self.values.elements(list).any(|known| {
                    walked += 1;
                    known == element
                });
                self.pay(steps, walked)?;
                Ok(Value::bool(found))
            }
            Primitive::Remove => {
                let (element, list) = self.two();
                let mut elements = self.taken(list, steps)?;
                if let Some(at) = elements.iter().position(|known| *known == element) {
                    elements.remove(at);
                }
                self.listed(&elements, steps)
            }
            _ => {
                let (element, list) = self.two();
                let mut elements = self.taken(list, steps)?;
                elements.retain(|known| *known != element);
                self.listed(&elements, steps)
            }
        }
    }

    /// The elements of a list, which are paid for.
    pub(super) fn taken(&self, list: Value, steps: &mut u64) -> Result<Vec<Value>, Raised> {
        let most = usize::try_from(*steps).unwrap_or(usize::MAX);
        let elements = self.values.elements(list).take(most.saturating_add(1));
        let elements: Vec<Value> = elements.collect();
        self.pay(steps, elements.len())?;
        Ok(elements)
    }

    /// A list, which is paid for.
    pub(super) fn listed(&mut self, elements: &[Value], steps: &mut u64) -> Result<Value, Raised> {
        self.prepended(elements, Value::NIL, steps)
    }

    fn prepended(
        &mut self,
        elements: &[Value],
        tail: Value,
        steps: &mut u64,
    ) -> Result<Value, Raised> {
        self.pay_for_values(steps, elements.len())?;
        Ok(self.values.prepend(elements, tail))
    }
}
