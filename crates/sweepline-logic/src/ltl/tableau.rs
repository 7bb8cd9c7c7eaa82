//! From formulas to transition-based generalised Büchi automata: the tableau of Couvreur [Cou99], with decision diagrams for the
//! successors as Duret-Lutz describes it [DL14].
//!
//! A formula is a function of what holds now (atoms), what must hold from the next state on (variables for formulas), and of
//! promises: `a U b` is `b`, or `a` and a promise of `b` and `a U b` from the next state on. A promise may not be given for ever:
//! the edges without it are an acceptance set. Two states with the same function are one.
//!
//! Successors are the conjunctions as they come. Simplifying them would replace formulas that promise one thing by formulas that
//! promise another, and a run could put off both for ever by giving them in turn.

mod ways;

use std::collections::HashMap;

use super::arena::{Arena, Id, Node};
use crate::omega::bdd::{Bdd, Bdds};
use crate::omega::tgba::{Edge, Tgba};
use crate::omega::{MOST, Marks};

use super::translate::TranslateError;

/// Ways to satisfy a state on one letter, beyond which there is no point in going on.
const MOST_WAYS: usize = 4096;

/// Edges of the whole automaton, beyond which there is none.
const MOST_EDGES: usize = 1 << 18;

/// An automaton that accepts the words that satisfy a formula, after all atoms from `atoms` on are projected away. It has at most
/// `limit` states.
pub(super) fn tableau(
    arena: &mut Arena,
    bdds: &mut Bdds,
    formula: Id,
    atoms: u32,
    limit: usize,
) -> Result<Tgba, TranslateError> {
    let all = arena.atoms(formula).max(atoms);
    let mark = bdds.mark();
    let mut tableau = Tableau {
        arena,
        bdds,
        atoms: all,
        meanings: Vec::new(),
        variables: HashMap::new(),
        promises: Vec::new(),
        functions: HashMap::new(),
    };
    let mut found = tableau.explore(formula, limit);
    if found == Err(TranslateError::Letters) {
        // Alternatives with atoms of their own are many functions and few ways.
        bdds.rewind(mark);
        found = ways::tableau(arena, bdds, formula, limit);
    }
    let mut graph = found?;
    for edge in graph.edges.iter_mut().flatten() {
        edge.letters = bdds.exists_from(edge.letters, atoms);
    }
    graph.prune(bdds);
    Ok(graph)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Meaning {
    /// The formula holds from the next state on.
    Next(Id),
    /// The formula is promised.
    Promise(Id),
}

/// Whether a formula is asked again in the next state anyhow, being an operand of `G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asked {
    Now,
    Always,
}

struct Tableau<'a> {
    arena: &'a mut Arena,
    bdds: &'a mut Bdds,
    /// Variables below are atoms.
    atoms: u32,
    /// What the other variables mean.
    meanings: Vec<Meaning>,
    variables: HashMap<Meaning, u32>,
    /// The formulas that are promised somewhere; each is an acceptance set.
    promises: Vec<Id>,
    functions: HashMap<(Id, Asked), Bdd>,
}

/// An edge before promises are turned into marks.
struct Way {
    letters: Bdd,
    target: usize,
    promised: Marks,
}

/// The automaton with these edges and so many promises.
fn graph(promises: usize, ways: Vec<Vec<Way>>) -> Tgba {
    let sets = u32::try_from(promises).expect("at most 64");
    let all = Tgba::all_marks(sets);
    let edges = ways.into_iter().map(|ways| {
        let edge = |way: Way| Edge {
            letters: way.letters,
            target: way.target,
            marks: all & !way.promised,
        };
        ways.into_iter().map(edge).collect()
    });
    Tgba {
        edges: edges.collect(),
        initial: 0,
        sets,
    }
}

/// What is promised, as a mark; promises get numbers as they come.
fn promise(promises: &mut Vec<Id>, formula: Id) -> Result<Marks, TranslateError> {
    let known = promises.iter().position(|&one| one == formula);
    let number = known.unwrap_or_else(|| {
        promises.push(formula);
        promises.len() - 1
    });
    if number >= MOST {
        return Err(TranslateError::Promises(MOST));
    }
    Ok(1 << number)
}

impl Tableau<'_> {
    fn explore(&mut self, formula: Id, limit: usize) -> Result<Tgba, TranslateError> {
        let mut states: HashMap<Bdd, usize> = HashMap::new();
        let first = self.function(formula, Asked::Now);
        let mut open = vec![first];
        states.insert(first, 0);
        let mut ways: Vec<Vec<Way>> = Vec::new();
        let mut edges = 0;
        while let Some(&function) = open.get(ways.len()) {
            let mut found = Vec::new();
            for (letters, rest) in self.bdds.split(function, self.atoms) {
                let sets = self.bdds.least_sets(rest, MOST_WAYS);
                for set in sets.ok_or(TranslateError::Edges(MOST_WAYS))? {
                    let (target, promised) = self.way(&set)?;
                    let next = states.len();
                    let target = *states.entry(target).or_insert_with(|| {
                        open.push(target);
                        next
                    });
                    found.push(Way {
                        letters,
                        target,
                        promised,
                    });
                }
            }
            edges += found.len();
            ways.push(found);
            if edges > MOST_EDGES {
                return Err(TranslateError::Edges(MOST_EDGES));
            }
            if self.bdds.overflowed() {
                return Err(TranslateError::Letters);
            }
            if open.len() > limit {
                return Err(TranslateError::States(limit));
            }
        }
        Ok(graph(self.promises.len(), ways))
    }

    /// Where a set of variables leads to, and what it promises.
    fn way(&mut self, set: &[u32]) -> Result<(Bdd, Marks), TranslateError> {
        let mut next = Vec::new();
        let mut promised = 0;
        for variable in set {
            match self.meanings[(variable - self.atoms) as usize] {
                Meaning::Next(formula) => next.push(formula),
                Meaning::Promise(formula) => promised |= promise(&mut self.promises, formula)?,
            }
        }
        let next = self.arena.and(next);
        Ok((self.function(next, Asked::Now), promised))
    }

    fn function(&mut self, formula: Id, asked: Asked) -> Bdd {
        if let Some(&known) = self.functions.get(&(formula, asked)) {
            return known;
        }
        let function = self.unfolded(formula, asked);
        self.functions.insert((formula, asked), function);
        function
    }

    fn unfolded(&mut self, formula: Id, asked: Asked) -> Bdd {
        match self.arena.node(formula).clone() {
            Node::Constant(true) => Bdd::TRUE,
            Node::Constant(false) => Bdd::FALSE,
            Node::Literal(atom, value) => {
                let atom = self.bdds.variable(atom);
                if value { atom } else { self.bdds.not(atom) }
            }
            // Each conjunct is asked again if all are.
            Node::And(all) => all.into_iter().fold(Bdd::TRUE, |both, one| {
                let one = self.function(one, asked);
                self.bdds.and(both, one)
            }),
            Node::Or(all) => all.into_iter().fold(Bdd::FALSE, |some, one| {
                let one = self.function(one, Asked::Now);
                self.bdds.or(some, one)
            }),
            Node::Next(a) => self.variable(Meaning::Next(a)),
            Node::Finally(a) => {
                let now = self.function(a, Asked::Now);
                let later = self.later(formula, asked);
                let promise = self.variable(Meaning::Promise(a));
                let later = self.bdds.and(promise, later);
                self.bdds.or(now, later)
            }
            Node::Globally(a) => {
                let now = self.function(a, Asked::Always);
                let later = self.later(formula, asked);
                self.bdds.and(now, later)
            }
            Node::Until(a, b) => {
                let (now, before) = (self.function(b, Asked::Now), self.function(a, Asked::Now));
                let later = self.later(formula, asked);
                let promise = self.variable(Meaning::Promise(b));
                let later = self.bdds.and(promise, later);
                let later = self.bdds.and(before, later);
                self.bdds.or(now, later)
            }
            Node::WeakUntil(a, b) => {
                let (now, before) = (self.function(b, Asked::Now), self.function(a, Asked::Now));
                let later = self.later(formula, asked);
                let later = self.bdds.and(before, later);
                self.bdds.or(now, later)
            }
            Node::Release(a, b) => {
                let (end, now) = (self.function(a, Asked::Now), self.function(b, Asked::Now));
                let later = self.later(formula, asked);
                let end = self.bdds.or(end, later);
                self.bdds.and(now, end)
            }
            Node::StrongRelease(a, b) => {
                let (end, now) = (self.function(a, Asked::Now), self.function(b, Asked::Now));
                let later = self.later(formula, asked);
                let promise = self.variable(Meaning::Promise(a));
                let later = self.bdds.and(promise, later);
                let end = self.bdds.or(end, later);
                self.bdds.and(now, end)
            }
        }
    }

    /// That a formula holds from the next state on; nothing has to be said if it is asked there anyhow.
    fn later(&mut self, formula: Id, asked: Asked) -> Bdd {
        match asked {
            Asked::Now => self.variable(Meaning::Next(formula)),
            Asked::Always => Bdd::TRUE,
        }
    }

    fn variable(&mut self, meaning: Meaning) -> Bdd {
        let next = u32::try_from(self.meanings.len()).expect("formulas are limited in size");
        let meanings = &mut self.meanings;
        let variable = *self.variables.entry(meaning).or_insert_with(|| {
            meanings.push(meaning);
            next
        });
        self.bdds.variable(self.atoms + variable)
    }
}
