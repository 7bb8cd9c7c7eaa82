//! PNML, the exchange format for nets (ISO/IEC 15909-2), as it is found in practice.
//!
//! What is read:
//!
//! - the grammar of 2009 and its predecessors, with any of their namespaces or none, `<text>` or `<value>`;
//! - pages within pages, reference places and reference transitions;
//! - inhibitor and read arcs, marked by `type="inhibitor"`, `<type value="inhibitor"/>` or `<type><text>…`;
//! - counts with a token class before them (`Default,2`), as the editor PIPE writes them;
//! - symmetric nets, whose tokens have colours: they are unfolded;
//! - UTF-8, ISO-8859-1 and US-ASCII.
//!
//! Tool-specific sections, graphics and everything else without a meaning for nets is passed over. What *has* a
//! meaning that would be lost (time, priorities, capacities, reset arcs) is refused.

pub(crate) mod arcs;
pub(crate) mod document;
mod error;
pub(crate) mod nodes;
mod number;
mod write;

use crate::diagnostics::{Collector, InputErrors};
use crate::{PetriNet, xml};

pub use error::PnmlError;
pub use write::write_pnml;

/// Everything that is wrong with a PNML file.
pub type PnmlErrors = InputErrors<PnmlError>;

/// How to read a PNML file.
#[derive(Clone, Debug, Default)]
pub struct PnmlOptions {
    /// The id of the net to read. Needed only if the file holds several.
    pub net: Option<String>,
}

/// Reads a net.
///
/// The name is that of the file, for messages.
///
/// ```
/// use sweepline_net::{PnmlOptions, read_pnml};
///
/// let file = br#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
///   <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
///     <place id="p"><initialMarking><text>3</text></initialMarking></place>
///     <transition id="t"/>
///     <arc id="a" source="p" target="t"><inscription><text>2</text></inscription></arc>
///   </page></net>
/// </pnml>"#;
/// let net = read_pnml("small.pnml", file, &PnmlOptions::default()).unwrap();
/// let t = net.transition_with_id("t").unwrap();
/// assert_eq!(net.fire(&net.initial_marking(), t), Some(vec![1]));
/// ```
pub fn read_pnml(name: &str, bytes: &[u8], options: &PnmlOptions) -> Result<PetriNet, PnmlErrors> {
    let (source, decoded) = xml::decode(name, bytes);
    let tree = decoded.and_then(|()| xml::parse(source.text()));
    let document = match tree {
        Ok(document) => document,
        Err(error) => return Err(InputErrors::one(source.clone(), error.into())),
    };
    let net = match document::select_net(&document, options.net.as_deref()) {
        Ok(net) => net,
        Err(error) => return Err(InputErrors::one(source.clone(), error)),
    };
    let mut errors = Collector::new();
    let net = nodes::read_net(net, &mut errors);
    errors.finish(&source, net)
}
