//! Random components and networks.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_process::{Lts, LtsBuilder, Network, Priority, StateId, StateKind};

const LABELS: [&str; 4] = ["a", "b", "c", "d"];

/// How likely the kinds of states are.
#[derive(Clone, Copy)]
pub enum Kinds {
    Ordinary,
    All,
}

fn kind(kinds: Kinds) -> BoxedStrategy<StateKind> {
    match kinds {
        Kinds::Ordinary => Just(StateKind::Ordinary).boxed(),
        Kinds::All => prop_oneof![
            8 => Just(StateKind::Ordinary),
            2 => Just(StateKind::End),
            1 => Just(StateKind::Error),
        ]
        .boxed(),
    }
}

/// An LTS with up to `states` states, over some of four labels and `tau`.
pub fn lts(states: u32, kinds: Kinds) -> impl Strategy<Value = Lts> {
    let sizes = (1..=states, prop::sample::subsequence(&LABELS, 0..=4));
    sizes.prop_flat_map(move |(states, labels)| {
        let edge = (0..states, 0..=labels.len(), 0..states);
        let edges = prop::collection::vec(edge, 0..=2 * states as usize + 1);
        let kinds = prop::collection::vec(kind(kinds), states as usize);
        (Just(labels), kinds, edges, 0..states).prop_map(|(labels, kinds, edges, initial)| {
            let mut builder = LtsBuilder::default();
            for kind in kinds {
                let state = builder.state();
                builder.set_kind(state, kind);
            }
            for label in &labels {
                builder.label(label);
            }
            for (source, label, target) in edges {
                let name = label.checked_sub(1).map_or("tau", |index| labels[index]);
                let label = builder.label(name);
                builder.edge(StateId(source), label, StateId(target));
            }
            builder.build(StateId(initial))
        })
    })
}

fn some_labels() -> impl Strategy<Value = BTreeSet<String>> {
    prop::sample::subsequence(&LABELS, 0..=4)
        .prop_map(|labels| labels.into_iter().map(String::from).collect())
}

/// A network of up to four components, perhaps with hidden and prioritised labels.
pub fn network(kinds: Kinds) -> impl Strategy<Value = Network> {
    let priority = prop::option::of((some_labels(), any::<bool>()));
    let components = prop::collection::vec(lts(4, kinds), 0..=4);
    (components, some_labels(), any::<bool>(), priority).prop_map(
        |(components, hidden, hides, priority)| Network {
            hidden: if hides { hidden } else { BTreeSet::new() },
            priority: priority.map(|(labels, high)| Priority { labels, high }),
            ..Network::parallel((0..).map(|index| format!("c{index}")).zip(components))
        },
    )
}
