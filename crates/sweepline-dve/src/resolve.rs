//! From names to slots: everything that can be found out about an expression where it stands.

use std::ops::Range;

use sweepline_core::Limits;
use sweepline_program::{BinaryOp, Expr, LocationId, Place, ProgramBuilder, UnaryOp};
use sweepline_text::{Name, Source, did_you_mean};

use crate::ast;
use crate::constant::{fold_binary, fold_unary};
use crate::errors::{DveError, DveWarning};
use crate::symbols::{Meaning, ProcessNames, Scope};

/// Names of the whole model, and what was found wrong so far.
pub(crate) struct Resolver<'a> {
    pub source: &'a Source,
    /// Asked as actions are added: rendezvous multiply.
    pub limits: &'a Limits,
    /// The program so far.
    pub builder: ProgramBuilder,
    pub globals: Scope,
    pub processes: Vec<ProcessNames>,
    pub errors: Vec<DveError>,
    pub warnings: Vec<DveWarning>,
}

/// A value that takes the place of one that could not be resolved; an error was reported.
const UNKNOWN: Expr = Expr::Constant(0);

/// What can stand in an expression by its own name.
fn is_value(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Constant(_) | Meaning::Slot(_) | Meaning::Array { .. }
    )
}

fn is_process(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Process(_))
}

fn is_location(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Location(_))
}

impl Resolver<'_> {
    /// An expression in a process, or outside of all of them.
    pub fn expr(&mut self, expr: &ast::Expr, process: Option<usize>) -> Expr {
        match &expr.kind {
            ast::ExprKind::Number(value) => Expr::Constant(*value),
            ast::ExprKind::Name(name) => {
                let meaning = self.value_named(name, process);
                self.scalar(name, meaning)
            }
            ast::ExprKind::Element(name, index) => {
                let meaning = self.value_named(name, process);
                self.element(name, meaning, index, process)
            }
            ast::ExprKind::At(process, state) => self.at(process, state),
            ast::ExprKind::Local(owner, name, index) => {
                let meaning = self.local_of(owner, name);
                match index {
                    Some(index) => self.element(name, meaning, index, process),
                    None => self.scalar(name, meaning),
                }
            }
            ast::ExprKind::Unary(operator, operand) => {
                let operand = self.expr(operand, process);
                fold_unary(unary(*operator), operand)
            }
            ast::ExprKind::Binary(operator, left, right) => {
                let left = self.expr(left, process);
                let right = self.expr(right, process);
                fold_binary(binary(*operator), left, right)
            }
        }
    }

    /// Something that can be assigned to.
    pub fn place(&mut self, expr: &ast::Expr, process: usize) -> Option<Place> {
        let (name, index) = match &expr.kind {
            ast::ExprKind::Name(name) => (name, None),
            ast::ExprKind::Element(name, index) => (name, Some(index)),
            ast::ExprKind::Local(..) => {
                let help = "only a process itself writes its local variables";
                return self.not_assignable("a variable of another process", help, &expr.span);
            }
            _ => {
                let help = "write to a variable or an element of an array";
                return self.not_assignable("an expression", help, &expr.span);
            }
        };
        let meaning = self.value_named(name, Some(process));
        if matches!(
            meaning,
            Meaning::Constant(_) | Meaning::Array { constant: true, .. }
        ) {
            let what = format!("constant `{name}`");
            return self.not_assignable(&what, "declare it without `const`", &expr.span);
        }
        let value = match index {
            Some(index) => self.element(name, meaning, index, Some(process)),
            None => self.scalar(name, meaning),
        };
        match value {
            Expr::Slot(slot) => Some(Place::Slot(slot)),
            Expr::Element(array, index) => Some(Place::Element(array, *index)),
            _ => None,
        }
    }

    fn not_assignable<T>(&mut self, what: &str, help: &str, at: &Range<usize>) -> Option<T> {
        self.errors.push(DveError::NotAssignable {
            what: what.to_string(),
            help: Some(help.to_string()),
            text: self.source.named(),
            at: at.clone().into(),
        });
        None
    }

    /// What a name without process in front of it means.
    fn lookup(&self, name: &str, process: Option<usize>) -> Option<Meaning> {
        let local = process.and_then(|process| self.processes[process].scope.meaning(name));
        local.or_else(|| self.globals.meaning(name))
    }

    fn value_named(&mut self, name: &Name, process: Option<usize>) -> Meaning {
        match self.lookup(&name.text, process) {
            Some(meaning) if is_value(meaning) || meaning == Meaning::Broken => meaning,
            Some(meaning) => self.wrong_kind(name, meaning, "a variable"),
            None => {
                let mut names = self.globals.names(is_value);
                if let Some(process) = process {
                    names.extend(self.processes[process].scope.names(is_value));
                }
                let help = did_you_mean(&name.text, names);
                self.undefined("variable", name, help)
            }
        }
    }

    /// The channel of this name, by its index.
    pub fn channel(&mut self, name: &Name, process: usize) -> Option<usize> {
        match self.lookup(&name.text, Some(process)) {
            Some(Meaning::Channel(index)) => Some(index),
            Some(meaning) => {
                self.wrong_kind(name, meaning, "a channel");
                None
            }
            None => {
                let is_channel = |meaning| matches!(meaning, Meaning::Channel(_));
                let help = did_you_mean(&name.text, self.globals.names(is_channel));
                self.undefined("channel", name, help);
                None
            }
        }
    }

    /// The process of this name, by its index.
    pub fn process(&mut self, name: &Name) -> Option<usize> {
        match self.globals.meaning(&name.text) {
            Some(Meaning::Process(index)) => Some(index),
            Some(meaning) => {
                self.wrong_kind(name, meaning, "a process");
                None
            }
            None => {
                let help = did_you_mean(&name.text, self.globals.names(is_process));
                self.undefined("process", name, help);
                None
            }
        }
    }

    /// A state of a process.
    pub fn location(&mut self, name: &Name, process: usize) -> Option<LocationId> {
        let scope = &self.processes[process].scope;
        match scope.meaning(&name.text) {
            Some(Meaning::Location(location)) => Some(location),
            Some(meaning) => {
                self.wrong_kind(name, meaning, "a state");
                None
            }
            None => {
                let help = did_you_mean(&name.text, scope.names(is_location));
                self.undefined("state", name, help);
                None
            }
        }
    }

    fn at(&mut self, owner: &Name, state: &Name) -> Expr {
        let Some(process) = self.process(owner) else {
            return UNKNOWN;
        };
        let location = self.location(state, process);
        match (self.processes[process].id, location) {
            (Some(id), Some(location)) => Expr::At(id, location),
            (None, Some(_)) => {
                self.errors.push(DveError::WrongKind {
                    name: owner.text.clone(),
                    is: "the property process",
                    wanted: "part of the system",
                    help: None,
                    text: self.source.named(),
                    at: owner.span.clone().into(),
                });
                UNKNOWN
            }
            _ => UNKNOWN,
        }
    }

    fn local_of(&mut self, owner: &Name, name: &Name) -> Meaning {
        let Some(process) = self.process(owner) else {
            return Meaning::Broken;
        };
        let scope = &self.processes[process].scope;
        match scope.meaning(&name.text) {
            Some(meaning) if is_value(meaning) || meaning == Meaning::Broken => meaning,
            Some(Meaning::Location(location)) => {
                let location = Meaning::Location(location);
                self.wrong_kind(name, location, "a variable")
            }
            Some(meaning) => self.wrong_kind(name, meaning, "a variable"),
            None => {
                let help = did_you_mean(&name.text, scope.names(is_value));
                self.undefined("local variable", name, help)
            }
        }
    }

    /// The value of something without index. The name of an array means its first element.
    fn scalar(&mut self, name: &Name, meaning: Meaning) -> Expr {
        match meaning {
            Meaning::Constant(value) => Expr::Constant(value),
            Meaning::Slot(slot) => Expr::Slot(slot),
            Meaning::Array { array, .. } => {
                self.warnings.push(DveWarning::WholeArray {
                    name: name.text.clone(),
                    text: self.source.named(),
                    at: name.span.clone().into(),
                });
                Expr::element(array, 0)
            }
            _ => UNKNOWN,
        }
    }

    fn element(
        &mut self,
        name: &Name,
        meaning: Meaning,
        index: &ast::Expr,
        process: Option<usize>,
    ) -> Expr {
        let value = self.expr(index, process);
        let Meaning::Array { array, length, .. } = meaning else {
            if meaning != Meaning::Broken {
                self.errors.push(DveError::NotAnArray {
                    name: name.text.clone(),
                    text: self.source.named(),
                    at: name.span.clone().into(),
                });
            }
            return UNKNOWN;
        };
        if let Expr::Constant(constant) = value
            && !(0..length).contains(&constant)
        {
            self.errors.push(DveError::IndexOutOfBounds {
                name: name.text.clone(),
                index: constant,
                size: length,
                text: self.source.named(),
                at: index.span.clone().into(),
            });
            return UNKNOWN;
        }
        Expr::element(array, value)
    }

    fn undefined(&mut self, what: &'static str, name: &Name, help: Option<String>) -> Meaning {
        self.errors.push(DveError::Undefined {
            what,
            name: name.text.clone(),
            help,
            text: self.source.named(),
            at: name.span.clone().into(),
        });
        Meaning::Broken
    }

    pub fn wrong_kind(&mut self, name: &Name, meaning: Meaning, wanted: &'static str) -> Meaning {
        if meaning == Meaning::Broken {
            return Meaning::Broken;
        }
        let help = match meaning {
            Meaning::Location(_) => Some(format!("write `P.{name}` to ask whether `P` is there")),
            _ => None,
        };
        self.errors.push(DveError::WrongKind {
            name: name.text.clone(),
            is: meaning.described(),
            wanted,
            help,
            text: self.source.named(),
            at: name.span.clone().into(),
        });
        Meaning::Broken
    }
}

fn unary(operator: ast::UnaryOp) -> UnaryOp {
    match operator {
        ast::UnaryOp::Negate => UnaryOp::Negate,
        ast::UnaryOp::Complement => UnaryOp::Complement,
        ast::UnaryOp::Not => UnaryOp::Not,
    }
}

fn binary(operator: ast::BinaryOp) -> BinaryOp {
    match operator {
        ast::BinaryOp::Imply => BinaryOp::Imply,
        ast::BinaryOp::Or => BinaryOp::Or,
        ast::BinaryOp::And => BinaryOp::And,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::Equal => BinaryOp::Equal,
        ast::BinaryOp::NotEqual => BinaryOp::NotEqual,
        ast::BinaryOp::Less => BinaryOp::Less,
        ast::BinaryOp::LessOrEqual => BinaryOp::LessEqual,
        ast::BinaryOp::Greater => BinaryOp::Greater,
        ast::BinaryOp::GreaterOrEqual => BinaryOp::GreaterEqual,
        ast::BinaryOp::ShiftLeft => BinaryOp::ShiftLeft,
        ast::BinaryOp::ShiftRight => BinaryOp::ShiftRight,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Subtract => BinaryOp::Subtract,
        ast::BinaryOp::Multiply => BinaryOp::Multiply,
        ast::BinaryOp::Divide => BinaryOp::Divide,
        ast::BinaryOp::Remainder => BinaryOp::Remainder,
    }
}
