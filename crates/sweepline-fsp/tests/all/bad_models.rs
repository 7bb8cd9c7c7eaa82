//! What a user sees of a model that is wrong.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use sweepline_fsp::{FspModel, LoadOptions, read_fsp};
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

fn read(text: &str, options: &LoadOptions) -> Result<FspModel, String> {
    read_fsp(&Source::new("model.lts", text), options).map_err(|errors| rendered(&errors))
}

/// The message for a text that is wrong.
fn refused(text: &str) -> String {
    read(text, &LoadOptions::default()).expect_err("the model is wrong")
}

/// The warnings for a text that is allowed.
fn warned(text: &str) -> String {
    let model = read(text, &LoadOptions::default()).expect("the model is allowed");
    let warnings: Vec<String> = model.warnings().iter().map(|w| rendered(w)).collect();
    warnings.join("\n")
}

#[test]
fn undefined_names_come_with_proposals() {
    insta::assert_snapshot!(refused(
        "const MOST = 3
         range R = 0..MAST
         set Sounds = {tick, tock}
         CLOCK = (Souns -> a[i:RR] -> b[j] -> CLOK | Send -> CLOCK),
         LOCAL = (when (k > 0) c -> UNKNOWN).
         OTHER = (a -> LOCAL).
         ||SYSTEM = (CLOCK || c:CLICK)."
    ));
}

#[test]
fn missing_periods_are_pointed_at() {
    insta::assert_snapshot!(refused(
        "P = (a -> P)
         Q = (b -> Q | c -> R),
         R = (d -> Q)
         ||S = (P || Q)
         ||T = (P || Q)"
    ));
}

#[test]
fn reading_goes_on_after_errors() {
    insta::assert_snapshot!(refused(
        "const N =
         range R = 3
         P = (a -> b | -> P).
         Q = (a b -> Q | Q).
         R = (a -> R.
         S = a -> S.
         ||T = (P Q).
         progress X = a
         T = (a[i:3] -> T).
         U = (a.-> U)."
    ));
}

#[test]
fn letters_have_the_right_case() {
    insta::assert_snapshot!(refused(
        "const n = 3
         clock = (tick -> clock).
         P = (a -> p).
         ||s = (P || p)."
    ));
    insta::assert_snapshot!(refused("P = (Send -> P)."));
}

#[test]
fn words_are_no_names() {
    insta::assert_snapshot!(refused("P = (set -> P). menu progress = {a}"));
}

#[test]
fn names_are_defined_once() {
    insta::assert_snapshot!(refused(
        "const N = 1
         range N = 0..1
         P = (a -> P).
         ||P = P.
         progress A = {a}
         progress A = {a}"
    ));
    insta::assert_snapshot!(refused(
        "P = (a -> Q[0]), Q[i:0..2] = (b -> P), Q[2] = (c -> P)."
    ));
}

#[test]
fn indices_stay_in_their_range() {
    insta::assert_snapshot!(refused(
        "COUNT = COUNT[0],
         COUNT[i:0..3] = (inc -> COUNT[i+1] | dec -> COUNT[i-1])."
    ));
}

#[test]
fn variables_are_bound() {
    insta::assert_snapshot!(refused(
        "P = (in[index:0..3] -> out[indx] -> P | again[index] -> P)."
    ));
}

#[test]
fn numbers_of_indices_and_arguments_are_checked() {
    insta::assert_snapshot!(refused(
        "P(N = 3) = (a -> Q), Q[i:0..N] = (b -> Q[i][i]).
         ||S = (P(1, 2) || T(1)).
         T = P[3]."
    ));
}

#[test]
fn labels_that_nobody_has_are_reported() {
    insta::assert_snapshot!(warned(
        "P = (request -> reply -> P)\\{replay}.
         ||S = (a:P || b:P)/{c.request/a.reqest, d/b.request} >> {a.replay} @{a, c, d.x}.
         progress X = if {a.answer} then {b.reply}"
    ));
}

#[test]
fn other_warnings() {
    insta::assert_snapshot!(warned(
        "P = (a -> P), Q = (b -> P).
         fluent F = <a, b>
         assert A = []F
         constraint C = []!F"
    ));
}

#[test]
fn properties_are_deterministic() {
    insta::assert_snapshot!(refused(
        "property P = (a -> P | a -> b -> P).
         property Q = (a -> b -> Q)\\{a}.
         ||S = (P || Q)."
    ));
}

#[test]
fn compositions_are_not_recursive() {
    insta::assert_snapshot!(refused(
        "P = (a -> P). ||A = (P || B). ||B = (x:C || P). ||C = (A || P)."
    ));
    insta::assert_snapshot!(refused("P = (a -> Q). Q = (b -> P)."));
    insta::assert_snapshot!(refused("P(N = 0) = (a -> P(N+1))."));
}

#[test]
fn recursion_is_guarded() {
    insta::assert_snapshot!(refused("P = P."));
    insta::assert_snapshot!(refused(
        "P = (a -> Q[1]), Q[i:0..1] = if (i) then Q[0] else Q[1]."
    ));
}

#[test]
fn ranges_and_sets_have_elements() {
    insta::assert_snapshot!(refused(
        "const N = 3
         range R = N..1
         set S = {}
         P = (a -> P).
         ||C = if (0) then P."
    ));
    insta::assert_snapshot!(refused("P = (a[i:0..2][j:i+1..2] -> P)."));
}

#[test]
fn nothing_is_absurdly_large() {
    insta::assert_snapshot!(refused("range R = 0..100000000"));
    insta::assert_snapshot!(refused("range R = 0..9223372036854775807 P = (a -> P)."));
    insta::assert_snapshot!(refused(
        "range R = 0..9999 P = Q[0][0], Q[i:R][j:R] = (a -> Q[j][i])."
    ));
    insta::assert_snapshot!(refused("range R = 0..9999 set S = {a[R][R]} P = (S -> P)."));
    insta::assert_snapshot!(refused("range R = 0..999999 P = (a[R].b[R] -> P)."));
    insta::assert_snapshot!(refused("P = (a -> P). ||S = (forall[i:0..99999] a[i]:P)."));
    insta::assert_snapshot!(refused(
        "range R = 0..1999 P = Q[0], Q[i:R] = (a -> Q[(i+1)%2000]).
         compose ||S = ({x, y}:P)."
    ));
}

#[test]
fn values_can_be_computed() {
    insta::assert_snapshot!(refused(
        "const N = 9223372036854775807 + 1
         const M = 1 / 0
         set S = {on, off}
         P = (a[i:0..2] -> b[4 / (i - 1)] -> P | c[x:S] -> d[x + 1] -> P | e[@(S, 2)] -> P | f[1 << 64] -> P)."
    ));
}

#[test]
fn comments_end() {
    insta::assert_snapshot!(refused("P = (a -> P). /* and so on\n ||S = P."));
}

#[test]
fn characters_mean_something() {
    insta::assert_snapshot!(refused(
        "P = (a → P). Q = (99999999999999999999 -> Q). R = (a1 -> 1b)."
    ));
}

#[test]
fn deep_nesting_is_refused() {
    let deep = |open: &str, close: &str| {
        let text = format!("P = {}{}.", open.repeat(200_000), close.repeat(200_000));
        refused(&text)
            .lines()
            .take(3)
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(deep("(", ")"));
    insta::assert_snapshot!(deep("(a -> ", ")"));
    insta::assert_snapshot!(deep("if 1 then ", ""));
    for text in [
        format!(
            "P = (a[{}1{}] -> P).",
            "(".repeat(100_000),
            ")".repeat(100_000)
        ),
        format!("P = (a[{}1] -> P).", "-".repeat(100_000)),
        format!("P = (a[1{}] -> P).", "+1".repeat(100_000)),
        format!("P = (a{} -> P).", ".a".repeat(100_000)),
        format!("P = ({} P).", "a ->".repeat(100_000)),
        format!("set S = {}a{}", "{".repeat(100_000), "}".repeat(100_000)),
        format!("||S = {}P{}.", "(".repeat(100_000), ")".repeat(100_000)),
        format!("||S = {}P.", "a:".repeat(100_000)),
        format!("||S = {}P.", "forall[i:0..1] ".repeat(100_000)),
        format!("P = Q{}.", "[0]".repeat(100_000)),
        format!(
            "P = (a -> P)/{}x/y{}.",
            "{forall[i:0..0]".repeat(100_000),
            "}".repeat(100_000)
        ),
    ] {
        assert!(refused(&text).contains("fsp::too_deep"));
    }
}

/// Processes inside processes add up.
#[test]
fn deep_nesting_across_processes_is_refused() {
    let chain = |n: usize| format!("P{n} = ({} P{};END).", "a[i:0..0] ->".repeat(900), n + 1);
    let text: String = (0..30).map(chain).collect();
    assert!(refused(&(text + "P30 = (b -> END).")).contains("fsp::too_deep"));
    let parens = |n: usize| {
        let (open, close) = ("(".repeat(40), ")".repeat(40));
        format!("||C{n} = {open}C{}{close}.", n + 1)
    };
    let text: String = (0..35).map(parens).collect();
    read(
        &(text + "||C35 = P. P = (b -> P). ||DEFAULT = C0."),
        &LoadOptions::default(),
    )
    .expect("it is allowed");
}

/// The most that is allowed fits on the stack of a thread.
#[test]
fn allowed_nesting_is_read() {
    for text in [
        format!("P = ({} P).", "a[i:0..0] ->".repeat(1000)),
        format!("P = (a[1{}] -> P).", "+1".repeat(1000)),
        format!("P = {}P{}.", "(a -> ".repeat(90), ")".repeat(90)),
        format!("P = (a[{}1{}] -> P).", "(".repeat(90), ")".repeat(90)),
    ] {
        read(&text, &LoadOptions::default()).expect("it is allowed");
    }
}

#[test]
fn misplaced_parts_are_reported() {
    insta::assert_snapshot!(refused(
        "P = (a -> P) >> {a}.
         ||S = P + {b}."
    ));
    insta::assert_snapshot!(refused(
        "P = (tau -> P). Q = END;P. R = L;R, L = (a -> END). S = C;S. ||C = P.
         T = W;T. property W = (a -> END)."
    ));
}

#[test]
fn unknown_settings_are_refused() {
    let set = |name: &str| LoadOptions {
        constants: vec![(name.into(), 1)],
        ..LoadOptions::default()
    };
    let text = "const SIZE = 1 range R = 0..1 P = (a -> P).";
    insta::assert_snapshot!(read(text, &set("SIZES")).expect_err("unknown"));
    insta::assert_snapshot!(read(text, &set("R")).expect_err("not a constant"));
    let take = |name: &str| LoadOptions {
        composition: Some(name.into()),
        ..LoadOptions::default()
    };
    insta::assert_snapshot!(read(text, &take("SYSTEM")).expect_err("unknown"));
    insta::assert_snapshot!(refused(""));
}
