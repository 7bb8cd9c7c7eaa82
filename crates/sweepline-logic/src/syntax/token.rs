//! The words and signs of the language.

use std::ops::Range;

use sweepline_text::{Comments, Kind, Lexicon, Mishap, MishapKind, Scanner, Source, Token};

use super::SyntaxError;
use super::runs::is_run_word;

const LEXICON: Lexicon = Lexicon {
    // `A` and `E` alone are names unless a temporal operator follows.
    words: &[
        "true", "false", "deadlock", "and", "or", "not", "implies", "iff", "EF", "AG", "EG", "AF",
        "EX", "AX", "EFAG", "AGEF",
    ],
    signs: &[
        "<->", "<=>", "->", "=>", "==", "!=", "<>", "<=", ">=", "<", ">", "=", "&&", "||", "&",
        "|", "!", "~", "+", "-", "*", "/", "%", "(", ")", ",", ":",
    ],
    quotes: &['"', '\'', '`'],
    comments: Comments::None,
    // With a minus in front, this is the least number.
    greatest: i64::MIN.unsigned_abs(),
    name: name_length,
};

/// What a text speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// States.
    States,
    /// Runs: there are also the operators of linear time.
    Runs,
    /// The runs from each state: these operators stand behind quantifiers.
    Branching,
}

impl Language {
    fn lexicon(self) -> &'static Lexicon {
        match self {
            Self::States => &LEXICON,
            Self::Runs | Self::Branching => &RUNS,
        }
    }
}

const RUNS: Lexicon = Lexicon {
    // The operators that are letters or words are names here, for only their place tells what they are.
    signs: &[
        "<->", "<=>", "->", "=>", "==", "!=", "<>", "<=", ">=", "<", ">", "=", "&&", "||", "&",
        "|", "!", "~", "+", "-", "*", "/", "%", "(", ")", ",", ":", "[]", "[", "]",
    ],
    ..LEXICON
};

/// Whether a name can be written without quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    LEXICON.is_name(name)
}

/// A printed predicate as it stands in a formula of linear time, where more names need quotes.
pub(crate) fn quoted_for_runs(printed: &str) -> String {
    let source = Source::from(printed);
    let mut text = String::new();
    let mut at = 0;
    for token in tokens(Language::States, &source, &mut Vec::new()) {
        if let Kind::Name(name) = &token.kind
            && is_run_word(name)
        {
            text.push_str(&printed[at..token.span.start]);
            text.extend(["\"", name.as_str(), "\""]);
            at = token.span.end;
        }
    }
    text + &printed[at..]
}

/// Splits a text into tokens, the last of which is the end. Goes on after errors.
pub(super) fn tokens(
    language: Language,
    source: &Source,
    errors: &mut Vec<SyntaxError>,
) -> Vec<Token> {
    let scanner = Scanner::new(language.lexicon(), source, |Mishap { kind, span }| {
        errors.push(error(source, &kind, span));
        instead(kind)
    });
    scanner.collect()
}

fn error(source: &Source, kind: &MishapKind, span: Range<usize>) -> SyntaxError {
    let (text, at) = (source.named(), span.into());
    match kind {
        &MishapKind::UnclosedQuote(mark, _) => SyntaxError::UnclosedQuote { mark, text, at },
        MishapKind::NotANumber(digits) if is_decimal(digits) => {
            let digits = shortened(digits);
            SyntaxError::LargeNumber { digits, text, at }
        }
        MishapKind::NotANumber(name) => {
            let name = name.clone();
            SyntaxError::DigitFirst { name, text, at }
        }
        &MishapKind::Stray(character) => SyntaxError::Stray {
            character,
            text,
            at,
        },
        MishapKind::UnclosedComment => unreachable!("the language has no comments"),
    }
}

/// What probably was meant.
fn instead(kind: MishapKind) -> Option<Kind> {
    match kind {
        MishapKind::NotANumber(digits) if is_decimal(&digits) => Some(Kind::Number(0)),
        MishapKind::NotANumber(name) | MishapKind::UnclosedQuote(_, name) => {
            Some(Kind::Quoted(name))
        }
        MishapKind::Stray(_) | MishapKind::UnclosedComment => None,
    }
}

fn is_decimal(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// How many bytes at the start of the text are a name.
fn name_length(text: &str) -> usize {
    let mut length = observed_length(text);
    while let Some(more) = name_piece(&text[length..], length == 0) {
        length += more;
    }
    length
}

/// What a system tells of its states besides slots is called `count(…)`, `length(…)`, `value(…)` or `ml(…)`, and what stands
/// between the parentheses belongs to the name.
const OBSERVED: [&str; 4] = ["count(", "length(", "value(", "ml("];

/// How many bytes at the start of the text are such a name.
fn observed_length(text: &str) -> usize {
    let Some(start) = OBSERVED.iter().find(|start| text.starts_with(**start)) else {
        return 0;
    };
    let (mut depth, mut is_quoted, mut is_escaped) = (1, false, false);
    for (at, character) in text.char_indices().skip(start.len()) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    0 // it does not end; the parser says so
}

/// The next piece of a name: one character, or an index such as `[3]`.
fn name_piece(text: &str, first: bool) -> Option<usize> {
    let mut characters = text.chars();
    let piece = characters.next()?;
    match piece {
        _ if piece.is_alphabetic() || piece == '_' => Some(piece.len_utf8()),
        _ if first => None,
        _ if piece.is_numeric() || piece == '\'' => Some(piece.len_utf8()),
        // A dot at the end belongs to the sentence, not to the name.
        '.' => characters
            .next()
            .filter(|&next| next.is_alphanumeric() || next == '_')
            .map(|_| 1),
        '[' => {
            let digits = characters.take_while(char::is_ascii_digit).count();
            (digits > 0 && text[1 + digits..].starts_with(']')).then_some(digits + 2)
        }
        _ => None,
    }
}

/// Long numbers are not repeated in full.
fn shortened(digits: &str) -> String {
    if digits.len() > 30 {
        format!("{}… ({} digits)", &digits[..20], digits.len())
    } else {
        digits.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Kind]) {
        let mut errors = Vec::new();
        let tokens = tokens(Language::States, &Source::from(text), &mut errors);
        let kinds: Vec<Kind> = tokens.into_iter().map(|token| token.kind).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(kinds.split_last().unwrap().1, expected);
    }

    fn name(text: &str) -> Kind {
        Kind::Name(text.into())
    }

    #[test]
    fn names_may_have_indices_and_dots() {
        check("buffer[3].head", &[name("buffer[3].head")]);
        check("Protocol'NextSend", &[name("Protocol'NextSend")]);
        check("x' y'", &[name("x'"), name("y'")]);
        check("größe_2", &[name("größe_2")]);
        check("a-b", &[name("a"), Kind::Sign("-"), name("b")]);
        check("'it''s'", &[Kind::Quoted("it's".into())]);
    }

    #[test]
    fn what_is_observed_is_a_name_with_its_parentheses() {
        check(
            "count(A, (1, _)) <= 2",
            &[name("count(A, (1, _))"), Kind::Sign("<="), Kind::Number(2)],
        );
        check(r#"ml(f ")(" = 1)"#, &[name(r#"ml(f ")(" = 1)"#)]);
        check("value(P)", &[name("value(P)")]);
        check("length(P)", &[name("length(P)")]);
        check(
            "value(P).2 = 1",
            &[name("value(P).2"), Kind::Sign("="), Kind::Number(1)],
        );
        check("counter", &[name("counter")]);
        check("count (A", &[name("count"), Kind::Sign("("), name("A")]);
    }

    #[test]
    fn the_longest_sign_wins() {
        check("<->", &[Kind::Sign("<->")]);
        check("<-", &[Kind::Sign("<"), Kind::Sign("-")]);
        check("<==", &[Kind::Sign("<="), Kind::Sign("=")]);
        check("=>=", &[Kind::Sign("=>"), Kind::Sign("=")]);
    }

    #[test]
    fn words_are_no_plain_names() {
        for name in ["x", "x[0]", "a.b", "A", "fireable", "x'"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in [
            "", "and", "EF", "deadlock", "1a", "a b", "a-b", "a.", "a[b]", "'a'", "x ",
        ] {
            assert!(!is_plain_name(name), "{name}");
        }
    }
}
