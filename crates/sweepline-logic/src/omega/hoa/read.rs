//! Reading the Hanoi Omega-Automata format.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use sweepline_text::{Errors, Source, did_you_mean};

use super::token::{Kind, Token, tokens};
use crate::omega::bdd::{Bdd, Bdds};
use crate::omega::file::{OmegaFileError, empty};
use crate::omega::{
    Acceptance, Cube, Guard, Letter, MOST, Marks, OmegaAutomaton, OmegaEdge, OmegaState,
};
use crate::{MAX_DEPTH, Name, Pred, parse_pred};

/// States an automaton in a file may have.
const MOST_STATES: usize = 1_000_000;

/// Errors that are reported.
const MOST_ERRORS: usize = 20;

pub(in crate::omega) fn read_hoa(
    source: &Source,
) -> Result<OmegaAutomaton, Errors<OmegaFileError>> {
    let mut reader = Reader {
        source,
        tokens: tokens(source),
        at: 0,
        depth: 0,
        errors: Vec::new(),
        bdds: Bdds::default(),
        states: None,
        initial: Vec::new(),
        atoms: None,
        acceptance: None,
        sets: 0,
        negated: Vec::new(),
        aliases: HashMap::new(),
        early: Vec::new(),
        edges: Vec::new(),
    };
    let read = reader.whole();
    let mut errors = reader.errors;
    if read.is_none() && errors.is_empty() {
        errors.push(OmegaFileError::TooLarge {});
    }
    errors.truncate(MOST_ERRORS);
    let Some(automaton) = read.filter(|_| errors.is_empty()) else {
        return Errors::in_order(empty(), errors);
    };
    Ok(automaton)
}

struct Reader<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    errors: Vec<OmegaFileError>,
    bdds: Bdds,
    states: Option<u64>,
    initial: Vec<u64>,
    atoms: Option<Vec<Pred>>,
    acceptance: Option<Acceptance>,
    /// How many sets the file speaks of.
    sets: u32,
    /// Sets that are complements of others.
    negated: Vec<u32>,
    aliases: HashMap<String, Bdd>,
    /// Numbers of propositions in aliases that came before the propositions were declared, by their places among the tokens.
    early: Vec<usize>,
    edges: Vec<Option<Vec<OmegaEdge>>>,
}

/// What an edge or a state says about letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Explicit(Bdd),
    /// Nothing: the place of the edge tells.
    Implicit,
}

/// `None` means that an error has been reported and nothing sensible can follow.
impl Reader<'_> {
    fn whole(&mut self) -> Option<OmegaAutomaton> {
        self.headers()?;
        self.declare_propositions()?;
        self.body()?;
        if self.bdds.overflowed() {
            return None;
        }
        let atoms = self.atoms.take().unwrap_or_default();
        let Some(acceptance) = self.acceptance.take() else {
            self.errors
                .push(OmegaFileError::MissingHeader { name: "Acceptance" });
            return None;
        };
        let all = self.states.unwrap_or(self.edges.len() as u64);
        let last = self.edges.iter().flatten().flatten();
        let last = last.map(|edge| u64::from(edge.target.0)).max();
        let last = self.initial.iter().copied().chain(last).max();
        // Without a header `States:` there are as many as are mentioned.
        let all = all.max(last.map_or(0, |last| last + 1));
        let all = usize::try_from(all).ok()?;
        self.edges.resize(all, None);
        let edges = self.edges.drain(..).map(Option::unwrap_or_default);
        Some(OmegaAutomaton {
            atoms,
            initial: self.initial.iter().filter_map(|&one| state(one)).collect(),
            edges: edges.collect(),
            sets: self.sets + u32::try_from(self.negated.len()).ok()?,
            acceptance,
        })
    }

    fn headers(&mut self) -> Option<()> {
        if self.peek() != &Kind::Header("HOA".into()) {
            return self.unexpected("`HOA: v1`", None);
        }
        self.at += 1;
        match self.peek().clone() {
            Kind::Word(version) if version == "v1" => self.at += 1,
            Kind::Word(found) => {
                let (text, at) = self.here();
                self.errors
                    .push(OmegaFileError::Version { found, text, at });
                return None;
            }
            _ => return self.unexpected("the version `v1`", None),
        }
        let mut seen = HashSet::new();
        loop {
            let span = self.tokens[self.at].span.clone();
            match self.peek().clone() {
                Kind::Section("--BODY--") => {
                    self.at += 1;
                    return Some(());
                }
                Kind::Header(name) => {
                    self.at += 1;
                    let repeatable = matches!(name.as_str(), "Start" | "Alias" | "properties");
                    if !repeatable && !seen.insert(name.clone()) {
                        let (text, at) = (self.source.named(), span.into());
                        self.errors
                            .push(OmegaFileError::DuplicateHeader { name, text, at });
                        return None;
                    }
                    self.header(&name, span)?;
                }
                _ => return self.unexpected("a header such as `States:`, or `--BODY--`", None),
            }
        }
    }

    fn header(&mut self, name: &str, span: Range<usize>) -> Option<()> {
        match name {
            "States" => {
                let count = self.number("the number of states")?;
                if count > MOST_STATES as u64 {
                    return self.too_many("states", MOST_STATES);
                }
                self.states = Some(count);
            }
            "Start" => {
                let start = self.state_number()?;
                self.initial.push(start);
            }
            "AP" => self.propositions()?,
            "Alias" => {
                let Kind::Alias(name) = self.peek().clone() else {
                    return self.unexpected("an alias such as `@a`", None);
                };
                self.at += 1;
                let label = self.label()?;
                self.aliases.insert(name, label);
            }
            "Acceptance" => {
                let count = self.number("the number of acceptance sets")?;
                if count > MOST as u64 {
                    return self.too_many("acceptance sets", MOST);
                }
                self.sets = u32::try_from(count).ok()?;
                self.acceptance = Some(self.condition()?);
            }
            _ if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                let known = ["States", "Start", "AP", "Alias", "Acceptance"];
                let help = did_you_mean(name, known)
                    .unwrap_or_else(|| "headers that may be ignored begin in lower case".into());
                self.errors.push(OmegaFileError::UnknownHeader {
                    name: name.into(),
                    help,
                    text: self.source.named(),
                    at: span.into(),
                });
                self.skip_values();
            }
            _ => self.skip_values(),
        }
        Some(())
    }

    fn skip_values(&mut self) {
        while !matches!(self.peek(), Kind::Header(_) | Kind::Section(_) | Kind::End) {
            self.at += 1;
        }
    }

    fn propositions(&mut self) -> Option<()> {
        let count = self.number("the number of propositions")?;
        if count > MOST as u64 {
            return self.too_many("propositions", MOST);
        }
        let mut atoms = Vec::new();
        for _ in 0..count {
            let span = self.tokens[self.at].span.clone();
            let Kind::Text(text, plain) = self.peek().clone() else {
                return self.unexpected("a proposition in quotes", None);
            };
            self.at += 1;
            // The quotes do not belong to it.
            atoms.push(self.proposition(text, plain, span.start + 1..span.end - 1));
        }
        self.atoms = Some(atoms);
        Some(())
    }

    /// What is written like a predicate is one, and everything else is the name of a proposition.
    fn proposition(&self, text: String, plain: bool, span: Range<usize>) -> Pred {
        let parsed = if plain {
            parse_pred(self.source.part(span.clone()))
        } else {
            parse_pred(text.as_str())
        };
        parsed.unwrap_or(Pred::Holds(Name { text, span }))
    }

    /// `Inf(0) & (Fin(1) | Inf(!2))`
    fn condition(&mut self) -> Option<Acceptance> {
        let mut some = vec![self.conjunction()?];
        while self.eat('|') {
            some.push(self.conjunction()?);
        }
        Some(match some.len() {
            1 => some.remove(0),
            _ => Acceptance::Or(some),
        })
    }

    fn conjunction(&mut self) -> Option<Acceptance> {
        let mut all = vec![self.set()?];
        while self.eat('&') {
            all.push(self.set()?);
        }
        Some(match all.len() {
            1 => all.remove(0),
            _ => Acceptance::And(all),
        })
    }

    fn set(&mut self) -> Option<Acceptance> {
        match self.peek().clone() {
            Kind::Sign('(') => {
                self.at += 1;
                let inner = self.deeper(Self::condition)?;
                self.expect(')')?;
                Some(inner)
            }
            Kind::Word(word) if word == "t" || word == "f" => {
                self.at += 1;
                Some(match word.as_str() {
                    "t" => Acceptance::And(Vec::new()),
                    _ => Acceptance::Or(Vec::new()),
                })
            }
            Kind::Word(word) if word == "Inf" || word == "Fin" => {
                self.at += 1;
                self.expect('(')?;
                let negated = self.eat('!');
                let set = self.below(u64::from(self.sets), "acceptance set")?;
                self.expect(')')?;
                let mut set = u32::try_from(set).ok()?;
                if negated {
                    set = self.complement(set)?;
                }
                Some(match word.as_str() {
                    "Inf" => Acceptance::Inf(set),
                    _ => Acceptance::Fin(set),
                })
            }
            _ => self.unexpected("`Inf(…)`, `Fin(…)`, `t`, `f` or a parenthesis", None),
        }
    }

    /// The set of all edges that are not in this one.
    fn complement(&mut self, set: u32) -> Option<u32> {
        let known = self.negated.iter().position(|&one| one == set);
        let place = known.unwrap_or_else(|| {
            self.negated.push(set);
            self.negated.len() - 1
        });
        let number = self.sets + u32::try_from(place).ok()?;
        if number as usize >= MOST {
            return self.too_many("acceptance sets", MOST);
        }
        Some(number)
    }

    fn body(&mut self) -> Option<()> {
        loop {
            match self.peek().clone() {
                Kind::Section("--END--") => {
                    self.at += 1;
                    if self.peek() != &Kind::End {
                        let help = "a file describes one automaton".to_string();
                        return self.unexpected("the end of the file", Some(help));
                    }
                    return Some(());
                }
                Kind::Section("--ABORT--") => {
                    let (text, at) = self.here();
                    self.errors.push(OmegaFileError::Aborted { text, at });
                    return None;
                }
                Kind::Header(name) if name == "State" => {
                    self.at += 1;
                    self.state()?;
                }
                _ => return self.unexpected("`State:` or `--END--`", None),
            }
        }
    }

    fn state(&mut self) -> Option<()> {
        let span = self.tokens[self.at].span.clone();
        let label = self.bracketed()?;
        let number = self.state_number()?;
        if matches!(self.peek(), Kind::Text(..)) {
            self.at += 1;
        }
        let own = self.marks()?;
        let place = usize::try_from(number).ok()?;
        if self.edges.len() <= place {
            self.edges.resize(place + 1, None);
        }
        if self.edges[place].is_some() {
            let (text, at) = (self.source.named(), span.into());
            self.errors.push(OmegaFileError::DuplicateState {
                state: number,
                text,
                at,
            });
            return None;
        }
        let mut found: Vec<(Label, u64, Marks)> = Vec::new();
        while matches!(self.peek(), Kind::Number(_) | Kind::Sign('[')) {
            let at = self.tokens[self.at].span.clone();
            let own_label = self.bracketed()?;
            let explicit = own_label != Label::Implicit;
            let first = found.first();
            let mixed = first.is_some_and(|edge| (edge.0 != Label::Implicit) != explicit);
            if mixed || explicit && label != Label::Implicit {
                let (text, at) = (self.source.named(), at.into());
                self.errors.push(OmegaFileError::MixedLabels { text, at });
                return None;
            }
            let target = self.state_number()?;
            found.push((own_label, target, own | self.marks()?));
        }
        self.edges[place] = Some(self.edges_of(found, label, span)?);
        Some(())
    }

    fn edges_of(
        &mut self,
        found: Vec<(Label, u64, Marks)>,
        label: Label,
        span: Range<usize>,
    ) -> Option<Vec<OmegaEdge>> {
        let none = |edge: &(Label, u64, Marks)| edge.0 == Label::Implicit;
        let implicit = label == Label::Implicit && found.iter().any(none);
        let atoms = self.atoms.as_ref().map_or(0, Vec::len);
        let letters = 1_u64.checked_shl(u32::try_from(atoms).ok()?).unwrap_or(0);
        if implicit && found.len() as u64 != letters {
            let (text, at) = (self.source.named(), span.into());
            self.errors.push(OmegaFileError::ImplicitLabels {
                found: found.len(),
                letters,
                text,
                at,
            });
            return None;
        }
        let mut edges = Vec::new();
        for (place, (own, target, marks)) in found.into_iter().enumerate() {
            let guard = match (own, label) {
                (Label::Explicit(label), _) | (_, Label::Explicit(label)) => self.bdds.guard(label),
                _ => single(place as u64, letters),
            };
            let not_in = |(_, set): &(usize, &u32)| marks >> **set & 1 == 0;
            let complements = self.negated.iter().enumerate().filter(not_in);
            let complements: Marks = complements
                .map(|(at, _)| 1 << (self.sets as usize + at))
                .sum();
            if !guard.is_empty() {
                edges.push(OmegaEdge {
                    guard,
                    target: state(target)?,
                    marks: marks | complements,
                });
            }
        }
        Some(edges)
    }

    /// `{0 2}`, or nothing
    fn marks(&mut self) -> Option<Marks> {
        let mut marks = 0;
        if self.eat('{') {
            while !self.eat('}') {
                marks |= 1 << self.below(u64::from(self.sets), "acceptance set")?;
            }
        }
        Some(marks)
    }

    /// `[label]`, or nothing.
    fn bracketed(&mut self) -> Option<Label> {
        if !self.eat('[') {
            return Some(Label::Implicit);
        }
        let label = self.label()?;
        self.expect(']')?;
        Some(Label::Explicit(label))
    }

    fn label(&mut self) -> Option<Bdd> {
        let mut some = self.label_conjunction()?;
        while self.eat('|') {
            let other = self.label_conjunction()?;
            some = self.bdds.or(some, other);
        }
        Some(some)
    }

    fn label_conjunction(&mut self) -> Option<Bdd> {
        let mut all = self.literal()?;
        while self.eat('&') {
            let other = self.literal()?;
            all = self.bdds.and(all, other);
        }
        Some(all)
    }

    fn literal(&mut self) -> Option<Bdd> {
        match self.peek().clone() {
            Kind::Sign('!') => {
                self.at += 1;
                let operand = self.deeper(Self::literal)?;
                Some(self.bdds.not(operand))
            }
            Kind::Sign('(') => {
                self.at += 1;
                let inner = self.deeper(Self::label)?;
                self.expect(')')?;
                Some(inner)
            }
            Kind::Word(word) if word == "t" || word == "f" => {
                self.at += 1;
                Some(if word == "t" { Bdd::TRUE } else { Bdd::FALSE })
            }
            Kind::Number(_) => {
                // Aliases may come before the propositions are declared.
                if self.atoms.is_none() {
                    self.early.push(self.at);
                }
                let atom = self.proposition_number()?;
                Some(self.bdds.variable(u32::try_from(atom).ok()?))
            }
            Kind::Alias(name) => {
                if let Some(&label) = self.aliases.get(&name) {
                    self.at += 1;
                    return Some(label);
                }
                let help = did_you_mean(&name, self.aliases.keys().map(String::as_str));
                let (text, at) = self.here();
                self.errors.push(OmegaFileError::UnknownAlias {
                    name,
                    help,
                    text,
                    at,
                });
                None
            }
            _ => self.unexpected("a label such as `0 & !1`", None),
        }
    }

    /// Reads something inside something.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            let (text, at) = self.here();
            self.errors.push(OmegaFileError::TooDeep {
                limit: MAX_DEPTH,
                text,
                at,
            });
            return None;
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn proposition_number(&mut self) -> Option<u64> {
        let count = self.atoms.as_ref().map_or(MOST, Vec::len);
        self.below(count as u64, "proposition")
    }

    /// All headers have been read. Without a header `AP:` there are no propositions.
    fn declare_propositions(&mut self) -> Option<()> {
        self.atoms.get_or_insert_default();
        let after = self.at;
        for early in std::mem::take(&mut self.early) {
            self.at = early;
            self.proposition_number()?;
        }
        self.at = after;
        Some(())
    }

    fn state_number(&mut self) -> Option<u64> {
        let count = self.states.unwrap_or(MOST_STATES as u64);
        let number = self.below(count, "state")?;
        if self.peek() == &Kind::Sign('&') {
            let (text, at) = self.here();
            self.errors.push(OmegaFileError::Alternating { text, at });
            return None;
        }
        Some(number)
    }

    /// A number that is less than that.
    fn below(&mut self, count: u64, what: &'static str) -> Option<u64> {
        let number = self.number(what)?;
        if number < count {
            return Some(number);
        }
        self.errors.push(OmegaFileError::OutOfRange {
            what,
            number,
            count,
            text: self.source.named(),
            at: self.tokens[self.at - 1].span.clone().into(),
        });
        None
    }

    fn number(&mut self, what: &str) -> Option<u64> {
        let &Kind::Number(number) = self.peek() else {
            return self.unexpected(what, None);
        };
        self.at += 1;
        Some(number)
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = self.peek() == &Kind::Sign(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: char) -> Option<()> {
        if self.eat(sign) {
            return Some(());
        }
        self.unexpected(&format!("`{sign}`"), None)
    }

    fn peek(&self) -> &Kind {
        &self.tokens[self.at.min(self.tokens.len() - 1)].kind
    }

    fn here(&self) -> (miette::NamedSource<std::sync::Arc<str>>, miette::SourceSpan) {
        let at = self.at.min(self.tokens.len() - 1);
        (self.source.named(), self.tokens[at].span.clone().into())
    }

    fn too_many<T>(&mut self, what: &'static str, most: usize) -> Option<T> {
        let text = self.source.named();
        let at = self.tokens[self.at - 1].span.clone().into();
        self.errors.push(OmegaFileError::TooMany {
            what,
            most,
            text,
            at,
        });
        None
    }

    fn unexpected<T>(&mut self, expected: &str, help: Option<String>) -> Option<T> {
        let (text, at) = self.here();
        let found = match self.peek() {
            Kind::End => "the end of the file".to_string(),
            Kind::Unclosed(what) => format!("a {what} that does not end"),
            _ => {
                let span = self.tokens[self.at].span.clone();
                format!(
                    "`{}`",
                    sweepline_text::shortened(self.source.part(span).text())
                )
            }
        };
        self.errors.push(OmegaFileError::Unexpected {
            expected: expected.into(),
            found,
            help,
            text,
            at,
        });
        None
    }
}

fn state(number: u64) -> Option<OmegaState> {
    u32::try_from(number).ok().map(OmegaState)
}

/// The guard of one letter among so many.
fn single(letter: Letter, letters: u64) -> Guard {
    Guard::of([Cube {
        holds: letter,
        fails: letters.wrapping_sub(1) & !letter,
    }])
}
