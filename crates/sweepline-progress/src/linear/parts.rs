//! Connected parts of a net: places linked by transitions.

use super::effects::{Effects, Weights};

/// A connected part with places and transitions numbered anew.
pub(super) struct Part {
    /// The place of the whole net behind each place of the part.
    pub(super) places: Vec<usize>,
    /// The transition of the whole net behind each transition of the part.
    pub(super) transitions: Vec<usize>,
    /// The effects in the numbers of the part.
    pub(super) effects: Effects,
}

impl Part {
    /// The weights of the whole net that these weights of the part mean.
    pub(super) fn weights(&self, of: &Weights) -> Weights {
        let place = |&(place, weight): &(usize, i64)| (self.places[place], weight);
        Weights::new(of.of.iter().map(place).collect())
    }
}

/// All parts in which something happens, by their first transition.
pub(super) fn parts(effects: &Effects) -> Vec<Part> {
    let mut links = Links::new(effects.places());
    for transition in 0..effects.transitions() {
        links.join(effects.of(transition).iter().map(|entry| entry.0));
    }
    let mut number = vec![usize::MAX; effects.places()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    for transition in 0..effects.transitions() {
        let Some(&(place, _)) = effects.of(transition).first() else {
            continue;
        };
        let part = &mut number[links.find(place)];
        if *part == usize::MAX {
            *part = members.len();
            members.push(Vec::new());
        }
        members[*part].push(transition);
    }
    members
        .into_iter()
        .map(|transitions| part(effects, transitions))
        .collect()
}

fn part(effects: &Effects, transitions: Vec<usize>) -> Part {
    let touched = transitions.iter().flat_map(|&t| effects.of(t));
    let mut places: Vec<usize> = touched.map(|entry| entry.0).collect();
    places.sort_unstable();
    places.dedup();
    let local = |&(place, change): &(usize, i64)| {
        let number = places.binary_search(&place);
        (number.expect("every touched place is listed"), change)
    };
    let own = |&t: &usize| effects.of(t).iter().map(local).collect();
    let own = transitions.iter().map(own).collect();
    Part {
        effects: Effects::new(places.len(), own),
        places,
        transitions,
    }
}

/// Sets that grow together: union and find.
pub(super) struct Links {
    parent: Vec<usize>,
}

impl Links {
    /// Every element alone.
    pub(super) fn new(elements: usize) -> Self {
        Self {
            parent: (0..elements).collect(),
        }
    }

    /// The representative of an element's set.
    pub(super) fn find(&mut self, element: usize) -> usize {
        let mut root = element;
        while self.parent[root] != root {
            self.parent[root] = self.parent[self.parent[root]];
            root = self.parent[root];
        }
        root
    }

    /// Puts all these elements into one set; says whether that changed anything.
    pub(super) fn join(&mut self, elements: impl IntoIterator<Item = usize>) -> bool {
        let mut elements = elements.into_iter();
        let Some(first) = elements.next() else {
            return false;
        };
        let first = self.find(first);
        let mut changed = false;
        for element in elements {
            let other = self.find(element);
            changed |= other != first;
            self.parent[other] = first;
        }
        changed
    }
}
