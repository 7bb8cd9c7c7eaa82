//! Storing targets of large layers ahead of the sweep-line.
//!
//! Where layers are large most steps lead into a few of them, so which layer a key has is looked up once for each target:
//! for loading ahead what the look-up will touch, and for the look-up itself.

use sweepline_core::{Link, Progress, System};

use super::Sweep;
use super::end::Halt;
use super::expand::{Batch, PART};
use crate::front::Home;
use crate::index::Probe;
use crate::log::{Origin, wanted};
use crate::record::Width;
use crate::stores::narrow;

impl<S: System, P: Progress> Sweep<S, P> {
    /// Finds the large layers of the next targets, if there are any: who has one layer only does not pay for others.
    #[inline]
    pub(super) fn look_ahead<W: Width>(&mut self, width: W, count: usize) {
        self.batch.homes_known = self.stores.front.has_large_layers();
        if self.batch.homes_known {
            self.find_homes(width, count);
        }
    }

    /// Finds the large layers of the next targets as far as they are not in the open layer, and starts loading what look-ups
    /// in them will touch.
    #[inline(never)]
    fn find_homes<W: Width>(&mut self, width: W, count: usize) {
        let (front, here) = (&mut self.stores.front, self.stores.open.key);
        let Batch {
            hashes,
            keys,
            homes,
            ..
        } = &mut self.batch;
        let homes = &mut homes[..count];
        for (home, &key) in homes.iter_mut().zip(&**keys) {
            *home = if key == here { None } else { front.home(key) };
        }
        if !front.is_large() {
            return;
        }
        let ahead = || {
            let known = homes.iter().zip(&**hashes);
            known.filter_map(|(home, &hash)| Some((front.at((*home)?), hash)))
        };
        for (layer, hash) in ahead() {
            layer.prefetch_slot(width, hash);
        }
        for (layer, hash) in ahead() {
            layer.prefetch_record(width, hash);
        }
    }

    /// Stores a target that is not just one of the open layer.
    #[inline(never)]
    pub(super) fn store_away<W: Width, const LINKS: bool>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        // What is persistent is in no layer, so where there are such states the home of another says nothing about it.
        if self.batch.homes_known
            && self.stores.persistent.is_empty()
            && let Some(home) = self.batch.homes[index % PART]
        {
            return self.store_ahead::<W, LINKS>(width, home, index, number, ordinal);
        }
        self.store_elsewhere::<W, LINKS>(width, index, number, ordinal)
    }

    /// Stores a target of a large layer ahead, unless it is known.
    #[inline]
    fn store_ahead<W: Width, const LINKS: bool>(
        &mut self,
        width: W,
        home: Home,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        let target = width.target(&self.batch.steps, index);
        let hash = self.batch.hashes[index % PART];
        let place = match self.stores.front.at(home).probe(width, target, hash) {
            Probe::Found(place) => place,
            Probe::Vacant(at) => {
                let origin = wanted(&mut self.log, Origin::step(number, ordinal));
                let stores = &mut self.stores;
                let state = (target, hash);
                stores
                    .front
                    .add_at(width, home, at, state, origin, &mut stores.budget)?
            }
        };
        if LINKS {
            let layer = self.stores.front.at(home).id;
            self.batch.links[index] = Link::Ahead(layer, narrow(place));
        }
        Ok(())
    }
}
