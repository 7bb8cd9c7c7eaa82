//! Values that do not fit where the model puts them.

/// A value of a state does not fit its declared range or capacity: an error of the model.
///
/// It is one pointer wide, so that encoding can return it in a register.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` {}", .0.path, .0.cause)]
pub struct EncodeError(Box<Located>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Located {
    path: String,
    cause: Misfit,
}

/// In which way a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// A number leaves its declared range.
    #[error("would become {value}, outside its range {least}..={greatest}")]
    Value {
        /// The number.
        value: i128,
        /// Least value of the range.
        least: i128,
        /// Greatest value of the range.
        greatest: i128,
    },
    /// More values were put into a bounded collection than it holds.
    #[error("would hold more than {capacity} values, which is its capacity")]
    Overfull {
        /// How many it holds at most.
        capacity: usize,
    },
}

impl EncodeError {
    /// An error about a value whose place the caller knows: see [`EncodeError::within`].
    #[cold]
    pub fn new(cause: Misfit) -> Self {
        Self(Box::new(Located {
            path: String::new(),
            cause,
        }))
    }

    /// The same error, seen from the value that has the misfit in its field `field`.
    #[cold]
    #[must_use]
    pub fn within(mut self, field: &str) -> Self {
        let inner = &self.0.path;
        let separator = if inner.is_empty() || inner.starts_with('[') {
            ""
        } else {
            "."
        };
        self.0.path = format!("{field}{separator}{inner}");
        self
    }

    /// The same error, seen from the collection that has the misfit at position `index`.
    #[cold]
    #[must_use]
    pub fn at(self, index: usize) -> Self {
        self.within(&format!("[{index}]"))
    }

    /// Where the misfit is, as a path of field names: `sender.window[2]`. Empty if the state itself is the misfit.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What does not fit.
    pub fn cause(&self) -> &Misfit {
        &self.0.cause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_grows_from_the_inside_out() {
        let error = EncodeError::new(Misfit::Value {
            value: 401,
            least: 0,
            greatest: 400,
        });
        let error = error.at(2).within("window").within("sender").at(0);
        assert_eq!(error.path(), "[0].sender.window[2]");
        assert_eq!(
            error.to_string(),
            "`[0].sender.window[2]` would become 401, outside its range 0..=400"
        );
    }
}
