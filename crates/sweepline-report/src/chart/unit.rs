//! How values are written.

/// What the values of an axis count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things; large numbers are written with k, M and G.
    Number,
    /// Bytes: KiB, MiB, GiB.
    Bytes,
    /// Seconds: ns, µs, ms, s.
    Seconds,
}

const NUMBERS: [(f64, &str); 5] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];
const BYTES: [(f64, &str); 5] = [
    (1.0, " B"),
    (1024.0, " KiB"),
    (1_048_576.0, " MiB"),
    (1_073_741_824.0, " GiB"),
    (1_099_511_627_776.0, " TiB"),
];
const SECONDS: [(f64, &str); 4] = [(1e-9, " ns"), (1e-6, " µs"), (1e-3, " ms"), (1.0, " s")];

impl Unit {
    /// A value with its unit, in three digits or so.
    pub(super) fn write(self, value: f64) -> String {
        let (size, name) = self.prefix(value.abs());
        let number = short(value / size);
        if value == 0.0 && self != Self::Seconds {
            return "0".into();
        }
        if value == 0.0 {
            return "0 s".into();
        }
        format!("{number}{name}")
    }

    /// The largest multiple of the unit that is not larger than the value.
    pub(super) fn prefix(self, value: f64) -> (f64, &'static str) {
        let prefixes = match self {
            Self::Number => &NUMBERS[..],
            Self::Bytes => &BYTES,
            Self::Seconds => &SECONDS,
        };
        // What would be rounded up to the next multiple is written as that.
        let fitting = prefixes
            .iter()
            .rev()
            .find(|(size, _)| value >= size * 0.9995);
        *fitting.unwrap_or(&prefixes[0])
    }
}

/// A number in at least three digits, without zeros at the end.
fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{value:.2e}").replace(".00e", "e");
    }
    let decimals = match size {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        _ => 6,
    };
    let text = format!("{value:.decimals$}");
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_readable_units() {
        for (unit, value, expected) in [
            (Unit::Number, 0.0, "0"),
            (Unit::Number, 7.0, "7"),
            (Unit::Number, 0.2, "0.2"),
            (Unit::Number, 950.0, "950"),
            (Unit::Number, 20_000.0, "20k"),
            (Unit::Number, 6_159_090.0, "6.16M"),
            (Unit::Number, -1500.0, "-1.5k"),
            (Unit::Number, 3e18, "3e6T"),
            (Unit::Bytes, 0.0, "0"),
            (Unit::Bytes, 512.0, "512 B"),
            (Unit::Bytes, 1536.0, "1.5 KiB"),
            (Unit::Bytes, 1_048_575.9, "1 MiB"),
            (Unit::Bytes, 5_368_709_120.0, "5 GiB"),
            (Unit::Seconds, 0.0, "0 s"),
            (Unit::Seconds, 2e-9, "2 ns"),
            (Unit::Seconds, 0.000_25, "250 µs"),
            (Unit::Seconds, 0.002, "2 ms"),
            (Unit::Seconds, 0.9999, "1 s"),
            (Unit::Seconds, 90.0, "90 s"),
            (Unit::Seconds, 3600.0, "3600 s"),
        ] {
            assert_eq!(unit.write(value), expected, "{value}");
        }
    }
}
