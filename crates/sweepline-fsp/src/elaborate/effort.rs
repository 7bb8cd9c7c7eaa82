//! How much has been done and what is wrong, so that no model takes too much of anything.

use sweepline_core::{Limits, StopReason};

use super::{Done, Elaborator};
use crate::ast::Span;
use crate::errors::{FspError, FspWarning};
use crate::parser::Failed;

/// All labels, states and edges that are made on the way, also of processes that are changed later.
const MOST_WORK: usize = 10_000_000;

/// So many things are made, or looked at, before limits are asked again.
const WORK_UNASKED: usize = 4096;

/// Levels of actions and compositions, through all processes.
const MOST_NESTING: usize = 1200;

impl<'a> Elaborator<'a> {
    pub fn too_large<T>(
        &mut self,
        what: String,
        limit: usize,
        of: &'static str,
        span: Span,
    ) -> Done<T> {
        self.report(&span, "too_large", |this| FspError::TooLarge {
            what,
            limit,
            of,
            text: this.source.named(),
            at: span.clone().into(),
        })
    }

    /// Reports an error, but no second one of its sort at the same place.
    pub fn report<T>(
        &mut self,
        span: &Span,
        sort: &'static str,
        error: impl FnOnce(&Self) -> FspError,
    ) -> Done<T> {
        if self.reported.insert((span.start, sort)) && !self.errors.only_counts() {
            let error = error(self);
            self.errors.push(error);
        }
        Err(Failed)
    }

    /// Reports a warning once.
    pub fn warn(
        &mut self,
        span: &Span,
        sort: &'static str,
        warning: impl FnOnce(&Self) -> FspWarning,
    ) {
        if self.reported.insert((span.start, sort)) && !self.warnings.only_counts() {
            let warning = warning(self);
            self.warnings.push(warning);
        }
    }

    /// Counts work of which nothing remains, so that limits are asked now and then.
    #[inline]
    pub fn look(&mut self, count: usize) -> Done<()> {
        self.unasked = self.unasked.saturating_add(count);
        if self.unasked < WORK_UNASKED && self.stopped.is_none() {
            return Ok(());
        }
        self.unasked = 0;
        self.ask()
    }

    /// Asks whether to go on.
    fn ask(&mut self) -> Done<()> {
        if self.stopped.is_none() {
            self.stopped = self.limits.allow(self.held).err();
        }
        match self.stopped {
            Some(_) => Err(Failed),
            None => Ok(()),
        }
    }

    /// Goes on with the result of something that keeps to limits by itself.
    pub fn unless_stopped<T>(&mut self, result: Result<T, StopReason>) -> Done<T> {
        result.map_err(|reason| {
            self.stopped.get_or_insert(reason);
            Failed
        })
    }

    /// The limits there are.
    pub fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Counts things that are made; a model that makes far too many is refused.
    pub fn spend(&mut self, count: usize, span: &Span) -> Done<()> {
        self.look(count)?;
        self.work = self.work.saturating_add(count);
        if self.work <= MOST_WORK {
            return Ok(());
        }
        if self.reported.insert((0, "work")) {
            let of = "labels, states and edges";
            return self.too_large("the model".into(), MOST_WORK, of, span.clone());
        }
        Err(Failed)
    }

    /// Does something one level deeper, so that no model exhausts the stack.
    pub fn nested<T>(&mut self, span: &Span, act: impl FnOnce(&mut Self) -> Done<T>) -> Done<T> {
        if self.nesting >= MOST_NESTING {
            return self.report(span, "too_deep", |this| FspError::TooDeep {
                limit: MOST_NESTING,
                text: this.source.named(),
                at: span.clone().into(),
            });
        }
        self.nesting += 1;
        let result = act(self);
        self.nesting -= 1;
        result
    }
}
