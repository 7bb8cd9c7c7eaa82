//! Reading.

use std::io::{self, BufRead};
use std::ops::Range;

use sweepline_core::{Interner, Limits};

use super::error::{AutError, Excerpt};
use super::line::{
    Header, Number, Problem, Transition, Wrong, header, is_blank, meaning, plain_line, transition,
};
use crate::edge_list::EdgeList;
use crate::lts::{LabelId, Lts, LtsEdge, StateKind, TAU};
use sweepline_graph::StateId;
use sweepline_text::Names;

/// Reads an LTS in the Aldebaran format; see the [module](super). The file is read once, line by line, and only what
/// belongs to the result is kept.
///
/// Labels are numbered in the order of their first occurrence. The alphabet consists of the labels that occur.
///
/// ```
/// use sweepline_process::{StateId, TAU, aut::read_aut};
///
/// let file = "des (0, 3, 2)\n(0, \"send(1, true)\", 1)\n(1, i, 1)\n(1, ack, 0)\n";
/// let lts = read_aut("link.aut", file.as_bytes()).unwrap();
/// assert_eq!(lts.labels(), ["tau", "send(1, true)", "ack"]);
/// assert_eq!(lts.edges_from(StateId(1))[0].label, TAU);
/// ```
pub fn read_aut(name: &str, input: impl BufRead) -> Result<Lts, AutError> {
    read_aut_within(name, input, &Limits::default())
}

/// The same, if it can be done within limits.
pub fn read_aut_within(name: &str, input: impl BufRead, limits: &Limits) -> Result<Lts, AutError> {
    let mut lines = Lines::new(name, input);
    if !lines.advance()? {
        return Err(AutError::Empty);
    }
    let header = header(&lines.line).map_err(|problem| lines.report(problem))?;
    let mut reader = Reader::new(&lines, header)?;
    loop {
        if !reader.add_plain(&mut lines)? {
            if !lines.advance()? {
                break;
            }
            let transition = transition(&lines.line).map_err(|problem| lines.report(problem))?;
            reader.add(&lines, &transition)?;
        }
        if lines.number.is_multiple_of(LINES_UNASKED) {
            limits.allow(reader.bytes()).map_err(AutError::Stopped)?;
        }
    }
    reader.finish()
}

/// So many lines are read before limits are looked at again.
const LINES_UNASKED: usize = 1 << 14;

/// The lines of a file that are not blank.
struct Lines<'a, I> {
    name: &'a str,
    input: I,
    line: Vec<u8>,
    /// Counts from 0.
    number: usize,
    next: usize,
}

/// What some systems put in front of text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<'a, I: BufRead> Lines<'a, I> {
    fn new(name: &'a str, input: I) -> Self {
        Self {
            name,
            input,
            line: Vec::new(),
            number: 0,
            next: 0,
        }
    }

    /// Reads the next line; false if there is none.
    fn advance(&mut self) -> io::Result<bool> {
        loop {
            self.line.clear();
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(false);
            }
            self.number = self.next;
            self.next += 1;
            if self.number == 0 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
            while self.line.last().copied().is_some_and(is_blank) {
                self.line.pop();
            }
            if !self.line.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Goes on behind a line of so many bytes.
    #[inline]
    fn skip(&mut self, length: usize) {
        self.input.consume(length);
        self.number = self.next;
        self.next += 1;
    }

    fn excerpt(&self, at: Range<usize>) -> (Excerpt, miette::SourceSpan) {
        Excerpt::new(self.name, self.number, &self.line, at)
    }

    #[cold]
    fn report(&self, problem: Problem) -> AutError {
        let (text, at) = self.excerpt(problem.at);
        match problem.wrong {
            Wrong::Header => AutError::Header { text, at },
            Wrong::Expected(what, help) => AutError::Expected {
                what,
                help,
                text,
                at,
            },
            Wrong::Large(what) => AutError::LargeNumber { what, text, at },
            Wrong::Unclosed => AutError::UnclosedQuotes { text, at },
            Wrong::NotText => AutError::NotText { text, at },
        }
    }
}

/// What has been read so far.
struct Reader {
    initial: StateId,
    states: u32,
    transitions: u64,
    edges: EdgeList,
    labels: Labels,
    /// The numbers of transitions and of states in the header, for messages.
    announced: [(Excerpt, miette::SourceSpan); 2],
}

/// A header may announce so many states even if they do not occur in transitions.
const UNMENTIONED_STATES: u64 = 1 << 20;

impl Reader {
    fn new<I: BufRead>(lines: &Lines<'_, I>, header: Header) -> Result<Self, AutError> {
        let Ok(states) = u32::try_from(header.states.value) else {
            let wrong = Wrong::Large("the number of states");
            let at = header.states.at;
            return Err(lines.report(Problem { wrong, at }));
        };
        Ok(Self {
            initial: state(lines, &header.first, states)?,
            states,
            transitions: header.transitions.value,
            edges: EdgeList::default(),
            labels: Labels::default(),
            announced: [header.transitions.at, header.states.at].map(|at| lines.excerpt(at)),
        })
    }

    /// Adds the next line if it is written as most are, without copying it. If anything is odd about it, it is left for
    /// those who can say what.
    #[inline]
    fn add_plain<I: BufRead>(&mut self, lines: &mut Lines<'_, I>) -> io::Result<bool> {
        let bytes = lines.input.fill_buf()?;
        let Some(line) = plain_line(bytes) else {
            return Ok(false);
        };
        let state = |number: u64| {
            u32::try_from(number)
                .ok()
                .filter(|value| *value < self.states)
        };
        let (Some(source), Some(target)) = (state(line.from), state(line.to)) else {
            return Ok(false);
        };
        if self.edges.len() as u64 == self.transitions {
            return Ok(false);
        }
        let Ok(label) = self.labels.label(&bytes[line.label]) else {
            return Ok(false);
        };
        let target = StateId(target);
        self.edges.push(StateId(source), LtsEdge { label, target });
        lines.skip(line.length);
        Ok(true)
    }

    fn add<I: BufRead>(
        &mut self,
        lines: &Lines<'_, I>,
        transition: &Transition,
    ) -> Result<(), AutError> {
        if self.edges.len() as u64 == self.transitions {
            let (text, at) = lines.excerpt(0..lines.line.len());
            let announced = self.transitions;
            return Err(AutError::TooManyTransitions {
                announced,
                text,
                at,
            });
        }
        let source = state(lines, &transition.from, self.states)?;
        let target = state(lines, &transition.to, self.states)?;
        let at = transition.label.clone();
        let label = self.labels.label(&lines.line[at.clone()]);
        let label = label.map_err(|wrong| lines.report(Problem { wrong, at }))?;
        self.edges.push(source, LtsEdge { label, target });
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.edges.bytes() + self.labels.written.bytes() + self.labels.names.bytes()
    }

    fn finish(self) -> Result<Lts, AutError> {
        let [in_transitions, in_states] = self.announced;
        let found = self.edges.len() as u64;
        if found < self.transitions {
            let (text, at) = in_transitions;
            return Err(AutError::TooFewTransitions {
                announced: self.transitions,
                found,
                text,
                at,
            });
        }
        if u64::from(self.states) > 2 * found + UNMENTIONED_STATES {
            let (text, at) = in_states;
            return Err(AutError::TooManyStates {
                announced: self.states.into(),
                transitions: found,
                text,
                at,
            });
        }
        let kinds = vec![StateKind::Ordinary; self.states as usize];
        let labels = self.labels.names.into_list();
        Ok(Lts::new(self.initial, labels, kinds, self.edges))
    }
}

/// A number as one of so many states.
#[inline]
fn state<I: BufRead>(
    lines: &Lines<'_, I>,
    number: &Number,
    states: u32,
) -> Result<StateId, AutError> {
    match u32::try_from(number.value) {
        Ok(value) if value < states => Ok(StateId(value)),
        _ => Err(no_such_state(lines, number, states)),
    }
}

#[cold]
fn no_such_state<I: BufRead>(lines: &Lines<'_, I>, number: &Number, states: u32) -> AutError {
    let (text, at) = lines.excerpt(number.at.clone());
    let help = match states.checked_sub(1) {
        Some(0) => "the only state is 0".to_string(),
        Some(last) => format!("states are numbered from 0 to {last}"),
        None => "there is always at least one state".to_string(),
    };
    AutError::NoSuchState {
        state: number.value,
        states: states.into(),
        help,
        text,
        at,
    }
}

/// Labels by how they are written.
struct Labels {
    written: Interner<u8>,
    meanings: Vec<LabelId>,
    names: Names,
}

impl Default for Labels {
    fn default() -> Self {
        let mut names = Names::default();
        names.intern("tau");
        Self {
            written: Interner::default(),
            meanings: Vec::new(),
            names,
        }
    }
}

impl Labels {
    #[inline]
    fn label(&mut self, written: &[u8]) -> Result<LabelId, Wrong> {
        let number = self.written.number(written);
        match self.meanings.get(number) {
            Some(&label) => Ok(label),
            None => self.new_label(written),
        }
    }

    fn new_label(&mut self, written: &[u8]) -> Result<LabelId, Wrong> {
        let label = match meaning(written)? {
            None => TAU,
            Some(name) => {
                let number = self.names.intern(&name);
                LabelId(u32::try_from(number).expect("a line each, and below 2^32 slices"))
            }
        };
        self.meanings.push(label);
        Ok(label)
    }
}
