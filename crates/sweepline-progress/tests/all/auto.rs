//! Whatever is proposed, the same states are visited; columns never fall; nothing that is chosen loses.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use proptest::prelude::*;
use sweepline_core::{
    ActionId, AnySystem, Describe, Layout, Limits, Progress, Statistics, Steps, System, Word,
};
use sweepline_dve::{LoadOptions, read_dve};
use sweepline_logic::{Coordinate, Ranges};
use sweepline_net::{NetSystem, PetriNet, family};
use sweepline_process::{Lts, Network, NetworkSystem};
use sweepline_program::ProgramSystem;
use sweepline_progress::linear::Budget;
use sweepline_progress::program::Behaviour;
use sweepline_progress::{
    Assessment, Candidate, Findings, Most, Structure, Subject, Thrift, Vicinity,
};

/// Larger state spaces are left out.
const MOST: u64 = 3000;

fn net_model(net: PetriNet) -> (Structure, Arc<dyn AnySystem>, Ranges) {
    let net = Arc::new(net);
    let system = NetSystem::new(Arc::clone(&net));
    (Structure::Net(net), Arc::new(system), Ranges::Open)
}

fn program_model(text: &str) -> (Structure, Arc<dyn AnySystem>, Ranges) {
    let model = read_dve(&text.into(), &LoadOptions::default()).expect("the model is right");
    let program = model.program();
    let system = ProgramSystem::new((*program).clone());
    let structure = Structure::Program(Arc::new(Behaviour::new(program)));
    (structure, Arc::new(system), Ranges::Known)
}

fn network_model(network: Network) -> (Structure, Arc<dyn AnySystem>, Ranges) {
    let system = NetworkSystem::new(&network);
    let structure = Structure::Components(Arc::new(network));
    (structure, Arc::new(system), Ranges::Known)
}

/// Explores by every candidate and compares with full search, and trials with explorations.
fn check((structure, mut system, ranges): (Structure, Arc<dyn AnySystem>, Ranges)) -> Findings {
    let findings = structure.find(&system, ranges, &Limits::default());
    let vicinity = Vicinity::of(&mut system, MOST, &Limits::default());
    let subject = Subject {
        changes: structure.changes(),
        system,
        ranges,
    };
    let full = subject.explore(None, MOST, &Limits::default());
    let Some(states) = full.states() else {
        return findings;
    };
    for Assessment { candidate, .. } in &findings.choice.assessed {
        let found = subject.explore(Some(candidate), MOST * 50, &Limits::default());
        assert!(found.complete, "{candidate:?}");
        assert!(found.explored >= states, "{candidate:?}");
        let measure = subject
            .bind(&subject.system, candidate)
            .expect("it was bound before");
        let trial = vicinity
            .sweep(&measure, vicinity.len(), Most::UNLIMITED)
            .expect("columns never fall");
        assert_eq!(figures(&trial.statistics), figures(&found), "{candidate:?}");
        if candidate.rows.is_empty() {
            assert_eq!((found.states(), found.edges), (Some(states), full.edges));
            assert_eq!(found.deadlocks(), full.deadlocks());
        }
    }
    if let Some(chosen) = &findings.choice.chosen {
        let found = subject.explore(Some(chosen), u64::MAX, &Limits::default());
        assert!(found.explored <= 2 * states && found.peak_states < states);
    }
    findings
}

/// What a trial has to get right.
fn figures(statistics: &Statistics) -> impl PartialEq + std::fmt::Debug {
    let Statistics {
        complete,
        explored,
        edges,
        repeated,
        layers,
        columns,
        ..
    } = *statistics;
    let again = [
        statistics.sweeps,
        statistics.column_sweeps,
        statistics.regress_edges,
        statistics.persistent,
        statistics.peak_states,
    ];
    (complete, explored, edges, repeated, layers, columns, again)
}

/// Keys that are carried along are those of the states.
#[test]
fn carried_keys_are_keys() {
    let (structure, system, ranges) = program_model(
        "byte x; process P { byte y; state a, b, c; init a; trans
           a -> b { effect x = 3; }, b -> c { effect y = y + 2, x = x - 1; }, c -> a { guard y < 9; effect x = y; }; }
         system async;",
    );
    let changes = structure.changes();
    for text in [
        "P",
        "x",
        "P.y",
        "10*P + P.y",
        "x - 3*P",
        "rank(P, b == 2, c == 1) + P",
        "P.y, P",
    ] {
        let candidate = Candidate {
            name: text.into(),
            columns: Vec::new(),
            rows: Coordinate::parse(text).unwrap(),
            coarsen: 1,
        };
        let measure = candidate.bind(&system, ranges, changes.as_ref()).unwrap();
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let mut state = steps.target(0).to_vec();
        for _ in 0..20 {
            steps.clear();
            system.successors(&state, &mut steps);
            if steps.is_empty() {
                break;
            }
            let (target, action) = (steps.target(0).to_vec(), steps.actions()[0]);
            let carried = measure.step_key(measure.key(&state).unwrap(), action, &target);
            assert_eq!(carried.unwrap(), measure.key(&target).unwrap(), "{text}");
            state = target;
        }
    }
}

#[derive(Clone, Debug)]
struct Rules {
    initial: Vec<u64>,
    rules: Vec<(Vec<usize>, Vec<usize>)>,
}

fn rules() -> impl Strategy<Value = Rules> {
    (2..6_usize).prop_flat_map(|places| {
        let ends = || proptest::collection::vec(0..places, 1..3);
        let rules = proptest::collection::vec((ends(), ends()), 1..6);
        let initial = proptest::collection::vec(0..3_u64, places);
        (initial, rules).prop_map(|(initial, rules)| Rules { initial, rules })
    })
}

impl Rules {
    fn net(&self) -> PetriNet {
        let mut net = PetriNet::builder("random");
        let initial = self.initial.iter().enumerate();
        let places: Vec<_> = initial
            .map(|(index, &tokens)| net.place(format!("p{index}"), tokens))
            .collect();
        for (index, (from, to)) in self.rules.iter().enumerate() {
            let ends = |ends: &[usize]| ends.iter().map(|&end| places[end]).collect::<Vec<_>>();
            net.rule(format!("t{index}"), &ends(from), &ends(to));
        }
        net.build().expect("ids are unique")
    }
}

/// Components with a few states over three labels.
fn network() -> impl Strategy<Value = Network> {
    let edge = (0..4_u32, 0..3_usize, 0..4_u32);
    let component = proptest::collection::vec(edge, 1..7);
    proptest::collection::vec(component, 1..4).prop_map(|components| {
        let components = components.into_iter().enumerate().map(|(index, edges)| {
            let mut builder = Lts::builder();
            let states: Vec<_> = (0..4).map(|_| builder.state()).collect();
            for (from, label, to) in edges {
                let label = builder.label(["a", "b", "c"][label]);
                builder.edge(states[from as usize], label, states[to as usize]);
            }
            (format!("C{index}"), builder.build(states[0]))
        });
        Network::parallel(components)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn measures_of_nets_visit_everything(rules in rules()) {
        check(net_model(rules.net()));
    }

    // As many again, for another core: this takes longest.
    #[test]
    fn measures_of_further_nets_visit_everything(rules in rules()) {
        check(net_model(rules.net()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn measures_of_networks_visit_everything(network in network()) {
        check(network_model(network));
    }
}

#[test]
fn degenerate_nets_do_without() {
    let net = |build: fn(&mut sweepline_net::NetBuilder)| {
        let mut builder = PetriNet::builder("degenerate");
        build(&mut builder);
        check(net_model(builder.build().expect("the net is right")))
    };
    let isolated = net(|net| {
        net.place("p", 1);
    });
    assert!(isolated.choice.chosen.is_none());
    let looping = net(|net| {
        let place = net.place("p", 1);
        net.rule("t", &[place], &[place]);
    });
    assert!(looping.choice.chosen.is_none());
    let empty = net(|_| {});
    assert!(empty.choice.chosen.is_none());
    // A source makes the net unbounded; there is a measure, and no last layer.
    let source = net(|net| {
        let place = net.place("p", 0);
        net.rule("t", &[], &[place]);
    });
    assert!(source.last.is_none());
}

#[test]
fn known_nets_have_the_measures_one_expects() {
    let pipe = check(net_model(family::pipe(4, 4, 2)));
    assert_eq!(pipe.last, Some(32));
    let peak = pipe.choice.assessed[0]
        .trial
        .as_ref()
        .map(|trial| trial.peak_states);
    assert_eq!(peak, Some(60));
    let kanban = check(net_model(family::kanban(2)));
    assert!(
        kanban
            .choice
            .chosen
            .is_none_or(|chosen| chosen.columns.is_empty())
    );
}

#[test]
fn programs_with_one_direction_are_swept() {
    let found = check(program_model(
        "byte n; process P { state a, b; init a; \
         trans a -> b { guard n < 90; effect n = n + 1; }, b -> a {}; } \
         process Q { byte x; state q; init q; trans q -> q { effect x = 1 - x; }; } system async;",
    ));
    let chosen = found.choice.chosen.expect("n never decreases");
    assert!(chosen.rows.is_empty());
    let circles = check(program_model(
        "process P { byte x; state q; init q; trans q -> q { effect x = 1 - x; }; } system async;",
    ));
    assert!(circles.choice.chosen.is_none());
}

#[test]
fn why_nothing_progresses_is_explained() {
    let (structure, ..) = net_model(family::philosophers(3));
    let cycle = structure
        .why_not(0)
        .expect("philosophers go round in circles");
    assert!(cycle.iter().any(|(transition, _)| *transition == 0));
    let (structure, ..) = net_model(family::pipe(2, 2, 1));
    assert!(structure.why_not(0).is_none());
}

/// Counters that count up to nine, each for itself, and how often they were asked for steps.
struct Asked {
    layout: Layout,
    actions: Vec<String>,
    times: Arc<AtomicU64>,
}

impl System for Asked {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        self.times.fetch_add(1, Relaxed);
        for (slot, action) in self.layout.slots().iter().zip(0..) {
            if slot.read(state) < 9 {
                let target = out.push_copy(ActionId(action), state);
                let raised = slot.read(state) + 1;
                slot.write(target, raised).expect("it is in range");
            }
        }
    }
}

impl Describe for Asked {
    fn actions(&self) -> &[String] {
        &self.actions
    }
}

impl AnySystem for Asked {}

/// Looking for a measure expands as many states as its work allows, and no more.
#[test]
fn looking_takes_the_work_it_may_take() {
    let expansions = |thrift: Thrift| {
        let mut layout = Layout::builder();
        for counter in 0..7 {
            layout = layout.integer(format!("c{counter}"), 0, 9);
        }
        let times = Arc::default();
        let system: Arc<dyn AnySystem> = Arc::new(Asked {
            layout: layout.build(),
            actions: (0..7).map(|counter| format!("up {counter}")).collect(),
            times: Arc::clone(&times),
        });
        let limits = Limits::default();
        Structure::Unknown.find_saving(thrift, &system, Ranges::Known, &limits);
        times.load(Relaxed)
    };
    let millisecond = Budget::MILLISECOND;
    let [little, more, most] = [1, 8, 8000].map(|milliseconds| {
        let work = milliseconds * millisecond;
        expansions(Thrift::Time { work })
    });
    // A microsecond for each of seven steps would be slow, and less than a half of the work is for expansions.
    assert!((50..2000).contains(&little), "{little}");
    assert!((6 * little..12 * little).contains(&more), "{little} {more}");
    assert!((20_000..40_000).contains(&most), "{most}");
    assert!(expansions(Thrift::Memory) > most);
}
