//! Plans: in which order the variables of a transition get their values.

use std::collections::BTreeSet;

use crate::ml::{Count, Declarations, Expression, Pattern, Shape, Value, VariableId};

/// Variables that nothing binds range over colour sets up to this size, as in CPN Tools.
const SMALL: u64 = 100;

/// In which order variables get their values. What is found is checked at the end: every input arc is evaluated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Matches a pattern with each colour on the place of an input arc.
    Match { place: usize, pattern: Pattern },
    /// Matches a pattern with the value of another, all of whose variables are bound.
    Equal { pattern: Pattern, value: Pattern },
    /// Tries all values.
    Range {
        variable: VariableId,
        values: Vec<Value>,
    },
    /// Goes on only if a condition of the guard holds.
    Test { condition: usize },
}

/// Inputs as a plan needs them: the place and the expression of each arc.
pub(crate) type Input<'a> = (usize, &'a Expression);

/// Plans how bindings are found, or says which variable cannot be bound.
pub(crate) fn plan(
    inputs: &[Input<'_>],
    guard: &[Expression],
    needed: &BTreeSet<VariableId>,
    declarations: &mut Declarations,
) -> Result<Plan, VariableId> {
    let mut planning = Planning {
        bound: BTreeSet::new(),
        tested: vec![false; guard.len()],
        used: BTreeSet::new(),
        terms: terms(inputs),
        guard,
        plan: Plan::default(),
    };
    loop {
        planning.test();
        if planning.equal() || planning.matches() {
            continue;
        }
        let Some(&next) = needed.difference(&planning.bound).next() else {
            return Ok(planning.plan);
        };
        planning.range(next, needed, declarations)?;
    }
}

/// What of the input arcs binds variables: patterns of which at least one token is needed.
fn terms<'a>(inputs: &[Input<'a>]) -> Vec<(usize, &'a Pattern)> {
    let mut terms = Vec::new();
    for &(place, expression) in inputs {
        if let Shape::Sum(sum) = expression.shape() {
            for term in sum {
                if matches!(term.count, Count::Fixed(1..)) {
                    terms.push((place, &term.pattern));
                }
            }
        }
    }
    terms
}

struct Planning<'a> {
    bound: BTreeSet<VariableId>,
    tested: Vec<bool>,
    used: BTreeSet<usize>,
    terms: Vec<(usize, &'a Pattern)>,
    guard: &'a [Expression],
    plan: Plan,
}

impl Planning<'_> {
    /// Conditions are tested as soon as their variables are bound.
    fn test(&mut self) {
        for (condition, expression) in self.guard.iter().enumerate() {
            let mut variables = expression.variables().iter();
            let ready = variables.all(|variable| self.bound.contains(variable));
            if ready && !self.tested[condition] {
                self.tested[condition] = true;
                self.plan.steps.push(Step::Test { condition });
            }
        }
    }

    /// Uses an equality of the guard of which one side is known.
    fn equal(&mut self) -> bool {
        for (condition, expression) in self.guard.iter().enumerate() {
            let Shape::Equality(left, right) = expression.shape() else {
                continue;
            };
            if self.tested[condition] {
                continue;
            }
            for (pattern, value) in [(left, right), (right, left)] {
                let is_known = variables(value).is_subset(&self.bound);
                let binds = binds(pattern);
                if is_known && !binds.is_subset(&self.bound) {
                    self.bound.extend(binds);
                    self.plan.steps.push(Step::Equal {
                        pattern: pattern.clone(),
                        value: value.clone(),
                    });
                    return true;
                }
            }
        }
        false
    }

    /// Matches tokens: first patterns of which most is known.
    fn matches(&mut self) -> bool {
        let candidates = self.terms.iter().enumerate().filter_map(|(index, term)| {
            let new = binds(term.1);
            let unknown = new.difference(&self.bound).count();
            let is_new = unknown > 0 && !self.used.contains(&index);
            is_new.then_some((unknown, new.len() == unknown, index))
        });
        let Some((_, _, index)) = candidates.min() else {
            return false;
        };
        let (place, pattern) = self.terms[index];
        self.used.insert(index);
        self.bound.extend(binds(pattern));
        self.plan.steps.push(Step::Match {
            place,
            pattern: pattern.clone(),
        });
        true
    }

    /// Tries all values of a variable: of the first one with a small colour set.
    fn range(
        &mut self,
        first: VariableId,
        needed: &BTreeSet<VariableId>,
        declarations: &mut Declarations,
    ) -> Result<(), VariableId> {
        let open: Vec<VariableId> = needed.difference(&self.bound).copied().collect();
        for variable in open {
            let colour = declarations.variable_colour(variable);
            if let Some(values) = declarations.all_values(colour, SMALL) {
                self.bound.insert(variable);
                self.plan.steps.push(Step::Range { variable, values });
                return Ok(());
            }
        }
        Err(first)
    }
}

/// The variables that matching a pattern binds. What is computed in it is checked at the end.
fn binds(pattern: &Pattern) -> BTreeSet<VariableId> {
    match pattern {
        Pattern::Variable(variable) => BTreeSet::from([*variable]),
        Pattern::Fields(fields) => fields.iter().flat_map(binds).collect(),
        Pattern::Constant(_) | Pattern::Computed(_) => BTreeSet::new(),
    }
}

/// All variables of a pattern.
fn variables(pattern: &Pattern) -> BTreeSet<VariableId> {
    match pattern {
        Pattern::Computed(expression) => expression.variables().iter().copied().collect(),
        Pattern::Fields(fields) => fields.iter().flat_map(variables).collect(),
        other => binds(other),
    }
}
