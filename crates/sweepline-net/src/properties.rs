//! Properties in the XML of the Model Checking Contest, and in the dialect TAPAAL writes.
//!
//! Understood are Boolean combinations of `EF p` and `AG p`, where `p` talks about numbers of tokens, fireable
//! transitions and deadlocks, upper bounds of places, and formulas of LTL and CTL. Other uses of path quantifiers are CTL*; such
//! formulas are set aside, and so are formulas that are wrong: the others of the file can be checked all the same.

mod branching;
mod error;
mod formula;
mod names;
mod operator;
mod runs;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use roxmltree::Node;
use sweepline_logic::{Property, PropertyKind};

use crate::diagnostics::{Collector, InputErrors, SourceText, label, quoted};
use crate::net::PetriNet;
use crate::xml::{self, tag, text_of};
use formula::{Stop, read_formula};

pub use error::{IncompleteSet, PropertyError, Refusal, WrongProperty};
pub use names::{
    fold_names, resolve_expression, resolve_names, resolve_predicate, spell_out_fireable,
};

/// Everything that is wrong with a property file.
pub type PropertyErrors = InputErrors<PropertyError>;

/// The properties of a file.
#[derive(Debug)]
pub struct PropertySet {
    /// Those that can be checked, in the order of the file. Places and transitions are named by their ids.
    pub properties: Vec<Property>,
    /// Those that cannot, each with the reason.
    pub refused: Vec<Refusal>,
    /// Those that are wrong.
    pub wrong: Vec<WrongProperty>,
    /// Which place in the file each of the properties has.
    positions: Vec<usize>,
    source: SourceText,
}

/// A property of a file, as far as it could be read.
#[derive(Debug)]
pub enum PropertyEntry {
    /// It can be checked.
    Property(Property),
    /// It is right, but cannot be checked.
    Refused(Refusal),
    /// It is wrong.
    Wrong(WrongProperty),
}

impl PropertyEntry {
    /// The id of the property.
    pub fn name(&self) -> &str {
        match self {
            Self::Property(property) => &property.name,
            Self::Refused(refusal) => &refusal.property,
            Self::Wrong(wrong) => &wrong.name,
        }
    }
}

impl PropertySet {
    /// All properties in the order of the file, whatever became of them.
    pub fn into_entries(self) -> Vec<PropertyEntry> {
        let properties = self.properties.into_iter().map(PropertyEntry::Property);
        let refused = self.refused.into_iter();
        let wrong = self.wrong.into_iter();
        let mut entries: Vec<(usize, PropertyEntry)> = self
            .positions
            .into_iter()
            .zip(properties)
            .chain(refused.map(|refusal| (refusal.position, PropertyEntry::Refused(refusal))))
            .chain(wrong.map(|wrong| (wrong.position, PropertyEntry::Wrong(wrong))))
            .collect();
        entries.sort_by_key(|(position, _)| *position);
        entries.into_iter().map(|(_, entry)| entry).collect()
    }

    /// All properties, if none was wrong and none had to be refused.
    pub fn complete(self) -> Result<Vec<Property>, IncompleteSet> {
        if !self.wrong.is_empty() {
            let wrong = self.wrong.into_iter().map(|wrong| wrong.errors);
            return Err(InputErrors::joined(self.source, wrong).into());
        }
        let mut errors = Collector::new();
        for refusal in self.refused {
            errors.add(|| refusal);
        }
        Ok(errors.finish(&self.source, Some(self.properties))?)
    }
}

/// Reads the properties of a net.
///
/// The name is that of the file, for messages. Places and transitions are looked up by id and, if there is no such id,
/// by name.
///
/// ```
/// use sweepline_logic::{Formula, Pred, PropertyKind};
/// use sweepline_net::{family, read_properties};
///
/// let file = b"<property-set xmlns='http://mcc.lip6.fr/'>
///   <property>
///     <id>stuck</id>
///     <formula><exists-path><finally><deadlock/></finally></exists-path></formula>
///   </property>
/// </property-set>";
/// let set = read_properties("deadlock.xml", file, &family::philosophers(3)).unwrap();
/// assert_eq!(set.properties[0].kind, PropertyKind::Formula(Formula::Reachable(Pred::Deadlock)));
/// ```
pub fn read_properties(
    name: &str,
    bytes: &[u8],
    net: &PetriNet,
) -> Result<PropertySet, PropertyErrors> {
    let (source, decoded) = xml::decode(name, bytes);
    let document = match decoded.and_then(|()| xml::parse(source.text())) {
        Ok(document) => document,
        Err(error) => return Err(InputErrors::one(source.clone(), error.into())),
    };
    let mut reader = Reader {
        net,
        errors: Collector::new(),
        ids: HashMap::new(),
        set: PropertySet {
            properties: Vec::new(),
            refused: Vec::new(),
            wrong: Vec::new(),
            positions: Vec::new(),
            source: source.clone(),
        },
    };
    reader.property_set(document.root_element());
    let set = reader.errors.finish(&source, Some(reader.set))?;
    if set.properties.is_empty() && set.refused.is_empty() {
        // There is nothing else to be told about such a file.
        let wrong = set.wrong.into_iter().map(|wrong| wrong.errors);
        return Err(InputErrors::joined(source, wrong));
    }
    Ok(set)
}

struct Reader<'a, 'i> {
    net: &'a PetriNet,
    /// Errors of the file, and then of the property that is being read.
    errors: Collector<PropertyError>,
    ids: HashMap<String, Node<'a, 'i>>,
    set: PropertySet,
}

impl<'a, 'i> Reader<'a, 'i> {
    fn property_set(&mut self, root: Node<'a, 'i>) {
        let root_name = root.tag_name().name();
        let at = label(tag(root));
        if root_name != "property-set" {
            let found = quoted(root_name);
            return self.errors.add(|| PropertyError::WrongRoot { found, at });
        }
        let properties = elements(root).filter(|node| node.tag_name().name() == "property");
        let mut count = 0;
        for (position, property) in properties.enumerate() {
            count += 1;
            self.property(property, position);
        }
        if count == 0 {
            self.errors.add(|| PropertyError::NoProperty { at });
        }
    }

    fn property(&mut self, node: Node<'a, 'i>, position: usize) {
        let id = self.id(node);
        let read = match &id {
            Some(name) => self.body(node, name),
            None => Err(Stop::Reported),
        };
        let name = id.unwrap_or_else(|| format!("#{}", position + 1));
        match read {
            Ok(kind) => {
                self.set.positions.push(position);
                self.set.properties.push(Property { name, kind });
            }
            Err(Stop::Reported) => {
                let errors = std::mem::replace(&mut self.errors, Collector::new());
                let Err(errors) = errors.finish(&self.set.source, None::<()>) else {
                    unreachable!("an error was reported");
                };
                self.set.wrong.push(WrongProperty {
                    name,
                    errors,
                    position,
                });
            }
            Err(Stop::Temporal(operator)) => {
                // What else may be wrong with it is of no use to anybody who cannot have it checked.
                self.errors = Collector::new();
                self.set.refused.push(Refusal {
                    property: name,
                    text: self.text_inside(node),
                    operator: operator.tag_name().name().to_owned(),
                    position,
                    source_text: self.set.source.clone(),
                    at: label(tag(operator)),
                });
            }
        }
    }

    /// The formula of a property, as it is written.
    fn text_inside(&self, property: Node<'a, 'i>) -> String {
        let inside = child(property, "formula").map(|formula| {
            let parts = formula.children().filter(Node::is_element);
            let parts = parts.filter_map(|part| self.set.source.text().get(part.range()));
            parts.collect::<String>()
        });
        let words: Vec<&str> = inside
            .iter()
            .flat_map(|text| text.split_whitespace())
            .collect();
        words.join(" ").replace("> <", "><")
    }

    fn id(&mut self, node: Node<'a, 'i>) -> Option<String> {
        let Some(element) = child(node, "id") else {
            self.missing(node, "id");
            return None;
        };
        let (id, range) = text_of(element);
        if let Some(first) = self.ids.insert(id.to_string(), element) {
            self.errors.add(|| PropertyError::DuplicateId {
                id: quoted(&id),
                first: label(text_of(first).1),
                at: label(range),
            });
            return None;
        }
        Some(id.into_owned())
    }

    fn body(&mut self, node: Node<'a, 'i>, name: &str) -> Result<PropertyKind, Stop<'a, 'i>> {
        let Some(formula) = child(node, "formula") else {
            self.missing(node, "formula");
            return Err(Stop::Reported);
        };
        read_formula(formula, name, self.net, &mut self.errors)
    }

    fn missing(&mut self, node: Node<'_, '_>, element: &'static str) {
        let at = label(tag(node));
        self.errors.add(|| PropertyError::Missing { element, at });
    }
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|child| child.tag_name().name() == name)
}
