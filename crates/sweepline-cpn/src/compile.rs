//! From what a file says to a net whose inscriptions are compiled.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use sweepline_net::SourceText;
use sweepline_net::reading::Collector;
use sweepline_text::{Source, nearest};

use crate::error::CpnError;
use crate::file::{self, Declaration, Document, Inscription};
use crate::flat::{FlatNet, FlatTransition, Role};
use crate::marking::{MOST_PARTS, TOO_LARGE};
use crate::ml::Original;
use crate::ml::{
    CodeSegment, ColourId, Declarations, Effects, Expect, Expression, MlErrors, Origin, Tokens,
    VariableId,
};
use crate::net::{Arc, Kind, Net, Place, Transition};
use crate::plan::plan;
use crate::{LoadOptions, TimeMode};

/// What a transition does has so much priority unless it says something else.
const NORMAL: i64 = 1000;

/// Compiles everything; what is wrong is collected.
pub(crate) struct Compiler<'a> {
    pub(crate) declarations: Declarations,
    /// Constants that are integers, with their values.
    pub(crate) constants: Vec<(String, i64)>,
    /// Whether an inscription could not be read, perhaps because of a declaration.
    pub(crate) is_misread: bool,
    /// What is wrong with declarations. They may be unused.
    pub(crate) faulty: Vec<CpnError>,
    pub(crate) document: &'a Document,
    pub(crate) options: &'a LoadOptions,
    pub(crate) errors: &'a mut Collector<CpnError>,
    source: Source,
    text: &'a SourceText,
    /// Inscriptions that were compiled before, by the place of their text.
    known: HashMap<(usize, usize), Option<Expression>>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(
        document: &'a Document,
        text: &'a SourceText,
        options: &'a LoadOptions,
        errors: &'a mut Collector<CpnError>,
    ) -> Self {
        Self {
            declarations: Declarations::new(),
            constants: Vec::new(),
            is_misread: false,
            faulty: Vec::new(),
            document,
            options,
            errors,
            source: Source::new(text.name(), text.text()),
            text,
            known: HashMap::new(),
        }
    }

    pub(crate) fn origin(&self, element: &str, at: &Range<usize>) -> Origin {
        Origin::new(element, self.source.part(at.clone()))
    }

    /// A horizon is a moment, and there are such only where states know the clock.
    pub(crate) fn check_horizon(&mut self, is_timed: bool) {
        if self.options.horizon.is_none() {
            return;
        }
        let why = match (is_timed, self.options.time) {
            (false, _) => "no colour set is timed",
            (true, TimeMode::Relative) => "states have no clock with relative time",
            _ => return,
        };
        let message = format!("there can be no horizon: {why}");
        self.add(CpnError::nowhere("cpn::horizon", message).helped("leave --horizon out"));
    }

    fn report(&mut self, errors: &MlErrors) {
        self.is_misread = true;
        for error in errors.iter() {
            self.errors.add(|| CpnError::of(error));
        }
    }

    fn add(&mut self, error: CpnError) {
        self.errors.add(|| error);
    }

    /// The net, as far as it is right.
    pub(crate) fn net(&mut self, flat: &FlatNet) -> Net {
        let places: Vec<Option<Place>> = flat
            .places
            .iter()
            .map(|place| self.place(place.origin, place.names.clone()))
            .collect();
        let colours: Vec<_> = places
            .iter()
            .map(|place| place.as_ref().map(|place| place.colour))
            .collect();
        let transitions = flat.transitions.iter();
        let transitions =
            transitions.filter_map(|transition| self.transition(transition, &colours));
        let transitions = transitions.collect();
        let places: Vec<Place> = places.into_iter().flatten().collect();
        Net {
            is_timed: places.iter().any(|place| place.is_timed),
            places,
            transitions,
        }
    }

    fn place(&mut self, (page, place): (usize, usize), names: Vec<String>) -> Option<Place> {
        let sheet = &self.document.pages[page];
        let place = &sheet.places[place];
        let colour = self.colour_of(place, &sheet.name)?;
        let colours = self.declarations.colours();
        let is_timed = colours.is_timed(colour);
        let initial = self.initial(place, &sheet.name, colour)?;
        Some(Place {
            names,
            colour,
            kind: self.kind(colour),
            is_timed,
            initial,
        })
    }

    fn colour_of(&mut self, place: &file::Place, page: &str) -> Option<ColourId> {
        let name = place.colour.text.trim();
        let colour = self.declarations.colours().find(name);
        if colour.is_none() {
            let (shown, at) = (&place.name, place.colour.at.clone());
            let message = if name.is_empty() {
                format!("place {shown} on page {page} has no colour set")
            } else {
                format!("place {shown} on page {page}: there is no colour set `{name}`")
            };
            let names = self.document.declarations.iter();
            let names = names.filter_map(|declaration| match declaration {
                Declaration::Colour { name, .. } => Some(name.as_str()),
                _ => None,
            });
            let help = nearest(name, names).map(|nearest| format!("did you mean `{nearest}`?"));
            self.add(CpnError::new("cpn::unknown_colour", message, at).helped_by(help));
        }
        colour
    }

    /// What the values of a colour set are: aliases and subsets have those of another one.
    fn kind(&self, colour: ColourId) -> Kind {
        let colours = self.declarations.colours();
        if colours.is_integer(colour) {
            return Kind::Integer;
        }
        match colours.plain(colour) {
            Original::Bool(_) | Original::Enum(_) | Original::Index(..) => {
                Kind::Named(colours.original(colour))
            }
            _ => Kind::Other,
        }
    }

    fn initial(
        &mut self,
        place: &file::Place,
        page: &str,
        colour: ColourId,
    ) -> Option<Vec<Tokens>> {
        if place.initial.is_empty() {
            return Some(Vec::new());
        }
        let element = format!("initial marking of {} on page {page}", place.name);
        let origin = self.origin(&element, &place.initial.at);
        let read =
            self.declarations
                .expression(&place.initial.text, Expect::Marking(colour), &origin);
        let expression = match read {
            Ok(expression) => expression,
            Err(errors) => {
                self.report(&errors);
                return None;
            }
        };
        let at = &place.initial.at;
        self.check_effects(&element, at, expression.effects(), Pure::AtTheStart)?;
        let mut tokens = Vec::new();
        let machine = self.declarations.machine_mut();
        if let Err(failure) = machine.tokens(&expression, &[], &mut tokens) {
            let message = format!("{element}: {failure}");
            self.add(CpnError::new("cpn::initial_marking", message, at.clone()));
            return None;
        }
        let (colours, values) = (
            self.declarations.colours(),
            self.declarations.machine().values(),
        );
        let wrong = tokens.iter().find_map(|token| {
            if values.size(token.value) > MOST_PARTS {
                return Some(format!("{element}: a token has {TOO_LARGE}"));
            }
            let inside = colours.contains(colour, token.value, values);
            (!inside).then(|| {
                let (token, colour) = (
                    colours.show(colour, token.value, values),
                    colours.name(colour),
                );
                format!("{element}: `{token}` is not in colour set `{colour}`")
            })
        });
        if let Some(message) = wrong {
            self.add(CpnError::new("cpn::initial_marking", message, at.clone()));
            return None;
        }
        Some(tokens)
    }

    /// What inscriptions may not do.
    fn check_effects(
        &mut self,
        element: &str,
        at: &Range<usize>,
        effects: &Effects,
        pure: Pure,
    ) -> Option<()> {
        let error =
            |code, message: String| CpnError::new(code, format!("{element} {message}"), at.clone());
        let quoted = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        let may_choose = self.options.random && pure == Pure::ButForTime;
        let found = if !effects.random.is_empty() && !may_choose {
            let calls = format!("calls the random function {}", quoted(&effects.random));
            error("cpn::random", calls)
                .helped("--random all makes all its results possible, where they are finitely many")
        } else if !effects.references.is_empty() {
            let uses = format!(
                "uses the reference variable {}, which is not part of the marking",
                quoted(&effects.references)
            );
            error("cpn::impure", uses).helped("keep what is remembered on a place")
        } else if !effects.outside.is_empty() {
            let calls = format!(
                "calls {}, which does something outside of the net",
                quoted(&effects.outside)
            );
            error("cpn::impure", calls)
                .helped("leave the call out; states only depend on the marking")
        } else if effects.time && pure == Pure::Strictly {
            error("cpn::reads_time", "reads the clock".to_owned())
                .helped("only what an occurrence produces may depend on the time: arcs to places, delays and code segments")
        } else if effects.time
            && pure == Pure::ButForTime
            && self.options.time == TimeMode::Relative
        {
            error(
                "cpn::reads_time",
                "reads the clock, which has no absolute value with --clock relative".to_owned(),
            )
            .helped("use --clock ready or --clock absolute")
        } else {
            return Some(());
        };
        self.add(found);
        None
    }

    fn transition(
        &mut self,
        flat: &FlatTransition,
        colours: &[Option<ColourId>],
    ) -> Option<Transition> {
        let (page, index) = flat.origin;
        let document = self.document;
        let written = &document.pages[page].transitions[index];
        let guard = self.guard(page, written);
        let (mut inputs, mut outputs) = (Some(Vec::new()), Some(Vec::new()));
        let (mut inhibitors, mut resets) = (Vec::new(), Vec::new());
        for arc in &flat.arcs {
            let arcs = match arc.role {
                Role::Input => &mut inputs,
                Role::Output => &mut outputs,
                role => {
                    self.check_bare(page, arc.arc);
                    let places = match role {
                        Role::Reset => &mut resets,
                        _ => &mut inhibitors,
                    };
                    places.push(arc.place);
                    continue;
                }
            };
            let is_input = arc.role == Role::Input;
            let expression = colours[arc.place]
                .and_then(|colour| self.arc(page, written, arc.arc, colour, is_input));
            match (expression, arcs.as_mut()) {
                (Some(expression), Some(arcs)) => arcs.push(Arc {
                    place: arc.place,
                    expression,
                    origin: arc.arc,
                    subtracts: self.subtracts(page, arc.arc),
                }),
                _ => *arcs = None,
            }
        }
        let delay = self.delay(page, written);
        let code = self.code(page, written);
        let priority = self.priority(page, written);
        let mut transition = Transition {
            name: flat.name.clone(),
            line: self.text.position(written.at.start).0,
            inputs: inputs?,
            outputs: outputs?,
            inhibitors,
            resets,
            guard: guard?,
            delay: delay.ok()?,
            code: code.ok()?,
            priority: priority?,
            variables: Vec::new(),
            plan: crate::plan::Plan::default(),
            reads_time: false,
            is_random: false,
        };
        self.finish(&mut transition, written, page)?;
        Some(transition)
    }

    /// Inhibitor and reset arcs are about all tokens, so there is nothing to be said on them.
    fn check_bare(&mut self, page: usize, arc: usize) {
        let written = &self.document.pages[page].arcs[arc].expression;
        if !written.is_empty() {
            let message = "an inhibitor or reset arc has an inscription".to_owned();
            let error = CpnError::new("cpn::arc_kind", message, written.at.clone());
            self.add(error.helped("it is about all tokens of the place; leave the text out"));
        }
    }

    fn subtracts(&self, page: usize, arc: usize) -> bool {
        let text = &self.document.pages[page].arcs[arc].expression.text;
        text.contains(['-', '~'])
    }

    /// Which variables there are, and how they are bound.
    fn finish(
        &mut self,
        transition: &mut Transition,
        written: &file::Transition,
        page: usize,
    ) -> Option<()> {
        let all = transition.expressions();
        let mut all: BTreeSet<VariableId> = all.flat_map(Expression::variables).copied().collect();
        let effects = || transition.expressions().map(Expression::effects);
        let reads_time = effects().any(|effects| effects.time);
        let is_random = effects().any(|effects| !effects.random.is_empty());
        (transition.reads_time, transition.is_random) = (reads_time, is_random);
        let mut needed = all.clone();
        if let Some(code) = &transition.code {
            needed.extend(&code.input);
            all.extend(code.output.iter().chain(&code.input));
            for output in &code.output {
                needed.remove(output);
            }
        }
        transition.variables = all.into_iter().collect();
        let inputs: Vec<_> = transition
            .inputs
            .iter()
            .map(|arc| (arc.place, &arc.expression))
            .collect();
        match plan(&inputs, &transition.guard, &needed, &mut self.declarations) {
            Ok(plan) => {
                transition.plan = plan;
                Some(())
            }
            Err(variable) => {
                let name = self.declarations.variable_name(variable).to_owned();
                let colour = self.declarations.variable_colour(variable);
                let colour = self.declarations.colours().name(colour).to_owned();
                let sheet = &self.document.pages[page].name;
                let message = format!(
                    "transition {} on page {sheet}: nothing binds the variable `{name}`, and colour set `{colour}` has more than \
                     100 values to try",
                    written.name
                );
                let help = "let the variable stand on an arc from a place, or give it a smaller colour set";
                self.add(CpnError::new("cpn::unbound", message, written.at.clone()).helped(help));
                None
            }
        }
    }

    /// Compiles a text once, however many instances its page has.
    fn once(
        &mut self,
        at: &Range<usize>,
        salt: usize,
        compile: impl FnOnce(&mut Self) -> Option<Expression>,
    ) -> Option<Expression> {
        let key = (at.start, salt);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let compiled = compile(self);
        self.known.insert(key, compiled.clone());
        compiled
    }

    fn expression(
        &mut self,
        element: &str,
        text: &Inscription,
        expect: Expect,
        pure: Pure,
    ) -> Option<Expression> {
        let origin = self.origin(element, &text.at);
        match self.declarations.expression(&text.text, expect, &origin) {
            Ok(expression) => {
                self.check_effects(element, &text.at, expression.effects(), pure)?;
                Some(expression)
            }
            Err(errors) => {
                self.report(&errors);
                None
            }
        }
    }

    fn arc(
        &mut self,
        page: usize,
        transition: &file::Transition,
        arc: usize,
        colour: ColourId,
        is_input: bool,
    ) -> Option<Expression> {
        let sheet = &self.document.pages[page];
        let written = &sheet.arcs[arc];
        let place = sheet
            .places
            .iter()
            .find(|place| place.id == written.place)?;
        let (from, to) = if is_input {
            (&place.name, &transition.name)
        } else {
            (&transition.name, &place.name)
        };
        let element = format!("arc from {from} to {to} on page {}", sheet.name);
        if written.expression.is_empty() && self.declarations.colours().size(colour) != Some(1) {
            let message = format!("{element} has no inscription");
            self.add(CpnError::new("cpn::empty_arc", message, written.at.clone()));
            return None;
        }
        let pure = if is_input {
            Pure::Strictly
        } else {
            Pure::ButForTime
        };
        self.once(&written.at, usize::from(is_input), |compiler| {
            if written.expression.is_empty() {
                let name = compiler.declarations.colours().name(colour).to_owned();
                let text = Inscription {
                    text: format!("{name}.all()"),
                    at: written.at.clone(),
                };
                return compiler.expression(&element, &text, Expect::Arc(colour), pure);
            }
            compiler.expression(&element, &written.expression, Expect::Arc(colour), pure)
        })
    }

    fn guard(&mut self, page: usize, transition: &file::Transition) -> Option<Vec<Expression>> {
        if transition.guard.is_empty() {
            return Some(Vec::new());
        }
        let element = self.element("guard", page, transition);
        let origin = self.origin(&element, &transition.guard.at);
        match self.declarations.guard(&transition.guard.text, &origin) {
            Ok(guard) => {
                for condition in &guard {
                    let (at, effects) = (&transition.guard.at, condition.effects());
                    self.check_effects(&element, at, effects, Pure::Strictly)?;
                }
                Some(guard)
            }
            Err(errors) => {
                self.report(&errors);
                None
            }
        }
    }

    fn element(&self, what: &str, page: usize, transition: &file::Transition) -> String {
        let page = &self.document.pages[page].name;
        format!("{what} of {} on page {page}", transition.name)
    }

    fn delay(
        &mut self,
        page: usize,
        transition: &file::Transition,
    ) -> Result<Option<Expression>, Reported> {
        let text = &transition.time;
        // CPN Tools writes `@+` where nobody has written anything.
        if matches!(text.text.trim(), "" | "@+") {
            return Ok(None);
        }
        let element = self.element("time", page, transition);
        let delay = self.once(&text.at, 2, |compiler| {
            compiler.expression(&element, text, Expect::Delay, Pure::ButForTime)
        });
        delay.map(Some).ok_or(Reported)
    }

    fn priority(&mut self, page: usize, transition: &file::Transition) -> Option<i64> {
        let text = &transition.priority;
        let element = self.element("priority", page, transition);
        if text.is_empty() {
            return Some(NORMAL);
        }
        let expression = self.once(&text.at, 3, |compiler| {
            compiler.expression(&element, text, Expect::Int, Pure::Strictly)
        })?;
        let value = if expression.variables().is_empty() {
            let value = self.declarations.machine_mut().value(&expression, &[]);
            value.map_err(|failure| failure.to_string())
        } else {
            Err("it must not depend on variables".to_owned())
        };
        match value {
            Ok(value) => value.as_int(),
            Err(why) => {
                let message = format!("{element}: {why}");
                self.add(CpnError::new("cpn::priority", message, text.at.clone()));
                None
            }
        }
    }

    fn code(
        &mut self,
        page: usize,
        transition: &file::Transition,
    ) -> Result<Option<CodeSegment>, Reported> {
        let text = &transition.code;
        if text.is_empty() || is_template(&text.text) {
            return Ok(None);
        }
        let element = self.element("code segment", page, transition);
        let origin = self.origin(&element, &text.at);
        match self.declarations.code_segment(&text.text, &origin) {
            Ok(code) => {
                let effects = code.action.effects();
                self.check_effects(&element, &text.at, effects, Pure::ButForTime)
                    .ok_or(Reported)?;
                Ok(Some(code))
            }
            Err(errors) => {
                self.report(&errors);
                Err(Reported)
            }
        }
    }
}

/// Something is wrong, and it has been said what.
struct Reported;

/// What an evaluation may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pure {
    /// The binding only.
    Strictly,
    /// The binding and the clock.
    ButForTime,
    /// The clock, which is zero.
    AtTheStart,
}

/// The code segment that CPN Tools offers to be filled in.
fn is_template(text: &str) -> bool {
    let plain: String = text.split_whitespace().collect();
    plain == "input();output();action();"
}
