//! Tokens, read one after the other.

use std::ops::Range;

use crate::{Kind, Source, Token};

/// The tokens of a text and how far they have been read.
#[derive(Debug)]
pub struct Cursor {
    tokens: Vec<Token>,
    position: usize,
    /// Where the text begins.
    start: usize,
}

impl Cursor {
    /// A cursor before the first of the tokens, the last of which is [`Kind::End`].
    pub fn new(source: &Source, tokens: Vec<Token>) -> Self {
        debug_assert_eq!(tokens.last().map(|token| &token.kind), Some(&Kind::End));
        Self {
            tokens,
            position: 0,
            start: source.range().start,
        }
    }

    /// How many tokens there are, the end included.
    pub fn count(&self) -> usize {
        self.tokens.len()
    }

    /// How many tokens have been read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The next token.
    pub fn peek(&self) -> &Kind {
        &self.tokens[self.position].kind
    }

    /// The token so many behind the next one.
    pub fn peek_at(&self, ahead: usize) -> &Kind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.position + ahead).min(last)].kind
    }

    /// Where the token so many behind the next one stands.
    pub fn span_at(&self, ahead: usize) -> Range<usize> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + ahead).min(last)].span.clone()
    }

    /// The token that was read last.
    pub fn previous(&self) -> Option<&Token> {
        self.tokens[..self.position].last()
    }

    /// Where the next token stands.
    pub fn span(&self) -> Range<usize> {
        self.tokens[self.position].span.clone()
    }

    /// Where the token that was read last ends.
    pub fn end(&self) -> usize {
        self.previous().map_or(self.start, |token| token.span.end)
    }

    /// Reads the next token, unless it is the end.
    pub fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    /// Goes to the end.
    pub fn skip_all(&mut self) {
        self.position = self.tokens.len() - 1;
    }

    /// Takes the next token for something else.
    pub fn replace(&mut self, kind: Kind) {
        self.tokens[self.position].kind = kind;
    }

    /// Reads a sign, if it is next.
    pub fn eat(&mut self, sign: &'static str) -> bool {
        self.eat_kind(&Kind::Sign(sign))
    }

    /// Reads a word of the language, if it is next.
    pub fn eat_word(&mut self, word: &'static str) -> bool {
        self.eat_kind(&Kind::Word(word))
    }

    fn eat_kind(&mut self, kind: &Kind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Whether one of these words, or the end, is next.
    pub fn stands_at(&self, words: &[&str]) -> bool {
        match self.peek() {
            Kind::End => true,
            Kind::Word(word) => words.contains(word),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_stays_at_the_end() {
        let source = Source::new("f", "xx  a+").part(3..6);
        let kinds = [Kind::Name("a".into()), Kind::Sign("+"), Kind::End];
        let tokens = kinds.into_iter().zip([4..5, 5..6, 6..6]);
        let tokens = tokens.map(|(kind, span)| Token { kind, span }).collect();
        let mut cursor = Cursor::new(&source, tokens);
        assert_eq!((cursor.end(), cursor.span()), (3, 4..5));
        assert_eq!(cursor.peek_at(9), &Kind::End);
        assert!(!cursor.eat("+"));
        cursor.advance();
        assert!(cursor.eat("+") && !cursor.eat("+"));
        assert!(cursor.stands_at(&[]));
        cursor.advance();
        assert_eq!((cursor.position(), cursor.end()), (2, 6));
    }
}
