//! What linear programs and control flows say about a model.

use sweepline_core::Layout;
use sweepline_net::PetriNet;
use sweepline_process::Network;

use crate::auto::Structure;
use crate::combine::{Monotone, Rows};
use crate::linear::{self, Budget, Effects};
use crate::program::{Behaviour, Columns};
use crate::{components, net, program_words};

/// What never decreases in a model. Rows are worked out only when somebody asks for them.
pub enum Solved<'a> {
    /// Of a net.
    Net {
        /// The net.
        net: &'a PetriNet,
        /// What its transitions change.
        effects: Effects,
        /// Its columns.
        columns: linear::Columns,
    },
    /// Of a program.
    Program(&'a Behaviour, Columns<'a>),
    /// Of components that share labels.
    Components(&'a Network),
    /// Nothing is known.
    Unknown,
    /// Something could be known, but not at this price.
    TooLarge,
}

impl<'a> Solved<'a> {
    /// Works out the columns. So much work may be spent on looking into a program.
    pub fn of(structure: &'a Structure, analysis: u64, budget: &Budget) -> Self {
        match structure {
            Structure::Net(net) => {
                let effects = net::effects(net);
                let columns = linear::columns(&effects, budget);
                Self::Net {
                    net,
                    effects,
                    columns,
                }
            }
            Structure::Program(behaviour) if behaviour.can_be_known() => {
                if !behaviour.look_into(analysis) {
                    return Self::TooLarge;
                }
                Self::Program(behaviour, Columns::of(behaviour, budget))
            }
            Structure::Components(network) => Self::Components(network),
            Structure::Program(_) | Structure::Unknown => Self::Unknown,
        }
    }

    /// Coordinates that never decrease.
    pub fn monotone(&self, layout: &Layout) -> Monotone {
        match self {
            Self::Net {
                net,
                effects,
                columns,
            } => net::monotone(net, effects, columns),
            Self::Program(behaviour, columns) => {
                program_words::monotone(behaviour.program(), layout, columns)
            }
            Self::Components(network) => components::monotone(network, layout),
            Self::Unknown | Self::TooLarge => Monotone::default(),
        }
    }

    /// Coordinates that may decrease. Frequencies say how often actions happen.
    pub fn rows(&self, layout: &Layout, frequency: &[f64], budget: &Budget) -> Rows {
        match self {
            Self::Net {
                net,
                effects,
                columns,
            } => net::rows(net, effects, columns, frequency, budget),
            Self::Program(behaviour, columns) => {
                program_words::rows(behaviour.program(), layout, columns, frequency, budget)
            }
            Self::Components(network) => components::rows(network, layout),
            Self::Unknown | Self::TooLarge => Rows::new(),
        }
    }

    /// Whether more could be known at a greater price.
    pub fn ran_out(&self) -> bool {
        matches!(self, Self::TooLarge)
    }
}
