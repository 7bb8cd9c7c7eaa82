//! Programs have as many states and edges as is known of them.

use sweepline_core::{NoProgress, Statistics, System};
use sweepline_explore::{End, Options, Sweep};
use sweepline_program::{Program, ProgramSystem, SlotType};

use crate::handover::handover;
use crate::models;

fn explore(system: impl System) -> Statistics {
    let mut sweep = Sweep::new(system, NoProgress, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Complete);
    sweep.statistics().clone()
}

fn check(program: Program, states: u64, edges: Option<u64>) {
    let interpreter = ProgramSystem::new(program);
    let check = |found: &Statistics| {
        assert_eq!(found.states(), Some(states));
        assert_eq!(edges.unwrap_or(found.edges), found.edges);
    };
    check(&explore(&interpreter));
    #[cfg(feature = "jit")]
    check(&explore(
        sweepline_program::CompiledSystem::new(&interpreter).unwrap(),
    ));
}

#[test]
fn peterson_for_four() {
    let program = models::peterson(4, &SlotType::integer(0, 4));
    check(program, 1_119_560, Some(3_864_896));
}

#[test]
fn peterson_for_four_in_bytes() {
    let program = models::peterson(4, &SlotType::wrapping(0, 255));
    check(program, 1_119_560, Some(3_864_896));
}

#[test]
fn go_back_n() {
    check(models::go_back_n(20, 4, 4), 270_610, None);
}

#[test]
fn committed_locations_come_first() {
    // Idle: 4 numbers by 2 clock states, with 8 ticks and 6 handovers. Busy: 3 by 2, and no tick.
    check(handover(), 14, Some(20));
}
