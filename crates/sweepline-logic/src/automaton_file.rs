//! Reading safety automata, the format of Section 7.4.2 of the thesis on model checking with the sweep-line method.
//!
//! ```text
//! 0                      initial states
//! 1                      accepting states
//! 0 true 0 p!q 1         a state, then pairs of a label and a successor
//! 1 !q 1
//! ```
//!
//! A label is `true`, a conjunction of propositions and negated propositions (`p!q` is `p and not q`, `p&q` is `p and
//! q`), or, in quotes, any predicate on states: `"x > 3 and not p"`. Inside such a predicate names are quoted with `'`.
//! Blank lines and comments (`# …`) are skipped.

use miette::{Diagnostic, SourceSpan};
use std::collections::HashMap;
use std::ops::Range;
use sweepline_text::{Errors, Line, Name, Quotes, Source, Word, did_you_mean, lines};

use crate::{AutomatonEdge, AutomatonState, Pred, SafetyAutomaton, SyntaxError, parse_pred};

sweepline_text::located_errors! {
    /// Something is wrong with an automaton file.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum AutomatonFileError: automaton, SourceSpan {
        /// Initial or accepting states are missing.
        MissingLine { what: &'static str } missing_line: "the line of {what} is missing"
            (help("the first line names the initial states, the second the accepting ones, and then follows a line per state")),
        /// A state is mentioned but has no line.
        UnknownState { state: String, help: String } unknown_state: "state `{state}` has no line"
            [at: "mentioned here"] (help("{help}")),
        /// Two lines for one state.
        DuplicateState { state: String } duplicate_state: "state `{state}` has two lines"
            [first: "first here", at: "and again here"] (help("put all its labels on one line")),
        /// It would accept before it has read anything.
        InitialAndAccepting { state: String } initial_and_accepting: "state `{state}` is both initial and accepting"
            [at: "also initial"]
            (help("such an automaton calls every run bad before it begins; accept in a state of its own")),
        /// A label without a successor.
        MissingSuccessor { label: String } missing_successor: "label `{label}` has no successor"
            [at: "expected a state behind it"]
            (help("a state is followed by pairs of a label and a successor; labels with blanks need quotes")),
        /// A label that is no conjunction of propositions.
        BadLabel { label: String } bad_label: "`{label}` is not a conjunction of propositions"
            [at: "a name is missing here"]
            (help("write `true`, `p!q` for \"p and not q\", `p&q`, or any predicate in quotes: \"x > 3\"")),
        /// Quotes are not closed on the same line.
        UnclosedQuotes {} unclosed_quotes: "quotes are not closed"
            [at: "from here to the end of the line"] (help("close them with \"")),
        ;
        /// A predicate in quotes is wrong.
        #[error(transparent)]
        #[diagnostic(transparent)]
        Syntax(#[from] SyntaxError),
    }
}

/// Reads a safety automaton.
///
/// ```
/// use sweepline_logic::read_automaton;
///
/// let automaton = read_automaton(&"0\n1\n0 true 0 p!q 1\n1 !q 1".into()).unwrap();
/// assert_eq!(automaton.states(), ["0", "1"]);
/// assert_eq!(automaton.edges()[1].guard.to_string(), "(p and (not q))");
/// ```
pub fn read_automaton(source: &Source) -> Result<SafetyAutomaton, Errors<AutomatonFileError>> {
    read_states(source, Purpose::Finite)
}

/// What an automaton is meant to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Finite words: reaching an accepting state is bad, so no run may begin there.
    Finite,
    /// Infinite words: accepting states are visited again and again, and any state may be one.
    Infinite,
}

/// Reads states and edges for either purpose.
pub(crate) fn read_states(
    source: &Source,
    purpose: Purpose,
) -> Result<SafetyAutomaton, Errors<AutomatonFileError>> {
    let all: Vec<Line<'_>> = lines(source).collect();
    let (initial, accepting, rest) = match &all[..] {
        [] => return Err(missing_line("initial states")),
        [_] => return Err(missing_line("accepting states")),
        [initial, accepting, rest @ ..] => (initial, accepting, rest),
    };
    let mut reader = Reader::new(source);
    // All states first: labels lead to states further down.
    for line in rest {
        reader.state(line);
    }
    reader.marked_states(initial, accepting, purpose);
    for line in rest {
        reader.edges(line);
    }
    Errors::in_order(reader.automaton, reader.errors)
}

fn missing_line(what: &'static str) -> Errors<AutomatonFileError> {
    AutomatonFileError::MissingLine { what }.into()
}

struct Reader<'a> {
    source: &'a Source,
    automaton: SafetyAutomaton,
    /// Every state's first word.
    states: HashMap<String, (AutomatonState, Range<usize>)>,
    errors: Vec<AutomatonFileError>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source) -> Self {
        Self {
            source,
            automaton: SafetyAutomaton::new(source.clone()),
            states: HashMap::new(),
            errors: Vec::new(),
        }
    }

    fn state(&mut self, line: &Line<'_>) {
        let Some(word) = line.words().next() else {
            return;
        };
        let name = word.text.to_string();
        if let Some((_, first)) = self.states.get(&name) {
            self.errors.push(AutomatonFileError::DuplicateState {
                state: name,
                text: self.source.named(),
                first: first.clone().into(),
                at: word.span.into(),
            });
            return;
        }
        let state = self.automaton.add_state(name.as_str());
        self.states.insert(name, (state, word.span));
    }

    fn marked_states(&mut self, initial: &Line<'_>, accepting: &Line<'_>, purpose: Purpose) {
        for word in initial.words() {
            if let Some(state) = self.lookup(&word) {
                self.automaton.add_initial(state);
            }
        }
        for word in accepting.words() {
            let Some(state) = self.lookup(&word) else {
                continue;
            };
            self.automaton.add_accepting(state);
            if purpose == Purpose::Finite && self.automaton.initial().contains(&state) {
                self.errors.push(AutomatonFileError::InitialAndAccepting {
                    state: word.text.to_string(),
                    text: self.source.named(),
                    at: word.span.into(),
                });
            }
        }
    }

    fn edges(&mut self, line: &Line<'_>) {
        let words: Vec<Word<'_>> = line.words().collect();
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        let Some((source, _)) = self.states.get(first.text.as_ref()).cloned() else {
            return;
        };
        let pairs = rest.chunks_exact(2);
        if let [label] = pairs.remainder() {
            let text = self.source.named();
            let at = label.span.clone().into();
            self.errors.push(if label.quotes == Quotes::Unclosed {
                AutomatonFileError::UnclosedQuotes { text, at }
            } else {
                let label = label.label().into_owned();
                AutomatonFileError::MissingSuccessor { label, text, at }
            });
        }
        for pair in pairs {
            let [label, successor] = pair else { continue };
            let (guard, target) = (self.guard(label), self.lookup(successor));
            let (Some(guard), Some(target)) = (guard, target) else {
                continue;
            };
            let span = label.span.clone();
            self.automaton.add_edge(AutomatonEdge {
                source,
                guard,
                span,
                target,
            });
        }
    }

    fn lookup(&mut self, word: &Word<'_>) -> Option<AutomatonState> {
        if let Some((state, _)) = self.states.get(word.text.as_ref()) {
            return Some(*state);
        }
        let text = self.source.named();
        let at = word.span.clone().into();
        let error = if word.quotes == Quotes::Unclosed {
            AutomatonFileError::UnclosedQuotes { text, at }
        } else {
            let state = word.text.to_string();
            let known = self.automaton.states().iter().map(String::as_str);
            // Names of one or two letters all look alike.
            let near = did_you_mean(&state, known).filter(|_| state.len() > 2);
            let help =
                near.unwrap_or_else(|| format!("add a line `{state}`, even if no label follows"));
            AutomatonFileError::UnknownState {
                state,
                help,
                text,
                at,
            }
        };
        self.errors.push(error);
        None
    }

    fn guard(&mut self, label: &Word<'_>) -> Option<Pred> {
        match label.quotes {
            Quotes::Plain => self.predicate(label),
            _ if label.text == "true" => Some(Pred::Constant(true)),
            _ => self.conjunction(label),
        }
    }

    fn predicate(&mut self, label: &Word<'_>) -> Option<Pred> {
        // The part of the file without the quotes, so that errors point into the file.
        let inside = label.span.start + 1..label.span.end - 1;
        match parse_pred(self.source.part(inside)) {
            Ok(pred) => Some(pred),
            Err(wrong) => {
                let wrong = wrong.into_vec().into_iter();
                self.errors.extend(wrong.map(AutomatonFileError::from));
                None
            }
        }
    }

    fn conjunction(&mut self, label: &Word<'_>) -> Option<Pred> {
        let literals = literals(&label.label(), label.span.start);
        if literals.iter().any(|literal| literal.name.text.is_empty()) {
            self.errors.push(AutomatonFileError::BadLabel {
                label: label.label().into_owned(),
                text: self.source.named(),
                at: label.span.clone().into(),
            });
            return None;
        }
        let mut preds: Vec<Pred> = literals.into_iter().map(Literal::into_pred).collect();
        Some(match preds.len() {
            1 => preds.remove(0),
            _ => Pred::And(preds),
        })
    }
}

/// A proposition or its negation.
struct Literal {
    name: Name,
    negated: bool,
}

impl Literal {
    fn into_pred(self) -> Pred {
        let holds = Pred::Holds(self.name);
        if self.negated {
            Pred::Not(Box::new(holds))
        } else {
            holds
        }
    }
}

/// The literals of `p!q&r`: a literal begins after `&` or with `!`.
fn literals(label: &str, start: usize) -> Vec<Literal> {
    let mut literals = Vec::new();
    let mut at = 0;
    loop {
        let negated = label[at..].starts_with('!');
        let from = at + usize::from(negated);
        let to = label[from..]
            .find(['!', '&'])
            .map_or(label.len(), |end| from + end);
        let name = Name {
            text: label[from..to].to_string(),
            span: start + from..start + to,
        };
        literals.push(Literal { name, negated });
        if to == label.len() {
            return literals;
        }
        at = to + usize::from(label[to..].starts_with('&'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rendered;
    use insta::assert_snapshot;

    fn check(text: &str, expected: &[&str]) {
        let automaton =
            read_automaton(&text.into()).unwrap_or_else(|errors| panic!("{}", rendered(&errors)));
        let name = |state: AutomatonState| automaton.states()[state.0 as usize].as_str();
        let names = |states: &[AutomatonState]| {
            states
                .iter()
                .map(|&state| name(state))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let marked = [names(automaton.initial()), names(automaton.accepting())];
        let edges = automaton.edges().iter().map(|edge| {
            let (source, target) = (name(edge.source), name(edge.target));
            format!("{source} {} {target}", edge.guard)
        });
        assert_eq!(
            marked.into_iter().chain(edges).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn the_format_of_the_thesis_is_read() {
        check(
            "0\n1\n0 true 0 p!q 1\n1 !q 1\n",
            &["0", "1", "0 true 0", "0 (p and (not q)) 1", "1 (not q) 1"],
        );
    }

    #[test]
    fn labels_may_be_any_predicate() {
        check(
            "# wait, then fail\na b\nbad worse\na p&q bad \"x > 3 or 'the flag'\" b\n\nb !p!q&r a\nbad\nworse",
            &[
                "a b",
                "bad worse",
                "a (p and q) bad",
                "a ((x > 3) or \"the flag\") b",
                "b ((not p) and (not q) and r) a",
            ],
        );
    }

    #[test]
    fn labels_know_their_places() {
        let text = "0\n1\n0 p!qq 0 \"x > 3\" 1\n1";
        let automaton = read_automaton(&text.into()).unwrap();
        let [first, second] = automaton.edges() else {
            panic!()
        };
        let Pred::And(literals) = &first.guard else {
            panic!()
        };
        let Pred::Not(literal) = &literals[1] else {
            panic!()
        };
        let Pred::Holds(name) = &**literal else {
            panic!()
        };
        assert_eq!(&text[name.span.clone()], "qq");
        assert_eq!(&text[second.span.clone()], "\"x > 3\"");
    }

    fn error(text: &str) -> String {
        rendered(&read_automaton(&Source::new("safety.txt", text)).unwrap_err())
    }

    #[test]
    fn missing_lines_are_reported() {
        assert_snapshot!(error(""), @r"
        automaton::missing_line

          × the line of initial states is missing
          help: the first line names the initial states, the second the accepting
                ones, and then follows a line per state
        ");
        assert_snapshot!(error("0"), @r"
        automaton::missing_line

          × the line of accepting states is missing
          help: the first line names the initial states, the second the accepting
                ones, and then follows a line per state
        ");
    }

    #[test]
    fn wrong_states_are_reported() {
        assert_snapshot!(error("wait go\nbad wait\nwait p 7 q bda\nbad\nwait\n"), @r"
          × 5 errors

        Error: automaton::unknown_state

          × state `go` has no line
           ╭─[safety.txt:1:6]
         1 │ wait go
           ·      ─┬
           ·       ╰── mentioned here
         2 │ bad wait
           ╰────
          help: add a line `go`, even if no label follows

        Error: automaton::initial_and_accepting

          × state `wait` is both initial and accepting
           ╭─[safety.txt:2:5]
         1 │ wait go
         2 │ bad wait
           ·     ──┬─
           ·       ╰── also initial
         3 │ wait p 7 q bda
           ╰────
          help: such an automaton calls every run bad before it begins; accept in a
                state of its own

        Error: automaton::duplicate_state

          × state `wait` has two lines
           ╭─[safety.txt:3:1]
         2 │ bad wait
         3 │ wait p 7 q bda
           · ──┬─
           ·   ╰── first here
         4 │ bad
         5 │ wait
           · ──┬─
           ·   ╰── and again here
           ╰────
          help: put all its labels on one line

        Error: automaton::unknown_state

          × state `7` has no line
           ╭─[safety.txt:3:8]
         2 │ bad wait
         3 │ wait p 7 q bda
           ·        ┬
           ·        ╰── mentioned here
         4 │ bad
           ╰────
          help: add a line `7`, even if no label follows

        Error: automaton::unknown_state

          × state `bda` has no line
           ╭─[safety.txt:3:12]
         2 │ bad wait
         3 │ wait p 7 q bda
           ·            ─┬─
           ·             ╰── mentioned here
         4 │ bad
           ╰────
          help: did you mean `bad`?
        ");
    }

    #[test]
    fn wrong_labels_are_reported() {
        assert_snapshot!(error("0\n1\n0 p!! 1 \"x >\" 1 q\n1 p&!q \"open\n"), @r#"
          × 4 errors

        Error: automaton::bad_label

          × `p!!` is not a conjunction of propositions
           ╭─[safety.txt:3:3]
         2 │ 1
         3 │ 0 p!! 1 "x >" 1 q
           ·   ─┬─
           ·    ╰── a name is missing here
         4 │ 1 p&!q "open
           ╰────
          help: write `true`, `p!q` for "p and not q", `p&q`, or any predicate in
                quotes: "x > 3"

        Error: logic::unexpected

          × expected an operand, found the end of the text
           ╭─[safety.txt:3:13]
         2 │ 1
         3 │ 0 p!! 1 "x >" 1 q
           ·             ▲
           ·             ╰── here
         4 │ 1 p&!q "open
           ╰────

        Error: automaton::missing_successor

          × label `q` has no successor
           ╭─[safety.txt:3:17]
         2 │ 1
         3 │ 0 p!! 1 "x >" 1 q
           ·                 ┬
           ·                 ╰── expected a state behind it
         4 │ 1 p&!q "open
           ╰────
          help: a state is followed by pairs of a label and a successor; labels with
                blanks need quotes

        Error: automaton::unclosed_quotes

          × quotes are not closed
           ╭─[safety.txt:4:8]
         3 │ 0 p!! 1 "x >" 1 q
         4 │ 1 p&!q "open
           ·        ──┬──
           ·          ╰── from here to the end of the line
           ╰────
          help: close them with "
        "#);
    }
}
