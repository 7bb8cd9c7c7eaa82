//! Names and their numbers.

use std::collections::HashMap;

/// Names, numbered in the order of their first occurrence.
///
/// ```
/// let mut names = sweepline_text::Names::default();
/// assert_eq!(["send", "lose", "send"].map(|name| names.intern(name)), [0, 1, 0]);
/// ```
#[derive(Debug, Default)]
pub struct Names {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Names {
    /// The number of a name that occurred.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The number of a name, which gets the next one if it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        if let Some(number) = self.number(name) {
            return number;
        }
        let number = self.list.len();
        self.list.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        number
    }

    /// How much memory they take, nearly.
    pub fn bytes(&self) -> usize {
        2 * self.list.len() * (size_of::<String>() + 16)
    }

    /// All names, by number.
    pub fn list(&self) -> &[String] {
        &self.list
    }

    /// All names, by number, to keep.
    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}
