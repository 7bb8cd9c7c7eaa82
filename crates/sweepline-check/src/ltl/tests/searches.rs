//! The searches alone.

use proptest::prelude::*;
use sweepline_core::Limits;
use sweepline_logic::omega::{Acceptance, Marks};

use super::brute::{Edges, acceptances, accepts};
use crate::ltl::bits::search_bits;
use crate::ltl::graph::{Cursor, Marked, Root, Step};
use crate::ltl::lasso::Lasso;
use crate::ltl::search::{Allowance, Ending, Search, Witness, search};

struct Listed {
    edges: Edges,
    roots: Vec<usize>,
}

impl Marked for Listed {
    fn root(&mut self, index: usize) -> Option<Root> {
        let &root = self.roots.get(index)?;
        Some(Root {
            node: root as u64,
            ordinal: index as u32,
            state: 0,
        })
    }

    fn step(&mut self, node: u64, cursor: &mut Cursor) -> Option<Step> {
        let &(target, marks) = self.edges[node as usize].get(cursor.step as usize)?;
        cursor.step += 1;
        Some(Step {
            target: target as u64,
            marks,
            ordinal: cursor.step - 1,
            edge: 0,
        })
    }

    fn is_universal(&self, _: u64) -> bool {
        false
    }
}

fn graphs() -> impl Strategy<Value = (Edges, Vec<usize>, Acceptance, u32)> {
    (1..9_usize, 0..4_u32).prop_flat_map(|(nodes, sets)| {
        let edge = (0..nodes, 0..1_u64 << sets);
        let edges = prop::collection::vec(prop::collection::vec(edge, 0..4), nodes);
        let roots = prop::collection::vec(0..nodes, 1..3);
        (edges, roots, acceptances(sets), Just(sets))
    })
}

/// The lasso is a path, and its cycle is accepted.
fn check_lasso(graph: &mut Listed, witness: Witness, acceptance: &Acceptance, bytes: usize) {
    assert!(matches!(witness.ending, Ending::Cycle(_)));
    let lasso = Lasso::short(graph, witness, bytes).expect("there is a run");
    let mut at = graph.roots[lasso.initial];
    let walk = |steps: &[crate::ltl::LassoStep], at: &mut usize| {
        let mut marks: Marks = 0;
        for step in steps {
            let (target, on) = graph.edges[*at][step.ordinal.unwrap()];
            (*at, marks) = (target, marks | on);
        }
        marks
    };
    walk(&lasso.stem, &mut at);
    let entry = at;
    assert!(!lasso.cycle.is_empty());
    let marks = walk(&lasso.cycle, &mut at);
    assert_eq!(at, entry);
    assert!(acceptance.accepts(marks), "{marks:b} {acceptance:?}");
}

fn check(input: (Edges, Vec<usize>, Acceptance, u32)) -> Result<(), TestCaseError> {
    let (edges, roots, acceptance, sets) = input;
    let expected = accepts(&edges, &roots, sets, |marks| acceptance.accepts(marks));
    let nodes = edges.len() as u64;
    let mut graph = Listed { edges, roots };
    let limits = Limits::default();
    for bytes in [usize::MAX, 1 << 20, 500, 0] {
        let allowance = Allowance {
            bytes,
            limits: &limits,
        };
        let deep = search(&mut graph, &acceptance, &allowance);
        let wide = search_bits(&mut graph, nodes, &acceptance, &allowance);
        // So little that only sets fit.
        let tight = Allowance {
            bytes: 5,
            limits: &limits,
        };
        let tight = search_bits(&mut graph, nodes, &acceptance, &tight);
        for (found, may_fail) in [
            (deep, bytes < 1 << 20),
            (wide, bytes == 0),
            (tight, nodes >= 16),
        ] {
            match found {
                Search::Empty => prop_assert!(!expected),
                Search::Accepting(witness) => {
                    prop_assert!(expected);
                    check_lasso(&mut graph, witness, &acceptance, bytes);
                }
                Search::DoesNotFit => prop_assert!(may_fail),
                Search::Stopped(_) => prop_assert!(false),
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn searches_agree_with_brute_force(input in graphs()) {
        check(input)?;
    }
}

/// A search ends when somebody wants it to.
#[test]
fn a_search_can_be_interrupted() {
    let nodes = 100_000;
    let edges = (0..nodes)
        .map(|node| vec![((node + 1) % nodes, 0)])
        .collect();
    let mut graph = Listed {
        edges,
        roots: vec![0],
    };
    let limits = Limits::default();
    limits.cancel.cancel();
    let allowance = Allowance {
        bytes: usize::MAX,
        limits: &limits,
    };
    let never = Acceptance::Inf(0);
    assert!(matches!(
        search(&mut graph, &never, &allowance),
        Search::Stopped(_)
    ));
    let wide = search_bits(&mut graph, nodes as u64, &never, &allowance);
    assert!(matches!(wide, Search::Stopped(_)));
}
