use std::fmt::Write;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::{read_aut, write_lts_aut};
use crate::lts::Lts;
use crate::testing::rendered;
use sweepline_graph::StateId;

/// An LTS as one line: the initial state, the number of states, and the edges.
fn listing(lts: &Lts) -> String {
    let mut text = format!("{} of {}:", lts.initial().0, lts.len());
    for state in lts.states() {
        for edge in lts.edges_from(state) {
            let (label, target) = (lts.label(edge.label), edge.target.0);
            write!(text, " {} -{label}-> {target}", state.0).unwrap();
        }
    }
    text
}

fn read(text: &str) -> String {
    match read_aut("file.aut", text.as_bytes()) {
        Ok(lts) => listing(&lts),
        Err(error) => rendered(&error),
    }
}

fn written(lts: &Lts) -> Vec<u8> {
    let mut file = Vec::new();
    write_lts_aut(lts, &mut file).unwrap();
    file
}

#[test]
fn files_of_many_tools_are_read() {
    for (text, expected) in [
        ("des (0,0,1)", "0 of 1:"),
        ("des(1, 1, 2)\n(1, a, 0)", "1 of 2: 1 -a-> 0"),
        (
            "\u{feff}des (0,1,3)  \r\n\r\n(2,\"a\",0)\r\n",
            "0 of 3: 2 -a-> 0",
        ),
        (
            "\n des ( 0 , 3 , 2 ) \n ( 1 , c(d, \"e\") , 0 )\n(0,\"x y\",1)\n(0,tau,1)\n\n",
            "0 of 2: 0 -x y-> 1 0 -tau-> 1 1 -c(d, \"e\")-> 0",
        ),
        (
            "des (0,2,1)\n(0,i,0)\n(0,\"\\i\",0)",
            "0 of 1: 0 -tau-> 0 0 -i-> 0",
        ),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn labels_are_the_same_with_and_without_quotes() {
    let file = "des (0,4,1)\n(0,a,0)\n(0,\"a\",0)\n(0,\"i\",0)\n(0,tau,0)";
    let lts = read_aut("f", file.as_bytes()).unwrap();
    assert_eq!(lts.labels(), ["tau", "a"]);
    let labels: Vec<u32> = lts
        .edges_from(StateId(0))
        .iter()
        .map(|e| e.label.0)
        .collect();
    assert_eq!(labels, [1, 1, 0, 0]);
}

#[test]
fn headers_can_be_wrong() {
    assert_snapshot!(read(""), @r"
    aut::empty

      × the file is empty
      help: the first line is `des (first, transitions, states)`, for example `des
            (0, 2, 2)`
    ");
    assert_snapshot!(read("\n\n(0,a,1)\n"), @r"
    aut::header

      × the file does not begin with a header
       ╭─[file.aut:3:1]
     3 │ (0,a,1)
       · ───┬───
       ·    ╰── expected `des`
       ╰────
      help: the first line is `des (first, transitions, states)`, for example `des
            (0, 2, 2)`
    ");
    assert_snapshot!(read("des (0, 1 2)\n"), @r"
    aut::expected

      × expected `,`
       ╭─[file.aut:1:11]
     1 │ des (0, 1 2)
       ·           ┬
       ·           ╰── expected `,` here
       ╰────
      help: a header is `des (first, transitions, states)`
    ");
    assert_snapshot!(read("des (0, 1, 2"), @r"
    aut::expected

      × expected `)`
       ╭─[file.aut:1:13]
     1 │ des (0, 1, 2
       ·             ▲
       ·             ╰── expected `)` here
       ╰────
      help: a header is `des (first, transitions, states)`
    ");
    assert_snapshot!(read("des (0, 1, 2) states"), @r"
    aut::expected

      × expected the end of the line
       ╭─[file.aut:1:15]
     1 │ des (0, 1, 2) states
       ·               ┬
       ·               ╰── expected the end of the line here
       ╰────
      help: a header is `des (first, transitions, states)`
    ");
    assert_snapshot!(read("des (3, 1, 2)"), @r"
    aut::no_such_state

      × there is no state 3: the header announces 2 states
       ╭─[file.aut:1:6]
     1 │ des (3, 1, 2)
       ·      ┬
       ·      ╰── no such state
       ╰────
      help: states are numbered from 0 to 1
    ");
    assert_snapshot!(read("des (0, 0, 0)"), @r"
    aut::no_such_state

      × there is no state 0: the header announces 0 states
       ╭─[file.aut:1:6]
     1 │ des (0, 0, 0)
       ·      ┬
       ·      ╰── no such state
       ╰────
      help: there is always at least one state
    ");
    assert_snapshot!(read("des (0, 0, 99999999999999999999)"), @r"
    aut::large_number

      × the number of states is too large
       ╭─[file.aut:1:12]
     1 │ des (0, 0, 99999999999999999999)
       ·            ──────────┬─────────
       ·                      ╰── too large
       ╰────
      help: there can be at most 4294967295 states
    ");
    assert_snapshot!(read("des (0, 0, 4294967296)"), @r"
    aut::large_number

      × the number of states is too large
       ╭─[file.aut:1:12]
     1 │ des (0, 0, 4294967296)
       ·            ─────┬────
       ·                 ╰── too large
       ╰────
      help: there can be at most 4294967295 states
    ");
}

#[test]
fn counts_can_be_wrong() {
    assert_snapshot!(read("des (0, 3, 2)\n(0,a,1)\n(1,a,0)\n"), @r"
    aut::too_few_transitions

      × the header announces 3 transitions, but there are only 2
       ╭─[file.aut:1:9]
     1 │ des (0, 3, 2)
       ·         ┬
       ·         ╰── this number
       ╰────
      help: is the file complete? If so, write 2 instead
    ");
    assert_snapshot!(read("des (0, 1, 2)\n(0,a,1)\n(1,a,0)\n"), @r"
    aut::too_many_transitions

      × the header announces 1 transitions, but there are more
       ╭─[file.aut:3:1]
     3 │ (1,a,0)
       · ───┬───
       ·    ╰── one too many
       ╰────
      help: correct the header, or remove what follows
    ");
    assert_snapshot!(read("des (0, 1, 4294967295)\n(0,a,1)\n"), @r"
    aut::too_many_states

      × the header announces 4294967295 states, but there are only 1 transitions
       ╭─[file.aut:1:12]
     1 │ des (0, 1, 4294967295)
       ·            ─────┬────
       ·                 ╰── this number
       ╰────
      help: most of these states could not be reached; correct the header
    ");
    assert_snapshot!(read("des (0, 18446744073709551615, 2)\n(0,a,1)\n"), @r"
    aut::too_few_transitions

      × the header announces 18446744073709551615 transitions, but there are only
      │ 1
       ╭─[file.aut:1:9]
     1 │ des (0, 18446744073709551615, 2)
       ·         ──────────┬─────────
       ·                   ╰── this number
       ╰────
      help: is the file complete? If so, write 1 instead
    ");
}

#[test]
fn transitions_can_be_wrong() {
    assert_snapshot!(read("des (0, 2, 2)\n(0,a,1)\n(0,a,2)\n"), @r"
    aut::no_such_state

      × there is no state 2: the header announces 2 states
       ╭─[file.aut:3:6]
     3 │ (0,a,2)
       ·      ┬
       ·      ╰── no such state
       ╰────
      help: states are numbered from 0 to 1
    ");
    assert_snapshot!(read("des (0, 1, 2)\n0,a,1\n"), @r#"
    aut::expected

      × expected `(`
       ╭─[file.aut:2:1]
     2 │ 0,a,1
       · ┬
       · ╰── expected `(` here
       ╰────
      help: a transition is `(from, "label", to)`
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(a,0,1)\n"), @r#"
    aut::expected

      × expected the number of the source state
       ╭─[file.aut:2:2]
     2 │ (a,0,1)
       ·  ┬
       ·  ╰── expected the number of the source state here
       ╰────
      help: a transition is `(from, "label", to)`
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(0 a,1)\n"), @r#"
    aut::expected

      × expected `,`
       ╭─[file.aut:2:4]
     2 │ (0 a,1)
       ·    ┬
       ·    ╰── expected `,` here
       ╰────
      help: a transition is `(from, "label", to)`
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(0, a 1)\n"), @r#"
    aut::expected

      × expected `,` and the number of the target state
       ╭─[file.aut:2:8]
     2 │ (0, a 1)
       ·        ┬
       ·        ╰── expected `,` and the number of the target state here
       ╰────
      help: a transition is `(from, "label", to)`
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(0,a,b)\n"), @r#"
    aut::expected

      × expected the number of the target state
       ╭─[file.aut:2:6]
     2 │ (0,a,b)
       ·      ┬
       ·      ╰── expected the number of the target state here
       ╰────
      help: a transition is `(from, "label", to)`
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(0,a,1\n"), @r#"
    aut::expected

      × expected `)`
       ╭─[file.aut:2:7]
     2 │ (0,a,1
       ·       ▲
       ·       ╰── expected `)` here
       ╰────
      help: a transition is `(from, "label", to)`
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(0, ,1)\n"), @r#"
    aut::expected

      × expected a label
       ╭─[file.aut:2:5]
     2 │ (0, ,1)
       ·     ┬
       ·     ╰── expected a label here
       ╰────
      help: a transition is `(from, "label", to)`
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(0,\"a,1)\n"), @r#"
    aut::unclosed_quotes

      × quotes are not closed
       ╭─[file.aut:2:4]
     2 │ (0,"a,1)
       ·    ─┬
       ·     ╰── this label
       ╰────
      help: put quotes on both sides of the label, or on none
    "#);
    assert_snapshot!(read("des (0, 1, 2)\n(0,a,123456789012345678901234567890)\n"), @r"
    aut::large_number

      × the number of the target state is too large
       ╭─[file.aut:2:6]
     2 │ (0,a,123456789012345678901234567890)
       ·      ───────────────┬──────────────
       ·                     ╰── too large
       ╰────
      help: there can be at most 4294967295 states
    ");
}

#[test]
fn of_long_lines_only_a_part_is_shown() {
    let long = format!("des (0, 1, 2)\n(0,\"{},1)\n", "a long label ".repeat(1000));
    let shown = read(&long);
    assert!(shown.len() < 2000, "{shown}");
    assert!(shown.contains("file.aut:2:4"), "{shown}");
}

#[test]
fn labels_are_text() {
    let error = read_aut("file.aut", &b"des (0, 1, 1)\n(0, \"a\xff\xfeb\", 0)"[..]).unwrap_err();
    assert_snapshot!(rendered(&error), @r#"
    aut::not_text

      × a label is not UTF-8 text
       ╭─[file.aut:2:5]
     2 │ (0, "a��b", 0)
       ·     ───┬──
       ·        ╰── this label
       ╰────
      help: is it the right file? If so, convert it to UTF-8
    "#);
}

#[test]
fn labels_with_line_breaks_cannot_be_written() {
    let mut builder = Lts::builder();
    let state = builder.state();
    builder.label("a\nb");
    let error = write_lts_aut(&builder.build(state), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("line break"), "{error}");
}

fn some_lts() -> impl Strategy<Value = Lts> {
    let label = prop_oneof![Just("tau".to_string()), "[i\"\\\\,() ab\u{fc}]{0,5}"];
    (1_u32..6).prop_flat_map(move |states| {
        let edges = prop::collection::vec((0..states, label.clone(), 0..states), 0..12);
        (edges, 0..states).prop_map(move |(mut edges, initial)| {
            // The order in which they are written.
            edges.sort_by_key(|(source, ..)| *source);
            let mut builder = Lts::builder();
            for _ in 0..states {
                builder.state();
            }
            for (source, label, target) in edges {
                let label = builder.label(&label);
                builder.edge(StateId(source), label, StateId(target));
            }
            builder.build(StateId(initial))
        })
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back_to_the_same(lts in some_lts()) {
        let file = written(&lts);
        let again = read_aut("file.aut", &file[..]).unwrap();
        prop_assert_eq!(&again, &lts);
        prop_assert_eq!(written(&again), file);
    }

    #[test]
    fn reading_never_panics(text in "(des ?\\(0,[0-3],[0-3]\\)\n)?([(),\" \n\r\\\\0-9ai\u{fc}]|\\([0-3],a,[0-3]\\)\n){0,20}") {
        let _ = read(&text);
    }
}
