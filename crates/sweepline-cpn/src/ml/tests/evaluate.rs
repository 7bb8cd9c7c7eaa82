//! Evaluation.

use super::{colour, expression, model, tokens, value};
use crate::ml::{Budget, Expect, Failure, Value};

const COLOURS: &str = "colset INT = int; colset BOOL = bool; colset STRING = string; colset REAL = real;
    colset INTS = list INT; colset PAIR = product INT * STRING; colset UNIT = unit; colset STRINGS = list STRING;";

/// Evaluates expressions after further declarations.
fn check(more: &str, cases: &[(&str, &str, &str)]) {
    for (colour_set, text, expected) in cases {
        let found = value(&format!("{COLOURS} {more}"), colour_set, text);
        assert_eq!(found.as_deref(), Ok(*expected), "{text}");
    }
}

#[test]
fn arithmetic_and_comparison() {
    check(
        "",
        &[
            ("INT", "1 + 2 * 3 - 4", "3"),
            ("INT", "~7 div 2", "~4"),
            ("INT", "~7 mod 2", "1"),
            ("INT", "7 div ~2", "~4"),
            ("INT", "7 mod ~2", "~1"),
            ("INT", "~7 mod ~2", "~1"),
            ("INT", "Int.quot(~7, 2)", "~3"),
            ("INT", "~(3 + 4)", "~7"),
            ("REAL", "1.5 + 2.0 * 3.0", "7.5"),
            ("REAL", "real 3 / 2.0", "1.5"),
            ("INT", "floor 2.7 + round 2.5 + ceil 2.1 + trunc ~2.9", "5"),
            (
                "BOOL",
                "1 < 2 andalso \"a\" < \"b\" andalso #\"a\" <= #\"a\" andalso 2.5 > 1.0",
                "true",
            ),
            ("BOOL", "(1, \"x\") = (1, \"x\") andalso [1] <> [2]", "true"),
            ("BOOL", "not true orelse 1 >= 2", "false"),
            ("INT", "abs ~3 + Int.max(3, 4) + Int.min(1, 2)", "8"),
        ],
    );
}

#[test]
fn functions_of_all_forms() {
    let functions = "fun fact 0 = 1 | fact n = n * fact (n - 1);
        fun add x y = x + y; fun pair (a, b) = (b, a);
        fun even 0 = true | even n = odd (n - 1) and odd 0 = false | odd n = even (n - 1);
        fun walk p = let fun go 0 = [] | go i = p :: go (i - 1) in go 3 end;
        val rec last = fn [x] => x | (_ :: rest) => last rest | [] => 0;
        val inc = add 1; fun twice f x = f (f x);
        fun curried (a, b) c d = a + b + c + d;
        val (one, two) = (1, 2);";
    check(
        functions,
        &[
            ("INT", "fact 10", "3628800"),
            ("INT", "add 1 2", "3"),
            ("INT", "inc 5", "6"),
            ("INT", "twice (add 3) 1", "7"),
            ("INT", "twice inc 1", "3"),
            ("BOOL", "even 10", "true"),
            ("BOOL", "odd 10", "false"),
            ("INTS", "walk 7", "[7,7,7]"),
            ("INT", "last [1,2,3]", "3"),
            ("INT", "curried (1,2) 3 4", "10"),
            ("INT", "let val x = (1,2) in curried x 3 4 end", "10"),
            ("INTS", "List.map (curried (one, two) 3) [4, 5]", "[10,11]"),
            ("PAIR", "pair (\"a\", 1)", "(1,\"a\")"),
            (
                "PAIR",
                "pair (let val x = (\"a\", 1) in x end)",
                "(1,\"a\")",
            ),
            ("INT", "(fn (x, y) => x - y) (5, 3)", "2"),
            ("INT", "(op +) (5, 3)", "8"),
            ("INT", "foldl op + 0 [1,2,3]", "6"),
            ("INT", "(inc o inc) 1", "3"),
        ],
    );
}

#[test]
fn datatypes_operators_and_older_names() {
    check(
        "datatype tree = Leaf | Node of tree * int * tree; datatype 'a box = Box of 'a;
         fun insert (x, Leaf) = Node (Leaf, x, Leaf)
           | insert (x, t as Node (l, y, r)) =
               if x < y then Node (insert (x, l), y, r) else if y < x then Node (l, y, insert (x, r)) else t;
         fun flat Leaf = [] | flat (Node (l, x, r)) = flat l ^^ [x] ^^ flat r;
         fun open' (Box x) = x; type pair = int * string; fun first (p : pair) = #1 p;
         infix 6 plus; fun a plus b = a + b; colset D = int with 3..5;
         fun f {a, b = (c, d), ...} = a + c + d : int and g (x : {a: int, b: int * int, c: int}) = f x;",
        &[
            ("INTS", "flat (foldl insert Leaf [3,1,2,3])", "[1,2,3]"),
            ("INT", "open' (Box 3) plus first (4, \"\") plus 1", "8"),
            ("STRING", "mkstr'INT (size'D ()) ^ open' (Box \"x\")", "\"3x\""),
            ("INT", "g {c = 0, b = (2, 3), a = 1}", "6"),
            ("INT", "case #\"b\" of #\"a\" => 1 | #\"b\" => 2 | _ => 3", "2"),
            ("INT", "let exception E of int in (raise E 4) handle E n => n + 1 end", "5"),
            ("BOOL", "isSome (SOME 3) andalso not (isSome NONE)", "true"),
            ("INTS", "List.mapPartial (fn x => if x > 1 then SOME (x * x) else NONE) [1,2,3]", "[4,9]"),
        ],
    );
}

#[test]
fn closures_capture_what_they_use() {
    check(
        "fun make a = let val b = a * 2 fun f x = x + a + b and g x = f x + 1 in (f, g) end;
         fun count n = let fun up (i, done) = if i > n then rev done else up (i + 1, i :: done) in up (1, []) end;
         fun nested x = let fun outer y = let fun inner z = if z = 0 then x + y else inner (z - 1) in inner 3 end
             in outer 10 end;",
        &[
            ("INT", "let val (f, g) = make 1 in f 10 * 100 + g 10 end", "1314"),
            ("INTS", "count 4", "[1,2,3,4]"),
            ("INT", "nested 5", "15"),
            ("INTS", "let val k = 3 in List.map (fn x => List.foldl (fn (y, z) => y + z + k) x [1,2]) [0,10] end", "[9,19]"),
        ],
    );
}

#[test]
fn records_unions_and_patterns() {
    let declarations = "colset NO = int; colset DATA = string; colset DATAPACK = record seq: NO * data: DATA;
        colset PACKET = union Data: DATAPACK + Ack: NO + Nothing; colset PACKETS = list PACKET;
        colset RESULT = with success | failure | duplicate; colset PH = index ph with 1..5;
        fun extract (pack: DATAPACK) = #data pack;
        fun extract1 ({seq=n, data=d}) = d;
        fun extract2 ({data, ...} : DATAPACK) = data;
        fun number (Data {seq, ...}) = seq | number (Ack n) = n + 100 | number Nothing = ~1;
        fun next (ph i) = ph (if i = 5 then 1 else i + 1);
        fun worst l = case l of [] => success | failure :: _ => failure | (x as duplicate) :: _ => x | _ :: r => worst r;";
    check(
        declarations,
        &[
            ("STRING", "extract {data = \"d\", seq = 1}", "\"d\""),
            (
                "STRING",
                "extract1 {data = \"d\", seq = 1} ^ extract2 {seq = 2, data = \"e\"}",
                "\"de\"",
            ),
            (
                "INTS",
                "List.map number [Data {seq=1, data=\"\"}, Ack 2, Nothing]",
                "[1,102,~1]",
            ),
            (
                "PACKET",
                "Data {seq=1, data=\"x\"}",
                "Data({seq=1,data=\"x\"})",
            ),
            ("PACKETS", "[Ack 3, Nothing]", "[Ack(3),Nothing]"),
            ("PH", "next (ph 5)", "ph(1)"),
            ("RESULT", "worst [success, duplicate, failure]", "duplicate"),
            ("STRING", "PACKET.mkstr (Ack ~3)", "\"Ack(~3)\""),
            ("INT", "#1 (3, \"x\")", "3"),
            (
                "STRING",
                "#data (DATAPACK.set_data {seq = 1, data = \"a\"} \"b\")",
                "\"b\"",
            ),
            (
                "BOOL",
                "PACKET.of_Ack (Ack 1) andalso PACKET.of_Nothing Nothing andalso not (PACKET.of_Ack Nothing)",
                "true",
            ),
        ],
    );
    let mut model = model(&format!("{COLOURS} {declarations}"));
    let place = colour(&model, "PH");
    let outside = expression(&mut model, "ph 6", Expect::Token(place));
    let failure = model.machine_mut().value(&outside, &[]).unwrap_err();
    assert_eq!(failure, Failure::Exception("OutOfRange".into()));
}

/// Structures of Standard ML that models use beside lists, strings and integers.
#[test]
fn options_and_pairs_of_lists() {
    check(
        "",
        &[
            ("INT", "valOf (Option.map (fn x => x + 1) (SOME 2))", "3"),
            ("BOOL", "Option.map (fn x => x + 1) NONE = NONE", "true"),
            ("INT", "valOf (Option.join (SOME (SOME 4)))", "4"),
            (
                "BOOL",
                "Option.mapPartial (fn x => if x > 1 then SOME (x * 2) else NONE) (SOME 1) = NONE",
                "true",
            ),
            ("BOOL", "Option.filter (fn x => x > 1) 2 = SOME 2", "true"),
            ("UNIT", "Option.app (fn x => x + 1) (SOME 1)", "()"),
            (
                "INTS",
                "ListPair.map (fn (x, y) => x * y) ([1,2,3], [4,5])",
                "[4,10]",
            ),
            (
                "BOOL",
                "ListPair.all (fn (x, y) => x < y) ([1,2], [2,3])",
                "true",
            ),
            (
                "BOOL",
                "ListPair.exists (fn (x, y) => x > y) ([1,2], [2,3])",
                "false",
            ),
            (
                "INT",
                "ListPair.foldl (fn (x, y, z) => x * y - z) 1 ([2,3], [4,5])",
                "8",
            ),
            (
                "INT",
                "ListPair.foldr (fn (x, y, z) => x * y - z) 1 ([2,3], [4,5])",
                "~6",
            ),
            (
                "BOOL",
                "Int.sameSign (~1, ~5) andalso not (Int.sameSign (1, 0))",
                "true",
            ),
            ("BOOL", "Char.compare (#\"a\", #\"b\") = LESS", "true"),
        ],
    );
}

/// Conditions before tokens and multisets, and the other names of inclusion.
#[test]
fn conditions_of_tokens() {
    check(
        "",
        &[
            ("INTS", "[1 < 2, true] % 3", "[3]"),
            ("INTS", "[1 < 2, false] % 3", "[]"),
            ("INTS", "[] % 3", "[3]"),
            ("INTS", "[true] // (2`1 ++ 1`4)", "[1,1,4]"),
            ("INTS", "[true, 2 < 1] // (2`1 ++ 1`4)", "[]"),
            ("INTS", "2 ** ([true] % 3) ++ 1`4", "[3,3,4]"),
            ("BOOL", "1`1 <<== 2`1 andalso 2`1 >>== 1`1", "true"),
        ],
    );
}

/// Functions on lists that CPN Tools has of its own.
#[test]
fn lists_of_cpn_tools() {
    check(
        "",
        &[
            ("INTS", "rm 2 [1,2,3,2]", "[1,3,2]"),
            ("INTS", "rmall 2 [1,2,3,2]", "[1,3]"),
            (
                "INTS",
                "sort (fn (a, b) => a < b) [3,1,2,5,4,1]",
                "[1,1,2,3,4,5]",
            ),
            ("INTS", "sort INT.lt [3,1,2]", "[1,2,3]"),
            ("INTS", "remdupl [1,2,1,3,2]", "[1,3,2]"),
            ("INTS", "flatten [[1],[2,3]]", "[1,2,3]"),
            ("INT", "pos 3 [1,3,3]", "1"),
            ("INT", "pos 2 [1,3] handle Match => ~1", "~1"),
            ("INTS", "listsub [1] [2] handle Subtract => [0]", "[0]"),
            (
                "INTS",
                "unique_sort (fn (a, b) => a > b) [1,7,4,2,7]",
                "[7,4,2,1]",
            ),
            (
                "INTS",
                "map (fn (_, x) => x) (unique_sort (fn ((a, _), (b, _)) => a < b) [(1, 1), (0, 2), (1, 3)])",
                "[2,3]",
            ),
            (
                "BOOL",
                "contains_all [1,2,2] [2,2] andalso not (contains_all [1,2] [2,2])",
                "true",
            ),
            (
                "INTS",
                "intersect [1,2,2] [2,3] ^^ union [1] [2] ^^ listsub [1,2,3] [2]",
                "[2,1,2,1,3]",
            ),
            (
                "BOOL",
                "contains [1,2,3] [3,1] andalso not (contains [1] [2])",
                "true",
            ),
        ],
    );
}

#[test]
fn lists_and_strings() {
    check(
        "",
        &[
            ("INTS", "[1,2] ^^ [3] @ [4]", "[1,2,3,4]"),
            ("INTS", "List.filter (fn x => x > 1) [1,2,3]", "[2,3]"),
            ("INTS", "List.tabulate (3, fn i => i * i)", "[0,1,4]"),
            ("INTS", "rev [1,2,3]", "[3,2,1]"),
            ("INTS", "List.concat [[1],[2,3],[]]", "[1,2,3]"),
            (
                "INTS",
                "List.take ([1,2,3], 2) ^^ List.drop ([1,2,3], 2)",
                "[1,2,3]",
            ),
            (
                "INT",
                "length [1,2] + List.nth ([5,6], 1) + hd [7] + List.last [1,2]",
                "17",
            ),
            ("INT", "foldr (fn (x, y) => x - y) 0 [10, 3, 1]", "8"),
            (
                "BOOL",
                "mem [1,2] 2 andalso List.exists (fn x => x = 2) [1,2] andalso List.all (fn x => x > 0) [1,2]",
                "true",
            ),
            (
                "INT",
                "case List.find (fn x => x > 1) [1,2,3] of SOME x => x | NONE => 0",
                "2",
            ),
            (
                "PAIR",
                "let val (a, b) = List.partition (fn x => x > 1) [1,2,3] in (length a, \"\") end",
                "(2,\"\")",
            ),
            (
                "STRING",
                "Int.toString ~5 ^ substring (\"hello\", 1, 3) ^ str #\"x\"",
                "\"~5ellx\"",
            ),
            ("STRING", "implode (rev (explode \"abc\"))", "\"cba\""),
            (
                "STRING",
                "String.concat [\"a\", \"b\"] ^ Bool.toString true",
                "\"abtrue\"",
            ),
            (
                "STRINGS",
                "String.tokens (fn c => c = #\" \") \" a bc  d\"",
                "[\"a\",\"bc\",\"d\"]",
            ),
            (
                "INT",
                "String.size \"abc\" + valOf (Int.fromString \"~12\") + ord #\"A\"",
                "56",
            ),
            (
                "BOOL",
                "String.isPrefix \"ab\" \"abc\" andalso String.isSubstring \"bc\" \"abcd\" andalso Char.isDigit #\"7\"",
                "true",
            ),
            ("STRING", "\"a\\n\\\"\"", "\"a\\n\\\"\""),
        ],
    );
}

#[test]
fn exceptions_are_raised_and_handled() {
    let declarations = "exception Bad of string; exception Other;
        fun f 0 = raise Bad \"zero\" | f 1 = raise Other | f n = 10 div n;
        local exception Hidden in fun g () = raise Hidden end;
        fun deep 0 = hd [] | deep n = 1 + deep (n - 1);";
    check(
        declarations,
        &[
            (
                "STRING",
                "(Int.toString (f 0)) handle Bad s => s | Other => \"other\"",
                "\"zero\"",
            ),
            (
                "STRING",
                "(Int.toString (f 1)) handle Bad s => s | Other => \"other\"",
                "\"other\"",
            ),
            ("INT", "(f 1 handle Bad _ => 1) handle Other => 2", "2"),
            ("INT", "(1 div 0) handle Div => 7", "7"),
            ("INT", "1 + (deep 50 handle Empty => 5) * 2", "11"),
            ("INT", "(case 3 of 1 => 2) handle Match => 4", "4"),
            (
                "INT",
                "(let val [x] = [1,2] in x end) handle Bind => 9",
                "9",
            ),
            ("INT", "(4611686018427387903 + 1) handle Overflow => 3", "3"),
            ("INTS", "([1] -- [2]) handle Subtract => []", "[]"),
        ],
    );
    for (text, expected) in [
        ("f 0", "Bad \"zero\""),
        ("g ()", "Hidden"),
        ("deep 3", "Empty"),
        ("1 mod 0", "Div"),
        ("size (1`1 -- 2`1)", "Subtract"),
        ("List.nth ([1], 1)", "Subscript"),
    ] {
        let found = value(&format!("{COLOURS} {declarations}"), "INT", text);
        assert_eq!(found, Err(Failure::Exception(expected.into())), "{text}");
    }
}

#[test]
fn multisets_are_lists() {
    check(
        "colset E = with a | b | c; colset ES = list E; colset EE = product E * E; colset EES = list EE;",
        &[
            ("ES", "2`a ++ 1`b", "[a,a,b]"),
            ("ES", "(2`a ++ 1`b) -- 1`a", "[a,b]"),
            ("ES", "2 ** (1`a ++ 1`b)", "[a,b,a,b]"),
            ("INT", "size (3`a) + cf (a, 2`a ++ 1`b)", "5"),
            ("ES", "E.all () -- 1`b", "[a,c]"),
            ("EES", "EE.mult (1`a, E.all () -- 1`a)", "[(a,b),(a,c)]"),
            (
                "BOOL",
                "(1`a ++ 1`b) == (1`b ++ 1`a) andalso (1`a <<= 2`a) andalso not (2`a <<= 1`a)",
                "true",
            ),
            ("BOOL", "(1`a ++ 1`b) >> 1`b andalso 1`a <><> 1`b", "true"),
            ("ES", "filter (fn x => x <> a) (E.all ())", "[b,c]"),
            ("ES", "ext_ms (fn x => 2`x) (1`a ++ 1`b)", "[a,a,b,b]"),
            ("E", "ms_to_col (1`b)", "b"),
            ("STRING", "E.mkstr_ms (1`b ++ 2`a)", "\"2`a++1`b\""),
            ("INT", "E.size () + E.ord c", "5"),
            ("E", "E.col 1", "b"),
            ("ES", "list_to_ms (ms_to_list (1`a))", "[a]"),
        ],
    );
}

#[test]
fn tokens_of_inscriptions() {
    let mut model = model(
        "colset NO = int; colset DATA = string; colset P = product NO * DATA; colset L = list NO; var n, k: NO; var d: DATA;
         var l: L;",
    );
    let place = colour(&model, "P");
    let text = model.machine_mut().values_mut().string("x");
    let binding = [Value::small(1), Value::small(1), text, Value::NIL];
    let one = |count, shown: &str| vec![(count, shown.to_string(), 0)];
    assert_eq!(
        tokens(&mut model, place, "(n, d)", &binding),
        one(1, "(1,\"x\")")
    );
    assert_eq!(
        tokens(
            &mut model,
            place,
            "if n=k then 2`(n+1,d) else empty",
            &binding
        ),
        one(2, "(2,\"x\")")
    );
    assert_eq!(
        tokens(
            &mut model,
            place,
            "if n<>k then 1`(n,d) else empty",
            &binding
        ),
        []
    );
    assert_eq!(tokens(&mut model, place, "empty", &binding), []);
    assert_eq!(
        tokens(
            &mut model,
            place,
            "case n of 1 => 3`(k,d) | _ => empty",
            &binding
        ),
        one(3, "(1,\"x\")")
    );
    // On list places, `[]` is a token, and `1`[]` a multiset with it.
    let lists = colour(&model, "L");
    assert_eq!(tokens(&mut model, lists, "[]", &binding), one(1, "[]"));
    assert_eq!(tokens(&mut model, lists, "1`[]", &binding), one(1, "[]"));
    assert_eq!(tokens(&mut model, lists, "n::l", &binding), one(1, "[1]"));
    assert_eq!(tokens(&mut model, lists, "empty", &binding), []);
    assert_eq!(
        tokens(&mut model, lists, "1`[1]++2`[]", &binding),
        [(1, "[1]".into(), 0), (2, "[]".into(), 0)]
    );
}

#[test]
fn lists_are_tokens_or_multisets_by_the_place() {
    let mut model = model(
        "val W = 2; colset Worker = index wrk with 1..W; colset Workers = list Worker; colset Vote = with Yes | No;
         colset WorkerxVote = product Worker * Vote; colset WorkerxVotes = list WorkerxVote;
         colset Decision = with abort | commit; colset WorkerxDecision = product Worker * Decision; var votes: WorkerxVotes;
         fun yesVotes votes = List.filter (fn (w,vote) => vote = Yes) votes;
         fun YesWorkers votes = List.map (fn (w,_) => w) (yesVotes votes)
         fun InformYesWorkers votes = let val yesworkers = YesWorkers votes
             val decision = (if (List.length yesworkers = W) then commit else abort)
             in List.map (fn w => (w,decision)) yesworkers end",
    );
    let [workers, decisions, votes] =
        ["Workers", "WorkerxDecision", "WorkerxVotes"].map(|name| colour(&model, name));
    let all = expression(
        &mut model,
        "[(wrk 1, Yes), (wrk 2, Yes)]",
        Expect::Token(votes),
    );
    let binding = [model.machine_mut().value(&all, &[]).unwrap()];
    assert_eq!(
        tokens(&mut model, workers, "YesWorkers votes", &binding),
        [(1, "[wrk(1),wrk(2)]".into(), 0)]
    );
    assert_eq!(
        tokens(&mut model, decisions, "InformYesWorkers votes", &binding),
        [
            (1, "(wrk(1),commit)".into(), 0),
            (1, "(wrk(2),commit)".into(), 0)
        ]
    );
}

#[test]
fn delays() {
    let mut model = model(
        "colset U = with p | q; colset I = int; colset P = product U * I timed; colset N = int timed; var x: U; var i: I;
         fun late ms = ms @+ 4;",
    );
    let [place, numbers] = ["P", "N"].map(|name| colour(&model, name));
    let binding = [Value::small(1), Value::small(5)];
    let mut check = |colour, text, expected: &[(u64, &str, i64)]| {
        let found = tokens(&mut model, colour, text, &binding);
        let found: Vec<_> = found
            .iter()
            .map(|(count, shown, delay)| (*count, shown.as_str(), *delay))
            .collect();
        assert_eq!(found, expected, "{text}");
    };
    check(place, "(x,i)@+8", &[(1, "(q,5)", 8)]);
    check(place, "(x,i) @+(if x=p then 13 else 9)", &[(1, "(q,5)", 9)]);
    // The delay belongs to the whole inscription, with parentheses and without.
    check(
        place,
        "if x=q then 1`(q,i+1) else empty @+7",
        &[(1, "(q,6)", 7)],
    );
    check(
        place,
        "(if x=q then 1`(q,i+1) else empty) @+7",
        &[(1, "(q,6)", 7)],
    );
    check(numbers, "i+1@+3", &[(1, "6", 3)]);
    check(
        numbers,
        "1`i @+ 3 +++ 2`1 @+ 4",
        &[(1, "5", 3), (2, "1", 4)],
    );
    check(numbers, "if x=p then 1`i@+3 else 1`i@+5", &[(1, "5", 5)]);
    check(numbers, "if x=q then 1`i@+3 else empty", &[(1, "5", 3)]);
    check(numbers, "(i@+1)@+2", &[(1, "5", 3)]);
    check(numbers, "late (2`i)", &[(1, "5", 4), (1, "5", 4)]);
    check(numbers, "i @ 12", &[(1, "5", 12)]);
    check(numbers, "i", &[(1, "5", 0)]);
    model.machine_mut().set_time(10);
    assert_eq!(
        tokens(&mut model, numbers, "i @ 12", &binding),
        [(1, "5".into(), 2)]
    );
    let stamped = expression(&mut model, "i @ 12", Expect::Arc(numbers));
    assert!(stamped.effects().time && stamped.has_delays());
    let negative = expression(&mut model, "i @+ (1 - i)", Expect::Arc(numbers));
    let failure = model
        .machine_mut()
        .tokens(&negative, &binding, &mut Vec::new());
    assert_eq!(failure, Err(Failure::NegativeDelay(-4)));
}

#[test]
fn functions_that_do_not_end_fail() {
    let mut model = model(
        "colset INT = int; fun loop n = loop (n + 1); fun deep n = 1 + deep n; fun big n = big n ^^ [1];
         fun pow (n, l) = if n = 0 then length l else pow (n - 1, l ^^ l);",
    );
    let int = colour(&model, "INT");
    let budget = Budget {
        steps: 100_000,
        depth: 1000,
        ..Budget::default()
    };
    model.machine_mut().set_budget(budget);
    for (text, expected) in [
        ("loop 0", Failure::Steps(100_000)),
        ("deep 0", Failure::Depth(1000)),
        ("length (big 0)", Failure::Depth(1000)),
        ("pow (60, [1])", Failure::Steps(100_000)),
        ("size (1000000`1)", Failure::Steps(100_000)),
    ] {
        let expression = expression(&mut model, text, Expect::Token(int));
        assert_eq!(
            model.machine_mut().value(&expression, &[]),
            Err(expected),
            "{text}"
        );
    }
}

/// Whatever takes as long as a list or a string is long is paid for by its length, or else a short text could keep an evaluation busy
/// for days.
#[test]
fn work_is_counted_by_the_size_of_values() {
    let mut model = model(
        "colset INT = int; colset L = list INT; colset LL = list L; colset S = string;
         colset D = int with 0..9; colset DD = list D;
         fun double (n, l) = if n = 0 then l else double (n - 1, l ^^ l);
         fun longer (n, s) = if n = 0 then s else longer (n - 1, s ^ s);
         val list = double (12, [1]); val text = longer (12, \"abcdefgh\"); val other = text ^ \"z\";
         fun each (f, n) = if n = 0 then 0 else (f (); each (f, n - 1));",
    );
    let int = colour(&model, "INT");
    let budget = Budget {
        steps: 100_000,
        ..Budget::default()
    };
    model.machine_mut().set_budget(budget);
    for work in [
        "List.nth (list, 4000)",
        "mem list 2",
        "cf (2, list)",
        "length list",
        "size (list ^^ [1])",
        "hd (rev list)",
        "list -- [1]",
        "list == list",
        "rm 1 list",
        "rmall 2 list",
        "[1] <<= list",
        "L.mkstr list",
        "L.mkstr_ms [list]",
        "L.lt (list, list ^^ [1])",
        "DD.legal list",
        "String.size text",
        "String.sub (text, 30000)",
        "substring (text, 0, 5)",
        "text < other",
        "explode text",
        "Int.fromString text",
        "concat [text, text]",
        "(100`1)",
        "(3 ** list)",
        "map (fn x => x) list",
    ] {
        let all = format!("each (fn () => {work}, 1000)");
        let all = expression(&mut model, &all, Expect::Token(int));
        let expected = Err(Failure::Steps(100_000));
        assert_eq!(model.machine_mut().value(&all, &[]), expected, "{work}");
        let once = format!("each (fn () => {work}, 1)");
        let once = expression(&mut model, &once, Expect::Token(int));
        assert_eq!(
            model.machine_mut().value(&once, &[]),
            Ok(Value::small(0)),
            "{work}"
        );
    }
    // What is small though it would be large if it were written down.
    for nested in [
        "LL.mkstr (double (12, [list]))",
        "LL.legal (double (12, [list]))",
    ] {
        let text = format!("({nested}; 1)");
        let all = expression(&mut model, &text, Expect::Token(int));
        let expected = Err(Failure::Steps(100_000));
        assert_eq!(model.machine_mut().value(&all, &[]), expected, "{nested}");
    }
}

#[test]
fn values_that_one_evaluation_makes_are_counted() {
    let mut model = model(
        "colset INT = int; fun pile (n, l) = if n = 0 then length l else pile (n - 1, n :: l);
         fun texts n = if n = 0 then 0 else (Int.toString n; texts (n - 1));",
    );
    let int = colour(&model, "INT");
    let budget = Budget {
        values: 1000,
        ..Budget::default()
    };
    model.machine_mut().set_budget(budget);
    for text in [
        "pile (5000, [])",
        "texts 5000",
        "length (List.tabulate (5000, fn i => i))",
        "size (5000`1)",
        "length (explode (concat (List.tabulate (500, fn _ => \"0123456789\"))))",
    ] {
        let expression = expression(&mut model, text, Expect::Token(int));
        let failed = model.machine_mut().value(&expression, &[]);
        assert_eq!(failed, Err(Failure::Values(1000)), "{text}");
    }
    // Those of one evaluation are not held against the next.
    let piled = expression(&mut model, "pile (900, [7])", Expect::Token(int));
    for _ in 0..3 {
        assert_eq!(
            model.machine_mut().value(&piled, &[]),
            Ok(Value::small(901))
        );
    }
}

/// No number is `nan`, which would be equal to itself here.
#[test]
fn numbers_with_a_fraction_are_numbers() {
    check(
        "val inf = 1.0 / 0.0; fun tried f = (f (); 0) handle Domain => 1;",
        &[
            ("INT", "tried (fn () => 0.0 / 0.0)", "1"),
            ("INT", "tried (fn () => inf - inf)", "1"),
            ("INT", "tried (fn () => inf * 0.0)", "1"),
            ("INT", "tried (fn () => Math.sqrt ~1.0)", "1"),
            ("INT", "tried (fn () => Math.ln ~1.0)", "1"),
            ("INT", "tried (fn () => inf)", "0"),
            ("BOOL", "0.0 < inf andalso ~inf < 0.0", "true"),
            ("BOOL", "Real.== (0.0, ~0.0)", "true"),
            ("BOOL", "Real.== (0.1 + 0.2, 0.3)", "false"),
            ("BOOL", "Real.== (0.5 + 0.25, 0.75)", "true"),
            ("INT", "round 2.5 + round 3.5", "6"),
            ("INT", "floor ~1.5 + ceil ~1.5 + trunc ~1.5", "~4"),
            ("INT", "(floor inf; 0) handle Overflow => 1", "1"),
        ],
    );
}

#[test]
fn deep_recursion_needs_no_stack_of_ours() {
    check(
        "fun up 0 = [] | up n = n :: up (n - 1); fun sum [] = 0 | sum (x :: r) = x + sum r;
         fun count (0, a) = a | count (n, a) = count (n - 1, a + 1);",
        &[
            ("INT", "sum (up 50000)", "1250025000"),
            ("INT", "count (1000000, 0)", "1000000"),
        ],
    );
}

#[test]
fn negative_multiplicities_fail() {
    let mut model = model("colset INT = int; var n: INT;");
    let int = colour(&model, "INT");
    let arc = expression(&mut model, "n`1", Expect::Arc(int));
    let run = |model: &mut crate::ml::Declarations, n| {
        let mut out = Vec::new();
        let result = model
            .machine_mut()
            .tokens(&arc, &[Value::small(n)], &mut out);
        result.map(|()| out.len())
    };
    assert_eq!(run(&mut model, -2), Err(Failure::Negative(-2)));
    assert_eq!(run(&mut model, 0), Ok(0));
    assert_eq!(run(&mut model, 3), Ok(1));
}

#[test]
fn random_functions_are_refused_or_all_results_used() {
    let mut model = model(
        "colset INT = int; colset D = int with 5..7; fun delay () = D.ran (); fun coin () = discrete (0, 1);
         fun noise () = floor (uniform (0.0, 1.0));",
    );
    let int = colour(&model, "INT");
    let sum = expression(
        &mut model,
        "if coin () = 0 then delay () else 100",
        Expect::Token(int),
    );
    assert_eq!(sum.effects().random, ["D.ran", "discrete"]);
    let machine = model.machine_mut();
    assert_eq!(
        machine.value(&sum, &[]),
        Err(Failure::Random("discrete".into()))
    );
    machine.start_choices();
    let mut found = vec![machine.value(&sum, &[]).unwrap().as_int().unwrap()];
    while machine.next_choice() {
        found.push(machine.value(&sum, &[]).unwrap().as_int().unwrap());
    }
    assert_eq!(found, [5, 6, 7, 100]);
    assert_eq!(
        machine.value(&sum, &[]),
        Err(Failure::Random("discrete".into()))
    );
    for (text, expected) in [
        ("bernoulli 0.5", vec![0, 1]),
        ("bernoulli 1.0", vec![1]),
        ("binomial (2, 0.5)", vec![0, 1, 2]),
        ("binomial (2, 0.0)", vec![0]),
        ("random [4, 5]", vec![4, 5]),
    ] {
        let expression = expression(&mut model, text, Expect::Token(int));
        let machine = model.machine_mut();
        machine.start_choices();
        let mut found = Vec::new();
        loop {
            found.push(machine.value(&expression, &[]).unwrap().as_int().unwrap());
            if !machine.next_choice() {
                break;
            }
        }
        assert_eq!(found, expected, "{text}");
    }
    let noise = expression(&mut model, "noise ()", Expect::Token(int));
    model.machine_mut().start_choices();
    assert_eq!(
        model.machine_mut().value(&noise, &[]),
        Err(Failure::Unbounded("uniform".into()))
    );
}

#[test]
fn effects_are_known_through_functions() {
    let mut model = model(
        "colset INT = int; fun now () = time (); fun f g = g (); globref limit = 200; fun over n = n > !limit;
         val later = now; fun say s = print s;",
    );
    let int = colour(&model, "INT");
    let truth = Expect::Bool;
    assert!(
        expression(&mut model, "f now", Expect::Token(int))
            .effects()
            .time
    );
    assert!(
        expression(&mut model, "later ()", Expect::Token(int))
            .effects()
            .time
    );
    assert!(
        expression(&mut model, "1 + 2", Expect::Token(int))
            .effects()
            .is_pure()
    );
    let over = expression(&mut model, "over 3", truth);
    assert_eq!(over.effects().references, ["limit"]);
    assert_eq!(
        model.machine_mut().value(&over, &[]),
        Err(Failure::Reference("limit".into()))
    );
    let says = expression(&mut model, "(say \"x\"; 1)", Expect::Token(int));
    assert_eq!(says.effects().outside, ["print"]);
    model.machine_mut().set_time(33);
    let now = expression(&mut model, "now () + 1", Expect::Token(int));
    assert_eq!(
        model.machine_mut().value(&now, &[]).unwrap().as_int(),
        Some(34)
    );
}

#[test]
fn values_survive_compaction() {
    let mut model =
        model("colset S = string; colset L = list S; val base = [\"a\", \"b\"]; var s: S;");
    let lists = colour(&model, "L");
    let arc = expression(&mut model, "base ^^ [s, \"c\"]", Expect::Token(lists));
    let kept = model.machine_mut().values_mut().string("kept");
    for number in 0..1000 {
        model
            .machine_mut()
            .values_mut()
            .string(&format!("garbage {number}"));
    }
    let before = model.machine().values().len();
    let (mut model, numbers) = model.compacted(0, [kept].into_iter());
    assert!(model.machine().values().len() + 900 < before);
    let value = model
        .machine_mut()
        .value(&arc, &[numbers.map(kept)])
        .unwrap();
    let shown = model.colours().show(lists, value, model.machine().values());
    assert_eq!(shown, "[\"a\",\"b\",\"kept\",\"c\"]");
}
