//! Declarations, inside `let` and on their own.

use std::collections::HashMap;

use crate::ml::Value;
use crate::ml::core::{Core, Form, Lambda, Local, Match, Otherwise};
use crate::ml::environment::{Constructor, Entity, Make, TypeName};
use crate::ml::errors::Checked;
use crate::ml::infer::Infer;
use crate::ml::syntax::{Datatype, Dec, DecKind, Expr, ExprKind, Function, Pat, Type};
use crate::ml::types::{Class, Con, Scheme, Ty, Types};

/// A group of functions, or a value with names for its parts.
pub(crate) enum Declared {
    Functions(Vec<(Local, Lambda)>),
    Value(Core, Form),
}

impl Infer<'_, '_> {
    /// `let declarations in body end`
    pub(super) fn nested(&mut self, decs: &[Dec], body: &Expr, ty: Ty) -> Checked<Core> {
        let mut all = Vec::new();
        self.declare_all(decs, &mut all)?;
        let mut core = self.check(body, ty)?;
        for declared in all.into_iter().rev() {
            core = match declared {
                Declared::Functions(functions) => Core::Functions(functions, Box::new(core)),
                Declared::Value(value, form) => Core::Match(Box::new(Match {
                    subjects: vec![value],
                    rows: vec![(vec![form], core)],
                    otherwise: Otherwise::Bind,
                })),
            };
        }
        Ok(core)
    }

    fn declare_all(&mut self, decs: &[Dec], all: &mut Vec<Declared>) -> Checked<()> {
        decs.iter().try_for_each(|dec| self.declare(dec, all))
    }

    /// One declaration. Its names are in scope from now on.
    pub fn declare(&mut self, dec: &Dec, all: &mut Vec<Declared>) -> Checked<()> {
        match &dec.kind {
            DecKind::Val(bindings) => {
                for (pattern, value) in bindings {
                    all.push(self.value(pattern, value)?);
                }
                Ok(())
            }
            DecKind::ValRec(bindings) => {
                let functions = bindings
                    .iter()
                    .map(|(pattern, value)| self.recursive(pattern, value));
                let functions = functions.collect::<Checked<Vec<_>>>()?;
                all.push(Declared::Functions(self.functions(&functions)?));
                Ok(())
            }
            DecKind::Fun(functions) => {
                all.push(Declared::Functions(self.functions(functions)?));
                Ok(())
            }
            DecKind::Exception(exceptions) => exceptions
                .iter()
                .try_for_each(|(name, argument)| self.exception(name, argument.as_ref())),
            DecKind::Local(hidden, visible) => self.hidden(hidden, visible, all),
            DecKind::Datatype(datatypes) => self.datatypes(datatypes),
            DecKind::Abbreviation(abbreviations) => {
                for (parameters, name, meaning) in abbreviations {
                    let ty = self.parameterised(parameters, meaning)?;
                    let known = TypeName::Known(parameters.len(), ty);
                    self.environment.types.insert(name.clone(), known);
                }
                Ok(())
            }
            DecKind::Fixity | DecKind::Broken(_) => Ok(()),
            DecKind::Refused(what) => {
                let what = format!(
                    "`{}` is not understood, and never executed",
                    sweepline_text::shortened(what)
                );
                let help = "leave it out, and declare the functions that are needed one by one";
                self.report
                    .not_understood(dec.span, what, Some(help.into()))
            }
            DecKind::Colset(_) | DecKind::Variables(..) | DecKind::Reference(..) => {
                let why = "this can be declared for a whole model only".to_string();
                self.report.wrong(dec.span, why, None)
            }
        }
    }

    /// Declarations for other declarations only.
    fn hidden(&mut self, hidden: &[Dec], visible: &[Dec], all: &mut Vec<Declared>) -> Checked<()> {
        let depth = self.scope.len();
        self.declare_all(hidden, all)?;
        let from = self.scope.len();
        self.declare_all(visible, all)?;
        self.scope.drain(depth..from);
        Ok(())
    }

    /// `val pattern = value`
    fn value(&mut self, pattern: &Pat, value: &Expr) -> Checked<Declared> {
        let depth = self.scope.len();
        self.types().level += 1;
        let result = self.matched(pattern, value);
        self.types().level -= 1;
        let (core, form, ty) = result?;
        let scheme = self.types().generalise(ty, is_value(value));
        let scheme = self.unless_large(value.span, scheme)?;
        for (_, entity) in &mut self.scope[depth..] {
            if let Entity::Local(_, part) = entity {
                *part = scheme.of_part(part.ty);
            }
        }
        Ok(Declared::Value(core, form))
    }

    fn matched(&mut self, pattern: &Pat, value: &Expr) -> Checked<(Core, Form, Ty)> {
        // The pattern first, whose type is expected of the value; but its names are not known there.
        let ty = self.types().fresh();
        let depth = self.scope.len();
        let form = self.pattern(pattern, ty)?;
        let names = self.scope.split_off(depth);
        let core = self.check(value, ty)?;
        self.scope.extend(names);
        Ok((core, form, ty))
    }

    /// `val rec name = fn …` as a function.
    fn recursive(&mut self, pattern: &Pat, value: &Expr) -> Checked<Function> {
        let mut names = Vec::new();
        pattern.names(&mut names);
        let mut inner = value;
        while let ExprKind::Paren(next) = &inner.kind {
            inner = next;
        }
        let (ExprKind::Fn(rules), [name]) = (&inner.kind, names.as_slice()) else {
            let why = "`val rec` declares functions: `val rec f = fn x => …`".to_string();
            return self.report.wrong(value.span, why, None);
        };
        let clauses = rules.iter().map(|rule| crate::ml::syntax::Clause {
            patterns: vec![rule.pattern.clone()],
            result: None,
            body: rule.body.clone(),
        });
        Ok(Function {
            name: name.clone(),
            at: pattern.span,
            clauses: clauses.collect(),
        })
    }

    /// Functions that may call each other.
    fn functions(&mut self, functions: &[Function]) -> Checked<Vec<(Local, Lambda)>> {
        self.types().level += 1;
        let result = self.function_bodies(functions);
        self.types().level -= 1;
        let (signatures, lambdas) = result?;
        let mut all = Vec::new();
        for (signature, (function, lambda)) in
            signatures.into_iter().zip(functions.iter().zip(lambdas))
        {
            let scheme = self.types().generalise(signature.ty, true);
            let scheme = self.unless_large(function.at, scheme)?;
            let entity = Entity::Local(signature.local, scheme);
            self.scope.push((function.name.clone(), entity));
            all.push((signature.local, lambda));
        }
        Ok(all)
    }

    fn function_bodies(
        &mut self,
        functions: &[Function],
    ) -> Checked<(Vec<Signature>, Vec<Lambda>)> {
        let depth = self.scope.len();
        let mut signatures = Vec::new();
        for function in functions {
            let signature = self.signature(function);
            let entity = Entity::Local(signature.local, Types::monomorphic(signature.ty));
            if self.scope[depth..]
                .iter()
                .any(|(name, _)| *name == function.name)
            {
                let why = format!("`{}` is declared twice", function.name);
                return self.report.wrong(function.at, why, None);
            }
            self.scope.push((function.name.clone(), entity));
            signatures.push(signature);
        }
        let mut lambdas = Vec::new();
        for (function, signature) in functions.iter().zip(&signatures) {
            lambdas.push(self.clausal(&function.clauses, &signature.from, signature.to)?);
        }
        self.scope.truncate(depth);
        Ok((signatures, lambdas))
    }

    fn signature(&mut self, function: &Function) -> Signature {
        let from: Vec<Ty> = function.clauses[0]
            .patterns
            .iter()
            .map(|_| self.types().fresh())
            .collect();
        let to = self.types().fresh();
        let mut ty = to;
        for argument in from.iter().rev() {
            ty = self.types().function(*argument, ty);
        }
        let local = self.local();
        Signature {
            local,
            from,
            to,
            ty,
        }
    }

    fn exception(&mut self, name: &str, argument: Option<&Type>) -> Checked<()> {
        let tag = self.machine.add_exception(name);
        let exception = self.types().simple(Con::EXN);
        let (make, ty) = match argument {
            None => (Make::Value(Value::small(tag)), exception),
            Some(written) => {
                let argument = self.annotation(written)?;
                (
                    Make::Tagged(tag),
                    self.types().function(argument, exception),
                )
            }
        };
        let scheme = Types::monomorphic(ty);
        let entity = Entity::Constructor(Constructor { make, scheme });
        self.scope.push((name.to_string(), entity));
        Ok(())
    }

    fn datatypes(&mut self, datatypes: &[Datatype]) -> Checked<()> {
        for datatype in datatypes {
            let con = self.types().new_con(&datatype.name);
            let parameters =
                (0..datatype.parameters.len()).map(|number| self.types().generic(number));
            let parameters: Vec<Ty> = parameters.collect();
            let ty = self.types().con(con, parameters);
            let known = TypeName::Known(datatype.parameters.len(), ty);
            self.environment.types.insert(datatype.name.clone(), known);
        }
        datatypes
            .iter()
            .try_for_each(|datatype| self.constructors(datatype))
    }

    fn constructors(&mut self, datatype: &Datatype) -> Checked<()> {
        let Some(TypeName::Known(_, whole)) = self.environment.types.get(&datatype.name) else {
            return Ok(());
        };
        let whole = *whole;
        for (tag, (name, argument)) in (0..).zip(&datatype.constructors) {
            let (make, ty) = match argument {
                None => (Make::Value(Value::small(tag)), whole),
                Some(written) => {
                    let argument = self.parameterised(&datatype.parameters, written)?;
                    (Make::Tagged(tag), self.types().function(argument, whole))
                }
            };
            let variables = vec![(Class::Any, false); datatype.parameters.len()];
            let scheme = Types::scheme(ty, variables);
            let entity = Entity::Constructor(Constructor { make, scheme });
            self.scope.push((name.clone(), entity));
        }
        Ok(())
    }

    /// A type with parameters, which become generic.
    fn parameterised(&mut self, parameters: &[String], written: &Type) -> Checked<Ty> {
        let generic = parameters.iter().enumerate();
        let generic: HashMap<String, Ty> = generic
            .map(|(number, name)| (name.clone(), self.environment.type_table.generic(number)))
            .collect();
        let outer = std::mem::replace(&mut self.annotated, generic);
        let result = self.annotation(written);
        let annotated = std::mem::replace(&mut self.annotated, outer);
        if annotated.len() > parameters.len() {
            let why = "a type variable is no parameter of the type".to_string();
            return self.report.wrong(written.span, why, None);
        }
        result
    }

    /// The names that came into scope at the top level.
    pub fn take_scope(&mut self) -> Vec<(String, Entity)> {
        std::mem::take(&mut self.scope)
    }

    /// `name : type` of what is always there.
    pub fn known_type(&mut self, written: &Type) -> Checked<Scheme> {
        self.annotated.clear();
        self.types().level += 1;
        let class = |name: &str| match name {
            "'num" => Class::Number,
            "'ord" => Class::Ordered,
            _ => Class::Any,
        };
        let mut variables = Vec::new();
        let names = ["'a", "'b", "'c", "''a", "'num", "'ord"];
        for name in names {
            let generic = self.environment.type_table.generic(variables.len());
            variables.push((class(name), name.starts_with("''")));
            self.annotated.insert(name.to_string(), generic);
        }
        let result = self.annotation(written);
        self.types().level -= 1;
        self.annotated.clear();
        Ok(Types::scheme(result?, variables))
    }
}

struct Signature {
    local: Local,
    from: Vec<Ty>,
    to: Ty,
    ty: Ty,
}

/// Whether an expression is a value without evaluation, so that its type may be general.
fn is_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Text(_)
        | ExprKind::Char(_)
        | ExprKind::Name(_)
        | ExprKind::Select(_)
        | ExprKind::Fn(_) => true,
        ExprKind::Tuple(all) | ExprKind::List(all) => all.iter().all(is_value),
        ExprKind::Record(fields) => fields.iter().all(|(_, value)| is_value(value)),
        ExprKind::Typed(inner, _) | ExprKind::Paren(inner) => is_value(inner),
        _ => false,
    }
}
