//! Actions by the value of an index.
//!
//! `flag[j] == 0` asks all elements of an array, as far as its text tells. Where `j` is 2 it asks one. So an action is split into
//! its *instances*, one for each value that an index in it can have, and the values beyond those are one more: `not (j < 4 and flag[j] == 0)`
//! holds where `j` is 4 and there is no such element.

use sweepline_core::{SlotId, StopReason};
use sweepline_program::{
    Action, ArrayId, BinaryOp, Effect, Expr, Place, Program, UnaryOp, ValueRanges,
};

use crate::pace::Pace;

/// An action in which some indices have certain values.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The action of the program.
    pub(super) origin: u32,
    /// What it is. Its guard has what tells it apart as well.
    pub(super) action: Action,
    /// What tells it from the other instances of its action.
    pub(super) told_by: Vec<Expr>,
}

/// An index has at most so many values, each of which is an instance.
const MOST_VALUES: i64 = 16;
/// An action has at most so many instances.
const MOST_INSTANCES: usize = 64;
/// Programs do not grow beyond this by it.
const MOST_ACTIONS: usize = 2000;

/// The instances of all actions, in the order of actions.
pub(super) fn instances(
    program: &Program,
    ranges: &ValueRanges<'_>,
    pace: &Pace<'_>,
) -> Result<Vec<Instance>, StopReason> {
    let whole = |action: &Action, origin| Instance {
        origin,
        action: action.clone(),
        told_by: Vec::new(),
    };
    let actions = program.actions().iter().zip(0..);
    let mut all = Vec::new();
    for (action, origin) in actions {
        pace.spend()?;
        let mut parts = Vec::new();
        let split = Splitter { program, ranges };
        let few = all.len() < MOST_ACTIONS;
        if few && split.split(whole(action, origin), &mut parts).is_some() {
            all.append(&mut parts);
        } else {
            all.push(whole(action, origin));
        }
    }
    Ok(all)
}

struct Splitter<'a> {
    program: &'a Program,
    ranges: &'a ValueRanges<'a>,
}

impl Splitter<'_> {
    /// Splits an instance until no index can be split any more. Nothing if there are too many.
    fn split(&self, instance: Instance, parts: &mut Vec<Instance>) -> Option<()> {
        if !instance.told_by.is_empty() && self.ranges.before(&instance.action).is_none() {
            return Some(()); // it never happens
        }
        let Some((index, values, others)) = self.next_index(&instance) else {
            parts.push(instance);
            return (parts.len() <= MOST_INSTANCES).then_some(());
        };
        for value in values.clone() {
            let told = index.clone().equals(value);
            let action = substituted(self.program, &instance.action, &index, value);
            self.split(Self::told(&instance, action, told), parts)?;
        }
        if others {
            let least = Expr::binary(BinaryOp::Less, index.clone(), values.start);
            let told = least.or(Expr::binary(
                BinaryOp::GreaterEqual,
                index.clone(),
                values.end,
            ));
            // Nothing is known of it, so its indices are not looked at again.
            parts.push(Self::told(&instance, instance.action.clone(), told));
        }
        (parts.len() <= MOST_INSTANCES).then_some(())
    }

    fn told(instance: &Instance, mut action: Action, told: Expr) -> Instance {
        action.guard = told.clone().and(action.guard);
        let mut told_by = instance.told_by.clone();
        told_by.push(told);
        Instance {
            origin: instance.origin,
            action,
            told_by,
        }
    }

    /// An index that is not a number, its values that are elements, and whether it has others.
    fn next_index(&self, instance: &Instance) -> Option<(Expr, std::ops::Range<i64>, bool)> {
        let values = self.ranges.before(&instance.action)?;
        let mut found = None;
        indices(self.program, &instance.action, &mut |array, index| {
            let length = i64::from(self.program.array(array).length);
            let (least, greatest) = values.of(index);
            let told = instance.told_by.iter().any(|it| mentions(it, index));
            if found.is_some() || told || !self.is_shared(array) {
                return;
            }
            // Few values beyond the array are told apart as well: conditions become simpler by it.
            let close = least >= -2 && greatest <= length + 2;
            let (from, to) = if close {
                (least, greatest + 1)
            } else {
                (least.max(0), (greatest + 1).min(length))
            };
            if from < to && to - from <= MOST_VALUES {
                let others = least < from || greatest >= to;
                found = Some((index.clone(), from..to, others));
            }
        });
        found
    }

    /// Whether an array belongs to nobody. What a process has for itself it uses alone.
    fn is_shared(&self, array: ArrayId) -> bool {
        let first = self.program.array(array).first;
        self.program.slot(first).owner.is_none()
    }
}

fn mentions(expr: &Expr, part: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |it| found |= it == part);
    found
}

/// Calls `visit` with the computed indices of an action, inner ones first, as far as they mean the state before the action.
fn indices(program: &Program, action: &Action, visit: &mut impl FnMut(ArrayId, &Expr)) {
    in_expr(&action.guard, visit);
    let mut written = Vec::new();
    for effect in &action.effects {
        let mut early = |array, index: &Expr| {
            if !reads_any(program, index, &written) {
                visit(array, index);
            }
        };
        match effect {
            Effect::Assign { place, value } => {
                in_expr(value, &mut early);
                in_place(place, &mut early);
            }
            Effect::Push { values, .. } => values.iter().for_each(|it| in_expr(it, &mut early)),
            Effect::Pop { places, .. } => {
                let places = places.iter().flatten();
                places.for_each(|place| in_place(place, &mut early));
            }
        }
        writes(program, effect, &mut written);
    }
}

fn in_place(place: &Place, visit: &mut impl FnMut(ArrayId, &Expr)) {
    if let Place::Element(array, index) = place {
        in_expr(index, visit);
        if !matches!(index, Expr::Constant(_)) {
            visit(*array, index);
        }
    }
}

fn in_expr(expr: &Expr, visit: &mut impl FnMut(ArrayId, &Expr)) {
    let mut found = Vec::new();
    expr.walk(&mut |part| {
        if let Expr::Element(array, index) = part
            && !matches!(**index, Expr::Constant(_))
        {
            found.push((*array, index));
        }
    });
    for (array, index) in found.into_iter().rev() {
        visit(array, index);
    }
}

pub(super) fn reads_any(program: &Program, expr: &Expr, slots: &[SlotId]) -> bool {
    let reads = program.reads(expr);
    slots.iter().any(|slot| reads.contains(slot))
}

/// Adds the slots that an effect may write.
pub(super) fn writes(program: &Program, effect: &Effect, written: &mut Vec<SlotId>) {
    let mut place = |place: &Place| match place {
        Place::Slot(slot) => written.push(*slot),
        Place::Element(array, Expr::Constant(index)) => {
            written.extend(program.array(*array).element(*index));
        }
        Place::Element(array, _) => written.extend(program.array(*array).elements()),
    };
    let channel = match effect {
        Effect::Assign { place: to, .. } => {
            place(to);
            return;
        }
        Effect::Push { channel, .. } => *channel,
        Effect::Pop { channel, places } => {
            places.iter().flatten().for_each(place);
            *channel
        }
    };
    let channel = program.channel(channel);
    written.push(channel.length);
    for field in &channel.fields {
        written.extend(program.array(*field).elements());
    }
}

/// An action where an expression over the state before it has a certain value.
fn substituted(program: &Program, action: &Action, index: &Expr, value: i64) -> Action {
    let mut action = action.clone();
    action.guard = replaced(&action.guard, index, value);
    let mut written = Vec::new();
    for effect in &mut action.effects {
        let before = effect.clone();
        if !reads_any(program, index, &written) {
            replace_in_effect(effect, index, value);
        }
        writes(program, &before, &mut written);
    }
    action
}

fn replace_in_effect(effect: &mut Effect, index: &Expr, value: i64) {
    let in_place = |place: &mut Place| {
        if let Place::Element(_, at) = place {
            *at = replaced(at, index, value);
        }
    };
    match effect {
        Effect::Assign {
            place,
            value: stored,
        } => {
            *stored = replaced(stored, index, value);
            in_place(place);
        }
        Effect::Push { values, .. } => {
            for pushed in values {
                *pushed = replaced(pushed, index, value);
            }
        }
        // Places are assigned one after the other; the first alone sees nothing of the others.
        Effect::Pop { places, .. } => {
            if let Some(place) = places.iter_mut().flatten().next() {
                in_place(place);
            }
        }
    }
}

/// An expression in which a part has a certain value.
fn replaced(expr: &Expr, part: &Expr, value: i64) -> Expr {
    struct Part<'e>(&'e Expr, i64);
    impl Replace for Part<'_> {
        fn replace(&self, expr: &Expr) -> Option<Expr> {
            (expr == self.0).then_some(Expr::Constant(self.1))
        }
    }
    mapped(expr, &Part(part, value))
}

/// What parts of expressions are replaced by.
pub(super) trait Replace {
    /// What stands in the place of an expression, if it is replaced.
    fn replace(&self, expr: &Expr) -> Option<Expr>;

    /// What stands in the place of an element whose index has been replaced already.
    fn element(&self, array: ArrayId, index: &Expr) -> Option<Expr> {
        let _ = (array, index);
        None
    }
}

/// An expression with parts replaced, and computed as far as it is known then.
pub(super) fn mapped(expr: &Expr, by: &impl Replace) -> Expr {
    if let Some(other) = by.replace(expr) {
        return other;
    }
    let inside = |operand: &Expr| Box::new(mapped(operand, by));
    match expr {
        Expr::Element(array, index) => {
            let index = inside(index);
            let element = by.element(*array, &index);
            element.unwrap_or(Expr::Element(*array, index))
        }
        Expr::Unary(op, operand) => folded_unary(*op, inside(operand)),
        Expr::Binary(op, left, right) => folded_binary(*op, inside(left), inside(right)),
        Expr::Conditional(condition, then, otherwise) => match *inside(condition) {
            Expr::Constant(0) => *inside(otherwise),
            Expr::Constant(_) => *inside(then),
            condition => Expr::Conditional(Box::new(condition), inside(then), inside(otherwise)),
        },
        _ => expr.clone(),
    }
}

fn folded_unary(op: UnaryOp, operand: Box<Expr>) -> Expr {
    match (op, &*operand) {
        (UnaryOp::Not, Expr::Constant(value)) => Expr::Constant((*value == 0).into()),
        _ => Expr::Unary(op, operand),
    }
}

/// An operation on known operands, as far as it has a value; an operand that is not asked for is left out, one that is asked for
/// and may have no value is not.
fn folded_binary(op: BinaryOp, left: Box<Expr>, right: Box<Expr>) -> Expr {
    let truth = |value: bool| Expr::Constant(value.into());
    match (op, &*left, &*right) {
        (BinaryOp::And, Expr::Constant(0), _) => truth(false),
        (BinaryOp::Or, Expr::Constant(value), _) if *value != 0 => truth(true),
        (BinaryOp::Imply, Expr::Constant(0), _) => truth(true),
        (BinaryOp::And | BinaryOp::Imply, Expr::Constant(_), _)
        | (BinaryOp::Or, Expr::Constant(0), _)
            if is_truth(&right) =>
        {
            *right
        }
        (_, Expr::Constant(a), Expr::Constant(b)) => {
            computed(op, *a, *b).map_or(Expr::Binary(op, left, right), Expr::Constant)
        }
        _ => Expr::Binary(op, left, right),
    }
}

/// Whether an expression is 0 or 1 wherever it has a value.
fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(value) => matches!(value, 0 | 1),
        Expr::Unary(op, _) => *op == UnaryOp::Not,
        Expr::Binary(op, ..) => matches!(
            op,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Imply
        ),
        Expr::At(..) | Expr::Full(_) | Expr::Empty(_) => true,
        _ => false,
    }
}

/// What an operation gives, if it is one of those that are looked into.
pub(super) fn computed(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Subtract => a.checked_sub(b)?,
        BinaryOp::Multiply => a.checked_mul(b)?,
        BinaryOp::Remainder => a.checked_rem(b)?,
        BinaryOp::Equal => (a == b).into(),
        BinaryOp::NotEqual => (a != b).into(),
        BinaryOp::Less => (a < b).into(),
        BinaryOp::LessEqual => (a <= b).into(),
        BinaryOp::Greater => (a > b).into(),
        BinaryOp::GreaterEqual => (a >= b).into(),
        BinaryOp::And => (a != 0 && b != 0).into(),
        BinaryOp::Or => (a != 0 || b != 0).into(),
        _ => return None,
    })
}
