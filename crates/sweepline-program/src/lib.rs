//! Programs: processes with guarded actions over slots.
//!
//! Languages of communicating processes are lowered to a [`Program`]. [`ProgramSystem`] interprets it, and
//! `CompiledSystem` (feature `jit`) compiles it to native code; both are the same
//! [`System`](sweepline_core::System).
//!
//! Slots get as few bits as the values need that they can really take (`ranges`: intervals along the control flow), and
//! arrays lie within a word. The program is lowered once, to expressions over words, shifts and masks with the checks that
//! interval analysis cannot rule out. The interpreter walks this form and is the reference; the compiler turns the same form
//! into native code that writes all successors of a state into one buffer. Whatever goes wrong in compiled code, the state
//! is handed to the interpreter, which says what it was.
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
mod conditions;
mod describe;
mod evaluate;
mod interpreter;
mod interval;
mod ir;
#[cfg(feature = "jit")]
mod jit;
mod lower;
mod partial;
mod ranges;

pub use conditions::Conditions;
pub use interpreter::ProgramSystem;
pub use partial::Outcome;

pub use ir::{
    Access, Action, ActionBuilder, Array, ArrayId, Assertion, BinaryOp, Channel, ChannelId, Effect,
    Expr, Location, LocationFlags, LocationId, Message, Move, Overflow, Place, Process, ProcessId,
    Program, ProgramBuilder, ProgramError, SlotDecl, SlotType, SourceText, Span, UnaryOp,
};
#[cfg(feature = "jit")]
pub use jit::{CompileError, CompiledConditions, CompiledExpr, CompiledSystem};
pub use ranges::{Failing, ValueRanges, Values};
