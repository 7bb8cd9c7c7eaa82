//! What it costs to look into a program.

use sweepline_program::{Action, Effect, Expr, Place, Program};

/// Work that may still be done, in counts that take about a nanosecond each.
pub(super) struct Work {
    left: u64,
}

/// What a node of an expression costs when intervals are worked out, and each time an action is followed.
const INTERVAL: u64 = 150;
const NODE: u64 = 100;
/// What each way to follow an action costs beside.
const RUN: u64 = 10_000;

impl Work {
    /// So much work, less that of the intervals of a program; nothing if that is too much.
    pub(super) fn new(program: &Program, most: u64) -> Option<Self> {
        let nodes: u64 = program.actions().iter().map(size).sum();
        let left = most.checked_sub(nodes.saturating_mul(INTERVAL))?;
        Some(Self { left })
    }

    /// An action was followed in so many ways. Nothing if that was too much.
    pub(super) fn followed(&mut self, action: &Action, runs: usize) -> Option<()> {
        let each = RUN + NODE * size(action);
        self.left = self.left.checked_sub(each * runs.max(1) as u64)?;
        Some(())
    }
}

/// The nodes of all expressions of an action.
fn size(action: &Action) -> u64 {
    let effects = action.effects.iter().map(|effect| match effect {
        Effect::Assign { place, value } => of_place(place) + nodes(value),
        Effect::Push { values, .. } => values.iter().map(nodes).sum(),
        Effect::Pop { places, .. } => places.iter().flatten().map(of_place).sum(),
    });
    1 + nodes(&action.guard) + effects.sum::<u64>()
}

fn of_place(place: &Place) -> u64 {
    match place {
        Place::Slot(_) => 1,
        Place::Element(_, index) => 1 + nodes(index),
    }
}

fn nodes(expr: &Expr) -> u64 {
    let mut count = 0;
    expr.walk(&mut |_| count += 1);
    count
}
