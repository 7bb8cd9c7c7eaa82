//! The stop-and-wait protocol: one packet at a time over channels that may lose it.
//!
//! The sender repeats a packet until its acknowledgement arrives; the receiver answers every packet with the number it
//! expects next. Each channel has two cells, one at either end, and a packet may get lost between them.
//!
//! With `n` packets there are 271`n` − 134 states, one of them a deadlock: everything is delivered.

use sweepline_core::Progress;

use crate::{Encode, Model, Next, TypedMeasure};

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub struct StopAndWait {
    /// How many packets are sent, at most 1022.
    pub packets: u16,
}

/// What the sender is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode)]
pub enum Sender {
    /// Nothing has happened yet.
    Start,
    /// It may take the next packet.
    Idle,
    /// It waits for an acknowledgement.
    Wait,
}

/// A state of the protocol. Packets are numbered from 1.
#[derive(Clone, Debug, PartialEq, Encode)]
pub struct State {
    /// What the sender is about to do.
    pub sender: Sender,
    /// The packet the sender is at.
    #[encode(range = 0..=1023)]
    pub current: u16,
    /// The packet handed to the sending side and not yet on the channel.
    #[encode(range = 0..=1023)]
    pub sending: Option<u16>,
    /// The sender's end of the data channel.
    #[encode(range = 0..=1023)]
    pub data_out: Option<u16>,
    /// The receiver's end of the data channel.
    #[encode(range = 0..=1023)]
    pub data_in: Option<u16>,
    /// The packet the receiver expects.
    #[encode(range = 0..=1023)]
    pub expected: u16,
    /// The acknowledgement the receiver still has to send.
    #[encode(range = 0..=1023)]
    pub answering: Option<u16>,
    /// The receiver's end of the acknowledgement channel.
    #[encode(range = 0..=1023)]
    pub ack_out: Option<u16>,
    /// The sender's end of the acknowledgement channel.
    #[encode(range = 0..=1023)]
    pub ack_in: Option<u16>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The protocol starts.
    Init,
    /// The sender takes the next packet.
    Accept,
    /// The sender repeats the packet.
    TimeOut,
    /// The packet enters the data channel.
    SendFrame,
    /// The packet crosses the data channel.
    TransmitData,
    /// The packet gets lost.
    LoseData,
    /// The receiver takes the packet.
    Receive,
    /// The acknowledgement enters its channel.
    SendAck,
    /// The acknowledgement crosses its channel.
    TransmitAck,
    /// The acknowledgement gets lost.
    LoseAck,
    /// The sender takes the acknowledgement.
    ReceiveAck,
}

impl Model for StopAndWait {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State {
            sender: Sender::Start,
            current: 1,
            sending: None,
            data_out: None,
            data_in: None,
            expected: 1,
            answering: None,
            ack_out: None,
            ack_in: None,
        }]
    }

    fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
        self.sender_steps(state, next);
        data_channel_steps(state, next);
        receiver_steps(state, next);
        ack_channel_steps(state, next);
        if let Some(ack) = state.ack_in {
            next.change(Action::ReceiveAck, |to| {
                to.ack_in = None;
                if ack == to.current + 1 {
                    to.current = ack;
                    to.sender = Sender::Idle;
                }
            });
        }
    }
}

impl StopAndWait {
    fn sender_steps(self, state: &State, next: &mut Next<'_, Self>) {
        match state.sender {
            Sender::Start => next.change(Action::Init, |to| to.sender = Sender::Idle),
            Sender::Idle if state.sending.is_none() && state.current <= self.packets => {
                next.change(Action::Accept, |to| {
                    to.sending = Some(to.current);
                    to.sender = Sender::Wait;
                });
            }
            Sender::Wait if state.sending.is_none() => {
                next.change(Action::TimeOut, |to| to.sending = Some(to.current));
            }
            Sender::Idle | Sender::Wait => {}
        }
    }

    /// The number of packets received: it never decreases.
    pub fn measure(&self) -> impl Progress + Copy + use<> {
        TypedMeasure::new().named_column("packets received", |state: &State| state.expected - 1)
    }
}

fn data_channel_steps(state: &State, next: &mut Next<'_, StopAndWait>) {
    if state.sending.is_some() && state.data_out.is_none() {
        next.change(Action::SendFrame, |to| to.data_out = to.sending.take());
    }
    if state.data_out.is_some() && state.data_in.is_none() {
        next.change(Action::TransmitData, |to| to.data_in = to.data_out.take());
        next.change(Action::LoseData, |to| to.data_out = None);
    }
}

fn receiver_steps(state: &State, next: &mut Next<'_, StopAndWait>) {
    if let (Some(packet), None) = (state.data_in, state.answering) {
        next.change(Action::Receive, |to| {
            to.data_in = None;
            if packet == to.expected {
                to.expected += 1;
            }
            to.answering = Some(to.expected);
        });
    }
}

fn ack_channel_steps(state: &State, next: &mut Next<'_, StopAndWait>) {
    if state.answering.is_some() && state.ack_out.is_none() {
        next.change(Action::SendAck, |to| to.ack_out = to.answering.take());
    }
    if state.ack_out.is_some() && state.ack_in.is_none() {
        next.change(Action::TransmitAck, |to| to.ack_in = to.ack_out.take());
        next.change(Action::LoseAck, |to| to.ack_out = None);
    }
}
