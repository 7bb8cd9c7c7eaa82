//! What a user sees of a model that is wrong.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use sweepline_dve::{DveModel, LoadOptions, read_dve};
use sweepline_text::Source;

fn rendered(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(80)
        .render_report(&mut text, error)
        .expect("a text can be written to");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

fn read(text: &str, constants: &[(&str, i64)]) -> Result<DveModel, String> {
    let constants = constants.iter();
    let options = LoadOptions {
        constants: constants
            .map(|(name, value)| ((*name).into(), *value))
            .collect(),
        ..LoadOptions::default()
    };
    read_dve(&Source::new("model.dve", text), &options).map_err(|errors| rendered(&errors))
}

/// The message for a text that is wrong.
fn refused(text: &str) -> String {
    read(text, &[]).expect_err("the model is wrong")
}

#[test]
fn undefined_names_come_with_proposals() {
    insta::assert_snapshot!(refused(
        "byte count;
         channel wire;
         process P { byte x; state idle, busy; init idl;
           trans idle -> bussy { guard coutn > 0; sync wrie!1; effect y = x; };
         }
         process Q { state s; init s; trans s -> s { guard P.ilde or P->z > 0 or R.s; }; }
         system async;"
    ));
}

#[test]
fn names_are_declared_once() {
    insta::assert_snapshot!(refused(
        "byte a; int a;
         channel a;
         process P { byte s; state s, t, t; init t; }
         process P { state u; init u; }
         system async;"
    ));
}

#[test]
fn a_process_has_one_initial_state() {
    insta::assert_snapshot!(refused(
        "process P { state s, t; }
         process Q { state s, t; init s, t; }
         process R { }
         system async;"
    ));
}

#[test]
fn missing_semicolons_are_pointed_at() {
    insta::assert_snapshot!(refused(
        "byte a
         byte b;
         process P { state s; init s
           trans s -> s { guard a > 0 effect a = 1; };
         }
         system async"
    ));
}

#[test]
fn reading_goes_on_after_a_wrong_transition() {
    insta::assert_snapshot!(refused(
        "process P { state s, t; init s;
           trans s -> { guard 1 +; }, s -> t { guard (1; }, t -> s { effect x == 1; },
                 s t {};
         }
         process { state u; init u; }
         system async;"
    ));
}

#[test]
fn a_process_must_be_closed() {
    insta::assert_snapshot!(refused(
        "process P { state s; init s;
         process Q { state s; init s; }
         system async;"
    ));
}

#[test]
fn sizes_are_sensible() {
    insta::assert_snapshot!(refused(
        "byte n;
         byte a[0]; byte b[-1]; byte c[99999999999]; byte d[n]; byte e[1/0]; byte f[60000]; byte g[60000];
         channel {byte} h[100000];
         process P { state s; init s; }
         system async;"
    ));
}

#[test]
fn constant_indices_are_checked() {
    insta::assert_snapshot!(refused(
        "const byte N = 3; byte a[N]; byte x;
         process P { state s; init s;
           trans s -> s { guard a[N] == 0 and a[-1] == x[0]; effect a[2] = 1, a[1+2] = 1; };
         }
         system async;"
    ));
}

#[test]
fn initial_values_fit() {
    insta::assert_snapshot!(refused(
        "byte a = 256; byte b = -1; int c = 40000; byte d = {1}; byte e[2] = 1; const byte f; byte g = a;
         process P { state s; init s; }
         system async;"
    ));
}

#[test]
fn channels_carry_messages_of_one_size() {
    insta::assert_snapshot!(refused(
        "channel {byte,int} c[2]; channel d; byte x;
         process P { state s; init s;
           trans s -> s { sync c!1; }, s -> s { sync c?{x,x}; },
                 s -> s { sync d!1; }, s -> s { sync d?; }, s -> s { sync x!1; }, s -> s { guard c > 1; };
         }
         system async;"
    ));
}

#[test]
fn only_variables_are_assigned_to() {
    insta::assert_snapshot!(refused(
        "const byte N = 3; byte x; channel c;
         process P { byte y; state s; init s;
           trans s -> s { effect N = 1; }, s -> s { effect Q->z = 1; }, s -> s { sync c?x+1; },
                 s -> s { effect s = 1; };
         }
         process Q { byte z; state s; init s; trans s -> s { sync c!2; }; }
         system async;"
    ));
}

#[test]
fn synchronous_systems_are_refused() {
    insta::assert_snapshot!(refused(
        "process P { state s; init s; }
         system sync;"
    ));
}

#[test]
fn the_system_line_is_needed() {
    insta::assert_snapshot!(refused("process P { state s; init s; }"));
}

#[test]
fn a_property_only_watches() {
    insta::assert_snapshot!(refused(
        "byte x; channel c;
         process P { state s; init s; trans s -> s { guard L.q; sync c!; }; }
         process L { byte y; state q; init q; accept r;
           trans q -> q { effect x = 1; }, q -> q { sync c?; };
         }
         system async property L;"
    ));
    insta::assert_snapshot!(refused(
        "process P { state s; init s; }
         system async property Q;"
    ));
}

#[test]
fn characters_and_numbers_are_checked() {
    insta::assert_snapshot!(refused(
        "byte a = 12x; byte b = 99999999999999999999; byte $c; byte state; /* never closed"
    ));
}

#[test]
fn deep_expressions_are_refused() {
    for (open, close) in [("(", ")"), ("not ", ""), ("a[", "]"), ("1+(", ")")] {
        let (open, close) = (open.repeat(5000), close.repeat(5000));
        let text = format!("byte a[1] = {{{open}0{close}}}; system async;");
        let message = refused(&text);
        assert!(message.contains("nested more than 400 levels"), "{message}");
    }
    let chain = "1+".repeat(5000);
    let message = refused(&format!("byte a = {chain}0; system async;"));
    assert!(message.contains("nested more than 400 levels"));
}

#[test]
fn only_constants_can_be_set() {
    let text = "const byte Window = 3; byte x;
         process P { const int k = 2; state s; init s; }
         system async;";
    assert!(read(text, &[("Window", 4), ("P.k", -5)]).is_ok());
    insta::assert_snapshot!(read(text, &[("window", 4)]).unwrap_err());
    insta::assert_snapshot!(read(text, &[("x", 4), ("Window", 300)]).unwrap_err());
}

#[test]
fn many_errors_are_cut_short() {
    let message = refused(&format!("{} system async;", "byte a; ".repeat(200)));
    assert!(message.contains("and 149 more errors"), "{message}");
}

#[test]
fn doubtful_things_are_only_warned_about() {
    let model = read(
        "byte a[2] = {1, 2, 3}; channel c, d;
         process P { state s, t, u; init s;
           trans s -> s { guard a == 1; sync c!; }, t -> u { sync d?; };
         }
         system async;",
        &[],
    );
    let warnings: Vec<String> = model
        .unwrap()
        .warnings()
        .iter()
        .map(|warning| rendered(warning))
        .collect();
    insta::assert_snapshot!(warnings.join("\n"));
}
