//! No input makes the reader panic, and what is printed is read back.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_fsp::{LoadOptions, read_fsp};
use sweepline_logic::Source;
use sweepline_process::{Lts, StateId};

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
