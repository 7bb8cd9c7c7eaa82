//! Programs evaluated as their definition says: on plain numbers, slot by slot, without any cleverness.

use sweepline_core::{ActionId, SlotId};
use sweepline_program::{
    Action, ArrayId, BinaryOp, ChannelId, Effect, Expr, Overflow, Place, Program, UnaryOp,
};

/// The values of all slots.
pub type State = Vec<i64>;

/// Something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong;

/// Steps up to the first failure, and that failure.
pub struct Outcome {
    pub steps: Vec<(ActionId, State)>,
    pub failed: Option<Failed>,
}

/// What fails.
#[derive(Debug)]
pub enum Failed {
    Assertion,
    Action(ActionId),
}

pub fn initial(program: &Program) -> State {
    program.slots().iter().map(|slot| slot.initial).collect()
}

pub fn successors(program: &Program, state: &State) -> Outcome {
    let mut steps = Vec::new();
    let mut failed = None;
    if !assertions_hold(program, state) {
        return Outcome {
            steps,
            failed: Some(Failed::Assertion),
        };
    }
    let committed =
        (0..program.processes().len()).any(|process| is_committed(program, state, process));
    for process in 0..program.processes().len() {
        for (action, id) in program.actions().iter().zip((0..).map(ActionId)) {
            let owned = action.moves[0].process.0 as usize == process;
            if !owned || !at_sources(program, state, action) {
                continue;
            }
            let involved = action.moves.iter().map(|step| step.process.0 as usize);
            if committed
                && !involved
                    .into_iter()
                    .any(|p| is_committed(program, state, p))
            {
                continue;
            }
            match take(program, state, action) {
                Ok(Some(target)) => steps.push((id, target)),
                Ok(None) => {}
                Err(Wrong) => {
                    failed = Some(Failed::Action(id));
                    return Outcome { steps, failed };
                }
            }
        }
    }
    Outcome { steps, failed }
}

fn location(program: &Program, state: &State, process: usize) -> usize {
    let slot = program.processes()[process].location;
    usize::try_from(state[slot.0 as usize]).unwrap()
}

fn is_committed(program: &Program, state: &State, process: usize) -> bool {
    let place = location(program, state, process);
    program.processes()[process].locations[place]
        .flags
        .committed
}

fn at_sources(program: &Program, state: &State, action: &Action) -> bool {
    let mut moves = action.moves.iter();
    moves.all(|step| location(program, state, step.process.0 as usize) == step.source.0 as usize)
}

fn assertions_hold(program: &Program, state: &State) -> bool {
    program.assertions().all(|(process, place, assertion)| {
        location(program, state, process.0 as usize) != place.0 as usize
            || matches!(evaluate(program, state, &assertion.condition), Ok(value) if value != 0)
    })
}

fn take(program: &Program, state: &State, action: &Action) -> Result<Option<State>, Wrong> {
    if evaluate(program, state, &action.guard)? == 0 {
        return Ok(None);
    }
    let mut target = state.clone();
    for effect in &action.effects {
        execute(program, &mut target, effect)?;
    }
    for step in &action.moves {
        let slot = program.process(step.process).location;
        target[slot.0 as usize] = i64::from(step.target.0);
    }
    Ok(Some(target))
}

fn execute(program: &Program, state: &mut State, effect: &Effect) -> Result<(), Wrong> {
    match effect {
        Effect::Assign { place, value } => {
            let value = evaluate(program, state, value)?;
            assign(program, state, place, value)
        }
        Effect::Push { channel, values } => {
            let channel = program.channel(*channel);
            let length = state[channel.length.0 as usize];
            if length == i64::from(channel.capacity) {
                return Err(Wrong);
            }
            let mut message = Vec::new();
            for (value, field) in values.iter().zip(&channel.fields) {
                let slot = program.array(*field).element(length).unwrap();
                message.push((slot, fit(program, slot, evaluate(program, state, value)?)?));
            }
            for (slot, value) in message {
                state[slot.0 as usize] = value;
            }
            state[channel.length.0 as usize] += 1;
            Ok(())
        }
        Effect::Pop { channel, places } => {
            let channel = program.channel(*channel);
            if state[channel.length.0 as usize] == 0 {
                return Err(Wrong);
            }
            for (place, field) in places.iter().zip(&channel.fields) {
                if let Some(place) = place {
                    let head = state[program.array(*field).first.0 as usize];
                    assign(program, state, place, head)?;
                }
            }
            for field in &channel.fields {
                let array = program.array(*field);
                let first = array.first.0 as usize;
                let elements = &mut state[first..first + array.length as usize];
                elements.rotate_left(1);
                *elements.last_mut().unwrap() = program.slot(array.first).initial;
            }
            state[channel.length.0 as usize] -= 1;
            Ok(())
        }
    }
}

fn assign(program: &Program, state: &mut State, place: &Place, value: i64) -> Result<(), Wrong> {
    let slot = match place {
        Place::Slot(slot) => *slot,
        Place::Element(array, index) => {
            let index = evaluate(program, state, index)?;
            program.array(*array).element(index).ok_or(Wrong)?
        }
    };
    state[slot.0 as usize] = fit(program, slot, value)?;
    Ok(())
}

fn fit(program: &Program, slot: SlotId, value: i64) -> Result<i64, Wrong> {
    let kind = &program.slot(slot).kind;
    match kind.overflow {
        _ if kind.contains(value) => Ok(value),
        Overflow::Error => Err(Wrong),
        Overflow::Wrap => {
            let size = i128::from(kind.greatest) - i128::from(kind.least) + 1;
            let above = (i128::from(value) - i128::from(kind.least)).rem_euclid(size);
            Ok(i64::try_from(i128::from(kind.least) + above).unwrap())
        }
    }
}

pub fn evaluate(program: &Program, state: &State, expr: &Expr) -> Result<i64, Wrong> {
    let value = |expr: &Expr| evaluate(program, state, expr);
    match expr {
        Expr::Constant(value) => Ok(*value),
        Expr::Slot(slot) => Ok(state[slot.0 as usize]),
        Expr::Element(array, index) => element(program, state, *array, value(index)?),
        Expr::Unary(op, operand) => {
            let operand = value(operand)?;
            match op {
                UnaryOp::Negate => narrow(-i128::from(operand)),
                UnaryOp::Not => Ok(i64::from(operand == 0)),
                UnaryOp::Complement => Ok(!operand),
            }
        }
        Expr::Binary(op, left, right) => match (op, value(left)?) {
            (BinaryOp::And, 0) => Ok(0),
            (BinaryOp::Imply, 0) => Ok(1),
            (BinaryOp::Or, left) if left != 0 => Ok(1),
            (op, left) => binary(*op, left, value(right)?),
        },
        Expr::Conditional(condition, then, otherwise) => match value(condition)? {
            0 => value(otherwise),
            _ => value(then),
        },
        Expr::At(process, place) => {
            let here = location(program, state, process.0 as usize);
            Ok(i64::from(here == place.0 as usize))
        }
        Expr::Length(channel) => Ok(length(program, state, *channel)),
        Expr::Full(channel) => {
            let capacity = i64::from(program.channel(*channel).capacity);
            Ok(i64::from(length(program, state, *channel) == capacity))
        }
        Expr::Empty(channel) => Ok(i64::from(length(program, state, *channel) == 0)),
        Expr::Front(channel, component) => {
            if length(program, state, *channel) == 0 {
                return Err(Wrong);
            }
            let field = program.channel(*channel).fields[*component as usize];
            element(program, state, field, 0)
        }
    }
}

fn length(program: &Program, state: &State, channel: ChannelId) -> i64 {
    state[program.channel(channel).length.0 as usize]
}

fn element(program: &Program, state: &State, array: ArrayId, index: i64) -> Result<i64, Wrong> {
    let slot = program.array(array).element(index).ok_or(Wrong)?;
    Ok(state[slot.0 as usize])
}

fn binary(op: BinaryOp, left: i64, right: i64) -> Result<i64, Wrong> {
    let (a, b) = (i128::from(left), i128::from(right));
    match op {
        BinaryOp::Add => narrow(a + b),
        BinaryOp::Subtract => narrow(a - b),
        BinaryOp::Multiply => narrow(a * b),
        BinaryOp::Divide => narrow(a.checked_div(b).ok_or(Wrong)?),
        BinaryOp::Remainder => narrow(a.checked_rem(b).ok_or(Wrong)?),
        BinaryOp::BitAnd => Ok(left & right),
        BinaryOp::BitOr => Ok(left | right),
        BinaryOp::BitXor => Ok(left ^ right),
        BinaryOp::ShiftLeft if (0..64).contains(&right) => narrow(a << b),
        BinaryOp::ShiftRight if (0..64).contains(&right) => narrow(a >> b),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Err(Wrong),
        BinaryOp::Equal => Ok(i64::from(a == b)),
        BinaryOp::NotEqual => Ok(i64::from(a != b)),
        BinaryOp::Less => Ok(i64::from(a < b)),
        BinaryOp::LessEqual => Ok(i64::from(a <= b)),
        BinaryOp::Greater => Ok(i64::from(a > b)),
        BinaryOp::GreaterEqual => Ok(i64::from(a >= b)),
        BinaryOp::And => Ok(i64::from(left != 0 && right != 0)),
        BinaryOp::Or => Ok(i64::from(left != 0 || right != 0)),
        BinaryOp::Imply => Ok(i64::from(left == 0 || right != 0)),
    }
}

fn narrow(value: i128) -> Result<i64, Wrong> {
    i64::try_from(value).map_err(|_| Wrong)
}
