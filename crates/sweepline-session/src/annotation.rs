//! Progress that the author of a model has written down: in a file beside the model, or in a comment of it.
//!
//! `MODEL.progress` has lines `progress E` (may decrease) and `columns E` (never decreases); `#` starts a comment. In a
//! model, the same stands in a comment after `sweepline:`, as in `// sweepline: progress Sender.n`. In programs, `end E` says
//! what a proper end is; the front end reads that.

use std::path::{Path, PathBuf};

use sweepline_logic::{Coordinate, Source};

use crate::error::Error;
use crate::load;
use crate::model::{Format, Model};

/// A measure that was written down.
pub(crate) struct Annotation {
    pub(crate) columns: Vec<Coordinate>,
    pub(crate) rows: Vec<Coordinate>,
    /// Where.
    pub(crate) place: String,
}

/// Reads what is written down about a model, if anything is.
pub(crate) fn read(path: &Path, model: &Model) -> Result<Option<Annotation>, Error> {
    let text = model.text.as_str();
    if let Some(file) = side_file(path) {
        let source = load::read_text(&file)?;
        let mut annotation = Annotation::empty(file.display().to_string());
        for (start, line) in lines(source.text()) {
            let code = line.split('#').next().unwrap_or("");
            if !code.trim().is_empty() {
                annotation.add(&source, start, code)?;
            }
        }
        return Ok(Some(annotation));
    }
    let mut annotation = Annotation::empty("a comment of the model".into());
    let source = Source::new(path.display().to_string(), text);
    for (start, line) in lines(text) {
        if let Some(at) = line.find(PRAGMA) {
            let rest = &line[at + PRAGMA.len()..];
            let code = rest.split("-->").next().unwrap_or(rest);
            let code = code.split("*/").next().unwrap_or(code);
            if model.format == Format::Dve && code.split_whitespace().next() == Some("end") {
                continue;
            }
            annotation.add(&source, start + at + PRAGMA.len(), code)?;
        }
    }
    let found = !(annotation.columns.is_empty() && annotation.rows.is_empty());
    Ok(found.then_some(annotation))
}

const PRAGMA: &str = "sweepline:";

/// `model.dve.progress`, or `model.progress` for models of that name in all languages.
fn side_file(path: &Path) -> Option<PathBuf> {
    let own = path.with_added_extension("progress");
    let shared = path.with_extension("progress");
    [own, shared].into_iter().find(|file| file.is_file())
}

/// The lines of a text and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |start, line| {
        let this = *start;
        *start += line.len();
        Some((this, line.trim_end()))
    })
}

impl Annotation {
    fn empty(place: String) -> Self {
        Self {
            columns: Vec::new(),
            rows: Vec::new(),
            place,
        }
    }

    /// Adds a line, which begins at `start` of the source.
    fn add(&mut self, source: &Source, start: usize, code: &str) -> Result<(), Error> {
        let indent = code.len() - code.trim_start().len();
        let (word, rest) = code
            .trim_start()
            .split_once(char::is_whitespace)
            .unwrap_or((code.trim(), ""));
        let list = match word {
            "progress" => &mut self.rows,
            "columns" => &mut self.columns,
            _ => {
                let line = source.text()[..start].matches('\n').count() + 1;
                return Err(Error::UnknownWord {
                    name: source.name().to_owned(),
                    line,
                    word: word.to_owned(),
                });
            }
        };
        let from = start + indent + word.len();
        let part = source.part(from..from + rest.len() + usize::from(!rest.is_empty()));
        list.extend(Coordinate::parse(part)?);
        Ok(())
    }
}
