//! Strongly connected components, after Tarjan (1972), without recursion.

/// The component of each node of a graph, given by the targets of its edges. Components are numbered.
pub(super) fn components(targets: &[Vec<usize>]) -> Vec<usize> {
    let mut search = Search {
        targets,
        order: vec![UNSEEN; targets.len()],
        low: vec![0; targets.len()],
        component: vec![UNSEEN; targets.len()],
        open: Vec::new(),
        seen: 0,
        found: 0,
    };
    for node in 0..targets.len() {
        if search.order[node] == UNSEEN {
            search.run(node);
        }
    }
    search.component
}

const UNSEEN: usize = usize::MAX;

struct Search<'a> {
    targets: &'a [Vec<usize>],
    order: Vec<usize>,
    low: Vec<usize>,
    component: Vec<usize>,
    /// Nodes whose component is not complete.
    open: Vec<usize>,
    seen: usize,
    found: usize,
}

impl Search<'_> {
    fn run(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(&target) = self.targets[node].get(*next) {
                *next += 1;
                if self.order[target] == UNSEEN {
                    self.enter(target);
                    path.push((target, 0));
                } else if self.component[target] == UNSEEN {
                    self.low[node] = self.low[node].min(self.order[target]);
                }
            } else {
                path.pop();
                self.leave(node);
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = self.seen;
        self.low[node] = self.seen;
        self.seen += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] != self.order[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member] = self.found;
            if member == node {
                break;
            }
        }
        self.found += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn cycles_are_components() {
        let targets = [vec![1], vec![2, 3], vec![0], vec![4], vec![]];
        let found = components(&targets);
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        assert_ne!(found[0], found[3]);
        assert_ne!(found[3], found[4]);
    }
}
