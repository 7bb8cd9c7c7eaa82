//! Where everything goes: title, legend, plot and axes. Nothing but data lies in the plot.

use super::scale::{Ruler, admits};
use super::text;
use super::{Axis, Chart, Point, Series};

/// Size of the whole drawing.
pub(super) const WIDTH: f64 = 720.0;
pub(super) const HEIGHT: f64 = 440.0;

/// Sizes of type.
pub(super) const TITLE_SIZE: f64 = 17.0;
pub(super) const TEXT_SIZE: f64 = 12.5;

/// How much wider bold type is.
const BOLD: f64 = 1.12;

const MARGIN: f64 = 20.0;
const TITLE_LINE: f64 = 22.0;
const LEGEND_LINE: f64 = 21.0;
/// Room for the mark in front of a name in the legend, and for the gap behind it.
const SWATCH: f64 = 30.0;
const GAP: f64 = 22.0;
/// Room for the number of series that are not in the legend.
const MORE: f64 = 120.0;
/// Room for the label of the vertical axis, which stands above it.
const AXIS_LABEL: f64 = 32.0;
/// The plot stays at least this high, however long the legend is.
const LEAST_HEIGHT: f64 = 140.0;

/// The layout of a chart.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) title: Vec<String>,
    pub(super) legend: Legend,
    pub(super) plot: Rect,
    pub(super) x: Ruler,
    pub(super) y: Ruler,
}

/// The names of the series.
#[derive(Debug)]
pub(super) struct Legend {
    /// A name, and where its mark begins.
    pub(super) entries: Vec<(String, Spot)>,
    /// How many series there was no room for, in words.
    pub(super) more: Option<(String, Spot)>,
    bottom: f64,
}

/// A position in the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A rectangle in the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Frame {
    /// Lays a chart out from top to bottom.
    pub(super) fn of(chart: &Chart) -> Self {
        let x = ruler(chart, &chart.x, |point| point.x, 9);
        let y = ruler(chart, &chart.y, |point| point.y, 8);
        let mut title = text::wrapped(&chart.title, TITLE_SIZE * BOLD, WIDTH - 2.0 * MARGIN);
        title.truncate(3);
        let below_title = MARGIN + TITLE_LINE * count(&title);
        let bottom = HEIGHT - 62.0;
        let lowest = bottom - LEAST_HEIGHT - AXIS_LABEL;
        let legend = legend(&chart.series, below_title + 6.0, lowest);
        let widest = y
            .ticks
            .iter()
            .map(|&tick| text::width(&chart.y.unit.write(tick), TEXT_SIZE));
        let plot = Rect {
            left: MARGIN + widest.fold(20.0, f64::max) + 8.0,
            top: legend.bottom + AXIS_LABEL,
            right: WIDTH - MARGIN - 16.0,
            bottom,
        };
        Self {
            title,
            legend,
            plot,
            x,
            y,
        }
    }

    /// Where the lines of the title stand.
    pub(super) fn title_spots(&self) -> impl Iterator<Item = (&str, Spot)> {
        let lines = (1_u8..).map(|line| MARGIN + TITLE_LINE * f64::from(line) - 5.0);
        let spots = lines.map(|y| Spot { x: MARGIN, y });
        self.title.iter().map(String::as_str).zip(spots)
    }

    /// Where a point lies, if it can be drawn.
    pub(super) fn spot(&self, chart: &Chart, point: &Point) -> Option<Spot> {
        drawable(chart, point).then(|| Spot {
            x: self.across(point.x),
            y: self.up(point.y),
        })
    }

    pub(super) fn across(&self, value: f64) -> f64 {
        self.plot.left + self.x.position(value) * (self.plot.right - self.plot.left)
    }

    pub(super) fn up(&self, value: f64) -> f64 {
        self.plot.bottom - self.y.position(value) * (self.plot.bottom - self.plot.top)
    }
}

fn drawable(chart: &Chart, point: &Point) -> bool {
    admits(chart.x.scale, point.x) && admits(chart.y.scale, point.y)
}

fn ruler(chart: &Chart, axis: &Axis, value: impl Fn(&Point) -> f64, most: usize) -> Ruler {
    let points = chart.series.iter().flat_map(|series| &series.points);
    let values: Vec<f64> = points
        .filter(|point| drawable(chart, point))
        .map(value)
        .collect();
    Ruler::new(axis, &values, most)
}

/// Names of the series in rows from `top` on, as many as leave room for the plot.
fn legend(series: &[Series], top: f64, lowest: f64) -> Legend {
    // One name and the number of those left out always fit into a row.
    let longest = WIDTH - 2.0 * MARGIN - SWATCH - MORE;
    let (mut x, mut y) = (MARGIN, top + LEGEND_LINE * 0.5);
    let mut entries = Vec::new();
    for (index, one) in series.iter().enumerate() {
        let last_row = y + 1.5 * LEGEND_LINE > lowest;
        let edge = WIDTH - MARGIN - if last_row { MORE } else { 0.0 };
        let name = text::cut(&one.name, TEXT_SIZE, longest);
        let width = SWATCH + text::width(&name, TEXT_SIZE);
        if x > MARGIN && x + width > edge {
            if last_row {
                let more = Some((format!("and {} more", series.len() - index), Spot { x, y }));
                return Legend {
                    entries,
                    more,
                    bottom: y + LEGEND_LINE * 0.5,
                };
            }
            (x, y) = (MARGIN, y + LEGEND_LINE);
        }
        entries.push((name, Spot { x, y }));
        x += width + GAP;
    }
    let bottom = if series.is_empty() {
        top
    } else {
        y + LEGEND_LINE * 0.5
    };
    Legend {
        entries,
        more: None,
        bottom,
    }
}

fn count<T>(items: &[T]) -> f64 {
    u32::try_from(items.len()).map_or(0.0, f64::from)
}

#[cfg(test)]
mod tests {
    use super::super::{Scale, Style, Unit};
    use super::*;

    #[test]
    fn the_legend_never_reaches_the_plot() {
        let axis = Axis {
            label: "n".into(),
            scale: Scale::Linear,
            unit: Unit::Number,
        };
        for (title, name, series, shown) in [
            ("", "", 0, 0),
            ("title", "name", 3, 3),
            ("title", "name", 200, 40),
            ("many words in a title", &"long name ".repeat(20), 9, 6),
            (&"many words in a title ".repeat(30), "name", 200, 30),
        ] {
            let one = Series {
                name: name.into(),
                points: Vec::new(),
                style: Style::Line,
            };
            let chart = Chart {
                title: title.into(),
                x: axis.clone(),
                y: axis.clone(),
                series: vec![one; series],
            };
            let frame = Frame::of(&chart);
            let legend = &frame.legend;
            assert!(legend.entries.len() >= shown, "{}", legend.entries.len());
            assert_eq!(legend.more.is_some(), legend.entries.len() < series);
            assert!(frame.plot.bottom - frame.plot.top >= LEAST_HEIGHT);
            for (_, spot) in legend.entries.iter().chain(&legend.more) {
                assert!(spot.y < frame.plot.top - AXIS_LABEL && spot.x < WIDTH - MARGIN);
            }
        }
    }
}
