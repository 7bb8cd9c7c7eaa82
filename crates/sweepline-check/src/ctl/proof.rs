//! Why a formula is true or false where it is, as numbers: a tree of paths through what is recorded.

mod paths;

use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;

use sweepline_core::{Limits, StopReason};
use sweepline_logic::ctl::Quantifier;

use super::arena::{Arena, Op, Part};
use super::edges::Edges;
use super::labels::Labels;

/// Why a part of a formula has its truth value in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) part: Part,
    pub(crate) truth: bool,
    pub(crate) way: Way,
    /// Why what it rests on is so, each after so many steps of the way.
    pub(crate) because: Vec<(usize, Proof)>,
    /// How many more of these there are, for which there is no room.
    pub(crate) left_out: usize,
}

/// Where a proof leads. Steps are the ordinals of steps of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nowhere: the state itself decides.
    Here,
    /// Along a path.
    Path(Vec<u32>),
    /// Along a path to where the run ends.
    End(Vec<u32>),
    /// Along a path whose last state is that after so many steps, and so on for ever.
    Loop(Vec<u32>, usize),
    /// Everything that can be reached is alike.
    Closure,
    /// All runs matter, and none shows it.
    AllRuns,
    /// Some run shows it, which was not found among as many numbers as can be remembered.
    Unfound,
}

impl Way {
    /// The steps along it.
    pub(crate) fn steps(&self) -> &[u32] {
        match self {
            Self::Here | Self::Closure | Self::AllRuns | Self::Unfound => &[],
            Self::Path(steps) | Self::End(steps) | Self::Loop(steps, _) => steps,
        }
    }
}

/// Most proofs of parts that are given.
const MOST_PARTS: usize = if cfg!(test) { 40 } else { 1000 };
/// Steps of all ways of these together, after which it is not said of more ways why they may be taken.
const MOST_STEPS: usize = 100_000;
/// Numbers that were looked at to find them, after which it is not either.
const MOST_SEARCHED: usize = 1 << 21;

/// Proves that a part is true or false at a number, which is known.
pub(crate) fn prove(
    arena: &Arena,
    labels: &Labels<'_>,
    (part, number, truth): (Part, u32, bool),
    limits: &Limits,
) -> Result<Proof, StopReason> {
    let mut prover = Prover {
        arena,
        labels,
        limits,
        edges: OnceCell::new(),
        searched: Cell::new(0),
        given: Vec::new(),
        steps: 0,
        next: Vec::new(),
        waiting: VecDeque::new(),
    };
    let proof = prover.prove(Claim {
        part,
        number,
        truth,
    });
    labels.check()?;
    match prover.edges.into_inner() {
        None => Ok(proof),
        Some(edges) => edges.and_then(|edges| edges.check()).map(|()| proof),
    }
}

struct Prover<'a> {
    arena: &'a Arena,
    labels: &'a Labels<'a>,
    limits: &'a Limits,
    /// Links, once one has to be looked up.
    edges: OnceCell<Result<Edges, StopReason>>,
    /// Numbers that were looked at in searches.
    searched: Cell<usize>,
    /// Proofs without what they rest on. Each comes after the one that it is a reason of.
    given: Vec<Given>,
    /// Steps of all of them.
    steps: usize,
    /// What is to be proved next, and what for: why a part is as it is where a way ends. So ways are followed to their end first.
    next: Vec<(usize, usize, Claim)>,
    /// What comes then: why these ways may be taken.
    waiting: VecDeque<(usize, usize, Claim)>,
}

/// That a part is true or false at a number, which is known.
#[derive(Clone, Copy)]
struct Claim {
    part: Part,
    number: u32,
    truth: bool,
}

/// A proof without what it rests on.
struct Given {
    /// What it is a reason for, and after how many steps of that.
    of: Option<(usize, usize)>,
    claim: Claim,
    way: Way,
    left_out: usize,
}

/// What a proof rests on, each after so many steps of its way.
#[derive(Default)]
struct Reasons {
    /// Why the part is as it is where the way ends.
    last: Vec<(usize, Claim)>,
    /// Why the way may be taken.
    passed: Vec<(usize, Claim)>,
}

/// What a run must be like to show something: on its way, or done.
#[derive(Clone, Copy)]
struct Run {
    quantifier: Quantifier,
    way: Part,
    goal: Part,
    /// Whether it is enough to stay on the way.
    weak: bool,
}

impl Prover<'_> {
    fn prove(&mut self, claim: Claim) -> Proof {
        self.give(None, claim);
        loop {
            let (next, is_allowed) = match self.next.pop() {
                Some(next) => (Some(next), true),
                None => (self.waiting.pop_front(), self.may_go_on()),
            };
            match next {
                Some((of, at, claim)) if is_allowed && self.given.len() < MOST_PARTS => {
                    self.give(Some((of, at)), claim);
                }
                Some((of, ..)) => self.given[of].left_out += 1,
                None => return self.assembled(),
            }
        }
    }

    /// Whether ways were short and found soon, so that it can be said of more of them why they may be taken.
    fn may_go_on(&self) -> bool {
        self.steps < MOST_STEPS && self.searched.get() < MOST_SEARCHED
    }

    fn has_searched(&self, numbers: usize) {
        self.searched.set(self.searched.get() + numbers);
    }

    /// Proves a claim. What that rests on waits for its turn, as far as there will be room for it.
    fn give(&mut self, of: Option<(usize, usize)>, claim: Claim) {
        let mut reasons = Reasons::default();
        let way = self.way(claim, &mut reasons);
        let this = self.given.len();
        self.steps += way.steps().len();
        let last = reasons.last.iter().rev();
        self.next.extend(last.map(|&(at, claim)| (this, at, claim)));
        let room = MOST_PARTS.saturating_sub(self.waiting.len());
        let waiting = reasons.passed.iter().take(room);
        self.waiting
            .extend(waiting.map(|&(at, claim)| (this, at, claim)));
        self.given.push(Given {
            of,
            claim,
            way,
            left_out: reasons.passed.len().saturating_sub(room),
        });
    }

    /// The proof of the first claim, with all reasons where they belong.
    fn assembled(&mut self) -> Proof {
        let mut reasons: Vec<Vec<(usize, Proof)>> = Vec::new();
        reasons.resize_with(self.given.len(), Vec::new);
        loop {
            let given = self.given.pop().expect("the first is returned");
            let mut because = reasons.pop().expect("there is one of each");
            because.reverse();
            because.sort_by_key(|(at, _)| *at);
            let proof = Proof {
                part: given.claim.part,
                truth: given.claim.truth,
                way: given.way,
                because,
                left_out: given.left_out,
            };
            match given.of {
                Some((of, at)) => reasons[of].push((at, proof)),
                None => return proof,
            }
        }
    }

    fn way(&self, claim: Claim, reasons: &mut Reasons) -> Way {
        let Claim {
            part,
            number,
            truth,
        } = claim;
        let here = |part: Part, truth: bool| {
            (
                0,
                Claim {
                    part,
                    number,
                    truth,
                },
            )
        };
        match self.arena.op(part).clone() {
            Op::State(_) => Way::Here,
            Op::Not(operand) => {
                reasons.last.push(here(operand, !truth));
                Way::Here
            }
            Op::And(parts) => self.junction(&parts, claim, true, reasons),
            Op::Or(parts) => self.junction(&parts, claim, false, reasons),
            Op::Iff(a, b) => {
                for operand in [a, b] {
                    let truth = self.labels.at(operand, number);
                    reasons.last.extend(truth.map(|truth| here(operand, truth)));
                }
                Way::Here
            }
            Op::Next(quantifier, operand) => self.next(quantifier, operand, claim, reasons),
            Op::Until {
                quantifier,
                weak,
                way,
                goal,
            } => {
                let shows = truth == (quantifier == Quantifier::Exists);
                let run = Run {
                    quantifier,
                    way,
                    goal,
                    weak: weak == truth,
                };
                if shows {
                    self.run(run, part, number, reasons)
                } else if self.labels.fair.is_none() && self.is_closure(quantifier, weak, way, goal)
                {
                    Way::Closure
                } else {
                    Way::AllRuns
                }
            }
        }
    }

    /// All operands of a conjunction that is true, or the first that makes it false; likewise of a disjunction.
    fn junction(&self, parts: &[Part], claim: Claim, all: bool, reasons: &mut Reasons) -> Way {
        let agrees = |part: &Part| self.labels.at(*part, claim.number) == Some(claim.truth);
        let agreeing = parts.iter().copied().filter(agrees);
        let needed = if claim.truth == all { parts.len() } else { 1 };
        let needed = agreeing
            .take(needed)
            .map(|part| (0, Claim { part, ..claim }));
        reasons.last.extend(needed);
        Way::Here
    }

    fn next(
        &self,
        quantifier: Quantifier,
        operand: Part,
        Claim { number, truth, .. }: Claim,
        reasons: &mut Reasons,
    ) -> Way {
        if truth != (quantifier == Quantifier::Exists) {
            return if self.is_end(number) {
                Way::End(Vec::new())
            } else {
                Way::AllRuns
            };
        }
        let mut steps = self.steps(number);
        let found = steps.find(|&(_, target)| {
            self.labels.at(operand, target) == Some(truth) && self.is_fair(target)
        });
        let Some((ordinal, target)) = found else {
            return Way::Unfound;
        };
        let claim = Claim {
            part: operand,
            number: target,
            truth,
        };
        reasons.last.push((1, claim));
        self.go_on(1, target, reasons);
        Way::Path(vec![ordinal])
    }

    /// Whether some run that counts starts here.
    fn is_fair(&self, number: u32) -> bool {
        let fair = self.labels.fair.as_ref();
        fair.is_none_or(|fair| self.labels.at(fair.part, number) == Some(true))
    }

    /// Some run that counts goes on from the end of a path, if not all do.
    fn go_on(&self, at: usize, number: u32, reasons: &mut Reasons) {
        let fair = self.labels.fair.as_ref();
        reasons.last.extend(fair.map(|fair| {
            let claim = Claim {
                part: fair.part,
                number,
                truth: true,
            };
            (at, claim)
        }));
    }

    /// Links. If they cannot be looked up the proof will not be used.
    fn edges(&self) -> Option<&Edges> {
        if let Some(fair) = &self.labels.fair {
            return Some(fair.edges());
        }
        let edges = self
            .edges
            .get_or_init(|| Edges::of(self.labels.recorder, self.limits));
        edges.as_ref().ok()
    }

    /// The steps of a number, with their ordinals.
    fn steps(&self, number: u32) -> impl Iterator<Item = (u32, u32)> {
        self.edges()
            .into_iter()
            .flat_map(move |edges| edges.steps(number))
    }

    fn is_end(&self, number: u32) -> bool {
        self.edges().is_none_or(|edges| edges.is_end(number))
    }

    /// `EF p` is false, or `AG p` true: what can be reached never, or always, satisfies p.
    fn is_closure(&self, quantifier: Quantifier, weak: bool, way: Part, goal: Part) -> bool {
        match quantifier {
            Quantifier::Exists => !weak && self.arena.is_always(way, true),
            Quantifier::Forall => weak && self.arena.is_always(goal, false),
        }
    }

    /// Whether a run may pass here, or is done here. A run against `A[p U q]` passes states without q, and is done where p fails
    /// too.
    fn passes(&self, run: Run, number: u32) -> bool {
        match run.quantifier {
            Quantifier::Exists => self.labels.at(run.way, number) == Some(true),
            Quantifier::Forall => self.labels.at(run.goal, number) == Some(false),
        }
    }

    fn is_done(&self, run: Run, number: u32) -> bool {
        if !self.is_fair(number) {
            return false;
        }
        match run.quantifier {
            Quantifier::Exists => self.labels.at(run.goal, number) == Some(true),
            Quantifier::Forall => {
                self.labels.at(run.way, number) == Some(false) && self.passes(run, number)
            }
        }
    }

    fn run(&self, run: Run, part: Part, number: u32, reasons: &mut Reasons) -> Way {
        let path = self
            .shortest(run, number)
            .or_else(|| self.upwards(run, part, number));
        let (way, passed) = match path {
            Some((steps, passed)) => (Way::Path(steps), passed),
            None if run.weak => match self.stay(run, part, number) {
                Some(found) => found,
                None => return Way::Unfound,
            },
            None => return Way::Unfound,
        };
        let is_path = matches!(way, Way::Path(_));
        let last = passed.len() - 1;
        let (passing, value) = match run.quantifier {
            Quantifier::Exists => (run.way, true),
            Quantifier::Forall => (run.goal, false),
        };
        // States of a loop are passed, its last one for the second time.
        let on_the_way = match &way {
            Way::Path(_) | Way::Loop(..) => &passed[..last],
            _ => &passed[..],
        };
        let claim = |part: Part, number: u32| Claim {
            part,
            number,
            truth: value,
        };
        if !matches!(self.arena.op(passing), Op::State(_)) {
            let on_the_way = on_the_way.iter().enumerate();
            let passed = on_the_way.map(|(at, &number)| (at, claim(passing, number)));
            reasons.passed.extend(passed);
        }
        if is_path {
            let goals = match run.quantifier {
                Quantifier::Exists => vec![run.goal],
                Quantifier::Forall => vec![run.way, run.goal],
            };
            for goal in goals {
                if !self.arena.is_always(goal, value) {
                    reasons.last.push((last, claim(goal, passed[last])));
                }
            }
            self.go_on(last, passed[last], reasons);
        }
        way
    }
}
