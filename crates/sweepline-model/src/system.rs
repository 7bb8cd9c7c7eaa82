//! Typed models as systems.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};

use sweepline_core::{ActionId, AnySystem, Describe, Fault, Layout, Steps, System, Word};

use crate::encode::{pack, unpack, unpack_into};
use crate::model::{Told, message_of};
use crate::scratch::{Pool, Scratch};
use crate::tally::Header;
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
    /// Numbers before the words of a state whose size differs; none unless a measure needs them.
    header: Header,
    /// States that are decoded anew for each expansion, if their size differs.
    pool: Pool<M::State>,
}

impl<M: Model> ModelSystem<M> {
    /// Wraps a model.
    pub fn new(model: M) -> Self {
        Self {
            model,
            layout: Fields::layout::<M::State>(),
            header: Header::default(),
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
        unpack(self.body(state))
    }

    /// The words of a state without the numbers that come before them.
    #[inline]
    pub fn body<'w>(&self, state: &'w [Word]) -> &'w [Word] {
        if M::State::BITS.is_some() {
            return state;
        }
        &state[self.header.words()..]
    }

    /// Puts numbers that are in the states of variable size before their words, so that measures can be made of them. They are
    /// looked for in states near the initial ones and on walks. States of fixed size have their numbers in fixed places anyway.
    pub fn learn_numbers(&mut self) {
        self.keep_numbers(|_| false);
        if M::State::BITS.is_some() {
            return;
        }
        let mut header = Header::default();
        self.look_around(|state| header.learn_from(state));
        self.layout = header.layout();
        self.header = header;
    }

    /// Leaves out the numbers whose names are not wanted.
    pub fn keep_numbers(&mut self, wanted: impl Fn(&str) -> bool) {
        if M::State::BITS.is_none() {
            self.header.keep(wanted);
            self.layout = self.header.layout();
        }
    }

    /// Shows some states: those nearest to the initial ones, and those on a walk that is the same each time.
    fn look_around(&self, mut look: impl FnMut(&M::State)) {
        let mut steps = Steps::for_layout(&self.layout);
        let mut steps_of = |state: Option<&[Word]>| -> Vec<Vec<Word>> {
            steps.clear();
            match state {
                None => self.initial(&mut steps),
                Some(state) => self.successors(state, &mut steps),
            }
            let targets = (0..steps.len()).map(|step| steps.target(step).to_vec());
            targets.take(LOOKS).collect()
        };
        let initial = steps_of(None);
        let mut near = VecDeque::from(initial.clone());
        for _ in 0..LOOKS {
            let Some(state) = near.pop_front() else { break };
            look(&self.decode(&state));
            if near.len() < LOOKS {
                near.extend(steps_of(Some(&state)));
            }
        }
        let (mut choices, mut random) = (initial.clone(), 1_u64);
        for _ in 0..LOOKS {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let chosen = usize::try_from(random >> 33).unwrap_or(0) % choices.len().max(1);
            let Some(state) = choices.get(chosen) else {
                return;
            };
            look(&self.decode(state));
            choices = steps_of(Some(&state.clone()));
            if choices.is_empty() {
                choices.clone_from(&initial); // a walk that ends begins again
            }
        }
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
        let (source, mut parts) = (self.body(source), Parts::new());
        if M::State::BITS.is_none() {
            unpack_into(&mut state, &mut parts, source);
        }
        let known = Source::new(&state, source, &parts);
        Next::tell_actions(&self.model, known, &self.header, &mut scratch, told);
    }

    /// The steps of a state, with numbers of your own for their actions. An action without one is a fault, and gets the greatest number.
    pub fn numbered_successors(
        &self,
        state: &[Word],
        out: &mut Steps,
        number: impl Fn(&M::Action) -> Result<u32, String>,
    ) {
        let first = out.len();
        let mut numbers = Vec::new();
        let mut unknown = None;
        let mut told = |_, action: M::Action| match number(&action) {
            Ok(number) => numbers.push(number),
            Err(why) => {
                numbers.push(u32::MAX);
                unknown.get_or_insert(why);
            }
        };
        self.expand(state, out, Some(&mut told));
        for (index, number) in (first..out.len()).zip(numbers) {
            out.set_action(index, ActionId(number));
        }
        if let Some(message) = unknown
            && out.fault().is_none()
        {
            let action = ActionId(u32::MAX);
            out.fail(Fault::Model { action, message });
        }
    }

    #[inline]
    fn expand(&self, state: &[Word], out: &mut Steps, told: Option<&mut Told<'_, M>>) {
        if M::State::BITS.is_none() {
            return self.successors_of_variable(state, out, told);
        }
        let (source, parts) = (self.decode(state), Parts::new());
        let known = Source::new(&source, state, &parts);
        let mut next = Next::new(&self.model, known, &self.header, out).telling(told);
        next.take_steps();
    }

    /// Expands a state in the memory of one that was expanded before.
    #[inline]
    fn successors_of_variable(
        &self,
        state: &[Word],
        out: &mut Steps,
        told: Option<&mut Told<'_, M>>,
    ) {
        let (left, state) = (self.pool.take(), self.body(state));
        let mut scratch = left.unwrap_or_else(|| Box::new(Scratch::new(unpack(state))));
        let Scratch {
            source,
            parts,
            spare,
        } = &mut *scratch;
        unpack_into(source, parts, state);
        let known = Source::new(source, state, parts);
        let next = Next::new(&self.model, known, &self.header, out);
        let mut next = next.with_spare(spare.take()).telling(told);
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
            let write = |words: &mut Vec<Word>| {
                self.header.write(&state, words);
                pack(&state, words)
            };
            if let Err(misfit) = out.try_push_with(action, write) {
                let message = format!("initial state: {misfit}");
                out.fail(Fault::Model { action, message });
            }
        }
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        self.expand(state, out, None);
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

/// States that are looked at to learn which numbers there are, nearby and far away.
const LOOKS: usize = 500;
