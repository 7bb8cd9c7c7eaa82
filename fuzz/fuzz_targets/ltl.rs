#![no_main]
//! Any bytes as a formula of linear time: what is printed parses back to the same, and small ones become automata that agree with
//! them on a word.

use libfuzzer_sys::fuzz_target;
use sweepline::logic::ltl::{holds_on, translate};
use sweepline::logic::omega::accepts;
use sweepline::logic::parse_ltl;
use sweepline::text::decode;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = decode("fuzz.ltl", bytes.to_vec()) else { return };
    let Ok(parsed) = parse_ltl(&source) else { return };
    let printed = parsed.ltl.to_string();
    let again = parse_ltl(printed.as_str()).expect("what we print can be read");
    assert_eq!(again.ltl.to_string(), printed);
    if parsed.ltl.formula.size() > 20 {
        return;
    }
    if let Ok(automaton) = translate(&parsed.ltl) {
        let expected = holds_on(&parsed.ltl.formula, &[0, 1], &[2, 0, 5]);
        assert_eq!(accepts(&automaton, &[0, 1], &[2, 0, 5]), expected, "{printed}");
    }
});
