//! From names to slots, actions and propositions.

use miette::{Diagnostic, SourceSpan};
use sweepline_core::{ActionId, Interval, Observation, Slot, SlotId, SlotKind};
use sweepline_text::{Errors, Name, Source, did_you_mean};

use crate::{Predicate, Scope};

sweepline_text::located_errors! {
    /// A name means nothing here.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum ResolveError: logic, Option<SourceSpan> {
        /// Neither a slot nor a proposition.
        UnknownName { name: String, help: String } unknown_name: "there is no slot or proposition `{name}`"
            [at: "unknown"] (help("{help}")),
        /// Neither a slot nor a value of the slot it is compared with.
        UnknownValue { name: String, slot: String, help: String }
            unknown_value: "there is no slot `{name}`, and `{slot}` has no such value"
            [at: "unknown"] (help("{help}")),
        /// No action of this name.
        UnknownAction { name: String, help: String } unknown_action: "there is no action `{name}`"
            [at: "unknown"] (help("{help}")),
        /// Something about the state that a system cannot tell.
        NotObserved { name: String, why: String } not_observed: "`{name}` has no meaning: {why}" [at: "here"],
        /// A proposition where a number is needed.
        PropositionAsNumber { name: String } proposition_as_number: "`{name}` is a proposition, not a number"
            [at: "a number is needed here"] (help("combine propositions with `and`, `or`, `not`, `->` and `<->`")),
        /// Two propositions of the same name.
        DefinedTwice { name: String } defined_twice: "proposition `{name}` is defined twice"
            [at: "defined before"] (help("give one of them another name")),
        /// A slot with too many values to list.
        WideRank { name: String } wide_rank: "`{name}` has too many values for a rank"
            [at: "too many values"]
            (help("ranks are for slots with at most 65536 values; use the slot itself in the sum")),
        /// A guard of an automaton asks which actions are enabled.
        EnabledInGuard {} enabled_in_guard: "the guard asks which actions are enabled"
            [at: "this guard"]
            (help("guards speak about the slots of a state; `deadlock` and `fireable` belong to formulas")),
    }
}

impl ResolveError {
    pub(crate) fn defined_twice(name: &Name, source: &Source) -> Self {
        Self::DefinedTwice {
            name: name.text.clone(),
            text: source.named(),
            at: source.label(&name.span),
        }
    }
}

/// More errors than this are not reported; the search for similar names in large models takes its time.
const MOST_ERRORS: usize = 20;

/// Looks names up and collects what is not found.
///
/// What is not found counts as zero, false or never enabled, so that the search for further errors goes on.
pub(crate) struct Resolver<'s, 'a> {
    pub scope: &'s Scope<'a>,
    source: &'s Source,
    /// The values a slot is expected to have.
    pub expected: fn(&Slot) -> Interval,
    errors: Vec<ResolveError>,
}

impl<'s, 'a> Resolver<'s, 'a> {
    pub fn new(scope: &'s Scope<'a>, source: &'s Source, expected: fn(&Slot) -> Interval) -> Self {
        Self {
            scope,
            source,
            expected,
            errors: Vec::new(),
        }
    }

    /// The value, unless a name was not found.
    pub fn finish<T>(self, value: T) -> Result<T, Errors<ResolveError>> {
        Errors::unless_none(value, self.errors)
    }

    /// The slot of this name.
    pub fn slot(&mut self, name: &Name) -> Option<SlotId> {
        if self.scope.proposition(&name.text).is_some() {
            self.report(|resolver| ResolveError::PropositionAsNumber {
                name: name.text.clone(),
                text: resolver.source.named(),
                at: resolver.source.label(&name.span),
            });
            return None;
        }
        let slot = self.scope.slot(&name.text);
        if slot.is_none() {
            self.unknown_name(name);
        }
        slot.map(|(id, _)| id)
    }

    /// What a name tells of states that is neither that of a slot nor of a proposition, if it does.
    pub fn observation(&mut self, name: &Name) -> Option<Observation> {
        if self.is_known(name) {
            return None;
        }
        let why = match self.scope.observation(&name.text)? {
            Ok(observation) => return Some(observation),
            Err(why) => why,
        };
        self.report(|resolver| ResolveError::NotObserved {
            name: name.text.clone(),
            why,
            text: resolver.source.named(),
            at: resolver.source.label(&name.span),
        });
        Some(Observation::new(|_| Ok(0)))
    }

    /// What a name alone stands for as a predicate.
    pub fn proposition(&mut self, name: &Name) -> Option<Proposition<'s>> {
        if let Some(predicate) = self.scope.proposition(&name.text) {
            return Some(Proposition::Defined(predicate));
        }
        let slot = self.scope.slot(&name.text);
        if slot.is_none() {
            self.unknown_name(name);
        }
        slot.map(|(id, _)| Proposition::Slot(id))
    }

    /// All actions of these names.
    pub fn actions(&mut self, names: &[Name]) -> Vec<ActionId> {
        let mut found = Vec::new();
        for name in names {
            let actions = self.scope.actions_named(&name.text);
            if actions.is_empty() {
                self.unknown_action(name);
            }
            found.extend_from_slice(actions);
        }
        found
    }

    /// The value `name` stands for if it is compared with the slot `other`: a name that is no slot, compared with a
    /// slot whose values have names.
    pub fn named_value(&mut self, name: &Name, other: &Name) -> Option<i64> {
        if self.is_known(name) || self.scope.proposition(&other.text).is_some() {
            return None;
        }
        let (_, slot) = self.scope.slot(&other.text)?;
        let SlotKind::Named(values) = &slot.kind else {
            return None;
        };
        let value = values.iter().position(|value| *value == name.text);
        if value.is_none() {
            self.unknown_value(name, slot, values);
        }
        let index = i64::try_from(value.unwrap_or(0)).unwrap_or(0);
        Some(slot.least.saturating_add(index))
    }

    /// A value of a slot by its name or as a number.
    pub fn value_of(&mut self, slot: &Slot, value: &Name) -> Option<i64> {
        let names: &[String] = match &slot.kind {
            SlotKind::Named(names) => names,
            SlotKind::Integer | SlotKind::Boolean => &[],
        };
        if let Some(index) = names.iter().position(|name| *name == value.text) {
            return Some(slot.least.saturating_add(i64::try_from(index).ok()?));
        }
        let number = value.text.parse().ok();
        if number.is_none() {
            self.unknown_value(value, slot, names);
        }
        number
    }

    pub fn wide_rank(&mut self, name: &Name) {
        self.report(|resolver| ResolveError::WideRank {
            name: name.text.clone(),
            text: resolver.source.named(),
            at: resolver.source.label(&name.span),
        });
    }

    fn is_known(&self, name: &Name) -> bool {
        self.scope.slot(&name.text).is_some() || self.scope.proposition(&name.text).is_some()
    }

    fn unknown_name(&mut self, name: &Name) {
        self.report(|resolver| {
            let help = if resolver.scope.actions_named(&name.text).is_empty() {
                let near = did_you_mean(&name.text, resolver.scope.names());
                near.unwrap_or_else(|| resolver.some_names())
            } else {
                let name = &name.text;
                format!(
                    "`{name}` is an action; whether it is enabled is written `fireable({name})`"
                )
            };
            ResolveError::UnknownName {
                name: name.text.clone(),
                help,
                text: resolver.source.named(),
                at: resolver.source.label(&name.span),
            }
        });
    }

    fn unknown_value(&mut self, name: &Name, slot: &Slot, values: &[String]) {
        self.report(|resolver| {
            let names = values.iter().map(String::as_str);
            let near = did_you_mean(&name.text, names.clone().chain(resolver.scope.names()));
            let all = || format!("the values of `{}` are {}", slot.name, listed(names));
            ResolveError::UnknownValue {
                name: name.text.clone(),
                slot: slot.name.clone(),
                help: near.unwrap_or_else(all),
                text: resolver.source.named(),
                at: resolver.source.label(&name.span),
            }
        });
    }

    fn unknown_action(&mut self, name: &Name) {
        self.report(|resolver| {
            let near = did_you_mean(&name.text, resolver.scope.action_names());
            let all = || match listed(resolver.scope.action_names()) {
                none if none.is_empty() => "the actions of this model have no names".to_string(),
                some => format!("there are {some}"),
            };
            ResolveError::UnknownAction {
                name: name.text.clone(),
                help: near.unwrap_or_else(all),
                text: resolver.source.named(),
                at: resolver.source.label(&name.span),
            }
        });
    }

    fn some_names(&self) -> String {
        match listed(self.scope.names()) {
            none if none.is_empty() => "this model has no slots".to_string(),
            some => format!("there are {some}"),
        }
    }

    fn report(&mut self, error: impl FnOnce(&Self) -> ResolveError) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error(self));
        }
    }
}

/// What a name alone stands for as a predicate.
pub(crate) enum Proposition<'s> {
    /// The slot is not zero.
    Slot(SlotId),
    /// Defined by the user.
    Defined(&'s Predicate),
}

/// The first few names.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    const SOME: usize = 5;
    let mut names = names.map(|name| format!("`{name}`"));
    let mut list = names.by_ref().take(SOME).collect::<Vec<_>>().join(", ");
    if names.next().is_some() {
        list.push_str(", …");
    }
    list
}
