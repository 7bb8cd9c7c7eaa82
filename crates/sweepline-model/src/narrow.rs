//! Integers in fewer bits than their type has.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]
#![expect(clippy::cast_lossless, reason = "one macro for integers of all widths")]

use std::fmt::Display;
use std::marker::PhantomData;

use sweepline_core::Word;

use crate::bits::width;
use crate::{EncodeError, Fields, Misfit, Reader, Writer};

/// An integer of at most 64 bits.
pub trait Integer: Copy + Display {
    /// Whether there are negative values.
    const SIGNED: bool;
    /// The least value.
    const LEAST: i128;
    /// The greatest value.
    const GREATEST: i128;

    /// The value modulo 2^64.
    fn to_word(self) -> Word;

    /// The value that has this remainder modulo 2^64, which must be one of this type.
    fn from_word(word: Word) -> Self;
}

/// Integers, and collections of integers.
pub trait Numbers {
    /// The type of the integers.
    type Number: Integer;
}

/// What can be stored in fewer bits because its integers are known to lie in the interval `I`.
///
/// This is what the attributes `range` and `bits` of [`Encode`](crate::Encode) ask of a field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no range: only integers and collections of integers have one",
    label = "the attributes `range` and `bits` do not apply to this type"
)]
pub trait Narrow<I: Interval>: Sized {
    /// How many bits every value takes, or `None` if values differ in size.
    const BITS: Option<u32>;

    /// Appends this value to `out`, unless one of its integers is outside the interval.
    fn encode_narrow(&self, out: &mut Writer<'_>) -> Result<(), EncodeError>;

    /// Takes a value that [`Narrow::encode_narrow`] put there from `input`.
    fn decode_narrow(input: &mut Reader<'_>) -> Self;

    /// Lists the numbers that all values have at the same places.
    fn fields_narrow(out: &mut Fields) {
        out.skip(Self::BITS);
    }
}

/// A range of integers, known at compile time.
pub trait Interval {
    /// The least value.
    const LEAST: i128;
    /// The greatest value.
    const GREATEST: i128;
}

/// The interval `LEAST..=GREATEST`.
#[derive(Clone, Debug, PartialEq)]
pub struct Between<const LEAST: i128, const GREATEST: i128>;

impl<const LEAST: i128, const GREATEST: i128> Interval for Between<LEAST, GREATEST> {
    const LEAST: i128 = LEAST;
    const GREATEST: i128 = GREATEST;
}

/// The integers of `BITS` bits, signed if the numbers of `T` are.
#[derive(Clone, Debug, PartialEq)]
pub struct BitsOf<T, const BITS: u32>(PhantomData<T>);

impl<T: Numbers, const BITS: u32> Interval for BitsOf<T, BITS> {
    const LEAST: i128 = if T::Number::SIGNED {
        -(1 << (BITS - 1))
    } else {
        0
    };
    const GREATEST: i128 = Self::LEAST + (1 << BITS) - 1;
}

/// An interval in words, for one type of integer.
struct Span<T, I>(PhantomData<(T, I)>);

impl<T: Integer, I: Interval> Span<T, I> {
    /// The least value modulo 2^64.
    const OFFSET: Word = low_word(I::LEAST);
    /// Greatest minus least value.
    const EXTENT: Word = {
        assert!(I::LEAST <= I::GREATEST, "the range of a field is empty");
        assert!(
            T::LEAST <= I::LEAST && I::GREATEST <= T::GREATEST,
            "the range of a field contains values that its type does not have"
        );
        low_word(I::GREATEST - I::LEAST)
    };
    const BITS: u32 = width(Self::EXTENT);
}

const fn low_word(value: i128) -> Word {
    let bytes = value.to_le_bytes();
    Word::from_le_bytes(bytes.as_chunks().0[0])
}

/// Appends an integer of the interval `I`.
#[inline(always)]
fn put_within<T: Integer, I: Interval>(value: T, out: &mut Writer<'_>) -> Result<(), EncodeError> {
    // Modulo 2^64 a value below the interval becomes one far above it, so one comparison is enough.
    let above = value.to_word().wrapping_sub(Span::<T, I>::OFFSET);
    if above > Span::<T, I>::EXTENT {
        return Err(outside::<T, I>(value));
    }
    out.put(above, Span::<T, I>::BITS);
    Ok(())
}

/// Takes an integer of the interval `I`.
#[inline(always)]
fn take_within<T: Integer, I: Interval>(input: &mut Reader<'_>) -> T {
    let above = input.take(Span::<T, I>::BITS);
    T::from_word(Span::<T, I>::OFFSET.wrapping_add(above))
}

#[cold]
fn outside<T: Integer, I: Interval>(value: T) -> EncodeError {
    let word = value.to_word();
    EncodeError::new(Misfit::Value {
        value: if T::SIGNED {
            word.cast_signed().into()
        } else {
            word.into()
        },
        least: I::LEAST,
        greatest: I::GREATEST,
    })
}

macro_rules! integer {
    ($signed:literal, $integer:ident, $to_word:expr, $from_word:expr) => {
        impl Integer for $integer {
            const SIGNED: bool = $signed;
            const LEAST: i128 = $integer::MIN as i128;
            const GREATEST: i128 = $integer::MAX as i128;
            #[inline(always)]
            fn to_word(self) -> Word {
                $to_word(self)
            }
            #[inline(always)]
            fn from_word(word: Word) -> Self {
                $integer::try_from($from_word(word))
                    .expect("the word was made of a value of this type")
            }
        }
        impl Numbers for $integer {
            type Number = Self;
        }
        impl<I: Interval> Narrow<I> for $integer {
            const BITS: Option<u32> = Some(Span::<Self, I>::BITS);
            #[inline(always)]
            fn encode_narrow(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                put_within::<Self, I>(*self, out)
            }
            #[inline(always)]
            fn decode_narrow(input: &mut Reader<'_>) -> Self {
                take_within::<Self, I>(input)
            }
            fn fields_narrow(out: &mut Fields) {
                out.number(Span::<Self, I>::BITS, I::LEAST, I::GREATEST);
            }
        }
    };
}

macro_rules! unsigned {
    ($($integer:ident)*) => { $(
        integer!(false, $integer, |value: $integer| value as u64, |word: u64| word);
    )* };
}

macro_rules! signed {
    ($($integer:ident)*) => { $(
        integer!(
            true,
            $integer,
            |value: $integer| (value as i64).cast_unsigned(),
            u64::cast_signed
        );
    )* };
}

unsigned!(u8 u16 u32 u64 usize);
signed!(i8 i16 i32 i64 isize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encode;
    use crate::encode::{pack, unpack};

    /// A value of `T` that is encoded within `I`.
    #[derive(Clone, Debug, PartialEq)]
    struct Ranged<T, I>(T, PhantomData<I>);

    impl<
        T: Narrow<I> + Clone + PartialEq + std::fmt::Debug,
        I: Interval + Clone + PartialEq + std::fmt::Debug,
    > Encode for Ranged<T, I>
    {
        const BITS: Option<u32> = T::BITS;
        fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
            self.0.encode_narrow(out)
        }
        fn decode(input: &mut Reader<'_>) -> Self {
            Self(T::decode_narrow(input), PhantomData)
        }
    }

    fn check<T, I>(value: T, bits: u32, word: Result<Word, &str>)
    where
        T: Narrow<I> + Copy + std::fmt::Debug + PartialEq,
        I: Interval + Clone + std::fmt::Debug + PartialEq,
    {
        let value = Ranged::<T, I>(value, PhantomData);
        assert_eq!(Ranged::<T, I>::BITS, Some(bits));
        let mut words = Vec::new();
        match (pack(&value, &mut words), word) {
            (Ok(()), Ok(word)) => {
                assert_eq!(words, [word]);
                assert_eq!(unpack::<Ranged<T, I>>(&words), value);
            }
            (Err(error), Err(message)) => assert_eq!(error.to_string(), message),
            (outcome, expected) => panic!("{outcome:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn ranges_start_at_zero_bits_for_their_least_value() {
        check::<u16, Between<0, 400>>(400, 9, Ok(400));
        check::<u16, Between<100, 107>>(100, 3, Ok(0));
        check::<i8, Between<-5, 5>>(-5, 4, Ok(0));
        check::<i8, Between<-5, 5>>(5, 4, Ok(10));
        check::<i64, Between<{ i64::MIN as i128 }, { i64::MAX as i128 }>>(
            -1,
            64,
            Ok((1 << 63) - 1),
        );
        check::<u64, Between<0, { u64::MAX as i128 }>>(u64::MAX, 64, Ok(u64::MAX));
        check::<usize, Between<7, 7>>(7, 0, Ok(0));
    }

    #[test]
    fn values_outside_are_refused() {
        let message = "`` would become 401, outside its range 0..=400";
        check::<u16, Between<0, 400>>(401, 9, Err(message));
        let message = "`` would become 99, outside its range 100..=107";
        check::<u64, Between<100, 107>>(99, 3, Err(message));
        let message = "`` would become -6, outside its range -5..=5";
        check::<i8, Between<-5, 5>>(-6, 4, Err(message));
        let message =
            "`` would become 18446744073709551615, outside its range 0..=9223372036854775807";
        check::<u64, Between<0, { i64::MAX as i128 }>>(u64::MAX, 63, Err(message));
    }

    #[test]
    fn bits_follow_the_sign_of_the_type() {
        check::<u16, BitsOf<u16, 9>>(511, 9, Ok(511));
        check::<i16, BitsOf<i16, 9>>(-256, 9, Ok(0));
        check::<i64, BitsOf<i64, 64>>(i64::MAX, 64, Ok(u64::MAX));
        let message = "`` would become 256, outside its range -256..=255";
        check::<i16, BitsOf<i16, 9>>(256, 9, Err(message));
    }
}
