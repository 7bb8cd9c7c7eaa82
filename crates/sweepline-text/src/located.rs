//! Errors that point into a text.

/// Defines an enum of errors that point into a text, a line or two for each.
///
/// An error has a variant with the values its message shows, a code, the message, the places it points to with their
/// labels, and whatever else [`miette::Diagnostic`] takes (`help`, `severity`). One that points somewhere also holds the
/// `text`. What becomes of the table is an ordinary enum for the derives of `miette` and `thiserror`, which the
/// caller names (names inside their attributes would not be found if the macro did). Variants of another form, which
/// point nowhere, follow behind a semicolon as they are.
///
/// ```
/// use sweepline_text::{Errors, Source};
///
/// sweepline_text::located_errors! {
///     /// A list of numbers is wrong.
///     #[derive(Clone, Debug, miette::Diagnostic, thiserror::Error)]
///     pub enum ListError: list, miette::SourceSpan {
///         /// Something else stands where a number should be.
///         NoNumber { found: String } no_number: "`{found}` is not a number"
///             [at: "expected a number"] (help("numbers are separated by blanks")),
///         /// There is nothing in it.
///         Empty {} empty: "the list is empty",
///     }
/// }
///
/// let source = Source::new("list.txt", "1 x 3");
/// let error = ListError::NoNumber { found: "x".into(), text: source.named(), at: (2, 1).into() };
/// assert_eq!(error.to_string(), "`x` is not a number");
/// assert_eq!(miette::Diagnostic::code(&error).unwrap().to_string(), "list::no_number");
/// # let _: Result<(), Errors<ListError>> = Err(ListError::Empty {}.into());
/// ```
#[macro_export]
macro_rules! located_errors {
    (
        $(#[$enum_attribute:meta])*
        pub enum $name:ident: $domain:ident, $span:ty {
            $(
                $(#[$attribute:meta])*
                $variant:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty),* $(,)? }
                $code:ident: $message:literal
                $([$($place:ident: $label:literal),*])?
                $(($($more:tt)*))?
            ),* $(,)?
            $(; $($other:tt)*)?
        }
    ) => {
        $(#[$enum_attribute])*
        pub enum $name {
            $(
                $(#[$attribute])*
                #[error($message)]
                #[diagnostic(code($domain::$code), $($($more)*)?)]
                $variant {
                    $(
                        #[doc = concat!("`", stringify!($field), "` of the message.")]
                        $(#[$field_attribute])*
                        $field: $type,
                    )*
                    $(
                        /// The text it points into.
                        #[source_code]
                        text: ::miette::NamedSource<::std::sync::Arc<str>>,
                        $(
                            #[doc = concat!("Where it points to: ", $label, ".")]
                            #[label($label)]
                            $place: $span,
                        )*
                    )?
                },
            )*
            $($($other)*)?
        }
    };
}
