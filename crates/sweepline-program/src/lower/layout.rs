//! Where the slots of a program lie.

use sweepline_core::{Layout, SlotKind};

use crate::ir::Program;

/// The layout of a program: its slots in their order, each in as few bits as its range takes.
pub(crate) fn layout_of(program: &Program) -> Layout {
    let slots = program.slots().iter();
    let builder = slots.fold(Layout::builder(), |builder, slot| {
        let (name, kind) = (slot.name.clone(), &slot.kind);
        match &kind.kind {
            SlotKind::Integer => builder.integer(name, kind.least, kind.greatest),
            SlotKind::Boolean => builder.boolean(name),
            SlotKind::Named(names) => builder.named(name, names.clone()),
        }
    });
    builder.build()
}
