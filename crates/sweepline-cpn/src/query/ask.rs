//! Formulas of ASK-CTL, and how fair a state space is.
//!
//! Formulas are about markings or about arcs; `MODAL` leads from one to the other. Runs are maximal: one that ends, ends in a
//! dead marking.

use super::Answer;
use crate::ml::{Machine, Value};
use crate::report::{Fairness, Graph};

/// Levels of a formula, so that none exhausts the stack.
const LEVELS: usize = 1000;

/// The constructors of formulas, in the order of their declaration.
const CONSTRUCTORS: [&str; 16] = [
    "TT",
    "FF",
    "NF",
    "AF",
    "NOT",
    "AND",
    "OR",
    "MODAL",
    "POS",
    "INV",
    "EV",
    "ALONG",
    "EXIST_NEXT",
    "FORALL_NEXT",
    "EXIST_UNTIL",
    "FORALL_UNTIL",
];

/// What a formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Markings,
    Arcs,
}

/// Evaluates what cannot be written in the language.
pub(super) struct Asker<'a> {
    graph: &'a Graph,
    machine: &'a mut Machine,
    /// The arcs that lead to each marking.
    into: Vec<Vec<u32>>,
}

impl<'a> Asker<'a> {
    pub(super) fn new(graph: &'a Graph, machine: &'a mut Machine) -> Self {
        let mut into = vec![Vec::new(); graph.states.len()];
        for (at, edge) in (0..).zip(&graph.edges) {
            into[edge.1 as usize].push(at);
        }
        Self {
            graph,
            machine,
            into,
        }
    }

    /// What a value of `answer'` stands for.
    pub(super) fn answer(&mut self, asked: Value) -> Result<Answer, String> {
        let (tag, argument) = self.parts(asked)?;
        match tag {
            0 | 1 => {
                let (formula, at) = self.parts_of_pair(argument)?;
                let about = [About::Markings, About::Arcs][usize::from(tag == 1)];
                let holds = self.formula(formula, about, 0)?;
                let at = at.as_int().and_then(|at| usize::try_from(at - 1).ok());
                let value = at.and_then(|at| holds.get(at).copied());
                value
                    .map(Answer::Truth)
                    .ok_or_else(|| "there is no such node".to_owned())
            }
            _ => {
                let arcs = self.machine.values().elements(argument);
                let mut own = vec![false; self.graph.edges.len()];
                for at in arcs.filter_map(Value::as_int) {
                    if let Some(own) = usize::try_from(at - 1).ok().and_then(|at| own.get_mut(at)) {
                        *own = true;
                    }
                }
                let fairness = self.graph.fairness_of(&|edge| own[edge]);
                Ok(match tag {
                    2 => Answer::Value(fairness.to_string()),
                    3 => Answer::Truth(fairness == Fairness::Impartial),
                    4 => Answer::Truth(matches!(fairness, Fairness::Impartial | Fairness::Fair)),
                    _ => Answer::Truth(fairness != Fairness::None),
                })
            }
        }
    }

    /// The position of a constructor and its argument.
    fn parts(&self, value: Value) -> Result<(usize, Value), String> {
        let (tag, argument) = match self.machine.values().fields(value) {
            [tag, argument] => (*tag, *argument),
            _ => (value, Value::UNIT),
        };
        let tag = tag.as_int().and_then(|tag| usize::try_from(tag).ok());
        Ok((tag.ok_or("this is no formula")?, argument))
    }

    fn parts_of_pair(&self, value: Value) -> Result<(Value, Value), String> {
        match self.machine.values().fields(value) {
            [first, second] => Ok((*first, *second)),
            _ => Err("this is no pair".to_owned()),
        }
    }

    /// Where a formula holds: for each marking, or for each arc.
    fn formula(&mut self, formula: Value, about: About, level: usize) -> Result<Vec<bool>, String> {
        if level > LEVELS {
            return Err(format!(
                "the formula is nested more than {LEVELS} levels deep"
            ));
        }
        let (tag, argument) = self.parts(formula)?;
        let name = *CONSTRUCTORS.get(tag).ok_or("this is no formula")?;
        let count = self.count(about);
        let all = || vec![true; count];
        let negated = |mut holds: Vec<bool>| {
            for holds in &mut holds {
                *holds = !*holds;
            }
            holds
        };
        Ok(match name {
            "TT" => all(),
            "FF" => vec![false; count],
            "NF" | "AF" => {
                let wanted = if name == "NF" {
                    About::Markings
                } else {
                    About::Arcs
                };
                if about != wanted {
                    return Err(match about {
                        About::Markings => "AF is about arcs, and stands where markings are meant: write MODAL around it",
                        About::Arcs => "NF is about markings, and stands where arcs are meant: write MODAL around it",
                    }
                    .to_owned());
                }
                let (_, function) = self.parts_of_pair(argument)?;
                self.tested(function, count)?
            }
            "AND" | "OR" | "EXIST_UNTIL" | "FORALL_UNTIL" => {
                let (left, right) = self.parts_of_pair(argument)?;
                let left = self.formula(left, about, level + 1)?;
                let right = self.formula(right, about, level + 1)?;
                let both = left.iter().zip(&right);
                match name {
                    "AND" => both.map(|(a, b)| *a && *b).collect(),
                    "OR" => both.map(|(a, b)| *a || *b).collect(),
                    "EXIST_UNTIL" => self.some_run(&left, right, about),
                    _ => self.all_runs(&left, right, about),
                }
            }
            "MODAL" => {
                let other = match about {
                    About::Markings => About::Arcs,
                    About::Arcs => About::Markings,
                };
                let inner = self.formula(argument, other, level + 1)?;
                match about {
                    About::Markings => (0..count)
                        .map(|state| self.graph.edges_of(state).any(|edge| inner[edge]))
                        .collect(),
                    About::Arcs => {
                        let edges = self.graph.edges.iter();
                        edges.map(|edge| inner[edge.1 as usize]).collect()
                    }
                }
            }
            _ => {
                let inner = self.formula(argument, about, level + 1)?;
                match name {
                    "NOT" => negated(inner),
                    "POS" => self.some_run(&all(), inner, about),
                    "INV" => negated(self.some_run(&all(), negated(inner), about)),
                    "EV" => self.all_runs(&all(), inner, about),
                    "ALONG" => negated(self.all_runs(&all(), negated(inner), about)),
                    "EXIST_NEXT" => self.next(&inner, about),
                    _ => negated(self.next(&negated(inner), about)),
                }
            }
        })
    }

    fn count(&self, about: About) -> usize {
        match about {
            About::Markings => self.graph.states.len(),
            About::Arcs => self.graph.edges.len(),
        }
    }

    /// Where a function of the language is true.
    fn tested(&mut self, function: Value, count: usize) -> Result<Vec<bool>, String> {
        let numbers = 1..=i64::try_from(count).unwrap_or(i64::MAX);
        let tests = numbers.map(|number| {
            let number = Value::int(number).ok_or("there are too many markings")?;
            let value = self.machine.apply_once(function, number);
            let value = value.map_err(|failure| failure.to_string())?;
            Ok(value == Value::TRUE)
        });
        tests.collect()
    }

    /// How many come directly behind one.
    fn behind(&self, at: usize, about: About) -> usize {
        let state = match about {
            About::Markings => at,
            About::Arcs => self.graph.edges[at].1 as usize,
        };
        self.graph.edges_of(state).len()
    }

    /// Those directly before one, once for each way.
    fn before(&self, at: usize, about: About) -> impl Iterator<Item = usize> + '_ {
        let state = match about {
            About::Markings => at,
            About::Arcs => self.graph.edges[at].0 as usize,
        };
        self.into[state].iter().map(move |&edge| match about {
            About::Markings => self.graph.edges[edge as usize].0 as usize,
            About::Arcs => edge as usize,
        })
    }

    fn next(&self, inner: &[bool], about: About) -> Vec<bool> {
        let mut holds = vec![false; inner.len()];
        for at in (0..inner.len()).filter(|&at| inner[at]) {
            for before in self.before(at, about) {
                holds[before] = true;
            }
        }
        holds
    }

    /// Some run is in `left` until it is in `right`.
    fn some_run(&self, left: &[bool], right: Vec<bool>, about: About) -> Vec<bool> {
        let mut holds = right;
        let mut waiting: Vec<usize> = (0..holds.len()).filter(|&at| holds[at]).collect();
        while let Some(at) = waiting.pop() {
            for before in self.before(at, about) {
                if left[before] && !holds[before] {
                    holds[before] = true;
                    waiting.push(before);
                }
            }
        }
        holds
    }

    /// All runs are in `left` until they are in `right`, which they are at some time.
    fn all_runs(&self, left: &[bool], right: Vec<bool>, about: About) -> Vec<bool> {
        let mut holds = right;
        let mut open: Vec<usize> = (0..holds.len()).map(|at| self.behind(at, about)).collect();
        let mut waiting: Vec<usize> = (0..holds.len()).filter(|&at| holds[at]).collect();
        while let Some(at) = waiting.pop() {
            for before in self.before(at, about) {
                open[before] -= 1;
                if open[before] == 0 && left[before] && !holds[before] {
                    holds[before] = true;
                    waiting.push(before);
                }
            }
        }
        holds
    }
}
