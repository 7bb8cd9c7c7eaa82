//! What takes too long is not done, and what is large is done in parts.

use std::time::Duration;

use sweepline_core::{Deadline, Limits, Steps, StopReason, System, Word};
use sweepline_program::{
    CompileError, CompiledSystem, Effect, Expr, LocationId, Place, Program, ProgramBuilder,
    ProgramSystem, SlotType, ValueRanges,
};

/// A process that puts numbers into a channel and takes them out.
fn channel(capacity: u32) -> Program {
    let mut program = ProgramBuilder::new("channel");
    let x = program.slot("x", SlotType::integer(0, 200), 0);
    let channel = program.channel("c", &[SlotType::integer(0, 200)], capacity);
    let process = program.process("P");
    let run = program.location(process, "run");
    let (values, places) = (vec![Expr::slot(x)], vec![Some(Place::Slot(x))]);
    program
        .action("send", process, run, run)
        .guard(Expr::Full(channel).negated())
        .effect(Effect::Push { channel, values })
        .effect(Effect::assign(x, 200));
    program
        .action("receive", process, run, run)
        .guard(Expr::Empty(channel).negated())
        .effect(Effect::Pop { channel, places });
    program.build().unwrap()
}

fn over() -> Limits {
    Limits {
        deadline: Some(Deadline::after(Duration::ZERO)),
        ..Limits::default()
    }
}

#[test]
fn a_large_channel_is_left_to_the_interpreter() {
    let system = ProgramSystem::new(channel(60_000));
    let error = CompiledSystem::new(&system).unwrap_err();
    assert_eq!((&error, error.stopped()), (&CompileError::TooLarge, None));
    assert!(CompiledSystem::new(&ProgramSystem::new(channel(1000))).is_ok());
}

#[test]
fn nothing_is_begun_when_the_time_is_over() {
    let program = channel(10);
    let limit = Duration::ZERO;
    let reason = StopReason::Time { limit };
    let stopped = ProgramSystem::within(program.clone(), &over()).unwrap_err();
    assert_eq!(stopped, reason);
    assert_eq!(ValueRanges::within(&program, &over()).unwrap_err(), reason);
    let system = ProgramSystem::new(program);
    let error = CompiledSystem::within(&system, &over()).unwrap_err();
    assert_eq!(error.stopped(), Some(&reason));
}

#[test]
fn code_that_takes_too_much_memory_is_not_made() {
    let system = ProgramSystem::new(channel(10));
    let limits = Limits {
        memory: Some(1000),
        ..Limits::default()
    };
    let error = CompiledSystem::within(&system, &limits).unwrap_err();
    assert!(matches!(error, CompileError::Memory(_)), "{error}");
    assert_eq!(error.stopped(), None);
    assert!(ProgramSystem::within(channel(60_000), &limits).is_err());
}

/// A cycle of many locations, each with actions of its own.
fn cycle(length: u32) -> Program {
    let mut program = ProgramBuilder::new("cycle");
    let n = program.slot("n", SlotType::wrapping(0, 255), 0);
    let array = program.array("a", &SlotType::wrapping(0, 1 << 40), &[0; 4]);
    let process = program.process("P");
    for place in 0..length {
        program.location(process, format!("l{place}"));
    }
    for place in 0..length {
        let (source, target) = (LocationId(place), LocationId((place + 1) % length));
        for by in 1..3 {
            let sum = Expr::slot(n).plus(i64::from(place)).plus(by);
            let index = Expr::binary(sweepline_program::BinaryOp::BitAnd, Expr::slot(n), 3);
            program
                .action(format!("t{place}.{by}"), process, source, target)
                .guard(Expr::element(array, index.clone()).less(i64::from(place) + 5))
                .effect(Effect::assign(Place::element(array, index), sum.clone()))
                .effect(Effect::assign(n, sum));
        }
    }
    program.build().unwrap()
}

#[test]
fn large_processes_are_compiled_in_parts() {
    let length = 700;
    let system = ProgramSystem::new(cycle(length));
    let compiled = CompiledSystem::new(&system).unwrap();
    let slot = system.layout().slot_named("P").unwrap();
    let slot = system.layout().slot(slot);
    for place in 0..=slot.mask() {
        let mut state = vec![Word::MAX / 7; system.layout().width().unwrap()];
        state[slot.word] &= !(slot.mask() << slot.shift);
        state[slot.word] |= place << slot.shift;
        let both = [&system as &dyn System, &compiled].map(|system| {
            let mut steps = Steps::for_layout(system.layout());
            system.successors(&state, &mut steps);
            steps
        });
        let [expected, found] = &both;
        assert_eq!(found.actions(), expected.actions(), "at {place}");
        assert_eq!(found.words(), expected.words(), "at {place}");
        assert_eq!(found.fault(), expected.fault(), "at {place}");
        assert_eq!(expected.fault().is_some(), place >= u64::from(length));
    }
}
