//! From the document to the net that is asked for.

use roxmltree::{Document, Node};
use sweepline_text::did_you_mean;

use super::PnmlError;
use crate::diagnostics::{label, quoted};
use crate::xml::{attribute_range, tag};

/// The net with the given id, or the only one.
pub(super) fn select_net<'a, 'i>(
    document: &'a Document<'i>,
    wanted: Option<&str>,
) -> Result<Node<'a, 'i>, PnmlError> {
    let root = document.root_element();
    check_root(root)?;
    let nets: Vec<_> = elements(root)
        .filter(|node| node.tag_name().name() == "net")
        .collect();
    let net = match (wanted, &*nets) {
        (_, []) => {
            return Err(PnmlError::NoNet {
                at: label(tag(root)),
            });
        }
        (Some(wanted), nets) => net_with_id(nets, wanted)?,
        (None, [net]) => *net,
        (None, [_, second, ..]) => {
            return Err(PnmlError::SeveralNets {
                help: format!("choose one of them: {}", list_ids(&nets)),
                at: label(attribute_range(*second, "id")),
            });
        }
    };
    check_type(net)?;
    Ok(net)
}

fn check_root(root: Node<'_, '_>) -> Result<(), PnmlError> {
    let name = root.tag_name();
    if name.name() != "pnml" {
        return Err(PnmlError::WrongRoot {
            found: quoted(name.name()),
            help: other_document(name.name()).map(str::to_owned),
            at: label(tag(root)),
        });
    }
    match name.namespace() {
        Some(namespace) if !is_pnml(Some(namespace)) => Err(PnmlError::WrongNamespace {
            namespace: quoted(namespace),
            at: label(tag(root)),
        }),
        _ => Ok(()),
    }
}

/// What a file with this root element is.
fn other_document(root: &str) -> Option<&'static str> {
    match root {
        "property-set" => Some("this is a property file; give it together with a net"),
        "workspaceElements" => Some("this is a net of CPN Tools, which is not PNML"),
        "net" => Some("put the `net` element inside a `pnml` element"),
        _ => None,
    }
}

/// Whether elements of this namespace are part of the net. Over the years the grammars had many addresses, at pnml.org,
/// at the university they come from, and at the sites of tools.
pub(crate) fn is_pnml(namespace: Option<&str>) -> bool {
    namespace.is_none_or(|uri| {
        let uri = uri.to_ascii_lowercase();
        ["pnml", "pntd", "petri", "ptnet"]
            .iter()
            .any(|word| uri.contains(word))
    })
}

/// The child elements that are part of the net.
pub(crate) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    let home = node.tag_name().namespace();
    node.children().filter(move |child| {
        let namespace = child.tag_name().namespace();
        child.is_element() && (namespace == home || is_pnml(namespace))
    })
}

/// The first child element with this name.
pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

fn net_with_id<'a, 'i>(nets: &[Node<'a, 'i>], wanted: &str) -> Result<Node<'a, 'i>, PnmlError> {
    let found = nets.iter().find(|net| net.attribute("id") == Some(wanted));
    found.copied().ok_or_else(|| {
        let ids = nets.iter().filter_map(|net| net.attribute("id"));
        PnmlError::UnknownNet {
            wanted: quoted(wanted),
            help: did_you_mean(wanted, ids)
                .unwrap_or_else(|| format!("the file holds {}", list_ids(nets))),
        }
    })
}

fn list_ids(nets: &[Node<'_, '_>]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<_> = nets
        .iter()
        .take(SHOWN)
        .map(|net| format!("`{}`", quoted(net.attribute("id").unwrap_or(""))))
        .collect();
    let rest = if nets.len() > SHOWN { ", …" } else { "" };
    shown.join(", ") + rest
}

/// Refuses nets whose type says that they have time. An unknown type says nothing: tools invent their own.
fn check_type(net: Node<'_, '_>) -> Result<(), PnmlError> {
    let kind = net.attribute("type").unwrap_or("");
    let lower = kind.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let what = format!("its type is `{}`", quoted(kind));
    let at = label(attribute_range(net, "type"));
    if says(&["tapn", "timed", "/tpn", "timenet"]) && !says(&["untimed"]) {
        return Err(PnmlError::Timed { what, at });
    }
    Ok(())
}
