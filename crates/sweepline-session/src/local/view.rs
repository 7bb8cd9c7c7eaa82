//! What is shown of local graphs.

use sweepline_core::{ActionId, StopReason, System, Verdict};
use sweepline_graph::{Graph, GraphEdge, GraphState, StateId};
use sweepline_reduce::local::{LocalGraph, LocalGraphs};

use super::{LocalAnalysis, LocalClaim, LocalMethod};
use crate::error::Error;
use crate::units;

impl LocalAnalysis {
    /// What the local graph says of a claim, in words.
    pub fn said(&self, claim: &LocalClaim) -> String {
        let states = |count: usize| units::counted(count as u64, "local state");
        let (Some(violating), Some(valueless)) = (claim.violating, claim.valueless) else {
            return "there are no local graphs; the whole model is asked".into();
        };
        let what = match (violating, valueless) {
            (0, 0) => return format!("in all local states of {}", claim.process),
            (_, 0) => format!("violated in {}", states(violating)),
            (0, _) => format!("without a value in {}", states(valueless)),
            _ => {
                let others = units::grouped(valueless as u64);
                format!(
                    "violated in {}, without a value in {others}",
                    states(violating)
                )
            }
        };
        match self.method {
            LocalMethod::Mono => format!("{what}; the whole model is asked for the way there"),
            _ => format!("{what}, which may be unreachable; the whole model is asked"),
        }
    }

    /// What processes really see, if the whole model could be explored.
    pub fn exact(&self) -> Option<&LocalGraphs> {
        match self.method {
            LocalMethod::Mono => self.graphs.as_ref().ok(),
            _ => self.exact.as_ref(),
        }
    }

    /// How the graphs were made, in words.
    pub fn described(&self) -> String {
        let how = match self.method {
            LocalMethod::Ls3 => "LS3: pairs of processes are followed",
            LocalMethod::Modular => "thread-modular: what processes guarantee towards each other",
            LocalMethod::Mono => "Mono: what processes see of all states of the whole model",
        };
        format!("{how}, {}", units::duration(self.elapsed))
    }

    /// What is known of everything that is claimed. If nothing is, it counts whether there are graphs.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let claims = self.claims.iter();
        let mut verdicts: Vec<_> = claims.map(|claim| claim.answer.verdict.clone()).collect();
        if let (true, Err(why)) = (verdicts.is_empty(), &self.graphs) {
            let why = StopReason::Other(why.to_string());
            verdicts.push(Verdict::Inconclusive(why));
        }
        verdicts
    }

    /// What is to be said besides the table.
    pub fn notes(&self) -> Vec<String> {
        let graphs = match &self.graphs {
            Err(why) => return vec![format!("no local graphs: {why}")],
            Ok(graphs) => graphs,
        };
        let mut notes = Vec::new();
        if graphs.pairs() > 0 {
            let pairs = units::counted(graphs.pairs() as u64, "pair");
            notes.push(format!("{pairs} of local states"));
        }
        notes.extend(self.unexplored.as_ref().map(|why| match why {
            StopReason::States { .. } | StopReason::Memory { .. } | StopReason::OutOfMemory => {
                "?: the whole model is too large to tell which local states are reachable".into()
            }
            why => format!("?: it is not known which local states are reachable: {why}"),
        }));
        notes
    }

    /// What is above the rows of [`LocalAnalysis::rows`].
    pub const HEADINGS: [&'static str; 6] =
        ["process", "slots", "states", "steps", "reachable", "steps"];

    /// One row per process, for a table. Nothing is known to be reachable if the whole model is too large.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let Ok(graphs) = &self.graphs else {
            return Vec::new();
        };
        let count = |number: usize| units::grouped(number as u64);
        let rows = self.processes.iter().enumerate().map(|(process, name)| {
            let graph = graphs.of(process);
            let exact = self.exact().map(|exact| exact.of(process));
            let known = |figure: fn(&LocalGraph) -> usize| {
                exact.map_or_else(|| "?".into(), |graph| count(figure(graph)))
            };
            vec![
                name.clone(),
                count(graphs.views().slots(process).len()),
                count(graph.states()),
                count(graph.transitions()),
                known(LocalGraph::states),
                known(LocalGraph::transitions),
            ]
        });
        rows.collect()
    }

    /// The graph of a process, to be written to a file. Where it is known, states say whether they are reachable.
    pub fn graph(&self, process: &str) -> Result<Graph, Error> {
        let number = self.processes.iter().position(|name| name == process);
        let number = number.ok_or_else(|| Error::NoSuchProcess {
            process: process.to_owned(),
            help: format!("there are {}", self.processes.join(", ")),
        })?;
        let graphs = self.graphs.as_ref().map_err(|why| Error::NotLocal {
            text: process.to_owned(),
            why: why.to_string(),
            help: "raise the limit, or take another --method".into(),
        })?;
        let exact = self.exact().map(|exact| exact.of(number));
        let graph = graphs.of(number);
        let layout = graphs.views().system().layout();
        let seen = graphs.views().slots(number);
        let states = (0..graph.states()).zip(0_i64..).map(|(state, id)| {
            let words = graph.state(state);
            let shown = seen.iter().map(|slot| {
                let slot = layout.slot(*slot);
                (slot.name.clone(), slot.show(slot.read(words)))
            });
            let reachable = exact.map(|exact| exact.find(words).is_some());
            GraphState {
                id,
                progress: 0,
                truths: reachable.into_iter().collect(),
                shown: shown.collect(),
            }
        });
        let edges = (0..graph.states())
            .zip(0_u32..)
            .flat_map(|(state, source)| {
                graph.edges(state).iter().map(move |edge| GraphEdge {
                    source: StateId(source),
                    action: ActionId(edge.action),
                    target: StateId(edge.target),
                })
            });
        let actions = graphs.views().program().actions().iter();
        Ok(Graph::new(
            exact.map(|_| "reachable".to_owned()).into_iter().collect(),
            actions.map(|action| action.name.clone()).collect(),
            states.collect(),
            edges.collect(),
            vec![StateId(0)],
        ))
    }
}
