//! The product of a system and an automaton on infinite words, after [BK08, Def. 4.62].
//!
//! We differ in two points. The automaton reads a state when it is left, not when it is entered, so that it can ask which actions are
//! enabled there. And the definition excludes systems with terminal states; here the model stays there for ever.

use std::sync::Arc;

use sweepline_core::{
    ActionId, AnySystem, Describe, Fault, Key, KeyError, Layout, Observation, Progress, Steps,
    System, Word,
};

use super::{Letter, OmegaAutomaton, OmegaEdge, OmegaState};
use crate::place::Place;

/// What the atoms of an automaton are in a state.
pub trait Letters {
    /// The letter of a state with steps by these actions; an error says which atom has no value, and why.
    fn letter(
        &self,
        state: &[Word],
        actions: &[ActionId],
        deadlock: bool,
    ) -> Result<Letter, String>;
}

impl<L: Letters + ?Sized> Letters for Arc<L> {
    fn letter(
        &self,
        state: &[Word],
        actions: &[ActionId],
        deadlock: bool,
    ) -> Result<Letter, String> {
        (**self).letter(state, actions, deadlock)
    }
}

/// What is known of the states of an automaton.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// From which of them something can be accepted. Moves to others are left out of the product.
    pub live: Vec<bool>,
    /// The position of each one's component in topological order: a move never leads to a lower one.
    pub ranks: Vec<u32>,
}

/// A system that is watched by an automaton on infinite words.
///
/// - **What it changes.** A state is a state of the model and the state the automaton is in before it reads it, which lies in bits
///   that the model leaves free, or else in a word behind the model's. A step is a step of the model together with a move
///   of the automaton whose guard holds in the step's *source*; where the model has no step, it is a move alone, by
///   [an action of its own](STAY). For each move come all steps of the model, in their order.
/// - **What it preserves.** The infinite runs of the product are the runs of the automaton on those of the model, as far as
///   something can be accepted. Nothing else: a product state without steps means only that the automaton has no move, so
///   it is always [an end](System::is_end).
/// - **Under which conditions.** Any system. A progress measure of the model works on product states unchanged, since slots stay
///   where they are; [`OmegaProduct::measure`] puts the automaton's components into it.
/// - **Traces.** [`OmegaProduct::split`] gives the model's step and the automaton's move of every step.
///
/// An atom without a value is a fault of the state.
///
/// ```
/// # use std::sync::Arc;
/// # use sweepline_core::{ActionId, Describe, Layout, Steps, System, Word};
/// # struct Counter(Layout);
/// # impl System for Counter {
/// #     fn layout(&self) -> &Layout { &self.0 }
/// #     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
/// #     fn successors(&self, state: &[Word], out: &mut Steps) {
/// #         if state[0] < 2 { out.push(ActionId(0), &[state[0] + 1]); }
/// #     }
/// # }
/// # impl Describe for Counter { fn actions(&self) -> &[String] { &[] } }
/// # let counter = Counter(Layout::builder().integer("n", 0, 2).build());
/// use sweepline_logic::Pred;
/// use sweepline_logic::omega::{
///     Acceptance, Guard, Letter, Letters, OmegaAutomaton, OmegaEdge, OmegaProduct, OmegaState, Outlook, STAY,
/// };
///
/// /// The only atom holds where the counter has come to its end.
/// struct AtEnd;
/// impl Letters for AtEnd {
///     fn letter(&self, _: &[Word], _: &[ActionId], deadlock: bool) -> Result<Letter, String> { Ok(deadlock.into()) }
/// }
/// let go_on = OmegaEdge { guard: Guard::any(), target: OmegaState(0), marks: 1 };
/// let automaton = OmegaAutomaton {
///     atoms: vec![Pred::Deadlock],
///     initial: vec![OmegaState(0)],
///     edges: vec![vec![go_on]],
///     sets: 1,
///     acceptance: Acceptance::all(1),
/// };
/// let outlook = Outlook { live: vec![true], ranks: vec![0] };
/// let product = OmegaProduct::new(counter, Arc::new(automaton), AtEnd, outlook);
///
/// let mut steps = Steps::for_layout(product.layout());
/// product.successors(&[1], &mut steps);
/// product.successors(&[2], &mut steps);
/// assert_eq!(steps.words(), [2, 2]); // to the end, and there for ever
/// assert_eq!(steps.actions(), [ActionId(0), STAY]);
/// ```
#[derive(Debug)]
pub struct OmegaProduct<S, L> {
    inner: S,
    letters: L,
    automaton: Arc<OmegaAutomaton>,
    outlook: Outlook,
    layout: Layout,
    place: Place,
    initial: Vec<OmegaState>,
}

/// The action by which the model stays where it is, because it has no step. It has no name among those of the model.
pub const STAY: ActionId = ActionId(u32::MAX);

/// A step of the product, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Position of the model's step among those of its source; nothing where the model stays.
    pub ordinal: Option<usize>,
    /// Position of the automaton's move among those of its state.
    pub edge: usize,
}

impl<S: Describe, L: Letters> OmegaProduct<S, L> {
    /// Puts an automaton beside a system.
    pub fn new(inner: S, automaton: Arc<OmegaAutomaton>, letters: L, outlook: Outlook) -> Self {
        let names = (0..automaton.edges.len()).map(|state| format!("q{state}"));
        let layout = inner.layout().followed_by("automaton", names.collect());
        let live = |state: &&OmegaState| outlook.live[state.0 as usize];
        Self {
            place: Place::of(&layout, inner.layout()),
            initial: automaton.initial.iter().filter(live).copied().collect(),
            layout,
            inner,
            letters,
            automaton,
            outlook,
        }
    }
}

impl<S, L> OmegaProduct<S, L> {
    /// The watched system.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Lends the state of the model in a state of the product.
    #[inline]
    pub fn with_model<T>(&self, state: &[Word], work: impl FnOnce(&[Word]) -> T) -> T {
        self.place.with_model(state, work)
    }

    /// The state of the automaton in a state of the product.
    #[inline]
    pub fn automaton_state(&self, state: &[Word]) -> OmegaState {
        OmegaState(self.place.number(state))
    }

    /// A measure of the model with the automaton's components between its columns and its rows.
    ///
    /// A run never leads back to an earlier component, so they are columns; and every cycle lies in one of them.
    pub fn measure<P: Progress>(&self, inner: P) -> Ranked<P>
    where
        S: System,
    {
        let highest = self.outlook.ranks.iter().max().copied().unwrap_or(0);
        let mut ranked = Ranked {
            bits: u32::BITS - highest.leading_zeros(),
            ranks: self.outlook.ranks.clone().into(),
            place: self.place,
            least: (0, 0),
            inner,
        };
        let mut initial = Steps::for_layout(self.inner.layout());
        self.inner.initial(&mut initial);
        if !initial.is_empty()
            && let Ok(key) = ranked.inner.key(initial.target(0))
        {
            ranked.least = ranked.window(key);
        }
        ranked
    }

    /// The moves of the automaton that read this letter, and from which something can be accepted.
    fn moves(&self, from: u32, letter: Letter) -> impl Iterator<Item = (usize, &OmegaEdge)> {
        let moves = self.automaton.edges[from as usize].iter().enumerate();
        moves.filter(move |(_, edge)| {
            self.outlook.live[edge.target.0 as usize] && edge.guard.contains(letter)
        })
    }
}

impl<S: System, L: Letters> OmegaProduct<S, L> {
    /// What the automaton reads of a state of the model with these steps.
    fn letter(&self, model: &[Word], actions: &[ActionId]) -> Result<Letter, Fault> {
        let deadlock = actions.is_empty() && !self.inner.is_end(model);
        let letter = self.letters.letter(model, actions, deadlock);
        letter.map_err(|message| Fault::Model {
            action: actions.first().copied().unwrap_or(ActionId(0)),
            message,
        })
    }

    /// The initial state of the model and the one of the automaton that an initial state of the product is made of.
    pub fn split_initial(&self, ordinal: usize) -> Option<(usize, OmegaState)> {
        let count = self.initial.len();
        let state = self.initial.get(ordinal.checked_rem(count)?)?;
        Some((ordinal / count, *state))
    }

    /// The model's step and the automaton's move of a step from a state of the product.
    pub fn split(&self, source: &[Word], ordinal: usize) -> Option<Part> {
        self.place.with_model(source, |model| {
            let mut steps = Steps::for_layout(self.inner.layout());
            self.inner.successors(model, &mut steps);
            let letter = self.letter(model, steps.actions()).ok()?;
            let each = steps.len().max(1);
            let mut moves = self.moves(self.place.number(source), letter);
            let (edge, _) = moves.nth(ordinal / each)?;
            Some(Part {
                ordinal: (!steps.is_empty()).then_some(ordinal % each),
                edge,
            })
        })
    }

    /// Adds the steps of a state whose model's steps are in the batch from `first` on already.
    fn pair_here(&self, model: &[Word], from: u32, first: usize, out: &mut Steps) {
        let count = out.len() - first;
        let letter = match self.letter(model, &out.actions()[first..]) {
            Ok(letter) => letter,
            Err(fault) => return out.fail(fault),
        };
        let mut moves = self.moves(from, letter);
        let Some((_, only)) = moves.next() else {
            return out.truncate(first);
        };
        if count == 0 {
            self.place.push(STAY, model, only.target.0, out);
            for (_, other) in moves {
                self.place.push(STAY, model, other.target.0, out);
            }
            return;
        }
        let mut others = moves.peekable();
        let copy = others.peek().is_some().then(|| {
            let words = &out.words()[first * model.len()..];
            (words.to_vec(), out.actions()[first..].to_vec())
        });
        self.place.set_from(out, first, only.target.0);
        if let Some((words, actions)) = copy {
            for (_, other) in others {
                let start = out.len();
                out.push_many(count, |to_words, to_actions| {
                    to_words.copy_from_slice(&words);
                    to_actions.copy_from_slice(&actions);
                    count
                });
                self.place.set_from(out, start, other.target.0);
            }
        }
    }

    /// Adds the steps of a state whose model's steps are in another batch.
    fn pair(&self, model: &[Word], from: u32, steps: &Steps, out: &mut Steps) {
        let letter = match self.letter(model, steps.actions()) {
            Ok(letter) => letter,
            Err(fault) => return out.fail(fault),
        };
        for (_, step) in self.moves(from, letter) {
            if steps.is_empty() {
                self.place.push(STAY, model, step.target.0, out);
            }
            for (index, &action) in steps.actions().iter().enumerate() {
                self.place
                    .push(action, steps.target(index), step.target.0, out);
            }
        }
    }
}

impl<S: System, L: Letters> System for OmegaProduct<S, L> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        out.by_way_of(self.inner.layout(), |steps, out| {
            self.inner.initial(steps);
            for (index, &action) in steps.actions().iter().enumerate() {
                for state in &self.initial {
                    self.place.push(action, steps.target(index), state.0, out);
                }
            }
        });
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let from = self.place.number(state);
        self.place.with_model(state, |model| match self.place {
            Place::Within(_) => {
                let first = out.len();
                self.inner.successors(model, out);
                if out.fault().is_none() {
                    self.pair_here(model, from, first, out);
                }
            }
            Place::Behind => out.by_way_of(self.inner.layout(), |steps, out| {
                self.inner.successors(model, steps);
                if steps.fault().is_none() {
                    self.pair(model, from, steps, out);
                }
            }),
        });
    }

    fn is_end(&self, _: &[Word]) -> bool {
        true
    }
}

impl<S: Describe, L: Letters> Describe for OmegaProduct<S, L> {
    fn actions(&self) -> &[String] {
        self.inner.actions()
    }

    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        let part = self.split(source, ordinal).and_then(|part| part.ordinal);
        match part {
            Some(inner) => self
                .place
                .with_model(source, |model| self.inner.step_name(model, inner, action)),
            None => "(stays)".into(),
        }
    }

    fn observe(&self, name: &str) -> Option<Result<Observation, String>> {
        self.inner.observe(name)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut shown = self.place.with_model(state, |model| self.inner.show(model));
        let automaton = self.automaton_state(state);
        shown.push(("automaton".into(), format!("q{}", automaton.0)));
        shown
    }
}

/// A wider model is put beside the automaton again by whoever made the product.
impl<S: Describe + Send + Sync, L: Letters + Send + Sync> AnySystem for OmegaProduct<S, L> {}

/// A measure of the model with the automaton's components: columns, then the component, then rows.
///
/// The component comes after the model's columns: in front of them, everything that waits for the next component would pile up.
#[derive(Clone, Debug)]
pub struct Ranked<P> {
    inner: P,
    ranks: Arc<[u32]>,
    /// How many bits a component takes.
    bits: u32,
    place: Place,
    /// The column and the row that become zero. A measure whose ranges are not known has the middle of a key for its zero, and
    /// with the component beside it there is only room for what lies near the initial state.
    least: (u128, u128),
}

impl<P: Progress> Ranked<P> {
    /// The least column and row of which there is room, if this key is to be in the middle.
    fn window(&self, key: Key) -> (u128, u128) {
        let (inner, rows) = (self.inner.row_bits(), self.rows());
        let columns = u128::BITS - rows - self.bits;
        let half = |bits: u32| bits.checked_sub(1).map_or(0, |bits| 1_u128 << bits);
        let row = if inner > rows { key.row(inner) } else { 0 };
        let column = key.column(inner);
        (
            column.saturating_sub(half(columns)),
            row.saturating_sub(half(rows)),
        )
    }

    /// How many bits of a key are rows: as many as the measure has, unless there is no room for the component then.
    fn rows(&self) -> u32 {
        self.inner.row_bits().min(u128::BITS - self.bits)
    }

    /// The key of a state of the product whose model has this key.
    fn ranked(&self, key: Key, state: &[Word]) -> Result<Key, KeyError> {
        let (inner, rows) = (self.inner.row_bits(), self.rows());
        let rank = u128::from(self.ranks[self.place.number(state) as usize]);
        let room = u128::BITS - rows;
        let within = |value: u128, least: u128, bits: u32| {
            let above = value.checked_sub(least)?;
            (above.checked_shr(bits).unwrap_or(0) == 0).then_some(above)
        };
        let column = within(key.column(inner), self.least.0, room - self.bits);
        let row = within(key.row(inner), self.least.1, rows);
        let (Some(column), Some(row)) = (column, row) else {
            return Err(KeyError::TooLarge {
                measure: "a measure with the components of an automaton".into(),
                value: self.inner.explain(key),
            });
        };
        let column = column.checked_shl(self.bits).unwrap_or(0) | rank;
        Ok(Key::new(column, row, rows))
    }

    /// The key of the model in a key.
    fn inner_key(&self, key: Key) -> Key {
        let rows = self.rows();
        let column = key.column(rows).checked_shr(self.bits).unwrap_or(0);
        let (column, row) = (column + self.least.0, key.row(rows) + self.least.1);
        Key::new(column, row, self.inner.row_bits())
    }
}

impl<P: Progress> Progress for Ranked<P> {
    fn row_bits(&self) -> u32 {
        self.rows()
    }

    #[inline]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        self.ranked(self.inner.key(state)?, state)
    }

    #[inline]
    fn step_key(&self, source: Key, action: ActionId, target: &[Word]) -> Result<Key, KeyError> {
        let inner = self.inner_key(source);
        let key = if action == STAY {
            inner
        } else {
            self.inner.step_key(inner, action, target)?
        };
        self.ranked(key, target)
    }

    fn explain(&self, key: Key) -> String {
        self.inner.explain(self.inner_key(key))
    }
}

#[cfg(test)]
mod tests;
