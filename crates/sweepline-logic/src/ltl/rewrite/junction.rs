//! Rules for conjunctions and disjunctions.

use super::Rewriter;
use crate::ltl::arena::{Id, Node};

/// Operands that are compared with each other.
const MOST_OPERANDS: usize = 64;

impl Rewriter<'_> {
    pub(super) fn and(&mut self, all: Vec<Id>) -> Id {
        let plain = self.arena.and(all);
        let Node::And(all) = self.arena.node(plain).clone() else {
            return plain;
        };
        if all.len() > MOST_OPERANDS {
            return plain;
        }
        self.within(Node::And(all.clone()), |this| {
            for (at, &one) in all.iter().enumerate() {
                for (other_at, &other) in all.iter().enumerate() {
                    if at == other_at {
                        continue;
                    }
                    if this.implies(one, other) {
                        return Some(this.and_without(&all, other_at, None));
                    }
                    if at < other_at && this.excludes(one, other) {
                        return Some(Id::FALSE);
                    }
                    if let Some(joined) = this.joined_and(one, other) {
                        let (low, high) = (at.min(other_at), at.max(other_at));
                        let mut rest = all.clone();
                        rest.remove(high);
                        rest.remove(low);
                        rest.push(joined);
                        return Some(this.and(rest));
                    }
                }
            }
            None
        })
    }

    fn and_without(&mut self, all: &[Id], at: usize, instead: Option<Id>) -> Id {
        let mut rest = all.to_vec();
        rest.remove(at);
        rest.extend(instead);
        self.and(rest)
    }

    /// Two conjuncts as one.
    fn joined_and(&mut self, a: Id, b: Id) -> Option<Id> {
        match (self.arena.node(a).clone(), self.arena.node(b).clone()) {
            (Node::Next(a), Node::Next(b)) => {
                let both = self.and(vec![a, b]);
                Some(self.next(both))
            }
            (Node::Globally(a), Node::Globally(b)) => {
                // `G F a & G F b` stay: the tableau needs no state for either.
                if self.is_eventual(a) || self.is_eventual(b) {
                    return None;
                }
                let both = self.and(vec![a, b]);
                Some(self.globally(both))
            }
            (Node::Finally(a), Node::Finally(b))
                if self.is_universal(a) && self.is_universal(b) =>
            {
                let both = self.and(vec![a, b]);
                Some(self.finally(both))
            }
            (Node::Until(a, b), Node::Until(c, d)) if b == d => {
                let both = self.and(vec![a, c]);
                Some(self.until(both, b))
            }
            (Node::WeakUntil(a, b), Node::WeakUntil(c, d)) if b == d => {
                let both = self.and(vec![a, c]);
                Some(self.weak_until(both, b))
            }
            (Node::Until(a, b), Node::WeakUntil(c, d)) if b == d => {
                let both = self.and(vec![a, c]);
                Some(self.until(both, b))
            }
            (Node::Release(a, b), Node::Release(c, d)) if a == c => {
                let both = self.and(vec![b, d]);
                Some(self.release(a, both))
            }
            (Node::StrongRelease(a, b), Node::Release(c, d) | Node::StrongRelease(c, d))
                if a == c =>
            {
                let both = self.and(vec![b, d]);
                Some(self.strong_release(a, both))
            }
            (Node::WeakUntil(a, b), Node::Finally(c)) if b == c => Some(self.until(a, b)),
            (Node::Release(a, b), Node::Finally(c)) if a == c => Some(self.strong_release(a, b)),
            // `a & X G a` is `G a`.
            (_, Node::Next(next)) => match *self.arena.node(next) {
                Node::Globally(inner) if inner == a => Some(next),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn or(&mut self, all: Vec<Id>) -> Id {
        let plain = self.arena.or(all);
        let Node::Or(all) = self.arena.node(plain).clone() else {
            return plain;
        };
        if all.len() > MOST_OPERANDS {
            return plain;
        }
        // The rules are those of conjunctions, for the negations.
        self.within(Node::Or(all.clone()), |this| {
            for (at, &one) in all.iter().enumerate() {
                for (other_at, &other) in all.iter().enumerate() {
                    if at == other_at {
                        continue;
                    }
                    if this.implies(one, other) {
                        let mut rest = all.clone();
                        rest.remove(at);
                        return Some(this.or(rest));
                    }
                    if at < other_at && this.implied_by_not(one, other) {
                        return Some(Id::TRUE);
                    }
                    if let Some(joined) = this.joined_or(one, other) {
                        let (low, high) = (at.min(other_at), at.max(other_at));
                        let mut rest = all.clone();
                        rest.remove(high);
                        rest.remove(low);
                        rest.push(joined);
                        return Some(this.or(rest));
                    }
                }
            }
            None
        })
    }

    /// Two disjuncts as one.
    fn joined_or(&mut self, a: Id, b: Id) -> Option<Id> {
        match (self.arena.node(a).clone(), self.arena.node(b).clone()) {
            (Node::Next(a), Node::Next(b)) => {
                let some = self.or(vec![a, b]);
                Some(self.next(some))
            }
            (Node::Finally(a), Node::Finally(b)) => {
                let some = self.or(vec![a, b]);
                Some(self.finally(some))
            }
            // The state that waits for `a` can wait for the choice, too.
            (Node::Finally(a), _) if self.is_final(b) => {
                let some = self.or(vec![a, b]);
                Some(self.finally(some))
            }
            (Node::Release(..) | Node::Globally(_), Node::Until(..) | Node::Finally(_))
                if let Some(joined) = self.first_event(a, b) =>
            {
                Some(joined)
            }
            (Node::Globally(a), Node::Globally(b))
                if self.is_eventual(a) && self.is_eventual(b) =>
            {
                let some = self.or(vec![a, b]);
                Some(self.globally(some))
            }
            (Node::Release(a, b), Node::Release(c, d)) if b == d => {
                let some = self.or(vec![a, c]);
                Some(self.release(some, b))
            }
            (Node::StrongRelease(a, b), Node::StrongRelease(c, d)) if b == d => {
                let some = self.or(vec![a, c]);
                Some(self.strong_release(some, b))
            }
            (Node::Release(a, b), Node::StrongRelease(c, d)) if b == d => {
                let some = self.or(vec![a, c]);
                Some(self.release(some, b))
            }
            (Node::Until(a, b), Node::Until(c, d)) if a == c => {
                let some = self.or(vec![b, d]);
                Some(self.until(a, some))
            }
            (Node::WeakUntil(a, b), Node::Until(c, d) | Node::WeakUntil(c, d)) if a == c => {
                let some = self.or(vec![b, d]);
                Some(self.weak_until(a, some))
            }
            (Node::StrongRelease(a, b), Node::Globally(c)) if b == c => Some(self.release(a, b)),
            (Node::Until(a, b), Node::Globally(c)) if a == c => Some(self.weak_until(a, b)),
            // `a | X F a` is `F a`.
            (_, Node::Next(next)) => match *self.arena.node(next) {
                Node::Finally(inner) if inner == a => Some(next),
                _ => None,
            },
            _ => None,
        }
    }

    /// `(c R a) | (!c U (!a & e))` with `e` eventual speaks about the first state without `a`, unless `c` comes before: it is
    /// `a W ((c & a) | (!a & e))`, where nothing has to be guessed.
    fn first_event(&mut self, left: Id, right: Id) -> Option<Id> {
        let (c, a) = match *self.arena.node(left) {
            Node::Release(c, a) => (c, a),
            Node::Globally(a) => (Id::FALSE, a),
            _ => return None,
        };
        let (not_c, end) = match *self.arena.node(right) {
            Node::Until(not_c, end) => (not_c, end),
            Node::Finally(end) => (Id::TRUE, end),
            _ => return None,
        };
        let Node::And(all) = self.arena.node(end).clone() else {
            return None;
        };
        let (eventual, event) = self.parted(&all, Self::is_eventual)?;
        let (event, eventual) = (self.arena.and(event), self.arena.and(eventual));
        if self.arena.not(a) != event || self.arena.not(c) != not_c {
            return None;
        }
        let (stopped, met) = (self.and(vec![c, a]), self.and(vec![event, eventual]));
        let end = self.or(vec![stopped, met]);
        Some(self.weak_until(a, end))
    }
}
