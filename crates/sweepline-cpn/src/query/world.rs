//! What queries know of a state space.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::ask::Asker;
use super::{Answer, Note};
use crate::ml::{Budget, Declarations, MlError, MlErrors, Origin, Value};
use crate::net::Transition;
use crate::report::Graph;

/// Functions over markings and arcs.
const PRELUDE: &str = include_str!("prelude.sml");

/// Functions over bindings.
const BINDINGS: &str = include_str!("bindings.sml");

/// What one query may take.
const BUDGET: Budget = Budget {
    steps: 50_000_000,
    depth: 1_000_000,
    values: 50_000_000,
};

/// The name of the value of a query.
const IT: &str = "it'query";

/// The state space as tables, and everything that was declared.
pub(super) struct World<'a> {
    graph: &'a Graph,
    declarations: Declarations,
}

/// A node of a page: the name of the page, the number of its instance, and its name, as queries write them.
struct Spelled {
    instance: usize,
    /// `Page'Name`
    name: String,
}

/// What one arc is, for each arc.
type Bindings = Vec<Vec<Value>>;

impl<'a> World<'a> {
    /// Everything that the texts may ask for.
    pub(super) fn new(graph: &'a Graph, notes: &[Note]) -> Result<Self, String> {
        if let Some(stopped) = &graph.stopped {
            return Err(format!("not everything was explored: {stopped}"));
        }
        let is_asked = |word: &str| notes.iter().any(|note| note.text.contains(word));
        let bindings = is_asked("BE") || is_asked("Bind.");
        let bindings = bindings.then(|| bindings_of(graph));
        let mut world = Self {
            graph,
            declarations: graph.system.shared.engine().declarations.clone(),
        };
        let machine = world.declarations.machine_mut();
        machine.set_budget(BUDGET);
        world.declarations.open_tables();
        world.build(&is_asked, bindings).map_err(|errors| {
            let why = errors
                .iter()
                .next()
                .map_or_else(String::new, ToString::to_string);
            format!("the state space cannot be told to queries: {why}")
        })?;
        world.declarations.close_tables();
        Ok(world)
    }

    /// Reads declarations.
    pub(super) fn declare(&mut self, text: &str, page: &str) -> Result<(), String> {
        let origin = Origin::of_text(&format!("a text on page {page}"), text);
        let declared = self.declarations.declare(text, &origin);
        declared.map_err(|errors| because(&errors))
    }

    /// Evaluates a query. Where it names a marking by the number 1, that is the initial one, in CPN Tools as here.
    pub(super) fn answer(&mut self, text: &str, page: &str) -> Result<Answer, String> {
        let mut asked = format!("val {IT} = (\n{text}\n)");
        let mut why = None;
        loop {
            let origin = Origin::of_text(&format!("a text on page {page}"), &asked);
            let Err(errors) = self.declarations.declare(&asked, &origin) else {
                break;
            };
            let first = why.get_or_insert_with(|| because(&errors));
            asked = with_initial_node(&asked, &errors).ok_or_else(|| first.clone())?;
        }
        let value = self.declarations.value_of(IT);
        let (value, ty) = value.ok_or("the value is a function")?;
        match &*ty {
            "bool" => Ok(Answer::Truth(value == Value::TRUE)),
            "answer'" => Asker::new(self.graph, self.declarations.machine_mut()).answer(value),
            _ => {
                let text = self.declarations.text_of(IT);
                text.map(Answer::Value)
                    .ok_or_else(|| "the value cannot be shown".to_owned())
            }
        }
    }

    fn build(
        &mut self,
        is_asked: &dyn Fn(&str) -> bool,
        bindings: Option<Result<Bindings, String>>,
    ) -> Result<(), MlErrors> {
        for name in ["node'", "arc'"] {
            self.declarations.opaque_type(name);
        }
        self.tables()?;
        self.markings(is_asked)?;
        self.transitions(bindings)
    }

    fn text(&mut self, text: &str) -> Result<(), MlErrors> {
        let origin = Origin::of_text("what queries know", text);
        self.declarations.declare(text, &origin)
    }

    /// A table from node or arc numbers, which begin with 1.
    fn table(&mut self, name: &str, entries: Vec<Value>) -> Result<(), MlErrors> {
        let values = self.declarations.machine_mut().values_mut();
        let fields: Vec<Value> = [Value::UNIT].into_iter().chain(entries).collect();
        let table = values.tuple(&fields);
        self.declarations.given(name, "unit", table)
    }

    fn list(&mut self, name: &str, ty: &str, elements: &[Value]) -> Result<(), MlErrors> {
        let list = self.declarations.machine_mut().values_mut().list(elements);
        self.declarations.given(name, ty, list)
    }

    /// Nodes, arcs and components.
    fn tables(&mut self) -> Result<(), MlErrors> {
        let graph = self.graph;
        let count = graph.states.len();
        let (mut out, mut into) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut found = vec![numbered(0); count];
        for (at, &(from, to, _)) in graph.edges.iter().enumerate() {
            out[from as usize].push(numbered(at));
            into[to as usize].push(numbered(at));
            if from < to && into[to as usize].len() == 1 {
                found[to as usize] = numbered(at);
            }
        }
        let components = graph.components();
        let terminal = graph.terminal(&components);
        let home = Graph::home(&components, &terminal);
        let of_edge = |side: fn(&(u32, u32, u32)) -> u32| {
            let edges = graph.edges.iter();
            edges.map(|edge| numbered(side(edge) as usize)).collect()
        };
        let inside = terminal.iter().map(|component| {
            let edges = graph.edges.iter().enumerate();
            let edges = edges.filter(|(_, edge)| components.of[edge.0 as usize] == *component);
            edges.map(|(at, _)| numbered(at)).collect::<Vec<_>>()
        });
        let inside: Vec<Vec<Value>> = inside.collect();
        self.table("source'table", of_edge(|edge| edge.0))?;
        self.table("target'table", of_edge(|edge| edge.1))?;
        for (name, lists) in [("out'table", out), ("in'table", into)] {
            let values = self.declarations.machine_mut().values_mut();
            let lists = lists.iter().map(|list| values.list(list)).collect();
            self.table(name, lists)?;
        }
        let of = components.of.iter().map(|of| number(i64::from(*of)));
        self.table("component'table", of.collect())?;
        self.table("found'table", found)?;
        let values = self.declarations.machine_mut().values_mut();
        let inside: Vec<Value> = inside.iter().map(|arcs| values.list(arcs)).collect();
        self.list("terminal'arcs", "arc' list list", &inside)?;
        let all = |count: usize| (0..count).map(numbered).collect::<Vec<_>>();
        self.list("all'nodes", "node' list", &all(count))?;
        self.list("all'arcs", "arc' list", &all(graph.edges.len()))?;
        let home: Vec<Value> = home.iter().map(|node| numbered(node - 1)).collect();
        self.list("home'markings", "node' list", &home)?;
        let terminal = terminal.iter().map(|of| number(i64::from(*of)));
        self.list(
            "terminal'components",
            "int list",
            &terminal.collect::<Vec<_>>(),
        )?;
        self.declarations.given("InitNode", "node'", numbered(0))?;
        // No list is a negative number.
        for name in ["EntireGraph", "entire'graph"] {
            self.declarations.given(name, "'a list", Value::small(-7))?;
        }
        self.declarations
            .given("NoLimit", "int", Value::small(-1))?;
        let count = number(i64::from(components.count));
        self.declarations.given("component'count", "int", count)
    }

    /// `Mark.Page'Place 1 n`, for places that are asked for.
    fn markings(&mut self, is_asked: &dyn Fn(&str) -> bool) -> Result<(), MlErrors> {
        let shared = &self.graph.system.shared;
        let mut known: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, place) in shared.net.places.iter().enumerate() {
            for spelled in place.names.iter().filter_map(|name| spelled(name)) {
                let name = format!("Mark.{}", spelled.name);
                if is_asked(&name) {
                    known.entry(name).or_default().push((spelled.instance, at));
                }
            }
        }
        for (name, instances) in known {
            let mut cases = String::new();
            let place = &shared.net.places[instances[0].1];
            if place.is_timed {
                let why = "its tokens have time stamps, which queries cannot be told";
                self.declarations.refuse(&name, why);
                continue;
            }
            for (instance, at) in instances {
                let table = format!("mark'table'{at}");
                if self.declarations.value_of(&table).is_none() {
                    let entries = self.markings_of(at);
                    self.table(&table, entries)?;
                }
                let instance = instance.to_string();
                cases.extend([&*instance, " => table'entry (", &*table, ", n') | "]);
            }
            let colours = self.declarations.colours();
            let colour = colours.name(place.colour).to_owned();
            self.text(&format!(
                "fun mark'of (i': int) (n': node') : {colour} ms = case i' of {cases}_ => raise Fail \"there is no such instance\""
            ))?;
            self.declarations.alias(&name, "mark'of");
        }
        Ok(())
    }

    /// The tokens of a place in every marking.
    fn markings_of(&mut self, place: usize) -> Vec<Value> {
        let system = &self.graph.system;
        let (net, encodings) = (&system.shared.net, &system.shared.encodings);
        let engine = system.shared.engine();
        let values = self.declarations.machine_mut().values_mut();
        let mut known: HashMap<i64, Value> = HashMap::new();
        let states = self.graph.states.iter().map(|state| {
            let code = system.codes(state)[place];
            *known.entry(code).or_insert_with(|| {
                let marking = engine.marking(net, &encodings[place], place, code);
                let entries = marking.0.iter();
                let tokens = entries.flat_map(|entry| (0..entry.count).map(|_| entry.value));
                values.list(&tokens.collect::<Vec<_>>())
            })
        });
        states.collect()
    }

    /// `TI.Page'Transition 1` and `Bind.Page'Transition (1, {x = 3})`.
    fn transitions(&mut self, bindings: Option<Result<Bindings, String>>) -> Result<(), MlErrors> {
        let graph = self.graph;
        let transitions = &graph.system.shared.net.transitions;
        let mut names: Vec<String> = Vec::new();
        let mut places: Vec<Option<(i32, Value)>> = Vec::new();
        let (mut instances, mut elements) = (Vec::new(), Vec::new());
        for transition in transitions {
            let place = spelled(&transition.name).map(|spelled| {
                let at = names.iter().position(|name| *name == spelled.name);
                let at = at.unwrap_or_else(|| {
                    instances.push(format!("ti'{} of int", names.len()));
                    let record = self.record(transition);
                    elements.push(format!("bind'{} of int * {record}", names.len()));
                    names.push(spelled.name);
                    names.len() - 1
                });
                let instance = i64::try_from(spelled.instance).unwrap_or(0);
                (i32::try_from(at).unwrap_or(i32::MAX), number(instance))
            });
            places.push(place);
        }
        instances.push("ti'none".to_owned());
        self.text(&format!(
            "datatype transition'instance = {}",
            instances.join(" | ")
        ))?;
        let values = self.declarations.machine_mut().values_mut();
        let nobody = Value::small(i32::try_from(names.len()).unwrap_or(i32::MAX));
        let of_transition = places.iter().map(|place| {
            place.map_or(nobody, |(at, instance)| {
                values.pair(Value::small(at), instance)
            })
        });
        let of_transition: Vec<Value> = of_transition.collect();
        let of_arcs = graph
            .edges
            .iter()
            .map(|edge| of_transition[edge.2 as usize]);
        self.table("transition'table", of_arcs.collect())?;
        self.list(
            "all'transitions",
            "transition'instance list",
            &of_transition,
        )?;
        for (at, name) in names.iter().enumerate() {
            self.declarations
                .alias(&format!("TI.{name}"), &format!("ti'{at}"));
        }
        self.text(PRELUDE)?;
        match bindings {
            None => Ok(()),
            Some(Err(why)) => {
                for name in &names {
                    self.declarations.refuse(&format!("Bind.{name}"), &why);
                }
                self.declarations.refuse("ArcToBE", &why);
                Ok(())
            }
            Some(Ok(bindings)) => {
                elements.push("bind'none".to_owned());
                self.text(&format!(
                    "datatype binding'element = {}",
                    elements.join(" | ")
                ))?;
                let values = self.declarations.machine_mut().values_mut();
                let bound = graph.edges.iter().zip(&bindings).map(|(edge, binding)| {
                    let Some((at, instance)) = places[edge.2 as usize] else {
                        return nobody;
                    };
                    let record = match &binding[..] {
                        [] => Value::UNIT,
                        fields => values.tuple(fields),
                    };
                    let argument = values.pair(instance, record);
                    values.pair(Value::small(at), argument)
                });
                let bound = bound.collect();
                self.table("binding'table", bound)?;
                for (at, name) in names.iter().enumerate() {
                    self.declarations
                        .alias(&format!("Bind.{name}"), &format!("bind'{at}"));
                }
                self.text(BINDINGS)
            }
        }
    }

    /// The type of the bindings of a transition.
    fn record(&self, transition: &Transition) -> String {
        let declarations = &self.declarations;
        let fields = bound(declarations, transition)
            .into_iter()
            .map(|(name, at)| {
                let variable = transition.variables[at];
                let colour = declarations.variable_colour(variable);
                format!("{name}: {}", declarations.colours().name(colour))
            });
        let fields: Vec<String> = fields.collect();
        match &fields[..] {
            [] => "unit".to_owned(),
            fields => format!("{{{}}}", fields.join(", ")),
        }
    }
}

/// The variables of a transition that are bound before it occurs, ordered by names, and which of its variables they are.
fn bound<'d>(declarations: &'d Declarations, transition: &Transition) -> Vec<(&'d str, usize)> {
    let computed = transition.code.iter().flat_map(|code| &code.output);
    let computed: Vec<_> = computed.collect();
    let variables = transition.variables.iter().enumerate();
    let variables = variables.filter(|(_, variable)| !computed.contains(variable));
    let named = variables.map(|(at, variable)| (declarations.variable_name(*variable), at));
    let mut named: Vec<(&str, usize)> = named.collect();
    named.sort_unstable();
    named
}

/// The values of the variables for each arc, or why they are not known.
fn bindings_of(graph: &Graph) -> Result<Bindings, String> {
    let shared = &graph.system.shared;
    let mut engine = shared.engine();
    let mut all: Bindings = vec![Vec::new(); graph.edges.len()];
    for (number, state) in graph.states.iter().enumerate() {
        let codes = graph.system.codes(state);
        let mut edges: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for at in graph.edges_of(number) {
            edges.entry(graph.edges[at].2).or_default().push(at);
        }
        for (action, edges) in edges {
            let transition = &shared.net.transitions[action as usize];
            let mut enabled = engine.enabled(&shared.net, &shared.encodings, transition, &codes)?;
            let first = enabled.iter().map(|enabled| enabled.after).min();
            enabled.retain(|enabled| Some(enabled.after) == first);
            if enabled.len() != edges.len() {
                let name = &transition.name;
                return Err(format!("`{name}` does different things with one binding"));
            }
            for (at, enabled) in edges.into_iter().zip(enabled) {
                let variables = bound(&engine.declarations, transition).into_iter();
                let values = variables.map(|(_, variable)| {
                    let variable = transition.variables[variable];
                    enabled.binding[variable.index()]
                });
                all[at] = values.collect();
            }
        }
    }
    Ok(all)
}

/// The page, the instance and the name in `Page[2].Name`, as queries write them.
fn spelled(name: &str) -> Option<Spelled> {
    let (page, node) = name.split_once('.')?;
    let numbered = page
        .strip_suffix(']')
        .and_then(|page| page.rsplit_once('['));
    let numbered = numbered.and_then(|(page, number)| Some((page, number.parse().ok()?)));
    let (page, instance) = numbered.unwrap_or((page, 1));
    let cleaned = |name: &str| -> String {
        let kept = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
        name.chars()
            .map(|c| if kept(c) { c } else { '_' })
            .collect()
    };
    Some(Spelled {
        instance,
        name: format!("{}'{}", cleaned(page), cleaned(node)),
    })
}

/// The number of a node or arc, from 1.
fn numbered(index: usize) -> Value {
    let number = i64::try_from(index)
        .ok()
        .and_then(|index| Value::int(index + 1));
    number.unwrap_or(Value::small(0))
}

fn number(value: i64) -> Value {
    Value::int(value).unwrap_or(Value::small(0))
}

/// The same query with `InitNode` where markings are expected and there is the number 1, if that is what is wrong with it.
fn with_initial_node(text: &str, errors: &MlErrors) -> Option<String> {
    let MlError::Mismatch { expected, at, .. } = errors.iter().next()? else {
        return None;
    };
    let expected = expected.trim_matches(['(', ')']);
    if !expected.split(" * ").all(|part| part == "node'") {
        return None;
    }
    let range = at.offset()..at.offset() + at.len();
    let wrong = text.get(range.clone())?;
    let parts = wrong.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let parts: Vec<&str> = parts.unwrap_or(wrong).split(',').collect();
    let named = parts.iter().map(|part| match part.trim() {
        "1" => "InitNode",
        other => other,
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let has_one = parts.iter().any(|part| part.trim() == "1");
    has_one.then(|| [&text[..range.start], "(", &*named, ")", &text[range.end..]].concat())
}

/// What is wrong with a query.
fn because(errors: &MlErrors) -> String {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let why = errors.join("; ");
    if why.contains("node'") || why.contains("arc'") {
        return format!(
            "{why} (markings and arcs cannot be named by numbers, except for the initial marking, which is 1: those of CPN Tools depend on the order \
             in which it finds them)"
        );
    }
    why
}
