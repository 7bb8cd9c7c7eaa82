//! Claims about the runs that count under fair choice, decided on what is recorded.
//!
//! Fair choice [MK06, Sect. 7.2]: if a choice is made infinitely often, each of its steps is taken infinitely often. So a run that
//! counts ends up in a *terminal* component, which no step leaves, and takes every step of it again and again; or it ends. What is
//! recorded may have several instances of a state. Its terminal components still have the same steps as those of the model, of
//! which they are unfoldings.

use std::collections::BTreeSet;

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
}

impl FairChoice {
    /// Whether runs that take exactly these actions again and again are against it, whatever their order. Formulas are about
    /// the order, too.
    pub(crate) fn is_violated_by(&self, taken: &BTreeSet<ActionId>) -> bool {
        match self {
            Self::Progress(recurrence) => recurrence.is_violated_by(taken),
            Self::Live(groups) => groups.iter().any(|group| group.is_disjoint(taken)),
            Self::Formula(_) => false,
        }
    }

    /// Whether a step of a run that is shown matters to it.
    pub(crate) fn is_about(&self, action: ActionId) -> bool {
        match self {
            Self::Progress(recurrence) => {
                let condition = recurrence.condition.as_ref();
                condition.is_none_or(|condition| condition.contains(&action))
            }
            Self::Live(_) | Self::Formula(_) => true,
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
    let roots = links.initial().flatten();
    let Some((entry, stem)) = Ways::from(roots).nearest(|number| moves(links, number), goal) else {
        return Found::Unfinished;
    };
    let component = terminals
        .components
        .iter()
        .find(|component| component.contains(&entry.0));
    let states = component.map_or(0, Vec::len);
    let cycle = round(
        |number| moves(links, number),
        |edge| links.action(edge),
        claim,
        (entry.0, states),
    );
    let initial = links.initial().position(|root| root == Some(entry.1));
    Found::Run(Lasso::of_moves(initial.unwrap_or(0), &stem, &cycle))
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
