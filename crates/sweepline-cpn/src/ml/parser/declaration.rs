//! Declarations.

use crate::ml::errors::Checked;
use crate::ml::lexer::Kind;
use crate::ml::parser::{Fixity, Parser};
use crate::ml::syntax::{Clause, Datatype, Dec, DecKind, Expr, Function, Pat, PatKind, Span};

/// Names and where they stand.
type Names = Vec<(String, Span)>;

impl Parser<'_, '_> {
    /// All declarations of a text. One that cannot be read is reported and skipped; its name is kept.
    pub fn program(&mut self) -> Vec<Dec> {
        let mut decs = Vec::new();
        while !self.at_end() {
            if self.eat(";") {
                continue;
            }
            let start = self.position;
            let span = self.span();
            self.levels = 0;
            let dec = self.declaration().or_else(|reported| {
                let kind = DecKind::Broken(self.names_after(start));
                self.skip_declaration(start);
                if self.position == start {
                    return Err(reported);
                }
                Ok(Dec { kind, span })
            });
            match dec {
                Ok(dec) => decs.push(dec),
                Err(_) => self.advance(),
            }
        }
        decs
    }

    /// The name behind the first word of a declaration that cannot be read.
    fn names_after(&self, start: usize) -> Vec<String> {
        let mut names = self.tokens[start..].iter().skip(1).take(2);
        names
            .find_map(|token| match &token.kind {
                Kind::Name(name) => Some(vec![name.clone()]),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// Goes to the semicolon behind a declaration that cannot be read.
    fn skip_declaration(&mut self, start: usize) {
        let error = self.position;
        let mut open = 0_usize;
        self.position = start;
        while !self.at_end() {
            match *self.peek() {
                Kind::Word("let" | "local" | "(" | "[" | "{" | "struct" | "sig") => open += 1,
                Kind::Word("end" | ")" | "]" | "}") => open = open.saturating_sub(1),
                Kind::Word(";") if open == 0 && self.position >= error => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Declarations up to one of these words, or the end.
    pub(super) fn declarations_until(&mut self, ends: &[&'static str]) -> Checked<Vec<Dec>> {
        let mut decs = Vec::new();
        loop {
            while self.eat(";") {}
            if self.at_end() || ends.iter().any(|end| self.is_word(end)) {
                return Ok(decs);
            }
            decs.push(self.deeper(Self::declaration)?);
        }
    }

    fn declaration(&mut self) -> Checked<Dec> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Kind::Word(word) => {
                self.advance();
                self.standard(word)?
            }
            Kind::Name(name) => {
                self.advance();
                self.special(&name, start)?
            }
            _ => return self.unexpected("a declaration", None),
        };
        let span = start.to(self.last());
        Ok(Dec { kind, span })
    }

    /// What Standard ML has.
    fn standard(&mut self, word: &'static str) -> Checked<DecKind> {
        match word {
            "val" if self.eat("rec") => Ok(DecKind::ValRec(self.bindings()?)),
            "val" => Ok(DecKind::Val(self.bindings()?)),
            "fun" => Ok(DecKind::Fun(self.functions()?)),
            "exception" => self.exceptions(),
            "local" => {
                let hidden = self.declarations_until(&["in"])?;
                self.expect("in")?;
                let visible = self.declarations_until(&["end"])?;
                self.expect("end")?;
                Ok(DecKind::Local(hidden, visible))
            }
            "datatype" => self.datatypes(),
            "type" => self.abbreviations(),
            "infix" | "infixr" | "nonfix" => Ok(self.fixity(word)),
            "open" => Ok(self.opened()),
            "structure" | "signature" | "functor" | "abstype" => Ok(self.refused(word)),
            _ => {
                self.position -= 1;
                self.unexpected("a declaration", None)
            }
        }
    }

    /// What CPN Tools adds.
    fn special(&mut self, name: &str, start: Span) -> Checked<DecKind> {
        match name {
            "colset" | "color" => self.colset(),
            "var" => {
                let mut names = vec![self.name("the name of a variable")?];
                while self.eat(",") {
                    names.push(self.name("the name of a variable")?);
                }
                self.expect(":")?;
                let at = self.span();
                let colour = self.name("the name of a colour set")?;
                Ok(DecKind::Variables(names, colour, at))
            }
            "globref" => {
                let name = self.name("a name")?;
                self.expect("=")?;
                Ok(DecKind::Reference(name, self.expression()?))
            }
            "use" => Ok(self.refused("use")),
            _ => {
                self.position -= 1;
                let words = ["colset", "var", "globref"];
                let meant = sweepline_text::did_you_mean(name, words);
                let found = format!("`{}`", sweepline_text::shortened(name));
                self.report.unexpected(start, "a declaration", found, meant)
            }
        }
    }

    /// Something that is skipped as a whole.
    fn refused(&mut self, word: &str) -> DecKind {
        let start = self.position.saturating_sub(1);
        let next = match self.peek() {
            Kind::Name(name) | Kind::Text(name) => format!("{word} {name}"),
            _ => word.to_string(),
        };
        self.skip_declaration(start);
        DecKind::Refused(next)
    }

    /// `open List`, behind which something else may follow at once.
    fn opened(&mut self) -> DecKind {
        let mut opened = String::from("open");
        while let Kind::Name(name) = self.peek() {
            opened.extend([" ", name]);
            self.advance();
        }
        DecKind::Refused(opened)
    }

    /// `input (x, y); output (z); action …`, each of which may be missing.
    pub fn code_segment(&mut self) -> Checked<(Names, Names, Option<Expr>)> {
        let (mut input, mut output, mut action) = (Vec::new(), Vec::new(), None);
        loop {
            while self.eat(";") {}
            if self.eat_name("input") {
                input = self.variable_names()?;
            } else if self.eat_name("output") {
                output = self.variable_names()?;
            } else if self.eat_name("action") {
                if !self.at_end() {
                    action = Some(self.expression()?);
                }
            } else if self.at_end() {
                return Ok((input, output, action));
            } else {
                return self.unexpected("`input`, `output` or `action`", None);
            }
        }
    }

    /// Names in parentheses, or one without.
    fn variable_names(&mut self) -> Checked<Names> {
        let one = |parser: &mut Self| {
            let span = parser.span();
            Ok((parser.name("the name of a variable")?, span))
        };
        if self.eat("(") {
            self.separated(")", one)
        } else {
            Ok(vec![one(self)?])
        }
    }

    fn bindings(&mut self) -> Checked<Vec<(Pat, Expr)>> {
        let mut all = Vec::new();
        loop {
            let pattern = self.pattern()?;
            self.expect("=")?;
            all.push((pattern, self.expression()?));
            if !self.eat("and") {
                return Ok(all);
            }
        }
    }

    fn functions(&mut self) -> Checked<Vec<Function>> {
        let mut all = Vec::new();
        loop {
            all.push(self.function()?);
            if !self.eat("and") {
                return Ok(all);
            }
        }
    }

    fn function(&mut self) -> Checked<Function> {
        let at = self.span();
        let (name, first) = self.clause()?;
        let mut clauses = vec![first];
        while self.eat("|") {
            let start = self.span();
            let (other, clause) = self.clause()?;
            if other != name {
                let why = format!("a clause of `{other}` among those of `{name}`");
                let help = "all clauses of a function have its name";
                return self.report.wrong(start, why, Some(help.into()));
            }
            if clause.patterns.len() != clauses[0].patterns.len() {
                let why = format!("the clauses of `{name}` have different numbers of arguments");
                return self.report.wrong(start, why, None);
            }
            clauses.push(clause);
        }
        Ok(Function { name, at, clauses })
    }

    /// `name pattern … = body`, or `pattern operator pattern = body`
    fn clause(&mut self) -> Checked<(String, Clause)> {
        let (name, patterns) = if self.defines_operator() {
            self.operator_head()?
        } else {
            let name = self.any_name("the name of a function")?;
            let mut patterns = Vec::new();
            while self.starts_pattern() {
                patterns.push(self.atomic_pattern()?);
            }
            (name, patterns)
        };
        if patterns.is_empty() {
            return self.unexpected(
                "an argument",
                Some("a value without arguments is declared with `val`"),
            );
        }
        let result = if self.eat(":") {
            Some(self.type_expression()?)
        } else {
            None
        };
        self.expect("=")?;
        let body = self.expression()?;
        Ok((
            name,
            Clause {
                patterns,
                result,
                body,
            },
        ))
    }

    fn defines_operator(&self) -> bool {
        let simple = matches!(self.peek(), Kind::Name(_)) && self.operator().is_none();
        let next = match self.peek_at(1) {
            Kind::Name(name) | Kind::Sign(name) => self.fixities.contains_key(name),
            _ => false,
        };
        simple && next
    }

    fn operator_head(&mut self) -> Checked<(String, Vec<Pat>)> {
        let left = self.atomic_pattern()?;
        let name = self.any_name("an operator")?;
        let right = self.atomic_pattern()?;
        let span = left.span.to(right.span);
        let kind = PatKind::Tuple(vec![left, right]);
        Ok((name, vec![Pat { kind, span }]))
    }

    fn exceptions(&mut self) -> Checked<DecKind> {
        let mut all = Vec::new();
        loop {
            let name = self.name("the name of an exception")?;
            let argument = if self.eat("of") {
                Some(self.type_expression()?)
            } else {
                None
            };
            all.push((name, argument));
            if !self.eat("and") {
                return Ok(DecKind::Exception(all));
            }
        }
    }

    /// `'a`, `('a, 'b)` or nothing
    fn type_parameters(&mut self) -> Checked<Vec<String>> {
        if let Kind::TypeVariable(name) = self.peek().clone() {
            self.advance();
            return Ok(vec![name]);
        }
        if !self.is_word("(") {
            return Ok(Vec::new());
        }
        self.advance();
        self.separated(")", |parser| {
            let Kind::TypeVariable(name) = parser.peek().clone() else {
                return parser.unexpected("a type variable", None);
            };
            parser.advance();
            Ok(name)
        })
    }

    fn datatypes(&mut self) -> Checked<DecKind> {
        let mut all = Vec::new();
        loop {
            let parameters = self.type_parameters()?;
            let name = self.name("the name of a type")?;
            self.expect("=")?;
            let mut constructors = Vec::new();
            loop {
                let constructor = self.name("a constructor")?;
                let argument = if self.eat("of") {
                    Some(self.type_expression()?)
                } else {
                    None
                };
                constructors.push((constructor, argument));
                if !self.eat("|") {
                    break;
                }
            }
            all.push(Datatype {
                parameters,
                name,
                constructors,
            });
            if !self.eat("and") {
                return Ok(DecKind::Datatype(all));
            }
        }
    }

    fn abbreviations(&mut self) -> Checked<DecKind> {
        let mut all = Vec::new();
        loop {
            let parameters = self.type_parameters()?;
            let name = self.name("the name of a type")?;
            self.expect("=")?;
            all.push((parameters, name, self.type_expression()?));
            if !self.eat("and") {
                return Ok(DecKind::Abbreviation(all));
            }
        }
    }

    fn fixity(&mut self, word: &str) -> DecKind {
        let precedence = match *self.peek() {
            Kind::Int(number) if (0..=9).contains(&number) => {
                self.advance();
                u8::try_from(number).unwrap_or(0)
            }
            _ => 0,
        };
        let right = word == "infixr";
        while let Kind::Name(name) | Kind::Sign(name) = self.peek().clone() {
            self.advance();
            if word == "nonfix" {
                self.fixities.remove(&name);
            } else {
                self.fixities.insert(name, Fixity { precedence, right });
            }
        }
        DecKind::Fixity
    }
}
