//! Gathering what is asked: from texts, from files, from beside the model.

use std::path::{Path, PathBuf};

use sweepline_check::{Question, QuestionKind};
use sweepline_core::Describe;
use sweepline_logic::{
    Definition, Formula, Pred, Property, PropertyKind, SafetyAutomaton, Scope, Source,
    parse_definition, parse_pred,
};

use crate::error::Error;
use crate::load::{read, read_text};
use crate::model::Model;
use crate::networks::ERROR;

/// Everything that is asked of a model.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Properties with the text their names stand in.
    pub properties: Vec<(Property, Source)>,
    /// Questions that are bound to the system already, for models whose encoding never changes.
    pub bound: Vec<Question>,
    /// No run may be accepted by any of these.
    pub automata: Vec<SafetyAutomaton>,
    /// Propositions that properties and automata may speak of.
    pub definitions: Vec<Definition>,
    /// Where the properties come from, if nobody named them.
    pub note: Option<String>,
}

/// What somebody wants to know, as it is written.
#[derive(Clone, Debug, Default)]
pub struct QuestionOptions {
    /// No reachable state is a deadlock.
    pub deadlock: bool,
    /// Predicates that every reachable state satisfies.
    pub invariants: Vec<String>,
    /// Predicates that some reachable state satisfies.
    pub reachable: Vec<String>,
    /// Property files, perhaps with the name of one of their properties behind `#`.
    pub files: Vec<String>,
    /// Examinations of nets.
    pub examinations: Vec<String>,
    /// Files of automata that accept no run.
    pub safety_automata: Vec<PathBuf>,
    /// Definitions `NAME = E` of propositions.
    pub propositions: Vec<String>,
}

impl Questions {
    /// Questions that are bound to the system already.
    pub fn of(bound: Vec<Question>) -> Self {
        Self {
            bound,
            ..Self::default()
        }
    }

    /// What is asked of this model. Without any question, those that come with the model or lie beside it, and else
    /// whether there is a deadlock.
    pub fn gather(options: &QuestionOptions, model: &Model) -> Result<Self, Error> {
        let mut definitions = model.definitions.clone();
        definitions.extend(define(&options.propositions)?);
        let mut questions = Self {
            definitions,
            ..Self::default()
        };
        if options.deadlock {
            questions.properties.push(no_deadlock());
        }
        for text in &options.invariants {
            questions.push_predicate("--invariant", text, Formula::Invariant)?;
        }
        for text in &options.reachable {
            questions.push_predicate("--reach", text, Formula::Reachable)?;
        }
        for file in &options.files {
            questions.push_file(file, model)?;
        }
        for name in &options.examinations {
            questions.push_examination(name, model)?;
        }
        for file in &options.safety_automata {
            let automaton = sweepline_logic::read_automaton(&read_text(file)?)?;
            questions.automata.push(automaton);
        }
        if questions.properties.is_empty() && questions.automata.is_empty() {
            questions.look_beside(model)?;
        }
        questions.use_ids(model);
        Ok(questions)
    }

    /// Whether something is asked about states.
    pub(crate) fn is_about_states(&self) -> bool {
        !self.properties.is_empty() || !self.bound.is_empty()
    }

    /// Slots and actions of a net are called by ids; people also use names.
    fn use_ids(&mut self, model: &Model) {
        let Some(net) = model.net() else { return };
        for (property, _) in &mut self.properties {
            sweepline_net::resolve_names(net, property);
        }
        for definition in &mut self.definitions {
            sweepline_net::resolve_predicate(net, &mut definition.pred);
        }
    }

    /// The questions about states, bound to a system.
    pub fn bind(&self, system: &dyn Describe) -> Result<Vec<Question>, Error> {
        let scope = Scope::of(system).with(&self.definitions)?;
        let mut questions = Vec::new();
        for (property, source) in &self.properties {
            questions.push(Question::bind(property, &scope, source)?);
        }
        questions.extend_from_slice(&self.bound);
        Ok(questions)
    }

    fn push_predicate(
        &mut self,
        flag: &str,
        text: &str,
        ask: fn(Pred) -> Formula,
    ) -> Result<(), Error> {
        let source = Source::new(flag, text);
        let pred = parse_pred(&source)?;
        let property = Property {
            name: text.trim().to_owned(),
            kind: PropertyKind::Formula(ask(pred)),
        };
        self.properties.push((property, source));
        Ok(())
    }

    /// A file, perhaps with the name of one of its properties behind `#`.
    fn push_file(&mut self, argument: &str, model: &Model) -> Result<(), Error> {
        let (path, wanted) = split_name(argument);
        let found = read_properties(&path, model)?;
        let before = self.properties.len();
        let names: Vec<String> = found
            .iter()
            .map(|(property, _)| property.name.clone())
            .collect();
        self.properties.extend(
            found
                .into_iter()
                .filter(|(property, _)| wanted.is_none_or(|name| property.name == name)),
        );
        match wanted {
            Some(name) if self.properties.len() == before => {
                let help = match sweepline_logic::nearest(name, names.iter().map(String::as_str)) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => format!("it has {}", names.join(", ")),
                };
                Err(Error::NoSuchProperty {
                    file: path,
                    name: name.to_owned(),
                    help,
                })
            }
            _ => Ok(()),
        }
    }

    fn push_examination(&mut self, name: &str, model: &Model) -> Result<(), Error> {
        let net = model.net().ok_or_else(|| Error::Misplaced {
            about: "examinations are about nets".into(),
            model: model.name.clone(),
            help: "use --deadlock, --invariant or --reach".into(),
        })?;
        let property = sweepline_net::examination(net, name)?;
        self.properties
            .push((property, Source::new("--examination", name)));
        Ok(())
    }

    /// Nothing was asked: what the model itself asks, a property file beside it, or else deadlocks.
    fn look_beside(&mut self, model: &Model) -> Result<(), Error> {
        let of_net = model.path.as_deref().filter(|_| model.net().is_some());
        let beside = of_net.and_then(file_beside);
        if !model.questions.is_empty() {
            self.bound.clone_from(&model.questions);
        } else if let Some(file) = beside {
            self.note = Some(format!("properties from {}", file.display()));
            self.properties = read_properties(&file, model)?;
        } else {
            self.properties.push(no_deadlock());
            self.properties.extend(no_error(model));
        }
        Ok(())
    }
}

/// The property file of a net. Models of other kinds often share the name.
fn file_beside(path: &Path) -> Option<PathBuf> {
    let beside = ["xml", "properties.xml"].map(|extension| path.with_extension(extension));
    beside.into_iter().find(|candidate| candidate.is_file())
}

/// A question whose model is not known.
#[derive(Clone, Debug)]
pub struct NamedQuestion {
    /// The name it is reported under.
    pub name: String,
    /// What sort of question it is.
    pub kind: QuestionKind,
    /// How it is written.
    pub text: String,
}

impl QuestionOptions {
    /// The questions, as far as they can be named without the model. Property files are about names of the model.
    pub fn named(&self) -> Vec<NamedQuestion> {
        let named = |name: &str, kind, text: String| NamedQuestion {
            name: name.trim().to_owned(),
            kind,
            text,
        };
        let deadlock = self.deadlock.then(|| {
            let Question {
                name, kind, text, ..
            } = Question::no_deadlock();
            NamedQuestion { name, kind, text }
        });
        let invariants = self.invariants.iter().map(|text| {
            let formula = format!("AG ({})", text.trim());
            named(text, QuestionKind::Invariant, formula)
        });
        let reachable = self.reachable.iter().map(|text| {
            let formula = format!("EF ({})", text.trim());
            named(text, QuestionKind::Reach, formula)
        });
        let of_files = self.files.iter().chain(&self.examinations);
        let of_files = of_files.map(|name| named(name, QuestionKind::Formula, name.clone()));
        let automata = self.safety_automata.iter().map(|file| {
            let name = file.display().to_string();
            named(&name, QuestionKind::SafetyAutomaton, NEVER_ACCEPTED.into())
        });
        deadlock
            .into_iter()
            .chain(invariants)
            .chain(reachable)
            .chain(of_files)
            .chain(automata)
            .collect()
    }
}

/// What is asked about an automaton.
pub(crate) const NEVER_ACCEPTED: &str = "no run is accepted";

/// No reachable state is a deadlock.
fn no_deadlock() -> (Property, Source) {
    let pred = Pred::Not(Box::new(Pred::Deadlock));
    (
        Property {
            name: "deadlock".into(),
            kind: PropertyKind::Formula(Formula::Invariant(pred)),
        },
        Source::new("--deadlock", ""),
    )
}

/// Networks with error states must not reach them.
fn no_error(model: &Model) -> Option<(Property, Source)> {
    let mut own = model.definitions.iter();
    let error = own.find(|definition| definition.name.text == ERROR)?;
    let formula = Formula::Invariant(Pred::Not(Box::new(Pred::Holds(error.name.clone()))));
    let property = Property {
        name: "error".into(),
        kind: PropertyKind::Formula(formula),
    };
    Some((property, Source::new("the network", "")))
}

/// Definitions of propositions, as they are written.
pub fn define(texts: &[String]) -> Result<Vec<Definition>, Error> {
    texts
        .iter()
        .map(|text| Ok(parse_definition(Source::new("--prop", text.as_str()))?))
        .collect()
}

/// `FILE#NAME`, unless a file of that whole name exists.
pub fn split_name(argument: &str) -> (PathBuf, Option<&str>) {
    match argument.rsplit_once('#') {
        Some((file, name)) if !Path::new(argument).exists() => (file.into(), Some(name)),
        _ => (argument.into(), None),
    }
}

/// XML is the contest's or TAPAAL's; anything else is a formula as text.
fn read_properties(path: &Path, model: &Model) -> Result<Vec<(Property, Source)>, Error> {
    let name = path.display().to_string();
    let bytes = read(path)?;
    let is_xml = bytes
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_none_or(|&byte| byte == b'<' || byte == 0xef);
    if !is_xml {
        let source = read_text(path)?;
        let properties = sweepline_logic::read_formulas(&source)?;
        return Ok(properties
            .into_iter()
            .map(|property| (property, source.clone()))
            .collect());
    }
    let net = model.net().ok_or_else(|| Error::Misplaced {
        about: format!("`{name}` holds properties of a net"),
        model: model.name.clone(),
        help: "write the property as text, such as `AG p`".into(),
    })?;
    let properties = sweepline_net::read_properties(&name, &bytes, net)?.complete()?;
    Ok(properties
        .into_iter()
        .map(|property| (property, Source::new(name.as_str(), "")))
        .collect())
}
