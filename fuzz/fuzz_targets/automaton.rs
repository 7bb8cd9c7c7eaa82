#![no_main]
//! Any bytes as a safety automaton.

use libfuzzer_sys::fuzz_target;
use sweepline::logic::read_automaton;
use sweepline::text::decode;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(source) = decode("fuzz.automaton", bytes.to_vec()) {
        let _ = read_automaton(&source);
    }
});
