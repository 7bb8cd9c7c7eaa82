//! Rewriting formulas before they become automata.
//!
//! The rules are those of Somenzi and Bloem [SB00], with the classes of Etessami and Holzmann [EH00]: a formula is *eventual* if it
//! holds now whenever it holds later (`F a`), and *universal* if it holds later whenever it holds now (`G a`). A formula that is
//! both speaks about the end of the run only, so it can leave every temporal operator.

mod implication;
mod junction;

use std::collections::HashMap;

use super::arena::{Arena, Id, Node};

/// A formula that says the same, and is no harder to translate.
pub(crate) fn rewritten(arena: &mut Arena, formula: Id) -> Id {
    let mut rewriter = Rewriter {
        arena,
        done: HashMap::new(),
        implied: HashMap::new(),
        depth: 0,
    };
    // A rule may make room for another one. The number of rounds is bounded, since it is not proved that they end.
    let mut formula = formula;
    for _ in 0..4 {
        let next = rewriter.rewritten(formula);
        if next == formula {
            break;
        }
        formula = next;
        rewriter.done.clear();
    }
    formula
}

struct Rewriter<'a> {
    arena: &'a mut Arena,
    done: HashMap<Id, Id>,
    implied: HashMap<(Id, Id), bool>,
    /// How many rules are being applied within each other.
    depth: u32,
}

/// Rules within rules, beyond which formulas are left as they are.
const DEEPEST: u32 = 64;

impl Rewriter<'_> {
    fn rewritten(&mut self, id: Id) -> Id {
        if let Some(&known) = self.done.get(&id) {
            return known;
        }
        let rewritten = match self.arena.node(id).clone() {
            Node::Constant(_) | Node::Literal(..) => id,
            Node::And(all) => {
                let all = all.into_iter().map(|one| self.rewritten(one)).collect();
                self.and(all)
            }
            Node::Or(all) => {
                let all = all.into_iter().map(|one| self.rewritten(one)).collect();
                self.or(all)
            }
            Node::Next(a) => {
                let a = self.rewritten(a);
                self.next(a)
            }
            Node::Finally(a) => {
                let a = self.rewritten(a);
                self.finally(a)
            }
            Node::Globally(a) => {
                let a = self.rewritten(a);
                self.globally(a)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.rewritten(a), self.rewritten(b));
                self.until(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.rewritten(a), self.rewritten(b));
                self.release(a, b)
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (self.rewritten(a), self.rewritten(b));
                self.weak_until(a, b)
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (self.rewritten(a), self.rewritten(b));
                self.strong_release(a, b)
            }
        };
        self.done.insert(id, rewritten);
        rewritten
    }

    /// Applies a rule, unless too many are being applied.
    fn within(&mut self, plain: Node, rule: impl FnOnce(&mut Self) -> Option<Id>) -> Id {
        if self.depth >= DEEPEST {
            return self.arena.id(plain);
        }
        self.depth += 1;
        let rewritten = rule(self);
        self.depth -= 1;
        rewritten.unwrap_or_else(|| self.arena.id(plain))
    }

    fn next(&mut self, a: Id) -> Id {
        if self.is_final(a) {
            return a;
        }
        self.arena.id(Node::Next(a))
    }

    fn finally(&mut self, a: Id) -> Id {
        if self.is_eventual(a) {
            return a;
        }
        self.within(Node::Finally(a), |this| {
            match this.arena.node(a).clone() {
                Node::Next(b) => {
                    let b = this.finally(b);
                    Some(this.next(b))
                }
                Node::Until(_, b) => Some(this.finally(b)),
                Node::StrongRelease(b, c) => {
                    let both = this.and(vec![b, c]);
                    Some(this.finally(both))
                }
                Node::WeakUntil(b, c) => {
                    let always = this.globally(b);
                    let some = this.or(vec![always, c]);
                    Some(this.finally(some))
                }
                Node::Release(b, c) => {
                    let (always, both) = (this.globally(c), this.and(vec![b, c]));
                    let some = this.or(vec![always, both]);
                    Some(this.finally(some))
                }
                // What speaks about the end of the run only comes in again, see `joined_or`.
                Node::Or(all) => {
                    let leaves = |this: &Self, id| this.is_eventual(id) && !this.is_universal(id);
                    let (out, inside) = this.parted(&all, leaves)?;
                    let inside = this.or(inside);
                    let inside = this.finally(inside);
                    Some(this.or(with(out, inside)))
                }
                Node::And(all) => {
                    let (out, inside) = this.parted(&all, Self::is_final)?;
                    let inside = this.and(inside);
                    let inside = this.finally(inside);
                    Some(this.and(with(out, inside)))
                }
                Node::Globally(b) => {
                    // `F G (a | u)`: once `u` holds, it holds for ever.
                    if let Node::Or(all) = this.arena.node(b).clone()
                        && let Some((out, inside)) = this.parted(&all, Self::is_universal)
                    {
                        let (out, inside) = (this.or(out), this.or(inside));
                        let inside = this.globally(inside);
                        let some = this.or(vec![out, inside]);
                        return Some(this.finally(some));
                    }
                    // In the end of a run, `X` says nothing: FG (a & X b) is FG (a & b).
                    let stripped = this.without_next(b, |node| match node {
                        Node::And(all) => Some(all.clone()),
                        _ => None,
                    })?;
                    let always = this.globally(stripped);
                    Some(this.finally(always))
                }
                _ => None,
            }
        })
    }

    fn globally(&mut self, a: Id) -> Id {
        if self.is_universal(a) {
            return a;
        }
        self.within(Node::Globally(a), |this| match this.arena.node(a).clone() {
            Node::Next(b) => {
                let b = this.globally(b);
                Some(this.next(b))
            }
            Node::Release(_, b) => Some(this.globally(b)),
            Node::WeakUntil(b, c) => {
                let some = this.or(vec![b, c]);
                Some(this.globally(some))
            }
            Node::StrongRelease(b, c) => {
                let (later, always) = (this.finally(b), this.globally(c));
                let later = this.globally(later);
                Some(this.and(vec![later, always]))
            }
            Node::Until(b, c) => {
                let (later, some) = (this.finally(c), this.or(vec![b, c]));
                let (later, always) = (this.globally(later), this.globally(some));
                Some(this.and(vec![later, always]))
            }
            Node::And(all) => {
                let leaves = |this: &Self, id| this.is_universal(id) || this.is_eventual(id);
                let (out, inside) = this.parted(&all, leaves)?;
                let inside = this.and(inside);
                let mut all = vec![this.globally(inside)];
                all.extend(out.into_iter().map(|one| this.globally(one)));
                Some(this.and(all))
            }
            Node::Or(all) => {
                let (out, inside) = this.parted(&all, Self::is_final)?;
                let inside = this.or(inside);
                let inside = this.globally(inside);
                Some(this.or(with(out, inside)))
            }
            Node::Finally(b) => {
                // `G F (a & e)`: if `e` holds again and again, it holds always.
                if let Node::And(all) = this.arena.node(b).clone()
                    && let Some((out, inside)) = this.parted(&all, Self::is_eventual)
                {
                    let (out, inside) = (this.and(out), this.and(inside));
                    let (out, inside) = (this.globally(out), this.finally(inside));
                    let inside = this.globally(inside);
                    return Some(this.and(vec![out, inside]));
                }
                let stripped = this.without_next(b, |node| match node {
                    Node::Or(all) => Some(all.clone()),
                    _ => None,
                })?;
                let later = this.finally(stripped);
                Some(this.globally(later))
            }
            _ => None,
        })
    }

    /// The operands of `b` without `X` in front of them, if one of them has it.
    fn without_next(&mut self, b: Id, operands: fn(&Node) -> Option<Vec<Id>>) -> Option<Id> {
        let all = operands(self.arena.node(b))?;
        let mut changed = false;
        let stripped: Vec<Id> = all
            .into_iter()
            .map(|mut one| {
                while let Node::Next(inner) = *self.arena.node(one) {
                    (one, changed) = (inner, true);
                }
                one
            })
            .collect();
        match (changed, self.arena.node(b)) {
            (false, _) => None,
            (true, Node::And(_)) => Some(self.and(stripped)),
            (true, _) => Some(self.or(stripped)),
        }
    }

    fn until(&mut self, a: Id, b: Id) -> Id {
        if self.is_eventual(b) || a == Id::FALSE || self.implies(a, b) {
            return b;
        }
        if a == Id::TRUE || self.implied_by_not(b, a) {
            return self.finally(b);
        }
        self.within(Node::Until(a, b), |this| {
            if let Some(both) = this.both_next(a, b) {
                let inner = this.until(both.0, both.1);
                return Some(this.next(inner));
            }
            match this.arena.node(b).clone() {
                Node::Until(c, _) | Node::WeakUntil(c, _) if this.implies(a, c) => Some(b),
                Node::Or(all) => {
                    if let Some((out, inside)) = this.parted(&all, Self::is_eventual) {
                        let inside = this.or(inside);
                        let inside = this.until(a, inside);
                        return Some(this.or(with(out, inside)));
                    }
                    // `a U (b | G a)` is `a W b`.
                    let always = this.globally(a);
                    if all.contains(&always) {
                        let rest = all.iter().copied().filter(|&one| one != always).collect();
                        let rest = this.or(rest);
                        return Some(this.weak_until(a, rest));
                    }
                    // `a U (a U c | d)` is `a U (c | d)`.
                    let mut changed = false;
                    let flat: Vec<Id> = all
                        .iter()
                        .map(|&one| match *this.arena.node(one) {
                            Node::Until(c, d) if c == a => {
                                changed = true;
                                d
                            }
                            _ => one,
                        })
                        .collect();
                    let flat = changed.then(|| this.or(flat))?;
                    Some(this.until(a, flat))
                }
                Node::And(all) => {
                    let (out, inside) = this.parted(&all, Self::is_final)?;
                    let inside = this.and(inside);
                    let inside = this.until(a, inside);
                    Some(this.and(with(out, inside)))
                }
                _ => None,
            }
        })
    }

    fn release(&mut self, a: Id, b: Id) -> Id {
        if self.is_universal(b) || a == Id::TRUE || self.implies(b, a) {
            return b;
        }
        if a == Id::FALSE || self.excludes(a, b) {
            return self.globally(b);
        }
        self.within(Node::Release(a, b), |this| {
            if let Some(both) = this.both_next(a, b) {
                let inner = this.release(both.0, both.1);
                return Some(this.next(inner));
            }
            match this.arena.node(b).clone() {
                Node::Release(c, _) | Node::StrongRelease(c, _) if this.implies(c, a) => Some(b),
                Node::And(all) => {
                    if let Some((out, inside)) = this.parted(&all, Self::is_universal) {
                        let inside = this.and(inside);
                        let inside = this.release(a, inside);
                        return Some(this.and(with(out, inside)));
                    }
                    // `a R (b & F a)` is `a M b`.
                    let later = this.finally(a);
                    if !all.contains(&later) {
                        return None;
                    }
                    let rest = all.iter().copied().filter(|&one| one != later).collect();
                    let rest = this.and(rest);
                    Some(this.strong_release(a, rest))
                }
                Node::Or(all) => {
                    let (out, inside) = this.parted(&all, Self::is_final)?;
                    let inside = this.or(inside);
                    let inside = this.release(a, inside);
                    Some(this.or(with(out, inside)))
                }
                _ => None,
            }
        })
    }

    fn weak_until(&mut self, a: Id, b: Id) -> Id {
        if a == Id::TRUE || self.implied_by_not(b, a) {
            return Id::TRUE;
        }
        if a == Id::FALSE || self.implies(a, b) {
            return b;
        }
        if b == Id::FALSE {
            return self.globally(a);
        }
        if self.is_universal(a) {
            return self.or(vec![a, b]);
        }
        self.within(Node::WeakUntil(a, b), |this| {
            if let Some(both) = this.both_next(a, b) {
                let inner = this.weak_until(both.0, both.1);
                return Some(this.next(inner));
            }
            match this.arena.node(b).clone() {
                Node::WeakUntil(c, _) if this.implies(a, c) => Some(b),
                _ if this.is_eventual(b) => {
                    let always = this.globally(a);
                    Some(this.or(vec![always, b]))
                }
                Node::Or(all) => {
                    let (out, inside) = this.parted(&all, Self::is_eventual)?;
                    let inside = this.or(inside);
                    let inside = this.weak_until(a, inside);
                    Some(this.or(with(out, inside)))
                }
                _ => None,
            }
        })
    }

    fn strong_release(&mut self, a: Id, b: Id) -> Id {
        if a == Id::FALSE || self.excludes(a, b) {
            return Id::FALSE;
        }
        if a == Id::TRUE || self.implies(b, a) {
            return b;
        }
        if b == Id::TRUE {
            return self.finally(a);
        }
        if self.is_eventual(a) {
            return self.and(vec![a, b]);
        }
        self.within(Node::StrongRelease(a, b), |this| {
            if let Some(both) = this.both_next(a, b) {
                let inner = this.strong_release(both.0, both.1);
                return Some(this.next(inner));
            }
            match this.arena.node(b).clone() {
                Node::StrongRelease(c, _) if this.implies(c, a) => Some(b),
                _ if this.is_universal(b) => {
                    let later = this.finally(a);
                    Some(this.and(vec![later, b]))
                }
                Node::And(all) => {
                    let (out, inside) = this.parted(&all, Self::is_universal)?;
                    let inside = this.and(inside);
                    let inside = this.strong_release(a, inside);
                    Some(this.and(with(out, inside)))
                }
                _ => None,
            }
        })
    }

    /// What stands behind `X` in both.
    fn both_next(&self, a: Id, b: Id) -> Option<(Id, Id)> {
        match (self.arena.node(a), self.arena.node(b)) {
            (Node::Next(a), Node::Next(b)) => Some((*a, *b)),
            _ => None,
        }
    }

    /// Operands that may leave the operator, and the others, if there are some to leave and some to stay.
    fn parted(&self, all: &[Id], leaves: impl Fn(&Self, Id) -> bool) -> Option<(Vec<Id>, Vec<Id>)> {
        let (out, inside): (Vec<Id>, Vec<Id>) = all.iter().partition(|&&one| leaves(self, one));
        (!out.is_empty() && !inside.is_empty()).then_some((out, inside))
    }
}

fn with(mut all: Vec<Id>, one: Id) -> Vec<Id> {
    all.push(one);
    all
}
