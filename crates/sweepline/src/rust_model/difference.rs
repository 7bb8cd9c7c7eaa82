//! Where two values differ, as `Debug` writes them.
//!
//! Nothing is known of the values but their texts. These are taken apart where brackets and commas say so; what cannot be
//! taken apart alike in both is shown as a whole.

/// Values that are not longer are shown as a whole.
const SHORT: usize = 24;

/// Appends what is different after a step, with names such as `queue[2].owner`.
pub(crate) fn list(name: &str, before: &str, after: &str, out: &mut Vec<String>) {
    if before == after {
        return;
    }
    let whole = || format!("{name}: {after}");
    let (Some(old), Some(new)) = (Parts::of(before), Parts::of(after)) else {
        return out.push(whole());
    };
    if after.len() <= SHORT || (old.head, old.open) != (new.head, new.open) {
        return out.push(whole());
    }
    match (old.keyed(), new.keyed()) {
        (Some(old), Some(new)) => {
            let dot = |key: &str| {
                if is_field(key) {
                    format!("{name}.{key}")
                } else {
                    format!("{name}[{key}]")
                }
            };
            for (key, value) in &new {
                let earlier = old.iter().find(|(earlier, _)| earlier == key);
                list(
                    &dot(key),
                    earlier.map_or("", |(_, value)| value),
                    value,
                    out,
                );
            }
            let gone = old
                .iter()
                .filter(|(key, _)| new.iter().all(|(other, _)| other != key));
            out.extend(gone.map(|(key, _)| format!("no {}", dot(key))));
        }
        _ if old.items.len() == new.items.len() && new.open != '{' => {
            for (index, (before, after)) in old.items.iter().zip(&new.items).enumerate() {
                list(&format!("{name}[{index}]"), before, after, out);
            }
        }
        _ => out.push(format!("{name}: {}", moved(&old.items, &new.items))),
    }
}

/// What came into a collection and what went out of it.
fn moved(old: &[&str], new: &[&str]) -> String {
    let alike =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let first = alike(&mut old.iter().zip(new));
    let most = old.len().min(new.len()) - first;
    let last = alike(&mut old.iter().rev().zip(new.iter().rev())).min(most);
    let gone = old[first..old.len() - last]
        .iter()
        .map(|item| format!("-{item}"));
    let come = new[first..new.len() - last]
        .iter()
        .map(|item| format!("+{item}"));
    gone.chain(come).collect::<Vec<_>>().join(" ")
}

fn is_field(key: &str) -> bool {
    let mut letters = key.chars();
    letters
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
}

/// A text of the form `Head { a: 1, b: 2 }`, `[1, 2]` or `Head(1, 2)`.
struct Parts<'t> {
    head: &'t str,
    open: char,
    items: Vec<&'t str>,
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let start = text.find(['{', '[', '('])?;
        let open = text[start..].chars().next()?;
        let close = match open {
            '{' => '}',
            '[' => ']',
            _ => ')',
        };
        let inside = text[start + 1..].strip_suffix(close)?;
        let head = text[..start].trim_end();
        let is_head = head.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_head.then(|| Self {
            head,
            open,
            items: items(inside),
        })
    }

    /// The items as keys and values, if they are.
    fn keyed(&self) -> Option<Vec<(&'t str, &'t str)>> {
        let pair = |item: &&'t str| {
            let at = outside(item)
                .find(|&(at, c)| c == ':' && item[at..].starts_with(": "))?
                .0;
            Some((&item[..at], item[at + 2..].trim()))
        };
        if self.open != '{' {
            return None;
        }
        self.items.iter().map(pair).collect()
    }
}

/// What stands between commas.
fn items(text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut start = 0;
    for (at, _) in outside(text).filter(|(_, c)| *c == ',') {
        items.push(text[start..at].trim());
        start = at + 1;
    }
    items.push(text[start..].trim());
    items.retain(|item| !item.is_empty());
    items
}

/// The characters that are in no brackets and no quotes.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    text.char_indices().filter(move |&(_, c)| {
        if quoted {
            (quoted, escaped) = (escaped || c != '"', !escaped && c == '\\');
            return false;
        }
        match c {
            '"' => quoted = true,
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use proptest::prelude::*;

    use super::*;

    fn differences(before: &impl Debug, after: &impl Debug) -> String {
        let mut out = Vec::new();
        list("s", &format!("{before:?}"), &format!("{after:?}"), &mut out);
        out.join(", ")
    }

    #[test]
    fn only_what_changes_is_listed() {
        let long = |n: u32| {
            (0..20)
                .map(|i| if i == 7 { n } else { i })
                .collect::<Vec<u32>>()
        };
        assert_eq!(differences(&long(7), &long(99)), "s[7]: 99");
        assert_eq!(differences(&[1, 2], &[1, 3]), "s: [1, 3]", "it is short");
        let (mut queue, rest) = (long(7), long(7)[1..].to_vec());
        assert_eq!(differences(&queue, &rest), "s: -0");
        queue.push(5);
        assert_eq!(differences(&long(7), &queue), "s: +5");
        let map = |pairs: &[(u32, &str)]| {
            pairs
                .iter()
                .map(|(k, v)| (*k, v.repeat(9)))
                .collect::<BTreeMap<_, _>>()
        };
        let (before, after) = (map(&[(1, "a"), (2, "b")]), map(&[(1, "a"), (3, "[,")]));
        assert_eq!(
            differences(&before, &after),
            "s[3]: \"[,[,[,[,[,[,[,[,[,\", no s[2]"
        );
        let nested = |n: u32| (Some(long(n)), "a, \"quoted\" (text", true);
        assert_eq!(differences(&nested(7), &nested(8)), "s[0][0][7]: 8");
    }

    #[derive(Clone, Debug, PartialEq)]
    enum Tree {
        Leaf(String),
        Node { left: Box<Tree>, right: Vec<Tree> },
    }

    fn tree() -> impl Strategy<Value = Tree> {
        let leaf = "[a,\"\\\\{}: ]{0,6}".prop_map(Tree::Leaf);
        leaf.prop_recursive(4, 20, 4, |inner| {
            (inner.clone(), prop::collection::vec(inner, 0..4)).prop_map(|(left, right)| {
                Tree::Node {
                    left: Box::new(left),
                    right,
                }
            })
        })
    }

    proptest! {
        /// Values that differ have a difference, and others have none.
        #[test]
        fn nothing_is_overlooked((before, after) in (tree(), tree())) {
            prop_assert_eq!(differences(&before, &after).is_empty(), before == after);
        }
    }
}
