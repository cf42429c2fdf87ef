//! The toolset `geometry`: pictures, measures, slices and files of parts.

use fibula_service::{
    ExportPart, MakePart, MeasurePart, PartExported, PartMeasured, RenderPart, SlicePart,
    SlicesShown,
};
use rmcp::handler::server::common::schema_for_output;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use super::address;
use super::arguments::Parameters;
use super::reply::{Fail, Json, Linked, Picture};
use super::server::Server;

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
        let made = self.later(&context, move |service, watch| {
            service.render_part(&request, watch)
        });
        Ok(Picture(made.await?))
    }

    /// Measures the build, an object or a function: box, volume, area, centre of mass, inertia, pieces, holes, thinnest
    /// wall, narrowest gap, overhangs; with `to` distance, overlap and difference of two. Example:
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
        let made = self.later(&context, move |service, watch| {
            service.measure_part(&request, watch)
        });
        Ok(Json(made.await?))
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
        let made = self.later(&context, move |service, watch| {
            service.slice_part(&request, watch)
        });
        Ok(Json(made.await?))
    }

    /// Writes the project, meshes or slices to a file or a resource. Example: {"format":"stl","object_id":5,"cell":0.5,"path":"part.stl"}
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
        let exported = self.later(&context, move |service, watch| {
            let mut make = MakePart::from(request.clone());
            let mut exported = service.export_part(request, watch)?;
            if exported.path.is_none() {
                // What is linked stays what was asked about, whatever is edited meanwhile.
                make.look.revision = Some(exported.revision);
                exported.uri = Some(address::part(&make)?);
            }
            Ok(exported)
        });
        Ok(Linked {
            exported: exported.await?,
            media: format.media_type(),
        })
    }
}
