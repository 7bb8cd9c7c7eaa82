//! Which name was probably meant.

use crate::shortened_to;

/// The candidate that looks most like `name`, if any looks like it at all.
///
/// Likeness is the number of characters to insert, delete, replace or swap with their neighbour, where a change of
/// case counts for less than any other.
///
/// ```
/// assert_eq!(sweepline_text::nearest("wiating", ["idle", "waiting"]), Some("waiting"));
/// assert_eq!(sweepline_text::nearest("wiating", ["idle", "done"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(COMPARED).collect();
    let most = (name.len() / 3).max(1) * COST;
    let mut best = None;
    let mut least = most + 1;
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().take(COMPARED).collect();
        // The lengths alone cost this much; most candidates of a large model end here.
        if name.len().abs_diff(other.len()) * COST >= least {
            continue;
        }
        let distance = distance(&name, &other);
        if distance < least {
            (least, best) = (distance, Some(candidate));
        }
    }
    best
}

/// A help text that proposes the candidate that looks most like `name`, if any looks like it at all.
///
/// ```
/// let help = sweepline_text::did_you_mean("wiating", ["idle", "waiting"]);
/// assert_eq!(help.as_deref(), Some("did you mean `waiting`?"));
/// ```
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let near = nearest(name, candidates)?;
    Some(format!("did you mean `{}`?", shortened_to(near, SHOWN)))
}

/// Longer proposals, in characters, are not shown in full.
const SHOWN: usize = 60;

/// Only so many characters are compared.
const COMPARED: usize = 100;

/// What one changed character costs. A change of case costs 1.
const COST: usize = 8;

/// Optimal string alignment: Levenshtein distance with swaps of neighbours.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).map(|j| j * COST).collect();
    for i in 1..=from.len() {
        let mut row = vec![i * COST];
        for j in 1..=to.len() {
            let changed = above[j - 1] + replacement(from[i - 1], to[j - 1]);
            let mut cost = changed.min(above[j] + COST).min(row[j - 1] + COST);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                cost = cost.min(before[j - 2] + COST);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}

fn replacement(from: char, to: char) -> usize {
    if from == to {
        0
    } else if from.to_lowercase().eq(to.to_lowercase()) {
        1
    } else {
        COST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(name, candidates.iter().copied()), expected);
    }

    #[test]
    fn names_that_look_alike_are_proposed() {
        check("Ready", &["read", "ready"], Some("ready"));
        check("IDLE", &["idle", "IDOL"], Some("idle"));
        check("phase1", &["phase2", "phsae1"], Some("phase2"));
        check("ab", &["ba"], Some("ba"));
        check("x", &["y"], Some("y"));
        check("x", &["yz"], None);
        check("", &["a"], Some("a"));
        check("buffer", &[], None);
        check("buffer", &["counter"], None);
    }
}
