//! Queries in texts of a model, formulas of ASK-CTL among them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::Limits;
use sweepline_cpn::{Answer, LoadOptions, Note, Told};

use crate::common::{File, read};

/// A net whose state space is a graph: a marking is a number on place `at`, and there is a binding for each edge.
fn walking(edges: &[(u8, u8)], queries: &[String]) -> Vec<Told> {
    let edges: Vec<String> = edges.iter().map(|(a, b)| format!("1`({a},{b})")).collect();
    let edges = if edges.is_empty() {
        "empty".into()
    } else {
        edges.join("++")
    };
    let text = File::default()
        .colour("I", false, "<int/>")
        .colour("E", false, "<product><id>I</id><id>I</id></product>")
        .declare("var s, d : I;")
        .place("at", "I", "0")
        .place("edges", "E", &edges)
        .transition("go", "", "")
        .arc("PtoT", "at", "go", "s")
        .arc("TtoP", "at", "go", "d")
        .arc("BOTHDIR", "edges", "go", "(s, d)")
        .text();
    let notes = queries.iter().map(|text| Note {
        page: "P".into(),
        text: text.clone(),
    });
    let notes: Vec<Note> = notes.collect();
    let system = read(&text, &LoadOptions::default()).system;
    system.ask(&notes, &Limits::default()).unwrap()
}

fn told(edges: &[(u8, u8)], query: &str) -> Result<Answer, String> {
    walking(edges, &[query.to_owned()]).pop().unwrap().answer
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with answers")]
fn value(text: &str) -> Result<Answer, String> {
    Ok(Answer::Value(text.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with answers")]
fn truth(truth: bool) -> Result<Answer, String> {
    Ok(Answer::Truth(truth))
}

/// 0 → 1 → 2 ⇄ 3 and 0 → 4, which is dead.
const EDGES: [(u8, u8); 5] = [(0, 1), (1, 2), (2, 3), (3, 2), (0, 4)];

#[test]
fn functions_over_nodes_and_arcs_have_their_values() {
    let at = "fun at n = ms_to_col (Mark.P'at 1 n); ";
    for (query, expected) in [
        ("NoOfNodes ()", value("5")),
        ("NoOfArcs ()", value("5")),
        ("NoOfSccs ()", value("4")),
        ("length (ListDeadMarkings ())", value("1")),
        ("map at (ListDeadMarkings ())", value("[4]")),
        (
            "sort (fn (a, b) => a < b) (EvalAllNodes at)",
            value("[0, 1, 2, 3, 4]"),
        ),
        ("map at (PredAllNodes (fn n => at n > 3))", value("[4]")),
        (
            "map (fn a => at (SourceNode a)) (PredAllArcs (fn a => at (DestNode a) < at (SourceNode a)))",
            value("[3]"),
        ),
        (
            "SearchNodes (EntireGraph, fn n => at n > 0, NoLimit, at, 0, fn (x, y) => x + y)",
            value("10"),
        ),
        (
            "length (PredNodes (EntireGraph, fn _ => true, 2))",
            value("2"),
        ),
        (
            "SearchArcs (EntireGraph, fn _ => true, NoLimit, fn _ => 1, 0, op +)",
            value("5"),
        ),
        (
            "UpperInteger (fn n => Mark.P'at 1 n ++ Mark.P'at 1 n)",
            value("2"),
        ),
        ("LowerInteger (fn n => Mark.P'at 1 n)", value("1")),
        ("size (UpperMultiSet (fn n => Mark.P'at 1 n))", value("5")),
        ("LowerMultiSet (fn n => Mark.P'at 1 n)", value("[]")),
        ("InitialHomeMarking ()", truth(false)),
        ("HomeMarkingExists ()", truth(false)),
        ("MinimalHomeSpace ()", value("2")),
        ("HomeSpace (PredAllNodes (fn n => at n >= 3))", truth(true)),
        ("HomeSpace (PredAllNodes (fn n => at n = 3))", truth(false)),
        (
            "Reachable (hd (PredAllNodes (fn n => at n = 2)), InitNode)",
            truth(false),
        ),
        (
            "Reachable (InitNode, hd (PredAllNodes (fn n => at n = 2)))",
            truth(true),
        ),
        ("AllReachable ()", truth(false)),
        (
            "map at (NodesInPath (InitNode, hd (PredAllNodes (fn n => at n = 3))))",
            value("[0, 1, 2, 3]"),
        ),
        (
            "List.length (ArcsInPath (InitNode, hd (PredAllNodes (fn n => at n = 3))))",
            value("3"),
        ),
        (
            "length (PredAllArcs (fn a => ArcToBE a = Bind.P'go (1, {s = 0, d = 4})))",
            value("1"),
        ),
        (
            "length (PredAllArcs (fn a => ArcToBE a = Bind.P'go (2, {s = 0, d = 4})))",
            value("0"),
        ),
        ("BEsLive [Bind.P'go (1, {d = 3, s = 2})]", truth(false)),
        (
            "BEsDead ([Bind.P'go (1, {s = 0, d = 4})], hd (OutNodes InitNode))",
            truth(true),
        ),
        (
            "BEsDead ([Bind.P'go (1, {s = 0, d = 4})], InitNode)",
            truth(false),
        ),
        (
            "BEsFairness [Bind.P'go (1, {s = 2, d = 3})]",
            value("Impartial"),
        ),
        ("BEsFairness [Bind.P'go (1, {s = 0, d = 1})]", value("Fair")),
        ("TIsLive [TI.P'go 1]", truth(false)),
        ("length (ListDeadTIs ())", value("0")),
        (
            "TIsDead ([TI.P'go 1], hd (ListDeadMarkings ()))",
            truth(true),
        ),
    ] {
        assert_eq!(told(&EDGES, &format!("{at}{query};")), expected, "{query}");
    }
    let ring = [(0, 1), (1, 0)];
    assert_eq!(told(&ring, "InitialHomeMarking ()"), truth(true));
    assert_eq!(
        told(
            &ring,
            "BEsStrictlyLive [Bind.P'go (1, {s=0,d=1}), Bind.P'go (1, {s=1,d=0})]"
        ),
        truth(true)
    );
    assert_eq!(told(&ring, "ListLiveTIs () = [TI.P'go 1]"), truth(true));
}

#[test]
fn formulas_are_about_markings_or_arcs() {
    let is = |n: u8| format!("NF (\"is {n}\", fn n => Mark.P'at 1 n = 1`{n})");
    for (formula, expected) in [
        (format!("POS ({})", is(3)), true),
        (format!("INV (POS ({}))", is(3)), false),
        (format!("EV (OR ({}, {}))", is(2), is(4)), true),
        (format!("EV ({})", is(2)), false),
        (format!("ALONG (NOT ({}))", is(2)), true),
        (format!("ALONG (NOT ({}))", is(0)), false),
        (format!("EXIST_NEXT ({})", is(4)), true),
        (format!("FORALL_NEXT ({})", is(4)), false),
        (format!("EXIST_UNTIL ({}, {})", is(0), is(1)), true),
        (
            format!("FORALL_UNTIL (TT, OR ({}, NOT (MODAL TT)))", is(3)),
            true,
        ),
        ("POS (NOT (MODAL (TT)))".to_owned(), true),
        (
            "MODAL (AF (\"to 4\", fn a => Mark.P'at 1 (DestNode a) = 1`4))".to_owned(),
            true,
        ),
        (
            "MODAL (POS (AF (\"to 3\", fn a => ArcToBE a = Bind.P'go (1, {s=2,d=3}))))".to_owned(),
            true,
        ),
        (format!("MODAL (AND (MODAL ({}), MODAL (TT)))", is(4)), true),
        (
            "INV (NF (\"start\", fn n => n = InitNode))".to_owned(),
            false,
        ),
    ] {
        let query = format!("eval_node ({formula}) InitNode");
        assert_eq!(told(&EDGES, &query), truth(expected), "{formula}");
    }
}

/// The initial marking is number 1 in CPN Tools, whatever it does afterwards. No other number is known.
#[test]
fn the_initial_marking_has_a_number() {
    for (query, expected) in [
        ("eval_node TT 1", truth(true)),
        (
            "eval_node (MODAL (AF (\"to 4\", fn a => DestNode a <> InitNode))) 1",
            truth(true),
        ),
        ("Mark.P'at 1 1 = [0]", truth(true)),
        ("Reachable (1, InitNode)", truth(true)),
        ("Reachable (1, 1)", truth(true)),
        ("List.length (PredAllNodes (fn n => n = 1))", value("1")),
        ("List.length (OutArcs 1) + 1", value("3")),
        ("(1, size (Mark.P'at 1 1))", value("(1, 1)")),
    ] {
        assert_eq!(told(&EDGES, query), expected, "{query}");
    }
    for query in [
        "eval_node TT 2",
        "Reachable (1, 2)",
        "eval_arc TT 1",
        "List.length (ArcsInPath (1, DestNode 1))",
    ] {
        let why = told(&EDGES, query).unwrap_err();
        assert!(why.contains("cannot be named by numbers"), "{query}: {why}");
    }
}

/// What is not understood is said, and nothing is made of it.
#[test]
fn what_is_not_understood_has_a_reason() {
    for (query, part) in [
        ("eval_node TT 8", "cannot be named by numbers"),
        (
            "List.length (ArcsInPath (1, 235))",
            "cannot be named by numbers",
        ),
        (
            "eval_node (AF (\"a\", fn a => true)) InitNode",
            "write MODAL around it",
        ),
        (
            "eval_node (MODAL (NF (\"n\", fn n => true))) InitNode",
            "write MODAL around it",
        ),
        ("Mark.P'nowhere 1 InitNode", "Mark.P'nowhere"),
        ("size (Mark.P'at 2 InitNode)", "there is no such instance"),
        ("EvalAllNodes (fn n => Mark.P'at n)", "expected"),
        ("SearchReachableNodes 3", "there is no"),
        ("PredAllNodes (", "expected"),
        (
            "let fun f x = f x in PredAllNodes f end",
            "the value cannot be computed",
        ),
        ("use \"x.sml\"; eval_node TT InitNode", ""),
    ] {
        let told = walking(&EDGES, &[query.to_owned()]);
        if part.is_empty() {
            assert_eq!(told, [], "a file is never read");
            continue;
        }
        let why = told[0].answer.clone().unwrap_err();
        assert!(why.contains(part), "{query}: {why}");
        assert!(told.len() == 1 && told[0].page == "P");
    }
    assert_eq!(
        walking(&EDGES, &["Sender".into(), "Length of Shortest Path".into()]),
        []
    );
    let shared = [
        "fun at n = ms_to_col (Mark.P'at 1 n)".to_owned(),
        "at InitNode = 0".to_owned(),
    ];
    assert_eq!(walking(&EDGES, &shared).pop().unwrap().answer, truth(true));
    let limits = Limits {
        states: Some(2),
        ..Limits::default()
    };
    let text = File::default()
        .colour("I", false, "<int/>")
        .declare("var n : I;")
        .place("a", "I", "0")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "n")
        .arc("TtoP", "a", "t", "n + 1")
        .text();
    let note = Note {
        page: "P".into(),
        text: "NoOfNodes ()".into(),
    };
    let told = read(&text, &LoadOptions::default())
        .system
        .ask(&[note], &limits);
    let why = told.unwrap()[0].answer.clone().unwrap_err();
    assert!(why.contains("not everything was explored"), "{why}");
}

/// Constructors of the model mean in patterns of the model what they mean everywhere; our own texts have none of them.
#[test]
fn names_of_the_model_do_not_matter() {
    let names = [
        "p", "q", "n", "a", "f", "x", "m", "b", "i", "some", "from", "to", "rest", "arc", "node",
    ];
    let ids = names.map(|name| format!("<id>{name}</id>")).concat();
    let text = File::default()
        .colour("E", false, &format!("<enum>{ids}</enum>"))
        .declare("var v : E; fun map y = y; fun length y = 7;")
        .place("a", "E", "1`p ++ 2`q")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "v")
        .text();
    let note = Note {
        page: "P".into(),
        text: "(UpperInteger (fn k => Mark.P'a 1 k), BEsLive [Bind.P't (1, {v = q})], NoOfNodes (), Mark.P'a 1 InitNode)".into(),
    };
    let told = read(&text, &LoadOptions::default())
        .system
        .ask(&[note], &Limits::default());
    assert_eq!(told.unwrap()[0].answer, value("(3, false, 6, [p, q, q])"));
}

/// A formula over markings with even numbers and arcs that lead upwards.
#[derive(Clone, Debug)]
enum Form {
    True,
    Atom,
    Not(Box<Form>),
    Two(&'static str, Box<Form>, Box<Form>),
    One(&'static str, Box<Form>),
}

fn forms() -> impl Strategy<Value = Form> {
    let leaf = prop_oneof![Just(Form::True), Just(Form::Atom)];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let two = prop::sample::select(vec!["AND", "OR", "EXIST_UNTIL", "FORALL_UNTIL"]);
        let one = prop::sample::select(vec![
            "MODAL",
            "POS",
            "INV",
            "EV",
            "ALONG",
            "EXIST_NEXT",
            "FORALL_NEXT",
        ]);
        prop_oneof![
            inner.clone().prop_map(|form| Form::Not(Box::new(form))),
            (two, inner.clone(), inner.clone()).prop_map(|(name, a, b)| Form::Two(
                name,
                Box::new(a),
                Box::new(b)
            )),
            (one, inner).prop_map(|(name, form)| Form::One(name, Box::new(form))),
        ]
    })
}

fn written(form: &Form, arcs: bool) -> String {
    match form {
        Form::True => "TT".into(),
        Form::Atom if arcs => {
            "AF (\"up\", fn a => ms_to_col (Mark.P'at 1 (SourceNode a)) < ms_to_col (Mark.P'at 1 (DestNode a)))".into()
        }
        Form::Atom => "NF (\"even\", fn n => ms_to_col (Mark.P'at 1 n) mod 2 = 0)".into(),
        Form::Not(inner) => format!("NOT ({})", written(inner, arcs)),
        Form::Two(name, a, b) => format!("{name} ({}, {})", written(a, arcs), written(b, arcs)),
        Form::One("MODAL", inner) => format!("MODAL ({})", written(inner, !arcs)),
        Form::One(name, inner) => format!("{name} ({})", written(inner, arcs)),
    }
}

/// Where a formula holds, by the definition: markings are numbers, arcs are numbers of edges. Least fixpoints are iterated from
/// nothing, greatest from everything.
fn holding(form: &Form, arcs: bool, states: &[u8], edges: &[(u8, u8)]) -> BTreeSet<usize> {
    let all: BTreeSet<usize> = if arcs {
        (0..edges.len()).collect()
    } else {
        (0..states.len()).collect()
    };
    let next = |at: usize| -> Vec<usize> {
        if arcs {
            (0..edges.len())
                .filter(|&to| edges[to].0 == edges[at].1)
                .collect()
        } else {
            let out = edges.iter().filter(|edge| edge.0 == states[at]);
            out.map(|edge| states.iter().position(|state| *state == edge.1).unwrap())
                .collect()
        }
    };
    let of = |inner: &Form| holding(inner, arcs, states, edges);
    let fixed = |mut set: BTreeSet<usize>, step: &dyn Fn(&BTreeSet<usize>, usize) -> bool| loop {
        let now: BTreeSet<usize> = all.iter().copied().filter(|&at| step(&set, at)).collect();
        if now == set {
            return set;
        }
        set = now;
    };
    let some = |set: &BTreeSet<usize>, at| next(at).iter().any(|to| set.contains(to));
    let every = |set: &BTreeSet<usize>, at| next(at).iter().all(|to| set.contains(to));
    let none = BTreeSet::new();
    match form {
        Form::True => all.clone(),
        Form::Atom if arcs => all
            .iter()
            .copied()
            .filter(|&at| edges[at].0 < edges[at].1)
            .collect(),
        Form::Atom => all
            .iter()
            .copied()
            .filter(|&at| states[at].is_multiple_of(2))
            .collect(),
        Form::Not(inner) => all.difference(&of(inner)).copied().collect(),
        Form::Two(name, a, b) => {
            let (a, b) = (of(a), of(b));
            match *name {
                "AND" => a.intersection(&b).copied().collect(),
                "OR" => a.union(&b).copied().collect(),
                "EXIST_UNTIL" => fixed(none, &|set, at| {
                    b.contains(&at) || a.contains(&at) && some(set, at)
                }),
                _ => fixed(none, &|set, at| {
                    b.contains(&at) || a.contains(&at) && !next(at).is_empty() && every(set, at)
                }),
            }
        }
        Form::One("MODAL", inner) => {
            let inner = holding(inner, !arcs, states, edges);
            let fits = |&at: &usize| {
                if arcs {
                    inner.contains(
                        &states
                            .iter()
                            .position(|state| *state == edges[at].1)
                            .unwrap(),
                    )
                } else {
                    (0..edges.len())
                        .any(|edge| edges[edge].0 == states[at] && inner.contains(&edge))
                }
            };
            all.iter().copied().filter(fits).collect()
        }
        Form::One(name, inner) => {
            let inner = of(inner);
            match *name {
                "POS" => fixed(none, &|set, at| inner.contains(&at) || some(set, at)),
                "INV" => fixed(all.clone(), &|set, at| {
                    inner.contains(&at) && every(set, at)
                }),
                "EV" => fixed(none, &|set, at| {
                    inner.contains(&at) || !next(at).is_empty() && every(set, at)
                }),
                "ALONG" => fixed(all.clone(), &|set, at| {
                    inner.contains(&at) && (next(at).is_empty() || some(set, at))
                }),
                "EXIST_NEXT" => all.iter().copied().filter(|&at| some(&inner, at)).collect(),
                _ => all
                    .iter()
                    .copied()
                    .filter(|&at| every(&inner, at))
                    .collect(),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn formulas_hold_where_the_definition_says(
        edges in prop::collection::btree_set((0u8..5, 0u8..5), 0..9),
        forms in prop::collection::vec(forms(), 4),
    ) {
        // Only what can be reached from 0.
        let mut states = vec![0u8];
        let mut next = 0;
        while next < states.len() {
            let from = states[next];
            for edge in edges.iter().filter(|edge| edge.0 == from) {
                if !states.contains(&edge.1) {
                    states.push(edge.1);
                }
            }
            next += 1;
        }
        let edges: Vec<(u8, u8)> = edges.into_iter().filter(|edge| states.contains(&edge.0)).collect();
        let queries: Vec<String> = forms.iter().map(|form| format!("eval_node ({}) InitNode", written(form, false))).collect();
        let told = walking(&edges, &queries);
        for (form, told) in forms.iter().zip(told) {
            let expected = holding(form, false, &states, &edges).contains(&0);
            prop_assert_eq!(&told.answer, &truth(expected), "{:?} {:?}", told.text, edges);
        }
    }
}

/// What queries are made of, right or wrong.
const PIECES: [&str; 30] = [
    "eval_node",
    "InitNode",
    "NF (\"n\", fn n => true)",
    "AF (\"a\", fn a => false)",
    "POS",
    "MODAL",
    "NOT",
    "TT",
    "(",
    ")",
    ",",
    ";",
    "Mark.P'at 1",
    "n",
    "fn n =>",
    "PredAllNodes",
    "ArcToBE",
    "Bind.P'go (1, {s = 0, d = 1})",
    "=",
    "SearchNodes",
    "EntireGraph",
    "NoLimit",
    "hd",
    "[",
    "]",
    "let val x = 1 in",
    "end",
    "\"",
    "(*",
    "8",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_query_makes_asking_panic(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..12)) {
        let told = walking(&[(0, 1), (1, 0)], &[pieces.join(" ")]);
        for told in told {
            prop_assert!(told.answer.is_ok() || !told.answer.unwrap_err().is_empty());
        }
    }
}
