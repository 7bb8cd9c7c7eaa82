//! Diagnostics as they are shown: of a few lines, of lines that are not too long, and without anything that a terminal
//! would act on.
//!
//! Front ends point into the whole source. A line of a generated model may have a million columns, and a name in it may be
//! meant for the terminal; neither is for every front end to know.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan,
    SpanContents,
};

use crate::plain::{is_unfit, plain_lines};

/// Bytes of a line that are shown.
const WIDE: usize = 200;
/// How many of them come before what is pointed at.
const BEFORE: usize = 80;
/// Lines a label may extend over.
const HIGH: usize = 12;
/// Characters of a message.
const LONG: usize = 2000;
/// Labels of one diagnostic, and diagnostics of one report.
const MANY: usize = 50;

/// A diagnostic that can be shown.
#[derive(Debug)]
pub struct Fit {
    message: String,
    code: Option<String>,
    help: Option<String>,
    severity: Option<Severity>,
    labels: Vec<LabeledSpan>,
    source: Option<Excerpt>,
    related: Vec<Fit>,
    cause: Option<Box<Fit>>,
}

impl Fit {
    /// The same, as it can be shown.
    pub fn new(diagnostic: &dyn Diagnostic) -> Self {
        Self::within(diagnostic, None, &mut None)
    }

    /// The same for one that may point into the source of another.
    fn within(
        diagnostic: &dyn Diagnostic,
        around: Option<&Excerpt>,
        last: &mut Option<Excerpt>,
    ) -> Self {
        let source = diagnostic
            .source_code()
            .and_then(|source| Excerpt::of(source, last));
        let text = source.as_ref().or(around);
        let labels = diagnostic.labels().into_iter().flatten().take(MANY);
        let labels = labels
            .map(|label| fit_label(&label, text))
            .collect::<Vec<_>>();
        let mut others = diagnostic.related().into_iter().flatten();
        let mut related: Vec<Self> = others
            .by_ref()
            .take(MANY)
            .map(|other| Self::within(other, text, last))
            .collect();
        let left = others.count();
        if left > 0 {
            related.push(Self::of_message(format!("and {left} more")));
        }
        Self {
            message: fit_text(diagnostic),
            code: diagnostic.code().map(|code| fit_text(&code)),
            help: diagnostic.help().map(|help| fit_text(&help)),
            severity: diagnostic.severity(),
            cause: cause(diagnostic, text, last),
            labels,
            related,
            source,
        }
    }

    fn of_message(message: String) -> Self {
        Self {
            message,
            code: None,
            help: None,
            severity: None,
            labels: Vec::new(),
            source: None,
            related: Vec::new(),
            cause: None,
        }
    }

    fn of_error(error: &dyn Error) -> Self {
        Self {
            cause: error.source().map(|cause| Box::new(Self::of_error(cause))),
            ..Self::of_message(fit_text(error))
        }
    }
}

fn cause(
    diagnostic: &dyn Diagnostic,
    text: Option<&Excerpt>,
    last: &mut Option<Excerpt>,
) -> Option<Box<Fit>> {
    match diagnostic.diagnostic_source() {
        Some(cause) => Some(Box::new(Fit::within(cause, text, last))),
        None => diagnostic
            .source()
            .map(|cause| Box::new(Fit::of_error(cause))),
    }
}

fn fit_text(text: &(impl fmt::Display + ?Sized)) -> String {
    let text = text.to_string();
    let text = plain_lines(&text);
    match text.char_indices().nth(LONG) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.into_owned(),
    }
}

/// A label that ends where what is shown ends.
fn fit_label(label: &LabeledSpan, source: Option<&Excerpt>) -> LabeledSpan {
    let length = source.map_or(label.len(), |source| source.shown_of(label.inner()));
    let text = label.label().map(fit_text);
    let span = (label.offset(), length);
    if label.primary() {
        LabeledSpan::new_primary_with_span(text, span)
    } else {
        LabeledSpan::new_with_span(text, span)
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Fit {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl Diagnostic for Fit {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as _)
    }
    fn severity(&self) -> Option<Severity> {
        self.severity
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as _)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as _)
    }
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let related = self.related.iter().map(|other| other as &dyn Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(related) as _)
    }
    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// A source of which short pieces are shown.
#[derive(Clone, Debug)]
struct Excerpt {
    name: Option<String>,
    /// As long as the original, with other characters where a terminal would act on them.
    text: Arc<str>,
    /// Where the original lies in memory, to know it when it comes again.
    original: Range<usize>,
}

impl Excerpt {
    /// Many diagnostics point into one source, which is copied once: `last` is the one before.
    fn of(source: &dyn SourceCode, last: &mut Option<Self>) -> Option<Self> {
        let all = source.read_span(&SourceSpan::from(0..0), 0, usize::MAX);
        let all = all.ok()?;
        let start = all.data().as_ptr().addr();
        let original = start..start + all.data().len();
        let name = all.name().map(|name| plain_lines(name).into_owned());
        let known = last.as_ref().filter(|last| last.original == original);
        let text = match known {
            Some(known) => Arc::clone(&known.text),
            None => fit_source(&text_of(all.data())).into(),
        };
        let excerpt = Self {
            name,
            text,
            original,
        };
        *last = Some(excerpt.clone());
        Some(excerpt)
    }

    /// How much of a span is shown.
    fn shown_of(&self, span: &SourceSpan) -> usize {
        let start = span.offset().min(self.text.len());
        let end = start.saturating_add(span.len()).min(self.text.len());
        let lines = &self.text[self.lines(start, end)];
        if span.is_empty() || !too_long(lines) && lines.lines().count() <= HIGH {
            return span.len();
        }
        let rest = &self.text[self.boundary(start)..];
        let line = rest.find('\n').unwrap_or(rest.len());
        let enough = self.boundary(start + line.min(WIDE / 2));
        span.len().min(enough.saturating_sub(start)).max(1)
    }

    /// The lines that a part touches.
    fn lines(&self, start: usize, end: usize) -> Range<usize> {
        let (start, end) = (self.boundary(start), self.boundary(end));
        let first = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let last = self.text[end..].find('\n');
        first..last.map_or(self.text.len(), |at| end + at)
    }

    /// The last start of a character up to there.
    fn boundary(&self, mut at: usize) -> usize {
        at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The lines of a span, or a piece of its first line if they are long.
    fn window(&self, span: &SourceSpan) -> Range<usize> {
        let lines = self.lines(span.offset(), span.offset().saturating_add(span.len()));
        if !too_long(&self.text[lines.clone()]) {
            return lines;
        }
        let line = self.lines(span.offset(), span.offset());
        let before = self.boundary(span.offset().saturating_sub(BEFORE));
        let start = before.max(line.start);
        start..self.boundary(start + WIDE).min(line.end)
    }

    fn named<'a>(&'a self, contents: &MietteSpanContents<'a>) -> Box<dyn SpanContents<'a> + 'a> {
        let (data, span) = (contents.data(), *contents.span());
        let (line, column) = (contents.line(), contents.column());
        let lines = contents.line_count();
        match self.name.clone() {
            Some(name) => Box::new(MietteSpanContents::new_named(
                name, data, span, line, column, lines,
            )),
            None => Box::new(MietteSpanContents::new(data, span, line, column, lines)),
        }
    }
}

fn too_long(lines: &str) -> bool {
    lines.lines().any(|line| line.len() > WIDE)
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = |before, after| -> Result<MietteSpanContents<'a>, MietteError> {
            let read = self.text.read_span(span, before, after)?;
            Ok(MietteSpanContents::new(
                read.data(),
                *read.span(),
                read.line(),
                read.column(),
                read.line_count(),
            ))
        };
        let exact = read(0, 0)?;
        if before == 0 && after == 0 {
            return Ok(self.named(&exact)); // asked for where it is, not for what to show
        }
        let around = read(before, after)?;
        if !too_long(&String::from_utf8_lossy(around.data())) {
            return Ok(self.named(&around));
        }
        let window = self.window(span);
        if span.offset() + span.len() > window.end.max(span.offset() + 1) {
            return Err(MietteError::OutOfBounds); // two labels that are too far apart to be shown together
        }
        let column = exact.column() - (span.offset() - window.start).min(exact.column());
        let window = MietteSpanContents::new(
            &self.text.as_bytes()[window.clone()],
            (window.start, window.len()).into(),
            exact.line(),
            column,
            exact.line_count(),
        );
        Ok(self.named(&window))
    }
}

/// The text, with something of the same length where it is none.
fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text += chunk.valid();
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// A text of the same length that a terminal shows and does not act on.
fn fit_source(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_end = c == '\r' && rest.peek() == Some(&'\n');
        match c.len_utf8() {
            _ if matches!(c, '\n' | '\t') || is_end || !is_unfit(c) => out.push(c),
            1 => out.push('?'),
            2 => out.push('¿'),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}
