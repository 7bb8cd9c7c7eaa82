//! Names instead of ids in properties that were written by hand.

use sweepline_logic::{CompareOp, Expr, Formula, Name, Pred, Property, PropertyKind};

use crate::net::{PetriNet, PlaceArc, PlaceId, TransitionId};

/// Replaces names of places and transitions by ids, where nothing has such an id and exactly one has the name. A place of a
/// coloured net stands for the tokens of all colours, a transition for all its bindings.
///
/// Slots and actions of a [`NetSystem`](crate::NetSystem) are called by ids. Names that cannot be replaced are left for
/// whoever looks them up.
///
/// ```
/// use sweepline_logic::{Formula, Name, Pred, Property, PropertyKind};
/// use sweepline_net::{PetriNet, resolve_names};
///
/// let mut net = PetriNet::builder("n");
/// net.place_named("p17", "buffer", 0);
/// let net = net.build().unwrap();
/// let about = |name| PropertyKind::Formula(Formula::Reachable(Pred::Holds(Name::new(name))));
/// let mut property = Property { name: "full".into(), kind: about("buffer") };
/// resolve_names(&net, &mut property);
/// assert_eq!(property.kind, about("p17"));
/// ```
pub fn resolve_names(net: &PetriNet, property: &mut Property) {
    match &mut property.kind {
        PropertyKind::Formula(formula) => in_formula(net, formula),
        PropertyKind::Bound(expr) => resolve_expression(net, expr),
        PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
            for atom in &mut ltl.atoms {
                resolve_predicate(net, atom);
            }
        }
        PropertyKind::Ctl(ctl) => {
            for atom in &mut ctl.atoms {
                resolve_predicate(net, atom);
            }
        }
        PropertyKind::Live(groups) => {
            for actions in groups {
                let all = actions.drain(..).flat_map(|name| transitions(net, name));
                *actions = all.collect();
            }
        }
        PropertyKind::HomeState => {}
        PropertyKind::NoRun(automaton) => {
            for atom in &mut automaton.atoms {
                resolve_predicate(net, atom);
            }
        }
    }
}

/// As [`resolve_names`], for a predicate.
pub fn resolve_predicate(net: &PetriNet, pred: &mut Pred) {
    match pred {
        Pred::Constant(_) | Pred::Deadlock => {}
        Pred::Holds(name) => match net.find_places(&name.text).as_deref() {
            Ok([_]) | Err(_) => place(net, name),
            Ok(places) => {
                let tokens = Expr::Sum(slots(net, places, name));
                *pred = Pred::Compare(CompareOp::GreaterOrEqual, tokens, Expr::Number(1));
            }
        },
        Pred::Fireable(names) => {
            let all = names.drain(..).flat_map(|name| transitions(net, name));
            *names = all.collect();
            if names.is_empty() {
                *pred = Pred::Constant(false); // no binding is ever enabled
            }
        }
        Pred::Compare(_, left, right) => {
            resolve_expression(net, left);
            resolve_expression(net, right);
        }
        Pred::Not(inner) => resolve_predicate(net, inner),
        Pred::And(inner) | Pred::Or(inner) => {
            for pred in inner {
                resolve_predicate(net, pred);
            }
        }
        Pred::Implies(left, right) | Pred::Iff(left, right) => {
            resolve_predicate(net, left);
            resolve_predicate(net, right);
        }
    }
}

/// Says what it takes to fire in terms of places, for whoever cannot see what is enabled. Names must be ids already.
pub fn spell_out_fireable(net: &PetriNet, pred: &mut Pred) {
    match pred {
        Pred::Constant(_) | Pred::Deadlock | Pred::Holds(_) | Pred::Compare(..) => {}
        Pred::Fireable(names) => {
            let found = names.iter().map(|name| net.transition_with_id(&name.text));
            if let Some(transitions) = found.collect::<Option<Vec<_>>>() {
                let enabled = transitions.into_iter().map(|id| enabled(net, id));
                *pred = Pred::Or(enabled.collect());
            }
        }
        Pred::Not(inner) => spell_out_fireable(net, inner),
        Pred::And(inner) | Pred::Or(inner) => {
            for pred in inner {
                spell_out_fireable(net, pred);
            }
        }
        Pred::Implies(left, right) | Pred::Iff(left, right) => {
            spell_out_fireable(net, left);
            spell_out_fireable(net, right);
        }
    }
}

fn enabled(net: &PetriNet, id: TransitionId) -> Pred {
    let transition = net.transition(id);
    let compare = |op, arc: &PlaceArc| {
        let place = Name::new(net.place(arc.place).id.as_str());
        Pred::Compare(
            op,
            Expr::Slot(place),
            Expr::Number(arc.weight.cast_signed()),
        )
    };
    let inputs = transition.inputs.iter();
    let inputs = inputs.map(|arc| compare(CompareOp::GreaterOrEqual, arc));
    let inhibitors = transition.inhibitors.iter();
    let inhibitors = inhibitors.map(|arc| compare(CompareOp::Less, arc));
    Pred::And(inputs.chain(inhibitors).collect())
}

/// As [`resolve_names`], for an expression.
pub fn resolve_expression(net: &PetriNet, expr: &mut Expr) {
    match expr {
        Expr::Number(_) => {}
        Expr::Slot(name) => match net.find_places(&name.text).as_deref() {
            Ok([_]) | Err(_) => place(net, name),
            Ok(places) => *expr = Expr::Sum(slots(net, places, name)),
        },
        Expr::Rank(name, _) => place(net, name),
        Expr::Sum(inner) => inner
            .iter_mut()
            .for_each(|expr| resolve_expression(net, expr)),
        Expr::Negate(inner) => resolve_expression(net, inner),
        Expr::Binary(_, left, right) => {
            resolve_expression(net, left);
            resolve_expression(net, right);
        }
    }
}

fn in_formula(net: &PetriNet, formula: &mut Formula) {
    match formula {
        Formula::Initially(pred) | Formula::Reachable(pred) | Formula::Invariant(pred) => {
            resolve_predicate(net, pred);
        }
        Formula::Not(inner) => in_formula(net, inner),
        Formula::And(inner) | Formula::Or(inner) => {
            for formula in inner {
                in_formula(net, formula);
            }
        }
    }
}

fn place(net: &PetriNet, name: &mut Name) {
    if let Ok(place) = net.find_place(&name.text) {
        name.text.clone_from(&net.place(place).id);
    }
}

/// The places of all colours.
fn slots(net: &PetriNet, places: &[PlaceId], name: &Name) -> Vec<Expr> {
    let slot = |place: &PlaceId| {
        Expr::Slot(Name {
            text: net.place(*place).id.clone(),
            ..name.clone()
        })
    };
    places.iter().map(slot).collect()
}

/// The transitions a name stands for, by their ids; what is not known stays as it is.
fn transitions(net: &PetriNet, name: Name) -> Vec<Name> {
    let Ok(found) = net.find_transitions(&name.text) else {
        return vec![name];
    };
    let named = found.into_iter().map(|transition| Name {
        text: net.transition(transition).id.clone(),
        ..name.clone()
    });
    named.collect()
}
