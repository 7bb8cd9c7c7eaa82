//! `sweepline graph`

use miette::{Report, miette};
use sweepline_session::record::GraphRecord;
use sweepline_session::{Error, GraphInfo, Reading, exported, open_graph, visit};

use super::args::{GraphCommand, OutputFormat};
use super::export::Export;
use super::models::Models;
use super::output::Exit;
use super::{check, explore, print, signals};
use sweepline_core::Limits;
use sweepline_report::files::Files;

pub fn graph(command: GraphCommand, models: &Models) -> Result<Exit, Report> {
    let limits = Limits::until(signals::cancel());
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
            let info = GraphInfo::of_file(&graph, &limits)?;
            let record = GraphRecord::from(&info);
            print(match format {
                OutputFormat::Human => info.to_string(),
                format => check::object(format == OutputFormat::Json, &record)?,
            })
        }
        GraphCommand::Walk {
            graph: path,
            models: args,
            node,
            back,
        } => {
            let graph = open_graph(&path, &limits)?;
            let sources = <[_; 1]>::try_from(models.of(&args));
            let [source] = sources.map_err(|_| {
                miette!("a graph is walked with one model, the one that it was built of")
            })?;
            let visited = match source.load(&args, &limits)? {
                Reading::Loaded(model) => visit(&graph, &model, node, back),
                Reading::Stopped(stopped) => Err(Error::Stopped(Box::new(stopped))),
            };
            print(visited.map_err(|error| error.in_file(&path))?.to_string())
        }
        GraphCommand::Export {
            graph,
            to,
            output,
            export_states,
        } => {
            let to = to.or(output).expect("one of the two is required");
            let export = Export::open(&to, &mut Files::reading([&graph]))?;
            let (graph, node) = exported(&graph, export_states, &limits)?;
            export.write(&graph, node, false)?;
            Ok(Exit::Holds)
        }
    }
}
