//! From elements to formulas.

use std::ops::Range;

use roxmltree::{Children, Node};
use sweepline_logic::ctl::{Branching, CtlAtoms, Quantifier};
use sweepline_logic::ltl::{Atoms, Temporal};
use sweepline_logic::{Expr, Formula, Name, Pred, PropertyKind};
use sweepline_text::did_you_mean;

use super::error::PropertyError;
use super::operator::{NAMES, Operator};
use super::{elements, runs};
use crate::diagnostics::{Collector, label, quoted};
use crate::net::{NotFound, PetriNet};
use crate::xml::{tag, text_of};

/// Why there is no formula.
pub(super) enum Stop<'a, 'i> {
    /// It is wrong, and an error says how.
    Reported,
    /// It is right but uses this operator in a way that goes beyond `EF` and `AG`.
    Temporal(Node<'a, 'i>),
}

/// Reads what stands inside a `formula` element.
pub(super) fn read_formula<'a, 'i>(
    formula: Node<'a, 'i>,
    property: &str,
    net: &PetriNet,
    errors: &mut Collector<PropertyError>,
) -> Result<PropertyKind, Stop<'a, 'i>> {
    let mut reader = FormulaReader {
        property,
        net,
        errors,
        atoms: None,
        branching: None,
    };
    match reader.question(formula) {
        // Beyond `EF`, `AG` and single runs it may be CTL. What else was wrong is found again.
        Err(Stop::Temporal(_)) => {
            *reader.errors = Collector::new();
            reader.atoms = None;
            reader.branches(formula)
        }
        read => read,
    }
}

impl FormulaReader<'_> {
    /// Reads a formula that is no CTL, or so little that nobody need know.
    fn question<'a, 'i>(&mut self, formula: Node<'a, 'i>) -> Result<PropertyKind, Stop<'a, 'i>> {
        let reader = self;
        let mut inside = elements(formula);
        match (inside.next(), inside.next()) {
            (Some(bound), None) if bound.tag_name().name() == "place-bound" => {
                reader.tokens(bound).map(PropertyKind::Bound)
            }
            (Some(quantifier), None) if runs::is_linear(quantifier) => reader.runs(quantifier),
            _ => reader
                .whole(formula)
                .map(Operand::into_formula)
                .map(PropertyKind::Formula),
        }
    }
}

/// What an element means.
pub(super) enum Operand {
    Number(Expr),
    /// A condition on a state.
    State(Pred),
    /// A condition with path quantifiers.
    Path(Formula),
    /// A condition on a run.
    Run(Temporal),
    /// A condition with path quantifiers of any kind.
    Branch(Branching),
}

/// An operator whose operands are being read.
pub(super) struct Frame<'a, 'i> {
    operator: Operator,
    node: Node<'a, 'i>,
    children: Children<'a, 'i>,
    operands: Vec<Operand>,
    /// An operand is missing because it is wrong.
    broken: bool,
}

impl<'a, 'i> Frame<'a, 'i> {
    /// `inside` is the element that contains the operands.
    pub(super) fn new(operator: Operator, node: Node<'a, 'i>, inside: Node<'a, 'i>) -> Self {
        Self {
            operator,
            node,
            children: inside.children(),
            operands: Vec::new(),
            broken: false,
        }
    }
}

/// What is found on entering an element.
pub(super) enum Entered<'a, 'i> {
    Leaf(Operand),
    Operator(Frame<'a, 'i>),
}

pub(super) struct FormulaReader<'r> {
    pub(super) property: &'r str,
    net: &'r PetriNet,
    errors: &'r mut Collector<PropertyError>,
    /// The atoms so far, if this is about single runs.
    pub(super) atoms: Option<Atoms>,
    /// The atoms so far, if this is about the runs from each state.
    pub(super) branching: Option<CtlAtoms>,
}

impl FormulaReader<'_> {
    /// Walks the tree without recursion: formulas made by programs can be deep.
    pub(super) fn whole<'a, 'i>(&mut self, formula: Node<'a, 'i>) -> Result<Operand, Stop<'a, 'i>> {
        let mut above = Vec::new();
        let mut frame = Frame::new(Operator::Whole, formula, formula);
        loop {
            let entered = if let Some(node) = frame.children.find(Node::is_element) {
                self.enter(node)
            } else {
                let operand = self.combine(&mut frame);
                match above.pop() {
                    None => return operand,
                    Some(parent) => frame = parent,
                }
                operand.map(Entered::Leaf)
            };
            match entered {
                Ok(Entered::Leaf(operand)) => frame.operands.push(operand),
                Ok(Entered::Operator(inner)) => above.push(std::mem::replace(&mut frame, inner)),
                Err(Stop::Reported) => frame.broken = true,
                Err(temporal) => return Err(temporal),
            }
        }
    }

    fn enter<'a, 'i>(&mut self, node: Node<'a, 'i>) -> Result<Entered<'a, 'i>, Stop<'a, 'i>> {
        let operand = match node.tag_name().name() {
            "true" => Operand::State(Pred::Constant(true)),
            "false" => Operand::State(Pred::Constant(false)),
            "deadlock" => Operand::State(Pred::Deadlock),
            "is-fireable" => Operand::State(match self.transitions(node)? {
                none if none.is_empty() => Pred::Constant(false), // no binding is ever enabled
                transitions => Pred::Fireable(transitions),
            }),
            "tokens-count" => Operand::Number(self.tokens(node)?),
            "integer-constant" => Operand::Number(self.constant(node)?),
            name if self.atoms.is_some() && is_path_operator(name) => {
                return self.path_operator(node);
            }
            "before" | "reach"
                if (self.atoms.is_some() || self.branching.is_some())
                    && runs::is_part_of_until(node) =>
            {
                return Ok(Entered::Operator(Frame::new(Operator::Whole, node, node)));
            }
            "exists-path" if self.branching.is_some() => {
                return self.branch(node, Quantifier::Exists);
            }
            "all-paths" if self.branching.is_some() => {
                return self.branch(node, Quantifier::Forall);
            }
            "exists-path" => return self.quantifier(node, "finally", Operator::Reachable),
            "all-paths" => return self.quantifier(node, "globally", Operator::Invariant),
            name if is_path_operator(name) => return Err(Stop::Temporal(node)),
            name => {
                let operator =
                    Operator::named(name).ok_or_else(|| self.unknown_element(node, &NAMES))?;
                return Ok(Entered::Operator(Frame::new(operator, node, node)));
            }
        };
        Ok(Entered::Leaf(operand))
    }

    /// A path quantifier. With its path operator it must make a question about reachable states; without any, it adds
    /// nothing.
    fn quantifier<'a, 'i>(
        &mut self,
        node: Node<'a, 'i>,
        path_operator: &str,
        operator: Operator,
    ) -> Result<Entered<'a, 'i>, Stop<'a, 'i>> {
        match &*elements(node).collect::<Vec<_>>() {
            [inner] if inner.tag_name().name() == path_operator => {
                Ok(Entered::Operator(Frame::new(operator, node, *inner)))
            }
            [inner] if is_path_operator(inner.tag_name().name()) => Err(Stop::Temporal(*inner)),
            [_] => Ok(Entered::Operator(Frame::new(Operator::Whole, node, node))),
            inner => Err(self.wrong_arity(node, "one path formula", inner.len())),
        }
    }

    /// Applies an operator to its operands.
    fn combine<'a, 'i>(&mut self, frame: &mut Frame<'a, 'i>) -> Result<Operand, Stop<'a, 'i>> {
        let node = frame.node;
        let operands = std::mem::take(&mut frame.operands);
        if frame.broken {
            return Err(Stop::Reported);
        }
        let (fewest, most, expected) = frame.operator.arity();
        if operands.len() < fewest || operands.len() > most {
            return Err(self.wrong_arity(node, expected, operands.len()));
        }
        if frame.operator.takes_numbers() {
            let numbers = operands
                .into_iter()
                .map(Operand::number)
                .collect::<Option<Vec<_>>>();
            let numbers = numbers.ok_or_else(|| self.wrong_sort(node, "numbers"))?;
            return Ok(frame.operator.apply_to_numbers(numbers));
        }
        if operands
            .iter()
            .any(|operand| matches!(operand, Operand::Number(_)))
        {
            return Err(self.wrong_sort(node, "conditions"));
        }
        if let Some(atoms) = &mut self.atoms
            && (frame.operator.is_about_runs()
                || operands
                    .iter()
                    .any(|operand| matches!(operand, Operand::Run(_))))
        {
            let runs = operands
                .into_iter()
                .filter_map(|operand| operand.into_run(atoms));
            return Ok(Operand::Run(frame.operator.apply_to_runs(runs.collect())));
        }
        if let Some(atoms) = &mut self.branching
            && (frame.operator.is_branching()
                || operands
                    .iter()
                    .any(|operand| matches!(operand, Operand::Branch(_))))
        {
            let branches = operands
                .into_iter()
                .filter_map(|operand| operand.into_branching(atoms));
            let branch = frame.operator.apply_to_branches(branches.collect());
            return Ok(Operand::Branch(branch));
        }
        if operands
            .iter()
            .all(|operand| matches!(operand, Operand::State(_)))
        {
            let states = operands.into_iter().filter_map(Operand::state).collect();
            return Ok(frame.operator.apply_to_states(states));
        }
        if frame.operator.takes_states() {
            return Err(Stop::Temporal(node));
        }
        let formulas = operands.into_iter().map(Operand::into_formula).collect();
        let formula = frame.operator.apply_to_formulas(formulas);
        formula
            .map(Operand::Path)
            .ok_or_else(|| self.too_large(node))
    }

    /// The tokens on all the places an element names.
    fn tokens<'a, 'i>(&mut self, node: Node<'a, 'i>) -> Result<Expr, Stop<'a, 'i>> {
        let find = |net: &PetriNet, name: &str, span: &Range<usize>| {
            let tokens = net.find_places(name)?;
            Ok(match tokens.count(net, spanned(span)) {
                Expr::Sum(parts) => parts,
                one => vec![one],
            })
        };
        let mut tokens = self.nodes(node, "place", find)?;
        if tokens.len() == 1 {
            return Ok(tokens.remove(0));
        }
        Ok(Expr::Sum(tokens))
    }

    fn transitions<'a, 'i>(&mut self, node: Node<'a, 'i>) -> Result<Vec<Name>, Stop<'a, 'i>> {
        self.nodes(node, "transition", |net, name, span| {
            let transitions = net.find_transitions(name)?.into_iter();
            let ids = transitions.map(|transition| spanned(span)(&net.transition(transition).id));
            Ok(ids.collect())
        })
    }

    /// The places or transitions an element names. It has at least one name, which may stand for any number of them.
    fn nodes<'a, 'i, T>(
        &mut self,
        node: Node<'a, 'i>,
        kind: &'static str,
        find: impl Fn(&PetriNet, &str, &Range<usize>) -> Result<Vec<T>, NotFound>,
    ) -> Result<Vec<T>, Stop<'a, 'i>> {
        let mut names = Vec::new();
        let (mut broken, mut named) = (false, 0);
        for element in elements(node) {
            if element.tag_name().name() != kind {
                self.unknown_element(element, &[kind]);
                broken = true;
                continue;
            }
            let (text, span) = text_of(element);
            match find(self.net, &text, &span) {
                Ok(found) => {
                    named += 1;
                    names.extend(found);
                }
                Err(reason) => {
                    self.not_found(reason, kind, &text, label(span));
                    broken = true;
                }
            }
        }
        match (broken, named) {
            (true, _) => Err(Stop::Reported),
            (false, 0) if kind == "place" => Err(self.wrong_arity(node, "at least one place", 0)),
            (false, 0) => Err(self.wrong_arity(node, "at least one transition", 0)),
            (false, _) => Ok(names),
        }
    }

    fn constant<'a, 'i>(&mut self, node: Node<'a, 'i>) -> Result<Expr, Stop<'a, 'i>> {
        let (text, range) = text_of(node);
        text.parse().map(Expr::Number).map_err(|_| {
            let property = quoted(self.property);
            self.errors.add(|| PropertyError::NotANumber {
                property,
                found: quoted(&text),
                at: label(range),
            });
            Stop::Reported
        })
    }
}

/// Names at a place of the file.
fn spanned(span: &Range<usize>) -> impl Fn(&str) -> Name {
    |text| Name {
        text: text.to_owned(),
        span: span.clone(),
    }
}

pub(super) fn is_path_operator(element: &str) -> bool {
    matches!(element, "globally" | "finally" | "next" | "until")
}

/// Errors. Each function adds one and returns that it did.
impl FormulaReader<'_> {
    fn unknown_element<'a, 'i>(
        &mut self,
        node: Node<'_, '_>,
        expected: &[&'static str],
    ) -> Stop<'a, 'i> {
        let name = node.tag_name().name();
        let property = self.property;
        let help = || match name {
            "place-bound" => Some("`place-bound` is a whole formula, not part of one".to_owned()),
            _ => match expected {
                [only] => Some(format!("expected `{only}`")),
                _ => did_you_mean(name, expected.iter().copied()),
            },
        };
        self.errors.add(|| PropertyError::UnknownElement {
            property: quoted(property),
            element: quoted(name),
            help: help(),
            at: label(tag(node)),
        });
        Stop::Reported
    }

    pub(super) fn wrong_arity<'a, 'i>(
        &mut self,
        node: Node<'_, '_>,
        expected: &'static str,
        found: usize,
    ) -> Stop<'a, 'i> {
        let property = self.property;
        self.errors.add(|| PropertyError::Arity {
            property: quoted(property),
            element: node.tag_name().name().to_owned(),
            expected,
            found,
            at: label(tag(node)),
        });
        Stop::Reported
    }

    fn wrong_sort<'a, 'i>(&mut self, node: Node<'_, '_>, expected: &'static str) -> Stop<'a, 'i> {
        let property = self.property;
        self.errors.add(|| PropertyError::Sort {
            property: quoted(property),
            element: node.tag_name().name().to_owned(),
            expected,
            at: label(tag(node)),
        });
        Stop::Reported
    }

    pub(super) fn too_large<'a, 'i>(&mut self, node: Node<'_, '_>) -> Stop<'a, 'i> {
        let property = self.property;
        self.errors.add(|| PropertyError::TooLarge {
            property: quoted(property),
            element: node.tag_name().name().to_owned(),
            at: label(tag(node)),
        });
        Stop::Reported
    }

    fn not_found(
        &mut self,
        reason: NotFound,
        kind: &'static str,
        wanted: &str,
        at: miette::SourceSpan,
    ) {
        let (property, name) = (quoted(self.property), quoted(wanted));
        let net = self.net;
        self.errors.add(|| match reason {
            NotFound::Ambiguous => PropertyError::Ambiguous {
                property,
                kind,
                name,
                at,
            },
            NotFound::Unknown => PropertyError::UnknownNode {
                property,
                kind,
                name,
                help: suggestion(net, kind, wanted),
                at,
            },
        });
    }
}

/// A similar id or name, or else a hint that the name is that of the other kind of node.
fn suggestion(net: &PetriNet, kind: &str, wanted: &str) -> Option<String> {
    let places = net
        .places()
        .iter()
        .flat_map(|place| [&*place.id, &*place.name]);
    let transitions = net
        .transitions()
        .iter()
        .flat_map(|transition| [&*transition.id, &*transition.name]);
    let wants_place = kind == "place";
    let (other, is_other) = if wants_place {
        ("transition", net.find_transitions(wanted).is_ok())
    } else {
        ("place", net.find_places(wanted).is_ok())
    };
    if is_other {
        return Some(format!("`{}` is a {other}", quoted(wanted)));
    }
    if wants_place {
        did_you_mean(wanted, places)
    } else {
        did_you_mean(wanted, transitions)
    }
}

impl Operand {
    fn number(self) -> Option<Expr> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    fn state(self) -> Option<Pred> {
        match self {
            Self::State(pred) => Some(pred),
            _ => None,
        }
    }

    /// As a question. A condition on states without path quantifier is about the initial state.
    fn into_formula(self) -> Formula {
        match self {
            Self::Path(formula) => formula,
            Self::State(pred) => Formula::Initially(pred),
            Self::Number(_) | Self::Run(_) | Self::Branch(_) => {
                unreachable!("every operator has refused what is no condition here")
            }
        }
    }

    /// As a condition on a run.
    pub(super) fn into_run(self, atoms: &mut Atoms) -> Option<Temporal> {
        match self {
            Self::State(pred) => Some(atoms.atom(&pred)),
            Self::Run(run) => Some(run),
            Self::Number(_) | Self::Path(_) | Self::Branch(_) => None,
        }
    }
}
