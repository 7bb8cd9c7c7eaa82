//! Links that there is no room for lie on disk.

use std::sync::Arc;

use sweepline_core::StopReason;
use sweepline_explore::{End, LogPlace, Options};
use sweepline_logic::ltl::translate;

use super::model::{Coded, Measure, Method, Model};
use crate::ltl::claim::{Claim, Fairness};
use crate::ltl::liveness::Status;
use crate::ltl::sweeping::{ProductAnswer, check_product};

const NODES: u8 = 250;
const RINGS: usize = 40;

/// Rings one behind the other, each of which can be left at its first state. The label is somewhere in every ring but one.
fn rings(without: Option<usize>) -> Model {
    let nodes = usize::from(NODES);
    let count = nodes * RINGS;
    let next = |at: usize| at / nodes * nodes + (at + 1) % nodes;
    let edges: Vec<Vec<usize>> = (0..count)
        .map(|at| match at % nodes {
            0 if at + nodes < count => vec![next(at), at + nodes],
            _ => vec![next(at)],
        })
        .collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let labelled = |at: usize| at % nodes == 77 && without != Some(at / nodes);
    let labels: Vec<u8> = (0..count).map(|at| u8::from(labelled(at))).collect();
    let mut model = Model::plain(&edges, &labels);
    model.rows[0] = (0..count).map(|at| (at % nodes) as u8).collect();
    model
}

/// Whether the label recurs on every run.
fn check(model: &Model, method: Method, memory: usize, log: LogPlace) -> ProductAnswer {
    let ltl = sweepline_logic::parse_ltl("G F a").unwrap().ltl;
    let claim = Claim {
        automaton: Arc::new(translate(&ltl.negated()).unwrap()),
        atoms: vec![0],
    };
    let model = Arc::new(model.clone());
    let coded = Coded::new(&model, None);
    let tests = model.tests(&coded.layout);
    let measure = Measure {
        model: Arc::clone(&model),
        layout: coded.layout.clone(),
        method,
    };
    let options = Options {
        log,
        ..Options::default()
    };
    let fairness = Fairness::default();
    let asked = (&tests[..], &claim, &fairness);
    check_product(&coded, measure, asked, (options, memory), None, &mut ()).unwrap()
}

#[test]
fn links_that_do_not_fit_go_to_disk() {
    for method in [Method::Full, Method::Rows(0)] {
        for (without, expected) in [(None, false), (Some(RINGS - 1), true)] {
            let model = rings(without);
            let roomy = check(&model, method, usize::MAX, LogPlace::Temporary);
            let narrow = check(&model, method, 60_000, LogPlace::Temporary);
            for answer in [&roomy, &narrow] {
                let violated = matches!(answer.status, Status::Violated(_));
                assert_eq!(violated, expected, "{method:?}: {:?}", answer.end);
                assert_ne!(answer.status, Status::Open);
            }
            // The trace log is there in any case.
            let disk = |answer: &ProductAnswer| answer.statistics.disk_bytes;
            assert!(disk(&narrow) > disk(&roomy) + 20_000);
        }
    }
}

#[test]
fn without_a_disk_nothing_is_decided() {
    let model = rings(None);
    let nowhere = LogPlace::Directory("/no/such/directory".into());
    let answer = check(&model, Method::Full, 60_000, nowhere);
    assert_eq!(answer.status, Status::Open);
    let End::Limit(StopReason::Other(why)) = answer.end else {
        panic!("{:?}", answer.end);
    };
    assert!(why.starts_with("links could not be kept on disk"), "{why}");
    let answer = check(&model, Method::Full, 60_000, LogPlace::Off);
    assert_eq!(answer.end, End::Limit(StopReason::Memory { limit: 60_000 }));
}
