//! Pictures, measurements, slices and files of parts. Their routes are POST, since a request does not fit into a query.

use std::sync::LazyLock;

use fibula_service::{
    ExportPart, Extent, ListMarks, MakeMark, MakePart, MeasurePart, PartExported, PartFormat,
    PickPart, Refusal, RenderPart, RenderResult, Service, SlicePart, seven_digits,
};
use rmcp::model::{ContentBlock, Resource};
use serde_json::json;

use super::{GEOMETRY, PROJECT_EXTRA};
use crate::address;
use crate::operation::{Download, DownloadHeaders, Effect, Operation, PNG, Progress, ToolAnswer};

/// Media types of files of parts, each once.
static MEDIA: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for media in PartFormat::all().map(PartFormat::media_type) {
        if !all.contains(&media) {
            all.push(media);
        }
    }
    all
});

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::file(&[PNG], picture_file)
            .post(
                "/api/projects/{project}/render",
                "render",
                "Draws the build, an object or a function as a PNG picture",
            )
            .read_only(),
        Operation::long(|service, _, request: SlicePart, progress| {
            service.slice_part(&request, progress)
        })
        .post(
            "/api/projects/{project}/slice",
            "slice",
            "Slices the build, an object or a function at heights",
        )
        .read_only()
        .with_tool(
            GEOMETRY,
            Effect::Read,
            "Slices the build, an object or a function at heights: areas, lengths, contours, \
             and optionally their points. Example: {\"function_id\":1,\"heights\":[2.5]}",
        ),
        Operation::long(|service, _, request: MeasurePart, progress| {
            service.measure_part(&request, progress)
        })
        .post(
            "/api/projects/{project}/measure",
            "measure",
            "Measures the build, an object or a function, or compares two",
        )
        .read_only()
        .with_tool(
            GEOMETRY,
            Effect::Read,
            "Measures the build, an object or a function: bounds, volume, area, centre, inertia, \
             mass, components, genus, thinnest wall, narrowest gap, overhang (area); with `to` \
             distance, overlap and difference of two. Example: {\"function_id\":1,\
             \"figures\":[\"volume\",\"bounds\"]}",
        ),
        Operation::long(|service, _, request: PickPart, progress| {
            service.pick_part(&request, progress)
        })
        .post(
            "/api/projects/{project}/pick",
            "pick",
            "Finds the point that a pixel of a picture shows, or a ray meets, and the node that \
             decides there",
        )
        .read_only()
        .with_tool(
            PROJECT_EXTRA,
            Effect::Read,
            "Finds the point that a pixel of a picture shows, or a ray meets, and the node that \
             decides there. Example: {\"function_id\":1,\"view\":\"front\",\"pixel\":[256,200]}",
        ),
        Operation::long(|service, origin, request: MakeMark, progress| {
            service.make_mark(origin, request, progress)
        })
        .post(
            "/api/projects/{project}/marks",
            "make_mark",
            "Marks a place, node or edge with a request",
        ),
        Operation::quick(|call, request: ListMarks| call.service.list_marks(&request)).get(
            "/api/projects/{project}/marks",
            "list_marks",
            "Lists the marks with their answers",
        ),
        Operation::file(&MEDIA, part_file)
            .post(
                "/api/projects/{project}/export",
                "export",
                "Writes the project as 3MF, or a mesh or slices of the build, an object or a \
                 function",
            )
            .read_only(),
        Operation::content(|service, _, request: RenderPart, progress| {
            picture(service.render_part(&request, progress)?)
        })
        .tool(
            GEOMETRY,
            "render",
            "Draw a picture",
            Effect::Read,
            "Draws the build, an object or a function as a PNG picture; use it after every change \
             of a shape. view \"sheet\" shows four sides, section {\"x\":0} cuts it open. Example: \
             {\"function_id\":1,\"view\":\"front\"}",
        ),
        Operation::content(|service, _, request, progress| export(service, request, progress))
            .structured::<PartExported>()
            .tool(
                GEOMETRY,
                "export",
                "Write a file",
                Effect::Set,
                "Writes the project, meshes or slices to a file or a resource. Example: \
                 {\"format\":\"stl\",\"object_id\":5,\"cell\":0.5,\"path\":\"part.stl\"}",
            ),
    ]
}

/// A picture, and its extent as text. It has no `structuredContent`, or clients would show that instead.
fn picture(rendered: RenderResult) -> Result<ToolAnswer, Refusal> {
    let RenderResult {
        png,
        size,
        extent,
        warnings,
        revision,
        tried_edits,
    } = rendered;
    let mut facts = json!({ "success": true, "size": size, "revision": revision });
    if let Some(Extent { bounds, unit }) = extent {
        let corners = [bounds.low(), bounds.high()];
        facts["bounds"] = json!(corners.map(|corner| corner.map(seven_digits)));
        facts["unit"] = json!(unit.name());
    }
    if let Some(count) = tried_edits {
        facts["tried_edits"] = json!(count);
    }
    if !warnings.is_empty() {
        facts["warnings"] = json!(warnings);
    }
    ToolAnswer::with_picture(&facts, Some(png))
}

/// Writes a file, or links to the resource that will produce it.
fn export(
    service: &Service,
    request: ExportPart,
    progress: &mut Progress<'_>,
) -> Result<ToolAnswer, Refusal> {
    let media = request.making.format.media_type();
    let mut make = MakePart::from(request.clone());
    let mut exported = service.export_part(request, progress)?;
    let mut link = None;
    if exported.path.is_none() {
        // The link is to the part of this revision, whatever is edited meanwhile.
        make.look.revision = Some(exported.revision);
        let uri = address::part(&make)?;
        let resource = Resource::new(&uri, "part").with_mime_type(media);
        link = Some(ContentBlock::resource_link(resource));
        exported.uri = Some(uri);
    }
    let answer = json!(exported);
    let mut answer = ToolAnswer::text(answer.to_string()).with_structured(answer);
    answer.content.extend(link);
    Ok(answer)
}

/// The picture as a file.
fn picture_file(
    service: &Service,
    request: &RenderPart,
    progress: &mut Progress<'_>,
) -> Result<Download, Refusal> {
    let rendered = service.render_part(request, progress)?;
    let file = Download::from_bytes(PNG, "part.png".to_owned(), rendered.png);
    Ok(file.with_headers(rendered.revision, rendered.warnings))
}

/// The project, a mesh or slices as a file.
fn part_file(
    service: &Service,
    request: &MakePart,
    progress: &mut Progress<'_>,
) -> Result<Download, Refusal> {
    let format: PartFormat = request.making.format;
    let made = service.make_part(request, progress)?;
    Ok(Download {
        media: format.media_type(),
        name: format!("part.{}", format.name()),
        headers: DownloadHeaders {
            revision: Some(made.revision()),
            warnings: made.warnings().to_owned(),
        },
        write: Box::new(move |to, _| made.write(to).map_err(|_| Refusal::cancelled())),
    })
}
