//! The functions of the machine itself.

use std::cmp::Ordering;

use crate::ml::machine::Machine;
use crate::ml::machine::run::raised;
use crate::ml::primitives::{OUTSIDE, Primitive, UNBOUNDED};
use crate::ml::{ColourId, Failure, Value};

/// Why there is no value.
#[derive(Debug)]
pub(super) enum Raised {
    /// An exception that may be handled.
    Exception(Value),
    /// The end of the evaluation.
    Failure(Box<Failure>),
}

impl From<Failure> for Raised {
    #[cold]
    fn from(failure: Failure) -> Self {
        Self::Failure(Box::new(failure))
    }
}

impl Machine {
    /// Replaces the arguments on the stack by the result.
    #[inline]
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        steps: &mut u64,
    ) -> Result<(), Raised> {
        // What inscriptions use most is decided here; all else further on.
        let value = match primitive {
            Primitive::Equal => {
                let right = self.pop();
                Value::bool(self.pop() == right)
            }
            Primitive::NotEqual => {
                let right = self.pop();
                Value::bool(self.pop() != right)
            }
            Primitive::Not => Value::bool(self.pop() != Value::TRUE),
            Primitive::Add => {
                let (left, right) = self.two();
                match (left.as_int(), right.as_int()) {
                    (Some(a), Some(b)) => sized(a.checked_add(b))?,
                    _ => self.real_arithmetic(primitive, left, right)?,
                }
            }
            Primitive::Less
            | Primitive::LessOrEqual
            | Primitive::Greater
            | Primitive::GreaterOrEqual => {
                let (left, right) = self.two();
                let order = match (left.as_int(), right.as_int()) {
                    (Some(a), Some(b)) => a.cmp(&b),
                    _ => self.compared(left, right, steps)?,
                };
                Value::bool(match primitive {
                    Primitive::Less => order.is_lt(),
                    Primitive::LessOrEqual => order.is_le(),
                    Primitive::Greater => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
            _ => self.other(primitive, steps)?,
        };
        self.stack.push(value);
        Ok(())
    }

    fn other(&mut self, primitive: Primitive, steps: &mut u64) -> Result<Value, Raised> {
        use Primitive as P;
        match primitive {
            P::Subtract
            | P::Multiply
            | P::Negate
            | P::Div
            | P::Mod
            | P::Quot
            | P::Rem
            | P::Divide => self.arithmetic(primitive),
            P::RealFromInt
            | P::Floor
            | P::Ceil
            | P::Round
            | P::Trunc
            | P::Sqrt
            | P::Ln
            | P::Exp
            | P::Power => self.real_function(primitive),
            P::Join
            | P::TextSize
            | P::TextAt
            | P::Substring
            | P::Explode
            | P::Implode
            | P::JoinAll
            | P::CharToText => self.text_function(primitive, steps),
            P::CharOf | P::IntToText | P::IntFromText | P::RealToText => {
                self.text_function(primitive, steps)
            }
            P::Same => Ok(self.pop()),
            P::Append
            | P::Reverse
            | P::Length
            | P::Nth
            | P::Head
            | P::Tail
            | P::Member
            | P::Remove
            | P::RemoveAll => self.list_function(primitive, steps),
            P::Times
            | P::Without
            | P::Scale
            | P::Count
            | P::SameMultiset
            | P::PartOf
            | P::Only
            | P::Product(_)
            | P::Delay => self.multiset_function(primitive, steps),
            P::Now => {
                self.pop();
                self.clock_read = true;
                sized(Some(self.time))
            }
            P::Discrete
            | P::Bernoulli
            | P::Binomial
            | P::Random
            | P::RandomColour(_)
            | P::Unbounded(_) => self.random_function(primitive, steps),
            P::Outside(number) => {
                Err(Failure::Outside(OUTSIDE[usize::from(number)].to_string()).into())
            }
            P::Dereference | P::Assign => Err(Failure::Reference("ref".to_string()).into()),
            P::WithField(position) => {
                let (record, value) = self.two();
                let mut fields = self.values.fields(record).to_vec();
                fields[position as usize] = value;
                Ok(self.values.tuple(&fields))
            }
            P::Entry => self.entry(),
            P::IsCase(tag) => {
                let value = self.pop();
                let tag = Value::int(i64::from(tag));
                let fields = self.values.fields(value);
                let found = fields.first().copied().unwrap_or(value);
                Ok(Value::bool(Some(found) == tag))
            }
            P::All(colour)
            | P::ColourSize(colour)
            | P::Ordinal(colour)
            | P::ColourAt(colour)
            | P::ColourLess(colour)
            | P::Shown(colour)
            | P::ShownMultiset(colour)
            | P::Legal(colour) => self.colour_function(primitive, colour, steps),
            P::Add
            | P::Less
            | P::LessOrEqual
            | P::Greater
            | P::GreaterOrEqual
            | P::Equal
            | P::NotEqual
            | P::Not => {
                unreachable!("{primitive:?} is decided before")
            }
        }
    }

    fn entry(&mut self) -> Result<Value, Raised> {
        let (table, at) = self.two();
        let at = usize::try_from(at.as_int().unwrap_or(-1)).ok();
        let found = at.and_then(|at| self.values.fields(table).get(at));
        found.copied().ok_or_else(|| raised("Subscript"))
    }

    /// The order of two values, which is paid for.
    fn compared(&self, left: Value, right: Value, steps: &mut u64) -> Result<Ordering, Raised> {
        let mut parts = 0;
        let order = self.values.compare_counting(left, right, &mut parts);
        self.pay(steps, parts)?;
        Ok(order)
    }

    /// The two topmost values, the lower one first.
    #[inline]
    pub(super) fn two(&mut self) -> (Value, Value) {
        let second = self.pop();
        (self.pop(), second)
    }

    fn random_function(&mut self, primitive: Primitive, steps: &mut u64) -> Result<Value, Raised> {
        match primitive {
            Primitive::Discrete => {
                let (low, high) = self.two();
                let (low, high) = (low.as_int().unwrap_or(0), high.as_int().unwrap_or(0));
                let range = high
                    .checked_sub(low)
                    .and_then(|range| u64::try_from(range).ok());
                let Some(range) = range else {
                    return Err(raised("Domain"));
                };
                let choice = self.choose("discrete", range.saturating_add(1))?;
                sized(
                    i64::try_from(choice)
                        .ok()
                        .and_then(|choice| low.checked_add(choice)),
                )
            }
            Primitive::Bernoulli => {
                let chance = self.pop();
                self.count_of("bernoulli", 1, chance)
            }
            Primitive::Binomial => {
                let (most, chance) = self.two();
                self.count_of("binomial", most.as_int().unwrap_or(0), chance)
            }
            Primitive::Random => {
                let list = self.pop();
                let elements = self.taken(list, steps)?;
                if elements.is_empty() {
                    return Err(raised("Empty"));
                }
                let choice = self.choose("random", elements.len() as u64)?;
                Ok(elements[usize::try_from(choice).unwrap_or(0)])
            }
            Primitive::RandomColour(colour) => {
                self.pop();
                let name = format!("{}.ran", self.colours.name(colour));
                let all = self
                    .all_of(colour)
                    .ok_or_else(|| Failure::Unbounded(name.clone()))?;
                let elements = self.taken(all, steps)?;
                let choice = self.choose(&name, elements.len() as u64)?;
                elements
                    .get(usize::try_from(choice).unwrap_or(0))
                    .copied()
                    .ok_or_else(|| raised("Empty"))
            }
            Primitive::Unbounded(number) => {
                let name = UNBOUNDED[usize::from(number)].to_string();
                Err(match self.choices {
                    Some(_) => Failure::Unbounded(name),
                    None => Failure::Random(name),
                }
                .into())
            }
            _ => unreachable!("{primitive:?} is not random"),
        }
    }

    /// How many of so many trials succeed: all numbers are possible, unless the chance is nothing or certainty.
    fn count_of(&mut self, name: &str, most: i64, chance: Value) -> Result<Value, Raised> {
        let chance = self.values.as_real(chance);
        let (Ok(trials), true) = (u64::try_from(most), (0.0..=1.0).contains(&chance)) else {
            return Err(raised("Domain"));
        };
        let possible = if chance > 0.0 && chance < 1.0 {
            trials + 1
        } else {
            1
        };
        let choice = self.choose(name, possible)?;
        let least = if chance < 1.0 { 0 } else { most };
        sized(
            i64::try_from(choice)
                .ok()
                .and_then(|choice| least.checked_add(choice)),
        )
    }

    /// All values of a colour set as a list, if they are not too many.
    fn all_of(&mut self, colour: ColourId) -> Option<Value> {
        self.colours.all(colour, &mut self.values)
    }

    fn colour_function(
        &mut self,
        primitive: Primitive,
        colour: ColourId,
        steps: &mut u64,
    ) -> Result<Value, Raised> {
        match primitive {
            Primitive::All(_) => {
                self.pop();
                self.all_of(colour).ok_or_else(|| raised("Size"))
            }
            Primitive::ColourSize(_) => {
                self.pop();
                let size = self.colours.size(colour);
                size.map_or(Err(raised("Size")), |size| sized(i64::try_from(size).ok()))
            }
            Primitive::Ordinal(_) => {
                let value = self.pop();
                let all = self.all_of(colour).ok_or_else(|| raised("Size"))?;
                let position = self.values.elements(all).position(|known| known == value);
                let position = position.ok_or_else(|| raised("OutOfRange"))?;
                self.pay(steps, position)?;
                sized(i64::try_from(position).ok())
            }
            Primitive::ColourAt(_) => {
                let at = usize::try_from(self.pop().as_int().unwrap_or(-1));
                let all = self.all_of(colour).ok_or_else(|| raised("Size"))?;
                let walked = self.values.size(all).min(at.unwrap_or(0));
                self.pay(steps, walked)?;
                let mut elements = self.values.elements(all);
                let found = at.ok().and_then(|at| elements.nth(at));
                found.ok_or_else(|| raised("OutOfRange"))
            }
            Primitive::ColourLess(_) => {
                let (left, right) = self.two();
                let order = self.compared(left, right, steps)?;
                Ok(Value::bool(order.is_lt()))
            }
            Primitive::Shown(_) => {
                let value = self.pop();
                self.pay(steps, self.values.size(value))?;
                let shown = self.colours.show(colour, value, &self.values);
                self.new_text(&shown, steps)
            }
            Primitive::ShownMultiset(_) => {
                let list = self.pop();
                self.pay(steps, self.values.size(list))?;
                let elements: Vec<Value> = self.values.elements(list).collect();
                let shown = self.colours.show_multiset(colour, &elements, &self.values);
                self.new_text(&shown, steps)
            }
            _ => {
                let value = self.pop();
                self.pay(steps, self.values.size(value))?;
                Ok(Value::bool(self.colours.contains(
                    colour,
                    value,
                    &self.values,
                )))
            }
        }
    }
}

/// An integer that fits.
#[inline]
pub(super) fn sized(value: Option<i64>) -> Result<Value, Raised> {
    value.and_then(Value::int).ok_or_else(|| raised("Overflow"))
}
