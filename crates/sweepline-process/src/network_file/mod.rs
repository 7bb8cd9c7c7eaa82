//! Reading `.network` files: networks of components from files of their own.
//!
//! ```text
//! # Two philosophers and the fork between them.
//! left  = philosopher.aut relabel left.take/take, left.drop/drop
//! right = philosopher.aut relabel right.take/take, right.drop/drop hide think
//! fork.aut
//! hide eat
//! low left.drop, right.drop
//! ```
//!
//! A component is a line with its name and its file; without a name it is called like the file, without folders and
//! ending. It takes part in every label of its file. Behind the file there may be changes, made in their order:
//! `relabel new/old, …` gives labels other names, all at once, and `hide label, …` makes labels internal before others
//! can share them.
//!
//! Lines that begin with `hide`, `high` or `low` are about the whole: labels that are internal outside, though
//! components share them; labels that go before all others, where they are possible; labels that go after all others.
//!
//! Names, files and labels that contain blanks, `,`, `=` or quotes, and labels that contain `/`, are put in quotes
//! `"…"`, inside which `"` is doubled. A comment begins with `#` at the beginning of a word and ends with the line.

mod error;
mod line;
#[cfg(test)]
mod tests;
mod token;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use sweepline_core::{Limits, StopReason};
use sweepline_text::{Errors, Source, did_you_mean};

use crate::lts::Lts;
use crate::network::{Component, Network, Priority};
use line::{CHANGES, KEYWORDS, Label, Line, Parsed, Spelled};
use token::{Slashes, Tokens, What};

pub use error::{NetworkFileError, NotLoaded};

/// Gets the LTS in a file, as it is named in the network.
pub type Loader<'a> = dyn FnMut(&str) -> Result<Lts, NotLoaded> + 'a;

/// Reads a network; see the [module](self). `loader` reads the files of its components.
///
/// ```
/// use sweepline_process::{read_aut, read_network};
///
/// let text = "sender = link.aut relabel transmit/send\nreceiver = link.aut hide ack\n";
/// let network = read_network(&text.into(), &mut |file| {
///     let link = "des (0, 2, 2)\n(0, send, 1)\n(1, ack, 0)\n";
///     Ok(read_aut(file, link.as_bytes())?)
/// });
/// let network = network.unwrap();
/// assert_eq!(network.components[0].lts.labels(), ["tau", "transmit", "ack"]);
/// assert_eq!(network.components[1].lts.labels(), ["tau", "send"]);
/// ```
pub fn read_network(
    source: &Source,
    loader: &mut Loader<'_>,
) -> Result<Network, Errors<NetworkFileError>> {
    read_network_within(source, loader, &Limits::default())
}

/// The same, if it can be done within limits. The loader has to keep to them by itself.
pub fn read_network_within(
    source: &Source,
    loader: &mut Loader<'_>,
    limits: &Limits,
) -> Result<Network, Errors<NetworkFileError>> {
    let mut reader = Reader {
        source,
        loader,
        limits,
        network: Network::default(),
        held: 0,
        names: HashMap::new(),
        named: Vec::new(),
        errors: Vec::new(),
    };
    let mut start = source.range().start;
    for line in source.text().split_inclusive('\n') {
        if let Err(error) = reader.line(line.trim_end(), start) {
            if error.stopped().is_some() {
                // What else is wrong is not known, and does not matter.
                return Err((*error).into());
            }
            reader.errors.push(*error);
        }
        start += line.len();
    }
    reader.finish()
}

/// So many errors come with a proposal.
const MOST_PROPOSALS: usize = 50;

struct Reader<'a, 'l> {
    source: &'a Source,
    loader: &'a mut Loader<'l>,
    limits: &'a Limits,
    network: Network,
    /// How many bytes the components take.
    held: usize,
    /// Where each component is named.
    names: HashMap<String, Range<usize>>,
    /// Labels of the whole network with their places: they are looked up when all components are known.
    named: Vec<Label>,
    errors: Vec<NetworkFileError>,
}

impl Reader<'_, '_> {
    fn line(&mut self, text: &str, start: usize) -> Parsed<()> {
        let mut line = Line {
            source: self.source,
            tokens: Tokens::new(text),
            start,
        };
        if line.peek() == What::End {
            return Ok(());
        }
        let first = line.word("a component")?;
        match line.peek() {
            What::Equals => {
                line.next(Slashes::InWords);
                let file = line.word("a file")?;
                self.component(Some(first), &file, line)
            }
            What::Word { .. } if KEYWORDS.contains(&first.keyword()) => self.labels(&first, line),
            What::Word { .. } => {
                line.check_keyword(&first)?;
                self.component(None, &first, line)
            }
            _ => self.component(None, &first, line),
        }
    }

    /// A line about the labels of the whole network.
    fn labels(&mut self, keyword: &Spelled, mut line: Line<'_>) -> Parsed<()> {
        let labels = line.list(Line::label)?;
        line.end(&[])?;
        let names: BTreeSet<String> = labels.iter().map(|label| label.name.clone()).collect();
        self.named.extend(labels);
        if keyword.text == "hide" {
            self.network.hidden.extend(names);
            return Ok(());
        }
        if self.network.priority.is_some() {
            let text = self.source.named();
            let at = keyword.at.clone().into();
            return Err(Box::new(NetworkFileError::TwoPriorities { text, at }));
        }
        self.network.priority = Some(Priority {
            labels: names,
            high: keyword.text == "high",
        });
        Ok(())
    }

    fn component(
        &mut self,
        name: Option<Spelled>,
        file: &Spelled,
        mut line: Line<'_>,
    ) -> Parsed<()> {
        let at = name.as_ref().map_or(&file.at, |name| &name.at).clone();
        let name = name.map_or_else(|| stem(&file.text).to_string(), |name| name.text);
        if let Some(first) = self.names.get(&name) {
            return Err(Box::new(NetworkFileError::DuplicateName {
                name,
                text: self.source.named(),
                first: first.clone().into(),
                at: at.into(),
            }));
        }
        let lts = (self.loader)(&file.text).map_err(|cause| match cause {
            NotLoaded::Stopped(reason) => Box::new(NetworkFileError::Stopped(reason)),
            NotLoaded::Wrong(cause) => Box::new(NetworkFileError::Component {
                name: name.clone(),
                file: file.text.clone(),
                cause,
                text: self.source.named(),
                at: file.at.clone().into(),
            }),
        })?;
        let lts = self.changed(&name, lts, &mut line)?;
        line.end(&CHANGES)?;
        self.held += lts.bytes();
        self.allow(self.held)?;
        self.names.insert(name.clone(), at);
        self.network.components.push(Component {
            name,
            lts: lts.into(),
        });
        Ok(())
    }

    /// Makes the changes behind the file of a component.
    fn changed(&mut self, name: &str, mut lts: Lts, line: &mut Line<'_>) -> Parsed<Lts> {
        let owner = format!("component `{name}`");
        loop {
            match line.keyword().as_deref() {
                Some("relabel") => {
                    line.next(Slashes::InWords);
                    let pairs = line.list(Line::pair)?;
                    self.allow_relabelled(&lts, &pairs)?;
                    self.check(&owner, lts.labels(), pairs.iter().map(|(_, old)| old));
                    let pairs = pairs.into_iter().map(|(new, old)| (new.name, old.name));
                    lts = lts.relabelled(&pairs.collect::<Vec<_>>());
                }
                Some("hide") => {
                    line.next(Slashes::InWords);
                    let labels = line.list(Line::label)?;
                    self.check(&owner, lts.labels(), &labels);
                    lts = lts.hidden(&labels.into_iter().map(|label| label.name).collect());
                }
                _ => return Ok(lts),
            }
        }
    }

    /// Every new name of a label means another copy of its edges.
    fn allow_relabelled(&self, lts: &Lts, pairs: &[(Label, Label)]) -> Parsed<()> {
        let mut copies: HashMap<&str, usize> = HashMap::new();
        for (_, old) in pairs {
            *copies.entry(&old.name).or_default() += 1;
        }
        let most = copies.into_values().max().unwrap_or(1);
        self.allow(
            lts.bytes()
                .saturating_mul(most + 1)
                .saturating_add(self.held),
        )
    }

    fn allow(&self, held: usize) -> Parsed<()> {
        let allowed = self.limits.allow(held);
        allowed.map_err(|reason: StopReason| Box::new(NetworkFileError::Stopped(reason)))
    }

    /// Reports labels that are not in an alphabet.
    fn check<'b>(
        &mut self,
        owner: &str,
        alphabet: &[String],
        labels: impl IntoIterator<Item = &'b Label>,
    ) {
        let alphabet = || alphabet.iter().skip(1).map(String::as_str);
        let known: HashSet<&str> = alphabet().collect();
        for label in labels {
            if known.contains(label.name.as_str()) {
                continue;
            }
            // A proposal is a look at the whole alphabet, and nobody reads thousands of them.
            let proposes = self.errors.len() < MOST_PROPOSALS;
            let help = proposes.then(|| {
                did_you_mean(&label.name, alphabet()).unwrap_or_else(|| some_of(alphabet()))
            });
            self.errors.push(NetworkFileError::UnknownLabel {
                owner: owner.to_string(),
                label: label.name.clone(),
                help,
                text: self.source.named(),
                at: label.at.clone().into(),
            });
        }
    }

    fn finish(mut self) -> Result<Network, Errors<NetworkFileError>> {
        if self.errors.is_empty() {
            let components = self.network.components.iter();
            let labels = components.flat_map(|component| &component.lts.labels()[1..]);
            let alphabet: BTreeSet<String> = labels.cloned().collect();
            let alphabet: Vec<String> =
                std::iter::once("tau".to_string()).chain(alphabet).collect();
            let named = std::mem::take(&mut self.named);
            if self.network.components.is_empty() {
                self.errors.push(NetworkFileError::Empty {});
            } else {
                self.check("the network", &alphabet, &named);
            }
        }
        Errors::in_order(self.network, self.errors)
    }
}

/// What a file is called without folders and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

fn some_of<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    const SOME: usize = 10;
    let mut labels: Vec<String> = labels.map(|label| format!("`{label}`")).collect();
    match labels.len() {
        0 => "there are no labels".to_string(),
        count if count > SOME => {
            labels.truncate(SOME);
            format!(
                "the labels are {} and {} more",
                labels.join(", "),
                count - SOME
            )
        }
        _ => format!("the labels are {}", labels.join(", ")),
    }
}
