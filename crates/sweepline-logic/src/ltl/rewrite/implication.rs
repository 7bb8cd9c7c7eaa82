//! What can be said of formulas by looking at them.

use super::Rewriter;
use crate::ltl::arena::{Id, Node};

impl Rewriter<'_> {
    /// Whether it holds now whenever it holds later.
    pub(super) fn is_eventual(&self, id: Id) -> bool {
        match self.arena.node(id) {
            Node::Constant(_) | Node::Finally(_) => true,
            Node::Literal(..) => false,
            Node::And(all) | Node::Or(all) => all.iter().all(|&one| self.is_eventual(one)),
            Node::Next(a) | Node::Globally(a) | Node::Until(_, a) => self.is_eventual(*a),
            Node::Release(a, b) | Node::WeakUntil(a, b) | Node::StrongRelease(a, b) => {
                self.is_eventual(*a) && self.is_eventual(*b)
            }
        }
    }

    /// Whether it holds later whenever it holds now.
    pub(super) fn is_universal(&self, id: Id) -> bool {
        match self.arena.node(id) {
            Node::Constant(_) | Node::Globally(_) => true,
            Node::Literal(..) => false,
            Node::And(all) | Node::Or(all) => all.iter().all(|&one| self.is_universal(one)),
            Node::Next(a) | Node::Finally(a) | Node::Release(_, a) => self.is_universal(*a),
            Node::Until(a, b) | Node::WeakUntil(a, b) | Node::StrongRelease(a, b) => {
                self.is_universal(*a) && self.is_universal(*b)
            }
        }
    }

    /// Whether it speaks about the end of the run only.
    pub(super) fn is_final(&self, id: Id) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    /// Whether two formulas cannot hold together, as far as can be read off them.
    pub(super) fn excludes(&mut self, a: Id, b: Id) -> bool {
        let not_b = self.arena.not(b);
        self.implies(a, not_b)
    }

    /// Whether one of two formulas always holds, as far as can be read off them.
    pub(super) fn implied_by_not(&mut self, a: Id, b: Id) -> bool {
        let not_a = self.arena.not(a);
        self.implies(not_a, b)
    }

    /// Whether the second formula holds wherever the first does, as far as can be read off them.
    pub(super) fn implies(&mut self, a: Id, b: Id) -> bool {
        if a == b || a == Id::FALSE || b == Id::TRUE {
            return true;
        }
        if let Some(&known) = self.implied.get(&(a, b)) {
            return known;
        }
        let implied = self.implies_by_rule(a, b);
        self.implied.insert((a, b), implied);
        implied
    }

    fn implies_by_rule(&mut self, a: Id, b: Id) -> bool {
        let (left, right) = (self.arena.node(a).clone(), self.arena.node(b).clone());
        // All of a disjunction, any of a conjunction; and the other way round on the right.
        match &left {
            Node::Or(all) => return all.iter().all(|&one| self.implies(one, b)),
            Node::And(all)
                if !matches!(right, Node::And(_))
                    && all.iter().any(|&one| self.implies(one, b)) =>
            {
                return true;
            }
            _ => {}
        }
        match &right {
            Node::And(all) => return all.iter().all(|&one| self.implies(a, one)),
            Node::Or(all) if all.iter().any(|&one| self.implies(a, one)) => return true,
            _ => {}
        }
        let (eventual, universal) = (self.is_eventual(b), self.is_universal(a));
        self.implies_from(&left, b, eventual)
            || match right {
                Node::Next(c) | Node::Globally(c) => universal && self.implies(a, c),
                Node::Finally(c) => self.implies(a, c),
                Node::Until(_, d) => self.implies(a, d),
                Node::WeakUntil(c, d) => self.implies(a, d) || universal && self.implies(a, c),
                Node::Release(c, d) => self.implies(a, d) && (universal || self.implies(a, c)),
                Node::StrongRelease(c, d) => self.implies(a, c) && self.implies(a, d),
                _ => false,
            }
    }

    /// Whether a formula holds wherever an operator does, by the operator and its operands.
    fn implies_from(&mut self, left: &Node, then: Id, eventual: bool) -> bool {
        let right = self.arena.node(then).clone();
        match *left {
            Node::Next(inner) => {
                eventual && self.implies(inner, then)
                    || matches!(right, Node::Next(c) if self.implies(inner, c))
            }
            Node::Finally(inner) => eventual && self.implies(inner, then),
            Node::Globally(inner) => self.implies(inner, then),
            Node::Until(c, d) => {
                self.implies(d, then) && (eventual || self.implies(c, then))
                    || match right {
                        Node::Until(e, f) | Node::WeakUntil(e, f) => {
                            self.implies(c, e) && self.implies(d, f)
                        }
                        _ => false,
                    }
            }
            Node::WeakUntil(c, d) => {
                self.implies(d, then) && self.implies(c, then)
                    || match right {
                        Node::WeakUntil(e, f) => self.implies(c, e) && self.implies(d, f),
                        Node::Release(e, f) => {
                            self.implies(c, f) && self.implies(d, e) && self.implies(d, f)
                        }
                        _ => false,
                    }
            }
            Node::Release(c, d) => {
                self.implies(d, then)
                    || match right {
                        Node::Release(e, f) => self.implies(c, e) && self.implies(d, f),
                        Node::WeakUntil(e, f) => {
                            self.implies(d, e) && (self.implies(c, f) || self.implies(d, f))
                        }
                        _ => false,
                    }
            }
            Node::StrongRelease(c, d) => {
                self.implies(d, then)
                    || eventual && self.implies(c, then)
                    || match right {
                        Node::Release(e, f) | Node::StrongRelease(e, f) => {
                            self.implies(c, e) && self.implies(d, f)
                        }
                        Node::Until(e, f) | Node::WeakUntil(e, f) => {
                            self.implies(d, e) && (self.implies(c, f) || self.implies(d, f))
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }
}
