//! What is explored, followed along its links, is the system again: whatever the measure, the window, the interruptions, the
//! encodings and the changes of measure.

use sweepline_core::{
    Control, LayerClosed, Limits, Link, Linked, Observer, Started, StopReason, Wants,
};
use sweepline_explore::{Caching, CachingOptions, End, Options};

use crate::followed::{follow_many, follow_scaled};
use crate::graph::{Graph, Measure, Method, any_measure, any_system, dynamic, sweep};

/// `cargo test -p sweepline-explore --test explore links_make_the_system_again`: a hundred thousand graphs, in some seconds.
#[test]
fn links_make_the_system_again() {
    follow_many(100_000, |_| (), |(), _, _, _| Ok(()));
}

/// Graphs of some hundred states have layers with tables of their own.
#[test]
fn links_lead_into_large_layers() {
    follow_scaled(200, 40, |_| (), |(), _, _, _| Ok(()));
}

/// A chain of layers with a step back from the last state.
fn chain(length: usize) -> Graph {
    let mut edges: Vec<Vec<usize>> = (1..length).map(|next| vec![next]).collect();
    edges.push(vec![1]);
    let rows: Vec<u8> = (0..length).map(|number| number as u8).collect();
    Graph {
        columns: [vec![0; length], vec![0; length]],
        rows: [rows.clone(), rows],
        ..Graph::plain(edges, vec![0], sweepline_core::Records::Fixed(1))
    }
}

/// The links of a run, in words.
struct Told(Vec<String>);

impl Observer for Told {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }
    fn started(&mut self, event: Started<'_>) -> Control {
        self.0.push(format!("started {:?}", event.links));
        Control::Continue
    }
    fn linked(&mut self, event: Linked<'_>) -> Control {
        self.0.push(format!("{} {:?}", event.number, event.links));
        Control::Continue
    }
}

/// The four sorts of links: two sweeps of a chain, and what the window makes of the step back.
#[test]
fn links_say_where_a_target_is() {
    let graph = chain(4);
    let told = |method, window| {
        let options = Options {
            window,
            ..Options::default()
        };
        let mut told = Told(Vec::new());
        let mut sweep = sweep(&graph, Measure(&graph, method), options);
        assert_eq!(sweep.run_linked(dynamic(&mut told)), End::Complete);
        told.0
    };
    assert_eq!(
        told(Method::Full, 0),
        [
            "started [Ahead(LayerId(0), 0)]",
            "0 [Here(1)]",
            "1 [Here(2)]",
            "2 [Here(3)]",
            "3 [Here(1)]"
        ]
    );
    assert_eq!(
        told(Method::Rows(0), 0),
        [
            "started [Ahead(LayerId(0), 0)]",
            "0 [Ahead(LayerId(1), 0)]",
            "1 [Ahead(LayerId(2), 0)]",
            "2 [Ahead(LayerId(3), 0)]",
            "3 [Persistent(0)]",
            "4 [Ahead(LayerId(5), 0)]",
            "5 [Ahead(LayerId(6), 0)]",
            "6 [Kept(4)]"
        ]
    );
    assert_eq!(
        told(Method::Rows(0), 9).last().map(String::as_str),
        Some("3 [Kept(1)]")
    );
}

/// An observer that wants links but cannot follow, or comes too late, gets no wrong ones.
#[test]
fn links_are_refused_where_they_would_be_wrong() {
    struct Dropping;
    impl Observer for Dropping {
        fn wants(&self) -> Wants {
            Wants::LINKS
        }
        fn can_follow(&self) -> bool {
            false
        }
        fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
            Control::Stop
        }
    }
    let graph = chain(5);
    let rows = || Measure(&graph, Method::Rows(0));
    let linking = || {
        let mut sweep = sweep(&graph, rows(), Options::default());
        assert_eq!(sweep.run_linked(dynamic(&mut Dropping)), End::Stopped);
        sweep
    };
    let full = Measure(&graph, Method::Full);
    assert!(
        linking()
            .remeasured_before(any_measure(full), &mut Dropping)
            .is_err()
    );
    assert!(linking().remeasured(any_measure(rows())).is_err());
    let mut sweep = sweep(&graph, rows(), Options::default());
    assert_eq!(sweep.run(dynamic(&mut Once)), End::Stopped);
    for end in [
        sweep.run(dynamic(&mut Dropping)),
        sweep.run_linked(dynamic(&mut Dropping)),
    ] {
        assert!(matches!(end, End::Limit(StopReason::Other(_))), "{end:?}");
    }
    assert_eq!(sweep.run(dynamic(&mut ())), End::Complete);
    let end = linking().run(dynamic(&mut ()));
    assert!(matches!(end, End::Limit(StopReason::Other(_))), "{end:?}");
    let end =
        Caching::new(any_system(&graph), CachingOptions::default()).run(dynamic(&mut Dropping));
    assert!(matches!(end, End::Limit(StopReason::Other(_))), "{end:?}");
}

/// Stops at the first layer.
struct Once;

impl Observer for Once {
    fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
        Control::Stop
    }
}

/// What an observer holds counts, in the limit and in the peak; what it has on disk is a figure.
#[test]
fn links_that_are_kept_count() {
    struct Keeping(usize);
    impl Observer for Keeping {
        fn wants(&self) -> Wants {
            Wants::LINKS
        }
        fn linked(&mut self, event: Linked<'_>) -> Control {
            self.0 += size_of_val(event.links);
            Control::Continue
        }
        fn bytes(&self) -> usize {
            self.0
        }
        fn disk_bytes(&self) -> u64 {
            77
        }
    }
    let edges = (0..4000).map(|number| (0..20).map(|step| (number * 7 + step) % 4000).collect());
    let graph = Graph::plain(edges.collect(), vec![0], sweepline_core::Records::Fixed(1));
    let run = |memory| {
        let options = Options {
            limits: Limits {
                memory,
                ..Limits::default()
            },
            ..Options::default()
        };
        let mut sweep = sweep(&graph, sweepline_core::NoProgress, options);
        let end = sweep.run_linked(dynamic(&mut Keeping(0)));
        (end, sweep.statistics().clone())
    };
    let (end, statistics) = run(None);
    assert_eq!((end, statistics.disk_bytes), (End::Complete, 77));
    assert!(statistics.peak_bytes > 4000 * 20 * size_of::<Link>());
    let (end, statistics) = run(Some(statistics.peak_bytes / 2));
    assert!(
        matches!(end, End::Limit(StopReason::Memory { .. })),
        "{end:?}"
    );
    assert!(statistics.explored > 1000);
}
