//! What is seen on a terminal of some width, and on a pipe.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::thread;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{command, redacted, shown, text};

/// What a terminal of this width shows: both streams, in the order in which they come.
fn on_terminal(width: u16, args: &[&str]) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&master).expect("it is ours");
    unlockpt(&master).expect("it is ours");
    let name = ptsname(&master, Vec::new()).expect("it has a name");
    let flags = OFlags::RDWR | OFlags::NOCTTY;
    let slave: OwnedFd = rustix::fs::open(name, flags, Mode::empty()).expect("it can be opened");
    let size = Winsize {
        ws_row: 40,
        ws_col: width,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&slave, size).expect("it has a size");
    let mut child = command(args)
        .stdout(slave.try_clone().expect("another end of it"))
        .stderr(slave)
        .spawn()
        .expect("it runs");
    // The end of a terminal that nobody holds any more is an error.
    let reader = thread::spawn(move || {
        let (mut file, mut seen) = (File::from(master), Vec::new());
        let _ = file.read_to_end(&mut seen);
        seen
    });
    child.wait().expect("it ends");
    text(&reader.join().expect("it was read")).replace("\r\n", "\n")
}

/// The same without colours, and with what differs from run to run blanked.
fn plainly(width: u16, args: &[&str]) -> String {
    let seen = on_terminal(width, &[args, &["--color", "never"]].concat());
    assert!(!seen.contains('\x1b'), "{seen}");
    seen
}

fn lines_fit(width: u16, seen: &str) {
    for line in seen.lines() {
        assert!(line.chars().count() <= width.into(), "{width}: {line}");
    }
}

const WIDTHS: [u16; 3] = [60, 80, 120];

#[test]
fn figures_and_measures_at_any_width() {
    let mut all = String::new();
    let args = ["explore", "stop-and-wait.pnml"];
    for width in WIDTHS {
        let seen = plainly(width, &args);
        lines_fit(width, &seen);
        let _ = write!(all, "=== {width} columns\n{}", redacted(&seen));
    }
    let _ = write!(all, "=== a pipe\n{}", shown(&args));
    insta::assert_snapshot!(all);
}

/// Measures with hundreds of terms take two lines all the same.
#[test]
fn a_measure_takes_two_lines() {
    for model in [
        &["stop-and-wait.pnml"][..],
        &["two-phase-commit.lts"],
        &["database.dve", "--set", "D=8"],
        &["go-back-n.dve"],
        &["sliding-window.dve"],
    ] {
        for width in WIDTHS {
            let seen = plainly(width, &[&["explore"], model].concat());
            let rest = seen
                .lines()
                .skip_while(|line| !line.starts_with("  measure "));
            let below = rest.skip(1).take_while(|line| line.starts_with("     "));
            assert!(below.count() < 2, "{width}: {seen}");
            lines_fit(width, &seen);
            assert!(
                !seen.contains(" 0 %") && !seen.contains("0.0 % of"),
                "{seen}"
            );
        }
    }
}

#[test]
fn tables_at_any_width() {
    let mut all = String::new();
    for width in WIDTHS {
        for args in [
            &["compare", "packet.ss", "--progress", "progress"][..],
            &["progress", "pipeline.pnml"],
        ] {
            let seen = plainly(width, args);
            let without_flags = seen.lines().filter(|line| !line.starts_with("  flags"));
            let table = without_flags.collect::<Vec<_>>().join("\n");
            lines_fit(width, &table);
            let times = table.split_whitespace().map(|word| {
                // Times and bytes differ from run to run.
                let number = word.trim_end_matches(',').parse::<f64>();
                if number.is_ok() && word.contains('.') {
                    "#"
                } else {
                    word
                }
            });
            let _ = writeln!(all, "=== {width} columns: {}", args[0]);
            all += &times.collect::<Vec<_>>().join(" ");
            all.push('\n');
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn errors_and_failures_at_sixty_columns() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("counter.dve");
    let program = "byte counter_of_messages_in_the_channel = 253;\nprocess P { state a; init a; trans a -> a \
        { effect counter_of_messages_in_the_channel = counter_of_messages_in_the_channel + 1; }; }\nsystem async;";
    std::fs::write(&file, program).expect("it can be written");
    let path = file.to_str().expect("a text");
    let seen = plainly(
        60,
        &[
            "check",
            path,
            "--reach",
            "counter_of_messages_in_the_channel = 7",
        ],
    );
    let rest = seen.lines().skip_while(|line| !line.contains("ERROR"));
    let failed: Vec<&str> = rest.take_while(|line| !line.is_empty()).collect();
    assert!(failed.len() > 1, "{seen}");
    lines_fit(60, &failed.join("\n"));
    let rest = seen
        .lines()
        .skip_while(|line| !line.contains("incomplete:"));
    let unseen: Vec<&str> = rest.take_while(|line| !line.is_empty()).collect();
    assert!(unseen.len() > 1, "{seen}");
    lines_fit(60, &unseen.join("\n"));
    let counted = plainly(60, &["explore", path, "--errors", "count"]);
    let words: Vec<&str> = counted.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("without steps that fail"), "{counted}");
    lines_fit(60, &counted);
}

#[test]
fn help_fits_sixty_columns() {
    for command in [
        &["check"][..],
        &["explore"],
        &["progress"],
        &["compare"],
        &["local"],
        &["graph", "build"],
        &["graph", "info"],
        &["graph", "check"],
        &["graph", "walk"],
        &["graph", "export"],
        &["man"],
        &["completions"],
    ] {
        for flag in ["-h", "--help"] {
            let seen = on_terminal(60, &[command, &[flag, "--color", "never"]].concat());
            lines_fit(60, &seen);
            assert!(seen.contains("Usage: sweepline"), "{seen}");
        }
    }
}

#[test]
fn colours_are_as_wanted_in_diagnostics_too() {
    for wrong in [
        &["check", "philosopher.pnml"][..],
        &["check", "philosophers.pnml", "--nonsense"],
        &["explore", "philosophers.pnml", "--columns", "e_0"],
    ] {
        let colours = |how: &[&str]| on_terminal(80, &[wrong, how].concat()).contains("\x1b[");
        assert!(!colours(&["--color", "never"]), "{wrong:?}");
        assert!(colours(&["--color", "always"]), "{wrong:?}");
        assert!(colours(&[]), "{wrong:?}");
    }
}

/// What is said of runs, of branching time and of processes fits as well.
#[test]
fn later_features_fit_any_width() {
    for args in [
        &["check", "dining-philosophers.dve", "--ltl", "G F deadlock"][..],
        &["check", "philosophers.pnml", "--ctl", "AG EF e_0 = 1"],
        &["check", "stop-and-wait.pnml", "--home", "s_0_20 = 1"],
        &["local", "peterson.dve"],
        &["explore", "database.cpn"],
    ] {
        for width in WIDTHS {
            let seen = plainly(width, args);
            lines_fit(width, &seen);
            assert!(seen.lines().count() > 5, "{seen}");
        }
    }
}

/// The model and the measure are there long before the result.
#[test]
fn a_run_says_what_it_does_when_it_starts() {
    let args = [
        "explore",
        "go-back-n.dve",
        "--set",
        "K=1000",
        "--time",
        "2",
        "--states",
        "1e9",
    ];
    for width in WIDTHS {
        let seen = on_terminal(width, &args);
        let line = seen.find("\r\x1b[K").expect("a progress line");
        let heading = seen.find("  measure ").expect("the measure");
        assert!(heading < line, "{seen}");
        let shown: Vec<&str> = seen.split("\r\x1b[K").skip(1).collect();
        let progress = shown.iter().filter(|line| line.contains(" stored  "));
        for line in progress {
            let line = line.lines().next().unwrap_or(line);
            assert!(line.chars().count() < width.into(), "{width}: {line}");
            assert!(
                line.contains("iB") && line.contains(" stored ") && line.contains("/s"),
                "{line}"
            );
            assert!(!line.contains("100 %"), "{line}");
        }
    }
}
