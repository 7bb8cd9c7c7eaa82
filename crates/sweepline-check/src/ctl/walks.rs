//! Walks at random through the beginning of the state space: they come to places that an exploration layer by layer has far to go to.

use sweepline_core::{Interner, Link, Linked, Observer, Started, Steps, System, Word};

use super::recorder::BranchRecorder;

/// What walks came through, recorded in a blank as an exploration that was interrupted. Numbers are given in the order in which states are
/// expanded; what is not expanded is unknown.
///
/// Only states that were expanded are remembered, and their steps are computed again when they are needed: memory that is given back
/// before an exploration is seldom there when it is.
pub(crate) fn walk<S: System + ?Sized>(
    system: &S,
    blank: BranchRecorder,
    (expansions, bytes): (u64, usize),
) -> BranchRecorder {
    let mut walks = Walks {
        system,
        expanded: Interner::default(),
        steps: Steps::for_layout(system.layout()),
        chance: Chance(0x9e37_79b9_7f4a_7c15),
    };
    system.initial(&mut walks.steps);
    let initial = walks.steps.clone();
    let mut left = expansions.saturating_mul(PATIENCE);
    if initial.fault().is_some() || initial.is_empty() {
        left = 0;
    }
    while left > 0 {
        let first = walks.chance.below(initial.len());
        let mut at: Option<Box<[Word]>> = Some(initial.target(first).into());
        for _ in 0..LONGEST {
            left = left.saturating_sub(1);
            let expanded = &walks.expanded;
            if expanded.len() as u64 >= expansions || expanded.bytes() > bytes {
                left = 0;
            }
            at = at.filter(|_| left > 0).and_then(|at| walks.onwards(&at));
            if at.is_none() {
                break;
            }
        }
    }
    walks.record(&initial, blank)
}

/// Steps that are taken for each state that may be expanded.
const PATIENCE: u64 = 4;
/// Steps of a walk.
const LONGEST: usize = 2000;

struct Walks<'s, S: ?Sized> {
    system: &'s S,
    /// States whose steps are known.
    expanded: Interner<Word>,
    steps: Steps,
    chance: Chance,
}

impl<S: System + ?Sized> Walks<'_, S> {
    /// Goes on from a state, rather to where it has not been; nothing if that is not possible.
    fn onwards(&mut self, state: &[Word]) -> Option<Box<[Word]>> {
        self.steps.clear();
        self.system.successors(state, &mut self.steps);
        if self.steps.fault().is_some() {
            return None;
        }
        self.expanded.number(state);
        let count = self.steps.len();
        if count == 0 {
            return None;
        }
        let first = self.chance.below(count);
        let mut all = (first..count).chain(0..first);
        let is_new = |&step: &usize| self.expanded.known(self.steps.target(step)).is_none();
        let step = all.find(is_new).unwrap_or(first);
        Some(self.steps.target(step).into())
    }

    fn record(mut self, initial: &Steps, mut recorder: BranchRecorder) -> BranchRecorder {
        let mut links = Vec::new();
        self.link(initial, &mut links);
        let _ = recorder.started(Started { links: &links });
        let mut steps = std::mem::replace(&mut self.steps, Steps::for_layout(self.system.layout()));
        for (number, state) in self.expanded.iter().enumerate() {
            steps.clear();
            self.system.successors(state, &mut steps);
            self.link(&steps, &mut links);
            let _ = recorder.linked(Linked {
                number: number as u64,
                state,
                actions: steps.actions(),
                links: &links,
                deadlock: links.is_empty() && !self.system.is_end(state),
            });
        }
        recorder
    }

    /// Where steps lead. A state that was not expanded has a number behind all others.
    fn link(&self, steps: &Steps, links: &mut Vec<Link>) {
        links.clear();
        let behind = self.expanded.len();
        links.extend((0..steps.len()).map(|step| {
            let number = self.expanded.known(steps.target(step));
            Link::Kept(number.unwrap_or(behind) as u64)
        }));
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
