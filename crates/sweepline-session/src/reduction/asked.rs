//! Questions, and explorations with fewer steps for some of them.

use std::sync::Arc;

use sweepline_logic::{Definition, Formula, Pred, PropertyKind, SafetyAutomaton};
use sweepline_reduce::{Aim, Transitions};

use super::wish::{self, Wish};
use super::{Preserved, Reduced};
use crate::adapter::{Plain, Watched};
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::{Answer, Run};
use crate::verify::{Monitor, Options, explore, search_runs};

/// Questions about a model of which it is known how its actions depend on each other.
#[derive(Clone)]
pub(super) struct Asked<'s> {
    pub(super) model: &'s Model,
    pub(super) questions: &'s Questions,
    pub(super) order: &'s Order,
    pub(super) options: &'s Options,
    pub(super) transitions: Arc<dyn Transitions>,
}

/// What is preserved, and how.
pub(super) type Aimed = (Arc<Aim>, Preserved);

/// What came of an exploration for some questions.
pub(super) struct Part {
    /// One answer per question.
    pub(super) answers: Vec<Answer>,
    /// What the model itself does wrong.
    pub(super) own: Vec<Answer>,
    /// The rest.
    pub(super) run: Run,
}

impl Asked<'_> {
    /// What one question allows.
    pub(super) fn wish(&self, index: usize) -> Wish {
        let property = &self.questions.properties[index].0;
        wish::wish(property, &self.questions.definitions)
    }

    /// What one question, which is not about deadlocks, needs to be preserved; or why it is not.
    pub(super) fn aim(&self, index: usize) -> Result<Aimed, String> {
        let definitions = self.definitions();
        let transitions = Arc::clone(&self.transitions);
        let system = &*self.model.system;
        let (aim, preserved) = match self.wish(index) {
            Wish::Goals(mut goals) => {
                for (pred, _) in &mut goals {
                    self.spell_out(pred);
                }
                let aim = Aim::reaching(transitions, system, &goals, &definitions);
                (aim, Preserved::Goals)
            }
            Wish::Runs(mut atoms) => {
                for atom in &mut atoms {
                    self.spell_out(atom);
                }
                let aim = Aim::runs(transitions, system, &atoms, &definitions);
                (aim, Preserved::Runs)
            }
            Wish::Deadlocks => (Ok(Aim::deadlocks(transitions)), Preserved::Deadlocks),
            Wish::Refused(why) => return Err(why),
        };
        let aim = aim.map_err(|why| why.to_string())?;
        Ok((Arc::new(aim.within(&self.options.limits)), preserved))
    }

    /// Explores for these questions.
    pub(super) fn explore(
        &self,
        asked: &[usize],
        (aim, preserved): &Aimed,
        options: &Options,
        monitor: &mut dyn Monitor,
    ) -> Result<Part, Error> {
        let mut part = Questions {
            properties: Vec::new(),
            unanswered: Vec::new(),
            ..self.questions.clone()
        };
        part.definitions = self.definitions();
        for &index in asked {
            let (mut property, source) = self.questions.properties[index].clone();
            match &mut property.kind {
                PropertyKind::Formula(formula) => self.spell_out_all(formula),
                PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
                    for atom in &mut ltl.atoms {
                        self.spell_out(atom);
                    }
                }
                _ => {}
            }
            part.properties.push((property, source));
        }
        let adapter = Reduced {
            inner: &Plain(&part),
            aim: Arc::clone(aim),
            preserved: *preserved,
        };
        let (model, order) = (self.model, self.order);
        let monitor = &mut (adapter.tables(), monitor);
        let mut run = match preserved {
            Preserved::Runs => search_runs(model, &adapter, order, options, monitor)?,
            _ => explore(model, &adapter, order, options, monitor)?,
        };
        let own = run.answers.split_off(asked.len().min(run.answers.len()));
        let mut answers = std::mem::take(&mut run.answers);
        for (&index, answer) in asked.iter().zip(&mut answers) {
            answer.text = match &self.questions.properties[index].0.kind {
                PropertyKind::Formula(formula) => formula.to_string(),
                kind => kind.to_string(),
            };
        }
        Ok(Part { answers, own, run })
    }

    /// What a safety automaton needs to be preserved; or why it is not.
    pub(super) fn aim_of_automaton(&self, automaton: &SafetyAutomaton) -> Result<Arc<Aim>, String> {
        if !automaton.is_stutter_invariant() {
            return Err("it can tell how often a state is repeated".to_owned());
        }
        let mut atoms = automaton.atoms();
        for atom in &mut atoms {
            self.spell_out(atom);
        }
        let transitions = Arc::clone(&self.transitions);
        let system = &*self.model.system;
        let aim = Aim::runs(transitions, system, &atoms, &self.definitions());
        let aim = aim.map_err(|why| why.to_string())?;
        Ok(Arc::new(aim.within(&self.options.limits)))
    }

    /// Whether a safety automaton accepts something, with fewer steps.
    pub(super) fn watch(
        &self,
        automaton: &SafetyAutomaton,
        aim: &Arc<Aim>,
        options: &Options,
        monitor: &mut dyn Monitor,
    ) -> Result<Run, Error> {
        let questions = Questions {
            definitions: self.definitions(),
            ..self.questions.clone()
        };
        let adapter = Reduced {
            inner: &Watched {
                automaton,
                questions: &questions,
            },
            aim: Arc::clone(aim),
            preserved: Preserved::Runs,
        };
        let monitor = &mut (adapter.tables(), monitor);
        explore(self.model, &adapter, self.order, options, monitor)
    }

    fn definitions(&self) -> Vec<Definition> {
        let definitions = self.questions.definitions.iter().cloned();
        let spelled_out = definitions.map(|mut definition| {
            self.spell_out(&mut definition.pred);
            definition
        });
        spelled_out.collect()
    }

    /// What is enabled is told by slots where that is possible, since not all steps are there to be seen.
    fn spell_out(&self, pred: &mut Pred) {
        if let Some(net) = self.model.net() {
            sweepline_net::spell_out_fireable(net, pred);
        }
    }

    fn spell_out_all(&self, formula: &mut Formula) {
        match formula {
            Formula::Initially(pred) | Formula::Reachable(pred) | Formula::Invariant(pred) => {
                self.spell_out(pred);
            }
            Formula::Not(inner) => self.spell_out_all(inner),
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    self.spell_out_all(part);
                }
            }
        }
    }
}
