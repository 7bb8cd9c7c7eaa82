//! Conditions on states that are asked one by one.

use sweepline_core::{Layout, Word};

use crate::ir::{Expr, Program};
use crate::lower::{Lowering, Node};

/// How many conditions a word has what is known of.
pub(crate) const PER_WORD: usize = 32;

/// Conditions over the slots of a program, looked up in a layout once and asked often.
///
/// ```
/// use sweepline_core::{Steps, System};
/// use sweepline_program::{Conditions, Expr, ProgramBuilder, ProgramSystem, SlotType};
///
/// let mut program = ProgramBuilder::new("counter");
/// let n = program.slot("n", SlotType::integer(0, 3), 2);
/// let system = ProgramSystem::new(program.build()?);
/// let asked = [Expr::slot(n).less(3), Expr::slot(n).equals(0)];
/// let conditions = Conditions::new(system.program(), system.layout(), &asked);
///
/// let mut steps = Steps::for_layout(system.layout());
/// system.initial(&mut steps);
/// assert_eq!(conditions.holds(0, steps.target(0)), Some(true));
/// assert_eq!(conditions.holds(1, steps.target(0)), Some(false));
/// # Ok::<(), sweepline_program::ProgramError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Conditions {
    nodes: Vec<Node>,
}

impl Conditions {
    /// Conditions on the states of a program that have this layout.
    pub fn new<'e>(
        program: &Program,
        layout: &Layout,
        conditions: impl IntoIterator<Item = &'e Expr>,
    ) -> Self {
        let lowering = Lowering::new(program, layout);
        let conditions = conditions.into_iter();
        Self {
            nodes: conditions.map(|expr| lowering.expr(expr).0).collect(),
        }
    }

    /// Writes what holds in a state: of a word, each condition has two bits, the lower one for *true* and the upper one for *false*.
    /// It has neither where it has no value.
    ///
    /// # Panics
    /// If there are fewer than [`Conditions::words`] words.
    pub fn write(&self, state: &[Word], truths: &mut [Word]) {
        truths[..self.words()].fill(0);
        for position in 0..self.nodes.len() {
            let bits = match self.holds(position, state) {
                Some(true) => 1,
                Some(false) => 2,
                None => 0,
            };
            truths[position / PER_WORD] |= bits << (2 * (position % PER_WORD));
        }
    }

    /// How many words there are to write.
    pub fn words(&self) -> usize {
        self.nodes.len().div_ceil(PER_WORD)
    }

    #[cfg(feature = "jit")]
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether a condition is true in a state. Nothing if it has no value there.
    #[inline]
    pub fn holds(&self, condition: usize, state: &[Word]) -> Option<bool> {
        self.nodes[condition].holds(state).ok()
    }
}
