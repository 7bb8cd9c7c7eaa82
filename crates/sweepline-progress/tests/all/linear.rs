//! Linear measures of known nets, of degenerate ones and of random ones.

use std::path::Path;

use proptest::prelude::*;
use sweepline_net::{PetriNet, PnmlOptions, family, read_pnml};
use sweepline_progress::linear::{
    Budget, Columns, Effects, Hints, Weights, columns, finer, greatest_value, rows,
    semiflow_containing,
};

fn effects_of(net: &PetriNet) -> Effects {
    let effect = |t: &sweepline_net::Transition| {
        let arcs = |arcs: &[sweepline_net::PlaceArc], sign: i64| {
            let end = |arc: &sweepline_net::PlaceArc| {
                let weight = i64::try_from(arc.weight).expect("weights are below 2^62");
                (arc.place.0 as usize, sign * weight)
            };
            arcs.iter().map(end).collect::<Vec<_>>()
        };
        [arcs(&t.inputs, -1), arcs(&t.outputs, 1)].concat()
    };
    let effects = net.transitions().iter().map(effect).collect();
    Effects::new(net.places().len(), effects)
}

/// The measure as people write it.
fn shown(net: &PetriNet, weights: &Weights) -> String {
    let term = |&(place, weight): &(usize, i64)| match weight {
        1 => net.places()[place].id.clone(),
        _ => format!("{weight} {}", net.places()[place].id),
    };
    weights.of.iter().map(term).collect::<Vec<_>>().join(" + ")
}

fn all_shown(net: &PetriNet, measures: &[Weights]) -> Vec<String> {
    measures.iter().map(|weights| shown(net, weights)).collect()
}

/// Ids of the transitions that rise in no coordinate.
fn standing<'a>(net: &'a PetriNet, columns: &Columns) -> Vec<&'a str> {
    let transitions = net.transitions().iter().zip(&columns.strict);
    let standing = transitions.filter(|(_, strict)| !**strict);
    standing
        .map(|(transition, _)| transition.id.as_str())
        .collect()
}

/// Finds the columns and checks all that is claimed about them.
fn checked_columns(effects: &Effects) -> Columns {
    let columns = columns(effects, &Budget::default());
    assert_eq!(columns.strict.len(), effects.transitions());
    for transition in 0..effects.transitions() {
        let rises = |weights: &Weights| weights.offset(effects, transition) > 0;
        let strict = columns.strict[transition];
        assert_eq!(columns.coordinates.iter().any(rises), strict);
        assert_eq!(finer(effects, &columns).iter().any(rises), strict);
        let semiflow = semiflow_containing(effects, transition, &Budget::default());
        assert_eq!(semiflow.is_none(), strict, "transition {transition}");
        if let Some(semiflow) = semiflow {
            assert!(semiflow.iter().any(|entry| entry.0 == transition));
            assert!(changes_nothing(effects, &semiflow));
        }
    }
    let finer = finer(effects, &columns);
    assert!(finer.len() <= 16);
    for weights in columns.coordinates.iter().chain(&finer) {
        assert!(weights.is_monotone(effects));
        assert!(!weights.of.is_empty());
    }
    columns
}

fn changes_nothing(effects: &Effects, counts: &[(usize, u64)]) -> bool {
    let mut change = vec![0; effects.places()];
    for &(transition, count) in counts {
        for &(place, by) in effects.of(transition) {
            change[place] += i128::from(by) * i128::from(count);
        }
    }
    change.iter().all(|change| *change == 0)
}

#[test]
fn every_step_of_a_pipe_progresses() {
    let net = family::pipe(4, 3, 2);
    let effects = effects_of(&net);
    let columns = checked_columns(&effects);
    let expected = ["2 w_1 + 4 w_2 + 6 w_3 + b_0 + 3 b_1 + 5 b_2"];
    assert_eq!(all_shown(&net, &columns.coordinates), expected);
    assert!(columns.strict.iter().all(|strict| *strict));
    let greatest = |weights| {
        greatest_value(
            &effects,
            &net.initial_marking(),
            weights,
            &Budget::default(),
        )
    };
    assert_eq!(greatest(&columns.coordinates[0]), Some(24)); // four parts, six steps each
    assert!(rows(&effects, &columns, &Hints::default(), &Budget::default()).is_empty());
}

#[test]
fn transfers_progress_by_packet_numbers() {
    let net = family::stop_and_wait(3, 2, 2);
    let effects = effects_of(&net);
    let columns = checked_columns(&effects);
    assert_eq!(
        all_shown(&net, &columns.coordinates),
        [
            "s_0_1 + 2 s_0_2 + 3 s_0_3 + r_0_1 + 2 r_0_2 + 3 r_0_3",
            "s_1_1 + 2 s_1_2 + 3 s_1_3 + r_1_1 + 2 r_1_2 + 3 r_1_3",
        ]
    );
    assert_eq!(
        all_shown(&net, &finer(&effects, &columns)),
        [
            "s_0_1 + 2 s_0_2 + 3 s_0_3",
            "r_0_1 + 2 r_0_2 + 3 r_0_3",
            "s_1_1 + 2 s_1_2 + 3 s_1_3",
            "r_1_1 + 2 r_1_2 + 3 r_1_3",
        ]
    );
    let repeated = ["send", "loss", "dup"];
    let standing = standing(&net, &columns);
    assert!(
        standing
            .iter()
            .all(|id| repeated.iter().any(|kind| id.starts_with(kind)))
    );
    assert_eq!(columns.strict.iter().filter(|strict| **strict).count(), 12);
}

#[test]
fn strongly_connected_nets_have_rows_only() {
    let check = |net: PetriNet, regress: &[&str]| {
        let effects = effects_of(&net);
        let columns = checked_columns(&effects);
        assert_eq!(columns.coordinates, [], "{}", net.id());
        let initial = net.initial_marking();
        let hints = Hints {
            initial: &initial,
            ..Hints::default()
        };
        let rows = rows(&effects, &columns, &hints, &Budget::default());
        let id = |t: &usize| net.transitions()[*t].id.clone();
        let found: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.regress.iter().map(id).collect())
            .collect();
        assert!(
            found.iter().any(|ids| ids == regress),
            "{}: {found:?}",
            net.id()
        );
    };
    check(family::kanban(2), &["tout4", "tb1", "tb2", "tb3", "tb4"]);
    check(family::kanban(2), &["tout4"]);
    check(family::fms(2), &["t6", "t12", "t17", "t20"]);
    check(family::philosophers(3), &["done_0", "done_1", "done_2"]);
}

#[test]
fn rows_regress_where_transitions_are_rare() {
    let round = (0..4).map(|p| vec![(p, -1), ((p + 1) % 4, 1)]).collect();
    let net = Effects::new(4, round);
    let columns = checked_columns(&net);
    for rare in 0..4 {
        let mut frequency = [100.0; 4];
        frequency[rare] = 1.0;
        let hints = Hints {
            frequency: &frequency,
            ..Hints::default()
        };
        let rows = rows(&net, &columns, &hints, &Budget::default());
        assert_eq!(rows[0].regress, [rare]);
        assert_eq!(rows[0].standing, []);
        assert!(rows[0].cost < 0.01);
    }
}

#[test]
fn odd_frequencies_do_no_harm() {
    let net = Effects::new(2, vec![vec![(0, -1), (1, 1)], vec![(1, -1), (0, 1)]]);
    let columns = checked_columns(&net);
    let odd: [&[f64]; 4] = [
        &[0.0, 0.0],
        &[f64::NAN, 1.0],
        &[f64::INFINITY, -1.0],
        &[1.0],
    ];
    for frequency in odd {
        let hints = Hints {
            frequency,
            initial: &[1],
        };
        assert!(!rows(&net, &columns, &hints, &Budget::default()).is_empty());
    }
}

mod degenerate {
    use super::*;

    /// Checks the columns of a net and returns which transitions progress.
    fn strict(places: usize, effects: &[&[(usize, i64)]]) -> Vec<bool> {
        let effects = effects.iter().map(|effect| effect.to_vec()).collect();
        checked_columns(&Effects::new(places, effects)).strict
    }

    #[test]
    fn nothing_there() {
        assert_eq!(strict(0, &[]), []);
        assert_eq!(strict(3, &[]), []);
        assert_eq!(strict(0, &[&[]]), [false]);
        let nothing = Effects::new(0, vec![]);
        let budget = Budget::default();
        let columns = columns(&nothing, &budget);
        assert!(rows(&nothing, &columns, &Hints::default(), &budget).is_empty());
        assert_eq!(
            greatest_value(&nothing, &[], &Weights::default(), &budget),
            Some(0)
        );
    }

    #[test]
    fn self_loops_stand() {
        assert_eq!(strict(2, &[&[], &[(0, 1), (0, -1)]]), [false, false]);
    }

    #[test]
    fn sources_and_sinks_progress() {
        assert_eq!(strict(1, &[&[(0, 1)]]), [true]);
        assert_eq!(strict(1, &[&[(0, -1)]]), [true]);
        assert_eq!(strict(1, &[&[(0, 1)], &[(0, -1)]]), [false, false]);
        assert_eq!(strict(2, &[&[(0, 1)], &[(0, -1), (1, 1)]]), [true, true]);
    }

    #[test]
    fn duplicates_progress_together() {
        let step: &[(usize, i64)] = &[(0, -1), (1, 1)];
        let twice: &[(usize, i64)] = &[(0, -2), (1, 2)];
        assert_eq!(strict(2, &[step, step, twice]), [true; 3]);
        assert_eq!(
            strict(2, &[step, step, twice, &[(0, 3), (1, -3)]]),
            [false; 4]
        );
    }

    #[test]
    fn unbounded_nets() {
        // A loop that leaves something behind each time.
        let effects: [&[(usize, i64)]; 2] = [&[(0, -1), (1, 1)], &[(0, 1), (1, -1), (2, 1)]];
        assert_eq!(strict(3, &effects), [true, true]);
        // A token becomes two, and three become one: together they can go round.
        assert_eq!(strict(1, &[&[(0, 1)], &[(0, -2)]]), [false, false]);
    }

    #[test]
    fn huge_weights() {
        const HUGE: i64 = 1 << 40;
        assert_eq!(strict(2, &[&[(0, -HUGE), (1, HUGE)]]), [true]);
        assert_eq!(strict(2, &[&[(0, -1), (1, HUGE)]]), [true]);
        let back: [&[(usize, i64)]; 2] = [&[(0, -1), (1, HUGE)], &[(0, 1), (1, -HUGE)]];
        assert_eq!(strict(2, &back), [false, false]);
        let there: [&[(usize, i64)]; 2] = [&[(0, -1), (1, HUGE)], &[(1, -HUGE), (2, HUGE - 1)]];
        assert_eq!(strict(3, &there), [true, true]);
    }

    #[test]
    fn largest_numbers_do_not_overflow() {
        let extreme = [i64::MAX, i64::MIN, i64::MIN + 1, 1];
        for (a, b) in extreme.into_iter().flat_map(|a| extreme.map(|b| (a, b))) {
            let net = Effects::new(2, vec![vec![(0, a), (1, b)], vec![(0, b), (1, a)]]);
            let budget = Budget::default();
            for weights in &columns(&net, &budget).coordinates {
                assert!(weights.is_monotone(&net));
                greatest_value(&net, &[u64::MAX; 2], weights, &budget.clone());
            }
            semiflow_containing(&net, 0, &budget.clone());
            rows(&net, &columns(&net, &budget), &Hints::default(), &budget);
        }
    }
}

#[test]
fn greatest_values() {
    let check =
        |effects: &[&[(usize, i64)]], initial: &[u64], weights: &[(usize, i64)], expected| {
            let effects = effects.iter().map(|effect| effect.to_vec()).collect();
            let net = Effects::new(initial.len(), effects);
            let weights = Weights::new(weights.to_vec());
            let found = greatest_value(&net, initial, &weights, &Budget::default());
            assert_eq!(found, expected);
        };
    check(&[&[(0, 1)]], &[0], &[(0, 1)], None); // a source
    check(&[&[(0, 1)]], &[0], &[(0, -1)], Some(0));
    check(&[&[(0, -1)]], &[5], &[(0, -1)], Some(0)); // a sink
    check(&[&[(0, -2), (1, 1)]], &[5, 0], &[(1, 1)], Some(2)); // half of five, rounded down
    check(&[&[(0, -1), (1, 3)]], &[2, 0], &[(1, 2), (0, 1)], Some(12)); // two tokens become six
    check(&[], &[4, 1], &[(0, 1), (1, -3)], Some(1)); // nothing changes
}

#[test]
fn what_the_budget_does_not_allow_is_not_claimed() {
    let none = Budget::of(0);
    let tiny = Budget::default().up_to(0);
    // In the first part a token becomes two and each of them one again, which only a linear program can tell from a
    // cycle. In the second part tokens just arrive.
    let grow = vec![(0, -1), (1, 2)];
    let back = vec![(1, -1), (0, 1)];
    let arrive = vec![(2, -1), (3, 1)];
    let net = Effects::new(4, vec![grow, back, arrive]);
    assert_eq!(checked_columns(&net).strict, [true, true, true]);
    let columns_within = columns;
    for budget in [none.clone(), tiny] {
        let columns = columns_within(&net, &budget);
        assert_eq!(columns.strict, [false, false, true]);
        assert!(columns.coordinates[0].is_monotone(&net));
        assert_eq!(semiflow_containing(&net, 0, &budget), None);
        let arrived = &columns.coordinates[0];
        assert_eq!(greatest_value(&net, &[1; 4], arrived, &budget), None);
    }
    let long = columns(&effects_of(&family::pipe(2, 4_000, 1)), &none);
    assert!(long.strict.iter().all(|strict| *strict)); // acyclic nets need no program
}

#[test]
fn searches_of_large_nets_end_and_find_the_same() {
    let mut random = 1_u64;
    let mut below = |limit: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(random >> 33).unwrap() % limit
    };
    let mut effect = || {
        (0..8)
            .map(|arc| (below(2_500), [-1, 1, 2][arc % 3]))
            .collect()
    };
    let net = Effects::new(2_500, (0..2_500).map(|_| effect()).collect());
    let found = || {
        let budget = Budget::of(200 * Budget::MILLISECOND);
        let columns = columns(&net, &budget);
        let rows = rows(&net, &columns, &Hints::default(), &budget);
        (columns, rows)
    };
    assert_eq!(found(), found());
}

/// A small net: for each transition what it takes and what it gives, by place.
#[derive(Clone, Debug)]
struct SmallNet {
    rules: Vec<(Vec<u64>, Vec<u64>)>,
    initial: Vec<u64>,
}

impl SmallNet {
    fn effects(&self) -> Effects {
        let change = |take: u64, give: u64| give.cast_signed() - take.cast_signed();
        let effect = |(takes, gives): &(Vec<u64>, Vec<u64>)| {
            let changes = takes
                .iter()
                .zip(gives)
                .map(|(&take, &give)| change(take, give));
            changes.enumerate().collect()
        };
        Effects::new(self.initial.len(), self.rules.iter().map(effect).collect())
    }

    fn fire(&self, marking: &[u64], rule: usize) -> Option<Vec<u64>> {
        let (takes, gives) = &self.rules[rule];
        let place = |((&tokens, &take), &give): ((&u64, &u64), &u64)| {
            Some(tokens.checked_sub(take)? + give)
        };
        marking.iter().zip(takes).zip(gives).map(place).collect()
    }

    /// Steps of a walk that tries these rules one after the other: rule, marking before, marking after.
    fn walk(&self, choices: &[usize]) -> Vec<(usize, Vec<u64>, Vec<u64>)> {
        let mut marking = self.initial.clone();
        let mut steps = Vec::new();
        for choice in choices {
            let rule = choice % self.rules.len();
            if let Some(after) = self.fire(&marking, rule) {
                steps.push((rule, marking, after.clone()));
                marking = after;
            }
        }
        steps
    }
}

fn small_net() -> impl Strategy<Value = SmallNet> {
    (1..5_usize, 1..6_usize).prop_flat_map(|(places, rules)| {
        let arcs = || {
            proptest::collection::vec(
                prop_oneof![3 => Just(0_u64), 2 => Just(1), 1 => 2..4_u64],
                places,
            )
        };
        let rules = proptest::collection::vec((arcs(), arcs()), rules);
        let initial = proptest::collection::vec(0..4_u64, places);
        (rules, initial).prop_map(|(rules, initial)| SmallNet { rules, initial })
    })
}

/// For each transition, whether a T-semiflow contains it: Farkas' algorithm, which finds all minimal semiflows.
///
/// Rows are pairs of a combination of transitions and its effect. Place by place, rows with opposite effects are
/// combined and rows with any effect are dropped.
fn in_semiflow(effects: &Effects) -> Vec<bool> {
    let transitions = effects.transitions();
    let row = |t: usize| {
        let mut effect = vec![0_i128; effects.places()];
        for &(place, by) in effects.of(t) {
            effect[place] = i128::from(by);
        }
        let mut counts = vec![0_i128; transitions];
        counts[t] = 1;
        (counts, effect)
    };
    let mut rows: Vec<_> = (0..transitions).map(row).collect();
    for place in 0..effects.places() {
        let (mut kept, changing): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| row.1[place] == 0);
        for up in changing.iter().filter(|row| row.1[place] > 0) {
            for down in changing.iter().filter(|row| row.1[place] < 0) {
                let sum = |a: &[i128], b: &[i128]| {
                    let term = |(a, b): (&i128, &i128)| a * -down.1[place] + b * up.1[place];
                    a.iter().zip(b).map(term).collect::<Vec<_>>()
                };
                let (counts, effect) = (sum(&up.0, &down.0), sum(&up.1, &down.1));
                let divisor = counts
                    .iter()
                    .chain(&effect)
                    .fold(0, |a, &b| common_divisor(a, b.abs()));
                let divided =
                    |values: Vec<i128>| values.iter().map(|v| v / divisor).collect::<Vec<_>>();
                kept.push((divided(counts), divided(effect)));
            }
        }
        rows = minimal(kept);
    }
    (0..transitions)
        .map(|t| rows.iter().any(|row| row.0[t] > 0))
        .collect()
}

type Combination = (Vec<i128>, Vec<i128>);

/// Rows whose set of transitions includes no other row's; keeps one of equal ones.
fn minimal(rows: Vec<Combination>) -> Vec<Combination> {
    let includes =
        |a: &Combination, b: &Combination| a.0.iter().zip(&b.0).all(|(a, b)| *b == 0 || *a > 0);
    let mut kept: Vec<Combination> = Vec::new();
    for row in rows {
        if !kept.iter().any(|other| includes(&row, other)) {
            kept.retain(|other| !includes(other, &row));
            kept.push(row);
        }
    }
    kept
}

fn common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn columns_are_complete(net in small_net()) {
        let effects = net.effects();
        let expected: Vec<bool> = in_semiflow(&effects).iter().map(|contained| !contained).collect();
        prop_assert_eq!(checked_columns(&effects).strict, expected);
    }

    #[test]
    fn nothing_regresses_on_walks(net in small_net(), choices in proptest::collection::vec(0..60_usize, 0..60)) {
        let effects = net.effects();
        let budget = Budget::default();
        let columns = columns(&effects, &budget);
        let hints = Hints { initial: &net.initial, ..Hints::default() };
        let rows = rows(&effects, &columns, &hints, &budget);
        let measures = columns.coordinates.iter().chain(rows.iter().map(|row| &row.weights));
        let bound =
            |weights| greatest_value(&effects, &net.initial, weights, &Budget::default());
        let bounds: Vec<_> = measures.clone().map(bound).collect();
        for (rule, before, after) in net.walk(&choices) {
            for weights in &columns.coordinates {
                prop_assert!(weights.value(&after) >= weights.value(&before));
            }
            for row in &rows {
                let falls = row.weights.value(&after) < row.weights.value(&before);
                prop_assert_eq!(falls && !columns.strict[rule], row.regress.contains(&rule));
            }
            for (weights, bound) in measures.clone().zip(&bounds) {
                prop_assert!(bound.is_none_or(|bound| weights.value(&after) <= bound));
            }
        }
    }

    #[test]
    fn rows_account_for_every_transition(net in small_net()) {
        let effects = net.effects();
        let budget = Budget::default();
        let columns = columns(&effects, &budget);
        for row in rows(&effects, &columns, &Hints::default(), &budget) {
            let kept = (0..effects.transitions()).filter(|t| !columns.strict[*t] && !effects.of(*t).is_empty());
            let mut rises = 0;
            for transition in kept {
                let offset = row.weights.offset(&effects, transition);
                prop_assert_eq!(offset < 0, row.regress.contains(&transition));
                prop_assert_eq!(offset == 0, row.standing.contains(&transition));
                rises += usize::from(offset > 0);
            }
            prop_assert!(rises > 0);
            prop_assert!((0.0..=1.0).contains(&row.cost));
        }
    }
}

/// Nets of other people, where they are at hand: all claims hold, and quickly.
#[test]
fn nets_of_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/pnml");
    let Ok(models) = std::fs::read_dir(corpus) else {
        return;
    };
    for model in models {
        let file = model.unwrap().path().join("model.pnml");
        let name = file.display().to_string();
        let net = read_pnml(
            &name,
            &std::fs::read(&file).unwrap(),
            &PnmlOptions::default(),
        );
        let Ok(net) = net else { continue };
        let effects = effects_of(&net);
        if effects.transitions() < 500 {
            let columns = checked_columns(&effects);
            if net.id().starts_with("Referendum") {
                assert!(columns.strict.iter().all(|strict| *strict));
            }
        }
    }
}
