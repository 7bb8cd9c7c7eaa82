//! Actions on parts of states.

use sweepline_core::{ActionId, Word};

use crate::interpreter::ProgramSystem;

/// What becomes of an action in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happens.
    Taken,
    /// It is not enabled.
    Disabled,
    /// It has no result: an index out of bounds, a value out of range.
    Failed,
}

impl ProgramSystem {
    /// The initial state.
    pub fn start(&self) -> &[Word] {
        self.initial_words()
    }

    /// Takes one action in a state, whatever other processes do; `target` is what becomes of the state if it happens.
    ///
    /// Nothing but the slots that the action [reads and writes](crate::Program::access) matters, and all others stay as they are.
    /// So it may be a part of a state, with anything in the slots that nobody knows. That some process is in a committed
    /// location is nothing that an action reads, and does not keep it from happening here.
    ///
    /// ```
    /// use sweepline_core::ActionId;
    /// use sweepline_program::{Effect, Expr, Outcome, ProgramBuilder, ProgramSystem, SlotType};
    ///
    /// let mut program = ProgramBuilder::new("counter");
    /// let n = program.slot("n", SlotType::integer(0, 1), 0);
    /// let process = program.process("P");
    /// let run = program.location(process, "run");
    /// program
    ///     .action("count", process, run, run)
    ///     .effect(Effect::assign(n, Expr::slot(n).plus(1)));
    /// let system = ProgramSystem::new(program.build()?);
    ///
    /// let (mut once, mut twice) = (Vec::new(), Vec::new());
    /// assert_eq!(system.take(ActionId(0), system.start(), &mut once), Outcome::Taken);
    /// assert_eq!(system.take(ActionId(0), &once, &mut twice), Outcome::Failed);
    /// # Ok::<(), sweepline_program::ProgramError>(())
    /// ```
    pub fn take(&self, action: ActionId, state: &[Word], target: &mut Vec<Word>) -> Outcome {
        let lowered = self.lowered();
        let mut moves = self.program().action(action).moves.iter();
        let elsewhere = moves.any(|step| {
            let process = &lowered.processes[step.process.0 as usize];
            process.location.bits(state) != Word::from(step.source.0)
        });
        if elsewhere {
            return Outcome::Disabled;
        }
        let action = &lowered.actions[action.0 as usize];
        match action.guard.holds(state) {
            Ok(true) => {}
            Ok(false) => return Outcome::Disabled,
            Err(_) => return Outcome::Failed,
        }
        target.clear();
        target.extend_from_slice(state);
        let mut effects = action.effects.iter();
        match effects.try_for_each(|effect| effect.execute(target)) {
            Ok(()) => Outcome::Taken,
            Err(_) => Outcome::Failed,
        }
    }
}
