//! References that lead out of a family of local processes.

use super::Target;
use crate::ast::{Index, Reference};
use crate::elaborate::{Done, Elaborator};
use crate::errors::FspError;
use crate::value::{Value, indexed};

impl Elaborator<'_> {
    pub(super) fn out_of_range(
        &mut self,
        reference: &Reference,
        indices: &[Value],
    ) -> Done<Target> {
        self.report(&reference.span, "no_such_index", |this| {
            this.no_such_index(reference, indices)
        })
    }

    fn no_such_index(&self, reference: &Reference, indices: &[Value]) -> FspError {
        let mut families = self.draft.locals.iter().filter(|local| {
            local.name.text == reference.name.text && local.indices.len() == indices.len()
        });
        let family = families
            .next()
            .expect("the number of indices has been checked");
        let range = format!(
            "{}{}",
            family.name.text,
            self.text_of_indices(&family.indices)
        );
        FspError::NoSuchIndex {
            instance: indexed(&reference.name.text, indices),
            range,
            help: self.guard(reference, indices),
            text: self.source.named(),
            at: reference.span.clone().into(),
            because: family.name.span.clone().into(),
        }
    }

    /// A guard that would keep the first index that is out of range inside.
    fn guard(&self, reference: &Reference, indices: &[Value]) -> Option<String> {
        let locals = self.draft.locals;
        for (position, (expr, index)) in reference.indices.iter().zip(indices).enumerate() {
            let members = self.draft.members.iter().filter(|member| {
                locals[member.local].name.text == reference.name.text
                    && member.indices.len() == indices.len()
            });
            let values = members.map(|member| &member.indices[position]);
            let (least, most) = (values.clone().min()?, values.max()?);
            let text = self.source.part(expr.span());
            let text = text.text();
            if index > most {
                return Some(format!("guard the action: `when ({text} <= {most}) …`"));
            }
            if index < least {
                return Some(format!("guard the action: `when ({text} >= {least}) …`"));
            }
        }
        None
    }

    fn text_of_indices(&self, indices: &[Index]) -> String {
        let text = |index: &Index| self.source.part(index.span.clone()).text().to_string();
        indices.iter().map(text).collect()
    }
}
