//! Formulas of linear time as trees.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use crate::Pred;
use crate::omega::MOST;
use crate::syntax::quoted_for_runs;

/// A formula of linear time with past, over predicates on the states of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ltl {
    /// What its atoms say; no two of them say the same, and there are at most [`MOST`].
    pub atoms: Vec<Pred>,
    /// How they are combined.
    pub formula: Temporal,
}

/// A combination of atoms, which are numbers here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Temporal {
    /// `true` or `false`
    Constant(bool),
    /// The atom with this number holds now.
    Atom(u32),
    /// Not.
    Not(Box<Temporal>),
    /// All of them (true if there are none).
    And(Vec<Temporal>),
    /// At least one of them (false if there are none).
    Or(Vec<Temporal>),
    /// If the first then the second.
    Implies(Box<Temporal>, Box<Temporal>),
    /// Both or neither.
    Iff(Box<Temporal>, Box<Temporal>),
    /// A temporal operator with one operand.
    Unary(Unary, Box<Temporal>),
    /// A temporal operator with two operands.
    Binary(Binary, Box<Temporal>, Box<Temporal>),
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    /// `X p`: in the next state.
    Next,
    /// `F p`: now or some time later.
    Finally,
    /// `G p`: now and always later.
    Globally,
    /// `Y p`: there is a state before this one, and it satisfies p.
    Yesterday,
    /// `Z p`: the state before this one, if there is one, satisfies p.
    WeakYesterday,
    /// `O p`: now or some time before.
    Once,
    /// `H p`: now and always before.
    Historically,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    /// `p U q`: q some time, and p in every state before that.
    Until,
    /// `p R q`: q up to and including the first state with p, or for ever.
    Release,
    /// `p W q`: `p U q`, or p for ever.
    WeakUntil,
    /// `p M q`: q up to and including a state with p, which comes.
    StrongRelease,
    /// `p S q`: q now or some time before, and p in every state since.
    Since,
}

impl Unary {
    /// Whether it speaks about the past.
    pub fn is_past(self) -> bool {
        !matches!(self, Self::Next | Self::Finally | Self::Globally)
    }

    /// Its letter.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Next => "X",
            Self::Finally => "F",
            Self::Globally => "G",
            Self::Yesterday => "Y",
            Self::WeakYesterday => "Z",
            Self::Once => "O",
            Self::Historically => "H",
        }
    }
}

impl Binary {
    /// Its letter.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Until => "U",
            Self::Release => "R",
            Self::WeakUntil => "W",
            Self::StrongRelease => "M",
            Self::Since => "S",
        }
    }
}

impl Temporal {
    /// Not this.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// If this then that.
    #[must_use]
    pub fn implies(self, then: Self) -> Self {
        Self::Implies(Box::new(self), Box::new(then))
    }

    /// Both of them.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(vec![self, other])
    }

    /// One of them.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(vec![self, other])
    }

    /// An operator applied to this.
    #[must_use]
    pub fn under(self, op: Unary) -> Self {
        Self::Unary(op, Box::new(self))
    }

    /// An operator between this and another formula.
    #[must_use]
    pub fn with(self, op: Binary, other: Self) -> Self {
        Self::Binary(op, Box::new(self), Box::new(other))
    }

    /// Its operands.
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Atom(_) => Vec::new(),
            Self::Not(operand) | Self::Unary(_, operand) => vec![operand],
            Self::And(operands) | Self::Or(operands) => operands.iter().collect(),
            Self::Implies(a, b) | Self::Iff(a, b) | Self::Binary(_, a, b) => vec![a, b],
        }
    }

    /// The same operator with each operand changed, from left to right.
    #[must_use]
    pub fn map(&self, mut change: impl FnMut(&Self) -> Self) -> Self {
        match self {
            Self::Constant(_) | Self::Atom(_) => self.clone(),
            Self::Not(operand) => change(operand).negated(),
            Self::And(operands) => Self::And(operands.iter().map(change).collect()),
            Self::Or(operands) => Self::Or(operands.iter().map(change).collect()),
            Self::Implies(a, b) => {
                let a = change(a);
                a.implies(change(b))
            }
            Self::Iff(a, b) => {
                let a = change(a);
                Self::Iff(Box::new(a), Box::new(change(b)))
            }
            Self::Unary(op, operand) => change(operand).under(*op),
            Self::Binary(op, a, b) => {
                let a = change(a);
                a.with(*op, change(b))
            }
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

    /// Whether some part of it has this property.
    pub fn any(&self, property: &dyn Fn(&Self) -> bool) -> bool {
        property(self) || self.operands().iter().any(|operand| operand.any(property))
    }

    /// Whether it speaks about the past.
    pub fn has_past(&self) -> bool {
        self.any(&Self::is_past)
    }

    /// Whether its operator speaks about the past.
    pub(crate) fn is_past(&self) -> bool {
        match self {
            Self::Unary(op, _) => op.is_past(),
            Self::Binary(op, ..) => *op == Binary::Since,
            _ => false,
        }
    }

    /// Whether it speaks about the next state or the one before. Without, repeating a state changes nothing.
    pub fn has_next(&self) -> bool {
        self.any(&|part| {
            matches!(
                part,
                Self::Unary(Unary::Next | Unary::Yesterday | Unary::WeakYesterday, _)
            )
        })
    }

    /// Whether it speaks about the present only.
    pub fn is_state(&self) -> bool {
        !self.any(&|part| matches!(part, Self::Unary(..) | Self::Binary(..)))
    }
}

impl Ltl {
    /// Not this.
    #[must_use]
    pub fn negated(&self) -> Self {
        let formula = match &self.formula {
            Temporal::Not(operand) => (**operand).clone(),
            formula => formula.clone().negated(),
        };
        Self {
            atoms: self.atoms.clone(),
            formula,
        }
    }

    /// The same formula where these atoms have a value, and only with the other atoms. Without any value, nothing changes.
    ///
    /// ```
    /// use sweepline_logic::parse_ltl;
    ///
    /// let ltl = parse_ltl("G (req -> F ack)").unwrap().ltl;
    /// let known = ltl.with_values(&[Some(true), None]);
    /// assert_eq!((known.to_string().as_str(), known.atoms.len()), ("G (true -> F ack)", 1));
    /// ```
    #[must_use]
    pub fn with_values(&self, values: &[Option<bool>]) -> Self {
        if values.iter().all(Option::is_none) {
            return self.clone();
        }
        let mut atoms = Atoms::default();
        let formula = atoms.valued(self, values, &self.formula);
        Self {
            atoms: atoms.preds,
            formula,
        }
    }

    /// The same formula in which each part that speaks about single states is one atom, whatever it is made of.
    #[must_use]
    pub fn coarse(&self) -> Self {
        let mut atoms = Atoms::default();
        let formula = atoms.coarse(&self.atoms, &self.formula);
        atoms.used_by(&formula)
    }

    /// Part of it, or another combination of its atoms, to be printed.
    pub fn shown<'a>(&'a self, formula: &'a Temporal) -> impl Display + 'a {
        Shown(&self.atoms, formula)
    }
}

impl Display for Ltl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Shown(&self.atoms, &self.formula).fmt(f)
    }
}

/// A formula whose atoms have a meaning. What is printed has all its parentheses and parses back to the same.
struct Shown<'a>(&'a [Pred], &'a Temporal);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let &Self(atoms, formula) = self;
        let shown = |formula| Self(atoms, formula);
        match formula {
            Temporal::Constant(value) => value.fmt(f),
            Temporal::Atom(atom) => write_atom(f, atoms, *atom),
            Temporal::Not(operand) => write!(f, "(not {})", shown(operand)),
            Temporal::And(operands) => write_chain(f, "all", " and ", operands.iter().map(shown)),
            Temporal::Or(operands) => write_chain(f, "any", " or ", operands.iter().map(shown)),
            Temporal::Implies(a, b) => write!(f, "({} -> {})", shown(a), shown(b)),
            Temporal::Iff(a, b) => write!(f, "({} <-> {})", shown(a), shown(b)),
            Temporal::Unary(op, operand) => write!(f, "{} {}", op.letter(), shown(operand)),
            Temporal::Binary(op, a, b) => write!(f, "({} {} {})", shown(a), op.letter(), shown(b)),
        }
    }
}

/// An atom, as its predicate is written.
pub(crate) fn write_atom(f: &mut Formatter<'_>, atoms: &[Pred], atom: u32) -> fmt::Result {
    match atoms.get(atom as usize) {
        Some(pred) => f.write_str(&quoted_for_runs(&pred.to_string())),
        None => write!(f, "atom {atom}"),
    }
}

/// `(a and b)`, or `all(a)` if the sign does not come in between.
pub(crate) fn write_chain(
    f: &mut Formatter<'_>,
    function: &str,
    sign: &str,
    operands: impl Iterator<Item: Display>,
) -> fmt::Result {
    let texts: Vec<String> = operands.map(|one| one.to_string()).collect();
    let (open, separator) = match texts.len() {
        0 | 1 => (function, ", "),
        _ => ("", sign),
    };
    write!(f, "{open}({})", texts.join(separator))
}

/// There are more atoms than bits in a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the formula has {0} different predicates, and at most {MOST} are possible")]
pub struct TooManyAtoms(pub usize);

/// Gathers the atoms of a formula, so that each is there once.
///
/// ```
/// use sweepline_logic::ltl::{Atoms, Unary};
/// use sweepline_logic::parse_pred;
///
/// let mut atoms = Atoms::default();
/// let wait = atoms.atom(&parse_pred("x > 3").unwrap());
/// let done = atoms.atom(&parse_pred("not (x <= 3)").unwrap());
/// let response = wait.implies(done.under(Unary::Finally)).under(Unary::Globally);
/// let ltl = atoms.finish(&response).unwrap();
/// assert_eq!(ltl.to_string(), "G ((x > 3) -> F (x > 3))");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    preds: Vec<Pred>,
    numbers: HashMap<String, u32>,
}

impl Atoms {
    /// A predicate as a formula: its comparisons, propositions and so on become atoms.
    pub fn atom(&mut self, pred: &Pred) -> Temporal {
        match pred {
            Pred::Constant(value) => Temporal::Constant(*value),
            Pred::Not(operand) => self.negated(operand),
            Pred::And(operands) => Temporal::And(self.each(operands)),
            Pred::Or(operands) => Temporal::Or(self.each(operands)),
            Pred::Implies(a, b) => {
                let a = self.atom(a);
                a.implies(self.atom(b))
            }
            Pred::Iff(a, b) => {
                let a = self.atom(a);
                Temporal::Iff(Box::new(a), Box::new(self.atom(b)))
            }
            // `x > 3` and `x <= 3` are one atom.
            Pred::Compare(op, a, b) => {
                let opposite = Pred::Compare(op.opposite(), a.clone(), b.clone());
                match self.numbers.get(&opposite.to_string()) {
                    Some(number) => Temporal::Atom(*number).negated(),
                    None => self.whole(pred),
                }
            }
            _ => self.whole(pred),
        }
    }

    /// How many atoms there are.
    pub(crate) fn count(&self) -> usize {
        self.preds.len()
    }

    /// All atoms in the order of their numbers.
    pub(crate) fn into_preds(self) -> Vec<Pred> {
        self.preds
    }

    fn each(&mut self, preds: &[Pred]) -> Vec<Temporal> {
        preds.iter().map(|pred| self.atom(pred)).collect()
    }

    fn negated(&mut self, pred: &Pred) -> Temporal {
        match self.atom(pred) {
            Temporal::Not(operand) if matches!(pred, Pred::Compare(..)) => *operand,
            operand => operand.negated(),
        }
    }

    /// A predicate as one atom, whatever it is made of.
    fn whole(&mut self, pred: &Pred) -> Temporal {
        // Two predicates are the same if they look the same, wherever they stand.
        let next = u32::try_from(self.preds.len()).expect("a text has fewer atoms");
        let number = *self.numbers.entry(pred.to_string()).or_insert_with(|| {
            self.preds.push(pred.clone());
            next
        });
        Temporal::Atom(number)
    }

    /// The formula with the atoms it uses. If there are too many, parts that speak about single states become atoms as
    /// a whole.
    pub fn finish(self, formula: &Temporal) -> Result<Ltl, TooManyAtoms> {
        let ltl = self.used_by(formula);
        if ltl.atoms.len() <= MOST {
            return Ok(ltl);
        }
        let mut atoms = Self::default();
        let coarse = atoms.coarse(&self.preds, formula);
        let ltl = atoms.used_by(&coarse);
        match ltl.atoms.len() {
            0..=MOST => Ok(ltl),
            many => Err(TooManyAtoms(many)),
        }
    }

    fn used_by(&self, formula: &Temporal) -> Ltl {
        let mut used = Self::default();
        let formula = used.renumbered(&self.preds, formula);
        Ltl {
            atoms: used.preds,
            formula,
        }
    }

    fn valued(&mut self, ltl: &Ltl, values: &[Option<bool>], formula: &Temporal) -> Temporal {
        match formula {
            Temporal::Atom(atom) => match values.get(*atom as usize) {
                Some(Some(value)) => Temporal::Constant(*value),
                _ => self.whole(&ltl.atoms[*atom as usize]),
            },
            _ => formula.map(|operand| self.valued(ltl, values, operand)),
        }
    }

    fn renumbered(&mut self, preds: &[Pred], formula: &Temporal) -> Temporal {
        match formula {
            Temporal::Atom(atom) => self.whole(&preds[*atom as usize]),
            _ => formula.map(|operand| self.renumbered(preds, operand)),
        }
    }

    fn coarse(&mut self, preds: &[Pred], formula: &Temporal) -> Temporal {
        match state_pred(preds, formula) {
            Some(Pred::Constant(value)) => Temporal::Constant(value),
            Some(pred) => self.whole(&pred),
            None => formula.map(|operand| self.coarse(preds, operand)),
        }
    }
}

/// The formula as a predicate, if it speaks about the present only.
fn state_pred(preds: &[Pred], formula: &Temporal) -> Option<Pred> {
    let pair = |a, b| {
        let (a, b) = (state_pred(preds, a)?, state_pred(preds, b)?);
        Some((Box::new(a), Box::new(b)))
    };
    let each = |operands: &[Temporal]| -> Option<Vec<Pred>> {
        operands.iter().map(|one| state_pred(preds, one)).collect()
    };
    match formula {
        Temporal::Constant(value) => Some(Pred::Constant(*value)),
        Temporal::Atom(atom) => Some(preds[*atom as usize].clone()),
        Temporal::Not(operand) => Some(Pred::Not(Box::new(state_pred(preds, operand)?))),
        Temporal::And(operands) => Some(Pred::And(each(operands)?)),
        Temporal::Or(operands) => Some(Pred::Or(each(operands)?)),
        Temporal::Implies(a, b) => pair(a, b).map(|(a, b)| Pred::Implies(a, b)),
        Temporal::Iff(a, b) => pair(a, b).map(|(a, b)| Pred::Iff(a, b)),
        Temporal::Unary(..) | Temporal::Binary(..) => None,
    }
}
