//! Walks at random through the beginning of the state space: they come to places that an exploration layer by layer has far to go to.

use sweepline_core::{ActionId, Interner, Link, Linked, Observer, Started, Steps, System, Word};
use sweepline_explore::LogPlace;

use super::recorder::BranchRecorder;
use crate::ltl::Reader;

/// What walks came through, recorded as an exploration that was interrupted. Numbers are given in the order in which states are
/// expanded; those that are not expanded have larger ones, which are not recorded.
pub(crate) fn walk<S: System + ?Sized>(
    system: &S,
    reader: Reader,
    (expansions, bytes): (u64, usize),
) -> BranchRecorder {
    let mut walks = Walks {
        system,
        states: Interner::default(),
        places: Vec::new(),
        expanded: Vec::new(),
        edges: 0,
        steps: Steps::for_layout(system.layout()),
        chance: Chance(0x9e37_79b9_7f4a_7c15),
    };
    system.initial(&mut walks.steps);
    let initial = match walks.steps.fault() {
        None => walks.targets(),
        Some(_) => Vec::new(),
    };
    let mut left = expansions.saturating_mul(PATIENCE);
    while !initial.is_empty() && left > 0 {
        let mut at = Some(initial[walks.chance.below(initial.len())]);
        for _ in 0..LONGEST {
            left = left.saturating_sub(1);
            let full = walks.expanded.len() as u64 >= expansions || walks.bytes() > bytes;
            if full {
                left = 0;
            }
            at = at.filter(|_| left > 0).and_then(|at| walks.onwards(at));
            if at.is_none() {
                break;
            }
        }
    }
    walks.record(&initial, reader)
}

/// Steps that are taken for each state that may be expanded.
const PATIENCE: u64 = 4;
/// Steps of a walk.
const LONGEST: usize = 2000;

struct Walks<'s, S: ?Sized> {
    system: &'s S,
    /// States that were met.
    states: Interner<Word>,
    /// Where each of them stands among the expanded ones, if it does.
    places: Vec<Place>,
    expanded: Vec<Expansion>,
    edges: usize,
    steps: Steps,
    chance: Chance,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    Faulty,
    Expanded(usize),
}

struct Expansion {
    state: usize,
    actions: Box<[ActionId]>,
    targets: Box<[usize]>,
}

impl<S: System + ?Sized> Walks<'_, S> {
    /// The states that the last steps lead to.
    fn targets(&mut self) -> Vec<usize> {
        let targets = 0..self.steps.len();
        let targets = targets.map(|index| self.states.number(self.steps.target(index)));
        let targets: Vec<usize> = targets.collect();
        self.places.resize(self.states.len(), Place::Waiting);
        targets
    }

    fn bytes(&self) -> usize {
        let each = size_of::<ActionId>() + size_of::<usize>();
        self.states.bytes() + self.edges * each + self.expanded.len() * size_of::<Expansion>()
    }

    /// Goes on from a state, rather to where it has not been; nothing if that is not possible.
    fn onwards(&mut self, state: usize) -> Option<usize> {
        if self.places[state] == Place::Waiting {
            self.expand(state);
        }
        let Place::Expanded(place) = self.places[state] else {
            return None;
        };
        let targets = &self.expanded[place].targets;
        if targets.is_empty() {
            return None;
        }
        let first = self.chance.below(targets.len());
        let (before, behind) = targets.split_at(first);
        let mut all = behind.iter().chain(before);
        let new = all.find(|target| self.places[**target] == Place::Waiting);
        Some(*new.unwrap_or(&targets[first]))
    }

    fn expand(&mut self, state: usize) {
        self.steps.clear();
        let words = self.states.get(state);
        self.system.successors(words, &mut self.steps);
        if self.steps.fault().is_some() {
            self.places[state] = Place::Faulty;
            return;
        }
        let targets = self.targets().into_boxed_slice();
        self.edges += targets.len();
        self.places[state] = Place::Expanded(self.expanded.len());
        self.expanded.push(Expansion {
            state,
            actions: self.steps.actions().into(),
            targets,
        });
    }

    fn record(&self, initial: &[usize], reader: Reader) -> BranchRecorder {
        let link = |state: &usize| {
            let number = match self.places[*state] {
                Place::Expanded(place) => place,
                Place::Waiting | Place::Faulty => self.expanded.len() + state,
            };
            Link::Kept(number as u64)
        };
        let mut recorder = BranchRecorder::new(reader, LogPlace::Off);
        let mut links: Vec<Link> = initial.iter().map(link).collect();
        let _ = recorder.started(Started { links: &links });
        for (number, one) in (0..).zip(&self.expanded) {
            links.clear();
            links.extend(one.targets.iter().map(link));
            let state = self.states.get(one.state);
            let _ = recorder.linked(Linked {
                number,
                state,
                actions: &one.actions,
                links: &links,
                deadlock: links.is_empty() && !self.system.is_end(state),
            });
        }
        recorder
    }
}

/// Numbers that look random and are always the same (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let limit = limit.max(1) as u64;
        usize::try_from(self.0 % limit).unwrap_or(0)
    }
}
