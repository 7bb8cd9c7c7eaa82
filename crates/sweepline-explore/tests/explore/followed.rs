//! Explorations that are followed along their links, whatever happens to them.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sweepline_core::{
    ActionId, ColumnClosed, Control, Expanded, Fault, Key, KeyError, LayerClosed, LayerId,
    LayerOpened, Layout, Limits, Link, Linked, Observer, Progress, SlotId, Started, Statistics,
    Steps, StopReason, System, Wants, Watch, Word,
};
use sweepline_explore::{End, LogPlace, Options, Sweep};

use crate::graph::{Graph, Measure, Method, dynamic, graphs, methods};

/// A graph in its own encoding, or with numbers in so many bits, which may be too few.
struct Coded<'g> {
    graph: &'g Graph,
    bits: Option<u32>,
    layout: Layout,
}

const NUMBER: SlotId = SlotId(0);

impl<'g> Coded<'g> {
    fn new(graph: &'g Graph, bits: Option<u32>) -> Self {
        let layout = match bits {
            None => graph.layout.clone(),
            // Beside a wide slot, so that sometimes a word more is needed.
            Some(bits) => Layout::builder()
                .guarded("number", bits)
                .guarded("filler", 60)
                .build(),
        };
        Self {
            graph,
            bits,
            layout,
        }
    }

    fn number(&self, state: &[Word]) -> usize {
        number(self.bits, &self.layout, state)
    }

    fn push(&self, action: usize, number: usize, out: &mut Steps) {
        let action = ActionId(action as u32);
        if self.bits.is_none() {
            out.push(action, &self.graph.state(number));
            return;
        }
        let mut state = vec![0; self.layout.width().unwrap()];
        let value = i64::try_from(number).unwrap();
        if self.layout.set(&mut state, NUMBER, value).is_err() {
            return out.fail(Fault::Outgrown { slot: NUMBER });
        }
        out.push(action, &state);
    }
}

fn number(bits: Option<u32>, layout: &Layout, state: &[Word]) -> usize {
    match bits {
        None => state[0] as usize,
        Some(_) => usize::try_from(layout.value(state, NUMBER)).unwrap(),
    }
}

impl System for Coded<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        for &number in &self.graph.initial {
            self.push(0, number, out);
        }
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for (ordinal, &target) in self.graph.edges[self.number(state)].iter().enumerate() {
            self.push(ordinal, target, out);
        }
    }
}

impl sweepline_core::Describe for Coded<'_> {
    fn actions(&self) -> &[String] {
        &[]
    }
}

/// The measure of a graph, whatever the encoding.
struct Keys<'g>(Coded<'g>, Method);

impl Progress for Keys<'_> {
    fn row_bits(&self) -> u32 {
        Measure(self.0.graph, self.1).row_bits()
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Measure(self.0.graph, self.1).key(&[self.0.number(state) as Word])
    }
}

/// How an instance is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    Number(u64),
    Ahead(LayerId, u32),
    /// The second number says since when indices count.
    Persistent(u32, u32),
}

/// Keeps everything it is told, and stops now and then.
pub struct Follower {
    bits: Option<u32>,
    layout: Layout,
    /// The state and the links of every number.
    pub nodes: BTreeMap<u64, (usize, Vec<Name>)>,
    pub initial: Vec<Name>,
    moved: HashMap<Name, Name>,
    layers: HashMap<LayerId, u64>,
    first: u64,
    roots: u64,
    epoch: u32,
    changing: bool,
    columns: u64,
    /// Whether a layer is open, and a column.
    open: (bool, bool),
    /// Events until it stops next.
    stops_in: usize,
}

impl Follower {
    fn new(system: &Coded<'_>) -> Self {
        Self {
            bits: system.bits,
            layout: system.layout.clone(),
            nodes: BTreeMap::new(),
            initial: Vec::new(),
            moved: HashMap::new(),
            layers: HashMap::new(),
            first: 0,
            roots: 0,
            epoch: 0,
            changing: false,
            columns: 0,
            open: (false, false),
            stops_in: usize::MAX,
        }
    }

    fn control(&mut self) -> Control {
        self.stops_in -= 1;
        if self.stops_in == 0 {
            self.stops_in = usize::MAX;
            Control::Stop
        } else {
            Control::Continue
        }
    }

    fn name(&self, link: Link) -> Name {
        match link {
            Link::Here(index) => Name::Number(self.first + u64::from(index)),
            Link::Ahead(layer, index) => Name::Ahead(layer, index),
            Link::Kept(number) => Name::Number(number),
            Link::Persistent(index) => Name::Persistent(self.epoch, index),
        }
    }

    /// The number of an instance, if it has one by now.
    pub fn resolve(&self, name: Name) -> Option<u64> {
        if let Some(&to) = self.moved.get(&name) {
            return self.resolve(to);
        }
        match name {
            Name::Number(number) => Some(number),
            Name::Ahead(layer, index) => {
                let number = Name::Number(self.layers.get(&layer)? + u64::from(index));
                self.resolve(number)
            }
            Name::Persistent(..) => None,
        }
    }

    /// Every link that has a number leads to the right state; if everything was explored, all have, and all are expanded.
    fn check(&self, graph: &Graph, complete: bool) -> Result<(), TestCaseError> {
        let initial = (&graph.initial, &self.initial);
        let nodes = self.nodes.values();
        let all = nodes.map(|(state, links)| (&graph.edges[*state], links));
        for (targets, links) in all.chain((complete || !self.initial.is_empty()).then_some(initial))
        {
            prop_assert_eq!(targets.len(), links.len());
            for (target, &link) in targets.iter().zip(links) {
                let node = self
                    .resolve(link)
                    .and_then(|number| self.nodes.get(&number));
                prop_assert!(node.is_some() || !complete, "{:?} leads nowhere", link);
                if let Some((state, _)) = node {
                    prop_assert_eq!(state, target);
                }
            }
        }
        let last = self.nodes.last_key_value().map_or(0, |(&number, _)| number);
        for number in 0..last {
            let known = self.nodes.contains_key(&number);
            prop_assert!(known || self.moved.contains_key(&Name::Number(number)));
        }
        Ok(())
    }
}

impl Observer for Follower {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn expanded(&mut self, _: Expanded<'_>) -> Control {
        self.control()
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        assert!(self.initial.is_empty() && self.nodes.is_empty());
        self.initial = event.links.iter().map(|&link| self.name(link)).collect();
        self.control()
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        assert_eq!(self.open, (true, true));
        let last = self.nodes.last_key_value().map(|(&last, _)| last);
        assert!(last.is_none_or(|last| last < event.number));
        assert_eq!(event.actions.len(), event.links.len());
        let links = event.links.iter().map(|&link| self.name(link)).collect();
        let state = number(self.bits, &self.layout, event.state);
        self.nodes.insert(event.number, (state, links));
        self.control()
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        assert!(!self.open.0 || self.changing);
        self.open = (true, true);
        if std::mem::take(&mut self.changing) {
            self.epoch += 1;
        }
        self.first = event.first;
        self.roots = event.roots.len() as u64;
        assert!(self.layers.insert(event.layer, event.first).is_none());
        for (&root, number) in event.roots.iter().zip(event.first - self.roots..) {
            let root = Name::Persistent(self.epoch, root);
            assert!(self.moved.insert(root, Name::Number(number)).is_none());
        }
        self.control()
    }

    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        assert!(std::mem::replace(&mut self.open.0, false));
        let kept = self.roots + event.states.len() as u64 - event.expanded;
        for (index, state) in (0..).zip(event.states.iter()).skip(kept as usize) {
            let (known, _) = self.nodes[&(event.first + index)];
            assert_eq!(known, number(self.bits, &self.layout, state));
        }
        self.control()
    }

    fn column_closed(&mut self, _: ColumnClosed<'_>) -> Control {
        assert_eq!(self.open, (false, true));
        self.open.1 = false;
        self.columns += 1;
        self.epoch += 1;
        self.control()
    }

    fn tick(&mut self, _: Watch<'_>) -> Control {
        self.control()
    }

    fn moved(&mut self, from: Link, to: Link) {
        self.changing = true;
        assert!(!matches!(to, Link::Here(_) | Link::Persistent(_)));
        let (from, to) = (self.name(from), self.name(to));
        assert!(
            self.moved.insert(from, to).is_none(),
            "{from:?} moves twice"
        );
    }

    fn kept(&mut self, number: u64) {
        assert!(self.nodes.contains_key(&number));
    }
}

/// What happens to a run: where it is stopped, and how it goes on.
type Story = Vec<(usize, Option<Method>)>;

fn stories(scale: usize) -> impl Strategy<Value = Story> {
    let change = prop::option::weighted(0.4, methods());
    prop::collection::vec((1..40 * scale, change), 0..6)
}

/// What became of a run that was followed, unless it was lost.
type Followed = Result<Option<(Follower, Statistics)>, TestCaseError>;

/// Follows a run to its end, beside another observer.
fn follow<O: Observer>(
    graph: &Graph,
    mut bits: Option<u32>,
    mut method: Method,
    options: Options,
    story: Story,
    other: &mut O,
) -> Followed {
    let mut story = story.into_iter();
    let keys = |bits, method| Keys(Coded::new(graph, bits), method);
    let mut follower = Follower::new(&Coded::new(graph, bits));
    let mut sweep = Sweep::new(Coded::new(graph, bits), keys(bits, method), options);
    let mut next = None;
    loop {
        if let Some((stops_in, change)) = story.next() {
            (follower.stops_in, next) = (stops_in, change);
        }
        match sweep.run_linked(dynamic(&mut (&mut follower, &mut *other))) {
            End::Complete => break,
            End::Stopped => {}
            End::Outgrown(_) => {
                bits = bits.map(|bits| bits + 2);
                let wider = Coded::new(graph, bits);
                follower.bits = bits;
                follower.layout = wider.layout.clone();
                other.recoded(&wider);
                sweep.recode(wider, keys(bits, method)).unwrap();
            }
            End::Limit(StopReason::Memory { .. }) if next.is_some() => {}
            End::Limit(StopReason::Memory { .. } | StopReason::States { .. }) => {
                follower.check(graph, false)?;
                return Ok(Some((follower, sweep.statistics().clone())));
            }
            end => prop_assert!(false, "{:?}", end),
        }
        follower.check(graph, false)?;
        if let Some(change) = next.take() {
            method = change;
            let watching: &mut dyn Observer = &mut (&mut follower, &mut *other);
            sweep = match sweep.remeasured_before(keys(bits, method), watching) {
                Ok(sweep) => sweep,
                Err(reason) => {
                    prop_assert!(matches!(reason, StopReason::Memory { .. }), "{}", reason);
                    return Ok(None);
                }
            };
        }
    }
    prop_assert_eq!(follower.open, (false, false));
    prop_assert!(follower.columns <= sweep.statistics().columns);
    prop_assert!(follower.columns > 0 || graph.initial.is_empty());
    prop_assert!(follower.nodes.len() as u64 >= sweep.statistics().explored);
    follower.check(graph, true)?;
    // Once more: nothing is told twice.
    let watching: &mut dyn Observer = &mut (&mut follower, &mut *other);
    prop_assert_eq!(sweep.run_linked(watching), End::Complete);
    follower.check(graph, true)?;
    Ok(Some((follower, sweep.statistics().clone())))
}

/// Follows random runs through random graphs, each beside another observer, which is asked what it has seen.
pub fn follow_many<O: Observer>(
    cases: u32,
    beside: impl Fn(&Graph) -> O,
    check: impl Fn(O, &Follower, &Graph, &Statistics) -> Result<(), TestCaseError>,
) {
    follow_scaled(cases, 1, beside, check);
}

/// The same with graphs so many times as large, which are stopped as many times as late.
pub fn follow_scaled<O: Observer>(
    cases: u32,
    scale: usize,
    beside: impl Fn(&Graph) -> O,
    check: impl Fn(O, &Follower, &Graph, &Statistics) -> Result<(), TestCaseError>,
) {
    let limits = (
        prop::option::weighted(0.1, 1..40 * scale as u64),
        prop::option::weighted(0.2, 500..6000 * scale),
    );
    let inputs = (
        graphs(24 * scale, true),
        prop::option::weighted(0.4, 1..4_u32),
        methods(),
        (0..3_u64, any::<bool>(), limits),
        stories(scale),
    );
    let config = ProptestConfig::with_cases(cases);
    let mut runner = TestRunner::new(config);
    let checked = runner.run(&inputs, |(graph, bits, method, rest, story)| {
        let (window, log, (states, memory)) = rest;
        let options = Options {
            limits: Limits {
                states,
                memory,
                ..Limits::default()
            },
            window,
            log: if log {
                LogPlace::Temporary
            } else {
                LogPlace::Off
            },
        };
        let mut other = beside(&graph);
        match follow(&graph, bits, method, options, story, &mut other)? {
            Some((follower, statistics)) => check(other, &follower, &graph, &statistics),
            None => Ok(()),
        }
    });
    checked.unwrap();
}
