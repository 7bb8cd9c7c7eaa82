//! Every model under `models/` has the figures and verdicts that its `.expect.toml` says.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// Runs the command line in the directory of the models and reads its JSON.
fn sweepline(command: &str, model: &str, args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_sweepline"))
        .current_dir(models())
        .args([command, model, "--format", "json"])
        .args(args)
        .output()
        .expect("the command line runs");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!(
            "{model} {args:?}: {error}\n{text}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// Compares every expected figure with the one of the same name.
fn compare(what: &str, expected: &toml::Table, figures: &Value) {
    for (name, value) in expected {
        if let Some(number) = value.as_integer() {
            assert_eq!(figures[name], Value::from(number), "{what}: {name}");
        }
    }
}

fn args(table: &toml::Table) -> Vec<&str> {
    let args = table["args"].as_array().expect("args is a list");
    args.iter()
        .map(|arg| arg.as_str().expect("args are texts"))
        .collect()
}

fn tables<'t>(table: &'t toml::Table, name: &str) -> Vec<&'t toml::Table> {
    let list = table.get(name).and_then(toml::Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(toml::Value::as_table)
        .collect()
}

fn check(model: &str, expected: &toml::Table) {
    compare(
        model,
        expected,
        &sweepline("explore", model, &["--method", "full"]),
    );
    for sweep in tables(expected, "sweep") {
        compare(model, sweep, &sweepline("explore", model, &args(sweep)));
    }
    for property in tables(expected, "property") {
        let result = sweepline("check", model, &args(property));
        let found = named(&result["properties"], property);
        let what = format!("{model} {:?} {:?}", args(property), property.get("name"));
        assert_eq!(
            found["verdict"],
            property["verdict"].as_str().expect("a verdict is a text"),
            "{what}"
        );
        compare(&what, property, found);
    }
}

/// The property with the name that is given, or else the first.
fn named<'r>(properties: &'r Value, expected: &toml::Table) -> &'r Value {
    let Some(name) = expected.get("name") else {
        return &properties[0];
    };
    let mut all = properties.as_array().into_iter().flatten();
    let found = all.find(|property| property["name"].as_str() == name.as_str());
    found.unwrap_or_else(|| panic!("there is no property {name}"))
}

/// `MODEL.expect.toml` or, where two models share a name, `MODEL.EXTENSION.expect.toml`.
fn expectation(model: &Path) -> PathBuf {
    let mut own = model.as_os_str().to_owned();
    own.push(".expect.toml");
    let own = PathBuf::from(own);
    if own.is_file() {
        own
    } else {
        model.with_extension("expect.toml")
    }
}

#[test]
fn models_are_as_expected() {
    let mut checked = 0;
    for entry in models().read_dir().expect("the models are there") {
        let path = entry.expect("it can be listed").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("names are text");
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension
            .is_some_and(|extension| ["pnml", "ss", "dve", "lts", "cpn"].contains(&extension))
        {
            let expect = expectation(&path);
            let text = std::fs::read_to_string(&expect)
                .unwrap_or_else(|error| panic!("{}: {error}", expect.display()));
            check(name, &text.parse().expect("the expectation is well-formed"));
            checked += 1;
        }
    }
    assert!(checked >= 27);
}
