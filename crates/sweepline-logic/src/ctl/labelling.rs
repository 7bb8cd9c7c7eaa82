//! Which states of a small graph satisfy a formula, by the definition. Naive on purpose: others are compared with it.

use super::formula::{Branching, PathBinary, PathUnary, Quantifier};

/// A finite graph whose states satisfy atoms. A state without successors ends the runs that reach it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kripke {
    /// The successors of each state.
    pub successors: Vec<Vec<usize>>,
    /// The atoms each state satisfies, as bits.
    pub atoms: Vec<u64>,
}

/// Which states satisfy a formula.
///
/// ```
/// use sweepline_logic::ctl::{Kripke, label};
/// use sweepline_logic::parse_ctl;
///
/// // From 0 to 1 and back, and from 0 to 2, which is the end.
/// let graph = Kripke { successors: vec![vec![1, 2], vec![0], vec![]], atoms: vec![0, 1, 0] };
/// let holds = |text: &str| label(&graph, &parse_ctl(text).unwrap().ctl.formula);
/// assert_eq!(holds("EF p"), [true, true, false]);
/// assert_eq!(holds("AF p"), [false, true, false]);
/// assert_eq!(holds("p or AX false"), [false, true, true]);
/// ```
pub fn label(graph: &Kripke, formula: &Branching) -> Vec<bool> {
    let states = graph.atoms.len();
    let sub = |operand: &Branching| label(graph, operand);
    let each = |test: &dyn Fn(usize) -> bool| (0..states).map(test).collect::<Vec<bool>>();
    match formula {
        Branching::Constant(value) => vec![*value; states],
        Branching::Atom(atom) => each(&|state| graph.atoms[state] >> atom & 1 == 1),
        Branching::Not(operand) => {
            let operand = sub(operand);
            each(&|state| !operand[state])
        }
        Branching::And(parts) => {
            let parts: Vec<_> = parts.iter().map(sub).collect();
            each(&|state| parts.iter().all(|part| part[state]))
        }
        Branching::Or(parts) => {
            let parts: Vec<_> = parts.iter().map(sub).collect();
            each(&|state| parts.iter().any(|part| part[state]))
        }
        Branching::Implies(a, b) => {
            let (a, b) = (sub(a), sub(b));
            each(&|state| !a[state] || b[state])
        }
        Branching::Iff(a, b) => {
            let (a, b) = (sub(a), sub(b));
            each(&|state| a[state] == b[state])
        }
        Branching::Unary(Quantifier::Exists, PathUnary::Next, operand) => {
            let operand = sub(operand);
            each(&|state| graph.successors[state].iter().any(|&next| operand[next]))
        }
        Branching::Unary(Quantifier::Forall, PathUnary::Next, operand) => {
            let operand = sub(operand);
            each(&|state| graph.successors[state].iter().all(|&next| operand[next]))
        }
        Branching::Unary(quantifier, op, operand) => {
            let (yes, no) = (vec![true; states], vec![false; states]);
            match op {
                PathUnary::Finally => until(graph, *quantifier, &yes, &sub(operand), false),
                _ => until(graph, *quantifier, &sub(operand), &no, true),
            }
        }
        Branching::Binary(quantifier, op, a, b) => {
            let (a, b) = (sub(a), sub(b));
            let both = each(&|state| a[state] && b[state]);
            match op {
                PathBinary::Until => until(graph, *quantifier, &a, &b, false),
                PathBinary::WeakUntil => until(graph, *quantifier, &a, &b, true),
                PathBinary::Release => until(graph, *quantifier, &b, &both, true),
                PathBinary::StrongRelease => until(graph, *quantifier, &b, &both, false),
            }
        }
    }
}

/// The least or the greatest set of states with `b`, or with `a` and some or all successors in the set. Where a run ends, `a` is
/// enough for the greatest.
fn until(graph: &Kripke, quantifier: Quantifier, a: &[bool], b: &[bool], weak: bool) -> Vec<bool> {
    let mut set = vec![weak; a.len()];
    loop {
        let goes_on = |state: usize| {
            let mut successors = graph.successors[state].iter();
            match quantifier {
                _ if successors.len() == 0 => weak,
                Quantifier::Exists => successors.any(|&next| set[next]),
                Quantifier::Forall => successors.all(|&next| set[next]),
            }
        };
        let next: Vec<bool> = (0..a.len())
            .map(|state| b[state] || a[state] && goes_on(state))
            .collect();
        if next == set {
            return set;
        }
        set = next;
    }
}
