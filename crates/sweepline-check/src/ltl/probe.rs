//! A look at the beginning of a state space before it is explored: depth-first, so that a lasso is met early.

use std::collections::HashMap;

use sweepline_core::{Interner, Steps, System, Word};

use super::acceptor::Acceptor;
use super::claim::{ActionSets, Fairness, Reader, Undefined};
use super::graph::{Cursor, Marked, Moves, Root, STUTTER, Step};

/// States that are expanded when somebody asks for their steps, as long as there are not too many.
pub(crate) struct Probe<'s, S: ?Sized> {
    system: &'s S,
    reader: Reader,
    states: Interner<Word>,
    expanded: HashMap<u32, Expansion>,
    read: Interner<Word>,
    initial: Vec<u32>,
    steps: Steps,
    actions: Option<ActionSets>,
    /// How many more states may be expanded.
    left: u64,
    bytes: usize,
    most_bytes: usize,
}

/// What is known of a state.
struct Expansion {
    /// What was read, unless it could not be expanded.
    letter: Option<u32>,
    undefined: Vec<Undefined>,
    targets: Box<[u32]>,
    actions: Box<[sweepline_core::ActionId]>,
}

impl<'s, S: System + ?Sized> Probe<'s, S> {
    pub(crate) fn new(system: &'s S, reader: Reader, fairness: &Fairness, bytes: usize) -> Self {
        let mut probe = Self {
            system,
            reader,
            states: Interner::default(),
            expanded: HashMap::new(),
            read: Interner::default(),
            initial: Vec::new(),
            steps: Steps::for_layout(system.layout()),
            actions: fairness.needs_actions().then(|| ActionSets::new(fairness)),
            left: 0,
            bytes: 0,
            most_bytes: bytes,
        };
        probe.steps.set_limit(bytes);
        system.initial(&mut probe.steps);
        if probe.steps.fault().is_none() {
            probe.initial = probe.targets();
        }
        probe
    }

    /// Allows so many more expansions.
    pub(crate) fn allow(&mut self, expansions: u64) {
        self.left = expansions;
    }

    /// How many states have been looked at.
    pub(crate) fn looked_at(&self) -> u64 {
        self.expanded.len() as u64
    }

    /// Whether the initial states could be computed.
    pub(crate) fn has_started(&self) -> bool {
        self.steps.fault().is_none() || !self.initial.is_empty()
    }

    fn targets(&mut self) -> Vec<u32> {
        let targets = (0..self.steps.len()).map(|index| {
            let number = self.states.number(self.steps.target(index));
            u32::try_from(number).expect("an interner has that many")
        });
        targets.collect()
    }

    /// Expands a state, if that is allowed or has been done.
    fn expand(&mut self, number: u32) -> Option<&Expansion> {
        if !self.expanded.contains_key(&number) {
            if self.left == 0 || self.bytes + self.states.bytes() > self.most_bytes {
                return None;
            }
            self.left -= 1;
            let expansion = self.expansion(number);
            self.bytes += size_of::<(u32, Expansion)>() * 2
                + expansion.targets.len() * size_of::<u32>()
                + expansion.actions.len() * size_of::<u32>();
            self.expanded.insert(number, expansion);
        }
        self.expanded.get(&number)
    }

    fn expansion(&mut self, number: u32) -> Expansion {
        let state: Box<[Word]> = self.states.get(number as usize).into();
        self.steps.clear();
        self.system.successors(&state, &mut self.steps);
        // Whatever is wrong with it: what comes after such a state is not known, and it is no deadlock.
        if self.steps.fault().is_some() {
            return Expansion {
                letter: None,
                undefined: Vec::new(),
                targets: [].into(),
                actions: [].into(),
            };
        }
        let deadlock = self.steps.is_empty() && !self.system.is_end(&state);
        let mut words = Vec::new();
        let actions = self.steps.actions();
        let undefined = self.reader.read(&state, actions, deadlock, &mut words);
        let kept = if self.actions.is_some() { actions } else { &[] };
        let actions = kept.into();
        Expansion {
            letter: Some(
                u32::try_from(self.read.number(&words)).expect("an interner has that many"),
            ),
            undefined,
            targets: self.targets().into(),
            actions,
        }
    }
}

/// The states of a probe, together with an automaton.
pub(crate) struct Probing<'p, 's, S: ?Sized> {
    pub(crate) probe: &'p mut Probe<'s, S>,
    pub(crate) acceptor: &'p Acceptor,
    moves: Moves,
    /// Whether something was met that was not expanded, or of which an atom has no value.
    pub(crate) unfinished: bool,
}

impl<'p, 's, S: System + ?Sized> Probing<'p, 's, S> {
    pub(crate) fn new(probe: &'p mut Probe<'s, S>, acceptor: &'p Acceptor) -> Self {
        Self {
            unfinished: !probe.has_started(),
            probe,
            acceptor,
            moves: Moves::new(acceptor),
        }
    }

    fn node(&self, number: u32, state: u64) -> u64 {
        u64::from(number) * self.moves.states() + state
    }
}

impl<S: System + ?Sized> Marked for Probing<'_, '_, S> {
    fn root(&mut self, index: usize) -> Option<Root> {
        let starts = &self.acceptor.initial;
        let state = *starts.get(index.checked_rem(starts.len())?)?;
        let ordinal = index / starts.len();
        let number = *self.probe.initial.get(ordinal)?;
        Some(Root {
            node: self.node(number, state.into()),
            ordinal: u32::try_from(ordinal).ok()?,
            state,
        })
    }

    fn step(&mut self, node: u64, cursor: &mut Cursor) -> Option<Step> {
        let states = self.moves.states();
        let part = |part: u64| u32::try_from(part).expect("a node is made of such numbers");
        let (number, state) = (part(node / states), part(node % states));
        let acceptor = self.acceptor;
        let expansion = self.probe.expand(number);
        let asks = |one: &Undefined| acceptor.asks(one.atom);
        let known = expansion.filter(|expansion| !expansion.undefined.iter().any(asks));
        let Some((expansion, letter)) = known.and_then(|known| Some((known, known.letter?))) else {
            self.unfinished = true;
            return None;
        };
        let (letter, targets) = (letter as usize, expansion.targets.len());
        if targets > 0 && cursor.edge as usize >= targets {
            return None;
        }
        while self.moves.len() <= letter {
            let read = self.probe.read.get(self.moves.len());
            self.moves.learn(acceptor, read);
        }
        let moves = self.moves.of(letter, state);
        if moves.is_empty() {
            return None;
        }
        if targets == 0 {
            let step = moves.get(cursor.step as usize)?;
            cursor.step += 1;
            return Some(Step {
                target: u64::from(number) * states + step.target,
                ordinal: STUTTER,
                ..*step
            });
        }
        if cursor.step as usize == moves.len() {
            *cursor = Cursor {
                edge: cursor.edge + 1,
                step: 0,
            };
        }
        let step = moves[cursor.step as usize];
        let expansion = &self.probe.expanded[&number];
        let edge = cursor.edge as usize;
        let target = *expansion.targets.get(edge)?;
        cursor.step += 1;
        Some(Step {
            target: u64::from(target) * states + step.target,
            marks: step.marks | acceptor.step_marks(expansion.actions.get(edge).copied()),
            ordinal: cursor.edge,
            edge: step.edge,
        })
    }

    fn is_universal(&self, node: u64) -> bool {
        let state = u32::try_from(node % self.moves.states()).expect("a state of the automaton");
        self.acceptor.is_universal(state)
    }
}
