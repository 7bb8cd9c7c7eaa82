//! Bad input: what is said, and where.

use insta::assert_snapshot;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use sweepline_text::Source;

use super::{colour, messages, model, wrong};
use crate::ml::{Declarations, Expect, Failure, Origin, Value};

fn check(text: &str, expected: &[&str]) {
    assert_eq!(wrong(text), expected, "{text}");
}

#[test]
fn syntax() {
    check("fun f x = ;", &["expected an expression, found `;`"]);
    check("fun f x = (1, 2", &["expected `,` or `)`, found the end"]);
    check(
        "val x = if true then 1",
        &["expected `else`, found the end"],
    );
    check("colst A = int;", &["expected a declaration, found `colst`"]);
    check("val x = \"abc", &["the string does not end"]);
    check(
        "fun f 1 = 2 | g 2 = 3",
        &["a clause of `g` among those of `f`"],
    );
    check(
        "val x = let val y = 1 in y",
        &["expected `end`, found the end"],
    );
    check("fun f = 1", &["expected an argument, found `=`"]);
    check(
        "val x = let open List in hd [1] end",
        &["`open List` is not understood, and never executed"],
    );
    // What comes behind is read nevertheless.
    check(
        "val a = ; val b = ) ; val c = 1 + \"x\";",
        &[
            "expected an expression, found `;`",
            "expected an expression, found `)`",
            "expected int, found string",
        ],
    );
}

/// What is proposed for a name that nobody knows.
#[test]
fn proposals() {
    let check = |text: &str, expected: &str| {
        let declared = Declarations::new().declare(text, &Origin::of_text("d", text));
        let errors = declared.unwrap_err();
        let help = errors.iter().next().and_then(Diagnostic::help);
        assert_eq!(help.unwrap().to_string(), expected, "{text}");
    };
    check("val x = lenght [1]", "did you mean `length`?");
    // Operators look like any name of one letter.
    check(
        "val x = q",
        "declare it: `val` for a value, `fun` for a function",
    );
    check(
        "val x = let val r = ref 1 in !r end",
        "keep what is remembered on a place",
    );
}

#[test]
fn types() {
    check("val x = 1 + \"a\"", &["expected int, found string"]);
    check(
        "fun f x = if x then 1 else \"a\"",
        &["expected int, found string"],
    );
    check("val x = [1, true]", &["expected int, found bool"]);
    check("val x = 1 2", &["this is int, not a function"]);
    check(
        "fun f x = x + 1; val y = f 1 2",
        &["the function takes only one argument"],
    );
    check("fun f x = x x", &["'a -> 'a would be a part of itself"]);
    check(
        "val x = 1.0 = 2.0",
        &["values of type real cannot be compared"],
    );
    check(
        "val x = (fn y => y) = (fn y => y)",
        &["values of type 'a -> 'a cannot be compared"],
    );
    check(
        "fun f r = #data r",
        &["which record has the field `data` here is not known"],
    );
    check("val x = {a = 1, a = 2}", &["the field `a` has two values"]);
    check("fun f (x, x) = x", &["`x` stands twice in one pattern"]);
    check(
        "colset E = with a | b; val x = a + 1",
        &["expected a number, found E"],
    );
    check("val x : string = 3", &["expected string, found int"]);
    check("val x = lenght [1]", &["there is no name `lenght`"]);
    check("val x = List.mpa", &["there is no function `List.mpa`"]);
    check("fun f (Data x) = x", &["there is no constructor `Data`"]);
    check(
        "colset P = product A * INT;",
        &["there is no colour set `A`"],
    );
    check("colset I = int with 3..1;", &["the range 3..1 is empty"]);
    check(
        "val x = hd []",
        &["the value cannot be computed: exception Empty is raised"],
    );
    check(
        "val x = time ()",
        &["the value cannot be computed: it depends on the time when it is declared"],
    );
    check(
        "val x = discrete (1, 2)",
        &["the value cannot be computed: `discrete` is a random function"],
    );
    check(
        "colset I = int; var i: I; fun f x = x + i",
        &["`i` is a variable of the net, which declarations cannot use"],
    );
    check(
        "structure S = struct val x = 1 end;",
        &["`structure S` is not understood, and never executed"],
    );
    check(
        "use \"/etc/passwd\";",
        &["`use /etc/passwd` is not understood, and never executed"],
    );
}

#[test]
fn only_who_uses_a_wrong_declaration_has_an_error() {
    let text = "fun f x = x + \"a\"; fun g x = x + 1; fun h x = f x; val k = g 1;";
    check(
        text,
        &[
            "expected a number, found string",
            "`f` cannot be used: expected a number, found string",
        ],
    );
    let text = "colset A = B; colset C = int; var a: A; var c: C;";
    check(
        text,
        &[
            "there is no colour set `B`",
            "`A` cannot be used: there is no colour set `B`",
        ],
    );
}

#[test]
fn inscriptions() {
    let mut model = model(
        "colset NO = int; colset DATA = string; colset P = product NO * DATA; var n: NO; var d: DATA; colset L = list NO;
         colset T = int timed;",
    );
    let mut check = |colour_set: &str, text: &str, expected: &[&str]| {
        let place = colour(&model, colour_set);
        let result = model.expression(text, Expect::Arc(place), &Origin::of_text("arc", text));
        assert_eq!(messages(&result.unwrap_err()), expected, "{text}");
    };
    check("P", "(d, n)", &["expected int, found string"]);
    check("P", "1`(n, n)", &["expected string, found int"]);
    check(
        "NO",
        "if true then 1`n else d",
        &["expected int list, found string"],
    );
    check("NO", "m", &["there is no name `m`"]);
    check("NO", "n @+ 3", &["the colour set `NO` has no time"]);
    check("T", "n @+ \"x\"", &["expected int, found string"]);
    check("NO", "", &["expected an expression, found the end"]);
    check("NO", "n n", &["this is int, not a function"]);
    check("NO", "n) + (1", &["expected the end, found `)`"]);
    let text = "[n = 1, d, n < \"x\"]";
    let guard = model
        .guard(text, &Origin::of_text("guard", text))
        .unwrap_err();
    assert_eq!(
        messages(&guard),
        ["expected bool, found string", "expected int, found string"]
    );
    let text = "output (n, m); action 1";
    let code = model
        .code_segment(text, &Origin::of_text("code", text))
        .unwrap_err();
    assert_eq!(messages(&code), ["there is no variable `m`"]);
    let marking = model.expression(
        "n",
        Expect::Marking(colour(&model, "NO")),
        &Origin::of_text("m", "n"),
    );
    assert_eq!(
        messages(&marking.unwrap_err()),
        ["`n` is a variable of the net, which declarations cannot use"]
    );
}

#[test]
fn errors_point_into_the_file() {
    let file = Source::new(
        "net.cpn",
        "<cond>\n<text>[n &lt; 3,\n 1 &lt; \"x\"]</text>\n</cond>",
    );
    let origin = Origin::new("guard of `Send` on page `Sender`", file.part(13..35));
    let mut model = model("colset NO = int; var n: NO;");
    let errors = model.guard("[n < 3,\n 1 < \"x\"]", &origin).unwrap_err();
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    handler
        .render_report(&mut text, &errors as &dyn Diagnostic)
        .unwrap();
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert_snapshot!(text.join("\n"), @r#"
    ml::mismatch

      × guard of `Send` on page `Sender`: expected int, found string
       ╭─[net.cpn:3:9]
     2 │ <text>[n &lt; 3,
     3 │  1 &lt; "x"]</text>
       ·         ─┬─
       ·          ╰── this is string
     4 │ </cond>
       ╰────
    "#);
}

#[test]
fn deep_texts_are_refused() {
    for text in [
        format!("val x = {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("val x = {}1", "1 - ".repeat(100_000)),
        format!("val x = {}1", "if true then 1 else ".repeat(10_000)),
        format!("val x = {}[]", "1 :: ".repeat(10_000)),
        format!("fun f {}1{} = 1", "[".repeat(10_000), "]".repeat(10_000)),
        format!(
            "val x : {}int{} = 1",
            "(".repeat(10_000),
            ")".repeat(10_000)
        ),
        format!(
            "val x = {}1{}",
            "let val y = ".repeat(10_000),
            " in y end".repeat(10_000)
        ),
        format!("val x = {}1", "fn x => ".repeat(10_000)),
        format!("val x = f {}", "x ".repeat(10_000)),
        format!("val x = {}true", "true andalso ".repeat(10_000)),
    ] {
        let found = wrong(&text);
        assert!(
            found[0].contains("levels deep"),
            "{}: {found:?}",
            &text[..40]
        );
    }
    let lists = (1..500).map(|n| format!("colset C{n} = list C{};", n - 1));
    let found = wrong(&format!("colset C0 = int; {}", lists.collect::<String>()));
    assert!(found[0].contains("100 levels deep"), "{found:?}");
    let wrap = format!("fun f x = {}x{};", "[".repeat(40), "]".repeat(40));
    let found = wrong(&format!(
        "{wrap} val y = {}1{}",
        "f (".repeat(70),
        ")".repeat(70)
    ));
    assert_eq!(found, ["the type is too large"]);
    let many = (1..3000).map(|n| format!("val y{n} = [y{}];", n - 1));
    let found = wrong(&format!("val y0 = 1; {}", many.collect::<String>()));
    assert_eq!(found[0], "the type is too large");
    // Long sums are not deep.
    let sum = (0..5000)
        .map(|n| format!("1`{n}"))
        .collect::<Vec<_>>()
        .join("++");
    let mut model = model(&format!("colset N = int; val all = {sum};"));
    let place = colour(&model, "N");
    assert_eq!(super::tokens(&mut model, place, "all", &[]).len(), 5000);
}

#[test]
fn large_types_are_refused() {
    let doubled = (1..12).map(|n| format!("fun p{n} x = p{} (p{} x);", n - 1, n - 1));
    let text = format!("fun p0 x = (x, x); {}", doubled.collect::<String>());
    let found = wrong(&text);
    assert!(
        found.iter().any(|error| error == "the type is too large"),
        "{found:?}"
    );
}

#[test]
fn values_out_of_bounds_are_told() {
    let mut model = model(
        "colset R = int with 1..3; colset P = product R * R; colset S = subset R with [1, 3];
        colset L = list R with 0..2; fun even x = x mod 2 = 0; colset E = subset R by even;",
    );
    let mut check = |colour_set: &str, text: &str, inside: bool| {
        let place = colour(&model, colour_set);
        let expression = super::expression(&mut model, text, Expect::Token(place));
        let value = model.machine_mut().value(&expression, &[]).unwrap();
        assert_eq!(
            model
                .colours()
                .contains(place, value, model.machine().values()),
            inside,
            "{text}"
        );
    };
    check("R", "3", true);
    check("R", "4", false);
    check("P", "(1, 0)", false);
    check("S", "2", false);
    check("S", "3", true);
    check("L", "[1,2]", true);
    check("L", "[1,2,3]", false);
    check("L", "[4]", false);
    check("E", "2", true);
    check("E", "3", false);
    let sizes = ["R", "P", "S", "L", "E"].map(|name| model.colours().size(colour(&model, name)));
    assert_eq!(sizes, [Some(3), Some(9), Some(2), Some(13), Some(1)]);
    let lists = colour(&model, "L");
    let all = model.all_values(lists, 100).unwrap();
    assert_eq!(all.len(), 13);
    assert_eq!(model.all_values(lists, 12), None);
}

#[test]
fn constants_of_a_model_are_not_lost() {
    let mut model = Declarations::new();
    let text = "val n = 3; colset I = index i with 1..n; fun f (i x) = x;";
    model.declare(text, &Origin::of_text("d", text)).unwrap();
    let place = colour(&model, "I");
    let bad = super::expression(&mut model, "i (n + 1)", Expect::Token(place));
    assert_eq!(
        model.machine_mut().value(&bad, &[]),
        Err(Failure::Exception("OutOfRange".into()))
    );
    let good = super::expression(&mut model, "i n", Expect::Token(place));
    assert_eq!(model.machine_mut().value(&good, &[]), Ok(Value::small(3)));
}
