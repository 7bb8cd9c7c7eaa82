//! Networks: components that run side by side and share labels.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::lts::Lts;

/// Components in parallel. A label is executed jointly by every component that has it in its alphabet (CSP);
/// `tau` is never shared.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The components, in the order they were written.
    pub components: Vec<Component>,
    /// Labels that are internal outside: they synchronise as ever, but are no part of the network's alphabet.
    pub hidden: BTreeSet<String>,
    /// Labels that go before or after all others.
    pub priority: Option<Priority>,
}

impl Network {
    /// Components side by side; nothing is hidden or prioritised. Names should differ.
    pub fn parallel<N: Into<String>>(components: impl IntoIterator<Item = (N, Lts)>) -> Self {
        let component = |(name, lts): (N, Lts)| Component {
            name: name.into(),
            lts: Arc::new(lts),
        };
        Self {
            components: components.into_iter().map(component).collect(),
            ..Self::default()
        }
    }

    /// How much memory its components take, nearly.
    pub fn bytes(&self) -> usize {
        let components = self.components.iter();
        components.map(|component| component.lts.bytes()).sum()
    }
}

/// A component of a network.
#[derive(Clone, Debug)]
pub struct Component {
    /// What it is called; unique in its network.
    pub name: String,
    /// What it does.
    pub lts: Arc<Lts>,
}

/// Labels that are not equal to the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priority {
    /// The labels.
    pub labels: BTreeSet<String>,
    /// Whether they go first (`<<`), so that others happen only where none of them can, or last (`>>`).
    pub high: bool,
}
