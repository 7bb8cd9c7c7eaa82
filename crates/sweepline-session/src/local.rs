//! Local state graphs of programs, and what can be told by them.
//!
//! What every local state of a process satisfies holds, and that is final. What some local state violates may still hold, since no
//! run need reach that state; so it is asked of the whole model.

mod property;
mod via;
mod view;
mod whole;

use std::sync::Arc;
use std::time::{Duration, Instant};

use sweepline_check::QuestionKind;
use sweepline_core::{Limits, StopReason, System, Verdict, Word};
use sweepline_logic::{Enabled, Formula, Property, PropertyKind};
use sweepline_program::{Conditions, LocationId, ProcessId, ProgramSystem};
use sweepline_progress::Structure;
use sweepline_reduce::local::{
    Extent, LocalGraphs, Refusal, Unfinished, Views, ls3, ls3_up_to, modular,
};

use crate::error::Error;
use crate::model::{Format, Model};
use crate::order::Order;
use crate::questions::Questions;
use crate::run::{Answer, Run};
use crate::verify::{Monitor, Options, verify};
pub use property::LocalProperty;
use property::process_called;
pub(crate) use via::verify_via_local;
use whole::project;

/// How local graphs are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LocalMethod {
    /// By following pairs of processes.
    #[default]
    Ls3,
    /// From what processes guarantee towards each other.
    Modular,
    /// From all states of the whole model.
    Mono,
}

impl LocalMethod {
    /// The word in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ls3 => "ls3",
            Self::Modular => "modular",
            Self::Mono => "mono",
        }
    }
}

/// What is wanted of local graphs.
#[derive(Clone, Debug, Default)]
pub struct LocalOptions {
    /// How they are made.
    pub method: LocalMethod,
    /// Local properties `P: E`, as they are written.
    pub properties: Vec<String>,
    /// The process whose graph is to be written to a file.
    pub process: Option<String>,
}

/// Local graphs and what they tell.
pub struct LocalAnalysis {
    /// How they were made.
    pub method: LocalMethod,
    /// The processes, by name.
    pub processes: Vec<String>,
    /// The graphs, or why there are none.
    pub graphs: Result<LocalGraphs, Unfinished>,
    /// What processes really see, if the graphs were made otherwise and the whole model could be explored.
    exact: Option<LocalGraphs>,
    /// Why it could not.
    pub unexplored: Option<StopReason>,
    /// How long it took to make the graphs.
    pub elapsed: Duration,
    /// What is claimed of single processes.
    pub claims: Vec<LocalClaim>,
    /// The exploration that decided what local graphs could not.
    pub run: Option<Run>,
}

/// Something that is claimed of one process.
pub struct LocalClaim {
    /// The process.
    pub process: String,
    /// The local states that violate it; nothing if there are no local graphs.
    pub violating: Option<usize>,
    /// The local states in which it has no value: it divides by zero there, say.
    pub valueless: Option<usize>,
    /// What is known in the end.
    pub answer: Answer,
}

impl LocalClaim {
    /// What the local graph alone says, as a word.
    pub fn locally(&self) -> &'static str {
        match (self.violating, self.valueless) {
            (Some(0), Some(0)) => "holds",
            (Some(_), Some(_)) => "potential",
            _ => "unknown",
        }
    }

    /// Whether the whole model must be asked.
    fn is_open(&self) -> bool {
        (self.violating, self.valueless) != (Some(0), Some(0))
    }
}

/// States of the whole model that are looked at, if nobody sets a limit, to tell which local states are real.
const MOST_GLOBAL: u64 = 1_000_000;

/// The program of a model, interpreted, unless the limits end that.
pub(crate) fn program_of(
    model: &Model,
    limits: &Limits,
) -> Result<Result<ProgramSystem, StopReason>, Error> {
    let Structure::Program(behaviour) = &model.structure else {
        return Err(no_processes(model));
    };
    let program = (**behaviour.program()).clone();
    Ok(ProgramSystem::within(program, limits))
}

/// The local graphs of a program by pairs of processes, for somebody who has other things to do as well.
pub(crate) fn local_graphs(model: &Model, limits: &Limits) -> Result<LocalGraphs, Error> {
    let none = |why: String| Error::NoLocalGraphs {
        model: model.name.clone(),
        why,
        help: "raise the limit, or leave --dependency local out".into(),
    };
    let system = program_of(model, limits)?.map_err(|why| none(why.to_string()))?;
    let views = Views::new(&system, &[]).map_err(|it| refused(model, &it))?;
    let graphs = ls3_up_to(Extent::SHARE, &Arc::new(views), limits);
    graphs.map_err(|why| none(why.to_string()))
}

/// Why other models have no local graphs.
fn no_processes(model: &Model) -> Error {
    let (why, help) = match model.format {
        Format::Pnml => (
            "places and transitions of a net belong to no process",
            "use --reduce stubborn, which needs no processes",
        ),
        Format::Fsp | Format::Network => (
            "components of a network share labels and no variables, so each is its own local graph already",
            "use --minimise, which makes components smaller before they are composed",
        ),
        Format::Aut | Format::Ss | Format::Swg => (
            "it is one graph, and there are no processes in it",
            "name the model it was made from",
        ),
        _ => (
            "nothing is known of the processes of this model",
            "local graphs are made of programs in DVE",
        ),
    };
    Error::NoLocalGraphs {
        model: model.name.clone(),
        why: why.into(),
        help: help.into(),
    }
}

fn refused(model: &Model, refusal: &Refusal) -> Error {
    Error::NoLocalGraphs {
        model: model.name.clone(),
        why: refusal.to_string(),
        help: match refusal {
            Refusal::Alone(_) => "ask the whole model: sweepline check --invariant E",
            Refusal::ErrorStates => "leave --errors count out",
        }
        .into(),
    }
}

/// Makes local graphs of a program's processes and asks them what is claimed; whatever they leave open is asked of the
/// whole model.
pub fn analyse(
    model: &Model,
    wanted: &LocalOptions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<LocalAnalysis, Error> {
    let system = match program_of(model, &options.limits)? {
        Ok(system) => system,
        Err(why) => return Ok(LocalAnalysis::stopped(wanted, why)),
    };
    if let Some(process) = &wanted.process {
        process_called(process, system.program())?;
    }
    let properties = wanted.properties.iter();
    let properties = properties.map(|text| LocalProperty::parse(text, model, &system));
    let properties: Vec<LocalProperty> = properties.collect::<Result<_, _>>()?;
    let assertions = asserted(&system);
    let views = views(&system, &properties, &assertions).map_err(|it| refused(model, &it))?;
    let views = Arc::new(views);
    let started = Instant::now();
    let limits = &options.limits;
    let (mut exact, mut unexplored, mut failed) = (None, None, None);
    let graphs = match wanted.method {
        LocalMethod::Ls3 => ls3(&views, limits),
        LocalMethod::Modular => modular(&views, limits),
        LocalMethod::Mono => {
            let seen = project(model, &views, order, options, monitor)?;
            seen.map_err(|unseen| {
                failed = unseen.failed;
                Unfinished::Stopped(unseen.why)
            })
        }
    };
    let elapsed = started.elapsed();
    if wanted.method != LocalMethod::Mono && graphs.is_ok() {
        let mut options = options.clone();
        options.limits.states.get_or_insert(MOST_GLOBAL);
        match project(model, &views, order, &options, monitor)? {
            Ok(graphs) => exact = Some(graphs),
            Err(unseen) => {
                unexplored = Some(unseen.why);
                failed = unseen.failed;
            }
        }
    }
    let processes = system.program().processes().iter();
    let mut analysis = LocalAnalysis {
        method: wanted.method,
        processes: processes.map(|process| process.name.clone()).collect(),
        graphs,
        exact,
        unexplored,
        elapsed,
        claims: Vec::new(),
        run: None,
    };
    analysis.judge(&system, properties, &assertions);
    analysis.ask_the_whole(model, order, options, monitor)?;
    // What the model does wrong is told whatever was claimed.
    analysis.run = analysis.run.or(failed.map(|run| *run));
    Ok(analysis)
}

/// Assertions of the model, with where they must hold.
type Asserted = Vec<(ProcessId, LocationId, usize)>;

fn asserted(system: &ProgramSystem) -> Asserted {
    let all = system.program().assertions();
    let mut asserted = Asserted::new();
    for (process, location, _) in all {
        let same = asserted
            .iter()
            .filter(|it| (it.0, it.1) == (process, location));
        let index = same.count();
        asserted.push((process, location, index));
    }
    asserted
}

/// What processes see, and what is claimed of them.
fn views(
    system: &ProgramSystem,
    properties: &[LocalProperty],
    assertions: &Asserted,
) -> Result<Views, Refusal> {
    let program = system.program();
    let mut more = Vec::new();
    for property in properties {
        more.extend(property.slots.iter().map(|slot| (property.process, *slot)));
    }
    for (process, location, index) in assertions {
        let location = program.process(*process).location(*location);
        let reads = program.reads(&location.assertions[*index].condition);
        more.extend(reads.into_iter().map(|slot| (process.0 as usize, slot)));
    }
    Views::new(system, &more)
}

impl LocalAnalysis {
    /// A limit was reached before there was anything to look at.
    fn stopped(wanted: &LocalOptions, why: StopReason) -> Self {
        Self {
            method: wanted.method,
            processes: Vec::new(),
            graphs: Err(why.into()),
            exact: None,
            unexplored: None,
            elapsed: Duration::ZERO,
            claims: Vec::new(),
            run: None,
        }
    }

    /// Asks the local graphs.
    fn judge(
        &mut self,
        system: &ProgramSystem,
        properties: Vec<LocalProperty>,
        assertions: &Asserted,
    ) {
        let program = system.program();
        for property in properties {
            let nothing = Enabled::default();
            let holds = |state: &[Word]| property.holds.eval(state, &nothing).ok();
            let (violating, valueless) = self.violating(property.process, holds);
            let text = Formula::Invariant(property.pred).to_string();
            self.claims.push(LocalClaim {
                process: self.processes[property.process].clone(),
                violating,
                valueless,
                answer: answer(property.text, QuestionKind::Invariant, &text),
            });
        }
        for (process, location, index) in assertions {
            let declared = program.process(*process);
            let place = declared.location(*location);
            let condition = &place.assertions[*index].condition;
            let asked = Conditions::new(program, system.layout(), [condition]);
            let at = system.layout().slot(declared.location);
            let holds = |state: &[Word]| {
                if at.read(state) == i64::from(location.0) {
                    asked.holds(0, state)
                } else {
                    Some(true)
                }
            };
            let (violating, valueless) = self.violating(process.0 as usize, holds);
            let name = format!("assert {}.{}", declared.name, place.name);
            let text = program.text().excerpt(place.assertions[*index].span);
            let text = text.unwrap_or_else(|| program.show(condition).to_string());
            self.claims.push(LocalClaim {
                process: declared.name.clone(),
                violating,
                valueless,
                answer: answer(name, QuestionKind::Assertion, &text),
            });
        }
    }

    /// In how many local states of a process something is false, and in how many it has no value.
    fn violating(
        &self,
        process: usize,
        holds: impl Fn(&[Word]) -> Option<bool>,
    ) -> (Option<usize>, Option<usize>) {
        let Ok(graphs) = &self.graphs else {
            return (None, None);
        };
        let graph = graphs.of(process);
        let (mut violating, mut valueless) = (0, 0);
        for state in 0..graph.states() {
            match holds(graph.state(state)) {
                Some(true) => {}
                Some(false) => violating += 1,
                None => valueless += 1,
            }
        }
        (Some(violating), Some(valueless))
    }

    /// Explores the whole model for what is not known yet.
    fn ask_the_whole(
        &mut self,
        model: &Model,
        order: &Order,
        options: &Options,
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        let open = self.claims.iter().filter(|it| it.is_open());
        let mut questions = Questions {
            definitions: model.definitions.clone(),
            ..Questions::default()
        };
        let mut any = false;
        for claim in open {
            any = true;
            if claim.answer.kind == QuestionKind::Invariant {
                let name = claim.answer.name.clone();
                let (pred, source) = LocalProperty::predicate(&name, model)?;
                let kind = PropertyKind::Formula(Formula::Invariant(pred));
                questions.properties.push((Property { name, kind }, source));
            }
        }
        if !any {
            return Ok(());
        }
        let Some(run) = verify(model, &questions, order, options, monitor)?
            .into_iter()
            .next()
        else {
            return Ok(());
        };
        self.take(&run);
        self.run = Some(run);
        Ok(())
    }

    /// Takes over what the exploration of the whole model says.
    fn take(&mut self, run: &Run) {
        let mut answers = run.answers.iter();
        let own = |answer: &&Answer| {
            [QuestionKind::Assertion, QuestionKind::ModelError].contains(&answer.kind)
        };
        for claim in self.claims.iter_mut().filter(|it| it.is_open()) {
            if claim.answer.kind == QuestionKind::Invariant {
                if let Some(answer) = answers.next() {
                    claim.answer = answer.clone();
                }
                continue;
            }
            let mut broken = run.answers.iter().filter(own);
            let broken = broken.find(|it| it.text.starts_with(&format!("{}:", claim.answer.name)));
            claim.answer.verdict = match (broken, run.failure.is_some()) {
                (Some(answer), _) => {
                    claim.answer.evidence.clone_from(&answer.evidence);
                    Verdict::Violated
                }
                (None, false) if run.statistics.complete && run.covers_model => Verdict::Holds,
                (None, true) => Verdict::Inconclusive(StopReason::Other(
                    "the search ended at another error of the model".into(),
                )),
                (None, false) => {
                    Verdict::Inconclusive(run.stopped.clone().unwrap_or(StopReason::Interrupted))
                }
            };
        }
    }
}

/// An answer that rests on a local graph, until somebody knows better.
fn answer(name: String, kind: QuestionKind, text: &str) -> Answer {
    Answer {
        name,
        kind,
        text: text.to_owned(),
        verdict: Verdict::Holds,
        value: None,
        evidence: None,
        witness: None,
        undecided: Vec::new(),
        remark: None,
        lost_evidence: None,
        vacuous: Vec::new(),
    }
}
