//! The go-back-N protocol over two channels that may lose messages.
//!
//! A sender transmits messages `0..K` with at most `W` of them unacknowledged; on a time-out it starts again with the
//! oldest one. The receiver accepts messages in order only and acknowledges each arrival with the number it expects
//! next. Data and acknowledgements travel through queues of capacity `C` that lose what is at their head.
//!
//! The model comes twice: [`GoBackN`] as one would write it, and [`GoBackNWords`] packed by hand into two words, to see
//! what the typed one costs. Both have the same states and edges in the same order.

use sweepline_core::Progress;

use crate::{Encode, Model, Next, Queue, TypedMeasure};

pub use super::go_back_n_words::{GoBackNWords, TooWide};

/// The protocol with channels of capacity `C`.
#[derive(Clone, Copy, Debug)]
pub struct GoBackN<const C: usize> {
    /// How many messages are sent, at most 8191.
    pub messages: u16,
    /// How many messages may be unacknowledged at a time.
    pub window: u16,
}

/// A state of the protocol.
#[derive(Clone, Debug, PartialEq, Encode)]
pub struct State<const C: usize> {
    /// The oldest unacknowledged message.
    #[encode(range = 0..=8191)]
    pub base: u16,
    /// The message to send next.
    #[encode(range = 0..=8191)]
    pub next: u16,
    /// The message the receiver waits for.
    #[encode(range = 0..=8191)]
    pub expected: u16,
    /// Messages on their way.
    #[encode(range = 0..=8191)]
    pub data: Queue<u16, C>,
    /// Acknowledgements on their way.
    #[encode(range = 0..=8191)]
    pub acks: Queue<u16, C>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The sender sends the next message of its window.
    Send,
    /// The sender gives up waiting and goes back to the oldest unacknowledged message.
    TimeOut,
    /// The data channel loses a message.
    LoseData,
    /// The receiver takes a message and acknowledges.
    Receive,
    /// The acknowledgement channel loses an acknowledgement.
    LoseAck,
    /// The sender takes an acknowledgement that is news. (Taking an old one would be the same as losing it.)
    ReceiveAck,
}

impl<const C: usize> Model for GoBackN<C> {
    type State = State<C>;
    type Action = Action;

    fn initial(&self) -> Vec<State<C>> {
        vec![State {
            base: 0,
            next: 0,
            expected: 0,
            data: Queue::new(),
            acks: Queue::new(),
        }]
    }

    fn steps(&self, state: &State<C>, next: &mut Next<'_, Self>) {
        let window_end = self.messages.min(state.base.saturating_add(self.window));
        if state.next < window_end && !state.data.is_full() {
            next.change(Action::Send, |to| {
                to.data.push(to.next);
                to.next += 1;
            });
        }
        if state.next > state.base {
            next.change(Action::TimeOut, |to| to.next = to.base);
        }
        if let Some(&message) = state.data.front() {
            next.change(Action::LoseData, |to| _ = to.data.pop());
            if !state.acks.is_full() {
                next.change(Action::Receive, |to| {
                    to.data.pop();
                    if message == to.expected {
                        to.expected += 1;
                    }
                    to.acks.push(to.expected);
                });
            }
        }
        if let Some(&ack) = state.acks.front() {
            next.change(Action::LoseAck, |to| _ = to.acks.pop());
            if ack > state.base {
                next.change(Action::ReceiveAck, |to| {
                    to.acks.pop();
                    to.base = ack;
                    to.next = to.next.max(ack);
                });
            }
        }
    }
}

impl<const C: usize> GoBackN<C> {
    /// Messages acknowledged and messages accepted, together: it never decreases.
    pub fn measure(&self) -> impl Progress + Copy + use<C> {
        TypedMeasure::new()
            .named_column("messages acknowledged and accepted", |state: &State<C>| {
                state.base + state.expected
            })
    }
}
