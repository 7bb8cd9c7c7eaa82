//! Strings and characters.

use crate::ml::Value;
use crate::ml::machine::Machine;
use crate::ml::machine::native::{Raised, sized};
use crate::ml::machine::run::raised;
use crate::ml::primitives::Primitive;

impl Machine {
    pub(super) fn text_function(
        &mut self,
        primitive: Primitive,
        steps: &mut u64,
    ) -> Result<Value, Raised> {
        match primitive {
            Primitive::Join => {
                let (left, right) = self.two();
                let length = self.values.text(left).len() + self.values.text(right).len();
                self.pay(steps, length)?;
                let joined = format!("{}{}", self.values.text(left), self.values.text(right));
                Ok(self.values.string(&joined))
            }
            Primitive::TextSize => {
                let text = self.pop();
                self.pay(steps, self.values.size(text))?;
                sized(i64::try_from(self.values.text(text).chars().count()).ok())
            }
            Primitive::TextAt => {
                let (text, at) = self.two();
                let at = usize::try_from(at.as_int().unwrap_or(-1)).ok();
                self.pay(steps, self.values.size(text))?;
                let found = at.and_then(|at| self.values.text(text).chars().nth(at));
                found.map(character).ok_or_else(|| raised("Subscript"))
            }
            Primitive::Substring => self.substring(steps),
            Primitive::Explode => {
                let text = self.pop();
                let characters: Vec<Value> =
                    self.values.text(text).chars().map(character).collect();
                self.listed(&characters, steps)
            }
            Primitive::Implode => {
                let list = self.pop();
                let characters = self.taken(list, steps)?;
                let text: String = characters.into_iter().map(as_char).collect();
                self.new_text(&text, steps)
            }
            Primitive::JoinAll => {
                let list = self.pop();
                let mut text = String::new();
                for part in self.taken(list, steps)? {
                    let part = self.values.text(part);
                    self.pay(steps, part.len())?;
                    text.push_str(part);
                }
                Ok(self.values.string(&text))
            }
            Primitive::CharToText => {
                let text = as_char(self.pop()).to_string();
                Ok(self.values.string(&text))
            }
            Primitive::CharOf => {
                let code = self.pop();
                let number = code.as_int().unwrap_or(-1);
                if (0..256).contains(&number) {
                    Ok(code)
                } else {
                    Err(raised("Chr"))
                }
            }
            Primitive::IntToText => {
                let text = self
                    .pop()
                    .as_int()
                    .unwrap_or(0)
                    .to_string()
                    .replace('-', "~");
                Ok(self.values.string(&text))
            }
            Primitive::IntFromText => {
                let text = self.pop();
                self.pay(steps, self.values.size(text))?;
                let written = self.values.text(text).trim_start().replace('~', "-");
                let end = written.find(|c: char| !c.is_ascii_digit() && c != '-');
                let number = written[..end.unwrap_or(written.len())].parse().ok();
                Ok(match number.and_then(Value::int) {
                    Some(number) => self.values.tuple(&[Value::small(1), number]),
                    None => Value::small(0),
                })
            }
            _ => {
                let value = self.pop();
                let text = real_shown(self.values.as_real(value));
                Ok(self.values.string(&text))
            }
        }
    }

    /// A string, which is paid for.
    pub(super) fn new_text(&mut self, text: &str, steps: &mut u64) -> Result<Value, Raised> {
        self.pay(steps, text.len())?;
        Ok(self.values.string(text))
    }

    fn substring(&mut self, steps: &mut u64) -> Result<Value, Raised> {
        let length = self.pop();
        let (text, start) = self.two();
        self.pay(steps, self.values.size(text))?;
        let text = self.values.text(text);
        let start = usize::try_from(start.as_int().unwrap_or(-1));
        let length = usize::try_from(length.as_int().unwrap_or(-1));
        let (Ok(start), Ok(length)) = (start, length) else {
            return Err(raised("Subscript"));
        };
        let count = text.chars().count();
        if start > count || length > count - start {
            return Err(raised("Subscript"));
        }
        let part: String = text.chars().skip(start).take(length).collect();
        self.new_text(&part, steps)
    }
}

fn character(character: char) -> Value {
    Value::small(i32::try_from(u32::from(character)).unwrap_or(0))
}

pub(crate) fn as_char(value: Value) -> char {
    let code = value.as_int().and_then(|code| u32::try_from(code).ok());
    code.and_then(char::from_u32).unwrap_or('?')
}

/// A number with a fraction as ML writes it.
pub(crate) fn real_shown(value: f64) -> String {
    let text = format!("{value}");
    let text = if text.contains(['.', 'e', 'n', 'i']) {
        text
    } else {
        text + ".0"
    };
    text.replace('-', "~")
}
