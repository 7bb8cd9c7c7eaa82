//! The words and signs of the language.

use sweepline_core::{Limits, StopReason};
use sweepline_text::{Comments, Lexicon, Scanner, Source, Token, plain_name};

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
    let scanner = Scanner::new(&LEXICON, source, |mishap| {
        let instead = mishap.number_instead();
        errors.push_with(|| mishap.in_language("fsp", source).into());
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
