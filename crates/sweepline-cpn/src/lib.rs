//! Coloured Petri nets as CPN Tools stores them.
//!
//! [`read_cpn`] makes a [`CpnSystem`] of a file: pages are unfolded into instances, ports and fusion places merged, and all
//! inscriptions compiled. [`ml`] is CPN ML, the language of declarations and inscriptions.

mod before;
mod binding;
mod compile;
mod declare;
mod encoding;
mod engine;
mod error;
mod file;
mod firing;
mod flat;
mod marking;
pub mod ml;
mod net;
mod observe;
mod plan;
mod query;
mod renewal;
mod report;
mod show;
mod system;

pub use error::{CpnError, CpnErrors};
pub use query::{Answer, Note, Told};
pub use report::{Bounds, Fairness, Report};
pub use system::CpnSystem;

use sweepline_net::reading::Collector;

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Constants with other values.
    pub constants: Vec<(String, i64)>,
    /// What states know of time.
    pub time: TimeMode,
    /// The last moment that is looked at.
    pub horizon: Option<i64>,
    /// Whether random functions have all their results.
    pub random: bool,
}

/// What states of timed nets know of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeMode {
    /// The clock, and the stamp of every token.
    #[default]
    Absolute,
    /// The clock, and of every token when it will be ready, if it is not.
    Ready,
    /// Only how long it takes until tokens are ready.
    Relative,
}

/// A model that was read.
#[derive(Debug)]
pub struct Cpn {
    /// The net.
    pub system: CpnSystem,
    /// How many pages the file has.
    pub pages: usize,
    /// Integer constants, with the values they have.
    pub constants: Vec<(String, i64)>,
    /// What is wrong but makes no difference: declarations that nothing uses, pages without an instance, ports unlike their sockets.
    pub unused: Vec<CpnError>,
    /// Texts that belong to no element: notes, and queries for CPN Tools.
    pub texts: Vec<Note>,
    /// How many monitors there are.
    pub monitors: usize,
    /// Where the middle of each instance of a place or transition is drawn, by its name.
    pub positions: Vec<(String, (f64, f64))>,
    /// The text of the file.
    pub text: String,
}

/// Reads a model of CPN Tools.
pub fn read_cpn(name: &str, bytes: &[u8], options: &LoadOptions) -> Result<Cpn, CpnErrors> {
    let (source, document) = file::read(name, bytes)?;
    let mut errors = Collector::new();
    let flat = flat::flatten(&document, &mut errors);
    if !errors.is_empty() {
        return errors.finish(&source, None);
    }
    let mut compiler = compile::Compiler::new(&document, &source, options, &mut errors);
    compiler.declare();
    let net = compiler.net(&flat);
    compiler.check_horizon(net.is_timed);
    let (declarations, mut unused) = (compiler.declarations, compiler.faulty);
    let (constants, is_misread) = (compiler.constants, compiler.is_misread);
    if !errors.is_empty() {
        for fault in unused.into_iter().filter(|_| is_misread) {
            errors.add(|| fault);
        }
        return errors.finish(&source, None);
    }
    let texts = document.pages.iter().flat_map(|page| {
        let texts = page.texts.iter().map(|text| text.text.clone());
        texts.map(|text| Note {
            page: page.name.clone(),
            text,
        })
    });
    let texts = texts.collect();
    unused.extend(flat.left_out.iter().cloned());
    let cpn = Cpn {
        pages: document.pages.len(),
        system: CpnSystem::new(net, declarations, options.time, options.horizon),
        constants,
        unused,
        texts,
        positions: flat.positions(&document),
        monitors: document.monitors,
        text: source.text().to_owned(),
    };
    errors.finish(&source, Some(cpn))
}
