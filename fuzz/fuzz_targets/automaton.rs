#![no_main]
//! Any bytes as a safety automaton, and as formulas.

use libfuzzer_sys::fuzz_target;
use sweepline::process::{decode, read_automaton, read_formulas};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(source) = decode("fuzz.txt", bytes.to_vec()) {
        let _ = read_automaton(&source);
        let _ = read_formulas(&source);
    }
});
