//! The words and signs of the language.

use sweepline_core::{Limits, StopReason};
use sweepline_text::{
    Comments, Kind, Lexicon, Mishap, MishapKind, Scanner, Source, Token, WORD, plain_name,
    shortened,
};

use crate::ast::Span;
use crate::errors::FspError;
use crate::found::Found;

const LEXICON: Lexicon = Lexicon {
    words: &[
        "const",
        "range",
        "set",
        "property",
        "progress",
        "menu",
        "minimal",
        "deterministic",
        "compose",
        "when",
        "if",
        "then",
        "else",
        "forall",
        "STOP",
        "END",
        "ERROR",
        "fluent",
        "assert",
        "constraint",
        "ltl_property",
        "initially",
    ],
    signs: &[
        "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "..", "::", "<", ">", "=", "!", "?",
        "+", "-", "*", "/", "%", "&", "|", "^", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".",
        "\\", "@", "#", "'",
    ],
    quotes: &[],
    comments: Comments::LikeC,
    greatest: i64::MAX.cast_unsigned(),
    name: plain_name,
};

/// So many tokens are read before limits are asked again.
const TOKENS_UNASKED: usize = 1 << 14;

/// Splits a text into tokens, the last of which is the end. Goes on after errors.
pub(crate) fn tokens(
    source: &Source,
    limits: &Limits,
    errors: &mut Found<FspError>,
) -> Result<Vec<Token>, StopReason> {
    let mut tokens = Vec::new();
    let scanner = Scanner::new(&LEXICON, source, |Mishap { kind, span }| {
        let instead = matches!(kind, MishapKind::NotANumber(_)).then_some(Kind::Number(0));
        errors.push_with(|| error(source, kind, span));
        instead
    });
    for token in scanner {
        tokens.push(token);
        if tokens.len().is_multiple_of(TOKENS_UNASKED) {
            limits.allow(tokens.len() * size_of::<Token>())?;
        }
    }
    Ok(tokens)
}

fn error(source: &Source, kind: MishapKind, span: Span) -> FspError {
    let (text, at) = (source.named(), span.into());
    match kind {
        MishapKind::UnclosedComment => FspError::UnclosedComment { text, at },
        MishapKind::NotANumber(digits) => {
            let digits = shortened(&digits, WORD);
            FspError::BadNumber { digits, text, at }
        }
        MishapKind::Stray(character) | MishapKind::UnclosedQuote(character, _) => FspError::Stray {
            character,
            text,
            at,
        },
    }
}
