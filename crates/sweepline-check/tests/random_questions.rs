//! Answers agree with a naive evaluation over the reachable states of random systems, in every order of exploration.

#![expect(clippy::cast_possible_truncation, reason = "the numbers are small")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_check::{Answer, Plan, Question, QuestionKind, Test, Truth, answer};
use sweepline_core::{
    ActionId, Describe, Key, KeyError, Layout, Progress, Records, Steps, System, Verdict, Word,
};
use sweepline_explore::Options;

/// Every state has successors, a row of the measure, a set of labels and a value.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Vec<(u32, usize)>>,
    rows: Vec<u8>,
    labels: Vec<u8>,
    values: Vec<i64>,
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
            Test::of_state(move |seen| Ok(labels[seen.state[0] as usize] >> label & 1 == 1))
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
            )
        })
        .prop_map(|(edges, rows, labels, values)| Graph {
            edges,
            rows,
            labels,
            values,
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

fn ask_all(graph: &Graph, asks: &[Ask]) -> Vec<Answer> {
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
        truth: Truth::Largest(Box::new(move |seen| Ok(values[seen.state[0] as usize]))),
    });
    let plan = Plan {
        system: graph.clone(),
        progress: Rows(graph.rows.clone()),
        questions,
    };
    let report = answer(plan, |_, _| None, Options::default(), &mut ());
    assert!(report.failure.is_none(), "{:?}", report.failure);
    report.answers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn answers_equal_naive_evaluation(graph in graphs(), asks in prop::collection::vec(asks(), 0..5)) {
        let reachable = reachable(&graph);
        let answers = ask_all(&graph, &asks);
        for (ask, answer) in asks.iter().zip(&answers) {
            prop_assert_eq!(&answer.verdict, &Verdict::of(ask.naive(&graph, &reachable)), "{:?}", ask);
        }
        let deadlock = reachable.iter().any(|&state| graph.edges[state].is_empty());
        let answer = &answers[asks.len()];
        prop_assert_eq!(&answer.verdict, &Verdict::of(!deadlock));
        prop_assert_eq!(answer.evidence.is_some(), deadlock);
        let bound = &answers[asks.len() + 1];
        let largest = reachable.iter().map(|&state| graph.values[state]).max();
        prop_assert_eq!(bound.value, largest);
        let last = bound.evidence.as_ref().map(|trace| graph.values[trace.last()[0] as usize]);
        prop_assert_eq!(last, largest);
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
