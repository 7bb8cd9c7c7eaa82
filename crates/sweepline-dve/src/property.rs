//! The property process of a model: a Büchi automaton that watches the system.

use sweepline_program::Expr;

use crate::ast;
use crate::errors::DveError;
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
    /// Conditions on a state of the program, with the index of the state of the automaton they lead to.
    pub edges: Vec<(Expr, usize)>,
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
        let guard = transition.guard.as_ref();
        let guard = guard.map_or(Expr::TRUE, |guard| self.expr(guard, Some(index)));
        if let (Some(source), Some(target)) = (source, target) {
            let edges = &mut states[source.0 as usize].edges;
            edges.push((guard, target.0 as usize));
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
