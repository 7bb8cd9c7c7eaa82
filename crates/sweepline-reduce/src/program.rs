//! Tables of programs.

mod conjuncts;
mod cycles;
mod failures;
mod footprint;
mod pairs;

use std::sync::Arc;

use sweepline_core::{Layout, SlotId, Word};
use sweepline_program::{BinaryOp, Conditions as Asked, Expr, Overflow, Program, ValueRanges};

use crate::lists::Lists;
use crate::tables::{Change, Conditions, Irreducible, Tables, Transitions, number};
use conjuncts::Conjuncts;
use cycles::cut;
use failures::failures;
use footprint::{Footprint, Write};
use pairs::Pairs;

/// A program: conjuncts are locations of processes and the operands of the guard's outermost `and`.
#[derive(Debug)]
pub struct ProgramTransitions {
    program: Arc<Program>,
    tables: Tables,
    /// What is asked for each conjunct.
    conjuncts: Vec<Expr>,
    footprints: Vec<Footprint>,
}

/// Programs with more actions would take too long to be looked at.
const MOST_ACTIONS: usize = 1 << 14;

impl ProgramTransitions {
    /// Looks at a program.
    pub fn new(program: &Arc<Program>) -> Result<Self, Irreducible> {
        if program.has_error_states() {
            return Err(Irreducible::ErrorStates);
        }
        if program.actions().len() > MOST_ACTIONS {
            return Err(Irreducible::TooLarge);
        }
        let ranges = ValueRanges::new(program);
        let mut conjuncts = Conjuncts::new(program);
        let mut guards = Lists::default();
        for action in program.actions() {
            guards.push(conjuncts.of_action(action));
        }
        let failures = failures(program, &ranges, &mut conjuncts, &guards);
        let first = number(guards.len());
        for failure in &failures {
            guards.push(failure.guards.iter().copied());
        }
        let footprints = program.actions().iter();
        let footprints: Vec<_> = footprints
            .map(|action| Footprint::new(program, action, &ranges))
            .collect();
        let pairs = Pairs {
            program,
            ranges: &ranges,
            footprints: &footprints,
            conjuncts: &conjuncts.list,
            guards: &guards,
            failures: &failures,
        };
        let (enabling, conflicts) = pairs.tables()?;
        Ok(Self {
            tables: Tables {
                guards,
                enabling,
                conflicts,
                failures: first..first + number(failures.len()),
            },
            conjuncts: conjuncts.list.into_iter().map(|it| it.expr).collect(),
            program: Arc::clone(program),
            footprints,
        })
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
        Box::new(ProgramConditions {
            asked: Asked::new(&self.program, layout, &self.conjuncts),
            committed: committed.collect(),
        })
    }

    fn change(&self, action: u32, slot: SlotId) -> Change {
        let footprint = &self.footprints[action as usize];
        match footprint.writes.get(&slot) {
            None if !footprint.touches_channel(&self.program, slot) => Change::By(0),
            // Where values wrap around, more may be less.
            Some(Write::Add(by)) if self.program.slot(slot).kind.overflow == Overflow::Error => {
                Change::By(*by)
            }
            _ => Change::Any,
        }
    }

    fn cut(&self) -> Option<Vec<bool>> {
        Some(cut(&self.program, &self.footprints))
    }
}

struct ProgramConditions {
    asked: Asked,
    /// Where committed locations are told by, and their numbers.
    committed: Vec<(usize, u32, Word, Word)>,
}

impl Conditions for ProgramConditions {
    fn holds(&self, conjunct: u32, state: &[Word]) -> Option<bool> {
        self.asked.holds(conjunct as usize, state)
    }

    /// While some process is in a committed location, others wait whatever their guards say.
    fn is_special(&self, state: &[Word]) -> bool {
        let mut committed = self.committed.iter();
        committed.any(|(word, shift, mask, at)| (state[*word] >> shift) & mask == *at)
    }
}

/// A condition without a value: whether an action would fail is told by the action itself, and only where it can happen.
fn untold() -> Expr {
    Expr::binary(BinaryOp::Divide, Expr::Constant(1), Expr::Constant(0))
}
