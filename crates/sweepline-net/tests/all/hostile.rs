//! Whatever the bytes, reading ends with a net, properties or a report.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;
use sweepline_net::{PnmlOptions, family, read_pnml, read_properties, write_pnml};

const PROPERTIES: &str = "<?xml version='1.0'?>
<property-set xmlns='http://mcc.lip6.fr/'>
  <property><id>p0</id><formula><exists-path><finally><conjunction>
    <negation><is-fireable><transition>takel_0</transition></is-fireable></negation>
    <integer-le><tokens-count><place>th_0</place><place>f_0</place></tokens-count>
      <integer-constant>1</integer-constant></integer-le>
  </conjunction></finally></exists-path></formula></property>
  <property><id>p1</id><formula><place-bound><place>e_0</place></place-bound></formula></property>
  <property><id>p2</id><formula><all-paths><until>
    <before><true/></before><reach><deadlock/></reach></until></all-paths></formula></property>
</property-set>";

/// A change: where (in thousandths of the text), how much is removed, and what is put there.
fn changes() -> impl Strategy<Value = Vec<(usize, usize, Vec<u8>)>> {
    let word = prop_oneof![
        Just(b"<".to_vec()),
        Just(b"</page>".to_vec()),
        Just(b"<page id='x'>".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"&#0;".to_vec()),
        Just(b"&lt;".to_vec()),
        Just(b"<![CDATA[".to_vec()),
        Just(b"<!-- -->".to_vec()),
        Just(b"<!DOCTYPE a [".to_vec()),
        Just(b"-1".to_vec()),
        Just(b"99999999999999999999".to_vec()),
        Just("ü".as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec((0..1000_usize, 0..30_usize, word), 0..5)
}

fn changed(text: &str, changes: &[(usize, usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (thousandth, removed, added) in changes {
        let start = bytes.len() * thousandth / 1000;
        let end = (start + removed).min(bytes.len());
        bytes.splice(start..end, added.iter().copied());
    }
    bytes
}

fn render(error: &dyn Diagnostic) {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    handler.render_report(&mut String::new(), error).unwrap();
}

proptest! {
    #[test]
    fn broken_nets_are_reported(changes in changes()) {
        let bytes = changed(&write_pnml(&family::philosophers(2)), &changes);
        if let Err(errors) = read_pnml("net.pnml", &bytes, &PnmlOptions::default()) {
            prop_assert!(!errors.errors().is_empty());
            render(&errors);
        }
    }

    #[test]
    fn broken_properties_are_reported(changes in changes()) {
        let bytes = changed(PROPERTIES, &changes);
        match read_properties("properties.xml", &bytes, &family::philosophers(2)) {
            Ok(set) => set.refused.iter().for_each(|refusal| render(refusal)),
            Err(errors) => {
                prop_assert!(!errors.errors().is_empty());
                render(&errors);
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_reported(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        render(&read_pnml("net.pnml", &bytes, &PnmlOptions::default()).unwrap_err());
    }
}
