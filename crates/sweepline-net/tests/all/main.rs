//! One program, because most of what takes time to compile is the same in all of them.

mod bad_files;
mod corpus_properties;
mod counts;
mod dialects;
mod hostile;
mod products;
mod support;
