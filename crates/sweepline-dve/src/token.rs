//! The words and signs of the language.

use sweepline_text::{
    Comments, Kind, Lexicon, MishapKind, Scanner, Source, Token, WORD, plain_name, shortened,
};

use crate::errors::DveError;

const LEXICON: Lexicon = Lexicon {
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
        let (text, at) = (source.named(), mishap.span.into());
        let (error, instead) = match mishap.kind {
            MishapKind::NotANumber(digits) => {
                let digits = shortened(&digits, WORD);
                (
                    DveError::BadNumber { digits, text, at },
                    Some(Kind::Number(0)),
                )
            }
            MishapKind::UnclosedComment => (DveError::UnclosedComment { text, at }, None),
            MishapKind::Stray(character) | MishapKind::UnclosedQuote(character, _) => (
                DveError::Stray {
                    character,
                    text,
                    at,
                },
                None,
            ),
        };
        errors.push(error);
        instead
    });
    scanner.collect()
}
