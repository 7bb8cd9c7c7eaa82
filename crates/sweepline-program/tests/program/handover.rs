//! A program with a rendezvous and a committed location.

use sweepline_program::{Effect, Expr, Program, ProgramBuilder, SlotType};

/// Two processes that hand over a number; while it is being handled, nobody else moves.
pub fn handover() -> Program {
    let mut program = ProgramBuilder::new("handover");
    let n = program.slot("n", SlotType::integer(0, 3), 0);
    let x = program.slot("x", SlotType::integer(0, 3), 0);
    let [sender, receiver, clock] = ["S", "R", "C"].map(|name| program.process(name));
    let send = program.location(sender, "send");
    let idle = program.location(receiver, "idle");
    let busy = program.location(receiver, "busy");
    let tick = program.location(clock, "tick");
    let tock = program.location(clock, "tock");
    program.location_mut(receiver, busy).flags.committed = true;
    program
        .action("pass", sender, send, send)
        .with(receiver, idle, busy)
        .guard(Expr::slot(n).less(3))
        .effect(Effect::assign(x, n))
        .effect(Effect::assign(n, Expr::slot(n).plus(1)));
    program.action("handled", receiver, busy, idle);
    program.action("tick", clock, tick, tock);
    program.action("tock", clock, tock, tick);
    program.build().unwrap()
}
