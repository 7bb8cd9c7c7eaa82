//! Measures in a few words.

use sweepline_logic::Coordinate;

/// Coordinates with at most so many terms in all: `sent + received + … 12 more, phase`. A rank is called by what it ranks.
pub(crate) fn brief(coordinates: &[Coordinate], most: usize) -> String {
    let texts = coordinates.iter();
    brief_sums(
        texts.map(|coordinate| coordinate.source.text().trim()),
        most,
    )
}

fn brief_sums<'t>(texts: impl Iterator<Item = &'t str>, most: usize) -> String {
    let (mut left, mut sums, mut others) = (most, Vec::new(), 0);
    for text in texts {
        let terms = terms(text);
        if left == 0 {
            others += terms.len();
            continue;
        }
        sums.push(brief_sum(&terms, left));
        left = left.saturating_sub(terms.len());
    }
    match (others, most) {
        (0, _) => {}
        (1, 0) => sums.push("of one term".into()),
        (_, 0) => sums.push(format!("of {others} terms")),
        _ => sums.push(format!("… {others} more")),
    }
    sums.join(", ")
}

fn brief_sum(terms: &[(char, &str)], most: usize) -> String {
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
            ("a + b + c", 0, "of 3 terms"),
            ("a_very_long_name", 0, "of one term"),
            ("2*rank(P, x == 1, y == 2) + n", 9, "2*rank of P + n"),
            (
                "rank(P, x == -1) - rank(Q, y == 3)",
                2,
                "rank of P - rank of Q",
            ),
            ("a * -b + c", 1, "a * -b + … 1 more"),
        ] {
            assert_eq!(brief_sums([text].into_iter(), most), expected, "{text}");
        }
        for (most, expected) in [
            (0, "of 6 terms"),
            (1, "a + … 1 more, … 4 more"),
            (2, "a + b, … 4 more"),
            (5, "a + b, c, -d + e + … 1 more"),
            (6, "a + b, c, -d + e + f"),
        ] {
            let texts = ["a + b", "c", "-d + e + f"];
            assert_eq!(brief_sums(texts.into_iter(), most), expected);
        }
    }
}
