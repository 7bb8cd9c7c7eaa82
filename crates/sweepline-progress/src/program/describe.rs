//! Measures in words.

use std::fmt::Write as _;

use sweepline_core::SlotId;
use sweepline_program::Program;

use super::{Coordinate, Source, Term};

impl Coordinate {
    /// The sum as a text: `2 n + Sender(wait: 1)` is twice the slot `n`, plus one while the sender waits.
    pub fn describe(&self, program: &Program) -> String {
        let mut text = String::new();
        for term in &self.terms {
            let (sign, summand) = term.describe(program);
            let sign = match (text.is_empty(), sign) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let _ = write!(text, "{sign}{summand}"); // a string takes everything
        }
        text
    }
}

impl Source {
    /// Why the coordinate is monotone, in a few words.
    pub fn describe(&self, program: &Program) -> String {
        let name = |id: &_| program.process(*id).name.clone();
        match self {
            Self::ControlFlow { processes } => {
                let names: Vec<_> = processes.iter().map(name).collect();
                format!("the control flow of {}", names.join(", "))
            }
            Self::Counter => "changed by constants in one direction".into(),
            Self::NeverDecreases => "changed in one direction only".into(),
            Self::Elements { array } => {
                let name = &program.array(*array).name;
                format!("all elements of {name} change in one direction only")
            }
            Self::Messages => "the number of messages".into(),
            Self::Linear => "a combination that linear programming found".into(),
        }
    }
}

impl Term {
    /// Whether it is subtracted, and the rest.
    fn describe(&self, program: &Program) -> (bool, String) {
        match self {
            Self::Slot { slot, weight } => {
                let name = name(program, *slot);
                let size = weight.unsigned_abs();
                let factor = if size == 1 {
                    String::new()
                } else {
                    format!("{size} ")
                };
                (*weight < 0, format!("{factor}{name}"))
            }
            Self::Table { slot, values } => (false, table(program, *slot, values)),
        }
    }
}

/// The name of a slot, with that of its process.
fn name(program: &Program, slot: SlotId) -> String {
    let declared = program.slot(slot);
    match declared.owner {
        Some(owner) if slot != program.process(owner).location && !declared.name.contains('.') => {
            format!("{}.{}", program.process(owner).name, declared.name)
        }
        _ => declared.name.clone(),
    }
}

fn table(program: &Program, slot: SlotId, values: &[i64]) -> String {
    let mut processes = program.processes().iter();
    let process = processes.find(|process| process.location == slot);
    let least = program.slot(slot).kind.least;
    let value = |(index, weight): (usize, &i64)| {
        let value = match process {
            Some(process) => process.locations[index].name.clone(),
            None => format!(
                "{}",
                i128::from(least) + i128::try_from(index).unwrap_or_default()
            ),
        };
        (*weight != 0).then(|| format!("{value}: {weight}"))
    };
    let entries: Vec<_> = values.iter().enumerate().filter_map(value).collect();
    format!("{}({})", name(program, slot), entries.join(", "))
}
