//! Ways to get reduction wrong, each of which somebody has fallen into.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use sweepline_core::{
    ActionId, AnySystem, Control, Expanded, Fault, Key, KeyError, Layout, Limits, Observer,
    Progress, SlotId, Steps, System, Word,
};
use sweepline_explore::{Options, Sweep};
use sweepline_logic::{CompareOp, Expr as Term, Name, Pred};
use sweepline_net::{NetSystem, PetriNet};
use sweepline_process::{Lts, Network, NetworkSystem, StateKind};
use sweepline_program::{Effect, Expr, Place, Program, ProgramBuilder, ProgramSystem, SlotType};
use sweepline_reduce::{
    Aim, Failures, Irreducible, NetTransitions, NetworkTransitions, ProgramTransitions, Stubborn,
    Transitions,
};

/// What is left of a system.
#[derive(Debug, Default)]
struct Left {
    states: Vec<Vec<i64>>,
    deadlocks: Vec<Vec<i64>>,
    fails: bool,
}

fn left(system: &dyn System) -> Left {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut queue: VecDeque<Vec<Word>> = VecDeque::new();
    let mut known: HashSet<Vec<Word>> = HashSet::new();
    let mut left = Left::default();
    loop {
        for index in 0..steps.len() {
            let target = steps.target(index).to_vec();
            if known.insert(target.clone()) {
                queue.push_back(target);
            }
        }
        steps.clear();
        let Some(state) = queue.pop_front() else {
            return left;
        };
        system.successors(&state, &mut steps);
        let values = system.layout().slots().iter().map(|slot| slot.read(&state));
        let values: Vec<i64> = values.collect();
        if steps.fault().is_some() {
            left.fails = true;
            steps.clear();
        } else if steps.is_empty() && !system.is_end(&state) {
            left.deadlocks.push(values.clone());
        }
        left.states.push(values);
    }
}

fn program_parts(program: Program) -> (Arc<dyn AnySystem>, Arc<dyn Transitions>) {
    let transitions = ProgramTransitions::new(&Arc::new(program.clone())).unwrap();
    (Arc::new(ProgramSystem::new(program)), Arc::new(transitions))
}

fn net_parts(net: PetriNet) -> (Arc<dyn AnySystem>, Arc<dyn Transitions>) {
    let net = Arc::new(net);
    let transitions = NetTransitions::new(Arc::clone(&net)).unwrap();
    (Arc::new(NetSystem::new(net)), Arc::new(transitions))
}

fn slot_is(name: &str, value: i64) -> Pred {
    let slot = Term::Slot(Name::new(name));
    Pred::Compare(CompareOp::Equal, slot, Term::Number(value))
}

/// What an aim leaves.
fn by(system: &Arc<dyn AnySystem>, aim: Aim) -> Left {
    left(&Stubborn::new(Arc::clone(system), Arc::new(aim)))
}

/// 4 → 1, 1 → 4, 0 → 2 from {0, 4}: each of the first two progresses by some measure, but together they go around.
fn around() -> PetriNet {
    let mut net = PetriNet::builder("around");
    let places: Vec<_> = [1, 0, 0, 0, 1]
        .iter()
        .enumerate()
        .map(|(place, tokens)| net.place(format!("p{place}"), *tokens))
        .collect();
    net.rule("down", &[places[4]], &[places[1]]);
    net.rule("up", &[places[1]], &[places[4]]);
    net.rule("go", &[places[0]], &[places[2]]);
    net.build().unwrap()
}

/// Trap 1. A measure as proviso breaks when the measure changes: 3 m1 + 2 m4 and then 3 m4 - 3 m1 let each step of the cycle progress.
/// Ours is one set of actions for the whole run, whatever measures come and go.
#[test]
fn a_measure_is_no_proviso() {
    let (system, transitions) = net_parts(around());
    let atom = slot_is("p2", 1);
    let aim = Aim::runs(
        Arc::clone(&transitions),
        &*system,
        std::slice::from_ref(&atom),
        &[],
    )
    .unwrap();
    assert!(by(&system, aim).states.iter().any(|state| state[2] == 1));
    let goals = [(atom, true)];
    let aim = Aim::reaching(transitions, &*system, &goals, &[]).unwrap();
    assert!(by(&system, aim).states.iter().any(|state| state[2] == 1));
}

/// `3 p1 + 2 p4`, or `3 p4 - 3 p1` and three more, as a row.
struct Weighted<'a>(&'a Layout, [i64; 2]);

impl Progress for Weighted<'_> {
    fn row_bits(&self) -> u32 {
        128
    }

    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let [p1, p4] = [1, 4].map(|place| self.0.slots()[place].read(state));
        let row = 3 + self.1[0] * p1 + self.1[1] * p4;
        Ok(Key(u128::try_from(row).unwrap()))
    }
}

/// Notes whether something was seen, and stops after some states.
struct Watching<'a> {
    layout: &'a Layout,
    left: usize,
    seen: bool,
}

impl Observer for Watching<'_> {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        self.seen |= self.layout.slots()[2].read(event.state) == 1;
        self.left -= 1;
        if self.left == 0 {
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

/// Trap 1 as it happened: the measure changes on the way, whenever that may be.
#[test]
fn a_measure_may_change_on_the_way() {
    let (system, transitions) = net_parts(around());
    let atom = slot_is("p2", 1);
    let runs = |from_the_last: bool| {
        let atoms = std::slice::from_ref(&atom);
        let aim = Aim::runs(Arc::clone(&transitions), &*system, atoms, &[]).unwrap();
        if from_the_last {
            aim.from_the_last()
        } else {
            aim
        }
    };
    let goals = [(atom.clone(), true)];
    let reaching = || Aim::reaching(Arc::clone(&transitions), &*system, &goals, &[]).unwrap();
    let measures = [[3, 2], [-3, 3]];
    for aim in [runs(false), runs(true), reaching()] {
        let reduced = Stubborn::new(Arc::clone(&system), Arc::new(aim));
        let layout = reduced.layout();
        for change_after in 1..4 {
            for (before, after) in [(0, 1), (1, 0)] {
                let mut watching = Watching {
                    layout,
                    left: change_after,
                    seen: false,
                };
                let first = Weighted(layout, measures[before]);
                let mut sweep = Sweep::new(&reduced, first, Options::default());
                sweep.run(&mut watching);
                watching.left = usize::MAX;
                let second = Weighted(layout, measures[after]);
                let mut sweep = sweep.remeasured(second).unwrap();
                sweep.run(&mut watching);
                assert!(watching.seen, "{before} until {change_after}");
            }
        }
    }
}

/// Trap 2. Where a goal cannot be reached any more no step may be left, and that is no deadlock.
#[test]
fn an_empty_reduced_list_is_no_deadlock() {
    let mut net = PetriNet::builder("pointless");
    let (start, end) = (net.place("start", 1), net.place("end", 0));
    net.place("never", 0);
    net.rule("go", &[start], &[end]);
    net.rule("back", &[end], &[start]);
    let (system, transitions) = net_parts(net.build().unwrap());
    let goals = [(slot_is("never", 1), true)];
    let aim = Aim::reaching(transitions, &*system, &goals, &[]).unwrap();
    let left = by(&system, aim);
    assert_eq!(left.states.len(), 1, "nothing leads to the goal");
    assert!(left.deadlocks.is_empty());
}

/// Trap 3. r: z := 1 - z for ever; q: y := 1; P: y = 1 → out of range. {r} is stubborn, and the failure would never be seen.
#[test]
fn a_failing_action_is_a_goal_of_its_own() {
    let mut program = ProgramBuilder::new("failing");
    let z = program.slot("z", SlotType::integer(0, 1), 0);
    let y = program.slot("y", SlotType::integer(0, 1), 0);
    let spin = program.process("spin");
    let at = program.location(spin, "at");
    let flip = Expr::Constant(1).minus(Expr::slot(z));
    let _ = program
        .action("r", spin, at, at)
        .effect(Effect::assign(z, flip));
    let set = program.process("set");
    let (from, to) = (program.location(set, "from"), program.location(set, "to"));
    let _ = program
        .action("q", set, from, to)
        .effect(Effect::assign(y, Expr::Constant(1)));
    let fail = program.process("fail");
    let at = program.location(fail, "at");
    let _ = program
        .action("P", fail, at, at)
        .guard(Expr::slot(y).equals(1))
        .effect(Effect::assign(y, Expr::slot(y).plus(1)));
    let (system, transitions) = program_parts(program.build().unwrap());
    for failures in [Failures::Pursued, Failures::NotIgnored] {
        let aim = || Aim::deadlocks(Arc::clone(&transitions)).with_failures(failures);
        for aim in [aim(), aim().from_the_last(), aim().tried_on(&system)] {
            assert!(by(&system, aim).fails, "{failures:?}");
        }
    }
    let tried = Aim::deadlocks_tried_on(Arc::clone(&transitions), &system, &Limits::default());
    assert!(by(&system, tried).fails);
    let at_best = Aim::deadlocks(transitions).at_best();
    assert!(!by(&system, at_best).fails, "this is what it is about");
}

/// Trap 4. `not (j < 2 and a[j] == 0)` holds where `j` is 2 and no element is asked for.
#[test]
fn an_index_out_of_bounds_is_an_instance_too() {
    let mut program = ProgramBuilder::new("split");
    let a = program.array("a", &SlotType::integer(0, 1), &[0, 0]);
    let j = program.slot("j", SlotType::integer(0, 2), 0);
    let looking = program.process("looking");
    let (at, out) = (
        program.location(looking, "at"),
        program.location(looking, "out"),
    );
    let zero = || {
        let element = Expr::element(a, Expr::slot(j));
        Expr::slot(j).less(2).and(element.equals(0))
    };
    let _ = program
        .action("next", looking, at, at)
        .guard(zero())
        .effect(Effect::assign(j, Expr::slot(j).plus(1)));
    let _ = program
        .action("leave", looking, at, out)
        .guard(zero().negated());
    for index in 0..2 {
        let process = program.process(format!("P{index}"));
        let (from, to) = (
            program.location(process, "from"),
            program.location(process, "to"),
        );
        let one = Effect::assign(Place::element(a, Expr::Constant(index)), Expr::Constant(1));
        let _ = program
            .action(format!("set{index}"), process, from, to)
            .effect(one);
    }
    let (system, transitions) = program_parts(program.build().unwrap());
    assert!(
        transitions.tables().actions() > system.actions().len(),
        "it is split"
    );
    let mut all = left(&system).deadlocks;
    let mut found = by(&system, Aim::deadlocks(transitions)).deadlocks;
    all.sort();
    found.sort();
    assert!(all.iter().any(|values| values.contains(&2)), "{all:?}");
    assert_eq!(all, found);
}

/// Trap 4 as it goes wrong: without the instance where `j` is 2 nothing seems to lead to `leave`, so that `stop`, which is in its way, seems to
/// have to do with nothing else.
#[test]
fn what_is_out_of_bounds_can_be_waited_for() {
    // Few values beyond the array are instances of their own, and many are one.
    for beyond in [2, 30] {
        what_is_beyond_can_be_waited_for(beyond);
    }
}

fn what_is_beyond_can_be_waited_for(beyond: i64) {
    let mut program = ProgramBuilder::new("waited for");
    let a = program.array("a", &SlotType::integer(0, 1), &[0, 0]);
    let j = program.slot("j", SlotType::integer(0, 40), 0);
    let stopped = program.slot("stopped", SlotType::integer(0, 1), 0);
    let stopping = program.process("stopping");
    let (from, to) = (
        program.location(stopping, "from"),
        program.location(stopping, "to"),
    );
    let _ = program
        .action("stop", stopping, from, to)
        .effect(Effect::assign(stopped, Expr::Constant(1)));
    let looking = program.process("looking");
    let (at, out) = (
        program.location(looking, "at"),
        program.location(looking, "out"),
    );
    let zero = || {
        let element = Expr::element(a, Expr::slot(j));
        Expr::slot(j).less(2).and(element.equals(0))
    };
    let _ = program
        .action("next", looking, at, at)
        .guard(zero())
        .effect(Effect::assign(j, Expr::Constant(beyond)));
    let _ = program
        .action("leave", looking, at, out)
        .guard(zero().negated().and(Expr::slot(stopped).equals(0)));
    // Somebody sets the elements when it is too late. Were they never set, it would be known that `j` is beyond them in `leave`.
    let late = program.process("late");
    let (from, to) = (program.location(late, "from"), program.location(late, "to"));
    let one = |index| {
        let element = Place::element(a, Expr::Constant(index));
        Effect::assign(element, Expr::Constant(1))
    };
    let _ = program
        .action("set", late, from, to)
        .guard(Expr::slot(stopped).equals(1))
        .effect(one(0))
        .effect(one(1));
    let (system, transitions) = program_parts(program.build().unwrap());
    // What leads to a failure is kept anyway, so there must be none.
    assert_eq!(transitions.tables().failures(), 0);
    assert!(
        transitions.tables().actions() > system.actions().len(),
        "it is split"
    );
    let mut all = left(&system).deadlocks;
    all.sort();
    assert_eq!(all.len(), 3, "it leaves, or is stopped before: {all:?}");
    let aim = || Aim::deadlocks(Arc::clone(&transitions));
    for aim in [aim(), aim().from_the_last()] {
        let mut found = by(&system, aim).deadlocks;
        found.sort();
        assert_eq!(all, found, "{beyond} is beyond");
    }
}

/// An edge between states that are numbered.
type Edge = (usize, &'static str, usize);

/// Components with these edges.
fn network_of(components: &[(&str, &[Edge])]) -> Network {
    let parts = components.iter().map(|(name, edges)| {
        let mut lts = Lts::builder();
        let last = edges.iter().map(|(from, _, to)| *from.max(to)).max();
        let states: Vec<_> = (0..=last.unwrap()).map(|_| lts.state()).collect();
        for (from, label, to) in *edges {
            let label = lts.label(label);
            lts.edge(states[*from], label, states[*to]);
        }
        ((*name).to_owned(), lts.build(states[0]))
    });
    Network::parallel(parts.collect::<Vec<_>>())
}

/// The deadlocks that are left, under both orders of steps.
fn deadlocks_left(
    system: &Arc<dyn AnySystem>,
    transitions: &Arc<dyn Transitions>,
) -> [Vec<Vec<i64>>; 3] {
    let aim = || Aim::deadlocks(Arc::clone(transitions));
    [aim(), aim().from_the_last(), aim().by_deletion()].map(|aim| {
        let mut found = by(system, aim).deadlocks;
        found.sort();
        found
    })
}

/// Trap 5, priorities. `start` lets `go` happen, which comes before everything else, so that `x` has to happen before `start` or not at all. Without
/// priorities `start` has to do with nobody, and where it is taken alone the state in which `x` happened is lost.
#[test]
fn priorities_depend_on_everything() {
    let mut network = network_of(&[
        ("one", &[(0, "x", 1), (0, "go", 2)]),
        ("other", &[(0, "start", 1), (1, "go", 2)]),
    ]);
    let without: Arc<dyn Transitions> = Arc::new(NetworkTransitions::new(&network).unwrap());
    network.priority = Some(sweepline_process::Priority {
        labels: ["go".to_owned()].into(),
        high: true,
    });
    let system: Arc<dyn AnySystem> = Arc::new(NetworkSystem::new(&network));
    let mut all = left(&system).deadlocks;
    all.sort();
    assert_eq!(all, [[1, 1], [2, 2]]);
    let lost = deadlocks_left(&system, &without);
    assert!(lost.iter().any(|it| *it != all), "this is what it is about");
    let refused = NetworkTransitions::new(&network).map(|_| ());
    assert_eq!(refused, Err(Irreducible::Priorities));
}

/// Trap 5, error states. Nothing happens any more where a component is in one, so what leads there disables everybody. Somebody who goes
/// around for ever has nothing else to do with it, and alone would put it off for ever.
#[test]
fn error_states_of_components_end_everything() {
    let mut bad = Lts::builder();
    let (here, there, error) = (bad.state(), bad.state(), bad.state());
    bad.set_kind(error, StateKind::Error);
    for (from, name, to) in [(here, "prepare", there), (there, "fail", error)] {
        let label = bad.label(name);
        bad.edge(from, label, to);
    }
    let bad = ("bad".to_owned(), bad.build(here));
    let mut spin = Lts::builder();
    let at = spin.state();
    let label = spin.label("round");
    spin.edge(at, label, at);
    let spin = ("spin".to_owned(), spin.build(at));
    for parts in [[bad.clone(), spin.clone()], [spin, bad]] {
        let network = Network::parallel(parts);
        let transitions: Arc<dyn Transitions> =
            Arc::new(NetworkTransitions::new(&network).unwrap());
        let system: Arc<dyn AnySystem> = Arc::new(NetworkSystem::new(&network));
        let goes_wrong = |left: &Left| left.states.iter().any(|state| state.contains(&2));
        assert!(goes_wrong(&left(&system)));
        let aim = || Aim::deadlocks(Arc::clone(&transitions));
        for aim in [aim(), aim().from_the_last(), aim().by_deletion()] {
            assert!(goes_wrong(&by(&system, aim)));
        }
    }
}

/// Trap 5, errors that are counted as states: a step that fails is one that disables everything.
#[test]
fn errors_that_are_states_depend_on_everything() {
    let mut program = ProgramBuilder::new("errors");
    let process = program.process("P");
    let at = program.location(process, "at");
    let _ = program.action("stay", process, at, at).id();
    let program = program.build().unwrap().with_error_states();
    let refused = ProgramTransitions::new(&Arc::new(program)).map(|_| ());
    assert_eq!(refused, Err(Irreducible::ErrorStates));
}

/// Trap 5, committed locations: while a process is in one, others wait whatever their guards say.
#[test]
fn committed_locations_hold_up_everybody() {
    let mut program = ProgramBuilder::new("committed");
    let x = program.slot("x", SlotType::integer(0, 3), 0);
    let hasty = program.process("hasty");
    let (start, now, done) = (
        program.location(hasty, "start"),
        program.location(hasty, "now"),
        program.location(hasty, "done"),
    );
    program.location_mut(hasty, now).flags.committed = true;
    let _ = program.action("enter", hasty, start, now).id();
    let _ = program
        .action("leave", hasty, now, done)
        .guard(Expr::slot(x).equals(0));
    let other = program.process("other");
    let (from, to) = (
        program.location(other, "from"),
        program.location(other, "to"),
    );
    let _ = program
        .action("set", other, from, to)
        .effect(Effect::assign(x, Expr::Constant(1)));
    let (system, transitions) = program_parts(program.build().unwrap());
    let mut all = left(&system).deadlocks;
    all.sort();
    // `set` and then `enter` is stuck in the committed location; `enter` first is not.
    assert_eq!(all.len(), 2, "{all:?}");
    let aim = || Aim::deadlocks(Arc::clone(&transitions));
    for aim in [aim(), aim().from_the_last(), aim().by_deletion()] {
        let mut found = by(&system, aim).deadlocks;
        found.sort();
        assert_eq!(all, found);
    }
}

/// Trap 5 again: while processes are in committed locations everything they can do stays, even where they have nothing to do with each
/// other. Whoever waits for them is disabled although its guard holds, and no table tells what it waits for.
#[test]
fn nothing_is_left_out_in_committed_locations() {
    let mut program = ProgramBuilder::new("hasty");
    let x = program.slot("x", SlotType::integer(0, 1), 0);
    for name in ["one", "two"] {
        let hasty = program.process(name);
        let (now, done) = (
            program.location(hasty, "now"),
            program.location(hasty, "done"),
        );
        program.location_mut(hasty, now).flags.committed = true;
        let _ = program.action(name, hasty, now, done).id();
    }
    let other = program.process("other");
    let at = program.location(other, "at");
    let set = program.action("set", other, at, at);
    let _ = set.effect(Effect::assign(x, Expr::Constant(1)));
    let (system, transitions) = program_parts(program.build().unwrap());
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let initial = steps.target(0).to_vec();
    steps.clear();
    system.successors(&initial, &mut steps);
    assert_eq!(steps.len(), 2, "`set` waits");
    let all = |aim: Aim| {
        let stubborn = Stubborn::new(Arc::clone(&system), Arc::new(aim));
        assert!(!stubborn.leaves_out(&initial, steps.actions()));
    };
    let deadlocks = || Aim::deadlocks(Arc::clone(&transitions));
    all(deadlocks());
    all(deadlocks().by_deletion());
    // The way to one goal is barred, and that to the other is the step of one process alone.
    for goal in ["x", "one"] {
        let goals = [(slot_is(goal, 1), true)];
        all(Aim::reaching(Arc::clone(&transitions), &*system, &goals, &[]).unwrap());
    }
}

/// Trap 7. A joint action writes one slot for each of its processes, and a third process sees one of them or the other.
#[test]
fn a_joint_action_is_seen_by_a_third_process() {
    for seen in 0..2 {
        let mut program = ProgramBuilder::new("joint");
        let slots = ["x", "y"].map(|name| program.slot(name, SlotType::integer(0, 1), 0));
        let pair = ["one", "two"].map(|name| {
            let process = program.process(name);
            let (from, to) = (
                program.location(process, "from"),
                program.location(process, "to"),
            );
            (process, from, to)
        });
        let [(one, from, to), (two, there, then)] = pair;
        let _ = program
            .action("both", one, from, to)
            .with(two, there, then)
            .effect(Effect::assign(slots[0], Expr::Constant(1)))
            .effect(Effect::assign(slots[1], Expr::Constant(1)));
        let third = program.process("third");
        let places: Vec<_> = ["start", "saw nothing", "saw it"]
            .iter()
            .map(|name| program.location(third, *name))
            .collect();
        for value in 0..2 {
            let place = usize::try_from(value).unwrap() + 1;
            let _ = program
                .action(format!("see{value}"), third, places[0], places[place])
                .guard(Expr::slot(slots[seen]).equals(value));
        }
        let (system, transitions) = program_parts(program.build().unwrap());
        let mut all = left(&system).deadlocks;
        all.sort();
        assert_eq!(all.len(), 2, "before both and after both: {all:?}");
        let aim = || Aim::deadlocks(Arc::clone(&transitions));
        for aim in [aim(), aim().from_the_last()] {
            let mut found = by(&system, aim).deadlocks;
            found.sort();
            assert_eq!(all, found);
        }
    }
}

/// Notes which steps are kept in the states of a system, by the values of its slots, and compares them with those noted before. Fails with
/// the slot that is too narrow.
fn keeps_as_before(
    system: &dyn System,
    kept: &mut HashMap<Vec<i64>, Vec<ActionId>>,
) -> Result<(), SlotId> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut queue: VecDeque<Vec<Word>> = VecDeque::new();
    let mut known: HashSet<Vec<Word>> = HashSet::new();
    loop {
        let targets = (0..steps.len()).map(|index| steps.target(index).to_vec());
        queue.extend(targets.filter(|target| known.insert(target.clone())));
        steps.clear();
        let Some(state) = queue.pop_front() else {
            return Ok(());
        };
        system.successors(&state, &mut steps);
        if let Some(Fault::Outgrown { slot }) = steps.fault() {
            return Err(*slot);
        }
        let values = system.layout().slots().iter().map(|slot| slot.read(&state));
        let before = kept.entry(values.collect());
        assert_eq!(
            before.or_insert_with(|| steps.actions().to_vec()),
            steps.actions()
        );
    }
}

/// Trap 8. Ordinals that were logged before a recode are replayed after it, so that the same steps have to be kept in every encoding.
#[test]
fn the_same_steps_are_kept_in_every_encoding() {
    let mut net = PetriNet::builder("growing");
    let (source, store) = (net.place("source", 40), net.place("store", 0));
    let (other, end) = (net.place("other", 2), net.place("end", 0));
    net.rule("turn", &[other], &[other]);
    net.rule("fill", &[source], &[store]);
    let stop = net.transition("stop");
    net.input(stop, store, 35).input(stop, other, 2);
    net.output(stop, end, 1);
    let net = Arc::new(net.build().unwrap());
    let transitions = Arc::new(NetTransitions::new(Arc::clone(&net)).unwrap());
    let system: Arc<dyn AnySystem> = Arc::new(NetSystem::with_bits(net, |_| 1));
    let goals = [(slot_is("end", 1), true)];
    let aim = Aim::reaching(transitions, &*system, &goals, &[]).unwrap();
    let mut reduced: Arc<dyn AnySystem> = Arc::new(Stubborn::new(system, Arc::new(aim)));
    let (mut kept, mut encodings) = (HashMap::new(), 1);
    while let Err(slot) = keeps_as_before(&reduced, &mut kept) {
        reduced = reduced.widened(slot).unwrap();
        encodings += 1;
    }
    assert!(encodings > 1);
    let fill = ActionId(1);
    assert!(
        kept.values().any(|actions| *actions == [fill]),
        "`turn` is left out"
    );
}
