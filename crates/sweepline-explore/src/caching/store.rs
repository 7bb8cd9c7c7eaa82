//! The states that are kept: those on the stack and those in the cache.

use sweepline_core::Word;

use super::cache::{Cache, Place};
use super::options::CachingOptions;
use crate::index::{Index, Load, Probe};
use crate::memory::{self, Budget, Full};
use crate::record::{Dynamic, Rewrite, Width, recode_words};
use crate::sweep::Halt;

/// A set of states of bounded size. A state keeps its place while it is kept; the place is used again afterwards.
#[derive(Debug)]
pub(super) struct Store {
    capacity: usize,
    /// The records, one after the other, if all have the same size.
    words: Vec<Word>,
    /// The records, if they differ in size.
    boxes: Vec<Box<[Word]>>,
    /// Places in use or vacant.
    places: usize,
    vacant: Vec<Place>,
    index: Index,
    cache: Cache,
    peak: usize,
    thrown_out: u64,
}

impl Store {
    pub(super) fn new(options: &CachingOptions) -> Self {
        Self {
            capacity: options.capacity,
            words: Vec::new(),
            boxes: Vec::new(),
            places: 0,
            vacant: Vec::new(),
            index: Index::default(),
            cache: Cache::new(options.replacement, options.seed),
            peak: 0,
            thrown_out: 0,
        }
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.places - self.vacant.len()
    }

    /// The largest number of states there was.
    pub(super) fn peak(&self) -> usize {
        self.peak
    }

    /// How often a state was thrown out.
    pub(super) fn thrown_out(&self) -> u64 {
        self.thrown_out
    }

    #[inline]
    pub(super) fn get<W: Width>(&self, width: W, place: Place) -> &[Word] {
        record(width, &self.words, &self.boxes, place as usize)
    }

    /// Looks for a state that is about to be visited.
    #[inline]
    pub(super) fn visit<W: Width>(&mut self, width: W, state: &[Word], hash: u64) -> bool {
        let probe = self.index.find(hash, |candidate| {
            width.same(record(width, &self.words, &self.boxes, candidate), state)
        });
        if let Probe::Found(place) = probe {
            self.cache.visit(to_place(place));
        }
        matches!(probe, Probe::Found(_))
    }

    /// Adds a state that is not there and goes onto the stack. If the store is full, another one has to go.
    pub(super) fn add<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        hash: u64,
        budget: &mut Budget,
    ) -> Result<Place, Full> {
        if self.len() >= self.capacity {
            self.throw_out(width, budget)?;
        }
        let place = self.write(width, state, budget)?;
        self.enter(place, hash, budget)?;
        self.cache.welcome(place, budget)?;
        self.peak = self.peak.max(self.len());
        Ok(place)
    }

    /// Moves a state from the stack into the cache. If the stack had outgrown the store, a state has to go now.
    pub(super) fn leave_stack<W: Width>(
        &mut self,
        width: W,
        place: Place,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        self.cache.push(place, budget)?;
        if self.len() > self.capacity {
            self.throw_out(width, budget)?;
        }
        Ok(())
    }

    /// Forgets a state of the cache, if there is one.
    fn throw_out<W: Width>(&mut self, width: W, budget: &mut Budget) -> Result<(), Full> {
        if self.vacant.len() == self.vacant.capacity() {
            memory::grow(&mut self.vacant, 1, budget)?;
        }
        let Some(place) = self.cache.pop() else {
            return Ok(());
        };
        let hash = width.hash(self.get(width, place));
        self.index.remove(hash, place as usize);
        self.vacant.push(place);
        self.thrown_out += 1;
        Ok(())
    }

    /// Writes a record into a vacant place.
    fn write<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        budget: &mut Budget,
    ) -> Result<Place, Full> {
        let Some(place) = self.vacant.pop() else {
            return self.append(width, state, budget);
        };
        if W::VARIABLE {
            let old = &mut self.boxes[place as usize];
            budget.give_back(size_of_val::<[Word]>(old));
            *old = Box::default();
            budget.take(size_of_val(state))?;
            *old = state.into();
        } else {
            self.words[width.range(&[], place as usize)].copy_from_slice(state);
        }
        Ok(place)
    }

    /// Writes a record into a new place.
    fn append<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        budget: &mut Budget,
    ) -> Result<Place, Full> {
        let place = Place::try_from(self.places).map_err(|_| Full::Exhausted)?;
        if W::VARIABLE {
            if self.boxes.len() == self.boxes.capacity() {
                memory::grow(&mut self.boxes, 1, budget)?;
            }
            budget.take(size_of_val(state))?;
            self.boxes.push(state.into());
        } else {
            if self.words.capacity() - self.words.len() < state.len() {
                memory::grow(&mut self.words, state.len(), budget)?;
            }
            width.append(&mut self.words, state);
        }
        self.places += 1;
        Ok(place)
    }

    /// Enters a place into the index, which holds no equal state.
    fn enter(&mut self, place: Place, hash: u64, budget: &mut Budget) -> Result<(), Full> {
        let Probe::Vacant(at) = self.index.find(hash, |_| false) else {
            unreachable!("nothing was recognised");
        };
        self.index
            .insert(hash, at, place as usize, Load::Usual, budget)
    }

    /// Rewrites every state in another encoding of fixed width, in place. Places stay the same.
    pub(super) fn recode(
        &mut self,
        (from, to): (usize, usize),
        budget: &mut Budget,
        rewrite: &mut Rewrite<'_>,
    ) -> Result<(), Halt> {
        self.index.release(budget);
        let places = self.words.len() / from;
        recode_words(&mut self.words, places, (from, to), budget, rewrite)?;
        let mut is_vacant = vec![false; places];
        for &at in &self.vacant {
            is_vacant[at as usize] = true;
        }
        let kept = is_vacant.iter().enumerate().filter(|(_, vacant)| !**vacant);
        for (place, _) in kept {
            let hash = Dynamic(to).hash(record(Dynamic(to), &self.words, &self.boxes, place));
            self.enter(to_place(place), hash, budget)?;
        }
        Ok(())
    }
}

#[inline]
fn record<'a, W: Width>(
    width: W,
    words: &'a [Word],
    boxes: &'a [Box<[Word]>],
    place: usize,
) -> &'a [Word] {
    if W::VARIABLE {
        &boxes[place]
    } else {
        &words[width.range(&[], place)]
    }
}

#[inline]
fn to_place(place: usize) -> Place {
    Place::try_from(place).expect("places are numbered with 32 bits")
}
