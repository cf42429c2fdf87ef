//! Making the meshes of parts, and telling of them.

use std::cell::Cell;
use std::ops::ControlFlow;

use fibula_geometry::picture::SURFACE;
use fibula_geometry::{Simplified, TriangleMesh};
use fibula_nodes::names;
use serde_json::json;

use super::{
    GivenMesh, PartMade, PartMeshInfo, PartShape, PartsInfo, PartsMade, SeenPart, SeenParts,
};
use crate::limits::MESHED;
use crate::meshing::{MakeMesh, MeshInfo, coarser, make, measured, one_of};
use crate::refusal::Refusal;
use crate::simplified::kept_colors;

/// Makes meshes of parts. Cells are as long as they are built; triangles and memory are limited of each part, the time of
/// all together. `watch` is told how far each of the works is, one after the other, and may end it.
///
/// # Errors
/// As [`make_mesh`](crate::make_mesh), naming the part; and if bounds are given, unless it is a single part that
/// is not moved.
pub fn make_parts(
    seen: SeenParts,
    request: &MakeMesh,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<PartsMade, Refusal> {
    if let Some(how) = &request.simplify {
        how.check()?;
    }
    let moved = |part: &SeenPart| part.places.iter().any(|one| !one.transform.is_identity());
    let given = |part: &SeenPart| matches!(part.shape, PartShape::Given(_));
    let is_one = seen.parts.len() == 1 && !moved(&seen.parts[0]) && !given(&seen.parts[0]);
    if request.bounds.is_some() && !is_one {
        let message = "bounds cut off what is built as one, and not its parts";
        return Err(Refusal::new("invalid_arguments", message)
            .hint("take the union of the parts, or leave the bounds out"));
    }
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, coarser(&cell), |watch| {
        make_all(seen, request, &cell, watch)
    })
}

/// Makes the meshes, and tells the largest cell that they take, as it is built.
fn make_all(
    seen: SeenParts,
    request: &MakeMesh,
    cell: &Cell<f64>,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<PartsMade, Refusal> {
    let count = seen.parts.len() as u64;
    let works = if request.simplify.is_some() {
        2 * count
    } else {
        count
    };
    let mut made = Vec::with_capacity(seen.parts.len());
    for (number, part) in (0..).zip(seen.parts) {
        let watch = &mut one_of(number, works, watch);
        let scale = part
            .places
            .iter()
            .map(|one| one.transform.stretch())
            .fold(0.0, f64::max);
        let (mesh, colors, info) = match part.shape {
            PartShape::Given(given) => {
                let colors = given.colors(watch)?;
                let GivenMesh { mesh, warnings, .. } = given;
                if request.simplify.is_none() {
                    fits(&mesh, request)
                        .map_err(|refusal| named(refusal, &part.name, count > 1))?;
                }
                let info = measured(&mesh, mesh.topology(), [0; 3], warnings, seen.revision);
                (mesh, colors, info)
            }
            PartShape::Seen(shape) => {
                let own = Cell::new(f64::NAN);
                let one = make(&shape, request, scale, &own, watch);
                cell.set(cell.get().max(own.get()));
                let one = one.map_err(|refusal| named(refusal, &part.name, count > 1))?;
                (one.mesh, one.colors, one.info)
            }
        };
        let one = PartMade {
            name: part.name,
            part_number: part.part_number,
            object_type: part.object_type,
            mesh,
            colors,
            places: part.places,
        };
        made.push((one, info, scale));
    }
    let built = |part: &PartMade| part.mesh.triangles().len() * part.places.len();
    let all: usize = made.iter().map(|(part, ..)| built(part)).sum();
    let mut warnings = Vec::new();
    if let Some(how) = &request.simplify {
        // The smallest first: what they need at least is not left to the others.
        let mut order: Vec<usize> = (0..made.len()).collect();
        order.sort_by_key(|&place| built(&made[place].0));
        let (mut wanted, mut rest) = (how.triangles.unwrap_or(0), all);
        for (number, place) in (count..).zip(order) {
            let (part, info, scale) = &mut made[place];
            let share = wanted as f64 * part.mesh.triangles().len() as f64 / rest.max(1) as f64;
            rest -= built(part);
            let watch = &mut one_of(number, works, watch);
            let Simplified {
                mesh,
                kept,
                deviation,
            } = how.apply(&part.mesh, share as usize, *scale, watch)?;
            let told = std::mem::take(&mut info.warnings);
            *info = measured(&mesh, mesh.topology(), info.cells, told, seen.revision);
            info.deviation = Some(deviation * *scale);
            part.mesh = mesh;
            wanted = wanted.saturating_sub(built(part) as u64);
            part.colors = kept_colors(part.colors.take(), &kept);
        }
        let left = made.iter().map(|(part, ..)| built(part)).sum();
        warnings.extend(how.missed(left));
    }
    let is_colored = made.iter().any(|(part, ..)| part.colors.is_some());
    let (mut parts, mut infos) = (Vec::new(), Vec::new());
    let mut triangles = 0;
    for (mut part, mut mesh, _) in made {
        triangles += built(&part);
        place(&mut mesh, &part)?;
        if is_colored && part.colors.is_none() {
            part.colors = Some(vec![SURFACE; part.mesh.vertices().len()]);
        }
        infos.push(PartMeshInfo {
            name: part.name.clone(),
            places: part.places.len(),
            mesh,
        });
        parts.push(part);
    }
    Ok(PartsMade {
        info: PartsInfo {
            triangles,
            parts: infos,
            warnings,
            revision: seen.revision,
        },
        parts,
        unit: seen.unit,
        metadata: seen.metadata,
    })
}

/// The refusal, with the part that it is about if there are several.
fn named(refusal: Refusal, part: &str, several: bool) -> Refusal {
    if !several {
        return refusal;
    }
    let message = format!("{}: {}", names::visible(part, 60), refusal.message);
    Refusal { message, ..refusal }
}

/// Refuses triangles that are there, if they are too many.
fn fits(mesh: &TriangleMesh, request: &MakeMesh) -> Result<(), Refusal> {
    let triangles = mesh.triangles().len() as u64;
    let most = request.most_triangles.unwrap_or(u64::MAX);
    let most = most.min(request.limits.triangles(MESHED));
    if triangles <= most {
        return Ok(());
    }
    let message = format!("the mesh has {triangles} triangles, and the most are {most}");
    Err(Refusal::new("too_large", message)
        .hint("simplify it, or make it anew with larger cells")
        .details(json!({ "triangles": triangles })))
}

/// Tells of a mesh as it is where its part is placed first.
fn place(info: &mut MeshInfo, part: &PartMade) -> Result<(), Refusal> {
    let Some(place) = part.places.first() else {
        return Ok(());
    };
    if place.transform.is_identity() {
        return Ok(());
    }
    let file = part.in_file(0);
    let placed = TriangleMesh::new(file.placed(), file.turned())
        .map_err(|error| Refusal::new(error.code(), error.to_string()))?;
    let mass = placed.mass();
    info.bounds = placed.bounding_box().unwrap_or_default();
    info.volume = mass.volume;
    info.area = placed.area();
    info.centre = mass.centre;
    Ok(())
}
