//! Questions about infinite runs that get a search of their own.

use std::sync::Arc;

use sweepline_check::ltl::{Anew, Renewing};
use sweepline_check::{EachState, Question, QuestionKind, Runs, RunsAnswer, Truth};
use sweepline_core::{AnySystem, Observer, StopReason, Trace, Verdict};
use sweepline_explore::{End, LogPlace};
use sweepline_progress::Bound;

use crate::adapter::{Adapted, Adapter};
use crate::error::Error;
use crate::exploration::{Erased, LITTLE, renewed};
use crate::fair_choice::{choose_again, lacking_memory};
use crate::model::Model;
use crate::order::Order;
use crate::run::{Answer, Run};
use crate::trace::Evidence;
use crate::verify::{Beginning, Monitor, Options, explore};

/// How runs that decide a question are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emptiness {
    /// All questions together, in what is explored once and recorded; what takes too much memory for that is swept.
    #[default]
    Links,
    /// Each by a sweep of the product with its automaton, which forgets what it has passed.
    Product,
    /// Each as in the thesis: cycles within layers, then maximal persistent predecessors.
    Thesis,
}

/// Questions about states only; those about runs are looked at elsewhere.
pub(crate) struct StatesOnly<'q>(pub(crate) &'q dyn Adapter);

impl Adapter for StatesOnly<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        let mut adapted = self.0.adapt(system)?;
        for question in &mut adapted.questions {
            if let Truth::Runs(_) = question.truth {
                question.truth = Truth::Unknown(StopReason::Interrupted);
            }
        }
        Ok(adapted)
    }

    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        self.0.project(system, trace)
    }

    fn confirms(&self, system: &Arc<dyn AnySystem>, trace: &Trace) -> Result<bool, Error> {
        self.0.confirms(system, trace)
    }

    fn covers_model(&self) -> bool {
        self.0.covers_model()
    }
}

/// Nothing is asked: what is left is whether something goes wrong.
struct Unasked<'q>(&'q dyn Adapter);

impl Adapter for Unasked<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        let adapted = self.0.adapt(system)?;
        Ok(Adapted {
            questions: Vec::new(),
            ..adapted
        })
    }

    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        self.0.project(system, trace)
    }

    fn confirms(&self, _: &Arc<dyn AnySystem>, _: &Trace) -> Result<bool, Error> {
        Ok(true)
    }

    fn covers_model(&self) -> bool {
        self.0.covers_model()
    }
}

/// Whether something is asked about runs.
pub(crate) fn is_about_runs(answer: &Answer) -> bool {
    matches!(
        answer.kind,
        QuestionKind::Ltl | QuestionKind::BuchiAutomaton
    )
}

/// Gives every question about runs that is open, or open for lack of memory, a search of its own.
pub(crate) fn search_alone(
    model: &Model,
    adapter: &dyn Adapter,
    options: &Options,
    monitor: &mut dyn Monitor,
    run: &mut Run,
) -> Result<(), Error> {
    let wanted = |index: &usize| is_wanted(&run.answers[*index], options);
    let open: Vec<usize> = (0..run.answers.len()).filter(wanted).collect();
    let choices = lacking_memory(adapter, run)?;
    if open.is_empty() && choices.is_empty() {
        return Ok(()); // looking for another measure takes longer than many a run
    }
    let order = match options.emptiness {
        Emptiness::Links => saving(model, &run.order, options),
        Emptiness::Product | Emptiness::Thesis => run.order.clone(),
    };
    if !choices.is_empty() {
        choose_again((model, adapter, &order), &choices, options, monitor, run)?;
    }
    let mut fails = false;
    for index in open {
        let mut search = Search {
            model,
            adapter,
            order: &order,
            options,
            system: Arc::clone(&run.system),
        };
        monitor.begins(Beginning {
            goal: None,
            change: None,
            earlier: run.statistics.explored,
        });
        let found = search.answer(index, monitor);
        monitor.ends();
        let Some(mut found) = found? else { continue };
        run.statistics.add(&found.statistics);
        run.states = None;
        run.deadlocks = None;
        fails |= found.truth.is_none() && !matches!(found.end, End::Limit(_));
        found.trace = found.trace.map(|trace| search.followed(trace?));
        let evidence = |trace| Evidence {
            trace,
            system: Arc::clone(&search.system),
        };
        let failure = found.settle(&mut run.answers[index], evidence);
        run.failure = failure.or(run.failure.take());
    }
    if fails && run.failure.is_none() {
        // A search that ends where the model fails has no path to show, and the failure is to be shown whatever was asked.
        let order = run.order.clone();
        let found = explore(model, &Unasked(adapter), &order, options, monitor)?;
        run.statistics.add(&found.statistics);
        run.answers.extend(found.answers);
        run.failure = found.failure;
    }
    Ok(())
}

fn is_wanted(answer: &Answer, options: &Options) -> bool {
    let open = matches!(answer.verdict, Verdict::Inconclusive(_));
    let alone = options.emptiness != Emptiness::Links;
    is_about_runs(answer) && open && (answer.lacks_memory() || alone)
}

/// The order the run ended with, or one that stores less if that is plain search.
fn saving(model: &Model, order: &Order, options: &Options) -> Order {
    if !order.is_constant() || options.patience.is_none() {
        return order.clone();
    }
    let mut order = order.clone();
    order.look_for_saving(model, &options.limits);
    order.saving_memory().unwrap_or(order)
}

struct Search<'s> {
    model: &'s Model,
    adapter: &'s dyn Adapter,
    order: &'s Order,
    options: &'s Options,
    /// The model's system, in its present encoding.
    system: Arc<dyn AnySystem>,
}

impl Search<'_> {
    /// Searches in wider and wider encodings. Nothing if the question is not about runs after all.
    fn answer(
        &mut self,
        index: usize,
        observer: &mut dyn Observer,
    ) -> Result<Option<RunsAnswer>, Error> {
        loop {
            let adapted = self.adapter.adapt(&self.system)?;
            let Some(Question {
                truth: Truth::Runs(runs),
                ..
            }) = adapted.questions.get(index)
            else {
                return Ok(None);
            };
            let found = self.search(index, &adapted.system, runs, observer)?;
            let End::Outgrown(slot) = found.end else {
                return Ok(Some(found));
            };
            match self.system.widened(slot) {
                Some(wider) => self.system = wider,
                None => return Ok(Some(found)),
            }
        }
    }

    fn search(
        &mut self,
        index: usize,
        system: &Arc<dyn AnySystem>,
        runs: &Runs,
        observer: &mut dyn Observer,
    ) -> Result<RunsAnswer, Error> {
        let order = self.order;
        // The model's slots stay where they are when it is adapted.
        let progress = order.bind(&self.system, self.model.ranges, None)?;
        let options = sweepline_explore::Options {
            limits: self.options.limits.clone(),
            window: order.window,
            // The way to a cycle is needed to tell that it is there.
            log: match &self.options.log {
                LogPlace::Off => LogPlace::default(),
                place => place.clone(),
            },
        };
        Ok(match self.options.emptiness {
            Emptiness::Thesis => runs.by_the_thesis(system, &progress, &options)?,
            Emptiness::Links | Emptiness::Product => {
                // Half of the memory is for links, the other half for states.
                let memory = options
                    .limits
                    .memory
                    .map_or(usize::MAX, |memory| memory / 2);
                let renewing = Renewing {
                    least: LITTLE,
                    renew: &mut |each| self.renewed(index, each),
                };
                runs.swept_with(
                    system,
                    progress,
                    (options, memory),
                    Some(renewing),
                    observer,
                )?
            }
        })
    }

    /// Goes on with the model's system when it has begun again.
    fn renewed(&mut self, index: usize, each: &EachState<'_>) -> Option<Anew<Erased, Bound, Runs>> {
        let renewed = renewed(&self.system, each)?;
        let adapted = self.adapter.adapt(&renewed.system).ok()?;
        let progress = self.order.bind(&renewed.system, self.model.ranges, None);
        let progress = progress.ok()?;
        let question = adapted.questions.into_iter().nth(index);
        let Some(Truth::Runs(asked)) = question.map(|question| question.truth) else {
            return None;
        };
        self.system = renewed.system;
        Some(Anew {
            system: adapted.system,
            progress,
            asked: *asked,
            numbers: renewed.numbers,
            held: renewed.held,
        })
    }

    /// A run of the adapted system as one of the model.
    fn followed(&self, trace: Trace) -> Result<Trace, String> {
        let projected = self.adapter.project(&self.system, trace);
        let trace = projected.map_err(|error| error.to_string())?;
        match self.adapter.confirms(&self.system, &trace) {
            Ok(true) => Ok(trace),
            Ok(false) => Err("it shows something else in the model".into()),
            Err(error) => Err(error.to_string()),
        }
    }
}
