//! From single coordinates to whole measures.

use std::fmt::Write;

use sweepline_logic::{Coordinate, Expr};

use crate::candidate::Candidate;

/// Coordinates of a model that never decrease.
#[derive(Clone, Debug, Default)]
pub struct Monotone {
    /// Each as fine as possible.
    pub fine: Vec<Coordinate>,
    /// The same put together where they belong together.
    pub together: Vec<Coordinate>,
}

/// Coordinates that some actions lower, alone or as a vector, the most promising first.
pub type Rows = Vec<Vec<Coordinate>>;

/// The most coordinates of a vector.
const LONGEST: usize = 24;
/// Rows that are tried.
const ROWS: usize = 32;

/// Every measure worth trying that never decreases: sums, vectors in both orders, single coordinates.
pub fn columns(found: &Monotone) -> Vec<Candidate> {
    let mut columns = Vec::new();
    vectors(&mut columns, &found.together, "monotone parts");
    vectors(&mut columns, &found.fine, "monotone values");
    for coordinate in found.fine.iter().chain(&found.together).take(8) {
        columns.push(candidate("one monotone value", vec![coordinate.clone()]));
    }
    let mut all: Vec<Candidate> = Vec::new();
    for candidate in columns {
        let text = Candidate::text(&candidate.columns);
        if all
            .iter()
            .all(|other| Candidate::text(&other.columns) != text)
        {
            all.push(candidate);
        }
    }
    all
}

/// Measures with rows below columns.
pub fn with_rows(columns: &[Coordinate], rows: Rows) -> impl Iterator<Item = Candidate> {
    rows.into_iter().take(ROWS).map(|row| Candidate {
        name: name_of_rows(&row).into(),
        columns: columns.to_vec(),
        rows: row,
        coarsen: 1,
    })
}

fn name_of_rows(rows: &[Coordinate]) -> &'static str {
    match rows {
        [one] => match &one.expr {
            Expr::Slot(_) => "one value that may decrease",
            Expr::Negate(of) if matches!(**of, Expr::Slot(_)) => "one value that may increase",
            _ => "a sum that may decrease",
        },
        _ => "values that may decrease",
    }
}

fn vectors(out: &mut Vec<Candidate>, coordinates: &[Coordinate], name: &str) {
    if coordinates.is_empty() {
        return;
    }
    out.push(candidate(&format!("sum of {name}"), vec![sum(coordinates)]));
    if coordinates.len() > 1 && coordinates.len() <= LONGEST {
        out.push(candidate(name, coordinates.to_vec()));
        let reversed = coordinates.iter().rev().cloned().collect();
        out.push(candidate(&format!("{name}, the last first"), reversed));
    }
}

fn candidate(name: &str, columns: Vec<Coordinate>) -> Candidate {
    Candidate {
        name: name.into(),
        columns,
        rows: Vec::new(),
        coarsen: 1,
    }
}

/// The sum of coordinates, as one that reads like the others.
pub fn sum(coordinates: &[Coordinate]) -> Coordinate {
    if let [only] = coordinates {
        return only.clone();
    }
    let texts = coordinates
        .iter()
        .map(|coordinate| coordinate.source.text().trim());
    coordinate(&texts.collect::<Vec<_>>().join(" + ").replace("+ -", "- "))
}

/// A coordinate from its text.
pub fn coordinate(text: &str) -> Coordinate {
    let parsed = Coordinate::parse(text).ok().and_then(|mut all| all.pop());
    parsed.expect("coordinates are written as they are read")
}

/// A weighted sum of names as text: `a + 2*b - c`.
pub fn weighted(terms: impl IntoIterator<Item = (i64, String)>) -> String {
    let mut text = String::new();
    for (weight, name) in terms {
        if weight == 0 {
            continue;
        }
        let sign = match (text.is_empty(), weight < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let factor = match weight.unsigned_abs() {
            1 => String::new(),
            factor => format!("{factor}*"),
        };
        let _ = write!(text, "{sign}{factor}{name}");
    }
    if text.is_empty() { "0".into() } else { text }
}
