//! What models do.

use sweepline_core::{NoProgress, System};
use sweepline_dve::{DveModel, LoadOptions, read_dve};
use sweepline_explore::{End, Options, Sweep};
use sweepline_logic::{Enabled, Predicate, Scope, Source, parse_pred};
use sweepline_program::ProgramSystem;

fn read(text: &str) -> DveModel {
    let source = Source::new("model.dve", text);
    read_dve(&source, &LoadOptions::default()).expect("the model is right")
}

fn system(text: &str) -> ProgramSystem {
    ProgramSystem::new((*read(text).program()).clone())
}

/// States and edges of a model.
fn count(text: &str) -> (u64, u64) {
    let system = system(text);
    let mut sweep = Sweep::new(&system, &NoProgress, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Complete);
    let statistics = sweep.statistics();
    (
        statistics.states().expect("the exploration is complete"),
        statistics.edges,
    )
}

/// What ends the exploration of a model that is wrong.
fn fault(text: &str) -> String {
    let system = system(text);
    let mut sweep = Sweep::new(&system, &NoProgress, Options::default());
    match sweep.run(&mut ()) {
        End::Fault { message, .. } => message,
        End::Assertion { assertion, .. } => format!("{assertion:?}"),
        end => panic!("{end:?}"),
    }
}

/// Asserts that every way through a model ends in `P.good`.
fn check_ends_well(text: &str) {
    let system = system(text);
    let layout = system.layout();
    let location = layout.slot_named("P").expect("there is a process P");
    let mut steps = sweepline_core::Steps::for_layout(layout);
    system.initial(&mut steps);
    let mut state = steps.target(0).to_vec();
    loop {
        steps.clear();
        system.successors(&state, &mut steps);
        assert_eq!(steps.fault(), None);
        if steps.is_empty() {
            break;
        }
        state = steps.target(0).to_vec();
    }
    let shown = layout.slot(location).show(layout.value(&state, location));
    assert_eq!(shown, "good");
}

#[test]
fn effects_are_executed_in_order() {
    check_ends_well(
        "byte a = 1, b;
         process P { state s, t, good; init s;
           trans s -> t { effect b = a, a = 5, a = a + b; },
                 t -> good { guard a == 6 and b == 1; };
         }
         system async;",
    );
}

#[test]
fn a_rendezvous_passes_values_then_executes_the_receiver_then_the_sender() {
    check_ends_well(
        "byte a, b; channel c;
         process Q { byte x; state s, t; init s; trans s -> t { sync c!a+7; effect b = b * 10 + 2; }; }
         process P { byte x; state s, t, good; init s;
           trans s -> t { sync c?x; effect b = b * 10 + x; },
                 t -> good { guard x == 7 and b == 72; };
         }
         system async;",
    );
}

#[test]
fn all_values_of_a_rendezvous_are_those_of_the_state_before() {
    // The receiver overwrites what the second value is computed from.
    check_ends_well(
        "byte a = 1, b = 2; channel {byte, byte} c;
         process Q { state s, t; init s; trans s -> t { sync c!{b, a}; }; }
         process P { state s, t, good; init s;
           trans s -> t { sync c?{a, b}; },
                 t -> good { guard a == 2 and b == 1; };
         }
         system async;",
    );
    check_ends_well(
        "byte a[3] = {1, 2, 3}; channel c;
         process Q { byte i = 1; state s, t; init s; trans s -> t { sync c!{7, a[i], a[0] + a[2]}; }; }
         process P { int x; state s, t, good; init s;
           trans s -> t { sync c?{a[1], a[2], x}; },
                 t -> good { guard a[1] == 7 and a[2] == 2 and x == 4; };
         }
         system async;",
    );
}

#[test]
fn an_index_of_a_receiver_sees_what_was_received_before() {
    check_ends_well(
        "byte a[3]; channel {byte, byte} c;
         process Q { state s, t; init s; trans s -> t { sync c!{2, 9}; }; }
         process P { byte i; state s, t, good; init s;
           trans s -> t { sync c?{i, a[i]}; },
                 t -> good { guard a[2] == 9 and a[0] == 0; };
         }
         system async;",
    );
}

#[test]
fn values_wait_nowhere_between_steps() {
    let text = "byte a = 1, b = 2; channel {byte, byte} c;
         process Q { state s; init s; trans s -> s { sync c!{b, a}; }; }
         process P { state s; init s; trans s -> s { sync c?{a, b}; }; }
         system async;";
    assert_eq!(count(text), (2, 2));
    assert!(!read(text).program().can_fail());
}

#[test]
fn a_message_is_put_or_taken_before_the_effects() {
    check_ends_well(
        "byte n = 3; channel {byte, byte} c[2];
         process Q { state s, t; init s; trans s -> t { sync c!{n, n + 1}; effect n = 50; }; }
         process P { byte x, y, z; state s, t, good; init s;
           trans s -> t { guard n == 50; sync c?{x, y}; effect z = x + y, x = 0; },
                 t -> good { guard z == 7 and x == 0 and y == 4; };
         }
         system async;",
    );
}

#[test]
fn an_early_end_is_no_mistake_of_the_model() {
    let text = "process P { state s; init s; trans s -> s {}; } system async;";
    let cancelled = LoadOptions::default();
    cancelled.limits.cancel.cancel();
    let errors = read_dve(&Source::new("model.dve", text), &cancelled).unwrap_err();
    let errors = errors.into_vec();
    assert_eq!(errors.len(), 1);
    let expected = sweepline_core::StopReason::Interrupted;
    assert_eq!(errors[0].stopped(), Some(&expected));
    let wrong = read_dve(&Source::new("model.dve", "proces"), &LoadOptions::default());
    let wrong = wrong.unwrap_err().into_vec();
    assert!(wrong.iter().all(|error| error.stopped().is_none()));
}

#[test]
fn models_say_whether_they_can_fail() {
    let with = |guard: &str, more: &str| {
        read(&format!(
            "byte n; process P {{ state s; init s; {more}
               trans s -> s {{ guard {guard}; effect n = n + 1; }}; }}
             system async;"
        ))
    };
    assert!(!with("n < 255", "").program().can_fail());
    assert!(with("n < 256", "").program().can_fail());
    assert!(with("n < 255", "assert s: n < 200;").program().can_fail());
}

#[test]
fn nobody_talks_to_itself() {
    let text = "channel c;
         process P { state s; init s; trans s -> s { sync c!; }, s -> s { sync c?; }; }";
    assert_eq!(count(&format!("{text} system async;")), (1, 0));
    let other = "process Q { state s; init s; trans s -> s { sync c!; }; }";
    assert_eq!(count(&format!("{text} {other} system async;")), (1, 1));
}

#[test]
fn committed_states_come_first() {
    // Without `commit` the counter of Q could be raised in between.
    let text = "channel c;
         process P { state s, t, u; init s; COMMIT trans s -> t {}, t -> u {}, t -> u { sync c!; }; }
         process Q { state s, t; init s; trans s -> t {}, s -> t { sync c?; }; }
         system async;";
    assert_eq!(count(&text.replace("COMMIT", "")), (6, 8));
    assert_eq!(count(&text.replace("COMMIT", "commit t;")), (6, 6));
}

#[test]
fn buffers_are_first_in_first_out() {
    check_ends_well(
        "channel {byte,int} c[2];
         process Q { byte n; state s; init s; trans s -> s { guard n < 3; sync c!{n,-n}; effect n = n + 1; }; }
         process P { byte x; int y; byte n; state s, good, bad; init s;
           trans s -> s { guard n < 3; sync c?{x,y}; effect n = n + (x == n and y == -n); },
                 s -> good { guard n == 3; };
         }
         system async;",
    );
}

#[test]
fn a_full_buffer_blocks() {
    let text = "channel {byte} c[3];
         process P { state s; init s; trans s -> s { sync c!1; }; }
         system async;";
    assert_eq!(count(text), (4, 3));
}

#[test]
fn assertions_are_checked_without_being_asked() {
    let message = fault(
        "byte n;
         process P { state s; init s; assert s: n < 3; trans s -> s { effect n = n + 1; }; }
         system async;",
    );
    assert!(message.contains("assert"), "{message}");
}

#[test]
fn errors_of_the_model_end_the_exploration() {
    for (effect, part) in [
        ("n = n + 1", "`n` would become 256"),
        ("n = n - 1", "`n` would become -1"),
        ("i = i + 30000", "`i` would become 60000"),
        ("n = 1 / n", "zero"),
        ("a[n] = 0, n = n + 1", "a"),
    ] {
        let message = fault(&format!(
            "byte n, a[2]; int i;
             process P {{ state s; init s; trans s -> s {{ effect {effect}; }}; }}
             system async;"
        ));
        assert!(message.contains(part), "{effect}: {message}");
    }
}

#[test]
fn the_right_side_is_looked_at_only_if_it_matters() {
    check_ends_well(
        "byte a[2], i = 2;
         process P { state s, good; init s;
           trans s -> good { guard not (i < 2 and a[i] == 0) and (i >= 2 or a[i] == 0) and (false imply a[i]); };
         }
         system async;",
    );
}

#[test]
fn operators_bind_as_in_c() {
    check_ends_well(
        "int x;
         process P { state s, t, good; init s;
           trans s -> t { effect x = 1 + 2 * 3 - 8 / 2 % 3 | 1 << 3 ^ 6 & ~1; },
                 t -> good { guard x == (6 | (8 ^ 6)) and 1 == 1 or 0 and 0; };
         }
         system async;",
    );
}

#[test]
fn an_omitted_source_is_that_of_the_transition_before() {
    let text = "process P { state s, t, u; init s; trans s -> t {}, -> u {}; } system async;";
    assert_eq!(count(text), (3, 2));
}

#[test]
fn predicates_speak_of_processes_and_their_variables() {
    let model = read(
        "byte a[2] = {4, 5};
         process P_0 { byte x = 3; state idle, wait; init wait; }
         system async;",
    );
    let system = ProgramSystem::new((*model.program()).clone());
    let definitions = model.definitions();
    let scope = Scope::of(&system).with(&definitions).unwrap();
    let mut steps = sweepline_core::Steps::for_layout(system.layout());
    system.initial(&mut steps);
    for (text, expected) in [
        ("P_0.wait", true),
        ("P_0.idle", false),
        ("P_0.x == 3 and a[1] == 5", true),
        ("P_0 == wait", true),
    ] {
        let source = Source::from(text);
        let pred = parse_pred(&source).unwrap();
        let predicate = Predicate::resolve(&pred, &scope, &source).unwrap();
        let value = predicate.eval(steps.target(0), &Enabled::default());
        assert_eq!(value, Ok(expected), "{text}");
    }
}

#[test]
fn the_property_process_is_kept_apart() {
    let model = read(
        "byte n;
         process P { state s; init s; trans s -> s { effect n = 1 - n; }; }
         process L { state q, r; init q; accept r; trans q -> q {}, q -> r { guard n == 1; }, r -> r { guard P.s; }; }
         system async property L;",
    );
    assert_eq!(model.program().processes().len(), 1);
    let property = model.property().unwrap();
    assert_eq!((property.name.as_str(), property.initial), ("L", 0));
    let accepting: Vec<bool> = property
        .states
        .iter()
        .map(|state| state.accepting)
        .collect();
    assert_eq!(accepting, [false, true]);
    assert_eq!(property.states[0].edges.len(), 2);
    assert_eq!(property.states[1].edges[0].1, 1);
    let automaton = property.omega().unwrap();
    let atoms: Vec<String> = automaton.atoms.iter().map(ToString::to_string).collect();
    assert_eq!(atoms, ["(n == 1)", "P.s"]);
    let moves: Vec<Vec<(bool, u32, u64)>> = automaton
        .edges
        .iter()
        .map(|moves| {
            let seen = moves.iter();
            seen.map(|edge| (edge.guard.contains(0), edge.target.0, edge.marks))
                .collect()
        })
        .collect();
    assert_eq!(
        moves,
        [vec![(true, 0, 0), (false, 1, 0)], vec![(false, 1, 1)]]
    );
}

#[test]
fn conditions_of_the_property_process_are_predicates_where_they_can_be() {
    let omega = |guard: &str| {
        let text = format!(
            "const byte K = 2; byte n; byte a[3];
             process P {{ byte x; state s, t; init s; trans s -> t {{ effect n = 1; }}; }}
             process L {{ const byte M = K + 1; state q; init q; accept q; trans q -> q {{ guard {guard}; }}; }}
             system async property L;"
        );
        let automaton = read(&text).property().unwrap().omega()?;
        Ok::<_, &str>(automaton.atoms[0].to_string())
    };
    assert_eq!(omega("n == K").unwrap(), "(n == 2)");
    assert_eq!(omega("a[M - 2] > P->x").unwrap(), "(a[1] > P.x)");
    assert!(omega("P.s + P.t > 1").unwrap().contains("P.s"));
    assert_eq!(omega("a[n] == 1"), Err("an index must be a number"));
}

#[test]
fn constants_are_known_with_the_values_they_got() {
    let text = "const byte N = 3, M = N + 1;
         process P { const int k = -M; state s; init s; }
         system async;";
    let constants = |set: &[(&str, i64)]| {
        let set = set.iter().map(|(name, value)| ((*name).into(), *value));
        let options = LoadOptions {
            constants: set.collect(),
            ..LoadOptions::default()
        };
        let model = read_dve(&Source::new("model.dve", text), &options).unwrap();
        model.constants().to_vec()
    };
    let expected = |values: [i64; 3]| -> Vec<(String, i64)> {
        let names = ["M", "N", "P.k"].map(String::from);
        names.into_iter().zip(values).collect()
    };
    assert_eq!(constants(&[]), expected([4, 3, -4]));
    assert_eq!(constants(&[("N", 7)]), expected([8, 7, -8]));
}
