//! What each construct of the language means.

use sweepline_fsp::{FspModel, LoadOptions, read_fsp};
use sweepline_process::{Component, StateKind, compose};
use sweepline_text::Source;

fn read(text: &str) -> FspModel {
    match read_fsp(&Source::from(text), &LoadOptions::default()) {
        Ok(model) => model,
        Err(errors) => panic!("{:?}\n{text}", errors.into_vec()),
    }
}

/// The edges of a component, such as `P a Q, Q b P`; then what is in the alphabet, but does not occur.
fn shown(component: &Component) -> String {
    let lts = &component.lts;
    let mut unused: Vec<&str> = lts.labels()[1..].iter().map(String::as_str).collect();
    let mut edges = Vec::new();
    for state in lts.states() {
        for edge in lts.edges_from(state) {
            let label = lts.label(edge.label);
            let (from, to) = (lts.state_name(state), lts.state_name(edge.target));
            edges.push(format!("{from} {label} {to}"));
            unused.retain(|other| *other != label);
        }
    }
    let edges = edges.join(", ");
    if unused.is_empty() {
        edges
    } else {
        format!("{edges}; refuses {}", unused.join(" "))
    }
}

/// Checks the edges of the only component.
fn check(text: &str, expected: &str) {
    let model = read(text);
    let [only] = &model.network().components[..] else {
        panic!("several components: {text}");
    };
    assert_eq!(shown(only), expected, "{text}");
}

/// Checks all components, one line for each: `name: edges`; hidden labels follow as `\ a b`.
fn check_network(text: &str, expected: &[&str]) {
    let model = read(text);
    let network = model.network();
    let components = network.components.iter();
    let mut lines: Vec<String> = components
        .map(|component| format!("{}: {}", component.name, shown(component)))
        .collect();
    if !network.hidden.is_empty() {
        let hidden: Vec<&str> = network.hidden.iter().map(String::as_str).collect();
        lines.push(format!("\\ {}", hidden.join(" ")));
    }
    assert_eq!(lines, expected, "{text}");
}

#[test]
fn prefixes_and_choices() {
    check("P = (a -> b -> P).", "P a P.1, P.1 b P");
    check("P = (a -> Q), Q = (b -> P).", "P a Q, Q b P");
    check("P = (a -> P | b -> c -> P).", "P a P, P b P.1, P.1 c P");
    check("P = (a -> (b -> P | c -> P)).", "P a P.1, P.1 b P, P.1 c P");
    check("P = (a -> P | a -> P | a -> STOP).", "P a P, P a STOP");
    check("P = Q, Q = (a -> P).", "Q a Q");
    check(
        "P = (a -> Q), Q = (b -> R), R = (c -> P | d -> Q).",
        "P a Q, Q b R, R c P, R d Q",
    );
}

#[test]
fn final_processes() {
    check(
        "P = (a -> STOP | b -> END | c -> ERROR).",
        "P a STOP, P b END, P c ERROR",
    );
    check("P = (a -> Q | b -> R), Q = STOP, R = STOP.", "P a Q, P b R");
    let model = read("P = (a -> Q | b -> R | c -> ERROR), Q = END, R = STOP.");
    let lts = &model.network().components[0].lts;
    let kinds: Vec<_> = lts
        .states()
        .map(|state| (lts.state_name(state), lts.kind(state)))
        .collect();
    let expected = [
        ("P", StateKind::Ordinary),
        ("Q", StateKind::End),
        ("R", StateKind::Ordinary),
        ("ERROR", StateKind::Error),
    ];
    assert_eq!(kinds, expected.map(|(name, kind)| (name.to_string(), kind)));
}

#[test]
fn indices_and_guards() {
    check(
        "const N = 2 C = C[0], C[i:0..N] = (when (i < N) up -> C[i+1] | when (i > 0) down -> C[i-1]).",
        "C[0] up C[1], C[1] up C[2], C[1] down C[0], C[2] down C[1]",
    );
    check(
        "P = (in[i:0..1] -> out[i] -> P).",
        "P in[0] P.1, P in[1] P.2, P.1 out[0] P, P.2 out[1] P",
    );
    check(
        "range R = 1..2 P = (in[R] -> out -> P).",
        "P in[1] P.1, P in[2] P.1, P.1 out P",
    );
    check("P = (a[1+1][2*3-1] -> P).", "P a[2][5] P");
    check("P = ([i:1..2].go -> P).", "P [1].go P, P [2].go P");
    check(
        "P = Q[1], Q[0] = (a -> Q[1]), Q[i:1..2] = (b[i] -> Q[0]).",
        "Q[0] a Q[1], Q[1] b[1] Q[0]; refuses b[2]",
    );
    check(
        "P = Q[0][0], Q[i:0..1][j:0..i] = (a -> Q[1][i]).",
        "Q[0][0] a Q[1][0], Q[1][0] a Q[1][1], Q[1][1] a Q[1][1]",
    );
    check(
        "P = (a[i:0..1] -> when_ -> P).",
        "P a[0] P.1, P a[1] P.2, P.1 when_ P, P.2 when_ P",
    );
}

#[test]
fn sets_of_labels() {
    check("P = ({a, b} -> c -> P).", "P a P.1, P b P.1, P.1 c P");
    check(
        "P = (a.{x, y[1..2]}.z -> P).",
        "P a.x.z P, P a.y[1].z P, P a.y[2].z P",
    );
    check(
        "set S = {a, b.c} set T = {S, d, x.S} P = (T -> P).",
        "P a P, P b.c P, P d P, P x.a P, P x.b.c P",
    );
    check(
        "P = (turn[x:{on, off}] -> show[x] -> P).",
        "P turn.on P.1, P turn.off P.2, P.1 show.on P, P.2 show.off P",
    );
    check(
        "set S = {on, off} P = (turn[x:S] -> if (x == 'on) then (a -> P) else P).",
        "P turn.on P.1, P turn.off P, P.1 a P",
    );
    check(
        "set S = {on, off} P = L['on], L[x:S] = (when (x != 'off) go[x] -> L['off]).",
        "L[on] go.on L[off]",
    );
}

#[test]
fn expressions() {
    for (text, value) in [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("7/2", 3),
        ("-7%4", -3),
        ("1<<3|1", 9),
        ("6&3^1", 3),
        ("1<2==1", 1),
        ("!(1&&0)||0", 1),
        ("0 && 1/0", 0),
        ("10-3-2", 5),
        ("1 + 1 << 2", 8),
        ("#S", 3),
        ("#{a, b}", 2),
        ("N >= 4", 1),
    ] {
        check(
            &format!("const N = 4 set S = {{a, b[1..2]}} P = (x[{text}] -> P)."),
            &format!("P x[{value}] P"),
        );
    }
    check("set S = {a, b} P = (x[@(S, 1)] -> P).", "P x.b P");
}

#[test]
fn conditions() {
    check(
        "P = Q[0], Q[i:0..2] = if (i < 2) then (a -> Q[i+1]) else (b -> Q[0]).",
        "Q[0] a Q[1], Q[1] a Q[2], Q[2] b Q[0]",
    );
    check("P = (a[i:0..1] -> if (i) then P).", "P a[0] STOP, P a[1] P");
    check("P(N = 2) = if (N > 1) then (a -> P) else STOP.", "P a P");
}

#[test]
fn sequences() {
    check(
        "A = (a -> b -> END). P = A;P.",
        "P.1:A a P.1:A.1, P.1:A.1 b P.1:A",
    );
    check(
        "A = (a -> END). P = A;A;STOP.",
        "P.1:A a P.2:A, P.2:A a STOP",
    );
    check(
        "A = (a -> END). P = (x -> A;Q), Q = (y -> P).",
        "P x P.1:A, P.1:A a Q, Q y P",
    );
    check(
        "A(N = 1) = (a[N] -> END). P = A(2);A(3);END.",
        "P.1:A a[2] P.2:A, P.2:A a[3] END",
    );
    check("A = END. P = (a -> A;A;P).", "P a P");
    check(
        "A = (a -> END | b -> ERROR) + {c}. P = A;P.",
        "P.1:A a P.1:A, P.1:A b ERROR; refuses c",
    );
    // A process of its own without `;`: the whole ends where it ends.
    check("A = (a -> END). P = (x -> A).", "P x P.1:A, P.1:A a END");
}

#[test]
fn alphabets() {
    check("P = (a -> P) + {b, c[1..2]}.", "P a P; refuses b c[1] c[2]");
    check("P = (a -> P), Q = (b -> Q).", "P a P; refuses b");
    check("P = (when (0) a -> P | b -> P).", "P b P");
}

#[test]
fn relabelling() {
    check("P = (a -> b -> P)/{x/a}.", "P x P.1, P.1 b P");
    check(
        "P = (a.b -> a[1] -> ab -> P)/{x/a}.",
        "P x.b P.1, P.1 x[1] P.2, P.2 ab P",
    );
    check("P = (a.b -> a.c -> P)/{x/a, y/a.b}.", "P y P.1, P.1 x.c P");
    check("P = (a -> P)/{{x, y}/a}.", "P x P, P y P");
    check("P = (a -> b -> P)/{x/{a, b}}.", "P x P.1, P.1 x P");
    check(
        "P = (a[i:1..2] -> P)/{forall[i:1..2] {b[3-i]/a[i]}}.",
        "P b[2] P, P b[1] P",
    );
    check(
        "P = (a[i:1..2] -> P)/{c[i:1..2]/a[i]}.",
        "P c[1] P, P c[2] P",
    );
    check("P = (a -> b -> P)/{b/a, a/b}.", "P b P.1, P.1 a P");
}

#[test]
fn hiding() {
    check("P = (a.x -> b -> P)\\{a}.", "P tau P.1, P.1 b P");
    check("P = (a.x -> b -> P)@{a}.", "P a.x P.1, P.1 tau P");
    check("P = (a -> b -> P)@{}.", "P tau P.1, P.1 tau P");
}

#[test]
fn properties() {
    check(
        "property P = (a -> b -> P).",
        "P a P.1, P b ERROR, P.1 b P, P.1 a ERROR",
    );
    check("property P = STOP + {a}.", "P a ERROR");
    check("property P = (a -> ERROR | b -> P).", "P a ERROR, P b P");
}

/// A property can be anywhere when the others end.
#[test]
fn properties_do_not_keep_others_from_ending() {
    let model = read("P = (a -> END). property S = (a -> b -> S). ||C = (P || S).");
    let lts = compose(model.network(), 100).unwrap();
    let last = lts.edges_from(lts.initial())[0].target;
    assert_eq!(lts.kind(last), StateKind::End);
}

#[test]
fn parameters() {
    check(
        "const M = 4 P(N = M, K = N+1) = (a[N][K] -> P).",
        "P a[4][5] P",
    );
    check_network(
        "P(N = 1) = (a[N] -> P). ||C = (P || P(2) || P(1)).",
        &["1:P: P a[1] P", "P(2): P a[2] P", "2:P: P a[1] P"],
    );
    check_network(
        "P(N = 1) = (a[N] -> P). ||C(M = 3) = (P(M) || P(M+1)). ||D = C(5).",
        &["P(5): P a[5] P", "P(6): P a[6] P"],
    );
}

#[test]
fn labelled_processes() {
    check_network(
        "P = (x -> P). ||C = (a:P || b[1]:P).",
        &["a:P: P a.x P", "b[1]:P: P b[1].x P"],
    );
    check_network(
        "P = (x -> P). ||C = {a, b}:P.",
        &["a:P: P a.x P", "b:P: P b.x P"],
    );
    check_network(
        "P = (x -> P). ||C = a[i:1..2]:P.",
        &["a[1]:P: P a[1].x P", "a[2]:P: P a[2].x P"],
    );
    check_network("P = (x -> P). ||C = {a, b}::P.", &["P: P a.x P, P b.x P"]);
    check_network(
        "P = (x -> P). ||C = {a, b}::c:P.",
        &["c:P: P a.c.x P, P b.c.x P"],
    );
    check_network(
        "P = (x -> P). Q = (y -> Q). ||C = (P || q:Q). ||D = {a, b}:C.",
        &[
            "a:P: P a.x P",
            "a.q:Q: Q a.q.y Q",
            "b:P: P b.x P",
            "b.q:Q: Q b.q.y Q",
        ],
    );
    check_network("P = ([1].x -> P). ||C = a:P.", &["a:P: P a[1].x P"]);
}

#[test]
fn compositions() {
    check_network(
        "P = (x -> P). Q = (y -> Q). ||C = (P || Q)/{z/x, z/y}.",
        &["P: P z P", "Q: Q z Q"],
    );
    check_network(
        "P(I = 0) = (x[I] -> P). ||C = (forall[i:1..2] P(i) || if (1 > 2) then P else P(7)).",
        &["P(1): P x[1] P", "P(2): P x[2] P", "P(7): P x[7] P"],
    );
    check_network("P = (x -> P). ||C = (P || if (0) then P).", &["P: P x P"]);
    check_network(
        "P = (x -> P). ||C = forall[i:1..2][j:1..2] a[i][j]:P/{x/a[i][j].x}.",
        &[
            "a[1][1]:P: P x P",
            "a[1][2]:P: P x P",
            "a[2][1]:P: P x P",
            "a[2][2]:P: P x P",
        ],
    );
}

#[test]
fn hiding_in_compositions() {
    check_network(
        "P = (x -> y -> P). ||C = (a:P || b:P)\\{a}.",
        &[
            "a:P: P a.x P.1, P.1 a.y P",
            "b:P: P b.x P.1, P.1 b.y P",
            "\\ a.x a.y",
        ],
    );
    check_network(
        "P = (x -> y -> P). ||C = P@{x}. ||D = (C || P).",
        &["1:P: P x P.1, P.1 y#1 P", "2:P: P x P.1, P.1 y P", "\\ y#1"],
    );
    check_network(
        "P = (x -> y -> P). ||C = P@{x}. ||D = {a, b}:C. ||E = (D || D)/{z/a.y}.",
        &[
            "1:a:P: P a.x P.1, P.1 a.y#1 P",
            "1:b:P: P b.x P.1, P.1 b.y#2 P",
            "2:a:P: P a.x P.1, P.1 a.y#3 P",
            "2:b:P: P b.x P.1, P.1 b.y#4 P",
            "\\ a.y#1 a.y#3 b.y#2 b.y#4",
        ],
    );
}

#[test]
fn priorities() {
    let model = read("P = (a.x -> P | b -> P). ||C = P >> {a}.");
    let priority = model.network().priority.clone().unwrap();
    assert!(!priority.high && priority.labels.contains("a.x"));
    let model = read("P = (a -> P | b -> P). ||C = P << {a}.");
    assert!(model.network().priority.clone().unwrap().high);
    // Inside another composition it is applied in advance.
    check_network(
        "P = (a -> P | b -> P). Q = (b -> Q). ||C = P << {a}. ||D = (C || Q).",
        &["P: 0 a 0; refuses b", "Q: Q b Q"],
    );
}

#[test]
fn words_in_front() {
    check("minimal P = (a -> Q), Q = (a -> P).", "P a P");
    check(
        "deterministic P = (a -> b -> P | a -> c -> P).",
        "0 a 1, 1 b 0, 1 c 0",
    );
    check(
        "deterministic property P = (a -> P | a -> b -> P).",
        "0 a 1, 0 b ERROR, 1 a 1, 1 b 0",
    );
    check(
        "P = (a -> b -> P). Q = (b -> a -> Q). minimal ||C = (P || c:Q)@{a}.",
        "0 a 0, 0 tau 0",
    );
    check(
        "P = (a -> b -> P). Q = (b -> Q). property ||C = (P || Q).",
        "0 a 1, 0 b ERROR, 1 b 0, 1 a ERROR",
    );
}

#[test]
fn which_composition_is_taken() {
    let names = |text: &str, composition: Option<&str>| {
        let options = LoadOptions {
            composition: composition.map(Into::into),
            ..LoadOptions::default()
        };
        let model = read_fsp(&Source::from(text), &options).unwrap();
        let components = model.network().components.iter();
        components
            .map(|c| c.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let text = "A = (a -> A). B = (b -> B). C = (c -> END). D = C;D. ||X = (A || B). ||Y = B.";
    assert_eq!(names(text, None), "B");
    assert_eq!(names(text, Some("X")), "A B");
    assert_eq!(names(text, Some("C")), "C");
    assert_eq!(names(&format!("{text} ||DEFAULT = A. ||Z = B."), None), "A");
    assert_eq!(names("A = (a -> A). C = (c -> END). D = C;D.", None), "A D");
}

#[test]
fn constants_can_be_set() {
    let options = LoadOptions {
        constants: vec![("N".into(), 3), ("N".into(), 5)],
        ..LoadOptions::default()
    };
    let model = read_fsp(
        &Source::from("const N = 1 const M = N*2 P = (a[M] -> P)."),
        &options,
    )
    .unwrap();
    assert_eq!(
        model.constants(),
        [("N".to_string(), 5), ("M".to_string(), 10)]
    );
    assert_eq!(shown(&model.network().components[0]), "P a[10] P");
}

#[test]
fn what_is_kept_for_later() {
    let model = read(
        "P = (a[1..2] -> P | b -> P).
         menu RUN = {a[1..2], b}
         progress A = {a}
         progress B[i:1..2] = if {a[i]} then {b}
         fluent ON = <a[1], {a[2], b}> initially True
         assert LIVE = [](ON -> <>!ON) || ON
         ||C = P.",
    );
    assert_eq!(model.menus()[0].labels, ["a[1]", "a[2]", "b"]);
    let progress = model.progress();
    assert_eq!(progress[0].labels.len(), 2);
    assert_eq!(
        (
            progress[2].name.as_str(),
            progress[2].condition.as_ref().unwrap().len()
        ),
        ("B[2]", 1)
    );
    assert_eq!(model.assertions()[0].text, "[](ON -> <>!ON) || ON");
    assert!(model.warnings().is_empty());
    assert_eq!(model.compositions(), ["C"]);
}

/// Labels of an inner composition that get the same name do not begin to synchronise; those of processes do.
#[test]
fn relabelling_respects_inner_compositions() {
    let parts = "P = (x -> P). Q = (y -> STOP). ||C = (P || Q).";
    let composed = |text: &str| {
        let lts = compose(read(&format!("{parts} {text}")).network(), 100).unwrap();
        (lts.len(), lts.edge_count())
    };
    assert_eq!(composed("||D = (P || Q)/{z/x, z/y}."), (2, 1));
    assert_eq!(composed("||D = C/{z/x, z/y}."), (2, 3));
    assert_eq!(composed("||D = (C || Q)/{z/x, u/y}."), (2, 3));
}

/// A composition in advance has the states of the flat network.
#[test]
fn flattening_changes_nothing() {
    let parts = "P = (a -> b -> c -> P). Q = (b -> d -> Q). R = (d -> c -> R).";
    let flat = read(&format!(
        "{parts} ||I = (x:P || x:Q)\\{{x.b}}. ||C = (I || y:R)/{{z/x.d, z/y.d}}."
    ));
    let whole = read(&format!(
        "{parts} compose ||I = (x:P || x:Q)\\{{x.b}}. ||C = (I || y:R)/{{z/x.d, z/y.d}}."
    ));
    let flat = compose(flat.network(), 100).unwrap();
    let whole = compose(whole.network(), 100).unwrap();
    assert_eq!(
        (flat.len(), flat.edge_count()),
        (whole.len(), whole.edge_count())
    );
    let alphabet = |lts: &sweepline_process::Lts| {
        lts.labels()
            .iter()
            .cloned()
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(alphabet(&flat), alphabet(&whole));
}
