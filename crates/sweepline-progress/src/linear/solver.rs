//! Linear programs: a thin layer over the solver, so that only this file knows it.

use std::time::{Duration, Instant};

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};

/// How much the search for measures may cost.
///
/// Whatever does not fit into the budget is left out of the answer: fewer transitions are claimed to progress.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// No linear program runs after this instant.
    pub until: Instant,
    /// Nets whose connected parts have more transitions than this only get what needs no linear program.
    pub transitions: usize,
}

impl Budget {
    /// A budget of this much time from now on, for parts of up to 5,000 transitions.
    pub fn lasting(time: Duration) -> Self {
        let now = Instant::now();
        let year = Duration::from_hours(365 * 24);
        Self {
            until: now + time.min(year),
            transitions: 5_000,
        }
    }

    /// Whether a linear program over this many transitions may start.
    pub(super) fn admits(&self, transitions: usize) -> bool {
        transitions <= self.transitions && Instant::now() < self.until
    }
}

impl Default for Budget {
    /// Ten seconds from now on.
    fn default() -> Self {
        Self::lasting(Duration::from_secs(10))
    }
}

/// A linear program to be minimised.
pub(super) struct Program {
    problem: Problem,
    variables: Vec<Variable>,
    rows: usize,
}

/// How the left side of a row compares with its right side.
#[derive(Clone, Copy)]
pub(super) enum Relation {
    AtLeast,
    Equal,
}

impl Program {
    pub(super) fn new() -> Self {
        Self {
            problem: Problem::new(OptimizationDirection::Minimize),
            variables: Vec::new(),
            rows: 0,
        }
    }

    /// A variable from zero to `most`; returns its number.
    pub(super) fn variable(&mut self, cost: f64, most: f64) -> usize {
        self.variables.push(self.problem.add_var(cost, (0.0, most)));
        self.variables.len() - 1
    }

    /// Demands a relation between a sum of variables with factors, none of them twice, and a number.
    pub(super) fn row(
        &mut self,
        sum: impl IntoIterator<Item = (usize, f64)>,
        relation: Relation,
        right: f64,
    ) {
        let mut left = LinearExpr::empty();
        for (variable, factor) in sum {
            left.add(self.variables[variable], factor);
        }
        let relation = match relation {
            Relation::AtLeast => ComparisonOp::Ge,
            Relation::Equal => ComparisonOp::Eq,
        };
        self.rows += 1;
        self.problem.add_constraint(left, relation, right);
    }

    /// What solving usually takes.
    fn expected_time(&self) -> Duration {
        const NANOSECONDS: u64 = 60;
        Duration::from_nanos(NANOSECONDS * (self.rows * self.variables.len()) as u64 + 1)
    }

    /// The values of all variables in an optimal solution, if there is one and it is found in time.
    pub(super) fn minimise(mut self, budget: &Budget) -> Option<Vec<f64>> {
        let left = budget.until.saturating_duration_since(Instant::now());
        // The solver looks at the clock every few hundred steps, and those of large programs take long.
        if left < self.expected_time() {
            return None;
        }
        self.problem.set_time_limit(left);
        let solution = self.problem.solve().ok()?.into_solution().ok()?;
        let value = |&variable: &Variable| solution.var_value(variable);
        Some(self.variables.iter().map(value).collect())
    }
}
