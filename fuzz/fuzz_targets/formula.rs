#![no_main]
//! Any bytes as a file of formulas, and as one of them: what is printed parses back to the same.

use libfuzzer_sys::fuzz_target;
use sweepline::logic::{parse_formula, parse_property, read_formulas};
use sweepline::text::decode;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = decode("fuzz.formula", bytes.to_vec()) else { return };
    let _ = read_formulas(&source);
    let _ = parse_property(&source);
    if let Ok(formula) = parse_formula(&source) {
        let printed = formula.to_string();
        let again = parse_formula(printed.as_str()).expect("what we print can be read");
        assert_eq!(again.to_string(), printed);
    }
});
