//! What is written on a tape is read again, backwards.

use proptest::prelude::*;
use sweepline_core::{ActionId, Limits, Link, Word};
use sweepline_explore::LogPlace;

use crate::ctl::backwards::{Backwards, Node};
use crate::ctl::taped::{Noted, Taped};

/// A node, with how many numbers are left out before it.
#[derive(Clone, Debug)]
struct Written {
    gap: u64,
    read: Vec<Word>,
    steps: Vec<(u32, u32)>,
}

fn written() -> impl Strategy<Value = Written> {
    let steps = |count| prop::collection::vec((0..1000_u32, any::<u32>()), count);
    let steps = prop_oneof![8 => steps(0..5), 1 => steps(240..300)];
    let gap = prop_oneof![4 => Just(0), 1 => 0..3_u64];
    let read = prop::collection::vec(any::<Word>(), 2);
    (gap, read, steps).prop_map(|(gap, read, steps)| Written { gap, read, steps })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nodes_are_read_as_they_were_written(
        all in prop::collection::vec(written(), 0..12),
        atoms in prop_oneof![0..30_usize, 31..100_usize],
        with_actions in any::<bool>(),
        disk in any::<bool>(),
    ) {
        let place = if disk { LogPlace::Temporary } else { LogPlace::Off };
        let noted = Noted { atoms, actions: with_actions };
        let mut taped = Taped::new(noted, place);
        taped.start(&[]);
        let mut numbers = Vec::new();
        let mut next = 0;
        for node in &all {
            next += node.gap;
            let links: Vec<Link> = node.steps.iter().map(|step| Link::Kept(step.0.into())).collect();
            let actions: Vec<ActionId> = node.steps.iter().map(|step| ActionId(step.1)).collect();
            prop_assert!(taped.node(next, &node.read, (&actions, &links)));
            numbers.push(next);
            next += 1;
        }
        let mut left: Vec<(u64, &Written)> = numbers.into_iter().zip(&all).collect();
        let mut right = true;
        let visit = Backwards::new(&taped).visit(&Limits::default(), &mut |node: &Node<'_>| {
            let Some((number, written)) = left.pop() else {
                right = false;
                return;
            };
            let targets: Vec<u32> = written.steps.iter().map(|step| step.0).collect();
            let actions = written.steps.iter().map(|step| ActionId(step.1));
            let actions: Vec<ActionId> = actions.filter(|_| with_actions).collect();
            right &= u64::from(node.number) == number && node.targets == targets;
            right &= node.actions().collect::<Vec<_>>() == actions;
            right &= (0..atoms).all(|atom| {
                node.atom(atom) == (written.read[atom / 64] >> (atom % 64) & 1 == 1)
            });
        });
        prop_assert!(visit.unwrap().is_empty() && right && left.is_empty());
    }
}
