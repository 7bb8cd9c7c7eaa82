//! Writes the implementation.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Path, parse_quote};

use crate::attribute::Bound;
use crate::shape::{Field, Item, Kind, Variant};

pub(crate) fn implementation(item: &Item<'_>) -> TokenStream {
    let Item { root, name, .. } = item;
    let generics = bounded(item);
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let parts = [
        size(item),
        encode(item),
        decode(item),
        fields(item),
        show(item),
    ];
    quote! {
        #[automatically_derived]
        impl #parameters #root::Encode for #name #arguments #conditions {
            #(#parts)*
        }
    }
}

/// The generics of the type, with the bounds the implementation needs.
fn bounded(item: &Item<'_>) -> Generics {
    let root = &item.root;
    let mut generics = item.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#root::Encode));
    }
    let fields = item.variants.iter().flat_map(|variant| &variant.fields);
    for field in fields.filter(|field| mentions_type_parameter(field, item.generics)) {
        if let Some(interval) = interval(root, field) {
            let ty = field.ty;
            let conditions = generics.make_where_clause();
            conditions
                .predicates
                .push(parse_quote!(#ty: #root::Narrow<#interval>));
        }
    }
    generics
}

fn mentions_type_parameter(field: &Field<'_>, generics: &Generics) -> bool {
    fn mentions(tokens: TokenStream, generics: &Generics) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => generics.params.iter().any(
                |parameter| matches!(parameter, GenericParam::Type(name) if name.ident == ident),
            ),
            TokenTree::Group(group) => mentions(group.stream(), generics),
            _ => false,
        })
    }
    let ty = field.ty;
    mentions(quote!(#ty), generics)
}

/// The number of bits: those of the tag and those of the largest variant.
fn size(item: &Item<'_>) -> TokenStream {
    let root = &item.root;
    let tag = tag_bits(item);
    let variants = variant_sizes(item);
    quote! {
        const BITS: ::core::option::Option<u32> = #root::derived::sum(&[
            ::core::option::Option::Some(#tag),
            #root::derived::largest(&[#(#variants),*]),
        ]);
    }
}

fn encode(item: &Item<'_>) -> TokenStream {
    let root = &item.root;
    let tag = tag_bits(item);
    let padding = paddings(item);
    let arms = (0u64..)
        .zip(&item.variants)
        .zip(&padding)
        .map(|((number, variant), padding)| {
            let pattern = pattern(variant);
            let puts = variant.fields.iter().map(|field| put(root, field));
            quote! {
                #pattern => {
                    out.put(#number, #tag);
                    #(#puts)*
                    out.put_zeros(const { #padding });
                }
            }
        });
    let body = if item.variants.is_empty() {
        quote!(match *self {})
    } else {
        quote! {
            match self { #(#arms)* }
            ::core::result::Result::Ok(())
        }
    };
    quote! {
        #[inline(always)]
        fn encode(&self, out: &mut #root::Writer<'_>) -> ::core::result::Result<(), #root::EncodeError> {
            #body
        }
    }
}

fn decode(item: &Item<'_>) -> TokenStream {
    let root = &item.root;
    let tag = tag_bits(item);
    let padding = paddings(item);
    let name = item.name.to_string();
    let arms = (0u64..)
        .zip(&item.variants)
        .zip(&padding)
        .map(|((number, variant), padding)| {
            let path = &variant.path;
            let takes = variant.fields.iter().map(|field| take(root, field));
            quote! {
                #number => {
                    let value = #path { #(#takes),* };
                    input.skip(const { #padding });
                    value
                }
            }
        });
    quote! {
        #[inline(always)]
        fn decode(input: &mut #root::Reader<'_>) -> Self {
            match input.take(#tag) {
                #(#arms)*
                number => #root::derived::no_variant(#name, number),
            }
        }
    }
}

/// Lists the fields of a struct, and which variant of an enum it is; the fields of variants share their places.
fn fields(item: &Item<'_>) -> TokenStream {
    let root = &item.root;
    let lists = if item.kind == Kind::Enum {
        let tag = tag_bits(item);
        let names = item.variants.iter().map(|variant| &variant.name);
        let sizes = variant_sizes(item);
        quote! {
            out.choice(#tag, &[#(#names),*]);
            out.skip(#root::derived::largest(&[#(#sizes),*]));
        }
    } else {
        let lists = item.variants[0].fields.iter().map(|field| {
            let label = &field.label;
            let fields = associated(root, field, "fields", "fields_narrow");
            quote!(out.part(#label, |out| #fields(out));)
        });
        quote!(#(#lists)*)
    };
    quote! {
        fn fields(out: &mut #root::Fields) {
            #lists
        }
    }
}

/// Lists named fields; other types are shown as a whole, as the trait says.
fn show(item: &Item<'_>) -> TokenStream {
    if item.kind != Kind::NamedStruct {
        return TokenStream::new();
    }
    let pushes = item.variants[0]
        .fields
        .iter()
        .map(|Field { member, label, .. }| {
            quote! {
                out.push((
                    ::std::string::ToString::to_string(#label),
                    ::std::format!("{:?}", self.#member),
                ));
            }
        });
    quote! {
        fn show(&self, out: &mut ::std::vec::Vec<(::std::string::String, ::std::string::String)>) {
            #(#pushes)*
        }
    }
}

/// How many bits tell the variants apart.
fn tag_bits(item: &Item<'_>) -> u32 {
    let greatest = item.variants.len().saturating_sub(1);
    usize::BITS - greatest.leading_zeros()
}

fn variant_sizes(item: &Item<'_>) -> Vec<TokenStream> {
    let root = &item.root;
    let sizes = item.variants.iter().map(|variant| {
        let fields = variant
            .fields
            .iter()
            .map(|field| associated(root, field, "BITS", "BITS"));
        quote!(#root::derived::sum(&[#(#fields),*]))
    });
    sizes.collect()
}

/// How many zeros follow the fields of each variant, so that all variants have the same size.
fn paddings(item: &Item<'_>) -> Vec<TokenStream> {
    let root = &item.root;
    let sizes = variant_sizes(item);
    let paddings = sizes.iter().map(
        |size| quote!(#root::derived::padding(#size, #root::derived::largest(&[#(#sizes),*]))),
    );
    paddings.collect()
}

fn pattern(variant: &Variant<'_>) -> TokenStream {
    let path = &variant.path;
    let fields = variant.fields.iter().map(
        |Field {
             member, binding, ..
         }| quote!(#member: #binding),
    );
    quote!(#path { #(#fields),* })
}

fn put(root: &Path, field: &Field<'_>) -> TokenStream {
    let Field { label, binding, .. } = field;
    let encode = associated(root, field, "encode", "encode_narrow");
    quote! {
        #encode(#binding, out).map_err(|error| error.within(#label))?;
    }
}

fn take(root: &Path, field: &Field<'_>) -> TokenStream {
    let member = &field.member;
    let decode = associated(root, field, "decode", "decode_narrow");
    quote!(#member: #decode(input))
}

/// An item of the trait that encodes a field; its name depends on whether the field has a range.
fn associated(root: &Path, field: &Field<'_>, plain: &str, narrow: &str) -> TokenStream {
    let ty = field.ty;
    let (plain, narrow) = (format_ident!("{plain}"), format_ident!("{narrow}"));
    // Errors in it should point at the field, but lints should know that nobody wrote it there.
    let span = Span::mixed_site().located_at(ty.span());
    match interval(root, field) {
        None => quote_spanned!(span=> <#ty as #root::Encode>::#plain),
        Some(interval) => quote_spanned!(span=> <#ty as #root::Narrow<#interval>>::#narrow),
    }
}

/// The type that stands for the range of a field.
fn interval(root: &Path, field: &Field<'_>) -> Option<TokenStream> {
    let ty = field.ty;
    field.bound.as_ref().map(|bound| match bound {
        Bound::Range(least, greatest) => quote!(#root::Between<{ #least }, { #greatest }>),
        Bound::Bits(bits) => quote!(#root::BitsOf<#ty, #bits>),
    })
}
