//! What models claim of their runs under fair choice.

use std::collections::BTreeSet;
use std::sync::Arc;

use sweepline_check::ctl::{How, Witness};
use sweepline_check::ltl::{FairChoice, Recurrence, run_after};
use sweepline_check::{Question, QuestionKind, Truth};
use sweepline_core::{ActionId, AnySystem, Describe, StopReason, Trace, Verdict};
use sweepline_fsp::ProgressProperty;

use crate::adapter::{Adapted, Adapter};
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::run::{Answer, Run};
use crate::trace::Evidence;
use crate::verify::{Monitor, Options, explore};

/// A progress property of an FSP model as a question about its network.
pub(crate) fn progress(property: &ProgressProperty, system: &dyn Describe) -> Question {
    let recurrence = Recurrence {
        condition: property
            .condition
            .as_ref()
            .map(|condition| actions_called(condition, system)),
        actions: actions_called(&property.labels, system),
    };
    let labels = set(&property.labels);
    Question {
        name: property.name.clone(),
        kind: QuestionKind::Progress,
        text: match &property.condition {
            Some(condition) => format!("progress if {} then {labels}", set(condition)),
            None => format!("progress {labels}"),
        },
        truth: Truth::FairChoice(Box::new(FairChoice::Progress(recurrence))),
    }
}

fn set(labels: &BTreeSet<String>) -> String {
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    format!("{{{}}}", labels.join(", "))
}

/// The actions with these labels. Nobody sees internal ones, whatever they are called.
pub(crate) fn actions_called(
    labels: &BTreeSet<String>,
    system: &dyn Describe,
) -> BTreeSet<ActionId> {
    let all = (0..).map(ActionId).zip(system.actions());
    all.filter(|(action, name)| labels.contains(*name) && !system.is_internal(*action))
        .map(|(action, _)| action)
        .collect()
}

/// The claims under fair choice that are open for lack of memory, and that are no formulas over fluents.
pub(crate) fn lacking_memory(adapter: &dyn Adapter, run: &Run) -> Result<Vec<usize>, Error> {
    if !run.answers.iter().any(Answer::lacks_memory) {
        return Ok(Vec::new());
    }
    let questions = adapter.adapt(&run.system)?.questions;
    let asked = run.answers.iter().zip(&questions).enumerate();
    let lacking = asked.filter(|(_, (answer, question))| {
        answer.lacks_memory() && as_branches(&question.truth).is_some()
    });
    Ok(lacking.map(|(at, _)| at).collect())
}

/// Gives these claims an exploration of their own, as formulas of branching time: their links lie on disk, or are forgotten layer by
/// layer.
pub(crate) fn choose_again(
    (model, adapter, order): (&Model, &dyn Adapter, &Order),
    open: &[usize],
    options: &Options,
    monitor: &mut dyn Monitor,
    run: &mut Run,
) -> Result<(), Error> {
    let again = AsBranches {
        inner: adapter,
        open,
    };
    let found = explore(model, &again, order, options, monitor)?;
    run.statistics.add(&found.statistics);
    (run.states, run.deadlocks) = (None, None);
    let questions = adapter.adapt(&found.system)?.questions;
    for &at in open {
        if let Truth::FairChoice(claim) = &questions[at].truth {
            settle(
                &mut run.answers[at],
                &found.answers[at],
                claim,
                &found.system,
            );
        }
    }
    let beyond = found.answers.into_iter().skip(questions.len());
    run.answers.extend(beyond);
    run.failure = found.failure.or(run.failure.take());
    Ok(())
}

/// A claim under fair choice as a formula of branching time.
fn as_branches(truth: &Truth) -> Option<Truth> {
    match truth {
        Truth::FairChoice(claim) => Some(Truth::Branches(Box::new(claim.branches()?))),
        _ => None,
    }
}

/// Makes what the formula says the answer, and looks for a run that shows it.
fn settle(answer: &mut Answer, found: &Answer, claim: &FairChoice, system: &Arc<dyn AnySystem>) {
    answer.verdict = found.verdict.clone();
    let witness = found.witness.as_ref();
    let (Verdict::Violated, Some(path)) = (&found.verdict, witness.and_then(|one| path_in(one)))
    else {
        return;
    };
    match run_after(system, claim, path) {
        Ok((trace, words)) => {
            answer.remark = Some(words);
            answer.evidence = Some(Evidence {
                trace,
                system: Arc::clone(system),
            });
        }
        Err(why) => answer.lost_evidence = Some(why),
    }
}

/// The path to a state from which on something is never possible again. Several such claims fail by one of them.
fn path_in(witness: &Witness) -> Option<&Trace> {
    match (witness.how, &witness.because[..]) {
        (How::Path, _) => Some(&witness.trace),
        (How::State, [(_, only)]) => path_in(only),
        _ => None,
    }
}

/// Claims under fair choice as formulas of branching time, and nothing else.
struct AsBranches<'q> {
    inner: &'q dyn Adapter,
    open: &'q [usize],
}

impl Adapter for AsBranches<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        let mut adapted = self.inner.adapt(system)?;
        for (at, question) in adapted.questions.iter_mut().enumerate() {
            let asked = as_branches(&question.truth).filter(|_| self.open.contains(&at));
            question.truth = asked.unwrap_or(Truth::Unknown(StopReason::Interrupted));
        }
        Ok(adapted)
    }

    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        self.inner.project(system, trace)
    }

    fn confirms(&self, system: &Arc<dyn AnySystem>, trace: &Trace) -> Result<bool, Error> {
        self.inner.confirms(system, trace)
    }

    fn covers_model(&self) -> bool {
        self.inner.covers_model()
    }
}
