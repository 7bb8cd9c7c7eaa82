//! What a model's mistakes and names look like from outside.

use std::collections::BTreeSet;

use sweepline_core::{ActionId, Describe, Fault, Steps, System, Word};
use sweepline_model::{Encode, Model, ModelSystem, Next, Queue};

/// A counter with a channel that goes wrong in several ways.
struct Faulty;

#[derive(Clone, Debug, PartialEq, Encode)]
struct State {
    #[encode(range = 0..=3)]
    count: u8,
    channel: Queue<u8, 1>,
}

#[derive(Debug)]
enum Action {
    Add(u8),
    Push,
    Check,
}

impl Model for Faulty {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        [0, 2, 9]
            .map(|count| State {
                count,
                channel: Queue::new(),
            })
            .into()
    }

    fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
        if state.count == 3 {
            next.fail(Action::Check, "three is too much");
        }
        for amount in 1..=2 {
            next.change(Action::Add(amount), |to| to.count += amount);
        }
        next.change(Action::Push, |to| to.channel.push(7));
    }

    fn show_action(&self, action: &Action) -> String {
        match action {
            Action::Add(amount) => format!("add {amount}"),
            Action::Push | Action::Check => format!("{action:?}").to_lowercase(),
        }
    }
}

fn words(count: Word, pushed: bool) -> [Word; 1] {
    [count | Word::from(pushed) << 2 | if pushed { 7 << 3 } else { 0 }]
}

/// The targets of the steps and the message of the fault, if there is one.
fn steps(state: &[Word]) -> (Vec<Word>, Option<(u32, String)>) {
    let system = ModelSystem::new(Faulty);
    let mut steps = Steps::for_layout(system.layout());
    system.successors(state, &mut steps);
    let fault = steps.fault().map(|fault| match fault {
        Fault::Model { action, message } => (action.0, message.clone()),
        Fault::Assertion(_) | Fault::Outgrown { .. } | Fault::Full | Fault::TooMany { .. } => {
            panic!("typed models know their ranges")
        }
    });
    (steps.words().to_vec(), fault)
}

#[test]
fn steps_come_in_the_order_of_the_model() {
    let (targets, fault) = steps(&words(0, false));
    assert_eq!(fault, None);
    let expected = [words(1, false), words(2, false), words(0, true)];
    assert_eq!(targets, expected.concat());
}

#[test]
fn a_value_out_of_range_is_a_fault_and_no_step() {
    let (targets, fault) = steps(&words(2, false));
    let message = "add 2: `count` would become 4, outside its range 0..=3";
    assert_eq!(fault, Some((1, message.into())));
    assert_eq!(targets, [words(3, false), words(2, true)].concat());
}

#[test]
fn a_full_channel_is_a_fault() {
    let (_, fault) = steps(&words(0, true));
    let message = "push: `channel` would hold more than 1 values, which is its capacity";
    assert_eq!(fault, Some((2, message.into())));
}

#[test]
fn the_model_may_say_that_it_is_wrong() {
    let (_, fault) = steps(&words(3, false));
    assert_eq!(fault, Some((0, "check: three is too much".into())));
}

#[test]
fn an_initial_state_out_of_range_is_a_fault() {
    let system = ModelSystem::new(Faulty);
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    assert_eq!(steps.words(), [words(0, false), words(2, false)].concat());
    let message = "initial state: `count` would become 9, outside its range 0..=3".into();
    let action = ActionId(0);
    assert_eq!(steps.fault(), Some(&Fault::Model { action, message }));
}

#[test]
fn steps_are_named_in_context() {
    let system = ModelSystem::new(Faulty);
    let name = |count, ordinal| system.step_name(&words(count, false), ordinal, ActionId(0));
    assert_eq!(name(0, 0), "add 1");
    assert_eq!(name(0, 1), "add 2");
    assert_eq!(name(0, 2), "push");
    // From 2 only one of the additions is possible, so the second step is the push.
    assert_eq!(name(2, 1), "push");
    assert_eq!(name(0, 3), "step 3");
}

#[test]
fn states_are_shown_by_field() {
    let system = ModelSystem::new(Faulty);
    let shown = system.show(&words(2, true));
    let shown: Vec<_> = shown
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(shown, [("count", "2"), ("channel", "[7]")]);
}

#[test]
fn steps_of_other_states_may_be_in_the_batch() {
    let system = ModelSystem::new(Faulty);
    let mut steps = Steps::for_layout(system.layout());
    system.successors(&words(0, false), &mut steps);
    system.successors(&words(1, false), &mut steps);
    let ids: Vec<_> = steps.actions().iter().map(|action| action.0).collect();
    assert_eq!(ids, [0, 1, 2, 0, 1, 2]);
}

/// States made by changing others have the same words as those made from nothing, and no change stays.
#[derive(Clone, Debug, PartialEq, Encode)]
struct Mixed {
    tape: Vec<u8>,
    #[encode(range = 0..=9)]
    digit: u8,
    seen: BTreeSet<u8>,
    note: String,
}

struct Changes {
    made: bool,
}

impl Model for Changes {
    type State = Mixed;
    type Action = u8;

    fn initial(&self) -> Vec<Mixed> {
        vec![Mixed {
            tape: vec![200; 12],
            digit: 3,
            seen: BTreeSet::from([1, 5]),
            note: "start".into(),
        }]
    }

    fn steps(&self, state: &Mixed, next: &mut Next<'_, Self>) {
        let changes: [fn(&mut Mixed); 7] = [
            |to| to.tape.push(7),
            |to| to.digit += 1,
            |to| {
                to.seen.insert(3);
                to.note.clear();
            },
            |_| {},
            |to| to.tape[11] = 0,
            |to| to.digit = 10,
            |to| {
                to.note.push('!');
                to.seen.clear();
            },
        ];
        for (number, change) in (0..).zip(changes) {
            if self.made {
                let mut to = state.clone();
                change(&mut to);
                next.step(number, to);
            } else {
                next.change(number, change);
            }
        }
    }
}

#[test]
fn what_is_changed_is_written_as_if_made() {
    let steps = |made| {
        let system = ModelSystem::new(Changes { made });
        let mut initial = Steps::for_layout(system.layout());
        system.initial(&mut initial);
        let mut steps = Steps::for_layout(system.layout());
        system.successors(initial.target(0), &mut steps);
        steps
    };
    let (made, changed) = (steps(true), steps(false));
    assert_eq!(made.fault(), changed.fault());
    assert!(made.fault().is_some(), "the digit leaves its range");
    assert_eq!((made.len(), changed.len()), (6, 6));
    for index in 0..6 {
        assert_eq!(made.target(index), changed.target(index), "{index}");
    }
}

/// States are expanded in the memory of those before; nothing of these is left, not even after a fault.
#[test]
fn a_state_has_the_same_steps_whatever_was_expanded_before() {
    let steps_of = |system: &ModelSystem<Changes>, state: &[Word]| {
        let mut steps = Steps::for_layout(system.layout());
        system.successors(state, &mut steps);
        let targets = (0..steps.len()).map(|index| steps.target(index).to_vec());
        targets.collect::<Vec<_>>()
    };
    let system = ModelSystem::new(Changes { made: false });
    let mut initial = Steps::for_layout(system.layout());
    system.initial(&mut initial);
    let mut states = vec![initial.target(0).to_vec()];
    for done in 0..100 {
        let targets = steps_of(&system, &states[done]);
        let alone = ModelSystem::new(Changes { made: true });
        assert_eq!(targets, steps_of(&alone, &states[done]), "state {done}");
        states.extend(targets);
    }
}

/// A model whose states have no fixed size: a stack of at most three cards.
struct Stack;

impl Model for Stack {
    type State = Vec<char>;
    type Action = char;

    fn initial(&self) -> Vec<Vec<char>> {
        vec![Vec::new()]
    }

    fn steps(&self, state: &Vec<char>, next: &mut Next<'_, Self>) {
        if state.len() < 3 {
            for card in ['♠', '♥'] {
                next.change(card, |to| to.push(card));
            }
        }
    }
}

#[test]
fn states_may_differ_in_size() {
    let system = ModelSystem::new(Stack);
    assert_eq!(system.layout().width(), None);
    let mut steps = Steps::for_layout(system.layout());
    let mut states = vec![Vec::new()];
    for done in 0.. {
        let Some(state) = states.get(done) else { break };
        let mut words = Vec::new();
        sweepline_model::pack(state, &mut words).expect("every stack fits");
        steps.clear();
        system.successors(&words, &mut steps);
        states.extend((0..steps.len()).map(|index| system.decode(steps.target(index))));
    }
    assert_eq!(states.len(), 1 + 2 + 4 + 8);
    assert_eq!(states.last(), Some(&vec!['♥'; 3]));
}
