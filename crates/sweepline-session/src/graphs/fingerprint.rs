//! What tells a model from others.

use std::collections::{HashSet, VecDeque};

use sweepline_core::{Describe, Steps};

use crate::model::Model;

/// States that are looked at.
const STATES: usize = 500;

/// A number that two models hardly ever have in common: of the text of the model and its constants, of the names of slots and
/// actions, and of its first states with their steps.
///
/// States are taken as they are shown, so that the encoding plays no part.
pub fn fingerprint(model: &Model) -> u64 {
    let mut print = Print(0xcbf2_9ce4_8422_2325);
    print.text(&model.text);
    for (name, value) in &model.constants {
        print.text(name);
        print.bytes(&value.to_le_bytes());
    }
    let mut system = std::sync::Arc::clone(&model.system);
    for action in system.actions() {
        print.text(action);
    }
    // A slot may be too narrow for one of them; the wider ones are looked at from the start.
    loop {
        let mut states = Print(print.0);
        match states.behaviour(&*system) {
            None => return states.0,
            Some(slot) => match system.widened(slot) {
                Some(wider) => system = wider,
                None => return states.0,
            },
        }
    }
}

/// The function of Fowler, Noll and Vo.
struct Print(u64);

impl Print {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(&text.len().to_le_bytes());
        self.bytes(text.as_bytes());
    }

    /// The first states, breadth first. Gives the slot that is too narrow, if one is.
    fn behaviour<S: Describe + ?Sized>(&mut self, system: &S) -> Option<sweepline_core::SlotId> {
        let mut steps = Steps::for_a_look(system.layout());
        system.initial(&mut steps);
        let (mut seen, mut front) = (HashSet::new(), VecDeque::new());
        let mut expanded = 0;
        loop {
            for ordinal in 0..steps.len() {
                self.bytes(&steps.actions()[ordinal].0.to_le_bytes());
                let state = steps.target(ordinal);
                if seen.insert(state.to_vec()) {
                    for (name, value) in system.show(state) {
                        self.text(&name);
                        self.text(&value);
                    }
                    front.push_back(state.to_vec());
                }
            }
            if let Some(sweepline_core::Fault::Outgrown { slot }) = steps.fault() {
                return Some(*slot);
            }
            expanded += 1;
            let state = front.pop_front().filter(|_| expanded <= STATES)?;
            steps.clear();
            system.successors(&state, &mut steps);
            self.bytes(&[u8::from(steps.is_empty() && system.is_end(&state))]);
        }
    }
}
