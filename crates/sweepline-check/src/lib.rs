//! Questions about a model and their answers: deadlocks, reachability, invariants, bounds; evidence for each.
//!
//! Several [`Question`]s share one exploration; [`answer`] runs it, replays the evidence and gives every
//! question its [`Answer`]. An [`Inquiry`] does the same in steps, between which the measure can be changed.
//!
//! ```
//! use sweepline_check::{Plan, Question, answer};
//! use sweepline_core::{ActionId, Describe, Layout, NoProgress, Steps, System, Verdict, Word};
//! use sweepline_explore::Options;
//!
//! /// A counter that goes from 0 to 3 and stops there.
//! struct Counter(Layout);
//! impl System for Counter {
//!     fn layout(&self) -> &Layout { &self.0 }
//!     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
//!     fn successors(&self, state: &[Word], out: &mut Steps) {
//!         if state[0] < 3 { out.push(ActionId(0), &[state[0] + 1]); }
//!     }
//! }
//! impl Describe for Counter {
//!     fn actions(&self) -> &[String] { &[] }
//! }
//!
//! let counter = Counter(Layout::builder().integer("n", 0, 3).build());
//! let small = Question::invariant("small", "n < 3", |seen| Ok(seen.state[0] < 3));
//! let plan = Plan { system: counter, progress: NoProgress, questions: vec![small] };
//! let report = answer(plan, |_, _| None, Options::default(), &mut ());
//! let answer = &report.answers[0];
//! assert_eq!(answer.verdict, Verdict::Violated);
//! assert_eq!(answer.evidence.as_ref().unwrap().steps.len(), 3);
//! ```

mod answer;
mod asking;
mod bind;
pub mod ctl;
mod engine;
mod inquiry;
pub mod ltl;
mod question;
mod runs;
mod vacuous;

pub use answer::{Answer, Failure, Plan, Report, answer};
pub use engine::Engine;
pub use inquiry::{Again, EachState, Encodings, Inquiry};
pub use question::{Eval, Question, QuestionKind, Seen, Test, Truth, Value};
pub use runs::{Accepted, FairRuns, Runs, RunsAnswer};
pub use vacuous::{Claimed, Vacuous};
