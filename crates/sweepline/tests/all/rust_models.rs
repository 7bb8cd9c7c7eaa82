//! What a Rust programmer sees of a check: questions, boundaries, traces, assertions.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

use sweepline::model::zoo::stop_and_wait::StopAndWait;
use sweepline::{Encode, Model, Next, Verdict, check};

/// A walk along a line from zero, which may end at a wall.
struct Walk {
    wall: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct Position {
    at: i64,
    tired: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Action {
    Step { by: i64 },
    Rest,
}

impl Model for Walk {
    type State = Position;
    type Action = Action;

    fn initial(&self) -> Vec<Position> {
        vec![Position {
            at: 0,
            tired: false,
        }]
    }

    fn steps(&self, state: &Position, next: &mut Next<'_, Self>) {
        if Some(state.at) == self.wall {
            return;
        }
        if state.tired {
            next.change(Action::Rest, |to| to.tired = false);
        } else {
            next.change(Action::Step { by: 2 }, |to| {
                to.at += 2;
                to.tired = true;
            });
        }
    }
}

#[test]
fn nothing_asked_means_deadlock() {
    let report = check(Walk { wall: Some(6) }).run();
    assert_eq!(report.verdict("deadlock"), &Verdict::Violated);
    let trace = report.trace("deadlock").expect("it has a trace");
    assert_eq!(trace.last().at, 6);
    let report = check(Walk { wall: Some(6) }).explore();
    assert!(report.answers().is_empty());
    assert_eq!(report.states(), Some(6));
}

#[test]
fn predicates_see_the_model() {
    let report = check(Walk { wall: Some(6) })
        .invariant("in front of the wall", |walk, state| {
            walk.wall.is_none_or(|wall| state.at <= wall)
        })
        .reachable("at the wall", |walk, state| Some(state.at) == walk.wall)
        .run();
    report.assert_holds();
}

#[test]
fn traces_have_types() {
    let report = check(Walk { wall: Some(6) })
        .invariant("near", |_, state| state.at < 4)
        .run();
    let trace = report.trace("near").expect("it is violated");
    let steps = trace.steps();
    let actions: Vec<_> = steps.iter().map(|step| step.action.clone()).collect();
    let step = Action::Step { by: 2 };
    assert_eq!(actions, [step.clone(), Action::Rest, step]);
    let changed = |fields: &[(&str, &str)]| -> Vec<(String, String)> {
        let owned = fields
            .iter()
            .map(|(field, value)| ((*field).into(), (*value).into()));
        owned.collect()
    };
    assert_eq!(steps[0].changes, changed(&[("at", "2"), ("tired", "true")]));
    assert_eq!(steps[1].changes, changed(&[("tired", "false")]));
    assert_eq!(steps[2].state, trace.last());
    assert_eq!(
        trace.to_string(),
        "  0  Position { at: 0, tired: false }\n  1  Step { by: 2 }  at: 2, tired: true\n  \
         2  Rest  tired: false\n  3  Step { by: 2 }  at: 4, tired: true\n"
    );
    let json: serde_json::Value = serde_json::from_str(&trace.to_json()).expect("it is JSON");
    assert_eq!(json["steps"][1]["action"], "Rest");
    assert_eq!(
        json["steps"][1]["state"],
        serde_json::json!({ "tired": false })
    );
    let itf: serde_json::Value = serde_json::from_str(&trace.to_itf()).expect("it is JSON");
    assert_eq!(itf["states"][3]["at"], 4);
}

#[test]
fn what_no_state_shows_is_open_beyond_a_boundary() {
    let report = check(Walk { wall: None })
        .boundary(|_, state| state.at < 10)
        .invariant("even", |_, state| state.at % 2 == 0)
        .reachable("at a hundred", |_, state| state.at == 100)
        .reachable("at the boundary", |_, state| state.at == 10)
        .invariant("below ten", |_, state| state.at < 10)
        .no_deadlock()
        .run();
    for open in ["even", "at a hundred", "deadlock"] {
        let verdict = report.verdict(open);
        assert!(matches!(verdict, Verdict::Inconclusive(_)), "{open}");
    }
    assert_eq!(report.verdict("at the boundary"), &Verdict::Holds);
    assert_eq!(report.verdict("below ten"), &Verdict::Violated);
    assert_eq!(report.trace("below ten").expect("a path").last().at, 10);
    assert_eq!(report.states(), None);
    assert!(report.stopped().is_some() && !report.statistics().complete);
}

#[test]
fn a_boundary_that_cuts_nothing_leaves_everything_certain() {
    let inside = |_: &Walk, state: &Position| state.at < 6;
    let report = check(Walk { wall: Some(6) })
        .boundary(inside)
        .invariant("even", |_, state| state.at % 2 == 0)
        .run();
    report.assert_holds();
    assert_eq!(report.states(), Some(6));
    // The state beyond the boundary has no steps in the model either: it is a deadlock.
    let report = check(Walk { wall: Some(6) }).boundary(inside).run();
    assert_eq!(report.verdict("deadlock"), &Verdict::Violated);
}

#[test]
fn measures_that_are_found_keep_to_the_boundary() {
    let report = check(Walk { wall: None })
        .boundary(|_, state| state.at < 1000)
        .find_measure()
        .invariant("even", |_, state| state.at % 2 == 0)
        .run();
    let verdict = report.verdict("even");
    assert!(matches!(verdict, Verdict::Inconclusive(_)), "{verdict:?}");
}

#[test]
fn columns_and_rows_combine_in_any_number() {
    let full = check(StopAndWait { packets: 9 }).explore();
    let report = check(StopAndWait { packets: 9 })
        .progress(|state| u8::from(state.data_in.is_some()))
        .column(|state| state.expected)
        .progress(|state| u8::from(state.ack_in.is_some()))
        .column(|state| state.current)
        .explore();
    let statistics = report.statistics();
    assert!(statistics.complete && statistics.explored >= full.statistics().explored);
    assert!(statistics.columns > 10 && statistics.layers > statistics.columns);
}

/// A failed assertion points at the test that made it.
#[test]
fn assertions_are_those_of_the_caller() {
    let place = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&place);
    let report = check(Walk { wall: Some(2) }).run();
    let before = panic::take_hook();
    let here = std::thread::current().id();
    panic::set_hook(Box::new(move |info| {
        // Other tests panic at the same time.
        if std::thread::current().id() == here
            && let Some(location) = info.location()
        {
            let mut noted = noted.lock().expect("nobody else has it");
            *noted = Some((location.file().to_owned(), location.line()));
        }
    }));
    let line = line!() + 1;
    let failed = panic::catch_unwind(AssertUnwindSafe(|| report.assert_holds()));
    panic::set_hook(before);
    assert!(failed.is_err());
    let place = place.lock().expect("nobody else has it").clone();
    assert_eq!(place, Some((file!().to_owned(), line)));
}

/// A counter that fails in one way or another.
struct Wrong {
    panics: bool,
    begins: bool,
}

impl Model for Wrong {
    type State = Vec<u32>;
    type Action = &'static str;

    fn initial(&self) -> Vec<Vec<u32>> {
        let state = (0..20).collect();
        if self.begins { vec![state] } else { Vec::new() }
    }

    fn steps(&self, state: &Vec<u32>, next: &mut Next<'_, Self>) {
        next.change("stay", |_| {});
        assert!(!self.panics || state[3] < 5, "the third is {}", state[3]);
        if state[3] < 8 {
            next.change("count", |to| to[3] += 1);
        }
    }
}

/// The text of a panic.
fn panic_of(work: impl FnOnce()) -> String {
    let failed = panic::catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    failed.downcast_ref::<String>().expect("a text").clone()
}

#[test]
fn a_panic_in_a_model_has_a_trace() {
    let wrong = || Wrong {
        panics: true,
        begins: true,
    };
    for report in [
        check(wrong()).invariant("any", |_, _| true).run(),
        check(wrong())
            .find_measure()
            .invariant("any", |_, _| true)
            .run(),
    ] {
        assert!(matches!(report.verdict("any"), Verdict::Inconclusive(_)));
        let text = panic_of(|| report.assert_holds());
        assert!(
            text.contains("the model panicked: the third is 5"),
            "{text}"
        );
        assert!(
            text.contains("  2  \"count\"  state[3]: 5"),
            "only what changes: {text}"
        );
        assert!(!text.contains("\"count\"  state: "), "{text}");
    }
}

#[test]
fn a_model_that_does_not_begin_is_wrong() {
    let report = check(Wrong {
        panics: false,
        begins: false,
    })
    .run();
    assert!(matches!(
        report.verdict("deadlock"),
        Verdict::Inconclusive(_)
    ));
    let text = panic_of(|| report.assert_holds());
    assert!(text.contains("the model has no initial state"), "{text}");
}

#[test]
fn results_say_what_they_are() {
    let report = check(Walk { wall: Some(6) })
        .reachable("beyond the wall", |_, state| state.at > 6)
        .invariant("near", |_, state| state.at < 4)
        .run();
    let text = panic_of(|| report.assert_holds());
    assert!(
        text.contains("`beyond the wall` is not reachable"),
        "{text}"
    );
    assert!(text.contains("`near` is violated\n"), "{text}");
    let debug = format!("{report:?}");
    assert!(
        debug.contains("\"near\": Violated") && debug.contains("explored"),
        "{debug}"
    );
    let trace = report.trace("near").expect("it is violated");
    assert!(format!("{trace:?}").contains("Step { by: 2 }"), "{trace:?}");
}

/// A grid on which everything goes up near the origin, and up and down far away from it.
struct Grid;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Point {
    #[encode(range = 0..=700)]
    x: u16,
    #[encode(range = 0..=700)]
    y: u16,
}

impl Model for Grid {
    type State = Point;
    type Action = &'static str;

    fn initial(&self) -> Vec<Point> {
        vec![Point { x: 0, y: 0 }]
    }

    fn steps(&self, state: &Point, next: &mut Next<'_, Self>) {
        let far = state.x + state.y > 420;
        if state.x < 700 {
            next.change("right", |to| to.x += 1);
        }
        if state.y < 700 {
            next.change("up", |to| to.y += 1);
        }
        if far && state.x > 0 {
            next.change("left", |to| to.x -= 1);
        }
        if far && state.y > 0 {
            next.change("down", |to| to.y -= 1);
        }
    }
}

/// A measure that is found and loses is given up on the way, and the run goes on.
#[test]
fn measures_that_are_found_are_watched() {
    let in_order = check(Grid).find_measure();
    assert_eq!(in_order.found(), Some("x"));
    let report = in_order
        .reachable("the far end", |_, at| at.x == 700 && at.y == 700)
        .invariant("within", |_, at| at.x <= 700)
        .run();
    report.assert_holds();
    let [change] = report.changes() else {
        panic!("it changes once: {:?}", report.changes());
    };
    assert_eq!(change.why, "too many states were explored again");
    assert!(change.to.is_constant() && !change.restarted);
}
