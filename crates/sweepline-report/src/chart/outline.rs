//! Texts as outlines: what is drawn where there is no font, or not the same one everywhere.

use std::fmt::{self, Write};

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::draw::{Anchor, Letters, Text};

/// Letters of a part of `DejaVu Sans`: Latin and Greek ones, and some signs. Its licence lies beside it.
const FONT: &[u8] = include_bytes!("../../font/DejaVuSans-subset.ttf");

/// Draws texts as paths.
pub(super) struct Outlines;

impl Letters for Outlines {
    fn write(&self, svg: &mut String, paint: &str, text: &Text<'_>) -> fmt::Result {
        let Ok(face) = Face::parse(FONT, 0) else {
            return Ok(()); // a test draws with it
        };
        let scale = text.size / f64::from(face.units_per_em());
        let glyphs: Vec<GlyphId> = text.content.chars().map(|c| glyph(&face, c)).collect();
        let advance =
            |glyph: &GlyphId| scale * f64::from(face.glyph_hor_advance(*glyph).unwrap_or(0));
        let width: f64 = glyphs.iter().map(advance).sum();
        let mut pen = Pen {
            path: String::new(),
            scale,
            x: match text.anchor {
                Anchor::Start => text.at.x,
                Anchor::Middle => text.at.x - width / 2.0,
                Anchor::End => text.at.x - width,
            },
            y: text.at.y,
        };
        for glyph in &glyphs {
            face.outline_glyph(*glyph, &mut pen);
            pen.x += advance(glyph);
        }
        let path = pen.path.trim_end();
        // There is one weight only; a stroke makes it bold.
        let bold = if text.bold {
            r##" stroke="#1b1f24" stroke-width=".5""##
        } else {
            ""
        };
        writeln!(svg, r#"<path {paint}{bold} d="{path}"/>"#)
    }
}

/// The glyph of a character, or the one that stands for those that are missing.
fn glyph(face: &Face<'_>, character: char) -> GlyphId {
    let known = |c| face.glyph_index(c);
    let shown = if character.is_control() {
        ' '
    } else {
        character
    };
    known(shown)
        .or_else(|| known('\u{fffd}'))
        .unwrap_or_default()
}

/// Writes outlines, which have their origin on the base line and go up from there.
struct Pen {
    path: String,
    scale: f64,
    x: f64,
    y: f64,
}

impl Pen {
    fn add(&mut self, command: char, spots: &[(f32, f32)]) {
        self.path.push(command);
        for &(x, y) in spots {
            let x = self.x + self.scale * f64::from(x);
            let y = self.y - self.scale * f64::from(y);
            // Ten times finer than anything else: letters are small.
            let _ = write!(self.path, "{x:.2} {y:.2} ");
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[(x, y)]);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[(x, y)]);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.add('Q', &[(x1, y1), (x, y)]);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.add('C', &[(x1, y1), (x2, y2), (x, y)]);
    }
    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::frame::Spot;

    fn drawn(content: &str, anchor: Anchor) -> String {
        let mut svg = String::new();
        let text = Text {
            content,
            at: Spot { x: 100.0, y: 50.0 },
            anchor,
            size: 10.0,
            bold: false,
        };
        Outlines.write(&mut svg, "fill=\"red\"", &text).unwrap();
        svg
    }

    /// The least and the greatest position of a path, across.
    fn extent(svg: &str) -> (f64, f64) {
        let path = svg.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
        let numbers = path.split(|c: char| !c.is_ascii_digit() && c != '.');
        let numbers: Vec<f64> = numbers.filter_map(|text| text.parse().ok()).collect();
        let across = numbers.iter().step_by(2).copied();
        (
            across.clone().fold(f64::MAX, f64::min),
            across.fold(0.0, f64::max),
        )
    }

    #[test]
    fn texts_stand_where_they_should() {
        let (left, right) = extent(&drawn("1,234 states", Anchor::Start));
        assert!((100.0..102.0).contains(&left) && (150.0..180.0).contains(&right));
        let (left, right) = extent(&drawn("1,234 states", Anchor::End));
        assert!((20.0..60.0).contains(&left) && (98.0..=100.0).contains(&right));
        let (left, right) = extent(&drawn("1,234 states", Anchor::Middle));
        assert!((left.midpoint(right) - 100.0).abs() < 1.0);
    }

    #[test]
    fn every_character_is_drawn_somehow() {
        for content in ["größer ≤ 3 → µ", "模型", "a\u{7}b\u{202e}"] {
            assert!(drawn(content, Anchor::Start).len() > 100, "{content}");
        }
        assert!(drawn("", Anchor::Start).contains("d=\"\""));
    }
}
