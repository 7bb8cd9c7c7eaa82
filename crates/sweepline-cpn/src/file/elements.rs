//! Places, transitions and arcs.

use std::ops::Range;

use roxmltree::Node;
use sweepline_net::reading::{attribute_range, quoted, tag, text_of};

use super::{Arc, Direction, Inscription, Page, Place, Substitution, Transition};
use crate::error::CpnError;

/// The elements in an element.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The elements of this name in an element.
pub(super) fn tagged<'a, 'i: 'a>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    children(node).filter(move |child| child.tag_name().name() == name)
}

/// The first element of this name, which must be there.
pub(super) fn required<'a, 'i>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> Result<Node<'a, 'i>, CpnError> {
    let found = children(node).find(|child| child.tag_name().name() == name);
    found.ok_or_else(|| {
        let element = node.tag_name().name();
        let message = format!("`{element}` has no `{name}`");
        CpnError::new("cpn::missing_element", message, tag(node))
    })
}

/// An attribute that must be there.
pub(super) fn attribute(node: Node<'_, '_>, name: &str) -> Result<String, CpnError> {
    let found = node.attribute(name).map(|value| value.trim().to_owned());
    found.ok_or_else(|| {
        let element = node.tag_name().name();
        let message = format!("`{element}` has no attribute `{name}`");
        CpnError::new("cpn::missing_attribute", message, tag(node))
    })
}

/// The text in an element, without that of elements within it.
pub(super) fn text(node: Node<'_, '_>) -> Inscription {
    let (text, at) = text_of(node);
    Inscription {
        text: text.into_owned(),
        at,
    }
}

/// The text of the `text` element in an element of this name; nothing if there is none.
fn inscription(node: Node<'_, '_>, name: &'static str) -> Inscription {
    let inner = tagged(node, name).flat_map(|inner| tagged(inner, "text"));
    inner.map(text).next().unwrap_or_else(|| Inscription {
        text: String::new(),
        at: tag(node),
    })
}

/// Names may be drawn in several lines.
pub(super) fn name_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join("_")
}

fn shown_name(node: Node<'_, '_>, id: &str) -> String {
    let text = tagged(node, "text").map(text).next();
    let name = text.map(|text| name_of(&text.text)).unwrap_or_default();
    if name.is_empty() { id.to_owned() } else { name }
}

fn position(node: Node<'_, '_>) -> Option<(f64, f64)> {
    let position = tagged(node, "posattr").next()?;
    let number = |name| position.attribute(name)?.trim().parse().ok();
    Some((number("x")?, number("y")?))
}

/// A page and what is on it.
pub(super) fn page(node: Node<'_, '_>) -> Result<Page, CpnError> {
    let id = attribute(node, "id")?;
    let name = tagged(node, "pageattr").find_map(|attributes| attributes.attribute("name"));
    let mut page = Page {
        name: name
            .map(name_of)
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| id.clone()),
        id,
        at: tag(node),
        ..Page::default()
    };
    for child in children(node) {
        match child.tag_name().name() {
            "place" => page.places.push(place(child)?),
            "trans" => page.transitions.push(transition(child)?),
            "arc" => page.arcs.push(arc(child)?),
            "Aux" => page.texts.extend(tagged(child, "text").map(text)),
            _ => {} // guide lines, groups, pictures of state spaces
        }
    }
    page.texts.retain(|text| !text.is_empty());
    Ok(page)
}

fn place(node: Node<'_, '_>) -> Result<Place, CpnError> {
    let id = attribute(node, "id")?;
    Ok(Place {
        name: shown_name(node, &id),
        id,
        at: tag(node),
        colour: inscription(node, "type"),
        initial: inscription(node, "initmark"),
        is_port: tagged(node, "port").next().is_some(),
        position: position(node),
    })
}

fn transition(node: Node<'_, '_>) -> Result<Transition, CpnError> {
    let id = attribute(node, "id")?;
    let channel = inscription(node, "channel");
    if !channel.is_empty() {
        let message = "channels between transitions are not known";
        return Err(CpnError::new("cpn::channel", message, channel.at)
            .helped("write what happens together as one transition"));
    }
    let substitution = tagged(node, "subst").next().map(substitution).transpose()?;
    Ok(Transition {
        name: shown_name(node, &id),
        id,
        at: tag(node),
        guard: inscription(node, "cond"),
        time: inscription(node, "time"),
        code: inscription(node, "code"),
        priority: inscription(node, "priority"),
        substitution,
        position: position(node),
    })
}

/// `portsock="(port,socket)(port,socket)"`.
fn substitution(node: Node<'_, '_>) -> Result<Substitution, CpnError> {
    let at = attribute_range(node, "portsock");
    let ports = node.attribute("portsock").unwrap_or("");
    let mut pairs = Vec::new();
    for pair in ports
        .split(')')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
    {
        let inner = pair.strip_prefix('(').and_then(|pair| pair.split_once(','));
        let Some((port, socket)) = inner else {
            return Err(wrong_pair(pair, at));
        };
        pairs.push((port.trim().to_owned(), socket.trim().to_owned()));
    }
    Ok(Substitution {
        page: attribute(node, "subpage")?,
        ports: pairs,
        at,
    })
}

fn wrong_pair(pair: &str, at: Range<usize>) -> CpnError {
    let message = format!("`{}` is no pair of port and socket", quoted(pair));
    CpnError::new("cpn::ports", message, at).helped("write (PORT,SOCKET) for each port")
}

fn arc(node: Node<'_, '_>) -> Result<Arc, CpnError> {
    let place = attribute(required(node, "placeend")?, "idref")?;
    let transition = attribute(required(node, "transend")?, "idref")?;
    Ok(Arc {
        place,
        transition,
        direction: direction(node)?,
        expression: inscription(node, "annot"),
        at: tag(node),
    })
}

fn direction(node: Node<'_, '_>) -> Result<Direction, CpnError> {
    let orientation = attribute(node, "orientation")?;
    // CPN Tools 4 writes `orientation="Inhibitor"` and `orientation="Reset"`; so do converters of its files expect them. Where others
    // put the kind into an attribute of its own, it is read there.
    let kinds = [node.attribute("type").unwrap_or(""), &*orientation];
    let is = |kind: &str| {
        kinds
            .iter()
            .any(|word| word.trim().eq_ignore_ascii_case(kind))
    };
    match (&*orientation, is("inhibitor"), is("reset")) {
        (_, true, _) => Ok(Direction::Inhibitor),
        (_, _, true) => Ok(Direction::Reset),
        ("PtoT", ..) => Ok(Direction::ToTransition),
        ("TtoP", ..) => Ok(Direction::ToPlace),
        ("BOTHDIR", ..) => Ok(Direction::Both),
        (other, ..) => {
            let message = format!("an arc cannot be directed `{}`", quoted(other));
            let at = attribute_range(node, "orientation");
            let help = "PtoT leads to the transition, TtoP to the place, BOTHDIR both ways";
            Err(CpnError::new("cpn::orientation", message, at).helped(help))
        }
    }
}
