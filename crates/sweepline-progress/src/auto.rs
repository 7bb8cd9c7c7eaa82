//! Finding a measure for a model, from beginning to end.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use sweepline_core::{Layout, Limits, Widen};
use sweepline_logic::Ranges;
use sweepline_net::PetriNet;
use sweepline_process::Network;
use sweepline_program::Program;

use crate::candidate::Candidate;
use crate::choice::{Choice, Subject, choose};
use crate::combine::{Found, candidates};
use crate::linear::{self, Budget, Effects};
use crate::sample::Sample;
use crate::{components, net, program_words};

/// What is known of the inside of a model.
#[derive(Clone, Debug)]
pub enum Structure {
    /// A Petri net.
    Net(Arc<PetriNet>),
    /// Processes with guarded actions.
    Program(Arc<Program>),
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

/// The time linear programming may take, and what it may take for a model that is explored at once.
const SOLVING: Duration = Duration::from_millis(700);
const QUICKLY: Duration = Duration::from_millis(150);

impl Structure {
    /// Finds a measure for a system with this structure.
    pub fn find(&self, system: &Rc<dyn Widen>, ranges: Ranges, limits: &Limits) -> Findings {
        let mut system = Rc::clone(system);
        let sample = Sample::take(&mut system);
        let frequency = sample.frequencies(system.actions().len());
        let subject = Subject {
            changes: self.changes(),
            system,
            ranges,
        };
        let states = subject.explore(None, subject.small(), limits).states();
        let budget = Budget::lasting(if states.is_some() { QUICKLY } else { SOLVING });
        let found = self.measures(subject.system.layout(), &frequency, &budget);
        let choice = choose(&subject, &sample, candidates(&found), states, limits);
        let last = choice
            .chosen
            .as_ref()
            .and_then(|chosen| self.last(chosen, &budget));
        Findings { choice, last }
    }

    /// Coordinates that the structure suggests.
    pub fn measures(&self, layout: &Layout, frequency: &[f64], budget: &Budget) -> Found {
        match self {
            Self::Net(net) => net::measures(net, &net::effects(net), frequency, budget),
            Self::Program(program) => program_words::found(program, layout, frequency, budget),
            Self::Components(network) => components::found(network, layout),
            Self::Unknown => Found::default(),
        }
    }

    /// How slots change by each action, where that is always the same.
    pub fn changes(&self) -> Option<crate::Changes> {
        match self {
            Self::Net(net) => Some(net::slot_changes(net)),
            // The step to an error state is not what its action does otherwise.
            Self::Program(program) if !program.has_error_states() => {
                let behaviour = crate::program::Behaviour::new(program);
                Some(crate::Changes::Program(Arc::clone(program), behaviour))
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
        let budget = Budget::lasting(SOLVING);
        match self {
            Self::Net(net) => {
                let effects: Effects = net::effects(net);
                linear::semiflow_containing(&effects, action, &budget)
            }
            Self::Program(program) => program_words::cycle(program, action, &budget),
            Self::Components(_) | Self::Unknown => None,
        }
    }
}
