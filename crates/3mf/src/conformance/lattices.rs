//! Rules of beam lattices and their balls (beam lattice extension).

use super::facts::OpenLattice;
use super::part::{PartChecker, Values};
use super::schema::Namespace;
use crate::error::brief;
use crate::numbers::resource_id;

impl PartChecker<'_> {
    pub(super) fn enter_lattice(&mut self, values: &Values<'_>, name: &str, line: u64) {
        match name {
            "beamlattice" => self.enter_beam_lattice(values, line),
            "beam" => self.enter_beam(values, line),
            "ball" => self.enter_ball(values, line),
            "beamset" => {
                let Some(identifier) = values.text("identifier") else {
                    return;
                };
                if !self.lattice.sets.insert(identifier.to_owned()) {
                    let message = format!(
                        "two beam sets of a lattice have the identifier {}",
                        brief(identifier)
                    );
                    self.violate("beam_set_identifier", line, message, "rename one");
                }
            }
            "ref" => self.lattice.last_beam = self.lattice.last_beam.max(referenced(values, line)),
            "ballref" => {
                self.lattice.last_ball = self.lattice.last_ball.max(referenced(values, line));
            }
            _ => {}
        }
    }

    fn enter_beam_lattice(&mut self, values: &Values<'_>, line: u64) {
        self.require_extension(
            Namespace::BeamLattice,
            "beam lattice",
            "a beam lattice",
            line,
        );
        if self.object.facts.has_lattice {
            let message =
                "there is a second <beamlattice> in <mesh>, which has at most one".to_owned();
            self.violate("repeated_element", line, message, "keep one of them");
        }
        self.object.facts.has_lattice = true;
        if !self.object.facts.is_solid() {
            let ty = brief(&self.object.facts.object_type);
            let message = format!(
                "object {} has a beam lattice and the type {ty}",
                self.object.id
            );
            self.violate(
                "lattice_object_type",
                line,
                message,
                "give it the type model or solidsupport",
            );
        }
        let clipping = values
            .text("clippingmode")
            .is_some_and(|mode| mode != "none");
        if clipping && values.text("clippingmesh").is_none() {
            let message = "the lattice has a clippingmode, but no clippingmesh".to_owned();
            self.violate(
                "clipping_mesh",
                line,
                message,
                "add clippingmesh, or remove clippingmode",
            );
        }
        for name in ["clippingmesh", "representationmesh"] {
            let Some(id) = values.text(name).and_then(resource_id) else {
                continue;
            };
            // The reader rejects a lattice that is its own clipping mesh.
            let Some(mesh) = self.facts.objects.get(&id) else {
                continue;
            };
            let is_model = matches!(mesh.object_type.as_str(), "" | "model");
            if !mesh.is_mesh || mesh.has_lattice || !is_model {
                let message = format!(
                    "{name} is object {id}, which is not a mesh of the type model without a lattice"
                );
                self.violate("lattice_mesh", line, message, "refer to another mesh");
            }
        }
        let has_balls = values
            .prefixed(Namespace::Balls, "ballmode")
            .is_some_and(|mode| mode != "none");
        if has_balls && values.prefixed(Namespace::Balls, "ballradius").is_none() {
            let message = "the lattice has a ballmode, but no ballradius".to_owned();
            self.violate(
                "ball_radius",
                line,
                message,
                "add ballradius, or remove ballmode",
            );
        }
        self.lattice = OpenLattice {
            pid: values.text("pid").and_then(resource_id).or(self.object.pid),
            pindex: values.number("pindex").or(self.object.pindex),
            ..OpenLattice::default()
        };
        self.check_property(
            self.lattice.pid,
            self.lattice.pindex,
            "pindex of a lattice",
            line,
        );
    }

    fn enter_beam(&mut self, values: &Values<'_>, line: u64) {
        self.lattice.beams += 1;
        let count = self.object.vertices.len();
        let ends = ["v1", "v2"].map(|name| values.number(name));
        let unknown = ends
            .into_iter()
            .flatten()
            .find(|&vertex| vertex as usize >= count);
        if let Some(vertex) = unknown {
            let message =
                format!("a beam has the vertex {vertex}, but its mesh has {count} vertices");
            self.violate("beam_vertex", line, message, "correct the index");
        } else if ends[0].is_some() && ends[0] == ends[1] {
            let message = "v1 and v2 of a beam are the same vertex".to_owned();
            self.violate("beam_vertex", line, message, "remove the beam");
        }
        self.lattice.ends.extend(ends.into_iter().flatten());
        if values.text("r2").is_some() && values.text("r1").is_none() {
            let message = "a beam has r2, but no r1".to_owned();
            self.violate("beam_radius", line, message, "add r1, or remove r2");
        }
        let (first, second) = (values.number("p1"), values.number("p2"));
        let group = values
            .text("pid")
            .and_then(resource_id)
            .or(self.lattice.pid);
        self.lattice.has_properties |= first.is_some();
        for index in [first, second] {
            self.check_property(group, index, "a property of a beam", line);
        }
        if second.is_some()
            && second != first
            && self
                .gradient_rule(group, "beam_gradient", "beam_gradient")
                .is_some()
        {
            let message =
                "p1 and p2 of a beam differ, but its group cannot be interpolated".to_owned();
            self.violate(
                "beam_gradient",
                line,
                message,
                "leave out p2, or use a colour group",
            );
        }
    }

    fn enter_ball(&mut self, values: &Values<'_>, line: u64) {
        self.lattice.balls += 1;
        let property = values.number("p");
        self.lattice.has_properties |= property.is_some();
        let group = values
            .text("pid")
            .and_then(resource_id)
            .or(self.lattice.pid);
        self.check_property(group, property, "the property of a ball", line);
        if let Some(vertex) = values
            .number("vindex")
            .filter(|vertex| !self.lattice.ends.contains(vertex))
        {
            let message = format!("a ball is at vertex {vertex}, at which no beam ends");
            self.violate("ball_vertex", line, message, "move or remove the ball");
        }
    }

    pub(super) fn leave_lattice(&mut self, line: u64) {
        let lattice = std::mem::take(&mut self.lattice);
        let references = [
            (lattice.last_beam, lattice.beams, "beam"),
            (lattice.last_ball, lattice.balls, "ball"),
        ];
        for (last, count, what) in references {
            if let Some((index, line)) = last.filter(|(index, _)| *index >= count) {
                let message = format!(
                    "a beam set refers to {what} {index}, but its lattice has {count} {what}s"
                );
                self.violate("beam_reference", line, message, "correct the index");
            }
        }
        if lattice.has_properties && !(lattice.pid.is_some() && lattice.pindex.is_some()) {
            let message = "beams or balls have properties, but neither the lattice nor its object has pid and pindex".to_owned();
            self.violate(
                "no_default_beam_property",
                line,
                message,
                "add pid and pindex to the lattice",
            );
        }
    }
}

/// Index that a reference of a beam set has, and its line.
fn referenced(values: &Values<'_>, line: u64) -> Option<(u32, u64)> {
    Some((values.number("index")?, line))
}
