//! From SVG to PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// A picture that could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PngError(String);

impl std::fmt::Display for PngError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the picture cannot be drawn: {}", self.0)
    }
}

impl std::error::Error for PngError {}

/// Draws a file so many times as large as it says it is.
pub(super) fn png(svg: &str, times: u8) -> Result<Vec<u8>, PngError> {
    let tree = Tree::from_str(svg, &Options::default()).map_err(of)?;
    let times = f32::from(times.max(1));
    let size = tree.size().to_int_size().scale_by(times);
    let size = size.ok_or_else(|| PngError("it has no size".into()))?;
    let pixels = Pixmap::new(size.width(), size.height());
    let mut pixels = pixels.ok_or_else(|| PngError("it is too large".into()))?;
    let scale = Transform::from_scale(times, times);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(of)
}

fn of(error: impl std::fmt::Display) -> PngError {
    PngError(error.to_string())
}
