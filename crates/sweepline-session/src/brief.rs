//! Measures in a few words.

use sweepline_logic::Coordinate;

/// Coordinates with at most so many terms each: `sent + received + … 12 more`. A rank is called by what it ranks.
pub(crate) fn brief(coordinates: &[Coordinate], most: usize) -> String {
    let texts = coordinates.iter();
    let texts = texts.map(|coordinate| brief_sum(coordinate.source.text().trim(), most));
    texts.collect::<Vec<_>>().join(", ")
}

fn brief_sum(text: &str, most: usize) -> String {
    let terms = terms(text);
    let more = terms.len().saturating_sub(most);
    let mut brief = String::new();
    for (sign, term) in &terms[..terms.len() - more] {
        match (*sign, brief.is_empty()) {
            ('-', true) => brief.push('-'),
            ('-', false) => brief += " - ",
            (_, true) => {}
            (_, false) => brief += " + ",
        }
        brief += &brief_term(term);
    }
    match more {
        0 => brief,
        _ if most == 0 => format!("{more} terms"),
        _ => format!("{brief} + … {more} more"),
    }
}

/// `4*rank(P, a == 1, b == 2)` is `4*rank of P`.
fn brief_term(term: &str) -> String {
    let ranked = || {
        let (factor, values) = term.split_once("rank(")?;
        let (name, _) = values.split_once(',')?;
        let is_factor = |c: char| c.is_ascii_digit() || c == '*';
        let whole = values.find(')') == Some(values.len() - 1);
        (whole && factor.chars().all(is_factor)).then(|| format!("{factor}rank of {name}"))
    };
    ranked().unwrap_or_else(|| term.to_owned())
}

/// The terms of a sum with their signs. What is in parentheses or brackets is a part of a term, and so is a minus that stands
/// behind another sign.
fn terms(text: &str) -> Vec<(char, &str)> {
    let mut terms = Vec::new();
    let (mut depth, mut start, mut sign) = (0_usize, 0, '+');
    let mut last = None;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '+' | '-' if depth == 0 && last.is_none() => (start, sign) = (at + 1, c),
            '+' | '-' if depth == 0 && last.is_some_and(ends_term) => {
                terms.push((sign, text[start..at].trim()));
                (start, sign) = (at + 1, c);
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = Some(c);
        }
    }
    terms.push((sign, text[start..].trim()));
    terms
}

fn ends_term(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '\'' | '"' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sums_are_cut_between_terms() {
        for (text, most, expected) in [
            ("n", 1, "n"),
            ("-n + m", 2, "-n + m"),
            ("-n - 2*m + k", 2, "-n - 2*m + … 1 more"),
            (
                "a[i + 1] + (b - c)*2 - d",
                2,
                "a[i + 1] + (b - c)*2 + … 1 more",
            ),
            ("a + b + c", 0, "3 terms"),
            ("2*rank(P, x == 1, y == 2) + n", 9, "2*rank of P + n"),
            (
                "rank(P, x == -1) - rank(Q, y == 3)",
                2,
                "rank of P - rank of Q",
            ),
            ("a * -b + c", 1, "a * -b + … 1 more"),
        ] {
            assert_eq!(brief_sum(text, most), expected, "{text}");
        }
    }
}
