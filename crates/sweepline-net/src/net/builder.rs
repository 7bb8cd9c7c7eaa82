//! Putting a net together.

use std::collections::HashSet;

use super::{
    Folded, Index, MAX_TOKENS, PetriNet, Place, PlaceArc, PlaceId, Transition, TransitionId,
    index_u32,
};

/// A net under construction.
///
/// Nothing is checked before [`build`](NetBuilder::build). Several arcs between the same two nodes add up (of several
/// inhibitor arcs the strictest counts).
#[derive(Clone, Debug)]
pub struct NetBuilder {
    id: String,
    places: Vec<Place>,
    transitions: Vec<Draft>,
    folded: Option<Folded>,
}

/// A transition whose arcs are not merged yet.
#[derive(Clone, Debug)]
struct Draft {
    id: String,
    name: String,
    inputs: Vec<PlaceArc>,
    outputs: Vec<PlaceArc>,
    reads: Vec<PlaceArc>,
    inhibitors: Vec<PlaceArc>,
}

/// What is wrong with a net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum NetError {
    /// Two nodes have the same id.
    #[error("two nodes have the id `{0}`")]
    DuplicateId(String),
    /// A place starts with more tokens than can be counted.
    #[error("place `{0}` starts with more than {MAX_TOKENS} tokens")]
    TooManyTokens(String),
    /// An arc has weight zero.
    #[error("an arc between place `{place}` and transition `{transition}` has weight 0")]
    ZeroWeight {
        /// Id of the place.
        place: String,
        /// Id of the transition.
        transition: String,
    },
    /// The weights of the arcs between two nodes add up to more than can be counted.
    #[error(
        "the arcs between place `{place}` and transition `{transition}` weigh more than {MAX_TOKENS}"
    )]
    TooHeavy {
        /// Id of the place.
        place: String,
        /// Id of the transition.
        transition: String,
    },
}

impl NetBuilder {
    pub(super) fn new(id: String) -> Self {
        Self {
            id,
            places: Vec::new(),
            transitions: Vec::new(),
            folded: None,
        }
    }

    /// Says which coloured net this is the unfolding of.
    pub(crate) fn folded(&mut self, folded: Folded) {
        self.folded = Some(folded);
    }

    /// Adds a place that is called by its id.
    pub fn place(&mut self, id: impl Into<String>, initial: u64) -> PlaceId {
        let id = id.into();
        self.place_named(id.clone(), id, initial)
    }

    /// Adds a place with a name.
    pub fn place_named(
        &mut self,
        id: impl Into<String>,
        name: impl Into<String>,
        initial: u64,
    ) -> PlaceId {
        self.places.push(Place {
            id: id.into(),
            name: name.into(),
            initial,
        });
        PlaceId(index_u32(self.places.len() - 1))
    }

    /// Adds a transition that is called by its id.
    pub fn transition(&mut self, id: impl Into<String>) -> TransitionId {
        let id = id.into();
        self.transition_named(id.clone(), id)
    }

    /// Adds a transition with a name.
    pub fn transition_named(
        &mut self,
        id: impl Into<String>,
        name: impl Into<String>,
    ) -> TransitionId {
        self.transitions.push(Draft {
            id: id.into(),
            name: name.into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            reads: Vec::new(),
            inhibitors: Vec::new(),
        });
        TransitionId(index_u32(self.transitions.len() - 1))
    }

    /// Adds a transition that takes one token from each place of `inputs` and puts one on each of `outputs`.
    pub fn rule(
        &mut self,
        id: impl Into<String>,
        inputs: &[PlaceId],
        outputs: &[PlaceId],
    ) -> TransitionId {
        let transition = self.transition(id);
        for place in inputs {
            self.input(transition, *place, 1);
        }
        for place in outputs {
            self.output(transition, *place, 1);
        }
        transition
    }

    /// Lets the transition take tokens.
    pub fn input(&mut self, transition: TransitionId, place: PlaceId, weight: u64) -> &mut Self {
        self.draft(transition)
            .inputs
            .push(PlaceArc { place, weight });
        self
    }

    /// Lets the transition put tokens.
    pub fn output(&mut self, transition: TransitionId, place: PlaceId, weight: u64) -> &mut Self {
        self.draft(transition)
            .outputs
            .push(PlaceArc { place, weight });
        self
    }

    /// Lets the transition require tokens without taking them.
    pub fn read(&mut self, transition: TransitionId, place: PlaceId, weight: u64) -> &mut Self {
        self.draft(transition)
            .reads
            .push(PlaceArc { place, weight });
        self
    }

    /// Forbids the transition to fire while the place holds `weight` tokens or more.
    pub fn inhibitor(
        &mut self,
        transition: TransitionId,
        place: PlaceId,
        weight: u64,
    ) -> &mut Self {
        self.draft(transition)
            .inhibitors
            .push(PlaceArc { place, weight });
        self
    }

    /// The finished net, or the first thing that is wrong with it.
    pub fn build(self) -> Result<PetriNet, NetError> {
        self.check_ids()?;
        if let Some(place) = self.places.iter().find(|place| place.initial > MAX_TOKENS) {
            return Err(NetError::TooManyTokens(place.id.clone()));
        }
        let places = self.places;
        let transitions = self
            .transitions
            .into_iter()
            .map(|draft| draft.finish(&places))
            .collect::<Result<Vec<_>, _>>()?;
        let place_index = Index::new(
            (0..)
                .map(PlaceId)
                .zip(&places)
                .map(|(i, p)| (i, &*p.id, &*p.name)),
        );
        let transition_index = Index::new(
            (0..)
                .map(TransitionId)
                .zip(&transitions)
                .map(|(i, t)| (i, &*t.id, &*t.name)),
        );
        Ok(PetriNet {
            id: self.id,
            places,
            transitions,
            place_index,
            transition_index,
            folded: self.folded,
        })
    }

    fn draft(&mut self, transition: TransitionId) -> &mut Draft {
        &mut self.transitions[transition.index()]
    }

    fn check_ids(&self) -> Result<(), NetError> {
        let places = self.places.iter().map(|place| &place.id);
        let transitions = self.transitions.iter().map(|transition| &transition.id);
        let mut seen = HashSet::new();
        match places.chain(transitions).find(|id| !seen.insert(*id)) {
            Some(id) => Err(NetError::DuplicateId(id.clone())),
            None => Ok(()),
        }
    }
}

impl Draft {
    fn finish(self, places: &[Place]) -> Result<Transition, NetError> {
        let name_of = |place: PlaceId| places[place.index()].id.clone();
        let all = [&self.inputs, &self.outputs, &self.reads, &self.inhibitors];
        if let Some(arc) = all.into_iter().flatten().find(|arc| arc.weight == 0) {
            return Err(NetError::ZeroWeight {
                place: name_of(arc.place),
                transition: self.id,
            });
        }
        let mut inputs = merge(self.inputs, u64::saturating_add);
        let mut outputs = self.outputs;
        add_reads(&mut inputs, &mut outputs, merge(self.reads, u64::max));
        let inputs = merge(inputs, u64::saturating_add);
        let outputs = merge(outputs, u64::saturating_add);
        let inhibitors = merge(self.inhibitors, u64::min);
        let all = [&inputs, &outputs, &inhibitors];
        if let Some(arc) = all
            .into_iter()
            .flatten()
            .find(|arc| arc.weight > MAX_TOKENS)
        {
            return Err(NetError::TooHeavy {
                place: name_of(arc.place),
                transition: self.id,
            });
        }
        Ok(Transition {
            id: self.id,
            name: self.name,
            inputs,
            outputs,
            inhibitors,
        })
    }
}

/// Sorts arcs by place and merges those of the same place.
fn merge(mut arcs: Vec<PlaceArc>, combine: impl Fn(u64, u64) -> u64) -> Vec<PlaceArc> {
    arcs.sort_by_key(|arc| arc.place);
    arcs.dedup_by(|next, kept| {
        let same = next.place == kept.place;
        if same {
            kept.weight = combine(kept.weight, next.weight);
        }
        same
    });
    arcs
}

/// Expresses reading as taking and giving back: where more is required than taken, the rest is taken too and returned.
fn add_reads(inputs: &mut Vec<PlaceArc>, outputs: &mut Vec<PlaceArc>, reads: Vec<PlaceArc>) {
    let sorted = inputs.len();
    for PlaceArc { place, weight } in reads {
        let found = inputs[..sorted].binary_search_by_key(&place, |arc| arc.place);
        let taken = found.map_or(0, |at| inputs[at].weight);
        if weight > taken {
            let rest = PlaceArc {
                place,
                weight: weight - taken,
            };
            inputs.push(rest);
            outputs.push(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(place: u32, weight: u64) -> PlaceArc {
        PlaceArc {
            place: PlaceId(place),
            weight,
        }
    }

    #[test]
    fn parallel_arcs_are_merged() {
        let mut net = PetriNet::builder("n");
        let p = net.place("p", 0);
        let q = net.place("q", 0);
        let t = net.transition("t");
        net.input(t, q, 1)
            .input(t, p, 2)
            .input(t, q, 3)
            .inhibitor(t, p, 9)
            .inhibitor(t, p, 7);
        let net = net.build().unwrap();
        assert_eq!(net.transition(t).inputs, [arc(0, 2), arc(1, 4)]);
        assert_eq!(net.transition(t).inhibitors, [arc(0, 7)]);
    }

    #[test]
    fn reading_requires_tokens_and_keeps_them() {
        let mut net = PetriNet::builder("n");
        let p = net.place("p", 0);
        let t = net.transition("t");
        net.input(t, p, 2).read(t, p, 5).read(t, p, 3);
        let net = net.build().unwrap();
        assert_eq!(net.fire(&[4], t), None);
        assert_eq!(net.fire(&[5], t), Some(vec![3]));
    }

    #[test]
    fn impossible_nets_are_refused() {
        let check = |make: &dyn Fn(&mut NetBuilder), message: &str| {
            let mut net = PetriNet::builder("n");
            make(&mut net);
            assert_eq!(net.build().unwrap_err().to_string(), message);
        };
        check(
            &|net| {
                net.place("x", 0);
                net.transition("x");
            },
            "two nodes have the id `x`",
        );
        check(
            &|net| {
                net.place("p", MAX_TOKENS + 1);
            },
            "place `p` starts with more than 4611686018427387903 tokens",
        );
        check(
            &|net| {
                let (p, t) = (net.place("p", 0), net.transition("t"));
                net.output(t, p, 0);
            },
            "an arc between place `p` and transition `t` has weight 0",
        );
        check(
            &|net| {
                let (p, t) = (net.place("p", 0), net.transition("t"));
                net.input(t, p, MAX_TOKENS).input(t, p, 1);
            },
            "the arcs between place `p` and transition `t` weigh more than 4611686018427387903",
        );
    }
}
