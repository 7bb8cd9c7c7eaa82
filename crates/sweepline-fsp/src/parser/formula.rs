//! Fluents, and formulas over them.
//!
//! Precedence is LTSA's: `||` binds least, then `->`, `<->`, `U` and `W`, which do not chain, then `&&`, then what stands before
//! its operand.

use sweepline_logic::ltl::{Binary, Unary};
use sweepline_text::{Kind, Name};

use super::{MOST_LINKS, Parsed, Parser, is_upper};
use crate::ast::{Fluent, FluentFormula, FormulaBody, FormulaDef, Index, Junction};

impl Parser<'_> {
    /// `fluent F[i:R] = <{a}, {b}> initially 1`, or a formula behind another word, which may have parameters: `assert P(N = 2) = …`.
    pub fn formula(&mut self, word: &'static str) -> Parsed<FormulaDef> {
        self.tokens.advance();
        let name = self.defined_name("formula")?;
        let parameters = self.parameters()?;
        let indices = self.indices()?;
        self.expect("=", None)?;
        let start = self.tokens.span().start;
        let body = if word == "fluent" {
            FormulaBody::Fluent(self.fluent()?)
        } else {
            FormulaBody::Formula(self.junction()?)
        };
        let text = start..self.tokens.end();
        let is_process = matches!(word, "constraint" | "ltl_property");
        let alphabet = if is_process && self.tokens.eat("+") {
            Some(self.set()?)
        } else {
            None
        };
        self.tokens.eat(".");
        Ok(FormulaDef {
            word,
            name,
            parameters,
            indices,
            text,
            body,
            alphabet,
        })
    }

    fn fluent(&mut self) -> Parsed<Fluent> {
        let help = || Some("a fluent looks like `<{begin}, {finish}>`".into());
        self.expect("<", help())?;
        let starts = self.labels()?;
        self.expect(",", help())?;
        let ends = self.labels()?;
        self.expect(">", help())?;
        let initially = if self.tokens.eat_word("initially") {
            Some(self.sum()?)
        } else {
            None
        };
        Ok(Fluent {
            starts,
            ends,
            initially,
        })
    }

    fn junction(&mut self) -> Parsed<FluentFormula> {
        self.deeper(|parser| {
            let mut all = vec![parser.implication()?];
            while !parser.at_item() && parser.tokens.eat("||") {
                parser.count_link(all.len())?;
                all.push(parser.implication()?);
            }
            Ok(joined(Junction::Any, all))
        })
    }

    fn implication(&mut self) -> Parsed<FluentFormula> {
        let left = self.conjunction()?;
        let operator = match self.tokens.peek() {
            Kind::Sign("->") => FluentFormula::Implies,
            Kind::Sign("<") if *self.tokens.peek_at(1) == Kind::Sign("->") => {
                self.tokens.advance();
                FluentFormula::Iff
            }
            Kind::Name(name) if name == "U" && !self.at_item() => {
                |left, right| FluentFormula::Binary(Binary::Until, left, right)
            }
            Kind::Name(name) if name == "W" && !self.at_item() => {
                |left, right| FluentFormula::Binary(Binary::WeakUntil, left, right)
            }
            _ => return Ok(left),
        };
        self.tokens.advance();
        let right = self.conjunction()?;
        Ok(operator(Box::new(left), Box::new(right)))
    }

    fn conjunction(&mut self) -> Parsed<FluentFormula> {
        let mut all = vec![self.operand()?];
        while self.tokens.eat("&&") {
            self.count_link(all.len())?;
            all.push(self.operand()?);
        }
        Ok(joined(Junction::All, all))
    }

    fn count_link(&mut self, links: usize) -> Parsed<()> {
        if links >= MOST_LINKS {
            return self.too_deep(MOST_LINKS);
        }
        Ok(())
    }

    fn operand(&mut self) -> Parsed<FluentFormula> {
        self.deeper(Self::operand_within)
    }

    fn operand_within(&mut self) -> Parsed<FluentFormula> {
        let next = self.tokens.peek_at(1).clone();
        match (self.tokens.peek().clone(), next) {
            (Kind::Sign("!"), _) => {
                self.tokens.advance();
                Ok(FluentFormula::Not(Box::new(self.operand()?)))
            }
            (Kind::Sign("["), Kind::Sign("]")) => self.under(Unary::Globally, 2),
            (Kind::Sign("<"), Kind::Sign(">")) => self.under(Unary::Finally, 2),
            (Kind::Name(name), _) if name == "X" => self.under(Unary::Next, 1),
            (Kind::Word("forall") | Kind::Sign("&&"), Kind::Sign("[")) => {
                self.quantified(Junction::All)
            }
            (Kind::Sign("||"), Kind::Sign("[")) => self.quantified(Junction::Any),
            (Kind::Name(name), Kind::Sign("[")) if name == "exists" => {
                self.quantified(Junction::Any)
            }
            (Kind::Name(name), _) if name == "rigid" => {
                self.tokens.advance();
                Ok(FluentFormula::Rigid(self.sum()?))
            }
            (Kind::Name(name), _) if is_upper(&name) => self.named(name),
            (Kind::Sign("("), _) => {
                self.tokens.advance();
                let inner = self.junction()?;
                self.expect(")", None)?;
                Ok(inner)
            }
            (Kind::Name(_) | Kind::Sign("[" | "{"), _) => Ok(FluentFormula::Done(self.labels()?)),
            _ => self.unexpected("a fluent, an action or a formula", None),
        }
    }

    fn under(&mut self, operator: Unary, tokens: usize) -> Parsed<FluentFormula> {
        for _ in 0..tokens {
            self.tokens.advance();
        }
        let operand = Box::new(self.operand()?);
        Ok(FluentFormula::Unary(operator, operand))
    }

    /// `forall[i:R] F[i]`
    fn quantified(&mut self, junction: Junction) -> Parsed<FluentFormula> {
        self.tokens.advance();
        let indices = self.indices_before_formula()?;
        let body = Box::new(self.operand()?);
        Ok(FluentFormula::Each(junction, indices, body))
    }

    /// Indices, behind which there may be `[]`, which is none.
    fn indices_before_formula(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = Vec::new();
        while *self.tokens.peek() == Kind::Sign("[") && *self.tokens.peek_at(1) != Kind::Sign("]") {
            self.count_link(indices.len())?;
            indices.push(self.index()?);
        }
        Ok(indices)
    }

    /// `F`, `F[i+1]`, `F[1..3]` for any of these, or `P(3)`
    fn named(&mut self, text: String) -> Parsed<FluentFormula> {
        let span = self.tokens.span();
        self.tokens.advance();
        let mut arguments = Vec::new();
        if self.tokens.eat("(") {
            arguments = self.list(Self::expression)?;
            self.expect(")", None)?;
        }
        let indices = self.indices_before_formula()?;
        let name = Name { text, span };
        Ok(FluentFormula::Named(name, indices, arguments))
    }
}

fn joined(junction: Junction, mut all: Vec<FluentFormula>) -> FluentFormula {
    match all.pop() {
        Some(only) if all.is_empty() => only,
        last => {
            all.extend(last);
            FluentFormula::Joined(junction, all)
        }
    }
}
