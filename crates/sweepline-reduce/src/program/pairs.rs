//! Which action has to do with which.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::SlotId;
use sweepline_program::{Action, ChannelId, Expr, ValueRanges, Values};

use super::conjuncts::{Asks, Conjunct, exclude, split};
use super::failures::Failure;
use super::footprint::{Footprint, Traffic, Write};
use super::symbolic::Symbolic;
use crate::bits::Bits;
use crate::lists::Lists;
use crate::pace::Pace;
use crate::tables::{Irreducible, MOST_PAIRS, number};

/// Everything that pairs are judged by.
pub(super) struct Pairs<'a> {
    pub(super) actions: &'a [Action],
    pub(super) ranges: &'a ValueRanges<'a>,
    pub(super) footprints: &'a [Footprint],
    pub(super) conjuncts: &'a [Conjunct],
    pub(super) guards: &'a Lists,
    pub(super) failures: &'a [Failure],
    pub(super) symbolic: Symbolic<'a>,
    pub(super) pace: &'a Pace<'a>,
}

/// What an action can do to a conjunct.
#[derive(Clone, Copy, Debug, Default)]
struct Influence {
    enables: bool,
    disables: bool,
}

/// A slot or a channel: something that actions can have to do with each other by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Slot(SlotId),
    Channel(ChannelId),
}

impl Pairs<'_> {
    /// Necessary enabling sets of all conjuncts, and what each action does not accord with.
    pub(super) fn tables(&self) -> Result<(Lists, Lists), Irreducible> {
        let count = self.footprints.len();
        let mut enabling: Vec<Vec<u32>> = vec![Vec::new(); self.conjuncts.len()];
        // For each action, the actions it may disable, and the conjuncts.
        let mut disabled: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut falsified: Vec<Vec<u32>> = vec![Vec::new(); count];
        let asking = self.asking();
        let users = self.users();
        let mut touched = Bits::new(self.conjuncts.len());
        let mut hit = Bits::new(count);
        let mut looked_at = 0;
        for action in 0..number(count) {
            if !self.footprints[action as usize].possible {
                continue;
            }
            let Some(change) = self.change(action) else {
                continue; // it always fails
            };
            touched.clear();
            hit.clear();
            let things = written(&self.footprints[action as usize]);
            let asked = things.filter_map(|thing| asking.get(&thing));
            asked.flatten().for_each(|it| touched.insert(*it));
            for conjunct in touched.iter() {
                looked_at += 1;
                self.pace.spend()?;
                let influence = self.influence(action, conjunct, &change);
                if influence.enables {
                    self.pace.hold(1);
                    enabling[conjunct as usize].push(action);
                }
                if influence.disables {
                    let users = users[conjunct as usize].iter();
                    users.for_each(|it| hit.insert(*it));
                    falsified[action as usize].push(conjunct);
                }
            }
            disabled[action as usize].extend(hit.iter());
            looked_at += disabled[action as usize].len();
            if looked_at > MOST_PAIRS {
                return Err(Irreducible::TooLarge);
            }
        }
        let conflicts = self.conflicts(&disabled, &falsified)?;
        Ok((enabling.into_iter().collect(), conflicts))
    }

    /// The conjuncts that each thing decides.
    fn asking(&self) -> BTreeMap<Thing, Vec<u32>> {
        let mut asking: BTreeMap<Thing, Vec<u32>> = BTreeMap::new();
        for (conjunct, id) in self.conjuncts.iter().zip(0..) {
            let slots = conjunct.reads.iter().copied().map(Thing::Slot);
            let channels = conjunct.channels.keys().copied().map(Thing::Channel);
            for thing in slots.chain(channels) {
                asking.entry(thing).or_default().push(id);
            }
        }
        asking
    }

    /// The actions that each conjunct guards.
    fn users(&self) -> Vec<Vec<u32>> {
        let mut users = vec![Vec::new(); self.conjuncts.len()];
        for action in 0..number(self.footprints.len()) {
            for &conjunct in self.guards.get(action) {
                users[conjunct as usize].push(action);
            }
        }
        users
    }

    /// What is known before an action and after it.
    fn change(&self, action: u32) -> Option<(Values<'_>, Values<'_>)> {
        let action = &self.actions[action as usize];
        let before = self.ranges.before(action)?;
        let mut after = before.clone();
        let mut effects = action.effects.iter();
        effects
            .all(|effect| after.execute(effect))
            .then_some((before, after))
    }

    fn influence(
        &self,
        action: u32,
        conjunct: u32,
        change: &(Values<'_>, Values<'_>),
    ) -> Influence {
        let footprint = &self.footprints[action as usize];
        let asked = &self.conjuncts[conjunct as usize];
        let by_slots = asked
            .reads
            .iter()
            .any(|slot| footprint.writes.contains_key(slot));
        let mut influence = Influence::default();
        if by_slots {
            influence = self.by_values(action, asked, change);
        }
        for (channel, asks) in &asked.channels {
            if let Some(traffic) = footprint.traffic.get(channel) {
                let other = by_traffic(*asks, *traffic);
                influence.enables |= other.enables;
                influence.disables |= other.disables;
            }
        }
        influence
    }

    /// What a change of slots does to a conjunct, as far as intervals of values tell.
    fn by_values(
        &self,
        action: u32,
        asked: &Conjunct,
        (before, after): &(Values<'_>, Values<'_>),
    ) -> Influence {
        let all = Influence {
            enables: true,
            disables: true,
        };
        let action = &self.actions[action as usize];
        if let Expr::At(process, location) = &asked.expr {
            let step = action.moves.iter().find(|step| step.process == *process);
            return step.map_or(all, |step| Influence {
                enables: step.target == *location && step.source != *location,
                disables: step.source == *location && step.target != *location,
            });
        }
        if asked.opaque || !asked.channels.is_empty() {
            return all;
        }
        let can_be = |values: &Values<'_>, truth| values.clone().assume(&asked.expr, truth);
        // What has no value may have any at the next step, which need not be noticed.
        let becomes = |truth| can_be(after, truth) || after.may_fail(&asked.expr);
        Influence {
            enables: can_be(before, false) && becomes(true),
            disables: can_be(before, true) && becomes(false),
        }
    }

    /// The actions that each action does not accord with.
    fn conflicts(
        &self,
        disabled: &[Vec<u32>],
        falsified: &[Vec<u32>],
    ) -> Result<Lists, Irreducible> {
        let count = number(self.footprints.len());
        let mut conflicts: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.footprints.len()];
        let mut looked_at = 0;
        let mut look = || {
            looked_at += 1;
            self.pace.spend()?;
            if looked_at > MOST_PAIRS {
                return Err(Irreducible::TooLarge);
            }
            Ok(())
        };
        let parts: Vec<_> = self.actions.iter().map(parts).collect();
        // What disables the other is judged first, so nobody is judged twice.
        let mut judged = vec![Bits::new(self.footprints.len()); self.footprints.len()];
        let mut judge = |one: u32, other: u32, sure: bool| {
            let first = &mut judged[one.min(other) as usize];
            if one == other || first.contains(one.max(other)) {
                return;
            }
            first.insert(one.max(other));
            if (sure || !self.commute(one, other))
                && let Some(known) = self.meeting(one, other, &parts)
                && !self.accord(one, other, known)
            {
                self.pace.hold(2);
                conflicts[one as usize].insert(other);
                conflicts[other as usize].insert(one);
            }
        };
        for (one, others) in (0..).zip(disabled) {
            for &other in others {
                look()?;
                judge(one, other, true);
            }
        }
        for one in (0..count).filter(|one| self.footprints[*one as usize].commits) {
            for other in 0..count {
                look()?;
                judge(one, other, true);
            }
        }
        let users = self.users_of_things();
        let mut others = Bits::new(self.footprints.len());
        for one in 0..count {
            // Whoever uses a whole array is met at each of its elements.
            others.clear();
            for user in written(&self.footprints[one as usize]).flat_map(|it| &users[&it]) {
                look()?;
                others.insert(*user);
            }
            for other in others.iter() {
                self.pace.spend()?;
                judge(one, other, false);
            }
        }
        // Failures come behind all actions. They are never enabled where something is left out, so they have no conflicts of
        // their own.
        for (failure, id) in self.failures.iter().zip(count..) {
            self.pace.spend()?;
            for (action, footprint) in self.footprints.iter().enumerate() {
                let declared = &self.actions[action];
                let depends = if failure.told {
                    let mut guards = failure.guards.iter();
                    let disabled = guards.any(|it| falsified[action].binary_search(it).is_ok());
                    (disabled || failure.is_held_up_by(footprint)) && failure.meets(declared)
                } else {
                    failure.depends_on(declared, footprint, self.conjuncts)
                };
                if depends {
                    conflicts[action].insert(id);
                }
            }
        }
        conflicts.resize(self.guards.len(), BTreeSet::new());
        Ok(conflicts.into_iter().collect())
    }

    /// The actions that read or write each thing.
    fn users_of_things(&self) -> BTreeMap<Thing, Vec<u32>> {
        let mut users: BTreeMap<Thing, Vec<u32>> = BTreeMap::new();
        for (action, footprint) in (0..).zip(self.footprints) {
            let read = footprint.reads.iter().copied().map(Thing::Slot);
            let asked = footprint.asked.iter().copied().map(Thing::Channel);
            for thing in written(footprint).chain(read).chain(asked) {
                users.entry(thing).or_default().push(action);
            }
        }
        users
    }

    /// Whether the effects of two actions that do not disable each other lead to the same state in both orders.
    fn commute(&self, one: u32, other: u32) -> bool {
        let (one, other) = (
            &self.footprints[one as usize],
            &self.footprints[other as usize],
        );
        let reads = |reader: &Footprint, writer: &Footprint| {
            let mut written = writer.writes.keys();
            written.any(|slot| reader.reads.contains(slot))
                || writer.traffic.keys().any(|it| reader.asked.contains(it))
        };
        let same_slots =
            one.writes
                .iter()
                .all(|(slot, write)| match (write, other.writes.get(slot)) {
                    (Write::Constant(one), Some(Write::Constant(other))) => one == other,
                    (_, None) | (Write::Add(_), Some(Write::Add(_))) => true,
                    _ => false,
                });
        let same_channels = one.traffic.iter().all(|(channel, traffic)| {
            let other = other.traffic.get(channel);
            other.is_none_or(|other| traffic.passes(*other) || other.passes(*traffic))
        });
        same_slots && same_channels && !reads(one, other) && !reads(other, one)
    }

    /// Whether two actions accord if they are executed, whatever their footprints say. This is known where both are enabled.
    fn accord(&self, one: u32, other: u32, known: Values<'_>) -> bool {
        let commits = |it: u32| self.footprints[it as usize].commits;
        let (a, b) = (&self.actions[one as usize], &self.actions[other as usize]);
        !commits(one) && !commits(other) && self.symbolic.accord(a, b, known)
    }

    /// What is known where two actions are enabled that have these parts of guards. Nothing if that cannot be, as far as locations and
    /// values tell.
    fn meeting(&self, one: u32, other: u32, parts: &[Vec<&Expr>]) -> Option<Values<'_>> {
        let (one, other) = (one as usize, other as usize);
        let mut excluding = parts[one].iter();
        let excluded = |part: &&Expr| parts[other].iter().any(|other| exclude(part, other));
        let (one, other) = (&self.actions[one], &self.actions[other]);
        let apart = one.moves.iter().any(|step| {
            let mut moves = other.moves.iter();
            moves.any(|it| it.process == step.process && it.source != step.source)
        });
        if apart || excluding.any(excluded) {
            return None;
        }
        self.ranges.before_all(&[one, other])
    }
}

/// What an action writes.
fn written(footprint: &Footprint) -> impl Iterator<Item = Thing> {
    let slots = footprint.writes.keys().copied().map(Thing::Slot);
    slots.chain(footprint.traffic.keys().copied().map(Thing::Channel))
}

/// The parts of a guard all of which must hold.
fn parts(action: &Action) -> Vec<&Expr> {
    let mut parts = Vec::new();
    split(&action.guard, &mut parts);
    parts
}

impl Traffic {
    /// Whether this puts one message and the other takes one: if there is room for the one and a message for the other, it
    /// does not matter who is first.
    fn passes(self, other: Self) -> bool {
        let plain = !self.meddles && !other.meddles;
        plain && (self.pushes, self.pops) == (1, 0) && (other.pushes, other.pops) == (0, 1)
    }
}

/// What messages that come and go do to a condition.
fn by_traffic(asks: Asks, traffic: Traffic) -> Influence {
    let both = traffic.meddles || (traffic.pushes > 0 && traffic.pops > 0);
    let (more, less) = (traffic.pushes > 0 || both, traffic.pops > 0 || both);
    match asks {
        Asks::NotEmpty | Asks::Full => Influence {
            enables: more,
            disables: less,
        },
        Asks::Empty | Asks::NotFull => Influence {
            enables: less,
            disables: more,
        },
        // A message behind the first one changes nothing; it is not asked of an empty channel.
        Asks::Front => Influence {
            enables: less,
            disables: less,
        },
        Asks::Any => Influence {
            enables: true,
            disables: true,
        },
    }
}
