//! `AG EF p` and `EF AG p`, layer by layer.
//!
//! If no step leads back to an earlier layer, everything that can be reached from some states stays in their layer: those of the
//! terminal components in it. `AG EF p` is violated where one of these has no state with p, and `EF AG p` holds where one has only
//! states with p, which is what the thesis looks for with Tarjan's algorithm [Lil17, Ch. 4]. Both ask for a state from which a
//! predicate q always holds within the layer, with q = not p or q = p. So links are needed while a layer is open only.
//!
//! We differ from the thesis in that `EF AG p` holds as soon as one terminal component is like that, whatever others there are.

use sweepline_core::{Limits, StopReason};
use sweepline_logic::ctl::{Branching, PathUnary, Quantifier};

use super::arena::{Arena, Part};
use super::labels::{DoesNotFit, Formula, Labels};
use super::proof::{Proof, Way};
use super::recorder::{BranchRecorder, Survey};
use crate::ltl::Allowance;

/// A formula that can be decided layer by layer: whether some state always satisfies a predicate from there on.
#[derive(Clone, Debug)]
pub(crate) struct Layered {
    /// `AG q`, by its parts.
    arena: Arena,
    root: Part,
    /// What the formula is if there is such a state.
    pub(crate) if_found: bool,
}

impl Layered {
    /// Nothing if the formula has another shape.
    pub(crate) fn of(formula: &Branching) -> Option<Self> {
        use PathUnary::{Finally, Globally};
        use Quantifier::{Exists, Forall};
        let Branching::Unary(outer, first, inner) = formula else {
            return None;
        };
        let Branching::Unary(quantifier, second, state) = inner.as_ref() else {
            return None;
        };
        let (predicate, if_found) = match (outer, first, quantifier, second) {
            (Forall, Globally, Exists, Finally) => (state.as_ref().clone().negated(), false),
            (Exists, Finally, Forall, Globally) => (state.as_ref().clone(), true),
            _ => return None,
        };
        if !state.is_state() {
            return None;
        }
        let (arena, root) = Arena::of(&predicate.under(Forall, Globally));
        Some(Self {
            arena,
            root,
            if_found,
        })
    }

    /// A number from which on the predicate always holds, in the links of a layer. Links that leave it lead nowhere.
    pub(crate) fn find(
        &self,
        recorder: &BranchRecorder,
        places: &[usize],
        (thorough, bytes): (bool, usize),
        limits: &Limits,
    ) -> Result<Result<Option<u32>, DoesNotFit>, StopReason> {
        // What is not known is not a member, so this is as good as exact.
        let survey = Survey::closed();
        let allowance = Allowance { bytes, limits };
        let recorded = (recorder, &survey);
        let formula = Formula {
            arena: &self.arena,
            places,
            assumed: None,
        };
        let labels = Labels::of(&formula, recorded, thorough, &allowance)?;
        Ok(labels.map(|labels| labels.some_member(self.root)))
    }

    /// Why the formula has its value: the way to such a state, and what can be reached from there.
    pub(crate) fn proof(arena: &Arena, root: Part, truth: bool, steps: &[usize]) -> Option<Proof> {
        let inner = arena.inner(root)?;
        let short = |step: &usize| u32::try_from(*step).ok();
        let closure = Proof {
            part: inner,
            truth,
            way: Way::Closure,
            because: Vec::new(),
            left_out: 0,
        };
        Some(Proof {
            part: root,
            truth,
            way: Way::Path(steps.iter().map(short).collect::<Option<_>>()?),
            because: vec![(steps.len(), closure)],
            left_out: 0,
        })
    }

    /// Why the formula has its value if there is no such state: all that can be reached is alike.
    pub(crate) fn proof_of_all(root: Part, truth: bool) -> Proof {
        Proof {
            part: root,
            truth,
            way: Way::Closure,
            because: Vec::new(),
            left_out: 0,
        }
    }
}
