//! The tableau without functions of what holds next: a state is a list of ways to satisfy it.
//!
//! This needs no order of variables. A disjunction of twenty formulas over atoms of their own has twenty ways, but a million
//! functions, one for each set of formulas whose first atoms hold.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Asked, MOST_EDGES, Meaning, Way, graph, promise};
use crate::ltl::arena::{Arena, Id, Node};
use crate::ltl::translate::TranslateError;
use crate::omega::bdd::{Bdd, Bdds};
use crate::omega::tgba::Tgba;

/// Ways to satisfy a formula, beyond which there is no point in going on.
const MOST_WAYS: usize = 1024;

/// Letters, and what must hold from the next state on and is promised, sorted.
type Choice = (Bdd, Vec<Meaning>);

/// An automaton that accepts the words that satisfy a formula. It has at most `limit` states.
pub(super) fn tableau(
    arena: &mut Arena,
    bdds: &mut Bdds,
    formula: Id,
    limit: usize,
) -> Result<Tgba, TranslateError> {
    let mut unfolding = Unfolding {
        arena,
        bdds,
        known: HashMap::new(),
    };
    let mut promises = Vec::new();
    let mut states = HashMap::from([(formula, 0)]);
    let mut open = vec![formula];
    let mut ways: Vec<Vec<Way>> = Vec::new();
    let mut edges = 0;
    while let Some(&state) = open.get(ways.len()) {
        let mut found = Vec::new();
        for (letters, meanings) in unfolding.choices(state, Asked::Now)?.iter() {
            let mut promised = 0;
            let mut next = Vec::new();
            for &meaning in meanings {
                match meaning {
                    Meaning::Next(formula) => next.push(formula),
                    Meaning::Promise(formula) => promised |= promise(&mut promises, formula)?,
                }
            }
            let next = unfolding.arena.and(next);
            let number = open.len();
            let target = *states.entry(next).or_insert_with(|| {
                open.push(next);
                number
            });
            found.push(Way {
                letters: *letters,
                target,
                promised,
            });
        }
        edges += found.len();
        ways.push(found);
        if edges > MOST_EDGES {
            return Err(TranslateError::Edges(MOST_EDGES));
        }
        if open.len() > limit {
            return Err(TranslateError::States(limit));
        }
    }
    Ok(graph(promises.len(), ways))
}

struct Unfolding<'a> {
    arena: &'a mut Arena,
    bdds: &'a mut Bdds,
    known: HashMap<(Id, Asked), Rc<Vec<Choice>>>,
}

impl Unfolding<'_> {
    fn choices(&mut self, formula: Id, asked: Asked) -> Result<Rc<Vec<Choice>>, TranslateError> {
        if let Some(known) = self.known.get(&(formula, asked)) {
            return Ok(Rc::clone(known));
        }
        let choices = Rc::new(self.unfolded(formula, asked)?);
        self.known.insert((formula, asked), Rc::clone(&choices));
        Ok(choices)
    }

    /// The same rules as for functions.
    fn unfolded(&mut self, formula: Id, asked: Asked) -> Result<Vec<Choice>, TranslateError> {
        let node = self.arena.node(formula).clone();
        let later = |promised: Option<Id>| {
            let next = (asked == Asked::Now).then_some(Meaning::Next(formula));
            let mut meanings: Vec<Meaning> = next.into_iter().collect();
            meanings.extend(promised.map(Meaning::Promise));
            vec![(Bdd::TRUE, meanings)]
        };
        match node {
            Node::Constant(true) => Ok(vec![(Bdd::TRUE, Vec::new())]),
            Node::Constant(false) => Ok(Vec::new()),
            Node::Literal(atom, value) => {
                let atom = self.bdds.variable(atom);
                let letters = if value { atom } else { self.bdds.not(atom) };
                Ok(vec![(letters, Vec::new())])
            }
            Node::And(all) => {
                let mut both = vec![(Bdd::TRUE, Vec::new())];
                for one in all {
                    let one = self.choices(one, asked)?;
                    both = self.both(&both, &one)?;
                }
                Ok(both)
            }
            Node::Or(all) => {
                let mut some = Vec::new();
                for one in all {
                    let one = self.choices(one, Asked::Now)?;
                    some = self.either(&some, &one)?;
                }
                Ok(some)
            }
            Node::Next(a) => Ok(vec![(Bdd::TRUE, vec![Meaning::Next(a)])]),
            Node::Finally(a) => {
                let now = self.choices(a, Asked::Now)?;
                self.either(&now, &later(Some(a)))
            }
            Node::Globally(a) => {
                let now = self.choices(a, Asked::Always)?;
                self.both(&now, &later(None))
            }
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let promised = matches!(node, Node::Until(..)).then_some(b);
                let (before, now) = (self.choices(a, Asked::Now)?, self.choices(b, Asked::Now)?);
                let wait = self.both(&before, &later(promised))?;
                self.either(&now, &wait)
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let promised = matches!(node, Node::StrongRelease(..)).then_some(a);
                let (end, now) = (self.choices(a, Asked::Now)?, self.choices(b, Asked::Now)?);
                let end = self.either(&end, &later(promised))?;
                self.both(&now, &end)
            }
        }
    }

    fn both(&mut self, a: &[Choice], b: &[Choice]) -> Result<Vec<Choice>, TranslateError> {
        if a.len() * b.len() > MOST_WAYS {
            return Err(TranslateError::Edges(MOST_WAYS));
        }
        let mut all = Vec::new();
        for (letters, meanings) in a {
            for (more_letters, more) in b {
                let letters = self.bdds.and(*letters, *more_letters);
                let mut meanings = [meanings.as_slice(), more].concat();
                meanings.sort_unstable();
                meanings.dedup();
                all.push((letters, meanings));
            }
        }
        self.least(all)
    }

    fn either(&mut self, a: &[Choice], b: &[Choice]) -> Result<Vec<Choice>, TranslateError> {
        self.least([a, b].concat())
    }

    /// Without letters for which another choice requires less.
    fn least(&mut self, mut all: Vec<Choice>) -> Result<Vec<Choice>, TranslateError> {
        if all.len() > MOST_WAYS {
            return Err(TranslateError::Edges(MOST_WAYS));
        }
        all.sort_by(|a, b| (a.1.len(), &a.1).cmp(&(b.1.len(), &b.1)));
        let mut least: Vec<Choice> = Vec::new();
        for (mut letters, meanings) in all {
            for (known, fewer) in &mut least {
                if *fewer == meanings {
                    *known = self.bdds.or(*known, letters);
                    letters = Bdd::FALSE;
                } else if fewer.iter().all(|one| meanings.binary_search(one).is_ok()) {
                    letters = self.bdds.minus(letters, *known);
                }
            }
            if letters != Bdd::FALSE {
                least.push((letters, meanings));
            }
        }
        if self.bdds.overflowed() {
            return Err(TranslateError::Letters);
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::{holds_on, tests};
    use crate::omega::accepts;
    use crate::syntax::random_temporal;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ways_agree_with_the_definition(
            formula in random_temporal(false),
            words in prop::collection::vec(tests::word(), 20),
        ) {
            let (mut arena, mut bdds) = (Arena::default(), Bdds::default());
            let root = arena.normal(&formula);
            let graph = tableau(&mut arena, &mut bdds, root, 10_000).unwrap();
            let ltl = tests::ltl(formula);
            let automaton = graph.automaton(&mut bdds, ltl.atoms.clone());
            for (stem, repeated) in words {
                let expected = holds_on(&ltl.formula, &stem, &repeated);
                prop_assert_eq!(accepts(&automaton, &stem, &repeated), expected, "{}", ltl);
            }
        }
    }
}
