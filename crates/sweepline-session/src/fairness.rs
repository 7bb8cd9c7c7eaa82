//! What is assumed of runs.

use sweepline_check::{FairRuns, Question, Test, Truth};
use sweepline_core::{ActionId, Describe};
use sweepline_logic::{Pred, Predicate, Scope, Source, nearest, parse_pred};
use sweepline_net::PetriNet;

use crate::error::Error;

/// Something that is assumed of every run.
#[derive(Clone, Debug)]
pub enum Fair {
    /// States that satisfy this come again and again.
    Recurring(Pred, Source),
    /// Actions whose names match are not enabled for ever without being taken.
    Weak(String),
    /// Actions whose names match are not enabled again and again without being taken again and again.
    Strong(String),
}

impl Fair {
    /// A predicate, as it is written.
    pub(crate) fn recurring(text: &str) -> Result<Self, Error> {
        let source = Source::new("--fair", text);
        Ok(Self::Recurring(parse_pred(&source)?, source))
    }

    /// Places and transitions of a net are called by ids; people also use names.
    pub(crate) fn use_ids(&mut self, net: &PetriNet) {
        if let Self::Recurring(pred, _) = self {
            sweepline_net::resolve_predicate(net, pred);
        }
    }

    fn bind(&self, system: &dyn Describe, scope: &Scope<'_>) -> Result<FairRuns, Error> {
        Ok(match self {
            Self::Recurring(pred, source) => FairRuns::Recurring {
                text: pred.to_string(),
                test: Test::Predicate(Predicate::resolve(pred, scope, source)?),
            },
            Self::Weak(pattern) => FairRuns::Weak(matching(system, pattern)?),
            Self::Strong(pattern) => FairRuns::Strong(matching(system, pattern)?),
        })
    }
}

/// Makes questions about runs be about those that satisfy all of these, besides what they assume themselves.
pub(crate) fn assume(
    fairness: &[Fair],
    system: &dyn Describe,
    scope: &Scope<'_>,
    questions: &mut [Question],
) -> Result<(), Error> {
    let bound = fairness.iter().map(|fair| fair.bind(system, scope));
    let bound = bound.collect::<Result<Vec<FairRuns>, Error>>()?;
    for question in questions {
        match &mut question.truth {
            Truth::Runs(runs) => runs.fairness.extend_from_slice(&bound),
            Truth::Branches(branches) if !bound.is_empty() => {
                branches.fairness.extend_from_slice(&bound);
                // What can be reached may be reached by runs only that do not count.
                branches.reachability = None;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The actions whose names match a pattern, of which there must be one.
fn matching(system: &dyn Describe, pattern: &str) -> Result<Vec<ActionId>, Error> {
    let named = (0..).map(ActionId).zip(system.actions());
    let found: Vec<ActionId> = named
        .filter(|(_, name)| matches(pattern, name))
        .map(|(action, _)| action)
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = || system.actions().iter().map(String::as_str);
    Err(Error::NoSuchFairAction {
        pattern: pattern.to_owned(),
        help: match nearest(pattern, names()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => match names().next() {
                Some(one) => format!("actions are called like `{one}`; `*` stands for anything"),
                None => "this model has no actions with names".into(),
            },
        },
    })
}

/// Whether a name matches a pattern in which `*` stands for any letters and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    // The last star, and what it has not yet stood for.
    let mut star: Option<(usize, usize)> = None;
    while read < name.len() {
        if at < pattern.len() && pattern[at] == '*' {
            star = Some((at, read));
            at += 1;
        } else if at < pattern.len() && (pattern[at] == '?' || pattern[at] == name[read]) {
            (at, read) = (at + 1, read + 1);
        } else if let Some((before, from)) = star {
            star = Some((before, from + 1));
            (at, read) = (before + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, expected) in [
            ("send", "send", true),
            ("send", "sends", false),
            ("send*", "sends", true),
            ("*", "", true),
            ("?", "", false),
            ("P_?.go*", "P_3.go there", true),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xbxa", false),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
