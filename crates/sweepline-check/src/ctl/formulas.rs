//! Many formulas of branching time, decided while a state space is explored.

use sweepline_core::{
    ColumnClosed, Control, LayerOpened, Link, Linked, Observer, Started, StopReason, System, Wants,
};

use super::branches::{BranchClaim, BranchStatus};
use super::edges::SMALL;
use super::labels::{DoesNotFit, Formula, Labels};
use super::recorder::{BranchRecorder, Survey};
use super::sets::Set;
use super::walks::walk;
use crate::ltl::{Allowance, Fairness, LivenessOptions, Reader};
use crate::question::Test;

/// Formulas, and what is known of them.
///
/// An observer that wants links: it records what is explored on a tape, and labels it after 1, 4, 16, … expansions and at the end.
/// What it found stays found if the exploration begins again.
pub(crate) struct Formulas {
    branches: Vec<(BranchClaim, BranchStatus)>,
    options: LivenessOptions,
    /// Nothing once nothing is open, or nothing more can be recorded.
    recorder: Option<BranchRecorder>,
    /// Why nothing more can be recorded, or what is recorded cannot be labelled.
    given_up: Option<StopReason>,
    /// Why a formula that is decided layer by layer cannot be, because an atom has no value somewhere.
    unread: Vec<Option<String>>,
    /// Whether some layer was left before everything in it was expanded.
    unfinished: bool,
    next_try: u64,
    /// Edges that tries looked at, once for each set of a part of a formula.
    labelled: u64,
}

/// Each try comes after so many times the expansions of the one before.
const FACTOR: u64 = 4;
/// Tries may look at every edge so often, and at so many edges in any case.
const SHARE: u64 = 6;
const TOLERATED: u64 = 10_000_000;
/// Sets that formulas which are labelled together may have in memory, and bytes in any case.
const TOGETHER: usize = 20;
const LITTLE: usize = 1 << 20;

impl Formulas {
    /// Prepares to decide formulas whose atoms are among these.
    pub(crate) fn new(atoms: &[Test], claims: Vec<BranchClaim>, options: &LivenessOptions) -> Self {
        let with_status = |claim: BranchClaim| {
            let open = claim.open();
            (claim, open)
        };
        // What is enabled can be told from the actions of steps.
        let reader = Reader::new(atoms.to_vec(), &Fairness::default());
        let with_actions = claims.iter().any(BranchClaim::needs_actions);
        let mut formulas = Self {
            branches: claims.into_iter().map(with_status).collect(),
            recorder: Some(BranchRecorder::new(
                reader,
                with_actions,
                options.place.clone(),
            )),
            options: options.clone(),
            given_up: None,
            unread: Vec::new(),
            unfinished: false,
            next_try: 1,
            labelled: 0,
        };
        formulas.forget_decided();
        formulas
    }

    /// All formulas, with what is known of each.
    pub(crate) fn all(&self) -> &[(BranchClaim, BranchStatus)] {
        &self.branches
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.branches.iter().all(|(_, status)| status.is_decided())
    }

    /// Whether something is recorded, on which more may be decided.
    pub(crate) fn is_following(&self) -> bool {
        self.recorder.is_some()
    }

    /// Why what is open stays open, if that is so already.
    pub(crate) fn given_up(&self) -> Option<&StopReason> {
        self.given_up.as_ref()
    }

    /// The same atoms, bound to another encoding of the system.
    pub(crate) fn rebind(&mut self, atoms: Vec<Test>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.reader().rebind(atoms);
        }
    }

    /// Atoms cannot be read any more.
    pub(crate) fn forget(&mut self) {
        self.recorder = None;
    }

    /// Walks through the beginning of the state space. How many states were looked at.
    pub(crate) fn walk<S: System + ?Sized>(&mut self, system: &S, bytes: usize) -> u64 {
        let Some(recorder) = &self.recorder else {
            return 0;
        };
        let walked = walk(system, recorder.blank(), (self.options.probe, bytes / 2));
        // If it is interrupted, so will be the exploration.
        let all = self.open();
        let _ = self.label(&walked, &all, true, bytes / 2);
        self.forget_decided();
        walked.links().expansions()
    }

    /// Tries to decide every open formula on what is recorded, which may be everything.
    pub(crate) fn attempt(&mut self, complete: bool, bytes: usize) -> Result<(), StopReason> {
        let all = self.open();
        self.attempt_some(&all, complete, bytes)
    }

    fn attempt_some(
        &mut self,
        chosen: &[usize],
        complete: bool,
        bytes: usize,
    ) -> Result<(), StopReason> {
        let Some(recorder) = self.recorder.take() else {
            return Ok(());
        };
        if recorder.links().is_layered() {
            let ended = self.look_at_layer(&recorder, chosen, (complete, bytes));
            self.recorder = Some(recorder);
            if complete && ended == Ok(true) && !self.unfinished {
                self.all_layers_ended();
            }
            if complete && ended == Ok(false) {
                self.given_up.get_or_insert(StopReason::OutOfMemory);
            }
            self.forget_decided();
            return ended.map(|_| ());
        }
        let thorough = complete || recorder.links().numbers() <= SMALL;
        let labelled = self.label(&recorder, chosen, thorough, bytes);
        self.recorder = Some(recorder);
        if complete && labelled == Ok(false) {
            self.given_up.get_or_insert(StopReason::OutOfMemory);
        }
        self.forget_decided();
        labelled.map(|_| ())
    }

    /// Looks at the links of the open layer, which may have ended. False if there is not the memory for that.
    fn look_at_layer(
        &mut self,
        recorder: &BranchRecorder,
        chosen: &[usize],
        (ended, bytes): (bool, usize),
    ) -> Result<bool, StopReason> {
        let links = recorder.links();
        if ended {
            let known = |largest: Option<u32>| largest.is_none_or(|one| one < links.numbers());
            self.unfinished |= !links.largest().is_some_and(known);
        }
        for &at in chosen {
            let (claim, status) = &mut self.branches[at];
            if let Some(why) = claim.undefined(recorder) {
                self.unread[at].get_or_insert(why);
            }
            let thorough = ended || links.numbers() <= SMALL;
            let found = claim.decide_layer(recorder, (thorough, bytes), &self.options.limits)?;
            match found {
                Ok(None) => {}
                Ok(Some(found)) => *status = found,
                Err(DoesNotFit) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// No layer has decided what is open.
    fn all_layers_ended(&mut self) {
        for at in self.open() {
            let (claim, status) = &mut self.branches[at];
            *status = match self.unread[at].take() {
                Some(why) => BranchStatus::Undefined {
                    why,
                    parts: claim.open_in_layers(),
                },
                None => claim.undecided_by_layers(),
            };
        }
    }

    /// A layer has been closed, or was left. If there is not the memory to look at it, or it is interrupted, what is open stays
    /// open.
    pub(crate) fn layer_ended(&mut self, bytes: usize) {
        let is_layered = |recorder: &BranchRecorder| recorder.links().is_layered();
        if self.recorder.as_ref().is_some_and(is_layered)
            && let Some(recorder) = self.recorder.take()
        {
            let all = self.open();
            let looked = self.look_at_layer(&recorder, &all, (true, bytes));
            self.recorder = Some(recorder);
            if looked != Ok(true) {
                let why = looked.err().unwrap_or(StopReason::OutOfMemory);
                self.unfinished = true;
                self.given_up.get_or_insert(why);
                self.recorder = None;
            }
            self.forget_decided();
        }
    }

    /// Whether all open formulas can be decided layer by layer, from so many initial states.
    fn are_layered(&self, initial: usize) -> bool {
        let mut open = self.branches.iter();
        self.options.columns_only
            && open.all(|(claim, status)| status.is_decided() || claim.is_layered(initial))
    }

    /// The measure is another one, which matters if the exploration begins only then.
    pub(crate) fn measured(&mut self, columns_only: bool) {
        self.options.columns_only = columns_only;
    }

    /// Whether it can follow when the measure changes: not if links have been dropped.
    pub(crate) fn can_follow(&self) -> bool {
        let recorder = self.recorder.as_ref();
        recorder.is_none_or(|recorder| recorder.links().can_follow())
    }

    /// The positions of what is open, fewest parts first.
    fn open(&self) -> Vec<usize> {
        let all = 0..self.branches.len();
        let open = all.filter(|&at| !self.branches[at].1.is_decided());
        let mut open: Vec<usize> = open.collect();
        open.sort_by_key(|&at| self.branches[at].0.parts());
        open
    }

    /// Decides formulas on what is recorded. False if there is not the memory to label it.
    fn label(
        &mut self,
        recorder: &BranchRecorder,
        chosen: &[usize],
        thorough: bool,
        bytes: usize,
    ) -> Result<bool, StopReason> {
        let allowance = Allowance {
            bytes,
            limits: &self.options.limits,
        };
        let survey = Survey::of(recorder, allowance.limits)?;
        let recorded = (recorder, &survey);
        let mut fits = true;
        let mut left = chosen;
        while !left.is_empty() {
            let (group, others) = left.split_at(self.group(left, recorded, bytes));
            left = others;
            let claims = group.iter().map(|&at| &self.branches[at].0);
            let formulas: Vec<Formula<'_>> = claims.clone().map(BranchClaim::formula).collect();
            let most = Labels::most_bytes(&formulas[0], recorded);
            let mut found = Vec::with_capacity(group.len());
            if group.len() == 1 && most > bytes {
                found.push(self.branches[group[0]].0.too_large());
            } else {
                let labels = Labels::of_all(&formulas, recorded, thorough, &allowance)?;
                let mut held: usize = labels.iter().map(|labels| labels.bytes).sum();
                for (claim, labels) in claims.zip(labels) {
                    held -= labels.bytes;
                    let allowance = Allowance {
                        bytes: bytes.saturating_sub(held),
                        ..allowance
                    };
                    found.push(claim.decide(labels, &allowance)?);
                }
            }
            for (&at, found) in group.iter().zip(found) {
                if found.too_large {
                    // What was said of it before may be right still.
                    fits = false;
                } else {
                    self.branches[at].1 = found.status;
                }
            }
        }
        Ok(fits)
    }

    /// How many of some formulas are labelled together, at least one: those that share passes need memory at the same time.
    fn group(
        &self,
        formulas: &[usize],
        recorded: (&BranchRecorder, &Survey),
        bytes: usize,
    ) -> usize {
        let set = Set::bytes(recorded.0.links().numbers());
        let little = (TOGETHER * set).max(LITTLE);
        let (mut most, mut live) = (0_usize, 0);
        let fits = |&&at: &&usize| {
            let formula = self.branches[at].0.formula();
            most = most.saturating_add(Labels::most_bytes(&formula, recorded));
            live += formula.arena.most_live() * set;
            most <= bytes && live <= little && formula.assumed.is_none()
        };
        formulas.iter().take_while(fits).count().max(1)
    }

    /// What nobody asks for any more is not recorded.
    fn forget_decided(&mut self) {
        let open = |(_, status): &&(_, BranchStatus)| !status.is_decided();
        let open: Vec<&BranchClaim> = self
            .branches
            .iter()
            .filter(open)
            .map(|(claim, _)| claim)
            .collect();
        if open.is_empty() {
            self.recorder = None;
        }
        if let Some(recorder) = &mut self.recorder {
            let atoms = 0..recorder.reader().atoms();
            let asked = atoms.filter(|&atom| open.iter().any(|claim| claim.asks(atom)));
            recorder.reader().only(asked);
        }
    }

    /// The open formulas that it is in proportion to what was explored to try. It is noted as if they were tried.
    fn affordable(&mut self) -> Vec<usize> {
        let Some(recorder) = &self.recorder else {
            return Vec::new();
        };
        let edges = recorder.links().edges();
        let most = TOLERATED + edges.saturating_mul(SHARE);
        let mut chosen = Vec::new();
        for at in self.open() {
            let passes = self.branches[at].0.passes();
            if self.labelled + passes * edges > most {
                break;
            }
            self.labelled += passes * edges;
            chosen.push(at);
        }
        chosen
    }

    /// Why nothing more can be recorded, if that is so. `allowed` is what may be held.
    fn is_full(&self, allowed: usize) -> Option<StopReason> {
        let recorder = self.recorder.as_ref()?;
        if let Some(why) = recorder.links().failure() {
            let why = format!("links could not be kept on disk: {why}");
            return Some(StopReason::Other(why));
        }
        let full = recorder.links().is_outgrown() || recorder.bytes() > allowed;
        full.then_some(StopReason::OutOfMemory)
    }

    /// The links of a state have been recorded: decides what can be decided now, and gives up if there are too many.
    pub(crate) fn look(&mut self, allowed: usize, bytes: usize) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let expansions = recorder.links().expansions();
        if expansions >= self.next_try {
            self.next_try = self.next_try.saturating_mul(FACTOR);
            let chosen = self.affordable();
            if chosen.is_empty() {
                self.next_try = expansions.saturating_mul(2);
            } else {
                // If it is interrupted, so is the exploration.
                let _ = self.attempt_some(&chosen, false, bytes);
            }
        }
        if let Some(why) = self.is_full(allowed) {
            // Interrupted or not: what is open stays open.
            let _ = self.attempt(false, bytes);
            self.recorder = None;
            if !self.is_decided() {
                self.given_up = Some(why);
            }
        }
    }
}

impl Observer for Formulas {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        (self.next_try, self.labelled) = (1, 0);
        self.unread = vec![None; self.branches.len()];
        self.unfinished = false;
        let layered = self.are_layered(event.links.len());
        if let Some(recorder) = &mut self.recorder {
            let _ = recorder.started(event);
            if layered {
                recorder.keep_layers();
                for (claim, status) in &mut self.branches {
                    if !status.is_decided() {
                        *status = BranchStatus::Open(claim.open_in_layers());
                    }
                }
            }
        }
        Control::Continue
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        self.recorder
            .as_mut()
            .map_or(Control::Continue, |recorder| recorder.linked(event))
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        self.recorder
            .as_mut()
            .map_or(Control::Continue, |recorder| recorder.layer_opened(event))
    }

    fn column_closed(&mut self, event: ColumnClosed<'_>) -> Control {
        self.recorder
            .as_mut()
            .map_or(Control::Continue, |recorder| recorder.column_closed(event))
    }

    fn moved(&mut self, from: Link, to: Link) {
        if let Some(recorder) = &mut self.recorder {
            recorder.moved(from, to);
        }
    }

    fn bytes(&self) -> usize {
        let recorded = self.recorder.as_ref().map_or(0, Observer::bytes);
        let held = self.branches.iter().map(|(_, status)| status.bytes());
        recorded + held.sum::<usize>()
    }

    fn disk_bytes(&self) -> u64 {
        self.recorder.as_ref().map_or(0, Observer::disk_bytes)
    }
}
