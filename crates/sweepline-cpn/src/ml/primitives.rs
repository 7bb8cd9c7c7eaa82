//! The functions that the machine has itself, with their types. Others are in [`PRELUDE`], in the language.

use crate::ml::ColourId;

/// A function of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitive {
    Add,
    Subtract,
    Multiply,
    Negate,
    Div,
    Mod,
    Quot,
    Rem,
    Divide,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    Not,
    /// `^`
    Join,
    TextSize,
    TextAt,
    Substring,
    Explode,
    Implode,
    JoinAll,
    CharToText,
    CharOf,
    IntToText,
    IntFromText,
    RealToText,
    RealFromInt,
    Floor,
    Ceil,
    Round,
    Trunc,
    Sqrt,
    Ln,
    Exp,
    Power,
    /// What does nothing: conversions between types that are one here.
    Same,
    /// `^^`, `@` and `++`
    Append,
    Reverse,
    Length,
    Nth,
    Head,
    Tail,
    Member,
    Remove,
    RemoveAll,
    /// `` n`c ``
    Times,
    /// `--`
    Without,
    /// `n ** ms`
    Scale,
    Count,
    SameMultiset,
    /// `<<=`
    PartOf,
    /// The one token of a multiset.
    Only,
    /// All combinations of so many multisets.
    Product(u32),
    /// `time()`
    Now,
    /// `ms @+ d`: each element with the time when it is ready.
    Delay,
    Discrete,
    /// 0 or 1.
    Bernoulli,
    /// From 0 to a number.
    Binomial,
    /// One element of a list.
    Random,
    /// A random function without a finite range, of [`UNBOUNDED`].
    Unbounded(u8),
    /// Something that concerns others than the model, of [`OUTSIDE`].
    Outside(u8),
    Dereference,
    Assign,
    All(ColourId),
    ColourSize(ColourId),
    Ordinal(ColourId),
    ColourAt(ColourId),
    ColourLess(ColourId),
    Shown(ColourId),
    ShownMultiset(ColourId),
    Legal(ColourId),
    RandomColour(ColourId),
    /// A record with another value in a field.
    WithField(u32),
    /// Whether a value of a union has this constructor.
    IsCase(u32),
    /// An entry of a table, which is a tuple.
    Entry,
}

/// Random functions without a finite range.
pub(crate) const UNBOUNDED: [&str; 10] = [
    "uniform",
    "exponential",
    "normal",
    "poisson",
    "chisq",
    "erlang",
    "student",
    "gamma",
    "beta",
    "weibull",
];

/// Functions that concern others than the model.
pub(crate) const OUTSIDE: [&str; 2] = ["print", "step"];

/// Names, the type, the function, and how many arguments it takes one after the other.
///
/// `'num` stands for numbers, `'ord` for types with an order, and `''a` for types with equality.
pub(crate) const TABLE: &[(&str, &str, Primitive, usize)] = {
    use Primitive as P;
    &[
        ("+ Int.+ IntInf.+", "'num * 'num -> 'num", P::Add, 1),
        ("- Int.- IntInf.-", "'num * 'num -> 'num", P::Subtract, 1),
        ("* Int.* IntInf.*", "'num * 'num -> 'num", P::Multiply, 1),
        ("~ Int.~ IntInf.~ Real.~", "'num -> 'num", P::Negate, 1),
        ("div Int.div IntInf.div", "int * int -> int", P::Div, 1),
        ("mod Int.mod IntInf.mod", "int * int -> int", P::Mod, 1),
        ("Int.quot IntInf.quot", "int * int -> int", P::Quot, 1),
        ("Int.rem IntInf.rem", "int * int -> int", P::Rem, 1),
        ("/ Real./", "real * real -> real", P::Divide, 1),
        (
            "< Int.< IntInf.< Real.< String.< Char.<",
            "'ord * 'ord -> bool",
            P::Less,
            1,
        ),
        (
            "<= Int.<= IntInf.<= Real.<= String.<= Char.<=",
            "'ord * 'ord -> bool",
            P::LessOrEqual,
            1,
        ),
        (
            "> Int.> IntInf.> Real.> String.> Char.>",
            "'ord * 'ord -> bool",
            P::Greater,
            1,
        ),
        (
            ">= Int.>= IntInf.>= Real.>= String.>= Char.>=",
            "'ord * 'ord -> bool",
            P::GreaterOrEqual,
            1,
        ),
        ("=", "''a * ''a -> bool", P::Equal, 1),
        ("<>", "''a * ''a -> bool", P::NotEqual, 1),
        ("Real.==", "real * real -> bool", P::Equal, 1),
        ("Real.!=", "real * real -> bool", P::NotEqual, 1),
        ("not Bool.not", "bool -> bool", P::Not, 1),
        ("^ String.^", "string * string -> string", P::Join, 1),
        ("String.size", "string -> int", P::TextSize, 1),
        ("String.sub", "string * int -> char", P::TextAt, 1),
        (
            "substring String.substring",
            "string * int * int -> string",
            P::Substring,
            1,
        ),
        (
            "explode String.explode",
            "string -> char list",
            P::Explode,
            1,
        ),
        (
            "implode String.implode",
            "char list -> string",
            P::Implode,
            1,
        ),
        (
            "concat String.concat",
            "string list -> string",
            P::JoinAll,
            1,
        ),
        (
            "str String.str Char.toString",
            "char -> string",
            P::CharToText,
            1,
        ),
        ("chr Char.chr", "int -> char", P::CharOf, 1),
        ("ord Char.ord", "char -> int", P::Same, 1),
        (
            "Int.toString IntInf.toString LargeInt.toString ModelTime.toString",
            "int -> string",
            P::IntToText,
            1,
        ),
        (
            "Int.fromString IntInf.fromString",
            "string -> int option",
            P::IntFromText,
            1,
        ),
        ("Real.toString", "real -> string", P::RealToText, 1),
        (
            "real Real.fromInt Real.fromLargeInt",
            "int -> real",
            P::RealFromInt,
            1,
        ),
        ("floor Real.floor", "real -> int", P::Floor, 1),
        ("ceil Real.ceil", "real -> int", P::Ceil, 1),
        ("round Real.round", "real -> int", P::Round, 1),
        ("trunc Real.trunc", "real -> int", P::Trunc, 1),
        ("Math.sqrt", "real -> real", P::Sqrt, 1),
        ("Math.ln", "real -> real", P::Ln, 1),
        ("Math.exp", "real -> real", P::Exp, 1),
        ("Math.pow", "real * real -> real", P::Power, 1),
        (
            "IntInf.toInt IntInf.fromInt Int.toLarge Int.fromLarge Int.toInt Int.fromInt IntInf.toLarge \
             IntInf.fromLarge LargeInt.toInt LargeInt.fromInt ModelTime.fromInt ModelTime.toInt",
            "int -> int",
            P::Same,
            1,
        ),
        ("list_to_ms ms_to_list", "'a list -> 'a list", P::Same, 1),
        ("^^ ++ List.@", "'a list * 'a list -> 'a list", P::Append, 1),
        ("+++", "'a list * 'a list -> 'a list", P::Append, 1),
        ("rev List.rev", "'a list -> 'a list", P::Reverse, 1),
        ("length List.length size", "'a list -> int", P::Length, 1),
        ("List.nth", "'a list * int -> 'a", P::Nth, 1),
        ("hd List.hd", "'a list -> 'a", P::Head, 1),
        ("tl List.tl", "'a list -> 'a list", P::Tail, 1),
        ("mem", "''a list -> ''a -> bool", P::Member, 2),
        ("rm", "''a -> ''a list -> ''a list", P::Remove, 2),
        ("rmall", "''a -> ''a list -> ''a list", P::RemoveAll, 2),
        ("`", "int * 'a -> 'a list", P::Times, 1),
        ("--", "''a list * ''a list -> ''a list", P::Without, 1),
        ("**", "int * 'a list -> 'a list", P::Scale, 1),
        ("cf", "''a * ''a list -> int", P::Count, 1),
        ("==", "''a list * ''a list -> bool", P::SameMultiset, 1),
        ("<<=", "''a list * ''a list -> bool", P::PartOf, 1),
        ("ms_to_col", "'a list -> 'a", P::Only, 1),
        ("time", "unit -> int", P::Now, 1),
        ("intTime", "unit -> int", P::Now, 1),
        ("@+ @@+ @++", "'a list * int -> 'a timed list", P::Delay, 1),
        ("discrete", "int * int -> int", P::Discrete, 1),
        ("random", "'a list -> 'a", P::Random, 1),
        ("uniform", "real * real -> real", P::Unbounded(0), 1),
        ("exponential", "real -> real", P::Unbounded(1), 1),
        ("normal", "real * real -> real", P::Unbounded(2), 1),
        ("poisson", "real -> int", P::Unbounded(3), 1),
        ("bernoulli", "real -> int", P::Bernoulli, 1),
        ("binomial", "int * real -> int", P::Binomial, 1),
        ("chisq", "int -> real", P::Unbounded(4), 1),
        ("erlang", "int * real -> real", P::Unbounded(5), 1),
        ("student", "int -> real", P::Unbounded(6), 1),
        ("gamma", "real * real -> real", P::Unbounded(7), 1),
        ("beta", "real * real -> real", P::Unbounded(8), 1),
        ("weibull", "real * real -> real", P::Unbounded(9), 1),
        ("print TextIO.print", "string -> unit", P::Outside(0), 1),
        ("step", "unit -> int", P::Outside(1), 1),
        ("!", "'a ref -> 'a", P::Dereference, 1),
        (":=", "'a ref * 'a -> unit", P::Assign, 1),
    ]
};

/// Functions that are written in the language itself.
pub(crate) const PRELUDE: &str = include_str!("prelude.sml");

impl Primitive {
    /// The random function it is, if it is one.
    pub fn random(self, shown: impl FnOnce(ColourId) -> String) -> Option<String> {
        match self {
            Self::Discrete => Some("discrete".into()),
            Self::Bernoulli => Some("bernoulli".into()),
            Self::Binomial => Some("binomial".into()),
            Self::Random => Some("random".into()),
            Self::Unbounded(number) => Some(UNBOUNDED[usize::from(number)].into()),
            Self::RandomColour(colour) => Some(format!("{}.ran", shown(colour))),
            _ => None,
        }
    }
}
