//! Reading processes.

use sweepline_text::{Kind, Name};

use crate::ast::{Assertion, Assignment, Direction, Process, Sync, Transition};
use crate::errors::DveError;
use crate::parser::{Failed, Parsed, Parser};

/// Words that begin a part of a process.
const PARTS: [&str; 9] = [
    "byte", "int", "const", "state", "init", "commit", "accept", "assert", "trans",
];

/// Words that cannot stand in a process: its closing brace is missing.
const OUTSIDE: [&str; 3] = ["process", "system", "channel"];

impl Parser<'_> {
    /// `process name { part… }`
    pub(crate) fn process(&mut self) -> Parsed<Process> {
        self.tokens.advance();
        let name = self.name("the name of a process")?;
        let mut process = Process {
            name,
            variables: Vec::new(),
            states: Vec::new(),
            initial: Vec::new(),
            committed: Vec::new(),
            accepting: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
        };
        self.expect("{", None)?;
        while !self.tokens.eat("}") {
            if self.tokens.stands_at(&OUTSIDE) {
                let help = format!("process `{}` is not closed", process.name);
                let _ = self.unexpected::<()>("`}`", Some(help));
                break;
            }
            let start = self.tokens.position();
            if self.part(&mut process).is_err() {
                self.skip_part(start);
            }
        }
        Ok(process)
    }

    /// Goes on at the next part or the end of the process.
    fn skip_part(&mut self, start: usize) {
        if self.tokens.position() == start {
            self.tokens.advance();
        }
        let mut open = 0_usize;
        while !self.tokens.stands_at(&PARTS) && !self.tokens.stands_at(&OUTSIDE) {
            match self.tokens.peek() {
                Kind::Sign("{") => open += 1,
                Kind::Sign("}") if open == 0 && self.ends_process() => return,
                Kind::Sign("}") => open = open.saturating_sub(1),
                _ => {}
            }
            self.tokens.advance();
        }
    }

    /// Whether the closing brace here is the last of the process.
    fn ends_process(&self) -> bool {
        match self.tokens.peek_at(1) {
            Kind::Word(word) => OUTSIDE.contains(word) || ["byte", "int", "const"].contains(word),
            Kind::End => true,
            _ => false,
        }
    }

    fn part(&mut self, process: &mut Process) -> Parsed<()> {
        let Kind::Word(word) = *self.tokens.peek() else {
            return self.unexpected("a part of the process or `}`", None);
        };
        match word {
            "byte" | "int" | "const" => return self.variables(&mut process.variables),
            "trans" => return self.transitions(process),
            "state" | "init" | "commit" | "accept" | "assert" => self.tokens.advance(),
            _ => return self.unexpected("a part of the process or `}`", None),
        }
        match word {
            "state" => self.names(&mut process.states)?,
            "init" => self.names(&mut process.initial)?,
            "commit" => self.names(&mut process.committed)?,
            "accept" => self.names(&mut process.accepting)?,
            _ => process.assertions.extend(self.list(Self::assertion)?),
        }
        self.end_of(&format!("the `{word}` part"))
    }

    fn names(&mut self, into: &mut Vec<Name>) -> Parsed<()> {
        into.extend(self.list(|parser| parser.name("the name of a state"))?);
        Ok(())
    }

    fn assertion(&mut self) -> Parsed<Assertion> {
        let state = self.name("the name of a state")?;
        self.expect(":", None)?;
        let condition = self.expression()?;
        Ok(Assertion { state, condition })
    }

    /// `trans transition, …;`
    fn transitions(&mut self, process: &mut Process) -> Parsed<()> {
        self.tokens.advance();
        loop {
            let start = self.tokens.position();
            let before = process.transitions.last().map(|last| last.source.clone());
            match self.transition(before) {
                Ok(transition) => process.transitions.push(transition),
                Err(Failed) => self.skip_transition(start),
            }
            if !self.tokens.eat(",") {
                break;
            }
        }
        self.end_of("the list of transitions")
    }

    /// Goes on behind the closing brace of the transition.
    fn skip_transition(&mut self, start: usize) {
        if self.tokens.position() == start {
            self.tokens.advance();
        }
        while !self.tokens.stands_at(&PARTS) && !self.tokens.stands_at(&OUTSIDE) {
            if self.tokens.eat("}") {
                return;
            }
            self.tokens.advance();
        }
    }

    /// `source? -> target { guard …; sync …; effect …; }`
    fn transition(&mut self, before: Option<Name>) -> Parsed<Transition> {
        let start = self.tokens.span().start;
        let source = match before {
            Some(before) if *self.tokens.peek() == Kind::Sign("->") => before,
            _ => self.name("the state a transition leaves")?,
        };
        self.expect("->", None)?;
        let target = self.name("the state a transition enters")?;
        self.expect("{", None)?;
        let mut transition = Transition {
            source,
            target,
            guard: None,
            sync: None,
            effects: Vec::new(),
            span: start..start,
        };
        while !self.tokens.eat("}") {
            self.transition_part(&mut transition)?;
        }
        transition.span.end = self.tokens.end();
        Ok(transition)
    }

    fn transition_part(&mut self, transition: &mut Transition) -> Parsed<()> {
        let span = self.tokens.span();
        let Kind::Word(word @ ("guard" | "sync" | "effect")) = *self.tokens.peek() else {
            return self.unexpected("`guard`, `sync`, `effect` or `}`", None);
        };
        self.tokens.advance();
        let repeated = match word {
            "guard" => transition.guard.replace(self.expression()?).is_some(),
            "sync" => transition.sync.replace(self.sync()?).is_some(),
            _ => {
                transition.effects.extend(self.list(Self::assignment)?);
                false
            }
        };
        if repeated {
            self.errors.push(DveError::RepeatedPart {
                part: word,
                help: Some("join guards with `and`; a step communicates once".into()),
                text: self.source.named(),
                at: span.into(),
            });
        }
        self.end_of(&format!("the `{word}` part"))
    }

    /// `channel ! value`, `channel ? variable`, both with `{…, …}` for several and possibly nothing.
    fn sync(&mut self) -> Parsed<Sync> {
        let start = self.tokens.span().start;
        let channel = self.name("the name of a channel")?;
        let direction = if self.tokens.eat("!") {
            Direction::Send
        } else if self.tokens.eat("?") {
            Direction::Receive
        } else {
            return self.unexpected("`!` or `?`", Some("`c!` sends, `c?` receives".into()));
        };
        let message = match self.tokens.peek() {
            Kind::Sign(";") => Vec::new(),
            Kind::Sign("{") => {
                self.tokens.advance();
                let values = self.list(Self::expression)?;
                self.expect("}", None)?;
                values
            }
            _ => vec![self.expression()?],
        };
        Ok(Sync {
            channel,
            direction,
            message,
            span: start..self.tokens.end(),
        })
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let target = self.operand()?;
        if *self.tokens.peek() == Kind::Sign("==") {
            let help = Some("an assignment is written with a single `=`".into());
            return self.unexpected("`=`", help);
        }
        self.expect("=", None)?;
        let value = self.expression()?;
        Ok(Assignment { target, value })
    }
}
