//! What the state equation decides is so in every marking that can be reached.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::Limits;
use sweepline_logic::{CompareOp, Expr, Name, Pred};
use sweepline_net::{PetriNet, family};
use sweepline_progress::StateEquation;

type Marking = Vec<u64>;

/// Places with tokens, and transitions with inputs, outputs and inhibitors.
#[derive(Clone, Debug)]
struct Sketch {
    initial: Marking,
    rules: Vec<[Vec<u64>; 3]>,
}

impl Sketch {
    fn net(&self) -> PetriNet {
        let mut net = PetriNet::builder("random");
        let places: Vec<_> = (0..)
            .zip(&self.initial)
            .map(|(at, &tokens): (usize, _)| net.place(format!("p{at}"), tokens))
            .collect();
        for (at, [inputs, outputs, inhibitors]) in self.rules.iter().enumerate() {
            let transition = net.transition(format!("t{at}"));
            for (place, &id) in places.iter().enumerate() {
                if inputs[place] > 0 {
                    net.input(transition, id, inputs[place]);
                }
                if outputs[place] > 0 {
                    net.output(transition, id, outputs[place]);
                }
                if inhibitors[place] > 0 {
                    net.inhibitor(transition, id, inhibitors[place]);
                }
            }
        }
        net.build().unwrap()
    }
}

fn sketches() -> impl Strategy<Value = Sketch> {
    (1..5_usize, 1..6_usize).prop_flat_map(|(places, rules)| {
        let arcs = || {
            let weight = prop_oneof![4 => Just(0_u64), 2 => Just(1), 1 => 2..4_u64];
            prop::collection::vec(weight, places)
        };
        let none = Just(vec![0; places]);
        let inhibitors = prop_oneof![3 => none, 1 => arcs()];
        // Many rules move tokens without making any, so that something is invariant.
        let moved = (arcs(), 0..places).prop_map(|(inputs, by)| {
            let mut outputs = inputs.clone();
            outputs.rotate_right(by);
            (inputs, outputs)
        });
        let rule = (prop_oneof![2 => moved, 1 => (arcs(), arcs())], inhibitors)
            .prop_map(|((inputs, outputs), inhibitors)| [inputs, outputs, inhibitors]);
        let initial = prop::collection::vec(0..4_u64, places);
        (initial, prop::collection::vec(rule, rules))
            .prop_map(|(initial, rules)| Sketch { initial, rules })
    })
}

/// Markings that can be reached, some of them if there are many.
fn reachable(net: &PetriNet) -> Vec<Marking> {
    let mut known = BTreeSet::from([net.initial_marking()]);
    let mut todo: Vec<Marking> = known.iter().cloned().collect();
    while let Some(marking) = todo.pop() {
        if known.len() > 500 {
            break;
        }
        for transition in net.transition_ids() {
            if let Some(next) = net.fire(&marking, transition)
                && known.insert(next.clone())
            {
                todo.push(next);
            }
        }
    }
    known.into_iter().collect()
}

/// Predicates by numbers, which are cut down to what the net has.
fn preds() -> impl Strategy<Value = Pred> {
    let slot = (0..4_usize).prop_map(|place| Expr::Slot(Name::new(format!("p{place}"))));
    let term = prop_oneof![
        4 => slot.clone(),
        1 => (-2..4_i64).prop_map(Expr::Number),
        1 => (1..4_i64, slot).prop_map(|(by, slot)| Expr::Binary(
            sweepline_logic::BinaryOp::Multiply,
            Box::new(Expr::Number(by)),
            Box::new(slot)
        )),
    ];
    let sum = prop::collection::vec(term, 1..4).prop_map(Expr::Sum);
    let op = prop::sample::select(vec![
        CompareOp::Equal,
        CompareOp::NotEqual,
        CompareOp::Less,
        CompareOp::LessOrEqual,
        CompareOp::Greater,
        CompareOp::GreaterOrEqual,
    ]);
    let fireable = prop::collection::vec(0..5_usize, 1..3).prop_map(|transitions| {
        let names = transitions
            .into_iter()
            .map(|at| Name::new(format!("t{at}")));
        Pred::Fireable(names.collect())
    });
    let leaf = prop_oneof![
        4 => (op, sum.clone(), sum).prop_map(|(op, left, right)| Pred::Compare(op, left, right)),
        3 => fireable,
        1 => (0..4_usize).prop_map(|place| Pred::Holds(Name::new(format!("p{place}")))),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|pred| Pred::Not(Box::new(pred))),
            two().prop_map(|(a, b)| Pred::And(vec![a, b])),
            two().prop_map(|(a, b)| Pred::Or(vec![a, b])),
            two().prop_map(|(a, b)| Pred::Implies(Box::new(a), Box::new(b))),
            two().prop_map(|(a, b)| Pred::Iff(Box::new(a), Box::new(b))),
        ]
    })
}

/// The value in a marking; nothing if the net does not have what it is about.
fn value(net: &PetriNet, marking: &Marking, pred: &Pred) -> Option<bool> {
    Some(match pred {
        Pred::Constant(value) => *value,
        Pred::Holds(name) => marking[net.place_with_id(&name.text)?.index()] > 0,
        Pred::Compare(op, left, right) => {
            let (left, right) = (number(net, marking, left)?, number(net, marking, right)?);
            match op {
                CompareOp::Equal => left == right,
                CompareOp::NotEqual => left != right,
                CompareOp::Less => left < right,
                CompareOp::LessOrEqual => left <= right,
                CompareOp::Greater => left > right,
                CompareOp::GreaterOrEqual => left >= right,
            }
        }
        Pred::Fireable(names) => {
            let found = names.iter().map(|name| net.transition_with_id(&name.text));
            let found = found.collect::<Option<Vec<_>>>()?;
            found.into_iter().any(|one| net.is_enabled(marking, one))
        }
        Pred::Deadlock => return None,
        Pred::Not(inner) => !value(net, marking, inner)?,
        Pred::And(parts) => each(net, marking, parts)?.into_iter().all(|part| part),
        Pred::Or(parts) => each(net, marking, parts)?.into_iter().any(|part| part),
        Pred::Implies(a, b) => !value(net, marking, a)? || value(net, marking, b)?,
        Pred::Iff(a, b) => value(net, marking, a)? == value(net, marking, b)?,
    })
}

fn each(net: &PetriNet, marking: &Marking, parts: &[Pred]) -> Option<Vec<bool>> {
    parts.iter().map(|part| value(net, marking, part)).collect()
}

fn number(net: &PetriNet, marking: &Marking, expr: &Expr) -> Option<i64> {
    Some(match expr {
        Expr::Number(number) => *number,
        Expr::Slot(name) => i64::try_from(marking[net.place_with_id(&name.text)?.index()]).unwrap(),
        Expr::Sum(parts) => {
            let parts = parts.iter().map(|part| number(net, marking, part));
            parts.collect::<Option<Vec<_>>>()?.into_iter().sum()
        }
        Expr::Binary(_, left, right) => number(net, marking, left)? * number(net, marking, right)?,
        Expr::Negate(_) | Expr::Rank(..) => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_decided_is_so_everywhere(
        sketch in sketches(),
        preds in prop::collection::vec(preds(), 1..6),
    ) {
        let net = sketch.net();
        let markings = reachable(&net);
        let mut equation = StateEquation::new(&net, &Limits::default());
        for pred in preds {
            let Some(decided) = equation.decide(&pred) else { continue };
            for marking in &markings {
                // A name that the net does not have may stand in a part that does not matter.
                if let Some(value) = value(&net, marking, &pred) {
                    prop_assert_eq!(value, decided, "{} in {:?}", pred, marking);
                }
            }
        }
    }
}

fn decide(net: &PetriNet, text: &str) -> Option<bool> {
    let pred = sweepline_logic::parse_pred(sweepline_logic::Source::from(text)).unwrap();
    StateEquation::new(net, &Limits::default()).decide(&pred)
}

#[test]
fn invariants_are_used() {
    let mut net = PetriNet::builder("mutual exclusion");
    let free = net.place("free", 1);
    let wait = [net.place("wait1", 1), net.place("wait2", 1)];
    let inside = [net.place("in1", 0), net.place("in2", 0)];
    for (at, (wait, inside)) in wait.into_iter().zip(inside).enumerate() {
        net.rule(format!("enter{at}"), &[wait, free], &[inside]);
        net.rule(format!("leave{at}"), &[inside], &[wait, free]);
    }
    net.rule("crash", &inside, &inside);
    net.rule("knock", &[], &[]);
    let net = net.build().unwrap();
    for (text, expected) in [
        ("in1 + in2 <= 1", Some(true)),
        ("in1 + in2 > 1", Some(false)),
        ("2 * in1 <= 2", Some(true)),
        ("2 * in1 <= 1", None),
        ("wait1 + in1 == 1", Some(true)),
        ("wait1 + in1 != wait2 + in2", Some(false)),
        ("in1 == 0", None),
        ("in1 >= free", None),
        ("free <= 1 and in1 <= 1", Some(true)),
        ("fireable(crash)", Some(false)),
        ("fireable(knock)", Some(true)),
        ("fireable(knock, crash)", Some(true)),
        ("fireable(enter0)", None),
        ("fireable(crash, leave0)", None),
        ("in1 * in2 == 0", None),
        ("deadlock", None),
    ] {
        assert_eq!(decide(&net, text), expected, "{text}");
    }
}

/// A proposition may be called like a place.
#[test]
fn propositions_are_not_taken_for_places() {
    let mut net = PetriNet::builder("one place");
    net.place("p", 1);
    let net = net.build().unwrap();
    assert_eq!(decide(&net, "p"), Some(true));
    let definition = sweepline_logic::parse_definition("p = p == 0").unwrap();
    let mut equation = StateEquation::new(&net, &Limits::default()).beside(&[definition]);
    let pred = sweepline_logic::parse_pred("p").unwrap();
    assert_eq!(equation.decide(&pred), None);
}

/// When the work is used up, nothing more is decided.
#[test]
fn the_work_is_counted() {
    let net = family::philosophers(40);
    let place = net.places()[0].id.clone();
    let work = 20 * sweepline_progress::linear::Budget::MILLISECOND;
    let mut equation = StateEquation::new(&net, &Limits::default()).with_work(work);
    let below = |tokens: i64| {
        let slot = Expr::Slot(Name::new(place.as_str()));
        Pred::Compare(CompareOp::Less, slot, Expr::Number(tokens))
    };
    let decided = (2..100_000).take_while(|&tokens| equation.decide(&below(tokens)).is_some());
    let decided = decided.count();
    assert!((1..99_998).contains(&decided), "{decided}");
}
