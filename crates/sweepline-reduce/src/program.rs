//! Tables of programs.

mod at_locations;
mod causes;
mod conjuncts;
mod cycles;
mod failures;
mod footprint;
mod instances;
mod pairs;
mod simple;
mod symbolic;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sweepline_core::{Layout, Limits, SlotId, StopReason, Word};
use sweepline_program::{
    Action, BinaryOp, Conditions as Asked, Expr, Overflow, Program, ValueRanges,
};

use crate::lists::Lists;
use crate::local::{LocalDependency, LocalGraphs, Unfinished};
use crate::pace::Pace;
use crate::tables::{
    Change, Conditions, Dependency, Instances, Irreducible, Tables, Test, Transitions, number,
};
use conjuncts::Conjuncts;
use cycles::cuts;
use failures::failures;
use footprint::{Footprint, Write};
use instances::instances;
use pairs::Pairs;
use symbolic::Symbolic;

/// A program: conjuncts are locations of processes and the operands of the guard's outermost `and`. Actions with computed indices
/// are split by the values of these.
#[derive(Debug)]
pub struct ProgramTransitions {
    program: Arc<Program>,
    tables: Tables,
    /// What is asked for each conjunct.
    conjuncts: Vec<Expr>,
    /// What the actions of the program do, and what their instances do.
    whole: Vec<Footprint>,
    footprints: Vec<Footprint>,
    actions: Vec<Action>,
    /// Whether conjuncts may become native code.
    #[cfg_attr(
        not(feature = "jit"),
        expect(dead_code, reason = "there is no compiler")
    )]
    compiles: bool,
}

/// Programs with more actions would take too long to be looked at.
const MOST_ACTIONS: usize = 1 << 14;

/// An action gets at most so many conjuncts that local graphs imply. More of them make a choice take longer, and hardly any state is left out
/// for them: of `mcs.3`, 4.7 % are left with 48 of them instead of 4.8, and of `peterson.4` 48.2 instead of 48.0.
const MOST_IMPLIED: usize = 2;

impl ProgramTransitions {
    /// Looks at a program.
    pub fn new(program: &Arc<Program>) -> Result<Self, Irreducible> {
        Self::within(program, &Limits::default())
    }

    /// Looks at a program within limits.
    pub fn within(program: &Arc<Program>, limits: &Limits) -> Result<Self, Irreducible> {
        if program.has_error_states() {
            return Err(Irreducible::ErrorStates);
        }
        if program.actions().len() > MOST_ACTIONS {
            return Err(Irreducible::TooLarge);
        }
        let pace = Pace::new(limits);
        let ranges = ValueRanges::within(program, limits)?;
        let split = instances(program, &ranges, &pace)?;
        let mut conjuncts = Conjuncts::new(program);
        let mut guards = Lists::default();
        for instance in &split {
            guards.push(conjuncts.of_instance(instance));
        }
        let failures = failures(program, &ranges, &mut conjuncts, &guards, &split, &pace)?;
        let first = number(guards.len());
        for failure in &failures {
            guards.push(failure.guards.iter().copied());
        }
        let instances = Instances::new(program.actions().len(), &split);
        let actions: Vec<Action> = split.into_iter().map(|it| it.action).collect();
        let footprint = |action: &Action| Footprint::new(program, action, &ranges);
        let footprints: Vec<_> = actions.iter().map(footprint).collect();
        let pairs = Pairs {
            actions: &actions,
            ranges: &ranges,
            footprints: &footprints,
            conjuncts: &conjuncts.list,
            guards: &guards,
            failures: &failures,
            symbolic: Symbolic { program },
            pace: &pace,
        };
        let (enabling, conflicts) = pairs.tables()?;
        let whereabouts = conjuncts.list.iter().map(|it| match it.expr {
            Expr::At(process, _) => process.0 + 1,
            _ => 0,
        });
        Ok(Self {
            tables: Tables {
                guards,
                enabling,
                conflicts,
                whereabouts: whereabouts.collect(),
                instances: Some(instances),
                failures: first..first + number(failures.len()),
            },
            conjuncts: conjuncts.list.into_iter().map(|it| it.expr).collect(),
            program: Arc::clone(program),
            whole: program.actions().iter().map(footprint).collect(),
            footprints,
            actions,
            compiles: true,
        })
    }

    /// The same without native code.
    #[must_use]
    pub fn interpreted(self) -> Self {
        Self {
            compiles: false,
            ..self
        }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// What an action of the tables is: where an index has a certain value, that value stands in its place. Failures have none.
    pub fn action(&self, action: u32) -> Option<&Action> {
        self.actions.get(action as usize)
    }

    /// What a conjunct asks. It may have no value in some states.
    pub fn condition(&self, conjunct: u32) -> &Expr {
        &self.conjuncts[conjunct as usize]
    }

    /// Takes over what local graphs of the program tell, which must be those of pairs.
    pub fn refine(&mut self, graphs: &LocalGraphs, limits: &Limits) -> Result<(), Unfinished> {
        let known = LocalDependency::new(self, graphs, limits)?;
        let mut tables = self.tables.refined(&known);
        let pace = Pace::new(limits);
        let (guards, negated) = self.with_implied(&known, &mut tables, &pace)?;
        tables.guards = guards;
        let mut possible = BTreeSet::new();
        for failure in tables.failures.clone() {
            pace.spend()?;
            possible.extend(Some(failure).filter(|it| known.happens(*it)));
        }
        self.tables = tables.with_failures(|failure| possible.contains(&failure));
        self.conjuncts.extend(negated);
        Ok(())
    }

    /// The guards of all actions with some of what local graphs imply, and the conjuncts that were added for that: that another one is false.
    fn with_implied(
        &self,
        known: &LocalDependency<'_>,
        tables: &mut Tables,
        pace: &Pace<'_>,
    ) -> Result<(Lists, Vec<Expr>), StopReason> {
        let actions = 0..number(self.actions.len());
        let refuted_by = |conjunct| {
            actions
                .clone()
                .filter(move |it| known.refutes(*it, conjunct))
        };
        let mut refuting: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut numbers = BTreeMap::new();
        let mut negated = Vec::new();
        let mut guards = Lists::default();
        for action in 0..number(tables.actions()) {
            let mut guard = tables.guards(action).to_vec();
            let mut implied = if tables.is_failure(action) {
                Vec::new()
            } else {
                known.implied(action)
            };
            for (conjunct, _) in implied.iter().filter(|(_, truth)| !truth) {
                pace.spend()?;
                let refuted = refuting.entry(*conjunct);
                refuted.or_insert_with(|| refuted_by(*conjunct).collect());
            }
            // Those that bring in the fewest: every one of them has to be looked at wherever the action is.
            implied.sort_by_key(|(conjunct, truth)| match truth {
                true => tables.enabling(*conjunct).len(),
                false => refuting[conjunct].len(),
            });
            for (conjunct, truth) in implied.into_iter().take(MOST_IMPLIED) {
                let mut refuted = || {
                    negated.push(self.condition(conjunct).clone().negated());
                    tables.add_conjunct(refuting[&conjunct].iter().copied())
                };
                guard.push(if truth {
                    conjunct
                } else {
                    *numbers.entry(conjunct).or_insert_with(&mut refuted)
                });
            }
            guards.push(guard);
        }
        Ok((guards, negated))
    }

    /// The same with what somebody knows better of its actions.
    #[must_use]
    pub fn refined(mut self, by: &dyn Dependency) -> Self {
        self.tables = self.tables.refined(by);
        self
    }
}

impl Instances {
    fn new(actions: usize, split: &[instances::Instance]) -> Self {
        let mut of = vec![Vec::new(); actions];
        for (instance, id) in split.iter().zip(0..) {
            of[instance.origin as usize].push(id);
        }
        Self {
            origins: split.iter().map(|it| it.origin).collect(),
            told_by: split.iter().map(|it| number(it.told_by.len())).collect(),
            of: of.into_iter().collect(),
        }
    }
}

impl Transitions for ProgramTransitions {
    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn conditions(&self, layout: &Layout) -> Box<dyn Conditions> {
        let processes = self.program.processes().iter();
        let committed = processes.flat_map(|process| {
            let locations = process.locations.iter().zip(0_u64..);
            let committed = locations.filter(|(location, _)| location.flags.committed);
            let slot = layout.slot(process.location);
            committed.map(move |(_, index)| (slot.word, slot.shift, slot.mask(), index))
        });
        let conjuncts = self.conjuncts.iter();
        Box::new(ProgramConditions {
            asked: Asked::new(&self.program, layout, &self.conjuncts),
            tests: conjuncts
                .map(|expr| simple::test(&self.program, layout, expr))
                .collect(),
            committed: committed.collect(),
            #[cfg(feature = "jit")]
            code: self.compiles.then(|| Compiling::new(layout.width())),
        })
    }

    fn change(&self, action: u32, slot: SlotId) -> Change {
        let whole = &self.whole[self.tables.origin(action).0 as usize];
        // An instance writes less than its action, but it sets to a number what its action counts up.
        match self.change_by(whole, slot) {
            Change::Any => self.change_by(&self.footprints[action as usize], slot),
            change @ Change::By(_) => change,
        }
    }

    fn cuts(&self, harm: &[u64], limits: &Limits) -> Vec<Vec<bool>> {
        let whole = cuts(&self.program, &self.whole, harm, limits);
        let of_instances = whole.into_iter().map(|whole| {
            let instances = 0..number(self.actions.len());
            let cut = instances.map(|it| whole[self.tables.origin(it).0 as usize]);
            cut.collect()
        });
        of_instances.collect()
    }
}

impl ProgramTransitions {
    fn change_by(&self, footprint: &Footprint, slot: SlotId) -> Change {
        match footprint.writes.get(&slot) {
            None if !footprint.touches_channel(&self.program, slot) => Change::By(0),
            // Where values wrap around, more may be less.
            Some(Write::Add(by)) if self.program.slot(slot).kind.overflow == Overflow::Error => {
                Change::By(*by)
            }
            _ => Change::Any,
        }
    }
}

struct ProgramConditions {
    asked: Asked,
    /// Those that are not tests of one slot, as native code.
    #[cfg(feature = "jit")]
    code: Option<Compiling>,
    tests: Vec<Option<Test>>,
    /// Where committed locations are told by, and their numbers.
    committed: Vec<(usize, u32, Word, Word)>,
}

impl Conditions for ProgramConditions {
    fn holds(&self, conjunct: u32, state: &[Word]) -> Option<bool> {
        self.asked.holds(conjunct as usize, state)
    }

    fn test(&self, conjunct: u32) -> Option<Test> {
        self.tests[conjunct as usize]
    }

    #[cfg(feature = "jit")]
    fn conjuncts(&self, state: &[Word], truths: &mut [Word]) -> bool {
        let code = self.code.as_ref();
        let code = code.and_then(|code| code.get(&self.asked, &self.tests));
        code.inspect(|code| code.write(state, truths)).is_some()
    }

    /// While some process is in a committed location, others wait whatever their guards say.
    fn is_special(&self, state: &[Word]) -> bool {
        let mut committed = self.committed.iter();
        committed.any(|(word, shift, mask, at)| (state[*word] >> shift) & mask == *at)
    }
}

/// Conjuncts that are compiled when somebody wants them.
#[cfg(feature = "jit")]
struct Compiling {
    /// Words of a state.
    width: Option<usize>,
    code: std::sync::OnceLock<Option<sweepline_program::CompiledConditions>>,
}

#[cfg(feature = "jit")]
impl Compiling {
    fn new(width: Option<usize>) -> Self {
        Self {
            width,
            code: std::sync::OnceLock::new(),
        }
    }

    /// The code. There is none if all are tests, if there are too many, or if the machine cannot do it.
    fn get(
        &self,
        asked: &Asked,
        tests: &[Option<Test>],
    ) -> Option<&sweepline_program::CompiledConditions> {
        let wanted = |conjunct: usize| tests[conjunct].is_none();
        let code = self.code.get_or_init(|| {
            let any = (0..tests.len()).any(wanted);
            let width = self.width.filter(|_| any)?;
            sweepline_program::CompiledConditions::new(asked, wanted, width).ok()
        });
        code.as_ref()
    }
}

/// A condition without a value: whether an action would fail is told by the action itself, and only where it can happen.
fn untold() -> Expr {
    Expr::binary(BinaryOp::Divide, Expr::Constant(1), Expr::Constant(0))
}
