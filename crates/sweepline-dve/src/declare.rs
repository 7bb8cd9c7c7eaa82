//! Declarations: constants, variables, channels, processes and their states.

use std::collections::BTreeMap;

use sweepline_program::{ChannelId, Expr, ProcessId, SlotType, Span};
use sweepline_text::{Name, did_you_mean};

use crate::ast::{self, Initial, Type, Variable};
use crate::errors::{DveError, DveWarning};
use crate::resolve::Resolver;
use crate::symbols::{Meaning, ProcessNames, Scope};

/// How many variables, elements of arrays and components of buffered messages a model can have altogether.
pub(crate) const MOST_ELEMENTS: usize = 1 << 16;

/// Values for constants that replace those of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    values: BTreeMap<String, i64>,
    /// Constants of the model, which could have been set, with their values unless they are wrong.
    known: BTreeMap<String, Option<i64>>,
}

/// A channel as it can be used.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub name: Name,
    pub buffer: Option<ChannelId>,
    /// Where values of a rendezvous wait that must not be stored one by one.
    pub passage: Option<ChannelId>,
    /// How many values a message has, and where that was said; unknown until the first use if it is not declared.
    pub arity: Option<(usize, std::ops::Range<usize>)>,
}

impl Settings {
    /// The last value of each name counts.
    pub fn new(values: &[(String, i64)]) -> Self {
        Self {
            values: values.iter().cloned().collect(),
            known: BTreeMap::new(),
        }
    }

    /// All constants with their values.
    pub fn constants(self) -> Vec<(String, i64)> {
        let known = self.known.into_iter();
        known
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// What was to be set but does not exist.
    pub fn unknown(&self) -> impl Iterator<Item = DveError> {
        let unknown = self
            .values
            .keys()
            .filter(|name| !self.known.contains_key(*name));
        unknown.map(|name| DveError::UnknownConstant {
            name: name.clone(),
            help: did_you_mean(name, self.known.keys().map(String::as_str)).or_else(|| {
                let known: Vec<_> = self
                    .known
                    .keys()
                    .take(10)
                    .map(|n| format!("`{n}`"))
                    .collect();
                (!known.is_empty()).then(|| format!("the model has {}", known.join(", ")))
            }),
        })
    }
}

/// The slot type of a variable: assigning what does not fit is an error of the model, as in the
/// interpreter of `DiVinE`.
fn slot_type(kind: Type) -> SlotType {
    SlotType::integer(kind.least(), kind.greatest())
}

impl Resolver<'_> {
    /// Declares variables of a process, or global ones.
    pub fn variables(
        &mut self,
        variables: &[Variable],
        process: Option<usize>,
        settings: &mut Settings,
    ) {
        for variable in variables {
            let meaning = match variable {
                Variable {
                    constant: true,
                    size: None,
                    ..
                } => self.constant_variable(variable, process, settings),
                _ => self.variable(variable, process),
            };
            self.declare(&variable.name, meaning.unwrap_or(Meaning::Broken), process);
        }
    }

    fn constant_variable(
        &mut self,
        variable: &Variable,
        process: Option<usize>,
        settings: &mut Settings,
    ) -> Option<Meaning> {
        let key = self.qualified(&variable.name, process);
        let value = match settings.values.get(&key) {
            Some(&value) => self.setting(key.clone(), value, variable.kind),
            None => self.declared_value(variable, process),
        };
        settings.known.insert(key, value);
        value.map(Meaning::Constant)
    }

    /// The value of a constant as the model gives it.
    fn declared_value(&mut self, variable: &Variable, process: Option<usize>) -> Option<i64> {
        let Some(Initial::Value(value)) = &variable.initial else {
            self.errors.push(DveError::NoValue {
                name: variable.name.text.clone(),
                kind: variable.kind.word(),
                text: self.source.named(),
                at: variable.name.span.clone().into(),
            });
            return None;
        };
        self.initial_value(value, variable.kind, process)
    }

    fn setting(&mut self, name: String, value: i64, kind: Type) -> Option<i64> {
        let (least, greatest) = (kind.least(), kind.greatest());
        if (least..=greatest).contains(&value) {
            return Some(value);
        }
        self.errors.push(DveError::BadSetting {
            name,
            value,
            least,
            greatest,
        });
        None
    }

    fn variable(&mut self, variable: &Variable, process: Option<usize>) -> Option<Meaning> {
        let Some(size) = &variable.size else {
            return self.scalar_variable(variable, process);
        };
        let length = self.size("an array", size, process, 1)?;
        let values = self.initial_list(variable, length, process)?;
        let name = self.qualified(&variable.name, process);
        let array = self.builder.array(name, &slot_type(variable.kind), &values);
        let owner = self.owner(process);
        let span = variable.name.span.clone().into();
        self.builder.describe_array(array, owner, span);
        Some(Meaning::Array {
            array,
            length: i64::try_from(length).unwrap_or(i64::MAX),
            constant: variable.constant,
        })
    }

    fn scalar_variable(&mut self, variable: &Variable, process: Option<usize>) -> Option<Meaning> {
        let initial = match &variable.initial {
            None => 0,
            Some(Initial::Value(value)) => self.initial_value(value, variable.kind, process)?,
            Some(Initial::List(..)) => {
                let help = "write the value without braces, or declare an array";
                self.bad_initial(variable, "is not an array".into(), help);
                return None;
            }
        };
        self.room_for(1, &variable.name.span)?;
        let name = self.qualified(&variable.name, process);
        let slot = self.builder.slot(name, slot_type(variable.kind), initial);
        let owner = self.owner(process);
        let span = Span::from(variable.name.span.clone());
        self.builder.describe_slot(slot, owner, span);
        Some(Meaning::Slot(slot))
    }

    fn initial_list(
        &mut self,
        variable: &Variable,
        length: usize,
        process: Option<usize>,
    ) -> Option<Vec<i64>> {
        let mut values = Vec::new();
        match &variable.initial {
            None => {}
            Some(Initial::List(list, span)) => {
                for value in list {
                    values.push(self.initial_value(value, variable.kind, process)?);
                }
                if list.len() > length {
                    self.warnings.push(DveWarning::ExtraValues {
                        name: variable.name.text.clone(),
                        length,
                        count: list.len(),
                        text: self.source.named(),
                        at: span.clone().into(),
                    });
                }
            }
            Some(Initial::Value(_)) => {
                let help = "write the values of an array in braces: `{1, 2}`";
                self.bad_initial(variable, "is an array".into(), help);
                return None;
            }
        }
        values.resize(length, 0);
        Some(values)
    }

    fn bad_initial(&mut self, variable: &Variable, problem: String, help: &str) {
        let initial = variable.initial.as_ref();
        let span = initial.map_or(variable.name.span.clone(), Initial::span);
        self.errors.push(DveError::BadInitial {
            name: variable.name.text.clone(),
            problem,
            help: Some(help.to_string()),
            text: self.source.named(),
            at: span.into(),
        });
    }

    fn initial_value(
        &mut self,
        expr: &ast::Expr,
        kind: Type,
        process: Option<usize>,
    ) -> Option<i64> {
        let value = self.constant(expr, process)?;
        let (least, greatest) = (kind.least(), kind.greatest());
        if (least..=greatest).contains(&value) {
            return Some(value);
        }
        self.errors.push(DveError::OutOfRange {
            value,
            kind: match kind {
                Type::Byte => "a `byte`".into(),
                Type::Int => "an `int`".into(),
            },
            least,
            greatest,
            text: self.source.named(),
            at: expr.span.clone().into(),
        });
        None
    }

    /// The value of an expression that must be known in advance.
    fn constant(&mut self, expr: &ast::Expr, process: Option<usize>) -> Option<i64> {
        let errors = self.errors.len();
        let value = self.expr(expr, process);
        if self.errors.len() > errors {
            return None;
        }
        if let Expr::Constant(value) = value {
            return Some(value);
        }
        let mut constant = true;
        value.walk(&mut |part| {
            constant &= matches!(part, Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..));
        });
        let (text, at) = (self.source.named(), expr.span.clone().into());
        self.errors.push(if constant {
            let why = "it divides by zero or needs more than 64 bits";
            DveError::ConstantArithmetic { why, text, at }
        } else {
            DveError::NotConstant { text, at }
        });
        None
    }

    /// The size of an array or a buffer. Takes that much room.
    fn size(
        &mut self,
        what: &'static str,
        expr: &ast::Expr,
        process: Option<usize>,
        least: i64,
    ) -> Option<usize> {
        let size = self.constant(expr, process)?;
        let limit = i64::try_from(MOST_ELEMENTS).unwrap_or(i64::MAX);
        if !(least..=limit).contains(&size) {
            self.errors.push(DveError::BadSize {
                what,
                size,
                least,
                limit,
                text: self.source.named(),
                at: expr.span.clone().into(),
            });
            return None;
        }
        let size = usize::try_from(size).unwrap_or(MOST_ELEMENTS);
        self.room_for(size, &expr.span)?;
        Some(size)
    }

    fn room_for(&mut self, more: usize, at: &std::ops::Range<usize>) -> Option<()> {
        if self.builder.program().slots().len() + more <= MOST_ELEMENTS {
            return Some(());
        }
        self.errors.push(DveError::TooLarge {
            limit: MOST_ELEMENTS,
            what: "variables and elements of arrays and channels",
            text: self.source.named(),
            at: at.clone().into(),
        });
        None
    }

    /// Declares the channels.
    pub fn channels(&mut self, channels: &[ast::Channel]) -> Vec<Channel> {
        let mut declared = Vec::new();
        for channel in channels {
            self.declare(&channel.name, Meaning::Channel(declared.len()), None);
            let buffer = self.buffer(channel);
            let arity = channel.types.as_ref().map(Vec::len);
            // Messages of a buffered channel without types are single numbers.
            let arity = arity.or(buffer.map(|_| 1));
            declared.push(Channel {
                name: channel.name.clone(),
                buffer,
                passage: None,
                arity: arity.map(|arity| (arity, channel.name.span.clone())),
            });
        }
        declared
    }

    /// The buffer of a channel that has one.
    fn buffer(&mut self, channel: &ast::Channel) -> Option<ChannelId> {
        let size = channel.capacity.as_ref()?;
        let capacity = self.size("a channel", size, None, 0)?;
        if capacity == 0 {
            return None;
        }
        let types = channel.types.clone().unwrap_or_else(|| vec![Type::Int]);
        self.room_for(capacity * types.len() + 1, &size.span)?;
        let components: Vec<SlotType> = types.into_iter().map(slot_type).collect();
        let capacity = u32::try_from(capacity).ok()?;
        let name = channel.name.text.as_str();
        let buffer = self.builder.channel(name, &components, capacity);
        let span = channel.name.span.clone().into();
        self.builder.describe_channel(buffer, span);
        Some(buffer)
    }

    /// Declares a process with its states and local variables. The property process is not a part of the program.
    pub fn process_declaration(
        &mut self,
        process: &ast::Process,
        index: usize,
        in_system: bool,
        settings: &mut Settings,
    ) {
        let id = in_system.then(|| self.builder.process(process.name.text.as_str()));
        if let Some(id) = id {
            let span = process.name.span.clone().into();
            self.builder.describe_process(id, span);
        }
        self.processes.push(ProcessNames {
            id,
            scope: Scope::default(),
        });
        for (number, state) in (0..).zip(&process.states) {
            let location = match id {
                Some(id) => self.builder.location(id, state.text.as_str()),
                None => sweepline_program::LocationId(number),
            };
            if let Some(id) = id {
                let declared = self.builder.location_mut(id, location);
                declared.span = state.span.clone().into();
            }
            self.declare(state, Meaning::Location(location), Some(index));
        }
        self.variables(&process.variables, Some(index), settings);
    }

    /// Declares a name in a process, or globally.
    pub fn declare(&mut self, name: &Name, meaning: Meaning, process: Option<usize>) {
        let scope = match process {
            Some(process) => &mut self.processes[process].scope,
            None => &mut self.globals,
        };
        if let Err(first) = scope.declare(name, meaning) {
            self.errors.push(DveError::Duplicate {
                name: name.text.clone(),
                text: self.source.named(),
                first: first.into(),
                at: name.span.clone().into(),
            });
        }
    }

    /// The name of a variable as properties use it: `P.x` for one of process `P`.
    fn qualified(&self, name: &Name, process: Option<usize>) -> String {
        let owner = self.owner(process);
        let owner = owner.map(|owner| &self.builder.program().process(owner).name);
        owner.map_or_else(|| name.text.clone(), |owner| format!("{owner}.{name}"))
    }

    fn owner(&self, process: Option<usize>) -> Option<ProcessId> {
        self.processes[process?].id
    }
}
