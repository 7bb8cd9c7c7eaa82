//! Sessions: a model, questions and an order; load, verify, steer, report. What the command line does, as a library that
//! prints nothing and reads no environment.
//!
//! [`load()`] reads a model file; [`Model::of_system`] takes any system. [`Questions`] are gathered from texts and files,
//! or bound to the system already; an [`Order`] is given, written in the model, or found. [`verify()`] explores and
//! answers: it gives up a measure that loses, and falls back on one that stores less if memory runs out. An [`Adapter`] says how
//! a question is answered by exploring another system, and how evidence comes back from there.
//!
//! ```
//! use std::path::Path;
//! use sweepline_core::{Limits, Verdict};
//! use sweepline_session::*;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/peterson.dve");
//! let limits = Limits::default();
//! let Reading::Loaded(model) = load(&file, &LoadOptions::default(), &limits)? else {
//!     panic!("there are no limits");
//! };
//! let questions = QuestionOptions {
//!     deadlock: true,
//!     ..QuestionOptions::default()
//! };
//! let questions = Questions::gather(&questions, &model)?;
//! let order = Order::of(&OrderOptions::default(), &model, &limits)?;
//! let runs = verify(&model, &questions, &order, &Options::default(), &mut ())?;
//! assert_eq!(runs[0].answers[0].verdict, Verdict::Holds);
//! # Ok::<(), Error>(())
//! ```

mod adapter;
mod annotation;
mod asserted;
mod brief;
mod coloured;
mod compare;
mod error;
mod exploration;
mod fair_choice;
mod fairness;
mod forecast;
mod graphs;
mod guard;
mod kind;
mod load;
mod local;
mod lookout;
pub mod machine;
mod model;
mod networks;
mod order;
mod property_file;
mod questions;
mod reading;
pub mod record;
mod reduction;
mod run;
mod runs;
mod searches;
mod steer;
mod trace;
mod trial;
pub mod typed;
mod unanswered;
pub mod units;
mod verify;
mod witness;
pub mod words;

pub use adapter::{Adapted, Adapter, Plain, Watched};
pub use asserted::Asserted;
pub use coloured::state_space_report;
pub use compare::{CacheSize, Comparison};
pub use error::{Error, WrongColumn};
pub use fairness::Fair;
pub use forecast::{Forecast, Outlook};
pub use graphs::{
    GraphExport, GraphInfo, Visit, build_graph, definitions, export_for, exported, fingerprint,
    open_graph, record_graph, visit, write_graph,
};
pub use guard::{Complaint, Patience};
pub use load::{Execution, LoadOptions, OnError, load, load_text};
pub use local::{LocalAnalysis, LocalClaim, LocalMethod, LocalOptions, LocalProperty, analyse};
pub use model::{Format, Model};
pub use order::{Cache, ChosenBy, Goal, Linearise, Method, Order, OrderOptions};
pub use questions::{NamedQuestion, QuestionOptions, Questions, define, split_name};
pub use reading::{Reading, Stopped};
pub use reduction::{Dependency, Preserved, Reduce, Via, explore_reduced};
pub use run::{Answer, Assertions, Change, Run, ShowWitness};
pub use runs::Emptiness;
pub use searches::{compare_searches, disagreement};
pub use sweepline_cpn::TimeMode;
pub use trace::{Evidence, ShownStep, ShownTrace};
pub use trial::try_out;
pub use unanswered::{Asked, Unanswered};
pub use verify::{Beginning, Monitor, Options, explore, verify};
pub use witness::ShownWitness;
