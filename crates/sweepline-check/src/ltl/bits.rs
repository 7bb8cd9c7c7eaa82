//! Searching a graph for an accepting cycle with a few bits a node: passes over all nodes, in their order.
//!
//! What can be reached is found first, and what no cycle goes through is trimmed. If the rest is small enough, it is searched
//! depth-first. Otherwise marks that recur are looked for one after the other, "one way catch them young" [CP03]: what cannot be
//! reached from an edge with the mark is dropped, and what has no predecessor, until nothing changes. If something is left, a
//! component of it that nothing else of it leads to has all marks.

use sweepline_core::StopReason;
use sweepline_logic::omega::{Acceptance, Marks};

use super::graph::{Cursor, Marked, Root, Step};
use super::search::{Allowance, Component, Ending, Search, Witness, search};

/// A set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(nodes: u64) -> Option<Self> {
        let words = usize::try_from(nodes.div_ceil(64)).ok()?;
        Some(Self(vec![0; words]))
    }

    #[inline]
    fn place(node: u64) -> (usize, u64) {
        let word = usize::try_from(node / 64).unwrap_or(usize::MAX);
        (word, 1 << (node % 64))
    }

    #[inline]
    fn contains(&self, node: u64) -> bool {
        let (word, bit) = Self::place(node);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Whether the node is new.
    #[inline]
    fn insert(&mut self, node: u64) -> bool {
        let (word, bit) = Self::place(node);
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    fn remove(&mut self, node: u64) {
        let (word, bit) = Self::place(node);
        self.0[word] &= !bit;
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The first member from this node on.
    #[inline]
    fn from(&self, node: u64) -> Option<u64> {
        let (mut at, _) = Self::place(node);
        let mut word = self.0.get(at)? & (u64::MAX << (node % 64));
        while word == 0 {
            at += 1;
            word = *self.0.get(at)?;
        }
        Some(at as u64 * 64 + u64::from(word.trailing_zeros()))
    }

    /// The last member up to this node.
    fn until(&self, node: u64) -> Option<u64> {
        let (mut at, _) = Self::place(node);
        let mut word = self.0.get(at)? & (u64::MAX >> (63 - node % 64));
        while word == 0 {
            at = at.checked_sub(1)?;
            word = self.0[at];
        }
        Some(at as u64 * 64 + u64::from(word.ilog2()))
    }

    fn bytes(&self) -> usize {
        self.0.len() * size_of::<u64>()
    }
}

/// How many sets are there at a time.
const SETS: usize = 5;
/// What depth-first search may take for each node, at most.
const DEPTH: u64 = 56;
/// The most alternatives of a condition that are looked at one by one.
const MOST_CLAUSES: usize = 256;

/// Searches a graph whose nodes are numbers below `nodes`.
pub(crate) fn search_bits<G: Marked>(
    graph: &mut G,
    nodes: u64,
    acceptance: &Acceptance,
    allowance: &Allowance<'_>,
) -> Search {
    let passes = Passes::new(graph, nodes, allowance);
    let Some((mut passes, clauses)) = passes.zip(clauses(acceptance)) else {
        return Search::DoesNotFit;
    };
    passes
        .search(&clauses, acceptance)
        .unwrap_or_else(Search::Stopped)
}

/// A conjunction: marks that must not recur, and marks that must.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) finite: Marks,
    pub(crate) recur: Marks,
}

/// A condition as alternatives, unless there are too many.
pub(crate) fn clauses(acceptance: &Acceptance) -> Option<Vec<Clause>> {
    let none = Clause {
        finite: 0,
        recur: 0,
    };
    let mut all = match acceptance {
        Acceptance::Inf(set) => vec![Clause {
            recur: 1 << set,
            ..none
        }],
        Acceptance::Fin(set) => vec![Clause {
            finite: 1 << set,
            ..none
        }],
        Acceptance::Or(parts) => {
            let parts = parts.iter().map(clauses);
            parts.collect::<Option<Vec<_>>>()?.concat()
        }
        Acceptance::And(parts) => {
            let mut all = vec![none];
            for part in parts {
                let part = clauses(part)?;
                let pairs = all.iter().flat_map(|one| {
                    part.iter().map(|other| Clause {
                        finite: one.finite | other.finite,
                        recur: one.recur | other.recur,
                    })
                });
                all = pairs.collect();
                if all.len() > MOST_CLAUSES {
                    return None;
                }
            }
            all
        }
    };
    all.retain(|clause| clause.finite & clause.recur == 0);
    all.dedup();
    (all.len() <= MOST_CLAUSES).then_some(all)
}

struct Passes<'a, G> {
    graph: &'a mut G,
    nodes: u64,
    allowance: &'a Allowance<'a>,
    /// What can still lie on an accepted cycle.
    alive: Set,
    work: u32,
}

impl<'a, G: Marked> Passes<'a, G> {
    fn new(graph: &'a mut G, nodes: u64, allowance: &'a Allowance<'a>) -> Option<Self> {
        let words = usize::try_from(nodes / 8).ok()?;
        if words.checked_mul(SETS)? > allowance.bytes {
            return None;
        }
        Some(Self {
            graph,
            nodes,
            allowance,
            alive: Set::new(nodes)?,
            work: 0,
        })
    }

    fn search(
        &mut self,
        clauses: &[Clause],
        acceptance: &Acceptance,
    ) -> Result<Search, StopReason> {
        if self.reach()? {
            return Ok(anyhow());
        }
        self.trim_starts(0)?;
        self.trim_ends()?;
        let fits = self.alive.count().saturating_mul(DEPTH) + (self.alive.bytes() / 2) as u64;
        if usize::try_from(fits).is_ok_and(|fits| fits <= self.allowance.bytes) {
            let mut rest = Rest::new(self.graph, &self.alive);
            let mut found = search(&mut rest, acceptance, self.allowance);
            rest.translate(&mut found);
            return Ok(found);
        }
        let reached = self.alive.clone();
        for clause in clauses {
            self.alive.clone_from(&reached);
            self.catch_young(*clause)?;
            if let Some(first) = self.alive.from(0) {
                let nodes = self.first_component(first, clause.finite)?;
                let component = Component {
                    nodes,
                    forbidden: clause.finite,
                    needed: clause.recur,
                };
                return Ok(Search::Accepting(Witness {
                    stem: None,
                    ending: Ending::Cycle(component),
                }));
            }
        }
        Ok(Search::Empty)
    }

    fn look(&mut self) -> Result<(), StopReason> {
        self.work += 1;
        if self.work == 1 << 16 {
            self.work = 0;
            self.allowance.limits.allow(0)?;
        }
        Ok(())
    }

    /// Finds everything that can be reached. True if every run is accepted from some of it on.
    fn reach(&mut self) -> Result<bool, StopReason> {
        let mut todo = Set(vec![0; self.alive.0.len()]);
        for index in 0.. {
            let Some(root) = self.graph.root(index) else {
                break;
            };
            if self.graph.is_universal(root.node) {
                return Ok(true);
            }
            self.meet(root.node, &mut todo);
        }
        while !todo.is_empty() {
            let mut at = 0;
            while let Some(node) = todo.from(at) {
                todo.remove(node);
                let mut cursor = Cursor::default();
                while let Some(step) = self.graph.step(node, &mut cursor) {
                    if self.graph.is_universal(step.target) {
                        return Ok(true);
                    }
                    self.meet(step.target, &mut todo);
                }
                self.look()?;
                at = node + 1;
            }
        }
        Ok(false)
    }

    /// Something can be reached. What lies beyond all nodes has no edges, which the graph is told by asking for one.
    fn meet(&mut self, node: u64, todo: &mut Set) {
        if node >= self.nodes {
            let beyond = self.graph.step(node, &mut Cursor::default());
            debug_assert!(beyond.is_none(), "only nodes have edges");
        } else if self.alive.insert(node) {
            todo.insert(node);
        }
    }

    /// Drops what has no predecessor, until nothing changes.
    ///
    /// A pass goes upwards. That something below leads to a node is known when the pass comes to it; whether something
    /// above does, from the pass before.
    fn trim_starts(&mut self, finite: Marks) -> Result<(), StopReason> {
        let mut above = self.alive.clone();
        loop {
            let (mut below, mut next) = (self.empty(), self.empty());
            let (mut at, mut dropped) = (0, false);
            while let Some(node) = self.alive.from(at) {
                at = node + 1;
                if below.contains(node) || above.contains(node) {
                    let mut cursor = Cursor::default();
                    while let Some(step) = self.inside(node, &mut cursor, finite) {
                        if step.target > node {
                            below.insert(step.target);
                        } else {
                            next.insert(step.target);
                        }
                    }
                } else {
                    self.alive.remove(node);
                    dropped = true;
                }
                self.look()?;
            }
            // In the first pass nothing was known of what is above.
            if !dropped && next == above {
                return Ok(());
            }
            above = next;
        }
    }

    /// Drops what has no successor, in one pass downwards.
    fn trim_ends(&mut self) -> Result<(), StopReason> {
        let mut from = self.nodes.checked_sub(1);
        while let Some(node) = from.and_then(|from| self.alive.until(from)) {
            if self.inside(node, &mut Cursor::default(), 0).is_none() {
                self.alive.remove(node);
            }
            self.look()?;
            from = node.checked_sub(1);
        }
        Ok(())
    }

    fn empty(&self) -> Set {
        Set(vec![0; self.alive.0.len()])
    }

    /// The next edge to a node that is alive.
    #[inline]
    fn inside(&mut self, node: u64, cursor: &mut Cursor, finite: Marks) -> Option<Step> {
        loop {
            let step = self.graph.step(node, cursor)?;
            if step.marks & finite == 0 && self.alive.contains(step.target) {
                return Some(step);
            }
        }
    }

    /// Keeps what can be reached from edges with each of the marks that must recur, and has predecessors, until
    /// nothing changes.
    fn catch_young(&mut self, clause: Clause) -> Result<(), StopReason> {
        self.trim_starts(clause.finite)?;
        loop {
            let before = self.alive.count();
            for set in (0..Marks::BITS).filter(|set| clause.recur >> set & 1 == 1) {
                self.keep_behind(1 << set, clause.finite)?;
            }
            self.trim_starts(clause.finite)?;
            if self.alive.count() == before {
                return Ok(());
            }
        }
    }

    /// Keeps what can be reached from an edge with a mark.
    fn keep_behind(&mut self, mark: Marks, finite: Marks) -> Result<(), StopReason> {
        let mut seeds = self.empty();
        let mut at = 0;
        while let Some(node) = self.alive.from(at) {
            let mut cursor = Cursor::default();
            while let Some(step) = self.inside(node, &mut cursor, finite) {
                if step.marks & mark != 0 {
                    seeds.insert(step.target);
                }
            }
            self.look()?;
            at = node + 1;
        }
        self.alive = self.forward(seeds, finite)?;
        Ok(())
    }

    /// What can be reached from these, themselves included.
    fn forward(&mut self, mut todo: Set, finite: Marks) -> Result<Set, StopReason> {
        let mut reached = todo.clone();
        while !todo.is_empty() {
            let mut at = 0;
            while let Some(node) = todo.from(at) {
                todo.remove(node);
                let mut cursor = Cursor::default();
                while let Some(step) = self.inside(node, &mut cursor, finite) {
                    if reached.insert(step.target) {
                        todo.insert(step.target);
                    }
                }
                self.look()?;
                at = node + 1;
            }
        }
        Ok(reached)
    }

    /// What this can be reached from, itself included.
    fn backward(&mut self, node: u64, finite: Marks) -> Result<Set, StopReason> {
        let mut reaching = self.empty();
        reaching.insert(node);
        loop {
            let (mut changed, mut from) = (false, self.nodes.checked_sub(1));
            while let Some(node) = from.and_then(|from| self.alive.until(from)) {
                if !reaching.contains(node) {
                    let mut cursor = Cursor::default();
                    while let Some(step) = self.inside(node, &mut cursor, finite) {
                        if reaching.contains(step.target) {
                            changed = reaching.insert(node);
                            break;
                        }
                    }
                }
                self.look()?;
                from = node.checked_sub(1);
            }
            if !changed {
                return Ok(reaching);
            }
        }
    }

    /// The nodes of a component that nothing else that is alive leads to, found from a node backwards.
    fn first_component(&mut self, mut node: u64, finite: Marks) -> Result<Vec<u64>, StopReason> {
        loop {
            let mut start = self.empty();
            start.insert(node);
            let forward = self.forward(start, finite)?;
            let backward = self.backward(node, finite)?;
            let (mut at, mut members, mut earlier) = (0, Vec::new(), None);
            while let Some(other) = backward.from(at) {
                if forward.contains(other) {
                    members.push(other);
                } else {
                    earlier = Some(other);
                }
                at = other + 1;
            }
            match earlier {
                None => return Ok(members),
                Some(earlier) => node = earlier,
            }
        }
    }
}

fn anyhow() -> Search {
    Search::Accepting(Witness {
        stem: None,
        ending: Ending::Anyhow,
    })
}

/// What is left of a graph, with its nodes numbered anew.
struct Rest<'a, G> {
    graph: &'a mut G,
    alive: &'a Set,
    /// How many members come before each word of the set, and how many there are.
    before: Vec<u32>,
    count: u64,
}

impl<'a, G: Marked> Rest<'a, G> {
    fn new(graph: &'a mut G, alive: &'a Set) -> Self {
        let mut count = 0_u32;
        let before = alive.0.iter().map(|word| {
            let here = count;
            count = count.saturating_add(word.count_ones());
            here
        });
        Self {
            before: before.collect(),
            count: alive.count(),
            graph,
            alive,
        }
    }

    fn rank(&self, node: u64) -> u64 {
        let (word, bit) = Set::place(node);
        let within = (self.alive.0[word] & (bit - 1)).count_ones();
        u64::from(self.before[word]) + u64::from(within)
    }

    fn node(&self, rank: u64) -> u64 {
        let word = self
            .before
            .partition_point(|&before| u64::from(before) <= rank)
            - 1;
        let mut bits = self.alive.0[word];
        for _ in u64::from(self.before[word])..rank {
            bits &= bits - 1;
        }
        word as u64 * 64 + u64::from(bits.trailing_zeros())
    }

    /// Gives the nodes of what was found their numbers back.
    fn translate(&self, found: &mut Search) {
        if let Search::Accepting(witness) = found {
            witness.stem = None;
            if let Ending::Cycle(component) = &mut witness.ending {
                for node in &mut component.nodes {
                    *node = self.node(*node);
                }
            }
        }
    }
}

impl<G: Marked> Marked for Rest<'_, G> {
    /// All that is left can be reached, so it does not matter where the search starts.
    fn root(&mut self, index: usize) -> Option<Root> {
        let node = index as u64;
        (node < self.count).then_some(Root {
            node,
            ordinal: 0,
            state: 0,
        })
    }

    fn step(&mut self, node: u64, cursor: &mut Cursor) -> Option<Step> {
        let node = self.node(node);
        loop {
            let step = self.graph.step(node, cursor)?;
            if self.alive.contains(step.target) {
                return Some(Step {
                    target: self.rank(step.target),
                    ..step
                });
            }
        }
    }

    fn is_universal(&self, _: u64) -> bool {
        false
    }
}
