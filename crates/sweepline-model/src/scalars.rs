//! Encoding of the standard library's types that are not collections.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]
#![expect(clippy::cast_lossless, reason = "one macro for integers of all widths")]

use std::cmp::Reverse;
use std::marker::PhantomData;
use std::num::{NonZero, Saturating, Wrapping};
use std::rc::Rc;
use std::sync::Arc;

use crate::encode::sum;
use crate::{Encode, EncodeError, Fields, Reader, Tally, Writer};

impl Encode for bool {
    const BITS: Option<u32> = Some(1);
    #[inline(always)]
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.put((*self).into(), 1);
        Ok(())
    }
    #[inline(always)]
    fn decode(input: &mut Reader<'_>) -> Self {
        input.take(1) == 1
    }
    fn fields(out: &mut Fields) {
        out.truth();
    }
    fn tally(&self, out: &mut Tally<'_>) {
        out.any_number(*self);
    }
}

impl Encode for char {
    const BITS: Option<u32> = Some(21);
    #[inline(always)]
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.put_number(u32::from(*self).into(), 21);
        Ok(())
    }
    #[inline(always)]
    fn decode(input: &mut Reader<'_>) -> Self {
        let point = u32::try_from(input.take_number(21)).ok();
        point
            .and_then(Self::from_u32)
            .expect("the number was a character when it was written")
    }
}

macro_rules! unsigned {
    ($($integer:ident)*) => { $(
        impl Encode for $integer {
            const BITS: Option<u32> = Some($integer::BITS);
            #[inline(always)]
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                out.put_number(*self as u64, $integer::BITS);
                Ok(())
            }
            #[inline(always)]
            fn decode(input: &mut Reader<'_>) -> Self {
                let word = input.take_number($integer::BITS);
                word.try_into().expect("as many bits as the type has were read")
            }
            #[inline(always)]
            fn encode_after(&self, before: &Self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                out.put_gap(*self as u64, *before as u64, $integer::BITS);
                Ok(())
            }
            #[inline(always)]
            fn decode_after(before: &Self, input: &mut Reader<'_>) -> Self {
                let word = input.take_gap(*before as u64, $integer::BITS);
                word.try_into().expect("as many bits as the type has were read")
            }
            fn fields(out: &mut Fields) {
                out.number($integer::BITS, 0, $integer::MAX as i128);
            }
            fn tally(&self, out: &mut Tally<'_>) {
                out.any_number(*self);
            }
        }
    )* };
}
unsigned!(u8 u16 u32 u64 usize);

impl Encode for u128 {
    const BITS: Option<u32> = Some(u128::BITS);
    #[inline(always)]
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        let bytes = self.to_le_bytes();
        for half in bytes.as_chunks().0 {
            out.put_number(u64::from_le_bytes(*half), u64::BITS);
        }
        Ok(())
    }
    #[inline(always)]
    fn decode(input: &mut Reader<'_>) -> Self {
        let low = u128::from(input.take_number(u64::BITS));
        let high = u128::from(input.take_number(u64::BITS));
        high << u64::BITS | low
    }
}

macro_rules! signed {
    ($($signed:ident $unsigned:ident)*) => { $(
        impl Encode for $signed {
            const BITS: Option<u32> = Some($signed::BITS);
            #[inline(always)]
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                // Numbers near zero become small whatever their sign.
                let sign = (*self >> ($signed::BITS - 1)).cast_unsigned();
                ((self.cast_unsigned() << 1) ^ sign).encode(out)
            }
            #[inline(always)]
            fn decode(input: &mut Reader<'_>) -> Self {
                let folded = $unsigned::decode(input);
                let sign = (folded & 1).wrapping_neg();
                ((folded >> 1) ^ sign).cast_signed()
            }
            fn tally(&self, out: &mut Tally<'_>) {
                out.any_number(*self);
            }
        }
    )* };
}
signed!(i8 u8  i16 u16  i32 u32  i64 u64  isize usize  i128 u128);

macro_rules! non_zero {
    ($($integer:ident)*) => { $(
        impl Encode for NonZero<$integer> {
            const BITS: Option<u32> = Some($integer::BITS);
            #[inline(always)]
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                self.get().encode(out)
            }
            #[inline(always)]
            fn decode(input: &mut Reader<'_>) -> Self {
                let value = $integer::decode(input);
                Self::new(value).expect("the number was not zero when it was written")
            }
        }
    )* };
}
non_zero!(u8 u16 u32 u64 usize u128 i8 i16 i32 i64 isize i128);

/// Types that only wrap another one.
macro_rules! wrapper {
    ($($wrapper:ident)*) => { $(
        impl<T: Encode> Encode for $wrapper<T> {
            const BITS: Option<u32> = T::BITS;
            #[inline(always)]
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                self.0.encode(out)
            }
            #[inline(always)]
            fn decode(input: &mut Reader<'_>) -> Self {
                Self(T::decode(input))
            }
            fn fields(out: &mut Fields) {
                T::fields(out);
            }
        }
    )* };
}
wrapper!(Wrapping Saturating Reverse);

/// Pointers count as values of variable size, or the size of a type that contains itself would depend on itself.
macro_rules! pointer {
    ($($pointer:ident)*) => { $(
        impl<T: Encode> Encode for $pointer<T> {
            const BITS: Option<u32> = None;
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                (**self).encode(out)
            }
            fn decode(input: &mut Reader<'_>) -> Self {
                Self::new(T::decode(input))
            }
            fn show(&self, out: &mut Vec<(String, String)>) {
                (**self).show(out);
            }
            fn tally(&self, out: &mut Tally<'_>) {
                (**self).tally(out);
            }
        }
    )* };
}
pointer!(Box Rc Arc);

/// Types with a single value.
macro_rules! unit {
    ($([$($generics:tt)*] $unit:ty, $value:expr;)*) => { $(
        impl<$($generics)*> Encode for $unit {
            const BITS: Option<u32> = Some(0);
            #[inline(always)]
            fn encode(&self, _: &mut Writer<'_>) -> Result<(), EncodeError> {
                Ok(())
            }
            #[inline(always)]
            fn decode(_: &mut Reader<'_>) -> Self {
                $value
            }
        }
    )* };
}
unit!([] (), (); [T] PhantomData<T>, PhantomData;);

macro_rules! tuple {
    ($($name:ident $index:tt)*) => {
        impl<$($name: Encode),*> Encode for ($($name,)*) {
            const BITS: Option<u32> = sum(&[$($name::BITS),*]);
            #[inline(always)]
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                $( self.$index.encode(out).map_err(|error| error.within(stringify!($index)))?; )*
                Ok(())
            }
            fn tally(&self, out: &mut Tally<'_>) {
                $( out.part($index, stringify!($index), |out| self.$index.tally(out)); )*
            }
            #[inline(always)]
            fn decode(input: &mut Reader<'_>) -> Self {
                ($($name::decode(input),)*)
            }
            #[inline(always)]
            fn decode_into(&mut self, input: &mut Reader<'_>) {
                $( self.$index.decode_into(input); )*
            }
            #[inline(always)]
            fn assign(&mut self, source: &Self) {
                $( self.$index.assign(&source.$index); )*
            }
            fn fields(out: &mut Fields) {
                $( out.part(stringify!($index), $name::fields); )*
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
