use insta::assert_snapshot;
use proptest::prelude::*;

use crate::Source;
use crate::omega::testing::automaton;
use crate::omega::{OmegaAutomaton, accepts, read_omega};
use crate::testing::{Placeless, rendered};

fn read(text: &str) -> OmegaAutomaton {
    read_omega(&text.into()).unwrap_or_else(|errors| panic!("{}", rendered(&errors)))
}

/// The automaton accepts words of the one kind and not of the other; both are stems and loops of letters.
fn check(text: &str, accepted: &[(&[u64], &[u64])], rejected: &[(&[u64], &[u64])]) {
    let automaton = read(text);
    for (stem, repeated) in accepted {
        assert!(
            accepts(&automaton, stem, repeated),
            "{stem:?} | {repeated:?}"
        );
    }
    for (stem, repeated) in rejected {
        assert!(
            !accepts(&automaton, stem, repeated),
            "{stem:?} | {repeated:?}"
        );
    }
}

#[test]
fn labels_and_marks_may_stand_anywhere() {
    let again: [(&[u64], &[u64]); 2] = [(&[], &[1]), (&[0], &[0, 1])];
    let finite: [(&[u64], &[u64]); 2] = [(&[], &[0]), (&[1, 1], &[0])];
    // On edges, on states, without labels, with aliases; all for GF a.
    for body in [
        "States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--",
        "Start: 0 Start: 1 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: [0] 0 {0} 0 1 State: [!0] 1 0 1 --END--",
        "Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 0 0 {0} --END--",
        "Alias: @x 0 | f Alias: @y !@x AP: 1 \"a\" Start: 0 Acceptance: 1 (Inf(0)) --BODY-- State: 0 \"s\" [@y] 0 [@x & t] 0 {0} --END--",
        "AP: 1 \"a\" Start: 0 Acceptance: 1 Inf(!0) | f --BODY-- State: 0 [0] 0 [!0] 0 {0} --END--",
        "AP: 1 \"a\" Start: 0 Acceptance: 2 Inf(!0) & Fin(1) --BODY-- State: 0 [0] 0 [!0] 0 {0} --END--",
    ] {
        check(
            &format!("HOA: v1 name: \"GF a\" /* a /* nested */ comment */ {body}"),
            &again,
            &finite,
        );
    }
}

#[test]
fn propositions_may_be_predicates_or_any_name() {
    let text = "HOA: v1 AP: 4 \"x > 3\" \"p0\" \"a-b\" \"say \\\"hi\\\"\" Acceptance: 0 t --BODY-- --END--";
    let names: Vec<String> = read(text).atoms.iter().map(ToString::to_string).collect();
    // A difference is a number, so this is a name.
    assert_eq!(names, ["(x > 3)", "p0", "\"a-b\"", "\"say \"\"hi\"\"\""]);
}

#[test]
fn never_claims_are_read() {
    let claim = "never { /* F G !p */
        T0_init: if :: (1) -> goto T0_init :: (!p) -> goto accept_S1 fi;
        accept_S1: do :: (!p) -> goto accept_S1 od;
    }";
    check(claim, &[(&[1], &[0])], &[(&[], &[0, 1]), (&[], &[1])]);
    let ended = "never { T0_init: if :: (p && !q) -> goto accept_all :: else -> goto T0_init fi; accept_all: skip }";
    check(
        ended,
        &[(&[0, 1], &[0]), (&[], &[3, 1])],
        &[(&[], &[0, 3, 2])],
    );
    let asserted =
        "/* by hand */ never { S: do :: atomic { (p) -> assert(!(p)) } :: (1) -> goto S od; }";
    check(asserted, &[(&[0, 1], &[0])], &[(&[], &[0])]);
}

#[test]
fn the_format_of_the_thesis_may_start_in_an_accepting_state() {
    check("0\n0\n0 p 0", &[(&[], &[1])], &[(&[1], &[0])]);
    check(
        "0\n1\n0 true 0 \"x > 3\" 1\n1 true 0",
        &[(&[], &[0, 1])],
        &[(&[1], &[0])],
    );
}

#[test]
fn what_is_wrong_is_said() {
    let error = |text: &str| rendered(&read_omega(&Source::new("a.hoa", text)).unwrap_err());
    let texts = [
        "HOA: v2",
        "HOA: v1 States: 1\nSpart: 0\nAcceptance: 1 Inf(0)\n--BODY--\n--END--",
        "HOA: v1\nStates: 2\nStart: 0&1\nAcceptance: 0 t\n--BODY--\n--END--",
        "HOA: v1\nStates: 2\nAP: 1 \"a\"\nAcceptance: 1 Inf(1)\n--BODY--\n--END--",
        "HOA: v1\nStates: 2\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0 [1] 1\n--END--",
        "HOA: v1\nStates: 2\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0 [@x] 1\n--END--",
        "HOA: v1\nStates: 2\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0 0 1 1\n--END--",
        "HOA: v1\nStates: 2\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0 [0] 3\n--END--",
        "HOA: v1\nStates: 99999999999\nAcceptance: 0 t\n--BODY--\n--END--",
        "HOA: v1\nStates: 1\n--BODY--\n--END--",
        "HOA: v1\nAcceptance: 0 t\n--BODY--\nState: 0 \"unclosed",
        "never { a: if :: (p) -> goto b fi }",
        "never { a: if :: (p > ) -> goto a fi }",
        "never { a: while }",
    ];
    assert_snapshot!("errors", texts.map(error).join("\n\n"));
}

/// A label that speaks of propositions nobody declared is true of no letter.
#[test]
fn propositions_are_declared() {
    let body = "Acceptance: 0 t\n--BODY--\nState: 0 [@x] 0\n--END--";
    for (headers, is_right) in [
        ("Alias: @x 0\nAP: 1 \"a\"", true),
        ("Alias: @x 1\nAP: 1 \"a\"", false),
        ("AP: 1 \"a\"\nAlias: @x 1", false),
        ("Alias: @x 0", false),
        ("Alias: @x t", true),
    ] {
        let text = format!("HOA: v1\n{headers}\n{body}");
        let read = read_omega(&text.as_str().into());
        assert_eq!(read.is_ok(), is_right, "{headers}");
    }
    let text = "HOA: v1\nAcceptance: 0 t\n--BODY--\nState: 0 [0] 0\n--END--";
    assert!(read_omega(&text.into()).is_err());
}

#[test]
fn what_is_deep_or_large_is_refused() {
    for text in [
        format!("HOA: v1 AP: 1 \"a\" Acceptance: 1 {}", "(".repeat(100_000)),
        format!(
            "HOA: v1 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [{}0",
            "!".repeat(100_000)
        ),
        "HOA: v1 Acceptance: 0 t --BODY-- State: 4000000000 --END--".into(),
        "HOA: v1 AP: 65".into(),
        "HOA: v1 Acceptance: 99 t".into(),
        format!(
            "HOA: v1 AP: 64 {} Acceptance: 0 t --BODY-- State: 0 [{}] 0 --END--",
            "\"a\" ".repeat(64),
            (0..32)
                .map(|atom| format!("{atom} & {}", atom + 32))
                .collect::<Vec<_>>()
                .join(" | ")
        ),
    ] {
        assert!(
            read_omega(&text.as_str().into()).is_err(),
            "{}",
            &text[..40.min(text.len())]
        );
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(automaton in automaton(2), words in prop::collection::vec(prop::collection::vec(0..4_u64, 1..5), 20)) {
        let again = read(&automaton.to_hoa());
        prop_assert_eq!(again.atoms.clone().placeless(), automaton.atoms.clone());
        prop_assert_eq!(read(&again.to_hoa()).to_hoa(), again.to_hoa());
        for word in words {
            let (stem, repeated) = word.split_at(word.len() / 2);
            prop_assert_eq!(accepts(&again, stem, repeated), accepts(&automaton, stem, repeated));
        }
    }

    #[test]
    fn reading_never_panics(text in "(HOA: v1 )?(States: 2|Start: [0-2]|AP: 1 \"a\"|Acceptance: 1 (Inf|Fin)\\(!?0\\)|Alias: @x 0|--BODY--|State:|\\[0\\]|[0-2]|\\{0\\}|--END--|[\\[\\](){}!&|]|/\\*|\"|t| |\u{fc}){0,30}") {
        // What was read is written and read again.
        if let Ok(automaton) = read_omega(&text.as_str().into()) {
            prop_assert_eq!(read(&automaton.to_hoa()).edges.len(), automaton.edges.len());
        }
    }

    #[test]
    fn reading_claims_never_panics(text in "never ?\\{(a:|if|fi|do|od|::|->|goto|a|\\(p\\)|else|atomic|assert|[;{}()0:]|skip|/\\*| |\u{fc}){0,30}") {
        let _ = read_omega(&text.as_str().into());
    }
}
