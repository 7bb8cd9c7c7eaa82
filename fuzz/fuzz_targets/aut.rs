#![no_main]
//! Any bytes as an LTS in the Aldebaran format: what is written reads back to the same.

use libfuzzer_sys::fuzz_target;
use sweepline::process::{read_aut, write_lts_aut};

fuzz_target!(|bytes: &[u8]| {
    let Ok(lts) = read_aut("fuzz.aut", bytes) else { return };
    let mut written = Vec::new();
    if write_lts_aut(&lts, &mut written).is_ok() {
        let again = read_aut("fuzz.aut", &written[..]).expect("what we write can be read");
        let mut rewritten = Vec::new();
        write_lts_aut(&again, &mut rewritten).expect("what was read can be written");
        assert_eq!(written, rewritten);
    }
});
