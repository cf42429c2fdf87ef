//! Typed attributes: ids, numbers, transforms.

use std::io::Read;

use fibula_core::graph::model::Transform;
use fibula_nodes::ResourceId;

use super::XmlReader;
use super::element::Element;
use crate::error::{Location, Problem, ReadError, brief};
use crate::numbers::{boolean, finite, index, invalid, resource_id, transform};

/// Attributes of an element, and its location.
#[derive(Clone, Copy)]
pub(crate) struct Attributes<'a> {
    element: &'a Element,
    place: &'a Location,
}

impl<'a> Attributes<'a> {
    pub(crate) fn new<R: Read>(xml: &'a XmlReader<R>, element: &'a Element) -> Self {
        Attributes {
            element,
            place: xml.location(),
        }
    }

    /// Text of an attribute; empty if it is missing.
    pub(crate) fn text(self, name: &str) -> String {
        self.element.attribute(name).unwrap_or_default().to_owned()
    }

    /// Required resource id.
    pub(crate) fn id(self, name: &'static str) -> Result<ResourceId, ReadError> {
        let found = self.optional_id(name)?;
        found.ok_or_else(|| self.missing(name))
    }

    /// Optional resource id.
    pub(crate) fn optional_id(self, name: &str) -> Result<Option<ResourceId>, ReadError> {
        let expected = "a whole number from 1 to 2147483647";
        let id = self.parse(name, expected, resource_id)?;
        Ok(id.map(ResourceId))
    }

    /// Optional index or count.
    pub(crate) fn index(self, name: &str) -> Result<Option<u32>, ReadError> {
        self.parse(name, "a whole number from 0 to 2147483647", index)
    }

    /// Finite number.
    pub(crate) fn real(self, name: &str, default: f64) -> Result<f64, ReadError> {
        let number = self.parse(name, "a finite number", finite)?;
        Ok(number.unwrap_or(default))
    }

    /// Finite number that is not negative.
    pub(crate) fn non_negative(self, name: &str, default: f64) -> Result<f64, ReadError> {
        let positive = |text: &str| finite(text).filter(|&number| number >= 0.0);
        let number = self.parse(name, "a finite number of at least 0", positive)?;
        Ok(number.unwrap_or(default))
    }

    /// Optional boolean.
    pub(crate) fn boolean(self, name: &str) -> Result<Option<bool>, ReadError> {
        self.parse(name, "true, false, 1 or 0", boolean)
    }

    /// Transform; the identity if it is missing.
    pub(crate) fn transform(self) -> Result<Transform, ReadError> {
        let found = self.parse("transform", "12 finite numbers", transform)?;
        Ok(found.unwrap_or_default())
    }

    /// Parses an attribute with `read`; `None` if it is missing.
    pub(crate) fn parse<T>(
        self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ReadError> {
        let Some(text) = self.element.attribute(name) else {
            return Ok(None);
        };
        let value = read(text);
        let value = value.ok_or_else(|| self.at(invalid(name, text, expected)))?;
        Ok(Some(value))
    }

    /// Error of a missing attribute.
    pub(crate) fn missing(self, name: &str) -> ReadError {
        self.at(Problem::MissingAttribute {
            element: brief(&self.element.name),
            attribute: name.to_owned(),
        })
    }

    /// Returns the problem with the location of the element.
    pub(crate) fn at(self, problem: Problem) -> ReadError {
        problem.at(self.place.at_line(self.element.line))
    }
}
