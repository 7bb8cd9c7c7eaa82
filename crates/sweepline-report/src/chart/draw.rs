//! Writing the SVG.

use std::fmt::{self, Write};

use super::frame::{Frame, HEIGHT, Spot, TEXT_SIZE, TITLE_SIZE, WIDTH};
use super::labels::{LABEL_SIZE, Labels};
use super::text::escape;
use super::{Chart, Point, Series, Style};

/// Colours on a light page. They stand in attributes, which every renderer knows; style sheets and variables are for some.
const PAPER: &str = "#fff";
const INK: &str = "#1b1f24";
const SOFT: &str = "#59636e";
const GRID: &str = "#e4e7eb";
const AXIS: &str = "#8b949e";

/// Colours that people with any sort of colour vision tell apart (Okabe and Ito), in an order in which neighbours
/// differ most.
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK,
];

/// On a dark page, for whoever knows such things: the darkest colours give way to lighter ones.
const DARK: &str = "\
@media (prefers-color-scheme:dark){\
.paper{fill:#14171c}.ink{fill:#e8ebef}.soft{fill:#a2abb6}.grid{stroke:#282d35}.axis{stroke:#6b7480}\
.halo{fill:#14171c;stroke:#14171c}.mark{stroke:#14171c}\
.m0{fill:#56b4e9}.m1{fill:#f07f2e}.m2{fill:#1fc296}.m3{fill:#dd94bd}.m4{fill:#e69f00}.m5{fill:#f0e442}.m6{fill:#e8ebef}\
.l0{stroke:#56b4e9}.l1{stroke:#f07f2e}.l2{stroke:#1fc296}.l3{stroke:#dd94bd}.l4{stroke:#e69f00}.l5{stroke:#f0e442}.l6{stroke:#e8ebef}}";

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/// The whole file, with texts as they are drawn by somebody.
pub(super) fn document(chart: &Chart, frame: &Frame, letters: &dyn Letters) -> String {
    let mut drawing = Drawing {
        svg: String::new(),
        letters,
    };
    // Writing to a string cannot fail.
    let _ = drawing.document(chart, frame);
    drawing.svg
}

/// Draws texts.
pub(super) trait Letters {
    /// Appends elements that show a text, with these attributes for its paint.
    fn write(&self, svg: &mut String, paint: &str, text: &Text<'_>) -> fmt::Result;
}

/// A text in the drawing.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) content: &'a str,
    /// Where its base line begins, ends, or has its middle.
    pub(super) at: Spot,
    pub(super) anchor: Anchor,
    pub(super) size: f64,
    pub(super) bold: bool,
}

/// Which part of a text stands where it is said to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Elements for texts, which the reader's program draws in a font it has.
pub(super) struct Elements;

impl Letters for Elements {
    fn write(&self, svg: &mut String, paint: &str, text: &Text<'_>) -> fmt::Result {
        let anchor = match text.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = if text.bold {
            r#" font-weight="600""#
        } else {
            ""
        };
        let (x, y, size) = (Px(text.at.x), Px(text.at.y), text.size);
        let content = escape(text.content);
        writeln!(
            svg,
            r#"<text {paint} x="{x}" y="{y}" font-size="{size}"{weight}{anchor}>{content}</text>"#
        )
    }
}

/// A file being written.
struct Drawing<'l> {
    svg: String,
    letters: &'l dyn Letters,
}

impl Drawing<'_> {
    fn document(&mut self, chart: &Chart, frame: &Frame) -> fmt::Result {
        let svg = &mut self.svg;
        writeln!(
            svg,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" stroke="none" font-family="{FONTS}">"#
        )?;
        writeln!(svg, "<title>{}</title>", escape(&chart.title))?;
        writeln!(svg, "<desc>{}</desc>", escape(&description(chart, frame)))?;
        writeln!(svg, "<style>{DARK}</style>")?;
        writeln!(
            svg,
            r#"<rect class="paper" fill="{PAPER}" width="{WIDTH}" height="{HEIGHT}"/>"#
        )?;
        self.title(frame)?;
        self.legend(chart, frame)?;
        self.grid(chart, frame)?;
        self.axis_labels(chart, frame)?;
        self.data(chart, frame)?;
        self.point_labels(chart, frame)?;
        writeln!(self.svg, "</svg>")
    }

    fn ink(&mut self, text: &Text<'_>) -> fmt::Result {
        let paint = format!(r#"class="ink" fill="{INK}""#);
        self.letters.write(&mut self.svg, &paint, text)
    }

    fn soft(&mut self, text: &Text<'_>) -> fmt::Result {
        let paint = format!(r#"class="soft" fill="{SOFT}""#);
        self.letters.write(&mut self.svg, &paint, text)
    }

    /// A text that keeps lines below it away. It is drawn twice, because not everybody draws a stroke before its text.
    fn halo(&mut self, text: &Text<'_>) -> fmt::Result {
        let paint = format!(
            r#"class="halo" fill="{PAPER}" stroke="{PAPER}" stroke-width="3" stroke-linejoin="round""#
        );
        self.letters.write(&mut self.svg, &paint, text)?;
        self.soft(text)
    }

    fn title(&mut self, frame: &Frame) -> fmt::Result {
        for (content, at) in frame.title_spots() {
            self.ink(&Text {
                content,
                at,
                anchor: Anchor::Start,
                size: TITLE_SIZE,
                bold: true,
            })?;
        }
        Ok(())
    }

    fn legend(&mut self, chart: &Chart, frame: &Frame) -> fmt::Result {
        let entries = chart.series.iter().zip(&frame.legend.entries);
        for (index, (series, (name, at))) in entries.enumerate() {
            if series.style == Style::Line {
                let (x, y, end) = (Px(at.x), Px(at.y), Px(at.x + 22.0));
                let paint = stroke(index);
                writeln!(self.svg, r#"<path {paint} d="M{x} {y}H{end}"/>"#)?;
            }
            let middle = Spot {
                x: at.x + 11.0,
                y: at.y,
            };
            writeln!(self.svg, "{}/>", mark(index, series.style, middle))?;
            self.ink(&Text::new(name, at.x + 28.0, at.y + 4.5))?;
        }
        if let Some((more, at)) = &frame.legend.more {
            self.soft(&Text::new(more, at.x, at.y + 4.5))?;
        }
        Ok(())
    }

    fn grid(&mut self, chart: &Chart, frame: &Frame) -> fmt::Result {
        let plot = frame.plot;
        for &tick in &frame.y.minor {
            writeln!(self.svg, "{}", across(frame, tick, MINOR))?;
        }
        for &tick in &frame.x.minor {
            writeln!(self.svg, "{}", upright(frame, tick, MINOR))?;
        }
        for &tick in &frame.y.ticks {
            writeln!(self.svg, "{}", across(frame, tick, ""))?;
            let value = chart.y.unit.write(tick);
            let text = Text::new(&value, plot.left - 8.0, frame.up(tick) + 4.5);
            self.soft(&text.anchored(Anchor::End))?;
        }
        for &tick in &frame.x.ticks {
            writeln!(self.svg, "{}", upright(frame, tick, ""))?;
            let value = chart.x.unit.write(tick);
            let text = Text::new(&value, frame.across(tick), plot.bottom + 20.0);
            self.soft(&text.anchored(Anchor::Middle))?;
        }
        let (left, right) = (Px(plot.left), Px(plot.right));
        let (top, bottom) = (Px(plot.top), Px(plot.bottom));
        writeln!(
            self.svg,
            r#"<path class="axis" fill="none" stroke="{AXIS}" d="M{left} {top}V{bottom}H{right}"/>"#
        )
    }

    fn axis_labels(&mut self, chart: &Chart, frame: &Frame) -> fmt::Result {
        let plot = frame.plot;
        self.soft(&Text::new(&chart.y.label, plot.left, plot.top - 10.0))?;
        let below = Text::new(&chart.x.label, plot.right, plot.bottom + 42.0);
        self.soft(&below.anchored(Anchor::End))
    }

    fn data(&mut self, chart: &Chart, frame: &Frame) -> fmt::Result {
        for (index, series) in chart.series.iter().enumerate() {
            self.line(index, series, spots(chart, frame, series))?;
        }
        for (index, series) in chart.series.iter().enumerate() {
            for (point, at) in spots(chart, frame, series) {
                let says = escape(&tooltip(chart, series, point));
                let drawn = mark(index, series.style, at);
                writeln!(self.svg, "{drawn}><title>{says}</title></path>")?;
            }
        }
        let empty = chart
            .series
            .iter()
            .all(|series| spots(chart, frame, series).next().is_none());
        if empty {
            let plot = frame.plot;
            let (x, y) = (
                plot.left.midpoint(plot.right),
                plot.top.midpoint(plot.bottom),
            );
            self.halo(&Text::new("no data", x, y).anchored(Anchor::Middle))?;
        }
        Ok(())
    }

    fn line<'a>(
        &mut self,
        index: usize,
        series: &Series,
        spots: impl Iterator<Item = (&'a Point, Spot)>,
    ) -> fmt::Result {
        let path: Vec<String> = spots
            .map(|(_, at)| format!("{} {}", Px(at.x), Px(at.y)))
            .collect();
        if series.style == Style::Points || path.len() < 2 {
            return Ok(());
        }
        let (paint, path) = (stroke(index), path.join("L"));
        writeln!(self.svg, r#"<path {paint} d="M{path}"/>"#)
    }

    /// The labels of points that find room, those of single marks first.
    fn point_labels(&mut self, chart: &Chart, frame: &Frame) -> fmt::Result {
        let mut labels = Labels::new(frame.plot);
        for series in &chart.series {
            let spots: Vec<Spot> = spots(chart, frame, series).map(|(_, at)| at).collect();
            for &at in &spots {
                labels.avoid_mark(at);
            }
            if series.style == Style::Line {
                for pair in spots.windows(2) {
                    labels.avoid_line(pair[0], pair[1]);
                }
            }
        }
        for style in [Style::Points, Style::Line] {
            for series in chart.series.iter().filter(|series| series.style == style) {
                for (point, at) in spots(chart, frame, series) {
                    let Some(label) = &point.label else { continue };
                    let Some(middle) = labels.place(label, at) else {
                        continue;
                    };
                    let text = Text {
                        size: LABEL_SIZE,
                        ..Text::new(label, middle.x, middle.y + 4.0)
                    };
                    self.halo(&text.anchored(Anchor::Middle))?;
                }
            }
        }
        Ok(())
    }
}

impl<'a> Text<'a> {
    fn new(content: &'a str, x: f64, y: f64) -> Self {
        Self {
            content,
            at: Spot { x, y },
            anchor: Anchor::Start,
            size: TEXT_SIZE,
            bold: false,
        }
    }

    fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// The chart in a sentence, for those who cannot see it.
fn description(chart: &Chart, frame: &Frame) -> String {
    let mut sentence = format!("{} against {}.", chart.y.label, chart.x.label);
    for series in &chart.series {
        let count = spots(chart, frame, series).count();
        let plural = if count == 1 { "" } else { "s" };
        let _ = write!(sentence, " {}: {count} point{plural}.", series.name);
    }
    sentence
}

/// Lines between the others are fainter.
const MINOR: &str = r#" stroke-opacity=".5""#;

/// The line of a tick of the vertical axis.
fn across(frame: &Frame, tick: f64, more: &str) -> String {
    let (y, left, right) = (
        Px(frame.up(tick)),
        Px(frame.plot.left),
        Px(frame.plot.right),
    );
    format!(r#"<path class="grid" fill="none" stroke="{GRID}"{more} d="M{left} {y}H{right}"/>"#)
}

/// The line of a tick of the horizontal axis, which goes a little beyond it.
fn upright(frame: &Frame, tick: f64, more: &str) -> String {
    let (x, top, end) = (
        Px(frame.across(tick)),
        Px(frame.plot.top),
        Px(frame.plot.bottom + 5.0),
    );
    format!(r#"<path class="grid" fill="none" stroke="{GRID}"{more} d="M{x} {top}V{end}"/>"#)
}

/// The paint of a curve.
fn stroke(index: usize) -> String {
    let colour = index % COLOURS.len();
    format!(
        r#"class="l{colour}" fill="none" stroke="{}" stroke-width="2" stroke-linejoin="round" stroke-linecap="round""#,
        COLOURS[colour]
    )
}

fn tooltip(chart: &Chart, series: &Series, point: &Point) -> String {
    let label = point
        .label
        .as_ref()
        .map_or(String::new(), |label| format!(" ({label})"));
    let (x, y) = (chart.x.unit.write(point.x), chart.y.unit.write(point.y));
    format!("{}{label}: {x}, {y}", series.name)
}

/// The points of a series that can be drawn, with their places.
fn spots<'a>(
    chart: &'a Chart,
    frame: &'a Frame,
    series: &'a Series,
) -> impl Iterator<Item = (&'a Point, Spot)> {
    let points = series.points.iter();
    points.filter_map(|point| Some((point, frame.spot(chart, point)?)))
}

/// A mark as a path that is still open for its end. Every series has a shape of its own.
fn mark(index: usize, style: Style, at: Spot) -> String {
    let r = match style {
        Style::Line => 4.0,
        Style::Points => 6.0,
    };
    let (x, y) = (at.x, at.y);
    let path = match index % 4 {
        0 => format!(
            "M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 {} 0Z",
            Px(x - r),
            Px(y),
            2.0 * r,
            -2.0 * r
        ),
        1 => diamond(x, y, r * 1.3),
        2 => square(x, y, r * 0.9),
        _ => triangle(x, y, r * 1.25),
    };
    let colour = index % COLOURS.len();
    format!(
        r#"<path class="mark m{colour}" fill="{}" stroke="{PAPER}" stroke-width="1.5" d="{path}""#,
        COLOURS[colour]
    )
}

fn diamond(x: f64, y: f64, r: f64) -> String {
    polygon(&[(x, y - r), (x + r, y), (x, y + r), (x - r, y)])
}

fn square(x: f64, y: f64, r: f64) -> String {
    polygon(&[
        (x - r, y - r),
        (x + r, y - r),
        (x + r, y + r),
        (x - r, y + r),
    ])
}

fn triangle(x: f64, y: f64, r: f64) -> String {
    polygon(&[
        (x, y - r),
        (x + r * 0.95, y + r * 0.75),
        (x - r * 0.95, y + r * 0.75),
    ])
}

fn polygon(corners: &[(f64, f64)]) -> String {
    let corners: Vec<String> = corners
        .iter()
        .map(|&(x, y)| format!("{} {}", Px(x), Px(y)))
        .collect();
    format!("M{}Z", corners.join("L"))
}

/// A length with one digit after the point, which is finer than anybody sees.
struct Px(f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns minus zero into zero.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}
