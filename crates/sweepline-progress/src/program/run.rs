//! Symbolic execution of one action: what each slot holds afterwards, as a linear form over what it held before.
//!
//! Guards and conditions within effects split a run into several. Comparisons that hold become facts: forms that are at
//! least zero. They bound what intervals alone do not, such as `ack - b` where the guard demands `ack > b`.

mod assume;

use std::collections::BTreeMap;

use sweepline_core::SlotId;
use sweepline_program::{
    Action, ArrayId, BinaryOp, ChannelId, Effect, Expr, Move, Overflow, Place, Program, UnaryOp,
    ValueRanges, Values,
};

use super::case::{Case, Change, Step};
use super::form::{Atom, Form, Small};

/// In how many runs an action may be split.
const MOST_RUNS: usize = 64;
/// With more values than this an index is not split.
const MOST_VALUES: i64 = 32;
/// With fewer values than this a slot that is overwritten by a constant is split by what it held.
const MOST_OVERWRITTEN: i64 = 6;

/// An action on its way.
#[derive(Clone)]
pub(super) struct Run<'a> {
    program: &'a Program,
    /// What is known of the state before the action.
    start: Values<'a>,
    /// What is known of the state now.
    now: Values<'a>,
    /// What has been written.
    written: BTreeMap<SlotId, Form>,
    /// Values without a form: what they are, if that can still be read off the state before the action, and their ends.
    unknowns: Vec<(Option<Expr>, (i64, i64))>,
    /// Forms that are at least zero.
    facts: Vec<Form>,
    /// In how many runs this one may still be split.
    splits: usize,
}

impl<'a> Run<'a> {
    /// All runs of an action, to their ends. The invariants hold before it.
    pub(super) fn all(
        program: &'a Program,
        action: &Action,
        ranges: &'a ValueRanges<'_>,
        invariants: &[Expr],
    ) -> Vec<Self> {
        let Some(start) = ranges.before(action) else {
            return Vec::new();
        };
        let run = Self {
            program,
            now: start.clone(),
            start,
            written: BTreeMap::new(),
            unknowns: Vec::new(),
            facts: Vec::new(),
            splits: MOST_RUNS,
        };
        let mut runs = run.split_by_indices(&action.effects);
        for condition in [&action.guard].into_iter().chain(invariants) {
            runs = each(runs, |run| run.assuming(condition, true));
        }
        for effect in &action.effects {
            runs = each(runs, |run| run.executing(effect));
        }
        runs
    }

    /// Whether a condition that held before the action still does.
    pub(super) fn keeps(&self, condition: &Expr) -> bool {
        if self.is_untouched(condition) {
            return true;
        }
        let mut now = self.now.clone();
        !now.assume(condition, false)
    }

    /// What the run has done.
    pub(super) fn case(&self, id: usize, action: &Action) -> Case {
        let moved = action
            .moves
            .iter()
            .filter(|step| step.source != step.target);
        let step = |step: &Move| Step {
            slot: self.program.process(step.process).location,
            source: step.source.0 as usize,
            target: step.target.0 as usize,
        };
        let mut case = Case {
            action: id,
            moves: moved.map(step).collect(),
            ..Case::default()
        };
        let mut directions: Vec<Form> = Vec::new();
        for (&slot, form) in &self.written {
            let change = self.simplified(&form.minus(&Form::atom(Atom::Slot(slot))));
            if !change.is_small() {
                case.wild.insert(slot);
            } else if change != Form::default() {
                let along = change_along(&change, &mut directions);
                case.changes.insert(slot, along);
                case.jumps.extend(self.jump(slot, form));
            }
        }
        let ends = directions.iter().map(|direction| self.bounds(direction));
        let near = |end: i128| i64::try_from(end).ok();
        case.unknowns = ends
            .map(|(least, greatest)| (near(least), near(greatest)))
            .collect();
        case
    }

    /// From which value to which a slot changes, if both are known, counted from the least of its type.
    fn jump(&self, slot: SlotId, form: &Form) -> Option<Step> {
        let (least, greatest) = self.ends(Atom::Slot(slot));
        let target = Some(self.simplified(form)).filter(Form::is_constant)?;
        let origin = i128::from(self.program.slot(slot).kind.least);
        let index = |value: i128| usize::try_from(value - origin).ok();
        let jump = Step {
            slot,
            source: index(least.into())?,
            target: index(target.offset())?,
        };
        (least == greatest).then_some(jump)
    }

    /// The form with atoms that have only one value replaced by it.
    fn simplified(&self, form: &Form) -> Form {
        let mut simple = form.clone();
        for (atom, _) in form.terms() {
            let (least, greatest) = self.ends(atom);
            if least == greatest {
                simple = simple.with(atom, &Form::constant(least.into()));
            }
        }
        simple
    }

    fn ends(&self, atom: Atom) -> (i64, i64) {
        match atom {
            Atom::Slot(slot) => self.start.of(&Expr::Slot(slot)),
            Atom::Unknown(number) => self.unknowns[number].1,
        }
    }

    /// The least and the greatest value of a form, as far as intervals and up to two facts tell.
    fn bounds(&self, form: &Form) -> (i128, i128) {
        let least = self.least(form);
        let greatest = -self.least(&form.times(-1));
        // Facts that contradict each other may be found late; such a run never happens.
        (least, greatest.max(least))
    }

    fn least(&self, form: &Form) -> i128 {
        let by_intervals = |form: &Form| form.bounds(|atom| self.ends(atom)).0;
        let mut least = by_intervals(form);
        for (number, fact) in self.facts.iter().enumerate() {
            // What has nothing in common cannot say more than the intervals do.
            if !form.shares_atom(fact) {
                continue;
            }
            let rest = form.minus(fact);
            least = least.max(by_intervals(&rest));
            for other in self.facts.iter().skip(number + 1) {
                if rest.shares_atom(other) {
                    least = least.max(by_intervals(&rest.minus(other)));
                }
            }
        }
        least
    }

    fn value(&self, slot: SlotId) -> Form {
        let written = self.written.get(&slot).cloned();
        written.unwrap_or_else(|| Form::atom(Atom::Slot(slot)))
    }

    /// The form of an expression.
    fn form(&mut self, expr: &Expr) -> Form {
        let (least, greatest) = self.now.of(expr);
        if least == greatest {
            return Form::constant(least.into());
        }
        let form = match expr {
            Expr::Slot(slot) => Some(self.value(*slot)),
            Expr::Length(channel) => Some(self.value(self.program.channel(*channel).length)),
            Expr::Element(array, index) => self.element(*array, index).map(|slot| self.value(slot)),
            Expr::Unary(UnaryOp::Negate, operand) => Some(self.form(operand).times(-1)),
            Expr::Binary(BinaryOp::Add, left, right) => {
                Some(self.form(left).plus(&self.form(right)))
            }
            Expr::Binary(BinaryOp::Subtract, left, right) => {
                Some(self.form(left).minus(&self.form(right)))
            }
            Expr::Binary(BinaryOp::Multiply, left, right) => self.product(left, right),
            _ => None,
        };
        form.filter(Form::is_small)
            .unwrap_or_else(|| Form::atom(self.unknown(expr)))
    }

    fn product(&mut self, left: &Expr, right: &Expr) -> Option<Form> {
        let (left, right) = (self.form(left), self.form(right));
        if left.is_constant() {
            Some(right.times(left.offset()))
        } else if right.is_constant() {
            Some(left.times(right.offset()))
        } else {
            None
        }
    }

    /// The element an index means, if it can be only one and does not move.
    fn element(&self, array: ArrayId, index: &Expr) -> Option<SlotId> {
        let (least, greatest) = self.now.of(index);
        let slot = self.program.array(array).element(least);
        slot.filter(|_| least == greatest && !self.is_field(array))
    }

    fn is_field(&self, array: ArrayId) -> bool {
        let mut channels = self.program.channels().iter();
        channels.any(|channel| channel.fields.contains(&array))
    }

    /// The atom of an expression that has no form.
    fn unknown(&mut self, expr: &Expr) -> Atom {
        let key = self.is_untouched(expr).then(|| expr.clone());
        let known = |(other, _): &(Option<Expr>, _)| key.is_some() && *other == key;
        if let Some(number) = self.unknowns.iter().position(known) {
            return Atom::Unknown(number);
        }
        self.fresh(key, self.now.of(expr))
    }

    fn fresh(&mut self, key: Option<Expr>, ends: (i64, i64)) -> Atom {
        self.unknowns.push((key, ends));
        Atom::Unknown(self.unknowns.len() - 1)
    }

    /// Whether an expression still has the value it had before the action.
    fn is_untouched(&self, expr: &Expr) -> bool {
        let reads = self.program.reads(expr);
        !reads.iter().any(|slot| self.written.contains_key(slot))
    }

    fn executing(self, effect: &Effect) -> Vec<Self> {
        match effect {
            Effect::Assign { place, value } => self.assigning(place, value),
            Effect::Push { channel, .. } => self.resized(*channel, effect, 1).into_iter().collect(),
            Effect::Pop { channel, places } => self.popping(*channel, places),
        }
    }

    fn assigning(self, place: &Place, value: &Expr) -> Vec<Self> {
        if let Some(condition) = value.first_condition().filter(|_| self.splits >= 2) {
            let mut runs = Vec::new();
            for truth in [true, false] {
                let decided = value.decided(condition, truth);
                let halves = self.part(2).assuming(condition, truth);
                runs.extend(
                    halves
                        .into_iter()
                        .flat_map(|run| run.assigning(place, &decided)),
                );
            }
            return runs;
        }
        if let Some(slot) = self.overwritten(place, value) {
            let runs = self.split_by_value(slot).unwrap_or_else(|| vec![self]);
            return assigned(runs, place, value);
        }
        assigned(vec![self], place, value)
    }

    /// The slot that a constant is stored in although what it held is not known.
    fn overwritten(&self, place: &Place, value: &Expr) -> Option<SlotId> {
        let (least, greatest) = self.now.of(value);
        let target = match self.targets(place).as_slice() {
            [slot] => *slot,
            _ => return None,
        };
        let few = |slot: &SlotId| {
            let (least, greatest) = self.now.of(&Expr::Slot(*slot));
            greatest.saturating_sub(least) < MOST_OVERWRITTEN
        };
        Some(target).filter(few).filter(|_| least == greatest)
    }

    /// This run as one of so many parts into which it is split.
    fn part(&self, of: usize) -> Self {
        let mut run = self.clone();
        run.splits /= of;
        run
    }

    /// One run for each value of the slots that decide which elements are written.
    fn split_by_indices(self, effects: &[Effect]) -> Vec<Self> {
        let places = effects.iter().filter_map(|effect| match effect {
            Effect::Assign { place, .. } => Some(place),
            Effect::Push { .. } | Effect::Pop { .. } => None,
        });
        let mut runs = vec![self];
        for place in places {
            if let Place::Element(array, index) = place
                && !runs.iter().any(|run| run.is_field(*array))
            {
                for slot in runs[0].program.reads(index) {
                    let split = |run: Self| run.split_by_value(slot).unwrap_or_else(|| vec![run]);
                    runs = each(runs, split);
                }
            }
            if runs.is_empty() {
                break;
            }
        }
        runs
    }

    /// One run for each value of a slot that has not been written, if there are a few.
    fn split_by_value(&self, slot: SlotId) -> Option<Vec<Self>> {
        let (least, greatest) = self.now.of(&Expr::Slot(slot));
        let values = greatest.saturating_sub(least).saturating_add(1);
        let parts = usize::try_from(values).ok()?;
        let few = parts > 1 && values <= MOST_VALUES && parts <= self.splits;
        if !few || self.written.contains_key(&slot) {
            return None;
        }
        let chosen = |value: i64| Expr::slot(slot).equals(value);
        let run = |value: i64| self.part(parts).assuming(&chosen(value), true);
        Some((least..=greatest).flat_map(run).collect())
    }

    /// After an assignment; nothing if it must fail.
    fn assigned(mut self, place: &Place, value: &Expr) -> Option<Self> {
        let stored = self.form(value);
        match self.targets(place).as_slice() {
            [] => return None,
            [slot] => {
                let ends = self.now.of(value);
                self.store(*slot, stored, ends);
            }
            many => {
                for &slot in many {
                    self.maybe_store(place, slot, &stored);
                }
            }
        }
        let effect = Effect::assign(place.clone(), value.clone());
        self.now.execute(&effect).then_some(self)
    }

    /// The slots a place can mean.
    fn targets(&self, place: &Place) -> Vec<SlotId> {
        match place {
            Place::Slot(slot) => vec![*slot],
            Place::Element(array, index) => {
                let (least, greatest) = self.now.of(index);
                let numbered = (0..).zip(self.program.array(*array).elements());
                let meant = numbered.filter(|(number, _)| (least..=greatest).contains(number));
                meant.map(|(_, slot)| slot).collect()
            }
        }
    }

    fn store(&mut self, slot: SlotId, form: Form, ends: (i64, i64)) {
        let kind = &self.program.slot(slot).kind;
        let fits = kind.contains(ends.0) && kind.contains(ends.1);
        let form = if kind.overflow == Overflow::Wrap && !fits {
            Form::atom(self.fresh(None, (kind.least, kind.greatest)))
        } else {
            form
        };
        self.written.insert(slot, form);
    }

    /// A slot either keeps its value or gets a new one, in which the element read at the same place means itself.
    fn maybe_store(&mut self, place: &Place, slot: SlotId, form: &Form) {
        let kind = &self.program.slot(slot).kind;
        let all = (kind.least, kind.greatest);
        let old = self.value(slot);
        let mut new = form.clone();
        if let Place::Element(array, index) = place
            && self.is_untouched(&Expr::element(*array, index.clone()))
        {
            let itself = Some(Expr::element(*array, index.clone()));
            if let Some(number) = self.unknowns.iter().position(|(key, _)| *key == itself) {
                new = form.with(Atom::Unknown(number), &old);
            }
        }
        let (least, greatest) = self.bounds(&new.minus(&old));
        let ends = (i64::try_from(least.min(0)), i64::try_from(greatest.max(0)));
        let form = match (kind.overflow, ends) {
            (Overflow::Error, (Ok(least), Ok(greatest))) => {
                old.plus(&Form::atom(self.fresh(None, (least, greatest))))
            }
            _ => Form::atom(self.fresh(None, all)),
        };
        self.written.insert(slot, form);
    }

    fn popping(self, channel: ChannelId, places: &[Option<Place>]) -> Vec<Self> {
        let mut runs = vec![self];
        for (component, place) in (0..).zip(places) {
            if let Some(place) = place {
                let front = Expr::Front(channel, component);
                let assigned = runs
                    .into_iter()
                    .flat_map(|run| run.assigning(place, &front));
                runs = assigned.collect();
            }
        }
        let effect = Effect::Pop {
            channel,
            places: vec![None; places.len()],
        };
        let popped = runs
            .into_iter()
            .filter_map(|run| run.resized(channel, &effect, -1));
        popped.collect()
    }

    /// After an effect that makes a channel longer or shorter.
    fn resized(mut self, channel: ChannelId, effect: &Effect, by: i128) -> Option<Self> {
        let channel = self.program.channel(channel);
        for field in &channel.fields {
            for slot in self.program.array(*field).elements() {
                let kind = &self.program.slot(slot).kind;
                let content = self.fresh(None, (kind.least, kind.greatest));
                self.written.insert(slot, Form::atom(content));
            }
        }
        let form = self.value(channel.length).plus(&Form::constant(by));
        self.written.insert(channel.length, form);
        self.now.execute(effect).then_some(self)
    }
}

/// The runs that all of these become.
fn each<'a>(runs: Vec<Run<'a>>, next: impl Fn(Run<'a>) -> Vec<Run<'a>>) -> Vec<Run<'a>> {
    runs.into_iter().flat_map(next).collect()
}

fn assigned<'a>(runs: Vec<Run<'a>>, place: &Place, value: &Expr) -> Vec<Run<'a>> {
    let runs = runs.into_iter();
    runs.filter_map(|run| run.assigned(place, value)).collect()
}

/// A change as a multiple of one of the directions, to which a new one may be added.
fn change_along(change: &Form, directions: &mut Vec<Form>) -> Change {
    let unknown = change.direction().map(|(direction, factor)| {
        let known = directions.iter().position(|other| *other == direction);
        let number = known.unwrap_or_else(|| {
            directions.push(direction);
            directions.len() - 1
        });
        (number, factor)
    });
    Change {
        constant: change.offset(),
        unknown,
    }
}
