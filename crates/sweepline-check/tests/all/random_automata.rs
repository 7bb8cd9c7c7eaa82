//! Safety automata beside random systems agree with a naive product: in every order, while the encoding grows, and
//! while memory runs out. Evidence is a run of the model that the automaton accepts.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers are small"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use sweepline_check::{Answer, Inquiry, Plan, Question, answer};
use sweepline_core::{
    ActionId, Describe, Fault, Key, KeyError, Layout, NoProgress, Progress, SlotId, Steps,
    StopReason, System, Trace, Verdict, Word,
};
use sweepline_explore::{End, Options, replay_projected};
use sweepline_logic::{
    AutomatonEdge, AutomatonState, Pred, Product, SafetyAutomaton, Source, parse_pred,
};

/// A graph whose states are numbers in a slot that may be too narrow for them.
#[derive(Clone, Debug)]
struct Graph {
    edges: Arc<Vec<Vec<usize>>>,
    layout: Layout,
    bits: u32,
}

const NUMBER: SlotId = SlotId(0);

impl Graph {
    fn new(edges: Arc<Vec<Vec<usize>>>, bits: u32) -> Self {
        let layout = Layout::builder().guarded("n", bits).build();
        Self {
            edges,
            layout,
            bits,
        }
    }

    fn number(&self, state: &[Word]) -> usize {
        self.layout.value(state, NUMBER) as usize
    }
}

impl System for Graph {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for &target in &self.edges[self.number(state)] {
            let words = out.push_copy(ActionId(0), state);
            if self.layout.set(words, NUMBER, target as i64).is_err() {
                return out.fail(Fault::Outgrown { slot: NUMBER });
            }
        }
    }
}

impl Describe for Graph {
    fn actions(&self) -> &[String] {
        &[]
    }
}

/// Rows of the states, in whatever encoding.
struct Rows {
    rows: Arc<Vec<u8>>,
    layout: Layout,
}

impl Progress for Rows {
    fn row_bits(&self) -> u32 {
        128
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let number = self.layout.value(state, NUMBER) as usize;
        Ok(Key(self.rows[number].into()))
    }
}

/// Moves of an automaton with states 0 (initial), 1 and 2 (accepting): from, the numbers it reads, to.
type Moves = Vec<(u32, BTreeSet<usize>, u32)>;

const ACCEPTING: u32 = 2;

#[derive(Clone, Debug)]
struct Case {
    edges: Arc<Vec<Vec<usize>>>,
    rows: Arc<Vec<u8>>,
    moves: Moves,
}

impl Case {
    /// The same as the parser would build it.
    fn automaton(&self) -> SafetyAutomaton {
        let text = Source::from("automaton");
        let mut automaton = SafetyAutomaton::new(text.clone());
        let states: Vec<AutomatonState> = ["start", "middle", "bad"]
            .map(|name| automaton.add_state(name))
            .into();
        automaton.add_initial(states[0]);
        automaton.add_accepting(states[ACCEPTING as usize]);
        for (from, numbers, to) in &self.moves {
            let guard = numbers
                .iter()
                .map(|number| parse_pred(format!("n == {number}").as_str()).expect("a predicate"));
            automaton.add_edge(AutomatonEdge {
                source: states[*from as usize],
                guard: Pred::Or(guard.collect()),
                span: text.range(),
                target: states[*to as usize],
            });
        }
        automaton
    }

    /// Where the automaton can be after it has read a number.
    fn read(&self, from: &BTreeSet<u32>, number: usize) -> BTreeSet<u32> {
        let moves = self.moves.iter();
        moves
            .filter(|(source, numbers, _)| from.contains(source) && numbers.contains(&number))
            .map(|(.., target)| *target)
            .collect()
    }

    /// Whether some path is accepted: all pairs of a number and a state of the automaton, one after the other.
    fn is_bad(&self) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<(usize, u32)> = self
            .read(&BTreeSet::from([0]), 0)
            .into_iter()
            .map(|state| (0, state))
            .collect();
        while let Some((number, state)) = waiting.pop() {
            if !seen.insert((number, state)) {
                continue;
            }
            for &target in &self.edges[number] {
                let next = self.read(&BTreeSet::from([state]), target);
                waiting.extend(next.into_iter().map(|state| (target, state)));
            }
        }
        seen.iter().any(|(_, state)| *state == ACCEPTING)
    }

    /// The trace is a path of the graph, and the automaton accepts it.
    fn judge(&self, graph: &Graph, trace: &Trace) -> Result<(), TestCaseError> {
        let mut number = graph.number(&trace.initial);
        prop_assert_eq!(number, 0);
        let mut states = self.read(&BTreeSet::from([0]), number);
        for step in &trace.steps {
            let target = graph.number(&step.state);
            prop_assert!(self.edges[number].contains(&target));
            number = target;
            states = self.read(&states, number);
        }
        prop_assert!(states.contains(&ACCEPTING));
        Ok(())
    }

    fn check(
        &self,
        product: &Product<Graph>,
        answer: &Answer,
        open: bool,
    ) -> Result<(), TestCaseError> {
        let expected = Verdict::of(!self.is_bad());
        match &answer.verdict {
            Verdict::Inconclusive(_) => prop_assert!(open),
            known => prop_assert_eq!(known, &expected),
        }
        prop_assert_eq!(
            answer.evidence.is_some(),
            answer.verdict == Verdict::Violated
        );
        if let Some(trace) = &answer.evidence {
            let graph = product.inner();
            let trace = product.project_trace(trace);
            let trace = replay_projected(graph, &trace, |state| state);
            self.judge(graph, &trace.expect("a path of the model"))?;
        }
        Ok(())
    }
}

type Watched = Arc<Product<Graph>>;

fn plan<P>(product: Watched, progress: P) -> Plan<Watched, P> {
    let watched = Arc::clone(&product);
    let never = Question::invariant("never", "no run is accepted", move |seen| {
        Ok(!watched.accepting(seen.state))
    });
    Plan {
        system: product,
        progress,
        questions: vec![never],
    }
}

impl Case {
    fn product(&self, bits: u32) -> Watched {
        let graph = Graph::new(Arc::clone(&self.edges), bits);
        Arc::new(Product::new(graph, &self.automaton(), &[]).expect("names of slots"))
    }

    fn rows(&self, product: &Watched) -> Rows {
        Rows {
            rows: Arc::clone(&self.rows),
            layout: product.inner().layout.clone(),
        }
    }

    fn wider(&self, product: &Watched) -> Watched {
        self.product(product.inner().bits + 1)
    }
}

fn cases() -> impl Strategy<Value = Case> {
    (1..60_usize).prop_flat_map(|n| {
        let edges = prop::collection::vec(prop::collection::vec(0..n, 0..3), n);
        let rows = prop::collection::vec(0..5_u8, n);
        let read = prop::collection::btree_set(0..n, 0..=n);
        let moves = prop::collection::vec((0..3_u32, read, 0..3_u32), 0..7);
        (edges, rows, moves).prop_map(|(edges, rows, moves)| Case {
            edges: Arc::new(edges),
            rows: Arc::new(rows),
            moves,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The slot starts with room for 0 and 1.
    #[test]
    fn automata_follow_a_system_that_is_widened(case in cases(), by_rows in any::<bool>()) {
        let product = case.product(1);
        let report = if by_rows {
            let first = plan(Arc::clone(&product), case.rows(&product));
            let widen = |product: &Watched, _| {
                let wider = case.wider(product);
                let rows = case.rows(&wider);
                Some(plan(wider, rows))
            };
            answer(first, widen, Options::default(), &mut ())
        } else {
            let widen = |product: &Watched, _| Some(plan(case.wider(product), NoProgress));
            answer(plan(product, NoProgress), widen, Options::default(), &mut ())
        };
        prop_assert!(report.failure.is_none(), "{:?}", report.failure);
        case.check(&report.system, &report.answers[0], false)?;
    }

    /// Memory runs out, and the run goes on with a measure, as far as there is room for that.
    #[test]
    fn automata_under_little_memory_are_never_wrong(case in cases(), memory in 0..1500_usize) {
        let product = case.product(6);
        let mut options = Options::default();
        options.limits.memory = Some(memory);
        let mut inquiry = Inquiry::new(plan(Arc::clone(&product), NoProgress), options);
        let end = inquiry.run(|_, _| None, &mut ());
        let is_full = matches!(end, End::Limit(StopReason::Memory { .. }));
        prop_assert!(is_full || end == End::Complete || inquiry.is_decided(), "{end:?}");
        case.check(&product, &inquiry.answers()[0], is_full)?;
        if is_full && let Ok(mut inquiry) = inquiry.remeasured(case.rows(&product), &mut ()) {
            let end = inquiry.run(|_, _| None, &mut ());
            let is_full = matches!(end, End::Limit(_));
            let report = inquiry.report(end);
            prop_assert!(report.failure.is_none(), "{:?}", report.failure);
            case.check(&product, &report.answers[0], is_full)?;
        }
    }
}
