//! Names of values: constants, ranges, sets, parameters and variables.

use sweepline_text::{Name, did_you_mean};

use super::{Checker, Wanted};
use crate::ast::{Domain, Expr, Index, Labels, Part, SetExpr};
use crate::errors::FspError;
use crate::parser::is_upper;

impl<'a> Checker<'a> {
    /// Checks labels; their variables stay bound.
    pub(super) fn labels(&mut self, labels: &'a Labels) {
        for part in &labels.parts {
            match part {
                Part::Name(name) if name.text == "tau" => self.tau(name),
                Part::Name(_) => {}
                Part::Set(set) => self.set(set),
                Part::Index(index) => self.index(index),
            }
        }
    }

    fn tau(&mut self, name: &Name) {
        self.errors.push(FspError::Misplaced {
            what: "the name `tau`",
            help: Some("it is what hidden actions are called; choose another name".into()),
            text: self.source.named(),
            at: name.span.clone().into(),
        });
    }

    pub(super) fn set(&mut self, set: &'a SetExpr) {
        match set {
            SetExpr::Named(name) => self.upper(name, Wanted::Set),
            SetExpr::Listed(elements, _) => {
                for element in elements {
                    let before = self.bound.len();
                    self.labels(element);
                    self.bound.truncate(before);
                }
            }
        }
    }

    /// Checks an index; its variable stays bound.
    pub(super) fn index(&mut self, index: &'a Index) {
        match &index.domain {
            Domain::Expr(Expr::Name(name)) if is_upper(&name.text) => {
                let bound = index.variable.is_some();
                self.upper(
                    name,
                    if bound {
                        Wanted::Domain
                    } else {
                        Wanted::Values
                    },
                );
            }
            Domain::Expr(expr) => self.expr(expr),
            Domain::Range(least, greatest) => {
                self.expr(least);
                self.expr(greatest);
            }
            Domain::Set(set) => self.set(set),
        }
        if let Some(variable) = &index.variable {
            self.bound.push(&variable.text);
        }
    }

    pub(super) fn expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Number(..) => {}
            Expr::Name(name) if is_upper(&name.text) => self.upper(name, Wanted::Value),
            Expr::Name(name) => self.variable(name),
            Expr::Quoted(labels) => {
                let before = self.bound.len();
                self.labels(labels);
                self.bound.truncate(before);
            }
            Expr::Unary(_, operand, _) => self.expr(operand),
            Expr::Binary(_, sides) => {
                self.expr(&sides.0);
                self.expr(&sides.1);
            }
            Expr::Count(set, _) => self.set(set),
            Expr::Element(set, index, _) => {
                self.set(set);
                self.expr(index);
            }
        }
    }

    fn variable(&mut self, name: &Name) {
        if self.bound.contains(&name.text.as_str()) {
            return;
        }
        let bound = self.bound.iter().copied();
        let help = did_you_mean(&name.text, bound)
            .unwrap_or_else(|| format!("bind it to a range first, like `[{}:0..3]`", name.text));
        self.errors.push(FspError::Undefined {
            what: "variable",
            name: name.text.clone(),
            help: Some(help),
            text: self.source.named(),
            at: name.span.clone().into(),
        });
    }

    /// A name that begins with an upper-case letter, but is no process.
    fn upper(&mut self, name: &Name, wanted: Wanted) {
        let is_parameter = self.bound.contains(&name.text.as_str());
        match self.values.get(name.text.as_str()) {
            _ if is_parameter && matches!(wanted, Wanted::Value | Wanted::Values) => {}
            Some((kind, _)) if wanted.takes(*kind) => {}
            Some((kind, _)) => self.errors.push(FspError::WrongKind {
                name: name.text.clone(),
                is: kind.described(),
                wanted: wanted.described(),
                help: None,
                text: self.source.named(),
                at: name.span.clone().into(),
            }),
            None => self.undefined_upper(name, wanted),
        }
    }

    fn undefined_upper(&mut self, name: &Name, wanted: Wanted) {
        if self.errors.only_counts() {
            return;
        }
        let all = &self.model.values;
        let later = all
            .iter()
            .any(|definition| definition.name.text == name.text);
        let help = if later {
            Some("it is defined below; move the definition up".into())
        } else {
            let mut candidates: Vec<&str> = self.values.keys().copied().collect();
            candidates.sort_unstable();
            let uppers = self
                .bound
                .iter()
                .filter(|name| name.starts_with(char::is_uppercase));
            candidates.extend(uppers);
            did_you_mean(&name.text, candidates).or_else(|| {
                (wanted == Wanted::Set).then(|| {
                    format!(
                        "actions begin with a lower-case letter, like `{}`",
                        name.text.to_lowercase()
                    )
                })
            })
        };
        self.errors.push(FspError::Undefined {
            what: wanted.noun(),
            name: name.text.clone(),
            help,
            text: self.source.named(),
            at: name.span.clone().into(),
        });
    }
}
