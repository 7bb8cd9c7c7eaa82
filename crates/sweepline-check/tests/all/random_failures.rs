//! Systems in which assertions are violated and steps fail: what is answered is true, and the state in which the search ends
//! is asked what can be asked there.

#![expect(clippy::cast_possible_truncation, reason = "the numbers are small")]

use proptest::prelude::*;
use sweepline_check::{
    Failure, Inquiry, Plan, Question, QuestionKind, Report, Test, Truth, answer,
};
use sweepline_core::{
    ActionId, BrokenAssertion, Describe, Fault, Layout, NoProgress, Records, Steps, StopReason,
    System, Verdict, Word,
};
use sweepline_explore::{CachingOptions, Options};

/// What happens in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Fine,
    /// An assertion is violated there.
    Asserts,
    /// The last of its steps fails.
    Fails,
}

/// Every state has successors, a set of labels and a fate.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Vec<usize>>,
    labels: Vec<u8>,
    fates: Vec<Fate>,
    layout: Layout,
}

impl System for Graph {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let state = state[0] as usize;
        if self.fates[state] == Fate::Asserts {
            return out.fail(Fault::Assertion(Box::new(BrokenAssertion {
                place: format!("model:{state}"),
                condition: "false".into(),
                error: None,
            })));
        }
        for &target in &self.edges[state] {
            out.push(ActionId(target as u32), &[target as Word]);
        }
        if self.fates[state] == Fate::Fails {
            let (action, message) = (ActionId(99), "division by zero".into());
            out.fail(Fault::Model { action, message });
        }
    }
}

impl Describe for Graph {
    fn actions(&self) -> &[String] {
        &[]
    }
}

fn graphs() -> impl Strategy<Value = Graph> {
    let fates = prop_oneof![
        4 => Just(Fate::Fine),
        1 => Just(Fate::Asserts),
        1 => Just(Fate::Fails),
    ];
    (1..9_usize)
        .prop_flat_map(move |n| {
            (
                prop::collection::vec(prop::collection::vec(0..n, 0..3), n),
                prop::collection::vec(0..8_u8, n),
                prop::collection::vec(fates.clone(), n),
            )
        })
        .prop_map(|(edges, labels, fates)| Graph {
            edges,
            labels,
            fates,
            layout: Layout::opaque(Records::Fixed(1)),
        })
}

fn questions(graph: &Graph) -> Vec<Question> {
    let test = |label: u8| {
        let labels = graph.labels.clone();
        Test::custom(move |seen| Ok(labels[seen.state[0] as usize] >> label & 1 == 1))
    };
    let truths = [
        Truth::Invariant(test(0)),
        Truth::Reachable(test(1)),
        Truth::Invariant(Test::NoDeadlock),
        Truth::Enabled(vec![ActionId(2), ActionId(99)]),
        Truth::Initially(Test::Deadlock),
        // It is never decided, so that the search goes on.
        Truth::Invariant(Test::custom(|_| Ok(true))),
    ];
    let named = truths
        .into_iter()
        .enumerate()
        .map(|(index, truth)| Question {
            name: index.to_string(),
            kind: QuestionKind::Formula,
            text: String::new(),
            truth,
        });
    named.collect()
}

/// The states that are reached, without going on from where something fails.
fn reached(graph: &Graph) -> Vec<usize> {
    let mut seen = vec![0];
    let mut next = 0;
    while let Some(&state) = seen.get(next) {
        next += 1;
        if graph.fates[state] == Fate::Fine {
            for &target in &graph.edges[state] {
                if !seen.contains(&target) {
                    seen.push(target);
                }
            }
        }
    }
    seen
}

fn judge(graph: &Graph, report: &Report<Graph>) -> Result<(), TestCaseError> {
    let reached = reached(graph);
    let has = |state: usize, label: u8| graph.labels[state] >> label & 1 == 1;
    let fine = |state: usize| graph.fates[state] == Fate::Fine;
    let failing = reached.iter().any(|&state| !fine(state));
    prop_assert_eq!(report.failure.is_some(), failing);
    let stuck = |state: usize| fine(state) && graph.edges[state].is_empty();
    let enabled = |state: usize| fine(state) && graph.edges[state].contains(&2);
    let any = |test: &dyn Fn(usize) -> bool| reached.iter().any(|&state| test(state));
    // What may be claimed: by a state, or by the whole state space if nothing fails in it.
    let claims = [
        (Verdict::Violated, any(&|state| !has(state, 0))),
        (Verdict::Holds, any(&|state| has(state, 1))),
        (Verdict::Violated, any(&stuck)),
        (Verdict::Holds, any(&enabled)),
    ];
    for ((by_state, shown), answer) in claims.into_iter().zip(&report.answers) {
        let by_all = Verdict::of(by_state == Verdict::Violated);
        match &answer.verdict {
            Verdict::Inconclusive(reason) => {
                let told = matches!(reason, StopReason::Assertion(_) | StopReason::ModelError(_));
                prop_assert!(failing && told, "{} {reason}", answer.name);
            }
            verdict if *verdict == by_state => prop_assert!(shown, "{}", answer.name),
            verdict => {
                prop_assert_eq!(verdict, &by_all);
                prop_assert!(!failing && !shown, "{}", answer.name);
            }
        }
    }
    let initially = &report.answers[4].verdict;
    if fine(0) {
        prop_assert_eq!(initially, &Verdict::of(stuck(0)));
    } else {
        prop_assert!(matches!(initially, Verdict::Inconclusive(_)));
    }
    let never = &report.answers[5].verdict;
    prop_assert_eq!(never == &Verdict::Holds, !failing);
    // The state in which the search ended is asked too.
    let trace = match &report.failure {
        None => return Ok(()),
        Some(Failure::Assertion { assertion, trace }) => {
            let trace = trace.as_ref().expect("the log is on");
            let state = trace.last()[0] as usize;
            prop_assert_eq!(&assertion.place, &format!("model:{state}"));
            prop_assert_eq!(graph.fates[state], Fate::Asserts);
            trace
        }
        Some(Failure::Model { trace, .. }) => {
            let trace = trace.as_ref().expect("the log is on");
            prop_assert_eq!(graph.fates[trace.last()[0] as usize], Fate::Fails);
            trace
        }
        Some(other) => panic!("{other:?}"),
    };
    let last = trace.last()[0] as usize;
    if !has(last, 0) {
        prop_assert_eq!(&report.answers[0].verdict, &Verdict::Violated);
    }
    if has(last, 1) {
        prop_assert_eq!(&report.answers[1].verdict, &Verdict::Holds);
    }
    for (answer, decides) in report.answers.iter().zip([!has(last, 0), has(last, 1)]) {
        // Whatever decided, its evidence leads to a state that does.
        if let Some(evidence) = &answer.evidence {
            let shown = evidence.last()[0] as usize;
            let by_state = if answer.name == "0" {
                !has(shown, 0)
            } else {
                has(shown, 1)
            };
            prop_assert!(by_state);
        } else {
            prop_assert!(!decides);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_said_of_models_that_fail_is_true(graph in graphs()) {
        let plan = Plan {
            system: graph.clone(),
            progress: NoProgress,
            questions: questions(&graph),
        };
        judge(&graph, &answer(plan, |_, _| None, Options::default(), &mut ()))?;
        let plan = Plan { system: graph.clone(), progress: (), questions: questions(&graph) };
        let mut caching = Inquiry::caching(plan, CachingOptions::default());
        let end = caching.run(|_, _| None, &mut ());
        judge(&graph, &caching.report(end))?;
    }

    /// A question that nobody can answer stays open, and the others are answered as without it.
    #[test]
    fn questions_without_an_answer_disturb_nobody(graph in graphs(), at in 0..4_usize) {
        let run = |questions: Vec<Question>| {
            let plan = Plan { system: graph.clone(), progress: NoProgress, questions };
            let report = answer(plan, |_, _| None, Options::default(), &mut ());
            let verdicts = report.answers.into_iter().map(|answer| answer.verdict);
            verdicts.collect::<Vec<_>>()
        };
        let expected = run(questions(&graph));
        let why = StopReason::NotChecked("a formula of LTL".into());
        let mut more = questions(&graph);
        more.insert(at, Question::unanswered("ltl", QuestionKind::Ltl, "F p", why.clone()));
        let mut found = run(more);
        prop_assert_eq!(found.remove(at), Verdict::Inconclusive(why.clone()));
        prop_assert_eq!(found, expected);
        // Alone, it needs no exploration.
        let alone = vec![Question::unanswered("ltl", QuestionKind::Ltl, "F p", why.clone())];
        prop_assert_eq!(run(alone), [Verdict::Inconclusive(why)]);
    }
}
