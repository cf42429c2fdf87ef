//! Rules of slice stacks and their polygons (slice extension), in a part and across parts.

use std::collections::BTreeMap;

use super::facts::{Class, OpenSlice, PartFacts, PathUse, StackFacts};
use super::part::{PartChecker, Values};
use crate::error::{Location, brief};
use crate::findings::Findings;
use crate::numbers::{finite, resource_id};

impl PartChecker<'_> {
    pub(super) fn enter_slices(&mut self, values: &Values<'_>, name: &str, line: u64) {
        match name {
            "slicestack" => {
                let bottom = values.text("zbottom").and_then(finite).unwrap_or_default();
                let stack = StackFacts {
                    bottom,
                    ..StackFacts::default()
                };
                self.slice = OpenSlice {
                    stack,
                    ..OpenSlice::default()
                };
            }
            "slice" => self.enter_slice(values, line),
            "sliceref" => {
                let (id, path) = (values.number("slicestackid"), values.text("slicepath"));
                if let (Some(id), Some(path)) = (id, path) {
                    self.slice
                        .stack
                        .references
                        .push((path.to_owned(), id, line));
                    self.add_path(path, line, PathUse::SliceStack);
                }
            }
            "vertices" => self.slice.has_vertices = true,
            "vertex" => self.slice.vertices += 1,
            "polygon" => {
                self.slice.polygons += 1;
                self.slice.start = values.number("startv");
                self.slice.last = self.slice.start;
                self.check_slice_vertex(self.slice.start, line);
            }
            "segment" => self.enter_segment(values, line),
            _ => {}
        }
    }

    fn enter_slice(&mut self, values: &Values<'_>, line: u64) {
        let slice = &mut self.slice;
        (
            slice.has_slices,
            slice.has_vertices,
            slice.vertices,
            slice.polygons,
        ) = (true, false, 0, 0);
        let Some(top) = values.text("ztop").and_then(finite) else {
            return;
        };
        let below = slice.stack.heights.map(|[_, last]| last);
        slice.stack.heights = Some([slice.stack.heights.map_or(top, |[first, _]| first), top]);
        let bottom = slice.stack.bottom;
        if let Some(below) = below.filter(|&below| top <= below) {
            let message = format!("ztop is {top}, but that of the slice below is {below}");
            self.violate(
                "slice_order",
                line,
                message,
                "sort the slices by their heights",
            );
        } else if below.is_none() && top < bottom {
            let message =
                format!("ztop of the first slice is {top}, but zbottom of its stack is {bottom}");
            self.violate("slice_order", line, message, "correct zbottom or ztop");
        }
    }

    fn check_slice_vertex(&mut self, vertex: Option<u32>, line: u64) {
        let count = self.slice.vertices;
        if let Some(vertex) = vertex.filter(|&vertex| vertex >= count && self.slice.has_vertices) {
            let message =
                format!("a polygon has the vertex {vertex}, but its slice has {count} vertices");
            self.violate("slice_vertex", line, message, "correct the index");
        }
    }

    fn enter_segment(&mut self, values: &Values<'_>, line: u64) {
        let vertex = values.number("v2");
        self.check_slice_vertex(vertex, line);
        if vertex.is_some() && vertex == self.slice.last {
            let message = "v2 of a segment is the vertex at which it starts".to_owned();
            self.violate("slice_segment", line, message, "remove the segment");
        }
        self.slice.last = vertex;
        let group = values.text("pid").and_then(resource_id);
        if let Some(what) = group.and_then(|group| self.texture_use(group)) {
            let message = format!("pid of a segment is {what}");
            self.violate("slice_texture", line, message, "use colours or materials");
        }
        for name in ["p1", "p2"] {
            self.object.reported.clear();
            self.check_property(group, values.number(name), "a property of a segment", line);
        }
    }

    /// Description of a group of properties that refers to a texture; `None` if it refers to none.
    fn texture_use(&self, group: u32) -> Option<&'static str> {
        let resource = self.facts.resources.get(&group)?;
        let is_texture = |id: &u32| {
            let layer = self.facts.resources.get(id);
            layer.is_some_and(|layer| layer.class == Class::TextureCoordinates)
        };
        match resource.class {
            Class::TextureCoordinates => Some("a group of texture coordinates"),
            Class::Multi if resource.parts.iter().any(is_texture) => {
                Some("multiproperties with texture coordinates")
            }
            _ => None,
        }
    }

    pub(super) fn leave_slices(&mut self, name: &str, line: u64) {
        match name {
            "polygon" if self.slice.start.is_some() && self.slice.start != self.slice.last => {
                self.slice.stack.open_polygon.get_or_insert(line);
            }
            "slice" => {
                let (vertices, polygons) = (self.slice.has_vertices, self.slice.polygons > 0);
                if vertices != polygons {
                    let (has, lacks) = if vertices {
                        ("vertices", "polygons")
                    } else {
                        ("polygons", "vertices")
                    };
                    let message = format!("a slice has {has}, but no {lacks}");
                    self.violate(
                        "slice_content",
                        line,
                        message,
                        "add them, or leave only ztop if the slice is empty",
                    );
                }
            }
            "slicestack" => {
                let slice = std::mem::take(&mut self.slice);
                if slice.has_slices && !slice.stack.references.is_empty() {
                    let message =
                        "the slice stack has slices and references to slice stacks".to_owned();
                    self.violate(
                        "slice_stack_content",
                        line,
                        message,
                        "move its slices to another stack",
                    );
                }
                self.facts.stacks.insert(self.open, slice.stack);
            }
            _ => {}
        }
    }
}

/// Checks references between slice stacks, and the polygons of solid objects.
pub(super) fn check(parts: &BTreeMap<String, PartFacts>, findings: &mut Findings) {
    for (folded, part) in parts {
        let place = |line| Location::part(&part.name).at_line(line);
        for stack in part.stacks.values() {
            let mut below: Option<f64> = None;
            for (path, id, line) in &stack.references {
                let target = path.trim_start_matches('/').to_ascii_lowercase();
                let wrong = match parts.get(&target) {
                    _ if target == *folded => Some("in the same part"),
                    // A missing part is reported as such.
                    None => None,
                    Some(other) => match other.stacks.get(id) {
                        None => Some("not there"),
                        Some(found) if !found.references.is_empty() => Some("one of references"),
                        Some(found) => {
                            if let (Some(below), Some([first, _])) = (below, found.heights)
                                && first <= below
                            {
                                let message = format!(
                                    "the referenced slice stack {id} begins at {first}, but that below it ends at {below}"
                                );
                                findings.violate(
                                    "slice_order",
                                    place(*line),
                                    message,
                                    "sort the references by their heights",
                                );
                            }
                            below = found.heights.map(|[_, last]| last).or(below);
                            None
                        }
                    },
                };
                if let Some(wrong) = wrong {
                    let message = format!("the slice stack {id} of {} is {wrong}", brief(path));
                    findings.violate(
                        "slice_reference",
                        place(*line),
                        message,
                        "refer to a stack of slices in another part",
                    );
                }
            }
        }
        for object in part.objects.values().filter(|object| object.is_solid()) {
            let Some(stack) = object.stack.and_then(|id| part.stacks.get(&id)) else {
                continue;
            };
            let own = stack.open_polygon.map(place);
            let others = stack.references.iter().find_map(|(path, id, _)| {
                let other = parts.get(&path.trim_start_matches('/').to_ascii_lowercase())?;
                let line = other.stacks.get(id)?.open_polygon?;
                Some(Location::part(&other.name).at_line(line))
            });
            if let Some(place) = own.or(others) {
                let message =
                    "the polygon does not end at startv, but its stack is that of a solid object"
                        .to_owned();
                findings.violate("open_polygon", place, message, "add a segment to startv");
            }
        }
    }
}
