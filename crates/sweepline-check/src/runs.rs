//! Questions about infinite runs, asked beside those about states.

use std::collections::HashMap;
use std::slice::from_ref;
use std::sync::Arc;

use sweepline_core::{
    ActionId, Describe, Observer, Progress, Statistics, StopReason, Trace, Verdict,
};
use sweepline_explore::{End, Options, Path};
use sweepline_logic::omega::OmegaAutomaton;

use crate::answer::{Answer, Failure};
use crate::ctl::{BranchClaim, BranchStatus, Branches, Uncertified, Witness};
use crate::inquiry::EachState;
use crate::ltl::{
    Assumption, Claim, ClaimError, FairChoice, Fairness, Lasso, Liveness, LivenessOptions, Others,
    ProductAnswer, Renewing, Status, Unjudged, check_product, check_thesis, confirm, confirm_homes,
    judge, judge_within,
};
use crate::question::Test;
use crate::vacuous::{Claimed, Vacuous, harder};

/// A question about the infinite runs of a system. Finite ones stay in their last state for ever.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Accepts the runs that decide the question.
    pub automaton: Arc<OmegaAutomaton>,
    /// Its atoms, bound to the system, in the same order.
    pub atoms: Vec<Test>,
    /// What such a run means.
    pub accepted: Accepted,
    /// What is claimed of all runs, if it is a formula: it is asked whether it holds vacuously.
    pub formula: Option<Arc<Claimed>>,
    /// Only runs that satisfy all of these count. The same for all questions of an exploration.
    pub fairness: Vec<FairRuns>,
}

/// What it means that a run is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It violates what is claimed of all runs.
    Violates,
    /// It shows what is claimed of some run.
    Shows,
}

impl Accepted {
    /// Whether the answer is yes if there is such a run.
    pub(crate) fn means(self) -> bool {
        self == Self::Shows
    }
}

/// What a search of its own says about a question about runs.
#[derive(Clone, Debug)]
pub struct RunsAnswer {
    /// Whether the answer is yes, if it is known.
    pub truth: Option<bool>,
    /// The run that shows it, followed in the system and judged there; or why that failed, which is a bug of ours.
    pub trace: Option<Result<Trace, String>>,
    /// Why the answer is not known.
    pub why: Option<StopReason>,
    /// How the search ended.
    pub end: End,
    /// Its figures.
    pub statistics: Statistics,
}

impl Runs {
    /// Answers the question by a sweep of the product with its automaton, which forgets what it has passed. `memory` is what
    /// may be held besides the stores. If a slot is too narrow, a wider system has to be asked.
    pub fn swept<S: Describe, P: Progress>(
        &self,
        system: &S,
        progress: P,
        within: (Options, usize),
        observer: &mut dyn Observer,
    ) -> Result<RunsAnswer, ClaimError> {
        self.swept_with(&system, progress, within, None, observer)
    }

    /// The same with a system that may begin again. The run that is found is one of the last of these systems.
    pub fn swept_with<S: Describe + Clone, P: Progress>(
        &self,
        system: &S,
        progress: P,
        (options, memory): (Options, usize),
        renewing: Option<Renewing<'_, S, P, Self>>,
        observer: &mut dyn Observer,
    ) -> Result<RunsAnswer, ClaimError> {
        let (bound, claims, _) = bind(&self.linked());
        let claim = &claims[0];
        let mut last = (system.clone(), bound.atoms.clone());
        let mut renew;
        let renewing = match renewing {
            None => None,
            Some(given) => {
                renew = |each: &EachState<'_>| {
                    let anew = (given.renew)(each)?;
                    let (again, ..) = bind(&anew.asked.linked());
                    last = (anew.system.clone(), again.atoms.clone());
                    Some(anew.asking(again.atoms))
                };
                Some(Renewing {
                    least: given.least,
                    renew: &mut renew,
                })
            }
        };
        let about = (&bound.atoms[..], claim, &bound.fairness);
        let system = system.clone();
        let found = check_product(
            system,
            progress,
            about,
            (options, memory),
            renewing,
            observer,
        )?;
        let ProductAnswer {
            status,
            end,
            statistics,
        } = found;
        let (system, atoms) = last;
        let about = (&atoms[..], claim, &bound.fairness);
        Ok(self.answer(&system, about, status, end, statistics))
    }

    /// This question alone.
    fn linked(&self) -> Linked {
        Linked {
            runs: vec![(0, self.clone())],
            ..Linked::default()
        }
    }

    /// Answers the question as the thesis does: by cycles within a layer, and then by propagating maximal persistent
    /// predecessors over sweeps.
    pub fn by_the_thesis<S: Describe, P: Progress>(
        &self,
        system: &S,
        progress: &P,
        options: &Options,
    ) -> Result<RunsAnswer, ClaimError> {
        let (bound, claims, _) = bind(&self.linked());
        let about = (&bound.atoms[..], &claims[0], &bound.fairness);
        let found = check_thesis(system, progress, about, &options.limits)?;
        let statistics = Statistics {
            explored: found.explored,
            persistent: found.persistent,
            sweeps: found.rounds,
            peak_states: found.peak_states as u64,
            peak_bytes: found.peak_bytes,
            repeated: true,
            complete: found.stopped.is_none() && found.outgrown.is_none(),
            ..Statistics::default()
        };
        let stopped = found.stopped.map(End::Limit);
        let end = found.outgrown.map(End::Outgrown).or(stopped);
        let end = end.unwrap_or(End::Complete);
        Ok(self.answer(system, about, found.status, end, statistics))
    }

    fn answer<S: Describe>(
        &self,
        system: &S,
        (atoms, claim, fairness): (&[Test], &Claim, &Fairness),
        status: Status,
        end: End,
        statistics: Statistics,
    ) -> RunsAnswer {
        let means = self.accepted.means();
        let (truth, trace, why) = match status {
            Status::Holds => (Some(!means), None, None),
            Status::Violated(lasso) => {
                let judged = judge(system, atoms, claim, fairness, &lasso);
                match judged.map_err(|why| NoRun::of(&lasso, why)) {
                    Ok(trace) => (Some(means), Some(Ok(trace)), None),
                    Err(NoRun::Bug(why)) => (Some(means), Some(Err(why)), None),
                    Err(NoRun::Unfinished(why)) => (None, None, Some(StopReason::Other(why))),
                    Err(NoRun::Stopped(why)) => (None, None, Some(why)),
                }
            }
            Status::Undefined(why) => (None, None, Some(StopReason::Other(why))),
            // A claim about runs is never about home states.
            Status::Open | Status::Homes(_) => {
                let why = match &end {
                    End::Limit(reason) => reason.clone(),
                    _ => StopReason::Interrupted,
                };
                (None, None, Some(why))
            }
        };
        RunsAnswer {
            truth,
            trace,
            why,
            end,
            statistics,
        }
    }
}

impl RunsAnswer {
    /// Makes what was found the answer, where it says something. Evidence that does not hold up is a failure of ours.
    pub fn settle<E>(
        self,
        answer: &mut Answer<E>,
        evidence: impl FnOnce(Trace) -> E,
    ) -> Option<Failure> {
        let Some(truth) = self.truth else {
            if let Some(why) = self.why {
                answer.verdict = Verdict::Inconclusive(why);
            }
            return None;
        };
        answer.verdict = Verdict::of(truth);
        match self.trace? {
            Ok(trace) => answer.evidence = Some(evidence(trace)),
            Err(why) => {
                let bug = format!("the evidence for `{}` does not hold up: {why}", answer.name);
                answer.verdict = Verdict::Inconclusive(StopReason::Other(bug.clone()));
                return Some(Failure::Bug(bug));
            }
        }
        None
    }
}

/// Something that is assumed of every run, bound to a system.
#[derive(Clone, Debug)]
pub enum FairRuns {
    /// States that pass this test come again and again.
    Recurring {
        /// How the test is written.
        text: String,
        /// The test.
        test: Test,
    },
    /// If one of these actions is enabled from some time on, one of them is taken again and again.
    Weak(Vec<ActionId>),
    /// If one of these actions is enabled again and again, one of them is taken again and again.
    Strong(Vec<ActionId>),
}

/// Why there is no run to show.
#[derive(Clone, Debug)]
pub(crate) enum NoRun {
    /// Every way to go on would do, but none goes on for ever: the model fails on the way.
    Unfinished(String),
    /// There was no time to follow it.
    Stopped(StopReason),
    /// What was found does not hold up, which is a bug of ours.
    Bug(String),
}

impl NoRun {
    fn of(lasso: &Lasso, why: String) -> Self {
        if lasso.cycle.is_empty() {
            Self::Unfinished(why)
        } else {
            Self::Bug(why)
        }
    }
}

/// The questions about runs of an exploration, which it answers by following links.
pub(crate) struct RunAsking {
    pub(crate) liveness: Liveness,
    bound: Bound,
    claims: Vec<Claim>,
    /// Which question each claim is, and what a run that is accepted means there; then the same of those about fair choice.
    questions: Vec<(usize, Accepted)>,
    /// What the claims say, where that is a formula of all runs.
    formulas: Vec<Option<Arc<Claimed>>>,
    /// Which question each formula of branching time is.
    branches: Vec<usize>,
}

/// Questions that are answered by following links, each with its position.
#[derive(Clone, Default)]
pub(crate) struct Linked {
    pub(crate) runs: Vec<(usize, Runs)>,
    pub(crate) choices: Vec<(usize, FairChoice)>,
    pub(crate) branches: Vec<(usize, Branches)>,
}

impl Linked {
    /// The positions of all of them.
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> {
        let runs = self.runs.iter().map(|(at, _)| *at);
        let choices = self.choices.iter().map(|(at, _)| *at);
        let branches = self.branches.iter().map(|(at, _)| *at);
        runs.chain(choices).chain(branches)
    }
}

/// A run that was followed in the system.
pub(crate) struct FollowedRun {
    pub(crate) trace: Trace,
    /// What else is to be said of it.
    pub(crate) remark: Option<String>,
    /// The answer, if only following it told.
    pub(crate) truth: Option<bool>,
}

/// Atoms that all claims share, and what is assumed, bound to a system.
struct Bound {
    atoms: Vec<Test>,
    /// Where each atom is among them, by how it is written.
    places: HashMap<String, usize>,
    fairness: Fairness,
}

impl RunAsking {
    /// Asks these questions; those that cannot be asked come back with the reason.
    pub(crate) fn new(
        asked: Linked,
        options: &LivenessOptions,
    ) -> (Option<Self>, Vec<(usize, ClaimError)>) {
        let (bound, claims, branching) = bind(&asked);
        let (mut questions, mut formulas) = (Vec::new(), Vec::new());
        let (mut kept, mut refused) = (Vec::new(), Vec::new());
        for ((question, runs), claim) in asked.runs.iter().zip(claims) {
            let alone = Liveness::new(
                bound.atoms.clone(),
                from_ref(&claim),
                bound.fairness.clone(),
                options.clone(),
            );
            if let Err(error) = alone {
                refused.push((*question, error));
            } else {
                questions.push((*question, runs.accepted));
                formulas.push(runs.formula.clone());
                kept.push(claim);
            }
        }
        let claims = kept;
        let (choices, mut branches, mut formulated) = (asked.choices, Vec::new(), Vec::new());
        for ((question, _), formula) in asked.branches.iter().zip(branching) {
            match formula.under(&bound.fairness, bound.atoms.len()) {
                Ok(formula) => {
                    branches.push(*question);
                    formulated.push(formula);
                }
                Err(error) => refused.push((*question, error)),
            }
        }
        if claims.is_empty() && choices.is_empty() && branches.is_empty() {
            return (None, refused);
        }
        let (atoms, fairness) = (bound.atoms.clone(), bound.fairness.clone());
        let about_choices = choices
            .iter()
            .map(|(question, _)| (*question, Accepted::Violates));
        questions.extend(about_choices);
        let others = Others {
            choices: choices.into_iter().map(|(_, choice)| choice).collect(),
            branches: formulated,
        };
        let liveness = Liveness::with_others(atoms, &claims, others, fairness, options.clone());
        let asking = match liveness {
            Ok(mut liveness) => {
                for (claim, formula) in formulas.iter().enumerate() {
                    if let Some(formula) = formula.clone() {
                        let places = bound.places.clone();
                        liveness.ask_again(claim, move || harder(&formula, &places));
                    }
                }
                Some(Self {
                    liveness,
                    bound,
                    claims,
                    questions,
                    formulas,
                    branches,
                })
            }
            Err(error) => {
                let rest = questions.iter().map(|(question, _)| *question);
                let rest = rest.chain(branches);
                refused.extend(rest.map(|question| (question, error.clone())));
                None
            }
        };
        (asking, refused)
    }

    /// The same questions, bound to another encoding of the system; those that could not be asked are among them, since their
    /// atoms have places too.
    pub(crate) fn rebind(&mut self, asked: &Linked) {
        (self.bound, ..) = bind(asked);
        self.liveness.rebind(self.bound.atoms.clone());
    }

    /// What is known: for each claim, the question it is, what a run that is accepted means, and its status.
    pub(crate) fn statuses(&self) -> impl Iterator<Item = (usize, Accepted, &Status)> {
        let questions = self.questions.iter().zip(self.liveness.statuses());
        questions.map(|(&(question, accepted), status)| (question, accepted, status))
    }

    /// The occurrences of atoms that do not matter to the answer of a question, as far as that is known.
    pub(crate) fn vacuous(&self, question: usize) -> Vec<Vacuous> {
        let mut questions = self.questions.iter();
        let claim = questions.position(|(asked, _)| *asked == question);
        let found = claim.and_then(|claim| Some((claim, self.formulas.get(claim)?.as_ref()?)));
        let Some((claim, formula)) = found else {
            return Vec::new();
        };
        let occurring = self.liveness.vacuous(claim).into_iter();
        occurring
            .filter_map(|occurrence| Vacuous::of(&formula.ltl, occurrence))
            .collect()
    }

    /// What is known of formulas of branching time: the question each is, and its status.
    pub(crate) fn branch_statuses(&self) -> impl Iterator<Item = (usize, &BranchStatus)> {
        let statuses = self.liveness.branch_statuses();
        self.branches.iter().copied().zip(statuses)
    }

    /// Why a formula of branching time is true or false, followed in the system; nothing if it is not decided.
    pub(crate) fn witness<S: Describe>(
        &self,
        system: &S,
        question: usize,
        path: impl FnOnce(u64) -> Option<Path>,
    ) -> Option<Result<Witness, Uncertified>> {
        let mut all = self.branches.iter().zip(self.liveness.branches());
        let (_, (claim, status)) = all.find(|(at, _)| **at == question)?;
        match status {
            BranchStatus::Decided(truth, reason) => {
                let reason = (*truth, &**reason);
                let limits = self.liveness.limits();
                Some(claim.confirm(system, &self.bound.atoms, reason, path, limits))
            }
            BranchStatus::Open(_) | BranchStatus::Undefined { .. } => None,
        }
    }

    /// Verifies the labels that decide a formula of branching time in the system, if somebody wants that, and says what was verified. The
    /// exploration still holds so many bytes.
    pub(crate) fn certify<S: Describe>(
        &self,
        system: &S,
        question: usize,
        held: usize,
    ) -> Option<Result<String, Uncertified>> {
        let mut all = self.branches.iter().zip(self.liveness.branches());
        match all.find(|(at, _)| **at == question)? {
            (_, (claim, BranchStatus::Decided(_, reason))) => {
                let allowance = self.liveness.allowance(held);
                claim.certify(system, &self.bound.atoms, reason, &allowance)
            }
            _ => None,
        }
    }

    /// The instance that shows why a formula of branching time is true or false, if one does.
    pub(crate) fn shown_by(&self, question: usize) -> Option<u64> {
        let mut all = self.branch_statuses();
        match all.find(|(at, _)| *at == question)? {
            (_, BranchStatus::Decided(_, reason)) => reason.instance(),
            _ => None,
        }
    }

    /// The parts of a formula of branching time that leave it undecided.
    pub(crate) fn undecided(&self, question: usize) -> Option<&[String]> {
        let mut all = self.branch_statuses();
        match all.find(|(at, _)| *at == question)? {
            (_, BranchStatus::Open(parts) | BranchStatus::Undefined { parts, .. }) => Some(parts),
            _ => None,
        }
    }

    /// The questions that are open and stay so, and why.
    pub(crate) fn given_up(&self) -> Vec<(usize, StopReason)> {
        let runs = self.liveness.are_runs_outgrown();
        let runs = runs.then_some(StopReason::OutOfMemory);
        let branches = self.liveness.branches_given_up().cloned();
        let of_runs = self.open_runs().map(|at| (at, &runs));
        let of_branches = self.open_branches().map(|at| (at, &branches));
        let all = of_runs.chain(of_branches);
        all.filter_map(|(at, why)| Some((at, why.clone()?)))
            .collect()
    }

    /// The questions that are open.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> {
        self.open_runs().chain(self.open_branches())
    }

    fn open_runs(&self) -> impl Iterator<Item = usize> {
        let runs = self.statuses();
        let runs = runs.filter(|(.., status)| **status == Status::Open);
        runs.map(|(at, ..)| at)
    }

    fn open_branches(&self) -> impl Iterator<Item = usize> {
        let branches = self.branch_statuses();
        let branches = branches.filter(|(_, status)| matches!(status, BranchStatus::Open(_)));
        branches.map(|(at, _)| at)
    }

    /// The run that decides a question, followed in the system itself and judged there.
    pub(crate) fn evidence<S: Describe>(
        &self,
        system: &S,
        question: usize,
    ) -> Option<Result<FollowedRun, NoRun>> {
        let mut all = self.statuses().enumerate();
        let (claim, lassos) = all.find_map(|(claim, (asked, _, status))| match status {
            Status::Violated(lasso) if asked == question => Some((claim, from_ref(lasso))),
            Status::Homes(lassos) if asked == question => Some((claim, &lassos[..])),
            _ => None,
        })?;
        let lasso = lassos.first()?;
        let Bound {
            atoms, fairness, ..
        } = &self.bound;
        if let Some(claim) = self.claims.get(claim) {
            let limits = self.liveness.limits();
            let judged = judge_within(system, atoms, claim, fairness, lasso, limits);
            let judged = judged.map_err(|why| match why {
                Unjudged::Stopped(why) => NoRun::Stopped(why),
                Unjudged::Wrong(why) => NoRun::of(lasso, why),
            });
            return Some(judged.map(|trace| FollowedRun {
                trace,
                remark: None,
                truth: None,
            }));
        }
        let choice = self.liveness.choices().nth(claim - self.claims.len())?;
        let confirmed = match choice {
            FairChoice::Home => confirm_homes(system, lassos)
                .map(|found| found.map(|(home, confirmed)| (Some(home), confirmed))),
            choice => confirm(system, choice, lasso).map(|confirmed| Some((None, confirmed))),
        };
        let why = "terminal components are too large to be compared state by state";
        Some(match confirmed {
            Ok(Some((truth, (trace, words)))) => Ok(FollowedRun {
                trace,
                remark: Some(words),
                truth,
            }),
            Ok(None) => Err(NoRun::Unfinished(why.into())),
            Err(why) => Err(NoRun::Bug(why)),
        })
    }
}

/// Gives all questions the same atoms: each that occurs, once. They are told apart by how they are written.
fn bind(asked: &Linked) -> (Bound, Vec<Claim>, Vec<BranchClaim>) {
    let mut atoms: Vec<Test> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut place = |text: String, test: &Test| {
        *known.entry(text).or_insert_with(|| {
            atoms.push(test.clone());
            atoms.len() - 1
        })
    };
    let claims = asked.runs.iter().map(|(_, runs)| {
        let written = runs.automaton.atoms.iter().map(ToString::to_string);
        let places = written.zip(&runs.atoms);
        Claim {
            automaton: Arc::clone(&runs.automaton),
            atoms: places.map(|(text, test)| place(text, test)).collect(),
        }
    });
    let claims: Vec<Claim> = claims.collect();
    let formulas = asked.branches.iter().map(|(_, branches)| {
        let written = branches.ctl.atoms.iter().map(ToString::to_string);
        let places = written.zip(&branches.atoms);
        let places = places.map(|(text, test)| place(text, test));
        let claim = BranchClaim::new(Arc::clone(&branches.ctl), places.collect());
        claim.certified(branches.certify)
    });
    let formulas: Vec<BranchClaim> = formulas.collect();
    let of_runs = asked.runs.iter().map(|(_, runs)| &runs.fairness);
    let of_branches = asked.branches.iter().map(|(_, one)| &one.fairness);
    let fairness = of_runs.chain(of_branches).next();
    let assumptions = fairness.into_iter().flatten().map(|assumed| match assumed {
        FairRuns::Recurring { text, test } => Assumption::Recurs(place(text.clone(), test)),
        FairRuns::Weak(actions) => Assumption::Weak(actions.clone()),
        FairRuns::Strong(actions) => Assumption::Strong(actions.clone()),
    });
    let fairness = Fairness {
        assumptions: assumptions.collect(),
    };
    let bound = Bound {
        atoms,
        places: known,
        fairness,
    };
    (bound, claims, formulas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sweepline_logic::omega::{Acceptance, OmegaState};
    use sweepline_logic::{Source, parse_pred};

    /// A question about an atom that takes so many acceptance sets, where 62 are assumed already.
    fn runs(atom: &str, sets: u32) -> Runs {
        let automaton = OmegaAutomaton {
            atoms: vec![parse_pred(Source::from(atom)).unwrap()],
            initial: vec![OmegaState(0)],
            edges: vec![Vec::new()],
            sets,
            acceptance: Acceptance::all(sets),
        };
        Runs {
            automaton: Arc::new(automaton),
            atoms: vec![Test::Deadlock],
            accepted: Accepted::Violates,
            formula: None,
            fairness: vec![FairRuns::Strong(Vec::new()); 31],
        }
    }

    #[test]
    fn atoms_keep_their_places_if_a_question_is_refused() {
        let asked = Linked {
            runs: vec![(0, runs("a", 9)), (1, runs("b", 1))],
            ..Linked::default()
        };
        let options = LivenessOptions::default();
        let (asking, refused) = RunAsking::new(asked.clone(), &options);
        let mut asking = asking.unwrap();
        assert_eq!((refused.len(), refused[0].0), (1, 0));
        let before = asking.bound.places.clone();
        asking.rebind(&asked);
        assert_eq!(asking.bound.places, before);
        assert_eq!(asking.bound.atoms.len(), 2);
    }
}
