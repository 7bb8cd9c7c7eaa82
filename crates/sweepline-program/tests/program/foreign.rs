//! States nobody reached: whatever the words are, compiled code does what the interpreter does.

use proptest::prelude::*;
use sweepline_core::{Steps, System, Word};
use sweepline_program::{
    BinaryOp, CompiledExpr, CompiledSystem, Effect, Expr, Place, Program, ProgramBuilder,
    ProgramSystem, SlotType,
};

use crate::random_programs::{expr, program};

/// The steps of a state, and what is wrong with it.
fn steps(system: &dyn System, state: &[Word]) -> Steps {
    let mut steps = Steps::for_layout(system.layout());
    system.successors(state, &mut steps);
    steps
}

/// Words of all kinds, often such that few bits are set or few are not.
fn words(width: usize) -> impl Strategy<Value = Vec<Word>> {
    let word = prop_oneof![
        3 => any::<Word>(),
        1 => Just(Word::MAX),
        1 => Just(0),
        1 => (any::<Word>(), any::<Word>()).prop_map(|(a, b)| a & b),
        1 => (any::<Word>(), any::<Word>()).prop_map(|(a, b)| a | b),
    ];
    prop::collection::vec(word, width)
}

fn compare(program: Program, states: &[Vec<Word>]) -> Result<(), TestCaseError> {
    let interpreter = ProgramSystem::new(program);
    let compiled = CompiledSystem::new(&interpreter).unwrap();
    let width = interpreter.layout().width().unwrap();
    for state in states {
        let state = &state[..width];
        let (expected, found) = (steps(&interpreter, state), steps(&compiled, state));
        prop_assert_eq!(found.actions(), expected.actions());
        prop_assert_eq!(found.words(), expected.words());
        prop_assert_eq!(found.fault(), expected.fault());
    }
    Ok(())
}

/// Enough for every random program.
const WIDEST: usize = 48;

fn states() -> impl Strategy<Value = Vec<Vec<Word>>> {
    prop::collection::vec(words(WIDEST), 24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_words_have_the_steps_the_interpreter_gives_them(
        (program, states) in (program(), states()),
    ) {
        compare(program, &states)?;
    }

    #[test]
    fn so_they_have_in_programs_with_error_states((program, states) in (program(), states())) {
        compare(program.with_error_states(), &states)?;
    }

    #[test]
    fn expressions_have_one_value_for_any_words(
        (program, expr, states) in (program(), expr(), states()),
    ) {
        let system = ProgramSystem::new(program);
        let compiled = CompiledExpr::new(&system, &expr).unwrap();
        let width = system.layout().width().unwrap();
        for state in states {
            let state = &state[..width];
            prop_assert_eq!(compiled.evaluate(state), system.evaluate(&expr, state));
        }
    }
}

/// A process that walks through an array of five elements, far apart in memory, and comes to its end.
fn walker() -> Program {
    let mut program = ProgramBuilder::new("walker");
    let index = program.slot("i", SlotType::integer(0, 255), 0);
    let wide = SlotType::integer(i64::MIN, i64::MAX);
    let array = program.array("a", &wide, &[i64::MIN, i64::MAX, 0, 0, 0]);
    let process = program.process("P");
    let walk = program.location(process, "walk");
    let wait = program.location(process, "wait");
    program.location(process, "end");
    program
        .action("step", process, walk, wait)
        .guard(Expr::slot(index).less(4))
        .effect(Effect::assign(Place::element(array, Expr::slot(index)), 7))
        .effect(Effect::assign(index, Expr::slot(index).plus(1)));
    program.action("again", process, wait, walk);
    program.build().unwrap()
}

/// The state of a system with these values in its first bits.
fn state_with(system: &ProgramSystem, values: &[(&str, Word)]) -> Vec<Word> {
    let mut state = vec![0; system.layout().width().unwrap()];
    for (name, bits) in values {
        let slot = system.layout().slot_named(name).unwrap();
        let slot = system.layout().slot(slot);
        assert!(*bits <= slot.mask(), "{name} has room for {bits}");
        state[slot.word] |= bits << slot.shift;
    }
    state
}

fn fault_of(steps: &Steps) -> String {
    format!("{:?}", steps.fault().expect("there is no such state"))
}

#[test]
fn an_index_the_analysis_ruled_out_is_checked() {
    // The index never exceeds 4 in a reachable state but has bits for 7; without its guard the step is out of bounds.
    let mut program = ProgramBuilder::new("reader");
    let index = program.slot("i", SlotType::integer(0, 255), 4);
    let wide = SlotType::integer(i64::MIN, i64::MAX);
    let array = program.array("a", &wide, &[i64::MIN, i64::MAX, 0, 0, 0]);
    let process = program.process("P");
    let here = program.location(process, "here");
    program
        .action("read", process, here, here)
        .guard(Expr::element(array, Expr::slot(index)).equals(1))
        .effect(Effect::assign(index, 0));
    let system = ProgramSystem::new(program.build().unwrap());
    let compiled = CompiledSystem::new(&system).unwrap();
    let state = state_with(&system, &[("i", 7)]);
    let (expected, found) = (steps(&system, &state), steps(&compiled, &state));
    assert!(fault_of(&expected).contains("index 7"), "{expected:?}");
    assert_eq!(found.fault(), expected.fault());
}

#[test]
fn a_process_that_is_nowhere_is_a_fault() {
    let system = ProgramSystem::new(walker());
    let compiled = CompiledSystem::new(&system).unwrap();
    let state = state_with(&system, &[("P", 3)]);
    let (expected, found) = (steps(&system, &state), steps(&compiled, &state));
    assert!(fault_of(&expected).contains("nowhere"), "{expected:?}");
    assert_eq!(found.fault(), expected.fault());
}

#[test]
fn a_value_the_bits_have_no_room_for_does_not_spill() {
    let mut program = ProgramBuilder::new("counter");
    let n = program.slot("n", SlotType::integer(0, 255), 0);
    let m = program.slot("m", SlotType::integer(0, 255), 0);
    let process = program.process("P");
    let here = program.location(process, "here");
    program
        .action("copy", process, here, here)
        .guard(Expr::slot(n).less(5))
        .effect(Effect::assign(n, Expr::slot(n).plus(1)))
        .effect(Effect::assign(m, Expr::slot(n).minus(1)));
    program
        .action("count", process, here, here)
        .effect(Effect::assign(m, Expr::slot(n).plus(1)));
    let system = ProgramSystem::new(program.build().unwrap());
    let compiled = CompiledSystem::new(&system).unwrap();
    let state = state_with(&system, &[("n", 7)]);
    let (expected, found) = (steps(&system, &state), steps(&compiled, &state));
    assert!(
        fault_of(&expected).contains("`m` would become 8"),
        "{expected:?}"
    );
    assert_eq!(found.fault(), expected.fault());
}

#[test]
fn a_divisor_the_analysis_ruled_out_is_checked() {
    // The divisor goes from -5 to -1 and has bits for 0 too.
    let mut program = ProgramBuilder::new("divisor");
    let divisor = program.slot("d", SlotType::integer(-9, 9), -5);
    let n = program.slot("n", SlotType::integer(i64::MIN, i64::MAX), 5);
    let process = program.process("P");
    let here = program.location(process, "here");
    let remainder = Expr::binary(BinaryOp::Remainder, Expr::slot(n), Expr::slot(divisor));
    program
        .action("divide", process, here, here)
        .guard(Expr::slot(divisor).differs(-1))
        .effect(Effect::assign(n, remainder))
        .effect(Effect::assign(divisor, Expr::slot(divisor).plus(1)));
    let system = ProgramSystem::new(program.build().unwrap());
    let compiled = CompiledSystem::new(&system).unwrap();
    let state = state_with(&system, &[("d", 5)]);
    let (expected, found) = (steps(&system, &state), steps(&compiled, &state));
    assert!(
        fault_of(&expected).contains("division by zero"),
        "{expected:?}"
    );
    assert_eq!(found.fault(), expected.fault());
}
