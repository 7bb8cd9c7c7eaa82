//! Examinations of nets, and home markings, against a look at all markings.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use proptest::prelude::*;
use sweepline_core::Verdict;
use sweepline_net::PetriNet;
use sweepline_session::*;

/// Everything that can be reached, by the definition of firing.
struct Markings {
    all: Vec<Vec<u64>>,
    /// What fires in each, and where it leads.
    steps: Vec<Vec<(usize, usize)>>,
}

/// Markings up to which a net is looked at.
const MOST: usize = 120;

impl Markings {
    /// Nothing if there are too many.
    fn of(net: &PetriNet) -> Option<Self> {
        let mut all = vec![net.initial_marking()];
        let mut numbers = HashMap::from([(net.initial_marking(), 0)]);
        let mut steps = Vec::new();
        while steps.len() < all.len() {
            let marking = all[steps.len()].clone();
            let mut fired = Vec::new();
            for transition in net.transition_ids() {
                let Some(target) = net.fire(&marking, transition) else {
                    continue;
                };
                let number = *numbers.entry(target.clone()).or_insert_with(|| {
                    all.push(target);
                    all.len() - 1
                });
                fired.push((transition.index(), number));
            }
            steps.push(fired);
            if all.len() > MOST {
                return None;
            }
        }
        Some(Self { all, steps })
    }

    fn reached_from(&self, marking: usize) -> BTreeSet<usize> {
        let (mut reached, mut waiting) = (BTreeSet::from([marking]), vec![marking]);
        while let Some(at) = waiting.pop() {
            let targets = self.steps[at].iter().map(|&(_, target)| target);
            waiting.extend(targets.filter(|target| reached.insert(*target)));
        }
        reached
    }

    /// Markings that can be reached from all.
    fn homes(&self) -> BTreeSet<usize> {
        let mut homes: BTreeSet<usize> = (0..self.all.len()).collect();
        for marking in 0..self.all.len() {
            let reached = self.reached_from(marking);
            homes.retain(|home| reached.contains(home));
        }
        homes
    }

    /// Whether there is a home marking, and what each examination says.
    fn answers(&self, net: &PetriNet) -> Vec<bool> {
        let places = 0..net.places().len();
        let transitions = 0..net.transitions().len();
        let fires = |marking: usize, transition: usize| {
            self.steps[marking]
                .iter()
                .any(|(one, _)| *one == transition)
        };
        let can_fire = |from: usize, transition: usize| {
            let mut reached = self.reached_from(from).into_iter();
            reached.any(|marking| fires(marking, transition))
        };
        let stable = |place: usize| self.all.iter().all(|m| m[place] == self.all[0][place]);
        vec![
            !self.homes().is_empty(),
            self.steps.iter().any(Vec::is_empty),
            self.all.iter().flatten().all(|tokens| *tokens <= 1),
            places.clone().any(stable),
            transitions
                .clone()
                .all(|transition| can_fire(0, transition)),
            (0..self.all.len())
                .all(|marking| transitions.clone().all(|one| can_fire(marking, one))),
        ]
    }
}

const EXAMINATIONS: [&str; 5] = [
    "ReachabilityDeadlock",
    "OneSafe",
    "StableMarking",
    "QuasiLiveness",
    "Liveness",
];

fn ask(net: &PetriNet, rows: Option<&str>) -> Run {
    let model = Model::of_net("net", Arc::new(net.clone()));
    let options = QuestionOptions {
        examinations: EXAMINATIONS.map(str::to_owned).to_vec(),
        home_state: true,
        ..QuestionOptions::default()
    };
    let questions = Questions::gather(&options, &model).unwrap();
    let order = Order::parse(None, rows, 1, 0).unwrap();
    let mut runs = verify(&model, &questions, &order, &Options::default(), &mut ()).unwrap();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// The marking that a trace ends in.
fn last(evidence: &Evidence) -> Vec<u64> {
    let values = evidence.system.show(evidence.trace.last());
    values
        .iter()
        .map(|(_, value)| value.parse().unwrap())
        .collect()
}

fn nets() -> impl Strategy<Value = PetriNet> {
    let arcs = |places: usize| prop::collection::vec((0..places, 1..3_u64), 0..3);
    (2..5_usize).prop_flat_map(move |places| {
        let tokens = prop::collection::vec(0..3_u64, places);
        let transitions = prop::collection::vec((arcs(places), arcs(places)), 1..5);
        (tokens, transitions).prop_map(|(tokens, transitions)| {
            let mut net = PetriNet::builder("random");
            let places: Vec<_> = (tokens.into_iter().enumerate())
                .map(|(id, tokens)| net.place(format!("p{id}"), tokens))
                .collect();
            for (id, (inputs, outputs)) in transitions.into_iter().enumerate() {
                let transition = net.transition(format!("t{id}"));
                for (place, weight) in inputs {
                    net.input(transition, places[place], weight);
                }
                for (place, weight) in outputs {
                    net.output(transition, places[place], weight);
                }
            }
            net.build().unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn examinations_say_what_the_markings_say(
        net in nets(),
        rows in prop_oneof![Just(None), Just(Some("p0 + 2 * p1")), Just(Some("3 - p0"))],
    ) {
        let Some(markings) = Markings::of(&net) else { return Ok(()) };
        let run = ask(&net, rows);
        let expected = markings.answers(&net);
        prop_assert_eq!(run.answers.len(), expected.len());
        for (answer, truth) in run.answers.iter().zip(&expected) {
            let is_home = answer.name == "home state";
            prop_assert!(!matches!(answer.verdict, Verdict::Inconclusive(_)), "{}", answer.name);
            prop_assert_eq!(answer.verdict == Verdict::Holds, *truth, "{}", &answer.name);
            if is_home {
                let end = last(answer.evidence.as_ref().unwrap());
                let end = markings.all.iter().position(|marking| *marking == end).unwrap();
                let resort = markings.reached_from(end);
                prop_assert_eq!(resort == markings.homes(), *truth);
                // It is in a terminal component in any case.
                for &other in &resort {
                    prop_assert!(markings.reached_from(other).contains(&end));
                }
            }
        }
    }
}
