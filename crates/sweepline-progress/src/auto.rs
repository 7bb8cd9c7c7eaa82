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
use crate::means::Means;
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
    /// Whether more might be found at greater expense.
    pub ran_out: bool,
    /// Whether nothing would be found that costs no time, whatever the expense: nothing in the model only ever grows.
    pub exhausted: bool,
}

impl Findings {
    fn nothing() -> Self {
        Self {
            choice: Choice::none(),
            last: None,
            ran_out: false,
            exhausted: false,
        }
    }
}

/// What it may cost to say why there is no measure.
const EXPLAINING: u64 = 700 * Budget::MILLISECOND;

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
        let means = Means::of(thrift, system.actions().len());
        let mut effort = Effort::new(limits);
        let seen = Seen::new(Arc::clone(system), means, &mut effort);
        if seen.ground(means, limits).is_short_of_memory() {
            drop(seen);
            return self.find_saving(Thrift::Memory, system, ranges, limits);
        }
        if seen.ground(means, limits).is_hopeless() {
            return Findings::nothing();
        }
        let layout = seen.system.layout().clone();
        let frequency = seen.sample.frequencies(seen.system.actions().len());
        let is_small = seen.vicinity.states().is_some();
        let for_rows = || Budget::of(means.rows).within(limits);
        let solve = || {
            let (small, large) = means.columns;
            let budget = Budget::of(if is_small { small } else { large }).within(limits);
            let solved = Solved::of(self, means.analysis, &budget);
            let columns = combine::columns(&solved.monotone(&layout));
            let rows = || solved.rows(&layout, &frequency, &for_rows());
            // Without columns rows will be asked for, if time is no matter.
            let asked = columns.is_empty() && (is_small || thrift == Thrift::Memory);
            let rows = asked.then(rows);
            (solved, columns, rows, budget)
        };
        let ((solved, columns, rows, budget), seen) = if is_small || thrift != Thrift::Memory {
            (solve(), seen)
        } else {
            meanwhile(solve, || seen.more(&mut effort))
        };
        let ground = seen.ground(means, limits);
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
        let has_columns = !columns.is_empty();
        let mut choice = choose(&subject, ground, columns, rows);
        let ran_out = budget.ran_out() || solved.ran_out();
        choice.hasty |= ran_out && thrift != Thrift::Memory;
        let last = choice
            .chosen
            .as_ref()
            .and_then(|chosen| self.last(chosen, &budget));
        Findings {
            choice,
            last,
            ran_out,
            exhausted: !ran_out && !has_columns,
        }
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
        let budget = Budget::of(EXPLAINING);
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
    fn new(mut system: Arc<dyn AnySystem>, means: Means, effort: &mut Effort) -> Self {
        let (most, most_work) = means.near;
        let near = (most, Effort::of_time(most_work));
        loop {
            effort.beside(0);
            let vicinity = Vicinity::by(&mut system, near, effort);
            effort.beside(vicinity.bytes());
            let used = Arc::clone(&system);
            let sample = Sample::by(&mut system, Effort::of_time(means.walks), effort);
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
    fn ground<'a>(&'a self, means: Means, limits: &'a Limits) -> Ground<'a> {
        Ground {
            means,
            vicinity: &self.vicinity,
            sample: &self.sample,
            limits,
        }
    }

    /// The same with as many near states as are worth it where memory is to be saved.
    fn more(mut self, effort: &mut Effort) -> Self {
        let near = (Subject::small(&self.system), u64::MAX);
        let used = Arc::clone(&self.system);
        self.vicinity = Vicinity::default(); // it is smaller
        effort.beside(self.sample.bytes());
        self.vicinity = Vicinity::by(&mut self.system, near, effort);
        if Arc::ptr_eq(&used, &self.system) {
            self
        } else {
            let actions = self.system.actions().len();
            let means = Means {
                near,
                ..Means::of(Thrift::Memory, actions)
            };
            Self::new(self.system, means, effort)
        }
    }
}
