//! Networks as one transition system, and what the words in front of a definition do to it.

use std::sync::Arc;

use sweepline_process::{ComposeError, Equivalence, Lts, Network, compose_within, minimise_within};

use super::seal::SEAL;
use super::{alphabet, single};
use crate::ast::{Change, Composite, ProcessDef, Qualifiers, Span};
use crate::change::{HIDDEN, completed, determinised, nondeterminism};
use crate::elaborate::{Done, Elaborator};
use crate::errors::FspError;

/// What is composed in advance has at most this many states.
const MOST_COMPOSED: usize = 1_000_000;

impl<'a> Elaborator<'a> {
    /// The network as a single component.
    pub(super) fn composed(&mut self, network: &Network) -> Done<Network> {
        let names = network.components.iter();
        let names: Vec<&str> = names.map(|component| component.name.as_str()).collect();
        let name = match &names[..] {
            [first, .., last] if names.len() > 3 => format!("{first}||…||{last}"),
            _ => names.join("||"),
        };
        let lts = self.product(network)?;
        Ok(single(name, Arc::new(lts)))
    }

    pub(super) fn product(&mut self, network: &Network) -> Done<Lts> {
        let span = self.place();
        let mut closed = network.clone();
        let sealed = alphabet(network).filter(|label| label.contains(SEAL));
        closed.hidden.extend(sealed.map(str::to_string));
        let lts = match compose_within(&closed, MOST_COMPOSED, self.limits()) {
            Ok(lts) => lts,
            Err(ComposeError::Stopped(reason)) => return self.unless_stopped(Err(reason)),
            Err(ComposeError::TooManySteps { message }) => {
                return self.report(&span, "too_many_steps", |this| FspError::TooManySteps {
                    message,
                    text: this.source.named(),
                    at: span.clone().into(),
                });
            }
            Err(ComposeError::TooLarge { .. }) => {
                let of = "states, and it is needed as a whole";
                return self.too_large("the composition".into(), MOST_COMPOSED, of, span);
            }
        };
        self.held += lts.bytes();
        self.spend(lts.len() + lts.edge_count(), &span)?;
        Ok(lts)
    }

    /// The transition system of a primitive process after all that follows and precedes its definition.
    pub fn finished(&mut self, process: &'a ProcessDef, lts: Lts) -> Done<Lts> {
        let mut network = single(process.name.text.clone(), Arc::new(lts));
        for change in &process.changes {
            let parts = self.changed(vec![network], change)?;
            network = self.parallel(parts)?;
            let hidden = std::mem::take(&mut network.hidden);
            let rename = |label: &str| {
                let name = if hidden.contains(label) {
                    HIDDEN
                } else {
                    label
                };
                vec![name.to_string()]
            };
            if !hidden.is_empty() {
                network = self.with_labels(network, rename, &process.name.span)?;
            }
        }
        let lts = (*network.components[0].lts).clone();
        self.refined(
            lts,
            process.qualifiers,
            &process.name.text,
            &process.name.span,
        )
    }

    pub(super) fn refined(
        &mut self,
        lts: Lts,
        words: Qualifiers,
        name: &str,
        span: &Span,
    ) -> Done<Lts> {
        let mut lts = lts;
        if words.deterministic {
            let result = determinised(&lts, MOST_COMPOSED, self.limits());
            let Some(result) = self.unless_stopped(result)? else {
                let what = format!("process `{name}`, made deterministic,");
                return self.too_large(what, MOST_COMPOSED, "states", span.clone());
            };
            lts = self.minimised(&result, Equivalence::Strong)?;
        }
        if words.property {
            self.deterministic_property(&lts, name, span)?;
            // Counted before it is made: every state gets an edge for every label.
            self.spend(lts.len().saturating_mul(lts.labels().len()), span)?;
            lts = completed(&lts);
        }
        if words.minimal {
            lts = self.minimised(&lts, self.equivalence())?;
        }
        Ok(lts)
    }

    fn minimised(&mut self, lts: &Lts, how: Equivalence) -> Done<Lts> {
        let result = minimise_within(lts, how, self.limits());
        self.unless_stopped(result)
    }

    /// Priorities can tell internal steps apart that nothing else can.
    fn equivalence(&self) -> Equivalence {
        let mut composites = self.model.composites.iter();
        if composites.any(|composite| has_priorities(&composite.body)) {
            Equivalence::Strong
        } else {
            Equivalence::Branching
        }
    }

    fn deterministic_property(&mut self, lts: &Lts, name: &str, span: &Span) -> Done<()> {
        let Some((state, label)) = nondeterminism(lts) else {
            return Ok(());
        };
        let state = lts.state_name(state);
        let why = if lts.label(label) == HIDDEN {
            format!("a hidden action leaves `{state}`")
        } else {
            format!(
                "`{}` leads from `{state}` to several states",
                lts.label(label)
            )
        };
        self.report(span, "nondeterministic", |this| FspError::NondeterministicProperty {
            name: name.to_string(),
            why,
            help: Some("a property says for every trace whether it is allowed; write `deterministic property` to have it made so".into()),
            text: this.source.named(),
            at: span.clone().into(),
        })
    }
}

/// Whether labels have priorities somewhere in a composition.
fn has_priorities(composite: &Composite) -> bool {
    match composite {
        Composite::Reference(_) => false,
        Composite::Parallel(parts) => parts.iter().any(has_priorities),
        Composite::If(parts) => {
            has_priorities(&parts.1) || parts.2.as_ref().is_some_and(has_priorities)
        }
        Composite::Forall(_, body) | Composite::Labelled(_, body) | Composite::Shared(_, body) => {
            has_priorities(body)
        }
        Composite::Changed(body, changes) => {
            let mut changes = changes.iter();
            changes.any(|change| matches!(change, Change::Priority { .. })) || has_priorities(body)
        }
    }
}
