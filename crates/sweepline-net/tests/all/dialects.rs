//! PNML as various tools and times write it.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use sweepline_net::{PetriNet, PnmlOptions, read_pnml};

fn read(text: &str) -> PetriNet {
    read_pnml("test.pnml", text.as_bytes(), &PnmlOptions::default()).unwrap()
}

/// The net as one line per place and transition.
fn summary(net: &PetriNet) -> String {
    let arcs = |arcs: &[sweepline_net::PlaceArc]| {
        let arc =
            |arc: &sweepline_net::PlaceArc| format!("{}*{}", arc.weight, net.place(arc.place).id);
        arcs.iter().map(arc).collect::<Vec<_>>().join("+")
    };
    let places = net
        .places()
        .iter()
        .map(|place| format!("{} = {}\n", place.id, place.initial));
    let transitions = net.transitions().iter().map(|transition| {
        let (inputs, outputs) = (arcs(&transition.inputs), arcs(&transition.outputs));
        let inhibitors = match &*transition.inhibitors {
            [] => String::new(),
            some => format!(" unless {}", arcs(some)),
        };
        let line = format!("{}: {inputs} -> {outputs}{inhibitors}", transition.id);
        line.trim_end().to_owned() + "\n"
    });
    places.chain(transitions).collect()
}

fn check(text: &str, expected: &str) {
    let expected: String = expected
        .trim()
        .lines()
        .map(|line| line.trim().to_owned() + "\n")
        .collect();
    assert_eq!(summary(&read(text)), expected);
}

#[test]
fn the_grammar_of_2009() {
    check(
        r#"<?xml version="1.0" encoding="UTF-8"?>
        <pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
          <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
            <name><text>example</text></name>
            <toolspecific tool="nupn" version="1.1">
              <size places="2" transitions="1" arcs="2"/>
              <structure units="1" root="u" safe="true"><unit id="p"><places>p q</places></unit></structure>
            </toolspecific>
            <page id="g">
              <place id="p"><graphics><position x="1" y="2"/></graphics>
                <initialMarking><graphics/><text> 3 <!-- three --></text></initialMarking></place>
              <place id="q"><name><text>other</text></name></place>
              <transition id="t"/>
              <arc id="a" source="p" target="t"><inscription><text>2</text></inscription></arc>
              <arc id="b" source="t" target="q"/>
            </page>
          </net>
        </pnml>"#,
        "p = 3
         q = 0
         t: 2*p -> 1*q",
    );
}

#[test]
fn a_prefix_for_everything_and_elements_of_others() {
    check(
        r#"<x:pnml xmlns:x="http://www.pnml.org/version-2009/grammar/pnml" xmlns:y="http://example.org/y">
          <x:net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><x:page id="g">
            <x:place id="p"><y:initialMarking>9</y:initialMarking>
              <x:initialMarking><x:text>1</x:text></x:initialMarking></x:place>
            <y:place id="q"/>
          </x:page></x:net>
        </x:pnml>"#,
        "p = 1",
    );
}

#[test]
fn old_namespaces_and_none() {
    let inner = r#"<net id="n" type="http://www.informatik.hu-berlin.de/top/pntd/ptNetb">
        <place id="p"><initialMarking><value>4</value></initialMarking></place></net>"#;
    for namespace in [
        "",
        r#" xmlns="http://www.informatik.hu-berlin.de/top/pnml/ptNetb""#,
        r#" xmlns="http://www.example.org/pnml""#,
        r#" xmlns="http://www.pnml.org/version-2003/grammar/pnml""#,
    ] {
        check(&format!("<pnml{namespace}>{inner}</pnml>"), "p = 4");
    }
}

#[test]
fn files_of_pipe() {
    check(
        r#"<?xml version="1.0" encoding="ISO-8859-1"?>
        <pnml><net id="Net-One" type="P/T net">
          <token id="Default" enabled="true" red="0" green="0" blue="0"/>
          <place id="P0"><name><value>P0</value></name>
            <initialMarking><value>Default,1</value></initialMarking>
            <capacity><value>0</value></capacity></place>
          <place id="P1"><initialMarking><value>Default,0</value></initialMarking></place>
          <transition id="T0"><rate><value>1.0</value></rate><timed><value>false</value></timed>
            <priority><value>1</value></priority></transition>
          <transition id="T1"><timed><value>false</value></timed><priority><value>1</value></priority></transition>
          <arc id="P0 to T0" source="P0" target="T0">
            <inscription><value>Default,2</value></inscription><tagged><value>false</value></tagged>
            <arcpath id="000" x="1" y="2" curvePoint="false"/><type value="normal"/></arc>
          <arc id="P1 to T0" source="P1" target="T0">
            <inscription><value>Default,3</value></inscription><type value="inhibitor"/></arc>
          <arc id="T0 to P1" source="T0" target="P1"><inscription/><type value="normal"/></arc>
        </net></pnml>"#,
        "P0 = 1
         P1 = 0
         T0: 2*P0 -> 1*P1 unless 3*P1
         T1:  -> ",
    );
}

#[test]
fn inhibitor_and_read_arcs_in_all_notations() {
    let arc = |inner: &str| {
        format!(r#"<pnml><net id="n"><place id="p"/><transition id="t"/>{inner}</net></pnml>"#)
    };
    let weight = "<inscription><text>2</text></inscription>";
    for notation in [
        format!(r#"<arc source="p" target="t" type="inhibitor">{weight}</arc>"#),
        format!(r#"<arc source="p" target="t"><type value="inhibitor"/>{weight}</arc>"#),
        format!(r#"<arc source="p" target="t">{weight}<type><text>inhibitor</text></type></arc>"#),
        format!(
            r#"<arc source="p" target="t">{weight}<arctype><text>inhibitor</text></arctype></arc>"#
        ),
    ] {
        check(&arc(&notation), "p = 0\nt:  ->  unless 2*p");
    }
    for notation in ["read", "test"] {
        let text = format!(r#"<arc source="p" target="t" type="{notation}">{weight}</arc>"#);
        check(&arc(&text), "p = 0\nt: 2*p -> 2*p");
    }
}

#[test]
fn pages_and_references() {
    check(
        r#"<pnml><net id="n">
          <page id="outer">
            <place id="p"><initialMarking><text>1</text></initialMarking></place>
            <page id="inner">
              <referencePlace id="r1" ref="r2"/>
              <transition id="t"/>
              <arc id="a" source="r1" target="t"/>
              <page id="innermost"><place id="q"/></page>
            </page>
          </page>
          <page id="second">
            <referencePlace id="r2" ref="p"/>
            <referenceTransition id="s" ref="t"/>
            <arc id="b" source="s" target="q"/>
            <arc id="c" source="p" target="s"/>
          </page>
        </net></pnml>"#,
        "p = 1
         q = 0
         t: 2*p -> 1*q",
    );
}

#[test]
fn one_of_several_nets() {
    let text = r#"<pnml><net id="a"><place id="p"/></net>
        <net id="b" type="symmetricnet"/><net id="c"><place id="q"/></net></pnml>"#;
    let options = PnmlOptions {
        net: Some("c".into()),
    };
    let net = read_pnml("f", text.as_bytes(), &options).unwrap();
    assert_eq!((net.id(), net.places()[0].id.as_str()), ("c", "q"));
}

#[test]
fn latin_letters_and_a_byte_order_mark() {
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<pnml><net id='n'><place id='gr\xF6\xDFe'/></net></pnml>";
    let marked = "\u{FEFF}<pnml><net id='n'><place id='größe'/></net></pnml>".as_bytes();
    for bytes in [&latin[..], marked] {
        let net = read_pnml("f", bytes, &PnmlOptions::default()).unwrap();
        assert_eq!(net.places()[0].id, "größe");
    }
}

#[test]
fn all_timed_transitions_of_a_stochastic_net() {
    let text =
        "<pnml><net id='n'><transition id='t'><timed><value>true</value></timed></transition>
        <transition id='u'><timed><value>true</value></timed></transition></net></pnml>";
    assert_eq!(read(text).transitions().len(), 2);
}

#[test]
fn references_share_ends() {
    let text = "<pnml><net id='n'><place id='p'/><transition id='t'/>
        <referencePlace id='a' ref='b'/><referencePlace id='b' ref='p'/><referencePlace id='c' ref='b'/>
        <arc source='a' target='t'/><arc source='c' target='t'/></net></pnml>";
    check(text, "p = 0\nt: 2*p ->");
}
