//! Names for people.

use std::fmt;
use std::sync::Arc;

use crate::{ActionId, System, Word};

/// A number that a system can tell of each state though it lies in no slot: how many tokens have some colour.
#[derive(Clone)]
pub struct Observation(Arc<Observing>);

type Observing = dyn Fn(&[Word]) -> Result<i64, String> + Send + Sync;

impl Observation {
    /// What a function tells of states. Truth is 1.
    pub fn new(tell: impl Fn(&[Word]) -> Result<i64, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// The number in a state, or why there is none.
    pub fn value(&self, state: &[Word]) -> Result<i64, String> {
        (self.0)(state)
    }
}

impl fmt::Debug for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observation")
    }
}

/// How a system's actions and states are shown to people and addressed in properties.
pub trait Describe: System {
    /// The name of every action, indexed by [`ActionId`]. Empty if actions have names only in context.
    fn actions(&self) -> &[String];

    /// The name of the step with this ordinal and action among those leaving `source`.
    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        let _ = (source, ordinal);
        self.actions()
            .get(action.0 as usize)
            .cloned()
            .unwrap_or_else(|| format!("action {}", action.0))
    }

    /// The lines of the model's text that an action comes from, one for each process that takes part in it. Nothing if there
    /// is no such text.
    fn lines(&self, action: ActionId) -> Vec<usize> {
        let _ = action;
        Vec::new()
    }

    /// Whether an action is internal: nobody outside of the model sees it happen, whatever it is called.
    fn is_internal(&self, action: ActionId) -> bool {
        let _ = action;
        false
    }

    /// What else can be told of states by this name, which is that of no slot; an error if it is meant so but wrong.
    ///
    /// It belongs to this encoding, as predicates do.
    fn observe(&self, name: &str) -> Option<Result<Observation, String>> {
        let _ = name;
        None
    }

    /// The state as pairs of name and value, in a fixed order.
    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.layout()
            .slots()
            .iter()
            .map(|slot| (slot.name.clone(), slot.show(slot.read(state))))
            .collect()
    }
}
