//! What every model has.

use crate::ml::declarations::Declarations;
use crate::ml::environment::{Constructor, Entity, Make};
use crate::ml::errors::Report;
use crate::ml::infer::Infer;
use crate::ml::library::{HIDDEN, MEMBERS};
use crate::ml::machine::EXCEPTIONS;
use crate::ml::parser::Parser;
use crate::ml::primitives::{PRELUDE, Primitive, TABLE};
use crate::ml::syntax::TypeKind;
use crate::ml::types::Scheme;
use crate::ml::{Origin, Value};

/// Constructors: name, type, and how they make values.
const CONSTRUCTORS: [(&str, &str, Make); 12] = [
    ("true", "bool", Make::Value(Value::TRUE)),
    ("false", "bool", Make::Value(Value::FALSE)),
    ("nil", "'a list", Make::Value(Value::NIL)),
    ("empty", "'a list", Make::Value(Value::NIL)),
    ("tempty", "'a timed list", Make::Value(Value::NIL)),
    ("::", "'a * 'a list -> 'a list", Make::Cons),
    ("@", "'a * int -> 'a timed", Make::Stamp),
    ("NONE", "'a option", Make::Value(Value::small(0))),
    ("SOME", "'a -> 'a option", Make::Tagged(1)),
    ("LESS", "order", Make::Value(Value::small(0))),
    ("EQUAL", "order", Make::Value(Value::small(1))),
    ("GREATER", "order", Make::Value(Value::small(2))),
];

impl Declarations {
    pub(super) fn add_standard(&mut self) {
        for (name, written, make) in CONSTRUCTORS {
            let (scheme, _) = self.standard_type(written);
            let entity = Entity::Constructor(Constructor { make, scheme });
            self.environment.values.insert(name.to_string(), entity);
        }
        for (tag, name) in (0..).zip(EXCEPTIONS) {
            let (written, make) = match name {
                "Fail" => ("string -> exn", Make::Tagged(tag)),
                _ => ("exn", Make::Value(Value::small(tag))),
            };
            let (scheme, _) = self.standard_type(written);
            let entity = Entity::Constructor(Constructor { make, scheme });
            self.environment.values.insert(name.to_string(), entity);
        }
        for (names, written, primitive, curried) in TABLE {
            self.add_primitive(names, written, *primitive, *curried);
        }
        let origin = Origin::of_text("the prelude", PRELUDE);
        if let Err(errors) = self.declare(PRELUDE, &origin) {
            unreachable!("the prelude is right: {errors:?}");
        }
        for (name, of) in MEMBERS {
            let entity = self.environment.values.get(*of).cloned();
            let entity = entity.expect("members are functions of the prelude");
            self.environment.values.insert((*name).to_string(), entity);
        }
        for name in HIDDEN {
            self.environment.values.remove(*name);
        }
    }

    pub(super) fn add_primitive(
        &mut self,
        names: &str,
        written: &str,
        primitive: Primitive,
        curried: usize,
    ) {
        let (scheme, parts) = self.standard_type(written);
        let parts = if curried > 1 { 1 } else { parts };
        for name in names.split_whitespace() {
            let entity = Entity::Primitive {
                primitive,
                scheme: scheme.clone(),
                curried,
                parts,
            };
            self.environment.values.insert(name.to_string(), entity);
        }
    }

    /// A type that is written in a table, and how many parts the argument of such a function has.
    fn standard_type(&mut self, written: &str) -> (Scheme, usize) {
        let origin = Origin::of_text("the table of functions", written);
        let mut report = Report::new(written, &origin);
        let parser = Parser::new(&mut report, &mut self.environment.fixities);
        let parsed = parser.and_then(|mut parser| parser.type_expression());
        let parsed = parsed.expect("the types of the table can be read");
        let parts = match &parsed.kind {
            TypeKind::Function(from, _) => match &from.kind {
                TypeKind::Tuple(parts) => parts.len(),
                _ => 1,
            },
            _ => 0,
        };
        let mut infer = Infer::new(&mut self.environment, &mut self.machine, &mut report);
        let scheme = infer.known_type(&parsed);
        (scheme.expect("the types of the table are known"), parts)
    }
}
