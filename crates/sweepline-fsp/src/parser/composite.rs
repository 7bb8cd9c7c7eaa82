//! Compositions.

use sweepline_text::Kind;

use super::{Parsed, Parser, is_upper};
use crate::ast::{Change, Composite, CompositeDef, Qualifiers};
use crate::errors::FspError;

impl Parser<'_> {
    /// `||C(N = 3) = (a:P || Q)/{…} >> {…} \{…}.`
    pub fn composite_def(&mut self, qualifiers: Qualifiers) -> Parsed<CompositeDef> {
        let name = self.defined_name("composition")?;
        let parameters = self.parameters()?;
        self.expect("=", None)?;
        let body = self.parallel()?;
        self.period("`.`", "a composition ends with `.`")?;
        Ok(CompositeDef {
            name,
            qualifiers,
            parameters,
            body,
        })
    }

    /// `a:P || Q || …`
    fn parallel(&mut self) -> Parsed<Composite> {
        let mut parts = vec![self.factor()?];
        // A composition that follows one without its period is not a part of it.
        while *self.tokens.peek() == Kind::Sign("||") && !self.at_item() {
            self.tokens.advance();
            parts.push(self.factor()?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        Ok(Composite::Parallel(parts))
    }

    fn factor(&mut self) -> Parsed<Composite> {
        let body = self.deeper(Self::labelled)?;
        let changes = self.changes()?;
        if changes.is_empty() {
            return Ok(body);
        }
        self.no_extension(&changes);
        Ok(Composite::Changed(Box::new(body), changes))
    }

    fn no_extension(&mut self, changes: &[Change]) {
        for change in changes {
            if let Change::Extend(set) = change {
                self.errors.push(FspError::Misplaced {
                    what: "an alphabet extension",
                    help: Some("extend the alphabet of a process: `P = … +{…}.`".into()),
                    text: self.source.named(),
                    at: set.span().into(),
                });
            }
        }
    }

    fn labelled(&mut self) -> Parsed<Composite> {
        match self.tokens.peek() {
            Kind::Sign("(") => {
                self.tokens.advance();
                let body = self.deeper(Self::parallel)?;
                self.expect(")", None)?;
                Ok(body)
            }
            Kind::Word("forall") => {
                self.tokens.advance();
                let indices = self.indices()?;
                if indices.is_empty() {
                    return self.unexpected("`[`", Some("as in `forall[i:1..3] p[i]:P`".into()));
                }
                let body = self.factor()?;
                Ok(Composite::Forall(indices, Box::new(body)))
            }
            Kind::Word("if") => self.choice_of_composites(),
            _ if self.at_label() => self.prefixed(),
            _ => Ok(Composite::Reference(self.reference()?)),
        }
    }

    fn at_label(&self) -> bool {
        match self.tokens.peek() {
            Kind::Name(name) if is_upper(name) => {
                matches!(self.tokens.peek_at(1), Kind::Sign(":" | "::" | "["))
            }
            Kind::Name(_) | Kind::Sign("{" | "[") => true,
            _ => false,
        }
    }

    /// `labels:body` or `labels::body`
    fn prefixed(&mut self) -> Parsed<Composite> {
        let labels = self.labels()?;
        if self.tokens.eat("::") {
            let body = self.deeper(Self::labelled)?;
            return Ok(Composite::Shared(labels, Box::new(body)));
        }
        let help = "a label in front of a process ends with `:`; names of processes begin with an upper-case letter";
        self.expect(":", Some(help.into()))?;
        let body = self.deeper(Self::labelled)?;
        Ok(Composite::Labelled(labels, Box::new(body)))
    }

    fn choice_of_composites(&mut self) -> Parsed<Composite> {
        self.tokens.advance();
        let condition = self.expression()?;
        self.expect_word("then")?;
        let yes = self.factor()?;
        let no = if self.tokens.eat_word("else") {
            Some(self.factor()?)
        } else {
            None
        };
        Ok(Composite::If(Box::new((condition, yes, no))))
    }
}
