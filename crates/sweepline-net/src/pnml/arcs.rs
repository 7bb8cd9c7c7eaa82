//! Arcs.

use std::collections::HashMap;

use roxmltree::Node;

use super::PnmlError;
use super::document::{child, elements};
use super::nodes::{End, required, suggestion};
use super::number::{annotation_text, read_count};
use crate::diagnostics::{Collector, label, quoted};
use crate::net::{NetBuilder, PlaceId, TransitionId};
use crate::symmetric::DrawnArc;
use crate::xml::{attribute_range, tag};

/// Where each id leads; to nothing if an error was reported for it.
pub(super) struct Ends<'a>(pub(super) HashMap<&'a str, Option<End>>);

/// Adds an arc to the net, or an error to the others.
pub(super) fn read_arc(
    node: Node<'_, '_>,
    ends: &Ends<'_>,
    builder: &mut NetBuilder,
    errors: &mut Collector<PnmlError>,
) {
    if let Err(error) = add_arc(node, ends, builder) {
        report(error, node, ends, errors);
    }
}

fn report(error: ArcError, node: Node<'_, '_>, ends: &Ends<'_>, errors: &mut Collector<PnmlError>) {
    match error {
        ArcError::Reported => {}
        ArcError::Here(error) => errors.add(|| *error),
        ArcError::UnknownEnd(attribute) => errors.add(|| unknown_end(node, attribute, ends)),
    }
}

/// Why an arc cannot be used.
enum ArcError {
    /// For its own sake.
    Here(Box<PnmlError>),
    /// This attribute leads nowhere.
    UnknownEnd(&'static str),
    /// It leads to a node that could not be used, which was reported already.
    Reported,
}

impl From<PnmlError> for ArcError {
    fn from(error: PnmlError) -> Self {
        Self::Here(Box::new(error))
    }
}

/// An arc of a coloured net, or an error to the others.
pub(super) fn draw_arc<'a, 'i>(
    node: Node<'a, 'i>,
    ends: &Ends<'_>,
    errors: &mut Collector<PnmlError>,
) -> Option<DrawnArc<'a, 'i>> {
    let drawn = connected(node, ends).map(|(role, place, transition, takes)| DrawnArc {
        node,
        place: place.index(),
        transition: transition.index(),
        role,
        takes,
    });
    match drawn {
        Ok(drawn) => Some(drawn),
        Err(error) => {
            report(error, node, ends, errors);
            None
        }
    }
}

fn add_arc(node: Node<'_, '_>, ends: &Ends<'_>, builder: &mut NetBuilder) -> Result<(), ArcError> {
    let (role, place, transition, takes) = connected(node, ends)?;
    let weight = weight(node)?;
    if takes {
        add_to_transition(builder, &role, transition, place, weight);
    } else {
        builder.output(transition, place, weight);
    }
    Ok(())
}

/// What an arc does, its place and its transition, and whether it leads to the transition.
fn connected(
    node: Node<'_, '_>,
    ends: &Ends<'_>,
) -> Result<(Role, PlaceId, TransitionId, bool), ArcError> {
    let role = role(node)?;
    let source = end(node, "source", ends)?;
    let target = end(node, "target", ends)?;
    match (source, target) {
        (End::Place(place), End::Transition(transition)) => Ok((role, place, transition, true)),
        (End::Transition(transition), End::Place(place)) if role == Role::Flow => {
            Ok((role, place, transition, false))
        }
        (End::Transition(_), End::Place(_)) => Err(PnmlError::WrongWay {
            arc: called(node),
            at: label(attribute_range(node, "source")),
        }
        .into()),
        (End::Place(_), End::Place(_)) => Err(same_kind(node, "places").into()),
        (End::Transition(_), End::Transition(_)) => Err(same_kind(node, "transitions").into()),
    }
}

/// What an arc from a place does.
#[derive(PartialEq, Eq)]
pub(crate) enum Role {
    Flow,
    Inhibitor,
    Read,
}

fn add_to_transition(
    builder: &mut NetBuilder,
    role: &Role,
    transition: TransitionId,
    place: PlaceId,
    weight: u64,
) {
    match role {
        Role::Flow => builder.input(transition, place, weight),
        Role::Inhibitor => builder.inhibitor(transition, place, weight),
        Role::Read => builder.read(transition, place, weight),
    };
}

/// The role is written as an attribute, as the attribute of a child, or as the text of a child.
fn role(node: Node<'_, '_>) -> Result<Role, PnmlError> {
    let kind = child(node, "type").or_else(|| child(node, "arctype"));
    let (found, range) = match (node.attribute("type"), kind) {
        (Some(found), _) => (found.into(), attribute_range(node, "type")),
        (None, Some(kind)) => match kind.attribute("value") {
            Some(found) => (found.into(), attribute_range(kind, "value")),
            None => annotation_text(kind),
        },
        (None, None) => return Ok(Role::Flow),
    };
    match &*found.to_ascii_lowercase() {
        "" | "normal" => Ok(Role::Flow),
        "inhibitor" => Ok(Role::Inhibitor),
        "read" | "test" => Ok(Role::Read),
        "timed" | "transport" | "tapninhibitor" => Err(PnmlError::Timed {
            what: format!("it has arcs of type `{}`", quoted(&found)),
            at: label(range),
        }),
        _ => Err(PnmlError::ArcType {
            found: quoted(&found),
            at: label(range),
        }),
    }
}

fn end(node: Node<'_, '_>, attribute: &'static str, ends: &Ends<'_>) -> Result<End, ArcError> {
    match ends.0.get(required(node, attribute)?) {
        Some(Some(end)) => Ok(*end),
        Some(None) => Err(ArcError::Reported),
        None => Err(ArcError::UnknownEnd(attribute)),
    }
}

fn weight(node: Node<'_, '_>) -> Result<u64, PnmlError> {
    let what = || format!("the weight of {}", called(node));
    for part in elements(node) {
        match part.tag_name().name() {
            "hlinscription" => {
                return Err(PnmlError::HighLevel {
                    what: "it has arcs with `hlinscription`".into(),
                    at: label(tag(part)),
                });
            }
            "inscription" => {
                let weight = read_count(part, &what())?.unwrap_or(1);
                if weight > 0 {
                    return Ok(weight);
                }
                let at = label(annotation_text(part).1);
                return Err(PnmlError::ZeroWeight { what: what(), at });
            }
            _ => {}
        }
    }
    Ok(1)
}

fn unknown_end(node: Node<'_, '_>, attribute: &'static str, ends: &Ends<'_>) -> PnmlError {
    let id = node.attribute(attribute).unwrap_or("");
    PnmlError::UnknownNode {
        from: called(node),
        what: attribute,
        id: quoted(id),
        help: suggestion(id, ends.0.keys().copied()),
        at: label(attribute_range(node, attribute)),
    }
}

fn same_kind(node: Node<'_, '_>, nodes: &'static str) -> PnmlError {
    let id_at = |attribute| quoted(node.attribute(attribute).unwrap_or(""));
    PnmlError::SameKind {
        arc: called(node),
        nodes,
        at: label(tag(node)),
        source_id: id_at("source"),
        target_id: id_at("target"),
    }
}

/// How messages call an arc; not every tool gives ids to arcs.
fn called(node: Node<'_, '_>) -> String {
    match node.attribute("id") {
        Some(id) => format!("arc `{}`", quoted(id)),
        None => "an arc".to_owned(),
    }
}
