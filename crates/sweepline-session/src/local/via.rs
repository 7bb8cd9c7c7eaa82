//! Local graphs first, then the whole model with fewer steps \[Zhe14, Fig. 1\].

use std::collections::BTreeSet;
use std::sync::Arc;

use sweepline_core::{Limits, SlotId, Statistics};
use sweepline_logic::{Definition, Enabled, Formula, Pred, Predicate, PropertyKind, Scope, Source};
use sweepline_program::{Program, ProgramSystem};
use sweepline_reduce::local::{Extent, LocalGraphs, Views, ls3_up_to};

use super::property::slots_of;
use super::{answer, program_of, refused};
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::reduction::{Dependency, Reduce, Via, look_for_failures};
use crate::run::{Answer, Run};
use crate::verify::{Monitor, Options, verify, verify_whole};

/// A question that is about one process.
struct Candidate {
    /// Its place among all questions.
    index: usize,
    process: usize,
    slots: BTreeSet<SlotId>,
    holds: Predicate,
}

/// Answers what local graphs can answer, and puts the rest to the whole model: with fewer steps, by what local graphs tell of
/// dependencies, wherever that preserves what is asked.
pub(crate) fn verify_via_local(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Run>, Error> {
    if options.dependency == Some(Dependency::Static) {
        return Err(Error::Contradiction {
            what: "--via local finds out by local graphs which actions depend on each other, and --dependency static does not",
            help: "leave one of the two out",
        });
    }
    let system = match program_of(model, &options.limits)? {
        Ok(system) => system,
        Err(why) => {
            let mut runs = verify_whole(model, questions, order, options, monitor)?;
            if let Some(run) = runs.first_mut() {
                run.notes.push(format!("no local graphs: {why}"));
            }
            return Ok(runs);
        }
    };
    let candidates = candidates(questions, &system);
    let mut notes = Vec::new();
    let decided = decide(model, questions, &system, candidates, options, &mut notes)?;
    let mut rest = questions.clone();
    rest.properties.clear();
    for (index, property) in questions.properties.iter().enumerate() {
        if !decided.iter().any(|(known, _)| *known == index) {
            rest.properties.push(property.clone());
        }
    }
    for unanswered in &mut rest.unanswered {
        let before = decided
            .iter()
            .filter(|(index, _)| *index < unanswered.after);
        unanswered.after -= before.count();
    }
    let mut runs = ask_the_rest(model, &rest, order, options, monitor)?;
    if runs.is_empty() {
        runs.push(without_exploration(model, order));
    }
    let run = &mut runs[0];
    for (index, answer) in decided {
        run.answers.insert(index.min(run.answers.len()), answer);
    }
    run.notes.splice(0..0, notes);
    Ok(runs)
}

/// The questions that every state of one process decides.
fn candidates(questions: &Questions, system: &ProgramSystem) -> Vec<Candidate> {
    let numbered = questions.properties.iter().enumerate();
    let candidates = numbered.filter_map(|(index, (property, source))| {
        let PropertyKind::Formula(Formula::Invariant(pred)) = &property.kind else {
            return None;
        };
        candidate(index, pred, source, &questions.definitions, system)
    });
    candidates.collect()
}

fn candidate(
    index: usize,
    pred: &Pred,
    source: &Source,
    definitions: &[Definition],
    system: &ProgramSystem,
) -> Option<Candidate> {
    let scope = Scope::of(system).with(definitions).ok()?;
    let holds = Predicate::resolve(pred, &scope, source).ok()?;
    let mut slots = BTreeSet::new();
    slots_of(pred, system, definitions, &mut slots);
    let process = only_process(system.program(), &slots)?;
    (!holds.needs_enabled()).then_some(Candidate {
        index,
        process,
        slots,
        holds,
    })
}

/// The process whose slots these are, besides shared ones. What is about shared slots alone can be asked of any process.
fn only_process(program: &Program, slots: &BTreeSet<SlotId>) -> Option<usize> {
    let owners = slots.iter().filter_map(|slot| {
        let mut processes = program.processes().iter();
        let at = processes.position(|process| process.location == *slot);
        at.or(program.slot(*slot).owner.map(|owner| owner.0 as usize))
    });
    let owners: BTreeSet<usize> = owners.collect();
    match owners.len() {
        0 => Some(0),
        1 => owners.first().copied(),
        _ => None,
    }
}

/// Asks local graphs, if there is something to ask them. What they do not prove stays open.
fn decide(
    model: &Model,
    questions: &Questions,
    system: &ProgramSystem,
    candidates: Vec<Candidate>,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<Vec<(usize, Answer)>, Error> {
    let slots = candidates.iter();
    let more = slots.flat_map(|it| it.slots.iter().map(|slot| (it.process, *slot)));
    let more: Vec<_> = more.collect();
    let views = Views::new(system, &more).map_err(|it| refused(model, &it))?;
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let graphs = match graphs(views, &options.limits) {
        Ok(graphs) => graphs,
        Err(why) => {
            notes.push(format!("no local graphs: {why}"));
            return Ok(Vec::new());
        }
    };
    let nothing = Enabled::default();
    let proved = candidates.into_iter().filter(|candidate| {
        let graph = graphs.of(candidate.process);
        let mut states = (0..graph.states()).map(|state| graph.state(state));
        states.all(|state| matches!(candidate.holds.eval(state, &nothing), Ok(true)))
    });
    let answers = proved.map(|candidate| {
        let property = &questions.properties[candidate.index].0;
        let text = match &property.kind {
            PropertyKind::Formula(formula) => formula.to_string(),
            kind => kind.to_string(),
        };
        let kind = sweepline_check::QuestionKind::Invariant;
        let process = &system.program().processes()[candidate.process].name;
        let known = Answer {
            remark: Some(format!("in all local states of {process}")),
            ..answer(property.name.clone(), kind, &text)
        };
        (candidate.index, known)
    });
    Ok(answers.collect())
}

fn graphs(views: Views, limits: &Limits) -> Result<LocalGraphs, String> {
    ls3_up_to(Extent::SHARE, &Arc::new(views), limits).map_err(|why| why.to_string())
}

/// Puts what is left to the whole model.
fn ask_the_rest(
    model: &Model,
    rest: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Run>, Error> {
    let reduced = Options {
        via: Via::Whole,
        reduce: match options.reduce {
            Reduce::None => Reduce::None,
            Reduce::Auto | Reduce::Stubborn => Reduce::Stubborn,
        },
        dependency: Some(Dependency::Local),
        ..options.clone()
    };
    let watched = !(rest.automata.is_empty() && rest.assertions.is_empty());
    if !rest.is_about_states() && !watched {
        // Nobody asks any more, but what the model itself does wrong is to be found as if somebody did.
        let run = look_for_failures(model, order, &reduced, monitor)?;
        return Ok(run.into_iter().collect());
    }
    match verify(model, rest, order, &reduced, monitor) {
        Err(Error::NotReduced { what, why }) => {
            let whole = Options {
                reduce: Reduce::None,
                ..reduced
            };
            let mut runs = verify(model, rest, order, &whole, monitor)?;
            if let Some(run) = runs.first_mut() {
                run.notes
                    .push(format!("no steps were left out: `{what}`: {why}"));
            }
            Ok(runs)
        }
        other => other,
    }
}

/// Everything is known, and nothing was explored.
fn without_exploration(model: &Model, order: &Order) -> Run {
    Run {
        system: Arc::clone(&model.system),
        order: order.clone(),
        changes: Vec::new(),
        statistics: Statistics::default(),
        states: None,
        deadlocks: None,
        answers: Vec::new(),
        stopped: None,
        covers_model: false,
        preserved: None,
        notes: vec![
            "local graphs tell everything that was asked; the whole model was not explored".into(),
        ],
        failure: None,
    }
}
