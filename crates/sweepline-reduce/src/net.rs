//! Tables of place/transition nets.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sweepline_core::{Layout, Limits, SlotId, Word};
use sweepline_net::{PetriNet, PlaceId, Transition};

use crate::cut::cuts;
use crate::lists::Lists;
use crate::pace::Pace;
use crate::tables::{
    Change, Conditions, Irreducible, MOST_PAIRS, Tables, Test as Looked, Transitions, number,
};

/// A net: conjuncts are tests of places.
#[derive(Debug)]
pub struct NetTransitions {
    net: Arc<PetriNet>,
    tables: Tables,
    tests: Vec<Test>,
    /// What every transition takes from and puts on its places.
    arcs: Vec<BTreeMap<PlaceId, Arcs>>,
}

/// A place holds at least so many tokens, or fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Test {
    place: PlaceId,
    tokens: u64,
    at_least: bool,
}

/// What a transition has to do with a place. All weights are below 2^62.
#[derive(Clone, Copy, Debug, Default)]
struct Arcs {
    takes: i64,
    puts: i64,
    /// It must hold fewer tokens than this, if anything.
    below: Option<i64>,
}

impl Arcs {
    fn change(self) -> i64 {
        self.puts - self.takes
    }

    /// Whether two transitions can be enabled together, as far as this place tells.
    fn meets(self, other: Self) -> bool {
        let least = self.takes.max(other.takes);
        let below = [self.below, other.below].into_iter().flatten().min();
        below.is_none_or(|below| least < below)
    }

    /// Whether firing can disable another transition that is enabled too.
    fn disables(self, other: Self) -> bool {
        // The fewest tokens there can be when both are enabled, and the most.
        let fewest = self.takes.max(other.takes);
        let most = [self.below, other.below].into_iter().flatten().min();
        let too_few = self.change() < 0 && fewest + self.change() < other.takes;
        let too_many = self.change() > 0
            && other
                .below
                .is_some_and(|below| most.is_none_or(|most| most - 1 + self.change() >= below));
        too_few || too_many
    }
}

impl NetTransitions {
    /// Looks at a net.
    pub fn new(net: Arc<PetriNet>) -> Result<Self, Irreducible> {
        Self::within(net, &Limits::default())
    }

    /// Looks at a net within limits.
    pub fn within(net: Arc<PetriNet>, limits: &Limits) -> Result<Self, Irreducible> {
        let arcs: Vec<_> = net.transitions().iter().map(arcs).collect();
        let mut tests = Tests::default();
        let mut guards = Lists::default();
        for transition in net.transitions() {
            guards.push(tests.of(transition));
        }
        let mut touching: Vec<Vec<u32>> = vec![Vec::new(); net.places().len()];
        for (transition, arcs) in arcs.iter().enumerate() {
            for place in arcs.keys() {
                touching[place.index()].push(number(transition));
            }
        }
        let enabling = tests.list.iter().map(|test| {
            let (arcs, test) = (&arcs, *test);
            let touching = touching[test.place.index()].iter().copied();
            touching.filter(move |transition| {
                let change = arcs[*transition as usize][&test.place].change();
                if test.at_least {
                    change > 0
                } else {
                    change < 0
                }
            })
        });
        let tables = Tables {
            guards,
            enabling: enabling.collect(),
            conflicts: conflicts(&arcs, &touching, &Pace::new(limits))?,
            whereabouts: Vec::new(),
            failures: 0..0,
            instances: None,
        };
        Ok(Self {
            tests: tests.list,
            net,
            tables,
            arcs,
        })
    }

    /// The net.
    pub fn net(&self) -> &Arc<PetriNet> {
        &self.net
    }
}

fn arcs(transition: &Transition) -> BTreeMap<PlaceId, Arcs> {
    let mut places: BTreeMap<PlaceId, Arcs> = BTreeMap::new();
    for arc in &transition.inputs {
        places.entry(arc.place).or_default().takes = arc.weight.cast_signed();
    }
    for arc in &transition.outputs {
        places.entry(arc.place).or_default().puts = arc.weight.cast_signed();
    }
    for arc in &transition.inhibitors {
        places.entry(arc.place).or_default().below = Some(arc.weight.cast_signed());
    }
    places
}

/// The transitions that each transition does not accord with. Firing adds and subtracts, so transitions accord unless one
/// disables the other.
fn conflicts(
    arcs: &[BTreeMap<PlaceId, Arcs>],
    touching: &[Vec<u32>],
    pace: &Pace<'_>,
) -> Result<Lists, Irreducible> {
    let mut all = Lists::default();
    let mut seen = vec![u32::MAX; arcs.len()];
    let mut looked_at = 0_usize;
    for (transition, own) in arcs.iter().enumerate() {
        let transition = number(transition);
        let mut found = Vec::new();
        seen[transition as usize] = transition;
        for place in own.keys() {
            looked_at += touching[place.index()].len();
            for &other in &touching[place.index()] {
                if seen[other as usize] == transition {
                    continue;
                }
                seen[other as usize] = transition;
                pace.spend()?;
                if !accord(own, &arcs[other as usize]) {
                    found.push(other);
                }
            }
        }
        pace.hold(found.len());
        all.push(found);
        if looked_at > MOST_PAIRS || all.items() > MOST_PAIRS {
            return Err(Irreducible::TooLarge);
        }
    }
    Ok(all)
}

fn accord(one: &BTreeMap<PlaceId, Arcs>, other: &BTreeMap<PlaceId, Arcs>) -> bool {
    let shared = one
        .iter()
        .filter_map(|(place, arcs)| Some((*arcs, *other.get(place)?)));
    let mut disables = false;
    for (one, other) in shared {
        if !one.meets(other) {
            return true;
        }
        disables |= one.disables(other) || other.disables(one);
    }
    !disables
}

/// Tests, each once.
#[derive(Default)]
struct Tests {
    list: Vec<Test>,
    numbers: HashMap<Test, u32>,
}

impl Tests {
    fn of(&mut self, transition: &Transition) -> Vec<u32> {
        let inputs = transition.inputs.iter().zip(std::iter::repeat(true));
        let inhibitors = transition.inhibitors.iter().zip(std::iter::repeat(false));
        let tests = inputs.chain(inhibitors).map(|(arc, at_least)| Test {
            place: arc.place,
            tokens: arc.weight,
            at_least,
        });
        tests.map(|test| self.number(test)).collect()
    }

    fn number(&mut self, test: Test) -> u32 {
        *self.numbers.entry(test).or_insert_with(|| {
            self.list.push(test);
            number(self.list.len() - 1)
        })
    }
}

impl Transitions for NetTransitions {
    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn conditions(&self, layout: &Layout) -> Box<dyn Conditions> {
        let tests = self.tests.iter().map(|test| {
            let slot = layout.slot(SlotId(test.place.0));
            let tokens = i64::try_from(test.tokens).unwrap_or(i64::MAX);
            let enough = Looked::between(slot, tokens, i64::MAX);
            if test.at_least {
                enough
            } else {
                enough.negated()
            }
        });
        Box::new(NetConditions(tests.collect()))
    }

    fn change(&self, action: u32, slot: SlotId) -> Change {
        let arcs = self.arcs[action as usize].get(&PlaceId(slot.0));
        Change::By(arcs.map_or(0, |arcs| arcs.change()))
    }

    fn cuts(&self, harm: &[u64], limits: &Limits) -> Vec<Vec<bool>> {
        let changes = self.arcs.iter().map(|arcs| {
            let changes = arcs
                .iter()
                .map(|(place, arcs)| (place.index(), arcs.change()));
            changes.filter(|(_, by)| *by != 0).collect()
        });
        let changes: Vec<_> = changes.collect();
        cuts(&changes, self.net.places().len(), harm, limits)
    }
}

struct NetConditions(Vec<Looked>);

impl Conditions for NetConditions {
    fn holds(&self, conjunct: u32, state: &[Word]) -> Option<bool> {
        Some(self.0[conjunct as usize].holds(state))
    }

    fn test(&self, conjunct: u32) -> Option<Looked> {
        Some(self.0[conjunct as usize])
    }
}
