//! Bindings that are enabled, found by following a plan.

use crate::marking::Marking;
use crate::ml::{Declarations, Failure, Machine, Pattern, Tokens, Value, VariableId};
use crate::net::{Net, Transition};
use crate::plan::Step;

/// So many values are tried for one transition in one marking; that takes some seconds.
const MOST_LOOKS: u64 = 50_000_000;

/// So many bindings are listed.
const MOST_FOUND: usize = 1 << 22;

/// A binding of a transition that has all its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Enabled {
    /// A value for each variable of the model.
    pub(crate) binding: Vec<Value>,
    /// How long it takes until all tokens are ready.
    pub(crate) after: i64,
    /// What it takes from each input place.
    pub(crate) taken: Vec<Taken>,
}

/// Tokens of one colour that are taken from a place.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) place: usize,
    pub(crate) value: Value,
    pub(crate) count: u64,
    /// How long before it is ready each may be taken; ascending. Empty where tokens have no stamps.
    pub(crate) early: Vec<i64>,
}

/// The markings of the input places of a transition.
pub(crate) type Inputs = [(usize, Marking)];

/// All enabled bindings of a transition, each once, in an order that depends on values only.
pub(crate) fn enabled(
    net: &Net,
    transition: &Transition,
    inputs: &Inputs,
    declarations: &mut Declarations,
) -> Result<Vec<Enabled>, Failure> {
    let is_empty = |place: &usize| {
        let mut inputs = inputs.iter();
        inputs.any(|(at, marking)| at == place && marking.0.is_empty())
    };
    if !transition.inhibitors.iter().all(is_empty) {
        return Ok(Vec::new());
    }
    let count = declarations.variable_count();
    let mut search = Search {
        net,
        transition,
        inputs,
        machine: declarations.machine_mut(),
        binding: vec![Value::UNIT; count],
        bound: vec![false; count],
        tokens: Vec::new(),
        found: Vec::new(),
        looks: 0,
    };
    search.from(0)?;
    let mut found = search.found;
    let values = declarations.machine().values();
    let order = |a: &Enabled, b: &Enabled| {
        let by_variable = |variable: &VariableId| {
            let at = variable.index();
            values.compare(a.binding[at], b.binding[at])
        };
        let compared = transition.variables.iter().map(by_variable);
        compared.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    found.sort_by(order);
    found.dedup_by(|a, b| order(a, b).is_eq());
    Ok(found)
}

struct Search<'a> {
    net: &'a Net,
    transition: &'a Transition,
    inputs: &'a Inputs,
    machine: &'a mut Machine,
    binding: Vec<Value>,
    bound: Vec<bool>,
    tokens: Vec<Tokens>,
    found: Vec<Enabled>,
    /// Values that were tried.
    looks: u64,
}

impl<'a> Search<'a> {
    fn marking(&self, place: usize) -> &'a Marking {
        let mut inputs = self.inputs.iter();
        let found = inputs.find(|(at, _)| *at == place);
        &found.expect("input places have markings").1
    }

    /// Follows the plan from a step on.
    fn from(&mut self, step: usize) -> Result<(), Failure> {
        let transition = self.transition;
        match transition.plan.steps.get(step) {
            None => self.check(),
            Some(Step::Test { condition }) => {
                let condition = &transition.guard[*condition];
                if self.machine.truth(condition, &self.binding)? {
                    self.from(step + 1)?;
                }
                Ok(())
            }
            Some(Step::Match { place, pattern }) => {
                let mut last = None;
                for entry in &self.marking(*place).0 {
                    if last != Some(entry.value) {
                        last = Some(entry.value);
                        self.matched(pattern, entry.value, step)?;
                    }
                }
                Ok(())
            }
            Some(Step::Equal { pattern, value }) => {
                let value = self.value(value)?;
                self.matched(pattern, value, step)
            }
            Some(Step::Range { variable, values }) => {
                for value in values {
                    self.matched(&Pattern::Variable(*variable), *value, step)?;
                }
                Ok(())
            }
        }
    }

    /// Goes on with the next step if a pattern matches a value.
    fn matched(&mut self, pattern: &Pattern, value: Value, step: usize) -> Result<(), Failure> {
        self.looks += 1;
        if self.looks > MOST_LOOKS || self.found.len() > MOST_FOUND {
            return Err(Failure::Bindings(self.looks - 1));
        }
        let mut trail = Vec::new();
        let went_on = if self.matches(pattern, value, &mut trail) {
            self.from(step + 1)
        } else {
            Ok(())
        };
        for variable in trail {
            self.bound[variable] = false;
        }
        went_on
    }

    /// Whether a pattern matches a value. What is computed in it is looked at when everything is bound.
    fn matches(&mut self, pattern: &Pattern, value: Value, trail: &mut Vec<usize>) -> bool {
        match pattern {
            Pattern::Computed(_) => true,
            Pattern::Constant(constant) => self.machine.constant(*constant) == value,
            Pattern::Variable(variable) => {
                let at = variable.index();
                if self.bound[at] {
                    return self.binding[at] == value;
                }
                self.bound[at] = true;
                self.binding[at] = value;
                trail.push(at);
                true
            }
            Pattern::Fields(patterns) => {
                if !value.is_stored() {
                    return false;
                }
                let fields = self.machine.values().fields(value).to_vec();
                let mut pairs = patterns.iter().zip(&fields);
                fields.len() == patterns.len()
                    && pairs.all(|(pattern, field)| self.matches(pattern, *field, trail))
            }
        }
    }

    /// The value of a pattern whose variables are bound.
    fn value(&mut self, pattern: &Pattern) -> Result<Value, Failure> {
        match pattern {
            Pattern::Variable(variable) => Ok(self.binding[variable.index()]),
            Pattern::Constant(constant) => Ok(self.machine.constant(*constant)),
            Pattern::Computed(expression) => self.machine.value(expression, &self.binding),
            Pattern::Fields(fields) => {
                let fields = fields.iter().map(|field| self.value(field));
                let fields = fields.collect::<Result<Vec<_>, _>>()?;
                Ok(self.machine.values_mut().tuple(&fields))
            }
        }
    }

    /// Notes a binding if all tokens are there that its input arcs need.
    fn check(&mut self) -> Result<(), Failure> {
        let mut taken: Vec<Taken> = Vec::new();
        for arc in &self.transition.inputs {
            let mut tokens = std::mem::take(&mut self.tokens);
            tokens.clear();
            self.machine
                .tokens(&arc.expression, &self.binding, &mut tokens)?;
            for tokens in &tokens {
                let is_timed = self.net.places[arc.place].is_timed;
                note(&mut taken, arc.place, tokens, is_timed)?;
            }
            self.tokens = tokens;
        }
        let mut after = 0;
        for needed in &mut taken {
            let marking = self.marking(needed.place);
            if marking.count_of(needed.value) < needed.count {
                return Ok(());
            }
            needed.early.sort_unstable();
            let time = marking.enabled_after(needed.value, &needed.early);
            after = after.max(time.unwrap_or(0));
        }
        self.found.push(Enabled {
            binding: self.binding.clone(),
            after,
            taken,
        });
        Ok(())
    }
}

/// What one binding may take: so many tokens with stamps of one colour, each of which is looked for by itself, and so many different
/// colours, which are compared with each other.
const MOST_TAKEN: (usize, usize) = (1 << 20, 1 << 14);

/// Adds to what is taken.
fn note(
    taken: &mut Vec<Taken>,
    place: usize,
    tokens: &Tokens,
    is_timed: bool,
) -> Result<(), Failure> {
    let (most_stamped, most_colours) = MOST_TAKEN;
    if taken.len() >= most_colours {
        return Err(Failure::Taken(most_colours));
    }
    let mut known = taken.iter_mut();
    let known = known.find(|known| known.place == place && known.value == tokens.value);
    let early = if is_timed {
        let count = usize::try_from(tokens.count).ok();
        let count = count.filter(|count| *count <= most_stamped);
        vec![tokens.delay; count.ok_or(Failure::Taken(most_stamped))?]
    } else {
        Vec::new()
    };
    match known {
        Some(known) => {
            known.count = known.count.saturating_add(tokens.count);
            known.early.extend(early);
        }
        None => taken.push(Taken {
            place,
            value: tokens.value,
            count: tokens.count,
            early,
        }),
    }
    Ok(())
}
