//! Asking every expanded state what is still open.

mod undecided;

use std::sync::Arc;

use sweepline_core::{
    ActionId, ColumnClosed, Control, Describe, Expanded, LayerOpened, Link, Linked, Observer,
    Started, Steps, StopReason, System, Wants, Word,
};
use sweepline_explore::Path;
use sweepline_logic::Enabled;
use sweepline_logic::ctl::Ctl;

use crate::ctl::{BranchStatus, Branches, Uncertified, Witness};
use crate::ltl::{LivenessOptions, Status};
use crate::question::{Question, Seen, Test, Truth, Value};
use crate::runs::{FollowedRun, Linked as Following, NoRun, RunAsking};
use crate::vacuous::Vacuous;

/// An observer that puts all questions to every state and stops when none is open.
///
/// A question is a tree whose leaves are tests. A leaf is decided by the first state that passes (or fails) it; a
/// question is decided when its leaves say so in three-valued logic. What is still open when the whole state
/// space has been covered is decided by that.
pub(crate) struct Asking {
    leaves: Vec<Leaf>,
    /// Leaves that every state is to be tested by.
    active: Vec<usize>,
    /// For each action, the leaves that wait for it to be enabled.
    awaiting: Vec<Vec<usize>>,
    trees: Vec<Tree>,
    /// What is known of each question.
    decisions: Vec<Option<Decision>>,
    open: usize,
    enabled: Enabled,
    needs_enabled: bool,
    /// Questions about infinite runs, with the positions of their trees, until they are put together.
    following: Following,
    /// Formulas of branching time that are asked of states, with the positions of their trees.
    by_states: Vec<(usize, Arc<Ctl>)>,
    runs: Option<RunAsking>,
    /// Whether links are followed: something was asked about runs that looking ahead did not decide.
    linking: bool,
    /// The memory that whatever follows runs was given a part of.
    run_memory: Option<usize>,
}

/// A single state with what it enables.
pub(crate) struct Sighting {
    state: Box<[Word]>,
    actions: Vec<ActionId>,
    enabled: Enabled,
    deadlock: bool,
    /// Whether its steps could not be generated, so that nothing is known of them.
    failed: bool,
}

impl Sighting {
    /// Looks at a state of a system that has been expanded.
    pub(crate) fn of<S: System>(system: &S, state: &[Word]) -> Self {
        Self::within(system, state, usize::MAX)
    }

    /// Looks at a state of a system. Steps that take more bytes than these are not known.
    pub(crate) fn within<S: System>(system: &S, state: &[Word], memory: usize) -> Self {
        let mut steps = Steps::for_layout(system.layout());
        steps.set_limit(memory);
        system.successors(state, &mut steps);
        let failed = steps.fault().is_some();
        let deadlock = steps.is_empty() && !failed && !system.is_end(state);
        let mut enabled = Enabled::default();
        enabled.set(steps.actions(), deadlock);
        Self {
            state: state.into(),
            actions: steps.actions().to_vec(),
            enabled,
            deadlock,
            failed,
        }
    }

    /// Whether the state passes a test, if that can be known.
    pub(crate) fn test(&self, test: &Test) -> Result<bool, String> {
        if self.failed && test.is_about_steps() {
            return Err("the steps of an initial state are not known".into());
        }
        test.eval(self.seen())
    }

    pub(crate) fn seen(&self) -> Seen<'_> {
        Seen {
            state: &self.state,
            actions: &self.actions,
            enabled: &self.enabled,
            deadlock: self.deadlock,
        }
    }
}

/// A leaf and what is known of it.
struct Leaf {
    ask: Ask,
    tree: usize,
    /// Decided by this instance.
    decided_by: Option<u64>,
}

enum Ask {
    /// Nobody can tell.
    Unknown(StopReason),
    /// About the initial states, which are asked before the exploration starts.
    Initially(Result<bool, String>),
    Reachable(Test),
    Invariant(Test),
    Enabled(Vec<ActionId>),
    Largest(Value, Option<i64>),
    /// About infinite runs, which are followed elsewhere.
    Runs,
}

enum Tree {
    Leaf(usize),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
}

/// How a question came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Decided, perhaps by an instance that serves as evidence.
    Truth {
        truth: bool,
        evidence: Option<Evidence>,
    },
    /// The largest value and an instance that has it.
    Largest { value: i64, evidence: Evidence },
    /// Decided by an infinite run.
    Run { truth: bool },
    /// A formula of branching time is decided.
    Branches { truth: bool },
    /// There is no answer: a test had none in some state, or nobody knows how to test.
    Failed { why: StopReason },
    /// Not decided.
    Open,
}

/// An instance that decides a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) number: u64,
    leaf: usize,
}

impl Asking {
    pub(crate) fn new(questions: Vec<Question>, initial: &[Sighting]) -> Self {
        let mut asking = Self {
            leaves: Vec::new(),
            active: Vec::new(),
            awaiting: Vec::new(),
            trees: Vec::new(),
            decisions: vec![None; questions.len()],
            open: questions.len(),
            enabled: Enabled::default(),
            needs_enabled: false,
            following: Following::default(),
            by_states: Vec::new(),
            runs: None,
            linking: false,
            run_memory: None,
        };
        for question in questions {
            let tree = asking.plant(question.truth, initial);
            let position = asking.trees.len();
            asking.trees.push(tree);
            asking.decide_initially(position);
        }
        asking
    }

    /// From now on questions about infinite runs are asked too.
    pub(crate) fn follow_runs(&mut self, options: &LivenessOptions) {
        let asked = std::mem::take(&mut self.following);
        let (runs, refused) = RunAsking::new(asked, options);
        self.runs = runs;
        self.run_memory = options.limits.memory;
        for (tree, error) in refused {
            let why = StopReason::Other(error.to_string());
            self.close(tree, Decision::Failed { why });
        }
    }

    /// Questions about infinite runs cannot be asked, for this reason.
    pub(crate) fn refuse_runs(&mut self, why: &str) {
        let asked = std::mem::take(&mut self.following);
        for tree in asked.positions() {
            let why = StopReason::Other(why.to_owned());
            self.close(tree, Decision::Failed { why });
        }
    }

    /// Looks at the beginning of the state space for runs that decide something.
    pub(crate) fn probe<S: System + ?Sized>(&mut self, system: &S) {
        if let Some(runs) = &mut self.runs {
            runs.liveness.probe(system);
            self.linking = !runs.liveness.is_decided();
            self.settle_runs();
        }
    }

    /// The measure is another one; whether it has columns only.
    pub(crate) fn measured(&mut self, columns_only: bool) {
        if let Some(runs) = &mut self.runs {
            runs.liveness.measured(columns_only);
        }
    }

    /// How many states were looked at before the exploration.
    pub(crate) fn probed(&self) -> u64 {
        self.runs.as_ref().map_or(0, |runs| runs.liveness.probed())
    }

    /// Everything that will be explored has been.
    pub(crate) fn finish_runs(&mut self, complete: bool) {
        let Some(runs) = &mut self.runs else { return };
        // If it is interrupted, what is open stays open.
        let _ = runs.liveness.finish(complete);
        self.settle_runs();
        let given_up = self.runs.as_ref().map(RunAsking::given_up);
        for (tree, why) in given_up.unwrap_or_default() {
            let why = match (why, self.run_memory) {
                (StopReason::OutOfMemory, Some(limit)) => StopReason::Memory { limit },
                (why, _) => why,
            };
            self.close(tree, Decision::Failed { why });
        }
    }

    /// Closes the questions that runs have decided.
    fn settle_runs(&mut self) {
        let Some(runs) = &self.runs else { return };
        let decided = runs.statuses().filter_map(|(tree, accepted, status)| {
            let decision = match status {
                Status::Open => return None,
                Status::Holds => Decision::Truth {
                    truth: !accepted.means(),
                    evidence: None,
                },
                Status::Violated(_) => Decision::Run {
                    truth: accepted.means(),
                },
                Status::Homes(runs) => Decision::Run {
                    truth: runs.len() == 1,
                },
                Status::Undefined(why) => Decision::Failed {
                    why: StopReason::Other(why.clone()),
                },
            };
            Some((tree, decision))
        });
        let formulas = runs.branch_statuses().filter_map(|(tree, status)| {
            let decision = match status {
                BranchStatus::Open(_) => return None,
                BranchStatus::Decided(truth, _) => Decision::Branches { truth: *truth },
                BranchStatus::Undefined { why, .. } => Decision::Failed {
                    why: StopReason::Other(why.clone()),
                },
            };
            Some((tree, decision))
        });
        for (tree, decision) in decided.chain(formulas).collect::<Vec<_>>() {
            self.close(tree, decision);
        }
    }

    /// The run that decides a question, followed in the system and judged there.
    pub(crate) fn run_of<S: Describe>(
        &self,
        system: &S,
        question: usize,
    ) -> Option<Result<FollowedRun, NoRun>> {
        self.runs.as_ref()?.evidence(system, question)
    }

    /// The occurrences of atoms that do not matter to the answer of a question about runs.
    pub(crate) fn vacuous(&self, question: usize) -> Vec<Vacuous> {
        let runs = self.runs.as_ref();
        runs.map_or_else(Vec::new, |runs| runs.vacuous(question))
    }

    /// Why a formula of branching time is true or false, followed in the system.
    pub(crate) fn witness<S: Describe>(
        &self,
        system: &S,
        question: usize,
        path: Option<Path>,
    ) -> Option<Result<Witness, Uncertified>> {
        self.runs.as_ref()?.witness(system, question, |_| path)
    }

    /// The instance that shows why a formula of branching time is true or false, if one does.
    pub(crate) fn shown_by(&self, question: usize) -> Option<u64> {
        self.runs.as_ref()?.shown_by(question)
    }

    /// Verifies the labels that decide a formula of branching time in the system, if somebody wants that.
    pub(crate) fn certify<S: Describe>(
        &self,
        system: &S,
        question: usize,
        held: usize,
    ) -> Option<Result<String, Uncertified>> {
        let certified = self.runs.as_ref()?.certify(system, question, held)?;
        Some(certified.map_err(|why| match (why, self.run_memory) {
            (Uncertified::Stopped(StopReason::OutOfMemory), Some(limit)) => {
                Uncertified::Stopped(StopReason::Memory { limit })
            }
            (why, _) => why,
        }))
    }

    /// What comes after something was told to whoever follows runs.
    fn followed(&mut self, control: Control) -> Control {
        if control == Control::Stop {
            // They are all decided, or more was explored than can be remembered.
            self.settle_runs();
        }
        self.control()
    }

    /// Whether nothing is open but questions about runs that cannot be followed any more.
    fn is_stuck(&self) -> bool {
        let Some(runs) = &self.runs else { return false };
        let following = runs.liveness.is_following() || !runs.liveness.is_outgrown();
        !following && self.open == runs.open().count()
    }

    /// Closes a question that the initial states decide, or cannot answer.
    fn decide_initially(&mut self, tree: usize) {
        let failed = self.leaves.iter().find_map(|leaf| match &leaf.ask {
            _ if leaf.tree != tree => None,
            Ask::Initially(Err(why)) => Some(StopReason::Other(why.clone())),
            Ask::Unknown(why) => Some(why.clone()),
            _ => None,
        });
        if let Some(why) = failed {
            self.close(tree, Decision::Failed { why });
        } else if let Some(truth) = self.truth(&self.trees[tree], None) {
            self.close(
                tree,
                Decision::Truth {
                    truth,
                    evidence: None,
                },
            );
        }
    }

    /// Whether there were questions and none is open.
    pub(crate) fn is_decided(&self) -> bool {
        self.open == 0 && !self.trees.is_empty()
    }

    fn control(&self) -> Control {
        if self.is_decided() || self.is_stuck() {
            Control::Stop
        } else {
            Control::Continue
        }
    }

    /// Replaces the tests by those of the same questions bound to another encoding of the system.
    pub(crate) fn rebind(&mut self, questions: Vec<Question>, initial: &[Sighting]) {
        let fresh = Self::new(questions, initial);
        if let Some(runs) = &mut self.runs {
            runs.rebind(&fresh.following);
        }
        for (leaf, fresh) in self.leaves.iter_mut().zip(fresh.leaves) {
            leaf.ask = match (&leaf.ask, fresh.ask) {
                (Ask::Largest(_, value), Ask::Largest(test, _)) => Ask::Largest(test, *value),
                (_, fresh) => fresh,
            };
        }
    }

    fn plant(&mut self, truth: Truth, initial: &[Sighting]) -> Tree {
        let mut plant_all = |parts: Vec<Truth>| -> Vec<Tree> {
            parts
                .into_iter()
                .map(|part| self.plant(part, initial))
                .collect()
        };
        match truth {
            Truth::Not(inner) => Tree::Not(Box::new(self.plant(*inner, initial))),
            Truth::And(parts) => Tree::And(plant_all(parts)),
            Truth::Or(parts) => Tree::Or(plant_all(parts)),
            Truth::Reachable(test) => self.active_leaf(Ask::Reachable(test)),
            Truth::Invariant(test) => self.active_leaf(Ask::Invariant(test)),
            Truth::Largest(value) => self.active_leaf(Ask::Largest(value, None)),
            Truth::Runs(runs) => {
                self.following.runs.push((self.trees.len(), *runs));
                Tree::Leaf(self.leaf(Ask::Runs))
            }
            Truth::FairChoice(choice) => {
                self.following.choices.push((self.trees.len(), *choice));
                Tree::Leaf(self.leaf(Ask::Runs))
            }
            Truth::Branches(branches) => match *branches {
                Branches {
                    reachability: Some(truth),
                    ctl,
                    ..
                } if initial.len() == 1 => {
                    self.by_states.push((self.trees.len(), ctl));
                    self.plant(truth, initial)
                }
                branches => {
                    self.following.branches.push((self.trees.len(), branches));
                    Tree::Leaf(self.leaf(Ask::Runs))
                }
            },
            Truth::Unknown(why) => Tree::Leaf(self.leaf(Ask::Unknown(why))),
            Truth::Initially(test) => {
                let tested: Result<Vec<bool>, String> =
                    initial.iter().map(|state| state.test(&test)).collect();
                let holds = tested.map(|all| all.into_iter().all(|holds| holds));
                Tree::Leaf(self.leaf(Ask::Initially(holds)))
            }
            Truth::Enabled(actions) => {
                for action in &actions {
                    let action = action.0 as usize;
                    if self.awaiting.len() <= action {
                        self.awaiting.resize_with(action + 1, Vec::new);
                    }
                    self.awaiting[action].push(self.leaves.len());
                }
                Tree::Leaf(self.leaf(Ask::Enabled(actions)))
            }
        }
    }

    fn active_leaf(&mut self, ask: Ask) -> Tree {
        self.active.push(self.leaves.len());
        Tree::Leaf(self.leaf(ask))
    }

    fn leaf(&mut self, ask: Ask) -> usize {
        if let Ask::Reachable(test) | Ask::Invariant(test) = &ask {
            self.needs_enabled |= test.needs_enabled();
        }
        self.leaves.push(Leaf {
            ask,
            tree: self.trees.len(),
            decided_by: None,
        });
        self.leaves.len() - 1
    }

    /// Puts all open tests to a state.
    fn ask(&mut self, number: u64, seen: Seen<'_>) {
        let mut position = 0;
        while position < self.active.len() {
            let leaf = self.active[position];
            if self.decisions[self.leaves[leaf].tree].is_some() {
                self.active.swap_remove(position);
                continue;
            }
            match self.leaves[leaf].test(seen, number) {
                Ok(false) => position += 1,
                Ok(true) => {
                    self.active.swap_remove(position);
                    self.decide(leaf, number);
                }
                Err(why) => {
                    let tree = self.leaves[leaf].tree;
                    let why = StopReason::Other(why);
                    self.close(tree, Decision::Failed { why });
                }
            }
        }
    }

    /// Puts the tests that are about the state alone to a state whose steps cannot be known, because an assertion is violated
    /// there or a step fails.
    pub(crate) fn ask_failed(&mut self, number: u64, state: &[Word]) {
        let about_state = |leaf: &usize| match &self.leaves[*leaf].ask {
            Ask::Reachable(test) | Ask::Invariant(test) => !test.is_about_steps(),
            _ => false,
        };
        let (asked, others) = self.active.iter().copied().partition(about_state);
        self.active = asked;
        let enabled = Enabled::default();
        let seen = Seen {
            state,
            actions: &[],
            enabled: &enabled,
            deadlock: false,
        };
        self.ask(number, seen);
        self.active.extend::<Vec<usize>>(others);
    }

    fn notice_enabled(&mut self, number: u64, enabled: impl Iterator<Item = ActionId>) {
        for action in enabled {
            let Some(waiting) = self.awaiting.get_mut(action.0 as usize) else {
                continue;
            };
            for leaf in std::mem::take(waiting) {
                if self.leaves[leaf].decided_by.is_none() {
                    self.decide(leaf, number);
                }
            }
        }
    }

    fn decide(&mut self, leaf: usize, number: u64) {
        self.leaves[leaf].decided_by = Some(number);
        let tree = self.leaves[leaf].tree;
        if self.decisions[tree].is_none()
            && let Some(truth) = self.truth(&self.trees[tree], None)
        {
            let evidence = Some(Evidence { number, leaf });
            self.close(tree, Decision::Truth { truth, evidence });
        }
    }

    fn close(&mut self, tree: usize, decision: Decision) {
        if self.decisions[tree].is_none() {
            self.decisions[tree] = Some(decision);
            self.open -= 1;
        }
    }

    /// The truth value of a tree, if it is decided. Once the whole state space is covered, a leaf that no
    /// state decided is decided by that.
    fn truth(&self, tree: &Tree, covered: Option<()>) -> Option<bool> {
        match tree {
            Tree::Leaf(leaf) => {
                let leaf = &self.leaves[*leaf];
                match &leaf.ask {
                    Ask::Initially(holds) => return holds.as_ref().ok().copied(),
                    Ask::Runs | Ask::Unknown(_) => return None,
                    _ => {}
                }
                match (leaf.decided_by, covered) {
                    (Some(_), _) => Some(leaf.found_means()),
                    (None, Some(())) => Some(!leaf.found_means()),
                    (None, None) => None,
                }
            }
            Tree::Not(inner) => self.truth(inner, covered).map(|truth| !truth),
            Tree::And(parts) => self.combine(parts, covered, false),
            Tree::Or(parts) => self.combine(parts, covered, true),
        }
    }

    /// A part with the value `decisive` decides; otherwise all must be known.
    fn combine(&self, parts: &[Tree], covered: Option<()>, decisive: bool) -> Option<bool> {
        let mut unknown = false;
        for part in parts {
            match self.truth(part, covered) {
                Some(truth) if truth == decisive => return Some(decisive),
                Some(_) => {}
                None => unknown = true,
            }
        }
        (!unknown).then_some(!decisive)
    }

    /// How the questions came out. `covered` says whether every reachable state was asked.
    pub(crate) fn decisions(&self, covered: bool) -> Vec<Decision> {
        self.trees
            .iter()
            .zip(&self.decisions)
            .map(|(tree, known)| {
                known
                    .clone()
                    .unwrap_or_else(|| self.decision(tree, covered))
            })
            .collect()
    }

    fn decision(&self, tree: &Tree, covered: bool) -> Decision {
        if let Tree::Leaf(leaf) = tree
            && let Leaf {
                ask: Ask::Largest(_, value),
                decided_by,
                ..
            } = &self.leaves[*leaf]
        {
            return match (value, decided_by) {
                (&Some(value), &Some(number)) if covered => Decision::Largest {
                    value,
                    evidence: Evidence {
                        number,
                        leaf: *leaf,
                    },
                },
                _ => Decision::Open,
            };
        }
        match self.truth(tree, covered.then_some(())) {
            Some(truth) => Decision::Truth {
                truth,
                evidence: None,
            },
            None => Decision::Open,
        }
    }

    /// Whether the state that serves as evidence really decides its leaf; asked again after replay.
    pub(crate) fn confirms(&self, evidence: Evidence, seen: Seen<'_>) -> bool {
        match &self.leaves[evidence.leaf].ask {
            Ask::Invariant(test) => test.eval(seen) == Ok(false),
            Ask::Reachable(test) => test.eval(seen) == Ok(true),
            Ask::Enabled(actions) => seen.actions.iter().any(|action| actions.contains(action)),
            Ask::Largest(value, largest) => value.eval(seen).ok() == *largest,
            Ask::Initially(_) | Ask::Unknown(_) | Ask::Runs => false,
        }
    }
}

impl Leaf {
    /// Whether this state decides the leaf.
    fn test(&mut self, seen: Seen<'_>, number: u64) -> Result<bool, String> {
        match &mut self.ask {
            Ask::Reachable(test) => test.eval(seen),
            Ask::Invariant(test) => test.eval(seen).map(|holds| !holds),
            Ask::Initially(_) | Ask::Unknown(_) | Ask::Enabled(_) | Ask::Runs => Ok(false),
            Ask::Largest(value, largest) => {
                let value = value.eval(seen)?;
                if largest.is_none_or(|largest| value > largest) {
                    *largest = Some(value);
                    self.decided_by = Some(number);
                }
                Ok(false)
            }
        }
    }

    /// The truth value of the leaf if a state decided it.
    fn found_means(&self) -> bool {
        matches!(self.ask, Ask::Reachable(_) | Ask::Enabled(_))
    }
}

impl Observer for Asking {
    fn wants(&self) -> Wants {
        if self.linking {
            Wants::LINKS
        } else {
            Wants::default()
        }
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        let Some(runs) = &mut self.runs else {
            return Control::Continue;
        };
        let control = runs.liveness.started(event);
        self.followed(control)
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        let Some(runs) = &mut self.runs else {
            return Control::Continue;
        };
        let control = runs.liveness.linked(event);
        self.followed(control)
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        let Some(runs) = &mut self.runs else {
            return Control::Continue;
        };
        let control = runs.liveness.layer_opened(event);
        self.followed(control)
    }

    fn column_closed(&mut self, event: ColumnClosed<'_>) -> Control {
        let Some(runs) = &mut self.runs else {
            return Control::Continue;
        };
        let control = runs.liveness.column_closed(event);
        self.followed(control)
    }

    fn moved(&mut self, from: Link, to: Link) {
        if let Some(runs) = &mut self.runs {
            runs.liveness.moved(from, to);
        }
    }

    fn kept(&mut self, number: u64) {
        if let Some(runs) = &mut self.runs {
            runs.liveness.kept(number);
        }
    }

    fn can_follow(&self) -> bool {
        let runs = self.runs.as_ref();
        runs.is_none_or(|runs| runs.liveness.can_follow())
    }

    fn bytes(&self) -> usize {
        let runs = self.runs.as_ref();
        runs.map_or(0, |runs| runs.liveness.bytes())
    }

    fn disk_bytes(&self) -> u64 {
        let runs = self.runs.as_ref();
        runs.map_or(0, |runs| runs.liveness.disk_bytes())
    }

    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        if self.open == 0 {
            return self.control();
        }
        let mut enabled = std::mem::take(&mut self.enabled);
        if self.needs_enabled {
            enabled.set(event.enabled(), event.is_deadlock());
        }
        let seen = Seen {
            state: event.state,
            actions: event.actions(),
            enabled: &enabled,
            deadlock: event.is_deadlock(),
        };
        self.ask(event.number, seen);
        if !self.awaiting.is_empty() {
            self.notice_enabled(event.number, event.enabled());
        }
        self.enabled = enabled;
        self.control()
    }
}
