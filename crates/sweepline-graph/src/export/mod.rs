//! Writing graphs.

mod aut;
mod dot;
mod graphml;
mod ss;

use std::io;

use miette::Diagnostic;
use sweepline_core::StopReason;

use crate::graph::{Graph, StateId};

pub use aut::write_aut;
pub use dot::write_dot;
pub use graphml::write_graphml;
pub use ss::write_ss;

/// Why a graph could not be written.
#[derive(Debug, Diagnostic, thiserror::Error)]
pub enum WriteError {
    /// The file could not be written.
    #[error("the graph could not be written")]
    #[diagnostic(code(export::io))]
    Io(#[from] io::Error),

    /// A limit was reached, or somebody wanted an end, before everything was written.
    #[error("{0}")]
    #[diagnostic(code(export::stopped))]
    Stopped(StopReason),

    /// The format knows exactly one initial state.
    #[error("the graph has {count} initial states, but the format has exactly one")]
    #[diagnostic(code(export::initial_states), help("DOT can show several"))]
    InitialStates {
        /// How many there are.
        count: usize,
    },

    /// A name with a line break, in a format where lines matter.
    #[error("the name `{name}` contains a line break, which the format cannot express")]
    #[diagnostic(code(export::line_break), help("write DOT, or rename it"))]
    LineBreak {
        /// The name.
        name: String,
    },
}

/// The one initial state.
fn initial_state(graph: &Graph) -> Result<StateId, WriteError> {
    match graph.initial() {
        [only] => Ok(*only),
        several => Err(WriteError::InitialStates {
            count: several.len(),
        }),
    }
}

/// All states, the initial one first.
fn initial_first(graph: &Graph, initial: StateId) -> impl Iterator<Item = StateId> + use<> {
    let others = graph.ids().filter(move |&state| state != initial);
    std::iter::once(initial).chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphEdge, GraphState};
    use crate::read_ss;
    use crate::testing::rendered;
    use insta::assert_snapshot;
    use proptest::prelude::*;
    use sweepline_core::ActionId;

    type Writer = fn(&Graph, &mut Vec<u8>) -> Result<(), WriteError>;

    fn written(graph: &Graph, writer: Writer) -> String {
        let mut out = Vec::new();
        match writer(graph, &mut out) {
            Ok(()) => String::from_utf8(out).unwrap(),
            Err(error) => rendered(&error),
        }
    }

    /// Two states; the second is initial, and the first a deadlock with odd values.
    fn graph() -> Graph {
        let state = |id, truth| GraphState {
            id,
            progress: 10 * id,
            truths: [truth, true].into(),
            shown: vec![("x".into(), "a \"b\" \\N\nc".into())],
        };
        let edge = |source, action, target| GraphEdge {
            source: StateId(source),
            action: ActionId(action),
            target: StateId(target),
        };
        Graph::new(
            vec!["p".into(), "!q r".into()],
            vec!["send".into(), "say \"hi\" \\o".into()],
            vec![state(3, true), state(4, false)],
            vec![edge(1, 0, 0), edge(1, 1, 1)],
            vec![StateId(1)],
        )
    }

    #[test]
    fn every_format_is_written() {
        assert_snapshot!(written(&graph(), write_ss), @r#"
        4 40 2 !p "!q r" send 3 "say ""hi"" \o" 4
        3 30 2 p "!q r"
        "#);
        assert_snapshot!(written(&graph(), write_aut), @r#"
        des (0, 2, 2)
        (0, "send", 1)
        (0, "say \"hi\" \\o", 0)
        "#);
        assert_snapshot!(written(&graph(), write_dot), @r#"
        digraph {
          node [shape=box];
          initial0 [shape=point];
          initial0 -> 1;
          0 [label="0\nx = a \"b\" \\N\nc\n{p, !q r}", peripheries=2];
          1 [label="1\nx = a \"b\" \\N\nc\n{!q r}"];
          1 -> 0 [label="send"];
          1 -> 1 [label="say \"hi\" \\o"];
        }
        "#);
        assert_snapshot!(written(&graph(), write_graphml), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
          <key id="label" for="edge" attr.name="label" attr.type="string"/>
          <key id="initial" for="node" attr.name="initial" attr.type="boolean"/>
          <key id="progress" for="node" attr.name="progress" attr.type="long"/>
          <key id="values" for="node" attr.name="values" attr.type="string"/>
          <key id="p0" for="node" attr.name="p" attr.type="boolean"/>
          <key id="p1" for="node" attr.name="!q r" attr.type="boolean"/>
          <graph edgedefault="directed">
            <node id="n0">
              <data key="progress">30</data>
              <data key="values">x = a &quot;b&quot; \N&#10;c</data>
              <data key="p0">true</data>
              <data key="p1">true</data>
            </node>
            <node id="n1">
              <data key="initial">true</data>
              <data key="progress">40</data>
              <data key="values">x = a &quot;b&quot; \N&#10;c</data>
              <data key="p0">false</data>
              <data key="p1">true</data>
            </node>
            <edge source="n1" target="n0"><data key="label">send</data></edge>
            <edge source="n1" target="n1"><data key="label">say &quot;hi&quot; \o</data></edge>
          </graph>
        </graphml>
        "#);
    }

    #[test]
    fn what_a_format_cannot_express_is_refused() {
        let (states, edges) = (graph().states().to_vec(), graph().edges().to_vec());
        let labels = vec!["send".into(), "two\nlines".into()];
        let broken = Graph::new(Vec::new(), labels, states.clone(), edges, vec![StateId(0)]);
        assert_snapshot!(written(&broken, write_ss), @r"
        export::line_break

          × the name `two
          │ lines` contains a line break, which the format cannot express
          help: write DOT, or rename it
        ");
        assert_snapshot!(written(&broken, write_aut), @r"
        export::line_break

          × the name `two
          │ lines` contains a line break, which the format cannot express
          help: write DOT, or rename it
        ");
        assert!(written(&broken, write_dot).contains("two\\nlines"));
        let several = Graph::new(
            Vec::new(),
            Vec::new(),
            states,
            Vec::new(),
            vec![StateId(0), StateId(1)],
        );
        assert_snapshot!(written(&several, write_ss), @r"
        export::initial_states

          × the graph has 2 initial states, but the format has exactly one
          help: DOT can show several
        ");
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof!["[a-z]{1,2}", "[a-z!\"#& \\\\]{0,4}", any::<String>()]
            .prop_filter("the format has lines", |name| !name.contains(['\n', '\r']))
    }

    fn names(least: usize) -> impl Strategy<Value = Vec<String>> {
        prop::collection::hash_set(name(), least..4).prop_map(|names| {
            let keep = |name: &String| !["state", "progress"].contains(&name.as_str());
            names.into_iter().filter(keep).collect()
        })
    }

    prop_compose! {
        /// A graph in which every action labels an edge, in the order of its labels, as reading finds them.
        fn random_graph()(
            propositions in names(0),
            actions in names(1),
            ids in prop::collection::hash_set(any::<i64>(), 1..6),
        )(
            states in ids
                .iter()
                .map(|&id| (Just(id), any::<i64>(), prop::collection::vec(any::<bool>(), propositions.len())))
                .collect::<Vec<_>>(),
            edges in prop::collection::vec((0..ids.len(), 0..actions.len().max(1), 0..ids.len()), 0..12),
            propositions in Just(propositions),
            actions in Just(actions),
        ) -> Graph {
            let states = states.into_iter().map(|(id, progress, truths)| GraphState {
                id,
                progress,
                truths: truths.into(),
                shown: Vec::new(),
            });
            let index = |number: usize| u32::try_from(number).unwrap();
            let mut edges = edges;
            edges.retain(|(_, action, _)| *action < actions.len());
            edges.sort_by_key(|(source, ..)| *source);
            let mut used: Vec<usize> = Vec::new();
            let mut renamed = Vec::new();
            for (source, action, target) in edges {
                let number = used.iter().position(|&other| other == action).unwrap_or_else(|| {
                    used.push(action);
                    used.len() - 1
                });
                renamed.push(GraphEdge {
                    source: StateId(index(source)),
                    action: ActionId(index(number)),
                    target: StateId(index(target)),
                });
            }
            let actions = used.into_iter().map(|action| actions[action].clone()).collect();
            Graph::new(propositions, actions, states.collect(), renamed, vec![StateId(0)])
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(graph in random_graph()) {
            let text = written(&graph, write_ss);
            match read_ss(&text.as_str().into()) {
                Ok(read) => prop_assert_eq!(read, graph, "{}", text),
                Err(errors) => prop_assert!(false, "{}\n{}", text, rendered(&errors)),
            }
        }
    }
}
