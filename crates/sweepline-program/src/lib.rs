//! Programs: processes with guarded actions over slots.
//!
//! Languages of communicating processes are lowered to a [`Program`]. [`ProgramSystem`] interprets it, and
//! `CompiledSystem` (feature `jit`) compiles it to native code; both are the same
//! [`System`](sweepline_core::System).
//!
//! ```
//! use sweepline_core::{Steps, System};
//! use sweepline_program::{Effect, Expr, ProgramBuilder, ProgramSystem, SlotType};
//!
//! // One process that counts to three and stops.
//! let mut program = ProgramBuilder::new("counter");
//! let n = program.slot("n", SlotType::integer(0, 3), 0);
//! let process = program.process("P");
//! let run = program.location(process, "run");
//! program
//!     .action("count", process, run, run)
//!     .guard(Expr::slot(n).less(3))
//!     .effect(Effect::assign(n, Expr::slot(n).plus(1)));
//! let system = ProgramSystem::new(program.build()?);
//!
//! let mut steps = Steps::for_layout(system.layout());
//! system.initial(&mut steps);
//! let state = steps.target(0).to_vec();
//! system.successors(&state, &mut steps);
//! assert_eq!(system.layout().value(steps.target(1), n), 1);
//! # Ok::<(), sweepline_program::ProgramError>(())
//! ```

mod budget;
mod evaluate;
mod interpreter;
mod interval;
mod ir;
#[cfg(feature = "jit")]
mod jit;
mod lower;
mod ranges;

pub use interpreter::ProgramSystem;

pub use ir::{
    Access, Action, ActionBuilder, Array, ArrayId, Assertion, BinaryOp, Channel, ChannelId, Effect,
    Expr, Location, LocationFlags, LocationId, Move, Overflow, Place, Process, ProcessId, Program,
    ProgramBuilder, ProgramError, SlotDecl, SlotType, Span, UnaryOp,
};
#[cfg(feature = "jit")]
pub use jit::{CompileError, CompiledExpr, CompiledSystem};
pub use ranges::{ValueRanges, Values};
