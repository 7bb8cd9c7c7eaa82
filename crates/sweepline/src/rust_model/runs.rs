//! Formulas of linear and of branching time about models in Rust: their words are propositions and the fields of a state.

use std::sync::Arc;

use sweepline_check::{FairRuns, Question, Test, Truth};
use sweepline_logic::{
    Definition, Name, Pred, Property, PropertyKind, Scope, Source, parse_ctl, parse_ltl,
};
use sweepline_model::Model;
use sweepline_text::did_you_mean;

use super::boundary::{ActionTest, Bounded, MOST_KINDS};
use super::mistake;
use super::predicates::Strength;

/// A formula as it was asked.
pub(crate) struct Formula {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// What a run does beyond a boundary is not known.
pub(crate) const BEYOND: &str = "the model goes on beyond the boundary";

/// Looks up the words of formulas.
pub(crate) struct RunBinder<'s, M: Model> {
    system: &'s Arc<Bounded<M>>,
    propositions: Vec<(String, Test)>,
    /// The same to look names up in. What a proposition says there does not matter.
    scope: Scope<'s>,
    fairness: Vec<FairRuns>,
}

impl<'s, M: Model + 'static> RunBinder<'s, M> {
    pub(crate) fn new(
        system: &'s Arc<Bounded<M>>,
        propositions: Vec<(String, Test)>,
        fair: &[String],
    ) -> Result<Self, String> {
        let definitions = propositions.iter().map(|(name, _)| Definition {
            name: Name::new(name),
            pred: Pred::Constant(false),
            source: Source::new("propositions", name.as_str()),
        });
        let definitions: Vec<Definition> = definitions.collect();
        let scope = Scope::of(&**system).with(&definitions);
        let scope = scope.map_err(|errors| mistake::in_words("the propositions", "", &errors))?;
        let mut binder = Self {
            system,
            propositions,
            scope,
            fairness: Vec::new(),
        };
        let fairness = fair.iter().map(|name| binder.recurring(name));
        binder.fairness = fairness.collect::<Result<_, _>>()?;
        Ok(binder)
    }

    /// Only runs count in which actions are taken that can be.
    pub(crate) fn assume_of_actions(
        &mut self,
        kinds: Vec<(Strength, ActionTest<M>)>,
    ) -> Result<(), String> {
        if kinds.len() > MOST_KINDS {
            let given = kinds.len();
            return Err(format!(
                "something is assumed of {given} kinds of actions, and there can be {MOST_KINDS}; put some together"
            ));
        }
        let (strengths, tests): (Vec<_>, Vec<_>) = kinds.into_iter().unzip();
        self.system.tell_apart(tests);
        let assumed = strengths.into_iter().enumerate();
        let assumed = assumed.map(|(kind, strength)| match strength {
            Strength::Weak => FairRuns::Weak(self.system.of_kind(kind)),
            Strength::Strong => FairRuns::Strong(self.system.of_kind(kind)),
        });
        self.fairness.extend(assumed);
        Ok(())
    }

    fn recurring(&self, name: &str) -> Result<FairRuns, String> {
        let Some(test) = self.proposition(name) else {
            let names = self.propositions.iter().map(|(name, _)| name.as_str());
            let help = did_you_mean(name, names);
            let help = help.map_or_else(String::new, |help| format!("; {help}"));
            return Err(format!("no proposition is called `{name}`{help}"));
        };
        Ok(FairRuns::Recurring {
            text: Pred::Holds(Name::new(name)).to_string(),
            test: self.inside(test.clone()),
        })
    }

    fn proposition(&self, name: &str) -> Option<&Test> {
        let mut all = self.propositions.iter();
        all.find(|(known, _)| known == name).map(|(_, test)| test)
    }

    /// Whether all runs satisfy a formula.
    pub(crate) fn question(&self, Formula { name, text }: &Formula) -> Result<Question, String> {
        let source = Source::new(name.as_str(), text.as_str());
        let whose = format!("the formula of `{name}`");
        let parsed =
            parse_ltl(&source).map_err(|errors| mistake::in_words(&whose, text, &errors))?;
        let property = Property {
            name: name.clone(),
            kind: PropertyKind::AllRuns(parsed.ltl),
        };
        let mut question = Question::bind(&property, &self.scope, &source)
            .map_err(|errors| mistake::in_words(&whose, text, &errors))?;
        if let Truth::Runs(runs) = &mut question.truth {
            let automaton = Arc::clone(&runs.automaton);
            for (pred, test) in automaton.atoms.iter().zip(&mut runs.atoms) {
                *test = self.inside(self.atom(pred, test).ok_or_else(|| {
                    format!("{whose} has too many different predicates; ask its parts one by one")
                })?);
            }
            runs.fairness.clone_from(&self.fairness);
        }
        Ok(question)
    }

    /// Whether the initial states satisfy a formula of branching time.
    pub(crate) fn branches(&self, Formula { name, text }: &Formula) -> Result<Question, String> {
        let source = Source::new(name.as_str(), text.as_str());
        let whose = format!("the formula of `{name}`");
        let parsed =
            parse_ctl(&source).map_err(|errors| mistake::in_words(&whose, text, &errors))?;
        let mut ctl = parsed.ctl.fine();
        // Something has no value where steps are cut, whatever the formula asks for.
        ctl.atoms.push(Pred::Constant(true));
        let property = Property {
            name: name.clone(),
            kind: PropertyKind::Ctl(ctl),
        };
        let mut question = Question::bind(&property, &self.scope, &source)
            .map_err(|errors| mistake::in_words(&whose, text, &errors))?;
        if let Truth::Branches(branches) = &mut question.truth {
            let ctl = Arc::clone(&branches.ctl);
            for (pred, test) in ctl.atoms.iter().zip(&mut branches.atoms) {
                let known = self.atom(pred, test).unwrap_or_else(|| test.clone());
                *test = self.inside(known);
            }
            // Propositions are not looked up there.
            branches.reachability = None;
            branches.fairness.clone_from(&self.fairness);
        }
        Ok(question)
    }

    /// The test of an atom, which was bound as if propositions were never true. Only a formula with very many predicates has
    /// atoms that are put together.
    fn atom(&self, pred: &Pred, bound: &Test) -> Option<Test> {
        match pred {
            Pred::Holds(name) => {
                let known = self.proposition(&name.text);
                Some(known.unwrap_or(bound).clone())
            }
            Pred::Compare(..) | Pred::Fireable(_) | Pred::Deadlock | Pred::Constant(_) => {
                Some(bound.clone())
            }
            Pred::Not(_) | Pred::And(_) | Pred::Or(_) | Pred::Implies(..) | Pred::Iff(..) => None,
        }
    }

    /// The same test, which has no value in a state whose steps are cut. There a run does not end, so it must not be extended by
    /// staying there; and how it goes on is not known.
    fn inside(&self, test: Test) -> Test {
        if !self.system.is_bounded() {
            return test;
        }
        let system = Arc::clone(self.system);
        Test::custom(move |seen| {
            if seen.actions.is_empty() && system.is_cut(seen.state) {
                return Err(BEYOND.into());
            }
            test.eval(seen)
        })
    }
}
