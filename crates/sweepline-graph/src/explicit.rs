//! Explicit state spaces as systems.

use sweepline_core::{ActionId, AnySystem, Describe, Layout, SlotId, Steps, System, Word};

use crate::graph::Graph;

/// A state space that is known in full, asked one state at a time like any other system.
///
/// Its slots are `state` (the number in the file), `progress`, and one truth value per proposition, so predicates and
/// measures need no special cases. Actions are the labels of the edges.
///
/// ```
/// use sweepline_core::{Describe, Steps, System};
/// use sweepline_graph::{ExplicitSystem, read_ss};
///
/// let graph = read_ss(&"7 0 1 p a 8 b 7\n8 1 1 !p".into()).unwrap();
/// let system = ExplicitSystem::new(&graph);
/// let mut steps = Steps::for_layout(system.layout());
/// system.initial(&mut steps);
/// let shown = system.show(steps.target(0));
/// assert_eq!(shown[0], ("state".into(), "7".into()));
/// assert_eq!(shown[2], ("p".into(), "true".into()));
/// assert_eq!(system.actions(), ["a", "b"]);
/// ```
#[derive(Clone, Debug)]
pub struct ExplicitSystem {
    layout: Layout,
    /// The slot that holds the index of a state. It is the last one.
    index: SlotId,
    actions: Vec<String>,
    initial: Vec<usize>,
    /// The words of all states, one after the other.
    records: Vec<Word>,
    width: usize,
    /// Where the edges of each state begin, and at last where they end.
    first_edges: Vec<usize>,
    /// Action and index of the target.
    edges: Vec<(ActionId, usize)>,
}

/// The name of the slot that holds a state's index: not a name anybody types.
const INDEX: &str = "#";

impl ExplicitSystem {
    /// The system of a graph. A proposition called `state` or `progress` cannot be asked for by its name.
    pub fn new(graph: &Graph) -> Self {
        let layout = layout(graph);
        let width = layout.width().expect("layouts from a builder have a width");
        let mut first_edges = vec![0];
        first_edges.extend(graph.ids().map(|state| graph.edge_range(state).end));
        Self {
            index: last_slot(&layout),
            actions: graph.actions().to_vec(),
            initial: graph.initial().iter().map(|state| state.index()).collect(),
            records: records(graph, &layout, width),
            width,
            first_edges,
            edges: graph
                .edges()
                .iter()
                .map(|edge| (edge.action, edge.target.index()))
                .collect(),
            layout,
        }
    }

    #[inline]
    fn record(&self, index: usize) -> &[Word] {
        &self.records[index * self.width..(index + 1) * self.width]
    }
}

impl System for ExplicitSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        for &index in &self.initial {
            out.push(ActionId(0), self.record(index));
        }
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let index = usize::try_from(self.layout.value(state, self.index))
            .expect("the index of a state is not negative");
        for &(action, target) in &self.edges[self.first_edges[index]..self.first_edges[index + 1]] {
            out.push(action, self.record(target));
        }
    }
}

/// Its values are all known, so it never outgrows its slots.
impl AnySystem for ExplicitSystem {}

impl Describe for ExplicitSystem {
    fn actions(&self) -> &[String] {
        &self.actions
    }

    /// The index is left out: it says nothing that `state` does not say.
    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let slots = &self.layout.slots()[..self.index.0 as usize];
        slots
            .iter()
            .map(|slot| (slot.name.clone(), slot.show(slot.read(state))))
            .collect()
    }
}

fn layout(graph: &Graph) -> Layout {
    let range = |of: fn(&crate::GraphState) -> i64| {
        let values = graph.states().iter().map(of);
        let least = values.clone().min().unwrap_or(0);
        (least, values.max().unwrap_or(0))
    };
    let id = range(|state| state.id);
    let progress = range(|state| state.progress);
    let mut builder = Layout::builder()
        .integer("state", id.0, id.1)
        .integer("progress", progress.0, progress.1);
    for proposition in graph.propositions() {
        builder = builder.boolean(proposition);
    }
    let count = i64::try_from(graph.states().len()).expect("a graph has below 2^32 states");
    builder.integer(INDEX, 0, (count - 1).max(0)).build()
}

fn last_slot(layout: &Layout) -> SlotId {
    let (id, _) = layout.iter().last().expect("the index has a slot");
    id
}

fn records(graph: &Graph, layout: &Layout, width: usize) -> Vec<Word> {
    let index_slot = layout.slot(last_slot(layout));
    let mut records = vec![0; graph.states().len() * width];
    for ((index, state), record) in (0..).zip(graph.states()).zip(records.chunks_mut(width)) {
        let truths = state.truths.iter().map(|&truth| i64::from(truth));
        let values = [state.id, state.progress].into_iter().chain(truths);
        for (slot, value) in layout.slots().iter().zip(values) {
            slot.write(record, value)
                .expect("the layout was made for these values");
        }
        index_slot
            .write(record, index)
            .expect("the layout was made for so many states");
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_ss;
    use sweepline_core::Progress;
    use sweepline_logic::{
        Coordinate, Enabled, Measure, Predicate, Product, Ranges, Scope, parse_pred, read_automaton,
    };

    fn system(text: &str) -> ExplicitSystem {
        ExplicitSystem::new(&read_ss(&text.into()).unwrap())
    }

    const EXTREME: &str = "-9223372036854775808 -9223372036854775808 1 p a 9223372036854775807\n\
                           9223372036854775807 9223372036854775807 1 !p b -9223372036854775808 c 0\n\
                           0 0 0";

    /// The numbers of a state's successors.
    fn check(text: &str, state: usize, expected: &[&str]) {
        let system = system(text);
        let mut steps = Steps::for_layout(system.layout());
        system.successors(system.record(state), &mut steps);
        let shown: Vec<String> = (0..steps.len())
            .map(|index| {
                let action = &system.actions()[steps.actions()[index].0 as usize];
                let (_, id) = system.show(steps.target(index)).remove(0);
                format!("{action} {id}")
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn successors_are_those_of_the_file() {
        check("1 0 0 a 2 b 1\n2 0 0 a 1", 0, &["a 2", "b 1"]);
        check("1 0 0 a 2 b 1\n2 0 0 a 1", 1, &["a 1"]);
        check("1 0 0", 0, &[]);
        check(EXTREME, 1, &["b -9223372036854775808", "c 0"]);
    }

    #[test]
    fn predicates_and_measures_need_no_special_cases() {
        let system = system("10 -3 2 !p q a 20\n20 5 2 p !q");
        let scope = Scope::of(&system);
        let pred = parse_pred("state == 20 and p and progress > 0").unwrap();
        let predicate = Predicate::resolve(&pred, &scope, &"".into()).unwrap();
        let holds = [0, 1].map(|state| predicate.eval(system.record(state), &Enabled::default()));
        assert_eq!(holds, [Ok(false), Ok(true)]);
        let rows = Coordinate::parse("progress").unwrap();
        let measure = Measure::new(&[], &rows, &scope, Ranges::Known).unwrap();
        let explained =
            [0, 1].map(|state| measure.explain(measure.key(system.record(state)).unwrap()));
        assert_eq!(explained, ["progress = -3", "progress = 5"]);
    }

    #[test]
    fn an_automaton_watches_a_state_space() {
        // A packet is sent (p) and not acknowledged (q) until the run ends in state 3.
        let graph = read_ss(&"1 0 2 !p !q s 2\n2 1 2 p !q a 1 l 3\n3 2 2 !p !q".into()).unwrap();
        let system = ExplicitSystem::new(&graph);
        let automaton = read_automaton(&"0\n2\n0 true 0 p!q 1\n1 !p!q 2\n2".into()).unwrap();
        let product = Product::new(&system, &automaton, &[]).unwrap();
        let mut steps = Steps::for_layout(product.layout());
        product.initial(&mut steps);
        let mut state = steps.target(0).to_vec();
        let mut actions = Vec::new();
        // The automaton waits for a packet without acknowledgement, and then for both to be gone.
        for ordinal in [1, 1] {
            steps.clear();
            product.successors(&state, &mut steps);
            actions.push(product.step_name(&state, ordinal, steps.actions()[ordinal]));
            state = steps.target(ordinal).to_vec();
        }
        assert_eq!(actions, ["s", "l"]);
        assert!(product.accepting(&state));
    }
}
