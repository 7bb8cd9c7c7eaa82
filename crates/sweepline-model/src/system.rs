//! Typed models as systems.

use std::panic::{self, AssertUnwindSafe};

use sweepline_core::{ActionId, AnySystem, Describe, Fault, Layout, Steps, System, Word};

use crate::encode::{pack, unpack, unpack_into};
use crate::model::message_of;
use crate::scratch::{Pool, Scratch};
use crate::{Encode, Fields, Model, Next, Parts, Source};

/// Lets every engine explore a [`Model`].
///
/// A state is decoded once when it is expanded, and each of its successors is encoded once.
///
/// ```
/// use sweepline_core::{Describe, Steps, System};
/// use sweepline_model::ModelSystem;
/// use sweepline_model::zoo::go_back_n::GoBackN;
///
/// let system = ModelSystem::new(GoBackN::<2> { messages: 3, window: 2 });
/// let mut steps = Steps::for_layout(system.layout());
/// system.initial(&mut steps);
/// let initial = steps.target(0).to_vec();
/// steps.clear();
/// system.successors(&initial, &mut steps);
/// assert_eq!(system.step_name(&initial, 0, steps.actions()[0]), "Send");
/// assert_eq!(system.decode(steps.target(0)).data.front(), Some(&0));
/// ```
#[derive(Clone, Debug)]
pub struct ModelSystem<M: Model> {
    model: M,
    layout: Layout,
    /// States that are decoded anew for each expansion, if their size differs.
    pool: Pool<M::State>,
}

impl<M: Model> ModelSystem<M> {
    /// Wraps a model.
    pub fn new(model: M) -> Self {
        Self {
            model,
            layout: Fields::layout::<M::State>(),
            pool: Pool::default(),
        }
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The state these words stand for.
    #[inline]
    pub fn decode(&self, state: &[Word]) -> M::State {
        unpack(state)
    }

    /// The action of a step, if the state has so many.
    pub fn action(&self, source: &[Word], ordinal: usize) -> Option<M::Action> {
        let mut found = None;
        self.tell_actions(source, &mut |at, action| {
            if at == ordinal {
                found = Some(action);
            }
        });
        found
    }

    /// The actions of all steps of a state, in their order.
    pub fn actions_of(&self, source: &[Word]) -> Vec<M::Action> {
        let mut actions = Vec::new();
        self.tell_actions(source, &mut |_, action| actions.push(action));
        actions
    }

    fn tell_actions<'t>(&'t self, source: &'t [Word], told: &'t mut dyn FnMut(usize, M::Action)) {
        let mut scratch = Steps::for_layout(&self.layout);
        let mut state = self.decode(source);
        let mut parts = Parts::new();
        if M::State::BITS.is_none() {
            unpack_into(&mut state, &mut parts, source);
        }
        let known = Source::new(&state, source, &parts);
        Next::tell_actions(&self.model, known, &mut scratch, told);
    }

    /// Expands a state in the memory of one that was expanded before.
    #[inline]
    fn successors_of_variable(&self, state: &[Word], out: &mut Steps) {
        let left = self.pool.take();
        let mut scratch = left.unwrap_or_else(|| Box::new(Scratch::new(self.decode(state))));
        let Scratch {
            source,
            parts,
            spare,
        } = &mut *scratch;
        unpack_into(source, parts, state);
        let known = Source::new(source, state, parts);
        let mut next = Next::new(&self.model, known, out).with_spare(spare.take());
        next.take_steps();
        *spare = next.into_spare();
        self.pool.put(scratch);
    }
}

impl<M: Model> System for ModelSystem<M> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        let action = ActionId(0);
        let mut fail = |message: String| out.fail(Fault::Model { action, message });
        let states = match panic::catch_unwind(AssertUnwindSafe(|| self.model.initial())) {
            Ok(states) if states.is_empty() => {
                return fail("the model has no initial state".into());
            }
            Ok(states) => states,
            Err(payload) => {
                let why = message_of(&*payload);
                return fail(format!("the model panicked: {why}"));
            }
        };
        for state in states {
            if let Err(misfit) = out.try_push_with(action, |words| pack(&state, words)) {
                let message = format!("initial state: {misfit}");
                out.fail(Fault::Model { action, message });
            }
        }
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        if M::State::BITS.is_none() {
            return self.successors_of_variable(state, out);
        }
        let (source, parts) = (self.decode(state), Parts::new());
        let known = Source::new(&source, state, &parts);
        let mut next = Next::new(&self.model, known, out);
        next.take_steps();
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.model.is_end(&self.decode(state))
    }
}

/// The size of a field is part of its type.
impl<M: Model> AnySystem for ModelSystem<M> {}

impl<M: Model> Describe for ModelSystem<M> {
    /// Empty: actions have names only in context.
    fn actions(&self) -> &[String] {
        &[]
    }

    fn step_name(&self, source: &[Word], ordinal: usize, _: ActionId) -> String {
        self.action(source, ordinal).map_or_else(
            || format!("step {ordinal}"),
            |action| self.model.show_action(&action),
        )
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        self.decode(state).show(&mut shown);
        shown
    }
}
