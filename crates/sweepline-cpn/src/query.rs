//! Queries to the state space tool of CPN Tools that stand in auxiliary texts, formulas of ASK-CTL among them.
//!
//! They are CPN ML, so that is what evaluates them, over all of the state space: markings and arcs are values of types of
//! their own, and `Mark.Page'Place 1 n`, `ArcToBE a` and the like look into tables. Whatever is not known is an error with a
//! place, as in any other text.

mod ask;
mod split;
mod world;

use sweepline_core::Limits;

use crate::report::Graph;
use crate::system::CpnSystem;
use world::World;

/// A text that belongs to no element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The page it stands on.
    pub page: String,
    /// What is written.
    pub text: String,
}

/// Words of queries.
const WORDS: [&str; 46] = [
    "eval_node",
    "eval_arc",
    "EvalNodes",
    "EvalAllNodes",
    "EvalArcs",
    "EvalAllArcs",
    "PredNodes",
    "PredAllNodes",
    "PredArcs",
    "PredAllArcs",
    "SearchNodes",
    "SearchAllNodes",
    "SearchArcs",
    "SearchAllArcs",
    "SearchReachableNodes",
    "SearchReachableArcs",
    "PredReachableNodes",
    "UpperInteger",
    "LowerInteger",
    "UpperMultiSet",
    "LowerMultiSet",
    "InitNode",
    "NoOfNodes",
    "NoOfArcs",
    "NoOfSccs",
    "SccNoOfNodes",
    "ArcsInPath",
    "NodesInPath",
    "NodesInPathByList",
    "DeadMarking",
    "ListDeadMarkings",
    "Reachable",
    "AllReachable",
    "HomeMarking",
    "ListHomeMarkings",
    "InitialHomeMarking",
    "HomeMarkingExists",
    "MinimalHomeSpace",
    "HomeSpace",
    "ListDeadTIs",
    "ListLiveTIs",
    "OutArcs",
    "InArcs",
    "OutNodes",
    "InNodes",
    "ArcToBE",
];

/// The beginnings of such words.
const BEGINNINGS: [&str; 5] = ["Mark.", "Bind.", "TI.", "BEs", "TIs"];

impl Note {
    /// Whether a query is written there.
    pub fn is_query(&self) -> bool {
        let mut words = words(&self.text);
        words.any(|word| {
            let begins = |beginning: &&str| {
                let rest = word.strip_prefix(*beginning);
                rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
            };
            WORDS.contains(&word) || BEGINNINGS.iter().any(begins)
        })
    }

    /// Whether other files are to be read.
    pub fn uses_files(&self) -> bool {
        words(&self.text).next() == Some("use")
    }
}

/// What may be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '.')));
    words.filter(|word| !word.is_empty())
}

/// A text in one line, without semicolons behind it.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_end_matches([' ', ';']).to_owned()
}

/// What a query says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The page it stands on.
    pub page: String,
    /// What is asked.
    pub text: String,
    /// The answer, or why there is none.
    pub answer: Result<Answer, String>,
}

/// The value of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is true or false.
    Truth(bool),
    /// Something else, as it is written.
    Value(String),
}

impl CpnSystem {
    /// Explores everything within limits and asks the queries among some texts. What a text declares, those after it know.
    pub fn ask(&self, notes: &[Note], limits: &Limits) -> Result<Vec<Told>, String> {
        if !notes.iter().any(Note::is_query) {
            return Ok(Vec::new());
        }
        let graph = Graph::explore(self, limits)?;
        Ok(asked(&graph, notes))
    }
}

/// What the queries among some texts say.
pub(crate) fn asked(graph: &Graph, notes: &[Note]) -> Vec<Told> {
    let mut told = Vec::new();
    let mut world = None;
    for note in notes.iter().filter(|note| !note.uses_files()) {
        let is_query = note.is_query();
        let declares = split::first_word(&note.text).is_some_and(split::declares);
        if !is_query && !declares {
            continue;
        }
        let world = world.get_or_insert_with(|| World::new(graph, notes));
        let mut asked = Vec::new();
        for part in split::parts(&note.text) {
            if split::first_word(part).is_some_and(split::declares) {
                let declared = world.as_mut().map_err(|why| why.clone());
                let declared = declared.and_then(|world| world.declare(part, &note.page));
                if let Err(why) = declared {
                    asked.push((part, Err(why)));
                    break;
                }
            } else if is_query {
                let answer = world.as_mut().map_err(|why| why.clone());
                let answer = answer.and_then(|world| world.answer(part, &note.page));
                asked.push((part, answer));
            }
        }
        // Somebody's functions may be for other tools.
        if is_query {
            let is_alone = asked.len() == 1;
            told.extend(asked.into_iter().map(|(part, answer)| {
                let text = if is_alone { &note.text } else { part };
                Told {
                    page: note.page.clone(),
                    text: one_line(text),
                    answer,
                }
            }));
        }
    }
    told
}
