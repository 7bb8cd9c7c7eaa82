//! Values of expressions, and labels as text.

use std::fmt;
use std::rc::Rc;

/// What a variable or parameter can be.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Value {
    Number(i64),
    Label(Rc<str>),
}

impl Value {
    /// The element of a set as a value: `[3]` is a number.
    pub fn of_label(label: &str) -> Self {
        let digits = label
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        match digits.and_then(|digits| digits.parse().ok()) {
            Some(number) => Self::Number(number),
            None => Self::Label(label.into()),
        }
    }

    /// The label with this value as an index.
    pub fn appended(&self, label: &str) -> String {
        match self {
            Self::Number(number) => format!("{label}[{number}]"),
            Self::Label(text) => joined(label, text),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Label(label) => write!(f, "{label}"),
        }
    }
}

/// Two labels one behind the other.
pub(crate) fn joined(first: &str, second: &str) -> String {
    if first.is_empty() || second.starts_with('[') {
        format!("{first}{second}")
    } else {
        format!("{first}.{second}")
    }
}

/// The label itself and all its prefixes, the longest first: `a.b[1]`, `a.b`, `a`.
pub(crate) fn prefixes(label: &str) -> impl Iterator<Item = &str> {
    let ends = label.char_indices().rev();
    let cuts = ends.filter(|(at, c)| *at > 0 && matches!(c, '.' | '['));
    std::iter::once(label).chain(cuts.map(|(at, _)| &label[..at]))
}

/// A process with its indices: `Q[1][2]`.
pub(crate) fn indexed(name: &str, indices: &[Value]) -> String {
    let indices = indices.iter().map(|index| format!("[{index}]"));
    name.to_string() + &indices.collect::<String>()
}

/// A process with its arguments: `P(3,4)`.
pub(crate) fn applied(name: &str, arguments: &[Value]) -> String {
    if arguments.is_empty() {
        return name.to_string();
    }
    let list: Vec<String> = arguments.iter().map(Value::to_string).collect();
    format!("{name}({})", list.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_prefixes() {
        let check = |label: &str, expected: &[&str]| {
            assert_eq!(prefixes(label).collect::<Vec<_>>(), expected);
        };
        check("a", &["a"]);
        check("a.b[1]", &["a.b[1]", "a.b", "a"]);
        check("[1].go", &["[1].go", "[1]"]);
    }

    #[test]
    fn elements_of_sets_can_be_numbers() {
        assert_eq!(Value::of_label("[-3]"), Value::Number(-3));
        assert_eq!(Value::of_label("a[3]"), Value::Label("a[3]".into()));
        assert_eq!(Value::of_label("a").appended("b"), "b.a");
        assert_eq!(Value::Number(1).appended("b"), "b[1]");
    }
}
