//! What is labelled agrees with naive labelling, on random models, formulas, orders, windows, interruptions, changes of the measure
//! and encodings.

mod certificate;
mod fair;
mod random;
mod taped;
mod traps;
mod valued;
