//! How two types become one.

use crate::ml::types::{Clash, Class, Con, Node, Ty, Types, compare_labels};

impl Types {
    /// Makes two types one.
    pub fn unify(&mut self, a: Ty, b: Ty) -> Result<(), Clash> {
        self.deeper(|types| types.unify_here(a, b))
    }

    fn unify_here(&mut self, a: Ty, b: Ty) -> Result<(), Clash> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a == b {
            return Ok(());
        }
        let nodes = (
            self.nodes[a.0 as usize].clone(),
            self.nodes[b.0 as usize].clone(),
        );
        match nodes {
            (
                Node::Unbound {
                    level,
                    class,
                    equality,
                },
                _,
            ) => self.bind(a, level, class, equality, b),
            (
                _,
                Node::Unbound {
                    level,
                    class,
                    equality,
                },
            ) => self.bind(b, level, class, equality, a),
            (Node::Open { level, fields }, other) => self.complete(a, level, &fields, b, &other),
            (other, Node::Open { level, fields }) => self.complete(b, level, &fields, a, &other),
            (Node::Con(x, xs), Node::Con(y, ys)) if x == y => self.unify_all(&xs, &ys),
            (Node::Record(xs), Node::Record(ys)) => self.unify_fields(&xs, &ys),
            (Node::Function(x, fx), Node::Function(y, fy)) => {
                self.unify(x, y)?;
                self.unify(fx, fy)
            }
            (Node::Generic(x), Node::Generic(y)) if x == y => Ok(()),
            _ => Err(Clash::Different),
        }
    }

    fn unify_all(&mut self, xs: &[Ty], ys: &[Ty]) -> Result<(), Clash> {
        xs.iter().zip(ys).try_for_each(|(x, y)| self.unify(*x, *y))
    }

    fn unify_fields(&mut self, xs: &[(String, Ty)], ys: &[(String, Ty)]) -> Result<(), Clash> {
        if xs.len() != ys.len() || xs.iter().zip(ys).any(|((x, _), (y, _))| x != y) {
            return Err(Clash::Different);
        }
        xs.iter()
            .zip(ys)
            .try_for_each(|((_, x), (_, y))| self.unify(*x, *y))
    }

    /// Makes a variable another type.
    fn bind(
        &mut self,
        variable: Ty,
        level: u32,
        class: Class,
        equality: bool,
        ty: Ty,
    ) -> Result<(), Clash> {
        self.restrict(ty, class, equality)?;
        self.lower(variable, level, ty)?;
        self.set(variable, Node::Link(ty));
        Ok(())
    }

    /// Makes a type one of a class, and one with equality.
    fn restrict(&mut self, ty: Ty, class: Class, equality: bool) -> Result<(), Clash> {
        let ty = self.resolve(ty);
        if let Node::Unbound {
            class: other,
            equality: also,
            level,
        } = self.nodes[ty.0 as usize]
        {
            let (class, equality) = (class.max(other), equality || also);
            self.set(
                ty,
                Node::Unbound {
                    level,
                    class,
                    equality,
                },
            );
            return Ok(());
        }
        let allowed: &[Con] = match class {
            Class::Any => &[],
            Class::Ordered => &[Con::INT, Con::REAL, Con::STRING, Con::CHAR],
            Class::Number => &[Con::INT, Con::REAL],
        };
        if class != Class::Any && !allowed.iter().any(|con| self.is_con(ty, *con)) {
            return Err(Clash::Different);
        }
        if equality {
            self.require_equality(ty)
        } else {
            Ok(())
        }
    }

    /// Makes a type one with equality.
    fn require_equality(&mut self, ty: Ty) -> Result<(), Clash> {
        self.deeper(|types| types.equality_here(ty))
    }

    fn equality_here(&mut self, ty: Ty) -> Result<(), Clash> {
        let ty = self.resolve(ty);
        match self.nodes[ty.0 as usize].clone() {
            Node::Unbound { level, class, .. } => {
                self.set(
                    ty,
                    Node::Unbound {
                        level,
                        class,
                        equality: true,
                    },
                );
                Ok(())
            }
            Node::Function(..) | Node::Con(Con::REAL | Con::EXN, _) => Err(Clash::NoEquality),
            Node::Con(_, arguments) => arguments
                .iter()
                .try_for_each(|part| self.require_equality(*part)),
            Node::Record(fields) | Node::Open { fields, .. } => fields
                .iter()
                .try_for_each(|(_, part)| self.require_equality(*part)),
            Node::Link(_) | Node::Generic(_) => Ok(()),
        }
    }

    /// Moves the variables of a type to a level, unless one of them is the given one.
    pub(super) fn lower(&mut self, variable: Ty, to: u32, ty: Ty) -> Result<(), Clash> {
        self.deeper(|types| types.lower_here(variable, to, ty))
    }

    fn lower_here(&mut self, variable: Ty, to: u32, ty: Ty) -> Result<(), Clash> {
        let ty = self.resolve(ty);
        if ty == variable {
            return Err(Clash::Circular);
        }
        match &mut self.nodes[ty.0 as usize] {
            Node::Unbound { level, .. } => {
                *level = (*level).min(to);
                Ok(())
            }
            Node::Open { level, fields } => {
                *level = (*level).min(to);
                let fields = fields.clone();
                fields
                    .iter()
                    .try_for_each(|(_, part)| self.lower(variable, to, *part))
            }
            Node::Record(fields) => {
                let fields = fields.clone();
                fields
                    .iter()
                    .try_for_each(|(_, part)| self.lower(variable, to, *part))
            }
            Node::Con(_, arguments) => {
                let arguments = arguments.clone();
                arguments
                    .iter()
                    .try_for_each(|part| self.lower(variable, to, *part))
            }
            Node::Function(from, result) => {
                let (from, result) = (*from, *result);
                self.lower(variable, to, from)?;
                self.lower(variable, to, result)
            }
            Node::Link(_) | Node::Generic(_) => Ok(()),
        }
    }

    /// Makes a record of which some fields are known another record.
    fn complete(
        &mut self,
        open: Ty,
        level: u32,
        fields: &[(String, Ty)],
        other: Ty,
        node: &Node,
    ) -> Result<(), Clash> {
        self.lower(open, level, other)?;
        match node {
            Node::Record(all) => {
                for (label, ty) in fields {
                    let found = all.iter().find(|(other, _)| other == label);
                    let (_, same) = found.ok_or(Clash::Different)?;
                    self.unify(*ty, *same)?;
                }
                self.set(open, Node::Link(other));
            }
            Node::Open {
                fields: more,
                level: also,
            } => {
                let mut union = more.clone();
                for (label, ty) in fields {
                    match more.iter().find(|(other, _)| other == label) {
                        Some((_, same)) => self.unify(*ty, *same)?,
                        None => union.push((label.clone(), *ty)),
                    }
                }
                union.sort_by(|(a, _), (b, _)| compare_labels(a, b));
                let level = level.min(*also);
                self.set(
                    other,
                    Node::Open {
                        level,
                        fields: union,
                    },
                );
                self.set(open, Node::Link(other));
            }
            _ => return Err(Clash::Different),
        }
        Ok(())
    }
}
