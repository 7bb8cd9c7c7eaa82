//! Which explorations of a model are put side by side.

use std::str::FromStr;

use sweepline_core::Limits;
use sweepline_explore::Replacement;
use sweepline_process::measure::Ranking;

use crate::error::Error;
use crate::model::Model;
use crate::order::{Cache, Linearise, Order};
use crate::typed::parse_size;

/// What somebody wants to compare with full search. Without any measure, the one that comes with the model, or the one that
/// is found.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Columns, one measure each.
    pub columns: Vec<String>,
    /// Rows, one measure each, and one with each of the columns.
    pub progress: Vec<String>,
    /// What values are divided by: one variant of every measure for each.
    pub coarsen: Vec<u64>,
    /// How many rows closed layers are kept behind the sweep-line: one variant of every measure for each.
    pub window: Vec<u64>,
    /// Ways to rank the components of a network.
    pub rankings: Vec<Ranking>,
    /// Sizes of the cache of state space caching.
    pub caches: Vec<CacheSize>,
    /// Which state a full cache throws out.
    pub replacement: Replacement,
}

/// How many states a cache keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CacheSize {
    /// So many.
    States(usize),
    /// A part of all states, in per cent.
    Part(f64),
}

impl FromStr for CacheSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(part) = text.trim().strip_suffix('%') else {
            return parse_size(text).map(Self::States);
        };
        match part.trim_end().parse::<f64>() {
            Ok(part) if part > 0.0 && part.is_finite() => Ok(Self::Part(part)),
            _ => Err("expected a number of states such as 5000, or a part such as 10%".into()),
        }
    }
}

impl CacheSize {
    /// How many states that is, where it is known how many there are.
    fn of(self, states: Option<u64>) -> Option<usize> {
        match self {
            Self::States(states) => Some(states),
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a number of states need not be exact"
            )]
            Self::Part(part) => Some(((states? as f64 * part.min(1e6) / 100.0) as usize).max(1)),
        }
    }
}

impl Comparison {
    /// Full search, then every measure in every variant.
    pub fn orders(&self, model: &Model, limits: &Limits) -> Result<Vec<Order>, Error> {
        let mut orders = vec![Order::default()];
        let mut measures: Vec<(Option<&str>, Option<&str>)> = Vec::new();
        let columns = || self.columns.iter().map(String::as_str);
        let rows = || self.progress.iter().map(String::as_str);
        measures.extend(columns().map(|columns| (Some(columns), None)));
        measures.extend(rows().map(|rows| (None, Some(rows))));
        for columns in columns() {
            measures.extend(rows().map(|rows| (Some(columns), Some(rows))));
        }
        if measures.is_empty() {
            measures.extend(model.format.own_progress().map(|own| (None, Some(own))));
        }
        if measures.is_empty() && self.rankings.is_empty() {
            let found = Order::found(&model.find_measure(limits), true);
            orders.extend((!found.is_constant()).then_some(found));
        }
        for &ranking in &self.rankings {
            let linearise = Linearise::Lexicographic;
            orders.push(Order::by_ranking(ranking, linearise, 1, model)?);
        }
        for (columns, rows) in measures {
            for &coarsen in &self.coarsen {
                for &window in &self.window {
                    let mut order = Order::parse(columns, rows, coarsen, window)?;
                    order.use_ids(model);
                    orders.push(order);
                }
            }
        }
        Ok(orders)
    }

    /// State space caching with every size of the cache that is asked for.
    pub fn caches(&self, states: Option<u64>) -> Result<Vec<Order>, Error> {
        let order = |size: &CacheSize| {
            let capacity = size.of(states).ok_or(Error::UnknownPart)?;
            let replacement = self.replacement;
            Ok(Order {
                cache: Some(Cache {
                    capacity,
                    replacement,
                }),
                ..Order::default()
            })
        };
        self.caches.iter().map(order).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_caches() {
        for (text, states, expected) in [
            ("5000", None, Some(5000)),
            ("1e3", Some(7), Some(1000)),
            ("50%", Some(1000), Some(500)),
            ("0.001 %", Some(1000), Some(1)),
            ("50%", None, None),
        ] {
            let size: CacheSize = text.parse().expect("it is a size");
            assert_eq!(size.of(states), expected, "{text}");
        }
        for text in ["", "0", "0%", "-1%", "%", "many", "NaN%", "inf%"] {
            assert!(text.parse::<CacheSize>().is_err(), "{text}");
        }
    }
}
