//! The sizes of known state spaces, by definition and on packed words.

use crate::support::{Counts, corpus, corpus_net, corpus_of, count_packed, reachable_markings};
use sweepline_net::{NetSystem, PetriNet, PnmlOptions, family, read_pnml, write_pnml};

/// States up to which a corpus model is part of the default run.
const SMALL: u64 = 50_000;

fn check(name: &str, net: PetriNet, states: u64, edges: u64) -> Counts {
    let (_, counts) = reachable_markings(&net);
    assert_eq!((counts.states, counts.edges), (states, edges), "{name}");
    assert_eq!(count_packed(NetSystem::new(net.clone())), counts, "{name}");
    assert_eq!(
        count_packed(NetSystem::with_bits(net, |_| 1)),
        counts,
        "{name}, widened"
    );
    counts
}

#[test]
fn families_have_the_published_sizes() {
    check("kanban(2)", family::kanban(2), 4_600, 28_120);
    check("fms(2)", family::fms(2), 3_444, 16_311);
    check("philosophers(5)", family::philosophers(5), 243, 945);
    check("pipe(4,4,2)", family::pipe(4, 4, 2), 459, 1_224);
    check(
        "stop-and-wait(3,2,1)",
        family::stop_and_wait(3, 2, 1),
        184,
        617,
    );
    check(
        "stop-and-wait(3,2,2)",
        family::stop_and_wait(3, 2, 2),
        184 * 184,
        2 * 184 * 617,
    );
}

#[test]
fn corpus_nets_have_the_known_sizes() {
    let Some((folder, entries)) = corpus() else {
        return;
    };
    let mut checked = 0;
    for entry in entries {
        let (Some(states), Some(edges)) = (entry["states"].as_u64(), entry["transitions"].as_u64())
        else {
            continue;
        };
        if states > SMALL {
            continue;
        }
        let name = entry["name"].as_str().unwrap();
        let counts = check(name, corpus_net(&folder, &entry), states, edges);
        if let Some(deadlocks) = entry["deadlock_states"].as_u64() {
            assert_eq!(counts.deadlocks, deadlocks, "{name}");
        }
        checked += 1;
    }
    assert!(
        checked > 50,
        "the corpus has more small nets than {checked}"
    );
}

#[test]
fn every_corpus_net_survives_writing_and_reading() {
    let Some((folder, entries)) = corpus() else {
        return;
    };
    for entry in entries {
        let net = corpus_net(&folder, &entry);
        let text = write_pnml(&net);
        let again = read_pnml("again.pnml", text.as_bytes(), &PnmlOptions::default()).unwrap();
        assert!(again == net, "{}", entry["name"]);
    }
}

/// Nets that are too large to be unfolded by the product of the colours of their variables are unfolded by following tokens.
#[test]
fn coloured_nets_of_the_corpus_are_unfolded() {
    let Some((folder, entries)) = corpus_of("hlpn") else {
        return;
    };
    let mut checked = 0;
    for entry in &entries {
        let name = entry["name"].as_str().unwrap();
        let net = corpus_net(&folder, entry);
        assert!(net.folded().is_some(), "{name}");
        if name == "BART-COL-002" {
            // 2.8 billion bindings, of which 404 can ever be enabled. They need 474 colours of places; the tokens of 210 are only read.
            assert_eq!((net.places().len(), net.transitions().len()), (264, 404));
            assert_eq!(net.folded().unwrap().resting_count(), 210);
        }
        let (Some(states), Some(edges)) = (entry["states"].as_u64(), entry["transitions"].as_u64())
        else {
            continue;
        };
        if states > SMALL {
            continue;
        }
        let counts = check(name, net, states, edges);
        if let Some(deadlocks) = entry["deadlock_states"].as_u64() {
            assert_eq!(counts.deadlocks, deadlocks, "{name}");
        }
        checked += 1;
    }
    assert!(
        checked > 15,
        "the corpus has more small coloured nets than {checked}"
    );
}
