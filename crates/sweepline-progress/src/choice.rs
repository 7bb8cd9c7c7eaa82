//! Which measure to use: never one that loses.
//!
//! A small state space is explored on trial by every candidate, so its figures are known. A large one is only sampled:
//! then nothing with regress edges is chosen, because how often states would be explored again cannot be predicted,
//! while columns never make anything worse.

use std::rc::Rc;

use sweepline_check::{Plan, answer};
use sweepline_core::{Limits, NoProgress, Progress, Statistics, Widen};
use sweepline_explore::{LogPlace, Options};
use sweepline_logic::Ranges;

use crate::candidate::{Bound, Candidate, Changes};
use crate::sample::{Prediction, Sample};

/// A model that a measure is wanted for.
pub struct Subject {
    /// The system.
    pub system: Rc<dyn Widen>,
    /// Whether its slots keep to their ranges.
    pub ranges: Ranges,
    /// How slots change by each action, where that is always the same (nets).
    pub changes: Option<Changes>,
}

/// What is known of a candidate.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The measure.
    pub candidate: Candidate,
    /// What the sample says.
    pub prediction: Prediction,
    /// Figures of an exploration, on trial or in full.
    pub trial: Option<Statistics>,
}

/// The choice and what it is based on.
#[derive(Debug)]
pub struct Choice {
    /// Everything that was considered, the best first.
    pub assessed: Vec<Assessment>,
    /// The measure to use: the first of the assessed ones, perhaps coarser; nothing means plain search.
    pub chosen: Option<Candidate>,
    /// All states, if the trial saw them all.
    pub states: Option<u64>,
}

/// Expansions of the trial that finds out whether a state space is small, and of trials in large ones.
const SMALL: u64 = 60_000;
const TRIAL: u64 = 12_000;
/// Candidates that are tried out in full.
const TRIALS: usize = 16;
/// The predicted peak from which on rows are not tried.
const PROMISING: f64 = 0.6;
/// Rows that may fail before no more are tried.
const FAILURES: usize = 5;
/// States a layer should have on average; smaller ones cost more than they save.
const LAYER: u64 = 12;

/// The predicted peak from which on a measure is not worth the trouble.
const WORTHWHILE: f64 = 0.75;

/// Assesses candidates and chooses one. `states` is the number of states, if the state space is known to be small.
pub fn choose(
    subject: &Subject,
    sample: &Sample,
    candidates: Vec<Candidate>,
    states: Option<u64>,
    limits: &Limits,
) -> Choice {
    let assessed = candidates.into_iter().filter_map(|candidate| {
        let measure = subject.bind(&subject.system, &candidate)?;
        let prediction = sample.predict(&measure)?;
        Some(Assessment {
            candidate,
            prediction,
            trial: None,
        })
    });
    let mut assessed: Vec<Assessment> = assessed.collect();
    assessed.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    prefer_few_layers(&mut assessed);
    match states {
        _ if assessed.is_empty() => Choice {
            assessed,
            chosen: None,
            states,
        },
        Some(states) => try_all(subject, assessed, states, limits),
        None => try_best(subject, assessed, limits),
    }
}

/// The order in which candidates are tried: small peaks first, tiny layers later, regress edges last.
fn rank(assessment: &Assessment) -> f64 {
    let regress = if assessment.candidate.rows.is_empty() {
        0.0
    } else {
        1.0
    };
    let tiny = if has_tiny_layers(&assessment.prediction) {
        0.3
    } else {
        0.0
    };
    regress + tiny + assessment.prediction.peak
}

/// Whether a layer has a few states only: then opening and closing layers takes more time than anything else.
fn has_tiny_layers(prediction: &Prediction) -> bool {
    let of_small = prediction.layers as u64 * 8 > SMALL;
    of_small || prediction.layers * 4 > prediction.states
}

/// Among columns that promise almost the same, those with the fewest layers are cheapest.
fn prefer_few_layers(assessed: &mut [Assessment]) {
    let Some(best) = assessed.first() else { return };
    let good = best.prediction.peak * 1.2 + 0.001;
    let comparable = |assessment: &&Assessment| {
        assessment.candidate.rows.is_empty() && assessment.prediction.peak <= good
    };
    let count = assessed.iter().take_while(comparable).count();
    assessed[..count].sort_by_key(|assessment| assessment.prediction.layers);
}

/// A small state space: candidates show what they can do.
fn try_all(
    subject: &Subject,
    mut assessed: Vec<Assessment>,
    states: u64,
    limits: &Limits,
) -> Choice {
    let (mut enough, mut failures) = (false, 0);
    for assessment in assessed.iter_mut().take(TRIALS) {
        // Exploring states again is worth it only where columns alone do not save enough.
        let is_column = assessment.candidate.rows.is_empty();
        let promises = assessment.prediction.peak < PROMISING;
        if !is_column && (enough || failures == FAILURES || !promises) {
            break;
        }
        let most = states.saturating_mul(2) + 10;
        let trial = subject.explore(Some(&assessment.candidate), most, limits);
        let useful = is_useful(&trial, states);
        enough |= is_column && useful && is_small(trial.peak_states, states);
        failures += usize::from(!is_column && !useful);
        assessment.trial = Some(trial);
    }
    assessed.sort_by_key(|assessment| {
        let trial = assessment.trial.as_ref();
        let useful = trial.is_some_and(|trial| is_useful(trial, states));
        (!useful, trial.map_or(u64::MAX, |trial| trial.peak_states))
    });
    let first = &assessed[0];
    let trial = first.trial.as_ref();
    let useful = trial.is_some_and(|trial| is_useful(trial, states));
    let chosen = useful.then(|| first.candidate.clone());
    Choice {
        chosen,
        assessed,
        states: Some(states),
    }
}

/// Whether an exploration stored clearly less than everything, and not at the price of exploring much again.
fn is_useful(trial: &Statistics, states: u64) -> bool {
    let saves = trial.peak_states.saturating_mul(10) < states.saturating_mul(9);
    let (peak, explored) = (trial.peak_states, trial.explored);
    let little_again = explored.saturating_mul(5) <= states.saturating_mul(7);
    let small_peak = is_small(peak, states) && explored <= states.saturating_mul(2);
    trial.complete && saves && (little_again || small_peak)
}

/// Whether a peak is so small that exploring everything twice is worth it.
fn is_small(peak: u64, states: u64) -> bool {
    peak.saturating_mul(100) < states.saturating_mul(35)
}

/// A large state space: the most promising columns, made coarser if layers are tiny.
fn try_best(subject: &Subject, mut assessed: Vec<Assessment>, limits: &Limits) -> Choice {
    let first = &mut assessed[0];
    let mut chosen = None;
    if first.candidate.rows.is_empty() && first.prediction.peak < WORTHWHILE {
        let trial = subject.explore(Some(&first.candidate), TRIAL, limits);
        let mut candidate = first.candidate.clone();
        let average = trial.explored / trial.layers.max(1);
        if average < LAYER {
            candidate.coarsen = (LAYER / average.max(1)).next_power_of_two();
        }
        first.trial = Some(trial);
        chosen = Some(candidate);
    }
    Choice {
        chosen,
        assessed,
        states: None,
    }
}

impl Subject {
    /// A candidate's measure, if it has one for this system.
    pub fn bind(&self, system: &Rc<dyn Widen>, candidate: &Candidate) -> Option<Bound> {
        candidate
            .bind(system, self.ranges, self.changes.as_ref())
            .ok()
    }

    /// Expansions that find out whether the state space is small: fewer if each takes long.
    pub fn small(&self) -> u64 {
        let actions = self.system.actions().len() as u64;
        SMALL * 300 / actions.max(300)
    }

    /// Explores without questions, up to a number of expansions.
    pub fn explore(&self, candidate: Option<&Candidate>, most: u64, limits: &Limits) -> Statistics {
        let options = Options {
            limits: Limits {
                states: Some(limits.states.unwrap_or(u64::MAX).min(most)),
                ..limits.clone()
            },
            log: LogPlace::Off,
            ..Options::default()
        };
        match candidate {
            None => run(self, |_| Some(NoProgress), options),
            Some(candidate) => run(self, |system| self.bind(system, candidate), options),
        }
    }
}

fn run<P: Progress>(
    subject: &Subject,
    bind: impl Fn(&Rc<dyn Widen>) -> Option<P>,
    options: Options,
) -> Statistics {
    let plan = |system: Rc<dyn Widen>| {
        let progress = bind(&system)?;
        Some(Plan {
            system,
            progress,
            questions: Vec::new(),
        })
    };
    let Some(first) = plan(Rc::clone(&subject.system)) else {
        return Statistics::default();
    };
    let widen = |system: &Rc<dyn Widen>, slot| plan(system.widened(slot)?);
    answer(first, widen, options, &mut ()).statistics
}
