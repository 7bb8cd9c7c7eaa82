//! Finding a measure for a model, from beginning to end.

use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sweepline_core::{Layout, Limits, SlotKind, Widen};
use sweepline_logic::{Expr, Name, Ranges};
use sweepline_net::PetriNet;
use sweepline_process::Network;

use crate::candidate::{Candidate, Changes};
use crate::choice::{Choice, Subject, Suggested, choose};
use crate::combine::{self, Rows, coordinate};
use crate::graph::Graph;
use crate::linear::{self, Budget, Effects};
use crate::program::Behaviour;
use crate::sample::Sample;
use crate::solved::Solved;
use crate::{net, program_words};

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

/// The time linear programming may take: a millisecond for each action, within limits.
const SOLVING: Duration = Duration::from_millis(700);
const QUICKLY: Duration = Duration::from_millis(150);
/// The time for rows among it.
const ROWS: Duration = Duration::from_millis(40);
/// Expansions of a first look.
const FIRST: u64 = 2000;
/// Threads that solve follow expressions, which may be nested deeply.
const STACK: usize = 16 << 20;

impl Structure {
    /// Finds a measure for a system with this structure.
    pub fn find(&self, system: &Rc<dyn Widen>, ranges: Ranges, limits: &Limits) -> Findings {
        let seen = Seen::new(Rc::clone(system), FIRST, limits);
        let layout = seen.system.layout().clone();
        let actions = seen.system.actions().len();
        let frequency = seen.sample.frequencies(actions);
        let is_small = seen.graph.states().is_some();
        let most = if is_small { QUICKLY } else { SOLVING };
        let time = Duration::from_millis(actions as u64).clamp(QUICKLY, most);
        let budget = Budget::lasting(time).with_rows(ROWS);
        let solve = || {
            let solved = Solved::of(self, &budget);
            let columns = combine::columns(&solved.monotone(&layout));
            let rows = || solved.rows(&layout, &frequency, &budget);
            // Without columns rows will be asked for.
            let rows = columns.is_empty().then(rows);
            (solved, columns, rows)
        };
        let ((solved, columns, rows), seen) = if is_small {
            (solve(), seen)
        } else {
            meanwhile(solve, || seen.more(limits))
        };
        let Seen {
            system,
            graph,
            sample,
        } = seen;
        let subject = Subject {
            changes: self.changes(),
            system,
            ranges,
        };
        let layout = subject.system.layout();
        let mut simple = single_slots(layout, &sample);
        if let Self::Unknown = self {
            simple.extend(growing_slots(layout, &sample));
        }
        let rows = Suggested {
            simple,
            others: || rows.unwrap_or_else(|| solved.rows(layout, &frequency, &budget)),
        };
        let choice = choose(&subject, &sample, &graph, columns, rows);
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

/// Does something in another thread.
fn meanwhile<A: Send, B>(there: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        match builder.spawn_scoped(scope, &there) {
            Ok(thread) => {
                let here = here();
                let there = thread.join();
                (there.unwrap_or_else(|panic| resume_unwind(panic)), here)
            }
            Err(_) => (there(), here()), // there cannot be more threads
        }
    })
}

/// What was seen of a state space: the states nearest to the initial ones and others far away, in an encoding that is
/// wide enough for both.
struct Seen {
    system: Rc<dyn Widen>,
    graph: Graph,
    sample: Sample,
}

impl Seen {
    fn new(mut system: Rc<dyn Widen>, most: u64, limits: &Limits) -> Self {
        loop {
            let graph = Graph::of(&mut system, most, limits);
            let used = Rc::clone(&system);
            let sample = Sample::take(&mut system);
            if Rc::ptr_eq(&used, &system) {
                return Self {
                    system,
                    graph,
                    sample,
                };
            }
        }
    }

    /// The same with as many near states as are worth it.
    fn more(mut self, limits: &Limits) -> Self {
        let most = Subject::small(&self.system);
        let used = Rc::clone(&self.system);
        self.graph = Graph::of(&mut self.system, most, limits);
        if Rc::ptr_eq(&used, &self.system) {
            self
        } else {
            Self::new(self.system, most, limits)
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
fn single_slots(layout: &Layout, sample: &Sample) -> Rows {
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

/// All slots together that were never seen to go down, and those never seen to go up: where nothing is known of a model,
/// they may be what its structure would have told.
fn growing_slots(layout: &Layout, sample: &Sample) -> Rows {
    let mut terms = Vec::new();
    for changes in sample.slot_changes(layout) {
        let slot = layout.slot(changes.slot);
        if matches!(slot.kind, SlotKind::Named(_)) {
            continue;
        }
        let name = Expr::Slot(Name::new(slot.name.as_str())).to_string();
        match (changes.rises > 0.0, changes.falls > 0.0) {
            (true, false) => terms.push(name),
            (false, true) => terms.push(format!("-{name}")),
            _ => {}
        }
    }
    if !(2..=SLOTS).contains(&terms.len()) {
        return Rows::new();
    }
    let terms: Vec<_> = terms.iter().map(|term| coordinate(term)).collect();
    let reversed = terms.iter().rev().cloned().collect();
    vec![vec![combine::sum(&terms)], terms, reversed]
}
