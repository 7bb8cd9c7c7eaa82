//! Places, transitions and references, gathered from all pages.

use std::collections::HashMap;

use roxmltree::Node;
use sweepline_text::did_you_mean;

use super::PnmlError;
use super::arcs::{Ends, draw_arc, read_arc};
use super::document::{child, elements};
use super::number::{annotation_text, read_count};
use crate::diagnostics::{Collector, label, quoted};
use crate::net::{NetBuilder, PetriNet, PlaceId, TransitionId};
use crate::symmetric::{self, Drawn};
use crate::xml::{attribute_range, tag};

/// Reads the net, as far as possible; the result is complete if no error was added.
pub(super) fn read_net(net: Node<'_, '_>, errors: &mut Collector<PnmlError>) -> Option<PetriNet> {
    let mut reader = Reader::new(net.attribute("id").unwrap_or(""), errors);
    reader.coloured = symmetric::is_coloured(net);
    reader.walk_pages(net);
    reader.check_timing();
    let ends = reader.resolve_references();
    let Reader {
        mut builder,
        errors,
        arcs,
        coloured,
        places,
        transitions,
        ..
    } = reader;
    if coloured {
        let arcs = arcs.into_iter();
        let drawn = Drawn {
            net,
            places,
            transitions,
            arcs: arcs
                .filter_map(|arc| draw_arc(arc, &ends, errors))
                .collect(),
        };
        builder = symmetric::read(&drawn, errors)?;
    } else {
        for arc in arcs {
            read_arc(arc, &ends, &mut builder, errors);
        }
    }
    let at = label(tag(net));
    builder
        .build()
        .map_err(|error| errors.add(|| PnmlError::Net { error, at }))
        .ok()
}

struct Reader<'a, 'i, 'e> {
    errors: &'e mut Collector<PnmlError>,
    builder: NetBuilder,
    ids: HashMap<&'a str, (Known, Node<'a, 'i>)>,
    references: Vec<Reference<'a, 'i>>,
    arcs: Vec<Node<'a, 'i>>,
    stochastic: Stochastic<'a, 'i>,
    /// Whether tokens have colours. Then the nodes are wanted again.
    coloured: bool,
    places: Vec<Node<'a, 'i>>,
    transitions: Vec<Node<'a, 'i>>,
}

/// What an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Node(End),
    /// Index into the references.
    Reference(usize),
    /// A node that could not be read; an error says so.
    Broken,
}

/// Where an arc can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Place(PlaceId),
    Transition(TransitionId),
}

impl End {
    fn kind(self) -> &'static str {
        match self {
            Self::Place(_) => "place",
            Self::Transition(_) => "transition",
        }
    }
}

/// A reference place or reference transition.
struct Reference<'a, 'i> {
    kind: &'static str,
    id: &'a str,
    to: &'a str,
    node: Node<'a, 'i>,
}

/// How far a reference has been followed.
#[derive(Clone, Copy)]
enum Resolved {
    NotYet,
    OnTheWay,
    /// To a node, or to nothing if an error says so.
    Done(Option<End>),
}

impl Resolved {
    fn end(self) -> Option<End> {
        match self {
            Self::Done(end) => end,
            Self::NotYet | Self::OnTheWay => None,
        }
    }
}

/// What transitions of stochastic nets say about time.
#[derive(Default)]
struct Stochastic<'a, 'i> {
    timed: Option<Node<'a, 'i>>,
    immediate: Option<Node<'a, 'i>>,
    priority: Option<String>,
}

impl<'a, 'i, 'e> Reader<'a, 'i, 'e> {
    fn new(id: &str, errors: &'e mut Collector<PnmlError>) -> Self {
        Self {
            errors,
            builder: PetriNet::builder(id),
            ids: HashMap::new(),
            references: Vec::new(),
            arcs: Vec::new(),
            stochastic: Stochastic::default(),
            coloured: false,
            places: Vec::new(),
            transitions: Vec::new(),
        }
    }

    /// Visits the net and its pages in the order of the file.
    fn walk_pages(&mut self, net: Node<'a, 'i>) {
        let mut open: Vec<Box<dyn Iterator<Item = Node<'a, 'i>> + 'a>> =
            vec![Box::new(elements(net))];
        while let Some(children) = open.last_mut() {
            match children.next() {
                None => drop(open.pop()),
                Some(node) if node.tag_name().name() == "page" => {
                    open.push(Box::new(elements(node)));
                }
                Some(node) => self.element(node),
            }
        }
    }

    fn element(&mut self, node: Node<'a, 'i>) {
        let result = match node.tag_name().name() {
            "place" => self.place(node),
            "transition" => self.transition(node),
            "referencePlace" => self.reference(node, "place"),
            "referenceTransition" => self.reference(node, "transition"),
            "arc" => {
                self.arcs.push(node);
                Ok(())
            }
            "declaration" if !self.coloured && child(node, "structure").is_some() => {
                Err(PnmlError::HighLevel {
                    what: "it declares colours".into(),
                    at: label(tag(node)),
                })
            }
            name @ ("inputArc" | "outputArc" | "transportArc" | "inhibitorArc") => {
                Err(PnmlError::Timed {
                    what: format!("it has arcs called `{name}`"),
                    at: label(tag(node)),
                })
            }
            _ => Ok(()),
        };
        if let Err(error) = result {
            self.errors.add(|| error);
        }
    }

    fn place(&mut self, node: Node<'a, 'i>) -> Result<(), PnmlError> {
        let id = self.declare(node)?;
        check_place(node, self.coloured)?;
        let what = || format!("the initial marking of place `{}`", quoted(id));
        let initial = match child(node, "initialMarking") {
            Some(marking) => read_count(marking, &what())?.unwrap_or(0),
            None => 0,
        };
        let place = self.builder.place_named(id, name_of(node, id), initial);
        self.places.push(node);
        self.ids.insert(id, (Known::Node(End::Place(place)), node));
        Ok(())
    }

    fn transition(&mut self, node: Node<'a, 'i>) -> Result<(), PnmlError> {
        let id = self.declare(node)?;
        self.check_transition(node)?;
        let transition = self.builder.transition_named(id, name_of(node, id));
        self.transitions.push(node);
        self.ids
            .insert(id, (Known::Node(End::Transition(transition)), node));
        Ok(())
    }

    fn reference(&mut self, node: Node<'a, 'i>, kind: &'static str) -> Result<(), PnmlError> {
        let id = self.declare(node)?;
        let to = required(node, "ref")?;
        self.ids
            .insert(id, (Known::Reference(self.references.len()), node));
        self.references.push(Reference { kind, id, to, node });
        Ok(())
    }

    /// Takes the id of a node. Until the rest of the node is read, the id counts as broken.
    fn declare(&mut self, node: Node<'a, 'i>) -> Result<&'a str, PnmlError> {
        let id = required(node, "id")?;
        if let Some((_, first)) = self.ids.get(id) {
            return Err(PnmlError::DuplicateId {
                id: quoted(id),
                first: label(attribute_range(*first, "id")),
                at: label(attribute_range(node, "id")),
            });
        }
        self.ids.insert(id, (Known::Broken, node));
        Ok(id)
    }

    fn check_transition(&mut self, node: Node<'a, 'i>) -> Result<(), PnmlError> {
        for part in elements(node) {
            match part.tag_name().name() {
                "condition" if !self.coloured => {
                    return Err(PnmlError::HighLevel {
                        what: "it has transitions with `condition`".into(),
                        at: label(tag(part)),
                    });
                }
                "delay" | "interval" | "timing" => {
                    return Err(PnmlError::Timed {
                        what: format!("it has transitions with `{}`", part.tag_name().name()),
                        at: label(tag(part)),
                    });
                }
                "timed" => self.note_timed(part),
                "priority" => self.check_priority(part)?,
                _ => {}
            }
        }
        match node.attribute("urgent") {
            Some("true") => Err(PnmlError::Timed {
                what: "it has urgent transitions".into(),
                at: label(attribute_range(node, "urgent")),
            }),
            _ => Ok(()),
        }
    }

    fn note_timed(&mut self, part: Node<'a, 'i>) {
        let is_timed = annotation_text(part).0 == "true";
        let seen = if is_timed {
            &mut self.stochastic.timed
        } else {
            &mut self.stochastic.immediate
        };
        seen.get_or_insert(part);
    }

    fn check_priority(&mut self, part: Node<'a, 'i>) -> Result<(), PnmlError> {
        let (priority, range) = annotation_text(part);
        let first = self
            .stochastic
            .priority
            .get_or_insert_with(|| priority.to_string());
        if *first == priority {
            return Ok(());
        }
        Err(PnmlError::Unsupported {
            what: "transitions of different priority",
            help: "give all transitions the same priority",
            at: label(range),
        })
    }

    /// In stochastic nets immediate transitions fire before timed ones. As long as all are of one kind, this has no
    /// influence on what can be reached.
    fn check_timing(&mut self) {
        if let (Some(timed), Some(_)) = (self.stochastic.timed, self.stochastic.immediate) {
            self.errors.add(|| PnmlError::Timed {
                what: "some transitions are timed and some immediate".into(),
                at: label(tag(timed)),
            });
        }
    }

    /// Follows all references; afterwards every id leads to a node or is broken.
    fn resolve_references(&mut self) -> Ends<'a> {
        let mut resolved = vec![Resolved::NotYet; self.references.len()];
        for start in 0..self.references.len() {
            self.follow(start, &mut resolved);
        }
        let ends = self.ids.iter().map(|(id, (known, _))| {
            let end = match known {
                Known::Node(end) => Some(*end),
                Known::Reference(index) => resolved[*index].end(),
                Known::Broken => None,
            };
            (*id, end)
        });
        Ends(ends.collect())
    }

    /// Resolves a reference and all others on the way.
    fn follow(&mut self, start: usize, resolved: &mut [Resolved]) {
        let mut way = Vec::new();
        let mut next = start;
        let end = loop {
            match resolved[next] {
                Resolved::NotYet => resolved[next] = Resolved::OnTheWay,
                Resolved::OnTheWay => {
                    self.report_cycle(next);
                    break None;
                }
                Resolved::Done(end) => break end,
            }
            way.push(next);
            match self.ids.get(self.references[next].to) {
                Some((Known::Node(end), _)) => break Some(*end),
                Some((Known::Reference(index), _)) => next = *index,
                Some((Known::Broken, _)) => break None,
                None => {
                    self.report_unknown(next);
                    break None;
                }
            }
        };
        for index in way {
            resolved[index] = Resolved::Done(self.of_right_kind(index, end));
        }
    }

    /// The end, if the reference may lead there.
    fn of_right_kind(&mut self, index: usize, end: Option<End>) -> Option<End> {
        let reference = &self.references[index];
        let end = end?;
        if end.kind() == reference.kind {
            return Some(end);
        }
        self.errors.add(|| PnmlError::WrongReference {
            expected: reference.kind,
            found: end.kind(),
            id: quoted(reference.to),
            at: label(attribute_range(reference.node, "ref")),
        });
        None
    }

    fn report_cycle(&mut self, index: usize) {
        let reference = &self.references[index];
        self.errors.add(|| PnmlError::ReferenceCycle {
            id: quoted(reference.id),
            at: label(attribute_range(reference.node, "ref")),
        });
    }

    fn report_unknown(&mut self, index: usize) {
        let reference = &self.references[index];
        let ids = &self.ids;
        self.errors.add(|| PnmlError::UnknownNode {
            from: format!("reference `{}`", quoted(reference.id)),
            what: "target",
            id: quoted(reference.to),
            help: suggestion(reference.to, ids.keys().copied()),
            at: label(attribute_range(reference.node, "ref")),
        });
    }
}

/// Refuses places of other kinds of nets.
fn check_place(node: Node<'_, '_>, coloured: bool) -> Result<(), PnmlError> {
    for part in elements(node) {
        match part.tag_name().name() {
            name @ ("hlinitialMarking" | "type") if !coloured => {
                return Err(PnmlError::HighLevel {
                    what: format!("it has places with `{name}`"),
                    at: label(tag(part)),
                });
            }
            "capacity" if read_count(part, "a capacity")?.unwrap_or(0) > 0 => {
                return Err(PnmlError::Unsupported {
                    what: "places of limited capacity",
                    help: "add a complement place that holds the free capacity",
                    at: label(tag(part)),
                });
            }
            _ => {}
        }
    }
    if node.has_attribute("invariant") {
        return Err(PnmlError::Timed {
            what: "it has places with `invariant`".into(),
            at: label(attribute_range(node, "invariant")),
        });
    }
    Ok(())
}

/// What people call a node.
pub(crate) fn name_of(node: Node<'_, '_>, id: &str) -> String {
    let name = child(node, "name")
        .map(|name| annotation_text(name).0)
        .unwrap_or_default();
    if name.is_empty() {
        id.to_owned()
    } else {
        name.into_owned()
    }
}

/// The value of an attribute that must be there.
pub(crate) fn required<'a>(
    node: Node<'a, '_>,
    attribute: &'static str,
) -> Result<&'a str, PnmlError> {
    node.attribute(attribute)
        .ok_or_else(|| PnmlError::MissingAttribute {
            element: node.tag_name().name().to_owned(),
            attribute,
            at: label(tag(node)),
        })
}

/// A proposal for an id that does not exist.
pub(super) fn suggestion<'a>(wanted: &str, ids: impl Iterator<Item = &'a str>) -> Option<String> {
    // Sorted, because hash maps have no order and messages must be reproducible.
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    did_you_mean(wanted, ids)
}
