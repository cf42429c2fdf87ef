//! Names: qualified names, and elements and attributes that a known namespace does not define.

use fibula_core::graph::model::{Attribute, is_xml_name};

use super::part::PartChecker;
use super::schema::{ElementType, Namespace};
use crate::error::brief;
use crate::xml::element::Element;

/// Maximum number of unknown names that are reported for a part.
const MAX_UNKNOWN: usize = 100;

impl PartChecker<'_> {
    /// Reports a value that is no `xs:QName`: a name with or without a prefix.
    pub(super) fn check_qualified_name(&mut self, attribute: &str, name: &str, line: u64) {
        if !is_xml_name(name.trim_ascii()) {
            let message = format!(
                "{attribute} is {:?}, which is not an XML name, with or without a prefix",
                brief(name)
            );
            let fix = "use letters, digits, _, - and . with a letter or _ first, before and after the colon";
            self.violate("invalid_value", line, message, fix);
        }
    }

    /// Warns of an element that its namespace, if that is known, does not define.
    pub(super) fn warn_of_unknown_element(
        &mut self,
        element: &Element,
        namespace: Option<Namespace>,
        parent: &ElementType,
    ) {
        match namespace {
            // The reader judges the drafts of these.
            None | Some(Namespace::Volumetric | Namespace::Implicit) => {}
            Some(namespace) => {
                let name = format!("<{}>", brief(&element.name));
                self.warn_of_unknown(parent.name, name, namespace, element.line);
            }
        }
    }

    /// Warns of an attribute with a prefix that its namespace, if that is known, does not define.
    pub(super) fn warn_of_unknown_attribute(
        &mut self,
        attribute: &Attribute,
        line: u64,
        ty: &ElementType,
    ) {
        let Some(namespace) = Namespace::from_uri(&attribute.namespace) else {
            return;
        };
        let is_known = ty
            .attributes
            .iter()
            .any(|one| one.namespace == Some(namespace) && one.name == attribute.name);
        // References to volume data are judged as such, and drafts prefix the attributes of volumetric elements.
        let is_volume = namespace == Namespace::Volumetric && attribute.name == "volumeid";
        if !is_known && !is_volume && ty.namespace != Namespace::Volumetric {
            let name = format!("the attribute {}", brief(&attribute.name));
            self.warn_of_unknown(ty.name, name, namespace, line);
        }
    }

    /// Warns of an element or attribute of `owner`, once for a part.
    pub(super) fn warn_of_unknown(
        &mut self,
        owner: &'static str,
        name: String,
        namespace: Namespace,
        line: u64,
    ) {
        let message = format!(
            "<{owner}> has {name} of the namespace {}, which does not define it there: programs ignore it",
            namespace.uri()
        );
        let is_full = self.unknown_names.len() >= MAX_UNKNOWN;
        if !is_full && self.unknown_names.insert((owner, name)) {
            let place = self.part.at_line(line);
            let fix = "correct the name, or remove it";
            self.findings.warn("unknown_name", place, message, fix);
        }
    }
}
