//! Searches for runs side by side, as data.

use serde::Serialize;
use sweepline_core::{Statistics, Verdict};

use super::SCHEMA;
use crate::order::Order;
use crate::runs::Emptiness;
use crate::units;

/// One search for runs among several of `compare`.
#[derive(Clone, Debug, Serialize)]
pub struct SearchRecord {
    /// The question.
    pub question: String,
    /// `links`, `product` or `thesis`.
    pub search: &'static str,
    /// The measure, in words.
    pub measure: String,
    /// `holds`, `violated` or `inconclusive`.
    pub verdict: &'static str,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Expansions, those before the exploration included.
    pub explored: u64,
    /// States stored at most, those before the exploration excepted.
    pub peak_states: u64,
    /// What was stored and recorded at most.
    pub peak_bytes: usize,
    /// How long it took.
    pub seconds: f64,
}

/// Result of `compare` for the questions about runs of a model.
#[derive(Clone, Debug, Serialize)]
pub struct SearchesRecord<'a> {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model.
    pub model: &'a str,
    /// The searches, question by question.
    pub searches: &'a [SearchRecord],
}

impl<'a> SearchesRecord<'a> {
    /// Searches in one model.
    pub fn new(model: &'a str, searches: &'a [SearchRecord]) -> Self {
        Self {
            schema: SCHEMA,
            model,
            searches,
        }
    }
}

impl SearchRecord {
    /// What is above the figures in a table for reading.
    pub const HEADINGS: [&'static str; 7] = [
        "search", "measure", "verdict", "explored", "peak", "memory", "time",
    ];

    /// What is above raw numbers.
    pub const RAW_HEADINGS: [&'static str; 8] = [
        "question",
        "search",
        "measure",
        "verdict",
        "explored",
        "peak_states",
        "peak_bytes",
        "seconds",
    ];

    pub(crate) fn new(
        (question, verdict): (&str, &Verdict),
        emptiness: Emptiness,
        order: &Order,
        statistics: &Statistics,
        seconds: f64,
    ) -> Self {
        Self {
            question: question.to_owned(),
            search: match emptiness {
                Emptiness::Links => "links",
                Emptiness::Product => "product",
                Emptiness::Thesis => "thesis",
            },
            measure: if order.is_constant() {
                "full search".into()
            } else {
                order.describe()
            },
            verdict: match verdict {
                Verdict::Holds => "holds",
                Verdict::Violated => "violated",
                Verdict::Inconclusive(_) => "inconclusive",
            },
            reason: match verdict {
                Verdict::Inconclusive(reason) => Some(reason.to_string()),
                Verdict::Holds | Verdict::Violated => None,
            },
            explored: statistics.explored + statistics.probed,
            peak_states: statistics.peak_states,
            peak_bytes: statistics.peak_bytes,
            seconds,
        }
    }

    /// Its row in a table for reading.
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.search.into(),
            self.measure.clone(),
            self.verdict.into(),
            units::grouped(self.explored),
            units::grouped(self.peak_states),
            units::bytes(self.peak_bytes),
            format!("{:.3} s", self.seconds),
        ]
    }

    /// Its row in a table of raw numbers, with the question.
    pub fn raw(&self) -> Vec<String> {
        vec![
            self.question.clone(),
            self.search.into(),
            self.measure.clone(),
            self.verdict.into(),
            self.explored.to_string(),
            self.peak_states.to_string(),
            self.peak_bytes.to_string(),
            self.seconds.to_string(),
        ]
    }
}
