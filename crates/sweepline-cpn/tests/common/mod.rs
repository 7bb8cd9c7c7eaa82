//! A search that knows nothing but the interface of systems, and the smallest files that are models.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use sweepline_core::{AnySystem, Fault, Steps, Word};
use sweepline_cpn::{Cpn, LoadOptions, read_cpn};

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub states: usize,
    pub edges: usize,
    pub deadlocks: usize,
    /// Whether everything was looked at.
    pub complete: bool,
}

/// Explores up to so many states, in whatever encoding fits.
pub fn explore(system: Arc<dyn AnySystem>, most: usize) -> Result<Count, Fault> {
    let mut system = system;
    'wider: loop {
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let mut known: HashMap<Vec<Word>, usize> = HashMap::new();
        let mut states: Vec<Vec<Word>> = Vec::new();
        let (mut edges, mut deadlocks, mut next) = (0, 0, 0);
        loop {
            if let Some(fault) = steps.fault() {
                let Fault::Outgrown { slot } = fault else {
                    return Err(fault.clone());
                };
                system = system.widened(*slot).expect("slots can be widened");
                continue 'wider;
            }
            for step in 0..steps.len() {
                let target = steps.target(step);
                if !known.contains_key(target) {
                    known.insert(target.to_vec(), states.len());
                    states.push(target.to_vec());
                }
            }
            if next > 0 {
                edges += steps.len();
                deadlocks += usize::from(steps.is_empty());
            }
            if next == states.len() || next >= most {
                let complete = next == states.len();
                let states = states.len();
                return Ok(Count {
                    states,
                    edges,
                    deadlocks,
                    complete,
                });
            }
            steps.clear();
            system.successors(&states[next], &mut steps);
            next += 1;
        }
    }
}

/// Reads a model that is right.
pub fn read(text: &str, options: &LoadOptions) -> Cpn {
    match read_cpn("test.cpn", text.as_bytes(), options) {
        Ok(cpn) => cpn,
        Err(errors) => {
            let messages: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
            panic!("{messages:?}\n{text}");
        }
    }
}

/// What a model has when it is explored completely.
pub fn count(text: &str, options: &LoadOptions) -> Count {
    explore(Arc::new(read(text, options).system), usize::MAX).expect("what the test uses is right")
}

/// A text as it stands in XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// A file that is made piece by piece.
#[derive(Clone, Debug, Default)]
pub struct File {
    declarations: String,
    pages: String,
    page: String,
    elements: usize,
}

impl File {
    /// A declaration in CPN ML.
    pub fn declare(mut self, text: &str) -> Self {
        let text = escaped(text);
        write!(self.declarations, "<ml id='d{}'>{text}</ml>", self.elements)
            .expect("what the test uses is right");
        self.elements += 1;
        self
    }

    /// A colour set.
    pub fn colour(self, name: &str, timed: bool, xml: &str) -> Self {
        let timed = if timed { "<timed/>" } else { "" };
        self.declared(&format!(
            "<color id='c{name}'><id>{name}</id>{timed}{xml}</color>"
        ))
    }

    /// Whatever else stands among the declarations.
    pub fn declared(mut self, xml: &str) -> Self {
        self.declarations.push_str(xml);
        self
    }

    pub fn place(mut self, id: &str, colour: &str, initial: &str) -> Self {
        let initial = escaped(initial);
        write!(
            self.page,
            "<place id='{id}'><text>{id}</text><type id='{id}t'><text>{colour}</text></type>\
             <initmark id='{id}i'><text>{initial}</text></initmark></place>"
        )
        .expect("what the test uses is right");
        self
    }

    pub fn transition(mut self, id: &str, guard: &str, more: &str) -> Self {
        let guard = escaped(guard);
        write!(
            self.page,
            "<trans id='{id}'><text>{id}</text><cond id='{id}g'><text>{guard}</text></cond>{more}</trans>"
        )
        .expect("what the test uses is right");
        self
    }

    /// An arc: `PtoT`, `TtoP` or `BOTHDIR`.
    pub fn arc(mut self, direction: &str, place: &str, transition: &str, text: &str) -> Self {
        let (text, number) = (escaped(text), self.elements);
        self.elements += 1;
        write!(
            self.page,
            "<arc id='a{number}' orientation='{direction}'><transend idref='{transition}'/><placeend idref='{place}'/>\
             <annot id='n{number}'><text>{text}</text></annot></arc>"
        )
        .expect("what the test uses is right");
        self
    }

    /// Ends a page.
    pub fn page(mut self, name: &str) -> Self {
        let page = std::mem::take(&mut self.page);
        write!(
            self.pages,
            "<page id='{name}'><pageattr name='{name}'/>{page}</page>"
        )
        .expect("what the test uses is right");
        self
    }

    pub fn text(self) -> String {
        let page = if self.page.is_empty() {
            String::new()
        } else {
            format!("<page id='P'><pageattr name='P'/>{}</page>", self.page)
        };
        format!(
            "<workspaceElements><generator tool='CPN Tools' version='4.0.1' format='6'/><cpnet><globbox>{}</globbox>{}{page}\
             </cpnet></workspaceElements>",
            self.declarations, self.pages
        )
    }
}
