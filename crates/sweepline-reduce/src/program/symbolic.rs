//! Whether two actions accord, found out by executing both in both orders.
//!
//! Footprints say that a process which puts messages at the end of an array and takes them from its front does two things that depend on each
//! other. Executed for each number of messages, with expressions in place of values, both orders leave the same behind.
//!
//! An order that fails is no obstacle: the failure itself is never missed, and whatever comes behind it does not matter.

use std::collections::BTreeMap;

use sweepline_core::SlotId;
use sweepline_program::{Action, ChannelId, Effect, Expr, Overflow, Place, Program, Values};

use super::conjuncts::split;
use super::instances::{Replace, mapped};

/// An index has at most so many values, and so many cases are looked at together.
const MOST_VALUES: i64 = 16;
const MOST_CASES: usize = 64;

/// What is executed.
pub(super) struct Symbolic<'a> {
    pub(super) program: &'a Program,
}

/// What slots hold, as expressions over what they held at first.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    slots: BTreeMap<SlotId, Expr>,
    /// What is in the channels that an action passes a message through.
    passing: BTreeMap<ChannelId, Vec<Expr>>,
}

impl Symbolic<'_> {
    /// Whether two actions accord, where this is known when both are enabled. If it cannot be told, they do not.
    pub(super) fn accord(&self, one: &Action, other: &Action, known: Values<'_>) -> bool {
        self.proven(one, other, known).is_some()
    }

    fn proven(&self, one: &Action, other: &Action, known: Values<'_>) -> Option<()> {
        for step in &one.moves {
            let same = other.moves.iter().find(|it| it.process == step.process);
            if same.is_some_and(|it| it.source != it.target || step.source != step.target) {
                return None; // one takes the process away from the other
            }
        }
        let mut cases = vec![(State::default(), known)];
        for slot in self.deciding(one).into_iter().chain(self.deciding(other)) {
            cases = by_value(cases, slot)?;
        }
        let mut guards = Vec::new();
        split(&one.guard, &mut guards);
        split(&other.guard, &mut guards);
        let mut all = cases.into_iter();
        all.all(|(state, known)| {
            let case = Case {
                program: self.program,
                known,
                guards: guards
                    .iter()
                    .filter_map(|it| value(self.program, &state, it))
                    .collect(),
            };
            case.accord(&state, one, other).is_some()
        })
        .then_some(())
    }

    /// Slots that decide which element is meant.
    fn deciding(&self, action: &Action) -> Vec<SlotId> {
        let mut slots = Vec::new();
        let mut index = |expr: &Expr| {
            if !matches!(expr, Expr::Constant(_)) {
                slots.extend(self.program.reads(expr));
            }
        };
        let in_expr = |expr: &Expr, index: &mut dyn FnMut(&Expr)| {
            expr.walk(&mut |part| {
                if let Expr::Element(_, at) = part {
                    index(at);
                }
            });
        };
        let in_place = |place: &Place, index: &mut dyn FnMut(&Expr)| {
            if let Place::Element(_, at) = place {
                index(at);
            }
        };
        in_expr(&action.guard, &mut index);
        for effect in &action.effects {
            match effect {
                Effect::Assign { place, value } => {
                    in_expr(value, &mut index);
                    in_place(place, &mut index);
                }
                Effect::Push { values, .. } => {
                    for value in values {
                        in_expr(value, &mut index);
                    }
                }
                Effect::Pop { places, .. } => {
                    let places = places.iter().flatten();
                    places.for_each(|place| in_place(place, &mut index));
                }
            }
        }
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}

/// Splits cases by the value of a slot. Nothing if it has too many.
fn by_value(cases: Vec<(State, Values<'_>)>, slot: SlotId) -> Option<Vec<(State, Values<'_>)>> {
    let mut finer = Vec::new();
    for (state, known) in cases {
        if matches!(state.slots.get(&slot), Some(Expr::Constant(_))) {
            finer.push((state, known));
            continue;
        }
        let (least, greatest) = known.of(&Expr::Slot(slot));
        if greatest.checked_sub(least)? >= MOST_VALUES {
            return None;
        }
        for value in least..=greatest {
            let mut known = known.clone();
            if known.assume(&Expr::Slot(slot).equals(value), true) {
                let mut state = state.clone();
                state.slots.insert(slot, Expr::Constant(value));
                finer.push((state, known));
            }
        }
        if finer.len() > MOST_CASES {
            return None;
        }
    }
    Some(finer)
}

/// One case: what is known of values, and conditions that hold.
struct Case<'a> {
    program: &'a Program,
    known: Values<'a>,
    guards: Vec<Expr>,
}

impl Case<'_> {
    fn accord(&self, state: &State, one: &Action, other: &Action) -> Option<()> {
        let first = self.in_order(state, one, other)?;
        let second = self.in_order(state, other, one)?;
        same(&first, &second).then_some(())
    }

    /// What both leave behind. Nothing if the first may disable the second, or it is too hard to tell.
    fn in_order(&self, state: &State, first: &Action, second: &Action) -> Option<State> {
        let mut state = state.clone();
        self.execute(&mut state, first)?;
        let mut guards = Vec::new();
        split(&second.guard, &mut guards);
        for guard in guards {
            let guard = value(self.program, &state, guard)?;
            self.is_true(&guard).then_some(())?;
        }
        self.execute(&mut state, second)?;
        Some(state)
    }

    fn is_true(&self, condition: &Expr) -> bool {
        if let Expr::Constant(value) = condition {
            return *value != 0;
        }
        let certain = || {
            let may_be_false = self.known.clone().assume(condition, false);
            !may_be_false && !self.known.may_fail(condition)
        };
        self.guards.contains(condition) || certain()
    }

    fn execute(&self, state: &mut State, action: &Action) -> Option<()> {
        for effect in &action.effects {
            match effect {
                Effect::Assign {
                    place,
                    value: stored,
                } => {
                    let stored = value(self.program, state, stored)?;
                    self.store(state, place, stored)?;
                }
                Effect::Push { channel, values } => {
                    self.program.channel(*channel).transient.then_some(())?;
                    let values = values.iter().map(|it| value(self.program, state, it));
                    let values = values.collect::<Option<_>>()?;
                    state.passing.insert(*channel, values);
                }
                Effect::Pop { channel, places } => {
                    let values = state.passing.remove(channel)?;
                    for (place, stored) in places.iter().zip(values) {
                        if let Some(place) = place {
                            self.store(state, place, stored)?;
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// Stores a value. Where it might wrap around, nothing is told.
    fn store(&self, state: &mut State, place: &Place, stored: Expr) -> Option<()> {
        let slot = match place {
            Place::Slot(slot) => *slot,
            Place::Element(array, index) => match value(self.program, state, index)? {
                Expr::Constant(index) => self.program.array(*array).element(index)?,
                _ => return None,
            },
        };
        let kind = &self.program.slot(slot).kind;
        let fits = match &stored {
            Expr::Constant(value) => kind.contains(*value),
            Expr::Slot(other) => {
                let other = &self.program.slot(*other).kind;
                kind.contains(other.least) && kind.contains(other.greatest)
            }
            _ => false,
        };
        (fits || kind.overflow == Overflow::Error).then_some(())?;
        state.slots.insert(slot, stored);
        Some(())
    }
}

/// What is left, without what was there before.
fn same(one: &State, other: &State) -> bool {
    let value = |state: &State, slot: SlotId| {
        let value = state.slots.get(&slot).cloned();
        value.unwrap_or(Expr::Slot(slot))
    };
    let slots = one.slots.keys().chain(other.slots.keys());
    let mut slots = slots.copied();
    one.passing == other.passing && slots.all(|slot| value(one, slot) == value(other, slot))
}

/// An expression in a state. Nothing if it is not told which element is meant, or it asks for channels or locations.
fn value(program: &Program, state: &State, expr: &Expr) -> Option<Expr> {
    struct In<'a>(&'a Program, &'a State);
    impl Replace for In<'_> {
        fn replace(&self, expr: &Expr) -> Option<Expr> {
            match expr {
                Expr::Slot(slot) => self.1.slots.get(slot).cloned(),
                _ => None,
            }
        }

        fn element(&self, array: sweepline_program::ArrayId, index: &Expr) -> Option<Expr> {
            let Expr::Constant(index) = index else {
                return None;
            };
            let slot = self.0.array(array).element(*index)?;
            Some(self.1.slots.get(&slot).cloned().unwrap_or(Expr::Slot(slot)))
        }
    }
    let found = mapped(expr, &In(program, state));
    let mut plain = true;
    found.walk(&mut |part| {
        let location = |slot| program.processes().iter().any(|it| it.location == slot);
        plain &= !matches!(part, Expr::Slot(slot) if location(*slot));
        plain &= !matches!(
            part,
            Expr::Element(..)
                | Expr::At(..)
                | Expr::Length(_)
                | Expr::Full(_)
                | Expr::Empty(_)
                | Expr::Front(..)
        );
    });
    plain.then_some(found)
}
