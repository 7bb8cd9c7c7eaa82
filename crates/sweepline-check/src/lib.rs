//! Questions and their answers: deadlocks, reachability, invariants, bounds; evidence for each.
