//! Derives `Encode` for the state types of Rust models.
//!
//! What the derive does and which attributes it knows is documented with the trait, in the crate `sweepline-model`.
//! Here is how: `shape` turns the item into a list of variants with their fields, `attribute` reads what is written on
//! them, and `expand` writes the implementation.

mod attribute;
mod expand;
mod shape;

use proc_macro::TokenStream;
use syn::{DeriveInput, Path, parse_macro_input, parse_quote};

/// Packs values of this type into words. See the trait of the same name.
#[proc_macro_derive(Encode, attributes(encode))]
pub fn derive_encode(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    derive(&item, &parse_quote!(::sweepline_model))
}

/// The same for users of the crate `sweepline`, who do not name `sweepline-model` as a dependency.
///
/// The facade exports this derive under the name `Encode`, and what `sweepline-model` has in its module `model`.
#[proc_macro_derive(EncodeInFacade, attributes(encode))]
pub fn derive_encode_in_facade(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    derive(&item, &parse_quote!(::sweepline::model))
}

fn derive(item: &DeriveInput, root: &Path) -> TokenStream {
    match shape::Item::parse(item, root) {
        Ok(item) => expand::implementation(&item),
        Err(error) => error.to_compile_error(),
    }
    .into()
}
