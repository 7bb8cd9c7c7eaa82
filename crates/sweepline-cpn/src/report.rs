//! State space reports in the sections that users of CPN Tools know.

mod bounds;
mod fairness;
mod graph;

use std::fmt::{self, Write};

use sweepline_core::{Limits, StopReason};

use crate::query::{self, Answer, Note, Told};
use crate::system::CpnSystem;
pub use bounds::Bounds;
pub use fairness::Fairness;
pub(crate) use graph::Graph;

/// Names are aligned up to this length.
const WIDEST: usize = 1000;

/// How many markings of a kind are listed.
const LISTED: usize = 10;

/// What is said where a marking that was not seen may make a difference.
const UNKNOWN: &str = "Unknown: not everything was explored";

/// What a report of CPN Tools says about a state space, as far as it was explored.
///
/// Markings have numbers in the order in which they are found, from 1.
#[derive(Clone, Debug)]
pub struct Report {
    /// Markings.
    pub nodes: usize,
    /// Occurrences, one for each binding.
    pub arcs: usize,
    /// Why not everything was explored.
    pub stopped: Option<StopReason>,
    /// Strongly connected components.
    pub components: usize,
    /// Occurrences that lead from one component to another.
    pub component_arcs: usize,
    /// The bounds of each place.
    pub bounds: Vec<Bounds>,
    /// Markings that can be reached from all others; nothing if that is not known.
    pub home: Option<Vec<usize>>,
    /// Markings without a step, of those that were explored.
    pub dead_markings: Vec<usize>,
    /// Transitions that do not occur in what was explored.
    pub dead: Vec<String>,
    /// Transitions that can occur again, whatever has happened, if everything was explored.
    pub live: Vec<String>,
    /// How fair infinite runs are to each transition; empty if there are none.
    pub fairness: Vec<(String, Fairness)>,
    /// What the queries of the model say.
    pub queries: Vec<Told>,
}

impl CpnSystem {
    /// Explores everything within limits and says what there is, and what the queries among some texts say.
    pub fn report(&self, notes: &[Note], limits: &Limits) -> Result<Report, String> {
        let graph = Graph::explore(self, limits)?;
        let components = graph.components();
        let crossing = |&(from, to, _): &(u32, u32, u32)| {
            components.of[from as usize] != components.of[to as usize]
        };
        let component_arcs = graph.edges.iter().filter(|edge| crossing(edge)).count();
        let is_complete = graph.stopped.is_none();
        let terminal = graph.terminal(&components);
        let names = |wanted: &dyn Fn(u32) -> bool| -> Vec<String> {
            let actions = (0..).zip(&self.shared.actions);
            let wanted = actions.filter(|(action, _)| wanted(*action));
            wanted.map(|(_, name)| name.clone()).collect()
        };
        let occurring = graph.occurring();
        let lively = graph.live(&components, &terminal);
        Ok(Report {
            nodes: graph.states.len(),
            arcs: graph.edges.len(),
            components: components.count as usize,
            component_arcs,
            bounds: graph.bounds(),
            home: is_complete.then(|| Graph::home(&components, &terminal)),
            dead_markings: graph.dead(),
            dead: names(&|action| !occurring.contains(&action)),
            live: names(&|action| lively.contains(&action)),
            fairness: graph.fairness(&self.shared.actions),
            queries: query::asked(&graph, notes),
            stopped: graph.stopped,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statistics(f)?;
        self.boundedness(f)?;
        self.home(f)?;
        self.liveness(f)?;
        self.fairness(f)?;
        self.queries(f)
    }
}

fn heading(f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
    writeln!(f, "{title}\n{}", "-".repeat(72))
}

/// Some of the numbers of markings.
fn listed(markings: &[usize]) -> String {
    let shown: Vec<String> = markings
        .iter()
        .take(LISTED)
        .map(ToString::to_string)
        .collect();
    let more = markings.len().saturating_sub(LISTED);
    match (markings.len(), more) {
        (0, _) => "None".to_owned(),
        (_, 0) => format!("[{}]", shown.join(", ")),
        (count, _) => format!("{count} [{}, ...]", shown.join(", ")),
    }
}

fn named(names: &[String]) -> String {
    match names {
        [] => "None".to_owned(),
        _ => names.join("\n     "),
    }
}

impl Report {
    fn statistics(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        heading(f, "Statistics")?;
        let status = match &self.stopped {
            None => "Full".to_owned(),
            Some(reason) => format!("Partial: {reason}"),
        };
        writeln!(
            f,
            "  State Space\n     Nodes:  {}\n     Arcs:   {}\n     Status: {status}\n",
            self.nodes, self.arcs
        )?;
        writeln!(
            f,
            "  Scc Graph\n     Nodes:  {}\n     Arcs:   {}\n",
            self.components, self.component_arcs
        )
    }

    fn boundedness(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        heading(f, "Boundedness Properties")?;
        if self.stopped.is_some() {
            writeln!(f, "  Of what was explored only\n")?;
        }
        let names = self.bounds.iter().map(|bounds| bounds.place.len());
        let width = names.max().unwrap_or(0).clamp(22, WIDEST);
        writeln!(
            f,
            "  {:width$}  {:>6} {:>6}",
            "Best Integer Bounds", "Upper", "Lower"
        )?;
        for bounds in &self.bounds {
            let (name, (lower, upper)) = (&bounds.place, bounds.tokens);
            writeln!(f, "     {name:width$} {upper:>5} {lower:>6}")?;
        }
        for (title, is_upper) in [("Upper", true), ("Lower", false)] {
            writeln!(f, "\n  Best {title} Multi-set Bounds")?;
            for bounds in &self.bounds {
                let bound = if is_upper {
                    &bounds.upper
                } else {
                    &bounds.lower
                };
                writeln!(f, "     {:width$} {bound}", bounds.place)?;
            }
        }
        f.write_char('\n')
    }

    fn home(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        heading(f, "Home Properties")?;
        let home = match &self.home {
            None => UNKNOWN.to_owned(),
            Some(home) if home.len() == self.nodes => "All".to_owned(),
            Some(home) => listed(home),
        };
        writeln!(f, "  Home Markings\n     {home}\n")
    }

    fn liveness(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        heading(f, "Liveness Properties")?;
        // What was seen without a step has none, and what has occurred is not dead, whatever else there is.
        let is_partial = self.stopped.is_some();
        let dead_markings = match &self.dead_markings[..] {
            [] if is_partial => UNKNOWN.to_owned(),
            markings if is_partial => format!("{}, and perhaps others", listed(markings)),
            markings => listed(markings),
        };
        let dead = match &self.dead[..] {
            [_, ..] if is_partial => UNKNOWN.to_owned(),
            names => named(names),
        };
        let live = match &self.live[..] {
            _ if is_partial => UNKNOWN.to_owned(),
            names => named(names),
        };
        writeln!(f, "  Dead Markings\n     {dead_markings}\n")?;
        writeln!(f, "  Dead Transition Instances\n     {dead}\n")?;
        writeln!(f, "  Live Transition Instances\n     {live}\n")
    }

    fn fairness(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        heading(f, "Fairness Properties")?;
        if self.stopped.is_some() {
            return writeln!(f, "     {UNKNOWN}");
        }
        if self.fairness.is_empty() {
            return writeln!(f, "     No infinite occurrence sequences.");
        }
        let width = self.fairness.iter().map(|(name, _)| name.len()).max();
        let width = width.unwrap_or(0).min(WIDEST);
        for (name, fairness) in &self.fairness {
            writeln!(f, "     {name:width$}  {fairness}")?;
        }
        Ok(())
    }

    fn queries(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.queries.is_empty() {
            return Ok(());
        }
        f.write_char('\n')?;
        heading(f, "Queries of the Model")?;
        for Told { page, text, answer } in &self.queries {
            let answer = match answer {
                Ok(Answer::Truth(truth)) => truth.to_string(),
                Ok(Answer::Value(value)) => value.clone(),
                Err(why) => format!("not understood: {why}"),
            };
            writeln!(f, "  {text} (page {page})\n     {answer}")?;
        }
        Ok(())
    }
}
