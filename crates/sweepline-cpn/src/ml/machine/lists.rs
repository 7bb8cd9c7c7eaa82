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
                let elements = self.taken(left, steps);
                Ok(self.values.prepend(&elements, right))
            }
            Primitive::Reverse => {
                let list = self.pop();
                let mut elements = self.taken(list, steps);
                elements.reverse();
                Ok(self.values.list(&elements))
            }
            Primitive::Length => {
                let list = self.pop();
                let length = self.values.elements(list).count();
                *steps = steps.saturating_sub(length as u64);
                sized(i64::try_from(length).ok())
            }
            Primitive::Nth => {
                let (list, at) = self.two();
                let at = usize::try_from(at.as_int().unwrap_or(-1)).ok();
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
                let found = self.values.elements(list).any(|known| known == element);
                Ok(Value::bool(found))
            }
            Primitive::Remove => {
                let (element, list) = self.two();
                let mut elements = self.taken(list, steps);
                if let Some(at) = elements.iter().position(|known| *known == element) {
                    elements.remove(at);
                }
                Ok(self.values.list(&elements))
            }
            _ => {
                let (element, list) = self.two();
                let mut elements = self.taken(list, steps);
                elements.retain(|known| *known != element);
                Ok(self.values.list(&elements))
            }
        }
    }

    /// The elements of a list, which are paid for.
    pub(super) fn taken(&self, list: Value, steps: &mut u64) -> Vec<Value> {
        let elements: Vec<Value> = self.values.elements(list).collect();
        *steps = steps.saturating_sub(elements.len() as u64);
        elements
    }
}
