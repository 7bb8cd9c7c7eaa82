//! A sweep that goes on with another measure still visits exactly the reachable states, and its paths lead where they
//! say.

mod memory;
mod scale;
mod seen;

use proptest::prelude::*;
use sweepline_core::{Layout, NoProgress, Records, Statistics};
use sweepline_explore::{End, replay};

use self::seen::{Seen, Stop, check_complete, options, stops};
use crate::graph::{Graph, Measure, Method, any_measure, dynamic, graphs, methods, sweep};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn every_state_is_visited_whatever_the_measures(
        graph in graphs(16, true),
        window in 0..3_u64,
        first in methods(),
        changes in prop::collection::vec((stops(), methods(), any::<bool>()), 1..4),
    ) {
        let mut sweep = sweep(&graph, Measure(&graph, first), options(window));
        let mut seen = Seen::new(Stop::Never);
        let mut last = first;
        for (stop, method, keeping) in changes {
            last = method;
            seen.until(stop);
            let end = sweep.run(dynamic(&mut seen));
            prop_assert!(matches!(end, End::Stopped | End::Complete));
            let measure = Measure(&graph, method);
            sweep = if keeping {
                sweep.remeasured_keeping(any_measure(measure), dynamic(&mut ())).unwrap()
            } else {
                sweep.remeasured(any_measure(measure)).unwrap()
            };
            prop_assert!(sweep.statistics().explored <= seen.states.len() as u64);
        }
        seen.until(Stop::Never);
        let explored = sweep.statistics().explored;
        prop_assert_eq!(sweep.run(dynamic(&mut seen)), End::Complete);
        check_complete(&graph, &mut sweep, &seen)?;
        if last == Method::Full && sweep.statistics().explored > explored {
            prop_assert!(seen.stored <= graph.reachable().len() as u64, "something is stored twice");
        }
    }

    /// Before anything is forgotten, which a wide window delays, full search takes over everything.
    #[test]
    fn full_search_takes_over_what_is_stored(
        graph in graphs(16, true), method in methods(), stop in stops(), wide in any::<bool>()
    ) {
        let window = if wide { 100 } else { 0 };
        let mut sweep = sweep(&graph, Measure(&graph, method), options(window));
        let mut seen = Seen::new(stop);
        sweep.run(dynamic(&mut seen));
        let Statistics { layers, columns, repeated, .. } = *sweep.statistics();
        if repeated || layers > 1 && !(wide && columns == 1) {
            return Ok(());
        }
        let mut sweep = sweep.remeasured(any_measure(NoProgress)).unwrap();
        seen.until(Stop::Never);
        prop_assert_eq!(sweep.run(dynamic(&mut seen)), End::Complete);
        check_complete(&graph, &mut sweep, &seen)?;
        let states = graph.reachable().len() as u64;
        prop_assert_eq!(sweep.statistics().states(), Some(states));
    }

    /// A sweep that takes over all that full search has expanded expands nothing again, wherever that is.
    #[test]
    fn a_sweep_keeps_what_full_search_has_expanded(
        graph in graphs(40, true), column in 0..2_usize, stop in stops(), again in stops()
    ) {
        let mut full = sweep(&graph, Measure(&graph, Method::Full), options(0));
        let mut seen = Seen::new(stop);
        full.run(dynamic(&mut seen));
        let measure = Measure(&graph, Method::Columns(column));
        let mut sweep = full.remeasured_keeping(any_measure(measure), dynamic(&mut ())).unwrap();
        seen.until(again);
        sweep.run(dynamic(&mut seen));
        seen.stop = Stop::Never;
        prop_assert_eq!(sweep.run(dynamic(&mut seen)), End::Complete);
        check_complete(&graph, &mut sweep, &seen)?;
        let states = graph.reachable().len() as u64;
        prop_assert_eq!(sweep.statistics().states(), Some(states));
        prop_assert!(sweep.statistics().peak_states <= states, "something is stored twice");
    }

    /// What was forgotten before the change may be expanded again after it.
    #[test]
    fn what_was_forgotten_may_be_repeated(
        graph in graphs(16, true), method in methods(), layers in 0..4_usize
    ) {
        let mut sweep = sweep(&graph, Measure(&graph, method), options(0));
        let mut seen = Seen::new(Stop::AfterLayers(layers));
        sweep.run(dynamic(&mut seen));
        let explored = sweep.statistics().explored;
        let mut sweep = sweep.remeasured(any_measure(NoProgress)).unwrap();
        seen.until(Stop::Never);
        prop_assert_eq!(sweep.run(dynamic(&mut seen)), End::Complete);
        // If more than the last layer was expanded, something is gone, unless nothing was left to do.
        let more = sweep.statistics().explored > explored;
        prop_assert!(!more || layers == 0 || sweep.statistics().repeated);
    }

    /// A wrong claim about columns costs the measure, not the run.
    #[test]
    fn a_wrong_measure_can_be_replaced(graph in graphs(12, false), next in methods()) {
        let mut sweep = sweep(&graph, Measure(&graph, Method::Both(0, 0)), options(0));
        let mut seen = Seen::new(Stop::Never);
        let End::Regress(edge) = sweep.run(dynamic(&mut seen)) else {
            return Ok(());
        };
        let trace = replay(&&graph, &sweep.path_to(edge.number).unwrap()).unwrap();
        prop_assert_eq!(trace.last(), &edge.source[..]);
        seen.until(Stop::Never);
        let mut sweep = sweep.remeasured(any_measure(Measure(&graph, next))).unwrap();
        match sweep.run(dynamic(&mut seen)) {
            End::Complete => check_complete(&graph, &mut sweep, &seen)?,
            end => prop_assert!(matches!(end, End::Regress(_)), "{end:?}"),
        }
    }

    /// Interruptions change nothing, wherever they happen.
    #[test]
    fn a_run_in_parts_equals_one_as_a_whole(
        graph in graphs(16, true), method in methods(), window in 0..3_u64, every in 1..7_usize
    ) {
        let run = |every: usize| {
            let mut sweep = sweep(&graph, Measure(&graph, method), options(window));
            let mut seen = Seen::new(Stop::Never);
            loop {
                let stop = Stop::AfterExpansions(seen.states.len() + every - 1);
                seen.stop = stop;
                match sweep.run(dynamic(&mut seen)) {
                    End::Stopped => {}
                    end => {
                        assert_eq!(end, End::Complete);
                        break;
                    }
                }
            }
            let mut statistics = sweep.statistics().clone();
            (statistics.elapsed, statistics.peak_bytes) = Default::default();
            (statistics, seen.states)
        };
        prop_assert_eq!(run(every), run(usize::MAX / 2));
    }
}

/// 2 is reached by a regress edge and expanded in the second sweep. Under the other rows it lies ahead of 3, which
/// leads back to it, but is still known.
#[test]
fn persistent_states_stay_known() {
    let graph = Graph {
        edges: vec![vec![1], vec![2], vec![3], vec![2]],
        columns: [vec![0; 4], vec![0; 4]],
        rows: [vec![0, 5, 1, 5], vec![0, 0, 1, 0]],
        initial: vec![0],
        layout: Layout::opaque(Records::Fixed(1)),
    };
    let mut sweep = sweep(&graph, Measure(&graph, Method::Rows(0)), options(0));
    let mut seen = Seen::new(Stop::AfterLayers(2));
    assert_eq!(sweep.run(dynamic(&mut seen)), End::Stopped);
    assert_eq!(sweep.statistics().persistent, 1);
    let mut sweep = sweep
        .remeasured(any_measure(Measure(&graph, Method::Rows(1))))
        .unwrap();
    seen.until(Stop::Never);
    assert_eq!(sweep.run(dynamic(&mut seen)), End::Complete);
    check_complete(&graph, &mut sweep, &seen).unwrap();
    assert_eq!(sweep.statistics().explored, 4);
}
