//! What names mean.

use std::collections::HashMap;

use crate::ml::core::{FunctionId, Local};
use crate::ml::parser::Fixities;
use crate::ml::primitives::Primitive;
use crate::ml::types::{Con, Scheme, Ty, Types};
use crate::ml::{ColourId, Effects, Value, VariableId};

/// What a name of an expression means.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Local(Local, Scheme),
    Global(u32, Scheme),
    Function {
        id: FunctionId,
        scheme: Scheme,
        parameters: usize,
        /// Whether the parameters are the parts of one tuple.
        unpacked: bool,
    },
    Primitive {
        primitive: Primitive,
        scheme: Scheme,
        /// Arguments that come one after the other.
        curried: usize,
        /// Parts of the only argument.
        parts: usize,
    },
    Constructor(Constructor),
    Variable(VariableId),
    Reference(u32, Ty),
    /// A name whose declaration is wrong, and why.
    Faulty(String),
}

/// A constructor, exception or named constant.
#[derive(Clone, Debug)]
pub(crate) struct Constructor {
    pub make: Make,
    pub scheme: Scheme,
}

/// How a constructor makes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Make {
    Value(Value),
    /// A position, and an argument behind it.
    Tagged(i32),
    /// An element of an index colour set.
    Index(ColourId),
    Cons,
    /// A value with a time stamp.
    Stamp,
}

/// What a name of a type means.
#[derive(Clone, Debug)]
pub(crate) enum TypeName {
    /// How many arguments it has, and what it is.
    Known(usize, Ty),
    Faulty(String),
}

/// All that has been declared.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub values: HashMap<String, Entity>,
    pub types: HashMap<String, TypeName>,
    pub type_table: Types,
    pub fixities: Fixities,
    /// For each colour set: its type.
    pub colour_types: Vec<Ty>,
    pub variables: Vec<(String, ColourId)>,
    /// For each function of the machine: what calling it depends on.
    pub effects: Vec<Effects>,
    /// For each global value, likewise: values that are functions may be called.
    pub global_effects: Vec<Effects>,
}

impl Environment {
    pub fn new() -> Self {
        let mut table = Types::new();
        let mut types = HashMap::new();
        let element = table.generic(0);
        let simple = [
            (
                Con::INT,
                "int IntInf.int Int.int LargeInt.int time Time.time ModelTime.time intinf",
            ),
            (Con::REAL, "real Real.real"),
            (Con::STRING, "string String.string"),
            (Con::CHAR, "char Char.char"),
            (Con::BOOL, "bool"),
            (Con::EXN, "exn"),
            (Con::ORDER, "order"),
        ];
        for (con, names) in simple {
            let ty = table.simple(con);
            types.extend(
                names
                    .split_whitespace()
                    .map(|name| (name.to_string(), TypeName::Known(0, ty))),
            );
        }
        for (con, name) in [
            (Con::LIST, "list ms"),
            (Con::OPTION, "option"),
            (Con::REF, "ref"),
            (Con::TIMED, "timed"),
        ] {
            let ty = table.con(con, vec![element]);
            types.extend(
                name.split_whitespace()
                    .map(|name| (name.to_string(), TypeName::Known(1, ty))),
            );
        }
        let timed = table.con(Con::TIMED, vec![element]);
        let timed = table.list(timed);
        types.insert("tms".into(), TypeName::Known(1, timed));
        let unit = table.unit();
        types.insert("unit".into(), TypeName::Known(0, unit));
        Self {
            values: HashMap::new(),
            types,
            type_table: table,
            fixities: crate::ml::parser::fixities(),
            colour_types: Vec::new(),
            variables: Vec::new(),
            effects: Vec::new(),
            global_effects: Vec::new(),
        }
    }

    /// All names of expressions, for proposals.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}
