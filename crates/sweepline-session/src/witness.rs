//! Evidence for formulas of branching time in words, as data and as a picture.

use std::fmt::Write;

use serde_json::{Value, json};
use sweepline_check::ctl::{How, Witness};
use sweepline_core::Describe;

use crate::trace::ShownTrace;
use crate::units;

/// A witness in words: a tree of statements about states, with paths between them.
#[derive(Clone, Debug)]
pub struct ShownWitness {
    formula: String,
    truth: bool,
    how: How,
    path: ShownTrace,
    because: Vec<(usize, ShownWitness)>,
    left_out: usize,
}

/// Steps whose names are listed.
const LISTED: usize = 6;

impl ShownWitness {
    /// Puts a witness in a system into words.
    pub fn new(witness: &Witness, system: &dyn Describe) -> Self {
        let because = witness.because.iter();
        Self {
            formula: witness.formula.clone(),
            truth: witness.truth,
            how: witness.how,
            path: ShownTrace::new(&witness.trace, system),
            because: because
                .map(|(at, one)| (*at, Self::new(one, system)))
                .collect(),
            left_out: witness.left_out,
        }
    }

    /// One line for each statement, indented by what it is a reason for.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.add_lines(0, "", &mut lines);
        lines
    }

    fn add_lines(&self, depth: usize, place: &str, lines: &mut Vec<String>) {
        let indent = "  ".repeat(depth);
        let truth = if self.truth { "true" } else { "false" };
        let how = self.how_in_words();
        lines.push(format!("{indent}{place}{} is {truth}{how}", self.formula));
        for (at, one) in &self.because {
            let place = match (at, self.path.steps.is_empty()) {
                (_, true) => String::new(),
                (0, _) => "at its start, ".to_owned(),
                (at, _) if *at == self.path.steps.len() => "at its end, ".to_owned(),
                (at, _) => format!("after step {at}, "),
            };
            one.add_lines(depth + 1, &place, lines);
        }
        lines.extend(self.rest_in_words().map(|rest| format!("{indent}  {rest}")));
    }

    /// That something is left out, if it is.
    fn rest_in_words(&self) -> Option<String> {
        match self.left_out {
            0 => None,
            1 => Some("1 more reason is left out".into()),
            many => Some(format!(
                "{} are left out",
                units::counted(many as u64, "more reason")
            )),
        }
    }

    fn how_in_words(&self) -> String {
        let steps = self.path.steps.len();
        match self.how {
            How::State => String::new(),
            How::Path if steps == 0 => String::new(),
            How::Path => format!(": along {}", self.path_in_words()),
            How::End if steps == 0 => ": nothing can happen here".into(),
            How::End => format!(": along {}, where nothing can happen", self.path_in_words()),
            How::Loop => {
                let start = self.path.loop_start.unwrap_or(0);
                let repeats = match steps - start {
                    1 => format!("step {steps} repeats"),
                    _ => format!("steps {} to {steps} repeat", start + 1),
                };
                format!(": along {}, and {repeats} for ever", self.path_in_words())
            }
            How::Closure(Some(states)) => {
                let states = units::counted(states as u64, "state");
                format!(", looking at all that can be reached: {states}")
            }
            How::Closure(None) => ", by all that can be reached".into(),
            How::AllRuns => ", by all runs".into(),
            How::Unfound => ", by a path that is too long to be found".into(),
        }
    }

    fn path_in_words(&self) -> String {
        let steps = &self.path.steps;
        if steps.len() > LISTED {
            return units::counted(steps.len() as u64, "step");
        }
        let names: Vec<&str> = steps.iter().map(|step| step.action.as_str()).collect();
        names.join(", ")
    }

    /// The kind of evidence, in one word.
    fn kind(&self) -> &'static str {
        match self.how {
            How::State => "state",
            How::Path => "path",
            How::End => "end",
            How::Loop => "lasso",
            How::Closure(_) => "reachable",
            How::AllRuns => "all-runs",
            How::Unfound => "unfound",
        }
    }

    /// As data: `formula`, `truth`, `by`, the path if there is one, the number of states if they were counted, and the reasons, with
    /// the number of those that are left out.
    pub fn to_json(&self) -> Value {
        let because = self.because.iter().map(|(at, one)| {
            let mut shown = one.to_json();
            shown["after"] = (*at).into();
            shown
        });
        let mut shown = json!({
            "formula": self.formula,
            "truth": self.truth,
            "by": self.kind(),
            "because": because.collect::<Vec<_>>(),
        });
        if !self.path.steps.is_empty() {
            shown["path"] = self.path.to_json();
        }
        if let How::Closure(Some(states)) = self.how {
            shown["states"] = states.into();
        }
        if self.left_out > 0 {
            shown["left_out"] = self.left_out.into();
        }
        shown
    }

    /// As a graph for Graphviz: states in the order they are met, and beside them what is true or false there.
    pub fn to_dot(&self) -> String {
        let mut dot = Dot {
            text: "digraph witness {\n  node [shape=box];\n".into(),
            nodes: 0,
        };
        let first = dot.node();
        self.draw(&mut dot, first);
        dot.text + "}\n"
    }

    fn draw(&self, dot: &mut Dot, first: usize) {
        let mut states = vec![first];
        for (at, step) in (1..).zip(&self.path.steps) {
            let closes = at == self.path.steps.len();
            let target = match self.path.loop_start.filter(|_| closes) {
                Some(start) => states[start],
                None => dot.node(),
            };
            let from = states[at - 1];
            let _ = writeln!(
                dot.text,
                "  s{from} -> s{target} [label={}];",
                quoted(&step.action)
            );
            states.push(target);
        }
        let sign = if self.truth { "" } else { "not " };
        let rest = self.rest_in_words().map(|rest| format!("; {rest}"));
        let (how, rest) = (self.how_in_words(), rest.unwrap_or_default());
        let label = quoted(&format!("{sign}{}{how}{rest}", self.formula));
        let note = dot.nodes;
        dot.nodes += 1;
        let _ = writeln!(dot.text, "  n{note} [shape=note, label={label}];");
        let _ = writeln!(
            dot.text,
            "  s{first} -> n{note} [style=dotted, arrowhead=none];"
        );
        for (at, one) in &self.because {
            one.draw(dot, states[*at]);
        }
    }
}

struct Dot {
    text: String,
    nodes: usize,
}

impl Dot {
    fn node(&mut self) -> usize {
        let node = self.nodes;
        self.nodes += 1;
        let _ = writeln!(self.text, "  s{node} [shape=circle, label=\"\"];");
        node
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::ShownStep;

    fn witness(how: How, actions: &[&str], loop_start: Option<usize>) -> ShownWitness {
        let steps = actions.iter().map(|action| ShownStep::named(action));
        ShownWitness {
            formula: "EG \"p\"".into(),
            truth: true,
            how,
            path: ShownTrace {
                initial: Vec::new(),
                steps: steps.collect(),
                loop_start,
            },
            because: Vec::new(),
            left_out: 0,
        }
    }

    #[test]
    fn every_way_has_words() {
        let check = |how, actions: &[&str], start, expected: &str| {
            assert_eq!(witness(how, actions, start).lines(), [expected]);
        };
        check(How::State, &[], None, "EG \"p\" is true");
        check(How::Path, &["a", "b"], None, "EG \"p\" is true: along a, b");
        check(
            How::End,
            &["a"],
            None,
            "EG \"p\" is true: along a, where nothing can happen",
        );
        check(
            How::Loop,
            &["a", "b"],
            Some(1),
            "EG \"p\" is true: along a, b, and step 2 repeats for ever",
        );
        check(
            How::Closure(Some(1)),
            &[],
            None,
            "EG \"p\" is true, looking at all that can be reached: 1 state",
        );
    }

    #[test]
    fn reasons_stand_where_they_matter() {
        let mut whole = witness(How::Path, &["a", "b"], None);
        whole.because.push((2, witness(How::Loop, &["c"], Some(0))));
        assert_eq!(
            whole.lines()[1],
            "  at its end, EG \"p\" is true: along c, and step 1 repeats for ever"
        );
        let json = whole.to_json();
        assert_eq!(json["because"][0]["after"], 2);
        assert_eq!(json["because"][0]["by"], "lasso");
        assert!(json.get("left_out").is_none(), "{json}");
        whole.left_out = 1200;
        assert_eq!(whole.lines()[2], "  1,200 more reasons are left out");
        assert_eq!(whole.to_json()["left_out"], 1200);
        assert!(whole.to_dot().contains("left out"));
        let dot = whole.to_dot();
        assert!(dot.contains("s2 -> s2 [label=\"c\"]"), "{dot}");
        assert!(dot.contains("EG \\\"p\\\""), "{dot}");
    }
}
