//! No input makes a parser panic: mutations of good files, and noise. A short version of the fuzz targets.

use proptest::prelude::*;
use sweepline::core::{Steps, System};
use sweepline::dve::{LoadOptions, read_dve, read_goals};
use sweepline::graph::read_ss;
use sweepline::logic::{
    Source, parse_expr, parse_formula, parse_pred, read_automaton, read_formulas,
};
use sweepline::net::{PnmlOptions, family, read_pnml, read_properties, write_pnml};
use sweepline::process::{NetworkSystem, read_aut, read_network};
use sweepline::text::decode;

const SS: &[u8] = include_bytes!("../../../../models/packet.ss");
const AUTOMATON: &[u8] = include_bytes!("../../../../models/packet.automaton");
const PETERSON: &[u8] = include_bytes!("../../../../models/peterson.dve");
const PROPERTIES: &[u8] = include_bytes!("../../../../models/stop-and-wait.xml");

const NETWORK: &[u8] =
    b"# two of a kind\nleft = c.aut relabel a/b, \"x y\"/a\nc.aut hide a\nhide b\nlow \"x y\"\n";
const FORMULAS: &[u8] = b"# what should hold\nEF (p and x > 3)\nAG not deadlock\n";
const FAMILY: &[u8] =
    b"<model><ap><ap-name>g</ap-name><ap-expression>P_0.CS + P_1.CS > N</ap-expression></ap>
    <property id='1' prop-type='reachability'><formula>g</formula></property>
    <instance id='1'><parameters>N=1</parameters></instance></model>";

/// A change to a file: bytes are overwritten, removed, doubled or inserted somewhere.
#[derive(Clone, Debug)]
struct Mutation {
    at: prop::sample::Index,
    length: usize,
    kind: u8,
    bytes: Vec<u8>,
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4),
        prop::sample::select(vec![
            b"<".to_vec(),
            b"/>".to_vec(),
            b"&amp;".to_vec(),
            b"-1".to_vec(),
            b"99999999999999999999".to_vec(),
            b"\"".to_vec(),
            b"!".to_vec(),
            b"#".to_vec(),
            b"(((".to_vec(),
            b"<!DOCTYPE x [<!ENTITY a 'b'>]>".to_vec(),
        ]),
    ];
    let mutation = (any::<prop::sample::Index>(), 0..20_usize, 0..4_u8, piece).prop_map(
        |(at, length, kind, bytes)| Mutation {
            at,
            length,
            kind,
            bytes,
        },
    );
    prop::collection::vec(mutation, 0..6)
}

fn mutated(original: &[u8], mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for Mutation {
        at,
        length,
        kind,
        bytes: piece,
    } in mutations
    {
        let start = at.index(bytes.len() + 1);
        let end = (start + length).min(bytes.len());
        match kind {
            0 => drop(bytes.splice(start..end, piece.iter().copied())),
            1 => drop(bytes.drain(start..end)),
            2 => {
                let copy = bytes[start..end].to_vec();
                drop(bytes.splice(start..start, copy));
            }
            _ => drop(bytes.splice(start..start, piece.iter().copied())),
        }
    }
    bytes
}

/// Reads bytes as everything that can be read; results do not matter, returning does.
fn read_all(bytes: &[u8]) {
    let net = family::philosophers(2);
    let _ = read_aut("x.aut", bytes);
    let _ = read_pnml("x.pnml", bytes, &PnmlOptions::default());
    let _ = read_properties("x.xml", bytes, &net);
    if let Ok(source) = decode("x.ss", bytes.to_vec()) {
        let _ = read_ss(&source);
        let _ = read_automaton(&source);
        let _ = read_formulas(&source);
        let _ = read_dve(&source, &LoadOptions::default());
        let _ = read_goals(&source, "1");
        read_components(&source);
        read_text(&source);
    }
}

/// Reads a network of components that are all the same, and takes a step of it.
fn read_components(source: &Source) {
    let component = &b"des (0, 3, 2)\n(0, a, 1)\n(0, i, 0)\n(1, b, 0)\n"[..];
    let network = read_network(source, &mut |file| Ok(read_aut(file, component)?));
    if let Ok(network) = network {
        let system = NetworkSystem::new(&network);
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let state = steps.target(0).to_vec();
        system.successors(&state, &mut steps);
    }
}

#[test]
fn the_files_themselves_are_right() {
    let source = |bytes: &[u8]| decode("x", bytes.to_vec()).unwrap();
    assert!(read_goals(&source(FAMILY), "1").is_ok());
    assert_eq!(read_formulas(&source(FORMULAS)).unwrap().len(), 2);
    let component = &b"des (0, 2, 2)\n(0, a, 1)\n(1, b, 0)\n"[..];
    let network = read_network(&source(NETWORK), &mut |file| Ok(read_aut(file, component)?));
    assert_eq!(network.unwrap().components.len(), 2);
}

fn read_text(source: &Source) {
    let _ = parse_expr(source);
    let _ = parse_formula(source);
    if let Ok(pred) = parse_pred(source) {
        let printed = pred.to_string();
        let again = parse_pred(printed.as_str()).expect("what is printed can be read");
        assert_eq!(again.to_string(), printed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn mutated_files(mutations in mutations()) {
        let net = write_pnml(&family::philosophers(2));
        for original in [
            net.as_bytes(), SS, AUTOMATON, PETERSON, PROPERTIES, NETWORK, FORMULAS, FAMILY,
        ] {
            read_all(&mutated(original, &mutations));
        }
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn noise_made_of_words(words in prop::collection::vec(prop::sample::select(vec![
        "a", "b[1]", "\"odd name\"", "12", "-", "+", "*", "/", "%", "(", ")", "and", "or", "not", "->", "<->", "==",
        "!=", "<", "<=", "fireable(", "deadlock", "true", "EF", "AG", ",", "sum(", "initially(", "'", "`",
    ]), 0..12)) {
        read_text(&words.join(" ").as_str().into());
    }
}
