//! Systems that number what their states are about, and forget what no stored state is about.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use sweepline_core::{
    ActionId, Control, Key, KeyError, Layout, Linked, Observer, Progress, Renumbering, SlotId,
    Statistics, Steps, System, Wants, Word,
};
use sweepline_explore::{End, Options, Path, Sweep};

use crate::graph::{Graph, Measure, Method, dynamic, graphs, methods};

/// A graph whose states have the numbers of nodes in a table, in the order in which these were met.
#[derive(Clone)]
struct Named<'g> {
    graph: &'g Graph,
    layout: Layout,
    table: Arc<Mutex<Table>>,
}

#[derive(Default)]
struct Table {
    nodes: Vec<usize>,
    numbers: HashMap<usize, i64>,
}

impl Table {
    fn number(&mut self, node: usize) -> i64 {
        let next = i64::try_from(self.nodes.len()).unwrap();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }
}

const NODE: SlotId = SlotId(1);

impl<'g> Named<'g> {
    fn new(graph: &'g Graph, words: usize) -> Self {
        // The number lies between others, which are not numbers of nodes.
        let mut builder = Layout::builder().integer("first", 0, 3).opaque("node", 255);
        for word in 0..words {
            builder = builder.integer(format!("filler {word}"), 0, i64::MAX);
        }
        Self {
            graph,
            layout: builder.build(),
            table: Arc::default(),
        }
    }

    fn node(&self, state: &[Word]) -> usize {
        let number = usize::try_from(self.layout.value(state, NODE)).unwrap();
        self.table.lock().unwrap().nodes[number]
    }

    fn push(&self, action: usize, node: usize, out: &mut Steps) {
        let mut table = self.table.lock().unwrap();
        let mut state = vec![0; self.layout.width().unwrap()];
        let number = table.number(node);
        self.layout.set(&mut state, NODE, number).unwrap();
        let first = i64::try_from(node % 4).unwrap();
        self.layout.set(&mut state, SlotId(0), first).unwrap();
        out.push(ActionId(action as u32), &state);
        out.hold(table.nodes.len() << 20); // far more than is stored
    }

    /// The same graph with a table of those nodes that records are about.
    fn renewed(&self, each: impl Fn(&mut dyn FnMut(&[Word]))) -> (Self, Renumbering) {
        let old = self.table.lock().unwrap();
        let mut used = vec![false; old.nodes.len()];
        each(&mut |state| used[usize::try_from(self.layout.value(state, NODE)).unwrap()] = true);
        let mut table = Table::default();
        let numbers = old.nodes.iter().zip(&used);
        let numbers =
            numbers.map(|(node, used)| used.then(|| u32::try_from(table.number(*node)).unwrap()));
        let mut renumbering = Renumbering::default();
        renumbering.add(NODE, numbers.collect::<Vec<_>>());
        let table = Arc::new(Mutex::new(table));
        (
            Self {
                table,
                ..self.clone()
            },
            renumbering,
        )
    }
}

impl System for Named<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        for &node in &self.graph.initial {
            self.push(0, node, out);
        }
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for (ordinal, &node) in self.graph.edges[self.node(state)].iter().enumerate() {
            self.push(ordinal, node, out);
        }
    }
}

struct Keys<'g>(Named<'g>, Method);

impl Progress for Keys<'_> {
    fn row_bits(&self) -> u32 {
        Measure(self.0.graph, self.1).row_bits()
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Measure(self.0.graph, self.1).key(&[self.0.node(state) as Word])
    }
}

/// Every link it is told.
#[derive(Default)]
struct Links(Vec<String>);

impl Observer for Links {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }
    fn linked(&mut self, event: Linked<'_>) -> Control {
        let told = format!("{} {:?}", event.number, event.links);
        self.0.push(told);
        Control::Continue
    }
}

/// What a run shows: figures, links and the ways to all instances. With it, how often its system began again, and the
/// largest table.
struct Seen {
    statistics: Statistics,
    links: Vec<String>,
    paths: Vec<Path>,
    renewals: usize,
    largest: usize,
}

fn run(
    graph: &Graph,
    method: Method,
    words: usize,
    window: u64,
    linked: bool,
    renew: bool,
) -> Seen {
    let system = Named::new(graph, words);
    let options = Options {
        window,
        ..Options::default()
    };
    let mut sweep = Sweep::new(system.clone(), Keys(system, method), options);
    if renew {
        sweep.expect_renewal(0);
    }
    let (mut links, mut renewals, mut largest) = (Links::default(), 0, 0);
    loop {
        let end = if linked {
            sweep.run_linked(dynamic(&mut links))
        } else {
            sweep.run(dynamic(&mut ()))
        };
        let table = sweep.system().table.lock().unwrap().nodes.len();
        largest = largest.max(table);
        match end {
            End::Complete => break,
            End::Crowded => {
                let (system, numbers) = sweep.system().renewed(|visit| sweep.each_record(visit));
                let keys = Keys(system.clone(), method);
                // As if nothing were left, so that it happens after every layer.
                sweep.renew(system, keys, &numbers, 0).unwrap();
                renewals += 1;
            }
            end => panic!("{end:?}"),
        }
    }
    let numbers = 0..sweep.statistics().explored;
    Seen {
        paths: numbers
            .map(|number| sweep.path_to(number).unwrap())
            .collect(),
        statistics: Statistics {
            peak_bytes: 0,
            disk_bytes: 0,
            elapsed: std::time::Duration::ZERO,
            ..sweep.statistics().clone()
        },
        links: links.0,
        renewals,
        largest,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whether a system begins again or not cannot be told from what a run shows.
    #[test]
    fn beginning_again_changes_nothing(
        graph in graphs(60, true),
        method in methods(),
        words in 0..5_usize,
        window in 0..3_u64,
        linked in any::<bool>(),
    ) {
        let expected = run(&graph, method, words, window, linked, false);
        let found = run(&graph, method, words, window, linked, true);
        prop_assert_eq!(found.statistics, expected.statistics);
        prop_assert_eq!(found.links, expected.links);
        prop_assert_eq!(found.paths, expected.paths);
        prop_assert_eq!(expected.renewals, 0);
        prop_assert!(found.largest <= expected.largest);
    }
}

/// A line of states in as many layers: the table has those of two layers only.
#[test]
fn what_is_forgotten_leaves_the_table() {
    let edges = (0..200).map(|node| Vec::from_iter((node < 199).then_some(node + 1)));
    let columns = (0..200_u8).collect::<Vec<_>>();
    let graph = Graph {
        edges: edges.collect(),
        initial: vec![0],
        rows: [columns.clone(), columns.clone()],
        columns: [columns.clone(), columns],
        layout: Layout::opaque(sweepline_core::Records::Fixed(1)),
    };
    let kept = run(&graph, Method::Columns(0), 1, 0, false, false);
    assert_eq!((kept.largest, kept.renewals), (200, 0));
    let renewed = run(&graph, Method::Columns(0), 1, 0, false, true);
    assert!(renewed.largest <= 4, "{}", renewed.largest);
    assert!(renewed.renewals > 190);
}
