//! From XML to what a file says.

use std::ops::Range;

use roxmltree::Node;
use sweepline_net::reading::{attribute_range, decode, parse, quoted, tag};
use sweepline_net::{InputErrors, SourceText};
use sweepline_text::nearest;

use super::elements::{children, required, tagged};
use super::{Declaration, Document, Fusion, Inscription, Page, colours, elements};
use crate::error::{CpnError, CpnErrors};

/// Formats of CPN Tools whose files look like this.
const FORMATS: [&str; 3] = ["4", "5", "6"];

/// Reads a file, whatever is wrong with the net in it.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<(SourceText, Document), CpnErrors> {
    let (source, decoded) = decode(name, bytes);
    let read = decoded
        .map_err(CpnError::from)
        .and_then(|()| document(source.text()));
    match read {
        Ok(document) => Ok((source, document)),
        Err(error) => Err(InputErrors::one(source, error)),
    }
}

fn document(text: &str) -> Result<Document, CpnError> {
    let tree = parse(text)?;
    let root = tree.root_element();
    if !matches!(root.tag_name().name(), "workspaceElements" | "cpnet") {
        return Err(wrong_root(root));
    }
    check_format(root)?;
    let net = if root.tag_name().name() == "cpnet" {
        root
    } else {
        required(root, "cpnet")?
    };
    let mut document = Document::default();
    for globbox in tagged(net, "globbox") {
        declarations(globbox, &mut document.declarations)?;
    }
    for page in tagged(net, "page") {
        document.pages.push(elements::page(page)?);
    }
    for fusion in tagged(net, "fusion") {
        let members = tagged(fusion, "fusion_elm");
        let places = members.map(|member| reference(member, "idref"));
        let places = places.collect::<Result<_, _>>()?;
        document.fusions.push(Fusion { places });
    }
    for instance in tagged(net, "instances").flat_map(|all| tagged(all, "instance")) {
        document.tops.push(reference(instance, "page")?);
    }
    let monitors = tagged(net, "monitorblock").map(count_monitors);
    document.monitors = monitors.sum();
    check_ids(&document.pages)?;
    Ok(document)
}

fn wrong_root(root: Node<'_, '_>) -> CpnError {
    let found = root.tag_name().name();
    let help = match found {
        "pnml" => "this is PNML: read it with --input-format pnml",
        _ => "a model of CPN Tools is a `workspaceElements` element with a `cpnet` in it",
    };
    let message = format!("this is no model of CPN Tools: its root element is `{found}`");
    CpnError::new("cpn::wrong_root", message, tag(root)).helped(help)
}

/// Files say which version of the format they have. Those that do not are read all the same.
fn check_format(root: Node<'_, '_>) -> Result<(), CpnError> {
    let Some(generator) = tagged(root, "generator").next() else {
        return Ok(());
    };
    match generator.attribute("format") {
        Some(format) if !FORMATS.contains(&format.trim()) => {
            let message = format!(
                "format `{}` of CPN Tools files is not known",
                quoted(format)
            );
            let at = attribute_range(generator, "format");
            Err(CpnError::new("cpn::format", message, at)
                .labelled("not known")
                .helped("formats 4 to 6 are; save the model with CPN Tools 2 to 4"))
        }
        _ => Ok(()),
    }
}

/// The element that an attribute names, and where it does.
fn reference(node: Node<'_, '_>, name: &str) -> Result<(String, Range<usize>), CpnError> {
    let id = elements::attribute(node, name)?;
    Ok((id, attribute_range(node, name)))
}

fn count_monitors(block: Node<'_, '_>) -> usize {
    let inner = tagged(block, "monitorblock").map(count_monitors);
    tagged(block, "monitor").count() + inner.sum::<usize>()
}

/// Declarations may lie in blocks within blocks.
fn declarations(block: Node<'_, '_>, out: &mut Vec<Declaration>) -> Result<(), CpnError> {
    for node in children(block) {
        match node.tag_name().name() {
            "block" => declarations(node, out)?,
            "color" => out.push(colours::declaration(node)?),
            "var" => out.push(variables(node)?),
            "ml" => out.push(Declaration::Text(elements::text(node))),
            "globref" => out.push(reference_declaration(node)?),
            "use" => out.push(use_declaration(node)),
            "id" | "layout" | "pragma" | "urlref" => {}
            other => return Err(unknown_declaration(node, other)),
        }
    }
    Ok(())
}

fn unknown_declaration(node: Node<'_, '_>, found: &str) -> CpnError {
    const KNOWN: [&str; 6] = ["block", "color", "var", "ml", "globref", "use"];
    let message = format!("`{}` is no declaration that is known", quoted(found));
    let help = match nearest(found, KNOWN) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "there are `color`, `var`, `ml`, `globref`, `use` and `block`".to_owned(),
    };
    CpnError::new("cpn::declaration", message, tag(node)).helped(help)
}

fn variables(node: Node<'_, '_>) -> Result<Declaration, CpnError> {
    let colour = required(required(node, "type")?, "id")?;
    let names = tagged(node, "id").map(|name| elements::text(name).text.trim().to_owned());
    Ok(Declaration::Variables {
        names: names.collect(),
        colour: elements::text(colour).text.trim().to_owned(),
        at: tag(node),
    })
}

/// `globref x = 3` declares a reference.
fn reference_declaration(node: Node<'_, '_>) -> Result<Declaration, CpnError> {
    let name = elements::text(required(node, "id")?).text.trim().to_owned();
    let value = elements::text(required(node, "ml")?);
    Ok(Declaration::Reference { name, value })
}

/// `use "file"` is never executed; the language says so where it is read.
fn use_declaration(node: Node<'_, '_>) -> Declaration {
    let inner = tagged(node, "ml").next().unwrap_or(node);
    let Inscription { text, at } = elements::text(inner);
    let text = format!("use {text}");
    Declaration::Text(Inscription { text, at })
}

/// No two elements of pages have the same id.
fn check_ids(pages: &[Page]) -> Result<(), CpnError> {
    let mut seen = std::collections::HashSet::new();
    for page in pages {
        let places = page.places.iter().map(|place| (&place.id, &place.at));
        let transitions = page.transitions.iter();
        let transitions = transitions.map(|transition| (&transition.id, &transition.at));
        for (id, at) in places.chain(transitions).chain([(&page.id, &page.at)]) {
            if !seen.insert(id) {
                let message = format!("there are two elements with the id `{}`", quoted(id));
                return Err(CpnError::new("cpn::same_id", message, at.clone()).labelled("again"));
            }
        }
    }
    Ok(())
}
