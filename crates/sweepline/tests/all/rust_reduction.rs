//! Models in Rust that declare what their actions read and write, with fewer interleavings.

use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe};

use proptest::prelude::*;
use sweepline::{
    Encode, Footprint, Look, Model, Next, Undeclared, Verdict, check, check_footprints,
};

const CELLS: usize = 5;
const VALUES: u8 = 3;

/// What happens to a cell.
#[derive(Clone, Copy, Debug)]
enum Change {
    Set(u8),
    Add(u8),
    Copy(usize),
}

/// Where all tested cells have these values, cells change.
#[derive(Clone, Debug)]
struct Rule {
    tests: Vec<(usize, u8)>,
    changes: Vec<(usize, Change)>,
    /// Where this cell has this value as well, it goes wrong.
    fails: Option<(usize, u8)>,
}

/// Cells in states of fixed or of variable size.
#[derive(Clone, Debug)]
struct Rules<S> {
    rules: Vec<Rule>,
    state: PhantomData<fn() -> S>,
}

trait Cells: Encode + Send + AsRef<[u8]> + AsMut<[u8]> + 'static {
    fn zero() -> Self;
}

impl Cells for [u8; CELLS] {
    fn zero() -> Self {
        [0; CELLS]
    }
}

impl Cells for Vec<u8> {
    fn zero() -> Self {
        vec![0; CELLS]
    }
}

impl<S: Cells> Model for Rules<S> {
    type State = S;
    type Action = usize;

    fn initial(&self) -> Vec<S> {
        vec![S::zero()]
    }

    fn steps(&self, state: &S, next: &mut Next<'_, Self>) {
        let cells = state.as_ref();
        for (number, rule) in self.rules.iter().enumerate() {
            if rule
                .tests
                .iter()
                .any(|(cell, value)| cells[*cell] != *value)
            {
                continue;
            }
            if rule.fails.is_some_and(|(cell, value)| cells[cell] == value) {
                next.fail(number, "it goes wrong");
                continue;
            }
            next.change(number, |to| {
                for (cell, change) in &rule.changes {
                    let value = match change {
                        Change::Set(value) => *value,
                        Change::Add(by) => (cells[*cell] + by) % VALUES,
                        Change::Copy(from) => cells[*from],
                    };
                    to.as_mut()[*cell] = value;
                }
            });
        }
    }
}

impl<S: Cells> Footprint for Rules<S> {
    type Kind = usize;
    type Part = usize;

    fn kinds(&self) -> Vec<usize> {
        (0..self.rules.len()).collect()
    }

    fn kind(&self, action: &usize) -> usize {
        *action
    }

    fn reads(&self, kind: &usize) -> Vec<usize> {
        let rule = &self.rules[*kind];
        let tested = rule.tests.iter().map(|(cell, _)| *cell);
        let used = rule
            .changes
            .iter()
            .filter_map(|(cell, change)| match change {
                Change::Set(_) => None,
                Change::Add(_) => Some(*cell),
                Change::Copy(from) => Some(*from),
            });
        let failing = rule.fails.iter().map(|(cell, _)| *cell);
        tested.chain(used).chain(failing).collect()
    }

    fn writes(&self, kind: &usize) -> Vec<usize> {
        self.rules[*kind]
            .changes
            .iter()
            .map(|(cell, _)| *cell)
            .collect()
    }

    fn never_fails(&self, kind: &usize) -> bool {
        self.rules[*kind].fails.is_none()
    }

    fn look(&self, part: &usize, state: &S, look: &mut Look) {
        look.at(&state.as_ref()[*part]);
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let test = || (0..CELLS, 0..VALUES);
    let change = prop_oneof![
        2 => (0..VALUES).prop_map(Change::Set),
        2 => (1..VALUES).prop_map(Change::Add),
        1 => (0..CELLS).prop_map(Change::Copy),
    ];
    (
        prop::collection::vec(test(), 0..3),
        prop::collection::vec((0..CELLS, change), 1..3),
        prop::option::weighted(0.05, test()),
    )
        .prop_map(|(tests, changes, fails)| Rule {
            tests,
            changes,
            fails,
        })
}

fn compare<S: Cells>(
    rules: &[Rule],
    goal: (usize, u8),
    other: (usize, u8),
) -> Result<(), TestCaseError> {
    let model = || Rules::<S> {
        rules: rules.to_vec(),
        state: PhantomData,
    };
    prop_assert_eq!(check_footprints(model(), 300), Ok(()));
    let full = check(model()).explore();
    let reduced = check(model()).reduce().explore();
    prop_assert_eq!(full.failure().is_some(), reduced.failure().is_some());
    if full.failure().is_some() {
        return Ok(());
    }
    prop_assert!(reduced.statistics().explored <= full.statistics().explored);
    prop_assert_eq!(
        full.statistics().deadlocks(),
        reduced.statistics().deadlocks()
    );
    prop_assert_eq!(reduced.states(), None);
    // Both goals at once, with deadlocks and without.
    let holds = move |state: &S, (cell, value): (usize, u8)| state.as_ref()[cell] == value;
    let both = move |state: &S| holds(state, goal) && holds(state, other);
    let full = check(model())
        .reachable("goal", move |_, state| both(state))
        .invariant("never", move |_, state| !holds(state, goal))
        .no_deadlock()
        .run();
    let ask = || {
        check(model())
            .reduce()
            .reachable_of("goal", [goal.0, other.0], move |_, state| both(state))
            .invariant_of("never", [goal.0], move |_, state| !holds(state, goal))
    };
    let (with, without) = (ask().no_deadlock().run(), ask().run());
    prop_assert_eq!(full.verdict("deadlock"), with.verdict("deadlock"));
    for report in [with, without] {
        for name in ["goal", "never"] {
            prop_assert_eq!(full.verdict(name), report.verdict(name), "{}", name);
        }
        if let Some(trace) = report.trace("goal") {
            prop_assert!(both(&trace.last()));
            prop_assert_eq!(trace.steps().len() + 1, trace.states().len());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn fewer_interleavings_change_no_answer(
        rules in prop::collection::vec(rule(), 1..9),
        goal in (0..CELLS, 0..VALUES),
        other in (0..CELLS, 0..VALUES),
    ) {
        compare::<[u8; CELLS]>(&rules, goal, other)?;
        compare::<Vec<u8>>(&rules, goal, other)?;
    }
}

/// Counters that count to three, of which `declare` says too little.
struct Wrong {
    declare: fn(&mut Declared),
}

struct Declared {
    kinds: Vec<usize>,
    writes: Vec<usize>,
    parts: usize,
    never_fails: bool,
}

impl Wrong {
    fn declared(&self) -> Declared {
        let mut declared = Declared {
            kinds: vec![0, 1],
            writes: vec![0, 1],
            parts: 2,
            never_fails: false,
        };
        (self.declare)(&mut declared);
        declared
    }
}

impl Model for Wrong {
    type State = [u8; 2];
    type Action = usize;
    fn initial(&self) -> Vec<[u8; 2]> {
        vec![[0, 0]]
    }
    fn steps(&self, state: &[u8; 2], next: &mut Next<'_, Self>) {
        for counter in [0, 1] {
            if state[counter] < 3 {
                next.change(counter, |to| to[counter] += 1);
            }
        }
        if *state == [3, 3] {
            next.fail(0, "no further");
        }
    }
}

impl Footprint for Wrong {
    type Kind = usize;
    type Part = usize;
    fn kinds(&self) -> Vec<usize> {
        self.declared().kinds
    }
    fn kind(&self, action: &usize) -> usize {
        *action
    }
    fn reads(&self, _: &usize) -> Vec<usize> {
        (0..self.declared().parts).collect()
    }
    fn writes(&self, kind: &usize) -> Vec<usize> {
        let written = self.declared().writes.into_iter();
        written.filter(|it| it == kind).collect()
    }
    fn never_fails(&self, _: &usize) -> bool {
        self.declared().never_fails
    }
    fn look(&self, part: &usize, state: &[u8; 2], look: &mut Look) {
        look.at(&state[*part]);
    }
}

#[test]
fn what_is_not_declared_is_found() {
    let found = |declare| check_footprints(Wrong { declare }, 100);
    assert_eq!(found(|_| {}), Ok(()));
    let write = found(|it| it.writes = vec![0]).unwrap_err();
    assert!(
        matches!(&write, Undeclared::Write { kind, part, .. } if kind == "1" && part == "1"),
        "{write}"
    );
    let part = found(|it| (it.parts, it.writes) = (1, vec![0])).unwrap_err();
    assert!(matches!(part, Undeclared::Part { .. }), "{part}");
    let failure = found(|it| it.never_fails = true).unwrap_err();
    assert!(failure.to_string().contains("no further"), "{failure}");
    let kind = found(|it| it.kinds = vec![0]).unwrap_err();
    assert!(kind.to_string().contains("`kinds` does not list"), "{kind}");
}

/// A kind that is not listed is a fault of the model wherever it happens, even if nobody has searched for it.
#[test]
fn failures_are_never_left_out() {
    let report = check(Wrong { declare: |_| {} }).reduce().run();
    let failure = report.failure().expect("it fails at the end");
    assert!(format!("{failure:?}").contains("no further"));
}

#[test]
fn what_is_not_preserved_is_refused() {
    let model = || Rules::<[u8; CELLS]> {
        rules: Vec::new(),
        state: PhantomData,
    };
    let refused = |ask: &dyn Fn()| {
        let payload = panic::catch_unwind(AssertUnwindSafe(ask)).unwrap_err();
        *payload.downcast::<String>().expect("it says why")
    };
    let why = refused(&|| {
        check(model())
            .reduce()
            .invariant("small", |_, _| true)
            .run();
    });
    assert!(
        why.contains("`small`") && why.contains("invariant_of"),
        "{why}"
    );
    let why = refused(&|| {
        check(model()).reduce().ltl("runs", "G true").run();
    });
    assert!(why.contains("cycles"), "{why}");
    let why = refused(&|| {
        check(model()).reduce().ctl("branches", "AG true").run();
    });
    assert!(why.contains("branching time"), "{why}");
}

/// A measure that is found does not get in the way.
#[test]
fn found_measures_are_used() {
    let step = |cell| Rule {
        tests: vec![(cell, 0)],
        changes: vec![(cell, Change::Add(1))],
        fails: None,
    };
    let model = Rules::<[u8; CELLS]> {
        rules: (0..CELLS).map(step).collect(),
        state: PhantomData,
    };
    let report = check(model).reduce().find_measure().no_deadlock().run();
    assert_eq!(report.verdict("deadlock"), &Verdict::Violated);
    assert_eq!(report.trace("deadlock").unwrap().last(), [1; CELLS]);
    let kept = report.reduction().unwrap();
    assert!(kept.kept < kept.steps);
}
