//! Patterns, whose names come into scope, and functions made of them.

use crate::ml::Value;
use crate::ml::core::{At, Core, Form, Lambda, Local, Match, Otherwise};
use crate::ml::environment::{Constructor, Entity, Make};
use crate::ml::errors::Checked;
use crate::ml::infer::Infer;
use crate::ml::infer::expression::character_value;
use crate::ml::syntax::{Clause, Expr, Pat, PatKind, Rule, Span, Type};
use crate::ml::types::{Con, Ty, Types, compare_labels};

impl Infer<'_, '_> {
    /// The form that a pattern of this type describes. Its names are in scope from now on.
    pub(super) fn pattern(&mut self, pattern: &Pat, ty: Ty) -> Checked<Form> {
        let depth = self.scope.len();
        self.pattern_from(pattern, ty, depth)
    }

    /// The same, where names since `depth` are of the same pattern.
    fn pattern_from(&mut self, pattern: &Pat, ty: Ty, depth: usize) -> Checked<Form> {
        let span = pattern.span;
        match &pattern.kind {
            PatKind::Any => Ok(Form::Any),
            PatKind::Int(value) => {
                let int = self.int();
                self.agree(span, ty, int)?;
                Ok(Form::Value(
                    Value::int(*value).expect("the lexer looks at the size"),
                ))
            }
            PatKind::Text(text) => {
                let string = self.types().simple(Con::STRING);
                self.agree(span, ty, string)?;
                let value = self.machine.values_mut().string(text);
                Ok(Form::Constant(self.machine.add_constant(value)))
            }
            PatKind::Char(character) => {
                let char_type = self.types().simple(Con::CHAR);
                self.agree(span, ty, char_type)?;
                Ok(Form::Value(character_value(*character)))
            }
            PatKind::Name(name) => self.name_pattern(name, span, ty, depth),
            PatKind::Construct(name, argument) => {
                self.construct_pattern(name, argument, span, ty, depth)
            }
            PatKind::Tuple(parts) => self.tuple_pattern(parts, span, ty, depth),
            PatKind::Record(fields, open) => self.record_pattern(fields, *open, span, ty, depth),
            PatKind::List(parts) => {
                let element = self.types().fresh();
                let list = self.types().list(element);
                self.agree(span, ty, list)?;
                let forms = parts
                    .iter()
                    .map(|part| self.pattern_from(part, element, depth));
                let forms = forms.collect::<Checked<Vec<_>>>()?;
                let nil = Form::Value(Value::NIL);
                Ok(forms
                    .into_iter()
                    .rev()
                    .fold(nil, |tail, head| Form::Cons(Box::new([head, tail]))))
            }
            PatKind::As(name, inner) => {
                let local = self.bind(name, span, ty, depth)?;
                let inner = self.pattern_from(inner, ty, depth)?;
                Ok(Form::Both(local, Box::new(inner)))
            }
            PatKind::Typed(inner, written) => {
                let annotated = self.annotation(written)?;
                self.agree(span, ty, annotated)?;
                self.pattern_from(inner, ty, depth)
            }
        }
    }

    /// Brings a name into scope.
    fn bind(&mut self, name: &str, span: Span, ty: Ty, depth: usize) -> Checked<Local> {
        if self.scope[depth..].iter().any(|(known, _)| known == name) {
            let why = format!("`{name}` stands twice in one pattern");
            let help = "give one of them another name and compare both";
            return self.report.wrong(span, why, Some(help.into()));
        }
        let local = self.local();
        let entity = Entity::Local(local, Types::monomorphic(ty));
        self.scope.push((name.to_string(), entity));
        Ok(local)
    }

    fn constructor(&self, name: &str) -> Option<Constructor> {
        let inner = self.scope.iter().rev().find(|(known, _)| known == name);
        let entity = inner.map(|(_, entity)| entity);
        match entity.or_else(|| self.environment.values.get(name)) {
            Some(Entity::Constructor(constructor)) => Some(constructor.clone()),
            _ => None,
        }
    }

    fn name_pattern(&mut self, name: &str, span: Span, ty: Ty, depth: usize) -> Checked<Form> {
        let Some(constructor) = self.constructor(name) else {
            return Ok(Form::Bind(self.bind(name, span, ty, depth)?));
        };
        let Make::Value(value) = constructor.make else {
            let why = format!("`{name}` has an argument");
            let help = format!("write `{name} _` if it does not matter");
            return self.report.wrong(span, why, Some(help));
        };
        let found = self.types().instantiate(&constructor.scheme);
        let found = self.unless_large(span, found)?;
        self.agree(span, ty, found)?;
        Ok(Form::Value(value))
    }

    fn construct_pattern(
        &mut self,
        name: &str,
        argument: &Pat,
        span: Span,
        ty: Ty,
        depth: usize,
    ) -> Checked<Form> {
        let Some(constructor) = self.constructor(name) else {
            let names = self.environment.values.iter();
            let constructors = names.filter(|(_, entity)| matches!(entity, Entity::Constructor(_)));
            let help =
                sweepline_text::did_you_mean(name, constructors.map(|(name, _)| name.as_str()));
            return self.report.unknown(span, "constructor", name, help);
        };
        let found = self.types().instantiate(&constructor.scheme);
        let found = self.unless_large(span, found)?;
        let Some((from, to)) = self.types().as_function(found) else {
            return self
                .report
                .wrong(span, format!("`{name}` has no argument"), None);
        };
        self.agree(span, ty, to)?;
        let inner = self.pattern_from(argument, from, depth)?;
        Ok(match constructor.make {
            Make::Tagged(tag) => Form::Construct(tag, Box::new(inner)),
            Make::Cons => cons(inner),
            Make::Index(_) | Make::Stamp | Make::Value(_) => inner,
        })
    }

    fn tuple_pattern(&mut self, parts: &[Pat], span: Span, ty: Ty, depth: usize) -> Checked<Form> {
        let types: Vec<Ty> = parts.iter().map(|_| self.types().fresh()).collect();
        let tuple = self.types().tuple(&types);
        self.agree(span, ty, tuple)?;
        let mut forms = Vec::new();
        for (position, (part, ty)) in parts.iter().zip(types).enumerate() {
            forms.push((At::Known(position), self.pattern_from(part, ty, depth)?));
        }
        Ok(Form::Fields(forms))
    }

    fn record_pattern(
        &mut self,
        fields: &[(String, Pat)],
        open: bool,
        span: Span,
        ty: Ty,
        depth: usize,
    ) -> Checked<Form> {
        let mut sorted: Vec<&(String, Pat)> = fields.iter().collect();
        sorted.sort_by(|(a, _), (b, _)| compare_labels(a, b));
        let types: Vec<(String, Ty)> = sorted
            .iter()
            .map(|(label, _)| (label.clone(), self.types().fresh()))
            .collect();
        let record = if open {
            self.types().open_record(types.clone())
        } else {
            self.types().record(types.clone())
        };
        self.agree(span, ty, record)?;
        let mut forms = Vec::new();
        for ((label, part), (_, field)) in sorted.into_iter().zip(types) {
            let at = At::Slot(self.slot(ty, label, part.span));
            forms.push((at, self.pattern_from(part, field, depth)?));
        }
        Ok(Form::Fields(forms))
    }

    /// `fn rules`
    pub(super) fn lambda(&mut self, rules: &[Rule], from: Ty, to: Ty) -> Checked<Lambda> {
        let clauses: Vec<(&[Pat], Option<&Type>, &Expr)> = rules
            .iter()
            .map(|rule| (std::slice::from_ref(&rule.pattern), None, &rule.body))
            .collect();
        self.clauses(&clauses, &[from], to)
    }

    /// `fun` with its clauses.
    pub(super) fn clausal(&mut self, clauses: &[Clause], from: &[Ty], to: Ty) -> Checked<Lambda> {
        let clauses: Vec<(&[Pat], Option<&Type>, &Expr)> = clauses
            .iter()
            .map(|clause| {
                (
                    clause.patterns.as_slice(),
                    clause.result.as_ref(),
                    &clause.body,
                )
            })
            .collect();
        self.clauses(&clauses, from, to)
    }

    fn clauses(
        &mut self,
        clauses: &[(&[Pat], Option<&Type>, &Expr)],
        from: &[Ty],
        to: Ty,
    ) -> Checked<Lambda> {
        let parts = common_parts(clauses.iter().map(|(patterns, _, _)| *patterns));
        let mut rows = Vec::new();
        for (patterns, result, body) in clauses {
            let depth = self.scope.len();
            let mut forms = Vec::new();
            for (pattern, ty) in patterns.iter().zip(from) {
                forms.push(self.pattern_from(pattern, *ty, depth)?);
            }
            if let Some(written) = result {
                let annotated = self.annotation(written)?;
                self.agree(written.span, annotated, to)?;
            }
            let body = self.check(body, to)?;
            self.scope.truncate(depth);
            if parts.is_some() {
                forms = forms.into_iter().flat_map(parts_of).collect();
            }
            rows.push((forms, body));
        }
        Ok(self.rows_as_function(rows, parts.unwrap_or(from.len()), parts.is_some()))
    }

    fn rows_as_function(
        &mut self,
        mut rows: Vec<(Vec<Form>, Core)>,
        count: usize,
        unpacked: bool,
    ) -> Lambda {
        // A single row of plain names: they are the parameters.
        if let [(forms, _)] = rows.as_slice() {
            let plain = forms.iter().all(|form| matches!(form, Form::Bind(_)));
            if plain && forms.len() == count {
                let (forms, body) = rows.pop().expect("there is one row");
                let names = forms.into_iter().filter_map(|form| match form {
                    Form::Bind(local) => Some(local),
                    _ => None,
                });
                return Lambda {
                    parameters: names.collect(),
                    unpacked,
                    body,
                };
            }
        }
        let parameters: Vec<Local> = (0..count).map(|_| self.local()).collect();
        let subjects = parameters.iter().map(|local| Core::Local(*local)).collect();
        let otherwise = Otherwise::Match;
        let body = Core::Match(Box::new(Match {
            subjects,
            rows,
            otherwise,
        }));
        Lambda {
            parameters,
            unpacked,
            body,
        }
    }
}

/// Head and tail of a list.
fn cons(pair: Form) -> Form {
    match pair {
        Form::Fields(parts) => {
            let mut both = [Form::Any, Form::Any];
            for (at, form) in parts {
                if let At::Known(position @ 0..2) = at {
                    both[position] = form;
                }
            }
            Form::Cons(Box::new(both))
        }
        // `op :: pair`: the pair is the list itself.
        Form::Bind(local) => Form::Both(
            local,
            Box::new(Form::Cons(Box::new([Form::Any, Form::Any]))),
        ),
        _ => Form::Cons(Box::new([Form::Any, Form::Any])),
    }
}

/// How many parts the only argument has, if all clauses take a tuple apart.
fn common_parts<'a>(mut clauses: impl Iterator<Item = &'a [Pat]>) -> Option<usize> {
    let parts = |patterns: &[Pat]| match patterns {
        [only] => match &untyped(only).kind {
            PatKind::Tuple(all) if all.len() > 1 => Some(all.len()),
            _ => None,
        },
        _ => None,
    };
    let first = parts(clauses.next()?)?;
    clauses
        .all(|patterns| parts(patterns) == Some(first))
        .then_some(first)
}

fn untyped(pattern: &Pat) -> &Pat {
    match &pattern.kind {
        PatKind::Typed(inner, _) => untyped(inner),
        _ => pattern,
    }
}

fn parts_of(form: Form) -> Vec<Form> {
    match form {
        Form::Fields(parts) => parts.into_iter().map(|(_, form)| form).collect(),
        other => vec![other],
    }
}
