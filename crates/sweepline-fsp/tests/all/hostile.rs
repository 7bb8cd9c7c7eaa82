//! No input makes the reader panic, and what is printed is read back.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::{Deadline, Limits, StopReason};
use sweepline_fsp::{FspError, FspErrors, LoadOptions, read_fsp};
use sweepline_process::{Lts, StateId};
use sweepline_text::Source;

const MODEL: &str = "// a bit of everything
const N = 2 range R = 0..N set S = {a, b[R].c, {d, e}}
P(K = N) = (a -> Q[0] | when (K > 1 && !0) {x, y}.z -> A;Q[1] | in[v:S] -> out[v] -> END),
Q[i:R] = if (i < N) then (b[i] -> Q[i+1]) else STOP + {f} /{g/a, forall[i:R] {h[i]/b[i]}} \\{x}.
A = (t -> END). minimal M = (a -> M | a -> ERROR)@{a}.
property SAFE = (g -> SAFE).
/* more */ ||C = (P(3) || {u, w}::SAFE || forall[i:0..1] p[i]:M/{z/p[i].a}) >> {z}.
||D = ({u, w}:C || if (#S > 2) then q:P)\\{u.z}.
menu RUN = {a} progress X = if {q.a} then {z} fluent F = <a, b> assert L = []F || F
";

const TOKENS: [&str; 44] = [
    "P", "Q", "S", "N", "a", "b", "i", "0", "1", "3", "=", "(", ")", "[", "]", "{", "}", "->", "|",
    "||", ".", "..", ",", ";", ":", "::", "+", "-", "/", "\\", "@", ">>", "<<", "when", "if",
    "then", "else", "forall", "STOP", "END", "property", "const", "set", "progress",
];

fn read(text: &str) -> bool {
    read_fsp(&Source::new("model.lts", text), &LoadOptions::default()).is_ok()
}

#[test]
fn the_text_itself_is_right() {
    assert!(read(MODEL));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = MODEL.as_bytes().to_vec();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn missing_parts_never_panic(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 1..40_usize), 1..5),
    ) {
        let mut text = MODEL.to_string();
        for (index, length) in cuts {
            let start = index.index(text.len().max(1)).min(text.len());
            let end = (start + length).min(text.len());
            text.replace_range(start..end, "");
        }
        read(&text);
    }

    #[test]
    fn changed_words_never_panic(
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(&TOKENS[..])), 1..6),
    ) {
        let mut words: Vec<&str> = MODEL.split(' ').collect();
        for (index, token) in changes {
            let index = index.index(words.len());
            words[index] = token;
        }
        read(&words.join(" "));
    }

    #[test]
    fn token_soup_never_panics(tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..60)) {
        read(&tokens.join(" "));
        read(&format!("P = (a -> {}", tokens.join(" ")));
        read(&format!("P = (a -> P). ||Q = (P || {}", tokens.join(" ")));
    }

    #[test]
    fn what_is_printed_is_read_back(edges in prop::collection::vec((0..5_u32, 0..4_u32, 0..5_u32), 0..12)) {
        let edges: BTreeSet<(u32, u32, u32)> = edges.into_iter().collect();
        let text = printed(&edges);
        let model = read_fsp(&Source::from(text.clone()), &LoadOptions::default()).unwrap();
        let lts = &model.network().components[0].lts;
        prop_assert_eq!(triples(lts), reachable(&edges), "{}", text);
    }
}

/// A process with a definition for each of five states.
fn printed(edges: &BTreeSet<(u32, u32, u32)>) -> String {
    let definition = |state: u32| {
        let own = edges.iter().filter(|(from, ..)| *from == state);
        let branches = own.map(|(_, label, to)| format!("a[{label}] -> S{to}"));
        let branches: Vec<String> = branches.collect();
        if branches.is_empty() {
            format!(",\nS{state} = STOP")
        } else {
            format!(",\nS{state} = ({})", branches.join(" | "))
        }
    };
    let definitions: String = (0..5).map(definition).collect();
    format!("P = S0{definitions}.")
}

/// The edges by the names of states and labels.
fn triples(lts: &Lts) -> BTreeSet<(String, String, String)> {
    let mut triples = BTreeSet::new();
    for state in lts.states() {
        for edge in lts.edges_from(state) {
            let name = |state: StateId| lts.state_name(state);
            triples.insert((
                name(state),
                lts.label(edge.label).to_string(),
                name(edge.target),
            ));
        }
    }
    triples
}

fn reachable(edges: &BTreeSet<(u32, u32, u32)>) -> BTreeSet<(String, String, String)> {
    let mut reached = BTreeSet::from([0]);
    for _ in 0..5 {
        let next: Vec<u32> = edges
            .iter()
            .filter(|e| reached.contains(&e.0))
            .map(|e| e.2)
            .collect();
        reached.extend(next);
    }
    let edges = edges.iter().filter(|(from, ..)| reached.contains(from));
    edges
        .map(|(from, label, to)| (format!("S{from}"), format!("a[{label}]"), format!("S{to}")))
        .collect()
}

fn errors(text: &str) -> FspErrors {
    let source = Source::new("model.lts", text);
    read_fsp(&source, &LoadOptions::default()).expect_err("there are errors")
}

#[test]
fn a_process_may_be_defined_many_times() {
    let two = errors("P = (a -> Q), Q = (b -> P), Q = (c -> P).");
    let three = errors("P = (a -> Q), Q = (b -> P), Q = (c -> P), Q = (d -> P).");
    let family = errors("P = Q[1], Q[i:0..2] = (a -> P), Q[i:0..3] = (b -> P), Q[1] = (c -> P).");
    assert_eq!(
        [
            two.iter().count(),
            three.iter().count(),
            family.iter().count()
        ],
        [1, 2, 2]
    );
    for error in three.iter() {
        assert_eq!(error.to_string(), "`Q` is defined twice");
    }
}

/// A text made of numbered pieces.
fn repeated(count: usize, piece: &dyn Fn(usize) -> String) -> String {
    let pieces: Vec<String> = (0..count).map(piece).collect();
    pieces.concat()
}

/// How many errors are listed, and how many are not.
fn listed(errors: &FspErrors) -> (usize, usize) {
    let more = errors.iter().find_map(|error| match error {
        FspError::More { count } => Some(*count),
        _ => None,
    });
    let listed = errors
        .iter()
        .filter(|error| !matches!(error, FspError::More { .. }));
    (listed.count(), more.unwrap_or(0))
}

/// Each of these would take minutes if every error looked at everything else in the file.
#[test]
fn thousands_of_errors_are_counted() {
    const MANY: usize = 20_000;
    let names = |each: &dyn Fn(usize) -> String| repeated(MANY, each);
    let processes = names(&|n| format!("P{n} = (a -> Q{n}). "));
    assert_eq!(listed(&errors(&processes)), (50, MANY - 50));
    let locals = names(&|n| format!(", L{n} = (a -> M{n})"));
    assert_eq!(
        listed(&errors(&format!("P = (a -> L0){locals}."))),
        (50, MANY - 50)
    );
    let constants = names(&|n| format!("const C{n} = D{n} "));
    assert_eq!(listed(&errors(&constants)), (50, MANY - 50));
    let strays = names(&|_| "$ ".to_string());
    assert_eq!(
        listed(&errors(&format!("P = (a -> P). {strays}"))),
        (50, MANY - 50)
    );
    // One error for the whole family.
    let family = format!("P = Q[0], Q[i:0..{MANY}] = (a -> Q[i + {MANY} + 1]).");
    assert_eq!(listed(&errors(&family)), (1, 0));
}

/// Each would take as long if every reference looked at all definitions.
#[test]
fn thousands_of_definitions_are_found_by_name() {
    const MANY: usize = 20_000;
    let locals = repeated(MANY, &|n| format!(", L{n} = (a -> L{})", (n + 1) % MANY));
    assert!(read(&format!("P = (a -> L0){locals}.")));
    let copies = " || P".repeat(9_000);
    assert!(read(&format!("P = (a -> P). ||C = (P{copies}).")));
    let warned = repeated(MANY, &|n| format!("x{n}, "));
    let labels = repeated(MANY, &|n| format!("b{n}, "));
    let text = format!("P = (a -> P) + {{{labels}b}}. ||C = P\\{{{warned}a}}.");
    let model = read_fsp(&Source::from(text), &LoadOptions::default()).unwrap();
    let warnings = model.warnings();
    assert_eq!(warnings.len(), 51);
    let more = format!("and {} more warnings", MANY - 50);
    assert_eq!(warnings[50].to_string(), more);
}

const DATABASE: &str = include_str!("../../../../models/readers-writers.lts");

fn database(readers: i64, limits: Limits) -> Result<(), FspErrors> {
    let options = LoadOptions {
        constants: vec![("READERS".into(), readers)],
        limits,
        ..LoadOptions::default()
    };
    let source = Source::new("readers-writers.lts", DATABASE);
    read_fsp(&source, &options).map(|_| ())
}

/// The only error, which is a limit that was reached.
fn stopped(result: Result<(), FspErrors>) -> StopReason {
    let errors = result.expect_err("a limit is reached").into_vec();
    let [error] = &errors[..] else {
        panic!("{errors:?} is more than one error");
    };
    error.stopped().expect("it is a limit").clone()
}

/// It has four hundred million edges, which are counted before they are made.
#[test]
fn what_is_too_large_is_refused_before_it_is_made() {
    let errors = database(10_000, Limits::default()).unwrap_err();
    let large = errors
        .iter()
        .any(|error| matches!(error, FspError::TooLarge { .. }));
    assert!(large, "{errors:?}");
}

#[test]
fn reading_keeps_to_limits() {
    assert!(database(100, Limits::default()).is_ok());
    let memory = |bytes| Limits {
        memory: Some(bytes),
        ..Limits::default()
    };
    assert!(database(100, memory(50_000_000)).is_ok());
    let limit = 200_000;
    assert_eq!(
        stopped(database(100, memory(limit))),
        StopReason::Memory { limit }
    );
    let limit = std::time::Duration::ZERO;
    let late = Limits {
        deadline: Some(Deadline::after(limit)),
        ..Limits::default()
    };
    assert_eq!(stopped(database(100, late)), StopReason::Time { limit });
    let interrupted = Limits::default();
    interrupted.cancel.cancel();
    assert_eq!(stopped(database(100, interrupted)), StopReason::Interrupted);
}

/// What is composed, made deterministic or minimised while a model is read keeps to limits as well.
#[test]
fn inner_compositions_keep_to_limits() {
    let ring = "const N = 14 P = (a -> b -> P). ";
    let kind = |words: &str| format!("{ring} {words} ||C = (p[1..N]:P).");
    for words in ["compose", "minimal", "deterministic"] {
        let options = LoadOptions {
            limits: Limits {
                memory: Some(1_000_000),
                ..Limits::default()
            },
            ..LoadOptions::default()
        };
        let source = Source::from(kind(words));
        let result = read_fsp(&source, &options).map(|_| ());
        assert_eq!(
            stopped(result),
            StopReason::Memory { limit: 1_000_000 },
            "{words}"
        );
    }
}
