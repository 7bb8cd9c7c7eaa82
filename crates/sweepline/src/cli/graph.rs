//! `sweepline graph`

use std::path::Path;

use miette::{Report, miette};
use sweepline_session::record::GraphRecord;
use sweepline_session::{GraphInfo, Reading, open_graph, visit};

use super::args::{GraphCommand, OutputFormat};
use super::export::Export;
use super::models::Models;
use super::output::Exit;
use super::{check, explore, print};
use sweepline_core::Limits;
use sweepline_report::files::Files;

pub fn graph(command: GraphCommand, models: &Models) -> Result<Exit, Report> {
    match command {
        GraphCommand::Build(mut args) => match args.output.common.output.take() {
            Some(path) => explore::explore(&args, models, Some(&path)),
            None => Err(miette!(
                help = "add --output FILE.swg",
                "a graph is written to a file, and none is named"
            )),
        },
        GraphCommand::Check(args) => check::check(&args, models),
        GraphCommand::Info { graph, format } => {
            let info = GraphInfo::of(&open_graph(&graph)?)?;
            let record = GraphRecord::from(&info);
            print(match format {
                OutputFormat::Human => info.to_string(),
                format => check::object(format == OutputFormat::Json, &record)?,
            })
        }
        GraphCommand::Walk {
            graph,
            models: args,
            node,
            back,
        } => {
            let graph = open_graph(&graph)?;
            let source = models.of(&args).into_iter().next();
            let source = source.ok_or_else(|| miette!("a graph is walked with its model"))?;
            match source.load(&args, &Limits::default())? {
                Reading::Loaded(model) => print(visit(&graph, &model, node, back)?.to_string()),
                Reading::Stopped(stopped) => Err(miette!("{}", stopped.reason)),
            }
        }
        GraphCommand::Export {
            graph,
            to,
            output,
            export_states,
        } => {
            let to = to.or(output).expect("one of the two is required");
            export(&graph, &to, export_states)
        }
    }
}

fn export(graph: &Path, to: &Path, most: usize) -> Result<Exit, Report> {
    let export = Export::open(to, &mut Files::reading([graph]))?;
    let stored = open_graph(graph)?;
    let node = if stored.figures().repeated {
        "node"
    } else {
        "state"
    };
    let graph = stored.in_memory(most).map_err(Report::new)?;
    export.write(&graph, node, false)?;
    Ok(Exit::Holds)
}
