//! `colset name = … timed`

use crate::ml::errors::Checked;
use crate::ml::parser::Parser;
use crate::ml::syntax::{Colset, DecKind, Span};
use crate::ml::{ColourDecl, Text};

impl Parser<'_, '_> {
    pub(super) fn colset(&mut self) -> Checked<DecKind> {
        let name = self.name("the name of a colour set")?;
        self.expect("=")?;
        let decl = self.colour()?;
        let timed = self.eat_name("timed");
        if self.eat_name("declare") {
            // Which functions are made for the colour set: all of them are there anyway.
            self.name("the name of a function")?;
            while self.eat(",") {
                self.name("the name of a function")?;
            }
        }
        Ok(DecKind::Colset(Box::new(Colset { name, decl, timed })))
    }

    fn colour(&mut self) -> Checked<ColourDecl> {
        if self.eat("with") {
            return Ok(ColourDecl::Enum(self.alternatives()?));
        }
        let word = self.name("a colour set")?;
        match word.as_str() {
            "unit" => {
                let named = self.eat("with");
                let name = named.then(|| self.name("a name")).transpose()?;
                Ok(ColourDecl::Unit(name))
            }
            "bool" => self.truth_names(),
            "int" => Ok(ColourDecl::Int(self.optional_range()?)),
            "intinf" => Ok(ColourDecl::IntInf),
            "real" => {
                self.optional_range()?;
                Ok(ColourDecl::Real)
            }
            "time" => Ok(ColourDecl::Time),
            "string" => {
                let characters = self.optional_range()?;
                let lengths = self.eat("and").then(|| self.range()).transpose()?;
                Ok(ColourDecl::String {
                    characters,
                    lengths,
                })
            }
            "index" => {
                let name = self.name("a name")?;
                self.expect("with")?;
                let (low, high) = self.range()?;
                Ok(ColourDecl::Index(name, low, high))
            }
            "product" => Ok(ColourDecl::Product(self.names("*")?)),
            "record" => self.record(),
            "list" => {
                let of = self.name("the name of a colour set")?;
                Ok(ColourDecl::List(of, self.optional_range()?))
            }
            "union" => self.union(),
            "subset" => self.subset(),
            _ => Ok(ColourDecl::Alias(word)),
        }
    }

    fn alternatives(&mut self) -> Checked<Vec<String>> {
        let mut names = vec![self.name("a name")?];
        while self.eat("|") {
            names.push(self.name("a name")?);
        }
        Ok(names)
    }

    fn truth_names(&mut self) -> Checked<ColourDecl> {
        if !self.eat("with") {
            return Ok(ColourDecl::Bool(None));
        }
        self.expect("(")?;
        let no = self.name("a name for `false`")?;
        self.expect(",")?;
        let yes = self.name("a name for `true`")?;
        self.expect(")")?;
        Ok(ColourDecl::Bool(Some((no, yes))))
    }

    fn optional_range(&mut self) -> Checked<Option<(Text, Text)>> {
        self.eat("with").then(|| self.range()).transpose()
    }

    /// `low..high`
    fn range(&mut self) -> Checked<(Text, Text)> {
        let low = self.quoted_expression()?;
        self.expect("..")?;
        Ok((low, self.quoted_expression()?))
    }

    /// An expression that is read once more when its value is needed.
    fn quoted_expression(&mut self) -> Checked<Text> {
        let expr = self.expression()?;
        Ok(self.quoted(expr.span))
    }

    fn quoted(&self, span: Span) -> Text {
        let text = self.report.text;
        Text {
            text: text[span.range()].to_string(),
            origin: self.report.origin.part(text, span.range()),
        }
    }

    fn names(&mut self, separator: &str) -> Checked<Vec<String>> {
        let mut names = vec![self.name("the name of a colour set")?];
        while self.eat_sign(separator) {
            names.push(self.name("the name of a colour set")?);
        }
        Ok(names)
    }

    fn record(&mut self) -> Checked<ColourDecl> {
        let mut fields = Vec::new();
        loop {
            let label = self.label()?;
            self.expect(":")?;
            fields.push((label, self.name("the name of a colour set")?));
            if !self.eat_sign("*") {
                return Ok(ColourDecl::Record(fields));
            }
        }
    }

    fn union(&mut self) -> Checked<ColourDecl> {
        let mut cases = Vec::new();
        loop {
            let constructor = self.name("a constructor")?;
            let argument = self.eat(":").then(|| self.name("the name of a colour set"));
            cases.push((constructor, argument.transpose()?));
            if !self.eat_sign("+") {
                return Ok(ColourDecl::Union(cases));
            }
        }
    }

    fn subset(&mut self) -> Checked<ColourDecl> {
        let of = self.name("the name of a colour set")?;
        if self.eat_name("by") {
            return Ok(ColourDecl::SubsetBy(of, self.quoted_expression()?));
        }
        self.expect("with")?;
        Ok(ColourDecl::SubsetWith(of, self.quoted_expression()?))
    }
}
