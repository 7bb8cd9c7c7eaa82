//! Reduced explorations against full ones: verdicts, evidence, figures, and what is refused.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

use std::sync::Arc;

use proptest::prelude::*;
use sweepline_core::{
    AnySystem, Control, Expanded, Limits, NoProgress, Observer, Steps, StopReason, System, Verdict,
};
use sweepline_explore::Sweep;
use sweepline_net::{NetSystem, PetriNet, family};
use sweepline_reduce::{Aim, NetTransitions, Stubborn};
use sweepline_session::*;

fn read(name: &str, text: &str) -> Model {
    let limits = Limits::default();
    match load_text(name, text.into(), &LoadOptions::default(), &limits).unwrap() {
        Reading::Loaded(model) => *model,
        Reading::Stopped(_) => panic!("there are no limits"),
    }
}

fn net(net: PetriNet) -> Model {
    Model::of_net("net", Arc::new(net))
}

/// The same, each of whose places begins with as few bits as its initial tokens need.
fn narrow(net: PetriNet) -> Model {
    let net = Arc::new(net);
    Model {
        system: Arc::new(NetSystem::with_bits(Arc::clone(&net), |_| 1)),
        ..Model::of_net("net", net)
    }
}

fn deadlock() -> QuestionOptions {
    QuestionOptions {
        deadlock: true,
        ..QuestionOptions::default()
    }
}

fn reach(predicates: &[&str]) -> QuestionOptions {
    QuestionOptions {
        reachable: predicates.iter().map(|&it| it.to_owned()).collect(),
        ..QuestionOptions::default()
    }
}

fn ask(
    model: &Model,
    questions: &QuestionOptions,
    order: &Order,
    reduce: Reduce,
) -> Result<Run, Error> {
    let questions = Questions::gather(questions, model)?;
    let options = Options {
        reduce,
        ..Options::default()
    };
    let mut runs = verify(model, &questions, order, &options, &mut ())?;
    assert_eq!(runs.len(), 1);
    Ok(runs.remove(0))
}

/// Verdicts are those of a full exploration, and evidence leads through the model to where it should.
fn agrees(model: &Model, questions: &QuestionOptions, order: &Order) -> (Run, Run) {
    let full = ask(model, questions, order, Reduce::None).unwrap();
    let reduced = ask(model, questions, order, Reduce::Stubborn).unwrap();
    assert_eq!(full.answers.len(), reduced.answers.len());
    for (expected, found) in full.answers.iter().zip(&reduced.answers) {
        assert_eq!(found.verdict, expected.verdict, "{}", expected.name);
        assert_eq!((&found.name, &found.text), (&expected.name, &expected.text));
        assert_eq!(found.evidence.is_some(), expected.evidence.is_some());
        if let Some(evidence) = &found.evidence {
            follow(evidence);
        }
    }
    assert_eq!(reduced.states, None);
    (full, reduced)
}

/// Evidence is a path of the model itself, ordinals included.
fn follow(evidence: &Evidence) {
    let system = &evidence.system;
    let mut state = evidence.trace.initial.clone();
    let mut steps = Steps::for_layout(system.layout());
    for step in &evidence.trace.steps {
        steps.clear();
        system.successors(&state, &mut steps);
        assert_eq!(steps.actions()[step.ordinal], step.action);
        assert_eq!(steps.target(step.ordinal), &*step.state);
        state.clone_from(&step.state);
    }
}

/// A measure that goes up and down by steps of the model must not decide what is left out: here is a cycle of which each
/// step progresses by one of two measures, and one that leads out of it.
#[test]
fn nothing_is_missed_behind_a_cycle() {
    let mut builder = PetriNet::builder("cycle");
    let places: Vec<_> = [1, 0, 0, 0, 1].into_iter().zip(0..).collect();
    let places: Vec<_> = places
        .iter()
        .map(|(tokens, id)| builder.place(format!("p{id}"), *tokens))
        .collect();
    builder.rule("there", &[places[4]], &[places[1]]);
    builder.rule("back", &[places[1]], &[places[4]]);
    builder.rule("out", &[places[0]], &[places[2]]);
    let model = net(builder.build().unwrap());
    for rows in [None, Some("3*p1 + 2*p4"), Some("3*p4 - 3*p1")] {
        let order = Order::parse(None, rows, 1, 0).unwrap();
        let (_, reduced) = agrees(&model, &reach(&["p2 == 1", "p3 == 1"]), &order);
        assert_eq!(reduced.answers[0].verdict, Verdict::Holds);
        assert_eq!(reduced.answers[1].verdict, Verdict::Violated);
    }
}

/// Where a goal cannot be reached any more, no steps are left; that is no deadlock.
#[test]
fn nothing_left_to_do_is_no_deadlock() {
    let mut builder = PetriNet::builder("ring");
    let (a, b, c) = (
        builder.place("a", 1),
        builder.place("b", 0),
        builder.place("c", 0),
    );
    builder.rule("ab", &[a], &[b]);
    builder.rule("ba", &[b], &[a]);
    builder.rule("never", &[c, c], &[c]);
    let model = net(builder.build().unwrap());
    let run = ask(
        &model,
        &reach(&["c == 1"]),
        &Order::default(),
        Reduce::Stubborn,
    )
    .unwrap();
    assert_eq!(run.answers[0].verdict, Verdict::Violated);
    assert_eq!((run.deadlocks, run.statistics.explored), (None, 1));
    assert_eq!(run.statistics.deadlock_expansions, 0);
}

/// States that only deadlocks can be are looked for as deadlocks are, whatever else is asked of them.
#[test]
fn deadlocks_of_some_kind_are_deadlocks() {
    let model = net(family::philosophers(8));
    let questions = QuestionOptions {
        invariants: vec![
            "not deadlock or th_0 == 0".into(),
            "deadlock -> th_0 == 1".into(),
            "not (deadlock and not (fireable(takel_0) or f_1 == 0))".into(),
        ],
        reachable: vec![
            "deadlock and th_0 == 1".into(),
            "deadlock and l_0 == 1".into(),
        ],
        ..QuestionOptions::default()
    };
    let (full, reduced) = agrees(&model, &questions, &Order::default());
    assert_eq!(reduced.preserved, Some(Preserved::Deadlocks));
    let (few, all) = (reduced.statistics.explored, full.statistics.explored);
    assert!(few * 4 < all * 3, "{few} of {all}");
    // Dividing by what may be zero has no value in some states, which must be found.
    let partial = reach(&["deadlock and 1 / th_0 == 1"]);
    let refused = ask(&model, &partial, &Order::default(), Reduce::Stubborn);
    assert!(refused.is_err());
}

/// What an exploration tells of a state: the actions that are taken and those that are enabled.
#[test]
fn events_tell_what_is_enabled_and_what_is_taken() {
    #[derive(Default)]
    struct Watcher(Vec<(usize, usize)>);
    impl Observer for Watcher {
        fn expanded(&mut self, event: Expanded<'_>) -> Control {
            self.0
                .push((event.actions().len(), event.enabled().count()));
            Control::Continue
        }
    }
    fn watched(system: &Arc<dyn AnySystem>) -> Vec<(usize, usize)> {
        let mut seen = Watcher::default();
        let options = sweepline_explore::Options::default();
        Sweep::new(system, NoProgress, options).run(&mut seen);
        seen.0
    }
    let net = Arc::new(family::philosophers(3));
    let aim = Aim::deadlocks(Arc::new(NetTransitions::new(Arc::clone(&net)).unwrap()));
    let system: Arc<dyn AnySystem> = Arc::new(NetSystem::new(net));
    let full = watched(&system);
    assert!(full.iter().all(|(taken, enabled)| taken == enabled));
    let reduced = watched(&(Arc::new(Stubborn::new(system, Arc::new(aim))) as Arc<dyn AnySystem>));
    assert!(reduced.iter().all(|(taken, enabled)| taken <= enabled));
    assert!(reduced.iter().any(|(taken, enabled)| taken < enabled));
    for seen in [full, reduced] {
        assert_eq!(seen.iter().filter(|(_, enabled)| *enabled == 0).count(), 2);
    }
}

/// A process that does nothing but turn around is a stubborn set of its own, and behind it something fails.
#[test]
fn failures_are_not_missed() {
    let model = read(
        "fails.dve",
        "byte x, y, z; byte a[2];
         process R { state s; init s; trans s -> s { effect z = 1 - z; }; }
         process Q { state s, t; init s; trans s -> t { effect y = 1; }; }
         process P { state s, t; init s; trans s -> t { guard y == 1; effect a[x + 2] = 1; }; }
         system async;",
    );
    let (full, reduced) = agrees(&model, &deadlock(), &Order::default());
    assert!(full.failure.is_some() && reduced.failure.is_some());
    let model = read(
        "asserts.dve",
        "byte y, z;
         process R { state s; init s; trans s -> s { effect z = 1 - z; }; }
         process Q { state s, t; init s; assert t: y == 1; trans s -> t { effect y = 2; }; }
         system async;",
    );
    let (full, reduced) = agrees(&model, &deadlock(), &Order::default());
    assert!(full.failure.is_some() && reduced.failure.is_some());
}

/// While a process is committed, the others wait.
#[test]
fn committed_locations_keep_others_from_moving() {
    let model = read(
        "committed.dve",
        "byte x;
         process P { state s, c, t; init s; commit c; trans s -> c { }, c -> t { guard x == 0; }; }
         process Q { state s, t; init s; trans s -> t { effect x = 1; }; }
         system async;",
    );
    let order = Order::default();
    for method in [Reduce::None, Reduce::Stubborn] {
        let options = Options {
            reduce: method,
            ..Options::default()
        };
        let run = match method {
            Reduce::Stubborn => explore_reduced(&model, &order, &options, &mut ()),
            _ => explore(
                &model,
                &Plain(&Questions::default()),
                &order,
                &options,
                &mut (),
            ),
        };
        // It can get stuck in the committed location, and end as planned.
        assert_eq!(run.unwrap().deadlocks, Some(2));
    }
    agrees(&model, &deadlock(), &order);
}

/// A joint action writes for both processes, and a third one looks at what it writes.
#[test]
fn joint_actions_write_for_both() {
    let model = read(
        "joint.dve",
        "byte x, y; channel c;
         process S { state s, t; init s; trans s -> t { sync c!; effect x = 1; }; }
         process R { state s, t; init s; trans s -> t { sync c?; effect y = 1; }; }
         process O { state s, half, all, bad; init s; trans
           s -> half { guard x == 0; }, half -> all { guard y == 1; }, all -> bad { guard x == 1; }; }
         system async;",
    );
    let order = Order::default();
    let (_, reduced) = agrees(&model, &reach(&["O == bad", "x == 1 and y == 0"]), &order);
    assert_eq!(reduced.answers[0].verdict, Verdict::Holds);
    assert_eq!(reduced.answers[1].verdict, Verdict::Violated);
    agrees(&model, &deadlock(), &order);
}

/// Places outgrow their bits on the way, and evidence that was logged before that is replayed after it.
#[test]
fn ordinals_outlive_a_wider_encoding() {
    let mut builder = PetriNet::builder("growing");
    let (source, store, other, end) = (
        builder.place("source", 300),
        builder.place("store", 0),
        builder.place("other", 2),
        builder.place("end", 0),
    );
    // With all steps `turn` comes first and `fill` second; where `turn` is left out, `fill` is first.
    builder.rule("turn", &[other], &[other]);
    builder.rule("fill", &[source], &[store]);
    let stop = builder.transition("stop");
    builder.input(stop, store, 290).input(stop, other, 2);
    builder.output(stop, end, 1);
    let model = narrow(builder.build().unwrap());
    let (_, reduced) = agrees(&model, &reach(&["end == 1"]), &Order::default());
    assert_eq!(reduced.answers[0].verdict, Verdict::Holds);
    assert_ne!(reduced.system.layout(), model.system.layout());
    assert_eq!(
        reduced.answers[0]
            .evidence
            .as_ref()
            .unwrap()
            .trace
            .steps
            .len(),
        291
    );
    agrees(&model, &deadlock(), &Order::default());
}

/// Whoever looks for runs by itself begins again when a place outgrows its bits.
#[test]
fn every_search_for_runs_outlives_a_wider_encoding() {
    let mut builder = PetriNet::builder("growing");
    let (source, store) = (builder.place("source", 300), builder.place("store", 0));
    builder.rule("fill", &[source], &[store]);
    let model = narrow(builder.build().unwrap());
    let questions = QuestionOptions {
        ltl: vec!["G F (store == 300)".into(), "G F (store <= 299)".into()],
        ..QuestionOptions::default()
    };
    let questions = Questions::gather(&questions, &model).unwrap();
    for emptiness in [Emptiness::Links, Emptiness::Product, Emptiness::Thesis] {
        for reduce in [Reduce::None, Reduce::Stubborn] {
            let options = Options {
                emptiness,
                reduce,
                ..Options::default()
            };
            let order = Order::default();
            let runs = verify(&model, &questions, &order, &options, &mut ()).unwrap();
            let verdicts: Vec<_> = runs[0].answers.iter().map(|it| &it.verdict).collect();
            assert_eq!(
                verdicts,
                [&Verdict::Holds, &Verdict::Violated],
                "{emptiness:?}"
            );
        }
    }
}

/// Figures that a reduction must not lose again.
#[test]
fn known_nets_get_much_smaller() {
    for (model, most) in [
        (net(family::kanban(4)), 100),
        (net(family::fms(4)), 100),
        (net(family::philosophers(8)), 20_000),
    ] {
        let options = Options::default();
        let run = explore_reduced(&model, &Order::default(), &options, &mut ()).unwrap();
        let explored = run.statistics.explored;
        assert!(run.statistics.complete);
        assert!(explored <= most, "{explored}");
        assert_eq!(run.preserved, Some(Preserved::Deadlocks));
    }
}

/// What stubborn sets do not preserve is refused by name if they are forced, and explored in full if not.
#[test]
fn what_is_not_preserved_is_refused() {
    let model = net(family::philosophers(3));
    let ltl = QuestionOptions {
        ltl: vec!["X (th_0 == 0)".into()],
        ..QuestionOptions::default()
    };
    let ctl = QuestionOptions {
        ctl: vec!["AG EF true".into()],
        ..QuestionOptions::default()
    };
    for (questions, why) in [(&ltl, "how often"), (&ctl, "branching time")] {
        let order = Order::default();
        let error = ask(&model, questions, &order, Reduce::Stubborn)
            .err()
            .unwrap();
        assert!(error.to_string().contains(why), "{error}");
        let run = ask(&model, questions, &order, Reduce::Auto).unwrap();
        assert_eq!(run.preserved, None);
    }
    let cached = OrderOptions {
        method: Some(Method::Caching),
        cache: Some(100),
        ..OrderOptions::default()
    };
    let order = Order::of(&cached, &model, &Limits::default()).unwrap();
    let runs = QuestionOptions {
        ltl: vec!["G F (th_0 == 1)".into()],
        ..QuestionOptions::default()
    };
    for reduce in [Reduce::None, Reduce::Auto, Reduce::Stubborn] {
        let refused = ask(&model, &runs, &order, reduce).err().unwrap();
        assert!(refused.to_string().contains("caching"), "{refused}");
    }
    let model = read(
        "counted.dve",
        "process P { state s, t; init s; trans s -> t { }; } system async;",
    );
    let graph = read("one.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    for model in [&model, &graph] {
        agrees(model, &deadlock(), &Order::default());
    }
}

/// What an automaton says of a model.
fn watch(model: &Model, automaton: &str, reduce: Reduce) -> Result<Run, Error> {
    let mut questions = Questions::gather(&QuestionOptions::default(), model)?;
    let automaton = sweepline_logic::read_automaton(&automaton.into()).unwrap();
    questions.properties.clear();
    questions.automata.push(automaton);
    let options = Options {
        reduce,
        ..Options::default()
    };
    let mut runs = verify(model, &questions, &Order::default(), &options, &mut ())?;
    assert_eq!(runs.len(), 1);
    Ok(runs.remove(0))
}

/// An automaton that waits is asked of fewer interleavings, and its evidence is a path of the model.
#[test]
fn safety_automata_that_do_not_count_are_reduced() {
    let model = net(family::philosophers(6));
    // One philosopher stops thinking, and then or at the same time another one; and one who thinks twice at the same time, which nobody does.
    for (automaton, verdict) in [
        (
            "a\nc\na true a \"th_0 == 0\" b \"th_0 == 0 and th_3 == 0\" c\nb true b \"th_3 == 0\" c\nc true c\n",
            Verdict::Violated,
        ),
        ("a\nb\na true a \"th_0 > 1\" b\nb true b\n", Verdict::Holds),
    ] {
        let full = watch(&model, automaton, Reduce::None).unwrap();
        assert_eq!(full.answers[0].verdict, verdict);
        for reduce in [Reduce::Auto, Reduce::Stubborn] {
            let run = watch(&model, automaton, reduce).unwrap();
            assert_eq!(run.answers[0].verdict, verdict);
            if let Some(evidence) = &run.answers[0].evidence {
                follow(evidence);
            }
        }
        let reduced = watch(&model, automaton, Reduce::Stubborn).unwrap();
        assert_eq!(reduced.preserved, Some(Preserved::Runs));
        // Who finds a violation may have looked elsewhere first.
        let whole = verdict == Verdict::Holds;
        assert!(!whole || reduced.statistics.explored <= full.statistics.explored);
    }
}

/// Trap: an automaton that counts steps is not indifferent to how often a state is repeated.
#[test]
fn safety_automata_that_count_steps_are_not_reduced() {
    let model = net(family::philosophers(4));
    let counts = "a\nd\na true b\nb true c\nc \"th_0 == 0\" d\nd true d\n";
    let error = watch(&model, counts, Reduce::Stubborn).err().unwrap();
    assert!(error.to_string().contains("how often"), "{error}");
    let full = watch(&model, counts, Reduce::None).unwrap();
    let auto = watch(&model, counts, Reduce::Auto).unwrap();
    assert_eq!(full.answers[0].verdict, auto.answers[0].verdict);
    assert_eq!(auto.preserved, None);
}

/// Questions of all sorts are answered in the order in which they are asked.
#[test]
fn answers_come_in_the_order_of_questions() {
    let model = net(family::philosophers(4));
    let questions = QuestionOptions {
        reachable: vec!["fireable(takel_0)".into(), "deadlock".into()],
        invariants: vec!["not deadlock".into()],
        ctl: vec!["EF deadlock".into()],
        ..QuestionOptions::default()
    };
    let order = Order::default();
    let full = ask(&model, &questions, &order, Reduce::None).unwrap();
    let auto = ask(&model, &questions, &order, Reduce::Auto).unwrap();
    let told = |run: &Run| -> Vec<_> {
        let answers = run.answers.iter();
        answers
            .map(|it| (it.name.clone(), it.text.clone(), it.verdict.clone()))
            .collect()
    };
    assert_eq!(told(&auto), told(&full));
}

/// A small net from a few numbers.
fn small(arcs: &[(usize, usize, usize)], tokens: &[u64]) -> PetriNet {
    let mut net = PetriNet::builder("random");
    let places = tokens.iter().zip(0..);
    let places: Vec<_> = places
        .map(|(tokens, id)| net.place(format!("p{id}"), *tokens))
        .collect();
    for (index, (from, also, to)) in arcs.iter().enumerate() {
        let pick = |index: usize| places[index % places.len()];
        let inputs = match pick(*also) {
            second if second == pick(*from) || also % 2 == 0 => vec![pick(*from)],
            second => vec![pick(*from), second],
        };
        net.rule(format!("t{index}"), &inputs, &[pick(*to)]);
    }
    net.build().unwrap()
}

/// Formulas that cannot tell how often a state is repeated.
const RUNS: [&str; 6] = [
    "G (p0 == 0 -> F (p1 >= 1))",
    "F G (p0 >= 1)",
    "G F (p1 == 0)",
    "(p0 == 0) U (p1 >= 1)",
    "F (p2 > p3 and F (p2 < p3))",
    "G F fireable(t0) -> G F fireable(t1)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The same under every measure and window.
    #[test]
    fn verdicts_do_not_depend_on_the_measure(
        arcs in prop::collection::vec((0..12_usize, 0..12_usize, 0..12_usize), 2..8),
        tokens in prop::collection::vec(0..3_u64, 4..7),
        weights in prop::collection::vec(-2..3_i64, 3),
        window in 0..3_u64,
    ) {
        let model = net(small(&arcs, &tokens));
        let terms = weights.iter().zip(0..).map(|(weight, place)| format!("{weight}*p{place}"));
        let rows = terms.collect::<Vec<_>>().join(" + ");
        for order in [
            Order::parse(None, Some(&rows), 1, window).unwrap(),
            Order::parse(None, Some("p0, p1"), 1, window).unwrap(),
            Order::default(),
        ] {
            agrees(&model, &deadlock(), &order);
            agrees(&model, &reach(&["p0 == 0 and p1 >= 1", "p2 > p3", "fireable(t0)"]), &order);
            let runs = QuestionOptions {
                ltl: RUNS.map(String::from).to_vec(),
                ..QuestionOptions::default()
            };
            agrees(&model, &runs, &order);
        }
    }
}

/// A limit that is reached while it is found out what depends on what is the reason why nothing is known, and no error.
#[test]
fn limits_end_what_comes_before_an_exploration() {
    let program = read(
        "flags.dve",
        "byte x, y;
         process P { state s; init s; trans s -> s { guard y == 0; effect x = 1 - x; }; }
         process Q { state s; init s; trans s -> s { guard x == 0; effect y = 1 - y; }; }
         system async;",
    );
    let interrupted = || Verdict::Inconclusive(StopReason::Interrupted);
    for model in [program.clone(), net(family::philosophers(3))] {
        for dependency in [None, Some(Dependency::Static), Some(Dependency::Local)] {
            let options = Options {
                reduce: Reduce::Stubborn,
                dependency,
                ..Options::default()
            };
            options.limits.cancel.cancel();
            let questions = Questions::gather(&deadlock(), &model).unwrap();
            let order = Order::default();
            let runs = verify(&model, &questions, &order, &options, &mut ()).unwrap();
            assert_eq!(runs[0].answers[0].verdict, interrupted());
            let note = "no steps were left out: interrupted";
            assert!(runs[0].notes.iter().any(|it| it == note));
            let run = explore_reduced(&model, &order, &options, &mut ()).unwrap();
            assert_eq!(run.stopped, Some(StopReason::Interrupted));
        }
    }
    let options = Options {
        via: Via::Local,
        ..Options::default()
    };
    options.limits.cancel.cancel();
    let questions = Questions::gather(&deadlock(), &program).unwrap();
    let runs = verify(&program, &questions, &Order::default(), &options, &mut ()).unwrap();
    assert_eq!(runs[0].answers[0].verdict, interrupted());
    let wanted = LocalOptions::default();
    let found = analyse(&program, &wanted, &Order::default(), &options, &mut ()).unwrap();
    assert_eq!(found.verdicts().len(), 1);
    assert!(matches!(
        found.verdicts()[0],
        Verdict::Inconclusive(StopReason::Other(_))
    ));
}

/// What is told by local graphs alone is no reason not to find what the model does wrong; where that cannot be, nothing is explored.
#[test]
fn local_graphs_do_not_hide_failures() {
    let with = |assertion: &str, more: &str| {
        read(
            "asserts.dve",
            &format!(
                "byte x;
                 process P {{ byte n; state a, b; init a; {assertion} trans a -> b {{ {more} }}, b -> a {{}}; }}
                 process Q {{ state c; init c; trans c -> c {{ guard x == 0; effect x = 0; }}; }}
                 system async;"
            ),
        )
    };
    let asked = QuestionOptions {
        invariants: vec!["P.a or P.b".to_owned()],
        ..QuestionOptions::default()
    };
    for reduce in [Reduce::None, Reduce::Auto, Reduce::Stubborn] {
        let options = Options {
            via: Via::Local,
            reduce,
            ..Options::default()
        };
        let run = |model: &Model| {
            let questions = Questions::gather(&asked, model).unwrap();
            let runs = verify(model, &questions, &Order::default(), &options, &mut ());
            let run = runs.unwrap().remove(0);
            assert_eq!(run.answers[0].verdict, Verdict::Holds);
            run
        };
        let broken = run(&with("assert b: x == 1;", ""));
        assert!(broken.failure.is_some(), "{reduce:?}");
        assert_eq!(broken.answers.len(), 2);
        assert_eq!(broken.answers[1].verdict, Verdict::Violated);
        assert!(run(&with("", "effect n = 1 / x;")).failure.is_some());
        // What is written on the way to an assertion is known without a look at states.
        for safe in [with("assert b: n == 1;", "effect n = 1;"), with("", "")] {
            let run = run(&safe);
            assert!(run.failure.is_none());
            assert_eq!(run.statistics.explored, 0, "{reduce:?}");
        }
    }
}

/// All steps are taken if somebody wants that, whoever is asked first; and what makes no sense is refused.
#[test]
fn nobody_is_ignored_who_asks_local_graphs_first() {
    let model = read(
        "free.dve",
        "process P { state a, b; init a; trans a -> b {}, b -> a {}; }
         process Q { state a, b; init a; trans a -> b {}, b -> a {}; }
         system async;",
    );
    let questions = Questions::gather(&deadlock(), &model).unwrap();
    let ask = |reduce, dependency| {
        let options = Options {
            via: Via::Local,
            reduce,
            dependency,
            ..Options::default()
        };
        verify(&model, &questions, &Order::default(), &options, &mut ())
    };
    let whole = ask(Reduce::None, None).unwrap().remove(0);
    assert_eq!((whole.preserved, whole.states), (None, Some(4)));
    let reduced = ask(Reduce::Auto, Some(Dependency::Local))
        .unwrap()
        .remove(0);
    assert_eq!(reduced.preserved, Some(Preserved::Deadlocks));
    let refused = ask(Reduce::Auto, Some(Dependency::Static));
    assert!(matches!(refused, Err(Error::Contradiction { .. })));
    let options = Options {
        dependency: Some(Dependency::Local),
        ..Options::default()
    };
    assert!(options.clone().for_exploration().is_err());
    let stubborn = Options {
        reduce: Reduce::Stubborn,
        ..options
    };
    assert!(stubborn.for_exploration().is_ok());
}
