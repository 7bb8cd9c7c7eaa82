//! What formulas over fluents mean in a network [GM03].

use std::collections::BTreeSet;

use sweepline_logic::ltl::Temporal;
use sweepline_process::Network;
use sweepline_text::{Name, did_you_mean};

use crate::ast::{self, FluentFormula, FormulaBody, FormulaDef, Junction, Span};
use crate::composite::visible;
use crate::elaborate::{Done, Elaborator};
use crate::errors::FspError;
use crate::value::{Value, applied, indexed, prefixes};

mod process;

/// Something that holds from certain actions on until others happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fluent {
    /// What it is called: its name with its indices, or the action after which it holds.
    pub name: String,
    /// Actions from which on it holds.
    pub starts: BTreeSet<String>,
    /// Actions from which on it does not; one that starts it does not end it.
    pub ends: BTreeSet<String>,
    /// Whether it holds before anything happens.
    pub initially: bool,
}

/// A formula over fluents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// `assert` or `ltl_property`.
    pub word: &'static str,
    /// Its name, with its indices.
    pub name: String,
    /// What follows the `=`.
    pub text: String,
    /// The fluents it is about.
    pub fluents: Vec<Fluent>,
    /// What it says; atoms are positions of fluents.
    pub formula: Temporal,
}

/// Formulas inside one another.
const MOST_LEVELS: usize = 100;
/// Parts a formula may have when all that it names is written out.
const MOST_PARTS: usize = 10_000;

/// A formula that is being written out.
struct Draft<'n> {
    /// What the formula speaks of; nothing if it is a process itself, of which others take what they need.
    network: Option<&'n Network>,
    fluents: Vec<Fluent>,
    /// Fluents that are actions: everything else in the alphabet of the process ends them.
    actions: BTreeSet<usize>,
    parts: usize,
    level: usize,
}

impl<'a> Elaborator<'a> {
    /// Everything that is claimed by formulas.
    pub fn assertions(&mut self, network: &Network) -> Done<Vec<Assertion>> {
        let mut all = Vec::new();
        let definitions = self.model.formulas.iter();
        for definition in definitions.filter(|def| matches!(def.word, "assert" | "ltl_property")) {
            let FormulaBody::Formula(body) = &definition.body else {
                continue;
            };
            let text = self.source.part(definition.text.clone());
            let outer = self.scope.len();
            self.bind(&definition.parameters, &[])?;
            self.each_combination(&definition.indices, &mut Vec::new(), &mut |this, values| {
                let mut draft = Draft::new(Some(network));
                let formula = this.written_out(body, &definition.name.span, &mut draft)?;
                all.push(Assertion {
                    word: definition.word,
                    name: indexed(&definition.name.text, values),
                    text: text.text().to_string(),
                    fluents: draft.fluents,
                    formula,
                });
                Ok(())
            })?;
            self.scope.truncate(outer);
        }
        Ok(all)
    }

    fn written_out(
        &mut self,
        formula: &'a FluentFormula,
        span: &Span,
        draft: &mut Draft<'_>,
    ) -> Done<Temporal> {
        self.look(1)?;
        draft.parts += 1;
        if draft.parts > MOST_PARTS {
            return self.too_large("the formula".into(), MOST_PARTS, "parts", span.clone());
        }
        let mut inner = |this: &mut Self, part| this.written_out(part, span, &mut *draft);
        Ok(match formula {
            FluentFormula::Not(part) => inner(self, part)?.negated(),
            FluentFormula::Implies(left, right) => {
                let left = inner(self, left)?;
                left.implies(inner(self, right)?)
            }
            FluentFormula::Iff(left, right) => {
                let left = Box::new(inner(self, left)?);
                Temporal::Iff(left, Box::new(inner(self, right)?))
            }
            FluentFormula::Unary(operator, part) => inner(self, part)?.under(*operator),
            FluentFormula::Binary(operator, left, right) => {
                let left = inner(self, left)?;
                left.with(*operator, inner(self, right)?)
            }
            FluentFormula::Joined(junction, parts) => {
                let parts = parts.iter().map(|part| inner(self, part));
                joined(*junction, parts.collect::<Done<_>>()?)
            }
            FluentFormula::Each(junction, indices, body) => {
                let mut parts = Vec::new();
                self.each_combination(indices, &mut Vec::new(), &mut |this, _| {
                    parts.push(this.written_out(body, span, &mut *draft)?);
                    Ok(())
                })?;
                joined(*junction, parts)
            }
            FluentFormula::Rigid(expr) => Temporal::Constant(self.number(expr)? != 0),
            FluentFormula::Done(labels) => {
                let mut wanted = BTreeSet::new();
                self.each_label(labels, &mut |_, label| {
                    wanted.insert(label.to_string());
                    Ok(())
                })?;
                // What is written may stand for others elsewhere, so the labels themselves make the name.
                let listed: Vec<&str> = wanted.iter().map(String::as_str).collect();
                let name = match &listed[..] {
                    [only] => (*only).to_owned(),
                    several => format!("{{{}}}", several.join(", ")),
                };
                let starts = self.matching_labels(draft.network, &wanted, &labels.span)?;
                let others = draft.network.into_iter().flat_map(visible);
                let ends = others.filter(|label| !starts.contains(*label));
                let ends = ends.map(String::from).collect();
                draft.action(Fluent {
                    name,
                    ends,
                    starts,
                    initially: false,
                })
            }
            FluentFormula::Named(name, indices, arguments) => {
                let arguments = arguments.iter().map(|argument| self.value(argument));
                let arguments = arguments.collect::<Done<Vec<Value>>>()?;
                let mut any = Vec::new();
                self.each_combination(indices, &mut Vec::new(), &mut |this, values| {
                    any.push(this.named_formula(name, values, &arguments, &mut *draft)?);
                    Ok(())
                })?;
                joined(Junction::Any, any)
            }
        })
    }

    /// A fluent, or another formula, with these indices or arguments.
    fn named_formula(
        &mut self,
        name: &'a Name,
        values: &[Value],
        arguments: &[Value],
        draft: &mut Draft<'_>,
    ) -> Done<Temporal> {
        let mut formulas = self.model.formulas.iter();
        let definition = formulas.find(|def| def.name.text == name.text);
        let fits = |def: &&FormulaDef| {
            def.indices.len() == values.len() && def.parameters.len() >= arguments.len()
        };
        let Some(definition) = definition.filter(fits) else {
            return self.wrong_reference(name, values, arguments, definition);
        };
        if draft.level >= MOST_LEVELS {
            return self.report(&name.span, "deep", |this| FspError::TooDeep {
                limit: MOST_LEVELS,
                text: this.source.named(),
                at: name.span.clone().into(),
            });
        }
        // What a definition says does not depend on where it is used.
        let outer = std::mem::take(&mut self.scope);
        let bound = self.bind(&definition.parameters, arguments);
        let found = bound.and_then(|()| self.within(definition, values, name, draft));
        self.scope = outer;
        found
    }

    fn within(
        &mut self,
        definition: &'a FormulaDef,
        values: &[Value],
        name: &'a Name,
        draft: &mut Draft<'_>,
    ) -> Done<Temporal> {
        let (mut found, mut range) = (None, String::new());
        self.each_combination(&definition.indices, &mut Vec::new(), &mut |this, others| {
            range = indexed(&definition.name.text, others);
            if others != values || found.is_some() {
                return Ok(());
            }
            draft.level += 1;
            let formula = match &definition.body {
                FormulaBody::Formula(body) => this.written_out(body, &name.span, &mut *draft),
                FormulaBody::Fluent(fluent) => this
                    .fluent(
                        fluent,
                        indexed(&definition.name.text, values),
                        draft.network,
                    )
                    .map(|fluent| draft.atom(fluent)),
            };
            draft.level -= 1;
            found = Some(formula?);
            Ok(())
        })?;
        if let Some(found) = found {
            return Ok(found);
        }
        let what = indexed(&definition.name.text, values);
        self.report(&name.span, "index", |this| FspError::NoSuchFormula {
            name: what,
            help: Some(format!("the last one is `{range}`")),
            text: this.source.named(),
            at: name.span.clone().into(),
        })
    }

    fn fluent(
        &mut self,
        fluent: &'a ast::Fluent,
        name: String,
        network: Option<&Network>,
    ) -> Done<Fluent> {
        let mut sets = [BTreeSet::new(), BTreeSet::new()];
        for (labels, set) in [&fluent.starts, &fluent.ends].into_iter().zip(&mut sets) {
            let mut wanted = BTreeSet::new();
            self.each_label(labels, &mut |_, label| {
                wanted.insert(label.to_string());
                Ok(())
            })?;
            *set = self.matching_labels(network, &wanted, &labels.span)?;
        }
        let [starts, ends] = sets;
        let initially = match &fluent.initially {
            None => false,
            Some(ast::Expr::Name(name)) if name.text == "True" => true,
            Some(ast::Expr::Name(name)) if name.text == "False" => false,
            Some(expr) => self.number(expr)? != 0,
        };
        Ok(Fluent {
            name,
            starts,
            ends,
            initially,
        })
    }

    /// The labels of a network with these names, or, where there is none, those that begin with the name. All are known to a
    /// formula that is a process.
    fn matching_labels(
        &mut self,
        network: Option<&Network>,
        wanted: &BTreeSet<String>,
        span: &Span,
    ) -> Done<BTreeSet<String>> {
        let Some(network) = network else {
            return Ok(wanted.clone());
        };
        let labels: BTreeSet<&str> = visible(network).collect();
        let mut found = BTreeSet::new();
        for name in wanted {
            self.look(labels.len())?;
            let exact = labels.get(name.as_str()).copied();
            let begin = labels
                .iter()
                .copied()
                .filter(|label| exact.is_none() && prefixes(label).any(|prefix| prefix == name));
            let before = found.len();
            found.extend(exact.into_iter().chain(begin).map(String::from));
            if found.len() == before {
                self.unknown_label(span, name, "wait for", network);
            }
        }
        Ok(found)
    }

    fn wrong_reference(
        &mut self,
        name: &Name,
        values: &[Value],
        arguments: &[Value],
        definition: Option<&FormulaDef>,
    ) -> Done<Temporal> {
        let names = self.model.formulas.iter().map(|def| def.name.text.as_str());
        let help = match definition {
            Some(definition) => {
                let (indices, parameters) = (definition.indices.len(), definition.parameters.len());
                Some(format!(
                    "`{}` has {indices} indices and {parameters} parameters",
                    name.text
                ))
            }
            None => did_you_mean(&name.text, names),
        };
        let what = indexed(&applied(&name.text, arguments), values);
        self.report(&name.span, "formula", |this| FspError::NoSuchFormula {
            name: what,
            help,
            text: this.source.named(),
            at: name.span.clone().into(),
        })
    }
}

fn joined(junction: Junction, mut parts: Vec<Temporal>) -> Temporal {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    match junction {
        Junction::All => Temporal::And(parts),
        Junction::Any => Temporal::Or(parts),
    }
}

impl<'n> Draft<'n> {
    fn new(network: Option<&'n Network>) -> Self {
        Self {
            network,
            fluents: Vec::new(),
            actions: BTreeSet::new(),
            parts: 0,
            level: 0,
        }
    }

    /// The position of a fluent.
    fn position(&mut self, fluent: Fluent) -> usize {
        let known = self.fluents.iter().position(|other| *other == fluent);
        known.unwrap_or_else(|| {
            self.fluents.push(fluent);
            self.fluents.len() - 1
        })
    }

    /// The atom that says that a fluent holds.
    fn atom(&mut self, fluent: Fluent) -> Temporal {
        let position = self.position(fluent);
        Temporal::Atom(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// The same of a fluent that is an action.
    fn action(&mut self, fluent: Fluent) -> Temporal {
        let position = self.position(fluent.clone());
        self.actions.insert(position);
        self.atom(fluent)
    }
}
