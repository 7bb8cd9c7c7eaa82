//! Sizes of automata for well-known formulas, beside those that Spot's own tests record.
//!
//! `SWEEPLINE_SIZES` names the table if it is not beside the project.

use std::path::{Path, PathBuf};

use sweepline_logic::ltl::{Ltl, holds_on, translate, translate_to_states};
use sweepline_logic::omega::{Letter, accepts};
use sweepline_logic::parse_ltl;

/// A line of the table.
struct Case {
    name: String,
    text: String,
    ltl: Ltl,
    /// States of Spot's generalised automaton and of its Büchi automaton.
    spot: [usize; 2],
}

fn cases() -> Option<Vec<Case>> {
    let path = std::env::var_os("SWEEPLINE_SIZES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/ltl-sizes.csv"),
        PathBuf::from,
    );
    let Ok(table) = std::fs::read_to_string(&path) else {
        eprintln!(
            "skipped: no table at {}; set SWEEPLINE_SIZES",
            path.display()
        );
        return None;
    };
    let cases = table.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let [set, number, negated, text, tgba, _, ba, _] = fields[..] else {
            panic!("{line}")
        };
        // `GFp0` is a name to us.
        let apart = ["G", "F", "X"]
            .iter()
            .fold(text.to_string(), |text, letter| {
                text.replace(letter, &format!("{letter} "))
            });
        let ltl = parse_ltl(apart).expect("the table is readable").ltl;
        let (ltl, sign) = match negated {
            "yes" => (ltl.negated(), "!"),
            _ => (ltl, " "),
        };
        Case {
            name: format!("{set}{number}{sign}"),
            text: text.into(),
            ltl,
            spot: [count(tgba), count(ba)],
        }
    });
    Some(cases.collect())
}

fn count(text: &str) -> usize {
    text.parse().expect("a number")
}

fn sizes(case: &Case) -> [usize; 2] {
    let generalised = translate(&case.ltl).expect("it is small");
    let states = translate_to_states(&case.ltl).expect("it is small");
    [generalised.edges.len(), states.edges.len()]
}

#[test]
fn automata_are_about_as_small_as_spots() {
    let Some(cases) = cases() else { return };
    let mut sums = [0; 2];
    let mut spot = [0; 2];
    for case in &cases {
        let found = sizes(case);
        for kind in 0..2 {
            sums[kind] += found[kind];
            spot[kind] += case.spot[kind];
            let name = &case.name;
            assert!(
                found[kind] <= case.spot[kind] + 3,
                "{name}: {found:?}, Spot {:?}",
                case.spot
            );
        }
    }
    assert_eq!(spot, [1128, 1206], "the table is another one");
    assert!(sums[0] * 100 <= spot[0] * 105, "{sums:?}");
    assert!(sums[1] * 100 <= spot[1] * 108, "{sums:?}");
}

/// `cargo test --release -p sweepline-logic --test all -- --ignored --nocapture`
#[test]
#[ignore = "prints a table"]
fn table() {
    let Some(cases) = cases() else { return };
    let mut sums = [0; 2];
    for case in &cases {
        let start = std::time::Instant::now();
        let found = sizes(case);
        let time = start.elapsed().as_millis();
        let differs = if found == case.spot { ' ' } else { '*' };
        let Case {
            name, text, spot, ..
        } = case;
        eprintln!(
            "{differs} {name:8} {:3} {:3}   Spot {:3} {:3}  {time:5} ms  {text}",
            found[0], found[1], spot[0], spot[1]
        );
        sums = [sums[0] + found[0], sums[1] + found[1]];
    }
    eprintln!("{} and {} states; Spot has 1128 and 1206", sums[0], sums[1]);
}

/// The same automata accept what the formulas say, on some random words.
#[test]
fn automata_of_well_known_formulas_agree_with_them() {
    let Some(cases) = cases() else { return };
    let mut seed = 1_u64;
    let mut random = move |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for case in &cases {
        let generalised = translate(&case.ltl).unwrap();
        let states = translate_to_states(&case.ltl).unwrap();
        for _ in 0..40 {
            let mut word = |from: u64| -> Vec<Letter> {
                let length = from + random(5);
                (0..length)
                    .map(|_| random(1 << case.ltl.atoms.len()))
                    .collect()
            };
            let (stem, repeated) = (word(0), word(1));
            let expected = holds_on(&case.ltl.formula, &stem, &repeated);
            let on = format!("{} {} on {stem:?} | {repeated:?}", case.name, case.text);
            assert_eq!(accepts(&generalised, &stem, &repeated), expected, "{on}");
            assert_eq!(accepts(&states, &stem, &repeated), expected, "{on}");
        }
    }
}
