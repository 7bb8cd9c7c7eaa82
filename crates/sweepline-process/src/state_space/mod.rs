//! Reading `.ss` state spaces, the format of Section 7.4.1 of the thesis on model checking with the sweep-line method.
//!
//! One line per state, the initial state first:
//!
//! ```text
//! id progress n p1 … pn action successor action successor …
//! ```
//!
//! `p` says that a proposition holds, `!p` that it does not. What a line does not mention does not hold. We also allow
//! blank lines, comments (`# …` on a line of its own), and words in quotes where a name contains blanks.

mod error;

use std::collections::HashMap;
use std::ops::Range;

use sweepline_core::ActionId;
use sweepline_logic::{Errors, Source};

use crate::graph::{Graph, GraphEdge, GraphState, StateId};
use crate::names::Names;
use crate::word::{Line, Quotes, Word, lines};
use error::SHAPE;

pub use error::SsError;

/// Errors that are reported one by one; the others are counted.
const MOST_ERRORS: usize = 20;

/// Reads a `.ss` state space.
///
/// ```
/// use sweepline_process::{StateId, read_ss};
///
/// let graph = read_ss(&"1 7 2 !p !q * 2\n2 8 2 p !q".into()).unwrap();
/// assert_eq!(graph.state(StateId(1)).truths[..], [true, false]);
/// assert_eq!(graph.label(&graph.edges()[0]), "*");
/// ```
pub fn read_ss(source: &Source) -> Result<Graph, Errors<SsError>> {
    let mut reader = Reader::new(source);
    for line in lines(source) {
        reader.line(&line);
    }
    reader.finish()
}

/// What has been read so far.
struct Reader<'a> {
    source: &'a Source,
    states: Vec<GraphState>,
    /// Where each state's number stands.
    places: Vec<Range<usize>>,
    by_id: HashMap<i64, StateId>,
    edges: Vec<RawEdge>,
    actions: Names,
    propositions: Names,
    /// How many propositions the last good line had.
    usual_count: Option<usize>,
    errors: Vec<SsError>,
    more_errors: usize,
}

/// An edge whose target has not been looked up.
struct RawEdge {
    source: StateId,
    action: ActionId,
    target: i64,
    place: Range<usize>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source) -> Self {
        Self {
            source,
            states: Vec::new(),
            places: Vec::new(),
            by_id: HashMap::new(),
            edges: Vec::new(),
            actions: Names::default(),
            propositions: Names::default(),
            usual_count: None,
            errors: Vec::new(),
            more_errors: 0,
        }
    }

    /// One state. What is wrong is reported and left out.
    fn line(&mut self, line: &Line<'_>) {
        let words: Vec<Word<'_>> = line.words().collect();
        if let Some(word) = words.iter().find(|word| word.quotes == Quotes::Unclosed) {
            let at = word.span.clone().into();
            let text = self.source.named();
            return self.report(SsError::UnclosedQuotes { text, at });
        }
        let mut fields = words.iter();
        let id = self.field(line, fields.next(), "the state's id");
        let progress = self.field(line, fields.next(), "the progress value");
        let count = self.field(line, fields.next(), "the number of propositions");
        // The state exists, whatever else is wrong with its line.
        let state = id.and_then(|id| {
            let place = words[0].span.clone();
            self.add_state(id, progress.unwrap_or(0), place)
        });
        let (Some(state), Some(_), Some(count)) = (state, progress, count) else {
            return;
        };
        let rest = fields.as_slice();
        let Some(count) = self.proposition_count(line, &words[2], count, rest) else {
            return;
        };
        let (propositions, edges) = rest.split_at(count);
        let truths = self.truths(propositions);
        self.states[state.index()].truths = truths;
        self.edges(state, edges);
    }

    /// A number in front of the propositions. If a word is missing, only the first is reported.
    fn field(
        &mut self,
        line: &Line<'_>,
        word: Option<&Word<'_>>,
        what: &'static str,
    ) -> Option<i64> {
        let Some(word) = word else {
            let text = self.source.named();
            let at = line.end().into();
            if !matches!(self.errors.last(), Some(SsError::Missing { at: before, .. }) if *before == at)
            {
                self.report(SsError::Missing { what, text, at });
            }
            return None;
        };
        self.number(
            word,
            what,
            "a line begins with three numbers: `id progress n`",
        )
    }

    fn number(&mut self, word: &Word<'_>, what: &'static str, help: &str) -> Option<i64> {
        if let Ok(value) = word.text.parse() {
            return Some(value);
        }
        let (found, text) = (shortened(&word.text), self.source.named());
        let at = word.span.clone().into();
        self.report(if is_number(word) {
            SsError::LargeNumber {
                what,
                found,
                text,
                at,
            }
        } else {
            let help = help.to_string();
            SsError::NotANumber {
                what,
                found,
                help,
                text,
                at,
            }
        });
        None
    }

    fn add_state(&mut self, id: i64, progress: i64, place: Range<usize>) -> Option<StateId> {
        let state = StateId(u32::try_from(self.states.len()).ok()?);
        if let Some(&first) = self.by_id.get(&id) {
            self.report(SsError::DuplicateState {
                id,
                text: self.source.named(),
                first: self.places[first.index()].clone().into(),
                at: place.into(),
            });
            return None;
        }
        self.by_id.insert(id, state);
        self.places.push(place);
        self.states.push(GraphState {
            id,
            progress,
            truths: Box::default(),
            shown: Vec::new(),
        });
        Some(state)
    }

    /// The number of propositions, if what follows can be read with it.
    fn proposition_count(
        &mut self,
        line: &Line<'_>,
        word: &Word<'_>,
        announced: i64,
        rest: &[Word<'_>],
    ) -> Option<usize> {
        let count = usize::try_from(announced).unwrap_or(usize::MAX);
        let edges = rest.get(count..);
        if edges.is_some_and(is_edges) {
            self.usual_count = Some(count);
            return Some(count);
        }
        let other = fitting_count(rest, count);
        if edges.is_some_and(|edges| !self.is_count_to_blame(count, other, edges)) {
            return Some(count);
        }
        let wrong = edges.and_then(|edges| first_wrong(edges).or(edges.last()));
        self.report(SsError::PropositionCount {
            announced: announced.to_string(),
            then: match edges {
                Some(_) => "what follows are not pairs of an action and a state".to_string(),
                None => format!("the number of words that follow is {}", rest.len()),
            },
            help: match other {
                Some(other) => format!("with {other} the line could be read"),
                None => SHAPE.to_string(),
            },
            text: self.source.named(),
            count: word.span.clone().into(),
            at: wrong.map_or(line.end(), |word| word.span.clone()).into(),
        });
        None
    }

    /// Whether a wrong count is more likely than a wrong edge: another count would do, lines before this one have not
    /// the same, and it is not just that the last successor is missing.
    fn is_count_to_blame(&self, count: usize, other: Option<usize>, edges: &[Word<'_>]) -> bool {
        let is_only_cut_off = first_wrong(edges).is_none() && !edges.last().is_some_and(is_number);
        other.is_some() && self.usual_count != Some(count) && !is_only_cut_off
    }

    fn truths(&mut self, words: &[Word<'_>]) -> Box<[bool]> {
        let mut given: Vec<(usize, bool)> = Vec::with_capacity(words.len());
        for word in words {
            given.extend(self.proposition(word, &given));
        }
        let mut truths = vec![false; self.propositions.list().len()];
        for (proposition, truth) in given {
            truths[proposition] = truth;
        }
        truths.into()
    }

    fn proposition(&mut self, word: &Word<'_>, given: &[(usize, bool)]) -> Option<(usize, bool)> {
        let (name, truth) = word.literal();
        let known = self.propositions.number(name);
        let is_nameless = name.is_empty() && word.quotes == Quotes::None;
        let is_reserved = ["state", "progress"].contains(&name);
        let is_repeated = given.iter().any(|(before, _)| Some(*before) == known);
        if !is_nameless && !is_reserved && !is_repeated {
            let number = known.unwrap_or_else(|| self.propositions.intern(name));
            return Some((number, truth));
        }
        let (name, text) = (name.to_string(), self.source.named());
        let at = word.span.clone().into();
        self.report(if is_nameless {
            SsError::NamelessProposition { text, at }
        } else if is_reserved {
            SsError::ReservedProposition { name, text, at }
        } else {
            SsError::RepeatedProposition { name, text, at }
        });
        None
    }

    fn edges(&mut self, source: StateId, words: &[Word<'_>]) {
        let pairs = words.chunks_exact(2);
        if let [action] = pairs.remainder() {
            self.report(SsError::MissingSuccessor {
                action: action.label().into_owned(),
                text: self.source.named(),
                at: action.span.clone().into(),
            });
        }
        for pair in pairs {
            let [action, successor] = pair else { continue };
            let Some(target) = self.number(successor, "the successor", SHAPE) else {
                continue;
            };
            let Ok(action) = u32::try_from(self.actions.intern(&action.label())) else {
                continue; // reported in the end
            };
            self.edges.push(RawEdge {
                source,
                action: ActionId(action),
                target,
                place: successor.span.clone(),
            });
        }
    }

    fn finish(mut self) -> Result<Graph, Errors<SsError>> {
        if self.states.is_empty() && self.errors.is_empty() {
            return Err(SsError::Empty.into());
        }
        let limit = u32::MAX;
        let most = self.states.len().max(self.actions.list().len());
        if u32::try_from(most + 1).is_err() {
            return Err(SsError::TooLarge { limit }.into());
        }
        let edges = self.resolved_edges();
        let propositions = self.propositions.into_list();
        for state in &mut self.states {
            let mut truths = std::mem::take(&mut state.truths).into_vec();
            truths.resize(propositions.len(), false);
            state.truths = truths.into();
        }
        if self.more_errors > 0 {
            let count = self.more_errors;
            self.errors.push(SsError::More { count });
        }
        Errors::in_order((), self.errors)?;
        let initial = vec![StateId(0)];
        Ok(Graph::new(
            propositions,
            self.actions.into_list(),
            self.states,
            edges,
            initial,
        ))
    }

    fn resolved_edges(&mut self) -> Vec<GraphEdge> {
        let mut resolved = Vec::with_capacity(self.edges.len());
        for edge in std::mem::take(&mut self.edges) {
            let RawEdge {
                source,
                action,
                target: id,
                place,
            } = edge;
            match self.by_id.get(&id) {
                Some(&target) => resolved.push(GraphEdge {
                    source,
                    action,
                    target,
                }),
                None => self.report(SsError::UnknownSuccessor {
                    id,
                    text: self.source.named(),
                    at: place.into(),
                }),
            }
        }
        resolved
    }

    fn report(&mut self, error: SsError) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        } else {
            self.more_errors += 1;
        }
    }
}

fn is_number(word: &Word<'_>) -> bool {
    let digits = word.text.strip_prefix(['-', '+']).unwrap_or(&word.text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether words are pairs of an action and a number.
fn is_edges(words: &[Word<'_>]) -> bool {
    first_wrong(words).is_none() && words.len().is_multiple_of(2)
}

/// The first word that should be a number and is not.
fn first_wrong<'w>(words: &'w [Word<'w>]) -> Option<&'w Word<'w>> {
    words
        .iter()
        .skip(1)
        .step_by(2)
        .find(|word| !is_number(word))
}

/// The number of propositions nearest to `count` with which the rest of the line could be read.
fn fitting_count(rest: &[Word<'_>], count: usize) -> Option<usize> {
    // Seen from the end, every other word is a successor as long as it is a number; and propositions are no numbers.
    let successors = rest.iter().rev().step_by(2);
    let least = match successors.take_while(|word| is_number(word)).count() {
        pairs if 2 * pairs >= rest.len() => rest.len() % 2,
        pairs => rest.len() - 2 * pairs,
    };
    let most = rest.iter().position(is_number).unwrap_or(rest.len());
    (least..=most)
        .step_by(2)
        .min_by_key(|&other| other.abs_diff(count))
}

/// Long words are not repeated in full.
fn shortened(word: &str) -> String {
    let mut characters = word.chars();
    let mut short: String = characters.by_ref().take(30).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
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
}
