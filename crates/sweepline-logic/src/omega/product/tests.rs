//! Products of small graphs, compared with the definition.

use proptest::prelude::*;
use sweepline_core::{LayoutBuilder, NoProgress, Records};

use super::*;
use crate::Pred;
use crate::omega::{Acceptance, Cube, Guard};

/// A graph whose states lie in so many bits, or in a word of unknown layout.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Vec<u32>>,
    layout: Layout,
    actions: Vec<String>,
}

impl Graph {
    fn new(edges: Vec<Vec<u32>>, bits: Option<u32>) -> Self {
        let built = |bits| {
            let builder: LayoutBuilder = Layout::builder();
            builder.integer("n", 0, (1_i64 << bits) - 1).build()
        };
        Self {
            layout: bits.map_or_else(|| Layout::opaque(Records::Fixed(1)), built),
            actions: (0..4).map(|action| format!("a{action}")).collect(),
            edges,
        }
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
        let targets = &self.edges[usize::try_from(state[0]).unwrap()];
        for (action, &target) in (0..).zip(targets) {
            out.push(ActionId(action), &[target.into()]);
        }
    }
}

impl Describe for Graph {
    fn actions(&self) -> &[String] {
        &self.actions
    }
}

/// Whether the state is odd, and whether it has no steps.
struct Odd;

impl Letters for Odd {
    fn letter(
        &self,
        state: &[Word],
        actions: &[ActionId],
        deadlock: bool,
    ) -> Result<Letter, String> {
        assert_eq!(actions.is_empty(), deadlock);
        if state[0] == 7 {
            return Err("seven has no letter".into());
        }
        Ok(state[0] & 1 | Letter::from(deadlock) << 1)
    }
}

fn edge(holds: Letter, fails: Letter, target: u32) -> OmegaEdge {
    OmegaEdge {
        guard: Guard::of([Cube { holds, fails }]),
        target: OmegaState(target),
        marks: 0,
    }
}

fn automaton(edges: Vec<Vec<OmegaEdge>>) -> Arc<OmegaAutomaton> {
    Arc::new(OmegaAutomaton {
        atoms: vec![Pred::Constant(true); 2],
        initial: vec![OmegaState(0), OmegaState(1)],
        edges,
        sets: 0,
        acceptance: Acceptance::all(0),
    })
}

/// From the first state to itself, and on to the second when it is odd; the second reads odd ones only; the third is dead.
fn moves() -> Arc<OmegaAutomaton> {
    automaton(vec![
        vec![edge(0, 0, 0), edge(0, 0, 2), edge(1, 0, 1)],
        vec![edge(1, 0, 1)],
        vec![edge(0, 0, 2)],
    ])
}

fn outlook() -> Outlook {
    Outlook {
        live: vec![true, true, false],
        ranks: vec![0, 2, 1],
    }
}

/// The steps of the product from a pair: the model's state, the automaton's, and whether the model stays.
fn steps(product: &OmegaProduct<Graph, Odd>, state: &[Word]) -> Vec<(Word, u32, bool)> {
    let mut steps = Steps::for_layout(product.layout());
    product.successors(state, &mut steps);
    assert!(steps.fault().is_none());
    let all = steps.actions().iter().enumerate().map(|(index, &action)| {
        let target = steps.target(index);
        let model = product.with_model(target, |model| model[0]);
        (model, product.automaton_state(target).0, action == STAY)
    });
    all.collect()
}

/// A state of the product.
fn state(product: &OmegaProduct<Graph, Odd>, model: Word, automaton: u32) -> Box<[Word]> {
    let mut steps = Steps::for_layout(product.layout());
    product
        .place
        .push(ActionId(0), &[model], automaton, &mut steps);
    steps.target(0).into()
}

/// With room in the word and without.
fn products(edges: &[&[u32]]) -> [OmegaProduct<Graph, Odd>; 2] {
    let edges: Vec<Vec<u32>> = edges.iter().map(|targets| targets.to_vec()).collect();
    [Some(3), None]
        .map(|bits| OmegaProduct::new(Graph::new(edges.clone(), bits), moves(), Odd, outlook()))
}

#[test]
fn the_automaton_reads_the_source() {
    for product in products(&[&[1, 2], &[2], &[]]) {
        let at = |model, automaton| state(&product, model, automaton);
        // Even: only the first move. Odd: both, each with all steps.
        assert_eq!(steps(&product, &at(0, 0)), [(1, 0, false), (2, 0, false)]);
        assert_eq!(steps(&product, &at(1, 0)), [(2, 0, false), (2, 1, false)]);
        // The second state of the automaton has no move on an even state, steps or not.
        assert_eq!(steps(&product, &at(0, 1)), []);
        assert_eq!(steps(&product, &at(2, 1)), []);
        assert!(product.is_end(&at(0, 1)));
        // The model ends in 2, and stays there.
        assert_eq!(steps(&product, &at(2, 0)), [(2, 0, true)]);
    }
}

#[test]
fn spare_bits_are_used() {
    let [within, behind] = products(&[&[0]]);
    assert_eq!(within.layout().width(), Some(1));
    assert_eq!(behind.layout().width(), Some(2));
}

#[test]
fn an_atom_without_a_value_is_a_fault() {
    for product in products(&[&[7], &[], &[], &[], &[], &[], &[], &[0]]) {
        let mut steps = Steps::for_layout(product.layout());
        product.successors(&state(&product, 7, 0), &mut steps);
        assert!(
            matches!(steps.fault(), Some(Fault::Model { message, .. }) if message.contains("seven"))
        );
    }
}

#[test]
fn initial_states_are_pairs() {
    for product in products(&[&[0]]) {
        let mut initial = Steps::for_layout(product.layout());
        product.initial(&mut initial);
        assert_eq!(initial.len(), 2);
        for ordinal in 0..2 {
            let (model, start) = product.split_initial(ordinal).unwrap();
            assert_eq!(model, 0);
            assert_eq!(start, product.automaton_state(initial.target(ordinal)));
        }
    }
}

/// A row of so many bits and a column above it, counted from some key on.
struct Both(u32, u128);

impl Progress for Both {
    fn row_bits(&self) -> u32 {
        self.0
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(self.1 + u128::from(state[0] & 7)))
    }
}

#[test]
fn components_come_between_columns_and_rows() {
    // A measure of unknown range has the middle of a key for its zero.
    let middle = 1 << 127;
    for product in products(&[&[0]]) {
        for (bits, zero) in [0, 2, 128]
            .into_iter()
            .flat_map(|bits| [(bits, 0), (bits, middle)])
        {
            let ranked = product.measure(Both(bits, zero));
            let mut keys = Vec::new();
            for model in 0..8 {
                for (automaton, rank) in [(0, 0), (2, 1), (1, 2)] {
                    let key = ranked.key(&state(&product, model, automaton)).unwrap();
                    let inner = Key(zero + u128::from(model));
                    keys.push((inner.column(bits), rank, inner.row(bits), key));
                    assert_eq!(ranked.inner_key(key), inner);
                    let next = state(&product, model, 1);
                    let stays = ranked.step_key(key, STAY, &next);
                    assert_eq!(stays, ranked.key(&next));
                    assert_eq!(ranked.step_key(key, ActionId(1), &next), ranked.key(&next));
                }
            }
            keys.sort_unstable();
            assert!(keys.windows(2).all(|pair| pair[0].3 < pair[1].3));
            let columns = |at: usize| keys[at].3.column(ranked.row_bits());
            assert!((1..keys.len()).all(|at| {
                let (before, here) = (&keys[at - 1], &keys[at]);
                (columns(at - 1) == columns(at)) == ((before.0, before.1) == (here.0, here.1))
            }));
        }
        assert_eq!(product.measure(NoProgress).row_bits(), 0);
    }
}

/// A measure that needs all bits of its key leaves no room.
struct Huge(u32);

impl Progress for Huge {
    fn row_bits(&self) -> u32 {
        self.0
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok([Key(u128::MAX), Key(0), Key(u128::MAX / 2)][usize::try_from(state[0] & 7).unwrap()])
    }
}

#[test]
fn a_key_without_room_is_refused() {
    for product in products(&[&[0]]) {
        for bits in [0, 64, 128] {
            let measure = product.measure(Huge(bits));
            // What is near the initial state has its place, and the other end has none.
            assert!(measure.key(&state(&product, 0, 0)).is_ok());
            let error = measure.key(&state(&product, 1, 0));
            assert!(matches!(error, Err(KeyError::TooLarge { .. })), "{error:?}");
        }
    }
}

fn guards() -> impl Strategy<Value = OmegaEdge> {
    (0..4_u64, 0..4_u64, 0..3_u32)
        .prop_map(|(holds, fails, target)| edge(holds, fails & !holds, target))
}

proptest! {
    /// Every step is a step of the model and a move of the automaton that reads its source, and none is missing.
    #[test]
    fn steps_can_be_taken_apart(
        edges in prop::collection::vec(prop::collection::vec(0..6_u32, 0..4), 6),
        moves in prop::collection::vec(prop::collection::vec(guards(), 0..5), 3),
        live in prop::collection::vec(any::<bool>(), 3),
        wide in any::<bool>(),
    ) {
        let graph = Graph::new(edges.clone(), wide.then_some(3));
        let outlook = Outlook { live: live.clone(), ranks: vec![0; 3] };
        let product = OmegaProduct::new(graph, automaton(moves.clone()), Odd, outlook);
        for model in 0..6_u32 {
            for from in 0..3_u32 {
                let targets = &edges[model as usize];
                let letter = u64::from(model & 1) | u64::from(targets.is_empty()) << 1;
                let mut expected = Vec::new();
                for (position, step) in moves[from as usize].iter().enumerate() {
                    if live[step.target.0 as usize] && step.guard.contains(letter) {
                        for (ordinal, &target) in targets.iter().enumerate() {
                            expected.push((Word::from(target), step.target.0, Some(ordinal), position));
                        }
                        if targets.is_empty() {
                            expected.push((model.into(), step.target.0, None, position));
                        }
                    }
                }
                let source = state(&product, model.into(), from);
                let found = steps(&product, &source);
                prop_assert_eq!(found.len(), expected.len());
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let part = product.split(&source, at).unwrap();
                    prop_assert_eq!((found.0, found.1, part.ordinal, part.edge), *expected);
                    prop_assert_eq!(found.2, part.ordinal.is_none());
                }
                prop_assert_eq!(product.split(&source, expected.len()), None);
            }
        }
    }
}
