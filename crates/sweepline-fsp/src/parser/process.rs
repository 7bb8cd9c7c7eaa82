//! Primitive processes.

use sweepline_text::{Kind, Name};

use super::{MOST_LEVELS, MOST_LINKS, Parsed, Parser, capitalised, is_upper};
use crate::ast::{
    Branch, Change, Final, Labels, LocalDef, Part, Process, ProcessDef, Qualifiers, Reference,
    Relabel,
};
use crate::errors::FspError;

impl Parser<'_> {
    /// `P(N = 3) = …, Q[i:R] = … +{…} /{…} \{…}.`
    pub fn process_def(&mut self, qualifiers: Qualifiers) -> Parsed<ProcessDef> {
        let name = self.defined_name("process")?;
        let parameters = self.parameters()?;
        self.expect("=", None)?;
        let mut locals = vec![LocalDef {
            name: name.clone(),
            indices: Vec::new(),
            body: self.process()?,
        }];
        while self.tokens.eat(",") {
            locals.push(self.local_def()?);
        }
        let changes = self.changes()?;
        self.no_priority(&changes);
        self.period(
            "`.` or `,`",
            "a process ends with `.`; its local processes are separated by `,`",
        )?;
        Ok(ProcessDef {
            name,
            qualifiers,
            parameters,
            locals,
            changes,
        })
    }

    fn local_def(&mut self) -> Parsed<LocalDef> {
        let name = self.defined_name("process")?;
        let indices = self.indices()?;
        self.expect("=", None)?;
        let body = self.process()?;
        Ok(LocalDef {
            name,
            indices,
            body,
        })
    }

    fn no_priority(&mut self, changes: &[Change]) {
        let priority = changes.iter().find_map(|change| match change {
            Change::Priority { set, .. } => Some(set.span()),
            _ => None,
        });
        let Some(span) = priority else { return };
        self.errors.push(FspError::Misplaced {
            what: "a priority",
            help: Some("priorities belong to compositions: `||C = (…) >> {…}`".into()),
            text: self.source.named(),
            at: span.into(),
        });
    }

    fn process(&mut self) -> Parsed<Process> {
        match self.tokens.peek() {
            Kind::Sign("(") => {
                self.tokens.advance();
                let branches = self.deeper(Self::branches)?;
                self.expect(")", None)?;
                Ok(Process::Choice(branches))
            }
            Kind::Word("if") => {
                self.tokens.advance();
                self.deeper(Self::conditional)
            }
            _ => self.sequence(),
        }
    }

    fn conditional(&mut self) -> Parsed<Process> {
        let condition = self.expression()?;
        self.expect_word("then")?;
        let yes = self.process()?;
        let no = if self.tokens.eat_word("else") {
            Some(self.process()?)
        } else {
            None
        };
        Ok(Process::If(Box::new((condition, yes, no))))
    }

    /// `P`, or `P;Q;R`
    fn sequence(&mut self) -> Parsed<Process> {
        let mut parts = vec![self.base()?];
        while self.tokens.eat(";") {
            parts.push(self.base()?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        Ok(Process::Sequence(parts))
    }

    fn base(&mut self) -> Parsed<Process> {
        let span = self.tokens.span();
        let end = match self.tokens.peek() {
            Kind::Word("STOP") => Final::Stop,
            Kind::Word("END") => Final::End,
            Kind::Word("ERROR") => Final::Error,
            Kind::Name(name) if is_upper(name) => return Ok(Process::Reference(self.reference()?)),
            Kind::Name(name) => {
                let help = match self.tokens.peek_at(1) {
                    Kind::Sign("->" | "[" | ".") => {
                        format!("actions stand in parentheses: `({name} -> …)`")
                    }
                    _ => format!(
                        "names of processes begin with an upper-case letter, like `{}`",
                        capitalised(name)
                    ),
                };
                return self.unexpected("a process", Some(help));
            }
            _ => return self.unexpected("a process", None),
        };
        self.tokens.advance();
        Ok(Process::Final(end, span))
    }

    /// `P`, `P[i][j]` or `P(3)`
    pub fn reference(&mut self) -> Parsed<Reference> {
        let span = self.tokens.span();
        let text = match self.tokens.peek() {
            Kind::Name(name) if is_upper(name) => name.clone(),
            _ => return self.unexpected("a process", None),
        };
        self.tokens.advance();
        let name = Name {
            text,
            span: span.clone(),
        };
        let mut indices = Vec::new();
        while self.tokens.eat("[") {
            if indices.len() >= MOST_LEVELS {
                return self.too_deep(MOST_LEVELS);
            }
            indices.push(self.expression()?);
            self.expect("]", None)?;
        }
        let mut arguments = Vec::new();
        if self.tokens.eat("(") {
            arguments = self.list(Self::expression)?;
            self.expect(")", None)?;
        }
        Ok(Reference {
            name,
            indices,
            arguments,
            span: span.start..self.tokens.end(),
        })
    }

    fn branches(&mut self) -> Parsed<Vec<Branch>> {
        let mut branches = vec![self.branch()?];
        while self.tokens.eat("|") {
            branches.push(self.branch()?);
        }
        Ok(branches)
    }

    /// `when … a -> b -> P`
    fn branch(&mut self) -> Parsed<Branch> {
        let guard = if self.tokens.eat_word("when") {
            Some(self.expression()?)
        } else {
            None
        };
        let before = self.actions;
        let mut actions = Vec::new();
        while actions.is_empty() || self.at_action() {
            self.actions += 1;
            if self.actions > MOST_LINKS {
                return self.too_deep(MOST_LINKS);
            }
            let action = self.labels()?;
            self.arrow(&action)?;
            actions.push(action);
        }
        let then = self.process()?;
        self.actions = before;
        Ok(Branch {
            guard,
            actions,
            then,
        })
    }

    /// The `->` behind an action.
    fn arrow(&mut self, action: &Labels) -> Parsed<()> {
        let ends = matches!(self.tokens.peek(), Kind::Sign(")" | "|" | "," | "."));
        let help = match &action.parts[..] {
            [Part::Name(name)] if ends => format!(
                "behind the actions comes a process; did you mean `{}`?",
                capitalised(&name.text)
            ),
            _ => "an action is followed by `->`, and at last comes a process".to_string(),
        };
        self.expect("->", Some(help))
    }

    /// Whether the next thing of a branch is one more action, not its process.
    fn at_action(&self) -> bool {
        match self.tokens.peek() {
            Kind::Name(name) if is_upper(name) => match self.tokens.peek_at(1) {
                Kind::Sign("->") => true,
                Kind::Sign(".") => match self.tokens.peek_at(2) {
                    Kind::Name(name) => !is_upper(name),
                    next => matches!(next, Kind::Sign("{" | "[")),
                },
                _ => false,
            },
            Kind::Name(_) | Kind::Sign("{" | "[") => true,
            _ => false,
        }
    }

    /// `+{…}`, `/{…}`, `\{…}`, `@{…}`, `>>{…}` and `<<{…}`, in any order.
    pub fn changes(&mut self) -> Parsed<Vec<Change>> {
        let mut changes = Vec::new();
        loop {
            let Kind::Sign(sign) = *self.tokens.peek() else {
                return Ok(changes);
            };
            if !matches!(sign, "+" | "/" | "\\" | "@" | ">>" | "<<") {
                return Ok(changes);
            }
            self.tokens.advance();
            changes.push(match sign {
                "+" => Change::Extend(self.set()?),
                "/" => Change::Relabel(self.relabelling()?),
                "\\" => Change::Hide(self.set()?),
                "@" => Change::Expose(self.set()?),
                _ => Change::Priority {
                    high: sign == "<<",
                    set: self.set()?,
                },
            });
        }
    }

    fn relabelling(&mut self) -> Parsed<Vec<Relabel>> {
        self.expect("{", Some("a relabelling looks like `/{new/old}`".into()))?;
        let mut pairs = Vec::new();
        if *self.tokens.peek() != Kind::Sign("}") {
            pairs = self.deeper(|parser| parser.list(Self::relabel))?;
        }
        self.expect("}", None)?;
        Ok(pairs)
    }

    /// `new/old` or `forall[i:R] {…}`
    fn relabel(&mut self) -> Parsed<Relabel> {
        if self.tokens.eat_word("forall") {
            let indices = self.indices()?;
            return Ok(Relabel::Forall(indices, self.relabelling()?));
        }
        let new = self.labels()?;
        self.expect(
            "/",
            Some("the new label comes first: `/{new/old}`".to_string()),
        )?;
        let old = self.labels()?;
        Ok(Relabel::Pair { new, old })
    }
}
