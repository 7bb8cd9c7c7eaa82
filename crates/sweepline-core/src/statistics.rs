//! Figures of an exploration.

use std::time::Duration;

/// What an exploration counted. Different quantities are never mixed: see the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Whether the whole state space was covered.
    pub complete: bool,
    /// Expansions. A state that is expanded in several sweeps counts each time.
    pub explored: u64,
    /// Enabled action occurrences, once per expansion.
    pub edges: u64,
    /// Expansions of deadlocks: states without a step that are no proper end.
    pub deadlock_expansions: u64,
    /// Whether some state may have been expanded twice, so that expansions are not states.
    pub repeated: bool,
    /// Distinct keys of expanded states.
    pub layers: u64,
    /// Distinct columns of expanded states.
    pub columns: u64,
    /// Sweeps in the column that needed most.
    pub sweeps: u64,
    /// Sweeps of all columns together.
    pub column_sweeps: u64,
    /// Edges that lose progress, once per expansion of their source.
    pub regress_edges: u64,
    /// States ever made persistent.
    pub persistent: u64,
    /// States stored at most, read after a state's successors are inserted and before the deletion that follows.
    pub peak_states: u64,
    /// Bytes the stores held at most.
    pub peak_bytes: usize,
    /// Bytes the trace log and observers had on disk at most.
    pub disk_bytes: u64,
    /// States that were looked at before the exploration, for infinite runs that decide something at once. They are not among
    /// the expansions.
    pub probed: u64,
    /// Wall-clock time.
    pub elapsed: Duration,
}

impl Statistics {
    /// The number of distinct states, if it is known: everything was covered and nothing was expanded twice.
    pub fn states(&self) -> Option<u64> {
        (self.complete && !self.repeated).then_some(self.explored)
    }

    /// Adds what was done in another attempt at the same.
    pub fn add(&mut self, other: &Self) {
        self.repeated = true;
        self.explored += other.explored;
        self.edges += other.edges;
        self.deadlock_expansions += other.deadlock_expansions;
        self.layers += other.layers;
        self.columns += other.columns;
        self.sweeps = self.sweeps.max(other.sweeps);
        self.column_sweeps += other.column_sweeps;
        self.regress_edges += other.regress_edges;
        self.persistent += other.persistent;
        self.peak_states = self.peak_states.max(other.peak_states);
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.disk_bytes = self.disk_bytes.max(other.disk_bytes);
        self.probed += other.probed;
        self.elapsed += other.elapsed;
    }

    /// The number of distinct deadlocks, if it is known.
    pub fn deadlocks(&self) -> Option<u64> {
        self.states().map(|_| self.deadlock_expansions)
    }
}
