//! Conventions between the writer and the reader: how a package states what 3MF has no element for, so that reading it
//! gives the same project again.

pub(crate) mod image_sampler;
pub(crate) mod inner_content;
pub(crate) mod node_tag;
pub(crate) mod templates;

pub(crate) mod end_attributes;
