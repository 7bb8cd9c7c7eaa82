//! Reduction that nobody has asked for.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

use sweepline_core::{Limits, Verdict};
use sweepline_session::*;

/// Five processes that count to nine, each for itself: 100,000 states, the last of which is a deadlock.
fn counters(effect: &str) -> Model {
    let processes = (0..5).map(|number| {
        format!(
            "process P{number} {{ byte x = 0; byte b[8]; state a; init a; \
             trans a -> a {{ guard x < 9; effect {effect}; }}; }}\n"
        )
    });
    let text = processes.collect::<String>() + "system async;\n";
    let options = LoadOptions::default();
    match load_text("counters.dve", text.into(), &options, &Limits::default()).unwrap() {
        Reading::Loaded(model) => *model,
        Reading::Stopped(_) => panic!("there are no limits"),
    }
}

fn deadlock() -> QuestionOptions {
    QuestionOptions {
        deadlock: true,
        ..QuestionOptions::default()
    }
}

fn ask(model: &Model, questions: &Questions, reduce: Reduce, states: Option<u64>) -> Run {
    let mut options = Options {
        reduce,
        ..Options::default()
    };
    options.limits.states = states;
    let mut runs = verify(model, questions, &Order::default(), &options, &mut ()).unwrap();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn gathered(model: &Model, questions: &QuestionOptions) -> Questions {
    Questions::gather(questions, model).unwrap()
}

fn is_open(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::Inconclusive(_))
}

fn says(run: &Run, what: &str) -> bool {
    run.notes.iter().any(|note| note.contains(what))
}

/// Figures of what is begun anew do not count what was explored before that, so it is said.
#[test]
fn what_was_explored_in_vain_is_said() {
    let model = counters("x = x + 1");
    let questions = gathered(&model, &deadlock());
    let run = ask(&model, &questions, Reduce::Auto, None);
    assert_eq!(run.statistics.explored, 46);
    assert!(says(&run, "states explored with all steps before that"));
    let run = ask(&model, &questions, Reduce::Stubborn, None);
    assert!(run.notes.is_empty(), "{:?}", run.notes);
}

/// Where so few states may be explored that nothing has been tried by then, it is tried in the end.
#[test]
fn a_limit_is_a_reason_to_leave_out_steps() {
    let model = counters("x = x + 1");
    let questions = gathered(&model, &deadlock());
    let few = Some(1000);
    assert!(is_open(
        &ask(&model, &questions, Reduce::None, few).answers[0]
    ));
    let run = ask(&model, &questions, Reduce::Auto, few);
    assert_eq!(run.answers[0].verdict, Verdict::Violated);
    assert_eq!(
        run.answers[0].evidence.as_ref().unwrap().trace.steps.len(),
        45
    );
    assert_eq!(run.preserved, Some(Preserved::Deadlocks));
    assert!(says(
        &run,
        "limit of 1000 states was reached with all steps"
    ));
    // With fewer steps it takes 46, which is more than is allowed, too.
    assert!(is_open(
        &ask(&model, &questions, Reduce::Auto, Some(40)).answers[0]
    ));
}

/// What is not preserved stays open, and the rest does not.
#[test]
fn a_limit_leaves_open_what_needs_all_steps() {
    let model = counters("x = x + 1");
    let asked = QuestionOptions {
        reachable: vec!["P0.x == 1".into(), "P0.x == 9 and P1.x == 9".into()],
        ctl: vec!["AF P4.x == 9".into()],
        ..deadlock()
    };
    let questions = gathered(&model, &asked);
    let run = ask(&model, &questions, Reduce::Auto, Some(1000));
    let open = run.answers.iter().filter(|answer| is_open(answer));
    let open: Vec<&str> = open.map(|answer| answer.text.as_str()).collect();
    assert_eq!(open, ["AF (P4.x == 9)"]);
    assert_eq!(run.preserved, None);
    assert!(says(&run, "2 questions answered with fewer steps"));
}

/// What fails with fewer steps fails, although all steps did not get there.
#[test]
fn a_limit_hides_no_failure() {
    let model = counters("b[x] = 1, x = x + 1");
    let questions = gathered(&model, &deadlock());
    let few = Some(500);
    assert!(ask(&model, &questions, Reduce::None, few).failure.is_none());
    let run = ask(&model, &questions, Reduce::Auto, few);
    assert!(run.failure.is_some());
    assert!(is_open(&run.answers[0]));
    assert_eq!(run.answers[1].verdict, Verdict::Violated);
}

/// The same for an automaton.
#[test]
fn a_limit_is_a_reason_for_automata_too() {
    let model = counters("x = x + 1");
    let mut questions = gathered(&model, &QuestionOptions::default());
    questions.properties.clear();
    let automaton = "a\nb\na true a \"P0.x == 9 and P1.x == 9\" b\nb true b\n";
    let automaton = sweepline_logic::read_automaton(&automaton.into()).unwrap();
    questions.automata.push(automaton);
    let few = Some(2500);
    assert!(is_open(
        &ask(&model, &questions, Reduce::None, few).answers[0]
    ));
    let run = ask(&model, &questions, Reduce::Auto, few);
    assert_eq!(run.answers[0].verdict, Verdict::Violated);
    assert_eq!(run.preserved, Some(Preserved::Runs));
    assert!(says(
        &run,
        "limit of 2500 states was reached with all steps"
    ));
}
