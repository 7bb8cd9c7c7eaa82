//! Formulas of branching time under fairness, by definition.

use sweepline_core::ActionId;
use sweepline_logic::ctl::{Branching, PathBinary, PathUnary, Quantifier};
use sweepline_logic::omega::{Acceptance, Guard, OmegaAutomaton, OmegaEdge, OmegaState};

use super::random::Asked;
use super::traps::{decided, formula, status_of};
use crate::ltl::Assumption;
use crate::ltl::tests::brute::violates;
use crate::ltl::tests::model::{METHODS, Model};

/// Where a formula holds if only fair runs count: one operator after the other, runs by brute force.
pub fn labels(model: &Model, assumptions: &[Assumption], formula: &Branching) -> Vec<bool> {
    let fair = staying(model, assumptions, &vec![true; model.edges.len()]);
    Naive {
        model,
        assumptions,
        fair,
    }
    .label(formula)
}

/// Where a fair run starts that stays in these states.
fn staying(model: &Model, assumptions: &[Assumption], states: &[bool]) -> Vec<bool> {
    let everything = OmegaAutomaton {
        atoms: Vec::new(),
        initial: vec![OmegaState(0)],
        edges: vec![vec![OmegaEdge {
            guard: Guard::any(),
            target: OmegaState(0),
            marks: 0,
        }]],
        sets: 0,
        acceptance: Acceptance::all(0),
    };
    let mut nodes = model.nodes(0);
    for (state, node) in nodes.iter_mut().enumerate() {
        node.letter = states[state].then(|| model.letter(state));
    }
    let starts = 0..states.len();
    starts
        .map(|start| states[start] && violates(&nodes, &[start], &everything, assumptions))
        .collect()
}

struct Naive<'m> {
    model: &'m Model,
    assumptions: &'m [Assumption],
    fair: Vec<bool>,
}

impl Naive<'_> {
    fn each(&self, holds: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.fair.len()).map(holds).collect()
    }

    fn label(&self, formula: &Branching) -> Vec<bool> {
        let not = |label: Vec<bool>| -> Vec<bool> { label.iter().map(|holds| !holds).collect() };
        let of = |parts: &[Branching]| -> Vec<Vec<bool>> {
            parts.iter().map(|part| self.label(part)).collect()
        };
        match formula {
            Branching::Constant(value) => self.each(|_| *value),
            Branching::Atom(atom) => self.each(|state| self.model.letter(state) >> atom & 1 == 1),
            Branching::Not(operand) => not(self.label(operand)),
            Branching::And(parts) => {
                let parts = of(parts);
                self.each(|state| parts.iter().all(|part| part[state]))
            }
            Branching::Or(parts) => {
                let parts = of(parts);
                self.each(|state| parts.iter().any(|part| part[state]))
            }
            Branching::Implies(a, b) => {
                let (a, b) = (self.label(a), self.label(b));
                self.each(|state| !a[state] || b[state])
            }
            Branching::Iff(a, b) => {
                let (a, b) = (self.label(a), self.label(b));
                self.each(|state| a[state] == b[state])
            }
            Branching::Unary(Quantifier::Exists, op, operand) => {
                let operand = self.label(operand);
                match op {
                    PathUnary::Next => self.next(&operand),
                    PathUnary::Finally => self.until(&self.each(|_| true), &operand),
                    PathUnary::Globally => staying(self.model, self.assumptions, &operand),
                }
            }
            Branching::Binary(Quantifier::Exists, op, a, b) => {
                let (a, b) = (self.label(a), self.label(b));
                let both = self.each(|state| a[state] && b[state]);
                let (way, goal, weak) = match op {
                    PathBinary::Until => (a, b, false),
                    PathBinary::WeakUntil => (a, b, true),
                    PathBinary::Release => (b, both, true),
                    PathBinary::StrongRelease => (b, both, false),
                };
                let until = self.until(&way, &goal);
                let stays = staying(self.model, self.assumptions, &way);
                self.each(|state| until[state] || weak && stays[state])
            }
            // All runs satisfy it if none satisfies its negation.
            Branching::Unary(Quantifier::Forall, op, operand) => {
                let negated = operand.as_ref().clone().negated();
                let op = match op {
                    PathUnary::Next => PathUnary::Next,
                    PathUnary::Finally => PathUnary::Globally,
                    PathUnary::Globally => PathUnary::Finally,
                };
                not(self.label(&negated.under(Quantifier::Exists, op)))
            }
            Branching::Binary(Quantifier::Forall, op, a, b) => {
                let (a, b) = (a.as_ref().clone().negated(), b.as_ref().clone().negated());
                let op = match op {
                    PathBinary::Until => PathBinary::Release,
                    PathBinary::WeakUntil => PathBinary::StrongRelease,
                    PathBinary::Release => PathBinary::Until,
                    PathBinary::StrongRelease => PathBinary::WeakUntil,
                };
                not(self.label(&a.with(Quantifier::Exists, op, b)))
            }
        }
    }

    fn next(&self, operand: &[bool]) -> Vec<bool> {
        self.each(|state| {
            let mut steps = self.model.edges[state].iter();
            steps.any(|&(_, target)| operand[target] && self.fair[target])
        })
    }

    fn until(&self, way: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut found = self.each(|state| goal[state] && self.fair[state]);
        for _ in 0..found.len() {
            let next = self.next(&found);
            found = self.each(|state| found[state] || way[state] && next[state]);
        }
        found
    }
}

/// With every measure and small windows.
fn check(model: &Model, assumptions: &[Assumption], text: &str, expected: bool) {
    let naive = labels(model, assumptions, &formula(text));
    assert_eq!(naive[model.initial[0]], expected, "{text}");
    for method in METHODS {
        for window in 0..3 {
            let asked = Asked {
                formulas: vec![formula(text)],
                assumptions: assumptions.to_vec(),
                certify: false,
            };
            let status = status_of(model, &asked, method, window);
            assert_eq!(decided(&status), Some(expected), "{text} {method:?}");
        }
    }
}

/// From 0 one can wait in 0 or go to 1 and back; a holds in 1.
#[test]
fn only_fair_runs_count() {
    let model = Model::plain(&[&[0, 1], &[0]], &[0, 1]);
    check(&model, &[], "AF a", false);
    let recurs = [Assumption::Recurs(0)];
    check(&model, &recurs, "AF a", true);
    check(&model, &recurs, "EG !a", false);
    check(&model, &recurs, "AG AF a", true);
    check(&model, &recurs, "AG AF !a", true);
    // The second step of 0 is enabled again and again, but also for ever if the run waits there.
    let actions = vec![ActionId(1)];
    check(&model, &[Assumption::Weak(actions.clone())], "AF a", true);
    check(&model, &[Assumption::Strong(actions)], "AF a", true);
}

#[test]
fn strong_fairness_asks_for_more_than_weak_fairness() {
    // The step to 2 is possible in 0 only, and the run may go round between 0 and 1.
    let model = Model::plain(&[&[1, 2], &[0], &[2]], &[0, 0, 1]);
    let actions = vec![ActionId(1)];
    check(&model, &[Assumption::Weak(actions.clone())], "AF a", false);
    check(&model, &[Assumption::Strong(actions)], "AF a", true);
}

/// A run that ends stays where it is, as far as fairness is concerned; it has no next state all the same.
#[test]
fn runs_that_end_are_fair_if_they_may_stay() {
    let model = Model::plain(&[&[0, 1], &[]], &[0, 1]);
    check(&model, &[Assumption::Recurs(0)], "AF a", true);
    check(&model, &[Assumption::Recurs(0)], "AF AX false", true);
    check(&model, &[Assumption::Recurs(0)], "EX EX true", true);
    check(&model, &[Assumption::Recurs(0)], "EX a", true);
    // No run that ends is fair now, and so the end is nowhere to be seen.
    check(&model, &[Assumption::Recurs(1)], "EF a", false);
    check(&model, &[Assumption::Recurs(1)], "AX false", true);
    let taken = [Assumption::Strong(vec![ActionId(1)])];
    check(&model, &taken, "AF a", true);
    check(&model, &taken, "AF AX false", true);
}
