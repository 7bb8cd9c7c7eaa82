//! The sets of enabled actions, each written once.

use sweepline_core::{ActionId, Interner, StepsEnd};

use super::bits::{BitReader, BitWriter, low, unzigzag, zigzag};
use super::error::Damage;

/// Sets of a page before it is closed, and items in them.
pub(crate) const PAGE: usize = 1 << 15;
const ITEMS: usize = 1 << 18;
/// No model has more actions.
pub(crate) const ACTIONS: u32 = 1 << 24;
/// No state has more steps.
pub(crate) const STEPS: usize = 1 << 22;

/// Actions below this can be bits of a set.
const BITS: u32 = 192;
const MASKS: usize = (BITS / 64) as usize;
/// How a set is kept.
const LIST: u64 = 2;
const MASK: u64 = 4;

/// The sets that states were found to enable lately, as lists of actions in the order of the steps.
///
/// Models may have about as many sets as states. So there is a dictionary for some time only, and then the next one.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    /// A word that says how a set is kept and whether the state is a deadlock. Then bits, if its actions ascend and have small
    /// numbers: most sets fit two words, and so they do not drive out what the exploration has in the cache. Otherwise actions.
    sets: Interner<u64>,
    /// Sets as bits that were asked for lately, with their numbers plus one: most sets are found in one line of the cache.
    recent: Vec<(Masks, u32)>,
    /// Those that are one word, with their numbers: actions in their order if they are few, or else the bits of those that ascend.
    /// Vacant places have no bits. A power of two, of which less than half is taken.
    words: Vec<(u64, u32)>,
    /// How many there are.
    taken: usize,
    items: usize,
    buffer: Vec<u64>,
    /// The actions of a block, if they are small.
    bytes: Vec<u8>,
}

type Masks = [u64; MASKS];

/// How many sets are remembered.
const RECENT: usize = 1 << 11;
const NOBODY: (Masks, u32) = ([0; MASKS], 0);
/// Room for sets of one word at first, and up to which there is much more of it than sets.
const WORDS: usize = 1 << 9;
const ROOMY: usize = 1 << 14;

impl Dictionary {
    /// Numbers the sets of nodes, which have these steps one after the other. There are more actions behind them, whatever they are. An
    /// error says why there cannot be such a set.
    pub(crate) fn number_all(
        &mut self,
        nodes: &[StepsEnd],
        actions: &[ActionId],
        sets: &mut Vec<u32>,
    ) -> Result<(), &'static str> {
        let steps = nodes.last().map_or(0, |node| node.steps());
        let largest = actions[..steps].iter().map(|action| action.0).max();
        let largest = largest.unwrap_or(0);
        sets.clear();
        sets.reserve(nodes.len());
        // Decided here, so that the words of both are made without a branch: nobody can tell beforehand how many steps a node has.
        if SMALL.fit(largest) {
            let narrow = actions[..steps].iter().map(|action| byte(*action));
            let mut bytes = std::mem::take(&mut self.bytes);
            bytes.clear();
            bytes.extend(narrow);
            bytes.resize(steps + size_of::<u64>(), 0);
            let done = self.number_sized(SMALL, nodes, actions, sets, |start| {
                let word = bytes[start..].first_chunk();
                word.map_or(0, |word| u64::from_le_bytes(*word))
            });
            self.bytes = bytes;
            done
        } else if LARGE.fit(largest) {
            self.number_sized(LARGE, nodes, actions, sets, |start| {
                let few = &actions[start..][..LARGE.count];
                let place = |at: usize| (u64::from(few[at].0) + 1) << (LARGE.bits as usize * at);
                place(0) | place(1) | place(2)
            })
        } else {
            self.number_sized(NONE, nodes, actions, sets, |_| 0)
        }
    }

    /// The same where the first actions from a place on, and whatever is behind them, make a word.
    #[inline]
    fn number_sized(
        &mut self,
        sizes: Sizes,
        nodes: &[StepsEnd],
        actions: &[ActionId],
        sets: &mut Vec<u32>,
        word_at: impl Fn(usize) -> u64,
    ) -> Result<(), &'static str> {
        let mut start = 0;
        for &node in nodes {
            let count = node.steps() - start;
            let steps = start..node.steps();
            let word = if count > sizes.count {
                as_bits(&actions[steps.clone()])
            } else if count > 0 {
                // The actions behind them are those of other nodes.
                let own = low(sizes.bits * u32::try_from(count).unwrap_or(0));
                Some(sizes.tag | word_at(start) & own)
            } else {
                None
            };
            sets.push(match word {
                Some(word) => self.number_word(word),
                None => self.number(&actions[steps], node.is_deadlock())?,
            });
            start = node.steps();
        }
        Ok(())
    }

    /// The number of a set that is one word.
    #[inline]
    fn number_word(&mut self, word: u64) -> u32 {
        if let Some(&(known, number)) = self.words.get(place_of([word, 0, 0], self.words.len()))
            && known == word
        {
            return number;
        }
        self.look_for_word(word)
    }

    /// The same if it is not at the first place, or new.
    #[inline(never)]
    fn look_for_word(&mut self, bits: u64) -> u32 {
        if self.is_crowded() {
            let len = (2 * self.words.len()).max(WORDS);
            let before = std::mem::replace(&mut self.words, vec![(0, 0); len]);
            for word in before.into_iter().filter(|word| word.0 != 0) {
                let at = self.probe(word.0);
                self.words[at] = word;
            }
        }
        let at = self.probe(bits);
        if self.words[at].0 == 0 {
            let number = if bits & IN_ORDER == 0 {
                self.number_bits(bits)
            } else {
                let (actions, count) = actions_in_order(bits);
                let number = self.number(&actions[..count], false);
                number.expect("these are few actions, and there are not too many")
            };
            self.words[at] = (bits, number);
            self.taken += 1;
        }
        self.words[at].1
    }

    /// Whether too many words are not at their first place. There is more room for them as long as the cache has it.
    fn is_crowded(&self) -> bool {
        let few = if self.words.len() < ROOMY { 4 } else { 2 };
        few * self.taken >= self.words.len()
    }

    /// The number of a set that is the bits of one word.
    fn number_bits(&mut self, bits: u64) -> u32 {
        let known = self.sets.len();
        let number = self.sets.number(&[MASK, bits]);
        if number == known {
            self.items += bits.count_ones() as usize + 1;
        }
        u32::try_from(number).expect("pages are short")
    }

    /// Where a word is, or could be.
    fn probe(&self, bits: u64) -> usize {
        let mut at = place_of([bits, 0, 0], self.words.len());
        while self.words[at].0 != 0 && self.words[at].0 != bits {
            at = (at + 1) % self.words.len();
        }
        at
    }

    /// The number of a set that was asked for lately.
    #[inline]
    fn recall(&self, masks: Masks) -> Option<u32> {
        let (recent, number) = self.recent.get(place_of(masks, RECENT))?;
        // Field by field, so that nothing has to be put together in memory.
        let differ = recent.iter().zip(masks).fold(0, |all, (a, b)| all | a ^ b);
        (differ == 0).then(|| number.checked_sub(1))?
    }

    /// The number of a set that is not one word. An error says why there cannot be such a set.
    #[inline(never)]
    pub(crate) fn number(
        &mut self,
        actions: &[ActionId],
        deadlock: bool,
    ) -> Result<u32, &'static str> {
        let known = self.sets.len();
        let number = if let Some((masks, used)) = masks(actions) {
            if let Some(number) = self.recall(masks) {
                return Ok(number);
            }
            let [first, second, third] = masks;
            let set = [MASK | u64::from(deadlock), first, second, third];
            let number = self.sets.number(&set[..=used]);
            // Without actions it would matter whether it is a deadlock.
            if used > 0 {
                self.remember(masks, number);
            }
            number
        } else {
            if actions.len() > STEPS {
                return Err("a state has millions of steps");
            }
            if actions.iter().any(|action| action.0 >= ACTIONS) {
                return Err("there are millions of actions");
            }
            self.buffer.clear();
            self.buffer.push(LIST);
            self.buffer
                .extend(actions.iter().map(|action| u64::from(action.0)));
            self.sets.number(&self.buffer)
        };
        if number == known {
            self.items += actions.len() + 1;
        }
        Ok(u32::try_from(number).expect("pages are short"))
    }

    fn remember(&mut self, masks: Masks, number: usize) {
        if self.recent.is_empty() {
            self.recent.resize(RECENT, NOBODY);
        }
        let number = u32::try_from(number).map_or(0, |number| number + 1);
        self.recent[place_of(masks, RECENT)] = (masks, number);
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Shows the actions of a set, in the order of the steps.
    #[inline]
    pub(crate) fn for_each(&self, set: u32, mut show: impl FnMut(u32)) {
        let set = self.sets.get(set as usize);
        let (kind, rest) = (set[0], &set[1..]);
        if kind & MASK == 0 {
            for &action in rest {
                show(u32::try_from(action).expect("actions have numbers of 32 bits"));
            }
            return;
        }
        for (&mask, first) in rest.iter().zip((0..).step_by(64)) {
            let mut mask = mask;
            while mask != 0 {
                show(first + mask.trailing_zeros());
                mask &= mask - 1;
            }
        }
    }

    pub(crate) fn is_full(&self, most: usize) -> bool {
        self.sets.len() >= most || self.items >= ITEMS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sets.bytes()
            + self.buffer.capacity() * size_of::<u64>()
            + self.bytes.capacity()
            + self.recent.capacity() * size_of::<(Masks, u32)>()
            + self.words.capacity() * size_of::<(u64, u32)>()
    }

    /// Writes the page and begins the next.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let mut out = BitWriter::default();
        out.gamma(self.sets.len() as u64);
        let mut actions = Vec::new();
        for set in 0..self.sets.len() {
            let number = u32::try_from(set).expect("pages are short");
            actions.clear();
            self.for_each(number, |action| actions.push(action));
            out.gamma(actions.len() as u64);
            if actions.is_empty() {
                out.put(self.sets.get(set)[0] & 1, 1);
            }
            // Most systems list actions in their order.
            let mut expected = 0;
            for &action in &actions {
                out.gamma(zigzag(i64::from(action) - expected));
                expected = i64::from(action) + 1;
            }
        }
        (self.sets, self.items) = (Interner::default(), 0);
        self.recent.fill(NOBODY);
        (self.words, self.taken) = (Vec::new(), 0);
        out.finish()
    }
}

/// The bit that says that a word has actions in their order, each with one added.
const IN_ORDER: u64 = 1 << 63;
/// And how many bits each of them has. Where there are many actions, most states have few of them.
const SMALL: Sizes = Sizes {
    tag: IN_ORDER,
    count: MOST,
    bits: 8,
};
const LARGE: Sizes = Sizes {
    tag: IN_ORDER | 1 << 62,
    count: 3,
    bits: 20,
};
/// Where they are larger than that, none is put into a word in its order.
const NONE: Sizes = Sizes {
    tag: 0,
    count: 0,
    bits: 0,
};
/// No such word has more actions.
pub(crate) const MOST: usize = 7;

/// How actions are put into a word.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    tag: u64,
    /// How many there may be, and the bits of each.
    count: usize,
    bits: u32,
}

impl Sizes {
    /// Whether actions up to this one fit.
    fn fit(self, largest: u32) -> bool {
        u64::from(largest) < low(self.bits) - 1
    }
}

/// An action as it is put into a word of small ones.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it is small")]
fn byte(action: ActionId) -> u8 {
    (action.0 as u8).wrapping_add(1)
}

/// The actions of such a word, and how many there are.
fn actions_in_order(word: u64) -> ([ActionId; MOST], usize) {
    let is_large = word & LARGE.tag == LARGE.tag;
    let sizes = if is_large { LARGE } else { SMALL };
    let (mut actions, mut count) = ([ActionId(0); MOST], 0);
    for place in 0..sizes.count {
        let more = word >> (sizes.bits as usize * place) & low(sizes.bits);
        if let Some(action) = more.checked_sub(1) {
            actions[count] = ActionId(u32::try_from(action).unwrap_or(u32::MAX));
            count += 1;
        }
    }
    (actions, count)
}

/// Many actions as the bits of a word, if they ascend and have small numbers.
#[inline]
fn as_bits(actions: &[ActionId]) -> Option<u64> {
    let (mut bits, mut next, mut ascend) = (0, 0, true);
    for action in actions {
        let number = u64::from(action.0);
        ascend &= number >= next;
        bits |= 1_u64.wrapping_shl(action.0);
        next = number + 1;
    }
    // They ascend, so that the last one is the largest.
    (ascend && next <= u64::from(IN_ORDER.ilog2())).then_some(bits)
}

/// Actions that ascend and have small numbers as bits, and how many words have some.
#[inline]
fn masks(actions: &[ActionId]) -> Option<(Masks, usize)> {
    let mut masks = [0; MASKS];
    let (mut next, mut word, mut bits) = (0, 0, 0_u64);
    for action in actions {
        if action.0 < next || action.0 >= BITS {
            return None;
        }
        // A word is written when it is complete.
        if action.0 / 64 != word {
            masks[word as usize] = bits;
            (word, bits) = (action.0 / 64, 0);
        }
        bits |= 1 << (action.0 % 64);
        next = action.0 + 1;
    }
    masks[word as usize] = bits;
    Some((masks, next.div_ceil(64) as usize))
}

/// Where a set is remembered, of so many places, a power of two.
#[inline]
fn place_of([first, second, third]: Masks, places: usize) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (first ^ second.rotate_left(23) ^ third.rotate_left(46)).wrapping_mul(FACTOR);
    usize::try_from(mixed >> 32).unwrap_or(0) & places.wrapping_sub(1)
}

/// A page that is read.
#[derive(Debug)]
pub(crate) struct Page {
    actions: Vec<ActionId>,
    /// Where each set ends.
    ends: Vec<usize>,
    deadlocks: Vec<bool>,
}

impl Page {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut bits = BitReader::new(bytes);
        let count = bits.gamma_up_to(bytes.len() as u64 * 8)?;
        let mut page = Self {
            actions: Vec::new(),
            ends: Vec::new(),
            deadlocks: Vec::new(),
        };
        for _ in 0..count {
            let length = bits.gamma_up_to(STEPS as u64)?;
            let deadlock = length == 0 && bits.get(1)? == 1;
            let mut expected = 0_i64;
            for _ in 0..length {
                let action = expected
                    .checked_add(unzigzag(bits.gamma()?))
                    .and_then(|action| u32::try_from(action).ok())
                    .filter(|&action| action < ACTIONS)
                    .ok_or(Damage::Number)?;
                page.actions.push(ActionId(action));
                expected = i64::from(action) + 1;
            }
            page.ends.push(page.actions.len());
            page.deadlocks.push(deadlock);
        }
        Ok(page)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The actions of a set that exists.
    #[inline]
    pub(crate) fn actions(&self, set: usize) -> &[ActionId] {
        let start = set.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.actions[start..self.ends[set]]
    }

    /// Whether states with this set, which exists, are deadlocks.
    #[inline]
    pub(crate) fn is_deadlock(&self, set: usize) -> bool {
        self.deadlocks[set]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers as nodes of a block get them.
    fn numbers(dictionary: &mut Dictionary, sets: &[Vec<ActionId>]) -> Vec<u32> {
        let (mut actions, mut nodes, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for set in sets {
            actions.extend_from_slice(set);
            nodes.push(StepsEnd::new(actions.len(), false));
        }
        // What is behind them is anything.
        actions.extend([u32::MAX, 7, 255, 0, 1 << 20, u32::MAX, 3].map(ActionId));
        let done = dictionary.number_all(&nodes, &actions, &mut numbers);
        done.expect("they are not too large");
        numbers
    }

    fn action() -> impl Strategy<Value = ActionId> {
        let near_a_bound = prop_oneof![9 => Just(0), 9 => Just(62), 2 => Just(190), 1 => Just(251), 1 => Just((1 << 20) - 4)];
        (near_a_bound, 0..5_u32).prop_map(|(bound, more)| ActionId(bound + more))
    }

    proptest! {
        #[test]
        fn each_set_has_one_number_and_comes_back(
            sets in prop::collection::vec(prop::collection::vec(action(), 0..10), 0..200),
        ) {
            let mut dictionary = Dictionary::default();
            // Blocks of a few nodes, whose largest actions differ.
            let blocks = sets.chunks(5).map(|block| numbers(&mut dictionary, block));
            let numbers: Vec<u32> = blocks.flatten().collect();
            let mut distinct = sets.clone();
            distinct.sort();
            distinct.dedup();
            prop_assert_eq!(dictionary.len(), distinct.len());
            for (set, number) in sets.iter().zip(&numbers) {
                let mut shown = Vec::new();
                dictionary.for_each(*number, |action| shown.push(ActionId(action)));
                prop_assert_eq!(&shown, set);
                prop_assert_eq!(dictionary.number(set, false).unwrap(), *number);
            }
            let items = distinct.iter().map(|set| set.len() + 1).sum::<usize>();
            prop_assert_eq!(dictionary.items, items);
            let page = Page::read(&dictionary.finish()).unwrap();
            for (set, number) in sets.iter().zip(&numbers) {
                prop_assert_eq!(page.actions(*number as usize), &set[..]);
            }
        }
    }
}
