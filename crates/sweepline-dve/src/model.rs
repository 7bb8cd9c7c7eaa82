//! Models that have been read.

use std::sync::Arc;

use sweepline_core::Limits;
use sweepline_logic::{CompareOp, Definition, Expr, Pred};
use sweepline_program::{Program, ProgramBuilder};
use sweepline_text::{Errors, Name, Source};

use crate::ast;
use crate::declare::Settings;
use crate::errors::{DveError, DveErrors, DveWarning, abridged};
use crate::parser::parse;
use crate::property::PropertyAutomaton;
use crate::reach::unreachable_states;
use crate::resolve::Resolver;
use crate::symbols::{Meaning, Scope};

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Values that replace those of constants of the model; a constant of process `P` is called `P.name`.
    pub constants: Vec<(String, i64)>,
    /// When to stop; see [`DveError::stopped`].
    pub limits: Limits,
}

/// A model that has been read and checked.
#[derive(Clone, Debug)]
pub struct DveModel {
    ast: Arc<ast::Model>,
    program: Arc<Program>,
    property: Option<PropertyAutomaton>,
    constants: Vec<(String, i64)>,
    warnings: Vec<DveWarning>,
}

/// Reads a model, or says everything that is wrong with it.
///
/// ```
/// use sweepline_dve::{LoadOptions, read_dve};
/// use sweepline_text::Source;
///
/// let source = Source::new("lamp.dve", "
///     const byte most = 3;
///     byte n;
///     process Lamp {
///         state off, on;
///         init off;
///         trans off -> on { guard n < most; effect n = n + 1; },
///               on -> off {};
///     }
///     system async;
/// ");
/// let options = LoadOptions { constants: vec![("most".into(), 5)], ..LoadOptions::default() };
/// let model = read_dve(&source, &options).unwrap();
/// assert_eq!(model.program().actions().len(), 2);
/// ```
pub fn read_dve(source: &Source, options: &LoadOptions) -> Result<DveModel, DveErrors> {
    let mut errors = Vec::new();
    let ast = parse(source, &mut errors);
    let allowed = options.limits.allow(source.text().len());
    allowed.map_err(|reason| DveError::Stopped { reason })?;
    // Names that could not be read would all be reported as missing.
    if errors.is_empty() {
        checked(source, ast, options)
    } else {
        Err(in_order(errors))
    }
}

fn in_order(errors: Vec<DveError>) -> DveErrors {
    // Nothing is said about a model that was not read to its end.
    let stopped = errors.iter().find(|error| error.stopped().is_some());
    if let Some(stopped) = stopped {
        return stopped.clone().into();
    }
    let sorted = Errors::in_order((), errors).expect_err("there is at least one error");
    let abridged = abridged(sorted.into_vec());
    Errors::unless_none((), abridged).expect_err("there is at least one error")
}

fn checked(source: &Source, ast: ast::Model, options: &LoadOptions) -> Result<DveModel, DveErrors> {
    let mut resolver = Resolver {
        source,
        limits: &options.limits,
        builder: ProgramBuilder::new(source.name()).from_text(source.text()),
        globals: Scope::default(),
        processes: Vec::new(),
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    let mut settings = Settings::new(&options.constants);
    let property = resolver.model(&ast, &mut settings);
    let Resolver {
        builder,
        errors,
        mut warnings,
        ..
    } = resolver;
    if !errors.is_empty() {
        return Err(in_order(errors));
    }
    let program = builder.build();
    let program = program.expect("everything a program needs was checked with its place");
    warnings.extend(unreachable_states(&ast, source));
    Ok(DveModel {
        ast: Arc::new(ast),
        program: Arc::new(program),
        property,
        constants: settings.constants(),
        warnings,
    })
}

impl Resolver<'_> {
    /// Resolves a whole model.
    fn model(&mut self, ast: &ast::Model, settings: &mut Settings) -> Option<PropertyAutomaton> {
        self.variables(&ast.variables, None, settings);
        let mut channels = self.channels(&ast.channels);
        for (index, process) in ast.processes.iter().enumerate() {
            self.declare(&process.name, Meaning::Process(index), None);
        }
        let property = self.system(ast);
        for (index, process) in ast.processes.iter().enumerate() {
            self.process_declaration(process, index, property != Some(index), settings);
        }
        self.errors.extend(settings.unknown());
        let mut automaton = None;
        let mut steps = Vec::new();
        for (index, process) in ast.processes.iter().enumerate() {
            match self.processes[index].id {
                Some(id) => steps.extend(self.process_body(process, index, id, &mut channels)),
                None => automaton = self.property(process, index),
            }
        }
        self.actions(&steps, &mut channels);
        if let Some(end) = self.ends() {
            self.builder.end(end);
        }
        automaton
    }

    /// Checks the `system` line; the index of the property process, if there is one.
    fn system(&mut self, ast: &ast::Model) -> Option<usize> {
        let text = self.source.named();
        let Some(system) = &ast.system else {
            let end = self.source.range().end;
            let at = (end.saturating_sub(1)..end).into();
            self.errors.push(DveError::MissingSystem { text, at });
            return None;
        };
        if system.synchronous {
            let at = system.span.clone().into();
            self.errors.push(DveError::SynchronousSystem { text, at });
        }
        self.process(system.property.as_ref()?)
    }
}

impl DveModel {
    /// The program, without the property process.
    pub fn program(&self) -> Arc<Program> {
        Arc::clone(&self.program)
    }

    /// The model as it is written.
    pub fn ast(&self) -> &ast::Model {
        &self.ast
    }

    /// The property process, if the model has one.
    pub fn property(&self) -> Option<&PropertyAutomaton> {
        self.property.as_ref()
    }

    /// Constants with the values they have in this program, sorted by name.
    pub fn constants(&self) -> &[(String, i64)] {
        &self.constants
    }

    /// What is allowed but probably not meant.
    pub fn warnings(&self) -> &[DveWarning] {
        &self.warnings
    }

    /// A proposition `P.s` for every process `P` and each of its states `s`: the process is there.
    pub fn definitions(&self) -> Vec<Definition> {
        let mut definitions = Vec::new();
        for process in self.program.processes() {
            for (value, location) in (0..).zip(&process.locations) {
                definitions.push(at(&process.name, &location.name, value));
            }
        }
        definitions
    }
}

/// The proposition that a process is at a location.
fn at(process: &str, location: &str, value: i64) -> Definition {
    let slot = Expr::Slot(Name::new(process));
    Definition {
        name: Name::new(format!("{process}.{location}")),
        pred: Pred::Compare(CompareOp::Equal, slot, Expr::Number(value)),
        source: Source::from(format!("{process} == {location}")),
    }
}
