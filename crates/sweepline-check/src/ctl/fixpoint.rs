//! The operators about runs, as fixpoints over what is recorded.

use sweepline_core::StopReason;
use sweepline_logic::ctl::Quantifier;

use super::backwards::{Node, Visitor};
use super::predecessors::Predecessors;
use super::recorder::BranchRecorder;
use super::sets::{Set, Side};
use crate::ltl::Allowance;

/// What is recorded.
#[derive(Clone, Copy)]
pub(crate) struct Known<'r> {
    pub(crate) recorder: &'r BranchRecorder,
    /// Numbers that have been expanded; nothing if that is all that can be reached.
    pub(crate) expanded: Option<&'r Set>,
    pub(crate) allowance: &'r Allowance<'r>,
    /// Whether sets are computed to the end. Otherwise they are nearer to nothing, or to everything, than they could be.
    pub(crate) thorough: bool,
}

/// One of the two sets of an operator.
#[derive(Clone, Copy)]
pub(crate) struct Bound<S> {
    /// The sets of its operands.
    pub(crate) of: S,
    /// Whether instances that are not known count as members: it is the set where the operator may hold.
    pub(crate) beyond: bool,
}

/// An operator until, see [`Op::Until`](super::arena::Op::Until).
#[derive(Clone, Copy)]
pub(crate) struct Until {
    pub(crate) quantifier: Quantifier,
    pub(crate) weak: bool,
}

/// The operands of an operator until.
pub(crate) struct Operands {
    pub(crate) way: Set,
    pub(crate) goal: Set,
}

/// Predecessors are looked up instead of another pass if the last pass, not the first, has left more than this part of what was
/// open, and if that takes little memory. So all passes together take no longer than a few. Tests have small graphs.
const LEFT: (usize, usize) = if cfg!(test) { (1, 8) } else { (3, 4) };
/// Bytes that this may take in any case, and otherwise one for so many numbers.
const LITTLE: usize = 1 << 18;
const PART: usize = 4;
/// Passes after which it may take whatever memory there is.
const PATIENCE: usize = 12;
/// Passes of a computation that need not be thorough.
const FEW: usize = 2;

impl<'r> Known<'r> {
    pub(super) fn numbers(&self) -> u32 {
        self.recorder.links().numbers()
    }

    fn is_expanded(&self, number: u32) -> bool {
        self.expanded.is_none_or(|set| set.contains(number))
    }

    /// Instances some or all of whose successors are members. Those that have not been expanded are in if that is assumed.
    pub(crate) fn next(self, quantifier: Quantifier, bounds: Vec<Bound<Set>>) -> Work<'r> {
        let numbers = self.numbers();
        let filled = |bound: &Bound<_>| Set::filled(numbers, bound.beyond);
        let sets = bounds.iter().map(filled).collect();
        let sort = Sort::Next {
            quantifier,
            bounds,
            sets,
        };
        Work::new(self, sort)
    }

    /// The least set of instances with the goal, or with the way and some or all successors in it; the greatest if it is weak.
    pub(crate) fn until(self, until: Until, bounds: Vec<Bound<Operands>>) -> Work<'r> {
        let start = |bound| Fixpoint::start(&self, until, bound);
        let all = bounds.into_iter().map(start).collect();
        Work::new(self, Sort::Until(all))
    }

    /// Decides what is open by going back from what is decided, along predecessors, unless that takes too much memory.
    ///
    /// Passes would take as many rounds as a path has edges against the order, and this takes as many steps as there are edges.
    fn by_predecessors(&self, fixpoint: &mut Fixpoint, passes: usize) -> Result<(), StopReason> {
        let little = LITTLE.max(self.numbers() as usize / PART);
        let most = if passes < PATIENCE {
            little.min(self.allowance.bytes)
        } else {
            self.allowance.bytes
        };
        if let Some(back) = Predecessors::of(self, &fixpoint.open, most)? {
            back.decide(self, fixpoint)?;
            fixpoint.done = true;
        }
        Ok(())
    }
}

/// The sets of an operator while they are computed, in passes that those of others may share.
pub(crate) struct Work<'r> {
    known: Known<'r>,
    sort: Sort,
    passes: usize,
}

enum Sort {
    Next {
        quantifier: Quantifier,
        bounds: Vec<Bound<Set>>,
        sets: Vec<Set>,
    },
    Until(Vec<Fixpoint>),
}

impl<'r> Work<'r> {
    fn new(known: Known<'r>, sort: Sort) -> Self {
        Self {
            known,
            sort,
            passes: 0,
        }
    }

    /// One more pass over what is recorded, which is the same for all of them.
    pub(crate) fn pass(all: &mut [Self]) -> Result<(), StopReason> {
        let Some(first) = all.first() else {
            return Ok(());
        };
        let (recorder, limits) = (first.known.recorder, first.known.allowance.limits);
        match &mut *all {
            [one] => match &mut one.sort {
                Sort::Until(sets) => match &mut sets[..] {
                    [one] => recorder.show(limits, one),
                    _ => recorder.show(limits, one),
                },
                Sort::Next { .. } => recorder.show(limits, one),
            },
            all => recorder.show(limits, &mut Together(all)),
        }?;
        all.iter_mut().try_for_each(Self::passed)
    }

    fn passed(&mut self) -> Result<(), StopReason> {
        self.passes += 1;
        if let Sort::Until(all) = &mut self.sort {
            for one in all.iter_mut().filter(|one| !one.done) {
                one.passed();
                if self.known.thorough && one.is_stuck() {
                    self.known.by_predecessors(one, self.passes)?;
                }
            }
        }
        Ok(())
    }

    /// Whether it needs no more passes.
    pub(crate) fn is_done(&self) -> bool {
        match &self.sort {
            Sort::Next { .. } => self.passes > 0,
            Sort::Until(all) => {
                all.iter().all(|one| one.done) || !self.known.thorough && self.passes >= FEW
            }
        }
    }

    /// The sets, if it is done.
    pub(crate) fn finish(self) -> Vec<Set> {
        match self.sort {
            Sort::Next { sets, .. } => sets,
            Sort::Until(all) => all.into_iter().map(Fixpoint::finish).collect(),
        }
    }

    /// Computes the sets without others.
    pub(crate) fn alone(mut self) -> Result<Vec<Set>, StopReason> {
        while !self.is_done() {
            Self::pass(std::slice::from_mut(&mut self))?;
        }
        Ok(self.finish())
    }
}

/// A fixpoint while it is computed.
///
/// An instance is in, out, or open. It is decided from its successors as soon as they allow, whichever fixpoint it is; what stays
/// open when nothing changes any more supports only itself, which is enough for the greatest fixpoint and not for the least.
pub(super) struct Fixpoint {
    until: Until,
    beyond: bool,
    numbers: u32,
    pub(super) members: Set,
    pub(super) open: Set,
    last: LastPass,
    /// How much was open after the last two passes.
    left: [usize; 2],
    /// Whether nothing more can be decided.
    done: bool,
}

/// What came of a pass.
#[derive(Clone, Copy, Default)]
struct LastPass {
    /// Whether it decided something.
    changed: bool,
    /// Whether it left something open that may be decided when smaller numbers are.
    missed: bool,
}

/// What is known of an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    In,
    Out,
    /// It depends on others that are open; whether one of them has a smaller number.
    Open {
        on_smaller: bool,
    },
}

impl Fixpoint {
    fn start(known: &Known<'_>, until: Until, bound: Bound<Operands>) -> Self {
        let numbers = known.numbers();
        let Operands {
            way: mut open,
            goal: mut members,
        } = bound.of;
        if let Some(expanded) = known.expanded {
            if bound.beyond {
                let unknown = open.clone().without(expanded);
                members = members.or(Side::Set(&unknown));
            }
            open = open.and(Side::Set(expanded));
        }
        let mut fixpoint = Self {
            until,
            beyond: bound.beyond,
            numbers,
            open: open.without(&members),
            members,
            last: LastPass::default(),
            left: [usize::MAX / LEFT.1; 2],
            done: false,
        };
        fixpoint.done = fixpoint.is_evident(known);
        fixpoint
    }

    /// Whether no pass can decide anything: nothing is in that others could come to, or nothing is out.
    fn is_evident(&self, known: &Known<'_>) -> bool {
        // What is not known is out, if there is such a thing: where links leave a layer, or something was not expanded.
        let all_known = known.expanded.is_none() && !known.recorder.links().is_layered();
        if self.until.weak {
            let inside = self.open.count() + self.members.count();
            (self.beyond || all_known) && inside == self.numbers as usize
        } else {
            (!self.beyond || all_known) && self.members.is_empty()
        }
    }

    /// A pass has ended.
    fn passed(&mut self) {
        let LastPass { changed, missed } = std::mem::take(&mut self.last);
        self.done |= !(changed && missed);
        self.left = [self.left[1], self.open.count()];
    }

    /// Whether passes decide little.
    fn is_stuck(&self) -> bool {
        let [before, left] = self.left;
        !self.done && left * LEFT.1 > before * LEFT.0
    }

    /// The set. If not everything is decided that could be, it is on the safe side.
    fn finish(self) -> Set {
        let with_open = if self.done {
            self.until.weak
        } else {
            self.beyond
        };
        if with_open {
            self.members.or(Side::Set(&self.open))
        } else {
            self.members
        }
    }

    pub(super) fn quantifier(&self) -> Quantifier {
        self.until.quantifier
    }

    /// What is known of an instance, if these are open.
    #[inline]
    pub(super) fn judge(&self, node: &Node<'_>, open: &Set) -> Verdict {
        if node.targets.is_empty() {
            return if self.until.weak {
                Verdict::In
            } else {
                Verdict::Out
            };
        }
        let (decisive, decided, otherwise) = match self.until.quantifier {
            Quantifier::Exists => (true, Verdict::In, Verdict::Out),
            Quantifier::Forall => (false, Verdict::Out, Verdict::In),
        };
        let (mut is_open, mut on_smaller) = (false, false);
        for &target in node.targets {
            let member = if target >= self.numbers {
                self.beyond
            } else if open.contains(target) {
                is_open = true;
                on_smaller |= target < node.number;
                continue;
            } else {
                self.members.contains(target)
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
}

/// A pass over all open instances, from the last to the first.
impl Visitor for Fixpoint {
    #[inline]
    fn wants(&self, number: u32) -> bool {
        self.open.contains(number)
    }

    fn last_below(&self, limit: u32) -> Option<u32> {
        if self.done {
            return None;
        }
        self.open.last_below(limit)
    }

    #[inline]
    fn visit(&mut self, node: &Node<'_>) {
        match self.judge(node, &self.open) {
            Verdict::In => self.members.set(node.number, true),
            Verdict::Out => {}
            Verdict::Open { on_smaller } => {
                self.last.missed |= on_smaller;
                return;
            }
        }
        self.open.set(node.number, false);
        self.last.changed = true;
    }
}

impl Visitor for Work<'_> {
    #[inline]
    fn wants(&self, number: u32) -> bool {
        match &self.sort {
            Sort::Next { .. } => self.known.is_expanded(number),
            Sort::Until(all) => all.iter().any(|one| !one.done && one.wants(number)),
        }
    }

    fn last_below(&self, limit: u32) -> Option<u32> {
        match &self.sort {
            Sort::Next { .. } => limit.checked_sub(1),
            Sort::Until(all) => all.iter().filter_map(|one| one.last_below(limit)).max(),
        }
    }

    #[inline]
    fn visit(&mut self, node: &Node<'_>) {
        match &mut self.sort {
            Sort::Until(all) => {
                for one in all {
                    if !one.done && one.wants(node.number) {
                        one.visit(node);
                    }
                }
            }
            Sort::Next {
                quantifier,
                bounds,
                sets,
            } => {
                let numbers = self.known.numbers();
                for (set, bound) in sets.iter_mut().zip(bounds) {
                    let member = |target: &u32| {
                        if *target < numbers {
                            bound.of.contains(*target)
                        } else {
                            bound.beyond
                        }
                    };
                    let mut targets = node.targets.iter();
                    let holds = match quantifier {
                        Quantifier::Exists => targets.any(member),
                        Quantifier::Forall => targets.all(member),
                    };
                    if holds != bound.beyond {
                        set.set(node.number, holds);
                    }
                }
            }
        }
    }
}

/// The same for several at once.
struct Together<'w, 'r>(&'w mut [Work<'r>]);

impl Visitor for Together<'_, '_> {
    #[inline]
    fn wants(&self, number: u32) -> bool {
        self.0.iter().any(|one| one.wants(number))
    }

    fn last_below(&self, limit: u32) -> Option<u32> {
        let all = self.0.iter().filter_map(|one| one.last_below(limit));
        all.max()
    }

    #[inline]
    fn visit(&mut self, node: &Node<'_>) {
        for one in &mut *self.0 {
            if one.wants(node.number) {
                one.visit(node);
            }
        }
    }
}
