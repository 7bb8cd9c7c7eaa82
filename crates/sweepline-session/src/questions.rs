//! Gathering what is asked: from texts, from files, from beside the model.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Diagnostic;
use sweepline_check::{Question, QuestionKind, Truth};
use sweepline_core::{Describe, Limits};
use sweepline_logic::ctl::CtlAtoms;
use sweepline_logic::omega::read_omega;
use sweepline_logic::{
    Definition, Formula, Pred, Property, PropertyKind, SafetyAutomaton, Scope, Source,
    SyntaxWarning, nearest, parse_ctl, parse_definition, parse_ltl, parse_pred,
};
use sweepline_progress::StateEquation;

use crate::asserted::{Asserted, is_of_family};
use crate::error::Error;
use crate::fairness::{Fair, assume};
use crate::load::read_text;
use crate::model::Model;
use crate::networks::ERROR;
use crate::property_file::{Entry, PropertyFile, Read, Wrong, first_of};
use crate::unanswered::{Asked, Unanswered};

/// Everything that is asked of a model.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Properties with the text their names stand in.
    pub properties: Vec<(Property, Source)>,
    /// Questions that are bound to the system already, for models whose encoding never changes.
    pub bound: Vec<Question>,
    /// No run may be accepted by any of these.
    pub automata: Vec<SafetyAutomaton>,
    /// Formulas over fluents that all runs satisfy.
    pub assertions: Vec<Asserted>,
    /// Propositions that properties and automata may speak of.
    pub definitions: Vec<Definition>,
    /// Questions about runs are about those that satisfy all of these.
    pub fairness: Vec<Fair>,
    /// Whether what decides formulas of branching time is verified, state by state.
    pub certify: bool,
    /// Predicates, as they are written, that have the same value in all states.
    pub known: HashMap<String, bool>,
    /// Properties of a net that was unfolded, in the words of the net as it is written, by how they are written otherwise.
    pub folded: HashMap<String, String>,
    /// Whether the queries of the model are asked.
    pub queries: bool,
    /// What is asked but cannot be answered.
    pub unanswered: Vec<Unanswered>,
    /// What is wrong with properties that are set aside.
    pub warnings: Vec<Arc<dyn Diagnostic + Send + Sync>>,
    /// Where the properties come from, if nobody named them.
    pub note: Option<String>,
}

/// What somebody wants to know, as it is written.
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags, as somebody wrote them"
)]
#[derive(Clone, Debug, Default)]
pub struct QuestionOptions {
    /// No reachable state is a deadlock.
    pub deadlock: bool,
    /// Predicates that every reachable state satisfies.
    pub invariants: Vec<String>,
    /// Predicates that some reachable state satisfies.
    pub reachable: Vec<String>,
    /// Formulas that every infinite run satisfies.
    pub ltl: Vec<String>,
    /// Formulas of branching time that every initial state satisfies.
    pub ctl: Vec<String>,
    /// Predicates that can be satisfied again from every reachable state.
    pub home: Vec<String>,
    /// Some state can be reached from every reachable state.
    pub home_state: bool,
    /// Files of automata on infinite words that accept no run.
    pub automata: Vec<PathBuf>,
    /// Predicates that hold again and again in every run that counts.
    pub fair: Vec<String>,
    /// Patterns of names of actions that are taken if they are enabled from some time on.
    pub weak_fair: Vec<String>,
    /// Patterns of names of actions that are taken again and again if they are enabled again and again.
    pub strong_fair: Vec<String>,
    /// What decides formulas of branching time is verified, state by state.
    pub certify: bool,
    /// Of formulas over fluents: only runs count that make every choice they have again and again in all ways.
    pub fair_choice: bool,
    /// Property files, perhaps with the name of one of their properties behind `#`, or names of questions of the model.
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
            certify: options.certify,
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
        for text in &options.ltl {
            questions.push_ltl(text)?;
        }
        for text in &options.ctl {
            questions.push_ctl(text)?;
        }
        for text in &options.home {
            questions.push_home(text)?;
        }
        if options.home_state {
            questions.push_home_state(model);
        }
        for file in &options.automata {
            questions.push_automaton(file)?;
        }
        for file in &options.files {
            questions.push_file(file, model)?;
        }
        for text in &options.fair {
            questions.fairness.push(Fair::recurring(text)?);
        }
        let weak = options.weak_fair.iter().cloned().map(Fair::Weak);
        let strong = options.strong_fair.iter().cloned().map(Fair::Strong);
        questions.fairness.extend(weak.chain(strong));
        for name in &options.examinations {
            questions.push_examination(name, model)?;
        }
        for file in &options.safety_automata {
            let automaton = sweepline_logic::read_automaton(&read_text(file)?)?;
            questions.automata.push(automaton);
        }
        let is_watched = !(questions.automata.is_empty() && questions.assertions.is_empty());
        if !questions.is_about_states() && !is_watched {
            questions.look_beside(model)?;
        }
        if options.fair_choice {
            questions.choose_fairly(model)?;
        }
        questions.use_ids(model);
        Ok(questions)
    }

    /// Whether components of an unfolded graph are the same one is not known.
    fn push_home_state(&mut self, model: &Model) {
        let (property, source) = home_state();
        if model.is_unfolded {
            let text = property.kind.to_string();
            let message = "some nodes of this graph are the same state, and which ones is not stored; `--home-state` of the model tells, or of a graph built with `--method full`";
            self.unanswered.push(Unanswered {
                name: property.name,
                asked: Asked::Wrong {
                    text,
                    message: message.into(),
                },
                after: self.properties.len(),
            });
        } else {
            self.properties.push((property, source));
        }
    }

    /// Formulas over fluents are about the runs that count under fair choice.
    fn choose_fairly(&mut self, model: &Model) -> Result<(), Error> {
        if self.assertions.is_empty() {
            return Err(Error::Misplaced {
                about: "--fair-choice is about models with formulas over fluents".into(),
                model: model.name.clone(),
                help: "use --weak-fair or --strong-fair for other formulas".into(),
            });
        }
        let asserted = std::mem::take(&mut self.assertions);
        let system = &*model.system;
        let questions = asserted.iter().map(|one| one.under_fair_choice(system));
        self.bound.extend(questions);
        Ok(())
    }

    /// Whether something is asked about states.
    pub(crate) fn is_about_states(&self) -> bool {
        !(self.properties.is_empty() && self.bound.is_empty() && self.unanswered.is_empty())
    }

    /// Whether something is asked about infinite runs.
    pub(crate) fn is_about_runs(&self) -> bool {
        let stated = self.properties.iter().any(|(property, _)| {
            matches!(
                property.kind,
                PropertyKind::AllRuns(_) | PropertyKind::SomeRun(_) | PropertyKind::NoRun(_)
            )
        });
        let bound = || {
            let mut bound = self.bound.iter();
            bound.any(|question| matches!(question.truth, Truth::Runs(_)))
        };
        stated || bound()
    }

    /// Predicates in formulas that become shorter if these are known. Of branching time that is so if all runs count, and certificates are
    /// about what was written.
    fn atoms_to_decide(&self) -> impl Iterator<Item = Pred> {
        let branching = self.fairness.is_empty() && !self.certify;
        let asked = self.properties.iter();
        asked.flat_map(move |(property, _)| match &property.kind {
            PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => ltl.atoms.clone(),
            PropertyKind::Ctl(ctl) if branching => ctl.fine().atoms,
            _ => Vec::new(),
        })
    }

    /// The same questions, where predicates of formulas about runs that the state equation of a net decides are known. The work
    /// for that is bounded; elsewhere nothing changes.
    #[must_use]
    pub(crate) fn decided_by_equation(&self, model: &Model, limits: &Limits) -> Self {
        let mut questions = self.clone();
        let atoms: Vec<Pred> = self.atoms_to_decide().collect();
        let Some(net) = model.net().filter(|_| !atoms.is_empty()) else {
            return questions;
        };
        let mut equation = StateEquation::new(net, limits).beside(&self.definitions);
        let mut tried = HashSet::new();
        for atom in &atoms {
            let written = atom.to_string();
            if tried.insert(written.clone())
                && let Some(value) = equation.decide(atom)
            {
                questions.known.insert(written, value);
            }
        }
        questions
    }

    /// The same questions, with the answers to the queries of the model if they are asked. They take an exploration of their
    /// own.
    #[must_use]
    pub(crate) fn with_queries(mut self, model: &Model, limits: &Limits) -> Self {
        if std::mem::take(&mut self.queries) {
            self.bound.extend(crate::coloured::asked(model, limits));
        }
        self
    }

    /// Slots and actions of a net are called by ids; people also use names.
    fn use_ids(&mut self, model: &Model) {
        let Some(net) = model.net() else { return };
        for (property, _) in &mut self.properties {
            sweepline_net::resolve_names(net, property);
            if net.folded().is_some() {
                let mut shown = property.clone();
                sweepline_net::fold_names(net, &mut shown);
                let (written, shown) = (property.kind.to_string(), shown.kind.to_string());
                self.folded.insert(written, shown);
            }
        }
        for definition in &mut self.definitions {
            sweepline_net::resolve_predicate(net, &mut definition.pred);
        }
        self.fairness.iter_mut().for_each(|fair| fair.use_ids(net));
    }

    /// The questions about states and runs, bound to a system.
    pub fn bind(&self, system: &dyn Describe) -> Result<Vec<Question>, Error> {
        let scope = Scope::of(system).with(&self.definitions)?;
        let mut questions = Vec::new();
        let mut unanswered = self.unanswered.iter().peekable();
        for (index, (property, source)) in self.properties.iter().enumerate() {
            while let Some(earlier) = unanswered.next_if(|unanswered| unanswered.after <= index) {
                questions.push(earlier.question());
            }
            let known = |pred: &Pred| self.known.get(&pred.to_string()).copied();
            let mut question = Question::bind_knowing(property, &scope, source, &known)?;
            if let Some(folded) = self.folded.get(&question.text) {
                question.text.clone_from(folded);
            }
            questions.push(question);
        }
        questions.extend(unanswered.map(Unanswered::question));
        questions.extend_from_slice(&self.bound);
        assume(&self.fairness, system, &scope, &mut questions)?;
        for question in &mut questions {
            if let (true, Truth::Branches(branches)) = (self.certify, &mut question.truth) {
                // What is asked of every state leaves no labels.
                (branches.certify, branches.reachability) = (true, None);
            }
        }
        Ok(questions)
    }

    /// A formula that every infinite run satisfies.
    fn push_ltl(&mut self, text: &str) -> Result<(), Error> {
        let source = Source::new("--ltl", text);
        let parsed = parse_ltl(&source)?;
        self.warn(parsed.warnings);
        let property = Property {
            name: text.trim().to_owned(),
            kind: PropertyKind::AllRuns(parsed.ltl),
        };
        self.properties.push((property, source));
        Ok(())
    }

    fn warn(&mut self, warnings: Vec<SyntaxWarning>) {
        let warnings = warnings.into_iter();
        self.warnings
            .extend(warnings.map(|warning| Arc::new(warning) as Arc<dyn Diagnostic + Send + Sync>));
    }

    /// A formula of branching time.
    fn push_ctl(&mut self, text: &str) -> Result<(), Error> {
        let source = Source::new("--ctl", text);
        let parsed = parse_ctl(&source)?;
        self.warn(parsed.warnings);
        let property = Property {
            name: text.trim().to_owned(),
            kind: PropertyKind::Ctl(parsed.ctl),
        };
        self.properties.push((property, source));
        Ok(())
    }

    /// A predicate that can be satisfied again from every reachable state.
    fn push_home(&mut self, text: &str) -> Result<(), Error> {
        let source = Source::new("--home", text);
        let mut atoms = CtlAtoms::default();
        let home = atoms.atom(parse_pred(&source)?).home();
        let property = Property {
            name: text.trim().to_owned(),
            kind: PropertyKind::Ctl(atoms.finish(home)),
        };
        self.properties.push((property, source));
        Ok(())
    }

    /// An automaton on infinite words that accepts no run.
    fn push_automaton(&mut self, file: &Path) -> Result<(), Error> {
        let source = read_text(file)?;
        let automaton = read_omega(&source)?;
        let property = Property {
            name: source.name().to_owned(),
            kind: PropertyKind::NoRun(Box::new(automaton)),
        };
        self.properties.push((property, source));
        Ok(())
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

    /// A file, perhaps with the name or the number of one of its properties behind `#`. Then only that one is looked at.
    fn push_file(&mut self, argument: &str, model: &Model) -> Result<(), Error> {
        if self.push_own(argument, model) {
            return Ok(());
        }
        let (path, wanted) = split_name(argument);
        let file = PropertyFile::read(&path, model);
        let file = file.map_err(|error| meant_otherwise(error, argument, model))?;
        match wanted {
            Some(wanted) => match self.usable(file.pick(&path, wanted)?, model)? {
                Entry {
                    read: Read::Wrong(wrong),
                    ..
                } => return Err(wrong.error),
                entry => self.push_entry(entry),
            },
            None => self.push_entries(file.entries, model)?,
        }
        Ok(())
    }

    /// Questions of the model with this name, unless there is a file of that name. False if there is none.
    fn push_own(&mut self, name: &str, model: &Model) -> bool {
        if Path::new(name).exists() {
            return false;
        }
        let recurring = model.recurring.iter();
        let recurring = recurring.filter(|question| is_of_family(&question.name, name));
        let asserted = model.assertions.iter();
        let asserted = asserted.filter(|asserted| asserted.is_called(name));
        let stated = model.properties.iter();
        let stated = stated.filter(|(property, _)| property.name == name);
        let count =
            |asked: &Self| asked.bound.len() + asked.assertions.len() + asked.properties.len();
        let before = count(self);
        self.bound.extend(recurring.cloned());
        self.assertions.extend(asserted.cloned());
        self.properties.extend(stated.cloned());
        count(self) > before
    }

    /// All properties of a file. If every one is wrong, so is the file.
    fn push_entries(&mut self, entries: Vec<Entry>, model: &Model) -> Result<(), Error> {
        let usable = entries.into_iter().map(|entry| self.usable(entry, model));
        let mut entries = usable.collect::<Result<Vec<Entry>, Error>>()?;
        let is_wrong = |entry: &Entry| matches!(entry.read, Read::Wrong(_));
        if entries.iter().all(is_wrong)
            && let Some(Entry {
                read: Read::Wrong(wrong),
                ..
            }) = entries.pop()
        {
            return Err(wrong.error);
        }
        for entry in entries {
            self.push_entry(entry);
        }
        Ok(())
    }

    /// The same property, which is wrong if it speaks of something that the model does not have.
    fn usable(&self, entry: Entry, model: &Model) -> Result<Entry, Error> {
        let Entry { name, read } = entry;
        let Read::Property(mut property, source) = read else {
            return Ok(Entry { name, read });
        };
        if let Some(net) = model.net() {
            sweepline_net::resolve_names(net, &mut property);
        }
        let scope = Scope::of(&*model.system).with(&self.definitions)?;
        let read = match Question::bind(&property, &scope, &source) {
            Ok(_) => Read::Property(property, source),
            Err(errors) => Read::Wrong(Wrong {
                text: property.kind.to_string(),
                message: first_of(&errors.iter().collect::<Vec<_>>(), 0),
                error: errors.into(),
            }),
        };
        Ok(Entry { name, read })
    }

    fn push_entry(&mut self, entry: Entry) {
        let asked = match entry.read {
            Read::Property(property, source) => {
                return self.properties.push((*property, source));
            }
            Read::Unanswered(asked) => asked,
            Read::Wrong(wrong) => {
                let (asked, warning) = wrong.set_aside(&entry.name);
                self.warnings.push(warning);
                asked
            }
        };
        self.unanswered.push(Unanswered {
            name: entry.name,
            asked,
            after: self.properties.len(),
        });
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
        } else if !model.properties.is_empty() {
            self.properties.clone_from(&model.properties);
        } else if let Some(file) = beside {
            self.note = Some(format!("properties from {}", file.display()));
            let file = PropertyFile::read(&file, model)?;
            self.push_entries(file.entries, model)?;
        } else {
            self.properties.push(no_deadlock());
            self.properties.extend(no_error(model));
            self.queries = true;
            self.bound.clone_from(&model.recurring);
            self.assertions.clone_from(&model.assertions);
            let after = self.properties.len();
            let unanswered = model.unanswered.iter().cloned();
            self.unanswered
                .extend(unanswered.map(|unanswered| Unanswered {
                    after,
                    ..unanswered
                }));
        }
        Ok(())
    }
}

/// A file that cannot be read, unless a property of the model has a name like that.
fn meant_otherwise(error: Error, name: &str, model: &Model) -> Error {
    let recurring = model
        .recurring
        .iter()
        .map(|question| question.name.as_str());
    let asserted = model.assertions.iter().map(Asserted::name);
    let stated = model.properties.iter().map(|(property, _)| &*property.name);
    let own = recurring.chain(asserted).chain(stated);
    match (error, nearest(name, own)) {
        (Error::Unreadable { path, error, .. }, Some(nearest)) => Error::Unreadable {
            path,
            error,
            help: format!("did you mean the property `{nearest}` of the model?"),
        },
        (error, _) => error,
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
        let ltl = self.ltl.iter().map(|text| {
            let formula = format!("A ({})", text.trim());
            named(text, QuestionKind::Ltl, formula)
        });
        let ctl = self.ctl.iter();
        let ctl = ctl.map(|text| named(text, QuestionKind::Ctl, text.trim().to_owned()));
        let home = self.home.iter().map(|text| {
            let formula = format!("AG EF ({})", text.trim());
            named(text, QuestionKind::Ctl, formula)
        });
        let home_state = self.home_state.then(|| {
            let (Property { name, kind }, _) = home_state();
            named(&name, QuestionKind::Ctl, kind.to_string())
        });
        let of_files = self.files.iter().chain(&self.examinations);
        let of_files = of_files.map(|name| named(name, QuestionKind::Formula, name.clone()));
        let on_runs = self.automata.iter().map(|file| {
            let name = file.display().to_string();
            named(&name, QuestionKind::BuchiAutomaton, NEVER_ACCEPTED.into())
        });
        let automata = self.safety_automata.iter().map(|file| {
            let name = file.display().to_string();
            named(&name, QuestionKind::SafetyAutomaton, NEVER_ACCEPTED.into())
        });
        deadlock
            .into_iter()
            .chain(invariants)
            .chain(reachable)
            .chain(ltl)
            .chain(ctl)
            .chain(home)
            .chain(home_state)
            .chain(on_runs)
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

/// Some state can be reached from every reachable state.
fn home_state() -> (Property, Source) {
    let property = Property {
        name: "home state".into(),
        kind: PropertyKind::HomeState,
    };
    (property, Source::new("--home-state", ""))
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
