//! From a symmetric net to a place/transition net that does the same.

use std::collections::HashSet;

use super::plan::{Ended, Parts, Plan, Possible};
use super::read::Declarations;
use super::sorts::{Colour, SortId};
use super::terms::{Bag, Condition, NoBag, Variable};
use crate::net::{Folded, NetBuilder, PetriNet, PlaceId};

/// A place whose tokens have colours.
#[derive(Debug)]
pub(super) struct ColouredPlace {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) sort: SortId,
    pub(super) initial: Option<Bag>,
}

/// A transition with variables.
#[derive(Debug)]
pub(super) struct ColouredTransition {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) conditions: Vec<Condition>,
    /// What it takes from which place.
    pub(super) inputs: Vec<(usize, Bag)>,
    pub(super) outputs: Vec<(usize, Bag)>,
}

/// A net with colours.
#[derive(Debug)]
pub(super) struct ColouredNet {
    pub(super) id: String,
    pub(super) declarations: Declarations,
    pub(super) places: Vec<ColouredPlace>,
    pub(super) transitions: Vec<ColouredTransition>,
}

/// Why a net cannot be unfolded: the number of a node and what is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfoldable {
    /// The initial marking of a place.
    Marking(usize, NoBag),
    /// An arc of a transition, with the binding.
    Arc(usize, String, NoBag),
    /// A transition has too many bindings.
    Bindings(usize),
    /// There are too many places for colours, and this one has the most.
    Colours(usize),
}

/// Partial bindings that are tried for all transitions together. That many take some seconds.
const TRIES: u64 = 1 << 28;

/// Places or transitions of a net that are worth unfolding to; a net this large takes a gigabyte.
const NODES: usize = 1 << 20;

/// A binding and what it moves: input and output tokens by place and colour.
struct Step {
    binding: Vec<Option<Colour>>,
    inputs: Vec<(usize, Colour, u64)>,
    outputs: Vec<(usize, Colour, u64)>,
}

/// The net with a place for every colour that a place may ever hold, and a transition for every binding that may ever be
/// enabled.
///
/// Which those are is found by a fixpoint that forgets how many tokens there are: it begins with the initial marking, and a
/// transition adds the colours of its outputs for every binding whose inputs are there.
pub(super) fn unfold(net: &ColouredNet) -> Result<NetBuilder, Unfoldable> {
    let sorts = &net.declarations.sorts;
    let unbound = vec![None; net.declarations.variables.len()];
    let mut places = vec![Possible::default(); net.places.len()];
    let mut initial = Vec::new();
    for (index, place) in net.places.iter().enumerate() {
        let tokens = place
            .initial
            .as_ref()
            .map(|bag| bag.tokens(sorts, &unbound));
        let tokens = tokens
            .transpose()
            .map_err(|wrong| Unfoldable::Marking(index, wrong))?;
        let tokens = tokens.unwrap_or_default();
        for (colour, _) in &tokens {
            places[index].add(*colour);
        }
        initial.push(tokens);
    }
    let plans: Vec<Plan> = net
        .transitions
        .iter()
        .map(|transition| plan(net, transition))
        .collect();
    let mut tries = TRIES;
    // How many colours the inputs of each transition had when it was looked at.
    let mut seen: Vec<Option<Vec<usize>>> = vec![None; net.transitions.len()];
    loop {
        let mut grown = false;
        for (index, transition) in net.transitions.iter().enumerate() {
            let sizes = transition
                .inputs
                .iter()
                .map(|(place, _)| places[*place].list.len());
            let sizes: Vec<usize> = sizes.collect();
            if seen[index].as_ref() == Some(&sizes) {
                continue;
            }
            seen[index] = Some(sizes);
            let mut found = HashSet::new();
            steps(net, &plans, &places, index, &mut tries, |step| {
                let outputs = step
                    .outputs
                    .iter()
                    .map(|(place, colour, _)| (*place, *colour));
                found.extend(outputs.filter(|(place, colour)| !places[*place].contains(*colour)));
                if found.len() > NODES {
                    return Err(Unfoldable::Bindings(index));
                }
                Ok(())
            })?;
            for (place, colour) in found {
                grown |= places[place].add(colour);
            }
        }
        let sizes = || places.iter().map(|place| place.list.len());
        if sizes().sum::<usize>() > NODES {
            let largest = sizes().enumerate().max_by_key(|(_, size)| *size);
            return Err(Unfoldable::Colours(largest.map_or(0, |(place, _)| place)));
        }
        if !grown {
            break;
        }
    }
    build(net, &plans, places, &initial, &mut tries)
}

fn plan(net: &ColouredNet, transition: &ColouredTransition) -> Plan {
    let mut patterns = Vec::new();
    for (place, bag) in &transition.inputs {
        let mut terms = Vec::new();
        bag.patterns(&mut terms);
        patterns.extend(terms.into_iter().map(|term| (*place, term)));
    }
    let declarations = &net.declarations;
    let size = |variable: Variable| {
        declarations
            .sorts
            .size(declarations.variables[variable.0].1)
    };
    let variables = variables(transition).into_iter();
    Plan::new(Parts {
        patterns,
        conditions: &transition.conditions,
        variables: variables
            .map(|variable| (variable, size(variable)))
            .collect(),
    })
}

/// The variables a transition speaks of, in the order they are declared.
fn variables(transition: &ColouredTransition) -> Vec<Variable> {
    let mut all = Vec::new();
    for (_, bag) in transition.inputs.iter().chain(&transition.outputs) {
        bag.variables(&mut all);
    }
    for condition in &transition.conditions {
        condition.variables(&mut all);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Tells every binding of a transition whose inputs may be there.
fn steps(
    net: &ColouredNet,
    plans: &[Plan],
    places: &[Possible],
    index: usize,
    tries: &mut u64,
    mut tell: impl FnMut(Step) -> Result<(), Unfoldable>,
) -> Result<(), Unfoldable> {
    let transition = &net.transitions[index];
    let sorts = &net.declarations.sorts;
    let mut binding = vec![None; net.declarations.variables.len()];
    let mut listed = 0;
    let mut told = |binding: &[Option<Colour>]| {
        let mut moved = |arcs: &[(usize, Bag)]| {
            let mut all = Vec::new();
            for (place, bag) in arcs {
                let tokens = bag.tokens(sorts, binding).map_err(|wrong| {
                    Unfoldable::Arc(index, shown(net, transition, binding), wrong)
                })?;
                listed += tokens.len() as u64;
                let tokens = tokens.into_iter();
                all.extend(tokens.map(|(colour, count)| (*place, colour, count)));
            }
            // Few bindings may move many tokens each.
            if listed > TRIES {
                return Err(Unfoldable::Bindings(index));
            }
            Ok(all)
        };
        let inputs = moved(&transition.inputs)?;
        let possible = |(place, colour, _): &(usize, Colour, u64)| places[*place].contains(*colour);
        if !inputs.iter().all(possible) {
            return Ok(());
        }
        let outputs = moved(&transition.outputs)?;
        tell(Step {
            binding: binding.to_vec(),
            inputs,
            outputs,
        })
    };
    let ended = plans[index].bindings(sorts, places, &mut binding, tries, &mut told);
    ended.map_err(|ended| match ended {
        Ended::TooMany => Unfoldable::Bindings(index),
        Ended::By(wrong) => wrong,
    })
}

/// A binding in words: `x = 1, y = red`.
fn shown(net: &ColouredNet, transition: &ColouredTransition, binding: &[Option<Colour>]) -> String {
    let values = variables(transition).into_iter().map(|variable| {
        let (name, _) = &net.declarations.variables[variable.0];
        format!("{name} = {}", words(net, variable, binding).join(","))
    });
    values.collect::<Vec<_>>().join(", ")
}

fn words(net: &ColouredNet, variable: Variable, binding: &[Option<Colour>]) -> Vec<String> {
    let sort = net.declarations.variables[variable.0].1;
    let colour = binding[variable.0].unwrap_or(0);
    net.declarations.sorts.words(sort, colour)
}

fn build(
    net: &ColouredNet,
    plans: &[Plan],
    mut places: Vec<Possible>,
    initial: &[Vec<(Colour, u64)>],
    tries: &mut u64,
) -> Result<NetBuilder, Unfoldable> {
    let mut builder = PetriNet::builder(&net.id);
    let mut folded = Folded::default();
    let mut ids = Ids::beside(net);
    let mut numbers: Vec<Vec<(Colour, PlaceId)>> = Vec::new();
    for ((place, possible), tokens) in net.places.iter().zip(&mut places).zip(initial) {
        possible.list.sort_unstable();
        let unfolded = possible.list.iter().map(|colour| {
            let words = net.declarations.sorts.words(place.sort, *colour);
            let at = tokens.binary_search_by_key(colour, |token| token.0);
            let count = at.map_or(0, |at| tokens[at].1);
            let id = ids.take(&place.id, &words);
            let name = named(&place.name, &words);
            (*colour, builder.place_named(id, name, count))
        });
        let unfolded: Vec<_> = unfolded.collect();
        let members: Vec<PlaceId> = unfolded.iter().map(|(_, place)| *place).collect();
        folded.add_place(&place.id, &place.name, members);
        numbers.push(unfolded);
    }
    let number = |place: usize, colour: Colour| {
        let unfolded = &numbers[place];
        let at = unfolded.binary_search_by_key(&colour, |known| known.0);
        unfolded[at.expect("the fixpoint has all colours")].1
    };
    let mut count = 0;
    for (index, transition) in net.transitions.iter().enumerate() {
        let mut all = Vec::new();
        steps(net, plans, &places, index, tries, |step| {
            all.push(step);
            count += 1;
            if count > NODES {
                return Err(Unfoldable::Bindings(index));
            }
            Ok(())
        })?;
        all.sort_by(|a, b| a.binding.cmp(&b.binding));
        let variables = variables(transition);
        let mut members = Vec::new();
        for step in all {
            let values = variables.iter();
            let values = values.flat_map(|variable| words(net, *variable, &step.binding));
            let values: Vec<String> = values.collect();
            let id = ids.take(&transition.id, &values);
            let unfolded = builder.transition_named(id, named(&transition.name, &values));
            for (place, colour, weight) in step.inputs {
                builder.input(unfolded, number(place, colour), weight);
            }
            for (place, colour, weight) in step.outputs {
                builder.output(unfolded, number(place, colour), weight);
            }
            members.push(unfolded);
        }
        folded.add_transition(&transition.id, &transition.name, members);
    }
    builder.folded(folded);
    Ok(builder)
}

/// The name of what belongs to these colours.
fn named(name: &str, words: &[String]) -> String {
    let mut named = name.to_owned();
    for word in words {
        named.push('_');
        named.push_str(word);
    }
    named
}

/// Ids that are taken, among them all ids and names of the coloured net: these stand for all colours.
struct Ids(HashSet<String>);

impl Ids {
    fn beside(net: &ColouredNet) -> Self {
        let places = net.places.iter().map(|place| [&place.id, &place.name]);
        let transitions = net.transitions.iter().map(|one| [&one.id, &one.name]);
        Self(places.chain(transitions).flatten().cloned().collect())
    }

    /// An id of its own for what belongs to these colours. What has none keeps its id.
    fn take(&mut self, id: &str, words: &[String]) -> String {
        let mut unfolded = named(id, words);
        while !words.is_empty() && !self.0.insert(unfolded.clone()) {
            unfolded.push('_');
        }
        unfolded
    }
}
