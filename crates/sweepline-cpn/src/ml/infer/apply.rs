//! Functions with their arguments.

use crate::ml::core::{At, Core, Form, Match, Otherwise};
use crate::ml::environment::Entity;
use crate::ml::errors::Checked;
use crate::ml::infer::Infer;
use crate::ml::infer::expression::made;
use crate::ml::primitives::Primitive;
use crate::ml::syntax::{Expr, ExprKind, Span};
use crate::ml::types::Ty;

impl Infer<'_, '_> {
    /// `f a b c`
    pub(super) fn application(&mut self, expr: &Expr, ty: Ty) -> Checked<Core> {
        let (head, arguments) = spine(expr);
        match &head.kind {
            ExprKind::Name(name) => {
                let entity = self.lookup(name, head.span)?;
                let function = self.type_of(&entity, head.span)?;
                let arguments = self.arguments(head.span, function, &arguments, expr.span, ty)?;
                Ok(self.applied(&entity, arguments))
            }
            ExprKind::Select(label) => {
                let field = self.types().fresh();
                let record = self.types().open_record(vec![(label.clone(), field)]);
                let first = self.check(arguments[0], record)?;
                let slot = self.slot(record, label, head.span);
                let selected = Core::Field(Box::new(first), slot);
                let rest = self.arguments(head.span, field, &arguments[1..], expr.span, ty)?;
                Ok(applied_one_by_one(selected, rest))
            }
            _ => {
                let (core, function) = self.infer(head)?;
                let arguments = self.arguments(head.span, function, &arguments, expr.span, ty)?;
                Ok(applied_one_by_one(core, arguments))
            }
        }
    }

    /// The arguments of a function, whose result is expected to have a type.
    fn arguments(
        &mut self,
        head: Span,
        function: Ty,
        arguments: &[&Expr],
        span: Span,
        ty: Ty,
    ) -> Checked<Vec<Core>> {
        let mut from = Vec::new();
        let mut rest = function;
        for (number, _) in arguments.iter().enumerate() {
            let (argument, result) = match self.types().as_function(rest) {
                Some(both) => both,
                None => self.made_function(head, rest, number)?,
            };
            from.push(argument);
            rest = result;
        }
        // What is expected of the result says something about arguments. But if both are wrong, the argument is told.
        let expected = self.types().unify(ty, rest);
        let cores = arguments
            .iter()
            .zip(&from)
            .map(|(argument, ty)| self.check(argument, *ty));
        let cores = cores.collect::<Checked<Vec<_>>>()?;
        if expected.is_err() {
            self.agree(span, ty, rest)?;
        }
        Ok(cores)
    }

    /// Makes something a function because it has an argument.
    fn made_function(&mut self, head: Span, ty: Ty, before: usize) -> Checked<(Ty, Ty)> {
        let (from, to) = (self.types().fresh(), self.types().fresh());
        let function = self.types().function(from, to);
        if self.types().unify(ty, function).is_ok() {
            return Ok((from, to));
        }
        let shown = self.types().shown(ty);
        let why = match before {
            0 => format!("this is {shown}, not a function"),
            1 => "the function takes only one argument".to_string(),
            more => format!("the function takes only {more} arguments"),
        };
        let help = "an operator or a comma may be missing before the argument";
        self.report.wrong(head, why, Some(help.into()))
    }

    /// A name with arguments.
    pub(super) fn applied(&mut self, entity: &Entity, mut arguments: Vec<Core>) -> Core {
        match entity {
            Entity::Primitive {
                primitive,
                curried,
                parts,
                ..
            } if arguments.len() >= *curried => {
                let rest = arguments.split_off(*curried);
                let core = self.primitive(*primitive, *parts, arguments);
                applied_one_by_one(core, rest)
            }
            Entity::Constructor(constructor) => {
                let argument = arguments.remove(0);
                let core = made(constructor.make, argument);
                applied_one_by_one(core, arguments)
            }
            Entity::Function {
                id,
                parameters,
                unpacked: true,
                ..
            } => {
                let rest = arguments.split_off(1);
                let core = match arguments.pop() {
                    Some(Core::Fields(all)) if all.len() == *parameters => Core::Call(*id, all),
                    argument => {
                        applied_one_by_one(Core::Function(*id), argument.into_iter().collect())
                    }
                };
                applied_one_by_one(core, rest)
            }
            Entity::Function { id, parameters, .. } if arguments.len() >= *parameters => {
                let rest = arguments.split_off(*parameters);
                applied_one_by_one(Core::Call(*id, arguments), rest)
            }
            entity => {
                let function = self.as_value(entity.clone());
                applied_one_by_one(function, arguments)
            }
        }
    }

    fn primitive(&mut self, primitive: Primitive, parts: usize, mut arguments: Vec<Core>) -> Core {
        if parts <= 1 {
            return Core::Primitive(primitive, arguments);
        }
        match arguments.pop() {
            Some(Core::Fields(all)) if all.len() == parts => Core::Primitive(primitive, all),
            Some(pair) => {
                let locals: Vec<_> = (0..parts).map(|_| self.local()).collect();
                let forms = locals.iter().map(|local| Form::Bind(*local));
                let form = Form::Fields((0..).map(At::Known).zip(forms).collect());
                let all = locals.iter().map(|local| Core::Local(*local)).collect();
                Core::Match(Box::new(Match {
                    subjects: vec![pair],
                    rows: vec![(vec![form], Core::Primitive(primitive, all))],
                    otherwise: Otherwise::Match,
                }))
            }
            None => Core::Primitive(primitive, Vec::new()),
        }
    }
}

/// The head of an application, and its arguments in their order.
fn spine(expr: &Expr) -> (&Expr, Vec<&Expr>) {
    let mut arguments = Vec::new();
    let mut head = expr;
    loop {
        match &head.kind {
            ExprKind::Apply(function, argument) => {
                arguments.push(&**argument);
                head = function;
            }
            // `(#field) x` and `(f) x`
            ExprKind::Paren(inner) if !arguments.is_empty() => head = inner,
            _ => break,
        }
    }
    arguments.reverse();
    (head, arguments)
}

fn applied_one_by_one(function: Core, arguments: Vec<Core>) -> Core {
    let apply = |function, argument| Core::Apply(Box::new(function), Box::new(argument));
    arguments.into_iter().fold(function, apply)
}
