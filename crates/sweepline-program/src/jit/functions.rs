//! Which functions a program is compiled to, and their frames.
//!
//! Processes are compiled in groups, one function each, and a driver calls them. Small functions compile quicker than
//! one large function; few functions run quicker than many.

use std::collections::HashMap;

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use sweepline_core::Limits;

use super::actions::{Frame, Mode, Part};
use super::expressions::Emitter;
use super::native::{ConditionsCode, MeasureCode, Successors, Tables, new_module};
use super::size::Sizes;
use super::{CompileError, PER_WORD, most_steps};
use crate::lower::{Lowered, LoweredProcess, Node};

/// Actions a function is filled up to.
const ENOUGH: usize = 48;
/// The size beyond which a process becomes several functions: limits are looked at only between them, and large functions
/// take longer than in proportion.
const LARGE: usize = 1 << 14;

/// Compiles the successor function of a program.
pub(super) fn compile_successors(
    lowered: &Lowered,
    width: usize,
    limits: &Limits,
) -> Result<Successors, CompileError> {
    let sizes = Sizes::new(lowered, width)?;
    limits.allow(Sizes::bytes(sizes.total))?;
    let mut compiler = Compiler::new(width, limits)?;
    let all = compiler.groups(lowered, &sizes, Mode::All)?;
    let urgent = if lowered.has_committed {
        compiler.groups(lowered, &sizes, Mode::Urgent)?
    } else {
        Vec::new()
    };
    let driver = match &*all {
        [only] if !lowered.has_committed => *only,
        _ => compiler.driver(lowered, &all, &urgent)?,
    };
    compiler.module.finalize_definitions()?;
    let room = most_steps(lowered);
    let Compiler { module, tables, .. } = compiler;
    Ok(Successors::new(module, tables, driver, width, room))
}

/// Compiles an expression.
pub(super) fn compile_measure(node: &Node, width: usize) -> Result<MeasureCode, CompileError> {
    let limits = Limits::default();
    let mut compiler = Compiler::new(width, &limits)?;
    let function = compiler.define(2, |emitter, arguments| {
        emitter.load_all(node);
        let value = emitter.value(node);
        emitter.store_word(value, arguments[1], 0);
        let status = emitter.constant(0);
        emitter.builder.ins().return_(&[status]);
    })?;
    compiler.module.finalize_definitions()?;
    let Compiler { module, tables, .. } = compiler;
    Ok(MeasureCode::new(module, tables, function, width))
}

/// Compiles conditions, each with its position among all of them.
pub(super) fn compile_conditions(
    conditions: &[(usize, &Node)],
    width: usize,
) -> Result<ConditionsCode, CompileError> {
    let size: usize = conditions.iter().map(|(_, node)| node.size()).sum();
    if size > LARGE {
        return Err(CompileError::TooLarge);
    }
    let limits = Limits::default();
    let mut compiler = Compiler::new(width, &limits)?;
    let words = conditions.iter().map(|(at, _)| at / PER_WORD + 1).max();
    let function = compiler.define(2, |emitter, arguments| {
        for word in conditions.chunk_by(|one, other| one.0 / PER_WORD == other.0 / PER_WORD) {
            let truths = emitter.truths(word.iter().map(|(at, node)| (at % PER_WORD, *node)));
            let index = u32::try_from(word[0].0 / PER_WORD).expect("there are not so many");
            emitter.store_word(truths, arguments[1], index);
        }
        let status = emitter.constant(0);
        emitter.builder.ins().return_(&[status]);
    })?;
    compiler.module.finalize_definitions()?;
    let Compiler { module, tables, .. } = compiler;
    let room = words.unwrap_or(0);
    Ok(ConditionsCode::new(module, tables, function, width, room))
}

struct Compiler<'l> {
    module: JITModule,
    tables: Tables,
    width: usize,
    limits: &'l Limits,
    context: Context,
    builders: FunctionBuilderContext,
}

impl<'l> Compiler<'l> {
    fn new(width: usize, limits: &'l Limits) -> Result<Self, CompileError> {
        let module = new_module()?;
        Ok(Self {
            context: module.make_context(),
            module,
            tables: Tables::default(),
            width,
            limits,
            builders: FunctionBuilderContext::new(),
        })
    }

    /// One function per group of processes.
    fn groups(
        &mut self,
        lowered: &Lowered,
        sizes: &Sizes,
        mode: Mode,
    ) -> Result<Vec<FuncId>, CompileError> {
        let mut functions = Vec::new();
        let mut group: Vec<Part<'_>> = Vec::new();
        let mut size = 0;
        let processes = lowered.processes.iter();
        for part in processes.flat_map(|process| parts(process, sizes, mode)) {
            let locations = &part.process.locations[part.locations.clone()];
            let actions = locations.iter().map(|place| place.actions.len());
            let actions = actions.sum::<usize>();
            if size > 0 && size + actions > ENOUGH {
                functions.push(self.group(lowered, &group, mode)?);
                (size, group) = (0, Vec::new());
            }
            size += actions;
            group.push(part);
        }
        functions.push(self.group(lowered, &group, mode)?);
        Ok(functions)
    }

    fn group(
        &mut self,
        lowered: &Lowered,
        parts: &[Part<'_>],
        mode: Mode,
    ) -> Result<FuncId, CompileError> {
        self.limits.allow(0)?;
        self.define(3, |emitter, arguments| {
            // Error states have no steps; they are so few that the interpreter may say so.
            if let Some(error) = lowered.error {
                emitter.load(error.word);
                let good = emitter.is(error, 0);
                emitter.require(good);
            }
            let mut frame = Frame::new(emitter, arguments);
            for part in parts {
                frame.process(lowered, part, mode);
            }
            frame.finish();
        })
    }

    /// Calls the groups one after the other: all actions, or only urgent ones if some process is committed.
    fn driver(
        &mut self,
        lowered: &Lowered,
        all: &[FuncId],
        urgent: &[FuncId],
    ) -> Result<FuncId, CompileError> {
        let mut known = HashMap::new();
        for function in all.iter().chain(urgent) {
            let reference = self
                .module
                .declare_func_in_func(*function, &mut self.context.func);
            known.insert(*function, reference);
        }
        let references = |functions: &[FuncId]| functions.iter().map(|f| known[f]).collect();
        let (all, urgent): (Vec<_>, Vec<_>) = (references(all), references(urgent));
        self.define(3, |emitter, arguments| {
            if lowered.has_committed {
                let normal = emitter.builder.create_block();
                let committed = emitter.builder.create_block();
                for process in &lowered.processes {
                    emitter.branch_if_committed(process, committed);
                }
                emitter.builder.ins().jump(normal, &[]);
                emitter.builder.switch_to_block(committed);
                Frame::new(emitter, arguments).call_all(&urgent);
                emitter.builder.switch_to_block(normal);
            }
            Frame::new(emitter, arguments).call_all(&all);
        })
    }

    /// Defines a function that takes addresses and returns a number, negative if it gives up.
    fn define(
        &mut self,
        arguments: usize,
        emit: impl FnOnce(&mut Emitter<'_>, &[Value]),
    ) -> Result<FuncId, CompileError> {
        let mut signature = Signature::new(self.module.isa().default_call_conv());
        signature.params = vec![AbiParam::new(types::I64); arguments];
        signature.returns.push(AbiParam::new(types::I64));
        let function = self.module.declare_anonymous_function(&signature)?;
        self.context.func.signature = signature;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builders);
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let values = builder.block_params(entry).to_vec();
        let mut emitter = Emitter::new(builder, values[0], self.width, &mut self.tables);
        emit(&mut emitter, &values);
        emitter.finish(self.module.target_config());
        self.module.define_function(function, &mut self.context)?;
        self.module.clear_context(&mut self.context);
        Ok(function)
    }
}

/// A process, in parts that are not too large unless a single location is.
fn parts<'l>(process: &'l LoweredProcess, sizes: &Sizes, mode: Mode) -> Vec<Part<'l>> {
    let mut parts = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (index, location) in process.locations.iter().enumerate() {
        let more = sizes.location(location, mode);
        if size > 0 && size + more > LARGE {
            let locations = start..index;
            parts.push(Part { process, locations });
            (start, size) = (index, 0);
        }
        size += more;
    }
    let locations = start..process.locations.len();
    parts.push(Part { process, locations });
    parts
}
