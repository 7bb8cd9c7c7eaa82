//! Types as they are written.

use crate::ml::types::{Class, Con, Node, Ty, Types};

/// Levels of a type that are shown.
const LEVELS: usize = 20;

/// How tightly something must be bound where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Anything,
    /// Left of an arrow.
    Product,
    /// Part of a product, or before a constructor.
    Applied,
}

/// The outermost part of a type.
pub(crate) enum View<'a> {
    Con(Con, &'a [Ty]),
    Record(&'a [(String, Ty)]),
    /// A function, or a type that is not known.
    Other,
}

impl Types {
    /// What a type is, outermost.
    pub fn view(&self, ty: Ty) -> View<'_> {
        match &self.nodes[self.resolve(ty).0 as usize] {
            Node::Con(con, arguments) => View::Con(*con, arguments),
            Node::Record(fields) => View::Record(fields),
            _ => View::Other,
        }
    }

    /// A type as it is written, cut where it becomes too long.
    pub fn shown(&self, ty: Ty) -> String {
        let mut writer = Writer {
            types: self,
            text: String::new(),
            levels: 0,
        };
        writer.write(ty, Tightness::Anything);
        sweepline_text::shortened_to(&writer.text, 100)
    }
}

struct Writer<'a> {
    types: &'a Types,
    text: String,
    levels: usize,
}

impl Writer<'_> {
    fn write(&mut self, ty: Ty, tightness: Tightness) {
        if self.text.len() > 200 || self.levels >= LEVELS {
            self.text.push('…');
            return;
        }
        self.levels += 1;
        self.write_here(ty, tightness);
        self.levels -= 1;
    }

    fn write_here(&mut self, ty: Ty, tightness: Tightness) {
        let ty = self.types.resolve(ty);
        match &self.types.nodes[ty.0 as usize] {
            Node::Link(_) => {}
            Node::Unbound {
                class: Class::Number,
                ..
            } => self.text.push_str("a number"),
            Node::Unbound { equality: true, .. } => self.text.push_str("''a"),
            Node::Unbound { .. } => self.text.push_str("'a"),
            Node::Generic(number) => {
                let letter = u8::try_from(number % 26).unwrap_or(0);
                self.text.extend(['\'', (b'a' + letter) as char]);
            }
            Node::Open { fields, .. } => self.write_record(fields, true),
            Node::Con(con, arguments) => {
                self.write_arguments(arguments);
                self.text.push_str(&self.types.names[con.0 as usize]);
            }
            Node::Record(fields) if fields.is_empty() => self.text.push_str("unit"),
            Node::Record(fields) if is_tuple(fields) => {
                let parts: Vec<Ty> = fields.iter().map(|(_, part)| *part).collect();
                self.bracketed(tightness == Tightness::Applied, |writer| {
                    writer.write_all(&parts, " * ", Tightness::Applied);
                });
            }
            Node::Record(fields) => self.write_record(fields, false),
            Node::Function(from, to) => self.bracketed(tightness > Tightness::Anything, |writer| {
                writer.write(*from, Tightness::Product);
                writer.text.push_str(" -> ");
                writer.write(*to, Tightness::Anything);
            }),
        }
    }

    /// What stands before a constructor.
    fn write_arguments(&mut self, arguments: &[Ty]) {
        match arguments {
            [] => {}
            [one] => {
                self.write(*one, Tightness::Applied);
                self.text.push(' ');
            }
            more => {
                self.text.push('(');
                self.write_all(more, ", ", Tightness::Anything);
                self.text.push_str(") ");
            }
        }
    }

    fn write_all(&mut self, parts: &[Ty], separator: &str, tightness: Tightness) {
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                self.text.push_str(separator);
            }
            self.write(*part, tightness);
        }
    }

    fn write_record(&mut self, fields: &[(String, Ty)], open: bool) {
        self.text.push('{');
        for (number, (label, part)) in fields.iter().enumerate() {
            if number > 0 {
                self.text.push_str(", ");
            }
            self.text.push_str(label);
            self.text.push_str(": ");
            self.write(*part, Tightness::Anything);
        }
        self.text.push_str(if open { ", ...}" } else { "}" });
    }

    fn bracketed(&mut self, brackets: bool, write: impl FnOnce(&mut Self)) {
        if brackets {
            self.text.push('(');
        }
        write(self);
        if brackets {
            self.text.push(')');
        }
    }
}

fn is_tuple(fields: &[(String, Ty)]) -> bool {
    let named = |(number, (label, _)): (usize, &(String, Ty))| *label == number.to_string();
    fields.len() > 1 && (1..).zip(fields).all(named)
}
