#![no_main]
//! Any text as an expression, a list of them and the coordinates of a measure: what is printed parses back to the same.

use libfuzzer_sys::fuzz_target;
use sweepline::logic::{Coordinate, parse_expr, parse_exprs};

fuzz_target!(|text: &str| {
    if let Ok(expr) = parse_expr(text) {
        let printed = expr.to_string();
        let again = parse_expr(printed.as_str()).expect("what we print can be read");
        assert_eq!(again.to_string(), printed);
    }
    let _ = parse_exprs(text);
    let _ = Coordinate::parse(text);
});
