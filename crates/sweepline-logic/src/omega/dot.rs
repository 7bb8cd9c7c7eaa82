//! Automata as pictures, in the language of Graphviz.

use std::fmt::Write;

use super::{Cube, Guard, Letter, Marks, OmegaAutomaton};

impl OmegaAutomaton {
    /// The automaton as a graph in the DOT language: edges carry what they read and, in braces, the acceptance sets they are in.
    pub fn to_dot(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_dot(&mut text);
        text
    }

    fn write_dot(&self, out: &mut String) -> std::fmt::Result {
        writeln!(
            out,
            "digraph automaton {{\n  rankdir=LR;\n  node [shape=circle];"
        )?;
        for (number, state) in self.initial.iter().enumerate() {
            writeln!(out, "  start{number} [shape=point];")?;
            writeln!(out, "  start{number} -> {};", state.0)?;
        }
        for (state, edges) in self.edges.iter().enumerate() {
            writeln!(out, "  {state};")?;
            for edge in edges {
                let label = self
                    .label(&edge.guard)
                    .replace('\\', "\\\\")
                    .replace('"', "\\\"");
                let sets = (0..Marks::BITS).filter(|set| edge.marks >> set & 1 == 1);
                let sets: Vec<String> = sets.map(|set| set.to_string()).collect();
                let sets = match sets.len() {
                    0 => String::new(),
                    _ => format!("\\n{{{}}}", sets.join(", ")),
                };
                writeln!(
                    out,
                    "  {state} -> {} [label=\"{label}{sets}\"];",
                    edge.target.0
                )?;
            }
        }
        writeln!(out, "}}")
    }

    /// A guard as a predicate.
    fn label(&self, guard: &Guard) -> String {
        let literal = |cube: &Cube, atom: u32| {
            let name = &self.atoms[atom as usize];
            match (cube.holds >> atom & 1, cube.fails >> atom & 1) {
                (1, _) => Some(name.to_string()),
                (_, 1) => Some(format!("not {name}")),
                _ => None,
            }
        };
        let cube = |cube: &Cube| {
            let literals = (0..Letter::BITS).filter_map(|atom| literal(cube, atom));
            let literals: Vec<String> = literals.collect();
            match literals.len() {
                0 => "true".to_string(),
                _ => literals.join(" and "),
            }
        };
        let cubes: Vec<String> = guard.cubes().iter().map(cube).collect();
        match cubes.len() {
            0 => "false".to_string(),
            _ => cubes.join(" or "),
        }
    }
}
