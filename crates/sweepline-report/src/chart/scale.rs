//! Where values lie on an axis, and which of them are marked.

use super::{Axis, Scale, Unit};

/// An axis with its range and its ticks.
#[derive(Clone, Debug)]
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    pub(super) ticks: Vec<f64>,
    /// Further round values, marked without being written.
    pub(super) minor: Vec<f64>,
}

impl Ruler {
    /// An axis for these values, all of which it [`admits`], with at most so many ticks.
    pub(super) fn new(axis: &Axis, values: &[f64], most: usize) -> Self {
        let low = values.iter().copied().reduce(f64::min);
        let high = values.iter().copied().reduce(f64::max);
        let range = low.zip(high);
        match axis.scale {
            Scale::Linear => linear(axis.unit, range.unwrap_or((0.0, 1.0)), most),
            Scale::Log => logarithmic(axis.unit, range.unwrap_or((1.0, 10.0)), most),
        }
    }

    /// How far along the axis a value is: 0 at its start, 1 at its end.
    pub(super) fn position(&self, value: f64) -> f64 {
        let [low, value, high] = [self.low, value, self.high].map(|value| match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        });
        (value - low) / (high - low)
    }
}

/// Beyond this, differences of values are no longer exact enough to be drawn.
const HUGE: f64 = 1e100;

/// Whether a value can be drawn on an axis.
pub(super) fn admits(scale: Scale, value: f64) -> bool {
    match scale {
        Scale::Linear => value.is_finite() && value.abs() < HUGE,
        Scale::Log => value > 1.0 / HUGE && value < HUGE,
    }
}

/// From a tick to a tick, with zero.
fn linear(unit: Unit, (low, high): (f64, f64), most: usize) -> Ruler {
    let (low, mut high) = (low.min(0.0), high.max(0.0));
    if low >= high {
        high = 1.0;
    }
    let size = match unit {
        Unit::Bytes => unit.prefix(high.max(-low)).0,
        _ => 1.0,
    };
    let step = size * nice_step((high - low) / size, most);
    let (first, last) = ((low / step).floor(), (high / step).ceil());
    let ticks: Vec<f64> = (0..=u8::MAX)
        .map(|index| first + f64::from(index))
        .take_while(|&index| index <= last)
        .map(|index| index * step)
        .collect();
    Ruler {
        scale: Scale::Linear,
        low: first * step,
        high: last * step,
        ticks,
        minor: Vec::new(),
    }
}

/// The least of 1, 2, 5, 10, … that needs at most so many ticks for a length.
fn nice_step(length: f64, most: usize) -> f64 {
    let intervals = u32::try_from(most.max(3) - 2).map_or(1.0, f64::from);
    let least = length / intervals;
    let decade = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * decade >= least * 0.999_999);
    factor.unwrap_or(10.0) * decade
}

/// From one of 1, 2, 5, 10, … to another.
fn logarithmic(unit: Unit, (low, high): (f64, f64), most: usize) -> Ruler {
    let nice = candidates(unit, low, high);
    let below = nice.iter().rposition(|&(value, _)| value <= low);
    let above = nice.iter().position(|&(value, _)| value >= high);
    let (mut first, mut last) = (below.unwrap_or(0), above.unwrap_or(nice.len() - 1));
    if first == last {
        (first, last) = (first.saturating_sub(1), (last + 1).min(nice.len() - 1));
    }
    let nice = &nice[first..=last];
    let ticks = thinned(nice, most);
    let mut minor = thinned(nice, 3 * most);
    minor.retain(|value| !ticks.contains(value));
    Ruler {
        scale: Scale::Log,
        low: nice[0].0,
        high: nice[nice.len() - 1].0,
        ticks,
        minor,
    }
}

/// How round a number is: 0 for 2 and 5, 1 for 10, 2 for 1000, and so on.
type Roundness = u32;

/// Round numbers from well below to well above a range.
fn candidates(unit: Unit, low: f64, high: f64) -> Vec<(f64, Roundness)> {
    let mut numbers = Vec::new();
    for thousands in -40_i32..=40 {
        for (tens, ten) in [1.0, 10.0, 100.0].into_iter().enumerate() {
            for factor in [1.0, 2.0, 5.0] {
                let value = factor * ten * thousand(unit, thousands);
                let roundness = match (factor > 1.0, tens, thousands) {
                    (true, ..) => 0,
                    (false, 1.., _) => 1,
                    (false, 0, 0) => 9,
                    (false, 0, power) => 2 + power.trailing_zeros().min(6),
                };
                if (low / 20.0..=high * 20.0).contains(&value) {
                    numbers.push((value, roundness));
                }
            }
        }
    }
    numbers
}

/// A power of a thousand, or of 1024 for bytes. Written so that decimal fractions are exact.
fn thousand(unit: Unit, power: i32) -> f64 {
    match unit {
        Unit::Bytes => 1024_f64.powi(power),
        _ => format!("1e{}", 3 * power).parse().unwrap_or(1.0),
    }
}

/// The roundest numbers, as many as fit.
fn thinned(numbers: &[(f64, Roundness)], most: usize) -> Vec<f64> {
    let at_least = |least: Roundness| -> Vec<f64> {
        let round = numbers.iter().filter(|(_, roundness)| *roundness >= least);
        round.map(|(value, _)| *value).collect()
    };
    let fits = |ticks: &Vec<f64>| ticks.len() <= most;
    (0..9).map(at_least).find(fits).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scale: Scale, unit: Unit, values: &[f64], expected: &[&str]) {
        let axis = Axis {
            label: String::new(),
            scale,
            unit,
        };
        let ruler = Ruler::new(&axis, values, 8);
        let ticks: Vec<String> = ruler.ticks.iter().map(|&tick| unit.write(tick)).collect();
        assert_eq!(ticks, expected, "{scale:?} {unit:?} {values:?}");
        for &value in values {
            let position = ruler.position(value);
            assert!((0.0..=1.0).contains(&position), "{value} is at {position}");
        }
    }

    #[test]
    fn linear_ticks_are_round_and_include_zero() {
        use Scale::Linear;
        use Unit::{Bytes, Number, Seconds};
        let mib = 1_048_576.0;
        check(Linear, Number, &[], &["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        check(
            Linear,
            Number,
            &[0.0],
            &["0", "0.2", "0.4", "0.6", "0.8", "1"],
        );
        check(
            Linear,
            Number,
            &[3.0, 97.0],
            &["0", "20", "40", "60", "80", "100"],
        );
        check(Linear, Number, &[-5.0, 12.0], &["-5", "0", "5", "10", "15"]);
        check(
            Linear,
            Number,
            &[-0.3],
            &["-0.3", "-0.25", "-0.2", "-0.15", "-0.1", "-0.05", "0"],
        );
        check(Linear, Number, &[14_000.0], &["0", "5k", "10k", "15k"]);
        check(
            Linear,
            Bytes,
            &[3.2 * mib],
            &["0", "1 MiB", "2 MiB", "3 MiB", "4 MiB"],
        );
        check(
            Linear,
            Seconds,
            &[0.35],
            &["0 s", "100 ms", "200 ms", "300 ms", "400 ms"],
        );
    }

    #[test]
    fn logarithmic_ticks_are_round() {
        use Scale::Log;
        use Unit::{Bytes, Number, Seconds};
        let kib = 1024.0;
        check(Log, Number, &[], &["1", "2", "5", "10"]);
        check(Log, Number, &[30.0], &["20", "50"]);
        check(Log, Number, &[10.0], &["5", "10", "20"]);
        check(Log, Number, &[3.0, 4e4], &["10", "100", "1k", "10k"]);
        check(Log, Number, &[1.0, 1e11], &["1", "1k", "1M", "1G"]);
        check(
            Log,
            Seconds,
            &[0.004, 0.03],
            &["2 ms", "5 ms", "10 ms", "20 ms", "50 ms"],
        );
        check(
            Log,
            Bytes,
            &[300.0 * kib, 3000.0 * kib],
            &["200 KiB", "500 KiB", "1 MiB", "2 MiB", "5 MiB"],
        );
    }

    #[test]
    fn any_range_has_some_ticks_but_not_many() {
        for unit in [Unit::Number, Unit::Bytes, Unit::Seconds] {
            for scale in [Scale::Linear, Scale::Log] {
                for low in -30..30 {
                    for high in low..30 {
                        let values = [low, high].map(|power| 3.7 * 10_f64.powi(power));
                        let axis = Axis {
                            label: String::new(),
                            scale,
                            unit,
                        };
                        let ruler = Ruler::new(&axis, &values, 7);
                        let count = ruler.ticks.len();
                        assert!((2..=7).contains(&count), "{values:?}: {:?}", ruler.ticks);
                    }
                }
            }
        }
    }
}
