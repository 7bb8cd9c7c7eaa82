//! Measures that are found for models written in Rust: they answer what plain search answers, and store less.

use proptest::prelude::*;
use sweepline::model::zoo::database::Database;
use sweepline::model::zoo::go_back_n::GoBackN;
use sweepline::model::zoo::stop_and_wait::StopAndWait;
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
            let (least, greatest, more, also, bit, value) = rule;
            let (a, c) = (state.a.checked_add_signed(more), state.c + also);
            let Some(a) = a.filter(|a| *a <= 9 && (-2..=7).contains(&c)) else {
                continue;
            };
            if state.a >= least && state.c <= greatest {
                next.change(rule, |to| {
                    (to.a, to.c) = (a, c);
                    to.b[bit] = value;
                });
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
        let mut in_order = check(model).find_measure();
        for (a, b, c) in &targets {
            let target = State { a: *a, b: *b, c: *c };
            let same = move |_: &Rules, state: &State| *state == target;
            full = full.reachable(format!("{a} {b:?} {c}"), same.clone());
            in_order = in_order.reachable(format!("{a} {b:?} {c}"), same);
        }
        let (full, report) = (full.run(), in_order.run());
        for (one, other) in full.answers().iter().zip(report.answers()) {
            prop_assert_eq!(&one.verdict, &other.verdict, "{}", &one.name);
            prop_assert_eq!(one.evidence.is_some(), other.evidence.is_some());
        }
    }
}
