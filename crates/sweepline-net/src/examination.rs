//! Questions that can be asked of any net.

use miette::Diagnostic;
use sweepline_logic::{CompareOp, Expr, Formula, Name, Pred, Property, PropertyKind};

use crate::net::{PetriNet, Tokens, TransitionId};
use sweepline_text::did_you_mean;

/// The property that an examination of the Model Checking Contest asks about, named after it.
///
/// | examination | question |
/// | --- | --- |
/// | `ReachabilityDeadlock` | can a state without successors be reached? |
/// | `OneSafe` | does every place always hold at most one token? |
/// | `StableMarking` | is there a place that always keeps its initial marking? |
/// | `QuasiLiveness` | can every transition fire at some time? |
/// | `Liveness` | can every transition always fire again, some time later? |
///
/// In a net with colours, places and transitions are those of the coloured net: what counts are all tokens of a place, whatever
/// their colours, and a transition fires if it does with some binding. That is what the contest's tools take them to mean.
///
/// ```
/// use sweepline_logic::{Formula, Pred, PropertyKind};
/// use sweepline_net::{examination, family};
///
/// let net = family::philosophers(2);
/// let property = examination(&net, "ReachabilityDeadlock").unwrap();
/// assert_eq!(property.kind, PropertyKind::Formula(Formula::Reachable(Pred::Deadlock)));
/// assert!(examination(&net, "UpperBounds").is_err());
/// ```
pub fn examination(net: &PetriNet, name: &str) -> Result<Property, ExaminationError> {
    let formula = match name {
        "ReachabilityDeadlock" => Formula::Reachable(Pred::Deadlock),
        "OneSafe" => one_safe(net),
        "StableMarking" => stable_marking(net),
        "QuasiLiveness" => quasi_live(net),
        "Liveness" => {
            return Ok(Property {
                name: name.to_owned(),
                kind: PropertyKind::Live(transitions(net).collect()),
            });
        }
        _ => return Err(refusal(name)),
    };
    Ok(Property {
        name: name.to_owned(),
        kind: PropertyKind::Formula(formula),
    })
}

/// Why an examination gives no property.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
pub enum ExaminationError {
    /// It asks about formulas of its own.
    #[error("examination `{name}` asks about formulas, not about the net alone")]
    #[diagnostic(
        code(examination::needs_formulas),
        help("give the file with the formulas, usually `{name}.xml` beside the net")
    )]
    NeedsFormulas {
        /// The examination.
        name: String,
    },
    /// It cannot be answered.
    #[error("examination `{name}` cannot be answered by this version: {reason}")]
    #[diagnostic(code(examination::unsupported))]
    Unsupported {
        /// The examination.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// There is no such examination.
    #[error("there is no examination `{name}`")]
    #[diagnostic(code(examination::unknown))]
    Unknown {
        /// The name.
        name: String,
        /// Which there are.
        #[help]
        help: String,
    },
}

const KNOWN: [&str; 5] = [
    "ReachabilityDeadlock",
    "OneSafe",
    "StableMarking",
    "QuasiLiveness",
    "Liveness",
];

fn one_safe(net: &PetriNet) -> Formula {
    let at_most_one = |tokens: Tokens| {
        let tokens = tokens.count(net, |id| Name::new(id));
        Pred::Compare(CompareOp::LessOrEqual, tokens, Expr::Number(1))
    };
    Formula::Invariant(Pred::And(net.place_groups().map(at_most_one).collect()))
}

fn stable_marking(net: &PetriNet) -> Formula {
    let stable = |tokens: Tokens| {
        let moving = tokens.places.iter().map(|&place| net.place(place).initial);
        let initial = moving.sum::<u64>().saturating_add(tokens.resting);
        let initial = Expr::Number(initial.cast_signed());
        let tokens = tokens.count(net, |id| Name::new(id));
        Formula::Invariant(Pred::Compare(CompareOp::Equal, tokens, initial))
    };
    Formula::Or(net.place_groups().map(stable).collect())
}

fn quasi_live(net: &PetriNet) -> Formula {
    let fires = |names: Vec<Name>| {
        Formula::Reachable(if names.is_empty() {
            Pred::Constant(false) // no binding is ever enabled
        } else {
            Pred::Fireable(names)
        })
    };
    Formula::And(transitions(net).map(fires).collect())
}

/// The ids of each transition, or of its bindings if the net has colours.
fn transitions(net: &PetriNet) -> impl Iterator<Item = Vec<Name>> {
    let name = |&id: &TransitionId| Name::new(&net.transition(id).id);
    let groups = net.transition_groups();
    groups.map(move |group| group.iter().map(name).collect())
}

fn refusal(name: &str) -> ExaminationError {
    let name = name.to_owned();
    match &*name {
        "UpperBounds"
        | "ReachabilityCardinality"
        | "ReachabilityFireability"
        | "CTLCardinality"
        | "CTLFireability"
        | "LTLCardinality"
        | "LTLFireability" => ExaminationError::NeedsFormulas { name },
        "StateSpace" => ExaminationError::Unsupported {
            name,
            reason: "it asks for figures; explore the net instead",
        },
        _ => ExaminationError::Unknown {
            help: did_you_mean(&name, KNOWN)
                .unwrap_or_else(|| format!("known are {}", KNOWN.join(", "))),
            name,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family;

    #[test]
    fn every_examination_is_answered_or_refused() {
        let net = family::philosophers(3);
        for name in KNOWN {
            assert_eq!(examination(&net, name).unwrap().name, name);
        }
        let check = |name, message| {
            assert_eq!(examination(&net, name).unwrap_err().to_string(), message);
        };
        check(
            "UpperBounds",
            "examination `UpperBounds` asks about formulas, not about the net alone",
        );
        check(
            "LTLFireability",
            "examination `LTLFireability` asks about formulas, not about the net alone",
        );
        check("OneSave", "there is no examination `OneSave`");
    }

    #[test]
    fn large_nets_give_large_formulas_quickly() {
        let net = family::philosophers(20_000);
        let property = examination(&net, "QuasiLiveness").unwrap();
        assert!(matches!(
            property.kind,
            PropertyKind::Formula(Formula::And(parts)) if parts.len() == 100_000
        ));
    }
}
