//! Goals of families of models: what they can say, and what they mean.

use sweepline_core::{Steps, System};
use sweepline_dve::{LoadOptions, parse_goal, read_dve, read_goals};
use sweepline_logic::{Enabled, Formula, Pred, Predicate, PropertyKind, Scope, Source};
use sweepline_program::ProgramSystem;

const MODEL: &str = "byte x = 6, y = 3; int z = -4; byte a[2] = {1, 2};
process P { byte n = 5; state s, t; init s; }
process Q { state s, t; init t; }
system async;";

/// Whether a goal holds in the initial state of the model.
fn holds(goal: &Pred) -> Result<bool, String> {
    let source = Source::new("model.dve", MODEL);
    let model = read_dve(&source, &LoadOptions::default()).expect("the model is right");
    let system = ProgramSystem::new((*model.program()).clone());
    let definitions = model.definitions();
    let scope = Scope::of(&system).with(&definitions).expect("names differ");
    let predicate = Predicate::resolve(goal, &scope, &Source::from(""));
    let predicate = predicate.map_err(|errors| errors.to_string())?;
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let value = predicate.eval(steps.target(0), &Enabled::default());
    value.map_err(|error| error.to_string())
}

#[test]
fn goals_speak_of_bits() {
    for (text, expected) in [
        ("(x & y) == 2", true),
        ("(x | y) == 7", true),
        ("(x ^ y) == 5", true),
        ("~x == -7", true),
        ("~z == 3", true),
        ("(z & 7) == 4", true),
        ("(x << 2) == 24", true),
        ("(x >> 1) == 3", true),
        ("(z >> 1) == -2", true),
        ("(z << 1) == -8", true),
        ("x & 1", false),
        ("x & 2", true),
        ("x & y == 3", false),
        ("y & y == 3", true),
        ("0 | x == 6", true),
        ("1 ^ x == 6", false),
        ("2 ^ x == 6", true),
        ("Q.t & P.s", true),
        ("Q.t ^ P.s", false),
        ("1 << P->n == 32", true),
        ("not (a[1] & 1) and (a[0] | 4) == 5", true),
        ("P.s + Q.s == 1", true),
        ("(x == 6) + (y == 4) + Q.t == 2", true),
        ("(x & 4) + (x & 2) == 6", true),
    ] {
        let goal = parse_goal(&text.into()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(holds(&goal), Ok(expected), "{text}: {goal}");
        let printed = sweepline_logic::parse_pred(goal.to_string()).expect("it can be read");
        assert_eq!(holds(&printed), Ok(expected), "{text}: {printed}");
    }
}

#[test]
fn a_shift_that_has_no_value_is_an_error() {
    for text in ["x << 64 == 0", "x >> z == 0", "x << 62 == 0"] {
        let goal = parse_goal(&text.into()).expect("it is a goal");
        assert!(holds(&goal).is_err(), "{text}");
    }
}

#[test]
fn deep_goals_are_refused_or_read() {
    for text in [
        format!("{}x{} == 1", "(".repeat(10_000), ")".repeat(10_000)),
        format!("{}x == 1", "-".repeat(10_000)),
        format!("{}x", "~".repeat(10_000)),
        format!("{}x", "not ".repeat(10_000)),
    ] {
        let error = parse_goal(&text.into()).expect_err("it is too deep");
        assert!(error.contains("nested"), "{error}");
    }
    let minus = format!("{}x == 6", "-".repeat(130));
    assert_eq!(holds(&parse_goal(&minus.into()).expect("a goal")), Ok(true));
}

/// The goals of an instance, as text.
fn goals_of(instance: &str) -> Vec<String> {
    let family = "<model>
      <parameter-description><par-name>N</par-name><par-description>How many</par-description></parameter-description>
      <parameters><parameter-description><par-name>LINES</par-name>
        <par-description>Number of lines (default: 2)</par-description></parameter-description>
      <parameter-description><par-name>ERROR</par-name>
        <par-description>Presence of an (artifical) error (0/1)</par-description></parameter-description>
      <parameter-description><par-name>K</par-name><par-default>9</par-default></parameter-description></parameters>
      <ap><ap-name>many</ap-name><ap-expression>x &amp; LINES == LINES</ap-expression></ap>
      <ap><ap-name>wrong</ap-name><ap-expression>y == ERROR + N + K</ap-expression></ap>
      <property id='1' prop-type='reachability'><formula>many</formula></property>
      <property id='2' prop-type='reachability'><formula>wrong</formula></property>
      <instance id='1'><parameters>N=3</parameters></instance>
      <instance id='2'><parameters>N=3, LINES=4, ERROR=1, K=7</parameters></instance>
    </model>";
    let goals = read_goals(&Source::new("family.xml", family), instance).expect("they are goals");
    let goals = goals.into_iter().map(|goal| match goal.kind {
        PropertyKind::Formula(Formula::Reachable(pred)) => pred.to_string(),
        other => panic!("{other}"),
    });
    goals.collect()
}

#[test]
fn parameters_have_defaults() {
    let expected = |lines: i64, error: i64, k: i64| {
        let many = format!("x & {lines} == {lines}");
        let wrong = format!("y == {error} + 3 + {k}");
        [many, wrong].map(|text| parse_goal(&text.into()).expect("a goal").to_string())
    };
    assert_eq!(goals_of("1"), expected(2, 0, 9));
    assert_eq!(goals_of("2"), expected(4, 1, 7));
}
