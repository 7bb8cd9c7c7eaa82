//! The macros that descriptions of families use.

use std::collections::BTreeMap;

/// Texts that take the place of names.
pub(crate) type Parameters = BTreeMap<String, String>;

/// Expands loops and parameters, then removes the empty quotes that glue names together.
pub(crate) fn expand(text: &str, parameters: &Parameters) -> String {
    let mut text = text.to_string();
    while text.len() < LONGEST
        && let Some(expanded) = expand_first_loop(&text, parameters)
    {
        text = expanded;
    }
    substitute(&text, parameters).replace("`'", "")
}

/// Replaces whole names.
pub(crate) fn substitute(text: &str, parameters: &Parameters) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let length = match end {
            Some(0) => first.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        let (word, after) = rest.split_at(length);
        out.push_str(parameters.get(word).map_or(word, String::as_str));
        rest = after;
    }
    out
}

/// No loop is expanded in a text of this length, so that nested ones do not fill the memory.
const LONGEST: usize = 1 << 16;

/// The greatest number of repetitions of a loop.
const MOST: i64 = 1000;

/// Replaces the first `myloop(variable, from, to, `body', `separator')`; nothing if there is none.
fn expand_first_loop(text: &str, parameters: &Parameters) -> Option<String> {
    const CALL: &str = "myloop(";
    let start = text.find(CALL)?;
    let (arguments, length) = arguments(&text[start + CALL.len()..])?;
    let [variable, from, to, body, separator] = &arguments[..] else {
        return None;
    };
    let (from, to) = (number(from, parameters)?, number(to, parameters)?);
    if to - from >= MOST {
        return None;
    }
    let rounds: Vec<String> = (from..=to)
        .map(|value| {
            let round = [(variable.trim().to_string(), value.to_string())];
            substitute(unquoted(body), &round.into())
        })
        .collect();
    let before = &text[..start];
    let after = &text[start + CALL.len() + length..];
    Some(format!(
        "{before}{}{after}",
        rounds.join(unquoted(separator))
    ))
}

/// The arguments of a call up to its closing parenthesis, and how long all that is.
fn arguments(text: &str) -> Option<(Vec<String>, usize)> {
    let mut arguments = vec![String::new()];
    let (mut quotes, mut parentheses) = (0_u32, 0_u32);
    for (position, character) in text.char_indices() {
        match character {
            '`' => quotes += 1,
            '\'' => quotes = quotes.saturating_sub(1),
            '(' if quotes == 0 => parentheses += 1,
            ')' if quotes == 0 && parentheses == 0 => return Some((arguments, position + 1)),
            ')' if quotes == 0 => parentheses -= 1,
            ',' if quotes == 0 && parentheses == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        arguments.last_mut()?.push(character);
    }
    None
}

/// A number, a parameter, or one less than such: `decr(N)`.
fn number(text: &str, parameters: &Parameters) -> Option<i64> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix("decr(") {
        return number(inner.strip_suffix(')')?, parameters)?.checked_sub(1);
    }
    let text = parameters.get(text).map_or(text, String::as_str);
    text.parse().ok()
}

fn unquoted(text: &str) -> &str {
    let text = text.trim_start();
    let inner = text.strip_prefix('`').and_then(|text| {
        let text = text.trim_end();
        text.strip_suffix('\'')
    });
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let parameters = [("N", "3"), ("X", "4")];
        let parameters = parameters.map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(expand(text, &parameters.into()), expected);
    }

    #[test]
    fn loops_are_written_out() {
        check(
            "myloop(i,0,decr(N), `P_`'i.CS', ` + ') > 1",
            "P_0.CS + P_1.CS + P_2.CS > 1",
        );
        check("myloop(i,1,0,`x',`,') == N", " == 3");
        check(
            "myloop(i, 0, many, `x', `,')",
            "myloop(i, 0, many, `x', `,')",
        );
    }

    #[test]
    fn names_are_glued_together() {
        check("Bottle_1.q`'X", "Bottle_1.q4");
        check("N1 == N", "N1 == 3");
    }
}
