//! Models, and how their actions depend on each other.

use std::path::Path;
use std::sync::Arc;

use sweepline::core::{AnySystem, Limits};
use sweepline::net::{NetSystem, PetriNet, family};
use sweepline::program::ProgramSystem;
use sweepline::progress::Structure;
use sweepline::reduce::local::{Views, ls3};
use sweepline::reduce::{NetTransitions, ProgramTransitions, Transitions};
use sweepline::session::{LoadOptions, Reading, load};

use crate::promised::Mode;

/// A system and how its actions depend on each other.
pub(crate) type Parts = (Arc<dyn AnySystem>, Arc<dyn Transitions>);

/// Loads a model, or makes a net of a family.
pub(crate) fn parts(directory: &Path, name: &str, mode: Mode) -> Parts {
    let (format, model) = name.split_once('/').expect("a format and a name");
    match (format, model) {
        ("family", "kanban") => net_parts(family::kanban(4)),
        ("family", "fms") => net_parts(family::fms(4)),
        ("family", _) => net_parts(family::philosophers(12)),
        ("dve", model) => loaded(&directory.join(format!("dve/{model}/{model}.dve")), mode),
        _ => loaded(&directory.join(name).join("model.pnml"), mode),
    }
}

fn net_parts(net: PetriNet) -> Parts {
    let net = Arc::new(net);
    let transitions = NetTransitions::new(Arc::clone(&net)).expect("it can be reduced");
    (Arc::new(NetSystem::new(net)), Arc::new(transitions))
}

fn loaded(path: &Path, mode: Mode) -> Parts {
    let Ok(Reading::Loaded(model)) = load(path, &LoadOptions::default(), &Limits::default()) else {
        panic!("{} is well-formed", path.display());
    };
    let transitions: Arc<dyn Transitions> = match &model.structure {
        Structure::Net(net) => {
            Arc::new(NetTransitions::new(Arc::clone(net)).expect("it can be reduced"))
        }
        Structure::Program(program) => {
            let program = program.program();
            let mut known = ProgramTransitions::new(program).expect("it can be reduced");
            if mode == Mode::Local {
                look_closer(&mut known);
            }
            Arc::new(known)
        }
        _ => panic!("a net or a program"),
    };
    (model.system, transitions)
}

/// Takes over what local graphs tell.
fn look_closer(known: &mut ProgramTransitions) {
    let system = ProgramSystem::new((**known.program()).clone());
    let views = Views::new(&system, &[]).expect("it has several processes");
    let limits = Limits::default();
    let graphs = ls3(&Arc::new(views), &limits).expect("its local graphs are small");
    known.refine(&graphs, &limits).expect("there are no limits");
}
