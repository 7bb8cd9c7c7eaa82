//! Linear programs: a thin layer over the solver, so that only this file knows it.

use std::time::Duration;

use microlp::{
    ComparisonOp, LinearExpr, OptimizationDirection, Problem, Solution, SolveOutcome, Variable,
};

use super::budget::Budget;

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

    /// What solving usually costs.
    fn usual_work(&self) -> u64 {
        const EACH: usize = 60;
        (EACH * self.rows * self.variables.len()) as u64 + 1
    }

    /// What a step of the solver costs: it solves equations between all rows and prices all variables.
    fn step_work(&self) -> u64 {
        (120 * self.rows + 30 * self.variables.len()) as u64 + 1000
    }

    /// The values of all variables in an optimal solution, if there is one and the budget suffices to find it.
    pub(super) fn minimise(self, budget: &Budget) -> Option<Vec<f64>> {
        if !budget.suffices(self.usual_work()) || !budget.goes_on() {
            return None;
        }
        let Some((solution, steps)) = self.solve(budget) else {
            budget.spend(u64::MAX); // nobody knows how much that was
            return None;
        };
        budget.spend(steps * self.step_work());
        let value = |&variable: &Variable| solution.var_value(variable);
        Some(self.variables.iter().map(value).collect())
    }

    /// A solution that is found within the budget, and how many steps that took.
    ///
    /// The solver only stops by the clock, and goes on in another way from where it was stopped. So the clock only
    /// makes it stop and tell how many steps it has made; if they are not too many, it begins again with more time.
    /// How many it makes until it is done depends on the program alone, and so does what is returned here.
    fn solve(&self, budget: &Budget) -> Option<(Solution, u64)> {
        let most = budget.left() / self.step_work();
        let mut time = Duration::from_nanos(4 * budget.left().min(LATEST)).clamp(SOON, LATE);
        let mut problem = self.problem.clone();
        loop {
            problem.set_time_limit(time);
            match problem.solve().ok()? {
                SolveOutcome::Solution(solution) => {
                    let steps = solution.stats().lp_iterations;
                    return (steps <= most).then_some((solution, steps));
                }
                SolveOutcome::Interrupted(stopped) => {
                    if stopped.stats().lp_iterations > most || !budget.goes_on() {
                        return None;
                    }
                }
            }
            time *= 4;
        }
    }
}

/// When the solver is first asked how far it is.
const SOON: Duration = Duration::from_millis(10);
const LATE: Duration = Duration::from_secs(5);
const LATEST: u64 = 1 << 40;
