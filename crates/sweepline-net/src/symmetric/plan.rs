//! In which order the variables of a transition get their values.

use super::sorts::{Colour, Sorts};
use super::terms::{Binding, Comparison, Condition, Shape, Term, Variable};

/// The tokens a place may ever hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Possible {
    pub(super) list: Vec<Colour>,
    known: std::collections::HashSet<Colour>,
}

impl Possible {
    /// Whether it is new.
    pub(super) fn add(&mut self, colour: Colour) -> bool {
        let new = self.known.insert(colour);
        if new {
            self.list.push(colour);
        }
        new
    }

    pub(super) fn contains(&self, colour: Colour) -> bool {
        self.known.contains(&colour)
    }
}

/// One step of a plan.
#[derive(Clone, Debug)]
enum Step {
    /// The term is one of the tokens of the place.
    Match(usize, Term),
    /// The two are equal, and the second is known.
    Solve(Term, Term),
    /// The variable is anything of its sort.
    Each(Variable, Colour),
    Check(Condition),
}

/// How to find the bindings of a transition.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    steps: Vec<Step>,
}

/// What a plan is made of.
pub(super) struct Parts<'t> {
    /// Terms whose colours are taken, and from which place.
    pub(super) patterns: Vec<(usize, &'t Term)>,
    pub(super) conditions: &'t [Condition],
    /// All variables, with the number of their colours.
    pub(super) variables: Vec<(Variable, Colour)>,
}

impl Plan {
    /// Looks at what is known first, then follows tokens, and tries all colours only where nothing else is left.
    pub(super) fn new(parts: Parts<'_>) -> Self {
        let Parts {
            mut patterns,
            conditions,
            variables,
        } = parts;
        let mut known: Vec<Variable> = Vec::new();
        let mut open: Vec<&Condition> = conditions.iter().collect();
        let mut steps = Vec::new();
        let unknown = |term: &Term, known: &[Variable]| {
            let mut all = Vec::new();
            term.variables(&mut all);
            all.retain(|variable| !known.contains(variable));
            all.sort_unstable();
            all.dedup();
            all
        };
        loop {
            open.retain(|condition| {
                let mut all = Vec::new();
                condition.variables(&mut all);
                let ready = all.iter().all(|variable| known.contains(variable));
                if ready {
                    steps.push(Step::Check((*condition).clone()));
                }
                !ready
            });
            let solved = open.iter().find_map(|condition| {
                let Condition::Compare(Comparison::Equal, left, right) = condition else {
                    return None;
                };
                let sides = [(left, right), (right, left)];
                sides.into_iter().find(|(term, from)| {
                    unknown(from, &known).is_empty()
                        && !unknown(term, &known).is_empty()
                        && term.sort == from.sort
                })
            });
            if let Some((term, from)) = solved {
                known.extend(unknown(term, &known));
                steps.push(Step::Solve(term.clone(), from.clone()));
                continue;
            }
            // Of several places, the one that leaves least to choose.
            let next = (0..patterns.len()).min_by_key(|&at| {
                let term = patterns[at].1;
                let knows = known.len().min(1) * usize::from(touches(term, &known));
                (unknown(term, &known).len(), usize::MAX - knows, at)
            });
            if let Some(at) = next {
                let (place, term) = patterns.remove(at);
                known.extend(unknown(term, &known));
                steps.push(Step::Match(place, term.clone()));
                continue;
            }
            let rest = variables
                .iter()
                .filter(|(variable, _)| !known.contains(variable));
            match rest.min_by_key(|(variable, size)| (*size, *variable)) {
                Some((variable, size)) => {
                    known.push(*variable);
                    steps.push(Step::Each(*variable, *size));
                }
                None => return Self { steps },
            }
        }
    }

    /// Tells all bindings; an error of `tell` ends it. `tries` is counted down, and when nothing is left of it, that is the end.
    pub(super) fn bindings<E>(
        &self,
        sorts: &Sorts,
        places: &[Possible],
        binding: &mut Binding,
        tries: &mut u64,
        tell: &mut impl FnMut(&Binding) -> Result<(), E>,
    ) -> Result<(), Ended<E>> {
        self.from(0, sorts, places, binding, tries, tell)
    }

    fn from<E>(
        &self,
        at: usize,
        sorts: &Sorts,
        places: &[Possible],
        binding: &mut Binding,
        tries: &mut u64,
        tell: &mut impl FnMut(&Binding) -> Result<(), E>,
    ) -> Result<(), Ended<E>> {
        *tries = tries.checked_sub(1).ok_or(Ended::TooMany)?;
        let Some(step) = self.steps.get(at) else {
            return tell(binding).map_err(Ended::By);
        };
        let mut bound = Vec::new();
        match step {
            Step::Check(condition) => {
                if condition.holds(sorts, binding) {
                    self.from(at + 1, sorts, places, binding, tries, tell)?;
                }
            }
            Step::Solve(term, from) => {
                let colour = from.value(sorts, binding).expect("its variables are known");
                if term.unify(sorts, colour, binding, &mut bound) {
                    self.from(at + 1, sorts, places, binding, tries, tell)?;
                }
                forget(binding, &mut bound);
            }
            Step::Match(place, term) => match term.value(sorts, binding) {
                Some(colour) => {
                    if places[*place].contains(colour) {
                        self.from(at + 1, sorts, places, binding, tries, tell)?;
                    }
                }
                None => {
                    for colour in &places[*place].list {
                        if term.unify(sorts, *colour, binding, &mut bound) {
                            self.from(at + 1, sorts, places, binding, tries, tell)?;
                        } else {
                            *tries = tries.checked_sub(1).ok_or(Ended::TooMany)?;
                        }
                        forget(binding, &mut bound);
                    }
                }
            },
            Step::Each(variable, size) => {
                for colour in 0..*size {
                    binding[variable.0] = Some(colour);
                    self.from(at + 1, sorts, places, binding, tries, tell)?;
                }
                binding[variable.0] = None;
            }
        }
        Ok(())
    }
}

/// Why not all bindings were told.
#[derive(Debug)]
pub(super) enum Ended<E> {
    /// There was no end to it.
    TooMany,
    By(E),
}

fn forget(binding: &mut Binding, bound: &mut Vec<Variable>) {
    for variable in bound.drain(..) {
        binding[variable.0] = None;
    }
}

/// Whether a variable of the term is known.
fn touches(term: &Term, known: &[Variable]) -> bool {
    match &term.shape {
        Shape::Variable(variable) => known.contains(variable),
        Shape::Constant(_) => true,
        Shape::Shift(term, _) => touches(term, known),
        Shape::Tuple(terms) => terms.iter().any(|term| touches(term, known)),
    }
}
