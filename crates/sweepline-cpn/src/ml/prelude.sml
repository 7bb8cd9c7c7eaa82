(* What Standard ML and CPN Tools have beside the functions of the machine. *)
fun ignore _ = ();
fun op o (f, g) = fn x => f (g x);
fun op before (a, b) = a;
fun op <><> (a, b) = not (a == b);
fun op != (a, b) = not (a == b);
fun op >>= (a, b) = b <<= a;
fun op << (a, b) = a <<= b andalso not (a == b);
fun op >> (a, b) = b << a;
fun op <<== (a, b) = a <<= b;
fun op >>== (a, b) = b <<= a;
(* What follows is there if all of the conditions hold: [x > 0] % x is a token, [x > 0] // (1`x ++ 1`y) a multiset. *)
fun op % ([], x) = [x]
  | op % (true :: rest, x) = rest % x
  | op % (false :: _, _) = [];
fun op // ([], ms) = ms
  | op // (true :: rest, ms) = rest // ms
  | op // (false :: _, _) = [];
fun abs x = if x < 0 then ~x else x;

exception Option;
fun valOf (SOME x) = x
  | valOf NONE = raise Option;
fun isSome (SOME _) = true
  | isSome NONE = false;
fun getOpt (SOME x, _) = x
  | getOpt (NONE, x) = x;
fun mapOption f (SOME x) = SOME (f x)
  | mapOption _ NONE = NONE;
fun appOption f (SOME x) = (f x; ())
  | appOption _ NONE = ();
fun joinOption (SOME x) = x
  | joinOption NONE = NONE;
fun mapPartialOption f (SOME x) = f x
  | mapPartialOption _ NONE = NONE;
fun filterOption p x = if p x then SOME x else NONE;

fun map f l =
  let fun walk ([], done) = rev done
        | walk (x :: rest, done) = walk (rest, f x :: done)
  in walk (l, []) end;
fun app f [] = ()
  | app f (x :: rest) = (f x; app f rest);
fun foldl f start [] = start
  | foldl f start (x :: rest) = foldl f (f (x, start)) rest;
fun foldr f start l = foldl f start (rev l);
fun filter p l =
  let fun walk ([], done) = rev done
        | walk (x :: rest, done) = walk (rest, if p x then x :: done else done)
  in walk (l, []) end;
fun exists p [] = false
  | exists p (x :: rest) = p x orelse exists p rest;
fun forall p [] = true
  | forall p (x :: rest) = p x andalso forall p rest;
fun find p [] = NONE
  | find p (x :: rest) = if p x then SOME x else find p rest;
fun partition p l =
  let fun walk ([], yes, no) = (rev yes, rev no)
        | walk (x :: rest, yes, no) = if p x then walk (rest, x :: yes, no) else walk (rest, yes, x :: no)
  in walk (l, [], []) end;
fun mapPartial f l =
  let fun walk ([], done) = rev done
        | walk (x :: rest, done) = walk (rest, case f x of SOME y => y :: done | NONE => done)
  in walk (l, []) end;
fun tabulate (n, f) =
  let fun walk (i, done) = if i < n then walk (i + 1, f i :: done) else rev done
  in if n < 0 then raise Size else walk (0, []) end;
fun null [] = true
  | null _ = false;
fun last [] = raise Empty
  | last [x] = x
  | last (_ :: rest) = last rest;
fun take (l, n) =
  let fun walk (_, 0, done) = rev done
        | walk ([], _, _) = raise Subscript
        | walk (x :: rest, i, done) = walk (rest, i - 1, x :: done)
  in if n < 0 then raise Subscript else walk (l, n, []) end;
fun drop (l, 0) = l
  | drop ([], _) = raise Subscript
  | drop (_ :: rest, n) = if n < 0 then raise Subscript else drop (rest, n - 1);
fun flatten l = foldr (fn (part, rest) => part ^^ rest) [] l;
fun revAppend (a, b) = rev a ^^ b;
fun getItem [] = NONE
  | getItem (x :: rest) = SOME (x, rest);
fun zip ([], _) = []
  | zip (_, []) = []
  | zip (x :: xs, y :: ys) = (x, y) :: zip (xs, ys);
fun unzip l = (map (fn (x, _) => x) l, map (fn (_, y) => y) l);
fun mapPair f both = map f (zip both);
fun appPair f both = app f (zip both);
fun forallPair p both = forall p (zip both);
fun existsPair p both = exists p (zip both);
fun foldlPair f start both = foldl (fn ((x, y), done) => f (x, y, done)) start (zip both);
fun foldrPair f start both = foldr (fn ((x, y), done) => f (x, y, done)) start (zip both);
fun collate compare ([], []) = EQUAL
  | collate compare ([], _) = LESS
  | collate compare (_, []) = GREATER
  | collate compare (x :: xs, y :: ys) =
      (case compare (x, y) of EQUAL => collate compare (xs, ys) | other => other);

(* Lists in CPN Tools. Of equal elements, `remdupl` and `unique_sort` keep the last one. *)
fun remdupl [] = []
  | remdupl (x :: rest) = if mem rest x then remdupl rest else x :: remdupl rest;
fun pos x l =
  let fun walk (_, []) = raise Match
        | walk (i, y :: rest) = if x = y then i else walk (i + 1, rest)
  in walk (0, l) end;
fun contains _ [] = true
  | contains l (x :: rest) = mem l x andalso contains l rest;
fun contains_unique _ [] = true
  | contains_unique l (x :: rest) = mem l x andalso contains_unique (rm x l) rest;
fun contains_all l other = contains_unique l other;
fun intersect [] _ = []
  | intersect (x :: rest) l = if mem l x then x :: intersect rest (rm x l) else intersect rest l;
fun union l other = l ^^ other;
fun ins_new l x = if mem l x then l else l ^^ [x];
fun ins l x = l ^^ [x];
fun listsub l [] = l
  | listsub l (x :: rest) = if mem l x then listsub (rm x l) rest else raise Subtract;
fun inputsub l other = listsub l other;
fun sort less l =
  let fun merge ([], b, done) = revAppend (done, b)
        | merge (a, [], done) = revAppend (done, a)
        | merge (x :: a, y :: b, done) =
            if less (y, x) then merge (x :: a, b, y :: done) else merge (a, y :: b, x :: done)
      fun pairs (a :: b :: rest, done) = pairs (rest, merge (a, b, []) :: done)
        | pairs (rest, done) = revAppend (done, rest)
      fun all [] = []
        | all [one] = one
        | all many = all (pairs (many, []))
  in all (map (fn x => [x]) l) end;
fun unique_sort less l =
  let fun walk (x :: y :: rest, done) = walk (y :: rest, if less (x, y) then x :: done else done)
        | walk (rest, done) = revAppend (done, rest)
  in walk (sort less l, []) end;
fun ext_col f ms = map f ms;
fun ext_ms f ms = flatten (map f ms);

fun compareInt (a: int, b: int) = if a < b then LESS else if a = b then EQUAL else GREATER;
fun compareReal (a: real, b: real) = if a < b then LESS else if b < a then GREATER else EQUAL;
fun compareString (a: string, b: string) = if a < b then LESS else if a = b then EQUAL else GREATER;
fun minInt (a: int, b: int) = if a < b then a else b;
fun maxInt (a: int, b: int) = if a < b then b else a;
fun minReal (a: real, b: real) = if a < b then a else b;
fun maxReal (a: real, b: real) = if a < b then b else a;
fun sign (a: int) = if a < 0 then ~1 else if a = 0 then 0 else 1;
fun sameSign (a, b) = sign a = sign b;
fun compareChar (a: char, b: char) = compareInt (ord a, ord b);
fun boolToString true = "true"
  | boolToString false = "false";
fun boolFromString "true" = SOME true
  | boolFromString "false" = SOME false
  | boolFromString _ = NONE;

fun between (low, high) c = ord low <= ord c andalso ord c <= ord high;
fun isDigit c = between (#"0", #"9") c;
fun isLower c = between (#"a", #"z") c;
fun isUpper c = between (#"A", #"Z") c;
fun isAlpha c = isLower c orelse isUpper c;
fun isAlphaNum c = isAlpha c orelse isDigit c;
fun isSpace c = c = #" " orelse between (#"\t", #"\r") c;
fun toUpper c = if isLower c then chr (ord c - 32) else c;
fun toLower c = if isUpper c then chr (ord c + 32) else c;
fun isPrefix a b =
  String.size a <= String.size b andalso substring (b, 0, String.size a) = a;
fun isSuffix a b =
  String.size a <= String.size b andalso substring (b, String.size b - String.size a, String.size a) = a;
fun isSubstring a b =
  let fun walk i = i + String.size a <= String.size b
        andalso (substring (b, i, String.size a) = a orelse walk (i + 1))
  in walk 0 end;
fun extract (s, i, SOME n) = substring (s, i, n)
  | extract (s, i, NONE) = substring (s, i, String.size s - i);
fun mapString f s = implode (map f (explode s));
fun fields p s =
  let fun walk ([], word, done) = rev (implode (rev word) :: done)
        | walk (c :: rest, word, done) =
            if p c then walk (rest, [], implode (rev word) :: done) else walk (rest, c :: word, done)
  in walk (explode s, [], []) end;
fun tokens p s = filter (fn word => word <> "") (fields p s);
fun translate f s = concat (map f (explode s));
fun concatWith _ [] = ""
  | concatWith between (first :: rest) = foldl (fn (word, done) => done ^ between ^ word) first rest;
