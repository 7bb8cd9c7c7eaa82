//! The operators about runs, as fixpoints over what is recorded.

use sweepline_core::StopReason;
use sweepline_logic::ctl::Quantifier;

use super::sets::Set;
use crate::ltl::{Allowance, Links};

/// What is recorded, with what is assumed of instances that are not known.
#[derive(Clone, Copy)]
pub(crate) struct Known<'r> {
    pub(crate) links: &'r Links,
    /// Numbers that have been expanded.
    pub(crate) expanded: &'r Set,
    /// Whether instances that are not recorded count as members.
    pub(crate) beyond: bool,
    pub(crate) allowance: &'r Allowance<'r>,
}

/// Predecessors are looked up instead of another pass if there is memory for them and the last pass, not the first, has left more
/// than this part of what was open. So all passes together take no longer than a few. Tests have small graphs.
const LEFT: (usize, usize) = if cfg!(test) { (1, 8) } else { (3, 4) };

/// Instances between two looks at the limits.
const PACE: u32 = 1 << 16;

/// What is known of an instance while a fixpoint is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    In,
    Out,
    /// It depends on others that are open; whether one of them has a smaller number.
    Open {
        on_smaller: bool,
    },
}

/// An operator until, see [`Op::Until`](super::arena::Op::Until), of sets.
#[derive(Clone, Copy)]
pub(crate) struct Until<'s> {
    pub(crate) quantifier: Quantifier,
    pub(crate) weak: bool,
    pub(crate) way: &'s Set,
    pub(crate) goal: &'s Set,
}

impl Known<'_> {
    /// Instances some or all of whose successors are members. Those that have not been expanded are in if that is assumed.
    pub(crate) fn next(&self, quantifier: Quantifier, operand: &Set) -> Result<Set, StopReason> {
        let mut set = Set::filled(self.links.numbers(), self.beyond);
        let mut pace = Pace::new(self.allowance);
        let member = |target: Option<u32>| match target {
            Some(target) if target < self.links.numbers() => operand.contains(target),
            _ => self.beyond,
        };
        for number in 0..self.links.numbers() {
            pace.step()?;
            if !self.expanded.contains(number) {
                continue;
            }
            let mut targets = self.links.edges(number).map(|edge| self.links.target(edge));
            let holds = match quantifier {
                Quantifier::Exists => targets.any(member),
                Quantifier::Forall => targets.all(member),
            };
            if holds {
                set.insert(number);
            } else {
                set.remove(number);
            }
        }
        Ok(set)
    }

    /// The least set of instances with the goal, or with the way and some or all successors in it; the greatest if it is weak.
    ///
    /// An instance is in, out, or open. It is decided from its successors as soon as they allow, whichever fixpoint it is; what stays
    /// open when nothing changes any more supports only itself, which is enough for the greatest fixpoint and not for the least.
    pub(crate) fn until(&self, until: Until<'_>) -> Result<Set, StopReason> {
        let Until { way, goal, .. } = until;
        let mut members = goal.clone();
        if self.beyond {
            let unknown = self.expanded.clone().negated();
            members = members.or(&unknown.and(way));
        }
        let mut open = way.clone().and(self.expanded).without(&members);
        let mut before = usize::MAX / LEFT.0;
        while self.pass(until, &mut members, &mut open)? {
            let left = open.count();
            if left * LEFT.1 > before * LEFT.0
                && self.by_predecessors(until, &mut members, &mut open)?
            {
                break;
            }
            before = left;
        }
        Ok(if until.weak {
            members.or(&open)
        } else {
            members
        })
    }

    /// Looks at all open instances, from the last to the first. False if another pass changes nothing.
    fn pass(
        &self,
        until: Until<'_>,
        members: &mut Set,
        open: &mut Set,
    ) -> Result<bool, StopReason> {
        let (mut changed, mut missed) = (false, false);
        let mut pace = Pace::new(self.allowance);
        let mut limit = self.links.numbers();
        while let Some(number) = open.last_below(limit) {
            pace.step()?;
            limit = number;
            match self.judge(until, number, members, open) {
                Verdict::In => {
                    members.insert(number);
                    open.remove(number);
                    changed = true;
                }
                Verdict::Out => {
                    open.remove(number);
                    changed = true;
                }
                Verdict::Open { on_smaller } => missed |= on_smaller,
            }
        }
        Ok(changed && missed)
    }

    #[inline]
    fn judge(&self, until: Until<'_>, number: u32, members: &Set, open: &Set) -> Verdict {
        let edges = self.links.edges(number);
        if edges.is_empty() {
            return if until.weak {
                Verdict::In
            } else {
                Verdict::Out
            };
        }
        let (decisive, decided, otherwise) = match until.quantifier {
            Quantifier::Exists => (true, Verdict::In, Verdict::Out),
            Quantifier::Forall => (false, Verdict::Out, Verdict::In),
        };
        let (mut is_open, mut on_smaller) = (false, false);
        for edge in edges {
            let member = match self.links.target(edge) {
                Some(target) if target < self.links.numbers() => {
                    if open.contains(target) {
                        is_open = true;
                        on_smaller |= target < number;
                        continue;
                    }
                    members.contains(target)
                }
                _ => self.beyond,
            };
            if member == decisive {
                return decided;
            }
        }
        if is_open {
            Verdict::Open { on_smaller }
        } else {
            otherwise
        }
    }

    /// Decides what is open by going back from what is decided, along predecessors. False if there is no memory for them.
    ///
    /// Passes would take as many rounds as a path has edges against the order, and this takes as many steps as there are edges.
    fn by_predecessors(
        &self,
        until: Until<'_>,
        members: &mut Set,
        open: &mut Set,
    ) -> Result<bool, StopReason> {
        let Some(mut back) = Predecessors::of(self, open)? else {
            return Ok(false);
        };
        let candidates = open.clone();
        let decisive = until.quantifier == Quantifier::Exists;
        let mut decided = Vec::new();
        let mut limit = self.links.numbers();
        while let Some(number) = open.last_below(limit) {
            limit = number;
            match self.judge(until, number, members, &candidates) {
                Verdict::In => decided.push((number, true)),
                Verdict::Out => decided.push((number, false)),
                Verdict::Open { .. } => {}
            }
        }
        let mut pace = Pace::new(self.allowance);
        while let Some((number, member)) = decided.pop() {
            pace.step()?;
            if !open.contains(number) {
                continue;
            }
            open.remove(number);
            if member {
                members.insert(number);
            }
            let place = candidates.rank(&back.ranks, number);
            for at in back.range(place) {
                let before = back.sources[at];
                if !open.contains(before) {
                    continue;
                }
                let left = &mut back.left[candidates.rank(&back.ranks, before) as usize];
                *left -= 1;
                if member == decisive {
                    decided.push((before, decisive));
                } else if *left == 0 {
                    decided.push((before, !decisive));
                }
            }
        }
        Ok(true)
    }
}

/// Who leads to each of some candidates, among them.
struct Predecessors {
    ranks: Vec<u32>,
    /// Where the predecessors of each candidate end.
    ends: Vec<u32>,
    sources: Vec<u32>,
    /// How many edges of each candidate lead to open ones.
    left: Vec<u32>,
}

impl Predecessors {
    fn of(known: &Known<'_>, open: &Set) -> Result<Option<Self>, StopReason> {
        let ranks = open.ranks();
        let count = open.count();
        let mut degrees = vec![0_u32; count];
        let mut left = vec![0_u32; count];
        let mut edges = 0_usize;
        each_edge(known, open, |from, to| {
            degrees[open.rank(&ranks, to) as usize] += 1;
            left[open.rank(&ranks, from) as usize] += 1;
            edges += 1;
        })?;
        let bytes = (edges + 3 * count + ranks.len()) * size_of::<u32>();
        if bytes > known.allowance.bytes || u32::try_from(edges).is_err() {
            return Ok(None);
        }
        // First where each list starts; each moves to its end as it is filled.
        let mut start = 0;
        let mut ends = degrees;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut sources = vec![0; edges];
        each_edge(known, open, |from, to| {
            let end = &mut ends[open.rank(&ranks, to) as usize];
            sources[*end as usize] = from;
            *end += 1;
        })?;
        Ok(Some(Self {
            ranks,
            ends,
            sources,
            left,
        }))
    }

    fn range(&self, place: u32) -> std::ops::Range<usize> {
        let place = place as usize;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[place] as usize
    }
}

/// Every edge between open instances.
fn each_edge(
    known: &Known<'_>,
    open: &Set,
    mut visit: impl FnMut(u32, u32),
) -> Result<(), StopReason> {
    let mut pace = Pace::new(known.allowance);
    let mut limit = known.links.numbers();
    while let Some(number) = open.last_below(limit) {
        pace.step()?;
        limit = number;
        for edge in known.links.edges(number) {
            if let Some(target) = known.links.target(edge)
                && target < known.links.numbers()
                && open.contains(target)
            {
                visit(number, target);
            }
        }
    }
    Ok(())
}

/// Looks at the limits now and then.
pub(crate) struct Pace<'a> {
    allowance: &'a Allowance<'a>,
    steps: u32,
}

impl<'a> Pace<'a> {
    pub(crate) fn new(allowance: &'a Allowance<'a>) -> Self {
        Self {
            allowance,
            steps: 0,
        }
    }

    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), StopReason> {
        self.steps += 1;
        if self.steps == PACE {
            self.steps = 0;
            self.allowance.limits.allow(0)?;
        }
        Ok(())
    }
}
