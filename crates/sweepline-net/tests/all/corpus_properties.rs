//! The property files of the corpus: all are read, and what they mean agrees with the known verdicts.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::support::{corpus, corpus_net, reachable_markings};
use serde_json::Value;
use sweepline_logic::{BinaryOp, CompareOp, Expr, Formula, Pred, PropertyKind};
use sweepline_net::{PetriNet, PropertySet, read_properties};

/// States up to which verdicts are computed.
const SMALL: u64 = 50_000;

fn property_files(entry: &Value) -> impl Iterator<Item = &str> {
    entry["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap())
        .filter(|file| {
            Path::new(file)
                .extension()
                .is_some_and(|extension| extension == "xml")
        })
}

fn read(folder: &Path, file: &str, net: &PetriNet) -> PropertySet {
    let bytes = std::fs::read(folder.join(file)).unwrap();
    read_properties(file, &bytes, net).unwrap_or_else(|errors| panic!("{file}: {errors:?}"))
}

#[test]
fn every_file_is_read_and_nothing_is_refused() {
    let Some((folder, entries)) = corpus() else {
        return;
    };
    let mut files = 0;
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for entry in &entries {
        let net = corpus_net(&folder, entry);
        for file in property_files(entry) {
            files += 1;
            let set = read(&folder, file, &net);
            let kind = Path::new(file).file_stem().unwrap().to_str().unwrap();
            let (accepted, refused) = kinds.entry(kind.to_owned()).or_default();
            *accepted += set.properties.len();
            *refused += set.refused.len();
        }
    }
    assert_eq!(files, 194);
    // Accepted and refused properties per kind of file.
    let expected = [
        ("CTLCardinality", (288, 0)),
        ("CTLFireability", (288, 0)),
        ("LTLCardinality", (288, 0)),
        ("LTLFireability", (288, 0)),
        ("ReachabilityCardinality", (288, 0)),
        ("ReachabilityDeadlock", (17, 0)),
        ("ReachabilityFireability", (288, 0)),
        ("UpperBounds", (288, 0)),
        ("query", (94, 0)),
    ];
    let expected = expected.map(|(kind, counts)| (kind.to_owned(), counts));
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn properties_mean_what_the_known_verdicts_say() {
    let Some((folder, entries)) = corpus() else {
        return;
    };
    let mut compared = 0;
    for entry in entries
        .iter()
        .filter(|entry| entry["states"].as_u64().unwrap() <= SMALL)
    {
        let net = corpus_net(&folder, entry);
        let (markings, _) = reachable_markings(&net);
        let judge = Judge::new(&net, &markings);
        let verdicts: HashMap<_, _> = entry["properties"]
            .as_array()
            .unwrap()
            .iter()
            .map(|property| (property["id"].as_str().unwrap(), &property["expected"]))
            .filter(|(_, expected)| !expected.is_null())
            .collect();
        for file in property_files(entry) {
            for property in read(&folder, file, &net).properties {
                let Some(expected) = verdicts.get(&*property.name) else {
                    continue;
                };
                let found = match &property.kind {
                    PropertyKind::Formula(formula) => Value::from(judge.formula(formula)),
                    PropertyKind::Bound(expr) => Value::from(judge.bound(expr)),
                    // Those are about runs, of which there is no list.
                    _ => continue,
                };
                assert_eq!(&found, *expected, "{}", property.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "more verdicts are known than {compared}");
}

/// Evaluates formulas by looking at all markings; naive on purpose.
struct Judge<'a> {
    net: &'a PetriNet,
    markings: &'a [Vec<u64>],
    places: HashMap<&'a str, usize>,
}

impl<'a> Judge<'a> {
    fn new(net: &'a PetriNet, markings: &'a [Vec<u64>]) -> Self {
        let places = net
            .places()
            .iter()
            .enumerate()
            .map(|(i, place)| (&*place.id, i))
            .collect();
        Self {
            net,
            markings,
            places,
        }
    }

    fn formula(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Initially(pred) => self.pred(pred, &self.markings[0]),
            Formula::Reachable(pred) => self.markings.iter().any(|m| self.pred(pred, m)),
            Formula::Invariant(pred) => self.markings.iter().all(|m| self.pred(pred, m)),
            Formula::Not(inner) => !self.formula(inner),
            Formula::And(inner) => inner.iter().all(|formula| self.formula(formula)),
            Formula::Or(inner) => inner.iter().any(|formula| self.formula(formula)),
        }
    }

    fn bound(&self, expr: &Expr) -> i64 {
        self.markings
            .iter()
            .map(|marking| self.expr(expr, marking))
            .max()
            .unwrap()
    }

    fn pred(&self, pred: &Pred, marking: &[u64]) -> bool {
        match pred {
            Pred::Constant(value) => *value,
            Pred::Holds(name) => marking[self.places[&*name.text]] > 0,
            Pred::Fireable(names) => names.iter().any(|name| {
                let transition = self.net.transition_with_id(&name.text).unwrap();
                self.net.is_enabled(marking, transition)
            }),
            Pred::Deadlock => !self
                .net
                .transition_ids()
                .any(|t| self.net.is_enabled(marking, t)),
            Pred::Not(inner) => !self.pred(inner, marking),
            Pred::And(inner) => inner.iter().all(|pred| self.pred(pred, marking)),
            Pred::Or(inner) => inner.iter().any(|pred| self.pred(pred, marking)),
            Pred::Implies(left, right) => !self.pred(left, marking) || self.pred(right, marking),
            Pred::Iff(left, right) => self.pred(left, marking) == self.pred(right, marking),
            Pred::Compare(op, left, right) => {
                let (left, right) = (self.expr(left, marking), self.expr(right, marking));
                match op {
                    CompareOp::Equal => left == right,
                    CompareOp::NotEqual => left != right,
                    CompareOp::Less => left < right,
                    CompareOp::LessOrEqual => left <= right,
                    CompareOp::Greater => left > right,
                    CompareOp::GreaterOrEqual => left >= right,
                }
            }
        }
    }

    fn expr(&self, expr: &Expr, marking: &[u64]) -> i64 {
        match expr {
            Expr::Number(value) => *value,
            Expr::Slot(name) => marking[self.places[&*name.text]].cast_signed(),
            Expr::Sum(parts) => parts.iter().map(|part| self.expr(part, marking)).sum(),
            Expr::Negate(inner) => -self.expr(inner, marking),
            Expr::Rank(..) => unreachable!("formulas of nets have no ranks"),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, marking), self.expr(right, marking));
                match op {
                    BinaryOp::Add => left + right,
                    BinaryOp::Subtract => left - right,
                    BinaryOp::Multiply => left * right,
                    BinaryOp::Divide => left / right,
                    BinaryOp::Remainder => left % right,
                    op @ BinaryOp::Bits(_) => {
                        unreachable!("formulas of nets do not combine bits: {op:?}")
                    }
                }
            }
        }
    }
}
