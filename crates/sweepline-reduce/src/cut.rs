//! Actions that every cycle of states has.
//!
//! Let every action add a fixed amount to each of some quantities (tokens of a place, a counter, whether a process is at a
//! location), and let the quantities have weights. In a cycle of states all quantities come back to where they were, so
//! the weighted changes sum to zero: some action of the cycle does not make the weighted sum larger. Whatever the weights
//! are, the actions that do not make it larger are a *cut*: each cycle has one of them.
//!
//! Good weights leave few such actions. A linear program charges each action what it lacks to make a step of one; it is
//! solved a few times, and who lacked much is charged less for the same the next time, which drives the lack together
//! \[CWB08\]. Actions that would better not be in the cut are charged more than others. That its solution is rounded does no harm: the cut is read off the rounded weights in exact numbers.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOutcome, Variable};
use sweepline_core::Limits;

/// Programs with more actions, quantities or changes would take too long, and the solver cannot be interrupted. Those of this size take
/// a tenth of a second each.
const MOST_ACTIONS: usize = 600;
const MOST_QUANTITIES: usize = 1000;
const MOST_CHANGES: usize = 1 << 14;
/// How often the linear program is solved.
const ROUNDS: usize = 4;
/// Weights lie between plus and minus this.
const MOST_WEIGHT: f64 = 100_000.0;
/// Nobody is charged less than the most expensive action by more than this factor.
const LEAST_CHARGE: f64 = 100.0;
/// Weights are rounded to parts of one.
const PARTS: f64 = 1024.0;

/// What an action adds to quantities, each at most once.
pub(crate) type Changes = Vec<(usize, i64)>;

/// Sets of actions one of which every cycle has, each once, those with the least harm first: what it does if an action is in the cut is
/// told for each of them. None if there is too much to look at, and fewer if the limits end the search.
pub(crate) fn cuts(
    changes: &[Changes],
    quantities: usize,
    harm: &[u64],
    limits: &Limits,
) -> Vec<Vec<bool>> {
    let mut cuts: Vec<Vec<bool>> = Vec::new();
    let all = changes.iter().map(Vec::len).sum::<usize>();
    if changes.len() > MOST_ACTIONS || quantities > MOST_QUANTITIES || all > MOST_CHANGES {
        return cuts;
    }
    let charged = charged(harm);
    for first in first_costs(changes.len()) {
        let mut costs: Vec<f64> = first.iter().zip(&charged).map(|(a, b)| a * b).collect();
        for _ in 0..ROUNDS {
            if limits.allow(0).is_err() {
                break;
            }
            let Some((weights, lacks)) = solve(changes, quantities, &costs) else {
                break;
            };
            let cut = cut_by(changes, &weights);
            if !cuts.contains(&cut) {
                cuts.push(cut);
            }
            for ((cost, lack), charged) in costs.iter_mut().zip(lacks).zip(&charged) {
                *cost = charged / (lack.max(0.0) + 0.1);
            }
        }
    }
    cuts.sort_by_key(|cut| total(cut, harm));
    cuts
}

/// The harm that a cut does.
pub(crate) fn total(cut: &[bool], harm: &[u64]) -> u64 {
    let harm = cut.iter().zip(harm);
    harm.filter(|(is_in, _)| **is_in)
        .map(|(_, harm)| harm)
        .sum()
}

/// What actions are charged in comparison with each other: not so little that it drowns in rounding.
#[expect(clippy::cast_precision_loss, reason = "these are only weights")]
fn charged(harm: &[u64]) -> Vec<f64> {
    let most = harm.iter().copied().max().unwrap_or(1).max(1) as f64;
    let least = 1.0 / LEAST_CHARGE;
    let harm = harm.iter().map(|it| (*it as f64 / most).max(least));
    harm.collect()
}

/// What actions are charged at first. If all were charged the same, it would be as good to make no progress at all.
fn first_costs(actions: usize) -> [Vec<f64>; 2] {
    #[expect(clippy::cast_precision_loss, reason = "there are few actions")]
    let rising: Vec<f64> = (0..actions)
        .map(|action| 1.0 + action as f64 / actions as f64)
        .collect();
    let falling = rising.iter().rev().copied().collect();
    [rising, falling]
}

/// The actions that do not make the weighted sum larger.
fn cut_by(changes: &[Changes], weights: &[i64]) -> Vec<bool> {
    let progress = |changes: &Changes| -> i128 {
        let parts = changes.iter();
        parts
            .map(|(quantity, by)| i128::from(weights[*quantity]) * i128::from(*by))
            .sum()
    };
    changes
        .iter()
        .map(|changes| progress(changes) <= 0)
        .collect()
}

/// Weights, and what each action lacks.
fn solve(changes: &[Changes], quantities: usize, costs: &[f64]) -> Option<(Vec<i64>, Vec<f64>)> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let weights: Vec<Variable> = (0..quantities)
        .map(|_| problem.add_var(0.0, (-MOST_WEIGHT, MOST_WEIGHT)))
        .collect();
    let lacks: Vec<Variable> = costs
        .iter()
        .map(|cost| problem.add_var(*cost, (0.0, f64::INFINITY)))
        .collect();
    for (changes, lack) in changes.iter().zip(&lacks) {
        let mut left = LinearExpr::empty();
        for (quantity, by) in changes {
            #[expect(
                clippy::cast_precision_loss,
                reason = "the cut is found by exact numbers"
            )]
            left.add(weights[*quantity], *by as f64);
        }
        left.add(*lack, 1.0);
        problem.add_constraint(left, ComparisonOp::Ge, 1.0);
    }
    let Ok(SolveOutcome::Solution(solution)) = problem.solve() else {
        return None;
    };
    let rounded = |variable: &Variable| {
        let value = (solution.var_value(*variable) * PARTS).round();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "weights are far below 2^53"
        )]
        let value = value as i64;
        value
    };
    Some((
        weights.iter().map(rounded).collect(),
        lacks.iter().map(|it| solution.var_value(*it)).collect(),
    ))
}

/// The edges of a graph that go back in a depth-first search, each as often as it is there: every cycle has one. Of the searches
/// that begin at `start` and elsewhere, the one is taken in which the fewest do.
pub(crate) fn back_edges(edges: &[Vec<usize>], start: usize) -> Vec<(usize, usize)> {
    // Very large graphs are searched from a few of their nodes.
    let roots = (WORK / edges.iter().map(Vec::len).sum::<usize>().max(1)).max(1);
    let roots = std::iter::once(start).chain(0..edges.len()).take(roots);
    let searches = roots.map(|root| searched(edges, root));
    searches.min_by_key(Vec::len).unwrap_or_default()
}

/// About how many edges all searches of a graph may look at.
const WORK: usize = 1 << 20;

/// The edges that go back in a search that starts here, and then wherever something is left. An edge that is there twice is
/// there twice.
fn searched(edges: &[Vec<usize>], first: usize) -> Vec<(usize, usize)> {
    let mut back = Vec::new();
    let mut entered = vec![false; edges.len()];
    let mut left = vec![false; edges.len()];
    for root in std::iter::once(first).chain(0..edges.len()) {
        if std::mem::replace(&mut entered[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((at, next)) = path.last_mut() {
            let Some(&target) = edges[*at].get(*next) else {
                left[*at] = true;
                path.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut entered[target], true) {
                path.push((target, 0));
            } else if !left[target] {
                back.push((*at, target));
            }
        }
    }
    back
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token that goes around, and one that goes around with it: one step of four is enough for both.
    #[test]
    fn coupled_cycles_need_one_action() {
        let changes = [
            vec![(0, -1), (1, 1), (2, -1), (3, 1)],
            vec![(1, -1), (0, 1)],
            vec![(3, -1), (2, 1)],
        ];
        let cuts = cuts(&changes, 4, &[1; 3], &Limits::default());
        assert_eq!(total(&cuts[0], &[1; 3]), 1, "{cuts:?}");
    }

    /// Every step of a ring will do, so it is the one that does least harm.
    #[test]
    fn the_least_harm_is_done() {
        let changes = [
            vec![(0, -1), (1, 1)],
            vec![(1, -1), (2, 1)],
            vec![(2, -1), (0, 1)],
        ];
        for least in 0..3 {
            let mut harm = [20; 3];
            harm[least] = 1;
            let cuts = cuts(&changes, 3, &harm, &Limits::default());
            let expected: Vec<bool> = (0..3).map(|it| it == least).collect();
            assert_eq!(cuts[0], expected, "{cuts:?}");
        }
    }

    /// What only goes forward needs none, and what changes nothing is in every cut.
    #[test]
    fn progress_needs_no_cut() {
        let changes = [vec![(0, -1), (1, 1)], vec![(1, -2), (2, 1)], vec![]];
        let cuts = cuts(&changes, 3, &[1; 3], &Limits::default());
        assert_eq!(cuts[0], [false, false, true]);
    }

    /// The solver cannot be interrupted, so it gets nothing that would take long, and nothing when the time is over.
    #[test]
    fn the_solver_gets_nothing_large_and_nothing_late() {
        let dense = |actions: usize| -> Vec<Changes> {
            let changes = |action: usize| {
                let quantities = (0..200).filter(move |it| it % 3 != action % 3);
                quantities.map(|it| (it, 1)).collect()
            };
            (0..actions).map(changes).collect()
        };
        let free = Limits::default();
        assert!(cuts(&dense(200), 200, &[1; 200], &free).is_empty());
        assert!(!cuts(&dense(10), 200, &[1; 10], &free).is_empty());
        free.cancel.cancel();
        assert!(cuts(&dense(10), 200, &[1; 10], &free).is_empty());
    }
}
