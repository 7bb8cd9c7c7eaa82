//! Formulas over fluents [GM03], truth values that actions switch on and off, and how they are decided under fair choice.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sweepline_core::{StopReason, Trace, TraceStep};
use sweepline_logic::ltl::{Ltl, Temporal, Unary, holds_on, translate};
use sweepline_logic::omega::{Letter, Marks, OmegaAutomaton, OmegaState};
use sweepline_logic::{Fluent, Fluents, Name, Pred};

use super::choice::{Found, READABLE};
use super::lasso::Lasso;
use super::links::Links;
use super::search::Allowance;
use super::terminal::Terminals;
use super::tour::{Move, STAY, Ways, tour};

/// A formula about fluents that all runs satisfy.
///
/// A run is read as the letters of the fluents that hold right after each of its steps.
#[derive(Clone, Debug)]
pub struct FluentClaim {
    fluents: Fluents,
    /// Its atoms are the fluents, in their order.
    ltl: Ltl,
}

/// The same of the runs that count under fair choice.
#[derive(Clone, Debug)]
pub struct FairFormula {
    claim: FluentClaim,
    /// Accepts what does not satisfy the formula. Its atoms are the same.
    automaton: Arc<OmegaAutomaton>,
}

impl FairFormula {
    /// A claim about the runs that count. An error says why it cannot be checked.
    pub fn new(claim: FluentClaim) -> Result<Self, String> {
        let automaton = translate(&claim.ltl.negated()).map_err(|error| error.to_string())?;
        if automaton.atoms != claim.ltl.atoms {
            return Err("the automaton of the formula has other fluents".into());
        }
        Ok(Self {
            claim,
            automaton: Arc::new(automaton),
        })
    }

    /// What is claimed of these runs.
    pub fn claim(&self) -> &FluentClaim {
        &self.claim
    }
}

impl FluentClaim {
    /// A claim about these fluents; atoms of the formula are their positions. An error says why it cannot be checked.
    pub fn new(fluents: Vec<Fluent>, formula: Temporal) -> Result<Self, String> {
        let Some(fluents) = Fluents::new(fluents) else {
            let most = Fluents::MOST;
            return Err(format!("the formula is about more than {most} fluents"));
        };
        let names = fluents.all().iter().map(|fluent| Name::new(&fluent.name));
        let ltl = Ltl {
            atoms: names.map(Pred::Holds).collect(),
            formula,
        };
        Ok(Self { fluents, ltl })
    }

    /// The fluents.
    pub fn fluents(&self) -> &Fluents {
        &self.fluents
    }

    /// What is claimed of runs that are read as the fluents that hold in each of their states, the first included: there, nothing
    /// has happened yet.
    pub fn of_states(&self) -> Ltl {
        Ltl {
            atoms: self.ltl.atoms.clone(),
            formula: self.ltl.formula.clone().under(Unary::Next),
        }
    }

    /// Whether a run of the model satisfies the formula, by its definition.
    pub fn is_satisfied_by(&self, run: &Trace) -> bool {
        let mut letter = self.fluents.initially();
        let mut read = |steps: &[TraceStep]| -> Vec<Letter> {
            let letters = steps.iter().map(|step| {
                letter = self.fluents.after(letter, step.action);
                letter
            });
            letters.collect()
        };
        let (stem, cycle) = run
            .steps
            .split_at(run.loop_start.unwrap_or(run.steps.len()));
        // What fluents say in the first round depends on what came before; from the second round on they repeat.
        let mut word = read(stem);
        word.extend(read(cycle));
        let mut repeated = read(cycle);
        if repeated.is_empty() {
            repeated.push(letter);
        }
        holds_on(&self.ltl.formula, &word, &repeated)
    }
}

/// Decides a claim on what is recorded. Nothing if there is not enough memory for that.
///
/// A run that counts takes all steps of a terminal component of the model again and again. So one is against the claim if and only if
/// some strongly connected part of the product with the automaton is accepted and has all steps of a terminal component; being terminal
/// in the product would say little, since the automaton need not be able to follow. What is recorded can have a state several times,
/// each time with all its steps. A part that has some of them in one instance and some in another cannot be told from one that has not.
pub(crate) fn decide_fluents(
    links: &Links,
    terminals: &Terminals,
    claim: &FairFormula,
    allowance: &Allowance<'_>,
) -> Result<Option<Found>, StopReason> {
    let product = Product::new(links, terminals, claim);
    let mut search = Search {
        product: &product,
        order: Vec::new(),
        count: 0,
        open: Vec::new(),
        frames: Vec::new(),
        doubtful: false,
    };
    for root in product.roots() {
        match search.visit(root, allowance)? {
            Visit::Nothing => {}
            Visit::Full => return Ok(None),
            Visit::Against(part) => return Ok(Some(product.run(&part))),
        }
    }
    Ok(Some(if terminals.unfinished {
        Found::Unfinished
    } else if search.doubtful {
        Found::Doubtful
    } else {
        Found::Nothing
    }))
}

/// A number, the fluents that hold there, and a state of the automaton.
type Node = (u32, Letter, u32);

/// The product of what is recorded with fluents and their automaton.
struct Product<'a> {
    links: &'a Links,
    claim: &'a FairFormula,
    /// The terminal component of a number, and how many steps each of these has.
    terminal: HashMap<u32, u32>,
    steps: Vec<usize>,
    known: RefCell<(HashMap<Node, u32>, Vec<Node>)>,
}

impl<'a> Product<'a> {
    fn new(links: &'a Links, terminals: &Terminals, claim: &'a FairFormula) -> Self {
        let components = || (0..).zip(&terminals.components);
        let members = components()
            .flat_map(|(index, component)| component.iter().map(move |&number| (number, index)));
        let steps = |component: &Vec<u32>| -> usize {
            let edges = component.iter().map(|&number| links.edges(number).len());
            edges.sum()
        };
        Self {
            links,
            claim,
            terminal: members.collect(),
            steps: terminals.components.iter().map(steps).collect(),
            known: RefCell::default(),
        }
    }

    fn node(&self, node: Node) -> u32 {
        let (numbers, nodes) = &mut *self.known.borrow_mut();
        *numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            u32::try_from(nodes.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn of(&self, node: u32) -> Node {
        self.known.borrow().1[node as usize]
    }

    fn bytes(&self) -> usize {
        let nodes = self.known.borrow().1.len();
        nodes * (3 * size_of::<Node>() + 3 * size_of::<u32>())
    }

    fn roots(&self) -> Vec<u32> {
        let initial = self.links.initial().flatten();
        let starts = &self.claim.automaton.initial;
        let first = self.claim.claim.fluents.initially();
        initial
            .flat_map(|number| starts.iter().map(move |start| (number, start.0)))
            .map(|(number, start)| self.node((number, first, start)))
            .collect()
    }

    /// All moves of a node. None if its number has not been expanded.
    fn moves(&self, node: u32) -> Vec<Move> {
        let (number, before, state) = self.of(node);
        if self.links.label(number).is_none() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        let mut read = |target: u32, letter: Letter, edge: u32, ordinal: u32| {
            let automaton = self.claim.automaton.moves(OmegaState(state)).iter();
            for step in automaton.filter(|step| step.guard.contains(letter)) {
                moves.push(Move {
                    target: self.node((target, letter, step.target.0)),
                    edge,
                    ordinal,
                    mark: step.marks,
                });
            }
        };
        let edges = self.links.edges(number);
        if edges.is_empty() {
            read(number, before, STAY, 0);
        }
        for (ordinal, edge) in (0..).zip(edges) {
            if let Some(target) = self.links.target(edge) {
                let action = self.links.action(edge);
                let after = |action| self.claim.claim.fluents.after(before, action);
                let letter = action.map_or(before, after);
                read(target, letter, edge, ordinal);
            }
        }
        moves
    }

    /// What a strongly connected part of the product is like.
    fn judge(&self, part: &HashSet<u32>) -> Judgement {
        let (mut marks, mut edges, mut cyclic): (Marks, HashSet<u32>, bool) =
            (0, HashSet::new(), false);
        for &node in part {
            for step in self.moves(node) {
                if part.contains(&step.target) {
                    cyclic = true;
                    marks |= step.mark;
                    edges.extend((step.edge != STAY).then_some(step.edge));
                }
            }
        }
        if !cyclic || !self.claim.automaton.acceptance.accepts(marks) {
            return Judgement::Rejected;
        }
        let some = part.iter().next();
        let terminal = some.and_then(|&node| self.terminal.get(&self.of(node).0));
        match terminal {
            Some(&component) if self.steps[component as usize] == edges.len() => Judgement::Fair,
            Some(_) if self.links.has_repeats() => Judgement::Doubtful,
            Some(_) | None => Judgement::Rejected,
        }
    }

    /// A run into a part that is accepted, and round in it: along all its steps if that is short, and at least so that it is accepted.
    fn run(&self, part: &HashSet<u32>) -> Found {
        let goal = |node: u32| part.contains(&node);
        let way = Ways::from(self.roots()).nearest(|node| self.moves(node), goal);
        let Some(((entry, start), stem)) = way else {
            return Found::Unfinished;
        };
        let inside = |node: u32| {
            let mut moves = self.moves(node);
            moves.retain(|step| part.contains(&step.target));
            moves
        };
        let all = tour(entry, inside, |step| Some((step.edge, step.mark)), READABLE);
        let cycle = all.or_else(|| tour(entry, inside, |step| Some(step.mark), usize::MAX));
        let root = self.of(start).0;
        let initial = self.links.initial().position(|number| number == Some(root));
        match (cycle, initial) {
            (Some(cycle), Some(initial)) => Found::Run(Lasso::of_moves(initial, &stem, &cycle)),
            _ => Found::Unfinished,
        }
    }
}

enum Judgement {
    /// No run within it is against the claim.
    Rejected,
    /// A fair run within it is.
    Fair,
    /// Nobody knows.
    Doubtful,
}

enum Visit {
    Nothing,
    Full,
    Against(HashSet<u32>),
}

/// Tarjan's algorithm on the product.
struct Search<'p, 'a> {
    product: &'p Product<'a>,
    /// When each node was found plus one; zero if it was not, and the greatest if its component is complete.
    order: Vec<u32>,
    count: u32,
    open: Vec<u32>,
    frames: Vec<Frame>,
    doubtful: bool,
}

struct Frame {
    node: u32,
    moves: Vec<Move>,
    low: u32,
}

const DONE: u32 = u32::MAX;
/// Nodes between two looks at the limits.
const PACE: u32 = 1 << 14;

impl Search<'_, '_> {
    fn order_of(&self, node: u32) -> u32 {
        self.order.get(node as usize).copied().unwrap_or(0)
    }

    fn set_order(&mut self, node: u32, order: u32) {
        let node = node as usize;
        if node >= self.order.len() {
            self.order.resize(node + 1, 0);
        }
        self.order[node] = order;
    }

    fn meet(&mut self, node: u32) {
        self.count += 1;
        self.set_order(node, self.count);
        self.open.push(node);
        self.frames.push(Frame {
            node,
            moves: self.product.moves(node),
            low: self.count,
        });
    }

    fn visit(&mut self, root: u32, allowance: &Allowance<'_>) -> Result<Visit, StopReason> {
        if self.order_of(root) != 0 {
            return Ok(Visit::Nothing);
        }
        self.meet(root);
        while let Some(frame) = self.frames.last_mut() {
            if let Some(step) = frame.moves.pop() {
                match self.order.get(step.target as usize).copied().unwrap_or(0) {
                    0 => {
                        self.meet(step.target);
                        if self.count.is_multiple_of(PACE) {
                            allowance.limits.allow(0)?;
                            if self.product.bytes() > allowance.bytes {
                                return Ok(Visit::Full);
                            }
                        }
                    }
                    DONE => {}
                    earlier => frame.low = frame.low.min(earlier),
                }
            } else if let Some(part) = self.leave() {
                return Ok(Visit::Against(part));
            }
        }
        Ok(Visit::Nothing)
    }

    /// All moves of the last node have been looked at. A part that is against the claim, if this completes one.
    fn leave(&mut self) -> Option<HashSet<u32>> {
        let Frame { node, low, .. } = self.frames.pop()?;
        if low < self.order_of(node) {
            if let Some(above) = self.frames.last_mut() {
                above.low = above.low.min(low);
            }
            return None;
        }
        let order = self.order_of(node);
        let start = self
            .open
            .partition_point(|&other| self.order_of(other) < order);
        let part: HashSet<u32> = self.open.split_off(start).into_iter().collect();
        for &member in &part {
            self.set_order(member, DONE);
        }
        match self.product.judge(&part) {
            Judgement::Rejected => None,
            Judgement::Fair => Some(part),
            Judgement::Doubtful => {
                self.doubtful = true;
                None
            }
        }
    }
}
