//! What answering needs of an exploration.

use sweepline_core::{
    Describe, Key, Observer, Progress, Renumbering, Statistics, StopReason, Word,
};
use sweepline_explore::{Caching, End, LogError, Path, Sweep};

/// An exploration that can be watched, resumed in a wider encoding, and asked how it got somewhere.
pub trait Engine {
    /// What is explored.
    type System: Describe;
    /// In which order, if that can be chosen.
    type Progress;

    /// Explores, or goes on.
    fn run<O: Observer + ?Sized>(&mut self, observer: &mut O) -> End;
    /// Rewrites everything stored for a wider encoding.
    fn recode(&mut self, wider: Self::System, progress: Self::Progress) -> Result<(), StopReason>;
    /// Whether the run should [end](End::Crowded) when its system should begin again, and what is too little for that.
    fn expect_renewal(&mut self, least: Option<usize>) {
        let _ = least;
    }
    /// Shows every record that rewriting concerns.
    fn each_record(&self, visit: &mut dyn FnMut(&[Word])) {
        let _ = visit;
    }
    /// Rewrites everything stored for a system that has begun again and holds so many bytes.
    fn renew(
        &mut self,
        system: Self::System,
        progress: Self::Progress,
        numbers: &Renumbering,
        held: usize,
    ) -> Result<(), StopReason> {
        let _ = (system, progress, numbers, held);
        let never = "the system cannot begin again".to_owned();
        Err(StopReason::Other(never))
    }
    /// How an instance was reached.
    fn path_to(&mut self, number: u64) -> Result<Path, LogError>;
    /// The system in its present encoding.
    fn system(&self) -> &Self::System;
    /// The figures so far.
    fn statistics(&self) -> &Statistics;
    /// A key in words the user knows.
    fn explain(&self, key: Key) -> String;
    /// The system, when everything is done.
    fn into_system(self) -> Self::System;
}

impl<S: Describe, P: Progress> Engine for Sweep<S, P> {
    type System = S;
    type Progress = P;

    fn run<O: Observer + ?Sized>(&mut self, mut observer: &mut O) -> End {
        if observer.wants().links {
            self.run_linked::<dyn Observer>(&mut observer)
        } else {
            self.run(observer)
        }
    }

    fn recode(&mut self, wider: S, progress: P) -> Result<(), StopReason> {
        self.recode(wider, progress)
    }

    fn expect_renewal(&mut self, least: Option<usize>) {
        match least {
            Some(least) => self.expect_renewal(least),
            None => self.expect_no_renewal(),
        }
    }

    fn each_record(&self, visit: &mut dyn FnMut(&[Word])) {
        self.each_record(visit);
    }

    fn renew(
        &mut self,
        system: S,
        progress: P,
        numbers: &Renumbering,
        held: usize,
    ) -> Result<(), StopReason> {
        self.renew(system, progress, numbers, held)
    }

    fn path_to(&mut self, number: u64) -> Result<Path, LogError> {
        self.path_to(number)
    }

    fn system(&self) -> &S {
        self.system()
    }

    fn statistics(&self) -> &Statistics {
        self.statistics()
    }

    fn explain(&self, key: Key) -> String {
        self.progress().explain(key)
    }

    fn into_system(self) -> S {
        self.into_system()
    }
}

impl<S: Describe> Engine for Caching<S> {
    type System = S;
    type Progress = ();

    fn run<O: Observer + ?Sized>(&mut self, observer: &mut O) -> End {
        self.run(observer)
    }

    fn recode(&mut self, wider: S, (): ()) -> Result<(), StopReason> {
        self.recode(wider)
    }

    fn path_to(&mut self, number: u64) -> Result<Path, LogError> {
        self.path_to(number)
    }

    fn system(&self) -> &S {
        self.system()
    }

    fn statistics(&self) -> &Statistics {
        self.statistics()
    }

    fn explain(&self, key: Key) -> String {
        key.to_string()
    }

    fn into_system(self) -> S {
        self.into_system()
    }
}
