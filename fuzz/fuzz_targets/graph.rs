#![no_main]
//! Any bytes as a graph file, whatever its checksums say: nothing is read beyond what is there, and nothing takes for ever.

use libfuzzer_sys::fuzz_target;
use sweepline::core::Control;
use sweepline::graph::{Shape, StoredGraph, StoredSystem};

fuzz_target!(|bytes: &[u8]| {
    let Ok(graph) = StoredGraph::of_unchecked_bytes(bytes.to_vec()) else { return };
    let mut edges = 0;
    let read = graph.forward(|node| {
        edges += node.targets().len() as u64;
        Control::Continue
    });
    if read.is_ok() {
        assert_eq!(edges, graph.figures().edges);
        if graph.figures().numbers < 1 << 20 {
            let _ = (Shape::of(&graph), graph.way_to(edges), StoredSystem::new(graph));
        }
    }
});
