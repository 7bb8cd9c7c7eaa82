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
use sweepline_text::{Errors, Line, Names, Quotes, Source, Word, lines};

use crate::graph::{Graph, GraphEdge, GraphState, StateId};
use error::SHAPE;

pub use error::SsError;

/// Errors that are reported one by one; the others are counted.
const MOST_ERRORS: usize = 20;

/// Reads a `.ss` state space.
///
/// ```
/// use sweepline_graph::{StateId, read_ss};
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
            return Err(SsError::Empty {}.into());
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
mod tests;
