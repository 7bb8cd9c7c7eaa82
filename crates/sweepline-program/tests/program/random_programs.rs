//! The interpreter, compiled code and the definition agree on random programs.

use std::collections::{HashSet, VecDeque};

use proptest::prelude::*;
use sweepline_core::{Fault, SlotId, Steps, System, Word};
use sweepline_program::{
    ActionBuilder, ArrayId, BinaryOp, ChannelId, Conditions, Effect, Expr, LocationId, Overflow,
    Place, ProcessId, Program, ProgramBuilder, ProgramSystem, SlotType, Span, UnaryOp,
};

use crate::reference::{self, Failed};

const SLOTS: u32 = 4;
const ARRAYS: u32 = 2;
const PROCESSES: u32 = 3;
const LOCATIONS: u32 = 3;
/// States of a program that are looked at.
const ENOUGH: usize = 150;

fn kind() -> impl Strategy<Value = SlotType> {
    let range = prop_oneof![
        4 => (-4_i64..=0, 0_i64..12),
        3 => Just((0, 255)),
        1 => Just((i64::MIN, i64::MAX)),
        1 => Just((-(1 << 40), 1 << 40)),
    ];
    (range, prop::bool::weighted(0.8)).prop_map(|((least, greatest), wraps)| SlotType {
        overflow: if wraps {
            Overflow::Wrap
        } else {
            Overflow::Error
        },
        ..SlotType::integer(least, greatest)
    })
}

pub(crate) fn expr() -> impl Strategy<Value = Expr> {
    let place = (0..PROCESSES, 0..LOCATIONS);
    let leaf = prop_oneof![
        4 => (-3_i64..12).prop_map(Expr::Constant),
        1 => prop::sample::select(vec![i64::MIN, i64::MAX, -1, 1 << 31, 63, 64]).prop_map(Expr::Constant),
        6 => (0..SLOTS).prop_map(|slot| Expr::Slot(SlotId(slot))),
        1 => place.prop_map(|(process, place)| Expr::At(ProcessId(process), LocationId(place))),
        1 => prop::sample::select(vec![
            Expr::Length(ChannelId(0)), Expr::Full(ChannelId(0)), Expr::Empty(ChannelId(0)),
            Expr::Front(ChannelId(0), 0), Expr::Front(ChannelId(0), 1),
        ]),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let unary = prop::sample::select(vec![UnaryOp::Negate, UnaryOp::Not, UnaryOp::Complement]);
        prop_oneof![
            3 => (0..ARRAYS, index(inner.clone())).prop_map(|(array, index)| Expr::element(ArrayId(array), index)),
            1 => (unary, inner.clone()).prop_map(|(op, operand)| Expr::unary(op, operand)),
            6 => (operator(), inner.clone(), inner.clone())
                .prop_map(|(op, left, right)| Expr::binary(op, left, right)),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(condition, then, otherwise)| Expr::conditional(condition, then, otherwise)),
        ]
    })
}

/// An index that is in bounds more often than not.
fn index(any: impl Strategy<Value = Expr>) -> impl Strategy<Value = Expr> {
    (any, 0..4).prop_map(|(any, wild)| match wild {
        0 => any,
        _ => Expr::binary(BinaryOp::BitAnd, any, 3),
    })
}

fn operator() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::*;
    prop::sample::select(vec![
        Add,
        Add,
        Subtract,
        Multiply,
        Divide,
        Remainder,
        BitAnd,
        BitOr,
        BitXor,
        ShiftLeft,
        ShiftRight,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        And,
        Or,
        Imply,
    ])
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        (0..SLOTS).prop_map(|slot| Place::Slot(SlotId(slot))),
        (0..ARRAYS, index(expr())).prop_map(|(array, index)| Place::element(ArrayId(array), index)),
    ]
}

fn effect() -> impl Strategy<Value = Effect> {
    let channel = ChannelId(0);
    prop_oneof![
        4 => (place(), expr()).prop_map(|(place, value)| Effect::assign(place, value)),
        1 => prop::collection::vec(expr(), 2).prop_map(move |values| Effect::Push { channel, values }),
        1 => prop::collection::vec(prop::option::of(place()), 2)
            .prop_map(move |places| Effect::Pop { channel, places }),
    ]
}

#[derive(Clone, Debug)]
struct RawAction {
    owner: (u32, u32, u32),
    partner: Option<(u32, u32, u32)>,
    guard: Option<Expr>,
    effects: Vec<Effect>,
}

fn action() -> impl Strategy<Value = RawAction> {
    let step = || (0..PROCESSES, 0..LOCATIONS, 0..LOCATIONS);
    (
        step(),
        prop::option::weighted(0.3, step()),
        prop::option::of(expr()),
        prop::collection::vec(effect(), 0..4),
    )
        .prop_map(|(owner, partner, guard, effects)| RawAction {
            owner,
            partner: partner.filter(|other| other.0 != owner.0),
            guard,
            effects,
        })
}

pub(crate) fn program() -> impl Strategy<Value = Program> {
    (
        prop::collection::vec(kind(), (SLOTS + 4) as usize),
        prop::collection::vec(1_usize..9, ARRAYS as usize),
        1_u32..5,
        prop::collection::vec(prop::bool::weighted(0.15), (PROCESSES * LOCATIONS) as usize),
        prop::collection::vec(action(), 1..10),
        prop::option::weighted(0.2, (0..PROCESSES, 0..LOCATIONS, expr())),
    )
        .prop_map(
            |(kinds, lengths, capacity, committed, actions, assertion)| {
                let mut program = ProgramBuilder::new("random");
                let (slots, others) = kinds.split_at(SLOTS as usize);
                for (number, kind) in slots.iter().enumerate() {
                    program.slot(format!("x{number}"), kind.clone(), 0);
                }
                for (number, length) in lengths.iter().enumerate() {
                    program.array(format!("a{number}"), &others[number], &vec![0; *length]);
                }
                program.channel("c", &others[2..], capacity);
                for number in 0..PROCESSES {
                    let process = program.process(format!("P{number}"));
                    for place in 0..LOCATIONS {
                        let location = program.location(process, format!("l{place}"));
                        program.location_mut(process, location).flags.committed =
                            committed[(number * LOCATIONS + place) as usize];
                    }
                }
                if let Some((process, place, condition)) = assertion {
                    program.assert(
                        ProcessId(process),
                        LocationId(place),
                        condition,
                        Span::default(),
                    );
                }
                for (number, raw) in actions.into_iter().enumerate() {
                    add(&mut program, number, raw);
                }
                program.build().unwrap()
            },
        )
}

fn add(program: &mut ProgramBuilder, number: usize, raw: RawAction) {
    let (process, source, target) = raw.owner;
    let mut action = program.action(
        format!("t{number}"),
        ProcessId(process),
        LocationId(source),
        LocationId(target),
    );
    if let Some((process, source, target)) = raw.partner {
        action = action.with(ProcessId(process), LocationId(source), LocationId(target));
    }
    if let Some(guard) = raw.guard {
        action = action.guard(guard);
    }
    raw.effects.into_iter().fold(action, ActionBuilder::effect);
}

fn pack(system: &ProgramSystem, state: &[i64]) -> Vec<Word> {
    let mut words = vec![0; system.layout().width().unwrap()];
    for (slot, value) in system.layout().slots().iter().zip(state) {
        slot.write(&mut words, *value).unwrap();
    }
    words
}

fn compare(program: &Program) -> Result<(), TestCaseError> {
    let interpreter = ProgramSystem::new(program.clone());
    #[cfg(feature = "jit")]
    let compiled = sweepline_program::CompiledSystem::new(&interpreter).unwrap();
    let initial = reference::initial(program);
    let mut front = VecDeque::from([initial.clone()]);
    let mut known = HashSet::from([initial]);
    while let Some(state) = front.pop_front() {
        let expected = reference::successors(program, &state);
        let words = pack(&interpreter, &state);
        let mut steps = Steps::for_layout(interpreter.layout());
        interpreter.successors(&words, &mut steps);
        agree(&interpreter, &expected, &steps)?;
        #[cfg(feature = "jit")]
        {
            let mut native = Steps::for_layout(interpreter.layout());
            compiled.successors(&words, &mut native);
            prop_assert_eq!(native.actions(), steps.actions());
            prop_assert_eq!(native.words(), steps.words());
            prop_assert_eq!(native.fault(), steps.fault());
        }
        for (_, target) in expected.steps {
            if known.len() < ENOUGH && known.insert(target.clone()) {
                front.push_back(target);
            }
        }
    }
    Ok(())
}

fn agree(
    system: &ProgramSystem,
    expected: &reference::Outcome,
    steps: &Steps,
) -> Result<(), TestCaseError> {
    let failed = steps.fault().map(|fault| match fault {
        Fault::Model { action, .. } => Some(*action),
        Fault::Assertion(_) => None,
        Fault::Outgrown { .. } | Fault::Full | Fault::TooMany { .. } => {
            panic!("programs do not outgrow their slots")
        }
    });
    prop_assert_eq!(failed.is_some(), expected.failed.is_some());
    if let Some(Failed::Action(action)) = expected.failed {
        prop_assert_eq!(failed, Some(Some(action)));
    } else {
        // Nothing else fails than assertions.
        prop_assert_eq!(failed.flatten(), None);
    }
    prop_assert_eq!(steps.len(), expected.steps.len());
    for (index, (action, target)) in expected.steps.iter().enumerate() {
        prop_assert_eq!(steps.actions()[index], *action);
        prop_assert_eq!(steps.target(index), &*pack(system, target));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn all_ways_to_run_a_program_agree(program in program()) {
        compare(&program)?;
    }

    #[test]
    fn programs_that_cannot_fail_do_not(program in program()) {
        if !program.can_fail() {
            never_fails(&program)?;
        }
    }

    #[test]
    fn accesses_cover_what_steps_do(program in program()) {
        covers(&program)?;
    }

    #[test]
    fn conditions_hold_as_they_are_defined(
        program in program(),
        conditions in prop::collection::vec(expr(), 1..100),
        left_out in 2..7_usize,
    ) {
        holds_as_defined(program, &conditions, left_out)?;
    }

    #[test]
    fn expressions_have_one_value((program, expr) in (program(), expr())) {
        let system = ProgramSystem::new(program);
        let initial = reference::initial(system.program());
        let words = pack(&system, &initial);
        let expected = reference::evaluate(system.program(), &initial, &expr).ok();
        prop_assert_eq!(system.evaluate(&expr, &words).ok(), expected);
        #[cfg(feature = "jit")]
        {
            let compiled = sweepline_program::CompiledExpr::new(&system, &expr).unwrap();
            prop_assert_eq!(compiled.evaluate(&words), system.evaluate(&expr, &words));
        }
    }
}

/// Conditions all at once, interpreted and compiled, against the definition. Some are not compiled.
fn holds_as_defined(
    program: Program,
    conditions: &[Expr],
    left_out: usize,
) -> Result<(), TestCaseError> {
    let system = ProgramSystem::new(program);
    let program = system.program();
    let asked = Conditions::new(program, system.layout(), conditions);
    #[cfg(feature = "jit")]
    let compiled = {
        let wanted = |condition: usize| !condition.is_multiple_of(left_out);
        let width = system.layout().width().unwrap();
        sweepline_program::CompiledConditions::new(&asked, wanted, width).unwrap()
    };
    for state in first_states(program, 20) {
        let words = pack(&system, &state);
        let mut truths = vec![Word::MAX; asked.words()];
        asked.write(&words, &mut truths);
        let mut native = vec![0; asked.words()];
        #[cfg(feature = "jit")]
        compiled.write(&words, &mut native);
        for (index, condition) in conditions.iter().enumerate() {
            let value = reference::evaluate(program, &state, condition).ok();
            let expected = value.map_or(0, |value| if value == 0 { 2 } else { 1 });
            let bits = |truths: &[Word]| (truths[index / 32] >> (2 * (index % 32))) & 3;
            prop_assert_eq!(bits(&truths), expected);
            let is_compiled = cfg!(feature = "jit") && !index.is_multiple_of(left_out);
            prop_assert_eq!(bits(&native), if is_compiled { expected } else { 0 });
        }
    }
    Ok(())
}

fn first_states(program: &Program, most: usize) -> Vec<Vec<i64>> {
    let mut states = vec![reference::initial(program)];
    let mut next = 0;
    while next < states.len() && states.len() < most {
        for (_, target) in reference::successors(program, &states[next]).steps {
            if !states.contains(&target) {
                states.push(target);
            }
        }
        next += 1;
    }
    states
}

/// None of the first states fails.
fn never_fails(program: &Program) -> Result<(), TestCaseError> {
    let initial = reference::initial(program);
    let mut front = VecDeque::from([initial.clone()]);
    let mut known = HashSet::from([initial]);
    while let Some(state) = front.pop_front() {
        let outcome = reference::successors(program, &state);
        prop_assert!(outcome.failed.is_none(), "{:?}", outcome.failed);
        for (_, target) in outcome.steps {
            if known.len() < ENOUGH && known.insert(target.clone()) {
                front.push_back(target);
            }
        }
    }
    Ok(())
}

/// A step changes only what its action may write.
fn covers(program: &Program) -> Result<(), TestCaseError> {
    let state = reference::initial(program);
    for (action, target) in reference::successors(program, &state).steps {
        let access = program.access(action);
        for (slot, (before, after)) in (0..).map(SlotId).zip(state.iter().zip(&target)) {
            prop_assert!(before == after || access.writes.contains(&slot));
        }
    }
    Ok(())
}
