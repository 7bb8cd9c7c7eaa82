//! Models with random mistakes in them: a net whose first states can be shown, or messages.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use sweepline_core::{Describe, Steps, System};
use sweepline_cpn::{LoadOptions, TimeMode, read_cpn};

fn models() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let names = ["limit-protocol", "database", "sliding-window", "key-lock"];
    let paths = names.map(|name| folder.join(format!("{name}.cpn")));
    paths
        .map(|path| fs::read(path).expect("what the test uses is right"))
        .to_vec()
}

/// What may stand where something else has stood.
const PIECES: [&str; 18] = [
    "",
    "&lt;",
    "(",
    ")",
    "[",
    "]",
    "1`",
    "~1",
    "empty",
    "n",
    "@+",
    "::",
    "fn x =&gt; x",
    "\"",
    "<id>INT</id>",
    "</place>",
    "PtoT",
    "ID3",
];

/// Replaces some bytes of a model.
fn spoilt(mut bytes: Vec<u8>, mistakes: &[(usize, usize, usize)]) -> Vec<u8> {
    for &(at, length, piece) in mistakes {
        let at = at % (bytes.len() + 1);
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, PIECES[piece].bytes());
    }
    bytes
}

/// Goes a few steps.
fn walk(bytes: &[u8], time: TimeMode) {
    let options = LoadOptions {
        time,
        random: true,
        ..LoadOptions::default()
    };
    let Ok(cpn) = read_cpn("spoilt.cpn", bytes, &options) else {
        return;
    };
    let mut steps = Steps::for_layout(cpn.system.layout());
    cpn.system.initial(&mut steps);
    for step in 0..10 {
        if steps.is_empty() || steps.fault().is_some() {
            return;
        }
        let chosen = step % steps.len();
        let state = steps.target(chosen).to_vec();
        cpn.system.show(&state);
        steps.clear();
        cpn.system.successors(&state, &mut steps);
        for (ordinal, action) in steps.actions().iter().enumerate().take(3) {
            cpn.system.step_name(&state, ordinal, *action);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_mistake_makes_reading_panic(
        model in 0usize..4,
        mistakes in prop::collection::vec((0usize..200_000, 0usize..12, 0..PIECES.len()), 1..6),
        time in prop_oneof![Just(TimeMode::Absolute), Just(TimeMode::Relative)],
    ) {
        walk(&spoilt(models().swap_remove(model), &mistakes), time);
    }

    /// Most bytes of a model are about how it looks, so mistakes are made in the texts that count as well.
    #[test]
    fn no_mistake_in_a_text_makes_reading_panic(
        model in 0usize..4,
        mistakes in prop::collection::vec((0usize..1000, 0usize..6, 0..PIECES.len()), 1..4),
    ) {
        let bytes = models().swap_remove(model);
        let text = String::from_utf8(bytes).expect("what the test uses is right");
        let starts: Vec<usize> = [">\n", "4.0.1\">", "<ml id"]
            .iter()
            .flat_map(|mark| text.match_indices(mark).map(|(at, mark)| at + mark.len()))
            .collect();
        let placed: Vec<(usize, usize, usize)> = mistakes
            .iter()
            .map(|&(at, length, piece)| (starts[(at * 7919) % starts.len()] + at % 9, length, piece))
            .collect();
        walk(&spoilt(text.into_bytes(), &placed), TimeMode::Ready);
    }
}
