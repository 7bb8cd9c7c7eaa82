//! Reading a model within limits: the one place where a limit that is reached becomes an outcome and no error.

use miette::{Diagnostic, Report};
use sweepline_core::{Limits, StopReason};
use sweepline_logic::Errors;

use crate::load::{Format, Loaded};

/// What comes of reading a model file that is not wrong.
pub enum Reading {
    Loaded(Loaded),
    /// A limit was reached before it was read.
    Stopped(Stopped),
}

/// Reading a model was stopped.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
#[error("stopped while reading the model: {reason}")]
pub struct Stopped {
    pub name: String,
    pub format: Format,
    pub reason: StopReason,
}

/// What limits say to work on a model.
pub struct Within<'l> {
    pub name: String,
    pub format: Format,
    pub limits: &'l Limits,
}

impl Within<'_> {
    /// Whether to go on, holding so many bytes.
    pub fn allow(&self, held: usize) -> Result<(), Report> {
        let allowed = self.limits.allow(held);
        allowed.map_err(|reason| self.stopped(reason))
    }

    /// A limit was reached.
    pub fn stopped(&self, reason: StopReason) -> Report {
        Report::new(Stopped {
            name: self.name.clone(),
            format: self.format,
            reason,
        })
    }

    /// What a front end says, if it was not stopped by a limit. `reason` is why it stopped.
    pub fn refused<E>(&self, error: E, reason: impl Fn(&E) -> Option<&StopReason>) -> Report
    where
        E: Diagnostic + Send + Sync + 'static,
    {
        match reason(&error) {
            Some(reason) => self.stopped(reason.clone()),
            None => Report::new(error),
        }
    }

    /// The same for a list of errors.
    pub fn refused_all<E>(&self, errors: Errors<E>, reason: fn(&E) -> Option<&StopReason>) -> Report
    where
        E: Diagnostic + Send + Sync + 'static,
    {
        self.refused(errors, |errors| errors.iter().find_map(reason))
    }
}
