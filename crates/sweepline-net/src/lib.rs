//! Place/transition nets and symmetric nets: PNML, contest properties, firing on packed words.
//!
//! A [`PetriNet`] comes from a PNML file ([`read_pnml`]), from a program ([`PetriNet::builder`]) or from a [`family`].
//! [`NetSystem`] makes it a transition system whose states are packed markings. Properties come from the XML of the
//! Model Checking Contest ([`read_properties`]) or ask what can be asked of any net ([`examination`]). Whatever is wrong
//! with a file is reported completely, with positions.
//!
//! ```
//! use sweepline_core::{Steps, System};
//! use sweepline_net::{NetSystem, PnmlOptions, read_pnml, read_properties};
//!
//! // A machine that takes parts from a full store and never gets new ones.
//! let net = br#"<pnml><net id="store">
//!     <place id="full"><initialMarking><text>3</text></initialMarking></place>
//!     <place id="empty"/>
//!     <transition id="take"/>
//!     <arc id="a" source="full" target="take"/>
//!     <arc id="b" source="take" target="empty"/>
//! </net></pnml>"#;
//! let net = read_pnml("store.pnml", net, &PnmlOptions::default()).unwrap();
//!
//! let question = br#"<property-set><property><id>used up</id><formula>
//!     <exists-path><finally><integer-ge>
//!         <tokens-count><place>empty</place></tokens-count><integer-constant>3</integer-constant>
//!     </integer-ge></finally></exists-path>
//! </formula></property></property-set>"#;
//! let properties = read_properties("store.xml", question, &net).unwrap().complete().unwrap();
//! assert_eq!(properties[0].name, "used up");
//!
//! let system = NetSystem::new(net);
//! let mut steps = Steps::for_layout(system.layout());
//! system.initial(&mut steps);
//! let initial = steps.target(0).to_vec();
//! steps.clear();
//! system.successors(&initial, &mut steps);
//! assert_eq!(system.marking(steps.target(0)), [2, 1]);
//! ```

mod diagnostics;
mod examination;
pub mod family;
mod net;
mod pnml;
mod properties;
mod symmetric;
mod system;
mod xml;

pub use diagnostics::{InputErrors, SourceText};
pub use examination::{ExaminationError, examination};
pub use net::{
    Folded, MAX_TOKENS, NetBuilder, NetError, NotFound, PetriNet, Place, PlaceArc, PlaceId, Tokens,
    Transition, TransitionId,
};
pub use pnml::{PnmlError, PnmlErrors, PnmlOptions, read_pnml, write_pnml};
pub use properties::{
    IncompleteSet, PropertyEntry, PropertyError, PropertyErrors, PropertySet, Refusal,
    WrongProperty, fold_names, read_properties, resolve_expression, resolve_names,
    resolve_predicate, spell_out_fireable,
};
pub use system::NetSystem;
pub use xml::XmlError;

/// What another reader of XML needs: bytes to text, text to tree, errors with their places.
pub mod reading {
    pub use crate::diagnostics::{Collector, label, quoted};
    pub use crate::xml::{attribute_range, decode, parse, tag, text_of};
}
