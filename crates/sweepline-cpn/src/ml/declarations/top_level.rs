//! Functions and values of a model.

use std::collections::HashMap;

use crate::ml::Effects;
use crate::ml::build::known;
use crate::ml::compile::{Compiler, Outer, top_level};
use crate::ml::core::{Core, Form, Lambda, Local, Match, Otherwise};
use crate::ml::declarations::Declarations;
use crate::ml::environment::Entity;
use crate::ml::errors::{Checked, Report};
use crate::ml::infer::{Declared, Infer};
use crate::ml::syntax::{Dec, Expr, Span};
use crate::ml::types::Con;

impl Declarations {
    /// A declaration as Standard ML has them.
    pub(super) fn ordinary(&mut self, dec: &Dec, report: &mut Report) -> Checked<()> {
        self.environment.type_table.start();
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, report);
        let mut all = Vec::new();
        infer.declare(dec, &mut all)?;
        let scope = infer.take_scope();
        let positions = infer.positions()?;
        let mut outer = HashMap::new();
        for declared in &all {
            match declared {
                Declared::Functions(group) => self.functions(group, &positions, &mut outer),
                Declared::Value(core, form) => {
                    self.value(core, form, &positions, &mut outer, dec.span, report)?;
                }
            }
        }
        for (name, entity) in scope {
            let entity = self.global(entity, &outer);
            self.environment.values.insert(name, entity);
        }
        Ok(())
    }

    fn functions(
        &mut self,
        group: &[(Local, Lambda)],
        positions: &[usize],
        outer: &mut HashMap<Local, Outer>,
    ) {
        let mut functions = Vec::new();
        let mut effects = Effects::default();
        for (local, lambda) in group {
            let id = self.machine.add_function(lambda);
            outer.insert(*local, Outer::Function(id));
            functions.push((id, lambda));
            effects.add(&self.effects_of(&lambda.body, outer));
        }
        top_level(&mut self.machine, positions, outer, &functions);
        self.environment
            .effects
            .resize(self.machine.function_count(), Effects::default());
        for (id, _) in functions {
            self.environment.effects[id.0 as usize] = effects.clone();
        }
    }

    /// What an expression depends on, also through other functions of the same declaration.
    fn effects_of(&self, core: &Core, outer: &HashMap<Local, Outer>) -> Effects {
        let mut effects = known(core, &self.environment, &self.machine).effects;
        core.visit(&mut |part| {
            let Core::Local(local) = part else { return };
            let found = match outer.get(local) {
                Some(Outer::Function(id)) => self.environment.effects.get(id.0 as usize),
                Some(Outer::Global(global)) => {
                    self.environment.global_effects.get(*global as usize)
                }
                None => None,
            };
            if let Some(found) = found {
                effects.add(found);
            }
        });
        effects
    }

    fn value(
        &mut self,
        core: &Core,
        form: &Form,
        positions: &[usize],
        outer: &mut HashMap<Local, Outer>,
        span: Span,
        report: &mut Report,
    ) -> Checked<()> {
        let effects = self.effects_of(core, outer);
        let mut locals = Vec::new();
        names_of(form, &mut locals);
        let parts = locals.iter().map(|local| Core::Local(*local)).collect();
        let whole = Core::Match(Box::new(Match {
            subjects: vec![core.clone()],
            rows: vec![(vec![form.clone()], Core::Fields(parts))],
            otherwise: Otherwise::Bind,
        }));
        let code = Compiler::new(&mut self.machine, positions, outer).expression(&whole);
        self.machine.clock_was_read();
        let values = match self.machine.run_code(&code) {
            Ok(_) if self.machine.clock_was_read() => {
                let why = "it depends on the time when it is declared".to_string();
                return report.no_value(span, why);
            }
            Ok(values) => self.machine.values().fields(values).to_vec(),
            Err(failure) => return report.no_value(span, failure.to_string()),
        };
        for (local, value) in locals.into_iter().zip(values) {
            let global = self.machine.add_global(value);
            self.environment.global_effects.push(effects.clone());
            outer.insert(local, Outer::Global(global));
        }
        Ok(())
    }

    /// A name of the top level, for all that follows.
    fn global(&mut self, entity: Entity, outer: &HashMap<Local, Outer>) -> Entity {
        let Entity::Local(local, scheme) = entity else {
            return entity;
        };
        if self.environment.type_table.close(scheme.ty).is_err() {
            return Entity::Faulty("the type is too large".to_string());
        }
        match outer.get(&local) {
            Some(Outer::Function(id)) => {
                let (parameters, unpacked) = self.machine.signature(*id);
                Entity::Function {
                    id: *id,
                    scheme,
                    parameters: parameters as usize,
                    unpacked,
                }
            }
            Some(Outer::Global(global)) => Entity::Global(*global, scheme),
            None => unreachable!("every name of the top level is a function or a value"),
        }
    }

    pub(super) fn new_reference(
        &mut self,
        name: &str,
        expr: &Expr,
        report: &mut Report,
    ) -> Checked<()> {
        self.environment.type_table.start();
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, report);
        let (_, ty) = infer.infer(expr)?;
        infer.positions()?;
        let types = &mut self.environment.type_table;
        if types.close(ty).is_err() {
            return report.wrong(expr.span, "the type is too large".into(), None);
        }
        let reference_type = types.con(Con::REF, vec![ty]);
        let reference = self.machine.add_reference(name);
        let entity = Entity::Reference(reference, reference_type);
        self.environment.values.insert(name.to_string(), entity);
        Ok(())
    }
}

/// The names that a form binds.
fn names_of(form: &Form, names: &mut Vec<Local>) {
    match form {
        Form::Bind(local) => names.push(*local),
        Form::Both(local, inner) => {
            names.push(*local);
            names_of(inner, names);
        }
        Form::Fields(parts) => parts.iter().for_each(|(_, part)| names_of(part, names)),
        Form::Construct(_, inner) => names_of(inner, names),
        Form::Cons(both) => both.iter().for_each(|part| names_of(part, names)),
        Form::Any | Form::Value(_) | Form::Constant(_) => {}
    }
}
