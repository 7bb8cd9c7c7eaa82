//! Formulas of linear time about models in Rust.

use std::panic::{self, AssertUnwindSafe};

use proptest::prelude::*;
use sweepline::logic::ltl::{Ltl, holds_on};
use sweepline::logic::parse_ltl;
use sweepline::{Check, Checked, Encode, Model, Next, TypedTrace, Verdict, check};

/// Any small graph; bits of a label say which propositions hold.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Vec<u8>>,
    labels: Vec<u64>,
}

impl Model for Graph {
    type State = u8;
    type Action = u8;
    fn initial(&self) -> Vec<u8> {
        vec![0]
    }
    fn steps(&self, at: &u8, next: &mut Next<'_, Self>) {
        for to in &self.edges[usize::from(*at)] {
            next.step(*to, *to);
        }
    }
}

impl Graph {
    fn label(&self, at: u8) -> u64 {
        self.labels[usize::from(at)]
    }

    /// Whether some lasso of at most this many states violates a formula.
    fn violates(&self, ltl: &Ltl, path: &mut Vec<u8>, longest: usize) -> bool {
        let last = path[path.len() - 1];
        let targets = &self.edges[usize::from(last)];
        let letters: Vec<u64> = path.iter().map(|&at| self.letter(ltl, at)).collect();
        let violated = |start: usize| !holds_on(&ltl.formula, &letters[..start], &letters[start..]);
        if targets.is_empty() {
            return violated(path.len() - 1);
        }
        let closes = |start: &usize| targets.contains(&path[*start]);
        if (0..path.len()).filter(closes).any(violated) {
            return true;
        }
        path.len() < longest
            && targets.iter().any(|&target| {
                path.push(target);
                let found = self.violates(ltl, path, longest);
                path.pop();
                found
            })
    }

    /// What the atoms of a formula say in a state; they are called `p` and `q`.
    fn letter(&self, ltl: &Ltl, at: u8) -> u64 {
        let holds = |name: &str| match name {
            "p" => self.label(at) & 1,
            _ => self.label(at) >> 1 & 1,
        };
        let atoms = (0..).zip(&ltl.atoms);
        atoms.fold(0, |all, (bit, atom)| all | holds(&atom.to_string()) << bit)
    }

    /// Whether a trace is a run of this graph that violates a formula; or the beginning of one, however it goes on.
    fn is_shown_by(&self, ltl: &Ltl, trace: &TypedTrace<'_, Self>) -> bool {
        let states = trace.states();
        let is_path = states
            .windows(2)
            .all(|pair| self.edges[usize::from(pair[0])].contains(&pair[1]));
        let Some(start) = trace.loop_start() else {
            return is_path && states[0] == 0;
        };
        let last = states[states.len() - 1];
        let letters: Vec<u64> = states.iter().map(|&at| self.letter(ltl, at)).collect();
        let (stem, repeated) = if start + 1 == states.len() {
            let ends = self.edges[usize::from(last)].is_empty();
            assert!(ends, "it stays where the model does not end");
            letters.split_at(start)
        } else {
            assert_eq!(states[start], last, "the loop closes");
            letters[..letters.len() - 1].split_at(start)
        };
        is_path && states[0] == 0 && !holds_on(&ltl.formula, stem, repeated)
    }
}

const FORMULAS: &[&str] = &[
    "G (p -> F q)",
    "F p",
    "G F q",
    "F G p",
    "p U q",
    "X (p or X q)",
    "G (p -> X q)",
    "G p or G F q",
    "(F q) -> (p W q)",
    "G (p -> O q)",
    "true U q",
    "false",
];

fn graphs() -> impl Strategy<Value = Graph> {
    (1..=5_u8).prop_flat_map(|states| {
        let count = usize::from(states);
        let targets = prop::collection::vec(0..states, 0..=2);
        let edges = prop::collection::vec(targets, count);
        (edges, prop::collection::vec(0..4_u64, count))
            .prop_map(|(edges, labels)| Graph { edges, labels })
    })
}

fn ask<P>(check: Check<Graph, P>, formula: &str) -> Check<Graph, P> {
    check
        .proposition("p", |graph, at| graph.label(*at) & 1 == 1)
        .proposition("q", |graph, at| graph.label(*at) >> 1 & 1 == 1)
        .ltl("asked", formula)
}

/// In several orders; a graph has no column but a constant.
fn in_all_orders(graph: &Graph, formula: &str) -> Vec<Checked<Graph>> {
    let start = || check(graph.clone());
    vec![
        ask(start(), formula).run(),
        ask(start().progress(|at| *at), formula).run(),
        ask(start().column(|_| 0_u8).progress(|at| 9 - *at), formula)
            .window(2)
            .run(),
        ask(start().find_measure(), formula).run(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn verdicts_are_those_of_the_definition(graph in graphs(), formula in prop::sample::select(FORMULAS)) {
        let ltl = parse_ltl(formula).unwrap().ltl;
        let violated = graph.violates(&ltl, &mut vec![0], 8);
        for report in in_all_orders(&graph, formula) {
            match report.verdict("asked") {
                Verdict::Holds => prop_assert!(!violated, "{formula}"),
                Verdict::Violated => {
                    let trace = report.trace("asked").expect("a run");
                    prop_assert!(trace.loop_start().is_some());
                    prop_assert!(graph.is_shown_by(&ltl, &trace), "{formula}: {trace}");
                }
                Verdict::Inconclusive(why) => prop_assert!(false, "{formula}: {why}"),
            }
        }
    }

    #[test]
    fn a_boundary_hides_but_does_not_invent(
        graph in graphs(),
        formula in prop::sample::select(FORMULAS),
        inside in any::<u8>(),
    ) {
        let ltl = parse_ltl(formula).unwrap().ltl;
        let violated = graph.violates(&ltl, &mut vec![0], 8);
        let bounded = || check(graph.clone()).boundary(move |_, at| inside >> at & 1 == 1);
        let reports = [
            ask(bounded(), formula).run(),
            ask(bounded().find_measure(), formula).run(),
        ];
        for report in reports {
            prop_assert!(report.failure().is_none(), "{:?}", report.failure());
            match report.verdict("asked") {
                Verdict::Holds => prop_assert!(!violated, "{formula}"),
                Verdict::Violated => {
                    let trace = report.trace("asked").expect("a run");
                    prop_assert!(graph.is_shown_by(&ltl, &trace), "{formula}: {trace}");
                    // A path that ends tells of all ways to go on, so there is one.
                    let shown = trace.loop_start().is_some() || violated;
                    prop_assert!(shown, "{formula}: {trace}");
                }
                Verdict::Inconclusive(why) => {
                    prop_assert!(why.to_string().contains("beyond the boundary"), "{why}");
                }
            }
        }
    }
}

/// Kinds of actions as sets of them, which are the states they lead to: those that are weakly fair, and those that are strongly so.
#[derive(Clone, Copy, Debug)]
struct Kinds {
    weak: u8,
    strong: u8,
}

impl Kinds {
    fn has(kind: u8, action: u8) -> bool {
        kind >> action & 1 == 1
    }

    fn assume<P>(self, check: Check<Graph, P>) -> Check<Graph, P> {
        check
            .weak_fair(move |action| Self::has(self.weak, *action))
            .strong_fair(move |action| Self::has(self.strong, *action))
    }

    /// Whether a run is fair that repeats these states for ever. The state behind the last one is the first, unless the graph
    /// ends there.
    fn allow(self, graph: &Graph, repeated: &[u8]) -> bool {
        let targets = |at: &u8| &graph.edges[usize::from(*at)];
        let takes = |kind: u8| {
            let mut taken = repeated
                .iter()
                .filter(|_| !targets(&repeated[0]).is_empty());
            taken.any(|to| Self::has(kind, *to))
        };
        let enables = |kind: u8| {
            let of = move |at: &u8| targets(at).iter().any(|to| Self::has(kind, *to));
            repeated.iter().map(of).collect::<Vec<_>>()
        };
        let weak = takes(self.weak) || enables(self.weak).contains(&false);
        weak && (takes(self.strong) || !enables(self.strong).contains(&true))
    }

    /// Whether some fair lasso of at most this many states violates a formula.
    fn violates(self, graph: &Graph, ltl: &Ltl, path: &mut Vec<u8>, longest: usize) -> bool {
        let targets = &graph.edges[usize::from(path[path.len() - 1])];
        let letters: Vec<u64> = path.iter().map(|&at| graph.letter(ltl, at)).collect();
        let violated = |start: &usize| {
            self.allow(graph, &path[*start..])
                && !holds_on(&ltl.formula, &letters[..*start], &letters[*start..])
        };
        if targets.is_empty() {
            return violated(&(path.len() - 1));
        }
        let mut starts = (0..path.len()).filter(|start| targets.contains(&path[*start]));
        if starts.any(|start| violated(&start)) {
            return true;
        }
        path.len() < longest
            && targets.iter().any(|&target| {
                path.push(target);
                let found = self.violates(graph, ltl, path, longest);
                path.pop();
                found
            })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn only_fair_runs_count(
        graph in graphs(),
        formula in prop::sample::select(FORMULAS),
        (weak, strong) in (0..32_u8, 0..32_u8),
    ) {
        let (ltl, kinds) = (parse_ltl(formula).unwrap().ltl, Kinds { weak, strong });
        let violated = kinds.violates(&graph, &ltl, &mut vec![0], 8);
        let start = || check(graph.clone());
        let reports = [
            kinds.assume(ask(start(), formula)).run(),
            kinds.assume(ask(start().progress(|at| *at), formula)).run(),
            kinds.assume(ask(start().find_measure(), formula)).run(),
        ];
        for report in reports {
            prop_assert!(report.failure().is_none(), "{:?}", report.failure());
            match report.verdict("asked") {
                Verdict::Holds => prop_assert!(!violated, "{formula} {kinds:?}"),
                Verdict::Violated => {
                    let trace = report.trace("asked").expect("a run");
                    prop_assert!(graph.is_shown_by(&ltl, &trace), "{formula}: {trace}");
                    let states = trace.states();
                    let start = trace.loop_start().expect("a fair run goes on");
                    let repeated = match states.len() - 1 - start {
                        0 => &states[start..],
                        _ => &states[start..states.len() - 1],
                    };
                    prop_assert!(kinds.allow(&graph, repeated), "{kinds:?}: {trace}");
                }
                Verdict::Inconclusive(why) => prop_assert!(false, "{formula}: {why}"),
            }
        }
    }
}

#[test]
fn kinds_of_actions_are_limited() {
    let lamp = || {
        let graph = Graph {
            edges: vec![vec![0]],
            labels: vec![0],
        };
        ask(check(graph), "F p")
    };
    let many = (0..13).fold(lamp(), |check, _| check.weak_fair(|_| true));
    let text = panic_of(|| drop(many.run()));
    assert!(
        text.contains("there can be 12; put some together"),
        "{text}"
    );
    let most = (0..12).fold(lamp(), |check, _| check.strong_fair(|_| true));
    assert_eq!(most.run().verdict("asked"), &Verdict::Violated);
}

/// Counts so many hours, and beats now and then.
struct Long {
    hours: u32,
}

impl Model for Long {
    type State = Time;
    type Action = &'static str;
    fn initial(&self) -> Vec<Time> {
        Clock.initial()
    }
    fn steps(&self, time: &Time, next: &mut Next<'_, Self>) {
        next.change("beat", |to| to.beat = !time.beat);
        if !time.beat && time.hours < self.hours {
            next.change("hour", |to| to.hours += 1);
        }
    }
}

/// What is recorded does not fit, so the product is swept.
#[test]
fn little_memory_is_enough_to_sweep() {
    let ask = |formula: &str| {
        check(Long { hours: 80_000 })
            .column(|time| time.hours)
            .memory(2 << 20)
            .ltl("asked", formula)
            .run()
    };
    let report = ask("G (beat -> F not beat)");
    report.assert_holds();
    assert_eq!(report.states(), None);
    let report = ask("G (hours < 79999 or F G not beat)");
    let trace = report.trace("asked").expect("a run");
    assert!(trace.loop_start().is_some_and(|start| start > 79_000));
}

/// Counts for ever, and beats now and then.
struct Clock;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Time {
    hours: u32,
    beat: bool,
}

impl Model for Clock {
    type State = Time;
    type Action = &'static str;
    fn initial(&self) -> Vec<Time> {
        vec![Time {
            hours: 0,
            beat: false,
        }]
    }
    fn steps(&self, time: &Time, next: &mut Next<'_, Self>) {
        next.change("beat", |to| to.beat = !time.beat);
        if !time.beat {
            next.change("hour", |to| to.hours += 1);
        }
    }
}

#[test]
fn runs_beyond_a_boundary_are_open() {
    let report = check(Clock)
        .boundary(|_, time| time.hours < 20)
        .proposition("late", |_, time| time.hours >= 10)
        .proposition("far", |_, time| time.hours >= 30)
        .ltl("never late", "G not late")
        .ltl("never far", "G not far")
        .ltl("beats", "G F beat")
        .ltl("moves", "F (hours > 0)")
        .run();
    assert_eq!(report.failure().map(|failure| format!("{failure:?}")), None);
    assert_eq!(report.verdict("never late"), &Verdict::Violated);
    assert_eq!(report.verdict("moves"), &Verdict::Violated);
    let open = |name: &str| matches!(report.verdict(name), Verdict::Inconclusive(_));
    // A state that is cut is no end: nobody stays there without a beat.
    assert!(open("never far") && open("beats"), "{report:?}");
    let trace = report.trace("moves").expect("a run");
    assert_eq!((trace.loop_start(), trace.actions().len()), (Some(0), 2));
    let json: serde_json::Value = serde_json::from_str(&trace.to_json()).expect("it is JSON");
    assert_eq!(json["loop"], 0);
    let itf: serde_json::Value = serde_json::from_str(&trace.to_itf()).expect("it is JSON");
    assert_eq!(itf["loop"], 0);
    let text = panic_of(|| report.assert_holds());
    assert!(
        text.contains("and so on: steps 1 to 2 repeat for ever"),
        "{text}"
    );
    assert!(
        text.contains("`beats` is not decided: the model goes on beyond"),
        "{text}"
    );
}

#[test]
fn limits_leave_formulas_open() {
    let report = check(Clock)
        .column(|time| time.hours)
        .states(30_000)
        .ltl("beats", "G (hours < 100000 or F beat)")
        .ctl("home", "AG EF hours == 0")
        .run();
    let verdict = report.verdict("beats");
    assert!(matches!(verdict, Verdict::Inconclusive(_)), "{verdict:?}");
    let text = panic_of(|| report.assert_holds());
    assert!(text.contains("undecided: EF (hours == 0)"), "{text}");
}

/// The text of a panic.
fn panic_of(work: impl FnOnce()) -> String {
    let failed = panic::catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    failed.downcast_ref::<String>().expect("a text").clone()
}

#[test]
fn mistakes_in_formulas_are_shown_where_they_are() {
    let ask = |formula: &str| {
        let check = check(Clock).proposition("late", |_, time| time.hours >= 10);
        let check = check.ltl("asked", formula);
        panic_of(|| drop(check.run()))
    };
    assert_eq!(
        ask("G (lat -> F beat)"),
        "the formula of `asked`:\nthere is no slot or proposition `lat`\n  G (lat -> F beat)\n     \
         ^^^ unknown\n  help: did you mean `late`?"
    );
    let text = ask("G (late -> ");
    assert!(
        text.contains("  G (late -> \n") && text.contains('^'),
        "{text}"
    );
    let text = ask("F (late > 3)");
    assert!(
        text.contains("`late` is a proposition, not a number"),
        "{text}"
    );
    let twice = check(Clock)
        .proposition("late", |_, _| true)
        .proposition("late", |_, _| false);
    let text = panic_of(|| drop(twice.run()));
    assert!(
        text.contains("proposition `late` is defined twice"),
        "{text}"
    );
    let unfair = check(Clock).proposition("late", |_, _| true).fair("lat");
    let text = panic_of(|| drop(unfair.run()));
    assert_eq!(text, "no proposition is called `lat`; did you mean `late`?");
}

/// Counts for ever and does nothing else.
struct Counter;

impl Model for Counter {
    type State = u64;
    type Action = &'static str;
    fn initial(&self) -> Vec<u64> {
        vec![0]
    }
    fn steps(&self, count: &u64, next: &mut Next<'_, Self>) {
        next.step("count", count + 1);
    }
}

#[test]
fn a_path_is_enough_where_no_run_repeats() {
    let report = check(Counter)
        .proposition("small", |_, count| *count < 5)
        .ltl("stays small", "G small")
        .run();
    assert!(report.failure().is_none(), "{:?}", report.failure());
    assert_eq!(report.verdict("stays small"), &Verdict::Violated);
    let trace = report.trace("stays small").expect("a path");
    assert_eq!((trace.loop_start(), trace.last()), (None, 6));
}
