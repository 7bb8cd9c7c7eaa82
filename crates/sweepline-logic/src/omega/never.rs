//! Reading never claims of Spin, as translators from LTL write them.
//!
//! ```text
//! never { /* name or formula */
//! T0_init:    if :: (!p) -> goto accept_S1 :: (true) -> goto T0_init fi;
//! accept_S1:  do :: (!p) -> goto accept_S1 od
//! accept_all: skip
//! }
//! ```
//!
//! Labels that begin with `accept` mark accepting states. A claim that ends has matched: everything that follows is accepted.
//! `atomic { c -> assert(!(c)) }` says so, too. Conditions are predicates of ours, which look like those of Promela.

use std::collections::HashMap;
use std::ops::Range;

use sweepline_text::{Errors, Source, did_you_mean, shortened};

use super::file::{Builder, OmegaFileError};
use super::{OmegaAutomaton, OmegaEdge, OmegaState};
use crate::{Pred, parse_pred};

pub(super) fn read_never(source: &Source) -> Result<OmegaAutomaton, Errors<OmegaFileError>> {
    let mut reader = Reader {
        source,
        text: source.text(),
        at: 0,
        builder: Builder::new(source),
        labels: HashMap::new(),
        states: Vec::new(),
    };
    let _ = reader.claim(); // what went wrong has been reported
    reader.finish()
}

struct Reader<'a> {
    source: &'a Source,
    text: &'a str,
    at: usize,
    builder: Builder<'a>,
    labels: HashMap<String, usize>,
    states: Vec<State>,
}

#[derive(Default)]
struct State {
    accepting: bool,
    edges: Vec<(Pred, Target)>,
}

#[derive(Clone)]
enum Target {
    /// A label, and where it stands.
    Label(String, Range<usize>),
    /// The state with this number.
    State(usize),
    /// The claim has ended.
    End,
}

/// What follows a condition.
enum After {
    Goto(Target),
    /// Nothing: the statement is left.
    Nothing,
}

/// `None` means that an error has been reported and nothing sensible can follow.
impl<'a> Reader<'a> {
    fn claim(&mut self) -> Option<()> {
        self.word("never")?;
        if self.peek_word().is_some() {
            self.any_word();
        }
        self.sign("{")?;
        while !self.eat("}") {
            self.state()?;
            self.eat(";");
        }
        self.blanks();
        if self.at < self.text.len() {
            return self.unexpected("the end of the file");
        }
        Some(())
    }

    fn state(&mut self) -> Option<()> {
        let number = self.states.len();
        let mut state = State::default();
        while let Some(word) = self.peek_word()
            && !matches!(word, "if" | "do" | "skip" | "false" | "true" | "goto")
        {
            let from = self.at;
            self.any_word();
            let span = self.span(from);
            if self.rest().starts_with("::") || !self.eat(":") {
                return self.unexpected("`:` behind a label");
            }
            state.accepting |= word.starts_with("accept");
            if self.labels.insert(word.to_string(), number).is_some() {
                self.builder.errors.push(OmegaFileError::DuplicateLabel {
                    name: word.to_string(),
                    text: self.source.named(),
                    at: span.into(),
                });
            }
            self.blanks();
        }
        match self.peek_word() {
            Some("if") => state.edges = self.alternatives("fi", &Target::State(number + 1))?,
            Some("do") => state.edges = self.alternatives("od", &Target::State(number))?,
            Some("skip" | "true") => {
                self.any_word();
                self.eat(";");
                let next = self.next_state(number + 1);
                state.edges = vec![(Pred::Constant(true), next)];
            }
            Some("false") => {
                self.any_word();
            }
            _ if self.eat("0") => {}
            _ => return self.unexpected("`if`, `do`, `skip` or `false`"),
        }
        self.states.push(state);
        Some(())
    }

    /// The state behind this one, or the end of the claim.
    fn next_state(&mut self, number: usize) -> Target {
        self.blanks();
        if self.rest().starts_with('}') {
            Target::End
        } else {
            Target::State(number)
        }
    }

    /// The edges of `if … fi` or `do … od`; where an alternative says nothing, it leads to `otherwise`.
    fn alternatives(&mut self, close: &str, otherwise: &Target) -> Option<Vec<(Pred, Target)>> {
        self.any_word();
        let mut edges: Vec<(Pred, Target)> = Vec::new();
        let mut rest: Option<(usize, Range<usize>)> = None;
        while self.eat("::") {
            let (guard, after) = self.alternative()?;
            let target = match after {
                After::Goto(target) => target,
                After::Nothing => otherwise.clone(),
            };
            match guard {
                Condition::If(pred) => edges.push((pred, target)),
                Condition::Else(span) if rest.is_some() => {
                    let (text, at) = (self.source.named(), span.into());
                    self.builder
                        .errors
                        .push(OmegaFileError::SecondElse { text, at });
                }
                Condition::Else(span) => {
                    rest = Some((edges.len(), span));
                    edges.push((Pred::Constant(true), target));
                }
            }
        }
        if let Some((place, _)) = rest {
            let others = edges.iter().enumerate().filter(|other| other.0 != place);
            let others = others.map(|other| other.1.0.clone()).collect();
            edges[place].0 = Pred::Not(Box::new(Pred::Or(others)));
        }
        self.word(close)?;
        // An alternative that falls out of the last statement ends the claim.
        self.eat(";");
        self.blanks();
        if self.rest().starts_with('}') {
            for (_, target) in &mut edges {
                if matches!(target, Target::State(_)) && close == "fi" {
                    *target = Target::End;
                }
            }
        }
        Some(edges)
    }

    fn alternative(&mut self) -> Option<(Condition, After)> {
        if self.peek_word() == Some("atomic") {
            self.any_word();
            self.sign("{")?;
            let condition = self.condition()?;
            self.sign("->")?;
            self.word("assert")?;
            self.blanks();
            self.guard_text();
            self.eat(";");
            self.sign("}")?;
            self.eat(";");
            return Some((condition, After::Goto(Target::End)));
        }
        let condition = self.condition()?;
        if !self.eat("->") && !self.eat(";") {
            return Some((condition, After::Nothing));
        }
        let after = match self.peek_word() {
            Some("goto") => {
                self.any_word();
                self.blanks();
                let from = self.at;
                let Some(label) = self.peek_word() else {
                    return self.unexpected("a label");
                };
                self.any_word();
                After::Goto(Target::Label(label.to_string(), self.span(from)))
            }
            Some("skip") => {
                self.any_word();
                After::Nothing
            }
            Some("fi" | "od") => After::Nothing,
            _ if self.rest().starts_with("::") => After::Nothing,
            _ => return self.unexpected("`goto` and a label"),
        };
        self.eat(";");
        Some((condition, after))
    }

    fn condition(&mut self) -> Option<Condition> {
        self.blanks();
        if self.peek_word() == Some("else") {
            let from = self.at;
            self.any_word();
            return Some(Condition::Else(self.span(from)));
        }
        let from = self.at;
        self.guard_text();
        let text = self.text[from..self.at].trim_end();
        let span = self.source.range().start + from..self.source.range().start + from + text.len();
        // Promela's truth values are numbers.
        match text.trim_matches(|c: char| matches!(c, '(' | ')') || c.is_whitespace()) {
            "1" => return Some(Condition::If(Pred::Constant(true))),
            "0" => return Some(Condition::If(Pred::Constant(false))),
            "" => return self.unexpected("a condition"),
            _ => {}
        }
        match parse_pred(self.source.part(span)) {
            Ok(pred) => Some(Condition::If(pred)),
            Err(errors) => {
                let errors = errors.into_vec().into_iter();
                self.builder.errors.extend(errors.map(OmegaFileError::from));
                Some(Condition::If(Pred::Constant(false)))
            }
        }
    }

    /// Goes to the end of a condition: an arrow, or the end of the alternative.
    fn guard_text(&mut self) {
        let mut depth = 0_usize;
        while let Some(character) = self.rest().chars().next() {
            let rest = self.rest();
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '{' | '}' | ';' => return,
                _ if depth > 0 => {}
                _ if rest.starts_with("->") || rest.starts_with("::") => return,
                _ if character.is_alphabetic() => {
                    let word = self.peek_word().unwrap_or_default();
                    if matches!(word, "fi" | "od") {
                        return;
                    }
                    self.at += word.len().max(character.len_utf8());
                    continue;
                }
                _ => {}
            }
            self.at += character.len_utf8();
        }
    }

    fn finish(mut self) -> Result<OmegaAutomaton, Errors<OmegaFileError>> {
        let end = self.states.len();
        let mut edges: Vec<Vec<OmegaEdge>> = Vec::new();
        for state in std::mem::take(&mut self.states) {
            let mut moves = Vec::new();
            for (pred, target) in state.edges {
                let target = match target {
                    Target::State(number) => number.min(end),
                    Target::End => end,
                    Target::Label(label, span) => self.labelled(&label, span),
                };
                moves.push(self.edge(&pred, target, state.accepting));
            }
            edges.push(moves);
        }
        let forever = self.edge(&Pred::Constant(true), end, true);
        edges.push(vec![forever]);
        self.builder.finish(vec![OmegaState(0)], edges)
    }

    fn edge(&mut self, pred: &Pred, target: usize, accepting: bool) -> OmegaEdge {
        OmegaEdge {
            guard: self.builder.guard(pred),
            target: OmegaState(u32::try_from(target).expect("a text has fewer states")),
            marks: u64::from(accepting),
        }
    }

    fn labelled(&mut self, label: &str, span: Range<usize>) -> usize {
        if let Some(&number) = self.labels.get(label) {
            return number;
        }
        let near = did_you_mean(label, self.labels.keys().map(String::as_str));
        self.builder.errors.push(OmegaFileError::UnknownLabel {
            name: label.to_string(),
            help: near.unwrap_or_else(|| "put it in front of a statement of the claim".into()),
            text: self.source.named(),
            at: span.into(),
        });
        0
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let rest = self.rest();
            if let Some(comment) = rest.strip_prefix("/*") {
                self.at += comment.find("*/").map_or(rest.len(), |end| end + 4);
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    fn peek_word(&mut self) -> Option<&'a str> {
        self.blanks();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let word = &rest[..end.unwrap_or(rest.len())];
        let first = word.chars().next()?;
        (first.is_alphabetic() || first == '_').then_some(word)
    }

    fn any_word(&mut self) {
        self.at += self.peek_word().map_or(0, str::len);
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn sign(&mut self, sign: &str) -> Option<()> {
        if self.eat(sign) {
            return Some(());
        }
        self.unexpected(&format!("`{sign}`"))
    }

    fn word(&mut self, word: &str) -> Option<()> {
        if self.peek_word() == Some(word) {
            self.any_word();
            return Some(());
        }
        self.unexpected(&format!("`{word}`"))
    }

    /// From a place in the text to where we are.
    fn span(&self, from: usize) -> Range<usize> {
        let start = self.source.range().start;
        start + from..start + self.at
    }

    fn unexpected<T>(&mut self, expected: &str) -> Option<T> {
        let found = match self.peek_word() {
            Some(word) => format!("`{}`", shortened(word)),
            None => match self.rest().chars().next() {
                Some(character) => format!("`{character}`"),
                None => "the end of the file".to_string(),
            },
        };
        let from = self.at;
        let at = self.span(from).into();
        self.builder.errors.push(OmegaFileError::Unexpected {
            expected: expected.into(),
            found,
            help: None,
            text: self.source.named(),
            at,
        });
        None
    }
}

/// When an alternative may be taken.
enum Condition {
    If(Pred),
    /// When no other may; and where it stands.
    Else(Range<usize>),
}
