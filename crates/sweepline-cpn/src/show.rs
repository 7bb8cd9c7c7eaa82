//! States and steps as CPN Tools shows them.

use sweepline_core::{ActionId, Word};

use crate::binding::Enabled;
use crate::engine::Engine;
use crate::marking::Marking;
use crate::net::Transition;
use crate::system::{CLOCK, CpnSystem};

impl CpnSystem {
    /// The clock and the markings of all places that change.
    pub(crate) fn shown(&self, state: &[Word]) -> Vec<(String, String)> {
        let engine = self.shared.engine();
        let codes = self.codes(state);
        let clock = self.clock_of(state);
        let mut shown = Vec::new();
        if self.has_clock() {
            shown.push((CLOCK.to_owned(), clock.to_string()));
        }
        for (place, encoding) in self.shared.encodings.iter().enumerate() {
            if *encoding != crate::encoding::Encoding::Constant {
                let net = &self.shared.net;
                let marking = engine.marking(net, encoding, place, codes[place]);
                let text = self.marking_text(&engine, place, &marking, clock);
                shown.push((net.places[place].name().to_owned(), text));
            }
        }
        shown
    }

    /// ``1`a++2`b``, with stamps where tokens have such.
    pub(crate) fn marking_text(
        &self,
        engine: &Engine,
        place: usize,
        marking: &Marking,
        clock: i64,
    ) -> String {
        let is_timed = self.shared.net.places[place].is_timed;
        let joint = if is_timed { "+++" } else { "++" };
        self.tokens_text(engine, place, marking, joint, |ready| {
            if is_timed {
                format!("@{}", clock.saturating_add(ready))
            } else {
                String::new()
            }
        })
    }

    /// The same without stamps.
    pub(crate) fn untimed_text(&self, engine: &Engine, place: usize, marking: &Marking) -> String {
        self.tokens_text(engine, place, marking, "++", |_| String::new())
    }

    fn tokens_text(
        &self,
        engine: &Engine,
        place: usize,
        marking: &Marking,
        joint: &str,
        stamp: impl Fn(i64) -> String,
    ) -> String {
        let colour = self.shared.net.places[place].colour;
        let colours = engine.declarations.colours();
        let values = engine.declarations.machine().values();
        let entries = marking.0.iter().map(|entry| {
            let token = colours.show(colour, entry.value, values);
            format!("{}`{token}{}", entry.count, stamp(entry.ready))
        });
        let entries: Vec<String> = entries.collect();
        if entries.is_empty() {
            return "empty".to_owned();
        }
        entries.join(joint)
    }

    /// `Page.T {n=1, p="COL"}`.
    pub(crate) fn named_step(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        let index = action.0 as usize;
        let Some(transition) = self.shared.net.transitions.get(index) else {
            return format!("action {}", action.0);
        };
        let codes = self.codes(source);
        let local = self.ordinal_among(source, ordinal, action);
        let mut engine = self.shared.engine();
        let (net, encodings) = (&self.shared.net, &self.shared.encodings);
        let mut enabled = engine
            .enabled(net, encodings, transition, &codes)
            .unwrap_or_default();
        let first = enabled.iter().map(|enabled| enabled.after).min();
        enabled.retain(|enabled| Some(enabled.after) == first);
        let chosen = match enabled.get(local) {
            Some(chosen) if !transition.is_random => chosen,
            _ if enabled.len() == 1 => &enabled[0],
            _ => return transition.name.clone(),
        };
        binding_text(&engine, transition, chosen)
    }

    /// How many steps of the same transition come before one.
    fn ordinal_among(&self, source: &[Word], ordinal: usize, action: ActionId) -> usize {
        use sweepline_core::{Steps, System};
        let mut steps = Steps::for_layout(self.layout());
        self.successors(source, &mut steps);
        let before = steps.actions().iter().take(ordinal);
        before.filter(|other| **other == action).count()
    }
}

fn binding_text(engine: &Engine, transition: &Transition, enabled: &Enabled) -> String {
    let declarations = &engine.declarations;
    let colours = declarations.colours();
    let values = declarations.machine().values();
    let computed = transition.code.iter().flat_map(|code| &code.output);
    let computed: Vec<_> = computed.collect();
    let bound = transition
        .variables
        .iter()
        .filter(|variable| !computed.contains(variable));
    let bound = bound.map(|variable| {
        let colour = declarations.variable_colour(*variable);
        let value = colours.show(colour, enabled.binding[variable.index()], values);
        format!("{}={value}", declarations.variable_name(*variable))
    });
    let bound: Vec<String> = bound.collect();
    if bound.is_empty() {
        return transition.name.clone();
    }
    format!("{} {{{}}}", transition.name, bound.join(", "))
}
