//! The product of a system and a safety automaton, after [BK08, p. 162], which is also Definition 3.3 of the thesis
//! on model checking with the sweep-line method.
//!
//! We differ in one point: the definition excludes systems with terminal states, which we allow. Bad prefixes are
//! finite, so nothing has to go on for ever.

use std::sync::Arc;

use sweepline_core::{
    ActionId, AnySystem, Describe, Fault, Layout, Observation, Steps, System, Trace, Word,
};

use crate::place::{Place, projected};
use crate::{
    AutomatonError, AutomatonState, Definition, Enabled, Errors, Predicate, ResolveError,
    SafetyAutomaton, Scope,
};

/// A system that is watched by a safety automaton.
///
/// - **What it changes.** A state is a state of the model and the state of the automaton, which lies in bits that the model
///   leaves free, or else in a word behind the model's. A step is a
///   step of the model together with a move of the automaton whose guard holds in the step's *target*; the initial
///   states are those the automaton can be in after reading an initial state of the model. Steps keep the model's
///   order; several moves for the same step come in the order of the automaton's edges, and lead to different states.
/// - **What it preserves.** A bad prefix of the model is a path of the product to an [accepting](Product::accepting)
///   state and the other way round. No step leaves a product state if the automaton has no move, although the model
///   may go on; such a state is [an end](System::is_end) and no deadlock, so every deadlock of the product is one of the
///   model. Reachability, invariants and deadlocks of the model are all there only if the automaton can always move.
/// - **Under which conditions.** Any system. A progress measure, a predicate or a key of the model works on product
///   states unchanged, since slots stay where they are, and a column that never decreases in the model never
///   decreases in the product. Guards may not ask for enabled actions.
/// - **Traces.** [Projecting](Product::project) each state gives the trace of the model; the actions are the same, and
///   [`inner_ordinal`](Product::inner_ordinal) gives a step's position among the model's steps.
///
/// A guard without a value (overflow, division by zero) is a fault of the step it was to read.
///
/// ```
/// # use sweepline_core::{ActionId, Describe, Layout, Word};
/// # struct Counter(Layout);
/// # impl System for Counter {
/// #     fn layout(&self) -> &Layout { &self.0 }
/// #     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
/// #     fn successors(&self, state: &[Word], out: &mut Steps) { out.push(ActionId(0), &[(state[0] + 1) % 4]); }
/// # }
/// # impl Describe for Counter { fn actions(&self) -> &[String] { &[] } }
/// # let counter = Counter(Layout::builder().integer("n", 0, 3).build());
/// use sweepline_core::{Steps, System};
/// use sweepline_logic::{AutomatonEdge, Pred, Product, SafetyAutomaton, Source, parse_pred};
///
/// // `n` reaches 1 at some time: wait, and then accept.
/// let text = Source::from("n == 1");
/// let mut automaton = SafetyAutomaton::new(text.clone());
/// let (wait, bad) = (automaton.add_state("wait"), automaton.add_state("bad"));
/// automaton.add_initial(wait);
/// automaton.add_accepting(bad);
/// let edge = |guard, target| AutomatonEdge { source: wait, guard, span: text.range(), target };
/// automaton.add_edge(edge(Pred::Constant(true), wait));
/// automaton.add_edge(edge(parse_pred(&text).unwrap(), bad));
///
/// let product = Product::new(&counter, &automaton, &[]).unwrap();
/// let mut steps = Steps::for_layout(product.layout());
/// product.successors(&[0], &mut steps);
/// for (ordinal, state) in [wait, bad].into_iter().enumerate() {
///     assert_eq!(*product.project(steps.target(ordinal)), [1]);
///     assert_eq!(product.automaton_state(steps.target(ordinal)), state);
/// }
/// assert!(!product.accepting(steps.target(0)) && product.accepting(steps.target(1)));
/// ```
#[derive(Debug)]
pub struct Product<S> {
    inner: S,
    layout: Layout,
    states: Vec<String>,
    initial: Vec<AutomatonState>,
    acceptor: Acceptor,
    /// The moves of each state of the automaton, one per target.
    moves: Vec<Vec<Move>>,
    place: Place,
    /// Asked by no guard.
    enabled: Enabled,
}

#[derive(Clone, Debug)]
struct Move {
    guard: Predicate,
    /// Whether the guard always holds.
    always: bool,
    target: AutomatonState,
}

/// Tells the states of a [`Product`] in which the automaton accepts.
#[derive(Clone, Debug)]
pub struct Acceptor {
    place: Place,
    /// By state of the automaton.
    accepting: Arc<[bool]>,
}

impl Acceptor {
    /// Whether the automaton accepts in this state of the product.
    #[inline]
    pub fn accepts(&self, state: &[Word]) -> bool {
        self.accepting[self.place.number(state) as usize]
    }
}

impl<S: Describe> Product<S> {
    /// Puts an automaton beside a system. Names in its guards are the propositions that are defined here, or slots.
    pub fn new(
        inner: S,
        automaton: &SafetyAutomaton,
        definitions: &[Definition],
    ) -> Result<Self, Errors<AutomatonError>> {
        let moves = {
            let scope = Scope::of(&inner).with(definitions).map_err(unresolved)?;
            moves(automaton, &scope)?
        };
        check_states(automaton)?;
        let mut accepting = vec![false; automaton.states().len()];
        for state in automaton.accepting() {
            accepting[state.0 as usize] = true;
        }
        let states = automaton.states().to_vec();
        let layout = inner.layout().followed_by("automaton", states);
        let place = Place::of(&layout, inner.layout());
        Ok(Self {
            place,
            acceptor: Acceptor {
                place,
                accepting: accepting.into(),
            },
            layout,
            enabled: Enabled::default(),
            inner,
            states: automaton.states().to_vec(),
            initial: automaton.initial().to_vec(),
            moves,
        })
    }
}

impl<S> Product<S> {
    /// The watched system.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// The state of the model in a state of the product.
    pub fn project(&self, state: &[Word]) -> Box<[Word]> {
        self.with_model(state, |model| model.into())
    }

    /// A path of the product with the states of the model. It is none of the model before it has been replayed there.
    pub fn project_trace(&self, trace: &Trace) -> Trace {
        projected(trace, self.place)
    }

    /// Lends the state of the model in a state of the product.
    #[inline]
    fn with_model<T>(&self, state: &[Word], work: impl FnOnce(&[Word]) -> T) -> T {
        self.place.with_model(state, work)
    }

    /// The state of the automaton in a state of the product.
    #[inline]
    pub fn automaton_state(&self, state: &[Word]) -> AutomatonState {
        AutomatonState(self.place.number(state))
    }

    /// Whether what must not happen has happened.
    #[inline]
    pub fn accepting(&self, state: &[Word]) -> bool {
        self.acceptor.accepts(state)
    }

    /// What tells the accepting states, without the rest.
    pub fn acceptor(&self) -> &Acceptor {
        &self.acceptor
    }

    /// Whether the automaton accepts what it reads, told without the product: it is followed through all its states at once.
    pub fn accepts<'a>(&self, read: impl Iterator<Item = &'a [Word]>) -> bool {
        let mut reached = self.initial.clone();
        for state in read {
            let holds = |guard: &Predicate| guard.eval(state, &Enabled::default()) == Ok(true);
            let moves = reached.iter().flat_map(|from| &self.moves[from.0 as usize]);
            let mut next: Vec<_> = moves
                .filter(|step| holds(&step.guard))
                .map(|step| step.target)
                .collect();
            next.sort_unstable();
            next.dedup();
            reached = next;
        }
        let accepting = &self.acceptor.accepting;
        reached.iter().any(|state| accepting[state.0 as usize])
    }

    fn name(&self, state: AutomatonState) -> &str {
        &self.states[state.0 as usize]
    }

    /// Adds a step for every move the automaton has when it reads `target`.
    #[inline]
    fn pair(&self, from: AutomatonState, action: ActionId, target: &[Word], out: &mut Steps) {
        for step in &self.moves[from.0 as usize] {
            match step.guard.eval(target, &self.enabled) {
                Ok(true) => self.push(action, target, step.target, out),
                Ok(false) => {}
                Err(error) => out.fail(Fault::Model {
                    action,
                    message: format!("a guard of the automaton has no value: {error}"),
                }),
            }
        }
    }
}

impl<S> Product<S> {
    /// Adds a step to a state of the model and one of the automaton.
    #[inline]
    fn push(&self, action: ActionId, model: &[Word], to: AutomatonState, out: &mut Steps) {
        self.place.push(action, model, to.0, out);
    }

    /// Where the automaton goes whatever it reads, if it has one such move and no other.
    #[inline]
    fn only_move(&self, from: AutomatonState) -> Option<AutomatonState> {
        match &self.moves[from.0 as usize][..] {
            [only] if only.always => Some(only.target),
            _ => None,
        }
    }
}

impl<S: System> Product<S> {
    /// The position of a step among the model's steps, given its position among the product's.
    pub fn inner_ordinal(&self, source: &[Word], ordinal: usize) -> Option<usize> {
        let automaton = self.automaton_state(source);
        let steps = self.inner_steps(source);
        let mut paired = Steps::for_layout(&self.layout);
        (0..steps.len()).find(|&index| {
            let action = steps.actions()[index];
            self.pair(automaton, action, steps.target(index), &mut paired);
            paired.len() > ordinal
        })
    }

    /// The model's steps from a state of the product.
    fn inner_steps(&self, state: &[Word]) -> Steps {
        let mut steps = Steps::for_layout(self.inner.layout());
        self.with_model(state, |model| self.inner.successors(model, &mut steps));
        steps
    }
}

impl<S: System> System for Product<S> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        out.by_way_of(self.inner.layout(), |steps, out| {
            self.inner.initial(steps);
            for (index, &action) in steps.actions().iter().enumerate() {
                let mut paired = Steps::for_layout(&self.layout);
                for &from in &self.initial {
                    self.pair(from, action, steps.target(index), &mut paired);
                }
                append_distinct(&paired, out);
            }
        });
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let from = self.automaton_state(state);
        let inner = self.inner.layout();
        self.with_model(state, |model| {
            match (self.only_move(from), self.place, inner.width()) {
                // Where something is wrong with the steps, what they have in spare bits means nothing.
                (Some(to), Place::Within(_), _) => {
                    let first = out.len();
                    self.inner.successors(model, out);
                    if out.fault().is_none() {
                        self.place.set_from(out, first, to.0);
                    }
                }
                (Some(to), Place::Behind, Some(width)) => out.by_way_of(inner, |steps, out| {
                    self.inner.successors(model, steps);
                    append_word(steps, width, to.0.into(), out);
                }),
                _ => out.by_way_of(inner, |steps, out| {
                    self.inner.successors(model, steps);
                    if steps.fault().is_some() {
                        return;
                    }
                    for (index, &action) in steps.actions().iter().enumerate() {
                        self.pair(from, action, steps.target(index), out);
                    }
                }),
            }
        });
    }

    /// A deadlock is one of the model: where only the automaton has no move, nothing is stuck.
    fn is_end(&self, state: &[Word]) -> bool {
        self.with_model(state, |model| self.inner.is_end(model))
            || !self.inner_steps(state).is_empty()
    }
}

impl<S: Describe> Describe for Product<S> {
    fn actions(&self) -> &[String] {
        self.inner.actions()
    }

    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        let inner = self.inner_ordinal(source, ordinal).unwrap_or(ordinal);
        self.with_model(source, |model| self.inner.step_name(model, inner, action))
    }

    fn is_internal(&self, action: ActionId) -> bool {
        self.inner.is_internal(action)
    }

    fn observe(&self, name: &str) -> Option<Result<Observation, String>> {
        self.inner.observe(name)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut shown = self.with_model(state, |model| self.inner.show(model));
        let automaton = self.name(self.automaton_state(state));
        shown.push(("automaton".into(), automaton.into()));
        shown
    }
}

/// A wider model is put beside the automaton again by whoever made the product.
impl<S: Describe + Send + Sync> AnySystem for Product<S> {}

/// Adds the model's steps, each with a further word.
#[inline]
fn append_word(steps: &Steps, width: usize, word: Word, out: &mut Steps) {
    out.push_many(steps.len(), |words, actions| {
        actions.copy_from_slice(steps.actions());
        let targets = words.chunks_exact_mut(width + 1);
        for (target, model) in targets.zip(steps.words().chunks_exact(width)) {
            // Words are few; calling something that copies takes longer.
            for (to, from) in target.iter_mut().zip(model) {
                *to = *from;
            }
            target[width] = word;
        }
        steps.len()
    });
}

/// Two initial states of the automaton may lead to the same one.
fn append_distinct(paired: &Steps, out: &mut Steps) {
    for (index, &action) in paired.actions().iter().enumerate() {
        let target = paired.target(index);
        if (0..index).all(|before| paired.target(before) != target) {
            out.push(action, target);
        }
    }
    if let Some(fault) = paired.fault() {
        out.fail(fault.clone());
    }
}

fn moves(
    automaton: &SafetyAutomaton,
    scope: &Scope<'_>,
) -> Result<Vec<Vec<Move>>, Errors<AutomatonError>> {
    let mut errors = Vec::new();
    let mut moves: Vec<Vec<Move>> = vec![Vec::new(); automaton.states().len()];
    for edge in automaton.edges() {
        match Predicate::resolve(&edge.guard, scope, automaton.text()) {
            Ok(guard) if guard.needs_enabled() => {
                errors.push(AutomatonError::Resolve(ResolveError::EnabledInGuard {
                    text: automaton.text().named(),
                    at: automaton.text().label(&edge.span),
                }));
            }
            Ok(guard) => add_move(&mut moves[edge.source.0 as usize], guard, edge.target),
            Err(error) => errors.extend(unresolved(error).into_vec()),
        }
    }
    Errors::unless_none(moves, errors)
}

/// Edges to the same target become one move, so that no step occurs twice.
fn add_move(moves: &mut Vec<Move>, guard: Predicate, target: AutomatonState) {
    let other = moves.iter().position(|other| other.target == target);
    let guard = match other {
        Some(other) => moves[other].guard.clone().or(guard),
        None => guard,
    };
    let step = Move {
        always: guard.constant() == Some(true),
        guard,
        target,
    };
    match other {
        Some(other) => moves[other] = step,
        None => moves.push(step),
    }
}

fn check_states(automaton: &SafetyAutomaton) -> Result<(), Errors<AutomatonError>> {
    if automaton.initial().is_empty() {
        return Err(AutomatonError::NoInitialState.into());
    }
    let both = automaton
        .initial()
        .iter()
        .filter(|state| automaton.accepting().contains(state));
    let errors = both.map(|state| AutomatonError::InitialAndAccepting {
        state: automaton.states()[state.0 as usize].clone(),
    });
    Errors::unless_none((), errors.collect())
}

fn unresolved(errors: Errors<ResolveError>) -> Errors<AutomatonError> {
    let errors = errors.into_vec().into_iter().map(AutomatonError::from);
    Errors::unless_none((), errors.collect()).expect_err("there are errors to pass on")
}

#[cfg(test)]
mod tests;
