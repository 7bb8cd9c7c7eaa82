//! Types, and how two of them become one.
//!
//! Inference is Hindley and Milner's with levels instead of searching environments. Three things go beyond it, as in Standard
//! ML: variables that stand for types with equality, for numbers or for ordered types only (an operator that is not decided
//! otherwise is one of integers), and records of which only some fields are known.

mod show;
mod unify;

use std::cmp::Ordering;

pub(crate) use show::View;

/// A type of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ty(u32);

/// The number of a type constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Con(pub u32);

impl Con {
    pub const INT: Self = Self(0);
    pub const REAL: Self = Self(1);
    pub const STRING: Self = Self(2);
    pub const CHAR: Self = Self(3);
    pub const BOOL: Self = Self(4);
    pub const LIST: Self = Self(5);
    pub const REF: Self = Self(6);
    pub const EXN: Self = Self(7);
    pub const OPTION: Self = Self(8);
    pub const ORDER: Self = Self(9);
    /// A value with a time stamp.
    pub const TIMED: Self = Self(10);
}

/// The names of the constructors that are always there.
const NAMES: [&str; 11] = [
    "int", "real", "string", "char", "bool", "list", "ref", "exn", "option", "order", "timed",
];

/// Which types a variable may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Any,
    /// `int`, `real`, `string` or `char`
    Ordered,
    /// `int` or `real`
    Number,
}

#[derive(Clone, Debug)]
enum Node {
    Link(Ty),
    Unbound {
        level: u32,
        class: Class,
        equality: bool,
    },
    /// A record with at least these fields.
    Open {
        level: u32,
        fields: Vec<(String, Ty)>,
    },
    Con(Con, Vec<Ty>),
    /// Fields in their order; none for `unit`, and numbers for tuples.
    Record(Vec<(String, Ty)>),
    Function(Ty, Ty),
    /// A variable of a scheme.
    Generic(u32),
}

/// A type for all types: its variables are those nodes that are generic.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    pub ty: Ty,
    /// For each variable: which types it stands for, and whether they have equality.
    variables: Vec<(Class, bool)>,
}

impl Scheme {
    /// The scheme of a part of a type that was made general as a whole.
    pub fn of_part(&self, ty: Ty) -> Self {
        Self {
            ty,
            variables: self.variables.clone(),
        }
    }
}

/// Why two types are not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// They are different.
    Different,
    /// One contains the other.
    Circular,
    /// A type without equality is compared.
    NoEquality,
    /// There is too much to do; nobody writes such types.
    TooLarge,
}

/// All types of a model.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    nodes: Vec<Node>,
    names: Vec<String>,
    /// The level of what is being read.
    pub level: u32,
    /// Nodes visited since [`Types::start`].
    work: u64,
    /// Levels of the type that is being walked.
    depth: usize,
}

/// Levels of a type, so that no input exhausts the stack.
const MOST_LEVELS: usize = 1000;

/// So many nodes are visited for one text.
const MOST_WORK: u64 = 3_000_000;

impl Types {
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            names: NAMES.iter().map(ToString::to_string).collect(),
            level: 0,
            work: 0,
            depth: 0,
        }
    }

    /// Where the arena ends, before something is tried.
    pub fn start(&mut self) -> usize {
        self.work = 0;
        self.level = 0;
        self.nodes.len()
    }

    /// Where the arena ends, in the middle of a text.
    pub fn mark(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets what was tried. Schemes are closed, so that nothing older can depend on it.
    pub fn forget(&mut self, mark: usize) {
        self.nodes.truncate(mark);
        self.level = 0;
    }

    /// Whether there was too much to do, or is too much to keep.
    pub fn exhausted(&self) -> bool {
        self.work > MOST_WORK || self.nodes.len() > 1 << 24
    }

    pub fn new_con(&mut self, name: &str) -> Con {
        let number = u32::try_from(self.names.len()).expect("fewer types than characters");
        self.names.push(name.to_string());
        Con(number)
    }

    fn node(&mut self, node: Node) -> Ty {
        let number = u32::try_from(self.nodes.len()).expect("the arena is bounded");
        self.nodes.push(node);
        Ty(number)
    }

    pub fn con(&mut self, con: Con, arguments: Vec<Ty>) -> Ty {
        self.node(Node::Con(con, arguments))
    }

    pub fn simple(&mut self, con: Con) -> Ty {
        self.con(con, Vec::new())
    }

    pub fn list(&mut self, of: Ty) -> Ty {
        self.con(Con::LIST, vec![of])
    }

    pub fn function(&mut self, from: Ty, to: Ty) -> Ty {
        self.node(Node::Function(from, to))
    }

    pub fn record(&mut self, mut fields: Vec<(String, Ty)>) -> Ty {
        fields.sort_by(|(a, _), (b, _)| compare_labels(a, b));
        self.node(Node::Record(fields))
    }

    pub fn unit(&mut self) -> Ty {
        self.record(Vec::new())
    }

    pub fn tuple(&mut self, parts: &[Ty]) -> Ty {
        let labels = (1..).map(|number: usize| number.to_string());
        self.record(labels.zip(parts.iter().copied()).collect())
    }

    pub fn fresh(&mut self) -> Ty {
        self.fresh_of(Class::Any, false)
    }

    pub fn fresh_of(&mut self, class: Class, equality: bool) -> Ty {
        let level = self.level;
        self.node(Node::Unbound {
            level,
            class,
            equality,
        })
    }

    pub fn open_record(&mut self, mut fields: Vec<(String, Ty)>) -> Ty {
        let level = self.level;
        fields.sort_by(|(a, _), (b, _)| compare_labels(a, b));
        self.node(Node::Open { level, fields })
    }

    /// A variable of the scheme that is being made.
    pub fn generic(&mut self, number: usize) -> Ty {
        self.node(Node::Generic(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    pub fn scheme(ty: Ty, variables: Vec<(Class, bool)>) -> Scheme {
        Scheme { ty, variables }
    }

    pub fn monomorphic(ty: Ty) -> Scheme {
        Scheme {
            ty,
            variables: Vec::new(),
        }
    }

    /// What a type is by now.
    pub fn resolve(&self, mut ty: Ty) -> Ty {
        while let Node::Link(next) = self.nodes[ty.0 as usize] {
            ty = next;
        }
        ty
    }

    fn at(&self, ty: Ty) -> &Node {
        &self.nodes[self.resolve(ty).0 as usize]
    }

    fn set(&mut self, ty: Ty, node: Node) {
        self.nodes[ty.0 as usize] = node;
    }

    /// The constructor of a type and its arguments.
    pub fn as_con(&self, ty: Ty) -> Option<(Con, &[Ty])> {
        match self.at(ty) {
            Node::Con(con, arguments) => Some((*con, arguments)),
            _ => None,
        }
    }

    pub fn is_con(&self, ty: Ty, con: Con) -> bool {
        self.as_con(ty).is_some_and(|(found, _)| found == con)
    }

    /// Argument and result of a function's type.
    pub fn as_function(&self, ty: Ty) -> Option<(Ty, Ty)> {
        match self.at(ty) {
            Node::Function(from, to) => Some((*from, *to)),
            _ => None,
        }
    }

    /// All fields of a record whose fields are known.
    pub fn as_record(&self, ty: Ty) -> Option<&[(String, Ty)]> {
        match self.at(ty) {
            Node::Record(fields) => Some(fields),
            _ => None,
        }
    }

    /// One level deeper, unless there is too much to do or too deep a type.
    fn deeper<T>(&mut self, walk: impl FnOnce(&mut Self) -> Result<T, Clash>) -> Result<T, Clash> {
        self.work += 1;
        if self.exhausted() || self.depth >= MOST_LEVELS {
            return Err(Clash::TooLarge);
        }
        self.depth += 1;
        let result = walk(self);
        self.depth -= 1;
        result
    }

    /// Makes the variables of a type that belong to inner levels those of a scheme. Operators that are not decided are those
    /// of integers.
    pub fn generalise(&mut self, ty: Ty, values: bool) -> Result<Scheme, Clash> {
        let mut variables = Vec::new();
        self.collect(ty, values, &mut variables)?;
        Ok(Scheme { ty, variables })
    }

    fn collect(
        &mut self,
        ty: Ty,
        values: bool,
        variables: &mut Vec<(Class, bool)>,
    ) -> Result<(), Clash> {
        self.deeper(|types| types.collect_here(ty, values, variables))
    }

    fn collect_here(
        &mut self,
        ty: Ty,
        values: bool,
        variables: &mut Vec<(Class, bool)>,
    ) -> Result<(), Clash> {
        let ty = self.resolve(ty);
        let outer = self.level;
        match self.nodes[ty.0 as usize].clone() {
            Node::Unbound {
                level,
                class,
                equality,
            } if level > outer => {
                if class != Class::Any {
                    let int = self.simple(Con::INT);
                    self.set(ty, Node::Link(int));
                } else if values {
                    let number = u32::try_from(variables.len()).unwrap_or(u32::MAX);
                    variables.push((class, equality));
                    self.set(ty, Node::Generic(number));
                } else {
                    self.set(
                        ty,
                        Node::Unbound {
                            level: outer,
                            class,
                            equality,
                        },
                    );
                }
                Ok(())
            }
            Node::Open { level, fields } => {
                let level = level.min(outer);
                // What is not known of a record may become known outside, so that its fields stay variables too.
                for (_, part) in &fields {
                    self.lower(ty, level, *part)?;
                }
                self.set(ty, Node::Open { level, fields });
                Ok(())
            }
            Node::Con(_, arguments) => arguments
                .iter()
                .try_for_each(|part| self.collect(*part, values, variables)),
            Node::Record(fields) => fields
                .iter()
                .try_for_each(|(_, part)| self.collect(*part, values, variables)),
            Node::Function(from, to) => {
                self.collect(from, values, variables)?;
                self.collect(to, values, variables)
            }
            _ => Ok(()),
        }
    }

    /// Makes variables that are left `unit`, so that nothing that lasts depends on what is tried later.
    pub fn close(&mut self, ty: Ty) -> Result<(), Clash> {
        self.deeper(|types| types.close_here(ty))
    }

    fn close_here(&mut self, ty: Ty) -> Result<(), Clash> {
        let ty = self.resolve(ty);
        match self.nodes[ty.0 as usize].clone() {
            Node::Unbound { .. } | Node::Open { .. } => {
                let unit = self.unit();
                self.set(ty, Node::Link(unit));
                Ok(())
            }
            Node::Con(_, arguments) => arguments.iter().try_for_each(|part| self.close(*part)),
            Node::Record(fields) => fields.iter().try_for_each(|(_, part)| self.close(*part)),
            Node::Function(from, to) => {
                self.close(from)?;
                self.close(to)
            }
            Node::Link(_) | Node::Generic(_) => Ok(()),
        }
    }

    /// A use of a scheme: new variables for its own.
    pub fn instantiate(&mut self, scheme: &Scheme) -> Result<Ty, Clash> {
        if scheme.variables.is_empty() {
            return Ok(scheme.ty);
        }
        let fresh: Vec<Ty> = scheme
            .variables
            .iter()
            .map(|(class, equality)| self.fresh_of(*class, *equality))
            .collect();
        self.copy(scheme.ty, &fresh)
    }

    /// A copy with types in place of generic variables.
    pub fn copy(&mut self, ty: Ty, fresh: &[Ty]) -> Result<Ty, Clash> {
        self.deeper(|types| types.copy_here(ty, fresh))
    }

    fn copy_here(&mut self, ty: Ty, fresh: &[Ty]) -> Result<Ty, Clash> {
        let ty = self.resolve(ty);
        match self.nodes[ty.0 as usize].clone() {
            Node::Generic(number) => Ok(fresh.get(number as usize).copied().unwrap_or(ty)),
            Node::Con(_, arguments) if arguments.is_empty() => Ok(ty),
            Node::Con(con, arguments) => {
                let copies = arguments.iter().map(|part| self.copy(*part, fresh));
                let copies = copies.collect::<Result<Vec<_>, _>>()?;
                Ok(self.con(con, copies))
            }
            Node::Record(fields) => {
                let copies = fields
                    .into_iter()
                    .map(|(label, part)| Ok((label, self.copy(part, fresh)?)));
                let copies = copies.collect::<Result<Vec<_>, Clash>>()?;
                Ok(self.node(Node::Record(copies)))
            }
            Node::Function(from, to) => {
                let (from, to) = (self.copy(from, fresh)?, self.copy(to, fresh)?);
                Ok(self.function(from, to))
            }
            _ => Ok(ty),
        }
    }
}

/// Numbers by size, then names.
pub(crate) fn compare_labels(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}
