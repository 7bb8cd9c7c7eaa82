//! Reading property files, one property at a time: one that is wrong or cannot be checked does not keep the others from being
//! asked.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use miette::{Diagnostic, Severity, SourceCode};
use sweepline_logic::{
    FormulaLine, Property, PropertyKind, Source, formula_lines, parse_ltl, read_formulas,
};
use sweepline_net::{PropertyEntry, WrongProperty};

use crate::error::Error;
use crate::load::{read, read_text};
use crate::model::{Format, Model};
use crate::unanswered::{Asked, Unanswered};

/// What stands in a property file.
pub(crate) struct PropertyFile {
    pub(crate) entries: Vec<Entry>,
}

/// A property of a file.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) read: Read,
}

/// What became of a property.
pub(crate) enum Read {
    Property(Box<Property>, Source),
    Unanswered(Asked),
    Wrong(Wrong),
}

/// A property that is wrong.
pub(crate) struct Wrong {
    pub(crate) text: String,
    /// What is wrong, on a line.
    pub(crate) message: String,
    pub(crate) error: Error,
}

impl PropertyFile {
    /// XML is the contest's or TAPAAL's; anything else is formulas as text. A file without any property that is right is an
    /// error.
    pub(crate) fn read(path: &Path, model: &Model) -> Result<Self, Error> {
        let bytes = read(path)?;
        let is_xml = bytes
            .iter()
            .find(|byte| !byte.is_ascii_whitespace())
            .is_none_or(|&byte| byte == b'<' || byte == 0xef);
        let entries = if is_xml && model.format == Format::Dve {
            family(path, model)?
        } else if is_xml {
            contest(&path.display().to_string(), &bytes, model)?
        } else {
            formulas(&read_text(path)?)?
        };
        Ok(Self { entries })
    }

    /// The property of this name, or else the one with this number; the first is 1.
    pub(crate) fn pick(mut self, path: &Path, wanted: &str) -> Result<Entry, Error> {
        let by_name = self.entries.iter().position(|entry| entry.name == wanted);
        let by_number = || {
            let number: usize = wanted.parse().ok()?;
            number.checked_sub(1).filter(|at| *at < self.entries.len())
        };
        if let Some(at) = by_name.or_else(by_number) {
            return Ok(self.entries.swap_remove(at));
        }
        let names = || self.entries.iter().map(|entry| entry.name.as_str());
        let help = match sweepline_logic::nearest(wanted, names()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => match self.entries.len() {
                count @ 0..=8 => {
                    format!("it has {}", names().collect::<Vec<_>>().join(", "))
                        + &format!("; #1 to #{count} pick them by number")
                }
                count => format!("it has {count} properties; #1 to #{count} pick them by number"),
            },
        };
        Err(Error::NoSuchProperty {
            file: path.to_owned(),
            name: wanted.to_owned(),
            help,
        })
    }
}

fn contest(name: &str, bytes: &[u8], model: &Model) -> Result<Vec<Entry>, Error> {
    let net = model.net().ok_or_else(|| Error::Misplaced {
        about: format!("`{name}` holds properties of a net"),
        model: model.name.clone(),
        help: "write the property as text, such as `AG p`".into(),
    })?;
    let set = sweepline_net::read_properties(name, bytes, net)?;
    let entries = set.into_entries().into_iter().map(|entry| Entry {
        name: entry.name().to_owned(),
        read: match entry {
            PropertyEntry::Property(property) => {
                Read::Property(Box::new(property), Source::new(name, ""))
            }
            PropertyEntry::Refused(refusal) => Read::Unanswered(Unanswered::from(refusal).asked),
            PropertyEntry::Wrong(WrongProperty { name, errors, .. }) => {
                let message = first_of(errors.errors(), errors.omitted());
                Read::Wrong(Wrong {
                    text: name,
                    message,
                    error: errors.into(),
                })
            }
        },
    });
    Ok(entries.collect())
}

/// The properties of a family of programs, for the instance that is called as the model: `mutex.3.dve` is instance 3.
fn family(path: &Path, model: &Model) -> Result<Vec<Entry>, Error> {
    let source = read_text(path)?;
    let stem = model.path.as_deref().and_then(Path::file_stem);
    let stem = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut parts = stem.split('.').skip(1);
    let instance = parts.next().unwrap_or_default();
    let properties = sweepline_dve::read_family(&source, instance, &model.constants)?;
    let entries = properties.into_iter().map(|property| Entry {
        name: property.name.clone(),
        read: Read::Property(Box::new(property), source.clone()),
    });
    Ok(entries.collect())
}

fn formulas(source: &Source) -> Result<Vec<Entry>, Error> {
    let entries: Vec<Entry> = formula_lines(source).map(Entry::from).collect();
    let usable = |entry: &Entry| !matches!(entry.read, Read::Wrong(_));
    if entries.iter().any(usable) {
        return Ok(entries);
    }
    // There is nothing else to be told about such a file than all that is wrong with it.
    match read_formulas(source) {
        Err(errors) => Err(errors.into()),
        Ok(_) => Ok(entries),
    }
}

impl From<FormulaLine> for Entry {
    fn from(line: FormulaLine) -> Self {
        let FormulaLine {
            name,
            source,
            property,
        } = line;
        let text = source.text().trim().to_owned();
        let read = match property {
            Ok(property) => Read::Property(Box::new(property), source),
            Err(_) if parse_ltl(unnamed(&name, &source)).is_ok() => {
                let source = unnamed(&name, &source);
                return Self::about_runs(name, source);
            }
            Err(errors) => Read::Wrong(Wrong {
                text,
                message: first_of(&errors.iter().collect::<Vec<_>>(), 0),
                error: errors.into(),
            }),
        };
        Self { name, read }
    }
}

impl Entry {
    /// A formula of linear time as text.
    fn about_runs(name: String, source: Source) -> Self {
        let read = match parse_ltl(&source) {
            Ok(parsed) => {
                let kind = PropertyKind::AllRuns(parsed.ltl);
                let name = name.clone();
                Read::Property(Box::new(Property { name, kind }), source)
            }
            Err(errors) => Read::Wrong(Wrong {
                text: source.text().trim().to_owned(),
                message: first_of(&errors.iter().collect::<Vec<_>>(), 0),
                error: errors.into(),
            }),
        };
        Self { name, read }
    }
}

/// What stands behind the name of a formula, if it has one.
fn unnamed(name: &str, source: &Source) -> Source {
    let text = source.text();
    let colon = text.find(':').filter(|colon| {
        let before = text[..*colon].trim();
        before.trim_matches(['"', '\'']) == name
    });
    match colon {
        Some(colon) => source.part(source.range().start + colon + 1..source.range().end),
        None => source.clone(),
    }
}

/// The first of some errors, and how many there are.
pub(crate) fn first_of(errors: &[impl Display], omitted: usize) -> String {
    let first = errors.first().map_or_else(String::new, ToString::to_string);
    match errors.len() + omitted {
        0 | 1 => first,
        2 => format!("{first} (and another error)"),
        count => format!("{first} (and {} other errors)", count - 1),
    }
}

impl Wrong {
    /// The question without an answer, and what is to be told about it.
    pub(crate) fn set_aside(self, name: &str) -> (Asked, Arc<dyn Diagnostic + Send + Sync>) {
        let asked = Asked::Wrong {
            text: self.text,
            message: self.message,
        };
        let warning = SetAside {
            name: name.to_owned(),
            error: self.error,
        };
        (asked, Arc::new(warning))
    }
}

/// A property is wrong, and the others of its file are asked.
#[derive(Debug, thiserror::Error)]
#[error("property `{name}` has no answer; the others of its file are asked")]
struct SetAside {
    name: String,
    error: Error,
}

impl Diagnostic for SetAside {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Warning)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.error.source_code()
    }

    /// What is wrong with it: the parts of the error, or the error itself.
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let itself = || Box::new(std::iter::once(&self.error as &dyn Diagnostic)) as Box<_>;
        Some(self.error.related().unwrap_or_else(itself))
    }
}
