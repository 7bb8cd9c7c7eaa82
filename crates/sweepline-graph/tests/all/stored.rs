//! Graphs that are written while they are explored, read again: whatever the measure, the window, the interruptions, the
//! encodings and the changes of measure.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use proptest::prelude::*;
use sweepline_core::{ActionId, Control, Limits, NoProgress, Statistics, StopReason};
use sweepline_explore::{End, Options, Sweep};
use sweepline_graph::{
    About, GraphWriter, Propositions, Shape, StoredGraph, StoredSystem, SwgError,
};

use crate::followed::{Follower, Name, follow_many};
use crate::graph::Graph;

/// Writes into memory. The sizes of blocks and pages depend on the graph.
fn writer(graph: &Graph) -> GraphWriter<Vec<u8>> {
    let about = About {
        model: "a random graph".into(),
        fingerprint: 77,
        measure: "a random one".into(),
        actions: vec!["first".into(), "second".into()],
        internal: vec![ActionId(1)],
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
    prop_assert_eq!(&stored.about().internal, &[ActionId(1)]);
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

/// `cargo test -p sweepline-graph --test all`: fifty thousand graphs.
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
        let mut random = crate::graph::random(graph.edges.len() as u64);
        for place in 0..bytes.len() {
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

/// Whatever goes through a whole graph ends when somebody wants it to.
#[test]
fn looking_at_a_graph_can_be_interrupted() {
    follow_many(50, writer, |writer, told, _, statistics| {
        let bytes = writer.finish(statistics).unwrap();
        let limits = Limits::default();
        let stored = StoredGraph::of_bytes(bytes).unwrap().within(&limits);
        limits.cancel.cancel();
        let is_stopped = |error: SwgError| {
            let reason = StopReason::Interrupted;
            matches!(error, SwgError::Stopped(why) if why == reason)
        };
        let Some(&last) = told.nodes.keys().next_back() else {
            return Ok(()); // nothing was expanded, so there is nothing to go through
        };
        prop_assert!(Shape::of(&stored).is_err_and(is_stopped));
        let backward = stored.backward(|_| Control::Continue);
        prop_assert!(backward.is_err_and(is_stopped));
        prop_assert!(stored.way_to(last).is_err_and(is_stopped));
        if statistics.complete {
            prop_assert!(stored.in_memory(1000).is_err_and(is_stopped));
            prop_assert!(StoredSystem::new(stored).is_err_and(is_stopped));
        }
        Ok(())
    });
}

/// Nodes and where their edges lead.
type Edges = Vec<(u64, Vec<u64>)>;

/// Which nodes can be reached from which, by doing what the words say.
fn reachable(edges: &Edges, from: u64) -> Vec<u64> {
    let (mut seen, mut next) = (vec![from], 0);
    while next < seen.len() {
        let place = edges.binary_search_by_key(&seen[next], |(node, _)| *node);
        for &target in &edges[place.unwrap()].1 {
            if !seen.contains(&target) {
                seen.push(target);
            }
        }
        next += 1;
    }
    seen.sort_unstable();
    seen
}

/// Components are classes of nodes that reach each other; nothing else is reached from a terminal one.
fn shape_of(edges: &Edges) -> Shape {
    let reached: Vec<(u64, Vec<u64>)> = edges
        .iter()
        .map(|&(node, _)| (node, reachable(edges, node)))
        .collect();
    let mut shape = Shape::default();
    for (node, from) in &reached {
        let back = |other: &&(u64, Vec<u64>)| from.contains(&other.0) && other.1.contains(node);
        let component: Vec<u64> = reached.iter().filter(back).map(|(node, _)| *node).collect();
        if component[0] == *node {
            shape.components += 1;
            if component == *from {
                shape.terminal += 1;
                shape.terminal_nodes += component.len() as u64;
            }
            shape.largest = shape.largest.max(component.len() as u64);
        }
    }
    let all = edges.iter().flat_map(|(_, targets)| targets);
    let into = |node: u64| all.clone().filter(|target| **target == node).count();
    let out = edges.iter().map(|(_, targets)| targets.len()).max();
    shape.most_out = out.unwrap_or(0) as u64;
    shape.actions = shape.most_out; // they are numbered by ordinals
    shape.most_in = edges.iter().map(|(node, _)| into(*node)).max().unwrap_or(0) as u64;
    let back = |(node, targets): &(u64, Vec<u64>)| targets.iter().filter(|t| *t <= node).count();
    shape.backward = edges.iter().map(back).sum::<usize>() as u64;
    shape
}

/// The shape is what a naive look at the graph finds; the graph explored again is the graph; and every node has a way to it.
#[test]
fn stored_graphs_are_graphs() {
    follow_many(1_000, writer, |writer, told, graph, statistics| {
        let stored = StoredGraph::of_bytes(writer.finish(statistics).unwrap()).unwrap();
        for (&number, (state, _)) in &told.nodes {
            let way = stored.way_to(number).unwrap().unwrap();
            let mut at = graph.initial[way.initial];
            for (&ordinal, node) in way.ordinals.iter().zip(&way.nodes[1..]) {
                at = graph.edges[at][ordinal];
                prop_assert_eq!(at, told.nodes[node].0);
            }
            prop_assert_eq!(at, *state);
            for (source, ordinal) in stored.edges_to(number).unwrap() {
                prop_assert_eq!(told.resolve(told.nodes[&source].1[ordinal]), Some(number));
            }
        }
        prop_assert_eq!(stored.way_to(u64::MAX / 4).unwrap(), None);
        if !statistics.complete {
            prop_assert!(StoredSystem::new(stored).is_err());
            return Ok(());
        }
        let resolve = |link: &Name| told.resolve(*link);
        let edges: Edges = told
            .nodes
            .iter()
            .map(|(&number, (_, links))| (number, links.iter().filter_map(resolve).collect()))
            .collect();
        prop_assert_eq!(Shape::of(&stored).unwrap(), shape_of(&edges));
        let exported = stored.in_memory(1000).unwrap();
        prop_assert_eq!(exported.states().len(), edges.len());
        prop_assert_eq!(exported.edges().len() as u64, stored.figures().edges);
        let figures = stored.figures().clone();
        let system = StoredSystem::new(stored).unwrap();
        let mut again = Sweep::new(&system, NoProgress, Options::default());
        prop_assert_eq!(again.run(&mut ()), End::Complete);
        prop_assert_eq!(again.statistics().explored, figures.nodes);
        prop_assert_eq!(again.statistics().edges, figures.edges);
        prop_assert_eq!(again.statistics().deadlock_expansions, figures.deadlocks);
        Ok(())
    });
}
