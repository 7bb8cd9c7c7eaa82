//! Models of the literature, typed: to read, to copy from, and to measure by.

pub mod database;
pub mod go_back_n;
mod go_back_n_words;
pub mod stop_and_wait;
pub mod two_phase_commit;
