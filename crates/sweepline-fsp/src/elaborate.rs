//! What expressions, sets and labels mean, given what names mean.

mod arithmetic;
mod effort;
mod label;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use sweepline_core::{Limits, StopReason};
use sweepline_process::{Lts, Network};
use sweepline_text::Source;

use crate::ast::{BinaryOp, CompositeDef, Defined, Expr, Labels, Model, ProcessDef, SetExpr, Span};
use crate::errors::{FspError, FspWarning};
use crate::found::Found;
use crate::parser::Failed;
use crate::process::Draft;
use crate::value::Value;
use arithmetic::{binary, unary};

/// A range or set has at most this many elements.
const MOST_ELEMENTS: usize = 1_000_000;

/// Either a result, or an error was reported.
pub(crate) type Done<T> = Result<T, Failed>;

/// A process or composition with arguments.
pub(crate) type Instance = (String, Vec<Value>);

/// Turns the definitions of a model into transition systems.
pub(crate) struct Elaborator<'a> {
    pub source: &'a Source,
    pub model: &'a Model,
    /// Constants, ranges and sets.
    values: HashMap<&'a str, Meaning>,
    /// Parameters and variables, the innermost last.
    pub scope: Vec<(&'a str, Value)>,
    /// The primitive process that is being made.
    pub draft: Draft<'a>,
    /// Primitive processes that have been made; nothing for those that are wrong.
    pub primitives: HashMap<Instance, Option<Arc<Lts>>>,
    /// The same for compositions.
    pub composites: HashMap<Instance, Option<Network>>,
    /// What is being made, the outermost first.
    pub active: Vec<Instance>,
    /// How often hidden labels have been given names of their own.
    pub seals: usize,
    work: usize,
    limits: &'a Limits,
    /// The limit that was reached. From then on nothing is made any more.
    pub stopped: Option<StopReason>,
    /// Work since limits were asked.
    unasked: usize,
    /// How many bytes there are of all that has been made and is still needed, nearly.
    pub held: usize,
    /// The definitions of processes and compositions by name.
    processes: HashMap<&'a str, &'a ProcessDef>,
    compositions: HashMap<&'a str, &'a CompositeDef>,
    /// Levels of actions and compositions that are being made, through all processes.
    nesting: usize,
    pub errors: Found<FspError>,
    pub warnings: Found<FspWarning>,
    /// Where something was reported: a family reports for one of its members only.
    reported: HashSet<(usize, &'static str)>,
}

#[derive(Clone, Debug)]
enum Meaning {
    Constant(i64),
    Range(i64, i64),
    Set(Rc<[String]>),
}

/// What an index can be.
pub(crate) enum Values {
    One(Value),
    Range(i64, i64),
    Set(Rc<[String]>),
}

impl Values {
    fn iter(&self) -> Box<dyn Iterator<Item = Value> + '_> {
        match self {
            Self::One(value) => Box::new(std::iter::once(value.clone())),
            Self::Range(least, greatest) => Box::new((*least..=*greatest).map(Value::Number)),
            Self::Set(set) => Box::new(set.iter().map(|label| Value::of_label(label))),
        }
    }
}

/// What is done with each of several labels, while their variables are bound.
pub(crate) type Act<'x, 'a> = &'x mut dyn FnMut(&mut Elaborator<'a>, &str) -> Done<()>;

impl<'a> Elaborator<'a> {
    pub fn new(source: &'a Source, model: &'a Model, limits: &'a Limits) -> Self {
        let processes = model.processes.iter();
        let compositions = model.composites.iter();
        Self {
            limits,
            stopped: None,
            unasked: 0,
            held: 0,
            processes: processes.map(|p| (p.name.text.as_str(), p)).collect(),
            compositions: compositions.map(|c| (c.name.text.as_str(), c)).collect(),
            source,
            model,
            values: HashMap::new(),
            scope: Vec::new(),
            draft: Draft::default(),
            primitives: HashMap::new(),
            composites: HashMap::new(),
            active: Vec::new(),
            seals: 0,
            work: 0,
            nesting: 0,
            errors: Found::default(),
            warnings: Found::default(),
            reported: HashSet::new(),
        }
    }

    /// Computes constants, ranges and sets; `set` replaces values of constants.
    pub fn define_values(&mut self, set: &[(String, i64)]) {
        for definition in &self.model.values {
            let name = definition.name.text.as_str();
            let replaced = set.iter().rev().find(|(other, _)| other == name);
            let meaning = match (&definition.value, replaced) {
                (Defined::Constant(_), Some((_, value))) => Ok(Meaning::Constant(*value)),
                (Defined::Constant(expr), None) => self.number(expr).map(Meaning::Constant),
                (Defined::Range(least, greatest), _) => self
                    .range(least, greatest)
                    .map(|(least, greatest)| Meaning::Range(least, greatest)),
                (Defined::Set(set), _) => self.defined_set(set).map(Meaning::Set),
            };
            if let Ok(meaning) = meaning {
                self.values.insert(name, meaning);
            }
        }
    }

    fn defined_set(&mut self, set: &'a SetExpr) -> Done<Rc<[String]>> {
        let elements = self.set(set)?;
        if elements.is_empty() {
            return self.empty("the set", set.span());
        }
        Ok(elements)
    }

    /// Constants with their values, in the order of their definitions.
    pub fn constants(&self) -> Vec<(String, i64)> {
        let definitions = self.model.values.iter();
        let constants = definitions.filter_map(|definition| {
            let name = definition.name.text.as_str();
            match self.values.get(name) {
                Some(Meaning::Constant(value)) => Some((name.to_string(), *value)),
                _ => None,
            }
        });
        constants.collect()
    }

    /// The value of an expression over numbers.
    pub fn number(&mut self, expr: &'a Expr) -> Done<i64> {
        match self.value(expr)? {
            Value::Number(number) => Ok(number),
            Value::Label(label) => {
                self.arithmetic(&format!("`{label}` is a label, not a number"), expr)
            }
        }
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &'a Expr) -> Done<Value> {
        let number = match expr {
            Expr::Number(value, _) => *value,
            Expr::Name(name) => {
                let bound = self
                    .scope
                    .iter()
                    .rev()
                    .find(|(other, _)| *other == name.text);
                match (bound, self.values.get(name.text.as_str())) {
                    (Some((_, value)), _) => return Ok(value.clone()),
                    (None, Some(Meaning::Constant(value))) => *value,
                    _ => return Err(Failed),
                }
            }
            Expr::Quoted(labels) => return self.quoted(labels),
            Expr::Unary(operator, operand, _) => {
                let operand = self.number(operand)?;
                self.computed(unary(*operator, operand), expr)?
            }
            Expr::Binary(operator, sides) => {
                return self.binary(*operator, &sides.0, &sides.1, expr);
            }
            Expr::Count(set, _) => {
                let count = self.set(set)?.len();
                i64::try_from(count).expect("a set has fewer elements")
            }
            Expr::Element(set, index, _) => return self.element(set, index, expr),
        };
        Ok(Value::Number(number))
    }

    fn quoted(&mut self, labels: &'a Labels) -> Done<Value> {
        let mut found = Vec::new();
        self.each_label(labels, &mut |_, label| {
            found.push(Value::of_label(label));
            Ok(())
        })?;
        match found.pop() {
            Some(value) if found.is_empty() => Ok(value),
            _ => {
                let why = "several labels are not one value".to_string();
                self.arithmetic_at(why, labels.span.clone())
            }
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        whole: &'a Expr,
    ) -> Done<Value> {
        let number = |truth: bool| Ok(Value::Number(i64::from(truth)));
        match operator {
            BinaryOp::And => {
                return number(self.number(left)? != 0 && self.number(right)? != 0);
            }
            BinaryOp::Or => {
                return number(self.number(left)? != 0 || self.number(right)? != 0);
            }
            BinaryOp::Equal => return number(self.value(left)? == self.value(right)?),
            BinaryOp::NotEqual => return number(self.value(left)? != self.value(right)?),
            _ => {}
        }
        let (left, right) = (self.number(left)?, self.number(right)?);
        self.computed(binary(operator, left, right), whole)
            .map(Value::Number)
    }

    fn computed(&mut self, result: Result<i64, &'static str>, expr: &'a Expr) -> Done<i64> {
        match result {
            Ok(value) => Ok(value),
            Err(why) => self.arithmetic(why, expr),
        }
    }

    fn element(&mut self, set: &'a SetExpr, index: &'a Expr, whole: &'a Expr) -> Done<Value> {
        let elements = self.set(set)?;
        let number = self.number(index)?;
        let element = usize::try_from(number)
            .ok()
            .and_then(|index| elements.get(index));
        match element {
            Some(label) => Ok(Value::of_label(label)),
            None => self.arithmetic(
                &format!(
                    "the set has no element {number}, it has {} from 0 on",
                    elements.len()
                ),
                whole,
            ),
        }
    }

    fn arithmetic<T>(&mut self, why: &str, expr: &Expr) -> Done<T> {
        self.arithmetic_at(why.to_string(), expr.span())
    }

    fn arithmetic_at<T>(&mut self, why: String, span: Span) -> Done<T> {
        self.report(&span, "arithmetic", |this| FspError::Arithmetic {
            why,
            help: this.bindings(&span),
            text: this.source.named(),
            at: span.clone().into(),
        })
    }

    /// The values of the variables that occur in a piece of text.
    fn bindings(&self, span: &Span) -> Option<String> {
        let text = self.source.part(span.clone());
        let words: HashSet<&str> = text
            .text()
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        let mut seen = HashSet::new();
        let bound = self.scope.iter().rev();
        let mut list: Vec<String> = bound
            .filter(|(name, _)| words.contains(name) && seen.insert(*name))
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        list.reverse();
        (!list.is_empty()).then(|| format!("this happens for {}", list.join(", ")))
    }

    fn range(&mut self, least: &'a Expr, greatest: &'a Expr) -> Done<(i64, i64)> {
        let span = least.span().start..greatest.span().end;
        let (least, greatest) = (self.number(least)?, self.number(greatest)?);
        if least > greatest {
            return self.empty(&format!("the range {least}..{greatest}"), span);
        }
        let size = usize::try_from(greatest.abs_diff(least)).unwrap_or(usize::MAX);
        if size >= MOST_ELEMENTS {
            let what = format!("the range {least}..{greatest}");
            return self.too_large(what, MOST_ELEMENTS, "elements", span);
        }
        Ok((least, greatest))
    }

    fn empty<T>(&mut self, what: &str, span: Span) -> Done<T> {
        self.report(&span, "empty", |this| FspError::Empty {
            what: what.to_string(),
            help: this.bindings(&span),
            text: this.source.named(),
            at: span.clone().into(),
        })
    }

    pub fn process_named(&self, name: &str) -> Option<&'a ProcessDef> {
        self.processes.get(name).copied()
    }

    pub fn composite_named(&self, name: &str) -> Option<&'a CompositeDef> {
        self.compositions.get(name).copied()
    }
}
