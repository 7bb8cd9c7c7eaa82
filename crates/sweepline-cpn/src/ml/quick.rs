//! Small inscriptions, evaluated without the machine's stack.
//!
//! Most inscriptions are tuples of variables, sums and comparisons, with a condition or two. They have a form that is evaluated
//! directly, in about a third of the instructions. Whatever is not expected there (an overflow, numbers with a fraction) is
//! left to the code, which is the reference.

use crate::ml::compile::Inscription;
use crate::ml::core::Core;
use crate::ml::primitives::Primitive;
use crate::ml::{ConstantId, Machine, Tokens, Value};

/// A small expression.
#[derive(Clone, Debug)]
pub(crate) enum Quick {
    Variable(u32),
    Value(Value),
    Constant(ConstantId),
    Pair(Box<[Quick; 2]>),
    Fields(Box<[Quick]>),
    Equal(Box<[Quick; 2]>),
    NotEqual(Box<[Quick; 2]>),
    /// Integers only, as all that follow.
    Less(Box<[Quick; 2]>),
    LessOrEqual(Box<[Quick; 2]>),
    Add(Box<[Quick; 2]>),
    Subtract(Box<[Quick; 2]>),
    If(Box<[Quick; 3]>),
}

/// A small inscription.
#[derive(Clone, Debug)]
pub(crate) enum QuickTokens {
    Nothing,
    Some(u64, Quick),
    Both(Box<[QuickTokens; 2]>),
    If(Quick, Box<[QuickTokens; 2]>),
    Delayed(Box<QuickTokens>, Quick),
}

/// Levels of what is small.
const MOST_LEVELS: usize = 8;

impl Quick {
    pub fn of(core: &Core) -> Option<Self> {
        Self::within(core, MOST_LEVELS)
    }

    fn within(core: &Core, levels: usize) -> Option<Self> {
        let levels = levels.checked_sub(1)?;
        let two = |first: &Core, second: &Core| {
            Some(Box::new([
                Self::within(first, levels)?,
                Self::within(second, levels)?,
            ]))
        };
        match core {
            Core::Variable(variable) => Some(Self::Variable(variable.0)),
            Core::Value(value) => Some(Self::Value(*value)),
            Core::Constant(constant) => Some(Self::Constant(*constant)),
            Core::Fields(parts) if parts.len() == 2 => Some(Self::Pair(two(&parts[0], &parts[1])?)),
            Core::Fields(parts) => {
                let parts = parts.iter().map(|part| Self::within(part, levels));
                Some(Self::Fields(parts.collect::<Option<_>>()?))
            }
            Core::Construct(tag, argument) => {
                let tag = Core::Value(Value::small(*tag));
                Some(Self::Pair(two(&tag, argument)?))
            }
            Core::If(parts) => {
                let [condition, yes, no] = &**parts;
                let [yes, no] = *two(yes, no)?;
                Some(Self::If(Box::new([
                    Self::within(condition, levels)?,
                    yes,
                    no,
                ])))
            }
            Core::Primitive(Primitive::Not, only) => {
                let truth = Core::Value(Value::TRUE);
                Some(Self::NotEqual(two(&only[0], &truth)?))
            }
            Core::Primitive(primitive, both) if both.len() == 2 => {
                let [first, second] = [&both[0], &both[1]];
                Some(match primitive {
                    Primitive::Equal => Self::Equal(two(first, second)?),
                    Primitive::NotEqual => Self::NotEqual(two(first, second)?),
                    Primitive::Less => Self::Less(two(first, second)?),
                    Primitive::LessOrEqual => Self::LessOrEqual(two(first, second)?),
                    Primitive::Greater => Self::Less(two(second, first)?),
                    Primitive::GreaterOrEqual => Self::LessOrEqual(two(second, first)?),
                    Primitive::Add => Self::Add(two(first, second)?),
                    Primitive::Subtract => Self::Subtract(two(first, second)?),
                    _ => return None,
                })
            }
            _ => None,
        }
    }
}

impl QuickTokens {
    pub fn of(inscription: &Inscription) -> Option<Self> {
        match inscription {
            Inscription::Token(core) => Some(Self::Some(1, Quick::of(core)?)),
            Inscription::Multiset(core) => Self::multiset(core, MOST_LEVELS),
            Inscription::Delayed(inner, delay) => {
                Some(Self::Delayed(Box::new(Self::of(inner)?), Quick::of(delay)?))
            }
            Inscription::If(condition, branches) => {
                let branches = [Self::of(&branches[0])?, Self::of(&branches[1])?];
                Some(Self::If(Quick::of(condition)?, Box::new(branches)))
            }
            Inscription::Sum(_) | Inscription::Stamped(_) | Inscription::StampedToken(_) => None,
        }
    }

    fn multiset(core: &Core, levels: usize) -> Option<Self> {
        let levels = levels.checked_sub(1)?;
        let two = |first: &Core, second: &Core| {
            Some(Box::new([
                Self::multiset(first, levels)?,
                Self::multiset(second, levels)?,
            ]))
        };
        match core {
            Core::Value(_) => Some(Self::Nothing),
            Core::Primitive(Primitive::Append, both) => Some(Self::Both(two(&both[0], &both[1])?)),
            Core::Primitive(Primitive::Times, both) => {
                let Core::Value(count) = both[0] else {
                    return None;
                };
                match u64::try_from(count.as_int()?).ok()? {
                    0 => None,
                    count => Some(Self::Some(count, Quick::of(&both[1])?)),
                }
            }
            Core::If(parts) => {
                let branches = two(&parts[1], &parts[2])?;
                Some(Self::If(Quick::of(&parts[0])?, branches))
            }
            _ => None,
        }
    }
}

impl Machine {
    /// The value of a small expression, unless the code should be asked.
    #[inline]
    pub(crate) fn quick(&mut self, quick: &Quick, binding: &[Value]) -> Option<Value> {
        match quick {
            Quick::Variable(variable) => Some(binding[*variable as usize]),
            Quick::Value(value) => Some(*value),
            Quick::Constant(constant) => Some(self.constant(*constant)),
            _ => self.quick_compound(quick, binding),
        }
    }

    fn quick_compound(&mut self, quick: &Quick, binding: &[Value]) -> Option<Value> {
        match quick {
            Quick::Pair(both) => {
                let (first, second) = self.quick_two(both, binding)?;
                Some(self.values_mut().pair(first, second))
            }
            Quick::Equal(both) => {
                let (first, second) = self.quick_two(both, binding)?;
                Some(Value::bool(first == second))
            }
            Quick::NotEqual(both) => {
                let (first, second) = self.quick_two(both, binding)?;
                Some(Value::bool(first != second))
            }
            Quick::Less(both) => {
                let (first, second) = self.quick_integers(both, binding)?;
                Some(Value::bool(first < second))
            }
            Quick::LessOrEqual(both) => {
                let (first, second) = self.quick_integers(both, binding)?;
                Some(Value::bool(first <= second))
            }
            Quick::Add(both) => {
                let (first, second) = self.quick_integers(both, binding)?;
                Value::int(first.checked_add(second)?)
            }
            Quick::Subtract(both) => {
                let (first, second) = self.quick_integers(both, binding)?;
                Value::int(first.checked_sub(second)?)
            }
            Quick::If(parts) => {
                let yes = self.quick(&parts[0], binding)? == Value::TRUE;
                self.quick(&parts[if yes { 1 } else { 2 }], binding)
            }
            Quick::Fields(parts) => {
                let fields = parts.iter().map(|part| self.quick(part, binding));
                let fields = fields.collect::<Option<Vec<_>>>()?;
                Some(self.values_mut().tuple(&fields))
            }
            Quick::Variable(_) | Quick::Value(_) | Quick::Constant(_) => self.quick(quick, binding),
        }
    }

    #[inline]
    fn quick_two(&mut self, both: &[Quick; 2], binding: &[Value]) -> Option<(Value, Value)> {
        Some((
            self.quick(&both[0], binding)?,
            self.quick(&both[1], binding)?,
        ))
    }

    #[inline]
    fn quick_integers(&mut self, both: &[Quick; 2], binding: &[Value]) -> Option<(i64, i64)> {
        let (first, second) = self.quick_two(both, binding)?;
        Some((first.as_int()?, second.as_int()?))
    }

    /// Appends the tokens of a small inscription, unless the code should be asked; then some may have been appended.
    pub(crate) fn quick_tokens(
        &mut self,
        quick: &QuickTokens,
        binding: &[Value],
        delay: i64,
        out: &mut Vec<Tokens>,
    ) -> Option<()> {
        match quick {
            QuickTokens::Nothing => Some(()),
            QuickTokens::Some(count, value) => {
                let (count, value) = (*count, self.quick(value, binding)?);
                out.push(Tokens {
                    count,
                    value,
                    delay,
                });
                Some(())
            }
            QuickTokens::Both(both) => {
                self.quick_tokens(&both[0], binding, delay, out)?;
                self.quick_tokens(&both[1], binding, delay, out)
            }
            QuickTokens::If(condition, branches) => {
                let yes = self.quick(condition, binding)? == Value::TRUE;
                self.quick_tokens(&branches[usize::from(!yes)], binding, delay, out)
            }
            QuickTokens::Delayed(inner, more) => {
                let more = self
                    .quick(more, binding)?
                    .as_int()
                    .filter(|more| *more >= 0)?;
                self.quick_tokens(inner, binding, delay.saturating_add(more), out)
            }
        }
    }
}
