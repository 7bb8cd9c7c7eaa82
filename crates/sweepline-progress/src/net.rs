//! Measures of nets, from what their transitions do.

use sweepline_core::SlotId;
use sweepline_logic::{Atom, Coordinate, Expr, Name};
use sweepline_net::{PetriNet, Transition};

use crate::candidate::Changes;
use crate::combine::{Monotone, Rows, coordinate, weighted};
use crate::linear::{self, Budget, Columns, Effects, Hints, Weights};

/// What the transitions of a net change.
pub fn effects(net: &PetriNet) -> Effects {
    let transitions = net.transitions().iter().map(changes).collect();
    Effects::new(net.places().len(), transitions)
}

/// The same by slots: the slots of a net's system are its places, in the same order.
pub fn slot_changes(net: &PetriNet) -> Changes {
    let slot = |place: usize| SlotId(u32::try_from(place).expect("a net has below 2^32 places"));
    let transitions = net.transitions().iter().map(|transition| {
        let changes = changes(transition).into_iter();
        changes.map(|(place, by)| (slot(place), by)).collect()
    });
    Changes::Slots(transitions.collect())
}

fn changes(transition: &Transition) -> Vec<(usize, i64)> {
    let signed = |weight: u64| i64::try_from(weight).expect("weights of arcs are below 2^62");
    let taken = transition
        .inputs
        .iter()
        .map(|arc| (arc.place.index(), -signed(arc.weight)));
    let put = transition
        .outputs
        .iter()
        .map(|arc| (arc.place.index(), signed(arc.weight)));
    taken.chain(put).collect()
}

/// Sums of tokens that never decrease.
pub fn monotone(net: &PetriNet, effects: &Effects, columns: &Columns) -> Monotone {
    let in_words = |weights: &Weights| in_words(net, weights);
    Monotone {
        fine: linear::finer(effects, columns)
            .iter()
            .map(in_words)
            .collect(),
        together: columns.coordinates.iter().map(in_words).collect(),
    }
}

/// Sums of tokens that seldom decrease.
pub fn rows(
    net: &PetriNet,
    effects: &Effects,
    columns: &Columns,
    frequency: &[f64],
    budget: &Budget,
) -> Rows {
    let initial = net.initial_marking();
    let hints = Hints {
        frequency,
        initial: &initial,
    };
    let rows = linear::rows(effects, columns, &hints, budget);
    rows.iter()
        .map(|row| vec![in_words(net, &row.weights)])
        .collect()
}

/// Weights of places as an expression.
fn in_words(net: &PetriNet, weights: &Weights) -> Coordinate {
    let terms = weights.of.iter().map(|&(place, weight)| {
        let name = Expr::Slot(Name::new(net.places()[place].id.as_str()));
        (weight, name.to_string())
    });
    coordinate(&weighted(terms))
}

/// An expression as weights of places, if it is a sum of places times numbers.
pub fn weights_of(net: &PetriNet, expr: &Expr) -> Option<Weights> {
    let weights = expr.terms()?.into_iter().map(|(factor, atom)| match atom {
        Atom::Slot(name) => Some((net.find_place(&name.text).ok()?.index(), factor)),
        Atom::Rank(..) => None,
    });
    Some(Weights::new(weights.collect::<Option<_>>()?))
}
