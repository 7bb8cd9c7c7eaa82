//! The Hanoi Omega-Automata format, version 1 [HOA15].
//!
//! Everything but alternation is read: aliases, labels on edges or states or none, acceptance on edges or states, any condition,
//! several initial states. Sets that are negated in the condition, as in `Inf(!0)`, become sets of their own.

mod read;
#[cfg(test)]
mod tests;
mod token;

use std::fmt::Write;

pub(super) use read::read_hoa;

use super::{Acceptance, Cube, Guard, Letter, Marks, OmegaAutomaton};
use crate::{Pred, parse_pred};

impl OmegaAutomaton {
    /// The automaton in the Hanoi Omega-Automata format.
    ///
    /// ```
    /// use sweepline_logic::{ltl::translate, parse_ltl};
    ///
    /// let hoa = translate(&parse_ltl("G F a").unwrap().ltl).unwrap().to_hoa();
    /// assert_eq!(hoa.lines().nth(4), Some("Acceptance: 1 Inf(0)"));
    /// ```
    pub fn to_hoa(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_hoa(&mut text);
        text
    }

    fn write_hoa(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "HOA: v1")?;
        writeln!(out, "States: {}", self.edges.len())?;
        for state in &self.initial {
            writeln!(out, "Start: {}", state.0)?;
        }
        write!(out, "AP: {}", self.atoms.len())?;
        for atom in &self.atoms {
            let name = proposition_name(atom)
                .replace('\\', "\\\\")
                .replace('"', "\\\"");
            write!(out, " \"{name}\"")?;
        }
        writeln!(out)?;
        write!(out, "Acceptance: {} ", self.sets)?;
        write_condition(out, &self.acceptance)?;
        writeln!(
            out,
            "\nproperties: trans-labels explicit-labels trans-acc\n--BODY--"
        )?;
        for (state, edges) in self.edges.iter().enumerate() {
            writeln!(out, "State: {state}")?;
            for edge in edges {
                write!(out, "[{}] {}", label(&edge.guard), edge.target.0)?;
                let sets = (0..Marks::BITS).filter(|set| edge.marks >> set & 1 == 1);
                let sets: Vec<String> = sets.map(|set| set.to_string()).collect();
                if !sets.is_empty() {
                    write!(out, " {{{}}}", sets.join(" "))?;
                }
                writeln!(out)?;
            }
        }
        writeln!(out, "--END--")
    }
}

/// A proposition by its name alone, if it is read as such again.
fn proposition_name(pred: &Pred) -> String {
    if let Pred::Holds(name) = pred {
        let read = parse_pred(name.text.as_str());
        if !read.is_ok_and(|read| !matches!(&read, Pred::Holds(same) if same.text == name.text)) {
            return name.text.clone();
        }
    }
    pred.to_string()
}

fn write_condition(out: &mut String, acceptance: &Acceptance) -> std::fmt::Result {
    let (sign, all) = match acceptance {
        Acceptance::Inf(set) => return write!(out, "Inf({set})"),
        Acceptance::Fin(set) => return write!(out, "Fin({set})"),
        Acceptance::And(all) if all.is_empty() => return write!(out, "t"),
        Acceptance::Or(all) if all.is_empty() => return write!(out, "f"),
        Acceptance::And(all) => (" & ", all),
        Acceptance::Or(all) => (" | ", all),
    };
    let single = all.len() == 1;
    for (at, one) in all.iter().enumerate() {
        out.push_str(if at > 0 { sign } else { "" });
        let nested = !single && matches!(one, Acceptance::And(_) | Acceptance::Or(_));
        out.push_str(if nested { "(" } else { "" });
        write_condition(out, one)?;
        out.push_str(if nested { ")" } else { "" });
    }
    Ok(())
}

/// A guard by the numbers of its atoms.
fn label(guard: &Guard) -> String {
    let cube = |cube: &Cube| {
        let literals = (0..Letter::BITS).filter_map(|atom| {
            match (cube.holds >> atom & 1, cube.fails >> atom & 1) {
                (1, _) => Some(atom.to_string()),
                (_, 1) => Some(format!("!{atom}")),
                _ => None,
            }
        });
        let literals: Vec<String> = literals.collect();
        match literals.len() {
            0 => "t".to_string(),
            _ => literals.join(" & "),
        }
    };
    let cubes: Vec<String> = guard.cubes().iter().map(cube).collect();
    match cubes.len() {
        0 => "f".to_string(),
        _ => cubes.join(" | "),
    }
}
