//! Other labels for the same LTS.

use std::collections::{BTreeMap, BTreeSet};

use crate::lts::{Lts, LtsBuilder, TAU};

impl Lts {
    /// The same LTS with some labels internal: they become `tau` and leave the alphabet.
    ///
    /// ```
    /// use sweepline_process::read_aut;
    ///
    /// let lts = read_aut("link.aut", &b"des (0, 2, 2)\n(0, send, 1)\n(1, ack, 0)"[..]).unwrap();
    /// assert_eq!(lts.hidden(&["ack".to_string()].into()).labels(), ["tau", "send"]);
    /// ```
    #[must_use]
    pub fn hidden(&self, labels: &BTreeSet<String>) -> Self {
        self.with_labels(|label| {
            let hidden = labels.contains(label);
            vec![if hidden { "tau" } else { label }]
        })
    }

    /// The same LTS with other labels, given as pairs of new and old.
    ///
    /// All are replaced at once, so two labels can be swapped. A label that has several new ones offers all of them; one
    /// that has none stays as it is.
    ///
    /// ```
    /// use sweepline_process::read_aut;
    ///
    /// let lts = read_aut("link.aut", &b"des (0, 2, 2)\n(0, send, 1)\n(1, ack, 0)"[..]).unwrap();
    /// let pair = |new: &str, old: &str| (new.to_string(), old.to_string());
    /// let other = lts.relabelled(&[pair("ack", "send"), pair("send", "ack"), pair("end", "ack")]);
    /// assert_eq!(other.labels(), ["tau", "ack", "send", "end"]);
    /// assert_eq!(other.edge_count(), 3);
    /// ```
    #[must_use]
    pub fn relabelled(&self, pairs: &[(String, String)]) -> Self {
        let mut new: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (to, from) in pairs {
            new.entry(from).or_default().push(to);
        }
        self.with_labels(|label| new.get(label).cloned().unwrap_or_else(|| vec![label]))
    }

    /// The same LTS with each label replaced by others.
    fn with_labels<'a>(&'a self, new: impl Fn(&'a str) -> Vec<&'a str>) -> Self {
        let mut builder = LtsBuilder::default();
        let labels = self.labels().iter().skip(1).map(|label| {
            let new = new(label).into_iter();
            new.map(|label| builder.label(label)).collect()
        });
        let mut labels: Vec<Vec<_>> = labels.collect();
        labels.insert(TAU.index(), vec![TAU]);
        for state in self.states() {
            let copy = builder.state();
            builder.set_kind(copy, self.kind(state));
            if self.has_names() {
                builder.set_name(copy, self.state_name(state));
            }
        }
        for state in self.states() {
            for edge in self.edges_from(state) {
                for &label in &labels[edge.label.index()] {
                    builder.edge(state, label, edge.target);
                }
            }
        }
        builder.build(self.initial())
    }
}
