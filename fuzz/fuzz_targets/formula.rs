#![no_main]
//! Any bytes as a file of formulas.

use libfuzzer_sys::fuzz_target;
use sweepline::process::{decode, read_formulas};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(source) = decode("fuzz.formula", bytes.to_vec()) {
        let _ = read_formulas(&source);
    }
});
