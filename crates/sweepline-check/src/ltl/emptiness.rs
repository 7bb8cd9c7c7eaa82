//! Whether some run that was recorded is accepted, in the memory there is.

use sweepline_core::StopReason;

use super::acceptor::Acceptor;
use super::bits::search_bits;
use super::graph::RecordedProduct;
use super::lasso::Lasso;
use super::recorder::Recorder;
use super::search::{Allowance, Search, search};

/// What came out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// An accepted run.
    pub(crate) lasso: Option<Lasso>,
    /// There is none, in all that can be reached.
    pub(crate) empty: bool,
    /// There may be one beyond this number, where an atom has no value.
    pub(crate) undefined: Option<u32>,
    /// There was no room to find out.
    pub(crate) too_large: bool,
    /// What the search took.
    pub(crate) bytes: usize,
}

/// Searches what was recorded: depth-first if there is room for that, and else by passes over sets.
pub(crate) fn decide(
    recorder: &Recorder,
    acceptor: &Acceptor,
    allowance: &Allowance<'_>,
) -> Result<Found, StopReason> {
    let mut graph = RecordedProduct::new(recorder, acceptor);
    let mut found = search(&mut graph, &acceptor.acceptance, allowance);
    if matches!(found, Search::DoesNotFit) {
        let nodes = graph.nodes();
        found = search_bits(&mut graph, nodes, &acceptor.acceptance, allowance);
    }
    let (bytes, empty) = (graph.bytes(), matches!(found, Search::Empty));
    let lasso = match found {
        Search::Stopped(reason) => return Err(reason),
        Search::DoesNotFit => {
            return Ok(Found {
                too_large: true,
                bytes,
                ..Found::default()
            });
        }
        Search::Empty => None,
        Search::Accepting(witness) => Lasso::short(&mut graph, witness, allowance.bytes),
    };
    Ok(Found {
        empty: empty && !graph.unfinished && graph.met_undefined.is_none(),
        undefined: graph.met_undefined,
        lasso,
        too_large: false,
        bytes,
    })
}
