//! No input makes the reader panic.

use proptest::prelude::*;
use sweepline_dve::{LoadOptions, read_dve, read_goals};
use sweepline_text::Source;

const MODEL: &str = "const byte N = 2; byte a[N] = {1, 2}; int b = -1;
channel c, d; channel {byte, int} e[N];
process P {
  byte x = 1; state s, t, u; init s; commit t; accept u; assert s: x >= 0, u: a[0] < 9;
  trans s -> t { guard x < N and not Q.v or a[x % N] == 1 imply true; sync c!x; effect x = x + 1, a[0] = x << 1; },
        -> u { sync e!{x, b}; },
  t -> s { effect b = -b / (x + 1) & ~3 ^ 5 | 7; };
}
process Q { byte y; int z; state v, w; init v;
  trans v -> w { sync c?y; }, w -> v { guard P->x != y; sync e?{y, z}; };
}
process L { state q, r; init q; accept r; trans q -> q {}, q -> r { guard P.s; }; }
system async property L;
";

const FAMILY: &str = "<!DOCTYPE model SYSTEM \"model.dtd\"><model>
<ap><ap-name>a</ap-name><ap-expression>myloop(i,0,decr(N), `P_`'i.CS', ` + ') > 1</ap-expression></ap>
<ap><ap-name>b</ap-name><ap-expression>P->x[2] - 3*y == -X or Q.q`'X</ap-expression></ap>
<property id='1' prop-type='reachability'><formula>a &amp;&amp; not b</formula></property>
<instance id='1'><parameters>N=3, X=4</parameters></instance></model>";

fn read(text: &str) -> bool {
    let options = LoadOptions {
        constants: vec![("N".into(), 3)],
        ..LoadOptions::default()
    };
    read_dve(&Source::new("model.dve", text), &options).is_ok()
}

#[test]
fn the_texts_themselves_are_right() {
    assert!(read(MODEL));
    assert_eq!(
        read_goals(&Source::new("family.xml", FAMILY), "1")
            .unwrap()
            .len(),
        1
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = MODEL.as_bytes().to_vec();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn changed_descriptions_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = FAMILY.as_bytes().to_vec();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let _ = read_goals(&Source::new("family.xml", text), "1");
    }

    #[test]
    fn missing_parts_never_panic(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 1..40_usize), 1..5),
    ) {
        let mut text = MODEL.to_string();
        for (index, length) in cuts {
            let start = index.index(text.len().max(1)).min(text.len());
            let end = (start + length).min(text.len());
            text.replace_range(start..end, "");
        }
        read(&text);
    }

    #[test]
    fn shuffled_words_never_panic(
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
    ) {
        let words: Vec<&str> = MODEL.split_whitespace().collect();
        let text: Vec<&str> = order.iter().map(|index| *index.get(&words)).collect();
        read(&text.join(" "));
    }
}
