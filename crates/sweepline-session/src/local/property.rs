//! Properties of one process.

use std::collections::BTreeSet;

use sweepline_core::{SlotId, System};
use sweepline_logic::{
    CompareOp, Definition, Expr, Name, Pred, Predicate, Scope, Source, nearest, parse_pred,
};
use sweepline_program::{Program, ProgramSystem};

use crate::error::Error;
use crate::model::Model;

/// Something that every state of one process satisfies: `P: E`, where `E` is about the process and what it shares.
///
/// Slots of the process may be written without its name, and so may its locations: `P: critical -> turn == x` says
/// the same as `P: P == critical -> turn == P.x`.
#[derive(Clone, Debug)]
pub struct LocalProperty {
    /// As it was written.
    pub text: String,
    /// The process, by number.
    pub process: usize,
    /// What is claimed, with full names.
    pub pred: Pred,
    /// The slots that decide it.
    pub slots: BTreeSet<SlotId>,
    /// Whether it holds in a local state.
    pub holds: Predicate,
}

/// The flag such properties are written behind.
const FLAG: &str = "--local";

impl LocalProperty {
    /// Reads a property.
    pub fn parse(text: &str, model: &Model, system: &ProgramSystem) -> Result<Self, Error> {
        let program = system.program();
        let process = process_of(text, program)?;
        let (pred, source) = Self::predicate(text, model)?;
        let scope = Scope::of(system).with(&model.definitions)?;
        let holds = Predicate::resolve(&pred, &scope, &source)?;
        if holds.needs_enabled() {
            return Err(wrong(
                text,
                "what is enabled depends on all processes",
                "ask the whole model: sweepline check --invariant E",
            ));
        }
        let mut slots = BTreeSet::new();
        slots_of(&pred, system, &model.definitions, &mut slots);
        for slot in &slots {
            if let Some(other) = foreign(program, *slot, process) {
                let name = &program.processes()[process].name;
                return Err(wrong(
                    text,
                    &format!(
                        "it is about `{other}` too, and a local property is about one process and what is shared (here `{name}`)"
                    ),
                    "ask the whole model: sweepline check --invariant E, or --via local with it",
                ));
            }
        }
        Ok(Self {
            text: text.to_owned(),
            process,
            pred,
            slots,
            holds,
        })
    }

    /// The predicate of a property, with full names.
    pub(super) fn predicate(text: &str, model: &Model) -> Result<(Pred, Source), Error> {
        let (process, expr) = split(text)?;
        let source = Source::new(FLAG, expr);
        let mut pred = parse_pred(&source)?;
        qualify(&mut pred, process, model);
        Ok((pred, source))
    }
}

fn wrong(text: &str, why: &str, help: &str) -> Error {
    Error::NotLocal {
        text: text.to_owned(),
        why: why.to_owned(),
        help: help.to_owned(),
    }
}

fn split(text: &str) -> Result<(&str, &str), Error> {
    let parts = text.split_once(':');
    let (process, expr) = parts.ok_or_else(|| {
        wrong(
            text,
            "it does not say which process it is about",
            "write the name of a process before it: --local 'P: E'",
        )
    })?;
    Ok((process.trim(), expr))
}

fn process_of(text: &str, program: &Program) -> Result<usize, Error> {
    let (name, _) = split(text)?;
    process_called(name, program).map_err(|error| match error {
        Error::NoSuchProcess { process, help } => {
            let why = format!("no process is called `{process}`");
            wrong(text, &why, &help)
        }
        error => error,
    })
}

/// The number of a process.
pub(super) fn process_called(name: &str, program: &Program) -> Result<usize, Error> {
    let processes = program.processes();
    if let Some(process) = processes.iter().position(|process| process.name == name) {
        return Ok(process);
    }
    let names = || processes.iter().map(|process| process.name.as_str());
    let help = match nearest(name, names()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
    };
    Err(Error::NoSuchProcess {
        process: name.to_owned(),
        help,
    })
}

/// The process that a slot belongs to, if it is another one.
fn foreign(program: &Program, slot: SlotId, process: usize) -> Option<&str> {
    let mut at = program.processes().iter();
    let at = at.position(|process| process.location == slot);
    let owner = program.slot(slot).owner.map(|owner| owner.0 as usize);
    let owner = at.or(owner).filter(|owner| *owner != process)?;
    Some(&program.processes()[owner].name)
}

/// Writes names in full: slots of the process, and its locations where a truth value is wanted.
fn qualify(pred: &mut Pred, process: &str, model: &Model) {
    match pred {
        Pred::Constant(_) | Pred::Fireable(_) | Pred::Deadlock => {}
        Pred::Holds(name) => {
            let layout = model.system.layout();
            let at = layout.slot_named(process).map(|slot| layout.slot(slot));
            let is_location = at.is_some_and(|slot| match &slot.kind {
                sweepline_core::SlotKind::Named(names) => names.contains(&name.text),
                _ => false,
            });
            let defined = model.definitions.iter().any(|it| it.name.text == name.text);
            if defined {
                return;
            }
            qualify_name(name, process, model);
            if is_location && layout.slot_named(&name.text).is_none() {
                let at = Name {
                    text: process.to_owned(),
                    ..name.clone()
                };
                let here = Expr::Slot(name.clone());
                *pred = Pred::Compare(CompareOp::Equal, Expr::Slot(at), here);
            }
        }
        Pred::Compare(_, left, right) => {
            qualify_expr(left, process, model);
            qualify_expr(right, process, model);
        }
        Pred::Not(operand) => qualify(operand, process, model),
        Pred::And(operands) | Pred::Or(operands) => {
            for operand in operands {
                qualify(operand, process, model);
            }
        }
        Pred::Implies(left, right) | Pred::Iff(left, right) => {
            qualify(left, process, model);
            qualify(right, process, model);
        }
    }
}

fn qualify_expr(expr: &mut Expr, process: &str, model: &Model) {
    match expr {
        Expr::Number(_) => {}
        Expr::Slot(name) | Expr::Rank(name, _) => qualify_name(name, process, model),
        Expr::Sum(parts) => {
            for part in parts {
                qualify_expr(part, process, model);
            }
        }
        Expr::Negate(operand) => qualify_expr(operand, process, model),
        Expr::Binary(_, left, right) => {
            qualify_expr(left, process, model);
            qualify_expr(right, process, model);
        }
    }
}

fn qualify_name(name: &mut Name, process: &str, model: &Model) {
    let layout = model.system.layout();
    let full = format!("{process}.{}", name.text);
    if layout.slot_named(&name.text).is_none() && layout.slot_named(&full).is_some() {
        name.text = full;
    }
}

/// The slots that decide a predicate.
pub(super) fn slots_of(
    pred: &Pred,
    system: &dyn System,
    definitions: &[Definition],
    slots: &mut BTreeSet<SlotId>,
) {
    match pred {
        Pred::Constant(_) | Pred::Fireable(_) | Pred::Deadlock => {}
        Pred::Holds(name) => {
            match definitions.iter().rposition(|it| it.name.text == name.text) {
                // It may use those before it.
                Some(at) => slots_of(&definitions[at].pred, system, &definitions[..at], slots),
                None => slots.extend(system.layout().slot_named(&name.text)),
            }
        }
        Pred::Compare(_, left, right) => {
            slots_of_expr(left, system, slots);
            slots_of_expr(right, system, slots);
        }
        Pred::Not(operand) => slots_of(operand, system, definitions, slots),
        Pred::And(operands) | Pred::Or(operands) => {
            for operand in operands {
                slots_of(operand, system, definitions, slots);
            }
        }
        Pred::Implies(left, right) | Pred::Iff(left, right) => {
            slots_of(left, system, definitions, slots);
            slots_of(right, system, definitions, slots);
        }
    }
}

fn slots_of_expr(expr: &Expr, system: &dyn System, slots: &mut BTreeSet<SlotId>) {
    match expr {
        Expr::Number(_) => {}
        // Whatever is no slot is the name of a value.
        Expr::Slot(name) | Expr::Rank(name, _) => {
            slots.extend(system.layout().slot_named(&name.text));
        }
        Expr::Sum(parts) => {
            for part in parts {
                slots_of_expr(part, system, slots);
            }
        }
        Expr::Negate(operand) => slots_of_expr(operand, system, slots),
        Expr::Binary(_, left, right) => {
            slots_of_expr(left, system, slots);
            slots_of_expr(right, system, slots);
        }
    }
}
