//! Linear progress measures of nets.
//!
//! Every weighting of places makes a measure: the weighted sum of tokens. Each transition changes it by a constant, its
//! offset. *Columns* have no negative offset. By Farkas' lemma a column can have a positive offset on a transition if
//! and only if the transition belongs to no T-semiflow, that is, to no multiset of transitions that together change
//! nothing. [`columns`] finds measures with all these positive offsets by linear programming, [`finer`] splits them,
//! and [`semiflow_containing`] explains why a transition cannot progress. [`rows`] have negative offsets on a few
//! transitions and order what the columns leave. [`greatest_value`] says how far a measure can rise, and
//! [`is_beyond`] that so many tokens are never there.
//!
//! The solver computes with floating-point numbers, but everything returned has been checked in integers. Where the
//! solver fails, less is claimed.
//!
//! ```
//! use sweepline_progress::linear::{Budget, Effects, Hints, columns, greatest_value, rows};
//!
//! // A sender has sent nothing (0) or its packet (1), which is in the channel (2) unless it is lost and sent again,
//! // until it is received (3).
//! let send = vec![(0, -1), (1, 1), (2, 1)];
//! let resend = vec![(2, 1)];
//! let lose = vec![(2, -1)];
//! let receive = vec![(2, -1), (1, -1), (3, 1)];
//! let net = Effects::new(4, vec![send, resend, lose, receive]);
//!
//! let budget = Budget::default();
//! let columns = columns(&net, &budget);
//! assert_eq!(columns.strict, [true, false, false, true]);
//! let progress = &columns.coordinates[0];
//! assert_eq!(progress.of, [(1, 1), (3, 2)]);
//! assert_eq!(greatest_value(&net, &[1, 0, 0, 0], progress, &budget), Some(2));
//!
//! // Between two steps of progress, either sending again or losing packets leads back.
//! let rows = rows(&net, &columns, &Hints::default(), &budget);
//! assert_eq!(rows[0].regress.len(), 1);
//! ```

mod bound;
mod budget;
mod columns;
mod cover;
mod effects;
mod equations;
mod exact;
mod parts;
mod quotient;
mod rows;
mod semiflow;
mod solver;
mod stack;

pub use bound::greatest_value;
pub use budget::Budget;
pub use columns::{Columns, columns, finer};
pub use cover::is_beyond;
pub use effects::{Effects, Weights};
pub use rows::{Hints, Row, rows};
pub use semiflow::semiflow_containing;
