//! Transition systems made from others: other labels, completed, deterministic.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sweepline_core::{Limits, StopReason};
use sweepline_process::{LabelId, Lts, LtsBuilder, StateId, StateKind, TAU};

use crate::value::prefixes;

/// How hidden labels are called.
pub(crate) const HIDDEN: &str = "tau";

/// How many states and edges a system has with other labels, at most.
pub(crate) fn relabelled_size(lts: &Lts, new: &[Vec<String>]) -> usize {
    let edges = lts.states().flat_map(|state| lts.edges_from(state));
    let copies = edges.map(|edge| match edge.label {
        TAU => 1,
        LabelId(label) => new[label as usize - 1].len(),
    });
    copies.fold(lts.len(), usize::saturating_add)
}

/// The same system with other labels: each of them is replaced by all its new names. The internal step has none.
pub(crate) fn relabelled(lts: &Lts, new: &[Vec<String>]) -> Lts {
    let mut builder = with_states(lts);
    let mut labels = vec![vec![TAU]];
    for names in new {
        labels.push(names.iter().map(|name| builder.label(name)).collect());
    }
    for state in lts.states() {
        let mut seen = HashSet::new();
        for edge in lts.edges_from(state) {
            for &label in &labels[edge.label.0 as usize] {
                if seen.insert((label, edge.target)) {
                    builder.edge(state, label, edge.target);
                }
            }
        }
    }
    builder.build(lts.initial())
}

/// A builder with the states of a system, but none of its labels and edges.
fn with_states(lts: &Lts) -> LtsBuilder {
    let mut builder = Lts::builder();
    for state in lts.states() {
        let copy = builder.state();
        builder.set_name(copy, lts.state_name(state));
        builder.set_kind(copy, lts.kind(state));
    }
    builder
}

/// The same system with a larger alphabet.
pub(crate) fn extended(lts: &Lts, labels: &[String]) -> Lts {
    let mut builder = with_states(lts);
    copy_edges(lts, &mut builder);
    for label in labels {
        builder.label(label);
    }
    builder.build(lts.initial())
}

/// Adds the labels and edges of a system to a copy of its states.
fn copy_edges(lts: &Lts, builder: &mut LtsBuilder) {
    for label in lts.labels() {
        builder.label(label);
    }
    for state in lts.states() {
        for edge in lts.edges_from(state) {
            builder.edge(state, edge.label, edge.target);
        }
    }
}

/// A property as a system that watches: what it does not allow leads to an error. Wherever it is, it does not keep
/// the others from ending.
pub(crate) fn completed(lts: &Lts) -> Lts {
    let mut builder = with_states(lts);
    copy_edges(lts, &mut builder);
    let known = lts.states().find(|s| lts.kind(*s) == StateKind::Error);
    let mut error = known;
    for state in lts.states() {
        if lts.kind(state) == StateKind::Error {
            continue;
        }
        builder.set_kind(state, StateKind::End);
        let edges = lts.edges_from(state).iter();
        let allowed: HashSet<LabelId> = edges.map(|edge| edge.label).collect();
        for label in (1..lts.labels().len()).map(label_id) {
            if !allowed.contains(&label) {
                let error = *error.get_or_insert_with(|| error_state(&mut builder));
                builder.edge(state, label, error);
            }
        }
    }
    builder.build(lts.initial())
}

fn label_id(number: usize) -> LabelId {
    LabelId(u32::try_from(number).expect("an LTS has below 2^32 labels"))
}

pub(crate) fn error_state(builder: &mut LtsBuilder) -> StateId {
    let state = builder.state();
    builder.set_name(state, "ERROR");
    builder.set_kind(state, StateKind::Error);
    state
}

/// A label that leads to two states from one, or an internal step.
pub(crate) fn nondeterminism(lts: &Lts) -> Option<(StateId, LabelId)> {
    for state in lts.states() {
        let mut targets: HashMap<LabelId, StateId> = HashMap::new();
        for edge in lts.edges_from(state) {
            let other = targets.insert(edge.label, edge.target);
            if edge.label == TAU || other.is_some_and(|other| other != edge.target) {
                return Some((state, edge.label));
            }
        }
    }
    None
}

/// A deterministic system with the same traces: its states are sets of states. None if there are too many.
///
/// A set with an error state in it is an error; one of which every state is an end is an end.
pub(crate) fn determinised(
    lts: &Lts,
    limit: usize,
    limits: &Limits,
) -> Result<Option<Lts>, StopReason> {
    let mut builder = Lts::builder();
    for label in lts.labels() {
        builder.label(label);
    }
    let mut known: BTreeMap<BTreeSet<StateId>, StateId> = BTreeMap::new();
    let mut open = vec![closed(lts, BTreeSet::from([lts.initial()]))];
    let initial = set_state(lts, &mut builder, &open[0]);
    known.insert(open[0].clone(), initial);
    let (mut held, mut unasked) = (0, 0);
    while let Some(set) = open.pop() {
        let from = known[&set];
        for (label, targets) in successors(lts, &set) {
            let targets = closed(lts, targets);
            unasked += 1 + targets.len();
            let to = *known.entry(targets.clone()).or_insert_with(|| {
                open.push(targets.clone());
                held += SET_BYTES + 2 * targets.len() * size_of::<StateId>();
                set_state(lts, &mut builder, &targets)
            });
            builder.edge(from, label, to);
        }
        if known.len() > limit {
            return Ok(None);
        }
        if unasked >= WORK_UNASKED {
            unasked = 0;
            limits.allow(lts.bytes() + held + builder.bytes())?;
        }
    }
    Ok(Some(builder.build(initial)))
}

/// What a set of states takes besides its elements, nearly.
const SET_BYTES: usize = 200;

/// So many elements of sets are looked at before limits are asked again.
const WORK_UNASKED: usize = 4096;

/// With all states that internal steps lead to.
fn closed(lts: &Lts, mut set: BTreeSet<StateId>) -> BTreeSet<StateId> {
    let mut open: Vec<StateId> = set.iter().copied().collect();
    while let Some(state) = open.pop() {
        for edge in lts.edges_from(state) {
            if edge.label == TAU && set.insert(edge.target) {
                open.push(edge.target);
            }
        }
    }
    set
}

fn set_state(lts: &Lts, builder: &mut LtsBuilder, set: &BTreeSet<StateId>) -> StateId {
    let state = builder.state();
    let has = |kind| set.iter().any(|state| lts.kind(*state) == kind);
    if has(StateKind::Error) {
        builder.set_kind(state, StateKind::Error);
    } else if !has(StateKind::Ordinary) {
        builder.set_kind(state, StateKind::End);
    }
    state
}

fn successors(lts: &Lts, set: &BTreeSet<StateId>) -> BTreeMap<LabelId, BTreeSet<StateId>> {
    let mut successors: BTreeMap<LabelId, BTreeSet<StateId>> = BTreeMap::new();
    if set.iter().any(|state| lts.kind(*state) == StateKind::Error) {
        return successors;
    }
    for state in set {
        for edge in lts.edges_from(*state) {
            if edge.label != TAU {
                let targets = successors.entry(edge.label).or_default();
                targets.insert(edge.target);
            }
        }
    }
    successors
}

/// Labels to be replaced, with their replacements.
#[derive(Default)]
pub(crate) struct Renaming {
    new: HashMap<String, Vec<String>>,
}

impl Renaming {
    /// Notes that `old`, and all labels that begin with it, get a new name.
    pub fn add(&mut self, old: &str, new: &str) {
        let names = self.new.entry(old.to_string()).or_default();
        if !names.iter().any(|name| name == new) {
            names.push(new.to_string());
        }
    }

    /// The new names of a label, and what is replaced: its longest prefix that has a new name.
    pub fn apply<'l>(&self, label: &'l str) -> Option<(&'l str, Vec<String>)> {
        let prefix = prefixes(label).find(|prefix| self.new.contains_key(*prefix))?;
        let rest = &label[prefix.len()..];
        let names = self.new[prefix].iter();
        Some((prefix, names.map(|new| format!("{new}{rest}")).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An LTS from edges `0 a 1`; state 0 is the initial one.
    fn lts(edges: &[(u32, &str, u32)], count: u32) -> Lts {
        let mut builder = Lts::builder();
        for _ in 0..count {
            builder.state();
        }
        for (from, label, to) in edges {
            let label = builder.label(label);
            builder.edge(StateId(*from), label, StateId(*to));
        }
        builder.build(StateId(0))
    }

    fn edges(lts: &Lts) -> Vec<(u32, &str, u32)> {
        let from = |state: StateId| {
            let edges = lts.edges_from(state).iter();
            edges.map(move |edge| (state.0, lts.label(edge.label), edge.target.0))
        };
        lts.states().flat_map(from).collect()
    }

    #[test]
    fn the_longest_prefix_is_renamed() {
        let mut renaming = Renaming::default();
        renaming.add("a", "x");
        renaming.add("a.b", "y");
        renaming.add("a.b", "z");
        let apply = |label| renaming.apply(label).map(|(_, names)| names);
        assert_eq!(apply("a[1]"), Some(vec!["x[1]".to_string()]));
        assert_eq!(apply("a.b.c"), Some(vec!["y.c".into(), "z.c".into()]));
        assert_eq!(apply("ab"), None);
    }

    #[test]
    fn determinism_joins_what_looks_the_same() {
        let system = lts(
            &[
                (0, "a", 1),
                (0, "a", 2),
                (1, "b", 0),
                (2, "tau", 3),
                (3, "c", 0),
            ],
            4,
        );
        assert_eq!(nondeterminism(&system).map(|(s, _)| s), Some(StateId(0)));
        let determinised = |limit| determinised(&system, limit, &Limits::default()).unwrap();
        let result = determinised(10).unwrap();
        assert_eq!(edges(&result), [(0, "a", 1), (1, "b", 0), (1, "c", 0)]);
        assert!(determinised(1).is_none());
    }

    #[test]
    fn what_a_property_does_not_allow_is_an_error() {
        let result = completed(&lts(&[(0, "a", 1), (1, "b", 0)], 2));
        assert_eq!(
            edges(&result),
            [(0, "a", 1), (0, "b", 2), (1, "b", 0), (1, "a", 2)]
        );
        let kinds: Vec<StateKind> = result.states().map(|state| result.kind(state)).collect();
        assert_eq!(kinds, [StateKind::End, StateKind::End, StateKind::Error]);
    }

    #[test]
    fn an_edge_is_there_once() {
        let names = [vec!["x".to_string()], vec!["x".to_string()]];
        let result = relabelled(&lts(&[(0, "a", 0), (0, "b", 0)], 1), &names);
        assert_eq!(edges(&result), [(0, "x", 0)]);
    }
}
