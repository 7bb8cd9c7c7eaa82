//! Models whose states go on for ever, explored up to a boundary.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use sweepline_core::{ActionId, AnySystem, Describe, Layout, Steps, System, Word};
use sweepline_model::{Model, ModelSystem};

use super::reduced::KindOf;

/// A predicate of a model and one of its states.
pub(crate) type Predicate<M> = Arc<dyn Fn(&M, &<M as Model>::State) -> bool + Send + Sync>;

/// A test of an action.
pub(crate) type ActionTest<M> = Arc<dyn Fn(&<M as Model>::Action) -> bool + Send + Sync>;

/// A model, of which states beyond a boundary have no steps.
///
/// The states there are reached and can be asked about, so evidence is a path of the model. It preserves what some reachable
/// state shows; what no state shows is known only if nothing was cut.
pub struct Bounded<M: Model> {
    model: ModelSystem<M>,
    inside: Option<Predicate<M>>,
    /// Whether a state beyond the boundary would have had steps.
    cut: AtomicBool,
    /// What actions are told apart by, if somebody assumes something of them: bit by bit, these make their numbers.
    kinds: OnceLock<Vec<ActionTest<M>>>,
    /// Where interleavings are left out, what numbers actions have.
    numbers: Option<KindOf<M>>,
}

/// How many kinds of actions can be told apart: each set of them has a number.
pub(crate) const MOST_KINDS: usize = 12;

impl<M: Model> Bounded<M> {
    pub(crate) fn new(model: M) -> Self {
        Self {
            model: ModelSystem::new(model),
            inside: None,
            cut: AtomicBool::new(false),
            kinds: OnceLock::new(),
            numbers: None,
        }
    }

    pub(crate) fn bound(&mut self, inside: Predicate<M>) {
        self.inside = Some(inside);
    }

    /// From now on actions have the numbers of their kinds.
    pub(crate) fn number_by(&mut self, numbers: KindOf<M>) {
        self.numbers = Some(numbers);
    }

    /// From now on actions have numbers by what they are, of at most [`MOST_KINDS`] kinds. Only the first call matters.
    pub(crate) fn tell_apart(&self, kinds: Vec<ActionTest<M>>) {
        if !kinds.is_empty() {
            self.kinds.get_or_init(|| kinds);
        }
    }

    /// The numbers of all actions of a kind, which is given by its position.
    pub(crate) fn of_kind(&self, kind: usize) -> Vec<ActionId> {
        let kinds = self.kinds.get().map_or(0, Vec::len);
        let all = 0..1_u32 << kinds;
        all.filter(|sets| sets >> kind & 1 == 1)
            .map(ActionId)
            .collect()
    }

    /// Gives the steps of a state numbers by the kinds of their actions.
    fn number(&self, kinds: &[ActionTest<M>], state: &[Word], before: usize, out: &mut Steps) {
        let actions = self.model.actions_of(state);
        for (index, action) in (before..out.len()).zip(&actions) {
            let sets = kinds.iter().rev();
            let sets = sets.fold(0, |sets, is_one| sets << 1 | u32::from(is_one(action)));
            out.set_action(index, ActionId(sets));
        }
    }

    pub(crate) fn typed(&self) -> &ModelSystem<M> {
        &self.model
    }

    pub(crate) fn typed_mut(&mut self) -> &mut ModelSystem<M> {
        &mut self.model
    }

    pub(crate) fn model(&self) -> &M {
        self.model.model()
    }

    pub(crate) fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    pub(crate) fn is_bounded(&self) -> bool {
        self.inside.is_some()
    }

    /// Whether a state has steps in the model that are not taken.
    pub(crate) fn is_cut(&self, state: &[Word]) -> bool {
        self.is_outside(state) && {
            let mut steps = Steps::for_layout(self.layout());
            self.model.successors(state, &mut steps);
            !steps.is_empty() || steps.fault().is_some()
        }
    }

    fn is_outside(&self, state: &[Word]) -> bool {
        let inside = self.inside.as_ref();
        inside.is_some_and(|inside| !inside(self.model(), &self.model.decode(state)))
    }
}

impl<M: Model> System for Bounded<M> {
    fn layout(&self) -> &Layout {
        self.model.layout()
    }

    fn initial(&self, out: &mut Steps) {
        self.model.initial(out);
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let before = out.len();
        match &self.numbers {
            None => self.model.successors(state, out),
            Some(number) => {
                let number = |action: &M::Action| number(self.model(), action);
                self.model.numbered_successors(state, out, number);
            }
        }
        if self.inside.is_some() && self.is_outside(state) {
            let goes_on = out.len() > before || out.fault().is_some();
            out.truncate(before);
            if goes_on {
                self.cut.store(true, Ordering::Relaxed);
            }
        }
        if let Some(kinds) = self.kinds.get() {
            self.number(kinds, state, before, out);
        }
    }

    /// A state whose steps were cut is no deadlock; one that has none is what the model says.
    fn is_end(&self, state: &[Word]) -> bool {
        self.is_cut(state) || self.model.is_end(state)
    }
}

impl<M: Model> Describe for Bounded<M> {
    fn actions(&self) -> &[String] {
        self.model.actions()
    }

    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        self.model.step_name(source, ordinal, action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.model.show(state)
    }
}

impl<M: Model> AnySystem for Bounded<M> {}
