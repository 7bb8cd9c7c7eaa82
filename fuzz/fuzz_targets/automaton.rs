#![no_main]
//! Any bytes as a safety automaton.

use libfuzzer_sys::fuzz_target;
use sweepline::process::read_automaton;

fuzz_target!(|bytes: &[u8]| {
    let _ = read_automaton("fuzz.txt", bytes);
});
