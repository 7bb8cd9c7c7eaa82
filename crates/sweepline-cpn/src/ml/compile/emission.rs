//! Inscriptions: tokens are handed out one after the other, instead of a list with all of them.

use crate::ml::code::{Code, Op};
use crate::ml::compile::Compiler;
use crate::ml::core::Core;
use crate::ml::primitives::Primitive;

/// An inscription of an arc or a place.
#[derive(Clone, Debug)]
pub(crate) enum Inscription {
    /// One token.
    Token(Core),
    /// All elements of a list.
    Multiset(Core),
    /// All elements of a list, which have time stamps.
    Stamped(Core),
    /// One token with a time stamp.
    StampedToken(Core),
    /// `… @+ delay`
    Delayed(Box<Inscription>, Core),
    Sum(Vec<Inscription>),
    If(Core, Box<[Inscription; 2]>),
}

impl Inscription {
    /// Calls a function for all expressions.
    pub fn visit(&self, see: &mut dyn FnMut(&Core)) {
        match self {
            Self::Token(core)
            | Self::Multiset(core)
            | Self::Stamped(core)
            | Self::StampedToken(core) => {
                core.visit(see);
            }
            Self::Delayed(inner, delay) => {
                inner.visit(see);
                delay.visit(see);
            }
            Self::Sum(all) => all.iter().for_each(|part| part.visit(see)),
            Self::If(condition, branches) => {
                condition.visit(see);
                branches.iter().for_each(|part| part.visit(see));
            }
        }
    }

    /// Whether tokens can get delays.
    pub fn has_delays(&self) -> bool {
        match self {
            Self::Token(_) | Self::Multiset(_) => false,
            Self::Stamped(_) | Self::StampedToken(_) | Self::Delayed(..) => true,
            Self::Sum(all) => all.iter().any(Self::has_delays),
            Self::If(_, branches) => branches.iter().any(Self::has_delays),
        }
    }
}

impl Compiler<'_> {
    /// An inscription that hands out tokens.
    pub fn inscription(mut self, inscription: &Inscription) -> Code {
        self.emit(inscription);
        self.ops.push(Op::Stop);
        self.finish()
    }

    fn emit(&mut self, inscription: &Inscription) {
        match inscription {
            Inscription::Token(core) => {
                self.value(core, false);
                self.ops.push(Op::EmitOne);
            }
            Inscription::Multiset(core) => self.emit_multiset(core),
            Inscription::Stamped(core) => {
                self.value(core, false);
                self.ops.push(Op::EmitStamped);
            }
            Inscription::StampedToken(core) => {
                self.value(core, false);
                self.ops.push(Op::EmitStampedOne);
            }
            Inscription::Delayed(inner, delay) => {
                let used = self.used;
                let slot = self.slot();
                self.value(delay, false);
                self.ops
                    .extend([Op::Store(slot), Op::Local(slot), Op::AddDelay]);
                self.emit(inner);
                self.ops.push(Op::DropDelay(slot));
                self.used = used;
            }
            Inscription::Sum(all) => all.iter().for_each(|part| self.emit(part)),
            Inscription::If(condition, branches) => {
                self.value(condition, false);
                let otherwise = self.hole(Op::JumpUnless(0));
                self.emit(&branches[0]);
                let end = self.hole(Op::Jump(0));
                self.land(otherwise);
                self.emit(&branches[1]);
                self.land(end);
            }
        }
    }

    fn emit_multiset(&mut self, core: &Core) {
        match core {
            Core::Value(_) => {}
            Core::List(parts) => {
                for part in parts {
                    self.value(part, false);
                    self.ops.push(Op::EmitOne);
                }
            }
            Core::Primitive(Primitive::Append, both) => {
                for part in both {
                    self.emit_multiset(part);
                }
            }
            Core::Primitive(Primitive::Times, both) => {
                if let Core::Value(count) = both[0]
                    && count.as_int() == Some(1)
                {
                    self.value(&both[1], false);
                    self.ops.push(Op::EmitOne);
                    return;
                }
                self.values(both);
                self.ops.push(Op::Emit);
            }
            Core::If(parts) => self.conditional(parts, Self::emit_multiset),
            Core::Match(rows) => self.rows(rows, Self::emit_multiset),
            Core::Functions(group, body) => {
                self.group(group, |compiler| compiler.emit_multiset(body));
            }
            Core::Sequence(parts) => self.sequence(parts, Self::emit_multiset),
            _ => {
                self.value(core, false);
                self.ops.push(Op::EmitList);
            }
        }
    }
}
