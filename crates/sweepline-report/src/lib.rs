//! Reports of runs and measurements, and text that is fit for a terminal: [`table`], [`lines`], [`plain`] text of
//! others, [`diagnostic`]s, [`listing`]s of names, [`files`] that are replaced as a whole.
//!
//! [`chart`] draws figures as SVG files that need nothing else:
//!
//! ```
//! use sweepline_report::chart::{Axis, Chart, Point, Scale, Series, Style, Unit, svg};
//!
//! let chart = Chart {
//!     title: "Stop-and-wait protocol".into(),
//!     x: Axis { label: "Peak memory".into(), scale: Scale::Log, unit: Unit::Bytes },
//!     y: Axis { label: "Time".into(), scale: Scale::Log, unit: Unit::Seconds },
//!     series: vec![Series {
//!         name: "sweep-line".into(),
//!         style: Style::Points,
//!         points: vec![Point { x: 65_536.0, y: 0.25, label: None }],
//!     }],
//! };
//! assert!(svg(&chart).contains("<title>sweep-line: 64 KiB, 250 ms</title>"));
//! ```

pub mod chart;
pub mod diagnostic;
pub mod files;
pub mod lines;
pub mod listing;
pub mod picture;
pub mod plain;
pub mod table;
