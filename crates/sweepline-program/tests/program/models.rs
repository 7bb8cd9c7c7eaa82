//! Programs with known numbers of states.

use sweepline_program::{ActionBuilder, Effect, Expr, Place, Program, ProgramBuilder, SlotType};

/// Peterson's filter lock for `n` processes: 1,119,560 states and 3,864,896 edges for 4 (the BEEM model has as many).
///
/// `numbers` is the type of every number in it.
pub fn peterson(n: i64, numbers: &SlotType) -> Program {
    let mut program = ProgramBuilder::new("peterson");
    let length = usize::try_from(n).expect("the model is valid");
    let pos = program.array("pos", numbers, &vec![0; length]);
    let step = program.array("step", numbers, &vec![0; length - 1]);
    for i in 0..n {
        let process = program.process(format!("P_{i}"));
        let [noncritical, wait, q2, q3, critical] =
            ["NCS", "wait", "q2", "q3", "CS"].map(|name| program.location(process, name));
        let j = program.slot(format!("P_{i}.j"), numbers.clone(), 0);
        let k = program.slot(format!("P_{i}.k"), numbers.clone(), 0);
        let turn = Expr::element(step, Expr::slot(j).minus(1));

        program
            .action(format!("start_{i}"), process, noncritical, wait)
            .effect(Effect::assign(j, 1));
        program
            .action(format!("claim_{i}"), process, wait, q2)
            .guard(Expr::slot(j).less(n))
            .effect(Effect::assign(Place::element(pos, i), j));
        program
            .action(format!("enter_{i}"), process, wait, critical)
            .guard(Expr::slot(j).equals(n));
        program
            .action(format!("yield_{i}"), process, q2, q3)
            .effect(Effect::assign(
                Place::element(step, Expr::slot(j).minus(1)),
                i,
            ))
            .effect(Effect::assign(k, 0));
        program
            .action(format!("look_{i}"), process, q3, q3)
            .guard(
                Expr::slot(k)
                    .less(n)
                    .and(Expr::slot(k).equals(i).or(Expr::element(pos, k).less(j))),
            )
            .effect(Effect::assign(k, Expr::slot(k).plus(1)));
        program
            .action(format!("pass_{i}"), process, q3, wait)
            .guard(turn.differs(i).or(Expr::slot(k).equals(n)))
            .effect(Effect::assign(j, Expr::slot(j).plus(1)));
        program
            .action(format!("leave_{i}"), process, critical, noncritical)
            .effect(Effect::assign(Place::element(pos, i), 0));
    }
    program.build().expect("the model is valid")
}

/// Go-back-N with `messages`, a window and channels of a capacity.
pub fn go_back_n(messages: i64, window: i64, capacity: u32) -> Program {
    let mut program = ProgramBuilder::new("go-back-n");
    let number = SlotType::integer(0, messages);
    let data = program.channel("D", std::slice::from_ref(&number), capacity);
    let acks = program.channel("A", std::slice::from_ref(&number), capacity);
    let [b, n, r] = ["b", "n", "r"].map(|name| program.slot(name, number.clone(), 0));
    let process = program.process("protocol");
    let run = program.location(process, "run");
    let mut action = |name: &str, guard: Expr, effects: Vec<Effect>| {
        let start = program.action(name, process, run, run).guard(guard);
        effects.into_iter().fold(start, ActionBuilder::effect);
    };

    let in_window = Expr::slot(n).less(Expr::slot(b).plus(window));
    action(
        "Send",
        in_window
            .and(Expr::slot(n).less(messages))
            .and(Expr::Full(data).negated()),
        vec![
            Effect::Push {
                channel: data,
                values: vec![n.into()],
            },
            Effect::assign(n, Expr::slot(n).plus(1)),
        ],
    );
    action(
        "TimeOut",
        Expr::slot(n).greater(b),
        vec![Effect::assign(n, b)],
    );
    let drop = |channel| Effect::Pop {
        channel,
        places: vec![None],
    };
    action("LoseData", Expr::Empty(data).negated(), vec![drop(data)]);
    let expected = Expr::Front(data, 0).equals(r);
    action(
        "Receive",
        Expr::Empty(data).negated().and(Expr::Full(acks).negated()),
        vec![
            Effect::assign(r, Expr::conditional(expected, Expr::slot(r).plus(1), r)),
            Effect::Push {
                channel: acks,
                values: vec![r.into()],
            },
            drop(data),
        ],
    );
    action("LoseAck", Expr::Empty(acks).negated(), vec![drop(acks)]);
    action(
        "RecvAck",
        Expr::Empty(acks)
            .negated()
            .and(Expr::Front(acks, 0).greater(b)),
        vec![
            Effect::Pop {
                channel: acks,
                places: vec![Some(b.into())],
            },
            Effect::assign(n, Expr::conditional(Expr::slot(n).less(b), b, n)),
        ],
    );
    program.build().expect("the model is valid")
}
