//! What names mean.

use std::collections::HashMap;
use std::ops::Range;

use sweepline_core::SlotId;
use sweepline_program::{ArrayId, LocationId, ProcessId};
use sweepline_text::Name;

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A constant with its value.
    Constant(i64),
    /// A variable.
    Slot(SlotId),
    /// An array with its length; elements of a constant one cannot be assigned to.
    Array {
        array: ArrayId,
        length: i64,
        constant: bool,
    },
    /// A channel, by its index in the model.
    Channel(usize),
    /// A process, by its index in the model.
    Process(usize),
    /// A state of a process.
    Location(LocationId),
    /// Something that was declared wrongly; uses of it are not reported.
    Broken,
}

/// Names of one scope, with the place of their declaration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    names: HashMap<String, (Meaning, Range<usize>)>,
}

/// A process whose names are known.
#[derive(Clone, Debug)]
pub(crate) struct ProcessNames {
    /// Its id in the program; the property process has none.
    pub id: Option<ProcessId>,
    /// Local variables and states.
    pub scope: Scope,
}

impl Meaning {
    /// What it is, with an article.
    pub fn described(self) -> &'static str {
        match self {
            Self::Constant(_) => "a constant",
            Self::Slot(_) => "a variable",
            Self::Array { .. } => "an array",
            Self::Channel(_) => "a channel",
            Self::Process(_) => "a process",
            Self::Location(_) => "a state",
            Self::Broken => "declared wrongly",
        }
    }
}

impl Scope {
    /// Declares a name. Where it was declared before, if it was; the first declaration stays.
    pub fn declare(&mut self, name: &Name, meaning: Meaning) -> Result<(), Range<usize>> {
        if let Some((_, first)) = self.names.get(&name.text) {
            return Err(first.clone());
        }
        let entry = (meaning, name.span.clone());
        self.names.insert(name.text.clone(), entry);
        Ok(())
    }

    /// What a name means here.
    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        self.names.get(name).map(|(meaning, _)| *meaning)
    }

    /// Names that mean something of the wanted sort, in a fixed order.
    pub fn names(&self, wanted: fn(Meaning) -> bool) -> Vec<&str> {
        let names = self.names.iter();
        let mut names: Vec<&str> = names
            .filter(|(_, (meaning, _))| wanted(*meaning))
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names
    }
}
