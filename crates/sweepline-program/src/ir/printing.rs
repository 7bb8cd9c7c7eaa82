//! Programs as text, for people who debug a front end.

use std::fmt::{self, Display, Formatter};

use super::{
    Action, BinaryOp, Effect, Expr, Location, Overflow, Place, Process, Program, SlotDecl, UnaryOp,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", self.name)?;
        for slot in &self.slots {
            write_slot(slot, f)?;
        }
        for channel in &self.channels {
            let (name, capacity) = (&channel.name, channel.capacity);
            let components = channel.fields.len();
            writeln!(f, "  channel {name}: {capacity} messages of {components}")?;
        }
        for process in &self.processes {
            self.write_process(process, f)?;
        }
        for action in &self.actions {
            self.write_action(action, f)?;
        }
        Ok(())
    }
}

fn write_slot(slot: &SlotDecl, f: &mut Formatter<'_>) -> fmt::Result {
    let (name, initial) = (&slot.name, slot.initial);
    let (least, greatest) = (slot.kind.least, slot.kind.greatest);
    let wraps = match slot.kind.overflow {
        Overflow::Error => "",
        Overflow::Wrap => ", wraps",
    };
    writeln!(f, "  slot {name}: {least}..={greatest}{wraps} = {initial}")
}

impl Program {
    fn write_process(&self, process: &Process, f: &mut Formatter<'_>) -> fmt::Result {
        let initial = &process.location(process.initial).name;
        writeln!(f, "  process {} from {initial}", process.name)?;
        for location in &process.locations {
            self.write_location(location, f)?;
        }
        Ok(())
    }

    fn write_location(&self, location: &Location, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "    {}", location.name)?;
        for (flag, name) in [
            (location.flags.committed, "committed"),
            (location.flags.accepting, "accepting"),
        ] {
            if flag {
                write!(f, " {name}")?;
            }
        }
        for assertion in &location.assertions {
            write!(f, " assert {}", self.show(&assertion.condition))?;
        }
        writeln!(f)
    }

    fn write_action(&self, action: &Action, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "  action {}", action.name)?;
        for step in &action.moves {
            let process = self.process(step.process);
            let (source, target) = (process.location(step.source), process.location(step.target));
            let name = &process.name;
            writeln!(f, "    {name}: {} -> {}", source.name, target.name)?;
        }
        if action.guard != Expr::TRUE {
            writeln!(f, "    when {}", self.show(&action.guard))?;
        }
        for effect in &action.effects {
            writeln!(f, "    do {}", ShownEffect(self, effect))?;
        }
        Ok(())
    }

    /// An expression of this program as text.
    pub fn show<'p>(&'p self, expr: &'p Expr) -> impl Display + 'p {
        Shown(self, expr)
    }
}

struct ShownEffect<'p>(&'p Program, &'p Effect);

impl Display for ShownEffect<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(program, effect) = self;
        match effect {
            Effect::Assign { place, value } => {
                let (place, value) = (ShownPlace(program, place), Shown(program, value));
                write!(f, "{place} := {value}")
            }
            Effect::Push { channel, values } => {
                write!(f, "{}!(", program.channel(*channel).name)?;
                write_list(values.iter().map(|value| Shown(program, value)), f)?;
                f.write_str(")")
            }
            Effect::Pop { channel, places } => {
                write!(f, "{}?(", program.channel(*channel).name)?;
                let places = places
                    .iter()
                    .map(|place| ShownTarget(program, place.as_ref()));
                write_list(places, f)?;
                f.write_str(")")
            }
        }
    }
}

fn write_list(items: impl Iterator<Item = impl Display>, f: &mut Formatter<'_>) -> fmt::Result {
    for (index, item) in items.enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}

struct ShownTarget<'p>(&'p Program, Option<&'p Place>);

impl Display for ShownTarget<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(place) => ShownPlace(self.0, place).fmt(f),
            None => f.write_str("_"),
        }
    }
}

struct ShownPlace<'p>(&'p Program, &'p Place);

impl Display for ShownPlace<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(program, place) = self;
        match place {
            Place::Slot(slot) => f.write_str(&program.slot(*slot).name),
            Place::Element(array, index) => {
                let name = &program.array(*array).name;
                write!(f, "{name}[{}]", Shown(program, index))
            }
        }
    }
}

struct Shown<'p>(&'p Program, &'p Expr);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(program, expr) = self;
        match expr {
            Expr::Constant(value) => value.fmt(f),
            Expr::Slot(slot) => f.write_str(&program.slot(*slot).name),
            Expr::Element(array, index) => {
                let name = &program.array(*array).name;
                write!(f, "{name}[{}]", Shown(program, index))
            }
            // Signs in a row would read as something else.
            Expr::Unary(op, operand)
                if matches!(**operand, Expr::Unary(..) | Expr::Constant(i64::MIN..0)) =>
            {
                write!(f, "{op}({})", Shown(program, operand))
            }
            Expr::Unary(op, operand) => write!(f, "{op}{}", Shown(program, operand)),
            Expr::Binary(op, left, right) => {
                let (left, right) = (Shown(program, left), Shown(program, right));
                write!(f, "({left} {op} {right})")
            }
            Expr::Conditional(condition, then, otherwise) => {
                let (then, otherwise) = (Shown(program, then), Shown(program, otherwise));
                write!(f, "({} ? {then} : {otherwise})", Shown(program, condition))
            }
            Expr::At(process, location) => {
                let process = program.process(*process);
                write!(f, "{}.{}", process.name, process.location(*location).name)
            }
            Expr::Length(channel) => write!(f, "len({})", program.channel(*channel).name),
            Expr::Full(channel) => write!(f, "full({})", program.channel(*channel).name),
            Expr::Empty(channel) => write!(f, "empty({})", program.channel(*channel).name),
            Expr::Front(channel, component) => {
                write!(f, "front({}, {component})", program.channel(*channel).name)
            }
        }
    }
}

impl Display for UnaryOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Negate => "-",
            Self::Not => "!",
            Self::Complement => "~",
        })
    }
}

impl Display for BinaryOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::And => "&&",
            Self::Or => "||",
            Self::Imply => "->",
        })
    }
}
