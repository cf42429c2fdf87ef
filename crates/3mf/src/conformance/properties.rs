//! Rules of materials, colours, textures and their display properties (materials extension), and of volume data.

use fibula_core::graph::model::is_xml_name;

use super::facts::{Class, PathUse};
use super::part::{PartChecker, Values};
use super::values::Target;
use crate::error::brief;
use crate::numbers::resource_id;

/// Attributes that say how a texture is addressed.
const ADDRESSING: [&str; 3] = ["tilestyleu", "tilestylev", "filter"];

/// Display properties of textures, with their attributes that refer to textures.
const TEXTURES: [&str; 4] = [
    "speculartextureid",
    "glossinesstextureid",
    "metallictextureid",
    "roughnesstextureid",
];

impl PartChecker<'_> {
    /// Counts a property of the open group.
    pub(super) fn count_property(&mut self) {
        if let Some(resource) = self.facts.resources.get_mut(&self.open) {
            resource.count += 1;
        }
    }

    pub(super) fn enter_properties(&mut self, values: &Values<'_>, name: &str, line: u64) {
        match name {
            "texture2d" => {
                if let Some(path) = values.text("path") {
                    self.add_path(path, line, PathUse::Texture);
                    if let Some(path) = self.facts.paths.last_mut() {
                        path.content_type = values.text("contenttype").map(str::to_owned);
                    }
                }
                if let Some(resource) = self.facts.resources.get_mut(&self.open) {
                    resource.addressing =
                        ADDRESSING.map(|name| values.text(name).map(str::to_owned));
                }
            }
            "colorgroup" => self.check_display(line),
            "texture2dgroup" => {
                self.set_parts(values.number("texid").into_iter().collect());
                self.check_display(line);
            }
            "compositematerials" => {
                self.check_display(line);
                self.check_composite(values, line);
            }
            "multiproperties" => self.enter_multiproperties(values, line),
            "pbspeculartexturedisplayproperties" | "pbmetallictexturedisplayproperties" => {
                self.set_parts(
                    TEXTURES
                        .iter()
                        .filter_map(|name| values.number(name))
                        .collect(),
                );
            }
            "multi" => {
                self.count_property();
                self.check_layers(values, line);
            }
            "color" | "tex2coord" | "composite" | "pbspecular" | "pbmetallic" | "translucent" => {
                self.count_property();
            }
            _ => {}
        }
    }

    fn set_parts(&mut self, parts: Vec<u32>) {
        if let Some(resource) = self.facts.resources.get_mut(&self.open) {
            resource.parts = parts;
        }
    }

    /// Checks the display properties of the open group.
    fn check_display(&mut self, line: u64) {
        let Some(group) = self.facts.resources.get(&self.open) else {
            return;
        };
        let Some(display) = group.display.and_then(|id| self.facts.resources.get(&id)) else {
            return;
        };
        let is_right = match display.class {
            Class::Display => group.class != Class::TextureCoordinates,
            Class::TextureDisplay => group.class == Class::TextureCoordinates,
            Class::TranslucentDisplay => group.class.is_material(),
            _ => true,
        };
        let group = group.class.label();
        if !is_right {
            let kind = match display.class {
                Class::TextureDisplay => "of textures",
                Class::TranslucentDisplay => "that are translucent",
                _ => "without textures",
            };
            let message = format!("{group} has display properties {kind}");
            self.violate(
                "display_properties_kind",
                line,
                message,
                "use display properties of another kind",
            );
            return;
        }
        let texture = |id: &u32| {
            self.facts
                .resources
                .get(id)
                .map(|texture| &texture.addressing)
        };
        let Some(own) = self
            .facts
            .resources
            .get(&self.open)
            .and_then(|group| texture(group.parts.first()?))
        else {
            return;
        };
        let defaults = ["wrap", "wrap", "auto"];
        let differs = |other: &[Option<String>; 3]| {
            (0..3).any(|at| {
                let own = own[at].as_deref().unwrap_or(defaults[at]);
                other[at].as_deref().is_some_and(|other| other != own)
            })
        };
        if display.parts.iter().filter_map(texture).any(differs) {
            let message = "the textures of the display properties have other tile styles or another filter than the texture of the group".to_owned();
            self.violate(
                "texture_addressing",
                line,
                message,
                "leave out tilestyleu, tilestylev and filter of the former",
            );
        }
    }

    /// Number of materials of a group, if it is one of base materials.
    fn base_material_count(&self, group: u32) -> Option<u32> {
        let group = self.facts.resources.get(&group)?;
        (group.class == Class::BaseMaterials).then_some(group.count)
    }

    fn check_composite(&mut self, values: &Values<'_>, line: u64) {
        let Some(group) = values.number("matid") else {
            return;
        };
        let Some(count) = self.base_material_count(group) else {
            return;
        };
        let indices = values
            .text("matindices")
            .unwrap_or_default()
            .split_ascii_whitespace();
        let wrong = indices
            .filter_map(|word| word.parse::<u32>().ok())
            .find(|&index| index >= count);
        if let Some(index) = wrong {
            let message =
                format!("matindices has {index}, but resource {group} has {count} materials");
            self.violate(
                "composite_index",
                line,
                message,
                "use indices of the group, from 0 on",
            );
        }
    }

    fn enter_multiproperties(&mut self, values: &Values<'_>, line: u64) {
        let pids = values
            .text("pids")
            .unwrap_or_default()
            .split_ascii_whitespace();
        let pids: Vec<u32> = pids.filter_map(resource_id).collect();
        for &pid in &pids {
            self.refer(Target::Properties, pid, line, "pids of <multiproperties>");
        }
        let classes = pids
            .iter()
            .map(|pid| self.facts.resources.get(pid).map(|one| one.class));
        let classes: Vec<Class> = classes.map(|class| class.unwrap_or(Class::Other)).collect();
        let count = |is: &dyn Fn(Class) -> bool| classes.iter().filter(|&&class| is(class)).count();
        let materials = count(&Class::is_material);
        let faults = [
            (
                materials > 1,
                "multi_materials",
                "pids has more than one group of materials",
                "keep one of them",
            ),
            (
                materials == 1 && !classes[0].is_material(),
                "multi_material_first",
                "the group of materials in pids is not the first",
                "move it to the front, with its indices",
            ),
            (
                count(&|class| class == Class::Colors) > 1,
                "multi_colors",
                "pids has more than one colour group",
                "keep one of them",
            ),
            (
                count(&|class| class == Class::Multi) > 0,
                "multi_nested",
                "pids has multiproperties",
                "list their layers instead",
            ),
        ];
        for (is_broken, code, message, fix) in faults {
            if is_broken {
                self.violate(code, line, message.to_owned(), fix);
            }
        }
        let methods = values
            .text("blendmethods")
            .unwrap_or_default()
            .split_ascii_whitespace()
            .count();
        if methods > 0 && methods >= pids.len() {
            let layers = pids.len();
            let message = format!(
                "there are {methods} blend methods for {layers} layers, of which the first has none"
            );
            self.violate(
                "blend_methods",
                line,
                message,
                "remove the first blend methods",
            );
        }
        self.set_parts(pids);
    }

    fn check_layers(&mut self, values: &Values<'_>, line: u64) {
        let Some(multi) = self.facts.resources.get(&self.open) else {
            return;
        };
        let indices = values
            .text("pindices")
            .unwrap_or_default()
            .split_ascii_whitespace();
        let indices = indices.map(|word| word.parse::<u32>().ok());
        let layers: Vec<(u32, Option<u32>)> = multi.parts.iter().copied().zip(indices).collect();
        for (group, index) in layers {
            self.object.reported.clear();
            self.check_property(Some(group), index, "an index of <multi>", line);
        }
    }

    pub(super) fn enter_volumetric(&mut self, values: &Values<'_>, name: &str, line: u64) {
        match name {
            "imagesheet" => {
                if let Some(path) = values.text("path").filter(|path| path.starts_with('/')) {
                    self.add_path(path, line, PathUse::Sheet);
                }
            }
            "levelset" => {
                let namespace = super::schema::Namespace::Volumetric;
                self.require_extension(namespace, "volumetric", "a level set", line);
            }
            "composite" => {
                let materials = values.number("basematerialid");
                self.mappings = materials.map(|materials| (materials, 0));
            }
            "materialmapping" => {
                if let Some((_, count)) = &mut self.mappings {
                    *count += 1;
                }
            }
            "property" => {
                let name = values.text("name").unwrap_or_default().trim_ascii();
                if name.contains(':') && !is_xml_name(name) {
                    self.check_qualified_name("the name of a property", name, line);
                    return;
                }
                let is_declared = name
                    .split_once(':')
                    .is_some_and(|(prefix, _)| self.prefixes.contains_key(prefix));
                if !name.is_empty() && !is_declared {
                    let message = format!(
                        "the name {} of a property has no prefix that <model> declares",
                        brief(name)
                    );
                    self.violate(
                        "property_name",
                        line,
                        message,
                        "give it the prefix of a namespace that <model> declares",
                    );
                }
            }
            _ => {}
        }
    }

    pub(super) fn leave_volumetric_composite(&mut self, line: u64) {
        let Some((group, mappings)) = self.mappings.take() else {
            return;
        };
        let Some(count) = self.base_material_count(group) else {
            return;
        };
        if mappings != count {
            let message = format!(
                "<composite> has {mappings} material mappings, but resource {group} has {count} materials"
            );
            self.violate(
                "material_mapping_count",
                line,
                message,
                "map each material once, in the order of the group",
            );
        }
    }
}
