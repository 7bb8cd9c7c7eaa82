//! A text of the top level, part by part.

/// The parts between semicolons that are inside of nothing.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut at) = (0, 0_usize, 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            '(' if rest.starts_with("(*") => comment(rest),
            '"' => string(rest),
            '(' | '[' | '{' => {
                depth += 1;
                1
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                1
            }
            ';' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
                1
            }
            c if c.is_alphabetic() => {
                let word = word(rest);
                match word {
                    "let" | "local" | "struct" | "sig" | "abstype" => depth += 1,
                    "end" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                word.len()
            }
            c => c.len_utf8(),
        };
        at += length;
    }
    parts.push(&text[start..]);
    parts.retain(|part| first_word(part).is_some());
    parts
}

/// The first word or sign behind space and comments.
pub(super) fn first_word(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    while rest.starts_with("(*") {
        rest = rest[comment(rest)..].trim_start();
    }
    let first = rest.chars().next()?;
    let word = word(rest);
    Some(match word {
        "" => &rest[..first.len_utf8()],
        word => word,
    })
}

/// Whether a part that begins with this word is a declaration.
pub(super) fn declares(word: &str) -> bool {
    matches!(
        word,
        "val"
            | "fun"
            | "datatype"
            | "type"
            | "exception"
            | "local"
            | "infix"
            | "infixr"
            | "nonfix"
            | "open"
            | "structure"
            | "signature"
            | "functor"
            | "abstype"
            | "colset"
            | "var"
            | "globref"
            | "use"
    )
}

fn word(text: &str) -> &str {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
    let end = text.find(|c| !inside(c)).unwrap_or(text.len());
    &text[..end]
}

/// The length of a comment, other comments inside of it included.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("(*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of a string.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_at_semicolons_that_are_inside_of_nothing() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = parts(text).into_iter().map(str::trim).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("fun f x = x; f 1;", &["fun f x = x", "f 1"]);
        check(
            "let val a = 1; val b = 2 in (a; b) end; 3",
            &["let val a = 1; val b = 2 in (a; b) end", "3"],
        );
        check(
            r#"f ";" (* ; (* ; *) ; *); g #";""#,
            &[r#"f ";" (* ; (* ; *) ; *)"#, r#"g #";""#],
        );
        check(" ; (* nothing *) ;", &[]);
        check("end ) ; \"open", &["end )", "\"open"]);
        check("(* open", &[]);
    }
}
