//! What people see when a file is wrong.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use sweepline_net::{PetriNet, PnmlOptions, family, read_pnml, read_properties};

fn rendered(error: &dyn Diagnostic) -> String {
    let handler =
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(80);
    let mut out = String::new();
    handler.render_report(&mut out, error).unwrap();
    // Some lines of a report end in spaces, which editors like to remove.
    out.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// Pieces of text for 0, 1, …, one after the other.
fn repeated(count: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        text.push_str(&piece(i));
    }
    text
}

fn bad_files(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn read_bad_net(name: &str, bytes: &[u8]) -> String {
    let errors = read_pnml(name, bytes, &PnmlOptions::default()).unwrap_err();
    rendered(&errors)
}

fn small_net() -> PetriNet {
    let mut net = PetriNet::builder("n");
    let buffer = net.place("buffer", 0);
    net.place_named("q1", "full", 0);
    net.place_named("q2", "full", 0);
    net.rule("take", &[buffer], &[]);
    net.build().unwrap()
}

#[test]
fn bad_nets() {
    for path in bad_files("pnml") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let report = read_bad_net(name, &std::fs::read(&path).unwrap());
        insta::assert_snapshot!(name, report);
    }
}

#[test]
fn bad_properties() {
    for path in bad_files("xml") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let report = match read_properties(name, &bytes, &small_net()) {
            Err(errors) => rendered(&errors),
            Ok(set) => rendered(&set.complete().unwrap_err()),
        };
        insta::assert_snapshot!(name, report);
    }
}

#[test]
fn bytes_that_are_no_text() {
    insta::assert_snapshot!(read_bad_net(
        "latin.pnml",
        b"<pnml>\n  <!-- gr\xFC\xDFe -->\n</pnml>\n"
    ));
}

#[test]
fn unknown_encodings() {
    let file = b"<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>\n<pnml/>\n";
    insta::assert_snapshot!(read_bad_net("japanese.pnml", file));
}

#[test]
fn unknown_net_ids() {
    let file = br#"<pnml><net id="first"/><net id="second"/></pnml>"#;
    let options = PnmlOptions {
        net: Some("secnd".into()),
    };
    insta::assert_snapshot!(rendered(
        &read_pnml("two.pnml", file, &options).unwrap_err()
    ));
}

#[test]
fn very_long_lines_are_cut() {
    let many = repeated(5000, |i| format!(r#"<place id="p{i}"/>"#));
    let file =
        format!(r#"<pnml><net id="n">{many}<arc id="a" source="p0" target="q"/></net></pnml>"#);
    insta::assert_snapshot!(read_bad_net("long.pnml", file.as_bytes()));
}

/// Reads hostile input and makes sure that it takes no time to speak of.
fn read_quickly(text: &str) -> String {
    let started = Instant::now();
    let message = match read_pnml("hostile.pnml", text.as_bytes(), &PnmlOptions::default()) {
        Ok(_) => "fine".to_owned(),
        Err(errors) => errors.errors()[0].to_string(),
    };
    assert!(started.elapsed() < Duration::from_secs(10), "{message}");
    message
}

#[test]
fn deep_nesting_is_refused() {
    let deep = "<page id='p'>".repeat(100_000) + &"</page>".repeat(100_000);
    let text = format!("<pnml><net id='n'>{deep}</net></pnml>");
    assert_eq!(
        read_quickly(&text),
        "elements are nested more than 1000 levels deep"
    );
}

#[test]
fn deep_nesting_within_the_limit_is_read() {
    let deep = "<page id='p'>".repeat(990) + "<place id='q'/>" + &"</page>".repeat(990);
    assert_eq!(
        read_quickly(&format!("<pnml><net id='n'>{deep}</net></pnml>")),
        "fine"
    );
}

#[test]
fn deep_formulas_are_read() {
    let deep = "<negation>".repeat(990) + "<deadlock/>" + &"</negation>".repeat(990);
    let text = format!(
        "<property-set><property><id>p</id><formula>{deep}</formula></property></property-set>"
    );
    let set = read_properties("deep.xml", text.as_bytes(), &family::philosophers(2)).unwrap();
    assert_eq!(set.properties.len(), 1);
}

#[test]
fn equivalences_of_path_formulas_do_not_explode() {
    let path = "<exists-path><finally><deadlock/></finally></exists-path>";
    let deep = "<equivalence>".repeat(300) + path + &format!("{path}</equivalence>").repeat(300);
    let text = format!(
        "<property-set><property><id>p</id><formula>{deep}</formula></property></property-set>"
    );
    let errors =
        read_properties("deep.xml", text.as_bytes(), &family::philosophers(2)).unwrap_err();
    assert_eq!(
        errors.errors()[0].to_string(),
        "property `p`: too many nested `equivalence`s of path formulas"
    );
}

#[test]
fn very_many_attributes_are_refused() {
    let attributes = repeated(100_000, |i| format!(" a{i}=''"));
    let message = "more than 200 attributes in one element or prefixes in one file";
    assert_eq!(read_quickly(&format!("<pnml{attributes}/>")), message);
    let prefixes = repeated(100_000, |i| format!("<a xmlns:p{i}='u'>"));
    assert_eq!(read_quickly(&prefixes), message);
}

#[test]
fn long_chains_of_references_are_followed() {
    let chain = repeated(100_000, |i| {
        format!("<referencePlace id='r{i}' ref='r{}'/>", i + 1)
    });
    let rest = "<place id='r100000'/><transition id='t'/><arc source='r0' target='t'/>";
    assert_eq!(
        read_quickly(&format!("<pnml><net id='n'>{chain}{rest}</net></pnml>")),
        "fine"
    );
}

#[test]
fn very_many_errors_take_no_time() {
    let places = repeated(50_000, |i| format!("<place id='place{i}'/>"));
    let arcs = repeated(50_000, |i| format!("<arc source='plaice{i}' target='t'/>"));
    let text = format!("<pnml><net id='n'>{places}<transition id='t'/>{arcs}</net></pnml>");
    assert_eq!(read_quickly(&text), "an arc has unknown source `plaice0`");
}

#[test]
fn formulas_with_very_many_operands_are_read() {
    let tokens = "<tokens-count><place>th_0</place></tokens-count>".repeat(100_000);
    for operator in ["integer-sum", "integer-product", "integer-difference"] {
        let text = format!(
            "<property-set><property><id>p</id><formula><integer-le><{operator}>{tokens}</{operator}>
            <integer-constant>1</integer-constant></integer-le></formula></property></property-set>"
        );
        let set = read_properties("many.xml", text.as_bytes(), &family::philosophers(2)).unwrap();
        assert_eq!(set.properties.len(), 1);
    }
}
