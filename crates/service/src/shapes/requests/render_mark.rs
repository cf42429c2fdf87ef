//! Pictures of marks: the surroundings of a place that a person points at, with the place.

use fibula_core::graph::FunctionId;
use fibula_nodes::ResourceId;

use super::make_mark::MarkedPlace;
use super::render_part::{RenderMode, RenderPart, SectionPlanes};
use crate::background::ProgressFn;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::render::{RenderResult, Views};

/// Magnification of the surroundings relative to what the person saw.
const CLOSER: f64 = 2.5;
/// Largest magnification that is chosen.
const MOST_ZOOM: f64 = 200.0;

impl Service {
    /// Draws the surroundings of a mark: as it was seen when it was marked, except for what the request says.
    ///
    /// # Errors
    /// A [`Refusal`], as [`render_part`](Self::render_part); `invalid_arguments` if the mark has no place in space and no
    /// function.
    pub(super) fn render_mark(
        &self,
        request: &RenderPart,
        mark: &str,
        watch: ProgressFn<'_>,
    ) -> Result<RenderResult> {
        let place = self.marked_place(request.look.project.as_deref(), mark)?;
        let request = around(request, &place)?;
        request.check()?;
        let Some(point) = place.point else {
            return self.draw_part(&request, watch);
        };
        let mut picture = request.request()?;
        picture.pin = Some(point);
        if let Views::One(camera) = &mut picture.views {
            camera.target = Some(point);
        }
        self.draw_solid(&request, &picture, watch)
    }
}

/// The request with what it leaves out taken from the mark.
fn around(request: &RenderPart, place: &MarkedPlace) -> Result<RenderPart> {
    let mut request = RenderPart {
        mark: None,
        ..request.clone()
    };
    let look = &mut request.look;
    if look.object_id.is_none() && look.function_id.is_none() {
        look.object_id = place.object_id.map(ResourceId);
        look.function_id = place.function_id.map(FunctionId);
        look.output = look.output.take().or_else(|| place.output.clone());
    }
    if place.point.is_none() {
        if look.function_id.is_none() {
            let message = "the mark has no place in space and no function";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("get_nodes returns it with what it is about"));
        }
        request.show = RenderMode::Graph;
        return Ok(request);
    }
    if request.show != RenderMode::Solid {
        let message = "a mark in space is drawn in space";
        return Err(Refusal::new("invalid_arguments", message).hint("omit show"));
    }
    if request.since.is_none() {
        look.revision = look.revision.or(place.revision);
    }
    let seen = &place.camera;
    if request.view.is_none() && request.orbit.is_none() {
        request.orbit = seen.orbit;
        if request.section == SectionPlanes::default() {
            request.section = seen.section;
        }
    }
    let is_sheet = request.view.is_some_and(|view| view.name() == "sheet");
    if !is_sheet {
        let zoom = (seen.zoom.unwrap_or(1.0) * CLOSER).min(MOST_ZOOM);
        request.zoom = request.zoom.or(Some(zoom));
    }
    Ok(request)
}
