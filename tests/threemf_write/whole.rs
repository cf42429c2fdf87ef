//! Whole projects.
