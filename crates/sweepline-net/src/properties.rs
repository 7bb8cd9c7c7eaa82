//! Properties in the XML of the Model Checking Contest, and in the dialect TAPAAL writes.
//!
//! Understood are Boolean combinations of `EF p` and `AG p`, where `p` talks about numbers of tokens, fireable
//! transitions and deadlocks, and upper bounds of places. Other uses of path quantifiers are CTL or LTL; such formulas
//! are set aside.

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

pub use error::{PropertyError, Refusal};
pub use names::{resolve_expression, resolve_names, resolve_predicate};

/// Everything that is wrong with a property file.
pub type PropertyErrors = InputErrors<PropertyError>;

/// The properties of a file.
#[derive(Debug)]
pub struct PropertySet {
    /// Those that can be checked, in the order of the file. Places and transitions are named by their ids.
    pub properties: Vec<Property>,
    /// Those that cannot, each with the reason.
    pub refused: Vec<Refusal>,
    source: SourceText,
}

impl PropertySet {
    /// All properties, if none had to be refused.
    pub fn complete(self) -> Result<Vec<Property>, InputErrors<Refusal>> {
        let mut errors = Collector::new();
        for refusal in self.refused {
            errors.add(|| refusal);
        }
        errors.finish(&self.source, Some(self.properties))
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
            source: source.clone(),
        },
    };
    reader.property_set(document.root_element());
    reader.errors.finish(&source, Some(reader.set))
}

struct Reader<'a, 'i> {
    net: &'a PetriNet,
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
        let mut any = false;
        for property in elements(root).filter(|node| node.tag_name().name() == "property") {
            any = true;
            self.property(property);
        }
        if !any {
            self.errors.add(|| PropertyError::NoProperty { at });
        }
    }

    fn property(&mut self, node: Node<'a, 'i>) {
        let Some(name) = self.id(node) else {
            return;
        };
        match self.body(node, &name) {
            Ok(kind) => self.set.properties.push(Property { name, kind }),
            Err(Stop::Reported) => {}
            Err(Stop::Temporal(operator)) => self.set.refused.push(Refusal {
                property: name,
                operator: operator.tag_name().name().to_owned(),
                source_text: self.set.source.clone(),
                at: label(tag(operator)),
            }),
        }
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
