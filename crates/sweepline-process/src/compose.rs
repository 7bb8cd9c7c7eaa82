//! Composition in advance: a network as one LTS.

use miette::Diagnostic;
use sweepline_core::{
    ActionId, Describe, Fault, Interner, Limits, Steps, StopReason, System, Word,
};

use crate::lts::{LabelId, Lts, LtsBuilder, LtsEdge, StateKind, TAU};
use crate::network::Network;
use crate::network_system::NetworkSystem;
use sweepline_graph::StateId;

/// A network cannot be composed in advance.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, thiserror::Error)]
pub enum ComposeError {
    /// There are too many states.
    #[error("the composition has more than {limit} states")]
    #[diagnostic(
        code(network::too_large),
        help("allow more states, minimise the components, or compose on the fly")
    )]
    TooLarge {
        /// How many states were allowed.
        limit: usize,
    },

    /// A state has more steps than can be listed.
    #[error("{message}")]
    #[diagnostic(code(network::too_many_steps))]
    TooManySteps {
        /// Which steps.
        message: String,
    },

    /// A limit was reached before it was complete; nothing is wrong with the network.
    #[error("the network could not be composed: {0}")]
    #[diagnostic(code(network::stopped))]
    Stopped(StopReason),
}

impl ComposeError {
    /// The limit that was reached, if nothing else was in the way.
    pub fn stopped(&self) -> Option<&StopReason> {
        match self {
            Self::Stopped(reason) => Some(reason),
            _ => None,
        }
    }
}

impl From<StopReason> for ComposeError {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// The reachable part of a network as one LTS, if it has at most `limit` states.
///
/// - States are numbered breadth-first from the initial one, in the order of the steps of [`NetworkSystem`]. The edges
///   of a state are sorted by label and target, and none is there twice.
/// - The alphabet is the union of the components' alphabets without the hidden labels, in the order of their first
///   occurrence; hidden labels and the internal steps of components become `tau`.
/// - All states in which some component is in an error state are one error state, which no edge leaves.
/// - A state is an end if every component is in an end state: the whole has terminated when all of its parts have.
/// - Prioritised labels discard all others, `tau` included, in states where one of them is possible; labels of low
///   priority are discarded in states where anything else, `tau` included, is. Priority comes before hiding.
///
/// ```
/// use sweepline_process::{Lts, Network, compose};
///
/// /// Two states, and a step from one to the other.
/// let once = |label: &str| {
///     let mut builder = Lts::builder();
///     let (before, after) = (builder.state(), builder.state());
///     let label = builder.label(label);
///     builder.edge(before, label, after);
///     builder.build(before)
/// };
/// let network = Network::parallel([("left", once("a")), ("right", once("b"))]);
/// let diamond = compose(&network, 100).unwrap();
/// assert_eq!((diamond.len(), diamond.edge_count()), (4, 4));
/// assert!(compose(&network, 3).is_err());
/// ```
pub fn compose(network: &Network, limit: usize) -> Result<Lts, ComposeError> {
    compose_within(network, limit, &Limits::default())
}

/// The same, if it can be done within limits.
pub fn compose_within(
    network: &Network,
    limit: usize,
    limits: &Limits,
) -> Result<Lts, ComposeError> {
    let system = NetworkSystem::within(network, limits)?;
    let held = network.bytes();
    let mut composition = Composition::new(&system, limit);
    let initial = composition.initial()?;
    let mut next = 0;
    let mut unasked = 0;
    while next < composition.states.len() {
        composition.expand(next)?;
        next += 1;
        unasked += 1 + composition.steps.len();
        if unasked >= WORK_UNASKED {
            unasked = 0;
            limits.allow(held + composition.bytes())?;
        }
    }
    Ok(composition.builder.build(initial))
}

/// So many states and edges are added before limits are looked at again.
const WORK_UNASKED: usize = 4096;

struct Composition<'a> {
    system: &'a NetworkSystem,
    limit: usize,
    labels: Vec<LabelId>,
    builder: LtsBuilder,
    /// The states that are known, numbered as in the result.
    states: Interner<Word>,
    /// The state that stands for all errors.
    error: Option<StateId>,
    steps: Steps,
    edges: Vec<LtsEdge>,
}

impl<'a> Composition<'a> {
    fn new(system: &'a NetworkSystem, limit: usize) -> Self {
        let mut builder = Lts::builder();
        let label = |(name, action): (&String, u32)| {
            if system.is_internal(ActionId(action)) {
                TAU
            } else {
                builder.label(name)
            }
        };
        Self {
            labels: system.actions().iter().zip(0..).map(label).collect(),
            builder,
            system,
            limit,
            states: Interner::default(),
            error: None,
            steps: Steps::for_layout(system.layout()),
            edges: Vec::new(),
        }
    }

    fn initial(&mut self) -> Result<StateId, ComposeError> {
        self.system.initial(&mut self.steps);
        self.state(0)
    }

    fn expand(&mut self, number: usize) -> Result<(), ComposeError> {
        self.steps.clear();
        self.system
            .successors(self.states.get(number), &mut self.steps);
        if let Some(Fault::TooMany { message }) = self.steps.fault() {
            let message = message.clone();
            return Err(ComposeError::TooManySteps { message });
        }
        self.edges.clear();
        for step in 0..self.steps.len() {
            let label = self.labels[self.steps.actions()[step].0 as usize];
            let target = self.state(step)?;
            self.edges.push(LtsEdge { label, target });
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        for edge in &self.edges {
            self.builder.edge(id(number), edge.label, edge.target);
        }
        Ok(())
    }

    /// How much memory it takes, nearly.
    fn bytes(&self) -> usize {
        self.states.bytes() + self.builder.bytes() + size_of_val(self.steps.words())
    }

    /// The number of a step's target, which is added if it is new.
    fn state(&mut self, step: usize) -> Result<StateId, ComposeError> {
        let state = self.steps.target(step);
        let is_error = self.system.is_error(state).is_some();
        if is_error && let Some(error) = self.error {
            return Ok(error);
        }
        let number = self.states.number(state);
        if number < self.builder.len() {
            return Ok(id(number));
        }
        if number == self.limit {
            return Err(ComposeError::TooLarge { limit: self.limit });
        }
        let new = self.builder.state();
        if is_error {
            self.builder.set_kind(new, StateKind::Error);
            self.error = Some(new);
        } else if self.system.is_valid_end(state) {
            self.builder.set_kind(new, StateKind::End);
        }
        Ok(new)
    }
}

fn id(number: usize) -> StateId {
    StateId(u32::try_from(number).expect("the builder has counted them"))
}
