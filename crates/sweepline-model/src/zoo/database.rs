//! Replication of a database: one manager at a time changes its copy and tells all others.
//!
//! With `D` managers there are `D`·3^(`D`−1) + 2 states.

use std::ops::RangeInclusive;

use sweepline_core::Progress;

use crate::{Encode, Model, Next, TypedMeasure};

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub struct Database {
    managers: u8,
}

/// A state has no room for so many managers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{managers} managers are more than a state has room for, which is {}",
    MOST_MANAGERS
)]
pub struct TooManyManagers {
    managers: u8,
}

/// The largest number of managers a state has room for.
pub const MOST_MANAGERS: u8 = 16;

/// A state of the protocol.
#[derive(Clone, Debug, PartialEq, Encode)]
pub enum State {
    /// Nothing has happened yet.
    Start,
    /// Nobody changes anything.
    Idle,
    /// A manager changes its copy.
    Updating {
        /// That manager; managers are numbered from 1.
        #[encode(range = 1..=MOST_MANAGERS)]
        writer: u8,
        /// How far the message to each manager is; the first one is for manager 1. Unused for the writer itself.
        messages: Messages,
    },
}

/// How far a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode)]
pub enum Message {
    /// On its way to its receiver.
    Sent,
    /// With its receiver.
    Received,
    /// Acknowledged.
    Acknowledged,
}

/// What can happen, with the manager it happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The protocol starts.
    Init,
    /// A manager changes its copy and tells all others.
    Update(u8),
    /// A manager receives the message.
    Receive(u8),
    /// A manager acknowledges the message.
    Acknowledge(u8),
    /// The manager that changed its copy has all acknowledgements.
    Done,
}

impl Model for Database {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State::Start]
    }

    fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
        match state {
            State::Start => next.step(Action::Init, State::Idle),
            State::Idle => {
                for writer in self.all() {
                    let messages = [Message::Sent; MOST_MANAGERS as usize];
                    next.step(Action::Update(writer), State::Updating { writer, messages });
                }
            }
            State::Updating { writer, messages } => self.spread(*writer, messages, next),
        }
    }
}

impl Database {
    /// The protocol with this many managers, at most [`MOST_MANAGERS`].
    pub fn new(managers: u8) -> Result<Self, TooManyManagers> {
        if managers > MOST_MANAGERS {
            return Err(TooManyManagers { managers });
        }
        Ok(Self { managers })
    }

    fn all(self) -> RangeInclusive<u8> {
        1..=self.managers
    }

    /// All managers but one.
    fn others(self, writer: u8) -> impl Iterator<Item = u8> {
        self.all().filter(move |manager| *manager != writer)
    }

    /// The steps while `writer` tells the others.
    fn spread(self, writer: u8, messages: &Messages, next: &mut Next<'_, Self>) {
        let mut moved = |action, receiver, message| {
            let mut messages = *messages;
            messages[index(receiver)] = message;
            next.step(action, State::Updating { writer, messages });
        };
        let mut done = true;
        for receiver in self.others(writer) {
            match messages[index(receiver)] {
                Message::Sent => moved(Action::Receive(receiver), receiver, Message::Received),
                Message::Received => {
                    moved(
                        Action::Acknowledge(receiver),
                        receiver,
                        Message::Acknowledged,
                    );
                }
                Message::Acknowledged => continue,
            }
            done = false;
        }
        if done {
            next.step(Action::Done, State::Idle);
        }
    }

    /// The writer, then how far each other manager is, as one number. It decreases when a change is done.
    ///
    /// The start has −2, the idle state −1, and every other state `writer` · 3^(D−1) plus the number whose digits to
    /// the base 3 are the messages.
    pub fn measure(self) -> impl Progress + Copy {
        TypedMeasure::new().named_row("writer and messages", move |state: &State| match state {
            State::Start => -2,
            State::Idle => -1,
            State::Updating { writer, messages } => {
                let digits = self
                    .others(*writer)
                    .map(|other| messages[index(other)] as i64);
                digits.fold(i64::from(*writer), |number, digit| 3 * number + digit)
            }
        })
    }
}

type Messages = [Message; MOST_MANAGERS as usize];

fn index(manager: u8) -> usize {
    usize::from(manager) - 1
}
