//! From drafts to transition systems.

use std::collections::HashSet;

use sweepline_process::{Lts, StateKind};

use super::{Member, Target, kind};
use crate::ast::{Final, LocalDef};
use crate::elaborate::{Done, Elaborator};
use crate::errors::{FspError, FspWarning};
use crate::parser::Failed;
use crate::value::indexed;

/// Where the label of internal steps is kept in a draft: nowhere.
pub(super) const TAU: u32 = u32::MAX;

/// The states of the words that end a process, in the order they are numbered.
const FINALS: [(&str, Final); 3] = [
    ("STOP", Final::Stop),
    ("END", Final::End),
    ("ERROR", Final::Error),
];

impl Elaborator<'_> {
    /// Which state each local process is, where some are defined to be others.
    pub(super) fn resolved_members(&mut self) -> Done<Vec<Target>> {
        let count = self.draft.members.len();
        let mut resolved: Vec<Option<Target>> = vec![None; count];
        for start in 0..count {
            let mut path = Vec::new();
            let mut next = Target::Member(start);
            while let Target::Member(member) = next {
                if let Some(known) = resolved[member] {
                    next = known;
                    break;
                }
                if path.len() > count {
                    return self.unguarded(member);
                }
                path.push(member);
                next = self.draft.members[member].target.ok_or(Failed)?;
            }
            for member in path {
                resolved[member] = Some(next);
            }
        }
        Ok(resolved.into_iter().flatten().collect())
    }

    fn unguarded(&mut self, member: usize) -> Done<Vec<Target>> {
        let Member { local, indices, .. } = &self.draft.members[member];
        let name = &self.draft.locals[*local].name;
        let (span, name) = (name.span.clone(), indexed(&name.text, indices));
        self.report(&span, "unguarded", |this| FspError::Unguarded {
            name,
            text: this.source.named(),
            at: span.clone().into(),
        })
    }

    /// Puts together what can be reached.
    pub(super) fn built(&mut self, members: &[Target]) -> Lts {
        let draft = std::mem::take(&mut self.draft);
        let first_final = draft.states.len();
        let place = |target: Target| match target {
            Target::State(state) => state as usize,
            Target::Member(member) => match members[member] {
                Target::State(state) => state as usize,
                Target::Final(end) => first_final + end as usize,
                Target::Member(_) => unreachable!("members have been resolved"),
            },
            Target::Final(end) => first_final + end as usize,
        };
        let mut states = draft.states;
        states.extend(FINALS.map(|(name, end)| (name.to_string(), kind(end))));
        let edges = draft.edges.iter();
        let edges = edges.map(|(from, label, target)| (*from as usize, *label, place(*target)));
        let unpruned = Unpruned {
            initial: place(members[0]),
            states,
            labels: draft.labels,
            edges: edges.collect(),
        };
        let reached = unpruned.reached();
        let mut live = vec![false; draft.locals.len()];
        for (number, member) in draft.members.iter().enumerate() {
            live[member.local] |= reached[place(Target::Member(number))];
        }
        for (local, live) in draft.locals.iter().zip(live).skip(1) {
            if !live {
                self.unreachable(local);
            }
        }
        unpruned.built(&reached)
    }

    fn unreachable(&mut self, local: &LocalDef) {
        self.warn(&local.name.span, "unreachable", |this| {
            FspWarning::Unreachable {
                name: local.name.text.clone(),
                text: this.source.named(),
                at: local.name.span.clone().into(),
            }
        });
    }
}

/// States and edges, not all of them reached.
struct Unpruned {
    initial: usize,
    states: Vec<(String, StateKind)>,
    labels: Vec<String>,
    /// By source, since states are made before what leaves them; but not sorted.
    edges: Vec<(usize, u32, usize)>,
}

impl Unpruned {
    fn reached(&self) -> Vec<bool> {
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (from, _, to) in &self.edges {
            successors[*from].push(*to);
        }
        let mut reached = vec![false; self.states.len()];
        reached[self.initial] = true;
        let mut open = vec![self.initial];
        while let Some(state) = open.pop() {
            for &next in &successors[state] {
                if !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
        reached
    }

    fn built(self, reached: &[bool]) -> Lts {
        let mut builder = Lts::builder();
        let labels: Vec<_> = self.labels.iter().map(|l| builder.label(l)).collect();
        let mut places = vec![None; self.states.len()];
        for (number, (name, kind)) in self.states.into_iter().enumerate() {
            if reached[number] {
                let state = builder.state();
                builder.set_name(state, name);
                builder.set_kind(state, kind);
                places[number] = Some(state);
            }
        }
        let mut seen = HashSet::new();
        for (from, label, to) in self.edges {
            let label = labels
                .get(label as usize)
                .copied()
                .unwrap_or(sweepline_process::TAU);
            if let (Some(from), Some(to)) = (places[from], places[to])
                && seen.insert((from, label, to))
            {
                builder.edge(from, label, to);
            }
        }
        builder.build(places[self.initial].expect("the initial state is reached"))
    }
}
