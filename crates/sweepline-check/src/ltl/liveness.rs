//! Many claims about infinite runs, answered by one exploration.

use sweepline_core::{
    ColumnClosed, Control, Describe, LayerOpened, Limits, Link, Linked, Observer, Started,
    StopReason, System, Wants,
};
use sweepline_explore::LogPlace;

use super::acceptor::{Acceptor, ClaimError};
use super::choice::{self, FairChoice, decide_choices};
use super::claim::{Claim, Fairness, Reader};
use super::emptiness::{Found, decide};
use super::lasso::Lasso;
use super::probe::{Probe, Probing};
use super::recorder::Recorder;
use super::search::{Allowance, Search, search};
use super::vacuity::{Harder, Vacuity};
use crate::ctl::{BranchClaim, BranchStatus, Formulas};
use crate::question::Test;

/// How claims are checked.
#[derive(Clone, Debug)]
pub struct LivenessOptions {
    /// Bytes that may be held: what is recorded, and what searches take.
    pub memory: usize,
    /// States that are expanded depth-first for each claim before the exploration.
    pub probe: u64,
    /// When to give up. Only time and cancellation matter here.
    pub limits: Limits,
    /// Whether the exploration is to end when nothing is left to decide, or nothing more can be recorded.
    pub stop: bool,
    /// Where long lists of links go.
    pub place: LogPlace,
    /// Whether no step leads to an earlier layer: the measure has columns only, if it has anything.
    pub columns_only: bool,
}

impl Default for LivenessOptions {
    fn default() -> Self {
        Self {
            memory: usize::MAX,
            probe: 16_000,
            limits: Limits::default(),
            stop: true,
            place: LogPlace::default(),
            columns_only: false,
        }
    }
}

/// What is known of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// No run is accepted.
    Holds,
    /// A run is.
    Violated(Lasso),
    /// Whether there is a home state: runs into terminal components, which are the same one or are not.
    Homes(Vec<Lasso>),
    /// Nothing is known yet.
    Open,
    /// Nothing is known, because an atom has no value in a state that was reached.
    Undefined(String),
}

impl Status {
    /// Whether the answer is known.
    pub fn is_decided(&self) -> bool {
        matches!(self, Self::Holds | Self::Violated(_) | Self::Homes(_))
    }
}

type Bind = dyn FnMut(&dyn Describe) -> Option<Vec<Test>> + Send;

/// Checks claims about all infinite runs while a state space is explored, whatever the order.
///
/// An observer that wants links: it records what is explored as a graph, and looks for accepted runs in it after 1, 4, 16, …
/// expansions and at the end. What it found stays found if the exploration begins again.
///
/// It may be put beside other observers. [`Liveness::probe`] can be called before the exploration, and if everything is decided
/// then, no exploration is needed. [`Liveness::finish`] must be called after it.
pub struct Liveness {
    claims: Vec<Entry>,
    /// Claims about runs under fair choice, and what is known of them.
    choices: Vec<(FairChoice, Status)>,
    /// Formulas of branching time, which have a record of their own.
    formulas: Formulas,
    atoms: usize,
    fairness: Fairness,
    options: LivenessOptions,
    /// Nothing once it has outgrown its memory, or nothing is open.
    recorder: Option<Recorder>,
    outgrown: bool,
    /// States that were looked at before the exploration.
    probed: u64,
    next_try: u64,
    /// What the last search took.
    scratch: usize,
    bind: Option<Box<Bind>>,
}

/// Claims that need no automaton.
#[derive(Default)]
pub(crate) struct Others {
    /// About the runs that count under fair choice.
    pub(crate) choices: Vec<FairChoice>,
    /// Formulas of branching time.
    pub(crate) branches: Vec<BranchClaim>,
}

struct Entry {
    acceptor: Acceptor,
    status: Status,
    /// What is asked again if it holds.
    vacuity: Vacuity,
}

/// Why a claim about fair choice cannot be decided.
const REPEATED: &str = "states were explored several times, which hides whether a run is fair; `--method full` does not do that";

/// Why it cannot be decided whether there is a home state.
const COPIES: &str = "states were explored several times, so that terminal components may be the same, and there are too many to compare them state by state; `--method full` explores each once";

/// Each try comes after so many times the expansions of the one before.
const FACTOR: u64 = 4;
/// What is recorded may take so many of so many parts of the memory; searches have the rest.
const RECORDED: (usize, usize) = (2, 3);
/// Claims that hold are asked again, made harder, if not more than this is recorded: it takes a search for each atom of a formula.
const MOST_ASKED_AGAIN: u32 = 1 << 20;

impl Liveness {
    /// Prepares to check claims whose atoms are among these.
    pub fn new(
        atoms: Vec<Test>,
        claims: &[Claim],
        fairness: Fairness,
        options: LivenessOptions,
    ) -> Result<Self, ClaimError> {
        Self::with_others(atoms, claims, Others::default(), fairness, options)
    }

    /// The same, and claims about the runs that count under fair choice. What else is assumed does not matter to these.
    pub fn with_choices(
        atoms: Vec<Test>,
        claims: &[Claim],
        choices: Vec<FairChoice>,
        fairness: Fairness,
        options: LivenessOptions,
    ) -> Result<Self, ClaimError> {
        let others = Others {
            choices,
            branches: Vec::new(),
        };
        Self::with_others(atoms, claims, others, fairness, options)
    }

    /// The same, and claims of other kinds that are decided on what is recorded.
    pub(crate) fn with_others(
        atoms: Vec<Test>,
        claims: &[Claim],
        others: Others,
        fairness: Fairness,
        options: LivenessOptions,
    ) -> Result<Self, ClaimError> {
        let entries = claims.iter().map(|claim| {
            Ok(Entry {
                acceptor: Acceptor::new(claim, &fairness, atoms.len())?,
                status: Status::Open,
                vacuity: Vacuity::default(),
            })
        });
        let mut liveness = Self {
            formulas: Formulas::new(&atoms, others.branches, &options),
            claims: entries.collect::<Result<_, _>>()?,
            atoms: atoms.len(),
            recorder: Some(Recorder::new(
                Reader::new(atoms, &fairness),
                fairness.needs_actions() || !others.choices.is_empty(),
            )),
            choices: others
                .choices
                .into_iter()
                .map(|choice| (choice, Status::Open))
                .collect(),
            fairness,
            options,
            outgrown: false,
            probed: 0,
            next_try: 1,
            scratch: 0,
            bind: None,
        };
        liveness.forget_decided();
        Ok(liveness)
    }

    /// Says how atoms are bound to another encoding of the system, should there be one. Without that, nothing more is decided
    /// when there is.
    #[must_use]
    pub fn rebinding(
        mut self,
        bind: impl FnMut(&dyn Describe) -> Option<Vec<Test>> + Send + 'static,
    ) -> Self {
        self.bind = Some(Box::new(bind));
        self
    }

    /// The same atoms, bound to another encoding of the system.
    pub fn rebind(&mut self, atoms: Vec<Test>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.reader().rebind(atoms.clone());
        }
        self.formulas.rebind(atoms);
    }

    /// Says how a claim is made harder, should it hold; see [`Liveness::vacuous`].
    pub fn ask_again(&mut self, claim: usize, make: impl FnOnce() -> Vec<Harder> + Send + 'static) {
        if let Some(entry) = self.claims.get_mut(claim) {
            entry.vacuity = Vacuity::new(make);
        }
    }

    /// The occurrences of atoms in which a claim that holds may be made harder and still holds, as far as that is known: without
    /// exploring anything on their account.
    pub fn vacuous(&self, claim: usize) -> Vec<usize> {
        let entry = self.claims.get(claim);
        entry.map_or_else(Vec::new, |entry| entry.vacuity.vacuous())
    }

    /// What is known of each claim, and then of those about fair choice.
    pub fn statuses(&self) -> impl Iterator<Item = &Status> {
        let claims = self.claims.iter().map(|entry| &entry.status);
        claims.chain(self.choices.iter().map(|(_, status)| status))
    }

    /// The claims about fair choice.
    pub fn choices(&self) -> impl Iterator<Item = &FairChoice> {
        self.choices.iter().map(|(choice, _)| choice)
    }

    /// What is known of each formula of branching time.
    pub(crate) fn branch_statuses(&self) -> impl Iterator<Item = &BranchStatus> {
        self.formulas.all().iter().map(|(_, status)| status)
    }

    /// The formulas of branching time, with what is known of each.
    pub(crate) fn branches(&self) -> impl Iterator<Item = &(BranchClaim, BranchStatus)> {
        self.formulas.all().iter()
    }

    /// Why formulas of branching time that are open stay open, if that is so.
    pub(crate) fn branches_given_up(&self) -> Option<&StopReason> {
        self.formulas.given_up()
    }

    /// Whether something is recorded, on which more may be decided.
    pub(crate) fn is_following(&self) -> bool {
        self.recorder.is_some() || self.formulas.is_following()
    }

    /// Whether every claim is decided.
    pub fn is_decided(&self) -> bool {
        self.are_runs_decided() && self.formulas.is_decided()
    }

    /// Whether every claim that is not of branching time is decided.
    fn are_runs_decided(&self) -> bool {
        self.statuses().all(Status::is_decided)
    }

    /// Whether more was explored than could be recorded or searched, for some claim. If it is open then, it stays open.
    pub fn is_outgrown(&self) -> bool {
        self.are_runs_outgrown() || self.formulas.given_up().is_some()
    }

    /// The same for claims that are not of branching time.
    pub(crate) fn are_runs_outgrown(&self) -> bool {
        self.outgrown
    }

    /// Looks at the beginning of the state space for every claim: depth-first, within a number of expansions.
    pub fn probe<S: System + ?Sized>(&mut self, system: &S) {
        let bytes = self.options.memory / 2;
        self.probe_runs(system, bytes);
        self.probed += self.formulas.walk(system, bytes);
        self.forget_decided();
    }

    fn probe_runs<S: System + ?Sized>(&mut self, system: &S, bytes: usize) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let reader = recorder.reader().clone();
        let mut probe = Probe::new(system, reader, &self.fairness, bytes);
        for entry in self
            .claims
            .iter_mut()
            .filter(|entry| !entry.status.is_decided())
        {
            probe.allow(self.options.probe);
            let mut graph = Probing::new(&mut probe, &entry.acceptor);
            let allowance = Allowance {
                bytes,
                limits: &self.options.limits,
            };
            match search(&mut graph, &entry.acceptor.acceptance, &allowance) {
                Search::Empty if !graph.unfinished => {
                    entry.status = Status::Holds;
                    // They have what is left of the expansions.
                    entry.vacuity.begin(&self.fairness, self.atoms);
                    for asked in entry.vacuity.open() {
                        let mut graph = Probing::new(&mut probe, &asked.acceptor);
                        let found = search(&mut graph, &asked.acceptor.acceptance, &allowance);
                        match found {
                            Search::Empty if !graph.unfinished => asked.holds = Some(true),
                            Search::Accepting(_) => asked.holds = Some(false),
                            Search::Empty | Search::DoesNotFit => {}
                            Search::Stopped(_) => break,
                        }
                    }
                }
                Search::Accepting(witness) => {
                    graph.probe.allow(0);
                    if let Some(lasso) = Lasso::short(&mut graph, witness, bytes) {
                        entry.status = Status::Violated(lasso);
                    }
                }
                Search::Empty | Search::DoesNotFit => {}
                Search::Stopped(_) => break,
            }
        }
        self.probed = probe.looked_at();
    }

    /// The measure is another one; whether it has [columns only](LivenessOptions::columns_only).
    pub fn measured(&mut self, columns_only: bool) {
        self.formulas.measured(columns_only);
    }

    /// How many states were looked at before the exploration.
    pub fn probed(&self) -> u64 {
        self.probed
    }

    /// The exploration has ended. If everything was explored, what is still open is decided by that.
    pub fn finish(&mut self, complete: bool) -> Result<(), StopReason> {
        self.attempt(complete)?;
        self.formulas.attempt(complete, self.room())
    }

    /// The limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// What may be held besides what is recorded if the exploration holds so many bytes, and the limits.
    pub(crate) fn allowance(&self, held: usize) -> Allowance<'_> {
        let limits = &self.options.limits;
        let most = limits.memory.unwrap_or(usize::MAX);
        Allowance {
            bytes: self.room().min(most.saturating_sub(held)),
            limits,
        }
    }

    /// What may be held besides what is recorded.
    fn room(&self) -> usize {
        let recorded = self.recorder.as_ref().map_or(0, Recorder::bytes);
        let recorded = recorded + self.formulas.bytes();
        self.options.memory.saturating_sub(recorded)
    }

    /// Tries to decide every open claim on what is recorded.
    fn attempt(&mut self, complete: bool) -> Result<(), StopReason> {
        let recorder = self.recorder.as_ref();
        let Some(recorder) = recorder.filter(|recorder| recorder.links().has_begun()) else {
            return Ok(());
        };
        let allowance = Allowance {
            bytes: self.room(),
            limits: &self.options.limits,
        };
        for entry in self
            .claims
            .iter_mut()
            .filter(|entry| !entry.status.is_decided())
        {
            let found = decide(recorder, &entry.acceptor, &allowance)?;
            self.scratch = self.scratch.max(found.bytes);
            self.outgrown |= complete && found.too_large;
            entry.status = status(found, recorder);
        }
        let open: Vec<usize> = (0..self.choices.len())
            .filter(|&index| !self.choices[index].1.is_decided())
            .collect();
        let claims: Vec<&FairChoice> = open.iter().map(|&index| &self.choices[index].0).collect();
        if !claims.is_empty() {
            match decide_choices(recorder.links(), &claims, &allowance)? {
                // Everything is there, but cannot be searched.
                None => self.outgrown |= complete,
                Some(found) => {
                    for (index, found) in open.into_iter().zip(found) {
                        let (choice, status) = &mut self.choices[index];
                        *status = match found {
                            choice::Found::Run(lasso) => Status::Violated(lasso),
                            choice::Found::Nothing => Status::Holds,
                            choice::Found::Resorts(runs) => Status::Homes(runs),
                            choice::Found::Unfinished => Status::Open,
                            choice::Found::Doubtful => Status::Undefined(match choice {
                                FairChoice::Home => COPIES.into(),
                                _ => REPEATED.into(),
                            }),
                        };
                    }
                }
            }
        }
        self.ask_harder();
        if !complete {
            self.forget_decided();
        }
        Ok(())
    }

    /// Asks the claims that hold again, made harder, if that is not too much.
    fn ask_harder(&mut self) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        if recorder.links().numbers() > MOST_ASKED_AGAIN {
            return;
        }
        let allowance = Allowance {
            bytes: self.room(),
            limits: &self.options.limits,
        };
        for entry in self
            .claims
            .iter_mut()
            .filter(|entry| entry.status == Status::Holds)
        {
            entry.vacuity.begin(&self.fairness, self.atoms);
            for asked in entry.vacuity.open() {
                let reader = recorder.reading();
                if (0..self.atoms).any(|atom| asked.acceptor.asks(atom) && reader.is_idle(atom)) {
                    continue;
                }
                // If it is interrupted, nothing more is said.
                let Ok(found) = decide(recorder, &asked.acceptor, &allowance) else {
                    return;
                };
                self.scratch = self.scratch.max(found.bytes);
                asked.holds = match status(found, recorder) {
                    Status::Holds => Some(true),
                    Status::Violated(_) => Some(false),
                    Status::Open | Status::Undefined(_) | Status::Homes(_) => None,
                };
            }
        }
    }

    /// What nobody asks for any more is not recorded.
    fn forget_decided(&mut self) {
        if self.are_runs_decided() {
            self.recorder = None;
        }
        if let Some(recorder) = &mut self.recorder {
            let asks = |entry: &Entry, atom| {
                let open = !entry.status.is_decided();
                open && entry.acceptor.asks(atom) || entry.vacuity.asks(atom)
            };
            let atoms = 0..self.atoms;
            let asked = atoms.filter(|&atom| self.claims.iter().any(|entry| asks(entry, atom)));
            recorder.reader().only(asked);
        }
    }

    fn control(&self) -> Control {
        let watching = !(self.claims.is_empty() && self.formulas.all().is_empty());
        if !self.is_following() && self.options.stop && watching {
            Control::Stop
        } else {
            Control::Continue
        }
    }

    /// Gives up recording, after a last try.
    fn give_up(&mut self) {
        self.outgrown = true;
        // Interrupted or not: what is open stays open.
        let _ = self.attempt(false);
        self.recorder = None;
    }

    /// What may be recorded.
    fn allowed(&self) -> usize {
        let (part, parts) = RECORDED;
        self.options.memory / parts * part
    }

    /// Whether what is recorded is too much.
    fn is_full(&self) -> bool {
        let allowed = self.allowed();
        let full =
            |recorder: &Recorder| recorder.links().is_outgrown() || recorder.bytes() > allowed;
        self.recorder.as_ref().is_some_and(full)
    }
}

/// What a search says about a claim.
fn status(found: Found, recorder: &Recorder) -> Status {
    match (found.lasso, found.empty, found.undefined) {
        (Some(lasso), ..) => Status::Violated(lasso),
        (None, true, None) => Status::Holds,
        (None, _, Some(number)) => {
            let atoms = recorder.undefined().get(&number);
            let why = atoms.and_then(|atoms| atoms.first());
            Status::Undefined(why.map_or_else(String::new, |atom| atom.why.clone()))
        }
        (None, false, None) => Status::Open,
    }
}

impl Observer for Liveness {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        self.next_try = 1;
        if let Some(recorder) = &mut self.recorder {
            let _ = recorder.started(event);
        }
        let _ = self.formulas.started(event);
        self.control()
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        if self.formulas.is_following() {
            let _ = self.formulas.linked(event);
            self.formulas.look(self.allowed(), self.room());
        }
        self.scratch = 0;
        let Some(recorder) = &mut self.recorder else {
            return self.control();
        };
        let _ = recorder.linked(event);
        if recorder.expansions() >= self.next_try {
            self.next_try = self.next_try.saturating_mul(FACTOR);
            // If it is interrupted, so is the exploration.
            let _ = self.attempt(false);
        }
        if self.is_full() {
            self.give_up();
        }
        self.control()
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        if let Some(recorder) = &mut self.recorder {
            let _ = recorder.layer_opened(event);
        }
        self.formulas.layer_ended(self.room());
        let _ = self.formulas.layer_opened(event);
        self.control()
    }

    fn column_closed(&mut self, event: ColumnClosed<'_>) -> Control {
        if let Some(recorder) = &mut self.recorder {
            let _ = recorder.column_closed(event);
        }
        let _ = self.formulas.column_closed(event);
        self.control()
    }

    fn recoded(&mut self, system: &dyn Describe) {
        let bound = self.bind.as_mut().and_then(|bind| bind(system));
        if let Some(atoms) = bound.filter(|atoms| atoms.len() == self.atoms) {
            self.rebind(atoms);
        } else {
            self.recorder = None;
            self.formulas.forget();
        }
    }

    fn moved(&mut self, from: Link, to: Link) {
        if let Some(recorder) = &mut self.recorder {
            recorder.moved(from, to);
        }
        self.formulas.moved(from, to);
    }

    fn can_follow(&self) -> bool {
        self.formulas.can_follow()
    }

    fn bytes(&self) -> usize {
        let recorded = self.recorder.as_ref().map_or(0, Recorder::bytes);
        self.scratch + recorded + self.formulas.bytes()
    }

    fn disk_bytes(&self) -> u64 {
        self.formulas.disk_bytes()
    }
}
