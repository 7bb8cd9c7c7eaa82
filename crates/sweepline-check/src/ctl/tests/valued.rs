//! Formulas of which some atoms are known, against those of which none is.

use proptest::prelude::*;
use sweepline_logic::ctl::{Ctl, Kripke, label};
use sweepline_logic::{Name, Pred};

use super::random::{formulas, kripke};
use crate::ltl::tests::model::{ATOMS, models};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn known_atoms_need_not_be_asked(
        model in models(8),
        formula in formulas(),
        known in prop::collection::vec(any::<Option<bool>>(), ATOMS as usize),
    ) {
        let atoms = (0..ATOMS).map(|atom| Pred::Holds(Name::new(format!("a{atom}"))));
        let ctl = Ctl { atoms: atoms.collect(), formula };
        let mut graph = kripke(&model);
        for bits in &mut graph.atoms {
            for (atom, value) in known.iter().enumerate() {
                match value {
                    Some(true) => *bits |= 1 << atom,
                    Some(false) => *bits &= !(1 << atom),
                    None => {}
                }
            }
        }
        let valued = ctl.with_values(&known);
        prop_assert!(valued.formula.size() <= ctl.formula.size());
        let place = |pred: &Pred| ctl.atoms.iter().position(|atom| atom == pred).unwrap();
        let places: Vec<usize> = valued.atoms.iter().map(place).collect();
        prop_assert!(places.iter().all(|&place| known[place].is_none()));
        let moved = graph.atoms.iter().map(|bits| {
            let kept = places.iter().enumerate().map(|(at, place)| (bits >> place & 1) << at);
            kept.sum()
        });
        let moved = Kripke { successors: graph.successors.clone(), atoms: moved.collect() };
        prop_assert_eq!(label(&moved, &valued.formula), label(&graph, &ctl.formula));
    }
}
