//! What is measured.

use std::path::Path;
use std::sync::Arc;

use sweepline::core::{
    Control, Expanded, Limits, NoProgress, Observer, Progress, Statistics, System,
};
use sweepline::dve::{LoadOptions, read_dve};
use sweepline::explore::{End, Options, Sweep};
use sweepline::logic::{AutomatonEdge, Coordinate, Measure, Pred, Ranges, SafetyAutomaton, Scope};
use sweepline::model::ModelSystem;
use sweepline::model::zoo::database::Database;
use sweepline::model::zoo::go_back_n::{GoBackN, GoBackNWords};
use sweepline::model::zoo::two_phase_commit::{FlatTwoPhaseCommit, TwoPhaseCommit};
use sweepline::net::{NetSystem, PetriNet, family};
use sweepline::program::{CompiledSystem, ProgramSystem};
use sweepline::session::{self, Model, Order, QuestionOptions, Questions, Reading};

use crate::links::Spill;

/// A model and a way to explore it.
pub struct Case {
    model: &'static str,
    method: &'static str,
    pub run: Box<dyn Fn() -> Statistics>,
}

impl Case {
    /// Model and method, as they stand in the table.
    pub fn name(&self) -> String {
        format!("{}/{}", self.model, self.method)
    }
}

/// All cases, in the order of the table.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    add_rust_models(&mut cases);
    add_programs(&mut cases);
    add_nets(&mut cases);
    cases.extend(sessions());
    add_branching(&mut cases);
    cases
}

/// Models in Rust.
fn add_rust_models(cases: &mut Vec<Case>) {
    for (model, messages, window, capacity) in [
        ("go-back-n narrow", 400, 4, 4),
        ("go-back-n tiny", 8000, 3, 2),
        ("go-back-n wide", 14, 6, 6),
    ] {
        let system = move || GoBackNWords::new(messages, window, capacity).expect("fits its words");
        add(
            cases,
            model,
            "full",
            Box::new(move || explore(system(), NoProgress)),
        );
        add(
            cases,
            model,
            "sweep",
            Box::new(move || explore(system(), system().measure())),
        );
        add(
            cases,
            model,
            "links sweep",
            Box::new(move || explore_links(system(), system().measure())),
        );
    }
    let typed = || GoBackN::<4> {
        messages: 400,
        window: 4,
    };
    add(
        cases,
        "go-back-n narrow",
        "typed full",
        Box::new(move || explore(ModelSystem::new(typed()), NoProgress)),
    );
    add(
        cases,
        "go-back-n narrow",
        "typed sweep",
        Box::new(move || explore(ModelSystem::new(typed()), typed().measure())),
    );
    let database = || Database::new(9).expect("nine managers are allowed");
    add(
        cases,
        "database 9",
        "full",
        Box::new(move || explore(ModelSystem::new(database()), NoProgress)),
    );
    add(
        cases,
        "database 9",
        "sweep",
        Box::new(move || explore(ModelSystem::new(database()), database().measure())),
    );
    let commit = || TwoPhaseCommit { managers: 8 };
    add(
        cases,
        "two-phase commit 8",
        "collections",
        Box::new(move || explore(ModelSystem::new(commit()), NoProgress)),
    );
    add(
        cases,
        "two-phase commit 8",
        "arrays",
        Box::new(|| explore(ModelSystem::new(FlatTwoPhaseCommit::<8>), NoProgress)),
    );
}

/// Programs in DVE.
fn add_programs(cases: &mut Vec<Case>) {
    for (model, text, settings, columns) in programs() {
        let system = move || program(text, settings);
        add(
            cases,
            model,
            "interpreted full",
            Box::new(move || explore(system(), NoProgress)),
        );
        add(
            cases,
            model,
            "compiled full",
            Box::new(move || explore(compiled(&system()), NoProgress)),
        );
        add(
            cases,
            model,
            "compiled links",
            Box::new(move || explore_links(compiled(&system()), NoProgress)),
        );
        if !columns.is_empty() {
            let measure = move || column(&system(), columns);
            add(
                cases,
                model,
                "interpreted sweep",
                Box::new(move || explore(system(), measure())),
            );
            add(
                cases,
                model,
                "compiled sweep",
                Box::new(move || explore(compiled(&system()), measure())),
            );
        }
    }
}

/// Nets.
fn add_nets(cases: &mut Vec<Case>) {
    for (model, net, columns, rows) in nets() {
        add(
            cases,
            model,
            "full",
            Box::new(move || explore(NetSystem::new(net()), NoProgress)),
        );
        add(
            cases,
            model,
            "links",
            Box::new(move || explore_links(NetSystem::new(net()), NoProgress)),
        );
        add(
            cases,
            model,
            "sweep",
            Box::new(move || sweep_net(net(), columns, rows)),
        );
    }
    let rings = || family::rings(160, &[&[0, 80], &[0]]);
    add(
        cases,
        "rings(160)",
        "full",
        Box::new(move || explore_wider(NetSystem::new(rings()))),
    );
    add(
        cases,
        "rings(160)",
        "known widths",
        Box::new(move || {
            explore_wider(NetSystem::with_bits(rings(), |place| {
                if place.0 < 160 { 2 } else { 1 }
            }))
        }),
    );
}

fn add(
    cases: &mut Vec<Case>,
    model: &'static str,
    method: &'static str,
    run: Box<dyn Fn() -> Statistics>,
) {
    cases.push(Case { model, method, run });
}

/// What is explored as the command line does it, alone and beside an automaton that has nothing to say.
fn sessions() -> impl Iterator<Item = Case> {
    watched().into_iter().flat_map(|(model, load, columns)| {
        let alone = move || in_session(&load(), columns, &[]);
        let watched = move || in_session(&load(), columns, &[idle()]);
        [
            Case {
                model,
                method: "session",
                run: Box::new(alone),
            },
            Case {
                model,
                method: "session watched",
                run: Box::new(watched),
            },
        ]
    })
}

type Watched = (&'static str, fn() -> Model, Option<&'static str>);

/// Models with the columns they are explored by.
fn watched() -> [Watched; 3] {
    let peterson = || load("peterson.dve", &[("N", 4)]);
    let go_back_n = || load("go-back-n.dve", &[("K", 400), ("W", 4), ("C", 4)]);
    let kanban = || Model::of_net("kanban(5)", Arc::new(family::kanban(5)));
    [
        ("peterson.dve 4", peterson, None),
        (
            "go-back-n.dve narrow",
            go_back_n,
            Some("Sender.b + Receiver.r"),
        ),
        ("kanban(5)", kanban, None),
    ]
}

/// Three operators of branching time, one in the other, that hold; so all links are needed.
const NESTED: &str = "AG EF E[Pout4 < 5 U Pm4 = 5]";

/// Formulas of branching time about a net without a measure.
fn add_branching(cases: &mut Vec<Case>) {
    let one = || vec![NESTED.to_owned()];
    let many = || {
        let each = (1..=4).flat_map(|cell| {
            [
                format!("AG EF Pm{cell} = 5"),
                format!("AG (Pout{cell} >= 1 -> EF Pkan{cell} = 5)"),
                format!("AG (EG Pout{cell} < 3 or EX Pback{cell} > 0 or Pout{cell} >= 3)"),
                format!("AG E[Pback{cell} <= 5 U EX (Pm{cell} = 1 or Pback{cell} = 1)]"),
            ]
        });
        each.collect()
    };
    let asked = move |formulas: Vec<String>| {
        let model = Model::of_net("kanban(5)", Arc::new(family::kanban(5)));
        let options = QuestionOptions {
            ctl: formulas,
            ..QuestionOptions::default()
        };
        let questions = Questions::gather(&options, &model).expect("the formulas are well-formed");
        explored(&model, None, &questions)
    };
    for (method, formulas) in [
        ("session ctl", Box::new(one) as Box<dyn Fn() -> Vec<String>>),
        ("session ctl of 16 formulas", Box::new(many)),
    ] {
        let run = Box::new(move || asked(formulas()));
        add(cases, "kanban(5)", method, run);
    }
}

fn load(file: &str, settings: &[(&str, i64)]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models")
        .join(file);
    let options = session::LoadOptions {
        constants: constants(settings),
        ..session::LoadOptions::default()
    };
    match session::load(&path, &options, &Limits::default()) {
        Ok(Reading::Loaded(model)) => *model,
        _ => panic!("the model is well-formed"),
    }
}

/// An automaton with one state, where it stays whatever happens.
fn idle() -> SafetyAutomaton {
    let mut automaton = SafetyAutomaton::new("true".into());
    let only = automaton.add_state("only");
    automaton.add_initial(only);
    automaton.add_edge(AutomatonEdge {
        source: only,
        guard: Pred::Constant(true),
        span: 0..4,
        target: only,
    });
    automaton
}

/// Explores everything in the order of these columns.
fn in_session(model: &Model, columns: Option<&str>, automata: &[SafetyAutomaton]) -> Statistics {
    let questions = Questions {
        automata: automata.to_vec(),
        ..Questions::default()
    };
    explored(model, columns, &questions)
}

/// The same while questions are asked that need everything.
fn explored(model: &Model, columns: Option<&str>, questions: &Questions) -> Statistics {
    let order = Order::parse(columns, None, 1, 0).expect("the measure is well-formed");
    let options = session::Options::default();
    let runs = session::verify(model, questions, &order, &options, &mut ());
    let [run] = &runs.expect("nothing is wrong")[..] else {
        panic!("one exploration is enough");
    };
    assert!(run.statistics.complete, "the benchmark explores everything");
    run.statistics.clone()
}

type Source = (
    &'static str,
    &'static str,
    &'static [(&'static str, i64)],
    &'static str,
);

/// Programs in DVE, with the constants and the column they are explored with.
fn programs() -> [Source; 2] {
    [
        (
            "peterson.dve 4",
            include_str!("../../models/peterson.dve"),
            &[("N", 4)],
            "",
        ),
        (
            "go-back-n.dve narrow",
            include_str!("../../models/go-back-n.dve"),
            &[("K", 400), ("W", 4), ("C", 4)],
            "Sender.b + Receiver.r",
        ),
    ]
}

fn program(text: &str, settings: &[(&str, i64)]) -> ProgramSystem {
    let options = LoadOptions {
        constants: constants(settings),
        ..LoadOptions::default()
    };
    let model = read_dve(&text.into(), &options).expect("the model is well-formed");
    ProgramSystem::new((*model.program()).clone())
}

fn constants(settings: &[(&str, i64)]) -> Vec<(String, i64)> {
    let named = |&(name, value): &(&str, i64)| (name.to_owned(), value);
    settings.iter().map(named).collect()
}

fn compiled(interpreter: &ProgramSystem) -> CompiledSystem {
    CompiledSystem::new(interpreter).expect("this machine runs compiled code")
}

fn column(system: &ProgramSystem, text: &str) -> Measure {
    let columns = Coordinate::parse(text).expect("the measure is well-formed");
    Measure::new(&columns, &[], &Scope::of(system), Ranges::Known)
        .expect("the measure names slots of the program")
}

type Net = (&'static str, fn() -> PetriNet, &'static str, &'static str);

/// Nets with a measure written by hand: columns that never decrease, or rows that do.
///
/// The last two are cyclic in every part, so every measure has regress edges: the sweep loses there, and the table
/// says so.
fn nets() -> [Net; 5] {
    [
        ("pipe(8,8,2)", || family::pipe(8, 8, 2), PIPE, ""),
        (
            "stop-and-wait(6,2,2)",
            || family::stop_and_wait(6, 2, 2),
            STOP_AND_WAIT,
            "",
        ),
        (
            "kanban(5)",
            || family::kanban(5),
            "",
            "Pout4 + Pm4 + Pback4",
        ),
        (
            "fms(4)",
            || family::fms(4),
            "",
            "P12s + P12M3 + P12wM3 + P12",
        ),
        (
            "philosophers(12)",
            || family::philosophers(12),
            "",
            "e_0 + e_1 + e_2 + e_3",
        ),
    ]
}

/// How far the pieces have come.
const PIPE: &str = "b_0 + 2*w_1 + 3*b_1 + 4*w_2 + 5*b_2 + 6*w_3 + 7*b_3 + 8*w_4 + 9*b_4 + 10*w_5 + 11*b_5 + 12*w_6 \
                    + 13*b_6 + 14*w_7 + 15*b_7 + 16*w_8";

/// Packets sent and received in both transfers.
const STOP_AND_WAIT: &str = "s_0_1 + 2*s_0_2 + 3*s_0_3 + 4*s_0_4 + 5*s_0_5 + 6*s_0_6 \
                             + s_1_1 + 2*s_1_2 + 3*s_1_3 + 4*s_1_4 + 5*s_1_5 + 6*s_1_6 \
                             + r_0_1 + 2*r_0_2 + 3*r_0_3 + 4*r_0_4 + 5*r_0_5 + 6*r_0_6 \
                             + r_1_1 + 2*r_1_2 + 3*r_1_3 + 4*r_1_4 + 5*r_1_5 + 6*r_1_6";

fn sweep_net(net: PetriNet, columns: &str, rows: &str) -> Statistics {
    let system = Arc::new(NetSystem::new(net));
    let coordinates = |text: &str| match text {
        "" => Vec::new(),
        _ => Coordinate::parse(text).expect("the measure is well-formed"),
    };
    let scope = Scope::of(&system);
    let measure = Measure::new(
        &coordinates(columns),
        &coordinates(rows),
        &scope,
        Ranges::Open,
    );
    let measure = measure.expect("the measure names places of the net");
    drop(scope);
    explore(system, measure)
}

/// Explores everything, in wider encodings as they are needed.
fn explore_wider(system: NetSystem) -> Statistics {
    let mut sweep = Sweep::new(system, NoProgress, Options::default());
    loop {
        match sweep.run(&mut Deadlocks(0)) {
            End::Outgrown(slot) => {
                let wider = sweep.system().widened(slot).expect("there are few tokens");
                sweep
                    .recode(wider, NoProgress)
                    .expect("memory is not limited");
            }
            end => {
                assert_eq!(end, End::Complete);
                return sweep.statistics().clone();
            }
        }
    }
}

/// Explores everything with the trace log on, looking for deadlocks.
fn explore<S: System, P: Progress>(system: S, progress: P) -> Statistics {
    let mut sweep = Sweep::new(system, progress, Options::default());
    let mut deadlocks = Deadlocks(0);
    let end = sweep.run(&mut deadlocks);
    assert_eq!(end, End::Complete, "the benchmark explores everything");
    assert_eq!(sweep.statistics().deadlock_expansions, deadlocks.0);
    sweep.statistics().clone()
}

/// The same, and every link is written to disk.
fn explore_links<S: System, P: Progress>(system: S, progress: P) -> Statistics {
    let mut sweep = Sweep::new(system, progress, Options::default());
    let mut watching = (Deadlocks(0), Spill::new().expect("there is room on disk"));
    let end = sweep.run_linked(&mut watching);
    watching.1.finish().expect("there is room on disk");
    assert_eq!(end, End::Complete, "the benchmark explores everything");
    assert_eq!(sweep.statistics().edges, watching.1.edges);
    sweep.statistics().clone()
}

struct Deadlocks(u64);

impl Observer for Deadlocks {
    #[inline]
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        self.0 += u64::from(event.is_deadlock());
        Control::Continue
    }
}
