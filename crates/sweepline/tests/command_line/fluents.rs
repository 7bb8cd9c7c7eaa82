//! Formulas over fluents of FSP models.

use crate::{command, directory, shown_in, text};

const SEMAPHORE: &str = "SEMAPHORE(I=1) = SEMA[I],
SEMA[v:0..2] = (when (v<2) up -> SEMA[v+1] | when (v>0) down -> SEMA[v-1]).
LOOP = (mutex.down -> enter -> exit -> mutex.up -> LOOP).
||SEMADEMO(N=2) = (p[1..2]:LOOP || {p[1..2]}::mutex:SEMAPHORE(N)).
fluent CRITICAL[i:1..2] = <p[i].enter, p[i].exit>
assert MUTEX = []!(CRITICAL[1] && CRITICAL[2])
assert ENTER = forall[i:1..2] []<>CRITICAL[i]
";

#[test]
fn formulas_over_fluents_are_answered() {
    let directory = directory(&[("s.lts", SEMAPHORE)]);
    insta::assert_snapshot!(shown_in(&directory, &["check", "s.lts", "-q"]));
    let args = ["check", "s.lts", "--set", "N=1", "-q", "--fair-choice"];
    insta::assert_snapshot!(shown_in(&directory, &args));
    let args = [
        "check",
        "s.lts",
        "--set",
        "N=1",
        "--property",
        "ENTER",
        "-q",
    ];
    insta::assert_snapshot!(shown_in(&directory, &args));
    let args = ["check", "s.lts", "--property", "ENTRE", "-q"];
    insta::assert_snapshot!(shown_in(&directory, &args));
}

#[test]
fn mistakes_in_formulas_are_located() {
    let files = [
        ("unknown.lts", "assert F = [](CRITICAL[1] -> CRITICL[2])\n"),
        ("index.lts", "assert F = []!CRITICAL[3]\n"),
        ("action.lts", "assert F = <>p[1].entr\n"),
        ("broken.lts", "assert F = [](CRITICAL[1] -> )\n"),
    ];
    let files = files.map(|(name, line)| (name, format!("{SEMAPHORE}{line}")));
    let directory = directory(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    for (name, _) in &files {
        insta::assert_snapshot!(shown_in(&directory, &["check", name, "--property", "F"]));
    }
}

#[test]
fn fair_choice_is_about_fluents() {
    let directory = directory(&[("p.lts", "P = (a -> P).\n")]);
    insta::assert_snapshot!(shown_in(&directory, &["check", "p.lts", "--fair-choice"]));
}

#[test]
fn searches_are_compared() {
    let directory = directory(&[("s.lts", SEMAPHORE)]);
    let run = |args: &[&str]| {
        let output = command(args).current_dir(directory.path()).output();
        let output = output.expect("it runs");
        (output.status.code(), text(&output.stdout))
    };
    let args = [
        "compare",
        "s.lts",
        "--property",
        "MUTEX",
        "--format",
        "json",
    ];
    let (code, out) = run(&args);
    assert_eq!(code, Some(0), "{out}");
    let record: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let searches = record["searches"].as_array().expect("a list");
    assert!(searches.len() >= 3, "{out}");
    for search in searches {
        assert_eq!(search["verdict"], "violated", "{out}");
        assert!(search["explored"].as_u64() > Some(0), "{out}");
    }
    let args = ["compare", "s.lts", "--ltl", "G F true", "--format", "csv"];
    let (code, out) = run(&args);
    assert_eq!(code, Some(0), "{out}");
    assert!(
        out.starts_with("question,search,measure,verdict,explored"),
        "{out}"
    );
    assert_eq!(
        out.lines()
            .skip(1)
            .filter(|line| line.contains(",holds,"))
            .count()
            + 1,
        out.lines().count()
    );
    let (code, out) = run(&["compare", "s.lts", "--ltl", "G F true"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("thesis") && out.contains("verdict"), "{out}");
    // Nothing about runs is asked.
    assert_eq!(run(&["compare", "s.lts", "--property", "NONE"]).0, Some(2));
}

/// Two counters side by side; one of them ends at its top.
const GRID: &str = "const N = 100
UP = P[0], P[i:0..N] = (when (i < N) up -> P[i+1] | when (i == N) stay -> P[i] | when (i > 0) down -> P[i-1]).
RIGHT = Q[0], Q[i:0..N] = (when (i < N) right -> Q[i+1] | when (i == N) rest -> Q[i]).
||S = (UP || RIGHT).
progress RIGHT = {right}
progress REST = {rest}
progress IF = if {stay} then {right}
progress THEN = if {right} then {stay}
";

/// Where what is explored cannot be recorded, progress is decided from links on disk.
#[test]
fn progress_is_answered_with_little_memory() {
    let directory = directory(&[("grid.lts", GRID)]);
    let verdicts = |memory: &str| {
        let args = ["check", "grid.lts", "--memory", memory, "--format", "json"];
        let output = command(&args).current_dir(directory.path()).output();
        let out = text(&output.expect("it runs").stdout);
        let record: serde_json::Value = serde_json::from_str(&out).expect(&out);
        let answers = record["properties"].as_array().expect(&out).clone();
        let explored = answers[1]["statistics"]["explored"].as_u64();
        let verdicts = answers.iter().map(|answer| answer["verdict"].to_string());
        (verdicts.collect::<Vec<_>>(), explored, out)
    };
    let (roomy, once, out) = verdicts("1GB");
    assert_eq!(
        roomy[1..],
        ["\"violated\"", "\"holds\"", "\"violated\"", "\"holds\""],
        "{out}"
    );
    let (narrow, twice, out) = verdicts("700kB");
    assert_eq!(narrow, roomy, "{out}");
    assert!(twice > once, "it was explored again: {out}");
}

#[test]
fn constraints_restrict_what_they_are_composed_with() {
    let text = "P = (a -> P | b -> P).
fluent A = <a, b>
constraint FIRST = (!b W a)
assert LATE = (!b W a)
||FREE = P.
||BOUND = (P || FIRST).
";
    let directory = directory(&[("c.lts", text)]);
    let bound = shown_in(&directory, &["check", "c.lts"]);
    assert!(bound.contains("holds     LATE"), "{bound}");
    assert!(!bound.contains("idle_constraint"), "{bound}");
    let args = ["check", "c.lts", "--composition", "FREE"];
    let free = shown_in(&directory, &args);
    assert!(free.contains("VIOLATED  LATE"), "{free}");
    assert!(free.contains("idle_constraint"), "{free}");
}
