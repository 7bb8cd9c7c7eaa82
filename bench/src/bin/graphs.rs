//! What storing the graph of a model costs: its size against the formula of the paper on condensed graphs, the time against
//! exploring without storing, and what encoding an edge takes by itself.
//!
//! `cargo run --release -p sweepline-bench --bin graphs [ROUNDS [NAME]]`; the round in the middle counts, and the least time for encoding. Where a
//! promise seems to be broken there are more rounds; if it is, this ends with an error. Every graph is read again, and what was read is counted. With a name, only models that have it in theirs.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::cast_precision_loss, reason = "a few digits are printed")]

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::ExitCode;

use sweepline::core::{
    ActionId, Control, Key, LayerId, LayerOpened, Limits, Link, LinkedStates, NoProgress, Observer,
    Progress, Started, Statistics, StepsEnd, System, Wants,
};
use sweepline::explore::{End, LogPlace, Options, Sweep};
use sweepline::graph::{About, GraphWriter, Propositions, StoredGraph, condensed_bits};
use sweepline::model::ModelSystem;
use sweepline::model::zoo::database::Database;
use sweepline::model::zoo::go_back_n::GoBackNWords;
use sweepline::model::zoo::stop_and_wait::StopAndWait;
use sweepline::net::{NetSystem, family};
use sweepline::session::{LoadOptions, Reading, load};
use sweepline_bench::clock::cpu_seconds;
use sweepline_bench::corpus;

/// What was promised of a graph: its size in per cent of the formula, if anything. Where nothing is, time is shown and not promised, either:
/// an edge of go-back-N is explored in 32 ns, so half of that is less than telling one may take.
type Promise = Option<f64>;

struct Row {
    name: String,
    promise: Promise,
    /// Seconds of each round.
    rounds: Vec<Times>,
    /// The least seconds that encoding alone took in a round.
    encoding: f64,
    statistics: Statistics,
    bits: u64,
    formula: u64,
}

/// Seconds that exploring takes, exploring and storing, and reading what was stored.
struct Times {
    plain: f64,
    writing: f64,
    reading: f64,
}

/// Building takes at most so many times what exploring takes.
const TIME: f64 = 1.5;
/// And to encode an edge takes at most so many nanoseconds.
const EDGE: f64 = 20.0;
/// How many times as many rounds there are where a promise seems to be broken: other programs slow this one down for seconds.
const MORE: u32 = 3;
/// What is short is timed so often, or until it has taken as many seconds.
const MOST_TIMES: u32 = 20;
const ENOUGH: f64 = 0.2;
/// Explorations shorter than this are not compared by time.
const SHORT: f64 = 0.1;

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let rounds: u32 = rounds.unwrap_or(3);
    let named = std::env::args().nth(2).unwrap_or_default();
    let rounds = |name: &str| if name.contains(&named) { rounds } else { 0 };
    println!(
        "{:26} {:>10} {:>11} {:>7} {:>9} {:>7} {:>8} {:>8} {:>7} {:>8}",
        "",
        "nodes",
        "edges",
        "bits/e",
        "formula %",
        "at most",
        "ms",
        "x time",
        "ns/edge",
        "read ms"
    );
    let mut broken = 0;
    let mut show = |row: Option<Row>| {
        if let Some(row) = row {
            row.print();
            broken += u32::from(!row.is_kept());
        }
    };
    for packets in [20, 40, 60, 80, 100] {
        let model = || StopAndWait { packets };
        let at_most = (packets >= 40).then_some(22.0);
        let name = format!("stop-and-wait {packets}");
        show(row(&name, at_most, rounds, || {
            (ModelSystem::new(model()), model().measure())
        }));
    }
    for managers in 4..=9 {
        let model = || Database::new(managers).expect("so many are allowed");
        let at_most = (managers >= 7).then_some(33.0);
        let name = format!("database {managers}");
        show(row(&name, at_most, rounds, || {
            (ModelSystem::new(model()), model().measure())
        }));
    }
    show(row("kanban(5)", Some(22.0), rounds, || {
        (NetSystem::new(family::kanban(5)), NoProgress)
    }));
    let go_back_n = || GoBackNWords::new(400, 4, 4).expect("fits its words");
    show(row("go-back-n narrow", None, rounds, || {
        (go_back_n(), go_back_n().measure())
    }));
    if let Some(directory) = corpus::directory() {
        for (name, at_most) in [
            ("iprotocol.3", 33.0),
            ("elevator.4", 33.0),
            ("brp.3", 25.0),
            ("rether.4", 16.0),
        ] {
            let path = directory.join(format!("dve/{name}/{name}.dve"));
            show(row(name, Some(at_most), rounds, || {
                (program(&path), NoProgress)
            }));
        }
    } else {
        eprintln!("no corpus (set SWEEPLINE_CORPUS): only our own models");
    }
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        println!("{broken} promises are broken");
        ExitCode::FAILURE
    }
}

fn program(path: &Path) -> impl System + use<> {
    match load(path, &LoadOptions::default(), &Limits::default()) {
        Ok(Reading::Loaded(model)) => model.system,
        _ => panic!("{} is well-formed", path.display()),
    }
}

fn row<S: System, P: Progress>(
    name: &str,
    promise: Promise,
    rounds: impl Fn(&str) -> u32,
    make: impl Fn() -> (S, P),
) -> Option<Row> {
    let mut best: Option<Row> = None;
    let rounds = rounds(name);
    let mut encoding = f64::INFINITY;
    for round in 0..MORE * rounds {
        if round >= rounds && best.as_ref().is_some_and(Row::is_kept) {
            break;
        }
        encoding = encoding.min(encode(make()));
        // Whoever comes first may have to wait for memory that was given back before.
        let (plain, (writing, statistics, file)) = if round % 2 == 0 {
            (explore(make()), store(make()))
        } else {
            let stored = store(make());
            (explore(make()), stored)
        };
        let before = cpu_seconds();
        let stored = StoredGraph::open(file).expect("what was written can be read");
        let (mut edges, mut actions) = (0, Vec::new());
        let read = stored.forward(|node| {
            edges += node.targets().flatten().count() as u64;
            for &ActionId(action) in node.actions {
                let action = action as usize;
                actions.resize(actions.len().max(action + 1), false);
                actions[action] = true;
            }
            Control::Continue
        });
        read.expect("what was written can be read");
        assert_eq!(edges, statistics.edges, "{name}");
        assert_eq!(stored.figures().nodes, statistics.explored, "{name}");
        let reading = cpu_seconds() - before;
        let used = actions.iter().filter(|used| **used).count() as u64;
        let earlier = best.map(|row| row.rounds);
        let mut rounds = earlier.unwrap_or_default();
        rounds.push(Times {
            plain,
            writing,
            reading,
        });
        best = Some(Row {
            name: name.into(),
            promise,
            rounds,
            encoding,
            bits: stored.bytes() * 8,
            formula: condensed_bits(statistics.explored, statistics.edges, used),
            statistics,
        });
    }
    best
}

fn explore<S: System, P: Progress>((system, progress): (S, P)) -> f64 {
    let before = cpu_seconds();
    let mut sweep = Sweep::new(system, progress, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Complete);
    cpu_seconds() - before
}

/// What an exploration tells, to be told again to whoever encodes it.
#[derive(Default)]
struct Told {
    initial: Vec<Link>,
    /// Of the last layer.
    key: Key,
    roots: Vec<u32>,
    events: Vec<Event>,
    ends: Vec<StepsEnd>,
    actions: Vec<ActionId>,
    links: Vec<Link>,
}

/// Events are small: they come from memory here, and from the cache in an exploration. For the same reason nobody is told the key of a layer,
/// which is not stored.
enum Event {
    /// So many states, and steps of them, are linked.
    Linked { first: u64, states: u32, steps: u32 },
    /// A layer is opened that begins with so many persistent states.
    Opened {
        layer: LayerId,
        first: u64,
        roots: u32,
    },
}

impl Told {
    /// Tells it again, but not that columns are closed: persistent states would be counted anew then, which takes no time.
    fn tell(&self, observer: &mut impl Observer) {
        let _ = observer.started(Started {
            links: &self.initial,
        });
        let (mut ends, mut actions) = (&self.ends[..], &self.actions[..]);
        let (mut links, mut roots) = (&self.links[..], &self.roots[..]);
        for event in &self.events {
            let _ = match event {
                Event::Linked {
                    first,
                    states,
                    steps,
                } => observer.linked_states(LinkedStates {
                    first: *first,
                    ends: ends.split_off(..*states as usize).unwrap_or_default(),
                    actions: actions.split_off(..*steps as usize).unwrap_or_default(),
                    links: links.split_off(..*steps as usize).unwrap_or_default(),
                }),
                Event::Opened {
                    layer,
                    first,
                    roots: count,
                } => observer.layer_opened(LayerOpened {
                    layer: *layer,
                    key: self.key,
                    first: *first,
                    roots: roots.split_off(..*count as usize).unwrap_or_default(),
                }),
            };
        }
    }
}

impl Observer for Told {
    fn wants(&self) -> Wants {
        Wants::LINKS_AT_ONCE
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        self.initial = event.links.to_vec();
        Control::Continue
    }

    fn linked_states(&mut self, event: LinkedStates<'_>) -> Control {
        self.ends.extend_from_slice(event.ends);
        self.actions.extend_from_slice(event.actions);
        self.links.extend_from_slice(event.links);
        self.events.push(Event::Linked {
            first: event.first,
            states: u32::try_from(event.ends.len()).expect("they are few at once"),
            steps: u32::try_from(event.links.len()).expect("they are few at once"),
        });
        Control::Continue
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        self.key = event.key;
        self.roots.extend_from_slice(event.roots);
        self.events.push(Event::Opened {
            layer: event.layer,
            first: event.first,
            roots: u32::try_from(event.roots.len()).expect("they are few at once"),
        });
        Control::Continue
    }
}

/// Hears everything and does nothing with it.
struct Nobody(u64);

impl Observer for Nobody {
    fn linked_states(&mut self, event: LinkedStates<'_>) -> Control {
        // Whoever encodes looks at every edge, too: what loading it takes is not encoding.
        for (action, link) in event.actions.iter().zip(event.links) {
            let place = match *link {
                Link::Here(index) | Link::Ahead(_, index) => index,
                _ => 0,
            };
            self.0 = self.0.wrapping_add(u64::from(action.0 ^ place));
        }
        Control::Continue
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        self.0 = self.0.wrapping_add(event.first ^ u64::from(event.layer.0));
        Control::Continue
    }
}

/// As the command builds graphs: these tell how states are reached, so no log is kept.
fn unlogged() -> Options {
    Options {
        log: LogPlace::Off,
        ..Options::default()
    }
}

/// What encoding takes by itself, without what it costs the exploration that both use one cache. The difference of the times of two
/// explorations would tell both, and is less than the noise in either.
fn encode<S: System, P: Progress>((system, progress): (S, P)) -> f64 {
    let mut told = Told::default();
    let mut sweep = Sweep::new(system, progress, unlogged());
    assert_eq!(sweep.run_linked(&mut told), End::Complete);
    let heard = least(|| {
        let mut heard = Nobody(0);
        told.tell(&mut heard);
        std::hint::black_box(heard.0);
    });
    let encoded = least(|| {
        let file = tempfile::tempfile().expect("there is room on disk");
        let mut writer = GraphWriter::new(file, About::default(), Propositions::none());
        told.tell(&mut writer);
        let finished = writer.finish(sweep.statistics());
        finished.expect("there is room on disk");
    });
    encoded - heard
}

/// The least seconds of some times that something is done, more of them if it is short: whatever else the machine does only adds to it.
fn least(mut work: impl FnMut()) -> f64 {
    let (mut least, mut all) = (f64::INFINITY, 0.0);
    for times in 0..MOST_TIMES {
        let before = cpu_seconds();
        work();
        let time = cpu_seconds() - before;
        (least, all) = (least.min(time), all + time);
        if times > 0 && all > ENOUGH {
            break;
        }
    }
    least
}

fn store<S: System, P: Progress>((system, progress): (S, P)) -> (f64, Statistics, File) {
    let file = tempfile::tempfile().expect("there is room on disk");
    let before = cpu_seconds();
    let mut sweep = Sweep::new(system, progress, unlogged());
    let mut writer = GraphWriter::new(file, About::default(), Propositions::none());
    assert_eq!(sweep.run_linked(&mut writer), End::Complete);
    let mut file = writer
        .finish(sweep.statistics())
        .expect("there is room on disk");
    let time = cpu_seconds() - before;
    file.rewind().expect("it is a file");
    assert!(file.read(&mut [0]).is_ok());
    (time, sweep.statistics().clone(), file)
}

impl Row {
    /// A figure of the round in the middle: machines are faster at one time than at another, so what is compared is of the same round.
    fn middle(&self, figure: impl Fn(&Times) -> f64) -> f64 {
        let mut figures: Vec<f64> = self.rounds.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    }

    /// The size in per cent of the formula.
    fn percent(&self) -> f64 {
        100.0 * self.bits as f64 / self.formula as f64
    }

    /// How many times as long as exploring it takes, and nanoseconds for an edge. Nothing if that is too short for times to mean something.
    fn times(&self) -> Option<(f64, f64)> {
        let ratio = self.middle(|times| times.writing / times.plain);
        let per_edge = self.encoding * 1e9 / self.statistics.edges as f64;
        (self.middle(|times| times.plain) > SHORT).then_some((ratio, per_edge))
    }

    /// Whether promises are kept.
    fn is_kept(&self) -> bool {
        let times = self.times();
        let quick = times.is_none_or(|(ratio, per_edge)| ratio <= TIME && per_edge <= EDGE);
        self.promise
            .is_none_or(|most| self.percent() <= most && quick)
    }

    /// Prints figures.
    fn print(&self) {
        let at_most = self.promise.map_or(String::new(), |most| most.to_string());
        let (ratio, per_edge) = match self.times() {
            Some((ratio, per_edge)) => (format!("{ratio:.2}"), format!("{per_edge:.1}")),
            None => ("-".into(), "-".into()),
        };
        println!(
            "{:26} {:>10} {:>11} {:>7.2} {:>9.1} {:>7} {:>8.0} {:>8} {:>7} {:>8.0}",
            self.name,
            self.statistics.explored,
            self.statistics.edges,
            self.bits as f64 / self.statistics.edges as f64,
            self.percent(),
            at_most,
            self.middle(|times| times.plain) * 1e3,
            ratio,
            per_edge,
            self.middle(|times| times.reading) * 1e3,
        );
    }
}
