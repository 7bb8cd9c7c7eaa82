//! `sweepline local`

use miette::{Report, miette};
use sweepline_report::files::Files;
use sweepline_report::listing::{self, Entry};
use sweepline_report::{lines, plain::plain_lines, table};
use sweepline_session::record::LocalRecord;
use sweepline_session::{
    LocalAnalysis, LocalOptions, Model, Order, OrderOptions, Reading, analyse, machine,
};

use super::args::{LocalArgs, OutputFormat};
use super::check::{exit_of, json, mistake, stopped_text, verdict_exit};
use super::export::Export;
use super::human::{self, Heading};
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output};
use super::ticker::Ticker;

/// Shows the local graphs of every model.
pub fn local(args: &LocalArgs, models: &Models) -> Result<Exit, Report> {
    if args.export.is_some() && args.models.models.len() > 1 {
        return Err(miette!(
            help = "look at one model at a time",
            "--export writes one local graph"
        ));
    }
    let mut files = Files::reading(&args.models.models);
    let mut output = Output::open(&args.output.common, &mut files)?;
    let export = args.export.as_deref();
    let mut export = export
        .map(|file| Export::open(file, &mut files))
        .transpose()?;
    let worst = models.worst(&args.models, |place| {
        let name = place.name();
        of_model(args, place, &mut output, &mut export).or_else(|report| {
            let record = mistake(&args.output, &args.models, name, &report);
            Ok(output.refuse(&report, record))
        })
    });
    Ok(output.finish(worst))
}

fn of_model(
    args: &LocalArgs,
    place: ModelSource<'_>,
    output: &mut Output,
    export: &mut Option<Export>,
) -> Result<Exit, Report> {
    let limits = output::limits(&args.search.limits);
    let options = output::options(&args.search, &limits)?;
    let is_human = args.output.format == OutputFormat::Human;
    let model = match place.load(&args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            let text = stopped_text(&args.output, &args.models, &stopped, Vec::new())?;
            output.write(text.as_bytes())?;
            return Ok(Exit::Inconclusive);
        }
    };
    let quiet = args.output.common.quiet;
    output::print_warnings(&model, &args.output.common);
    let order = Order::of(&OrderOptions::default(), &model, &limits)?;
    let wanted = LocalOptions {
        method: args.method,
        properties: args.properties.clone(),
        process: args.process.clone(),
    };
    let found = analyse(&model, &wanted, &order, &options, &mut Ticker::new(quiet))?;
    let text = if is_human {
        show(args, &model, &found)
    } else {
        let peak = machine::process_peak();
        let record = LocalRecord::new(&model, &found, args.trace_format, peak);
        json(&args.output, &args.models, &record)?
    };
    output.write(text.as_bytes())?;
    if let (Some(export), Some(process)) = (export.take(), &args.process) {
        export.write(&found.graph(process)?, "local state", quiet)?;
    }
    let verdicts = found.verdicts().into_iter().map(|it| verdict_exit(&it));
    let run = found.run.as_ref().map(exit_of);
    Ok(verdicts.chain(run).min().unwrap_or(Exit::Holds))
}

fn show(args: &LocalArgs, model: &Model, found: &LocalAnalysis) -> String {
    let style = output::style(&args.output.common);
    let mut text = String::new();
    let heading = Heading {
        model: &model.name,
        several: args.models.models.len() > 1,
        summary: &model.summary,
        notes: vec![("method", found.described())],
    };
    human::heading(&mut text, style, &heading);
    let rows = found.rows();
    if !style.quiet && !rows.is_empty() {
        let rows = table::fitting(&LocalAnalysis::HEADINGS, &rows, style.width);
        text += &plain_lines(&rows);
    }
    for note in found.notes().iter().filter(|_| !style.quiet) {
        text += &lines::hanging("  ", note, style.width);
    }
    let claims = found.claims.iter().map(|claim| Entry {
        mark: human::mark(style, claim.locally()),
        name: claim.answer.name.clone(),
        text: found.said(claim),
        may_cut: false,
    });
    let claims: Vec<Entry> = claims.collect();
    if !claims.is_empty() {
        text.push('\n');
        listing::entries(&mut text, &claims, style.list);
    }
    if let Some(run) = &found.run {
        text.push('\n');
        human::run(&mut text, style, run);
    }
    text
}
