//! Time against memory, as a picture.

use crate::chart::{Axis, Chart, Point, Scale, Series, Style, Unit};

/// An exploration that may be drawn.
pub struct Drawn {
    /// The model.
    pub model: String,
    /// `full`, `sweep` or `cache`.
    pub method: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// What the stores held at most.
    pub bytes: usize,
    /// Whether it came to an end.
    pub complete: bool,
    /// The part of the states that was stored.
    pub share: Option<f64>,
}

/// The picture of explorations that came to an end: a point for each, and a curve through sizes of the cache.
pub fn chart(runs: &[Drawn]) -> Chart {
    let mut models: Vec<&str> = runs.iter().map(|run| run.model.as_str()).collect();
    models.dedup();
    let methods = [
        ("full", "full search", Style::Points),
        ("sweep", "sweep-line", Style::Points),
        ("cache", "state space caching", Style::Line),
    ];
    let series = models.iter().flat_map(|model| {
        methods.map(|(method, name, style)| Series {
            name: match models.len() {
                1 => name.into(),
                _ => format!("{name}, {model}"),
            },
            points: points(runs, model, method),
            style,
        })
    });
    let axis = |label: &str, unit| Axis {
        label: label.into(),
        scale: Scale::Log,
        unit,
    };
    Chart {
        title: format!("Time against memory: {}", models.join(", ")),
        x: axis("peak memory of the stores", Unit::Bytes),
        y: axis("time", Unit::Seconds),
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a picture has few digits")]
fn points(runs: &[Drawn], model: &str, method: &str) -> Vec<Point> {
    let runs = runs
        .iter()
        .filter(|run| run.model == model && run.method == method && run.complete);
    let mut points: Vec<Point> = runs
        .map(|run| Point {
            x: run.bytes as f64,
            y: run.seconds,
            label: run.share.map(|share| format!("{:.0} %", share * 100.0)),
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}
