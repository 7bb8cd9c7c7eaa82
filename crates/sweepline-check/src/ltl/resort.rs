//! Claims under fair choice where too much is explored to be recorded: as formulas of branching time, which say what can always
//! happen again, and runs that show where they fail.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sweepline_core::{ActionId, Describe, Steps, Trace, Word};
use sweepline_logic::ctl::{Branching, Ctl, PathUnary, Quantifier};
use sweepline_logic::{Name, Pred};

use super::choice::{FairChoice, Recurrence, round};
use super::components::components;
use super::confirm::{Confirmed, confirm};
use super::lasso::{Lasso, LassoStep};
use super::tour::{Move, Ways};
use crate::ctl::Branches;
use crate::question::Test;

impl FairChoice {
    /// The same as a formula of branching time; nothing if it is about the order of actions, or of states nobody named.
    ///
    /// A run that counts takes every step of a terminal component again and again. So an action is taken again and again by all of
    /// them if it can always become possible again. Where a condition must recur too, it has to be lost for good wherever the
    /// others are.
    pub fn branches(&self) -> Option<Branches> {
        use PathUnary::{Finally, Globally};
        use Quantifier::{Exists, Forall};
        let mut atoms = Atoms::default();
        let mut possible = |actions| atoms.of(actions).under(Exists, Finally);
        let formula = match self {
            Self::Formula(_) | Self::Home => return None,
            Self::Progress(Recurrence { condition, actions }) => {
                let again = possible(actions);
                let always = match condition {
                    None => again,
                    Some(condition) => {
                        let lost = atoms.of(condition).negated().under(Forall, Globally);
                        Branching::Or(vec![again, lost.under(Exists, Finally)])
                    }
                };
                always.under(Forall, Globally)
            }
            Self::Live(groups) => {
                let all = groups.iter();
                let mut all: Vec<Branching> = all
                    .map(|group| possible(group).under(Forall, Globally))
                    .collect();
                match all.len() {
                    1 => all.swap_remove(0),
                    _ => Branching::And(all),
                }
            }
        };
        let Atoms { preds, tests } = atoms;
        Some(Branches {
            ctl: Arc::new(Ctl {
                atoms: preds,
                formula,
            }),
            atoms: tests,
            reachability: None,
            fairness: Vec::new(),
            certify: false,
        })
    }
}

/// Which actions are possible.
#[derive(Default)]
struct Atoms {
    preds: Vec<Pred>,
    tests: Vec<Test>,
}

impl Atoms {
    fn of(&mut self, actions: &BTreeSet<ActionId>) -> Branching {
        // Atoms are told apart by how they are written.
        let listed: Vec<String> = actions.iter().map(|action| action.0.to_string()).collect();
        let pred = Pred::Holds(Name::new(format!("actions {}", listed.join(", "))));
        let known = self.preds.iter().position(|other| *other == pred);
        let place = known.unwrap_or_else(|| {
            self.preds.push(pred);
            self.tests.push(Test::Enables(Arc::new(actions.clone())));
            self.preds.len() - 1
        });
        Branching::Atom(u32::try_from(place).unwrap_or(u32::MAX))
    }
}

/// States that are looked at to find a run, or to look at it again. Of a larger component, only the part of it that is shown is.
pub(crate) const MOST: usize = 1 << 18;

/// A run that is against a claim. From the end of the given path on, no run that counts satisfies it.
pub fn run_after<S: Describe>(
    system: &S,
    claim: &FairChoice,
    path: &Trace,
) -> Result<Confirmed, String> {
    let mut initial = Steps::for_layout(system.layout());
    system.initial(&mut initial);
    let mut all = 0..initial.len();
    let first = all.find(|&index| *initial.target(index) == *path.initial);
    let first = first.ok_or("the path starts nowhere")?;
    let beyond = Beyond::of(system, path.last())?;
    let found = if beyond.is_whole {
        beyond.against(claim)
    } else {
        beyond.walk(claim)
    };
    let (more, cycle) = found.ok_or("no run against it was found from there")?;
    let taken = path.steps.iter().map(|step| LassoStep {
        ordinal: Some(step.ordinal),
        edge: 0,
    });
    let mut lasso = Lasso::of_moves(first, &more, &cycle);
    lasso.stem.splice(0..0, taken);
    confirm(system, claim, &lasso)
}

/// What can be reached from a state, or the nearest part of it.
pub(crate) struct Beyond {
    known: HashMap<Box<[Word]>, u32>,
    steps: Vec<Vec<Move>>,
    actions: Vec<ActionId>,
    /// Whether it is all.
    pub(crate) is_whole: bool,
}

impl Beyond {
    pub(crate) fn of<S: Describe>(system: &S, entry: &[Word]) -> Result<Self, String> {
        let mut states: Vec<Box<[Word]>> = vec![entry.into()];
        let mut beyond = Self {
            known: HashMap::from([(entry.into(), 0)]),
            steps: Vec::new(),
            actions: Vec::new(),
            is_whole: true,
        };
        let mut steps = Steps::for_layout(system.layout());
        while beyond.steps.len() < states.len() {
            if states.len() > MOST {
                beyond.is_whole = false;
                return Ok(beyond);
            }
            steps.clear();
            system.successors(&states[beyond.steps.len()], &mut steps);
            if steps.fault().is_some() {
                return Err("a state of the component cannot be expanded".into());
            }
            let moves = (0..steps.len()).map(|index| {
                let target = steps.target(index);
                let number = *beyond.known.entry(target.into()).or_insert_with(|| {
                    states.push(target.into());
                    short(states.len() - 1)
                });
                beyond.actions.push(steps.actions()[index]);
                Move {
                    target: number,
                    edge: short(beyond.actions.len() - 1),
                    ordinal: short(index),
                    mark: 0,
                }
            });
            let moves = moves.collect();
            beyond.steps.push(moves);
        }
        Ok(beyond)
    }

    pub(crate) fn contains(&self, state: &[Word]) -> bool {
        self.known.contains_key(state)
    }

    pub(crate) fn states(&self) -> usize {
        self.steps.len()
    }

    /// The actions of all steps.
    pub(crate) fn taken(&self) -> BTreeSet<ActionId> {
        self.actions.iter().copied().collect()
    }

    /// The strongly connected components, each after those it leads to.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let targets = |state: usize| {
            let steps = self.steps[state].iter();
            steps.map(|step| step.target as usize).collect()
        };
        components(self.steps.len(), targets)
    }

    fn moves(&self, state: u32) -> Vec<Move> {
        let known = self.steps.get(state as usize);
        known.cloned().unwrap_or_default()
    }

    fn action(&self, edge: u32) -> Option<ActionId> {
        self.actions.get(edge as usize).copied()
    }

    /// The way to a terminal component that is against a claim, and round in it.
    fn against(&self, claim: &FairChoice) -> Option<(Vec<Move>, Vec<Move>)> {
        let all = self.components();
        let mut of = vec![0; self.states()];
        for (number, component) in all.iter().enumerate() {
            for &state in component {
                of[state] = number;
            }
        }
        let is_against = |component: &Vec<usize>| {
            let steps = || component.iter().flat_map(|&state| &self.steps[state]);
            let number = of[component[0]];
            let terminal = steps().all(|step| of[step.target as usize] == number);
            let taken = steps().filter_map(|step| self.action(step.edge));
            terminal && claim.is_violated_by(&taken.collect())
        };
        let against: Vec<bool> = all.iter().map(is_against).collect();
        let moves = |state| self.moves(state);
        let goal = |state: u32| against[of[state as usize]];
        let ((entry, _), stem) = Ways::from([0]).nearest(moves, goal)?;
        let states = all[of[entry as usize]].len();
        let cycle = round(moves, |edge| self.action(edge), claim, (entry, states));
        Some((stem, cycle))
    }

    /// A way to a state that is met again, always on to the nearest step that the claim is about. What can be reached is too much to
    /// look for a terminal component; but wherever a run goes, what is claimed does not happen.
    fn walk(&self, claim: &FairChoice) -> Option<(Vec<Move>, Vec<Move>)> {
        let moves = |state| self.moves(state);
        let wanted = |step: &Move| {
            let action = self.action(step.edge);
            action.is_some_and(|action| claim.is_about(action))
        };
        let (mut way, mut at, mut met) = (Vec::new(), 0, HashMap::from([(0, 0)]));
        while way.len() < MOST {
            let more = Ways::from([at]).along(moves, wanted)?;
            way.extend(more);
            at = way.last().map(|step: &Move| step.target)?;
            if let Some(start) = met.insert(at, way.len()) {
                let cycle = way.split_off(start);
                return Some((way, cycle));
            }
        }
        None
    }
}

fn short(index: usize) -> u32 {
    u32::try_from(index).expect("there are fewer states and steps than can be named")
}
