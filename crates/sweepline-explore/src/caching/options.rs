//! How state space caching is set up.

use sweepline_core::Limits;

use crate::log::LogPlace;

/// How to explore depth first with a bounded store.
#[derive(Clone, Debug)]
pub struct CachingOptions {
    /// How many states are kept in all, those on the stack included.
    ///
    /// The stack is always kept whole: where it is longer than this, it alone is kept.
    pub capacity: usize,
    /// Which state is thrown out when the store is full.
    pub replacement: Replacement,
    /// Where random choices start from.
    pub seed: u64,
    /// When to give up.
    pub limits: Limits,
    /// Where the trace log goes. Without one there are paths only to states on the stack.
    pub log: LogPlace,
}

impl Default for CachingOptions {
    /// Room for every state, so that none is thrown out.
    fn default() -> Self {
        Self {
            capacity: usize::MAX,
            replacement: Replacement::default(),
            seed: 0,
            limits: Limits::default(),
            log: LogPlace::default(),
        }
    }
}

/// Which state is thrown out. Only states off the stack are candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// Any one, all with the same chance.
    #[default]
    Random,
    /// The one that left the stack first.
    Oldest,
    /// The one that left the stack last.
    Newest,
    /// The one that was reached least often since it is kept; among these, the one that left the stack first.
    LeastVisited,
    /// The one that has not been reached for longest.
    LeastRecent,
}

impl Replacement {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Random,
        Self::Oldest,
        Self::Newest,
        Self::LeastVisited,
        Self::LeastRecent,
    ];
}
