//! Random small coloured nets against a search that knows nothing but their definition, and against the place/transition nets
//! they unfold to: every variable ranges over its whole colour set.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::common::File;
use proptest::prelude::*;
use sweepline_cpn::{LoadOptions, TimeMode};
use sweepline_net::{NetSystem, PetriNet};

/// A number below the size of the colour set.
#[derive(Clone, Debug)]
enum Term {
    X,
    Y,
    Constant(u8),
    /// The next number, around.
    Next(Box<Term>),
    /// The first if `x` and `y` are the same, else the second.
    IfSame(Box<Term>, Box<Term>),
}

/// Tokens on an arc. On pairs, both terms count; on numbers, the first; on lists, as many as it is long.
#[derive(Clone, Debug)]
struct Tokens {
    count: u8,
    terms: [Term; 2],
    length: usize,
    /// Whether they are there only if `x` and `y` are the same, or only if not.
    only_if: Option<bool>,
}

/// What a place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Pair,
    /// Lists of at most two numbers.
    List,
}

impl Kind {
    /// How many numbers a token has.
    fn numbers(self, length: usize) -> usize {
        match self {
            Self::Number => 1,
            Self::Pair => 2,
            Self::List => length,
        }
    }

    /// All tokens of the colour set.
    fn all(self, size: u8) -> Vec<[u8; 2]> {
        let one = || (0..size).map(|a| [a, NONE]);
        let two = || (0..size).flat_map(|a| (0..size).map(move |b| [a, b]));
        match self {
            Self::Number => one().collect(),
            Self::Pair => two().collect(),
            Self::List => std::iter::once([NONE; 2])
                .chain(one())
                .chain(two())
                .collect(),
        }
    }

    fn text(self, numbers: &[String]) -> String {
        match self {
            Self::Number => numbers[0].clone(),
            Self::Pair => format!("({}, {})", numbers[0], numbers[1]),
            Self::List => format!("[{}]", numbers.join(", ")),
        }
    }
}

/// Where a token has no number.
const NONE: u8 = u8::MAX;

#[derive(Clone, Debug)]
struct Arc {
    place: usize,
    is_input: bool,
    tokens: Vec<Tokens>,
    delay: u8,
}

#[derive(Clone, Copy, Debug)]
enum Guard {
    None,
    Same,
    Different,
    Less,
}

#[derive(Clone, Debug)]
struct Transition {
    arcs: Vec<Arc>,
    guard: Guard,
    /// A place that must be empty, and one that is emptied.
    inhibitor: Option<usize>,
    reset: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Net {
    size: u8,
    /// What each place holds, and what at first.
    places: Vec<(Kind, Held)>,
    transitions: Vec<Transition>,
}

type Binding = [u8; 2];

/// How many there are of each, which are so long if they are lists.
type Held = Vec<(u8, [u8; 2], usize)>;

impl Term {
    fn value(&self, [x, y]: Binding, size: u8) -> u8 {
        match self {
            Self::X => x,
            Self::Y => y,
            Self::Constant(value) => value % size,
            Self::Next(term) => (term.value([x, y], size) + 1) % size,
            Self::IfSame(a, b) => (if x == y { a } else { b }).value([x, y], size),
        }
    }

    fn text(&self, size: u8) -> String {
        match self {
            Self::X => "x".into(),
            Self::Y => "y".into(),
            Self::Constant(value) => (value % size).to_string(),
            Self::Next(term) => format!("(({} + 1) mod {size})", term.text(size)),
            Self::IfSame(a, b) => {
                format!("(if x = y then {} else {})", a.text(size), b.text(size))
            }
        }
    }

    fn variables(&self, out: &mut [bool; 2]) {
        match self {
            Self::X => out[0] = true,
            Self::Y => out[1] = true,
            Self::Constant(_) => {}
            Self::Next(term) => term.variables(out),
            Self::IfSame(a, b) => {
                *out = [true, true];
                a.variables(out);
                b.variables(out);
            }
        }
    }
}

impl Net {
    pub fn text(&self, timed: bool) -> String {
        let size = self.size;
        let with = format!("<int><with><ml>0</ml><ml>{}</ml></with></int>", size - 1);
        let mut file = File::default()
            .colour("C", timed, &with)
            .colour("P", timed, "<product><id>C</id><id>C</id></product>")
            .colour(
                "L",
                timed,
                "<list><id>C</id><with><ml>0</ml><ml>2</ml></with></list>",
            )
            .declare("var x, y : C;");
        let sum = |tokens: Vec<String>| {
            if tokens.is_empty() {
                "empty".to_owned()
            } else {
                tokens.join(" ++ ")
            }
        };
        for (index, (kind, initial)) in self.places.iter().enumerate() {
            let tokens = initial.iter().map(|(count, values, length)| {
                let values = values.map(|value| (value % size).to_string());
                format!("{count}`{}", kind.text(&values[..kind.numbers(*length)]))
            });
            let colour = match kind {
                Kind::Number => "C",
                Kind::Pair => "P",
                Kind::List => "L",
            };
            file = file.place(&format!("p{index}"), colour, &sum(tokens.collect()));
        }
        for (index, transition) in self.transitions.iter().enumerate() {
            let guard = match transition.guard {
                Guard::None => "",
                Guard::Same => "[x = y]",
                Guard::Different => "[x <> y]",
                Guard::Less => "[x < y, x >= 0]",
            };
            let id = format!("t{index}");
            file = file.transition(&id, guard, "");
            for (place, orientation) in [
                (transition.inhibitor, "Inhibitor"),
                (transition.reset, "Reset"),
            ] {
                if let Some(place) = place {
                    file = file.arc(orientation, &format!("p{place}"), &id, "");
                }
            }
            for arc in &transition.arcs {
                let kind = self.places[arc.place].0;
                let tokens = arc.tokens.iter().map(|tokens| {
                    let terms = tokens.terms.clone().map(|term| term.text(size));
                    let token = kind.text(&terms[..kind.numbers(tokens.length)]);
                    let some = format!("{}`{token}", tokens.count);
                    match tokens.only_if {
                        None => some,
                        Some(true) => format!("(if x = y then {some} else empty)"),
                        Some(false) => format!("(if x = y then empty else {some})"),
                    }
                });
                let tokens: Vec<String> = tokens.collect();
                let mut text = sum(tokens.clone());
                if timed && !arc.is_input && !tokens.is_empty() {
                    text = format!("({text}) @+ {}", arc.delay);
                }
                let direction = if arc.is_input { "PtoT" } else { "TtoP" };
                file = file.arc(direction, &format!("p{}", arc.place), &id, &text);
            }
        }
        file.text()
    }

    /// Which of the variables occur.
    fn variables(&self, transition: &Transition) -> [bool; 2] {
        let mut out = [!matches!(transition.guard, Guard::None); 2];
        for arc in &transition.arcs {
            let kind = self.places[arc.place].0;
            for tokens in &arc.tokens {
                for term in &tokens.terms[..kind.numbers(tokens.length)] {
                    term.variables(&mut out);
                }
                if tokens.only_if.is_some() {
                    out = [true, true];
                }
            }
        }
        out
    }

    /// All bindings of a transition that its guard allows.
    fn bindings(&self, transition: &Transition) -> Vec<Binding> {
        let range = |occurs: bool| if occurs { 0..self.size } else { 0..1 };
        let [x_occurs, y_occurs] = self.variables(transition);
        let mut bindings = Vec::new();
        for x in range(x_occurs) {
            for y in range(y_occurs) {
                let allowed = match transition.guard {
                    Guard::None => true,
                    Guard::Same => x == y,
                    Guard::Different => x != y,
                    Guard::Less => x < y,
                };
                if allowed {
                    bindings.push([x, y]);
                }
            }
        }
        bindings
    }

    /// The tokens of an arc: a colour and how many of it.
    fn tokens(&self, arc: &Arc, binding: Binding) -> BTreeMap<Token, u32> {
        let mut all = BTreeMap::new();
        let kind = self.places[arc.place].0;
        for tokens in &arc.tokens {
            let is_same = binding[0] == binding[1];
            if tokens.only_if.is_some_and(|wanted| wanted != is_same) {
                continue;
            }
            let numbers = kind.numbers(tokens.length);
            let mut token = [NONE; 2];
            for (number, term) in token.iter_mut().zip(&tokens.terms[..numbers]) {
                *number = term.value(binding, self.size);
            }
            *all.entry((arc.place, token)).or_default() += u32::from(tokens.count);
        }
        all
    }

    fn initial(&self) -> BTreeMap<Token, u32> {
        let mut marking = BTreeMap::new();
        for (place, (kind, initial)) in self.places.iter().enumerate() {
            for (count, values, length) in initial {
                let numbers = kind.numbers(*length);
                let mut token = [NONE; 2];
                for (number, value) in token.iter_mut().zip(&values[..numbers]) {
                    *number = value % self.size;
                }
                *marking.entry((place, token)).or_default() += u32::from(*count);
            }
        }
        marking
    }

    /// States and edges, or nothing if there are too many.
    fn naive(&self) -> Option<(usize, usize)> {
        search(self.initial(), |marking| {
            let mut targets = Vec::new();
            for transition in &self.transitions {
                for binding in self.bindings(transition) {
                    targets.extend(self.fired(transition, binding, marking));
                }
            }
            targets
        })
    }

    fn fired(
        &self,
        transition: &Transition,
        binding: Binding,
        marking: &BTreeMap<Token, u32>,
    ) -> Option<BTreeMap<Token, u32>> {
        let is_inhibited = |place: usize| marking.keys().any(|(at, _)| *at == place);
        if transition.inhibitor.is_some_and(is_inhibited) {
            return None;
        }
        let mut target = marking.clone();
        for arc in transition.arcs.iter().filter(|arc| arc.is_input) {
            for (token, count) in self.tokens(arc, binding) {
                let there = target.get_mut(&token)?;
                *there = there.checked_sub(count)?;
                if *there == 0 {
                    target.remove(&token);
                }
            }
        }
        target.retain(|(place, _), _| Some(*place) != transition.reset);
        for arc in transition.arcs.iter().filter(|arc| !arc.is_input) {
            for (token, count) in self.tokens(arc, binding) {
                *target.entry(token).or_default() += count;
            }
        }
        Some(target)
    }

    /// The place/transition net that this is, unless something is reset: a place for every colour, a transition for every
    /// binding.
    fn unfolded(&self) -> Option<PetriNet> {
        let mut builder = PetriNet::builder("unfolded");
        let initial = self.initial();
        let mut places = BTreeMap::new();
        for (place, (kind, _)) in self.places.iter().enumerate() {
            for token in kind.all(self.size) {
                let tokens = initial.get(&(place, token)).copied().unwrap_or(0);
                let id = builder.place(format!("p{place}-{token:?}"), tokens.into());
                places.insert((place, token), id);
            }
        }
        for (index, transition) in self.transitions.iter().enumerate() {
            if transition.reset.is_some() {
                return None;
            }
            for binding in self.bindings(transition) {
                let fires = builder.transition(format!("t{index}-{binding:?}"));
                let inhibited = places
                    .iter()
                    .filter(|((at, _), _)| Some(*at) == transition.inhibitor);
                for (_, place) in inhibited {
                    builder.inhibitor(fires, *place, 1);
                }
                for is_input in [true, false] {
                    let mut all: BTreeMap<Token, u32> = BTreeMap::new();
                    let arcs = transition.arcs.iter();
                    for arc in arcs.filter(|arc| arc.is_input == is_input) {
                        for (token, count) in self.tokens(arc, binding) {
                            *all.entry(token).or_default() += count;
                        }
                    }
                    for (token, count) in all {
                        let (place, count) = (places[&token], count.into());
                        if is_input {
                            builder.input(fires, place, count);
                        } else {
                            builder.output(fires, place, count);
                        }
                    }
                }
            }
        }
        Some(builder.build().unwrap())
    }

    /// The same with time: stamps are relative to the clock, and nothing is older than now.
    fn naive_timed(&self) -> Option<(usize, usize)> {
        let initial: Timed = self
            .initial()
            .into_iter()
            .map(|(token, count)| ((token, 0), count))
            .collect();
        search(initial, |marking| {
            let mut enabled: Vec<(u32, Timed)> = Vec::new();
            for transition in &self.transitions {
                for binding in self.bindings(transition) {
                    enabled.extend(self.fired_in_time(transition, binding, marking));
                }
            }
            let first = enabled.iter().map(|(time, _)| *time).min();
            enabled.retain(|(time, _)| Some(*time) == first);
            enabled.into_iter().map(|(_, target)| target).collect()
        })
    }

    fn fired_in_time(
        &self,
        transition: &Transition,
        binding: Binding,
        marking: &Timed,
    ) -> Option<(u32, Timed)> {
        let is_inhibited = |place: usize| marking.keys().any(|((at, _), _)| *at == place);
        if transition.inhibitor.is_some_and(is_inhibited) {
            return None;
        }
        let mut needed: BTreeMap<Token, u32> = BTreeMap::new();
        for arc in transition.arcs.iter().filter(|arc| arc.is_input) {
            for (token, count) in self.tokens(arc, binding) {
                *needed.entry(token).or_default() += count;
            }
        }
        // The first moment at which there are enough tokens of each colour.
        let at = |time: u32, token: &Token| -> u32 {
            let ready = marking
                .iter()
                .filter(|((of, stamp), _)| of == token && *stamp <= time);
            ready.map(|(_, count)| count).sum()
        };
        let latest = marking.keys().map(|(_, stamp)| *stamp).max().unwrap_or(0);
        let enough = |time: &u32| {
            needed
                .iter()
                .all(|(token, count)| at(*time, token) >= *count)
        };
        let time = (0..=latest).find(enough)?;
        let mut target = marking.clone();
        for (token, count) in needed {
            for _ in 0..count {
                let ready = target
                    .keys()
                    .filter(|(of, stamp)| *of == token && *stamp <= time);
                let youngest = *ready.max_by_key(|(_, stamp)| *stamp)?;
                let there = target.get_mut(&youngest)?;
                *there -= 1;
                if *there == 0 {
                    target.remove(&youngest);
                }
            }
        }
        target.retain(|((place, _), _), _| Some(*place) != transition.reset);
        let mut later = Timed::new();
        for ((token, stamp), count) in target {
            *later
                .entry((token, stamp.saturating_sub(time)))
                .or_default() += count;
        }
        for arc in transition.arcs.iter().filter(|arc| !arc.is_input) {
            for (token, count) in self.tokens(arc, binding) {
                *later.entry((token, u32::from(arc.delay))).or_default() += count;
            }
        }
        Some((time, later))
    }
}

/// A place and a colour.
type Token = (usize, [u8; 2]);
/// Tokens with stamps, and how many.
type Timed = BTreeMap<(Token, u32), u32>;

const MOST: usize = 400;

/// A net explored as it is has as many states, steps and deadlocks as its unfolding, explored by another engine.
fn check_unfolding(net: &Net) -> Result<(), TestCaseError> {
    let (Some(_), Some(unfolded)) = (net.naive(), net.unfolded()) else {
        return Ok(());
    };
    let unfolded = std::sync::Arc::new(NetSystem::new(unfolded));
    let expected = crate::common::explore(unfolded, usize::MAX).unwrap();
    let found = crate::common::count(&net.text(false), &LoadOptions::default());
    prop_assert_eq!(found, expected, "{}", net.text(false));
    Ok(())
}

fn search<S: Clone + Ord>(initial: S, steps: impl Fn(&S) -> Vec<S>) -> Option<(usize, usize)> {
    let mut known = BTreeSet::from([initial.clone()]);
    let mut open = VecDeque::from([initial]);
    let mut edges = 0;
    while let Some(state) = open.pop_front() {
        for target in steps(&state) {
            edges += 1;
            if known.insert(target.clone()) {
                open.push_back(target);
            }
        }
        if known.len() > MOST {
            return None;
        }
    }
    Some((known.len(), edges))
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        3 => Just(Term::X),
        3 => Just(Term::Y),
        2 => (0u8..3).prop_map(Term::Constant),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            2 => inner.clone().prop_map(|term| Term::Next(Box::new(term))),
            1 => (inner.clone(), inner).prop_map(|(a, b)| Term::IfSame(Box::new(a), Box::new(b))),
        ]
    })
}

fn arc(places: usize) -> impl Strategy<Value = Arc> {
    let only_if = prop::option::weighted(0.2, any::<bool>());
    let tokens = (1u8..3, [term(), term()], 0..3_usize, only_if);
    let tokens = tokens.prop_map(|(count, terms, length, only_if)| Tokens {
        count,
        terms,
        length,
        only_if,
    });
    let tokens = prop::collection::vec(tokens, 1..3);
    (0..places, any::<bool>(), tokens, 0u8..4).prop_map(|(place, is_input, tokens, delay)| Arc {
        place,
        is_input,
        tokens,
        delay,
    })
}

pub fn net() -> impl Strategy<Value = Net> {
    (2u8..4, 1usize..4).prop_flat_map(|(size, places)| {
        let initial = prop::collection::vec((1u8..3, [0u8..3, 0u8..3], 0..3_usize), 0..4);
        let guard = prop_oneof![
            4 => Just(Guard::None),
            1 => Just(Guard::Same),
            1 => Just(Guard::Different),
            1 => Just(Guard::Less),
        ];
        let kind = prop::sample::select(vec![Kind::Number, Kind::Pair, Kind::List]);
        let rarely = move || prop::option::weighted(0.15, 0..places);
        let arcs = prop::collection::vec(arc(places), 1..5);
        let transition = (arcs, guard, rarely(), rarely());
        let transition = transition.prop_map(|(arcs, guard, inhibitor, reset)| Transition {
            arcs,
            guard,
            inhibitor,
            reset,
        });
        (
            Just(size),
            prop::collection::vec((kind, initial), places),
            prop::collection::vec(transition, 1..4),
        )
            .prop_map(|(size, places, transitions)| Net {
                size,
                places,
                transitions,
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn nets_have_the_steps_of_their_definition(net in net()) {
        let Some(expected) = net.naive() else { return Ok(()) };
        let found = crate::common::count(&net.text(false), &LoadOptions::default());
        prop_assert_eq!((found.states, found.edges), expected, "{}", net.text(false));
    }

    #[test]
    fn nets_have_the_states_of_their_unfolding(net in net()) {
        check_unfolding(&net)?;
    }

    #[test]
    fn time_passes_as_the_definition_says(net in net()) {
        let Some(expected) = net.naive_timed() else { return Ok(()) };
        let options = LoadOptions { time: TimeMode::Relative, ..LoadOptions::default() };
        let found = crate::common::count(&net.text(true), &options);
        prop_assert_eq!((found.states, found.edges), expected, "{}", net.text(true));
    }
}

/// Fifty thousand nets. `cargo test -p sweepline-cpn --release -- --ignored many_nets`
#[test]
#[ignore = "takes minutes"]
fn many_nets_have_the_states_of_their_unfolding() {
    let config = ProptestConfig {
        cases: 50_000,
        max_global_rejects: 1_000_000,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    runner.run(&net(), |net| check_unfolding(&net)).unwrap();
}
