//! The declarations of a model.

use sweepline_text::nearest;

use crate::compile::Compiler;
use crate::error::CpnError;
use crate::file::{Colour, Declaration, Inscription};
use crate::ml::{ColourDecl, Expect, MlErrors, Origin, Text};

impl Compiler<'_> {
    /// Declares everything in the order of the file.
    pub(crate) fn declare(&mut self) {
        for declaration in &self.document.declarations {
            let declared = self.declaration(declaration);
            if let Err(errors) = declared {
                let errors = errors.into_vec();
                self.faulty
                    .extend(errors.iter().map(|error| CpnError::of(error)));
            }
        }
        for (name, _) in &self.options.constants {
            if !self.constants.iter().any(|(known, _)| known == name) {
                let error = self.no_constant(name);
                self.errors.add(|| error);
            }
        }
    }

    fn no_constant(&self, name: &str) -> CpnError {
        let message = format!("there is no constant `{name}` that is a number");
        let names = self.constants.iter().map(|(name, _)| name.as_str());
        let all = names.clone().map(|name| format!("`{name}`"));
        let all = || format!("the model has {}", all.collect::<Vec<_>>().join(", "));
        let near = nearest(name, names).map(|nearest| format!("did you mean `{nearest}`?"));
        let help = near.unwrap_or_else(all);
        CpnError::nowhere("cpn::unknown_constant", message).helped(help)
    }

    /// Declares a text. A constant may get another value than the one that is written.
    fn declare_text(&mut self, text: &Inscription) -> Result<(), MlErrors> {
        let origin = self.origin("declaration", &text.at);
        let Some(name) = constant(&text.text) else {
            return self.declarations.declare(&text.text, &origin);
        };
        let given = self.options.constants.iter();
        let given = given.rev().find(|(given, _)| given == name);
        // Only a number can become another one.
        self.declarations.declare(&text.text, &origin)?;
        let Some(value) = self.integer(name, &origin) else {
            return Ok(());
        };
        let value = match given {
            None => value,
            Some((_, given)) => {
                let number = given.to_string().replace('-', "~");
                let declaration = format!("val {name} = {number};");
                self.declarations.declare(&declaration, &origin)?;
                *given
            }
        };
        self.constants.retain(|(known, _)| known != name);
        self.constants.push((name.to_owned(), value));
        Ok(())
    }

    /// The value of a name that is an integer.
    fn integer(&mut self, name: &str, origin: &Origin) -> Option<i64> {
        let read = self.declarations.expression(name, Expect::Int, origin);
        let value = self.declarations.machine_mut().value(&read.ok()?, &[]);
        value.ok()?.as_int()
    }

    fn declaration(&mut self, declaration: &Declaration) -> Result<(), MlErrors> {
        match declaration {
            Declaration::Colour {
                name,
                colour,
                timed,
                at,
            } => {
                let origin = self.origin(&format!("colour set {name}"), at);
                let decl = self.colour(name, colour);
                self.declarations
                    .colour_set(name, &decl, *timed, &origin)
                    .map(drop)
            }
            Declaration::Variables { names, colour, at } => {
                let origin = self.origin(&format!("variables of {colour}"), at);
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.declarations
                    .variables(&names, colour, &origin)
                    .map(drop)
            }
            Declaration::Text(text) => self.declare_text(text),
            Declaration::Reference { name, value } => {
                let origin = self.origin(&format!("reference {name}"), &value.at);
                self.declarations.reference(name, &value.text, &origin)
            }
        }
    }

    fn colour(&self, name: &str, colour: &Colour) -> ColourDecl {
        let text = |text: &Inscription| Text {
            text: text.text.clone(),
            origin: self.origin(&format!("colour set {name}"), &text.at),
        };
        let pair = |pair: &Option<(Inscription, Inscription)>| {
            pair.as_ref().map(|(low, high)| (text(low), text(high)))
        };
        match colour {
            Colour::Unit(name) => ColourDecl::Unit(name.clone()),
            Colour::Bool(names) => ColourDecl::Bool(names.clone()),
            Colour::Int(range) => ColourDecl::Int(pair(range)),
            Colour::IntInf => ColourDecl::IntInf,
            Colour::Real => ColourDecl::Real,
            Colour::Time => ColourDecl::Time,
            Colour::String {
                characters,
                lengths,
            } => ColourDecl::String {
                characters: pair(characters),
                lengths: pair(lengths),
            },
            Colour::Enum(names) => ColourDecl::Enum(names.clone()),
            Colour::Index(name, low, high) => {
                ColourDecl::Index(name.clone(), text(low), text(high))
            }
            Colour::List(of, lengths) => ColourDecl::List(of.clone(), pair(lengths)),
            Colour::Product(of) => ColourDecl::Product(of.clone()),
            Colour::Record(fields) => ColourDecl::Record(fields.clone()),
            Colour::Union(variants) => ColourDecl::Union(variants.clone()),
            Colour::SubsetBy(of, by) => ColourDecl::SubsetBy(of.clone(), text(by)),
            Colour::SubsetWith(of, with) => ColourDecl::SubsetWith(of.clone(), text(with)),
            Colour::Alias(of) => ColourDecl::Alias(of.clone()),
        }
    }
}

/// The name in a declaration that is nothing but `val NAME = …`, perhaps behind comments.
fn constant(text: &str) -> Option<&str> {
    let mut text = text.trim();
    while let Some(comment) = text.strip_prefix("(*") {
        text = comment.split_once("*)")?.1.trim_start();
    }
    let rest = text.strip_prefix("val")?.trim_start();
    let (name, _) = rest.split_once('=')?;
    let name = name.split(':').next().unwrap_or(name).trim();
    let is_name = name.starts_with(char::is_alphabetic)
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '\''));
    is_name.then_some(name)
}
