//! Writes charts to look at into a directory.

use std::{env, fs, io, path::PathBuf};

use sweepline_report::chart::{Axis, Chart, Point, Scale, Series, Style, Unit, svg};

fn main() -> io::Result<()> {
    let directory = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".into()));
    for (name, chart) in [
        ("trade-off", trade_off(Scale::Log)),
        ("trade-off-linear", trade_off(Scale::Linear)),
        ("growth", growth()),
        ("empty", empty()),
    ] {
        fs::write(directory.join(format!("{name}.svg")), svg(&chart))?;
        #[cfg(feature = "png")]
        if let Ok(png) = sweepline_report::chart::png(&chart, 2) {
            fs::write(directory.join(format!("{name}.png")), png)?;
        }
    }
    Ok(())
}

fn point((x, y, label): (f64, f64, &str)) -> Point {
    let label = (!label.is_empty()).then(|| label.into());
    Point { x, y, label }
}

fn series(name: &str, style: Style, points: &[(f64, f64, &str)]) -> Series {
    Series {
        name: name.into(),
        points: points.iter().copied().map(point).collect(),
        style,
    }
}

fn axis(label: &str, scale: Scale, unit: Unit) -> Axis {
    Axis {
        label: label.into(),
        scale,
        unit,
    }
}

/// Invented figures of the shape that such comparisons have.
fn trade_off(scale: Scale) -> Chart {
    let caching = [
        (1.1e6, 42.0, "10%"),
        (1.6e6, 14.5, "20%"),
        (2.4e6, 4.1, "30%"),
        (3.3e6, 1.6, "40%"),
        (4.2e6, 0.84, "50%"),
        (5.9e6, 0.66, "70%"),
        (7.7e6, 0.60, "90%"),
        (8.6e6, 0.58, "100%"),
    ];
    Chart {
        title: "Example with invented figures: time and memory".into(),
        x: axis("Peak memory", scale, Unit::Bytes),
        y: axis("Time", scale, Unit::Seconds),
        series: vec![
            series("state space caching", Style::Line, &caching),
            series("full search", Style::Points, &[(8.2e6, 0.45, "")]),
            series(
                "sweep-line",
                Style::Points,
                &[(9.5e5, 0.62, "monotone"), (1.9e6, 0.52, "coarse")],
            ),
        ],
    }
}

fn growth() -> Chart {
    let names = [
        "full search",
        "basic",
        "generalised",
        "compositional",
        "caching",
        "window 1",
        "window 2",
    ];
    let curve = |factor: f64| -> Vec<Point> {
        let points = (1..=9_u8).map(|n| {
            point((
                f64::from(n),
                900.0 * factor * f64::from(n).powf(1.0 + factor),
                "",
            ))
        });
        points.collect()
    };
    let series = (1_u8..).zip(names).map(|(index, name)| Series {
        name: name.into(),
        points: curve(f64::from(index) / 5.0),
        style: Style::Line,
    });
    Chart {
        title: "States stored at most, with a long title that has to be broken into two lines because it goes on".into(),
        x: axis("Packets", Scale::Linear, Unit::Number),
        y: axis("States", Scale::Linear, Unit::Number),
        series: series.collect(),
    }
}

fn empty() -> Chart {
    Chart {
        title: "Nothing measured yet".into(),
        x: axis("Peak memory", Scale::Log, Unit::Bytes),
        y: axis("Time", Scale::Linear, Unit::Seconds),
        series: vec![series("sweep-line", Style::Points, &[])],
    }
}
