//! Questions about stored graphs, with propositions that were stored: the same answers as naive labelling gives and as the
//! system gives itself, whatever the measure the graph was explored by.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers are small"
)]

use std::sync::Arc;

use proptest::prelude::*;
use sweepline_check::{Inquiry, Plan, Question};
use sweepline_core::{
    ActionId, Describe, Key, KeyError, Layout, NoProgress, Progress, SlotId, Steps, System,
    Verdict, Word,
};
use sweepline_explore::{End, Options, Sweep};
use sweepline_graph::{About, GraphWriter, Propositions, StoredGraph, StoredSystem};
use sweepline_logic::ctl::{Kripke, label};
use sweepline_logic::{
    Predicate, Property, PropertyKind, Scope, Source, parse_ctl, parse_ltl, parse_pred,
};

/// A graph of numbers. Two bits of a label say what holds.
#[derive(Clone, Debug)]
struct Graph {
    edges: Arc<Vec<Vec<usize>>>,
    labels: Arc<Vec<u64>>,
    rows: Arc<Vec<u8>>,
    layout: Layout,
}

const NUMBER: SlotId = SlotId(0);
const LABEL: SlotId = SlotId(1);

impl Graph {
    fn new(edges: Vec<Vec<usize>>, labels: Vec<u64>, rows: Vec<u8>) -> Self {
        let layout = Layout::builder()
            .integer("n", 0, 40)
            .integer("label", 0, 3)
            .build();
        Self {
            edges: Arc::new(edges),
            labels: Arc::new(labels),
            rows: Arc::new(rows),
            layout,
        }
    }

    fn push(&self, action: usize, number: usize, out: &mut Steps) {
        let mut state = [0];
        let label = self.labels[number] as i64;
        self.layout.set(&mut state, NUMBER, number as i64).unwrap();
        self.layout.set(&mut state, LABEL, label).unwrap();
        out.push(ActionId(action as u32), &state);
    }
}

impl System for Graph {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        self.push(0, 0, out);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let number = self.layout.value(state, NUMBER) as usize;
        for (action, &target) in self.edges[number].iter().enumerate() {
            self.push(action, target, out);
        }
    }
}

impl Describe for Graph {
    fn actions(&self) -> &[String] {
        &[]
    }
}

/// Rows that may decrease, so that states are explored several times.
struct Rows(Graph);

impl Progress for Rows {
    fn row_bits(&self) -> u32 {
        128
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let number = self.0.layout.value(state, NUMBER) as usize;
        Ok(Key(self.0.rows[number].into()))
    }
}

const DEFINITIONS: [(&str, &str); 2] = [("p", "label % 2 == 1"), ("q", "label >= 2")];

/// Writes the graph with two propositions, in blocks of so many nodes, and reads it again.
fn stored(graph: &Graph, nodes: usize) -> StoredSystem {
    let described = graph.clone();
    let bind = move |system: &dyn Describe| {
        assert_eq!(system.layout().slots().len(), 2);
        let predicate = |(_, text): &(&str, &str)| {
            let source = Source::from(*text);
            let pred = parse_pred(&source).unwrap();
            Predicate::resolve(&pred, &Scope::of(&described), &source).unwrap()
        };
        Some(DEFINITIONS.iter().map(predicate).collect())
    };
    let names = DEFINITIONS.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let propositions = Propositions::new(names.into(), graph, bind).unwrap();
    let writer = GraphWriter::new(Vec::new(), About::default(), propositions);
    let mut writer = writer.with_sizes(nodes, 8);
    let mut sweep = Sweep::new(graph.clone(), Rows(graph.clone()), Options::default());
    assert_eq!(sweep.run_linked(&mut writer), End::Complete);
    let bytes = writer.finish(sweep.statistics()).unwrap();
    StoredSystem::new(StoredGraph::of_bytes(bytes).unwrap()).unwrap()
}

/// Answers a question. The words `p` and `q` may have to be replaced by what they mean.
fn verdict<S: Describe>(system: S, kind: PropertyKind) -> Verdict {
    let property = Property {
        name: "asked".into(),
        kind,
    };
    let source = Source::from("");
    let question = Question::bind(&property, &Scope::of(&system), &source).unwrap();
    let plan = Plan {
        system,
        progress: NoProgress,
        questions: vec![question],
    };
    let mut inquiry = Inquiry::new(plan, Options::default());
    let end = inquiry.run(|_, _| None, &mut ());
    let report = inquiry.report(end);
    assert!(report.failure.is_none(), "{:?}", report.failure);
    report.answers[0].verdict.clone()
}

fn spelled_out(text: &str) -> String {
    let of = |name: char| match name {
        'p' => "(label % 2 == 1)".to_owned(),
        'q' => "(label >= 2)".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(of).collect()
}

fn graphs() -> impl Strategy<Value = Graph> {
    (1..20_usize).prop_flat_map(|count| {
        (
            prop::collection::vec(prop::collection::vec(0..count, 0..4), count),
            prop::collection::vec(0..4_u64, count),
            prop::collection::vec(0..4_u8, count),
        )
            .prop_map(|(edges, labels, rows)| Graph::new(edges, labels, rows))
    })
}

const CTL: [&str; 9] = [
    "AG EF p",
    "EF AG !p",
    "E[p U AX q]",
    "A[!q W EX p]",
    "AF (p or q)",
    "EG (!p or EX q)",
    "A[p R E[q U p]]",
    "AX AX (p -> AF q)",
    "EF (p and AG AF q)",
];

const LTL: [&str; 6] = [
    "G F p",
    "F G !q",
    "p U q",
    "G (p -> X F q)",
    "(G F p) -> G F q",
    "X X !p W q",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn stored_graphs_answer_like_their_models(
        graph in graphs(),
        nodes in 1..6_usize,
        ctl in prop::sample::select(CTL.to_vec()),
        ltl in prop::sample::select(LTL.to_vec()),
    ) {
        let parsed = parse_ctl(ctl).unwrap().ctl;
        let atoms: Vec<String> = parsed.atoms.iter().map(ToString::to_string).collect();
        let holds = |label: u64| {
            let value = |atom: &String| match atom.as_str() {
                "p" => label % 2 == 1,
                "q" => label >= 2,
                "(not p)" => label.is_multiple_of(2),
                "(not q)" => label < 2,
                "(p or q)" => label > 0,
                other => panic!("{other} is no atom here"),
            };
            (0..).zip(&atoms).fold(0, |bits, (at, atom)| bits | u64::from(value(atom)) << at)
        };
        let kripke = Kripke {
            successors: graph.edges.as_ref().clone(),
            atoms: graph.labels.iter().map(|&label| holds(label)).collect(),
        };
        let expected = Verdict::of(label(&kripke, &parsed.formula)[0]);
        let answered = verdict(stored(&graph, nodes), PropertyKind::Ctl(parsed));
        prop_assert_eq!(answered, expected, "{}", ctl);

        let asked = |text: &str| PropertyKind::AllRuns(parse_ltl(text).unwrap().ltl);
        let of_graph = verdict(stored(&graph, nodes), asked(ltl));
        let of_model = verdict(graph, asked(&spelled_out(ltl)));
        prop_assert!(!matches!(of_model, Verdict::Inconclusive(_)));
        prop_assert_eq!(of_graph, of_model, "{}", ltl);
    }
}
