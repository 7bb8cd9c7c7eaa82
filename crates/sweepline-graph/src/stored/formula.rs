//! The size a graph has in the representation of the paper.

/// Bits of a pointer or of a number in the representation of [MW04, Sect. 3.1]: it is of 32-bit machines.
const WORD: u64 = 32;

/// How many bits a graph takes in the representation of [MW04, Sect. 3.1]: 2wR + |E|(⌈log2 |T|⌉ + ⌈log2 R⌉), with w = 32.
///
/// ```
/// // Two words a node, and 4 + 22 bits an edge.
/// assert_eq!(sweepline_graph::condensed_bits(2_546_432, 24_460_016, 16), 64 * 2_546_432 + 26 * 24_460_016);
/// ```
pub fn condensed_bits(nodes: u64, edges: u64, actions: u64) -> u64 {
    2 * WORD * nodes + edges * (ceil_log2(actions) + ceil_log2(nodes))
}

fn ceil_log2(count: u64) -> u64 {
    match count.checked_sub(1) {
        None | Some(0) => 0,
        Some(last) => u64::from(last.ilog2()) + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_rounded_up() {
        let expected = [0, 0, 1, 2, 2, 3, 3, 3, 3, 4];
        assert!((0..10).map(ceil_log2).eq(expected));
    }
}
