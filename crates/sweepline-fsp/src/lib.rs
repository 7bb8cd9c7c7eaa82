//! The FSP language of Magee and Kramer, compiled to networks of labelled transition systems.
