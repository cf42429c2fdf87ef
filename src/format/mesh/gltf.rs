//! glTF 2.0 in one binary file: a head in JSON, then the indexes and the coordinates.
//!
//! In glTF lengths are metres and y is up. The node of the mesh says how it is turned and how large its unit is, so that
//! the numbers stay as they are. Without normals viewers draw triangles flat, which shows what is there. Colours of
//! vertices are light in glTF, too; with them there is a material that is no metal, so that viewers show them as they are.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{single, too_large};

/// `glTF`, `JSON` and `BIN`, as numbers.
const MAGIC: u32 = 0x4654_6C67;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

pub(super) fn write(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    colors: Option<&[[f32; 3]]>,
    metres: f64,
    to: &mut impl Write,
) -> io::Result<()> {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for &vertex in vertices {
        for (axis, x) in single(vertex)?.into_iter().enumerate() {
            low[axis] = low[axis].min(x);
            high[axis] = high[axis].max(x);
        }
    }
    let (indexes, numbers) = (triangles.len() * 12, vertices.len() * 12);
    let painted = colors.map_or(0, |colors| colors.len() * 16);
    let bytes = indexes + numbers + painted;
    let mut head = if triangles.is_empty() {
        json!({"asset": {"version": "2.0", "generator": "Fibula"}, "scene": 0, "scenes": [{}]})
    } else {
        json!({
            "asset": {"version": "2.0", "generator": "Fibula"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            // x stays, y is to the back, z is up.
            "nodes": [{"mesh": 0, "matrix": [
                metres, 0, 0, 0, 0, 0, -metres, 0, 0, metres, 0, 0, 0, 0, 0, 1
            ]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0, "mode": 4}]}],
            "buffers": [{"byteLength": bytes}],
            "bufferViews": [
                {"buffer": 0, "byteOffset": 0, "byteLength": indexes, "target": 34963},
                {"buffer": 0, "byteOffset": indexes, "byteLength": numbers, "target": 34962},
            ],
            "accessors": [
                {"bufferView": 0, "componentType": 5125, "count": triangles.len() * 3, "type": "SCALAR"},
                {"bufferView": 1, "componentType": 5126, "count": vertices.len(), "type": "VEC3",
                    "min": low, "max": high},
            ],
        })
    };
    if colors.is_some() && !triangles.is_empty() {
        add_colors(&mut head, vertices.len(), indexes + numbers);
    }
    let mut head = serde_json::to_vec(&head)?;
    // Parts begin at multiples of four bytes; the numbers have such a length anyway.
    head.resize(head.len().next_multiple_of(4), b' ');
    let has_numbers = !triangles.is_empty();
    let whole = 20 + head.len() + if has_numbers { 8 + bytes } else { 0 };
    let whole = u32::try_from(whole).map_err(|_| too_large("glTF", "triangles"))?;
    for number in [MAGIC, 2, whole, head.len() as u32, JSON] {
        to.write_all(&number.to_le_bytes())?;
    }
    to.write_all(&head)?;
    if !has_numbers {
        return Ok(());
    }
    for number in [bytes as u32, BIN] {
        to.write_all(&number.to_le_bytes())?;
    }
    for corner in triangles.iter().flatten() {
        to.write_all(&corner.to_le_bytes())?;
    }
    for &vertex in vertices {
        for x in single(vertex)? {
            to.write_all(&x.to_le_bytes())?;
        }
    }
    for &[red, green, blue] in colors.unwrap_or_default() {
        for part in [red, green, blue, 1.0] {
            to.write_all(&part.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Says that colours come after all other numbers: red, green, blue, and that nothing is seen through.
fn add_colors(head: &mut Value, vertices: usize, from: usize) {
    let view =
        json!({"buffer": 0, "byteOffset": from, "byteLength": vertices * 16, "target": 34962});
    let accessor =
        json!({"bufferView": 2, "componentType": 5126, "count": vertices, "type": "VEC4"});
    for (list, one) in [("bufferViews", view), ("accessors", accessor)] {
        head[list]
            .as_array_mut()
            .into_iter()
            .for_each(|list| list.push(one.clone()));
    }
    head["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(2);
    head["meshes"][0]["primitives"][0]["material"] = json!(0);
    let look = json!({"metallicFactor": 0, "roughnessFactor": 0.8});
    head["materials"] = json!([{"pbrMetallicRoughness": look}]);
}
