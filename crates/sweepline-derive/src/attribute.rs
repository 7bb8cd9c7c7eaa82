//! The attribute `#[encode(…)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, ExprLit, ExprUnary, Lit, LitInt, Path, RangeLimits, Result, UnOp,
};

/// Which integers a field may hold, if not all those of its type.
pub(crate) enum Bound {
    /// `range = 0..=400`, as the least and the greatest value.
    Range(TokenStream, TokenStream),
    /// `bits = 9`.
    Bits(LitInt),
}

/// Reads the attributes of a field.
pub(crate) fn of_field(attributes: &[Attribute]) -> Result<Option<Bound>> {
    let mut bound = None;
    for_each_entry(attributes, |meta| {
        let found = if meta.path.is_ident("range") {
            range(&meta.value()?.parse()?)?
        } else if meta.path.is_ident("bits") {
            bits(meta.value()?.parse()?)?
        } else {
            return Err(meta.error("expected `range = …` or `bits = …`"));
        };
        match bound.replace(found) {
            None => Ok(()),
            Some(_) => Err(meta.error("a field has one `range` or one `bits`")),
        }
    })?;
    Ok(bound)
}

/// Reads the attributes of the type: where to find the crate with the trait.
pub(crate) fn of_item(attributes: &[Attribute]) -> Result<Option<Path>> {
    let mut root = None;
    for_each_entry(attributes, |meta| {
        if !meta.path.is_ident("crate") {
            return Err(meta.error("expected `crate = …`; `range` and `bits` belong to a field"));
        }
        root = Some(meta.value()?.parse()?);
        Ok(())
    })?;
    Ok(root)
}

/// Variants have no attributes.
pub(crate) fn of_variant(attributes: &[Attribute]) -> Result<()> {
    for_each_entry(attributes, |meta| {
        Err(meta.error("a variant has no attributes; `range` and `bits` belong to its fields"))
    })
}

fn for_each_entry(
    attributes: &[Attribute],
    mut entry: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("encode"))
        .try_for_each(|attribute| attribute.parse_nested_meta(&mut entry))
}

fn range(range: &Expr) -> Result<Bound> {
    let Expr::Range(bounds) = range else {
        return Err(Error::new(
            range.span(),
            "expected a range such as `0..=400`",
        ));
    };
    let (Some(start), Some(end)) = (&bounds.start, &bounds.end) else {
        return Err(Error::new(
            range.span(),
            "the range needs both a start and an end",
        ));
    };
    let exclusive = matches!(bounds.limits, RangeLimits::HalfOpen(_));
    if let (Some(least), Some(end)) = (literal(start), literal(end))
        && least > end - i128::from(exclusive)
    {
        return Err(Error::new(range.span(), "the range is empty"));
    }
    let greatest = if exclusive {
        quote!((#end) as i128 - 1)
    } else {
        quote!((#end) as i128)
    };
    Ok(Bound::Range(quote!((#start) as i128), greatest))
}

/// The value of a literal, if it is one.
fn literal(expression: &Expr) -> Option<i128> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => literal(expr).map(|number| -number),
        _ => None,
    }
}

fn bits(number: LitInt) -> Result<Bound> {
    match number.base10_parse() {
        Ok(1..=64) => Ok(Bound::Bits(number)),
        _ => Err(Error::new(
            number.span(),
            "expected a number of bits from 1 to 64",
        )),
    }
}
