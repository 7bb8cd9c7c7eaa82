//! Right labels are certified, and wrong ones are not.

use proptest::prelude::*;
use sweepline_core::Limits;
use sweepline_logic::ctl::{Branching, label};

use super::random::{formulas, kripke};
use crate::ctl::arena::{Arena, Op, Part};
use crate::ctl::certificate::{Checking, Labelled, Labelling, certify, reached};
use crate::ctl::evaluate::evaluate;
use crate::ltl::tests::model::{Model, models};

struct Whole<'m>(&'m Model);

impl Labelled for Whole<'_> {
    fn numbers(&self) -> u32 {
        u32::try_from(self.0.edges.len()).unwrap()
    }
    fn initial(&self) -> Vec<Option<u32>> {
        (0..self.numbers()).map(Some).collect()
    }
    fn is_expanded(&self, _: u32) -> bool {
        true
    }
    fn state(&self, formula: &Branching, number: u32) -> Option<bool> {
        let letter = self.0.letter(number as usize);
        evaluate(formula, &|atom| Some(letter >> atom & 1 == 1))
    }
    fn targets(&self, number: u32, out: &mut Vec<Option<u32>>) {
        let targets = self.0.edges[number as usize].iter();
        out.extend(targets.map(|&(_, target)| u32::try_from(target).ok()));
    }
}

/// By part and number.
#[derive(Clone, Debug)]
struct Labels(Vec<Vec<Option<bool>>>);

impl Labelling for Labels {
    fn claimed(&self, part: Part, number: u32) -> Option<bool> {
        self.0[part][number as usize]
    }
}

impl Labels {
    /// What naive labelling says.
    fn right(arena: &Arena, model: &Model) -> Self {
        let parts = (0..arena.len()).map(|part| {
            let labels = label(&kripke(model), arena.written(part));
            labels.into_iter().map(Some).collect()
        });
        Self(parts.collect())
    }

    /// Whether they are certified, and with any ranks.
    fn pass(&self, arena: &Arena, model: &Model, ranks: Option<&[u32]>) -> bool {
        let limits = Limits::default();
        let graph = Whole(model);
        let Some(ranks) = ranks else {
            return certify(arena, &graph, self, &limits).unwrap().is_ok();
        };
        (0..arena.len()).all(|part| {
            let reached = reached(&graph, &limits).unwrap();
            let mut checking = Checking::new(arena, &graph, self, part, &reached);
            if matches!(arena.op(part), Op::Until { .. }) {
                checking.ranks = ranks[..model.edges.len()].to_vec();
            }
            checking.verify(&limits).unwrap().is_ok()
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_certified_is_right(
        model in models(8),
        formula in formulas(),
        forgotten in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..4),
        flipped in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ranks in prop::collection::vec(0..6_u32, 8),
    ) {
        let (arena, _) = Arena::of(&formula);
        let right = Labels::right(&arena, &model);
        prop_assert!(right.pass(&arena, &model, None));

        let mut wrong = right.clone();
        let label = flipped.1.index(model.edges.len());
        let claimed = &mut wrong.0[flipped.0.index(arena.len())][label];
        *claimed = claimed.map(|truth| !truth);
        prop_assert!(!wrong.pass(&arena, &model, None));
        prop_assert!(!wrong.pass(&arena, &model, Some(&ranks)));

        // Whatever is certified is right, also if some of it is missing.
        let mut some = right.clone();
        for (part, number) in forgotten {
            some.0[part.index(arena.len())][number.index(model.edges.len())] = None;
        }
        let mut some_wrong = some.clone();
        for (part, labels) in some.0.iter().enumerate() {
            for (number, claimed) in labels.iter().enumerate() {
                if claimed.is_none() {
                    some_wrong.0[part][number] = right.0[part][number].map(|truth| !truth);
                    prop_assert!(!some_wrong.pass(&arena, &model, None));
                    some_wrong.0[part][number] = None;
                }
            }
        }
    }
}

/// States that support each other in a circle.
#[test]
fn nothing_comes_of_going_round() {
    let model = Model::plain(&[&[1], &[0], &[2]], &[1, 1, 2]);
    let formula = super::traps::formula("E[a U b]");
    let (arena, root) = Arena::of(&formula);
    let mut labels = Labels::right(&arena, &model);
    assert_eq!(labels.0[root], [Some(false), Some(false), Some(true)]);
    assert!(labels.pass(&arena, &model, None));
    labels.0[root] = vec![Some(true); 3];
    assert!(!labels.pass(&arena, &model, None));
}
