#![no_main]
//! Any text as the goal of a family of programs, and as the description of the whole family.

use libfuzzer_sys::fuzz_target;
use sweepline::dve::read_goals;

fuzz_target!(|text: &str| {
    let _ = read_goals(&text.into(), "1");
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let family = format!(
        "<model><ap><ap-name>goal</ap-name><ap-expression>{escaped}</ap-expression></ap>\
         <property id='1' prop-type='reachability'><formula>goal</formula></property>\
         <instance id='1'><parameters>N=3</parameters></instance></model>"
    );
    let _ = read_goals(&family.as_str().into(), "1");
});
