//! Firing transitions on packed words.
//!
//! Every field of a word has a *guard* above it, a bit that is zero in every state. With `G` the guards of a word,
//! `(m | G) - n` subtracts all fields at once: no field borrows from its neighbour, and a field's guard stays set
//! exactly if it held at least as much as was subtracted. So one subtraction tests all input places in a word, and, by
//! asking for a cleared guard, all inhibiting places too. Firing adds a constant per word; a guard that is set
//! afterwards tells that a place outgrew its field.

use sweepline_core::{ActionId, Fault, Layout, SlotId, Steps, Word};

use super::compile::{Compiler, guard};
use super::sample::TrialOrder;
use crate::net::PetriNet;

/// All transitions of a net that can be enabled while tokens fit the layout, compiled to words.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// The guards of each word.
    guards: Vec<Word>,
    order: FiringOrder,
    /// The slot below each guard, in the order of words and bits.
    slots: Vec<(usize, Word, SlotId)>,
}

/// How rules are tried and fired.
#[derive(Clone, Debug)]
pub(super) enum FiringOrder {
    /// Few rules and short states.
    Dense1(Dense<1>),
    Dense2(Dense<2>),
    Dense3(Dense<3>),
    Dense4(Dense<4>),
    /// The general case.
    Sparse(Candidates),
}

/// Which rules are tried in a state.
#[derive(Clone, Debug)]
pub(super) enum Candidates {
    /// All of them.
    All(Table),
    /// Only those of marked places.
    ByPlace(Groups),
}

impl Rules {
    pub(super) fn new(net: &PetriNet, layout: &Layout, order: &TrialOrder) -> Self {
        let width = layout
            .width()
            .expect("a net's states all have the same size");
        let mut guards = vec![0; width];
        let mut slots = Vec::with_capacity(layout.slots().len());
        for (id, slot) in layout.iter() {
            guards[slot.word] |= guard(slot);
            slots.push((slot.word, guard(slot), id));
        }
        let compiler = Compiler {
            net,
            layout,
            guards: &guards,
        };
        let order = match order {
            TrialOrder::All => compiler.all(),
            TrialOrder::ByPlace(keys) => {
                FiringOrder::Sparse(Candidates::ByPlace(compiler.groups(keys)))
            }
        };
        Self {
            guards,
            order,
            slots,
        }
    }

    #[inline]
    pub(super) fn successors(&self, state: &[Word], out: &mut Steps) {
        let outgrown = match &self.order {
            FiringOrder::Dense1(rules) => rules.fire_all(state, &self.guards, out),
            FiringOrder::Dense2(rules) => rules.fire_all(state, &self.guards, out),
            FiringOrder::Dense3(rules) => rules.fire_all(state, &self.guards, out),
            FiringOrder::Dense4(rules) => rules.fire_all(state, &self.guards, out),
            // Copying a few words is much faster if their number is known to the compiler.
            FiringOrder::Sparse(candidates) => match self.guards.len() {
                1 => self.fire_fixed::<1>(candidates, state, out),
                2 => self.fire_fixed::<2>(candidates, state, out),
                3 => self.fire_fixed::<3>(candidates, state, out),
                4 => self.fire_fixed::<4>(candidates, state, out),
                _ => self.fire_wide(candidates, state, out),
            },
        };
        if let Err(outgrown) = outgrown {
            self.fail(&outgrown, out);
        }
    }

    fn fire_fixed<const W: usize>(
        &self,
        candidates: &Candidates,
        state: &[Word],
        out: &mut Steps,
    ) -> Result<(), Outgrown> {
        let state: &[Word; W] = state
            .try_into()
            .expect("states have the width of the layout");
        candidates.for_enabled(state, &self.guards, |rule, more| {
            let mut target = *state;
            rule.apply(more, &self.guards, &mut target)?;
            out.push(rule.action, &target);
            Ok(())
        })
    }

    fn fire_wide(
        &self,
        candidates: &Candidates,
        state: &[Word],
        out: &mut Steps,
    ) -> Result<(), Outgrown> {
        candidates.for_enabled(state, &self.guards, |rule, more| {
            // If this fails, the batch is void and the unfinished step with it.
            let target = out.push_copy(rule.action, state);
            rule.apply(more, &self.guards, target)
        })
    }

    #[cold]
    fn fail(&self, outgrown: &Outgrown, out: &mut Steps) {
        let Outgrown { word, guards } = outgrown;
        let mut slots = self.slots.iter();
        let (_, _, slot) = slots
            .find(|(at, guard, _)| at == word && guards & guard != 0)
            .expect("every guard has a slot below it");
        out.fail(Fault::Outgrown { slot: *slot });
    }
}

impl Candidates {
    /// Calls `fire` for every enabled rule with the words it touches beyond the first.
    #[inline]
    fn for_enabled(
        &self,
        state: &[Word],
        guards: &[Word],
        mut fire: impl FnMut(&Rule, &[Touch]) -> Result<(), Outgrown>,
    ) -> Result<(), Outgrown> {
        let mut try_all = |rules: &[Rule], table: &Table| {
            for rule in rules {
                if rule.lead.passes(state, guards) {
                    let more = table.more_of(rule);
                    if more.iter().all(|touch| touch.passes(state, guards)) {
                        fire(rule, more)?;
                    }
                }
            }
            Ok(())
        };
        match self {
            Self::All(table) => try_all(&table.rules, table),
            Self::ByPlace(groups) => {
                groups.for_marked(state, |rules| try_all(rules, &groups.table))
            }
        }
    }
}

/// Guards of a word that a step has set.
struct Outgrown {
    word: usize,
    guards: Word,
}

/// Rules without inhibitors that look at all words of a state, as one column for testing and one for firing.
#[derive(Clone, Debug)]
pub(super) struct Dense<const W: usize> {
    pub(super) needs: Vec<[Word; W]>,
    pub(super) effects: Vec<([Word; W], ActionId)>,
}

impl<const W: usize> Dense<W> {
    /// Tests blocks of rules without branching, for whether a rule is enabled is hard to predict.
    #[inline]
    fn fire_all(&self, state: &[Word], guards: &[Word], out: &mut Steps) -> Result<(), Outgrown> {
        const BLOCK: usize = Word::BITS as usize;
        let state: &[Word; W] = state
            .try_into()
            .expect("states have the width of the layout");
        let guards: &[Word; W] = guards.try_into().expect("every word has guards");
        let guarded: [Word; W] = std::array::from_fn(|word| state[word] | guards[word]);
        for (needs, effects) in self.needs.chunks(BLOCK).zip(self.effects.chunks(BLOCK)) {
            let mut enabled: Word = 0;
            for (index, need) in needs.iter().enumerate() {
                enabled |= Word::from(covers(&guarded, need, guards)) << index;
            }
            let mut outgrown = Ok(());
            out.push_many(enabled.count_ones() as usize, |words, actions| {
                let (targets, _) = words.as_chunks_mut::<W>();
                let mut count = 0;
                for (target, of) in targets.iter_mut().zip(actions) {
                    let (change, action) = &effects[enabled.trailing_zeros() as usize];
                    enabled &= enabled - 1;
                    *target = std::array::from_fn(|word| state[word].wrapping_add(change[word]));
                    *of = *action;
                    outgrown = check_guards(target, guards);
                    if outgrown.is_err() {
                        break;
                    }
                    count += 1;
                }
                count
            });
            outgrown?;
        }
        Ok(())
    }
}

/// Whether every field holds what is needed.
#[inline]
fn covers<const W: usize>(guarded: &[Word; W], need: &[Word; W], guards: &[Word; W]) -> bool {
    let lost = |word: usize| !(guarded[word] - need[word]) & guards[word];
    (0..W).fold(0, |all, word| all | lost(word)) == 0
}

#[inline]
fn check_guards<const W: usize>(target: &[Word; W], guards: &[Word; W]) -> Result<(), Outgrown> {
    let set = (0..W).fold(0, |all, word| all | target[word] & guards[word]);
    if set == 0 {
        return Ok(());
    }
    let word = (0..W)
        .find(|word| target[*word] & guards[*word] != 0)
        .unwrap_or(0);
    Err(Outgrown {
        word,
        guards: target[word] & guards[word],
    })
}

/// Rules one after the other, and the words they touch beyond the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) rules: Vec<Rule>,
    pub(super) more: Vec<Touch>,
}

impl Table {
    #[inline]
    pub(super) fn more_of(&self, rule: &Rule) -> &[Touch] {
        &self.more[rule.more.0 as usize..rule.more.1 as usize]
    }
}

/// A transition.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) lead: Touch,
    pub(super) action: ActionId,
    /// Start and end in [`Table::more`].
    pub(super) more: (u32, u32),
}

/// What a transition asks of one word and does to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) word: u32,
    /// What is subtracted for the test.
    pub(super) need: Word,
    /// The guards that must remain.
    pub(super) want: Word,
    /// What is added on firing.
    pub(super) change: Word,
}

impl Touch {
    #[inline]
    fn passes(&self, state: &[Word], guards: &[Word]) -> bool {
        let guards = guards[self.word as usize];
        ((state[self.word as usize] | guards) - self.need) & guards == self.want
    }

    #[inline]
    fn apply(&self, guards: &[Word], target: &mut [Word]) -> Result<(), Outgrown> {
        let word = self.word as usize;
        target[word] = target[word].wrapping_add(self.change);
        match target[word] & guards[word] {
            0 => Ok(()),
            guards => Err(Outgrown { word, guards }),
        }
    }
}

impl Rule {
    #[inline]
    fn apply(&self, more: &[Touch], guards: &[Word], target: &mut [Word]) -> Result<(), Outgrown> {
        self.lead.apply(guards, target)?;
        more.iter()
            .try_for_each(|touch| touch.apply(guards, target))
    }
}

/// Rules grouped by an input place.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    pub(super) table: Table,
    /// End of the rules that have no input place and are always tried; they come first.
    pub(super) always: usize,
    /// Per word, a one at the bottom and the guard of each field whose place has a group.
    pub(super) fields: Vec<(Word, Word)>,
    /// Per word and bit, the rules of the place whose guard is that bit.
    pub(super) by_guard: Vec<(u32, u32)>,
}

impl Groups {
    /// Calls `visit` with the rules of each marked place.
    #[inline]
    fn for_marked(
        &self,
        state: &[Word],
        mut visit: impl FnMut(&[Rule]) -> Result<(), Outgrown>,
    ) -> Result<(), Outgrown> {
        visit(&self.table.rules[..self.always])?;
        let words = state.iter().zip(&self.fields);
        for (base, (word, (ones, guards))) in (0..).step_by(Word::BITS as usize).zip(words) {
            let mut marked = ((word | guards) - ones) & guards;
            while marked != 0 {
                let (start, end) = self.by_guard[base + marked.trailing_zeros() as usize];
                marked &= marked - 1;
                visit(&self.table.rules[start as usize..end as usize])?;
            }
        }
        Ok(())
    }
}
