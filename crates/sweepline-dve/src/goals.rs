//! Descriptions of families of models: which goals their instances should or should not reach, and what their runs satisfy.
//!
//! A family is an XML file with named propositions, properties built from them, and instances with parameters. The
//! propositions are written for the macro processor that made the instances, so we expand the few macros
//! they use: parameters, `decr`, `myloop` and the empty quotes that glue names together. Goals are expressions of the
//! language, bit operators included.

use std::collections::BTreeMap;

use miette::Diagnostic;
use roxmltree::{Document, Node, ParsingOptions};
use sweepline_logic::{Formula, Pred, Property, PropertyKind, parse_ltl};
use sweepline_text::Source;

use crate::errors::DveError;
use crate::macros::{self, Parameters};
use crate::parser::parse_expression;
use crate::predicate::predicate;

/// A description of a family cannot be used.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum GoalError {
    /// The file is not XML.
    #[error("the description is not well-formed XML: {message}")]
    #[diagnostic(code(dve::goals_not_xml))]
    NotXml {
        /// What the XML reader says.
        message: String,
    },

    /// The instance is not described.
    #[error("the description has no instance `{instance}`")]
    #[diagnostic(code(dve::unknown_instance), help("it has {known}"))]
    UnknownInstance {
        /// What was asked for.
        instance: String,
        /// What there is.
        known: String,
    },

    /// A goal is not an expression.
    #[error("goal {goal} cannot be read: {message}")]
    #[diagnostic(code(dve::bad_goal), help("it was expanded to `{expanded}`"))]
    BadGoal {
        /// The number of the property.
        goal: String,
        /// What is wrong with it.
        message: String,
        /// What was left to read after macros were expanded.
        expanded: String,
    },
}

/// The properties of an instance of a family.
///
/// Each becomes a property named after its number. One about reachability holds if the goal can be reached, one about runs if
/// all of them satisfy it. They speak of the slots and definitions of the instance.
///
/// ```
/// use sweepline_dve::read_goals;
/// use sweepline_text::Source;
///
/// let family = Source::new("peterson.xml", "<model>
///   <ap><ap-name>collision</ap-name><ap-expression>P_0.CS + P_1.CS > LIMIT</ap-expression></ap>
///   <property id='1' prop-type='reachability'><formula>collision</formula></property>
///   <instance id='3'><parameters>LIMIT=1</parameters></instance>
/// </model>");
/// let goals = read_goals(&family, "3").unwrap();
/// assert_eq!(goals[0].name, "1");
/// ```
pub fn read_goals(family: &Source, instance: &str) -> Result<Vec<Property>, GoalError> {
    read_family(family, instance, &[])
}

/// The same for an instance with these constants, which its properties may speak of.
pub fn read_family(
    family: &Source,
    instance: &str,
    constants: &[(String, i64)],
) -> Result<Vec<Property>, GoalError> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(family.text(), options);
    let document = document.map_err(|error| GoalError::NotXml {
        message: error.to_string(),
    })?;
    let root = document.root_element();
    let constants = constants.iter();
    let mut known: Parameters = constants
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    known.extend(parameters(root, instance)?);
    let parameters = known;
    let propositions = propositions(root, &parameters);
    let properties = children(root, "property").filter_map(|property| {
        let kind = property.attribute("prop-type")?;
        match kind.to_ascii_lowercase().as_str() {
            "reachability" => Some(goal(property, &propositions)),
            "ltl" => Some(about_runs(property, &propositions)),
            _ => None,
        }
    });
    properties.collect()
}

fn children<'a, 'd>(
    node: Node<'a, 'd>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'd>> + use<'a, 'd> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
}

fn text_of<'a>(node: Node<'a, '_>, name: &'static str) -> &'a str {
    let child = children(node, name).next();
    child.and_then(|child| child.text()).unwrap_or("").trim()
}

/// The parameters of an instance: `N=3, K=2`, and the defaults of those it does not mention.
fn parameters(root: Node<'_, '_>, instance: &str) -> Result<Parameters, GoalError> {
    let found = children(root, "instance").find(|node| node.attribute("id") == Some(instance));
    let Some(found) = found else {
        let known: Vec<&str> = children(root, "instance")
            .filter_map(|node| node.attribute("id"))
            .collect();
        return Err(GoalError::UnknownInstance {
            instance: instance.to_string(),
            known: known.join(", "),
        });
    };
    let settings = text_of(found, "parameters").split(',');
    let settings = settings.filter_map(|setting| setting.split_once('='));
    let settings =
        settings.map(|(name, value)| (name.trim().to_string(), value.trim().to_string()));
    Ok(defaults(root).chain(settings).collect())
}

/// What described parameters are unless an instance says otherwise: the number their description gives as the default
/// (`Number of lines (default 2)`), or 0, which is how the templates of models see a parameter that is not given.
fn defaults(root: Node<'_, '_>) -> impl Iterator<Item = (String, String)> {
    let described = root
        .descendants()
        .filter(|node| node.has_tag_name("parameter-description"));
    described.filter_map(|parameter| {
        let name = text_of(parameter, "par-name");
        let explicit = Some(text_of(parameter, "par-default")).filter(|text| !text.is_empty());
        let said = default_in(text_of(parameter, "par-description"));
        let value = explicit.or(said).unwrap_or("0");
        (!name.is_empty()).then(|| (name.to_string(), value.to_string()))
    })
}

/// The number behind the word `default` in a description.
fn default_in(description: &str) -> Option<&str> {
    let lower = description.to_ascii_lowercase();
    let rest = &description[lower.find("default")? + "default".len()..];
    let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '-' && c != '.');
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let sign = rest.len() - digits.len();
    (length > 0).then(|| &rest[..sign + length])
}

fn propositions(root: Node<'_, '_>, parameters: &Parameters) -> Parameters {
    let propositions = children(root, "ap").map(|proposition| {
        let expanded = macros::expand(text_of(proposition, "ap-expression"), parameters);
        let name = text_of(proposition, "ap-name").to_string();
        (name, format!("({expanded})"))
    });
    propositions.collect::<BTreeMap<_, _>>()
}

fn goal(property: Node<'_, '_>, propositions: &Parameters) -> Result<Property, GoalError> {
    let name = property.attribute("id").unwrap_or("?").to_string();
    let expanded = macros::substitute(text_of(property, "formula"), propositions);
    let bad = |message: String| GoalError::BadGoal {
        goal: name.clone(),
        message,
        expanded: expanded.clone(),
    };
    let pred = parse_goal(&Source::new("goal", expanded.as_str())).map_err(bad)?;
    let kind = PropertyKind::Formula(Formula::Reachable(pred));
    Ok(Property { name, kind })
}

/// A formula about runs, whose atoms are propositions.
fn about_runs(property: Node<'_, '_>, propositions: &Parameters) -> Result<Property, GoalError> {
    let name = property.attribute("id").unwrap_or("?").to_string();
    let text = spaced(text_of(property, "formula"), propositions);
    let bad = |message: String, expanded: &str| GoalError::BadGoal {
        goal: name.clone(),
        message,
        expanded: expanded.to_owned(),
    };
    let parsed = parse_ltl(Source::new("formula", text.as_str()));
    let mut ltl = match parsed {
        Ok(parsed) => parsed.ltl,
        Err(errors) => return Err(bad(errors.to_string(), &text)),
    };
    for atom in &mut ltl.atoms {
        let Pred::Holds(proposition) = atom else {
            continue;
        };
        if let Some(expression) = propositions.get(&proposition.text) {
            let source = Source::new("proposition", expression.as_str());
            *atom = parse_goal(&source).map_err(|message| bad(message, expression))?;
        }
    }
    let kind = PropertyKind::AllRuns(ltl);
    Ok(Property { name, kind })
}

/// Operators are capital letters, and nothing need stand between them and a name: `GF p`, `!pU(qUr)`.
fn spaced(formula: &str, propositions: &Parameters) -> String {
    let capital = |name: &String| name.contains(|c: char| c.is_ascii_uppercase());
    if propositions.keys().any(capital) {
        return formula.to_owned();
    }
    let mut spaced = String::with_capacity(2 * formula.len());
    for c in formula.chars() {
        if c.is_ascii_uppercase() {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    spaced
}

/// Reads a goal, which is an expression of the language, as a predicate on states; or says in a few words why it is none.
///
/// ```
/// use sweepline_dve::parse_goal;
///
/// let goal = parse_goal(&"flags & 2 == 2 or P.CS + Q.CS > 1".into());
/// assert!(goal.is_ok());
/// ```
pub fn parse_goal(source: &Source) -> Result<Pred, String> {
    let expr = parse_expression(source).map_err(|errors: Vec<DveError>| {
        let first = errors.first();
        first.map_or_else(String::new, ToString::to_string)
    })?;
    predicate(&expr).map_err(str::to_string)
}
