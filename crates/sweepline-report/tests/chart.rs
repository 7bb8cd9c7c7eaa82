//! Charts are well-formed, whatever they are made of.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use sweepline_report::chart::{Axis, Chart, Point, Scale, Series, Style, Unit, svg};

fn axis(label: &str, scale: Scale, unit: Unit) -> Axis {
    Axis {
        label: label.into(),
        scale,
        unit,
    }
}

fn series(name: &str, style: Style, points: &[(f64, f64, &str)]) -> Series {
    let point = |&(x, y, label): &(f64, f64, &str)| Point {
        x,
        y,
        label: (!label.is_empty()).then(|| label.into()),
    };
    Series {
        name: name.into(),
        points: points.iter().map(point).collect(),
        style,
    }
}

fn chart(scale: Scale, series: Vec<Series>) -> Chart {
    Chart {
        title: "Time and memory".into(),
        x: axis("Peak memory", scale, Unit::Bytes),
        y: axis("Time", scale, Unit::Seconds),
        series,
    }
}

/// Draws a chart and returns the tooltips of its points.
fn check(chart: &Chart) -> Vec<String> {
    let text = svg(chart);
    for wrong in ["NaN", "inf\"", "inf ", "-0 "] {
        assert!(!text.contains(wrong), "{wrong} in {text}");
    }
    assert!(!text.contains("var("), "not everybody knows variables");
    let document = roxmltree::Document::parse(&text).unwrap();
    let painted = ["rect", "path", "text"];
    let shapes = document.descendants();
    for shape in shapes.filter(|node| painted.contains(&node.tag_name().name())) {
        let paint = shape.attribute("fill").zip(shape.attribute("class"));
        assert!(paint.is_some(), "{shape:?} has no colour of its own");
    }
    let root = document.root_element();
    assert_eq!(root.attribute("viewBox"), Some("0 0 720 440"));
    let first: Vec<_> = root
        .children()
        .filter(roxmltree::Node::is_element)
        .take(2)
        .collect();
    assert_eq!(first[0].tag_name().name(), "title");
    assert_eq!(first[0].text().unwrap_or(""), chart.title);
    assert_eq!(first[1].tag_name().name(), "desc");
    let marks = root.descendants().filter(|node| {
        node.attribute("class")
            .is_some_and(|class| class.starts_with("mark "))
    });
    let titles = marks.filter_map(|mark| mark.first_element_child());
    titles
        .map(|title| title.text().unwrap_or("").to_owned())
        .collect()
}

#[test]
fn text_is_escaped() {
    let mut odd = chart(
        Scale::Linear,
        vec![series(
            "a<b> & \"c\"",
            Style::Points,
            &[(1.0, 2.0, "'<&>'")],
        )],
    );
    odd.title = "x < y && \"z\" <script>".into();
    odd.x.label = "</text><a>".into();
    assert_eq!(check(&odd), ["a<b> & \"c\" ('<&>'): 1 B, 2 s"]);
}

#[test]
fn odd_data_is_drawn_or_left_out() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for (scale, points, drawn) in [
        (Scale::Linear, &[][..], 0),
        (Scale::Log, &[], 0),
        (Scale::Linear, &[(0.0, 0.0, "")], 1),
        (Scale::Log, &[(0.0, 0.0, "")], 0),
        (Scale::Log, &[(5.0, 5.0, "")], 1),
        (
            Scale::Log,
            &[(-1.0, 5.0, ""), (1.0, -5.0, ""), (1.0, 1.0, "")],
            1,
        ),
        (Scale::Linear, &[(-1.0, -5.0, ""), (-3.0, -7.0, "")], 2),
        (
            Scale::Linear,
            &[
                (nan, 1.0, ""),
                (1.0, inf, ""),
                (-inf, 2.0, ""),
                (1.0, 1.0, ""),
            ],
            1,
        ),
        (Scale::Linear, &[(1e300, 1e-300, ""), (1e30, 1e-30, "")], 1),
        (
            Scale::Log,
            &[(1e300, 1e-300, ""), (1e-30, 1e30, ""), (1e60, 1e-60, "")],
            2,
        ),
        (Scale::Linear, &[(7.0, 7.0, ""), (7.0, 7.0, "same")], 2),
    ] {
        for style in [Style::Line, Style::Points] {
            let chart = chart(
                scale,
                vec![series("data", style, points), series("none", style, &[])],
            );
            assert_eq!(check(&chart).len(), drawn, "{scale:?} {points:?}");
        }
    }
    assert_eq!(check(&chart(Scale::Log, Vec::new())).len(), 0);
    assert!(svg(&chart(Scale::Log, Vec::new())).contains(">no data<"));
}

#[test]
fn long_texts_and_many_series_leave_room_for_the_data() {
    let name = |index: u32| format!("series number {index} with quite a long name");
    let many =
        (0..15).map(|index| series(&name(index), Style::Line, &[(f64::from(index), 1.0, "")]));
    let mut chart = chart(Scale::Linear, many.collect());
    chart.title = "A title that goes on and on ".repeat(6).trim().into();
    assert_eq!(check(&chart).len(), 15);
    chart.series[0].name = "n".repeat(500);
    check(&chart);
}

#[test]
fn a_small_chart() {
    let curve = [(3e5, 4.0, "5%"), (6e5, 0.5, "10%"), (3e6, 0.031, "50%")];
    insta::assert_snapshot!(svg(&chart(
        Scale::Log,
        vec![
            series("caching", Style::Line, &curve),
            series("sweep-line", Style::Points, &[(2e5, 0.06, "")]),
        ]
    )));
}

/// What a renderer draws that knows no style sheets, no variables and no fonts.
#[cfg(feature = "png")]
#[test]
fn pictures_have_their_colours() {
    use resvg::tiny_skia::{Pixmap, PremultipliedColorU8};
    use sweepline_report::chart::png;

    let runs = [series("full", Style::Points, &[(3.0, 4.0, "100 %")])];
    let drawn = |runs: &[Series], times: u8| {
        let png = png(&chart(Scale::Linear, runs.to_vec()), times).unwrap();
        Pixmap::decode_png(&png).unwrap()
    };
    let count = |picture: &Pixmap, (r, g, b): (u8, u8, u8)| {
        let colour = PremultipliedColorU8::from_rgba(r, g, b, 255).unwrap();
        picture
            .pixels()
            .iter()
            .filter(|&&pixel| pixel == colour)
            .count()
    };
    let picture = drawn(&runs, 2);
    assert_eq!((picture.width(), picture.height()), (1440, 880));
    assert!(count(&picture, (255, 255, 255)) > 1_000_000, "paper");
    // The mark in the plot and the one in the legend.
    assert!(count(&picture, (0x00, 0x72, 0xb2)) > 400, "marks");
    assert!(count(&picture, (0xe4, 0xe7, 0xeb)) > 1000, "grid");
    assert!(count(&picture, (0x1b, 0x1f, 0x24)) > 300, "title");
    assert!(count(&picture, (0x59, 0x63, 0x6e)) > 300, "labels of axes");
    assert_eq!(count(&drawn(&[], 1), (0x00, 0x72, 0xb2)), 0);
}
