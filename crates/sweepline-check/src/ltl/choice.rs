//! Claims about the runs that count under fair choice, decided on what is recorded.
//!
//! Fair choice [MK06, Sect. 7.2]: if a choice is made infinitely often, each of its steps is taken infinitely often. So a run that
//! counts ends up in a *terminal* component, which no step leaves, and takes every step of it again and again; or it ends. What is
//! recorded may have several instances of a state. Its terminal components still have the same steps as those of the model, of
//! which they are unfoldings.

use std::collections::{BTreeSet, HashSet};

use sweepline_core::{ActionId, StopReason};

use super::fluents::{FairFormula, decide_fluents};
use super::lasso::Lasso;
use super::links::Links;
use super::search::Allowance;
use super::terminal::{Terminals, terminals};
use super::tour::{Move, Ways, tour};

/// A claim about all runs under fair choice.
#[derive(Clone, Debug)]
pub enum FairChoice {
    /// Something happens again and again.
    Progress(Recurrence),
    /// A formula over fluents holds.
    Formula(FairFormula),
    /// Some action of each of these sets is taken again and again. As all runs that count take every step of a terminal component,
    /// these are the actions that can always be taken again: live transitions of a net.
    Live(Vec<BTreeSet<ActionId>>),
    /// There is a *home state*, which can be reached from every reachable state. As all runs that count end up in a terminal
    /// component, that is so if there is one such component only; then all its states are home states.
    Home,
}

impl FairChoice {
    /// Whether runs that take exactly these actions again and again are against it, whatever their order. Formulas are about
    /// the order, too.
    pub(crate) fn is_violated_by(&self, taken: &BTreeSet<ActionId>) -> bool {
        match self {
            Self::Progress(recurrence) => recurrence.is_violated_by(taken),
            Self::Live(groups) => groups.iter().any(|group| group.is_disjoint(taken)),
            Self::Formula(_) | Self::Home => false,
        }
    }

    /// Whether a step of a run that is shown matters to it.
    pub(crate) fn is_about(&self, action: ActionId) -> bool {
        match self {
            Self::Progress(recurrence) => {
                let condition = recurrence.condition.as_ref();
                condition.is_none_or(|condition| condition.contains(&action))
            }
            Self::Live(_) | Self::Formula(_) | Self::Home => true,
        }
    }
}

/// Some of these actions are taken again and again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recurrence {
    /// If given, only runs count in which some of these are taken again and again.
    pub condition: Option<BTreeSet<ActionId>>,
    /// The actions.
    pub actions: BTreeSet<ActionId>,
}

impl Recurrence {
    /// Whether runs that take exactly these actions again and again are against it.
    pub(crate) fn is_violated_by(&self, taken: &BTreeSet<ActionId>) -> bool {
        let counts = self.condition.as_ref();
        counts.is_none_or(|condition| !condition.is_disjoint(taken))
            && self.actions.is_disjoint(taken)
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A run that is against the claim.
    Run(Lasso),
    /// There is none, in all that can be reached.
    Nothing,
    /// Runs into terminal components: if all end up in the same states, there are home states, and otherwise there are none.
    Resorts(Vec<Lasso>),
    /// It cannot be told from what is recorded so far.
    Unfinished,
    /// It cannot be told, because states were recorded several times.
    Doubtful,
}

/// Components with fewer states are toured to take all their steps, if that does not take long.
const LARGE: usize = 10_000;
/// Steps of a tour that nobody minds reading.
pub(crate) const READABLE: usize = 40;

/// Decides claims on what is recorded, with the actions of all edges. Nothing if there is not enough memory for that.
pub(crate) fn decide_choices(
    links: &Links,
    claims: &[&FairChoice],
    allowance: &Allowance<'_>,
) -> Result<Option<Vec<Found>>, StopReason> {
    let Some(terminals) = terminals(links, allowance)? else {
        return Ok(None);
    };
    let taken: Vec<BTreeSet<ActionId>> = terminals
        .components
        .iter()
        .map(|component| actions_of(links, component))
        .collect();
    let mut decided = Vec::with_capacity(claims.len());
    for claim in claims {
        let found = match claim {
            FairChoice::Progress(_) | FairChoice::Live(_) => {
                against(links, &terminals, &taken, claim)
            }
            FairChoice::Home => homes(links, &terminals, &taken),
            FairChoice::Formula(formula) => {
                match decide_fluents(links, &terminals, formula, allowance)? {
                    Some(found) => found,
                    None => return Ok(None),
                }
            }
        };
        decided.push(found);
    }
    Ok(Some(decided))
}

fn actions_of(links: &Links, component: &[u32]) -> BTreeSet<ActionId> {
    let edges = component.iter().flat_map(|&number| links.edges(number));
    edges.filter_map(|edge| links.action(edge)).collect()
}

/// Terminal components that are compared state by state.
const MOST_RESORTS: usize = 64;

/// Runs into terminal components: into the only one, into two that are not the same, or into all if they may stand for the same states.
///
/// States may have been explored several times, and then so may terminal components. Copies have the same steps, so components are told
/// apart if their actions are not the same; otherwise by their states, when the runs are followed.
fn homes(links: &Links, terminals: &Terminals, taken: &[BTreeSet<ActionId>]) -> Found {
    let mut others = taken.iter().enumerate().skip(1);
    let other = others.find(|(_, actions)| !links.has_repeats() || **actions != taken[0]);
    let chosen: Vec<usize> = match (other, taken.len()) {
        (Some((other, _)), _) => vec![0, other],
        (None, 0) => return Found::Unfinished,
        (None, _) if terminals.unfinished => return Found::Unfinished,
        (None, count) if count <= MOST_RESORTS => (0..count).collect(),
        (None, _) => return Found::Doubtful,
    };
    let runs = chosen.into_iter().map(|component| {
        let component = &terminals.components[component];
        let members: HashSet<u32> = component.iter().copied().collect();
        let goal = |number: u32| members.contains(&number);
        run_to(links, &FairChoice::Home, goal, |_| component.len())
    });
    let runs: Option<Vec<Lasso>> = runs.collect();
    runs.map_or(Found::Unfinished, Found::Resorts)
}

/// A short run to a goal, which is in a terminal component of so many states, and round in it.
fn run_to(
    links: &Links,
    claim: &FairChoice,
    goal: impl Fn(u32) -> bool,
    states: impl Fn(u32) -> usize,
) -> Option<Lasso> {
    let roots = links.initial().flatten();
    let (entry, stem) = Ways::from(roots).nearest(|number| moves(links, number), goal)?;
    let cycle = round(
        |number| moves(links, number),
        |edge| links.action(edge),
        claim,
        (entry.0, states(entry.0)),
    );
    let initial = links.initial().position(|root| root == Some(entry.1));
    Some(Lasso::of_moves(initial.unwrap_or(0), &stem, &cycle))
}

/// A run into a terminal component that is against a claim.
fn against(
    links: &Links,
    terminals: &Terminals,
    taken: &[BTreeSet<ActionId>],
    claim: &FairChoice,
) -> Found {
    let mut against = vec![false; links.numbers() as usize];
    let mut violated = false;
    for (component, taken) in terminals.components.iter().zip(taken) {
        if claim.is_violated_by(taken) {
            violated = true;
            for &number in component {
                against[number as usize] = true;
            }
        }
    }
    if !violated {
        return if terminals.unfinished {
            Found::Unfinished
        } else {
            Found::Nothing
        };
    }
    // What has a number may be beyond what is recorded.
    let goal = |number: u32| against.get(number as usize) == Some(&true);
    let states = |entry: u32| {
        let mut all = terminals.components.iter();
        let component = all.find(|component| component.contains(&entry));
        component.map_or(0, Vec::len)
    };
    run_to(links, claim, goal, states).map_or(Found::Unfinished, Found::Run)
}

/// The steps of a number.
pub(crate) fn moves(links: &Links, number: u32) -> Vec<Move> {
    if number >= links.numbers() {
        return Vec::new();
    }
    let edges = links.edges(number);
    let start = edges.start;
    let known = edges.filter_map(|edge| {
        let target = links.target(edge)?;
        Some(Move {
            target,
            edge,
            ordinal: edge - start,
            mark: 0,
        })
    });
    known.collect()
}

/// A way round through a terminal component of so many states: along all its steps if that is short, and else along all its
/// actions; at least along one that the claim is about.
pub(crate) fn round(
    successors: impl Fn(u32) -> Vec<Move> + Copy,
    action: impl Fn(u32) -> Option<ActionId> + Copy,
    claim: &FairChoice,
    (entry, states): (u32, usize),
) -> Vec<Move> {
    let all = || tour(entry, successors, |step| Some(step.edge), READABLE);
    let every_action = || tour(entry, successors, |step| action(step.edge), READABLE);
    let counts = |step: &Move| claim.is_about(action(step.edge)?).then_some(());
    let any = || tour(entry, successors, |_| Some(()), usize::MAX);
    let toured = if states < LARGE {
        all().or_else(every_action)
    } else {
        None
    };
    let one = || tour(entry, successors, counts, usize::MAX).or_else(any);
    toured.or_else(one).unwrap_or_default()
}
