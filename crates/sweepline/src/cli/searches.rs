//! `sweepline compare --ltl F`: searches for runs side by side.

use miette::{Report, miette};
use sweepline_report::{lines, table};
use sweepline_session::record::{SearchRecord, SearchesRecord};
use sweepline_session::{Comparison, Model, Questions, compare_searches, disagreement};

use super::args::{CompareArgs, TableFormat};
use super::check::object;
use super::output::{self, Exit};
use super::ticker::Ticker;

/// Searches for runs that decide what is asked, in every order, and what is printed of that.
pub fn searches(args: &CompareArgs, model: &Model) -> Result<(String, Exit), Report> {
    let questions = Questions::gather(&args.into(), model)?;
    let orders = Comparison::from(args).orders(model, &output::limits(&args.limits))?;
    let mut ticker = Ticker::new(args.common.quiet);
    let limits = || output::limits(&args.limits);
    let found = compare_searches(model, &questions, &orders, &limits, &mut ticker)?;
    let is_open = found.iter().any(|search| search.reason.is_some());
    let mut exit = if is_open {
        Exit::Inconclusive
    } else {
        Exit::Holds
    };
    if let Some(bug) = disagreement(&found) {
        output::print_error(miette!("{bug}; please report this").as_ref());
        exit = Exit::Bug;
    }
    let raw: Vec<_> = found.iter().map(SearchRecord::raw).collect();
    let text = match args.format {
        TableFormat::Human => human(&model.name, &found, output::terminal_width(&args.common)),
        TableFormat::Csv => table::comma_separated(&SearchRecord::RAW_HEADINGS, &raw),
        TableFormat::Markdown => table::markdown(&SearchRecord::RAW_HEADINGS, &raw),
        TableFormat::Json | TableFormat::Jsonl => {
            let is_alone = args.format == TableFormat::Json && args.models.models.len() <= 1;
            object(is_alone, &SearchesRecord::new(&model.name, &found))?
        }
    };
    Ok((text, exit))
}

/// A table for each question.
fn human(model: &str, found: &[SearchRecord], width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let of_question = found.chunk_by(|one, other| one.question == other.question);
    let tables = of_question.map(|searches| {
        let rows: Vec<_> = searches.iter().map(SearchRecord::cells).collect();
        let head = lines::hanging("", &format!("{model}  {}", searches[0].question), width);
        head + &table::fitting(&SearchRecord::HEADINGS, &rows, width)
    });
    tables.collect::<Vec<String>>().join("\n")
}
