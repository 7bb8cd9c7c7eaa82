//! The words and signs of the language.

use sweepline_text::{Comments, Lexicon, Scanner, Source, Token, plain_name};

use crate::errors::DveError;

pub(crate) const LEXICON: Lexicon = Lexicon {
    words: &[
        "byte", "int", "const", "channel", "process", "state", "init", "commit", "accept",
        "assert", "trans", "guard", "sync", "effect", "system", "async", "property", "true",
        "false", "and", "or", "not", "imply",
    ],
    signs: &[
        "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "<", ">", "=", "!", "?", "+", "-",
        "*", "/", "%", "&", "|", "^", "~", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".",
    ],
    quotes: &[],
    comments: Comments::LikeC,
    greatest: i64::MAX.cast_unsigned(),
    name: plain_name,
};

/// Splits a text into tokens, the last of which is the end. Goes on after errors.
pub(crate) fn tokens(source: &Source, errors: &mut Vec<DveError>) -> Vec<Token> {
    let scanner = Scanner::new(&LEXICON, source, |mishap| {
        let instead = mishap.number_instead();
        errors.push(mishap.in_language("dve", source).into());
        instead
    });
    scanner.collect()
}
