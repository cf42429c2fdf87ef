//! Walk over a model part: its schema, its references, and the facts that rules across parts need.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use super::facts::{Class, OpenLattice, OpenObject, OpenSlice, PartFacts, Resource};
use super::schema::{self, Child, ElementType, Namespace};
use super::values::{Target, Value};
use crate::error::{Location, Problem, ReadError, brief};
use crate::findings::Findings;
use crate::limits::Limits;
use crate::numbers::resource_id;
use crate::xml::budget::Budget;
use crate::xml::capture::UNDECLARED;
use crate::xml::element::Element;
use crate::xml::{Content, XmlReader};

/// Namespace of `xml:lang`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Namespace of `xsi:type`.
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Attributes of an element by their names.
pub(super) struct Values<'e>(pub(super) &'e Element);

impl<'e> Values<'e> {
    pub(super) fn text(&self, name: &str) -> Option<&'e str> {
        self.0.attribute(name)
    }

    /// Value of an attribute with the prefix of a namespace.
    pub(super) fn prefixed(&self, namespace: Namespace, name: &str) -> Option<&'e str> {
        let mut all = self.0.prefixed.iter();
        let found = all.find(|one| one.name == name && one.namespace == namespace.uri());
        found.map(|one| one.value.as_str())
    }

    /// Whole number; `None` if the attribute is missing or not a whole number.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.text(name)?.trim().parse().ok()
    }
}

/// Reference that was not yet defined.
struct PendingReference {
    target: Target,
    id: u32,
    line: u64,
    from: String,
}

/// State of a walk over a model part.
pub(super) struct PartChecker<'f> {
    pub(super) findings: &'f mut Findings,
    pub(super) part: Location,
    pub(super) facts: PartFacts,
    /// UUIDs of the package, in lower case, with the location of each.
    pub(super) uuids: &'f mut BTreeMap<String, Location>,
    pub(super) budget: Budget,
    /// Namespaces by the prefixes that `<model>` declares.
    pub(super) prefixes: BTreeMap<String, String>,
    /// Names of the metadata of the model or of the open group.
    pub(super) metadata: BTreeSet<String>,
    pub(super) object: OpenObject,
    pub(super) lattice: OpenLattice,
    pub(super) slice: OpenSlice,
    /// Id of the open resource.
    pub(super) open: u32,
    /// Materials of the open composite of volume data, and the number of its mappings.
    pub(super) mappings: Option<(u32, u32)>,
    /// True if a number with a bare decimal point was reported: one finding for a part.
    pub(super) has_bare_point: bool,
    /// Names that were reported as unknown, with their elements: one finding of each for a part.
    pub(super) unknown_names: BTreeSet<(&'static str, String)>,
    pending: Vec<PendingReference>,
}

impl<'f> PartChecker<'f> {
    /// Reads a model part; returns its facts.
    pub(super) fn check<R: Read>(
        mut xml: XmlReader<R>,
        name: &str,
        limits: &Limits,
        root: Option<&PartFacts>,
        findings: &'f mut Findings,
        uuids: &'f mut BTreeMap<String, Location>,
    ) -> Result<PartFacts, ReadError> {
        let model = xml.read_root()?;
        let namespace = Namespace::from_uri(&model.namespace);
        if namespace != Some(Namespace::Core) || model.name != "model" {
            let text = format!(
                "the root element <{}> is not the <model> of 3MF",
                brief(&model.name)
            );
            return Err(xml.error(Problem::NoModel(text)));
        }
        let mut checker = PartChecker {
            findings,
            part: Location::part(name),
            facts: PartFacts::new(name, root),
            uuids,
            budget: Budget::new(limits),
            prefixes: BTreeMap::new(),
            metadata: BTreeSet::new(),
            object: OpenObject::default(),
            lattice: OpenLattice::default(),
            slice: OpenSlice::default(),
            open: 0,
            mappings: None,
            has_bare_point: false,
            unknown_names: BTreeSet::new(),
            pending: Vec::new(),
        };
        checker.visit(&mut xml, &model, &schema::MODEL)?;
        xml.expect_end()?;
        checker.resolve_pending();
        Ok(checker.facts)
    }

    /// Records that a rule is broken in a line.
    pub(super) fn violate(&mut self, code: &'static str, line: u64, message: String, fix: &str) {
        let place = self.part.at_line(line);
        self.findings.violate(code, place, message, fix);
    }

    fn visit<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        element: &Element,
        ty: &'static ElementType,
    ) -> Result<(), ReadError> {
        self.check_attributes(element, ty);
        self.check_volume_owner(&Values(element), ty);
        self.enter(xml, element, ty);
        let mut counts = vec![0_usize; ty.children.len()];
        let mut latest = 0;
        let mut has_text = false;
        if !xml.is_self_closed() {
            self.read_plain_tags(xml, element, ty, &mut counts)?;
        }
        loop {
            let child = match xml.next_content()? {
                Content::Child(child) => child,
                Content::Text(text) => {
                    has_text |= !text.trim().is_empty();
                    continue;
                }
                Content::End => break,
            };
            let own = Namespace::from_uri(&child.namespace) == Some(ty.namespace);
            let at = ty
                .children
                .iter()
                .position(|one| own && one.element.name == child.name);
            let Some(at) = at else {
                self.visit_other(xml, child, ty)?;
                continue;
            };
            // References state the order of resources, and a stack has slices or references.
            let is_ordered = !matches!(ty.name, "resources" | "slicestack");
            if at < latest && is_ordered {
                let before = ty.children[latest].element.name;
                let message = format!(
                    "<{}> follows <{before}> in <{}>, but must precede it",
                    child.name, ty.name
                );
                self.violate("element_order", child.line, message, "move it before");
            }
            latest = latest.max(at);
            counts[at] += 1;
            if counts[at] == ty.children[at].max.saturating_add(1) {
                let message = format!(
                    "there is a second <{}> in <{}>, which has at most one",
                    child.name, ty.name
                );
                self.violate("repeated_element", child.line, message, "keep one of them");
            }
            self.visit(xml, &child, ty.children[at].element)?;
            self.read_plain_tags(xml, element, ty, &mut counts)?;
        }
        if has_text && ty.name != "metadata" {
            let message = format!("there is text in <{}>, which has none", ty.name);
            self.violate("unexpected_text", element.line, message, "remove the text");
        }
        for (child, &count) in ty.children.iter().zip(&counts) {
            self.check_count(element, ty, child, count);
        }
        self.leave(element, ty);
        Ok(())
    }

    /// Reports children that are missing.
    fn check_count(&mut self, element: &Element, ty: &ElementType, child: &Child, count: usize) {
        // Meshes with a lattice need no triangles (beam lattice 2).
        let of_lattice = matches!(child.element.name, "triangles" | "triangle" | "vertex")
            && child.element.namespace == Namespace::Core;
        if count >= child.min {
            return;
        }
        let name = child.element.name;
        let least = if child.min == 1 {
            "at least one".to_owned()
        } else {
            format!("at least {}", child.min)
        };
        let message = format!("<{}> has {count} <{name}>, but must have {least}", ty.name);
        let fix = format!("add <{name}>, or remove <{}>", ty.name);
        if of_lattice {
            self.object.missing.push((element.line, message, fix));
        } else {
            self.violate("missing_element", element.line, message, &fix);
        }
    }

    /// Visits a child that is not of its parent's schema.
    fn visit_other<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        mut child: Element,
        ty: &'static ElementType,
    ) -> Result<(), ReadError> {
        let written = brief(child.qualified_name());
        if child.namespace.is_empty() && child.qualified_name().contains(':') {
            let message = format!("<{written}> has a prefix that is not declared");
            self.violate(
                "undeclared_prefix",
                child.line,
                message,
                "declare the prefix in <model>, or remove the element",
            );
            return xml.skip();
        }
        let namespace = Namespace::from_uri(&child.namespace);
        // The reader repairs a level set without a prefix.
        if namespace == Some(Namespace::Core) && ty.name == "object" && child.name == "levelset" {
            return xml.skip();
        }
        let known = namespace.and_then(|namespace| schema::find(ty.name, namespace, &child.name));
        if let (Some(known), true) = (known, ty.is_open) {
            if known.namespace == Namespace::Volumetric {
                child.strip_prefixes();
            }
            return self.visit(xml, &child, known);
        }
        let misplaced = namespace
            .is_some_and(|namespace| schema::is_misplaced(ty.name, namespace, &child.name));
        let own = namespace == Some(ty.namespace) || namespace == Some(Namespace::Core);
        if !ty.is_open
            || own && ty.namespace != Namespace::Volumetric
            || misplaced
            || child.namespace.is_empty()
        {
            let message = format!(
                "<{written}> stands in <{}>, where its schema does not allow it",
                ty.name
            );
            self.violate(
                "unexpected_element",
                child.line,
                message,
                "move or remove it",
            );
        } else {
            self.warn_of_unknown_element(&child, namespace, ty);
            if ty.name == "resources" {
                self.add_other_resource(&child);
            }
        }
        xml.skip()
    }

    /// Registers a resource of which only the id is known.
    fn add_other_resource(&mut self, element: &Element) {
        let id = element.attribute("id").and_then(resource_id);
        let class = match element.name.as_str() {
            "function" | "implicitfunction" | "functionfromimage3d" => Class::Function,
            "volumedata" => Class::Volume,
            "image3d" => Class::Image,
            _ => Class::Other,
        };
        if let Some(id) = id {
            self.facts.resources.insert(id, Resource::new(class));
        }
    }

    fn check_attributes(&mut self, element: &Element, ty: &ElementType) {
        let values = Values(element);
        let line = element.line;
        for attribute in ty.attributes {
            let name = attribute.name;
            let found = match attribute.namespace {
                None => values.text(name),
                Some(namespace) => values.prefixed(namespace, name),
            };
            let Some(text) = found else {
                if attribute.is_required {
                    let message = format!("<{}> has no attribute {name}", ty.name);
                    let fix = format!("add {name}: {}", attribute.value.expected());
                    self.violate("missing_attribute", line, message, &fix);
                }
                continue;
            };
            if !attribute.value.accepts(text) {
                let expected = attribute.value.expected();
                let message = format!(
                    "{name}={:?} of <{}>, but it takes {expected}",
                    brief(text),
                    ty.name
                );
                self.violate("invalid_value", line, message, "correct the value");
            } else if !self.has_bare_point && attribute.value.has_bare_point(text) {
                self.has_bare_point = true;
                let message = format!(
                    "{name}={:?} of <{}>, but a digit must follow the decimal point of a number",
                    brief(text),
                    ty.name
                );
                let fix =
                    "write 1.0 or 1 instead of 1. here and wherever the part has such numbers";
                self.violate("invalid_value", line, message, fix);
            } else if let Value::Reference(target) = attribute.value {
                let is_external = values.prefixed(Namespace::Production, "path").is_some()
                    || ty.name == "alternative" && values.text("path").is_some();
                if let (Some(id), false) = (resource_id(text), is_external) {
                    self.refer(target, id, line, &format!("{name} of <{}>", ty.name));
                }
            }
        }
        for (name, _) in &element.attributes {
            let known = |one: &schema::AttributeType| one.namespace.is_none() && one.name == name;
            // Draft dialects of the volumetric extension are the reader's.
            if !ty.attributes.iter().any(known) && ty.namespace != Namespace::Volumetric {
                let message = format!(
                    "<{}> has the attribute {}, which its schema does not have",
                    ty.name,
                    brief(name)
                );
                self.violate(
                    "unexpected_attribute",
                    line,
                    message,
                    "remove it, or give it the prefix of its namespace",
                );
            }
        }
        for one in &element.prefixed {
            let name = brief(&one.name);
            if let Some(prefix) = one.namespace.strip_prefix(UNDECLARED) {
                let name = brief(&format!("{prefix}:{}", one.name));
                let message = format!(
                    "the attribute {name} of <{}> has a prefix that is not declared",
                    ty.name
                );
                self.violate(
                    "undeclared_prefix",
                    line,
                    message,
                    "declare the prefix in <model>, or remove the attribute",
                );
            } else if one.namespace == XSI
                || one.namespace == XML && (one.name != "lang" || ty.name != "model")
            {
                let message = format!(
                    "<{}> has the attribute {name} of the namespace {}",
                    ty.name, one.namespace
                );
                self.violate("reserved_attribute", line, message, "remove it");
            } else {
                self.warn_of_unknown_attribute(one, line, ty);
            }
        }
    }

    /// Checks a reference, now or when all resources are known.
    pub(super) fn refer(&mut self, target: Target, id: u32, line: u64, from: &str) {
        match self.facts.resources.get(&id).map(|resource| resource.class) {
            Some(class) => self.check_class(target, class, id, line, from),
            None => self.pending.push(PendingReference {
                target,
                id,
                line,
                from: from.to_owned(),
            }),
        }
    }

    fn check_class(&mut self, target: Target, class: Class, id: u32, line: u64, from: &str) {
        if !class.fits(target) {
            let message = format!(
                "{from} refers to resource {id}, which is {}, not {}",
                class.label(),
                target.label()
            );
            self.violate(
                "resource_kind_mismatch",
                line,
                message,
                "refer to another resource",
            );
        }
    }

    fn resolve_pending(&mut self) {
        for PendingReference {
            target,
            id,
            line,
            from,
        } in std::mem::take(&mut self.pending)
        {
            if let Some(class) = self.facts.resources.get(&id).map(|resource| resource.class) {
                let message = format!(
                    "{from} refers to resource {id}, which follows it, but must precede it"
                );
                self.violate(
                    "forward_reference",
                    line,
                    message,
                    "move the resource before the reference",
                );
                self.check_class(target, class, id, line, &from);
            } else {
                let message = format!("{from} refers to resource {id}, which is not in the part");
                self.violate(
                    "dangling_reference",
                    line,
                    message,
                    "add the resource, or remove the reference",
                );
            }
        }
    }

    /// Reads plain tags of the long lists without building their elements.
    fn read_plain_tags<R: Read>(
        &mut self,
        xml: &mut XmlReader<R>,
        list: &Element,
        ty: &'static ElementType,
        counts: &mut [usize],
    ) -> Result<(), ReadError> {
        let read = match (ty.namespace, ty.name) {
            (Namespace::Core, "vertices") => self.read_plain_vertices(xml, list),
            (Namespace::Core, "triangles") => self.read_plain_triangles(xml, list),
            _ => return Ok(()),
        };
        counts[0] += read?;
        Ok(())
    }

    /// Reports that an element that is no shape refers to volume data. An object is judged by its content.
    fn check_volume_owner(&mut self, values: &Values<'_>, ty: &ElementType) {
        let is_judged = ty.namespace == Namespace::Core && !matches!(ty.name, "object" | "mesh");
        if is_judged && values.prefixed(Namespace::Volumetric, "volumeid").is_some() {
            self.report_volume_owner(&format!("<{}>", ty.name), values.0.line);
        }
    }

    pub(super) fn report_volume_owner(&mut self, owner: &str, line: u64) {
        let message =
            format!("{owner} has volumeid, but only meshes and level sets have volume data");
        self.violate(
            "volume_data_owner",
            line,
            message,
            "move volumeid to the meshes or level sets of the components",
        );
    }

    fn enter<R: Read>(&mut self, xml: &XmlReader<R>, element: &Element, ty: &'static ElementType) {
        let values = Values(element);
        let line = element.line;
        if ty
            .attributes
            .first()
            .is_some_and(|first| first.value == Value::Id && first.name == "id")
        {
            self.enter_resource(&values, ty);
        }
        match (ty.namespace, ty.name) {
            (Namespace::Core, "model") => self.enter_model(xml, &values, line),
            (Namespace::Core, "metadata") => self.enter_metadata(xml, &values, line),
            (Namespace::Core, "metadatagroup" | "resources") => self.metadata.clear(),
            (Namespace::Core, "build") => self.enter_build(&values, line),
            (Namespace::Core, "item") => self.enter_item(&values, line),
            (Namespace::Core, "object") => self.enter_object(&values, line),
            (Namespace::Core, "mesh") => self.object.mesh_line = Some(line),
            (Namespace::Core, "triangle") => self.enter_triangle(&values, line),
            (Namespace::Core, "vertex") => self.enter_vertex(&values),
            (Namespace::Core, "components") => self.enter_components(line),
            (Namespace::Core, "component") => self.enter_component(&values, line),
            (Namespace::TriangleSets, "triangleset") => self.enter_triangle_set(&values, line),
            (Namespace::TriangleSets, "ref" | "refrange") => {
                self.enter_triangle_reference(&values, line);
            }
            (Namespace::Alternatives, "alternative") => self.enter_alternative(&values, line),
            (Namespace::Slice, _) => self.enter_slices(&values, ty.name, line),
            (Namespace::BeamLattice | Namespace::Balls, _) => {
                self.enter_lattice(&values, ty.name, line);
            }
            (Namespace::Materials, _) => self.enter_properties(&values, ty.name, line),
            (Namespace::Core, "base") => self.count_property(),
            (Namespace::Volumetric, _) => self.enter_volumetric(&values, ty.name, line),
            (
                Namespace::Core
                | Namespace::TriangleSets
                | Namespace::Production
                | Namespace::Alternatives
                | Namespace::Implicit,
                _,
            ) => {}
        }
    }

    fn enter_resource(&mut self, values: &Values<'_>, ty: &ElementType) {
        let id = values.text("id").and_then(resource_id).unwrap_or_default();
        self.open = id;
        if id == 0 || self.facts.resources.contains_key(&id) {
            if self.facts.resources.contains_key(&id) && !self.facts.is_root() {
                let message = format!("the id {id} of <{}> is that of another resource", ty.name);
                self.violate("duplicate_id", values.0.line, message, "give it another id");
            }
            return;
        }
        let mut resource = Resource::new(Class::of_element(ty.name));
        resource.line = values.0.line;
        let prefixed = values.prefixed(Namespace::Materials, "displaypropertiesid");
        let own = values.number("displaypropertiesid");
        resource.display = own.or_else(|| prefixed?.parse().ok());
        self.facts.resources.insert(id, resource);
    }

    fn leave(&mut self, element: &Element, ty: &'static ElementType) {
        match (ty.namespace, ty.name) {
            (Namespace::Core, "object") => self.leave_object(element.line),
            (Namespace::Core, "mesh") => self.leave_mesh(),
            (Namespace::BeamLattice, "beamlattice") => self.leave_lattice(element.line),
            (Namespace::Slice, name) => self.leave_slices(name, element.line),
            (Namespace::Volumetric, "composite") => self.leave_volumetric_composite(element.line),
            _ => {}
        }
    }
}
