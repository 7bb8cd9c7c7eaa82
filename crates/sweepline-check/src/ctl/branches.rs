//! Questions about the runs from each state, and what is known of them.

use std::sync::Arc;

use sweepline_core::{Describe, Limits, Steps, StopReason, System};
use sweepline_explore::{Path, Patience};
use sweepline_logic::ctl::Ctl;

use super::arena::{Arena, Part};
use super::certificate::{Certificate, Flaw, certify};
use super::fair::Assumed;
use super::labels::{DoesNotFit, Formula, Labels};
use super::layered::Layered;
use super::proof::{Proof, prove};
use super::recorder::BranchRecorder;
use super::revisited::{Claims, Held, Revisited, Uncertified};
use super::undecided::undecided;
use super::witness::{Confirming, Witness};
use crate::ltl::{Allowance, ClaimError, Fairness};
use crate::question::{Test, Truth};
use crate::runs::FairRuns;

/// Do all initial states satisfy a formula of branching time? Runs are maximal: infinite, or ending where nothing is possible.
#[derive(Clone, Debug)]
pub struct Branches {
    /// The formula.
    pub ctl: Arc<Ctl>,
    /// Its atoms, bound to the system, in the same order.
    pub atoms: Vec<Test>,
    /// The same as a question about reachable states, if it is one where there is a single initial state.
    pub reachability: Option<Truth>,
    /// Only runs that satisfy all of these count. The same for all questions of an exploration.
    pub fairness: Vec<FairRuns>,
    /// Whether what it is decided by is verified, state by state. Nothing must be assumed of runs then.
    pub certify: bool,
}

/// What is known of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BranchStatus {
    /// It is true or false, and why.
    Decided(bool, Box<Reason>),
    /// Nothing is known yet. These parts of it are not decided where that matters.
    Open(Vec<String>),
    /// Nothing is known, because an atom has no value in a state that was reached.
    Undefined {
        /// Why it has none.
        why: String,
        /// The parts that are not decided where that matters.
        parts: Vec<String>,
    },
}

impl BranchStatus {
    /// Whether the answer is known.
    pub(crate) fn is_decided(&self) -> bool {
        matches!(self, Self::Decided(..))
    }

    /// Bytes of what is held to be verified.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Decided(_, reason) => reason.bytes(),
            Self::Open(_) | Self::Undefined { .. } => 0,
        }
    }
}

/// Why a formula is true or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// This, of one of the initial states.
    Proof {
        initial: usize,
        proof: Proof,
        /// What it rests on, if somebody wants that verified.
        claims: Option<Held>,
    },
    /// What can be reached from this instance, which has the number.
    From(u64),
}

impl Reason {
    /// Bytes of what is held to be verified.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Proof {
                claims: Some(held), ..
            } => held.bytes,
            _ => 0,
        }
    }

    /// The instance it is about, if it is about one.
    pub(crate) fn instance(&self) -> Option<u64> {
        match self {
            Self::Proof { .. } => None,
            Self::From(number) => Some(*number),
        }
    }
}

/// A formula whose atoms are among those that are recorded.
#[derive(Clone, Debug)]
pub(crate) struct BranchClaim {
    ctl: Arc<Ctl>,
    /// Which of the recorded atoms each of its atoms is.
    places: Vec<usize>,
    arena: Arena,
    root: Part,
    /// What is assumed of runs, and the part that says that such a run starts here.
    assumed: Option<(Assumed, Part)>,
    certify: bool,
    /// How it is decided layer by layer; not if labels are to be verified, for there are none then.
    layered: Option<Layered>,
}

/// What came out.
pub(crate) struct Labelled {
    pub(crate) status: BranchStatus,
    /// There was no room to find out.
    pub(crate) too_large: bool,
}

impl BranchClaim {
    pub(crate) fn new(ctl: Arc<Ctl>, places: Vec<usize>) -> Self {
        let (arena, root) = Arena::of(&ctl.formula);
        Self {
            layered: Layered::of(&ctl.formula),
            ctl,
            places,
            arena,
            root,
            assumed: None,
            certify: false,
        }
    }

    /// The same with labels that are verified, unless something is assumed of runs.
    pub(crate) fn certified(self, certify: bool) -> Self {
        let layered = self.layered.filter(|_| !certify);
        Self {
            certify,
            layered,
            ..self
        }
    }

    /// The same of fair runs. `atoms` is how many are recorded.
    pub(crate) fn under(self, fairness: &Fairness, atoms: usize) -> Result<Self, ClaimError> {
        let Some(assumed) = Assumed::new(fairness, atoms)? else {
            return Ok(self);
        };
        let (arena, root, some) = Arena::with_runs(&self.ctl.formula);
        Ok(Self {
            arena,
            root,
            assumed: Some((assumed, some)),
            layered: None,
            ..self
        })
    }

    /// Whether it asks for this one of the recorded atoms, or what is assumed does.
    pub(crate) fn asks(&self, place: usize) -> bool {
        let assumed = self.assumed.as_ref();
        self.places.contains(&place) || assumed.is_some_and(|(assumed, _)| assumed.asks(place))
    }

    /// Whether the actions of steps matter.
    pub(crate) fn needs_actions(&self) -> bool {
        let assumed = self.assumed.as_ref();
        assumed.is_some_and(|(assumed, _)| assumed.fairness.needs_actions())
    }

    /// How many of its parts are about runs.
    pub(crate) fn parts(&self) -> usize {
        self.arena.temporal()
    }

    /// How often every edge is looked at to decide it, more or less.
    pub(crate) fn passes(&self) -> u64 {
        // Where it holds, and where it may.
        let sets = 2 * self.parts() as u64;
        if self.assumed.is_some() {
            // Components are looked for too, among edges that were read for that.
            3 * sets + 1
        } else {
            sets
        }
    }

    /// Nothing has been looked at yet.
    pub(crate) fn open(&self) -> BranchStatus {
        BranchStatus::Open(self.written(&[self.root]))
    }

    /// Parts as they are written.
    fn written(&self, parts: &[Part]) -> Vec<String> {
        let written = parts.iter().map(|&part| self.arena.written(part));
        written
            .map(|part| self.ctl.shown(part).to_string())
            .collect()
    }

    /// Layers are looked at, and none has decided it yet.
    pub(crate) fn open_in_layers(&self) -> Vec<String> {
        self.written(&[self.arena.inner(self.root).unwrap_or(self.root)])
    }

    /// What is to be labelled to decide it.
    pub(crate) fn formula(&self) -> Formula<'_> {
        Formula {
            arena: &self.arena,
            places: &self.places,
            assumed: self
                .assumed
                .as_ref()
                .map(|(assumed, part)| (assumed, *part)),
        }
    }

    /// Decides the formula by its labels, as far as possible.
    pub(crate) fn decide(
        &self,
        labels: Labels<'_>,
        allowance: &Allowance<'_>,
    ) -> Result<Labelled, StopReason> {
        let status = match labels.initially(self.root) {
            Some(truth) => match self.reason(&labels, truth, allowance)? {
                Some((initial, proof)) => {
                    let claims = if self.is_to_be_certified() {
                        let Some(claims) = self.claims(labels, allowance)? else {
                            return Ok(self.too_large());
                        };
                        Some(claims)
                    } else {
                        None
                    };
                    let reason = Reason::Proof {
                        initial,
                        proof,
                        claims,
                    };
                    BranchStatus::Decided(truth, Box::new(reason))
                }
                None => self.open(),
            },
            None => self.unknown(&labels, allowance.limits)?,
        };
        Ok(Labelled {
            status,
            too_large: false,
        })
    }

    /// There is no room for its labels.
    pub(crate) fn too_large(&self) -> Labelled {
        Labelled {
            status: self.open(),
            too_large: true,
        }
    }

    fn is_to_be_certified(&self) -> bool {
        self.certify && self.assumed.is_none()
    }

    /// The labels that decide the formula, to be verified later; nothing if there is no room for that.
    fn claims(
        &self,
        labels: Labels<'_>,
        allowance: &Allowance<'_>,
    ) -> Result<Option<Held>, StopReason> {
        let bytes = Claims::bytes(labels.recorder, self.arena.len());
        if bytes.saturating_add(labels.bytes) > allowance.bytes {
            return Ok(None);
        }
        let claims = Claims::of(labels, allowance.limits)?;
        Ok(Some(Held {
            claims: Arc::new(claims),
            bytes,
        }))
    }

    /// Verifies the labels that decide the formula in the system, if somebody wants that, and says what was verified. `atoms` are all that
    /// are recorded, bound to it.
    pub(crate) fn certify<S: System>(
        &self,
        system: &S,
        atoms: &[Test],
        reason: &Reason,
        allowance: &Allowance<'_>,
    ) -> Option<Result<String, Uncertified>> {
        let Reason::Proof {
            claims: Some(held), ..
        } = reason
        else {
            return None;
        };
        let atoms: Vec<&Test> = self.places.iter().map(|&place| &atoms[place]).collect();
        let visited = Revisited::of(system, &atoms, &held.claims, allowance);
        Some(visited.and_then(|visited| {
            let certified = certify(&self.arena, &visited, &visited, allowance.limits)?;
            let Certificate { parts, numbers } = certified.map_err(|flaw| self.flaw(flaw))?;
            Ok(format!(
                "certified: the labels of {parts} subformulas follow from each other at {numbers} states"
            ))
        }))
    }

    fn flaw(&self, Flaw { part, number }: Flaw) -> Uncertified {
        let written = self.ctl.shown(self.arena.written(part));
        Uncertified::Wrong(format!(
            "the label of `{written}` at state {number} does not follow"
        ))
    }

    /// Why it is true in an initial state, or false.
    fn reason(
        &self,
        labels: &Labels<'_>,
        truth: bool,
        allowance: &Allowance<'_>,
    ) -> Result<Option<(usize, Proof)>, StopReason> {
        let mut all = labels.survey.initial.iter().enumerate();
        let found = all.find_map(|(initial, number)| {
            let number = (*number)?;
            (labels.at(self.root, number) == Some(truth)).then_some((initial, number))
        });
        let Some((initial, number)) = found else {
            return Ok(None);
        };
        let claim = (self.root, number, truth);
        let proof = prove(&self.arena, labels, claim, allowance.limits)?;
        Ok(Some((initial, proof)))
    }

    /// Whether it can be decided layer by layer, from so many initial states, if no step leads back.
    pub(crate) fn is_layered(&self, initial: usize) -> bool {
        let layered = self.layered.as_ref();
        // Whether some state can be reached is asked of each initial state.
        layered.is_some_and(|layered| !layered.if_found || initial == 1)
    }

    /// Looks at the links of a layer, if it can be decided layer by layer.
    pub(crate) fn decide_layer(
        &self,
        recorder: &BranchRecorder,
        how: (bool, usize),
        limits: &Limits,
    ) -> Result<Result<Option<BranchStatus>, DoesNotFit>, StopReason> {
        let Some(layered) = &self.layered else {
            return Ok(Ok(None));
        };
        let found = layered.find(recorder, &self.places, how, limits)?;
        let decided = |number: u32| {
            let number = recorder.links().base() + u64::from(number);
            BranchStatus::Decided(layered.if_found, Box::new(Reason::From(number)))
        };
        Ok(found.map(|found| found.map(decided)))
    }

    /// What it is if no layer decided it, and these were all.
    pub(crate) fn undecided_by_layers(&self) -> BranchStatus {
        let Some(layered) = &self.layered else {
            return self.open();
        };
        let truth = !layered.if_found;
        let proof = Layered::proof_of_all(self.root, truth);
        let reason = Reason::Proof {
            initial: 0,
            proof,
            claims: None,
        };
        BranchStatus::Decided(truth, Box::new(reason))
    }

    /// Follows the reason in the system. `atoms` are all that are recorded, bound to it, and `path` is the way to the instance that
    /// the reason is about.
    pub(crate) fn confirm<S: Describe>(
        &self,
        system: &S,
        atoms: &[Test],
        (truth, reason): (bool, &Reason),
        path: impl FnOnce(u64) -> Option<Path>,
        limits: &Limits,
    ) -> Result<Witness, Uncertified> {
        let (start, proof) = match reason {
            Reason::Proof { initial, proof, .. } => (*initial, proof.clone()),
            Reason::From(number) => {
                let found = path(*number).and_then(|path| {
                    let proof = Layered::proof(&self.arena, self.root, truth, &path.steps);
                    Some((path.initial, proof?))
                });
                // Without the way there is nothing to show.
                found.unwrap_or_else(|| (0, Layered::proof_of_all(self.root, truth)))
            }
        };
        let mut initial = Steps::for_layout(system.layout());
        system.initial(&mut initial);
        if start >= initial.len() {
            return Err("there is no such initial state".into());
        }
        let mut confirming = Confirming {
            system,
            ctl: &self.ctl,
            arena: &self.arena,
            atoms: self.places.iter().map(|&place| &atoms[place]).collect(),
            fair: self
                .assumed
                .as_ref()
                .map(|(assumed, _)| (&assumed.fairness, atoms)),
            patience: Patience::new(limits),
            looked_at: 0,
        };
        confirming.confirm(&proof, initial.target(start))
    }

    /// Why it is not decided.
    fn unknown(&self, labels: &Labels<'_>, limits: &Limits) -> Result<BranchStatus, StopReason> {
        let parts = undecided(&self.arena, labels, self.root, limits)?;
        let parts = self.written(&parts);
        Ok(match self.undefined(labels.recorder) {
            Some(why) => BranchStatus::Undefined { why, parts },
            None => BranchStatus::Open(parts),
        })
    }

    /// Why an atom of it has no value somewhere.
    pub(crate) fn undefined(&self, recorder: &BranchRecorder) -> Option<String> {
        let all = recorder.undefined().values().flat_map(|one| &one.atoms);
        let mut asked = all.filter(|one| self.asks(one.atom));
        asked.next().map(|one| one.why.clone())
    }
}
