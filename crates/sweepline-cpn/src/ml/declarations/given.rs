//! Names that do not come from a text of the model: what queries know of a state space.

use crate::ml::declarations::Declarations;
use crate::ml::environment::{Entity, TypeName};
use crate::ml::errors::Report;
use crate::ml::infer::Infer;
use crate::ml::machine::real_shown;
use crate::ml::parser::Parser;
use crate::ml::primitives::Primitive;
use crate::ml::types::{Con, Ty, View};
use crate::ml::{MlErrors, Origin, Value};

/// Elements of a list that are shown.
const SHOWN: usize = 10;

/// Looks up an entry of a table, whatever the types are.
const ENTRY: &str = "table'entry";

/// Whether two values are the same, whatever the types are.
const SAME: &str = "same'value";

impl Declarations {
    /// A type of which nothing is known but that its values can be compared.
    pub(crate) fn opaque_type(&mut self, name: &str) {
        let con = self.environment.type_table.new_con(name);
        let ty = self.environment.type_table.simple(con);
        let known = TypeName::Known(0, ty);
        self.environment.types.insert(name.to_owned(), known);
    }

    /// A value with a type that is written.
    pub(crate) fn given(
        &mut self,
        name: &str,
        written: &str,
        value: Value,
    ) -> Result<(), MlErrors> {
        let origin = Origin::of_text(name, written);
        let mut report = Report::new(written, &origin);
        let parser = Parser::new(&mut report, &mut self.environment.fixities);
        let parsed = parser.and_then(|mut parser| parser.type_expression());
        let scheme = parsed.and_then(|parsed| {
            let mut infer = Infer::new(&mut self.environment, &mut self.machine, &mut report);
            infer.known_type(&parsed)
        });
        let given = scheme.map(|scheme| {
            let global = self.machine.add_global(value);
            let effects = &mut self.environment.global_effects;
            effects.resize(global as usize + 1, crate::ml::Effects::default());
            let entity = Entity::Global(global, scheme);
            self.environment.values.insert(name.to_owned(), entity);
        });
        report.finish(given)
    }

    /// Another name for something.
    pub(crate) fn alias(&mut self, name: &str, of: &str) {
        if let Some(entity) = self.environment.values.get(of).cloned() {
            self.environment.values.insert(name.to_owned(), entity);
        }
    }

    /// A name that cannot be used.
    pub(crate) fn refuse(&mut self, name: &str, why: &str) {
        let entity = Entity::Faulty(why.to_owned());
        self.environment.values.insert(name.to_owned(), entity);
    }

    /// Lets texts of ours look into tables. Their types are not checked, so [`Declarations::close_tables`] must follow before
    /// anything else is read.
    pub(crate) fn open_tables(&mut self) {
        self.add_primitive(ENTRY, "'a * 'b -> 'c", Primitive::Entry, 1);
        self.add_primitive(SAME, "'a * 'b -> bool", Primitive::Equal, 1);
    }

    /// From now on no text can.
    pub(crate) fn close_tables(&mut self) {
        for name in [ENTRY, SAME] {
            self.environment.values.remove(name);
        }
    }

    /// A value of the top level, with its type as it is written.
    pub(crate) fn value_of(&self, name: &str) -> Option<(Value, String)> {
        let (value, ty) = self.global_value(name)?;
        Some((value, self.environment.type_table.shown(ty)))
    }

    /// A value of the top level as it is written, as far as it is not too long.
    pub(crate) fn text_of(&self, name: &str) -> Option<String> {
        let (value, ty) = self.global_value(name)?;
        let mut text = String::new();
        self.write(ty, value, &mut text, 0);
        Some(text)
    }

    fn global_value(&self, name: &str) -> Option<(Value, Ty)> {
        match self.environment.values.get(name)? {
            Entity::Global(global, scheme) => Some((self.machine.global(*global), scheme.ty)),
            _ => None,
        }
    }

    fn write(&self, ty: Ty, value: Value, text: &mut String, level: usize) {
        let types = &self.environment.type_table;
        let values = self.machine.values();
        if level > 20 {
            text.push('…');
            return;
        }
        match types.view(ty) {
            View::Con(Con::BOOL, _) => text.push_str(&(value == Value::TRUE).to_string()),
            View::Con(Con::STRING, _) => text.push_str(&quoted(values.text(value))),
            View::Con(Con::REAL, _) => text.push_str(&real_shown(values.as_real(value))),
            View::Con(Con::LIST, [of]) => {
                let elements: Vec<Value> = values.elements(value).collect();
                text.push('[');
                for (at, element) in elements.iter().take(SHOWN).enumerate() {
                    text.push_str(if at > 0 { ", " } else { "" });
                    self.write(*of, *element, text, level + 1);
                }
                text.push_str(if elements.len() > SHOWN {
                    ", …]"
                } else {
                    "]"
                });
                if elements.len() > SHOWN {
                    let count = elements.len().to_string();
                    text.extend([" (", &*count, " elements)"]);
                }
            }
            View::Con(Con::OPTION, [of]) => match values.fields(value) {
                [_, some] => {
                    text.push_str("SOME ");
                    self.write(*of, *some, text, level + 1);
                }
                _ => text.push_str("NONE"),
            },
            View::Record([]) => text.push_str("()"),
            View::Record(fields) => {
                let is_tuple = fields[0].0 == "1";
                text.push(if is_tuple { '(' } else { '{' });
                for (at, ((label, of), part)) in fields.iter().zip(values.fields(value)).enumerate()
                {
                    text.push_str(if at > 0 { ", " } else { "" });
                    if !is_tuple {
                        text.extend([label, " = "]);
                    }
                    self.write(*of, *part, text, level + 1);
                }
                text.push(if is_tuple { ')' } else { '}' });
            }
            View::Con(con, []) => {
                let mut colours = self.environment.colour_types.iter();
                let is_this =
                    |of: &Ty| matches!(types.view(*of), View::Con(other, []) if other == con);
                let colour = colours.position(is_this).filter(|_| con != Con::INT);
                let colour = colour.and_then(|at| self.colours().ids().nth(at));
                match (colour, value.as_int()) {
                    (Some(colour), _) => text.push_str(&self.colours().show(colour, value, values)),
                    (None, Some(number)) => text.push_str(&number.to_string()),
                    (None, None) => text.extend(["a value of type ", &*types.shown(ty)]),
                }
            }
            View::Con(..) | View::Other => {
                text.extend(["a value of type ", &*types.shown(ty)]);
            }
        }
    }
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}
