//! From the AST to a program.
//!
//! The rules are those of the interpreter of `DiVinE` 3 (`divine/dve/interpreter.h`, `Transition::apply`). A rendezvous joins
//! a sending and a receiving transition of two different processes: all values are computed, the receiver's variables get
//! them from left to right, then the effects of the receiver are executed and those of the sender last. With a buffered
//! channel the message is put or taken, then the effects are executed. While some process is in a committed state, every
//! process that takes part in a step must be in one, so a rendezvous of a committed and an ordinary state never happens.
//!
//! `DiVinE` 2 (`dve_explicit_system.cc`) computed and stored the values of a rendezvous one by one, and executed effects
//! before it touched a buffer; the book says why we do not.
//!
//! We differ in one point: an error (a value out of range, an index out of bounds, a division by zero) ends the
//! exploration, where `DiVinE` goes on from a state made for the purpose.

use std::ops::Range;

use sweepline_program::{
    Effect, Expr, LocationFlags, LocationId, Message as Told, Place, ProcessId,
};
use sweepline_text::Name;

use crate::ast::{self, Direction};
use crate::declare::Channel;
use crate::errors::{DveError, DveWarning};
use crate::resolve::Resolver;

/// How many actions a program can have; rendezvous multiply.
const MOST_ACTIONS: usize = 1 << 20;

/// A transition whose names are resolved.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    process: ProcessId,
    source: LocationId,
    target: LocationId,
    committed: bool,
    name: String,
    guard: Option<Expr>,
    sync: Option<Message>,
    effects: Vec<Effect>,
    span: Range<usize>,
}

/// What a transition sends or receives.
#[derive(Clone, Debug)]
struct Message {
    channel: usize,
    parts: Parts,
    span: Range<usize>,
}

#[derive(Clone, Debug)]
enum Parts {
    Sent(Vec<Expr>),
    Received(Vec<Option<Place>>),
}

impl Step {
    /// Whether the guard is false whatever happens, as in processes that a constant switches off.
    fn is_dead(&self) -> bool {
        self.guard == Some(Expr::Constant(0))
    }
}

impl Resolver<'_> {
    /// Adds everything a process says beyond its declarations; its transitions are returned.
    pub fn process_body(
        &mut self,
        process: &ast::Process,
        index: usize,
        id: ProcessId,
        channels: &mut [Channel],
    ) -> Vec<Step> {
        if let Some(start) = self.initial_location(process, index) {
            self.builder.start(id, start);
        }
        for state in &process.committed {
            if let Some(location) = self.location(state, index) {
                self.flags(id, location).committed = true;
            }
        }
        for state in &process.accepting {
            if let Some(location) = self.location(state, index) {
                self.flags(id, location).accepting = true;
            }
        }
        for assertion in &process.assertions {
            let location = self.location(&assertion.state, index);
            let condition = self.expr(&assertion.condition, Some(index));
            let span = assertion.condition.span.clone().into();
            if let Some(location) = location {
                self.builder.assert(id, location, condition, span);
            }
        }
        let transitions = process.transitions.iter();
        transitions
            .filter_map(|transition| self.step(process, transition, index, id, channels))
            .collect()
    }

    fn flags(&mut self, process: ProcessId, location: LocationId) -> &mut LocationFlags {
        &mut self.builder.location_mut(process, location).flags
    }

    /// Where a process starts.
    pub fn initial_location(&mut self, process: &ast::Process, index: usize) -> Option<LocationId> {
        let text = self.source.named();
        let name = process.name.text.clone();
        match &process.initial[..] {
            [] => {
                let first = process.states.first();
                self.errors.push(DveError::MissingInit {
                    process: name,
                    help: Some(first.map_or_else(
                        || "declare its states: `state s; init s;`".to_string(),
                        |state| format!("for example `init {state};`"),
                    )),
                    text,
                    at: process.name.span.clone().into(),
                });
                None
            }
            [state] => self.location(state, index),
            [_, second, ..] => {
                self.errors.push(DveError::SeveralInits {
                    process: name,
                    count: process.initial.len(),
                    text,
                    at: second.span.clone().into(),
                });
                None
            }
        }
    }

    fn step(
        &mut self,
        process: &ast::Process,
        transition: &ast::Transition,
        index: usize,
        id: ProcessId,
        channels: &mut [Channel],
    ) -> Option<Step> {
        let source = self.location(&transition.source, index);
        let target = self.location(&transition.target, index);
        let guard = transition.guard.as_ref();
        let guard = guard.map(|guard| self.expr(guard, Some(index)));
        let sync = transition.sync.as_ref();
        let sync = sync.map(|sync| self.message(sync, index, channels));
        let assignments = transition.effects.iter();
        let effects: Vec<Effect> = assignments
            .filter_map(|assignment| self.assignment(assignment, index))
            .collect();
        let (source, target) = (source?, target?);
        let sync = match sync {
            Some(message) => Some(message?),
            None => None,
        };
        let committed = self.flags(id, source).committed;
        let (from, to) = (&transition.source, &transition.target);
        Some(Step {
            process: id,
            source,
            target,
            committed,
            name: format!("{}: {from} -> {to}", process.name),
            guard,
            sync,
            effects,
            span: transition.span.clone(),
        })
    }

    fn assignment(&mut self, assignment: &ast::Assignment, process: usize) -> Option<Effect> {
        let place = self.place(&assignment.target, process);
        let value = self.expr(&assignment.value, Some(process));
        Some(Effect::assign(place?, value))
    }

    fn message(
        &mut self,
        sync: &ast::Sync,
        process: usize,
        channels: &mut [Channel],
    ) -> Option<Message> {
        let channel = self.channel(&sync.channel, process);
        let message = sync.message.iter();
        let parts = match sync.direction {
            Direction::Send => Parts::Sent(
                message
                    .map(|value| self.expr(value, Some(process)))
                    .collect(),
            ),
            Direction::Receive => {
                Parts::Received(message.map(|place| self.place(place, process)).collect())
            }
        };
        let channel = channel?;
        self.arity(sync, &mut channels[channel])?;
        let span = sync.span.clone();
        Some(Message {
            channel,
            parts,
            span,
        })
    }

    /// Every use of a channel has the same number of values.
    fn arity(&mut self, sync: &ast::Sync, channel: &mut Channel) -> Option<()> {
        let found = sync.message.len();
        let (expected, because) = channel
            .arity
            .get_or_insert_with(|| (found, sync.span.clone()));
        if *expected == found {
            return Some(());
        }
        self.errors.push(DveError::MessageSize {
            channel: channel.name.text.clone(),
            expected: values(*expected),
            found: values(found),
            text: self.source.named(),
            because: because.clone().into(),
            at: sync.span.clone().into(),
        });
        None
    }

    /// Adds the actions of all processes, in the order of their transitions.
    pub fn actions(&mut self, steps: &[Step], channels: &mut [Channel]) {
        let mut receivers = vec![Vec::new(); channels.len()];
        let mut sent = vec![false; channels.len()];
        for step in steps {
            match &step.sync {
                Some(message) if matches!(message.parts, Parts::Received(_)) => {
                    receivers[message.channel].push(step);
                }
                Some(message) => sent[message.channel] = true,
                None => {}
            }
        }
        for step in steps.iter().filter(|step| !step.is_dead()) {
            match &step.sync {
                None => self.add(step, step.effects.clone(), None),
                Some(message) => {
                    let channel = &mut channels[message.channel];
                    self.communication(step, message, &receivers, channel);
                }
            }
            if let Err(reason) = self.limits.allow(self.bytes()) {
                return self.errors.push(DveError::Stopped { reason });
            }
            if self.builder.program().actions().len() > MOST_ACTIONS {
                return self.too_many_actions(&step.span);
            }
        }
        for step in receivers.iter().flatten() {
            if let Some(message) = &step.sync
                && !sent[message.channel]
            {
                self.no_partner(message, &channels[message.channel].name, "sends on");
            }
        }
    }

    /// About how many bytes the program takes so far.
    fn bytes(&self) -> usize {
        let program = self.builder.program();
        512 * (program.slots().len() + program.actions().len())
    }

    fn too_many_actions(&mut self, at: &Range<usize>) {
        self.errors.push(DveError::TooLarge {
            limit: MOST_ACTIONS,
            what: "transitions and pairs of them that communicate",
            text: self.source.named(),
            at: at.clone().into(),
        });
    }

    fn no_partner(&mut self, message: &Message, channel: &Name, partner: &'static str) {
        self.warnings.push(DveWarning::NoPartner {
            channel: channel.text.clone(),
            partner,
            text: self.source.named(),
            at: message.span.clone().into(),
        });
    }

    fn communication(
        &mut self,
        step: &Step,
        message: &Message,
        receivers: &[Vec<&Step>],
        channel: &mut Channel,
    ) {
        let Some(buffer) = channel.buffer else {
            if let Parts::Sent(values) = &message.parts {
                let receivers = &receivers[message.channel];
                if receivers.is_empty() {
                    self.no_partner(message, &channel.name, "receives from");
                }
                for receiver in receivers {
                    self.rendezvous(step, values, receiver, channel);
                }
            }
            return;
        };
        let (blocked, effect, told) = match &message.parts {
            Parts::Sent(values) => {
                let told = (format!("{}!", channel.name), values.clone());
                let (channel, values) = (buffer, values.clone());
                (Expr::Full(buffer), Effect::Push { channel, values }, told)
            }
            Parts::Received(places) => {
                let values = (0..).take(places.len());
                let values = values.map(|part| Expr::Front(buffer, part)).collect();
                let told = (format!("{}?", channel.name), values);
                let (channel, places) = (buffer, places.clone());
                (Expr::Empty(buffer), Effect::Pop { channel, places }, told)
            }
        };
        let mut step = step.clone();
        let ready = blocked.negated();
        step.guard = Some(match step.guard {
            Some(guard) => guard.and(ready),
            None => ready,
        });
        let effects = [vec![effect], step.effects.clone()].concat();
        let (sign, values) = told;
        let told = Told {
            before: format!("{}, {sign}", step.name),
            values,
            after: String::new(),
        };
        self.add(&step, effects, Some(told));
    }

    fn add(&mut self, step: &Step, effects: Vec<Effect>, told: Option<Told>) {
        let name = step.name.as_str();
        let action = self
            .builder
            .action(name, step.process, step.source, step.target);
        let mut action = action.span(step.span.clone());
        if let Some(guard) = &step.guard {
            action = action.guard(guard.clone());
        }
        if let Some(told) = told {
            action = action.message(told);
        }
        for effect in effects {
            action = action.effect(effect);
        }
    }

    fn rendezvous(
        &mut self,
        sender: &Step,
        values: &[Expr],
        receiver: &Step,
        channel: &mut Channel,
    ) {
        let Some(Message {
            parts: Parts::Received(places),
            ..
        }) = &receiver.sync
        else {
            return;
        };
        let excluded = sender.process == receiver.process || sender.committed != receiver.committed;
        if excluded || receiver.is_dead() {
            return;
        }
        let name = format!("{}, {}", sender.name, receiver.name);
        let told = Told {
            before: format!("{}, {}!", sender.name, channel.name),
            values: values.to_vec(),
            after: format!(", {}", receiver.name),
        };
        let (ready, passed) = self.passed(values, places, channel);
        let action = self
            .builder
            .action(name, sender.process, sender.source, sender.target)
            .with(receiver.process, receiver.source, receiver.target)
            .span(sender.span.clone())
            .partner_span(receiver.span.clone())
            .message(told);
        let guards = [&sender.guard, &receiver.guard, &ready];
        let guards = guards.into_iter().flatten();
        let action = guards.fold(action, |action, guard| action.guard(guard.clone()));
        let effects = passed
            .into_iter()
            .chain(receiver.effects.iter().cloned())
            .chain(sender.effects.iter().cloned());
        effects.fold(action, sweepline_program::ActionBuilder::effect);
    }
}

/// How many values a message has, in words.
fn values(count: usize) -> String {
    match count {
        0 => "no value".to_string(),
        1 => "one value".to_string(),
        _ => format!("{count} values"),
    }
}
