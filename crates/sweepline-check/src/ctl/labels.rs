//! Which instances satisfy the parts of a formula.

use sweepline_core::StopReason;
use sweepline_logic::ctl::{Branching, Quantifier};

use super::arena::{Arena, Op, Part};
use super::certificate::Labelling;
use super::fair::{self, Fairly};
use super::fixpoint::{Known, Until};
use super::sets::Set;
use crate::ltl::{Allowance, Links, Recorder, bit};

/// Where a part certainly holds, and where it may.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    lower: Set,
    /// The same if nothing is unknown.
    upper: Option<Set>,
}

impl Label {
    fn upper(&self) -> &Set {
        self.upper.as_ref().unwrap_or(&self.lower)
    }

    /// Where it certainly holds, or may.
    fn side(&self, may: bool) -> &Set {
        if may { self.upper() } else { &self.lower }
    }

    /// Where it certainly has a truth value.
    pub(crate) fn certain(&self, truth: bool) -> Set {
        if truth {
            self.lower.clone()
        } else {
            self.upper().clone().negated()
        }
    }

    /// Whether it holds at a number, if that is known.
    pub(crate) fn at(&self, number: u32) -> Option<bool> {
        match (self.lower.contains(number), self.upper().contains(number)) {
            (true, _) => Some(true),
            (false, false) => Some(false),
            (false, true) => None,
        }
    }
}

/// The labels of all parts of a formula.
pub(crate) struct Labels<'r> {
    pub(crate) links: &'r Links,
    /// By part.
    pub(crate) of_parts: Vec<Label>,
    /// Which runs count, if not all do.
    pub(crate) fair: Option<Fairly<'r>>,
}

/// The labels do not fit into the memory there is.
pub(crate) struct DoesNotFit;

impl<'r> Labels<'r> {
    /// Labels what is recorded. `places` says which of the recorded atoms each atom of the formula is.
    pub(crate) fn of(
        arena: &Arena,
        places: &'r [usize],
        fair: Option<Fairly<'r>>,
        recorder: &'r Recorder,
        allowance: &Allowance<'r>,
    ) -> Result<Result<Self, DoesNotFit>, StopReason> {
        let links = recorder.links();
        let numbers = links.numbers();
        let recorded = Recorded::new(recorder, places, fair);
        let sets = if recorded.is_exact() { 1 } else { 2 };
        // Operators take a few more while they are computed.
        let mut most = Set::bytes(numbers).saturating_mul(sets * (arena.len() + 3));
        if recorded.fair.is_some() {
            most = most.saturating_add(fair::bytes(numbers));
        }
        if most > allowance.bytes {
            return Ok(Err(DoesNotFit));
        }
        let allowance = Allowance {
            bytes: allowance.bytes - most,
            limits: allowance.limits,
        };
        let mut labelling = Labeller {
            recorded: &recorded,
            allowance: &allowance,
            labels: Vec::with_capacity(arena.len()),
        };
        for part in 0..arena.len() {
            let label = labelling.label(arena.op(part))?;
            labelling.labels.push(label);
        }
        let labels = labelling.labels;
        let fair = recorded.fair;
        Ok(Ok(Self {
            links,
            of_parts: labels,
            fair,
        }))
    }

    /// Whether a part holds at a number, if that is known.
    pub(crate) fn at(&self, part: Part, number: u32) -> Option<bool> {
        if number >= self.links.numbers() {
            return None;
        }
        self.of_parts[part].at(number)
    }

    /// Whether a part holds at the start of all runs, if that is known.
    pub(crate) fn initially(&self, part: Part) -> Option<bool> {
        let mut all = Some(true);
        for number in self.links.initial() {
            match number.and_then(|number| self.at(part, number)) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            }
        }
        all
    }
}

impl Labelling for Labels<'_> {
    fn claimed(&self, part: Part, number: u32) -> Option<bool> {
        self.at(part, number)
    }
}

/// What was recorded, seen by a formula.
struct Recorded<'r> {
    recorder: &'r Recorder,
    places: &'r [usize],
    expanded: Set,
    /// Numbers at which an atom of the formula has no value, and which atoms.
    undefined: Vec<(u32, Vec<u32>)>,
    /// Whether everything that can be reached has been expanded.
    closed: bool,
    /// Which runs count, if not all do.
    fair: Option<Fairly<'r>>,
}

impl<'r> Recorded<'r> {
    fn new(recorder: &'r Recorder, places: &'r [usize], mut fair: Option<Fairly<'r>>) -> Self {
        let links = recorder.links();
        let undefined = recorder.undefined().iter().filter_map(|(&number, atoms)| {
            let is_undefined = |place: &usize| atoms.iter().any(|one| one.atom == *place);
            let atoms: Vec<u32> = (0..)
                .zip(places)
                .filter(|(_, place)| is_undefined(place))
                .map(|(atom, _)| atom)
                .collect();
            (!atoms.is_empty()).then_some((number, atoms))
        });
        let undefined: Vec<(u32, Vec<u32>)> = undefined.collect();
        let mut expanded = Set::filled(links.numbers(), false);
        for number in 0..links.numbers() {
            if links.label(number).is_some() {
                expanded.insert(number);
            }
        }
        // Where steps are cut off, atoms have no value, and it is not known whether runs end there.
        let vague = fair.iter().flat_map(Fairly::vague);
        let undefined_at = undefined.iter().map(|(number, _)| *number);
        for number in undefined_at.chain(vague) {
            if links.edges(number).is_empty() {
                expanded.remove(number);
            }
        }
        if let Some(fair) = &mut fair {
            fair.set_expanded(&expanded);
        }
        let known = |target: Option<u32>| {
            target.is_some_and(|target| target < links.numbers() && expanded.contains(target))
        };
        let closed = links.initial().all(known)
            && (0..links.numbers()).all(|number| {
                let mut edges = links.edges(number);
                edges.all(|edge| known(links.target(edge)))
            });
        Self {
            recorder,
            places,
            expanded,
            undefined,
            closed,
            fair,
        }
    }

    fn is_exact(&self) -> bool {
        let vague = self.fair.iter().flat_map(Fairly::vague).next();
        self.closed && self.undefined.is_empty() && vague.is_none()
    }

    /// Where something about single states holds.
    fn state(&self, formula: &Branching) -> Label {
        let links = self.recorder.links();
        if let Branching::Constant(value) = formula {
            return Label {
                lower: Set::filled(links.numbers(), *value),
                upper: None,
            };
        }
        let by_letter = self.recorder.read().iter().map(|read| {
            let value = |atom: u32| Some(bit(read, self.places[atom as usize]));
            evaluate(formula, &value) == Some(true)
        });
        let by_letter: Vec<bool> = by_letter.collect();
        let mut lower = Set::filled(links.numbers(), false);
        for number in 0..links.numbers() {
            if links.label(number).is_some_and(|letter| by_letter[letter]) {
                lower.insert(number);
            }
        }
        if self.is_exact() {
            return Label { lower, upper: None };
        }
        let mut upper = lower.clone().or(&self.expanded.clone().negated());
        for (number, undefined) in &self.undefined {
            let Some(letter) = links.label(*number) else {
                continue;
            };
            let read = self.recorder.read().get(letter);
            let value = |atom: u32| {
                let known = !undefined.contains(&atom);
                known.then(|| bit(read, self.places[atom as usize]))
            };
            let value = evaluate(formula, &value);
            set(&mut lower, *number, value == Some(true));
            set(&mut upper, *number, value != Some(false));
        }
        Label {
            lower,
            upper: Some(upper),
        }
    }
}

fn set(set: &mut Set, number: u32, member: bool) {
    if member {
        set.insert(number);
    } else {
        set.remove(number);
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

struct Labeller<'a> {
    recorded: &'a Recorded<'a>,
    allowance: &'a Allowance<'a>,
    labels: Vec<Label>,
}

impl Labeller<'_> {
    /// The label of an operator whose operands have theirs.
    fn label(&self, op: &Op) -> Result<Label, StopReason> {
        let of = |part: &Part| &self.labels[*part];
        Ok(match op {
            Op::State(formula) => self.recorded.state(formula),
            Op::Not(operand) => {
                let Label { lower, upper } = of(operand).clone();
                match upper {
                    None => Label {
                        lower: lower.negated(),
                        upper: None,
                    },
                    Some(upper) => Label {
                        lower: upper.negated(),
                        upper: Some(lower.negated()),
                    },
                }
            }
            Op::And(parts) => self.fold(parts, true, Set::and),
            Op::Or(parts) => self.fold(parts, false, Set::or),
            Op::Iff(a, b) => iff(of(a), of(b)),
            Op::Next(quantifier, operand) => {
                let operand = of(operand);
                match self.fair_label() {
                    None => {
                        self.both(|known, upper| known.next(*quantifier, operand.side(upper)))?
                    }
                    Some(fair) => self.both(|known, upper| {
                        let operand = operand.side(upper).clone();
                        let operand = match quantifier {
                            Quantifier::Exists => operand.and(fair.side(upper)),
                            Quantifier::Forall => operand.or(&fair.side(!upper).clone().negated()),
                        };
                        known.next(*quantifier, &operand)
                    })?,
                }
            }
            Op::Until {
                quantifier,
                weak,
                way,
                goal,
            } => {
                let (way, goal) = (of(way), of(goal));
                match &self.recorded.fair {
                    Some(fair) => self.fair_until(fair, *quantifier, *weak, (way, goal))?,
                    None => self.both(|known, upper| {
                        known.until(Until {
                            quantifier: *quantifier,
                            weak: *weak,
                            way: way.side(upper),
                            goal: goal.side(upper),
                        })
                    })?,
                }
            }
        })
    }

    /// Where some fair run starts, if not all runs count and that is known already.
    fn fair_label(&self) -> Option<&Label> {
        let fair = self.recorded.fair.as_ref()?;
        self.labels.get(fair.part)
    }

    /// Some fair run, or all of them. That all satisfy `p U q` means that none satisfies `!q W (!p & !q)`, and the other way round.
    fn fair_until(
        &self,
        fair: &Fairly<'_>,
        quantifier: Quantifier,
        weak: bool,
        (way, goal): (&Label, &Label),
    ) -> Result<Label, StopReason> {
        self.both(|known, upper| match quantifier {
            Quantifier::Exists => {
                let (way, goal) = (way.side(upper), goal.side(upper).clone());
                self.some_fair(known, fair, weak, (way, goal))
            }
            Quantifier::Forall => {
                let against = Known {
                    beyond: !upper,
                    ..*known
                };
                // What certainly holds of all is what may not hold of any.
                let way = way.side(upper).clone().negated();
                let goal = goal.side(upper).clone().negated();
                let both = way.and(&goal);
                let some = self.some_fair(&against, fair, !weak, (&goal, both))?;
                Ok(some.negated())
            }
        })
    }

    /// Where a fair run comes to a goal and stays on its way before; if that is weak, it may stay on its way for ever.
    fn some_fair(
        &self,
        known: &Known<'_>,
        fair: &Fairly<'_>,
        weak: bool,
        (way, mut goal): (&Set, Set),
    ) -> Result<Set, StopReason> {
        if let Some(label) = self.fair_label() {
            goal = goal.and(label.side(known.beyond));
        }
        if weak {
            goal = goal.or(&fair.cycles(way, known.beyond, known.allowance)?);
        }
        known.until(Until {
            quantifier: Quantifier::Exists,
            weak: false,
            way,
            goal: &goal,
        })
    }

    fn fold(&self, parts: &[Part], start: bool, combine: impl Fn(Set, &Set) -> Set) -> Label {
        let start = Set::filled(self.recorded.recorder.links().numbers(), start);
        let labels = || parts.iter().map(|&part| &self.labels[part]);
        let lower = labels().fold(start.clone(), |set, label| combine(set, &label.lower));
        let exact = labels().all(|label| label.upper.is_none());
        let upper = || labels().fold(start, |set, label| combine(set, label.upper()));
        Label {
            lower,
            upper: (!exact).then(upper),
        }
    }

    /// Computes a lower and an upper set, or one if nothing is unknown.
    fn both(
        &self,
        compute: impl Fn(&Known<'_>, bool) -> Result<Set, StopReason>,
    ) -> Result<Label, StopReason> {
        let mut known = Known {
            links: self.recorded.recorder.links(),
            expanded: &self.recorded.expanded,
            beyond: false,
            allowance: self.allowance,
        };
        let lower = compute(&known, false)?;
        if self.recorded.is_exact() {
            return Ok(Label { lower, upper: None });
        }
        known.beyond = true;
        let upper = Some(compute(&known, true)?);
        Ok(Label { lower, upper })
    }
}

/// Both or neither.
fn iff(a: &Label, b: &Label) -> Label {
    if a.upper.is_none() && b.upper.is_none() {
        return Label {
            lower: a.lower.clone().same(&b.lower),
            upper: None,
        };
    }
    let neither = |a: &Set, b: &Set| a.clone().or(b).negated();
    let lower = a.lower.clone().and(&b.lower);
    let lower = lower.or(&neither(a.upper(), b.upper()));
    let only_a = a.lower.clone().without(b.upper());
    let only_b = b.lower.clone().without(a.upper());
    Label {
        lower,
        upper: Some(only_a.or(&only_b).negated()),
    }
}
