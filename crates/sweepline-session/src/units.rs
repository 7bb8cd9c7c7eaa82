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

/// `12 s`, `3 min 4 s`, `5 h 6 min`: time that goes by.
pub fn elapsed(time: Duration) -> String {
    match time.as_secs() {
        s if s < 60 => format!("{s} s"),
        s if s < 3600 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{} h {} min", s / 3600, s / 60 % 60),
    }
}

/// `7 s`, `90 s`, `12 min`, `3 h`: no more digits than somebody knows who guesses.
pub fn about(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

/// `1234`, `12.3 k`, `1.23 M`: three digits.
pub fn short(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut value = number as f64;
    if value < 9999.5 {
        return number.to_string();
    }
    let mut unit = "";
    for next in ["k", "M", "G", "T"] {
        if value >= 999.5 {
            (value, unit) = (value / 1000.0, next);
        }
    }
    let digits = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// A number of things of a kind, whose plural has an s more, or es.
pub fn counted(number: impl Into<u128>, thing: &str) -> String {
    let number = number.into();
    let plural = match number {
        1 => "",
        _ if thing.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {thing}{plural}", grouped(number))
}

/// A part of a whole in per cent. Something is never said to be nothing.
#[expect(clippy::cast_precision_loss, reason = "a share with a few digits")]
pub fn share(part: u64, whole: u64) -> String {
    match part as f64 / (whole.max(1)) as f64 * 100.0 {
        per_cent if part > 0 && per_cent < 0.05 => "< 0.1 %".into(),
        per_cent => format!("{per_cent:.1} %"),
    }
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
        for (seconds, exact, rough) in [
            (7, "7 s", "7 s"),
            (124, "2 min 4 s", "2 min"),
            (99, "1 min 39 s", "99 s"),
            (5970, "1 h 39 min", "2 h"),
        ] {
            let time = Duration::from_secs(seconds);
            assert_eq!((elapsed(time), about(time)), (exact.into(), rough.into()));
        }
        for (part, expected) in [
            (0, "0.0 %"),
            (4, "< 0.1 %"),
            (5, "0.1 %"),
            (9999, "100.0 %"),
        ] {
            assert_eq!(share(part, 10_000), expected);
        }
        for (number, expected) in [
            (0, "0"),
            (9999, "9999"),
            (12_345, "12.3 k"),
            (999_600, "1.00 M"),
            (1_234_567, "1.23 M"),
            (123_456_789_012, "123 G"),
        ] {
            assert_eq!(short(number), expected);
        }
        assert_eq!(counted(1_u64, "process"), "1 process");
        assert_eq!(counted(2_u64, "process"), "2 processes");
        assert_eq!(counted(1000_u64, "state"), "1,000 states");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
    }
}
