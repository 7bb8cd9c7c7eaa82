use insta::assert_snapshot;
use sweepline_core::{Limits, StopReason};
use sweepline_text::Source;

use super::{Network, NotLoaded, read_network, read_network_within};
use crate::testing::rendered;
use crate::{read_aut, read_aut_within};

/// A few files.
fn load(file: &str) -> Result<crate::Lts, NotLoaded> {
    let text = match file {
        "link.aut" | "a folder/link.aut" => {
            "des (0, 3, 2)\n(0, send, 1)\n(1, \"lose, or so\", 0)\n(1, ack, 0)"
        }
        "user.aut" => "des (0, 2, 2)\n(0, send, 1)\n(1, ack, 0)",
        "broken.aut" => "des (0, 1, 1)\n(0, a, 1)",
        _ => {
            let cause = Box::new(miette::MietteDiagnostic::new("no such file"));
            return Err(NotLoaded::Wrong(cause));
        }
    };
    Ok(read_aut(file, text.as_bytes())?)
}

fn listing(network: &Network) -> String {
    let components = network.components.iter().map(|component| {
        format!(
            "{}: {}",
            component.name,
            component.lts.labels()[1..].join("|")
        )
    });
    let mut lines: Vec<String> = components.collect();
    if !network.hidden.is_empty() {
        lines.push(format!("hidden {:?}", network.hidden));
    }
    if let Some(priority) = &network.priority {
        let which = if priority.high { "high" } else { "low" };
        lines.push(format!("{which} {:?}", priority.labels));
    }
    lines.join("\n")
}

fn read(text: &str) -> String {
    match read_network(&Source::new("file.network", text), &mut load) {
        Ok(network) => listing(&network),
        Err(errors) => {
            let all: Vec<String> = errors.iter().map(|error| rendered(error)).collect();
            all.join("\n")
        }
    }
}

#[test]
fn networks_are_read() {
    assert_snapshot!(read("link.aut # a comment\n\n# another\nuser.aut"), @r"
    link: send|lose, or so|ack
    user: send|ack
    ");
    assert_snapshot!(read("l = \"a folder/link.aut\" relabel \"x/y\"/send, b/ack hide \"lose, or so\"\r\n"), @r"
    l: x/y|b
    ");
    assert_snapshot!(read("link.aut hide ack relabel a/send, b/send\nhide = user.aut\nhide a, \"lose, or so\"\nhigh b\n"), @r#"
    link: a|b|lose, or so
    hide: send|ack
    hidden {"a", "lose, or so"}
    high {"b"}
    "#);
    assert_snapshot!(read("l = link.aut relabel ack/send,send/ack\nlow send\n"), @r#"
    l: ack|lose, or so|send
    low {"send"}
    "#);
}

#[test]
fn lines_can_be_wrong() {
    assert_snapshot!(read("# nothing\n"), @r"
    network::empty

      × the network has no component
      help: a component is a line `name = file.aut` or `file.aut`
    ");
    assert_snapshot!(read("= link.aut\nl =\nlink.aut relable a/b\nlink.aut \"x"), @r#"
    network::expected

      × expected a component
       ╭─[file.network:1:1]
     1 │ = link.aut
       · ┬
       · ╰── expected a component here
     2 │ l =
       ╰────
      help: a component is a line `name = file.aut` or `file.aut`
    network::expected

      × expected a file
       ╭─[file.network:2:4]
     1 │ = link.aut
     2 │ l =
       ·    ▲
       ·    ╰── expected a file here
     3 │ link.aut relable a/b
       ╰────
      help: a component is a line `name = file.aut` or `file.aut`
    network::expected

      × expected `relabel`, `hide` or the end of the line
       ╭─[file.network:3:10]
     2 │ l =
     3 │ link.aut relable a/b
       ·          ───┬───
       ·             ╰── expected `relabel`, `hide` or the end of the line here
     4 │ link.aut "x
       ╰────
      help: did you mean `relabel`?
    network::unclosed_quotes

      × quotes are not closed
       ╭─[file.network:4:10]
     3 │ link.aut relable a/b
     4 │ link.aut "x
       ·          ─┬
       ·           ╰── from here to the end of the line
       ╰────
      help: close them with "; inside quotes, that mark is written twice
    "#);
    assert_snapshot!(read("link.aut relabel a\nlink.aut relabel a/\nlink.aut hide send ack\n"), @r"
    network::expected

      × expected `/` and the old label
       ╭─[file.network:1:19]
     1 │ link.aut relabel a
       ·                   ▲
       ·                   ╰── expected `/` and the old label here
     2 │ link.aut relabel a/
       ╰────
      help: write `relabel new/old, …` or `hide label, …`; odd labels are put in
            quotes
    network::expected

      × expected a label
       ╭─[file.network:2:20]
     1 │ link.aut relabel a
     2 │ link.aut relabel a/
       ·                    ▲
       ·                    ╰── expected a label here
     3 │ link.aut hide send ack
       ╰────
      help: write `relabel new/old, …` or `hide label, …`; odd labels are put in
            quotes
    network::expected

      × expected `relabel`, `hide` or the end of the line
       ╭─[file.network:3:20]
     2 │ link.aut relabel a/
     3 │ link.aut hide send ack
       ·                    ─┬─
       ·                     ╰── expected `relabel`, `hide` or the end of the line here
       ╰────
      help: labels in a list have commas between them; files with blanks are put
            in quotes
    ");
    assert_snapshot!(read("hihg a, b\nnone relabel a/b\n"), @r"
    network::expected

      × expected a file or a keyword
       ╭─[file.network:1:1]
     1 │ hihg a, b
       · ──┬─
       ·   ╰── expected a file or a keyword here
     2 │ none relabel a/b
       ╰────
      help: did you mean `high`?
    network::component

      × component `none` cannot be read from `none`
      ╰─▶   × no such file

       ╭─[file.network:2:1]
     1 │ hihg a, b
     2 │ none relabel a/b
       · ──┬─
       ·   ╰── this file
       ╰────
    ");
}

#[test]
fn networks_can_be_wrong() {
    assert_snapshot!(read("link.aut\nlink = user.aut\n"), @r"
    network::duplicate_name

      × two components are called `link`
       ╭─[file.network:1:1]
     1 │ link.aut
       · ────┬───
       ·     ╰── first here
     2 │ link = user.aut
       · ──┬─
       ·   ╰── and again here
       ╰────
      help: give one of them another name: `other = file.aut`
    ");
    assert_snapshot!(read("link.aut relabel a/sned hide lost\nuser.aut\n"), @r"
    network::unknown_label

      × component `link` has no label `sned`
       ╭─[file.network:1:20]
     1 │ link.aut relabel a/sned hide lost
       ·                    ──┬─
       ·                      ╰── no such label
     2 │ user.aut
       ╰────
      help: did you mean `send`?
    network::unknown_label

      × component `link` has no label `lost`
       ╭─[file.network:1:30]
     1 │ link.aut relabel a/sned hide lost
       ·                              ──┬─
       ·                                ╰── no such label
     2 │ user.aut
       ╰────
      help: the labels are `send`, `lose, or so`, `ack`
    ");
    assert_snapshot!(read("user.aut\nhide snd\nhigh x, ack\n"), @r"
    network::unknown_label

      × the network has no label `snd`
       ╭─[file.network:2:6]
     1 │ user.aut
     2 │ hide snd
       ·      ─┬─
       ·       ╰── no such label
     3 │ high x, ack
       ╰────
      help: did you mean `send`?
    network::unknown_label

      × the network has no label `x`
       ╭─[file.network:3:6]
     2 │ hide snd
     3 │ high x, ack
       ·      ┬
       ·      ╰── no such label
       ╰────
      help: the labels are `ack`, `send`
    ");
    assert_snapshot!(read("user.aut\nhigh send\nlow ack\n"), @r"
    network::two_priorities

      × priorities are given twice
       ╭─[file.network:3:1]
     2 │ high send
     3 │ low ack
       · ─┬─
       ·  ╰── given before
       ╰────
      help: write one line, `high` or `low`, with all labels
    ");
    assert_snapshot!(read("user.aut\nb = broken.aut\nc = none.aut\n"), @r"
    network::component

      × component `b` cannot be read from `broken.aut`
      ╰─▶ aut::no_such_state

            × there is no state 1: the header announces 1 states
             ╭─[broken.aut:2:8]
           2 │ (0, a, 1)
             ·        ┬
             ·        ╰── no such state
             ╰────
            help: the only state is 0

       ╭─[file.network:2:5]
     1 │ user.aut
     2 │ b = broken.aut
       ·     ─────┬────
       ·          ╰── this file
     3 │ c = none.aut
       ╰────
    network::component

      × component `c` cannot be read from `none.aut`
      ╰─▶   × no such file

       ╭─[file.network:3:5]
     2 │ b = broken.aut
     3 │ c = none.aut
       ·     ────┬───
       ·         ╰── this file
       ╰────
    ");
}

#[test]
fn the_reason_is_that_of_the_components_file() {
    let alone = read_network(&Source::new("file.network", "broken.aut"), &mut load);
    assert_snapshot!(rendered(&alone.unwrap_err()), @r"
    network::component

      × component `broken` cannot be read from `broken.aut`
      ╰─▶ aut::no_such_state

            × there is no state 1: the header announces 1 states
             ╭─[broken.aut:2:8]
           2 │ (0, a, 1)
             ·        ┬
             ·        ╰── no such state
             ╰────
            help: the only state is 0

       ╭─[file.network:1:1]
     1 │ broken.aut
       · ─────┬────
       ·      ╰── this file
       ╰────
    ");
    let both = Source::new("file.network", "broken.aut\nx = missing.aut");
    let both = rendered(&read_network(&both, &mut load).unwrap_err());
    assert!(
        both.contains("there is no state 1") && both.contains("no such file"),
        "{both}"
    );
}

#[test]
fn a_limit_is_no_mistake_in_the_file() {
    let source = Source::new("file.network", "=\nlink.aut\nuser.aut");
    let limits = Limits {
        memory: Some(300),
        ..Limits::default()
    };
    let errors = read_network_within(&source, &mut load, &limits).unwrap_err();
    let reasons: Vec<_> = errors
        .iter()
        .map(|error| error.stopped().cloned())
        .collect();
    assert_eq!(reasons, [Some(StopReason::Memory { limit: 300 })]);
    let cancelled = Limits::default();
    cancelled.cancel.cancel();
    let mut loader = |file: &str| {
        let long = "(0, a, 0)\n".repeat(20_000);
        let text = format!("des (0, 20000, 1)\n{long}");
        Ok(read_aut_within(file, text.as_bytes(), &cancelled)?)
    };
    let errors = read_network(&"link.aut".into(), &mut loader).unwrap_err();
    let reasons: Vec<_> = errors
        .iter()
        .map(|error| error.stopped().cloned())
        .collect();
    assert_eq!(reasons, [Some(StopReason::Interrupted)]);
}
