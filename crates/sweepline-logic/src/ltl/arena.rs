//! Formulas in negation normal form, each stored once.
//!
//! What is built here is normalised only in ways that keep the operators as they are: conjunctions and disjunctions are flat,
//! sorted and without repetition, and constants disappear. Everything cleverer is in [`super::rewrite`], which happens before
//! the tableau: there, rewriting would change which formulas promise something.

use std::collections::HashMap;

use super::formula::{Binary, Temporal, Unary};

/// A formula of some [`Arena`]. Two formulas look the same if and only if these are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

/// The outermost operator of a formula without past, in which only atoms are negated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Constant(bool),
    /// An atom, or its negation.
    Literal(u32, bool),
    And(Vec<Id>),
    Or(Vec<Id>),
    Next(Id),
    Finally(Id),
    Globally(Id),
    Until(Id, Id),
    Release(Id, Id),
    WeakUntil(Id, Id),
    StrongRelease(Id, Id),
}

/// Formulas that share their parts.
#[derive(Debug)]
pub(crate) struct Arena {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    negations: HashMap<Id, Id>,
}

impl Id {
    pub const FALSE: Self = Self(0);
    pub const TRUE: Self = Self(1);
}

impl Default for Arena {
    fn default() -> Self {
        let mut arena = Self {
            nodes: Vec::new(),
            ids: HashMap::new(),
            negations: HashMap::new(),
        };
        arena.id(Node::Constant(false));
        arena.id(Node::Constant(true));
        arena
    }
}

impl Arena {
    /// The formula with this operator.
    pub fn id(&mut self, node: Node) -> Id {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let id = Id(u32::try_from(self.nodes.len()).expect("formulas are limited in size"));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The number behind the last atom of a formula.
    pub fn atoms(&self, id: Id) -> u32 {
        match self.node(id) {
            Node::Constant(_) => 0,
            Node::Literal(atom, _) => atom + 1,
            Node::And(all) | Node::Or(all) => {
                all.iter().map(|&one| self.atoms(one)).max().unwrap_or(0)
            }
            Node::Next(a) | Node::Finally(a) | Node::Globally(a) => self.atoms(*a),
            Node::Until(a, b)
            | Node::Release(a, b)
            | Node::WeakUntil(a, b)
            | Node::StrongRelease(a, b) => self.atoms(*a).max(self.atoms(*b)),
        }
    }

    pub fn and(&mut self, operands: impl IntoIterator<Item = Id>) -> Id {
        let mut all = Vec::new();
        for operand in operands {
            match self.node(operand) {
                Node::And(inner) => all.extend(inner),
                _ => all.push(operand),
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|&operand| operand != Id::TRUE);
        if all.contains(&Id::FALSE) || self.is_contrary(&all) {
            return Id::FALSE;
        }
        match all[..] {
            [] => Id::TRUE,
            [only] => only,
            _ => self.id(Node::And(all)),
        }
    }

    pub fn or(&mut self, operands: impl IntoIterator<Item = Id>) -> Id {
        let mut all = Vec::new();
        for operand in operands {
            match self.node(operand) {
                Node::Or(inner) => all.extend(inner),
                _ => all.push(operand),
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|&operand| operand != Id::FALSE);
        if all.contains(&Id::TRUE) || self.is_contrary(&all) {
            return Id::TRUE;
        }
        match all[..] {
            [] => Id::FALSE,
            [only] => only,
            _ => self.id(Node::Or(all)),
        }
    }

    /// Whether an atom and its negation are among the operands.
    fn is_contrary(&self, operands: &[Id]) -> bool {
        operands.iter().any(|&operand| match self.node(operand) {
            Node::Literal(atom, value) => {
                let other = self.ids.get(&Node::Literal(*atom, !value));
                other.is_some_and(|other| operands.contains(other))
            }
            _ => false,
        })
    }

    /// The negation, again in normal form.
    pub fn not(&mut self, id: Id) -> Id {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let negation = match self.node(id).clone() {
            Node::Constant(value) => self.id(Node::Constant(!value)),
            Node::Literal(atom, value) => self.id(Node::Literal(atom, !value)),
            Node::And(all) => {
                let all: Vec<Id> = all.into_iter().map(|one| self.not(one)).collect();
                self.or(all)
            }
            Node::Or(all) => {
                let all: Vec<Id> = all.into_iter().map(|one| self.not(one)).collect();
                self.and(all)
            }
            Node::Next(a) => self.negated(a, Node::Next),
            Node::Finally(a) => self.negated(a, Node::Globally),
            Node::Globally(a) => self.negated(a, Node::Finally),
            Node::Until(a, b) => self.negated_pair(a, b, Node::Release),
            Node::Release(a, b) => self.negated_pair(a, b, Node::Until),
            Node::WeakUntil(a, b) => self.negated_pair(a, b, Node::StrongRelease),
            Node::StrongRelease(a, b) => self.negated_pair(a, b, Node::WeakUntil),
        };
        self.negations.insert(id, negation);
        self.negations.insert(negation, id);
        negation
    }

    fn negated(&mut self, a: Id, dual: fn(Id) -> Node) -> Id {
        let a = self.not(a);
        self.id(dual(a))
    }

    fn negated_pair(&mut self, a: Id, b: Id, dual: fn(Id, Id) -> Node) -> Id {
        let (a, b) = (self.not(a), self.not(b));
        self.id(dual(a, b))
    }

    /// A formula without past in normal form.
    pub fn normal(&mut self, formula: &Temporal) -> Id {
        match formula {
            Temporal::Constant(value) => self.id(Node::Constant(*value)),
            Temporal::Atom(atom) => self.id(Node::Literal(*atom, true)),
            Temporal::Not(operand) => {
                let operand = self.normal(operand);
                self.not(operand)
            }
            Temporal::And(all) => {
                let all: Vec<Id> = all.iter().map(|one| self.normal(one)).collect();
                self.and(all)
            }
            Temporal::Or(all) => {
                let all: Vec<Id> = all.iter().map(|one| self.normal(one)).collect();
                self.or(all)
            }
            Temporal::Implies(a, b) => {
                let (a, b) = (self.normal(a), self.normal(b));
                let not_a = self.not(a);
                self.or([not_a, b])
            }
            Temporal::Iff(a, b) => {
                let (a, b) = (self.normal(a), self.normal(b));
                let (not_a, not_b) = (self.not(a), self.not(b));
                let (both, neither) = (self.and([a, b]), self.and([not_a, not_b]));
                self.or([both, neither])
            }
            Temporal::Unary(op, operand) => {
                let operand = self.normal(operand);
                match op {
                    Unary::Next => self.id(Node::Next(operand)),
                    Unary::Finally => self.id(Node::Finally(operand)),
                    Unary::Globally => self.id(Node::Globally(operand)),
                    _ => unreachable!("the past was removed before"),
                }
            }
            Temporal::Binary(op, a, b) => {
                let (a, b) = (self.normal(a), self.normal(b));
                match op {
                    Binary::Until => self.id(Node::Until(a, b)),
                    Binary::Release => self.id(Node::Release(a, b)),
                    Binary::WeakUntil => self.id(Node::WeakUntil(a, b)),
                    Binary::StrongRelease => self.id(Node::StrongRelease(a, b)),
                    Binary::Since => unreachable!("the past was removed before"),
                }
            }
        }
    }

    /// The formula as a tree.
    #[cfg(test)]
    pub fn tree(&self, id: Id) -> Temporal {
        let pair = |op, a: &Id, b: &Id| self.tree(*a).with(op, self.tree(*b));
        match self.node(id) {
            Node::Constant(value) => Temporal::Constant(*value),
            Node::Literal(atom, true) => Temporal::Atom(*atom),
            Node::Literal(atom, false) => Temporal::Atom(*atom).negated(),
            Node::And(all) => Temporal::And(all.iter().map(|&one| self.tree(one)).collect()),
            Node::Or(all) => Temporal::Or(all.iter().map(|&one| self.tree(one)).collect()),
            Node::Next(a) => self.tree(*a).under(Unary::Next),
            Node::Finally(a) => self.tree(*a).under(Unary::Finally),
            Node::Globally(a) => self.tree(*a).under(Unary::Globally),
            Node::Until(a, b) => pair(Binary::Until, a, b),
            Node::Release(a, b) => pair(Binary::Release, a, b),
            Node::WeakUntil(a, b) => pair(Binary::WeakUntil, a, b),
            Node::StrongRelease(a, b) => pair(Binary::StrongRelease, a, b),
        }
    }
}
