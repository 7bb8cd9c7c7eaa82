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
        after(item),
        assign(item),
        parts(item),
        fields(item),
        tally(item),
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
    let count = item.variants.len() as u64;
    // Which variant it is comes by itself, so that no code has to branch over it where there is nothing else.
    let numbers = (0u64..).zip(&item.variants).map(|(number, variant)| {
        let path = &variant.path;
        quote!(#path { .. } => #number,)
    });
    let padding = paddings(item);
    let arms = item
        .variants
        .iter()
        .zip(&padding)
        .map(|(variant, padding)| {
            let pattern = pattern(variant);
            let puts = variant.fields.iter().map(|field| put(root, field));
            quote! {
                #pattern => {
                    #(#puts)*
                    out.pad(const { #padding });
                }
            }
        });
    let body = if item.variants.is_empty() {
        quote!(match *self {})
    } else {
        quote! {
            let number: u64 = match self { #(#numbers)* };
            out.put_choice(number, #count);
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
    let count = item.variants.len() as u64;
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
                    input.pad(const { #padding });
                    value
                }
            }
        });
    quote! {
        #[inline(always)]
        fn decode(input: &mut #root::Reader<'_>) -> Self {
            match input.take_choice(#count) {
                #(#arms)*
                number => #root::derived::no_variant(#name, number),
            }
        }
    }
}

/// In sorted collections most elements have the variant of the one before, and their only field comes after its.
///
/// Where there are several fields nobody knows here which of them differ, so they are written as ever.
fn after(item: &Item<'_>) -> TokenStream {
    if item.variants.is_empty() {
        return TokenStream::new();
    }
    let root = &item.root;
    let name = item.name.to_string();
    let count = item.variants.len() as u64;
    let single =
        |variant: &Variant<'_>| matches!(&variant.fields[..], [field] if field.bound.is_none());
    let numbers = |value: TokenStream| {
        let arms = (0u64..).zip(&item.variants).map(|(number, variant)| {
            let path = &variant.path;
            quote!(#path { .. } => #number,)
        });
        quote!(match #value { #(#arms)* })
    };
    let (mine, theirs) = (numbers(quote!(self)), numbers(quote!(before)));
    let puts = item.variants.iter().map(|variant| {
        let pattern = pattern(variant);
        let puts = variant.fields.iter().map(|field| put(root, field));
        let Some(field) = variant.fields.first().filter(|_| single(variant)) else {
            return quote!((#pattern, _) => { #(#puts)* });
        };
        let Field {
            member,
            label,
            binding,
            ty,
            ..
        } = field;
        let path = &variant.path;
        quote! {
            (#path { #member: #binding }, #path { #member: before }) => {
                <#ty as #root::Encode>::encode_after(#binding, before, out)
                    .map_err(|error| error.within(#label))?;
            }
            (#pattern, _) => { #(#puts)* }
        }
    });
    let takes = (0u64..).zip(&item.variants).map(|(number, variant)| {
        let path = &variant.path;
        let takes = variant.fields.iter().map(|field| take(root, field));
        let Some(field) = variant.fields.first().filter(|_| single(variant)) else {
            return quote!((#number, _) => #path { #(#takes),* },);
        };
        let Field { member, ty, .. } = field;
        quote! {
            (#number, #path { #member: before }) => {
                #path { #member: <#ty as #root::Encode>::decode_after(before, input) }
            }
            (#number, _) => #path { #(#takes),* },
        }
    });
    quote! {
        #[inline(always)]
        fn encode_after(
            &self,
            before: &Self,
            out: &mut #root::Writer<'_>,
        ) -> ::core::result::Result<(), #root::EncodeError> {
            let (mine, theirs): (u64, u64) = (#mine, #theirs);
            out.put_choice_after(mine, theirs, #count);
            #[allow(unreachable_patterns)]
            match (self, before) { #(#puts)* }
            ::core::result::Result::Ok(())
        }
        #[inline(always)]
        fn decode_after(before: &Self, input: &mut #root::Reader<'_>) -> Self {
            let theirs: u64 = #theirs;
            #[allow(unreachable_patterns)]
            match (input.take_choice_after(theirs, #count), before) {
                #(#takes)*
                (number, _) => #root::derived::no_variant(#name, number),
            }
        }
    }
}

/// Structs are assigned and decoded field by field; enums are few bytes mostly, and copied.
fn assign(item: &Item<'_>) -> TokenStream {
    if item.kind == Kind::Enum {
        return TokenStream::new();
    }
    let root = &item.root;
    let assigns = item.variants[0].fields.iter().map(|field| {
        let Field { member, ty, .. } = field;
        quote!(<#ty as #root::Encode>::assign(&mut self.#member, &source.#member);)
    });
    let takes = item.variants[0]
        .fields
        .iter()
        .map(|field| take_into(root, field));
    quote! {
        #[inline(always)]
        fn assign(&mut self, source: &Self) {
            let _ = source;
            #(#assigns)*
        }
        #[inline(always)]
        fn decode_into(&mut self, input: &mut #root::Reader<'_>) {
            let _ = &input;
            #(#takes)*
        }
    }
}

/// The fields of a struct are its parts, unless there are too many to tell them apart.
fn parts(item: &Item<'_>) -> TokenStream {
    const MOST: usize = 16;
    if item.kind == Kind::Enum || item.variants[0].fields.len() > MOST {
        return TokenStream::new();
    }
    let root = &item.root;
    let fields = &item.variants[0].fields;
    let takes = fields.iter().map(|field| {
        let take = take_into(root, field);
        quote! {
            if !parts.is_same(input) {
                #take
            }
            parts.end_at(input);
        }
    });
    let count = fields.len();
    let changes = fields.iter().enumerate().map(|(index, field)| {
        let Field {
            member, label, ty, ..
        } = field;
        let encode = associated(root, field, "encode", "encode_narrow");
        quote! {
            if self.#member != source.state.#member {
                source.copy(unchanged..#index, out);
                unchanged = #index + 1;
                #encode(&self.#member, out).map_err(|error| error.within(#label))?;
                <#ty as #root::Encode>::assign(&mut self.#member, &source.state.#member);
            }
        }
    });
    quote! {
        #[inline(always)]
        fn decode_parts(&mut self, input: &mut #root::Reader<'_>, parts: &mut #root::Parts) {
            let _ = (&input, &parts);
            #(#takes)*
        }
        #[inline]
        fn encode_change(
            &mut self,
            source: #root::Source<'_, Self>,
            out: &mut #root::Writer<'_>,
        ) -> ::core::result::Result<(), #root::EncodeError> {
            let mut unchanged = 0;
            #(#changes)*
            source.copy(unchanged..#count, out);
            ::core::result::Result::Ok(())
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

/// Tells which variant of an enum it is, and the numbers of its fields.
fn tally(item: &Item<'_>) -> TokenStream {
    if item.variants.is_empty() {
        return TokenStream::new();
    }
    let root = &item.root;
    let mut index = 0usize;
    let arms = (0i64..).zip(&item.variants).map(|(number, variant)| {
        let pattern = pattern(variant);
        let which = (item.kind == Kind::Enum).then(|| quote!(out.number(#number);));
        let parts: Vec<_> = variant
            .fields
            .iter()
            .map(|field| {
                let Field {
                    label, binding, ty, ..
                } = field;
                let part = index;
                index += 1;
                quote! {
                    out.part(#part, #label, |out| <#ty as #root::Encode>::tally(#binding, out));
                }
            })
            .collect();
        quote!(#pattern => { #which #(#parts)* })
    });
    quote! {
        fn tally(&self, out: &mut #root::Tally<'_>) {
            let _ = &out;
            match self { #(#arms)* }
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

/// Decodes a field in the place it has.
fn take_into(root: &Path, field: &Field<'_>) -> TokenStream {
    let Field { member, ty, .. } = field;
    if field.bound.is_none() {
        return quote!(<#ty as #root::Encode>::decode_into(&mut self.#member, input););
    }
    let decode = associated(root, field, "decode", "decode_narrow");
    quote!(self.#member = #decode(input);)
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
