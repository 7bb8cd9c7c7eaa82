//! From a symmetric net to a place/transition net that does the same.

use std::collections::HashSet;

use super::plan::{Ended, Parts, Plan, Possible};
use super::read::Declarations;
use super::sorts::{Colour, SortId};
use super::terms::{Bag, Condition, NoBag, Variable};
use crate::net::{Folded, MAX_TOKENS, NetBuilder, PetriNet, PlaceId, Tokens};

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

/// A binding and what it moves: input and output tokens by place and colour, each once.
struct Step {
    binding: Vec<Option<Colour>>,
    inputs: Vec<(usize, Colour, u64)>,
    outputs: Vec<(usize, Colour, u64)>,
}

/// The net with a place for every colour that a place may ever hold, and a transition for every binding that may ever be
/// enabled.
///
/// Which those are is found by a fixpoint that forgets how many tokens there are: it begins with the initial marking, and a
/// transition adds the colours of its outputs for every binding whose inputs are there. Colours of places whose tokens nothing
/// ever moves become no places; the net knows how many such tokens there are.
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
            merge(&mut all);
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

/// Tokens of one place and colour become one entry.
fn merge(tokens: &mut Vec<(usize, Colour, u64)>) {
    tokens.sort_unstable();
    tokens.dedup_by(|more, known| {
        let is_same = (more.0, more.1) == (known.0, known.1);
        known.2 = known.2.saturating_add(if is_same { more.2 } else { 0 });
        is_same
    });
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
    let mut all = Vec::new();
    let mut count = 0;
    for index in 0..net.transitions.len() {
        let mut found = Vec::new();
        steps(net, plans, &places, index, tries, |step| {
            found.push(step);
            count += 1;
            if count > NODES {
                return Err(Unfoldable::Bindings(index));
            }
            Ok(())
        })?;
        found.sort_by(|a, b| a.binding.cmp(&b.binding));
        all.push(found);
    }
    for possible in &mut places {
        possible.list.sort_unstable();
    }
    let marked = Marked::new(&places, initial);
    let moves = moved(&marked, &mut all);
    let mut needed = vec![false; moves.len()];
    for (place, colour, _) in all.iter().flatten().flat_map(|step| &step.inputs) {
        needed[marked.at(*place, *colour)] = true;
    }
    let mut builder = PetriNet::builder(&net.id);
    let mut folded = Folded::default();
    let mut ids = Ids::beside(net);
    let mut numbers: Vec<Option<PlaceId>> = Vec::new();
    for (place, possible) in net.places.iter().zip(&places) {
        let (mut members, mut resting) = (Vec::new(), 0);
        for colour in &possible.list {
            let words = net.declarations.sorts.words(place.sort, *colour);
            let count = marked.tokens[numbers.len()];
            let id = ids.take(&place.id, &words);
            let name = named(&place.name, &words);
            let rests = !moves[numbers.len()] && count <= MAX_TOKENS - resting;
            let kept = if rests {
                resting += count;
                folded.add_resting(&id, &name, count, needed[numbers.len()]);
                None
            } else {
                Some(builder.place_named(id, name, count))
            };
            members.extend(kept);
            numbers.push(kept);
        }
        folded.add_place(&place.id, &place.name, Tokens::new(members, resting));
    }
    for (transition, steps) in net.transitions.iter().zip(all) {
        let variables = variables(transition);
        let mut members = Vec::new();
        for step in steps {
            let values = variables.iter();
            let values = values.flat_map(|variable| words(net, *variable, &step.binding));
            let values: Vec<String> = values.collect();
            let id = ids.take(&transition.id, &values);
            let unfolded = builder.transition_named(id, named(&transition.name, &values));
            for (place, colour, weight) in step.inputs {
                if let Some(place) = numbers[marked.at(place, colour)] {
                    builder.input(unfolded, place, weight);
                }
            }
            for (place, colour, weight) in step.outputs {
                if let Some(place) = numbers[marked.at(place, colour)] {
                    builder.output(unfolded, place, weight);
                }
            }
            members.push(unfolded);
        }
        folded.add_transition(&transition.id, &transition.name, members);
    }
    builder.folded(folded);
    Ok(builder)
}

/// Numbers for all colours of all places, and the tokens of each in the initial marking.
struct Marked<'a> {
    places: &'a [Possible],
    starts: Vec<usize>,
    tokens: Vec<u64>,
}

impl<'a> Marked<'a> {
    fn new(places: &'a [Possible], initial: &[Vec<(Colour, u64)>]) -> Self {
        let (mut starts, mut tokens) = (Vec::new(), Vec::new());
        for (possible, initial) in places.iter().zip(initial) {
            starts.push(tokens.len());
            tokens.extend(possible.list.iter().map(|colour| {
                let at = initial.binary_search_by_key(colour, |token| token.0);
                at.map_or(0, |at| initial[at].1)
            }));
        }
        Self {
            places,
            starts,
            tokens,
        }
    }

    fn at(&self, place: usize, colour: Colour) -> usize {
        let at = self.places[place].list.binary_search(&colour);
        self.starts[place] + at.expect("the fixpoint has all colours")
    }
}

/// How often steps that can never happen are looked for: leaving some of them in is no mistake.
const ROUNDS: usize = 64;

/// The colours of places whose tokens some step changes. All others keep their tokens for ever, and a step that needs more
/// tokens of such a colour than there are never happens and is left out, whereupon more may rest.
///
/// If nothing is changed at all, everything is said to be: a net has places.
fn moved(marked: &Marked<'_>, all: &mut [Vec<Step>]) -> Vec<bool> {
    let count = |all: &[Vec<Step>]| all.iter().map(Vec::len).sum::<usize>();
    let mut moves = Vec::new();
    for _ in 0..ROUNDS {
        moves = vec![false; marked.tokens.len()];
        for step in all.iter().flatten() {
            for (places, others) in [(&step.inputs, &step.outputs), (&step.outputs, &step.inputs)] {
                for moved in places
                    .iter()
                    .filter(|moved| others.binary_search(moved).is_err())
                {
                    moves[marked.at(moved.0, moved.1)] = true;
                }
            }
        }
        let before = count(all);
        for steps in all.iter_mut() {
            steps.retain(|step| {
                step.inputs.iter().all(|&(place, colour, weight)| {
                    let at = marked.at(place, colour);
                    moves[at] || marked.tokens[at] >= weight
                })
            });
        }
        if count(all) == before {
            break;
        }
    }
    if !moves.contains(&true) {
        moves.fill(true);
    }
    moves
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
