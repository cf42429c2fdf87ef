//! Vectors of three components.

/// A point or a direction.
pub(crate) type Vector = [f64; 3];

#[inline]
pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub(crate) fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(crate) fn scale(a: Vector, by: f64) -> Vector {
    [a[0] * by, a[1] * by, a[2] * by]
}

#[inline]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline]
pub(crate) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The vector with length 1, if it has a direction.
pub(crate) fn unit(a: Vector) -> Option<Vector> {
    let length = length(a);
    (length > 0.0).then(|| a.map(|x| x / length))
}

/// The direction of the axis that is the farthest from a direction.
pub(crate) fn aside(a: Vector) -> Vector {
    let [x, y, z] = a.map(f64::abs);
    if x <= y && x <= z {
        [1.0, 0.0, 0.0]
    } else if y <= z {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    }
}

/// Whether every component is a number and not infinite.
#[inline]
pub(crate) fn finite(a: Vector) -> bool {
    a.iter().all(|x| x.is_finite())
}
