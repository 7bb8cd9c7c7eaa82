//! Local state graphs: what each process of a program sees of all the others.
//!
//! The *view* of a process is its location, its own slots and the shared slots that it reads or writes. A *local state* is what
//! a view has of a global one, and a *local graph* has the steps of the process itself and, as *external* steps, whatever
//! others do to its view. Three ways lead to local graphs, after Zheng \[Zhe14\]:
//!
//! - [`Projection`] (the paper's *Mono*) looks at every state of the whole system, so it is exact;
//! - [`modular`] lets every process tell how it changes shared slots, whatever its own state is then (thread-modular model
//!   checking);
//! - [`ls3`] follows pairs of processes, so that who may do what after what is known.
//!
//! The last two never look at global states. Their graphs have all the local states and steps that there are, and perhaps some
//! that there are not: what holds in all states of such a graph holds, and what is violated need not be.
//!
//! ```
//! use std::sync::Arc;
//! use sweepline_core::Limits;
//! use sweepline_program::{Effect, Expr, ProgramBuilder, ProgramSystem, SlotType};
//! use sweepline_reduce::local::{Views, ls3};
//!
//! // Two processes take a fork and put it back.
//! let mut program = ProgramBuilder::new("fork");
//! let fork = program.slot("fork", SlotType::boolean(), 1);
//! for name in ["P", "Q"] {
//!     let process = program.process(name);
//!     let (think, eat) = (program.location(process, "think"), program.location(process, "eat"));
//!     program
//!         .action("take", process, think, eat)
//!         .guard(Expr::slot(fork).equals(1))
//!         .effect(Effect::assign(fork, 0));
//!     program
//!         .action("put", process, eat, think)
//!         .effect(Effect::assign(fork, 1));
//! }
//! let system = ProgramSystem::new(program.build()?);
//! let views = Arc::new(Views::new(&system, &[])?);
//!
//! // One eats, the other one, or nobody: nobody eats while the fork is there.
//! let graphs = ls3(&views, &Limits::default())?;
//! assert_eq!(graphs.of(0).states(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dependency;
mod graph;
mod joint;
mod ls3;
mod modular;
mod mono;
mod view;

pub use dependency::LocalDependency;
pub use graph::{Edge, LocalGraph, LocalGraphs};
pub use ls3::{ls3, ls3_up_to};
pub use modular::modular;
pub use mono::Projection;
pub use view::{Refusal, Views};

use sweepline_core::{Limits, StopReason};

/// Why local graphs were not completed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    /// They do not end, as far as somebody looked: what no real run does can go on for ever.
    #[error(
        "the local graphs have more than {limit} {what}: seen alone, a process can do more than all of them together"
    )]
    Divergence {
        /// What there are too many of.
        what: &'static str,
        /// How many are too many.
        limit: usize,
    },
    /// Somebody's limit was reached.
    #[error("{0}")]
    Stopped(StopReason),
}

impl From<StopReason> for Unfinished {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// How large the local graphs of all processes together may become before they are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Local states.
    pub states: usize,
    /// Steps.
    pub steps: usize,
    /// Pairs of local states.
    pub pairs: usize,
}

impl Extent {
    /// For who wants to see them. What ends at all ends earlier: of the models of \[Zhe14\] that we have, `peterson.4` takes 847,000
    /// states and 5.4 million steps from what processes guarantee, and `szymanski.5` three million pairs.
    pub const FULL: Self = Self {
        states: 1 << 20,
        steps: 1 << 23,
        pairs: 1 << 23,
    };

    /// For who wants something else and hopes that they help: of the time there is, they may take a few seconds. `lamport.7` takes
    /// 816,000 pairs, and `anderson.4`, whose graphs do not end, is explored in less than a tenth of a second.
    pub const SHARE: Self = Self {
        states: 1 << 18,
        steps: 1 << 20,
        pairs: 3 << 19,
    };
}

/// The most pairs of processes that are looked at.
const MOST_JOINTS: usize = 1 << 18;

/// Work between two looks at the limits.
const MUCH: usize = 1 << 14;

/// Asks now and then, by work done, whether to go on.
struct Budget<'l> {
    limits: &'l Limits,
    extent: Extent,
    work: usize,
}

impl<'l> Budget<'l> {
    /// The first piece of work asks already.
    fn new(limits: &'l Limits, extent: Extent) -> Self {
        Self {
            limits,
            extent,
            work: MUCH,
        }
    }

    /// Takes note of a piece of work. The figures are states, steps, pairs and bytes; they are asked for seldom.
    #[inline]
    fn spend(&mut self, held: impl FnOnce() -> [usize; 4]) -> Result<(), Unfinished> {
        self.work += 1;
        if self.work < MUCH {
            return Ok(());
        }
        self.work = 0;
        let [states, edges, pairs, bytes] = held();
        for (count, limit, what) in [
            (states, self.extent.states, "states"),
            (edges, self.extent.steps, "steps"),
            (pairs, self.extent.pairs, "pairs of states"),
        ] {
            if count > limit {
                return Err(Unfinished::Divergence { what, limit });
            }
        }
        Ok(self.limits.allow(bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::Extent;

    /// `peterson.4` from what processes guarantee and `szymanski.5` by pairs, which take too long for tests.
    #[test]
    fn the_largest_graphs_of_the_paper_fit() {
        let Extent {
            states,
            steps,
            pairs,
        } = Extent::FULL;
        assert!(states > 215_040 + 3 * 210_624 && steps > 1_362_432 + 3 * 1_334_832);
        assert!(pairs > 3_259_941);
    }
}
