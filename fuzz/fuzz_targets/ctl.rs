#![no_main]
//! Any bytes as a formula of branching time: what is printed parses back to the same.

use libfuzzer_sys::fuzz_target;
use sweepline::logic::parse_ctl;
use sweepline::text::decode;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = decode("fuzz.ctl", bytes.to_vec()) else { return };
    let Ok(parsed) = parse_ctl(&source) else { return };
    let printed = parsed.ctl.to_string();
    let again = parse_ctl(printed.as_str()).expect("what we print can be read");
    assert_eq!(again.ctl.to_string(), printed);
});
