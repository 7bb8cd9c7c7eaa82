//! Symmetric nets (ISO/IEC 15909-2): tokens with colours of finite sorts, transitions with variables.
//!
//! They are unfolded: every place becomes one place for each colour it may ever hold, every transition one for each binding
//! of its variables that may ever be enabled. The states of the unfolded net are those of the symmetric net, one by one,
//! and so are its steps. A property that names a place of the symmetric net means all its tokens, whatever their colour, and
//! one that names a transition means any of its bindings, as the Model Checking Contest has it.

mod plan;
mod read;
mod sorts;
mod terms;
#[cfg(test)]
mod tests;
mod unfold;

use roxmltree::Node;

use self::read::{Declarations, structure};
use self::terms::{Bag, NoBag};
use self::unfold::{ColouredNet, ColouredPlace, ColouredTransition, Unfoldable, unfold};
use crate::diagnostics::{Collector, label};
use crate::net::NetBuilder;
use crate::pnml::PnmlError;
use crate::pnml::arcs::Role;
use crate::pnml::document::{child, elements};
use crate::pnml::nodes::name_of;
use crate::xml::tag;

/// A symmetric net, as its elements say.
pub(crate) struct Drawn<'a, 'i> {
    pub(crate) net: Node<'a, 'i>,
    pub(crate) places: Vec<Node<'a, 'i>>,
    pub(crate) transitions: Vec<Node<'a, 'i>>,
    /// Arcs with the number of their place and their transition.
    pub(crate) arcs: Vec<DrawnArc<'a, 'i>>,
}

/// An arc between a place and a transition.
pub(crate) struct DrawnArc<'a, 'i> {
    pub(crate) node: Node<'a, 'i>,
    pub(crate) place: usize,
    pub(crate) transition: usize,
    pub(crate) role: Role,
    /// Whether it leads to the transition.
    pub(crate) takes: bool,
}

/// Reads colours and unfolds.
pub(crate) fn read(drawn: &Drawn<'_, '_>, errors: &mut Collector<PnmlError>) -> Option<NetBuilder> {
    let net = match coloured(drawn, errors) {
        Ok(net) => net,
        Err(error) => {
            errors.add(|| error);
            return None;
        }
    };
    if !errors.is_empty() {
        return None;
    }
    unfold(&net)
        .map_err(|wrong| errors.add(|| unfoldable(drawn, &net, wrong)))
        .ok()
}

fn coloured(
    drawn: &Drawn<'_, '_>,
    errors: &mut Collector<PnmlError>,
) -> Result<ColouredNet, PnmlError> {
    let declarations: Vec<_> = drawn
        .net
        .descendants()
        .filter(|node| node.is_element() && node.tag_name().name() == "declaration")
        .collect();
    let mut declarations = Declarations::read(&declarations)?;
    let mut places = Vec::new();
    for node in &drawn.places {
        match place(*node, &mut declarations) {
            Ok(place) => places.push(place),
            Err(error) => errors.add(|| error),
        }
    }
    let mut transitions = Vec::new();
    for node in &drawn.transitions {
        match transition(*node, &declarations) {
            Ok(transition) => transitions.push(transition),
            Err(error) => errors.add(|| error),
        }
    }
    let mut net = ColouredNet {
        id: drawn.net.attribute("id").unwrap_or("").to_owned(),
        declarations,
        places,
        transitions,
    };
    if !errors.is_empty() {
        return Ok(net); // the numbers of arcs mean nothing now
    }
    for arc in &drawn.arcs {
        if let Err(error) = add_arc(arc, &mut net) {
            errors.add(|| error);
        }
    }
    Ok(net)
}

fn place(node: Node<'_, '_>, declarations: &mut Declarations) -> Result<ColouredPlace, PnmlError> {
    let id = node.attribute("id").unwrap_or("").to_owned();
    let kind = child(node, "type").map(structure).transpose()?.flatten();
    let kind = kind.ok_or_else(|| PnmlError::Colours {
        what: format!("place `{id}` has no type"),
        help: Some("a `type` element says which colours its tokens have".into()),
        at: label(tag(node)),
    })?;
    let sort = declarations.sort(kind)?;
    let marking = child(node, "hlinitialMarking").map(structure).transpose()?;
    let initial = marking.flatten().map(|term| declarations.bag(term, sort));
    Ok(ColouredPlace {
        name: name_of(node, &id),
        id,
        sort,
        initial: initial
            .transpose()?
            .map(without_variables(node))
            .transpose()?,
    })
}

/// Markings are of colours.
fn without_variables(node: Node<'_, '_>) -> impl Fn(Bag) -> Result<Bag, PnmlError> {
    let at = label(tag(node));
    move |bag| {
        let mut variables = Vec::new();
        bag.variables(&mut variables);
        if variables.is_empty() {
            return Ok(bag);
        }
        Err(PnmlError::Colours {
            what: "the initial marking has variables".into(),
            help: None,
            at,
        })
    }
}

fn transition(
    node: Node<'_, '_>,
    declarations: &Declarations,
) -> Result<ColouredTransition, PnmlError> {
    let id = node.attribute("id").unwrap_or("").to_owned();
    let condition = child(node, "condition").map(structure).transpose()?;
    let condition = condition.flatten().map(|term| declarations.condition(term));
    let condition = condition.transpose()?;
    Ok(ColouredTransition {
        name: name_of(node, &id),
        id,
        conditions: condition.map_or_else(Vec::new, terms::Condition::conjuncts),
        inputs: Vec::new(),
        outputs: Vec::new(),
    })
}

fn add_arc(arc: &DrawnArc<'_, '_>, net: &mut ColouredNet) -> Result<(), PnmlError> {
    let sort = net.places[arc.place].sort;
    let inscription = child(arc.node, "hlinscription");
    let term = inscription.map(structure).transpose()?.flatten();
    let term = term.ok_or_else(|| PnmlError::Colours {
        what: "an arc does not say which tokens it moves".into(),
        help: Some("that is what `hlinscription` with its `structure` is for".into()),
        at: label(tag(arc.node)),
    })?;
    let bag = net.declarations.bag(term, sort)?;
    let transition = &mut net.transitions[arc.transition];
    match (&arc.role, arc.takes) {
        (Role::Flow, true) => transition.inputs.push((arc.place, bag)),
        (Role::Flow, false) => transition.outputs.push((arc.place, bag)),
        (Role::Read, _) => {
            transition.inputs.push((arc.place, bag.clone()));
            transition.outputs.push((arc.place, bag));
        }
        (Role::Inhibitor, _) => {
            return Err(PnmlError::Unsupported {
                what: "inhibitor arcs of coloured nets",
                help: "unfold the net first, or express the test by a complement place",
                at: label(tag(arc.node)),
            });
        }
    }
    Ok(())
}

fn unfoldable(drawn: &Drawn<'_, '_>, net: &ColouredNet, wrong: Unfoldable) -> PnmlError {
    let reason = |wrong| match wrong {
        NoBag::Negative => "takes tokens away that are not there",
        NoBag::TooLarge => "has more tokens than can be counted",
    };
    let (what, help, node) = match wrong {
        Unfoldable::Marking(place, wrong) => (
            format!("the initial marking of place `{}` {}", net.places[place].id, reason(wrong)),
            None,
            drawn.places[place],
        ),
        Unfoldable::Arc(transition, binding, wrong) => (
            format!(
                "an arc of transition `{}` {} if {binding}",
                net.transitions[transition].id,
                reason(wrong)
            ),
            None,
            drawn.transitions[transition],
        ),
        Unfoldable::Colours(place) => (
            format!(
                "place `{}` may hold too many colours to be unfolded",
                net.places[place].id
            ),
            Some("give its sort fewer colours".into()),
            drawn.places[place],
        ),
        Unfoldable::Bindings(transition) => (
            format!("transition `{}` has too many bindings to be unfolded", net.transitions[transition].id),
            Some("give its variables fewer colours, or let more of them stand on arcs that lead to it".into()),
            drawn.transitions[transition],
        ),
    };
    PnmlError::Colours {
        what,
        help,
        at: label(tag(node)),
    }
}

/// Whether the type of a net says that its tokens have colours.
pub(crate) fn is_coloured(net: Node<'_, '_>) -> bool {
    let kind = net.attribute("type").unwrap_or("").to_ascii_lowercase();
    let words = [
        "symmetricnet",
        "highlevel",
        "hlpn",
        "hlnet",
        "colored",
        "coloured",
    ];
    let says = words.iter().any(|word| kind.contains(word));
    says && elements(net).next().is_some()
}
