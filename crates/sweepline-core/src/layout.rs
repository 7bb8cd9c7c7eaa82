//! Which bits of a state's words mean what.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use crate::Word;

/// Maps named *slots* (bit fields with a type and a range) into the words of a state.
///
/// Slow paths (predicates, traces, reports) go through the layout; hot paths work on the words themselves.
/// No slot crosses a word boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    records: Records,
    slots: Vec<Slot>,
    by_name: HashMap<String, SlotId>,
    /// The bits of the last word that are zero in every state.
    spare: Word,
}

/// How many words a state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// Every state has this many words (at least one).
    Fixed(usize),
    /// Each state has its own number of words (at least one): states that contain collections.
    Variable,
}

/// One named bit field of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The name as the user knows it.
    pub name: String,
    /// Index of the word that holds the slot.
    pub word: usize,
    /// Position of the lowest bit in that word.
    pub shift: u32,
    /// Number of bits, 1 to 64.
    pub bits: u32,
    /// The value stored as zero, which is also the least value of the declared range.
    pub least: i64,
    /// The greatest value of the declared range.
    pub greatest: i64,
    /// What the values mean.
    pub kind: SlotKind,
}

/// What the values of a slot mean to a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A number.
    Integer,
    /// 0 is false, 1 is true.
    Boolean,
    /// Value `v` is called by the name at index `v - least`.
    Named(Vec<String>),
}

/// Index of a slot in its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(pub u32);

/// A value does not lie in the declared range of its slot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{slot}` would become {value}, outside its range {least}..={greatest}")]
pub struct OutOfRange {
    /// Name of the slot.
    pub slot: String,
    /// The value that does not fit.
    pub value: i64,
    /// Least value of the range.
    pub least: i64,
    /// Greatest value of the range.
    pub greatest: i64,
}

impl Layout {
    /// Starts an empty layout.
    pub fn builder() -> LayoutBuilder {
        LayoutBuilder::default()
    }

    /// A layout without slots, for states only their own front end can read.
    pub fn opaque(records: Records) -> Self {
        Self::of_slots(records, Vec::new())
    }

    /// A layout of slots that lie where they say; there may be bits between them that belong to none.
    pub fn of_slots(records: Records, slots: Vec<Slot>) -> Self {
        let mut by_name = HashMap::new();
        for (slot, id) in slots.iter().zip((0..).map(SlotId)) {
            debug_assert!(slot.bits > 0 && slot.shift + slot.bits <= Word::BITS);
            by_name.entry(slot.name.clone()).or_insert(id);
        }
        Self {
            records,
            slots,
            by_name,
            spare: 0,
        }
    }

    /// How many words a state has.
    pub fn records(&self) -> Records {
        self.records
    }

    /// The number of words of every state, if it is the same for all.
    pub fn width(&self) -> Option<usize> {
        match self.records {
            Records::Fixed(words) => Some(words),
            Records::Variable => None,
        }
    }

    /// All slots, in the order they were declared.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Every slot id with its slot.
    pub fn iter(&self) -> impl Iterator<Item = (SlotId, &Slot)> {
        (0..).map(SlotId).zip(&self.slots)
    }

    /// The slot with this id.
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id.0 as usize]
    }

    /// The slot with this name, if there is one.
    pub fn slot_named(&self, name: &str) -> Option<SlotId> {
        self.by_name.get(name).copied()
    }

    /// This layout with an enumeration behind everything else: in bits of the last word that are zero in every state, or else
    /// in one more word.
    ///
    /// The slots of this layout keep their ids and places. Which bits are always zero is known of layouts that were
    /// [built](Layout::builder): those above the last slot, and the ones that [guard](LayoutBuilder::guarded) slots. If only bits
    /// that do not lie side by side are left, each of them is a slot of its own, called `name.0`, `name.1` and so on, lowest first.
    /// States of different sizes get the word too, but no slot for it, as it has no fixed place in them.
    #[must_use]
    pub fn followed_by(&self, name: &str, names: Vec<String>) -> Self {
        let greatest = i64::try_from(names.len().saturating_sub(1)).unwrap_or(i64::MAX);
        self.continued(name, greatest, SlotKind::Named(names))
    }

    /// The same with a number from zero to `greatest`.
    #[must_use]
    pub fn followed_by_number(&self, name: &str, greatest: i64) -> Self {
        self.continued(name, greatest, SlotKind::Integer)
    }

    fn continued(&self, name: &str, greatest: i64, kind: SlotKind) -> Self {
        let Records::Fixed(width) = self.records else {
            return self.clone();
        };
        let bits = bits_for(greatest.cast_unsigned());
        let (word, taken, spare) = match taken_from(self.spare, bits) {
            Some(taken) => (width - 1, taken, self.spare & !taken),
            None => (width, !above(bits), above(bits)),
        };
        let mut layout = self.clone();
        (layout.records, layout.spare) = (Records::Fixed(word + 1), spare);
        let whole = Slot {
            name: name.to_owned(),
            word,
            shift: taken.trailing_zeros(),
            bits,
            least: 0,
            greatest,
            kind,
        };
        if taken == whole.mask() << whole.shift {
            layout.push(whole);
            return layout;
        }
        let set = (0..Word::BITS).filter(|bit| taken >> bit & 1 == 1);
        for (bit, shift) in (0..bits).zip(set) {
            layout.push(Slot {
                shift,
                ..whole.bit(bit)
            });
        }
        layout
    }

    fn push(&mut self, slot: Slot) {
        let id =
            SlotId(u32::try_from(self.slots.len()).expect("a layout has fewer than 2^32 slots"));
        self.by_name.entry(slot.name.clone()).or_insert(id);
        self.slots.push(slot);
    }

    /// Lets people call a slot by another name too, unless that is the name of one.
    pub fn alias(&mut self, name: impl Into<String>, id: SlotId) {
        self.by_name.entry(name.into()).or_insert(id);
    }

    /// Reads a slot.
    pub fn value(&self, state: &[Word], id: SlotId) -> i64 {
        self.slot(id).read(state)
    }

    /// Writes a slot, or says why the value does not fit.
    pub fn set(&self, state: &mut [Word], id: SlotId, value: i64) -> Result<(), OutOfRange> {
        self.slot(id).write(state, value)
    }
}

impl Slot {
    /// Reads this slot.
    #[inline]
    pub fn read(&self, state: &[Word]) -> i64 {
        let raw = (state[self.word] >> self.shift) & self.mask();
        self.least.wrapping_add_unsigned(raw)
    }

    /// Writes this slot, or says why the value does not fit.
    #[inline]
    pub fn write(&self, state: &mut [Word], value: i64) -> Result<(), OutOfRange> {
        if value < self.least || value > self.greatest {
            return Err(OutOfRange {
                slot: self.name.clone(),
                value,
                least: self.least,
                greatest: self.greatest,
            });
        }
        let raw = value.wrapping_sub(self.least).cast_unsigned();
        let word = &mut state[self.word];
        *word = (*word & !(self.mask() << self.shift)) | (raw << self.shift);
        Ok(())
    }

    /// A bit of this slot as a slot of its own.
    pub(crate) fn bit(&self, bit: u32) -> Self {
        Self {
            name: self.bit_name(bit),
            word: self.word,
            shift: self.shift + bit,
            bits: 1,
            least: 0,
            greatest: 1,
            kind: SlotKind::Boolean,
        }
    }

    /// What a bit of this slot is called where it is a slot of its own.
    pub(crate) fn bit_name(&self, bit: u32) -> String {
        format!("{}.{bit}", self.name)
    }

    /// As many ones as the slot has bits, not shifted.
    #[inline]
    pub fn mask(&self) -> Word {
        Word::MAX >> (Word::BITS - self.bits)
    }

    /// How a value of this slot is shown.
    pub fn show(&self, value: i64) -> String {
        match &self.kind {
            SlotKind::Integer => value.to_string(),
            SlotKind::Boolean => (value != 0).to_string(),
            SlotKind::Named(names) => usize::try_from(value - self.least)
                .ok()
                .and_then(|index| names.get(index).cloned())
                .unwrap_or_else(|| value.to_string()),
        }
    }
}

/// Places slots one after the other, first fit from the left.
#[derive(Clone, Debug, Default)]
pub struct LayoutBuilder {
    slots: Vec<Slot>,
    by_name: HashMap<String, SlotId>,
    word: usize,
    used: u32,
    /// The bits of the present word that guard slots.
    guards: Word,
}

impl LayoutBuilder {
    /// Adds a number with values `least..=greatest`, in as few bits as that takes.
    #[must_use]
    pub fn integer(self, name: impl Into<String>, least: i64, greatest: i64) -> Self {
        let bits = bits_for(greatest.wrapping_sub(least).cast_unsigned());
        self.place(name.into(), bits, 0, least, greatest, SlotKind::Integer)
    }

    /// Adds a truth value.
    #[must_use]
    pub fn boolean(self, name: impl Into<String>) -> Self {
        self.place(name.into(), 1, 0, 0, 1, SlotKind::Boolean)
    }

    /// Adds an enumeration: value 0 is called `names[0]`, and so on.
    #[must_use]
    pub fn named(self, name: impl Into<String>, names: Vec<String>) -> Self {
        self.named_from(name, 0, names)
    }

    /// Adds an enumeration whose first value is this number.
    #[must_use]
    pub fn named_from(self, name: impl Into<String>, least: i64, names: Vec<String>) -> Self {
        let more = i64::try_from(names.len().saturating_sub(1)).unwrap_or(i64::MAX);
        let bits = bits_for(more.cast_unsigned());
        let greatest = least.saturating_add(more);
        self.place(
            name.into(),
            bits,
            0,
            least,
            greatest,
            SlotKind::Named(names),
        )
    }

    /// Adds a number up to `greatest` that means something to the system only: values without names, which no measure uses.
    #[must_use]
    pub fn opaque(self, name: impl Into<String>, greatest: i64) -> Self {
        let bits = bits_for(greatest.cast_unsigned());
        let kind = SlotKind::Named(Vec::new());
        self.place(name.into(), bits, 0, 0, greatest, kind)
    }

    /// Adds a non-negative number of `bits` bits (at most 62) and keeps the bit above it free and zero: its *guard*.
    ///
    /// The guard lets many such slots be compared and added at once: see the firing of net transitions. In states it is spare, so
    /// whoever [adds](Layout::followed_by) something to them may have it, and must clear it before they are looked at.
    #[must_use]
    pub fn guarded(self, name: impl Into<String>, bits: u32) -> Self {
        let greatest = (Word::MAX >> (Word::BITS - bits)).cast_signed();
        self.place(name.into(), bits, 1, 0, greatest, SlotKind::Integer)
    }

    /// The finished layout. A layout without slots has one word, which is always zero.
    pub fn build(self) -> Layout {
        Layout {
            records: Records::Fixed(self.word + 1),
            slots: self.slots,
            by_name: self.by_name,
            spare: above(self.used) | self.guards,
        }
    }

    /// The finished layout, with slots moved to where they take the fewest words.
    ///
    /// The slots of a group stay side by side, in one word if they fit. Ids and names stay what they are; spare bits
    /// are not kept.
    pub fn build_packed(mut self, groups: &[Range<usize>]) -> Layout {
        let mut words = Words::default();
        for group in words_first(&self.slots, groups) {
            words.place(&mut self.slots[group]);
        }
        Layout {
            records: Records::Fixed(words.used.len().max(1)),
            slots: self.slots,
            by_name: self.by_name,
            spare: above(words.used.last().copied().unwrap_or(0)),
        }
    }

    fn place(
        mut self,
        name: String,
        bits: u32,
        spare: u32,
        least: i64,
        greatest: i64,
        kind: SlotKind,
    ) -> Self {
        if self.used + bits + spare > Word::BITS {
            self.word += 1;
            (self.used, self.guards) = (0, 0);
        }
        let id =
            SlotId(u32::try_from(self.slots.len()).expect("a layout has fewer than 2^32 slots"));
        self.by_name.entry(name.clone()).or_insert(id);
        self.slots.push(Slot {
            name,
            word: self.word,
            shift: self.used,
            bits,
            least,
            greatest,
            kind,
        });
        if spare > 0 {
            self.guards |= 1 << (self.used + bits);
        }
        self.used += bits + spare;
        self
    }
}

/// How many bits hold numbers up to this one.
fn bits_for(greatest: u64) -> u32 {
    (u64::BITS - greatest.leading_zeros()).max(1)
}

/// All bits of a word but so many on the right.
fn above(used: u32) -> Word {
    Word::MAX.checked_shl(used).unwrap_or(0)
}

/// So many of the spare bits of a word: on the left where they lie side by side, or else the lowest. Nothing if there are not enough.
fn taken_from(spare: Word, bits: u32) -> Option<Word> {
    let together = spare.leading_ones();
    if together >= bits {
        return Some((Word::MAX >> (Word::BITS - bits)) << (Word::BITS - together));
    }
    let mut taken = 0;
    for _ in 0..bits {
        let left = spare & !taken;
        if left == 0 {
            return None;
        }
        taken |= left & left.wrapping_neg();
    }
    Some(taken)
}

/// Groups and the slots between them, the largest first.
fn words_first(slots: &[Slot], groups: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut grouped = vec![false; slots.len()];
    for slot in groups.iter().cloned().flatten() {
        grouped[slot] = true;
    }
    let single = (0..slots.len()).filter(|slot| !grouped[*slot]);
    let mut all: Vec<_> = groups.to_vec();
    all.extend(single.map(|slot| slot..slot + 1));
    all.sort_by_key(|group| Reverse(size(&slots[group.clone()])));
    all
}

fn size(slots: &[Slot]) -> u64 {
    slots.iter().map(|slot| u64::from(slot.bits)).sum()
}

/// Words that are being filled.
#[derive(Default)]
struct Words {
    /// How many bits of each are taken, from the right.
    used: Vec<u32>,
}

impl Words {
    /// Gives slots their places: side by side in the first word with room for all, or from a new word on.
    fn place(&mut self, slots: &mut [Slot]) {
        let size = size(slots);
        let room = |used: &u32| u64::from(Word::BITS - used) >= size;
        let mut word = self.used.iter().position(room).unwrap_or(self.used.len());
        for slot in slots {
            if word == self.used.len() {
                self.used.push(0);
            }
            if self.used[word] + slot.bits > Word::BITS {
                self.used.push(0);
                word = self.used.len() - 1;
            }
            (slot.word, slot.shift) = (word, self.used[word]);
            self.used[word] += slot.bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_keep_their_values_apart() {
        let layout = Layout::builder()
            .integer("signed", -5, 5)
            .boolean("flag")
            .integer("wide", i64::MIN, i64::MAX)
            .named("phase", vec!["idle".into(), "busy".into(), "done".into()])
            .build();
        assert_eq!(layout.width(), Some(3));
        let mut state = [0; 3];
        let values = [(0, -5), (1, 1), (2, i64::MIN), (3, 2)];
        for (slot, value) in values {
            layout.set(&mut state, SlotId(slot), value).unwrap();
        }
        for (slot, value) in values {
            assert_eq!(layout.value(&state, SlotId(slot)), value);
        }
        assert_eq!(layout.slot(SlotId(3)).show(2), "done");
    }

    #[test]
    fn packing_fills_words_and_keeps_groups_together() {
        let many = (0..4).fold(Layout::builder(), |builder, index| {
            builder.integer(format!("a[{index}]"), 0, 511)
        });
        let many = (0..4).fold(many, |builder, index| {
            builder.integer(format!("b[{index}]"), 0, 511)
        });
        let builder = many.integer("n", 0, 1 << 19).integer("m", 0, 1 << 19);
        assert_eq!(builder.clone().build().width(), Some(2));
        let layout = builder.build_packed(&[0..4, 4..8]);
        assert_eq!(layout.width(), Some(2));
        let places = places(&layout);
        assert_eq!(places[..4], [(0, 0), (0, 9), (0, 18), (0, 27)]);
        assert_eq!(
            places[4..],
            [(1, 0), (1, 9), (1, 18), (1, 27), (0, 36), (1, 36)]
        );
        assert_eq!(layout.slot_named("m"), Some(SlotId(9)));
        assert_eq!(Layout::builder().build_packed(&[]).width(), Some(1));
    }

    #[test]
    fn values_outside_the_range_are_refused() {
        let layout = Layout::builder().integer("n", 0, 5).build();
        let mut state = [0];
        let error = layout.set(&mut state, SlotId(0), 6).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`n` would become 6, outside its range 0..=5"
        );
        assert_eq!(state, [0]);
    }

    #[test]
    fn what_follows_leaves_the_others_alone() {
        let phases = || vec!["idle".into(), "busy".into()];
        let inner = Layout::builder().guarded("a", 3).boolean("b").build();
        let outer = inner.followed_by("phase", phases());
        assert_eq!(outer.width(), Some(1), "there is room");
        assert_eq!(outer.slots()[..2], *inner.slots());
        assert_eq!(places(&outer)[2..], [(0, 5)]);
        let number = inner.followed_by_number("number", 7);
        let slot = &number.slots()[2];
        assert_eq!((slot.shift, slot.mask()), (5, 7));
        let twice = outer.followed_by("other", phases());
        assert_eq!((twice.width(), twice.slots()[3].shift), (Some(1), 6));

        let full = Layout::builder().integer("a", 0, i64::MAX).boolean("b");
        let packed = Layout::builder()
            .integer("a", i64::MIN, i64::MAX)
            .build_packed(&[]);
        let strange = Layout::of_slots(Records::Fixed(1), inner.slots().to_vec());
        for inner in [full.build(), packed, strange] {
            let outer = inner.followed_by("phase", phases());
            assert_eq!(outer.width(), Some(2));
            let last = SlotId(u32::try_from(inner.slots().len()).unwrap());
            assert_eq!(outer.value(&[0, 1], last), 1);
        }
        let packed = Layout::builder().integer("a", 0, 7).build_packed(&[]);
        assert_eq!(packed.followed_by("phase", phases()).slots()[1].shift, 3);
        let variable = Layout::opaque(Records::Variable);
        assert_eq!(variable.followed_by("phase", Vec::new()), variable);
    }

    fn places(layout: &Layout) -> Vec<(usize, u32)> {
        let slots = layout.slots().iter();
        slots.map(|slot| (slot.word, slot.shift)).collect()
    }

    fn fields(count: u32) -> Layout {
        let field = |layout: LayoutBuilder, index: u32| layout.guarded(format!("f{index}"), 3);
        (0..count).fold(Layout::builder(), field).build()
    }

    #[test]
    fn guards_are_spare_bits_of_the_last_word() {
        let full = fields(16);
        assert_eq!(full.width(), Some(1), "all bits are taken or guards");
        let outer = full.followed_by_number("n", 7);
        assert_eq!(outer.width(), Some(1));
        assert_eq!(places(&outer)[16..], [(0, 3), (0, 7), (0, 11)]);
        assert_eq!(outer.slot_named("n.2"), Some(SlotId(18)));
        // The last guard is the leftmost bit.
        let bit = full.followed_by_number("n", 1);
        assert_eq!(places(&bit)[16..], [(0, 63)]);
        assert_eq!(bit.slot_named("n"), Some(SlotId(16)));
        // Others do not get the same ones.
        let more = outer.followed_by_number("m", (1 << 13) - 1);
        let mut shifts: Vec<u32> = places(&more).iter().map(|(_, shift)| *shift).collect();
        shifts.sort_unstable();
        shifts.dedup();
        assert_eq!((more.width(), shifts.len()), (Some(1), 32));
        assert_eq!(more.followed_by_number("one", 1).width(), Some(2));
        // Those of an earlier word are not used.
        let longer = fields(17);
        let wide = longer.followed_by_number("n", i64::MAX >> 3);
        assert_eq!(places(&wide)[17..], [(1, 3)]);
        let wide = longer.followed_by_number("n", i64::MAX);
        assert_eq!((wide.width(), places(&wide)[17]), (Some(3), (2, 0)));
    }

    /// A number may lie in spare bits in one encoding and side by side in another.
    #[test]
    fn numbers_are_recoded_wherever_they_lie() {
        let layouts = [
            fields(16),
            fields(15),
            Layout::of_slots(Records::Fixed(1), fields(16).slots().to_vec()),
        ];
        let layouts = layouts.map(|layout| layout.followed_by_number("n", 7));
        let counts = layouts.each_ref().map(|layout| layout.slots().len());
        assert_eq!(counts, [19, 16, 17]);
        let of = |layout: &Layout, number: Word| {
            let mut state = vec![0; layout.width().unwrap()];
            state[0] = 0x123;
            let added = layout
                .slots()
                .iter()
                .filter(|slot| slot.name.starts_with('n'));
            let mut left = number;
            for slot in added {
                slot.write(&mut state, (left & slot.mask()).cast_signed())
                    .unwrap();
                left >>= slot.bits;
            }
            state
        };
        for (from, to) in [(0, 2), (2, 0), (0, 0)] {
            for number in 0..8 {
                let (from, to) = (&layouts[from], &layouts[to]);
                let mut out = vec![Word::MAX; to.width().unwrap()];
                from.recoding(to)
                    .apply(&of(from, number), &mut out)
                    .unwrap();
                assert_eq!(out, of(to, number));
            }
        }
    }
}
