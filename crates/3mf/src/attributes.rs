//! Attributes that take something: ids, numbers, transforms.

use std::io::Read;

use fibula_core::graph::model::Transform;
use fibula_nodes::ResourceId;

use super::element::Element;
use super::error::{Location, Problem, ReadError, brief};
use super::numbers::{boolean, finite, index, invalid, resource_id, transform};
use super::xml::Xml;

/// The attributes of an element, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a> {
    element: &'a Element,
    place: &'a Location,
}

impl<'a> Attributes<'a> {
    pub(super) fn of<R: Read>(xml: &'a Xml<R>, element: &'a Element) -> Self {
        Attributes {
            element,
            place: xml.here(),
        }
    }

    /// What an attribute says, as text; empty if it is not there.
    pub(super) fn text(self, name: &str) -> String {
        self.element.attribute(name).unwrap_or_default().to_owned()
    }

    /// The resource that an attribute names, which must be there.
    pub(super) fn id(self, name: &'static str) -> Result<ResourceId, ReadError> {
        let found = self.optional_id(name)?;
        found.ok_or_else(|| self.missing(name))
    }

    /// The resource that an attribute names.
    pub(super) fn optional_id(self, name: &str) -> Result<Option<ResourceId>, ReadError> {
        let expected = "a whole number from 1 to 2147483647";
        let id = self.take(name, expected, resource_id)?;
        Ok(id.map(ResourceId))
    }

    /// An index or a count.
    pub(super) fn index(self, name: &str) -> Result<Option<u32>, ReadError> {
        self.take(name, "a whole number from 0 to 2147483647", index)
    }

    /// A finite number.
    pub(super) fn real(self, name: &str, default: f64) -> Result<f64, ReadError> {
        let number = self.take(name, "a finite number", finite)?;
        Ok(number.unwrap_or(default))
    }

    /// A finite number that is not negative.
    pub(super) fn positive(self, name: &str, default: f64) -> Result<f64, ReadError> {
        let positive = |text: &str| finite(text).filter(|&number| number >= 0.0);
        let number = self.take(name, "a finite number that is not negative", positive)?;
        Ok(number.unwrap_or(default))
    }

    /// Yes or no.
    pub(super) fn boolean(self, name: &str) -> Result<Option<bool>, ReadError> {
        self.take(name, "true, false, 1 or 0", boolean)
    }

    /// A transform; that which changes nothing if it is not there.
    pub(super) fn transform(self) -> Result<Transform, ReadError> {
        let found = self.take("transform", "12 finite numbers", transform)?;
        Ok(found.unwrap_or_default())
    }

    /// What an attribute says, if `read` can make something of it.
    pub(super) fn take<T>(
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

    /// What must be there is not.
    pub(super) fn missing(self, name: &str) -> ReadError {
        self.at(Problem::MissingAttribute {
            element: brief(&self.element.name),
            attribute: name.to_owned(),
        })
    }

    /// A problem at the element.
    pub(super) fn at(self, problem: Problem) -> ReadError {
        problem.at(self.place.at_line(self.element.line))
    }
}
