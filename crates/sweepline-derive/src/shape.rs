//! What the type looks like: a list of variants, each with its fields. A struct has one variant.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Generics, Ident, Index, Member, Path, Result, Type};

use crate::attribute::{self, Bound};

/// The type that derives `Encode`.
pub(crate) struct Item<'a> {
    /// The path of the crate that has the trait.
    pub(crate) root: Path,
    pub(crate) name: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) kind: Kind,
    pub(crate) variants: Vec<Variant<'a>>,
}

/// What people see of a value depends on it.
#[derive(PartialEq)]
pub(crate) enum Kind {
    NamedStruct,
    TupleStruct,
    Enum,
}

/// One variant of an enum, or a whole struct.
pub(crate) struct Variant<'a> {
    /// What to write in patterns and constructors: `Self` or `Self::Name`.
    pub(crate) path: TokenStream,
    /// Its name; that of a struct is empty.
    pub(crate) name: String,
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of a variant.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    /// The variable a pattern binds it to.
    pub(crate) binding: Ident,
    /// What messages call it: `name`, or `Variant.name`.
    pub(crate) label: String,
    pub(crate) ty: &'a Type,
    pub(crate) bound: Option<Bound>,
}

impl<'a> Item<'a> {
    pub(crate) fn parse(item: &'a DeriveInput, root: &Path) -> Result<Self> {
        let (kind, variants) = match &item.data {
            Data::Struct(data) => {
                let kind = match data.fields {
                    Fields::Named(_) => Kind::NamedStruct,
                    _ => Kind::TupleStruct,
                };
                (
                    kind,
                    vec![Variant::parse(quote!(Self), String::new(), &data.fields)?],
                )
            }
            Data::Enum(data) => (Kind::Enum, variants_of(data)?),
            Data::Union(data) => {
                let message =
                    "a union cannot be encoded: nobody knows which field is in use; use an enum";
                return Err(Error::new(data.union_token.span, message));
            }
        };
        Ok(Self {
            root: attribute::of_item(&item.attrs)?.unwrap_or_else(|| root.clone()),
            name: &item.ident,
            generics: &item.generics,
            kind,
            variants,
        })
    }
}

fn variants_of(data: &syn::DataEnum) -> Result<Vec<Variant<'_>>> {
    let variants = data.variants.iter().map(|variant| {
        attribute::of_variant(&variant.attrs)?;
        let name = &variant.ident;
        let shown = name.to_string().trim_start_matches("r#").to_owned();
        Variant::parse(quote!(Self::#name), shown, &variant.fields)
    });
    collect(variants)
}

/// All of the values, or all of the errors.
fn collect<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (mut values, mut errors) = (Vec::new(), None::<Error>);
    for result in results {
        match (result, &mut errors) {
            (Ok(value), _) => values.push(value),
            (Err(error), None) => errors = Some(error),
            (Err(error), Some(errors)) => errors.combine(error),
        }
    }
    errors.map_or(Ok(values), Err)
}

impl<'a> Variant<'a> {
    fn parse(path: TokenStream, name: String, fields: &'a Fields) -> Result<Self> {
        let label = match name.as_str() {
            "" => String::new(),
            name => format!("{name}."),
        };
        let fields = fields.iter().enumerate().map(|(index, field)| {
            let member = match &field.ident {
                Some(name) => Member::Named(name.clone()),
                None => Member::Unnamed(Index::from(index)),
            };
            let name = member.to_token_stream().to_string();
            Ok(Field {
                label: format!("{label}{}", name.trim_start_matches("r#")),
                member,
                binding: format_ident!("field_{index}"),
                ty: &field.ty,
                bound: attribute::of_field(&field.attrs)?,
            })
        });
        Ok(Self {
            fields: collect(fields)?,
            path,
            name,
        })
    }
}
