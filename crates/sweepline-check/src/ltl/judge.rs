//! Judging a lasso on the model itself: its states are regenerated, and everything it claims is looked up again.
//!
//! Nothing here searches. A lasso says which steps the model takes and which moves the automaton makes; whether these exist, whether
//! the cycle closes and whether it is accepted and fair can be read off the definitions.

use std::collections::{HashMap, HashSet};

use sweepline_core::{ActionId, Limits, Steps, StopReason, System, Trace, Word};
use sweepline_explore::{Path, Patience, ReplayError, replay_within};
use sweepline_logic::omega::{Letter, Marks, OmegaAutomaton, OmegaState};

use super::acceptor::Acceptor;
use super::claim::{Claim, FairMoment, Fairness, Reader, bit};
use super::components::components;
use super::lasso::{Lasso, LassoStep};
use crate::question::Test;

/// Follows a lasso through the model and judges it. `atoms` are the shared atoms, bound to this system.
///
/// The trace is as short as the lasso allows: what leads back to where the run has been is left out. If every way to go on is
/// accepted, one is looked for; where none repeats itself soon, or what comes next is not known, the trace ends there and repeats
/// nothing.
pub fn judge<S: System + ?Sized>(
    system: &S,
    atoms: &[Test],
    claim: &Claim,
    fairness: &Fairness,
    lasso: &Lasso,
) -> Result<Trace, String> {
    let judged = judge_within(system, atoms, claim, fairness, lasso, &Limits::default());
    judged.map_err(|why| match why {
        Unjudged::Stopped(why) => why.to_string(),
        Unjudged::Wrong(why) => why,
    })
}

/// Why a run was not judged.
#[derive(Clone, Debug)]
pub(crate) enum Unjudged {
    /// There was no time.
    Stopped(StopReason),
    /// It is not accepted, or no run of the model.
    Wrong(String),
}

impl From<String> for Unjudged {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

impl From<&str> for Unjudged {
    fn from(what: &str) -> Self {
        Self::Wrong(what.to_owned())
    }
}

impl From<ReplayError> for Unjudged {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::Stopped(why) => Self::Stopped(why),
            wrong @ ReplayError::Wrong { .. } => Self::Wrong(wrong.to_string()),
        }
    }
}

/// The same unless it takes too long.
pub(crate) fn judge_within<S: System + ?Sized>(
    system: &S,
    atoms: &[Test],
    claim: &Claim,
    fairness: &Fairness,
    lasso: &Lasso,
    limits: &Limits,
) -> Result<Trace, Unjudged> {
    let reader = Reader::new(atoms.to_vec(), fairness);
    let mut judge = Judge {
        system,
        claim,
        reader,
        steps: Steps::for_layout(system.layout()),
    };
    let mut run = judge.follow(lasso, &mut Patience::new(limits))?;
    if lasso.cycle.is_empty() && judge.go_on(&mut run).is_err() {
        run.cut_back(lasso);
        let acceptor = Acceptor::new(claim, fairness, atoms.len()).map_err(|e| e.to_string())?;
        if !acceptor.is_universal(run.last.1.0) {
            return Err("the run does not repeat, and not every way to go on is accepted".into());
        }
        return Ok(replay_within(
            system,
            &run.beginning(lasso.initial),
            limits,
        )?);
    }
    run.shorten();
    run.check(&claim.automaton, fairness)?;
    let path = run.path(lasso.initial);
    Ok(replay_within(system, &path, limits)?)
}

struct Judge<'a, S: ?Sized> {
    system: &'a S,
    claim: &'a Claim,
    reader: Reader,
    steps: Steps,
}

/// A run of the model and of the automaton: what they are in, and what they do there.
struct Run {
    moments: Vec<Moment>,
    /// Where the cycle begins; it ends where it began.
    loop_start: Option<usize>,
    /// What the model and the automaton are in at the end.
    last: (Box<[Word]>, OmegaState),
}

/// A state that is read, and the step that leaves it.
struct Moment {
    state: Box<[Word]>,
    automaton: OmegaState,
    letter: Letter,
    /// What was read, for assumptions.
    read: Vec<Word>,
    /// The actions of all steps.
    enabled: Vec<ActionId>,
    step: LassoStep,
    action: Option<ActionId>,
    marks: Marks,
}

/// Steps that are taken to find a cycle where every run is accepted.
const PATIENCE: usize = 1 << 16;

impl<S: System + ?Sized> Judge<'_, S> {
    fn follow(&mut self, lasso: &Lasso, patience: &mut Patience<'_>) -> Result<Run, Unjudged> {
        self.steps.clear();
        self.system.initial(&mut self.steps);
        if lasso.initial >= self.steps.len() {
            return Err("there is no such initial state".into());
        }
        if !self.claim.automaton.initial.contains(&lasso.start) {
            return Err("the automaton does not start there".into());
        }
        let mut run = Run {
            moments: Vec::new(),
            loop_start: (!lasso.cycle.is_empty()).then_some(lasso.stem.len()),
            last: (self.steps.target(lasso.initial).into(), lasso.start),
        };
        for &step in lasso.stem.iter().chain(&lasso.cycle) {
            patience.step().map_err(Unjudged::Stopped)?;
            self.take(&mut run, |_, _| Some(step))?;
        }
        Ok(run)
    }

    /// Reads the last state and takes a step that is chosen then.
    fn take(
        &mut self,
        run: &mut Run,
        choose: impl FnOnce(&OmegaAutomaton, (Letter, bool)) -> Option<LassoStep>,
    ) -> Result<(), String> {
        let (state, automaton) = run.last.clone();
        self.steps.clear();
        self.system.successors(&state, &mut self.steps);
        if let Some(fault) = self.steps.fault() {
            return Err(fault.to_string());
        }
        let enabled = self.steps.actions().to_vec();
        let ends = enabled.is_empty();
        let deadlock = ends && !self.system.is_end(&state);
        let mut read = Vec::new();
        let undefined = self.reader.read(&state, &enabled, deadlock, &mut read);
        let mine = |one: &&super::claim::Undefined| self.claim.atoms.contains(&one.atom);
        if let Some(undefined) = undefined.iter().find(mine) {
            return Err(undefined.why.clone());
        }
        let letter = (0..).zip(&self.claim.atoms).fold(0, |letter, (at, &atom)| {
            letter | Letter::from(bit(&read, atom)) << at
        });
        let step = choose(&self.claim.automaton, (letter, ends)).ok_or("the automaton is stuck")?;
        let edge = self.claim.automaton.moves(automaton).get(step.edge);
        let edge = edge.ok_or("the automaton has no such move")?;
        if !edge.guard.contains(letter) {
            return Err("the automaton cannot move like this".into());
        }
        let (action, target) = match step.ordinal {
            Some(ordinal) if ordinal < enabled.len() => {
                (Some(enabled[ordinal]), self.steps.target(ordinal).into())
            }
            None if ends => (None, state.clone()),
            _ => return Err("the model has no such step".into()),
        };
        run.last = (target, edge.target);
        run.moments.push(Moment {
            state,
            automaton,
            letter,
            read,
            enabled,
            step,
            action,
            marks: edge.marks,
        });
        Ok(())
    }

    /// Takes the first step there is, and the first move that stays in the component of the automaton, until the run has been
    /// here.
    fn go_on(&mut self, run: &mut Run) -> Result<(), String> {
        let edges = &self.claim.automaton.edges;
        let targets = |state: usize| edges[state].iter().map(|edge| edge.target.0 as usize);
        let found = components(edges.len(), |state| targets(state).collect());
        let at = run.last.1.0 as usize;
        let inside = found.into_iter().find(|component| component.contains(&at));
        let inside: HashSet<usize> = inside.unwrap_or_default().into_iter().collect();
        let mut seen = HashMap::new();
        for _ in 0..PATIENCE {
            let here = run.last.clone();
            if let Some(&before) = seen.get(&here) {
                run.loop_start = Some(before);
                return Ok(());
            }
            let at = here.1;
            seen.insert(here, run.moments.len());
            self.take(run, |automaton, (letter, ends)| {
                let mut moves = automaton.moves(at).iter();
                let edge = moves.position(|edge| {
                    edge.guard.contains(letter) && inside.contains(&(edge.target.0 as usize))
                })?;
                Some(LassoStep {
                    ordinal: (!ends).then_some(0),
                    edge,
                })
            })?;
        }
        Err("no cycle was found within so many steps".into())
    }
}

impl Run {
    /// Forgets what came after the steps of a lasso.
    fn cut_back(&mut self, lasso: &Lasso) {
        if let Some(next) = self.moments.get(lasso.stem.len()) {
            self.last = (next.state.clone(), next.automaton);
        }
        self.moments.truncate(lasso.stem.len());
        self.loop_start = None;
    }

    /// The steps of the model, after which anything may come.
    fn beginning(&self, initial: usize) -> Path {
        Path {
            initial,
            steps: ordinals(&self.moments),
            loop_start: None,
        }
    }

    /// Leaves out what leads from a state back to it before the cycle, and begins the cycle as soon as it is met.
    fn shorten(&mut self) {
        let Some(start) = self.loop_start else {
            return;
        };
        let same = |a: &Moment, b: &Moment| (&a.state, a.automaton) == (&b.state, b.automaton);
        let cycle = self.moments.split_off(start);
        let mut stem = std::mem::take(&mut self.moments);
        let mut cycle = cycle;
        let on_cycle: HashMap<_, _> = cycle
            .iter()
            .enumerate()
            .rev()
            .map(|(at, moment)| ((moment.state.clone(), moment.automaton), at))
            .collect();
        let met = stem.iter().enumerate().find_map(|(at, moment)| {
            let entry = on_cycle.get(&(moment.state.clone(), moment.automaton))?;
            Some((at, *entry))
        });
        if let Some((at, entry)) = met {
            stem.truncate(at);
            cycle.rotate_left(entry);
        }
        let mut last = HashMap::new();
        for (at, moment) in stem.iter().enumerate() {
            last.insert((moment.state.clone(), moment.automaton), at);
        }
        let mut at = 0;
        let mut kept = Vec::new();
        let mut stem: Vec<Option<Moment>> = stem.into_iter().map(Some).collect();
        while at < stem.len() {
            let Some(moment) = &stem[at] else { break };
            let later = last[&(moment.state.clone(), moment.automaton)];
            kept.extend(stem[later].take());
            at = later + 1;
        }
        debug_assert!(kept.windows(2).all(|pair| !same(&pair[0], &pair[1])));
        if let Some(entry) = cycle.first() {
            self.last = (entry.state.clone(), entry.automaton);
        }
        self.loop_start = Some(kept.len());
        self.moments = kept;
        self.moments.extend(cycle);
    }

    /// Whether the run repeats, is accepted and is fair.
    fn check(&self, automaton: &OmegaAutomaton, fairness: &Fairness) -> Result<(), String> {
        let cycle = self.loop_start.map(|start| &self.moments[start..]);
        let Some(cycle @ [first, ..]) = cycle else {
            return Err("there is no cycle".into());
        };
        if self.last != (first.state.clone(), first.automaton) {
            return Err("the cycle does not close".into());
        }
        for pair in self.moments.windows(2) {
            let edge = &automaton.moves(pair[0].automaton)[pair[0].step.edge];
            if edge.target != pair[1].automaton || !edge.guard.contains(pair[0].letter) {
                return Err("the automaton cannot move like this".into());
            }
        }
        let marks = cycle.iter().fold(0, |marks, moment| marks | moment.marks);
        if !automaton.acceptance.accepts(marks) {
            return Err("the cycle is not accepted".into());
        }
        let moments = cycle.iter().map(|moment| FairMoment {
            read: &moment.read,
            enabled: &moment.enabled,
            action: moment.action,
        });
        if !fairness.allows(&moments.collect::<Vec<_>>()) {
            return Err("the cycle is not fair".into());
        }
        Ok(())
    }

    /// The steps of the model. Where it stays in its last state nothing is left to repeat.
    fn path(&self, initial: usize) -> Path {
        let start = self.loop_start.unwrap_or(self.moments.len());
        let stem = Path {
            initial,
            steps: ordinals(&self.moments[..start]),
            loop_start: None,
        };
        stem.repeating(ordinals(&self.moments[start..]))
    }
}

fn ordinals(moments: &[Moment]) -> Vec<usize> {
    let steps = moments.iter();
    steps.filter_map(|moment| moment.step.ordinal).collect()
}
