//! What is found out about values before anything runs.

use sweepline_core::System;
use sweepline_program::{
    BinaryOp, Effect, Expr, LocationId, Place, ProcessId, Program, ProgramBuilder, ProgramSystem,
    SlotType, Span, ValueRanges,
};

/// A sender of 1, 2, … as long as they are below 6, and a receiver, over a channel of 16-bit numbers.
fn channel(kind: &SlotType, first: i64) -> Program {
    let mut program = ProgramBuilder::new("channel");
    let n = program.slot("n", SlotType::integer(-100, 100), first);
    let x = program.slot("x", kind.clone(), first.clamp(kind.least, kind.greatest));
    let channel = program.channel("c", std::slice::from_ref(kind), 3);
    let [sender, receiver] = ["S", "R"].map(|name| program.process(name));
    let [send, receive] = [sender, receiver].map(|process| program.location(process, "run"));
    let sent = Effect::Push {
        channel,
        values: vec![Expr::slot(n)],
    };
    program
        .action("send", sender, send, send)
        .guard(Expr::Full(channel).negated())
        .guard(Expr::slot(n).less(6))
        .effect(sent)
        .effect(Effect::assign(n, Expr::slot(n).plus(1)));
    let received = Effect::Pop {
        channel,
        places: vec![Some(Place::Slot(x))],
    };
    program
        .action("receive", receiver, receive, receive)
        .guard(Expr::Empty(channel).negated())
        .effect(received);
    program.build().unwrap()
}

fn range_of(system: &ProgramSystem, name: &str) -> (i64, i64) {
    let slot = system.layout().slot_named(name).unwrap();
    let slot = system.layout().slot(slot);
    (slot.least, slot.greatest)
}

#[test]
fn channels_are_as_narrow_as_what_is_sent() {
    let int = SlotType::integer(-32768, 32767);
    for (first, expected) in [(1, (0, 5)), (-3, (-3, 5))] {
        let system = ProgramSystem::new(channel(&int, first));
        for slot in ["c[0]", "c[2]"] {
            assert_eq!(range_of(&system, slot), expected, "{slot} from {first}");
        }
        assert_eq!(range_of(&system, "x"), (first.min(0), 5), "x from {first}");
    }
    // Where 0 is no value, what stands for nothing is next to it.
    let system = ProgramSystem::new(channel(&SlotType::integer(2, 1000), 2));
    assert_eq!(range_of(&system, "c[1]"), (2, 5));
}

#[test]
fn a_program_whose_checks_are_all_ruled_out_cannot_fail() {
    let program = channel(&SlotType::integer(-32768, 32767), 1);
    assert!(!program.can_fail());
    assert!(!ValueRanges::new(&program).can_fail());
}

#[test]
fn values_that_do_not_fit_are_possible_failures() {
    assert!(channel(&SlotType::integer(0, 4), 1).can_fail());
    assert!(!channel(&SlotType::integer(0, 5), 1).can_fail());
    assert!(!channel(&SlotType::wrapping(0, 4), 1).can_fail());
}

/// A process with one action and an array of four elements.
fn with_effect(guard: Expr, value: Expr) -> Program {
    let mut program = ProgramBuilder::new("effect");
    let n = program.slot("n", SlotType::wrapping(0, 7), 0);
    program.array("a", &SlotType::integer(0, 9), &[1, 2, 3, 4]);
    let process = program.process("P");
    let run = program.location(process, "run");
    program.location(process, "never");
    let count = Effect::assign(n, Expr::slot(n).plus(1));
    program.action("count", process, run, run).effect(count);
    program
        .action("use", process, run, run)
        .guard(guard)
        .effect(Effect::assign(n, value));
    program.build().unwrap()
}

#[test]
fn operations_fail_only_where_guards_let_them() {
    let n = || Expr::Slot(sweepline_core::SlotId(0));
    let element = || Expr::element(sweepline_program::ArrayId(0), n());
    let quotient = || Expr::binary(BinaryOp::Divide, 7, n());
    let checks = [
        (Expr::TRUE, element(), true),
        (n().less(4), element(), false),
        (n().less(5), element(), true),
        (n().less(4).and(element().equals(2)), n(), false),
        (element().equals(2).and(n().less(4)), n(), true),
        (Expr::TRUE, quotient(), true),
        (n().differs(0), quotient(), false),
        (n().equals(0).or(quotient().equals(1)), n(), false),
        (n().equals(0).and(quotient().equals(1)), n(), true),
        (
            Expr::TRUE,
            Expr::conditional(n().equals(0), 1, quotient()),
            false,
        ),
        (
            Expr::TRUE,
            Expr::conditional(n().equals(0), quotient(), 1),
            true,
        ),
        (n().less(0), element(), false),
    ];
    for (guard, value, expected) in checks {
        let program = with_effect(guard, value);
        assert_eq!(program.can_fail(), expected, "{:?}", program.actions()[1]);
    }
}

#[test]
fn assertions_are_possible_failures_unless_they_are_implied() {
    let n = || Expr::Slot(sweepline_core::SlotId(0));
    for (location, condition, expected) in [
        (0, n().less(7), true),
        (0, n().less(8), false),
        (1, Expr::Constant(0), false),
    ] {
        let mut program = ProgramBuilder::new("assertion");
        program.slot("n", SlotType::wrapping(0, 7), 0);
        let process = program.process("P");
        let run = program.location(process, "run");
        program.location(process, "never");
        let count = Effect::assign(sweepline_core::SlotId(0), n().plus(1));
        program.action("count", process, run, run).effect(count);
        program.assert(
            ProcessId(0),
            LocationId(location),
            condition,
            Span::default(),
        );
        assert_eq!(program.build().unwrap().can_fail(), expected, "{location}");
    }
}
