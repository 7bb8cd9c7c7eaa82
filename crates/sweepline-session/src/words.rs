//! Choices by name: the words people type, and what each of them means.

use sweepline_cpn::TimeMode;
use sweepline_explore::Replacement;
use sweepline_process::Equivalence;
use sweepline_process::measure::Ranking;

use crate::record::TraceFormat;
use crate::{Dependency, Emptiness, Format, Linearise, LocalMethod, Method, OnError, Reduce, Via};

/// One word of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Word<T: 'static> {
    /// The word.
    pub name: &'static str,
    /// What it means, in a few words. Empty for a second name of the same thing, which no help needs to list.
    pub help: &'static str,
    /// What it means.
    pub meaning: T,
}

/// A choice that is made by a word.
pub trait Choice: Copy + Send + Sync + 'static {
    /// All words.
    const WORDS: &'static [Word<Self>];

    /// What a word means.
    fn named(name: &str) -> Option<Self> {
        let word = Self::WORDS.iter().find(|word| word.name == name)?;
        Some(word.meaning)
    }
}

macro_rules! choices {
    ($($choice:ty { $($name:literal => $meaning:ident: $help:literal,)* })*) => {$(
        impl Choice for $choice {
            const WORDS: &'static [Word<Self>] = &[
                $(Word { name: $name, help: $help, meaning: Self::$meaning }),*
            ];
        }
    )*};
}

choices! {
    Format {
        "pnml" => Pnml: "P/T nets in PNML",
        "cpn" => Cpn: "Coloured nets of CPN Tools",
        "dve" => Dve: "Programs in DVE",
        "lts" => Fsp: "Processes in FSP",
        "fsp" => Fsp: "",
        "aut" => Aut: "An LTS in the Aldebaran format",
        "network" => Network: "A network of LTSs",
        "ss" => Ss: "An explicit state space",
        "swg" => Swg: "A condensed graph",
    }
    TimeMode {
        "absolute" => Absolute: "The clock, and when each token is or was ready",
        "ready" => Ready: "The clock, and when tokens will be ready that are not",
        "relative" => Relative: "Only how long it takes until tokens are ready",
    }
    Equivalence {
        "strong" => Strong: "Strongly bisimilar ones",
        "branching" => Branching: "Branching bisimilar ones; labels that only this component has and that are hidden count as internal",
    }
    OnError {
        "stop" => Stop: "The first one ends the search",
        "count" => Count: "They are left out. A state with no other steps leads to an error state, which counts as a state and as a deadlock; a violated assertion ends the search all the same",
    }
    Method {
        "sweep" => Sweep: "In the order of the measure, forgetting what lies behind",
        "full" => Full: "Everything in one layer, nothing forgotten",
        "caching" => Caching: "Depth first, with a cache of visited states that throws some out when it is full",
    }
    Replacement {
        "random" => Random: "Any one",
        "oldest" => Oldest: "The one that left the stack first",
        "newest" => Newest: "The one that left the stack last",
        "least-visited" => LeastVisited: "The one that was reached least often",
        "least-recent" => LeastRecent: "The one that has not been reached for longest",
    }
    Emptiness {
        "links" => Links: "In what is explored once for all questions and recorded; what takes too much memory for that is swept",
        "product" => Product: "Each question by a sweep of the product with its automaton",
        "thesis" => Thesis: "Each question by cycles within layers, then maximal persistent predecessors",
    }
    Reduce {
        "auto" => Auto: "Where a short trial says that it pays",
        "none" => None: "Never",
        "stubborn" => Stubborn: "Always; what is not preserved is refused",
    }
    Dependency {
        "static" => Static: "By the text of the model",
        "local" => Local: "By what processes really do to each other in their local graphs, for programs",
    }
    Via {
        "whole" => Whole: "The whole model",
        "local" => Local: "Local graphs of processes; what they leave open is asked of the whole model, with fewer steps",
    }
    LocalMethod {
        "ls3" => Ls3: "By following pairs of processes (local state space search)",
        "modular" => Modular: "From what processes guarantee towards each other (thread-modular)",
        "mono" => Mono: "From all states of the whole model",
    }
    Ranking {
        "scc" => Scc: "By strongly connected components: never decreases",
        "tree" => Tree: "By a spanning tree",
        "scc-then-tree" => SccThenTree: "By strongly connected components, and within them by a spanning tree",
        "scc-or-tree" => SccOrTree: "By strongly connected components if there are several, otherwise by a spanning tree",
    }
    Linearise {
        "lexicographic" => Lexicographic: "The first component counts most",
        "sum" => Sum: "Their sum",
    }
    TraceFormat {
        "json" => Json: "Our own: initial state, then actions and what changes",
        "itf" => Itf: "Informal Trace Format, whole states",
        "dot" => Dot: "Graphs for Graphviz, as texts",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_are_told_apart<T: Choice + PartialEq + std::fmt::Debug>() {
        for word in T::WORDS {
            assert_eq!(T::named(word.name), Some(word.meaning));
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(word.name.chars().all(plain), "{}", word.name);
        }
        assert_eq!(T::named("nonsense"), None);
    }

    #[test]
    fn words_mean_one_thing_each() {
        all_are_told_apart::<Format>();
        all_are_told_apart::<TimeMode>();
        all_are_told_apart::<Equivalence>();
        all_are_told_apart::<OnError>();
        all_are_told_apart::<Method>();
        all_are_told_apart::<Replacement>();
        all_are_told_apart::<Emptiness>();
        all_are_told_apart::<Ranking>();
        all_are_told_apart::<Reduce>();
        all_are_told_apart::<LocalMethod>();
        all_are_told_apart::<Dependency>();
        all_are_told_apart::<Via>();
        all_are_told_apart::<Linearise>();
        all_are_told_apart::<TraceFormat>();
    }
}
