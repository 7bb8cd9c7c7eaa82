//! Gathering what is asked: from flags, from files, from beside the model.

use std::path::{Path, PathBuf};

use miette::{Report, miette};
use sweepline_check::{Question, QuestionKind};
use sweepline_core::Describe;
use sweepline_logic::{
    Definition, Formula, Pred, Property, PropertyKind, SafetyAutomaton, Scope, Source,
    parse_definition, parse_pred,
};

use crate::args::PropertyArgs;
use crate::load::{Loaded, read, read_text};
use crate::networks::ERROR;

/// Everything that is asked of a model.
#[derive(Default)]
pub struct Asked {
    /// Properties with the text their names stand in.
    pub properties: Vec<(Property, Source)>,
    pub automata: Vec<SafetyAutomaton>,
    pub definitions: Vec<Definition>,
    /// Where the properties come from, if nobody named them.
    pub note: Option<String>,
}

impl Asked {
    /// What the flags ask of this model.
    pub fn gather(args: &PropertyArgs, model: &Loaded, path: &Path) -> Result<Self, Report> {
        let mut definitions = model.definitions.clone();
        definitions.extend(self::definitions(&args.propositions)?);
        let mut asked = Self {
            definitions,
            ..Self::default()
        };
        if args.deadlock {
            asked.properties.push(no_deadlock());
        }
        for text in &args.invariant {
            asked.push_predicate("--invariant", text, Formula::Invariant)?;
        }
        for text in &args.reach {
            asked.push_predicate("--reach", text, Formula::Reachable)?;
        }
        for file in &args.property {
            asked.push_file(file, model)?;
        }
        for name in &args.examination {
            asked.push_examination(name, model)?;
        }
        for file in &args.safety_automaton {
            asked
                .automata
                .push(sweepline_process::read_automaton(&read_text(file)?)?);
        }
        if asked.properties.is_empty() && asked.automata.is_empty() {
            asked.look_beside(model, path)?;
        }
        asked.use_ids(model);
        Ok(asked)
    }

    /// Slots and actions of a net are called by ids; people also use names.
    fn use_ids(&mut self, model: &Loaded) {
        let Some(net) = &model.net else { return };
        for (property, _) in &mut self.properties {
            sweepline_net::resolve_names(net, property);
        }
        for definition in &mut self.definitions {
            sweepline_net::resolve_predicate(net, &mut definition.pred);
        }
    }

    /// The questions, bound to a system.
    pub fn bind(&self, system: &dyn Describe) -> Result<Vec<Question>, Report> {
        let scope = Scope::of(system).with(&self.definitions)?;
        let mut questions = Vec::new();
        for (property, source) in &self.properties {
            questions.push(Question::bind(property, &scope, source)?);
        }
        Ok(questions)
    }

    fn push_predicate(
        &mut self,
        flag: &str,
        text: &str,
        ask: fn(Pred) -> Formula,
    ) -> Result<(), Report> {
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
    fn push_file(&mut self, argument: &str, model: &Loaded) -> Result<(), Report> {
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
                Err(miette!(
                    help = help,
                    "`{}` has no property `{name}`",
                    path.display()
                ))
            }
            _ => Ok(()),
        }
    }

    fn push_examination(&mut self, name: &str, model: &Loaded) -> Result<(), Report> {
        let Some(net) = &model.net else {
            return Err(miette!(
                help = "use --deadlock, --invariant or --reach",
                "examinations are about nets, and `{}` is none",
                model.name
            ));
        };
        let property = sweepline_net::examination(net, name)?;
        self.properties
            .push((property, Source::new("--examination", name)));
        Ok(())
    }

    /// Nothing was asked: a property file beside the model, or else deadlocks.
    fn look_beside(&mut self, model: &Loaded, path: &Path) -> Result<(), Report> {
        let beside = ["xml", "properties.xml"].map(|extension| path.with_extension(extension));
        // Property files are about nets; models of other kinds often share the name.
        let beside = beside.iter().filter(|_| model.net.is_some());
        if let Some(file) = beside.into_iter().find(|candidate| candidate.is_file()) {
            self.note = Some(format!("properties from {}", file.display()));
            self.properties = read_properties(file, model)?;
        } else {
            self.properties.push(no_deadlock());
            self.properties.extend(no_error(model));
        }
        Ok(())
    }
}

/// A question that was asked for by a flag, when the model is not known: name, kind and text.
pub struct Named {
    pub name: String,
    pub kind: QuestionKind,
    pub text: String,
}

/// What the flags ask, as far as they say it themselves. Property files are about names of the model.
pub fn named(args: &PropertyArgs) -> Vec<Named> {
    let named = |name: &str, kind, text: String| Named {
        name: name.trim().to_owned(),
        kind,
        text,
    };
    let deadlock = args.deadlock.then(|| {
        let Question {
            name, kind, text, ..
        } = Question::no_deadlock();
        Named { name, kind, text }
    });
    let invariants = args.invariant.iter().map(|text| {
        let formula = format!("AG ({})", text.trim());
        named(text, QuestionKind::Invariant, formula)
    });
    let reachable = args.reach.iter().map(|text| {
        let formula = format!("EF ({})", text.trim());
        named(text, QuestionKind::Reach, formula)
    });
    let of_files = args.property.iter().chain(&args.examination);
    let of_files = of_files.map(|name| named(name, QuestionKind::Formula, name.clone()));
    let automata = args.safety_automaton.iter().map(|file| {
        let text = "no run is accepted".to_owned();
        named(
            &file.display().to_string(),
            QuestionKind::SafetyAutomaton,
            text,
        )
    });
    deadlock
        .into_iter()
        .chain(invariants)
        .chain(reachable)
        .chain(of_files)
        .chain(automata)
        .collect()
}

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
fn no_error(model: &Loaded) -> Option<(Property, Source)> {
    let mut own = model.definitions.iter();
    let error = own.find(|definition| definition.name.text == ERROR)?;
    let formula = Formula::Invariant(Pred::Not(Box::new(Pred::Holds(error.name.clone()))));
    let property = Property {
        name: "error".into(),
        kind: PropertyKind::Formula(formula),
    };
    Some((property, Source::new("the network", "")))
}

pub fn definitions(texts: &[String]) -> Result<Vec<Definition>, Report> {
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
fn read_properties(path: &Path, model: &Loaded) -> Result<Vec<(Property, Source)>, Report> {
    let name = path.display().to_string();
    let bytes = read(path)?;
    let is_xml = bytes
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_none_or(|&byte| byte == b'<' || byte == 0xef);
    if !is_xml {
        let source = read_text(path)?;
        let properties = sweepline_process::read_formulas(&source)?;
        return Ok(properties
            .into_iter()
            .map(|property| (property, source.clone()))
            .collect());
    }
    let Some(net) = &model.net else {
        return Err(miette!(
            help = "write the property as text, such as `AG p`",
            "`{name}` holds properties of a net, and `{}` is none",
            model.name
        ));
    };
    let properties = sweepline_net::read_properties(&name, &bytes, net)?.complete()?;
    Ok(properties
        .into_iter()
        .map(|property| (property, Source::new(name.as_str(), "")))
        .collect())
}
