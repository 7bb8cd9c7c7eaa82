//! Formulas over fluents of FSP models: textbook examples with known answers, and random networks against brute force.

use proptest::prelude::*;
use sweepline_core::{Limits, Steps, System, Verdict};
use sweepline_session::{
    Emptiness, LoadOptions, Model, Options, Order, QuestionOptions, Questions, Reading, Run,
    load_text, verify,
};

fn model(text: &str) -> Model {
    let options = LoadOptions::default();
    let read = load_text("m.lts", text.into(), &options, &Limits::default());
    match read {
        Ok(Reading::Loaded(model)) => *model,
        Ok(Reading::Stopped(_)) => panic!("there are no limits"),
        Err(error) => panic!("{error:?}: {text}"),
    }
}

fn ask(model: &Model, asked: &QuestionOptions, emptiness: Emptiness) -> Vec<Run> {
    let questions = Questions::gather(asked, model).expect("questions");
    let options = Options {
        emptiness,
        ..Options::default()
    };
    verify(model, &questions, &Order::default(), &options, &mut ()).expect("it can be checked")
}

/// What is said of the formula of this name: all ways to look for runs must agree.
fn check(text: &str, name: &str, fair_choice: bool) -> &'static str {
    let model = model(text);
    let asked = QuestionOptions {
        files: vec![name.into()],
        fair_choice,
        ..QuestionOptions::default()
    };
    let ways = [Emptiness::Links, Emptiness::Product, Emptiness::Thesis];
    let found = ways.map(|emptiness| {
        let runs = ask(&model, &asked, emptiness);
        let answer = &runs[0].answers[0];
        assert!(runs[0].failure.is_none(), "{name}: {:?}", runs[0].failure);
        assert_eq!(
            answer.evidence.is_some(),
            answer.verdict == Verdict::Violated,
            "{name}"
        );
        match &answer.verdict {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Inconclusive(why) => panic!("{name}: {why}"),
        }
    });
    assert!(found.iter().all(|one| *one == found[0]), "{name} {found:?}");
    found[0]
}

/// Two processes and a semaphore, after [MK06, Sect. 14.2].
const SEMAPHORE: &str = "const N = 2
SEMAPHORE(I=1) = SEMA[I],
SEMA[v:0..2] = (when (v<2) up -> SEMA[v+1] | when (v>0) down -> SEMA[v-1]).
LOOP = (mutex.down -> enter -> exit -> mutex.up -> LOOP).
||SEMADEMO = (p[1..N]:LOOP || {p[1..N]}::mutex:SEMAPHORE(FREE)).
fluent CRITICAL[i:1..N] = <p[i].enter, p[i].exit>
assert MUTEX = []!(CRITICAL[1] && CRITICAL[2])
assert MUTEX_N(M=N) = []!(exists[i:1..M-1] (CRITICAL[i] && CRITICAL[i+1..M]))
assert ENTER = forall[i:1..N] []<>CRITICAL[i]
assert LEAVE = forall[i:1..N] [](p[i].enter -> <>p[i].exit)
assert ONCE = <>p[1].enter
assert SOMEBODY = []<>{p[1..N].enter}
assert NEXT = [](p[1].enter -> X p[1].exit)
";

#[test]
fn mutual_exclusion_by_a_semaphore() {
    let (one, two) = (
        SEMAPHORE.replace("FREE", "1"),
        SEMAPHORE.replace("FREE", "2"),
    );
    for (name, expected) in [("MUTEX", "holds"), ("MUTEX_N", "holds")] {
        assert_eq!(check(&one, name, false), expected, "{name}");
        assert_eq!(check(&two, name, false), "violated", "{name}");
    }
    // Whoever is inside is the only one who can go on, if there is one place; one may never get in, unless choices are fair.
    for (name, plain, fair) in [
        ("ENTER", "violated", "holds"),
        ("ONCE", "violated", "holds"),
        ("LEAVE", "holds", "holds"),
        ("SOMEBODY", "holds", "holds"),
        ("NEXT", "holds", "holds"),
    ] {
        assert_eq!(check(&one, name, false), plain, "{name}");
        assert_eq!(check(&one, name, true), fair, "{name}");
    }
    assert_eq!(check(&two, "LEAVE", false), "violated");
    assert_eq!(check(&two, "NEXT", true), "violated");
}

/// [MK06, Sect. 7.2]: a coin comes up heads again and again if choices are fair; one of two coins has no heads.
#[test]
fn tossing_coins() {
    let coin =
        "COIN = (toss -> heads -> COIN | toss -> tails -> COIN).\nassert HEADS = []<>heads\n";
    assert_eq!(check(coin, "HEADS", false), "violated");
    assert_eq!(check(coin, "HEADS", true), "holds");
    let two = "TWOCOIN = (pick -> COIN | pick -> TRICK),
TRICK = (toss -> heads -> TRICK),
COIN = (toss -> heads -> COIN | toss -> tails -> COIN).
assert HEADS = []<>heads
assert TAILS = []<>tails
assert EITHER = (<>[]!tails || []<>tails)
";
    assert_eq!(check(two, "HEADS", true), "holds");
    assert_eq!(check(two, "TAILS", true), "violated");
    assert_eq!(check(two, "EITHER", false), "holds");
}

/// Values are those after each step, and a run that ends stays as it is.
#[test]
fn when_fluents_hold() {
    let lamp = "LAMP = (on -> off -> STOP).
fluent LIT = <on, off> initially START
assert NOW = LIT
assert ALWAYS = []LIT
assert LATER = X !LIT
assert STAYS = <>[]!LIT
assert LAST = <>[]off
assert IDLE = <>idle
||S = LAMP.
";
    let dark = lamp.replace("START", "0");
    for (name, expected) in [
        ("NOW", "holds"),
        ("ALWAYS", "violated"),
        ("LATER", "holds"),
        ("STAYS", "holds"),
        ("LAST", "holds"),
        ("IDLE", "violated"),
    ] {
        assert_eq!(check(&dark, name, false), expected, "{name}");
        assert_eq!(
            check(&dark, name, true),
            expected,
            "{name} under fair choice"
        );
    }
    let stopped = "P = STOP+{on,off}.\nfluent LIT = <on, off> initially True\nassert NOW = []LIT\nassert ON = on\n";
    assert_eq!(check(stopped, "NOW", false), "holds");
    assert_eq!(check(stopped, "ON", false), "violated");
}

/// Hidden steps count as steps, and switch nothing.
#[test]
fn hidden_actions_switch_nothing() {
    let text = "P = (a -> b -> P)\\{b}.
fluent A = <a, b>
assert STAYS = <>[]A
assert DONE = []a
assert FIRST = X a
";
    for name in ["STAYS", "DONE", "FIRST"] {
        assert_eq!(check(text, name, false), "holds", "{name}");
    }
}

#[test]
fn all_are_asked_unless_somebody_names_one() {
    let text = "P = (a -> b -> P).
progress B = {b}
assert ONE[i:1..2] = []<>a
assert OTHER = <>[]b
";
    let model = model(text);
    let names = |asked: &QuestionOptions| -> Vec<String> {
        let runs = ask(&model, asked, Emptiness::Links);
        let answers = runs.iter().flat_map(|run| &run.answers);
        answers.map(|answer| answer.name.clone()).collect()
    };
    let all = QuestionOptions::default();
    assert_eq!(names(&all), ["deadlock", "B", "ONE[1]", "ONE[2]", "OTHER"]);
    let named = |name: &str| QuestionOptions {
        files: vec![name.into()],
        ..QuestionOptions::default()
    };
    assert_eq!(names(&named("ONE")), ["ONE[1]", "ONE[2]"]);
    assert_eq!(names(&named("ONE[2]")), ["ONE[2]"]);
    assert_eq!(names(&named("B")), ["B"]);
    assert!(Questions::gather(&named("ON"), &model).is_err());
    let fair = QuestionOptions {
        fair_choice: true,
        ..named("B")
    };
    assert!(
        Questions::gather(&fair, &model).is_err(),
        "nothing to choose"
    );
}

/// Assumptions about the model's actions and states go with formulas over fluents.
#[test]
fn fairness_of_actions() {
    let text = "P = (a -> P | b -> P).\nassert B = []<>b\n";
    let model = model(text);
    for (strong, expected) in [
        (vec![], Verdict::Violated),
        (vec!["b".into()], Verdict::Holds),
    ] {
        let asked = QuestionOptions {
            files: vec!["B".into()],
            strong_fair: strong,
            ..QuestionOptions::default()
        };
        for emptiness in [Emptiness::Links, Emptiness::Product] {
            assert_eq!(
                ask(&model, &asked, emptiness)[0].answers[0].verdict,
                expected
            );
        }
    }
}

/// A process with a few states, as text: each state has steps `action -> state`.
fn process(steps: &[Vec<(usize, usize)>], prefix: &str) -> String {
    let local = steps.iter().enumerate().map(|(state, steps)| {
        let steps: Vec<String> = steps
            .iter()
            .map(|(action, target)| format!("{} -> S{}", ["a", "b", "c"][*action], target % 3))
            .collect();
        match &steps[..] {
            [] => format!("S{state} = STOP"),
            steps => format!("S{state} = ({})", steps.join(" | ")),
        }
    });
    let local: Vec<String> = local.collect();
    format!("{prefix} = S0,\n{}+{{a, b, c}}.\n", local.join(",\n"))
}

/// Whether a word that repeats itself from this place on satisfies a formula.
type Holds = fn(&[(bool, bool)], usize) -> bool;

/// Formulas, and what they say of a word that repeats itself from some place on: of `A` and `b`.
const FORMULAS: [(&str, Holds); 5] = [
    ("[]A", |word, _| word.iter().all(|(a, _)| *a)),
    ("<>[]A", |word, from| word[from..].iter().all(|(a, _)| *a)),
    ("[]<>b", |word, from| word[from..].iter().any(|(_, b)| *b)),
    ("(A U b)", |word, _| {
        let until = word.iter().position(|(_, b)| *b);
        until.is_some_and(|until| word[..until].iter().all(|(a, _)| *a))
    }),
    ("[](b -> <>A)", |word, from| {
        let again = word[from..].iter().any(|(a, _)| *a);
        (0..word.len()).all(|at| !word[at].1 || again || word[at..].iter().any(|(a, _)| *a))
    }),
];

/// Whether a lasso of at most so many steps is against a formula, by trying all of them.
fn refuted(model: &Model, holds: Holds) -> bool {
    let system = &model.system;
    let mut initial = Steps::for_layout(system.layout());
    system.initial(&mut initial);
    let mut runs = vec![(vec![initial.target(0).to_vec()], Vec::<String>::new())];
    for _ in 0..=LONGEST {
        let mut longer = Vec::new();
        for (states, actions) in runs {
            let last = &states[states.len() - 1];
            let mut steps = Steps::for_layout(system.layout());
            system.successors(last, &mut steps);
            let lasso = |from: usize| {
                let repeated = &actions[from..];
                let all: Vec<&str> = actions
                    .iter()
                    .chain(repeated)
                    .chain(repeated)
                    .map(String::as_str)
                    .collect();
                let word = letters(&all);
                !holds(&word, actions.len())
            };
            if steps.is_empty() {
                let all: Vec<&str> = actions.iter().map(String::as_str).collect();
                let mut word = letters(&all);
                let first = (true, false);
                word.push(*word.last().unwrap_or(&first));
                if !holds(&word, word.len() - 1) {
                    return true;
                }
                continue;
            }
            let before = states[..states.len() - 1].iter().enumerate();
            let mut closing = before.filter(|(_, state)| *state == last);
            if closing.any(|(from, _)| lasso(from)) {
                return true;
            }
            for index in 0..steps.len() {
                let (mut states, mut actions) = (states.clone(), actions.clone());
                let action = steps.actions()[index].0 as usize;
                actions.push(system.actions()[action].clone());
                states.push(steps.target(index).to_vec());
                longer.push((states, actions));
            }
        }
        runs = longer;
    }
    false
}

const LONGEST: usize = 6;

/// `fluent A = <a, {c}> initially True`, and the action `b`.
fn letters(actions: &[&str]) -> Vec<(bool, bool)> {
    let last = |until: usize, of: &[&str]| {
        let done = actions[..=until].iter().rev();
        done.copied().find(|action| of.contains(action))
    };
    let letter = |at: usize| {
        let a = last(at, &["a", "c"]).is_none_or(|action| action == "a");
        (a, last(at, &["a", "b", "c"]) == Some("b"))
    };
    (0..actions.len()).map(letter).collect()
}

fn networks() -> impl Strategy<Value = String> {
    let steps = || prop::collection::vec(prop::collection::vec((0..3_usize, 0..3_usize), 0..3), 3);
    (steps(), steps(), 0..3_usize).prop_map(|(p, q, own)| {
        // One action is the second process' own: under another name, it is nobody's.
        let renamed = ["a", "b", "c"][own];
        format!(
            "{}{}||S = (P || Q/{{own/{renamed}}}).\nfluent A = <a, {{c}}> initially True\n",
            process(&p, "P"),
            process(&q, "Q"),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// What holds is refuted by no short run; what is violated was confirmed on the model; and all ways agree.
    #[test]
    fn random_networks(text in networks()) {
        for (formula, holds) in FORMULAS {
            let text = format!("{text}assert F = {formula}\n");
            let plain = check(&text, "F", false);
            let short = refuted(&model(&text), holds);
            prop_assert!(!short || plain == "violated", "{formula}: {text}");
            // Runs that count under fair choice are runs.
            let fair = check(&text, "F", true);
            prop_assert!(plain == "violated" || fair == "holds", "{formula}: {text}");
        }
    }
}

#[test]
fn brute_force_tells_processes_apart() {
    for (process, expected) in [("(a -> P | b -> c -> P)", true), ("(a -> b -> P)", false)] {
        let model = model(&format!("P = {process}.\n"));
        for (formula, holds) in FORMULAS {
            assert_eq!(refuted(&model, holds), expected, "{formula} {process}");
        }
    }
}
