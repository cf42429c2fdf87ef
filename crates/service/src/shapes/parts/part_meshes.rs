//! Meshing of parts.

use std::cell::Cell;

use fibula_core::graph::model::Unit;
use fibula_geometry::TriangleMesh;
use fibula_geometry::picture::SURFACE;
use fibula_nodes::names;
use serde_json::json;

use super::resolved::{
    GivenMesh, PartMade, PartMeshInfo, PartShape, PartsInfo, PartsMade, ResolvedPart, ResolvedParts,
};
use crate::background::ProgressFn;
use crate::refusal::{Refusal, Result};
use crate::shapes::limits::BYTES_PER_TRIANGLE_MESHING;
use crate::shapes::meshing::{
    MakeMesh, MeshInfo, MeshMade, count_cuts, mesh_info, mesh_shape, sub_progress, suggest_cell,
};
use crate::shapes::removal::remove_from;
use crate::shapes::simplification::kept_colors;

/// Meshes parts. Cells have the size as built; triangle and memory limits hold for each part, the time limit for all
/// together. Calls `watch` with the progress of each mesh in turn; it may cancel the work.
///
/// # Errors
/// As [`make_mesh`](crate::make_mesh), naming the part; and if bounds are given, unless there is a single part without
/// a transform.
pub fn make_parts(
    resolved: ResolvedParts,
    request: &MakeMesh,
    watch: ProgressFn<'_>,
) -> Result<PartsMade> {
    request.check()?;
    let moved = |part: &ResolvedPart| part.places.iter().any(|one| !one.transform.is_identity());
    let is_mesh = |part: &ResolvedPart| matches!(part.shape, PartShape::Given(_));
    let is_one =
        resolved.parts.len() == 1 && !moved(&resolved.parts[0]) && !is_mesh(&resolved.parts[0]);
    if request.bounds.is_some() && !is_one {
        let message = "bounds apply to the union, not to separate parts";
        return Err(Refusal::new("invalid_arguments", message)
            .hint("mesh the union of the parts, or omit bounds"));
    }
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, suggest_cell(&cell), |watch| {
        make_all(resolved, request, &cell, watch)
    })
}

/// Meshes parts, and stores the largest cell in use, as built.
fn make_all(
    resolved: ResolvedParts,
    request: &MakeMesh,
    cell: &Cell<f64>,
    watch: ProgressFn<'_>,
) -> Result<PartsMade> {
    let count = resolved.parts.len() as u64;
    let works = count * if request.simplify.is_some() { 2 } else { 1 };
    let mut made = Vec::with_capacity(resolved.parts.len());
    for (number, part) in (0..).zip(resolved.parts) {
        let watch = &mut sub_progress(number, works, watch);
        let scale = part
            .places
            .iter()
            .map(|one| one.transform.stretch())
            .fold(0.0, f64::max);
        let (mesh, colors, info) = match part.shape {
            PartShape::Given(existing) => {
                let given = existing.made(request, resolved.unit, resolved.revision, watch);
                let given = given.map_err(|refusal| name_part(refusal, &part.name, count > 1))?;
                let one = given.simplified_within(scale, watch)?;
                (one.mesh, one.colors, one.info)
            }
            PartShape::Implicit(shape) => {
                let own = Cell::new(f64::NAN);
                let one = mesh_shape(&shape, request, scale, &own, watch);
                cell.set(cell.get().max(own.get()));
                let one = one.map_err(|refusal| name_part(refusal, &part.name, count > 1))?;
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
    if let Some(simplify) = &request.simplify {
        // The smallest first, so that their minimum is not left to the others.
        let mut order: Vec<usize> = (0..made.len()).collect();
        order.sort_by_key(|&place| built(&made[place].0));
        let (mut target, mut rest) = (simplify.triangles.unwrap_or(0), all);
        for (number, place) in (count..).zip(order) {
            let (part, info, scale) = &mut made[place];
            let share = target as f64 * part.mesh.triangles().len() as f64 / rest.max(1) as f64;
            rest -= built(part);
            let watch = &mut sub_progress(number, works, watch);
            let simplified = simplify.apply(&part.mesh, share as usize, *scale, watch)?;
            let own_warnings = std::mem::take(&mut info.warnings);
            let (mesh, cells, cell) = (simplified.mesh, info.cells, info.cell);
            *info = mesh_info(
                &mesh,
                mesh.topology(),
                cells,
                own_warnings,
                resolved.revision,
            );
            info.cell = cell;
            info.deviation = Some(simplified.deviation * *scale);
            info.cutting_pairs = simplified.cutting_pairs.len();
            part.mesh = mesh;
            target = target.saturating_sub(built(part) as u64);
            part.colors = kept_colors(part.colors.take(), &simplified.kept);
        }
        let left = made.iter().map(|(part, ..)| built(part)).sum();
        warnings.extend(simplify.target_warning(left));
    }
    for (part, info, _) in &mut made {
        let of = (&mut part.mesh, &mut part.colors, info);
        remove_from(of, request.remove, watch)
            .map_err(|refusal| name_part(refusal, &part.name, count > 1))?;
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
            revision: resolved.revision,
        },
        parts,
        unit: resolved.unit,
        metadata: resolved.metadata,
    })
}

impl GivenMesh {
    /// Returns the mesh with its properties and colours; vertices that readers would merge are moved apart.
    fn made(
        self,
        request: &MakeMesh,
        unit: Unit,
        revision: u64,
        watch: ProgressFn<'_>,
    ) -> Result<MeshMade> {
        let colors = self.colors(watch)?;
        let GivenMesh {
            mut mesh, warnings, ..
        } = self;
        if mesh.touching().is_some() {
            mesh.separate();
        }
        if request.simplify.is_none() {
            fits(&mesh, request)?;
        }
        let info = mesh_info(&mesh, mesh.topology(), [0; 3], warnings, revision);
        let cutting_pairs = match (request.simplify, request.accuracy) {
            (None, None) => count_cuts(&mesh, watch)?,
            // They are counted in what is left.
            (Some(_), _) | (_, Some(_)) => 0,
        };
        Ok(MeshMade {
            info: MeshInfo {
                cutting_pairs,
                ..info
            },
            mesh,
            colors,
            unit,
            left: request.accuracy,
            missed: None,
        })
    }
}

/// Names the part in a refusal if there are several.
fn name_part(refusal: Refusal, part: &str, several: bool) -> Refusal {
    if !several {
        return refusal;
    }
    let message = format!("{}: {}", names::visible(part, 60), refusal.message);
    Refusal { message, ..refusal }
}

/// Checks the number of triangles of an existing mesh.
fn fits(mesh: &TriangleMesh, request: &MakeMesh) -> Result<()> {
    let triangles = mesh.triangles().len() as u64;
    let most = request.most_triangles.unwrap_or(u64::MAX);
    let most = most.min(request.limits.triangles(BYTES_PER_TRIANGLE_MESHING));
    if triangles <= most {
        return Ok(());
    }
    let message = format!("the mesh has {triangles} triangles, more than the limit of {most}");
    Err(Refusal::new("too_large", message)
        .hint("simplify it, or remesh it with larger cells")
        .details(json!({ "triangles": triangles })))
}

/// Transforms the properties of a mesh to the first placement of its part.
fn place(info: &mut MeshInfo, part: &PartMade) -> Result<()> {
    let Some(place) = part.places.first() else {
        return Ok(());
    };
    if place.transform.is_identity() {
        return Ok(());
    }
    let file = part.in_file(0);
    let placed = TriangleMesh::new(file.placed(), file.turned())?;
    let mass = placed.mass();
    info.bounds = placed.bounding_box().unwrap_or_default();
    info.volume = mass.volume;
    let determinant = place.transform.determinant().abs();
    info.cavity_volume *= determinant;
    info.removed = info.removed.map(|removed| removed.placed(determinant));
    info.area = placed.area();
    info.centre = mass.centre;
    Ok(())
}
