//! Numbers as bits, the lowest first.

use super::error::Damage;

/// Bits that are written one after the other.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    /// As many as have been written, and room for more.
    bytes: Vec<u8>,
    written: usize,
    /// Bits that do not fill their word yet.
    pending: u64,
    /// How many of them there are, below 64.
    count: u32,
}

/// Words that can be appended whatever is pending.
pub(crate) const SHORT: u32 = 56;
/// Items that are appended in one go, how many words each has at most, and more bytes than they and what is pending take.
const RUN: usize = 64;
const WORDS: usize = 4;
const RUN_BYTES: usize = 2048;
const _: () = assert!(
    RUN * WORDS * (SHORT as usize / 8) + 8 < RUN_BYTES,
    "they have room"
);

impl BitWriter {
    /// A writer that uses the memory of what was written before.
    pub(crate) fn again(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }

    #[inline]
    fn make_room(&mut self, bytes: usize) {
        if self.bytes.len() < self.written + bytes {
            self.bytes.resize(2 * self.written + bytes + 64, 0);
        }
    }

    /// Appends the lowest `count` bits of a value that has no others.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, count: u32) {
        debug_assert!(count <= 64 && (count == 64 || value >> count == 0));
        self.pending |= value << self.count;
        let filled = self.count + count;
        if filled < 64 {
            self.count = filled;
            return;
        }
        self.make_room(8);
        self.bytes[self.written..][..8].copy_from_slice(&self.pending.to_le_bytes());
        self.written += 8;
        // Of a value that did not fit, what is left over; a shift by 64 would be none at all.
        let used = 64 - self.count;
        self.pending = if used == 64 { 0 } else { value >> used };
        self.count = filled - 64;
    }

    /// Appends what items are written as, at most [`WORDS`] words each, until some [`RUN`] items have been written. Says how many. Quicker than
    /// one word at a time: all eight bytes of what is pending are written each time, and what does not fill a byte is written again, without
    /// a branch that nobody can predict.
    #[inline]
    pub(crate) fn put_run<T: Copy>(
        &mut self,
        items: &[T],
        mut write: impl FnMut(T, &mut Run<'_>),
    ) -> usize {
        self.make_room(RUN_BYTES + 8);
        let mut run = Run {
            pending: self.pending,
            count: self.count,
            at: 0,
            room: self.bytes[self.written..]
                .first_chunk_mut()
                .expect("room was made"),
        };
        run.flush();
        let written = items.len().min(RUN);
        for &item in &items[..written] {
            write(item, &mut run);
        }
        let Run {
            pending, count, at, ..
        } = run;
        self.written += at;
        (self.pending, self.count) = (pending, count);
        written
    }

    /// Appends a number of any size in a prefix code: short ones are short [Elias75].
    #[inline]
    pub(crate) fn gamma(&mut self, value: u64) {
        self.gammas([value]);
    }

    /// Appends several such numbers. Short ones are put together first.
    #[inline]
    pub(crate) fn gammas<const N: usize>(&mut self, values: [u64; N]) {
        let (mut bits, mut count) = (0, 0);
        for value in values {
            let value = value.checked_add(1).expect("numbers stay below 2^64 - 1");
            let more = value.ilog2();
            // As many zeros as there are bits below the highest, a one, and these bits.
            let rest = value & low(more);
            if count + 2 * more < SHORT {
                bits |= (rest << 1 | 1) << (count + more);
                count += 2 * more + 1;
            } else {
                self.put(bits, count);
                self.put(0, more);
                self.put(1, 1);
                self.put(rest, more);
                (bits, count) = (0, 0);
            }
        }
        self.put(bits, count);
    }

    /// The bytes so far, the last of them filled up with zeros; the writer is empty then.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.bytes.truncate(self.written);
        let whole = self.count.div_ceil(8) as usize;
        let pending = self.pending.to_le_bytes();
        self.bytes.extend_from_slice(&pending[..whole]);
        (self.written, self.pending, self.count) = (0, 0, 0);
        std::mem::take(&mut self.bytes)
    }
}

/// Some items that are being appended.
pub(crate) struct Run<'r> {
    pending: u64,
    count: u32,
    /// Where the next byte is written.
    at: usize,
    room: &'r mut [u8; RUN_BYTES + 8],
}

impl Run<'_> {
    /// Appends a word of at most [`SHORT`] bits, and no others.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "what is pending stays in registers then"
    )]
    pub(crate) fn put(&mut self, bits: u64, length: u32) {
        debug_assert!(length <= SHORT && bits >> length == 0);
        self.pending |= bits << self.count;
        self.count += length;
        self.flush();
    }

    /// The same for a word of any length.
    #[inline]
    pub(crate) fn put_long(&mut self, bits: u64, length: u32) {
        if length <= SHORT {
            self.put(bits, length);
        } else {
            self.put(bits & low(32), 32);
            self.put(bits >> 32, length - 32);
        }
    }

    #[inline]
    fn flush(&mut self) {
        // It is always below: so the compiler need not look.
        self.room[self.at % RUN_BYTES..][..8].copy_from_slice(&self.pending.to_le_bytes());
        self.at += (self.count / 8) as usize;
        self.pending >>= self.count & !7;
        self.count %= 8;
    }
}

/// The lowest bits of a word.
#[inline]
pub(crate) fn low(count: u32) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

/// Bits that are read one after the other.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'b> {
    bytes: &'b [u8],
    /// How many bits have been read.
    position: usize,
}

impl<'b> BitReader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// The next 57 bits or more, zeros after the last.
    #[inline]
    pub(crate) fn peek(&self) -> u64 {
        let rest = &self.bytes[(self.position / 8).min(self.bytes.len())..];
        let word = if let Some(word) = rest.first_chunk() {
            u64::from_le_bytes(*word)
        } else {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(word)
        };
        word >> (self.position % 8)
    }

    /// Goes past bits that have been looked at.
    #[inline]
    pub(crate) fn skip(&mut self, count: u32) -> Result<(), Damage> {
        self.position += count as usize;
        if self.position > self.bytes.len() * 8 {
            return Err(Damage::Short);
        }
        Ok(())
    }

    /// The next `count` bits.
    #[inline]
    pub(crate) fn get(&mut self, count: u32) -> Result<u64, Damage> {
        if count > 57 {
            let first = self.get(32)?;
            return Ok(first | self.get(count - 32)? << 32);
        }
        let value = self.peek() & low(count);
        self.skip(count)?;
        Ok(value)
    }

    /// A number as [`BitWriter::gamma`] writes it.
    pub(crate) fn gamma(&mut self) -> Result<u64, Damage> {
        let mut more = 0;
        loop {
            let word = self.peek() & low(57);
            let zeros = word.trailing_zeros().min(57);
            more += zeros;
            self.skip(zeros)?;
            if more > 63 {
                return Err(Damage::Number);
            }
            if zeros < 57 {
                break;
            }
        }
        self.skip(1)?;
        Ok((self.get(more)? | 1 << more) - 1)
    }

    /// The same, if it is not larger than it can be.
    pub(crate) fn gamma_up_to(&mut self, most: u64) -> Result<u64, Damage> {
        let value = self.gamma()?;
        if value > most {
            return Err(Damage::Number);
        }
        Ok(value)
    }

    /// How many bits are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() * 8 - self.position
    }
}

/// Small numbers of either sign as small numbers.
#[inline]
pub(crate) fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

/// The inverse.
#[inline]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Item {
        Bits(u64, u32),
        Gamma(u64),
        Gammas([u64; 4]),
        All(Vec<(u64, u32)>),
    }

    fn item() -> impl Strategy<Value = Item> {
        let bits = (any::<u64>(), 0..=64_u32).prop_map(|(v, n)| Item::Bits(v & low(n), n));
        let gamma =
            (any::<u64>(), 0..64_u32).prop_map(|(v, n)| Item::Gamma((v >> n).min(u64::MAX - 1)));
        let some = prop::array::uniform4((any::<u64>(), 0..64_u32))
            .prop_map(|all| Item::Gammas(all.map(|(v, n)| (v >> n).min(u64::MAX - 1))));
        let word = (any::<u64>(), 0..=64_u32).prop_map(|(v, n)| (v & low(n), n));
        let all = prop::collection::vec(word, 0..150).prop_map(Item::All);
        prop_oneof![bits, gamma, some, all]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(items in prop::collection::vec(item(), 0..60)) {
            let mut writer = BitWriter::default();
            for item in &items {
                match item {
                    Item::Bits(value, count) => writer.put(*value, *count),
                    Item::Gamma(value) => writer.gamma(*value),
                    Item::Gammas(values) => writer.gammas(*values),
                    Item::All(words) => {
                        let mut left = &words[..];
                        while !left.is_empty() {
                            let written = writer.put_run(left, |(value, count), run| {
                                run.put(value & 1, 1);
                                run.put_long(value, count);
                            });
                            prop_assert_eq!(written, left.len().min(RUN));
                            left = &left[written..];
                        }
                    }
                }
            }
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            for item in &items {
                match item {
                    Item::Bits(value, count) => prop_assert_eq!(reader.get(*count).unwrap(), *value),
                    Item::Gamma(value) => prop_assert_eq!(reader.gamma().unwrap(), *value),
                    Item::Gammas(values) => {
                        for value in values {
                            prop_assert_eq!(reader.gamma().unwrap(), *value);
                        }
                    }
                    Item::All(words) => {
                        for (value, count) in words {
                            prop_assert_eq!(reader.get(1).unwrap(), value & 1);
                            prop_assert_eq!(reader.get(*count).unwrap(), *value);
                        }
                    }
                }
            }
            prop_assert!(reader.left() < 8);
            prop_assert!(reader.get(8).is_err());
        }

        #[test]
        fn signs_come_back(value: i64) {
            prop_assert_eq!(unzigzag(zigzag(value)), value);
        }

        #[test]
        fn nothing_is_read_behind_the_end(bytes: Vec<u8>) {
            let mut reader = BitReader::new(&bytes);
            while reader.gamma().is_ok() {}
        }
    }
}
