//! A net as a transition system on packed words.

mod compile;
mod firing;
mod sample;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use sweepline_core::{ActionId, AnySystem, Describe, Layout, SlotId, Steps, System, Word};

use crate::net::{PetriNet, PlaceId};
use firing::Rules;
use sample::{Sample, TrialOrder};

/// The most bits a place can have.
const MOST_BITS: u32 = 62;

/// A net that can be explored: a slot per place, in the order of the places and named by their ids.
///
/// How many tokens a place can hold is not known in advance. Each slot starts with as many bits as a short sample of the
/// state space needs. If a place ever outgrows its slot, the batch of steps fails with
/// [`Fault::Outgrown`](sweepline_core::Fault::Outgrown), and [`widened`](NetSystem::widened) gives the same system with
/// more room: same slots, same actions, same order of steps.
///
/// ```
/// use sweepline_core::{Describe, Steps, System};
/// use sweepline_net::{NetSystem, family};
///
/// let system = NetSystem::new(family::philosophers(2));
/// let mut initial = Steps::for_layout(system.layout());
/// system.initial(&mut initial);
/// let mut steps = Steps::for_layout(system.layout());
/// system.successors(initial.target(0), &mut steps);
/// let names: Vec<_> = steps.actions().iter().map(|a| &*system.actions()[a.0 as usize]).collect();
/// assert_eq!(names, ["takel_0", "taker_0", "takel_1", "taker_1"]);
/// ```
#[derive(Clone, Debug)]
pub struct NetSystem {
    model: Arc<Model>,
    bits: Vec<u32>,
    /// The places that have outgrown their slots so far.
    outgrown: BTreeSet<PlaceId>,
    layout: Layout,
    initial: Vec<Word>,
    rules: Rules,
}

/// What does not depend on the layout.
#[derive(Debug)]
struct Model {
    net: Arc<PetriNet>,
    actions: Vec<String>,
    order: TrialOrder,
}

impl NetSystem {
    /// Encodes a net.
    pub fn new(net: impl Into<Arc<PetriNet>>) -> Self {
        let net = net.into();
        let sample = Sample::of(&net);
        let bits = sample.most.iter().map(|tokens| bits_for(*tokens)).collect();
        let order = TrialOrder::new(&net, || sample);
        Self::encode(Arc::new(Model::new(net, order)), bits)
    }

    /// Encodes a net with given numbers of bits per place (from 1 to 62, at least enough for the initial marking).
    ///
    /// This is for experiments; [`new`](NetSystem::new) finds good numbers itself.
    pub fn with_bits(net: impl Into<Arc<PetriNet>>, bits: impl Fn(PlaceId) -> u32) -> Self {
        let net = net.into();
        let order = TrialOrder::new(&net, || Sample::of(&net));
        Self::with_order(net, bits, order)
    }

    fn with_order(net: Arc<PetriNet>, bits: impl Fn(PlaceId) -> u32, order: TrialOrder) -> Self {
        let bits = net
            .place_ids()
            .map(|place| bits(place).clamp(bits_for(net.place(place).initial), MOST_BITS))
            .collect();
        Self::encode(Arc::new(Model::new(net, order)), bits)
    }

    /// The net.
    pub fn net(&self) -> &PetriNet {
        &self.model.net
    }

    /// The same system with about twice as many bits for one place, or nothing if it has 62 already.
    ///
    /// Where one place outgrows its slot, others often follow, and each time everything stored is rewritten. So the
    /// first time it is one place that gets more room, the next time sixteen, then 256 and so on: the one that needs it,
    /// and places behind it that are no wider. A place that needs more for the second time is on its own.
    pub fn widened(&self, slot: SlotId) -> Option<Self> {
        let mut bits = self.bits.clone();
        let place = PlaceId(slot.0);
        let before = bits[place.index()];
        if before >= MOST_BITS {
            return None;
        }
        let mut outgrown = self.outgrown.clone();
        let many = if outgrown.insert(place) {
            16_usize.saturating_pow(u32::try_from(self.outgrown.len()).unwrap_or(u32::MAX))
        } else {
            1
        };
        let no_wider = |place: &PlaceId| self.bits[place.index()] <= before;
        let net = &self.model.net;
        for place in net.places_around(place).filter(no_wider).take(many) {
            let bits = &mut bits[place.index()];
            *bits = (*bits * 2).min(MOST_BITS);
        }
        Some(Self {
            outgrown,
            ..Self::encode(Arc::clone(&self.model), bits)
        })
    }

    fn encode(model: Arc<Model>, bits: Vec<u32>) -> Self {
        let net = &model.net;
        let layout = net
            .places()
            .iter()
            .zip(&bits)
            .fold(Layout::builder(), |layout, (place, bits)| {
                layout.guarded(&*place.id, *bits)
            })
            .build();
        let initial = pack(&layout, &net.initial_marking());
        let rules = Rules::new(net, &layout, &model.order);
        Self {
            model,
            bits,
            outgrown: BTreeSet::new(),
            layout,
            initial,
            rules,
        }
    }

    /// The tokens of each place in a state.
    pub fn marking(&self, state: &[Word]) -> Vec<u64> {
        self.layout
            .slots()
            .iter()
            .map(|slot| slot.read(state).cast_unsigned())
            .collect()
    }
}

impl Model {
    fn new(net: Arc<PetriNet>, order: TrialOrder) -> Self {
        let actions = net
            .transitions()
            .iter()
            .map(|transition| transition.id.clone())
            .collect();
        Self {
            net,
            actions,
            order,
        }
    }
}

impl System for NetSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &self.initial);
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        self.rules.successors(state, out);
    }
}

impl AnySystem for NetSystem {
    fn widened(&self, slot: SlotId) -> Option<Arc<dyn AnySystem>> {
        Some(Arc::new(NetSystem::widened(self, slot)?))
    }
}

impl Describe for NetSystem {
    fn actions(&self) -> &[String] {
        &self.model.actions
    }
}

/// How many bits it takes to hold this many tokens.
fn bits_for(tokens: u64) -> u32 {
    (u64::BITS - tokens.leading_zeros()).clamp(1, MOST_BITS)
}

fn pack(layout: &Layout, marking: &[u64]) -> Vec<Word> {
    let mut state = vec![
        0;
        layout
            .width()
            .expect("a net's states all have the same size")
    ];
    for (slot, tokens) in layout.slots().iter().zip(marking) {
        slot.write(&mut state, tokens.cast_signed())
            .expect("slots are made wide enough for the initial marking");
    }
    state
}
