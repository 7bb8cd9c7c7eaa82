//! Models in Rust with fewer interleavings.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use sweepline_core::{ActionId, AnySystem, Fault, SlotId, Steps, System, Word};
use sweepline_model::{Footprint, Look, Model, ModelSystem};
use sweepline_reduce::{Aim, DeclaredAction, DeclaredTransitions, Irreducible, Stubborn};

use super::predicates::{Asked, Questions};

/// Tells the number of an action, by its kind.
pub(crate) type KindOf<M> =
    Arc<dyn Fn(&M, &<M as Model>::Action) -> Result<u32, String> + Send + Sync>;

/// What a model declares of its actions.
pub(crate) struct Reduction {
    transitions: Arc<DeclaredTransitions>,
}

/// What a model declares, with kinds and parts as numbers.
pub(crate) struct Declared<M: Footprint> {
    kinds: BTreeMap<M::Kind, u32>,
    parts: BTreeMap<M::Part, SlotId>,
    actions: Vec<DeclaredAction>,
}

impl<M: Footprint + 'static> Declared<M> {
    pub(crate) fn of(model: &M) -> Self {
        let kinds: BTreeSet<M::Kind> = model.kinds().into_iter().collect();
        let mut parts = BTreeMap::new();
        let mut number = |declared: Vec<M::Part>| -> BTreeSet<SlotId> {
            let numbers = declared.into_iter().map(|part| {
                let next = SlotId(u32::try_from(parts.len()).expect("there are fewer parts"));
                *parts.entry(part).or_insert(next)
            });
            numbers.collect()
        };
        let actions = kinds.iter().map(|kind| DeclaredAction {
            reads: number(model.reads(kind)),
            writes: number(model.writes(kind)),
            may_fail: !model.never_fails(kind),
        });
        Self {
            actions: actions.collect(),
            kinds: kinds.into_iter().zip(0..).collect(),
            parts,
        }
    }

    /// Who can change one of these parts. A part that nobody has declared is never changed.
    pub(crate) fn writers(&self, parts: impl IntoIterator<Item = M::Part>) -> Vec<u32> {
        let parts = parts.into_iter();
        let parts = parts.filter_map(|part| self.parts.get(&part).copied());
        let parts: BTreeSet<SlotId> = parts.collect();
        let actions = self.actions.iter().zip(0..);
        let writers = actions.filter(|(action, _)| !action.writes.is_disjoint(&parts));
        writers.map(|(_, action)| action).collect()
    }

    /// The numbers of actions, by their kinds, and the reduction.
    pub(crate) fn reduction(self) -> Result<(Reduction, KindNumbers<M>), Irreducible> {
        let transitions = Arc::new(DeclaredTransitions::of(self.actions)?);
        Ok((Reduction { transitions }, KindNumbers(self.kinds)))
    }
}

/// The numbers of kinds.
pub(crate) struct KindNumbers<M: Footprint>(BTreeMap<M::Kind, u32>);

impl<M: Footprint> KindNumbers<M> {
    pub(crate) fn of(&self, model: &M, action: &M::Action) -> Result<u32, String> {
        let kind = model.kind(action);
        let number = self.0.get(&kind).copied();
        number.ok_or_else(|| format!("an action is of kind {kind:?}, which `kinds` does not list"))
    }
}

impl Reduction {
    /// The system with fewer steps, if what is asked allows that; or why not, in words.
    pub(crate) fn reduce<M: Model>(
        &self,
        system: Arc<dyn AnySystem>,
        questions: &Questions<M>,
    ) -> Result<Stubborn, String> {
        let mut changing = Vec::new();
        let mut deadlocks = false;
        for asked in &questions.asked {
            match asked {
                Asked::Invariant(name, _, reads) | Asked::Reachable(name, _, reads) => {
                    let Some(changed_by) = reads else {
                        return Err(format!(
                            "`{name}` cannot be asked with fewer steps: nothing is known of a closure; say what it reads with `invariant_of` or `reachable_of`"
                        ));
                    };
                    changing.push(changed_by.clone());
                }
                Asked::Ltl(formula) => {
                    return Err(format!(
                        "`{}` cannot be asked with fewer steps: it is about runs, and nothing is known of cycles of a model in Rust",
                        formula.name
                    ));
                }
                Asked::Ctl(formula) => {
                    return Err(format!(
                        "`{}` cannot be asked with fewer steps: branching time is not preserved by stubborn sets",
                        formula.name
                    ));
                }
                Asked::NoDeadlock => deadlocks = true,
            }
        }
        let transitions = Arc::clone(&self.transitions);
        let aim = if deadlocks || changing.is_empty() {
            Aim::deadlocks(transitions)
        } else {
            let aim = Aim::reaching(transitions, &*system, &[], &[]);
            aim.map_err(|why| why.to_string())?
        };
        Ok(Stubborn::new(
            system,
            Arc::new(aim.and_changed_by(changing)),
        ))
    }
}

/// What an action does that its model does not declare.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undeclared {
    /// It changes a part of the state.
    Write {
        /// The kind of the action.
        kind: String,
        /// The part.
        part: String,
        /// The state before.
        before: String,
        /// The state after it.
        after: String,
    },
    /// Two states look the same in all parts that it reads, and yet it does something else there.
    Read {
        /// The kind of the action.
        kind: String,
        /// One of the states.
        one: String,
        /// The other.
        other: String,
    },
    /// Two states look the same in all parts: something of the state belongs to none.
    Part {
        /// One of the states.
        one: String,
        /// The other.
        other: String,
    },
    /// A step fails although the model says that none ever does, or is of a kind that it does not list.
    Failure {
        /// The state.
        state: String,
        /// What it said.
        message: String,
    },
}

impl fmt::Display for Undeclared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write {
                kind,
                part,
                before,
                after,
            } => write!(
                f,
                "{kind} changes {part} and does not declare it: from {before} to {after}"
            ),
            Self::Read { kind, one, other } => write!(
                f,
                "{kind} reads something it does not declare: it does not do the same in {one} and in {other}"
            ),
            Self::Part { one, other } => {
                write!(f, "{one} and {other} look the same in all parts")
            }
            Self::Failure { state, message } => write!(f, "{message} (in {state})"),
        }
    }
}

impl std::error::Error for Undeclared {}

/// Searches the first states of a model, up to so many, for something its actions do and do not [declare](Footprint).
///
/// Whatever two of these states show is found: that an action changes a part it does not write; that it can happen in one state and not
/// in another, or does something else there, although both look the same in what it reads; and that two states differ in nothing
/// that belongs to a part.
///
/// ```
/// use sweepline::{Footprint, Look, Model, Next, check_footprints};
///
/// /// Two counters; the second must not get ahead of the first.
/// struct Race;
///
/// impl Model for Race {
///     type State = [u8; 2];
///     type Action = usize;
///     fn initial(&self) -> Vec<[u8; 2]> { vec![[0, 0]] }
///     fn steps(&self, state: &[u8; 2], next: &mut Next<'_, Self>) {
///         if state[0] < 5 { next.change(0, |to| to[0] += 1) }
///         if state[1] < state[0] { next.change(1, |to| to[1] += 1) }
///     }
/// }
///
/// impl Footprint for Race {
///     type Kind = usize;
///     type Part = usize;
///     fn kinds(&self) -> Vec<usize> { vec![0, 1] }
///     fn kind(&self, action: &usize) -> usize { *action }
///     fn reads(&self, kind: &usize) -> Vec<usize> { vec![*kind] } // the second looks at the first
///     fn writes(&self, kind: &usize) -> Vec<usize> { vec![*kind] }
///     fn look(&self, part: &usize, state: &[u8; 2], look: &mut Look) { look.at(&state[*part]) }
/// }
///
/// let mistake = check_footprints(Race, 100).unwrap_err();
/// assert!(mistake.to_string().starts_with("1 reads something it does not declare"));
/// ```
pub fn check_footprints<M: Footprint + 'static>(model: M, states: usize) -> Result<(), Undeclared> {
    find_undeclared(&ModelSystem::new(model), states)
}

/// The same for a model that is to be explored.
pub(crate) fn find_undeclared<M: Footprint + 'static>(
    system: &ModelSystem<M>,
    states: usize,
) -> Result<(), Undeclared> {
    let Declared {
        kinds,
        parts,
        actions,
    } = Declared::of(system.model());
    let mut by_number: Vec<(SlotId, M::Part)> =
        parts.into_iter().map(|(it, id)| (id, it)).collect();
    by_number.sort_by_key(|(id, _)| *id);
    let mut search = Search {
        system,
        names: kinds.keys().cloned().collect(),
        numbers: KindNumbers(kinds),
        parts: by_number.into_iter().map(|(_, part)| part).collect(),
        actions,
        alike: HashMap::new(),
        outcomes: HashMap::new(),
    };
    search.run(states)
}

struct Search<'s, M: Footprint> {
    system: &'s ModelSystem<M>,
    numbers: KindNumbers<M>,
    /// Kinds and parts by their numbers.
    names: Vec<M::Kind>,
    parts: Vec<M::Part>,
    actions: Vec<DeclaredAction>,
    /// States by what they look like in all parts.
    alike: HashMap<Vec<Look>, Vec<Word>>,
    /// What a kind of actions did where the parts that it reads looked like this, and the state it did that in.
    outcomes: HashMap<(u32, Vec<Look>), Outcome>,
}

/// What a kind of actions did, and the state it did that in.
type Outcome = (Vec<Effect>, Vec<Word>);

/// What the parts that an action writes look like after it, each with whether it has changed.
type Effect = Vec<(Look, bool)>;

impl<M: Footprint + 'static> Search<'_, M> {
    fn run(&mut self, most: usize) -> Result<(), Undeclared> {
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.initial(&mut steps);
        let targets = |steps: &Steps| -> Vec<Vec<Word>> {
            (0..steps.len())
                .map(|it| steps.target(it).to_vec())
                .collect()
        };
        let mut states = targets(&steps);
        let mut known: BTreeSet<Vec<Word>> = states.iter().cloned().collect();
        let mut next = 0;
        while next < states.len().min(most) {
            let state = states[next].clone();
            next += 1;
            steps.clear();
            let numbers = &self.numbers;
            let model = self.system.model();
            let number = |action: &M::Action| numbers.of(model, action);
            self.system.numbered_successors(&state, &mut steps, number);
            self.compare(&state, &steps)?;
            for target in targets(&steps) {
                if known.insert(target.clone()) {
                    states.push(target);
                }
            }
        }
        Ok(())
    }

    fn compare(&mut self, state: &[Word], steps: &Steps) -> Result<(), Undeclared> {
        let before = self.looks(state);
        let other = self.alike.entry(before.clone());
        let other = other.or_insert_with(|| state.to_vec());
        if other != state {
            let other = other.clone();
            let (one, other) = (self.shown(&other), self.shown(state));
            return Err(Undeclared::Part { one, other });
        }
        if let Some(fault) = steps.fault() {
            let may_fail = self.actions.iter().any(|action| action.may_fail);
            let is_unlisted = steps.actions().contains(&ActionId(u32::MAX));
            if may_fail && !is_unlisted {
                return Ok(()); // what comes behind it is not known
            }
            let message = match fault {
                Fault::Model { message, .. } => message.clone(),
                other => format!("{other:?}"),
            };
            let state = self.shown(state);
            return Err(Undeclared::Failure { state, message });
        }
        let mut effects: Vec<Vec<Effect>> = vec![Vec::new(); self.actions.len()];
        for (index, action) in steps.actions().iter().enumerate() {
            let after = self.looks(steps.target(index));
            let kind = action.0 as usize;
            let changed = |part: usize| before[part] != after[part];
            let written = |part: usize| self.actions[kind].writes.contains(&slot(part));
            if let Some(part) = (0..self.parts.len()).find(|it| changed(*it) && !written(*it)) {
                return Err(Undeclared::Write {
                    kind: format!("{:?}", self.names[kind]),
                    part: format!("{:?}", self.parts[part]),
                    before: self.shown(state),
                    after: self.shown(steps.target(index)),
                });
            }
            let parts = self.actions[kind].writes.iter().map(|it| it.0 as usize);
            let effect = parts.map(|part| (after[part].clone(), changed(part)));
            effects[kind].push(effect.collect());
        }
        for (kind, effects) in (0..).zip(effects) {
            self.repeats(kind, &before, &effects, state)?;
        }
        Ok(())
    }

    /// Compares what a kind does with what it did where what it reads looked the same.
    fn repeats(
        &mut self,
        kind: u32,
        before: &[Look],
        effects: &[Effect],
        state: &[Word],
    ) -> Result<(), Undeclared> {
        let reads = self.actions[kind as usize].reads.iter();
        let reads = reads.map(|part| before[part.0 as usize].clone()).collect();
        let known = self.outcomes.entry((kind, reads));
        let (known, other) = known.or_insert_with(|| (effects.to_vec(), state.to_vec()));
        let same = known.len() == effects.len()
            && known
                .iter()
                .zip(effects)
                .all(|(one, other)| is_same(one, other));
        if same {
            return Ok(());
        }
        let other = other.clone();
        Err(Undeclared::Read {
            kind: format!("{:?}", self.names[kind as usize]),
            one: self.shown(&other),
            other: self.shown(state),
        })
    }

    fn looks(&self, state: &[Word]) -> Vec<Look> {
        let (model, state) = (self.system.model(), self.system.decode(state));
        let looks = self.parts.iter().map(|part| Look::of(model, part, &state));
        looks.collect()
    }

    fn shown(&self, state: &[Word]) -> String {
        format!("{:?}", self.system.decode(state))
    }
}

/// Parts that are left as they are may be as different after it as they were before.
fn is_same(one: &Effect, other: &Effect) -> bool {
    let mut parts = one.iter().zip(other);
    parts.all(|((a, a_changed), (b, b_changed))| a == b || !(*a_changed || *b_changed))
}

fn slot(part: usize) -> SlotId {
    SlotId(u32::try_from(part).expect("there are fewer parts"))
}
