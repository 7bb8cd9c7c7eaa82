//! Questions about typed states and runs.

use std::sync::{Arc, Mutex, PoisonError};

use sweepline_check::{Question, Seen, Test};
use sweepline_core::Word;
use sweepline_model::{Encode, Model, unpack};

use super::boundary::{ActionTest, Bounded, Predicate};
use super::runs::{Formula, RunBinder};

/// A question as it was asked.
pub(crate) enum Asked<M: Model> {
    /// With the kinds of actions that can change it, if that is known.
    Invariant(String, Predicate<M>, Option<Vec<u32>>),
    Reachable(String, Predicate<M>, Option<Vec<u32>>),
    Ltl(Formula),
    Ctl(Formula),
    NoDeadlock,
}

/// What is asked, and the words formulas may use.
pub(crate) struct Questions<M: Model> {
    pub(crate) asked: Vec<Asked<M>>,
    pub(crate) propositions: Vec<(String, Predicate<M>)>,
    /// Propositions that hold again and again in every run that counts.
    pub(crate) fair: Vec<String>,
    /// Kinds of actions that are taken if they can be, again and again.
    pub(crate) fair_actions: Vec<(Strength, ActionTest<M>)>,
}

/// When an action that is not taken makes a run unfair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// If it is enabled from some time on.
    Weak,
    /// If it is enabled again and again.
    Strong,
}

impl<M: Model + 'static> Questions<M> {
    /// The questions, bound to the system of the model; or what is wrong with them, in words.
    pub(crate) fn bind(self, system: &Arc<Bounded<M>>) -> Result<Vec<Question>, String> {
        let decoded = Arc::new(Decoded::default());
        let typed = |holds: Predicate<M>| {
            let (system, decoded) = (Arc::clone(system), Arc::clone(&decoded));
            move |seen: Seen<'_>| {
                let words = system.typed().body(seen.state);
                Ok(decoded.ask(words, |state| holds(system.model(), state)))
            }
        };
        let propositions = self.propositions.into_iter();
        let propositions = propositions.map(|(name, holds)| (name, Test::custom(typed(holds))));
        let mut runs = RunBinder::new(system, propositions.collect(), &self.fair)?;
        runs.assume_of_actions(self.fair_actions)?;
        let questions = self.asked.into_iter().map(|asked| {
            Ok(match asked {
                Asked::Invariant(name, holds, _) => {
                    Question::invariant(name.clone(), name, typed(holds))
                }
                Asked::Reachable(name, holds, _) => {
                    Question::reachable(name.clone(), name, typed(holds))
                }
                Asked::Ltl(formula) => runs.question(&formula)?,
                Asked::Ctl(formula) => runs.branches(&formula)?,
                Asked::NoDeadlock => Question::no_deadlock(),
            })
        });
        questions.collect()
    }
}

/// The state that was asked about last, decoded once for all questions.
struct Decoded<S>(Mutex<Option<(Vec<Word>, S)>>);

impl<S> Default for Decoded<S> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<S: Encode> Decoded<S> {
    #[inline]
    fn ask(&self, words: &[Word], question: impl FnOnce(&S) -> bool) -> bool {
        // States of fixed size are decoded in less time than it takes to look whether they are; and the compiler leaves out
        // what a question does not look at.
        if S::BITS.is_some() {
            return question(&unpack(words));
        }
        // A question that panicked has not changed the state it was asked about.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, mut room) = match last.take() {
            Some((known, state)) if known == words => (Some(state), known),
            other => (None, other.map_or_else(Vec::new, |(room, _)| room)),
        };
        let state = known.unwrap_or_else(|| {
            room.clear();
            room.extend_from_slice(words);
            unpack(words)
        });
        let (_, state) = last.insert((room, state));
        question(state)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use sweepline_model::{EncodeError, Reader, Writer, pack};

    use super::*;

    static DECODED: AtomicUsize = AtomicUsize::new(0);

    /// Counts how often it is decoded.
    #[derive(Clone, Debug, PartialEq)]
    struct Counted(u8);

    impl Encode for Counted {
        const BITS: Option<u32> = None;
        fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
            self.0.encode(out)
        }
        fn decode(input: &mut Reader<'_>) -> Self {
            DECODED.fetch_add(1, Ordering::Relaxed);
            Self(u8::decode(input))
        }
    }

    #[test]
    fn several_questions_decode_a_state_once() {
        let decoded = Decoded::default();
        let words = |number| {
            let mut words = Vec::new();
            pack(&Counted(number), &mut words).unwrap();
            words
        };
        for number in [3, 4, 3] {
            for expected in 2..6 {
                let is_expected = decoded.ask(&words(number), |Counted(n)| *n == expected);
                assert_eq!(is_expected, number == expected);
            }
        }
        assert_eq!(DECODED.load(Ordering::Relaxed), 3);
    }
}
