//! Reading a model within limits: the one place where a limit that is reached becomes an outcome and no error.

use miette::Diagnostic;
use sweepline_core::{Limits, StopReason};

use crate::error::Error;
use crate::model::{Format, Model};

/// What comes of reading a model file that is not wrong.
#[derive(Clone, Debug)]
pub enum Reading {
    /// The model.
    Loaded(Box<Model>),
    /// A limit was reached before it was read.
    Stopped(Stopped),
}

/// Reading a model was stopped.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
#[error("stopped while reading the model: {reason}")]
pub struct Stopped {
    /// The model's name.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// The limit.
    pub reason: StopReason,
}

/// What limits say to work on a model.
pub(crate) struct Within<'l> {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) limits: &'l Limits,
}

impl Within<'_> {
    /// Whether to go on, holding so many bytes.
    pub(crate) fn allow(&self, held: usize) -> Result<(), Error> {
        let allowed = self.limits.allow(held);
        allowed.map_err(|reason| self.stopped(reason))
    }

    /// A limit was reached.
    pub(crate) fn stopped(&self, reason: StopReason) -> Error {
        let (name, format) = (self.name.clone(), self.format);
        Error::Stopped(Box::new(Stopped {
            name,
            format,
            reason,
        }))
    }

    /// What a front end says, if it was not stopped by a limit. `reason` is why it stopped.
    pub(crate) fn refused<E>(&self, error: E, reason: impl Fn(&E) -> Option<&StopReason>) -> Error
    where
        Error: From<E>,
    {
        match reason(&error) {
            Some(reason) => self.stopped(reason.clone()),
            None => error.into(),
        }
    }
}
