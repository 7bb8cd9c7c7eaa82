//! The derive also works for those who know this crate only as a module of `sweepline`.

// This test plays the crate `sweepline`.
extern crate self as sweepline;
pub use sweepline_model as model;

use model::facade::Encode;
use model::{Queue, pack, unpack};

#[derive(Clone, Debug, PartialEq, Encode)]
enum State {
    Idle,
    Busy {
        #[encode(range = 0..=9)]
        jobs: Queue<u8, 2>,
    },
}

#[test]
fn paths_lead_through_the_facade() {
    assert_eq!(State::BITS, Some(1 + 2 + 2 * 4));
    for state in [
        State::Idle,
        State::Busy {
            jobs: Queue::from_iter([9]),
        },
    ] {
        let mut words = Vec::new();
        pack(&state, &mut words).unwrap();
        assert_eq!(unpack::<State>(&words), state);
    }
}
