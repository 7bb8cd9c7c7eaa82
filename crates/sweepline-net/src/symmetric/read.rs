//! Declarations and terms, from their elements.

use std::collections::HashMap;
use std::sync::Arc;

use roxmltree::Node;
use sweepline_text::did_you_mean;

use super::sorts::{Colour, Sort, SortId, Sorts};
use super::terms::{Bag, Comparison, Condition, MOST_TOKENS, Part, Shape, Term, Variable};
use crate::diagnostics::{label, quoted};
use crate::pnml::PnmlError;
use crate::pnml::document::{child, elements};
use crate::pnml::nodes::required;
use crate::xml::{attribute_range, tag};

/// What the net declares.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub(super) sorts: Sorts,
    pub(super) variables: Vec<(String, SortId)>,
    variable_ids: HashMap<String, Variable>,
    constants: HashMap<String, (SortId, Colour)>,
    /// Parts of sorts that have a name of their own.
    classes: HashMap<String, Class>,
    partitions: HashMap<String, Partition>,
}

/// A part of a sort.
#[derive(Debug)]
struct Class {
    sort: SortId,
    colours: Vec<Colour>,
    /// The partition it is one of, and its number there.
    place: (String, Colour),
}

/// A sort in parts.
#[derive(Debug)]
struct Partition {
    sort: SortId,
    /// For each colour the number of its part; nothing if some are in none or in several.
    numbers: Option<Arc<[Colour]>>,
}

/// What is said where a sort may have no end.
const FINITE: &str = "colours are of finite sorts: `dot`, `bool`, `finiteenumeration`, `cyclicenumeration`, `finiteintrange`, and `productsort` of these";

fn wrong(node: Node<'_, '_>, what: impl Into<String>) -> PnmlError {
    PnmlError::Colours {
        what: what.into(),
        help: None,
        at: label(tag(node)),
    }
}

fn unknown<'a>(
    node: Node<'_, '_>,
    attribute: &str,
    kind: &str,
    names: impl Iterator<Item = &'a str>,
) -> PnmlError {
    let name = node.attribute(attribute).unwrap_or("");
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    PnmlError::Colours {
        what: format!("nothing declares the {kind} `{}`", quoted(name)),
        help: did_you_mean(name, names),
        at: label(attribute_range(node, attribute)),
    }
}

/// The operands of an operator.
fn operands<'a, 'i>(node: Node<'a, 'i>) -> Result<Vec<Node<'a, 'i>>, PnmlError> {
    let subterms = elements(node).filter(|child| child.tag_name().name() == "subterm");
    subterms.map(only).collect()
}

/// The only element inside another one.
pub(super) fn only<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, PnmlError> {
    let mut inside = elements(node);
    match (inside.next(), inside.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(wrong(
            node,
            format!("`{}` is empty", node.tag_name().name()),
        )),
        (_, Some(second)) => Err(wrong(
            second,
            "one term is expected, and here is a second one",
        )),
    }
}

fn two<'a, 'i>(node: Node<'a, 'i>) -> Result<[Node<'a, 'i>; 2], PnmlError> {
    let operands = operands(node)?;
    let count = operands.len();
    operands.try_into().map_err(|_| {
        let name = node.tag_name().name();
        wrong(
            node,
            format!("`{name}` takes two terms, and here it has {count}"),
        )
    })
}

impl Declarations {
    /// Reads what stands in `declarations`. Sorts may refer to later ones, so that they are tried until all are known.
    pub(super) fn read(structures: &[Node<'_, '_>]) -> Result<Self, PnmlError> {
        let mut declarations = Self::default();
        let all: Vec<_> = structures
            .iter()
            .flat_map(Node::descendants)
            .filter(Node::is_element)
            .collect();
        let named = |name| {
            all.iter()
                .filter(move |node| node.tag_name().name() == name)
        };
        let mut open: Vec<_> = named("namedsort").copied().collect();
        while !open.is_empty() {
            let before = open.len();
            let mut missing = None;
            let mut later = Vec::new();
            for node in open {
                match declarations.sort(only(node)?) {
                    Ok(sort) => declarations.name_sort(node, sort)?,
                    Err(error @ PnmlError::Colours { .. }) if declarations.may_come(node) => {
                        missing.get_or_insert(error);
                        later.push(node);
                    }
                    Err(error) => return Err(error),
                }
            }
            if later.len() == before {
                return Err(missing.expect("something is left"));
            }
            open = later;
        }
        for node in named("variabledecl") {
            let id = required(*node, "id")?;
            let sort = declarations.sort(only(*node)?)?;
            let variable = Variable(declarations.variables.len());
            let name = node.attribute("name").unwrap_or(id);
            declarations.variables.push((name.to_owned(), sort));
            declarations.variable_ids.insert(id.to_owned(), variable);
        }
        for node in named("partition") {
            declarations.partition(*node)?;
        }
        Ok(declarations)
    }

    /// Whether a sort speaks of others that are not declared yet.
    fn may_come(&self, node: Node<'_, '_>) -> bool {
        let uses = node
            .descendants()
            .filter_map(|node| node.attribute("declaration"));
        let mut uses = uses;
        uses.any(|id| self.sorts.named(id).is_none())
    }

    fn name_sort(&mut self, node: Node<'_, '_>, sort: SortId) -> Result<(), PnmlError> {
        self.sorts.name(required(node, "id")?, sort);
        let constants = node.descendants();
        let constants = constants.filter(|node| node.tag_name().name() == "feconstant");
        for (constant, colour) in constants.zip(0..) {
            let id = required(constant, "id")?;
            if self
                .constants
                .insert(id.to_owned(), (sort, colour))
                .is_some()
            {
                return Err(wrong(
                    constant,
                    format!("two constants have the id `{}`", quoted(id)),
                ));
            }
        }
        Ok(())
    }

    fn partition(&mut self, node: Node<'_, '_>) -> Result<(), PnmlError> {
        let sort = elements(node).find(|part| part.tag_name().name() == "usersort");
        let sort = self.sort(sort.ok_or_else(|| wrong(node, "a partition needs a sort"))?)?;
        let partition = node.attribute("id").unwrap_or("").to_owned();
        let classes = elements(node).filter(|part| part.tag_name().name() == "partitionelement");
        // A partition of a larger sort cannot be written down colour by colour.
        let size = self.sorts.size(sort) as usize;
        let mut is_one_each = size <= MOST_TOKENS;
        let mut numbers = vec![None; if is_one_each { size } else { 0 }];
        for (class, number) in classes.zip(0..) {
            let colours = elements(class).map(|term| match self.term(term, Some(sort))?.shape {
                Shape::Constant(colour) => Ok(colour),
                _ => Err(wrong(term, "only constants can be part of a partition")),
            });
            let colours = colours.collect::<Result<Vec<_>, _>>()?;
            for colour in &colours {
                let known = numbers.get_mut(*colour as usize);
                is_one_each &= known.is_some_and(|known| known.replace(number).is_none());
            }
            let class_of = Class {
                sort,
                colours,
                place: (partition.clone(), number),
            };
            self.classes
                .insert(required(class, "id")?.to_owned(), class_of);
        }
        let numbers: Option<Arc<[Colour]>> = numbers.into_iter().collect();
        let numbers = numbers.filter(|_| is_one_each);
        self.partitions
            .insert(partition, Partition { sort, numbers });
        Ok(())
    }

    /// A sort, as it stands in declarations and types.
    pub(super) fn sort(&mut self, node: Node<'_, '_>) -> Result<SortId, PnmlError> {
        let sort = match node.tag_name().name() {
            "usersort" => {
                let id = required(node, "declaration")?;
                return self
                    .sorts
                    .named(id)
                    .ok_or_else(|| unknown(node, "declaration", "sort", self.sorts.names()));
            }
            "dot" => Sort::Dot,
            "bool" => Sort::Enumeration(vec!["false".into(), "true".into()]),
            "cyclicenumeration" | "finiteenumeration" => {
                let constants = elements(node);
                let constants = constants.filter(|node| node.tag_name().name() == "feconstant");
                let name = |node: Node<'_, '_>| {
                    let name = node.attribute("name").or(node.attribute("id"));
                    name.unwrap_or("?").to_owned()
                };
                Sort::Enumeration(constants.map(name).collect())
            }
            "finiteintrange" => Sort::Range {
                start: number(node, "start")?,
                end: number(node, "end")?,
            },
            "productsort" => {
                let parts = elements(node).map(|part| self.sort(part));
                Sort::Product(parts.collect::<Result<_, _>>()?)
            }
            other => {
                return Err(PnmlError::Colours {
                    what: format!("sorts of the kind `{}` are not supported", quoted(other)),
                    help: Some(FINITE.into()),
                    at: label(tag(node)),
                });
            }
        };
        self.sorts
            .add(sort)
            .ok_or_else(|| wrong(node, "a sort has at least one and fewer than 2^32 colours"))
    }

    /// A multiset over a sort.
    pub(super) fn bag(&self, node: Node<'_, '_>, sort: SortId) -> Result<Bag, PnmlError> {
        let name = node.tag_name().name();
        Ok(match name {
            "numberof" => {
                let operands = operands(node)?;
                let (times, bag) = match &operands[..] {
                    [bag] => (1, bag),
                    [times, bag] => (count(*times)?, bag),
                    _ => return Err(wrong(node, "`numberof` takes a number and a term")),
                };
                Bag::Times(times, Box::new(self.bag(*bag, sort)?))
            }
            "add" => {
                let bags = operands(node)?;
                let bags = bags.into_iter().map(|bag| self.bag(bag, sort));
                Bag::Sum(bags.collect::<Result<_, _>>()?)
            }
            "subtract" => {
                let operands = operands(node)?;
                let mut bags = operands.into_iter().map(|bag| self.bag(bag, sort));
                let first = bags.next();
                let first = first.ok_or_else(|| wrong(node, "`subtract` takes two terms"))??;
                bags.try_fold(first, |bag, less| {
                    Ok::<_, PnmlError>(Bag::Difference(Box::new(bag), Box::new(less?)))
                })?
            }
            "scalarproduct" => {
                let [times, bag] = two(node)?;
                Bag::Times(count(times)?, Box::new(self.bag(bag, sort)?))
            }
            "empty" => Bag::Sum(Vec::new()),
            "all" => {
                let over = self.looked_up(only(node)?)?;
                self.fits(node, over, sort)?;
                let size = self.sorts.size(over);
                if size as usize > MOST_TOKENS {
                    return Err(wrong(
                        node,
                        format!("{size} tokens are too many to be listed"),
                    ));
                }
                Bag::Each((0..size).collect())
            }
            "useroperator" if self.class(node).is_some() => {
                let class = self.class(node).expect("it is one");
                self.fits(node, class.sort, sort)?;
                Bag::Each(class.colours.clone())
            }
            "tuple" => {
                let (parts, bags) = self.tuple(node, sort)?;
                let bags = bags
                    .into_iter()
                    .zip(parts)
                    .map(|(node, sort)| self.bag(node, sort));
                let bags = bags.collect::<Result<Vec<_>, _>>()?;
                let single = bags.iter().map(|bag| match bag {
                    Bag::One(term) => Some(term.clone()),
                    _ => None,
                });
                match single.collect::<Option<Vec<_>>>() {
                    Some(terms) => Bag::One(Term {
                        sort,
                        shape: Shape::Tuple(terms),
                    }),
                    None => Bag::Tuple(sort, bags),
                }
            }
            _ => Bag::One(self.term(node, Some(sort))?),
        })
    }

    fn class(&self, node: Node<'_, '_>) -> Option<&Class> {
        self.classes.get(node.attribute("declaration")?)
    }

    /// A part of a partition and the partition, if the term stands for one.
    fn part(&self, node: Node<'_, '_>) -> Result<Option<(Part, &str)>, PnmlError> {
        if node.tag_name().name() == "useroperator" {
            let class = self.class(node);
            return Ok(class.map(|Class { place, .. }| (Part::Named(place.1), &*place.0)));
        }
        if node.tag_name().name() != "partitionelementof" {
            return Ok(None);
        }
        let id = required(node, "refpartition")?;
        let Some((id, partition)) = self.partitions.get_key_value(id) else {
            let names = self.partitions.keys().map(String::as_str);
            return Err(unknown(node, "refpartition", "partition", names));
        };
        let Some(numbers) = &partition.numbers else {
            let what = "some colours are in no part of this partition, or in several";
            return Err(wrong(node, what));
        };
        let operands = operands(node)?;
        let [operand] = operands[..] else {
            return Err(wrong(node, "`partitionelementof` takes one term"));
        };
        let term = self.term(operand, Some(partition.sort))?;
        Ok(Some((Part::Of(term, Arc::clone(numbers)), id)))
    }

    /// A comparison of parts, if it is one.
    fn of_parts(
        &self,
        node: Node<'_, '_>,
        comparison: Comparison,
    ) -> Result<Option<Condition>, PnmlError> {
        let [left, right] = two(node)?;
        match (self.part(left)?, self.part(right)?) {
            (None, None) => Ok(None),
            (Some((left, one)), Some((right, other))) if one == other => {
                Ok(Some(Condition::CompareParts(comparison, left, right)))
            }
            _ => Err(wrong(
                node,
                "a part of a partition is compared with something else",
            )),
        }
    }

    /// The sorts and terms of the parts of a tuple.
    fn tuple<'a, 'i>(
        &self,
        node: Node<'a, 'i>,
        sort: SortId,
    ) -> Result<(Vec<SortId>, Vec<Node<'a, 'i>>), PnmlError> {
        let Sort::Product(parts) = self.sorts.get(sort) else {
            return Err(wrong(node, "a tuple stands where there are no tuples"));
        };
        let operands = operands(node)?;
        if operands.len() != parts.len() {
            let (has, wants) = (operands.len(), parts.len());
            return Err(wrong(
                node,
                format!("a tuple of {has} stands for one of {wants}"),
            ));
        }
        Ok((parts.clone(), operands))
    }

    /// A term for one colour; of this sort, if that is known.
    pub(super) fn term(&self, node: Node<'_, '_>, sort: Option<SortId>) -> Result<Term, PnmlError> {
        let name = node.tag_name().name();
        let found = match name {
            "variable" => {
                let id = required(node, "refvariable")?;
                let known = self.variable_ids.get(id).copied();
                let names = self.variable_ids.keys().map(String::as_str);
                let variable =
                    known.ok_or_else(|| unknown(node, "refvariable", "variable", names))?;
                Term {
                    sort: self.variables[variable.0].1,
                    shape: Shape::Variable(variable),
                }
            }
            "useroperator" => {
                let id = required(node, "declaration")?;
                let names = self.constants.keys().map(String::as_str);
                let (sort, colour) = *self
                    .constants
                    .get(id)
                    .ok_or_else(|| unknown(node, "declaration", "constant", names))?;
                Term {
                    sort,
                    shape: Shape::Constant(colour),
                }
            }
            "dotconstant" => {
                let sort = sort.filter(|sort| *self.sorts.get(*sort) == Sort::Dot);
                let sort =
                    sort.ok_or_else(|| wrong(node, "a black token stands where there are none"))?;
                Term {
                    sort,
                    shape: Shape::Constant(0),
                }
            }
            "finiteintrangeconstant" => self.range_constant(node, sort)?,
            "successor" | "predecessor" => {
                let by = if name == "successor" { 1 } else { -1 };
                let operands = operands(node)?;
                let [operand] = operands[..] else {
                    return Err(wrong(node, format!("`{name}` takes one term")));
                };
                let term = self.term(operand, sort)?;
                Term {
                    sort: term.sort,
                    shape: Shape::Shift(Box::new(term), by),
                }
            }
            "tuple" => {
                let sort =
                    sort.ok_or_else(|| wrong(node, "the sort of this tuple is not known"))?;
                let (parts, terms) = self.tuple(node, sort)?;
                let terms = terms.into_iter().zip(parts);
                let terms = terms.map(|(node, sort)| self.term(node, Some(sort)));
                Term {
                    sort,
                    shape: Shape::Tuple(terms.collect::<Result<_, _>>()?),
                }
            }
            other => {
                let what = format!("`{}` is no term for a colour", quoted(other));
                return Err(wrong(node, what));
            }
        };
        match sort {
            Some(sort) => {
                self.fits(node, found.sort, sort)?;
                Ok(found)
            }
            None => Ok(found),
        }
    }

    fn fits(&self, node: Node<'_, '_>, found: SortId, sort: SortId) -> Result<(), PnmlError> {
        if self.sorts.agree(found, sort) {
            return Ok(());
        }
        Err(wrong(node, "a colour of another sort is expected here"))
    }

    /// A number of a range, which is given with it; the place it stands at knows the sort better.
    fn range_constant(&self, node: Node<'_, '_>, sort: Option<SortId>) -> Result<Term, PnmlError> {
        let value = number(node, "value")?;
        let sort = match sort {
            Some(sort) => sort,
            None => self.looked_up(only(node)?)?,
        };
        let Sort::Range { start, end } = self.sorts.get(sort) else {
            return Err(wrong(node, "a number stands where there are none"));
        };
        let colour = Some(value)
            .filter(|value| (*start..=*end).contains(value))
            .and_then(|value| Colour::try_from(value - start).ok());
        let colour =
            colour.ok_or_else(|| wrong(node, format!("{value} is not in {start}..{end}")))?;
        Ok(Term {
            sort,
            shape: Shape::Constant(colour),
        })
    }

    /// A sort that must be known already.
    fn looked_up(&self, node: Node<'_, '_>) -> Result<SortId, PnmlError> {
        match node.tag_name().name() {
            "usersort" => {
                let id = required(node, "declaration")?;
                let sort = self.sorts.named(id);
                sort.ok_or_else(|| unknown(node, "declaration", "sort", self.sorts.names()))
            }
            "finiteintrange" => {
                let range = Sort::Range {
                    start: number(node, "start")?,
                    end: number(node, "end")?,
                };
                let sort = self.sorts.find(&range);
                sort.ok_or_else(|| wrong(node, "nothing declares this range"))
            }
            "dot" => {
                let sort = self.sorts.find(&Sort::Dot);
                sort.ok_or_else(|| wrong(node, "no sort of black tokens is declared"))
            }
            other => Err(wrong(node, format!("`{}` is no sort", quoted(other)))),
        }
    }

    /// A condition.
    pub(super) fn condition(&self, node: Node<'_, '_>) -> Result<Condition, PnmlError> {
        let all = |node| -> Result<Vec<_>, _> {
            let parts = operands(node)?;
            parts.into_iter().map(|part| self.condition(part)).collect()
        };
        let comparison = match node.tag_name().name() {
            "and" => return Ok(Condition::All(all(node)?)),
            "or" => return Ok(Condition::Some(all(node)?)),
            "not" => {
                let mut parts = all(node)?;
                let part = parts.pop().filter(|_| parts.is_empty());
                let part = part.ok_or_else(|| wrong(node, "`not` takes one condition"))?;
                return Ok(Condition::Not(Box::new(part)));
            }
            "imply" => {
                let [left, right] = two(node)?;
                let left = Condition::Not(Box::new(self.condition(left)?));
                return Ok(Condition::Some(vec![left, self.condition(right)?]));
            }
            "booleanconstant" => {
                return Ok(Condition::Constant(node.attribute("value") == Some("true")));
            }
            "equality" => Comparison::Equal,
            "inequality" => Comparison::Unequal,
            "lessthan" | "ltp" => Comparison::Less,
            "lessthanorequal" => Comparison::LessOrEqual,
            "greaterthan" | "gtp" => Comparison::Greater,
            "greaterthanorequal" => Comparison::GreaterOrEqual,
            other => {
                let what = format!("`{}` is no condition that is supported", quoted(other));
                return Err(wrong(node, what));
            }
        };
        if let Some(condition) = self.of_parts(node, comparison)? {
            return Ok(condition);
        }
        let [left, right] = two(node)?;
        let (left_sort, right_sort) = (self.sort_of(left), self.sort_of(right));
        let left_term = self.term(left, left_sort.or(right_sort))?;
        let right_term = self.term(right, right_sort.or(Some(left_term.sort)))?;
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let numbers = [&left_term, &right_term]
            .iter()
            .all(|term| matches!(self.sorts.get(term.sort), Sort::Range { .. }));
        if !self.sorts.agree(left_term.sort, right_term.sort) && !numbers {
            return Err(wrong(node, "colours of different sorts are compared"));
        }
        if ordered && matches!(self.sorts.get(left_term.sort), Sort::Product(_)) {
            return Err(wrong(node, "tuples have no order"));
        }
        Ok(Condition::Compare(comparison, left_term, right_term))
    }

    /// The sort that a term has wherever it stands.
    fn sort_of(&self, node: Node<'_, '_>) -> Option<SortId> {
        match node.tag_name().name() {
            "variable" => {
                let variable = self.variable_ids.get(node.attribute("refvariable")?)?;
                Some(self.variables[variable.0].1)
            }
            "useroperator" => Some(self.constants.get(node.attribute("declaration")?)?.0),
            "successor" | "predecessor" => self.sort_of(*operands(node).ok()?.first()?),
            _ => None,
        }
    }
}

/// A number in an attribute.
fn number(node: Node<'_, '_>, attribute: &'static str) -> Result<i64, PnmlError> {
    let text = required(node, attribute)?;
    text.trim().parse().map_err(|_| PnmlError::NotANumber {
        what: format!("`{attribute}`"),
        found: quoted(text),
        at: label(attribute_range(node, attribute)),
    })
}

/// A number of tokens.
fn count(node: Node<'_, '_>) -> Result<u64, PnmlError> {
    if node.tag_name().name() != "numberconstant" {
        return Err(wrong(node, "a number of tokens is expected"));
    }
    let value = number(node, "value")?;
    u64::try_from(value).map_err(|_| PnmlError::Negative {
        what: "a number of tokens".into(),
        at: label(attribute_range(node, "value")),
    })
}

/// The term inside a label such as `hlinscription`.
pub(super) fn structure<'a, 'i>(label: Node<'a, 'i>) -> Result<Option<Node<'a, 'i>>, PnmlError> {
    match child(label, "structure") {
        Some(structure) if elements(structure).next().is_some() => only(structure).map(Some),
        _ => Ok(None),
    }
}
