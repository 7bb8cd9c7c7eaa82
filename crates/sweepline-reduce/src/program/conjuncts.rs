//! Guards in parts.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::SlotId;
use sweepline_program::{Action, BinaryOp, ChannelId, Effect, Expr, Place, Program, UnaryOp};

use super::instances::Instance;
use super::untold;
use crate::tables::number;

/// The conjuncts of a program, each once.
pub(super) struct Conjuncts<'p> {
    pub(super) program: &'p Program,
    pub(super) list: Vec<Conjunct>,
    numbers: BTreeMap<String, u32>,
}

/// A condition and what decides it.
#[derive(Clone, Debug)]
pub(super) struct Conjunct {
    pub(super) expr: Expr,
    /// The slots it reads, those of channels left out.
    pub(super) reads: BTreeSet<SlotId>,
    /// What it asks of channels.
    pub(super) channels: BTreeMap<ChannelId, Asks>,
    /// Whether values tell nothing of it: it is about a location, or not a condition at all.
    pub(super) opaque: bool,
}

/// What a condition asks of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    Empty,
    NotEmpty,
    Full,
    NotFull,
    /// What the message at the head is; there must be one.
    Front,
    /// Something else.
    Any,
}

impl<'p> Conjuncts<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self {
            program,
            list: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }

    /// The conjuncts of an instance: what tells it apart first, then locations.
    pub(super) fn of_instance(&mut self, instance: &Instance) -> Vec<u32> {
        let told = instance.told_by.iter();
        let mut conjuncts: Vec<u32> = told.map(|it| self.number(it.clone())).collect();
        conjuncts.extend(self.locations_of(&instance.action));
        let mut parts = Vec::new();
        split(&instance.action.guard, &mut parts);
        for part in parts {
            let part = self.number(part.clone());
            if !conjuncts.contains(&part) {
                conjuncts.push(part);
            }
        }
        conjuncts
    }

    pub(super) fn locations_of(&mut self, action: &Action) -> Vec<u32> {
        let moves = action.moves.iter();
        let at = moves.map(|step| self.number(Expr::At(step.process, step.source)));
        at.collect()
    }

    pub(super) fn number(&mut self, expr: Expr) -> u32 {
        let written = format!("{expr:?}");
        if let Some(known) = self.numbers.get(&written) {
            return *known;
        }
        let id = number(self.list.len());
        self.list.push(Conjunct::new(self.program, expr));
        self.numbers.insert(written, id);
        id
    }
}

pub(super) fn split<'e>(guard: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match guard {
        Expr::Binary(BinaryOp::And, left, right) => {
            split(left, parts);
            split(right, parts);
        }
        Expr::Constant(value) if *value != 0 => {}
        other => parts.push(other),
    }
}

impl Conjunct {
    fn new(program: &Program, expr: Expr) -> Self {
        let mut conjunct = Self {
            expr: untold(),
            reads: BTreeSet::new(),
            channels: BTreeMap::new(),
            opaque: false,
        };
        match &expr {
            Expr::Empty(channel) => conjunct.ask(*channel, Asks::Empty),
            Expr::Full(channel) => conjunct.ask(*channel, Asks::Full),
            Expr::Unary(UnaryOp::Not, operand) => match **operand {
                Expr::Empty(channel) => conjunct.ask(channel, Asks::NotEmpty),
                Expr::Full(channel) => conjunct.ask(channel, Asks::NotFull),
                _ => conjunct.read(program, &expr),
            },
            _ => conjunct.read(program, &expr),
        }
        conjunct.expr = expr;
        conjunct
    }

    /// That an action fails: nobody asks for the value, but everything that the action looks at decides it.
    pub(super) fn of_failure(program: &Program, action: &Action) -> Self {
        let mut conjunct = Self::new(program, action.guard.clone());
        (conjunct.expr, conjunct.opaque) = (untold(), true);
        for effect in &action.effects {
            match effect {
                Effect::Assign { place, value } => {
                    conjunct.read(program, value);
                    conjunct.read_place(program, place);
                }
                Effect::Push { channel, values } => {
                    conjunct.ask(*channel, Asks::Any);
                    for value in values {
                        conjunct.read(program, value);
                    }
                }
                Effect::Pop { channel, places } => {
                    conjunct.ask(*channel, Asks::Any);
                    let places = places.iter().flatten();
                    places.for_each(|place| conjunct.read_place(program, place));
                }
            }
        }
        for asks in conjunct.channels.values_mut() {
            *asks = Asks::Any;
        }
        conjunct
    }

    fn read_place(&mut self, program: &Program, place: &Place) {
        if let Place::Element(_, index) = place {
            self.read(program, index);
        }
    }

    fn ask(&mut self, channel: ChannelId, asks: Asks) {
        let known = self.channels.entry(channel).or_insert(asks);
        if *known != asks {
            *known = Asks::Any;
        }
    }

    pub(super) fn read(&mut self, program: &Program, expr: &Expr) {
        expr.walk(&mut |part| match part {
            Expr::Length(channel) | Expr::Full(channel) | Expr::Empty(channel) => {
                self.ask(*channel, Asks::Any);
            }
            Expr::Front(channel, _) => self.ask(*channel, Asks::Front),
            Expr::At(..) => self.opaque = true,
            _ => {}
        });
        let parts = slots(program, expr);
        for slot in parts {
            match channel_of(program, slot) {
                Some(channel) if !names_channel(program, expr, channel) => {
                    self.ask(channel, Asks::Any);
                }
                Some(_) => {}
                None => {
                    let processes = program.processes().iter();
                    self.opaque |= processes.map(|it| it.location).any(|at| at == slot);
                    self.reads.insert(slot);
                }
            }
        }
    }
}

fn slots(program: &Program, expr: &Expr) -> BTreeSet<SlotId> {
    program.reads(expr)
}

/// Whether two conditions never hold together, as far as their text tells: one is the other's opposite, or they compare the same
/// things in ways that exclude each other.
pub(super) fn exclude(one: &Expr, other: &Expr) -> bool {
    let opposite = |one: &Expr, other: &Expr| matches!(one, Expr::Unary(UnaryOp::Not, operand) if **operand == *other);
    if opposite(one, other) || opposite(other, one) {
        return true;
    }
    let (Some((left, op, right)), Some((other_left, other_op, other_right))) =
        (comparison(one), comparison(other))
    else {
        return false;
    };
    match (right, other_right) {
        (Expr::Constant(a), Expr::Constant(b)) if left == other_left => {
            // Some value next to one of the two numbers satisfies both if any does.
            let near = |it: i64| [it.saturating_sub(1), it, it.saturating_add(1)];
            let mut values = near(*a).into_iter().chain(near(*b));
            !values.any(|it| compares(op, it, *a) && compares(other_op, it, *b))
        }
        _ if left == other_left && right == other_right => ![-1, 0, 1]
            .into_iter()
            .any(|it| compares(op, it, 0) && compares(other_op, it, 0)),
        _ if left == other_right && right == other_left => ![-1, 0, 1]
            .into_iter()
            .any(|it| compares(op, it, 0) && compares(other_op, -it, 0)),
        _ => false,
    }
}

/// A comparison, the number on the right if there is one; a condition by itself is compared with 0.
fn comparison(expr: &Expr) -> Option<(&Expr, BinaryOp, &Expr)> {
    const ZERO: &Expr = &Expr::Constant(0);
    Some(match expr {
        Expr::Unary(UnaryOp::Not, operand) => match comparison(operand) {
            Some((left, op, right)) => (left, negated(op)?, right),
            None => (operand, BinaryOp::Equal, ZERO),
        },
        Expr::Binary(op, left, right) => {
            let mirrored = mirrored(*op)?;
            match **left {
                Expr::Constant(_) => (right, mirrored, left),
                _ => (left, *op, right),
            }
        }
        Expr::Slot(_) | Expr::Element(..) => (expr, BinaryOp::NotEqual, ZERO),
        _ => return None,
    })
}

fn compares(op: BinaryOp, a: i64, b: i64) -> bool {
    match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::Less => a < b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::Greater => a > b,
        _ => a >= b,
    }
}

fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        _ => return None,
    })
}

/// The comparison with its operands the other way round.
pub(super) fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::Equal,
        BinaryOp::NotEqual => BinaryOp::NotEqual,
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        _ => return None,
    })
}

/// Whether an expression asks a channel as such. Only then are reads of its slots known to be what they seem.
fn names_channel(program: &Program, expr: &Expr, wanted: ChannelId) -> bool {
    let mut named = false;
    let mut direct = false;
    expr.walk(&mut |part| match part {
        Expr::Length(channel)
        | Expr::Full(channel)
        | Expr::Empty(channel)
        | Expr::Front(channel, _) => named |= *channel == wanted,
        Expr::Slot(slot) => direct |= channel_of(program, *slot) == Some(wanted),
        Expr::Element(array, _) => {
            direct |= channel_of(program, program.array(*array).first) == Some(wanted);
        }
        _ => {}
    });
    named && !direct
}

/// The channel that a slot belongs to.
pub(super) fn channel_of(program: &Program, slot: SlotId) -> Option<ChannelId> {
    let channels = (0..).map(ChannelId).zip(program.channels());
    let mut owners = channels.filter(|(_, channel)| {
        let mut fields = channel.fields.iter();
        channel.length == slot
            || fields.any(|field| {
                let array = program.array(*field);
                (array.first.0..array.first.0 + array.length).contains(&slot.0)
            })
    });
    owners.next().map(|(id, _)| id)
}
