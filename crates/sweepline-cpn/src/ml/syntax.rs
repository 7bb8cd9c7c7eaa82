//! The syntax tree.

use std::ops::Range;

/// Bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// From the beginning of this to the end of another one.
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start, other.end.max(self.end))
    }

    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Levels of expressions inside, which the parser keeps small, so that whoever walks the tree may recur.
    pub depth: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i64),
    Real(f64),
    Text(String),
    Char(char),
    Name(String),
    /// Several, or none for `()`.
    Tuple(Vec<Expr>),
    Record(Vec<(String, Expr)>),
    List(Vec<Expr>),
    /// `#field`
    Select(String),
    Apply(Box<Expr>, Box<Expr>),
    Infix(Box<Infix>),
    If(Box<[Expr; 3]>),
    Andalso(Box<[Expr; 2]>),
    Orelse(Box<[Expr; 2]>),
    Case(Box<Expr>, Vec<Rule>),
    Fn(Vec<Rule>),
    Let(Vec<Dec>, Box<Expr>),
    Sequence(Vec<Expr>),
    Raise(Box<Expr>),
    Handle(Box<Expr>, Vec<Rule>),
    Typed(Box<Expr>, Type),
    /// Something in parentheses, which matters for delays only.
    Paren(Box<Expr>),
}

/// `left operator right`
#[derive(Clone, Debug)]
pub(crate) struct Infix {
    pub operator: String,
    pub at: Span,
    pub left: Expr,
    pub right: Expr,
}

/// `pattern => body`
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub pattern: Pat,
    pub body: Expr,
}

impl ExprKind {
    /// Levels inside.
    pub fn depth(&self) -> usize {
        fn most<'a>(all: impl IntoIterator<Item = &'a Expr>) -> usize {
            all.into_iter().map(|part| part.depth).max().unwrap_or(0)
        }
        let rules = |rules: &[Rule]| most(rules.iter().map(|rule| &rule.body));
        match self {
            Self::Tuple(all) | Self::List(all) | Self::Sequence(all) => most(all),
            Self::Record(fields) => most(fields.iter().map(|(_, value)| value)),
            Self::Apply(function, argument) => most([&**function, &**argument]),
            Self::Infix(infix) => most([&infix.left, &infix.right]),
            Self::If(all) => most(all.iter()),
            Self::Andalso(both) | Self::Orelse(both) => most(both.iter()),
            Self::Case(of, all) | Self::Handle(of, all) => of.depth.max(rules(all)),
            Self::Fn(all) => rules(all),
            Self::Let(decs, body) => decs.iter().map(Dec::depth).fold(body.depth, usize::max),
            Self::Raise(inner) | Self::Typed(inner, _) | Self::Paren(inner) => inner.depth,
            _ => 0,
        }
    }
}

/// A pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pat {
    pub kind: PatKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum PatKind {
    Any,
    Int(i64),
    Text(String),
    Char(char),
    /// A variable, or a constructor without argument.
    Name(String),
    Construct(String, Box<Pat>),
    Tuple(Vec<Pat>),
    /// Fields, and whether there may be more.
    Record(Vec<(String, Pat)>, bool),
    List(Vec<Pat>),
    As(String, Box<Pat>),
    Typed(Box<Pat>, Type),
}

/// A type.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Variable(String),
    Name(String, Vec<Type>),
    Tuple(Vec<Type>),
    Record(Vec<(String, Type)>),
    Function(Box<Type>, Box<Type>),
}

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct Dec {
    pub kind: DecKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum DecKind {
    Val(Vec<(Pat, Expr)>),
    ValRec(Vec<(Pat, Expr)>),
    Fun(Vec<Function>),
    Exception(Vec<(String, Option<Type>)>),
    Local(Vec<Dec>, Vec<Dec>),
    Datatype(Vec<Datatype>),
    /// Parameters, name and meaning.
    Abbreviation(Vec<(Vec<String>, String, Type)>),
    /// The operators have been told to the parser; for nobody else it has a meaning.
    Fixity,
    Colset(Box<Colset>),
    Variables(Vec<String>, String, Span),
    Reference(String, Expr),
    /// Something that is read, but not understood: `structure`, `open`, `use`.
    Refused(String),
    /// Names whose declaration could not be read, which has been reported.
    Broken(Vec<String>),
}

/// `colset name = …`
#[derive(Clone, Debug)]
pub(crate) struct Colset {
    pub name: String,
    pub decl: crate::ml::ColourDecl,
    pub timed: bool,
}

/// All clauses of a function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub at: Span,
    pub clauses: Vec<Clause>,
}

/// `name pattern … = body`
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub patterns: Vec<Pat>,
    pub result: Option<Type>,
    pub body: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Datatype {
    pub parameters: Vec<String>,
    pub name: String,
    pub constructors: Vec<(String, Option<Type>)>,
}

impl Dec {
    fn depth(&self) -> usize {
        match &self.kind {
            DecKind::Val(all) | DecKind::ValRec(all) => {
                all.iter().map(|(_, value)| value.depth).max().unwrap_or(0)
            }
            DecKind::Fun(all) => {
                let clauses = all.iter().flat_map(|function| &function.clauses);
                clauses.map(|clause| clause.body.depth).max().unwrap_or(0)
            }
            DecKind::Local(first, second) => {
                let all = first.iter().chain(second);
                all.map(Self::depth).max().unwrap_or(0)
            }
            DecKind::Reference(_, value) => value.depth,
            _ => 0,
        }
    }

    /// The names it declares, for messages about those that could not be declared.
    pub fn names(&self) -> Vec<String> {
        match &self.kind {
            DecKind::Val(all) | DecKind::ValRec(all) => {
                let mut names = Vec::new();
                for (pattern, _) in all {
                    pattern.names(&mut names);
                }
                names
            }
            DecKind::Fun(all) => all.iter().map(|function| function.name.clone()).collect(),
            DecKind::Exception(all) => all.iter().map(|(name, _)| name.clone()).collect(),
            DecKind::Local(_, decs) => decs.iter().flat_map(Self::names).collect(),
            DecKind::Colset(colset) => vec![colset.name.clone()],
            DecKind::Variables(names, _, _) | DecKind::Broken(names) => names.clone(),
            DecKind::Reference(name, _) => vec![name.clone()],
            DecKind::Datatype(all) => {
                let constructors = all.iter().flat_map(|datatype| &datatype.constructors);
                constructors.map(|(name, _)| name.clone()).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Pat {
    /// All plain names in it.
    pub fn names(&self, names: &mut Vec<String>) {
        match &self.kind {
            PatKind::Name(name) => names.push(name.clone()),
            PatKind::Construct(_, inner) | PatKind::Typed(inner, _) => inner.names(names),
            PatKind::Tuple(all) | PatKind::List(all) => {
                for part in all {
                    part.names(names);
                }
            }
            PatKind::Record(fields, _) => fields.iter().for_each(|(_, part)| part.names(names)),
            PatKind::As(name, inner) => {
                names.push(name.clone());
                inner.names(names);
            }
            _ => {}
        }
    }
}
