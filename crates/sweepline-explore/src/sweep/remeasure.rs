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
//! measure it contains everything, and changing to full search forgets nothing. Who has room for it can keep what has been
//! expanded in the layers ahead as well, each state until the sweep-line passes it: then nothing is expanded twice.
//!
//! Links that lead to what waits are told where it went. An expanded state that is kept is linked to by the number it had.

use std::cmp::Ordering;
use std::time::Instant;

use sweepline_core::{Key, Link, Observer, Progress, Records, StopReason, System, Word};

use super::{Phase, Sweep, broken};
use crate::front::Arrival;
use crate::log::{Origin, wanted};
use crate::memory::{Full, grow};
use crate::record::{Dynamic, Variable, Width};
use crate::stores::{Place, Stores, narrow};

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
    pub fn remeasured<Q: Progress>(self, progress: Q) -> Result<Sweep<S, Q>, StopReason> {
        self.remeasured_before(progress, &mut ())
    }

    /// The same in front of an observer, which is told where instances go. Without one that can follow, a run with links
    /// is lost.
    pub fn remeasured_before<Q: Progress, O: Observer + ?Sized>(
        self,
        progress: Q,
        observer: &mut O,
    ) -> Result<Sweep<S, Q>, StopReason> {
        self.changed(progress, Keeping::Opened, observer)
    }

    /// The same, and what is stored and expanded is forgotten only when the sweep-line has passed it, so that all states are
    /// still counted. That takes columns without rows, and nobody who wants links; otherwise less is kept.
    ///
    /// ```
    /// use sweepline_core::{ActionId, Control, Key, KeyError, Layout, NoProgress, Observer, Progress, Records, Steps};
    /// use sweepline_core::{System, Watch, Word};
    /// use sweepline_explore::{End, Options, Sweep};
    ///
    /// /// Two counters from 0 to 99, of which the second may be set back.
    /// struct Counters(Layout);
    /// impl System for Counters {
    ///     fn layout(&self) -> &Layout { &self.0 }
    ///     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0, 0]); }
    ///     fn successors(&self, state: &[Word], out: &mut Steps) {
    ///         if state[0] < 99 { out.push(ActionId(0), &[state[0] + 1, state[1]]); }
    ///         out.push(ActionId(1), &[state[0], (state[1] + 1) % 100]);
    ///     }
    /// }
    /// /// The first.
    /// struct First;
    /// impl Progress for First {
    ///     fn row_bits(&self) -> u32 { 0 }
    ///     fn key(&self, state: &[Word]) -> Result<Key, KeyError> { Ok(Key(state[0].into())) }
    /// }
    /// /// Has enough after some expansions.
    /// struct Enough;
    /// impl Observer for Enough {
    ///     fn tick(&mut self, watch: Watch<'_>) -> Control {
    ///         if watch.statistics.explored < 2000 { Control::Continue } else { Control::Stop }
    ///     }
    /// }
    ///
    /// let system = Counters(Layout::opaque(Records::Fixed(2)));
    /// let mut full = Sweep::new(&system, NoProgress, Options::default());
    /// assert_eq!(full.run(&mut Enough), End::Stopped);
    /// let mut sweep = full.remeasured_keeping(First, &mut ()).unwrap();
    /// assert_eq!(sweep.run(&mut ()), End::Complete);
    /// assert_eq!(sweep.statistics().states(), Some(10_000));
    /// assert!(sweep.statistics().peak_states < 6000);
    /// ```
    pub fn remeasured_keeping<Q: Progress, O: Observer + ?Sized>(
        self,
        progress: Q,
        observer: &mut O,
    ) -> Result<Sweep<S, Q>, StopReason> {
        let can_keep = progress.row_bits() == 0 && !self.stores.is_linking();
        let keeping = if can_keep {
            Keeping::Ahead
        } else {
            Keeping::Opened
        };
        self.changed(progress, keeping, observer)
    }

    fn changed<Q: Progress, O: Observer + ?Sized>(
        mut self,
        progress: Q,
        keeping: Keeping,
        mut observer: &mut O,
    ) -> Result<Sweep<S, Q>, StopReason> {
        if !self.intact {
            return Err(broken());
        }
        let linking = self.stores.is_linking();
        if linking && !(observer.wants().links && observer.can_follow()) {
            let lost = "links cannot be followed into another measure";
            return Err(StopReason::Other(lost.into()));
        }
        let started = Instant::now();
        self.undo_unfinished();
        let (phase, records) = (self.phase, self.system.layout().records());
        let number = self.next_number();
        self.batch.release(&mut self.stores.budget);
        let old = self.take_stores();
        let mut next = Sweep {
            told: number,
            renewal: self.renewal,
            log: self.log,
            statistics: self.statistics,
            pace: self.pace,
            spent: self.spent,
            ..Sweep::new(self.system, progress, self.options)
        };
        next.stores.open.first = number;
        if linking {
            next.stores.start_linking();
        }
        if phase != Phase::Start {
            next.observer = self.observer;
            match records {
                Records::Fixed(width) => {
                    next.take_over(Dynamic(width), old, keeping, &mut observer)?;
                }
                Records::Variable => next.take_over(Variable, old, keeping, &mut observer)?,
            }
        }
        next.spent += started.elapsed();
        Ok(next)
    }

    /// The first number that is free. Numbers that somebody may have in a link are not used again.
    fn next_number(&self) -> u64 {
        let announced = self.stores.is_linking() && self.phase != Phase::Opened;
        let numbered = if announced {
            self.cursor.max(self.stores.open_len())
        } else {
            self.cursor
        };
        self.told.max(self.stores.base() + numbered as u64)
    }

    fn take_stores(&mut self) -> Old {
        let mut stores = std::mem::replace(&mut self.stores, Stores::new(0, 0, None));
        let mut fates = vec![Fate::Stays; stores.persistent.len()];
        let of_layer = stores.roots.iter().copied().skip(self.cursor);
        for index in of_layer.chain(stores.persistent.drain_roots(&mut stores.budget)) {
            fates[index as usize] = Fate::Waits;
        }
        // The open layer may have gone into the window; then it is empty.
        let expanded = self.cursor.saturating_sub(stores.roots.len());
        let expanded = expanded.min(stores.open.layer.len());
        Old {
            logged: stores.open.first + expanded as u64,
            expanded,
            fates,
            cursor: self.cursor,
            phase: self.phase,
            stores,
        }
    }

    /// Puts everything where this measure wants it and opens its first layer.
    fn take_over<W: Width>(
        &mut self,
        width: W,
        mut old: Old,
        keeping: Keeping,
        observer: &mut dyn Observer,
    ) -> Result<(), StopReason> {
        let Some(lowest) = old.lowest_waiting(width, &self.progress)? else {
            // What is left is to close what is open, and no measure matters for that.
            (self.stores, self.cursor, self.phase) = (old.stores, old.cursor, old.phase);
            return Ok(());
        };
        old.stores.release_indexes();
        std::mem::swap(&mut self.stores.budget, &mut old.stores.budget);
        self.stores.front.take_names(&old.stores.front);
        self.phase = Phase::Between;
        self.stores.enter_column(lowest);
        self.statistics.columns += 1;
        self.count_sweep();
        self.stores.open.layer.id = self.stores.front.next_id();
        let passed = match keeping {
            Keeping::Opened => 0,
            Keeping::Ahead => self.keep_ahead(width, &mut old)?,
        };
        self.keep_expanded(width, &mut old, observer)?;
        let kept = self.stores.open.kept as u64 + passed;
        self.statistics.repeated |= self.statistics.explored > kept;
        self.keep_waiting(width, &mut old, observer)?;
        self.keep_persistent(width, old, observer)?;
        self.phase = Phase::Opened;
        Ok(())
    }

    /// Puts the expanded states of the open layer first, and the cursor behind them.
    fn keep_expanded<W: Width>(
        &mut self,
        width: W,
        old: &mut Old,
        observer: &mut dyn Observer,
    ) -> Result<(), Full> {
        for mut closed in std::mem::take(&mut old.stores.window) {
            for (index, (state, _)) in closed.layer.states(width).enumerate() {
                self.keep(width, state, Some(closed.number(index)), observer)?;
            }
            closed.release(&mut self.stores.budget);
        }
        let open = &old.stores.open;
        for (index, (state, _)) in open.layer.states(width).take(old.expanded).enumerate() {
            self.keep(width, state, Some(open.number(index)), observer)?;
        }
        let persistent = &old.stores.persistent;
        let states = persistent.states.states(width).zip(&mut old.fates);
        for (index, ((state, _), fate)) in states.enumerate() {
            if *fate == Fate::Stays
                && self.keep(width, state, persistent.number(index), observer)?
            {
                *fate = Fate::Moves;
            }
        }
        let kept = self.stores.open.kept;
        self.cursor = kept;
        self.stores.open.first -= kept as u64; // each of them was expanded under a number of its own
        Ok(())
    }

    /// Puts the expanded states of the open layer where they belong, in parts, because they cannot all be there twice.
    /// Returns how many are not in the layer that is opened first: those that lie ahead, and those that are behind the
    /// sweep-line already, which nothing that waits leads back to.
    fn keep_ahead<W: Width>(&mut self, width: W, old: &mut Old) -> Result<u64, Full> {
        let mut passed = 0;
        while old.expanded > 0 {
            let part = (old.expanded / 4).max(PART).min(old.expanded);
            let layer = &mut old.stores.open.layer;
            for (state, _) in layer.states(width).take(part) {
                // What has no key is known no more.
                if let Ok(key) = self.progress.key(state) {
                    passed += u64::from(key != self.stores.key());
                    self.keep_expanded_at(width, key, state)?;
                }
            }
            layer.retain(width, &mut self.stores.budget, |index| index >= part);
            old.expanded -= part;
        }
        Ok(passed)
    }

    /// Keeps an expanded state at the head of its layer, unless the sweep-line has passed it.
    fn keep_expanded_at<W: Width>(
        &mut self,
        width: W,
        key: Key,
        state: &[Word],
    ) -> Result<(), Full> {
        let Stores {
            open,
            front,
            budget,
            ..
        } = &mut self.stores;
        match key.cmp(&open.key) {
            Ordering::Less => Ok(()),
            Ordering::Equal => open.keep(width, state, None, budget).map(drop),
            Ordering::Greater => {
                let arrival = Arrival {
                    key,
                    state,
                    hash: width.hash(state),
                    // It is in the log under its own number; this one is never looked at.
                    origin: wanted(&mut self.log, Origin::initial(0)),
                };
                front.keep(width, arrival, budget)
            }
        }
    }

    /// Keeps an expanded state if it belongs to the open layer; false if it does not.
    fn keep<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        number: Option<u64>,
        observer: &mut dyn Observer,
    ) -> Result<bool, Full> {
        // That a state has no key matters only if it is reached again.
        let here = self.progress.key(state) == Ok(self.stores.key());
        if here {
            let number = number.filter(|_| self.stores.is_linking());
            let (open, budget) = (&mut self.stores.open, &mut self.stores.budget);
            if open.keep(width, state, number, budget)?
                && let Some(number) = number
            {
                observer.kept(number);
            }
        }
        Ok(here)
    }

    /// Puts all states that wait into the open layer and the front.
    fn keep_waiting<W: Width>(
        &mut self,
        width: W,
        old: &mut Old,
        observer: &mut dyn Observer,
    ) -> Result<(), StopReason> {
        self.unlog(width, old)?;
        let mut moved = 0;
        while old.stores.open.layer.len() > 0 {
            // In parts, because a layer that fills the memory cannot be there twice.
            let part = (old.stores.open.layer.len() / 4).max(PART);
            for (index, (state, origin)) in
                old.stores.open.layer.states(width).take(part).enumerate()
            {
                let from = old.open_link(moved + index);
                self.wait(width, state, origin, from, observer)?;
            }
            moved += part;
            let layer = &mut old.stores.open.layer;
            layer.retain(width, &mut self.stores.budget, |index| index >= part);
        }
        old.stores.open.release(&mut self.stores.budget);
        let states = old.stores.persistent.states.states(width).zip(&old.fates);
        for (index, ((state, origin), &fate)) in states.enumerate() {
            if fate == Fate::Waits {
                let from = old.persistent_link(index);
                self.wait(width, state, origin, from, observer)?;
            }
        }
        let mut front = std::mem::take(&mut old.stores.front);
        while let Some(mut layer) = front.take_large() {
            let waiting = layer.states(width).enumerate().skip(layer.kept);
            for (index, (state, origin)) in waiting {
                let from = Link::Ahead(layer.id, narrow(index));
                self.wait(width, state, origin, from, observer)?;
            }
            layer.release(&mut self.stores.budget);
        }
        for ((layer, index), state, origin) in front.states(width) {
            let from = Link::Ahead(layer, narrow(index));
            self.wait(width, state, origin, from, observer)?;
        }
        front.release(&mut self.stores.budget);
        Ok(())
    }

    /// Takes what is logged and not expanded out of the log again: it will be numbered in another order. Until
    /// then it has origins, like the states of the front.
    fn unlog<W: Width>(&mut self, width: W, old: &mut Old) -> Result<(), Full> {
        let (layer, expanded) = (&mut old.stores.open.layer, old.expanded);
        let budget = &mut self.stores.budget;
        layer.forget_origins(budget);
        layer.retain(width, budget, |index| index >= expanded);
        let waiting = layer.len();
        if waiting > 0 && self.log.is_on() {
            grow(&mut layer.origins, waiting, budget)?;
            self.log.read_from(old.logged, &mut layer.origins);
            debug_assert!(layer.origins.len() == waiting || !self.log.is_on());
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
        from: Link,
        observer: &mut dyn Observer,
    ) -> Result<(), StopReason> {
        let key = key_of(&self.progress, state)?;
        let origin = origin.filter(|_| self.log.is_on());
        let arrival = Arrival {
            key,
            state,
            hash: width.hash(state),
            origin,
        };
        let stored = self.stores.arrive(width, arrival)?;
        if stored.new
            && let (Place::Open(_), Some(origin)) = (stored.place, origin)
        {
            self.log.append(origin);
        }
        if self.stores.is_linking() {
            observer.moved(
                from,
                match self.stores.link(key, stored.place) {
                    // Nobody knows yet which number its first state has.
                    Link::Here(index) => Link::Ahead(self.stores.open.layer.id, index),
                    to => to,
                },
            );
        }
        Ok(())
    }

    /// Keeps the persistent states that have not become something else.
    fn keep_persistent<W: Width>(
        &mut self,
        width: W,
        old: Old,
        observer: &mut dyn Observer,
    ) -> Result<(), Full> {
        let Old { stores, fates, .. } = old;
        let (persistent, budget) = (&mut self.stores.persistent, &mut self.stores.budget);
        persistent.take_over(width, stores.persistent, budget, |index| {
            fates[index] == Fate::Stays
        })?;
        for &number in persistent.numbers() {
            observer.kept(number);
        }
        Ok(())
    }
}

/// Which of the expanded states are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeping {
    /// Those of the layer that is opened first.
    Opened,
    /// Those of all layers ahead.
    Ahead,
}

/// What was stored under the measure before.
struct Old {
    stores: Stores,
    /// How many states of the open layer are expanded.
    expanded: usize,
    /// The number that the first of the others has in the log.
    logged: u64,
    /// What becomes of each persistent state.
    fates: Vec<Fate>,
    cursor: usize,
    phase: Phase,
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

impl Old {
    /// The lowest key of a state that waits.
    fn lowest_waiting<W: Width, Q: Progress>(
        &self,
        width: W,
        progress: &Q,
    ) -> Result<Option<Key>, StopReason> {
        let mut lowest = None;
        let open = self.stores.open.layer.states(width).skip(self.expanded);
        let persistent = self.stores.persistent.states.states(width).zip(&self.fates);
        let roots = persistent.filter_map(|(state, &fate)| (fate == Fate::Waits).then_some(state));
        let behind = open.chain(roots).map(|(state, _)| state);
        let ahead = self.stores.front.states(width).map(|(_, state, _)| state);
        for state in behind.chain(ahead) {
            let key = key_of(progress, state)?;
            lowest = Some(lowest.map_or(key, |lowest: Key| lowest.min(key)));
        }
        Ok(lowest)
    }

    /// Whether observers know the numbers of the open layer.
    fn is_announced(&self) -> bool {
        self.phase != Phase::Opened
    }

    /// How observers know one of the states of the open layer that wait.
    fn open_link(&self, waiting: usize) -> Link {
        let index = narrow(self.expanded + waiting);
        if self.is_announced() {
            Link::Here(index)
        } else {
            Link::Ahead(self.stores.open.layer.id, index)
        }
    }

    /// How observers know a persistent state that waits.
    fn persistent_link(&self, index: usize) -> Link {
        match self.stores.persistent.number(index) {
            Some(number) if self.is_announced() => Link::Kept(number),
            _ => Link::Persistent(narrow(index)),
        }
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
        sweep.batch.release(&mut sweep.stores.budget);
        assert_eq!(sweep.stores.release().held(), 0);
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
