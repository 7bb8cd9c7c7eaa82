//! Ways to look for the runs that decide a question, side by side.

use std::time::Instant;

use sweepline_core::{Limits, StopReason, Verdict};
use sweepline_explore::LogPlace;
use sweepline_logic::PropertyKind;

use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::record::SearchRecord;
use crate::reduction::Reduce;
use crate::runs::Emptiness;
use crate::verify::{Monitor, Options, verify};

/// What to expand at most by the thesis' search, in terms of what the first search expanded. It can take many times as long.
const ENOUGH: u64 = 1000;

/// Answers every question about runs in every order by every search. `limits` are those of one of them.
pub fn compare_searches(
    model: &Model,
    questions: &Questions,
    orders: &[Order],
    limits: &dyn Fn() -> Limits,
    monitor: &mut dyn Monitor,
) -> Result<Vec<SearchRecord>, Error> {
    let single = questions.each_about_runs();
    if single.is_empty() {
        return Err(Error::Misplaced {
            about: "searches are compared for formulas and automata on infinite runs".into(),
            model: model.name.clone(),
            help: "name one by --ltl, --automaton or --property".into(),
        });
    }
    let mut records: Vec<SearchRecord> = Vec::new();
    for question in &single {
        let first = records.len();
        for order in orders {
            for search in [Emptiness::Links, Emptiness::Product, Emptiness::Thesis] {
                let mut limits = limits();
                let done = records.get(first).map(|record| record.explored.max(ENOUGH));
                if search == Emptiness::Thesis && limits.deadline.is_none() {
                    let enough = done.map(|done| done.saturating_mul(ENOUGH));
                    limits.states = limits.states.or(enough);
                }
                records.push(answer(model, question, order, (search, limits), monitor)?);
            }
        }
    }
    Ok(records)
}

fn answer(
    model: &Model,
    question: &Questions,
    order: &Order,
    (emptiness, limits): (Emptiness, Limits),
    monitor: &mut dyn Monitor,
) -> Result<SearchRecord, Error> {
    let options = Options {
        limits,
        log: LogPlace::default(),
        patience: None,
        emptiness,
        reduce: Reduce::None,
        ..Options::default()
    };
    let started = Instant::now();
    let found = verify(model, question, order, &options, monitor);
    let seconds = started.elapsed().as_secs_f64();
    Ok(match found {
        Ok(runs) => {
            let run = &runs[0];
            let answer = &run.answers[0];
            let named = (answer.name.as_str(), &answer.verdict);
            SearchRecord::new(named, emptiness, order, &run.statistics, seconds)
        }
        // What one search cannot do does not keep the others from being compared.
        Err(Error::Claim(error)) => {
            let verdict = Verdict::Inconclusive(StopReason::Other(error.to_string()));
            let name = question
                .properties
                .first()
                .map(|(property, _)| &*property.name);
            let named = (name.unwrap_or_default(), &verdict);
            SearchRecord::new(named, emptiness, order, &<_>::default(), seconds)
        }
        Err(error) => return Err(error),
    })
}

/// Searches that disagree about a question: a bug of ours.
pub fn disagreement(records: &[SearchRecord]) -> Option<String> {
    let said = |verdict: &'static str| move |record: &&SearchRecord| record.verdict == verdict;
    let holds = records.iter().filter(said("holds"));
    let mut pairs = holds.flat_map(|one| {
        let others = records.iter().filter(said("violated"));
        let same = others.filter(|other| other.question == one.question);
        same.map(move |other| (one, other))
    });
    let (one, other) = pairs.next()?;
    Some(format!(
        "`{}` holds by the search `{}`, and is violated by `{}`: one of them is wrong",
        one.question, one.search, other.search
    ))
}

impl Questions {
    /// Each question about runs, alone.
    fn each_about_runs(&self) -> Vec<Self> {
        let assumed = || Self {
            definitions: self.definitions.clone(),
            fairness: self.fairness.clone(),
            ..Self::default()
        };
        let is_about_runs = |kind: &PropertyKind| {
            matches!(
                kind,
                PropertyKind::AllRuns(_) | PropertyKind::SomeRun(_) | PropertyKind::NoRun(_)
            )
        };
        let properties = self.properties.iter();
        let properties = properties.filter(|(property, _)| is_about_runs(&property.kind));
        let stated = properties.map(|property| Self {
            properties: vec![property.clone()],
            ..assumed()
        });
        let asserted = self.assertions.iter().map(|asserted| Self {
            assertions: vec![asserted.clone()],
            ..assumed()
        });
        stated.chain(asserted).collect()
    }
}
