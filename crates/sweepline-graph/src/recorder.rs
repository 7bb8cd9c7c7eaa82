//! Recording an exploration as a graph.

use std::collections::{BTreeSet, HashMap};

use miette::Diagnostic;
use sweepline_core::{ActionId, Control, Describe, Expanded, Key, Observer, Steps, Word};
use sweepline_logic::{Enabled, EvalError, Predicate};
use sweepline_text::Names;

use crate::graph::{Graph, GraphEdge, GraphState, StateId};

/// An observer that keeps everything it sees, for exporting small models.
///
/// States are numbered in the order in which they are first seen, initial states first. What is expanded several times
/// is recorded once.
///
/// ```
/// use sweepline_core::{Control, Expanded, Key, Observer, Steps, System};
/// use sweepline_graph::{ExplicitSystem, Recorder, StateId, read_ss};
///
/// let system = ExplicitSystem::new(&read_ss(&"1 0 0 a 2\n2 1 0".into()).unwrap());
/// let mut recorder = Recorder::new(&system, 1000);
/// // An exploration would call it; here are its two states by hand.
/// let mut steps = Steps::for_layout(system.layout());
/// system.initial(&mut steps);
/// system.successors(&steps.target(0).to_vec(), &mut steps);
/// for (number, (first, end)) in [(1, 2), (2, 2)].into_iter().enumerate() {
///     let state = steps.target(number);
///     let (number, key, deadlock) = (number as u64, Key(number as u128), first == end);
///     let event = Expanded { number, state, key, steps: &steps, first, end, deadlock };
///     assert_eq!(recorder.expanded(event), Control::Continue);
/// }
/// let graph = recorder.finish().unwrap();
/// assert_eq!((graph.states().len(), graph.edges().len()), (2, 1));
/// assert!(graph.is_deadlock(StateId(1)));
/// ```
#[derive(Debug)]
pub struct Recorder<'s, S: ?Sized> {
    system: &'s S,
    limit: usize,
    propositions: Vec<(String, Predicate)>,
    numbers: HashMap<Box<[Word]>, StateId>,
    /// What is known of each state once it has been expanded.
    states: Vec<Option<Recorded>>,
    initial: Vec<StateId>,
    edges: Vec<GraphEdge>,
    labels: Names,
    /// Labels of internal actions.
    hidden: BTreeSet<ActionId>,
    enabled: Enabled,
    error: Option<RecordError>,
}

#[derive(Debug)]
struct Recorded {
    key: Key,
    truths: Box<[bool]>,
    shown: Vec<(String, String)>,
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, thiserror::Error)]
pub enum RecordError {
    /// The model is too large.
    #[error("the model has more than {limit} states")]
    #[diagnostic(
        code(record::too_many_states),
        help("graphs are meant for small models; make the model smaller or raise the limit")
    )]
    TooManyStates {
        /// The limit.
        limit: usize,
    },

    /// A proposition has no value.
    #[error("proposition `{proposition}` has no value in a state")]
    #[diagnostic(code(record::undefined_proposition))]
    Undefined {
        /// The proposition.
        proposition: String,
        /// Why not.
        #[source]
        cause: EvalError,
    },

    /// The exploration ended early.
    #[error("{states} of the states that were seen have not been explored")]
    #[diagnostic(
        code(record::incomplete),
        help(
            "a graph of a part would show deadlocks that are none; raise the limits of the exploration"
        )
    )]
    Incomplete {
        /// How many.
        states: usize,
    },
}

impl<'s, S: Describe + ?Sized> Recorder<'s, S> {
    /// Records up to `limit` states of a system.
    pub fn new(system: &'s S, limit: usize) -> Self {
        let mut recorder = Self {
            system,
            limit,
            propositions: Vec::new(),
            numbers: HashMap::new(),
            states: Vec::new(),
            initial: Vec::new(),
            edges: Vec::new(),
            labels: Names::default(),
            hidden: BTreeSet::new(),
            enabled: Enabled::default(),
            error: None,
        };
        recorder.number_initial_states();
        recorder
    }

    /// Also records in which states a predicate holds.
    #[must_use]
    pub fn with_proposition(mut self, name: impl Into<String>, predicate: Predicate) -> Self {
        self.propositions.push((name.into(), predicate));
        self
    }

    /// The graph, if the exploration was complete.
    pub fn finish(self) -> Result<Graph, RecordError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let seen = self.states.len();
        let states: Vec<Recorded> = self.states.into_iter().flatten().collect();
        if states.len() < seen {
            let states = seen - states.len();
            return Err(RecordError::Incomplete { states });
        }
        let propositions = self.propositions.into_iter().map(|(name, _)| name);
        Ok(Graph::new(
            propositions.collect(),
            self.labels.into_list(),
            graph_states(states),
            self.edges,
            self.initial,
        )
        .hiding(self.hidden))
    }

    fn number_initial_states(&mut self) {
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.initial(&mut steps);
        for index in 0..steps.len() {
            match self.number(steps.target(index)) {
                Ok(state) if !self.initial.contains(&state) => self.initial.push(state),
                Ok(_) => {}
                Err(error) => self.error = Some(error),
            }
        }
    }

    fn number(&mut self, state: &[Word]) -> Result<StateId, RecordError> {
        if let Some(&number) = self.numbers.get(state) {
            return Ok(number);
        }
        let limit = self.limit;
        let number = u32::try_from(self.states.len())
            .ok()
            .filter(|_| self.states.len() < limit)
            .map(StateId)
            .ok_or(RecordError::TooManyStates { limit })?;
        self.numbers.insert(state.into(), number);
        self.states.push(None);
        Ok(number)
    }

    fn record(&mut self, event: Expanded<'_>) -> Result<(), RecordError> {
        let source = self.number(event.state)?;
        if self.states[source.index()].is_some() {
            return Ok(());
        }
        self.states[source.index()] = Some(Recorded {
            key: event.key,
            truths: self.truths(event)?,
            shown: self.system.show(event.state),
        });
        for (ordinal, (&action, target)) in event.actions().iter().zip(event.targets()).enumerate()
        {
            let is_internal = self.system.is_internal(action);
            let action = self.label(&self.system.step_name(event.state, ordinal, action));
            if is_internal {
                self.hidden.insert(action);
            }
            let target = self.number(target)?;
            self.edges.push(GraphEdge {
                source,
                action,
                target,
            });
        }
        Ok(())
    }

    fn truths(&mut self, event: Expanded<'_>) -> Result<Box<[bool]>, RecordError> {
        self.enabled.set(event.actions(), event.is_deadlock());
        let truth = |(name, predicate): &(String, Predicate)| {
            predicate
                .eval(event.state, &self.enabled)
                .map_err(|cause| RecordError::Undefined {
                    proposition: name.clone(),
                    cause,
                })
        };
        self.propositions.iter().map(truth).collect()
    }

    fn label(&mut self, name: &str) -> ActionId {
        let number = u32::try_from(self.labels.intern(name));
        ActionId(number.expect("a small model has below 2^32 labels"))
    }
}

impl<S: Describe + ?Sized> Observer for Recorder<'_, S> {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        if self.error.is_none() {
            self.error = self.record(event).err();
        }
        if self.error.is_none() {
            Control::Continue
        } else {
            Control::Stop
        }
    }
}

fn graph_states(recorded: Vec<Recorded>) -> Vec<GraphState> {
    let progress = progress_values(&recorded);
    recorded
        .into_iter()
        .zip(progress)
        .zip(1..)
        .map(|((state, progress), id)| GraphState {
            id,
            progress,
            truths: state.truths,
            shown: state.shown,
        })
        .collect()
}

/// The keys themselves if they fit 64 bits; otherwise their ranks, which are ordered alike.
fn progress_values(states: &[Recorded]) -> Vec<i64> {
    let values: Result<Vec<i64>, _> = states
        .iter()
        .map(|state| i64::try_from(state.key.0))
        .collect();
    values.unwrap_or_else(|_| {
        let keys: BTreeSet<Key> = states.iter().map(|state| state.key).collect();
        let ranks: HashMap<Key, i64> = keys.into_iter().zip(0..).collect();
        states.iter().map(|state| ranks[&state.key]).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Listing, rendered};
    use crate::{ExplicitSystem, read_ss};
    use insta::assert_snapshot;
    use sweepline_logic::{Scope, parse_pred};

    /// Expands every reachable state, the last found first, as an exploration would.
    fn explore(system: &ExplicitSystem, key: fn(u64) -> u128, recorder: &mut impl Observer) {
        use sweepline_core::System;
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let mut front: Vec<Vec<Word>> = vec![steps.target(0).to_vec()];
        let mut seen = front.clone();
        let mut number = 0;
        while let Some(state) = front.pop() {
            steps.clear();
            system.successors(&state, &mut steps);
            let event = Expanded {
                number,
                state: &state,
                key: Key(key(number)),
                steps: &steps,
                first: 0,
                end: steps.len(),
                deadlock: steps.is_empty() && !system.is_end(&state),
            };
            // A state may be expanded twice.
            for _ in 0..2 {
                if recorder.expanded(event) == Control::Stop {
                    return;
                }
            }
            for index in 0..steps.len() {
                let target = steps.target(index).to_vec();
                if !seen.contains(&target) {
                    seen.push(target.clone());
                    front.push(target);
                }
            }
            number += 1;
        }
    }

    fn system(text: &str) -> ExplicitSystem {
        ExplicitSystem::new(&read_ss(&text.into()).unwrap())
    }

    fn recorded(text: &str, limit: usize, key: fn(u64) -> u128) -> Result<Graph, RecordError> {
        let system = system(text);
        let scope = Scope::of(&system);
        let predicate = |text: &str| {
            Predicate::resolve(&parse_pred(text).unwrap(), &scope, &text.into()).unwrap()
        };
        let mut recorder = Recorder::new(&system, limit)
            .with_proposition("end", predicate("deadlock"))
            .with_proposition("odd", predicate("2 / (state - 9) == 0 or state % 2 == 1"));
        explore(&system, key, &mut recorder);
        recorder.finish()
    }

    const DIAMOND: &str = "7 0 0 l 3 r 4\n3 0 0 b 5\n4 0 0 b 5 b 7\n5 0 0\n6 0 0 b 7";

    fn check(key: fn(u64) -> u128, expected: &[&str]) {
        let graph = recorded(DIAMOND, 100, key).unwrap();
        assert_eq!(Listing::of(&graph).0, expected);
        assert_eq!(graph.initial(), [StateId(0)]);
        assert_eq!(
            graph.state(StateId(2)).shown[0],
            ("state".into(), "4".into())
        );
    }

    #[test]
    fn states_are_numbered_as_they_are_seen() {
        check(
            |number| (2 * number).into(),
            &[
                "1 0 {odd} -l-> 2 -r-> 3",
                "2 6 {odd} -b-> 4",
                "3 2 {odd} -b-> 4 -b-> 1",
                "4 4 {end odd}",
            ],
        );
    }

    #[test]
    fn long_keys_become_ranks() {
        check(
            |number| u128::MAX - u128::from(number),
            &[
                "1 3 {odd} -l-> 2 -r-> 3",
                "2 0 {odd} -b-> 4",
                "3 2 {odd} -b-> 4 -b-> 1",
                "4 1 {end odd}",
            ],
        );
    }

    #[test]
    fn a_graph_is_whole_or_not_at_all() {
        let error = |limit| rendered(&recorded(DIAMOND, limit, |_| 0).unwrap_err());
        assert_snapshot!(error(3), @r"
        record::too_many_states

          × the model has more than 3 states
          help: graphs are meant for small models; make the model smaller or raise the
                limit
        ");
        let undefined = recorded("9 0 0", 100, |_| 0).unwrap_err();
        assert_snapshot!(rendered(&undefined), @r"
        record::undefined_proposition

          × proposition `odd` has no value in a state
          ╰─▶ `(2 / (state - 9))` divides by zero
        ");
        let system = system(DIAMOND);
        let unexplored = Recorder::new(&system, 100).finish().unwrap_err();
        assert_snapshot!(rendered(&unexplored), @r"
        record::incomplete

          × 1 of the states that were seen have not been explored
          help: a graph of a part would show deadlocks that are none; raise the limits
                of the exploration
        ");
        assert!(Recorder::new(&system, 0).finish().is_err());
    }

    #[test]
    fn a_recorded_graph_is_recorded_alike() {
        let graph = recorded(DIAMOND, 100, u128::from).unwrap();
        let again = ExplicitSystem::new(&graph);
        let mut recorder = Recorder::new(&again, 100);
        explore(&again, u128::from, &mut recorder);
        let again = recorder.finish().unwrap();
        assert_eq!(graph.edges(), again.edges());
    }
}
