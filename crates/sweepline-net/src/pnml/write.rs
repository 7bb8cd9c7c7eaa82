//! Writing PNML.

use std::fmt::{self, Display, Write};

use crate::net::{PetriNet, Place, PlaceArc, Transition};

/// The net as a PNML document of the grammar of 2009, on one page.
///
/// Inhibitor arcs, which that grammar does not have, are marked by `type="inhibitor"`. Characters that XML cannot
/// express are replaced.
///
/// ```
/// use sweepline_net::{PnmlOptions, family, read_pnml, write_pnml};
///
/// let net = family::philosophers(3);
/// let text = write_pnml(&net);
/// assert_eq!(read_pnml("again.pnml", text.as_bytes(), &PnmlOptions::default()).unwrap(), net);
/// ```
pub fn write_pnml(net: &PetriNet) -> String {
    let mut out = String::new();
    write_document(net, &mut out).expect("writing to a string cannot fail");
    out
}

fn write_document(net: &PetriNet, out: &mut String) -> fmt::Result {
    const GRAMMAR: &str = "http://www.pnml.org/version-2009/grammar";
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<pnml xmlns="{GRAMMAR}/pnml">"#)?;
    writeln!(
        out,
        r#"  <net id="{}" type="{GRAMMAR}/ptnet">"#,
        Escaped(net.id())
    )?;
    writeln!(out, r#"    <page id="{}">"#, Escaped(&fresh_id(net)))?;
    for place in net.places() {
        write_place(place, out)?;
    }
    for transition in net.transitions() {
        write_name("transition", &transition.id, &transition.name, out)?;
        writeln!(out, "</transition>")?;
    }
    let mut arcs = ArcWriter { net, count: 0, out };
    for transition in net.transitions() {
        arcs.write_all(transition)?;
    }
    writeln!(out, "    </page>\n  </net>\n</pnml>")
}

/// An id for the page that no node has.
fn fresh_id(net: &PetriNet) -> String {
    let taken = |id: &str| {
        id == net.id() || net.place_with_id(id).is_some() || net.transition_with_id(id).is_some()
    };
    let mut id = "page".to_owned();
    while taken(&id) {
        id.push('_');
    }
    id
}

fn write_place(place: &Place, out: &mut String) -> fmt::Result {
    write_name("place", &place.id, &place.name, out)?;
    if place.initial > 0 {
        write!(
            out,
            "<initialMarking><text>{}</text></initialMarking>",
            place.initial
        )?;
    }
    writeln!(out, "</place>")
}

fn write_name(element: &str, id: &str, name: &str, out: &mut String) -> fmt::Result {
    let (id, name) = (Escaped(id), Escaped(name));
    write!(
        out,
        r#"      <{element} id="{id}"><name><text>{name}</text></name>"#
    )
}

struct ArcWriter<'a> {
    net: &'a PetriNet,
    count: usize,
    out: &'a mut String,
}

impl ArcWriter<'_> {
    fn write_all(&mut self, transition: &Transition) -> fmt::Result {
        let net = self.net;
        let place = |arc: &PlaceArc| &*net.place(arc.place).id;
        for arc in &transition.inputs {
            self.write(place(arc), &transition.id, "", arc.weight)?;
        }
        for arc in &transition.inhibitors {
            self.write(
                place(arc),
                &transition.id,
                r#" type="inhibitor""#,
                arc.weight,
            )?;
        }
        for arc in &transition.outputs {
            self.write(&transition.id, place(arc), "", arc.weight)?;
        }
        Ok(())
    }

    fn write(&mut self, source: &str, target: &str, kind: &str, weight: u64) -> fmt::Result {
        let id = self.fresh_id();
        let (source, target) = (Escaped(source), Escaped(target));
        write!(
            self.out,
            r#"      <arc id="{id}" source="{source}" target="{target}"{kind}"#
        )?;
        if weight == 1 {
            return writeln!(self.out, "/>");
        }
        writeln!(
            self.out,
            "><inscription><text>{weight}</text></inscription></arc>"
        )
    }

    /// An id for an arc that no node has.
    fn fresh_id(&mut self) -> String {
        loop {
            self.count += 1;
            let id = format!("arc{}", self.count);
            let net = self.net;
            if net.place_with_id(&id).is_none() && net.transition_with_id(&id).is_none() {
                return id;
            }
        }
    }
}

/// Text as it may stand in an attribute or element.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => write!(f, "&#{};", u32::from(c))?,
                '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                    f.write_char(char::REPLACEMENT_CHARACTER)?;
                }
                _ => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::net::MAX_TOKENS;
    use crate::{PnmlOptions, read_pnml};

    #[test]
    fn strange_names_survive() {
        let mut net = PetriNet::builder("page");
        let p = net.place_named("a<b>&\"c\"'\n", "größe & <mehr>", 7);
        let q = net.place_named("arc1", "x", 0);
        let t = net.transition("page_");
        net.input(t, p, 2)
            .output(t, q, 1)
            .inhibitor(t, q, 3)
            .inhibitor(t, p, 1);
        let net = net.build().unwrap();
        let text = write_pnml(&net);
        let again = read_pnml("f", text.as_bytes(), &PnmlOptions::default()).unwrap();
        assert_eq!(again, net);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            places in prop::collection::vec((".{0,6}", 0..=MAX_TOKENS), 1..4),
            transitions in prop::collection::vec(".{0,6}", 1..4),
            arcs in prop::collection::vec((0..4_usize, 0..4_usize, 0..3_u8, 1..9_u64), 0..9),
        ) {
            let mut net = PetriNet::builder("n");
            let xml = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
            let name = |text: &str| text.chars().filter(xml).collect::<String>();
            let ids = (0..).map(|i: u32| i.to_string());
            let places: Vec<_> = places
                .iter()
                .zip(ids.clone())
                .map(|((text, n), id)| net.place(format!("p{id}{}", name(text)), *n))
                .collect();
            let transitions: Vec<_> = transitions
                .iter()
                .zip(ids)
                .map(|(text, id)| net.transition(format!("t{id}{}.", name(text))))
                .collect();
            for (transition, place, kind, weight) in arcs {
                let t = transitions[transition % transitions.len()];
                let p = places[place % places.len()];
                match kind {
                    0 => net.input(t, p, weight),
                    1 => net.output(t, p, weight),
                    _ => net.inhibitor(t, p, weight),
                };
            }
            let net = net.build().unwrap();
            let text = write_pnml(&net);
            let again = read_pnml("f", text.as_bytes(), &PnmlOptions::default()).unwrap();
            // Names lose the space around them, ids keep it.
            let ids = |net: &PetriNet| net.places().iter().map(|p| p.id.clone()).collect::<Vec<_>>();
            prop_assert_eq!(ids(&again), ids(&net));
            let plain = |net: &PetriNet| {
                let arcs = |t: &Transition| (t.inputs.clone(), t.outputs.clone(), t.inhibitors.clone());
                (net.initial_marking(), net.transitions().iter().map(arcs).collect::<Vec<_>>())
            };
            prop_assert_eq!(plain(&again), plain(&net));
        }
    }
}
