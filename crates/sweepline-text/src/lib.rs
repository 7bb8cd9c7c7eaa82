//! Texts, and what is wrong with them.
//!
//! Every front end reads a [`Source`], cuts it into [`Token`]s with the one [`Scanner`] or into [`Line`]s of words, and
//! reports all that is wrong at once ([`Errors`]), each with its place and, where a name is unknown, with the one that was
//! probably meant ([`nearest`]). Nothing here knows a language: its words and signs are a table ([`Lexicon`]).
//!
//! ```
//! use sweepline_text::{Comments, Cursor, Kind, Lexicon, Scanner, Source, is_letter_or_digit};
//!
//! const SETTINGS: Lexicon = Lexicon {
//!     words: &["let"],
//!     signs: &["<=", "<", "="],
//!     quotes: &[],
//!     comments: Comments::None,
//!     greatest: 100,
//!     name: sweepline_text::plain_name,
//! };
//! let source = Source::new("limits.txt", "let n <= 3");
//! let scanner = Scanner::new(&SETTINGS, &source, |mishap| panic!("{mishap:?}"));
//! let mut tokens = Cursor::new(&source, scanner.collect());
//! assert!(tokens.eat_word("let"));
//! assert_eq!(tokens.peek(), &Kind::Name("n".into()));
//! assert_eq!(tokens.span(), 4..5);
//! # assert!(is_letter_or_digit('n'));
//! ```

mod cursor;
mod decode;
mod errors;
mod lines;
mod located;
mod mishap;
mod name;
mod names;
mod nearest;
mod scanner;
mod source;
#[cfg(test)]
mod testing;

pub use cursor::Cursor;
pub use decode::{NotText, decode};
pub use errors::Errors;
pub use lines::{Line, Quotes, Word, lines};
pub use mishap::{Mishap, MishapKind, ScanError};
pub use name::{Name, shortened, shortened_to};
pub use names::Names;
pub use nearest::{did_you_mean, nearest};
pub use scanner::{Comments, Kind, Lexicon, Scanner, Token, is_letter_or_digit, plain_name};
pub use source::Source;
