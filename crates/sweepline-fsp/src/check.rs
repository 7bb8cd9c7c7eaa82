//! Names: whether what is used is defined, once, and as the right thing.

mod process;
mod value;

use std::collections::HashMap;

use sweepline_text::{Name, Source};

use crate::ast::{
    Change, Composite, Defined, Expr, Fluent, FluentFormula, FormulaBody, Index, LocalDef, Model,
    Parameter, ProcessDef, Relabel, Span,
};
use crate::errors::FspError;
use crate::found::Found;

/// Reports every name that means nothing, or too much.
pub(crate) fn check_names(source: &Source, model: &Model, errors: &mut Found<FspError>) {
    let mut checker = Checker {
        source,
        model,
        values: HashMap::new(),
        globals: HashMap::new(),
        bound: Vec::new(),
        locals: HashMap::new(),
        errors,
    };
    checker.values();
    checker.declare_globals();
    for process in &model.processes {
        checker.process_def(process);
    }
    for composite in &model.composites {
        checker.locals.clear();
        checker.with_parameters(&composite.parameters, |checker| {
            checker.composite(&composite.body);
        });
    }
    checker.sets();
    checker.formulas();
}

struct Checker<'a> {
    source: &'a Source,
    model: &'a Model,
    values: HashMap<&'a str, (Kind, Span)>,
    globals: HashMap<&'a str, Global>,
    /// Parameters and variables that are bound here.
    bound: Vec<&'a str>,
    /// The local processes that can be referred to.
    locals: HashMap<&'a str, Family<'a>>,
    errors: &'a mut Found<FspError>,
}

/// What an upper-case name that is no process can mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Constant,
    Range,
    Set,
}

#[derive(Clone)]
struct Global {
    span: Span,
    parameters: usize,
    composite: bool,
    property: bool,
}

/// Local processes of one name.
#[derive(Clone)]
struct Family<'a> {
    first: &'a LocalDef,
    /// The numbers of indices they have.
    counts: Vec<usize>,
}

impl Kind {
    fn described(self) -> &'static str {
        match self {
            Self::Constant => "a constant",
            Self::Range => "a range",
            Self::Set => "a set",
        }
    }
}

/// What a name should mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Value,
    Set,
    /// Anything with values: what stands alone between brackets.
    Values,
    /// A range or a set.
    Domain,
}

impl Wanted {
    fn takes(self, kind: Kind) -> bool {
        match self {
            Self::Value => kind == Kind::Constant,
            Self::Set => kind == Kind::Set,
            Self::Values => true,
            Self::Domain => kind != Kind::Constant,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Value => "constant",
            Self::Set => "set",
            Self::Values => "constant, range or set",
            Self::Domain => "range or set",
        }
    }

    fn described(self) -> &'static str {
        match self {
            Self::Value => "a constant",
            Self::Set => "a set",
            Self::Values => "a constant, range or set",
            Self::Domain => "a range or set",
        }
    }
}

impl<'a> Checker<'a> {
    /// A value can use those above it.
    fn values(&mut self) {
        for definition in &self.model.values {
            let kind = match &definition.value {
                Defined::Constant(value) => {
                    self.expr(value);
                    Kind::Constant
                }
                Defined::Range(least, greatest) => {
                    self.expr(least);
                    self.expr(greatest);
                    Kind::Range
                }
                Defined::Set(set) => {
                    self.set(set);
                    Kind::Set
                }
            };
            let name = &definition.name;
            if let Some((_, first)) = self.values.get(name.text.as_str()) {
                let first = first.clone();
                self.duplicate(name, first);
            } else {
                self.values.insert(&name.text, (kind, name.span.clone()));
            }
        }
    }

    fn declare_globals(&mut self) {
        let model = self.model;
        let processes = model.processes.iter();
        let processes = processes.map(|p| (&p.name, &p.parameters, false, p.qualifiers.property));
        let composites = model.composites.iter();
        let composites = composites.map(|c| (&c.name, &c.parameters, true, c.qualifiers.property));
        let mut all: Vec<_> = processes.chain(composites).collect();
        all.sort_by_key(|(name, ..)| name.span.start);
        for (name, parameters, composite, property) in all {
            if let Some(first) = self.globals.get(name.text.as_str()) {
                let first = first.span.clone();
                self.duplicate(name, first);
                continue;
            }
            let global = Global {
                span: name.span.clone(),
                parameters: parameters.len(),
                composite,
                property,
            };
            self.globals.insert(&name.text, global);
        }
        for formula in model.formulas.iter().filter(|formula| formula.is_process()) {
            // A process of the same name is meant where one is referred to.
            self.globals.entry(&formula.name.text).or_insert(Global {
                span: formula.name.span.clone(),
                parameters: formula.parameters.len(),
                composite: false,
                property: true,
            });
        }
        self.once(model.progress.iter().map(|progress| &progress.name));
        self.once(model.menus.iter().map(|menu| &menu.name));
        self.once(model.formulas.iter().map(|formula| &formula.name));
    }

    /// Names of one sort are defined once.
    fn once(&mut self, names: impl Iterator<Item = &'a Name>) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for name in names {
            match seen.get(name.text.as_str()) {
                Some(first) => self.duplicate(name, first.clone()),
                None => {
                    seen.insert(&name.text, name.span.clone());
                }
            }
        }
    }

    fn duplicate(&mut self, name: &Name, first: Span) {
        self.errors.push(FspError::Duplicate {
            name: name.text.clone(),
            text: self.source.named(),
            first: first.into(),
            at: name.span.clone().into(),
        });
    }

    /// Progress properties and menus.
    fn sets(&mut self) {
        for progress in &self.model.progress {
            self.binding(&progress.indices, |checker| {
                if let Some(condition) = &progress.condition {
                    checker.set(condition);
                }
                checker.set(&progress.set);
            });
        }
        for menu in &self.model.menus {
            self.set(&menu.set);
        }
    }

    /// Fluents and formulas over them. Which of these there are is seen when they are written out.
    fn formulas(&mut self) {
        for definition in &self.model.formulas {
            self.with_parameters(&definition.parameters, |checker| {
                checker.binding(&definition.indices, |checker| match &definition.body {
                    FormulaBody::Fluent(fluent) => checker.fluent(fluent),
                    FormulaBody::Formula(formula) => checker.formula(formula),
                });
            });
        }
    }

    fn fluent(&mut self, fluent: &'a Fluent) {
        let before = self.bound.len();
        self.labels(&fluent.starts);
        self.labels(&fluent.ends);
        self.bound.truncate(before);
        match &fluent.initially {
            Some(Expr::Name(name)) if ["True", "False"].contains(&&*name.text) => {}
            Some(expr) => self.expr(expr),
            None => {}
        }
    }

    fn formula(&mut self, formula: &'a FluentFormula) {
        match formula {
            FluentFormula::Named(_, indices, arguments) => {
                self.binding(indices, |checker| {
                    for argument in arguments {
                        checker.expr(argument);
                    }
                });
            }
            FluentFormula::Done(labels) => {
                let before = self.bound.len();
                self.labels(labels);
                self.bound.truncate(before);
            }
            FluentFormula::Rigid(expr) => self.expr(expr),
            FluentFormula::Not(part) | FluentFormula::Unary(_, part) => self.formula(part),
            FluentFormula::Implies(left, right)
            | FluentFormula::Iff(left, right)
            | FluentFormula::Binary(_, left, right) => {
                self.formula(left);
                self.formula(right);
            }
            FluentFormula::Joined(_, parts) => {
                for part in parts {
                    self.formula(part);
                }
            }
            FluentFormula::Each(_, indices, body) => {
                self.binding(indices, |checker| checker.formula(body));
            }
        }
    }

    fn process_def(&mut self, process: &'a ProcessDef) {
        self.locals.clear();
        for local in &process.locals {
            let family = self.locals.entry(&local.name.text).or_insert(Family {
                first: local,
                counts: Vec::new(),
            });
            if !family.counts.contains(&local.indices.len()) {
                family.counts.push(local.indices.len());
            }
        }
        self.with_parameters(&process.parameters, |checker| {
            for local in &process.locals {
                checker.binding(&local.indices, |checker| checker.process(&local.body));
            }
            checker.changes(&process.changes);
        });
    }

    fn with_parameters(&mut self, parameters: &'a [Parameter], check: impl FnOnce(&mut Self)) {
        self.once(parameters.iter().map(|parameter| &parameter.name));
        let before = self.bound.len();
        for parameter in parameters {
            self.expr(&parameter.default);
            self.bound.push(&parameter.name.text);
        }
        check(self);
        self.bound.truncate(before);
    }

    /// Checks something in which the variables of indices are bound.
    fn binding(&mut self, indices: &'a [Index], check: impl FnOnce(&mut Self)) {
        let before = self.bound.len();
        for index in indices {
            self.index(index);
        }
        check(self);
        self.bound.truncate(before);
    }

    fn composite(&mut self, composite: &'a Composite) {
        match composite {
            Composite::Reference(reference) => self.global_reference(reference, true),
            Composite::Parallel(parts) => {
                for part in parts {
                    self.composite(part);
                }
            }
            Composite::Forall(indices, body) => {
                self.binding(indices, |checker| checker.composite(body));
            }
            Composite::If(parts) => {
                let (condition, yes, no) = &**parts;
                self.expr(condition);
                self.composite(yes);
                if let Some(no) = no {
                    self.composite(no);
                }
            }
            Composite::Labelled(labels, body) | Composite::Shared(labels, body) => {
                let before = self.bound.len();
                self.labels(labels);
                self.composite(body);
                self.bound.truncate(before);
            }
            Composite::Changed(body, changes) => {
                self.composite(body);
                self.changes(changes);
            }
        }
    }

    fn changes(&mut self, changes: &'a [Change]) {
        for change in changes {
            match change {
                Change::Relabel(pairs) => self.relabels(pairs),
                Change::Extend(set)
                | Change::Hide(set)
                | Change::Expose(set)
                | Change::Priority { set, .. } => self.set(set),
            }
        }
    }

    fn relabels(&mut self, pairs: &'a [Relabel]) {
        for pair in pairs {
            match pair {
                Relabel::Forall(indices, inner) => {
                    self.binding(indices, |checker| checker.relabels(inner));
                }
                Relabel::Pair { new, old } => {
                    let before = self.bound.len();
                    self.labels(new);
                    self.labels(old);
                    self.bound.truncate(before);
                }
            }
        }
    }
}
