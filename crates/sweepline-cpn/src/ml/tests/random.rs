//! The machine against a direct interpretation, on random expressions; and values that are shown and read again.

use proptest::prelude::*;

use super::{colour, expression, model};
use crate::ml::{Budget, Expect, Failure, Origin, Value};

/// An expression with an integer as its value. Variables are numbered from the outermost; a number beyond the scope is taken
/// modulo its size.
#[derive(Clone, Debug)]
enum Int {
    Literal(i64),
    Variable(usize),
    Binary(&'static str, Box<[Int; 2]>),
    If(Box<(Bool, Int, Int)>),
    /// `let val v = … in … end`
    Let(Box<[Int; 2]>),
    /// `(fn v => …) …`
    Call(Box<[Int; 2]>),
    Length(Box<List>),
    Head(Box<List>),
    /// `foldl (fn (v, w) => …) start list`
    Fold(Box<(Int, Int, List)>),
    /// `case list of [] => … | v :: _ => …`
    Case(Box<(List, Int, Int)>),
    /// `… handle _ => …`
    Handle(Box<[Int; 2]>),
    /// The recursive function `sum`.
    Sum(Box<List>),
}

#[derive(Clone, Debug)]
enum Bool {
    Compare(&'static str, Box<[Int; 2]>),
    Not(Box<Bool>),
    Both(Box<[Bool; 2]>),
    Either(Box<[Bool; 2]>),
    SameList(Box<[List; 2]>),
    Member(Box<(List, Int)>),
}

#[derive(Clone, Debug)]
enum List {
    Literal(Vec<Int>),
    Cons(Box<(Int, List)>),
    Append(Box<[List; 2]>),
    Reverse(Box<List>),
    Tail(Box<List>),
    /// `List.map (fn v => …) list`
    Map(Box<(Int, List)>),
    Filter(Box<(Bool, List)>),
    /// A function of two arguments, one of which captures variables.
    Repeat(i64, Box<Int>),
    Without(Box<[List; 2]>),
    If(Box<(Bool, List, List)>),
}

type Naive<T> = Result<T, &'static str>;

/// Integers have 63 bits.
fn sized(value: Option<i64>) -> Naive<i64> {
    value
        .filter(|value| Value::int(*value).is_some())
        .ok_or("Overflow")
}

impl Int {
    fn text(&self, depth: usize) -> String {
        match self {
            Self::Literal(value) => value.to_string().replace('-', "~"),
            Self::Variable(number) => format!("v{}", number % depth),
            Self::Binary(operator, both) => format!(
                "({} {operator} {})",
                both[0].text(depth),
                both[1].text(depth)
            ),
            Self::If(parts) => {
                let (condition, yes, no) = &**parts;
                format!(
                    "(if {} then {} else {})",
                    condition.text(depth),
                    yes.text(depth),
                    no.text(depth)
                )
            }
            Self::Let(both) => format!(
                "let val v{depth} = {} in {} end",
                both[0].text(depth),
                both[1].text(depth + 1)
            ),
            Self::Call(both) => format!(
                "(fn v{depth} => {}) ({})",
                both[1].text(depth + 1),
                both[0].text(depth)
            ),
            Self::Length(list) => format!("length ({})", list.text(depth)),
            Self::Head(list) => format!("hd ({})", list.text(depth)),
            Self::Fold(parts) => {
                let (step, start, list) = &**parts;
                let names = format!("(v{depth}, v{})", depth + 1);
                let step = step.text(depth + 2);
                format!(
                    "foldl (fn {names} => {step}) ({}) ({})",
                    start.text(depth),
                    list.text(depth)
                )
            }
            Self::Case(parts) => {
                let (list, empty, more) = &**parts;
                let more = more.text(depth + 1);
                format!(
                    "(case {} of [] => {} | v{depth} :: _ => {more})",
                    list.text(depth),
                    empty.text(depth)
                )
            }
            Self::Handle(both) => format!(
                "(({}) handle _ => {})",
                both[0].text(depth),
                both[1].text(depth)
            ),
            Self::Sum(list) => format!("sum ({})", list.text(depth)),
        }
    }

    fn naive(&self, scope: &mut Vec<i64>) -> Naive<i64> {
        match self {
            Self::Literal(value) => Ok(*value),
            Self::Variable(number) => Ok(scope[number % scope.len()]),
            Self::Binary(operator, both) => {
                let (a, b) = (both[0].naive(scope)?, both[1].naive(scope)?);
                match *operator {
                    "+" => sized(a.checked_add(b)),
                    "-" => sized(a.checked_sub(b)),
                    "*" => sized(a.checked_mul(b)),
                    _ if b == 0 => Err("Div"),
                    operator => {
                        let down = a / b - i64::from(a % b != 0 && (a < 0) != (b < 0));
                        sized(Some(if operator == "div" {
                            down
                        } else {
                            a - down * b
                        }))
                    }
                }
            }
            Self::If(parts) => {
                if parts.0.naive(scope)? {
                    parts.1.naive(scope)
                } else {
                    parts.2.naive(scope)
                }
            }
            Self::Let(both) | Self::Call(both) => {
                let value = both[0].naive(scope)?;
                with(scope, &[value], |scope| both[1].naive(scope))
            }
            Self::Length(list) => Ok(i64::try_from(list.naive(scope)?.len()).unwrap()),
            Self::Head(list) => list.naive(scope)?.first().copied().ok_or("Empty"),
            Self::Fold(parts) => {
                let start = parts.1.naive(scope)?;
                let list = parts.2.naive(scope)?;
                list.into_iter().try_fold(start, |sum, element| {
                    with(scope, &[element, sum], |scope| parts.0.naive(scope))
                })
            }
            Self::Case(parts) => match parts.0.naive(scope)?.first() {
                None => parts.1.naive(scope),
                Some(first) => with(scope, &[*first], |scope| parts.2.naive(scope)),
            },
            Self::Handle(both) => {
                let depth = scope.len();
                let tried = both[0].naive(scope);
                scope.truncate(depth);
                tried.or_else(|_| both[1].naive(scope))
            }
            // Recursive, so that the last elements are added first.
            Self::Sum(list) => {
                let list = list.naive(scope)?;
                list.iter()
                    .rev()
                    .try_fold(0_i64, |sum, element| sized(element.checked_add(sum)))
            }
        }
    }
}

fn with<T>(
    scope: &mut Vec<i64>,
    values: &[i64],
    evaluate: impl FnOnce(&mut Vec<i64>) -> Naive<T>,
) -> Naive<T> {
    let depth = scope.len();
    scope.extend_from_slice(values);
    let result = evaluate(scope);
    scope.truncate(depth);
    result
}

impl Bool {
    fn text(&self, depth: usize) -> String {
        match self {
            Self::Compare(operator, both) => {
                format!("{} {operator} {}", both[0].text(depth), both[1].text(depth))
            }
            Self::Not(inner) => format!("not ({})", inner.text(depth)),
            Self::Both(both) => {
                format!("({} andalso {})", both[0].text(depth), both[1].text(depth))
            }
            Self::Either(both) => {
                format!("({} orelse {})", both[0].text(depth), both[1].text(depth))
            }
            Self::SameList(both) => format!("({} = {})", both[0].text(depth), both[1].text(depth)),
            Self::Member(parts) => {
                format!("mem ({}) ({})", parts.0.text(depth), parts.1.text(depth))
            }
        }
    }

    fn naive(&self, scope: &mut Vec<i64>) -> Naive<bool> {
        match self {
            Self::Compare(operator, both) => {
                let (a, b) = (both[0].naive(scope)?, both[1].naive(scope)?);
                Ok(match *operator {
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    ">=" => a >= b,
                    "=" => a == b,
                    _ => a != b,
                })
            }
            Self::Not(inner) => inner.naive(scope).map(|truth| !truth),
            Self::Both(both) => Ok(both[0].naive(scope)? && both[1].naive(scope)?),
            Self::Either(both) => Ok(both[0].naive(scope)? || both[1].naive(scope)?),
            Self::SameList(both) => Ok(both[0].naive(scope)? == both[1].naive(scope)?),
            Self::Member(parts) => {
                let list = parts.0.naive(scope)?;
                Ok(list.contains(&parts.1.naive(scope)?))
            }
        }
    }
}

impl List {
    fn text(&self, depth: usize) -> String {
        match self {
            Self::Literal(all) => {
                let all: Vec<String> = all.iter().map(|one| one.text(depth)).collect();
                format!("[{}]", all.join(", "))
            }
            Self::Cons(parts) => format!("({} :: {})", parts.0.text(depth), parts.1.text(depth)),
            Self::Append(both) => format!("({} ^^ {})", both[0].text(depth), both[1].text(depth)),
            Self::Reverse(list) => format!("rev ({})", list.text(depth)),
            Self::Tail(list) => format!("tl ({})", list.text(depth)),
            Self::Map(parts) => {
                format!(
                    "List.map (fn v{depth} => {}) ({})",
                    parts.0.text(depth + 1),
                    parts.1.text(depth)
                )
            }
            Self::Filter(parts) => {
                format!(
                    "List.filter (fn v{depth} => {}) ({})",
                    parts.0.text(depth + 1),
                    parts.1.text(depth)
                )
            }
            Self::Repeat(count, value) => format!("rep {count} ({})", value.text(depth)),
            Self::Without(both) => format!("({} -- {})", both[0].text(depth), both[1].text(depth)),
            Self::If(parts) => {
                let (condition, yes, no) = &**parts;
                format!(
                    "(if {} then {} else {})",
                    condition.text(depth),
                    yes.text(depth),
                    no.text(depth)
                )
            }
        }
    }

    fn naive(&self, scope: &mut Vec<i64>) -> Naive<Vec<i64>> {
        match self {
            Self::Literal(all) => all.iter().map(|one| one.naive(scope)).collect(),
            Self::Cons(parts) => {
                let head = parts.0.naive(scope)?;
                let mut list = parts.1.naive(scope)?;
                list.insert(0, head);
                Ok(list)
            }
            Self::Append(both) => Ok([both[0].naive(scope)?, both[1].naive(scope)?].concat()),
            Self::Reverse(list) => list
                .naive(scope)
                .map(|list| list.into_iter().rev().collect()),
            Self::Tail(list) => list
                .naive(scope)?
                .get(1..)
                .map(<[i64]>::to_vec)
                .ok_or("Empty"),
            Self::Map(parts) => {
                let list = parts.1.naive(scope)?;
                let each = list
                    .into_iter()
                    .map(|one| with(scope, &[one], |scope| parts.0.naive(scope)));
                each.collect()
            }
            Self::Filter(parts) => {
                let mut kept = Vec::new();
                for one in parts.1.naive(scope)? {
                    if with(scope, &[one], |scope| parts.0.naive(scope))? {
                        kept.push(one);
                    }
                }
                Ok(kept)
            }
            Self::Repeat(count, value) => {
                let value = value.naive(scope)?;
                Ok(vec![value; usize::try_from(*count).unwrap()])
            }
            Self::Without(both) => {
                let mut list = both[0].naive(scope)?;
                for one in both[1].naive(scope)? {
                    let at = list
                        .iter()
                        .position(|known| *known == one)
                        .ok_or("Subtract")?;
                    list.remove(at);
                }
                Ok(list)
            }
            Self::If(parts) => {
                if parts.0.naive(scope)? {
                    parts.1.naive(scope)
                } else {
                    parts.2.naive(scope)
                }
            }
        }
    }
}

fn ints() -> BoxedStrategy<Int> {
    let leaf = prop_oneof![
        (-3..10_i64).prop_map(Int::Literal),
        Just(Int::Literal(4_000_000_000_000_000_000)),
        (0..8_usize).prop_map(Int::Variable),
        (0..8_usize).prop_map(Int::Variable),
    ];
    let operators = prop::sample::select(vec!["+", "-", "*", "div", "mod"]);
    leaf.prop_recursive(4, 40, 3, move |int| {
        let two = || (int.clone(), int.clone()).prop_map(|(a, b)| Box::new([a, b]));
        let list = lists(int.clone());
        let bools = bools(int.clone());
        prop_oneof![
            (operators.clone(), two()).prop_map(|(operator, both)| Int::Binary(operator, both)),
            (bools.clone(), int.clone(), int.clone()).prop_map(|parts| Int::If(Box::new(parts))),
            two().prop_map(Int::Let),
            two().prop_map(Int::Call),
            list.clone().prop_map(|list| Int::Length(Box::new(list))),
            list.clone().prop_map(|list| Int::Head(Box::new(list))),
            list.clone().prop_map(|list| Int::Sum(Box::new(list))),
            (int.clone(), int.clone(), list.clone()).prop_map(|parts| Int::Fold(Box::new(parts))),
            (list, int.clone(), int.clone()).prop_map(|parts| Int::Case(Box::new(parts))),
            two().prop_map(Int::Handle),
        ]
    })
    .boxed()
}

fn bools(int: BoxedStrategy<Int>) -> BoxedStrategy<Bool> {
    let operators = prop::sample::select(vec!["<", "<=", ">", ">=", "=", "<>"]);
    let both = (int.clone(), int.clone()).prop_map(|(a, b)| Box::new([a, b]));
    let leaf = (operators, both).prop_map(|(operator, both)| Bool::Compare(operator, both));
    let list = simple_lists(int.clone());
    let leaf = prop_oneof![
        3 => leaf,
        1 => (list.clone(), list.clone()).prop_map(|(a, b)| Bool::SameList(Box::new([a, b]))),
        1 => (list, int).prop_map(|parts| Bool::Member(Box::new(parts))),
    ];
    leaf.prop_recursive(2, 6, 2, |truth| {
        let two = || (truth.clone(), truth.clone()).prop_map(|(a, b)| Box::new([a, b]));
        prop_oneof![
            truth.clone().prop_map(|truth| Bool::Not(Box::new(truth))),
            two().prop_map(Bool::Both),
            two().prop_map(Bool::Either),
        ]
    })
    .boxed()
}

fn simple_lists(int: BoxedStrategy<Int>) -> BoxedStrategy<List> {
    prop::collection::vec(int, 0..4)
        .prop_map(List::Literal)
        .boxed()
}

fn lists(int: BoxedStrategy<Int>) -> BoxedStrategy<List> {
    let leaf = simple_lists(int.clone());
    leaf.prop_recursive(2, 6, 2, move |list| {
        let two = || (list.clone(), list.clone()).prop_map(|(a, b)| Box::new([a, b]));
        prop_oneof![
            (int.clone(), list.clone()).prop_map(|parts| List::Cons(Box::new(parts))),
            two().prop_map(List::Append),
            list.clone().prop_map(|list| List::Reverse(Box::new(list))),
            list.clone().prop_map(|list| List::Tail(Box::new(list))),
            (int.clone(), list.clone()).prop_map(|parts| List::Map(Box::new(parts))),
            (bools(int.clone()), list.clone()).prop_map(|parts| List::Filter(Box::new(parts))),
            (0..4_i64, int.clone()).prop_map(|(count, value)| List::Repeat(count, Box::new(value))),
            two().prop_map(List::Without),
            (bools(int.clone()), list.clone(), list.clone())
                .prop_map(|parts| List::If(Box::new(parts))),
        ]
    })
    .boxed()
}

const FUNCTIONS: &str = "colset INT = int; colset PAIR = product INT * INT timed; colset BOOL = bool; var v0, v1: INT; var ok: BOOL;
    fun sum [] = 0 | sum (x :: rest) = x + sum rest;
    fun rep n x = let fun go (0, done) = done | go (i, done) = go (i - 1, x :: done) in go (n, []) end;";

thread_local! {
    /// The standard functions are read once.
    static MODEL: std::cell::RefCell<crate::ml::Declarations> = std::cell::RefCell::new(model(FUNCTIONS));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_machine_does_what_is_written(int in ints(), a in -5..5_i64, b in -5..5_i64) {
        let text = int.text(2);
        let expected = int.naive(&mut vec![a, b]);
        MODEL.with_borrow_mut(|model| {
            let place = colour(model, "INT");
            let expression = expression(model, &text, Expect::Token(place));
            let binding = [a, b, 0].map(|value| Value::int(value).unwrap());
            let found = model.machine_mut().value(&expression, &binding);
            prop_assert_eq!(&model.machine_mut().value_by_code(&expression, &binding), &found, "{}", text);
            let found = found.map(|value| value.as_int().unwrap());
            let expected = expected.map_err(|name| Failure::Exception(name.into()));
            prop_assert_eq!(found, expected, "{}", text);
            Ok(())
        })?;
    }
}

/// Inscriptions that are mostly small enough to be evaluated directly.
fn small_inscriptions() -> BoxedStrategy<String> {
    let leaf =
        prop::sample::select(vec!["v0", "v1", "3", "4611686018427387903"]).prop_map(String::from);
    let truth = |int: BoxedStrategy<String>| {
        let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "=", "<>"]);
        let compared =
            (int.clone(), operator, int).prop_map(|(a, operator, b)| format!("{a} {operator} {b}"));
        prop_oneof![4 => compared, 1 => Just("ok".to_string()), 1 => Just("not ok".to_string())]
    };
    let int = leaf.prop_recursive(3, 8, 2, move |int| {
        prop_oneof![
            (int.clone(), int.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            (int.clone(), int.clone()).prop_map(|(a, b)| format!("({a} - {b})")),
            (truth(int.clone()), int.clone(), int)
                .prop_map(|(c, a, b)| format!("(if {c} then {a} else {b})")),
        ]
    });
    let int = int.boxed();
    let term =
        (0..3, int.clone(), int.clone()).prop_map(|(count, a, b)| format!("{count}`({a}, {b})"));
    let leaf = prop_oneof![3 => term, 1 => Just("empty".to_string())];
    let sum = leaf.prop_recursive(3, 6, 2, move |sum| {
        prop_oneof![
            (sum.clone(), sum.clone()).prop_map(|(a, b)| format!("({a} ++ {b})")),
            (truth(int.clone()), sum.clone(), sum)
                .prop_map(|(c, a, b)| format!("(if {c} then {a} else {b})")),
        ]
    });
    (sum, prop::option::of(-1..4))
        .prop_map(|(sum, delay)| match delay {
            Some(delay) => format!("{sum} @+ (v0 + {delay})")
                .replace('-', "~")
                .replace(" ~ ", " - "),
            None => sum,
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn small_inscriptions_do_what_their_code_does(text in small_inscriptions(), a in -2..5_i32, b in -2..5_i32, ok: bool) {
        MODEL.with_borrow_mut(|model| {
            let place = colour(model, "PAIR");
            let expression = expression(model, &text, Expect::Arc(place));
            let binding = [Value::small(a), Value::small(b), Value::bool(ok)];
            let mut found = Vec::new();
            let result = model.machine_mut().tokens(&expression, &binding, &mut found).map(|()| found);
            prop_assert_eq!(result, model.machine_mut().tokens_by_code(&expression, &binding), "{}", text);
            Ok(())
        })?;
    }
}

/// Pieces of texts.
const PIECES: [&str; 78] = [
    "val",
    "fun",
    "f",
    "g",
    "x",
    "y",
    "n",
    "k",
    "l",
    "=",
    "=>",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    "_",
    "::",
    "^^",
    "++",
    "--",
    "`",
    "@",
    "@+",
    "+",
    "-",
    "*",
    "div",
    "<",
    "<>",
    "andalso",
    "orelse",
    "if",
    "then",
    "else",
    "case",
    "of",
    "fn",
    "let",
    "in",
    "end",
    "raise",
    "handle",
    "exception",
    "E",
    "local",
    "datatype",
    "t",
    "int",
    "string",
    "list",
    "and",
    "rec",
    "as",
    "op",
    "#a",
    "#1",
    "...",
    "a",
    "1",
    "0",
    "~3",
    "2.5",
    "\"s\"",
    "#\"c\"",
    "true",
    "[]",
    "empty",
    "SOME",
    "NONE",
    "List.map",
    "hd",
    "INT.all()",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn nothing_panics_or_hangs(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..16)) {
        let text = pieces.join(" ");
        let mut model = MODEL.with_borrow(Clone::clone);
        model.machine_mut().set_budget(Budget { steps: 1000, depth: 50, values: 500 });
        let origin = Origin::of_text("text", &text);
        let _ = model.declare(&format!("val it = {text}"), &origin);
        let _ = model.declare(&format!("fun f x = {text}"), &origin);
        let _ = model.declare(&text, &origin);
        let _ = model.guard(&text, &origin);
        let place = colour(&model, "INT");
        let binding = [Value::small(1), Value::small(2), Value::TRUE];
        for expect in [Expect::Arc(place), Expect::Token(place), Expect::Bool] {
            if let Ok(expression) = model.expression(&text, expect, &origin) {
                let _ = match expect {
                    Expect::Arc(_) => model.machine_mut().tokens(&expression, &binding, &mut Vec::new()).err(),
                    _ => model.machine_mut().value(&expression, &binding).err(),
                };
            }
        }
    }
}

const COLOURS: &str = "colset INT = int; colset SMALL = int with ~2..2; colset STRING = string; colset E = with a | b | c;
    colset PH = index ph with 1..3; colset REC = record z: E * a: SMALL; colset PAIR = product REC * PH;
    colset U = union None + One: PAIR + Many: SMALL; colset NAMED = unit with only; colset B = bool with (no, yes);
    colset ALL = product U * B * NAMED; colset LONG = list ALL; colset TEXTS = list STRING; colset R = real;";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_shown_is_read_again(
        numbers in prop::collection::vec(0..10_000_usize, 0..4),
        texts in prop::collection::vec("[a-c\"\\\\\n\t\u{1}ä~]{0,6}", 0..4),
    ) {
        let mut model = model(COLOURS);
        let [all, long, many] = ["ALL", "LONG", "TEXTS"].map(|name| colour(&model, name));
        let values = model.all_values(all, 10_000).unwrap();
        let chosen: Vec<Value> = numbers.iter().map(|number| values[number % values.len()]).collect();
        let table = model.machine_mut().values_mut();
        let list = table.list(&chosen);
        let texts: Vec<Value> = texts.iter().map(|text| table.string(text)).collect();
        let texts = table.list(&texts);
        for (place, value) in [(long, list), (many, texts)] {
            let shown = model.colours().show(place, value, model.machine().values());
            let read = expression(&mut model, &shown, Expect::Token(place));
            prop_assert_eq!(model.machine_mut().value(&read, &[]).unwrap(), value, "{}", shown);
        }
        let shown = model.colours().show_multiset(all, &chosen, model.machine().values());
        let read = expression(&mut model, &shown, Expect::Arc(all));
        let mut tokens = Vec::new();
        model.machine_mut().tokens(&read, &[], &mut tokens).unwrap();
        let mut again: Vec<Value> = tokens.iter().flat_map(|one| vec![one.value; usize::try_from(one.count).unwrap()]).collect();
        let mut chosen = chosen;
        again.sort();
        chosen.sort();
        prop_assert_eq!(again, chosen, "{}", shown);
    }
}
