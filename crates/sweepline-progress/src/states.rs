//! States with numbers.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use sweepline_core::Word;
use sweepline_explore::hash_words;

/// Different states, numbered in the order they were met.
#[derive(Debug, Default)]
pub struct States {
    words: Vec<Word>,
    /// Where the words of each state end.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
}

impl States {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes they take.
    pub fn bytes(&self) -> usize {
        size_of::<Word>() * self.words.capacity()
            + size_of::<usize>() * self.ends.capacity()
            + self.numbers.allocation_size()
    }

    /// The words of a state.
    pub fn get(&self, number: usize) -> &[Word] {
        words_of(&self.words, &self.ends, number)
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &[Word]> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// The number of a state. A new one gets a number only if there are fewer than `most`.
    pub fn number(&mut self, state: &[Word], most: usize) -> Option<u32> {
        let Self {
            words,
            ends,
            numbers,
        } = self;
        let entry = numbers.entry(
            hash_words(state),
            |&other| words_of(words, ends, other as usize) == state,
            |&other| hash_words(words_of(words, ends, other as usize)),
        );
        match entry {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(_) if ends.len() >= most => None,
            Entry::Vacant(place) => {
                let number = u32::try_from(ends.len()).expect("the states are few");
                place.insert(number);
                words.extend_from_slice(state);
                ends.push(words.len());
                Some(number)
            }
        }
    }
}

fn words_of<'a>(words: &'a [Word], ends: &[usize], number: usize) -> &'a [Word] {
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &words[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_have_equal_numbers() {
        let mut states = States::default();
        let met: [(&[Word], _); 6] = [
            (&[3], Some(0)),
            (&[], Some(1)),
            (&[3, 0], Some(2)),
            (&[3], Some(0)),
            (&[4], None), // there are three already
            (&[3, 0], Some(2)),
        ];
        for (state, number) in met {
            assert_eq!(states.number(state, 3), number);
        }
        assert!(states.iter().eq([&[3][..], &[], &[3, 0]]));
        assert_eq!(states.number(&[4], 4), Some(3));
    }
}
