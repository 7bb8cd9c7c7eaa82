//! Models that have been read.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use sweepline_core::{Limits, StopReason};
use sweepline_process::Network;
use sweepline_text::{Source, did_you_mean};

use crate::ast::{CompositeDef, Defined, FormulaDef, Model, Parameter, Process, ProcessDef};
use crate::check::check_names;
use crate::composite::{closed, single};
use crate::elaborate::{Done, Elaborator};
use crate::errors::{FspError, FspErrors, FspWarning};
use crate::formula::Assertion;
use crate::found::Found;
use crate::parser::{Failed, parse};
use crate::value::{Value, applied, indexed};

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Values that replace those of constants of the model, and the values that parameters of what is taken have by default.
    pub constants: Vec<(String, i64)>,
    /// Which composition or process to take, perhaps with arguments: `DINERS(7)`.
    ///
    /// Without it `||DEFAULT` is taken, or else the last composition. In a file without compositions all processes
    /// that no other one refers to run side by side.
    pub composition: Option<String>,
    /// What may end the reading of a model before it is complete. Then the only error is [`FspError::Stopped`].
    pub limits: Limits,
}

/// A model that has been read and checked.
#[derive(Clone, Debug)]
pub struct FspModel {
    network: Network,
    progress: Vec<ProgressProperty>,
    menus: Vec<Menu>,
    assertions: Vec<Assertion>,
    constants: Vec<(String, i64)>,
    compositions: Vec<String>,
    composition: Option<String>,
    warnings: Vec<FspWarning>,
}

/// Some of these labels occur again and again, in every fair run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressProperty {
    /// Its name.
    pub name: String,
    /// If given, the property is about runs in which some of these labels occur again and again.
    pub condition: Option<BTreeSet<String>>,
    /// The labels, of which some must occur again and again.
    pub labels: BTreeSet<String>,
}

/// Actions that a user would like to control when the model is animated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// Its name.
    pub name: String,
    /// The labels as they are written.
    pub labels: Vec<String>,
}

/// Reads a model, or says everything that is wrong with it.
///
/// ```
/// use sweepline_fsp::{LoadOptions, read_fsp};
/// use sweepline_text::Source;
///
/// let source = Source::new("buffer.lts", "
///     const N = 2
///     BUFFER = COUNT[0],
///     COUNT[i:0..N] = (when (i < N) put -> COUNT[i+1] | when (i > 0) get -> COUNT[i-1]).
///     PRODUCER = (put -> PRODUCER).
///     ||SYSTEM = (BUFFER || PRODUCER).
/// ");
/// let options = LoadOptions {
///     constants: vec![("N".into(), 5)],
///     ..LoadOptions::default()
/// };
/// let model = read_fsp(&source, &options).unwrap();
/// let buffer = &model.network().components[0];
/// assert_eq!(buffer.name, "BUFFER");
/// assert_eq!((buffer.lts.len(), buffer.lts.edge_count()), (6, 10));
/// ```
pub fn read_fsp(source: &Source, options: &LoadOptions) -> Result<FspModel, FspErrors> {
    let stopped = |reason: StopReason| FspErrors::from(FspError::Stopped(reason));
    let mut errors = Found::default();
    let model = parse(source, &options.limits, &mut errors).map_err(stopped)?;
    // Names that could not be read would all be reported as missing.
    if errors.is_empty() {
        check_names(source, &model, &mut errors);
        unknown_constants(&model, options, &mut errors);
    }
    options.limits.allow(source.text().len()).map_err(stopped)?;
    if errors.is_empty() {
        elaborated(source, &model, options)
    } else {
        Err(errors.into_errors())
    }
}

fn elaborated(
    source: &Source,
    model: &Model,
    options: &LoadOptions,
) -> Result<FspModel, FspErrors> {
    let mut elaborator = Elaborator::new(source, model, &options.limits);
    elaborator.define_values(&options.constants);
    let network = elaborator.chosen_network(options);
    let result = network.and_then(|network| elaborator.model(network));
    if let Some(reason) = elaborator.stopped {
        return Err(FspError::Stopped(reason).into());
    }
    match result {
        Ok(result) if elaborator.errors.is_empty() => Ok(result),
        _ => Err(elaborator.errors.into_errors()),
    }
}

/// Constants to set that the model does not have.
fn unknown_constants(model: &Model, options: &LoadOptions, errors: &mut Found<FspError>) {
    let constants = model.values.iter().filter_map(|definition| {
        let constant = matches!(definition.value, Defined::Constant(_));
        constant.then_some(definition.name.text.as_str())
    });
    let parameters = match &options.composition {
        Some(wanted) => Wanted::read(wanted).and_then(|wanted| {
            let composites = model.composites.iter().map(|c| (&c.name, &c.parameters));
            let processes = model.processes.iter().map(|p| (&p.name, &p.parameters));
            let mut all = composites.chain(processes);
            all.find(|(name, _)| name.text == wanted.name)
        }),
        None => meant(model).map(|composite| (&composite.name, &composite.parameters)),
    };
    let parameters = parameters
        .into_iter()
        .flat_map(|(_, parameters)| parameters);
    let parameters = parameters.map(|parameter| parameter.name.text.as_str());
    let constants: Vec<&str> = constants.chain(parameters).collect();
    let names = options.constants.iter().map(|(name, _)| name);
    for name in names.filter(|name| !constants.contains(&name.as_str())) {
        errors.push_with(|| FspError::UnknownConstant {
            name: name.clone(),
            help: did_you_mean(name, constants.iter().copied())
                .or_else(|| listed("the constants are", &constants)),
        });
    }
}

fn listed(what: &str, names: &[&str]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
}

impl<'a> Elaborator<'a> {
    /// The network that was asked for, or the one that is meant.
    fn chosen_network(&mut self, options: &LoadOptions) -> Done<Network> {
        let model = self.model;
        if let Some(wanted) = &options.composition {
            return self.named_network(wanted, &options.constants);
        }
        if let Some(composite) = meant(model) {
            let arguments = self.set_arguments(&composite.parameters, &[], &options.constants)?;
            return self.composition(composite, arguments, &composite.name.span);
        }
        let inner = referenced(model);
        let mut processes: Vec<&ProcessDef> = model.processes.iter().collect();
        processes.retain(|process| !inner.contains(process.name.text.as_str()));
        if processes.is_empty() {
            processes = model.processes.iter().collect();
        }
        self.side_by_side(&processes)
    }

    fn named_network(&mut self, wanted: &str, set: &[(String, i64)]) -> Done<Network> {
        let model = self.model;
        let Some(Wanted { name, arguments }) = Wanted::read(wanted) else {
            self.errors.push(FspError::BadArguments {
                written: wanted.to_string(),
            });
            return Err(Failed);
        };
        let composite = self.composite_named(name);
        let process = self.process_named(name);
        let parameters = composite.map(|composite| &composite.parameters);
        let parameters = parameters.or(process.map(|process| &process.parameters));
        let count = parameters.map_or(0, Vec::len);
        if parameters.is_some() && arguments.len() > count {
            self.errors.push(FspError::TooManyArguments {
                name: name.to_string(),
                count,
                found: arguments.len(),
            });
            return Err(Failed);
        }
        let arguments = match parameters {
            Some(parameters) => self.set_arguments(parameters, &arguments, set)?,
            None => Vec::new(),
        };
        if let Some(composite) = composite {
            return self.composition(composite, arguments, &composite.name.span);
        }
        if let Some(process) = process {
            let name = applied(name, &arguments);
            let lts = self.primitive(process, arguments, &process.name.span)?;
            return self.parallel(vec![single(name, lts)]);
        }
        let composites = model.composites.iter().map(|c| c.name.text.as_str());
        let processes = model.processes.iter().map(|p| p.name.text.as_str());
        let all: Vec<&str> = composites.chain(processes).collect();
        let near = did_you_mean(name, all.iter().copied());
        self.errors.push(FspError::UnknownComposition {
            name: name.to_string(),
            help: near.or_else(|| listed("there are", &all)),
        });
        Err(Failed)
    }

    /// The arguments of what is taken: those that are given, then those that are set by name, then the default values. None
    /// if nothing is given or set.
    fn set_arguments(
        &mut self,
        parameters: &'a [Parameter],
        given: &[i64],
        set: &[(String, i64)],
    ) -> Done<Vec<Value>> {
        let by_name = |parameter: &Parameter| {
            let mut values = set.iter().rev();
            let found = values.find(|(name, _)| *name == parameter.name.text);
            found.map(|(_, value)| *value)
        };
        if given.is_empty()
            && !parameters
                .iter()
                .any(|parameter| by_name(parameter).is_some())
        {
            return Ok(Vec::new());
        }
        let mut given = given.iter();
        let values = parameters.iter().map(|parameter| {
            match given.next().copied().or_else(|| by_name(parameter)) {
                Some(value) => Ok(Value::Number(value)),
                None => self.value(&parameter.default),
            }
        });
        values.collect()
    }

    fn side_by_side(&mut self, processes: &[&'a ProcessDef]) -> Done<Network> {
        let mut networks = Vec::new();
        let mut whole = true;
        for process in processes {
            match self.primitive(process, Vec::new(), &process.name.span) {
                Ok(lts) => networks.push(single(process.name.text.clone(), lts)),
                Err(_) => whole = false,
            }
        }
        if processes.is_empty() {
            self.errors.push(FspError::NoProcess {});
        }
        for formula in self.constraints() {
            match self.monitor(formula, Vec::new(), &formula.name.span) {
                Ok(lts) => networks.push(single(formula.name.text.clone(), lts)),
                Err(_) => whole = false,
            }
        }
        if !whole || processes.is_empty() {
            return Err(Failed);
        }
        self.parallel(networks)
    }

    /// Everything that is known about the model, with this network.
    fn model(&mut self, network: Network) -> Done<FspModel> {
        let progress = self.progress(&network)?;
        let menus = self.menus()?;
        let assertions = self.assertions(&network)?;
        for formula in self.constraints() {
            self.warn_if_idle(formula);
            self.warn_of_strangers(formula, &network);
        }
        let compositions = self.model.composites.iter();
        Ok(FspModel {
            network: closed(network),
            progress,
            menus,
            assertions,
            constants: self.constants(),
            compositions: compositions.map(|c| c.name.text.clone()).collect(),
            composition: meant(self.model).map(|meant| meant.name.text.clone()),
            warnings: std::mem::take(&mut self.warnings).into_warnings(),
        })
    }

    fn progress(&mut self, network: &Network) -> Done<Vec<ProgressProperty>> {
        let mut all = Vec::new();
        for definition in &self.model.progress {
            let indices = &definition.indices;
            self.each_combination(indices, &mut Vec::new(), &mut |this, values| {
                let condition = match &definition.condition {
                    Some(set) => Some(this.matching(network, set, "expect")?),
                    None => None,
                };
                all.push(ProgressProperty {
                    name: indexed(&definition.name.text, values),
                    condition,
                    labels: this.matching(network, &definition.set, "expect")?,
                });
                Ok(())
            })?;
        }
        Ok(all)
    }

    fn menus(&mut self) -> Done<Vec<Menu>> {
        let mut menus = Vec::new();
        for menu in &self.model.menus {
            menus.push(Menu {
                name: menu.name.text.clone(),
                labels: self.set(&menu.set)?.to_vec(),
            });
        }
        Ok(menus)
    }

    /// The formulas that restrict what they are composed with.
    fn constraints(&self) -> Vec<&'a FormulaDef> {
        let formulas = self.model.formulas.iter();
        formulas
            .filter(|formula| formula.word == "constraint")
            .collect()
    }

    /// Warns of labels that a constraint restricts and nobody else has.
    fn warn_of_strangers(&mut self, formula: &FormulaDef, network: &Network) {
        let made = self
            .primitives
            .get(&(formula.name.text.clone(), Vec::new()));
        let Some(Some(lts)) = made.cloned() else {
            return;
        };
        // One with other labels is another process.
        let all = network.components.iter();
        let (mine, others): (Vec<_>, Vec<_>) = all.partition(|one| Arc::ptr_eq(&one.lts, &lts));
        let known: HashSet<&str> = others
            .iter()
            .flat_map(|other| other.lts.labels()[1..].iter().map(String::as_str))
            .collect();
        let strangers = lts.labels()[1..].iter();
        for label in strangers.filter(|label| !mine.is_empty() && !known.contains(label.as_str())) {
            self.unknown_label(&formula.name.span, label, "restrict", network);
        }
    }

    fn warn_if_idle(&mut self, formula: &FormulaDef) {
        let mut made = self.primitives.keys();
        if made.any(|(name, _)| *name == formula.name.text) {
            return;
        }
        self.warn(&formula.name.span, "idle", |this| FspWarning::Idle {
            name: formula.name.text.clone(),
            text: this.source.named(),
            at: formula.name.span.clone().into(),
        });
    }
}

/// A composition or process to take, as it is written.
struct Wanted<'w> {
    name: &'w str,
    arguments: Vec<i64>,
}

impl<'w> Wanted<'w> {
    /// Reads `NAME` or `NAME(7, 2)`.
    fn read(text: &'w str) -> Option<Self> {
        let (name, arguments) = match text.split_once('(') {
            None => (text, Vec::new()),
            Some((name, rest)) => {
                let inside = rest.trim_end().strip_suffix(')')?;
                let numbers = inside.split(',').map(|number| number.trim().parse());
                (name, numbers.collect::<Result<_, _>>().ok()?)
            }
        };
        let name = name.trim();
        Some(Self { name, arguments })
    }
}

/// The composition that is meant if nobody says which.
fn meant(model: &Model) -> Option<&CompositeDef> {
    let composites = &model.composites;
    let default = composites.iter().find(|c| c.name.text == "DEFAULT");
    default.or(composites.last())
}

/// The primitive processes that others are made of.
fn referenced(model: &Model) -> HashSet<&str> {
    let mut names = HashSet::new();
    for process in &model.processes {
        let locals: HashSet<&str> = process
            .locals
            .iter()
            .map(|l| l.name.text.as_str())
            .collect();
        let mut found = Vec::new();
        for local in &process.locals {
            references(&local.body, &mut found);
        }
        names.extend(found.into_iter().filter(|name| !locals.contains(name)));
    }
    names
}

fn references<'m>(process: &'m Process, found: &mut Vec<&'m str>) {
    match process {
        Process::Final(..) => {}
        Process::Reference(reference) => found.push(&reference.name.text),
        Process::Sequence(parts) => {
            for part in parts {
                references(part, found);
            }
        }
        Process::If(parts) => {
            references(&parts.1, found);
            if let Some(no) = &parts.2 {
                references(no, found);
            }
        }
        Process::Choice(branches) => {
            for branch in branches {
                references(&branch.then, found);
            }
        }
    }
}

impl FspModel {
    /// The components side by side, in the order they are written.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What should happen again and again.
    pub fn progress(&self) -> &[ProgressProperty] {
        &self.progress
    }

    /// Menus of actions, as they are written.
    pub fn menus(&self) -> &[Menu] {
        &self.menus
    }

    /// What is claimed by formulas over fluents.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// Constants with the values they have in this network, in the order of their definitions.
    pub fn constants(&self) -> &[(String, i64)] {
        &self.constants
    }

    /// The composition that is taken if nobody asks for another: the last, or `DEFAULT`.
    pub fn composition(&self) -> Option<&str> {
        self.composition.as_deref()
    }

    /// The names of all compositions, in the order of their definitions.
    pub fn compositions(&self) -> &[String] {
        &self.compositions
    }

    /// What is allowed but probably not meant.
    pub fn warnings(&self) -> &[FspWarning] {
        &self.warnings
    }
}
