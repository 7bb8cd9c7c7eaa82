//! Going on with another measure.
//!
//! At every moment a step of an expanded state leads to a state that has been expanded as well, or to one that is
//! stored and waits: in the open layer, in the front, or as a root of this sweep or the next. So every reachable
//! state has been expanded or is reachable from those that wait, and it suffices to go on from the latter, in
//! whatever order.
//!
//! What has been expanded may be forgotten; if it is reached again, it is expanded again. Two sorts are kept all the
//! same. Persistent states stay until the first column is closed, because edges have led back to them before. And
//! the layer that is opened first gets its expanded states, so that nothing in it is expanded twice: with a constant
//! measure it contains everything, and changing to full search forgets nothing.

use std::collections::VecDeque;
use std::time::Instant;

use sweepline_core::{Key, Progress, Records, StopReason, System, Word};

use super::{Phase, Sweep, broken};
use crate::front::{Arrival, Front};
use crate::layer::Layer;
use crate::log::Origin;
use crate::memory::{Budget, Full, grow};
use crate::persistent::Persistent;
use crate::record::{Dynamic, Variable, Width};

/// States that are moved before what they took is given back.
const PART: usize = 1 << 12;

impl<S: System, P: Progress> Sweep<S, P> {
    /// Goes on with another measure, whenever and however a run has ended.
    ///
    /// Figures add up: the layers, columns and sweeps of the new measure come on top of those there were. Numbers and
    /// paths stay valid. What was expanded last may be expanded again under another number; it counts once.
    ///
    /// What is not needed is freed first, so this may well succeed when memory has run out. If the rest does not fit
    /// all the same, or a state has no key, the run is lost. After a [`Sweep::recode`] that failed it is lost as well.
    pub fn remeasured<Q: Progress>(mut self, progress: Q) -> Result<Sweep<S, Q>, StopReason> {
        if !self.intact {
            return Err(broken());
        }
        let started = Instant::now();
        self.undo_unfinished();
        let (phase, records) = (self.phase, self.system.layout().records());
        let number = self.told.max(self.base + self.cursor as u64);
        self.batch.release(&mut self.budget);
        let old = self.take_stores();
        let mut next = Sweep {
            base: number,
            told: number,
            log: self.log,
            statistics: self.statistics,
            pace: self.pace,
            spent: self.spent,
            ..Sweep::new(self.system, progress, self.options)
        };
        if phase != Phase::Start {
            next.budget = self.budget;
            match records {
                Records::Fixed(width) => next.take_over(Dynamic(width), old)?,
                Records::Variable => next.take_over(Variable, old)?,
            }
        }
        next.spent += started.elapsed();
        Ok(next)
    }

    fn take_stores(&mut self) -> Stores {
        let mut fates = vec![Fate::Stays; self.persistent.len()];
        let of_layer = self.roots.iter().copied().skip(self.cursor);
        for index in of_layer.chain(self.persistent.drain_roots(&mut self.budget)) {
            fates[index] = Fate::Waits;
        }
        self.opened.release(&mut self.budget);
        // The open layer may have gone into the window; then it is empty.
        let expanded = self.cursor.saturating_sub(self.roots.len());
        let expanded = expanded.min(self.open.len());
        Stores {
            logged: self.base + (self.roots.len() + expanded) as u64,
            expanded,
            fates,
            open: std::mem::take(&mut self.open),
            window: std::mem::take(&mut self.window),
            persistent: std::mem::take(&mut self.persistent),
            front: std::mem::take(&mut self.front),
        }
    }

    /// Puts everything where this measure wants it and opens its first layer.
    fn take_over<W: Width>(&mut self, width: W, mut old: Stores) -> Result<(), StopReason> {
        old.release_indexes(&mut self.budget);
        self.phase = Phase::Between;
        let Some(lowest) = old.lowest_waiting(width, &self.progress)? else {
            self.budget = Budget::new(self.options.limits.memory); // nothing is stored any more
            return Ok(());
        };
        self.enter_column(lowest);
        self.keep_expanded(width, &mut old)?;
        self.keep_waiting(width, &mut old)?;
        self.keep_persistent(width, old)?;
        self.phase = Phase::Open;
        self.statistics.layers += 1;
        if self.row_bits > 0 {
            self.opened.insert(lowest, &mut self.budget)?;
        }
        Ok(())
    }

    /// Puts the expanded states of the open layer first, and the cursor behind them.
    fn keep_expanded<W: Width>(&mut self, width: W, old: &mut Stores) -> Result<(), Full> {
        for (_, mut layer) in old.window.drain(..) {
            for (state, _) in layer.states(width) {
                self.keep(width, state)?;
            }
            layer.release(&mut self.budget);
        }
        for (state, _) in old.open.states(width).take(old.expanded) {
            self.keep(width, state)?;
        }
        for ((state, _), fate) in old.persistent.states.states(width).zip(&mut old.fates) {
            if *fate == Fate::Stays && self.keep(width, state)? {
                *fate = Fate::Moves;
            }
        }
        self.kept = self.open.len();
        self.cursor = self.kept;
        self.base -= self.kept as u64; // each of them was expanded under a number of its own
        self.statistics.repeated |= self.statistics.explored > self.kept as u64;
        Ok(())
    }

    /// Keeps an expanded state if it belongs to the open layer; false if it does not.
    fn keep<W: Width>(&mut self, width: W, state: &[Word]) -> Result<bool, Full> {
        // That a state has no key matters only if it is reached again.
        let here = self.progress.key(state) == Ok(self.key);
        if here {
            let hash = width.hash(state);
            self.open
                .insert(width, state, hash, None, &mut self.budget)?;
        }
        Ok(here)
    }

    /// Puts all states that wait into the open layer and the front.
    fn keep_waiting<W: Width>(&mut self, width: W, old: &mut Stores) -> Result<(), StopReason> {
        self.unlog(width, old)?;
        while old.open.len() > 0 {
            // In parts, because a layer that fills the memory cannot be there twice.
            let part = (old.open.len() / 4).max(PART);
            for (state, origin) in old.open.states(width).take(part) {
                self.wait(width, state, origin)?;
            }
            old.open
                .retain(width, &mut self.budget, |index| index >= part);
        }
        for ((state, origin), &fate) in old.persistent.states.states(width).zip(&old.fates) {
            if fate == Fate::Waits {
                self.wait(width, state, origin)?;
            }
        }
        while let Some(mut layer) = old.front.take_large() {
            for (state, origin) in layer.states(width) {
                self.wait(width, state, origin)?;
            }
            layer.release(&mut self.budget);
        }
        for (state, origin) in old.front.states(width) {
            self.wait(width, state, origin)?;
        }
        std::mem::take(&mut old.front).release(&mut self.budget);
        Ok(())
    }

    /// Takes what is logged and not expanded out of the log again: it will be numbered in another order. Until
    /// then it has origins, like the states of the front.
    fn unlog<W: Width>(&mut self, width: W, old: &mut Stores) -> Result<(), Full> {
        let (open, expanded) = (&mut old.open, old.expanded);
        open.forget_origins(&mut self.budget);
        open.retain(width, &mut self.budget, |index| index >= expanded);
        let waiting = open.len();
        if waiting > 0 && self.log.is_on() {
            grow(&mut open.origins, waiting, &mut self.budget)?;
            self.log.read_from(old.logged, &mut open.origins);
            debug_assert!(open.origins.len() == waiting || !self.log.is_on());
        }
        self.log.truncate(self.told);
        Ok(())
    }

    /// Adds a state that waits. If it is in the open layer as expanded, it need not.
    fn wait<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        origin: Option<Origin>,
    ) -> Result<(), StopReason> {
        let (key, hash) = (key_of(&self.progress, state)?, width.hash(state));
        let origin = origin.filter(|_| self.log.is_on());
        if key != self.key {
            let arrival = Arrival {
                key,
                state,
                hash,
                origin,
            };
            self.front.insert(width, arrival, &mut self.budget)?;
        } else if self
            .open
            .insert(width, state, hash, None, &mut self.budget)?
            && let Some(origin) = origin
        {
            self.log.append(origin);
        }
        Ok(())
    }

    /// Keeps the persistent states that have not become something else.
    fn keep_persistent<W: Width>(&mut self, width: W, old: Stores) -> Result<(), Full> {
        let mut states = old.persistent.states;
        states.retain(width, &mut self.budget, |index| {
            old.fates[index] == Fate::Stays
        });
        states.rebuild_index(width, &mut self.budget)?;
        self.persistent.states = states;
        Ok(())
    }
}

/// What was stored under the measure before.
struct Stores {
    open: Layer,
    /// How many states of the open layer are expanded.
    expanded: usize,
    /// The number that the first of the others has in the log.
    logged: u64,
    window: VecDeque<(Key, Layer)>,
    persistent: Persistent,
    /// What becomes of each persistent state.
    fates: Vec<Fate>,
    front: Front,
}

/// What becomes of a persistent state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is to be expanded, like any state that waits.
    Waits,
    /// It is expanded and moves into the layer that is opened next.
    Moves,
    /// It is expanded and stays persistent.
    Stays,
}

impl Stores {
    /// Gives back what is needed only to look something up; states are just listed from now on.
    fn release_indexes(&mut self, budget: &mut Budget) {
        let window = self.window.iter_mut().map(|(_, layer)| layer);
        for layer in window.chain([&mut self.open, &mut self.persistent.states]) {
            layer.release_index(budget);
        }
        self.front.release_indexes(budget);
    }

    /// The lowest key of a state that waits.
    fn lowest_waiting<W: Width, Q: Progress>(
        &self,
        width: W,
        progress: &Q,
    ) -> Result<Option<Key>, StopReason> {
        let mut lowest = None;
        let open = self.open.states(width).skip(self.expanded);
        let persistent = self.persistent.states.states(width).zip(&self.fates);
        let roots = persistent.filter_map(|(state, &fate)| (fate == Fate::Waits).then_some(state));
        for (state, _) in open.chain(roots).chain(self.front.states(width)) {
            let key = key_of(progress, state)?;
            lowest = Some(lowest.map_or(key, |lowest: Key| lowest.min(key)));
        }
        Ok(lowest)
    }
}

fn key_of<Q: Progress>(progress: &Q, state: &[Word]) -> Result<Key, StopReason> {
    progress
        .key(state)
        .map_err(|error| StopReason::Measure(error.to_string()))
}

#[cfg(test)]
mod tests {
    use sweepline_core::{
        ActionId, Control, KeyError, LayerClosed, Layout, NoProgress, Observer, Steps,
    };

    use super::*;
    use crate::sweep::{End, Options};

    /// A counter modulo 100 that can also skip numbers.
    struct Counter(Layout);

    impl System for Counter {
        fn layout(&self) -> &Layout {
            &self.0
        }
        fn initial(&self, out: &mut Steps) {
            out.push(ActionId(0), &[0]);
        }
        fn successors(&self, state: &[Word], out: &mut Steps) {
            for skip in [1, 3, 27] {
                out.push(ActionId(0), &[(state[0] + skip) % 100]);
            }
        }
    }

    /// The value divided by this, as a row.
    struct Row(Word);

    impl Progress for Row {
        fn row_bits(&self) -> u32 {
            128
        }
        fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
            Ok(Key((state[0] / self.0).into()))
        }
    }

    struct StopAfter(u32);

    impl Observer for StopAfter {
        fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
            self.0 = self.0.saturating_sub(1);
            if self.0 == 0 {
                Control::Stop
            } else {
                Control::Continue
            }
        }
    }

    /// Releases what the sweep holds; nothing must be left in the budget.
    fn check_budget<P: Progress>(mut sweep: Sweep<Counter, P>) {
        sweep.forget_window(None);
        sweep.batch.release(&mut sweep.budget);
        sweep.open.release(&mut sweep.budget);
        sweep.persistent.states.release(&mut sweep.budget);
        let roots = sweep.persistent.drain_roots(&mut sweep.budget);
        assert!(roots.count() <= 100);
        sweep.front.release(&mut sweep.budget);
        sweep.opened.release(&mut sweep.budget);
        assert_eq!(sweep.budget.held(), 0);
    }

    #[test]
    fn nothing_is_accounted_for_that_is_not_there() {
        for (window, layers) in
            (0..3).flat_map(|window| (1..25).map(move |layers| (window, layers)))
        {
            let stopped = || {
                let counter = Counter(Layout::opaque(Records::Fixed(1)));
                let options = Options {
                    window,
                    ..Options::default()
                };
                let mut sweep = Sweep::new(counter, Row(7), options);
                sweep.run(&mut StopAfter(layers));
                sweep
            };
            check_budget(stopped());
            check_budget(stopped().remeasured(NoProgress).unwrap());
            let mut sweep = stopped().remeasured(Row(31)).unwrap();
            assert_eq!(sweep.run(&mut ()), End::Complete);
            check_budget(sweep);
            check_budget(stopped().remeasured(Row(31)).unwrap());
        }
    }
}
