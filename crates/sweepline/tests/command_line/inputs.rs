//! What is read, and what is wrong with it.

use sweepline::process::{Equivalence, Lts, minimise, read_aut};

use crate::{exit_code, figures, json, shown, sweepline, text};

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
    let deadlock = ["check", "single-lane-bridge.lts", "--deadlock"];
    assert_eq!(exit_code(&deadlock), 0);
    assert_eq!(exit_code(&["check", "philosophers.lts"]), 1);
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
        for seconds in ["seconds", "load_seconds", "find_seconds"] {
            record[seconds] = 0.into();
        }
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
        out.contains("ERROR     ") && out.contains("error of the model: `n` would become 256"),
        "{out}"
    );
    assert!(
        out.contains("the way to the error at") && out.contains("n = 255"),
        "{out}"
    );
    std::fs::write(&file, program("assert a: n < 255;")).expect("it can be written");
    let out = text(&sweepline(&["check", path, "--reach", "n = 7"]).stdout);
    assert!(
        out.contains("VIOLATED") && out.contains("assert P.a: n < 255"),
        "{out}"
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
fn models_come_from_standard_input() {
    let run = |args: &[&str], file: &str| {
        let file = std::fs::File::open(crate::models().join(file)).expect("it is there");
        let output = crate::command(args).stdin(file).output().expect("it runs");
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    for (file, format) in [
        ("pipeline.pnml", "pnml"),
        ("peterson.dve", "dve"),
        ("bounded-buffer.lts", "lts"),
        ("packet.ss", "ss"),
    ] {
        let (code, out, _) = run(
            &["explore", "-", "--input-format", format, "--format", "json"],
            file,
        );
        assert_eq!(code, Some(0), "{file}");
        let found: serde_json::Value = serde_json::from_str(&out).expect("an object");
        assert_eq!(found["model"], "standard input");
        assert_eq!(
            found["states"],
            json(&["explore", file, "--format", "json"])["states"],
            "{file}"
        );
    }
    assert_eq!(
        run(&["explore", "-"], "pipeline.pnml").0,
        Some(0),
        "it shows what it is"
    );
    let (code, _, err) = run(&["explore", "-", "--input-format", "pnml"], "peterson.dve");
    assert_eq!(code, Some(2));
    assert!(
        err.contains("read as a P/T net in PNML, but looks like a program in"),
        "{err}"
    );
}

/// One mistake, one error, and what was probably meant.
#[test]
fn slips_of_the_pen_are_recognised() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = |parts: &str| format!("byte n; process P {{ {parts} }} system async;");
    for (name, model, expected) in [
        (
            "a.dve",
            program("state a; init a; trans a -> a { guard n = 1; };"),
            "`==` compares",
        ),
        ("b.dve", program("stat a; init a;"), "did you mean `state`?"),
        (
            "c.lts",
            "P = (a -> P).\n|S = (a:P || b:P).".to_owned(),
            "begins with two bars",
        ),
        (
            "d.lts",
            "P(N=1) = (when (N = 1) a -> P).".to_owned(),
            "`==` compares",
        ),
        (
            "e.dve",
            "P = (a -> b -> P).\n".repeat(60),
            "--input-format lts",
        ),
        (
            "f.lts",
            "process P {\n state a;\n".repeat(60),
            "--input-format dve",
        ),
    ] {
        let file = directory.path().join(name);
        std::fs::write(&file, model).expect("it can be written");
        let err = text(&sweepline(&["explore", file.to_str().expect("a text")]).stderr);
        assert!(err.contains(expected), "{err}");
        assert_eq!(err.matches('×').count(), 1, "{err}");
        assert!(err.lines().count() < 30, "{err}");
    }
}

#[test]
fn numbers_are_typed_as_people_type_them() {
    let explored = |states: &str| {
        let args = [
            "explore",
            "stop-and-wait.pnml",
            "--states",
            states,
            "--format",
            "json",
        ];
        json(&args)["explored"].clone()
    };
    assert_eq!(explored("1e3"), 1000);
    assert_eq!(explored("2k"), 2000);
    assert_eq!(explored("10M"), 27_741);
    for wrong in ["", "many", "-1", "1.5"] {
        assert_eq!(
            exit_code(&["explore", "packet.ss", &format!("--states={wrong}")]),
            2,
            "{wrong}"
        );
    }
    let cached = ["explore", "packet.ss", "--method", "caching", "--cache"];
    assert_eq!(exit_code(&[&cached[..], &["0"]].concat()), 2);
    assert_eq!(exit_code(&["compare", "packet.ss", "--cache", "0"]), 2);
    // It would go on for ever otherwise.
    let compared = sweepline(&["compare", "philosophers.lts", "--cache", "5%"]);
    assert_eq!(compared.status.code(), Some(3));
    assert!(
        text(&compared.stdout).contains("(incomplete)"),
        "{}",
        text(&compared.stdout)
    );
}

/// Hidden actions are internal steps to whoever reads the file: minimising gives what the model with these labels hidden
/// afterwards gives.
#[test]
fn hidden_actions_are_internal_in_exported_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("system.lts");
    let path = file.to_str().expect("a text");
    let exported = |hiding: &str| {
        let text = format!(
            "P = (a -> b -> P | c -> d -> P). Q = (b -> e -> Q | d -> Q). R = (e -> f -> R). \
             ||SYSTEM = (P || Q || R){hiding}."
        );
        std::fs::write(&file, text).expect("it can be written");
        let aut = directory.path().join("system.aut");
        let name = aut.to_str().expect("a text");
        assert_eq!(exit_code(&["explore", path, "--export", name]), 0);
        let text = std::fs::read(&aut).expect("it was written");
        read_aut(name, &text[..]).expect("it reads back")
    };
    let whole = exported("");
    for hidden in [&["b"][..], &["b", "d"], &["b", "d", "e", "f"], &["a", "c"]] {
        let lts = exported(&format!("\\{{{}}}", hidden.join(", ")));
        let expected = whole.hidden(&hidden.iter().map(ToString::to_string).collect());
        for how in [Equivalence::Strong, Equivalence::Branching] {
            let (found, expected) = (minimise(&lts, how), minimise(&expected, how));
            let size = |lts: &Lts| (lts.len(), lts.edge_count());
            assert_eq!(size(&found), size(&expected), "{hidden:?}");
        }
        assert!(lts.labels().iter().all(|label| !label.contains('(')));
    }
}

/// A transition of a net is seen by everybody, even if it is called like an internal step.
#[test]
fn actions_that_can_be_seen_stay_visible_in_exported_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let net = directory.path().join("net.pnml");
    let text = "<pnml><net id='n' type='P/T net'><page id='g'><place id='p'><initialMarking><text>1</text></initialMarking>\
                </place><transition id='tau'/><transition id='i'/>\
                <arc id='a' source='p' target='tau'/><arc id='b' source='p' target='i'/></page></net></pnml>";
    std::fs::write(&net, text).expect("it can be written");
    let aut = directory.path().join("net.aut");
    let (net, aut) = (net.to_str().expect("a text"), aut.to_str().expect("a text"));
    assert_eq!(exit_code(&["explore", net, "--export", aut]), 0);
    let lts =
        read_aut(aut, &std::fs::read(aut).expect("it was written")[..]).expect("it reads back");
    assert_eq!(lts.labels(), ["tau", "\\tau", "i"]);
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
        &["check", "philosophers.pnml", "--examination", "StateSpace"],
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
        // A column that decreases is found on the way; nothing else begins.
        let begun = args == ["explore", "philosophers.pnml", "--columns", "e_0"];
        assert_eq!(output.stdout.is_empty(), !begun, "{args:?}");
        all += &shown(args);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}
