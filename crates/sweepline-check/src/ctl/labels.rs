//! Which instances satisfy the parts of a formula.

use std::collections::HashMap;

use sweepline_core::StopReason;
use sweepline_logic::ctl::Branching;

use super::arena::{Arena, Op, Part};
use super::backwards::Node;
use super::fixpoint::{Bound, Known, Operands, Until};
use super::recorder::{BranchRecorder, Survey};
use super::sets::{Set, Side};
use crate::ltl::Allowance;

/// Where a part certainly holds, and where it may.
#[derive(Clone, Debug)]
pub(crate) enum Label {
    /// The same everywhere.
    Constant(bool),
    /// There, and nothing is unknown.
    Exactly(Set),
    /// There at least, and there at most.
    Between { lower: Set, upper: Set },
}

impl Label {
    fn lower(&self) -> Side<'_> {
        match self {
            Self::Constant(value) => Side::Constant(*value),
            Self::Exactly(lower) | Self::Between { lower, .. } => Side::Set(lower),
        }
    }

    fn upper(&self) -> Side<'_> {
        match self {
            Self::Constant(value) => Side::Constant(*value),
            Self::Exactly(upper) | Self::Between { upper, .. } => Side::Set(upper),
        }
    }

    /// Whether it holds at a number, if that is known.
    pub(crate) fn at(&self, number: u32) -> Option<bool> {
        match (self.lower().contains(number), self.upper().contains(number)) {
            (true, _) => Some(true),
            (false, false) => Some(false),
            (false, true) => None,
        }
    }
}

/// The labels of all parts of a formula.
pub(crate) struct Labels<'r> {
    pub(crate) recorder: &'r BranchRecorder,
    pub(crate) survey: &'r Survey,
    parts: Vec<Label>,
}

/// The labels do not fit into the memory there is.
pub(crate) struct DoesNotFit;

impl<'r> Labels<'r> {
    /// Labels what is recorded. `places` says which of the recorded atoms each atom of the formula is. Less is known than could be
    /// if it need not be thorough.
    pub(crate) fn of(
        arena: &Arena,
        places: &[usize],
        (recorder, survey): (&'r BranchRecorder, &'r Survey),
        thorough: bool,
        allowance: &Allowance<'_>,
    ) -> Result<Result<Self, DoesNotFit>, StopReason> {
        let recorded = Recorded::new(recorder, survey, places);
        let sets = if recorded.is_exact() { 1 } else { 2 };
        // Operators take a few more while they are computed.
        let parts = (0..arena.len()).filter(|&part| !arena.is_constant(part));
        let most = Set::bytes(recorder.links().numbers())
            .saturating_mul(sets * (parts.count() + 3))
            .saturating_add(recorder.links().reading_bytes());
        if most > allowance.bytes {
            return Ok(Err(DoesNotFit));
        }
        let allowance = Allowance {
            bytes: allowance.bytes - most,
            limits: allowance.limits,
        };
        let mut states = recorded.states(arena, &allowance)?;
        let mut labelling = Labelling {
            recorded: &recorded,
            known: Known {
                recorder,
                expanded: recorded.expanded.as_ref(),
                allowance: &allowance,
                thorough,
            },
            labels: Vec::with_capacity(arena.len()),
        };
        for part in 0..arena.len() {
            let label = match states.remove(&part) {
                Some(label) => label,
                None => labelling.label(arena.op(part))?,
            };
            labelling.labels.push(label);
        }
        Ok(Ok(Self {
            recorder,
            survey,
            parts: labelling.labels,
        }))
    }

    /// Whether a part holds at a number, if that is known.
    pub(crate) fn at(&self, part: Part, number: u32) -> Option<bool> {
        if number >= self.recorder.links().numbers() {
            return None;
        }
        self.parts[part].at(number)
    }

    /// Some number at which a part certainly holds.
    pub(crate) fn some_member(&self, part: Part) -> Option<u32> {
        let numbers = self.recorder.links().numbers();
        match self.parts[part].lower() {
            Side::Constant(value) => value.then(|| numbers.checked_sub(1)).flatten(),
            Side::Set(set) => set.last_below(numbers),
        }
    }

    /// Whether a part holds at the start of all runs, if that is known.
    pub(crate) fn initially(&self, part: Part) -> Option<bool> {
        let mut all = Some(true);
        for number in &self.survey.initial {
            match number.and_then(|number| self.at(part, number)) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            }
        }
        all
    }
}

/// What was recorded, seen by a formula.
struct Recorded<'r> {
    recorder: &'r BranchRecorder,
    places: &'r [usize],
    /// Numbers that have been expanded; nothing if that is everything that can be reached, and all is known of it.
    expanded: Option<Set>,
    /// Numbers at which an atom of the formula has no value, and which atoms.
    undefined: HashMap<u32, Vec<u32>>,
}

impl<'r> Recorded<'r> {
    fn new(recorder: &'r BranchRecorder, survey: &Survey, places: &'r [usize]) -> Self {
        let mut undefined = HashMap::new();
        let mut cut_off = Vec::new();
        for (&number, unread) in recorder.undefined() {
            let is_undefined = |place: &usize| unread.atoms.iter().any(|one| one.atom == *place);
            let atoms = (0..).zip(places).filter(|(_, place)| is_undefined(place));
            let atoms: Vec<u32> = atoms.map(|(atom, _)| atom).collect();
            if !atoms.is_empty() {
                undefined.insert(number, atoms);
                // Where steps are cut off, atoms have no value, and it is not known whether runs end there.
                cut_off.extend(unread.is_end.then_some(number));
            }
        }
        let exact = survey.closed && undefined.is_empty();
        let numbers = recorder.links().numbers();
        let expanded = (!exact).then(|| {
            let all = || Set::filled(numbers, true);
            let mut expanded = survey.expanded.clone().unwrap_or_else(all);
            for number in cut_off {
                expanded.set(number, false);
            }
            expanded
        });
        Self {
            recorder,
            places,
            expanded,
            undefined,
        }
    }

    fn is_exact(&self) -> bool {
        self.expanded.is_none()
    }

    /// Where what is about single states holds.
    fn states(
        &self,
        arena: &Arena,
        allowance: &Allowance<'_>,
    ) -> Result<HashMap<Part, Label>, StopReason> {
        let mut all = HashMap::new();
        let (mut asked, mut labels) = (Vec::new(), Vec::new());
        for part in 0..arena.len() {
            match arena.op(part) {
                Op::State(Branching::Constant(value)) => {
                    all.insert(part, Label::Constant(*value));
                }
                Op::State(formula) => {
                    asked.push((part, Evaluator::new(formula, self.places)));
                    labels.push(self.unread());
                }
                _ => {}
            }
        }
        if asked.is_empty() {
            return Ok(all);
        }
        self.recorder.visit(allowance.limits, |node| {
            let undefined = (!self.undefined.is_empty())
                .then(|| self.undefined.get(&node.number))
                .flatten();
            for ((_, evaluator), (lower, upper)) in asked.iter().zip(&mut labels) {
                let value = match undefined {
                    None => Some(evaluator.holds(node)),
                    Some(atoms) => evaluator.value(node, atoms),
                };
                if value == Some(true) {
                    lower.set(node.number, true);
                }
                if let Some(upper) = upper
                    && value == Some(false)
                {
                    upper.set(node.number, false);
                }
            }
        })?;
        for ((part, _), (lower, upper)) in asked.into_iter().zip(labels) {
            all.insert(
                part,
                match upper {
                    None => Label::Exactly(lower),
                    Some(upper) => Label::Between { lower, upper },
                },
            );
        }
        Ok(all)
    }

    /// The sets where something certainly holds and where it may, before anything is known.
    fn unread(&self) -> (Set, Option<Set>) {
        let numbers = self.recorder.links().numbers();
        let upper = (!self.is_exact()).then(|| Set::filled(numbers, true));
        (Set::filled(numbers, false), upper)
    }
}

/// Says whether something about single states holds at a node.
struct Evaluator<'f> {
    formula: &'f Branching,
    places: &'f [usize],
    /// The atoms it is about, and its value for each combination of them, if these are few.
    table: Option<(Vec<usize>, Vec<bool>)>,
}

/// Atoms for which there is a table.
const TABLED: usize = 10;

impl<'f> Evaluator<'f> {
    fn new(formula: &'f Branching, places: &'f [usize]) -> Self {
        let atoms: Vec<usize> = (0..places.len())
            .filter(|&atom| mentions(formula, atom))
            .collect();
        let table = (atoms.len() <= TABLED).then(|| {
            let values = (0..1_usize << atoms.len()).map(|bits| {
                let value = |atom: u32| {
                    let at = atoms.iter().position(|&one| one == atom as usize);
                    at.map(|at| bits >> at & 1 == 1)
                };
                evaluate(formula, &value) == Some(true)
            });
            let values = values.collect();
            let places = atoms.iter().map(|&atom| places[atom]).collect();
            (places, values)
        });
        Self {
            formula,
            places,
            table,
        }
    }

    #[inline]
    fn holds(&self, node: &Node<'_>) -> bool {
        match &self.table {
            Some((places, values)) => {
                let bits = places.iter().enumerate();
                let bits = bits.map(|(at, &place)| usize::from(node.atom(place)) << at);
                values[bits.sum::<usize>()]
            }
            None => self.value(node, &[]) == Some(true),
        }
    }

    /// Its value if these atoms have none.
    fn value(&self, node: &Node<'_>, undefined: &[u32]) -> Option<bool> {
        let value = |atom: u32| {
            let known = !undefined.contains(&atom);
            known.then(|| node.atom(self.places[atom as usize]))
        };
        evaluate(self.formula, &value)
    }
}

fn mentions(formula: &Branching, atom: usize) -> bool {
    let one = |part: &Branching| mentions(part, atom);
    match formula {
        Branching::Constant(_) => false,
        Branching::Atom(this) => *this as usize == atom,
        Branching::Not(operand) | Branching::Unary(_, _, operand) => one(operand),
        Branching::And(parts) | Branching::Or(parts) => parts.iter().any(one),
        Branching::Implies(a, b) | Branching::Iff(a, b) | Branching::Binary(_, _, a, b) => {
            one(a) || one(b)
        }
    }
}

/// The value of something about a single state, some of whose atoms may have none.
pub(crate) fn evaluate(formula: &Branching, value: &impl Fn(u32) -> Option<bool>) -> Option<bool> {
    let all = |parts: &[Branching], decisive: bool| {
        let mut known = true;
        for part in parts {
            match evaluate(part, value) {
                Some(truth) if truth == decisive => return Some(decisive),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(!decisive)
    };
    match formula {
        Branching::Constant(value) => Some(*value),
        Branching::Atom(atom) => value(*atom),
        Branching::Not(operand) => evaluate(operand, value).map(|truth| !truth),
        Branching::And(parts) => all(parts, false),
        Branching::Or(parts) => all(parts, true),
        Branching::Implies(a, b) => match (evaluate(a, value), evaluate(b, value)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), Some(false)) => Some(false),
            _ => None,
        },
        Branching::Iff(a, b) => Some(evaluate(a, value)? == evaluate(b, value)?),
        Branching::Unary(..) | Branching::Binary(..) => None,
    }
}

struct Labelling<'a> {
    recorded: &'a Recorded<'a>,
    known: Known<'a>,
    labels: Vec<Label>,
}

impl Labelling<'_> {
    /// The label of an operator whose operands have theirs.
    fn label(&self, op: &Op) -> Result<Label, StopReason> {
        let of = |part: &Part| &self.labels[*part];
        Ok(match op {
            // These were labelled all at once.
            Op::State(_) => Label::Constant(false),
            Op::Not(operand) => negated(of(operand).clone()),
            Op::And(parts) => self.fold(parts, true, Set::and),
            Op::Or(parts) => self.fold(parts, false, Set::or),
            Op::Iff(a, b) => {
                let (a, b) = (of(a), of(b));
                // Both or neither.
                let both = self.combine(&[a, b], true, Set::and);
                let neither = negated(self.combine(&[a, b], false, Set::or));
                self.combine(&[&both, &neither], false, Set::or)
            }
            Op::Next(quantifier, operand) => {
                let operand = of(operand);
                let bounds = self.bounds(|beyond| side(operand, beyond));
                label_of(self.known.next(*quantifier, &bounds)?)
            }
            Op::Until {
                quantifier,
                weak,
                way,
                goal,
            } => {
                let (way, goal) = (of(way), of(goal));
                let bounds = self.bounds(|beyond| Operands {
                    way: side(way, beyond),
                    goal: side(goal, beyond),
                });
                let until = Until {
                    quantifier: *quantifier,
                    weak: *weak,
                };
                label_of(self.known.until(until, &bounds)?)
            }
        })
    }

    fn fold(&self, parts: &[Part], start: bool, combine: impl Fn(Set, Side<'_>) -> Set) -> Label {
        let labels: Vec<&Label> = parts.iter().map(|&part| &self.labels[part]).collect();
        self.combine(&labels, start, combine)
    }

    fn combine(
        &self,
        labels: &[&Label],
        start: bool,
        combine: impl Fn(Set, Side<'_>) -> Set,
    ) -> Label {
        let start = Set::filled(self.recorded.recorder.links().numbers(), start);
        let exact = |label: &&Label| !matches!(label, Label::Between { .. });
        if labels.iter().all(exact) {
            let all = labels.iter().map(|label| label.lower());
            return Label::Exactly(all.fold(start, combine));
        }
        let lower = labels.iter().map(|label| label.lower());
        let lower = lower.fold(start.clone(), &combine);
        let upper = labels.iter().map(|label| label.upper());
        let upper = upper.fold(start, &combine);
        Label::Between { lower, upper }
    }

    /// A lower and an upper set are computed, or one if nothing is unknown.
    fn bounds<S>(&self, of: impl Fn(bool) -> S) -> Vec<Bound<S>> {
        let all: &[bool] = if self.recorded.is_exact() {
            &[false]
        } else {
            &[false, true]
        };
        let bound = |&beyond: &bool| Bound {
            of: of(beyond),
            beyond,
        };
        all.iter().map(bound).collect()
    }
}

/// The label of these one or two sets.
fn label_of(sets: Vec<Set>) -> Label {
    let mut sets = sets.into_iter();
    match (sets.next(), sets.next()) {
        (Some(lower), Some(upper)) => Label::Between { lower, upper },
        (Some(exactly), None) => Label::Exactly(exactly),
        (None, _) => Label::Constant(false),
    }
}

fn side(label: &Label, is_upper: bool) -> Side<'_> {
    if is_upper {
        label.upper()
    } else {
        label.lower()
    }
}

fn negated(label: Label) -> Label {
    match label {
        Label::Constant(value) => Label::Constant(!value),
        Label::Exactly(set) => Label::Exactly(set.negated()),
        Label::Between { lower, upper } => Label::Between {
            lower: upper.negated(),
            upper: lower.negated(),
        },
    }
}
