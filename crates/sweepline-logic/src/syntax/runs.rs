//! Formulas of linear time: what may stand in them beside predicates, and what it means.
//!
//! ```text
//! formula   pred   not f   f and g   f or g   f -> g   f <-> g   (and their other spellings)
//!           G f   F f   X f   [] f   <> f   X[3] f   F[<=3] f   G[<=3] f
//!           f U g   f R g   f V g   f W g   f M g
//!           Y f   Z f   O f   H f   f S g                                                     the past
//!           always f   never f   next f   eventually! f   f until! g   f until g   f before! g   f before g       PSL
//!           absence of p SCOPE   existence of p SCOPE   universality of p SCOPE                          patterns
//!           p leads to q SCOPE   q responds to p SCOPE   p precedes q SCOPE   response of q to p SCOPE   precedence of p to q SCOPE
//! SCOPE     globally   before r   after q   between q and r   after q until r   or nothing
//! ```
//!
//! - Operators with one operand bind as `not` does; `U` and the like bind tighter than `and`, looser than comparisons, and to
//!   the right. `always` and `never` reach as far to the right as they can, as in PSL. Operands in a pattern and its scope are
//!   comparisons, names, or in parentheses.
//! - Where `U` and the like stand beside `and`, `or`, `->`, `<->` or each other without parentheses, a warning says how it is
//!   read, since tools differ.
//! - Slots called `G`, `U`, `until` and so on are put in quotes.
//! - `A` may stand around the whole formula, which is how formulas about every run are printed.

use std::ops::Range;

use sweepline_text::Kind;

use super::error::SyntaxWarning;
use super::operator::{Binding, Infix};
use super::parser::{Parser, in_lower_case};
use super::sort::{MOST_NODES, Sorter};
use super::term::{Function, Node, PatternKind, RunOp, ScopeKind, Term};
use super::token::Language;
use super::{MAX_DEPTH, SyntaxError};
use crate::ltl::{Atoms, Binary, Ltl, Pattern, Scope, Temporal, Unary, pattern_formula};
use crate::{Errors, Source};

/// A formula of linear time, and what may be misunderstood in its text.
#[derive(Clone, Debug)]
pub struct ParsedLtl {
    /// The formula.
    pub ltl: Ltl,
    /// What other tools may read otherwise.
    pub warnings: Vec<SyntaxWarning>,
}

/// Reads a formula of linear time.
///
/// ```
/// use sweepline_logic::parse_ltl;
///
/// let parsed = parse_ltl("[] (a + b <= 3 -> <> fireable(t))").unwrap();
/// assert_eq!(parsed.ltl.to_string(), "G (((a + b) <= 3) -> F fireable(t))");
/// assert_eq!(parse_ltl("req leads to ack").unwrap().ltl.to_string(), "G (req -> F ack)");
/// assert_eq!(parse_ltl("a U b and c").unwrap().warnings.len(), 1);
/// ```
pub fn parse_ltl(source: impl Into<Source>) -> Result<ParsedLtl, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::of(Language::Runs, &source, "a formula of linear time");
    let node = parser.every_run();
    let (span, warnings) = (node.span.clone(), parser.warnings);
    let ltl = Sorter::sort(&source, parser.errors, |sorter| {
        let mut atoms = Atoms::default();
        let formula = sorter.run(node, &mut atoms)?;
        sorter.finished(&span, atoms, &formula)
    })?;
    Ok(ParsedLtl { ltl, warnings })
}

/// Whether an operator of linear time is written like this name.
pub(super) fn is_run_word(name: &str) -> bool {
    let infix = [
        "U", "R", "V", "W", "M", "S", "until", "until_", "before", "before_",
    ];
    infix.contains(&name) || prefix(name).is_some()
}

/// What helps if an operand is missing behind an operator.
pub(super) fn quoting_help(before: &Kind) -> Option<String> {
    match before {
        Kind::Name(name) if is_run_word(name) => Some(format!(
            "`{name}` is an operator of linear time; a slot of this name is put in quotes: \"{name}\""
        )),
        _ => None,
    }
}

/// The operators in front of one operand that a name stands for, from left to right, and what may stand behind them.
fn prefix(name: &str) -> Option<(Vec<RunOp>, Binding)> {
    let single = |op| Some((vec![op], Binding::Compare));
    match name {
        "always" => return Some((vec![RunOp::Unary(Unary::Globally)], Binding::Loosest)),
        "never" => return Some((vec![RunOp::Never], Binding::Loosest)),
        "eventually" => return single(RunOp::Unary(Unary::Finally)),
        "next" => return single(RunOp::Unary(Unary::Next)),
        _ => {}
    }
    if let Some(bound) = name.strip_prefix("X[").or(name.strip_prefix("next["))
        && let Some(steps) = bound.strip_suffix(']')
        && let Ok(steps) = steps.parse()
    {
        return single(RunOp::Next(steps));
    }
    // `GF p` is `G F p`.
    let letters = name
        .chars()
        .map(|letter| letter_op(letter).map(RunOp::Unary));
    let ops: Option<Vec<RunOp>> = letters.collect();
    ops.filter(|ops| !ops.is_empty())
        .map(|ops| (ops, Binding::Compare))
}

fn letter_op(letter: char) -> Option<Unary> {
    Some(match letter {
        'G' => Unary::Globally,
        'F' => Unary::Finally,
        'X' => Unary::Next,
        'Y' => Unary::Yesterday,
        'Z' => Unary::WeakYesterday,
        'O' => Unary::Once,
        'H' => Unary::Historically,
        _ => return None,
    })
}

impl Parser<'_> {
    /// The whole text, which `A` may stand around.
    fn every_run(&mut self) -> Node {
        if !self.every_run_ahead() {
            return self.whole();
        }
        self.tokens.advance();
        let node = self.term(Binding::Compare);
        if self.tokens.peek() != &Kind::End {
            let help = "put all that follows `A` in parentheses, or leave it out";
            self.unexpected("the end behind what `A` stands around", Some(help.into()));
            self.give_up();
        }
        node
    }

    /// Whether `A` comes next and is no slot: an operand follows it, and no operator.
    fn every_run_ahead(&self) -> bool {
        let next = self.tokens.peek_at(1);
        let operand = match next {
            Kind::Sign("(" | "!" | "~" | "[]") | Kind::Quoted(_) => true,
            Kind::Word(_) => Infix::of(next).is_none(),
            Kind::Name(word) => match word.as_str() {
                "leads" | "responds" => !self.name_ahead("to", 2),
                "precedes" => false,
                word if is_run_word(word) => prefix(word).is_some(),
                word => in_lower_case(word).is_none(),
            },
            _ => false,
        };
        operand && self.name_ahead("A", 0)
    }

    /// What begins with an operator of linear time, if such an operator comes next.
    pub(super) fn run_operand(&mut self) -> Option<Node> {
        if self.language == Language::States {
            return None;
        }
        if self.language == Language::Branching
            && let Some(node) = self.quantified()
        {
            return Some(node);
        }
        let start = self.tokens.span();
        match self.tokens.peek().clone() {
            Kind::Sign("[]") => Some(self.run_prefix(&start, &[RunOp::Unary(Unary::Globally)])),
            Kind::Sign("<>") => Some(self.run_prefix(&start, &[RunOp::Unary(Unary::Finally)])),
            Kind::Name(word) => self.run_word(&start, &word),
            _ => None,
        }
    }

    fn run_word(&mut self, start: &Range<usize>, word: &str) -> Option<Node> {
        if let Some(kind) = self.pattern_ahead(word) {
            return Some(self.pattern(start, kind));
        }
        if let Some((mut ops, least)) = prefix(word) {
            // `eventually!` and `next!`, where PSL tells finite runs apart.
            let strong = matches!(word, "eventually" | "next") && self.adjacent("!", 1);
            self.skip(usize::from(strong));
            if let [RunOp::Unary(op @ (Unary::Globally | Unary::Finally))] = ops[..]
                && self.tokens.peek_at(1) == &Kind::Sign("[")
            {
                self.skip(1);
                ops = vec![RunOp::Within(op, self.bound())];
                let operand = self.term(least);
                return Some(self.run_above(start, &ops, operand));
            }
            let operand = self.prefixed(least);
            return Some(self.run_above(start, &ops, operand));
        }
        if is_run_word(word) {
            self.unexpected("an operand", quoting_help(self.tokens.peek()));
            // Probably a slot of this name was meant.
            let is_operand = Infix::of(self.tokens.peek_at(1)).is_some();
            self.skip(usize::from(is_operand));
            return Some(self.missing());
        }
        None
    }

    fn run_prefix(&mut self, start: &Range<usize>, ops: &[RunOp]) -> Node {
        let operand = self.prefixed(Binding::Compare);
        self.run_above(start, ops, operand)
    }

    fn run_above(&mut self, start: &Range<usize>, ops: &[RunOp], operand: Node) -> Node {
        ops.iter().rev().fold(operand, |operand, &op| {
            self.above(start.clone(), operand, |operand| {
                Term::Run(op, vec![operand])
            })
        })
    }

    /// The number of `[<=3]`.
    fn bound(&mut self) -> u64 {
        self.tokens.eat("[");
        if self.tokens.eat("<=")
            && let &Kind::Number(steps) = self.tokens.peek()
        {
            self.tokens.advance();
            if self.tokens.eat("]") {
                return steps;
            }
        }
        self.unexpected("a bound such as `[<=3]`", None);
        self.give_up();
        0
    }

    /// Whether a sign comes so many tokens behind the next one, without a blank between them.
    fn adjacent(&self, sign: &'static str, ahead: usize) -> bool {
        self.tokens.peek_at(ahead) == &Kind::Sign(sign)
            && self.tokens.span_at(ahead - 1).end == self.tokens.span_at(ahead).start
    }

    fn name_ahead(&self, name: &str, ahead: usize) -> bool {
        matches!(self.tokens.peek_at(ahead), Kind::Name(word) if word == name)
    }

    /// The operator of linear time between two operands that comes next, and of how many tokens it consists.
    pub(super) fn run_infix_ahead(&self) -> Option<(Infix, usize)> {
        let Kind::Name(word) = self.tokens.peek() else {
            return None;
        };
        if self.language == Language::States {
            return None;
        }
        let (op, tokens) = match word.as_str() {
            "U" => (RunOp::Binary(Binary::Until), 1),
            "R" | "V" => (RunOp::Binary(Binary::Release), 1),
            "W" => (RunOp::Binary(Binary::WeakUntil), 1),
            "M" => (RunOp::Binary(Binary::StrongRelease), 1),
            "S" => (RunOp::Binary(Binary::Since), 1),
            "until" | "until_" | "before" | "before_" => return Some(self.psl_infix(word)),
            "leads" if self.name_ahead("to", 1) => (pattern(PatternKind::Response), 2),
            "precedes" => (pattern(PatternKind::Precedence), 1),
            "responds" if self.name_ahead("to", 1) => (pattern(PatternKind::Responds), 2),
            _ => return None,
        };
        Some((Infix::Run(op), tokens))
    }

    /// `until`, `until!`, `until_`, `until!_`, and the same of `before`.
    fn psl_infix(&self, word: &str) -> (Infix, usize) {
        let mut tokens = 1;
        let mut op = Binary::WeakUntil;
        if self.adjacent("!", 1) {
            (tokens, op) = (2, Binary::Until);
        }
        let mut with = word.ends_with('_');
        if tokens == 2
            && self.name_ahead("_", 2)
            && self.tokens.span_at(1).end == self.tokens.span_at(2).start
        {
            (tokens, with) = (3, true);
        }
        let op = match (word.starts_with("until"), with) {
            (true, false) => RunOp::Binary(op),
            (true, true) => RunOp::UntilBoth(op),
            (false, false) => RunOp::Before(op),
            (false, true) => RunOp::BeforeOrWith(op),
        };
        (Infix::Run(op), tokens)
    }

    pub(super) fn run_infix(&mut self, op: RunOp, left: Node, right: Node) -> Node {
        let start = left.span.start;
        let mut operands = vec![left, right];
        let op = match op {
            RunOp::Pattern(kind, _) => RunOp::Pattern(kind, self.scope(&mut operands)),
            op => op,
        };
        self.run_node(start, op, operands)
    }

    fn run_node(&mut self, start: usize, op: RunOp, operands: Vec<Node>) -> Node {
        let end = operands.last().map_or(start, |node| node.span.end);
        let height = operands.iter().map(|node| node.height + 1).max();
        let node = Node::new(Term::Run(op, operands), start..end, height.unwrap_or(0));
        self.limited(node)
    }

    fn pattern_ahead(&self, word: &str) -> Option<PatternKind> {
        let kind = match word {
            "absence" => PatternKind::Absence,
            "existence" => PatternKind::Existence,
            "universality" => PatternKind::Universality,
            "precedence" => PatternKind::Precedence,
            "response" => PatternKind::Responds,
            _ => return None,
        };
        self.name_ahead("of", 1).then_some(kind)
    }

    /// `absence of p`, `response of q to p`, and the scope behind it.
    fn pattern(&mut self, start: &Range<usize>, kind: PatternKind) -> Node {
        self.skip(2);
        let mut operands = vec![self.term(Binding::Compare)];
        if matches!(kind, PatternKind::Precedence | PatternKind::Responds) {
            if !self.name_ahead("to", 0) {
                self.unexpected("`to` and another predicate", None);
                self.give_up();
            }
            self.tokens.advance();
            operands.push(self.term(Binding::Compare));
        }
        let scope = self.scope(&mut operands);
        self.run_node(start.start, RunOp::Pattern(kind, scope), operands)
    }

    fn scope(&mut self, operands: &mut Vec<Node>) -> ScopeKind {
        let Kind::Name(word) = self.tokens.peek() else {
            return ScopeKind::Globally;
        };
        match word.as_str() {
            "globally" => {
                self.tokens.advance();
                ScopeKind::Globally
            }
            "before" => {
                operands.push(self.prefixed(Binding::Compare));
                ScopeKind::Before
            }
            "after" => {
                operands.push(self.prefixed(Binding::Compare));
                if self.name_ahead("until", 0) {
                    operands.push(self.prefixed(Binding::Compare));
                    return ScopeKind::AfterUntil;
                }
                ScopeKind::After
            }
            "between" => {
                operands.push(self.prefixed(Binding::Compare));
                if !self.tokens.eat_word("and") {
                    self.unexpected("`and` and where the scope ends", None);
                    self.give_up();
                }
                operands.push(self.term(Binding::Compare));
                ScopeKind::Between
            }
            _ => ScopeKind::Globally,
        }
    }

    /// Warns if an operator and one of its operands are often read the other way round.
    pub(super) fn warn_of_precedence(&mut self, infix: Infix, left: &Node, right: &Node) {
        let known = !matches!(infix, Infix::Compare(_) | Infix::Sum(_) | Infix::Product(_));
        if known && (is_bare_infix(left) || is_bare_infix(right)) {
            let span = left.span.start..right.span.end;
            let part = |node: &Node| {
                let text = self.source.part(node.span.clone());
                if is_bare_infix(node) {
                    format!("({})", text.text())
                } else {
                    text.text().to_string()
                }
            };
            let between = self.source.part(left.span.end..right.span.start);
            let shown = format!("{}{}{}", part(left), between.text(), part(right));
            self.warnings.push(SyntaxWarning::Precedence {
                shown,
                text: self.source.named(),
                at: span.into(),
            });
        }
    }
}

fn pattern(kind: PatternKind) -> RunOp {
    RunOp::Pattern(kind, ScopeKind::Globally)
}

/// `a U b` without parentheses
fn is_bare_infix(node: &Node) -> bool {
    !node.grouped && matches!(&node.term, Term::Run(_, operands) if operands.len() > 1)
}

impl Sorter<'_> {
    /// A term as a formula of linear time.
    fn run(&mut self, node: Node, atoms: &mut Atoms) -> Option<Temporal> {
        match node.term {
            Term::Missing => None,
            Term::Not(operand) => Some(self.run(*operand, atoms)?.negated()),
            Term::And(operands) | Term::Call(Function::All, operands) => {
                Some(Temporal::And(self.runs(operands, atoms)?))
            }
            Term::Or(operands) | Term::Call(Function::Any, operands) => {
                Some(Temporal::Or(self.runs(operands, atoms)?))
            }
            Term::Implies(left, right) => {
                let (left, right) = (self.run(*left, atoms), self.run(*right, atoms));
                Some(left?.implies(right?))
            }
            Term::Iff(left, right) => {
                let (left, right) = (self.run(*left, atoms), self.run(*right, atoms));
                Some(Temporal::Iff(Box::new(left?), Box::new(right?)))
            }
            Term::Run(op, operands) => {
                let operands = self.runs(operands, atoms)?;
                self.operated(&node.span, op, operands)
            }
            Term::Temporal(operator, _) => {
                self.errors.push(SyntaxError::Branching {
                    operator,
                    text: self.source.named(),
                    at: node.span.into(),
                });
                None
            }
            _ => Some(atoms.atom(&self.pred(node)?)),
        }
    }

    fn runs(&mut self, operands: Vec<Node>, atoms: &mut Atoms) -> Option<Vec<Temporal>> {
        self.each(operands, |sorter, operand| sorter.run(operand, atoms))
    }

    /// An operator with its operands, abbreviations written out.
    fn operated(
        &mut self,
        span: &Range<usize>,
        op: RunOp,
        operands: Vec<Temporal>,
    ) -> Option<Temporal> {
        let size: usize = operands.iter().map(Temporal::size).sum();
        let steps = match op {
            RunOp::Next(steps) | RunOp::Within(_, steps) => steps,
            _ => 0,
        };
        // No operand is repeated more often by a pattern.
        let copies = usize::try_from(steps).unwrap_or(usize::MAX).max(8);
        if size.saturating_mul(copies) > MOST_NODES || steps > MAX_DEPTH.into() {
            return self.expanded(span);
        }
        Some(written_out(op, operands))
    }

    fn expanded<T>(&mut self, span: &Range<usize>) -> Option<T> {
        self.errors.push(SyntaxError::Expanded {
            text: self.source.named(),
            at: span.clone().into(),
        });
        None
    }

    fn finished(&mut self, span: &Range<usize>, atoms: Atoms, formula: &Temporal) -> Option<Ltl> {
        // What is printed can be read again.
        if formula.size() > MOST_NODES || formula.depth() > MAX_DEPTH as usize {
            return self.expanded(span);
        }
        match atoms.finish(formula) {
            Ok(ltl) => Some(ltl),
            Err(many) => {
                self.errors.push(SyntaxError::TooManyAtoms {
                    found: many.0,
                    text: self.source.named(),
                    at: span.clone().into(),
                });
                None
            }
        }
    }
}

/// What an operator means.
fn written_out(op: RunOp, operands: Vec<Temporal>) -> Temporal {
    let mut operands = operands.into_iter();
    let mut next = || operands.next().unwrap_or(Temporal::Constant(true));
    match op {
        RunOp::Unary(op) => next().under(op),
        RunOp::Binary(op) => {
            let left = next();
            left.with(op, next())
        }
        RunOp::Next(steps) => (0..steps).fold(next(), |inner, _| inner.under(Unary::Next)),
        RunOp::Within(op, steps) => {
            let operand = next();
            (0..steps).fold(operand.clone(), |inner, _| {
                let later = inner.under(Unary::Next);
                match op {
                    Unary::Globally => operand.clone().and(later),
                    _ => operand.clone().or(later),
                }
            })
        }
        RunOp::Never => next().negated().under(Unary::Globally),
        RunOp::UntilBoth(op) => {
            let left = next();
            left.clone().with(op, left.and(next()))
        }
        RunOp::Before(op) => {
            let (left, not_right) = (next(), next().negated());
            not_right.clone().with(op, left.and(not_right))
        }
        RunOp::BeforeOrWith(op) => {
            let left = next();
            next().negated().with(op, left)
        }
        RunOp::Pattern(kind, scope) => {
            let pattern = match kind {
                PatternKind::Absence => Pattern::Absence(next()),
                PatternKind::Existence => Pattern::Existence(next()),
                PatternKind::Universality => Pattern::Universality(next()),
                PatternKind::Precedence => Pattern::Precedence(next(), next()),
                PatternKind::Response => Pattern::Response(next(), next()),
                PatternKind::Responds => {
                    let effect = next();
                    Pattern::Response(next(), effect)
                }
            };
            let scope = match scope {
                ScopeKind::Globally => Scope::Globally,
                ScopeKind::Before => Scope::Before(next()),
                ScopeKind::After => Scope::After(next()),
                ScopeKind::Between => Scope::Between(next(), next()),
                ScopeKind::AfterUntil => Scope::AfterUntil(next(), next()),
            };
            pattern_formula(pattern, scope)
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::temporal as random_temporal;
