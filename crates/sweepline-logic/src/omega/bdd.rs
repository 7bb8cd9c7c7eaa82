//! Sets of letters as reduced ordered binary decision diagrams [Bry86].
//!
//! A set of letters over thirty atoms has a billion members and usually a dozen nodes here. The tableau uses further variables
//! behind the atoms. There is a limit on nodes and on cubes: beyond it every operation gives the empty set and [`Bdds::overflowed`] is true, so
//! whoever asks for something large must look at it before the outcome is used.

use std::collections::HashMap;

use super::{Cube, Guard, Letter};

/// A Boolean function of some [`Bdds`]. Two functions are equal if and only if these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bdd(u32);

impl Bdd {
    /// Never true.
    pub const FALSE: Self = Self(0);
    /// Always true.
    pub const TRUE: Self = Self(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    /// Where the variable is false, and where it is true.
    low: Bdd,
    high: Bdd,
}

/// The variable of constants, behind all others.
const LEAF: u32 = u32::MAX;

/// Nodes there may be.
const MOST_NODES: usize = 1 << 18;

/// Cubes a guard may have: whoever follows an edge looks at each of them.
const MOST_CUBES: usize = 4096;

/// Functions that share their nodes.
#[derive(Debug)]
pub(crate) struct Bdds {
    nodes: Vec<Node>,
    unique: HashMap<Node, Bdd>,
    conjunctions: HashMap<(Bdd, Bdd), Bdd>,
    negations: HashMap<Bdd, Bdd>,
    overflowed: bool,
}

impl Default for Bdds {
    fn default() -> Self {
        let leaf = |value| Node {
            variable: LEAF,
            low: value,
            high: value,
        };
        Self {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            unique: HashMap::new(),
            conjunctions: HashMap::new(),
            negations: HashMap::new(),
            overflowed: false,
        }
    }
}

impl Bdds {
    /// Whether there were too many nodes, and the functions mean nothing.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// How many nodes there are, to [`Bdds::rewind`] to.
    pub fn mark(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets what was built since there were so many nodes, and that it was too much.
    pub fn rewind(&mut self, mark: usize) {
        self.nodes.truncate(mark);
        self.unique.retain(|_, known| known.index() < mark);
        self.conjunctions.clear();
        self.negations.clear();
        self.overflowed = false;
    }

    /// A variable.
    pub fn variable(&mut self, variable: u32) -> Bdd {
        self.node(variable, Bdd::FALSE, Bdd::TRUE)
    }

    /// Not.
    pub fn not(&mut self, a: Bdd) -> Bdd {
        match a {
            Bdd::FALSE => return Bdd::TRUE,
            Bdd::TRUE => return Bdd::FALSE,
            _ => {}
        }
        if let Some(&known) = self.negations.get(&a) {
            return known;
        }
        let Node {
            variable,
            low,
            high,
        } = self.nodes[a.index()];
        let (low, high) = (self.not(low), self.not(high));
        let negation = self.node(variable, low, high);
        self.negations.insert(a, negation);
        negation
    }

    /// Both.
    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        match (a, b) {
            _ if self.overflowed => return Bdd::FALSE,
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => return Bdd::FALSE,
            (Bdd::TRUE, other) | (other, Bdd::TRUE) => return other,
            _ if a == b => return a,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.conjunctions.get(&key) {
            return known;
        }
        let variable = self.top(a).min(self.top(b));
        let ((a_low, a_high), (b_low, b_high)) = (self.at(a, variable), self.at(b, variable));
        let low = self.and(a_low, b_low);
        let high = self.and(a_high, b_high);
        let conjunction = self.node(variable, low, high);
        self.conjunctions.insert(key, conjunction);
        conjunction
    }

    /// At least one.
    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// The first without the second.
    pub fn minus(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let b = self.not(b);
        self.and(a, b)
    }

    /// True if the function is true for some values of the variables from `first` on.
    pub fn exists_from(&mut self, a: Bdd, first: u32) -> Bdd {
        self.projected(a, first, &mut HashMap::new())
    }

    fn projected(&mut self, a: Bdd, first: u32, known: &mut HashMap<Bdd, Bdd>) -> Bdd {
        let Node {
            variable,
            low,
            high,
        } = self.nodes[a.index()];
        if variable >= first {
            return if a == Bdd::FALSE { a } else { Bdd::TRUE };
        }
        if let Some(&known) = known.get(&a) {
            return known;
        }
        let low = self.projected(low, first, known);
        let high = self.projected(high, first, known);
        let projection = self.node(variable, low, high);
        known.insert(a, projection);
        projection
    }

    /// Splits the function by its variables below `first`: pairs of a set of their values, and the function of the other
    /// variables that remains there. No two pairs have the same remaining function, and none of these is false.
    pub fn split(&mut self, a: Bdd, first: u32) -> Vec<(Bdd, Bdd)> {
        let mut parts: Vec<(Bdd, Bdd)> = Vec::new();
        let mut remaining = Vec::new();
        self.remainders(a, first, &mut remaining);
        for rest in remaining {
            let place = self.leading_to(a, rest, first, &mut HashMap::new());
            parts.push((place, rest));
        }
        parts
    }

    fn remainders(&self, a: Bdd, first: u32, found: &mut Vec<Bdd>) {
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![a];
        while let Some(a) = stack.pop() {
            if a == Bdd::FALSE || !seen.insert(a) {
                continue;
            }
            let node = self.nodes[a.index()];
            if node.variable >= first {
                found.push(a);
            } else {
                stack.extend([node.high, node.low]);
            }
        }
    }

    /// The values of variables below `first` for which `rest` remains of `a`.
    fn leading_to(&mut self, a: Bdd, rest: Bdd, first: u32, known: &mut HashMap<Bdd, Bdd>) -> Bdd {
        let Node {
            variable,
            low,
            high,
        } = self.nodes[a.index()];
        if variable >= first {
            return if a == rest { Bdd::TRUE } else { Bdd::FALSE };
        }
        if let Some(&known) = known.get(&a) {
            return known;
        }
        let low = self.leading_to(low, rest, first, known);
        let high = self.leading_to(high, rest, first, known);
        let place = self.node(variable, low, high);
        known.insert(a, place);
        place
    }

    /// Whether the function is true if the variables are the bits of a letter.
    pub fn contains(&self, mut a: Bdd, letter: Letter) -> bool {
        loop {
            let node = self.nodes[a.index()];
            if node.variable == LEAF {
                return a == Bdd::TRUE;
            }
            let bit = letter.checked_shr(node.variable).unwrap_or(0) & 1;
            a = if bit == 1 { node.high } else { node.low };
        }
    }

    /// Some letter for which the function is true, if there is one.
    pub fn letter(&self, mut a: Bdd) -> Option<Letter> {
        let mut letter = 0;
        while a != Bdd::TRUE {
            if a == Bdd::FALSE {
                return None;
            }
            let node = self.nodes[a.index()];
            // Whatever is not false can become true.
            if node.low == Bdd::FALSE {
                letter |= 1 << node.variable;
                a = node.high;
            } else {
                a = node.low;
            }
        }
        Some(letter)
    }

    /// The least sets of variables that make a function true which no variable makes false again: its prime implicants.
    /// Nothing if there are more than `most`.
    pub fn least_sets(&self, a: Bdd, most: usize) -> Option<Vec<Vec<u32>>> {
        let mut known: HashMap<Bdd, Vec<Vec<u32>>> = HashMap::new();
        self.least_sets_of(a, most, &mut known)
    }

    fn least_sets_of(
        &self,
        a: Bdd,
        most: usize,
        known: &mut HashMap<Bdd, Vec<Vec<u32>>>,
    ) -> Option<Vec<Vec<u32>>> {
        match a {
            Bdd::FALSE => return Some(Vec::new()),
            Bdd::TRUE => return Some(vec![Vec::new()]),
            _ => {}
        }
        if let Some(known) = known.get(&a) {
            return Some(known.clone());
        }
        let node = self.nodes[a.index()];
        let mut sets = self.least_sets_of(node.low, most, known)?;
        let without = sets.len();
        for mut set in self.least_sets_of(node.high, most, known)? {
            let covered = sets[..without].iter().any(|less| is_subset(less, &set));
            if !covered {
                set.insert(0, node.variable);
                sets.push(set);
            }
        }
        if sets.len() > most {
            return None;
        }
        known.insert(a, sets.clone());
        Some(sets)
    }

    /// A function of atoms as a guard with few cubes, none of which can be left out [Min93].
    pub fn guard(&mut self, a: Bdd) -> Guard {
        Guard::of(self.cover(a, a).1)
    }

    /// Cubes between two functions, of which the first implies the second, and their union.
    fn cover(&mut self, least: Bdd, most: Bdd) -> (Bdd, Vec<Cube>) {
        if least == Bdd::FALSE || self.overflowed {
            return (Bdd::FALSE, Vec::new());
        }
        if most == Bdd::TRUE {
            return (Bdd::TRUE, vec![Cube::ANY]);
        }
        let variable = self.top(least).min(self.top(most));
        let ((least_0, least_1), (most_0, most_1)) =
            (self.at(least, variable), self.at(most, variable));
        // What only cubes with the negated variable can cover, then with the variable, then what is left for those without.
        let only_0 = self.minus(least_0, most_1);
        let (union_0, mut cubes_0) = self.cover(only_0, most_0);
        let only_1 = self.minus(least_1, most_0);
        let (union_1, mut cubes_1) = self.cover(only_1, most_1);
        let (left_0, left_1) = (self.minus(least_0, union_0), self.minus(least_1, union_1));
        let (left, both) = (self.or(left_0, left_1), self.and(most_0, most_1));
        let (union, mut cubes) = self.cover(left, both);
        for cube in &mut cubes_0 {
            cube.fails |= 1 << variable;
        }
        for cube in &mut cubes_1 {
            cube.holds |= 1 << variable;
        }
        cubes.append(&mut cubes_0);
        cubes.append(&mut cubes_1);
        self.overflowed |= cubes.len() > MOST_CUBES;
        let (low, high) = (self.or(union, union_0), self.or(union, union_1));
        (self.node(variable, low, high), cubes)
    }

    /// A guard as a function of atoms.
    pub fn of_guard(&mut self, guard: &Guard) -> Bdd {
        let cubes = guard.cubes().iter();
        cubes.fold(Bdd::FALSE, |union, cube| {
            let mut function = Bdd::TRUE;
            // From the last variable to the first, so that each step adds one node.
            for atom in (0..Letter::BITS).rev() {
                function = match (cube.holds >> atom & 1, cube.fails >> atom & 1) {
                    (1, _) => self.node(atom, Bdd::FALSE, function),
                    (_, 1) => self.node(atom, function, Bdd::FALSE),
                    _ => function,
                };
            }
            self.or(union, function)
        })
    }

    fn top(&self, a: Bdd) -> u32 {
        self.nodes[a.index()].variable
    }

    /// What remains where the variable, which is not behind the first one of the function, is false and where it is true.
    fn at(&self, a: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.nodes[a.index()];
        if node.variable == variable {
            (node.low, node.high)
        } else {
            (a, a)
        }
    }

    fn node(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = Node {
            variable,
            low,
            high,
        };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        let next = u32::try_from(self.nodes.len()).ok();
        let Some(next) = next.filter(|_| self.nodes.len() < MOST_NODES) else {
            self.overflowed = true;
            return Bdd::FALSE;
        };
        self.nodes.push(node);
        self.unique.insert(node, Bdd(next));
        Bdd(next)
    }
}

fn is_subset(less: &[u32], more: &[u32]) -> bool {
    less.iter().all(|one| more.contains(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guards() -> impl Strategy<Value = Guard> {
        let cube = (0u64..32, 0u64..32).prop_map(|(holds, fails)| Cube {
            holds,
            fails: fails & !holds,
        });
        prop::collection::vec(cube, 0..6).prop_map(Guard::of)
    }

    proptest! {
        #[test]
        fn functions_agree_with_sets_of_letters(a in guards(), b in guards()) {
            let mut bdds = Bdds::default();
            let (x, y) = (bdds.of_guard(&a), bdds.of_guard(&b));
            let (and, or, not) = (bdds.and(x, y), bdds.or(x, y), bdds.not(x));
            let (again, some) = (bdds.guard(x), bdds.exists_from(x, 3));
            prop_assert!(again.cubes().len() <= 16);
            let implied = (0..32).all(|letter| !a.contains(letter) || b.contains(letter));
            prop_assert_eq!(bdds.minus(x, y) == Bdd::FALSE, implied);
            prop_assert_eq!(bdds.letter(x).map(|letter| a.contains(letter)), (x != Bdd::FALSE).then_some(true));
            for letter in 0..32 {
                let (in_a, in_b) = (a.contains(letter), b.contains(letter));
                prop_assert_eq!(bdds.contains(x, letter), in_a);
                prop_assert_eq!(bdds.contains(and, letter), in_a && in_b);
                prop_assert_eq!(bdds.contains(or, letter), in_a || in_b);
                prop_assert_eq!(bdds.contains(not, letter), !in_a);
                prop_assert_eq!(again.contains(letter), in_a);
                let beyond = (0..4).any(|high| a.contains(letter & 7 | high << 3));
                prop_assert_eq!(bdds.contains(some, letter), beyond);
            }
            let parts = bdds.split(x, 2);
            for letter in 0..32 {
                let of: Vec<_> = parts.iter().filter(|part| bdds.contains(part.0, letter)).collect();
                prop_assert!(of.len() <= 1);
                prop_assert_eq!(of.first().is_some_and(|part| bdds.contains(part.1, letter)), a.contains(letter));
            }
        }

        #[test]
        fn least_sets_make_it_true(positive in prop::collection::vec(0u64..32, 0..6)) {
            let guard = Guard::of(positive.iter().map(|&holds| Cube { holds, fails: 0 }));
            let mut bdds = Bdds::default();
            let function = bdds.of_guard(&guard);
            let mut found: Vec<Letter> = bdds.least_sets(function, 100).unwrap().iter()
                .map(|set| set.iter().map(|bit| 1 << bit).sum()).collect();
            found.sort_unstable();
            let least = |letter: &Letter| guard.contains(*letter)
                && (0..5).all(|bit| letter >> bit & 1 == 0 || !guard.contains(letter & !(1 << bit)));
            prop_assert_eq!(found, (0..32).filter(least).collect::<Vec<Letter>>());
        }
    }

    #[test]
    fn too_many_nodes_are_noticed() {
        let mut bdds = Bdds::default();
        let mut all = Bdd::FALSE;
        for atom in 0..32 {
            let (a, b) = (bdds.variable(atom), bdds.variable(atom + 32));
            let both = bdds.and(a, b);
            all = bdds.or(all, both);
        }
        assert!(bdds.overflowed());
        bdds.rewind(2);
        let (a, b) = (bdds.variable(0), bdds.variable(1));
        assert!(!bdds.overflowed() && bdds.and(a, b) != Bdd::FALSE);
    }
}
