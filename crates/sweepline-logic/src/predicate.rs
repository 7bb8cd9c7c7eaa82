//! State predicates as code.

use sweepline_core::{Interval, Word};

use crate::enabled::{ActionSet, Enabled};
use crate::expression::{Code, Draft};
use crate::linear::{Linear, LinearForm};
use crate::resolution::{Proposition, Resolver};
use crate::{CompareOp, Errors, EvalError, Expr, Pred, ResolveError, Scope, Source};

/// A predicate that knows where its slots lie and which actions it asks for.
///
/// Operands of `and`, `or` and `->` are evaluated from left to right and no further than needed, so `y != 0 and x / y >
/// 2` has a value in every state.
///
/// It belongs to one layout: a system that is encoded again needs its predicates resolved again.
#[derive(Clone, Debug)]
pub struct Predicate {
    test: Test,
    needs_enabled: bool,
}

impl Predicate {
    pub(crate) const FALSE: Self = Self {
        test: Test::Constant(false),
        needs_enabled: false,
    };

    /// Looks up the names of a predicate whose spans lie in `source`.
    ///
    /// In a comparison with a slot whose values have names, a name that is not a slot is such a value: `phase == idle`.
    pub fn resolve(
        pred: &Pred,
        scope: &Scope<'_>,
        source: &Source,
    ) -> Result<Self, Errors<ResolveError>> {
        let mut resolver = Resolver::new(scope, source, Interval::declared);
        let test = resolver.test(pred);
        let needs_enabled = test.needs_enabled();
        resolver.finish(Self {
            test,
            needs_enabled,
        })
    }

    /// Whether it holds in a state with these enabled actions.
    #[inline]
    pub fn eval(&self, state: &[Word], enabled: &Enabled) -> Result<bool, EvalError> {
        self.test.eval(state, enabled)
    }

    /// Whether it asks which actions are enabled (`deadlock`, `fireable`). If not, any [`Enabled`] will do.
    pub fn needs_enabled(&self) -> bool {
        self.needs_enabled
    }

    /// The value, if it is the same in all states.
    pub fn constant(&self) -> Option<bool> {
        match self.test {
            Test::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Holds if one of the two does.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            needs_enabled: self.needs_enabled || other.needs_enabled,
            test: any(vec![self.test, other.test]),
        }
    }
}

#[derive(Clone, Debug)]
enum Test {
    Constant(bool),
    /// A linear expression compared with zero.
    Sign(CompareOp, Linear),
    Compare(CompareOp, Code, Code),
    Fireable(ActionSet),
    Deadlock,
    Not(Box<Test>),
    And(Box<[Test]>),
    Or(Box<[Test]>),
    Iff(Box<[Test; 2]>),
}

impl Test {
    fn eval(&self, state: &[Word], enabled: &Enabled) -> Result<bool, EvalError> {
        Ok(match self {
            Self::Constant(value) => *value,
            Self::Sign(op, linear) => op.holds(linear.eval(state), 0),
            Self::Compare(op, a, b) => op.holds(a.eval(state)?, b.eval(state)?),
            Self::Fireable(actions) => enabled.contains_any(actions),
            Self::Deadlock => enabled.is_deadlock(),
            Self::Not(operand) => !operand.eval(state, enabled)?,
            Self::And(operands) => return until(false, operands, state, enabled),
            Self::Or(operands) => return until(true, operands, state, enabled),
            Self::Iff(both) => both[0].eval(state, enabled)? == both[1].eval(state, enabled)?,
        })
    }

    fn needs_enabled(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Sign(..) | Self::Compare(..) => false,
            Self::Fireable(_) | Self::Deadlock => true,
            Self::Not(operand) => operand.needs_enabled(),
            Self::And(operands) | Self::Or(operands) => operands.iter().any(Self::needs_enabled),
            Self::Iff(both) => both.iter().any(Self::needs_enabled),
        }
    }
}

/// Whether the first operand with this value exists, or all have the other.
#[inline]
fn until(
    decisive: bool,
    operands: &[Test],
    state: &[Word],
    enabled: &Enabled,
) -> Result<bool, EvalError> {
    for operand in operands {
        if operand.eval(state, enabled)? == decisive {
            return Ok(decisive);
        }
    }
    Ok(!decisive)
}

impl CompareOp {
    /// Whether two numbers compare like this.
    #[inline]
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
        }
    }

    /// The comparison that holds of two numbers if and only if this one does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }
}

impl Resolver<'_, '_> {
    fn test(&mut self, pred: &Pred) -> Test {
        match pred {
            Pred::Constant(value) => Test::Constant(*value),
            Pred::Holds(name) if self.observes(name) => {
                let told = self.draft(&Expr::Slot(name.clone())).into_code();
                let zero = self.draft(&Expr::Number(0)).into_code();
                Test::Compare(CompareOp::NotEqual, told, zero)
            }
            Pred::Holds(name) => match self.proposition(name) {
                Some(Proposition::Slot(id)) => {
                    let form = LinearForm::slot(id);
                    self.sign(CompareOp::NotEqual, &form)
                        .expect("a slot by itself always fits 64 bits")
                }
                Some(Proposition::Defined(predicate)) => predicate.test.clone(),
                None => Test::Constant(false),
            },
            Pred::Compare(op, a, b) => self.comparison(*op, a, b),
            Pred::Fireable(actions) => Test::Fireable(self.actions(actions).into_iter().collect()),
            Pred::Deadlock => Test::Deadlock,
            Pred::Not(operand) => not(self.test(operand)),
            Pred::And(operands) => all(self.tests(operands)),
            Pred::Or(operands) => any(self.tests(operands)),
            Pred::Implies(a, b) => any(vec![not(self.test(a)), self.test(b)]),
            Pred::Iff(a, b) => Test::Iff(Box::new([self.test(a), self.test(b)])),
        }
    }

    fn tests(&mut self, operands: &[Pred]) -> Vec<Test> {
        operands.iter().map(|operand| self.test(operand)).collect()
    }

    fn comparison(&mut self, op: CompareOp, a: &Expr, b: &Expr) -> Test {
        let (a, b) = self.compared(a, b);
        if let Some(difference) = difference(&a, &b)
            && let Some(test) = self.sign(op, &difference)
        {
            return test;
        }
        Test::Compare(op, a.into_code(), b.into_code())
    }

    /// Both sides of a comparison, where a name on one side may be a value of the slot on the other.
    fn compared(&mut self, a: &Expr, b: &Expr) -> (Draft, Draft) {
        if let (Expr::Slot(left), Expr::Slot(right)) = (a, b) {
            if let Some(value) = self.named_value(right, left) {
                return (self.draft(a), self.draft(&Expr::Number(value)));
            }
            if let Some(value) = self.named_value(left, right) {
                return (self.draft(&Expr::Number(value)), self.draft(b));
            }
        }
        (self.draft(a), self.draft(b))
    }

    /// A form compared with zero, if its value always fits 64 bits.
    fn sign(&self, op: CompareOp, form: &LinearForm) -> Option<Test> {
        let layout = self.scope.layout();
        let values = form.interval(|id| Interval::capacity(layout.slot(id)))?;
        if !values.fits() {
            return None;
        }
        if let Some(value) = form.constant() {
            let value = i64::try_from(value).ok()?;
            return Some(Test::Constant(op.holds(value, 0)));
        }
        Some(Test::Sign(op, form.compile(layout)?))
    }
}

fn difference(a: &Draft, b: &Draft) -> Option<LinearForm> {
    a.form()?.clone().add(b.form()?, -1)
}

fn not(operand: Test) -> Test {
    match operand {
        Test::Constant(value) => Test::Constant(!value),
        Test::Not(operand) => *operand,
        operand => Test::Not(Box::new(operand)),
    }
}

fn all(operands: Vec<Test>) -> Test {
    let mut kept = Vec::with_capacity(operands.len());
    for operand in operands {
        match operand {
            Test::Constant(true) => {}
            Test::And(operands) => kept.extend(operands),
            Test::Constant(false) => {
                // What stands before it may have no value, so it is kept; what stands behind it does not matter.
                kept.push(Test::Constant(false));
                break;
            }
            operand => kept.push(operand),
        }
    }
    single(kept, true, Test::And)
}

fn any(operands: Vec<Test>) -> Test {
    let mut kept = Vec::with_capacity(operands.len());
    for operand in operands {
        match operand {
            Test::Constant(false) => {}
            Test::Or(operands) => kept.extend(operands),
            Test::Constant(true) => {
                kept.push(Test::Constant(true));
                break;
            }
            operand => kept.push(operand),
        }
    }
    single(kept, false, Test::Or)
}

fn single(mut kept: Vec<Test>, none: bool, several: fn(Box<[Test]>) -> Test) -> Test {
    match kept.len() {
        0 => Test::Constant(none),
        1 => kept.remove(0),
        _ => several(kept.into()),
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::tests::naive as naive_value;
    use crate::testing::{Toy, random, rendered};
    use crate::{parse_definition, parse_pred};
    use insta::assert_snapshot;
    use proptest::prelude::*;
    use sweepline_core::{ActionId, System};

    /// Whether a predicate holds, straight from its definition.
    fn naive(pred: &Pred, toy: &Toy, state: &[Word], enabled: &[ActionId]) -> Option<bool> {
        let holds = |pred: &Pred| naive(pred, toy, state, enabled);
        let name_of = |action: &ActionId| toy.actions[action.0 as usize].as_str();
        Some(match pred {
            Pred::Constant(value) => *value,
            Pred::Holds(name) => {
                let id = toy.layout().slot_named(&name.text).unwrap();
                toy.layout().value(state, id) != 0
            }
            Pred::Compare(op, a, b) => {
                op.holds(naive_value(a, toy, state)?, naive_value(b, toy, state)?)
            }
            Pred::Fireable(names) => enabled
                .iter()
                .any(|action| names.iter().any(|name| name.text == name_of(action))),
            Pred::Deadlock => enabled.is_empty(),
            Pred::Not(operand) => !holds(operand)?,
            Pred::And(operands) => {
                for operand in operands {
                    if !holds(operand)? {
                        return Some(false);
                    }
                }
                true
            }
            Pred::Or(operands) => {
                for operand in operands {
                    if holds(operand)? {
                        return Some(true);
                    }
                }
                false
            }
            Pred::Implies(a, b) => !holds(a)? || holds(b)?,
            Pred::Iff(a, b) => holds(a)? == holds(b)?,
        })
    }

    fn resolved(text: &str) -> Result<Predicate, Errors<ResolveError>> {
        let toy = Toy::protocol();
        let source = Source::new("--invariant", text);
        Predicate::resolve(&parse_pred(&source).unwrap(), &Scope::of(&toy), &source)
    }

    fn check(text: &str, values: &[(&str, i64)], expected: bool) {
        let state = Toy::protocol().state(values);
        let predicate = resolved(text).unwrap();
        assert!(!predicate.needs_enabled());
        let holds = predicate.eval(&state, &Enabled::default());
        assert_eq!(holds, Ok(expected), "{text}");
    }

    #[test]
    fn slots_are_compared_by_value() {
        check("sent > lost", &[("sent", 0), ("lost", -4)], true);
        check("sent + lost == 0", &[("sent", 4), ("lost", -4)], true);
        check("clock < 0", &[("clock", i64::MIN)], true);
        check("clock - 1 < 0", &[("clock", 3)], false);
        check("lost", &[("lost", 0)], false);
        check("lost", &[("lost", -1)], true);
        check("sent <= 7", &[("sent", 7)], true);
    }

    #[test]
    fn values_of_a_slot_may_have_names() {
        check("phase == idle", &[("phase", 0)], true);
        check("done = phase", &[("phase", 1)], false);
        check("phase < done", &[("phase", 1)], true);
        check("'phase' != 'waiting'", &[("phase", 1)], false);
    }

    #[test]
    fn evaluation_goes_no_further_than_needed() {
        let state = Toy::protocol().state(&[("sent", 0), ("clock", i64::MAX)]);
        let eval = |text| resolved(text).unwrap().eval(&state, &Enabled::default());
        assert_eq!(eval("sent != 0 and 4 / sent > 1"), Ok(false));
        assert_eq!(eval("sent == 0 or 4 / sent > 1"), Ok(true));
        assert_eq!(eval("sent != 0 -> 4 / sent > 1"), Ok(true));
        assert!(eval("4 / sent > 1 and sent != 0").is_err());
        assert!(eval("4 / sent > 1 and false").is_err());
        assert!(eval("clock + 1 > 0").is_err());
    }

    #[test]
    fn enabled_actions_are_asked_for() {
        let check = |text, enabled: &[u32], expected| {
            let predicate = resolved(text).unwrap();
            assert!(predicate.needs_enabled());
            let mut set = Enabled::default();
            let enabled: Vec<_> = enabled.iter().copied().map(ActionId).collect();
            set.set(&enabled, enabled.is_empty());
            let state = Toy::protocol().state(&[]);
            assert_eq!(predicate.eval(&state, &set), Ok(expected), "{text}");
        };
        check("fireable(send)", &[0], true);
        check("fireable(send, lose)", &[1], true);
        check("fireable('send again')", &[0, 1], false);
        check("deadlock", &[], true);
        check("sent > 3 or not deadlock", &[1], true);
    }

    #[test]
    fn an_end_is_no_deadlock() {
        let state = Toy::protocol().state(&[]);
        for deadlock in [false, true] {
            let mut seen = Enabled::default();
            seen.set([] as [ActionId; 0], deadlock);
            let holds = resolved("deadlock").unwrap().eval(&state, &seen);
            assert_eq!(holds, Ok(deadlock));
        }
    }

    #[test]
    fn what_is_always_the_same_is_known() {
        assert_eq!(resolved("1 + 1 == 2").unwrap().constant(), Some(true));
        assert_eq!(resolved("sent - sent > 0").unwrap().constant(), Some(false));
        assert_eq!(resolved("ready and false").unwrap().constant(), None);
        assert_eq!(
            resolved("sent > 3 or true and true").unwrap().constant(),
            None
        );
        assert_eq!(resolved("true -> false").unwrap().constant(), Some(false));
    }

    #[test]
    fn several_actions_of_one_name_are_one() {
        let toy = Toy::new(Toy::protocol().layout, &["t", "u", "t"]);
        let pred = parse_pred("fireable(t)").unwrap();
        let predicate = Predicate::resolve(&pred, &Scope::of(&toy), &"".into()).unwrap();
        for (action, expected) in [(0, true), (1, false), (2, true)] {
            let mut enabled = Enabled::default();
            enabled.set([ActionId(action)], false);
            assert_eq!(predicate.eval(&[0, 0], &enabled), Ok(expected));
        }
    }

    fn error(text: &str) -> String {
        rendered(&resolved(text).unwrap_err())
    }

    #[test]
    fn unknown_names_are_reported() {
        assert_snapshot!(error("snet > 3 and redy and fireable(sned)"), @r"
          × 3 errors

        Error: logic::unknown_name

          × there is no slot or proposition `snet`
           ╭─[--invariant:1:1]
         1 │ snet > 3 and redy and fireable(sned)
           · ──┬─
           ·   ╰── unknown
           ╰────
          help: did you mean `sent`?

        Error: logic::unknown_name

          × there is no slot or proposition `redy`
           ╭─[--invariant:1:14]
         1 │ snet > 3 and redy and fireable(sned)
           ·              ──┬─
           ·                ╰── unknown
           ╰────
          help: did you mean `ready`?

        Error: logic::unknown_action

          × there is no action `sned`
           ╭─[--invariant:1:32]
         1 │ snet > 3 and redy and fireable(sned)
           ·                                ──┬─
           ·                                  ╰── unknown
           ╰────
          help: did you mean `send`?
        ");
        assert_snapshot!(error("phase == idel or phase == nonsense"), @r"
          × 2 errors

        Error: logic::unknown_value

          × there is no slot `idel`, and `phase` has no such value
           ╭─[--invariant:1:10]
         1 │ phase == idel or phase == nonsense
           ·          ──┬─
           ·            ╰── unknown
           ╰────
          help: did you mean `idle`?

        Error: logic::unknown_value

          × there is no slot `nonsense`, and `phase` has no such value
           ╭─[--invariant:1:27]
         1 │ phase == idel or phase == nonsense
           ·                           ────┬───
           ·                               ╰── unknown
           ╰────
          help: the values of `phase` are `idle`, `waiting`, `done`
        ");
        assert_snapshot!(error("send"), @r"
        logic::unknown_name

          × there is no slot or proposition `send`
           ╭─[--invariant:1:1]
         1 │ send
           · ──┬─
           ·   ╰── unknown
           ╰────
          help: `send` is an action; whether it is enabled is written `fireable(send)`
        ");
        assert_snapshot!(error("completely_different > 0 or fireable(something_else)"), @r"
          × 2 errors

        Error: logic::unknown_name

          × there is no slot or proposition `completely_different`
           ╭─[--invariant:1:1]
         1 │ completely_different > 0 or fireable(something_else)
           · ──────────┬─────────
           ·           ╰── unknown
           ╰────
          help: there are `sent`, `lost`, `ready`, `phase`, `clock`

        Error: logic::unknown_action

          × there is no action `something_else`
           ╭─[--invariant:1:38]
         1 │ completely_different > 0 or fireable(something_else)
           ·                                      ───────┬──────
           ·                                             ╰── unknown
           ╰────
          help: there are `send`, `lose`, `send again`
        ");
    }

    fn with_definitions(definitions: &[&str], text: &str) -> Result<Predicate, String> {
        let toy = Toy::protocol();
        let definitions: Vec<_> = definitions
            .iter()
            .map(|text| parse_definition(Source::new("--prop", *text)).unwrap())
            .collect();
        let scope = Scope::of(&toy)
            .with(&definitions)
            .map_err(|error| rendered(&error))?;
        Predicate::resolve(&parse_pred(text).unwrap(), &scope, &text.into())
            .map_err(|error| rendered(&error))
    }

    #[test]
    fn propositions_build_on_each_other() {
        let definitions = ["p = sent > 3", "ready = not p and deadlock"];
        let predicate = with_definitions(&definitions, "ready or p").unwrap();
        assert!(predicate.needs_enabled());
        let mut stuck = Enabled::default();
        stuck.set([] as [ActionId; 0], true);
        for sent in 0..=7 {
            let state = Toy::protocol().state(&[("sent", sent)]);
            assert_eq!(predicate.eval(&state, &stuck), Ok(true));
        }
    }

    #[test]
    fn wrong_propositions_are_reported() {
        assert_snapshot!(with_definitions(&["p = q", "q = p", "p = true"], "p").unwrap_err(), @r"
          × 2 errors

        Error: logic::unknown_name

          × there is no slot or proposition `q`
           ╭─[--prop:1:5]
         1 │ p = q
           ·     ┬
           ·     ╰── unknown
           ╰────
          help: there are `sent`, `lost`, `ready`, `phase`, `clock`

        Error: logic::defined_twice

          × proposition `p` is defined twice
           ╭─[--prop:1:1]
         1 │ p = true
           · ┬
           · ╰── defined before
           ╰────
          help: give one of them another name
        ");
        assert_snapshot!(with_definitions(&["p = ready"], "p + 1 > 0").unwrap_err(), @r"
        logic::proposition_as_number

          × `p` is a proposition, not a number
           ╭─[expression:1:1]
         1 │ p + 1 > 0
           · ┬
           · ╰── a number is needed here
           ╰────
          help: combine propositions with `and`, `or`, `not`, `->` and `<->`
        ");
    }

    #[test]
    fn an_error_without_a_place_is_shown_without_one() {
        let toy = Toy::protocol();
        let pred = Pred::Holds(crate::Name::new("redy"));
        let error = Predicate::resolve(&pred, &Scope::of(&toy), &"".into()).unwrap_err();
        assert_snapshot!(rendered(&error), @r"
        logic::unknown_name

          × there is no slot or proposition `redy`
          help: did you mean `ready`?
        ");
    }

    proptest! {
        #[test]
        fn code_agrees_with_the_definition(
            pred in random::pred(Toy::slot_name(), Toy::action_name()),
            state in Toy::random_state(),
            enabled in prop::collection::vec((0u32..3).prop_map(ActionId), 0..3),
        ) {
            let toy = Toy::protocol();
            let predicate = Predicate::resolve(&pred, &Scope::of(&toy), &"".into()).unwrap();
            let mut set = Enabled::default();
            set.set(&enabled, enabled.is_empty());
            prop_assert_eq!(predicate.eval(&state, &set).ok(), naive(&pred, &toy, &state, &enabled));
            if !predicate.needs_enabled() {
                prop_assert_eq!(predicate.eval(&state, &Enabled::default()).ok(), naive(&pred, &toy, &state, &enabled));
            }
        }
    }
}
