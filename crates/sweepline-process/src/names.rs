//! Names and their numbers.

use std::collections::HashMap;

/// Names, numbered in the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Names {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Names {
    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

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

    pub fn list(&self) -> &[String] {
        &self.list
    }

    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}
