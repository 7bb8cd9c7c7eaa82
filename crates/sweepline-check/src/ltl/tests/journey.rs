//! Ways to explore a model: in some order and encoding, interrupted and changed on the way.

use std::sync::Arc;

use proptest::prelude::*;
use sweepline_core::{
    ColumnClosed, Control, Expanded, LayerClosed, LayerOpened, Linked, Observer, Started, Watch,
};
use sweepline_explore::{End, LogPlace, Options, Sweep};

use super::model::{Coded, Measure, Method, Model, methods};
use crate::ltl::liveness::Liveness;

/// Stops after so many events.
struct Stopper(usize);

impl Stopper {
    fn control(&mut self) -> Control {
        self.0 -= 1;
        if self.0 == 0 {
            self.0 = usize::MAX;
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

impl Observer for Stopper {
    fn expanded(&mut self, _: Expanded<'_>) -> Control {
        self.control()
    }
    fn started(&mut self, _: Started<'_>) -> Control {
        self.control()
    }
    fn linked(&mut self, _: Linked<'_>) -> Control {
        self.control()
    }
    fn layer_opened(&mut self, _: LayerOpened<'_>) -> Control {
        self.control()
    }
    fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
        self.control()
    }
    fn column_closed(&mut self, _: ColumnClosed<'_>) -> Control {
        self.control()
    }
    fn tick(&mut self, _: Watch<'_>) -> Control {
        self.control()
    }
}

/// What happens to a run: where it is stopped, and by which changes of the measure it goes on.
type Story = Vec<(usize, Vec<Method>)>;

/// How a model is explored.
#[derive(Clone, Debug)]
pub struct Journey {
    /// Bits of the encoding, which may have to become more.
    pub bits: Option<u32>,
    pub method: Method,
    pub window: u64,
    pub story: Story,
}

pub fn journeys() -> impl Strategy<Value = Journey> {
    let changes = prop_oneof![
        3 => Just(Vec::new()),
        2 => prop::collection::vec(methods(), 1..4),
    ];
    let story = prop::collection::vec((1..40_usize, changes), 0..5);
    let bits = prop::option::weighted(0.3, 1..4_u32);
    (bits, methods(), 0..3_u64, story).prop_map(|(bits, method, window, story)| Journey {
        bits,
        method,
        window,
        story,
    })
}

impl Journey {
    /// Whether it begins with columns only.
    pub fn has_columns_only(&self) -> bool {
        matches!(self.method, Method::Full | Method::Columns(_))
    }

    /// Explores to the end, and says whether everything was.
    pub fn explore(
        &self,
        model: &Arc<Model>,
        liveness: &mut Liveness,
    ) -> Result<bool, TestCaseError> {
        let (complete, _) = self.explore_logged(model, liveness, LogPlace::Off)?;
        Ok(complete)
    }

    /// The same with a log there; what was explored knows how every instance was reached.
    pub fn explore_logged(
        &self,
        model: &Arc<Model>,
        liveness: &mut Liveness,
        log: LogPlace,
    ) -> Result<(bool, Sweep<Coded, Measure>), TestCaseError> {
        let (mut bits, mut method) = (self.bits, self.method);
        let coded = |bits| Coded::new(model, bits);
        let measure = |bits, method| Measure {
            model: Arc::clone(model),
            layout: coded(bits).layout,
            method,
        };
        let options = Options {
            window: self.window,
            log,
            ..Options::default()
        };
        let mut story = self.story.iter().cloned();
        let mut sweep = Sweep::new(coded(bits), measure(bits, method), options);
        let (mut stopper, mut next) = (Stopper(usize::MAX), Vec::new());
        loop {
            if let Some((stops_in, changes)) = story.next() {
                (stopper.0, next) = (stops_in, changes);
            }
            let mut observer = (&mut stopper, &mut *liveness);
            match sweep.run_linked::<dyn Observer>(&mut observer) {
                End::Complete => return Ok((true, sweep)),
                End::Stopped if liveness.is_decided() || liveness.is_outgrown() => {
                    return Ok((false, sweep));
                }
                End::Stopped => {}
                End::Outgrown(_) => {
                    bits = bits.map(|bits| bits + 2);
                    sweep.recode(coded(bits), measure(bits, method)).unwrap();
                    liveness.recoded(&coded(bits));
                }
                End::Fault { .. } => return Ok((false, sweep)),
                end => prop_assert!(false, "{:?}", end),
            }
            // What was dropped cannot be followed.
            for change in std::mem::take(&mut next) {
                if !liveness.can_follow() {
                    break;
                }
                method = change;
                liveness.measured(matches!(method, Method::Full | Method::Columns(_)));
                let follows = sweep.remeasured_before(measure(bits, method), liveness);
                sweep = follows.map_err(|reason| TestCaseError::fail(reason.to_string()))?;
            }
        }
    }
}
