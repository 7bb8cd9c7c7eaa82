//! The property process of a model: a Büchi automaton that watches the system.

use sweepline_logic::Pred;
use sweepline_logic::omega::{
    Acceptance, Cube, Guard, MOST, OmegaAutomaton, OmegaEdge, OmegaState,
};
use sweepline_program::Expr;

use crate::ast::{self, ExprKind};
use crate::errors::DveError;
use crate::predicate::predicate;
use crate::resolve::Resolver;

/// An automaton over the states of the program: a run of the system that it accepts violates the property.
///
/// It takes one edge with every step of the system; the condition is that of the state the system leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyAutomaton {
    /// The name of the process.
    pub name: String,
    /// Its states.
    pub states: Vec<PropertyState>,
    /// Index of the state it starts in.
    pub initial: usize,
}

/// A state of a property process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyState {
    /// Its name.
    pub name: String,
    /// Whether a run that is here again and again is accepted.
    pub accepting: bool,
    /// Conditions on a state of the program, or why they cannot be told, with the index of the state of the automaton they
    /// lead to.
    pub edges: Vec<(Result<Pred, &'static str>, usize)>,
}

impl PropertyAutomaton {
    /// As an automaton over infinite words. Its atoms speak of slots and definitions of the model; or why there is none.
    pub fn omega(&self) -> Result<OmegaAutomaton, &'static str> {
        let mut atoms: Vec<Pred> = Vec::new();
        let mut guard = |pred: &Result<Pred, &'static str>| -> Result<Guard, &'static str> {
            let pred = pred.clone()?;
            if let Pred::Constant(always) = pred {
                return Ok(if always {
                    Guard::any()
                } else {
                    Guard::default()
                });
            }
            let known = atoms.iter().position(|atom| *atom == pred);
            let atom = known.unwrap_or_else(|| {
                atoms.push(pred);
                atoms.len() - 1
            });
            if atom >= MOST {
                return Err("it has too many conditions");
            }
            Ok(Guard::of([Cube {
                holds: 1 << atom,
                fails: 0,
            }]))
        };
        let state = |index: usize| OmegaState(u32::try_from(index).unwrap_or(u32::MAX));
        let mut edges = Vec::new();
        for from in &self.states {
            let moves = from.edges.iter().map(|(pred, target)| {
                Ok(OmegaEdge {
                    guard: guard(pred)?,
                    target: state(*target),
                    marks: u64::from(from.accepting),
                })
            });
            edges.push(moves.collect::<Result<Vec<_>, &'static str>>()?);
        }
        Ok(OmegaAutomaton {
            atoms,
            initial: vec![state(self.initial)],
            edges,
            sets: 1,
            acceptance: Acceptance::all(1),
        })
    }
}

impl Resolver<'_> {
    /// The automaton of a property process.
    pub(crate) fn property(
        &mut self,
        process: &ast::Process,
        index: usize,
    ) -> Option<PropertyAutomaton> {
        let initial = self.initial_location(process, index);
        let states = process.states.iter().map(|state| PropertyState {
            name: state.text.clone(),
            accepting: process.accepting.iter().any(|name| name.text == state.text),
            edges: Vec::new(),
        });
        let mut states: Vec<PropertyState> = states.collect();
        for name in &process.accepting {
            self.location(name, index);
        }
        for variable in &process.variables {
            if !variable.constant {
                self.acts("have variables", variable.name.span.clone());
            }
        }
        for transition in &process.transitions {
            self.property_edge(transition, index, &mut states);
        }
        Some(PropertyAutomaton {
            name: process.name.text.clone(),
            states,
            initial: initial?.0 as usize,
        })
    }

    fn property_edge(
        &mut self,
        transition: &ast::Transition,
        index: usize,
        states: &mut [PropertyState],
    ) {
        let source = self.location(&transition.source, index);
        let target = self.location(&transition.target, index);
        if let Some(sync) = &transition.sync {
            self.acts("communicate", sync.span.clone());
        }
        if let Some(effect) = transition.effects.first() {
            self.acts("change variables", effect.target.span.clone());
        }
        let guard = transition.guard.as_ref().map(|guard| {
            self.expr(guard, Some(index));
            let plain = self.errors.is_empty().then(|| self.folded(guard, index));
            predicate(&plain.unwrap_or_else(|| guard.clone()))
        });
        let guard = guard.unwrap_or(Ok(Pred::Constant(true)));
        if let (Some(source), Some(target)) = (source, target) {
            let edges = &mut states[source.0 as usize].edges;
            edges.push((guard, target.0 as usize));
        }
    }

    /// The same expression with numbers in place of what is always the same.
    fn folded(&mut self, expr: &ast::Expr, index: usize) -> ast::Expr {
        if let Expr::Constant(value) = self.expr(expr, Some(index)) {
            return ast::Expr {
                kind: ExprKind::Number(value),
                ..expr.clone()
            };
        }
        let mut folded = |operand: &ast::Expr| Box::new(self.folded(operand, index));
        let kind = match &expr.kind {
            ExprKind::Element(name, at) => ExprKind::Element(name.clone(), folded(at)),
            ExprKind::Local(process, name, at) => {
                let at = at.as_ref().map(|at| folded(at));
                ExprKind::Local(process.clone(), name.clone(), at)
            }
            ExprKind::Unary(operator, operand) => ExprKind::Unary(*operator, folded(operand)),
            ExprKind::Binary(operator, left, right) => {
                let left = folded(left);
                ExprKind::Binary(*operator, left, folded(right))
            }
            ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::At(..) => expr.kind.clone(),
        };
        ast::Expr {
            kind,
            ..expr.clone()
        }
    }

    fn acts(&mut self, what: &'static str, at: std::ops::Range<usize>) {
        self.errors.push(DveError::PropertyActs {
            what,
            text: self.source.named(),
            at: at.into(),
        });
    }
}
