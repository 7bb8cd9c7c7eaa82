//! Formats, files and pipes.

use serde_json::Value;

use crate::{command, directory, exit_code, json, shown, sweepline, text};

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

/// Of many warnings of one kind a few are enough, unless somebody wants all. How many there are is always said.
#[test]
fn the_same_warning_is_not_printed_for_ever() {
    let channels: Vec<String> = (0..9).map(|it| format!("c{it}")).collect();
    let waits = channels
        .iter()
        .map(|it| format!("a -> a {{ sync {it}?; }}"));
    let waits = waits.collect::<Vec<_>>().join(", ");
    let model = format!(
        "channel {};\nprocess P {{ state a; init a; trans {waits}; }}\nsystem async;\n",
        channels.join(", ")
    );
    let files = directory(&[("waits.dve", &model)]);
    let warned = |how: &[&str]| {
        let mut asked = command(&[&["explore", "waits.dve"], how].concat());
        let output = asked.current_dir(files.path()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0));
        let err = text(&output.stderr);
        let told = err.contains("dve::no_partner: 6 warnings more like these");
        (err.matches("nobody sends on channel").count(), told)
    };
    assert_eq!(warned(&[]), (3, true));
    assert_eq!(warned(&["--verbose"]), (9, false));
    assert_eq!(warned(&["--quiet"]), (0, false));
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
        "disk_bytes",
        "seconds",
        "load_seconds",
        "find_seconds",
        "assertions",
    ];
    assert_eq!(fields, promised);
    assert_eq!(record["progress"]["source"], "auto");
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

/// A file of DOT is one that Graphviz reads; in JSON it is a string.
#[test]
fn traces_can_be_written_as_dot() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.dot");
    let path = file.to_str().expect("a text");
    let format = ["--trace-format", "dot"];
    let args = ["check", "packet.ss", "--reach", "acked"];
    let written = [&args[..], &["--trace-out", path, "-q"], &format].concat();
    assert_eq!(exit_code(&written), 0);
    let trace = std::fs::read_to_string(&file).expect("it was written");
    assert!(trace.starts_with("digraph trace {\n"), "{trace}");
    assert!(trace.ends_with("}\n"), "{trace}");
    let record = json(&[&args[..], &["--format", "json"], &format].concat());
    assert_eq!(record["properties"][0]["trace"], trace);
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
            for seconds in ["seconds", "load_seconds", "find_seconds"] {
                property["statistics"][seconds] = 0.into();
            }
            property["statistics"]["process_peak_bytes"] = 0.into();
        }
        record
    };
    assert_eq!(strip(json(&args)), strip(json(&args)));
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
fn every_command_has_a_page_and_values_to_complete() {
    let page = text(&sweepline(&["man", "check"]).stdout);
    assert!(page.contains(".TH sweepline-check 1"), "{page}");
    assert!(
        page.contains("\\-\\-safety\\-automaton") && page.contains("sweepline check"),
        "{page}"
    );
    let overview = text(&sweepline(&["man"]).stdout);
    assert!(overview.contains("sweepline\\-check(1)"), "{overview}");
    let directory = tempfile::tempdir().expect("a directory");
    // Directories that are not there are made.
    let pages = directory.path().join("man/man1");
    let path = pages.to_str().expect("a text");
    assert_eq!(exit_code(&["man", "--dir", path]), 0);
    for name in ["sweepline.1", "sweepline-check.1", "sweepline-compare.1"] {
        assert!(pages.join(name).is_file(), "{name}");
    }
    assert_eq!(exit_code(&["man", "chekc"]), 2);
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&sweepline(&["completions", shell]).stdout);
        for value in [
            "caching",
            "StableMarking",
            "least-recent",
            "pnml",
            "markdown",
        ] {
            assert!(script.contains(value), "{shell}: {value}");
        }
    }
}

/// A page that another one names can be printed, by the name it is given there.
#[test]
fn pages_name_only_pages_that_are_there() {
    for args in [&["man"][..], &["man", "graph"]] {
        let page = text(&sweepline(args).stdout);
        let named = page.lines().filter_map(|line| line.strip_suffix("(1)"));
        let named: Vec<_> = named.map(|name| name.replace("\\-", "-")).collect();
        assert!(named.len() > 4, "{page}");
        for name in named {
            let command = name.strip_prefix("sweepline-").expect("one of ours");
            let named = text(&sweepline(&["man", command]).stdout);
            assert!(named.contains(&format!(".TH {name} 1")), "{named}");
        }
    }
}

/// The lines of an output, each an object.
fn objects(args: &[&str]) -> Vec<Value> {
    let out = text(&sweepline(args).stdout);
    let lines = out.lines().map(serde_json::from_str);
    lines
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}: {out}"))
}

#[test]
fn several_models_have_one_shape_in_every_command() {
    for command in ["check", "explore", "compare", "progress"] {
        let several = [command, "packet.ss", "pipeline.pnml", "--format", "json"];
        let models: Vec<Value> = objects(&several)
            .iter()
            .map(|object| object["model"].clone())
            .collect();
        assert_eq!(models, ["packet.ss", "pipeline.pnml"], "{command}");
        let one = json(&[command, "packet.ss", "--format", "json"]);
        assert_eq!(
            (&one["schema"], &one["model"]),
            (&1.into(), &"packet.ss".into()),
            "{command}"
        );
        assert_eq!(
            objects(&[command, "packet.ss", "--format", "jsonl"]).len(),
            1,
            "{command}"
        );
        // A mistake in one does not lose the others.
        let wrong = [command, "nonsense.ss", "pipeline.pnml", "--format", "jsonl"];
        let objects = objects(&wrong);
        assert_eq!(objects.len(), 2, "{command}");
        let mistakes = objects.iter().filter(|object| !object["error"].is_null());
        assert_eq!(mistakes.count(), 1, "{command}");
        assert_eq!(exit_code(&wrong), 2, "{command}");
    }
}

#[test]
fn charts_are_what_their_names_say() {
    let directory = tempfile::tempdir().expect("a directory");
    let drawn = |name: &str| {
        let file = directory.path().join(name);
        let path = file.to_str().expect("a text").to_owned();
        let output = sweepline(&["compare", "packet.ss", "--cache", "90%", "--chart", &path]);
        (output, file)
    };
    for (name, start) in [("chart.svg", &b"<svg"[..]), ("chart.png", b"\x89PNG")] {
        let (output, file) = drawn(name);
        assert_eq!(output.status.code(), Some(0), "{name}");
        assert!(
            std::fs::read(&file)
                .expect("it was written")
                .starts_with(start),
            "{name}"
        );
        let said = format!("wrote the chart of 3 explorations to {}\n", file.display());
        assert_eq!(text(&output.stderr), said);
    }
    let (output, file) = drawn("chart.gif");
    assert_eq!(output.status.code(), Some(2));
    assert!(!file.exists() && text(&output.stderr).contains(".svg or .png"));
}

#[test]
fn what_is_written_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| {
        directory
            .path()
            .join(name)
            .to_str()
            .expect("a text")
            .to_owned()
    };
    let (aut, trace, result) = (path("p.aut"), path("t.json"), path("r.txt"));
    let said = |args: &[&str]| text(&sweepline(args).stderr);
    let exported = said(&["explore", "philosophers.pnml", "--export", &aut]);
    assert_eq!(
        exported,
        format!("wrote 243 states and 945 edges to {aut}\n")
    );
    let traced = said(&[
        "check",
        "philosophers.pnml",
        "--trace-out",
        &trace,
        "-o",
        &result,
    ]);
    let expected = format!(
        "wrote the trace for deadlock, 5 steps, to {trace}\nwrote the results to {result}\n"
    );
    assert_eq!(traced, expected);
    assert_eq!(
        said(&["explore", "philosophers.pnml", "--export", &aut, "-q"]),
        ""
    );
}

#[test]
fn no_colours_and_no_progress_line_in_a_pipe() {
    let output = sweepline(&["check", "stop-and-wait.pnml"]);
    assert!(!text(&output.stdout).contains('\x1b'));
    assert!(output.stderr.is_empty());
    let output = sweepline(&["check", "stop-and-wait.pnml", "--color", "always"]);
    assert!(text(&output.stdout).contains("\x1b[1;32mholds"));
}
