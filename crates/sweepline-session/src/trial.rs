//! Trying out measures on the whole of a model.

use sweepline_core::{Control, LayerClosed, Limits, Observer, Statistics, Watch};
use sweepline_explore::LogPlace;
use sweepline_progress::{Candidate, Choice};

use crate::adapter::Plain;
use crate::error::Error;
use crate::model::Model;
use crate::order::{ChosenBy, Order};
use crate::questions::Questions;
use crate::verify::{Beginning, Monitor, Options, explore};

/// Explores a model by every candidate, fills in what came of it, and returns their largest layers. Each exploration has
/// limits of its own.
pub fn try_out(
    model: &Model,
    choice: &mut Choice,
    limits: impl Fn() -> Limits,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u64>, Error> {
    let mut by = |candidate: Option<&Candidate>| -> Result<(Statistics, u64), Error> {
        let mut order = Order::default();
        if let Some(candidate) = candidate {
            order.measure = candidate.clone();
            order.origin = ChosenBy::Auto;
        }
        let options = Options {
            limits: limits(),
            log: LogPlace::Off,
            patience: None,
            ..Options::default()
        };
        let mut largest = Largest {
            monitor: &mut *monitor,
            layer: 0,
        };
        let nothing = Questions::default();
        let run = explore(model, &Plain(&nothing), &order, &options, &mut largest)?;
        Ok((run.statistics, largest.layer))
    };
    choice.states = by(None)?.0.states();
    let mut largest = Vec::new();
    for assessment in &mut choice.assessed {
        let (statistics, layer) = by(Some(&assessment.candidate))?;
        assessment.trial = Some(statistics);
        largest.push(layer);
    }
    Ok(largest)
}

/// Notes the largest layer.
struct Largest<'m> {
    monitor: &'m mut dyn Monitor,
    layer: u64,
}

impl Observer for Largest<'_> {
    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        self.layer = self.layer.max(event.expanded);
        self.monitor.layer_closed(event)
    }

    fn tick(&mut self, watch: Watch<'_>) -> Control {
        self.monitor.tick(watch)
    }
}

impl Monitor for Largest<'_> {
    fn begins(&mut self, beginning: Beginning<'_>) {
        self.monitor.begins(beginning);
    }

    fn ends(&mut self) {
        self.monitor.ends();
    }
}
