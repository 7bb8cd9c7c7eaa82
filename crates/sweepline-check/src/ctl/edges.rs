//! Links that can be looked up in any order, for evidence.

use sweepline_core::{Limits, StopReason};
use sweepline_explore::LongList;

use super::recorder::BranchRecorder;

/// Where the steps of every number lead. Much of it lies on disk if it is large, which is all right for looking a few up.
pub(crate) struct Edges {
    /// The targets, from the last number to the first.
    targets: LongList,
    /// Where those of each number end, in the same order.
    ends: LongList,
    numbers: u32,
}

/// Numbers up to which everything is kept in memory.
pub(crate) const SMALL: u32 = if cfg!(test) { 20 } else { 1 << 17 };
/// Bytes that are kept in memory otherwise.
const KEPT: usize = 1 << 19;

impl Edges {
    pub(crate) fn of(recorder: &BranchRecorder, limits: &Limits) -> Result<Self, StopReason> {
        let numbers = recorder.links().numbers();
        let (mut targets, mut ends) = (LongList::default(), LongList::default());
        if numbers > SMALL {
            targets.spill(recorder.links().place(), KEPT / 2);
            ends.spill(recorder.links().place(), KEPT / 2);
        }
        let mut next = numbers;
        let mut end = 0;
        recorder.visit(limits, |node| {
            // Numbers that were left out have no steps.
            while next > node.number + 1 {
                next -= 1;
                ends.push(end);
            }
            next = node.number;
            for &target in node.targets {
                targets.push(target);
                end += 1;
            }
            ends.push(end);
        })?;
        let edges = Self {
            targets,
            ends,
            numbers,
        };
        edges.check()?;
        Ok(edges)
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
        let all = (0..).zip(self.range(number));
        all.filter_map(|(ordinal, at)| {
            let target = self.targets.get(at as usize);
            (target < self.numbers).then_some((ordinal, target))
        })
    }

    /// Whether a number has no steps.
    pub(crate) fn is_end(&self, number: u32) -> bool {
        self.range(number).is_empty()
    }

    fn range(&self, number: u32) -> std::ops::Range<u32> {
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
