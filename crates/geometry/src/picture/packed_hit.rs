//! Hits in one number each, so that threads keep the nearest by atomic operations.

pub(super) const NOTHING: u64 = u64::MAX;

/// Half of the steps along a side of the octahedral map.
const HALF: f32 = 16_383.0;

/// Kind of a visible surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Material {
    /// The surface of the shape.
    Surface,
    /// A face at the bounds.
    Cut,
    /// A face at a section.
    Section,
}

/// A visible point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// Distance from the viewer.
    pub(super) depth: f32,
    /// Normal, by its components to the right, up and forward.
    pub(super) normal: [f32; 3],
    pub(super) material: Material,
}

/// Packs a hit in 64 bits, such that nearer ones are less: the depth, the material, and the octahedral normal (Meyer et
/// al., "On floating-point normal vectors", 2010).
pub(super) fn packed(hit: Hit) -> u64 {
    packed_parts(hit.depth, folded(hit.normal), hit.material)
}

/// Octahedral encoding: maps a direction of any length to integers; a zero vector points forward. It has no branch, so
/// that loops are vectorised.
#[inline]
pub(super) fn folded([x, y, z]: [f32; 3]) -> [u32; 2] {
    /// Adding it moves the integer part into the last bits.
    const WHOLE: f32 = 8_388_608.0;
    let sum = x.abs() + y.abs() + z.abs();
    let is_some = sum > 0.0 && sum < f32::INFINITY;
    let by = if is_some { 1.0 / sum } else { 0.0 };
    let (a, b) = (x * by, y * by);
    let (c, d) = ((1.0 - b.abs()).copysign(x), (1.0 - a.abs()).copysign(y));
    let is_behind = is_some && z > 0.0;
    let (a, b) = (if is_behind { c } else { a }, if is_behind { d } else { b });
    [a, b].map(|part| {
        let place = if is_some { part * HALF + HALF } else { HALF };
        (place + WHOLE).to_bits() & 0x7fff
    })
}

/// Packs a depth with a direction that was [`folded`].
#[inline]
pub(super) fn packed_parts(depth: f32, [a, b]: [u32; 2], material: Material) -> u64 {
    let material: u32 = match material {
        Material::Surface => 0,
        Material::Cut => 1,
        Material::Section => 2,
    };
    u64::from(depth.max(0.0).to_bits()) << 32 | u64::from(material << 30 | a << 15 | b)
}

/// Unpacks a hit; `None` without one.
pub(super) fn unpacked(hit: u64) -> Option<Hit> {
    if hit == NOTHING {
        return None;
    }
    let [a, b] = places(hit).map(|place| place as f32);
    Some(Hit {
        depth: depth(hit),
        normal: unfolded([a, b]),
        material: material(hit),
    })
}

/// Depth of a packed hit; NaN without one.
#[inline]
pub(super) fn depth(hit: u64) -> f32 {
    f32::from_bits((hit >> 32) as u32)
}

/// Material of a packed hit.
#[inline]
pub(super) fn material(hit: u64) -> Material {
    match hit >> 30 & 3 {
        0 => Material::Surface,
        1 => Material::Cut,
        _ => Material::Section,
    }
}

/// Octahedral coordinates of a packed normal, from 0 to 32 766.
#[inline]
pub(super) fn places(hit: u64) -> [u32; 2] {
    [hit >> 15, hit].map(|bits| (bits & 0x7fff) as u32)
}

/// Octahedral decoding; the coordinates need not be whole.
pub(super) fn unfolded(places: [f32; 2]) -> [f32; 3] {
    let [mut x, mut y] = places.map(|place| place / HALF - 1.0);
    let z = x.abs() + y.abs() - 1.0;
    if z > 0.0 {
        let sign = |of: f32| if of < 0.0 { -1.0 } else { 1.0 };
        (x, y) = ((1.0 - y.abs()) * sign(x), (1.0 - x.abs()) * sign(y));
    }
    let length = (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|part| part / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_is_what_was_packed() {
        for (normal, material) in [
            ([0.0, 0.0, -1.0], Material::Surface),
            ([0.0, 0.0, 1.0], Material::Cut),
            ([0.6, -0.8, 0.0], Material::Section),
            ([-0.48, 0.6, 0.64], Material::Surface),
            ([0.48, 0.6, -0.64], Material::Cut),
        ] {
            let hit = Hit {
                depth: 12.5,
                normal,
                material,
            };
            let found = unpacked(packed(hit)).unwrap();
            assert!((found.depth - 12.5).abs() < 1e-9 && found.material == material);
            for (found, part) in found.normal.iter().zip(normal) {
                assert!((found - part).abs() < 2e-4, "{found} {part}");
            }
            let farther = Hit { depth: 12.6, ..hit };
            assert!(packed(hit) < packed(farther));
        }
        assert!(unpacked(NOTHING).is_none());
    }
}
