//! A program as a transition system, interpreted.

use std::sync::{Arc, OnceLock};

use sweepline_core::{
    ActionId, AnySystem, BrokenAssertion, Describe, Fault, Layout, Limits, Slot, Steps, StopReason,
    System, Word,
};

use crate::describe::{Shown, shown};
use crate::evaluate::Trap;
use crate::ir::{Expr, ProcessId, Program};
use crate::lower::{Lowered, LoweredAction, Lowering, Node, layout_of};

/// A program that is interpreted: the reference for every other way to run it.
///
/// Steps come by process and, within a process, in the order of its actions; a joint action belongs to its first
/// process. If some action fails, so does the state, with the first failure in this order; a violated assertion comes
/// before everything else.
#[derive(Clone, Debug)]
pub struct ProgramSystem {
    model: Arc<Model>,
}

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) program: Program,
    pub(crate) layout: Layout,
    /// What is shown of a state.
    pub(crate) shown: Vec<Shown>,
    /// The values of every action's message, once somebody wants them.
    pub(crate) messages: OnceLock<Vec<Vec<Node>>>,
    lowered: Lowered,
    /// When a state without steps is a proper end.
    end: Option<Node>,
    names: Vec<String>,
    initial: Vec<Word>,
}

impl ProgramSystem {
    /// Prepares a program, however long it takes.
    pub fn new(program: Program) -> Self {
        Self::within(program, &Limits::default()).expect("there are no limits")
    }

    /// Prepares a program within limits.
    pub fn within(program: Program, limits: &Limits) -> Result<Self, StopReason> {
        let layout = layout_of(&program, limits)?;
        let mut initial = vec![
            0;
            layout
                .width()
                .expect("the states of programs have one size")
        ];
        for (slot, declared) in layout.slots().iter().zip(program.slots()) {
            slot.write(&mut initial, declared.initial)
                .expect("initial values of programs lie in their ranges");
        }
        let lowered = Lowered::new(&program, &layout, limits)?;
        let end = program.end.as_ref();
        let end = end.map(|end| Lowering::new(&program, &layout).expr(end).0);
        let names = program.actions().iter();
        let names = names.map(|action| action.name.clone()).collect();
        Ok(Self {
            model: Arc::new(Model {
                shown: shown(&program),
                messages: OnceLock::new(),
                program,
                layout,
                lowered,
                end,
                names,
                initial,
            }),
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.model.program
    }

    /// The value of an expression over the slots of the program, or what goes wrong. This is not quick: it resolves all
    /// names anew.
    pub fn evaluate(&self, expr: &Expr, state: &[Word]) -> Result<i64, String> {
        let (node, _) = Lowering::new(self.program(), self.layout()).expr(expr);
        let value = node.evaluate(state);
        value.map_err(|trap| trap.describe(self.program()))
    }
}

impl ProgramSystem {
    pub(crate) fn lowered(&self) -> &Lowered {
        &self.model.lowered
    }

    pub(crate) fn initial_words(&self) -> &[Word] {
        &self.model.initial
    }
}

#[cfg(feature = "jit")]
impl ProgramSystem {
    /// Words of a state.
    pub(crate) fn width(&self) -> usize {
        self.model.initial.len()
    }
}

impl Model {
    fn successors(&self, state: &[Word], out: &mut Steps) -> Result<(), Fault> {
        self.check_assertions(state)?;
        if let Some(error) = self.program.error {
            return self.successors_or_error(state, self.layout.slot(error), out);
        }
        self.try_actions(state, |lowered, action| {
            take(lowered, action, state, out).map_err(|trap| self.failure(action, *trap))
        })
    }

    /// The steps that do not fail, or one to an error state if all do.
    fn successors_or_error(
        &self,
        state: &[Word],
        error: &Slot,
        out: &mut Steps,
    ) -> Result<(), Fault> {
        if error.read(state) != 0 {
            return Ok(());
        }
        let (first, mut failed) = (out.len(), None);
        self.try_actions(state, |lowered, action| {
            if take(lowered, action, state, out).is_err() {
                failed.get_or_insert(action);
            }
            Ok(())
        })?;
        if let Some(action) = failed.filter(|_| out.len() == first) {
            let copy = out.push_copy(action, state);
            error.write(copy, 1).expect("1 is a truth value");
        }
        Ok(())
    }

    /// Calls `act` with every action that may be enabled by the locations of the processes.
    #[inline]
    fn try_actions(
        &self,
        state: &[Word],
        mut act: impl FnMut(&LoweredAction, ActionId) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let committed = self.lowered.has_committed && self.is_committed(state);
        for process in &self.lowered.processes {
            let location = &process.locations[at(process.location.bits(state))];
            let actions = if committed {
                &location.urgent
            } else {
                &location.actions
            };
            for action in actions {
                let lowered = &self.lowered.actions[action.0 as usize];
                act(lowered, *action)?;
            }
        }
        Ok(())
    }

    /// An error state is never a proper end.
    fn is_end(&self, state: &[Word]) -> bool {
        let error = self.program.error;
        let failed = error.is_some_and(|error| self.layout.slot(error).read(state) != 0);
        let end = self.end.as_ref();
        !failed && end.is_some_and(|end| matches!(end.holds(state), Ok(true)))
    }

    fn is_committed(&self, state: &[Word]) -> bool {
        let mut processes = self.lowered.processes.iter();
        processes.any(|process| process.locations[at(process.location.bits(state))].committed)
    }

    /// Checks that every process is somewhere, and the assertions there. What comes later relies on the former.
    fn check_assertions(&self, state: &[Word]) -> Result<(), Fault> {
        for (process, id) in self.lowered.processes.iter().zip((0..).map(ProcessId)) {
            let place = process.location.bits(state);
            let Some(location) = process.locations.get(at(place)) else {
                return Err(self.nowhere(id, place));
            };
            for (index, assertion) in location.assertions.iter().enumerate() {
                match assertion.holds(state) {
                    Ok(true) => {}
                    Ok(false) => return Err(self.violation(state, id, index, None)),
                    Err(trap) => return Err(self.violation(state, id, index, Some(*trap))),
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn nowhere(&self, process: ProcessId, place: Word) -> Fault {
        let name = &self.program.process(process).name;
        Fault::Model {
            action: ActionId(0),
            message: format!("`{name}` is nowhere: it has no location {place}"),
        }
    }

    #[cold]
    fn failure(&self, action: ActionId, trap: Trap) -> Fault {
        let name = &self.program.action(action).name;
        let message = format!("{} in `{name}`", trap.describe(&self.program));
        Fault::Model { action, message }
    }

    #[cold]
    fn violation(
        &self,
        state: &[Word],
        process: ProcessId,
        index: usize,
        trap: Option<Trap>,
    ) -> Fault {
        let lowered = &self.lowered.processes[process.0 as usize];
        let place = at(lowered.location.bits(state));
        let process = self.program.process(process);
        let location = &process.locations[place];
        let assertion = &location.assertions[index];
        let text = self.program.text();
        let condition = text
            .excerpt(assertion.span)
            .unwrap_or_else(|| self.program.show(&assertion.condition).to_string());
        let at = format!("{}.{}", process.name, location.name);
        Fault::Assertion(Box::new(BrokenAssertion {
            place: match text.line(assertion.span) {
                Some(line) => format!("{}:{line}", self.program.name),
                None => at.clone(),
            },
            condition: format!("assert {at}: {condition}"),
            error: trap.map(|trap| trap.describe(&self.program)),
        }))
    }
}

/// Adds the step of an action if it is enabled.
#[inline]
fn take(
    action: &LoweredAction,
    id: ActionId,
    state: &[Word],
    out: &mut Steps,
) -> Result<(), Box<Trap>> {
    if let Some((location, source)) = action.partner
        && location.bits(state) != source
    {
        return Ok(());
    }
    if !action.guard.holds(state)? {
        return Ok(());
    }
    out.try_push_with(id, |words| {
        let start = words.len();
        words.extend_from_slice(state);
        let target = &mut words[start..];
        action.effects.iter().try_for_each(|e| e.execute(target))
    })
}

/// Where a process is, from the bits of its location.
#[inline]
fn at(bits: Word) -> usize {
    usize::try_from(bits).expect("a location has an index of 32 bits")
}

impl System for ProgramSystem {
    fn layout(&self) -> &Layout {
        &self.model.layout
    }

    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &self.model.initial);
    }

    fn successors(&self, state: &[Word], out: &mut Steps) {
        if let Err(fault) = self.model.successors(state, out) {
            out.fail(fault);
        }
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.model.is_end(state)
    }
}

impl Describe for ProgramSystem {
    fn actions(&self) -> &[String] {
        &self.model.names
    }

    /// The name of the action, and what is sent or received.
    fn step_name(&self, source: &[Word], _: usize, action: ActionId) -> String {
        self.model.step_name(source, action)
    }

    fn lines(&self, action: ActionId) -> Vec<usize> {
        let Some(action) = self.program().actions().get(action.0 as usize) else {
            return Vec::new();
        };
        let spans = std::iter::once(action.span).chain(action.partner_span);
        spans
            .filter_map(|span| self.program().text().line(span))
            .collect()
    }

    /// Every slot, and channels as what they hold.
    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.model.show(state)
    }
}

impl AnySystem for ProgramSystem {}
