//! Errors and warnings as they are found.

use sweepline_text::Errors;

use crate::errors::{FspError, FspErrors, FspWarning};

/// At most this many errors are listed, and as many warnings.
const MOST: usize = 50;

/// What was found: the first errors in full, and how many there are in all.
///
/// A file with thousands of errors is nothing unusual (a wrong name, used everywhere). Nobody reads more than the first
/// ones, and to find a proposal for a name takes a look at all other names; so the others are only counted.
#[derive(Debug)]
pub(crate) struct Found<T> {
    list: Vec<T>,
    count: usize,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            count: 0,
        }
    }
}

impl<T> Found<T> {
    /// Adds one more.
    pub fn push(&mut self, item: T) {
        self.push_with(|| item);
    }

    /// Adds one more, which is made only if it will be shown.
    pub fn push_with(&mut self, item: impl FnOnce() -> T) {
        self.count += 1;
        if self.list.len() < MOST {
            self.list.push(item());
        }
    }

    /// Whether one more would not be shown. Then it is counted, and nothing else needs to be done.
    pub fn only_counts(&mut self) -> bool {
        let full = self.list.len() >= MOST;
        self.count += usize::from(full);
        full
    }

    /// How many there are in all.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many are not listed.
    fn more(&self) -> usize {
        self.count - self.list.len()
    }
}

impl Found<FspError> {
    /// All errors in the order of the text; there must be some.
    pub fn into_errors(self) -> FspErrors {
        let count = self.more();
        let sorted = Errors::in_order((), self.list).expect_err("there is at least one error");
        let mut list = sorted.into_vec();
        if count > 0 {
            list.push(FspError::More { count });
        }
        Errors::unless_none((), list).expect_err("there is at least one error")
    }
}

impl Found<FspWarning> {
    /// All warnings in the order they were found.
    pub fn into_warnings(self) -> Vec<FspWarning> {
        let count = self.more();
        let mut list = self.list;
        if count > 0 {
            list.push(FspWarning::More { count });
        }
        list
    }
}
