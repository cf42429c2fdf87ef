//! Content that the reader does not interpret: kept as text where a project has a place for it, otherwise recorded as omitted.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_core::graph::ContentHash;
use fibula_core::graph::model::{Attribute, Foreign};
use fibula_nodes::ResourceId;

use super::ModelReader;
use crate::error::{Locate, ReadError, brief};
use crate::model::OmittedContent;
use crate::references::{ReferenceOwner, ResourceClass, Role};
use crate::resource_order::OrderEntry;
use crate::roundtrip::end_attributes;
use crate::roundtrip::inner_content::{InnerContent, InnerContents};
use crate::xml::XmlReader;
use crate::xml::capture::UNDECLARED;
use crate::xml::element::Element;
use crate::xml::fragment;

/// Reason for omitting unknown attributes and elements.
const NO_PLACE: &str = "it is unknown, and a project has no place for it";

/// Counts omitted content by description and reason.
#[derive(Debug, Default)]
pub(crate) struct OmissionTally(BTreeMap<(String, String), (usize, Vec<u32>)>);

impl OmissionTally {
    pub(crate) fn add(&mut self, what: String, id: Option<u32>, why: &str) {
        /// Maximum number of descriptions, and of ids of each.
        const MOST: usize = 1000;
        let mut key = (what, why.to_owned());
        if self.0.len() >= MOST && !self.0.contains_key(&key) {
            "others".clone_into(&mut key.0);
        }
        let (count, ids) = self.0.entry(key).or_default();
        *count += 1;
        ids.extend(id.filter(|id| ids.last() != Some(id) && ids.len() < MOST));
    }

    /// Returns the omitted content, sorted.
    pub(crate) fn list(self) -> Vec<OmittedContent> {
        let one = |((what, why), (count, ids))| OmittedContent {
            what,
            count,
            ids,
            why,
        };
        self.0.into_iter().map(one).collect()
    }
}

impl ModelReader<'_> {
    /// Keeps an unknown resource. One without an id cannot be referred to, and is kept with the model.
    pub(super) fn read_foreign<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let kind = ResourceClass::foreign(element);
        let id = match element.attribute("id") {
            Some(_) => Some(self.claim_id(xml, element, kind)?),
            None => None,
        };
        let text = self.keep_element(xml, element)?;
        let Some(id) = id else {
            let elements = &mut self.inner.at("resources").elements;
            self.sequence.push(OrderEntry::Element(elements.len()));
            elements.push(text);
            return Ok(());
        };
        let foreign = self.store_foreign(ReferenceOwner::Foreign(id), element, text);
        self.model.foreign.push((ResourceId(id), foreign));
        self.resources.insert(id, kind);
        Ok(())
    }

    /// Stores the XML of an element, and records its references.
    pub(crate) fn store_foreign(
        &mut self,
        owner: ReferenceOwner,
        element: &Element,
        text: String,
    ) -> Foreign {
        let mut references = fragment::references(&text);
        references.sort_unstable();
        references.dedup();
        for &other in &references {
            self.add_reference(owner, Role::Kept, other, element.line);
        }
        let bytes = text.into_bytes();
        let content = ContentHash::digest(&bytes);
        let size = bytes.len() as u64;
        self.model.contents.insert(content, bytes);
        Foreign {
            namespace: element.namespace.clone(),
            element: element.name.clone(),
            content,
            size,
            references,
        }
    }

    /// Captures the open element as a self-contained text, and closes it.
    pub(crate) fn keep_element<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
    ) -> Result<String, ReadError> {
        self.budget.charge_items(1).at(xml.location())?;
        let text = xml.capture(element, &mut self.budget)?;
        if text.contains(UNDECLARED) {
            let message = format!(
                "<{}> has prefixes that are not declared: read with namespaces {UNDECLARED}",
                brief(&element.name)
            );
            let place = xml.location().at_line(element.line);
            self.findings.repair("undeclared_prefix", place, message);
        }
        Ok(text)
    }

    /// Charges attributes that are kept to the budget.
    pub(crate) fn keep_attributes<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        attributes: Vec<Attribute>,
    ) -> Result<Vec<Attribute>, ReadError> {
        for one in &attributes {
            if one.namespace.starts_with(UNDECLARED) {
                let message = format!(
                    "the attribute {} has a prefix that is not declared: read with the namespace {}",
                    brief(&one.name),
                    brief(&one.namespace)
                );
                let place = xml.location().clone();
                self.findings.repair("undeclared_prefix", place, message);
            }
        }
        let sizes = attributes
            .iter()
            .map(|one| one.namespace.len() + one.name.len() + one.value.len());
        self.budget
            .charge_items(attributes.len())
            .and_then(|()| self.budget.charge_bytes(sizes.sum()))
            .at(xml.location())?;
        Ok(attributes)
    }

    /// Keeps the element that was just started, and closes it.
    pub(crate) fn keep_inner_element<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        inner: &mut InnerContent,
    ) -> Result<(), ReadError> {
        inner.elements.push(self.keep_element(xml, element)?);
        Ok(())
    }

    /// Keeps the elements of the open element, and closes it.
    pub(crate) fn keep_children<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        inner: &mut InnerContents,
        place: &dyn Fn() -> String,
    ) -> Result<(), ReadError> {
        while let Some(child) = xml.next_child()? {
            self.keep_inner_element(xml, &child, inner.at(&place()))?;
        }
        Ok(())
    }

    /// Records the unknown attributes of an element as omitted.
    pub(crate) fn omit_attributes(&mut self, element: &Element, known: &[&str], of: &str) {
        let rest = element.unknown_attributes(known).into_iter();
        // Attributes of the writer are read with the functions.
        for attribute in rest.filter(|one| one.namespace != end_attributes::NAMESPACE) {
            let what = format!("attribute {} of {of}", brief(&attribute.name));
            self.left_out.add(what, None, NO_PLACE);
        }
    }

    /// Records an unknown element of a resource as omitted.
    pub(crate) fn omit_element(&mut self, element: &Element, of: &str, id: Option<u32>) {
        let what = format!("element {} of {of}", brief(&element.name));
        self.left_out.add(what, id, NO_PLACE);
    }
}
