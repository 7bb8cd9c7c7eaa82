//! From [`Core`] to [`Expression`]: code, and what is known of it.

use std::collections::{BTreeSet, HashMap};

use crate::ml::compile::{Compiler, Inscription};
use crate::ml::core::Core;
use crate::ml::environment::Environment;
use crate::ml::expression::{Direct, Facts};
use crate::ml::primitives::{OUTSIDE, Primitive};
use crate::ml::quick::{Quick, QuickTokens};
use crate::ml::{Count, Effects, Expression, Machine, Pattern, Shape, Term, Value, VariableId};

/// Makes expressions of one text.
pub(crate) struct Builder<'a> {
    pub environment: &'a Environment,
    pub machine: &'a mut Machine,
    /// The positions of fields.
    pub positions: &'a [usize],
}

impl Builder<'_> {
    /// An expression with one value, whose shape does not matter.
    pub fn plain(&mut self, core: &Core) -> Expression {
        self.shaped(core, Shape::Computed)
    }

    /// A token.
    pub fn token(&mut self, core: &Core) -> Expression {
        let shape = Shape::Sum(vec![self.term(core, None)]);
        self.shaped(core, shape)
    }

    /// A conjunct of a guard.
    pub fn conjunct(&mut self, core: &Core) -> Expression {
        let shape = match core {
            Core::Primitive(Primitive::Equal, both) => {
                Shape::Equality(self.pattern(&both[0]), self.pattern(&both[1]))
            }
            Core::Variable(variable) => self.truth_of(*variable, true),
            Core::Primitive(Primitive::Not, only) => match only[..] {
                [Core::Variable(variable)] => self.truth_of(variable, false),
                _ => Shape::Computed,
            },
            _ => Shape::Computed,
        };
        self.shaped(core, shape)
    }

    fn truth_of(&mut self, variable: VariableId, truth: bool) -> Shape {
        let constant = self.machine.add_constant(Value::bool(truth));
        Shape::Equality(Pattern::Variable(variable), Pattern::Constant(constant))
    }

    /// An inscription of an arc or a place.
    pub fn inscription(&mut self, inscription: &Inscription) -> Expression {
        let mut known = Known::default();
        inscription.visit(&mut |core| known.see(core, self.environment, self.machine));
        known.effects.time |= reads_stamps(inscription);
        let mut terms = Vec::new();
        let shape = if self.terms(inscription, None, &mut terms) {
            Shape::Sum(terms)
        } else {
            Shape::Computed
        };
        let compiler = Compiler::new(self.machine, self.positions, &HashMap::new());
        let code = compiler.inscription(inscription);
        let quick = QuickTokens::of(inscription).map(Direct::Tokens);
        Expression::new(code, quick, known.facts(inscription.has_delays()), shape)
    }

    fn shaped(&mut self, core: &Core, shape: Shape) -> Expression {
        let known = known(core, self.environment, self.machine);
        let compiler = Compiler::new(self.machine, self.positions, &HashMap::new());
        let code = compiler.expression(core);
        let quick = Quick::of(core).map(Direct::Value);
        Expression::new(code, quick, known.facts(false), shape)
    }

    /// Appends the terms of a sum. False if it is none.
    fn terms(
        &mut self,
        inscription: &Inscription,
        delay: Option<&Core>,
        terms: &mut Vec<Term>,
    ) -> bool {
        match inscription {
            Inscription::Token(core) => {
                terms.push(self.term(core, delay));
                true
            }
            Inscription::Multiset(core) => self.multiset(core, delay, terms),
            Inscription::Delayed(inner, more) => {
                delay.is_none() && self.terms(inner, Some(more), terms)
            }
            Inscription::Sum(all) => all.iter().all(|part| self.terms(part, delay, terms)),
            Inscription::Stamped(_) | Inscription::StampedToken(_) | Inscription::If(..) => false,
        }
    }

    fn multiset(&mut self, core: &Core, delay: Option<&Core>, terms: &mut Vec<Term>) -> bool {
        match core {
            Core::Value(_) => true,
            Core::List(parts) => {
                for part in parts {
                    terms.push(self.term(part, delay));
                }
                true
            }
            Core::Primitive(Primitive::Append, both) => {
                both.iter().all(|part| self.multiset(part, delay, terms))
            }
            Core::Primitive(Primitive::Times, both) => {
                let count = match both[0] {
                    Core::Value(count) => Count::Fixed(count.as_int().unwrap_or(0)),
                    _ => Count::Computed(self.plain(&both[0])),
                };
                let term = self.term(&both[1], delay);
                terms.push(Term { count, ..term });
                true
            }
            _ => false,
        }
    }

    /// One token.
    fn term(&mut self, core: &Core, delay: Option<&Core>) -> Term {
        Term {
            count: Count::Fixed(1),
            pattern: self.pattern(core),
            delay: delay.map(|delay| self.plain(delay)),
        }
    }

    /// The form of a value.
    fn pattern(&mut self, core: &Core) -> Pattern {
        if let Some(value) = self.constant(core) {
            return Pattern::Constant(self.machine.add_constant(value));
        }
        match core {
            Core::Variable(variable) => Pattern::Variable(*variable),
            Core::Fields(parts) => {
                Pattern::Fields(parts.iter().map(|part| self.pattern(part)).collect())
            }
            Core::Construct(tag, argument) => {
                let tag = Pattern::Constant(self.machine.add_constant(Value::small(*tag)));
                Pattern::Fields(vec![tag, self.pattern(argument)])
            }
            // Tokens are in the range of their colour set.
            Core::Index(_, argument) => self.pattern(argument),
            Core::List(parts) => {
                let nil = Pattern::Constant(self.machine.add_constant(Value::NIL));
                let cons = |tail, head: &Core| Pattern::Fields(vec![self.pattern(head), tail]);
                parts.iter().rev().fold(nil, cons)
            }
            _ => Pattern::Computed(self.plain(core)),
        }
    }

    /// The value of an expression that depends on nothing.
    fn constant(&mut self, core: &Core) -> Option<Value> {
        match core {
            Core::Value(value) => return Some(*value),
            Core::Constant(constant) => return Some(self.machine.constant(*constant)),
            Core::Variable(_) => return None,
            _ => {}
        }
        let known = known(core, self.environment, self.machine);
        if !known.variables.is_empty() || !known.effects.is_pure() {
            return None;
        }
        let expression = self.plain(core);
        self.machine.value(&expression, &[]).ok()
    }
}

/// What a stamp says depends on the clock.
fn reads_stamps(inscription: &Inscription) -> bool {
    match inscription {
        Inscription::Stamped(_) | Inscription::StampedToken(_) => true,
        Inscription::Token(_) | Inscription::Multiset(_) => false,
        Inscription::Delayed(inner, _) => reads_stamps(inner),
        Inscription::Sum(all) => all.iter().any(reads_stamps),
        Inscription::If(_, branches) => branches.iter().any(reads_stamps),
    }
}

/// What is known of an expression.
#[derive(Default)]
pub(crate) struct Known {
    variables: BTreeSet<VariableId>,
    pub effects: Effects,
}

/// What is known of an expression.
pub(crate) fn known(core: &Core, environment: &Environment, machine: &Machine) -> Known {
    let mut known = Known::default();
    core.visit(&mut |part| known.see(part, environment, machine));
    known
}

impl Known {
    fn facts(self, delays: bool) -> Facts {
        Facts {
            variables: self.variables.into_iter().collect(),
            effects: self.effects,
            delays,
        }
    }

    fn see(&mut self, core: &Core, environment: &Environment, machine: &Machine) {
        let mut own = Effects::default();
        match core {
            Core::Variable(variable) => {
                self.variables.insert(*variable);
                return;
            }
            Core::Primitive(primitive, _) => {
                own.time = *primitive == Primitive::Now;
                own.random
                    .extend(primitive.random(|colour| machine.colours().name(colour).to_string()));
                if let Primitive::Outside(number) = primitive {
                    own.outside.push(OUTSIDE[usize::from(*number)].to_string());
                }
            }
            Core::Call(id, _) | Core::Function(id) => {
                if let Some(effects) = environment.effects.get(id.0 as usize) {
                    own = effects.clone();
                }
            }
            Core::Global(global) => {
                if let Some(effects) = environment.global_effects.get(*global as usize) {
                    own = effects.clone();
                }
            }
            Core::Reference(reference) => own
                .references
                .push(machine.reference_name(*reference).to_string()),
            _ => return,
        }
        if !own.is_pure() {
            self.effects.add(&own);
        }
    }
}
