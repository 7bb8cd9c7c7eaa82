#![no_main]
//! Any text as a predicate, or as the definition of one: what is printed parses back to the same.

use libfuzzer_sys::fuzz_target;
use sweepline::logic::{parse_definition, parse_pred};

fuzz_target!(|text: &str| {
    if let Ok(pred) = parse_pred(text) {
        let printed = pred.to_string();
        let again = parse_pred(printed.as_str()).expect("what we print can be read");
        assert_eq!(again.to_string(), printed);
    }
    let _ = parse_definition(text);
});
