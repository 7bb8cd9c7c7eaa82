//! Primitive processes as transition systems.
//!
//! States are numbered in textual order: the definitions of a process one after the other, of a family those with
//! lower indices first, and behind each the unnamed states between its actions. What `STOP`, `END` and `ERROR` mean
//! inside a definition are three states of their own, which come last; a definition that is nothing but one of these
//! words has a state of its own in its place. Then the states that cannot be reached are dropped.

mod compile;
mod range;
mod sequence;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sweepline_process::{Lts, StateKind};

use crate::ast::{Branch, Final, Labels, LocalDef, Part, Process, ProcessDef, Reference, Span};
use crate::elaborate::{Done, Elaborator};
use crate::errors::FspError;
use crate::parser::Failed;
use crate::value::{Value, applied, indexed};

/// A process has at most this many states, and as many edges.
const MOST_STATES: usize = 2_000_000;

/// A process has at most this many labels.
const MOST_LABELS: usize = 1_000_000;

/// What members, states, labels and edges of a draft take, with all that is made of them until there is a transition
/// system; nearly.
const MEMBER_BYTES: usize = 150;
const STATE_BYTES: usize = 100;
const LABEL_BYTES: usize = 120;
const EDGE_BYTES: usize = 100;

/// Processes inside processes.
const MOST_NESTED: usize = 40;

/// A primitive process that is being made.
#[derive(Default)]
pub(crate) struct Draft<'a> {
    name: &'a str,
    locals: &'a [LocalDef],
    /// What they are called.
    names: HashSet<&'a str>,
    /// Every member of every local family, in textual order.
    members: Vec<Member>,
    by_name: HashMap<(&'a str, Vec<Value>), usize>,
    states: Vec<(String, StateKind)>,
    labels: Vec<String>,
    by_label: HashMap<String, u32>,
    edges: Vec<(u32, u32, Target)>,
    /// What unnamed states are called after, and how many there are.
    owner: (String, usize),
}

/// A local process with values for its indices.
struct Member {
    local: usize,
    indices: Vec<Value>,
    /// Its state, or the other process it is.
    target: Option<Target>,
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    State(u32),
    Member(usize),
    Final(Final),
}

impl<'a> Elaborator<'a> {
    /// The transition system of a primitive process with these arguments.
    pub fn primitive(
        &mut self,
        process: &'a ProcessDef,
        arguments: Vec<Value>,
        at: &Span,
    ) -> Done<Arc<Lts>> {
        let key = (process.name.text.clone(), arguments);
        if let Some(known) = self.primitives.get(&key) {
            return known.clone().ok_or(Failed);
        }
        self.enter(&key, at)?;
        let held = self.held;
        let scope = std::mem::take(&mut self.scope);
        let draft = std::mem::take(&mut self.draft);
        let result = self.bind(&process.parameters, &key.1).and_then(|()| {
            let lts = self.transitions(process)?;
            self.finished(process, lts)
        });
        self.scope = scope;
        self.draft = draft;
        self.active.pop();
        let result = result.ok().map(Arc::new);
        self.held = held + result.as_ref().map_or(0, |lts| lts.bytes());
        self.primitives.insert(key, result.clone());
        result.ok_or(Failed)
    }

    /// Notes that an instance is being made, and refuses one that is inside itself.
    pub fn enter(&mut self, key: &(String, Vec<Value>), at: &Span) -> Done<()> {
        let inside = self.active.iter().position(|other| other == key);
        let Some(start) = inside.or((self.active.len() >= MOST_NESTED).then_some(0)) else {
            self.active.push(key.clone());
            return Ok(());
        };
        let round = self.active[start..].iter().chain([key]);
        let mut path: Vec<String> = round.map(|(name, args)| applied(name, args)).collect();
        if path.len() > 6 {
            path.splice(3..path.len() - 2, ["…".to_string()]);
        }
        self.report(at, "recursive", |this| FspError::Recursive {
            name: key.0.clone(),
            path: path.join(" contains "),
            help: this.recursion_help(&key.0),
            text: this.source.named(),
            at: at.clone().into(),
        })
    }

    fn recursion_help(&self, name: &str) -> Option<String> {
        let primitive = self.process_named(name);
        primitive.map(|_| {
            "processes that call each other are local processes of one: separate them by `,` instead of `.`".into()
        })
    }

    fn transitions(&mut self, process: &'a ProcessDef) -> Done<Lts> {
        self.draft.name = &process.name.text;
        self.draft.locals = &process.locals;
        let names = process.locals.iter().map(|local| local.name.text.as_str());
        self.draft.names = names.collect();
        let before = self.errors.len();
        let mut whole = true;
        for (number, local) in process.locals.iter().enumerate() {
            whole &= self.members(number, local).is_ok();
        }
        if !whole {
            return Err(Failed);
        }
        for member in 0..self.draft.members.len() {
            whole &= self.member(member).is_ok();
            if self.stopped.is_some() {
                return Err(Failed);
            }
        }
        if !whole || self.errors.len() > before {
            return Err(Failed);
        }
        let targets = self.resolved_members()?;
        Ok(self.built(&targets))
    }

    /// Lists the members of a local family.
    fn members(&mut self, number: usize, local: &'a LocalDef) -> Done<()> {
        let mut values = Vec::new();
        self.each_combination(&local.indices, &mut values, &mut |this, indices| {
            let key = (local.name.text.as_str(), indices.to_vec());
            let member = this.draft.members.len();
            match this.draft.by_name.entry(key) {
                Entry::Occupied(first) => {
                    let first = *first.get();
                    return this.defined_twice(first, local, indices);
                }
                Entry::Vacant(place) => place.insert(member),
            };
            this.held += MEMBER_BYTES;
            this.draft.members.push(Member {
                local: number,
                indices: indices.to_vec(),
                target: None,
            });
            this.limit(this.draft.members.len(), &local.name.span)
        })
    }

    fn defined_twice(&mut self, first: usize, local: &LocalDef, indices: &[Value]) -> Done<()> {
        let first = &self.draft.locals[self.draft.members[first].local];
        self.report(&local.name.span, "duplicate", |this| FspError::Duplicate {
            name: indexed(&local.name.text, indices),
            text: this.source.named(),
            first: first.name.span.clone().into(),
            at: local.name.span.clone().into(),
        })
    }

    fn limit(&mut self, count: usize, span: &Span) -> Done<()> {
        if count <= MOST_STATES {
            return Ok(());
        }
        let what = format!("process `{}`", self.draft.name);
        self.too_large(what, MOST_STATES, "states or edges", span.clone())
    }

    /// Makes the states and edges of a local process.
    fn member(&mut self, member: usize) -> Done<()> {
        let locals = self.draft.locals;
        let Member { local, indices, .. } = &self.draft.members[member];
        let (local, indices) = (&locals[*local], indices.clone());
        self.draft.owner = (indexed(&local.name.text, &indices), 0);
        let before = self.scope.len();
        for (index, value) in local.indices.iter().zip(indices) {
            if let Some(variable) = &index.variable {
                self.scope.push((&variable.text, value));
            }
        }
        let target = self.body(&local.body, &local.name.span);
        self.scope.truncate(before);
        self.draft.members[member].target = Some(target?);
        Ok(())
    }

    /// The state of a definition: a new one, or that of another process.
    fn body(&mut self, process: &'a Process, span: &Span) -> Done<Target> {
        match self.chosen(process)? {
            Some(Process::Final(end, _)) => self.own_state(*end, span),
            None => self.own_state(Final::Stop, span),
            Some(Process::Choice(branches)) => {
                let name = self.draft.owner.0.clone();
                self.choice(name, branches, span)
            }
            Some(process) => self.target(process, span),
        }
    }

    fn own_state(&mut self, end: Final, span: &Span) -> Done<Target> {
        let name = self.draft.owner.0.clone();
        self.state(name, kind(end), span).map(Target::State)
    }

    fn state(&mut self, name: String, kind: StateKind, span: &Span) -> Done<u32> {
        self.spend(1, span)?;
        self.limit(self.draft.states.len() + 1, span)?;
        let state = u32::try_from(self.draft.states.len()).expect("the number is limited");
        self.held += STATE_BYTES + name.len();
        self.draft.states.push((name, kind));
        Ok(state)
    }

    /// Follows conditions; nothing if an `else` is missing.
    fn chosen(&mut self, mut process: &'a Process) -> Done<Option<&'a Process>> {
        while let Process::If(parts) = process {
            let (condition, yes, no) = &**parts;
            process = match (self.number(condition)?, no) {
                (0, None) => return Ok(None),
                (0, Some(no)) => no,
                _ => yes,
            };
        }
        Ok(Some(process))
    }

    /// Where an action leads that is followed by this process.
    fn target(&mut self, process: &'a Process, span: &Span) -> Done<Target> {
        match self.chosen(process)? {
            None => Ok(Target::Final(Final::Stop)),
            Some(Process::Final(end, _)) => Ok(Target::Final(*end)),
            Some(Process::Choice(branches)) => {
                let name = self.unnamed();
                self.choice(name, branches, span)
            }
            Some(Process::Reference(reference)) if self.is_local(reference) => {
                self.local(reference)
            }
            Some(Process::Sequence(parts)) => self.sequence(parts),
            Some(reference) => self.sequence(std::slice::from_ref(reference)),
        }
    }

    fn unnamed(&mut self) -> String {
        self.draft.owner.1 += 1;
        let (owner, count) = &self.draft.owner;
        format!("{owner}.{count}")
    }

    fn is_local(&self, reference: &Reference) -> bool {
        reference.arguments.is_empty() && self.draft.names.contains(reference.name.text.as_str())
    }

    fn local(&mut self, reference: &'a Reference) -> Done<Target> {
        let indices = reference.indices.iter();
        let indices: Vec<Value> = indices
            .map(|index| self.value(index))
            .collect::<Done<_>>()?;
        let key = (reference.name.text.as_str(), indices);
        match self.draft.by_name.get(&key) {
            Some(member) => Ok(Target::Member(*member)),
            None => self.out_of_range(reference, &key.1),
        }
    }

    fn choice(&mut self, name: String, branches: &'a [Branch], span: &Span) -> Done<Target> {
        let state = self.state(name, StateKind::Ordinary, span)?;
        let mut whole = true;
        for branch in branches {
            whole &= self.branch(state, branch).is_ok();
        }
        // The others are read nevertheless, to report what is wrong with them too.
        whole.then_some(Target::State(state)).ok_or(Failed)
    }

    fn branch(&mut self, from: u32, branch: &'a Branch) -> Done<()> {
        self.look(1)?;
        if let Some(guard) = &branch.guard
            && self.number(guard)? == 0
        {
            return Ok(());
        }
        self.actions(from, &branch.actions, &branch.then)
    }

    /// The first of several actions, and all that follows it.
    fn actions(&mut self, from: u32, actions: &'a [Labels], then: &'a Process) -> Done<()> {
        let Some((first, rest)) = actions.split_first() else {
            return Ok(());
        };
        self.nested(&first.span, |this| this.action(from, first, rest, then))
    }

    fn action(
        &mut self,
        from: u32,
        first: &'a Labels,
        rest: &'a [Labels],
        then: &'a Process,
    ) -> Done<()> {
        if binds(first) {
            return self.each_label(first, &mut |this, label| {
                let label = this.label(label, &first.span)?;
                let target = this.after(rest, then, &first.span)?;
                this.edge(from, label, target, &first.span)
            });
        }
        // Without variables all of the labels lead to the same state.
        let mut labels = Vec::new();
        self.each_label(first, &mut |this, label| {
            labels.push(this.label(label, &first.span)?);
            Ok(())
        })?;
        let target = self.after(rest, then, &first.span)?;
        let mut labels = labels.into_iter();
        labels.try_for_each(|label| self.edge(from, label, target, &first.span))
    }

    fn after(&mut self, rest: &'a [Labels], then: &'a Process, span: &Span) -> Done<Target> {
        if rest.is_empty() {
            return self.target(then, span);
        }
        let name = self.unnamed();
        let state = self.state(name, StateKind::Ordinary, span)?;
        self.actions(state, rest, then)?;
        Ok(Target::State(state))
    }

    fn label(&mut self, label: &str, span: &Span) -> Done<u32> {
        if let Some(&known) = self.draft.by_label.get(label) {
            return Ok(known);
        }
        if self.draft.labels.len() >= MOST_LABELS {
            let what = format!("process `{}`", self.draft.name);
            return self.too_large(what, MOST_LABELS, "labels", span.clone());
        }
        let draft = &mut self.draft;
        let number = u32::try_from(draft.labels.len()).expect("the number is limited");
        self.held += LABEL_BYTES + 2 * label.len();
        draft.labels.push(label.to_string());
        draft.by_label.insert(label.to_string(), number);
        Ok(number)
    }

    fn edge(&mut self, from: u32, label: u32, target: Target, span: &Span) -> Done<()> {
        self.spend(1, span)?;
        self.limit(self.draft.edges.len() + 1, span)?;
        self.held += EDGE_BYTES;
        self.draft.edges.push((from, label, target));
        Ok(())
    }
}

fn kind(end: Final) -> StateKind {
    match end {
        Final::Stop => StateKind::Ordinary,
        Final::End => StateKind::End,
        Final::Error => StateKind::Error,
    }
}

/// Whether what follows the labels depends on which of them it was.
fn binds(labels: &Labels) -> bool {
    let mut parts = labels.parts.iter();
    parts.any(|part| matches!(part, Part::Index(index) if index.variable.is_some()))
}
