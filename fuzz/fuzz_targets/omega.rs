#![no_main]
//! Any bytes as an automaton on infinite words: what is written as HOA can be read again.

use libfuzzer_sys::fuzz_target;
use sweepline::logic::omega::read_omega;
use sweepline::text::decode;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = decode("fuzz.hoa", bytes.to_vec()) else { return };
    if let Ok(automaton) = read_omega(&source) {
        let written = automaton.to_hoa();
        let again = read_omega(&written.as_str().into()).expect("what we write can be read");
        assert_eq!(again.edges.len(), automaton.edges.len());
    }
});
