//! Patterns and types.

use crate::ml::errors::Checked;
use crate::ml::lexer::Kind;
use crate::ml::parser::Parser;
use crate::ml::syntax::{Pat, PatKind, Type, TypeKind};

impl Parser<'_, '_> {
    /// A whole pattern.
    pub fn pattern(&mut self) -> Checked<Pat> {
        self.deeper(|parser| {
            let mut pattern = parser.infix_pattern()?;
            while parser.eat(":") {
                let annotation = parser.type_expression()?;
                let span = pattern.span.to(annotation.span);
                let kind = PatKind::Typed(Box::new(pattern), annotation);
                pattern = Pat { kind, span };
            }
            if parser.eat("as") {
                return parser.layered(pattern);
            }
            Ok(pattern)
        })
    }

    /// `name as pattern`; the name has been read.
    fn layered(&mut self, first: Pat) -> Checked<Pat> {
        let inner = self.pattern()?;
        let span = first.span.to(inner.span);
        let (name, inner) = match first.kind {
            PatKind::Name(name) => (name, inner),
            PatKind::Typed(typed, annotation) => match typed.kind {
                PatKind::Name(name) => {
                    let kind = PatKind::Typed(Box::new(inner), annotation);
                    (name, Pat { kind, span })
                }
                _ => return self.unexpected("a name before `as`", None),
            },
            _ => return self.unexpected("a name before `as`", None),
        };
        let kind = PatKind::As(name, Box::new(inner));
        Ok(Pat { kind, span })
    }

    /// `a :: b`, or another constructor between its arguments.
    fn infix_pattern(&mut self) -> Checked<Pat> {
        let left = self.stamped_pattern()?;
        let Some((name, fixity)) = self.operator().filter(|(name, _)| *name != "=") else {
            return Ok(left);
        };
        let operator = name.to_string();
        if !fixity.right {
            return self.unexpected("a pattern", None);
        }
        self.advance();
        let right = self.deeper(Self::infix_pattern)?;
        Ok(constructed(operator, left, right))
    }

    /// `colour @ time`, which binds tighter than everything else.
    fn stamped_pattern(&mut self) -> Checked<Pat> {
        let colour = self.applied_pattern()?;
        if self.operator().is_none_or(|(name, _)| name != "@") {
            return Ok(colour);
        }
        self.advance();
        let time = self.deeper(Self::applied_pattern)?;
        Ok(constructed("@".to_owned(), colour, time))
    }

    fn applied_pattern(&mut self) -> Checked<Pat> {
        let pattern = self.atomic_pattern()?;
        let PatKind::Name(name) = &pattern.kind else {
            return Ok(pattern);
        };
        if !self.starts_pattern() {
            return Ok(pattern);
        }
        let name = name.clone();
        let argument = self.deeper(Self::atomic_pattern)?;
        let span = pattern.span.to(argument.span);
        let kind = PatKind::Construct(name, Box::new(argument));
        Ok(Pat { kind, span })
    }

    pub(super) fn starts_pattern(&self) -> bool {
        match self.peek() {
            Kind::Int(_) | Kind::Text(_) | Kind::Char(_) => true,
            Kind::Name(_) => self.operator().is_none(),
            Kind::Word(word) => matches!(*word, "(" | "[" | "{" | "_" | "op"),
            _ => false,
        }
    }

    pub(super) fn atomic_pattern(&mut self) -> Checked<Pat> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Kind::Int(value) => PatKind::Int(value),
            Kind::Text(text) => PatKind::Text(text),
            Kind::Char(character) => PatKind::Char(character),
            Kind::Name(name) if self.operator().is_none() => PatKind::Name(name),
            Kind::Word("_") => PatKind::Any,
            _ => return self.bracketed_pattern(),
        };
        self.advance();
        Ok(Pat { kind, span: start })
    }

    fn bracketed_pattern(&mut self) -> Checked<Pat> {
        let start = self.span();
        let kind = match *self.peek() {
            Kind::Word("op") => PatKind::Name(self.any_name("an operator")?),
            Kind::Word("(") => {
                self.advance();
                let mut all = self.separated(")", Self::pattern)?;
                match all.len() {
                    1 => return Ok(all.pop().expect("there is one")),
                    _ => PatKind::Tuple(all),
                }
            }
            Kind::Word("[") => {
                self.advance();
                PatKind::List(self.separated("]", Self::pattern)?)
            }
            Kind::Word("{") => self.record_pattern()?,
            Kind::Real(_) => {
                let why = "a number with a fraction cannot be compared".to_string();
                return self.report.wrong(start, why, None);
            }
            _ => return self.unexpected("a pattern", None),
        };
        let span = start.to(self.last());
        Ok(Pat { kind, span })
    }

    fn record_pattern(&mut self) -> Checked<PatKind> {
        self.advance();
        let mut open = false;
        let fields = self.separated("}", |parser| {
            if parser.eat("...") {
                open = true;
                return Ok(None);
            }
            parser.field_pattern().map(Some)
        })?;
        Ok(PatKind::Record(
            fields.into_iter().flatten().collect(),
            open,
        ))
    }

    /// `name = pattern`, or the name alone, perhaps with a type or `as`.
    fn field_pattern(&mut self) -> Checked<(String, Pat)> {
        let start = self.span();
        let label = self.label()?;
        if self.eat("=") {
            return Ok((label, self.pattern()?));
        }
        let kind = PatKind::Name(label.clone());
        let mut pattern = Pat { kind, span: start };
        if self.eat(":") {
            let annotation = self.type_expression()?;
            let kind = PatKind::Typed(Box::new(pattern), annotation);
            pattern = Pat { kind, span: start };
        }
        if self.eat("as") {
            pattern = self.layered(pattern)?;
        }
        Ok((label, pattern))
    }

    /// A whole type.
    pub fn type_expression(&mut self) -> Checked<Type> {
        self.deeper(|parser| {
            let left = parser.product_type()?;
            if !parser.eat("->") {
                return Ok(left);
            }
            let right = parser.type_expression()?;
            let span = left.span.to(right.span);
            let kind = TypeKind::Function(Box::new(left), Box::new(right));
            Ok(Type { kind, span })
        })
    }

    fn product_type(&mut self) -> Checked<Type> {
        let first = self.applied_type()?;
        if !self.is_sign("*") {
            return Ok(first);
        }
        let start = first.span;
        let mut all = vec![first];
        while self.eat_sign("*") {
            all.push(self.applied_type()?);
        }
        let span = start.to(self.last());
        let kind = TypeKind::Tuple(all);
        Ok(Type { kind, span })
    }

    /// `int list option`
    fn applied_type(&mut self) -> Checked<Type> {
        let start = self.span();
        let mut arguments = match self.peek().clone() {
            Kind::TypeVariable(name) => {
                self.advance();
                let kind = TypeKind::Variable(name);
                vec![Type { kind, span: start }]
            }
            Kind::Word("(") => {
                self.advance();
                self.separated(")", Self::type_expression)?
            }
            Kind::Word("{") => vec![self.record_type()?],
            Kind::Name(_) => Vec::new(),
            _ => return self.unexpected("a type", None),
        };
        let mut steps = 0;
        while let Kind::Name(name) = self.peek().clone() {
            if self.operator().is_some() || steps >= super::MOST_LEVELS {
                break;
            }
            steps += 1;
            self.advance();
            let span = start.to(self.last());
            let kind = TypeKind::Name(name, arguments);
            arguments = vec![Type { kind, span }];
        }
        match arguments.len() {
            1 => Ok(arguments.pop().expect("there is one")),
            _ => self.unexpected("the name of a type", None),
        }
    }

    fn record_type(&mut self) -> Checked<Type> {
        let start = self.span();
        self.advance();
        let fields = self.separated("}", |parser| {
            let label = parser.label()?;
            parser.expect(":")?;
            Ok((label, parser.type_expression()?))
        })?;
        let span = start.to(self.last());
        let kind = TypeKind::Record(fields);
        Ok(Type { kind, span })
    }
}

/// An operator between two patterns.
fn constructed(operator: String, left: Pat, right: Pat) -> Pat {
    let span = left.span.to(right.span);
    let kind = PatKind::Tuple(vec![left, right]);
    let kind = PatKind::Construct(operator, Box::new(Pat { kind, span }));
    Pat { kind, span }
}
