//! The values of a proposition in the nodes of a block.

use super::bits::{BitReader, BitWriter};
use super::error::Damage;

/// Writes truth values as the lengths of runs of equal ones, or one by one if that is shorter.
pub(crate) fn write_plane(values: impl Iterator<Item = bool> + Clone, out: &mut BitWriter) {
    let Some(first) = values.clone().next() else {
        return;
    };
    let (mut runs, mut bits, mut count) = (Vec::new(), 0, 0);
    let (mut last, mut length) = (first, 0_u64);
    for value in values.clone() {
        count += 1;
        if value != last {
            bits += 2 * u64::from((length + 1).ilog2()) + 1;
            runs.push(length);
            (last, length) = (value, 0);
        }
        length += 1;
    }
    // The last run goes to the end of the block.
    bits += 2;
    let by_runs = bits < count;
    out.put(by_runs.into(), 1);
    if by_runs {
        out.put(first.into(), 1);
        for length in runs {
            out.gamma(length);
        }
        out.gamma(0);
    } else {
        for value in values {
            out.put(value.into(), 1);
        }
    }
}

/// Reads so many truth values.
pub(crate) fn read_plane(count: usize, bits: &mut BitReader<'_>) -> Result<Vec<bool>, Damage> {
    let mut values = Vec::new();
    if count == 0 {
        return Ok(values);
    }
    if bits.get(1)? == 0 {
        for _ in 0..count {
            values.push(bits.get(1)? == 1);
        }
        return Ok(values);
    }
    let mut value = bits.get(1)? == 1;
    loop {
        let length = bits.gamma_up_to((count - values.len()) as u64)?;
        let length = usize::try_from(length).unwrap_or(count);
        if length == 0 {
            values.resize(count, value);
            return Ok(values);
        }
        values.resize(values.len() + length, value);
        value = !value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_come_back(runs in prop::collection::vec((any::<bool>(), 1..100_usize), 0..40)) {
            let values: Vec<bool> = runs.iter().flat_map(|&(value, length)| vec![value; length]).collect();
            let mut out = BitWriter::default();
            write_plane(values.iter().copied(), &mut out);
            let bytes = out.finish();
            prop_assert!(bytes.len() <= values.len().div_ceil(8) + 1);
            let read = read_plane(values.len(), &mut BitReader::new(&bytes)).unwrap();
            prop_assert_eq!(read, values);
        }
    }
}
