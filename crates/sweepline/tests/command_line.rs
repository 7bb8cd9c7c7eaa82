//! What the command line prints, where it prints it, and how it exits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn sweepline(args: &[&str]) -> Output {
    let output = command(args).output();
    output.expect("the command line runs")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sweepline"));
    command
        .current_dir(models())
        .args(args)
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// Exit code, standard output and standard error as one text, with what differs from run to run blanked.
fn shown(args: &[&str]) -> String {
    let output = sweepline(args);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output
        .status
        .code()
        .map_or_else(|| "signal".into(), |code| code.to_string());
    let mut shown = format!("$ sweepline {}\n{}", args.join(" "), redacted(&out));
    if !err.is_empty() {
        shown.push_str("--- stderr\n");
        shown.push_str(&err);
    }
    shown + &format!("--- exit {code}\n")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Blanks times, rates and sizes of memory.
fn redacted(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        for field in ["time ", "rate ", "peak memory ", "  memory  "] {
            if let Some(at) = line.find(field) {
                line.truncate(at + field.len());
                line += "[…]";
            }
        }
        out += &line;
        out.push('\n');
    }
    out
}

fn exit_code(args: &[&str]) -> i32 {
    sweepline(args).status.code().expect("it exits")
}

fn json(args: &[&str]) -> Value {
    let output = sweepline(args);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

#[test]
fn a_violation_comes_with_its_trace() {
    insta::assert_snapshot!(shown(&["check", "philosophers.pnml", "--deadlock"]));
}

#[test]
fn properties_beside_the_model_are_found() {
    insta::assert_snapshot!(shown(&["check", "stop-and-wait.pnml"]));
}

#[test]
fn explore_counts() {
    insta::assert_snapshot!(shown(&["explore", "packet.ss", "--progress", "progress"]));
}

#[test]
fn quiet_prints_verdicts_only() {
    insta::assert_snapshot!(shown(&[
        "check",
        "philosophers.pnml",
        "-q",
        "--deadlock",
        "--reach",
        "e_0 = 1"
    ]));
}

#[test]
fn mistakes_are_explained() {
    let mistakes: [&[&str]; 21] = [
        &["check", "philosopher.pnml"],
        &["check", "."],
        &["check", "README.md"],
        &[
            "check",
            "philosophers.pnml",
            "--invariant",
            "e_0 + e_9 <= 1",
        ],
        &["check", "philosophers.pnml", "--invariant", "e_0 + <= 1"],
        &["check", "philosophers.pnml", "--reach", "fireable(takel_7)"],
        &[
            "check",
            "stop-and-wait.pnml",
            "--property",
            "stop-and-wait.xml#delivred",
        ],
        &["check", "philosophers.pnml", "--examination", "Liveness"],
        &["check", "packet.ss", "--examination", "OneSafe"],
        &[
            "check",
            "philosophers.pnml",
            "--progress",
            "e_0",
            "--method",
            "full",
        ],
        &["explore", "philosophers.pnml", "--columns", "e_0"],
        &["explore", "philosophers.pnml", "--cache", "9"],
        &["explore", "philosophers.pnml", "--measures", "scc"],
        &["explore", "philosophers.pnml", "--errors", "count"],
        &["progress", "philosophers.pnml", "--explain", "take_0"],
        &["explore", "stop-and-wait.lts", "--set", "M=3"],
        &["explore", "stop-and-wait.lts", "--composition", "NET"],
        &["explore", "packet.ss", "--export", "packet.svg"],
        &["explore", "peterson.dve", "--set", "M=3"],
        &["explore", "packet.ss", "--set", "N=3"],
        &["check", "peterson.dve", "--invariant", "P_0.SC"],
    ];
    let mut all = String::new();
    for args in mistakes {
        let output = sweepline(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(
            text(&output.stdout),
            "",
            "nothing on standard output: {args:?}"
        );
        all += &shown(args);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn usage_errors_exit_with_2() {
    for args in [
        &["check"][..],
        &["chek"],
        &["check", "packet.ss", "--memory", "lots"],
        &["explore", "packet.ss", "--coarsen", "0"],
    ] {
        assert_eq!(exit_code(args), 2, "{args:?}");
    }
}

#[test]
fn exit_codes_tell_the_verdict() {
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "--reach", "e_0 = 1"]),
        0
    );
    assert_eq!(exit_code(&["check", "philosophers.pnml", "--deadlock"]), 1);
    assert_eq!(
        exit_code(&[
            "check",
            "philosophers.pnml",
            "--invariant",
            "e_0 <= 1",
            "--states",
            "10"
        ]),
        3
    );
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "packet.ss", "--deadlock"]),
        1
    );
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "missing.pnml", "--deadlock"]),
        2
    );
    assert_eq!(
        exit_code(&["explore", "stop-and-wait.pnml", "--states", "10"]),
        3
    );
    assert_eq!(exit_code(&["explore", "stop-and-wait.pnml"]), 0);
}

#[test]
fn limits_give_the_figures_so_far() {
    let record = json(&[
        "explore",
        "stop-and-wait.pnml",
        "--states",
        "100",
        "--format",
        "json",
    ]);
    assert_eq!(record["complete"], false);
    assert_eq!(record["explored"], 100);
    assert_eq!(record["states"], Value::Null);
    assert_eq!(record["deadlocks"], Value::Null);
    assert_eq!(record["reason"], "the limit of 100 states was reached");
    let record = json(&[
        "explore",
        "stop-and-wait.pnml",
        "--memory",
        "200K",
        "--format",
        "json",
    ]);
    assert_eq!(record["complete"], false);
    assert!(record["explored"].as_u64().expect("a number") > 100);
}

#[test]
fn explore_json_has_the_promised_fields_in_order() {
    let output = sweepline(&["explore", "pipeline.pnml", "--format", "json"]);
    let record: serde_json::Map<String, Value> =
        serde_json::from_slice(&output.stdout).expect("one object");
    let fields: Vec<&str> = record.keys().map(String::as_str).collect();
    let promised = [
        "schema",
        "model",
        "format",
        "method",
        "complete",
        "progress",
        "states",
        "explored",
        "edges",
        "deadlocks",
        "layers",
        "columns",
        "sweeps",
        "column_sweeps",
        "regress_edges",
        "persistent",
        "peak_states",
        "peak_bytes",
        "process_peak_bytes",
        "seconds",
    ];
    assert_eq!(fields, promised);
    assert_eq!(record["progress"]["source"], "auto");
}

/// The figures of an exploration.
fn figures(args: &[&str], names: [&str; 3]) -> [Option<u64>; 3] {
    let record = json(&[&["explore"], args, &["--format", "json"]].concat());
    names.map(|name| record[name].as_u64())
}

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
    for (managers, states) in [(6, 1460), (7, 5105), (8, 17498), (9, 59051)] {
        let managers = format!("D={managers}");
        check(&["database.dve", "--set", &managers], states * 35 / 100, 2);
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

#[test]
fn networks_are_read_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = directory.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    write("left.aut", "des (0, 2, 2)\n(0, \"a\", 1)\n(1, \"b\", 0)\n");
    write("right.aut", "des (0, 2, 2)\n(0, b, 1)\n(1, c, 0)\n");
    let network = write("both.network", "left.aut\nright.aut\n");
    let found = figures(&[&network], ["states", "edges", "deadlocks"]);
    assert_eq!(found, [Some(4), Some(5), Some(0)]);
    let smaller = figures(
        &[&network, "--minimise", "branching"],
        ["states", "edges", "deadlocks"],
    );
    assert_eq!(smaller, found);
    let broken = write("broken.network", "left.aut\nrigth.aut\n");
    assert_eq!(exit_code(&["explore", &broken]), 2);
    assert_eq!(exit_code(&["check", "single-lane-bridge.lts"]), 0);
    assert_eq!(exit_code(&["check", "philosophers.lts"]), 1);
}

#[test]
fn caching_finds_what_full_search_finds() {
    let all = figures(&["philosophers.lts"], ["states", "edges", "deadlocks"]);
    assert_eq!(all, [Some(2623), Some(10_795), Some(1)]);
    let cached = [
        "check",
        "philosophers.lts",
        "--method",
        "caching",
        "--cache",
        "2000",
    ];
    assert_eq!(exit_code(&cached), 1);
    let directory = tempfile::tempdir().unwrap();
    let chart = directory.path().join("chart.svg");
    let compared = [
        "compare",
        "philosophers.lts",
        "--cache",
        "100%,90%",
        "--chart",
    ];
    let table = json(
        &[
            &compared[..],
            &[chart.to_str().unwrap(), "--format", "json"],
        ]
        .concat(),
    );
    let methods: Vec<_> = table
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods[0], "full");
    assert_eq!(
        methods
            .iter()
            .filter(|method| **method == "caching")
            .count(),
        2
    );
    assert!(std::fs::read_to_string(chart).unwrap().starts_with("<svg"));
}

#[test]
fn check_json_has_verdicts_and_traces() {
    let record = json(&[
        "check",
        "philosophers.pnml",
        "--deadlock",
        "--reach",
        "e_0 = 2",
        "--format",
        "json",
    ]);
    let [deadlock, reach] = &record["properties"].as_array().expect("a list")[..] else {
        panic!("{record}")
    };
    assert_eq!(
        (&deadlock["kind"], &deadlock["verdict"]),
        (&"deadlock".into(), &"violated".into())
    );
    assert_eq!(deadlock["trace"]["initial"]["f_0"], 1);
    assert_eq!(deadlock["trace"]["steps"][0]["action"], "takel_0");
    assert_eq!(
        deadlock["trace"]["steps"][0]["state"],
        serde_json::json!({ "th_0": 0, "f_0": 0, "l_0": 1 })
    );
    assert_eq!(deadlock["trace"]["loop"], Value::Null);
    assert_eq!(
        (&reach["kind"], &reach["verdict"]),
        (&"reach".into(), &"violated".into())
    );
    assert_eq!(reach["trace"], Value::Null);
    assert_eq!(
        reach["statistics"]["states"], 243,
        "both share the exploration"
    );
}

#[test]
fn several_models_give_a_line_each() {
    let output = sweepline(&["explore", "packet.ss", "pipeline.pnml", "--format", "json"]);
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object per line"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["states"], 459);
}

#[test]
fn traces_can_be_written_as_itf() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.itf.json");
    let path = file.to_str().expect("a text");
    let args = [
        "check",
        "packet.ss",
        "--reach",
        "acked",
        "--trace-out",
        path,
        "--trace-format",
        "itf",
        "-q",
    ];
    assert_eq!(exit_code(&args), 0);
    let trace: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("it was written")).expect("it is JSON");
    assert_eq!(
        trace["vars"],
        serde_json::json!(["state", "progress", "sent", "acked"])
    );
    assert_eq!(trace["states"].as_array().map(Vec::len), Some(4));
    assert_eq!(trace["states"][3]["acked"], true);
    assert_eq!(trace["states"][3]["#meta"]["action"], "ack");
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
    let explored: Vec<&Value> = rows
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

#[test]
fn exported_state_spaces_read_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let ss = directory.path().join("philosophers.ss");
    let path = ss.to_str().expect("a text");
    assert_eq!(
        exit_code(&[
            "explore",
            "philosophers.pnml",
            "--export",
            path,
            "--prop",
            "eating = e_0 > 0"
        ]),
        0
    );
    let record = json(&["explore", path, "--format", "json"]);
    assert_eq!(
        (&record["states"], &record["edges"], &record["deadlocks"]),
        (&243.into(), &945.into(), &2.into())
    );
    assert_eq!(exit_code(&["check", path, "--reach", "eating"]), 0);
    for name in ["philosophers.aut", "philosophers.dot"] {
        let file = directory.path().join(name);
        assert_eq!(
            exit_code(&[
                "explore",
                "philosophers.pnml",
                "--export",
                file.to_str().expect("a text")
            ]),
            0
        );
        assert!(std::fs::metadata(&file).expect("it was written").len() > 1000);
    }
    assert_eq!(
        exit_code(&[
            "explore",
            "philosophers.pnml",
            "--export",
            path,
            "--export-states",
            "10"
        ]),
        2
    );
}

#[test]
fn two_runs_print_the_same() {
    let args = [
        "check",
        "stop-and-wait.pnml",
        "--progress",
        "s_0_1 + 2*s_0_2 + 3*s_0_3",
        "--format",
        "json",
    ];
    let strip = |mut record: Value| {
        for property in record["properties"].as_array_mut().expect("a list") {
            property["statistics"]["seconds"] = 0.into();
            property["statistics"]["process_peak_bytes"] = 0.into();
        }
        record
    };
    assert_eq!(strip(json(&args)), strip(json(&args)));
}

#[test]
fn a_lost_trace_does_not_lose_the_verdict() {
    // Long enough for the log to be written, and the directory does not exist.
    let args = [
        "check",
        "stop-and-wait.pnml",
        "--deadlock",
        "--trace-dir",
        "no/such/directory",
    ];
    assert_eq!(exit_code(&args), 1);
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "--deadlock", "--no-trace"]),
        1
    );
    let out = text(&sweepline(&["check", "philosophers.pnml", "--deadlock", "--no-trace"]).stdout);
    assert!(
        out.contains("no trace for deadlock: the trace log is switched off"),
        "{out}"
    );
}

#[test]
fn output_goes_to_a_file_if_wanted() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("result.json");
    let output = sweepline(&[
        "explore",
        "packet.ss",
        "--format",
        "json",
        "-o",
        file.to_str().expect("a text"),
    ]);
    assert!(output.stdout.is_empty());
    let record: Value =
        serde_json::from_slice(&std::fs::read(file).expect("it was written")).expect("it is JSON");
    assert_eq!(record["explored"], 12);
}

#[test]
fn help_manual_and_completions_are_there() {
    let help = text(&sweepline(&["check", "--help"]).stdout);
    for heading in ["Model:", "Property:", "Search:", "Output:"] {
        assert!(help.contains(heading), "{help}");
    }
    assert!(text(&sweepline(&["man"]).stdout).contains(".TH sweepline"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(text(&sweepline(&["completions", shell]).stdout).contains("sweepline"));
    }
    assert!(text(&sweepline(&["--version"]).stdout).starts_with("sweepline "));
}

#[test]
fn no_colours_and_no_progress_line_in_a_pipe() {
    let output = sweepline(&["check", "stop-and-wait.pnml"]);
    assert!(!text(&output.stdout).contains('\x1b'));
    assert!(output.stderr.is_empty());
    let output = sweepline(&["check", "stop-and-wait.pnml", "--color", "always"]);
    assert!(text(&output.stdout).contains("\x1b[1;32mholds"));
}

/// Ctrl-C ends the run with what is known so far.
#[cfg(unix)]
#[test]
fn an_interrupt_gives_the_figures_so_far() {
    let directory = tempfile::tempdir().expect("a directory");
    let net = directory.path().join("endless.pnml");
    let place = |id: &str| {
        format!(
            "<place id='{id}'/><transition id='t{id}'/><arc id='a{id}' source='t{id}' target='{id}'/>"
        )
    };
    let places: String = ["a", "b", "c", "d", "e"].into_iter().map(place).collect();
    std::fs::write(
        &net,
        format!("<pnml><net id='n' type='P/T net'><page id='g'>{places}</page></net></pnml>"),
    )
    .expect("it can be written");
    let child = command(&[
        "explore",
        net.to_str().expect("a text"),
        "--format",
        "json",
        "--memory",
        "1G",
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(status.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let record: Value = serde_json::from_slice(&output.stdout).expect("figures");
    assert_eq!(record["complete"], false);
    let reason = record["reason"].as_str().expect("a reason");
    assert!(
        reason == "interrupted" || reason.contains("memory limit"),
        "{reason}"
    );
}

/// An unbounded net is never reported as explored.
#[test]
fn unbounded_nets_end_inconclusive() {
    let directory = tempfile::tempdir().expect("a directory");
    let net = directory.path().join("unbounded.pnml");
    let text = "<pnml><net id='n' type='P/T net'><page id='g'><place id='p'/><transition id='t'/>\
                <arc id='a' source='t' target='p'><inscription><text>1000000000000000</text></inscription></arc>\
                </page></net></pnml>";
    std::fs::write(&net, text).expect("it can be written");
    let path = net.to_str().expect("a text");
    let record = json(&["explore", path, "--format", "json"]);
    assert_eq!(record["complete"], false);
    let reason = record["reason"].as_str().expect("a reason");
    assert!(reason.contains("`p` outgrew"), "{reason}");
    assert_eq!(exit_code(&["check", path, "--invariant", "p >= 0"]), 3);
    assert_eq!(
        exit_code(&["check", path, "--reach", "p > 2000000000000000"]),
        0
    );
}

#[test]
fn programs_run_compiled_and_interpreted() {
    let record = |args: &[&str]| {
        let mut all = vec![
            "explore",
            "go-back-n.dve",
            "--columns",
            "Sender.b + Receiver.r",
            "--format",
            "json",
        ];
        all.extend(args);
        let mut record = json(&all);
        record["seconds"] = 0.into();
        record["process_peak_bytes"] = 0.into();
        record
    };
    assert_eq!(record(&[]), record(&["--interpret"]));
    assert_eq!(record(&[])["states"], 8232);
}

#[test]
fn errors_of_a_program_can_be_counted_instead() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ticket.dve");
    let text = "byte n = 250; process P { state s; init s; trans s -> s { effect n = n + 2; }; } system async;";
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let counted = json(&["explore", file, "--errors", "count", "--format", "json"]);
    assert_eq!(
        (&counted["states"], &counted["edges"]),
        (&4.into(), &3.into())
    );
    let stopped = sweepline(&["explore", file]);
    assert_eq!(stopped.status.code(), Some(1));
}

/// Nobody asked, but the model is wrong, and it is shown how it gets there.
#[test]
fn errors_of_a_program_are_found_without_being_asked_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("counter.dve");
    let path = file.to_str().expect("a text");
    let program = |rest: &str| {
        format!(
            "byte n = 253; process P {{ state a; init a; {rest} trans a -> a {{ effect n = n + 1; }}; }} system async;"
        )
    };
    std::fs::write(&file, program("")).expect("it can be written");
    let output = sweepline(&["check", path, "--reach", "n = 7"]);
    assert_eq!(output.status.code(), Some(1));
    let out = text(&output.stdout);
    assert!(
        out.contains("FAILED") && out.contains("`n` would become 256"),
        "{out}"
    );
    assert!(
        out.contains("trace to the state in which the model fails") && out.contains("n = 255"),
        "{out}"
    );
    std::fs::write(&file, program("assert a: n < 255;")).expect("it can be written");
    let out = text(&sweepline(&["check", path, "--reach", "n = 7"]).stdout);
    assert!(out.contains("assertion"), "{out}");
}
