//! Figures published in the papers and in the benchmark notes, reproduced with the models of the zoo and the net
//! families.

use sweepline::check;
use sweepline::core::{Coarse, NoProgress, Progress, Statistics, System};
use sweepline::explore::{End, Options, Sweep};
use sweepline::graph::{About, GraphWriter, Propositions, Shape, StoredGraph, condensed_bits};
use sweepline::model::ModelSystem;

use sweepline::model::zoo::database::Database;
use sweepline::model::zoo::go_back_n::{GoBackN, GoBackNWords};
use sweepline::model::zoo::stop_and_wait::StopAndWait;
use sweepline::net::{NetSystem, PetriNet, family};

fn explore<S: System, P: Progress>(system: S, progress: P) -> Statistics {
    let mut sweep = Sweep::new(system, progress, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Complete);
    sweep.statistics().clone()
}

/// [MW04, table 1]: every state but the first is explored twice, because all updates lead back to the idle state.
#[test]
fn database_replication() {
    let edges_of_both_sweeps = [449, 2_181, 9_745, 40_853, 163_329, 629_893];
    for (managers, edges) in (4_u8..=9).zip(edges_of_both_sweeps) {
        let model = Database::new(managers).unwrap();
        let states = u64::from(managers) * 3_u64.pow(u32::from(managers) - 1) + 2;
        let peak = 3_u64.pow(u32::from(managers) - 2) + u64::from(managers) + 1;

        let full = explore(ModelSystem::new(model), NoProgress);
        assert_eq!(full.states(), Some(states));

        let sweep = explore(ModelSystem::new(model), model.measure());
        assert_eq!(sweep.explored, 2 * states - 1);
        assert_eq!(sweep.peak_states, peak);
        assert_eq!((sweep.sweeps, sweep.persistent), (2, 1));
        assert_eq!(sweep.edges, edges);
        assert_eq!(sweep.states(), None, "states were expanded twice");
        assert_eq!(sweep.layers, states, "every state has a value of its own");
    }
}

/// [MW04, table 2] and the state counts of [CKM01, table 2].
#[test]
fn stop_and_wait() {
    for packets in [10, 20, 40, 50, 60, 80, 100, 200, 300, 400, 500, 1000] {
        let model = StopAndWait { packets };
        let measure = model.measure();
        let report = check(model).measure(measure).explore();
        let states = 271 * u64::from(packets) - 134;
        assert_eq!(report.states(), Some(states), "{packets} packets");
        assert_eq!(report.statistics().explored, states);
        assert_eq!(report.statistics().peak_states, 287, "{packets} packets");
        assert_eq!(report.statistics().layers, u64::from(packets) + 1);
    }
}

#[test]
fn stop_and_wait_delivers_everything() {
    let model = StopAndWait { packets: 10 };
    let measure = model.measure();
    let report = check(model).measure(measure).no_deadlock().run();
    let trace = report.trace("deadlock").expect("the protocol ends");
    assert_eq!(report.statistics().deadlock_expansions, 1);
    assert_eq!(
        trace
            .actions()
            .iter()
            .filter(|action| action.contains("Accept"))
            .count(),
        10
    );
}

fn is_narrow(sweep: &Statistics) {
    assert_eq!(sweep.states(), Some(6_159_090));
    assert_eq!((sweep.layers, sweep.peak_states), (801, 11_990));
}

#[test]
fn go_back_n_narrow_by_hand() {
    let system = GoBackNWords::new(400, 4, 4).unwrap();
    let measure = system.measure();
    is_narrow(&explore(system, measure));
}

#[test]
fn go_back_n_narrow_typed() {
    let model = GoBackN::<4> {
        messages: 400,
        window: 4,
    };
    let measure = model.measure();
    is_narrow(&explore(ModelSystem::new(model), measure));
}

#[test]
fn go_back_n_tiny_has_small_layers() {
    let system = GoBackNWords::new(8000, 3, 2).unwrap();
    let measure = system.measure();
    let sweep = explore(system, measure);
    assert_eq!((sweep.layers, sweep.peak_states), (16_001, 294));
    assert!(
        sweep.peak_bytes < 1 << 20,
        "small layers must stay small: {} bytes",
        sweep.peak_bytes
    );
}

/// Coarser layers visit the same states.
#[test]
fn go_back_n_coarsened() {
    let system = || GoBackNWords::new(60, 4, 4).unwrap();
    let fine = explore(system(), system().measure());
    for factor in [2, 7, 1000] {
        let coarse = explore(system(), Coarse::new(system().measure(), factor));
        assert_eq!(coarse.states(), fine.states());
        assert_eq!(coarse.edges, fine.edges);
        assert!(coarse.peak_states >= fine.peak_states);
    }
}

#[test]
fn large_nets() {
    let check = |name: &str, net: PetriNet, states, edges| {
        let counts = explore(NetSystem::new(net), NoProgress);
        assert_eq!(
            (counts.states(), counts.edges),
            (Some(states), edges),
            "{name}"
        );
    };
    check("kanban(4)", family::kanban(4), 454_475, 3_979_850);
    check("fms(4)", family::fms(4), 438_600, 3_166_985);
    check(
        "philosophers(12)",
        family::philosophers(12),
        531_441,
        4_960_116,
    );
    check("pipe(8,8,2)", family::pipe(8, 8, 2), 576_963, 3_077_136);
    check(
        "stop-and-wait(6,2,2)",
        family::stop_and_wait(6, 2, 2),
        1_030_225,
        7_513_030,
    );
}

/// Explores and stores the graph.
fn stored<S: System, P: Progress>(system: S, progress: P) -> (Statistics, StoredGraph) {
    let mut sweep = Sweep::new(system, progress, Options::default());
    let mut writer = GraphWriter::new(Vec::new(), About::default(), Propositions::none());
    assert_eq!(sweep.run_linked(&mut writer), End::Complete);
    let bytes = writer
        .finish(sweep.statistics())
        .expect("memory can be written to");
    let graph = StoredGraph::of_bytes(bytes).expect("what was written can be read");
    (sweep.statistics().clone(), graph)
}

/// The size of a stored graph against the formula of [MW04, Sect. 3.1].
#[expect(clippy::cast_precision_loss, reason = "a few digits suffice")]
fn part_of_formula(graph: &StoredGraph) -> f64 {
    let (figures, shape) = (graph.figures(), Shape::of(graph).expect("it is small"));
    let formula = condensed_bits(figures.nodes, figures.edges, shape.actions);
    (graph.bytes() * 8) as f64 / formula as f64
}

/// [MW04, table 1]: the graph has 2R - 1 nodes, and nobody claims that they are states.
#[test]
fn condensed_database_replication() {
    for managers in 4_u8..=9 {
        let model = Database::new(managers).unwrap();
        let states = u64::from(managers) * 3_u64.pow(u32::from(managers) - 1) + 2;
        let (statistics, graph) = stored(ModelSystem::new(model), model.measure());
        let figures = graph.figures();
        assert_eq!(figures.nodes, 2 * states - 1);
        assert_eq!(figures.edges, statistics.edges);
        let peak = 3_u64.pow(u32::from(managers) - 2) + u64::from(managers) + 1;
        assert_eq!(figures.peak_states, peak);
        assert!(figures.complete && figures.repeated);
        assert!(managers < 7 || part_of_formula(&graph) < 0.33);
    }
}

/// [MW04, table 2]: as many nodes as states, 287 of them stored at most.
#[test]
fn condensed_stop_and_wait() {
    for packets in [20, 40, 60, 80, 100] {
        let model = StopAndWait { packets };
        let measure = model.measure();
        let (statistics, graph) = stored(ModelSystem::new(model), measure);
        let figures = graph.figures();
        assert_eq!(figures.nodes, 271 * u64::from(packets) - 134);
        assert_eq!(
            (figures.edges, figures.peak_states),
            (statistics.edges, 287)
        );
        assert!(figures.complete && !figures.repeated);
        assert!(packets < 40 || part_of_formula(&graph) < 0.22);
    }
}
