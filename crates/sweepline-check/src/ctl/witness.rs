//! Evidence for formulas of branching time: what was found is followed in the system and looked at there again.

use std::collections::HashSet;

use sweepline_core::{ActionId, Describe, Steps, Trace, Word};
use sweepline_explore::{Patience, ReplayError, replay_from};
use sweepline_logic::ctl::{Branching, Ctl, Quantifier};

use super::arena::{Arena, Op};
use super::evaluate::evaluate;
use super::proof::{Proof, Way};
use super::revisited::Uncertified;
use crate::asking::Sighting;
use crate::ltl::{FairMoment, Fairness, Reader};
use crate::question::Test;

/// Why a formula, or part of one, is true or false in a state. Everything it says of single states was looked at in the system.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The part of the formula, as it is written.
    pub formula: String,
    /// Whether it is true.
    pub truth: bool,
    /// What shows it.
    pub how: How,
    /// A path of the system from that state on. It has a loop if it goes on for ever.
    pub trace: Trace,
    /// What it rests on, each after so many steps of the path.
    pub because: Vec<(usize, Witness)>,
    /// How much more it rests on that is left out because there would be too much of it.
    pub left_out: usize,
}

/// What shows that something is true or false in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The state itself.
    State,
    /// The path.
    Path,
    /// The path, which cannot go on.
    End,
    /// The path, which goes round for ever.
    Loop,
    /// Everything that can be reached: so many states, if they could be counted and looked at.
    Closure(Option<usize>),
    /// All runs from there on, so that no path shows it.
    AllRuns,
    /// A path that is too long to be found.
    Unfound,
}

/// States that are looked at again, to confirm what is said of all that can be reached.
const MOST: usize = 1 << 16;
/// The same for all that is said of a formula.
const MOST_OF_ALL: usize = 1 << 20;

/// A formula in a system.
pub(crate) struct Confirming<'a, S> {
    pub(crate) system: &'a S,
    pub(crate) ctl: &'a Ctl,
    pub(crate) arena: &'a Arena,
    /// The atoms of the formula, bound to the system.
    pub(crate) atoms: Vec<&'a Test>,
    /// What is assumed of runs, with all atoms that are recorded, if something is.
    pub(crate) fair: Option<(&'a Fairness, &'a [Test])>,
    /// Whether there is time.
    pub(crate) patience: Patience<'a>,
    /// States that were looked at to confirm what is said of all that can be reached.
    pub(crate) looked_at: usize,
}

impl<S: Describe> Confirming<'_, S> {
    /// Follows a proof from a state on. An error says what does not hold up, or that there is no time to find out.
    pub(crate) fn confirm(
        &mut self,
        proof: &Proof,
        state: &[Word],
    ) -> Result<Witness, Uncertified> {
        let written = self.ctl.shown(self.arena.written(proof.part)).to_string();
        if let Op::State(formula) = self.arena.op(proof.part)
            && self.value(formula, state)? != proof.truth
        {
            return Err(format!("`{written}` is not {}", proof.truth).into());
        }
        let loop_start = match &proof.way {
            Way::Loop(_, start) => Some(*start),
            _ => None,
        };
        let trace = self.follow(state, proof.way.steps(), loop_start)?;
        let how = match &proof.way {
            Way::Here => How::State,
            Way::Path(_) => How::Path,
            Way::End(_) => {
                if !self.successors(trace.last())?.is_empty() {
                    return Err("a run goes on after its end".into());
                }
                How::End
            }
            Way::Loop(..) => How::Loop,
            Way::Closure => How::Closure(self.look_around(proof, state)?),
            Way::AllRuns => How::AllRuns,
            Way::Unfound => How::Unfound,
        };
        self.check_way(proof, &trace)?;
        self.check_fairness(proof, &trace)?;
        let all = states(&trace);
        let because = proof.because.iter().map(|(at, proof)| {
            let state = all.get(*at).ok_or("a path is too short")?;
            Ok((*at, self.confirm(proof, state)?))
        });
        Ok(Witness {
            formula: written,
            truth: proof.truth,
            how,
            because: because.collect::<Result<_, Uncertified>>()?,
            left_out: proof.left_out,
            trace,
        })
    }

    fn value(&self, formula: &Branching, state: &[Word]) -> Result<bool, String> {
        let sighting = Sighting::of(self.system, state);
        let value = |atom: u32| self.atoms[atom as usize].eval(sighting.seen()).ok();
        evaluate(formula, &value).ok_or_else(|| "an atom has no value".into())
    }

    fn successors(&self, state: &[Word]) -> Result<Steps, String> {
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.successors(state, &mut steps);
        match steps.fault() {
            Some(_) => Err("a state cannot be expanded".into()),
            None => Ok(steps),
        }
    }

    fn follow(
        &mut self,
        state: &[Word],
        ordinals: &[u32],
        loop_start: Option<usize>,
    ) -> Result<Trace, Uncertified> {
        let ordinals: Vec<usize> = ordinals.iter().map(|&ordinal| ordinal as usize).collect();
        let patience = &mut self.patience;
        let trace = replay_from(self.system, state, &ordinals, loop_start, patience);
        trace.map_err(|error| match error {
            ReplayError::Stopped(why) => Uncertified::Stopped(why),
            wrong @ ReplayError::Wrong { .. } => Uncertified::Wrong(wrong.to_string()),
        })
    }

    /// What holds along a path, where it is about single states.
    fn check_way(&mut self, proof: &Proof, trace: &Trace) -> Result<(), Uncertified> {
        let Op::Until {
            quantifier,
            way,
            goal,
            ..
        } = self.arena.op(proof.part)
        else {
            return Ok(());
        };
        let (passing, value) = match quantifier {
            Quantifier::Exists => (*way, true),
            Quantifier::Forall => (*goal, false),
        };
        let Op::State(formula) = self.arena.op(passing) else {
            return Ok(());
        };
        let all = states(trace);
        let passed = match proof.way {
            Way::Path(_) => &all[..all.len() - 1],
            Way::End(_) | Way::Loop(..) => &all[..],
            Way::Here | Way::Closure | Way::AllRuns | Way::Unfound => &[],
        };
        for state in passed {
            self.patience.step()?;
            if self.value(formula, state)? != value {
                return Err("a path leaves its way".into());
            }
        }
        Ok(())
    }

    /// Whether a run that stays on its way for ever counts. One that ends stays in its last state.
    fn check_fairness(&self, proof: &Proof, trace: &Trace) -> Result<(), String> {
        let Some((fairness, atoms)) = self.fair else {
            return Ok(());
        };
        let is_until = matches!(self.arena.op(proof.part), Op::Until { .. });
        let moments: Vec<(&[Word], Option<ActionId>)> = match proof.way {
            Way::End(_) if is_until => vec![(trace.last(), None)],
            Way::Loop(_, start) => {
                let moves = trace.moves().skip(start);
                moves
                    .map(|(state, step)| (state, Some(step.action)))
                    .collect()
            }
            _ => return Ok(()),
        };
        let mut reader = Reader::new(atoms.to_vec(), fairness);
        let mut looked_at = Vec::new();
        for (state, action) in moments {
            let enabled = self.successors(state)?.actions().to_vec();
            let deadlock = enabled.is_empty() && !self.system.is_end(state);
            let mut read = Vec::new();
            // Atoms without a value count as false.
            let _ = reader.read(state, &enabled, deadlock, &mut read);
            looked_at.push((read, enabled, action));
        }
        let cycle = looked_at.iter().map(|(read, enabled, action)| FairMoment {
            read,
            enabled,
            action: *action,
        });
        if fairness.allows(&cycle.collect::<Vec<_>>()) {
            Ok(())
        } else {
            Err("a run is not fair".into())
        }
    }

    /// Looks at everything that can be reached, if it is not too much, and counts it. Only what is about single states is
    /// looked at; of the rest nothing is said.
    fn look_around(&mut self, proof: &Proof, state: &[Word]) -> Result<Option<usize>, Uncertified> {
        let operand = self.arena.inner(proof.part);
        let Some(Op::State(formula)) = operand.map(|operand| self.arena.op(operand)) else {
            return Ok(None);
        };
        let mut known: HashSet<Box<[Word]>> = HashSet::from([state.into()]);
        let mut todo: Vec<Box<[Word]>> = vec![state.into()];
        while let Some(state) = todo.pop() {
            self.patience.step()?;
            self.looked_at += 1;
            if self.value(formula, &state)? != proof.truth {
                return Err("a state that can be reached differs".into());
            }
            let steps = self.successors(&state)?;
            for index in 0..steps.len() {
                if known.insert(steps.target(index).into()) {
                    todo.push(steps.target(index).into());
                }
            }
            if known.len() > MOST || self.looked_at > MOST_OF_ALL {
                return Ok(None);
            }
        }
        Ok(Some(known.len()))
    }
}

/// All states of a path.
fn states(trace: &Trace) -> Vec<&[Word]> {
    let first = std::iter::once(&*trace.initial);
    first
        .chain(trace.steps.iter().map(|step| &*step.state))
        .collect()
}

impl Witness {
    /// Whether some path is shown, or all that can be reached was looked at.
    pub fn shows_something(&self) -> bool {
        let nothing = matches!(
            self.how,
            How::State | How::AllRuns | How::Unfound | How::Closure(None)
        );
        !nothing || self.because.iter().any(|(_, one)| one.shows_something())
    }

    /// Whether there is a path to show that was not found.
    pub fn lacks_something(&self) -> bool {
        self.how == How::Unfound || self.because.iter().any(|(_, one)| one.lacks_something())
    }

    /// The path one follows to see it: that of the formula, then that of what it rests on at its end.
    pub fn spine(&self) -> Trace {
        let mut trace = self.trace.clone();
        if trace.loop_start.is_some() {
            return trace;
        }
        let last = trace.steps.len();
        let at_end = self.because.iter().filter(|(at, _)| *at == last);
        let mut further = at_end.map(|(_, one)| one.spine());
        if let Some(rest) = further.find(|rest| !rest.steps.is_empty()) {
            trace.loop_start = rest.loop_start.map(|start| start + last);
            trace.steps.extend(rest.steps);
        }
        trace
    }
}
