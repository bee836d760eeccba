//! The project's own tape, at its default setting. Joins [`super::ALL`] when the format crate can write and read one.
