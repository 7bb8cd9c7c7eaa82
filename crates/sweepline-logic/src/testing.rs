//! What the tests of several modules need.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;
use sweepline_core::{ActionId, Describe, Layout, Steps, System, Word};

use crate::{Expr, Formula, Name, Pred};

/// A system that is only asked for its names; it can also walk through a given list of states for ever.
#[derive(Debug)]
pub(crate) struct Toy {
    pub layout: Layout,
    pub actions: Vec<String>,
    pub states: Vec<Vec<Word>>,
}

impl Toy {
    pub fn new(layout: Layout, actions: &[&str]) -> Self {
        Self {
            layout,
            actions: actions.iter().map(ToString::to_string).collect(),
            states: Vec::new(),
        }
    }

    /// A small protocol: two counters, a flag, a phase with names, an unlimited number.
    pub fn protocol() -> Self {
        let phases = ["idle", "waiting", "done"].map(String::from);
        let layout = Layout::builder()
            .integer("sent", 0, 7)
            .integer("lost", -4, 3)
            .boolean("ready")
            .named("phase", phases.into())
            .integer("clock", i64::MIN, i64::MAX)
            .build();
        Self::new(layout, &["send", "lose", "send again"])
    }

    /// A state with these values and the least value in all other slots.
    pub fn state(&self, values: &[(&str, i64)]) -> Vec<Word> {
        let mut state = vec![0; self.layout.width().unwrap()];
        for (name, value) in values {
            let id = self.layout.slot_named(name).unwrap();
            self.layout.set(&mut state, id, *value).unwrap();
        }
        state
    }

    pub fn slot_name() -> impl Strategy<Value = String> + Clone {
        let names: Vec<String> = Self::protocol()
            .layout
            .slots()
            .iter()
            .map(|slot| slot.name.clone())
            .collect();
        prop::sample::select(names)
    }

    pub fn action_name() -> impl Strategy<Value = String> {
        prop::sample::select(Self::protocol().actions)
    }

    /// States of the protocol, extreme clocks included.
    pub fn random_state() -> impl Strategy<Value = Vec<Word>> {
        let clock = prop_oneof![-9i64..9, Just(i64::MIN), Just(i64::MAX), any::<i64>()];
        (0i64..8, -4i64..4, 0i64..2, 0i64..3, clock).prop_map(
            |(sent, lost, ready, phase, clock)| {
                Self::protocol().state(&[
                    ("sent", sent),
                    ("lost", lost),
                    ("ready", ready),
                    ("phase", phase),
                    ("clock", clock),
                ])
            },
        )
    }
}

impl System for Toy {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &self.states[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let at = self.states.iter().position(|other| other == state).unwrap();
        out.push(ActionId(0), &self.states[(at + 1) % self.states.len()]);
    }
}

impl Describe for Toy {
    fn actions(&self) -> &[String] {
        &self.actions
    }
}

/// What a user sees of an error.
pub(crate) fn rendered(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(80)
        .render_report(&mut text, error)
        .unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// Forgets where names stand.
pub(crate) trait Placeless {
    fn placeless(self) -> Self;
}

impl Placeless for Name {
    fn placeless(self) -> Self {
        Name::new(self.text)
    }
}

impl<T: Placeless> Placeless for Vec<T> {
    fn placeless(self) -> Self {
        self.into_iter().map(T::placeless).collect()
    }
}

impl<T: Placeless> Placeless for Box<T> {
    fn placeless(self) -> Self {
        Box::new((*self).placeless())
    }
}

impl Placeless for Expr {
    fn placeless(self) -> Self {
        match self {
            Self::Number(_) => self,
            Self::Slot(name) => Self::Slot(name.placeless()),
            Self::Sum(operands) => Self::Sum(operands.placeless()),
            Self::Negate(operand) => Self::Negate(operand.placeless()),
            Self::Binary(op, a, b) => Self::Binary(op, a.placeless(), b.placeless()),
            Self::Rank(slot, entries) => {
                let entries = entries.into_iter();
                let entries = entries.map(|(value, number)| (value.placeless(), number));
                Self::Rank(slot.placeless(), entries.collect())
            }
        }
    }
}

impl Placeless for Pred {
    fn placeless(self) -> Self {
        match self {
            Self::Constant(_) | Self::Deadlock => self,
            Self::Holds(name) => Self::Holds(name.placeless()),
            Self::Compare(op, a, b) => Self::Compare(op, a.placeless(), b.placeless()),
            Self::Fireable(actions) => Self::Fireable(actions.placeless()),
            Self::Not(operand) => Self::Not(operand.placeless()),
            Self::And(operands) => Self::And(operands.placeless()),
            Self::Or(operands) => Self::Or(operands.placeless()),
            Self::Implies(a, b) => Self::Implies(a.placeless(), b.placeless()),
            Self::Iff(a, b) => Self::Iff(a.placeless(), b.placeless()),
        }
    }
}

impl Placeless for Formula {
    fn placeless(self) -> Self {
        match self {
            Self::Initially(pred) => Self::Initially(pred.placeless()),
            Self::Reachable(pred) => Self::Reachable(pred.placeless()),
            Self::Invariant(pred) => Self::Invariant(pred.placeless()),
            Self::Not(operand) => Self::Not(operand.placeless()),
            Self::And(operands) => Self::And(operands.placeless()),
            Self::Or(operands) => Self::Or(operands.placeless()),
        }
    }
}

/// Random expressions and predicates.
pub(crate) mod random {
    use proptest::prelude::*;

    use crate::{BinaryOp, BitOp, CompareOp, Expr, Formula, Name, Pred};

    pub fn expr(slots: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = Expr> {
        let number = prop_oneof![-9i64..9, Just(i64::MIN), Just(i64::MAX), any::<i64>()];
        let leaf = prop_oneof![
            number.prop_map(Expr::Number),
            slots.prop_map(|name| Expr::Slot(Name::new(name))),
            rank(),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Expr::Sum),
                inner.clone().prop_map(|e| Expr::Negate(Box::new(e))),
                (binary_op(), inner.clone(), inner).prop_map(|(op, a, b)| Expr::Binary(
                    op,
                    Box::new(a),
                    Box::new(b)
                )),
            ]
        })
    }

    fn rank() -> impl Strategy<Value = Expr> {
        let entry = (-4i64..4, -9i64..9);
        let entry = entry.prop_map(|(value, number)| (Name::new(value.to_string()), number));
        let slot = prop::sample::select(vec!["sent", "lost", "ready", "phase"]);
        let entries = prop::collection::vec(entry, 0..4);
        (slot, entries).prop_map(|(slot, entries)| Expr::Rank(Name::new(slot), entries))
    }

    pub fn pred(
        slots: impl Strategy<Value = String> + Clone + 'static,
        actions: impl Strategy<Value = String> + 'static,
    ) -> impl Strategy<Value = Pred> {
        let fired = prop::collection::vec(actions.prop_map(Name::new), 0..4);
        let leaf = prop_oneof![
            1 => any::<bool>().prop_map(Pred::Constant),
            2 => slots.clone().prop_map(|name| Pred::Holds(Name::new(name))),
            4 => (compare_op(), expr(slots.clone()), expr(slots))
                .prop_map(|(op, a, b)| Pred::Compare(op, a, b)),
            1 => fired.prop_map(Pred::Fireable),
            1 => Just(Pred::Deadlock),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let pair = || (inner.clone(), inner.clone());
            prop_oneof![
                inner.clone().prop_map(|p| Pred::Not(Box::new(p))),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Pred::And),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Pred::Or),
                pair().prop_map(|(a, b)| Pred::Implies(Box::new(a), Box::new(b))),
                pair().prop_map(|(a, b)| Pred::Iff(Box::new(a), Box::new(b))),
            ]
        })
    }

    pub fn formula(
        preds: impl Strategy<Value = Pred> + Clone + 'static,
    ) -> impl Strategy<Value = Formula> {
        let leaf = prop_oneof![
            preds.clone().prop_map(Formula::Initially),
            preds.clone().prop_map(Formula::Reachable),
            preds.prop_map(Formula::Invariant),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|f| Formula::Not(Box::new(f))),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Formula::And),
                prop::collection::vec(inner, 0..4).prop_map(Formula::Or),
            ]
        })
    }

    fn binary_op() -> impl Strategy<Value = BinaryOp> {
        prop::sample::select(vec![
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
            BinaryOp::Bits(BitOp::And),
            BinaryOp::Bits(BitOp::Or),
            BinaryOp::Bits(BitOp::Xor),
            BinaryOp::Bits(BitOp::ShiftLeft),
            BinaryOp::Bits(BitOp::ShiftRight),
        ])
    }

    fn compare_op() -> impl Strategy<Value = CompareOp> {
        prop::sample::select(vec![
            CompareOp::Equal,
            CompareOp::NotEqual,
            CompareOp::Less,
            CompareOp::LessOrEqual,
            CompareOp::Greater,
            CompareOp::GreaterOrEqual,
        ])
    }
}
