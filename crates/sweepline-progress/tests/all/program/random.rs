//! No coordinate of a random program falls on a reachable edge, and strict actions raise one.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sweepline_core::SlotId;
use sweepline_program::{
    ActionBuilder, ArrayId, BinaryOp, ChannelId, Effect, Expr, LocationId, Overflow, Place,
    ProcessId, Program, ProgramBuilder, SlotType, UnaryOp,
};
use sweepline_progress::linear::Budget;

use crate::program::{explore, measures};

const SLOTS: u32 = 4;
const PROCESSES: u32 = 2;
const LOCATIONS: u32 = 2;
/// States of a program that are looked at.
const ENOUGH: usize = 300;

fn kind() -> impl Strategy<Value = SlotType> {
    let range = prop_oneof![
        4 => (-2_i64..=0, 1_i64..6),
        2 => Just((0, 255)),
        1 => Just((i64::MIN, i64::MAX)),
    ];
    (range, prop::bool::weighted(0.3)).prop_map(|((least, greatest), wraps)| SlotType {
        overflow: if wraps {
            Overflow::Wrap
        } else {
            Overflow::Error
        },
        ..SlotType::integer(least, greatest)
    })
}

fn leaf() -> impl Strategy<Value = Expr> {
    let channel = ChannelId(0);
    prop_oneof![
        4 => (-2_i64..5).prop_map(Expr::Constant),
        6 => (0..SLOTS).prop_map(|slot| Expr::Slot(SlotId(slot))),
        2 => (0_i64..3).prop_map(|index| Expr::element(ArrayId(0), index)),
        1 => (0..SLOTS).prop_map(|slot| Expr::element(ArrayId(0), SlotId(slot))),
        1 => Just(Expr::Length(channel)),
        1 => Just(Expr::Front(channel, 0)),
        1 => Just(Expr::At(ProcessId(1), LocationId(1))),
    ]
}

fn number() -> impl Strategy<Value = Expr> {
    use BinaryOp::{Add, BitAnd, BitOr, Divide, Multiply, Remainder, Subtract};
    let op = prop::sample::select(vec![
        Add, Add, Add, Subtract, Subtract, Multiply, Remainder, Divide, BitAnd, BitOr,
    ]);
    let sum = (op, leaf(), leaf()).prop_map(|(op, left, right)| Expr::binary(op, left, right));
    let chosen = (comparison(), leaf(), leaf());
    prop_oneof![
        3 => leaf(),
        3 => sum,
        1 => chosen.prop_map(|(asked, one, other)| Expr::conditional(asked, one, other)),
        1 => (comparison(), leaf()).prop_map(|(asked, one)| Expr::binary(Multiply, asked, one)),
    ]
}

fn comparison() -> impl Strategy<Value = Expr> {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let ops = vec![
        Equal,
        Equal,
        Greater,
        GreaterEqual,
        Less,
        Less,
        LessEqual,
        NotEqual,
    ];
    let op = prop::sample::select(ops);
    (op, leaf(), leaf()).prop_map(|(op, left, right)| Expr::binary(op, left, right))
}

fn condition() -> impl Strategy<Value = Expr> {
    comparison().prop_recursive(2, 4, 2, |inner| {
        let op = prop::sample::select(vec![BinaryOp::And, BinaryOp::And, BinaryOp::Or]);
        prop_oneof![
            (op, inner.clone(), inner.clone())
                .prop_map(|(op, left, right)| Expr::binary(op, left, right)),
            inner.prop_map(|inner| Expr::unary(UnaryOp::Not, inner)),
        ]
    })
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => (0..SLOTS).prop_map(|slot| Place::Slot(SlotId(slot))),
        1 => (0_i64..3).prop_map(|index| Place::element(ArrayId(0), index)),
        1 => (0..SLOTS).prop_map(|slot| Place::element(ArrayId(0), SlotId(slot))),
    ]
}

fn read(place: &Place) -> Expr {
    match place {
        Place::Slot(slot) => Expr::Slot(*slot),
        Place::Element(array, index) => Expr::element(*array, index.clone()),
    }
}

fn effect() -> impl Strategy<Value = Effect> {
    let channel = ChannelId(0);
    let step = (place(), -1_i64..3).prop_map(|(place, by)| {
        let value = read(&place).plus(by);
        Effect::assign(place, value)
    });
    prop_oneof![
        4 => step,
        1 => (place(), 0_i64..4).prop_map(|(place, value)| Effect::assign(place, value)),
        2 => (place(), number()).prop_map(|(place, value)| Effect::assign(place, value)),
        1 => number().prop_map(move |value| Effect::Push { channel, values: vec![value] }),
        1 => prop::option::of(place())
            .prop_map(move |place| Effect::Pop { channel, places: vec![place] }),
    ]
}

type Step = (u32, u32, u32);
type RawAction = (Step, Option<Step>, Option<Expr>, Vec<Effect>);

fn action() -> impl Strategy<Value = RawAction> {
    let step = || (0..PROCESSES, 0..LOCATIONS, 0..LOCATIONS);
    (
        step(),
        prop::option::weighted(0.2, step()),
        prop::option::weighted(0.8, condition()),
        prop::collection::vec(effect(), 0..3),
    )
}

fn program() -> impl Strategy<Value = Program> {
    let kinds = prop::collection::vec(kind(), (SLOTS + 2) as usize);
    let actions = prop::collection::vec(action(), 3..11);
    (kinds, actions).prop_map(|(kinds, actions)| {
        let mut program = ProgramBuilder::new("random");
        for (number, kind) in kinds[..SLOTS as usize].iter().enumerate() {
            program.slot(format!("x{number}"), kind.clone(), 0);
        }
        program.array("a", &kinds[SLOTS as usize], &[0; 3]);
        program.channel("c", &kinds[SLOTS as usize + 1..], 2);
        for number in 0..PROCESSES {
            let process = program.process(format!("P{number}"));
            for place in 0..LOCATIONS {
                program.location(process, format!("l{place}"));
            }
        }
        for (number, raw) in actions.into_iter().enumerate() {
            add(&mut program, number, raw);
        }
        // Errors only end single steps, so that more states are reached.
        program.build().unwrap().with_error_states()
    })
}

fn add(program: &mut ProgramBuilder, number: usize, raw: RawAction) {
    let ((process, source, target), partner, guard, effects) = raw;
    let [source, target] = [source, target].map(LocationId);
    let mut action = program.action(format!("t{number}"), ProcessId(process), source, target);
    if let Some((other, source, target)) = partner.filter(|partner| partner.0 != process) {
        action = action.with(ProcessId(other), LocationId(source), LocationId(target));
    }
    if let Some(guard) = guard {
        action = action.guard(guard);
    }
    effects.into_iter().fold(action, ActionBuilder::effect);
}

#[test]
fn coordinates_never_fall() {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(4_000)
    };
    let (columns, sums) = (Cell::new(0), Cell::new(0));
    let test = |program: Program| {
        let found = measures(&program, &[], &Budget::of(5000 * Budget::MILLISECOND));
        columns.set(columns.get() + usize::from(!found.columns.is_empty()));
        let long = found.combined.iter().filter(|sum| sum.terms.len() > 1);
        sums.set(sums.get() + long.count());
        let explored = explore(&program, &found, ENOUGH);
        explored.map(|_| ()).map_err(TestCaseError::fail)
    };
    TestRunner::new(config).run(&program(), test).unwrap();
    // Otherwise the test would say little.
    assert!(columns.get() > 1_000, "{} with columns", columns.get());
    assert!(sums.get() > 100, "{} sums", sums.get());
}
