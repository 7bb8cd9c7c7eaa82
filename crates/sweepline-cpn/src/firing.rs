//! The expansion of a state: which bindings come next, and what they do.

use sweepline_core::{ActionId, Fault, Steps, Word};

use crate::engine::{Effect, Engine, Spare, Wrong};
use crate::system::{CpnSystem, Narrow};

/// The expansion of one state.
pub(crate) struct Firing<'a> {
    system: &'a CpnSystem,
    engine: &'a mut Engine,
    /// Codes of places, and outcomes that come next.
    spare: Box<Spare>,
    /// When they occur.
    after: i64,
    clock: i64,
}

impl<'a> Firing<'a> {
    pub(crate) fn new(system: &'a CpnSystem, engine: &'a mut Engine, clock: i64) -> Self {
        let spare = engine.spare.take().unwrap_or_default();
        Self {
            system,
            engine,
            spare,
            after: i64::MAX,
            clock,
        }
    }

    /// Adds the steps of a state.
    pub(crate) fn expand(mut self, state: &[Word], out: &mut Steps) {
        self.find(state, out);
        self.fire(state, out);
        self.engine.spare = Some(self.spare);
    }

    /// Finds the bindings that come next: the earliest ones, and of these the most urgent.
    fn find(&mut self, state: &[Word], out: &mut Steps) {
        let shared = &*self.system.shared;
        self.system.read(state, &mut self.spare.codes);
        self.look_again(out);
        let Spare {
            enabled, before, ..
        } = &mut *self.spare;
        enabled.clear();
        let mut from = 0;
        while let Some(index) = before.active.next(from) {
            from = index + 1;
            let (first, end) = before.range(index);
            for number in first..end {
                let after = self.engine.outcome(index, number).after;
                if after < self.after {
                    self.after = after;
                    enabled.clear();
                }
                if after == self.after {
                    enabled.push((index, number));
                }
            }
        }
        if shared.has_priorities {
            self.keep_urgent();
        }
    }

    /// Looks at the transitions whose input places are not what they were in the state that was expanded before.
    fn look_again(&mut self, out: &mut Steps) {
        let shared = &*self.system.shared;
        let Spare {
            codes, key, before, ..
        } = &mut *self.spare;
        before.pass(codes, self.clock, &shared.readers);
        let mut from = 0;
        while let Some(index) = before.stale.next(from) {
            from = index + 1;
            key.clear();
            let inputs = shared.keys[index].iter().map(|&place| codes[place]);
            key.extend(inputs.map(i64::cast_unsigned));
            if shared.net.transitions[index].reads_time {
                key.push(self.clock.cast_unsigned());
            }
            let found = self.engine.outcomes(
                &shared.net,
                &shared.encodings,
                index,
                key,
                codes,
                self.clock,
            );
            match found {
                Ok(range) => before.note(index, range),
                Err(wrong) => {
                    let action = action_id(index);
                    let fault = match wrong.clone() {
                        Wrong::Model(message) => {
                            let name = &shared.net.transitions[index].name;
                            let message = format!("{name}: {message}");
                            Fault::Model { action, message }
                        }
                        Wrong::TooMuch(message) => {
                            let name = &shared.net.transitions[index].name;
                            let message = format!("`{name}` cannot be looked at: {message}");
                            Fault::TooMany { message }
                        }
                    };
                    before.forget(index);
                    out.fail(fault);
                }
            }
        }
    }

    fn keep_urgent(&mut self) {
        let transitions = &self.system.shared.net.transitions;
        let priority = |&(index, _): &(usize, usize)| transitions[index].priority;
        let Some(first) = self.spare.enabled.iter().map(priority).min() else {
            return;
        };
        self.spare
            .enabled
            .retain(|enabled| priority(enabled) == first);
    }

    fn fire(&mut self, state: &[Word], out: &mut Steps) {
        if self.spare.enabled.is_empty() {
            return;
        }
        let later = self.clock.saturating_add(self.after);
        if let Some(horizon) = self.system.shared.horizon
            && later > horizon
        {
            return self.leave(horizon, out);
        }
        if self.after > 0
            && let Err(fault) = self.pass()
        {
            return fault.tell(self.system, ActionId(0), out);
        }
        for at in 0..self.spare.enabled.len() {
            let (index, number) = self.spare.enabled[at];
            let target = out.push_copy(action_id(index), state);
            if let Err(fault) = self.step(index, number, later, target) {
                out.truncate(out.len() - 1);
                let name = &self.system.shared.actions[index];
                return fault.of(name).tell(self.system, action_id(index), out);
            }
        }
    }

    /// Lets time pass on all places.
    fn pass(&mut self) -> Result<(), Trouble> {
        let shared = &*self.system.shared;
        for &place in &shared.timed {
            let encoding = &shared.encodings[place];
            let code = self.spare.codes[place];
            let later = self
                .engine
                .shift(&shared.net, encoding, place, code, self.after);
            self.spare.codes[place] = later.map_err(Trouble::Model)?;
        }
        Ok(())
    }

    /// Writes the target of a step.
    #[inline]
    fn step(
        &mut self,
        index: usize,
        number: usize,
        later: i64,
        target: &mut [Word],
    ) -> Result<(), Trouble> {
        let (system, shared) = (self.system, &*self.system.shared);
        if self.after > 0 {
            for &place in &shared.timed {
                let code = self.spare.codes[place];
                system
                    .write(target, place, code, self.engine)
                    .map_err(Trouble::Narrow)?;
            }
            if let Some(clock) = system.clock
                && !clock.write(target, later)
            {
                return Err(Trouble::Narrow(Narrow(clock.id, later)));
            }
        }
        let outcome = self.engine.outcome(index, number);
        for effect in outcome.effects() {
            let (place, code) = match self.engine.effect(index, effect) {
                Effect::Set { place, code } => (place, code),
                Effect::Add { place, delta } => {
                    let (encoding, code) = (&shared.encodings[place], self.spare.codes[place]);
                    let sum = self.engine.add(&shared.net, encoding, place, code, delta);
                    (place, sum.map_err(Trouble::Model)?)
                }
            };
            system
                .write(target, place, code, self.engine)
                .map_err(Trouble::Narrow)?;
        }
        Ok(())
    }

    /// Everything after the horizon is one state, which cannot be expanded. It comes after all others.
    fn leave(&self, horizon: i64, out: &mut Steps) {
        let mut beyond = vec![0; self.system.layout.width().unwrap_or(1)];
        if let Some(clock) = self.system.clock {
            let moment = horizon.saturating_add(1);
            if !clock.write(&mut beyond, moment) {
                return self.system.narrow(Narrow(clock.id, moment), out);
            }
        }
        out.push(action_id(self.spare.enabled[0].0), &beyond);
    }
}

/// Why a step cannot be made.
enum Trouble {
    Model(String),
    Narrow(Narrow),
}

impl Trouble {
    /// The same, with the name of the transition that has it.
    fn of(self, transition: &str) -> Self {
        match self {
            Self::Model(message) => Self::Model(format!("{transition}: {message}")),
            narrow @ Self::Narrow(_) => narrow,
        }
    }

    fn tell(self, system: &CpnSystem, action: ActionId, out: &mut Steps) {
        match self {
            Self::Model(message) => out.fail(Fault::Model { action, message }),
            Self::Narrow(narrow) => system.narrow(narrow, out),
        }
    }
}

fn action_id(index: usize) -> ActionId {
    ActionId(u32::try_from(index).unwrap_or(u32::MAX))
}
