//! Table 8.1 of the thesis: verdicts and figures.

use crate::thesis::{Case, Measure, Outcome, cases};

fn answered() -> Vec<(Case, &'static str, Outcome)> {
    let all = cases().into_iter().flat_map(|case| {
        let searches = case.searches().iter();
        searches.map(move |(search, emptiness)| (case, *search, case.run(*emptiness)))
    });
    all.collect()
}

#[test]
fn traces_are_there_where_they_are_expected() {
    let found = answered();
    assert_eq!(found.len(), 8 + 4 + 5 * 3);
    for (case, search, outcome) in &found {
        let what = format!("{} by {search}: {outcome:?}", case.name);
        assert_eq!(outcome.trace, Some(case.trace), "{what}");
        let states = match (case.measure, case.loss) {
            _ if !case.acknowledging => 1823,
            (Measure::Monotone | Measure::Messages, true) => 5615,
            (Measure::Monotone | Measure::Messages, false) => 3785,
            (Measure::Regressing, true) => 13215,
            (Measure::Regressing, false) => 9755,
        };
        assert_eq!(outcome.states, states, "{what}");
        // Persistent states are where the measure regresses, in whatever is swept to the end.
        if !case.trace && *search != "links" {
            let regresses = case.measure != Measure::Monotone;
            assert_eq!(outcome.persistent > 0, regresses, "{what}");
            assert!(outcome.explored >= states, "{what}");
        }
        // What is behind the sweep-line is forgotten.
        if !case.trace && case.measure == Measure::Monotone && *search != "links" {
            assert!(outcome.peak_states * 2 < outcome.explored, "{what}");
        }
    }
}

/// Every cycle on which the sender is never done sends a message, so no layer has one.
#[test]
fn a_cycle_over_several_layers_is_found_by_all_searches() {
    let case = cases().pop().expect("the last case");
    for (search, emptiness) in case.searches() {
        let found = case.run(*emptiness);
        assert_eq!(found.trace, Some(true), "{search}");
        assert!(found.loop_layers > 1, "{search}: {found:?}");
    }
}
