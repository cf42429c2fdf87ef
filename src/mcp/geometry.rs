//! The toolset `geometry`: pictures, measures, slices and files of parts.

use std::ops::ControlFlow;

use rmcp::handler::server::common::schema_for_output;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use super::address;
use super::arguments::Parameters;
use super::job;
use super::reply::{Fail, Json, Linked, Picture};
use super::server::Server;
use crate::service::{
    ExportPart, MakePart, MeasurePart, PartExported, PartMeasured, Refusal, RenderPart, Service,
    SlicePart, SlicesShown,
};

/// How much of how much is done, and whether to go on.
type Watch<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

impl Server {
    /// Does what may take long.
    async fn watched<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Service, &mut Watch<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Fail> {
        let service = self.shared_service();
        let work = move |watch: &mut Watch<'_>| work(&service, watch);
        Ok(job::run(context, self.slots(), work).await?)
    }
}

#[tool_router(router = geometry_tools, vis = "pub(super)")]
impl Server {
    /// Draws the build, an object or a function as a PNG picture; look at it after every change of a shape. view "sheet"
    /// shows four sides, section {"x":0} cuts it open. Example: {"function_id":1,"view":"front"}
    #[tool(
        title = "Draw a picture",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn render(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<RenderPart>,
    ) -> Result<Picture, Fail> {
        let work =
            move |service: &Service, watch: &mut Watch<'_>| service.render_part(&request, watch);
        Ok(Picture(self.watched(&context, work).await?))
    }

    /// Measures the build, an object or a function: box, volume, area, centre of mass, inertia, pieces, holes, thinnest
    /// wall, narrowest gap, overhangs; with `to` the distance, overlap and difference of two things. Example:
    /// {"function_id":1,"to":{"function_id":2}}
    #[tool(
        title = "Measure",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn measure(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<MeasurePart>,
    ) -> Result<Json<PartMeasured>, Fail> {
        let work =
            move |service: &Service, watch: &mut Watch<'_>| service.measure_part(&request, watch);
        Ok(Json(self.watched(&context, work).await?))
    }

    /// Cuts the build, an object or a function at heights: areas, lengths, numbers of contours, and their points if
    /// wanted. Example: {"function_id":1,"heights":[2.5]}
    #[tool(
        title = "Slice",
        annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn slice(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<SlicePart>,
    ) -> Result<Json<SlicesShown>, Fail> {
        let work =
            move |service: &Service, watch: &mut Watch<'_>| service.slice_part(&request, watch);
        Ok(Json(self.watched(&context, work).await?))
    }

    /// Writes the project, or a mesh or slices of what is looked at, to a file or a resource. Example: {"format":"stl","object_id":5,"cell":0.5,"path":"part.stl"}
    #[tool(
        title = "Write a file",
        output_schema = schema_for_output::<PartExported>(),
        annotations(
            read_only_hint = false,
            destructive_hint = true,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn export(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(request): Parameters<ExportPart>,
    ) -> Result<Linked, Fail> {
        let format = request.making.format;
        let work = move |service: &Service, watch: &mut Watch<'_>| {
            let mut make = MakePart::from(request.clone());
            let mut exported = service.export_part(request, watch)?;
            if exported.path.is_none() {
                // What is linked stays what was asked about, whatever is edited meanwhile.
                make.look.revision = Some(exported.revision);
                exported.uri = Some(address::part(&make)?);
            }
            Ok(exported)
        };
        let exported = self.watched(&context, work).await?;
        Ok(Linked {
            exported,
            media: format.media_type(),
        })
    }
}
