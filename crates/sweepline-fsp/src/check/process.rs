//! References to processes.

use sweepline_text::{Name, did_you_mean};

use super::{Checker, Family, Global};
use crate::ast::{Process, Reference};
use crate::errors::FspError;

impl<'a> Checker<'a> {
    pub(super) fn process(&mut self, process: &'a Process) {
        match process {
            Process::Final(..) => {}
            Process::Reference(reference) => self.local_reference(reference),
            Process::Sequence(parts) => self.sequence(parts),
            Process::If(parts) => {
                let (condition, yes, no) = &**parts;
                self.expr(condition);
                self.process(yes);
                if let Some(no) = no {
                    self.process(no);
                }
            }
            Process::Choice(branches) => {
                for branch in branches {
                    let before = self.bound.len();
                    if let Some(guard) = &branch.guard {
                        self.expr(guard);
                    }
                    for action in &branch.actions {
                        self.labels(action);
                    }
                    self.process(&branch.then);
                    self.bound.truncate(before);
                }
            }
        }
    }

    fn sequence(&mut self, parts: &'a [Process]) {
        let (last, first) = parts
            .split_last()
            .expect("a sequence has at least two parts");
        for part in first {
            match part {
                Process::Reference(reference) => self.first_in_sequence(reference),
                Process::Final(_, span) => self.errors.push(FspError::Misplaced {
                    what: "a final process",
                    help: Some(
                        "in front of `;` stands a process; only the last can be `END`".into(),
                    ),
                    text: self.source.named(),
                    at: span.clone().into(),
                }),
                _ => unreachable!("the parser reads only references and final processes"),
            }
        }
        self.process(last);
    }

    fn first_in_sequence(&mut self, reference: &'a Reference) {
        let name = &reference.name.text;
        let local = self.locals.contains_key(name.as_str());
        if local && !self.globals.contains_key(name.as_str()) {
            let help = "in front of `;` stands a process of its own; end the definition with `.`, not with `,`";
            self.errors.push(FspError::WrongKind {
                name: name.clone(),
                is: "a local process",
                wanted: "a process of its own",
                help: Some(help.into()),
                text: self.source.named(),
                at: reference.name.span.clone().into(),
            });
            return;
        }
        self.global_reference(reference, false);
    }

    /// A reference to a local process, or to a primitive one.
    fn local_reference(&mut self, reference: &'a Reference) {
        let name = &reference.name.text;
        let named = self.locals.get(name.as_str()).cloned();
        let Some(Family { first, counts }) = named.filter(|_| reference.arguments.is_empty())
        else {
            self.global_reference(reference, false);
            return;
        };
        for index in &reference.indices {
            self.expr(index);
        }
        let count = reference.indices.len();
        if counts.contains(&count) {
            return;
        }
        self.errors.push(FspError::WrongCount {
            name: name.clone(),
            expected: counted(first.indices.len(), "index", "indices"),
            found: count,
            help: Some(format!(
                "write `{name}{}`",
                "[…]".repeat(first.indices.len())
            )),
            text: self.source.named(),
            because: first.name.span.clone().into(),
            at: reference.span.clone().into(),
        });
    }

    pub(super) fn global_reference(&mut self, reference: &'a Reference, composites: bool) {
        for expr in reference.indices.iter().chain(&reference.arguments) {
            self.expr(expr);
        }
        let name = &reference.name.text;
        let Some(global) = self.globals.get(name.as_str()).cloned() else {
            self.undefined_process(&reference.name);
            return;
        };
        if (global.composite || global.property) && !composites {
            self.errors.push(FspError::WrongKind {
                name: name.clone(),
                is: if global.composite {
                    "a composition"
                } else {
                    "a property"
                },
                wanted: "a primitive process",
                help: Some("compose it with others in a `||` definition".into()),
                text: self.source.named(),
                at: reference.name.span.clone().into(),
            });
            return;
        }
        self.counts(reference, &global);
    }

    fn undefined_process(&mut self, name: &Name) {
        if self.errors.only_counts() {
            return;
        }
        let locals = self.locals.keys().copied();
        let mut candidates: Vec<&str> = self.globals.keys().copied().chain(locals).collect();
        candidates.sort_unstable();
        let elsewhere = || {
            let processes = self.model.processes.iter();
            let owner = processes
                .filter(|process| process.locals.iter().any(|l| l.name.text == name.text))
                .map(|process| &process.name.text)
                .next()?;
            Some(format!(
                "it is a local process of `{owner}`, known only there"
            ))
        };
        let help = elsewhere().or_else(|| did_you_mean(&name.text, candidates));
        self.errors.push(FspError::Undefined {
            what: "process",
            name: name.text.clone(),
            help,
            text: self.source.named(),
            at: name.span.clone().into(),
        });
    }

    /// No indices, and all arguments or none.
    fn counts(&mut self, reference: &Reference, global: &Global) {
        let arguments = reference.arguments.len();
        let (expected, found, help) = if !reference.indices.is_empty() {
            let help = "only local processes have indices; parameters stand in parentheses";
            (
                counted(0, "index", "indices"),
                reference.indices.len(),
                help.to_string(),
            )
        } else if arguments != 0 && arguments != global.parameters {
            let help = "give all arguments, or none for the default values";
            (
                counted(global.parameters, "argument", "arguments"),
                arguments,
                help.to_string(),
            )
        } else {
            return;
        };
        self.errors.push(FspError::WrongCount {
            name: reference.name.text.clone(),
            expected,
            found,
            help: Some(help),
            text: self.source.named(),
            because: global.span.clone().into(),
            at: reference.span.clone().into(),
        });
    }
}

/// `no arguments`, `1 argument`, `2 arguments`
fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}
