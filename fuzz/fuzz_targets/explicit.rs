#![no_main]
//! Any bytes as an explicit state space: what is written reads back to the same.

use libfuzzer_sys::fuzz_target;
use sweepline::graph::{read_ss, write_ss};
use sweepline::text::decode;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = decode("fuzz.ss", bytes.to_vec()) else { return };
    let Ok(graph) = read_ss(&source) else { return };
    let mut written = Vec::new();
    if write_ss(&graph, &mut written).is_ok() {
        let source = decode("fuzz.ss", written).expect("what we write is text");
        let again = read_ss(&source).expect("what we write can be read");
        assert_eq!(again.states().len(), graph.states().len());
        assert_eq!(again.edges().len(), graph.edges().len());
    }
});
