//! Adapters: what is explored instead of a model answers what is asked about the model, in every order.

use std::path::Path;
use std::sync::Arc;

use sweepline_check::Failure;
use sweepline_core::{AnySystem, Limits, Trace, Verdict};
use sweepline_logic::Source;
use sweepline_session::{
    Adapted, Adapter, Error, Evidence, LoadOptions, Model, Options, Order, Plain, QuestionOptions,
    Questions, Reading, Run, explore, load, verify,
};

fn model(file: &str) -> Model {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let reading = load(
        &models.join(file),
        &LoadOptions::default(),
        &Limits::default(),
    );
    let Ok(Reading::Loaded(model)) = reading else {
        panic!("{file} is read");
    };
    *model
}

fn invariant(text: &str) -> QuestionOptions {
    QuestionOptions {
        invariants: vec![text.into()],
        ..QuestionOptions::default()
    }
}

/// Explores a model and calls all its evidence wrong.
struct Doubting<'q>(Plain<'q>);

impl Adapter for Doubting<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        self.0.adapt(system)
    }

    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        self.0.project(system, trace)
    }

    fn confirms(&self, _: &Arc<dyn AnySystem>, _: &Trace) -> Result<bool, Error> {
        Ok(false)
    }

    fn covers_model(&self) -> bool {
        true
    }
}

#[test]
fn evidence_that_is_not_confirmed_decides_nothing() {
    let model = model("stop-and-wait.pnml");
    let questions = Questions::gather(&invariant("s_0_3 <= 0"), &model).expect("a question");
    let run = |adapter: &dyn Adapter| {
        let (order, options) = (Order::default(), Options::default());
        explore(&model, adapter, &order, &options, &mut ()).expect("it runs")
    };
    let plain = run(&Plain(&questions));
    assert_eq!(plain.answers[0].verdict, Verdict::Violated);
    let doubted = run(&Doubting(Plain(&questions)));
    let answer = &doubted.answers[0];
    assert!(matches!(answer.verdict, Verdict::Inconclusive(_)));
    assert!(answer.evidence.is_none());
    assert!(matches!(doubted.failure, Some(Failure::Bug(_))));
}

/// The automaton of `text` beside stop-and-wait, in an order.
fn watched(text: &str, columns: Option<&str>, rows: Option<&str>) -> Run {
    let model = model("stop-and-wait.pnml");
    let automaton = sweepline_logic::read_automaton(&Source::new("automaton", text));
    let questions = Questions {
        automata: vec![automaton.expect("an automaton")],
        ..Questions::default()
    };
    let mut order = Order::parse(columns, rows, 1, 0).expect("a measure");
    order.use_ids(&model);
    let runs = verify(&model, &questions, &order, &Options::default(), &mut ());
    let [run] = runs.expect("it runs").try_into().ok().expect("one run");
    run
}

/// Sent packets never decrease, so keys are carried along; the automaton's state is no part of the model, so a measure that
/// speaks of it is computed from every state.
#[test]
fn every_order_answers_the_same() {
    let sent: Vec<String> = (1..=20).map(|n| format!("{n}*s_0_{n}")).collect();
    let sent = sent.join(" + ");
    let orders = [
        (None, None),
        (Some(sent.as_str()), None),
        (None, Some(sent.as_str())),
        (None, Some("automaton")),
        (Some(sent.as_str()), Some("automaton")),
    ];
    for (guard, verdict) in [
        ("s_0_19 = 1", Verdict::Violated),
        ("s_0_20 = 2", Verdict::Holds),
    ] {
        let text = format!("q\nbad\nq true q \"{guard}\" bad\nbad\n");
        let plain = watched(&text, None, None);
        for (columns, rows) in orders {
            let run = watched(&text, columns, rows);
            assert_eq!(run.answers[0].verdict, verdict, "{columns:?} {rows:?}");
            assert!(run.failure.is_none(), "{:?}", run.failure);
            let evidence = run.answers[0].evidence.as_ref();
            assert_eq!(evidence.is_some(), verdict == Verdict::Violated);
            if let Some(states) = run.states.filter(|_| verdict == Verdict::Holds) {
                assert_eq!(Some(states), plain.states, "{columns:?} {rows:?}");
            }
            let shown = evidence.map(Evidence::shown);
            let names = shown.iter().flat_map(|shown| &shown.initial);
            assert!(names.into_iter().all(|(name, _)| name != "automaton"));
        }
    }
}
