//! Good and bad state spaces.

use super::*;
use crate::testing::{Listing, rendered};
use insta::assert_snapshot;
use proptest::prelude::*;

fn check(text: &str, expected: &[&str]) {
    match read_ss(&text.into()) {
        Ok(graph) => assert_eq!(Listing::of(&graph).0, expected),
        Err(errors) => panic!("{}", rendered(&errors)),
    }
}

#[test]
fn the_format_of_the_thesis_is_read() {
    check(
        "1 7 2 !p !q * 2\n2 8 2 !p q * 1 RP2 2\n",
        &["1 7 {} -*-> 2", "2 8 {q} -*-> 1 -RP2-> 2"],
    );
}

#[test]
fn blank_lines_comments_and_missing_propositions_are_fine() {
    check(
        "\n# two states\n  1 -5 0 a 2\r\n\n\t2 9223372036854775807 1 p",
        &["1 -5 {} -a-> 2", "2 9223372036854775807 {p}"],
    );
}

#[test]
fn names_with_blanks_are_quoted() {
    check(
        "1 0 2 \"p q\" !\"!r\" \"send \"\"x\"\"\" 1 !\"a\" 1",
        &["1 0 {p q} -send \"x\"-> 1 -!a-> 1"],
    );
}

fn error(text: &str) -> String {
    rendered(&read_ss(&Source::new("model.ss", text)).unwrap_err())
}

#[test]
fn empty_files_are_reported() {
    assert_snapshot!(error("# nothing\n\n"), @r"
    ss::empty

      × the state space is empty
      help: a state is a line `id progress n p1 … pn action successor …`, for
            example `1 0 1 !p a 2`
    ");
}

#[test]
fn short_lines_are_reported() {
    assert_snapshot!(error("1\n2 0\n"), @r"
      × 2 errors

    Error: ss::missing

      × the progress value is missing
       ╭─[model.ss:1:2]
     1 │ 1
       ·  ▲
       ·  ╰── the line ends here
     2 │ 2 0
       ╰────
      help: a state is a line `id progress n p1 … pn action successor …`

    Error: ss::missing

      × the number of propositions is missing
       ╭─[model.ss:2:4]
     1 │ 1
     2 │ 2 0
       ·    ▲
       ·    ╰── the line ends here
       ╰────
      help: a state is a line `id progress n p1 … pn action successor …`
    ");
}

#[test]
fn words_instead_of_numbers_are_reported() {
    assert_snapshot!(error("start 0 1 p a x\n"), @r"
    ss::not_a_number

      × the state's id should be a number, not `start`
       ╭─[model.ss:1:1]
     1 │ start 0 1 p a x
       · ──┬──
       ·   ╰── expected a number
       ╰────
      help: a line begins with three numbers: `id progress n`
    ");
    assert_snapshot!(error("1 99999999999999999999 0\n"), @r"
    ss::large_number

      × the progress value 99999999999999999999 is too large
       ╭─[model.ss:1:3]
     1 │ 1 99999999999999999999 0
       ·   ──────────┬─────────
       ·             ╰── needs more than 64 bits
       ╰────
      help: numbers lie between -9223372036854775808 and 9223372036854775807
    ");
    assert_snapshot!(error("1 0 1 p a 1\n2 0 1 p a two b 1\n"), @r"
    ss::not_a_number

      × the successor should be a number, not `two`
       ╭─[model.ss:2:11]
     1 │ 1 0 1 p a 1
     2 │ 2 0 1 p a two b 1
       ·           ─┬─
       ·            ╰── expected a number
       ╰────
      help: propositions are followed by pairs of an action and the number of a
            state
    ");
}

#[test]
fn wrong_numbers_of_propositions_are_reported() {
    assert_snapshot!(error("1 7 3 !p !q * 1\n"), @r"
    ss::proposition_count

      × the number of propositions is 3, but what follows are not pairs of an
      │ action and a state
       ╭─[model.ss:1:5]
     1 │ 1 7 3 !p !q * 1
       ·     ┬         ┬
       ·     │         ╰── does not fit here
       ·     ╰── this number
       ╰────
      help: with 2 the line could be read
    ");
    assert_snapshot!(error("1 7 1 !p !q * 1\n"), @r"
    ss::proposition_count

      × the number of propositions is 1, but what follows are not pairs of an
      │ action and a state
       ╭─[model.ss:1:5]
     1 │ 1 7 1 !p !q * 1
       ·     ┬       ┬
       ·     │       ╰── does not fit here
       ·     ╰── this number
       ╰────
      help: with 2 the line could be read
    ");
    assert_snapshot!(error("1 7 5 !p\n"), @r"
    ss::proposition_count

      × the number of propositions is 5, but the number of words that follow is 1
       ╭─[model.ss:1:5]
     1 │ 1 7 5 !p
       ·     ┬   ▲
       ·     │   ╰── does not fit here
       ·     ╰── this number
       ╰────
      help: with 1 the line could be read
    ");
    assert_snapshot!(error("1 7 -1 p\n"), @r"
    ss::proposition_count

      × the number of propositions is -1, but the number of words that follow is 1
       ╭─[model.ss:1:5]
     1 │ 1 7 -1 p
       ·     ─┬  ▲
       ·      │  ╰── does not fit here
       ·      ╰── this number
       ╰────
      help: with 1 the line could be read
    ");
}

#[test]
fn states_without_or_with_two_lines_are_reported() {
    assert_snapshot!(error("1 0 0 a 2 b 3\n1 1 0\n"), @r"
      × 3 errors

    Error: ss::duplicate_state

      × state 1 has two lines
       ╭─[model.ss:1:1]
     1 │ 1 0 0 a 2 b 3
       · ┬
       · ╰── first here
     2 │ 1 1 0
       · ┬
       · ╰── and again here
       ╰────
      help: give one of them another number, or remove it

    Error: ss::unknown_successor

      × there is no state 2
       ╭─[model.ss:1:9]
     1 │ 1 0 0 a 2 b 3
       ·         ┬
       ·         ╰── no line begins with this number
     2 │ 1 1 0
       ╰────
      help: every successor needs a line of its own, be it `2 0 0`; is the file
            complete?

    Error: ss::unknown_successor

      × there is no state 3
       ╭─[model.ss:1:13]
     1 │ 1 0 0 a 2 b 3
       ·             ┬
       ·             ╰── no line begins with this number
     2 │ 1 1 0
       ╰────
      help: every successor needs a line of its own, be it `3 0 0`; is the file
            complete?
    ");
}

#[test]
fn incomplete_edges_are_reported() {
    assert_snapshot!(error("1 0 1 p a 1 b\n"), @r"
    ss::missing_successor

      × action `b` has no successor
       ╭─[model.ss:1:13]
     1 │ 1 0 1 p a 1 b
       ·             ┬
       ·             ╰── expected a number behind it
       ╰────
      help: propositions are followed by pairs of an action and the number of a
            state
    ");
    assert_snapshot!(error("1 0 0 \"a b 1\n"), @r#"
    ss::unclosed_quotes

      × quotes are not closed
       ╭─[model.ss:1:7]
     1 │ 1 0 0 "a b 1
       ·       ───┬──
       ·          ╰── from here to the end of the line
       ╰────
      help: close them with "; inside quotes, that mark is written twice
    "#);
}

#[test]
fn strange_propositions_are_reported() {
    assert_snapshot!(error("1 0 5 p ! !p state q\n"), @r"
      × 3 errors

    Error: ss::nameless_proposition

      × a proposition has no name
       ╭─[model.ss:1:9]
     1 │ 1 0 5 p ! !p state q
       ·         ┬
       ·         ╰── no name
       ╰────
      help: write `!p`, without a blank

    Error: ss::repeated_proposition

      × proposition `p` is given twice for the same state
       ╭─[model.ss:1:11]
     1 │ 1 0 5 p ! !p state q
       ·           ─┬
       ·            ╰── given before
       ╰────
      help: write either `p` or `!p`, once

    Error: ss::reserved_proposition

      × a proposition cannot be called `state`
       ╭─[model.ss:1:14]
     1 │ 1 0 5 p ! !p state q
       ·              ──┬──
       ·                ╰── this name is taken
       ╰────
      help: `state` is the number of a state and `progress` its progress value;
            choose another name
    ");
}

#[test]
fn not_every_error_of_a_hopeless_file_is_reported() {
    let errors = read_ss(&"x y z\n".repeat(1000).into())
        .unwrap_err()
        .into_vec();
    assert_eq!(errors.len(), MOST_ERRORS + 1);
    assert_eq!(errors[MOST_ERRORS].to_string(), "and 2980 more errors");
}

#[test]
fn long_lines_take_linear_time() {
    let line = "1 0 1 ".to_string() + &"a 1 ".repeat(200_000) + "b";
    assert!(read_ss(&line.into()).is_err());
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        let _ = read_ss(&text.into());
    }

    #[test]
    fn no_words_make_the_reader_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "1", "2", "-3", "0", "p", "!p", "!", "\"", "\"a b\"", "!\"c\"", "\n", "\n1 0 0", "state", "#",
        ]), 0..40),
    ) {
        if let Ok(graph) = read_ss(&words.join(" ").into()) {
            crate::ExplicitSystem::new(&graph);
        }
    }
}
