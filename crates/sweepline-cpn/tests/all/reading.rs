//! What is wrong with files, and where.

use std::sync::Arc;

use crate::common::{File, explore, read};
use sweepline_core::Fault;
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
    check(&text, "page `P` is below itself");
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
    // A circle beside a page that is free has no instance; it may not be forgotten.
    let circle = File::default()
        .transition("s", "", "<subst subpage='B' portsock=''/>")
        .page("A")
        .transition("t", "", "<subst subpage='A' portsock=''/>")
        .transition("u", "", "<subst subpage='C' portsock=''/>")
        .page("B")
        .page("C")
        .page("Free");
    check(&circle.text(), "is below itself");
}

/// What is said of a model that can be read.
fn unused(text: &str) -> Vec<String> {
    let cpn = crate::common::read(text, &LoadOptions::default());
    let unused = cpn.unused.iter().map(ToString::to_string);
    unused.collect()
}

/// The socket counts, and whoever writes something else on the port is told.
#[test]
fn ports_are_like_their_sockets() {
    let text = hierarchy("(b,a)", "P");
    assert_eq!(unused(&text), [""; 0]);
    let marked = text.replace("<initmark id='bi'><text>", "<initmark id='bi'><text>3`()");
    assert_eq!(
        unused(&marked),
        ["port b on page P has another initial marking than its socket a, which counts"]
    );
    let other = text.replace("<type id='bt'><text>U", "<type id='bt'><text>V");
    assert_eq!(
        unused(&other),
        ["port b on page P has another colour set than its socket a, which counts"]
    );
}

#[test]
fn fused_places_are_alike() {
    let fused = |colour: &str, initial: &str| {
        let net = File::default()
            .colour("U", false, "<unit/>")
            .colour("V", false, "<int/>")
            .place("a", "U", "()")
            .place("b", colour, initial);
        let fusion = "<fusion id='f' name='F'><fusion_elm idref='a'/><fusion_elm idref='b'/></fusion></cpnet>";
        net.text().replace("</cpnet>", fusion)
    };
    assert_eq!(unused(&fused("U", "")), [""; 0]);
    check(&fused("U", "2`()"), "`b` has two initial markings");
    check(&fused("V", ""), "`b` has two colour sets");
}

#[test]
fn pages_that_are_left_out_are_named() {
    let instances = "<instances><instance id='i' page='A'/></instances></cpnet>";
    let text = File::default().page("A").page("B").text();
    let listed = text.replace("</cpnet>", instances);
    assert_eq!(unused(&text), [""; 0]);
    assert_eq!(
        unused(&listed),
        ["page B is left out: the file lists no instance of it"]
    );
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

/// What a net of one transition does wrong when it is explored; the first argument is what stands on the place, the second what a
/// step makes of it.
fn fault(colour: &str, declared: &str, initial: &str, made: &str) -> String {
    let text = File::default()
        .colour("I", false, "<int/>")
        .colour("S", false, "<string/>")
        .colour("L", false, "<list><id>I</id></list>")
        .colour("LL", false, "<list><id>L</id></list>")
        .declare(&format!("var x : {colour}; {declared}"))
        .place("a", colour, initial)
        .transition("t", "", "")
        .arc("PtoT", "a", "t", "x")
        .arc("TtoP", "a", "t", made)
        .text();
    let system = read(&text, &LoadOptions::default()).system;
    match explore(Arc::new(system), 1000) {
        Err(Fault::Model { message, .. }) => message,
        other => panic!("{made}: {other:?}"),
    }
}

#[test]
fn whatever_grows_without_end_ends() {
    for (colour, declared, initial, made, expected) in [
        ("L", "", "1`[1]", "x ^^ x", "more than 1,000,000 parts"),
        ("S", "", "1`\"x\"", "x ^ x", "more than"),
        (
            "LL",
            "",
            "1`[[1]]",
            "List.map (fn l => l ^^ l) x ^^ x",
            "more than 1,000,000 parts",
        ),
        ("I", "", "1`3", "x * x", "a number has more than 63 bits"),
        (
            "I",
            "",
            "1`1",
            "length (List.tabulate (1000000000, fn i => i))",
            "more than",
        ),
        (
            "I",
            "",
            "1`1",
            "String.size (L.mkstr (List.tabulate (1000000, fn i => i))) div 0",
            "more than",
        ),
        (
            "I",
            "fun f n = if n = 0 then 0 else 1 + f (n - 1);",
            "1`10000000",
            "f x",
            "levels deep",
        ),
        (
            "I",
            "fun f n = f (n + 1) : int;",
            "1`1",
            "f x",
            "more than 10000000 steps",
        ),
        (
            "I",
            "fun f n = n :: f n;",
            "1`1",
            "length (f x)",
            "levels deep",
        ),
    ] {
        let message = fault(colour, declared, initial, made);
        assert!(message.contains(expected), "{made}: {message}");
    }
}

/// Tokens of an initial marking are looked at as those of a step are.
#[test]
fn initial_markings_are_of_their_colour_sets() {
    let net = |initial: &str| {
        File::default()
            .colour("I", false, "<int/>")
            .colour("D", false, "<int><with><ml>1</ml><ml>3</ml></with></int>")
            .colour("LD", false, "<list><id>D</id></list>")
            .place("a", "LD", initial)
            .text()
    };
    read(&net("1`[1, 2, 3] ++ 2`[]"), &LoadOptions::default());
    check(
        &net("1`[1] ++ 1`[2, 7]"),
        "`[2,7]` is not in colour set `LD`",
    );
    check(
        &net("1`List.tabulate (600000, fn _ => 1)"),
        "more than 1,000,000 parts",
    );
}

/// Multiplicities are added up; too large a sum is an error, not a small number.
#[test]
fn tokens_are_not_lost_among_too_many() {
    let text = File::default()
        .colour("I", false, "<int/>")
        .declare("var n : I;")
        .place("a", "I", "1`1")
        .place("b", "I", "")
        .transition("t", "", "")
        .arc("BOTHDIR", "a", "t", "n")
        .arc("TtoP", "b", "t", "4611686018427387903`n")
        .text();
    let system = read(&text, &LoadOptions::default()).system;
    match explore(Arc::new(system), 1000) {
        Err(Fault::Model { message, .. }) => {
            assert!(message.contains("too many tokens"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}
