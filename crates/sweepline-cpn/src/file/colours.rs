//! Colour sets.

use std::ops::Range;

use roxmltree::Node;
use sweepline_net::reading::{quoted, tag};

use super::elements::{children, required, tagged, text};
use super::{Colour, Declaration, Inscription};
use crate::error::CpnError;

/// A colour set.
pub(super) fn declaration(node: Node<'_, '_>) -> Result<Declaration, CpnError> {
    let id = text(required(node, "id")?);
    let name = id.text.trim().to_owned();
    let mut body = None;
    let mut timed = false;
    for part in children(node) {
        match part.tag_name().name() {
            "timed" => timed = true,
            "id" | "layout" | "declare" => {}
            other => body = Some((other, part)),
        }
    }
    let (kind, part) = body.ok_or_else(|| {
        let message = format!("colour set `{}` says not which it is", quoted(&name));
        CpnError::new("cpn::colour_set", message, tag(node))
    })?;
    let colour = colour(kind, part)?;
    let at = id.at;
    Ok(Declaration::Colour {
        name,
        colour,
        timed,
        at,
    })
}

fn colour(kind: &str, part: Node<'_, '_>) -> Result<Colour, CpnError> {
    let with = tagged(part, "with").next();
    let bounds = || with.map(pair).transpose();
    let one = || required(part, "id").map(name);
    Ok(match kind {
        "unit" => Colour::Unit(with.map(named).and_then(|names| names.into_iter().next())),
        "bool" => Colour::Bool(with.map(names_of_truth).transpose()?),
        "int" => Colour::Int(bounds()?),
        "intinf" => Colour::IntInf,
        "real" => Colour::Real,
        "time" => Colour::Time,
        "string" => Colour::String {
            characters: bounds()?,
            lengths: tagged(part, "and").next().map(pair).transpose()?,
        },
        "enum" => Colour::Enum(named(part)),
        "index" => {
            let (low, high) = pair(part)?;
            Colour::Index(one()?, low, high)
        }
        "list" => Colour::List(one()?, bounds()?),
        "product" => Colour::Product(named(part)),
        "record" => Colour::Record(
            tagged(part, "recordfield")
                .map(field)
                .collect::<Result<_, _>>()?,
        ),
        "union" => Colour::Union(
            tagged(part, "unionfield")
                .map(variant)
                .collect::<Result<_, _>>()?,
        ),
        "subset" => match tagged(part, "by").next() {
            Some(by) => Colour::SubsetBy(one()?, text(required(by, "ml")?)),
            None => Colour::SubsetWith(one()?, text(required(required(part, "with")?, "ml")?)),
        },
        "alias" => Colour::Alias(one()?),
        other => {
            let message = format!(
                "`{}` is no kind of colour sets that is known",
                quoted(other)
            );
            let help = "there are unit, bool, int, intinf, real, time, string, enum, index, list, product, record, union, \
                        subset and alias";
            return Err(CpnError::new("cpn::colour_set", message, tag(part)).helped(help));
        }
    })
}

fn name(node: Node<'_, '_>) -> String {
    text(node).text.trim().to_owned()
}

/// Names directly inside.
fn named(node: Node<'_, '_>) -> Vec<String> {
    tagged(node, "id").map(name).collect()
}

/// Two texts, such as the bounds of a range.
fn pair(node: Node<'_, '_>) -> Result<(Inscription, Inscription), CpnError> {
    let mut texts = tagged(node, "ml").map(text);
    match (texts.next(), texts.next()) {
        (Some(low), Some(high)) => Ok((low, high)),
        _ => Err(incomplete(node, "two bounds")),
    }
}

/// `with (no,yes)`.
fn names_of_truth(node: Node<'_, '_>) -> Result<(String, String), CpnError> {
    let mut names = named(node).into_iter();
    match (names.next(), names.next()) {
        (Some(no), Some(yes)) => Ok((no, yes)),
        _ => Err(incomplete(node, "two names")),
    }
}

fn field(node: Node<'_, '_>) -> Result<(String, String), CpnError> {
    let mut names = named(node).into_iter();
    match (names.next(), names.next()) {
        (Some(field), Some(of)) => Ok((field, of)),
        _ => Err(incomplete(node, "a name and a colour set")),
    }
}

fn variant(node: Node<'_, '_>) -> Result<(String, Option<String>), CpnError> {
    let constructor = name(required(node, "id")?);
    let of = tagged(node, "type").next().map(|of| required(of, "id"));
    Ok((constructor, of.transpose()?.map(name)))
}

fn incomplete(node: Node<'_, '_>, what: &str) -> CpnError {
    let element = node.tag_name().name();
    let at: Range<usize> = tag(node);
    CpnError::new("cpn::colour_set", format!("`{element}` needs {what}"), at)
}
