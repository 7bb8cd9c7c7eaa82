//! Names and types: from the syntax tree to [`Core`].

mod apply;
mod declaration;
mod expression;
mod pattern;

use std::collections::HashMap;

use sweepline_text::did_you_mean;

use crate::ml::core::{Core, Local, Slot};
use crate::ml::environment::{Entity, Environment, TypeName};
use crate::ml::errors::{Checked, Report, Reported};
use crate::ml::library::FOREIGN;
use crate::ml::syntax::{Expr, Span, Type, TypeKind};
use crate::ml::types::{Clash, Con, Ty, Types};
use crate::ml::{ColourId, Machine, MlError};

pub(crate) use declaration::Declared;

/// Reads one text.
pub(crate) struct Infer<'a, 'b> {
    pub environment: &'b mut Environment,
    pub machine: &'b mut Machine,
    pub report: &'b mut Report<'a>,
    /// Whether variables of the net may be used.
    pub inscription: bool,
    scope: Vec<(String, Entity)>,
    locals: u32,
    slots: Vec<Selected>,
    /// What type variables in annotations stand for.
    annotated: HashMap<String, Ty>,
}

/// A field of a record that is not known yet.
struct Selected {
    record: Ty,
    label: String,
    span: Span,
}

impl<'a, 'b> Infer<'a, 'b> {
    pub fn new(
        environment: &'b mut Environment,
        machine: &'b mut Machine,
        report: &'b mut Report<'a>,
    ) -> Self {
        Self {
            environment,
            machine,
            report,
            inscription: false,
            scope: Vec::new(),
            locals: 0,
            slots: Vec::new(),
            annotated: HashMap::new(),
        }
    }

    pub fn types(&mut self) -> &mut Types {
        &mut self.environment.type_table
    }

    fn local(&mut self) -> Local {
        self.locals += 1;
        Local(self.locals - 1)
    }

    fn int(&mut self) -> Ty {
        self.types().simple(Con::INT)
    }

    fn bool(&mut self) -> Ty {
        self.types().simple(Con::BOOL)
    }

    /// Reports unless something that stands here has the type that is expected.
    fn agree(&mut self, span: Span, expected: Ty, found: Ty) -> Checked<()> {
        self.agree_with(span, expected, found, None)
    }

    fn agree_with(
        &mut self,
        span: Span,
        expected: Ty,
        found: Ty,
        help: Option<&str>,
    ) -> Checked<()> {
        let Err(clash) = self.types().unify(expected, found) else {
            return Ok(());
        };
        let table = &self.environment.type_table;
        let help = help.map(String::from);
        match clash {
            Clash::Different => {
                let (expected, found) = (table.shown(expected), table.shown(found));
                self.report.mismatch(span, expected, found, help)
            }
            Clash::Circular => {
                let why = format!("{} would be a part of itself", table.shown(found));
                self.report.wrong(span, why, help)
            }
            Clash::NoEquality => {
                let why = format!("values of type {} cannot be compared", table.shown(found));
                let help = "numbers with a fraction and functions have no equality";
                self.report.wrong(span, why, Some(help.into()))
            }
            Clash::TooLarge => self.too_large(span),
        }
    }

    fn too_large<T>(&mut self, span: Span) -> Checked<T> {
        self.report
            .wrong(span, "the type is too large".into(), None)
    }

    fn unless_large<T>(&mut self, span: Span, result: Result<T, Clash>) -> Checked<T> {
        match result {
            Ok(value) => Ok(value),
            Err(_) => self.too_large(span),
        }
    }

    /// What a name means: the innermost binding, or what was declared.
    fn lookup(&mut self, name: &str, span: Span) -> Checked<Entity> {
        if let Some((_, entity)) = self.scope.iter().rev().find(|(known, _)| known == name) {
            return Ok(entity.clone());
        }
        if let Some(entity) = self.environment.values.get(name) {
            return match entity {
                Entity::Faulty(why) => {
                    let why = why.clone();
                    self.report.faulty(span, name, &why)
                }
                Entity::Variable(_) if !self.inscription => {
                    let why =
                        format!("`{name}` is a variable of the net, which declarations cannot use");
                    let help = "make it an argument of the function";
                    self.report.wrong(span, why, Some(help.into()))
                }
                entity => Ok(entity.clone()),
            };
        }
        if let Some((structure, member)) = name.rsplit_once('.') {
            return self.member(structure, member, span);
        }
        // Older models write `ran'C` for `C.ran`.
        if let Some((member, colour)) = name.split_once('\'')
            && let Some(colour) = self.machine.colours().find(colour)
            && let Some(entity) = self.colour_member(colour, member)
        {
            return Ok(entity);
        }
        if name == "ref" {
            let what = "`ref` makes a reference variable, which is not part of the marking";
            let help = "keep what is remembered on a place";
            return self
                .report
                .not_understood(span, what.into(), Some(help.into()));
        }
        let help = self.proposed(name);
        self.report.unknown(span, "name", name, Some(help))
    }

    /// What an unknown name might be: operators are not written for words, nor words for operators.
    fn proposed(&self, name: &str) -> String {
        let fixities = &self.environment.fixities;
        let is_operator =
            |name: &str| fixities.contains_key(name) || !name.starts_with(char::is_alphabetic);
        let names = self.environment.names();
        let mut alike: Vec<&str> = names
            .filter(|known| is_operator(known) == is_operator(name))
            .collect();
        alike.sort_unstable();
        did_you_mean(name, alike).unwrap_or_else(|| {
            let variable = if self.inscription {
                " `var` for a variable,"
            } else {
                ""
            };
            format!("declare it:{variable} `val` for a value, `fun` for a function")
        })
    }

    /// A function of a colour set, or of a structure that nobody has.
    fn member(&mut self, structure: &str, member: &str, span: Span) -> Checked<Entity> {
        if let Some(colour) = self.machine.colours().find(structure) {
            if let Some(entity) = self.colour_member(colour, member) {
                return Ok(entity);
            }
            let what = "function of colour sets";
            let members = [
                "all", "size", "ord", "col", "ran", "lt", "mkstr", "mkstr_ms", "legal", "mult",
            ];
            let help = did_you_mean(member, members);
            return self.report.unknown(span, what, member, help);
        }
        if let Some(TypeName::Faulty(why)) = self.environment.types.get(structure) {
            let why = why.clone();
            return self.report.faulty(span, structure, &why);
        }
        let full = format!("{structure}.{member}");
        let mut names: Vec<&str> = self.environment.names().collect();
        names.sort_unstable();
        let first = structure.split('.').next().unwrap_or(structure);
        // Queries have these; some of the others have a member that is known.
        let is_asked = matches!(first, "Mark" | "Bind")
            && names
                .iter()
                .any(|name| name.split('.').next() == Some(first));
        if !is_asked && (FOREIGN.contains(&first) || first.starts_with("CPN'")) {
            let what = format!("`{full}` concerns others than the model");
            let help = "leave the call out; states only depend on the marking";
            return self.report.not_understood(span, what, Some(help.into()));
        }
        let help = did_you_mean(&full, names);
        self.report.unknown(span, "function", &full, help)
    }

    fn colour_member(&mut self, colour: ColourId, member: &str) -> Option<Entity> {
        crate::ml::members::member(self.environment, self.machine.colours(), colour, member)
    }

    /// A type as it is written.
    fn annotation(&mut self, written: &Type) -> Checked<Ty> {
        match &written.kind {
            TypeKind::Variable(name) => {
                if let Some(known) = self.annotated.get(name) {
                    return Ok(*known);
                }
                let equality = name.starts_with("''");
                let fresh = self
                    .types()
                    .fresh_of(crate::ml::types::Class::Any, equality);
                self.annotated.insert(name.clone(), fresh);
                Ok(fresh)
            }
            TypeKind::Name(name, arguments) => {
                let arguments = self.annotations(arguments)?;
                self.named_type(name, &arguments, written.span)
            }
            TypeKind::Tuple(parts) => {
                let parts = self.annotations(parts)?;
                Ok(self.types().tuple(&parts))
            }
            TypeKind::Record(fields) => {
                let mut all = Vec::new();
                for (label, field) in fields {
                    all.push((label.clone(), self.annotation(field)?));
                }
                Ok(self.types().record(all))
            }
            TypeKind::Function(from, to) => {
                let (from, to) = (self.annotation(from)?, self.annotation(to)?);
                Ok(self.types().function(from, to))
            }
        }
    }

    fn annotations(&mut self, all: &[Type]) -> Checked<Vec<Ty>> {
        all.iter().map(|written| self.annotation(written)).collect()
    }

    fn named_type(&mut self, name: &str, arguments: &[Ty], span: Span) -> Checked<Ty> {
        match self.environment.types.get(name) {
            Some(TypeName::Known(count, ty)) if *count == arguments.len() => {
                let ty = *ty;
                let copy = self.types().copy(ty, arguments);
                self.unless_large(span, copy)
            }
            Some(TypeName::Known(count, _)) => {
                let why = format!("`{name}` takes {count} types, not {}", arguments.len());
                self.report.wrong(span, why, None)
            }
            Some(TypeName::Faulty(why)) => {
                let why = why.clone();
                self.report.faulty(span, name, &why)
            }
            None => {
                let known = self.environment.types.keys().map(String::as_str);
                let help = did_you_mean(name, known);
                self.report.unknown(span, "type", name, help)
            }
        }
    }

    /// A field of a record of some type, which must be known in the end.
    fn slot(&mut self, record: Ty, label: &str, span: Span) -> Slot {
        let number = u32::try_from(self.slots.len()).expect("fewer fields than characters");
        let label = label.to_string();
        self.slots.push(Selected {
            record,
            label,
            span,
        });
        Slot(number)
    }

    /// Tries whether an expression has a type. If not, only the errors are left of it.
    pub fn attempt(&mut self, expr: &Expr, ty: Ty) -> Result<Core, Vec<MlError>> {
        let (slots, errors) = (self.slots.len(), self.report.errors.len());
        let mark = self.types().mark();
        let result = self.check(expr, ty).and_then(|core| {
            self.known_positions(slots)?;
            Ok(core)
        });
        result.map_err(|_| {
            self.slots.truncate(slots);
            self.scope.clear();
            self.annotated.clear();
            self.types().forget(mark);
            self.report.errors.split_off(errors)
        })
    }

    /// Reports what was found when something was tried.
    pub fn fail_with<T>(&mut self, errors: Vec<MlError>) -> Checked<T> {
        self.report.errors.extend(errors);
        Err(Reported)
    }

    /// The positions of all fields, now that all types are known.
    pub fn positions(&mut self) -> Checked<Vec<usize>> {
        self.known_positions(0)
    }

    fn known_positions(&mut self, from: usize) -> Checked<Vec<usize>> {
        let mut positions = Vec::new();
        for selected in &self.slots[from..] {
            let table = &self.environment.type_table;
            let fields = table.as_record(selected.record);
            let found =
                fields.map(|all| all.iter().position(|(label, _)| *label == selected.label));
            let Some(Some(position)) = found else {
                let why = format!(
                    "which record has the field `{}` here is not known",
                    selected.label
                );
                let help = "say which colour set it is, as in `(x : PACKET)`";
                return self.report.wrong(selected.span, why, Some(help.into()));
            };
            positions.push(position);
        }
        Ok(positions)
    }

    /// A string as a constant.
    fn text(&mut self, text: &str) -> Core {
        let value = self.machine.values_mut().string(text);
        Core::Constant(self.machine.add_constant(value))
    }
}
