//! Measures from the structure of components.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::{Control, Expanded, NoProgress, Observer, Progress, Statistics, System, Word};
use sweepline_explore::{End, Options, Sweep};
use sweepline_logic::{Errors, MeasureError, Ranges};
use sweepline_process::measure::{RankKind, Ranking, ranks};
use sweepline_process::{Network, NetworkSystem};
use sweepline_progress::{Bound, by_rule};

use crate::models;
use crate::random::{self, Kinds};

/// How numbers of several components are put together.
#[derive(Clone, Copy, Debug)]
enum Together {
    Vector,
    Sums,
}

fn measure(
    network: &Network,
    system: &NetworkSystem,
    ranking: Ranking,
    together: Together,
) -> Result<Bound, Errors<MeasureError>> {
    let summed = matches!(together, Together::Sums);
    let candidate = by_rule(network, system.layout(), ranking, summed);
    candidate.bind(system, Ranges::Known, None)
}

fn measured(network: &Network, ranking: Ranking, together: Together) -> Statistics {
    let system = NetworkSystem::new(network);
    let measure = measure(network, &system, ranking, together).expect("it is small");
    let mut sweep = Sweep::new(&system, &measure, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Complete);
    sweep.statistics().clone()
}

/// Explored states, peak, columns, sweeps of all columns.
fn check(network: &Network, expected: [u64; 4]) {
    let found = measured(network, Ranking::SccOrTree, Together::Vector);
    let found = [
        found.explored,
        found.peak_states,
        found.columns,
        found.column_sweeps,
    ];
    assert_eq!(found, expected);
}

#[test]
fn master_and_slaves_are_explored_twice() {
    for (length, slaves) in [(2, 1), (3, 4), (7, 5), (31, 12)] {
        let configurations = 1 << slaves;
        let states = u64::from(length) * configurations;
        let columns = u64::from(length);
        let network = models::master_slave(length, slaves);
        check(
            &network,
            [2 * states, 2 * configurations, columns, 2 * columns],
        );
    }
}

/// The other rows of the table.
#[test]
fn master_and_slaves_with_more_jobs() {
    for jobs in [24, 28, 34, 40] {
        let length = 2 * jobs - 9;
        let columns = u64::from(length);
        let network = models::master_slave(length, 12);
        check(&network, [2 * columns * 4096, 8192, columns, 2 * columns]);
    }
}

#[test]
fn assigned_jobs_have_known_figures() {
    check(
        &models::master_slave_assigned(20, 12),
        [245_722, 8191, 43, 84],
    );
}

#[test]
fn every_state_of_two_phase_commit_is_a_column() {
    for (voters, states, peak) in [(6, 18_478, 3910), (7, 87_475, 19_535)] {
        let network = models::two_phase_commit(voters);
        check(&network, [states, peak, states, states]);
    }
}

#[test]
fn two_phase_commit_with_more_voters() {
    for (voters, states, peak) in [(8, 420_988, 97_660), (9, 2_051_029, 488_285)] {
        let network = models::two_phase_commit(voters);
        check(&network, [states, peak, states, states]);
    }
}

#[test]
fn stop_and_wait_has_known_figures() {
    for (n, explored, peak) in [
        (20, 5407, 2419),
        (30, 8117, 3619),
        (40, 10_827, 4819),
        (50, 13_537, 6019),
    ] {
        check(&models::stop_and_wait(n), [explored, peak, 1, 8]);
    }
}

/// Records the distinct states.
#[derive(Default)]
struct Seen(BTreeSet<Vec<Word>>);

impl Observer for Seen {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        self.0.insert(event.state.to_vec());
        Control::Continue
    }
}

fn visited(system: &NetworkSystem, progress: &dyn Progress) -> (BTreeSet<Vec<Word>>, Statistics) {
    let mut seen = Seen::default();
    let mut sweep = Sweep::new(system, progress, Options::default());
    assert_eq!(sweep.run(&mut seen), End::Complete);
    (seen.0, sweep.statistics().clone())
}

proptest! {
    /// A column that regresses would end the sweep.
    #[test]
    fn sweeps_visit_what_plain_search_visits(network in random::network(Kinds::All)) {
        let system = NetworkSystem::new(&network);
        let (expected, _) = visited(&system, &NoProgress);
        for ranking in Ranking::ALL {
            for together in [Together::Vector, Together::Sums] {
                let measure = measure(&network, &system, ranking, together).unwrap();
                let (found, statistics) = visited(&system, &measure);
                prop_assert_eq!(&found, &expected, "{} {:?}", ranking, together);
                if measure.row_bits() == 0 {
                    prop_assert_eq!(statistics.explored, expected.len() as u64);
                }
            }
        }
    }

    #[test]
    fn ranks_keep_their_promises(lts in random::lts(8, Kinds::Ordinary)) {
        for ranking in Ranking::ALL {
            for rank in ranks(&lts, ranking) {
                let regresses = lts.states().any(|state| {
                    let mut edges = lts.edges_from(state).iter();
                    let of = |state: u32| rank.ranks[state as usize];
                    edges.any(|edge| of(edge.target.0) < of(state.0))
                });
                prop_assert_eq!(rank.monotone, !regresses);
                prop_assert!(rank.monotone || rank.kind == RankKind::Tree);
                let distinct: BTreeSet<&u64> = rank.ranks.iter().collect();
                let greatest = *rank.ranks.iter().max().unwrap();
                prop_assert_eq!(greatest + 1, distinct.len() as u64);
            }
        }
        let tree = &ranks(&lts, Ranking::Tree)[0].ranks;
        prop_assert_eq!(tree.iter().collect::<BTreeSet<_>>().len(), lts.len());
        prop_assert_eq!(tree[lts.initial().0 as usize], 0);
    }
}

#[test]
fn keys_are_explained() {
    let network = models::master_slave(5, 2);
    let system = NetworkSystem::new(&network);
    let explain = |together| {
        let measure = measure(&network, &system, Ranking::SccOrTree, together).unwrap();
        // The second slave is busy, the first one idle, the master in state 3.
        measure.explain(measure.key(&[0b1_0011]).unwrap())
    };
    assert_eq!(
        explain(Together::Vector),
        "master = 3, slave0 = 0, slave1 = 1"
    );
    assert_eq!(explain(Together::Sums), "master = 3, slave0 + slave1 = 1");
}

#[test]
fn measures_fit_into_a_key_or_are_refused() {
    let refused = |slaves, ranking| {
        let network = models::master_slave(2, slaves);
        let system = NetworkSystem::new(&network);
        measure(&network, &system, ranking, Together::Vector).is_err()
    };
    assert!(!refused(127, Ranking::Tree));
    assert!(refused(128, Ranking::Tree));
    assert!(!refused(128, Ranking::Scc));
}
