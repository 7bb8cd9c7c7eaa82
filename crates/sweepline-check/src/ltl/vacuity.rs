//! Claims that hold for want of anything to hold of [BBER01]: what is asked again of a claim that holds.
//!
//! A claim is made harder by replacing an occurrence of an atom by its weakest value. If it still holds, the occurrence does not
//! matter. All of this is asked of what has been looked at anyway: of what the probe has expanded or may still expand, and of
//! what is recorded. Where that is not enough, nothing is said; no verdict depends on it.

use super::acceptor::Acceptor;
use super::claim::{Claim, Fairness};

/// A claim made harder.
#[derive(Clone, Debug)]
pub struct Harder {
    /// Which occurrence of an atom was replaced. If several say the same one, all of them have to hold.
    pub occurrence: usize,
    /// What is claimed instead.
    pub claim: Claim,
}

/// Makes a claim harder in all ways, when somebody wants to know.
type Make = dyn FnOnce() -> Vec<Harder> + Send;

/// What is asked of a claim once it holds.
#[derive(Default)]
pub(crate) struct Vacuity {
    make: Option<Box<Make>>,
    asked: Vec<Asked>,
}

/// A claim made harder, and whether it still holds if that is known.
pub(crate) struct Asked {
    occurrence: usize,
    pub(crate) acceptor: Acceptor,
    pub(crate) holds: Option<bool>,
}

impl Vacuity {
    pub(crate) fn new(make: impl FnOnce() -> Vec<Harder> + Send + 'static) -> Self {
        Self {
            make: Some(Box::new(make)),
            asked: Vec::new(),
        }
    }

    /// The claim holds. Occurrences for which something cannot be asked are left out.
    pub(crate) fn begin(&mut self, fairness: &Fairness, atoms: usize) {
        let Some(make) = self.make.take() else { return };
        let mut refused = Vec::new();
        for Harder { occurrence, claim } in make() {
            match Acceptor::new(&claim, fairness, atoms) {
                Ok(acceptor) => self.asked.push(Asked {
                    occurrence,
                    acceptor,
                    holds: None,
                }),
                Err(_) => refused.push(occurrence),
            }
        }
        self.asked
            .retain(|asked| !refused.contains(&asked.occurrence));
    }

    /// What is not known yet.
    pub(crate) fn open(&mut self) -> impl Iterator<Item = &mut Asked> {
        let asked = self.asked.iter_mut();
        asked.filter(|asked| asked.holds.is_none())
    }

    /// Whether something that is not known yet asks for this atom.
    pub(crate) fn asks(&self, atom: usize) -> bool {
        let mut open = self.asked.iter().filter(|asked| asked.holds.is_none());
        open.any(|asked| asked.acceptor.asks(atom))
    }

    /// The occurrences that do not matter, as far as that is known.
    pub(crate) fn vacuous(&self) -> Vec<usize> {
        let mut occurrences: Vec<usize> = self.asked.iter().map(|asked| asked.occurrence).collect();
        occurrences.sort_unstable();
        occurrences.dedup();
        occurrences.retain(|&occurrence| {
            let mut of_it = self
                .asked
                .iter()
                .filter(|asked| asked.occurrence == occurrence);
            of_it.all(|asked| asked.holds == Some(true))
        });
        occurrences
    }
}
