//! The steps that leave a state, as one reusable batch.

use std::fmt;

use crate::{Layout, Records, SlotId, Word};

/// Index of an action (a transition of a net, a statement of a program) in its system's list of actions.
///
/// It looks like its number in memory: compiled code writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ActionId(pub u32);

/// A batch of steps: an action and a target state each.
///
/// The caller owns the batch and reuses it, so nothing is allocated per step. Targets lie one after the other in a
/// single buffer. The position of a step among those of its source is its *ordinal*: as systems are deterministic,
/// source and ordinal name a step for ever, which is all a trace has to remember.
#[derive(Clone, Debug)]
pub struct Steps {
    records: Records,
    /// Targets, and behind them what is left of earlier batches: words that need not be cleared to be written again.
    words: Vec<Word>,
    /// How many of the words are targets.
    used: usize,
    /// Where each target ends; kept only if states differ in size.
    ends: Vec<usize>,
    actions: Vec<ActionId>,
    /// How many of the actions are steps.
    len: usize,
    /// The bytes all this may take.
    limit: usize,
    fault: Option<Fault>,
    /// Lent to adapters; see [`Steps::by_way_of`].
    inner: Option<Box<Steps>>,
    /// Bytes that the system holds for all its states.
    held: usize,
    /// Actions of steps that were left out of the state that came last.
    left_out: Vec<ActionId>,
}

/// Why a system could not produce a successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The model itself is wrong here (value out of range, division by zero).
    Model {
        /// The action that went wrong.
        action: ActionId,
        /// What went wrong, as a lower-case fragment.
        message: String,
    },
    /// Something that the model says about this very state is not so.
    Assertion(Box<BrokenAssertion>),
    /// A slot whose range was only guessed is too small; the system can be encoded wider.
    Outgrown {
        /// The slot that is too small.
        slot: SlotId,
    },
    /// There is no room for all steps; see [`Steps::set_limit`].
    Full,
    /// There are more steps than anybody could list, so the state cannot be expanded.
    TooMany {
        /// What there is so much of, as a lower-case fragment.
        message: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model { message, .. } | Self::TooMany { message } => f.write_str(message),
            Self::Assertion(broken) => broken.fmt(f),
            Self::Outgrown { .. } | Self::Full => f.write_str("a state cannot be expanded"),
        }
    }
}

impl fmt::Display for BrokenAssertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            None => write!(f, "{} does not hold", self.condition),
            Some(error) => write!(f, "{error} in {}", self.condition),
        }
    }
}

/// A condition of a model that must hold in a state and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenAssertion {
    /// Where it is written, such as `ring.dve:12`; or else where the model is when it must hold.
    pub place: String,
    /// The condition in the words of the model.
    pub condition: String,
    /// Why the condition has no value, if that is what is wrong with it. This is an error of the model.
    pub error: Option<String>,
}

impl Steps {
    /// An empty batch for states of this layout.
    pub fn for_layout(layout: &Layout) -> Self {
        Self {
            records: layout.records(),
            words: Vec::new(),
            used: 0,
            ends: Vec::new(),
            actions: Vec::new(),
            len: 0,
            limit: usize::MAX,
            fault: None,
            inner: None,
            held: 0,
            left_out: Vec::new(),
        }
    }

    /// The same for a look at some states before anything is explored: of a state with more than 64 MiB of steps it keeps what fits,
    /// and reports [`Fault::Full`]. A wide net may have a step for each of a million places.
    pub fn for_a_look(layout: &Layout) -> Self {
        Self {
            limit: 64 << 20,
            ..Self::for_layout(layout)
        }
    }

    /// A system that remembers things between expansions says how much memory that takes. It counts as part of the batch.
    #[inline]
    pub fn hold(&mut self, bytes: usize) {
        self.held = bytes;
    }

    /// The bytes that the system holds.
    pub fn held(&self) -> usize {
        self.held + self.inner.as_ref().map_or(0, |inner| inner.held())
    }

    /// Lends a second batch, which is empty and has states of another layout: an adapter has the steps of the system it
    /// adapts written there and makes its own of them. A fault that is left there is one of this batch.
    ///
    /// The second batch is kept for the next state, and counts as part of this one.
    #[inline]
    pub fn by_way_of(&mut self, layout: &Layout, work: impl FnOnce(&mut Self, &mut Self)) {
        let records = layout.records();
        let mut inner = match self.inner.take() {
            Some(mut inner) if inner.records == records => {
                inner.clear();
                inner
            }
            _ => Box::new(Self::for_layout(layout)),
        };
        inner.limit = self.limit;
        work(&mut inner, self);
        if let Some(fault) = inner.fault.take() {
            self.fail(fault);
        }
        self.inner = Some(inner);
    }

    /// Sets how many bytes the batch may take. Beyond that it keeps what it has and reports [`Fault::Full`].
    pub fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// How many bytes it may take.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The bytes the batch takes.
    pub fn bytes(&self) -> usize {
        let own = bytes_of(
            self.words.capacity(),
            self.ends.capacity(),
            self.actions.capacity(),
        );
        own + self.held + self.inner.as_ref().map_or(0, |inner| inner.bytes())
    }

    /// Gives back memory that a batch much larger than the present one has needed.
    pub fn shrink(&mut self) {
        self.settle();
        self.words.shrink_to(self.used * 2);
        self.ends.shrink_to(self.ends.len() * 2);
        self.actions.shrink_to(self.len * 2);
        self.inner = None;
    }

    /// Adds a step.
    ///
    /// # Panics
    /// If the target has not the size of the layout, here and whatever way a step is added.
    #[expect(
        clippy::inline_always,
        reason = "a call per step costs a fifth of a run"
    )]
    #[inline(always)]
    pub fn push(&mut self, action: ActionId, target: &[Word]) {
        if self.words.len() != self.used || self.words.capacity() - self.used < target.len() {
            self.make_room(target.len());
        }
        self.words.extend_from_slice(target);
        self.finish_record(action);
    }

    /// Adds a step to a copy of `source` and returns the copy for changing.
    #[inline]
    pub fn push_copy(&mut self, action: ActionId, source: &[Word]) -> &mut [Word] {
        self.push(action, source);
        let start = self.used - source.len();
        &mut self.words[start..]
    }

    /// Adds a step whose target `write` appends to the buffer it is given, which holds earlier targets.
    #[inline]
    pub fn push_with(&mut self, action: ActionId, write: impl FnOnce(&mut Vec<Word>)) {
        self.settle();
        write(&mut self.words);
        self.finish_record(action);
        self.check_limit();
    }

    /// Adds a step as [`Steps::push_with`] does, unless `write` fails; then nothing is added.
    #[inline]
    pub fn try_push_with<E>(
        &mut self,
        action: ActionId,
        write: impl FnOnce(&mut Vec<Word>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.settle();
        let written = write(&mut self.words);
        match written {
            Ok(()) => {
                self.finish_record(action);
                self.check_limit();
            }
            Err(_) => self.words.truncate(self.used),
        }
        written
    }

    /// Adds up to `room` steps at once. `write` puts targets one after the other into the words and their actions beside
    /// them, and says how many there are. What it finds there means nothing.
    ///
    /// # Panics
    /// If states differ in size, or there are more steps than room.
    #[inline]
    pub fn push_many(
        &mut self,
        room: usize,
        write: impl FnOnce(&mut [Word], &mut [ActionId]) -> usize,
    ) {
        let Records::Fixed(width) = self.records else {
            panic!("steps can be added at once only if all states have the same size");
        };
        let (words, actions) = (self.used + room * width, self.len + room);
        if self.words.len() < words || self.actions.len() < actions {
            if bytes_of(words, 0, actions) > self.limit {
                return self.fail(Fault::Full);
            }
            self.words.resize(words.max(self.words.len()), 0);
            self.actions
                .resize(actions.max(self.actions.len()), ActionId(0));
        }
        let count = write(
            &mut self.words[self.used..words],
            &mut self.actions[self.len..actions],
        );
        assert!(count <= room, "there are more steps than room for them");
        self.used += count * width;
        self.len += count;
    }

    /// Forgets what is left of earlier batches, so that something can be appended.
    #[inline]
    fn settle(&mut self) {
        // Words and actions are always left together.
        if self.words.len() != self.used {
            self.words.truncate(self.used);
            self.actions.truncate(self.len);
        }
    }

    #[inline]
    fn finish_record(&mut self, action: ActionId) {
        let end = self.words.len();
        if self.records != Records::Fixed(end - self.used) {
            self.finish_variable(end);
        }
        self.used = end;
        self.actions.push(action);
        self.len += 1;
    }

    #[inline(never)]
    fn finish_variable(&mut self, end: usize) {
        assert!(
            self.records == Records::Variable,
            "a state has the size that the layout says"
        );
        self.ends.push(end);
    }

    /// Makes room for another step with so many words. Where there is none, the last step has to go: its state cannot be
    /// expanded anyway, and the batch must not grow for ever.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, words: usize) {
        self.settle();
        if self.words.capacity() - self.used >= words {
            return;
        }
        let (more, limit) = (self.used / 4, self.limit);
        let needed = |words| bytes_of(self.used + words, self.ends.len() + 1, self.len + 1);
        if needed(words + more) <= limit {
            self.words.reserve_exact(words + more);
        } else {
            if needed(words) > limit {
                self.overflow();
            }
            self.words.reserve_exact(words);
        }
    }

    /// Whether what a step brought with it still fits.
    #[inline]
    fn check_limit(&mut self) {
        if self.used > self.limit / size_of::<Word>() {
            self.overflow();
        }
    }

    /// Drops the last step, unless it is the first that does not fit.
    #[cold]
    fn overflow(&mut self) {
        if self.fault == Some(Fault::Full) {
            let last = self.len.saturating_sub(1);
            self.used = if last < self.len {
                self.range(last).start
            } else {
                0
            };
            self.ends.truncate(last);
            self.len = last;
            self.settle();
        }
        self.fail(Fault::Full);
    }

    /// Reports that a successor could not be produced. Only the first fault of a batch is kept.
    #[cold]
    pub fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// The first fault reported since the batch was cleared.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no step.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Forgets all steps and faults but keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        (self.used, self.len) = (0, 0);
        self.ends.clear();
        self.left_out.clear();
        self.fault = None;
    }

    /// Forgets all steps from `len` on, and faults.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.used = self.range(len).start;
            self.ends.truncate(len);
            self.len = len;
        }
        self.fault = None;
    }

    /// Keeps those steps from `first` on that `keep` accepts by their index, in their order. The actions of the others are
    /// [remembered](Steps::left_out): they are enabled, although they are not taken.
    ///
    /// An adapter that leaves steps out calls this for every state, also if nothing is left out.
    pub fn retain_from(&mut self, first: usize, mut keep: impl FnMut(usize) -> bool) {
        self.left_out.clear();
        let mut kept = first;
        let mut used = match first {
            0 => 0,
            first if first <= self.len => self.range(first - 1).end,
            _ => return,
        };
        for index in first..self.len {
            if !keep(index) {
                self.left_out.push(self.actions[index]);
                continue;
            }
            let target = self.range(index);
            let end = used + target.len();
            self.words.copy_within(target, used);
            self.actions[kept] = self.actions[index];
            if self.records == Records::Variable {
                self.ends[kept] = end;
            }
            (kept, used) = (kept + 1, end);
        }
        if self.records == Records::Variable {
            self.ends.truncate(kept);
        }
        (self.len, self.used) = (kept, used);
    }

    /// The actions of all steps.
    #[inline]
    pub fn actions(&self) -> &[ActionId] {
        &self.actions[..self.len]
    }

    /// The actions of steps that an adapter has left out of the state whose steps were generated last.
    #[inline]
    pub fn left_out(&self) -> &[ActionId] {
        match &self.inner {
            Some(inner) if self.left_out.is_empty() => inner.left_out(),
            _ => &self.left_out,
        }
    }

    /// Gives step `index` another action, for adapters that tell actions apart in their own way.
    pub fn set_action(&mut self, index: usize, action: ActionId) {
        self.actions[index] = action;
    }

    /// The target of step `index`.
    #[inline]
    pub fn target(&self, index: usize) -> &[Word] {
        let range = self.range(index);
        &self.words[range]
    }

    /// The target of step `index`, for adapters that change targets in place.
    #[inline]
    pub fn target_mut(&mut self, index: usize) -> &mut [Word] {
        let range = self.range(index);
        &mut self.words[range]
    }

    /// All targets one after the other.
    #[inline]
    pub fn words(&self) -> &[Word] {
        &self.words[..self.used]
    }

    #[inline]
    fn range(&self, index: usize) -> std::ops::Range<usize> {
        match self.records {
            Records::Fixed(width) => index * width..(index + 1) * width,
            Records::Variable => {
                index.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[index]
            }
        }
    }
}

/// What so many words, ends and actions take.
fn bytes_of(words: usize, ends: usize, actions: usize) -> usize {
    words * size_of::<Word>() + ends * size_of::<usize>() + actions * size_of::<ActionId>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_variable_size_keep_their_bounds() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Variable));
        steps.push(ActionId(0), &[1]);
        steps.push(ActionId(1), &[2, 3, 4]);
        steps.push_copy(ActionId(2), &[5, 6])[1] = 7;
        assert_eq!(steps.target(0), [1]);
        assert_eq!(steps.target(1), [2, 3, 4]);
        assert_eq!(steps.target(2), [5, 7]);
    }

    #[test]
    fn a_target_that_cannot_be_written_is_not_added() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(2)));
        steps.push(ActionId(0), &[1, 2]);
        let failed = steps.try_push_with(ActionId(1), |words| {
            words.push(3);
            Err("no")
        });
        assert_eq!(failed, Err("no"));
        assert_eq!((steps.len(), steps.words()), (1, &[1, 2][..]));
    }

    #[test]
    fn steps_added_at_once_take_only_the_room_they_need() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(2)));
        steps.push(ActionId(0), &[1, 2]);
        steps.push_many(3, |words, actions| {
            assert_eq!((words.len(), actions.len()), (6, 3));
            words[..2].copy_from_slice(&[3, 4]);
            actions[0] = ActionId(7);
            1
        });
        assert_eq!(steps.words(), [1, 2, 3, 4]);
        assert_eq!(steps.actions(), [ActionId(0), ActionId(7)]);
    }

    /// However many steps a state has, the batch keeps to its limit, and what other states put there stays.
    #[test]
    fn a_batch_does_not_grow_beyond_its_limit() {
        let variable = Layout::opaque(Records::Variable);
        let fixed = Layout::opaque(Records::Fixed(3));
        for (layout, ways) in [(&fixed, 3), (&variable, 2)] {
            for way in 0..ways {
                let mut steps = Steps::for_layout(layout);
                steps.set_limit(10_000);
                steps.push(ActionId(7), &[1, 2, 3]);
                for number in 0..100_000 {
                    let target = [number, number, number];
                    match way {
                        0 => steps.push_copy(ActionId(0), &target)[1] = 0,
                        1 => steps.push_with(ActionId(0), |words| words.extend(target)),
                        _ => steps.push_many(2, |words, _| {
                            words[..3].copy_from_slice(&target);
                            1
                        }),
                    }
                }
                assert_eq!(steps.fault(), Some(&Fault::Full));
                assert!(
                    (5_000..20_000).contains(&steps.bytes()),
                    "{}",
                    steps.bytes()
                );
                assert_eq!(steps.target(0), [1, 2, 3]);
                steps.truncate(1);
                assert_eq!((steps.len(), steps.words()), (1, &[1, 2, 3][..]));
                steps.shrink();
                assert!(steps.bytes() < 100);
            }
        }
    }

    /// An adapter that adds a word to every target.
    fn extended(steps: &mut Steps, targets: &[Word]) {
        let layout = Layout::opaque(Records::Fixed(1));
        steps.by_way_of(&layout, |inner, out| {
            assert!(inner.is_empty() && inner.fault().is_none());
            for &target in targets {
                inner.push(ActionId(3), &[target]);
            }
            for (index, &action) in inner.actions().iter().enumerate() {
                out.push(action, &[inner.target(index)[0], 9]);
            }
            if targets.len() > 2 {
                inner.fail(Fault::Outgrown { slot: SlotId(0) });
            }
        });
    }

    /// Steps before the first that is looked at stay, and what is added later follows what was kept.
    #[test]
    fn steps_are_kept_in_their_order() {
        for records in [Records::Fixed(1), Records::Variable] {
            let mut steps = Steps::for_layout(&Layout::opaque(records));
            for number in 0..6 {
                steps.push(ActionId(number), &[Word::from(number)]);
            }
            steps.retain_from(2, |index| index % 2 == 1);
            assert_eq!(steps.left_out(), [ActionId(2), ActionId(4)]);
            steps.push(ActionId(9), &[9]);
            assert_eq!(steps.words(), [0, 1, 3, 5, 9]);
            assert_eq!(steps.actions(), [0, 1, 3, 5, 9].map(ActionId));
            assert_eq!(steps.target(3), [5]);
            steps.retain_from(0, |_| false);
            assert!(steps.is_empty() && steps.words().is_empty());
            steps.retain_from(0, |_| true);
            assert!(steps.left_out().is_empty());
            assert!(steps.is_empty());
        }
    }

    #[test]
    fn steps_come_by_way_of_a_batch_of_another_layout() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(2)));
        extended(&mut steps, &[1, 2]);
        extended(&mut steps, &[5]);
        assert_eq!(steps.words(), [1, 9, 2, 9, 5, 9]);
        assert_eq!(steps.actions(), [ActionId(3); 3]);
        assert_eq!(steps.fault(), None);
        extended(&mut steps, &[1, 2, 3]);
        assert_eq!(steps.fault(), Some(&Fault::Outgrown { slot: SlotId(0) }));
        steps.clear();
        extended(&mut steps, &[1]);
        assert_eq!(steps.fault(), None, "the fault is not kept");
    }

    /// What is lent is limited as well, counts, and is given back.
    #[test]
    fn a_batch_that_is_lent_keeps_to_the_limit() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(2)));
        steps.set_limit(10_000);
        let before = steps.bytes();
        extended(&mut steps, &vec![7; 100_000]);
        assert_eq!(steps.fault(), Some(&Fault::Full));
        assert!((before + 10_000..40_000).contains(&steps.bytes()));
        steps.clear();
        steps.shrink();
        assert!(steps.bytes() < 100);
    }

    #[test]
    #[should_panic(expected = "the size that the layout says")]
    fn a_step_of_the_wrong_size_is_refused_in_every_build() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(2)));
        steps.push(ActionId(0), &[1, 2, 3]);
    }

    #[test]
    fn words_of_earlier_batches_are_never_targets() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(1)));
        steps.push_many(9, |words, _| {
            words.fill(5);
            9
        });
        steps.clear();
        assert!(steps.is_empty() && steps.words().is_empty() && steps.actions().is_empty());
        steps.push(ActionId(1), &[6]);
        steps.push_many(2, |_, _| 1);
        assert_eq!((steps.len(), steps.target(0)), (2, &[6][..]));
        assert_eq!(steps.actions().len(), 2);
    }

    #[test]
    fn the_first_fault_is_kept_until_cleared() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(1)));
        steps.fail(Fault::Outgrown { slot: SlotId(3) });
        steps.fail(Fault::Outgrown { slot: SlotId(4) });
        assert_eq!(steps.fault(), Some(&Fault::Outgrown { slot: SlotId(3) }));
        steps.clear();
        assert_eq!(steps.fault(), None);
    }
}
