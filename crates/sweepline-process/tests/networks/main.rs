//! Networks of processes: composition, measures and minimisation, against naive references and published figures.

mod bisimilar;
mod composition;
mod measures;
mod minimisation;
mod models;
mod naive;
mod random;
