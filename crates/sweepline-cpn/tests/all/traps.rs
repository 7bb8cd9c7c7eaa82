//! What is easily misunderstood in models of CPN Tools.

use crate::common::{Count, File, count};
use sweepline_core::{Describe, Steps, System};
use sweepline_cpn::{LoadOptions, TimeMode};

fn plain() -> LoadOptions {
    LoadOptions::default()
}

fn timed(time: TimeMode) -> LoadOptions {
    LoadOptions {
        time,
        ..LoadOptions::default()
    }
}

fn figures(count: Count) -> (usize, usize, usize) {
    (count.states, count.edges, count.deadlocks)
}

/// The states of a net as they are shown, breadth first, at most `most` of them.
fn shown(text: &str, options: &LoadOptions, most: usize) -> Vec<String> {
    let system = crate::common::read(text, options).system;
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut states: Vec<Vec<u64>> = Vec::new();
    let mut next = 0;
    loop {
        for step in 0..steps.len() {
            let target = steps.target(step).to_vec();
            if !states.contains(&target) {
                states.push(target);
            }
        }
        if next == states.len() || next == most {
            break;
        }
        steps.clear();
        system.successors(&states[next], &mut steps);
        next += 1;
    }
    let show = |state: &Vec<u64>| {
        let pairs = system.show(state);
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        pairs.join(", ")
    };
    states.iter().map(show).collect()
}

#[test]
fn an_empty_list_on_a_list_place_is_a_token() {
    let text = File::default()
        .colour("I", false, "<int/>")
        .colour("L", false, "<list><id>I</id></list>")
        .declare("var l : L;")
        .place("a", "L", "[]")
        .place("b", "L", "")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "l")
        .arc("TtoP", "b", "t", "[]")
        .text();
    assert_eq!(
        shown(&text, &plain(), 9),
        ["P.a: 1`[], P.b: empty", "P.a: empty, P.b: 1`[]"]
    );
}

#[test]
fn a_list_of_tokens_is_a_multiset_where_it_is_no_token() {
    let text = File::default()
        .colour("I", false, "<int/>")
        .colour("L", false, "<list><id>I</id></list>")
        .declare("var l : L; fun twice l = List.map (fn x => 2 * x) l;")
        .place("a", "L", "1`[1, 2, 2]")
        .place("list", "L", "")
        .place("each", "I", "")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "l")
        .arc("TtoP", "list", "t", "twice l")
        .arc("TtoP", "each", "t", "twice l")
        .text();
    let states = shown(&text, &plain(), 9);
    assert_eq!(states[1], "P.a: empty, P.list: 1`[2,4,4], P.each: 1`2++2`4");
}

/// A token that becomes older in each round, beside one that nobody takes.
fn rounds() -> String {
    File::default()
        .colour("U", true, "<unit/>")
        .place("a", "U", "()")
        .place("b", "U", "()")
        .transition("t", "", "<time id='x'><text>@+5</text></time>")
        .arc("BOTHDIR", "a", "t", "()")
        .text()
}

#[test]
fn absolute_time_is_unbounded_where_relative_time_is_not() {
    assert_eq!(
        figures(count(&rounds(), &timed(TimeMode::Relative))),
        (2, 2, 0)
    );
    let states = shown(&rounds(), &timed(TimeMode::Absolute), 3);
    assert_eq!(states[0], "time: 0, P.a: 1`()@0, P.b: 1`()@0");
    assert_eq!(states[1], "time: 0, P.a: 1`()@5, P.b: 1`()@0");
    assert_eq!(states[2], "time: 5, P.a: 1`()@10, P.b: 1`()@0");
    let states = shown(&rounds(), &timed(TimeMode::Ready), 3);
    assert_eq!(states[2], "time: 5, P.a: 1`()@10, P.b: 1`()@5");
}

#[test]
fn a_horizon_ends_a_run() {
    let options = LoadOptions {
        horizon: Some(20),
        ..LoadOptions::default()
    };
    let system = crate::common::read(&rounds(), &options).system;
    let fault = crate::common::explore(std::sync::Arc::new(system), usize::MAX).unwrap_err();
    assert!(format!("{fault:?}").contains("the horizon"), "{fault:?}");
}

#[test]
fn the_youngest_ready_token_is_taken() {
    // At time 5 there are tokens of stamp 0 and 5; at time 9 also one of stamp 9.
    let text = File::default()
        .colour("I", true, "<int/>")
        .declare("var n : I;")
        .place("a", "I", "1`7@+0 +++ 1`7@+5 +++ 1`7@+9")
        .place("clock", "I", "1`1@+6")
        .place("b", "I", "")
        .transition("t", "", "")
        .arc("PtoT", "clock", "t", "1")
        .arc("PtoT", "a", "t", "n")
        .arc("TtoP", "b", "t", "n")
        .text();
    let states = shown(&text, &timed(TimeMode::Absolute), 9);
    assert_eq!(
        states[1],
        "time: 6, P.a: 1`7@0+++1`7@9, P.clock: empty, P.b: 1`7@6"
    );
}

/// A marking with time stamps as CPN Tools prints it is one that can be written: `@` binds tighter than everything else.
#[test]
fn initial_markings_have_time_stamps() {
    let initial = ["1`1@3+++2`2@5", "[1@3,2@5,2@5]", "1`1@+3+++2`2@+5"];
    for time in [TimeMode::Absolute, TimeMode::Ready, TimeMode::Relative] {
        let counts = initial.map(|initial| {
            let net = File::default()
                .colour("INT", true, "<int/>")
                .declare("var n : INT;")
                .place("a", "INT", initial)
                .place("b", "INT", "")
                .transition("t", "", "")
                .arc("PtoT", "a", "t", "n")
                .arc("TtoP", "b", "t", "n@+1")
                .text();
            shown(&net, &timed(time), 100)
        });
        assert_eq!(counts[0], counts[1]);
        assert_eq!(counts[0], counts[2]);
        assert_eq!(counts[0].len(), 4, "{:?}", counts[0]);
    }
}

#[test]
fn a_delay_at_the_end_of_a_conditional_delays_all_of_it() {
    let text = File::default()
        .colour("I", true, "<int/>")
        .declare("var n : I;")
        .place("a", "I", "1`0 ++ 1`1")
        .place("b", "I", "")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "n")
        .arc("TtoP", "b", "t", "if n = 1 then 1`n else empty @+7")
        .text();
    let states = shown(&text, &timed(TimeMode::Absolute), 9);
    let with_token = states.iter().filter(|state| state.contains("P.b: 1`1@7"));
    assert_eq!(with_token.count(), 2, "{states:?}");
}

#[test]
fn equal_colours_on_two_arcs_are_two_tokens() {
    let net = |tokens: &str| {
        File::default()
            .colour("I", false, "<int/>")
            .declare("var n, m : I;")
            .place("a", "I", tokens)
            .transition("t", "", "")
            .arc("PtoT", "a", "t", "n")
            .arc("PtoT", "a", "t", "m")
            .text()
    };
    assert_eq!(figures(count(&net("1`1"), &plain())), (1, 0, 1));
    assert_eq!(figures(count(&net("2`1"), &plain())), (2, 1, 1));
    // n=1, m=2 and n=2, m=1 are two bindings with one target.
    assert_eq!(figures(count(&net("1`1 ++ 1`2"), &plain())), (2, 2, 1));
}

#[test]
fn unbound_variables_range_over_small_colour_sets() {
    let text = File::default()
        .colour("B", false, "<bool/>")
        .colour("U", false, "<unit/>")
        .declare("var b : B;")
        .place("a", "U", "()")
        .place("c", "B", "")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "()")
        .arc("TtoP", "c", "t", "b")
        .text();
    assert_eq!(figures(count(&text, &plain())), (3, 2, 2));
}

#[test]
fn urgent_transitions_come_first() {
    let net = |priority: &str| {
        let more = format!("<priority id='x'><text>{priority}</text></priority>");
        File::default()
            .declare("val P_HIGH = 100; val P_LOW = 10000;")
            .colour("U", false, "<unit/>")
            .place("a", "U", "()")
            .place("b", "U", "")
            .place("c", "U", "")
            .transition("t", "", &more)
            .transition("u", "", "")
            .arc("PtoT", "a", "t", "()")
            .arc("TtoP", "b", "t", "()")
            .arc("PtoT", "a", "u", "()")
            .arc("TtoP", "c", "u", "()")
            .text()
    };
    assert_eq!(figures(count(&net(""), &plain())), (3, 2, 2));
    assert_eq!(figures(count(&net("P_HIGH"), &plain())), (2, 1, 1));
    assert_eq!(figures(count(&net("P_LOW"), &plain())), (2, 1, 1));
}

#[test]
fn names_of_steps_show_bindings() {
    let text = File::default()
        .colour("I", false, "<int/>")
        .colour("S", false, "<string/>")
        .colour("P", false, "<product><id>I</id><id>S</id></product>")
        .declare("var n : I; var p : S;")
        .place("a", "P", "1`(1, \"COL\") ++ 2`(2, \"OUR\")")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "(n, p)")
        .text();
    let system = crate::common::read(&text, &plain()).system;
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let state = steps.target(0).to_vec();
    steps.clear();
    system.successors(&state, &mut steps);
    let names: Vec<String> = (0..steps.len())
        .map(|step| system.step_name(&state, step, steps.actions()[step]))
        .collect();
    assert_eq!(names, ["P.t {n=1, p=\"COL\"}", "P.t {n=2, p=\"OUR\"}"]);
    assert_eq!(system.show(&state)[0].1, "1`(1,\"COL\")++2`(2,\"OUR\")");
}

#[test]
fn markings_can_be_asked() {
    let text = File::default()
        .colour("I", false, "<int/>")
        .colour("P", false, "<product><id>I</id><id>I</id></product>")
        .place("a", "P", "1`(1, 2) ++ 2`(1, 3)")
        .place("b", "I", "7")
        .text();
    let system = crate::common::read(&text, &plain()).system;
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let tell = |name: &str| {
        let observation = system.observe(name)?;
        Some(observation.and_then(|observation| observation.value(steps.target(0))))
    };
    assert_eq!(tell("count(a)"), Some(Ok(3)));
    assert_eq!(tell("count(P.a, (1, _))"), Some(Ok(3)));
    assert_eq!(tell("count(a, (_, 3))"), Some(Ok(2)));
    assert_eq!(tell("value(b)"), Some(Ok(7)));
    assert_eq!(tell("ml(size a = 3)"), Some(Ok(1)));
    assert_eq!(tell("ml(List.length b + 1)"), Some(Ok(2)));
    assert_eq!(tell("something(a)"), None);
    assert!(tell("count(nowhere)").unwrap().is_err());
    assert!(tell("value(a)").unwrap().is_err());
    assert!(tell("ml(size)").unwrap().is_err());
}

#[test]
fn numbers_may_become_negative_late() {
    let text = File::default()
        .colour("I", false, "<int/>")
        .declare("var n : I;")
        .place("a", "I", "1000")
        .transition("t", "[n > ~5]", "")
        .arc("PtoT", "a", "t", "n")
        .arc("TtoP", "a", "t", "n - 1")
        .text();
    assert_eq!(figures(count(&text, &plain())), (1006, 1005, 1));
}
