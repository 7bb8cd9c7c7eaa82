//! The adapter: a system with fewer steps.

use std::sync::{Arc, Mutex, PoisonError};

use sweepline_core::{
    ActionId, AnySystem, Describe, Layout, Observation, SlotId, Steps, System, Word,
};

use crate::aim::Aim;
use crate::closure::Closure;
use crate::looked::Looked;
use crate::site::Site;
use crate::tables::{Conditions, number};

/// A system that takes, in every state, only the steps of a *stubborn set* of actions.
///
/// *What it changes.* Fewer steps leave a state. States, layout, actions, the order of steps and faults stay: all steps are
/// generated, and those that are not needed are left out again. Where nothing is known for sure, nothing is left out.
///
/// *What it preserves* is what its [`Aim`] says: all states without steps, or whether goals can be reached; and always
/// whether an action of a program can fail and an assertion be violated. If goals cannot be reached any more, no step may be
/// left; such a state is an [end](System::is_end), no deadlock.
///
/// *Under which conditions.* Which steps stay is a function of the values of slots alone. So it is the same whatever was
/// explored before, in every encoding, under every measure, and when a state is expanded again.
///
/// *Traces* of it are traces of the system it adapts, with other ordinals.
pub struct Stubborn {
    system: Arc<dyn AnySystem>,
    aim: Arc<Aim>,
    conditions: Box<dyn Conditions>,
    looked: Looked,
    /// Memory that is used again; an exploration asks from one thread.
    closure: Mutex<Closure>,
}

impl Stubborn {
    /// Leaves out what the aim does not need. The aim must be one of this system.
    pub fn new(system: Arc<dyn AnySystem>, aim: Arc<Aim>) -> Self {
        let conditions = aim.conditions(&*system);
        let conjuncts = 0..number(aim.tables().conjuncts());
        Self {
            system,
            looked: Looked::new(conjuncts.map(|it| conditions.test(it)).collect()),
            aim,
            conditions,
            closure: Mutex::default(),
        }
    }

    /// Whether a step is left out of a state whose steps have these actions. This is what is done between generating steps and
    /// leaving some out, by itself, for measurements.
    pub fn leaves_out(&self, state: &[Word], enabled: &[ActionId]) -> bool {
        self.lock().find(&self.site(state), enabled, &self.aim)
    }

    /// Whether a step is left out even if no enabled action is looked at: never, unless goals or failures decide. It is all of
    /// [`Self::leaves_out`] but that part of it, for measurements.
    pub fn leaves_out_unseen(&self, state: &[Word], enabled: &[ActionId]) -> bool {
        let site = self.site(state);
        self.lock().find_unseen(&site, enabled, &self.aim)
    }

    fn site<'a>(&'a self, state: &'a [Word]) -> Site<'a> {
        Site {
            tables: self.aim.tables(),
            lookup: self.aim.lookup(),
            conditions: &*self.conditions,
            looked: &self.looked,
            state,
        }
    }

    /// What was done so far, for choices and measurements.
    pub fn effort(&self) -> Effort {
        self.lock().effort
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Closure> {
        // What a thread that panicked has left is overwritten for each state.
        self.closure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a reduction has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Actions that closures have looked at.
    pub visited: u64,
    /// Steps that states had.
    pub steps: u64,
    /// Steps that were kept.
    pub kept: u64,
}

impl System for Stubborn {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn initial(&self, out: &mut Steps) {
        self.system.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps) {
        let first = out.len();
        self.system.successors(state, out);
        if out.fault().is_some() {
            return;
        }
        let site = self.site(state);
        self.lock().leave_out(&site, &self.aim, out, first);
    }

    /// A state all of whose steps were left out is no deadlock.
    fn is_end(&self, state: &[Word]) -> bool {
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.successors(state, &mut steps);
        !steps.is_empty() || steps.fault().is_some() || self.system.is_end(state)
    }
}

impl Describe for Stubborn {
    fn observe(&self, name: &str) -> Option<Result<Observation, String>> {
        self.system.observe(name)
    }

    fn actions(&self) -> &[String] {
        self.system.actions()
    }

    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        // The position among all steps may play a part in the name.
        let mut all = Steps::for_layout(self.layout());
        self.system.successors(source, &mut all);
        let site = self.site(source);
        let position = self.lock().position(&site, &self.aim, &all, ordinal);
        self.system.step_name(source, position, action)
    }

    fn lines(&self, action: ActionId) -> Vec<usize> {
        self.system.lines(action)
    }

    fn is_internal(&self, action: ActionId) -> bool {
        self.system.is_internal(action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.system.show(state)
    }
}

impl AnySystem for Stubborn {
    fn widened(&self, slot: SlotId) -> Option<Arc<dyn AnySystem>> {
        let system = self.system.widened(slot)?;
        Some(Arc::new(Self::new(system, Arc::clone(&self.aim))))
    }
}
