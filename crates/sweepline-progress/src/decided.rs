//! Predicates on markings of a net that the state equation decides: they hold in every reachable marking, or in none.

use std::collections::HashSet;

use sweepline_core::Limits;
use sweepline_logic::{Atom, BinaryOp, CompareOp, Definition, Expr, Name, Pred};
use sweepline_net::{PetriNet, PlaceArc, TransitionId};

use crate::linear::{Budget, Effects, Weights, greatest_value, is_beyond};
use crate::net::effects;

/// What the state equation of a net says about predicates.
///
/// Comparisons of weighted sums of tokens are decided by upper bounds of such sums, and whether a transition is enabled by
/// whether its inputs can be marked. Every answer has been checked in integers. The work is counted; when it is used up,
/// nothing more is decided.
///
/// ```
/// use sweepline_core::Limits;
/// use sweepline_logic::parse_pred;
/// use sweepline_net::PetriNet;
/// use sweepline_progress::StateEquation;
///
/// let mut net = PetriNet::builder("handover");
/// let (here, there) = (net.place("here", 2), net.place("there", 0));
/// net.rule("move", &[here], &[there]);
/// let net = net.build().unwrap();
/// let mut equation = StateEquation::new(&net, &Limits::default());
/// let mut decide = |text: &str| equation.decide(&parse_pred(text).unwrap());
/// assert_eq!(decide("here + there == 2"), Some(true));
/// assert_eq!(decide("there > 2"), Some(false));
/// assert_eq!(decide("there > 1"), None);
/// ```
pub struct StateEquation<'n> {
    net: &'n PetriNet,
    effects: Effects,
    initial: Vec<u64>,
    limits: Limits,
    /// Names of propositions, which may be called as places are.
    propositions: HashSet<String>,
    /// The work that is left for all predicates.
    left: u64,
}

/// Work for all predicates together: about a second.
const ALL: u64 = 1_000 * Budget::MILLISECOND;
/// Work for one linear program.
const EACH: u64 = 50 * Budget::MILLISECOND;

/// A weighted sum of tokens and a number.
struct Linear {
    terms: Vec<(usize, i64)>,
    constant: i128,
}

impl<'n> StateEquation<'n> {
    /// Of this net. The user's limits end everything at any time.
    pub fn new(net: &'n PetriNet, limits: &Limits) -> Self {
        Self {
            effects: effects(net),
            initial: net.initial_marking(),
            limits: limits.clone(),
            propositions: HashSet::new(),
            left: ALL,
            net,
        }
    }

    /// The same with so much work for all predicates.
    #[must_use]
    pub fn with_work(mut self, work: u64) -> Self {
        self.left = work;
        self
    }

    /// The same where some names stand for propositions. What is said of these is not decided.
    #[must_use]
    pub fn beside(mut self, definitions: &[Definition]) -> Self {
        let names = definitions.iter();
        self.propositions = names.map(|one| one.name.text.clone()).collect();
        self
    }

    /// The value of a predicate in all reachable markings, if it is the same in all of them and that can be shown.
    ///
    /// Names are those of places and transitions; a name of anything else is not decided.
    pub fn decide(&mut self, pred: &Pred) -> Option<bool> {
        match pred {
            Pred::Constant(value) => Some(*value),
            Pred::Deadlock => None,
            Pred::Holds(name) if self.propositions.contains(&name.text) => None,
            Pred::Holds(name) => {
                let place = self.place(name)?;
                self.at_most_zero(&Linear {
                    terms: vec![(place, -1)],
                    constant: 1,
                })
            }
            Pred::Compare(op, left, right) => self.compare(*op, left, right),
            Pred::Fireable(names) => self.fireable(names),
            Pred::Not(inner) => self.decide(inner).map(|value| !value),
            Pred::And(parts) => self.decide_all(parts, false),
            Pred::Or(parts) => self.decide_all(parts, true),
            Pred::Implies(left, right) => match (self.decide(left), self.decide(right)) {
                (Some(false), _) | (_, Some(true)) => Some(true),
                (Some(true), Some(false)) => Some(false),
                _ => None,
            },
            Pred::Iff(left, right) => Some(self.decide(left)? == self.decide(right)?),
        }
    }

    /// A part with the value `decisive` decides; otherwise all must be known.
    fn decide_all(&mut self, parts: &[Pred], decisive: bool) -> Option<bool> {
        let known: Vec<_> = parts.iter().map(|part| self.decide(part)).collect();
        if known.contains(&Some(decisive)) {
            return Some(decisive);
        }
        known.iter().all(Option::is_some).then_some(!decisive)
    }

    fn place(&self, name: &Name) -> Option<usize> {
        Some(self.net.place_with_id(&name.text)?.index())
    }

    fn compare(&mut self, op: CompareOp, left: &Expr, right: &Expr) -> Option<bool> {
        let difference = self.linear(left)?.minus(&self.linear(right)?)?;
        let negated = difference.negated()?;
        let beyond = |sum: Linear| sum.plus(1);
        match op {
            CompareOp::LessOrEqual => self.at_most_zero(&difference),
            CompareOp::Less => self.at_most_zero(&beyond(difference)?),
            CompareOp::GreaterOrEqual => self.at_most_zero(&negated),
            CompareOp::Greater => self.at_most_zero(&beyond(negated)?),
            CompareOp::Equal => self.is_zero(&difference, &negated),
            CompareOp::NotEqual => self.is_zero(&difference, &negated).map(|zero| !zero),
        }
    }

    fn is_zero(&mut self, sum: &Linear, negated: &Linear) -> Option<bool> {
        match self.at_most_zero(sum) {
            Some(true) => self.at_most_zero(negated),
            Some(false) => Some(false),
            None => self.at_most_zero(negated).filter(|value| !value),
        }
    }

    /// Whether a sum is at most zero. The initial marking says which answer is possible.
    fn at_most_zero(&mut self, sum: &Linear) -> Option<bool> {
        let initially = sum.value(&self.initial)?;
        if initially <= 0 {
            let greatest = self.greatest(sum)?;
            return (greatest <= 0).then_some(true);
        }
        let least = self.greatest(&sum.negated()?)?.checked_neg()?;
        (least > 0).then_some(false)
    }

    /// An upper bound of a sum over all reachable markings.
    fn greatest(&mut self, sum: &Linear) -> Option<i128> {
        let weights = Weights::new(sum.terms.clone());
        // Weights have no common divisor, so they are less than what they stand for by a factor.
        let factor = match (sum.terms.first(), weights.of.first()) {
            (Some(whole), Some(part)) => i128::from(whole.1) / i128::from(part.1),
            _ => 1,
        };
        let (effects, initial) = (&self.effects, &self.initial);
        let within = Spending::new(&mut self.left, &self.limits);
        let greatest = greatest_value(effects, initial, &weights, &within.budget)?;
        greatest.checked_mul(factor)?.checked_add(sum.constant)
    }

    /// Whether one of these transitions is enabled.
    fn fireable(&mut self, names: &[Name]) -> Option<bool> {
        let found = names.iter();
        let found = found.map(|name| self.net.transition_with_id(&name.text));
        let found = found.collect::<Option<Vec<TransitionId>>>()?;
        let enabled = |&one: &TransitionId| self.net.is_enabled(&self.initial, one);
        let (mut at_first, others): (Vec<_>, Vec<_>) = found.into_iter().partition(enabled);
        if at_first.is_empty() {
            let never = others.into_iter().all(|one| self.is_never_enabled(one));
            return never.then_some(false);
        }
        at_first.truncate(MOST_TRIED);
        let always = at_first.into_iter().any(|one| self.is_always_enabled(one));
        always.then_some(true)
    }

    fn is_never_enabled(&mut self, transition: TransitionId) -> bool {
        let inputs = self.net.transition(transition).inputs.iter();
        let demand: Vec<_> = inputs.map(|arc| (arc.place.index(), arc.weight)).collect();
        let (effects, initial) = (&self.effects, &self.initial);
        let within = Spending::new(&mut self.left, &self.limits);
        is_beyond(effects, initial, &demand, &within.budget)
    }

    fn is_always_enabled(&mut self, transition: TransitionId) -> bool {
        let transition = self.net.transition(transition);
        let fewer = |arc: &PlaceArc| Linear {
            terms: vec![(arc.place.index(), -1)],
            constant: arc.weight.into(),
        };
        let more = |arc: &PlaceArc| Linear {
            terms: vec![(arc.place.index(), 1)],
            constant: 1 - i128::from(arc.weight),
        };
        let inputs = transition.inputs.iter().map(fewer);
        let inhibitors = transition.inhibitors.iter().map(more);
        let mut all = inputs.chain(inhibitors);
        all.all(|sum| self.at_most_zero(&sum) == Some(true))
    }

    /// An expression as a sum, if it is one.
    fn linear(&self, expr: &Expr) -> Option<Linear> {
        let terms = expr.terms()?.into_iter().map(|(factor, atom)| match atom {
            Atom::Slot(name) => Some((self.place(name)?, factor)),
            Atom::Rank(..) => None,
        });
        Some(Linear {
            terms: terms.collect::<Option<_>>()?,
            constant: constant(expr)?,
        })
    }
}

/// Transitions that are enabled at first are looked at one by one.
const MOST_TRIED: usize = 8;

/// Work for one linear program; what was spent of it is taken from the rest when it goes.
struct Spending<'l> {
    budget: Budget,
    given: u64,
    left: &'l mut u64,
}

impl<'l> Spending<'l> {
    fn new(left: &'l mut u64, limits: &Limits) -> Self {
        let given = EACH.min(*left);
        Self {
            budget: Budget::of(given).within(limits),
            given,
            left,
        }
    }
}

impl Drop for Spending<'_> {
    fn drop(&mut self) {
        let spent = self.given - self.budget.left();
        // Looking at the net costs something even if no program is solved.
        *self.left = self
            .left
            .saturating_sub(spent.max(Budget::MILLISECOND / 10));
    }
}

impl Linear {
    fn value(&self, marking: &[u64]) -> Option<i128> {
        let mut terms = self.terms.iter();
        terms.try_fold(self.constant, |sum, &(place, factor)| {
            sum.checked_add(i128::from(factor).checked_mul(i128::from(marking[place]))?)
        })
    }

    fn negated(&self) -> Option<Self> {
        let terms = self.terms.iter();
        let terms = terms.map(|&(place, factor)| Some((place, factor.checked_neg()?)));
        Some(Self {
            terms: terms.collect::<Option<_>>()?,
            constant: self.constant.checked_neg()?,
        })
    }

    /// The difference, with each place once.
    fn minus(self, other: &Self) -> Option<Self> {
        let other = other.negated()?;
        let mut terms: Vec<(usize, i64)> = Vec::new();
        let mut all = [self.terms, other.terms].concat();
        all.sort_unstable();
        for (place, factor) in all {
            match terms.last_mut() {
                Some(last) if last.0 == place => last.1 = last.1.checked_add(factor)?,
                _ => terms.push((place, factor)),
            }
        }
        terms.retain(|term| term.1 != 0);
        Some(Self {
            terms,
            constant: self.constant.checked_add(other.constant)?,
        })
    }

    fn plus(self, number: i128) -> Option<Self> {
        Some(Self {
            constant: self.constant.checked_add(number)?,
            ..self
        })
    }
}

/// The value of a sum where all places are empty.
fn constant(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Number(number) => Some((*number).into()),
        Expr::Slot(_) => Some(0),
        Expr::Rank(..) => None,
        Expr::Sum(parts) => {
            let mut parts = parts.iter();
            parts.try_fold(0_i128, |sum, part| sum.checked_add(constant(part)?))
        }
        Expr::Negate(part) => constant(part)?.checked_neg(),
        Expr::Binary(op, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Bits(_) => None,
            }
        }
    }
}
