//! What actions of a model have to do with.

use std::fmt::Debug;

use sweepline_core::Word;

use crate::{Encode, Model, pack};

/// A model that says what its actions read and write, so that orders of actions that have nothing to do with each other can be
/// left out.
///
/// Actions are of *kinds*, and a state has *parts*: both are types of your own. Whether an action of a kind can happen, and what it
/// does, may depend on the parts the kind reads and on nothing else; it may change the parts the kind writes and nothing else.
/// To declare too much is safe, and less is left out then. Too little is a mistake that may hide another one:
/// [`Footprint::look`] is there so that visited states can be searched for it.
///
/// ```
/// use sweepline_model::{Encode, Footprint, Look, Model, Next};
///
/// /// Philosophers around a table, who take the fork on their left first.
/// struct Table { seats: usize }
///
/// #[derive(Clone, Debug, PartialEq, Encode)]
/// struct State {
///     free: [bool; 4],
///     #[encode(range = 0..=2)]
///     forks: [u8; 4],
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// enum Action { Left(usize), Right(usize), Leave(usize) }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// enum Part { Fork(usize), Seat(usize) }
///
/// impl Model for Table {
///     type State = State;
///     type Action = Action;
///     fn initial(&self) -> Vec<State> { vec![State { free: [true; 4], forks: [0; 4] }] }
///     fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
///         for seat in 0..self.seats {
///             let right = (seat + 1) % self.seats;
///             match state.forks[seat] {
///                 0 if state.free[seat] => next.change(Action::Left(seat), |to| {
///                     to.free[seat] = false;
///                     to.forks[seat] = 1;
///                 }),
///                 1 if state.free[right] => next.change(Action::Right(seat), |to| {
///                     to.free[right] = false;
///                     to.forks[seat] = 2;
///                 }),
///                 2 => next.change(Action::Leave(seat), |to| {
///                     to.free[seat] = true;
///                     to.free[right] = true;
///                     to.forks[seat] = 0;
///                 }),
///                 _ => {}
///             }
///         }
///     }
/// }
///
/// impl Footprint for Table {
///     type Kind = Action; // they are few, so each is a kind of its own
///     type Part = Part;
///
///     fn kinds(&self) -> Vec<Action> {
///         let seats = 0..self.seats;
///         seats.flat_map(|it| [Action::Left(it), Action::Right(it), Action::Leave(it)]).collect()
///     }
///     fn kind(&self, action: &Action) -> Action { *action }
///
///     fn reads(&self, kind: &Action) -> Vec<Part> {
///         let right = |seat: usize| Part::Fork((seat + 1) % self.seats);
///         match *kind {
///             Action::Left(seat) => vec![Part::Seat(seat), Part::Fork(seat)],
///             Action::Right(seat) => vec![Part::Seat(seat), right(seat)],
///             Action::Leave(seat) => vec![Part::Seat(seat)],
///         }
///     }
///     fn writes(&self, kind: &Action) -> Vec<Part> {
///         let right = |seat: usize| Part::Fork((seat + 1) % self.seats);
///         match *kind {
///             Action::Left(seat) => vec![Part::Seat(seat), Part::Fork(seat)],
///             Action::Right(seat) => vec![Part::Seat(seat), right(seat)],
///             Action::Leave(seat) => vec![Part::Seat(seat), Part::Fork(seat), right(seat)],
///         }
///     }
///     fn never_fails(&self, _: &Action) -> bool { true }
///
///     fn look(&self, part: &Part, state: &State, look: &mut Look) {
///         match *part {
///             Part::Fork(fork) => look.at(&state.free[fork]),
///             Part::Seat(seat) => look.at(&state.forks[seat]),
///         }
///     }
/// }
/// ```
pub trait Footprint: Model {
    /// A kind of actions: who acts, and what is done. Often the action itself.
    type Kind: Ord + Clone + Debug + Send + Sync;

    /// A part of a state. All parts together are the whole state.
    type Part: Ord + Clone + Debug + Send + Sync;

    /// All kinds of actions there are.
    fn kinds(&self) -> Vec<Self::Kind>;

    /// The kind of an action.
    fn kind(&self, action: &Self::Action) -> Self::Kind;

    /// The parts that decide whether actions of a kind can happen, and what they do.
    fn reads(&self, kind: &Self::Kind) -> Vec<Self::Part>;

    /// The parts that actions of a kind may change.
    fn writes(&self, kind: &Self::Kind) -> Vec<Self::Part>;

    /// Whether no action of a kind ever [fails](crate::Next::fail), panics or leaves the range of a field. Unless you say so, whatever
    /// can lead to a failure is followed, and little is left out.
    fn never_fails(&self, kind: &Self::Kind) -> bool {
        let _ = kind;
        false
    }

    /// Looks at a part of a state: it is handed over with [`Look::at`], which may be called several times.
    fn look(&self, part: &Self::Part, state: &Self::State, look: &mut Look);
}

/// What a part of a state looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look {
    words: Vec<Word>,
}

impl Look {
    /// Something that belongs to the part.
    pub fn at<T: Encode>(&mut self, value: &T) {
        let before = self.words.len();
        self.words.push(0);
        if pack(value, &mut self.words).is_err() {
            // A value outside its range is in no state.
            self.words.truncate(before + 1);
        }
        // How long it is tells where the next one begins.
        self.words[before] = (self.words.len() - before) as Word;
    }

    /// What a model says of a part in a state.
    pub fn of<M: Footprint>(model: &M, part: &M::Part, state: &M::State) -> Self {
        let mut look = Self::default();
        model.look(part, state, &mut look);
        look
    }
}
