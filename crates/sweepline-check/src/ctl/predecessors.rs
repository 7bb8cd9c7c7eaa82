//! Predecessors of what is open, for when passes decide little.

use sweepline_core::StopReason;
use sweepline_logic::ctl::Quantifier;

use super::fixpoint::{Fixpoint, Known, Verdict};
use super::pace::Pace;
use super::sets::Set;

/// Who leads to each of some candidates, among them.
pub(super) struct Predecessors {
    ranks: Vec<u32>,
    /// Where the predecessors of each candidate end.
    ends: Vec<u32>,
    sources: Vec<u32>,
    /// How many edges of each candidate lead to open ones.
    left: Vec<u32>,
}

impl Predecessors {
    /// Nothing if they take more bytes than these.
    pub(super) fn of(
        known: &Known<'_>,
        open: &Set,
        most: usize,
    ) -> Result<Option<Self>, StopReason> {
        let count = open.count();
        let nodes = 3 * count * size_of::<u32>() + Set::bytes(known.numbers());
        if nodes > most {
            return Ok(None);
        }
        let mut edges = 0_usize;
        each_edge(known, open, |_, _| edges += 1)?;
        if nodes + edges * size_of::<u32>() > most || u32::try_from(edges).is_err() {
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

    /// Decides what can be decided of the candidates, which are what is open.
    pub(super) fn decide(
        mut self,
        known: &Known<'_>,
        fixpoint: &mut Fixpoint,
    ) -> Result<(), StopReason> {
        let candidates = fixpoint.open.clone();
        let decisive = fixpoint.quantifier() == Quantifier::Exists;
        let mut decided = Vec::new();
        known.recorder.visit(known.allowance.limits, |node| {
            if candidates.contains(node.number) {
                match fixpoint.judge(node, &candidates) {
                    Verdict::In => decided.push((node.number, true)),
                    Verdict::Out => decided.push((node.number, false)),
                    Verdict::Open { .. } => {}
                }
            }
        })?;
        let mut pace = Pace::new(known.allowance.limits);
        while let Some((number, member)) = decided.pop() {
            pace.step()?;
            if !fixpoint.open.contains(number) {
                continue;
            }
            fixpoint.open.set(number, false);
            if member {
                fixpoint.members.set(number, true);
            }
            let place = candidates.rank(&self.ranks, number);
            for at in self.range(place) {
                let before = self.sources[at];
                if !fixpoint.open.contains(before) {
                    continue;
                }
                let left = &mut self.left[candidates.rank(&self.ranks, before) as usize];
                *left -= 1;
                if member == decisive {
                    decided.push((before, decisive));
                } else if *left == 0 {
                    decided.push((before, !decisive));
                }
            }
        }
        Ok(())
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
            let targets = node.targets.iter().copied();
            for target in targets.filter(|&target| target < numbers && open.contains(target)) {
                visit(node.number, target);
            }
        }
    })?;
    Ok(())
}
