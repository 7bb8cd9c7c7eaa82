//! Files of CPN Tools as they are written: pages with places, transitions and arcs, and declarations.

mod colours;
mod elements;
mod read;

use std::ops::Range;

pub(crate) use read::read;

/// What a file says. Names are as people see them; ids tell elements apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) pages: Vec<Page>,
    pub(crate) fusions: Vec<Fusion>,
    /// Ids of the pages that are not below others, where the file says which.
    pub(crate) tops: Vec<(String, Range<usize>)>,
    /// How many monitors there are.
    pub(crate) monitors: usize,
}

/// A text in the language of the model, and the bytes of the file that it stands in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inscription {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

impl Inscription {
    /// Whether nothing is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// A declaration, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) enum Declaration {
    /// A colour set.
    Colour {
        name: String,
        colour: Colour,
        timed: bool,
        at: Range<usize>,
    },
    /// Variables of a colour set.
    Variables {
        names: Vec<String>,
        colour: String,
        at: Range<usize>,
    },
    /// Values, functions and whatever else is written in ML.
    Text(Inscription),
    /// A reference variable and what it holds at first.
    Reference { name: String, value: Inscription },
}

/// What a colour set is made of. Names are those of colour sets before it.
#[derive(Clone, Debug)]
pub(crate) enum Colour {
    Unit(Option<String>),
    Bool(Option<(String, String)>),
    Int(Option<(Inscription, Inscription)>),
    IntInf,
    Real,
    Time,
    String {
        characters: Option<(Inscription, Inscription)>,
        lengths: Option<(Inscription, Inscription)>,
    },
    Enum(Vec<String>),
    Index(String, Inscription, Inscription),
    List(String, Option<(Inscription, Inscription)>),
    Product(Vec<String>),
    Record(Vec<(String, String)>),
    Union(Vec<(String, Option<String>)>),
    SubsetBy(String, Inscription),
    SubsetWith(String, Inscription),
    Alias(String),
}

/// A page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    pub(crate) places: Vec<Place>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) arcs: Vec<Arc>,
    /// Texts that belong to nothing.
    pub(crate) texts: Vec<Inscription>,
}

/// A place of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    pub(crate) colour: Inscription,
    pub(crate) initial: Inscription,
    pub(crate) is_port: bool,
    /// Where its middle is drawn.
    pub(crate) position: Option<(f64, f64)>,
}

/// A transition of a page, or what stands for a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transition {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    pub(crate) guard: Inscription,
    pub(crate) time: Inscription,
    pub(crate) code: Inscription,
    pub(crate) priority: Inscription,
    pub(crate) substitution: Option<Substitution>,
    /// Where its middle is drawn.
    pub(crate) position: Option<(f64, f64)>,
}

/// The page behind a transition, and which of its ports is which place here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Substitution {
    pub(crate) page: String,
    /// Ids of port and socket.
    pub(crate) ports: Vec<(String, String)>,
    pub(crate) at: Range<usize>,
}

/// An arc of a page.
#[derive(Clone, Debug)]
pub(crate) struct Arc {
    pub(crate) place: String,
    pub(crate) transition: String,
    pub(crate) direction: Direction,
    pub(crate) expression: Inscription,
    pub(crate) at: Range<usize>,
}

/// Where an arc leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToTransition,
    ToPlace,
    Both,
    /// The transition occurs only if the place is empty.
    Inhibitor,
    /// The transition takes whatever is on the place.
    Reset,
}

/// Places that are one.
#[derive(Clone, Debug)]
pub(crate) struct Fusion {
    pub(crate) places: Vec<(String, Range<usize>)>,
}
