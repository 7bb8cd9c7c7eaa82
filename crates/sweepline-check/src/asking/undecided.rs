//! Which parts of a formula of branching time leave it undecided.

use sweepline_logic::ctl::{Branching, Ctl};

use super::{Asking, Tree};

impl Asking {
    /// The smallest parts of a formula of branching time that are not decided where it matters, as they are written.
    pub(crate) fn undecided(&self, question: usize) -> Vec<String> {
        if let Some((_, ctl)) = self.by_states.iter().find(|(at, _)| *at == question) {
            let mut found = Vec::new();
            self.open_parts(&self.trees[question], ctl, &ctl.formula, &mut found);
            return found;
        }
        let runs = self.runs.as_ref();
        let parts = runs.and_then(|runs| runs.undecided(question));
        parts.map_or_else(Vec::new, <[String]>::to_vec)
    }

    /// Notes the parts of a formula that the open leaves of its tree are. The tree has the shape of the formula.
    fn open_parts(&self, tree: &Tree, ctl: &Ctl, formula: &Branching, found: &mut Vec<String>) {
        if self.truth(tree, None).is_some() {
            return;
        }
        match (tree, formula) {
            (Tree::Not(tree), Branching::Not(operand)) => {
                self.open_parts(tree, ctl, operand, found);
            }
            (Tree::And(trees), Branching::And(parts)) | (Tree::Or(trees), Branching::Or(parts)) => {
                for (tree, part) in trees.iter().zip(parts) {
                    self.open_parts(tree, ctl, part, found);
                }
            }
            (Tree::Or(trees), Branching::Implies(a, b)) => {
                if let [Tree::Not(condition), conclusion] = &trees[..] {
                    self.open_parts(condition, ctl, a, found);
                    self.open_parts(conclusion, ctl, b, found);
                }
            }
            _ => found.push(ctl.shown(formula).to_string()),
        }
    }
}
