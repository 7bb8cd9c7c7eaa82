//! Links that can be looked up in any order: for evidence, for components, and to verify labels.

use sweepline_core::{ActionId, Limits, StopReason};
use sweepline_explore::LongList;

use super::backwards::{Node, Visitor};
use super::recorder::BranchRecorder;

/// Where the steps of every number lead, or of the small ones. For looking a few up, much of it lies on disk if it is large.
pub(crate) struct Edges {
    /// The targets, from the last number to the first.
    targets: LongList,
    /// Where those of each number end, in the same order.
    ends: LongList,
    /// The actions of the steps, in the same order, if somebody wants them.
    actions: Option<LongList>,
    numbers: u32,
}

/// Numbers up to which everything is kept in memory.
pub(crate) const SMALL: u32 = if cfg!(test) { 20 } else { 1 << 17 };
/// Fewer numbers are near where runs start: what leads there stays small beside what labels take.
const NEAR: u32 = 1 << 12;
/// Bytes that are kept in memory otherwise.
const KEPT: usize = 1 << 19;

impl Edges {
    /// Edges of which a few are looked up.
    pub(crate) fn of(recorder: &BranchRecorder, limits: &Limits) -> Result<Self, StopReason> {
        let numbers = recorder.links().numbers();
        let (mut targets, mut ends) = (LongList::default(), LongList::default());
        if numbers > SMALL {
            targets.spill(recorder.links().place(), KEPT / 2);
            ends.spill(recorder.links().place(), KEPT / 2);
        }
        let mut edges = Self {
            targets,
            ends,
            actions: None,
            numbers,
        };
        edges.fill(recorder, limits, |_| {})?;
        edges.check()?;
        Ok(edges)
    }

    /// The edges of small numbers in memory, those to other numbers as if these had none.
    pub(crate) fn near(recorder: &BranchRecorder, limits: &Limits) -> Result<Self, StopReason> {
        let mut edges = Self {
            targets: LongList::default(),
            ends: LongList::default(),
            actions: None,
            numbers: recorder.links().numbers().min(NEAR),
        };
        edges.fill(recorder, limits, |_| {})?;
        Ok(edges)
    }

    /// All edges in memory, with their actions if these are noted. Every node is shown on the way.
    pub(crate) fn in_memory(
        recorder: &BranchRecorder,
        limits: &Limits,
        see: impl FnMut(&Node<'_>),
    ) -> Result<Self, StopReason> {
        let links = recorder.links();
        let count = usize::try_from(links.edges()).unwrap_or(usize::MAX);
        let list = || LongList::with_capacity(count);
        let mut edges = Self {
            targets: list(),
            ends: LongList::with_capacity(links.numbers() as usize),
            actions: links.has_actions().then(list),
            numbers: links.numbers(),
        };
        edges.fill(recorder, limits, see)?;
        Ok(edges)
    }

    /// Bytes that these take.
    pub(crate) fn bytes_in_memory(recorder: &BranchRecorder) -> usize {
        let links = recorder.links();
        let count = usize::try_from(links.edges()).unwrap_or(usize::MAX);
        let lists = if links.has_actions() { 2 } else { 1 };
        let all = count.saturating_mul(lists);
        let all = all.saturating_add(links.numbers() as usize);
        all.saturating_mul(size_of::<u32>())
    }

    fn fill(
        &mut self,
        recorder: &BranchRecorder,
        limits: &Limits,
        mut see: impl FnMut(&Node<'_>),
    ) -> Result<(), StopReason> {
        let below = self.numbers;
        let (mut next, mut end) = (below, 0);
        let visit = |node: &Node<'_>| {
            see(node);
            // Numbers that were left out have no steps.
            while next > node.number + 1 {
                next -= 1;
                self.ends.push(end);
            }
            next = node.number;
            for &target in node.targets {
                self.targets.push(target);
                end += 1;
            }
            if let Some(actions) = &mut self.actions {
                for action in node.actions() {
                    actions.push(action.0);
                }
            }
            self.ends.push(end);
        };
        recorder.show(limits, &mut Small { below, visit })?;
        Ok(())
    }

    /// Whether what lies on disk can be read. Nothing that was looked up before it could not counts.
    pub(crate) fn check(&self) -> Result<(), StopReason> {
        let failure = self.targets.failure().or_else(|| self.ends.failure());
        failure.map_or(Ok(()), |why| {
            let why = format!("links could not be kept on disk: {why}");
            Err(StopReason::Other(why))
        })
    }

    /// The steps of a number that lead to numbers, with their ordinals.
    pub(crate) fn steps(&self, number: u32) -> impl Iterator<Item = (u32, u32)> {
        let all = (0..).zip(self.targets(number));
        all.filter_map(|(ordinal, target)| Some((ordinal, target?)))
    }

    /// Where the steps of a number lead; nothing where that has no number.
    pub(crate) fn targets(&self, number: u32) -> impl Iterator<Item = Option<u32>> {
        let all = self.range(number);
        all.map(|at| self.target(at))
    }

    /// Where the step at a place leads, if that has a number.
    #[inline]
    pub(crate) fn target(&self, at: u32) -> Option<u32> {
        let target = self.targets.get(at as usize);
        (target < self.numbers).then_some(target)
    }

    /// The action of the step at a place, if that is noted.
    #[inline]
    pub(crate) fn action(&self, at: u32) -> Option<ActionId> {
        let actions = self.actions.as_ref()?;
        Some(ActionId(actions.get(at as usize)))
    }

    /// Whether a number has no steps.
    pub(crate) fn is_end(&self, number: u32) -> bool {
        self.range(number).is_empty()
    }

    /// The places of the steps of a number.
    #[inline]
    pub(crate) fn range(&self, number: u32) -> std::ops::Range<u32> {
        let Some(at) = (self.numbers.checked_sub(1)).and_then(|last| last.checked_sub(number))
        else {
            return 0..0;
        };
        let at = at as usize;
        if at >= self.ends.len() {
            return 0..0;
        }
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before));
        let end = self.ends.get(at);
        if start.max(end) == LongList::LOST {
            return 0..0;
        }
        start..end
    }
}

/// Sees nodes with small numbers only: others are passed over without being read.
struct Small<F> {
    below: u32,
    visit: F,
}

impl<F: FnMut(&Node<'_>)> Visitor for Small<F> {
    fn wants(&self, number: u32) -> bool {
        number < self.below
    }

    fn last_below(&self, limit: u32) -> Option<u32> {
        limit.min(self.below).checked_sub(1)
    }

    fn visit(&mut self, node: &Node<'_>) {
        (self.visit)(node);
    }
}
