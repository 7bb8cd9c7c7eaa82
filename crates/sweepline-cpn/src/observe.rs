//! What predicates and measures ask of markings besides slots: `count(P)`, `count(P, pattern)`, `length(P)`, `value(P)`, and whole
//! expressions of CPN ML, `ml(size A < 3)`.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use sweepline_core::{Observation, Word};
use sweepline_text::nearest;

use crate::engine::Engine;
use crate::ml::{ColourDecl, ColourId, Expect, Expression, Origin, Value, VariableId};
use crate::system::{CpnSystem, spellings};

/// Values of so many markings are remembered for each expression.
const REMEMBERED: usize = 1 << 16;

/// What is asked of a marking.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// How many tokens a place has.
    Count(usize),
    /// How long the only token of a place is.
    Length(usize),
    /// The only token of a place.
    Value(usize),
    /// The value of an expression; variables stand for the markings of places.
    Computed {
        expression: Expression,
        markings: Vec<(VariableId, usize)>,
    },
}

impl CpnSystem {
    /// What a name asks for, if it asks for anything.
    pub(crate) fn observed(&self, name: &str) -> Option<Result<Observation, String>> {
        let asked = self.asked(name)?;
        Some(asked.map(|asked| self.observation(asked)))
    }

    /// What a name asks for. It is found out once.
    fn asked(&self, name: &str) -> Option<Result<Asked, String>> {
        let inner = |word: &str| {
            name.strip_prefix(word)?
                .strip_prefix('(')?
                .strip_suffix(')')
        };
        let known = self.shared.asked.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = known.get(name) {
            return Some(asked.clone());
        }
        let asked = if let Some(counted) = inner("count") {
            match counted.split_once(',') {
                None => self.place(counted).map(Asked::Count),
                Some((place, pattern)) => self.matching(place, pattern),
            }
        } else if let Some(place) = inner("length") {
            self.list_place(place).map(Asked::Length)
        } else if let Some(place) = inner("value") {
            self.place(place).map(Asked::Value)
        } else {
            self.computed(inner("ml")?)
        };
        known.insert(name.to_owned(), asked.clone());
        Some(asked)
    }

    /// The place of a name.
    fn place(&self, name: &str) -> Result<usize, String> {
        let name = name.trim();
        let places = self.shared.net.places.iter().enumerate();
        let named = places.filter(|(_, place)| {
            let mut names = place.names.iter().flat_map(|name| spellings(name));
            names.any(|spelling| spelling == name)
        });
        let named: Vec<usize> = named.map(|(index, _)| index).collect();
        match named[..] {
            [only] => Ok(only),
            [] => {
                let places = self.shared.net.places.iter();
                let names = places.map(crate::net::Place::name);
                let near = nearest(name, names);
                let near = near.map(|near| format!("; did you mean `{near}`?"));
                Err(format!(
                    "there is no place `{name}`{}",
                    near.unwrap_or_default()
                ))
            }
            _ => Err(format!(
                "there are several places `{name}`; write the page before it, as in `Page.{name}`"
            )),
        }
    }

    /// The place of a name, which has lists.
    fn list_place(&self, name: &str) -> Result<usize, String> {
        let place = self.place(name)?;
        let (engine, at) = (self.shared.engine(), &self.shared.net.places[place]);
        if engine.declarations.colours().is_list(at.colour) {
            Ok(place)
        } else {
            Err(format!("tokens on `{}` are no lists", at.name()))
        }
    }

    /// How many tokens of a place match a pattern.
    fn matching(&self, place: &str, pattern: &str) -> Result<Asked, String> {
        let at = self.place(place)?;
        let text = format!(
            "let fun matches ({pattern}) = true | matches _ = false in List.length (List.filter matches tokens) end"
        );
        let mut engine = self.shared.engine();
        let colour = self.shared.net.places[at].colour;
        let variable = marking_variable(&mut engine, "tokens", colour)?;
        let expression = read(&mut engine, &text, pattern, Expect::Int)?;
        Ok(Asked::Computed {
            expression,
            markings: vec![(variable, at)],
        })
    }

    /// An expression in which the names of places stand for their markings.
    fn computed(&self, text: &str) -> Result<Asked, String> {
        let mut names: Vec<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'')))
            .filter(|word| word.starts_with(char::is_alphabetic))
            .collect();
        names.sort_unstable();
        names.dedup();
        let mut engine = self.shared.engine();
        let mut markings = Vec::new();
        for name in names {
            if let Ok(place) = self.place(name) {
                let colour = self.shared.net.places[place].colour;
                let variable = marking_variable(&mut engine, name, colour)?;
                markings.push((variable, place));
            }
        }
        let read = read(&mut engine, text, text, Expect::Bool)
            .or_else(|why| self::read(&mut engine, text, text, Expect::Int).map_err(|_| why));
        let expression = read?;
        markings.retain(|(variable, _)| expression.variables().contains(variable));
        if markings.len() < expression.variables().len() {
            return Err("variables have no value in a marking; only places have".to_owned());
        }
        Ok(Asked::Computed {
            expression,
            markings,
        })
    }

    fn observation(&self, asked: Asked) -> Observation {
        let (system, known) = (self.clone(), Mutex::new(HashMap::new()));
        Observation::new(move |state| system.told(&asked, state, &known))
    }

    /// What is asked of a state.
    fn told(&self, asked: &Asked, state: &[Word], known: &Known) -> Result<i64, String> {
        let (codes, clock) = (self.codes(state), self.clock_of(state));
        let (net, encodings) = (&self.shared.net, &self.shared.encodings);
        let mut engine = self.shared.engine();
        match asked {
            Asked::Count(place) => {
                let marking = engine.marking(net, &encodings[*place], *place, codes[*place]);
                i64::try_from(marking.count()).map_err(|_| "there are too many tokens".to_owned())
            }
            Asked::Length(place) | Asked::Value(place) => {
                let marking = engine.marking(net, &encodings[*place], *place, codes[*place]);
                let name = net.places[*place].name();
                let only = match &marking.0[..] {
                    [only] if only.count == 1 => only.value,
                    _ => return Err(format!("there is not exactly one token on `{name}`")),
                };
                if matches!(asked, Asked::Value(_)) {
                    let value = only.as_int();
                    return value.ok_or_else(|| format!("the token on `{name}` is no number"));
                }
                let values = engine.declarations.machine().values();
                i64::try_from(values.elements(only).count()).map_err(|error| error.to_string())
            }
            Asked::Computed {
                expression,
                markings,
            } => {
                let places = markings.iter().map(|(_, place)| codes[*place]);
                let mut key: Vec<i64> = places.collect();
                key.extend(expression.effects().time.then_some(clock));
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(value) = known.get(&key) {
                    return Ok(*value);
                }
                let mut binding = vec![Value::UNIT; engine.declarations.variable_count()];
                for (variable, place) in markings {
                    let marking = engine.marking(net, &encodings[*place], *place, codes[*place]);
                    let tokens = tokens(&marking)?;
                    let machine = engine.declarations.machine_mut();
                    binding[variable.index()] = machine.values_mut().list(&tokens);
                }
                let machine = engine.declarations.machine_mut();
                machine.set_time(clock);
                let value = machine.value(expression, &binding);
                let value = value.map_err(|failure| failure.to_string())?;
                let value = value.as_int().ok_or("the value is no number")?;
                if known.len() >= REMEMBERED {
                    known.clear();
                }
                known.insert(key, value);
                Ok(value)
            }
        }
    }
}

/// Values by the codes of places.
type Known = Mutex<HashMap<Vec<i64>, i64>>;

/// Every token of a marking, as a multiset of the language has it.
fn tokens(marking: &crate::marking::Marking) -> Result<Vec<Value>, String> {
    if marking.count() > 1 << 20 {
        return Err("there are too many tokens to list".to_owned());
    }
    let entries = marking.0.iter();
    let each = entries.flat_map(|entry| (0..entry.count).map(|_| entry.value));
    Ok(each.collect())
}

fn read(
    engine: &mut Engine,
    text: &str,
    shown: &str,
    expect: Expect,
) -> Result<Expression, String> {
    let origin = Origin::of_text(shown, text);
    let read = engine.declarations.expression(text, expect, &origin);
    let expression = read.map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("; ")
    })?;
    let effects = expression.effects();
    match effects
        .random
        .first()
        .or(effects.references.first())
        .or(effects.outside.first())
    {
        Some(name) => Err(format!("`{name}` is not a function of the marking")),
        None => Ok(expression),
    }
}

/// A variable for the tokens of a place. A multiset is a list, so its colour set is that of lists.
fn marking_variable(
    engine: &mut Engine,
    name: &str,
    colour: ColourId,
) -> Result<VariableId, String> {
    let of = engine.declarations.colours().name(colour).to_owned();
    let (list, origin) = (format!("{of}'marking"), Origin::of_text(name, ""));
    let told = |errors: crate::ml::MlErrors| errors.to_string();
    let declarations = &mut engine.declarations;
    if declarations.colours().find(&list).is_none() {
        let decl = ColourDecl::List(of, None);
        declarations
            .colour_set(&list, &decl, false, &origin)
            .map_err(told)?;
    }
    let declared = declarations.variables(&[name], &list, &origin);
    let variables = declared.map_err(told)?;
    Ok(variables[0])
}
