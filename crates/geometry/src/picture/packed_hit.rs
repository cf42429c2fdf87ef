//! What is seen at a place, and how it is kept in one number, so that threads can keep the nearest without waiting for
//! each other.

/// Nothing is seen.
pub(super) const NOTHING: u64 = u64::MAX;

/// The places of half an octahedron's side.
const HALF: f32 = 16_383.0;

/// What is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Material {
    /// The surface of the shape.
    Surface,
    /// Material that the bounds cut.
    Cut,
    /// Material that a section cuts.
    Section,
}

/// What is seen at a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// How far away it is.
    pub(super) depth: f32,
    /// The normal, by its parts to the right, up and forward.
    pub(super) normal: [f32; 3],
    pub(super) material: Material,
}

/// A hit in 64 bits, of which the nearer is less: the depth, the material, and the normal on an octahedron (Meyer et
/// al., "On floating-point normal vectors", 2010).
pub(super) fn packed(hit: Hit) -> u64 {
    packed_parts(hit.depth, folded(hit.normal), hit.material)
}

/// The places on an octahedron's square of a direction, which may have any length, as whole numbers; forward if it has
/// none. There is no branch, so that a loop over it can be one over vectors.
#[inline]
pub(super) fn folded([x, y, z]: [f32; 3]) -> [u32; 2] {
    /// What is added to a number has its whole part in the last bits.
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

/// What is seen at a depth, with a direction that was [`folded`].
#[inline]
pub(super) fn packed_parts(depth: f32, [a, b]: [u32; 2], material: Material) -> u64 {
    let material: u32 = match material {
        Material::Surface => 0,
        Material::Cut => 1,
        Material::Section => 2,
    };
    u64::from(depth.max(0.0).to_bits()) << 32 | u64::from(material << 30 | a << 15 | b)
}

/// The hit that was packed; `None` if there is nothing.
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

/// How far away what was packed is; not a number if it is nothing.
#[inline]
pub(super) fn depth(hit: u64) -> f32 {
    f32::from_bits((hit >> 32) as u32)
}

/// What was packed.
#[inline]
pub(super) fn material(hit: u64) -> Material {
    match hit >> 30 & 3 {
        0 => Material::Surface,
        1 => Material::Cut,
        _ => Material::Section,
    }
}

/// The places of the normal that was packed on an octahedron's square, whose sides are from 0 to 32 766.
#[inline]
pub(super) fn places(hit: u64) -> [u32; 2] {
    [hit >> 15, hit].map(|bits| (bits & 0x7fff) as u32)
}

/// The normal with these places on an octahedron's square, which need not be whole.
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
