//! Random small coloured nets against a search that knows nothing but their definition: every variable ranges over its whole
//! colour set.

mod common;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use common::File;
use proptest::prelude::*;
use sweepline_cpn::{LoadOptions, TimeMode};

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

/// Tokens on an arc. On pairs, both terms count; on numbers, the first.
#[derive(Clone, Debug)]
struct Tokens {
    count: u8,
    terms: [Term; 2],
}

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
}

#[derive(Clone, Debug)]
struct Net {
    size: u8,
    /// Whether each place holds pairs, and what it holds at first.
    places: Vec<(bool, Vec<Initial>)>,
    transitions: Vec<Transition>,
}

type Binding = [u8; 2];
/// How many tokens of a colour there are at first.
type Initial = (u8, [u8; 2]);

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
    fn text(&self, timed: bool) -> String {
        let size = self.size;
        let with = format!("<int><with><ml>0</ml><ml>{}</ml></with></int>", size - 1);
        let mut file = File::default()
            .colour("C", timed, &with)
            .colour("P", timed, "<product><id>C</id><id>C</id></product>")
            .declare("var x, y : C;");
        let token = |pair: bool, terms: [String; 2]| {
            let [a, b] = terms;
            if pair { format!("({a}, {b})") } else { a }
        };
        let sum = |tokens: Vec<String>| {
            if tokens.is_empty() {
                "empty".to_owned()
            } else {
                tokens.join(" ++ ")
            }
        };
        for (index, (pair, initial)) in self.places.iter().enumerate() {
            let tokens = initial.iter().map(|(count, values)| {
                let values = values.map(|value| (value % size).to_string());
                format!("{count}`{}", token(*pair, values))
            });
            let colour = if *pair { "P" } else { "C" };
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
            for arc in &transition.arcs {
                let pair = self.places[arc.place].0;
                let tokens = arc.tokens.iter().map(|tokens| {
                    let terms = tokens.terms.clone().map(|term| term.text(size));
                    format!("{}`{}", tokens.count, token(pair, terms))
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
            let used = if self.places[arc.place].0 { 2 } else { 1 };
            for tokens in &arc.tokens {
                for term in &tokens.terms[..used] {
                    term.variables(&mut out);
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
        let pair = self.places[arc.place].0;
        for tokens in &arc.tokens {
            let [a, b] = &tokens.terms;
            let a = a.value(binding, self.size);
            let b = if pair { b.value(binding, self.size) } else { 0 };
            *all.entry((arc.place, [a, b])).or_default() += u32::from(tokens.count);
        }
        all
    }

    fn initial(&self) -> BTreeMap<Token, u32> {
        let mut marking = BTreeMap::new();
        for (place, (pair, initial)) in self.places.iter().enumerate() {
            for (count, [a, b]) in initial {
                let b = if *pair { b % self.size } else { 0 };
                *marking.entry((place, [a % self.size, b])).or_default() += u32::from(*count);
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
        for arc in transition.arcs.iter().filter(|arc| !arc.is_input) {
            for (token, count) in self.tokens(arc, binding) {
                *target.entry(token).or_default() += count;
            }
        }
        Some(target)
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
    let tokens = (1u8..3, [term(), term()]).prop_map(|(count, terms)| Tokens { count, terms });
    let tokens = prop::collection::vec(tokens, 1..3);
    (0..places, any::<bool>(), tokens, 0u8..4).prop_map(|(place, is_input, tokens, delay)| Arc {
        place,
        is_input,
        tokens,
        delay,
    })
}

fn net() -> impl Strategy<Value = Net> {
    (2u8..4, 1usize..4).prop_flat_map(|(size, places)| {
        let initial = prop::collection::vec((1u8..3, [0u8..3, 0u8..3]), 0..4);
        let guard = prop_oneof![
            4 => Just(Guard::None),
            1 => Just(Guard::Same),
            1 => Just(Guard::Different),
            1 => Just(Guard::Less),
        ];
        let transition = (prop::collection::vec(arc(places), 1..5), guard)
            .prop_map(|(arcs, guard)| Transition { arcs, guard });
        (
            Just(size),
            prop::collection::vec((any::<bool>(), initial), places),
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
        let found = common::count(&net.text(false), &LoadOptions::default());
        prop_assert_eq!((found.states, found.edges), expected, "{}", net.text(false));
    }

    #[test]
    fn time_passes_as_the_definition_says(net in net()) {
        let Some(expected) = net.naive_timed() else { return Ok(()) };
        let options = LoadOptions { time: TimeMode::Relative, ..LoadOptions::default() };
        let found = common::count(&net.text(true), &options);
        prop_assert_eq!((found.states, found.edges), expected, "{}", net.text(true));
    }
}
