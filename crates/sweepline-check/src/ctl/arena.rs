//! The parts of a formula, each once, operands before what they are operands of.

use std::collections::HashMap;

use sweepline_logic::ctl::{Branching, PathBinary, PathUnary, Quantifier};

/// A part by its position.
pub(crate) type Part = usize;

/// What a part is, in terms of few operators.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// Something about a single state.
    State(Branching),
    Not(Part),
    And(Vec<Part>),
    Or(Vec<Part>),
    Iff(Part, Part),
    Next(Quantifier, Part),
    /// Until: `goal` comes, and `way` holds before. If it is weak, `goal` need not come.
    Until {
        quantifier: Quantifier,
        weak: bool,
        way: Part,
        goal: Part,
    },
}

/// The parts of a formula.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    ops: Vec<Op>,
    /// What each is part of the formula, as it is written.
    written: Vec<Branching>,
    known: HashMap<Op, Part>,
}

impl Arena {
    pub(crate) fn of(formula: &Branching) -> (Self, Part) {
        let mut arena = Self::default();
        let root = arena.add(formula);
        (arena, root)
    }

    /// The same with a part before all that says that some run starts here, `EG true`.
    pub(crate) fn with_runs(formula: &Branching) -> (Self, Part, Part) {
        let mut arena = Self::default();
        let some = Branching::Constant(true).under(Quantifier::Exists, PathUnary::Globally);
        let some = arena.add(&some);
        let root = arena.add(formula);
        (arena, root, some)
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(crate) fn op(&self, part: Part) -> &Op {
        &self.ops[part]
    }

    /// The parts that a part is made of.
    pub(crate) fn operands(&self, part: Part) -> Vec<Part> {
        match &self.ops[part] {
            Op::State(_) => Vec::new(),
            Op::Not(operand) | Op::Next(_, operand) => vec![*operand],
            Op::And(operands) | Op::Or(operands) => operands.clone(),
            Op::Iff(a, b)
            | Op::Until {
                way: a, goal: b, ..
            } => vec![*a, *b],
        }
    }

    /// The last part that each part is an operand of.
    pub(crate) fn last_uses(&self) -> Vec<Option<Part>> {
        let mut last = vec![None; self.ops.len()];
        for part in 0..self.ops.len() {
            for operand in self.operands(part) {
                last[operand] = Some(part);
            }
        }
        last
    }

    /// How many sets are in memory at the same time, more or less, while all parts get theirs and what no part needs any more is put
    /// away.
    pub(crate) fn most_live(&self) -> usize {
        let last = self.last_uses();
        let is_state = |part: &Part| matches!(self.ops[*part], Op::State(_));
        let states = (0..self.len()).filter(|part| is_state(part) && !self.is_constant(*part));
        let mut live = states.count();
        let mut most = live;
        for part in (0..self.len()).filter(|part| !is_state(part)) {
            let operands = self.operands(part);
            let ended = operands
                .iter()
                .filter(|&&operand| last[operand] == Some(part) && !self.is_constant(operand));
            // Operators in passes have two sets, some of which were those of their operands.
            most = most.max(live + 2);
            live = (live + 1).saturating_sub(ended.count());
        }
        most
    }

    /// Whether a part is a constant.
    pub(crate) fn is_constant(&self, part: Part) -> bool {
        matches!(self.ops[part], Op::State(Branching::Constant(_)))
    }

    /// Whether a part has this value everywhere.
    pub(crate) fn is_always(&self, part: Part, value: bool) -> bool {
        self.ops[part] == Op::State(Branching::Constant(value))
    }

    /// What `EF` and `AG` say something about, and operators like them.
    pub(crate) fn inner(&self, part: Part) -> Option<Part> {
        match &self.ops[part] {
            Op::Until {
                quantifier: Quantifier::Exists,
                goal,
                ..
            } => Some(*goal),
            Op::Until { way, .. } => Some(*way),
            _ => None,
        }
    }

    /// How many parts are about runs.
    pub(crate) fn temporal(&self) -> usize {
        let temporal = |op: &&Op| matches!(op, Op::Next(..) | Op::Until { .. });
        self.ops.iter().filter(temporal).count()
    }

    pub(crate) fn written(&self, part: Part) -> &Branching {
        &self.written[part]
    }

    fn add(&mut self, formula: &Branching) -> Part {
        if formula.is_state() {
            return self.part(Op::State(formula.clone()), formula);
        }
        let op = match formula {
            Branching::Not(operand) => Op::Not(self.add(operand)),
            Branching::And(operands) => Op::And(self.all(operands)),
            Branching::Or(operands) => Op::Or(self.all(operands)),
            Branching::Implies(a, b) => {
                let not = a.as_ref().clone().negated();
                Op::Or(vec![self.add(&not), self.add(b)])
            }
            Branching::Iff(a, b) => Op::Iff(self.add(a), self.add(b)),
            Branching::Unary(quantifier, op, operand) => {
                let operand = self.add(operand);
                match op {
                    PathUnary::Next => Op::Next(*quantifier, operand),
                    PathUnary::Finally => Op::Until {
                        quantifier: *quantifier,
                        weak: false,
                        way: self.constant(true),
                        goal: operand,
                    },
                    PathUnary::Globally => Op::Until {
                        quantifier: *quantifier,
                        weak: true,
                        way: operand,
                        goal: self.constant(false),
                    },
                }
            }
            Branching::Binary(quantifier, op, a, b) => {
                let (left, right) = (self.add(a), self.add(b));
                let (way, goal) = match op {
                    PathBinary::Until | PathBinary::WeakUntil => (left, right),
                    PathBinary::Release | PathBinary::StrongRelease => {
                        let both = Branching::And(vec![a.as_ref().clone(), b.as_ref().clone()]);
                        (right, self.add(&both))
                    }
                };
                let weak = matches!(op, PathBinary::WeakUntil | PathBinary::Release);
                Op::Until {
                    quantifier: *quantifier,
                    weak,
                    way,
                    goal,
                }
            }
            Branching::Constant(_) | Branching::Atom(_) => Op::State(formula.clone()),
        };
        self.part(op, formula)
    }

    fn all(&mut self, operands: &[Branching]) -> Vec<Part> {
        operands.iter().map(|operand| self.add(operand)).collect()
    }

    fn constant(&mut self, value: bool) -> Part {
        self.add(&Branching::Constant(value))
    }

    fn part(&mut self, op: Op, formula: &Branching) -> Part {
        *self.known.entry(op.clone()).or_insert_with(|| {
            self.ops.push(op);
            self.written.push(formula.clone());
            self.ops.len() - 1
        })
    }
}
