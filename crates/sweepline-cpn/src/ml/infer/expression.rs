//! Expressions.

use crate::ml::Value;
use crate::ml::core::{Core, Form, Lambda, Match, Otherwise};
use crate::ml::environment::{Constructor, Entity, Make};
use crate::ml::errors::Checked;
use crate::ml::infer::Infer;
use crate::ml::syntax::{Dec, Expr, ExprKind, Infix, Rule, Span};
use crate::ml::types::{Con, Ty};

impl Infer<'_, '_> {
    /// An expression and its type.
    pub fn infer(&mut self, expr: &Expr) -> Checked<(Core, Ty)> {
        let ty = self.types().fresh();
        Ok((self.check(expr, ty)?, ty))
    }

    /// An expression that is expected to have a type.
    pub fn check(&mut self, expr: &Expr, ty: Ty) -> Checked<Core> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value) => {
                let int = self.int();
                self.agree(span, ty, int)?;
                Ok(Core::Value(
                    Value::int(*value).expect("the lexer looks at the size"),
                ))
            }
            ExprKind::Real(value) => {
                let real = self.types().simple(Con::REAL);
                self.agree(span, ty, real)?;
                let value = self.machine.values_mut().real(*value);
                Ok(Core::Constant(self.machine.add_constant(value)))
            }
            ExprKind::Text(text) => {
                let string = self.types().simple(Con::STRING);
                self.agree(span, ty, string)?;
                Ok(self.text(text))
            }
            ExprKind::Char(character) => {
                let char_type = self.types().simple(Con::CHAR);
                self.agree(span, ty, char_type)?;
                Ok(Core::Value(character_value(*character)))
            }
            ExprKind::Name(name) => self.name(name, span, ty),
            ExprKind::Tuple(parts) => self.tuple(parts, span, ty),
            ExprKind::Record(fields) => self.record(fields, span, ty),
            ExprKind::List(parts) => {
                let element = self.types().fresh();
                let list = self.types().list(element);
                self.agree(span, ty, list)?;
                let parts = parts.iter().map(|part| self.check(part, element));
                Ok(Core::List(parts.collect::<Checked<_>>()?))
            }
            ExprKind::Select(label) => self.selector(label, span, ty),
            ExprKind::Apply(..) => self.application(expr, ty),
            ExprKind::Infix(infix) => self.infix(infix, span, ty),
            ExprKind::If(parts) => {
                let condition = self.condition(&parts[0])?;
                let yes = self.check(&parts[1], ty)?;
                let no = self.check(&parts[2], ty)?;
                Ok(Core::If(Box::new([condition, yes, no])))
            }
            ExprKind::Andalso(parts) => {
                let (left, right) = self.conditions(parts, span, ty)?;
                Ok(Core::If(Box::new([left, right, Core::Value(Value::FALSE)])))
            }
            ExprKind::Orelse(parts) => {
                let (left, right) = self.conditions(parts, span, ty)?;
                Ok(Core::If(Box::new([left, Core::Value(Value::TRUE), right])))
            }
            ExprKind::Case(of, rules) => {
                let (subject, of) = self.infer(of)?;
                let rows = self.rules(rules, of, ty)?;
                Ok(rows_of(subject, rows, Otherwise::Match))
            }
            ExprKind::Fn(rules) => {
                let (from, to) = (self.types().fresh(), self.types().fresh());
                let function = self.types().function(from, to);
                self.agree(span, ty, function)?;
                Ok(Core::Lambda(Box::new(self.lambda(rules, from, to)?)))
            }
            ExprKind::Let(decs, body) => self.local_declarations(decs, body, ty),
            ExprKind::Sequence(parts) => self.sequence(parts, ty),
            ExprKind::Raise(what) => {
                let exception = self.types().simple(Con::EXN);
                Ok(Core::Raise(Box::new(self.check(what, exception)?)))
            }
            ExprKind::Handle(what, rules) => {
                let tried = self.check(what, ty)?;
                let exception = self.types().simple(Con::EXN);
                let rows = self.rules(rules, exception, ty)?;
                let local = self.local();
                let handler = rows_of(Core::Local(local), rows, Otherwise::Again);
                Ok(Core::Handle(Box::new((tried, local, handler))))
            }
            ExprKind::Typed(inner, written) => {
                let annotated = self.annotation(written)?;
                self.agree(span, ty, annotated)?;
                self.check(inner, annotated)
            }
            ExprKind::Paren(inner) => self.check(inner, ty),
        }
    }

    /// A truth value.
    pub fn condition(&mut self, expr: &Expr) -> Checked<Core> {
        let bool_type = self.bool();
        self.check(expr, bool_type)
    }

    fn conditions(&mut self, parts: &[Expr; 2], span: Span, ty: Ty) -> Checked<(Core, Core)> {
        let bool_type = self.bool();
        self.agree(span, ty, bool_type)?;
        Ok((self.condition(&parts[0])?, self.condition(&parts[1])?))
    }

    fn name(&mut self, name: &str, span: Span, ty: Ty) -> Checked<Core> {
        let entity = self.lookup(name, span)?;
        let found = self.type_of(&entity, span)?;
        self.agree(span, ty, found)?;
        Ok(self.as_value(entity))
    }

    /// The type of one use of a name.
    pub(super) fn type_of(&mut self, entity: &Entity, span: Span) -> Checked<Ty> {
        let scheme = match entity {
            Entity::Local(_, scheme)
            | Entity::Global(_, scheme)
            | Entity::Function { scheme, .. }
            | Entity::Primitive { scheme, .. }
            | Entity::Constructor(Constructor { scheme, .. }) => scheme,
            Entity::Variable(variable) => {
                let (_, colour) = self.environment.variables[variable.index()];
                return Ok(self.environment.colour_types[colour.0 as usize]);
            }
            Entity::Reference(_, ty) => return Ok(*ty),
            Entity::Faulty(why) => return self.report.faulty(span, "this", &why.clone()),
        };
        let ty = self.environment.type_table.instantiate(scheme);
        self.unless_large(span, ty)
    }

    /// A name as a value: functions of the machine and constructors become functions.
    pub(super) fn as_value(&mut self, entity: Entity) -> Core {
        match entity {
            Entity::Local(local, _) => Core::Local(local),
            Entity::Global(global, _) => Core::Global(global),
            Entity::Function { id, .. } => Core::Function(id),
            Entity::Variable(variable) => Core::Variable(variable),
            Entity::Reference(reference, _) => Core::Reference(reference),
            Entity::Primitive {
                primitive,
                curried,
                parts,
                ..
            } => {
                let parameters: Vec<_> = (0..curried.max(parts)).map(|_| self.local()).collect();
                let arguments = parameters.iter().map(|local| Core::Local(*local)).collect();
                Core::Lambda(Box::new(Lambda {
                    unpacked: parts > 1,
                    parameters,
                    body: Core::Primitive(primitive, arguments),
                }))
            }
            Entity::Constructor(constructor) => match constructor.make {
                Make::Value(value) => Core::Value(value),
                make => {
                    let parameter = self.local();
                    Core::Lambda(Box::new(Lambda {
                        parameters: vec![parameter],
                        unpacked: false,
                        body: made(make, Core::Local(parameter)),
                    }))
                }
            },
            Entity::Faulty(_) => Core::Value(Value::UNIT),
        }
    }

    fn tuple(&mut self, parts: &[Expr], span: Span, ty: Ty) -> Checked<Core> {
        let types: Vec<Ty> = parts.iter().map(|_| self.types().fresh()).collect();
        let tuple = self.types().tuple(&types);
        self.agree(span, ty, tuple)?;
        if parts.is_empty() {
            return Ok(Core::Value(Value::UNIT));
        }
        let parts = parts
            .iter()
            .zip(types)
            .map(|(part, ty)| self.check(part, ty));
        Ok(Core::Fields(parts.collect::<Checked<_>>()?))
    }

    fn record(&mut self, fields: &[(String, Expr)], span: Span, ty: Ty) -> Checked<Core> {
        let mut sorted: Vec<&(String, Expr)> = fields.iter().collect();
        sorted.sort_by(|(a, _), (b, _)| crate::ml::types::compare_labels(a, b));
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let why = format!("the field `{}` has two values", twice[0].0);
            return self.report.wrong(twice[1].1.span, why, None);
        }
        let types: Vec<(String, Ty)> = sorted
            .iter()
            .map(|(label, _)| (label.clone(), self.types().fresh()))
            .collect();
        let record = self.types().record(types.clone());
        self.agree(span, ty, record)?;
        if sorted.is_empty() {
            return Ok(Core::Value(Value::UNIT));
        }
        let parts = sorted
            .iter()
            .zip(types)
            .map(|((_, part), (_, ty))| self.check(part, ty));
        Ok(Core::Fields(parts.collect::<Checked<_>>()?))
    }

    /// `#field` as a function.
    fn selector(&mut self, label: &str, span: Span, ty: Ty) -> Checked<Core> {
        let field = self.types().fresh();
        let record = self.types().open_record(vec![(label.to_string(), field)]);
        let function = self.types().function(record, field);
        self.agree(span, ty, function)?;
        let slot = self.slot(record, label, span);
        let parameter = self.local();
        Ok(Core::Lambda(Box::new(Lambda {
            parameters: vec![parameter],
            unpacked: false,
            body: Core::Field(Box::new(Core::Local(parameter)), slot),
        })))
    }

    fn infix(&mut self, infix: &Infix, span: Span, ty: Ty) -> Checked<Core> {
        if infix.operator == "@" {
            return self.stamp_or_append(infix, span, ty);
        }
        let entity = self.lookup(&infix.operator, infix.at)?;
        let function = self.type_of(&entity, infix.at)?;
        let (left, right, result) = (
            self.types().fresh(),
            self.types().fresh(),
            self.types().fresh(),
        );
        let both = self.types().tuple(&[left, right]);
        let expected = self.types().function(both, result);
        self.agree(infix.at, expected, function)?;
        let known = self.types().unify(ty, result);
        let first = self.check(&infix.left, left)?;
        let second = self.check(&infix.right, right)?;
        if known.is_err() {
            self.agree(span, ty, result)?;
        }
        Ok(self.applied(&entity, vec![Core::Fields(vec![first, second])]))
    }

    /// `colour @ time`, or `list @ list`: CPN Tools gives the operator the first meaning, Standard ML the second one.
    fn stamp_or_append(&mut self, infix: &Infix, span: Span, ty: Ty) -> Checked<Core> {
        let (left, left_type) = self.infer(&infix.left)?;
        let (right, right_type) = self.infer(&infix.right)?;
        if self.types().is_con(right_type, Con::INT) {
            let timed = self.types().con(Con::TIMED, vec![left_type]);
            self.agree(span, ty, timed)?;
            return Ok(Core::Fields(vec![left, right]));
        }
        self.agree(infix.right.span, left_type, right_type)?;
        let element = self.types().fresh();
        let list = self.types().list(element);
        self.agree(infix.left.span, list, left_type)?;
        self.agree(span, ty, list)?;
        Ok(Core::Primitive(
            crate::ml::primitives::Primitive::Append,
            vec![left, right],
        ))
    }

    fn sequence(&mut self, parts: &[Expr], ty: Ty) -> Checked<Core> {
        let Some((last, before)) = parts.split_last() else {
            return Ok(Core::Value(Value::UNIT));
        };
        let mut all = Vec::new();
        for part in before {
            all.push(self.infer(part)?.0);
        }
        all.push(self.check(last, ty)?);
        Ok(Core::Sequence(all))
    }

    /// Rows for values of one type, with results of another.
    pub(super) fn rules(
        &mut self,
        rules: &[Rule],
        from: Ty,
        to: Ty,
    ) -> Checked<Vec<(Vec<Form>, Core)>> {
        let mut rows = Vec::new();
        for rule in rules {
            let depth = self.scope.len();
            let form = self.pattern(&rule.pattern, from)?;
            let body = self.check(&rule.body, to);
            self.scope.truncate(depth);
            rows.push((vec![form], body?));
        }
        Ok(rows)
    }

    fn local_declarations(&mut self, decs: &[Dec], body: &Expr, ty: Ty) -> Checked<Core> {
        let depth = self.scope.len();
        let result = self.nested(decs, body, ty);
        self.scope.truncate(depth);
        result
    }
}

/// A match with one subject.
pub(super) fn rows_of(subject: Core, rows: Vec<(Vec<Form>, Core)>, otherwise: Otherwise) -> Core {
    Core::Match(Box::new(Match {
        subjects: vec![subject],
        rows,
        otherwise,
    }))
}

/// What a constructor makes of its argument.
pub(super) fn made(make: Make, argument: Core) -> Core {
    match make {
        Make::Value(value) => Core::Value(value),
        Make::Tagged(tag) => Core::Construct(tag, Box::new(argument)),
        Make::Index(colour) => Core::Index(colour, Box::new(argument)),
        // Both arguments are a pair already.
        Make::Cons | Make::Stamp => argument,
    }
}

pub(super) fn character_value(character: char) -> Value {
    Value::small(i32::try_from(u32::from(character)).unwrap_or(0))
}
