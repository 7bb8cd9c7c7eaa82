//! Values as CPN Tools shows them.

use crate::ml::colours::{Colours, Kind};
use crate::ml::machine::real_shown;
use crate::ml::{ColourId, Value, Values};

impl Colours {
    /// The value as CPN Tools shows it.
    pub fn show(&self, colour: ColourId, value: Value, values: &Values) -> String {
        let mut text = String::new();
        self.write(colour, value, values, &mut text);
        text
    }

    /// A multiset as CPN Tools shows it, in the order of the values.
    pub fn show_multiset(&self, colour: ColourId, elements: &[Value], values: &Values) -> String {
        let mut sorted = elements.to_vec();
        sorted.sort_by(|a, b| values.compare(*a, *b));
        let mut text = String::new();
        for group in sorted.chunk_by(|a, b| a == b) {
            if !text.is_empty() {
                text.push_str("++");
            }
            text.push_str(&group.len().to_string());
            text.push('`');
            self.write(colour, group[0], values, &mut text);
        }
        if text.is_empty() {
            "empty".to_string()
        } else {
            text
        }
    }

    fn write(&self, colour: ColourId, value: Value, values: &Values, text: &mut String) {
        let position = || {
            value
                .as_int()
                .and_then(|at| usize::try_from(at).ok())
                .unwrap_or(0)
        };
        match &self.at(colour).kind {
            Kind::Unit(name) => text.push_str(name.as_deref().unwrap_or("()")),
            Kind::Bool(None) => text.push_str(if value == Value::TRUE {
                "true"
            } else {
                "false"
            }),
            Kind::Bool(Some((no, yes))) => {
                text.push_str(if value == Value::TRUE { yes } else { no });
            }
            Kind::Int(_) => text.push_str(&int_shown(value)),
            Kind::Real => text.push_str(&real_shown(values.as_real(value))),
            Kind::Text { .. } => text.push_str(&text_shown(values.text(value))),
            Kind::Enum(names) => text.push_str(names.get(position()).map_or("?", String::as_str)),
            Kind::Index(name, _, _) => text.push_str(&[name, "(", &int_shown(value), ")"].concat()),
            Kind::Product(parts) => {
                let fields = parts.iter().zip(values.fields(value));
                bracketed(text, "(", ")", fields, |text, (part, field)| {
                    self.write(*part, *field, values, text);
                });
            }
            Kind::Record(parts, order) => {
                let fields = values.fields(value);
                bracketed(text, "{", "}", order.iter(), |text, at| {
                    let (label, part) = &parts[*at];
                    text.push_str(label);
                    text.push('=');
                    self.write(*part, fields[*at], values, text);
                });
            }
            Kind::List(of, _) => {
                bracketed(text, "[", "]", values.elements(value), |text, element| {
                    self.write(*of, element, values, text);
                });
            }
            Kind::Union(cases) => {
                let (tag, argument) = match values.fields(value) {
                    [tag, argument] => (*tag, Some(*argument)),
                    _ => (value, None),
                };
                let at = tag
                    .as_int()
                    .and_then(|at| usize::try_from(at).ok())
                    .unwrap_or(0);
                let Some((name, part)) = cases.get(at) else {
                    return;
                };
                text.push_str(name);
                if let (Some(part), Some(argument)) = (part, argument) {
                    text.push('(');
                    self.write(*part, argument, values, text);
                    text.push(')');
                }
            }
            Kind::Subset(of, _) | Kind::Alias(of) => self.write(*of, value, values, text),
        }
    }
}

/// What stands between brackets, with commas.
fn bracketed<T>(
    text: &mut String,
    open: &str,
    close: &str,
    all: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    text.push_str(open);
    for (number, one) in all.enumerate() {
        if number > 0 {
            text.push(',');
        }
        write(text, one);
    }
    text.push_str(close);
}

fn int_shown(value: Value) -> String {
    value.as_int().unwrap_or(0).to_string().replace('-', "~")
}

/// A string between quotes.
fn text_shown(text: &str) -> String {
    let mut shown = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => shown.push_str("\\\""),
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            other if u32::from(other) < 32 => {
                shown.extend(["\\", &format!("{:03}", u32::from(other))]);
            }
            other => shown.push(other),
        }
    }
    shown.push('"');
    shown
}
