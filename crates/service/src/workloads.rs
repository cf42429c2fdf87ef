//! Benchmark workloads for evaluators: typical functions of the field, as expressions.

use std::fmt::Write as _;

/// A benchmark function, of points in [-1, 1] on each axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// Short name.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// Expression of `pos`.
    pub expression: String,
}

/// Returns the benchmark functions, from short to long.
pub fn workloads() -> Vec<Workload> {
    let workload = |name, about, expression: String| Workload {
        name,
        about,
        expression,
    };
    vec![
        workload("sphere", "a sphere", "length(pos) - 0.8".to_owned()),
        workload("gyroid", "a sheet gyroid within a box", gyroid()),
        workload(
            "spheres, polynomial",
            "32 spheres in a polynomial smooth union",
            polynomial_spheres(),
        ),
        workload(
            "spheres, exponential",
            "32 spheres in an exponential smooth union",
            exponential_spheres(),
        ),
        workload("boxes", "16 rotated boxes", boxes()),
        workload(
            "filleted plate",
            "a plate with four bosses, each with a circular fillet",
            filleted_plate(),
        ),
    ]
}

fn gyroid() -> String {
    "let k = 4 * pi; let a = x * k; let b = y * k; let c = z * k; \
     let sheet = abs(sin(a) * cos(b) + sin(b) * cos(c) + sin(c) * cos(a)) - 0.4; \
     let box = max(max(abs(x), abs(y)), abs(z)) - 0.9; max(sheet, box)"
        .to_owned()
}

fn filleted_plate() -> String {
    const RADIUS: f64 = 0.1;
    let mut text = "let q = vec3(abs(x) - 0.9, abs(y) - 0.7, abs(z + 0.5) - 0.15); \
                    let d0 = length(max(q, 0)) + min(max(q.x, max(q.y, q.z)), 0); "
        .to_owned();
    let places = [(-0.55, -0.35), (0.55, -0.35), (0.55, 0.35), (-0.55, 0.35)];
    for (boss, (a, b)) in (1..).zip(places) {
        let before = boss - 1;
        let _ = write!(
            text,
            "let b{boss} = max(length(vec3(x - {a}, y - {b}, 0)) - 0.2, abs(z) - 0.4); \
             let u{boss} = d{before} - {RADIUS}; let w{boss} = b{boss} - {RADIUS}; \
             let d{boss} = max(u{boss}, w{boss}) < 0 ? {RADIUS} - length(vec3(u{boss}, w{boss}, 0)) : min(d{before}, b{boss}); ",
        );
    }
    text + "d4"
}

/// Distances d0, d1, ... to 32 spheres.
fn spheres() -> String {
    let mut draws = RandomNumbers(7);
    let mut text = String::new();
    for sphere in 0..32 {
        let [a, b, c] = [(); 3].map(|()| draws.between(-0.8, 0.8));
        let radius = draws.between(0.1, 0.3);
        let _ = write!(
            text,
            "let d{sphere} = length(pos - vec3({a}, {b}, {c})) - {radius}; "
        );
    }
    text
}

/// Inigo Quilez' quadratic smooth minimum, folded over the spheres.
fn polynomial_spheres() -> String {
    const WIDTH: f64 = 0.15;
    let mut text = spheres() + "let u0 = d0; ";
    for sphere in 1..32 {
        let before = sphere - 1;
        let _ = write!(
            text,
            "let h{sphere} = max({WIDTH} - abs(u{before} - d{sphere}), 0); \
             let u{sphere} = min(u{before}, d{sphere}) - h{sphere} * h{sphere} * {}; ",
            0.25 / WIDTH
        );
    }
    text + "u31"
}

/// Smooth minimum as the logarithm of a sum of exponentials.
fn exponential_spheres() -> String {
    const SHARPNESS: f64 = 20.0;
    let terms: Vec<String> = (0..32)
        .map(|sphere| format!("exp(d{sphere} * {})", -SHARPNESS))
        .collect();
    format!(
        "{}log({}) * {}",
        spheres(),
        terms.join(" + "),
        -1.0 / SHARPNESS
    )
}

fn boxes() -> String {
    let mut draws = RandomNumbers(11);
    let mut text = String::new();
    for place in 0..16 {
        let [a, b, c] = [(); 3].map(|()| draws.between(0.0, std::f64::consts::TAU));
        let [(sa, ca), (sb, cb), (sc, cc)] = [a, b, c].map(f64::sin_cos);
        let rows = [
            [ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc],
            [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
            [-sb, cb * sc, cb * cc],
        ];
        for (row, axis) in rows.into_iter().zip(["x", "y", "z"]) {
            let (offset, half) = (draws.between(-0.6, 0.6), draws.between(0.05, 0.3));
            let [i, j, k] = row;
            let _ = write!(
                text,
                "let {axis}{place} = abs(x * {i} + y * {j} + z * {k} + {offset}) - {half}; "
            );
        }
        let _ = write!(
            text,
            "let b{place} = length(max(vec3(x{place}, y{place}, z{place}), 0)) \
             + min(max(max(x{place}, y{place}), z{place}), 0); "
        );
    }
    let union = (1..16).fold("b0".to_owned(), |union, place| {
        format!("min({union}, b{place})")
    });
    text + &union
}

/// Deterministic pseudo-random numbers.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        // Knuth's linear congruential generator; its upper bits are of better quality.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 40) as f64 / f64::from(1 << 24);
        // A few digits suffice, and are readable.
        ((low + unit * (high - low)) * 1e4).round() / 1e4
    }
}
