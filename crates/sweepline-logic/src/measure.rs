//! Progress measures from expressions.

use std::fmt;

use sweepline_core::{Interval, Key, KeyError, Progress, SlotId, Word};

use crate::linear::LinearForm;
use crate::lookups::Lookups;
use crate::resolution::Resolver;
use crate::syntax::{SyntaxError, parse_exprs};
use crate::{Errors, Expr, IntExpr, ResolveError, Scope, Source};

/// An expression that is one coordinate of a measure, with its text.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// What is measured.
    pub expr: Expr,
    /// How the user wrote it.
    pub source: Source,
}

impl Coordinate {
    /// Reads coordinates separated by commas, as in `--progress 'b + r, phase'`.
    pub fn parse(source: impl Into<Source>) -> Result<Vec<Self>, Errors<SyntaxError>> {
        let exprs = parse_exprs(source)?;
        Ok(exprs
            .into_iter()
            .map(|(expr, source)| Self { expr, source })
            .collect())
    }
}

/// A coordinate nobody wrote: its text is the expression printed.
impl From<Expr> for Coordinate {
    fn from(expr: Expr) -> Self {
        let text = expr.to_string();
        let bare = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        let source = match &expr {
            Expr::Sum(operands) if operands.len() < 3 => text.as_str(),
            _ => bare.unwrap_or(&text),
        };
        let source = Source::new("measure", source);
        Self { expr, source }
    }
}

/// Whether the declared ranges of slots can be relied upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranges {
    /// Every slot keeps to its declared range.
    Known,
    /// The greatest values were guessed and may grow (places of a net).
    Open,
}

/// A progress measure: columns, then rows, compared lexicographically.
///
/// Each coordinate gets the bits its values need, as far as they are known from the ranges of the slots. If there are
/// not enough bits, the widest coordinates share them evenly, at most 64 each, and a value that does not fit its share
/// is a [`KeyError::TooLarge`] – never a wrong key. Negative values are shifted so that the least one is stored as
/// zero. With [`Ranges::Open`] the keys do not depend on the ranges guessed so far, so they stay the same when the
/// system is encoded again.
///
/// ```
/// # use sweepline_core::{Describe, Layout, Steps, System, Word};
/// # struct Net(Layout);
/// # impl System for Net {
/// #     fn layout(&self) -> &Layout { &self.0 }
/// #     fn initial(&self, out: &mut Steps) {}
/// #     fn successors(&self, state: &[Word], out: &mut Steps) {}
/// # }
/// # impl Describe for Net { fn actions(&self) -> &[String] { &[] } }
/// # let net = Net(Layout::builder().integer("b", 0, 7).integer("r", 0, 7).build());
/// use sweepline_core::Progress;
/// use sweepline_logic::{Coordinate, Measure, Ranges, Scope};
///
/// let rows = Coordinate::parse("b + r").unwrap();
/// let measure = Measure::new(&[], &rows, &Scope::of(&net), Ranges::Known).unwrap();
/// let key = measure.key(&[3 + (4 << 3)]).unwrap();
/// assert_eq!(measure.explain(key), "b + r = 7");
/// ```
#[derive(Clone, Debug)]
pub struct Measure {
    axes: Vec<Axis>,
    row_bits: u32,
    key: KeyCode,
}

/// How keys are computed.
#[derive(Clone, Debug)]
enum KeyCode {
    /// A key of 64 bits that is one sum, for all coordinates together; it cannot go wrong.
    Narrow(Lookups<u64>),
    /// The same with 128 bits.
    Wide(Lookups<u128>),
    /// Coordinate by coordinate, with checks.
    Checked,
}

/// Why a measure cannot be used.
#[derive(Clone, Debug, miette::Diagnostic, thiserror::Error)]
pub enum MeasureError {
    /// A name is unknown.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Resolve(#[from] ResolveError),

    /// More coordinates than a key has bits for.
    #[error("a measure of {count} coordinates does not fit a key of 128 bits")]
    #[diagnostic(
        code(logic::many_coordinates),
        help("add several coordinates up to one, for example `a + b` instead of `a, b`")
    )]
    ManyCoordinates {
        /// How many there are.
        count: usize,
    },
}

/// One coordinate of a measure and its place in the key.
#[derive(Clone, Debug)]
struct Axis {
    text: String,
    value: IntExpr,
    /// The value stored as zero.
    least: i64,
    bits: u32,
}

/// What a part of an expression costs that is evaluated with checks, beside one that is looked up.
const DEAR: usize = 4;

/// Bits of a key.
const KEY_BITS: u32 = 128;

impl Measure {
    /// Resolves the coordinates against the names of a system.
    pub fn new(
        columns: &[Coordinate],
        rows: &[Coordinate],
        scope: &Scope<'_>,
        ranges: Ranges,
    ) -> Result<Self, Errors<MeasureError>> {
        let mut errors = Vec::new();
        let mut values = Vec::new();
        for coordinate in columns.iter().chain(rows) {
            match resolve(coordinate, scope, ranges) {
                Ok(value) => values.push((coordinate, value)),
                Err(error) => errors.extend(error.into_vec().into_iter().map(MeasureError::from)),
            }
        }
        Errors::unless_none((), errors)?;
        let roomy = ranges == Ranges::Known && has_room(values.iter().map(|(_, value)| value));
        let values = values.into_iter().map(|(coordinate, value)| {
            let places = if roomy {
                value.capacity()
            } else {
                value.expected()
            };
            (coordinate, value, places)
        });
        let values: Vec<_> = values.collect();
        let bits = shares(values.iter().map(|(.., places)| width(*places)).collect())?;
        let axes: Vec<Axis> = values
            .into_iter()
            .zip(bits)
            .map(|((coordinate, value, places), bits)| Axis::new(coordinate, value, places, bits))
            .collect();
        let row_bits = match columns.len() {
            0 => KEY_BITS,
            count => axes[count..].iter().map(|axis| axis.bits).sum(),
        };
        let key = key_code(&axes, scope);
        Ok(Self {
            axes,
            row_bits,
            key,
        })
    }

    /// What computing a key costs: the fields of a state that are looked at.
    pub fn effort(&self) -> usize {
        match &self.key {
            KeyCode::Narrow(sum) => sum.fields(),
            KeyCode::Wide(sum) => sum.fields(),
            KeyCode::Checked => {
                let texts = self.axes.iter().map(|axis| axis.text.as_str());
                let parts = |text: &str| text.split(['+', '-', '*', ',']).count();
                DEAR * texts.map(parts).sum::<usize>()
            }
        }
    }

    /// How much a key grows when slots change by these amounts, modulo 2^128, if it is always the same: if all
    /// coordinates are sums of slots times numbers, and all their values have keys.
    pub fn key_change(&self, of_slot: &[(SlotId, i64)]) -> Option<u128> {
        self.key_changes([of_slot]).pop()?
    }

    /// The same for many changes at once: all coordinates are added up only once, which takes long if there are many.
    pub fn key_changes<'a>(
        &self,
        of_slots: impl IntoIterator<Item = &'a [(SlotId, i64)]>,
    ) -> Vec<Option<u128>> {
        let sum = match self.key {
            KeyCode::Checked => None,
            KeyCode::Narrow(_) | KeyCode::Wide(_) => merged(&self.axes),
        };
        let change = |of_slot| sum.as_ref()?.change(of_slot).map(i128::cast_unsigned);
        of_slots.into_iter().map(change).collect()
    }
}

/// Where the first coordinate of a measure lies in its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leading {
    shift: u32,
    least: i64,
    /// The greatest value that is expected.
    pub greatest: i128,
}

impl Leading {
    /// The value of the first coordinate.
    pub fn value(&self, key: Key) -> i128 {
        let offset = i128::try_from(key.column(self.shift)).unwrap_or(i128::MAX);
        offset.saturating_add(self.least.into())
    }
}

impl Measure {
    /// Where the first coordinate lies in keys, if there is one.
    pub fn leading(&self) -> Option<Leading> {
        let (first, others) = self.axes.split_first()?;
        Some(Leading {
            shift: others.iter().map(|axis| axis.bits).sum(),
            least: first.least,
            greatest: first.value.expected().greatest,
        })
    }

    /// How much a key grows, modulo 2^128, when the coordinates change by these amounts, if all their values have keys.
    pub fn key_of_changes(&self, changes: &[i128]) -> Option<u128> {
        if matches!(self.key, KeyCode::Checked) {
            return None;
        }
        let mut key: u128 = 0;
        for (axis, change) in self.axes.iter().zip(changes) {
            key = key.checked_shl(axis.bits).unwrap_or(0);
            key = key.wrapping_add(change.cast_unsigned());
        }
        Some(key)
    }
}

/// Code without checks, if there is nothing that could go wrong.
fn key_code(axes: &[Axis], scope: &Scope<'_>) -> KeyCode {
    let Some(form) = merged(axes) else {
        return KeyCode::Checked;
    };
    let wide = form.compile_key(scope.layout());
    if axes.iter().map(|axis| axis.bits).sum::<u32>() <= 64 {
        KeyCode::Narrow(wide.narrowed())
    } else {
        KeyCode::Wide(wide)
    }
}

/// All coordinates as one sum: each moved to its place in the key.
fn merged(axes: &[Axis]) -> Option<LinearForm> {
    let mut merged = LinearForm::default();
    let mut shift = 0;
    for axis in axes.iter().rev() {
        let form = axis.value.form().filter(|_| axis.holds_all())?;
        // A coordinate of no bits is the same in all states.
        if axis.bits > 0 {
            let factor = 1i128.checked_shl(shift)?;
            let factor = (factor > 0).then_some(factor)?;
            merged = merged.add(form, factor)?;
            merged = merged.add(&LinearForm::number(axis.least), factor.checked_neg()?)?;
        }
        shift += axis.bits;
    }
    Some(merged)
}

impl Progress for Measure {
    fn row_bits(&self) -> u32 {
        self.row_bits
    }

    #[expect(
        clippy::inline_always,
        reason = "a call per edge costs a tenth of a sweep"
    )]
    #[inline(always)]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        match &self.key {
            KeyCode::Narrow(sum) => Ok(Key(sum.eval(state).into())),
            KeyCode::Wide(sum) => Ok(Key(sum.eval(state))),
            KeyCode::Checked => self.checked_key(state),
        }
    }

    fn explain(&self, key: Key) -> String {
        let mut rest = key;
        let mut parts = Vec::new();
        for axis in self.axes.iter().rev() {
            let offset = rest.row(axis.bits);
            rest = Key(rest.column(axis.bits));
            let value = i128::from(axis.least) + i128::try_from(offset).unwrap_or(i128::MAX);
            parts.push(format!("{} = {value}", axis.text));
        }
        parts.reverse();
        parts.join(", ")
    }
}

impl Measure {
    #[inline(never)]
    fn checked_key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let mut key = 0;
        for axis in &self.axes {
            key = (key << axis.bits) | u128::from(axis.offset(state)?);
        }
        Ok(Key(key))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.axes.iter().map(|axis| axis.text.as_str()).collect();
        f.write_str(&texts.join(", "))
    }
}

impl Axis {
    fn new(coordinate: &Coordinate, value: IntExpr, places: Interval, bits: u32) -> Self {
        Self {
            text: coordinate.source.text().trim().to_string(),
            least: least(places, bits),
            value,
            bits,
        }
    }

    /// Whether every value has a place in the key, whatever the bits of the slots are.
    fn holds_all(&self) -> bool {
        let Interval {
            least: low,
            greatest: high,
        } = self.value.capacity();
        let least = i128::from(self.least);
        least <= low && high - least < 1 << self.bits
    }

    /// How far the value lies above the least one.
    #[inline]
    fn offset(&self, state: &[Word]) -> Result<u64, KeyError> {
        let value = self
            .value
            .eval(state)
            .map_err(|error| self.undefined(&error))?;
        let offset = value.wrapping_sub(self.least).cast_unsigned();
        // Above a value of 64 bits there is nothing to be seen after the shift.
        let excess = offset.checked_shr(self.bits).unwrap_or(0);
        if value < self.least || excess != 0 {
            return Err(self.too_large(value));
        }
        Ok(offset)
    }

    #[cold]
    fn undefined(&self, error: &crate::EvalError) -> KeyError {
        KeyError::Undefined {
            measure: self.text.clone(),
            cause: error.to_string(),
        }
    }

    #[cold]
    fn too_large(&self, value: i64) -> KeyError {
        KeyError::TooLarge {
            measure: self.text.clone(),
            value: value.to_string(),
        }
    }
}

fn resolve(
    coordinate: &Coordinate,
    scope: &Scope<'_>,
    ranges: Ranges,
) -> Result<IntExpr, Errors<ResolveError>> {
    let expected = match ranges {
        Ranges::Known => Interval::declared,
        Ranges::Open => Interval::open,
    };
    let resolver = Resolver::new(scope, &coordinate.source, expected);
    IntExpr::resolve_expecting(&coordinate.expr, resolver)
}

/// Whether keys have room for everything the bits of the slots can hold, so that sums need not be checked one by one.
fn has_room<'a>(values: impl Iterator<Item = &'a IntExpr>) -> bool {
    let mut bits = 0;
    for value in values {
        let Interval {
            least: low,
            greatest: high,
        } = value.capacity();
        let fits = i64::try_from(low).is_ok() && i64::try_from(high).is_ok();
        if value.form().is_none() || !fits {
            return false;
        }
        bits += width(value.capacity());
    }
    bits <= KEY_BITS
}

/// Bits a coordinate needs that has these values: 0 for a constant, 64 for everything.
fn width(values: Interval) -> u32 {
    let Interval {
        least: low,
        greatest: high,
    } = values;
    128 - (high - low).cast_unsigned().leading_zeros()
}

/// The bits each coordinate gets: what it needs, and if that is too much in all, the widest share evenly.
fn shares(needed: Vec<u32>) -> Result<Vec<u32>, Errors<MeasureError>> {
    let total = |most: u32| needed.iter().map(|&bits| bits.min(most)).sum::<u32>();
    let share = (0..=64)
        .rev()
        .find(|&most| total(most) <= KEY_BITS)
        .unwrap_or(0);
    if share == 0 && total(1) > 0 {
        let count = needed.len();
        return Err(MeasureError::ManyCoordinates { count }.into());
    }
    Ok(needed.into_iter().map(|bits| bits.min(share)).collect())
}

/// The value stored as zero: the least one, unless there are too few bits for all values. Then those near zero count.
fn least(values: Interval, bits: u32) -> i64 {
    let Interval {
        least: low,
        greatest: high,
    } = values;
    let lowest = if bits >= width(values) || low >= 0 {
        low
    } else if high <= 0 {
        high - ((1 << bits) - 1)
    } else {
        low.max(-(1 << (bits - 1)))
    };
    i64::try_from(lowest).expect("expected values are clipped to 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::tests::naive;
    use crate::testing::{Toy, random, rendered};
    use insta::assert_snapshot;
    use proptest::prelude::*;
    use sweepline_core::Layout;

    fn measure(columns: &str, rows: &str, toy: &Toy, ranges: Ranges) -> Result<Measure, String> {
        let parsed = |text: &str| match text {
            "" => Vec::new(),
            _ => Coordinate::parse(Source::new("--progress", text)).unwrap(),
        };
        Measure::new(&parsed(columns), &parsed(rows), &Scope::of(toy), ranges)
            .map_err(|error| rendered(&error))
    }

    /// Bits of the row, and the key's explanation or why there is none.
    fn check(
        (columns, rows): (&str, &str),
        ranges: Ranges,
        values: &[(&str, i64)],
        expected: (u32, Result<&str, &str>),
    ) {
        let toy = Toy::protocol();
        let measure = measure(columns, rows, &toy, ranges).unwrap();
        let key = measure.key(&toy.state(values));
        let explained = key.map(|key| measure.explain(key));
        let (row_bits, expected) = expected;
        assert_eq!(measure.row_bits(), row_bits);
        assert_eq!(
            explained.map_err(|error| error.to_string()),
            expected.map(String::from).map_err(String::from)
        );
    }

    #[test]
    fn keys_are_explained_in_the_users_words() {
        use Ranges::{Known, Open};
        let values = [("sent", 5), ("lost", -3), ("phase", 2), ("clock", -7)];
        check(
            ("", "sent+lost "),
            Known,
            &values,
            (128, Ok("sent+lost = 2")),
        );
        check(("sent", ""), Known, &values, (0, Ok("sent = 5")));
        check(
            ("phase", "lost, sent"),
            Known,
            &values,
            (6, Ok("phase = 2, lost = -3, sent = 5")),
        );
        check(
            ("", "clock, clock"),
            Known,
            &values,
            (128, Ok("clock = -7, clock = -7")),
        );
        check(("sent", "3"), Known, &values, (0, Ok("sent = 5, 3 = 3")));
        check(("", ""), Known, &values, (128, Ok("")));
        // Three coordinates of unknown range share the 128 bits, 42 each.
        check(
            ("sent", "lost, clock"),
            Open,
            &values,
            (84, Ok("sent = 5, lost = -3, clock = -7")),
        );
        check(
            ("", "-sent, clock, clock"),
            Open,
            &values,
            (128, Ok("-sent = -5, clock = -7, clock = -7")),
        );
    }

    #[test]
    fn ranks_of_values_are_added_up() {
        let check_rank = |text: &str, values: &[(&str, i64)], expected: &str| {
            let expected = format!("{text} = {expected}");
            check(
                ("", text),
                Ranges::Known,
                values,
                (128, Ok(expected.as_str())),
            );
        };
        let text = "rank(phase, waiting == 2, done == 5) + 10 * sent";
        check_rank(text, &[("phase", 2), ("sent", 3)], "35");
        check_rank(text, &[("phase", 0), ("sent", 3)], "30");
        check_rank(
            "rank(lost, -4 == 7) - rank(lost, 3 == 1)",
            &[("lost", 3)],
            "-1",
        );
        let toy = Toy::protocol();
        let error = |rows: &str| measure("", rows, &toy, Ranges::Known).unwrap_err();
        assert_snapshot!(error("rank(phase, wating == 1)"), @r"
        logic::unknown_value

          × there is no slot `wating`, and `phase` has no such value
           ╭─[--progress:1:13]
         1 │ rank(phase, wating == 1)
           ·             ───┬──
           ·                ╰── unknown
           ╰────
          help: did you mean `waiting`?
        ");
        assert_snapshot!(error("rank(clock, 1 == 1)"), @r"
        logic::wide_rank

          × `clock` has too many values for a rank
           ╭─[--progress:1:6]
         1 │ rank(clock, 1 == 1)
           ·      ──┬──
           ·        ╰── too many values
           ╰────
          help: ranks are for slots with at most 65536 values; use the slot itself in
                the sum
        ");
        let error = Coordinate::parse(Source::new("--progress", "rank(phase, 3)")).unwrap_err();
        assert_snapshot!(rendered(&error), @r"
        logic::wrong_rank

          × `rank` takes a slot and the ranks of its values
           ╭─[--progress:1:1]
         1 │ rank(phase, 3)
           · ───────┬──────
           ·        ╰── here
           ╰────
          help: write `rank(P, wait == 1, done == 2)`; values that are not listed have
                rank 0
        ");
    }

    #[test]
    fn values_without_a_key_are_refused() {
        let values = [("clock", i64::MAX), ("sent", 0)];
        check(
            ("", "clock, clock, clock"),
            Ranges::Known,
            &values,
            (
                128,
                Err(
                    "progress value 9223372036854775807 of `clock` needs more bits than a key of 128 bits has left for it; coarsen the measure",
                ),
            ),
        );
        check(
            ("", "clock + 1"),
            Ranges::Known,
            &values,
            (
                128,
                Err(
                    "progress measure `clock + 1` has no value: `(clock + 1)` does not fit 64 bits",
                ),
            ),
        );
        check(
            ("", "4 / sent"),
            Ranges::Open,
            &values,
            (
                128,
                Err("progress measure `4 / sent` has no value: `(4 / sent)` divides by zero"),
            ),
        );
    }

    #[test]
    fn keys_do_not_depend_on_guessed_ranges() {
        let places = |bits| {
            Layout::builder()
                .guarded("b", bits)
                .guarded("r", bits)
                .build()
        };
        let keys = [3, 40].map(|bits| {
            let toy = Toy::new(places(bits), &[]);
            let measure = measure("b", "r - b, r", &toy, Ranges::Open).unwrap();
            let key = measure.key(&toy.state(&[("b", 2), ("r", 7)]));
            (key, measure.row_bits())
        });
        assert_eq!(keys[0], keys[1]);
    }

    #[test]
    fn expressions_nobody_wrote_are_printed() {
        let toy = Toy::protocol();
        let expr = crate::parse_expr("(sent) + (2*lost)").unwrap();
        let rows = [Coordinate::from(expr), Coordinate::from(Expr::Sum(vec![]))];
        let measure = Measure::new(&[], &rows, &Scope::of(&toy), Ranges::Known).unwrap();
        assert_eq!(measure.to_string(), "sent + (2 * lost), sum()");
    }

    #[test]
    fn unusable_measures_are_refused() {
        let toy = Toy::protocol();
        let error = |rows: &str| measure("sent", rows, &toy, Ranges::Known).unwrap_err();
        assert_snapshot!(error("snet, lots"), @r"
          × 2 errors

        Error: logic::unknown_name

          × there is no slot or proposition `snet`
           ╭─[--progress:1:1]
         1 │ snet, lots
           · ──┬─
           ·   ╰── unknown
           ╰────
          help: did you mean `sent`?

        Error: logic::unknown_name

          × there is no slot or proposition `lots`
           ╭─[--progress:1:7]
         1 │ snet, lots
           ·       ──┬─
           ·         ╰── unknown
           ╰────
          help: did you mean `lost`?
        ");
        assert_snapshot!(error(&vec!["ready"; 200].join(", ")), @r"
        logic::many_coordinates

          × a measure of 201 coordinates does not fit a key of 128 bits
          help: add several coordinates up to one, for example `a + b` instead of `a,
                b`
        ");
    }

    #[test]
    fn a_value_outside_its_declared_range_has_no_key() {
        let toy = Toy::new(Layout::builder().integer("n", 0, 4).build(), &[]);
        let measure = measure("", "n * n", &toy, Ranges::Known).unwrap();
        assert_eq!(measure.key(&[4]), Ok(Key(16)));
        assert!(matches!(measure.key(&[7]), Err(KeyError::TooLarge { .. })));
    }

    proptest! {
        #[test]
        fn keys_are_ordered_like_the_vectors_of_values(
            exprs in prop::collection::vec(random::expr(Toy::slot_name()), 1..4),
            columns in 0usize..4,
            states in (Toy::random_state(), Toy::random_state()),
            ranges in prop_oneof![Just(Ranges::Known), Just(Ranges::Open)],
        ) {
            let toy = Toy::protocol();
            let coordinates: Vec<Coordinate> = exprs.iter().cloned().map(Coordinate::from).collect();
            let (columns, rows) = coordinates.split_at(columns.min(exprs.len()));
            let measure = Measure::new(columns, rows, &Scope::of(&toy), ranges).unwrap();
            let values = |state: &[Word], exprs: &[Expr]| -> Option<Vec<i64>> {
                exprs.iter().map(|expr| naive(expr, &toy, state)).collect()
            };
            let keys = (measure.key(&states.0), measure.key(&states.1));
            if let (Ok(a), Ok(b)) = keys {
                let vectors = (values(&states.0, &exprs).unwrap(), values(&states.1, &exprs).unwrap());
                prop_assert_eq!(a.cmp(&b), vectors.0.cmp(&vectors.1));
                let (columns, _) = exprs.split_at(columns.len());
                let columns = (values(&states.0, columns).unwrap(), values(&states.1, columns).unwrap());
                let bits = measure.row_bits();
                prop_assert_eq!(a.column(bits).cmp(&b.column(bits)), columns.0.cmp(&columns.1));
                let explained = measure.explain(a);
                for value in vectors.0 {
                    let shown = format!(" = {value}");
                    prop_assert!(explained.contains(&shown));
                }
            }
            if exprs.len() == 1 {
                prop_assert_eq!(measure.key(&states.0).is_ok(), values(&states.0, &exprs).is_some());
            }
        }
    }
}
