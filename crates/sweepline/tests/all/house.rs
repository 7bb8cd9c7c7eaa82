//! The rules of the house, as ARCHITECTURE.md tells them, read off the sources of the workspace.
//!
//! Sources are read as text: comments and the tests at the end of a file are left out, and what remains is searched.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates that explore and judge, whatever the model is written in.
const ENGINES: [&str; 2] = ["explore", "check"];

/// Crates that read or run models of one kind.
const LANGUAGES: [&str; 8] = [
    "net", "cpn", "process", "fsp", "dve", "program", "model", "derive",
];

/// Crates that both sides build on.
const FOUNDATION: [&str; 5] = ["core", "text", "logic", "graph", "report"];

/// Crates that bring both sides together.
const ROOF: [&str; 4] = ["progress", "reduce", "session", "sweepline"];

/// Crates that use nothing of ours.
const ALONE: [&str; 4] = ["core", "text", "report", "derive"];

/// Every function that reads what a user wrote, and the fuzz target that calls it.
const PARSERS: [(&str, &str); 26] = [
    ("read_pnml", "pnml"),
    ("read_cpn", "cpn"),
    ("read_properties", "properties"),
    ("read_dve", "dve"),
    ("read_goals", "goal"),
    ("read_family", "goal"),
    ("parse_goal", "goal"),
    ("read_fsp", "fsp"),
    ("read_aut", "aut"),
    ("read_aut_within", "aut"),
    ("read_network", "network"),
    ("read_network_within", "network"),
    ("read_ss", "explicit"),
    ("of_unchecked_bytes", "graph"), // what opens a graph file
    ("read_automaton", "automaton"),
    ("read_formulas", "formula"),
    ("parse_formula", "formula"),
    ("parse_property", "formula"),
    ("parse_ctl", "ctl"),
    ("parse_ltl", "ltl"),
    ("read_omega", "omega"),
    ("parse_pred", "predicate"),
    ("parse_definition", "predicate"),
    ("parse_expr", "measure"),
    ("parse_exprs", "measure"),
    ("parse", "measure"), // `Coordinate::parse`
];

/// Files in which `unsafe` is allowed.
const UNSAFE: [&str; 4] = [
    "crates/sweepline-explore/src/memory.rs",
    "crates/sweepline-graph/src/stored/mapping.rs",
    "crates/sweepline-program/src/jit/native.rs",
    "crates/sweepline-reduce/src/newer.rs",
];

/// Where it says what the machine-readable output looks like.
const SCHEMAS: &str = "crates/sweepline-session/src/record";

/// Files that make traces: replay does, and a product projects one of its own, which is replayed before it counts.
const TRACES: [&str; 3] = [
    "crates/sweepline-core/src/trace.rs",
    "crates/sweepline-explore/src/replay.rs",
    "crates/sweepline-logic/src/place.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A source file: its path below the root, and its code.
struct File {
    path: String,
    code: String,
}

impl File {
    fn is_command_line(&self) -> bool {
        ["crates/sweepline/src/main.rs", "crates/sweepline/src/cli/"]
            .iter()
            .any(|folder| self.path.starts_with(folder))
    }

    /// Whether it belongs to a language or to what languages are built on.
    fn is_below_engines(&self) -> bool {
        let name = self.path.split('/').nth(1).map(short).unwrap_or_default();
        LANGUAGES.contains(&&*name) || FOUNDATION.contains(&&*name)
    }

    /// The lines in which one of these stands as a word, with their places.
    fn lines_with(&self, words: &[&str]) -> Vec<String> {
        let found = |line: &&str| words.iter().any(|word| has_word(line, word));
        let lines = self.code.lines().filter(found);
        lines
            .map(|line| format!("{}: {}", self.path, line.trim()))
            .collect()
    }
}

/// Whether a word stands in a line with nothing of a name on either side.
fn has_word(line: &str, word: &str) -> bool {
    let of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let open = word.starts_with(of_name) && before.ends_with(of_name);
        let on = word.ends_with(of_name) && after.starts_with(of_name);
        !open && !on
    })
}

/// The code of all crates, without comments and tests.
fn sources() -> Vec<File> {
    let mut files = Vec::new();
    for folder in folders(&root().join("crates")) {
        collect(&folder.join("src"), &mut files);
    }
    assert!(files.len() > 100, "only {} files were found", files.len());
    files
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn collect(folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        let name = path
            .file_name()
            .expect("files have names")
            .to_string_lossy();
        if path.is_dir() {
            if name != "tests" {
                collect(&path, files);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "testing.rs" {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let shown = path.strip_prefix(root()).expect("it lies below the root");
            files.push(File {
                path: shown.to_string_lossy().replace('\\', "/"),
                code: code(&text),
            });
        }
    }
}

/// A text without its comments, and without the tests at its end.
fn code(text: &str) -> String {
    let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..tests].lines();
    let code = lines.filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// The crates of ours that a manifest names as dependencies, those of tests excepted, without the common prefix.
fn dependencies(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("Cargo.toml")).expect("every crate has a manifest");
    let manifest: toml::Table = text.parse().expect("the manifest is TOML");
    let Some(table) = manifest.get("dependencies") else {
        return Vec::new();
    };
    let names = table.as_table().expect("dependencies are a table").keys();
    names
        .filter(|name| name.starts_with("sweepline"))
        .map(|name| short(name))
        .collect()
}

fn short(name: &str) -> String {
    name.strip_prefix("sweepline-").unwrap_or(name).to_string()
}

fn nothing(found: &[String], rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

#[test]
fn only_the_command_line_speaks_to_the_world() {
    const WORLD: [&str; 10] = [
        "std::env",
        "env::var",
        "env::var_os",
        "env::args",
        "println!",
        "print!",
        "eprintln!",
        "eprint!",
        "process::exit",
        "io::stdin",
    ];
    const STREAMS: [&str; 4] = ["io::stdout", "io::stderr", "stdout()", "stderr()"];
    let below = sources().into_iter().filter(|file| !file.is_command_line());
    let found =
        below.flat_map(|file| [file.lines_with(&WORLD), file.lines_with(&STREAMS)].concat());
    nothing(
        &found.collect::<Vec<_>>(),
        "nothing below the command line prints, reads the environment or exits",
    );
}

#[test]
fn engines_and_languages_do_not_know_each_other() {
    let mut found = Vec::new();
    for folder in folders(&root().join("crates")) {
        let name = short(
            &folder
                .file_name()
                .expect("crates have names")
                .to_string_lossy(),
        );
        let forbidden: Vec<&str> = match &name[..] {
            name if ALONE.contains(&name) => {
                [&ENGINES[..], &LANGUAGES, &FOUNDATION, &ROOF].concat()
            }
            name if ENGINES.contains(&name) => [&LANGUAGES[..], &ROOF].concat(),
            name if LANGUAGES.contains(&name) => [&ENGINES[..], &ROOF].concat(),
            name if FOUNDATION.contains(&name) => [&ENGINES[..], &LANGUAGES, &ROOF].concat(),
            name if ROOF.contains(&name) => Vec::new(),
            name => panic!("say in this test where the crate `{name}` belongs"),
        };
        let known = dependencies(&folder);
        let wrong = known
            .iter()
            .filter(|known| forbidden.contains(&known.as_str()));
        found.extend(wrong.map(|known| format!("{name} depends on {known}")));
    }
    nothing(&found, "no engine names a language, no front end an engine");
}

#[test]
fn every_parser_has_a_fuzz_target() {
    let fuzz = root().join("fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).expect("there is a manifest");
    for (parser, target) in PARSERS {
        let path = format!("fuzz_targets/{target}.rs");
        assert!(
            manifest.contains(&format!("\"{path}\"")),
            "{target} is not built"
        );
        let text = fs::read_to_string(fuzz.join(path)).expect("the target has a file");
        let general = parser.trim_end_matches("_within"); // the same without limits
        assert!(
            has_word(&code(&text), general),
            "{target} does not call {parser}"
        );
    }
    let listed: BTreeSet<&str> = PARSERS.iter().map(|(parser, _)| *parser).collect();
    for file in sources().into_iter().filter(File::is_below_engines) {
        for parser in public_parsers(&file.code) {
            let path = &file.path;
            assert!(
                listed.contains(parser),
                "{path}: `{parser}` has no fuzz target in the list"
            );
        }
    }
}

/// Public functions whose names say that they read a text.
fn public_parsers(code: &str) -> impl Iterator<Item = &str> {
    let functions = code
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("pub fn "));
    let names = functions.map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    });
    names.filter(|name| *name == "parse" || name.starts_with("parse_") || name.starts_with("read_"))
}

#[test]
fn unsafe_code_has_its_files() {
    let others = sources()
        .into_iter()
        .filter(|file| !UNSAFE.contains(&&*file.path));
    let found: Vec<String> = others
        .flat_map(|file| file.lines_with(&["unsafe"]))
        .collect();
    nothing(
        &found,
        "`unsafe` is in the store's memory, in mapped files, in compiled code and where bits are counted only",
    );
    for path in UNSAFE {
        assert!(root().join(path).is_file(), "{path} is gone");
    }
}

#[test]
fn schemas_have_one_place() {
    let elsewhere = |file: &File| !file.path.starts_with(SCHEMAS);
    let derives = |line: &&str| line.contains("derive(") && has_word(line, "Serialize");
    let mut found = Vec::new();
    for file in sources().into_iter().filter(elsewhere) {
        let lines = file.code.lines().filter(derives);
        found.extend(lines.map(|line| format!("{}: {}", file.path, line.trim())));
    }
    nothing(
        &found,
        "serialised formats are types of their own, in one place",
    );
}

#[test]
fn only_replay_makes_traces() {
    let others = sources()
        .into_iter()
        .filter(|file| !TRACES.contains(&&*file.path));
    let found: Vec<String> = others
        .flat_map(|file| file.lines_with(&["Trace {"]))
        .collect();
    let made = found
        .into_iter()
        .filter(|line| !line.contains("for ") && !line.contains("-> "));
    nothing(
        &made.collect::<Vec<_>>(),
        "only `replay` turns a path into a trace",
    );
}

#[test]
fn measures_are_found_without_a_clock() {
    let progress = sources()
        .into_iter()
        .filter(|file| file.path.contains("sweepline-progress/"));
    let found: Vec<String> = progress
        .flat_map(|file| file.lines_with(&["Instant", "SystemTime"]))
        .collect();
    nothing(&found, "`sweepline-progress` looks at no clock");
}

#[test]
fn the_search_finds_what_it_should() {
    let text = "/// println!(\"an example\")\nfn f() { println!(\"x\"); }\n#[cfg(test)]\nmod tests {\n    unsafe {}\n}\n";
    let file = File {
        path: "f.rs".into(),
        code: code(text),
    };
    assert_eq!(file.lines_with(&["println!"]).len(), 1);
    assert!(file.lines_with(&["unsafe"]).is_empty());
    assert!(!has_word("deny(unsafe_code)", "unsafe") && has_word("{ unsafe {", "unsafe"));
    assert!(!has_word("eprintln!()", "println!") && has_word("x::io::stdin()", "io::stdin"));
    let parsers: Vec<&str> =
        public_parsers("pub fn read_x(a)\npub fn reads()\n    pub fn parse<T>()").collect();
    assert_eq!(parsers, ["read_x", "parse"]);
}

/// Flags of other programs that are named in messages.
const OF_OTHERS: [&str; 1] = ["--tgba"];

/// What messages recommend is there: every flag that any of them names is one of the command line.
#[test]
fn flags_that_are_named_exist() {
    let mut known = BTreeSet::new();
    let commands = [
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
    ];
    for command in commands {
        let help = std::process::Command::new(env!("CARGO_BIN_EXE_sweepline"))
            .args(command)
            .arg("--help")
            .output()
            .expect("it runs");
        known.extend(flags(&String::from_utf8_lossy(&help.stdout)));
    }
    assert!(known.len() > 40, "{known:?}");
    for file in sources() {
        let texts = file.code.lines().filter(|line| line.contains('"'));
        for flag in texts.flat_map(flags) {
            let is_known = known.contains(&flag) || OF_OTHERS.contains(&&*flag);
            assert!(is_known, "{}: nothing has a flag {flag}", file.path);
        }
    }
}

/// The long flags in a text.
fn flags(text: &str) -> Vec<String> {
    let starts = text.match_indices("--").filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '<')
    });
    let names = starts.filter_map(|(at, dashes)| {
        let rest = &text[at + dashes.len()..];
        let of_name = |c: char| c.is_ascii_lowercase() || c == '-';
        let name = &rest[..rest.find(|c| !of_name(c)).unwrap_or(rest.len())];
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase());
        is_name.then(|| format!("--{}", name.trim_end_matches('-')))
    });
    names.collect()
}
