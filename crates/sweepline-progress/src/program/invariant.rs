//! Invariants of the form `a[i] == c`, where `i` is in bounds: what some slots point at, say the empty field of a board, never changes.
//!
//! Candidates are the elements that effects write, with what they hold at the start. Those that some action does not
//! keep, given all others, are dropped until nothing changes, as in Houdini (Flanagan and Leino, FME 2001).

use sweepline_core::SlotId;
use sweepline_program::{Action, ArrayId, BinaryOp, Effect, Expr, Place, Program, ValueRanges};

use super::run::Run;
use super::work::Work;

/// More candidates than this are not looked at.
const MOST: usize = 12;

/// Conditions that hold in all reachable states, unless it takes too much work to find them.
pub(super) fn invariants(
    program: &Program,
    ranges: &ValueRanges<'_>,
    work: &mut Work,
) -> Option<Vec<Expr>> {
    let mut found = candidates(program);
    loop {
        let mut broken = vec![false; found.len()];
        for action in program.actions() {
            if !found.is_empty() && touches(program, action, &found) {
                let runs = Run::all(program, action, ranges, &found);
                work.followed(action, runs.len())?;
                for run in runs {
                    let kept = found.iter().map(|condition| run.keeps(condition));
                    let broke = broken.iter_mut().zip(kept);
                    broke.for_each(|(broken, kept)| *broken |= !kept);
                }
            }
        }
        if !broken.contains(&true) {
            return Some(found);
        }
        let mut broken = broken.into_iter();
        found.retain(|_| broken.next() == Some(false));
    }
}

/// Whether an action may change what one of the conditions reads.
fn touches(program: &Program, action: &Action, conditions: &[Expr]) -> bool {
    let assigned = action.effects.iter().filter_map(|effect| match effect {
        Effect::Assign { place, .. } => Some(vec![place]),
        Effect::Pop { places, .. } => Some(places.iter().flatten().collect()),
        Effect::Push { .. } => None,
    });
    let places: Vec<&Place> = assigned.flatten().collect();
    let reads = |condition: &Expr| {
        let reads = program.reads(condition);
        places.iter().any(|place| match place {
            Place::Slot(slot) => reads.contains(slot),
            Place::Element(array, _) => reads.contains(&program.array(*array).first),
        })
    };
    conditions.iter().any(reads)
}

fn candidates(program: &Program) -> Vec<Expr> {
    let mut found = Vec::new();
    for effect in program.actions().iter().flat_map(|action| &action.effects) {
        let Effect::Assign {
            place: Place::Element(array, index),
            ..
        } = effect
        else {
            continue;
        };
        let field = program
            .channels()
            .iter()
            .any(|channel| channel.fields.contains(array));
        let element =
            at_start(program, index).and_then(|index| program.array(*array).element(index));
        if let (Some(slot), false, false) = (element, field, matches!(index, Expr::Constant(_))) {
            let condition = points_at(program, *array, index, initial(program, slot));
            if found.len() < MOST && !found.contains(&condition) {
                found.push(condition);
            }
        }
    }
    found
}

/// That an element exists and has a value.
fn points_at(program: &Program, array: ArrayId, index: &Expr, value: i64) -> Expr {
    let length = i64::from(program.array(array).length);
    let exists = Expr::Constant(-1).less(index.clone());
    let exists = exists.and(index.clone().less(length));
    exists.and(Expr::element(array, index.clone()).equals(value))
}

fn initial(program: &Program, slot: SlotId) -> i64 {
    program.slot(slot).initial
}

/// The value of an expression over slots in the initial state, if that is easy to say.
fn at_start(program: &Program, expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Slot(slot) => Some(initial(program, *slot)),
        Expr::Binary(op, left, right) => {
            let (left, right) = (at_start(program, left)?, at_start(program, right)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                BinaryOp::Divide => left.checked_div(right),
                BinaryOp::Remainder => left.checked_rem(right),
                _ => None,
            }
        }
        _ => None,
    }
}
