//! Rules of models, metadata, builds, objects and components (core 3 and 4).

use std::io::Read;

use fibula_core::graph::model::is_xml_name;

use super::facts::{Class, ObjectFacts, ObjectReference, OpenObject, PartPath, PathUse};
use super::part::{PartChecker, Values};
use super::schema::Namespace;
use super::values::is_simple_type;
use crate::error::brief;
use crate::numbers::resource_id;
use crate::xml::XmlReader;

/// Names of metadata that core defines (table 3-1).
const METADATA: [&str; 9] = [
    "Title",
    "Designer",
    "Description",
    "Copyright",
    "LicenseTerms",
    "Rating",
    "CreationDate",
    "ModificationDate",
    "Application",
];

impl PartChecker<'_> {
    pub(super) fn enter_model<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        values: &Values<'_>,
        line: u64,
    ) {
        self.prefixes = xml.declared_prefixes();
        let uris = |name: &str| -> Vec<String> {
            let prefixes = values.text(name).unwrap_or_default().split_whitespace();
            prefixes
                .filter_map(|prefix| xml.namespace(prefix))
                .collect()
        };
        let required = uris("requiredextensions");
        if let Some(both) = uris("recommendedextensions")
            .into_iter()
            .find(|uri| required.contains(uri))
        {
            let message = format!("the extension {} is required and recommended", brief(&both));
            let fix = "remove its prefix from recommendedextensions";
            self.violate("required_and_recommended", line, message, fix);
        }
        if !self.facts.is_root() {
            for name in ["requiredextensions", "recommendedextensions"] {
                for prefix in values.text(name).unwrap_or_default().split_whitespace() {
                    if xml.namespace(prefix).is_none() {
                        let message =
                            format!("{name} lists the undeclared prefix {}", brief(prefix));
                        self.violate(
                            "unknown_extension",
                            line,
                            message,
                            "declare the prefix in <model>, or remove it",
                        );
                    }
                }
            }
        }
        self.facts.required.extend(required);
    }

    pub(super) fn enter_metadata<R: Read>(
        &mut self,
        xml: &XmlReader<R>,
        values: &Values<'_>,
        line: u64,
    ) {
        let Some(name) = values.text("name").map(str::trim) else {
            return;
        };
        let mut key = name.to_owned();
        match name.split_once(':') {
            None if !METADATA.contains(&name) => {
                let message = format!(
                    "the metadata name {} has no prefix, and is not of the specification: {}",
                    brief(name),
                    METADATA.join(", ")
                );
                self.violate(
                    "metadata_name",
                    line,
                    message,
                    "give it the prefix of a namespace that <model> declares",
                );
            }
            None => {}
            Some(_) if !is_xml_name(name) => {
                self.check_qualified_name("the name of metadata", name, line);
            }
            Some((prefix, local)) => {
                let uri = xml.namespace(prefix);
                let of_model = self.prefixes.get(prefix);
                let state = match &uri {
                    None => Some("not declared"),
                    _ if uri == xml.namespace("") => Some("that of the default namespace"),
                    _ if uri.as_ref() != of_model => Some("not declared in <model>"),
                    Some(_) => None,
                };
                if let Some(state) = state {
                    let message =
                        format!("the prefix of the metadata name {} is {state}", brief(name));
                    self.violate(
                        "metadata_prefix",
                        line,
                        message,
                        "declare a namespace of its own for it in <model>",
                    );
                }
                if let Some(uri) = uri {
                    key = format!("{{{uri}}}{local}");
                }
            }
        }
        if !self.metadata.insert(key) {
            let message = format!("there is a second metadata with the name {}", brief(name));
            self.violate("duplicate_metadata", line, message, "keep one of them");
        }
        if let Some(ty) = values.text("type").filter(|ty| !is_simple_type(ty)) {
            let message = format!(
                "the type of the metadata {} is {}, which is no built-in simple type",
                brief(name),
                brief(ty)
            );
            self.violate(
                "metadata_type",
                line,
                message,
                "use a type such as xs:string",
            );
        }
    }

    /// Records a UUID, or that it is missing where production requires one.
    fn check_uuid(&mut self, values: &Values<'_>, of: &str, line: u64) {
        match values.prefixed(Namespace::Production, "UUID") {
            Some(uuid) => self.add_uuid(uuid, line),
            None if self.facts.requires(Namespace::Production) => {
                let message =
                    format!("{of} has no p:UUID, but the production extension is required");
                self.violate(
                    "missing_uuid",
                    line,
                    message,
                    "add a p:UUID, or do not require the production extension",
                );
            }
            None => {}
        }
    }

    fn add_uuid(&mut self, uuid: &str, line: u64) {
        let place = self.part.at_line(line);
        if let Some(first) = self.uuids.insert(uuid.to_ascii_lowercase(), place) {
            let message = format!("the UUID {} is also that of {first}", brief(uuid));
            self.violate("duplicate_uuid", line, message, "generate a new UUID");
        }
    }

    pub(super) fn enter_build(&mut self, values: &Values<'_>, line: u64) {
        if self.facts.is_root() {
            self.check_uuid(values, "<build>", line);
        }
    }

    pub(super) fn enter_item(&mut self, values: &Values<'_>, line: u64) {
        if !self.facts.is_root() {
            if self.object.reported.insert("build_in_child_part") {
                let message = "the build of this part has items, which are ignored: it is not the root model part".to_owned();
                self.violate(
                    "build_in_child_part",
                    line,
                    message,
                    "move the items to the root model part",
                );
            }
            return;
        }
        self.check_uuid(values, "the build item", line);
        let item =
            self.object_reference(values, values.prefixed(Namespace::Production, "path"), line);
        self.facts.items.push(item);
    }

    /// Reference of an item, component or alternative, whose path is recorded.
    fn object_reference(
        &mut self,
        values: &Values<'_>,
        path: Option<&str>,
        line: u64,
    ) -> ObjectReference {
        let id = values
            .text("objectid")
            .and_then(resource_id)
            .unwrap_or_default();
        if let Some(path) = path {
            if !self.facts.is_root() {
                let message = format!(
                    "there is the path {} in a model part that is not the root",
                    brief(path)
                );
                self.violate(
                    "path_in_child_part",
                    line,
                    message,
                    "refer to an object of the same part",
                );
            }
            self.require_extension(
                Namespace::Production,
                "production",
                "paths to objects of other parts",
                line,
            );
            self.add_path(path, line, PathUse::Object(id));
        }
        ObjectReference {
            id,
            path: path.map(str::to_owned),
            transform: values.text("transform").map(str::to_owned),
            line,
        }
    }

    pub(super) fn add_path(&mut self, path: &str, line: u64, of: PathUse) {
        let path = path.to_owned();
        self.facts.paths.push(PartPath {
            path,
            line,
            of,
            content_type: None,
            image: self.open,
        });
    }

    /// Reports content of an extension that must be required.
    pub(super) fn require_extension(
        &mut self,
        namespace: Namespace,
        name: &str,
        content: &str,
        line: u64,
    ) {
        if !self.facts.requires(namespace) {
            // One finding for an extension.
            self.facts.required.insert(namespace.uri().to_owned());
            let message = format!(
                "the part has {content}, but requiredextensions does not name the {name} extension"
            );
            self.violate(
                "required_extension",
                line,
                message,
                "add its prefix to requiredextensions",
            );
        }
    }

    pub(super) fn enter_object(&mut self, values: &Values<'_>, line: u64) {
        self.object = OpenObject {
            id: self.open,
            facts: ObjectFacts {
                line,
                object_type: values.text("type").unwrap_or_default().to_owned(),
                stack: values
                    .prefixed(Namespace::Slice, "slicestackid")
                    .and_then(resource_id),
                ..ObjectFacts::default()
            },
            pid: values.text("pid").and_then(resource_id),
            pindex: values.number("pindex"),
            has_volume: values.prefixed(Namespace::Volumetric, "volumeid").is_some(),
            ..OpenObject::default()
        };
        let id = self.open;
        self.check_uuid(values, &format!("object {id}"), line);
        if values.text("pindex").is_some() && values.text("pid").is_none() {
            let message = format!("object {id} has pindex, but no pid, whose property it is");
            self.violate(
                "pindex_without_pid",
                line,
                message,
                "add pid, or remove pindex",
            );
        }
        self.check_property(
            self.object.pid,
            self.object.pindex,
            &format!("pindex of object {id}"),
            line,
        );
        if let Some(path) = values.text("thumbnail") {
            self.add_path(path, line, PathUse::Thumbnail);
        }
        if values.prefixed(Namespace::Slice, "meshresolution") == Some("lowres") {
            self.require_extension(Namespace::Slice, "slice", "a mesh of low resolution", line);
        }
    }

    /// Reports the index of a property that its group does not have.
    pub(super) fn check_property(
        &mut self,
        group: Option<u32>,
        index: Option<u32>,
        what: &str,
        line: u64,
    ) {
        let (Some(group), Some(index)) = (group, index) else {
            return;
        };
        let Some(resource) = self.facts.resources.get(&group) else {
            return;
        };
        if resource.class == Class::Other || index < resource.count {
            return;
        }
        let count = resource.count;
        if self.object.reported.insert("property_index") {
            let message = format!("{what} is {index}, but resource {group} has {count} properties");
            self.violate(
                "property_index",
                line,
                message,
                "use an index of the group, from 0 on",
            );
        }
    }

    pub(super) fn enter_components(&mut self, line: u64) {
        if self.object.has_volume {
            let owner = format!("object {}, which has components,", self.object.id);
            self.report_volume_owner(&owner, self.object.facts.line);
        }
        if self.object.pid.is_some() || self.object.pindex.is_some() {
            let message = format!(
                "object {} has components, and pid or pindex",
                self.object.id
            );
            self.violate(
                "components_with_properties",
                line,
                message,
                "give the properties to the objects of its components",
            );
        }
    }

    pub(super) fn enter_component(&mut self, values: &Values<'_>, line: u64) {
        self.check_uuid(values, "the component", line);
        let path = values.prefixed(Namespace::Production, "path");
        let component = self.object_reference(values, path, line);
        self.object.facts.components.push(component);
    }

    pub(super) fn enter_alternative(&mut self, values: &Values<'_>, line: u64) {
        if let Some(uuid) = values.text("UUID") {
            self.add_uuid(uuid, line);
        }
        let alternative = self.object_reference(values, values.text("path"), line);
        self.object.facts.alternatives.push(alternative);
    }

    pub(super) fn leave_object(&mut self, line: u64) {
        let object = std::mem::take(&mut self.object);
        // That of an object of components is a violation.
        if object.has_volume && object.facts.components.is_empty() {
            let name = "the attribute volumeid".to_owned();
            self.warn_of_unknown("object", name, Namespace::Volumetric, line);
        }
        if object.has_properties && !(object.pid.is_some() && object.pindex.is_some()) {
            let message = format!(
                "object {} has triangles with properties, but not pid and pindex, their defaults",
                object.id
            );
            self.violate(
                "no_default_property",
                line,
                message,
                "add pid and pindex to the object",
            );
        }
        self.facts.objects.insert(object.id, object.facts);
    }
}
