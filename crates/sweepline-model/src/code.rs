//! One way to write a collection for every way to write its elements.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]

use std::marker::PhantomData;

use crate::{Encode, EncodeError, Fields, Interval, Narrow, Reader, Writer};

/// A way to write values of type `T`: [`Plain`] or [`Within`] an interval.
pub(crate) trait Code<T> {
    const BITS: Option<u32>;
    fn put(value: &T, out: &mut Writer<'_>) -> Result<(), EncodeError>;
    fn take(input: &mut Reader<'_>) -> T;
    /// The same where the value before it in a sorted collection is known.
    #[inline(always)]
    fn put_after(value: &T, before: &T, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        let _ = before;
        Self::put(value, out)
    }
    #[inline(always)]
    fn take_after(before: &T, input: &mut Reader<'_>) -> T {
        let _ = before;
        Self::take(input)
    }
    fn fields(out: &mut Fields);
}

/// As [`Encode`] says.
pub(crate) struct Plain;

impl<T: Encode> Code<T> for Plain {
    const BITS: Option<u32> = T::BITS;
    #[inline(always)]
    fn put(value: &T, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        value.encode(out)
    }
    #[inline(always)]
    fn take(input: &mut Reader<'_>) -> T {
        T::decode(input)
    }
    #[inline(always)]
    fn put_after(value: &T, before: &T, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        value.encode_after(before, out)
    }
    #[inline(always)]
    fn take_after(before: &T, input: &mut Reader<'_>) -> T {
        T::decode_after(before, input)
    }
    fn fields(out: &mut Fields) {
        T::fields(out);
    }
}

/// As [`Narrow`] says for the interval `I`.
pub(crate) struct Within<I>(PhantomData<I>);

impl<T: Narrow<I>, I: Interval> Code<T> for Within<I> {
    const BITS: Option<u32> = T::BITS;
    #[inline(always)]
    fn put(value: &T, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        value.encode_narrow(out)
    }
    #[inline(always)]
    fn take(input: &mut Reader<'_>) -> T {
        T::decode_narrow(input)
    }
    fn fields(out: &mut Fields) {
        T::fields_narrow(out);
    }
}

/// A collection, written with its elements in the code `C`.
pub(crate) trait Collection<C>: Sized {
    const BITS: Option<u32>;
    fn put(&self, out: &mut Writer<'_>) -> Result<(), EncodeError>;
    fn take(input: &mut Reader<'_>) -> Self;
    fn fields(out: &mut Fields) {
        out.skip(Self::BITS);
    }
}

/// Lets a [`Collection`] of `T` be encoded as it is and with its integers narrowed.
macro_rules! encode_collection {
    ($collection:ty, [$($bound:ident)?] $(, const $n:ident)? $(; $($item:item)*)?) => {
        impl<T: $crate::Encode $(+ $bound)?, $(const $n: usize)?> $crate::Encode for $collection {
            const BITS: Option<u32> = <Self as $crate::code::Collection<$crate::code::Plain>>::BITS;
            #[inline(always)]
            fn encode(&self, out: &mut $crate::Writer<'_>) -> Result<(), $crate::EncodeError> {
                $crate::code::Collection::<$crate::code::Plain>::put(self, out)
            }
            #[inline(always)]
            fn decode(input: &mut $crate::Reader<'_>) -> Self {
                $crate::code::Collection::<$crate::code::Plain>::take(input)
            }
            fn fields(out: &mut $crate::Fields) {
                <Self as $crate::code::Collection<$crate::code::Plain>>::fields(out);
            }
            $($($item)*)?
        }

        impl<T: $crate::Narrow<I> $(+ $bound)?, I: $crate::Interval, $(const $n: usize)?> $crate::Narrow<I>
            for $collection
        {
            const BITS: Option<u32> = <Self as $crate::code::Collection<$crate::code::Within<I>>>::BITS;
            #[inline(always)]
            fn encode_narrow(&self, out: &mut $crate::Writer<'_>) -> Result<(), $crate::EncodeError> {
                $crate::code::Collection::<$crate::code::Within<I>>::put(self, out)
            }
            #[inline(always)]
            fn decode_narrow(input: &mut $crate::Reader<'_>) -> Self {
                $crate::code::Collection::<$crate::code::Within<I>>::take(input)
            }
            fn fields_narrow(out: &mut $crate::Fields) {
                <Self as $crate::code::Collection<$crate::code::Within<I>>>::fields(out);
            }
        }

        impl<T: $crate::Numbers, $(const $n: usize)?> $crate::Numbers for $collection {
            type Number = T::Number;
        }
    };
}
pub(crate) use encode_collection;
