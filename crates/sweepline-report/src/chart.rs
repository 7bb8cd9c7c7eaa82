//! Charts of one quantity against another.
//!
//! A chart is drawn as an SVG file without scripts and without anything from elsewhere. It looks the same in every program
//! that knows the attributes of SVG, follows the reader's choice of a light or dark page in those that know style sheets,
//! tells series apart by colour and by shape, and says its values when pointed at. With the feature `png` it is drawn as a
//! PNG file, too, in a font that comes with it.

mod draw;
mod frame;
mod labels;
#[cfg(feature = "png")]
mod outline;
#[cfg(feature = "png")]
mod raster;
mod scale;
mod text;
mod unit;

#[cfg(feature = "png")]
pub use self::raster::PngError;
pub use self::unit::Unit;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What is on the horizontal axis.
    pub x: Axis,
    /// What is on the vertical axis.
    pub y: Axis,
    /// The data, in the order of the legend.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity.
    pub label: String,
    /// How values become lengths.
    pub scale: Scale,
    /// How values are written.
    pub unit: Unit,
}

/// How values become lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long. The axis includes zero.
    Linear,
    /// Equal ratios are equally long. Values that are not positive are left out.
    Log,
}

/// Data that belongs together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The points in the order they are to be joined. Points with a value that is not finite are left out.
    pub points: Vec<Point>,
    /// How they are drawn.
    pub style: Style,
}

/// A point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where it is on the horizontal axis.
    pub x: f64,
    /// Where it is on the vertical axis.
    pub y: f64,
    /// What is written beside it where there is room, and shown when it is pointed at.
    pub label: Option<String>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Small marks joined by a line.
    Line,
    /// Large marks on their own.
    Points,
}

/// Draws a chart as an SVG file.
pub fn svg(chart: &Chart) -> String {
    let frame = frame::Frame::of(chart);
    draw::document(chart, &frame, &draw::Elements)
}

/// Draws a chart as a PNG file, so many times as large as an SVG file says it is.
///
/// ```
/// use sweepline_report::chart::{Axis, Chart, Scale, Unit, png};
///
/// let axis = |label: &str| Axis { label: label.into(), scale: Scale::Linear, unit: Unit::Number };
/// let chart = Chart { title: "Nothing".into(), x: axis("n"), y: axis("states"), series: Vec::new() };
/// assert!(png(&chart, 2).unwrap().starts_with(b"\x89PNG"));
/// ```
#[cfg(feature = "png")]
pub fn png(chart: &Chart, times: u8) -> Result<Vec<u8>, PngError> {
    let frame = frame::Frame::of(chart);
    raster::png(&draw::document(chart, &frame, &outline::Outlines), times)
}
