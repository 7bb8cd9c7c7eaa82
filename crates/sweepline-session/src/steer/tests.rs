//! Steering real models: with little patience, a measure that loses is given up soon.

use std::path::Path;

use sweepline_check::QuestionKind;
use sweepline_core::{ColumnClosed, Control, Limits, Link, Linked, Observer, Started, Wants};
use sweepline_net::family;
use sweepline_process::measure::Ranking;

use super::*;
use crate::guard::Patience;
use crate::load::{LoadOptions, load};
use crate::model::Model;
use crate::order::Linearise;
use crate::questions::{QuestionOptions, Questions};
use crate::reading::Reading;
use crate::verify::verify;

fn answered(verdict: Verdict) -> Answer {
    Answer {
        name: "p".into(),
        kind: QuestionKind::Invariant,
        text: "AG p".into(),
        verdict,
        value: None,
        evidence: None,
        witness: None,
        undecided: Vec::new(),
        remark: None,
        lost_evidence: None,
        vacuous: Vec::new(),
    }
}

#[test]
fn what_is_decided_stays_decided() {
    let open = || Verdict::Inconclusive(StopReason::OutOfMemory);
    let now = [open(), Verdict::Holds, open()];
    let before = [Verdict::Violated, open(), open()];
    let mut answers = now.map(answered);
    fill_in(&mut answers, before.map(answered).into());
    let verdicts = answers.map(|answer| answer.verdict);
    assert_eq!(verdicts, [Verdict::Violated, Verdict::Holds, open()]);
}

/// A model of ours and what is asked of it.
struct Case {
    model: Model,
    questions: Questions,
}

impl Case {
    fn new(model: &str, questions: &QuestionOptions) -> Self {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let path = models.join(model);
        let reading = load(&path, &LoadOptions::default(), &Limits::default());
        let Ok(Reading::Loaded(model)) = reading else {
            panic!("it is read");
        };
        Self {
            questions: Questions::gather(questions, &model).expect("questions"),
            model: *model,
        }
    }

    /// A measure as if it had been found.
    fn found(&self, columns: Option<&str>, rows: Option<&str>) -> Order {
        let mut order = Order::parse(columns, rows, 1, 0).expect("a measure");
        order.use_ids(&self.model);
        order.origin = ChosenBy::Auto;
        order
    }

    fn run(&self, order: &Order, patience: Patience) -> Run {
        let options = Options {
            patience: Some(patience),
            ..Options::default()
        };
        let runs = verify(&self.model, &self.questions, order, &options, &mut ());
        let [run] = runs.expect("it runs").try_into().ok().expect("one run");
        run
    }

    /// The measure is given up, with this reason, and in the end everything comes out as by plain search.
    fn gives_up(&self, order: &Order, patience: Patience, why: &str) -> Run {
        let plain = self.run(&Order::default(), Patience::default());
        assert!(plain.changes.is_empty());
        let run = self.run(order, patience);
        assert!(run.changes[0].why.contains(why), "{}", run.changes[0].why);
        assert_eq!(
            run.order.text(),
            run.changes[run.changes.len() - 1].to.text()
        );
        assert_eq!(run.statistics.complete, plain.statistics.complete);
        assert!(run.statistics.explored >= run.changes[0].explored);
        for (answer, expected) in run.answers.iter().zip(&plain.answers) {
            assert_eq!(answer.verdict, expected.verdict, "{}", answer.name);
            assert_eq!(answer.value, expected.value, "{}", answer.name);
            assert_eq!(answer.evidence.is_some(), expected.evidence.is_some());
        }
        run
    }
}

/// Everything is complained about as soon as somebody looks.
fn impatient() -> Patience {
    Patience {
        states: 1,
        ..Patience::default()
    }
}

/// Time always matters.
fn hurried() -> Patience {
    Patience {
        states: 1,
        large: 0..=u64::MAX,
        often: 1.25,
    }
}

fn questions() -> QuestionOptions {
    QuestionOptions {
        invariants: vec!["s_0_3 <= 1".into()],
        reachable: vec!["s_0_20 = 1".into(), "s_0_20 = 2".into()],
        ..QuestionOptions::default()
    }
}

/// The free places of the channels go up and down all the time.
#[test]
fn rows_that_explore_everything_again_are_given_up() {
    let case = Case::new("stop-and-wait.pnml", &questions());
    let up_and_down = Some("0 - cd_0 - ca_0");
    let order = case.found(None, up_and_down);
    let run = case.gives_up(&order, impatient(), "explored again");
    assert!(run.order.is_constant());
    assert_eq!(run.changes.len(), 1);

    // Where there are columns too, they are kept.
    let received: Vec<String> = (1..=20).map(|n| format!("{n}*r_0_{n}")).collect();
    let order = case.found(Some(&received.join(" + ")), up_and_down);
    let run = case.gives_up(&order, impatient(), "explored again");
    assert_eq!(run.changes[0].to.columns_text(), order.columns_text());
    assert_eq!(run.changes[0].to.rows_text(), "");
}

/// Every state has a layer of its own, and then 64 of them have one together.
#[test]
fn tiny_layers_are_made_larger() {
    let case = Case::new(
        "two-phase-commit.lts",
        &QuestionOptions {
            invariants: vec!["true or deadlock".into()],
            ..QuestionOptions::default()
        },
    );
    let ranked = Order::by_ranking(Ranking::SccOrTree, Linearise::Lexicographic, 1, &case.model);
    let order = Order {
        origin: ChosenBy::Auto,
        ..ranked.expect("it is a network")
    };
    let run = case.gives_up(&order, impatient(), "a few states only");
    assert_eq!(run.changes[0].from.measure.coarsen, 1);
    assert_eq!(run.changes[0].to.measure.coarsen, 64);
    assert_eq!(
        run.changes[0].from.columns_text(),
        run.changes[0].to.columns_text()
    );
}

#[test]
fn rows_are_given_up_in_a_large_state_space() {
    let case = Case::new("stop-and-wait.pnml", &questions());
    let order = Order {
        again: Some(1.7),
        ..case.found(None, Some("s_0_1 + 2*s_0_2 + 3*s_0_3"))
    };
    let run = case.gives_up(&order, hurried(), "explored about 1.7 times");
    assert!(run.order.is_constant());
    assert_eq!(run.order.fallback.known().len(), 1, "should memory run out");
}

/// The measure of an automaton's run is given up in the same way.
#[test]
fn automata_survive_a_change_of_the_measure() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("automaton");
    for last in [19, 21] {
        let guard = format!("\"s_0_{} = 1\"", last.min(20));
        let guard = if last > 20 { "\"s_0_20 = 2\"" } else { &guard };
        let text = format!("q\nbad\nq true q {guard} bad\nbad\n");
        std::fs::write(&file, text).expect("it can be written");
        let automaton = QuestionOptions {
            safety_automata: vec![file.clone()],
            ..QuestionOptions::default()
        };
        let case = Case::new("stop-and-wait.pnml", &automaton);
        let order = Order {
            again: Some(1.7),
            ..case.found(None, Some("s_0_1 + 2*s_0_2 + 3*s_0_3"))
        };
        let run = case.gives_up(&order, hurried(), "explored about 1.7 times");
        assert_eq!(run.answers[0].verdict, Verdict::of(last > 20));
    }
}

/// Counts what links tell, and follows a change of the measure or does not.
#[derive(Default)]
struct Links {
    follows: bool,
    started: usize,
    linked: u64,
    moved: usize,
    kept: usize,
    columns: u64,
}

impl Observer for Links {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }
    fn started(&mut self, event: Started<'_>) -> Control {
        assert_eq!(event.links.len(), 1);
        (self.started, self.linked) = (self.started + 1, 0);
        Control::Continue
    }
    fn linked(&mut self, event: Linked<'_>) -> Control {
        assert_eq!(event.links.len(), event.actions.len());
        self.linked += 1;
        Control::Continue
    }
    fn column_closed(&mut self, _: ColumnClosed<'_>) -> Control {
        self.columns += 1;
        Control::Continue
    }
    fn can_follow(&self) -> bool {
        self.follows
    }
    fn moved(&mut self, _: Link, _: Link) {
        self.moved += 1;
    }
    fn kept(&mut self, _: u64) {
        self.kept += 1;
    }
}

impl Monitor for Links {}

/// Who follows links is told where they lead when the measure changes; who cannot follow sees the exploration begin again.
#[test]
fn links_survive_a_change_of_the_measure_or_begin_again() {
    let case = Case::new("stop-and-wait.pnml", &QuestionOptions::default());
    let questions = Questions::default();
    let order = case.found(None, Some("0 - cd_0 - ca_0"));
    let options = Options {
        patience: Some(impatient()),
        ..Options::default()
    };
    for follows in [true, false] {
        let mut links = Links {
            follows,
            ..Links::default()
        };
        let runs = verify(&case.model, &questions, &order, &options, &mut links);
        let run = &runs.expect("it runs")[0];
        assert!(run.statistics.complete);
        assert_eq!(run.changes.len(), 1);
        assert_eq!(run.changes[0].restarted, !follows);
        assert_eq!(links.moved > 0, follows);
        assert_eq!(links.kept > 0, follows);
        assert_eq!(links.started, if follows { 1 } else { 2 });
        assert_eq!(links.columns, 1);
        if follows {
            assert_eq!(links.linked, run.statistics.explored);
        } else {
            assert!(links.linked < run.statistics.explored);
        }
    }
}

/// A long run is worth looking for a measure. What was explored before is kept, so that everything is still counted.
#[test]
fn a_measure_is_found_when_the_run_has_become_long() {
    let model = Model::of_net("pipe", family::pipe(8, 8, 2).into());
    let run = |order: &Order, monitor: &mut dyn Monitor| {
        let options = Options::default();
        let runs = verify(&model, &Questions::default(), order, &options, monitor);
        runs.expect("it runs").swap_remove(0)
    };
    let plain = run(&Order::default(), &mut ());
    let after = |work: u64| Order {
        look_again: Some(work),
        ..Order::default()
    };
    // How much of the work has to be done depends on how many states wait then.
    let mut tried = [20_000_000, 12_000_000, 8_000_000, 4_000_000]
        .map(after)
        .into_iter();
    let later = tried.find_map(|order| {
        let run = run(&order, &mut ());
        (!run.changes.is_empty()).then_some((order, run))
    });
    let (long, later) = later.expect("one is found");
    let [change] = &later.changes[..] else {
        panic!("one is found");
    };
    assert!(change.from.is_constant() && !change.restarted);
    assert!(change.why.contains("long enough"), "{}", change.why);
    assert_eq!(later.order.origin, ChosenBy::Auto);
    assert_eq!(
        (later.states, later.deadlocks),
        (plain.states, plain.deadlocks)
    );
    assert_eq!(later.statistics.edges, plain.statistics.edges);
    let peaks = [&later, &plain].map(|run| run.statistics.peak_states);
    assert!(peaks[0] < peaks[1], "{peaks:?}");
    assert_eq!(run(&long, &mut ()).changes[0].explored, change.explored);

    // Who follows links can follow; for who cannot, the run would begin again, and that is worth nothing.
    let sooner = after(long.look_again.map_or(0, |work| work / 4));
    for follows in [true, false] {
        let mut links = Links {
            follows,
            ..Links::default()
        };
        let run = run(&sooner, &mut links);
        assert_eq!(run.changes.len(), usize::from(follows));
        assert_eq!((links.started, run.statistics.complete), (1, true));
    }
    let short = after(u64::MAX);
    assert!(run(&short, &mut ()).changes.is_empty());
}
