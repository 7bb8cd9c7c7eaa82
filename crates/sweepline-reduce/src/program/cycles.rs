//! Actions that every cycle has.

use sweepline_program::Program;

/// Actions one of which happens in every cycle of states: those by which a process goes back.
///
/// Every action moves some process, and in a cycle of states that process comes back to where it was. So its moves make
/// a cycle of its control flow, which has an edge to a location that a depth-first search has entered and not left.
pub(super) fn cut(program: &Program) -> Vec<bool> {
    let back: Vec<_> = (0..program.processes().len())
        .map(|process| going_back(program, process))
        .collect();
    let actions = program.actions().iter();
    let cut = actions.map(|action| {
        let mut moves = action.moves.iter();
        moves.any(|step| {
            let edge = (step.source.0 as usize, step.target.0 as usize);
            back[step.process.0 as usize].contains(&edge)
        })
    });
    cut.collect()
}

/// The edges of a process that go back in a depth-first search: in that one, of those from all locations, in which fewest
/// actions do.
fn going_back(program: &Program, process: usize) -> Vec<(usize, usize)> {
    let declared = &program.processes()[process];
    let mut edges = vec![Vec::new(); declared.locations.len()];
    let moves = program.actions().iter().flat_map(|action| &action.moves);
    for step in moves.filter(|step| step.process.0 as usize == process) {
        edges[step.source.0 as usize].push(step.target.0 as usize);
    }
    // Very large processes are searched from a few of their locations.
    let roots = (WORK / edges.iter().map(Vec::len).sum::<usize>().max(1)).max(1);
    let start = declared.initial.0 as usize;
    let searched = std::iter::once(start).chain(0..edges.len()).take(roots);
    let searches = searched.map(|root| back_edges(&edges, root));
    searches.min_by_key(Vec::len).unwrap_or_default()
}

/// About how many edges all searches of a process may look at.
const WORK: usize = 1 << 20;

/// The edges that go back in a search that starts here, and then wherever something is left. An edge that is there twice is
/// there twice.
fn back_edges(edges: &[Vec<usize>], first: usize) -> Vec<(usize, usize)> {
    let mut back = Vec::new();
    let mut entered = vec![false; edges.len()];
    let mut left = vec![false; edges.len()];
    for root in std::iter::once(first).chain(0..edges.len()) {
        if std::mem::replace(&mut entered[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((at, next)) = path.last_mut() {
            let Some(&target) = edges[*at].get(*next) else {
                left[*at] = true;
                path.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut entered[target], true) {
                path.push((target, 0));
            } else if !left[target] {
                back.push((*at, target));
            }
        }
    }
    back
}
