//! Two-phase commit: a transaction manager and its resource managers commit together or not at all, after \[GL06\].
//!
//! The model is there twice: [`TwoPhaseCommit`] as one writes it without a thought for the checker, with a vector and a
//! set in the state, and [`FlatTwoPhaseCommit`] with arrays of fixed size. They have the same states and edges.

use std::collections::BTreeSet;

use crate::{Encode, Model, Next};

/// The protocol with any number of resource managers.
#[derive(Clone, Copy, Debug)]
pub struct TwoPhaseCommit {
    /// How many resource managers there are.
    pub managers: u8,
}

/// The protocol with `N` resource managers.
#[derive(Clone, Copy, Debug)]
pub struct FlatTwoPhaseCommit<const N: usize>;

/// What a resource manager does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode)]
pub enum Resource {
    /// It works on the transaction.
    Working,
    /// It is ready to commit, and waits.
    Prepared,
    /// It has committed.
    Committed,
    /// It has aborted.
    Aborted,
}

/// What the transaction manager has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode)]
pub enum Decision {
    /// Nothing.
    Open,
    /// To commit.
    Commit,
    /// To abort.
    Abort,
}

/// What is sent, for all to read and for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Encode)]
pub enum Message {
    /// A resource manager is prepared.
    Prepared {
        /// Which one.
        manager: u8,
    },
    /// All commit.
    Commit,
    /// All abort.
    Abort,
}

/// A state of [`TwoPhaseCommit`].
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct State {
    /// What each resource manager does.
    pub resources: Vec<Resource>,
    /// What the transaction manager has decided.
    pub decision: Decision,
    /// Of which resource managers the transaction manager knows that they are prepared.
    pub prepared: Vec<bool>,
    /// All messages sent so far.
    pub messages: BTreeSet<Message>,
}

/// A state of [`FlatTwoPhaseCommit`].
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct FlatState<const N: usize> {
    /// What each resource manager does.
    pub resources: [Resource; N],
    /// What the transaction manager has decided.
    pub decision: Decision,
    /// Of which resource managers the transaction manager knows that they are prepared.
    pub prepared: [bool; N],
    /// Which resource managers have sent that they are prepared.
    pub announced: [bool; N],
    /// Whether the message to commit has been sent.
    pub commit: bool,
    /// Whether the message to abort has been sent.
    pub abort: bool,
}

/// What can happen, with the resource manager it happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The transaction manager decides to commit: all are prepared.
    Commit,
    /// The transaction manager decides to abort.
    Abort,
    /// The transaction manager learns that a resource manager is prepared.
    Learn(usize),
    /// A resource manager prepares.
    Prepare(usize),
    /// A resource manager aborts by itself.
    GiveUp(usize),
    /// A resource manager is told to commit.
    Committed(usize),
    /// A resource manager is told to abort.
    Aborted(usize),
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State {
            resources: vec![Resource::Working; self.managers.into()],
            decision: Decision::Open,
            prepared: vec![false; self.managers.into()],
            messages: BTreeSet::new(),
        }]
    }

    fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
        let open = state.decision == Decision::Open;
        if open && state.prepared.iter().all(|known| *known) {
            next.change(Action::Commit, |to| {
                to.decision = Decision::Commit;
                to.messages.insert(Message::Commit);
            });
        }
        if open {
            next.change(Action::Abort, |to| {
                to.decision = Decision::Abort;
                to.messages.insert(Message::Abort);
            });
        }
        for manager in 0..self.managers {
            let index = usize::from(manager);
            if open && state.messages.contains(&Message::Prepared { manager }) {
                next.change(Action::Learn(index), |to| to.prepared[index] = true);
            }
            if state.resources[index] == Resource::Working {
                next.change(Action::Prepare(index), |to| {
                    to.resources[index] = Resource::Prepared;
                    to.messages.insert(Message::Prepared { manager });
                });
                next.change(Action::GiveUp(index), |to| {
                    to.resources[index] = Resource::Aborted;
                });
            }
            if state.messages.contains(&Message::Commit) {
                next.change(Action::Committed(index), |to| {
                    to.resources[index] = Resource::Committed;
                });
            }
            if state.messages.contains(&Message::Abort) {
                next.change(Action::Aborted(index), |to| {
                    to.resources[index] = Resource::Aborted;
                });
            }
        }
    }
}

impl<const N: usize> Model for FlatTwoPhaseCommit<N> {
    type State = FlatState<N>;
    type Action = Action;

    fn initial(&self) -> Vec<FlatState<N>> {
        vec![FlatState {
            resources: [Resource::Working; N],
            decision: Decision::Open,
            prepared: [false; N],
            announced: [false; N],
            commit: false,
            abort: false,
        }]
    }

    fn steps(&self, state: &FlatState<N>, next: &mut Next<'_, Self>) {
        let open = state.decision == Decision::Open;
        if open && state.prepared.iter().all(|known| *known) {
            next.change(Action::Commit, |to| {
                to.decision = Decision::Commit;
                to.commit = true;
            });
        }
        if open {
            next.change(Action::Abort, |to| {
                to.decision = Decision::Abort;
                to.abort = true;
            });
        }
        for manager in 0..N {
            if open && state.announced[manager] {
                next.change(Action::Learn(manager), |to| to.prepared[manager] = true);
            }
            if state.resources[manager] == Resource::Working {
                next.change(Action::Prepare(manager), |to| {
                    to.resources[manager] = Resource::Prepared;
                    to.announced[manager] = true;
                });
                next.change(Action::GiveUp(manager), |to| {
                    to.resources[manager] = Resource::Aborted;
                });
            }
            if state.commit {
                next.change(Action::Committed(manager), |to| {
                    to.resources[manager] = Resource::Committed;
                });
            }
            if state.abort {
                next.change(Action::Aborted(manager), |to| {
                    to.resources[manager] = Resource::Aborted;
                });
            }
        }
    }
}
