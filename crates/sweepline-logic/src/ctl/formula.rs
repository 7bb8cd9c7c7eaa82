//! Formulas of branching time as trees.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use crate::ltl::{write_atom, write_chain};
use crate::{Formula, Pred};

/// A formula of branching time, over predicates on single states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ctl {
    /// What its atoms say; no two of them say the same.
    pub atoms: Vec<Pred>,
    /// How they are combined.
    pub formula: Branching,
}

/// A combination of atoms, which are numbers here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Branching {
    /// `true` or `false`
    Constant(bool),
    /// The atom with this number holds.
    Atom(u32),
    /// Not.
    Not(Box<Branching>),
    /// All of them (true if there are none).
    And(Vec<Branching>),
    /// At least one of them (false if there are none).
    Or(Vec<Branching>),
    /// If the first then the second.
    Implies(Box<Branching>, Box<Branching>),
    /// Both or neither.
    Iff(Box<Branching>, Box<Branching>),
    /// A quantifier and an operator with one operand.
    Unary(Quantifier, PathUnary, Box<Branching>),
    /// A quantifier and an operator with two operands.
    Binary(Quantifier, PathBinary, Box<Branching>, Box<Branching>),
}

/// Which runs from a state are spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantifier {
    /// `E`: some run.
    Exists,
    /// `A`: every run.
    Forall,
}

/// Path operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathUnary {
    /// `X p`: there is a next state, and it satisfies p; for all runs: the next state, if there is one, does.
    Next,
    /// `F p`: now or some time later.
    Finally,
    /// `G p`: now and always later.
    Globally,
}

/// Path operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathBinary {
    /// `p U q`: q some time, and p in every state before that.
    Until,
    /// `p W q`: `p U q`, or p for ever.
    WeakUntil,
    /// `p R q`: q up to and including the first state with p, or for ever.
    Release,
    /// `p M q`: q up to and including a state with p, which comes.
    StrongRelease,
}

impl Quantifier {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::Exists => 'E',
            Self::Forall => 'A',
        }
    }

    /// The other one.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Self::Exists => Self::Forall,
            Self::Forall => Self::Exists,
        }
    }
}

impl PathUnary {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::Next => 'X',
            Self::Finally => 'F',
            Self::Globally => 'G',
        }
    }
}

impl PathBinary {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::Until => 'U',
            Self::WeakUntil => 'W',
            Self::Release => 'R',
            Self::StrongRelease => 'M',
        }
    }
}

impl Branching {
    /// Not this.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// A quantifier and an operator applied to this.
    #[must_use]
    pub fn under(self, quantifier: Quantifier, op: PathUnary) -> Self {
        Self::Unary(quantifier, op, Box::new(self))
    }

    /// A quantifier and an operator between this and another formula.
    #[must_use]
    pub fn with(self, quantifier: Quantifier, op: PathBinary, other: Self) -> Self {
        Self::Binary(quantifier, op, Box::new(self), Box::new(other))
    }

    /// From every reachable state one that satisfies this can be reached: `AG EF p`.
    #[must_use]
    pub fn home(self) -> Self {
        self.under(Quantifier::Exists, PathUnary::Finally)
            .under(Quantifier::Forall, PathUnary::Globally)
    }

    /// Its operands.
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Atom(_) => Vec::new(),
            Self::Not(operand) | Self::Unary(_, _, operand) => vec![operand],
            Self::And(operands) | Self::Or(operands) => operands.iter().collect(),
            Self::Implies(a, b) | Self::Iff(a, b) | Self::Binary(_, _, a, b) => vec![a, b],
        }
    }

    /// How many operators and atoms it has.
    pub fn size(&self) -> usize {
        let operands = self.operands().into_iter();
        1 + operands.map(Self::size).sum::<usize>()
    }

    /// How many operators lie upon each other at most.
    pub fn depth(&self) -> usize {
        let operands = self.operands().into_iter();
        operands
            .map(|operand| 1 + operand.depth())
            .max()
            .unwrap_or(0)
    }

    /// Whether it speaks about a single state only.
    pub fn is_state(&self) -> bool {
        match self {
            Self::Unary(..) | Self::Binary(..) => false,
            _ => self.operands().into_iter().all(Self::is_state),
        }
    }

    /// Whether this atom occurs in it.
    pub fn asks(&self, atom: u32) -> bool {
        *self == Self::Atom(atom) || self.operands().iter().any(|operand| operand.asks(atom))
    }
}

impl Ctl {
    /// The same as a question about reachable states, if it is one: a combination of `EF p` and `AG p` with predicates. It means the
    /// same for systems with one initial state.
    pub fn as_formula(&self) -> Option<Formula> {
        self.reachability(&self.formula)
    }

    fn reachability(&self, formula: &Branching) -> Option<Formula> {
        let not = |formula| Formula::Not(Box::new(formula));
        let each = |parts: &[Branching]| -> Option<Vec<Formula>> {
            parts.iter().map(|part| self.reachability(part)).collect()
        };
        Some(match formula {
            Branching::Unary(Quantifier::Exists, PathUnary::Finally, operand) => {
                Formula::Reachable(self.state_pred(operand)?)
            }
            Branching::Unary(Quantifier::Forall, PathUnary::Globally, operand) => {
                Formula::Invariant(self.state_pred(operand)?)
            }
            Branching::Not(operand) => not(self.reachability(operand)?),
            Branching::And(parts) => Formula::And(each(parts)?),
            Branching::Or(parts) => Formula::Or(each(parts)?),
            Branching::Implies(a, b) => {
                Formula::Or(vec![not(self.reachability(a)?), self.reachability(b)?])
            }
            _ => Formula::Initially(self.state_pred(formula)?),
        })
    }

    /// A part as a predicate, if it speaks about single states only.
    fn state_pred(&self, formula: &Branching) -> Option<Pred> {
        let one = |part| Some(Box::new(self.state_pred(part)?));
        let each = |parts: &[Branching]| -> Option<Vec<Pred>> {
            parts.iter().map(|part| self.state_pred(part)).collect()
        };
        Some(match formula {
            Branching::Constant(value) => Pred::Constant(*value),
            Branching::Atom(atom) => self.atoms.get(*atom as usize)?.clone(),
            Branching::Not(operand) => Pred::Not(one(operand)?),
            Branching::And(parts) => Pred::And(each(parts)?),
            Branching::Or(parts) => Pred::Or(each(parts)?),
            Branching::Implies(a, b) => Pred::Implies(one(a)?, one(b)?),
            Branching::Iff(a, b) => Pred::Iff(one(a)?, one(b)?),
            Branching::Unary(..) | Branching::Binary(..) => return None,
        })
    }

    /// The same formula whose atoms are comparisons, names and the like, and no combinations of them.
    #[must_use]
    pub fn fine(&self) -> Self {
        let mut atoms = CtlAtoms::default();
        let formula = self.finer(&self.formula, &mut atoms);
        atoms.finish(formula)
    }

    fn finer(&self, formula: &Branching, atoms: &mut CtlAtoms) -> Branching {
        let mut one = |part: &Branching| Box::new(self.finer(part, atoms));
        match formula {
            Branching::Constant(value) => Branching::Constant(*value),
            Branching::Atom(atom) => match self.atoms.get(*atom as usize) {
                Some(pred) => atoms.parts(pred),
                None => Branching::Atom(*atom),
            },
            Branching::Not(part) => Branching::Not(one(part)),
            Branching::And(parts) => Branching::And(parts.iter().map(|part| *one(part)).collect()),
            Branching::Or(parts) => Branching::Or(parts.iter().map(|part| *one(part)).collect()),
            Branching::Implies(a, b) => Branching::Implies(one(a), one(b)),
            Branching::Iff(a, b) => Branching::Iff(one(a), one(b)),
            Branching::Unary(quantifier, op, part) => one(part).under(*quantifier, *op),
            Branching::Binary(quantifier, op, a, b) => {
                let a = one(a);
                a.with(*quantifier, *op, *one(b))
            }
        }
    }

    /// Part of it, or another combination of its atoms, to be printed.
    pub fn shown<'a>(&'a self, formula: &'a Branching) -> impl Display + 'a {
        Shown(&self.atoms, formula)
    }
}

impl Display for Ctl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Shown(&self.atoms, &self.formula).fmt(f)
    }
}

/// A formula whose atoms have a meaning. What is printed has all its parentheses and parses back to the same.
struct Shown<'a>(&'a [Pred], &'a Branching);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let &Self(atoms, formula) = self;
        let shown = |formula| Self(atoms, formula);
        match formula {
            Branching::Constant(value) => value.fmt(f),
            Branching::Atom(atom) => write_atom(f, atoms, *atom),
            Branching::Not(operand) => write!(f, "(not {})", shown(operand)),
            Branching::And(operands) => write_chain(f, "all", " and ", operands.iter().map(shown)),
            Branching::Or(operands) => write_chain(f, "any", " or ", operands.iter().map(shown)),
            Branching::Implies(a, b) => write!(f, "({} -> {})", shown(a), shown(b)),
            Branching::Iff(a, b) => write!(f, "({} <-> {})", shown(a), shown(b)),
            Branching::Unary(quantifier, op, operand) => {
                write!(
                    f,
                    "{}{} {}",
                    quantifier.letter(),
                    op.letter(),
                    shown(operand)
                )
            }
            Branching::Binary(quantifier, op, a, b) => {
                let (quantifier, op) = (quantifier.letter(), op.letter());
                write!(f, "{quantifier}[{} {op} {}]", shown(a), shown(b))
            }
        }
    }
}

/// Gathers the atoms of a formula, so that each is there once. A predicate is one atom as a whole: it is looked at once per state.
#[derive(Clone, Debug, Default)]
pub struct CtlAtoms {
    preds: Vec<Pred>,
    numbers: HashMap<String, u32>,
}

impl CtlAtoms {
    /// A predicate as a formula.
    pub fn atom(&mut self, pred: Pred) -> Branching {
        if let Pred::Constant(value) = pred {
            return Branching::Constant(value);
        }
        // Two predicates are the same if they look the same, wherever they stand.
        let next = u32::try_from(self.preds.len()).expect("a text has fewer atoms");
        let number = *self.numbers.entry(pred.to_string()).or_insert_with(|| {
            self.preds.push(pred);
            next
        });
        Branching::Atom(number)
    }

    /// A predicate as a combination of atoms that are no combinations.
    fn parts(&mut self, pred: &Pred) -> Branching {
        let mut one = |part: &Pred| Box::new(self.parts(part));
        match pred {
            Pred::Not(part) => Branching::Not(one(part)),
            Pred::And(parts) => Branching::And(parts.iter().map(|part| *one(part)).collect()),
            Pred::Or(parts) => Branching::Or(parts.iter().map(|part| *one(part)).collect()),
            Pred::Implies(a, b) => Branching::Implies(one(a), one(b)),
            Pred::Iff(a, b) => Branching::Iff(one(a), one(b)),
            pred => self.atom(pred.clone()),
        }
    }

    /// The formula with its atoms.
    pub fn finish(self, formula: Branching) -> Ctl {
        Ctl {
            atoms: self.preds,
            formula,
        }
    }
}
