//! Labels that an inner composition hides.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sweepline_process::Network;

use super::alphabet;
use crate::change::relabelled;
use crate::elaborate::{Done, Elaborator};

/// What follows the name of a label that is hidden in an inner composition.
pub(super) const SEAL: char = '#';

impl Elaborator<'_> {
    /// Makes what a network hides invisible to others, by names that nobody else has.
    pub(super) fn sealed(&mut self, network: Network) -> Done<Network> {
        if network.priority.is_some() {
            return self.composed(&network);
        }
        if network.hidden.is_empty() {
            return Ok(network);
        }
        self.seals += 1;
        let seal = self.seals;
        let hidden = network.hidden.clone();
        let open = Network {
            hidden: BTreeSet::new(),
            ..network
        };
        let span = self.place();
        let rename = |label: &str| {
            if hidden.contains(label) {
                vec![format!("{label}{SEAL}{seal}")]
            } else {
                vec![label.to_string()]
            }
        };
        self.with_labels(open, rename, &span)
    }

    /// Gives the hidden labels of inner compositions new names.
    pub(super) fn sealed_again(&mut self, network: Network) -> Done<Network> {
        if !alphabet(&network).any(|label| label.contains(SEAL)) {
            return Ok(network);
        }
        self.seals += 1;
        let seal = self.seals;
        let span = self.place();
        // Labels that were sealed at different times stay different.
        let rename = |label: &str| match label.split_once(SEAL) {
            Some((name, inner)) => vec![format!("{name}{SEAL}{seal}.{inner}")],
            None => vec![label.to_string()],
        };
        let hidden = network.hidden.clone();
        let network = self.with_labels(network, rename, &span)?;
        Ok(Network { hidden, ..network })
    }
}

/// The network as it is given away: components have different names, and all hidden labels are listed.
pub(crate) fn closed(network: Network) -> Network {
    let mut network = numbered_seals(network);
    let sealed = alphabet(&network).filter(|label| label.contains(SEAL));
    let sealed: Vec<String> = sealed.map(str::to_string).collect();
    network.hidden.extend(sealed);
    shorten_names(&mut network);
    number_copies(&mut network);
    network
}

/// Tells components apart that the user gave no names: in `(P || P)` they are `1:P` and `2:P`. What stands before the colon is
/// where FSP has the names of instances, and no name anybody can write is a number.
fn number_copies(network: &mut Network) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for component in &network.components {
        *uses.entry(component.name.clone()).or_default() += 1;
    }
    let mut copies: HashMap<String, usize> = HashMap::new();
    for component in &mut network.components {
        if uses[&component.name] > 1 {
            let copy = copies.entry(component.name.clone()).or_default();
            *copy += 1;
            component.name = format!("{copy}:{}", component.name);
        }
    }
}

/// Components are called as they are written, `{a,b}::FORK`. Where the process alone tells them apart, it is enough: `FORK`.
fn shorten_names(network: &mut Network) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for component in &network.components {
        *uses.entry(without_users(&component.name)).or_default() += 1;
    }
    for component in &mut network.components {
        let short = without_users(&component.name);
        if uses[&short] == 1 {
            component.name = short;
        }
    }
}

/// The name of a component without those who share it: `FORK` for `{a,b}::FORK`, and `x:FORK` for `x.{a,b}::FORK`.
fn without_users(name: &str) -> String {
    let mut rest = name;
    let mut short = String::new();
    while let Some((before, inside)) = rest.split_once('{') {
        let Some((_, after)) = inside.split_once("}::") else {
            break;
        };
        short.push_str(before.trim_end_matches('.'));
        if !short.is_empty() && !short.ends_with(':') {
            short.push(':');
        }
        rest = after;
    }
    short + rest
}

/// Numbers the seals of hidden labels from 1 on, in the order they occur.
fn numbered_seals(mut network: Network) -> Network {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for component in &mut network.components {
        if !component.lts.labels().iter().any(|l| l.contains(SEAL)) {
            continue;
        }
        let labels = component.lts.labels()[1..].iter();
        let names = labels.map(|label| match label.split_once(SEAL) {
            Some((name, seal)) => {
                let next = numbers.len() + 1;
                let number = *numbers.entry(seal.to_string()).or_insert(next);
                vec![format!("{name}{SEAL}{number}")]
            }
            None => vec![label.clone()],
        });
        let lts = relabelled(&component.lts, &names.collect::<Vec<_>>());
        component.lts = Arc::new(lts);
    }
    network
}
