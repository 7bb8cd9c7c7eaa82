//! Fluents and formulas over them: what is read, and what it means in a network.

use sweepline_fsp::{Assertion, LoadOptions, read_fsp};
use sweepline_logic::ltl::{Binary, Temporal, Unary};
use sweepline_text::Source;

const PROCESS: &str = "range R = 1..2
P = (a[i:R] -> b[i] -> P).
fluent A[i:R] = <a[i], b[i]>
fluent OFF = <{b}, {a}> initially True
";

fn assertions(text: &str) -> Vec<Assertion> {
    let source = Source::new("m.lts", format!("{PROCESS}{text}"));
    let model = read_fsp(&source, &LoadOptions::default()).expect("it is right");
    model.assertions().to_vec()
}

fn mistakes(text: &str) -> Vec<String> {
    let source = Source::new("m.lts", format!("{PROCESS}{text}"));
    let errors = read_fsp(&source, &LoadOptions::default()).expect_err("it is wrong");
    errors.iter().map(ToString::to_string).collect()
}

fn atom(position: u32) -> Temporal {
    Temporal::Atom(position)
}

#[test]
fn operators_bind_as_in_ltsa() {
    let formula = |text: &str| {
        assertions(&format!("assert F = {text}\n"))[0]
            .formula
            .clone()
    };
    // `||` binds less than `->`, and `&&` more.
    assert_eq!(
        formula("(A[1] -> A[2] || OFF)"),
        Temporal::Or(vec![atom(0).implies(atom(1)), atom(2)])
    );
    assert_eq!(
        formula("(A[1] && A[2] U OFF)"),
        Temporal::And(vec![atom(0), atom(1)]).with(Binary::Until, atom(2))
    );
    assert_eq!(
        formula("[]<>!A[1] && X OFF"),
        Temporal::And(vec![
            atom(0)
                .negated()
                .under(Unary::Finally)
                .under(Unary::Globally),
            atom(1).under(Unary::Next)
        ])
    );
    assert_eq!(
        formula("(A[1] W rigid(1 == 2))"),
        atom(0).with(Binary::WeakUntil, Temporal::Constant(false))
    );
    assert_eq!(
        formula("(OFF <-> A[1])"),
        Temporal::Iff(Box::new(atom(0)), Box::new(atom(1)))
    );
}

#[test]
fn families_are_written_out() {
    let found = assertions(
        "assert ONE[i:R] = [](A[i] -> <>OFF)
assert ALL = forall[i:R] ONE[i]
assert ALWAYS = forall[i:R] []<>A[i]
assert SOME = exists[i:R] <>A[i]
||S = P.
",
    );
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["ONE[1]", "ONE[2]", "ALL", "ALWAYS", "SOME"]);
    let responds = |a, off| {
        atom(a)
            .implies(atom(off).under(Unary::Finally))
            .under(Unary::Globally)
    };
    assert_eq!(found[1].formula, responds(0, 1));
    assert_eq!(found[1].fluents[0].name, "A[2]");
    assert_eq!(
        found[2].formula,
        Temporal::And(vec![responds(0, 1), responds(2, 1)])
    );
}

#[test]
fn ranges_mean_any_and_parameters_have_defaults() {
    let found = assertions(
        "assert SOME = [](A[1..2] -> OFF)
assert UP(N=2) = exists[i:1..N] <>A[i]
assert ONE = UP(1)
assert BOTH(N=1) = (UP(N) && UP)
",
    );
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["SOME", "UP", "ONE", "BOTH"]);
    let some = Temporal::Or(vec![atom(0), atom(1)]);
    assert_eq!(
        found[0].formula,
        some.implies(atom(2)).under(Unary::Globally)
    );
    let eventually = |position| atom(position).under(Unary::Finally);
    let both = Temporal::Or(vec![eventually(0), eventually(1)]);
    assert_eq!(found[1].formula, both);
    assert_eq!(found[2].formula, eventually(0));
    assert_eq!(found[3].formula, Temporal::And(vec![eventually(0), both]));
    // The same text with other indices is about other actions.
    let found = assertions("assert EACH = forall[i:R] <>{a[i], b[i]}\n");
    let names: Vec<&str> = found[0]
        .fluents
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["{a[1], b[1]}", "{a[2], b[2]}"]);
}

#[test]
fn actions_hold_right_after_they_are_done() {
    let found = assertions("assert D = []<>{a, b[1]}\n");
    let [fluent] = &found[0].fluents[..] else {
        panic!("there is one");
    };
    let labels = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
    assert_eq!(labels(&fluent.starts), ["a[1]", "a[2]", "b[1]"]);
    assert_eq!(labels(&fluent.ends), ["b[2]"]);
    assert!(!fluent.initially);
    let found = assertions("assert D = OFF\n");
    assert!(found[0].fluents[0].initially);
    assert_eq!(labels(&found[0].fluents[0].starts), ["b[1]", "b[2]"]);
}

#[test]
fn mistakes_are_located() {
    let expect = |text: &str, message: &str| assert_eq!(mistakes(text), [message], "{text}");
    expect(
        "assert F = []NONE\n",
        "there is no fluent or formula `NONE`",
    );
    expect("assert F = A[3]\n", "there is no fluent or formula `A[3]`");
    expect("assert F = A\n", "there is no fluent or formula `A`");
    expect("assert F = A(1)\n", "there is no fluent or formula `A(1)`");
    expect("assert F(N) = OFF\n", "expected `=`, found `)`");
    expect("assert F = A[j]\n", "there is no variable `j`");
    expect(
        "assert F = (A[1] -> )\n",
        "expected a fluent, an action or a formula, found `)`",
    );
    expect("fluent G = <a>\n", "expected `,`, found `>`");
    expect(
        "assert F = <>G\nassert G = []F\n",
        "this is nested more than 100 levels deep",
    );
    assert!(!mistakes(&format!("assert F = {}A[1]\n", "!".repeat(5000))).is_empty());
}

/// The network of a model in which a formula is a process.
fn composed(text: &str) -> sweepline_fsp::FspModel {
    let source = Source::new("m.lts", text);
    read_fsp(&source, &LoadOptions::default()).expect("it is right")
}

/// The steps of a component: state, label, state; the error is the last one.
fn steps(model: &sweepline_fsp::FspModel, name: &str) -> Vec<(u32, String, u32)> {
    let mut components = model.network().components.iter();
    let component = components.find(|component| component.name == name);
    let lts = &component.expect("it is there").lts;
    let steps = lts.states().flat_map(|state| {
        let edges = lts.edges_from(state).iter();
        edges.map(move |edge| (state.0, lts.label(edge.label).to_owned(), edge.target.0))
    });
    steps.collect()
}

fn step(from: u32, label: &str, to: u32) -> (u32, String, u32) {
    (from, label.to_owned(), to)
}

#[test]
fn a_constraint_is_a_process_that_refuses() {
    let model = composed(
        "P = (a -> P | b -> P | c -> P).
fluent A = <a, b>
constraint ONCE = [](A -> X !a)
||S = (P || ONCE).
",
    );
    // After `a`, another one is refused; `c` is none of its business.
    let expected = [step(0, "a", 1), step(0, "b", 0), step(1, "b", 0)];
    assert_eq!(steps(&model, "ONCE"), expected);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    assert!(model.assertions().is_empty());
}

#[test]
fn constraints_take_part_without_a_composition() {
    let model = composed("P = (a -> b -> P). constraint NEVER = []!b");
    let names: Vec<&str> = model
        .network()
        .components
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!(names, ["P", "NEVER"]);
    assert_eq!(steps(&model, "NEVER"), []);
}

#[test]
fn a_property_of_linear_time_watches_where_it_is_composed() {
    let text = "P = (a -> P | b -> P | c -> P).
ltl_property ORDER(N = 1) = ([]!b || (!b U a)) + {c}
";
    let model = composed(&format!("{text}||S = (P || ORDER)."));
    let found = steps(&model, "ORDER");
    // Whatever happens first, `b` before `a` is an error.
    let wrong: Vec<&str> = found
        .iter()
        .filter(|(from, ..)| *from == 0)
        .map(|(_, label, _)| label.as_str())
        .collect();
    assert_eq!(wrong, ["a", "b", "c"]);
    let kinds = model.network().components[1].lts.states();
    let lts = &model.network().components[1].lts;
    let errors = kinds.filter(|state| lts.kind(*state) == sweepline_process::StateKind::Error);
    assert_eq!(errors.count(), 1);
    // It is claimed of all runs in any case.
    assert_eq!(model.assertions().len(), 1);
    assert_eq!(
        composed(&format!("{text}||S = P."))
            .network()
            .components
            .len(),
        1
    );
}

#[test]
fn constraints_that_do_nothing_are_told() {
    let warned = |text: &str| -> Vec<String> {
        let model = composed(text);
        model.warnings().iter().map(ToString::to_string).collect()
    };
    let idle = warned("P = (a -> P). constraint C = []!a ||S = P.");
    assert_eq!(
        idle,
        ["`constraint C` is in no composition that is looked at, so it restricts nothing"]
    );
    let typo = warned("P = (action -> P). constraint C = []!acton ||S = (P || C).");
    assert_eq!(typo, ["no action `acton` to restrict"]);
}

#[test]
fn what_must_happen_is_no_process() {
    let refused = |text: &str| -> Vec<String> {
        let source = Source::new("m.lts", text);
        let errors = read_fsp(&source, &LoadOptions::default()).expect_err("it is wrong");
        errors.iter().map(ToString::to_string).collect()
    };
    let liveness = refused("P = (a -> P | b -> P). constraint C = []<>a + {b} ||S = (P || C).");
    assert_eq!(
        liveness,
        [
            "`constraint C` cannot be a process: it is no safety property: a run can violate it without ever doing something wrong"
        ]
    );
    let inside = refused("constraint C = []!a P = (a -> C).");
    assert_eq!(inside, ["`C` is a property, not a primitive process"]);
    let many: Vec<String> = (0..40).map(|n| format!("[]!a{n}")).collect();
    let large = refused(&format!(
        "P = (a -> P). constraint C = ({}) ||S = (P || C).",
        many.join(" && ")
    ));
    assert_eq!(
        large,
        ["`constraint C` cannot be a process: it is about more than 32 fluents"]
    );
}
