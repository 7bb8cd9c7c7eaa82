//! Values as words.

use std::fmt::Debug;

use sweepline_core::{Records, Word};

use crate::{EncodeError, Fields, Parts, Reader, Source, Tally, Writer};

/// Values that can be packed into words and taken out again.
///
/// Derive it; every part of the value must implement it too. Equal values have equal words and different values
/// different ones, for that is how the checker recognises a state it has seen.
///
/// ```
/// use sweepline_model::{Encode, pack, unpack};
///
/// #[derive(Clone, Debug, PartialEq, Encode)]
/// struct Philosopher {
///     eating: bool,
///     #[encode(range = 0..=5)]
///     meals: u8,
/// }
///
/// assert_eq!(Philosopher::BITS, Some(4)); // one for `eating`, three for `meals`
/// let mut words = Vec::new();
/// pack(&[Philosopher { eating: true, meals: 2 }, Philosopher { eating: false, meals: 5 }], &mut words)?;
/// assert_eq!(words, [0b1010_0101]);
/// assert_eq!(unpack::<[Philosopher; 2]>(&words)[1].meals, 5);
///
/// let error = pack(&Philosopher { eating: false, meals: 6 }, &mut words).unwrap_err();
/// assert_eq!(error.to_string(), "`meals` would become 6, outside its range 0..=5");
/// # Ok::<(), sweepline_model::EncodeError>(())
/// ```
///
/// # Sizes
///
/// A value of fixed size always takes [`Encode::BITS`] bits: booleans, numbers and characters, tuples, arrays,
/// the bounded collections of this crate ([`Array`](crate::Array), [`Queue`](crate::Queue),
/// [`Bag`](crate::Bag), [`Set`](crate::Set), [`Map`](crate::Map)), and everything derived from these. An enum takes the bits of its
/// largest variant and as many as it needs to tell the variants apart. Collections of the standard library have
/// a size of their own each time, and so has everything that contains one; the checker stores such states too, but
/// those of fixed size are faster. In such states numbers, lengths
/// and variants take as few bits as they need: a small number in a `usize` takes four. `Box`, `Rc` and `Arc` count as variable, so that a type may contain itself.
///
/// # Attributes of fields
///
/// - `#[encode(range = 0..=400)]` stores integers from 0 to 400 in as few bits as that takes, here nine;
/// - `#[encode(bits = 9)]` stores integers of nine bits: `0..=511` if unsigned, `-256..=255` if signed.
///
/// Both also apply to collections of integers, and mean each element then. A value outside is an error of the model;
/// nothing ever wraps around. A range that its type does not have is no range:
///
/// ```compile_fail,E0080
/// # use sweepline_model::Encode;
/// #[derive(Clone, Debug, PartialEq, Encode)]
/// struct Byte {
///     #[encode(range = 0..=400)]
///     byte: u8,
/// }
/// ```
///
/// `#[encode(crate = path)]` on the type says where to find this crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a state: it does not implement `Encode`",
    label = "this type does not implement `Encode`",
    note = "own types get it by `#[derive(Encode)]`",
    note = "equal values must have equal words: use `BTreeMap` or `BTreeSet` instead of `HashMap` or `HashSet`, whose order differs from value to value, and integers instead of floating-point numbers"
)]
pub trait Encode: Clone + Debug + PartialEq {
    /// How many bits every value takes, or `None` if values differ in size.
    const BITS: Option<u32>;

    /// Appends this value to `out`, or says what does not fit.
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError>;

    /// Takes a value that [`Encode::encode`] put there from `input`.
    fn decode(input: &mut Reader<'_>) -> Self;

    /// Appends this value to `out`, where `before` comes right before it in a sorted collection and is known: what they have
    /// in common can be left out.
    #[inline]
    fn encode_after(&self, before: &Self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        let _ = before;
        self.encode(out)
    }

    /// Takes a value that [`Encode::encode_after`] put there from `input`.
    #[inline]
    fn decode_after(before: &Self, input: &mut Reader<'_>) -> Self {
        let _ = before;
        Self::decode(input)
    }

    /// Makes this value the one that [`Encode::decode`] takes from `input`, in the memory it has where that can be.
    #[inline]
    fn decode_into(&mut self, input: &mut Reader<'_>) {
        *self = Self::decode(input);
    }

    /// Does what [`Encode::decode_into`] does and says where the parts of the value end. Those that `parts` knows are parts of
    /// this value.
    #[inline]
    fn decode_parts(&mut self, input: &mut Reader<'_>, parts: &mut Parts) {
        if !parts.is_same(input) {
            self.decode_into(input);
        }
        parts.end_at(input);
    }

    /// Appends this value, which was made by changing a copy of `source`, to `out`, and takes the changes back.
    ///
    /// Most steps change little of a state, so most of it need not be written anew.
    #[inline]
    fn encode_change(
        &mut self,
        source: Source<'_, Self>,
        out: &mut Writer<'_>,
    ) -> Result<(), EncodeError> {
        self.encode(out)?;
        self.assign(source.state);
        Ok(())
    }

    /// Makes this value the same as `source`, in the memory it has where that can be.
    #[inline]
    fn assign(&mut self, source: &Self) {
        self.clone_from(source);
    }

    /// Lists the numbers that all values have at the same places. Nothing is said about values that do not list them.
    fn fields(out: &mut Fields) {
        out.skip(Self::BITS);
    }

    /// Tells the numbers in this value, of which measures of states of variable size are made. Nothing is said about values that
    /// do not tell them.
    fn tally(&self, out: &mut Tally<'_>) {
        let _ = out;
    }

    /// Appends the parts of this value with their names, as people see them. The derive lists named fields.
    fn show(&self, out: &mut Vec<(String, String)>) {
        out.push(("state".into(), format!("{self:?}")));
    }
}

/// Appends a state to `words`. If something does not fit, `words` is left with part of it.
#[inline]
pub fn pack<S: Encode>(state: &S, words: &mut Vec<Word>) -> Result<(), EncodeError> {
    let mut writer = match S::BITS {
        Some(_) => Writer::new(words),
        None => Writer::dense(words),
    };
    state.encode(&mut writer)?;
    writer.finish();
    Ok(())
}

/// Appends a state of variable size that was made by changing a copy of `source`, and takes the changes back. If something
/// does not fit, `words` is left with part of it.
#[inline]
pub(crate) fn pack_change<S: Encode>(
    state: &mut S,
    source: Source<'_, S>,
    words: &mut Vec<Word>,
) -> Result<(), EncodeError> {
    let mut writer = Writer::dense(words);
    state.encode_change(source, &mut writer)?;
    writer.finish();
    Ok(())
}

/// The state that [`pack`] turned into these words.
#[inline]
pub fn unpack<S: Encode>(words: &[Word]) -> S {
    S::decode(&mut reader::<S>(words))
}

/// Makes `state`, whose parts these are if there are any, the one that [`pack`] turned into these words. States of variable
/// size only.
#[inline]
pub(crate) fn unpack_into<S: Encode>(state: &mut S, parts: &mut Parts, words: &[Word]) {
    parts.start_again();
    state.decode_parts(&mut reader::<S>(words), parts);
    parts.keep(words);
}

#[inline]
fn reader<S: Encode>(words: &[Word]) -> Reader<'_> {
    match records::<S>() {
        // With the length known, the compiler can drop all other bounds checks.
        Records::Fixed(width) => Reader::new(&words[..width]),
        Records::Variable => Reader::dense(words),
    }
}

/// How many words states of this type take.
pub const fn records<S: Encode>() -> Records {
    match S::BITS {
        None => Records::Variable,
        Some(0) => Records::Fixed(1),
        Some(bits) => Records::Fixed(bits.div_ceil(Word::BITS) as usize),
    }
}

/// A predicate on states as a predicate on their words. It decodes the state each time it is asked.
///
/// ```
/// use sweepline_model::{pack, predicate};
///
/// let sorted = predicate(|(a, b): &(u8, u8)| a <= b);
/// let mut words = Vec::new();
/// pack(&(3u8, 4u8), &mut words)?;
/// assert!(sorted(&words));
/// # Ok::<(), sweepline_model::EncodeError>(())
/// ```
pub fn predicate<S: Encode>(holds: impl Fn(&S) -> bool) -> impl Fn(&[Word]) -> bool {
    move |words| holds(&unpack(words))
}

/// The size of values whose parts have these sizes.
pub const fn sum(parts: &[Option<u32>]) -> Option<u32> {
    let mut total: u32 = 0;
    let mut index = 0;
    while index < parts.len() {
        let Some(bits) = parts[index] else {
            return None;
        };
        total = total.checked_add(bits).expect(TOO_LARGE);
        index += 1;
    }
    Some(total)
}

const TOO_LARGE: &str = "a state has fewer than 2^32 bits";

/// The size of the largest of several alternatives.
pub const fn largest(alternatives: &[Option<u32>]) -> Option<u32> {
    let mut greatest = 0;
    let mut index = 0;
    while index < alternatives.len() {
        match alternatives[index] {
            Some(bits) if bits > greatest => greatest = bits,
            Some(_) => {}
            None => return None,
        }
        index += 1;
    }
    Some(greatest)
}

/// The size of a sequence of `length` equal parts.
pub const fn repeated(part: Option<u32>, length: usize) -> Option<u32> {
    let Some(bits) = part else { return None };
    // Arrays of nothing may be of any length.
    if bits == 0 {
        return Some(0);
    }
    assert!(length <= (u32::MAX / bits) as usize, "{}", TOO_LARGE);
    #[expect(clippy::cast_possible_truncation, reason = "compared just above")]
    let length = length as u32;
    Some(bits * length)
}

/// How many bits of an alternative's size are missing to the size of the largest.
pub const fn padding(alternative: Option<u32>, largest: Option<u32>) -> Option<u32> {
    match (alternative, largest) {
        (Some(bits), Some(all)) => Some(all - bits),
        _ => None,
    }
}

/// Ends the decoding of words that no value of the enum `name` has.
#[cold]
pub fn no_variant(name: &str, number: Word) -> ! {
    panic!("the words of a state were changed: `{name}` has no variant number {number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_part_of_variable_size_makes_the_whole_variable() {
        assert_eq!(sum(&[Some(3), Some(4)]), Some(7));
        assert_eq!(sum(&[Some(3), None]), None);
        assert_eq!(largest(&[Some(3), Some(9), Some(4)]), Some(9));
        assert_eq!(largest(&[Some(3), None, Some(4)]), None);
        assert_eq!(repeated(Some(3), 5), Some(15));
        assert_eq!(repeated(None, 5), None);
        assert_eq!(padding(Some(3), Some(9)), Some(6));
        assert_eq!(padding(Some(3), None), None);
    }

    #[test]
    fn states_take_at_least_one_word() {
        assert_eq!(records::<()>(), Records::Fixed(1));
        assert_eq!(records::<u64>(), Records::Fixed(1));
        assert_eq!(records::<(u64, bool)>(), Records::Fixed(2));
        assert_eq!(records::<Vec<u8>>(), Records::Variable);
    }
}
