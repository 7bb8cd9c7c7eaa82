//! Names for people.

use crate::{ActionId, System, Word};

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

    /// The state as pairs of name and value, in a fixed order.
    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.layout()
            .slots()
            .iter()
            .map(|slot| (slot.name.clone(), slot.show(slot.read(state))))
            .collect()
    }
}
