//! Multisets, which are lists.

use std::collections::HashMap;

use crate::ml::machine::Machine;
use crate::ml::machine::native::{Raised, sized};
use crate::ml::machine::run::raised;
use crate::ml::primitives::Primitive;
use crate::ml::{Failure, Value};

impl Machine {
    pub(super) fn multiset_function(
        &mut self,
        primitive: Primitive,
        steps: &mut u64,
    ) -> Result<Value, Raised> {
        match primitive {
            Primitive::Times => {
                let (count, colour) = self.two();
                self.repeated(&[colour], count, steps)
            }
            Primitive::Scale => {
                let (count, list) = self.two();
                let elements = self.taken(list, steps)?;
                self.repeated(&elements, count, steps)
            }
            Primitive::Without => {
                let (left, right) = self.two();
                match self.difference(left, right, steps)? {
                    Some(rest) => self.listed(&rest, steps),
                    None => Err(raised("Subtract")),
                }
            }
            Primitive::Count => {
                let (colour, list) = self.two();
                let elements = self.taken(list, steps)?;
                let count = elements.iter().filter(|known| **known == colour).count();
                sized(i64::try_from(count).ok())
            }
            Primitive::SameMultiset => {
                let (left, right) = self.two();
                let rest = self.difference(left, right, steps)?;
                Ok(Value::bool(rest.is_some_and(|rest| rest.is_empty())))
            }
            Primitive::PartOf => {
                let (left, right) = self.two();
                Ok(Value::bool(self.difference(right, left, steps)?.is_some()))
            }
            Primitive::Only => {
                let list = self.pop();
                match self.values.fields(list) {
                    [only, Value::NIL] => Ok(*only),
                    _ => Err(raised("Size")),
                }
            }
            Primitive::Product(count) => self.combinations(count as usize, steps),
            _ => {
                let (list, delay) = self.two();
                let elements = self.taken(list, steps)?;
                self.pay_for_values(steps, elements.len())?;
                let ready = delay
                    .as_int()
                    .and_then(|delay| delay.checked_add(self.time));
                let ready = sized(ready)?;
                let stamped: Vec<Value> = elements
                    .into_iter()
                    .map(|colour| self.values.tuple(&[colour, ready]))
                    .collect();
                self.listed(&stamped, steps)
            }
        }
    }

    /// A list of the same elements so many times.
    fn repeated(
        &mut self,
        elements: &[Value],
        count: Value,
        steps: &mut u64,
    ) -> Result<Value, Raised> {
        let count = count.as_int().unwrap_or(0);
        let Ok(times) = u64::try_from(count) else {
            return Err(Failure::Negative(count).into());
        };
        let times = usize::try_from(times).unwrap_or(usize::MAX);
        self.pay_for_values(steps, times.saturating_mul(elements.len()))?;
        Ok(self.values.list(&elements.repeat(times)))
    }

    /// What is left of a list without the elements of another one, if they are all there.
    fn difference(
        &self,
        from: Value,
        without: Value,
        steps: &mut u64,
    ) -> Result<Option<Vec<Value>>, Raised> {
        let mut missing: HashMap<Value, usize> = HashMap::new();
        for element in self.taken(without, steps)? {
            *missing.entry(element).or_default() += 1;
        }
        let mut rest = self.taken(from, steps)?;
        rest.retain(|element| match missing.get_mut(element) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        Ok(missing.values().all(|count| *count == 0).then_some(rest))
    }

    /// All combinations of one element each, the last list fastest.
    fn combinations(&mut self, count: usize, steps: &mut u64) -> Result<Value, Raised> {
        let start = self.stack.len() - count;
        let lists = self.stack.split_off(start);
        let lists = lists.iter().map(|list| self.taken(*list, steps));
        let lists: Vec<Vec<Value>> = lists.collect::<Result<_, _>>()?;
        let sizes = lists.iter().map(Vec::len);
        let combinations = sizes.fold(1, usize::saturating_mul);
        self.pay_for_values(steps, combinations.saturating_mul(2))?;
        let mut rows = vec![Vec::new()];
        for list in &lists {
            let longer = rows.iter().flat_map(|row| {
                list.iter()
                    .map(move |last| [row.as_slice(), &[*last]].concat())
            });
            rows = longer.collect();
        }
        let all: Vec<Value> = rows.iter().map(|row| self.values.tuple(row)).collect();
        Ok(self.values.list(&all))
    }
}
