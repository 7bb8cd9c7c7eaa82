//! Writing the SVG.

use std::fmt::{self, Write};

use super::frame::{Frame, HEIGHT, Spot, TEXT_SIZE, TITLE_SIZE, WIDTH};
use super::labels::{LABEL_SIZE, Labels};
use super::text::escape;
use super::{Chart, Point, Series, Style};

/// Colours that people with any sort of colour vision tell apart (Okabe and Ito), in an order in which neighbours
/// differ most. On a dark page the darkest give way to lighter ones.
const STYLE: &str = "\
.chart{--paper:#fff;--ink:#1b1f24;--soft:#59636e;--grid:#e4e7eb;--axis:#8b949e;\
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#e69f00;--c5:#56b4e9;--c6:#1b1f24}
@media (prefers-color-scheme:dark){.chart{--paper:#14171c;--ink:#e8ebef;--soft:#a2abb6;--grid:#282d35;--axis:#6b7480;\
--c0:#56b4e9;--c1:#f07f2e;--c2:#1fc296;--c3:#dd94bd;--c4:#e69f00;--c5:#f0e442;--c6:#e8ebef}}
.chart text{font-family:system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,sans-serif;fill:var(--ink)}
.chart .paper{fill:var(--paper)}
.chart .title{font-weight:600}
.chart .soft{fill:var(--soft)}
.chart .grid{stroke:var(--grid);stroke-width:1}
.chart .minor{stroke:var(--grid);stroke-width:1;opacity:.5}
.chart .axis{stroke:var(--axis);stroke-width:1}
.chart .line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.chart .mark{stroke:var(--paper);stroke-width:1.5}
.chart .halo{paint-order:stroke;stroke:var(--paper);stroke-width:3;stroke-linejoin:round}
";

const COLOURS: usize = 7;

/// The whole file.
pub(super) fn document(chart: &Chart, frame: &Frame) -> String {
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write_document(&mut svg, chart, frame);
    svg
}

fn write_document(svg: &mut String, chart: &Chart, frame: &Frame) -> fmt::Result {
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">"#
    )?;
    writeln!(svg, "<title>{}</title>", escape(&chart.title))?;
    writeln!(svg, "<desc>{}</desc>", escape(&description(chart, frame)))?;
    writeln!(svg, "<style>{STYLE}</style>")?;
    writeln!(
        svg,
        r#"<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>"#
    )?;
    title(svg, frame)?;
    legend(svg, chart, frame)?;
    grid(svg, chart, frame)?;
    axis_labels(svg, chart, frame)?;
    data(svg, chart, frame)?;
    point_labels(svg, chart, frame)?;
    writeln!(svg, "</svg>")
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

fn title(svg: &mut String, frame: &Frame) -> fmt::Result {
    for (line, Spot { x, y }) in frame.title_spots() {
        let line = escape(line);
        writeln!(
            svg,
            r#"<text class="title" x="{x}" y="{y}" font-size="{TITLE_SIZE}">{line}</text>"#
        )?;
    }
    Ok(())
}

fn legend(svg: &mut String, chart: &Chart, frame: &Frame) -> fmt::Result {
    for (index, (series, (name, at))) in chart.series.iter().zip(&frame.legend.entries).enumerate()
    {
        let (x, y) = (Px(at.x), Px(at.y));
        if series.style == Style::Line {
            let (end, colour) = (Px(at.x + 22.0), index % COLOURS);
            writeln!(
                svg,
                r#"<path class="line" stroke="var(--c{colour})" d="M{x} {y}H{end}"/>"#
            )?;
        }
        let middle = Spot {
            x: at.x + 11.0,
            y: at.y,
        };
        writeln!(svg, "{}/>", mark(index, series.style, middle))?;
        let (x, y, name) = (Px(at.x + 28.0), Px(at.y + 4.5), escape(name));
        writeln!(
            svg,
            r#"<text x="{x}" y="{y}" font-size="{TEXT_SIZE}">{name}</text>"#
        )?;
    }
    if let Some((more, at)) = &frame.legend.more {
        let (x, y) = (Px(at.x), Px(at.y + 4.5));
        writeln!(
            svg,
            r#"<text class="soft" x="{x}" y="{y}" font-size="{TEXT_SIZE}">{more}</text>"#
        )?;
    }
    Ok(())
}

fn grid(svg: &mut String, chart: &Chart, frame: &Frame) -> fmt::Result {
    let plot = frame.plot;
    for &tick in &frame.y.minor {
        writeln!(svg, "{}", across(frame, tick, "minor"))?;
    }
    for &tick in &frame.x.minor {
        writeln!(svg, "{}", upright(frame, tick, "minor"))?;
    }
    for &tick in &frame.y.ticks {
        writeln!(svg, "{}", across(frame, tick, "grid"))?;
        let (x, y, value) = (
            Px(plot.left - 8.0),
            Px(frame.up(tick) + 4.5),
            chart.y.unit.write(tick),
        );
        writeln!(
            svg,
            r#"<text class="soft" x="{x}" y="{y}" font-size="{TEXT_SIZE}" text-anchor="end">{value}</text>"#
        )?;
    }
    for &tick in &frame.x.ticks {
        writeln!(svg, "{}", upright(frame, tick, "grid"))?;
        let (x, y, value) = (
            Px(frame.across(tick)),
            Px(plot.bottom + 20.0),
            chart.x.unit.write(tick),
        );
        writeln!(
            svg,
            r#"<text class="soft" x="{x}" y="{y}" font-size="{TEXT_SIZE}" text-anchor="middle">{value}</text>"#
        )?;
    }
    let (left, right, top, bottom) = (Px(plot.left), Px(plot.right), Px(plot.top), Px(plot.bottom));
    writeln!(
        svg,
        r#"<path class="axis" fill="none" d="M{left} {top}V{bottom}H{right}"/>"#
    )
}

/// The line of a tick of the vertical axis.
fn across(frame: &Frame, tick: f64, class: &str) -> String {
    let (y, left, right) = (
        Px(frame.up(tick)),
        Px(frame.plot.left),
        Px(frame.plot.right),
    );
    format!(r#"<path class="{class}" d="M{left} {y}H{right}"/>"#)
}

/// The line of a tick of the horizontal axis, which goes a little beyond it.
fn upright(frame: &Frame, tick: f64, class: &str) -> String {
    let (x, top, end) = (
        Px(frame.across(tick)),
        Px(frame.plot.top),
        Px(frame.plot.bottom + 5.0),
    );
    format!(r#"<path class="{class}" d="M{x} {top}V{end}"/>"#)
}

fn axis_labels(svg: &mut String, chart: &Chart, frame: &Frame) -> fmt::Result {
    let (plot, size) = (frame.plot, TEXT_SIZE);
    let (x, y, label) = (Px(plot.left), Px(plot.top - 10.0), escape(&chart.y.label));
    writeln!(
        svg,
        r#"<text class="soft" x="{x}" y="{y}" font-size="{size}">{label}</text>"#
    )?;
    let (x, y, label) = (
        Px(plot.right),
        Px(plot.bottom + 42.0),
        escape(&chart.x.label),
    );
    writeln!(
        svg,
        r#"<text class="soft" x="{x}" y="{y}" font-size="{size}" text-anchor="end">{label}</text>"#
    )
}

fn data(svg: &mut String, chart: &Chart, frame: &Frame) -> fmt::Result {
    for (index, series) in chart.series.iter().enumerate() {
        line(svg, index, series, spots(chart, frame, series))?;
    }
    for (index, series) in chart.series.iter().enumerate() {
        for (point, at) in spots(chart, frame, series) {
            let says = escape(&tooltip(chart, series, point));
            let drawn = mark(index, series.style, at);
            writeln!(svg, "{drawn}><title>{says}</title></path>")?;
        }
    }
    let empty = chart
        .series
        .iter()
        .all(|series| spots(chart, frame, series).next().is_none());
    if empty {
        let plot = frame.plot;
        let (x, y) = (
            Px(plot.left.midpoint(plot.right)),
            Px(plot.top.midpoint(plot.bottom)),
        );
        writeln!(
            svg,
            r#"<text class="soft halo" x="{x}" y="{y}" font-size="{TEXT_SIZE}" text-anchor="middle">no data</text>"#
        )?;
    }
    Ok(())
}

fn line<'a>(
    svg: &mut String,
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
    let (colour, path) = (index % COLOURS, path.join("L"));
    writeln!(
        svg,
        r#"<path class="line" stroke="var(--c{colour})" d="M{path}"/>"#
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

/// The labels of points that find room, those of single marks first.
fn point_labels(svg: &mut String, chart: &Chart, frame: &Frame) -> fmt::Result {
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
                let (x, y, label) = (Px(middle.x), Px(middle.y + 4.0), escape(label));
                writeln!(
                    svg,
                    r#"<text class="soft halo" x="{x}" y="{y}" font-size="{LABEL_SIZE}" text-anchor="middle">{label}</text>"#
                )?;
            }
        }
    }
    Ok(())
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
    format!(
        r#"<path class="mark" fill="var(--c{})" d="{path}""#,
        index % COLOURS
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
