//! States with very many steps.

use std::sync::atomic::{AtomicUsize, Ordering};

use sweepline_check::{Inquiry, Plan, Question};
use sweepline_core::{
    ActionId, Describe, Layout, Limits, NoProgress, Records, Steps, System, Word,
};
use sweepline_explore::Options;

/// Everything can be reached in one step.
struct Wide {
    layout: Layout,
    /// The bytes of the largest batch.
    largest: AtomicUsize,
}

impl System for Wide {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0; 8]);
    }
    fn successors(&self, _: &[Word], out: &mut Steps) {
        for target in 1..=100_000 {
            out.push(ActionId(0), &[target; 8]);
        }
        self.largest.fetch_max(out.bytes(), Ordering::Relaxed);
    }
}

impl Describe for Wide {
    fn actions(&self) -> &[String] {
        &[]
    }
}

/// Initial states are looked at before the exploration begins, and that keeps to the limit as well.
#[test]
fn looking_at_initial_states_keeps_to_the_limit() {
    let largest = |memory| {
        let wide = Wide {
            layout: Layout::opaque(Records::Fixed(8)),
            largest: AtomicUsize::new(0),
        };
        let plan = Plan {
            system: &wide,
            progress: NoProgress,
            questions: vec![Question::no_deadlock()],
        };
        let limits = Limits {
            memory,
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        drop(Inquiry::new(plan, options));
        wide.largest.into_inner()
    };
    assert!(largest(None) > 6 << 20);
    assert!(largest(Some(1 << 20)) <= 2 << 20);
}
