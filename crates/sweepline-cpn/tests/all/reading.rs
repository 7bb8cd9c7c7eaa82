//! What is wrong with files, and where.

use crate::common::File;
use sweepline_cpn::{LoadOptions, read_cpn};

/// The messages about a file that cannot be used.
fn wrong(text: &str) -> Vec<String> {
    match read_cpn("test.cpn", text.as_bytes(), &LoadOptions::default()) {
        Ok(_) => panic!("nothing is wrong with {text}"),
        Err(errors) => errors.errors().iter().map(ToString::to_string).collect(),
    }
}

fn check(text: &str, expected: &str) {
    let messages = wrong(text);
    assert!(
        messages.iter().any(|message| message.contains(expected)),
        "{messages:?}"
    );
}

#[test]
fn other_documents_are_refused() {
    check("", "the file is empty");
    check("<html/>", "its root element is `html`");
    check("<workspaceElements/>", "has no `cpnet`");
    check(
        "<workspaceElements><generator format='7'/><cpnet/></workspaceElements>",
        "format `7`",
    );
    check(
        "<!DOCTYPE a [ <!ENTITY x 'y'> ]><a>&x;</a>",
        "entity definitions are not allowed",
    );
    check(&"<a>".repeat(5000), "nested more than");
    check(
        "<workspaceElements><cpnet><globbox><colour/></globbox></cpnet></workspaceElements>",
        "`colour` is no declaration",
    );
}

/// Two pages, the second behind a transition of the first.
fn hierarchy(ports: &str, below: &str) -> String {
    let subst = format!("<subst subpage='{below}' portsock='{ports}'/>");
    File::default()
        .colour("U", false, "<unit/>")
        .place("a", "U", "()")
        .transition("s", "", &subst)
        .page("Top")
        .place("b", "U", "")
        .text()
        .replace("<text>b</text>", "<text>b</text><port id='x' type='In'/>")
}

#[test]
fn ports_must_be_assigned() {
    check(
        &hierarchy("", "P"),
        "port `b` of `s` is assigned to no place",
    );
    check(
        &hierarchy("(b,nowhere)", "P"),
        "no place with the id `nowhere`",
    );
    check(&hierarchy("(b", "P"), "is no pair of port and socket");
    check(&hierarchy("", "Q"), "no page with the id `Q`");
    crate::common::read(&hierarchy("(b,a)", "P"), &LoadOptions::default());
}

#[test]
fn pages_cannot_be_below_themselves() {
    let text = File::default()
        .transition("s", "", "<subst subpage='P' portsock=''/>")
        .text();
    check(&text, "every page is below another one");
    let text = File::default()
        .transition("s", "", "<subst subpage='B' portsock=''/>")
        .page("A")
        .transition("t", "", "<subst subpage='A' portsock=''/>")
        .page("B")
        .text()
        .replace(
            "</cpnet>",
            "<instances><instance id='i' page='A'/></instances></cpnet>",
        );
    check(&text, "page `A` is below itself");
}

#[test]
fn arcs_lead_somewhere() {
    let net = File::default()
        .colour("U", false, "<unit/>")
        .place("a", "U", "()")
        .transition("t", "", "");
    check(
        &net.clone().arc("PtoT", "nowhere", "t", "()").text(),
        "there is no `nowhere` on page `P`",
    );
    check(
        &net.clone().arc("sideways", "a", "t", "()").text(),
        "cannot be directed `sideways`",
    );
    let inhibitor = net.clone().arc("PtoT", "a", "t", "()").text();
    let inhibitor = inhibitor.replace("orientation='PtoT'", "orientation='PtoT' type='inhibitor'");
    check(&inhibitor, "an inhibitor or reset arc has an inscription");
}

#[test]
fn inscriptions_are_wrong_by_page_and_element() {
    let net = File::default()
        .colour("U", false, "<unit/>")
        .colour("I", false, "<int/>")
        .declare("var n, m : I; var u : U;")
        .place("a", "I", "1`3")
        .transition("t", "", "");
    check(
        &net.clone().arc("PtoT", "a", "t", "n +").text(),
        "arc from a to t on page P",
    );
    check(
        &net.clone().arc("PtoT", "a", "t", "\"text\"").text(),
        "arc from a to t on page P",
    );
    check(
        &net.clone().arc("PtoT", "a", "t", "unknown").text(),
        "unknown",
    );
    check(
        &net.clone().arc("PtoT", "a", "t", "").text(),
        "has no inscription",
    );
    check(
        &net.clone().arc("TtoP", "a", "t", "n + m").text(),
        "nothing binds the variable",
    );
    check(
        &net.clone().place("b", "J", "").text(),
        "there is no colour set `J`",
    );
    check(
        &net.clone().place("b", "I", "1`true").text(),
        "initial marking of b on page P",
    );
}

#[test]
fn what_never_ends_is_stopped() {
    let net = File::default()
        .colour("I", false, "<int/>")
        .declare("fun f x = f (x + 1) : int;")
        .place("a", "I", "f 1");
    check(&net.text(), "initial marking of a on page P");
}

#[test]
fn constants_can_be_overridden() {
    let text = File::default()
        .declare("val n = 3;")
        .colour("U", false, "<unit/>")
        .place("a", "U", "n`()")
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "()")
        .text();
    let with = |constants: &[(&str, i64)]| LoadOptions {
        constants: constants
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect(),
        ..LoadOptions::default()
    };
    assert_eq!(crate::common::count(&text, &with(&[])).states, 4);
    assert_eq!(crate::common::count(&text, &with(&[("n", 9)])).states, 10);
    let Err(errors) = read_cpn("t", text.as_bytes(), &with(&[("m", 9)])) else {
        panic!("there is no such constant");
    };
    assert!(errors.errors()[0].to_string().contains("no constant `m`"));
}
