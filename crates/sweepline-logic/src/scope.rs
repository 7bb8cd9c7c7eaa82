//! The names a text may use.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use sweepline_core::{ActionId, Describe, Layout, Observation, Slot, SlotId};

use crate::{Errors, Name, Pred, Predicate, ResolveError, Source};

/// A proposition defined by the user: `--prop 'ready = x > 3'`.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What it is called.
    pub name: Name,
    /// When it holds.
    pub pred: Pred,
    /// The text of both.
    pub source: Source,
}

/// The names of a system: its slots, its actions, and propositions defined on top of them.
///
/// A proposition hides a slot of the same name.
pub struct Scope<'a> {
    layout: &'a Layout,
    actions: &'a [String],
    by_name: OnceCell<HashMap<&'a str, Vec<ActionId>>>,
    propositions: BTreeMap<String, Predicate>,
    observe: Box<Observe<'a>>,
}

/// What else a system can tell of its states.
type Observe<'a> = dyn Fn(&str) -> Option<Result<Observation, String>> + 'a;

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Scope");
        shown.field("layout", self.layout).finish_non_exhaustive()
    }
}

impl<'a> Scope<'a> {
    /// The slots and actions of a system.
    pub fn of<S: Describe + ?Sized>(system: &'a S) -> Self {
        Self {
            layout: system.layout(),
            actions: system.actions(),
            by_name: OnceCell::new(),
            propositions: BTreeMap::new(),
            observe: Box::new(|name| system.observe(name)),
        }
    }

    /// What a name means that is none of a slot.
    pub(crate) fn observation(&self, name: &str) -> Option<Result<Observation, String>> {
        (self.observe)(name)
    }

    /// Adds propositions in the given order; each may use those before it.
    ///
    /// ```
    /// # use sweepline_core::{ActionId, Describe, Layout, Steps, System, Word};
    /// # struct Counter(Layout);
    /// # impl System for Counter {
    /// #     fn layout(&self) -> &Layout { &self.0 }
    /// #     fn initial(&self, out: &mut Steps) {}
    /// #     fn successors(&self, state: &[Word], out: &mut Steps) {}
    /// # }
    /// # impl Describe for Counter { fn actions(&self) -> &[String] { &[] } }
    /// # let counter = Counter(Layout::builder().integer("n", 0, 3).build());
    /// use sweepline_logic::{Enabled, Predicate, Scope, parse_definition, parse_pred};
    ///
    /// let definitions = [
    ///     parse_definition("full = n == 3").unwrap(),
    ///     parse_definition("free = not full").unwrap(),
    /// ];
    /// let scope = Scope::of(&counter).with(&definitions).unwrap();
    /// let free = Predicate::resolve(&parse_pred("free").unwrap(), &scope, &"free".into()).unwrap();
    /// assert_eq!(free.eval(&[2], &Enabled::default()), Ok(true));
    /// ```
    pub fn with(mut self, definitions: &[Definition]) -> Result<Self, Errors<ResolveError>> {
        let mut errors = Vec::new();
        for definition in definitions {
            if let Err(error) = self.define(definition) {
                errors.extend(error.into_vec());
            }
        }
        Errors::unless_none(self, errors)
    }

    fn define(&mut self, definition: &Definition) -> Result<(), Errors<ResolveError>> {
        let Definition { name, pred, source } = definition;
        let predicate = Predicate::resolve(pred, self, source);
        if self.propositions.contains_key(&name.text) {
            return Err(ResolveError::defined_twice(name, source).into());
        }
        // A wrong definition is defined all the same, so that it is not reported again wherever it is used.
        let value = predicate.as_ref().map_or(Predicate::FALSE, Clone::clone);
        self.propositions.insert(name.text.clone(), value);
        predicate.map(|_| ())
    }

    pub(crate) fn layout(&self) -> &'a Layout {
        self.layout
    }

    pub(crate) fn slot(&self, name: &str) -> Option<(SlotId, &'a Slot)> {
        let id = self.layout.slot_named(name)?;
        Some((id, self.layout.slot(id)))
    }

    pub(crate) fn proposition(&self, name: &str) -> Option<&Predicate> {
        self.propositions.get(name)
    }

    /// Every action of this name.
    pub fn actions_named(&self, name: &str) -> &[ActionId] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&str, Vec<ActionId>> = HashMap::new();
            for (id, name) in (0..).map(ActionId).zip(self.actions) {
                by_name.entry(name).or_default().push(id);
            }
            by_name
        });
        by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn action_names(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().map(String::as_str)
    }

    /// Everything that can stand where a predicate is expected.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let slots = self.layout.slots().iter().map(|slot| slot.name.as_str());
        slots.chain(self.propositions.keys().map(String::as_str))
    }
}
