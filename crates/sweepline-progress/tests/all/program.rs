//! Measures of programs: checked against all reachable states of random programs, of our models and of the corpus.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not recognised as tests"
)]

mod corpus;
mod models;
mod random;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use sweepline_core::{ActionId, Layout, SlotId, Steps, System, Word};
use sweepline_program::{Expr, Program, ProgramSystem, ValueRanges};
use sweepline_progress::linear::Budget;
use sweepline_progress::program::{self, Behaviour, Coordinate, ProgramMeasures, Term};

fn behaviour(program: &Program) -> Behaviour {
    Behaviour::new(Arc::new(program.clone()))
}

fn measures(program: &Program, frequency: &[f64], budget: &Budget) -> ProgramMeasures {
    program::measures(&behaviour(program), frequency, budget)
}

/// What is checked on every edge.
struct Claims<'a> {
    program: &'a Program,
    found: &'a ProgramMeasures,
    ranges: ValueRanges<'a>,
    layout: &'a Layout,
    /// The slot that marks states after an error.
    error: Option<SlotId>,
    /// By how much each action is said to change each slot, where that is always the same.
    constants: Vec<Vec<Option<i128>>>,
}

/// Looks at the edges of up to `most` states: no column may fall, strict actions must raise one, and values must lie
/// where the analysis says. Returns how many states there were.
fn explore(program: &Program, found: &ProgramMeasures, most: usize) -> Result<usize, String> {
    let system = ProgramSystem::new(program.clone());
    let claims = Claims::new(program, found, system.layout());
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let initial: Box<[Word]> = steps.target(0).into();
    let mut seen = HashSet::from([initial.clone()]);
    let mut front = VecDeque::from([initial]);
    while let Some(state) = front.pop_front() {
        let mut steps = Steps::for_layout(system.layout());
        system.successors(&state, &mut steps);
        for number in 0..steps.len() {
            let target: Box<[Word]> = steps.target(number).into();
            claims.check(&state, steps.actions()[number], &target)?;
            if seen.len() < most && seen.insert(target.clone()) {
                front.push_back(target);
            }
        }
    }
    Ok(seen.len())
}

impl<'a> Claims<'a> {
    fn new(program: &'a Program, found: &'a ProgramMeasures, layout: &'a Layout) -> Self {
        let behaviour = behaviour(program);
        let slot = |(id, _)| {
            let (slot, weight) = (SlotId(id), 1);
            behaviour.constant_changes(&[Term::Slot { slot, weight }])
        };
        let mut slots = (0..).map(SlotId).zip(program.slots());
        let error = slots.find(|(_, slot)| slot.name == "error");
        Self {
            error: error.map(|(id, _)| id),
            ranges: ValueRanges::new(program),
            constants: (0..).zip(program.slots()).map(slot).collect(),
            program,
            found,
            layout,
        }
    }

    fn check(&self, state: &[Word], action: ActionId, target: &[Word]) -> Result<(), String> {
        let name = &self.program.action(action).name;
        for coordinate in self.found.columns.iter().chain(&self.found.combined) {
            let (before, after) = (
                self.value(coordinate, state),
                self.value(coordinate, target),
            );
            if after < before {
                let text = coordinate.describe(self.program);
                return Err(format!("`{name}` lowers {text} from {before} to {after}"));
            }
        }
        let failed = self
            .error
            .is_some_and(|slot| self.layout.value(target, slot) != 0);
        if failed {
            return Ok(()); // the action has not happened
        }
        let rises = |coordinate| self.value(coordinate, target) > self.value(coordinate, state);
        if self.found.strict[action.0 as usize] && !self.found.combined.iter().any(rises) {
            return Err(format!("nothing rises on `{name}`"));
        }
        if !self.found.possible[action.0 as usize] {
            return Err(format!("`{name}` was said to be impossible"));
        }
        for (slot, changes) in (0..).map(SlotId).zip(&self.constants) {
            let value = |state| i128::from(self.layout.value(state, slot));
            let change = value(target) - value(state);
            if changes[action.0 as usize].is_some_and(|said| said != change) {
                let slot = &self.program.slot(slot).name;
                return Err(format!("`{name}` changes {slot} by {change}"));
            }
        }
        self.check_values(state, action)
    }

    fn check_values(&self, state: &[Word], action: ActionId) -> Result<(), String> {
        let before = self.ranges.before(self.program.action(action)).unwrap();
        for (slot, declared) in (0..).map(SlotId).zip(self.program.slots()) {
            let value = self.layout.value(state, slot);
            let within = |(least, greatest): (i64, i64)| least <= value && value <= greatest;
            if !within(self.ranges.of(slot)) || !within(before.of(&Expr::Slot(slot))) {
                return Err(format!("{} was not to be {value}", declared.name));
            }
        }
        Ok(())
    }

    /// The value of a coordinate in a state.
    fn value(&self, coordinate: &Coordinate, state: &[Word]) -> i128 {
        let of = |term: &Term| match term {
            Term::Slot { slot, weight } => {
                i128::from(self.layout.value(state, *slot)) * i128::from(*weight)
            }
            Term::Table { slot, values } => {
                let least = self.program.slot(*slot).kind.least;
                let index = self.layout.value(state, *slot) - least;
                i128::from(values[usize::try_from(index).unwrap()])
            }
        };
        coordinate.terms.iter().map(of).sum()
    }
}
