//! Safety automata: the product of a model with one.

use std::sync::Arc;

use miette::{Report, miette};
use sweepline_check::{Answer, Failure, Inquiry, Plan, Question, QuestionKind};
use sweepline_core::{AnySystem, NoProgress, Observer, Progress, Statistics};
use sweepline_explore::{End, ReplayError, replay_projected};
use sweepline_logic::{Product, SafetyAutomaton};

use crate::load::Loaded;
use crate::measure::Spec;
use crate::properties::Asked;
use crate::search::{Run, Shown, conclude};
use crate::steer::{Steered, Steering, steer};

type Watched = Arc<Product<Arc<dyn AnySystem>>>;

/// The product of a model with a safety automaton.
struct Watching<'m> {
    model: &'m Loaded,
    automaton: &'m SafetyAutomaton,
    asked: &'m Asked,
}

/// Its exploration.
struct WatchedRun<'m> {
    watching: &'m Watching<'m>,
    inquiry: Inquiry<Watched, Box<dyn Progress>>,
}

impl Watching<'_> {
    fn plan(
        &self,
        system: Arc<dyn AnySystem>,
        spec: &Spec,
    ) -> Result<Plan<Watched, Box<dyn Progress>>, Report> {
        let product = Product::new(system, self.automaton, &self.asked.definitions)?;
        let product = Arc::new(product);
        Ok(Plan {
            progress: self.bind(&product, spec)?,
            questions: vec![never_accepted(&product, self.automaton)],
            system: product,
        })
    }

    fn bind(&self, product: &Watched, spec: &Spec) -> Result<Box<dyn Progress>, Report> {
        if spec.is_constant() {
            return Ok(Box::new(NoProgress));
        }
        let ranges = self.model.format.ranges();
        Ok(Box::new(spec.bind(product, ranges, None)?))
    }
}

impl Steered for WatchedRun<'_> {
    fn run(&mut self, spec: &Spec, observer: &mut dyn Observer) -> End {
        let watching = self.watching;
        let widen = |product: &Watched, slot| {
            let wider = product.inner().widened(slot)?;
            watching.plan(wider, spec).ok()
        };
        self.inquiry.run(widen, observer)
    }

    fn is_decided(&self) -> bool {
        self.inquiry.is_decided()
    }

    fn statistics(&self) -> &Statistics {
        self.inquiry.statistics()
    }

    fn answers(&mut self) -> Vec<Shown> {
        let mut answers = self.inquiry.answers();
        let product = self.inquiry.system();
        // A trace that cannot be shown is looked for again.
        answers.retain_mut(|answer| project(product, answer).is_ok());
        let shown = |answer| Shown::new(answer, product.inner());
        answers.into_iter().map(shown).collect()
    }

    fn finish(self, end: End, spec: &Spec) -> Result<Run, Report> {
        let mut report = self.inquiry.report(end);
        let product = Arc::clone(&report.system);
        for answer in &mut report.answers {
            if let Err(error) = project(&product, answer) {
                report.failure = Some(Failure::Bug(error.to_string()));
            }
        }
        let run = conclude(report, Arc::clone(product.inner()), spec)?;
        Ok(Run {
            covers_model: false,
            ..run
        })
    }

    fn remeasured(self, spec: &Spec) -> Option<Self> {
        let progress = self.watching.bind(self.inquiry.system(), spec).ok()?;
        Some(Self {
            inquiry: self.inquiry.remeasured(progress).ok()?,
            ..self
        })
    }
}

/// Explores the product of a model with a safety automaton.
pub fn explore(
    model: &Loaded,
    automaton: &SafetyAutomaton,
    spec: &Spec,
    asked: &Asked,
    steering: &Steering,
) -> Result<Run, Report> {
    if spec.cache.is_some() {
        return Err(miette!(
            help = "use --method sweep or --method full",
            "--method caching cannot follow an automaton"
        ));
    }
    let watching = Watching {
        model,
        automaton,
        asked,
    };
    let start = |spec: &Spec, options| {
        let plan = watching.plan(Arc::clone(&model.system), spec)?;
        Ok(WatchedRun {
            watching: &watching,
            inquiry: Inquiry::new(plan, options),
        })
    };
    steer(start, model, spec, steering)
}

/// Makes the evidence a path of the model, looked up there step by step.
fn project(product: &Watched, answer: &mut Answer) -> Result<(), ReplayError> {
    if let Some(trace) = answer.evidence.take() {
        let model = product.inner();
        let projected = replay_projected(model, &trace, |state| product.project(state))?;
        answer.evidence = Some(projected);
    }
    Ok(())
}

fn never_accepted(product: &Watched, automaton: &SafetyAutomaton) -> Question {
    let watched = Arc::clone(product);
    let name = automaton.text().name().to_owned();
    Question {
        kind: QuestionKind::SafetyAutomaton,
        ..Question::invariant(name, "no run is accepted", move |seen| {
            Ok(!watched.accepting(seen.state))
        })
    }
}
