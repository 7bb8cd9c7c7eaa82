//! Full search of known programs, interpreted and compiled, and how long compiling takes.

#[path = "../tests/program/models.rs"]
mod models;

use std::time::Instant;

#[cfg(feature = "jit")]
use sweepline_core::Steps;
use sweepline_core::{NoProgress, System};
use sweepline_explore::{End, Options, Sweep};
use sweepline_program::{Program, ProgramSystem, SlotType};

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn measure(name: &str, system: impl System) {
    let mut sweep = Sweep::new(system, NoProgress, Options::default());
    let start = Instant::now();
    assert_eq!(sweep.run(&mut ()), End::Complete);
    let seconds = start.elapsed().as_secs_f64();
    let explored = sweep.statistics().explored;
    let rate = explored as f64 / seconds / 1e6;
    println!("{name}: {explored} states, {seconds:.3} s, {rate:.2} M states/s");
}

fn both(name: &str, program: Program) {
    let interpreter = ProgramSystem::new(program);
    measure(&format!("{name}, interpreted"), &interpreter);
    #[cfg(feature = "jit")]
    measure_compiled(name, &interpreter);
}

#[cfg(feature = "jit")]
#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn compile(name: &str, interpreter: &ProgramSystem) -> sweepline_program::CompiledSystem {
    let actions = interpreter.program().actions().len();
    let start = Instant::now();
    let compiled = sweepline_program::CompiledSystem::new(interpreter)
        .expect("this machine can run compiled code");
    let latency = start.elapsed();
    println!("{name}: {actions} actions compiled in {latency:.1?}");
    compiled
}

#[cfg(feature = "jit")]
fn measure_compiled(name: &str, interpreter: &ProgramSystem) {
    let compiled = compile(name, interpreter);
    measure(&format!("{name}, compiled"), &compiled);
    generate(&format!("{name}, compiled"), &compiled);
}

/// Successors only, without any store: the first states again and again.
#[cfg(feature = "jit")]
#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn generate(name: &str, system: &impl System) {
    let mut front = Steps::for_layout(system.layout());
    system.initial(&mut front);
    let mut next = 0;
    while next < front.len() && front.len() < 10_000 {
        let state = front.target(next).to_vec();
        system.successors(&state, &mut front);
        next += 1;
    }
    let mut steps = Steps::for_layout(system.layout());
    let (start, mut edges) = (Instant::now(), 0);
    for _ in 0..100 {
        for state in 0..front.len() {
            steps.clear();
            system.successors(front.target(state), &mut steps);
            edges += steps.len();
        }
    }
    let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / edges as f64;
    println!("{name}: {nanoseconds:.1} ns per step generated");
}

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    both("peterson-4", models::peterson(4, &SlotType::integer(0, 4)));
    both(
        "peterson-4 in bytes",
        models::peterson(4, &SlotType::wrapping(0, 255)),
    );
    both("go-back-N", models::go_back_n(100, 4, 4));
    #[cfg(feature = "jit")]
    for numbers in [SlotType::integer(0, 31), SlotType::wrapping(0, 255)] {
        compile(
            "peterson-29",
            &ProgramSystem::new(models::peterson(29, &numbers)),
        );
    }
}
