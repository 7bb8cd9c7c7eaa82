//! What a model is.

use std::any::Any;
use std::fmt::Debug;
use std::panic::{self, AssertUnwindSafe};

use sweepline_core::{ActionId, Fault, Steps, Word};

use crate::encode::pack_change;
use crate::tally::Header;
use crate::{Encode, EncodeError, Source, pack};

/// A model with typed states and actions.
///
/// Deterministic: asked again, it gives the same states and steps in the same order. So keep no counter and no random
/// number inside, and iterate over collections with an order.
///
/// ```
/// use sweepline_model::{Encode, Model, Next};
///
/// /// Two jugs, a tap and a sink.
/// struct Jugs { sizes: [u8; 2] }
///
/// #[derive(Clone, Debug, PartialEq, Encode)]
/// struct Litres {
///     #[encode(range = 0..=5)]
///     jugs: [u8; 2],
/// }
///
/// #[derive(Debug)]
/// enum Action { Fill(usize), Empty(usize), Pour { from: usize, to: usize } }
///
/// impl Model for Jugs {
///     type State = Litres;
///     type Action = Action;
///
///     fn initial(&self) -> Vec<Litres> {
///         vec![Litres { jugs: [0, 0] }]
///     }
///
///     fn steps(&self, state: &Litres, next: &mut Next<'_, Self>) {
///         for (one, other) in [(0, 1), (1, 0)] {
///             next.change(Action::Fill(one), |to| to.jugs[one] = self.sizes[one]);
///             next.change(Action::Empty(one), |to| to.jugs[one] = 0);
///             let poured = state.jugs[one].min(self.sizes[other] - state.jugs[other]);
///             next.change(Action::Pour { from: one, to: other }, |to| {
///                 to.jugs[one] -= poured;
///                 to.jugs[other] += poured;
///             });
///         }
///     }
/// }
/// ```
pub trait Model: Send + Sync {
    /// A state of the model: everything its future depends on, and nothing else.
    type State: Encode + Send;

    /// What can happen, as it is shown in a trace.
    type Action: Debug;

    /// The states the model can start in.
    fn initial(&self) -> Vec<Self::State>;

    /// Hands every step that leaves `state` to `next`. A state that has none is a deadlock unless it is an
    /// [end](Model::is_end).
    fn steps(&self, state: &Self::State, next: &mut Next<'_, Self>);

    /// Whether a state without steps is a proper end and no deadlock; it is asked about such states only. No state is
    /// unless you say otherwise.
    fn is_end(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// How an action is shown; as `Debug` says unless you say otherwise.
    fn show_action(&self, action: &Self::Action) -> String {
        format!("{action:?}")
    }
}

/// Takes the steps that leave a state.
///
/// Targets are written to where the checker wants them at once; nothing is allocated per step for states of fixed size.
pub struct Next<'a, M: Model + ?Sized> {
    model: &'a M,
    source: Source<'a, M::State>,
    /// Numbers that come before the words of a target.
    header: &'a Header,
    steps: &'a mut Steps,
    /// How many steps there were before those of this state.
    before: usize,
    /// Memory for the target of the next change, where making one from nothing would cost memory.
    spare: Option<Box<M::State>>,
    /// Whether the spare state is a copy of the source.
    spare_is_copy: bool,
    /// Is told the actions of steps.
    told: Option<&'a mut Told<'a, M>>,
}

/// Is told which action a step has, by the step's position.
pub(crate) type Told<'a, M> = dyn FnMut(usize, <M as Model>::Action) + 'a;

impl<'a, M: Model + ?Sized> Next<'a, M> {
    #[inline]
    pub(crate) fn new(
        model: &'a M,
        source: Source<'a, M::State>,
        header: &'a Header,
        steps: &'a mut Steps,
    ) -> Self {
        let before = steps.len();
        Self {
            model,
            source,
            header,
            steps,
            before,
            spare: None,
            spare_is_copy: false,
            told: None,
        }
    }

    /// Lends a state, whatever it is, for the targets of changes. [`Next::into_spare`] gives it back.
    #[inline]
    pub(crate) fn with_spare(self, spare: Option<Box<M::State>>) -> Self {
        Self { spare, ..self }
    }

    /// Tells somebody the actions of steps, if anybody wants to know.
    #[inline]
    pub(crate) fn telling<'t: 'a>(self, told: Option<&'a mut Told<'t, M>>) -> Self {
        let told = told.map(|told| told as &'a mut Told<'a, M>);
        Self { told, ..self }
    }

    #[inline]
    pub(crate) fn into_spare(self) -> Option<Box<M::State>> {
        self.spare
    }

    /// Tells the actions of all steps of a state, in their order.
    pub(crate) fn tell_actions(
        model: &'a M,
        source: Source<'a, M::State>,
        header: &'a Header,
        scratch: &'a mut Steps,
        told: &'a mut Told<'a, M>,
    ) {
        let mut next = Self {
            told: Some(told),
            ..Self::new(model, source, header, scratch)
        };
        next.take_steps(); // a panic comes behind the actions before it
    }

    /// Asks the model for the steps of the state. A model that panics is wrong, and the way here tells how.
    #[inline]
    pub(crate) fn take_steps(&mut self) {
        let (model, state) = (self.model, self.source.state);
        let taken = panic::catch_unwind(AssertUnwindSafe(|| model.steps(state, self)));
        if let Err(payload) = taken {
            let message = format!("the model panicked: {}", message_of(&*payload));
            let action = self.next_id();
            self.steps.fail(Fault::Model { action, message });
        }
    }

    /// A step to `target`.
    #[inline]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a model hands its values over; references would only add noise to it"
    )]
    pub fn step(&mut self, action: M::Action, target: M::State) {
        self.add(action, &target);
    }

    #[inline]
    fn add(&mut self, action: M::Action, target: &M::State) {
        let header = self.header;
        self.add_with(action, |words| {
            if M::State::BITS.is_none() {
                header.write(target, words);
            }
            pack(target, words)
        });
    }

    #[inline]
    fn add_with(
        &mut self,
        action: M::Action,
        write: impl FnOnce(&mut Vec<Word>) -> Result<(), EncodeError>,
    ) {
        let id = self.next_id();
        match self.steps.try_push_with(id, write) {
            Ok(()) if self.told.is_none() => {}
            Ok(()) => self.note(action),
            Err(misfit) => self.refuse(&action, &misfit),
        }
    }

    /// A step to what `change` makes of a copy of the state.
    #[inline]
    pub fn change(&mut self, action: M::Action, change: impl FnOnce(&mut M::State)) {
        if M::State::BITS.is_some() {
            let mut target = self.source.state.clone();
            change(&mut target);
            return self.add(action, &target);
        }
        let (source, header) = (self.source, self.header);
        let mut target = match self.spare.take() {
            None => Box::new(source.state.clone()),
            Some(mut spare) => {
                if !self.spare_is_copy {
                    M::State::assign(&mut spare, source.state);
                }
                spare
            }
        };
        change(&mut target);
        let mut written = false;
        self.add_with(action, |words| {
            header.write(&*target, words);
            pack_change(&mut *target, source, words)?;
            written = true;
            Ok(())
        });
        self.spare = Some(target);
        self.spare_is_copy = written;
    }

    /// Reports that `action` can happen here but must not: the model itself is wrong, as when an assertion fails.
    ///
    /// The checker stops and shows the way here, together with the message.
    #[cold]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a model hands its values over; references would only add noise to it"
    )]
    pub fn fail(&mut self, action: M::Action, message: impl AsRef<str>) {
        let message = format!("{}: {}", self.model.show_action(&action), message.as_ref());
        let action = self.next_id();
        self.steps.fail(Fault::Model { action, message });
    }

    /// Actions have names only in context, so their ids just count the steps of a state.
    #[inline]
    fn next_id(&self) -> ActionId {
        let ordinal = self.steps.len() - self.before;
        ActionId(u32::try_from(ordinal).expect("a state has fewer than 2^32 steps"))
    }

    #[cold]
    fn note(&mut self, action: M::Action) {
        let last = self.steps.len() - self.before - 1;
        if let Some(told) = &mut self.told {
            told(last, action);
        }
    }

    #[cold]
    fn refuse(&mut self, action: &M::Action, misfit: &EncodeError) {
        let message = format!("{}: {misfit}", self.model.show_action(action));
        let action = self.next_id();
        self.steps.fail(Fault::Model { action, message });
    }
}

/// What a panic said.
pub(crate) fn message_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it did not say why")
}
