//! Finding a measure for a model, from beginning to end.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use sweepline_core::{Layout, Limits, SlotKind, Widen};
use sweepline_logic::{Coordinate, Expr, Name, Ranges};
use sweepline_net::PetriNet;
use sweepline_process::Network;

use crate::candidate::{Candidate, Changes};
use crate::choice::{Choice, Subject, choose};
use crate::combine::{Found, candidates, coordinate};
use crate::graph::Graph;
use crate::linear::{self, Budget, Effects};
use crate::program::Behaviour;
use crate::sample::Sample;
use crate::{components, net, program_words};

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

/// The time linear programming may take, and what it may take for a model that is explored at once.
const SOLVING: Duration = Duration::from_millis(700);
const QUICKLY: Duration = Duration::from_millis(150);
/// The time for rows among it.
const ROWS: Duration = Duration::from_millis(80);

impl Structure {
    /// Finds a measure for a system with this structure.
    pub fn find(&self, system: &Rc<dyn Widen>, ranges: Ranges, limits: &Limits) -> Findings {
        let (system, graph, sample) = look_at(system, limits);
        let frequency = sample.frequencies(system.actions().len());
        let subject = Subject {
            changes: self.changes(),
            system,
            ranges,
        };
        let is_small = graph.states().is_some();
        let time = if is_small { QUICKLY } else { SOLVING };
        let budget = Budget::lasting(time).with_rows(ROWS);
        let layout = subject.system.layout();
        let mut found = self.measures(layout, &frequency, &budget);
        found.rows.splice(..0, single_slots(layout, &sample));
        let choice = choose(&subject, &sample, &graph, candidates(&found));
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
    pub fn changes(&self) -> Option<Changes> {
        match self {
            Self::Net(net) => Some(net::slot_changes(net)),
            // The step to an error state is not what its action does otherwise.
            Self::Program(behaviour) if !behaviour.program().has_error_states() => {
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

/// The states nearest to the initial ones and others far away, in an encoding that is wide enough for both.
fn look_at(system: &Rc<dyn Widen>, limits: &Limits) -> (Rc<dyn Widen>, Graph, Sample) {
    let mut system = Rc::clone(system);
    let small = Subject::small(&system);
    loop {
        let graph = Graph::of(&mut system, small, limits);
        let used = Rc::clone(&system);
        let sample = Sample::take(&mut system);
        if Rc::ptr_eq(&used, &system) {
            return (system, graph, sample);
        }
    }
}

/// Steps that may lower a slot, and states that may have the same value, for it to be worth a try; slots to try.
const FALLS: f64 = 0.1;
const SAME: f64 = 0.8;
const SLOTS: usize = 12;
/// Systems with more slots are large nets, which have better measures.
const MOST_SLOTS: usize = 200;

/// Slots that seldom go down, or seldom up: the number of a packet, of a round, a count of attempts.
fn single_slots(layout: &Layout, sample: &Sample) -> Vec<Vec<Coordinate>> {
    if layout.slots().len() > MOST_SLOTS {
        return Vec::new();
    }
    let mut slots = Vec::new();
    for changes in sample.slot_changes(layout) {
        let slot = layout.slot(changes.slot);
        if matches!(slot.kind, SlotKind::Named(_)) || changes.most_frequent > SAME {
            continue;
        }
        let name = Expr::Slot(Name::new(slot.name.as_str())).to_string();
        for (sign, falls) in [("", changes.falls), ("-", changes.rises)] {
            if falls < FALLS {
                slots.push((
                    changes.most_frequent * (1.0 + falls * 20.0),
                    format!("{sign}{name}"),
                ));
            }
        }
    }
    slots.sort_by(|a, b| a.0.total_cmp(&b.0));
    let slots = slots.into_iter().take(SLOTS);
    slots.map(|(_, text)| vec![coordinate(&text)]).collect()
}
