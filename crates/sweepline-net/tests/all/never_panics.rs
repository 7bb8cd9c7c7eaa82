//! Symmetric nets with random mistakes in them: a net that can be written and explored, or messages.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use sweepline_core::{Steps, System};
use sweepline_net::{NetSystem, PnmlOptions, read_pnml, write_pnml};

/// Every kind of sort and term, and a table that is only read.
const NET: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
<declaration><structure><declarations>
  <namedsort id="c" name="c"><cyclicenumeration><feconstant id="c1" name="1"/><feconstant id="c2" name="2"/></cyclicenumeration></namedsort>
  <namedsort id="r" name="r"><finiteintrange start="0" end="3"/></namedsort>
  <namedsort id="d" name="d"><dot/></namedsort>
  <namedsort id="p" name="p"><productsort><usersort declaration="c"/><usersort declaration="r"/></productsort></namedsort>
  <partition id="q" name="q"><usersort declaration="c"/><partitionelement id="q1" name="q1"><useroperator declaration="c1"/></partitionelement>
    <partitionelement id="q2" name="q2"><useroperator declaration="c2"/></partitionelement></partition>
  <variabledecl id="x" name="x"><usersort declaration="c"/></variabledecl>
  <variabledecl id="i" name="i"><usersort declaration="r"/></variabledecl>
</declarations></structure></declaration>
<page id="g">
  <place id="a"><type><structure><usersort declaration="c"/></structure></type>
    <hlinitialMarking><structure><all><usersort declaration="c"/></all></structure></hlinitialMarking></place>
  <place id="table"><type><structure><usersort declaration="r"/></structure></type>
    <hlinitialMarking><structure><numberof><subterm><numberconstant value="2"><positive/></numberconstant></subterm>
      <subterm><finiteintrangeconstant value="1"><finiteintrange start="0" end="3"/></finiteintrangeconstant></subterm></numberof></structure></hlinitialMarking></place>
  <place id="b"><type><structure><usersort declaration="p"/></structure></type></place>
  <transition id="t"><condition><structure><and>
    <subterm><inequality><subterm><variable refvariable="x"/></subterm><subterm><useroperator declaration="c1"/></subterm></inequality></subterm>
    <subterm><lessthan><subterm><variable refvariable="i"/></subterm><subterm><finiteintrangeconstant value="2"><finiteintrange start="0" end="3"/></finiteintrangeconstant></subterm></lessthan></subterm>
  </and></structure></condition></transition>
  <arc id="1" source="a" target="t"><hlinscription><structure><subtract><subterm><all><usersort declaration="c"/></all></subterm>
    <subterm><successor><subterm><variable refvariable="x"/></subterm></successor></subterm></subtract></structure></hlinscription></arc>
  <arc id="2" source="table" target="t"><hlinscription><structure><variable refvariable="i"/></structure></hlinscription></arc>
  <arc id="3" source="t" target="table"><hlinscription><structure><variable refvariable="i"/></structure></hlinscription></arc>
  <arc id="4" source="t" target="b"><hlinscription><structure><tuple><subterm><predecessor><subterm><variable refvariable="x"/></subterm></predecessor></subterm>
    <subterm><variable refvariable="i"/></subterm></tuple></structure></hlinscription></arc>
</page></net></pnml>"#;

/// What may stand where something else has stood.
const PIECES: [&str; 20] = [
    "",
    "<",
    ">",
    "\"",
    "/>",
    "0",
    "-1",
    "99999999999999999999",
    "c1",
    "x",
    "all",
    "tuple",
    "successor",
    "subtract",
    "<subterm>",
    "</subterm>",
    "<dot/>",
    "<variable refvariable=\"i\"/>",
    "<usersort declaration=\"p\"/>",
    "inequality",
];

fn spoilt(mut bytes: Vec<u8>, mistakes: &[(usize, usize, usize)]) -> Vec<u8> {
    for &(at, length, piece) in mistakes {
        let at = at % (bytes.len() + 1);
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, PIECES[piece].bytes());
    }
    bytes
}

/// Reads, writes, and goes a few steps.
fn walk(bytes: &[u8]) -> bool {
    let Ok(net) = read_pnml("spoilt.pnml", bytes, &PnmlOptions::default()) else {
        return false;
    };
    let written = write_pnml(&net);
    let again = read_pnml("again.pnml", written.as_bytes(), &PnmlOptions::default());
    again.expect("what is written can be read");
    let system = NetSystem::new(net);
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    for _ in 0..10 {
        if steps.is_empty() || steps.fault().is_some() {
            break;
        }
        let state = steps.target(0).to_vec();
        steps.clear();
        system.successors(&state, &mut steps);
    }
    true
}

#[test]
fn without_mistakes_it_is_a_net() {
    assert!(walk(NET.as_bytes()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn no_mistake_makes_reading_panic(
        is_ours in any::<bool>(),
        mistakes in prop::collection::vec((0usize..100_000, 0usize..14, 0..PIECES.len()), 1..5),
    ) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let bytes = if is_ours {
            fs::read(folder.join("philosophers-coloured.pnml")).unwrap()
        } else {
            NET.as_bytes().to_vec()
        };
        walk(&spoilt(bytes, &mistakes));
    }
}
