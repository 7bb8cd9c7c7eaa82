//! The table of results.

use std::fmt::Write;

use sweepline_bench::measure::Sample;

/// All samples as an aligned table.
pub fn render(samples: &[Sample]) -> String {
    let mut text = format!(
        "{:<34} {:>11} {:>12} {:>8} {:>11} {:>8} {:>9} {:>8} {:>9}\n",
        "case", "explored", "edges", "layers", "peak", "B/state", "process", "CPU s", "M edges/s"
    );
    for sample in samples {
        let _ = writeln!(
            text,
            "{:<34} {:>11} {:>12} {:>8} {:>11} {:>8.1} {:>7.1} M {:>8.3} {:>9.1}",
            sample.name,
            sample.explored,
            sample.edges,
            sample.layers,
            sample.peak_states,
            sample.bytes_per_stored_state(),
            mebibytes(sample.process_bytes),
            sample.cpu_seconds,
            sample.edges_per_second() / 1e6,
        );
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
