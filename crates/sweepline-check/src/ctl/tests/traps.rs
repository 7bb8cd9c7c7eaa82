//! Cases in which something went wrong, or easily does.

use std::sync::Arc;

use sweepline_core::{ActionId, StopReason};
use sweepline_explore::LogPlace;
use sweepline_logic::ctl::Branching;
use sweepline_logic::{Pred, parse_ctl};

use super::random::{Asked, naive, prepare};
use crate::ctl::BranchStatus;
use crate::ctl::branches::Reason;
use crate::ctl::proof::Way;
use crate::ltl::tests::journey::Journey;
use crate::ltl::tests::model::{METHODS, Method, Model};
use crate::ltl::{Assumption, LivenessOptions};

/// A formula over atoms called `a` and `b`, which are the labels of the models, and `deadlock`.
pub fn formula(text: &str) -> Branching {
    let ctl = parse_ctl(text).unwrap().ctl;
    rename(&ctl.formula, &|atom| model_atom(&ctl.atoms[atom as usize]))
}

fn model_atom(pred: &Pred) -> Branching {
    let each = |parts: &[Pred]| parts.iter().map(model_atom).collect();
    match pred {
        Pred::Not(inner) => model_atom(inner).negated(),
        Pred::Or(parts) => Branching::Or(each(parts)),
        Pred::And(parts) => Branching::And(each(parts)),
        Pred::Deadlock => Branching::Atom(3),
        Pred::Holds(name) => Branching::Atom(u32::from(name.text == "b")),
        pred => panic!("{pred} is no atom here"),
    }
}

fn rename(formula: &Branching, renamed: &dyn Fn(u32) -> Branching) -> Branching {
    let one = |part: &Branching| Box::new(rename(part, renamed));
    let each = |parts: &[Branching]| parts.iter().map(|part| rename(part, renamed)).collect();
    match formula {
        Branching::Constant(value) => Branching::Constant(*value),
        Branching::Atom(atom) => renamed(*atom),
        Branching::Not(part) => Branching::Not(one(part)),
        Branching::And(parts) => Branching::And(each(parts)),
        Branching::Or(parts) => Branching::Or(each(parts)),
        Branching::Implies(a, b) => Branching::Implies(one(a), one(b)),
        Branching::Iff(a, b) => Branching::Iff(one(a), one(b)),
        Branching::Unary(quantifier, op, part) => Branching::Unary(*quantifier, *op, one(part)),
        Branching::Binary(quantifier, op, a, b) => {
            Branching::Binary(*quantifier, *op, one(a), one(b))
        }
    }
}

fn status(model: &Model, text: &str, method: Method, window: u64) -> BranchStatus {
    status_of(model, &asked(text), method, window)
}

/// A formula of all runs.
fn asked(text: &str) -> Asked {
    Asked {
        formulas: vec![formula(text)],
        assumptions: Vec::new(),
        certify: false,
    }
}

pub fn status_of(model: &Model, asked: &Asked, method: Method, window: u64) -> BranchStatus {
    let model = Arc::new(model.clone());
    let journey = Journey {
        bits: None,
        method,
        window,
        story: Vec::new(),
    };
    let options = LivenessOptions {
        columns_only: journey.has_columns_only(),
        ..LivenessOptions::default()
    };
    let mut liveness = prepare(&model, None, asked, options);
    let complete = journey.explore(&model, &mut liveness).unwrap();
    liveness.finish(complete).unwrap();
    liveness.branch_statuses().next().unwrap().clone()
}

pub fn decided(status: &BranchStatus) -> Option<bool> {
    match status {
        BranchStatus::Decided(truth, _) => Some(*truth),
        _ => None,
    }
}

/// With every measure and small windows.
fn check(model: &Model, text: &str, expected: bool) {
    assert_eq!(naive(model, &[], &formula(text)), expected, "{text}");
    for method in METHODS {
        for window in 0..3 {
            let status = status(model, text, method, window);
            assert_eq!(decided(&status), Some(expected), "{text} {method:?}");
        }
    }
}

/// With a window, edges against the order may end at states that are not persistent.
#[test]
fn a_window_keeps_states_that_edges_lead_back_to() {
    let mut model = Model::plain(&[&[1, 1], &[0, 1]], &[1, 0]);
    model.rows = [vec![2, 3], vec![2, 3]];
    for text in ["EX E[!a U E[a U a]]", "AX !a", "EX EX a", "AG EF a"] {
        let expected = naive(&model, &[], &formula(text));
        check(&model, text, expected);
    }
    check(&model, "EX E[!a U E[a U a]]", true);
}

/// A run that ends has no next state here, while it stays where it is in linear time.
#[test]
fn runs_end_in_deadlocks() {
    let end = Model::plain(&[&[]], &[1]);
    for (text, expected) in [
        ("AX false", true),
        ("EX true", false),
        ("EG a", true),
        ("AF a", true),
        ("EG b", false),
        ("AG a", true),
        ("AF b", false),
        ("A[a U b]", false),
        ("A[a W b]", true),
        ("E[b R a]", true),
        ("E[b M a]", false),
        ("EG AX false", true),
    ] {
        check(&end, text, expected);
    }
    let way = Model::plain(&[&[1], &[2], &[]], &[1, 1, 0]);
    check(&way, "AF AX false", true);
    check(&way, "A[a U AX false]", true);
    check(&way, "EG a", false);
    check(&way, "EG (a or deadlock)", true);
}

#[test]
fn until_needs_its_way() {
    // From 0 to 1, where b is inevitable; a does not hold in 0.
    let model = Model::plain(&[&[1], &[2], &[2]], &[0, 0, 2]);
    check(&model, "AF b", true);
    check(&model, "E[a U AF b]", true);
    // Now something else than b is possible too, and only a leads to where b is inevitable.
    let model = Model::plain(&[&[1, 3], &[2], &[2], &[3]], &[1, 0, 2, 0]);
    check(&model, "AF b", false);
    check(&model, "E[a U AF b]", true);
}

/// The thesis objects to any terminal component that violates p.
#[test]
fn one_terminal_component_is_enough() {
    let model = Model::plain(&[&[1, 2], &[1], &[2]], &[0, 1, 0]);
    check(&model, "EF AG a", true);
    check(&model, "AG EF a", false);
    check(&model, "EF AG !a", true);
    check(&model, "AG EF AG a or EF AG !a", true);
}

#[test]
fn all_initial_states_count() {
    let mut model = Model::plain(&[&[0], &[1]], &[1, 0]);
    model.initial = vec![0, 1];
    check(&model, "EF a", false);
    check(&model, "!EF a", false);
    check(&model, "EF a or AG !a", true);
}

#[test]
fn faulty_states_are_unknown() {
    let mut model = Model::plain(&[&[1, 2], &[1], &[2]], &[0, 1, 0]);
    model.faulty = Some(2);
    let status = |text| status(&model, text, Method::Full, 0);
    assert_eq!(decided(&status("EF a")), Some(true));
    assert!(matches!(status("AG EF a"), BranchStatus::Open(_)));
    assert!(matches!(status("AF a"), BranchStatus::Open(_)));
    for (text, parts) in [
        ("EX a and (b or not AF a)", &["AF "][..]),
        // What is unknown only in the faulty state is not counted.
        ("AG (b or EF a)", &["AG "]),
        // Layers do not say where it is.
        ("AG EF a", &["EF "]),
        ("AX AX a", &["AX AX "]),
        // It is not known whether runs go on from there.
        ("AG (EX true or EF b)", &["AG "]),
    ] {
        let BranchStatus::Open(undecided) = status(text) else {
            panic!("{text} is decided")
        };
        let named = undecided.iter().zip(parts);
        assert_eq!(undecided.len(), parts.len(), "{text}: {undecided:?}");
        for (undecided, part) in named {
            assert!(undecided.starts_with(part), "{text}: {undecided}");
        }
    }
}

/// A path that is too long to be found is no reason to say that all runs are alike.
#[test]
fn long_paths_may_not_be_found() {
    let targets: Vec<usize> = (1..=64).collect();
    let mut edges: Vec<&[usize]> = targets.chunks(1).collect();
    edges.push(&[]);
    let mut labels = [0; 65];
    labels[64] = 1;
    let status = status(&Model::plain(&edges, &labels), "EF EX a", Method::Full, 0);
    let BranchStatus::Decided(true, reason) = status else {
        panic!("{status:?}")
    };
    let Reason::Proof { proof, .. } = *reason else {
        panic!("{reason:?}")
    };
    assert_eq!(proof.way, Way::Unfound);
}

/// What waits while the measure changes may wait still when it changes again.
#[test]
fn measures_may_change_twice() {
    let mut model = Model::plain(&[&[], &[0]], &[0, 1]);
    model.initial = vec![1, 0];
    model.rows = [vec![0, 0], vec![0, 1]];
    let model = Arc::new(model);
    for stops in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)] {
        for place in [LogPlace::Off, LogPlace::Temporary] {
            let options = LivenessOptions {
                place,
                ..LivenessOptions::default()
            };
            let mut liveness = prepare(&model, None, &asked("a or AX false"), options);
            let journey = Journey {
                bits: None,
                method: Method::Full,
                window: 0,
                story: vec![
                    (stops.0, vec![Method::Rows(1)]),
                    (stops.1, vec![Method::Full]),
                ],
            };
            let complete = journey.explore(&model, &mut liveness).unwrap();
            liveness.finish(complete).unwrap();
            let statuses: Vec<_> = liveness.branch_statuses().map(decided).collect();
            assert_eq!(statuses, [Some(true)], "{stops:?}");
        }
    }
}

/// Links that cannot be kept on disk decide nothing, and it is said why.
#[test]
fn a_tape_that_is_lost_decides_nothing() {
    let edges: Vec<Vec<usize>> = (0..200).map(|state| vec![(state + 1) % 200]).collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let model = Arc::new(Model::plain(&edges, &[0; 200]));
    let options = LivenessOptions {
        place: LogPlace::Directory("/no/such/directory".into()),
        ..LivenessOptions::default()
    };
    let mut liveness = prepare(&model, None, &asked("AG EF a"), options);
    let journey = Journey {
        bits: None,
        method: Method::Full,
        window: 0,
        story: Vec::new(),
    };
    let complete = journey.explore(&model, &mut liveness).unwrap();
    let _ = liveness.finish(complete);
    let status = liveness.branch_statuses().next().unwrap();
    assert!(matches!(status, BranchStatus::Open(_)), "{status:?}");
    let why = liveness.branches_given_up().unwrap().to_string();
    assert!(why.contains("could not be kept on disk"), "{why}");
}

/// What is found on the way does not wait for the end.
#[test]
fn a_beginning_is_enough_to_decide() {
    // An endless corridor would be explored otherwise.
    let corridor: Vec<Vec<usize>> = (0..500).map(|state| vec![state + 1]).collect();
    let mut edges: Vec<&[usize]> = corridor.iter().map(Vec::as_slice).collect();
    edges.push(&[]);
    let labels: Vec<u8> = (0..501).map(|state| u8::from(state == 3)).collect();
    let model = Arc::new(Model::plain(&edges, &labels));
    let asked = asked("AX AF a");
    let mut liveness = prepare(&model, None, &asked, LivenessOptions::default());
    let journey = Journey {
        bits: None,
        method: Method::Full,
        window: 0,
        story: Vec::new(),
    };
    assert!(!journey.explore(&model, &mut liveness).unwrap());
    assert!(liveness.is_decided());
}

/// Everything may have been expanded when it is labelled on the way: what is not computed to the end then is not false.
#[test]
fn what_is_closed_is_labelled_to_the_end() {
    // All steps but those of 0 lead to a smaller number, so that a pass decides little; after 64 expansions there is a try.
    let steps: Vec<Vec<usize>> = (0..64_usize)
        .map(|state| match state {
            0 => (1..64).collect(),
            1 => vec![1],
            _ => vec![state - 1],
        })
        .collect();
    let edges: Vec<&[usize]> = steps.iter().map(Vec::as_slice).collect();
    let labels: Vec<u8> = (0..64).map(|state| u8::from(state == 1)).collect();
    let model = Model::plain(&edges, &labels);
    check(&model, "AG EF a", true);
    check(&model, "AG AF a", true);
    check(&model, "EX EG !a", false);
}

/// What there is no room for is not decided, and it is said why: fair runs are looked for among links in memory, and certificates
/// need them too.
#[test]
fn what_does_not_fit_stays_open() {
    let edges: Vec<Vec<usize>> = (0..2000).map(|state| vec![(state + 1) % 2000]).collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let model = Arc::new(Model::plain(&edges, &[0; 2000]));
    let decide = |assumptions: &[Assumption], memory| {
        let asked = Asked {
            assumptions: assumptions.to_vec(),
            certify: true,
            ..asked("AG !a")
        };
        let options = LivenessOptions {
            memory,
            place: LogPlace::Temporary,
            ..LivenessOptions::default()
        };
        let mut liveness = prepare(&model, None, &asked, options);
        let journey = Journey {
            bits: None,
            method: Method::Full,
            window: 0,
            story: Vec::new(),
        };
        let complete = journey.explore(&model, &mut liveness).unwrap();
        liveness.finish(complete).unwrap();
        let truth = decided(liveness.branch_statuses().next().unwrap());
        (truth, liveness.branches_given_up().cloned())
    };
    for assumptions in [vec![], vec![Assumption::Weak(vec![ActionId(0)])]] {
        assert_eq!(decide(&assumptions, 1 << 20), (Some(true), None));
        let given_up = Some(StopReason::OutOfMemory);
        assert_eq!(decide(&assumptions, 18_000), (None, given_up));
    }
}
