//! Sets, labels and indices.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Act, Done, Elaborator, MOST_ELEMENTS, Meaning, Values};
use crate::ast::{Domain, Expr, Index, Labels, Part, SetExpr, Span};
use crate::parser::{Failed, is_upper};
use crate::value::{Value, joined};

impl<'a> Elaborator<'a> {
    /// The elements of a set, each once, in the order they are written.
    pub fn set(&mut self, set: &'a SetExpr) -> Done<Rc<[String]>> {
        let listed = match set {
            SetExpr::Listed(listed, _) => listed,
            SetExpr::Named(name) => {
                return match self.values.get(name.text.as_str()) {
                    Some(Meaning::Set(elements)) => Ok(Rc::clone(elements)),
                    _ => Err(Failed),
                };
            }
        };
        let mut seen = HashSet::new();
        let mut elements = Vec::new();
        for labels in listed {
            self.each_label(labels, &mut |this, label| {
                if seen.insert(label.to_string()) {
                    elements.push(label.to_string());
                }
                if elements.len() > MOST_ELEMENTS {
                    return this.too_large("the set".into(), MOST_ELEMENTS, "elements", set.span());
                }
                Ok(())
            })?;
        }
        Ok(elements.into())
    }

    fn domain(&mut self, domain: &'a Domain) -> Done<Values> {
        match domain {
            Domain::Range(least, greatest) => {
                let (least, greatest) = self.range(least, greatest)?;
                Ok(Values::Range(least, greatest))
            }
            Domain::Set(set) => self.defined_set(set).map(Values::Set),
            Domain::Expr(Expr::Name(name)) if is_upper(&name.text) => self.named_domain(domain),
            Domain::Expr(expr) => self.value(expr).map(Values::One),
        }
    }

    /// A parameter, constant, range or set.
    fn named_domain(&mut self, domain: &'a Domain) -> Done<Values> {
        let Domain::Expr(expr @ Expr::Name(name)) = domain else {
            unreachable!("only names come here");
        };
        let bound = self.scope.iter().any(|(other, _)| *other == name.text);
        match self.values.get(name.text.as_str()) {
            Some(Meaning::Range(least, greatest)) if !bound => Ok(Values::Range(*least, *greatest)),
            Some(Meaning::Set(elements)) if !bound => Ok(Values::Set(Rc::clone(elements))),
            _ => self.value(expr).map(Values::One),
        }
    }

    /// Does something with each label, while its variables are bound.
    pub fn each_label(&mut self, labels: &'a Labels, act: Act<'_, 'a>) -> Done<()> {
        self.each_part(&labels.parts, "", &labels.span, act)
    }

    fn each_part(
        &mut self,
        parts: &'a [Part],
        text: &str,
        span: &'a Span,
        act: Act<'_, 'a>,
    ) -> Done<()> {
        let Some((part, rest)) = parts.split_first() else {
            self.spend(1, span)?;
            return act(self, text);
        };
        match part {
            Part::Name(name) => self.each_part(rest, &joined(text, &name.text), span, act),
            Part::Set(set) => {
                let elements = self.defined_set(set)?;
                elements.iter().try_for_each(|element| {
                    self.each_part(rest, &joined(text, element), span, &mut *act)
                })
            }
            Part::Index(index) => self.each_value(index, &mut |this, value| {
                this.each_part(rest, &value.appended(text), span, &mut *act)
            }),
        }
    }

    /// Does something with each value of an index, while its variable is bound.
    fn each_value(
        &mut self,
        index: &'a Index,
        act: &mut dyn FnMut(&mut Self, &Value) -> Done<()>,
    ) -> Done<()> {
        let values = self.domain(&index.domain)?;
        for value in values.iter() {
            self.look(1)?;
            let before = self.scope.len();
            if let Some(variable) = &index.variable {
                self.scope.push((&variable.text, value.clone()));
            }
            let result = act(self, &value);
            self.scope.truncate(before);
            result?;
        }
        Ok(())
    }

    /// Does something with all combinations of values, the last index being the fastest.
    pub fn each_combination(
        &mut self,
        indices: &'a [Index],
        values: &mut Vec<Value>,
        act: &mut dyn FnMut(&mut Self, &[Value]) -> Done<()>,
    ) -> Done<()> {
        let Some((index, rest)) = indices.split_first() else {
            return act(self, values);
        };
        self.each_value(index, &mut |this, value| {
            this.spend(1, &index.span)?;
            values.push(value.clone());
            let result = this.each_combination(rest, values, &mut *act);
            values.pop();
            result
        })
    }
}
