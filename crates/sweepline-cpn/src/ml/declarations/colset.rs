//! Colour sets of a model.

use std::collections::HashMap;

use sweepline_text::did_you_mean;

use crate::ml::colours::Kind;
use crate::ml::compile::Compiler;
use crate::ml::declarations::Declarations;
use crate::ml::environment::{Constructor, Entity, Make, TypeName};
use crate::ml::errors::{Checked, Report, Reported};
use crate::ml::infer::Infer;
use crate::ml::parser::Parser;
use crate::ml::syntax::Span;
use crate::ml::types::{Con, Ty, Types, compare_labels};
use crate::ml::{ColourDecl, ColourId, Text, Value};

/// A colour set before it has a number.
struct New {
    kind: Kind,
    ty: Ty,
    /// Names of values, and of constructors with the types of their arguments.
    names: Vec<(String, Make, Option<Ty>)>,
}

/// Levels of colour sets made of colour sets, so that whoever walks values may recur.
const MOST_LEVELS: usize = 100;

impl Declarations {
    pub(super) fn new_colour_set(
        &mut self,
        name: &str,
        decl: &ColourDecl,
        timed: bool,
        report: &mut Report,
    ) -> Checked<ColourId> {
        self.environment.type_table.start();
        let new = self.kind_of(name, decl, report)?;
        if self.colours().depth_of(&new.kind) > MOST_LEVELS {
            return report.too_deep(whole(report), MOST_LEVELS);
        }
        let timed = timed || matches!(new.kind, Kind::Alias(of) if self.colours().is_timed(of));
        let colour = self.machine.colours_mut().add(name, new.kind, timed);
        self.environment.colour_types.push(new.ty);
        self.environment
            .types
            .insert(name.to_string(), TypeName::Known(0, new.ty));
        for (name, make, argument) in new.names {
            let make = match make {
                Make::Index(_) => Make::Index(colour),
                make => make,
            };
            let types = &mut self.environment.type_table;
            let ty = argument.map_or(new.ty, |argument| types.function(argument, new.ty));
            let scheme = Types::monomorphic(ty);
            let entity = Entity::Constructor(Constructor { make, scheme });
            self.environment.values.insert(name, entity);
        }
        Ok(colour)
    }

    fn kind_of(&mut self, name: &str, decl: &ColourDecl, report: &mut Report) -> Checked<New> {
        let types = &mut self.environment.type_table;
        let plain = |kind, ty| {
            Ok(New {
                kind,
                ty,
                names: Vec::new(),
            })
        };
        match decl {
            ColourDecl::Unit(written) => {
                let ty = types.unit();
                let names = written
                    .iter()
                    .map(|name| (name.clone(), Make::Value(Value::UNIT), None));
                let names = names.collect();
                Ok(New {
                    kind: Kind::Unit(written.clone()),
                    ty,
                    names,
                })
            }
            ColourDecl::Bool(written) => {
                let ty = types.simple(Con::BOOL);
                let values = [Value::FALSE, Value::TRUE].map(Make::Value);
                let names = written
                    .iter()
                    .flat_map(|(no, yes)| [no.clone(), yes.clone()]);
                let names = names
                    .zip(values)
                    .map(|(name, make)| (name, make, None))
                    .collect();
                Ok(New {
                    kind: Kind::Bool(written.clone()),
                    ty,
                    names,
                })
            }
            ColourDecl::Int(range) => {
                let ty = types.simple(Con::INT);
                plain(Kind::Int(self.range(range.as_ref(), report)?), ty)
            }
            ColourDecl::IntInf | ColourDecl::Time => plain(Kind::Int(None), types.simple(Con::INT)),
            ColourDecl::Real => plain(Kind::Real, types.simple(Con::REAL)),
            ColourDecl::String {
                characters,
                lengths,
            } => {
                let ty = types.simple(Con::STRING);
                let characters = match characters {
                    Some((low, high)) => {
                        Some((self.character(low, report)?, self.character(high, report)?))
                    }
                    None => None,
                };
                let lengths = self.lengths(lengths.as_ref(), report)?;
                plain(
                    Kind::Text {
                        characters,
                        lengths,
                    },
                    ty,
                )
            }
            ColourDecl::Enum(written) => {
                let con = types.new_con(name);
                let ty = types.simple(con);
                let values = (0..).map(|position| Make::Value(Value::small(position)));
                let names = written.iter().cloned().zip(values);
                let names = names.map(|(name, make)| (name, make, None)).collect();
                Ok(New {
                    kind: Kind::Enum(written.clone()),
                    ty,
                    names,
                })
            }
            ColourDecl::Index(constructor, low, high) => {
                let con = types.new_con(name);
                let (ty, int) = (types.simple(con), types.simple(Con::INT));
                let (low, high) = self.bounds(low, high, report)?;
                let names = vec![(constructor.clone(), Make::Index(ColourId(0)), Some(int))];
                Ok(New {
                    kind: Kind::Index(constructor.clone(), low, high),
                    ty,
                    names,
                })
            }
            ColourDecl::Product(_)
            | ColourDecl::Record(_)
            | ColourDecl::Union(_)
            | ColourDecl::List(..) => self.compound(name, decl, report),
            ColourDecl::SubsetBy(of, _) | ColourDecl::SubsetWith(of, _) | ColourDecl::Alias(of) => {
                let of = self.find_colour(of, whole(report), report)?;
                self.derived(of, decl, report)
            }
        }
    }

    /// A colour set of values of another one.
    fn derived(&mut self, of: ColourId, decl: &ColourDecl, report: &mut Report) -> Checked<New> {
        let ty = self.type_of(of);
        let kind = match decl {
            ColourDecl::SubsetBy(_, function) => {
                Kind::Subset(of, self.chosen(of, function, report)?)
            }
            ColourDecl::SubsetWith(_, list) => {
                let expected = self.environment.type_table.list(ty);
                let list = self.constant(list, expected, report)?;
                let mut members: Vec<Value> = Vec::new();
                for member in self.machine.values().elements(list) {
                    if !members.contains(&member) {
                        members.push(member);
                    }
                }
                Kind::Subset(of, Some(members))
            }
            _ => Kind::Alias(of),
        };
        let names = Vec::new();
        Ok(New { kind, ty, names })
    }

    fn compound(&mut self, name: &str, decl: &ColourDecl, report: &mut Report) -> Checked<New> {
        let at = whole(report);
        let plain = |kind, ty| {
            Ok(New {
                kind,
                ty,
                names: Vec::new(),
            })
        };
        match decl {
            ColourDecl::Product(parts) => {
                let parts = parts.iter().map(|part| self.find_colour(part, at, report));
                let parts = parts.collect::<Checked<Vec<_>>>()?;
                let types: Vec<Ty> = parts.iter().map(|part| self.type_of(*part)).collect();
                let ty = self.environment.type_table.tuple(&types);
                plain(Kind::Product(parts), ty)
            }
            ColourDecl::Record(written) => {
                let mut fields = Vec::new();
                for (label, part) in written {
                    fields.push((label.clone(), self.find_colour(part, at, report)?));
                }
                let mut stored = fields.clone();
                stored.sort_by(|(a, _), (b, _)| compare_labels(a, b));
                if let Some(twice) = stored.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                    return report.wrong(
                        at,
                        format!("two fields are called `{}`", twice[0].0),
                        None,
                    );
                }
                let place = |label: &str| stored.iter().position(|(known, _)| known == label);
                let order = fields
                    .iter()
                    .filter_map(|(label, _)| place(label))
                    .collect();
                let types = stored
                    .iter()
                    .map(|(label, part)| (label.clone(), self.type_of(*part)));
                let types = types.collect();
                let ty = self.environment.type_table.record(types);
                plain(Kind::Record(stored, order), ty)
            }
            ColourDecl::Union(cases) => {
                let con = self.environment.type_table.new_con(name);
                let ty = self.environment.type_table.simple(con);
                let (mut known, mut names) = (Vec::new(), Vec::new());
                for (tag, (constructor, argument)) in (0..).zip(cases) {
                    let part = match argument {
                        Some(part) => Some(self.find_colour(part, at, report)?),
                        None => None,
                    };
                    let make = match part {
                        Some(_) => Make::Tagged(tag),
                        None => Make::Value(Value::small(tag)),
                    };
                    names.push((
                        constructor.clone(),
                        make,
                        part.map(|part| self.type_of(part)),
                    ));
                    known.push((constructor.clone(), part));
                }
                Ok(New {
                    kind: Kind::Union(known),
                    ty,
                    names,
                })
            }
            ColourDecl::List(of, lengths) => {
                let of = self.find_colour(of, at, report)?;
                let lengths = self.lengths(lengths.as_ref(), report)?;
                let element = self.type_of(of);
                let ty = self.environment.type_table.list(element);
                plain(Kind::List(of, lengths), ty)
            }
            _ => unreachable!("{decl:?} has no parts"),
        }
    }

    fn type_of(&self, colour: ColourId) -> Ty {
        self.environment.colour_types[colour.index()]
    }

    /// The colour set of a name, which must be declared before.
    pub(super) fn find_colour(
        &self,
        name: &str,
        at: Span,
        report: &mut Report,
    ) -> Checked<ColourId> {
        if let Some(colour) = self.colours().find(name) {
            return Ok(colour);
        }
        if let Some(TypeName::Faulty(why)) = self.environment.types.get(name) {
            return report.faulty(at, name, why);
        }
        let known = self.colours().ids().map(|id| self.colours().name(id));
        let help = did_you_mean(name, known);
        report.unknown(at, "colour set", name, help)
    }

    fn range(
        &mut self,
        range: Option<&(Text, Text)>,
        report: &mut Report,
    ) -> Checked<Option<(i64, i64)>> {
        range
            .map(|(low, high)| self.bounds(low, high, report))
            .transpose()
    }

    fn bounds(&mut self, low: &Text, high: &Text, report: &mut Report) -> Checked<(i64, i64)> {
        let int = self.environment.type_table.simple(Con::INT);
        let low = self.constant(low, int, report)?.as_int().unwrap_or(0);
        let high = self.constant(high, int, report)?.as_int().unwrap_or(0);
        if low > high {
            let why = format!("the range {low}..{high} is empty");
            return report.wrong(whole(report), why, None);
        }
        Ok((low, high))
    }

    fn lengths(
        &mut self,
        range: Option<&(Text, Text)>,
        report: &mut Report,
    ) -> Checked<Option<(u64, u64)>> {
        let Some((low, high)) = self.range(range, report)? else {
            return Ok(None);
        };
        let (Ok(low), Ok(high)) = (u64::try_from(low), u64::try_from(high)) else {
            return report.wrong(whole(report), "a length cannot be negative".into(), None);
        };
        Ok(Some((low, high)))
    }

    /// A character, or a string of one character.
    fn character(&mut self, text: &Text, report: &mut Report) -> Checked<char> {
        let before = report.errors.len();
        let char_type = self.environment.type_table.simple(Con::CHAR);
        if let Ok(value) = self.constant(text, char_type, report) {
            let code = value.as_int().and_then(|code| u32::try_from(code).ok());
            return Ok(code.and_then(char::from_u32).unwrap_or(' '));
        }
        report.errors.truncate(before);
        let string = self.environment.type_table.simple(Con::STRING);
        let value = self.constant(text, string, report)?;
        let mut characters = self.machine.values().text(value).chars();
        if let (Some(only), None) = (characters.next(), characters.next()) {
            Ok(only)
        } else {
            let why = "the bounds of characters are strings of one character".to_string();
            report.wrong(whole(report), why, None)
        }
    }

    /// The value of an expression inside a declaration.
    fn constant(&mut self, text: &Text, ty: Ty, report: &mut Report) -> Checked<Value> {
        let mut inner = Report::new(&text.text, &text.origin);
        let result = self.constant_in(&mut inner, ty);
        report.errors.append(&mut inner.errors);
        result
    }

    fn constant_in(&mut self, report: &mut Report, ty: Ty) -> Checked<Value> {
        let mut parser = Parser::new(report, &mut self.environment.fixities)?;
        let expr = parser.expression()?;
        parser.expect_end()?;
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, report);
        let core = infer.check(&expr, ty)?;
        let positions = infer.positions()?;
        let code = Compiler::new(&mut self.machine, &positions, &HashMap::new()).expression(&core);
        let result = self.machine.run_code(&code);
        result.or_else(|failure| report.no_value(expr.span, failure.to_string()))
    }

    /// The values of a colour set that a function accepts, if it is finite.
    fn chosen(
        &mut self,
        of: ColourId,
        function: &Text,
        report: &mut Report,
    ) -> Checked<Option<Vec<Value>>> {
        let from = self.type_of(of);
        let types = &mut self.environment.type_table;
        let truth = types.simple(Con::BOOL);
        let expected = types.function(from, truth);
        let accepts = self.constant(function, expected, report)?;
        let Some(all) = self.machine.enumerate(of) else {
            return Ok(None);
        };
        let mut members = Vec::new();
        for value in all {
            match self.machine.apply_once(accepts, value) {
                Ok(Value::TRUE) => members.push(value),
                Ok(_) => {}
                Err(failure) => {
                    let mut inner = Report::new(&function.text, &function.origin);
                    let span = whole(&inner);
                    let _: Checked<()> = inner.no_value(span, failure.to_string());
                    report.errors.append(&mut inner.errors);
                    return Err(Reported);
                }
            }
        }
        Ok(Some(members))
    }
}

fn whole(report: &Report) -> Span {
    Span::new(0, report.text.len())
}
