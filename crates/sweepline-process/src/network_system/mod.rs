//! Networks as systems: composition on the fly.

mod actions;

use std::collections::BTreeSet;

use sweepline_core::{
    ActionId, AnySystem, Describe, Fault, Layout, Limits, Slot, Steps, StopReason, System, Word,
};

use crate::lts::{Lts, StateKind};
use crate::network::Network;
use actions::Actions;
pub use actions::Participants;
use sweepline_graph::StateId;

/// A network, asked one state at a time: nothing is composed in advance.
///
/// There is one slot per component, called like it, with the number of the component's state; small components whose
/// states have distinct names show these.
///
/// **Actions.** Component by component: its internal steps (`name.tau`), if it has any, then the labels of its alphabet
/// that no component before it has. A hidden label `a` is shown as `tau (a)`.
///
/// **Steps.** A label is looked for in its *driver*: the component of its alphabet that offers it in the smallest share
/// of its states (the first of several). The steps of a state are ordered by driver, then by action, then by the edges
/// of the driver, then by those of the other participants, the last one varying fastest. Components that offer a
/// label several times give a step for every combination; a state with more of them than anybody could enumerate
/// has a fault instead.
///
/// **Errors.** No step leaves a state in which some component is in an error state.
///
/// ```
/// use sweepline_core::{Describe, Steps, System};
/// use sweepline_process::{Lts, Network, NetworkSystem};
///
/// /// One state, and a loop with every label.
/// let always = |labels: &[&str]| {
///     let mut builder = Lts::builder();
///     let state = builder.state();
///     for label in labels {
///         let label = builder.label(label);
///         builder.edge(state, label, state);
///     }
///     builder.build(state)
/// };
/// let network = Network::parallel([("left", always(&["a", "b"])), ("right", always(&["b", "c"]))]);
/// let system = NetworkSystem::new(&network);
/// assert_eq!(system.actions(), ["a", "b", "c"]);
/// let mut steps = Steps::for_layout(system.layout());
/// system.successors(&[0], &mut steps);
/// assert_eq!(steps.len(), 3); // `b` is one step of both
/// ```
#[derive(Clone, Debug)]
pub struct NetworkSystem {
    layout: Layout,
    parts: Vec<Part>,
    /// The components that have error states.
    fallible: Vec<usize>,
    actions: Vec<String>,
    internal: Vec<bool>,
    /// The participants of every action without its driver.
    others: Vec<Box<[usize]>>,
    /// Which actions go before the others.
    preferred: Option<Vec<bool>>,
    initial: Box<[Word]>,
    /// How many steps a state can have.
    most_steps: usize,
}

/// A component, prepared for speed.
#[derive(Clone, Debug)]
struct Part {
    word: usize,
    shift: u32,
    mask: Word,
    kinds: Vec<StateKind>,
    /// The edges whose action this component drives, by state and action.
    driven: Moves,
    /// The others, which it takes part in.
    joined: Moves,
}

/// Edges by state, and at each state by action.
#[derive(Clone, Debug)]
struct Moves {
    first: Vec<usize>,
    list: Vec<Move>,
}

/// What an edge does to the state.
#[derive(Clone, Copy, Debug)]
struct Move {
    action: u32,
    /// The bits of the component's slot that change.
    change: u32,
}

/// Larger components show the numbers of their states.
const NAMED_STATES: usize = 1024;

/// A state has at most so many steps: combinations multiply, so a few components can offer more than can be listed.
const MOST_STEPS: usize = 1 << 24;
/// And these steps have at most so many words.
const MOST_WORDS: usize = 1 << 27;

impl NetworkSystem {
    /// Prepares a network.
    pub fn new(network: &Network) -> Self {
        Self::within(network, &Limits::default()).expect("there are no limits")
    }

    /// Prepares a network, if that can be done within limits.
    pub fn within(network: &Network, limits: &Limits) -> Result<Self, StopReason> {
        let layout = layout(network);
        let actions = Actions::of(network);
        limits.allow(network.bytes())?;
        let drivers = actions.drivers(network);
        let parts = parts(network, &layout, &actions, &drivers, limits)?;
        let others = actions.participants.iter().zip(&drivers);
        let others = others.map(|(all, driver)| {
            let all = all.iter().copied();
            all.filter(|component| component != driver).collect()
        });
        let width = layout.width().expect("layouts from a builder have a width");
        Ok(Self {
            initial: initial(network, &layout),
            fallible: (0..parts.len())
                .filter(|&index| parts[index].kinds.contains(&StateKind::Error))
                .collect(),
            others: others.collect(),
            preferred: network
                .priority
                .as_ref()
                .map(|priority| actions.preferred(priority)),
            internal: actions.internal(&network.hidden),
            actions: actions.shown(network),
            most_steps: MOST_STEPS.min(MOST_WORDS / width.max(1)),
            parts,
            layout,
        })
    }

    /// The first component that is in an error state, if there is one.
    #[inline]
    pub fn is_error(&self, state: &[Word]) -> Option<usize> {
        let mut fallible = self.fallible.iter().copied();
        fallible.find(|&index| self.parts[index].kind(state) == StateKind::Error)
    }

    /// Whether every component is in an end state: then it is no deadlock that no step leaves this state.
    pub fn is_valid_end(&self, state: &[Word]) -> bool {
        let mut parts = self.parts.iter();
        parts.all(|part| part.kind(state) == StateKind::End)
    }

    /// Whether an action is internal: a hidden label, or the internal step of a component.
    pub fn is_internal(&self, action: ActionId) -> bool {
        self.internal[action.0 as usize]
    }

    /// The state of a component.
    pub fn component_state(&self, state: &[Word], component: usize) -> StateId {
        let local = self.parts[component].local(state);
        StateId(u32::try_from(local).expect("an LTS has below 2^32 states"))
    }

    /// What is wrong with a state in which an action would give more steps than can be listed.
    #[cold]
    fn too_many(&self, action: u32) -> Fault {
        let components = self.others[action as usize].len() + 1;
        Fault::TooMany {
            message: format!(
                "{components} components can do `{}` together in so many ways that one state has more than {} steps",
                self.actions[action as usize], self.most_steps
            ),
        }
    }

    /// Adds the steps whose actions are admitted.
    #[inline]
    fn emit(&self, state: &[Word], out: &mut Steps, admits: impl Fn(u32) -> bool) {
        for part in &self.parts {
            for &step in part.driven.of(part.local(state)) {
                if !admits(step.action) {
                    continue;
                }
                let others = &self.others[step.action as usize];
                if others.is_empty() {
                    part.change(out.push_copy(ActionId(step.action), state), step);
                } else {
                    self.join(state, part, step, others, out);
                }
            }
        }
    }

    /// Adds every combination of a driver's step with those of the others, if all of them can take part.
    fn join(&self, state: &[Word], driver: &Part, step: Move, others: &[usize], out: &mut Steps) {
        let offered = |other: usize| {
            let part = &self.parts[other];
            part.joined.of_action(part.local(state), step.action)
        };
        // It may be more than any number can hold; but nothing remains nothing, whatever it is multiplied with.
        let counts = others.iter().map(|&other| offered(other).len());
        let combinations = counts.fold(1_usize, usize::saturating_mul);
        if combinations > self.most_steps.saturating_sub(out.len()) {
            return out.fail(self.too_many(step.action));
        }
        for combination in 0..combinations {
            let target = out.push_copy(ActionId(step.action), state);
            driver.change(target, step);
            let mut rest = combination;
            for &other in others.iter().rev() {
                let moves = offered(other);
                self.parts[other].change(target, moves[rest % moves.len()]);
                rest /= moves.len();
            }
        }
    }
}

impl System for NetworkSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &self.initial);
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        if self.is_error(state).is_some() {
            return;
        }
        let Some(preferred) = &self.preferred else {
            return self.emit(state, out, |_| true);
        };
        let before = out.len();
        self.emit(state, out, |action| preferred[action as usize]);
        if out.len() == before {
            self.emit(state, out, |action| !preferred[action as usize]);
        }
    }

    /// An error is reported as such, not as a deadlock.
    fn is_end(&self, state: &[Word]) -> bool {
        self.is_valid_end(state) || self.is_error(state).is_some()
    }
}

/// Its values are all known, so it never outgrows its slots.
impl AnySystem for NetworkSystem {}

impl Describe for NetworkSystem {
    fn actions(&self) -> &[String] {
        &self.actions
    }

    fn is_internal(&self, action: ActionId) -> bool {
        Self::is_internal(self, action)
    }
}

impl Part {
    fn new(lts: &Lts, slot: &Slot, numbers: &[u32], drives: impl Fn(u32) -> bool) -> Self {
        Self {
            word: slot.word,
            shift: slot.shift,
            mask: slot.mask(),
            kinds: lts.states().map(|state| lts.kind(state)).collect(),
            driven: Moves::new(lts, numbers, &drives),
            joined: Moves::new(lts, numbers, |action| !drives(action)),
        }
    }

    /// How much memory it takes, nearly.
    fn bytes(&self) -> usize {
        self.kinds.len() + self.driven.bytes() + self.joined.bytes()
    }

    #[inline]
    fn local(&self, state: &[Word]) -> usize {
        local((state[self.word] >> self.shift) & self.mask)
    }

    /// Takes a step of this component.
    #[inline]
    fn change(&self, state: &mut [Word], step: Move) {
        state[self.word] ^= Word::from(step.change) << self.shift;
    }

    #[inline]
    fn kind(&self, state: &[Word]) -> StateKind {
        self.kinds[self.local(state)]
    }
}

/// All components, prepared.
fn parts(
    network: &Network,
    layout: &Layout,
    actions: &Actions,
    drivers: &[usize],
    limits: &Limits,
) -> Result<Vec<Part>, StopReason> {
    let mut parts = Vec::with_capacity(network.components.len());
    let mut held = network.bytes();
    let slots = layout.slots().iter().zip(&actions.numbers);
    for (index, (component, (slot, numbers))) in network.components.iter().zip(slots).enumerate() {
        let drives = |action: u32| drivers[action as usize] == index;
        let part = Part::new(&component.lts, slot, numbers, drives);
        held = held.saturating_add(part.bytes());
        limits.allow(held)?;
        parts.push(part);
    }
    Ok(parts)
}

/// The state of a component as an index.
#[inline]
fn local(value: Word) -> usize {
    usize::try_from(value).expect("an LTS has below 2^32 states")
}

impl Moves {
    fn new(lts: &Lts, numbers: &[u32], wanted: impl Fn(u32) -> bool) -> Self {
        let (mut first, mut list) = (vec![0], Vec::new());
        for state in lts.states() {
            let start = list.len();
            let moves = lts.edges_from(state).iter().map(|edge| Move {
                action: numbers[edge.label.index()],
                change: state.0 ^ edge.target.0,
            });
            list.extend(moves.filter(|step| wanted(step.action)));
            list[start..].sort_by_key(|step| step.action);
            first.push(list.len());
        }
        Self { first, list }
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.first[..]) + size_of_val(&self.list[..])
    }

    #[inline]
    fn of(&self, local: usize) -> &[Move] {
        &self.list[self.first[local]..self.first[local + 1]]
    }

    #[inline]
    fn of_action(&self, local: usize, action: u32) -> &[Move] {
        let moves = self.of(local);
        let start = moves.partition_point(|step| step.action < action);
        let same = moves[start..]
            .iter()
            .take_while(|step| step.action == action);
        &moves[start..start + same.count()]
    }
}

/// The layout of a network's states: one slot per component, in their order.
fn layout(network: &Network) -> Layout {
    let mut builder = Layout::builder();
    for component in &network.components {
        let name = component.name.clone();
        builder = if let Some(names) = state_names(&component.lts) {
            builder.named(name, names)
        } else {
            let count = i64::try_from(component.lts.len()).expect("below 2^32 states");
            builder.integer(name, 0, (count - 1).max(0))
        };
    }
    builder.build()
}

/// The names of all states, if there are any and they tell few states apart.
fn state_names(lts: &Lts) -> Option<Vec<String>> {
    if !lts.has_names() || lts.len() > NAMED_STATES {
        return None;
    }
    let names: Vec<String> = lts.states().map(|state| lts.state_name(state)).collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    (distinct.len() == names.len()).then_some(names)
}

fn initial(network: &Network, layout: &Layout) -> Box<[Word]> {
    let width = layout.width().expect("layouts from a builder have a width");
    let mut state = vec![0; width];
    for (component, slot) in network.components.iter().zip(layout.slots()) {
        slot.write(&mut state, i64::from(component.lts.initial().0))
            .expect("the layout was made for these states");
    }
    state.into()
}
