//! Answers agree with a naive evaluation over the reachable states of random systems, in every order of exploration.

#![expect(clippy::cast_possible_truncation, reason = "the numbers are small")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_check::{Answer, Inquiry, Plan, Question, QuestionKind, Test, Truth, Value, answer};
use sweepline_core::{
    ActionId, Control, Describe, Expanded, Key, KeyError, LayerClosed, Layout, NoProgress,
    Observer, Progress, Records, Steps, System, Trace, Verdict, Word,
};
use sweepline_explore::{End, Options};

/// Every state has successors, a row of the measure, a set of labels and a value.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Vec<(u32, usize)>>,
    rows: Vec<u8>,
    labels: Vec<u8>,
    values: Vec<i64>,
    /// Where it is a proper end to have no successors.
    ends: Vec<bool>,
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
        for &(action, target) in &self.edges[state[0] as usize] {
            out.push(ActionId(action), &[target as Word]);
        }
    }
    fn is_end(&self, state: &[Word]) -> bool {
        assert!(
            self.edges[state[0] as usize].is_empty(),
            "asked about states without steps only"
        );
        self.ends[state[0] as usize]
    }
}

impl Graph {
    fn is_deadlock(&self, state: usize) -> bool {
        self.edges[state].is_empty() && !self.ends[state]
    }
}

impl Describe for Graph {
    fn actions(&self) -> &[String] {
        &[]
    }
}

struct Rows(Vec<u8>);

impl Progress for Rows {
    fn row_bits(&self) -> u32 {
        128
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(self.0[state[0] as usize].into()))
    }
}

/// A question as data, so that it can be asked of both sides.
#[derive(Clone, Debug)]
enum Ask {
    Initially(u8),
    Reachable(u8),
    Invariant(u8),
    Enabled(Vec<u32>),
    Not(Box<Ask>),
    And(Vec<Ask>),
    Or(Vec<Ask>),
}

impl Ask {
    fn truth(&self, graph: &Graph) -> Truth {
        let test = |label: u8| {
            let labels = graph.labels.clone();
            Test::custom(move |seen| Ok(labels[seen.state[0] as usize] >> label & 1 == 1))
        };
        match self {
            Self::Initially(label) => Truth::Initially(test(*label)),
            Self::Reachable(label) => Truth::Reachable(test(*label)),
            Self::Invariant(label) => Truth::Invariant(test(*label)),
            Self::Enabled(actions) => {
                Truth::Enabled(actions.iter().copied().map(ActionId).collect())
            }
            Self::Not(inner) => Truth::Not(Box::new(inner.truth(graph))),
            Self::And(parts) => Truth::And(parts.iter().map(|part| part.truth(graph)).collect()),
            Self::Or(parts) => Truth::Or(parts.iter().map(|part| part.truth(graph)).collect()),
        }
    }

    /// Whether a state decides the question, or one of those it is made of.
    fn is_decided_by(&self, graph: &Graph, state: usize) -> bool {
        let has = |label: u8| graph.labels[state] >> label & 1 == 1;
        match self {
            Self::Initially(_) => false,
            Self::Reachable(label) => has(*label),
            Self::Invariant(label) => !has(*label),
            Self::Enabled(actions) => {
                let mut edges = graph.edges[state].iter();
                edges.any(|(action, _)| actions.contains(action))
            }
            Self::Not(inner) => inner.is_decided_by(graph, state),
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().any(|part| part.is_decided_by(graph, state))
            }
        }
    }

    fn naive(&self, graph: &Graph, reachable: &BTreeSet<usize>) -> bool {
        let has = |state: usize, label: u8| graph.labels[state] >> label & 1 == 1;
        match self {
            Self::Initially(label) => has(0, *label),
            Self::Reachable(label) => reachable.iter().any(|&state| has(state, *label)),
            Self::Invariant(label) => reachable.iter().all(|&state| has(state, *label)),
            Self::Enabled(actions) => reachable.iter().any(|&state| {
                graph.edges[state]
                    .iter()
                    .any(|(action, _)| actions.contains(action))
            }),
            Self::Not(inner) => !inner.naive(graph, reachable),
            Self::And(parts) => parts.iter().all(|part| part.naive(graph, reachable)),
            Self::Or(parts) => parts.iter().any(|part| part.naive(graph, reachable)),
        }
    }
}

fn reachable(graph: &Graph) -> BTreeSet<usize> {
    let mut seen = BTreeSet::from([0]);
    let mut waiting = vec![0];
    while let Some(state) = waiting.pop() {
        waiting.extend(
            graph.edges[state]
                .iter()
                .map(|edge| edge.1)
                .filter(|&target| seen.insert(target)),
        );
    }
    seen
}

fn graphs() -> impl Strategy<Value = Graph> {
    (1..10_usize)
        .prop_flat_map(|n| {
            (
                prop::collection::vec(prop::collection::vec((0..6_u32, 0..n), 0..3), n),
                prop::collection::vec(0..4_u8, n),
                prop::collection::vec(0..16_u8, n),
                prop::collection::vec(-50..50_i64, n),
                prop::collection::vec(any::<bool>(), n),
            )
        })
        .prop_map(|(edges, rows, labels, values, ends)| Graph {
            edges,
            rows,
            labels,
            values,
            ends,
            layout: Layout::opaque(Records::Fixed(1)),
        })
}

fn asks() -> impl Strategy<Value = Ask> {
    let leaf = prop_oneof![
        (0..4_u8).prop_map(Ask::Initially),
        (0..4_u8).prop_map(Ask::Reachable),
        (0..4_u8).prop_map(Ask::Invariant),
        prop::collection::vec(0..8_u32, 1..3).prop_map(Ask::Enabled),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Ask::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Ask::And),
            prop::collection::vec(inner, 0..4).prop_map(Ask::Or),
        ]
    })
}

/// All questions, then whether there is a deadlock, then the largest value.
fn questions(graph: &Graph, asks: &[Ask]) -> Vec<Question> {
    let mut questions: Vec<_> = asks
        .iter()
        .map(|ask| Question {
            name: format!("{ask:?}"),
            kind: QuestionKind::Formula,
            text: String::new(),
            truth: ask.truth(graph),
        })
        .collect();
    questions.push(Question::no_deadlock());
    let values = graph.values.clone();
    questions.push(Question {
        name: "bound".into(),
        kind: QuestionKind::Bound,
        text: String::new(),
        truth: Truth::Largest(Value::custom(
            move |seen| Ok(values[seen.state[0] as usize]),
        )),
    });
    questions
}

fn check_answers(graph: &Graph, asks: &[Ask], answers: &[Answer]) -> Result<(), TestCaseError> {
    let reachable = reachable(graph);
    for (ask, answer) in asks.iter().zip(answers) {
        let expected = Verdict::of(ask.naive(graph, &reachable));
        prop_assert_eq!(&answer.verdict, &expected, "{:?}", ask);
        judge(graph, ask, answer)?;
    }
    let deadlock = reachable.iter().any(|&state| graph.is_deadlock(state));
    let answer = &answers[asks.len()];
    prop_assert_eq!(&answer.verdict, &Verdict::of(!deadlock));
    prop_assert_eq!(answer.evidence.is_some(), deadlock);
    if let Some(trace) = &answer.evidence {
        prop_assert!(graph.is_deadlock(trace.last()[0] as usize));
    }
    let bound = &answers[asks.len() + 1];
    let largest = reachable.iter().map(|&state| graph.values[state]).max();
    prop_assert_eq!(bound.value, largest);
    let last = bound
        .evidence
        .as_ref()
        .map(|trace| graph.values[trace.last()[0] as usize]);
    prop_assert_eq!(last, largest);
    Ok(())
}

/// There is evidence wherever a single state decides, it is a path, and the state it leads to decides.
fn judge(graph: &Graph, ask: &Ask, answer: &Answer) -> Result<(), TestCaseError> {
    let expected = match ask {
        Ask::Initially(_) => Some(false),
        Ask::Reachable(_) | Ask::Enabled(_) => Some(answer.verdict == Verdict::Holds),
        Ask::Invariant(_) => Some(answer.verdict == Verdict::Violated),
        Ask::Not(_) | Ask::And(_) | Ask::Or(_) => None,
    };
    if let Some(expected) = expected {
        prop_assert_eq!(answer.evidence.is_some(), expected, "{:?}", ask);
    }
    if let Some(trace) = &answer.evidence {
        let last = walk(graph, trace)?;
        prop_assert!(ask.is_decided_by(graph, last), "{ask:?} by {last}");
    }
    Ok(())
}

/// Follows a trace edge by edge, by number, to the state it leads to.
fn walk(graph: &Graph, trace: &Trace) -> Result<usize, TestCaseError> {
    prop_assert_eq!(&*trace.initial, &[0]);
    let mut state = 0;
    for step in &trace.steps {
        let (action, target) = graph.edges[state][step.ordinal];
        prop_assert_eq!(
            (step.action, &*step.state),
            (ActionId(action), &[target as Word][..])
        );
        state = target;
    }
    Ok(state)
}

/// Stops after some expansions or layers.
#[derive(Clone, Copy, Debug)]
struct Stop {
    expansions: usize,
    layers: usize,
}

impl Stop {
    fn count_down(left: &mut usize) -> Control {
        *left = left.saturating_sub(1);
        if *left == 0 {
            Control::Stop
        } else {
            Control::Continue
        }
    }

    fn has_stopped(&self) -> bool {
        self.expansions == 0 || self.layers == 0
    }
}

impl Observer for Stop {
    fn expanded(&mut self, _: Expanded<'_>) -> Control {
        Self::count_down(&mut self.expansions)
    }
    fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
        Self::count_down(&mut self.layers)
    }
}

fn stops() -> impl Strategy<Value = Stop> {
    (1..12_usize, 1..5_usize).prop_map(|(expansions, layers)| Stop { expansions, layers })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn answers_equal_naive_evaluation(graph in graphs(), asks in prop::collection::vec(asks(), 0..5)) {
        let plan = Plan {
            system: graph.clone(),
            progress: Rows(graph.rows.clone()),
            questions: questions(&graph, &asks),
        };
        let report = answer(plan, |_, _| None, Options::default(), &mut ());
        prop_assert!(report.failure.is_none(), "{:?}", report.failure);
        check_answers(&graph, &asks, &report.answers)?;
    }

    /// Whenever the measure changes, and twice: the same answers, with evidence that holds up.
    #[test]
    fn changing_the_measure_changes_no_answer(
        graph in graphs(), asks in prop::collection::vec(asks(), 0..5), mut first in stops(), mut second in stops()
    ) {
        let plan = Plan {
            system: graph.clone(),
            progress: Rows(graph.rows.clone()),
            questions: questions(&graph, &asks),
        };
        let mut inquiry = Inquiry::new(plan, Options::default());
        let end = inquiry.run(|_, _| None, &mut first);
        prop_assert!(end == End::Complete || inquiry.is_decided() || first.has_stopped());
        let mut inquiry = inquiry.remeasured(NoProgress, &mut ()).unwrap();
        let end = inquiry.run(|_, _| None, &mut second);
        prop_assert!(end == End::Complete || inquiry.is_decided() || second.has_stopped());
        let reversed = Rows(graph.rows.iter().map(|row| 3 - row).collect());
        let mut inquiry = inquiry.remeasured(reversed, &mut ()).unwrap();
        let explored = inquiry.statistics().explored;
        let end = inquiry.run(|_, _| None, &mut ());
        prop_assert!(end == End::Complete || end == End::Stopped && inquiry.is_decided());
        prop_assert!(inquiry.statistics().explored >= explored);
        let report = inquiry.report(end);
        prop_assert!(report.failure.is_none(), "{:?}", report.failure);
        check_answers(&graph, &asks, &report.answers)?;
    }

    /// Without questions nothing is ever decided, and everything is explored.
    #[test]
    fn no_question_is_no_reason_to_stop(graph in graphs(), mut stop in stops()) {
        let plan = Plan { system: graph.clone(), progress: NoProgress, questions: Vec::new() };
        let mut inquiry = Inquiry::new(plan, Options::default());
        inquiry.run(|_, _| None, &mut stop);
        prop_assert!(!inquiry.is_decided());
        prop_assert_eq!(inquiry.run(|_, _| None, &mut ()), End::Complete);
        prop_assert!(!inquiry.is_decided());
        prop_assert_eq!(inquiry.statistics().states(), Some(reachable(&graph).len() as u64));
    }

    /// What a limit leaves open is inconclusive; what was decided before it is right.
    #[test]
    fn unknown_is_never_reported_as_known(graph in graphs(), ask in asks(), limit in 0..8_u64) {
        let question = Question {
            name: "q".into(), kind: QuestionKind::Formula, text: String::new(), truth: ask.truth(&graph),
        };
        let plan = Plan { system: graph.clone(), progress: Rows(graph.rows.clone()), questions: vec![question] };
        let mut options = Options::default();
        options.limits.states = Some(limit);
        let report = answer(plan, |_, _| None, options, &mut ());
        let expected = Verdict::of(ask.naive(&graph, &reachable(&graph)));
        match &report.answers[0].verdict {
            Verdict::Inconclusive(_) => prop_assert!(report.stopped.is_some()),
            known => prop_assert_eq!(known, &expected),
        }
    }
}
