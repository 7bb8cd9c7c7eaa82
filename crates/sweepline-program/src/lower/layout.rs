//! Where the slots of a program lie.

use std::ops::Range;

use sweepline_core::{Layout, Limits, SlotKind, StopReason};

use crate::ir::Program;
use crate::ranges::ranges_of;

/// The layout of a program: its slots in their order, each in as few bits as the values take that it really has, and
/// arrays within a word where that is possible.
pub(crate) fn layout_of(program: &Program, limits: &Limits) -> Result<Layout, StopReason> {
    let slots = program.slots().iter().zip(ranges_of(program, limits)?);
    let builder = slots.fold(Layout::builder(), |builder, (slot, values)| {
        let name = slot.name.clone();
        match &slot.kind.kind {
            SlotKind::Integer => builder.integer(name, values.least, values.greatest),
            SlotKind::Boolean => builder.boolean(name),
            SlotKind::Named(names) => builder.named(name, names.clone()),
        }
    });
    let arrays: Vec<Range<usize>> = program
        .arrays()
        .iter()
        .map(|array| array.first.0 as usize..(array.first.0 + array.length) as usize)
        .collect();
    Ok(builder.build_packed(&arrays))
}
