//! Place/transition nets: PNML, contest properties, firing on packed words.
