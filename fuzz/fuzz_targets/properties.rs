#![no_main]
//! Any bytes as a property file of a small net.

use libfuzzer_sys::fuzz_target;
use sweepline::net::{family, read_properties};

fuzz_target!(|bytes: &[u8]| {
    let net = family::philosophers(2);
    let _ = read_properties("fuzz.xml", bytes, &net);
});
