//! Names instead of ids in properties that were written by hand.

use std::collections::HashMap;

use sweepline_logic::{CompareOp, Expr, Formula, Name, Pred, Property, PropertyKind};

use crate::net::{Folded, PetriNet, PlaceArc, TransitionId};

/// Replaces names of places and transitions by ids, where nothing has such an id and exactly one has the name. A place of a
/// coloured net stands for the tokens of all colours, a transition for all its bindings.
///
/// Slots and actions of a [`NetSystem`](crate::NetSystem) are called by ids. Names that cannot be replaced are left for
/// whoever looks them up.
///
/// ```
/// use sweepline_logic::{Formula, Name, Pred, Property, PropertyKind};
/// use sweepline_net::{PetriNet, resolve_names};
///
/// let mut net = PetriNet::builder("n");
/// net.place_named("p17", "buffer", 0);
/// let net = net.build().unwrap();
/// let about = |name| PropertyKind::Formula(Formula::Reachable(Pred::Holds(Name::new(name))));
/// let mut property = Property { name: "full".into(), kind: about("buffer") };
/// resolve_names(&net, &mut property);
/// assert_eq!(property.kind, about("p17"));
/// ```
pub fn resolve_names(net: &PetriNet, property: &mut Property) {
    match &mut property.kind {
        PropertyKind::Formula(formula) => in_formula(net, formula),
        PropertyKind::Bound(expr) => resolve_expression(net, expr),
        PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
            for atom in &mut ltl.atoms {
                resolve_predicate(net, atom);
            }
        }
        PropertyKind::Ctl(ctl) => {
            for atom in &mut ctl.atoms {
                resolve_predicate(net, atom);
            }
        }
        PropertyKind::Live(groups) => {
            for actions in groups {
                let all = actions.drain(..).flat_map(|name| transitions(net, name));
                *actions = all.collect();
            }
        }
        PropertyKind::HomeState => {}
        PropertyKind::NoRun(automaton) => {
            for atom in &mut automaton.atoms {
                resolve_predicate(net, atom);
            }
        }
    }
}

/// As [`resolve_names`], for a predicate.
pub fn resolve_predicate(net: &PetriNet, pred: &mut Pred) {
    match pred {
        Pred::Constant(_) | Pred::Deadlock => {}
        Pred::Holds(name) => match net.find_places(&name.text) {
            Err(_) => {}
            Ok(tokens) => match tokens.count(net, renamed(name)) {
                Expr::Slot(id) => *name = id,
                many => *pred = Pred::Compare(CompareOp::GreaterOrEqual, many, Expr::Number(1)),
            },
        },
        Pred::Fireable(names) => {
            let all = names.drain(..).flat_map(|name| transitions(net, name));
            *names = all.collect();
            if names.is_empty() {
                *pred = Pred::Constant(false); // no binding is ever enabled
            }
        }
        Pred::Compare(_, left, right) => {
            resolve_expression(net, left);
            resolve_expression(net, right);
        }
        Pred::Not(inner) => resolve_predicate(net, inner),
        Pred::And(inner) | Pred::Or(inner) => {
            for pred in inner {
                resolve_predicate(net, pred);
            }
        }
        Pred::Implies(left, right) | Pred::Iff(left, right) => {
            resolve_predicate(net, left);
            resolve_predicate(net, right);
        }
    }
}

/// The opposite of [`resolve_names`], for showing a property: the places of all colours of a place, added up, become that place,
/// and the bindings of a transition become that transition. Nothing changes if the net has no colours.
///
/// Tokens that nothing moves are numbers where they are all there is.
pub fn fold_names(net: &PetriNet, property: &mut Property) {
    let Some(folded) = net.folded() else { return };
    let folding = Folding::new(net, folded);
    match &mut property.kind {
        PropertyKind::Formula(formula) => folding.in_formula(formula),
        PropertyKind::Bound(expr) => folding.expression(expr),
        PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
            ltl.atoms
                .iter_mut()
                .for_each(|atom| folding.predicate(atom));
        }
        PropertyKind::Ctl(ctl) => ctl
            .atoms
            .iter_mut()
            .for_each(|atom| folding.predicate(atom)),
        PropertyKind::Live(groups) => groups.iter_mut().for_each(|names| folding.fireable(names)),
        PropertyKind::NoRun(automaton) => {
            let atoms = automaton.atoms.iter_mut();
            atoms.for_each(|atom| folding.predicate(atom));
        }
        PropertyKind::HomeState => {}
    }
}

/// Which nodes of a coloured net the nodes of its unfolding belong to, by ids.
struct Folding<'a> {
    places: Vec<(&'a str, usize, u64)>,
    place_of: HashMap<&'a str, usize>,
    transitions: Vec<(&'a str, usize)>,
    transition_of: HashMap<&'a str, usize>,
}

impl<'a> Folding<'a> {
    fn new(net: &'a PetriNet, folded: &'a Folded) -> Self {
        let (mut place_of, mut transition_of) = (HashMap::new(), HashMap::new());
        let (mut places, mut transitions) = (Vec::new(), Vec::new());
        for (id, tokens) in folded.places() {
            let members = tokens.places.iter().map(|place| &*net.place(*place).id);
            place_of.extend(members.map(|member| (member, places.len())));
            places.push((id, tokens.places.len(), tokens.resting));
        }
        for (id, bindings) in folded.transitions() {
            let members = bindings.iter().map(|one| &*net.transition(*one).id);
            transition_of.extend(members.map(|member| (member, transitions.len())));
            transitions.push((id, bindings.len()));
        }
        Self {
            places,
            place_of,
            transitions,
            transition_of,
        }
    }

    fn in_formula(&self, formula: &mut Formula) {
        match formula {
            Formula::Initially(pred) | Formula::Reachable(pred) | Formula::Invariant(pred) => {
                self.predicate(pred);
            }
            Formula::Not(inner) => self.in_formula(inner),
            Formula::And(inner) | Formula::Or(inner) => {
                for formula in inner {
                    self.in_formula(formula);
                }
            }
        }
    }

    fn predicate(&self, pred: &mut Pred) {
        match pred {
            Pred::Constant(_) | Pred::Deadlock => {}
            Pred::Holds(name) => self.alone(name),
            Pred::Fireable(names) => self.fireable(names),
            Pred::Compare(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Pred::Not(inner) => self.predicate(inner),
            Pred::And(inner) | Pred::Or(inner) => {
                for pred in inner {
                    self.predicate(pred);
                }
            }
            Pred::Implies(left, right) | Pred::Iff(left, right) => {
                self.predicate(left);
                self.predicate(right);
            }
        }
    }

    fn expression(&self, expr: &mut Expr) {
        match expr {
            Expr::Number(_) | Expr::Rank(..) => {}
            Expr::Slot(name) => self.alone(name),
            Expr::Negate(inner) => self.expression(inner),
            Expr::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expr::Sum(parts) => {
                self.sum(parts);
                if parts.len() == 1 {
                    *expr = parts.remove(0);
                }
            }
        }
    }

    /// A place that is the only one of its colours.
    fn alone(&self, name: &mut Name) {
        if let Some(&place) = self.place_of.get(&*name.text)
            && let (id, 1, 0) = self.places[place]
        {
            id.clone_into(&mut name.text);
        }
    }

    /// A sum of all colours of a place is that place. Each colour may be there several times.
    fn sum(&self, parts: &mut Vec<Expr>) {
        let mut times: HashMap<&str, u64> = HashMap::new();
        for part in parts.iter_mut() {
            match part {
                Expr::Slot(name) => {
                    if let Some((&id, _)) = self.place_of.get_key_value(&*name.text) {
                        *times.entry(id).or_default() += 1;
                    }
                }
                other => self.expression(other),
            }
        }
        let mut complete: Vec<(usize, u64)> = vec![(0, u64::MAX); self.places.len()];
        for (id, count) in &times {
            let (known, least) = &mut complete[self.place_of[id]];
            (*known, *least) = (*known + 1, (*least).min(*count));
        }
        for (&(known, least), &(id, count, resting)) in complete.iter().zip(&self.places) {
            let rest = i64::try_from(resting.saturating_mul(least));
            if known == 0 || known < count || !rest.is_ok_and(|rest| take(parts, rest)) {
                continue;
            }
            let mut left: HashMap<String, u64> = HashMap::new();
            parts.retain(|part| {
                let Expr::Slot(name) = part else { return true };
                let of = self.place_of.get(&*name.text);
                if of.is_none_or(|&of| self.places[of].0 != id) {
                    return true;
                }
                let gone = left.entry(name.text.clone()).or_default();
                *gone += 1;
                *gone > least
            });
            parts.extend((0..least).map(|_| Expr::Slot(Name::new(id))));
        }
    }

    /// All bindings of a transition are that transition.
    fn fireable(&self, names: &mut Vec<Name>) {
        let of = |name: &Name| self.transition_of.get(&*name.text).copied();
        let mut known = vec![0; self.transitions.len()];
        names.sort_by(|a, b| a.text.cmp(&b.text));
        names.dedup_by(|a, b| a.text == b.text);
        for at in names.iter().filter_map(of) {
            known[at] += 1;
        }
        let is_whole = |at: usize| known[at] > 0 && known[at] == self.transitions[at].1;
        names.retain(|name| !of(name).is_some_and(is_whole));
        let whole = (0..known.len()).filter(|&at| is_whole(at));
        names.extend(whole.map(|at| Name::new(self.transitions[at].0)));
    }
}

/// Takes a number away from those in a sum; false if it is not there.
fn take(parts: &mut Vec<Expr>, number: i64) -> bool {
    let is_enough = |part: &&mut Expr| matches!(part, Expr::Number(there) if *there >= number);
    if number == 0 {
        return true;
    }
    let Some(Expr::Number(there)) = parts.iter_mut().find(is_enough) else {
        return false;
    };
    *there -= number;
    parts.retain(|part| *part != Expr::Number(0));
    true
}

/// Says what it takes to fire in terms of places, for whoever cannot see what is enabled. Names must be ids already.
pub fn spell_out_fireable(net: &PetriNet, pred: &mut Pred) {
    match pred {
        Pred::Constant(_) | Pred::Deadlock | Pred::Holds(_) | Pred::Compare(..) => {}
        Pred::Fireable(names) => {
            let found = names.iter().map(|name| net.transition_with_id(&name.text));
            if let Some(transitions) = found.collect::<Option<Vec<_>>>() {
                let enabled = transitions.into_iter().map(|id| enabled(net, id));
                *pred = Pred::Or(enabled.collect());
            }
        }
        Pred::Not(inner) => spell_out_fireable(net, inner),
        Pred::And(inner) | Pred::Or(inner) => {
            for pred in inner {
                spell_out_fireable(net, pred);
            }
        }
        Pred::Implies(left, right) | Pred::Iff(left, right) => {
            spell_out_fireable(net, left);
            spell_out_fireable(net, right);
        }
    }
}

fn enabled(net: &PetriNet, id: TransitionId) -> Pred {
    let transition = net.transition(id);
    let compare = |op, arc: &PlaceArc| {
        let place = Name::new(net.place(arc.place).id.as_str());
        Pred::Compare(
            op,
            Expr::Slot(place),
            Expr::Number(arc.weight.cast_signed()),
        )
    };
    let inputs = transition.inputs.iter();
    let inputs = inputs.map(|arc| compare(CompareOp::GreaterOrEqual, arc));
    let inhibitors = transition.inhibitors.iter();
    let inhibitors = inhibitors.map(|arc| compare(CompareOp::Less, arc));
    Pred::And(inputs.chain(inhibitors).collect())
}

/// As [`resolve_names`], for an expression.
pub fn resolve_expression(net: &PetriNet, expr: &mut Expr) {
    match expr {
        Expr::Number(_) => {}
        Expr::Slot(name) => {
            if let Ok(tokens) = net.find_places(&name.text) {
                *expr = tokens.count(net, renamed(name));
            }
        }
        Expr::Rank(name, _) => place(net, name),
        Expr::Sum(inner) => inner
            .iter_mut()
            .for_each(|expr| resolve_expression(net, expr)),
        Expr::Negate(inner) => resolve_expression(net, inner),
        Expr::Binary(_, left, right) => {
            resolve_expression(net, left);
            resolve_expression(net, right);
        }
    }
}

fn in_formula(net: &PetriNet, formula: &mut Formula) {
    match formula {
        Formula::Initially(pred) | Formula::Reachable(pred) | Formula::Invariant(pred) => {
            resolve_predicate(net, pred);
        }
        Formula::Not(inner) => in_formula(net, inner),
        Formula::And(inner) | Formula::Or(inner) => {
            for formula in inner {
                in_formula(net, formula);
            }
        }
    }
}

fn place(net: &PetriNet, name: &mut Name) {
    if let Ok(place) = net.find_place(&name.text) {
        name.text.clone_from(&net.place(place).id);
    }
}

/// The same name with another text.
fn renamed(name: &Name) -> impl Fn(&str) -> Name {
    |text| Name {
        text: text.to_owned(),
        ..name.clone()
    }
}

/// The transitions a name stands for, by their ids; what is not known stays as it is.
fn transitions(net: &PetriNet, name: Name) -> Vec<Name> {
    let Ok(found) = net.find_transitions(&name.text) else {
        return vec![name];
    };
    let named = found.into_iter().map(|transition| Name {
        text: net.transition(transition).id.clone(),
        ..name.clone()
    });
    named.collect()
}
