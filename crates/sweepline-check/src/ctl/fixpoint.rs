//! The operators about runs, as fixpoints over what is recorded.

use sweepline_core::StopReason;
use sweepline_logic::ctl::Quantifier;

use super::backwards::Node;
use super::recorder::BranchRecorder;
use super::sets::{Set, Side};
use crate::ltl::Allowance;

/// What is recorded, with what is assumed of instances that are not known.
#[derive(Clone, Copy)]
pub(crate) struct Known<'r> {
    pub(crate) recorder: &'r BranchRecorder,
    /// Numbers that have been expanded; nothing if that is all that can be reached.
    pub(crate) expanded: Option<&'r Set>,
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
    pub(crate) way: Side<'s>,
    pub(crate) goal: Side<'s>,
}

impl Known<'_> {
    fn numbers(&self) -> u32 {
        self.recorder.links().numbers()
    }

    fn is_expanded(&self, number: u32) -> bool {
        self.expanded.is_none_or(|set| set.contains(number))
    }

    /// Instances some or all of whose successors are members. Those that have not been expanded are in if that is assumed.
    pub(crate) fn next(
        &self,
        quantifier: Quantifier,
        operand: Side<'_>,
    ) -> Result<Set, StopReason> {
        let numbers = self.numbers();
        let mut set = Set::filled(numbers, self.beyond);
        let member = |target: Option<u32>| match target {
            Some(target) if target < numbers => operand.contains(target),
            _ => self.beyond,
        };
        self.recorder.visit(self.allowance.limits, |node| {
            if !self.is_expanded(node.number) {
                return;
            }
            let mut targets = node.targets();
            let holds = match quantifier {
                Quantifier::Exists => targets.any(member),
                Quantifier::Forall => targets.all(member),
            };
            if holds {
                set.insert(node.number);
            } else {
                set.remove(node.number);
            }
        })?;
        Ok(set)
    }

    /// The least set of instances with the goal, or with the way and some or all successors in it; the greatest if it is weak.
    ///
    /// An instance is in, out, or open. It is decided from its successors as soon as they allow, whichever fixpoint it is; what stays
    /// open when nothing changes any more supports only itself, which is enough for the greatest fixpoint and not for the least.
    pub(crate) fn until(&self, until: Until<'_>) -> Result<Set, StopReason> {
        let Until { way, goal, .. } = until;
        let mut members = goal.to_set(self.numbers());
        let mut open = way.to_set(self.numbers());
        if let Some(expanded) = self.expanded {
            if self.beyond {
                members = members.or(Side::Set(&open.clone().without(expanded)));
            }
            open = open.and(Side::Set(expanded));
        }
        open = open.without(&members);
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
            members.or(Side::Set(&open))
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
        self.recorder.visit(self.allowance.limits, |node| {
            if !open.contains(node.number) {
                return;
            }
            match self.judge(until, node, members, open) {
                Verdict::In => {
                    members.insert(node.number);
                    open.remove(node.number);
                    changed = true;
                }
                Verdict::Out => {
                    open.remove(node.number);
                    changed = true;
                }
                Verdict::Open { on_smaller } => missed |= on_smaller,
            }
        })?;
        Ok(changed && missed)
    }

    #[inline]
    fn judge(&self, until: Until<'_>, node: &Node<'_>, members: &Set, open: &Set) -> Verdict {
        if node.is_end() {
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
        let numbers = self.numbers();
        let (mut is_open, mut on_smaller) = (false, false);
        for target in node.targets() {
            let member = match target {
                Some(target) if target < numbers => {
                    if open.contains(target) {
                        is_open = true;
                        on_smaller |= target < node.number;
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
        self.recorder.visit(self.allowance.limits, |node| {
            if open.contains(node.number) {
                match self.judge(until, node, members, &candidates) {
                    Verdict::In => decided.push((node.number, true)),
                    Verdict::Out => decided.push((node.number, false)),
                    Verdict::Open { .. } => {}
                }
            }
        })?;
        let mut steps = 0;
        while let Some((number, member)) = decided.pop() {
            steps += 1;
            if steps % PACE == 0 {
                self.allowance.limits.allow(0)?;
            }
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
        let mut edges = 0_usize;
        each_edge(known, open, |_, _| edges += 1)?;
        let count = open.count();
        let bytes = (edges + 3 * count) * size_of::<u32>() + Set::bytes(known.numbers());
        if bytes > known.allowance.bytes || u32::try_from(edges).is_err() {
            return Ok(None);
        }
        let ranks = open.ranks();
        let mut degrees = vec![0_u32; count];
        let mut left = vec![0_u32; count];
        each_edge(known, open, |from, to| {
            degrees[open.rank(&ranks, to) as usize] += 1;
            left[open.rank(&ranks, from) as usize] += 1;
        })?;
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
    let numbers = known.numbers();
    known.recorder.visit(known.allowance.limits, |node| {
        if open.contains(node.number) {
            let targets = node.targets().flatten();
            for target in targets.filter(|&target| target < numbers && open.contains(target)) {
                visit(node.number, target);
            }
        }
    })?;
    Ok(())
}
