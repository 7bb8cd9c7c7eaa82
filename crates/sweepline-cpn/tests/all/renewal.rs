//! Nets that begin again with the markings of some states only.

use std::sync::Arc;

use proptest::prelude::*;
use sweepline_core::{AnySystem, Fault, Renewed, Steps, Word};
use sweepline_cpn::{LoadOptions, TimeMode};

use crate::common::{File, read};
use crate::random_nets::net;

/// All states and steps as they are shown, in the order in which they are found. The net begins again after so many expansions,
/// and everything found so far is rewritten.
fn shown(text: &str, options: &LoadOptions, every: usize, most: usize) -> Vec<String> {
    let mut system: Arc<dyn AnySystem> = Arc::new(read(text, options).system);
    'wider: loop {
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let (mut states, mut lines): (Vec<Vec<Word>>, Vec<String>) = (Vec::new(), Vec::new());
        let mut next = 0;
        loop {
            match steps.fault() {
                Some(Fault::Outgrown { slot }) => {
                    system = system.widened(*slot).unwrap();
                    continue 'wider;
                }
                Some(fault) => panic!("{fault:?}"),
                None => {}
            }
            for step in 0..steps.len() {
                let target = steps.target(step).to_vec();
                let at = states.iter().position(|state| *state == target);
                let at = at.unwrap_or_else(|| {
                    states.push(target.clone());
                    states.len() - 1
                });
                let action = steps.actions()[step];
                let name = match next {
                    0 => String::new(),
                    next => system.step_name(&states[next - 1], step, action),
                };
                lines.push(format!("{name} {at} {:?}", system.show(&target)));
            }
            if next == states.len() || next == most {
                return lines;
            }
            if every > 0 && next % every == 0 {
                system = renewed(&*system, &mut states);
                steps = Steps::for_layout(system.layout());
            }
            steps.clear();
            system.successors(&states[next], &mut steps);
            next += 1;
        }
    }
}

/// The same system with the markings of these states only, which are rewritten.
fn renewed(system: &dyn AnySystem, states: &mut [Vec<Word>]) -> Arc<dyn AnySystem> {
    let mut renewal = system.renewal().unwrap();
    for state in &*states {
        renewal.keep(state);
    }
    let Renewed {
        system: again,
        numbers,
        ..
    } = renewal.finish();
    let recoding = system.layout().renumbering(again.layout(), &numbers);
    for state in states {
        let mut out = vec![0; again.layout().width().unwrap()];
        recoding.apply(state, &mut out).unwrap();
        *state = out;
    }
    again
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_net_that_begins_again_has_the_same_states_and_steps(
        net in net(),
        every in 1..9_usize,
        timed in any::<bool>(),
    ) {
        let time = if timed { TimeMode::Relative } else { TimeMode::Absolute };
        let options = LoadOptions { time, ..LoadOptions::default() };
        let text = net.text(timed);
        prop_assert_eq!(shown(&text, &options, every, 60), shown(&text, &options, 0, 60));
    }
}

/// A counter, and lists and texts that are made of it.
fn growing() -> String {
    File::default()
        .colour("I", false, "<int/>")
        .colour("S", false, "<string/>")
        .colour("L", false, "<list><id>I</id></list>")
        .colour("E", false, "<product><id>I</id><id>S</id></product>")
        .declare("fun text n = \"message \" ^ Int.toString n; var n : I; var s : S; var l : L;")
        .place("count", "I", "1`0")
        .place("log", "L", "1`[]")
        .place("last", "E", "1`(0, \"none\")")
        .transition("t", "", "")
        .arc("PtoT", "count", "t", "n")
        .arc("TtoP", "count", "t", "n + 1")
        .arc("PtoT", "log", "t", "l")
        .arc("TtoP", "log", "t", "if length l > 20 then [n] else n::l")
        .arc("PtoT", "last", "t", "(n, s)")
        .arc("TtoP", "last", "t", "(n + 1, text n)")
        .text()
}

/// What the net holds after so many steps of which only the last is remembered, if it begins again after every hundred.
fn held(steps: usize, begins_again: bool) -> (usize, String) {
    let options = LoadOptions::default();
    let mut system: Arc<dyn AnySystem> = Arc::new(read(&growing(), &options).system);
    let mut batch = Steps::for_layout(system.layout());
    system.initial(&mut batch);
    let mut states = vec![batch.target(0).to_vec()];
    let mut most = 0;
    let mut done = 0;
    while done < steps {
        batch.clear();
        system.successors(&states[0], &mut batch);
        if let Some(Fault::Outgrown { slot }) = batch.fault() {
            let wider = system.widened(*slot).unwrap();
            let mut out = vec![0; wider.layout().width().unwrap()];
            let recoding = system.layout().recoding(wider.layout());
            recoding.apply(&states[0], &mut out).unwrap();
            (states[0], system) = (out, wider);
            batch = Steps::for_layout(system.layout());
            continue;
        }
        assert_eq!((batch.len(), batch.fault()), (1, None));
        states[0] = batch.target(0).to_vec();
        most = most.max(batch.held());
        done += 1;
        if begins_again && done % 100 == 0 {
            system = renewed(&*system, &mut states);
            batch = Steps::for_layout(system.layout());
        }
    }
    let end = format!("{:?}", system.show(&states[0]));
    // The same way once more: what is forgotten is met again, and no slot is too narrow for it.
    batch = Steps::for_layout(system.layout());
    system.initial(&mut batch);
    let mut state = batch.target(0).to_vec();
    for _ in 0..steps {
        batch.clear();
        system.successors(&state, &mut batch);
        assert_eq!((batch.len(), batch.fault()), (1, None));
        state = batch.target(0).to_vec();
    }
    assert_eq!(format!("{:?}", system.show(&state)), end);
    (most, end)
}

#[test]
fn what_is_forgotten_takes_no_memory() {
    let (little, _) = held(2_000, true);
    let (renewed, end) = held(10_000, true);
    let (kept, same) = held(10_000, false);
    assert_eq!(end, same);
    assert!(end.contains("message 9999"), "{end}");
    assert!(
        renewed <= little + little / 4,
        "{little} and {renewed} bytes"
    );
    assert!(kept > 20 * renewed, "{kept} and {renewed} bytes");
}

#[test]
fn what_was_asked_before_is_answered_afterwards() {
    let system: Arc<dyn AnySystem> = Arc::new(read(&growing(), &LoadOptions::default()).system);
    let asked = "ml(case last of [(_, s)] => String.size (text 7 ^ s) | _ => 0)";
    let value = |system: &dyn AnySystem, state: &[Word]| {
        let observation = system.observe(asked).unwrap().unwrap();
        observation.value(state).unwrap()
    };
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut states = vec![steps.target(0).to_vec()];
    let before = value(&*system, &states[0]);
    assert_eq!(usize::try_from(before), Ok("message 7none".len()));
    let mut again = renewed(&*system, &mut states);
    for _ in 0..3 {
        assert_eq!(value(&*again, &states[0]), before);
        again = renewed(&*again, &mut states);
    }
}
