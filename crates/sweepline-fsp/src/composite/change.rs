//! Other labels for compositions: relabelling, hiding, interfaces and priorities.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use sweepline_process::{Network, Priority};
use sweepline_text::did_you_mean;

use super::seal::SEAL;
use super::visible;
use crate::ast::{Change, Relabel, SetExpr, Span};
use crate::change::{Renaming, extended};
use crate::elaborate::{Done, Elaborator};
use crate::errors::FspWarning;
use crate::value::prefixes;

impl<'a> Elaborator<'a> {
    /// `+{…}`, `/{…}`, `\{…}`, `@{…}`, `>>{…}` and `<<{…}`
    pub(super) fn changed(
        &mut self,
        parts: Vec<Network>,
        change: &'a Change,
    ) -> Done<Vec<Network>> {
        if let Change::Relabel(pairs) = change {
            return self.renamed(parts, pairs);
        }
        let mut network = self.parallel(parts)?;
        match change {
            Change::Relabel(_) => {}
            Change::Extend(set) => self.extend(&mut network, set)?,
            Change::Hide(set) => {
                let found = self.matching(&network, set, "hide")?;
                network.hidden.extend(found);
            }
            Change::Expose(set) => {
                let found = self.matching(&network, set, "show")?;
                let others = visible(&network).filter(|label| !found.contains(*label));
                let others: Vec<String> = others.map(str::to_string).collect();
                network.hidden.extend(others);
            }
            Change::Priority { high, set } => {
                if network.priority.is_some() {
                    network = self.composed(&network)?;
                }
                let labels = self.matching(&network, set, "give a priority")?;
                let high = *high;
                network.priority = Some(Priority { labels, high });
            }
        }
        Ok(vec![network])
    }

    fn extend(&mut self, network: &mut Network, set: &'a SetExpr) -> Done<()> {
        let labels = self.set(set)?;
        self.spend(labels.len(), &set.span())?;
        for component in &mut network.components {
            let size = component.lts.len() + component.lts.edge_count() + labels.len();
            self.spend(size, &set.span())?;
            component.lts = Arc::new(extended(&component.lts, &labels));
        }
        Ok(())
    }

    fn renamed(&mut self, parts: Vec<Network>, pairs: &'a [Relabel]) -> Done<Vec<Network>> {
        let mut renaming = Renaming::default();
        let mut olds = Vec::new();
        self.renaming(pairs, &mut renaming, &mut olds)?;
        let mut used = HashSet::new();
        let mut renamed = Vec::new();
        let mut before = Network::default();
        for part in parts {
            let mut part = self.sealed(part)?;
            before.components.extend(part.components.iter().cloned());
            if collides(&part, &renaming) {
                part = self.composed(&part)?;
            }
            let rename = |label: &str| match renaming.apply(label) {
                Some((prefix, names)) if !label.contains(SEAL) => {
                    used.insert(prefix.to_string());
                    names
                }
                _ => vec![label.to_string()],
            };
            let span = self.place();
            renamed.push(self.with_labels(part, rename, &span)?);
        }
        self.useless(&olds, &used, &before);
        Ok(renamed)
    }

    /// Warns about pairs of which no old label exists.
    fn useless(&mut self, olds: &[(&Span, String)], used: &HashSet<String>, before: &Network) {
        let spans = olds.iter().filter(|(_, old)| used.contains(old));
        let useful: HashSet<usize> = spans.map(|(span, _)| span.start).collect();
        for (span, old) in olds {
            if !useful.contains(&span.start) {
                self.unknown_label(span, old, "relabel", before);
            }
        }
    }

    /// Collects pairs of labels; the old ones also with their places.
    fn renaming(
        &mut self,
        pairs: &'a [Relabel],
        renaming: &mut Renaming,
        olds: &mut Vec<(&'a Span, String)>,
    ) -> Done<()> {
        for pair in pairs {
            match pair {
                Relabel::Forall(indices, inner) => {
                    self.each_combination(indices, &mut Vec::new(), &mut |this, _| {
                        this.renaming(inner, renaming, olds)
                    })?;
                }
                Relabel::Pair { new, old } => self.each_label(new, &mut |this, new| {
                    this.each_label(old, &mut |_, label| {
                        renaming.add(label, new);
                        olds.push((&old.span, label.to_string()));
                        Ok(())
                    })
                })?,
            }
        }
        Ok(())
    }

    /// The labels of a network that a set names, or that begin with what it names.
    pub fn matching(
        &mut self,
        network: &Network,
        set: &'a SetExpr,
        verb: &'static str,
    ) -> Done<BTreeSet<String>> {
        let wanted = self.set(set)?;
        let wanted: HashSet<&str> = wanted.iter().map(String::as_str).collect();
        let mut found = BTreeSet::new();
        let mut used = HashSet::new();
        for label in visible(network) {
            self.look(1)?;
            for prefix in prefixes(label).filter(|prefix| wanted.contains(prefix)) {
                found.insert(label.to_string());
                used.insert(prefix);
            }
        }
        self.unused(network, set, &used, verb)?;
        Ok(found)
    }

    /// Warns about elements of a set that name nothing.
    fn unused(
        &mut self,
        network: &Network,
        set: &'a SetExpr,
        used: &HashSet<&str>,
        verb: &'static str,
    ) -> Done<()> {
        let SetExpr::Listed(listed, _) = set else {
            if used.is_empty() {
                let span = set.span();
                let name = self.source.part(span.clone()).text().to_string();
                self.unknown_label(&span, &name, verb, network);
            }
            return Ok(());
        };
        for labels in listed {
            let mut any = false;
            let mut last = String::new();
            self.each_label(labels, &mut |_, label| {
                any |= used.contains(label);
                last = label.to_string();
                Ok(())
            })?;
            if !any {
                self.unknown_label(&labels.span, &last, verb, network);
            }
        }
        Ok(())
    }

    /// Warns about a label that nobody has.
    pub fn unknown_label(
        &mut self,
        span: &Span,
        label: &str,
        verb: &'static str,
        network: &Network,
    ) {
        self.warn(span, "unknown_label", |this| {
            this.no_such_label(span, label, verb, network)
        });
    }

    fn no_such_label(
        &self,
        span: &Span,
        label: &str,
        verb: &'static str,
        network: &Network,
    ) -> FspWarning {
        let known: BTreeSet<&str> = visible(network).collect();
        let parts: BTreeSet<&str> = known.iter().flat_map(|label| prefixes(label)).collect();
        let mut hidden = network.hidden.iter();
        let near = if hidden.any(|other| prefixes(other).any(|prefix| prefix == label)) {
            Some("it is hidden here".to_string())
        } else {
            did_you_mean(label, known).or_else(|| did_you_mean(label, parts))
        };
        FspWarning::UnknownLabel {
            label: label.to_string(),
            verb,
            help: near,
            text: self.source.named(),
            at: span.clone().into(),
        }
    }
}

/// Whether two labels that are different inside a network, and not only in one component, get the same name.
fn collides(network: &Network, renaming: &Renaming) -> bool {
    if network.components.len() < 2 {
        return false;
    }
    let mut takers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, component) in network.components.iter().enumerate() {
        for label in &component.lts.labels()[1..] {
            takers.entry(label).or_default().push(number);
        }
    }
    let mut old_names: HashMap<String, &str> = HashMap::new();
    for &label in takers.keys() {
        let names = renaming.apply(label).map(|(_, names)| names);
        for name in names.unwrap_or_else(|| vec![label.to_string()]) {
            let Some(other) = old_names.insert(name, label) else {
                continue;
            };
            let (one, two) = (&takers[label], &takers[other]);
            if one.len() > 1 || one != two {
                return true;
            }
        }
    }
    false
}
