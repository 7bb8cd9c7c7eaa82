//! What processes see of all states of the whole model.

use std::sync::Arc;

use sweepline_check::QuestionKind;
use sweepline_core::{StopReason, System};
use sweepline_reduce::local::{LocalGraphs, Projection, Views};

use crate::adapter::Plain;
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::Run;
use crate::verify::{Monitor, Options, explore};

/// Why it is not known what processes see of all states.
pub(super) struct Unseen {
    pub(super) why: StopReason,
    /// The exploration, if it has ended where the model does something wrong.
    pub(super) failed: Option<Box<Run>>,
}

/// What processes see of all states of the whole model, or why that is not known. A limit that is reached is no error.
pub(super) fn project(
    model: &Model,
    views: &Arc<Views>,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Result<LocalGraphs, Unseen>, Error> {
    let mut model = model.clone();
    if model.system.layout() != views.system().layout() {
        model.system = Arc::new(views.system().clone());
    }
    let nothing = Questions::default();
    let mut both = (Projection::new(Arc::clone(views)), monitor);
    let run = explore(&model, &Plain(&nothing), order, options, &mut both)?;
    // Where something fails, what lies beyond was not looked at.
    let own = run.answers.last().filter(|_| run.failure.is_some());
    let failed = own.map(|answer| {
        let what = format!("{}: {}", answer.name, answer.text);
        match answer.kind {
            QuestionKind::Assertion => StopReason::Assertion(what),
            _ => StopReason::ModelError(what),
        }
    });
    let complete = run.statistics.complete && run.failure.is_none();
    Ok(if complete {
        Ok(both.0.finish())
    } else {
        let stopped = failed.or(run.stopped.clone());
        let why = stopped.unwrap_or(StopReason::Interrupted);
        let failed = run.failure.is_some().then(|| Box::new(run));
        Err(Unseen { why, failed })
    })
}
