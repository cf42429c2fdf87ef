//! What is seen at a place, and how it is kept in one number, so that threads can keep the nearest without waiting for
//! each other.

/// Nothing is seen.
pub(super) const NOTHING: u64 = u64::MAX;

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
    /// The places of half an octahedron's side.
    const HALF: f32 = 16_383.0;
    let [x, y, z] = hit.normal;
    let sum = x.abs() + y.abs() + z.abs();
    let (mut a, mut b) = (x / sum, y / sum);
    if z > 0.0 {
        let sign = |of: f32| if of < 0.0 { -1.0 } else { 1.0 };
        (a, b) = ((1.0 - b.abs()) * sign(a), (1.0 - a.abs()) * sign(b));
    }
    let whole = |part: f32| ((part + 1.0) * HALF).round() as u64 & 0x7fff;
    let material = match hit.material {
        Material::Surface => 0,
        Material::Cut => 1,
        Material::Section => 2,
    };
    u64::from(hit.depth.max(0.0).to_bits()) << 32 | material << 30 | whole(a) << 15 | whole(b)
}

/// The hit that was packed; `None` if there is nothing.
pub(super) fn unpacked(hit: u64) -> Option<Hit> {
    if hit == NOTHING {
        return None;
    }
    let part = |shift: u32| (hit >> shift & 0x7fff) as f32 / 16_383.0 - 1.0;
    let (mut x, mut y) = (part(15), part(0));
    let z = x.abs() + y.abs() - 1.0;
    if z > 0.0 {
        let sign = |of: f32| if of < 0.0 { -1.0 } else { 1.0 };
        (x, y) = ((1.0 - y.abs()) * sign(x), (1.0 - x.abs()) * sign(y));
    }
    let length = (x * x + y * y + z * z).sqrt();
    Some(Hit {
        depth: f32::from_bits((hit >> 32) as u32),
        normal: [x, y, z].map(|part| part / length),
        material: match hit >> 30 & 3 {
            0 => Material::Surface,
            1 => Material::Cut,
            _ => Material::Section,
        },
    })
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
