//! What FSP models claim of their runs under fair choice, bound to their networks.

use std::collections::BTreeSet;

use sweepline_check::ltl::{FairChoice, Recurrence};
use sweepline_check::{Question, QuestionKind, Truth};
use sweepline_core::{ActionId, Describe};
use sweepline_fsp::ProgressProperty;

/// A progress property as a question about a network.
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
