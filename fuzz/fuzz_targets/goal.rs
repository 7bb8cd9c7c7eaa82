#![no_main]
//! Any text as a goal of a family of programs (what is printed and not too deep for a predicate says the same), and as the
//! description of the whole family.

use libfuzzer_sys::fuzz_target;
use sweepline::dve::{parse_goal, read_family, read_goals};
use sweepline::logic::parse_pred;

fuzz_target!(|text: &str| {
    if let Ok(goal) = parse_goal(&text.into()) {
        let printed = goal.to_string();
        if let Ok(again) = parse_pred(printed.as_str()) {
            assert_eq!(again.to_string(), printed);
        }
    }
    let _ = read_goals(&text.into(), "1");
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let family = format!(
        "<model><ap><ap-name>goal</ap-name><ap-expression>{escaped}</ap-expression></ap>\
         <property id='1' prop-type='reachability'><formula>goal</formula></property>\
         <instance id='1'><parameters>N=3</parameters></instance></model>"
    );
    let _ = read_family(&family.as_str().into(), "1", &[("K".into(), 2)]);
});
