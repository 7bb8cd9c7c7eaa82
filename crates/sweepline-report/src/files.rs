//! Files that are written: looked at before the run, replaced as a whole after it.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use miette::{Report, miette};

/// The files a command reads and writes: none of them is written over by accident.
#[derive(Debug, Default)]
pub struct Files {
    taken: Vec<PathBuf>,
}

/// A file that will be written when its contents are known.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A new file beside it takes its name, with these permissions if there is a file to replace.
    Replaced(PathBuf, Option<Permissions>),
    /// It is opened now: a device, a pipe, or a file in a directory where no other can be made.
    Opened(File),
}

impl Files {
    /// These are read.
    pub fn reading<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Self {
        let real = inputs
            .into_iter()
            .filter_map(|path| fs::canonicalize(path).ok());
        Self {
            taken: real.collect(),
        }
    }

    /// This one will be written. Whether it can be is found out now.
    pub fn target(&mut self, path: &Path) -> Result<Target, Report> {
        let place = place(path).map_err(|error| cannot_write(path, &error))?;
        if let Place::Replaced(real, _) = &place {
            if self.taken.contains(real) {
                return Err(miette!(
                    help = "name another file",
                    "`{}` is read or written already, so nothing else is written to it",
                    path.display()
                ));
            }
            self.taken.push(real.clone());
        }
        Ok(Target {
            path: path.to_owned(),
            place,
        })
    }
}

/// Where to write a file. Fails if it cannot be written.
fn place(path: &Path) -> io::Result<Place> {
    let Ok(found) = fs::metadata(path) else {
        if path.is_symlink() {
            return File::create(path).map(Place::Opened); // the link leads to where no file is yet
        }
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::from(ErrorKind::IsADirectory))?;
        let real = fs::canonicalize(directory(path))?.join(name);
        beside(&real, None)?;
        return Ok(Place::Replaced(real, None));
    };
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        let file = OpenOptions::new().write(true).open(path)?;
        return Ok(Place::Opened(file));
    }
    let file = OpenOptions::new().append(true).open(path)?;
    let real = fs::canonicalize(path)?;
    match beside(&real, None) {
        Ok(_) => Ok(Place::Replaced(real, Some(found.permissions()))),
        Err(_) => Ok(Place::Opened(file)),
    }
}

/// A file in the same directory that will take the name.
fn beside(real: &Path, permissions: Option<&Permissions>) -> io::Result<tempfile::NamedTempFile> {
    let ordinary = Permissions::from_mode(0o666); // less what the user's mask takes away
    let file = tempfile::Builder::new()
        .prefix(".sweepline-")
        .permissions(ordinary)
        .tempfile_in(directory(real))?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions.clone())?;
    }
    Ok(file)
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Report {
    miette!(
        help = "check that the directory exists, that it may be written to, and that there is room",
        "cannot write `{}`: {error}",
        path.display()
    )
}

impl Target {
    /// Writes the file as a whole: it has all of the contents, or what it had before.
    pub fn write(self, contents: &[u8]) -> Result<Written, Report> {
        self.write_with(|out| Ok(out.write_all(contents)?))
    }

    /// The same for contents that are written piece by piece.
    pub fn write_with(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
    ) -> Result<Written, Report> {
        let here = |out: &mut dyn Write| write(out).map(|()| Belongs::Here);
        let written = self.write_or(None, here)?;
        Ok(written.expect("it belongs here, and nothing went wrong"))
    }

    /// The same for contents that turn out to belong elsewhere: `write` says so at their end. The other file is written then, or
    /// none if there is no other. A file that had to be opened before the run has the contents in any case.
    pub fn write_or(
        self,
        other: Option<Self>,
        write: impl FnOnce(&mut dyn Write) -> Result<Belongs, WriteError>,
    ) -> Result<Option<Written>, Report> {
        let written = match self.place {
            Place::Opened(file) => overwrite(file, write).map(|()| Some(self.path.clone())),
            Place::Replaced(real, permissions) => beside(&real, permissions.as_ref())
                .map_err(WriteError::from)
                .and_then(|mut file| {
                    let place = match (fill(&mut file, write)?, other) {
                        (Belongs::Here, _) => Some((real, self.path.clone())),
                        (Belongs::Elsewhere, other) => other.and_then(Self::replaced),
                    };
                    let Some((real, path)) = place else {
                        return Ok(None);
                    };
                    file.persist(real).map_err(|error| error.error)?;
                    Ok(Some(path))
                }),
        };
        match written {
            Ok(path) => Ok(path.map(Written)),
            Err(WriteError::Io(error)) => Err(cannot_write(&self.path, &error)),
            Err(WriteError::Other(report)) => Err(report),
        }
    }

    /// The name that a new file takes and how it was given, if one does.
    fn replaced(self) -> Option<(PathBuf, PathBuf)> {
        match self.place {
            Place::Replaced(real, _) => Some((real, self.path)),
            Place::Opened(_) => None,
        }
    }
}

/// Where contents belong, once they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// In the file that was named.
    Here,
    /// Not there, for what is there is worth more.
    Elsewhere,
}

/// A file that was written.
#[derive(Debug)]
#[must_use = "whoever asked for it is told"]
pub struct Written(pub PathBuf);

/// Why a file is not written.
#[derive(Debug)]
pub enum WriteError {
    /// It could not be.
    Io(io::Error),
    /// What should stand in it could not be made.
    Other(Report),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn fill(
    file: &mut tempfile::NamedTempFile,
    write: impl FnOnce(&mut dyn Write) -> Result<Belongs, WriteError>,
) -> Result<Belongs, WriteError> {
    let mut out = BufWriter::new(file.as_file_mut());
    let belongs = write(&mut out)?;
    out.flush()?;
    Ok(belongs)
}

fn overwrite(
    file: File,
    write: impl FnOnce(&mut dyn Write) -> Result<Belongs, WriteError>,
) -> Result<(), WriteError> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    Ok(out.flush()?)
}
