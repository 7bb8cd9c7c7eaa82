//! Finding a measure for a model, from beginning to end.

use std::sync::Arc;

use sweepline_core::{AnySystem, Limits};
use sweepline_logic::Ranges;
use sweepline_net::PetriNet;
use sweepline_process::Network;

use crate::candidate::{Candidate, Changes};
use crate::choice::{Choice, Ground, Subject, Suggested, Thrift, choose};
use crate::combine;
use crate::effort::Effort;
use crate::linear::{self, Budget, Effects};
use crate::program::Behaviour;
use crate::sample::Sample;
use crate::solved::Solved;
use crate::threads::meanwhile;
use crate::vicinity::Vicinity;
use crate::{net, program_words, slots};

/// What is known of the inside of a model.
#[derive(Clone, Debug)]
pub enum Structure {
    /// A Petri net.
    Net(Arc<PetriNet>),
    /// Processes with guarded actions.
    Program(Arc<Behaviour>),
    /// Components that share labels.
    Components(Arc<Network>),
    /// Nothing.
    Unknown,
}

/// A measure and how it was found.
#[derive(Debug)]
pub struct Findings {
    /// The choice, and what was considered.
    pub choice: Choice,
    /// A value the first coordinate of the chosen columns never exceeds, if one is known.
    pub last: Option<i128>,
}

/// What linear programs of columns may cost: a millisecond for each action, within limits. Columns never lose, so they
/// are worth more than rows.
const SOLVING: u64 = 700 * Budget::MILLISECOND;
const QUICKLY: u64 = 150 * Budget::MILLISECOND;
/// What those of rows may cost.
const ROWS: u64 = 80 * Budget::MILLISECOND;
/// Expansions of a first look.
const FIRST: u64 = 2000;

impl Structure {
    /// Finds a measure for a system with this structure.
    pub fn find(&self, system: &Arc<dyn AnySystem>, ranges: Ranges, limits: &Limits) -> Findings {
        self.find_saving(Thrift::Memory, system, ranges, limits)
    }

    /// Finds a measure for a system with this structure that saves memory, or memory but no time.
    pub fn find_saving(
        &self,
        thrift: Thrift,
        system: &Arc<dyn AnySystem>,
        ranges: Ranges,
        limits: &Limits,
    ) -> Findings {
        let mut effort = Effort::new(limits);
        let seen = Seen::new(Arc::clone(system), FIRST, &mut effort);
        let layout = seen.system.layout().clone();
        let actions = seen.system.actions().len();
        let frequency = seen.sample.frequencies(actions);
        let is_small = seen.vicinity.states().is_some();
        let most = if is_small { QUICKLY } else { SOLVING };
        let work = (Budget::MILLISECOND * actions as u64).clamp(QUICKLY, most);
        let for_rows = || Budget::of(ROWS).within(limits);
        let solve = || {
            let budget = Budget::of(work).within(limits);
            let solved = Solved::of(self, &budget);
            let columns = combine::columns(&solved.monotone(&layout));
            let rows = || solved.rows(&layout, &frequency, &for_rows());
            // Without columns rows will be asked for, if time is no matter.
            let asked = columns.is_empty() && (is_small || thrift == Thrift::Memory);
            let rows = asked.then(rows);
            (solved, columns, rows, budget)
        };
        let ((solved, columns, rows, budget), seen) = if is_small {
            (solve(), seen)
        } else if thrift == Thrift::Time {
            let seen = seen.more(thrift, &mut effort);
            if seen.ground(thrift, limits).is_hopeless() {
                let choice = Choice::none();
                return Findings { choice, last: None };
            }
            (solve(), seen)
        } else {
            meanwhile(solve, || seen.more(thrift, &mut effort))
        };
        let ground = seen.ground(thrift, limits);
        let Seen { system, sample, .. } = &seen;
        let subject = Subject {
            changes: self.changes(),
            system: Arc::clone(system),
            ranges,
        };
        let layout = subject.system.layout();
        let simple = || {
            let changes = sample.slot_changes(layout);
            let mut simple = slots::seldom_falling(layout, &changes);
            if let Self::Unknown = self {
                let ranks = slots::ranks(layout, sample);
                simple.extend(slots::never_falling(layout, &changes, ranks));
            }
            simple
        };
        let solve_rows = || solved.rows(layout, &frequency, &for_rows());
        let rows = Suggested {
            simple,
            others: || rows.unwrap_or_else(solve_rows),
        };
        let choice = choose(&subject, ground, columns, rows);
        let last = choice
            .chosen
            .as_ref()
            .and_then(|chosen| self.last(chosen, &budget));
        Findings { choice, last }
    }

    /// How slots change by each action, where that is always the same.
    pub fn changes(&self) -> Option<Changes> {
        match self {
            Self::Net(net) => Some(net::slot_changes(net)),
            // The step to an error state is not what its action does otherwise.
            Self::Program(behaviour)
                if behaviour.can_be_known() && !behaviour.program().has_error_states() =>
            {
                Some(Changes::Program(Arc::clone(behaviour)))
            }
            _ => None,
        }
    }

    /// A bound on the first column from the state equation.
    fn last(&self, chosen: &Candidate, budget: &Budget) -> Option<i128> {
        let Self::Net(net) = self else { return None };
        let weights = net::weights_of(net, &chosen.columns.first()?.expr)?;
        linear::greatest_value(&net::effects(net), &net.initial_marking(), &weights, budget)
    }

    /// Why an action cannot always progress: actions that together change nothing, with how often each happens.
    pub fn why_not(&self, action: usize) -> Option<Vec<(usize, u64)>> {
        let budget = Budget::of(SOLVING);
        match self {
            Self::Net(net) => {
                let effects: Effects = net::effects(net);
                linear::semiflow_containing(&effects, action, &budget)
            }
            Self::Program(program) if program.can_be_known() => {
                program_words::cycle(program, action, &budget)
            }
            Self::Program(_) | Self::Components(_) | Self::Unknown => None,
        }
    }
}

/// What was seen of a state space: the states nearest to the initial ones and others far away, in an encoding that is
/// wide enough for both.
struct Seen {
    system: Arc<dyn AnySystem>,
    vicinity: Vicinity,
    sample: Sample,
}

impl Seen {
    fn new(mut system: Arc<dyn AnySystem>, most: u64, effort: &mut Effort) -> Self {
        loop {
            effort.beside(0);
            let vicinity = Vicinity::by(&mut system, most, effort);
            effort.beside(vicinity.bytes());
            let used = Arc::clone(&system);
            let sample = Sample::by(&mut system, effort);
            if Arc::ptr_eq(&used, &system) {
                return Self {
                    system,
                    vicinity,
                    sample,
                };
            }
        }
    }

    /// What candidates are tried out on.
    fn ground<'a>(&'a self, thrift: Thrift, limits: &'a Limits) -> Ground<'a> {
        Ground {
            thrift,
            vicinity: &self.vicinity,
            sample: &self.sample,
            limits,
        }
    }

    /// The same with as many near states as are worth it.
    fn more(mut self, thrift: Thrift, effort: &mut Effort) -> Self {
        let most = Subject::small(&self.system, thrift);
        let used = Arc::clone(&self.system);
        self.vicinity = Vicinity::default(); // it is smaller
        effort.beside(self.sample.bytes());
        self.vicinity = Vicinity::by(&mut self.system, most, effort);
        if Arc::ptr_eq(&used, &self.system) {
            self
        } else {
            Self::new(self.system, most, effort)
        }
    }
}
