//! Tables of networks of labelled transition systems.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{Layout, Limits, Slot, SlotId, Word};
use sweepline_process::{Lts, Network, Participants, StateKind};

use crate::cut::back_edges;
use crate::lists::Lists;
use crate::pace::Pace;
use crate::tables::{Change, Conditions, Irreducible, MOST_PAIRS, Tables, Transitions, number};

/// A network: an action has one conjunct per participant, which says that the participant offers it.
#[derive(Debug)]
pub struct NetworkTransitions {
    tables: Tables,
    /// The component of each conjunct, and the states in which it offers the action, as bits.
    offers: Vec<(usize, Vec<u64>)>,
    participants: Vec<Vec<usize>>,
    /// Actions by which a component goes back: in every cycle of states, components that move come back to where they were.
    going_back: BTreeSet<u32>,
}

/// A component, by action.
struct Part<'l> {
    lts: &'l Lts,
    /// The action of each label.
    numbers: &'l [u32],
}

impl Part<'_> {
    /// Where actions lead from a local state.
    fn moves(&self, state: u32) -> BTreeMap<u32, BTreeSet<u32>> {
        let mut moves: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for edge in self.lts.edges_from(sweepline_process::StateId(state)) {
            let action = self.numbers[edge.label.0 as usize];
            moves.entry(action).or_default().insert(edge.target.0);
        }
        moves
    }
}

impl NetworkTransitions {
    /// Looks at a network.
    pub fn new(network: &Network) -> Result<Self, Irreducible> {
        Self::within(network, &Limits::default())
    }

    /// Looks at a network within limits.
    pub fn within(network: &Network, limits: &Limits) -> Result<Self, Irreducible> {
        if network.priority.is_some() {
            return Err(Irreducible::Priorities);
        }
        let Participants {
            participants,
            numbers,
        } = Participants::of(network);
        let count = participants.len();
        let mut gathered = Gathered {
            conjuncts: BTreeMap::new(),
            offers: Vec::new(),
            enabling: Vec::new(),
            conflicts: vec![BTreeSet::new(); count],
            fatal: BTreeSet::new(),
            going_back: BTreeSet::new(),
            pairs: 0,
            pace: Pace::new(limits),
        };
        for (index, (component, numbers)) in network.components.iter().zip(&numbers).enumerate() {
            let part = Part {
                lts: &component.lts,
                numbers,
            };
            gathered.add(index, &part)?;
        }
        let guards = participants.iter().zip(0..).map(|(all, action)| {
            let all = all.iter();
            let conjuncts = all.map(|component| gathered.conjuncts.get(&(*component, action)));
            // What a component never offers never happens, and no conjunct is needed to say so twice.
            conjuncts.flatten().copied().collect::<Vec<_>>()
        });
        let guards: Lists = guards.collect();
        for &action in &gathered.fatal {
            for other in (0..number(count)).filter(|other| *other != action) {
                gathered.conflicts[action as usize].insert(other);
                gathered.conflicts[other as usize].insert(action);
            }
        }
        Ok(Self {
            tables: Tables {
                guards,
                enabling: gathered.enabling.into_iter().collect(),
                conflicts: gathered.conflicts.into_iter().collect(),
                whereabouts: Vec::new(),
                failures: 0..0,
                instances: None,
            },
            offers: gathered.offers,
            participants,
            going_back: gathered.going_back,
        })
    }
}

/// What has been found out.
struct Gathered<'l> {
    /// The conjunct for each component and action.
    conjuncts: BTreeMap<(usize, u32), u32>,
    offers: Vec<(usize, Vec<u64>)>,
    enabling: Vec<BTreeSet<u32>>,
    conflicts: Vec<BTreeSet<u32>>,
    /// Actions that can lead to an error state, which nothing leaves: they disable everything.
    fatal: BTreeSet<u32>,
    going_back: BTreeSet<u32>,
    pairs: usize,
    pace: Pace<'l>,
}

impl Gathered<'_> {
    fn add(&mut self, index: usize, part: &Part<'_>) -> Result<(), Irreducible> {
        let states = number(part.lts.len());
        let words = part.lts.len().div_ceil(64);
        // Every action of the alphabet has a conjunct, those that are never offered as well.
        for &action in part.numbers.iter().filter(|action| **action != u32::MAX) {
            self.conjuncts
                .insert((index, action), number(self.offers.len()));
            self.offers.push((index, vec![0; words]));
            self.enabling.push(BTreeSet::new());
        }
        let moves: Vec<_> = (0..states).map(|state| part.moves(state)).collect();
        for (state, offered) in moves.iter().enumerate() {
            for action in offered.keys() {
                let conjunct = self.conjuncts[&(index, *action)];
                self.offers[conjunct as usize].1[state / 64] |= 1 << (state % 64);
            }
        }
        let edges = moves.iter().map(|offered| {
            let targets = offered.values().flatten();
            targets.map(|target| *target as usize).collect()
        });
        let edges: Vec<Vec<usize>> = edges.collect();
        for (source, target) in back_edges(&edges, part.lts.initial().0 as usize) {
            let target = number(target);
            let leading = moves[source].iter().filter(|(_, to)| to.contains(&target));
            self.going_back.extend(leading.map(|(action, _)| *action));
        }
        for offered in &moves {
            for (action, targets) in offered {
                self.enabled_by(index, part, *action, offered, targets, &moves)?;
                self.clashes(*action, offered, &moves)?;
            }
        }
        Ok(())
    }

    /// Notes what becomes possible by an action.
    fn enabled_by(
        &mut self,
        index: usize,
        part: &Part<'_>,
        action: u32,
        offered: &BTreeMap<u32, BTreeSet<u32>>,
        targets: &BTreeSet<u32>,
        moves: &[BTreeMap<u32, BTreeSet<u32>>],
    ) -> Result<(), Irreducible> {
        for &target in targets {
            if part.lts.kind(sweepline_process::StateId(target)) == StateKind::Error {
                self.fatal.insert(action);
            }
            for later in moves[target as usize].keys() {
                if !offered.contains_key(later) {
                    let conjunct = self.conjuncts[&(index, *later)];
                    self.enabling[conjunct as usize].insert(action);
                }
            }
            self.spend(moves[target as usize].len())?;
        }
        Ok(())
    }

    /// Notes what does not accord with an action in this state of a component.
    fn clashes(
        &mut self,
        action: u32,
        offered: &BTreeMap<u32, BTreeSet<u32>>,
        moves: &[BTreeMap<u32, BTreeSet<u32>>],
    ) -> Result<(), Irreducible> {
        let after = |first: u32, second: u32| -> Option<BTreeSet<u32>> {
            let mut all = BTreeSet::new();
            for middle in &offered[&first] {
                all.extend(moves[*middle as usize].get(&second)?);
            }
            Some(all)
        };
        for &other in offered.keys().filter(|other| **other > action) {
            self.spend(1)?;
            if self.conflicts[action as usize].contains(&other) {
                continue;
            }
            let both = (after(action, other), after(other, action));
            if !matches!(&both, (Some(one), Some(two)) if one == two) {
                self.pace.hold(2);
                self.conflicts[action as usize].insert(other);
                self.conflicts[other as usize].insert(action);
            }
        }
        Ok(())
    }

    fn spend(&mut self, pairs: usize) -> Result<(), Irreducible> {
        self.pace.spend()?;
        self.pairs += pairs;
        if self.pairs > MOST_PAIRS {
            return Err(Irreducible::TooLarge);
        }
        Ok(())
    }
}

impl Transitions for NetworkTransitions {
    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn conditions(&self, layout: &Layout) -> Box<dyn Conditions> {
        let offers = self.offers.iter().map(|(component, states)| {
            let slot = layout.slots()[*component].clone();
            (slot, states.clone())
        });
        Box::new(NetworkConditions(offers.collect()))
    }

    fn change(&self, action: u32, slot: SlotId) -> Change {
        let takes_part = self.participants[action as usize].contains(&(slot.0 as usize));
        if takes_part {
            Change::Any
        } else {
            Change::By(0)
        }
    }

    fn cuts(&self, _: &[u64], _: &Limits) -> Vec<Vec<bool>> {
        let mut cut = vec![false; self.tables.actions()];
        for action in &self.going_back {
            cut[*action as usize] = true;
        }
        vec![cut]
    }
}

struct NetworkConditions(Vec<(Slot, Vec<u64>)>);

impl Conditions for NetworkConditions {
    fn holds(&self, conjunct: u32, state: &[Word]) -> Option<bool> {
        let (slot, states) = &self.0[conjunct as usize];
        let local = (state[slot.word] >> slot.shift) & slot.mask();
        let word = states.get(usize::try_from(local / 64).ok()?)?;
        Some((word >> (local % 64)) & 1 != 0)
    }
}
