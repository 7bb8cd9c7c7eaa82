//! Steering real models: with little patience, a measure that loses is given up soon.

use std::path::Path;

use clap::Parser;
use sweepline_check::QuestionKind;
use sweepline_core::Limits;
use sweepline_explore::LogPlace;
use sweepline_process::measure::Ranking;

use super::*;
use crate::args::{CheckArgs, Cli, Command, Linearise};
use crate::load;
use crate::properties::Asked;
use crate::reading::Reading;
use crate::{product, search};

fn shown(verdict: Verdict) -> Shown {
    Shown {
        name: "p".into(),
        kind: QuestionKind::Invariant,
        text: "AG p".into(),
        verdict,
        value: None,
        trace: None,
        lost_trace: None,
    }
}

#[test]
fn what_is_decided_stays_decided() {
    let open = || Verdict::Inconclusive(StopReason::OutOfMemory);
    let now = [open(), Verdict::Holds, open()];
    let before = [Verdict::Violated, open(), open()];
    let mut answers = now.map(shown);
    fill_in(&mut answers, before.map(shown).into());
    let verdicts = answers.map(|answer| answer.verdict);
    assert_eq!(verdicts, [Verdict::Violated, Verdict::Holds, open()]);
}

/// A model of ours and what is asked of it.
struct Case {
    model: Loaded,
    asked: Asked,
}

impl Case {
    fn new(model: &str, flags: &[&str]) -> Self {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let path = models.join(model);
        let typed = ["sweepline", "check", path.to_str().expect("a text")];
        let cli = Cli::try_parse_from(typed.iter().chain(flags)).expect("flags");
        let Command::Check(args) = cli.command else {
            panic!("it is a check");
        };
        let CheckArgs {
            models, properties, ..
        } = args;
        let Ok(Reading::Loaded(model)) = load::load(&path, &models, &Limits::default()) else {
            panic!("it is read");
        };
        let asked = Asked::gather(&properties, &model, &path).expect("questions");
        Self { model, asked }
    }

    /// A measure as if it had been found.
    fn found(&self, columns: Option<&str>, rows: Option<&str>) -> Spec {
        let mut spec = Spec::parse(columns, rows, 1, 0).expect("a measure");
        spec.use_ids(&self.model);
        spec.source = Origin::Auto;
        spec
    }

    fn run(&self, spec: &Spec, patience: Patience) -> Run {
        let steering = Steering {
            options: Options {
                log: LogPlace::Temporary,
                ..Options::default()
            },
            quiet: true,
            patience,
        };
        let run = match self.asked.automata.first() {
            Some(automaton) => {
                product::explore(&self.model, automaton, spec, &self.asked, &steering)
            }
            None => search::explore_guarded(&self.model, spec, &self.asked, &steering),
        };
        run.expect("it runs")
    }

    /// The measure is given up, with this reason, and in the end everything comes out as by plain search.
    fn gives_up(&self, spec: &Spec, patience: Patience, why: &str) -> Run {
        let plain = self.run(&Spec::default(), Patience::default());
        assert!(plain.changes.is_empty());
        let run = self.run(spec, patience);
        assert!(run.changes[0].why.contains(why), "{}", run.changes[0].why);
        assert_eq!(
            run.measure.text(),
            run.changes[run.changes.len() - 1].to.text()
        );
        assert_eq!(run.statistics.complete, plain.statistics.complete);
        assert!(run.statistics.explored >= run.changes[0].explored);
        for (answer, expected) in run.answers.iter().zip(&plain.answers) {
            assert_eq!(answer.verdict, expected.verdict, "{}", answer.name);
            assert_eq!(answer.value, expected.value, "{}", answer.name);
            assert_eq!(answer.trace.is_some(), expected.trace.is_some());
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

const QUESTIONS: [&str; 6] = [
    "--invariant",
    "s_0_3 <= 1",
    "--reach",
    "s_0_20 = 1",
    "--reach",
    "s_0_20 = 2",
];

/// The free places of the channels go up and down all the time.
#[test]
fn rows_that_explore_everything_again_are_given_up() {
    let case = Case::new("stop-and-wait.pnml", &QUESTIONS);
    let up_and_down = Some("0 - cd_0 - ca_0");
    let spec = case.found(None, up_and_down);
    let run = case.gives_up(&spec, impatient(), "explored again");
    assert!(run.measure.is_constant());
    assert_eq!(run.changes.len(), 1);

    // Where there are columns too, they are kept.
    let received: Vec<String> = (1..=20).map(|n| format!("{n}*r_0_{n}")).collect();
    let spec = case.found(Some(&received.join(" + ")), up_and_down);
    let run = case.gives_up(&spec, impatient(), "explored again");
    assert_eq!(run.changes[0].to.columns_text(), spec.columns_text());
    assert_eq!(run.changes[0].to.rows_text(), "");
}

/// Every state has a layer of its own, and then 64 of them have one together.
#[test]
fn tiny_layers_are_made_larger() {
    let case = Case::new("two-phase-commit.lts", &["--invariant", "true or deadlock"]);
    let ranked = Spec::of_rule(Ranking::SccOrTree, Linearise::Lexicographic, 1, &case.model);
    let spec = Spec {
        source: Origin::Auto,
        ..ranked.expect("it is a network")
    };
    let run = case.gives_up(&spec, impatient(), "a few states only");
    assert_eq!(run.changes[0].from.measure.coarsen, 1);
    assert_eq!(run.changes[0].to.measure.coarsen, 64);
    assert_eq!(
        run.changes[0].from.columns_text(),
        run.changes[0].to.columns_text()
    );
}

#[test]
fn rows_are_given_up_in_a_large_state_space() {
    let case = Case::new("stop-and-wait.pnml", &QUESTIONS);
    let spec = Spec {
        again: Some(1.7),
        ..case.found(None, Some("s_0_1 + 2*s_0_2 + 3*s_0_3"))
    };
    let run = case.gives_up(&spec, hurried(), "explored about 1.7 times");
    assert!(run.measure.is_constant());
    assert_eq!(run.measure.fallback.len(), 1, "should memory run out");
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
        let automaton = ["--safety-automaton", file.to_str().expect("a text")];
        let case = Case::new("stop-and-wait.pnml", &automaton);
        let spec = Spec {
            again: Some(1.7),
            ..case.found(None, Some("s_0_1 + 2*s_0_2 + 3*s_0_3"))
        };
        let run = case.gives_up(&spec, hurried(), "explored about 1.7 times");
        assert_eq!(run.answers[0].verdict, Verdict::of(last > 20));
    }
}
