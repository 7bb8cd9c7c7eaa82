//! Inscriptions: markings, arcs, guards, delays and code segments.

use crate::ml::build::Builder;
use crate::ml::compile::Inscription;
use crate::ml::core::Core;
use crate::ml::declarations::{Declarations, Expect};
use crate::ml::delays::{has_delay, lifted};
use crate::ml::environment::Entity;
use crate::ml::errors::{Checked, Report};
use crate::ml::infer::Infer;
use crate::ml::parser::Parser;
use crate::ml::syntax::{Expr, ExprKind};
use crate::ml::types::{Con, Ty};
use crate::ml::{CodeSegment, ColourId, Expression, MlErrors, Origin, Value, VariableId};

impl Declarations {
    /// Reads an inscription.
    pub fn expression(
        &mut self,
        text: &str,
        expect: Expect,
        origin: &Origin,
    ) -> Result<Expression, MlErrors> {
        let mut report = Report::new(text, origin);
        let result = self.read(expect, &mut report);
        report.finish(result)
    }

    fn read(&mut self, expect: Expect, report: &mut Report) -> Checked<Expression> {
        let mut parser = Parser::new(report, &mut self.environment.fixities)?;
        if expect == Expect::Delay && !parser.eat_sign("@+") {
            parser.eat_sign("@@+");
        }
        let expr = parser.expression()?;
        parser.expect_end()?;
        let types = &mut self.environment.type_table;
        let mark = types.start();
        let ty = match expect {
            Expect::Arc(colour) | Expect::Marking(colour) => {
                return self.tokens(expr, colour, matches!(expect, Expect::Arc(_)), report);
            }
            Expect::Token(colour) => self.environment.colour_types[colour.index()],
            Expect::Bool => types.simple(Con::BOOL),
            Expect::Int | Expect::Delay => types.simple(Con::INT),
        };
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, report);
        infer.inscription = true;
        let core = infer.check(&expr, ty)?;
        let positions = infer.positions()?;
        self.environment.type_table.forget(mark);
        let mut builder = Builder {
            environment: &self.environment,
            machine: &mut self.machine,
            positions: &positions,
        };
        Ok(match expect {
            Expect::Bool => builder.conjunct(&core),
            Expect::Token(_) => builder.token(&core),
            _ => builder.plain(&core),
        })
    }

    /// An inscription of an arc or a place.
    fn tokens(
        &mut self,
        expr: Expr,
        colour: ColourId,
        variables: bool,
        report: &mut Report,
    ) -> Checked<Expression> {
        let expr = lifted(expr);
        if has_delay(&expr) && !self.colours().is_timed(colour) {
            let why = format!(
                "the colour set `{}` has no time",
                self.colours().name(colour)
            );
            let help = "declare it as `timed`, or leave the delay out";
            return report.wrong(expr.span, why, Some(help.into()));
        }
        let ty = self.environment.colour_types[colour.index()];
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, report);
        infer.inscription = variables;
        let inscription = infer.inscribed(&expr, ty)?;
        let positions = infer.positions()?;
        let mut builder = Builder {
            environment: &self.environment,
            machine: &mut self.machine,
            positions: &positions,
        };
        Ok(builder.inscription(&inscription))
    }

    /// Reads a guard: one truth value, or a list of them. Returns the conjuncts.
    pub fn guard(&mut self, text: &str, origin: &Origin) -> Result<Vec<Expression>, MlErrors> {
        let mut report = Report::new(text, origin);
        let result = self.conjuncts(&mut report);
        report.finish(result)
    }

    fn conjuncts(&mut self, report: &mut Report) -> Checked<Vec<Expression>> {
        let mut parser = Parser::new(report, &mut self.environment.fixities)?;
        if parser.at_end() {
            return Ok(Vec::new());
        }
        let expr = parser.expression()?;
        parser.expect_end()?;
        let all = match expr.kind {
            ExprKind::List(all) => all,
            _ => vec![expr],
        };
        self.environment.type_table.start();
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, report);
        infer.inscription = true;
        let cores: Vec<Checked<Core>> = all.iter().map(|part| infer.condition(part)).collect();
        let cores = cores.into_iter().collect::<Checked<Vec<_>>>()?;
        let positions = infer.positions()?;
        let mut builder = Builder {
            environment: &self.environment,
            machine: &mut self.machine,
            positions: &positions,
        };
        Ok(cores.iter().map(|core| builder.conjunct(core)).collect())
    }

    /// Reads a code segment: `input (x, y); output (z); action …`.
    pub fn code_segment(&mut self, text: &str, origin: &Origin) -> Result<CodeSegment, MlErrors> {
        let mut report = Report::new(text, origin);
        let result = self.segment(&mut report);
        report.finish(result)
    }

    fn segment(&mut self, report: &mut Report) -> Checked<CodeSegment> {
        let mut parser = Parser::new(report, &mut self.environment.fixities)?;
        let (input, output, action) = parser.code_segment()?;
        let input = self.named_variables(&input, report)?;
        let output = self.named_variables(&output, report)?;
        let types = &mut self.environment.type_table;
        types.start();
        let parts: Vec<Ty> = output
            .iter()
            .map(|variable| {
                self.environment.colour_types
                    [self.environment.variables[variable.index()].1.index()]
            })
            .collect();
        let types = &mut self.environment.type_table;
        let ty = match parts[..] {
            [] => types.fresh(),
            [only] => only,
            _ => types.tuple(&parts),
        };
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, report);
        infer.inscription = true;
        let core = match &action {
            Some(action) => infer.check(action, ty)?,
            None => Core::Value(Value::UNIT),
        };
        let positions = infer.positions()?;
        let mut builder = Builder {
            environment: &self.environment,
            machine: &mut self.machine,
            positions: &positions,
        };
        let action = builder.plain(&core);
        Ok(CodeSegment {
            input,
            output,
            action,
        })
    }

    fn named_variables(
        &self,
        names: &[(String, crate::ml::syntax::Span)],
        report: &mut Report,
    ) -> Checked<Vec<VariableId>> {
        let mut all = Vec::new();
        for (name, span) in names {
            match self.environment.values.get(name) {
                Some(Entity::Variable(variable)) => all.push(*variable),
                Some(Entity::Faulty(why)) => return report.faulty(*span, name, why),
                _ => {
                    let known = self
                        .environment
                        .variables
                        .iter()
                        .map(|(name, _)| name.as_str());
                    let help = sweepline_text::did_you_mean(name, known);
                    return report.unknown(*span, "variable", name, help);
                }
            }
        }
        Ok(all)
    }
}

/// What an expression becomes.
type Wrap = fn(Core) -> Inscription;

impl Infer<'_, '_> {
    /// An inscription for tokens of a type: with delays, and as one token or a multiset where there are none.
    fn inscribed(&mut self, expr: &Expr, ty: Ty) -> Checked<Inscription> {
        if !has_delay(expr) {
            return self.without_delay(expr, ty);
        }
        match &expr.kind {
            ExprKind::Paren(inner) => self.inscribed(inner, ty),
            ExprKind::If(parts) => {
                let condition = self.condition(&parts[0])?;
                let branches = [
                    self.inscribed(&parts[1], ty)?,
                    self.inscribed(&parts[2], ty)?,
                ];
                Ok(Inscription::If(condition, Box::new(branches)))
            }
            ExprKind::Infix(infix) if matches!(infix.operator.as_str(), "@+" | "@@+" | "@++") => {
                let inner = self.inscribed(&infix.left, ty)?;
                let int = self.types().simple(Con::INT);
                let delay = self.check(&infix.right, int)?;
                Ok(Inscription::Delayed(Box::new(inner), delay))
            }
            ExprKind::Infix(infix) if matches!(infix.operator.as_str(), "++" | "+++") => {
                let both = [&infix.left, &infix.right].map(|part| self.inscribed(part, ty));
                let both = both.into_iter().collect::<Checked<Vec<_>>>()?;
                Ok(Inscription::Sum(both))
            }
            _ => self.without_delay(expr, ty),
        }
    }

    /// Tried as a token, as a multiset, and as a token or multiset with time stamps.
    fn without_delay(&mut self, expr: &Expr, ty: Ty) -> Checked<Inscription> {
        if is_empty(expr) {
            return Ok(Inscription::Multiset(Core::Value(Value::NIL)));
        }
        let list = self.types().list(ty);
        let timed = self.types().con(Con::TIMED, vec![ty]);
        let timed_list = self.types().list(timed);
        let attempts: [(Ty, Wrap); 4] = [
            (ty, Inscription::Token),
            (list, Inscription::Multiset),
            (timed_list, Inscription::Stamped),
            (timed, Inscription::StampedToken),
        ];
        let mut errors = Vec::new();
        for (expected, wrap) in attempts {
            match self.attempt(expr, expected) {
                Ok(core) => return Ok(wrap(core)),
                Err(found) => errors.push(found),
            }
        }
        // What is written says what was meant.
        let meant = usize::from(looks_like_multiset(expr));
        self.fail_with(errors.swap_remove(meant))
    }
}

fn is_empty(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) => is_empty(inner),
        ExprKind::Name(name) => matches!(name.as_str(), "empty" | "tempty"),
        _ => false,
    }
}

fn looks_like_multiset(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) | ExprKind::Typed(inner, _) | ExprKind::Let(_, inner) => {
            looks_like_multiset(inner)
        }
        ExprKind::Infix(infix) => matches!(
            infix.operator.as_str(),
            "`" | "++" | "--" | "**" | "%" | "//"
        ),
        ExprKind::If(parts) => parts[1..].iter().any(looks_like_multiset),
        ExprKind::Case(_, rules) => rules.iter().any(|rule| looks_like_multiset(&rule.body)),
        _ => is_empty(expr),
    }
}
