//! Firing with a memory: what a transition does depends on its input places only, so it is found out once.

use hashbrown::HashMap;
use sweepline_core::Interner;

use crate::before::Before;
use crate::binding::{self, Enabled};
use crate::encoding::Encoding;
use crate::marking::{Entry, MOST_PARTS, Marking, TOO_LARGE};
use crate::ml::{Declarations, Failure, Tokens, Value, Values};
use crate::net::{Net, Transition};

/// Remembered firings of a transition are forgotten when there are more.
const MOST_KEYS: usize = 1 << 21;

/// Tokens of a place; more are an error of the model.
const MOST_TOKENS: u64 = 1 << 62;

/// How many news make it worth while to look how much memory is held.
const NEWS: usize = 1 << 10;

/// The values, the markings of places that were met, and what transitions do to them.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) declarations: Declarations,
    pub(crate) places: Vec<Table>,
    transitions: Vec<Memory>,
    clip: bool,
    /// How many values there were before anything was explored. The net has them, so they stay what they are.
    pub(crate) own_values: usize,
    /// How much memory tables took when it was looked at, and how much was found out since then.
    held: usize,
    news: usize,
    scratch: Vec<u64>,
    tokens: Vec<Tokens>,
    /// Lent to expansions, so that nothing is allocated for each of them.
    pub(crate) spare: Option<Box<Spare>>,
}

/// Memory of an expansion.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    /// The codes of places.
    pub(crate) codes: Vec<i64>,
    /// Transitions and numbers of outcomes.
    pub(crate) enabled: Vec<(usize, usize)>,
    pub(crate) key: Vec<u64>,
    pub(crate) before: Before,
}

/// The markings of a place.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) markings: Interner<u64>,
    /// How many there were that are forgotten.
    pub(crate) forgotten: usize,
    /// What slots show of each, one after the other.
    shown: Vec<i64>,
    /// What transitions add to the place.
    deltas: Interner<u64>,
    /// What a marking becomes if something is added.
    added: HashMap<(i64, u32), i64>,
    /// What a marking becomes if time passes.
    shifted: HashMap<(i64, i64), i64>,
}

impl Table {
    /// A table in which nothing is number zero.
    fn new(encoding: &Encoding, values: &Values) -> Self {
        let mut table = Self::default();
        table.markings.number(&[]);
        if let Encoding::Interned { parts } = encoding {
            let nothing = Marking::default();
            let shown = parts.iter().map(|part| part.of(&nothing, values));
            table.shown = shown.map(Option::unwrap_or_default).collect();
        }
        table
    }

    /// The greatest number that a marking would have if none of those that were met had been forgotten.
    pub(crate) fn reach(&self) -> i64 {
        let last = self.markings.len() + self.forgotten - 1;
        i64::try_from(last).unwrap_or(i64::MAX)
    }

    /// Adds a marking that is not there, with what slots show of it.
    pub(crate) fn add(&mut self, marking: &[u64], shown: &[i64]) -> usize {
        self.shown.extend_from_slice(shown);
        self.markings.number(marking)
    }

    /// What slots show of a marking.
    #[inline]
    pub(crate) fn shown(&self, number: usize, parts: usize) -> &[i64] {
        &self.shown[number * parts..][..parts]
    }
}

/// What a transition does.
#[derive(Debug, Default)]
struct Memory {
    /// Codes of input places, and the clock if it counts.
    keys: Interner<u64>,
    /// For each key where its outcomes begin and end, or why there are none.
    results: Vec<Result<(usize, usize), Wrong>>,
    outcomes: Vec<Outcome>,
    effects: Vec<Effect>,
}

/// Why it is not known what a transition does.
#[derive(Clone, Debug)]
pub(crate) enum Wrong {
    /// The model is wrong.
    Model(String),
    /// It would take too long, or too much memory.
    TooMuch(String),
}

impl From<Failure> for Wrong {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Bindings(_) | Failure::Taken(_) | Failure::Full => {
                Self::TooMuch(failure.to_string())
            }
            failure => Self::Model(failure.to_string()),
        }
    }
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self::Model(message)
    }
}

impl From<Wrong> for String {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::Model(message) | Wrong::TooMuch(message) => message,
        }
    }
}

/// What one binding does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// How long it takes until it can occur.
    pub(crate) after: i64,
    first: usize,
    end: usize,
}

impl Outcome {
    /// The numbers of its effects.
    #[inline]
    pub(crate) fn effects(self) -> std::ops::Range<usize> {
        self.first..self.end
    }
}

/// What happens to a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    /// It has this code afterwards.
    Set { place: usize, code: i64 },
    /// Something is added to it, after time has passed.
    Add { place: usize, delta: u32 },
}

impl Engine {
    pub(crate) fn new(
        declarations: Declarations,
        net: &Net,
        encodings: &[Encoding],
        clip: bool,
    ) -> Self {
        let values = declarations.machine().values();
        let tables = encodings
            .iter()
            .map(|encoding| Table::new(encoding, values));
        Self {
            places: tables.collect(),
            own_values: values.len(),
            declarations,
            transitions: net.transitions.iter().map(|_| Memory::default()).collect(),
            clip,
            held: 0,
            news: 0,
            scratch: Vec::new(),
            tokens: Vec::new(),
            spare: None,
        }
    }

    /// The same net, of which nothing is known.
    pub(crate) fn empty(&self, declarations: Declarations, encodings: &[Encoding]) -> Self {
        let values = declarations.machine().values();
        let tables = encodings
            .iter()
            .map(|encoding| Table::new(encoding, values));
        Self {
            places: tables.collect(),
            declarations,
            transitions: self.transitions.iter().map(|_| Memory::default()).collect(),
            clip: self.clip,
            own_values: self.own_values,
            held: 0,
            news: 0,
            scratch: Vec::new(),
            tokens: Vec::new(),
            spare: None,
        }
    }

    /// How much memory is held. One value can be as large as anything, so these are looked at always.
    #[inline]
    pub(crate) fn held(&mut self) -> usize {
        if self.news > NEWS {
            self.news = 0;
            self.held = self.table_bytes();
        }
        self.held + self.declarations.machine().values().bytes()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table_bytes() + self.declarations.machine().values().bytes()
    }

    fn table_bytes(&self) -> usize {
        let tables = self.places.iter().map(|table| {
            table.markings.bytes()
                + table.deltas.bytes()
                + table.shown.capacity() * 8
                + (table.added.capacity() + table.shifted.capacity()) * 32
        });
        let memories = self.transitions.iter().map(|memory| {
            memory.keys.bytes()
                + memory.results.capacity() * 32
                + memory.outcomes.capacity() * size_of::<Outcome>()
                + memory.effects.capacity() * size_of::<Effect>()
        });
        tables.sum::<usize>() + memories.sum::<usize>()
    }

    /// The marking behind a code.
    pub(crate) fn marking(
        &self,
        net: &Net,
        encoding: &Encoding,
        place: usize,
        code: i64,
    ) -> Marking {
        let values = self.declarations.machine().values();
        let one = |value: Option<Value>| {
            let mut marking = Marking::default();
            marking.add(value.unwrap_or(Value::UNIT), 0, 1, values);
            marking
        };
        match encoding {
            Encoding::Constant => Marking::of(&net.places[place].initial, values),
            Encoding::Count(_) if code == 0 => Marking::default(),
            Encoding::Count(value) => {
                let mut marking = Marking::default();
                marking.add(*value, 0, code.unsigned_abs(), values);
                marking
            }
            Encoding::Integer | Encoding::Named { .. } => one(Value::int(code)),
            Encoding::Interned { .. } => {
                let number = usize::try_from(code).unwrap_or(0);
                Marking::read(self.places[place].markings.get(number))
            }
        }
    }

    /// The code of a marking, or why it has none.
    pub(crate) fn code(
        &mut self,
        encoding: &Encoding,
        place: usize,
        marking: &Marking,
    ) -> Result<i64, String> {
        match encoding {
            Encoding::Constant => Ok(0),
            Encoding::Count(_) => i64::try_from(marking.count()).map_err(|_| too_many()),
            Encoding::Integer | Encoding::Named { .. } => {
                let only = marking.0.first().and_then(|entry| entry.value.as_int());
                only.ok_or_else(|| "a number has more than 63 bits".to_owned())
            }
            Encoding::Interned { .. } if marking.count() > MOST_TOKENS => Err(too_many()),
            Encoding::Interned { parts } => {
                let values = self.declarations.machine().values();
                let table = &mut self.places[place];
                marking.write(&mut self.scratch);
                let known = table.markings.len();
                let number = table.markings.number(&self.scratch);
                if number == known {
                    self.news += 1;
                    for part in parts {
                        let value = part.of(marking, values).ok_or_else(too_many)?;
                        table.shown.push(value);
                    }
                }
                i64::try_from(number).map_err(|_| too_many())
            }
        }
    }

    /// The number of the outcomes for a key, which are found out if they are not known.
    #[inline]
    pub(crate) fn outcomes(
        &mut self,
        net: &Net,
        encodings: &[Encoding],
        index: usize,
        key: &[u64],
        codes: &[i64],
        clock: i64,
    ) -> Result<(usize, usize), &Wrong> {
        let memory = &mut self.transitions[index];
        if memory.keys.len() >= MOST_KEYS && memory.keys.known(key).is_none() {
            *memory = Memory::default();
        }
        let number = memory.keys.number(key);
        if number == memory.results.len() {
            let found = self.find_outcomes(net, encodings, index, codes, clock);
            self.transitions[index].results.push(found);
        }
        match &self.transitions[index].results[number] {
            Ok(range) => Ok(*range),
            Err(wrong) => Err(wrong),
        }
    }

    #[inline]
    pub(crate) fn outcome(&self, transition: usize, outcome: usize) -> Outcome {
        self.transitions[transition].outcomes[outcome]
    }

    #[inline]
    pub(crate) fn effect(&self, transition: usize, effect: usize) -> Effect {
        self.transitions[transition].effects[effect]
    }

    #[cold]
    fn find_outcomes(
        &mut self,
        net: &Net,
        encodings: &[Encoding],
        index: usize,
        codes: &[i64],
        clock: i64,
    ) -> Result<(usize, usize), Wrong> {
        self.news += 1;
        let transition = &net.transitions[index];
        let first = self.transitions[index].outcomes.len();
        for enabled in self.enabled(net, encodings, transition, codes)? {
            self.occur(net, encodings, index, codes, clock, &enabled)?;
        }
        Ok((first, self.transitions[index].outcomes.len()))
    }

    /// All enabled bindings.
    pub(crate) fn enabled(
        &mut self,
        net: &Net,
        encodings: &[Encoding],
        transition: &Transition,
        codes: &[i64],
    ) -> Result<Vec<Enabled>, Wrong> {
        let inputs = self.inputs(net, encodings, transition, codes);
        let found = binding::enabled(net, transition, &inputs, &mut self.declarations)?;
        Ok(found)
    }

    fn inputs(
        &self,
        net: &Net,
        encodings: &[Encoding],
        transition: &Transition,
        codes: &[i64],
    ) -> Vec<(usize, Marking)> {
        let mut inputs: Vec<(usize, Marking)> = Vec::new();
        for place in transition.looks_at() {
            if !inputs.iter().any(|(at, _)| *at == place) {
                let marking = self.marking(net, &encodings[place], place, codes[place]);
                inputs.push((place, marking));
            }
        }
        inputs
    }

    /// Notes what a binding does. Where random functions have several results, each is an outcome.
    fn occur(
        &mut self,
        net: &Net,
        encodings: &[Encoding],
        index: usize,
        codes: &[i64],
        clock: i64,
        enabled: &Enabled,
    ) -> Result<(), Wrong> {
        let transition = &net.transitions[index];
        let machine = self.declarations.machine_mut();
        machine.set_time(clock.saturating_add(enabled.after));
        if transition.is_random {
            machine.start_choices();
        }
        loop {
            let produced = self.produced(net, transition, &enabled.binding);
            self.note(net, encodings, index, codes, enabled, &produced?)?;
            if !(transition.is_random && self.declarations.machine_mut().next_choice()) {
                return Ok(());
            }
        }
    }

    /// The tokens that an occurrence adds to places.
    fn produced(
        &mut self,
        net: &Net,
        transition: &Transition,
        binding: &[Value],
    ) -> Result<Vec<(usize, Marking)>, Failure> {
        let machine = self.declarations.machine_mut();
        let mut binding = binding.to_vec();
        if let Some(code) = &transition.code {
            let result = machine.value(&code.action, &binding)?;
            match &code.output[..] {
                [] => {}
                [only] => binding[only.index()] = result,
                several => {
                    let fields = machine.values().fields(result).to_vec();
                    for (variable, field) in several.iter().zip(fields) {
                        binding[variable.index()] = field;
                    }
                }
            }
        }
        let delay = transition.delay.as_ref();
        let delay = delay.map(|delay| machine.delay(delay, &binding));
        let delay = delay.transpose()?.unwrap_or(0);
        let mut produced: Vec<(usize, Marking)> = Vec::new();
        for arc in &transition.outputs {
            self.tokens.clear();
            machine.tokens(&arc.expression, &binding, &mut self.tokens)?;
            let at = produced.iter().position(|(place, _)| *place == arc.place);
            let at = at.unwrap_or_else(|| {
                produced.push((arc.place, Marking::default()));
                produced.len() - 1
            });
            let is_timed = net.places[arc.place].is_timed;
            let entries = self.tokens.iter().map(|tokens| Entry {
                value: tokens.value,
                ready: if is_timed {
                    tokens.delay.saturating_add(delay)
                } else {
                    0
                },
                count: tokens.count,
            });
            produced[at].1.extend(entries, machine.values());
        }
        Ok(produced)
    }

    fn note(
        &mut self,
        net: &Net,
        encodings: &[Encoding],
        index: usize,
        codes: &[i64],
        enabled: &Enabled,
        produced: &[(usize, Marking)],
    ) -> Result<(), String> {
        let transition = &net.transitions[index];
        self.check_colours(net, produced)?;
        let mut effects = Vec::new();
        for (place, mut marking) in self.inputs(net, encodings, transition, codes) {
            if encodings[place] == Encoding::Constant {
                continue;
            }
            for taken in enabled.taken.iter().filter(|taken| taken.place == place) {
                if net.places[place].is_timed {
                    marking.take(taken.value, &taken.early, enabled.after);
                } else {
                    marking.take_many(taken.value, taken.count);
                }
            }
            if transition.resets.contains(&place) {
                marking = Marking::default();
            }
            let values = self.declarations.machine().values();
            if net.places[place].is_timed {
                marking.shift(enabled.after, self.clip, values);
            }
            if let Some((_, more)) = produced.iter().find(|(at, _)| *at == place) {
                marking.add_all(more, values);
            }
            let code = self.code(&encodings[place], place, &marking)?;
            if code != codes[place] || net.places[place].is_timed {
                effects.push(Effect::Set { place, code });
            }
        }
        for (place, more) in produced {
            let is_done = transition.looks_at().any(|at| at == *place);
            if !is_done && !more.0.is_empty() {
                let delta = self.delta(*place, more);
                let place = *place;
                effects.push(Effect::Add { place, delta });
            }
        }
        let memory = &mut self.transitions[index];
        let first = memory.effects.len();
        memory.effects.extend(effects);
        memory.outcomes.push(Outcome {
            after: enabled.after,
            first,
            end: memory.effects.len(),
        });
        Ok(())
    }

    /// What is produced must be of the colour sets of the places.
    fn check_colours(&self, net: &Net, produced: &[(usize, Marking)]) -> Result<(), String> {
        let (colours, values) = (
            self.declarations.colours(),
            self.declarations.machine().values(),
        );
        for (place, marking) in produced {
            let at = &net.places[*place];
            for entry in &marking.0 {
                if values.size(entry.value) > MOST_PARTS {
                    return Err(format!("a token on `{}` has {TOO_LARGE}", at.name()));
                }
                if !colours.contains(at.colour, entry.value, values) {
                    let token = colours.show(at.colour, entry.value, values);
                    let (name, colour) = (at.name(), colours.name(at.colour));
                    return Err(format!(
                        "`{token}` on `{name}` is not in colour set `{colour}`"
                    ));
                }
            }
        }
        Ok(())
    }

    fn delta(&mut self, place: usize, more: &Marking) -> u32 {
        more.write(&mut self.scratch);
        let number = self.places[place].deltas.number(&self.scratch);
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The code of a place when something is added.
    #[inline]
    pub(crate) fn add(
        &mut self,
        net: &Net,
        encoding: &Encoding,
        place: usize,
        code: i64,
        delta: u32,
    ) -> Result<i64, String> {
        if let Some(&known) = self.places[place].added.get(&(code, delta)) {
            return Ok(known);
        }
        self.news += 1;
        let more = Marking::read(self.places[place].deltas.get(delta as usize));
        let mut marking = self.marking(net, encoding, place, code);
        marking.add_all(&more, self.declarations.machine().values());
        let sum = self.code(encoding, place, &marking)?;
        let added = &mut self.places[place].added;
        if added.len() > MOST_KEYS {
            added.clear();
        }
        added.insert((code, delta), sum);
        Ok(sum)
    }

    /// The code of a place after some time.
    #[inline]
    pub(crate) fn shift(
        &mut self,
        net: &Net,
        encoding: &Encoding,
        place: usize,
        code: i64,
        time: i64,
    ) -> Result<i64, String> {
        if let Some(&known) = self.places[place].shifted.get(&(code, time)) {
            return Ok(known);
        }
        self.news += 1;
        let mut marking = self.marking(net, encoding, place, code);
        marking.shift(time, self.clip, self.declarations.machine().values());
        let later = self.code(encoding, place, &marking)?;
        let shifted = &mut self.places[place].shifted;
        if shifted.len() > MOST_KEYS {
            shifted.clear();
        }
        shifted.insert((code, time), later);
        Ok(later)
    }
}

fn too_many() -> String {
    "there are too many tokens".to_owned()
}
