//! What binding plans are told of inscriptions.

use super::{colour, expression, model};
use crate::ml::{Count, Declarations, Expect, Origin, Pattern, Shape, Term, Value};

/// A pattern in a form that is easily compared.
fn pattern(model: &Declarations, pattern: &Pattern) -> String {
    match pattern {
        Pattern::Variable(variable) => model.variable_name(*variable).to_string(),
        Pattern::Constant(constant) => value(model, model.machine().constant(*constant)),
        Pattern::Fields(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| self::pattern(model, part))
                .collect();
            format!("({})", parts.join(" "))
        }
        Pattern::Computed(inner) => {
            let names = inner
                .variables()
                .iter()
                .map(|variable| model.variable_name(*variable));
            format!("f[{}]", names.collect::<Vec<_>>().join(" "))
        }
    }
}

fn value(model: &Declarations, constant: Value) -> String {
    let values = model.machine().values();
    if let Some(int) = constant.as_int() {
        return int.to_string();
    }
    if values.is_text(constant) {
        return format!("{:?}", values.text(constant));
    }
    let parts = values
        .fields(constant)
        .iter()
        .map(|part| value(model, *part));
    format!("({})", parts.collect::<Vec<_>>().join(" "))
}

fn term(model: &Declarations, term: &Term) -> String {
    let count = match &term.count {
        Count::Fixed(1) => String::new(),
        Count::Fixed(count) => format!("{count}`"),
        Count::Computed(_) => "n`".to_string(),
    };
    let delay = if term.delay.is_some() { "@" } else { "" };
    format!("{count}{}{delay}", pattern(model, &term.pattern))
}

fn shape(model: &Declarations, shape: &Shape) -> String {
    match shape {
        Shape::Sum(terms) => terms
            .iter()
            .map(|one| term(model, one))
            .collect::<Vec<_>>()
            .join(" + "),
        Shape::Equality(left, right) => {
            format!("{} = {}", pattern(model, left), pattern(model, right))
        }
        Shape::Computed => "computed".to_string(),
    }
}

const DECLARATIONS: &str = "colset INT = int; colset NO = int timed; colset DATA = string; colset P = product INT * DATA;
    colset R = record seq: INT * data: DATA; colset U = union Data: R + Ack: INT + Nothing; colset L = list INT;
    colset PH = index ph with 1..5; colset B = bool; var n, k: INT; var d: DATA; var l: L; var p: P; var ok: B; var q: PH;
    val stop = \"#\"; fun next n = n + 1;";

#[test]
fn arcs() {
    let mut model = model(DECLARATIONS);
    for (place, text, expected) in [
        ("INT", "n", "n"),
        ("P", "(n, d)", "(n d)"),
        ("P", "(n+1, d)", "(f[n] d)"),
        ("P", "2`(1, stop)++1`(k, d)", "2`(1 \"#\") + (k d)"),
        ("P", "n`p", "n`p"),
        ("U", "Data {data = d, seq = n}", "(0 (d n))"),
        ("U", "Ack(n)", "(1 n)"),
        ("U", "Nothing", "2"),
        ("L", "n::l", "(n l)"),
        ("L", "[n, 3]", "(n (3 0))"),
        ("L", "l^^[n]", "f[n l]"),
        ("L", "[]", "0"),
        ("PH", "q", "q"),
        ("PH", "ph(n)", "n"),
        ("INT", "next 3", "4"),
        ("INT", "next n", "f[n]"),
        ("INT", "if ok then 1`n else empty", "computed"),
        ("INT", "empty", ""),
        ("NO", "n @+ k", "n@"),
        ("NO", "1`n @+ 3 +++ 1`k", "n@ + k"),
    ] {
        let place = colour(&model, place);
        let arc = expression(&mut model, text, Expect::Arc(place));
        assert_eq!(shape(&model, arc.shape()), expected, "{text}");
    }
}

#[test]
fn guards_are_conjunctions() {
    let mut model = model(DECLARATIONS);
    for (text, expected) in [
        (
            "[n = k, d <> stop, ok]",
            vec!["n = k", "computed", "ok = 1"],
        ),
        ("n = next k", vec!["n = f[k]"]),
        ("[not ok, (n, d) = p]", vec!["ok = 0", "(n d) = p"]),
        ("n < k", vec!["computed"]),
        ("[]", vec![]),
        ("", vec![]),
    ] {
        let guard = model.guard(text, &Origin::of_text("guard", text)).unwrap();
        let shapes: Vec<String> = guard
            .iter()
            .map(|part| shape(&model, part.shape()))
            .collect();
        assert_eq!(shapes, expected, "{text}");
    }
}

#[test]
fn variables_are_known() {
    let mut model = model(DECLARATIONS);
    let place = colour(&model, "P");
    let arc = expression(
        &mut model,
        "let val k = n in (fn n => (n, d)) k end",
        Expect::Arc(place),
    );
    let names: Vec<&str> = arc
        .variables()
        .iter()
        .map(|variable| model.variable_name(*variable))
        .collect();
    assert_eq!(names, ["n", "d"]);
}

#[test]
fn code_segments() {
    let mut model = model(DECLARATIONS);
    let text = "input (n, d);\noutput (k, ok);\naction\n(n + 1, d = stop);";
    let code = model
        .code_segment(text, &Origin::of_text("code", text))
        .unwrap();
    assert_eq!((code.input.len(), code.output.len()), (2, 2));
    assert!(code.action.effects().is_pure());
    let text = "action print \"x\";";
    let code = model
        .code_segment(text, &Origin::of_text("code", text))
        .unwrap();
    assert_eq!(code.action.effects().outside, ["print"]);
}
