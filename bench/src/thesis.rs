//! Table 8.1 of the thesis on model checking with the sweep-line method \[Lil17\]: its cases on our
//! reconstruction of its protocol, and a cycle over several layers, which the thesis could not show.
//!
//! The protocol has 6 packets and a network that holds 3 messages. With a monotone measure an old acknowledgement does not set the sender
//! back; without, it does. A packet is lost where the thesis' formula does not hold, and none where it holds. The formula speaks of the last
//! packet: every other one has copies that are acknowledged by a number of a later one.

use std::path::Path;
use std::time::Instant;

use sweepline::Verdict;
use sweepline::core::{Describe, Limits, Trace, Word};
use sweepline::session::{
    self, Emptiness, LoadOptions, Model, Options, Order, QuestionOptions, Questions, Reading,
};

/// A case of the table.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The thesis' name of the state space, or ours.
    pub name: &'static str,
    /// What is asked.
    pub question: Question,
    /// How states are ordered.
    pub measure: Measure,
    /// Whether messages can be lost.
    pub loss: bool,
    /// Whether packets are acknowledged that have come before.
    pub acknowledging: bool,
    /// Whether the thesis expects a trace.
    pub trace: bool,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Can a state be reached?
    Reach(&'static str),
    /// Does the automaton `p` accept a run, where this is `p`?
    Automaton(&'static str),
    /// Do all runs satisfy a formula?
    Ltl(&'static str),
    /// Can a state be reached again and again, whatever happens?
    Home(&'static str),
}

/// How states are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The thesis' measure, which never decreases if an old acknowledgement does not set the sender back.
    Monotone,
    /// The same where it does.
    Regressing,
    /// How many messages are under way.
    Messages,
}

const ALL_RECEIVED: &str = "Receiver.r == 7";
const TWO_AHEAD: &str = "Sender.s - 2 >= Receiver.r";
const ACKNOWLEDGED: &str = "G ('data_in[6]' > 0 -> F 'ack_out[7]' > 0)";
const DONE: &str = "F Sender.s == 7";
const PROGRESS: &str = "6 * Sender.s + Receiver.r";

/// The fourteen cases of the thesis, those of branching time last, and ours. The thesis has branching time for measures that never
/// decrease only; we have it for others too.
pub fn cases() -> Vec<Case> {
    let both = |name, regressing, question, loss, trace| {
        let measures = [(name, Measure::Monotone), (regressing, Measure::Regressing)];
        measures.map(|(name, measure)| Case {
            name,
            question,
            measure,
            loss,
            acknowledging: true,
            trace,
        })
    };
    let safety = |ask: fn(&'static str) -> Question| {
        let (received, ahead) = (ask(ALL_RECEIVED), ask(TWO_AHEAD));
        let names = ("EFallreceived-true", "EFallreceived-true-nm");
        let none = ("EFtwoahead-false", "EFtwoahead-false-nm");
        [
            both(names.0, names.1, received, true, true),
            both(none.0, none.1, ahead, true, false),
        ]
    };
    let formula = Question::Ltl(ACKNOWLEDGED);
    let lost = ("AsendimpEtransmit-false", "AsendimpEtransmit-false-nm");
    let kept = ("AsendimpEtransmit-true", "AsendimpEtransmit-true-nm");
    let runs = [
        both(lost.0, lost.1, formula, true, true),
        both(kept.0, kept.1, formula, false, false),
    ];
    let of_thesis = [safety(Question::Reach), safety(Question::Automaton), runs];
    let mut cases: Vec<Case> = of_thesis.into_iter().flatten().flatten().collect();
    let home = Question::Home(ALL_RECEIVED);
    let kept = ("AGEFallreceived-true", "AGEFallreceived-true-nm");
    cases.extend(both(kept.0, kept.1, home, true, false));
    // If old packets are not acknowledged, the sender never learns that they have come when the acknowledgement was lost. It is not
    // set back then, so another measure regresses.
    let lost = both(
        "AGEFallreceived-false",
        "AGEFallreceived-false-nm",
        home,
        true,
        true,
    );
    cases.extend(lost.map(|case| Case {
        acknowledging: false,
        measure: match case.measure {
            Measure::Monotone => Measure::Monotone,
            _ => Measure::Messages,
        },
        ..case
    }));
    cases.push(Case {
        name: "a cycle over several layers",
        question: Question::Ltl(DONE),
        measure: Measure::Messages,
        loss: true,
        acknowledging: true,
        trace: true,
    });
    cases
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether there is a trace; nothing if it is not known.
    pub trace: Option<bool>,
    /// Distinct states of the model, by full search.
    pub states: u64,
    /// Expansions.
    pub explored: u64,
    /// States stored at most.
    pub peak_states: u64,
    /// Persistent states.
    pub persistent: u64,
    /// Steps of the trace.
    pub length: usize,
    /// Layers that the loop of the trace goes through; none if there is no loop, or if the run stays in its last state.
    pub loop_layers: usize,
    /// How long it took.
    pub seconds: f64,
}

impl Case {
    /// The searches that can answer it.
    pub fn searches(&self) -> &'static [(&'static str, Emptiness)] {
        match self.question {
            Question::Ltl(_) => &[
                ("links", Emptiness::Links),
                ("product", Emptiness::Product),
                ("thesis", Emptiness::Thesis),
            ],
            Question::Reach(_) => &[("states", Emptiness::Links)],
            Question::Home(_) => &[("branches", Emptiness::Links)],
            Question::Automaton(_) => &[("automaton", Emptiness::Links)],
        }
    }

    /// Its measure, as it is written.
    pub fn measure_text(&self) -> &'static str {
        match self.measure {
            Measure::Monotone | Measure::Regressing => PROGRESS,
            Measure::Messages => "used",
        }
    }

    /// Answers it.
    pub fn run(&self, emptiness: Emptiness) -> Outcome {
        let model = self.model();
        let questions = self.questions(&model);
        let measure = Some(self.measure_text());
        let order = match self.measure {
            Measure::Monotone => Order::parse(measure, None, 1, 0),
            Measure::Regressing | Measure::Messages => Order::parse(None, measure, 1, 0),
        };
        let options = Options {
            patience: None,
            emptiness,
            ..Options::default()
        };
        let started = Instant::now();
        let order = order.expect("a measure");
        let runs = session::verify(&model, &questions, &order, &options, &mut ());
        let run = runs.expect("it can be checked").swap_remove(0);
        let seconds = started.elapsed().as_secs_f64();
        assert!(run.failure.is_none(), "{}: {:?}", self.name, run.failure);
        let answer = &run.answers[0];
        let evidence = answer.evidence.as_ref();
        Outcome {
            trace: match answer.verdict {
                Verdict::Holds | Verdict::Violated => Some(evidence.is_some()),
                Verdict::Inconclusive(_) => None,
            },
            states: states(&model),
            explored: run.statistics.explored + run.statistics.probed,
            peak_states: run.statistics.peak_states,
            persistent: run.statistics.persistent,
            length: evidence.map_or(0, |evidence| evidence.trace.steps.len()),
            loop_layers: evidence.map_or(0, |evidence| {
                self.layers_of_loop(&*evidence.system, &evidence.trace)
            }),
            seconds,
        }
    }

    fn model(&self) -> Model {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/limit-protocol.dve");
        let keeps = self.measure != Measure::Regressing;
        let options = LoadOptions {
            constants: vec![
                ("LOSS".into(), self.loss.into()),
                ("MAX".into(), keeps.into()),
                ("ACK_ALL".into(), self.acknowledging.into()),
            ],
            ..LoadOptions::default()
        };
        match session::load(&file, &options, &Limits::default()) {
            Ok(Reading::Loaded(model)) => *model,
            _ => panic!("the model can be read"),
        }
    }

    fn questions(&self, model: &Model) -> Questions {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("automata/p.automaton");
        let asked = match self.question {
            Question::Reach(text) => QuestionOptions {
                reachable: vec![text.into()],
                ..QuestionOptions::default()
            },
            Question::Automaton(text) => QuestionOptions {
                safety_automata: vec![file],
                propositions: vec![format!("p = {text}")],
                ..QuestionOptions::default()
            },
            Question::Ltl(text) => QuestionOptions {
                ltl: vec![text.into()],
                ..QuestionOptions::default()
            },
            Question::Home(text) => QuestionOptions {
                home: vec![text.into()],
                ..QuestionOptions::default()
            },
        };
        Questions::gather(&asked, model).expect("questions")
    }

    fn layers_of_loop(&self, system: &dyn Describe, trace: &Trace) -> usize {
        let value = |name: &str, state: &[Word]| {
            let slot = system.layout().slot_named(name);
            system
                .layout()
                .value(state, slot.expect("it has such a slot"))
        };
        let key = |state: &[Word]| match self.measure {
            Measure::Monotone | Measure::Regressing => {
                6 * value("Sender.s", state) + value("Receiver.r", state)
            }
            Measure::Messages => value("used", state),
        };
        let repeated = &trace.steps[trace.loop_start.unwrap_or(trace.steps.len())..];
        let mut keys: Vec<i64> = repeated.iter().map(|step| key(&step.state)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    }
}

fn states(model: &Model) -> u64 {
    let (questions, order) = (Questions::default(), Order::default());
    let runs = session::verify(model, &questions, &order, &Options::default(), &mut ());
    let states = runs.ok().and_then(|runs| runs[0].states);
    states.expect("full search counts states")
}

#[cfg(test)]
mod tests;
