//! Processes one behind the other.

use std::sync::Arc;

use sweepline_process::{Lts, StateId, StateKind};

use super::Target;
use super::compile::TAU;
use crate::ast::{Final, Process, Reference, Span};
use crate::elaborate::{Done, Elaborator};
use crate::parser::Failed;

impl<'a> Elaborator<'a> {
    /// `P;Q;R`: where each process ends, the next begins. All but the last are copied.
    pub(super) fn sequence(&mut self, parts: &'a [Process]) -> Done<Target> {
        let mut copies = Vec::new();
        let mut end = Target::Final(Final::End);
        for (number, part) in parts.iter().enumerate() {
            let last = parts.len() > 1 && number + 1 == parts.len();
            match part {
                Process::Final(other, _) => end = Target::Final(*other),
                Process::Reference(reference) if last && self.is_local(reference) => {
                    end = self.local(reference)?;
                }
                Process::Reference(reference) => {
                    let lts = self.referenced(reference)?;
                    let states = self.copied_states(&lts, &reference.span)?;
                    copies.push((lts, states, &reference.span));
                }
                _ => unreachable!("the parser reads only references and final processes"),
            }
        }
        for (lts, states, span) in copies.iter().rev() {
            end = self.copied_edges(lts, states, end, span)?;
        }
        Ok(end)
    }

    /// The primitive process that is referred to.
    fn referenced(&mut self, reference: &'a Reference) -> Done<Arc<Lts>> {
        let process = self.process_named(&reference.name.text).ok_or(Failed)?;
        let arguments = self.arguments(&process.parameters, reference)?;
        self.primitive(process, arguments, &reference.span)
    }

    /// New states for those of a process, except where it ends.
    fn copied_states(&mut self, lts: &Lts, span: &Span) -> Done<Vec<u32>> {
        let mut states = Vec::new();
        let copy = self.unnamed();
        for state in lts.states() {
            states.push(match lts.kind(state) {
                StateKind::Ordinary => {
                    let name = format!("{copy}:{}", lts.state_name(state));
                    self.state(name, StateKind::Ordinary, span)?
                }
                StateKind::End | StateKind::Error => 0,
            });
        }
        Ok(states)
    }

    /// The edges of a process, such that it ends in `end`; where it begins.
    fn copied_edges(
        &mut self,
        lts: &Lts,
        states: &[u32],
        end: Target,
        span: &Span,
    ) -> Done<Target> {
        let labels = lts.labels()[1..].to_vec();
        let labels = labels.iter().map(|label| self.label(label, span));
        let mut labels: Vec<u32> = labels.collect::<Done<_>>()?;
        labels.insert(0, TAU);
        let place = |state: StateId| match lts.kind(state) {
            StateKind::Ordinary => Target::State(states[state.0 as usize]),
            StateKind::End => end,
            StateKind::Error => Target::Final(Final::Error),
        };
        for state in lts.states() {
            if lts.kind(state) != StateKind::Ordinary {
                continue;
            }
            for edge in lts.edges_from(state) {
                let label = labels[edge.label.0 as usize];
                let from = states[state.0 as usize];
                self.edge(from, label, place(edge.target), span)?;
            }
        }
        Ok(place(lts.initial()))
    }
}
