//! Pictures, measures, slices and files of parts. They are asked for by POST, since what is looked at is more than a query says.

use axum::http::Method;
use fibula_service::{MakePart, MeasurePart, PartFormat, Refusal, RenderPart, Rendered, SlicePart};

use super::download::{Download, Told};
use super::job::Work;
use super::route::{Call, Route};

/// The media types of files of parts, without those that are there twice.
const MEDIA: [&str; 7] = [
    PartFormat::ThreeMf.media_type(),
    PartFormat::Stl.media_type(),
    PartFormat::Obj.media_type(),
    PartFormat::Ply.media_type(),
    PartFormat::Glb.media_type(),
    PartFormat::Svg.media_type(),
    PartFormat::Json.media_type(),
];

/// What pictures are sent as.
const PNG: [&str; 1] = ["image/png"];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::file(
            Method::POST,
            "/api/projects/{project}/render",
            "render",
            "Draws the build, an object or a function as a PNG picture",
            &PNG,
            |call, request| Ok(picture(call, request)),
        )
        .reads(),
        Route::work(
            Method::POST,
            "/api/projects/{project}/slice",
            "slice",
            "Cuts the build, an object or a function at heights",
            |call: &Call, request: SlicePart| {
                let service = call.service.clone();
                Ok(Work::Later(Box::new(move |watch| {
                    service.slice_part(&request, watch)
                })))
            },
        )
        .reads(),
        Route::work(
            Method::POST,
            "/api/projects/{project}/measure",
            "measure",
            "Measures the build, an object or a function, or compares two",
            |call: &Call, request: MeasurePart| {
                let service = call.service.clone();
                Ok(Work::Later(Box::new(move |watch| {
                    service.measure_part(&request, watch)
                })))
            },
        )
        .reads(),
        Route::file(
            Method::POST,
            "/api/projects/{project}/export",
            "export",
            "Writes the project as 3MF, or a mesh or slices of what is looked at",
            &MEDIA,
            |call, request| Ok(file(call, request)),
        )
        .reads(),
    ]
}

/// The picture, once it is drawn.
fn picture(call: &Call, request: RenderPart) -> Work<Download> {
    let service = call.service.clone();
    Work::Later(Box::new(move |watch| {
        let Rendered {
            png,
            revision,
            warnings,
            ..
        } = service.render_part(&request, watch)?;
        Ok(Download {
            media: PNG[0],
            name: "part.png".to_owned(),
            told: Told {
                revision: Some(revision),
                warnings,
            },
            make: Box::new(move |to, _| to.write_all(&png).map_err(|_| Refusal::cancelled())),
        })
    }))
}

/// The file, once what it is written from is made.
fn file(call: &Call, request: MakePart) -> Work<Download> {
    let service = call.service.clone();
    Work::Later(Box::new(move |watch| {
        let format: PartFormat = request.making.format;
        let made = service.make_part(&request, watch)?;
        Ok(Download {
            media: format.media_type(),
            name: format!("part.{}", format.name()),
            told: Told {
                revision: Some(made.revision()),
                warnings: made.warnings().to_owned(),
            },
            make: Box::new(move |to, _| made.write(to).map_err(|_| Refusal::cancelled())),
        })
    }))
}
