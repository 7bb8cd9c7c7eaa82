//! Tables of systems that say what their actions read and write.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{ActionId, Describe, Layout, Limits, SlotId, Word};

use crate::tables::{Change, Conditions, Irreducible, MOST_PAIRS, Tables, Transitions, number};

/// A system written in Rust that says which slots its actions have to do with, so that it can be reduced.
///
/// Actions are told apart by their ids, from 0 to below [`Footprints::count`]. What is declared must not be too little: whether an action is
/// enabled, and what it does, may depend on the slots it reads and on nothing else, and it may change the slots it writes and
/// nothing else. Actions do not fail.
///
/// ```
/// use std::sync::Arc;
/// use sweepline_core::{ActionId, AnySystem, Describe, Layout, SlotId, Steps, System, Word};
/// use sweepline_reduce::{Aim, DeclaredTransitions, Footprints, Stubborn};
///
/// /// Lamps that are switched on, one switch each.
/// struct Lamps(Layout);
///
/// impl System for Lamps {
///     fn layout(&self) -> &Layout { &self.0 }
///     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
///     fn successors(&self, state: &[Word], out: &mut Steps) {
///         for lamp in (0..8).filter(|lamp| (state[0] >> lamp) & 1 == 0) {
///             out.push(ActionId(lamp), &[state[0] | 1 << lamp]);
///         }
///     }
/// }
/// impl Describe for Lamps { fn actions(&self) -> &[String] { &[] } }
/// impl AnySystem for Lamps {}
/// impl Footprints for Lamps {
///     fn count(&self) -> u32 { 8 }
///     fn reads(&self, action: ActionId) -> Vec<SlotId> { vec![SlotId(action.0)] }
///     fn writes(&self, action: ActionId) -> Vec<SlotId> { vec![SlotId(action.0)] }
/// }
///
/// let mut layout = Layout::builder();
/// for lamp in 0..8 {
///     layout = layout.integer(format!("lamp{lamp}"), 0, 1);
/// }
/// let lamps = Arc::new(Lamps(layout.build()));
/// let aim = Aim::deadlocks(Arc::new(DeclaredTransitions::new(&*lamps).unwrap()));
/// let reduced = Stubborn::new(lamps, Arc::new(aim));
///
/// // Eight switches, but it does not matter which is first.
/// let mut steps = Steps::for_layout(reduced.layout());
/// reduced.successors(&[0], &mut steps);
/// assert_eq!(steps.len(), 1);
/// ```
pub trait Footprints: Describe {
    /// How many actions there are.
    fn count(&self) -> u32;

    /// The slots that decide whether an action is enabled, and what it does.
    fn reads(&self, action: ActionId) -> Vec<SlotId>;

    /// The slots that an action may change.
    fn writes(&self, action: ActionId) -> Vec<SlotId>;
}

/// A system that says what its actions read and write: an action has one conjunct, which says that it is enabled.
#[derive(Debug)]
pub struct DeclaredTransitions {
    tables: Tables,
    writes: Vec<BTreeSet<SlotId>>,
}

/// What an action has to do with, and whether it may fail.
#[derive(Clone, Debug, Default)]
pub struct DeclaredAction {
    /// What decides whether it is enabled, and what it does.
    pub reads: BTreeSet<SlotId>,
    /// What it may change.
    pub writes: BTreeSet<SlotId>,
    /// Whether it may fail where it is tried. What it reads decides that.
    pub may_fail: bool,
}

impl DeclaredTransitions {
    /// Looks at what is declared.
    pub fn new(system: &impl Footprints) -> Result<Self, Irreducible> {
        let actions = (0..system.count()).map(ActionId);
        let actions = actions.map(|action| DeclaredAction {
            reads: system.reads(action).into_iter().collect(),
            writes: system.writes(action).into_iter().collect(),
            may_fail: false,
        });
        Self::of(actions.collect())
    }

    /// Looks at actions one by one. Whatever a state is made of may count as its slots, as long as the same thing has the same number.
    pub fn of(actions: Vec<DeclaredAction>) -> Result<Self, Irreducible> {
        let failing = actions.iter().zip(0..).filter(|(it, _)| it.may_fail);
        let failing: Vec<u32> = failing.map(|(_, action)| action).collect();
        let count = number(actions.len());
        let parts = actions.into_iter().map(|it| (it.reads, it.writes));
        let (reads, writes): (Vec<_>, Vec<_>) = parts.unzip();
        let mut writers: BTreeMap<SlotId, Vec<u32>> = BTreeMap::new();
        for (written, action) in writes.iter().zip(0..) {
            for slot in written {
                writers.entry(*slot).or_default().push(action);
            }
        }
        let mut enabling: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); reads.len()];
        let mut conflicts = enabling.clone();
        let mut pairs = 0;
        for action in 0..number(reads.len()) {
            let index = action as usize;
            let used = reads[index].union(&writes[index]);
            for slot in used {
                for &writer in writers.get(slot).into_iter().flatten() {
                    pairs += 1;
                    if reads[index].contains(slot) {
                        enabling[index].insert(writer);
                    }
                    if writer != action {
                        conflicts[index].insert(writer);
                        conflicts[writer as usize].insert(action);
                    }
                }
            }
            if pairs > MOST_PAIRS {
                return Err(Irreducible::TooLarge);
            }
        }
        // That an action fails is decided by what decides whether it is enabled.
        let guards = (0..count).chain(failing.iter().copied());
        conflicts.extend(failing.iter().map(|_| BTreeSet::new()));
        Ok(Self {
            tables: Tables {
                guards: guards.map(|action| [action]).collect(),
                enabling: enabling.into_iter().collect(),
                conflicts: conflicts.into_iter().collect(),
                failures: count..count + number(failing.len()),
                whereabouts: Vec::new(),
                instances: None,
            },
            writes,
        })
    }

    /// The actions that may change one of these.
    pub fn writers(&self, slots: &BTreeSet<SlotId>) -> Vec<u32> {
        let all = (0..).zip(&self.writes);
        let writers = all.filter(|(_, writes)| !writes.is_disjoint(slots));
        writers.map(|(action, _)| action).collect()
    }
}

impl Transitions for DeclaredTransitions {
    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn conditions(&self, _: &Layout) -> Box<dyn Conditions> {
        Box::new(NotEnabled)
    }

    fn change(&self, action: u32, slot: SlotId) -> Change {
        if self.writes[action as usize].contains(&slot) {
            Change::Any
        } else {
            Change::By(0)
        }
    }

    /// Every action may go back.
    fn cuts(&self, _: &[u64], _: &Limits) -> Vec<Vec<bool>> {
        vec![vec![true; self.tables.actions()]]
    }
}

/// Conjuncts are asked of disabled actions only, and of failures, which end an exploration where they happen.
struct NotEnabled;

impl Conditions for NotEnabled {
    fn holds(&self, _: u32, _: &[Word]) -> Option<bool> {
        Some(false)
    }
}
