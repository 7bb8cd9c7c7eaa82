//! Place/transition nets with weighted arcs and inhibitor arcs.

mod builder;

use std::collections::HashMap;

use sweepline_logic::{Expr, Name};

pub use builder::{NetBuilder, NetError};

/// The largest number of tokens a place may hold and the largest weight of an arc.
pub const MAX_TOKENS: u64 = (1 << 62) - 1;

/// A place/transition net.
///
/// ```
/// use sweepline_net::PetriNet;
///
/// let mut net = PetriNet::builder("handover");
/// let here = net.place("here", 2);
/// let there = net.place("there", 0);
/// net.rule("move", &[here], &[there]);
/// let net = net.build().unwrap();
///
/// let step = net.transition_with_id("move").unwrap();
/// assert_eq!(net.fire(&net.initial_marking(), step), Some(vec![1, 1]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PetriNet {
    id: String,
    places: Vec<Place>,
    transitions: Vec<Transition>,
    place_index: Index<PlaceId>,
    transition_index: Index<TransitionId>,
    folded: Option<Folded>,
}

/// The coloured net that a net is the unfolding of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    places: Groups<Tokens>,
    transitions: Groups<Vec<TransitionId>>,
    /// Colours of places whose tokens nothing moves, which are no places of the net, and how many such tokens there are.
    resting: Index<u64>,
    /// How many of these some transition needs.
    needed: usize,
}

/// Where the tokens are that a name stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// On these places,
    pub places: Vec<PlaceId>,
    /// and so many where nothing ever moves them. They belong to no place of the net.
    pub resting: u64,
}

impl Tokens {
    pub(crate) fn new(places: Vec<PlaceId>, resting: u64) -> Self {
        Self { places, resting }
    }

    /// How many there are, by the ids of places in `net`.
    pub fn count(&self, net: &PetriNet, name: impl Fn(&str) -> Name) -> Expr {
        let slot = |place: &PlaceId| Expr::Slot(name(&net.place(*place).id));
        let resting = Expr::Number(self.resting.cast_signed());
        match &self.places[..] {
            [] => resting,
            [only] if self.resting == 0 => slot(only),
            places => {
                let rest = (self.resting > 0).then_some(resting);
                Expr::Sum(places.iter().map(slot).chain(rest).collect())
            }
        }
    }
}

/// Nodes with colours, by id and by name, and what they were unfolded to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Groups<T> {
    members: Vec<T>,
    ids: Vec<String>,
    index: Index<usize>,
}

impl<T> Default for Groups<T> {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            ids: Vec::new(),
            index: Index::default(),
        }
    }
}

impl<T> Groups<T> {
    fn add(&mut self, id: &str, name: &str, members: T) {
        self.index.add(self.members.len(), id, name);
        self.ids.push(id.to_owned());
        self.members.push(members);
    }

    fn find(&self, id_or_name: &str) -> Result<&T, NotFound> {
        Ok(&self.members[self.index.find(id_or_name)?])
    }
}

impl Folded {
    pub(crate) fn add_place(&mut self, id: &str, name: &str, members: Tokens) {
        self.places.add(id, name, members);
    }

    /// A colour of a place whose tokens nothing moves, and whether some transition needs them.
    pub(crate) fn add_resting(&mut self, id: &str, name: &str, tokens: u64, is_needed: bool) {
        self.resting.add(tokens, id, name);
        self.needed += usize::from(is_needed);
    }

    pub(crate) fn add_transition(&mut self, id: &str, name: &str, members: Vec<TransitionId>) {
        self.transitions.add(id, name, members);
    }

    /// How many places the coloured net has.
    pub fn place_count(&self) -> usize {
        self.places.members.len()
    }

    /// How many colours of places are no places of the unfolding, since nothing moves their tokens, though some transition needs
    /// them. Those that nothing needs are not counted.
    pub fn resting_count(&self) -> usize {
        self.needed
    }

    /// The places of the coloured net by their ids, with the places of all their colours.
    pub fn places(&self) -> impl Iterator<Item = (&str, &Tokens)> {
        let ids = self.places.ids.iter().map(String::as_str);
        ids.zip(&self.places.members)
    }

    /// The transitions of the coloured net by their ids, with those of all their bindings.
    pub fn transitions(&self) -> impl Iterator<Item = (&str, &[TransitionId])> {
        let ids = self.transitions.ids.iter().map(String::as_str);
        ids.zip(self.transitions.members.iter().map(Vec::as_slice))
    }

    /// How many transitions the coloured net has.
    pub fn transition_count(&self) -> usize {
        self.transitions.members.len()
    }
}

/// Index of a place in its net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub u32);

/// Index of a transition in its net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransitionId(pub u32);

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What the file calls it; unique among places and transitions.
    pub id: String,
    /// What people call it; the id if nothing else is said.
    pub name: String,
    /// Tokens in the initial marking.
    pub initial: u64,
}

/// A transition with its arcs, each list sorted by place and without repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// What the file calls it; unique among places and transitions.
    pub id: String,
    /// What people call it; the id if nothing else is said.
    pub name: String,
    /// How many tokens it takes from which place.
    pub inputs: Vec<PlaceArc>,
    /// How many tokens it puts on which place.
    pub outputs: Vec<PlaceArc>,
    /// Places that must hold fewer tokens than the weight.
    pub inhibitors: Vec<PlaceArc>,
}

/// The end of an arc that is not the transition it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceArc {
    /// The place.
    pub place: PlaceId,
    /// The weight, from 1 to [`MAX_TOKENS`].
    pub weight: u64,
}

/// Why a place or transition cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// Nothing has this id or name.
    Unknown,
    /// Nothing has this id, and several have this name.
    Ambiguous,
}

impl PetriNet {
    /// Starts an empty net.
    pub fn builder(id: impl Into<String>) -> NetBuilder {
        NetBuilder::new(id.into())
    }

    /// What the file calls the net.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// All places, indexed by [`PlaceId`].
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// All transitions, indexed by [`TransitionId`].
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// The place with this index.
    pub fn place(&self, place: PlaceId) -> &Place {
        &self.places[place.index()]
    }

    /// The transition with this index.
    pub fn transition(&self, transition: TransitionId) -> &Transition {
        &self.transitions[transition.index()]
    }

    /// Every index of a place.
    pub fn place_ids(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..index_u32(self.places.len())).map(PlaceId)
    }

    /// Every index of a transition.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransitionId> + use<> {
        (0..index_u32(self.transitions.len())).map(TransitionId)
    }

    /// The place with this id.
    pub fn place_with_id(&self, id: &str) -> Option<PlaceId> {
        self.place_index.by_id.get(id).copied()
    }

    /// The transition with this id.
    pub fn transition_with_id(&self, id: &str) -> Option<TransitionId> {
        self.transition_index.by_id.get(id).copied()
    }

    /// The place with this id or, if there is none, the only one with this name.
    pub fn find_place(&self, id_or_name: &str) -> Result<PlaceId, NotFound> {
        self.place_index.find(id_or_name)
    }

    /// The transition with this id or, if there is none, the only one with this name.
    pub fn find_transition(&self, id_or_name: &str) -> Result<TransitionId, NotFound> {
        self.transition_index.find(id_or_name)
    }

    /// The coloured net that this one is the unfolding of, if it is one.
    pub fn folded(&self) -> Option<&Folded> {
        self.folded.as_ref()
    }

    /// Where the tokens are that a name stands for: on one place, or on those of all colours of a place of the coloured net.
    pub fn find_places(&self, id_or_name: &str) -> Result<Tokens, NotFound> {
        let found = self.find_place(id_or_name);
        let found = found.map(|place| Tokens::new(vec![place], 0));
        let Some(folded) = &self.folded else {
            return found;
        };
        match (folded.places.find(id_or_name), found) {
            (Ok(tokens), _) => Ok(tokens.clone()),
            (Err(_), Err(NotFound::Unknown)) => {
                let resting = folded.resting.find(id_or_name);
                resting.map(|tokens| Tokens::new(Vec::new(), tokens))
            }
            (Err(_), found) => found,
        }
    }

    /// All transitions that a name stands for: one, or all bindings of a transition of the coloured net.
    pub fn find_transitions(&self, id_or_name: &str) -> Result<Vec<TransitionId>, NotFound> {
        let group = self.folded.as_ref();
        match group.map(|folded| folded.transitions.find(id_or_name)) {
            Some(Ok(transitions)) => Ok(transitions.clone()),
            _ => self
                .find_transition(id_or_name)
                .map(|transition| vec![transition]),
        }
    }

    /// Each place alone; if the net has colours, the tokens of each place of the coloured net.
    pub fn place_groups(&self) -> impl Iterator<Item = Tokens> + use<> {
        let members = self.folded.as_ref().map(|folded| &folded.places.members);
        let alone = |place| Tokens::new(vec![place], 0);
        let alone = || self.place_ids().map(alone).collect();
        members.map_or_else(alone, Vec::clone).into_iter()
    }

    /// The same for transitions: their bindings.
    pub fn transition_groups(&self) -> impl Iterator<Item = Vec<TransitionId>> + use<> {
        let members = (self.folded.as_ref()).map(|folded| &folded.transitions.members);
        let alone = || self.transition_ids().map(|one| vec![one]).collect();
        members.map_or_else(alone, Vec::clone).into_iter()
    }

    /// All places that arcs connect with this one, itself before all: first those that tokens can go to from here, the
    /// nearest first, then the others.
    pub fn places_around(&self, place: PlaceId) -> impl Iterator<Item = PlaceId> + use<> {
        let mut around = vec![place];
        let mut is_known = vec![false; self.places.len()];
        is_known[place.index()] = true;
        let downstream = |arcs: &Transition| [arcs.inputs.clone(), arcs.outputs.clone()];
        let anywhere = |arcs: &Transition| {
            let all = [&arcs.inputs[..], &arcs.outputs].concat();
            [all.clone(), all]
        };
        self.spread(&mut around, &mut is_known, downstream);
        self.spread(&mut around, &mut is_known, anywhere);
        around.into_iter()
    }

    /// Adds places to which transitions lead from those that are known, breadth first. `ends` are the arcs a transition is
    /// entered by and those by which it is left.
    fn spread(
        &self,
        around: &mut Vec<PlaceId>,
        is_known: &mut [bool],
        ends: impl Fn(&Transition) -> [Vec<PlaceArc>; 2],
    ) {
        let mut leaving = vec![Vec::new(); self.places.len()];
        let mut targets = Vec::with_capacity(self.transitions.len());
        for (id, transition) in self.transition_ids().zip(&self.transitions) {
            let [from, to] = ends(transition);
            for arc in from {
                leaving[arc.place.index()].push(id);
            }
            targets.push(to);
        }
        let mut next = 0;
        while let Some(place) = around.get(next) {
            next += 1;
            for transition in std::mem::take(&mut leaving[place.index()]) {
                for arc in std::mem::take(&mut targets[transition.index()]) {
                    if !std::mem::replace(&mut is_known[arc.place.index()], true) {
                        around.push(arc.place);
                    }
                }
            }
        }
    }

    /// The tokens each place starts with.
    pub fn initial_marking(&self) -> Vec<u64> {
        self.places.iter().map(|place| place.initial).collect()
    }

    /// Whether the transition may fire.
    pub fn is_enabled(&self, marking: &[u64], transition: TransitionId) -> bool {
        let transition = self.transition(transition);
        let tokens = |arc: &PlaceArc| marking[arc.place.index()];
        transition
            .inputs
            .iter()
            .all(|arc| tokens(arc) >= arc.weight)
            && transition
                .inhibitors
                .iter()
                .all(|arc| tokens(arc) < arc.weight)
    }

    /// The marking after firing, or nothing if the transition is not enabled or a place would hold more than
    /// `u64::MAX` tokens.
    ///
    /// This is the definition of the firing rule; [`NetSystem`](crate::NetSystem) does the same on packed words.
    pub fn fire(&self, marking: &[u64], transition: TransitionId) -> Option<Vec<u64>> {
        if !self.is_enabled(marking, transition) {
            return None;
        }
        let transition = self.transition(transition);
        let mut target = marking.to_vec();
        for arc in &transition.inputs {
            target[arc.place.index()] -= arc.weight;
        }
        for arc in &transition.outputs {
            let tokens = &mut target[arc.place.index()];
            *tokens = tokens.checked_add(arc.weight)?;
        }
        Some(target)
    }

    /// The marking from which firing the transition leads to this one, if there is such: the marking equation, read backwards.
    pub fn fired_from(&self, marking: &[u64], transition: TransitionId) -> Option<Vec<u64>> {
        let arcs = self.transitions.get(transition.index())?;
        let mut source = marking.to_vec();
        for arc in &arcs.outputs {
            let tokens = &mut source[arc.place.index()];
            *tokens = tokens.checked_sub(arc.weight)?;
        }
        for arc in &arcs.inputs {
            let tokens = &mut source[arc.place.index()];
            *tokens = tokens.checked_add(arc.weight)?;
        }
        // An inhibitor may have been in the way.
        (self.fire(&source, transition)? == marking).then_some(source)
    }
}

impl PlaceId {
    /// As an index into a slice.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TransitionId {
    /// As an index into a slice.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Ids and names of one kind of node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Index<T> {
    by_id: HashMap<String, T>,
    /// `None` for a name that several have.
    by_name: HashMap<String, Option<T>>,
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self {
            by_id: HashMap::new(),
            by_name: HashMap::new(),
        }
    }
}

impl<T: Copy + PartialEq> Index<T> {
    fn new<'a>(nodes: impl Iterator<Item = (T, &'a str, &'a str)>) -> Self {
        let mut index = Self::default();
        for (node, id, name) in nodes {
            index.add(node, id, name);
        }
        index
    }

    fn add(&mut self, node: T, id: &str, name: &str) {
        self.by_id.insert(id.to_owned(), node);
        if name != id {
            self.by_name
                .entry(name.to_owned())
                .and_modify(|known| *known = None)
                .or_insert(Some(node));
        }
    }

    fn find(&self, id_or_name: &str) -> Result<T, NotFound> {
        if let Some(node) = self.by_id.get(id_or_name) {
            return Ok(*node);
        }
        match self.by_name.get(id_or_name) {
            Some(Some(node)) => Ok(*node),
            Some(None) => Err(NotFound::Ambiguous),
            None => Err(NotFound::Unknown),
        }
    }
}

/// A length as the number an index type holds.
fn index_u32(length: usize) -> u32 {
    u32::try_from(length)
        .expect("a net has fewer than 2^32 nodes: its file would not fit in memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inhibitors_and_weights_decide_enabledness() {
        let mut net = PetriNet::builder("n");
        let p = net.place("p", 3);
        let q = net.place("q", 1);
        let t = net.transition("t");
        net.input(t, p, 2).output(t, q, 5).inhibitor(t, q, 2);
        let net = net.build().unwrap();
        assert_eq!(net.fire(&[3, 1], t), Some(vec![1, 6]));
        assert_eq!(net.fire(&[1, 1], t), None, "too few tokens");
        assert_eq!(net.fire(&[3, 2], t), None, "inhibited");
        assert_eq!(net.fired_from(&[1, 6], t), Some(vec![3, 1]));
        assert_eq!(net.fired_from(&[1, 7], t), None, "inhibited before");
        assert_eq!(net.fired_from(&[1, 4], t), None, "too few tokens after");
    }

    #[test]
    fn places_around_come_by_distance() {
        let mut net = PetriNet::builder("n");
        let ring: Vec<_> = (0..6).map(|i| net.place(format!("r{i}"), 0)).collect();
        net.place("alone", 0);
        for i in 0..6 {
            net.rule(format!("t{i}"), &[ring[i]], &[ring[(i + 1) % 6]]);
        }
        let net = net.build().unwrap();
        let around: Vec<_> = net.places_around(ring[2]).map(|place| place.0).collect();
        assert_eq!(around, [2, 3, 4, 5, 0, 1], "downstream");
        let mut net = PetriNet::builder("n");
        let [a, b, c] = ["a", "b", "c"].map(|id| net.place(id, 0));
        net.rule("ab", &[a], &[b]);
        net.rule("ac", &[a], &[c]);
        let net = net.build().unwrap();
        let around: Vec<_> = net.places_around(b).map(|place| place.0).collect();
        assert_eq!(around, [1, 0, 2], "upstream, if there is nothing else");
    }

    #[test]
    fn ids_come_before_names_and_names_must_be_unique() {
        let mut net = PetriNet::builder("n");
        net.place_named("a", "b", 0);
        net.place_named("b", "x", 0);
        net.place_named("c", "twice", 0);
        net.place_named("d", "twice", 0);
        let net = net.build().unwrap();
        assert_eq!(net.find_place("b"), Ok(PlaceId(1)));
        assert_eq!(net.find_place("x"), Ok(PlaceId(1)));
        assert_eq!(net.find_place("twice"), Err(NotFound::Ambiguous));
        assert_eq!(net.find_place("none"), Err(NotFound::Unknown));
    }
}
