//! Random nets and programs: what must be preserved is preserved, and weaker rules are caught.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use crate::models::{Random, random_net, random_network, random_program};
use proptest::prelude::*;
use sweepline_core::{ActionId, AnySystem, Describe, Layout, Limits, SlotId, Steps, System, Word};
use sweepline_logic::{CompareOp, Expr, Name, Pred};
use sweepline_net::NetSystem;
use sweepline_process::NetworkSystem;
use sweepline_program::ProgramSystem;
use sweepline_reduce::{
    Aim, DeclaredTransitions, Failures, Footprints, NetTransitions, NetworkTransitions,
    ProgramTransitions, Stubborn, Transitions,
};

/// What there is to see in a state space, naively: every state by value.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    states: usize,
    deadlocks: BTreeSet<Vec<i64>>,
    /// Whether some action fails or some assertion is violated.
    fails: bool,
    /// All states that do not fail.
    values: HashSet<Vec<i64>>,
}

/// More states are not looked at: then nothing is compared.
const MOST: usize = 20_000;

fn values(system: &dyn System, state: &[Word]) -> Vec<i64> {
    let slots = system.layout().slots().iter();
    slots.map(|slot| slot.read(state)).collect()
}

fn explore(system: &dyn System) -> Option<Seen> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut known: HashSet<Vec<Word>> = HashSet::new();
    let mut queue: VecDeque<Vec<Word>> = VecDeque::new();
    let mut seen = Seen::default();
    loop {
        for index in 0..steps.len() {
            let target = steps.target(index).to_vec();
            if known.insert(target.clone()) {
                queue.push_back(target);
            }
        }
        steps.clear();
        let Some(state) = queue.pop_front() else {
            return Some(seen);
        };
        seen.states += 1;
        if seen.states > MOST {
            return None;
        }
        system.successors(&state, &mut steps);
        if steps.fault().is_some() {
            seen.fails = true;
            steps.clear();
        } else if steps.is_empty() && !system.is_end(&state) {
            seen.deadlocks.insert(values(system, &state));
        }
        seen.values.insert(values(system, &state));
    }
}

/// Compares what is left with everything. Says how many states there are and how many are left.
fn compare(
    what: &str,
    system: &Arc<dyn AnySystem>,
    transitions: &Arc<dyn Transitions>,
) -> Option<(usize, usize)> {
    let all = explore(system)?;
    let mut left = usize::MAX;
    let aim = || Aim::deadlocks(Arc::clone(transitions));
    let not_ignored = || aim().with_failures(Failures::NotIgnored);
    // Trials take longer than everything else, so one of these has to do.
    let tried = match all.states % 4 {
        0 => not_ignored().tried_on(system),
        1 => not_ignored().from_the_last().tried_on(system),
        2 => Aim::deadlocks_tried_on(Arc::clone(transitions), system, &Limits::default()),
        _ => not_ignored().from_the_last(),
    };
    // Few words and many are closed in different ways.
    let words = [1, 2, 4, 8, 9];
    let narrow = words[all.states % 5];
    let wide = words[(all.states + 2) % 5];
    for (failures, aim) in [
        ("pursued", aim().in_words(narrow)),
        ("not ignored", not_ignored().in_words(wide)),
        ("many words", aim().in_words(9)),
        ("tried", tried),
    ] {
        let reduced = Stubborn::new(Arc::clone(system), Arc::new(aim));
        let some = explore(&reduced)?;
        assert_eq!(some.fails, all.fails, "{failures} {what}");
        if !all.fails {
            assert_eq!(some.deadlocks, all.deadlocks, "{failures} {what}");
        }
        assert!(some.states <= all.states);
        left = left.min(some.states);
    }
    let by_deletion = |words| {
        let aim = Aim::deadlocks(Arc::clone(transitions)).by_deletion();
        let aim = Arc::new(aim.in_words(words));
        explore(&Stubborn::new(Arc::clone(system), aim))
    };
    let some = by_deletion(narrow)?;
    if !all.fails {
        assert_eq!(some.deadlocks, all.deadlocks, "by deletion {what}");
    }
    // What goes with whom is the same in whatever order it is found. Where something may fail, nothing is deleted.
    if !aim().has_failures() {
        let many = by_deletion(9)?;
        assert_eq!(some, many, "by deletion in {narrow} words {what}");
    }
    for seed in 0..4 {
        reaches(what, system, transitions, &all, seed)?;
    }
    Some((all.states, left))
}

/// Whether some state has these values, asked of everything and of what is left.
fn reaches(
    what: &str,
    system: &Arc<dyn AnySystem>,
    transitions: &Arc<dyn Transitions>,
    all: &Seen,
    seed: u64,
) -> Option<()> {
    let mut random = Random::new(seed);
    let slots = system.layout().slots();
    let mut parts = Vec::new();
    for _ in 0..=random.below(3) {
        let slot = usize::try_from(random.below(slots.len() as u64)).unwrap();
        let value = random.below(4).cast_signed();
        let op = [
            CompareOp::Equal,
            CompareOp::NotEqual,
            CompareOp::Less,
            CompareOp::GreaterOrEqual,
        ][usize::try_from(random.below(4)).unwrap()];
        parts.push((slot, op, value));
    }
    let either = random.below(3) == 0;
    let comparisons = parts.iter().map(|(slot, op, value)| {
        let name = Expr::Slot(Name::new(slots[*slot].name.as_str()));
        Pred::Compare(*op, name, Expr::Number(*value))
    });
    let comparisons: Vec<_> = comparisons.collect();
    let pred = if either {
        Pred::Or(comparisons)
    } else {
        Pred::And(comparisons)
    };
    let holds = |state: &Vec<i64>| {
        let mut parts = parts.iter();
        let test = |(slot, op, value): &(usize, CompareOp, i64)| op.holds(state[*slot], *value);
        if either {
            parts.any(test)
        } else {
            parts.all(test)
        }
    };
    for truth in [true, false] {
        let wanted = [(pred.clone(), truth)];
        let aim = || Aim::reaching(Arc::clone(transitions), &**system, &wanted, &[]).unwrap();
        let deleted = || aim().by_deletion();
        for aim in [aim(), aim().in_words(9), deleted(), deleted().in_words(9)] {
            let some = explore(&Stubborn::new(Arc::clone(system), Arc::new(aim)))?;
            let found = |seen: &Seen| seen.values.iter().any(|state| holds(state) == truth);
            assert_eq!(some.fails, all.fails, "{what} {pred}");
            assert!(some.values.is_subset(&all.values));
            // Where something fails, the exploration ends.
            assert!(
                all.fails || found(&some) == found(all),
                "{what} {pred} {truth}"
            );
        }
    }
    Some(())
}

fn net(seed: u64) -> Option<(usize, usize)> {
    let net = Arc::new(random_net(&mut Random::new(seed)));
    let transitions = NetTransitions::new(Arc::clone(&net)).unwrap();
    // Wide enough for all that is looked at.
    let system = NetSystem::with_bits(net, |_| 20);
    compare(
        &format!("net {seed}"),
        &(Arc::new(system) as _),
        &(Arc::new(transitions) as _),
    )
}

fn program(seed: u64) -> Option<(usize, usize)> {
    let program = random_program(&mut Random::new(seed));
    let transitions = ProgramTransitions::new(&Arc::new(program.clone())).unwrap();
    let system = ProgramSystem::new(program);
    compare(
        &format!("program {seed}"),
        &(Arc::new(system) as _),
        &(Arc::new(transitions) as _),
    )
}

fn network(seed: u64) -> Option<(usize, usize)> {
    let network = random_network(&mut Random::new(seed));
    let transitions = NetworkTransitions::new(&network).unwrap();
    let system = NetworkSystem::new(&network);
    compare(
        &format!("network {seed}"),
        &(Arc::new(system) as _),
        &(Arc::new(transitions) as _),
    )
}

/// A program of which nothing is known but what its actions read and write.
struct Declared(ProgramSystem);

impl System for Declared {
    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn initial(&self, out: &mut Steps) {
        self.0.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps) {
        self.0.successors(state, out);
    }
}

impl Describe for Declared {
    fn actions(&self) -> &[String] {
        self.0.actions()
    }
}

impl AnySystem for Declared {}

impl Footprints for Declared {
    fn count(&self) -> u32 {
        u32::try_from(self.0.program().actions().len()).unwrap()
    }

    fn reads(&self, action: ActionId) -> Vec<SlotId> {
        let access = self.0.program().access(action);
        access.reads.into_iter().collect()
    }

    fn writes(&self, action: ActionId) -> Vec<SlotId> {
        let access = self.0.program().access(action);
        access.writes.into_iter().collect()
    }
}

/// Declared actions do not fail, and nobody waits for others.
fn declared(seed: u64) -> Option<(usize, usize)> {
    let program = random_program(&mut Random::new(seed));
    let processes = program.processes().iter();
    let mut locations = processes.flat_map(|process| &process.locations);
    if locations.any(|location| location.flags.committed) {
        return None;
    }
    let system = Arc::new(Declared(ProgramSystem::new(program)));
    if explore(&*system)?.fails {
        return None;
    }
    let transitions = DeclaredTransitions::new(&*system).unwrap();
    compare(
        &format!("declared {seed}"),
        &(system as _),
        &(Arc::new(transitions) as _),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn declared_systems_keep_their_deadlocks(seed: u64) {
        declared(seed);
    }

    #[test]
    fn nets_keep_their_deadlocks(seed: u64) {
        net(seed);
    }

    #[test]
    fn programs_keep_their_deadlocks_and_failures(seed: u64) {
        program(seed);
    }

    #[test]
    fn networks_keep_their_deadlocks(seed: u64) {
        network(seed);
        declared(seed);
    }
}

/// The tests above say something only if something is left out.
#[test]
fn something_is_left_out() {
    for (what, model) in [
        ("nets", net as fn(u64) -> Option<(usize, usize)>),
        ("programs", program),
        ("networks", network),
        ("declared", declared),
    ] {
        let sizes: Vec<_> = (0..200).filter_map(model).collect();
        let fewer = sizes.iter().filter(|(all, left)| left < all).count();
        assert!(
            fewer > if what == "declared" { 3 } else { 30 },
            "{what}: {fewer} of {}",
            sizes.len()
        );
    }
}

/// 50,000 unless `SEEDS` says how many.
fn seeds() -> std::ops::Range<u64> {
    let wanted = std::env::var("SEEDS").ok();
    0..wanted.map_or(50_000, |text| text.parse().unwrap())
}

/// Many more: `cargo test -p sweepline-reduce --test all -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn fifty_thousand_of_each() {
    for seed in seeds() {
        net(seed);
        program(seed);
        network(seed);
        declared(seed);
    }
}
