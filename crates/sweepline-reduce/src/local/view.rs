//! What each process sees.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{ActionId, SlotId, System, Word};
use sweepline_program::{Access, Outcome, Program, ProgramSystem};

use super::{Budget, MOST_JOINTS, Unfinished};
use crate::tables::number;

/// What the processes of a program see, and who does what.
///
/// A local state has the width of a global one, with zeros in the bits that the process does not see. So projecting is masking,
/// and a pair of local states that agree is joined by *or*.
#[derive(Clone, Debug)]
pub struct Views {
    system: ProgramSystem,
    slots: Vec<BTreeSet<SlotId>>,
    masks: Vec<Box<[Word]>>,
    owners: Vec<Owners>,
    /// For each action and each process, whether it belongs to the process or the process sees what it writes.
    involved: Vec<bool>,
    /// The actions of each process alone, by its location.
    own: Vec<Vec<Vec<ActionId>>>,
    /// The joint actions of two processes, the lesser number first.
    joint: BTreeMap<(usize, usize), Vec<ActionId>>,
}

/// Whom an action belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owners {
    pub(super) first: usize,
    pub(super) second: Option<usize>,
}

/// Why a program has no local graphs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is nobody else.
    #[error("it has {0}, so there is nothing local about it")]
    Alone(&'static str),
    /// Errors are counted as states, so what a process does depends on what all others can do.
    #[error("`--errors count` makes every process depend on every other")]
    ErrorStates,
}

impl Views {
    /// Finds out what each process sees. Some may be made to see more: `more` has processes and slots.
    pub fn new(system: &ProgramSystem, more: &[(usize, SlotId)]) -> Result<Self, Refusal> {
        let program = system.program();
        match program.processes().len() {
            0 => return Err(Refusal::Alone("no process")),
            1 => return Err(Refusal::Alone("a single process")),
            _ => {}
        }
        if program.has_error_states() {
            return Err(Refusal::ErrorStates);
        }
        let accesses = (0..program.actions().len()).map(|id| program.access(ActionId(number(id))));
        let accesses: Vec<Access> = accesses.collect();
        let owners: Vec<Owners> = program.actions().iter().map(Owners::of).collect();
        let mut slots = seen_alone(program, &owners, &accesses);
        for (process, slot) in more {
            slots[*process].insert(*slot);
        }
        see_joint_actions(program, &owners, &accesses, &mut slots);
        tell_others(&owners, &accesses, &mut slots);
        Ok(Self {
            involved: involved(&owners, &accesses, &slots),
            masks: slots.iter().map(|slots| mask(system, slots)).collect(),
            own: own(program),
            joint: joint(&owners),
            system: system.clone(),
            slots,
            owners,
        })
    }

    /// The system whose processes these are.
    pub fn system(&self) -> &ProgramSystem {
        &self.system
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.system.program()
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.masks.len()
    }

    /// The slots that a process sees.
    pub fn slots(&self, process: usize) -> &BTreeSet<SlotId> {
        &self.slots[process]
    }

    /// Whether a process takes part in an action.
    pub fn takes_part(&self, process: usize, action: ActionId) -> bool {
        self.owners[action.0 as usize].include(process)
    }

    /// Whether a process takes part in an action or sees what it writes, so that the action is in its graph.
    #[inline]
    pub fn is_involved(&self, process: usize, action: ActionId) -> bool {
        self.involved[action.0 as usize * self.masks.len() + process]
    }

    /// What a process sees of a state.
    pub fn project(&self, process: usize, state: &[Word], out: &mut Vec<Word>) {
        out.clear();
        let words = state.iter().zip(&self.masks[process]);
        out.extend(words.map(|(word, mask)| word & mask));
    }

    #[inline]
    pub(super) fn owners(&self, action: u32) -> Owners {
        self.owners[action as usize]
    }

    /// The bits that both of two processes see.
    pub(super) fn common(&self, one: usize, other: usize) -> Box<[Word]> {
        let words = self.masks[one].iter().zip(&self.masks[other]);
        words.map(|(one, other)| one & other).collect()
    }

    /// The joint actions of two processes.
    pub(super) fn joint(&self, one: usize, other: usize) -> &[ActionId] {
        let pair = (one.min(other), one.max(other));
        self.joint.get(&pair).map_or(&[], Vec::as_slice)
    }

    /// The pairs of processes that have to do with each other: they see something in common, or act together.
    pub(super) fn pairs(
        &self,
        budget: &mut Budget<'_>,
    ) -> Result<BTreeSet<(usize, usize)>, Unfinished> {
        let mut pairs: BTreeSet<(usize, usize)> = self.joint.keys().copied().collect();
        for (slot, seers) in seers(&self.slots) {
            // A slot with a single value has no bits, and nobody learns anything by it.
            if self.system.layout().slot(slot).mask() == 0 {
                continue;
            }
            for (place, other) in seers.iter().enumerate() {
                for one in &seers[..place] {
                    budget.spend(|| [0; 4])?;
                    pairs.insert((*one, *other));
                }
                if pairs.len() > MOST_JOINTS {
                    return Err(Unfinished::Divergence {
                        what: "pairs of processes",
                        limit: MOST_JOINTS,
                    });
                }
            }
        }
        Ok(pairs)
    }

    /// Calls `act` with the actions of a process alone that happen in a local state, and what they make of it. An action that fails
    /// does not happen: a real run ends there.
    pub(super) fn own_steps(
        &self,
        process: usize,
        state: &[Word],
        mut act: impl FnMut(u32, &[Word]),
    ) {
        let location = self.program().processes()[process].location;
        let at = self.system.layout().slot(location).read(state);
        let mut target = Vec::with_capacity(state.len());
        let at = usize::try_from(at).expect("locations are counted from zero");
        for action in &self.own[process][at] {
            if self.system.take(*action, state, &mut target) == Outcome::Taken {
                act(action.0, &target);
            }
        }
    }
}

impl Owners {
    fn of(action: &sweepline_program::Action) -> Self {
        let mut processes = action.moves.iter().map(|step| step.process.0 as usize);
        let first = processes.next().expect("an action belongs to a process");
        let second = processes.next();
        Self { first, second }
    }

    pub(super) fn include(self, process: usize) -> bool {
        self.first == process || self.second == Some(process)
    }
}

/// What processes see because of themselves and what they do alone.
fn seen_alone(program: &Program, owners: &[Owners], accesses: &[Access]) -> Vec<BTreeSet<SlotId>> {
    let locations = program.processes().iter().map(|process| process.location);
    let mut seen: Vec<BTreeSet<SlotId>> = locations.map(|slot| [slot].into()).collect();
    for (slot, id) in program.slots().iter().zip((0..).map(SlotId)) {
        if let Some(owner) = slot.owner {
            seen[owner.0 as usize].insert(id);
        }
    }
    for (owners, access) in owners.iter().zip(accesses) {
        if owners.second.is_none() {
            let slots = access.reads.iter().chain(&access.writes);
            seen[owners.first].extend(slots);
        }
    }
    seen
}

/// Everything that decides a joint action, and everything it does, is seen by one of the two or by both.
fn see_joint_actions(
    program: &Program,
    owners: &[Owners],
    accesses: &[Access],
    seen: &mut [BTreeSet<SlotId>],
) {
    for (owners, access) in owners.iter().zip(accesses) {
        let Some(second) = owners.second else {
            continue;
        };
        for slot in access.reads.iter().chain(&access.writes) {
            let owner = program.slot(*slot).owner.map(|owner| owner.0 as usize);
            let is_seen = seen[owners.first].contains(slot) || seen[second].contains(slot);
            if !is_seen && owner.is_none_or(|owner| !owners.include(owner)) {
                seen[owners.first].insert(*slot);
                seen[second].insert(*slot);
            }
        }
    }
}

/// What a joint action does to the view of a third process is seen by the first of its owners. Otherwise one of the owners would
/// know of one slot and the other one of another, and nobody what becomes of the third process.
fn tell_others(owners: &[Owners], accesses: &[Access], seen: &mut [BTreeSet<SlotId>]) {
    let mut seers = seers(seen);
    loop {
        let mut changed = false;
        for (owners, access) in owners.iter().zip(accesses) {
            if owners.second.is_none() {
                continue;
            }
            for slot in &access.writes {
                let seers = seers.entry(*slot).or_default();
                // At most two of them are owners, so this looks at three.
                let third = seers.iter().any(|process| !owners.include(*process));
                if third && seen[owners.first].insert(*slot) {
                    seers.push(owners.first);
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// The processes that see each slot, the lesser numbers first.
fn seers(seen: &[BTreeSet<SlotId>]) -> BTreeMap<SlotId, Vec<usize>> {
    let mut seers: BTreeMap<SlotId, Vec<usize>> = BTreeMap::new();
    for (process, slots) in seen.iter().enumerate() {
        for slot in slots {
            seers.entry(*slot).or_default().push(process);
        }
    }
    seers
}

/// For each action and each process, whether it belongs to the process or the process sees what it writes.
fn involved(owners: &[Owners], accesses: &[Access], seen: &[BTreeSet<SlotId>]) -> Vec<bool> {
    let seers = seers(seen);
    let mut involved = vec![false; owners.len() * seen.len()];
    let rows = involved.chunks_mut(seen.len());
    for ((owners, access), row) in owners.iter().zip(accesses).zip(rows) {
        row[owners.first] = true;
        if let Some(second) = owners.second {
            row[second] = true;
        }
        let written = access.writes.iter().filter_map(|slot| seers.get(slot));
        for process in written.flatten() {
            row[*process] = true;
        }
    }
    involved
}

fn mask(system: &ProgramSystem, slots: &BTreeSet<SlotId>) -> Box<[Word]> {
    let mut mask = vec![0; system.start().len()];
    for slot in slots {
        let slot = system.layout().slot(*slot);
        mask[slot.word] |= slot.mask() << slot.shift;
    }
    mask.into()
}

fn own(program: &Program) -> Vec<Vec<Vec<ActionId>>> {
    let processes = program.processes().iter();
    let mut own: Vec<_> = processes
        .map(|process| vec![Vec::new(); process.locations.len()])
        .collect();
    for (action, id) in program.actions().iter().zip((0..).map(ActionId)) {
        if let [step] = &action.moves[..] {
            own[step.process.0 as usize][step.source.0 as usize].push(id);
        }
    }
    own
}

fn joint(owners: &[Owners]) -> BTreeMap<(usize, usize), Vec<ActionId>> {
    let mut joint: BTreeMap<_, Vec<ActionId>> = BTreeMap::new();
    for (owners, id) in owners.iter().zip((0..).map(ActionId)) {
        if let Some(second) = owners.second {
            let pair = (owners.first.min(second), owners.first.max(second));
            joint.entry(pair).or_default().push(id);
        }
    }
    joint
}
