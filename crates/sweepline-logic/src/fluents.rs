//! Fluents [GM03]: truth values that actions switch on and off.

use std::collections::BTreeSet;

use sweepline_core::{
    ActionId, AnySystem, Describe, Layout, Observation, Steps, System, Trace, Word,
};

use crate::omega::Letter;
use crate::place::{Place, projected};
use crate::{BinaryOp, BitOp, CompareOp, Definition, Expr, Name, Pred, Source};

/// Something that holds from certain actions on until others happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fluent {
    /// What it is called.
    pub name: String,
    /// Whether it holds before anything happens.
    pub initially: bool,
    /// Actions from which on it holds.
    pub starts: BTreeSet<ActionId>,
    /// Actions from which on it does not, unless they start it too.
    pub ends: BTreeSet<ActionId>,
}

/// Several fluents with different names. Which of them hold is a letter: the first is the lowest bit.
#[derive(Clone, Debug, Default)]
pub struct Fluents {
    all: Vec<Fluent>,
    /// What each action leaves on, and what it switches on.
    switches: Vec<(Letter, Letter)>,
}

impl Fluents {
    /// The most that can be looked at together.
    pub const MOST: usize = 32;

    /// Several fluents, in this order; nothing if there are too many.
    pub fn new(all: Vec<Fluent>) -> Option<Self> {
        if all.len() > Self::MOST {
            return None;
        }
        let actions = all
            .iter()
            .flat_map(|one| one.starts.iter().chain(&one.ends));
        let known = actions.map(|action| action.0 as usize + 1).max();
        let switches = (0..).map(ActionId).take(known.unwrap_or(0)).map(|action| {
            let ended = letter(&all, |fluent| fluent.ends.contains(&action));
            let started = letter(&all, |fluent| fluent.starts.contains(&action));
            (!ended, started)
        });
        Some(Self {
            switches: switches.collect(),
            all,
        })
    }

    /// All of them.
    pub fn all(&self) -> &[Fluent] {
        &self.all
    }

    /// Those that hold before anything happens.
    pub fn initially(&self) -> Letter {
        letter(&self.all, |fluent| fluent.initially)
    }

    /// Those that hold after an action, given those before it.
    #[inline]
    pub fn after(&self, before: Letter, action: ActionId) -> Letter {
        let switched = self.switches.get(action.0 as usize);
        switched.map_or(before, |(kept, on)| before & kept | on)
    }
}

fn letter(all: &[Fluent], holds: impl Fn(&Fluent) -> bool) -> Letter {
    let bits = all.iter().enumerate();
    bits.fold(0, |letter, (at, fluent)| {
        letter | Letter::from(holds(fluent)) << at
    })
}

/// A system that remembers which fluents hold.
///
/// - **What it changes.** A state is a state of the model and the letter of the fluents that hold in it, which lies in bits that the
///   model leaves free, or else in a word behind the model's. Steps are those of the model, in the same order.
/// - **What it preserves.** Everything: the states that agree on the model's part are bisimilar, fluents aside. There may be more states
///   than in the model, and more deadlocks.
/// - **Under which conditions.** Any system. A measure of the model works on its states unchanged.
/// - **Traces.** [Projecting](Observed::project_trace) each state gives the trace of the model, with the same ordinals.
///
/// ```
/// # use sweepline_core::{ActionId, Describe, Layout, Word};
/// # struct Lamp(Layout, [String; 2]);
/// # impl System for Lamp {
/// #     fn layout(&self) -> &Layout { &self.0 }
/// #     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
/// #     fn successors(&self, state: &[Word], out: &mut Steps) {
/// #         out.push(ActionId(0), state);
/// #         out.push(ActionId(1), state);
/// #     }
/// # }
/// # impl Describe for Lamp { fn actions(&self) -> &[String] { &self.1 } }
/// # let lamp = Lamp(Layout::builder().integer("n", 0, 3).build(), ["on".into(), "off".into()]);
/// use sweepline_core::{Steps, System};
/// use sweepline_logic::{Fluent, Fluents, Observed};
///
/// // `fluent LIT = <on, off>`, of a process that can do both at any time.
/// let lit = Fluent {
///     name: "LIT".into(),
///     starts: [ActionId(0)].into(),
///     ends: [ActionId(1)].into(),
///     initially: false,
/// };
/// let observed = Observed::new(&lamp, Fluents::new(vec![lit]).unwrap());
/// let mut steps = Steps::for_layout(observed.layout());
/// observed.successors(&[0], &mut steps);
/// assert_eq!([0, 1].map(|step| observed.letter(steps.target(step))), [1, 0]);
/// ```
#[derive(Debug)]
pub struct Observed<S> {
    inner: S,
    layout: Layout,
    place: Place,
    fluents: Fluents,
}

/// No process is called like this.
const SLOT: &str = "the fluents";

impl<S: System> Observed<S> {
    /// Lets a system be observed.
    pub fn new(inner: S, fluents: Fluents) -> Self {
        let greatest = (1 << fluents.all.len().max(1)) - 1;
        let layout = inner.layout().followed_by_number(SLOT, greatest);
        Self {
            place: Place::of(&layout, inner.layout()),
            layout,
            inner,
            fluents,
        }
    }
}

impl<S> Observed<S> {
    /// The fluents that hold in a state.
    #[inline]
    pub fn letter(&self, state: &[Word]) -> Letter {
        self.place.number(state).into()
    }

    /// A path with the states of the model. It is none of the model before it has been replayed there.
    pub fn project_trace(&self, trace: &Trace) -> Trace {
        projected(trace, self.place)
    }

    /// A proposition for each fluent, which says that it holds and is called like it.
    pub fn definitions(&self) -> Vec<Definition> {
        let named = self.fluents.all.iter().enumerate();
        let whole = self.layout.slot_named(SLOT).is_some();
        let defined = named.map(|(at, fluent)| {
            let bit = if whole {
                let letter = Box::new(Expr::Slot(Name::new(SLOT)));
                let bit = Box::new(Expr::Number(1 << at));
                Expr::Binary(BinaryOp::Bits(BitOp::And), letter, bit)
            } else {
                Expr::Slot(Name::new(format!("{SLOT}.{at}")))
            };
            Definition {
                name: Name::new(&fluent.name),
                pred: Pred::Compare(CompareOp::NotEqual, bit, Expr::Number(0)),
                source: Source::new("fluents", ""),
            }
        });
        defined.collect()
    }

    /// Adds a step of the model, after which these fluents hold.
    #[inline]
    fn push(&self, action: ActionId, model: &[Word], letter: Letter, out: &mut Steps) {
        let number = u32::try_from(letter).expect("there are at most 32 fluents");
        self.place.push(action, model, number, out);
    }
}

impl<S: System> System for Observed<S> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        out.by_way_of(self.inner.layout(), |steps, out| {
            self.inner.initial(steps);
            for (index, &action) in steps.actions().iter().enumerate() {
                self.push(action, steps.target(index), self.fluents.initially(), out);
            }
        });
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let before = self.letter(state);
        self.place.with_model(state, |model| {
            out.by_way_of(self.inner.layout(), |steps, out| {
                self.inner.successors(model, steps);
                if steps.fault().is_some() {
                    return;
                }
                for (index, &action) in steps.actions().iter().enumerate() {
                    let after = self.fluents.after(before, action);
                    self.push(action, steps.target(index), after, out);
                }
            });
        });
    }

    fn is_end(&self, state: &[Word]) -> bool {
        let model = |model: &[Word]| self.inner.is_end(model);
        self.place.with_model(state, model)
    }
}

impl<S: Describe> Describe for Observed<S> {
    fn actions(&self) -> &[String] {
        self.inner.actions()
    }

    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        let name = |model: &[Word]| self.inner.step_name(model, ordinal, action);
        self.place.with_model(source, name)
    }

    fn lines(&self, action: ActionId) -> Vec<usize> {
        self.inner.lines(action)
    }

    fn is_internal(&self, action: ActionId) -> bool {
        self.inner.is_internal(action)
    }

    fn observe(&self, name: &str) -> Option<Result<Observation, String>> {
        self.inner.observe(name)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let mut shown = self.place.with_model(state, |model| self.inner.show(model));
        let letter = self.letter(state);
        let values = self.fluents.all.iter().enumerate();
        shown.extend(values.map(|(at, fluent)| {
            let holds = letter >> at & 1 == 1;
            (fluent.name.clone(), holds.to_string())
        }));
        shown
    }
}

/// A wider model is observed again by whoever observed it.
impl<S: Describe + Send + Sync> AnySystem for Observed<S> {}
