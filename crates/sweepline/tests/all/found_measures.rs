//! Measures that are found for models written in Rust: they answer what plain search answers, and store less.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sweepline::model::zoo::database::Database;
use sweepline::model::zoo::go_back_n::GoBackN;
use sweepline::model::zoo::stop_and_wait::StopAndWait;
use sweepline::model::zoo::two_phase_commit::TwoPhaseCommit;
use sweepline::{Encode, Model, Next, check};

fn compare<M: Model + Clone + 'static>(model: M) -> (Option<String>, f64, f64) {
    let full = check(model.clone()).explore();
    let states = full.states().expect("everything is explored");
    let in_order = check(model).find_measure();
    let found = in_order.found().map(str::to_owned);
    let report = in_order.explore();
    report.assert_holds();
    let statistics = report.statistics();
    assert!(statistics.complete && statistics.explored >= states);
    #[expect(clippy::cast_precision_loss, reason = "shares of small numbers")]
    let share = |part: u64| part as f64 / states as f64;
    (
        found,
        share(statistics.peak_states),
        share(statistics.explored),
    )
}

#[test]
fn models_of_the_zoo_need_no_measure() {
    let (found, peak, again) = compare(StopAndWait { packets: 100 });
    assert_eq!(found.as_deref(), Some("current + expected"));
    assert!(peak < 0.02 && again <= 1.0, "{peak} {again}");
    let (_, peak, again) = compare(GoBackN::<2> {
        messages: 20,
        window: 2,
    });
    assert!(peak < 0.2 && again <= 1.4, "{peak} {again}");
    // Its states are variants of an enum, which share their places.
    let database = compare(Database::new(7).expect("seven managers are few"));
    assert_eq!(database, (None, 1.0, 1.0));
}

/// What grows in a vector or a map is a measure, too.
#[test]
fn collections_have_numbers() {
    let (found, peak, again) = compare(TwoPhaseCommit { managers: 5 });
    let found = found.expect("all that happens is final");
    assert!(found.contains("resources.sum"), "{found}");
    assert!(peak < 0.35 && again <= 1.0, "{found} {peak} {again}");
    let (found, peak, again) = compare(Ledger);
    let found = found.expect("the ledger only grows");
    assert!(
        found.contains("entries.len") || found.contains("spent.sum"),
        "{found}"
    );
    assert!(peak < 0.5 && again <= 1.0, "{found} {peak} {again}");
}

/// Two people write down what they spend, in any order; the pointer goes round.
#[derive(Clone)]
struct Ledger;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Book {
    entries: Vec<u8>,
    spent: BTreeMap<u8, u32>,
    pointer: u8,
}

impl Model for Ledger {
    type State = Book;
    type Action = (u8, u8);

    fn initial(&self) -> Vec<Book> {
        vec![Book {
            entries: Vec::new(),
            spent: BTreeMap::new(),
            pointer: 0,
        }]
    }

    fn steps(&self, state: &Book, next: &mut Next<'_, Self>) {
        next.change((0, 0), |to| to.pointer = (to.pointer + 1) % 4);
        for (person, amount) in [(1, 1), (1, 2), (2, 1)] {
            if state.entries.len() < 6 {
                next.change((person, amount), |to| {
                    to.entries.push(amount);
                    *to.spent.entry(person).or_default() += u32::from(amount);
                });
            }
        }
    }

    fn is_end(&self, state: &Book) -> bool {
        state.entries.len() == 6
    }
}

/// Evidence is made of the states of the model, whatever comes before their words.
#[test]
fn evidence_has_no_numbers_in_it() {
    let full_of = |_: &Ledger, book: &Book| book.entries.len() == 6 && book.pointer == 3;
    let in_order = check(Ledger).find_measure();
    assert!(in_order.found().is_some());
    let report = in_order
        .reachable("full", full_of)
        .invariant("cheap", |_, book| book.spent.values().sum::<u32>() < 12)
        .run();
    let states = |name: &str| {
        let trace = report.trace(name).expect("there is evidence");
        (trace.first(), trace.last())
    };
    let (initial, last) = states("full");
    assert_eq!(initial, Ledger.initial()[0]);
    assert!(full_of(&Ledger, &last));
    assert_eq!(states("cheap").1.spent, BTreeMap::from([(1, 12)]));
}

#[derive(Clone, Copy, Debug, PartialEq, Encode)]
enum Stage {
    Done,
    Waiting,
    Started,
    Working,
}

/// Workers whose stages are declared in another order than they are gone through; two of them alternate.
#[derive(Clone)]
struct Workers;

impl Model for Workers {
    type State = [Stage; 7];
    type Action = usize;

    fn initial(&self) -> Vec<[Stage; 7]> {
        vec![[Stage::Started; 7]]
    }

    fn steps(&self, state: &[Stage; 7], next: &mut Next<'_, Self>) {
        for (worker, stage) in state.iter().enumerate() {
            let mut to = |stage| next.change(worker, |to| to[worker] = stage);
            match stage {
                Stage::Started | Stage::Waiting => to(Stage::Working),
                Stage::Working => {
                    to(Stage::Waiting);
                    to(Stage::Done);
                }
                Stage::Done => {}
            }
        }
    }

    fn is_end(&self, _: &[Stage; 7]) -> bool {
        true
    }
}

#[test]
fn variants_are_ranked() {
    let (found, peak, again) = compare(Workers);
    let found = found.expect("workers get done");
    assert!(found.contains("rank("), "{found}");
    assert!(peak < 0.5 && again <= 1.0, "{found} {peak} {again}");
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct State {
    #[encode(range = 0..=9)]
    a: u8,
    b: [bool; 2],
    #[encode(range = -2..=7)]
    c: i8,
}

/// What an action needs of `a` and `c`, and what it adds to them; a bit is set to a value.
type Rule = (u8, i8, i8, i8, usize, bool);

/// Random rules.
#[derive(Clone, Debug)]
struct Rules(Vec<Rule>);

impl Model for Rules {
    type State = State;
    type Action = Rule;

    fn initial(&self) -> Vec<State> {
        let (a, b, c) = (0, [false; 2], 0);
        vec![State { a, b, c }]
    }

    fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
        for &rule in &self.0 {
            if let Some(target) = after(state, rule) {
                next.step(rule, target);
            }
        }
    }
}

fn after(state: &State, rule: Rule) -> Option<State> {
    let (least, greatest, more, also, bit, value) = rule;
    let (a, c) = (state.a.checked_add_signed(more)?, state.c + also);
    let fits = a <= 9 && (-2..=7).contains(&c) && state.a >= least && state.c <= greatest;
    let mut b = state.b;
    b[bit] = value;
    fits.then_some(State { a, b, c })
}

/// The same rules with the numbers of a state in a vector and a map.
#[derive(Clone, Debug)]
struct Scattered(Rules);

#[derive(Clone, Debug, PartialEq, Encode)]
struct Heap {
    numbers: Vec<i8>,
    bits: BTreeMap<u8, bool>,
}

impl Heap {
    fn of(state: &State) -> Self {
        let bits = (0u8..).zip(state.b);
        Self {
            numbers: vec![state.c, state.a.cast_signed()],
            bits: bits.filter(|(_, bit)| *bit).collect(),
        }
    }

    fn state(&self) -> State {
        State {
            a: self.numbers[1].cast_unsigned(),
            b: [0, 1].map(|bit| self.bits.contains_key(&bit)),
            c: self.numbers[0],
        }
    }
}

impl Model for Scattered {
    type State = Heap;
    type Action = Rule;

    fn initial(&self) -> Vec<Heap> {
        self.0.initial().iter().map(Heap::of).collect()
    }

    fn steps(&self, heap: &Heap, next: &mut Next<'_, Self>) {
        let state = heap.state();
        for &rule in &self.0.0 {
            if let Some(target) = after(&state, rule) {
                next.step(rule, Heap::of(&target));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_same_states_are_reached(
        rules in prop::collection::vec(
            (0..6u8, 0..8i8, -2..4i8, -1..2i8, 0..2usize, any::<bool>()),
            1..7,
        ),
        targets in prop::collection::vec((0..=9u8, any::<[bool; 2]>(), -2..=7i8), 8),
    ) {
        let model = Rules(rules);
        let mut full = check(model.clone());
        let mut in_order = check(model.clone()).find_measure();
        let mut scattered = check(Scattered(model)).find_measure();
        for (a, b, c) in &targets {
            let target = State { a: *a, b: *b, c: *c };
            let heap = Heap::of(&target);
            let same = move |_: &Rules, state: &State| *state == target;
            let name = format!("{a} {b:?} {c}");
            full = full.reachable(name.clone(), same.clone());
            in_order = in_order.reachable(name.clone(), same);
            scattered = scattered.reachable(name, move |_, state: &Heap| *state == heap);
        }
        let (full, report, scattered) = (full.run(), in_order.run(), scattered.run());
        let others = report.answers().iter().zip(scattered.answers());
        for (one, (other, third)) in full.answers().iter().zip(others) {
            prop_assert_eq!(&one.verdict, &other.verdict, "{}", &one.name);
            prop_assert_eq!(&one.verdict, &third.verdict, "{}", &one.name);
            prop_assert_eq!(one.evidence.is_some(), other.evidence.is_some());
            prop_assert_eq!(one.evidence.is_some(), third.evidence.is_some());
        }
    }
}
