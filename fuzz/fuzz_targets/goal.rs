#![no_main]
//! Any text as a goal of a family of programs: what is printed and not too deep for a predicate says the same.

use libfuzzer_sys::fuzz_target;
use sweepline::dve::parse_goal;
use sweepline::logic::parse_pred;

fuzz_target!(|text: &str| {
    if let Ok(goal) = parse_goal(&text.into()) {
        let printed = goal.to_string();
        if let Ok(again) = parse_pred(printed.as_str()) {
            assert_eq!(again.to_string(), printed);
        }
    }
});
