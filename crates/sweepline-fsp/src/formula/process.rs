//! Formulas as processes, as LTSA makes them: `constraint` keeps others from what its formula forbids, and `ltl_property` watches
//! them. The alphabet of such a process are the actions that the formula speaks of, and those it is extended by.

use std::collections::BTreeSet;
use std::sync::Arc;

use sweepline_core::ActionId;
use sweepline_logic::ltl::{Monitor, MonitorError};
use sweepline_logic::{Fluent, Fluents};
use sweepline_process::{Lts, StateKind};

use super::{Draft, joined};
use crate::ast::{FormulaBody, FormulaDef, Junction, Span};
use crate::change::error_state;
use crate::elaborate::{Done, Elaborator};
use crate::errors::FspError;
use crate::parser::Failed;
use crate::value::Value;

impl<'a> Elaborator<'a> {
    /// The formula of this name that can be a process.
    pub fn formula_process(&self, name: &str) -> Option<&'a FormulaDef> {
        let mut formulas = self.model.formulas.iter();
        formulas.find(|formula| formula.is_process() && formula.name.text == name)
    }

    /// The process of a formula with these arguments.
    pub fn monitor(
        &mut self,
        definition: &'a FormulaDef,
        arguments: Vec<Value>,
        at: &Span,
    ) -> Done<Arc<Lts>> {
        let key = (definition.name.text.clone(), arguments);
        if let Some(known) = self.primitives.get(&key) {
            return known.clone().ok_or(Failed);
        }
        let scope = std::mem::take(&mut self.scope);
        let bound = self.bind(&definition.parameters, &key.1);
        let made = bound.and_then(|()| self.monitoring(definition, at));
        self.scope = scope;
        let made = made.ok().map(Arc::new);
        self.held += made.as_ref().map_or(0, |lts| lts.bytes());
        self.primitives.insert(key, made.clone());
        made.ok_or(Failed)
    }

    fn monitoring(&mut self, definition: &'a FormulaDef, at: &Span) -> Done<Lts> {
        let FormulaBody::Formula(body) = &definition.body else {
            return Err(Failed);
        };
        let mut draft = Draft::new(None);
        let mut all = Vec::new();
        self.each_combination(&definition.indices, &mut Vec::new(), &mut |this, _| {
            all.push(this.written_out(body, &definition.name.span, &mut draft)?);
            Ok(())
        })?;
        let formula = joined(Junction::All, all);
        let labels = self.labels_of(definition, &draft)?;
        let fluents = draft.fluents_over(&labels);
        let actions = u32::try_from(labels.len()).unwrap_or(u32::MAX);
        let made = match Fluents::new(fluents) {
            Some(fluents) => Monitor::new(&fluents, actions, &formula).map_err(|why| match why {
                MonitorError::NotSafety => (why.to_string(), NOT_SAFETY),
                why => (why.to_string(), TOO_LARGE),
            }),
            None => Err((
                format!("it is about more than {} fluents", Fluents::MOST),
                TOO_LARGE,
            )),
        };
        match made {
            Ok(monitor) => {
                self.spend(monitor.steps.len().saturating_mul(labels.len()), at)?;
                Ok(process(&monitor, &labels, definition.word == "constraint"))
            }
            Err((why, help)) => self.report(&definition.name.span, "process", |this| {
                FspError::NoProcessOfFormula {
                    word: definition.word,
                    name: definition.name.text.clone(),
                    why,
                    help: Some(help.into()),
                    text: this.source.named(),
                    at: definition.name.span.clone().into(),
                }
            }),
        }
    }

    /// The alphabet of its process, in order.
    fn labels_of(&mut self, definition: &'a FormulaDef, draft: &Draft<'_>) -> Done<Vec<String>> {
        let fluents = draft.fluents.iter();
        let spoken = fluents.flat_map(|fluent| fluent.starts.iter().chain(&fluent.ends));
        let mut labels: BTreeSet<String> = spoken.cloned().collect();
        if let Some(more) = &definition.alphabet {
            labels.extend(self.set(more)?.iter().cloned());
        }
        Ok(labels.into_iter().collect())
    }
}

const NOT_SAFETY: &str = "a process keeps others from single actions; what must happen some time can be claimed by an `assert`";
const TOO_LARGE: &str = "make several formulas of it";

impl Draft<'_> {
    /// The fluents, with actions as positions of labels. Whatever else happens ends one that is an action.
    fn fluents_over(&self, labels: &[String]) -> Vec<Fluent> {
        let places = |wanted: &dyn Fn(&String) -> bool| -> BTreeSet<ActionId> {
            let all = (0..).map(ActionId).zip(labels);
            let wanted = all.filter(|(_, label)| wanted(label));
            wanted.map(|(action, _)| action).collect()
        };
        let fluents = self.fluents.iter().enumerate();
        let fluents = fluents.map(|(at, fluent)| Fluent {
            name: fluent.name.clone(),
            initially: fluent.initially,
            starts: places(&|label| fluent.starts.contains(label)),
            ends: if self.actions.contains(&at) {
                places(&|label| !fluent.starts.contains(label))
            } else {
                places(&|label| fluent.ends.contains(label))
            },
        });
        fluents.collect()
    }
}

/// The system that refuses what the monitor knows to be wrong, or that goes to an error then. It never keeps others from ending.
fn process(monitor: &Monitor, labels: &[String], refuses: bool) -> Lts {
    let mut builder = Lts::builder();
    let states: Vec<_> = monitor.steps.iter().map(|_| builder.state()).collect();
    for (number, &state) in states.iter().enumerate() {
        builder.set_name(state, number.to_string());
        builder.set_kind(state, StateKind::End);
    }
    let labels: Vec<_> = labels.iter().map(|label| builder.label(label)).collect();
    let mut error = None;
    for (steps, &state) in monitor.steps.iter().zip(&states) {
        for (&label, next) in labels.iter().zip(steps) {
            match next {
                Some(next) => builder.edge(state, label, states[*next]),
                None if refuses => {}
                None => {
                    let error = *error.get_or_insert_with(|| error_state(&mut builder));
                    builder.edge(state, label, error);
                }
            }
        }
    }
    builder.build(states[0])
}
