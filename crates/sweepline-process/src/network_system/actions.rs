//! Who takes part in what.

use std::collections::{BTreeSet, HashMap};

use crate::lts::{LabelId, Lts, TAU};
use crate::network::{Network, Priority};

/// Who takes part in which action of a network, as [`NetworkSystem`](crate::NetworkSystem) numbers them.
#[derive(Clone, Debug)]
pub struct Participants {
    /// The components that take part in each action.
    pub participants: Vec<Vec<usize>>,
    /// The action of every label of every component; `u32::MAX` for an internal step that a component does not have.
    pub numbers: Vec<Vec<u32>>,
}

impl Participants {
    /// Looks at a network.
    pub fn of(network: &Network) -> Self {
        let Actions {
            participants,
            numbers,
            ..
        } = Actions::of(network);
        Self {
            participants,
            numbers,
        }
    }
}

/// The actions of a network and who takes part in them.
pub(super) struct Actions {
    /// The label of every action; none is the internal step of its only participant.
    labels: Vec<Option<String>>,
    pub participants: Vec<Vec<usize>>,
    /// The action of every label of every component.
    pub numbers: Vec<Vec<u32>>,
}

impl Actions {
    pub fn of(network: &Network) -> Self {
        let mut actions = Self {
            labels: Vec::new(),
            participants: Vec::new(),
            numbers: Vec::new(),
        };
        let mut by_label = HashMap::new();
        for (index, component) in network.components.iter().enumerate() {
            let mut numbers = vec![u32::MAX];
            if has_tau(&component.lts) {
                numbers[TAU.index()] = actions.add(None, index);
            }
            for label in &component.lts.labels()[1..] {
                let known = by_label.get(label).copied();
                if let Some(action) = known {
                    actions.participants[action as usize].push(index);
                }
                let action = known.unwrap_or_else(|| actions.add(Some(label.clone()), index));
                by_label.insert(label.clone(), action);
                numbers.push(action);
            }
            actions.numbers.push(numbers);
        }
        actions
    }

    fn add(&mut self, label: Option<String>, component: usize) -> u32 {
        let action = u32::try_from(self.labels.len()).expect("below 2^32 actions");
        self.labels.push(label);
        self.participants.push(vec![component]);
        action
    }

    /// The driver of every action: the participant that offers it in the smallest share of its states.
    pub fn drivers(&self, network: &Network) -> Vec<usize> {
        let mut offering: Vec<Vec<u64>> = Vec::new();
        for component in &network.components {
            offering.push(offering_states(&component.lts));
        }
        let mut local: Vec<HashMap<u32, usize>> = Vec::new();
        for numbers in &self.numbers {
            local.push(numbers.iter().copied().zip(0..).collect());
        }
        let share = |component: usize, action: u32| {
            let states = network.components[component].lts.len() as u64;
            (offering[component][local[component][&action]], states)
        };
        let driver = |(participants, action): (&Vec<usize>, u32)| {
            let mut best = participants[0];
            for &other in &participants[1..] {
                let ((a, of_a), (b, of_b)) = (share(other, action), share(best, action));
                // a / of_a < b / of_b
                if u128::from(a) * u128::from(of_b) < u128::from(b) * u128::from(of_a) {
                    best = other;
                }
            }
            best
        };
        self.participants.iter().zip(0..).map(driver).collect()
    }

    pub fn internal(&self, hidden: &BTreeSet<String>) -> Vec<bool> {
        let internal = |label: &Option<String>| match label {
            Some(label) => hidden.contains(label),
            None => true,
        };
        self.labels.iter().map(internal).collect()
    }

    /// Which actions go first: the prioritised ones, or all but those that go last.
    pub fn preferred(&self, priority: &Priority) -> Vec<bool> {
        let preferred = |label: &Option<String>| {
            let listed = label
                .as_ref()
                .is_some_and(|label| priority.labels.contains(label));
            listed == priority.high
        };
        self.labels.iter().map(preferred).collect()
    }

    /// Distinct names: the labels themselves, and something else for what is internal.
    pub fn shown(&self, network: &Network) -> Vec<String> {
        let mut taken: BTreeSet<String> = self.labels.iter().flatten().cloned().collect();
        let mut free = |mut name: String| {
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            name
        };
        let mut shown = Vec::new();
        for (label, participants) in self.labels.iter().zip(&self.participants) {
            shown.push(match label {
                None => free(format!("{}.tau", network.components[participants[0]].name)),
                Some(label) if network.hidden.contains(label) => free(format!("tau ({label})")),
                Some(label) => label.clone(),
            });
        }
        shown
    }
}

fn has_tau(lts: &Lts) -> bool {
    let mut edges = lts.states().flat_map(|state| lts.edges_from(state));
    edges.any(|edge| edge.label == TAU)
}

/// In how many states each label is offered.
fn offering_states(lts: &Lts) -> Vec<u64> {
    let mut counts = vec![0; lts.labels().len()];
    let mut last = vec![None; counts.len()];
    for state in lts.states() {
        for &LabelId(label) in lts.edges_from(state).iter().map(|edge| &edge.label) {
            if last[label as usize].replace(state) != Some(state) {
                counts[label as usize] += 1;
            }
        }
    }
    counts
}
