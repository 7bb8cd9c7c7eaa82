//! Compositions as flat networks.
//!
//! Labelling and relabelling of a composition is done to its components, so that one flat network remains. Labels that
//! an inner composition hides get names of their own, `label#1`, so that nobody outside takes part in them. Only what
//! cannot be said of a flat network is composed in advance: `minimal`, `deterministic` and `property` compositions, the
//! priorities of an inner composition, and an inner composition of which two labels get the same new name: they
//! would begin to synchronise.

mod change;
mod refine;
mod seal;

use std::sync::Arc;

use sweepline_process::{Component, Lts, Network};

use crate::ast::{Composite, CompositeDef, Labels, Parameter, Qualifiers, Reference, Span};
use crate::change::{relabelled, relabelled_size};
use crate::elaborate::{Done, Elaborator};
use crate::errors::FspError;
use crate::parser::Failed;
use crate::value::{Value, applied, joined};
use seal::SEAL;
pub(crate) use seal::closed;

/// A network has at most this many components.
const MOST_COMPONENTS: usize = 10_000;

impl<'a> Elaborator<'a> {
    /// The network of a composition with these arguments.
    pub fn composition(
        &mut self,
        composite: &'a CompositeDef,
        arguments: Vec<Value>,
        at: &Span,
    ) -> Done<Network> {
        let key = (composite.name.text.clone(), arguments);
        if let Some(known) = self.composites.get(&key) {
            return known.clone().ok_or(Failed);
        }
        self.enter(&key, at)?;
        let scope = std::mem::take(&mut self.scope);
        let result = self
            .bind(&composite.parameters, &key.1)
            .and_then(|()| self.network(&composite.body))
            .and_then(|network| self.qualified(composite, network));
        self.scope = scope;
        self.active.pop();
        let result = result.ok();
        self.composites.insert(key, result.clone());
        result.ok_or(Failed)
    }

    /// Gives parameters their values; those without argument their default value.
    pub fn bind(&mut self, parameters: &'a [Parameter], arguments: &[Value]) -> Done<()> {
        for (number, parameter) in parameters.iter().enumerate() {
            let value = match arguments.get(number) {
                Some(value) => value.clone(),
                None => self.value(&parameter.default)?,
            };
            self.scope.push((&parameter.name.text, value));
        }
        Ok(())
    }

    /// The arguments of a reference; none if they are the default values.
    pub fn arguments(
        &mut self,
        parameters: &'a [Parameter],
        reference: &'a Reference,
    ) -> Done<Vec<Value>> {
        let given = reference.arguments.iter();
        let given: Vec<Value> = given.map(|arg| self.value(arg)).collect::<Done<_>>()?;
        let scope = std::mem::take(&mut self.scope);
        let bound = self.bind(parameters, &[]);
        let defaults = std::mem::replace(&mut self.scope, scope);
        bound?;
        let defaults: Vec<Value> = defaults.into_iter().map(|(_, value)| value).collect();
        Ok(if given == defaults { Vec::new() } else { given })
    }

    fn network(&mut self, composite: &'a Composite) -> Done<Network> {
        let parts = self.parts(composite)?;
        self.parallel(parts)
    }

    /// The networks that a composition puts side by side, each of them made by one reference.
    fn parts(&mut self, composite: &'a Composite) -> Done<Vec<Network>> {
        let span = self.place();
        self.nested(&span, |this| this.parts_inside(composite))
    }

    fn parts_inside(&mut self, composite: &'a Composite) -> Done<Vec<Network>> {
        match composite {
            Composite::Reference(reference) => Ok(vec![self.referenced_network(reference)?]),
            Composite::Parallel(parts) => self.all_parts(parts),
            Composite::Forall(indices, body) => {
                let (mut all, mut count) = (Vec::new(), 0);
                self.each_combination(indices, &mut Vec::new(), &mut |this, _| {
                    let parts = this.parts(body)?;
                    this.count(&parts, &mut count)?;
                    all.extend(parts);
                    Ok(())
                })?;
                Ok(all)
            }
            Composite::If(parts) => {
                let (condition, yes, no) = &**parts;
                match (self.number(condition)?, no) {
                    (0, None) => Ok(Vec::new()),
                    (0, Some(no)) => self.parts(no),
                    _ => self.parts(yes),
                }
            }
            Composite::Labelled(labels, body) => self.labelled(labels, body),
            Composite::Shared(labels, body) => self.shared(labels, body),
            Composite::Changed(body, changes) => {
                let parts = self.parts(body)?;
                let mut changes = changes.iter();
                changes.try_fold(parts, |parts, change| self.changed(parts, change))
            }
        }
    }

    /// Goes on after errors, to report them all.
    fn all_parts(&mut self, composites: &'a [Composite]) -> Done<Vec<Network>> {
        let mut all = Vec::new();
        let mut whole = true;
        for composite in composites {
            match self.parts(composite) {
                Ok(parts) => all.extend(parts),
                Err(_) => whole = false,
            }
        }
        whole.then_some(all).ok_or(Failed)
    }

    /// Refuses a network of too many components.
    fn count(&mut self, parts: &[Network], count: &mut usize) -> Done<()> {
        // One without components counts too, or there could be any number of them.
        let components = parts.iter().map(|part| part.components.len().max(1));
        *count = count.saturating_add(components.sum());
        if *count <= MOST_COMPONENTS {
            return Ok(());
        }
        let span = self.place();
        self.too_large("the model".into(), MOST_COMPONENTS, "components", span)
    }

    fn referenced_network(&mut self, reference: &'a Reference) -> Done<Network> {
        let name = &reference.name.text;
        if let Some(composite) = self.composite_named(name) {
            let arguments = self.arguments(&composite.parameters, reference)?;
            let network = self.composition(composite, arguments, &reference.span)?;
            // Every use has hidden labels of its own.
            return self.sealed_again(network);
        }
        let Some(process) = self.process_named(name) else {
            let formula = self.formula_process(name).ok_or(Failed)?;
            let arguments = self.arguments(&formula.parameters, reference)?;
            let name = applied(name, &arguments);
            let lts = self.monitor(formula, arguments, &reference.span)?;
            return Ok(single(name, lts));
        };
        let arguments = self.arguments(&process.parameters, reference)?;
        let name = applied(name, &arguments);
        let lts = self.primitive(process, arguments, &reference.span)?;
        Ok(single(name, lts))
    }

    /// Networks side by side.
    pub fn parallel(&mut self, mut parts: Vec<Network>) -> Done<Network> {
        parts.retain(|part| !part.components.is_empty());
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        self.count(&parts, &mut 0)?;
        let mut all = Network::default();
        for part in parts {
            all.components.extend(self.sealed(part)?.components);
        }
        Ok(all)
    }

    /// Some place for what has none: the composition that is being made.
    fn place(&self) -> Span {
        let name = self.active.last().map(|(name, _)| name.as_str());
        let composite = name.and_then(|name| self.composite_named(name));
        composite.map_or(0..0, |composite| composite.name.span.clone())
    }

    /// `a:P`: every label begins with the name of its process. Several names make several processes.
    fn labelled(&mut self, labels: &'a Labels, body: &'a Composite) -> Done<Vec<Network>> {
        let (mut all, mut count) = (Vec::new(), 0);
        self.each_label(labels, &mut |this, prefix| {
            let parts = this.parts(body)?;
            this.count(&parts, &mut count)?;
            for part in parts {
                all.push(this.prefixed(part, prefix, &labels.span)?);
            }
            Ok(())
        })?;
        Ok(all)
    }

    fn prefixed(&mut self, part: Network, prefix: &str, span: &Span) -> Done<Network> {
        let part = self.sealed(part)?;
        let mut part = self.with_labels(part, |label| vec![joined(prefix, label)], span)?;
        for component in &mut part.components {
            component.name = match component.name.split_once(':') {
                Some((inner, process)) => format!("{}:{process}", joined(prefix, inner)),
                None => format!("{prefix}:{}", component.name),
            };
        }
        Ok(part)
    }

    /// `{a,b}::P`: the process takes part in every label of every user.
    fn shared(&mut self, labels: &'a Labels, body: &'a Composite) -> Done<Vec<Network>> {
        let mut users = Vec::new();
        self.each_label(labels, &mut |_, label| {
            users.push(label.to_string());
            Ok(())
        })?;
        let rename = |label: &str| {
            if label.contains(SEAL) {
                return vec![label.to_string()];
            }
            users.iter().map(|user| joined(user, label)).collect()
        };
        let parts = self.parts(body)?.into_iter();
        let renamed = parts.map(|part| {
            let part = self.sealed(part)?;
            let mut part = self.with_labels(part, rename, &labels.span)?;
            for component in &mut part.components {
                component.name = format!("{{{}}}::{}", users.join(","), component.name);
            }
            Ok(part)
        });
        renamed.collect()
    }

    /// Does what the words in front of a composition say.
    fn qualified(&mut self, composite: &'a CompositeDef, network: Network) -> Done<Network> {
        let name = &composite.name;
        if network.components.is_empty() {
            return self.report(&name.span, "empty", |this| FspError::Empty {
                what: format!("composition `{}`", name.text),
                help: None,
                text: this.source.named(),
                at: name.span.clone().into(),
            });
        }
        if composite.qualifiers == Qualifiers::default() {
            return Ok(network);
        }
        let lts = self.product(&network)?;
        let lts = self.refined(lts, composite.qualifiers, &name.text, &name.span)?;
        Ok(single(name.text.clone(), Arc::new(lts)))
    }

    /// Renames the labels of all components.
    fn with_labels(
        &mut self,
        mut network: Network,
        mut new: impl FnMut(&str) -> Vec<String>,
        span: &Span,
    ) -> Done<Network> {
        for component in &mut network.components {
            let mut names = Vec::with_capacity(component.lts.labels().len());
            for label in &component.lts.labels()[1..] {
                let new = new(label);
                self.spend(new.len(), span)?;
                names.push(new);
            }
            // Counted before it is made: every new name of a label means another copy of its edges.
            self.spend(relabelled_size(&component.lts, &names), span)?;
            let lts = Arc::new(relabelled(&component.lts, &names));
            self.held += lts.bytes();
            let before = std::mem::replace(&mut component.lts, lts);
            if let Some(before) = Arc::into_inner(before) {
                self.held = self.held.saturating_sub(before.bytes());
            }
        }
        Ok(network)
    }
}

pub(crate) fn single(name: String, lts: Arc<Lts>) -> Network {
    Network {
        components: vec![Component { name, lts }],
        ..Network::default()
    }
}

/// The labels of all components.
fn alphabet(network: &Network) -> impl Iterator<Item = &str> {
    let components = network.components.iter();
    components.flat_map(|component| component.lts.labels()[1..].iter().map(String::as_str))
}

/// The labels that are not hidden.
pub(crate) fn visible(network: &Network) -> impl Iterator<Item = &str> {
    alphabet(network).filter(|label| !network.hidden.contains(*label) && !label.contains(SEAL))
}
