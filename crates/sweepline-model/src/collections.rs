//! Encoding of optional values, arrays and the collections of the standard library.
//!
//! A collection of variable size is written as its length and then its elements. Collections that sort their elements
//! list them in that order, so equal collections have equal words; each element is written as seen from the one before.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sweepline_core::Word;

use crate::code::{Code, Collection, Plain, encode_collection};
use crate::encode::{repeated, sum};
use crate::{Encode, EncodeError, Fields, Reader, Tally, Writer};

impl<T, C: Code<T>> Collection<C> for Option<T> {
    const BITS: Option<u32> = sum(&[Some(1), C::BITS]);
    #[inline(always)]
    fn put(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.put(self.is_some().into(), 1);
        match self {
            Some(value) => C::put(value, out)?,
            None => out.pad(C::BITS),
        }
        Ok(())
    }
    #[inline(always)]
    fn take(input: &mut Reader<'_>) -> Self {
        if input.take(1) == 1 {
            return Some(C::take(input));
        }
        input.pad(C::BITS);
        None
    }
    fn fields(out: &mut Fields) {
        out.part("is_some", Fields::truth);
        out.skip(C::BITS);
    }
}
encode_collection!(Option<T>, [];
    fn tally(&self, out: &mut Tally<'_>) {
        out.any_number(self.is_some());
        if let Some(value) = self {
            out.part(0, "some", |out| value.tally(out));
        }
    }
);

impl<T, C: Code<T>, const N: usize> Collection<C> for [T; N] {
    const BITS: Option<u32> = repeated(C::BITS, N);
    #[inline(always)]
    fn put(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        put_each::<T, C>(self, out)
    }
    #[inline(always)]
    fn take(input: &mut Reader<'_>) -> Self {
        std::array::from_fn(|_| C::take(input))
    }
    fn fields(out: &mut Fields) {
        for index in 0..N {
            if out.is_enough() {
                return out.skip(repeated(C::BITS, N - index));
            }
            out.element(index, C::fields);
        }
    }
}
encode_collection!([T; N], [], const N;
    fn tally(&self, out: &mut Tally<'_>) {
        out.elements(self.iter());
    }
    #[inline]
    fn decode_into(&mut self, input: &mut Reader<'_>) {
        for element in self {
            element.decode_into(input);
        }
    }
);

macro_rules! sequence {
    ($sequence:ty $(; $item:item)?) => {
        impl<T, C: Code<T>> Collection<C> for $sequence {
            const BITS: Option<u32> = None;
            #[inline(always)]
            fn put(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
                out.put_length(self.len());
                put_each::<T, C>(self, out)
            }
            fn take(input: &mut Reader<'_>) -> Self {
                take_each::<T, C, _>(input)
            }
        }
        encode_collection!($sequence, [];
            fn tally(&self, out: &mut Tally<'_>) {
                out.collection(self.iter());
            }
            $($item)?
        );
    };
}

sequence!(Vec<T>;
    #[inline]
    fn decode_into(&mut self, input: &mut Reader<'_>) {
        let length = input.take_length();
        self.truncate(length);
        for element in &mut *self {
            element.decode_into(input);
        }
        self.extend((self.len()..length).map(|_| T::decode(input)));
    }
);
sequence!(Box<[T]>);
sequence!(VecDeque<T>);

impl<T: Ord, C: Code<T>> Collection<C> for BTreeSet<T> {
    const BITS: Option<u32> = None;
    #[inline(always)]
    fn put(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.put_length(self.len());
        let mut before = None;
        for (index, element) in self.iter().enumerate() {
            let put = match before.replace(element) {
                None => C::put(element, out),
                Some(before) => C::put_after(element, before, out),
            };
            put.map_err(|error| error.at(index))?;
        }
        Ok(())
    }
    fn take(input: &mut Reader<'_>) -> Self {
        let mut set = Self::new();
        let length = input.take_length();
        take_rest::<T, C>(&mut set, length, input);
        set
    }
}
encode_collection!(BTreeSet<T>, [Ord];
    fn tally(&self, out: &mut Tally<'_>) {
        out.collection(self.iter());
    }
    #[inline]
    fn decode_into(&mut self, input: &mut Reader<'_>) {
        take_again::<T, Plain>(self, input);
    }
    #[inline]
    fn assign(&mut self, source: &Self) {
        // Copying a tree takes new memory, putting back what a step has changed does not.
        for _ in 0..FEW {
            let Some(Difference { element, missing, last }) = first_difference(self, source) else {
                return;
            };
            if missing {
                self.insert(element);
            } else {
                self.remove(&element);
            }
            if last {
                return;
            }
        }
        self.clone_from(source);
    }
);

/// So many elements are put back one by one.
const FEW: usize = 4;

/// Where two sets differ.
struct Difference<T> {
    /// What one of them has and the other has not.
    element: T,
    /// Whether it is the first one that lacks it.
    missing: bool,
    /// Whether they do not differ otherwise.
    last: bool,
}

/// The least element that `set` lacks or has beyond `source`.
fn first_difference<T: Ord + Clone>(
    set: &BTreeSet<T>,
    source: &BTreeSet<T>,
) -> Option<Difference<T>> {
    let (mut mine, mut theirs) = (set.iter(), source.iter());
    loop {
        let (one, other) = (mine.next(), theirs.next());
        if one != other {
            // `None` is less than any element, and here it means that none is left.
            let missing = one.is_none() || other.is_some_and(|other| one > Some(other));
            let (element, last) = if missing {
                (other?, follows(one, mine, theirs))
            } else {
                (one?, follows(other, theirs, mine))
            };
            let element = element.clone();
            return Some(Difference {
                element,
                missing,
                last,
            });
        }
        one?;
    }
}

/// Whether `long` goes on with `first` and then as `short` does.
#[inline]
fn follows<'a, T: PartialEq + 'a>(
    first: Option<&'a T>,
    mut short: impl Iterator<Item = &'a T>,
    mut long: impl Iterator<Item = &'a T>,
) -> bool {
    let mut expected = first;
    loop {
        let next = long.next();
        if next != expected {
            return false;
        }
        if next.is_none() {
            return true;
        }
        expected = short.next();
    }
}

/// Makes `set` the one that comes next in `input`. States that are expanded one after the other are alike, so its least
/// elements mostly stay.
fn take_again<T: Ord, C: Code<T>>(set: &mut BTreeSet<T>, input: &mut Reader<'_>) {
    let length = input.take_length();
    let (mut kept, mut before, mut new) = (0, None, None);
    let mut old = set.iter();
    while kept < length {
        let element = take_next::<T, C>(before, input);
        before = old.next().filter(|old| **old == element);
        if before.is_none() {
            new = Some(element);
            break;
        }
        kept += 1;
    }
    while set.len() > kept {
        set.pop_last();
    }
    set.extend(new);
    take_rest::<T, C>(set, length, input);
}

/// Takes as many elements as `set` lacks to `length`.
fn take_rest<T: Ord, C: Code<T>>(set: &mut BTreeSet<T>, length: usize, input: &mut Reader<'_>) {
    for _ in set.len()..length {
        let element = take_next::<T, C>(set.last(), input);
        set.insert(element);
    }
}

#[inline(always)]
fn take_next<T, C: Code<T>>(before: Option<&T>, input: &mut Reader<'_>) -> T {
    match before {
        None => C::take(input),
        Some(before) => C::take_after(before, input),
    }
}

impl<K: Encode + Ord, V: Encode> Encode for BTreeMap<K, V> {
    const BITS: Option<u32> = None;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.put_length(self.len());
        let mut before = None;
        for (key, value) in self {
            let name = |error: EncodeError| error.within(&format!("[{key:?}]"));
            match before.replace(key) {
                None => key.encode(out),
                Some(before) => key.encode_after(before, out),
            }
            .map_err(name)?;
            value.encode(out).map_err(name)?;
        }
        Ok(())
    }
    fn decode(input: &mut Reader<'_>) -> Self {
        let mut map = Self::new();
        for _ in 0..input.take_length() {
            let key = match map.last_key_value() {
                None => K::decode(input),
                Some((before, _)) => K::decode_after(before, input),
            };
            map.insert(key, V::decode(input));
        }
        map
    }
    fn tally(&self, out: &mut Tally<'_>) {
        out.collection(self.values());
    }
    #[inline]
    fn assign(&mut self, source: &Self) {
        if !self.keys().eq(source.keys()) {
            self.clone_from(source);
            return;
        }
        for (value, source) in self.values_mut().zip(source.values()) {
            value.assign(source);
        }
    }
}

impl Encode for String {
    const BITS: Option<u32> = None;
    fn tally(&self, out: &mut Tally<'_>) {
        out.part(0, "len", |out| out.any_number(self.len()));
    }
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.put_length(self.len());
        for byte in self.as_bytes() {
            out.put(Word::from(*byte), u8::BITS);
        }
        Ok(())
    }
    fn decode(input: &mut Reader<'_>) -> Self {
        let length = input.take_length();
        let bytes = (0..length).map(|_| input.take(u8::BITS).to_le_bytes()[0]);
        Self::from_utf8(bytes.collect()).expect("the bytes were a string when they were written")
    }
}

/// Appends elements one after the other.
#[inline(always)]
fn put_each<'a, T: 'a, C: Code<T>>(
    elements: impl IntoIterator<Item = &'a T>,
    out: &mut Writer<'_>,
) -> Result<(), EncodeError> {
    for (index, element) in elements.into_iter().enumerate() {
        C::put(element, out).map_err(|error| error.at(index))?;
    }
    Ok(())
}

/// Takes a length and as many elements.
fn take_each<T, C: Code<T>, O: FromIterator<T>>(input: &mut Reader<'_>) -> O {
    let length = input.take_length();
    (0..length).map(|_| C::take(input)).collect()
}
