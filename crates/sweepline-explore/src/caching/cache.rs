//! The states off the stack, in the order they will be thrown out.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::options::Replacement;
use crate::memory::{self, Budget, Full};

/// Where a state is kept; see [`Store`](super::store::Store).
pub(super) type Place = u32;

/// The places of all states off the stack.
///
/// A state enters when it leaves the stack, and stays until it is thrown out: reaching it again may change its
/// rank but does not put it back on the stack.
#[derive(Debug)]
pub(super) struct Cache {
    order: Eviction,
    /// Entries that are accounted for. What was needed once is not given back.
    accounted: usize,
}

#[derive(Debug)]
enum Eviction {
    Random(Vec<Place>, Random),
    Oldest(VecDeque<Place>),
    Newest(Vec<Place>),
    Ranked(Ranked),
}

impl Cache {
    pub(super) fn new(replacement: Replacement, seed: u64) -> Self {
        let order = match replacement {
            Replacement::Random => Eviction::Random(Vec::new(), Random(seed)),
            Replacement::Oldest => Eviction::Oldest(VecDeque::new()),
            Replacement::Newest => Eviction::Newest(Vec::new()),
            Replacement::LeastVisited => Eviction::Ranked(Ranked::new(By::Visits)),
            Replacement::LeastRecent => Eviction::Ranked(Ranked::new(By::LastVisit)),
        };
        Self {
            order,
            accounted: 0,
        }
    }

    fn len(&self) -> usize {
        match &self.order {
            Eviction::Random(places, _) | Eviction::Newest(places) => places.len(),
            Eviction::Oldest(places) => places.len(),
            Eviction::Ranked(ranked) => ranked.heap.len(),
        }
    }

    /// Takes note of a state that is new in the store.
    #[inline]
    pub(super) fn welcome(&mut self, place: Place, budget: &mut Budget) -> Result<(), Full> {
        match &mut self.order {
            Eviction::Ranked(ranked) => ranked.welcome(place, budget),
            _ => Ok(()),
        }
    }

    /// Takes note of a visit to a state that is kept, on or off the stack.
    #[inline]
    pub(super) fn visit(&mut self, place: Place) {
        if let Eviction::Ranked(ranked) = &mut self.order {
            ranked.visit(place);
        }
    }

    /// Adds a state that leaves the stack.
    pub(super) fn push(&mut self, place: Place, budget: &mut Budget) -> Result<(), Full> {
        if self.len() == self.accounted {
            budget.take(self.entry_bytes())?;
            self.accounted += 1;
        }
        match &mut self.order {
            Eviction::Random(places, _) | Eviction::Newest(places) => places.push(place),
            Eviction::Oldest(places) => places.push_back(place),
            Eviction::Ranked(ranked) => ranked.push(place),
        }
        Ok(())
    }

    /// Removes the state to throw out; none if all states are on the stack.
    pub(super) fn pop(&mut self) -> Option<Place> {
        match &mut self.order {
            Eviction::Random(places, random) if !places.is_empty() => {
                let chosen = random.below(places.len());
                Some(places.swap_remove(chosen))
            }
            Eviction::Random(..) => None,
            Eviction::Newest(places) => places.pop(),
            Eviction::Oldest(places) => places.pop_front(),
            Eviction::Ranked(ranked) => ranked.pop(),
        }
    }

    /// Bytes of an entry, counting that vectors double.
    fn entry_bytes(&self) -> usize {
        match self.order {
            Eviction::Ranked(_) => size_of::<Entry>() * 2,
            _ => size_of::<Place>() * 2,
        }
    }
}

/// States by rank, least first.
///
/// Ranks only grow, so an entry of the heap has a rank that is right or too low. One that is too low goes back
/// with the right one when it comes to the top.
#[derive(Debug)]
struct Ranked {
    by: By,
    heap: BinaryHeap<Entry>,
    /// The rank of the state in each place.
    ranks: Vec<u64>,
    /// Visits and departures so far.
    clock: u64,
}

/// A rank, when the state left the stack, and its place.
type Entry = Reverse<(u64, u64, Place)>;

#[derive(Clone, Copy, Debug)]
enum By {
    Visits,
    LastVisit,
}

impl Ranked {
    fn new(by: By) -> Self {
        Self {
            by,
            heap: BinaryHeap::new(),
            ranks: Vec::new(),
            clock: 0,
        }
    }

    fn welcome(&mut self, place: Place, budget: &mut Budget) -> Result<(), Full> {
        let place = place as usize;
        if self.ranks.len() <= place {
            if self.ranks.capacity() <= place {
                let more = place + 1 - self.ranks.len();
                memory::grow(&mut self.ranks, more, budget)?;
            }
            self.ranks.resize(place + 1, 0);
        }
        self.clock += 1;
        self.ranks[place] = match self.by {
            By::Visits => 1,
            By::LastVisit => self.clock,
        };
        Ok(())
    }

    fn visit(&mut self, place: Place) {
        self.clock += 1;
        let rank = &mut self.ranks[place as usize];
        *rank = match self.by {
            By::Visits => *rank + 1,
            By::LastVisit => self.clock,
        };
    }

    fn push(&mut self, place: Place) {
        self.clock += 1;
        let rank = self.ranks[place as usize];
        self.heap.push(Reverse((rank, self.clock, place)));
    }

    fn pop(&mut self) -> Option<Place> {
        loop {
            let Reverse((rank, left, place)) = self.heap.pop()?;
            let right = self.ranks[place as usize];
            if rank == right {
                return Some(place);
            }
            self.heap.push(Reverse((right, left, place)));
        }
    }
}

/// Numbers that look random: a counter, mixed.
#[derive(Debug)]
struct Random(u64);

impl Random {
    /// A number below `bound`, which is not zero.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        for _ in 0..2 {
            mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        }
        mixed ^= mixed >> 32;
        usize::try_from(mixed % bound as u64).expect("it is below a number that fits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States 0 to 3 enter, the visited ones are reached again, then they leave the stack in the order 3, 2, 1, 0.
    #[test]
    fn each_replacement_has_its_order() {
        for (replacement, visited, expected) in [
            (Replacement::Oldest, &[0, 3][..], [3, 2, 1, 0]),
            (Replacement::Newest, &[0, 3], [0, 1, 2, 3]),
            (Replacement::LeastVisited, &[], [3, 2, 1, 0]),
            (Replacement::LeastVisited, &[3, 3, 2], [1, 0, 2, 3]),
            (Replacement::LeastRecent, &[], [0, 1, 2, 3]),
            (Replacement::LeastRecent, &[2, 0], [1, 3, 2, 0]),
        ] {
            for visited_on_stack in [true, false] {
                let order = leaving(replacement, visited, visited_on_stack);
                assert_eq!(order, expected, "{replacement:?} {visited:?}");
            }
        }
    }

    fn leaving(replacement: Replacement, visited: &[Place], on_stack: bool) -> Vec<Place> {
        let mut budget = Budget::new(None);
        let mut cache = Cache::new(replacement, 0);
        for place in 0..4 {
            cache.welcome(place, &mut budget).unwrap();
        }
        for &place in visited.iter().filter(|_| on_stack) {
            cache.visit(place);
        }
        for place in [3, 2, 1, 0] {
            cache.push(place, &mut budget).unwrap();
        }
        for &place in visited.iter().filter(|_| !on_stack) {
            cache.visit(place);
        }
        std::iter::from_fn(|| cache.pop()).collect()
    }

    #[test]
    fn random_choices_reach_every_state_and_repeat_with_the_seed() {
        let draw = |seed| {
            let mut budget = Budget::new(None);
            let mut cache = Cache::new(Replacement::Random, seed);
            for place in 0..100 {
                cache.push(place, &mut budget).unwrap();
            }
            std::iter::from_fn(|| cache.pop()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let mut all = draw(1);
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
    }
}
