//! What is found for the models of the project.

use std::path::Path;

use sweepline_core::ActionId;
use sweepline_dve::{LoadOptions, read_dve};
use sweepline_logic::Source;
use sweepline_program::Program;
use sweepline_progress::linear::Budget;
use sweepline_progress::program::why_not;

use crate::program::{behaviour, explore, measures};

fn model(name: &str) -> Program {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let text = std::fs::read_to_string(models.join(name)).unwrap();
    program(name, &text)
}

fn program(name: &str, text: &str) -> Program {
    let source = Source::new(name, text);
    let model = read_dve(&source, &LoadOptions::default()).unwrap();
    Program::clone(&model.program())
}

/// Checks some of the columns of a program, all of them if that is what is listed, and how many actions progress.
fn check(program: &Program, columns: &[&str], progressing: (usize, usize)) {
    let name = program.name();
    let found = measures(program, &[], &Budget::default());
    explore(program, &found, 20_000).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    let described = found.columns.iter().map(|column| column.describe(program));
    let described: Vec<String> = described.collect();
    for column in columns {
        let known = described.iter().any(|other| other == column);
        assert!(known, "{name}: no {column} in {described:#?}");
    }
    let possible = found.possible.iter().filter(|possible| **possible).count();
    let actions = found.possible.iter().zip(&found.strict);
    let strict = actions.filter(|(possible, strict)| **possible && **strict);
    assert_eq!((strict.count(), possible), progressing, "{name}");
    if columns.is_empty() {
        assert!(described.is_empty(), "{name}: {described:#?}");
    }
}

#[test]
fn models_have_the_measures_one_would_write() {
    let table: &[(&str, &[&str], (usize, usize))] = &[
        (
            "stop-and-wait.dve",
            &[
                "Sender.s",
                "Receiver.r",
                "2 Sender.s + Sender(idle: 1, wait: 2)",
            ],
            (4, 14),
        ),
        ("go-back-n.dve", &["Sender.b", "Receiver.r"], (3, 8)),
        ("limit-protocol.dve", &["Sender.s", "Receiver.r"], (12, 49)),
        (
            "sliding-window.dve",
            &["failure", "Sender.b", "Receiver.r"],
            (1, 9),
        ),
        (
            "two-phase-commit.dve",
            &[
                "Coordinator.asked",
                "Coordinator.yes",
                "Coordinator.told",
                "Coordinator(collecting: 1, committing: 2, aborting: 2, done: 3)",
                "Worker_0(asked: 1, prepared: 2, refused: 2, told: 3, committed: 4, aborted: 4)",
            ],
            (32, 32),
        ),
        (
            "leader-election.dve",
            &["Node_0(ready: 1, got: 1, leader: 2)"],
            (19, 19),
        ),
        ("peterson.dve", &[], (0, 21)),
        ("database.dve", &["Start(run: 1)"], (1, 17)),
        ("dining-philosophers.dve", &[], (0, 25)),
    ];
    for (name, columns, progressing) in table {
        check(&model(name), columns, *progressing);
    }
}

/// One process with these declarations and transitions from `q` to itself.
fn looping(declarations: &str, transitions: &[&str]) -> Program {
    let loops: Vec<_> = transitions
        .iter()
        .map(|text| format!("q -> q {{ {text} }}"))
        .collect();
    let loops = loops.join(", ");
    let text =
        format!("{declarations} process P {{ state q; init q; trans {loops}; }} system async;");
    program("loop", &text)
}

/// Declarations, transitions, and some of the columns; none if there is none.
const WAYS_TO_GROW: &[(&str, &[&str], &[&str])] = &[
    // Guards that compare the old value with the new one.
    (
        "byte x, y;",
        &["guard y > x; effect x = y;", "effect y = 3 - y;"],
        &["x"],
    ),
    (
        "byte x, y;",
        &["guard x <= y; effect x = y;", "effect y = 7 - y;"],
        &["x"],
    ),
    (
        "byte x, y;",
        &[
            "guard not (x >= y + 1); effect x = y;",
            "effect y = 5;",
            "effect y = 4;",
        ],
        &["x"],
    ),
    (
        "byte x, y;",
        &["guard y < x; effect x = y;", "effect y = 7 - y;"],
        &[],
    ),
    // The comparison is about a value that has changed since.
    (
        "byte x, y;",
        &["guard y > x; effect y = 7 - y, x = y;"],
        &[],
    ),
    (
        "byte x, y;",
        &[
            "guard y % 5 > x; effect y = 7 - y, x = y % 5;",
            "effect y = 7 - y;",
        ],
        &[],
    ),
    // Outside its bounds `a[i + 1]` says nothing about any element, so no invariant keeps `a[1]` at 0.
    (
        "byte a[2], i;",
        &[
            "guard i == 0; effect a[i + 1] = 0;",
            "guard i == 0; effect i = 1;",
            "guard i == 1; effect a[1] = 1;",
            "effect a[1] = 0;",
        ],
        &["i"],
    ),
    // Sums of something that is not negative, and conditions within arithmetic.
    (
        "int x; byte y;",
        &["guard x < 99; effect x = x + y;", "effect y = 5 - y;"],
        &["x"],
    ),
    (
        "byte x;",
        &["effect x = (x < 5) * (x + 1) + (x >= 5) * 5;"],
        &["x"],
    ),
    (
        "byte x, y;",
        &["effect x = x or y;", "effect y = 1 - y;"],
        &["x"],
    ),
    // Flags that are set once, by whatever index.
    (
        "byte a[3], i;",
        &["effect a[i] = 1, i = (i + 1) % 3;"],
        &["a[0] + a[1] + a[2]"],
    ),
    (
        "byte a[3], i;",
        &[
            "guard a[i] < 4; effect a[i] = a[i] + 1;",
            "effect i = (i + 1) % 3;",
        ],
        &["a[1]"],
    ),
    // An order that is not that of numbers.
    (
        "byte x = 2;",
        &[
            "guard x == 2; effect x = 0;",
            "guard x == 0; effect x = 3;",
            "guard x == 3; effect x = 1;",
        ],
        &["x(0: 1, 1: 3, 3: 2)"],
    ),
    // An inner counter that starts anew with each step of the outer one.
    (
        "byte x, y;",
        &[
            "guard y < 3; effect y = y + 1;",
            "guard y == 3 && x < 9; effect x = x + 1, y = 0;",
        ],
        &["4 x + y"],
    ),
];

#[test]
fn ways_to_grow_are_recognised() {
    for (declarations, transitions, expected) in WAYS_TO_GROW {
        let program = looping(declarations, transitions);
        let found = measures(&program, &[], &Budget::default());
        explore(&program, &found, 20_000).unwrap();
        let described = found.columns.iter().map(|column| column.describe(&program));
        let described: Vec<String> = described.collect();
        for column in *expected {
            let known = described.iter().any(|other| other == column);
            assert!(known, "{transitions:?}: no {column} in {described:#?}");
        }
        assert_eq!(
            expected.is_empty(),
            described.is_empty(),
            "{transitions:?}: {described:#?}"
        );
    }
}

#[test]
fn pieces_that_never_go_back_progress() {
    // Frogs and toads: what `i` points at is always empty, which only an invariant says.
    let toads = [
        "guard i > 0 && a[i - 1] == 1; effect a[i] = 1, a[i - 1] = 0, i = i - 1;",
        "guard i > 1 && a[i - 1] == 2 && a[i - 2] == 1; effect a[i] = 1, a[i - 2] = 0, i = i - 2;",
    ];
    let frogs = [
        "guard i < 4 && a[i + 1] == 2; effect a[i] = 2, a[i + 1] = 0, i = i + 1;",
        "guard i < 3 && a[i + 1] == 1 && a[i + 2] == 2; effect a[i] = 2, a[i + 2] = 0, i = i + 2;",
    ];
    let board = "byte a[5] = {1, 1, 0, 2, 2}, i = 2;";
    let program = looping(board, &[toads, frogs].concat());
    let found = measures(&program, &[], &Budget::default());
    assert_eq!(explore(&program, &found, 20_000), Ok(23));
    assert_eq!(found.strict, [true; 4]);
}

#[test]
fn cycles_explain_what_does_not_progress() {
    let program = looping(
        "byte x, y;",
        &[
            "guard x < 9; effect x = x + 2;",
            "guard x > 3; effect x = x - 3;",
            "effect y = y + 1;",
        ],
    );
    let why = |action: u32| why_not(&behaviour(&program), ActionId(action), &Budget::default());
    assert_eq!(why(0), Some(vec![(ActionId(0), 3), (ActionId(1), 2)]));
    assert_eq!(why(2), None);
}

#[test]
fn rows_know_what_lowers_them() {
    let program = program(
        "round",
        "process P { state a, b, c; init a; trans a -> b {}, b -> c {}, c -> a {}; } system async;",
    );
    let found = measures(&program, &[9.0, 9.0, 2.0], &Budget::default());
    let row = &found.rows[0];
    assert_eq!(row.coordinate.describe(&program), "P(b: 1, c: 2)");
    assert_eq!(row.regress, [ActionId(2)]);
    assert!((row.cost - 0.1).abs() < 1e-9);
}
