//! Every text of other people's models.
