//! Values and the table of their contents.

use std::cmp::Ordering;

/// A value of a model: an integer, or the number of its contents in the table. Equal contents have equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u64);

impl Value {
    /// `()`
    pub const UNIT: Self = Self(0);
    /// `false`
    pub const FALSE: Self = Self(0);
    /// `true`
    pub const TRUE: Self = Self(2);
    /// `[]`
    pub const NIL: Self = Self(0);

    /// An integer, if it has at most 63 bits.
    #[inline]
    pub const fn int(value: i64) -> Option<Self> {
        let doubled = value.wrapping_mul(2);
        if doubled / 2 == value {
            Some(Self(doubled.cast_unsigned()))
        } else {
            None
        }
    }

    /// A small integer, position or character.
    #[inline]
    pub const fn small(value: i32) -> Self {
        Self((value as i64 * 2).cast_unsigned())
    }

    /// A truth value.
    #[inline]
    pub const fn bool(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The integer, unless the contents are in the table.
    #[inline]
    pub const fn as_int(self) -> Option<i64> {
        if self.0 & 1 == 0 {
            Some(self.0.cast_signed() >> 1)
        } else {
            None
        }
    }

    /// Whether the contents are in the table.
    #[inline]
    pub const fn is_stored(self) -> bool {
        self.0 & 1 == 1
    }

    /// All of it as a number, for packing. Small integers and early contents are small numbers, unless negative.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// What [`Value::bits`] made a number of.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

/// The contents of values, each once.
///
/// Contents are fields, characters or a real number. Whatever contents have as a field was there before them, so that all that
/// is reachable from some values is found in one pass from the last number to the first.
///
/// ```
/// use sweepline_cpn::ml::{Value, Values};
///
/// let mut values = Values::default();
/// let text = values.string("COL");
/// let packet = values.tuple(&[Value::small(1), text]);
/// assert_eq!(packet, values.tuple(&[Value::small(1), text]));
/// assert_eq!(values.text(values.fields(packet)[1]), "COL");
/// ```
#[derive(Clone, Debug)]
pub struct Values {
    nodes: Vec<Node>,
    fields: Vec<Value>,
    characters: String,
    /// Numbers of contents plus one; zero is vacant. The length is a power of two.
    index: Vec<u32>,
}

/// Where contents are.
#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    /// Of the contents, not of the numbers they have.
    hash: u32,
    start: u32,
    length: u32,
    /// How large the contents are, with all that they consist of; see [`Values::size`].
    size: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A number of two fields, which are halves of a pattern of bits.
    Real,
    Text,
    Fields,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            fields: Vec::new(),
            characters: String::new(),
            index: vec![0; 64],
        }
    }
}

impl Values {
    /// A product, record, pair of head and tail, or pair of constructor and argument.
    #[inline]
    pub fn tuple(&mut self, fields: &[Value]) -> Value {
        self.fields_of(Kind::Fields, fields)
    }

    /// A product of two parts, head and tail, or constructor and argument: what there is most of.
    #[inline]
    pub fn pair(&mut self, first: Value, second: Value) -> Value {
        let hash = fold64(Kind::Fields as u64, self.word(first));
        let hash = finished(fold64(hash, self.word(second)));
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        while self.index[place] != 0 {
            let number = self.index[place] - 1;
            let node = self.nodes[number as usize];
            if node.hash == hash && node.kind == Kind::Fields && node.length == 2 {
                let start = node.start as usize;
                if self.fields[start] == first && self.fields[start + 1] == second {
                    return stored(number);
                }
            }
            place = (place + 1) & mask;
        }
        let start = position(self.fields.len());
        let size = self.size_of(&[first, second]);
        self.fields.extend_from_slice(&[first, second]);
        self.insert(place, Kind::Fields, hash, (start, 2), size)
    }

    /// A number with a fraction. Zero has no sign.
    pub fn real(&mut self, value: f64) -> Value {
        let bits = (value + 0.0).to_bits();
        let halves = [bits >> 32, bits & 0xffff_ffff].map(|half| Value(half << 1));
        self.fields_of(Kind::Real, &halves)
    }

    /// A string.
    pub fn string(&mut self, text: &str) -> Value {
        let hash = text_hash(text);
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        while self.index[place] != 0 {
            let number = self.index[place] - 1;
            let node = self.nodes[number as usize];
            if node.hash == hash && node.kind == Kind::Text && self.text_of(node) == text {
                return stored(number);
            }
            place = (place + 1) & mask;
        }
        let start = position(self.characters.len());
        self.characters.push_str(text);
        let size = position(text.len() / CHARACTERS + 1);
        self.insert(place, Kind::Text, hash, (start, text.len()), size)
    }

    /// A list.
    pub fn list(&mut self, elements: &[Value]) -> Value {
        self.prepend(elements, Value::NIL)
    }

    /// A list that begins with these elements.
    pub fn prepend(&mut self, elements: &[Value], tail: Value) -> Value {
        let elements = elements.iter().rev();
        elements.fold(tail, |tail, element| self.pair(*element, tail))
    }

    /// The fields of what [`Values::tuple`] made; nothing for anything else.
    #[inline]
    pub fn fields(&self, value: Value) -> &[Value] {
        match self.node(value) {
            Some(node) if node.kind == Kind::Fields => self.fields_at(node),
            _ => &[],
        }
    }

    /// The characters of a string; nothing for anything else.
    pub fn text(&self, value: Value) -> &str {
        match self.node(value) {
            Some(node) if node.kind == Kind::Text => self.text_of(node),
            _ => "",
        }
    }

    /// A number with a fraction; zero for anything else.
    pub fn as_real(&self, value: Value) -> f64 {
        match self.node(value) {
            Some(node) if node.kind == Kind::Real => {
                let halves = self.fields_at(node);
                f64::from_bits((halves[0].0 >> 1) << 32 | halves[1].0 >> 1)
            }
            _ => 0.0,
        }
    }

    /// Whether the value is a string.
    pub fn is_text(&self, value: Value) -> bool {
        self.node(value).is_some_and(|node| node.kind == Kind::Text)
    }

    /// The elements of a list or multiset.
    pub fn elements(&self, list: Value) -> impl Iterator<Item = Value> + '_ {
        let mut rest = list;
        std::iter::from_fn(move || match self.fields(rest) {
            [head, tail] => {
                rest = *tail;
                Some(*head)
            }
            _ => None,
        })
    }

    /// An order that depends on contents only: integers by size, strings by characters, fields one after the other.
    pub fn compare(&self, a: Value, b: Value) -> Ordering {
        self.compare_counting(a, b, &mut 0)
    }

    /// The same, where parts that are looked at are counted.
    pub(crate) fn compare_counting(&self, a: Value, b: Value, looked_at: &mut usize) -> Ordering {
        // Pairs still to be compared, the next one last. Lists are as long as they are, so there is no recursion.
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            *looked_at += 1;
            if a == b {
                continue;
            }
            if self.is_text(a) {
                *looked_at += self.size(a).min(self.size(b));
            }
            let order = self.compare_first(a, b, &mut pairs);
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    fn compare_first(&self, a: Value, b: Value, pairs: &mut Vec<(Value, Value)>) -> Ordering {
        let (Some(x), Some(y)) = (self.node(a), self.node(b)) else {
            // An integer is less than contents: `[]` less than `[1]`.
            let integers = a.as_int().cmp(&b.as_int());
            return a.is_stored().cmp(&b.is_stored()).then(integers);
        };
        match (x.kind, y.kind) {
            (Kind::Text, Kind::Text) => self.text_of(x).cmp(self.text_of(y)),
            (Kind::Real, Kind::Real) => self.as_real(a).total_cmp(&self.as_real(b)),
            (Kind::Fields, Kind::Fields) if x.length == y.length => {
                let both = self.fields_at(x).iter().zip(self.fields_at(y));
                pairs.extend(both.rev().map(|(a, b)| (*a, *b)));
                Ordering::Equal
            }
            _ => x.kind.cmp(&y.kind).then(x.length.cmp(&y.length)),
        }
    }

    /// A hash of the contents, which stays the same when values get other numbers.
    #[inline]
    pub fn hash(&self, value: Value) -> u32 {
        finished(fold64(0, self.word(value)))
    }

    /// How large a value is: the number of all integers, strings and other parts it consists of, of long strings a part for every
    /// eight characters. What occurs several times counts several times, though it is in the table once: so long does it take
    /// to walk through it. At least 2^32 - 1 is as large as it gets.
    #[inline]
    pub fn size(&self, value: Value) -> usize {
        self.node(value).map_or(1, |node| node.size as usize)
    }

    fn size_of(&self, fields: &[Value]) -> u32 {
        let sizes = fields.iter().map(|field| self.node(*field));
        let sizes = sizes.map(|node| node.map_or(1, |node| node.size));
        sizes.fold(1, u32::saturating_add)
    }

    /// Whether there is hardly any room left.
    pub(crate) fn is_full(&self) -> bool {
        let most = self.nodes.len() * 2;
        most.max(self.fields.len()).max(self.characters.len()) > MOST
    }

    /// How many contents there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.fields.capacity() * size_of::<Value>()
            + self.characters.capacity()
            + self.index.len() * size_of::<u32>()
    }

    /// The first `whole` contents, which stay what they are, and of the others those that are reachable from the values to
    /// keep. Whatever came first has the smaller number again.
    pub fn compacted(
        &self,
        whole: usize,
        keep: impl Iterator<Item = Value>,
    ) -> (Self, Renumbering) {
        let mut used = vec![false; self.nodes.len()];
        let first = whole.min(used.len());
        used[..first].fill(true);
        for number in keep.filter_map(number) {
            used[number] = true;
        }
        self.mark(&mut used);
        self.rebuilt(&used)
    }

    /// Marks what marked contents consist of.
    fn mark(&self, used: &mut [bool]) {
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if used[at] && node.kind == Kind::Fields {
                for part in self.fields_at(*node).iter().copied().filter_map(number) {
                    used[part] = true;
                }
            }
        }
    }

    fn rebuilt(&self, used: &[bool]) -> (Self, Renumbering) {
        let mut values = Self::default();
        let mut numbers = Vec::with_capacity(self.nodes.len());
        let mut fields = Vec::new();
        for (node, used) in self.nodes.iter().zip(used) {
            let new = match node.kind {
                _ if !used => Value::UNIT,
                Kind::Text => values.string(self.text_of(*node)),
                kind => {
                    fields.clear();
                    let parts = self.fields_at(*node).iter();
                    fields.extend(parts.map(|part| renumbered(&numbers, *part)));
                    values.fields_of(kind, &fields)
                }
            };
            numbers.push(new);
        }
        (values, Renumbering { numbers })
    }

    #[inline]
    fn fields_of(&mut self, kind: Kind, fields: &[Value]) -> Value {
        let mut hash = kind as u64;
        for field in fields {
            hash = fold64(hash, self.word(*field));
        }
        let hash = finished(hash);
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        while self.index[place] != 0 {
            let number = self.index[place] - 1;
            let node = self.nodes[number as usize];
            if node.hash == hash && node.kind == kind && self.fields_at(node) == fields {
                return stored(number);
            }
            place = (place + 1) & mask;
        }
        let start = position(self.fields.len());
        let size = match kind {
            Kind::Fields => self.size_of(fields),
            Kind::Real | Kind::Text => 1,
        };
        self.fields.extend_from_slice(fields);
        self.insert(place, kind, hash, (start, fields.len()), size)
    }

    fn insert(
        &mut self,
        place: usize,
        kind: Kind,
        hash: u32,
        (start, length): (u32, usize),
        size: u32,
    ) -> Value {
        let number = position(self.nodes.len());
        self.nodes.push(Node {
            kind,
            hash,
            start,
            length: position(length),
            size,
        });
        self.index[place] = number + 1;
        if self.nodes.len() * 2 > self.index.len() {
            self.grow();
        }
        stored(number)
    }

    fn grow(&mut self) {
        let mask = self.index.len() * 2 - 1;
        let mut index = vec![0; mask + 1];
        for (node, entry) in self.nodes.iter().zip(1_u32..) {
            let mut place = node.hash as usize & mask;
            while index[place] != 0 {
                place = (place + 1) & mask;
            }
            index[place] = entry;
        }
        self.index = index;
    }

    #[inline]
    fn node(&self, value: Value) -> Option<Node> {
        number(value).map(|number| self.nodes[number])
    }

    #[inline]
    fn fields_at(&self, node: Node) -> &[Value] {
        &self.fields[node.start as usize..(node.start + node.length) as usize]
    }

    fn text_of(&self, node: Node) -> &str {
        &self.characters[node.start as usize..(node.start + node.length) as usize]
    }

    /// What stands for a value in the hash of contents it is part of. Without the size, the hashes of a list of equal elements would be
    /// those of a function applied again and again to 32 bits, and come round after some ten thousand elements.
    #[inline]
    fn word(&self, value: Value) -> u64 {
        match self.node(value) {
            None => value.0,
            Some(node) => u64::from(node.hash) << 32 | u64::from(node.size),
        }
    }
}

/// Which values became which when unused contents were left out ([`Values::compacted`]).
#[derive(Clone, Debug, Default)]
pub struct Renumbering {
    numbers: Vec<Value>,
}

impl Renumbering {
    /// What has become of a value that was kept.
    #[inline]
    pub fn map(&self, value: Value) -> Value {
        renumbered(&self.numbers, value)
    }
}

fn renumbered(numbers: &[Value], value: Value) -> Value {
    number(value).map_or(value, |number| numbers[number])
}

#[inline]
fn stored(number: u32) -> Value {
    Value(u64::from(number) << 1 | 1)
}

#[inline]
fn number(value: Value) -> Option<usize> {
    value
        .is_stored()
        .then(|| usize::try_from(value.0 >> 1).expect("numbers of contents have 32 bits"))
}

/// Characters of a string that count as one part.
const CHARACTERS: usize = 8;

/// Entries of a table beyond which it counts as full. What one evaluation adds fits behind that.
const MOST: usize = 3 << 30;

/// A place in the table. [`crate::ml::Machine`] looks at the size before each evaluation and fails before this does.
#[inline]
fn position(at: usize) -> u32 {
    u32::try_from(at).expect("tables end below 2^32 entries")
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn fold64(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR)
}

#[inline]
fn finished(hash: u64) -> u32 {
    let mixed = (hash ^ (hash >> 29)).wrapping_mul(FACTOR);
    u32::try_from(mixed >> 32).expect("the upper half has 32 bits")
}

fn text_hash(text: &str) -> u32 {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]);
    let hash = words.fold(text.len() as u64 + 77, |hash, word| {
        fold64(hash, u64::from_le_bytes(*word))
    });
    finished(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_their_own_values() {
        for value in [0, 1, -1, 12345, i64::MAX >> 1, i64::MIN >> 1] {
            assert_eq!(Value::int(value).unwrap().as_int(), Some(value));
        }
        assert_eq!(Value::int(i64::MAX), None);
        assert_eq!(Value::int((i64::MIN >> 1) - 1), None);
        assert_eq!(Value::small(-7), Value::int(-7).unwrap());
        assert_eq!(Value::bool(true).as_int(), Some(1));
    }

    #[test]
    fn equal_contents_are_equal_values() {
        let mut values = Values::default();
        for _ in 0..2 {
            for number in 0..1000 {
                let text = values.string(&number.to_string());
                let pair = values.tuple(&[Value::small(number), text]);
                assert_eq!(values.fields(pair), [Value::small(number), text]);
                assert_eq!(values.text(text), number.to_string());
            }
            assert_eq!(values.len(), 2000);
        }
        assert_eq!(values.real(-0.0), values.real(0.0));
        let half = values.real(0.5);
        assert_eq!(values.as_real(half).to_bits(), 0.5_f64.to_bits());
    }

    #[test]
    fn order_depends_on_contents_only() {
        let mut values = Values::default();
        let [b, a] = ["b", "a"].map(|text| values.string(text));
        let lists: Vec<Value> = [vec![], vec![a], vec![a, a], vec![a, b], vec![b], vec![b, a]]
            .iter()
            .map(|elements| values.list(elements))
            .collect();
        for (i, x) in lists.iter().enumerate() {
            for (j, y) in lists.iter().enumerate() {
                assert_eq!(values.compare(*x, *y), i.cmp(&j), "{i} {j}");
            }
        }
        let minus = values.real(-1.5);
        let two = values.real(2.0);
        assert_eq!(values.compare(minus, two), Ordering::Less);
        assert_eq!(
            values.compare(Value::small(-3), Value::small(2)),
            Ordering::Less
        );
    }

    #[test]
    fn long_lists_are_compared_without_recursion() {
        let mut values = Values::default();
        let mut elements = vec![Value::small(1); 200_000];
        let list = values.list(&elements);
        *elements.last_mut().unwrap() = Value::small(2);
        let other = values.list(&elements);
        assert_eq!(values.compare(list, other), Ordering::Less);
    }

    #[test]
    fn compaction_keeps_contents_and_hashes() {
        let mut values = Values::default();
        let mut kept = Vec::new();
        for number in 0..100 {
            let text = values.string(&format!("text {number}"));
            let list = values.list(&[Value::small(number), Value::small(7)]);
            let pair = values.tuple(&[text, list]);
            if number % 3 == 0 {
                kept.push((number, pair, values.hash(pair)));
            }
        }
        let (all, keep) = (values, kept.iter().map(|(_, pair, _)| *pair));
        let (values, numbers) = all.compacted(0, keep.clone());
        // Text, list of two and pair are kept for each, and the list of the seven alone is shared.
        assert_eq!(values.len(), kept.len() * 3 + 1);
        assert!(values.len() < all.len());
        // What came first stays what it is.
        let (most, same) = all.compacted(20, keep);
        for first in (0..20).map(stored) {
            assert_eq!(same.map(first), first);
            assert_eq!(most.fields(first), all.fields(first));
            assert_eq!(most.text(first), all.text(first));
        }
        for (number, pair, hash) in kept {
            let pair = numbers.map(pair);
            let [text, list] = values.fields(pair)[..] else {
                panic!()
            };
            assert_eq!(values.text(text), format!("text {number}"));
            let elements: Vec<Value> = values.elements(list).collect();
            assert_eq!(elements, [Value::small(number), Value::small(7)]);
            assert_eq!(values.hash(pair), hash);
        }
        assert_eq!(numbers.map(Value::small(5)), Value::small(5));
    }

    #[test]
    fn sizes_are_those_of_what_would_be_written() {
        let mut values = Values::default();
        assert_eq!(values.size(Value::small(7)), 1);
        let text = values.string("0123456789");
        assert_eq!(values.size(text), 2);
        let pair = values.pair(text, Value::small(1));
        assert_eq!(values.size(pair), 4);
        let mut tree = pair;
        for _ in 0..40 {
            tree = values.pair(tree, tree);
        }
        assert_eq!(values.size(tree), u32::MAX as usize);
        assert_eq!(values.len(), 42);
        let (compacted, numbers) = values.compacted(0, [pair].into_iter());
        assert_eq!(compacted.size(numbers.map(pair)), 4);
    }

    /// The hashes of the tails must not come round, or a long list is looked for among all that have the same.
    #[test]
    fn lists_of_equal_elements_have_different_hashes() {
        let mut values = Values::default();
        let mut hashes = std::collections::HashSet::new();
        let mut list = Value::NIL;
        for _ in 0..400_000 {
            list = values.pair(Value::small(1), list);
            hashes.insert(values.hash(list));
        }
        // Of so many numbers of 32 bits, some twenty are the same by chance.
        assert!(hashes.len() > 399_000, "{}", hashes.len());
    }
}
