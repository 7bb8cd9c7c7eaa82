//! Coloured nets as transition systems.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use sweepline_core::{
    ActionId, AnySystem, Describe, Fault, Layout, Observation, Renewal, SlotId, SlotKind, Steps,
    System, Word,
};

use crate::TimeMode;
use crate::before::Readers;
use crate::encoding::{Encoding, Field, NEGATIVE, Part, Span, guessed};
use crate::engine::Engine;
use crate::firing::Firing;
use crate::ml::Declarations;
use crate::net::Net;
use crate::observe::Asked;
use crate::renewal::Beginning;

/// States that are looked at before anything is explored.
const LOOKS: usize = 200;

/// What the clock is called.
pub(crate) const CLOCK: &str = "time";

/// A coloured net as a transition system.
///
/// Each place has one number in a state: the number of its tokens, the only token if it is an integer or one of a few, or
/// the number of its marking in a table. What transitions do is remembered, so that most steps are a look-up.
///
/// The ranges of numbers are guesses: a slot that is too narrow is widened.
#[derive(Clone, Debug)]
pub struct CpnSystem {
    pub(crate) shared: Arc<Shared>,
    pub(crate) layout: Layout,
    spans: Vec<Span>,
    pub(crate) clock: Option<Field>,
    fields: Vec<PlaceFields>,
}

/// What all encodings of one net have in common, until it begins again.
#[derive(Debug)]
pub(crate) struct Shared {
    compiled: Arc<Compiled>,
    engine: Mutex<Engine>,
    /// What was asked of markings by name. The engine has what that needs.
    pub(crate) asked: Mutex<HashMap<String, Result<Asked, String>>>,
    /// The values that slots had no room for.
    demands: Mutex<Vec<(SlotId, i64)>>,
}

/// What never changes.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) net: Net,
    pub(crate) encodings: Vec<Encoding>,
    pub(crate) actions: Vec<String>,
    pub(crate) time: TimeMode,
    /// The last moment that is looked at.
    pub(crate) horizon: Option<i64>,
    /// Whether some transitions come before others.
    pub(crate) has_priorities: bool,
    /// The places whose codes a transition depends on.
    pub(crate) keys: Vec<Vec<usize>>,
    /// The other way round.
    pub(crate) readers: Readers,
    /// Places with stamps.
    pub(crate) timed: Vec<usize>,
}

impl std::ops::Deref for Shared {
    type Target = Compiled;

    #[inline]
    fn deref(&self) -> &Compiled {
        &self.compiled
    }
}

/// Where the code of a place lies, and what else slots show of its marking.
#[derive(Clone, Debug, Default)]
struct PlaceFields {
    code: Option<Field>,
    /// Whether the code is a number in a table.
    is_number: bool,
    /// The first of the others; most places have no more.
    part: Option<Field>,
    more: Box<[Field]>,
}

impl CpnSystem {
    pub(crate) fn new(
        net: Net,
        mut declarations: Declarations,
        time: TimeMode,
        horizon: Option<i64>,
    ) -> Self {
        let encodings = crate::encoding::encodings(&net, &mut declarations);
        let clip = time != TimeMode::Absolute;
        let engine = Engine::new(declarations, &net, &encodings, clip);
        let places = 0..net.places.len();
        let mut priorities = net.transitions.iter().map(|transition| transition.priority);
        let first = priorities.next();
        let has_priorities = priorities.any(|priority| Some(priority) != first);
        let transitions = net.transitions.iter();
        let keys: Vec<_> = transitions
            .map(|transition| key_places(transition, &encodings))
            .collect();
        let compiled = Compiled {
            readers: Readers::new(&net, &keys),
            keys,
            timed: places.filter(|&place| net.places[place].is_timed).collect(),
            actions: net.transitions.iter().map(|t| t.name.clone()).collect(),
            has_priorities,
            encodings,
            net,
            time,
            horizon,
        };
        let shared = Arc::new(Shared {
            compiled: Arc::new(compiled),
            engine: Mutex::new(engine),
            asked: Mutex::default(),
            demands: Mutex::default(),
        });
        let spans = shared.spans(&Self::negative(&shared));
        Self::encoded(shared, spans)
    }

    /// The places that are integers, and negative in some state near the initial one or by what stands on an arc. Where a slot
    /// begins cannot be changed later, for measures depend on it.
    fn negative(shared: &Arc<Shared>) -> Vec<usize> {
        let integers = shared.encodings.iter().enumerate();
        let integers = integers.filter(|(_, encoding)| **encoding == Encoding::Integer);
        let integers: Vec<usize> = integers.map(|(place, _)| place).collect();
        if integers.is_empty() {
            return integers;
        }
        let mut spans = shared.spans(&integers);
        for span in &mut spans {
            span.greatest = span.greatest.max(1 << 40);
        }
        let system = Self::encoded(Arc::clone(shared), spans);
        let states = system.nearby();
        let outputs = || shared.net.transitions.iter().flat_map(|t| &t.outputs);
        let is_negative = |place: &usize| {
            let mut arcs = outputs().filter(|arc| arc.place == *place);
            if arcs.any(|arc| arc.subtracts) {
                return true;
            }
            let mut codes = states.iter().map(|state| system.codes(state)[*place]);
            codes.any(|code| code < 0)
        };
        integers.into_iter().filter(is_negative).collect()
    }

    /// Some states near the initial one.
    fn nearby(&self) -> Vec<Vec<Word>> {
        let mut steps = Steps::for_layout(&self.layout);
        self.initial(&mut steps);
        let mut states: Vec<Vec<Word>> = Vec::new();
        let mut next = 0;
        loop {
            for step in 0..steps.len() {
                if states.len() < LOOKS && !states.iter().any(|state| state == steps.target(step)) {
                    states.push(steps.target(step).to_vec());
                }
            }
            let Some(state) = states.get(next) else {
                return states;
            };
            steps.clear();
            self.successors(state, &mut steps);
            next += 1;
        }
    }

    fn encoded(shared: Arc<Shared>, spans: Vec<Span>) -> Self {
        let layout = shared.layout(&spans);
        let ids = (0..spans.len()).filter_map(|id| u32::try_from(id).ok());
        let mut next = ids.map(|id| Field::new(&layout, SlotId(id)));
        let clock = shared.has_clock().then(|| next.next()).flatten();
        let fields = shared.encodings.iter().map(|encoding| match encoding {
            Encoding::Constant => PlaceFields::default(),
            Encoding::Interned { parts } => {
                let code = next.next();
                let mut parts = next.by_ref().take(parts.len());
                PlaceFields {
                    code,
                    is_number: true,
                    part: parts.next(),
                    more: parts.collect(),
                }
            }
            _ => PlaceFields {
                code: next.next(),
                ..PlaceFields::default()
            },
        });
        let fields = fields.collect();
        Self {
            shared,
            layout,
            spans,
            clock,
            fields,
        }
    }

    /// The same net with an engine that has begun again, and room for what is forgotten.
    pub(crate) fn begun_again(&self, renew: impl FnOnce(&Engine) -> Engine) -> Self {
        // In this order: what is asked later than it is copied is not missing in the engine's copy.
        let asked = self.shared.asked.lock();
        let asked = asked.unwrap_or_else(PoisonError::into_inner).clone();
        let shared = Shared {
            compiled: Arc::clone(&self.shared.compiled),
            engine: Mutex::new(renew(&self.shared.engine())),
            asked: Mutex::new(asked),
            demands: Mutex::default(),
        };
        let mut spans = self.spans.clone();
        let engine = shared.engine();
        for (fields, table) in self.fields.iter().zip(&engine.places) {
            if let Some(field) = fields.code.filter(|_| fields.is_number) {
                let span = &mut spans[field.id.0 as usize];
                // Four times what has been met: the table grows on, and who follows a path meets what was forgotten again.
                let room = table.reach().saturating_mul(2);
                if span.greatest / 2 < room {
                    *span = span.with(room);
                }
            }
        }
        drop(engine);
        Self::encoded(Arc::new(shared), spans)
    }

    /// Where the code of a place lies, if it has one.
    pub(crate) fn code_field(&self, place: usize) -> Option<Field> {
        self.fields[place].code
    }

    /// Whether the time of a state is part of it.
    pub fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// How many places there are, those that are one counted once.
    pub fn place_count(&self) -> usize {
        self.shared.net.places.len()
    }

    /// How many instances of transitions there are.
    pub fn transition_count(&self) -> usize {
        self.shared.net.transitions.len()
    }

    pub(crate) fn clock_of(&self, state: &[Word]) -> i64 {
        self.clock.map_or(0, |clock| clock.read(state))
    }

    /// The codes of all places.
    pub(crate) fn codes(&self, state: &[Word]) -> Vec<i64> {
        let mut codes = Vec::new();
        self.read(state, &mut codes);
        codes
    }

    #[inline]
    pub(crate) fn read(&self, state: &[Word], codes: &mut Vec<i64>) {
        codes.clear();
        let read = |fields: &PlaceFields| fields.code.map_or(0, |code| code.read(state));
        codes.extend(self.fields.iter().map(read));
    }

    /// Writes the code of a place, or says which slot is too small.
    #[inline]
    pub(crate) fn write(
        &self,
        target: &mut [Word],
        place: usize,
        code: i64,
        engine: &Engine,
    ) -> Result<(), Narrow> {
        let fields = &self.fields[place];
        let Some(field) = fields.code else {
            return Ok(());
        };
        if !field.write(target, code) {
            return Err(Narrow(field.id, code));
        }
        let Some(field) = fields.part else {
            return Ok(());
        };
        let number = usize::try_from(code).unwrap_or(0);
        let shown = engine.places[place].shown(number, 1 + fields.more.len());
        if !field.write(target, shown[0]) {
            return Err(Narrow(field.id, shown[0]));
        }
        if fields.more.is_empty() {
            return Ok(());
        }
        write_all(&fields.more, &shown[1..], target)
    }

    pub(crate) fn narrow(&self, Narrow(slot, value): Narrow, out: &mut Steps) {
        let demands = self.shared.demands.lock();
        let mut demands = demands.unwrap_or_else(PoisonError::into_inner);
        demands.push((slot, value));
        out.fail(Fault::Outgrown { slot });
    }
}

#[inline(never)]
fn write_all(fields: &[Field], values: &[i64], target: &mut [Word]) -> Result<(), Narrow> {
    for (field, value) in fields.iter().zip(values) {
        if !field.write(target, *value) {
            return Err(Narrow(field.id, *value));
        }
    }
    Ok(())
}

/// A slot that has no room for a value.
pub(crate) struct Narrow(pub(crate) SlotId, pub(crate) i64);

/// The places whose codes decide what a transition does.
fn key_places(transition: &crate::net::Transition, encodings: &[Encoding]) -> Vec<usize> {
    let mut places: Vec<usize> = transition.looks_at().collect();
    places.sort_unstable();
    places.dedup();
    places.retain(|&place| encodings[place] != Encoding::Constant);
    places
}

impl Shared {
    /// Who knows markings and remembers firings. Nothing is half done when somebody panics, so it can be used on.
    pub(crate) fn engine(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_clock(&self) -> bool {
        self.net.is_timed && self.time != TimeMode::Relative
    }

    /// The first guess of each range.
    fn spans(&self, negative: &[usize]) -> Vec<Span> {
        let mut spans = Vec::new();
        if self.has_clock() {
            let clock = Span::bits(16);
            spans.push(match self.horizon {
                Some(horizon) => clock.with(horizon.saturating_add(1)),
                None => clock,
            });
        }
        for (index, (encoding, place)) in self.encodings.iter().zip(&self.net.places).enumerate() {
            let count: u64 = place.initial.iter().map(|tokens| tokens.count).sum();
            let count = i64::try_from(count).unwrap_or(i64::MAX / 4);
            match encoding {
                Encoding::Constant => {}
                Encoding::Count(_) => spans.push(Span::bits(1).with(count / 2)),
                Encoding::Integer => {
                    let first = place
                        .initial
                        .first()
                        .and_then(|tokens| tokens.value.as_int());
                    let least = if negative.contains(&index) {
                        NEGATIVE
                    } else {
                        0
                    };
                    let span = Span { least, greatest: 0 };
                    spans.push(span.with(first.unwrap_or(0).max(1)));
                }
                Encoding::Named { least, names } => {
                    let more = i64::try_from(names.len()).unwrap_or(i64::MAX);
                    spans.push(Span {
                        least: *least,
                        greatest: least + more - 1,
                    });
                }
                Encoding::Interned { parts } => {
                    spans.push(Span::bits(6));
                    spans.extend(parts.iter().map(|part| match part {
                        Part::Count => Span::bits(2).with(count / 2),
                        Part::Length => Span::bits(2),
                        Part::Field {
                            least, greatest, ..
                        } => Span {
                            least: *least,
                            greatest: *greatest,
                        },
                    }));
                }
            }
        }
        spans
    }

    fn layout(&self, spans: &[Span]) -> Layout {
        let mut builder = Layout::builder();
        let mut spans = spans.iter().copied();
        let mut next = || spans.next().expect("every slot has a range");
        if self.has_clock() {
            builder = guessed(builder, CLOCK.to_owned(), next());
        }
        for (encoding, place) in self.encodings.iter().zip(&self.net.places) {
            let name = place.name().to_owned();
            builder = match encoding {
                Encoding::Constant => builder,
                Encoding::Count(_) | Encoding::Integer => guessed(builder, name, next()),
                Encoding::Named { least, names } => {
                    next();
                    builder.named_from(name, *least, names.clone())
                }
                Encoding::Interned { parts } => {
                    let marking = format!("marking({name})");
                    let builder = builder.opaque(marking, next().greatest);
                    parts.iter().fold(builder, |builder, part| {
                        let (shown, span) = (part.name(&name), next());
                        match part {
                            Part::Field {
                                names: Some(names), ..
                            } => builder.named_from(shown, span.least, names.clone()),
                            _ => guessed(builder, shown, span),
                        }
                    })
                }
            };
        }
        let mut layout = builder.build_packed(&[]);
        for (name, slot) in self.aliases(&layout) {
            layout.alias(name, slot);
        }
        layout
    }

    /// Other names of slots: short ones, and `count(P)` and `value(P)` for every name of a place.
    fn aliases(&self, layout: &Layout) -> Vec<(String, SlotId)> {
        let mut aliases = Vec::new();
        for (encoding, place) in self.encodings.iter().zip(&self.net.places) {
            let shown = place.name();
            for name in place.names.iter().flat_map(|name| spellings(name)) {
                if let Encoding::Interned { parts } = encoding {
                    aliases.extend(parts.iter().filter_map(|part| {
                        let slot = layout.slot_named(&part.name(shown))?;
                        Some((part.name(&name), slot))
                    }));
                    continue;
                }
                let (slot, names) = match encoding {
                    Encoding::Constant | Encoding::Interned { .. } => continue,
                    Encoding::Count(_) => (
                        layout.slot_named(shown),
                        vec![name.clone(), format!("count({name})")],
                    ),
                    Encoding::Integer | Encoding::Named { .. } => (
                        layout.slot_named(shown),
                        vec![name.clone(), format!("value({name})")],
                    ),
                };
                if let Some(slot) = slot {
                    aliases.extend(names.into_iter().map(|name| (name, slot)));
                }
            }
        }
        drop_ambiguous(aliases)
    }
}

/// How people write the name of a place: with its page or without, and as CPN Tools does.
pub(crate) fn spellings(name: &str) -> Vec<String> {
    match name.split_once('.') {
        Some((page, place)) => vec![name.to_owned(), format!("{page}'{place}"), place.to_owned()],
        None => vec![name.to_owned()],
    }
}

/// Names that could be several places name none.
fn drop_ambiguous(mut aliases: Vec<(String, SlotId)>) -> Vec<(String, SlotId)> {
    aliases.sort();
    aliases.dedup();
    let names: Vec<String> = aliases.iter().map(|(name, _)| name.clone()).collect();
    let is_double = |name: &str| names.iter().filter(|other| *other == name).count() > 1;
    aliases.retain(|(name, _)| !is_double(name));
    aliases
}

impl System for CpnSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        let mut engine = self.shared.engine();
        let mut state = vec![0; self.layout.width().unwrap_or(1)];
        let action = ActionId(0);
        for (place, encoding) in self.shared.encodings.iter().enumerate() {
            let values = engine.declarations.machine().values();
            let initial = &self.shared.net.places[place].initial;
            let marking = crate::marking::Marking::of(initial, values);
            let code = match engine.code(encoding, place, &marking) {
                Ok(code) => code,
                Err(message) => return out.fail(Fault::Model { action, message }),
            };
            if let Err(narrow) = self.write(&mut state, place, code, &engine) {
                return self.narrow(narrow, out);
            }
        }
        if let Some(clock) = self.clock {
            clock.write(&mut state, 0);
        }
        out.push(action, &state);
    }

    fn successors(&self, state: &[Word], out: &mut Steps) {
        let mut engine = self.shared.engine();
        let clock = self.clock_of(state);
        if let Some(horizon) = self.shared.horizon
            && clock > horizon
        {
            let message = format!("the horizon: what happens after {horizon} is not looked at");
            return out.fail(Fault::TooMany { message });
        }
        Firing::new(self, &mut engine, clock).expand(state, out);
        out.hold(engine.held());
    }
}

impl AnySystem for CpnSystem {
    fn widened(&self, slot: SlotId) -> Option<Arc<dyn AnySystem>> {
        Some(Arc::new(self.wider(slot)?))
    }

    fn renewal(&self) -> Option<Box<dyn Renewal>> {
        Some(Box::new(Beginning::of(self)))
    }
}

impl CpnSystem {
    /// The same system with more room in this slot.
    pub(crate) fn wider(&self, slot: SlotId) -> Option<Self> {
        let index = slot.0 as usize;
        let mut spans = self.spans.clone();
        let span = spans.get_mut(index)?;
        if matches!(self.layout.slot(slot).kind, SlotKind::Named(ref names) if !names.is_empty()) {
            return None;
        }
        let demands = self.shared.demands.lock();
        let demands = demands.unwrap_or_else(PoisonError::into_inner);
        let wanted = demands.iter().filter(|(at, _)| *at == slot);
        let before = *span;
        for (_, value) in wanted {
            if *value > span.greatest {
                *span = span.with(*value);
            }
        }
        drop(demands);
        (*span != before).then(|| Self::encoded(Arc::clone(&self.shared), spans))
    }
}

impl Describe for CpnSystem {
    fn actions(&self) -> &[String] {
        &self.shared.actions
    }

    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        self.named_step(source, ordinal, action)
    }

    fn lines(&self, action: ActionId) -> Vec<usize> {
        let transition = self.shared.net.transitions.get(action.0 as usize);
        transition
            .map(|transition| transition.line)
            .into_iter()
            .collect()
    }

    fn observe(&self, name: &str) -> Option<Result<Observation, String>> {
        self.observed(name)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.shown(state)
    }
}
