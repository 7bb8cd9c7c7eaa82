//! Numbers with units, as people type them: [`units`](crate::units) writes them.

use std::ffi::OsString;
use std::time::Duration;

use sweepline_cpn::TimeMode;

use crate::words::Choice;

/// Reads `500M`, `12G`, `1.5GiB`, `4096`; units are powers of 1024.
pub fn parse_bytes(text: &str) -> Result<usize, String> {
    let (number, unit) = split(text)?;
    let unit = unit.trim_end_matches("iB").trim_end_matches(['B', 'b']);
    let power = match unit.to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        other => return Err(format!("unknown unit `{other}`; use K, M, G or T")),
    };
    let bytes = number * 1024_f64.powi(power);
    if !(1.0..9e18).contains(&bytes) {
        return Err("must be at least one byte and fit 64 bits".into());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    Ok(bytes as usize)
}

/// Arguments in which each `--time` is how long a run may take: `--time relative` is about the clock of a timed net, which is
/// `--clock relative`. Both may be given.
pub fn clock_of_time(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_mode = |word: &OsString| word.to_str().is_some_and(|w| TimeMode::named(w).is_some());
    let mut arguments: Vec<OsString> = arguments.collect();
    let flags = arguments.iter().take_while(|argument| *argument != "--");
    for at in 0..flags.count() {
        let mode = arguments[at]
            .to_str()
            .and_then(|a| a.strip_prefix("--time="));
        if let Some(mode) = mode.filter(|mode| TimeMode::named(mode).is_some()) {
            arguments[at] = format!("--clock={mode}").into();
        } else if arguments[at] == "--time" && arguments.get(at + 1).is_some_and(is_mode) {
            arguments[at] = "--clock".into();
        }
    }
    arguments
}

/// Reads `90`, `90s`, `500ms`, `15m`, `2h`, `1d`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let words: Vec<&str> = TimeMode::WORDS.iter().map(|word| word.name).collect();
    let expected = format!(
        "expected how long a run may take, such as 90, 15m or 2h, or what states of a timed net know of time: {}",
        words.join(", ")
    );
    let (number, unit) = split(text).map_err(|_| expected)?;
    let seconds = match unit.to_ascii_lowercase().as_str() {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        other => return Err(format!("unknown unit `{other}`; use ms, s, m, h or d")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

/// Reads a number of things: `5000`, `10_000`, `1e6`, `1.5M`; units are powers of 1000.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let expected = "expected a number such as 5000, 1e6 or 10M";
    let plain: String = text.trim().split(['_', ',']).collect();
    if !plain.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(expected.into());
    }
    if let Ok(count) = plain.parse() {
        return Ok(count); // all of its digits count
    }
    let units = [(['k', 'K'], 1e3), (['m', 'M'], 1e6), (['g', 'G'], 1e9)];
    let unit = |(names, power)| Some((plain.strip_suffix(names)?, power));
    let (number, unit) = units.into_iter().find_map(unit).unwrap_or((&plain, 1.0));
    let count: f64 = number.trim_end().parse().map_err(|_| expected)?;
    let count = count * unit;
    if count.fract() != 0.0 || !(0.0..1e19).contains(&count) {
        return Err("must be a whole number that fits 64 bits".into());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    Ok(count as u64)
}

/// The same for a number that is not zero.
pub fn parse_size(text: &str) -> Result<usize, String> {
    match usize::try_from(parse_count(text)?) {
        Ok(0) => Err("must be at least 1".into()),
        Ok(size) => Ok(size),
        Err(_) => Err("is more than this machine can count".into()),
    }
}

/// Reads `NAME=VALUE`.
pub fn parse_setting(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected NAME=VALUE, such as N=4")?;
    let number = value
        .trim()
        .parse()
        .map_err(|_| format!("`{value}` is no number"))?;
    Ok((name.trim().to_owned(), number))
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number
        .parse()
        .map_err(|_| "expected a number such as 12 or 1.5G".to_owned())?;
    Ok((number, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_a_limit_or_what_states_know_of_it() {
        for (typed, meant) in [
            (
                "check m --time 60 --time relative",
                "check m --time 60 --clock relative",
            ),
            (
                "check --time=ready m --time=2h",
                "check --clock=ready m --time=2h",
            ),
            ("check m --time later", "check m --time later"),
            ("check m -- --time absolute", "check m -- --time absolute"),
            ("check m --time", "check m --time"),
        ] {
            let words = typed.split(' ').map(OsString::from);
            let meant: Vec<OsString> = meant.split(' ').map(OsString::from).collect();
            assert_eq!(clock_of_time(words), meant, "{typed}");
        }
        let why = parse_duration("later").unwrap_err();
        assert!(why.contains("how long a run may take"), "{why}");
        assert!(why.contains("absolute, ready, relative"), "{why}");
    }

    #[test]
    fn bytes_have_binary_units() {
        for (text, expected) in [
            ("4096", 4096),
            ("2K", 2048),
            ("1.5GiB", 3 << 29),
            ("12 MB", 12 << 20),
        ] {
            assert_eq!(parse_bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "G", "0", "-1", "12X", "1e5", "99999999T"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_have_decimal_units() {
        for (text, expected) in [
            ("0", 0),
            ("5000", 5000),
            ("10_000", 10_000),
            ("1,000,000", 1_000_000),
            ("1e6", 1_000_000),
            ("2.5e3", 2500),
            ("1M", 1_000_000),
            ("1.5k", 1500),
            ("3 G", 3_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_count(text), Ok(expected), "{text}");
        }
        for text in [
            "", "M", "kk", "-1", "+1", "1.5", "1e30", "inf", "NaN", "0x10", "1e6s", "1MM",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert!(parse_size("0").is_err() && parse_size("0k").is_err());
        assert_eq!(parse_size("2k"), Ok(2000));
    }

    #[test]
    fn durations_default_to_seconds() {
        for (text, millis) in [
            ("90", 90_000),
            ("1.5h", 5_400_000),
            ("20ms", 20),
            ("2m", 120_000),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(millis)),
                "{text}"
            );
        }
        for text in ["", "s", "5 weeks", "-3"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
