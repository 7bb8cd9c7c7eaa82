//! Everything that can go wrong in a program is said, by the interpreter and by compiled code alike.

use sweepline_core::{ActionId, Fault, SlotId, Steps, System};
use sweepline_program::{
    ActionBuilder, ArrayId, BinaryOp, ChannelId, Effect, Expr, LocationId, Place, ProcessId,
    ProgramBuilder, ProgramError, ProgramSystem, SlotType, Span, UnaryOp,
};

/// A program with one action, slots `x` (0 to 5) and `w` (any number), an array `a` of 2 and a channel `c` for 1.
struct Tiny {
    program: ProgramBuilder,
    x: SlotId,
    w: SlotId,
    a: ArrayId,
    c: ChannelId,
}

impl Tiny {
    fn new() -> Self {
        let mut program = ProgramBuilder::new("tiny");
        let x = program.slot("x", SlotType::integer(0, 5), 5);
        let w = program.slot("w", SlotType::integer(i64::MIN, i64::MAX), i64::MAX);
        let a = program.array("a", &SlotType::integer(-1, 1), &[0, 1]);
        let c = program.channel("c", &[SlotType::integer(0, 3)], 1);
        let process = program.process("P");
        program.location(process, "l");
        Self {
            program,
            x,
            w,
            a,
            c,
        }
    }

    fn fault(self, guard: impl Into<Expr>, effects: Vec<Effect>) -> String {
        let mut program = self.program;
        let (process, location) = (ProcessId(0), LocationId(0));
        let action = program
            .action("act", process, location, location)
            .guard(guard);
        effects.into_iter().fold(action, ActionBuilder::effect);
        fault_of(&ProgramSystem::new(program.build().unwrap()))
    }
}

fn fault_of(system: &ProgramSystem) -> String {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let state = steps.target(0).to_vec();
    system.successors(&state, &mut steps);
    #[cfg(feature = "jit")]
    {
        let compiled = sweepline_program::CompiledSystem::new(system).unwrap();
        let mut native = Steps::for_layout(system.layout());
        compiled.successors(&state, &mut native);
        assert_eq!(native.fault(), steps.fault());
    }
    match steps.fault() {
        Some(Fault::Model {
            action: ActionId(0),
            message,
        }) => message.clone(),
        Some(Fault::Assertion(broken)) => format!("{broken:?}"),
        other => panic!("unexpected {other:?}"),
    }
}

fn binary(op: BinaryOp, left: impl Into<Expr>, right: impl Into<Expr>) -> Expr {
    Expr::binary(op, left, right)
}

#[test]
fn values_outside_their_range() {
    let tiny = Tiny::new();
    let effect = Effect::assign(tiny.x, Expr::slot(tiny.x).plus(1));
    let message = tiny.fault(1, vec![effect]);
    assert_eq!(
        message,
        "`x` would become 6, outside its range 0..=5 in `act`"
    );
}

#[test]
fn indices_out_of_bounds() {
    let tiny = Tiny::new();
    let read = Expr::element(tiny.a, tiny.x);
    assert_eq!(
        tiny.fault(read, vec![]),
        "index 5 of `a` is out of bounds 0..=1 in `act`"
    );
    let tiny = Tiny::new();
    let write = Effect::assign(Place::element(tiny.a, -1), 0);
    assert_eq!(
        tiny.fault(1, vec![write]),
        "index -1 of `a` is out of bounds 0..=1 in `act`"
    );
}

#[test]
fn elements_outside_their_range() {
    let tiny = Tiny::new();
    let write = Effect::assign(Place::element(tiny.a, Expr::slot(tiny.x).minus(4)), tiny.x);
    assert_eq!(
        tiny.fault(1, vec![write]),
        "`a[1]` would become 5, outside its range -1..=1 in `act`"
    );
}

#[test]
fn arithmetic_that_has_no_result() {
    let check = |expr: fn(&Tiny) -> Expr, expected: &str| {
        let tiny = Tiny::new();
        let expr = expr(&tiny);
        assert_eq!(tiny.fault(expr, vec![]), format!("{expected} in `act`"));
    };
    let fit = "does not fit 64 bits";
    check(
        |t| binary(BinaryOp::Divide, 1, Expr::slot(t.x).minus(5)),
        "division by zero",
    );
    check(
        |t| binary(BinaryOp::Remainder, 1, Expr::slot(t.x).minus(5)),
        "division by zero",
    );
    check(
        |t| Expr::slot(t.w).plus(t.x),
        &format!("the result of 9223372036854775807 + 5 {fit}"),
    );
    check(
        |t| binary(BinaryOp::Multiply, t.w, t.x),
        &format!("the result of 9223372036854775807 * 5 {fit}"),
    );
    check(
        |t| Expr::unary(UnaryOp::Negate, Expr::unary(UnaryOp::Complement, t.w)),
        &format!("the result of -(-9223372036854775808) {fit}"),
    );
    check(
        |t| {
            binary(
                BinaryOp::Divide,
                Expr::unary(UnaryOp::Complement, t.w),
                Expr::slot(t.x).minus(6),
            )
        },
        &format!("the result of -9223372036854775808 / -1 {fit}"),
    );
    check(
        |t| binary(BinaryOp::ShiftLeft, t.w, t.x),
        &format!("the result of 9223372036854775807 << 5 {fit}"),
    );
    check(
        |t| binary(BinaryOp::ShiftRight, 1, Expr::slot(t.x).minus(6)),
        "shift by -1, outside 0..=63",
    );
}

#[test]
fn channels_without_room_or_messages() {
    let tiny = Tiny::new();
    let front = Expr::Front(tiny.c, 0);
    assert_eq!(tiny.fault(front, vec![]), "`c` is empty in `act`");
    let tiny = Tiny::new();
    let pop = Effect::Pop {
        channel: tiny.c,
        places: vec![None],
    };
    assert_eq!(tiny.fault(1, vec![pop]), "`c` is empty in `act`");
    let tiny = Tiny::new();
    let push = Effect::Push {
        channel: tiny.c,
        values: vec![3.into()],
    };
    assert_eq!(
        tiny.fault(1, vec![push.clone(), push]),
        "`c` is full in `act`"
    );
    let tiny = Tiny::new();
    let push = Effect::Push {
        channel: tiny.c,
        values: vec![tiny.x.into()],
    };
    assert_eq!(
        tiny.fault(1, vec![push]),
        "`c[0]` would become 5, outside its range 0..=3 in `act`"
    );
}

#[test]
fn violated_assertions() {
    let mut tiny = Tiny::new();
    let (process, location) = (ProcessId(0), LocationId(0));
    let condition = Expr::slot(tiny.x).less(5);
    tiny.program
        .assert(process, location, condition.clone(), Span::default());
    assert_eq!(
        tiny.fault(1, vec![]),
        r#"BrokenAssertion { place: "P.l", condition: "assert P.l: (x < 5)", error: None }"#
    );
    // With a text, the place is a line of it, and the condition is what is written there.
    let mut tiny = Tiny::new();
    tiny.program = tiny.program.from_text("one\nassert x\n  < 5;\n");
    tiny.program
        .assert(process, location, condition, Span::new(11, 18));
    assert_eq!(
        tiny.fault(1, vec![]),
        r#"BrokenAssertion { place: "tiny:2", condition: "assert P.l: x < 5", error: None }"#
    );
    let mut tiny = Tiny::new();
    let wrong = binary(BinaryOp::Divide, 1, Expr::slot(tiny.x).minus(5));
    tiny.program
        .assert(process, location, wrong, Span::default());
    assert_eq!(
        tiny.fault(1, vec![]),
        r#"BrokenAssertion { place: "P.l", condition: "assert P.l: (1 / (x - 5))", error: Some("division by zero") }"#
    );
}

#[test]
fn short_circuits_hide_errors() {
    let tiny = Tiny::new();
    let wrong = binary(BinaryOp::Divide, 1, 0);
    let x = Expr::slot(tiny.x);
    let guard = x.clone().less(5).and(wrong.clone());
    let mut program = tiny.program;
    let (process, location) = (ProcessId(0), LocationId(0));
    program
        .action("and", process, location, location)
        .guard(guard);
    program
        .action("or", process, location, location)
        .guard(x.equals(5).or(wrong));
    let system = ProgramSystem::new(program.build().unwrap());
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let state = steps.target(0).to_vec();
    steps.clear();
    system.successors(&state, &mut steps);
    assert_eq!((steps.fault(), steps.actions()), (None, &[ActionId(1)][..]));
}

#[test]
fn wrapping_slots_wrap() {
    let mut program = ProgramBuilder::new("wrap");
    let byte = program.slot("byte", SlotType::wrapping(0, 255), 250);
    let odd = program.slot("odd", SlotType::wrapping(-1, 1), 1);
    let process = program.process("P");
    let location = program.location(process, "l");
    program
        .action("act", process, location, location)
        .effect(Effect::assign(byte, Expr::slot(byte).plus(10)))
        .effect(Effect::assign(odd, Expr::slot(odd).plus(1)));
    let system = ProgramSystem::new(program.build().unwrap());
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let state = steps.target(0).to_vec();
    system.successors(&state, &mut steps);
    assert_eq!(system.layout().value(steps.target(1), byte), 4);
    assert_eq!(system.layout().value(steps.target(1), odd), -1);
}

fn refused(make: impl FnOnce(&mut Tiny)) -> ProgramError {
    let mut tiny = Tiny::new();
    make(&mut tiny);
    tiny.program.build().unwrap_err()
}

#[test]
fn programs_that_make_no_sense_are_refused() {
    let (process, location) = (ProcessId(0), LocationId(0));
    let error = refused(|tiny| {
        tiny.program.slot("y", SlotType::integer(0, 1), 2);
    });
    assert_eq!(
        error.to_string(),
        "`y` starts with 2, outside its range 0..=1"
    );
    let error = refused(|tiny| {
        tiny.program.array("b", &SlotType::boolean(), &[]);
    });
    assert_eq!(
        error.to_string(),
        "array `b` must have from 1 to 65536 elements"
    );
    let error = refused(|tiny| {
        tiny.program.process("Q");
    });
    assert_eq!(error.to_string(), "process `Q` has no locations");
    let error = refused(|tiny| {
        let other = LocationId(9);
        tiny.program.action("far", process, location, other);
    });
    assert_eq!(
        error.to_string(),
        "a location of action `far` does not exist"
    );
    let error = refused(|tiny| {
        let action = tiny.program.action("twice", process, location, location);
        action.with(process, location, location);
    });
    assert_eq!(
        error.to_string(),
        "action `twice` must involve one process or two different ones"
    );
    let error = refused(|tiny| {
        let length = tiny.program.program().channel(tiny.c).length;
        let action = tiny.program.action("cheat", process, location, location);
        action.effect(Effect::assign(length, 0));
    });
    assert_eq!(
        error.to_string(),
        "action `cheat` assigns to `c.length`, which is the state of a process or a channel"
    );
    let error = refused(|tiny| {
        let effect = Effect::Push {
            channel: tiny.c,
            values: vec![],
        };
        tiny.program
            .action("short", process, location, location)
            .effect(effect);
    });
    assert_eq!(
        error.to_string(),
        "action `short` passes 0 values through `c`, which takes 1"
    );
}
