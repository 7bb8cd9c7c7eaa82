//! The tables of the paper on local state spaces, beside ours: `cargo run --release -p sweepline-bench --bin local`
//!
//! Tables 1 and 2, as far as their models are known: programs with shared variables. What is found is stored in
//! `bench/runs/local.csv`. A part of a name behind it makes only the models of that name, without storing anything.

#![expect(clippy::print_stdout, reason = "a command prints its results")]

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use sweepline::core::{Limits, NoProgress};
use sweepline::dve::{LoadOptions, read_dve};
use sweepline::explore::{LogPlace, Options, Sweep};
use sweepline::program::{CompiledSystem, ProgramSystem};
use sweepline::reduce::local::{LocalGraphs, Projection, Unfinished, Views, ls3, modular};
use sweepline_bench::{clock, corpus};

/// A model with what is printed of it, by method. Where nothing is printed there is what somebody else has found.
struct Row {
    model: &'static str,
    /// What the paper calls it.
    paper: &'static str,
    mono: &'static [usize],
    tmmc: &'static [usize],
    ls3: &'static [usize],
}

/// Where 5203 is expected, 5201 is printed; see the chapter on local graphs.
const ROWS: [Row; 6] = [
    Row {
        model: "phils.1",
        paper: "phil",
        mono: &[9; 4],
        tmmc: &[16; 4],
        ls3: &[9; 4],
    },
    Row {
        model: "peterson.3",
        paper: "peterson.3",
        mono: &[2627, 2421, 2745],
        tmmc: &[2997, 2952, 2952],
        ls3: &[2627, 2421, 2745],
    },
    Row {
        model: "szymanski.3",
        paper: "syzmanski.4",
        mono: &[4311, 4415, 4383, 4352],
        tmmc: &[5875, 6125, 6250, 6375],
        ls3: &[5203, 5453, 5598, 5755],
    },
    Row {
        model: "peterson.4",
        paper: "peterson.4",
        mono: &[13573, 12993, 12869, 12801],
        tmmc: &[215_040, 210_624, 210_624, 210_624],
        ls3: &[13573, 12993, 12869, 12801],
    },
    Row {
        model: "szymanski.5",
        paper: "syzmanski.5",
        mono: &[],
        tmmc: &[35000, 36250, 36875, 37500, 38125],
        ls3: &[30684, 31934, 32659, 33444, 34265],
    },
    Row {
        model: "lamport.7",
        paper: "lamport",
        mono: &[],
        tmmc: &[9344; 5],
        ls3: &[8800; 5],
    },
];

fn main() -> ExitCode {
    let Some(directory) = corpus::directory() else {
        eprintln!("no corpus: set SWEEPLINE_CORPUS to its directory");
        return ExitCode::from(2);
    };
    let wanted = std::env::args().nth(1);
    let mut text = String::from(
        "model,in the paper,method,expected states,states,steps,pairs,cpu seconds,as expected\n",
    );
    let mut right = true;
    for row in &ROWS {
        if wanted.as_ref().is_none_or(|part| row.model.contains(part)) {
            right &= measure(&directory, row, &mut text);
        }
    }
    if wanted.is_none() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs/local.csv");
        if let Err(error) = std::fs::write(&file, text) {
            eprintln!("cannot write {}: {error}", file.display());
            return ExitCode::from(2);
        }
    }
    ExitCode::from(u8::from(!right))
}

/// A method, what the paper prints of it, and how it is done.
type Method<'a> = (&'a str, &'a [usize], &'a dyn Fn() -> Made);

type Made = Result<LocalGraphs, Unfinished>;

fn measure(directory: &Path, row: &Row, text: &mut String) -> bool {
    let file = directory.join(format!("dve/{0}/{0}.dve", row.model));
    let source = std::fs::read(file).expect("the corpus has it");
    let source = sweepline::text::decode(row.model, source).expect("it is a text");
    let model = read_dve(&source, &LoadOptions::default()).expect("it is a program");
    let program = ProgramSystem::new((*model.program()).clone());
    let views = Arc::new(Views::new(&program, &[]).expect("it has several processes"));
    let limits = Limits::default();
    let mut right = true;
    let methods: [Method<'_>; 3] = [
        ("Mono", row.mono, &|| Ok(project(&views))),
        ("TMMC", row.tmmc, &|| modular(&views, &limits)),
        ("LS3", row.ls3, &|| ls3(&views, &limits)),
    ];
    for (method, expected, make) in methods {
        if expected.is_empty() {
            continue;
        }
        let before = clock::cpu_seconds();
        let made = make();
        let seconds = clock::cpu_seconds() - before;
        let processes = 0..views.processes();
        let figures = |figure: &dyn Fn(&LocalGraphs, usize) -> usize| {
            let made = made.as_ref().ok();
            let all = made.map(|made| processes.clone().map(|it| figure(made, it)));
            all.map(Iterator::collect::<Vec<_>>).unwrap_or_default()
        };
        let states = figures(&|made, it| made.of(it).states());
        let steps = figures(&|made, it| made.of(it).transitions());
        let pairs = made.as_ref().map_or(0, LocalGraphs::pairs);
        let same = states == expected;
        right &= same;
        let line = format!(
            "{},{},{method},{},{},{},{pairs},{seconds:.2},{}",
            row.model,
            row.paper,
            list(expected),
            list(&states),
            list(&steps),
            if same { "yes" } else { "NO" }
        );
        println!("{line}");
        let _ = writeln!(text, "{line}");
    }
    right
}

fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(" ")
}

/// What processes see of all states.
fn project(views: &Arc<Views>) -> LocalGraphs {
    let system = CompiledSystem::new(views.system()).expect("it can be compiled");
    let options = Options {
        log: LogPlace::Off,
        ..Options::default()
    };
    let mut sweep = Sweep::new(system, NoProgress, options);
    let mut projection = Projection::new(Arc::clone(views));
    sweep.run(&mut projection);
    projection.finish()
}
