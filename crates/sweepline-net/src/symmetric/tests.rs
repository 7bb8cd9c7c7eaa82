//! Unfolding against the definition: explorations of random coloured nets by all bindings of all variables.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sweepline_logic::{CompareOp, Expr, Formula, Name, Pred, PropertyKind};

use super::read::Declarations;
use super::sorts::{Colour, Sort, SortId};
use super::terms::{Bag, Comparison, Condition, NoBag, Shape, Term, Variable};
use super::unfold::{ColouredNet, ColouredPlace, ColouredTransition, Unfoldable, unfold};
use crate::net::{NotFound, PetriNet};
use crate::{PnmlOptions, examination, read_pnml};

/// Tokens by place and colour.
type Marking = BTreeMap<(usize, Colour), u64>;

#[derive(Debug, PartialEq, Eq)]
struct Counts {
    states: usize,
    edges: usize,
    deadlocks: usize,
}

/// Markings up to which a net is explored.
const MOST: usize = 3000;

/// By the definition: every binding of every variable.
fn by_definition(net: &ColouredNet) -> Option<Counts> {
    let (initial, steps) = semantics(net);
    search(initial, |marking| {
        steps(marking).into_iter().map(|(_, next)| next).collect()
    })
}

/// The transitions that are enabled, one for each binding, and where they lead.
type Fired = Vec<(usize, Marking)>;

/// The initial marking, and what is possible in each.
fn semantics(net: &ColouredNet) -> (Marking, impl Fn(&Marking) -> Fired) {
    let sorts = &net.declarations.sorts;
    let variables = &net.declarations.variables;
    let mut bindings: Vec<Vec<Option<Colour>>> = vec![Vec::new()];
    for (_, sort) in variables {
        let colours = 0..sorts.size(*sort);
        let longer = bindings.iter().flat_map(|binding| {
            let colours = colours.clone();
            colours.map(move |colour| [&binding[..], &[Some(colour)]].concat())
        });
        bindings = longer.collect();
    }
    let mut initial = Marking::new();
    for (index, place) in net.places.iter().enumerate() {
        let unbound = vec![None; variables.len()];
        if let Some(bag) = &place.initial {
            for (colour, count) in bag.tokens(sorts, &unbound).unwrap() {
                initial.insert((index, colour), count);
            }
        }
    }
    let steps = move |marking: &Marking| {
        let mut steps = Vec::new();
        for (index, transition) in net.transitions.iter().enumerate() {
            let mut used = Vec::new();
            for (_, bag) in transition.inputs.iter().chain(&transition.outputs) {
                bag.variables(&mut used);
            }
            for condition in &transition.conditions {
                condition.variables(&mut used);
            }
            // Variables that do not occur are no part of a binding.
            let own = |binding: &&Vec<Option<Colour>>| {
                (0..binding.len()).all(|at| used.contains(&Variable(at)) || binding[at] == Some(0))
            };
            for binding in bindings.iter().filter(own) {
                let holds = |condition: &Condition| condition.holds(sorts, binding);
                if !transition.conditions.iter().all(holds) {
                    continue;
                }
                let mut next = marking.clone();
                let mut enabled = true;
                for (place, bag) in &transition.inputs {
                    for (colour, count) in bag.tokens(sorts, binding).unwrap() {
                        let tokens = next.entry((*place, colour)).or_insert(0);
                        enabled &= *tokens >= count;
                        *tokens = tokens.saturating_sub(count);
                    }
                }
                if !enabled {
                    continue;
                }
                for (place, bag) in &transition.outputs {
                    for (colour, count) in bag.tokens(sorts, binding).unwrap() {
                        *next.entry((*place, colour)).or_insert(0) += count;
                    }
                }
                next.retain(|_, count| *count > 0);
                steps.push((index, next));
            }
        }
        steps
    };
    (initial, steps)
}

fn explored(net: &PetriNet) -> Option<Counts> {
    search(net.initial_marking(), |marking| {
        let steps = net.transition_ids();
        steps.filter_map(|step| net.fire(marking, step)).collect()
    })
}

/// Counts what can be reached; nothing if that is too much.
fn search<M: Clone + Ord>(initial: M, steps: impl Fn(&M) -> Vec<M>) -> Option<Counts> {
    let mut counts = Counts {
        states: 0,
        edges: 0,
        deadlocks: 0,
    };
    let mut seen = BTreeSet::from([initial.clone()]);
    let mut open = vec![initial];
    while let Some(marking) = open.pop() {
        let steps = steps(&marking);
        counts.states += 1;
        counts.edges += steps.len();
        counts.deadlocks += usize::from(steps.is_empty());
        open.extend(steps.into_iter().filter(|next| seen.insert(next.clone())));
        if seen.len() > MOST {
            return None;
        }
    }
    Some(counts)
}

/// Sorts: black, three values, two numbers, pairs of both.
const BLACK: usize = 0;
const VALUES: usize = 1;
const NUMBERS: usize = 2;
const PAIRS: usize = 3;

fn declarations() -> Declarations {
    let mut declarations = Declarations::default();
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let sorts = &mut declarations.sorts;
    let black = sorts.add(Sort::Dot).unwrap();
    let values = sorts.add(Sort::Enumeration(names)).unwrap();
    let numbers = sorts.add(Sort::Range { start: 3, end: 4 }).unwrap();
    let pairs = sorts.add(Sort::Product(vec![values, numbers])).unwrap();
    assert_eq!(
        [black, values, numbers, pairs].map(|sort| sort.0),
        [BLACK, VALUES, NUMBERS, PAIRS]
    );
    for (name, sort) in [("x", values), ("y", values), ("m", numbers), ("p", pairs)] {
        declarations.variables.push((name.into(), sort));
    }
    declarations
}

fn constant(sort: usize, most: Colour) -> impl Strategy<Value = Term> {
    (0..most).prop_map(move |colour| Term {
        sort: SortId(sort),
        shape: Shape::Constant(colour),
    })
}

/// One of the values.
fn colour(number: Colour) -> Term {
    Term {
        sort: SortId(VALUES),
        shape: Shape::Constant(number),
    }
}

fn variable(sort: usize, number: usize) -> Term {
    Term {
        sort: SortId(sort),
        shape: Shape::Variable(Variable(number)),
    }
}

fn shifted(term: impl Strategy<Value = Term>) -> impl Strategy<Value = Term> {
    (term, -1..=1_i64).prop_map(|(term, by)| match by {
        0 => term,
        by => Term {
            sort: term.sort,
            shape: Shape::Shift(Box::new(term), by),
        },
    })
}

fn value() -> impl Strategy<Value = Term> {
    let simple = prop_oneof![
        Just(variable(VALUES, 0)),
        Just(variable(VALUES, 1)),
        constant(VALUES, 3)
    ];
    shifted(simple)
}

fn number() -> impl Strategy<Value = Term> {
    shifted(prop_oneof![
        Just(variable(NUMBERS, 2)),
        constant(NUMBERS, 2)
    ])
}

fn pair() -> impl Strategy<Value = Term> {
    let tuple = (value(), number()).prop_map(|(value, number)| Term {
        sort: SortId(PAIRS),
        shape: Shape::Tuple(vec![value, number]),
    });
    prop_oneof![3 => tuple, 1 => Just(variable(PAIRS, 3))]
}

fn term(sort: usize) -> BoxedStrategy<Term> {
    match sort {
        BLACK => constant(BLACK, 1).boxed(),
        VALUES => value().boxed(),
        NUMBERS => number().boxed(),
        _ => pair().boxed(),
    }
}

fn bag(sort: usize) -> impl Strategy<Value = Bag> {
    let size = [1, 3, 2, 6][sort];
    let one = term(sort).prop_map(Bag::One).boxed();
    let all = Just(Bag::Each((0..size).collect()));
    let others = term(sort).prop_map(move |term| {
        let all = Bag::Each((0..size).collect());
        Bag::Difference(Box::new(all), Box::new(Bag::One(term)))
    });
    let mixed = (value(), 0..2_u32).prop_map(move |(value, _)| match sort {
        PAIRS => Bag::Tuple(SortId(PAIRS), vec![Bag::One(value), Bag::Each(vec![0, 1])]),
        sort => Bag::Each((0..[1, 3, 2, 6][sort]).collect()),
    });
    let twice = (1..3_u64, one.clone()).prop_map(|(times, bag)| Bag::Times(times, Box::new(bag)));
    let both = (one.clone(), one.clone()).prop_map(|(left, right)| Bag::Sum(vec![left, right]));
    prop_oneof![6 => one, 1 => all, 1 => others, 1 => mixed, 2 => twice, 1 => both]
}

fn condition() -> impl Strategy<Value = Condition> {
    let comparison = prop_oneof![
        3 => Just(Comparison::Equal),
        1 => Just(Comparison::Unequal),
        1 => Just(Comparison::Less),
        1 => Just(Comparison::LessOrEqual),
        1 => Just(Comparison::Greater),
        1 => Just(Comparison::GreaterOrEqual)
    ];
    let values = (comparison.clone(), value(), value());
    let numbers = (comparison, number(), number());
    let compare = prop_oneof![
        values.prop_map(|(how, left, right)| Condition::Compare(how, left, right)),
        numbers.prop_map(|(how, left, right)| Condition::Compare(how, left, right))
    ];
    prop_oneof![
        4 => compare.clone(),
        1 => compare.clone().prop_map(|one| Condition::Not(Box::new(one))),
        1 => (compare.clone(), compare).prop_map(|(one, other)| Condition::Some(vec![one, other]))
    ]
}

fn nets() -> impl Strategy<Value = ColouredNet> {
    let sorts = prop::collection::vec(0..4_usize, 2..4);
    sorts.prop_flat_map(|sorts| {
        let initial = sorts.iter().map(|sort| {
            let size: Colour = [1, 3, 2, 6][*sort];
            prop::collection::vec(0..size, 0..3)
        });
        let initial: Vec<_> = initial.collect();
        let of_arcs = sorts.clone();
        let arcs = move |most| {
            let sorts = of_arcs.clone();
            let arc = (0..sorts.len()).prop_flat_map(move |place| (Just(place), bag(sorts[place])));
            prop::collection::vec(arc, 0..most)
        };
        let conditions = prop::collection::vec(condition(), 0..2);
        let transition = (arcs(3), arcs(3), conditions);
        let transitions = prop::collection::vec(transition, 1..4);
        (Just(sorts), initial, transitions).prop_map(|(sorts, initial, transitions)| {
            let places = sorts.into_iter().zip(initial).enumerate();
            let places = places.map(|(index, (sort, colours))| ColouredPlace {
                id: format!("p{index}"),
                name: format!("p{index}"),
                sort: SortId(sort),
                initial: Some(Bag::Each(colours)),
            });
            let transitions = transitions.into_iter().enumerate();
            let transitions =
                transitions.map(
                    |(index, (inputs, outputs, conditions))| ColouredTransition {
                        id: format!("t{index}"),
                        name: format!("t{index}"),
                        conditions,
                        inputs,
                        outputs,
                    },
                );
            ColouredNet {
                id: "random".into(),
                declarations: declarations(),
                places: places.collect(),
                transitions: transitions.collect(),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_unfolding_does_what_the_coloured_net_does(net in nets()) {
        if let Some(expected) = by_definition(&net) {
            let unfolded = unfold(&net).unwrap().build().unwrap();
            prop_assert_eq!(explored(&unfolded), Some(expected));
        }
    }

    /// Also where some of them are on no place of the unfolding, since nothing moves them.
    #[test]
    fn places_of_the_coloured_net_keep_their_tokens(net in nets()) {
        let unfolded = unfold(&net).unwrap().build().unwrap();
        let Some(graph) = Graph::of_coloured(&net) else { return Ok(()) };
        let flat = Graph::of_unfolded(&unfolded).unwrap();
        let names = net.places.iter().map(|place| unfolded.find_places(&place.id).unwrap());
        let groups: Vec<Expr> = names.map(|tokens| tokens.count(&unfolded, |id| Name::new(id))).collect();
        let in_marking = |at: usize| {
            let counts = groups.iter().map(|group| flat.value(&unfolded, group, at));
            counts.collect::<Vec<u64>>()
        };
        let mut counted: Vec<Vec<u64>> = (0..flat.tokens.len()).map(in_marking).collect();
        let mut expected = graph.tokens.clone();
        counted.sort();
        expected.sort();
        prop_assert_eq!(counted, expected);
    }

    #[test]
    fn examinations_are_about_the_coloured_net(net in nets()) {
        let unfolded = unfold(&net).unwrap().build().unwrap();
        let Some(graph) = Graph::of_coloured(&net) else { return Ok(()) };
        let flat = Graph::of_unfolded(&unfolded).unwrap();
        let asked = ["OneSafe", "StableMarking", "QuasiLiveness", "Liveness"];
        let answers = asked.map(|name| flat.answer(&unfolded, &examination(&unfolded, name).unwrap().kind));
        prop_assert_eq!(answers, graph.answers());
    }
}

/// All markings: how many tokens each place holds, which transitions are enabled, and what can be reached from it.
struct Graph {
    tokens: Vec<Vec<u64>>,
    enabled: Vec<BTreeSet<usize>>,
    reached: Vec<BTreeSet<usize>>,
    transitions: usize,
}

/// Markings up to which all that can be reached from each is listed.
const FEW: usize = 150;

impl Graph {
    fn of_coloured(net: &ColouredNet) -> Option<Self> {
        let (initial, steps) = semantics(net);
        let tokens = |marking: &Marking| {
            let mut tokens = vec![0; net.places.len()];
            for ((place, _), count) in marking {
                tokens[*place] += count;
            }
            tokens
        };
        Self::of(initial, steps, tokens, net.transitions.len())
    }

    fn of_unfolded(net: &PetriNet) -> Option<Self> {
        let steps = |marking: &Vec<u64>| {
            let all = net.transition_ids();
            let fired = all.filter_map(|one| Some((one.index(), net.fire(marking, one)?)));
            fired.collect()
        };
        let count = net.transitions().len();
        Self::of(net.initial_marking(), steps, Vec::clone, count)
    }

    fn of<M: Clone + Ord>(
        initial: M,
        steps: impl Fn(&M) -> Vec<(usize, M)>,
        tokens: impl Fn(&M) -> Vec<u64>,
        transitions: usize,
    ) -> Option<Self> {
        let mut all = vec![initial];
        let (mut targets, mut enabled) = (Vec::new(), Vec::new());
        while targets.len() < all.len() {
            let (mut leads_to, mut fired) = (Vec::new(), BTreeSet::new());
            for (transition, next) in steps(&all[targets.len()]) {
                fired.insert(transition);
                let known = all.iter().position(|marking| *marking == next);
                leads_to.push(known.unwrap_or(all.len()));
                if known.is_none() {
                    all.push(next);
                }
            }
            targets.push(leads_to);
            enabled.push(fired);
            if all.len() > FEW {
                return None;
            }
        }
        let reached = (0..all.len()).map(|from| {
            let (mut reached, mut waiting) = (BTreeSet::from([from]), vec![from]);
            while let Some(at) = waiting.pop() {
                let fresh = targets[at].iter().filter(|target| reached.insert(**target));
                waiting.extend(fresh);
            }
            reached
        });
        Some(Self {
            tokens: all.iter().map(tokens).collect(),
            reached: reached.collect(),
            enabled,
            transitions,
        })
    }

    /// Whether one of some transitions can fire some time after a marking.
    fn can_fire(&self, from: usize, group: &[usize]) -> bool {
        let mut reached = self.reached[from].iter();
        reached.any(|&marking| group.iter().any(|one| self.enabled[marking].contains(one)))
    }

    /// By the definitions.
    fn answers(&self) -> [bool; 4] {
        let each: Vec<Vec<usize>> = (0..self.transitions).map(|one| vec![one]).collect();
        let live = |from: usize| each.iter().all(|one| self.can_fire(from, one));
        let same = |place: usize| {
            self.tokens
                .iter()
                .all(|m| m[place] == self.tokens[0][place])
        };
        [
            self.tokens.iter().flatten().all(|&count| count <= 1),
            (0..self.tokens[0].len()).any(same),
            live(0),
            (0..self.tokens.len()).all(live),
        ]
    }

    /// What a property of an unfolded net says.
    fn answer(&self, net: &PetriNet, kind: &PropertyKind) -> bool {
        let transition = |name: &Name| net.transition_with_id(&name.text).unwrap().index();
        match kind {
            PropertyKind::Formula(formula) => self.holds(net, formula),
            PropertyKind::Live(groups) => groups.iter().all(|names| {
                let group: Vec<usize> = names.iter().map(transition).collect();
                (0..self.tokens.len()).all(|from| self.can_fire(from, &group))
            }),
            other => panic!("no examination asks {other}"),
        }
    }

    fn holds(&self, net: &PetriNet, formula: &Formula) -> bool {
        let mut all = 0..self.tokens.len();
        match formula {
            Formula::Invariant(pred) => all.all(|marking| self.test(net, pred, marking)),
            Formula::Reachable(pred) => all.any(|marking| self.test(net, pred, marking)),
            Formula::And(parts) => parts.iter().all(|part| self.holds(net, part)),
            Formula::Or(parts) => parts.iter().any(|part| self.holds(net, part)),
            other => panic!("no examination asks {other}"),
        }
    }

    fn test(&self, net: &PetriNet, pred: &Pred, marking: usize) -> bool {
        match pred {
            Pred::Constant(value) => *value,
            Pred::And(parts) => parts.iter().all(|part| self.test(net, part, marking)),
            Pred::Fireable(names) => names.iter().any(|name| {
                let transition = net.transition_with_id(&name.text).unwrap();
                self.enabled[marking].contains(&transition.index())
            }),
            Pred::Compare(op, left, right) => {
                let [left, right] = [left, right].map(|side| self.value(net, side, marking));
                match op {
                    CompareOp::Equal => left == right,
                    CompareOp::LessOrEqual => left <= right,
                    other => panic!("no examination asks {other:?}"),
                }
            }
            other => panic!("no examination asks {other}"),
        }
    }

    fn value(&self, net: &PetriNet, expr: &Expr, marking: usize) -> u64 {
        match expr {
            Expr::Number(number) => u64::try_from(*number).unwrap(),
            Expr::Slot(name) => {
                let place = net.place_with_id(&name.text).unwrap();
                self.tokens[marking][place.index()]
            }
            Expr::Sum(parts) => parts
                .iter()
                .map(|part| self.value(net, part, marking))
                .sum(),
            other => panic!("no examination asks {other}"),
        }
    }
}

const RING: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="ring" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
<declaration><structure><declarations>
  <namedsort id="both" name="both"><productsort><usersort declaration="seat"/><usersort declaration="n"/></productsort></namedsort>
  <namedsort id="seat" name="seat"><cyclicenumeration>
    <feconstant id="s1" name="1"/><feconstant id="s2" name="2"/><feconstant id="s3" name="3"/>
  </cyclicenumeration></namedsort>
  <namedsort id="n" name="n"><finiteintrange start="0" end="1"/></namedsort>
  <variabledecl id="x" name="x"><usersort declaration="seat"/></variabledecl>
  <variabledecl id="i" name="i"><usersort declaration="n"/></variabledecl>
</declarations></structure></declaration>
<page id="g">
  <place id="at"><type><structure><usersort declaration="both"/></structure></type>
    <hlinitialMarking><structure><tuple>
      <subterm><useroperator declaration="s1"/></subterm>
      <subterm><finiteintrangeconstant value="0"><finiteintrange start="0" end="1"/></finiteintrangeconstant></subterm>
    </tuple></structure></hlinitialMarking></place>
  <transition id="go"><condition><structure>CONDITION</structure></condition></transition>
  <arc id="a" source="at" target="go"><hlinscription><structure><tuple>
    <subterm><variable refvariable="x"/></subterm><subterm><variable refvariable="i"/></subterm>
  </tuple></structure></hlinscription></arc>
  <arc id="b" source="go" target="at"><hlinscription><structure><tuple>
    <subterm><successor><subterm><variable refvariable="x"/></subterm></successor></subterm><subterm><variable refvariable="i"/></subterm>
  </tuple></structure></hlinscription></arc>
</page></net></pnml>"#;

fn read(condition: &str) -> Result<PetriNet, String> {
    let text = RING.replace("CONDITION", condition);
    let read = read_pnml("ring.pnml", text.as_bytes(), &PnmlOptions::default());
    read.map_err(|errors| errors.errors()[0].to_string())
}

/// Only colours that can be there become places, and names of the coloured net stand for all of them.
#[test]
fn groups_have_the_names_of_the_coloured_net() {
    let net = read("").unwrap();
    let ids = |net: &PetriNet| {
        net.places()
            .iter()
            .map(|place| place.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&net), ["at_1_0", "at_2_0", "at_3_0"]);
    assert_eq!(net.find_places("at").unwrap().places.len(), 3);
    assert_eq!(net.find_transitions("go").unwrap().len(), 3);
    assert_eq!(net.transitions()[1].id, "go_2_0");
    assert_eq!(net.folded().unwrap().place_count(), 1);
    let condition = r#"<equality><subterm><variable refvariable="x"/></subterm><subterm><useroperator declaration="s1"/></subterm></equality>"#;
    assert_eq!(ids(&read(condition).unwrap()), ["at_1_0", "at_2_0"]);
}

/// What was asked in the words of the coloured net is shown in them.
#[test]
fn properties_are_shown_in_words_of_the_coloured_net() {
    let net = read("").unwrap();
    let sum = |names: &[&str]| {
        let slots = names.iter().map(|name| Expr::Slot(Name::new(*name)));
        Expr::Sum(slots.collect())
    };
    let at_least = |tokens| Pred::Compare(CompareOp::GreaterOrEqual, tokens, Expr::Number(2));
    let fireable =
        |names: &[&str]| Pred::Fireable(names.iter().map(|name| Name::new(*name)).collect());
    for (asked, shown) in [
        (at_least(Expr::Slot(Name::new("at"))), "(at >= 2)"),
        (at_least(sum(&["at", "at"])), "(sum(at, at) >= 2)"),
        (at_least(sum(&["at", "at_1_0"])), "(sum(at, at_1_0) >= 2)"),
        (
            at_least(sum(&["at_2_0", "at_3_0"])),
            "(sum(at_2_0, at_3_0) >= 2)",
        ),
        (fireable(&["go"]), "fireable(go)"),
        (fireable(&["go_1_0", "go_2_0"]), "fireable(go_1_0, go_2_0)"),
    ] {
        let mut property = sweepline_logic::Property {
            name: "p".into(),
            kind: PropertyKind::Formula(Formula::Reachable(asked)),
        };
        crate::resolve_names(&net, &mut property);
        crate::fold_names(&net, &mut property);
        assert_eq!(property.kind.to_string(), format!("EF {shown}"));
    }
}

/// A table that is only read is no part of states; what it says is part of transitions, and names still find its tokens.
#[test]
fn tokens_that_nothing_moves_are_no_places() {
    let place = |id: &str, colours: &[Colour]| ColouredPlace {
        id: id.into(),
        name: format!("the {id}"),
        sort: SortId(VALUES),
        initial: Some(Bag::Sum(
            colours.iter().map(|&at| Bag::One(colour(at))).collect(),
        )),
    };
    let reads = |at: usize, bag: Bag| ColouredTransition {
        id: format!("t{at}"),
        name: format!("t{at}"),
        conditions: Vec::new(),
        inputs: vec![(0, bag.clone()), (1, Bag::One(variable(VALUES, 0)))],
        outputs: vec![(0, bag)],
    };
    let twice = Bag::Sum(vec![Bag::One(colour(1)), Bag::One(colour(1))]);
    let net = ColouredNet {
        id: "n".into(),
        declarations: declarations(),
        places: vec![place("table", &[0, 0, 1]), place("work", &[0, 1])],
        transitions: vec![reads(0, Bag::One(variable(VALUES, 0))), reads(1, twice)],
    };
    let unfolded = unfold(&net).unwrap().build().unwrap();
    let ids: Vec<&str> = unfolded.places().iter().map(|p| &*p.id).collect();
    assert_eq!(ids, ["work_a", "work_b"]);
    assert_eq!(unfolded.folded().unwrap().resting_count(), 2);
    let tokens = |name| unfolded.find_places(name);
    assert_eq!(tokens("table").unwrap().resting, 3);
    assert_eq!(tokens("the table_a").unwrap().resting, 2);
    assert_eq!(tokens("work").unwrap().places.len(), 2);
    assert_eq!(tokens("tables"), Err(NotFound::Unknown));
    assert_eq!(unfolded.find_transitions("t0").unwrap().len(), 2);
    assert!(
        unfolded.find_transitions("t1").unwrap().is_empty(),
        "there is only one `b` in the table"
    );
    let mut about = Pred::Holds(Name::new("table_b"));
    crate::resolve_predicate(&unfolded, &mut about);
    assert_eq!(about.to_string(), "(1 >= 1)");
}

/// Conditions on the parts of a partition that colours are in, by name and by their order.
#[test]
fn parts_of_a_partition_are_compared() {
    let declared = |more: &str| {
        format!(
            r#"<partition id="p" name="p"><usersort declaration="seat"/>
            <partitionelement id="low" name="low"><useroperator declaration="s1"/><useroperator declaration="s2"/></partitionelement>
            {more}</partition><variabledecl id="x""#
        )
    };
    let whole = r#"<partitionelement id="high" name="high"><useroperator declaration="s3"/></partitionelement>"#;
    let read = |more: &str, condition: &str| {
        let text = RING.replace("CONDITION", condition);
        let text = text.replacen(r#"<variabledecl id="x""#, &declared(more), 1);
        let read = read_pnml("ring.pnml", text.as_bytes(), &PnmlOptions::default());
        let read = read.map_err(|errors| errors.errors()[0].to_string());
        read.map(|net| net.find_transitions("go").unwrap().len())
    };
    let compare = |tag: &str, left: &str, right: &str| {
        format!("<{tag}><subterm>{left}</subterm><subterm>{right}</subterm></{tag}>")
    };
    let x = r#"<variable refvariable="x"/>"#;
    let of_x = &format!(
        r#"<partitionelementof refpartition="p"><subterm>{x}</subterm></partitionelementof>"#
    );
    let [low, high] =
        ["low", "high"].map(|part| format!(r#"<useroperator declaration="{part}"/>"#));
    // From the first seat on: two seats are low, and what is left of the third one is never reached if they are left only.
    assert_eq!(read(whole, &compare("equality", of_x, &low)), Ok(2));
    assert_eq!(read(whole, &compare("equality", of_x, &high)), Ok(0));
    assert_eq!(read(whole, &compare("inequality", of_x, &high)), Ok(2));
    assert_eq!(read(whole, &compare("ltp", of_x, &high)), Ok(2));
    assert_eq!(read(whole, &compare("gtp", &high, of_x)), Ok(2));
    assert_eq!(read(whole, &compare("equality", of_x, of_x)), Ok(3));
    assert_eq!(
        read("", &compare("equality", of_x, &low)).unwrap_err(),
        "some colours are in no part of this partition, or in several"
    );
    assert_eq!(
        read(whole, &compare("equality", of_x, x)).unwrap_err(),
        "a part of a partition is compared with something else"
    );
}

#[test]
fn what_is_wrong_with_colours_is_said() {
    let compare = |left: &str, right: &str| {
        read(&format!(
            "<lessthan><subterm>{left}</subterm><subterm>{right}</subterm></lessthan>"
        ))
        .unwrap_err()
    };
    let x = r#"<variable refvariable="x"/>"#;
    let i = r#"<variable refvariable="i"/>"#;
    assert_eq!(compare(x, i), "colours of different sorts are compared");
    assert_eq!(
        compare(r#"<variable refvariable="y"/>"#, x),
        "nothing declares the variable `y`"
    );
    assert_eq!(
        compare(i, r#"<finiteintrangeconstant value="7"/>"#),
        "7 is not in 0..1"
    );
    assert_eq!(
        compare(x, "<unknown/>"),
        "`unknown` is no term for a colour"
    );
    assert_eq!(
        read("<foo/>").unwrap_err(),
        "`foo` is no condition that is supported"
    );
}

/// What is not there cannot be taken away: neither from the initial marking nor by an arc, and then it is said for which binding.
#[test]
fn differences_are_never_negative() {
    let one = |term| Box::new(Bag::One(term));
    let nothing = Box::new(Bag::Sum(Vec::new()));
    let red = colour(0);
    let net = |initial, output| ColouredNet {
        id: "n".into(),
        declarations: declarations(),
        places: vec![ColouredPlace {
            id: "p".into(),
            name: "p".into(),
            sort: SortId(VALUES),
            initial: Some(initial),
        }],
        transitions: vec![ColouredTransition {
            id: "t".into(),
            name: "t".into(),
            conditions: Vec::new(),
            inputs: vec![(0, Bag::One(variable(VALUES, 0)))],
            outputs: vec![(0, output)],
        }],
    };
    let less = Bag::Difference(nothing.clone(), one(red.clone()));
    let wrong = unfold(&net(less, Bag::One(red.clone()))).unwrap_err();
    assert_eq!(wrong, Unfoldable::Marking(0, NoBag::Negative));
    let less = Bag::Difference(nothing, one(variable(VALUES, 0)));
    let wrong = unfold(&net(Bag::One(red), less)).unwrap_err();
    assert_eq!(wrong, Unfoldable::Arc(0, "x = a".into(), NoBag::Negative));
}

/// A transition that is never enabled, and a place that never holds a token, are known all the same.
#[test]
fn names_may_stand_for_nothing() {
    let never = r#"<inequality><subterm><variable refvariable="x"/></subterm><subterm><variable refvariable="x"/></subterm></inequality>"#;
    let net = read(never).unwrap();
    assert_eq!(net.find_transitions("go"), Ok(Vec::new()));
    let question = |formula: &str| {
        let text = format!(
            "<property-set><property><id>p</id><formula><exists-path><finally>{formula}</finally></exists-path></formula></property></property-set>"
        );
        let set = crate::read_properties("p.xml", text.as_bytes(), &net).unwrap();
        set.complete().unwrap().remove(0).kind
    };
    let never = question("<is-fireable><transition>go</transition></is-fireable>");
    assert_eq!(
        never,
        PropertyKind::Formula(Formula::Reachable(Pred::Constant(false)))
    );
}

/// A source of all tuples over eight numbers has 43 million bindings: an error that names it, soon.
#[test]
fn bindings_without_end_are_an_error() {
    let eight = |text: &dyn Fn(usize) -> String| (0..8).map(text).collect::<String>();
    let sorts = eight(&|_| r#"<usersort declaration="r"/>"#.into());
    let variables = eight(&|at| {
        format!(
            r#"<variabledecl id="x{at}" name="x{at}"><usersort declaration="r"/></variabledecl>"#
        )
    });
    let terms = eight(&|at| format!(r#"<subterm><variable refvariable="x{at}"/></subterm>"#));
    let text = format!(
        r#"<pnml><net id="n" type="symmetricnet"><declaration><structure><declarations>
        <namedsort id="r" name="r"><finiteintrange start="1" end="9"/></namedsort>
        <namedsort id="p" name="p"><productsort>{sorts}</productsort></namedsort>{variables}
        </declarations></structure></declaration>
        <place id="a"><type><structure><usersort declaration="p"/></structure></type></place><transition id="t"/>
        <arc id="o" source="t" target="a"><hlinscription><structure><tuple>{terms}</tuple></structure></hlinscription></arc>
        </net></pnml>"#
    );
    let errors = read_pnml("n.pnml", text.as_bytes(), &PnmlOptions::default()).unwrap_err();
    assert_eq!(
        errors.errors()[0].to_string(),
        "transition `t` has too many bindings to be unfolded"
    );
}

/// So are markings of two million colours, even if nothing can happen.
#[test]
fn colours_without_end_are_an_error() {
    let text = r#"<pnml><net id="n" type="symmetricnet"><declaration><structure><declarations>
        <namedsort id="r" name="r"><finiteintrange start="1" end="1000000"/></namedsort>
        </declarations></structure></declaration>
        <place id="b"><type><structure><usersort declaration="r"/></structure></type>
        <hlinitialMarking><structure><all><usersort declaration="r"/></all></structure></hlinitialMarking></place>
        <place id="a"><type><structure><usersort declaration="r"/></structure></type>
        <hlinitialMarking><structure><all><usersort declaration="r"/></all></structure></hlinitialMarking></place>
        </net></pnml>"#;
    let errors = read_pnml("n.pnml", text.as_bytes(), &PnmlOptions::default()).unwrap_err();
    assert_eq!(
        errors.errors()[0].to_string(),
        "place `a` may hold too many colours to be unfolded"
    );
}
