//! Explicit state spaces: the .ss format, .aut and DOT, safety automaton files.
