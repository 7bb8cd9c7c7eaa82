//! Whatever may take long looks at the limits of the run.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sweepline_core::{
    ActionId, AnySystem, Describe, Layout, Limits, Steps, StopReason, System, Word,
};
use sweepline_net::{NetSystem, PetriNet};
use sweepline_process::{Lts, Network};
use sweepline_program::{Effect, Expr, Program, ProgramBuilder, ProgramSystem, SlotType};
use sweepline_reduce::local::{Extent, Unfinished, Views, ls3, ls3_up_to};
use sweepline_reduce::{
    Aim, Irreducible, NetTransitions, NetworkTransitions, ProgramTransitions, Stubborn, Transitions,
};

fn cancelled() -> Limits {
    let limits = Limits::default();
    limits.cancel.cancel();
    limits
}

/// Processes that count round and round for themselves and look at one shared slot.
fn counters(processes: usize, values: i64) -> Program {
    let mut program = ProgramBuilder::new("counters");
    let shared = program.slot("shared", SlotType::boolean(), 0);
    for number in 0..processes {
        let own = program.slot(format!("n{number}"), SlotType::integer(0, values - 1), 0);
        let process = program.process(format!("P{number}"));
        let at = program.location(process, "at");
        let _ = program
            .action("count", process, at, at)
            .guard(
                Expr::slot(shared)
                    .equals(0)
                    .and(Expr::slot(own).less(values - 1)),
            )
            .effect(Effect::assign(own, Expr::slot(own).plus(1)));
        let _ = program
            .action("flip", process, at, at)
            .guard(Expr::slot(own).equals(values - 1))
            .effect(Effect::assign(own, Expr::Constant(0)))
            .effect(Effect::assign(
                shared,
                Expr::Constant(1).minus(Expr::slot(shared)),
            ));
    }
    program.build().unwrap()
}

/// Two machines that have nothing to do with each other.
fn machines() -> Arc<PetriNet> {
    let mut net = PetriNet::builder("machines");
    for machine in ["a", "b"] {
        let todo = net.place(format!("{machine}.todo"), 1);
        let done = net.place(format!("{machine}.done"), 0);
        net.rule(format!("{machine}.work"), &[todo], &[done]);
        net.rule(format!("{machine}.skip"), &[todo], &[]);
    }
    Arc::new(net.build().unwrap())
}

#[test]
fn tables_are_given_up_when_the_run_ends() {
    let stopped = Err(Irreducible::Stopped(StopReason::Interrupted));
    let program = Arc::new(counters(2, 4));
    let of_program = ProgramTransitions::within(&program, &cancelled());
    assert_eq!(of_program.map(|_| ()), stopped);
    let of_net = NetTransitions::within(machines(), &cancelled());
    assert_eq!(of_net.map(|_| ()), stopped);
    let mut lts = Lts::builder();
    let (here, there) = (lts.state(), lts.state());
    for name in ["one", "other"] {
        let label = lts.label(name);
        lts.edge(here, label, there);
    }
    let network = Network::parallel([("P".to_owned(), lts.build(here))]);
    let of_network = NetworkTransitions::within(&network, &cancelled());
    assert_eq!(of_network.map(|_| ()), stopped);
}

/// A hundred processes that are all in each other's way: half a megabyte is enough for what is known of their values, but not for who depends
/// on whom.
#[test]
fn tables_keep_to_the_memory() {
    let program = Arc::new(counters(100, 4));
    let within = |memory| {
        let limits = Limits {
            memory: Some(memory),
            ..Limits::default()
        };
        ProgramTransitions::within(&program, &limits)
    };
    let limit = 500_000;
    let stopped = Err(Irreducible::Stopped(StopReason::Memory { limit }));
    assert_eq!(within(limit).map(|_| ()), stopped);
    let known = within(8_000_000).unwrap();
    let aim = Aim::deadlocks(Arc::new(known));
    assert!(
        (100_000..8_000_000).contains(&aim.bytes()),
        "{}",
        aim.bytes()
    );
}

#[test]
fn local_graphs_and_what_they_tell_are_given_up_when_the_run_ends() {
    let stopped = Unfinished::Stopped(StopReason::Interrupted);
    let program = Arc::new(counters(2, 4));
    let system = ProgramSystem::new((*program).clone());
    let views = Arc::new(Views::new(&system, &[]).unwrap());
    assert_eq!(ls3(&views, &cancelled()).unwrap_err(), stopped);
    let graphs = ls3(&views, &Limits::default()).unwrap();
    let mut known = ProgramTransitions::new(&program).unwrap();
    assert_eq!(known.refine(&graphs, &cancelled()), Err(stopped));
}

/// Who asks for local graphs on the way to something else gives them up sooner.
#[test]
fn local_graphs_may_be_given_a_share() {
    let system = ProgramSystem::new(counters(2, 200));
    let views = Arc::new(Views::new(&system, &[]).unwrap());
    let limits = Limits::default();
    let graphs = ls3_up_to(Extent::SHARE, &views, &limits).unwrap();
    assert!(graphs.pairs() >= 40_000, "{}", graphs.pairs());
    let few = Extent {
        pairs: 1000,
        ..Extent::SHARE
    };
    let given_up = Unfinished::Divergence {
        what: "pairs of states",
        limit: 1000,
    };
    assert_eq!(ls3_up_to(few, &views, &limits).unwrap_err(), given_up);
}

/// All of so many processes see the same slot, so there are more pairs of them than could be followed.
#[test]
fn too_many_pairs_of_processes_are_not_followed() {
    let system = ProgramSystem::new(counters(800, 2));
    let views = Arc::new(Views::new(&system, &[]).unwrap());
    let refused = ls3(&views, &Limits::default()).unwrap_err();
    let expected = "more than 262144 pairs of processes";
    assert!(refused.to_string().contains(expected), "{refused}");
}

/// Counts what it is asked, and names steps by their position.
struct Watched {
    net: NetSystem,
    asked: AtomicUsize,
}

impl Watched {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            net: NetSystem::new(machines()),
            asked: AtomicUsize::new(0),
        })
    }
}

impl System for Watched {
    fn layout(&self) -> &Layout {
        self.net.layout()
    }

    fn initial(&self, out: &mut Steps) {
        self.net.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.net.successors(state, out);
    }
}

impl Describe for Watched {
    fn actions(&self) -> &[String] {
        self.net.actions()
    }

    fn step_name(&self, _: &[Word], ordinal: usize, _: ActionId) -> String {
        ordinal.to_string()
    }
}

impl AnySystem for Watched {}

#[test]
fn trials_end_with_the_run() {
    for (limits, asked) in [(Limits::default(), true), (cancelled(), false)] {
        let watched = Watched::new();
        let system: Arc<dyn AnySystem> = Arc::clone(&watched) as _;
        let transitions = Arc::new(NetTransitions::new(machines()).unwrap());
        let aim = Aim::deadlocks_tried_on(transitions, &system, &limits);
        assert!(aim.counts_deadlocks());
        assert_eq!(watched.asked.load(Ordering::Relaxed) > 0, asked);
    }
}

/// Steps that are kept are named by where they are among all steps, which are generated once for that.
#[test]
fn names_of_steps_are_found_by_position() {
    let watched = Watched::new();
    let system: Arc<dyn AnySystem> = Arc::clone(&watched) as _;
    let transitions: Arc<dyn Transitions> = Arc::new(NetTransitions::new(machines()).unwrap());
    let aim = Aim::deadlocks(transitions).from_the_last();
    let reduced = Stubborn::new(system, Arc::new(aim));
    let mut steps = Steps::for_layout(reduced.layout());
    reduced.initial(&mut steps);
    let start = steps.target(0).to_vec();
    steps.clear();
    reduced.successors(&start, &mut steps);
    assert_eq!(steps.len(), 2, "one machine is left");
    watched.asked.store(0, Ordering::Relaxed);
    let names = steps.actions().iter().enumerate();
    let names = names.map(|(ordinal, action)| reduced.step_name(&start, ordinal, *action));
    assert_eq!(names.collect::<Vec<_>>(), ["2", "3"]);
    assert_eq!(watched.asked.load(Ordering::Relaxed), 2);
}
