//! Graphs that are written while they are explored, read again: whatever the measure, the window, the interruptions, the
//! encodings and the changes of measure.

#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "the numbers are small, and a panic is a failed test"
)]

#[path = "../../sweepline-explore/tests/explore/followed.rs"]
mod followed;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../../sweepline-explore/tests/explore/graph.rs"]
mod graph;

use proptest::prelude::*;
use sweepline_core::{Control, Statistics};
use sweepline_graph::{About, GraphWriter, Propositions, StoredGraph, SwgError};

use followed::{Follower, Name, follow_many};
use graph::Graph;

/// Writes into memory. The sizes of blocks and pages depend on the graph.
fn writer(graph: &Graph) -> GraphWriter<Vec<u8>> {
    let about = About {
        model: "a random graph".into(),
        fingerprint: 77,
        measure: "a random one".into(),
        actions: vec!["first".into(), "second".into()],
        propositions: Vec::new(),
    };
    let writer = GraphWriter::new(Vec::new(), about, Propositions::none());
    match graph.edges.len() % 4 {
        0 => writer,
        few => writer.with_sizes(few, 2 * few),
    }
}

/// Everything that is in a file is what was told, and the other way round.
fn check(bytes: Vec<u8>, told: &Follower, statistics: &Statistics) -> Result<(), TestCaseError> {
    let stored = StoredGraph::of_bytes(bytes).unwrap();
    let expanded = |name: &Name| {
        let number = told.resolve(*name);
        number.filter(|number| told.nodes.contains_key(number))
    };
    let initial: Vec<Option<u64>> = told.initial.iter().map(expanded).collect();
    prop_assert_eq!(stored.initial().unwrap(), initial);
    prop_assert_eq!(stored.about().fingerprint, 77);
    let figures = stored.figures();
    prop_assert_eq!(figures.complete, statistics.complete);
    prop_assert_eq!(figures.repeated, statistics.repeated);
    prop_assert_eq!(figures.nodes, told.nodes.len() as u64);
    let mut expected = told.nodes.iter();
    let mut edges = 0;
    let visited = stored.forward(|node| {
        let (number, (_, links)) = expected.next().unwrap();
        assert_eq!(node.number, *number);
        let targets: Vec<Option<u64>> = links.iter().map(expanded).collect();
        assert!(node.targets().eq(targets.iter().copied()));
        let ordinals = node.actions.iter().map(|action| action.0 as usize);
        assert!(ordinals.eq(0..links.len()));
        assert_eq!(node.deadlock, links.is_empty());
        edges += links.len() as u64;
        Control::Continue
    });
    prop_assert!(visited.is_ok());
    prop_assert!(expected.next().is_none());
    prop_assert_eq!(figures.edges, edges);
    let mut expected = told.nodes.keys().rev();
    let visited = stored.backward(|node| {
        assert_eq!(Some(&node.number), expected.next());
        Control::Continue
    });
    prop_assert!(visited.is_ok() && expected.next().is_none());
    let layers: Vec<u64> = stored.layers().map(|(_, first)| first).collect();
    prop_assert!(layers.is_sorted());
    prop_assert_eq!(layers.len() as u64, figures.layers);
    Ok(())
}

/// `cargo test -p sweepline-graph --test stored`: fifty thousand graphs.
#[test]
fn what_is_stored_is_what_was_explored() {
    follow_many(50_000, writer, |writer, told, _, statistics| {
        check(writer.finish(statistics).unwrap(), told, statistics)
    });
}

/// Bytes that are missing, added or changed are noticed when the graph is opened or when it is read.
#[test]
fn damage_is_noticed() {
    follow_many(300, writer, |writer, _, graph, statistics| {
        let bytes = writer.finish(statistics).unwrap();
        for length in 0..bytes.len() {
            let cut = StoredGraph::of_bytes(bytes[..length].to_vec());
            prop_assert!(matches!(cut, Err(SwgError::Truncated | SwgError::Foreign)));
            prop_assert_eq!(matches!(cut, Err(SwgError::Foreign)), length == 0);
        }
        let mut longer = bytes.clone();
        longer.push(0);
        prop_assert!(StoredGraph::of_bytes(longer).is_err());
        let mut random = graph::random(graph.edges.len() as u64);
        for place in 0..bytes.len() {
            // Some bytes of the beginning mean nothing yet.
            if (12..16).contains(&place) {
                continue;
            }
            let mut changed = bytes.clone();
            changed[place] ^= 1 << random(8);
            prop_assert!(read_all(StoredGraph::of_bytes(changed.clone())).is_err());
            // Without checksums anything may come out, but it comes.
            let _ = read_all(StoredGraph::of_unchecked_bytes(changed));
        }
        Ok(())
    });
}

fn read_all(stored: Result<StoredGraph, SwgError>) -> Result<u64, SwgError> {
    let stored = stored?;
    let mut edges = 0;
    stored.forward(|node| {
        edges += node.targets().len() as u64;
        Control::Continue
    })?;
    Ok(edges)
}
