#![no_main]
//! Any bytes as an explicit state space.

use libfuzzer_sys::fuzz_target;
use sweepline::process::ExplicitSystem;

fuzz_target!(|bytes: &[u8]| {
    let _ = ExplicitSystem::read("fuzz.ss", bytes);
});
