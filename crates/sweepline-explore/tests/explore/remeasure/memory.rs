//! Changing the measure when memory has run out.

use std::collections::BTreeSet;

use sweepline_core::{Layout, Records, Statistics, StopReason};
use sweepline_explore::End;

use super::seen::{Seen, Stop, check_complete, options};
use crate::graph::{Graph, METHODS, Measure, Method, SHAPES, any_measure, random, sweep};

/// A graph of some hundred states, so that layers move out of the table they share.
fn medium_graph(shape: Records) -> Graph {
    let mut next = random(11);
    let n = 900;
    // Edges lead to states nearby, so that there is memory to be saved.
    let columns = [200, 350].map(|width| (0..n).map(|state| (state / width) as u8).collect());
    let columns: [Vec<u8>; 2] = columns;
    let rows = [90, 4].map(|rows| (0..n).map(|state| (state * rows / n) as u8).collect());
    let edges = (0..n)
        .map(|source| {
            let targets: Vec<usize> = (0..5).map(|_| source + next(100)).collect();
            let nearby = targets.into_iter().map(|target| target.saturating_sub(30));
            let rises = |target: usize| columns.iter().all(|of| of[source] <= of[target]);
            nearby
                .filter(|&target| target < n && rises(target))
                .collect()
        })
        .collect();
    Graph {
        edges,
        columns,
        rows,
        initial: vec![0, 1, 2],
        layout: Layout::opaque(shape),
    }
}

/// Whenever memory runs out, wherever that happens, the next measure takes over. If it comes to an end, nothing is
/// missing.
#[test]
fn no_state_is_lost_when_memory_runs_out() {
    let (mut completed, mut gave_up) = (0, 0);
    for shape in SHAPES {
        let graph = medium_graph(shape);
        for (first, limit) in (0..METHODS.len()).zip((3_000..).step_by(50)) {
            for limit in (limit..60_000).step_by(1_900) {
                match run_out_of_memory(&graph, first, limit) {
                    Ok(0) => {}
                    Ok(_) => completed += 1,
                    Err(reason) => {
                        assert_eq!(reason, StopReason::Memory { limit });
                        gave_up += 1;
                    }
                }
            }
        }
    }
    assert!(completed > 100 && gave_up > 50, "{completed} {gave_up}");
}

/// The second sweep of many layers is short. Memory that runs out there leaves the roots of the third where they are.
#[test]
fn no_root_is_lost_when_memory_runs_out_between_sweeps() {
    let last = 250;
    let mut graph = Graph {
        edges: (1..=last).map(|next| vec![next]).collect(),
        columns: [vec![0; last + 5], vec![0; last + 5]],
        rows: [0, 0].map(|_| (0..=last).map(|row| row as u8).collect()),
        initial: vec![0],
        layout: Layout::opaque(Records::Fixed(1)),
    };
    // From the last row an edge leads back to a state that leads up and back to another.
    graph.edges.extend((1..=4).map(|next| vec![last + next]));
    graph.edges.push(vec![]);
    for rows in &mut graph.rows {
        rows.extend([0, 1, 0, 1]);
    }
    let rows = METHODS.iter().position(|&method| method == Method::Rows(0));
    let mut ends = BTreeSet::new();
    for limit in (4_500..7_500).step_by(8) {
        ends.insert(run_out_of_memory(&graph, rows.unwrap(), limit).ok());
    }
    assert!(ends.contains(&Some(0)) && ends.len() > 1, "{ends:?}");
}

/// How often the measure was changed until the run was complete.
fn run_out_of_memory(graph: &Graph, first: usize, limit: usize) -> Result<usize, StopReason> {
    let mut options = options(first as u64 % 3);
    options.limits.memory = Some(limit);
    let mut sweep = sweep(graph, Measure(graph, METHODS[first]), options);
    let mut seen = Seen::new(Stop::Never);
    for change in 0..12 {
        // Trying again does not help as a rule, but must not do any harm either.
        let mut before = None;
        for _ in 0..2 {
            match sweep.run(&mut seen) {
                End::Complete => {
                    check_complete(graph, &mut sweep, &seen).unwrap();
                    return Ok(change);
                }
                end => assert_eq!(end, End::Limit(StopReason::Memory { limit })),
            }
            let &Statistics {
                explored,
                edges,
                regress_edges,
                ..
            } = sweep.statistics();
            let figures = (explored, edges, regress_edges);
            assert!(
                before.is_none_or(|before: (_, _, _)| before == figures || before.0 < explored)
            );
            before = Some(figures);
        }
        seen.until(Stop::Never);
        let next = METHODS[(first + change + 1) % METHODS.len()];
        sweep = sweep.remeasured(any_measure(Measure(graph, next)))?;
    }
    Err(StopReason::Memory { limit })
}
