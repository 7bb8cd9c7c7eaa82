//! Which instances satisfy the parts of a formula.

use std::collections::HashMap;

use sweepline_core::StopReason;
use sweepline_explore::LogPlace;
use sweepline_logic::ctl::{Branching, Quantifier};

use super::archive::Archive;
use super::arena::{Arena, Op, Part};
use super::certificate::Labelling;
use super::edges::SMALL;
use super::evaluate::Evaluator;
use super::fair::{Assumed, Fairly};
use super::fixpoint::{Bound, Known, Operands, Until, Work};
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

    /// Its sides as sets of their own.
    fn into_sides(self, beyond: &[bool], numbers: u32) -> Vec<Set> {
        match (self, beyond) {
            (Self::Exactly(set), [_]) => vec![set],
            (Self::Between { lower, upper }, [false, true]) => vec![lower, upper],
            (label, beyond) => {
                let sides = beyond.iter().map(|&beyond| side(&label, beyond));
                sides.map(|side| side.to_set(numbers)).collect()
            }
        }
    }

    /// Where it certainly has a truth value, of so many numbers.
    fn certain(&self, truth: bool, numbers: u32) -> Set {
        if truth {
            self.lower().to_set(numbers)
        } else {
            self.upper().to_set(numbers).negated()
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
    of_parts: Archive,
    /// Which runs count, if not all do.
    pub(crate) fair: Option<Fairly<'r>>,
    /// What they take, and took while they were computed.
    pub(crate) bytes: usize,
}

/// The labels do not fit into the memory there is.
pub(crate) struct DoesNotFit;

impl<'r> Labels<'r> {
    /// Labels what is recorded. Less is known than could be if it need not be thorough.
    pub(crate) fn of(
        formula: &Formula<'r>,
        recorded: (&'r BranchRecorder, &'r Survey),
        thorough: bool,
        allowance: &Allowance<'_>,
    ) -> Result<Result<Self, DoesNotFit>, StopReason> {
        if Self::most_bytes(formula, recorded) > allowance.bytes {
            return Ok(Err(DoesNotFit));
        }
        let all = Self::of_all(std::slice::from_ref(formula), recorded, thorough, allowance)?;
        Ok(all.into_iter().next().ok_or(DoesNotFit))
    }

    /// The bytes that labels take, at most, while they are computed.
    pub(crate) fn most_bytes(
        formula: &Formula<'_>,
        (recorder, survey): (&BranchRecorder, &Survey),
    ) -> usize {
        let Formula { arena, assumed, .. } = formula;
        let exact = survey.closed && recorder.undefined().is_empty();
        let sets = if exact { 1 } else { 2 };
        // Operators take a few more while they are computed.
        let parts = (0..arena.len()).filter(|&part| !arena.is_constant(part));
        Set::bytes(recorder.links().numbers())
            .saturating_mul(sets * (parts.count() + 3))
            .saturating_add(recorder.links().reading_bytes())
            .saturating_add(assumed.map_or(0, |(assumed, _)| assumed.bytes(recorder)))
    }

    /// The labels of several formulas, which [fit](Self::most_bytes) together: they share passes over what is recorded.
    pub(crate) fn of_all(
        formulas: &[Formula<'r>],
        (recorder, survey): (&'r BranchRecorder, &'r Survey),
        thorough: bool,
        allowance: &Allowance<'_>,
    ) -> Result<Vec<Self>, StopReason> {
        let bytes = formulas
            .iter()
            .map(|formula| Self::most_bytes(formula, (recorder, survey)));
        let bytes: Vec<usize> = bytes.collect();
        let together = bytes
            .iter()
            .fold(0_usize, |sum, &one| sum.saturating_add(one));
        let allowance = Allowance {
            bytes: allowance.bytes.saturating_sub(together),
            limits: allowance.limits,
        };
        let recorded: Vec<Recorded<'r>> = formulas
            .iter()
            .map(|formula| Recorded::new(recorder, survey, formula))
            .collect();
        let mut fair = Vec::with_capacity(formulas.len());
        for (formula, recorded) in formulas.iter().zip(&recorded) {
            let expanded = recorded.expanded.as_ref().or(survey.expanded.as_ref());
            let assumed = formula.assumed.map(|(assumed, part)| {
                Fairly::new(assumed, part, (recorder, expanded), allowance.limits)
            });
            fair.push(assumed.transpose()?);
        }
        let states = states_of(formulas, &recorded, &allowance)?;
        let parts = formulas.iter().zip(&recorded).zip(&fair).zip(states);
        let labellers = parts.map(|(((formula, recorded), fair), states)| Labeller {
            arena: formula.arena,
            states,
            recorded,
            fair: fair.as_ref(),
            known: Known {
                recorder,
                expanded: recorded.expanded.as_ref(),
                allowance: &allowance,
                // If nothing is unknown, there is one set, and no safe side on which it could be.
                thorough: thorough || recorded.is_exact(),
            },
            last_uses: formula.arena.last_uses(),
            stores: fair.is_none()
                && recorder.links().numbers() > STORED
                && *recorder.links().place() != LogPlace::Off,
            labels: Archive::new(recorder.links().numbers(), recorder.links().place()),
        });
        let archives = label_all(labellers.collect())?;
        let all = archives.into_iter().zip(fair).zip(bytes);
        Ok(all
            .map(|((of_parts, fair), bytes)| Self {
                recorder,
                survey,
                of_parts,
                fair,
                bytes,
            })
            .collect())
    }

    /// Whether a part holds at a number, if that is known.
    pub(crate) fn at(&self, part: Part, number: u32) -> Option<bool> {
        if number >= self.recorder.links().numbers() {
            return None;
        }
        self.of_parts.label(part).at(number)
    }

    /// All labels, in memory.
    pub(crate) fn into_all(self) -> Result<Vec<Label>, StopReason> {
        self.of_parts.into_all()
    }

    /// Whether all labels that somebody asked for could be read.
    pub(crate) fn check(&self) -> Result<(), StopReason> {
        self.of_parts.check()
    }

    /// Where a part certainly has a truth value.
    pub(crate) fn certain(&self, part: Part, truth: bool) -> Set {
        let label = self.of_parts.label(part);
        label.certain(truth, self.recorder.links().numbers())
    }

    /// Some number at which a part certainly holds.
    pub(crate) fn some_member(&self, part: Part) -> Option<u32> {
        let numbers = self.recorder.links().numbers();
        match self.of_parts.label(part).lower() {
            Side::Constant(value) => value.then(|| numbers.checked_sub(1)).flatten(),
            Side::Set(set) => set.last_below(numbers),
        }
    }

    /// Whether a part holds at the start of all runs, if that is known.
    pub(crate) fn initially(&self, part: Part) -> Option<bool> {
        // Where runs begin may not be known yet.
        let mut all = (!self.survey.initial.is_empty()).then_some(true);
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

impl Labelling for Labels<'_> {
    fn claimed(&self, part: Part, number: u32) -> Option<bool> {
        self.at(part, number)
    }
}

/// A formula, and what it is about.
#[derive(Clone, Copy)]
pub(crate) struct Formula<'f> {
    pub(crate) arena: &'f Arena,
    /// Which of the recorded atoms each of its atoms is.
    pub(crate) places: &'f [usize],
    /// What is assumed of runs, if something is, and the part that says that such a run starts here.
    pub(crate) assumed: Option<(&'f Assumed, Part)>,
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
    fn new(recorder: &'r BranchRecorder, survey: &Survey, formula: &Formula<'r>) -> Self {
        let Formula {
            places, assumed, ..
        } = *formula;
        let mut vague = false;
        let mut undefined = HashMap::new();
        let mut cut_off = Vec::new();
        for (&number, unread) in recorder.undefined() {
            let is_undefined = |place: &usize| unread.atoms.iter().any(|one| one.atom == *place);
            let atoms = (0..).zip(places).filter(|(_, place)| is_undefined(place));
            let atoms: Vec<u32> = atoms.map(|(atom, _)| atom).collect();
            let is_vague = assumed.is_some_and(|(assumed, _)| assumed.vague_marks(unread) != 0);
            vague |= is_vague;
            if is_vague || !atoms.is_empty() {
                // Where steps are cut off, atoms have no value, and it is not known whether runs end there.
                cut_off.extend(unread.is_end.then_some(number));
            }
            if !atoms.is_empty() {
                undefined.insert(number, atoms);
            }
        }
        let exact = survey.closed && undefined.is_empty() && !vague;
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

    /// The atoms of the formula that have no value at a number, if there are some.
    #[inline]
    fn undefined_at(&self, number: u32) -> Option<&[u32]> {
        if self.undefined.is_empty() {
            return None;
        }
        self.undefined.get(&number).map(Vec::as_slice)
    }

    /// The sets where something certainly holds and where it may, before anything is known.
    fn unread(&self) -> (Set, Option<Set>) {
        let numbers = self.recorder.links().numbers();
        let upper = (!self.is_exact()).then(|| Set::filled(numbers, true));
        (Set::filled(numbers, false), upper)
    }
}

/// Where what is about single states holds, for each formula, in one pass.
fn states_of(
    formulas: &[Formula<'_>],
    recorded: &[Recorded<'_>],
    allowance: &Allowance<'_>,
) -> Result<Vec<HashMap<Part, Label>>, StopReason> {
    let mut all: Vec<HashMap<Part, Label>> = vec![HashMap::new(); formulas.len()];
    let (mut asked, mut labels) = (Vec::new(), Vec::new());
    for (at, (formula, recorded)) in formulas.iter().zip(recorded).enumerate() {
        for part in 0..formula.arena.len() {
            match formula.arena.op(part) {
                Op::State(Branching::Constant(value)) => {
                    all[at].insert(part, Label::Constant(*value));
                }
                Op::State(state) => {
                    let evaluator = Evaluator::new(state, recorded.places);
                    asked.push((at, part, evaluator));
                    labels.push(recorded.unread());
                }
                _ => {}
            }
        }
    }
    let Some(first) = recorded.first().filter(|_| !asked.is_empty()) else {
        return Ok(all);
    };
    first.recorder.visit(allowance.limits, |node| {
        for ((at, _, evaluator), (lower, upper)) in asked.iter().zip(&mut labels) {
            let value = match recorded[*at].undefined_at(node.number) {
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
    for ((at, part, _), (lower, upper)) in asked.into_iter().zip(labels) {
        let label = match upper {
            None => Label::Exactly(lower),
            Some(upper) => Label::Between { lower, upper },
        };
        all[at].insert(part, label);
    }
    Ok(all)
}

/// Labels all parts of formulas about the same. Those that wait for passes share them.
fn label_all(mut labellers: Vec<Labeller<'_>>) -> Result<Vec<Archive>, StopReason> {
    let (mut works, mut of) = (Vec::new(), Vec::new());
    for (at, labeller) in labellers.iter_mut().enumerate() {
        if let Some(work) = labeller.go_on()? {
            works.push(work);
            of.push(at);
        }
    }
    while !works.is_empty() {
        Work::pass(&mut works)?;
        for place in (0..works.len()).rev() {
            if works[place].is_done() {
                let (work, at) = (works.swap_remove(place), of.swap_remove(place));
                labellers[at].add(label_of(work.finish()));
                if let Some(work) = labellers[at].go_on()? {
                    works.push(work);
                    of.push(at);
                }
            }
        }
    }
    let labels = labellers.into_iter().map(|labeller| labeller.labels);
    Ok(labels.collect())
}

struct Labeller<'a> {
    arena: &'a Arena,
    /// The labels of what is about single states.
    states: HashMap<Part, Label>,
    recorded: &'a Recorded<'a>,
    /// Which runs count, if not all do.
    fair: Option<&'a Fairly<'a>>,
    known: Known<'a>,
    /// The last part that each part is an operand of.
    last_uses: Vec<Option<Part>>,
    /// Whether labels that are not needed any more are put away.
    stores: bool,
    labels: Archive,
}

/// Numbers from which on labels are put away.
const STORED: u32 = if cfg!(test) { 3 } else { SMALL };

/// What has been begun.
enum Begun<'a> {
    /// It has its label.
    Label(Label),
    /// It needs passes.
    Work(Work<'a>),
}

impl<'a> Labeller<'a> {
    fn is_last(&self, operand: Part, user: Part) -> bool {
        self.stores && self.last_uses[operand] == Some(user)
    }

    /// The label of an operand of a part, which is put away if no other part needs it.
    fn take(&mut self, operand: Part, user: Part) -> Label {
        if self.is_last(operand, user) {
            self.labels.store(operand)
        } else {
            self.labels.label(operand).clone()
        }
    }

    /// Puts away what was needed for this part only.
    fn put_away(&mut self, user: Part, operands: &[Part]) {
        for &operand in operands {
            if self.is_last(operand, user) {
                self.labels.store(operand);
            }
        }
    }

    /// Labels parts until one needs passes; nothing if all have labels.
    fn go_on(&mut self) -> Result<Option<Work<'a>>, StopReason> {
        while self.labels.len() < self.arena.len() {
            let part = self.labels.len();
            let label = match self.states.remove(&part) {
                Some(label) => label,
                None => match self.begin(part)? {
                    Begun::Label(label) => label,
                    Begun::Work(work) if work.is_done() => label_of(work.finish()),
                    Begun::Work(work) => return Ok(Some(work)),
                },
            };
            self.add(label);
        }
        Ok(None)
    }

    /// The next part has this label.
    fn add(&mut self, label: Label) {
        let part = self.labels.len();
        self.labels.push(label);
        self.put_away(part, &self.arena.operands(part));
    }

    /// Begins with a part whose operands have labels.
    fn begin(&mut self, part: Part) -> Result<Begun<'a>, StopReason> {
        let of = |part: &Part| self.labels.label(*part);
        Ok(Begun::Label(match self.arena.op(part) {
            // These were labelled all at once.
            Op::State(_) => Label::Constant(false),
            Op::Not(operand) => negated(self.take(*operand, part)),
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
                if let Some(fair) = self.fair_label() {
                    self.fair_next(fair, *quantifier, of(operand))?
                } else {
                    let operand = self.take(*operand, part);
                    return Ok(Begun::Work(self.next(*quantifier, operand)));
                }
            }
            Op::Until {
                quantifier,
                weak,
                way,
                goal,
            } => {
                let until = Until {
                    quantifier: *quantifier,
                    weak: *weak,
                };
                if let Some(fair) = self.fair {
                    self.fair_until(fair, until, (of(way), of(goal)))?
                } else {
                    let (way, goal) = (self.take(*way, part), self.take(*goal, part));
                    return Ok(Begun::Work(self.until(until, way, goal)));
                }
            }
        }))
    }

    fn next(&self, quantifier: Quantifier, operand: Label) -> Work<'a> {
        let beyond: &[bool] = self.sides();
        let operands = operand.into_sides(beyond, self.known.numbers());
        let bounds = operands.into_iter().zip(beyond);
        let bounds = bounds.map(|(of, &beyond)| Bound { of, beyond });
        self.known.next(quantifier, bounds.collect())
    }

    /// An operator until, of operands with these labels.
    fn until(&self, until: Until, way: Label, goal: Label) -> Work<'a> {
        let numbers = self.known.numbers();
        let beyond: &[bool] = self.sides();
        let (ways, goals) = (
            way.into_sides(beyond, numbers),
            goal.into_sides(beyond, numbers),
        );
        let operands = ways.into_iter().zip(goals);
        let bounds = operands.zip(beyond).map(|((way, goal), &beyond)| Bound {
            of: Operands { way, goal },
            beyond,
        });
        self.known.until(until, bounds.collect())
    }

    /// Where some fair run starts, if not all runs count and that is known already.
    fn fair_label(&self) -> Option<&Label> {
        self.labels.known(self.fair?.part)
    }

    /// A side of a label as a set of its own.
    fn set_of(&self, label: &Label, is_upper: bool) -> Set {
        side(label, is_upper).to_set(self.known.numbers())
    }

    /// Only successors where some fair run starts count.
    fn fair_next(
        &self,
        fair: &Label,
        quantifier: Quantifier,
        operand: &Label,
    ) -> Result<Label, StopReason> {
        let bounds = self.bounds(|beyond| {
            let operand = self.set_of(operand, beyond);
            match quantifier {
                Quantifier::Exists => operand.and(side(fair, beyond)),
                Quantifier::Forall => {
                    let none = self.set_of(fair, !beyond).negated();
                    operand.or(Side::Set(&none))
                }
            }
        });
        Ok(label_of(self.known.next(quantifier, bounds).alone()?))
    }

    /// Some fair run, or all of them. That all satisfy `p U q` means that none satisfies `!q W (!p & !q)`, and the other way round.
    fn fair_until(
        &self,
        fair: &Fairly<'_>,
        until: Until,
        (way, goal): (&Label, &Label),
    ) -> Result<Label, StopReason> {
        let sets = self.bounds(|beyond| {
            let (way, goal) = (self.set_of(way, beyond), self.set_of(goal, beyond));
            match until.quantifier {
                Quantifier::Exists => self.some_fair(fair, until.weak, beyond, (&way, goal)),
                Quantifier::Forall => {
                    // What certainly holds of all is what may not hold of any.
                    let goal = goal.negated();
                    let both = way.negated().and(Side::Set(&goal));
                    let some = self.some_fair(fair, !until.weak, !beyond, (&goal, both))?;
                    Ok(some.negated())
                }
            }
        });
        let sets: Result<Vec<Set>, StopReason> = sets.into_iter().map(|bound| bound.of).collect();
        sets.map(label_of)
    }

    /// Where a fair run comes to a goal and stays on its way before; if that is weak, it may stay on its way for ever.
    fn some_fair(
        &self,
        fair: &Fairly<'_>,
        weak: bool,
        beyond: bool,
        (way, mut goal): (&Set, Set),
    ) -> Result<Set, StopReason> {
        if let Some(label) = self.fair_label() {
            goal = goal.and(side(label, beyond));
        }
        if weak {
            let cycles = fair.cycles(way, beyond, self.known.allowance.limits)?;
            goal = goal.or(Side::Set(&cycles));
        }
        let until = Until {
            quantifier: Quantifier::Exists,
            weak: false,
        };
        let of = Operands {
            way: way.clone(),
            goal,
        };
        let sets = self
            .known
            .until(until, vec![Bound { of, beyond }])
            .alone()?;
        let none = || Set::filled(self.known.numbers(), beyond);
        Ok(sets.into_iter().next().unwrap_or_else(none))
    }

    fn fold(&self, parts: &[Part], start: bool, combine: impl Fn(Set, Side<'_>) -> Set) -> Label {
        let labels: Vec<&Label> = parts.iter().map(|&part| self.labels.label(part)).collect();
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
        let bound = |&beyond: &bool| Bound {
            of: of(beyond),
            beyond,
        };
        self.sides().iter().map(bound).collect()
    }

    /// The sides of a label: whether instances that are not known count as members.
    fn sides(&self) -> &'static [bool] {
        if self.recorded.is_exact() {
            &[false]
        } else {
            &[false, true]
        }
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
