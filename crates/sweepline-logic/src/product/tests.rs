//! What a product does, by example and against its definition.

use super::*;
use crate::testing::{Toy, rendered};
use crate::{AutomatonEdge, Source, parse_definition, parse_pred};
use insta::assert_snapshot;
use proptest::prelude::*;
use std::collections::BTreeSet;
use sweepline_core::Records;

/// An automaton with numbered states from lines `source guard target`; state 0 is initial.
fn automaton(accepting: &[usize], edges: &[(usize, &str, usize)]) -> SafetyAutomaton {
    let texts: Vec<&str> = edges.iter().map(|(_, guard, _)| *guard).collect();
    let source = Source::new("automaton", texts.join("\n"));
    let mut automaton = SafetyAutomaton::new(source.clone());
    let states: Vec<_> = (0..4).map(|n| automaton.add_state(n.to_string())).collect();
    automaton.add_initial(states[0]);
    for &state in accepting {
        automaton.add_accepting(states[state]);
    }
    let mut start = 0;
    for &(from, guard, to) in edges {
        let span = start..start + guard.len();
        start = span.end + 1;
        automaton.add_edge(AutomatonEdge {
            source: states[from],
            guard: parse_pred(source.part(span.clone())).unwrap(),
            span,
            target: states[to],
        });
    }
    automaton
}

/// A system that counts 0, 1, 2, 3, 0, …
fn counter() -> Toy {
    let mut toy = Toy::new(Layout::builder().integer("n", 0, 3).build(), &["count"]);
    toy.states = (0..4).map(|n| vec![n]).collect();
    toy
}

/// The same of a layout of which nothing is known but its slots.
fn strange_counter() -> Toy {
    let mut toy = counter();
    toy.layout = Layout::of_slots(Records::Fixed(1), toy.layout.slots().to_vec());
    toy
}

/// The state of a product that pairs a word of the model with a state of the automaton.
fn paired<S>(product: &Product<S>, [model, automaton]: [Word; 2]) -> Vec<Word> {
    let mut steps = Steps::for_layout(&product.layout);
    let automaton = u32::try_from(automaton).unwrap();
    product
        .place
        .push(ActionId(0), &[model], automaton, &mut steps);
    steps.target(0).to_vec()
}

/// The other way round.
fn pair_of<S>(product: &Product<S>, state: &[Word]) -> [Word; 2] {
    let automaton = product.automaton_state(state);
    [product.project(state)[0], automaton.0.into()]
}

fn pairs<S>(product: &Product<S>, steps: &Steps) -> Vec<[Word; 2]> {
    let pair = |index| pair_of(product, steps.target(index));
    (0..steps.len()).map(pair).collect()
}

fn check(edges: &[(usize, &str, usize)], state: [Word; 2], expected: &[[Word; 2]]) {
    for (counter, width) in [(counter(), 1), (strange_counter(), 2)] {
        let product = Product::new(counter, &automaton(&[3], edges), &[]).unwrap();
        assert_eq!(product.layout().width(), Some(width));
        let mut steps = Steps::for_layout(product.layout());
        product.successors(&paired(&product, state), &mut steps);
        assert_eq!(pairs(&product, &steps), expected);
    }
}

#[test]
fn the_automaton_reads_the_target() {
    check(&[(0, "n == 1", 1)], [0, 0], &[[1, 1]]);
    check(&[(0, "n == 0", 1)], [0, 0], &[]);
}

/// The automaton has no move, but the model has: nothing is stuck.
#[test]
fn a_deadlock_is_one_of_the_model() {
    /// Counts from 0 to 3 and stops.
    #[derive(Debug)]
    struct Stopping(Layout);
    impl System for Stopping {
        fn layout(&self) -> &Layout {
            &self.0
        }
        fn initial(&self, out: &mut Steps) {
            out.push(ActionId(0), &[0]);
        }
        fn successors(&self, state: &[Word], out: &mut Steps) {
            if state[0] < 3 {
                out.push(ActionId(0), &[state[0] + 1]);
            }
        }
    }
    impl Describe for Stopping {
        fn actions(&self) -> &[String] {
            &[]
        }
    }
    let counter = Stopping(counter().layout);
    let product = Product::new(counter, &automaton(&[3], &[(0, "n == 0", 1)]), &[]).unwrap();
    for (model, is_end) in [(0, true), (2, true), (3, false)] {
        let mut steps = Steps::for_layout(product.layout());
        let state = paired(&product, [model, 0]);
        product.successors(&state, &mut steps);
        assert!(steps.is_empty());
        assert_eq!(product.is_end(&state), is_end, "{model}");
    }
}

#[test]
fn moves_keep_the_order_of_the_edges() {
    let edges = [
        (0, "true", 2),
        (0, "n > 0", 1),
        (0, "n < 2", 2),
        (1, "true", 1),
    ];
    check(&edges, [0, 0], &[[1, 2], [1, 1]]);
    check(&edges, [3, 0], &[[0, 2]]);
    check(&edges, [3, 1], &[[0, 1]]);
    check(&edges, [3, 3], &[]);
}

#[test]
fn initial_states_have_been_read_already() {
    let mut automaton = automaton(&[3], &[(0, "n == 0", 1), (0, "n == 1", 2), (1, "true", 1)]);
    automaton.add_initial(AutomatonState(1));
    let product = Product::new(counter(), &automaton, &[]).unwrap();
    let mut steps = Steps::for_layout(product.layout());
    product.initial(&mut steps);
    // Reached from both initial states, but once.
    assert_eq!(pairs(&product, &steps), [[0, 1]]);
    assert!(!product.accepting(steps.target(0)));
    assert!(product.accepting(&paired(&product, [0, 3])));
}

#[test]
fn product_states_are_described() {
    let edges = [(0, "true", 0), (0, "n == 1", 1)];
    let product = Product::new(counter(), &automaton(&[3], &edges), &[]).unwrap();
    let state = paired(&product, [2, 1]);
    let shown = product.show(&state);
    assert_eq!(
        shown,
        [("n".into(), "2".into()), ("automaton".into(), "1".into())]
    );
    assert_eq!(product.step_name(&[0], 1, ActionId(0)), "count");
    assert_eq!(product.inner_ordinal(&[0], 1), Some(0));
    assert_eq!(product.inner_ordinal(&[0], 2), None);
    let scope = Scope::of(&product);
    let pred = parse_pred("n == 2 and automaton == '1'").unwrap();
    let predicate = Predicate::resolve(&pred, &scope, &"".into()).unwrap();
    assert_eq!(predicate.eval(&state, &Enabled::default()), Ok(true));
}

#[test]
fn states_of_different_sizes_are_followed_by_the_automaton_too() {
    let mut toy = Toy::new(Layout::opaque(Records::Variable), &[]);
    toy.states = vec![vec![7], vec![8, 9]];
    let product = Product::new(
        toy,
        &automaton(&[3], &[(0, "true", 1), (1, "true", 2)]),
        &[],
    )
    .unwrap();
    let mut steps = Steps::for_layout(product.layout());
    product.initial(&mut steps);
    product.successors(&[7, 1], &mut steps);
    assert_eq!(
        (steps.target(0), steps.target(1)),
        (&[7, 1][..], &[8, 9, 2][..])
    );
    assert_eq!(*product.project(steps.target(1)), [8, 9]);
}

#[test]
fn a_guard_without_a_value_is_a_fault() {
    let edges = [(0, "4 / n > 1", 1)];
    let product = Product::new(counter(), &automaton(&[3], &edges), &[]).unwrap();
    let mut steps = Steps::for_layout(product.layout());
    product.successors(&[3], &mut steps);
    let Some(Fault::Model { message, .. }) = steps.fault() else {
        panic!("no fault");
    };
    assert_eq!(
        message,
        "a guard of the automaton has no value: `(4 / n)` divides by zero"
    );
}

#[test]
fn propositions_are_defined_by_the_caller() {
    let definitions = [parse_definition("low = n < 2").unwrap()];
    let product = Product::new(counter(), &automaton(&[3], &[(0, "low", 1)]), &definitions);
    let product = product.unwrap();
    let mut steps = Steps::for_layout(product.layout());
    product.successors(&[0], &mut steps);
    product.successors(&[1], &mut steps);
    assert_eq!(pairs(&product, &steps), [[1, 1]]);
}

#[test]
fn unusable_automata_are_refused() {
    let error = |accepting: &[usize], edges: &[(usize, &str, usize)]| {
        rendered(&Product::new(counter(), &automaton(accepting, edges), &[]).unwrap_err())
    };
    assert_snapshot!(error(&[3], &[(0, "m > 2", 1), (1, "n > 1 or deadlock", 1)]), @r"
      × 2 errors

    Error: logic::unknown_name

      × there is no slot or proposition `m`
       ╭─[automaton:1:1]
     1 │ m > 2
       · ┬
       · ╰── unknown
     2 │ n > 1 or deadlock
       ╰────
      help: did you mean `n`?

    Error: logic::enabled_in_guard

      × the guard asks which actions are enabled
       ╭─[automaton:2:1]
     1 │ m > 2
     2 │ n > 1 or deadlock
       · ────────┬────────
       ·         ╰── this guard
       ╰────
      help: guards speak about the slots of a state; `deadlock` and `fireable`
            belong to formulas
    ");
    assert_snapshot!(error(&[0], &[]), @r"
    logic::initial_and_accepting

      × state `0` of the automaton is both initial and accepting
      help: such an automaton calls every run bad before it begins; accept in a
            state of its own
    ");
    let empty = SafetyAutomaton::new("".into());
    assert_snapshot!(rendered(&Product::new(counter(), &empty, &[]).unwrap_err()), @r"
    logic::no_initial_state

      × the automaton has no initial state
      help: name one
    ");
}

fn reachable(system: &impl System) -> BTreeSet<Vec<Word>> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut seen = BTreeSet::new();
    let mut front: Vec<Vec<Word>> = (0..steps.len()).map(|i| steps.target(i).to_vec()).collect();
    while let Some(state) = front.pop() {
        if seen.insert(state.clone()) {
            steps.clear();
            system.successors(&state, &mut steps);
            front.extend((0..steps.len()).map(|i| steps.target(i).to_vec()));
        }
    }
    seen
}

/// A system with the given edges; state 0 is initial, and `n` is its number.
struct Graph(Layout, Vec<Vec<u64>>);

impl System for Graph {
    fn layout(&self) -> &Layout {
        &self.0
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for &target in &self.1[usize::try_from(state[0]).unwrap()] {
            out.push(ActionId(0), &[target]);
        }
    }
}

impl Describe for Graph {
    fn actions(&self) -> &[String] {
        &[]
    }
}

proptest! {
    /// The product's reachable pairs are those of the definition, computed from sets of pairs.
    #[test]
    fn reachable_pairs_are_those_of_the_definition(
        targets in prop::collection::vec(prop::collection::vec(0u64..5, 0..3), 5),
        edges in prop::collection::vec((0usize..4, 0i64..5, 0usize..4), 0..8),
        is_strange in any::<bool>(),
    ) {
        let texts: Vec<String> = edges.iter().map(|(_, n, _)| format!("n <= {n}")).collect();
        let lines: Vec<(usize, &str, usize)> = edges
            .iter()
            .zip(&texts)
            .map(|(&(from, _, to), text)| (from, text.as_str(), to))
            .collect();
        let built = Layout::builder().integer("n", 0, 4).build();
        let layout = if is_strange {
            Layout::of_slots(Records::Fixed(1), built.slots().to_vec())
        } else {
            built
        };
        let graph = Graph(layout, targets.clone());
        let product = Product::new(graph, &automaton(&[], &lines), &[]).unwrap();

        let reads = |q: u64, s: u64| {
            let enabled = edges.iter().filter(move |(from, n, _)| {
                *from as u64 == q && i64::try_from(s).unwrap() <= *n
            });
            enabled.map(|(_, _, to)| *to as u64).collect::<Vec<_>>()
        };
        let mut pairs: BTreeSet<Vec<u64>> = reads(0, 0).into_iter().map(|q| vec![0, q]).collect();
        loop {
            let mut more = pairs.clone();
            for pair in &pairs {
                for &t in &targets[usize::try_from(pair[0]).unwrap()] {
                    more.extend(reads(pair[1], t).into_iter().map(|q| vec![t, q]));
                }
            }
            if more == pairs {
                break;
            }
            pairs = more;
        }
        let reached = reachable(&product);
        let reached = reached.iter().map(|state| pair_of(&product, state).to_vec());
        prop_assert_eq!(reached.collect::<BTreeSet<_>>(), pairs);
    }
}

/// A model that writes more than its layout says would be mistaken for a move of the automaton.
#[test]
#[should_panic(expected = "bits that its layout calls free")]
fn stray_bits_are_noticed() {
    let graph = Graph(Layout::builder().integer("n", 0, 4).build(), vec![vec![8]]);
    let product = Product::new(graph, &automaton(&[3], &[(0, "true", 0)]), &[]).unwrap();
    product.successors(&[0], &mut Steps::for_layout(product.layout()));
}

/// Followed through all its states at once, the automaton accepts what the product reaches.
#[test]
fn what_the_automaton_reads_decides() {
    let edges = [(0, "true", 0), (0, "n == 1", 1), (1, "n == 2", 3)];
    let product = Product::new(counter(), &automaton(&[3], &edges), &[]).unwrap();
    let accepts = |numbers: &[Word]| product.accepts(numbers.iter().map(std::slice::from_ref));
    assert!(accepts(&[0, 1, 2]) && accepts(&[1, 1, 2]));
    assert!(!accepts(&[0, 1]) && !accepts(&[1, 3, 2]) && !accepts(&[0, 1, 2, 3]));
}

#[test]
fn constant_guards_cost_nothing() {
    let product = Product::new(
        counter(),
        &automaton(&[3], &[(0, "true", 1), (0, "n > 1", 1)]),
        &[],
    );
    assert_eq!(product.unwrap().moves[0][0].guard.constant(), Some(true));
}
