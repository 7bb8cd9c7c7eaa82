//! Nets without pages: every instance of a page unfolded, places that are one merged.

use std::collections::HashMap;
use std::ops::Range;

use sweepline_net::reading::{Collector, quoted};
use sweepline_text::nearest;

use crate::error::CpnError;
use crate::file::{Direction, Document, Inscription, Page, Place, Transition};

/// How many instances of pages there may be.
const MOST_INSTANCES: usize = 20_000;

/// How many things that are left out are listed.
const MOST_LEFT_OUT: usize = 20;

/// A net of instances. Elements are named by page and place in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlatNet {
    pub(crate) places: Vec<FlatPlace>,
    pub(crate) transitions: Vec<FlatTransition>,
    /// What is in the file, but not in the net: a page without an instance, what ports say that their sockets do not.
    pub(crate) left_out: Vec<CpnError>,
}

/// A place, or several that are one.
#[derive(Clone, Debug)]
pub(crate) struct FlatPlace {
    /// Every name it has, the one it is shown by first.
    pub(crate) names: Vec<String>,
    /// Page and place whose colour set and initial marking count.
    pub(crate) origin: (usize, usize),
}

/// An instance of a transition.
#[derive(Clone, Debug)]
pub(crate) struct FlatTransition {
    pub(crate) name: String,
    /// Page and transition.
    pub(crate) origin: (usize, usize),
    pub(crate) arcs: Vec<FlatArc>,
}

/// An arc of a transition. One in both directions counts as two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatArc {
    /// The arc of the page.
    pub(crate) arc: usize,
    pub(crate) place: usize,
    pub(crate) role: Role,
}

/// What an arc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Input,
    Output,
    Inhibitor,
    Reset,
}

impl FlatNet {
    /// Where the middle of each element is drawn, where that is said.
    pub(crate) fn positions(&self, document: &Document) -> Vec<(String, (f64, f64))> {
        let places = self.places.iter().map(|place| {
            let (page, index) = place.origin;
            let position = document.pages[page].places[index].position;
            (&place.names[0], position)
        });
        let transitions = self.transitions.iter().map(|transition| {
            let (page, index) = transition.origin;
            let position = document.pages[page].transitions[index].position;
            (&transition.name, position)
        });
        let all = places.chain(transitions);
        all.filter_map(|(name, position)| Some((name.clone(), position?)))
            .collect()
    }
}

/// Unfolds all instances of pages.
pub(crate) fn flatten(document: &Document, errors: &mut Collector<CpnError>) -> FlatNet {
    let mut flattening = Flattening::new(document, errors);
    flattening.check_arcs();
    for top in flattening.tops() {
        flattening.instance(top, &mut Vec::new());
    }
    if flattening.errors.is_empty() {
        flattening.check_left_out();
    }
    flattening.fuse();
    flattening.finish()
}

struct Flattening<'a> {
    document: &'a Document,
    errors: &'a mut Collector<CpnError>,
    pages: HashMap<&'a str, usize>,
    /// The page of each instance, and the number of its first place.
    instances: Vec<(usize, usize)>,
    /// For each place of each instance one that it is merged with, or itself.
    merged: Vec<usize>,
    /// Page and place of each place of each instance.
    origins: Vec<(usize, usize)>,
    left_out: Vec<CpnError>,
}

impl<'a> Flattening<'a> {
    fn new(document: &'a Document, errors: &'a mut Collector<CpnError>) -> Self {
        let pages = document.pages.iter().zip(0..);
        Self {
            document,
            errors,
            pages: pages.map(|(page, index)| (&*page.id, index)).collect(),
            instances: Vec::new(),
            merged: Vec::new(),
            origins: Vec::new(),
            left_out: Vec::new(),
        }
    }

    fn page(&self, index: usize) -> &'a Page {
        &self.document.pages[index]
    }

    /// Pages that are not below others: those the file lists, or else those that stand behind no transition.
    fn tops(&mut self) -> Vec<usize> {
        let mut tops = Vec::new();
        for (id, at) in &self.document.tops {
            if let Some(page) = self.pages.get(&**id) {
                tops.push(*page);
            } else {
                let error = self.no_page(id, at.clone());
                self.errors.add(|| error);
            }
        }
        if !tops.is_empty() {
            return tops;
        }
        let below = self
            .document
            .pages
            .iter()
            .flat_map(|page| &page.transitions);
        let below: Vec<&str> = below
            .filter_map(|transition| Some(&*transition.substitution.as_ref()?.page))
            .collect();
        let pages = self.document.pages.iter().enumerate();
        let free = pages.filter(|(_, page)| !below.contains(&&*page.id));
        free.map(|(index, _)| index).collect()
    }

    /// A page without an instance would be missing from the net without a word: one of a circle that no other page leads to, or one
    /// that is neither below others nor in the list of those on top.
    fn check_left_out(&mut self) {
        let pages = 0..self.document.pages.len();
        let mut has_instance = vec![false; pages.len()];
        let instances = self.instances.iter();
        instances.for_each(|(page, _)| has_instance[*page] = true);
        let Some(mut page) = has_instance.iter().position(|has_one| !has_one) else {
            return;
        };
        let mut above = vec![None; pages.len()];
        for index in pages.clone() {
            let transitions = self.page(index).transitions.iter();
            let below = transitions.filter_map(|transition| transition.substitution.as_ref());
            let below = below.filter_map(|below| self.pages.get(&*below.page));
            below.for_each(|&below| above[below] = Some(index));
        }
        // After as many steps upwards as there are pages, one is on top or has come round.
        for _ in pages {
            page = above[page].unwrap_or(page);
        }
        let (name, at) = (&self.page(page).name, self.page(page).at.clone());
        if above[page].is_none() {
            let message = format!("page {name} is left out: the file lists no instance of it");
            let error = CpnError::new("cpn::no_instance", message, at);
            let help = "save the model with CPN Tools, which lists all pages on top";
            return self.left_out.push(error.helped(help));
        }
        let message = format!("page `{name}` is below itself");
        self.errors.add(|| {
            CpnError::new("cpn::cyclic_hierarchy", message, at)
                .helped("one of the transitions that lead round in a circle must stand for no page")
        });
    }

    /// What a port says that its socket does not say makes no difference.
    fn compare(&mut self, (page, port): (usize, usize), socket: &Place) {
        let page = self.page(page);
        let port = &page.places[port];
        let same = |one: &Inscription, other: &Inscription| {
            one.text
                .split_whitespace()
                .eq(other.text.split_whitespace())
        };
        for (what, of_port, of_socket) in [
            ("colour set", &port.colour, &socket.colour),
            ("initial marking", &port.initial, &socket.initial),
        ] {
            if of_port.is_empty() || same(of_port, of_socket) {
                continue;
            }
            let (name, page, socket) = (&port.name, &page.name, &socket.name);
            let message = format!(
                "port {name} on page {page} has another {what} than its socket {socket}, which counts"
            );
            let error = CpnError::new("cpn::port_differs", message, of_port.at.clone());
            let error = error.helped(format!("give both the same {what}"));
            // It is the same in every instance of the page.
            if self.left_out.len() < MOST_LEFT_OUT && !self.left_out.contains(&error) {
                self.left_out.push(error);
            }
        }
    }

    fn no_page(&self, id: &str, at: Range<usize>) -> CpnError {
        let message = format!("there is no page with the id `{}`", quoted(id));
        let help = nearest(id, self.pages.keys().copied());
        let help = help.map(|nearest| format!("did you mean `{nearest}`?"));
        CpnError::new("cpn::unknown_page", message, at).helped_by(help)
    }

    /// Adds an instance of a page and of all pages below it. Returns the number of its first place.
    fn instance(&mut self, index: usize, above: &mut Vec<usize>) -> usize {
        let first = self.merged.len();
        let page = self.page(index);
        self.instances.push((index, first));
        for place in 0..page.places.len() {
            self.merged.push(first + place);
            self.origins.push((index, place));
        }
        above.push(index);
        for transition in &page.transitions {
            self.substitute(transition, index, first, above);
        }
        above.pop();
        first
    }

    /// Puts an instance of the page behind a transition in its place.
    fn substitute(
        &mut self,
        transition: &'a Transition,
        page: usize,
        first: usize,
        above: &mut Vec<usize>,
    ) {
        let Some(substitution) = &transition.substitution else {
            return;
        };
        let Some(&below) = self.pages.get(&*substitution.page) else {
            let error = self.no_page(&substitution.page, transition.at.clone());
            return self.errors.add(|| error);
        };
        if above.contains(&below) || self.instances.len() >= MOST_INSTANCES {
            return self.endless(transition, below, above.contains(&below));
        }
        let inner = self.instance(below, above);
        for (port, socket) in &substitution.ports {
            let port_place = self.place_of(below, port, &substitution.at);
            let socket_place = self.place_of(page, socket, &substitution.at);
            if let (Some(port), Some(socket)) = (port_place, socket_place) {
                self.compare((below, port), &self.page(page).places[socket]);
                self.merge(first + socket, inner + port);
            }
        }
        let ports = self.page(below).places.iter();
        for place in ports.filter(|place| place.is_port) {
            if !substitution.ports.iter().any(|(port, _)| *port == place.id) {
                let (name, outer) = (&place.name, &transition.name);
                let message = format!("port `{name}` of `{outer}` is assigned to no place");
                let at = substitution.at.clone();
                self.errors.add(|| {
                    CpnError::new("cpn::missing_port", message, at)
                        .helped("assign a socket to the port in CPN Tools, or make it no port")
                });
            }
        }
    }

    fn endless(&mut self, transition: &Transition, below: usize, is_cycle: bool) {
        let (name, page) = (&transition.name, &self.page(below).name);
        let (code, message) = if is_cycle {
            let message = format!("page `{page}` is below itself: `{name}` leads back to it");
            ("cpn::cyclic_hierarchy", message)
        } else {
            let message = format!("there are more than {MOST_INSTANCES} instances of pages");
            ("cpn::too_many_instances", message)
        };
        let at = transition.at.clone();
        let help = "let the transition stand for no page, or for another one";
        self.errors
            .add(|| CpnError::new(code, message, at).helped(help));
    }

    fn place_of(&mut self, page: usize, id: &str, at: &Range<usize>) -> Option<usize> {
        let page = self.page(page);
        let found = page.places.iter().position(|place| place.id == id);
        if found.is_none() {
            let (id, page) = (quoted(id), &page.name);
            let message = format!("page `{page}` has no place with the id `{id}`");
            let at = at.clone();
            self.errors
                .add(|| CpnError::new("cpn::unknown_place", message, at));
        }
        found
    }

    fn root(&self, mut place: usize) -> usize {
        while self.merged[place] != place {
            place = self.merged[place];
        }
        place
    }

    /// Makes two places one, of which the first one counts.
    fn merge(&mut self, counts: usize, other: usize) {
        let (counts, other) = (self.root(counts), self.root(other));
        self.merged[other] = counts;
    }

    /// Members of a fusion set are one place, in all instances of their pages. One with an initial marking counts.
    fn fuse(&mut self) {
        for fusion in &self.document.fusions {
            let mut members = Vec::new();
            for (id, at) in &fusion.places {
                let found = (0..self.origins.len()).filter(|&place| {
                    let (page, place) = self.origins[place];
                    self.page(page).places[place].id == *id
                });
                let found: Vec<usize> = found.collect();
                if found.is_empty() && !self.is_known(id) {
                    let message = format!("there is no place with the id `{}`", quoted(id));
                    let at = at.clone();
                    self.errors
                        .add(|| CpnError::new("cpn::unknown_place", message, at));
                }
                members.extend(found);
            }
            self.check_fusion(&members);
            members.sort_by_key(|&place| {
                let place = self.place(place);
                (place.is_port, place.initial.is_empty())
            });
            for pair in members.windows(2) {
                self.merge(pair[0], pair[1]);
            }
        }
    }

    fn is_known(&self, id: &str) -> bool {
        let mut places = self.document.pages.iter().flat_map(|page| &page.places);
        places.any(|place| place.id == id)
    }

    fn place(&self, place: usize) -> &'a Place {
        let (page, place) = self.origins[place];
        &self.page(page).places[place]
    }

    /// Members with different colour sets or initial markings leave open what is meant.
    fn check_fusion(&mut self, members: &[usize]) {
        self.check_fused(members, "colour sets", |place| &place.colour);
        self.check_fused(members, "initial markings", |place| &place.initial);
    }

    fn check_fused(&mut self, members: &[usize], what: &str, of: fn(&Place) -> &Inscription) {
        let members = members.iter().map(|&place| self.place(place));
        let mut marked = members.filter(|place| !of(place).is_empty());
        let Some(first) = marked.next() else { return };
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let expected = plain(&of(first).text);
        if let Some(other) = marked.find(|place| plain(&of(place).text) != expected) {
            let (name, at) = (&other.name, of(other).at.clone());
            let message = format!("fused place `{name}` has two {what}");
            self.errors.add(|| {
                CpnError::new("cpn::fusion", message, at)
                    .labelled("not that of the others")
                    .helped("give all places of the fusion set the same one")
            });
        }
    }

    /// Arcs lead between places and transitions of their page.
    fn check_arcs(&mut self) {
        for page in &self.document.pages {
            for arc in &page.arcs {
                let place = page.places.iter().any(|place| place.id == arc.place);
                let transition = page.transitions.iter().any(|t| t.id == arc.transition);
                if !place || !transition {
                    let id = if place { &arc.transition } else { &arc.place };
                    let message = format!("there is no `{}` on page `{}`", quoted(id), page.name);
                    self.errors.add(|| {
                        CpnError::new("cpn::unknown_end", message, arc.at.clone())
                            .labelled("this arc leads there")
                    });
                }
            }
        }
    }

    fn finish(self) -> FlatNet {
        let names = self.instance_names();
        let mut net = FlatNet {
            left_out: self.left_out.clone(),
            ..FlatNet::default()
        };
        let mut numbers = HashMap::new();
        for (&(page, first), name) in self.instances.iter().zip(&names) {
            for (place, at) in self.page(page).places.iter().zip(first..) {
                let root = self.root(at);
                let number = *numbers.entry(root).or_insert_with(|| {
                    net.places.push(FlatPlace {
                        names: Vec::new(),
                        origin: self.origins[root],
                    });
                    net.places.len() - 1
                });
                let names = &mut net.places[number].names;
                let full = format!("{name}.{}", place.name);
                if root == at {
                    names.insert(0, full);
                } else {
                    names.push(full);
                }
            }
        }
        for (&(page, first), name) in self.instances.iter().zip(&names) {
            self.transitions(page, first, name, &numbers, &mut net);
        }
        tell_apart(&mut net);
        net
    }

    fn transitions(
        &self,
        page: usize,
        first: usize,
        name: &str,
        numbers: &HashMap<usize, usize>,
        net: &mut FlatNet,
    ) {
        let sheet = self.page(page);
        let places: HashMap<&str, usize> = sheet
            .places
            .iter()
            .zip(first..)
            .map(|(place, at)| (&*place.id, numbers[&self.root(at)]))
            .collect();
        for (index, transition) in sheet.transitions.iter().enumerate() {
            if transition.substitution.is_some() {
                continue;
            }
            let mut arcs = Vec::new();
            for (arc, written) in sheet.arcs.iter().enumerate() {
                let Some(&place) = places.get(&*written.place) else {
                    continue;
                };
                if written.transition != transition.id {
                    continue;
                }
                let roles: &[Role] = match written.direction {
                    Direction::Both => &[Role::Input, Role::Output],
                    Direction::ToTransition => &[Role::Input],
                    Direction::ToPlace => &[Role::Output],
                    Direction::Inhibitor => &[Role::Inhibitor],
                    Direction::Reset => &[Role::Reset],
                };
                arcs.extend(roles.iter().map(|&role| FlatArc { arc, place, role }));
            }
            net.transitions.push(FlatTransition {
                name: format!("{name}.{}", transition.name),
                origin: (page, index),
                arcs,
            });
        }
    }

    /// Instances have the name of their page, with a number where there are several.
    fn instance_names(&self) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for &(page, _) in &self.instances {
            *counts.entry(&self.page(page).name).or_default() += 1;
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let names = self.instances.iter().map(|&(page, _)| {
            let name = &*self.page(page).name;
            if counts[name] == 1 {
                return name.to_owned();
            }
            let number = seen.entry(name).or_default();
            *number += 1;
            format!("{name}[{number}]")
        });
        names.collect()
    }
}

/// Elements of one page with the same name get numbers.
fn tell_apart(net: &mut FlatNet) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let places = net
        .places
        .iter_mut()
        .filter_map(|place| place.names.first_mut());
    number_names(places, &mut seen);
    seen.clear();
    number_names(net.transitions.iter_mut().map(|t| &mut t.name), &mut seen);
}

fn number_names<'n>(
    names: impl Iterator<Item = &'n mut String>,
    seen: &mut HashMap<String, usize>,
) {
    for name in names {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *name = format!("{name}[{count}]");
        }
    }
}
