//! What holds of all conjuncts in a state, a bit for each.

use crate::bits::Rows;
use crate::lists::Lists;
use crate::tables::{TRUTHS_PER_WORD, Tables};

/// What is known in a state.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The conjuncts that do not hold.
    pub(crate) fails: Vec<u64>,
    /// Those that nobody has asked for, and whether there are any.
    pub(crate) unasked: Vec<u64>,
    pub(crate) is_partial: bool,
    /// Where each process is: [`UNKNOWN`], [`ELSEWHERE`], or the rank of the conjunct that says so. The first one is no process.
    pub(crate) standing: Vec<u32>,
    /// Whether that is not known of some process.
    pub(crate) is_lost: bool,
}

/// Nobody has asked where a process is.
pub(crate) const UNKNOWN: u32 = 0;
/// No conjunct says where a process is.
pub(crate) const ELSEWHERE: u32 = 1;

impl Facts {
    /// Nothing is known.
    pub(crate) fn forget(&mut self) {
        self.is_partial = true;
        self.fails.fill(0);
        self.unasked.fill(u64::MAX);
        self.standing.fill(UNKNOWN);
        self.is_lost = self.standing.len() > 1;
    }

    /// Room for what can be known.
    pub(crate) fn make_room(&mut self, conjuncts: usize, whereabouts: &Whereabouts) {
        self.fails = vec![0; conjuncts.div_ceil(64)];
        self.unasked = self.fails.clone();
        self.standing = vec![UNKNOWN; whereabouts.processes() + 1];
        self.forget();
    }

    /// Takes over what was found out of 64 of so many conjuncts, none of which says where a process is unless that is known.
    #[inline]
    pub(crate) fn note_word(&mut self, word: usize, truths: &[u64], conjuncts: usize) {
        let (low, high) = (
            truths[2 * word],
            truths.get(2 * word + 1).copied().unwrap_or_default(),
        );
        self.fails[word] = upper(low & !(low << 1)) | upper(high & !(high << 1)) << TRUTHS_PER_WORD;
        let all = u64::MAX >> 64_usize.saturating_sub(conjuncts - 64 * word);
        let (low, high) = (low | low << 1, high | high << 1);
        self.unasked[word] = if low & high & UPPER == UPPER {
            0
        } else {
            all & !(upper(low) | upper(high) << TRUTHS_PER_WORD)
        };
    }

    /// Takes over what was found out, two bits for each of so many conjuncts.
    pub(crate) fn note(&mut self, truths: &[u64], conjuncts: usize, whereabouts: &Whereabouts) {
        for word in 0..self.fails.len() {
            self.note_word(word, truths, conjuncts);
        }
        let partial = self.unasked.iter().fold(0, |all, unasked| all | unasked);
        self.is_partial = partial != 0;
        self.is_lost = false;
        for (standing, process) in self.standing[1..].iter_mut().zip(0..) {
            *standing = ELSEWHERE;
            for &(word, all) in whereabouts.of_process.get(process) {
                let holds = all & !self.fails[word as usize];
                if all & self.unasked[word as usize] != 0 {
                    *standing = UNKNOWN;
                    self.is_lost = true;
                    break;
                }
                if holds != 0 {
                    *standing = whereabouts.ranks[(word * 64 + holds.trailing_zeros()) as usize];
                }
            }
        }
    }
}

/// The upper bits of all pairs.
const UPPER: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// The upper bits of all pairs, one behind the other.
#[inline]
fn upper(pairs: u64) -> u64 {
    let mut bits = (pairs & UPPER) >> 1;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ] {
        bits = (bits | bits >> shift) & mask;
    }
    bits
}

/// The conjuncts that say where processes are.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts {
    /// The conjuncts of each process.
    of_process: Rows,
    processes: usize,
    /// The process of each conjunct, from 1 on, and 0 for those that say something else.
    of_conjunct: Vec<u32>,
    /// The ranks of conjuncts among those of their process.
    ranks: Vec<u32>,
}

/// The first rank.
const FIRST: u32 = ELSEWHERE + 1;

impl Whereabouts {
    /// Those of processes with few of them: about every two of a process something is remembered, and in all that may be so much.
    pub(crate) fn new(tables: &Tables, most: usize) -> Self {
        let mut conjuncts: Vec<Vec<u32>> = Vec::new();
        for (&process, conjunct) in tables.whereabouts.iter().zip(0..) {
            let Some(process) = (process as usize).checked_sub(1) else {
                continue;
            };
            if conjuncts.len() <= process {
                conjuncts.resize(process + 1, Vec::new());
            }
            conjuncts[process].push(conjunct);
        }
        let mut sum = 0;
        conjuncts.retain(|it| {
            let more = it.len() * (it.len() + FIRST as usize);
            let kept = sum + more <= most;
            sum += if kept { more } else { 0 };
            kept
        });
        let mut of_conjunct = vec![0; tables.conjuncts()];
        let mut ranks = of_conjunct.clone();
        for (all, process) in conjuncts.iter().zip(1..) {
            for (conjunct, rank) in all.iter().zip(FIRST..) {
                of_conjunct[*conjunct as usize] = process;
                ranks[*conjunct as usize] = rank;
            }
        }
        let processes = conjuncts.len();
        Self {
            of_process: Rows::of(&conjuncts.into_iter().collect::<Lists>()),
            processes,
            of_conjunct,
            ranks,
        }
    }

    pub(crate) fn processes(&self) -> usize {
        self.processes
    }

    /// All of them.
    pub(crate) fn conjuncts(&self) -> impl Iterator<Item = u32> {
        let all = (0..).zip(&self.of_conjunct);
        all.filter(|(_, process)| **process != 0)
            .map(|(conjunct, _)| conjunct)
    }

    /// The process that a conjunct is about, or 0.
    pub(crate) fn process(&self, conjunct: u32) -> u32 {
        self.of_conjunct[conjunct as usize]
    }

    /// How many ways there are in which a process may stand, where one of these conjuncts is false: all that [`Facts::standing`] may be.
    pub(crate) fn ways(&self, process: u32) -> u32 {
        match process.checked_sub(1) {
            None => 1,
            Some(process) => {
                let words = self.of_process.get(process).iter();
                FIRST + words.map(|(_, bits)| bits.count_ones()).sum::<u32>()
            }
        }
    }

    /// A false conjunct, and others that are false with it if its process stands like this: those that guard whoever makes one of them true.
    /// Whoever waits for all of them has waited for the first.
    pub(crate) fn false_together(&self, tables: &Tables, conjunct: u32, standing: u32) -> Vec<u32> {
        let process = self.process(conjunct);
        let mut together = vec![conjunct];
        if process == 0 || standing == UNKNOWN || standing == self.ranks[conjunct as usize] {
            return together;
        }
        let mut next = 0;
        while let Some(&conjunct) = together.get(next) {
            next += 1;
            for action in tables.enabling(conjunct) {
                let mut guards = tables.guards(*action).iter();
                let is_false = |it: &&u32| {
                    self.process(**it) == process && self.ranks[**it as usize] != standing
                };
                if let Some(other) = guards.find(is_false)
                    && !together.contains(other)
                {
                    together.push(*other);
                }
            }
        }
        together
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::{FAILS, HOLDS, UNTOLD, place};

    /// Three processes among other conjuncts: the first with three places, the second with 60, the third with too many.
    fn tables(conjuncts: usize) -> Tables {
        let whereabouts = (0..conjuncts).map(|it| match it {
            3 | 40 | 64 => 1,
            70..=129 => 2,
            140..=200 => 3,
            _ => 0,
        });
        Tables {
            enabling: (0..conjuncts).map(|_| []).collect(),
            whereabouts: whereabouts.collect(),
            ..Tables::default()
        }
    }

    #[test]
    fn what_is_noted_is_what_is_known() {
        for conjuncts in [1, 31, 32, 33, 64, 65, 127, 128, 201, 256] {
            let tables = tables(conjuncts);
            let whereabouts = Whereabouts::new(&tables, 4000);
            let mut facts = Facts::default();
            facts.make_room(conjuncts, &whereabouts);
            for round in 0..40_u64 {
                let mut truths = vec![0; conjuncts.div_ceil(TRUTHS_PER_WORD)];
                // In every second round all of them are asked.
                let told = |it: u64| match (it * 7 + round * 13 + it * it * round) % 11 {
                    _ if it == 40 && round % 3 == 0 => HOLDS,
                    _ if [3, 40, 64].contains(&it) || (70..130).contains(&it) => FAILS,
                    0 if round % 2 == 0 => 0,
                    1 => UNTOLD,
                    2..6 => HOLDS,
                    _ => FAILS,
                };
                for conjunct in 0..u32::try_from(conjuncts).unwrap() {
                    let (word, shift) = place(conjunct);
                    truths[word] |= told(conjunct.into()) << shift;
                }
                facts.note(&truths, conjuncts, &whereabouts);
                let bit = |words: &[u64], it: u64| {
                    words[usize::try_from(it / 64).unwrap()] >> (it % 64) & 1 != 0
                };
                let all = 0..conjuncts as u64;
                for it in all.clone() {
                    assert_eq!(bit(&facts.fails, it), told(it) == FAILS, "{it}");
                    assert_eq!(bit(&facts.unasked, it), told(it) == 0, "{it}");
                }
                assert_eq!(facts.is_partial, all.clone().any(|it| told(it) == 0));
                let at_40 = conjuncts > 40 && told(40) == HOLDS;
                let expected = if at_40 { FIRST + 1 } else { ELSEWHERE };
                let expected: Vec<u32> = [UNKNOWN, expected, ELSEWHERE]
                    .into_iter()
                    .take(facts.standing.len())
                    .collect();
                assert_eq!(facts.standing, expected, "{conjuncts}, {round}");
                assert!(!facts.is_lost, "all of them are asked");
            }
        }
    }
}
