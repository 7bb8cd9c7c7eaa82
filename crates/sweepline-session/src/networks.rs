//! Networks of labelled transition systems: what a session adds to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use sweepline_core::{Limits, Slot, SlotKind, StopReason, System};
use sweepline_logic::{CompareOp, Definition, Expr, Name, Pred};
use sweepline_process::{
    Component, Equivalence, Lts, Network, NetworkSystem, StateKind, minimise_within,
};

/// The network with smaller components.
pub(crate) fn minimised(
    network: &Network,
    how: Equivalence,
    limits: &Limits,
) -> Result<Network, StopReason> {
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for component in &network.components {
        for label in component.lts.labels() {
            *owners.entry(label).or_default() += 1;
        }
    }
    let components = network.components.iter().map(|component| {
        // Priorities look at internal steps too, so nothing may be abstracted from.
        let lts = if how == Equivalence::Branching && network.priority.is_none() {
            let private = network
                .hidden
                .iter()
                .filter(|label| owners.get(label.as_str()) == Some(&1));
            let private = private.cloned().collect();
            let hidden = component.lts.hidden(&private);
            minimise_within(&hidden, Equivalence::Branching, limits)?
        } else {
            minimise_within(&component.lts, Equivalence::Strong, limits)?
        };
        Ok(Component {
            name: component.name.clone(),
            lts: Arc::new(lts),
        })
    });
    Ok(Network {
        components: components.collect::<Result<_, StopReason>>()?,
        ..network.clone()
    })
}

/// Some component is in an error state.
pub(crate) const ERROR: &str = "ERROR";
/// All components are in end states.
pub(crate) const END: &str = "END";

/// The propositions [`ERROR`] and [`END`], as far as they can be true.
pub(crate) fn definitions(network: &Network, system: &NetworkSystem) -> Vec<Definition> {
    let parts = |kind: StateKind| -> Vec<Pred> {
        let slots = system.layout().slots();
        let components = network.components.iter().zip(slots);
        components
            .filter_map(|(component, slot)| is_in(&component.lts, slot, kind))
            .collect()
    };
    let (errors, ends) = (parts(StateKind::Error), parts(StateKind::End));
    let mut definitions = Vec::new();
    if !errors.is_empty() {
        definitions.push(define(ERROR, Pred::Or(errors)));
    }
    if !ends.is_empty() && ends.len() == network.components.len() {
        definitions.push(define(END, Pred::And(ends)));
    }
    definitions
}

fn define(name: &str, pred: Pred) -> Definition {
    Definition {
        name: Name::new(name),
        pred,
        source: name.into(),
    }
}

/// A component is in a state of this kind, if it has any.
fn is_in(lts: &Lts, slot: &Slot, kind: StateKind) -> Option<Pred> {
    let states = lts.states().filter(|state| lts.kind(*state) == kind);
    let values = states.map(|state| {
        let shown = match &slot.kind {
            SlotKind::Named(names) => names[state.0 as usize].clone(),
            SlotKind::Integer | SlotKind::Boolean => state.0.to_string(),
        };
        (Name::new(shown), 1)
    });
    let values: Vec<_> = values.collect();
    if values.is_empty() {
        return None;
    }
    let rank = Expr::Rank(Name::new(slot.name.as_str()), values);
    Some(Pred::Compare(CompareOp::Equal, rank, Expr::Number(1)))
}
