//! Measures: found, given, compared.

use serde_json::Value;

use crate::{exit_code, figures, json, shown, sweepline, text};

#[test]
fn measures_are_found_without_a_flag() {
    let check = |args: &[&str], most: u64, sweeps: u64| {
        let [explored, peak, found] = figures(args, ["explored", "peak_states", "sweeps"]);
        assert!(
            peak.unwrap() <= most,
            "{args:?}: peak {peak:?} of {explored:?}"
        );
        assert!(found.unwrap() <= sweeps, "{args:?}");
    };
    check(&["stop-and-wait.dve", "--set", "N=100"], 600, 1);
    check(&["go-back-n.dve", "--set", "K=100"], 12_000, 1);
    check(&["database.dve", "--set", "D=6"], 1460 * 35 / 100, 2);
    // Exploring states twice is for who wants it where there are many.
    for (managers, states) in [(7, 5105), (8, 17_498), (9, 59_051)] {
        let managers = format!("D={managers}");
        let wanted = ["database.dve", "--set", &managers, "--method", "sweep"];
        check(&wanted, states * 35 / 100, 2);
    }
    check(&["stop-and-wait.pnml"], 27_741 / 5, 1);
    check(&["two-phase-commit.lts"], 18_478 / 4, 1);
}

#[test]
fn the_tables_of_the_compositional_paper_come_out() {
    let names = ["explored", "peak_states", "column_sweeps"];
    let ranked = |args: &[&str]| figures(&[args, &["--measures", "scc-or-tree"]].concat(), names);
    let expected = |explored, peak, sweeps| [Some(explored), Some(peak), Some(sweeps)];
    let master = ranked(&["master-slave.lts"]);
    assert_eq!(master, expected(253_952, 8192, 62));
    let assigning = ranked(&["master-slave-assign.lts"]);
    assert_eq!(assigning, expected(245_722, 8191, 84));
    let commit = ranked(&["two-phase-commit.lts", "--set", "N=7"]);
    assert_eq!(commit, expected(87_475, 19_535, 87_475));
    let waiting = ranked(&["stop-and-wait.lts", "--set", "N=30"]);
    assert_eq!(waiting, expected(8117, 3619, 8));
}

#[test]
fn candidates_are_shown_and_explained() {
    insta::assert_snapshot!(shown(&["progress", "pipeline.pnml"]));
    insta::assert_snapshot!(shown(&[
        "progress",
        "philosophers.pnml",
        "--explain",
        "takel_0"
    ]));
    let record = json(&["progress", "pipeline.pnml", "--measure", "--format", "json"]);
    let best = &record["candidates"][0];
    assert_eq!(
        (&best["chosen"], &best["monotone"]),
        (&true.into(), &true.into())
    );
    assert_eq!(best["actual"]["complete"], true);
}

#[test]
fn authors_of_models_can_say_what_progress_is() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("count.dve");
    let model = "byte n; process P { state a; init a; trans a -> a { guard n < 9; effect n = n + 1; }; } system async;";
    std::fs::write(&file, format!("// sweepline: columns n\n{model}")).unwrap();
    let path = file.to_str().unwrap();
    let record = |path: &str| json(&["explore", path, "--format", "json"]);
    assert_eq!(record(path)["progress"]["columns"], "n");
    let beside = directory.path().join("count.progress");
    std::fs::write(&beside, "# halves\nprogress n / 2\n").unwrap();
    assert_eq!(record(path)["progress"]["rows"], "n / 2");
    let own = directory.path().join("count.dve.progress");
    std::fs::write(&own, "progress n / 3").unwrap();
    assert_eq!(record(path)["progress"]["rows"], "n / 3");
    std::fs::remove_file(own).unwrap();
    for wrong in ["progress m", "rows n", "progress n +"] {
        std::fs::write(&beside, wrong).unwrap();
        assert_eq!(exit_code(&["explore", path]), 2, "{wrong}");
    }
}

/// Plain search has no room, so the run goes on with rows. Where they do not suffice either, there is no verdict.
#[test]
fn memory_that_runs_out_changes_the_measure() {
    let args = ["explore", "stop-and-wait.lts", "--set", "N=500", "--memory"];
    for (memory, code, complete) in [("1500K", 0, true), ("300K", 3, false)] {
        let output = sweepline(&[&args[..], &[memory, "--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{memory}");
        let record: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(record["complete"], complete, "{memory}");
        assert_eq!(record["progress"]["source"], "auto");
        assert_ne!(record["progress"]["rows"], "");
    }
    let deadlock = [
        "check",
        "stop-and-wait.lts",
        "--set",
        "N=500",
        "--memory",
        "1500K",
    ];
    assert_eq!(exit_code(&deadlock), 1);
}

/// A measure that falls is as good as one that rises; its minus is not that of a flag.
#[test]
fn measures_may_begin_with_a_minus() {
    let explored = |args: &[&str]| {
        let all = [&["explore", "pipeline.pnml", "--format", "json"], args].concat();
        json(&all)
    };
    let rows = explored(&["--progress", "-w_0"]);
    assert_eq!(rows["progress"]["rows"], "-w_0");
    let columns = explored(&["--columns", "-w_0", "--progress", "-b_0 + w_1"]);
    assert_eq!(columns["progress"]["columns"], "-w_0");
    assert_eq!(columns["progress"]["rows"], "-b_0 + w_1");
    for record in [rows, columns] {
        assert_eq!(record["complete"], true);
    }
    let args = ["compare", "pipeline.pnml", "--format", "json"];
    let compared = json(&[&args[..], &["--progress", "-w_0", "--columns", "-w_0"]].concat());
    assert!(compared.to_string().contains("-w_0"), "{compared}");
}

#[test]
fn compare_prints_tables() {
    let args = |format| {
        [
            "compare",
            "packet.ss",
            "--progress",
            "progress",
            "--window",
            "0,1",
            "--format",
            format,
        ]
    };
    let rows = json(&args("json"));
    assert_eq!(rows["model"], "packet.ss");
    let explored: Vec<&Value> = rows["explorations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| &row["explored"])
        .collect();
    assert_eq!(explored, [7, 12, 7]);
    let csv = text(&sweepline(&args("csv")).stdout);
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.starts_with("model,method,columns,rows,"));
    let markdown = text(&sweepline(&args("markdown")).stdout);
    assert!(
        markdown
            .lines()
            .all(|line| line.starts_with("| ") && line.ends_with('|')),
        "{markdown}"
    );
    let human = text(&sweepline(&args("human")).stdout);
    assert!(human.contains("sweep 2: rows progress window 1"), "{human}");
    assert!(
        human.lines().all(|line| line.chars().count() <= 80),
        "{human}"
    );
}
