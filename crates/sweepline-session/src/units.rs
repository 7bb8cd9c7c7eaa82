//! Numbers with units, for people.

use std::time::Duration;

/// `1,234,567`
pub fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `12.3 MiB`
pub fn bytes(count: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut value = count as f64;
    let mut units = ["B", "KiB", "MiB", "GiB", "TiB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    while value >= 1024.0
        && let Some(next) = units.next()
    {
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" {
        format!("{count} B")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// `0.012 s`, `3.4 s`, `12 min 3 s`
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{s:.3} s"),
        s if s < 100.0 => format!("{s:.2} s"),
        _ => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}

/// A part of a whole in per cent.
#[expect(clippy::cast_precision_loss, reason = "a share with a few digits")]
pub fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", part as f64 / (whole.max(1)) as f64 * 100.0)
}

/// `6.2 M states/s`
pub fn rate(count: u64, time: Duration) -> String {
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let per_second = count as f64 / time.as_secs_f64().max(1e-9);
    match per_second {
        r if r >= 1e6 => format!("{:.1} M states/s", r / 1e6),
        r if r >= 1e3 => format!("{:.0} k states/s", r / 1e3),
        r => format!("{r:.0} states/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in [
            (0_u64, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
    }
}
