//! Models, ready to be explored.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use miette::Diagnostic;
use sweepline_check::Question;
use sweepline_core::{AnySystem, Limits};
use sweepline_cpn::{CpnSystem, Note};
use sweepline_logic::{Definition, Property, Ranges, Source};
use sweepline_net::{NetSystem, PetriNet};
use sweepline_progress::{Findings, Structure, Thrift};

use crate::asserted::Asserted;
use crate::error::Error;
use crate::unanswered::Unanswered;
use crate::units;

/// A model, ready to be explored: a system, and what else is known of it.
#[derive(Clone)]
pub struct Model {
    /// The name it is reported under: the file's, as the user gave it.
    pub name: String,
    /// What it was written in.
    pub format: Format,
    /// The system in its first encoding.
    pub system: Arc<dyn AnySystem>,
    /// What there is of it, in a few words.
    pub summary: String,
    /// What is known of its inside.
    pub structure: Structure,
    /// Whether slots keep to the ranges the layout declares from the start.
    pub ranges: Ranges,
    /// The file, if it comes from one.
    pub path: Option<PathBuf>,
    /// The text of the file, where it is one that people write.
    pub text: String,
    /// Propositions that come with the model.
    pub definitions: Vec<Definition>,
    /// Questions that come with the model and are asked if nobody asks anything else. They are bound to the system, so only
    /// models whose encoding never changes have such.
    pub questions: Vec<Question>,
    /// Questions about runs that come with the model and are asked besides those about deadlocks and errors. They are bound to
    /// the system too.
    pub recurring: Vec<Question>,
    /// Formulas over fluents that come with the model and are asked besides those too.
    pub assertions: Vec<Asserted>,
    /// Questions that come with the model and that this version cannot answer. They are asked if nobody asks anything else.
    pub unanswered: Vec<Unanswered>,
    /// Where it is a coloured net: the net.
    pub coloured: Option<Arc<CpnSystem>>,
    /// Texts of a coloured net that belong to no element, queries among them.
    pub notes: Vec<Note>,
    /// Measures that never decrease and come with the model: the clock of a timed net.
    pub columns: Option<&'static str>,
    /// Its constants, where it has such, with the values they got.
    pub constants: Vec<(String, i64)>,
    /// Properties that the model states itself, with the text they stand in. They are asked if nobody asks anything else.
    pub properties: Vec<(Property, Source)>,
    /// What is allowed but probably not meant.
    pub warnings: Vec<Arc<dyn Diagnostic + Send + Sync>>,
    /// Whether a step of it can fail: an assertion, a value out of range. Nothing where there is no such thing.
    pub can_fail: Option<bool>,
    /// Whether it is explored by native code.
    pub is_compiled: bool,
    /// Whether several of its states may stand for the same: it is the graph of an exploration that repeated some.
    pub is_unfolded: bool,
    /// How long it took to read it.
    pub loading: Duration,
}

/// What a model is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// P/T nets in XML.
    Pnml,
    /// Coloured nets as CPN Tools stores them.
    Cpn,
    /// Programs.
    Dve,
    /// Processes in FSP.
    Fsp,
    /// An LTS.
    Aut,
    /// A network of LTSs.
    Network,
    /// An explicit state space.
    Ss,
    /// A condensed graph.
    Swg,
    /// A model in Rust.
    Rust,
}

impl Format {
    /// The word in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pnml => "pnml",
            Self::Cpn => "cpn",
            Self::Dve => "dve",
            Self::Fsp => "fsp",
            Self::Aut => "aut",
            Self::Network => "network",
            Self::Ss => "ss",
            Self::Swg => "swg",
            Self::Rust => "rust",
        }
    }

    /// What somebody types who wants a file to be read as this.
    pub(crate) fn typed(self) -> &'static str {
        match self {
            Self::Fsp => "lts",
            other => other.name(),
        }
    }

    /// What it is, in a few words.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Self::Pnml => "a P/T net in PNML",
            Self::Cpn => "a coloured net of CPN Tools",
            Self::Dve => "a program in DVE",
            Self::Fsp => "processes in FSP",
            Self::Aut => "an LTS in the Aldebaran format",
            Self::Network => "a network of LTSs",
            Self::Ss => "an explicit state space",
            Self::Swg => "a condensed graph",
            Self::Rust => "a model in Rust",
        }
    }

    /// Whether slots keep to the ranges the layout declares from the start.
    pub(crate) fn ranges(self) -> Ranges {
        match self {
            Self::Pnml | Self::Cpn => Ranges::Open,
            Self::Dve
            | Self::Fsp
            | Self::Aut
            | Self::Network
            | Self::Ss
            | Self::Swg
            | Self::Rust => Ranges::Known,
        }
    }

    /// The measure that comes with every model of this format.
    pub fn own_progress(self) -> Option<&'static str> {
        match self {
            Self::Ss => Some("progress"),
            _ => None,
        }
    }
}

impl Model {
    /// A model of which nothing is known but the system: one written in Rust.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use sweepline_core::{ActionId, AnySystem, Describe, Layout, Steps, System, Word};
    /// use sweepline_session::{Model, Options, Order, Questions, verify};
    ///
    /// /// A counter that goes from 0 to 999 and stops there.
    /// struct Counter(Layout);
    /// impl System for Counter {
    ///     fn layout(&self) -> &Layout { &self.0 }
    ///     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
    ///     fn successors(&self, state: &[Word], out: &mut Steps) {
    ///         if state[0] < 999 { out.push(ActionId(0), &[state[0] + 1]); }
    ///     }
    /// }
    /// impl Describe for Counter {
    ///     fn actions(&self) -> &[String] { &[] }
    /// }
    /// impl AnySystem for Counter {}
    ///
    /// let counter = Counter(Layout::builder().integer("n", 0, 999).build());
    /// let model = Model::of_system("counter", Arc::new(counter));
    /// let order = Order::parse(Some("n"), None, 1, 0).unwrap();
    /// let runs = verify(&model, &Questions::default(), &order, &Options::default(), &mut ()).unwrap();
    /// assert_eq!(runs[0].states, Some(1000));
    /// assert_eq!(runs[0].statistics.layers, 1000);
    /// ```
    pub fn of_system(name: impl Into<String>, system: Arc<dyn AnySystem>) -> Self {
        let slots = units::counted(system.layout().slots().len() as u64, "slot");
        let summary = format!("model in Rust, {slots}");
        Self::new(name.into(), Format::Rust, system, summary)
    }

    /// A net.
    pub fn of_net(name: impl Into<String>, net: Arc<PetriNet>) -> Self {
        let places = units::counted(net.places().len() as u64, "place");
        let transitions = units::counted(net.transitions().len() as u64, "transition");
        let system = Arc::new(NetSystem::new(Arc::clone(&net)));
        let summary = match net.folded() {
            None => format!("P/T net, {places}, {transitions}"),
            Some(folded) => {
                let before = units::counted(folded.place_count() as u64, "place");
                let changes = units::counted(folded.transition_count() as u64, "transition");
                let resting = folded.resting_count();
                let places = units::counted((net.places().len() + resting) as u64, "place");
                let resting = match resting {
                    0 => String::new(),
                    1 => "; one of the places never changes".to_owned(),
                    count => format!(
                        "; {} of the places never change",
                        units::grouped(count as u64)
                    ),
                };
                format!(
                    "symmetric net, {before}, {changes}, unfolded to {places}, {transitions}{resting}"
                )
            }
        };
        Self {
            structure: Structure::Net(net),
            ..Self::new(name.into(), Format::Pnml, system, summary)
        }
    }

    pub(crate) fn new(
        name: String,
        format: Format,
        system: Arc<dyn AnySystem>,
        summary: String,
    ) -> Self {
        Self {
            name,
            format,
            system,
            summary,
            structure: Structure::Unknown,
            ranges: format.ranges(),
            path: None,
            text: String::new(),
            definitions: Vec::new(),
            questions: Vec::new(),
            recurring: Vec::new(),
            assertions: Vec::new(),
            coloured: None,
            notes: Vec::new(),
            columns: None,
            constants: Vec::new(),
            properties: Vec::new(),
            unanswered: Vec::new(),
            warnings: Vec::new(),
            can_fail: None,
            is_compiled: false,
            is_unfolded: false,
            loading: Duration::ZERO,
        }
    }

    /// The same with other questions that are asked if nobody asks anything else.
    #[must_use]
    pub fn asking(self, questions: Vec<Question>) -> Self {
        Self { questions, ..self }
    }

    /// Where it is a net: the net.
    pub fn net(&self) -> Option<&Arc<PetriNet>> {
        match &self.structure {
            Structure::Net(net) => Some(net),
            _ => None,
        }
    }

    /// Looks for a measure that saves memory.
    pub fn find_measure(&self, limits: &Limits) -> Findings {
        self.find_saving(Thrift::Memory, limits)
    }

    /// Looks for a measure that saves memory, or memory but no time.
    pub fn find_saving(&self, thrift: Thrift, limits: &Limits) -> Findings {
        self.structure
            .find_saving(thrift, &self.system, self.ranges, limits)
    }

    /// Why an action cannot always progress: actions that together lead back to where they started, and how often each
    /// happens. Nothing if no such cycle can be seen.
    pub fn why_not(&self, action: &str) -> Result<Option<Vec<(usize, u64)>>, Error> {
        let names = self.system.actions();
        let by_id = names.iter().position(|name| name == action);
        let by_name = || {
            let found = self.net()?.find_transition(action).ok()?;
            Some(found.index())
        };
        let Some(index) = by_id.or_else(by_name) else {
            let nearest = sweepline_logic::nearest(action, names.iter().map(String::as_str));
            return Err(Error::NoSuchAction {
                model: self.name.clone(),
                action: action.to_owned(),
                help: match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => {
                        "`sweepline explore --export FILE.aut` shows the names of actions".into()
                    }
                },
            });
        };
        Ok(self.structure.why_not(index))
    }

    /// The same in words, one line for each action of the cycle.
    pub fn explain(&self, action: &str) -> Result<String, Error> {
        let Some(cycle) = self.why_not(action)? else {
            return Ok(format!(
                "`{action}` lies on no cycle that can be seen in the model: a measure can grow whenever it happens\n"
            ));
        };
        let mut text = format!(
            "`{action}` lies on a cycle: these together lead back to where they started, so no measure can grow by all of them\n"
        );
        for (index, times) in cycle {
            text += "  ";
            text += &self.system.actions()[index];
            if times > 1 {
                text += &["  ", &times.to_string(), " times"].concat();
            }
            text.push('\n');
        }
        Ok(text)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .field("format", &self.format)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}
