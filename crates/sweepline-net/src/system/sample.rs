//! A short look at the state space, to choose how states are packed and in which order transitions are tried.
//!
//! Nothing here has to be right: a slot that is too narrow is noticed when it overflows.

use std::collections::{HashSet, VecDeque};

use crate::net::{MAX_TOKENS, PetriNet, PlaceId, TransitionId};

/// States looked at in breadth-first order.
const PREFIX: usize = 2000;
/// Bound on all the work, in places and transitions looked at; some hundredths of a second.
const WORK: usize = 2_000_000;
/// Undirected random walks, and the steps of each.
const WALKS: (usize, usize) = (4, 500);
/// Steps of a walk that fills a place.
const FILLING: usize = 5000;
/// With more transitions than this, trying all of them in every state does not pay.
const FEW: usize = 64;

/// What the sample saw.
#[derive(Debug)]
pub(super) struct Sample {
    /// The most tokens per place.
    pub(super) most: Vec<u64>,
    /// In how many states each place was marked.
    marked: Vec<usize>,
}

/// In which order transitions are tried.
#[derive(Debug)]
pub(super) enum TrialOrder {
    /// All of them in the order of the net.
    All,
    /// Per transition one of its input places, if it has any: it is tried only in states that mark this place.
    ByPlace(Vec<Option<PlaceId>>),
}

impl TrialOrder {
    /// The order for this net, which may depend on a sample but not on how states are packed.
    pub(super) fn new(net: &PetriNet, sample: impl FnOnce() -> Sample) -> Self {
        if net.transitions().len() <= FEW {
            return Self::All;
        }
        sample().rarest_inputs(net)
    }
}

impl Sample {
    pub(super) fn of(net: &PetriNet) -> Self {
        let mut sampler = Sampler::new(net);
        if !sampler.breadth_first() {
            sampler.random_walks();
            sampler.fill_places();
        }
        sampler.sample
    }

    /// Chooses for each transition the input place that is marked least often.
    fn rarest_inputs(&self, net: &PetriNet) -> TrialOrder {
        let rarest = |transition: TransitionId| {
            let inputs = net.transition(transition).inputs.iter();
            inputs
                .map(|arc| arc.place)
                .min_by_key(|place| self.marked[place.index()])
        };
        TrialOrder::ByPlace(net.transition_ids().map(rarest).collect())
    }
}

struct Sampler<'a> {
    net: &'a PetriNet,
    sample: Sample,
    work: usize,
    random: u64,
}

impl<'a> Sampler<'a> {
    fn new(net: &'a PetriNet) -> Self {
        let initial = net.initial_marking();
        Self {
            net,
            sample: Sample {
                marked: vec![0; initial.len()],
                most: initial,
            },
            work: 0,
            random: 0x2545_F491_4F6C_DD1D,
        }
    }

    /// Visits the first states; says whether these are all.
    fn breadth_first(&mut self) -> bool {
        let initial = self.net.initial_marking();
        let mut seen = HashSet::from([initial.clone()]);
        let mut queue = VecDeque::from([initial]);
        while let Some(marking) = queue.pop_front() {
            for transition in self.enabled(&marking) {
                let Some(target) = self.fire(&marking, transition) else {
                    return false;
                };
                if seen.len() >= PREFIX || self.work > WORK / 2 {
                    return false;
                }
                if seen.insert(target.clone()) {
                    queue.push_back(target);
                }
            }
        }
        true
    }

    fn random_walks(&mut self) {
        let (walks, steps) = WALKS;
        for _ in 0..walks {
            self.walk(steps, |_, _| true);
        }
    }

    /// For each place a random walk that never takes tokens from it, to see how full it can get.
    fn fill_places(&mut self) {
        let net = self.net;
        let step_work = net.places().len() + net.transitions().len();
        let per_place = WORK.saturating_sub(self.work) / net.places().len().max(1);
        for place in net.place_ids() {
            self.walk((per_place / step_work).min(FILLING), |net, transition| {
                let transition = net.transition(transition);
                let weight = |arcs: &[crate::PlaceArc]| {
                    arcs.iter()
                        .find(|arc| arc.place == place)
                        .map_or(0, |arc| arc.weight)
                };
                weight(&transition.inputs) <= weight(&transition.outputs)
            });
        }
    }

    fn walk(&mut self, steps: usize, allowed: impl Fn(&PetriNet, TransitionId) -> bool) {
        let mut marking = self.net.initial_marking();
        for _ in 0..steps {
            let mut enabled = self.enabled(&marking);
            enabled.retain(|transition| allowed(self.net, *transition));
            let next = self
                .choose(&enabled)
                .and_then(|next| self.fire(&marking, next));
            match next {
                Some(next) if self.work <= WORK => marking = next,
                _ => return,
            }
        }
    }

    fn enabled(&mut self, marking: &[u64]) -> Vec<TransitionId> {
        self.work += self.net.transitions().len();
        let enabled = |transition: &TransitionId| self.net.is_enabled(marking, *transition);
        self.net.transition_ids().filter(enabled).collect()
    }

    /// The next marking, unless it has more tokens than can be encoded.
    fn fire(&mut self, marking: &[u64], transition: TransitionId) -> Option<Vec<u64>> {
        let target = self.net.fire(marking, transition)?;
        self.work += target.len();
        let sample = &mut self.sample;
        for ((tokens, most), marked) in target.iter().zip(&mut sample.most).zip(&mut sample.marked)
        {
            *most = (*most).max(*tokens).min(MAX_TOKENS);
            *marked += usize::from(*tokens > 0);
        }
        target
            .iter()
            .all(|tokens| *tokens <= MAX_TOKENS)
            .then_some(target)
    }

    /// One of them, at random, by the generator xorshift64.
    fn choose(&mut self, enabled: &[TransitionId]) -> Option<TransitionId> {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let count = u64::try_from(enabled.len())
            .ok()
            .filter(|count| *count > 0)?;
        let index = usize::try_from(self.random % count).ok()?;
        Some(enabled[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family;

    #[test]
    fn samples_find_how_full_places_get() {
        let most = Sample::of(&family::kanban(5)).most;
        assert_eq!(most, [5; 16]);
        let net = family::pipe(8, 8, 2);
        let most = Sample::of(&net).most;
        let w8 = net.place_with_id("w_8").unwrap();
        assert_eq!(most[w8.index()], 8);
    }

    #[test]
    fn samples_end_on_unbounded_nets() {
        let mut net = PetriNet::builder("source");
        let p = net.place("p", 0);
        let t = net.transition("t");
        net.output(t, p, MAX_TOKENS);
        let most = Sample::of(&net.build().unwrap()).most;
        assert_eq!(most, [MAX_TOKENS]);
    }
}
