//! How actions depend on each other, as far as local graphs tell.
//!
//! The text of a program says who *could* be in whose way. Local graphs have every local state and every pair of them that there
//! is, so whatever happens in none of them never happens: that an action makes a condition true, that two actions are enabled
//! together, that they lead to different states in different orders \[Zhe14, Fig. 1\].

use std::collections::{BTreeSet, HashSet};

use sweepline_core::{ActionId, Limits, System, Word};
use sweepline_program::{Conditions, Expr, Outcome, Program};

use super::graph::{Edge, LocalGraphs};
use super::joint::{Joint, Side};
use super::{Budget, Extent, Unfinished};
use crate::program::ProgramTransitions;
use crate::tables::{Dependency, Transitions, number};

/// What local graphs tell of the actions of a program's tables.
#[derive(Debug)]
pub struct LocalDependency<'a> {
    graphs: &'a LocalGraphs,
    transitions: &'a ProgramTransitions,
    /// The conjuncts that each process can judge, by number.
    judged: Vec<Vec<u32>>,
    /// Who can judge each conjunct, and its place among what the process judges.
    judges: Vec<Vec<(usize, usize)>>,
    /// For each process and action, the judged conjuncts that become true by it or lose their value, and those that become false.
    gained: Vec<Vec<Bits>>,
    lost: Vec<Vec<Bits>>,
    /// For each action of one process, the judged conjuncts that are always true where it happens, and those that are always false.
    implied: Vec<Option<(Bits, Bits)>>,
    /// Who has been seen to be in whose way.
    clashes: Matrix,
}

/// Programs with more actions are not looked at so closely, nor are those of which so many would have to be noted for all processes.
const MOST_ACTIONS: usize = 1 << 13;
const MOST_NOTED: usize = 1 << 22;

impl<'a> LocalDependency<'a> {
    /// Looks at the local graphs of the same program, which must be those of pairs.
    pub fn new(
        transitions: &'a ProgramTransitions,
        graphs: &'a LocalGraphs,
        limits: &Limits,
    ) -> Result<Self, Unfinished> {
        let count = instances(transitions);
        let noted = count.saturating_mul(graphs.views().processes());
        for (count, limit, what) in [
            (count, MOST_ACTIONS, "actions"),
            (noted, MOST_NOTED, "actions and processes"),
        ] {
            if count > limit {
                return Err(Unfinished::Divergence { what, limit });
            }
        }
        let mut budget = Budget::new(limits, Extent::FULL);
        let mut gathering = Gathering::new(transitions, graphs, &mut budget)?;
        for joint in &graphs.joints {
            gathering.look_at(joint, &mut budget)?;
        }
        gathering.look_at_meetings(&mut budget)?;
        let mut judges = vec![Vec::new(); transitions.tables().conjuncts()];
        for (process, judged) in gathering.judged.iter().enumerate() {
            for (place, conjunct) in judged.iter().enumerate() {
                judges[*conjunct as usize].push((process, place));
            }
        }
        Ok(Self {
            graphs,
            transitions,
            judges,
            judged: gathering.judged,
            gained: gathering.gained,
            lost: gathering.lost,
            implied: gathering.implied,
            clashes: gathering.clashes,
        })
    }
}

impl LocalDependency<'_> {
    /// Whether something can go wrong: some process that sees all that decides it has a state in which nothing of it is false. Where
    /// nobody sees all of it, it can.
    pub fn happens(&self, failure: u32) -> bool {
        let views = self.graphs.views();
        let tables = self.transitions.tables();
        let guards = tables.guards(failure).iter();
        let guards: Vec<&Expr> = guards.map(|it| self.transitions.condition(*it)).collect();
        let mut reads = BTreeSet::new();
        for guard in &guards {
            reads.extend(views.program().reads(guard));
        }
        let layout = views.system().layout();
        let asked = Conditions::new(views.program(), layout, guards.iter().copied());
        let mut sees = (0..views.processes()).filter(|it| reads.is_subset(views.slots(*it)));
        sees.all(|process| {
            let graph = self.graphs.of(process);
            let mut states = (0..graph.states()).map(|state| graph.state(state));
            states.any(|state| {
                (0..guards.len()).all(|guard| asked.holds(guard, state) != Some(false))
            })
        })
    }
}

impl LocalDependency<'_> {
    /// Conjuncts that hold wherever an action is enabled, besides those of its guard: conjuncts of others, and, where `false` stands beside
    /// them, that such are false. What keeps one of them from holding keeps the action from happening, so whoever changes that must happen
    /// before the action: these are the disabling sets of \[LPLP13\] as enabling sets of what is implied.
    pub(crate) fn implied(&self, action: u32) -> Vec<(u32, bool)> {
        let origin = self.transitions.tables().origin(action);
        let owners = self.graphs.views().owners(origin.0);
        let Some((always, never)) = &self.implied[action as usize] else {
            return Vec::new();
        };
        let known = self.transitions.tables().guards(action);
        let judged = &self.judged[owners.first];
        let numbered = || judged.iter().enumerate();
        let holds = numbered().filter(|(place, it)| always.has(*place) && !known.contains(it));
        let fails = numbered().filter(|(place, _)| never.has(*place));
        let all = holds.map(|(_, it)| (*it, true));
        let all = all.chain(fails.map(|(_, it)| (*it, false)));
        all.take(MOST_CANDIDATES).collect()
    }

    /// Whether an action can make a conjunct false where it is not.
    pub(crate) fn refutes(&self, action: u32, conjunct: u32) -> bool {
        self.changes(&self.lost, action, conjunct)
    }

    fn changes(&self, by: &[Vec<Bits>], action: u32, conjunct: u32) -> bool {
        let views = self.graphs.views();
        let origin = self.transitions.tables().origin(action);
        let mut judges = self.judges[conjunct as usize].iter();
        judges.all(|(process, place)| {
            views.is_involved(*process, origin) && by[*process][action as usize].has(*place)
        })
    }
}

/// Of an action, at most so many conjuncts that are implied are told.
const MOST_CANDIDATES: usize = 48;

impl Dependency for LocalDependency<'_> {
    fn enables(&self, action: u32, conjunct: u32) -> bool {
        self.changes(&self.gained, action, conjunct)
    }

    fn clashes(&self, one: u32, other: u32) -> bool {
        self.clashes.has(one, other)
    }
}

/// A step of a process alone.
#[derive(Clone, Copy, Debug)]
struct Own {
    action: u32,
    /// The action of the tables that it is.
    instance: u32,
    target: u32,
}

struct Gathering<'a> {
    transitions: &'a ProgramTransitions,
    graphs: &'a LocalGraphs,
    /// The instances of each action.
    instances: Vec<Vec<u32>>,
    /// When each instance is enabled.
    guards: Conditions,
    /// For each process and state, what the process does alone.
    own: Vec<Vec<Vec<Own>>>,
    judged: Vec<Vec<u32>>,
    /// For each process and state, which of the judged conjuncts hold, and which are false.
    truths: Vec<Vec<Bits>>,
    falsities: Vec<Vec<Bits>>,
    gained: Vec<Vec<Bits>>,
    lost: Vec<Vec<Bits>>,
    implied: Vec<Option<(Bits, Bits)>>,
    /// Who may be in whose way, as the text says, and was not seen to be.
    open: Matrix,
    clashes: Matrix,
}

impl<'a> Gathering<'a> {
    fn new(
        transitions: &'a ProgramTransitions,
        graphs: &'a LocalGraphs,
        budget: &mut Budget<'_>,
    ) -> Result<Self, Unfinished> {
        let program = graphs.views().program();
        let layout = graphs.views().system().layout();
        let count = instances(transitions);
        let tables = transitions.tables();
        let mut instances = vec![Vec::new(); program.actions().len()];
        for instance in 0..number(count) {
            instances[tables.origin(instance).0 as usize].push(instance);
        }
        let actions = || (0..number(count)).filter_map(|it| transitions.action(it));
        let commits: Vec<bool> = actions().map(|action| commits(program, action)).collect();
        let (mut open, mut clashes) = (Matrix::new(count), Matrix::new(count));
        for one in 0..number(count) {
            for &other in tables.conflicts(one) {
                if tables.is_failure(other) {
                    continue;
                }
                // Whoever enters a committed location makes all others wait, also those that it has nothing to do with.
                if commits[one as usize] || commits[other as usize] {
                    clashes.set(one, other);
                } else {
                    open.set(one, other);
                }
            }
        }
        let guards: Vec<&Expr> = actions().map(|action| &action.guard).collect();
        let mut gathering = Self {
            guards: Conditions::new(program, layout, guards),
            own: Vec::new(),
            judged: judged(transitions, graphs),
            truths: Vec::new(),
            falsities: Vec::new(),
            gained: Vec::new(),
            lost: Vec::new(),
            implied: vec![None; count],
            clashes,
            transitions,
            graphs,
            instances,
            open,
        };
        for process in 0..graphs.views().processes() {
            gathering.look_at_process(process, budget)?;
        }
        Ok(gathering)
    }

    /// What the graph of one process tells.
    fn look_at_process(
        &mut self,
        process: usize,
        budget: &mut Budget<'_>,
    ) -> Result<(), Unfinished> {
        let views = self.graphs.views();
        let graph = self.graphs.of(process);
        let judged = &self.judged[process];
        let exprs = judged.iter().map(|it| self.transitions.condition(*it));
        let asked = Conditions::new(views.program(), views.system().layout(), exprs);
        let (mut truths, mut falsities, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for state in 0..graph.states() {
            budget.spend(|| [0; 4])?;
            let words = graph.state(state);
            let having = |value: bool| {
                let has = (0..judged.len()).filter(|it| asked.holds(*it, words) == Some(value));
                Bits::of(judged.len(), has)
            };
            truths.push(having(true));
            falsities.push(having(false));
            own.push(self.own_of(process, state));
        }
        let nothing = Bits::of(judged.len(), std::iter::empty());
        let mut gained = vec![nothing; instances(self.transitions)];
        let mut lost = gained.clone();
        for state in 0..graph.states() {
            for edge in graph.edges(state) {
                budget.spend(|| [0; 4])?;
                let target = edge.target as usize;
                let mut change = |instance: u32| {
                    gained[instance as usize].gain(&truths[state], &truths[target]);
                    // What has no value any more may be what goes wrong.
                    gained[instance as usize].gain(&falsities[target], &falsities[state]);
                    lost[instance as usize].gain(&falsities[state], &falsities[target]);
                };
                let owners = views.owners(edge.action);
                if owners.first == process && owners.second.is_none() {
                    // Every action has one target.
                    let mut mine = own[state].iter();
                    let Some(it) = mine.find(|it| it.action == edge.action) else {
                        continue;
                    };
                    change(it.instance);
                    match &mut self.implied[it.instance as usize] {
                        Some((always, never)) => {
                            always.keep(&truths[state]);
                            never.keep(&falsities[state]);
                        }
                        none => *none = Some((truths[state].clone(), falsities[state].clone())),
                    }
                } else if owners.second.is_some() || self.instances[edge.action as usize].len() == 1
                {
                    self.instances[edge.action as usize]
                        .iter()
                        .copied()
                        .for_each(change);
                }
            }
        }
        for steps in &own {
            for (index, one) in steps.iter().enumerate() {
                for other in &steps[..index] {
                    if self.open.has(one.instance, other.instance)
                        && !Self::accord_alone(&own, *one, *other)
                    {
                        self.clash(one.instance, other.instance);
                    }
                }
            }
        }
        self.own.push(own);
        self.truths.push(truths);
        self.falsities.push(falsities);
        self.gained.push(gained);
        self.lost.push(lost);
        Ok(())
    }

    /// The steps of a process alone. Where no instance of an action is enabled although the action is, intervals of values know that
    /// the local state is not reachable.
    fn own_of(&self, process: usize, state: usize) -> Vec<Own> {
        let graph = self.graphs.of(process);
        let views = self.graphs.views();
        let edges = graph.edges(state).iter();
        let alone = edges.filter(|edge| {
            let owners = views.owners(edge.action);
            owners.first == process && owners.second.is_none()
        });
        let own = alone.filter_map(|edge| {
            Some(Own {
                action: edge.action,
                instance: self.instance(edge.action, graph.state(state))?,
                target: edge.target,
            })
        });
        own.collect()
    }

    /// The instance of an enabled action in a state that has everything the action reads.
    fn instance(&self, action: u32, state: &[Word]) -> Option<u32> {
        let instances = &self.instances[action as usize];
        let mut enabled = instances.iter().filter(|it| {
            instances.len() == 1 || self.guards.holds(**it as usize, state) == Some(true)
        });
        enabled.next().copied()
    }

    fn clash(&mut self, one: u32, other: u32) {
        self.open.clear(one, other);
        self.clashes.set(one, other);
    }

    /// Whether two steps of one process in the same state can be taken in both orders, to the same end.
    fn accord_alone(own: &[Vec<Own>], one: Own, other: Own) -> bool {
        let after = |first: Own, second: Own| {
            let mut steps = own[first.target as usize].iter();
            let step = steps.find(|it| it.instance == second.instance);
            step.map(|it| it.target)
        };
        let (first, second) = (after(one, other), after(other, one));
        first.is_some() && first == second
    }

    /// What a pair of processes tells.
    fn look_at(&mut self, joint: &Joint, budget: &mut Budget<'_>) -> Result<(), Unfinished> {
        let together = !self
            .graphs
            .views()
            .joint(joint.process(Side::Left), joint.process(Side::Right))
            .is_empty();
        for (left, right) in joint.iter() {
            budget.spend(|| [0; 4])?;
            for side in [Side::Left, Side::Right] {
                let (here, there) = match side {
                    Side::Left => (left, right),
                    Side::Right => (right, left),
                };
                self.gain_by_others(joint, side, here, there);
            }
            self.compare(joint, left, right);
            if together {
                self.compare_joint(joint, left, right);
            }
        }
        Ok(())
    }

    /// Conjuncts that one side judges and the other one makes true, by instances.
    fn gain_by_others(&mut self, joint: &Joint, side: Side, here: u32, there: u32) {
        let (process, other) = (joint.process(side), joint.process(side.other()));
        for index in 0..self.own[process][here as usize].len() {
            let step = self.own[process][here as usize][index];
            if self.instances[step.action as usize].len() == 1 {
                continue;
            }
            if let Some(target) = self.external(joint, side, step, there) {
                let (before, after) = (there as usize, target as usize);
                let instance = step.instance as usize;
                let (truths, falsities) = (&self.truths[other], &self.falsities[other]);
                self.gained[other][instance].gain(&truths[before], &truths[after]);
                self.gained[other][instance].gain(&falsities[after], &falsities[before]);
                self.lost[other][instance].gain(&falsities[before], &falsities[after]);
            }
        }
    }

    /// Where a step of one side takes a state of the other one. Nothing if the other one sees nothing of it.
    fn external(&self, joint: &Joint, side: Side, step: Own, there: u32) -> Option<u32> {
        let other = joint.process(side.other());
        if !self
            .graphs
            .views()
            .is_involved(other, ActionId(step.action))
        {
            return None;
        }
        let wanted = joint.valuation(side, step.target);
        let mut edges = self.graphs.of(other).edges(there as usize).iter();
        let edge = edges.find(|it: &&Edge| {
            it.action == step.action && joint.valuation(side.other(), it.target) == wanted
        });
        Some(
            edge.expect("what one does to the other is in its graph")
                .target,
        )
    }

    /// Steps of the two processes alone, one of each.
    fn compare(&mut self, joint: &Joint, left: u32, right: u32) {
        let (one, other) = joint.processes();
        for i in 0..self.own[one][left as usize].len() {
            let step = self.own[one][left as usize][i];
            for j in 0..self.own[other][right as usize].len() {
                let partner = self.own[other][right as usize][j];
                if self.open.has(step.instance, partner.instance)
                    && !self.accord(joint, (left, step), (right, partner))
                {
                    self.clash(step.instance, partner.instance);
                }
            }
        }
    }

    /// Whether the steps of two processes in a pair of states can be taken in both orders, to the same end.
    fn accord(&self, joint: &Joint, (left, one): (u32, Own), (right, other): (u32, Own)) -> bool {
        let (p, q) = joint.processes();
        let seen_right = self
            .external(joint, Side::Left, one, right)
            .unwrap_or(right);
        let seen_left = self
            .external(joint, Side::Right, other, left)
            .unwrap_or(left);
        let again = |process: usize, state: u32, instance: u32| {
            let mut steps = self.own[process][state as usize].iter();
            steps.find(|it| it.instance == instance).copied()
        };
        let (Some(second), Some(first)) = (
            again(q, seen_right, other.instance),
            again(p, seen_left, one.instance),
        ) else {
            return false;
        };
        // First the left one and then the right one, and the other way round.
        let left_first = (
            self.external(joint, Side::Right, second, one.target)
                .unwrap_or(one.target),
            second.target,
        );
        let right_first = (
            first.target,
            self.external(joint, Side::Left, first, other.target)
                .unwrap_or(other.target),
        );
        left_first == right_first
    }

    /// Joint actions of two processes, with each other and with what the two do alone.
    fn compare_joint(&mut self, joint: &Joint, left: u32, right: u32) {
        let views = self.graphs.views();
        let (p, q) = joint.processes();
        let states = [(p, left), (q, right)].map(|(process, state)| {
            let graph = self.graphs.of(process);
            graph.state(state as usize)
        });
        let both: Vec<Word> = states[0]
            .iter()
            .zip(states[1])
            .map(|(l, r)| l | r)
            .collect();
        let alone = self.own[p][left as usize]
            .iter()
            .chain(&self.own[q][right as usize]);
        let mut enabled: Vec<u32> = alone.map(|step| step.action).collect();
        let first_joint = enabled.len();
        let mut target = Vec::new();
        for action in views.joint(p, q) {
            if views.system().take(*action, &both, &mut target) == Outcome::Taken {
                enabled.push(action.0);
            }
        }
        for index in first_joint..enabled.len() {
            for other in 0..index {
                let (one, other) = (enabled[index], enabled[other]);
                let (Some(one), Some(other)) =
                    (self.instance(one, &both), self.instance(other, &both))
                else {
                    continue;
                };
                let instances = (one, other);
                if self.open.has(instances.0, instances.1)
                    && !self.accord_together(&both, instances)
                {
                    self.clash(instances.0, instances.1);
                }
            }
        }
    }

    /// The same for a state that has everything that two actions read.
    fn accord_together(&self, state: &[Word], (one, other): (u32, u32)) -> bool {
        let take = |instance: u32, state: &[Word]| {
            let action = self.transitions.tables().origin(instance);
            let mut target = Vec::new();
            let taken = self
                .graphs
                .views()
                .system()
                .take(action, state, &mut target);
            (taken == Outcome::Taken && self.instance(action.0, state) == Some(instance))
                .then_some(target)
        };
        let ends = |first, second| take(second, &take(first, state)?);
        let (first, second) = (ends(one, other), ends(other, one));
        first.is_some() && first == second
    }

    /// Joint actions and actions of third processes: in whose way they are is left to the text, unless they never meet.
    fn look_at_meetings(&mut self, budget: &mut Budget<'_>) -> Result<(), Unfinished> {
        let views = self.graphs.views();
        let meetings = Meetings::new(self.graphs, budget)?;
        for one in 0..number(instances(self.transitions)) {
            budget.spend(|| [0; 4])?;
            for other in 0..one {
                if !self.open.has(one, other) {
                    continue;
                }
                let origins = [one, other].map(|it| self.transitions.tables().origin(it).0);
                let owners = origins.map(|it| views.owners(it));
                let known = match owners.map(|it| it.second) {
                    [None, None] => true,
                    [Some(second), None] => same(owners[0].first, second, owners[1].first),
                    [None, Some(second)] => same(owners[1].first, second, owners[0].first),
                    [Some(one), Some(other)] => {
                        same(owners[0].first, one, owners[1].first)
                            && same(owners[0].first, one, other)
                    }
                };
                if !known && meetings.may_meet(origins[0], origins[1]) {
                    self.clash(one, other);
                }
            }
        }
        Ok(())
    }
}

/// How many actions the tables have, failures left out.
fn instances(transitions: &ProgramTransitions) -> usize {
    let tables = transitions.tables();
    tables.actions() - tables.failures()
}

/// Whether a process is one of two.
fn same(first: usize, second: usize, process: usize) -> bool {
    process == first || process == second
}

/// Which actions are seen together, of the processes that take part in them.
struct Meetings<'a> {
    graphs: &'a LocalGraphs,
    /// The processes that were looked at in pairs.
    pairs: HashSet<(usize, usize)>,
    seen: HashSet<(usize, u32, usize, u32)>,
}

impl<'a> Meetings<'a> {
    fn new(graphs: &'a LocalGraphs, budget: &mut Budget<'_>) -> Result<Self, Unfinished> {
        let views = graphs.views();
        let pairs = graphs.joints.iter().map(Joint::processes).collect();
        let mut seen = HashSet::new();
        let takes_part = |process: usize, state: u32| {
            let edges = graphs.of(process).edges(state as usize).iter();
            let part = edges.filter(move |it| views.takes_part(process, ActionId(it.action)));
            part.map(|it| it.action)
        };
        let has_joint = views
            .program()
            .actions()
            .iter()
            .any(|it| it.moves.len() > 1);
        if !has_joint {
            return Ok(Self {
                graphs,
                pairs,
                seen,
            });
        }
        for process in 0..views.processes() {
            for state in 0..number(graphs.of(process).states()) {
                budget.spend(|| [0; 4])?;
                for one in takes_part(process, state) {
                    for other in takes_part(process, state) {
                        seen.insert((process, one, process, other));
                    }
                }
            }
        }
        for joint in &graphs.joints {
            let (p, q) = joint.processes();
            let mut known: HashSet<(Vec<u32>, Vec<u32>)> = HashSet::new();
            for (left, right) in joint.iter() {
                budget.spend(|| [0; 4])?;
                let pair = (
                    takes_part(p, left).collect(),
                    takes_part(q, right).collect(),
                );
                if !known.insert(pair) {
                    continue;
                }
                for one in takes_part(p, left) {
                    for other in takes_part(q, right) {
                        seen.insert((p, one, q, other));
                        seen.insert((q, other, p, one));
                    }
                }
            }
        }
        Ok(Self {
            graphs,
            pairs,
            seen,
        })
    }

    /// Whether two actions may be enabled in the same state.
    fn may_meet(&self, one: u32, other: u32) -> bool {
        let views = self.graphs.views();
        let owners = |action| {
            let owners = views.owners(action);
            std::iter::once(owners.first).chain(owners.second)
        };
        owners(one).all(|p| {
            owners(other).all(|q| {
                let pair = (p.min(q), p.max(q));
                let looked_at = p == q || self.pairs.contains(&pair);
                !looked_at || self.seen.contains(&(p, one, q, other))
            })
        })
    }
}

/// The conjuncts that each process can judge: it sees everything that decides them.
fn judged(transitions: &ProgramTransitions, graphs: &LocalGraphs) -> Vec<Vec<u32>> {
    let views = graphs.views();
    let conjuncts = 0..number(transitions.tables().conjuncts());
    let reads = conjuncts.map(|it| views.program().reads(transitions.condition(it)));
    let reads: Vec<_> = reads.collect();
    let of_process = |process: usize| {
        let numbered = reads.iter().zip(0_u32..);
        let seen = numbered.filter(|(reads, _)| {
            // What reads nothing is no condition on states: that an action fails, say.
            !reads.is_empty() && reads.is_subset(views.slots(process))
        });
        seen.map(|(_, id)| id).collect()
    };
    (0..views.processes()).map(of_process).collect()
}

fn commits(program: &Program, action: &sweepline_program::Action) -> bool {
    let mut moves = action.moves.iter();
    moves.any(|step| {
        let process = program.process(step.process);
        process.location(step.target).flags.committed
    })
}

/// A set of small numbers.
#[derive(Clone, Debug)]
struct Bits(Box<[u64]>);

impl Bits {
    fn of(count: usize, members: impl Iterator<Item = usize>) -> Self {
        let mut words = vec![0; count.div_ceil(64)];
        for member in members {
            words[member / 64] |= 1 << (member % 64);
        }
        Self(words.into())
    }

    fn has(&self, member: usize) -> bool {
        self.0[member / 64] >> (member % 64) & 1 == 1
    }

    /// Keeps what is in another set too.
    fn keep(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }

    /// Adds what is in `after` and not in `before`.
    #[inline]
    fn gain(&mut self, before: &Self, after: &Self) {
        for ((word, before), after) in self.0.iter_mut().zip(&before.0).zip(&after.0) {
            *word |= after & !before;
        }
    }
}

/// A symmetric relation of actions.
#[derive(Clone, Debug)]
struct Matrix {
    width: usize,
    words: Vec<u64>,
}

impl Matrix {
    fn new(count: usize) -> Self {
        let width = count.div_ceil(64);
        Self {
            width,
            words: vec![0; width * count],
        }
    }

    #[inline]
    fn has(&self, one: u32, other: u32) -> bool {
        let (one, other) = (one as usize, other as usize);
        self.words[one * self.width + other / 64] >> (other % 64) & 1 == 1
    }

    fn set(&mut self, one: u32, other: u32) {
        for (one, other) in [
            (one as usize, other as usize),
            (other as usize, one as usize),
        ] {
            self.words[one * self.width + other / 64] |= 1 << (other % 64);
        }
    }

    fn clear(&mut self, one: u32, other: u32) {
        for (one, other) in [
            (one as usize, other as usize),
            (other as usize, one as usize),
        ] {
            self.words[one * self.width + other / 64] &= !(1 << (other % 64));
        }
    }
}
