//! Nothing is lost: files, verdicts, signals.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::{exit_code, ignores_interrupts, models, sweepline, text};

fn path(path: &Path) -> &str {
    path.to_str().expect("a text")
}

/// A shell command line with `$SWEEPLINE`, in the directory of the models.
fn shell(line: &str) -> Output {
    Command::new("sh")
        .args(["-c", line])
        .current_dir(models())
        .env("SWEEPLINE", env!("CARGO_BIN_EXE_sweepline"))
        .output()
        .expect("there is a shell")
}

#[test]
fn a_model_is_not_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let model = directory.path().join("peterson.dve");
    fs::copy(models().join("peterson.dve"), &model).expect("it is there");
    let before = fs::read(&model).expect("it is there");
    let (dve, dot) = (path(&model), directory.path().join("./peterson.dve"));
    let attempts = [
        vec!["check", dve, "-o", dve],
        vec!["check", dve, "-o", path(&dot)],
        vec!["check", dve, "--reach", "false", "--trace-out", dve],
        vec!["explore", dve, "-o", dve],
        vec!["compare", dve, "-o", dve],
        vec!["compare", dve, "--chart", dve],
        vec!["progress", dve, "-o", dve],
    ];
    for args in attempts {
        assert_eq!(exit_code(&args), 2, "{args:?}");
        assert_eq!(fs::read(&model).expect("it is there"), before, "{args:?}");
    }
    assert_eq!(
        fs::read_dir(directory.path()).expect("a directory").count(),
        1
    );
}

/// What was there stays there until there is something to put in its place, and keeps its permissions.
#[test]
fn results_replace_files_as_a_whole() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("result");
    fs::write(&file, "before").expect("it can be written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    assert_eq!(
        exit_code(&["check", "missing.pnml", "--trace-out", path(&file)]),
        2
    );
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "before");
    assert_eq!(exit_code(&["explore", "packet.ss", "-o", path(&file)]), 0);
    let result = fs::read_to_string(&file).expect("it is there");
    assert!(result.contains("states"), "{result}");
    let mode = fs::metadata(&file)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(
        fs::read_dir(directory.path()).expect("a directory").count(),
        1
    );
}

#[test]
fn files_that_cannot_be_written_are_reported_before_the_run() {
    let wrong = "no/such/directory/file";
    let attempts = [
        vec!["check", "packet.ss", "-o", wrong],
        vec!["check", "packet.ss", "-o", "."],
        vec!["check", "packet.ss", "--trace-out", wrong],
        vec!["check", "packet.ss", "--trace-dir", wrong],
        vec!["explore", "packet.ss", "--trace-dir", wrong],
        vec![
            "explore",
            "packet.ss",
            "--export",
            "no/such/directory/file.dot",
        ],
        vec!["explore", "packet.ss", "--export", "packet.ss"],
        vec!["compare", "packet.ss", "--chart", wrong],
    ];
    for args in attempts {
        let output = sweepline(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(text(&output.stdout), "", "nothing was explored: {args:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn a_trace_that_cannot_be_written_does_not_lose_the_verdict() {
    let output = sweepline(&[
        "check",
        "philosophers.pnml",
        "--deadlock",
        "--trace-out",
        "/dev/full",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.contains("VIOLATED"), "{out}");
    assert!(err.contains("cannot write `/dev/full`"), "{err}");
    // Nor does a file for the result, which is printed instead.
    let output = sweepline(&[
        "check",
        "philosophers.pnml",
        "--deadlock",
        "-o",
        "/dev/full",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("VIOLATED"));
    let output = shell("$SWEEPLINE check philosophers.pnml --deadlock > /dev/full");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot write the result"));
}

/// A limit on the size of files ends the trace log and not the run.
#[test]
fn a_limit_on_files_does_not_end_the_run() {
    let output =
        shell("ulimit -f 8; $SWEEPLINE check go-back-n.dve --set K=60 --invariant 'Sender.b < 60'");
    assert_eq!(output.status.code(), Some(1), "{:?}", output.status);
    let out = text(&output.stdout);
    assert!(
        out.contains("VIOLATED") && out.contains("the trace is lost"),
        "{out}"
    );
}

/// Only the first trace is wanted.
#[test]
fn the_trace_of_a_later_model_does_not_replace_the_first() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.json");
    let args = [
        "check",
        "philosophers.pnml",
        "packet.ss",
        "--deadlock",
        "--trace-out",
    ];
    assert_eq!(exit_code(&[&args[..], &[path(&file)]].concat()), 1);
    let trace: Value =
        serde_json::from_slice(&fs::read(&file).expect("it was written")).expect("JSON");
    assert_eq!(trace["initial"]["f_0"], 1);
}

/// A net that never ends, in a directory that must be kept.
fn endless() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let net = directory.path().join("endless.pnml");
    let place = |id: &str| {
        format!(
            "<place id='{id}'/><transition id='t{id}'/><arc id='a{id}' source='t{id}' target='{id}'/>"
        )
    };
    let places: String = ["a", "b", "c", "d", "e"].into_iter().map(place).collect();
    let text =
        format!("<pnml><net id='n' type='P/T net'><page id='g'>{places}</page></net></pnml>");
    fs::write(&net, text).expect("it can be written");
    let path = path(&net).to_owned();
    (directory, path)
}

/// Sends a signal to a run that never ends, started by a shell line; then SIGTERM, until it has ended.
fn signalled(line: &str, signal: &str) -> (Option<i32>, Value) {
    let (_directory, net) = endless();
    let child = Command::new("sh")
        .args(["-c", line, "sh", &net])
        .env("SWEEPLINE", env!("CARGO_BIN_EXE_sweepline"))
        .stdout(std::process::Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("it starts");
    let kill = |signal: &str| {
        std::thread::sleep(std::time::Duration::from_millis(300));
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.expect("kill is there").success());
    };
    kill(signal);
    if signal == "-HUP" {
        kill("-TERM");
    }
    let output = child.wait_with_output().expect("it ends");
    let record = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), record)
}

#[test]
fn signals_end_a_run_with_what_is_known() {
    let run = "exec $SWEEPLINE explore $1 --memory 4G --format json --progress none";
    let interrupt = (!ignores_interrupts()).then_some("-INT");
    for signal in interrupt.into_iter().chain(["-TERM"]) {
        let (code, record) = signalled(run, signal);
        assert_eq!(code, Some(3), "{signal}");
        assert_eq!(record["reason"], "interrupted", "{signal}");
    }
}

/// `nohup` means that a hangup does not matter: had it ended the run, the next signal would have come too late.
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let run = "trap '' HUP; exec $SWEEPLINE explore $1 --memory 4G --format json --progress none";
    let (code, record) = signalled(run, "-HUP");
    assert_eq!((code, &record["reason"]), (Some(3), &"interrupted".into()));
}

/// What is written goes into a pipe that nobody empties before the signal is sent, so that it cannot come too late.
#[test]
fn signals_end_the_export_of_a_graph() {
    let directory = tempfile::tempdir().expect("a directory");
    let graph = directory.path().join("g.swg");
    let model = "stop-and-wait.dve";
    assert_eq!(
        exit_code(&["graph", "build", model, "-q", "-o", path(&graph)]),
        0
    );
    let whole = directory.path().join("whole.graphml");
    assert_eq!(
        exit_code(&["graph", "export", path(&graph), path(&whole)]),
        0
    );
    let pipe = directory.path().join("pipe.graphml");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let child = crate::command(&["graph", "export", path(&graph), path(&pipe)])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut reader = fs::File::open(&pipe).expect("it is opened for writing, too");
    let sent = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill is there").success());
    let mut written = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut written).expect("it can be read");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("interrupted"));
    let all = fs::metadata(&whole).expect("it was written").len();
    assert!(
        (written.len() as u64) < all / 2,
        "{} of {all}",
        written.len()
    );
}
