#![no_main]
//! Any text as declarations of CPN ML, and its lines as inscriptions. What can be read is evaluated within a small budget, and
//! what values look like is read again.

use libfuzzer_sys::fuzz_target;
use sweepline_cpn::ml::{Budget, Declarations, Expect, Origin, Value};

const COLOURS: &str = "colset INT = int; colset L = list INT timed; colset P = product INT * L; var n, k: INT; var l: L;";

fuzz_target!(|text: &str| {
    let mut model = Declarations::new();
    let budget = Budget { steps: 10_000, depth: 200, values: 10_000 };
    model.machine_mut().set_budget(budget);
    let _ = model.declare(COLOURS, &Origin::of_text("colours", COLOURS));
    let _ = model.declare(text, &Origin::of_text("declarations", text));
    let binding = vec![Value::UNIT; model.variable_count()];
    for line in text.lines().take(20) {
        let origin = Origin::of_text("inscription", line);
        let _ = model.guard(line, &origin);
        let _ = model.code_segment(line, &origin);
        for colour in model.colours().ids().take(3).collect::<Vec<_>>() {
            let Ok(arc) = model.expression(line, Expect::Arc(colour), &origin) else {
                continue;
            };
            let mut tokens = Vec::new();
            let _ = model.machine_mut().tokens(&arc, &binding, &mut tokens);
            for token in tokens.iter().take(10) {
                let shown = model.colours().show(colour, token.value, model.machine().values());
                let again = model.expression(&shown, Expect::Token(colour), &Origin::of_text("shown", &shown));
                let again = again.expect("what is shown can be read");
                assert_eq!(model.machine_mut().value(&again, &binding), Ok(token.value));
            }
        }
    }
});
