//! Limits end a run early and honestly.

use std::time::Duration;

use sweepline_core::{
    ActionId, Cancel, Control, Deadline, Expanded, Key, KeyError, Layout, Limits, NoProgress,
    Observer, Progress, Records, Steps, StopReason, System, Watch, Word,
};
use sweepline_explore::{Caching, CachingOptions, End, LogPlace, Options, replay};

use crate::graph::{any_system, dynamic, sweep};

/// Two counters without bounds.
pub struct Endless(Layout);

impl Endless {
    pub fn new() -> Self {
        Self(Layout::opaque(Records::Fixed(2)))
    }
}

impl System for Endless {
    fn layout(&self) -> &Layout {
        &self.0
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0, 0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        out.push_copy(ActionId(0), state)[0] += 1;
        out.push_copy(ActionId(1), state)[1] += 1;
    }
}

/// The sum of the counters, divided by one million so that layers grow large.
struct Coarsely;

impl Progress for Coarsely {
    fn row_bits(&self) -> u32 {
        0
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(u128::from((state[0] + state[1]) / 1_000_000)))
    }
}

fn run(limits: Limits) -> (End, usize) {
    let options = Options {
        limits,
        ..Options::default()
    };
    let mut sweep = sweep(Endless::new(), Coarsely, options);
    let end = sweep.run(dynamic(&mut ()));
    assert!(!sweep.statistics().complete);
    assert_eq!(sweep.statistics().states(), None);
    (end, sweep.statistics().peak_bytes)
}

#[test]
fn memory_is_never_exceeded() {
    let limit = 3_000_000;
    let (end, peak) = run(Limits {
        memory: Some(limit),
        ..Limits::default()
    });
    assert_eq!(end, End::Limit(StopReason::Memory { limit }));
    let log = 1 << 19; // the log's buffer comes on top
    assert!(peak > limit / 2 && peak <= limit + log, "{peak}");
}

#[test]
fn time_is_over_at_some_point() {
    let limit = Duration::from_millis(50);
    let (end, _) = run(Limits {
        deadline: Some(Deadline::after(limit)),
        ..Limits::default()
    });
    assert_eq!(end, End::Limit(StopReason::Time { limit }));
}

#[test]
fn a_cancelled_run_ends() {
    let cancel = Cancel::default();
    cancel.cancel();
    let (end, _) = run(Limits {
        cancel,
        ..Limits::default()
    });
    assert_eq!(end, End::Limit(StopReason::Interrupted));
}

/// Stops at the first state with this many tokens in the first counter.
struct Until(Word, Option<u64>);

impl Observer for Until {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        if event.state[0] < self.0 {
            return Control::Continue;
        }
        self.1 = Some(event.number);
        Control::Stop
    }
}

/// Where the trace log cannot be written, the verdict survives and the trace is reported as lost.
#[test]
fn a_full_disk_costs_the_trace_only() {
    for (log, readable) in [
        (LogPlace::Temporary, true),
        (LogPlace::Off, false),
        (LogPlace::Directory("no/such/directory".into()), false),
    ] {
        let mut sweep = sweep(
            Endless::new(),
            NoProgress,
            Options {
                log,
                ..Options::default()
            },
        );
        let mut observer = Until(400, None);
        assert_eq!(sweep.run(dynamic(&mut observer)), End::Stopped);
        let number = observer.1.unwrap();
        assert!(number > 50_000, "the log must have been written");
        match sweep.path_to(number) {
            Ok(path) => assert_eq!(replay(&Endless::new(), &path).unwrap().last()[0], 400),
            Err(_) => assert!(!readable),
        }
    }
}

/// A chain of states whose steps take long to compute, and have so many copies.
struct Slow {
    layout: Layout,
    pause: Duration,
    copies: usize,
}

impl System for Slow {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        std::thread::sleep(self.pause);
        for copy in 0..self.copies as Word {
            out.push(ActionId(0), &[state[0] + 1 + copy]);
        }
    }
}

/// A limit is noticed after a few states, however long each of them takes.
#[test]
fn slow_models_keep_to_the_time_as_well() {
    let limit = Duration::from_millis(60);
    let slow = || Slow {
        layout: Layout::opaque(Records::Fixed(1)),
        pause: Duration::from_millis(20),
        copies: 1,
    };
    let limits = || Limits {
        deadline: Some(Deadline::after(limit)),
        ..Limits::default()
    };
    let options = Options {
        limits: limits(),
        ..Options::default()
    };
    let mut sweep = sweep(slow(), NoProgress, options);
    assert_eq!(
        sweep.run(dynamic(&mut ())),
        End::Limit(StopReason::Time { limit })
    );
    assert!(sweep.statistics().explored < 20);
    let options = CachingOptions {
        limits: limits(),
        ..CachingOptions::default()
    };
    let mut caching = Caching::new(any_system(slow()), options);
    assert_eq!(
        caching.run(dynamic(&mut ())),
        End::Limit(StopReason::Time { limit })
    );
    assert!(caching.statistics().explored < 20);
}

/// The steps of one state count, too.
#[test]
fn a_state_with_very_many_steps_keeps_to_the_memory() {
    let limit = 1_000_000;
    let broad = || Slow {
        layout: Layout::opaque(Records::Fixed(1)),
        pause: Duration::ZERO,
        copies: 10_000_000,
    };
    let limits = || Limits {
        memory: Some(limit),
        ..Limits::default()
    };
    let options = Options {
        limits: limits(),
        log: LogPlace::Off,
        ..Options::default()
    };
    let mut sweep = sweep(broad(), NoProgress, options);
    assert_eq!(
        sweep.run(dynamic(&mut ())),
        End::Limit(StopReason::Memory { limit })
    );
    assert!(sweep.statistics().peak_bytes <= limit);
    let options = CachingOptions {
        limits: limits(),
        log: LogPlace::Off,
        ..CachingOptions::default()
    };
    let mut caching = Caching::new(any_system(broad()), options);
    assert_eq!(
        caching.run(dynamic(&mut ())),
        End::Limit(StopReason::Memory { limit })
    );
}

/// Says how often it is told how far the run has come, and when.
#[derive(Default, PartialEq, Debug)]
struct Ticks(Vec<u64>);

impl Observer for Ticks {
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        self.0.push(watch.statistics.explored);
        Control::Continue
    }
}

/// What an observer does about a tick must not depend on the machine.
#[test]
fn ticks_come_after_the_same_work_however_long_it_takes() {
    let ticks = |pause| {
        let slow = Slow {
            layout: Layout::opaque(Records::Fixed(1)),
            pause,
            copies: 700,
        };
        let options = Options {
            limits: Limits {
                states: Some(150),
                ..Limits::default()
            },
            ..Options::default()
        };
        let mut ticks = Ticks::default();
        sweep(slow, NoProgress, options).run(dynamic(&mut ticks));
        ticks
    };
    let fast = ticks(Duration::ZERO);
    assert!(fast.0.len() > 3, "{fast:?}");
    assert_eq!(fast, ticks(Duration::from_millis(3)));
}
