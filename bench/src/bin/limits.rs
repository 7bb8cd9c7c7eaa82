//! Whether limits hold, seen from outside.
//!
//! - `limits memory`: resident memory of explorations that run out of `--memory`, and of one in a small cgroup by default.
//! - `limits time`: how long `--time` takes on every file of the corpus and of `models/`, loading included.
//!
//! The command line has to be built first: `cargo build --release`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use sweepline::core::{ActionId, Layout, Limits, NoProgress, Records, Steps, System, Word};
use sweepline::explore::{Options, Sweep};
use sweepline::net::{family, write_pnml};
use sweepline::{Encode, Model, Next, check};
use sweepline_bench::{corpus, outside};

/// The limit on memory, and what may come on top: a tenth, and what a process needs to be one.
const MEMORY: u64 = 200_000_000;
const ALLOWED: u64 = MEMORY + MEMORY / 10 + 20_000_000;

/// The memory of the cgroup in which the default must not be killed.
const GROUP: u64 = 300_000_000;

const TIME: Duration = Duration::from_secs(1);
const LATE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    if let Some(exit) = outside::serve() {
        return exit;
    }
    let argument = std::env::args().nth(1).unwrap_or_default();
    let kept = match argument.as_str() {
        "many-successors" => return run_here(many_successors),
        "collections" => return run_here(collections),
        "memory" => outside::sweepline().map(|program| memory(&program)),
        "time" => outside::sweepline().map(|program| time(&program)),
        _ => {
            eprintln!("usage: limits memory|time");
            return ExitCode::from(2);
        }
    };
    match kept {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::FAILURE,
        None => {
            eprintln!("build the command line first: cargo build --release");
            ExitCode::from(2)
        }
    }
}

fn run_here(run: fn()) -> ExitCode {
    run();
    ExitCode::SUCCESS
}

/// Explorations that need more than they may have.
fn memory(program: &Path) -> bool {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let net = directory.path().join("star.pnml");
    fs::write(&net, write_pnml(&family::star(1200, 4))).expect("the disk has room");
    let model = models().join("go-back-n.dve");
    let (net, model) = (net.display().to_string(), model.display().to_string());
    let limit = MEMORY.to_string();
    let full = ["--method", "full", "--memory", &limit];
    let plain: Vec<&str> = ["explore", &model, "--set", "K=2000"]
        .into_iter()
        .chain(full)
        .collect();
    let wide: Vec<&str> = ["explore", &net].into_iter().chain(full).collect();
    let formula = [
        "check",
        &model,
        "--set",
        "K=2000",
        "--ctl",
        "AG EF Sender.b > 1999",
    ];
    let formula: Vec<&str> = formula.into_iter().chain(full).collect();
    let graph = directory.path().join("graph.swg").display().to_string();
    let built = ["graph", "build", &model, "--set", "K=2000", "-o", &graph];
    let built: Vec<&str> = built.into_iter().chain(full).collect();
    let this = std::env::current_exe().expect("this program is somewhere");
    let runs = [
        ("go-back-N, plain search", program, plain),
        ("a net of 1,200 places", program, wide),
        ("a formula of branching time", program, formula),
        ("a graph that is stored", program, built),
        (
            "a state with 8 million successors",
            &this,
            vec!["many-successors"],
        ),
        ("a Rust model of Vec and String", &this, vec!["collections"]),
    ];
    let mut kept = true;
    for (what, program, arguments) in runs {
        let seen = outside::run(program, &arguments).expect("the program can be run");
        kept &= report(
            what,
            seen.peak_bytes <= ALLOWED && seen.exit.is_some(),
            &seen,
        );
    }
    kept & in_group(program, &model)
}

fn report(what: &str, is_kept: bool, seen: &outside::Seen) -> bool {
    println!(
        "{}  {what:<36} {:>6.1} MB resident, {:>6.2} s, {}",
        if is_kept { "kept  " } else { "BROKEN" },
        bytes(seen.peak_bytes),
        seen.wall.as_secs_f64(),
        seen.exit
            .map_or("killed".into(), |exit| format!("exit {exit}")),
    );
    is_kept
}

#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn bytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// In a cgroup with little memory and with no limit given, a run ends by itself.
fn in_group(program: &Path, model: &str) -> bool {
    let what = "300 MB cgroup, no limit given";
    let Some(group) = Group::new(GROUP) else {
        println!("skipped  {what}: no cgroup can be made (that takes root)");
        return true;
    };
    let enter = format!(
        "echo $$ > {}; exec \"$@\"",
        group.0.join("cgroup.procs").display()
    );
    let program = program.display().to_string();
    let arguments = [
        "-c", &enter, "sh", &program, "explore", model, "--set", "K=3000", "--method", "full",
    ];
    let seen = outside::run(Path::new("sh"), &arguments).expect("there is a shell");
    report(what, seen.exit == Some(3), &seen)
}

/// A cgroup that goes away again.
struct Group(PathBuf);

impl Group {
    fn new(limit: u64) -> Option<Self> {
        let name = format!("sweepline-{}", std::process::id());
        let versions = [
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            ("/sys/fs/cgroup", "memory.max"),
        ];
        versions.into_iter().find_map(|(mount, file)| {
            let group = Self(Path::new(mount).join(&name));
            fs::create_dir(&group.0).ok()?;
            fs::write(group.0.join(file), limit.to_string()).ok()?;
            Some(group)
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// One state with eight million successors.
fn many_successors() {
    struct Broad(Layout);
    impl System for Broad {
        fn layout(&self) -> &Layout {
            &self.0
        }
        fn initial(&self, out: &mut Steps) {
            out.push(ActionId(0), &[0]);
        }
        fn successors(&self, state: &[Word], out: &mut Steps) {
            if state[0] == 0 {
                (1..=8_000_000).for_each(|next| out.push(ActionId(0), &[next]));
            }
        }
    }
    let system = Broad(Layout::opaque(Records::Fixed(1)));
    println!(
        "{:?}",
        Sweep::new(system, NoProgress, limited()).run(&mut ())
    );
}

/// A model whose states are collections.
fn collections() {
    struct Words;

    #[derive(Clone, Debug, PartialEq, Encode)]
    struct State {
        numbers: Vec<u16>,
        text: String,
    }

    impl Model for Words {
        type State = State;
        type Action = u16;
        fn initial(&self) -> Vec<State> {
            let (numbers, text) = (Vec::new(), String::new());
            vec![State { numbers, text }]
        }
        fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
            for number in 0..9 {
                if state.numbers.len() < 8 {
                    let mut target = state.clone();
                    target.numbers.push(number);
                    target.text.push_str("number ");
                    next.step(number, target);
                }
            }
        }
    }

    let report = check(Words)
        .options(|options| *options = limited())
        .explore();
    println!("{:?}", report.statistics());
}

fn limited() -> Options {
    Options {
        limits: Limits {
            memory: usize::try_from(MEMORY).ok(),
            ..Limits::default()
        },
        ..Options::default()
    }
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("models")
}

/// Every file that may be a model, with little time.
fn time(program: &Path) -> bool {
    let mut files = Vec::new();
    list(&models(), &mut files);
    match corpus::directory() {
        Some(directory) => list(&directory, &mut files),
        None => eprintln!("no corpus (set SWEEPLINE_CORPUS): only our own models"),
    }
    let seconds = TIME.as_secs().to_string();
    let mut late = Vec::new();
    let mut slowest = Duration::ZERO;
    for file in &files {
        let file = file.display().to_string();
        let arguments = [
            "check", &file, "--quiet", "--memory", "500M", "--time", &seconds,
        ];
        let seen = outside::run(program, &arguments).expect("the program can be run");
        slowest = slowest.max(seen.wall);
        if seen.wall > TIME + LATE || !matches!(seen.exit, Some(0..=3)) {
            println!(
                "BROKEN  {file}: {:.1} s, exit {:?}",
                seen.wall.as_secs_f64(),
                seen.exit
            );
            late.push(file);
        }
    }
    println!(
        "{} of {} files end within {} s; the slowest took {:.1} s",
        files.len() - late.len(),
        files.len(),
        (TIME + LATE).as_secs(),
        slowest.as_secs_f64()
    );
    late.is_empty()
}

/// All files below a directory that look like models, in a fixed order.
fn list(directory: &Path, files: &mut Vec<PathBuf>) {
    const MODELS: [&str; 7] = ["pnml", "dve", "lts", "aut", "network", "ss", "fsp"];
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            list(&path, files);
        } else if extension.is_some_and(|extension| MODELS.contains(&extension)) {
            files.push(path);
        }
    }
}
