//! What can be wrong with a PNML file.

use miette::{Diagnostic, SourceSpan};

use crate::net::{MAX_TOKENS, NetError};
use crate::xml::XmlError;

/// One thing that is wrong with a PNML file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
pub enum PnmlError {
    /// The file is not usable XML.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Xml(#[from] XmlError),

    /// The file is some other kind of document.
    #[error("this is no PNML file: its root element is `{found}`, not `pnml`")]
    #[diagnostic(code(pnml::wrong_root))]
    WrongRoot {
        /// The root element.
        found: String,
        /// What it might be instead.
        #[help]
        help: Option<String>,
        /// Where.
        #[label("expected `pnml`")]
        at: SourceSpan,
    },

    /// The root element belongs to another language.
    #[error("`{namespace}` is no namespace of PNML")]
    #[diagnostic(
        code(pnml::wrong_namespace),
        help("the current one is `http://www.pnml.org/version-2009/grammar/pnml`")
    )]
    WrongNamespace {
        /// The namespace.
        namespace: String,
        /// The root element.
        #[label("this element is something else")]
        at: SourceSpan,
    },

    /// The file contains no net.
    #[error("there is no net in the file")]
    #[diagnostic(
        code(pnml::no_net),
        help("a net is a `net` element directly inside `pnml`")
    )]
    NoNet {
        /// The root element.
        #[label("contains no `net`")]
        at: SourceSpan,
    },

    /// The file contains several nets and none was chosen.
    #[error("the file holds several nets")]
    #[diagnostic(code(pnml::several_nets))]
    SeveralNets {
        /// Which there are.
        #[help]
        help: String,
        /// The second net.
        #[label("the second one")]
        at: SourceSpan,
    },

    /// The chosen net does not exist.
    #[error("no net has the id `{wanted}`")]
    #[diagnostic(code(pnml::unknown_net))]
    UnknownNet {
        /// The id that was chosen.
        wanted: String,
        /// Which there are.
        #[help]
        help: String,
    },

    /// The net has coloured tokens.
    #[error("this is a high-level net: {what}")]
    #[diagnostic(
        code(pnml::high_level),
        help(
            "the type of the net says that it is none; the one of coloured nets is `http://www.pnml.org/version-2009/grammar/symmetricnet`"
        )
    )]
    HighLevel {
        /// How that can be seen.
        what: String,
        /// Where.
        #[label("only high-level nets have this")]
        at: SourceSpan,
    },

    /// Something is wrong with the colours of a symmetric net.
    #[error("{what}")]
    #[diagnostic(code(pnml::colours))]
    Colours {
        /// What.
        what: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// The net has a notion of time.
    #[error("this is a timed net: {what}")]
    #[diagnostic(
        code(pnml::timed),
        help("only untimed nets are read; export the net without time if time does not matter")
    )]
    Timed {
        /// How that can be seen.
        what: String,
        /// Where.
        #[label("this restricts when transitions fire")]
        at: SourceSpan,
    },

    /// Something has a meaning that would be lost.
    #[error("{what} are not supported")]
    #[diagnostic(code(pnml::unsupported))]
    Unsupported {
        /// What it is.
        what: &'static str,
        /// What to do instead.
        #[help]
        help: &'static str,
        /// Where.
        #[label("this changes what the net does")]
        at: SourceSpan,
    },

    /// An arc of a kind that is not known.
    #[error("arcs of type `{found}` are not supported")]
    #[diagnostic(
        code(pnml::arc_type),
        help("`normal`, `inhibitor` and `read` arcs are")
    )]
    ArcType {
        /// The type.
        found: String,
        /// Where.
        #[label("unknown type")]
        at: SourceSpan,
    },

    /// An attribute is missing.
    #[error("`{element}` without attribute `{attribute}`")]
    #[diagnostic(code(pnml::missing_attribute))]
    MissingAttribute {
        /// The element.
        element: String,
        /// The attribute.
        attribute: &'static str,
        /// Where.
        #[label("`{attribute}` is missing here")]
        at: SourceSpan,
    },

    /// Two nodes have the same id.
    #[error("two nodes have the id `{id}`")]
    #[diagnostic(code(pnml::duplicate_id), help("ids are unique within a file"))]
    DuplicateId {
        /// The id.
        id: String,
        /// The first node.
        #[label("first used here")]
        first: SourceSpan,
        /// The second node.
        #[label(primary, "used again here")]
        at: SourceSpan,
    },

    /// An arc or reference leads to nothing.
    #[error("{from} has unknown {what} `{id}`")]
    #[diagnostic(code(pnml::unknown_node))]
    UnknownNode {
        /// The arc or reference.
        from: String,
        /// Which end of it.
        what: &'static str,
        /// The id that nothing has.
        id: String,
        /// A similar id.
        #[help]
        help: Option<String>,
        /// Where.
        #[label("nothing has this id")]
        at: SourceSpan,
    },

    /// A reference leads to a node of the other kind.
    #[error("a reference {expected} leads to the {found} `{id}`")]
    #[diagnostic(code(pnml::wrong_reference))]
    WrongReference {
        /// What it should lead to.
        expected: &'static str,
        /// What it does lead to.
        found: &'static str,
        /// The id.
        id: String,
        /// Where.
        #[label("this is a {found}")]
        at: SourceSpan,
    },

    /// References lead to each other.
    #[error("reference `{id}` leads back to itself")]
    #[diagnostic(
        code(pnml::reference_cycle),
        help("a chain of references ends at a place or transition")
    )]
    ReferenceCycle {
        /// One of the references.
        id: String,
        /// Where.
        #[label("following this leads back here")]
        at: SourceSpan,
    },

    /// An arc does not connect a place with a transition.
    #[error("{arc} connects two {nodes}")]
    #[diagnostic(code(pnml::bad_arc), help("an arc connects a place with a transition"))]
    SameKind {
        /// The arc.
        arc: String,
        /// Places or transitions.
        nodes: &'static str,
        /// Where.
        #[label("from `{source_id}` to `{target_id}`")]
        at: SourceSpan,
        /// Where it starts.
        source_id: String,
        /// Where it ends.
        target_id: String,
    },

    /// An inhibitor or read arc points the wrong way.
    #[error("{arc} is a test on a place but leads from a transition")]
    #[diagnostic(
        code(pnml::bad_arc),
        help("inhibitor and read arcs lead from a place to a transition")
    )]
    WrongWay {
        /// The arc.
        arc: String,
        /// Where.
        #[label("starts at a transition")]
        at: SourceSpan,
    },

    /// A marking or weight is not a number.
    #[error("{what} is `{found}`, which is not a number")]
    #[diagnostic(code(pnml::number), help("write a number like 0 or 12"))]
    NotANumber {
        /// Whose marking or weight.
        what: String,
        /// What stands there.
        found: String,
        /// Where.
        #[label("expected a number")]
        at: SourceSpan,
    },

    /// A marking or weight is negative.
    #[error("{what} is negative")]
    #[diagnostic(code(pnml::number), help("there are no negative tokens"))]
    Negative {
        /// Whose marking or weight.
        what: String,
        /// Where.
        #[label("less than zero")]
        at: SourceSpan,
    },

    /// A marking or weight is too large.
    #[error("{what} is larger than {MAX_TOKENS}")]
    #[diagnostic(code(pnml::number), help("more tokens cannot be counted"))]
    TooLarge {
        /// Whose marking or weight.
        what: String,
        /// Where.
        #[label("too large")]
        at: SourceSpan,
    },

    /// A weight is zero.
    #[error("{what} is 0")]
    #[diagnostic(
        code(pnml::number),
        help("leave the arc out, or give it a weight of at least 1")
    )]
    ZeroWeight {
        /// Whose weight.
        what: String,
        /// Where.
        #[label("an arc without effect")]
        at: SourceSpan,
    },

    /// The parts are fine, but not together.
    #[error("{error}")]
    #[diagnostic(code(pnml::net))]
    Net {
        /// What is wrong.
        error: NetError,
        /// The net.
        #[label("in this net")]
        at: SourceSpan,
    },
}
