//! Finding room for the labels of points.

use super::frame::{Rect, Spot};
use super::text;

/// What is drawn already, and where labels may still go.
#[derive(Debug)]
pub(super) struct Labels {
    inside: Rect,
    taken: Vec<Rect>,
    /// Spots along the lines, close enough that no label fits between them.
    ink: Vec<Spot>,
}

/// Type size of labels.
pub(super) const LABEL_SIZE: f64 = 11.5;
const HALF_HEIGHT: f64 = 7.0;
const DISTANCE: f64 = 10.0;
/// Distance between two spots along a line.
const STRIDE: f64 = 4.0;

impl Labels {
    pub(super) fn new(inside: Rect) -> Self {
        Self {
            inside,
            taken: Vec::new(),
            ink: Vec::new(),
        }
    }

    /// Keeps labels off a mark.
    pub(super) fn avoid_mark(&mut self, at: Spot) {
        self.taken.push(around(at, 6.0, 6.0));
    }

    /// Keeps labels off a line.
    pub(super) fn avoid_line(&mut self, from: Spot, to: Spot) {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let pieces = (dx.hypot(dy) / STRIDE).ceil().max(1.0);
        let mut piece = 0.0;
        while piece <= pieces {
            let part = piece / pieces;
            self.ink.push(Spot {
                x: from.x + part * dx,
                y: from.y + part * dy,
            });
            piece += 1.0;
        }
    }

    /// The middle of a free place for a label near a point, if there is one.
    pub(super) fn place(&mut self, label: &str, at: Spot) -> Option<Spot> {
        let half = text::width(label, LABEL_SIZE) / 2.0;
        let (beside, above) = (DISTANCE + half, DISTANCE + HALF_HEIGHT);
        let near = [
            (beside, 0.0),
            (beside, -above * 0.7),
            (0.0, -above),
            (-beside, 0.0),
            (-beside, -above * 0.7),
            (beside, above * 0.7),
            (0.0, above),
            (-beside, above * 0.7),
        ];
        let middle = near
            .into_iter()
            .map(|(dx, dy)| Spot {
                x: at.x + dx,
                y: at.y + dy,
            })
            .find(|&middle| self.is_free(around(middle, half, HALF_HEIGHT)))?;
        self.taken.push(around(middle, half + 3.0, HALF_HEIGHT));
        Some(middle)
    }

    fn is_free(&self, place: Rect) -> bool {
        let inside = place.left >= self.inside.left
            && place.right <= self.inside.right
            && place.top >= self.inside.top
            && place.bottom <= self.inside.bottom;
        inside
            && !self.taken.iter().any(|taken| overlap(place, *taken))
            && !self
                .ink
                .iter()
                .any(|&spot| overlap(place, around(spot, 1.5, 1.5)))
    }
}

fn around(middle: Spot, across: f64, up: f64) -> Rect {
    Rect {
        left: middle.x - across,
        top: middle.y - up,
        right: middle.x + across,
        bottom: middle.y + up,
    }
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Rect = Rect {
        left: 0.0,
        top: 0.0,
        right: 200.0,
        bottom: 100.0,
    };

    #[test]
    fn labels_never_overlap_each_other_or_the_data() {
        let spots: Vec<Spot> = (0..12_u8)
            .map(|index| Spot {
                x: 16.0 * f64::from(index),
                y: f64::from(u32::from(index) * 37 % 100),
            })
            .collect();
        let mut labels = Labels::new(PLOT);
        for &spot in &spots {
            labels.avoid_mark(spot);
        }
        for pair in spots.windows(2) {
            labels.avoid_line(pair[0], pair[1]);
        }
        let placed = spots
            .iter()
            .filter_map(|&spot| labels.place("1 MiB", spot))
            .count();
        assert!(placed > 2, "{placed}");
        let words = &labels.taken[spots.len()..];
        for (index, &word) in words.iter().enumerate() {
            let others = words[..index].iter().chain(&labels.taken[..spots.len()]);
            assert_eq!(others.filter(|&&other| overlap(word, other)).count(), 0);
        }
    }

    #[test]
    fn a_label_goes_to_the_right_or_where_there_is_room() {
        for (x, y, expected) in [(50.0, 50.0, true), (195.0, 50.0, false)] {
            let at = Spot { x, y };
            let mut labels = Labels::new(PLOT);
            labels.avoid_mark(at);
            assert_eq!(labels.place("label", at).unwrap().x > x, expected);
        }
        let mut full = Labels::new(PLOT);
        full.taken.push(PLOT);
        assert_eq!(full.place("label", Spot { x: 50.0, y: 50.0 }), None);
    }
}
