//! The loop over instructions.

use crate::ml::code::{Code, Function, Op};
use crate::ml::core::FunctionId;
use crate::ml::machine::native::Raised;
use crate::ml::machine::{EXCEPTIONS, Machine};
use crate::ml::{Failure, Tokens, Value};

/// A function that waits for another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Which function it is; the largest number for an expression.
    function: u32,
    /// Its next instruction.
    next: u32,
    /// Where its locals begin.
    base: u32,
    /// What it has captured.
    captured: Value,
}

/// Where an exception leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handler {
    frames: u32,
    stack: u32,
    target: u32,
    /// The delay that was in force.
    delay: i64,
}

/// The function that runs now. It is copied rather than changed in place, so that it stays in registers.
#[derive(Clone, Copy)]
struct Now<'a> {
    code: &'a [Op],
    frame: Frame,
}

const EXPRESSION: u32 = u32::MAX;

/// Values on the stack, so that no budget for depth takes all memory.
const MOST_STACK: usize = 4_000_000;

impl Machine {
    /// Executes code for a binding.
    pub(super) fn run(
        &mut self,
        code: &Code,
        binding: &[Value],
        out: &mut Vec<Tokens>,
    ) -> Result<Value, Failure> {
        self.stack.clear();
        self.frames.clear();
        self.handlers.clear();
        if self.values.is_full() {
            return Err(Failure::Full);
        }
        self.most_values = self.values.len().saturating_add(self.budget.values);
        // Functions are lent out, so that the table of values can change while their code is read.
        let functions = std::mem::take(&mut self.functions);
        let kept = out.len();
        let result = self.execute(&functions, code, binding, out);
        self.functions = functions;
        if result.is_err() {
            out.truncate(kept);
        }
        result
    }

    #[expect(clippy::too_many_lines, reason = "a table of instructions")]
    fn execute<'a>(
        &mut self,
        functions: &'a [Function],
        expression: &'a Code,
        binding: &[Value],
        out: &mut Vec<Tokens>,
    ) -> Result<Value, Failure> {
        let mut now = Now {
            code: &expression.ops,
            frame: Frame {
                function: EXPRESSION,
                next: 0,
                base: 0,
                captured: Value::UNIT,
            },
        };
        self.stack.resize(expression.locals as usize, Value::UNIT);
        let mut steps = self.budget.steps;
        let mut delay = 0_i64;
        loop {
            let op = now.code[now.frame.next as usize];
            now.frame.next += 1;
            // Instructions that cannot fail go on at once.
            let result = match op {
                Op::Push(value) => {
                    self.stack.push(value);
                    continue;
                }
                Op::Constant(constant) => {
                    self.stack.push(self.constants[constant.0 as usize]);
                    continue;
                }
                Op::Local(slot) => {
                    self.stack
                        .push(self.stack[(now.frame.base + slot) as usize]);
                    continue;
                }
                Op::Variable(variable) => {
                    self.stack.push(binding[variable as usize]);
                    continue;
                }
                Op::Captured(number) => {
                    let captured = self.values.fields(now.frame.captured)[number as usize];
                    self.stack.push(captured);
                    continue;
                }
                Op::Global(global) => {
                    self.stack.push(self.globals[global as usize]);
                    continue;
                }
                Op::Store(slot) => {
                    let value = self.pop();
                    self.stack[(now.frame.base + slot) as usize] = value;
                    continue;
                }
                Op::Pop => {
                    self.pop();
                    continue;
                }
                Op::Fields(count) => {
                    let start = self.stack.len() - count as usize;
                    let value = self.values.tuple(&self.stack[start..]);
                    self.stack.truncate(start);
                    self.stack.push(value);
                    continue;
                }
                Op::Pair => {
                    let (first, second) = self.two();
                    let value = self.values.pair(first, second);
                    self.stack.push(value);
                    continue;
                }
                Op::Construct(tag) => {
                    let argument = self.pop();
                    let value = self.values.pair(Value::small(tag), argument);
                    self.stack.push(value);
                    continue;
                }
                Op::Field(position) => {
                    let record = self.pop();
                    let field = self.values.fields(record)[position as usize];
                    self.stack.push(field);
                    continue;
                }
                Op::LocalField(slot, position) => {
                    let record = self.stack[(now.frame.base + slot) as usize];
                    let field = self.values.fields(record)[position as usize];
                    self.stack.push(field);
                    continue;
                }
                Op::Jump(to) => {
                    now.frame.next = to;
                    continue;
                }
                Op::JumpUnless(to) => {
                    if self.pop() != Value::TRUE {
                        now.frame.next = to;
                    }
                    continue;
                }
                Op::UnlessSmall(slot, value, to) => {
                    if self.stack[(now.frame.base + slot) as usize] != Value::small(value) {
                        now.frame.next = to;
                    }
                    continue;
                }
                Op::UnlessConstant(slot, constant, to) => {
                    let local = self.stack[(now.frame.base + slot) as usize];
                    if local != self.constants[constant.0 as usize] {
                        now.frame.next = to;
                    }
                    continue;
                }
                Op::UnlessStored(slot, to) => {
                    if !self.stack[(now.frame.base + slot) as usize].is_stored() {
                        now.frame.next = to;
                    }
                    continue;
                }
                Op::UnlessTag(slot, tag, to) => {
                    let local = self.stack[(now.frame.base + slot) as usize];
                    if self.values.fields(local).first() != Some(&Value::small(tag)) {
                        now.frame.next = to;
                    }
                    continue;
                }
                Op::Closure(id) => {
                    let captured = self.pop();
                    let value = self.closure(id, captured);
                    self.stack.push(value);
                    continue;
                }
                Op::Sibling(id) => {
                    let value = self.closure(id, now.frame.captured);
                    self.stack.push(value);
                    continue;
                }
                Op::TailCall(id) => {
                    steps = self.paid(steps)?;
                    now = self.tail_call(functions, now, id, Value::UNIT);
                    continue;
                }
                Op::TailSibling(id) => {
                    steps = self.paid(steps)?;
                    now = self.tail_call(functions, now, id, now.frame.captured);
                    continue;
                }
                Op::Return => {
                    let result = self.pop();
                    let Some(frame) = self.frames.pop() else {
                        return Ok(result);
                    };
                    self.stack.truncate(now.frame.base as usize);
                    now = resumed(functions, expression, frame);
                    self.stack.push(result);
                    continue;
                }
                Op::Try(target) => {
                    self.handlers.push(Handler {
                        frames: stack_place(self.frames.len()),
                        stack: stack_place(self.stack.len()),
                        target,
                        delay,
                    });
                    continue;
                }
                Op::EndTry => {
                    self.handlers.pop();
                    continue;
                }
                Op::EmitOne => {
                    let value = self.pop();
                    let count = 1;
                    out.push(Tokens {
                        count,
                        value,
                        delay,
                    });
                    continue;
                }
                Op::DropDelay(slot) => {
                    let more = self.stack[(now.frame.base + slot) as usize];
                    delay = delay.saturating_sub(more.as_int().unwrap_or(0));
                    continue;
                }
                Op::Primitive(primitive) => {
                    // A copy, whose address may be known to others without costing anything here.
                    let mut rest = steps;
                    let result = self.primitive(primitive, &mut rest);
                    steps = rest;
                    result
                }
                Op::Index(colour) => {
                    let value = self.stack[self.stack.len() - 1];
                    let mut rest = steps;
                    let paid = self.pay(&mut rest, self.values.size(value));
                    steps = rest;
                    paid.and_then(|()| {
                        let inside = self.colours.contains(colour, value, &self.values);
                        inside.then_some(()).ok_or_else(|| raised("OutOfRange"))
                    })
                }
                Op::Call(id) => {
                    steps = self.paid(steps)?;
                    now = self.call(functions, now, id, Value::UNIT)?;
                    continue;
                }
                Op::CallSibling(id) => {
                    steps = self.paid(steps)?;
                    now = self.call(functions, now, id, now.frame.captured)?;
                    continue;
                }
                Op::CallWith(id) => {
                    steps = self.paid(steps)?;
                    let captured = self.pop();
                    now = self.call(functions, now, id, captured)?;
                    continue;
                }
                Op::Apply => {
                    steps = self.paid(steps)?;
                    now = self.apply(functions, now, false)?;
                    continue;
                }
                Op::TailApply => {
                    steps = self.paid(steps)?;
                    now = self.apply(functions, now, true)?;
                    continue;
                }
                Op::Stop => return Ok(Value::UNIT),
                Op::Raise => Err(Raised::Exception(self.pop())),
                Op::RaiseMatch => Err(raised("Match")),
                Op::RaiseBind => Err(raised("Bind")),
                Op::Reference(number) => {
                    let name = self.references[number as usize].clone();
                    Err(Raised::from(Failure::Reference(name)))
                }
                Op::Emit => {
                    let (count, value) = self.two();
                    emit(out, count.as_int().unwrap_or(0), value, delay)
                }
                Op::EmitList => {
                    let mut rest = steps;
                    let list = self.pop();
                    let elements = self.taken(list, &mut rest);
                    steps = rest;
                    elements.map(|elements| {
                        let each = elements.into_iter();
                        out.extend(each.map(|value| Tokens {
                            count: 1,
                            value,
                            delay,
                        }));
                    })
                }
                Op::EmitStamped => {
                    let mut rest = steps;
                    let list = self.pop();
                    let stamped = self.taken(list, &mut rest);
                    steps = rest;
                    stamped.and_then(|stamped| {
                        let mut each = stamped.into_iter();
                        each.try_for_each(|one| self.emit_stamped(out, one, delay))
                    })
                }
                Op::EmitStampedOne => {
                    let one = self.pop();
                    self.emit_stamped(out, one, delay)
                }
                Op::AddDelay => {
                    let more = self.pop().as_int().unwrap_or(0);
                    delay = delay.saturating_add(more);
                    let failure = (more < 0).then_some(Failure::NegativeDelay(more));
                    failure.map_or(Ok(()), |failure| Err(failure.into()))
                }
            };
            if let Err(raised) = result {
                (now, delay) = self.caught(functions, expression, now, raised)?;
            }
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().expect("code pops what it has pushed")
    }

    /// A function as a value: its number, what it has captured, and arguments that have come so far.
    fn closure(&mut self, id: FunctionId, captured: Value) -> Value {
        let number = Value::int(i64::from(id.0)).expect("numbers of functions are small");
        self.values.tuple(&[number, captured])
    }

    /// One call less that may be made.
    #[inline]
    fn paid(&self, steps: u64) -> Result<u64, Failure> {
        match steps.checked_sub(1) {
            Some(rest) if self.values.len() <= self.most_values => Ok(rest),
            Some(_) => Err(Failure::Values(self.budget.values)),
            None => Err(Failure::Steps(self.budget.steps)),
        }
    }

    /// Pays for work of so many parts, best before it is done.
    pub(super) fn pay(&self, steps: &mut u64, parts: usize) -> Result<(), Raised> {
        match steps.checked_sub(parts as u64) {
            Some(rest) => {
                *steps = rest;
                Ok(())
            }
            None => Err(Failure::Steps(self.budget.steps).into()),
        }
    }

    /// Pays for so many values that are made.
    pub(super) fn pay_for_values(&self, steps: &mut u64, count: usize) -> Result<(), Raised> {
        if self.values.len().saturating_add(count) > self.most_values {
            return Err(Failure::Values(self.budget.values).into());
        }
        self.pay(steps, count)
    }

    /// Begins a function whose arguments are on the stack.
    #[inline]
    fn call<'a>(
        &mut self,
        functions: &'a [Function],
        now: Now<'a>,
        id: FunctionId,
        captured: Value,
    ) -> Result<Now<'a>, Failure> {
        if self.frames.len() >= self.budget.depth || self.stack.len() >= MOST_STACK {
            return Err(Failure::Depth(self.frames.len()));
        }
        self.frames.push(now.frame);
        Ok(self.enter(functions, id, captured))
    }

    #[inline]
    fn enter<'a>(&mut self, functions: &'a [Function], id: FunctionId, captured: Value) -> Now<'a> {
        let function = &functions[id.0 as usize];
        let base = self.stack.len() - function.parameters as usize;
        self.stack
            .resize(base + function.code.locals as usize, Value::UNIT);
        Now {
            code: &function.code.ops,
            frame: Frame {
                function: id.0,
                next: 0,
                base: stack_place(base),
                captured,
            },
        }
    }

    /// Replaces the function that runs by another one, whose arguments are on the stack.
    fn tail_call<'a>(
        &mut self,
        functions: &'a [Function],
        now: Now<'a>,
        id: FunctionId,
        captured: Value,
    ) -> Now<'a> {
        let count = functions[id.0 as usize].parameters as usize;
        let arguments = self.stack.len() - count;
        let base = now.frame.base as usize;
        self.stack.copy_within(arguments.., base);
        self.stack.truncate(base + count);
        self.enter(functions, id, captured)
    }

    /// Gives a function that is a value one argument. It runs when it has all of them.
    fn apply<'a>(
        &mut self,
        functions: &'a [Function],
        now: Now<'a>,
        tail: bool,
    ) -> Result<Now<'a>, Failure> {
        let argument = self.pop();
        let closure = self.pop();
        let fields = self.values.fields(closure);
        let number = fields[0].as_int().unwrap_or(0);
        let id = FunctionId(u32::try_from(number).unwrap_or(0));
        let captured = fields[1];
        let function = &functions[id.0 as usize];
        if function.unpacked {
            self.stack.extend_from_slice(self.values.fields(argument));
        } else if fields.len() - 2 + 1 < function.parameters as usize {
            let mut more = fields.to_vec();
            more.push(argument);
            let value = self.values.tuple(&more);
            self.stack.push(value);
            // At the end of a function, the value is its result.
            return Ok(now);
        } else {
            self.stack.extend_from_slice(&fields[2..]);
            self.stack.push(argument);
        }
        if tail {
            return Ok(self.tail_call(functions, now, id, captured));
        }
        self.call(functions, now, id, captured)
    }

    /// Goes on where an exception is handled, or ends.
    #[cold]
    fn caught<'a>(
        &mut self,
        functions: &'a [Function],
        expression: &'a Code,
        now: Now<'a>,
        raised: Raised,
    ) -> Result<(Now<'a>, i64), Failure> {
        let exception = match raised {
            Raised::Exception(exception) => exception,
            Raised::Failure(failure) => return Err(*failure),
        };
        let Some(handler) = self.handlers.pop() else {
            return Err(Failure::Exception(self.exception_shown(exception)));
        };
        let frame = match self.frames.get(handler.frames as usize) {
            Some(frame) => *frame,
            None => now.frame,
        };
        self.frames.truncate(handler.frames as usize);
        self.stack.truncate(handler.stack as usize);
        self.stack.push(exception);
        let mut now = resumed(functions, expression, frame);
        now.frame.next = handler.target;
        Ok((now, handler.delay))
    }

    fn exception_shown(&self, exception: Value) -> String {
        let (tag, argument) = match self.values.fields(exception) {
            [tag, argument] => (*tag, Some(*argument)),
            _ => (exception, None),
        };
        let number = usize::try_from(tag.as_int().unwrap_or(0)).unwrap_or(0);
        let name = self.exceptions.get(number).map_or("?", String::as_str);
        match argument.filter(|argument| self.values.is_text(*argument)) {
            Some(text) => format!("{name} \"{}\"", self.values.text(text)),
            None => name.to_string(),
        }
    }

    fn emit_stamped(
        &mut self,
        out: &mut Vec<Tokens>,
        stamped: Value,
        delay: i64,
    ) -> Result<(), Raised> {
        let [value, stamp] = self.values.fields(stamped)[..] else {
            return Ok(());
        };
        let more = stamp.as_int().unwrap_or(0).saturating_sub(self.time);
        emit(out, 1, value, delay.saturating_add(more))
    }
}

fn resumed<'a>(functions: &'a [Function], expression: &'a Code, frame: Frame) -> Now<'a> {
    let code = match frame.function {
        EXPRESSION => &expression.ops,
        number => &functions[number as usize].code.ops,
    };
    Now { code, frame }
}

#[inline]
fn emit(out: &mut Vec<Tokens>, count: i64, value: Value, delay: i64) -> Result<(), Raised> {
    match u64::try_from(count) {
        Ok(0) => Ok(()),
        Ok(count) => {
            out.push(Tokens {
                count,
                value,
                delay,
            });
            Ok(())
        }
        Err(_) => Err(Raised::from(Failure::Negative(count))),
    }
}

/// An exception of the machine.
#[cold]
pub(super) fn raised(name: &str) -> Raised {
    let number = EXCEPTIONS.iter().position(|known| *known == name);
    let number = i32::try_from(number.unwrap_or(0)).unwrap_or(0);
    Raised::Exception(Value::small(number))
}

fn stack_place(place: usize) -> u32 {
    u32::try_from(place).expect("the stack is bounded")
}
