//! Volume data as an output of a solid's tape: its colour, or one of its properties.
//!
//! Fields are evaluated in the coordinates of the object that has the volume data. Colours are linear sRGB, clamped to
//! [0, 1]. The colour of a mixture is the mean of the display colours of its materials, weighted by their shares. Where
//! objects overlap, the last one wins ("3MF Volumetric Extension", 4.2).

use std::collections::BTreeMap;

use fibula_nodes::{Bundle, Expr, Kernel, ResourceId, Type};

use super::error::EvalError;
use super::solid::{Point, Shape, ShapeResult, SolidError, SolidWriter};
use crate::graph::model::{Composite, ModelResource, VolumeData};

/// Value of each colour channel where there is no colour.
pub const NO_COLOR: f64 = -1.0;
/// Minimum sum of shares of a mixture; below it there is no colour.
const LEAST_SHARES: f64 = 1e-5;

/// Linear sRGB colours of the materials of groups.
pub type Materials = BTreeMap<ResourceId, Vec<[f64; 3]>>;

type PaintResult = Result<Option<Bundle>, EvalError>;

/// Volume data to evaluate.
#[derive(Debug, Clone, Copy)]
pub enum Paint<'a> {
    /// The colour, `color: float3`; each channel is [`NO_COLOR`] where there is none. A mixture has a colour if all its
    /// materials have one.
    Color(&'a Materials),
    /// The property with this name, as a float; a float3 is replaced by its length. It is NaN where there is none.
    Property(&'a str),
}

impl<'a> Paint<'a> {
    /// Name of the output: that of the property without its namespace.
    pub(super) fn name(self) -> &'a str {
        match self {
            Paint::Color(_) => "color",
            Paint::Property(name) => name.rsplit('}').next().unwrap_or(name),
        }
    }
}

/// Volume data of the union of two shapes; inside both, that of the second.
pub(super) fn combine(kernel: &mut Kernel, [a, b]: [&Shape; 2]) -> Option<Bundle> {
    let one = a.paint.as_ref().or(b.paint.as_ref())?;
    let nothing = nothing(kernel, one.ty());
    let [first, second] = [a, b].map(|shape| shape.paint.as_ref().unwrap_or(&nothing));
    // NaN is outside.
    let far = kernel.constant(f64::MAX);
    let mut defined = |value: Expr| kernel.select(value, far, value, far);
    let [value, other] = [a, b].map(|shape| defined(shape.value));
    let zero = kernel.constant(0.0);
    let inside = kernel.max(value, zero);
    let pairs = first.scalars().iter().zip(second.scalars());
    let chosen: Vec<Expr> = pairs
        .map(|(&first, &second)| kernel.select(inside, other, first, second))
        .collect();
    Some(bundle(&chosen))
}

/// Value where there is no volume data.
fn nothing(kernel: &mut Kernel, ty: Type) -> Bundle {
    let none = if ty == Type::Float3 {
        NO_COLOR
    } else {
        f64::NAN
    };
    let none = kernel.constant(none);
    bundle(&vec![none; ty.width()])
}

fn bundle(scalars: &[Expr]) -> Bundle {
    match *scalars {
        [x, y, z] => Bundle::Float3([x, y, z]),
        _ => Bundle::Float(scalars[0]),
    }
}

impl SolidWriter<'_, '_> {
    /// Adds the requested volume data to a shape.
    pub(super) fn painted(
        &mut self,
        shape: Shape,
        volume: Option<ResourceId>,
        at: Point,
    ) -> ShapeResult {
        let Some((paint, id)) = self.paint.zip(volume) else {
            return Ok(shape);
        };
        let document = self.document;
        let Some(ModelResource::VolumeData(volume)) = document.model_resource(id) else {
            return Ok(shape);
        };
        let value = match paint {
            Paint::Color(materials) => self.color(volume, materials, at),
            Paint::Property(name) => self.property(volume, name, at),
        };
        let paint = value.map_err(|error| SolidError::VolumeData {
            of: format!("{} of {}", paint.name(), self.label(id)),
            error,
        })?;
        Ok(Shape { paint, ..shape })
    }

    fn color(&mut self, volume: &VolumeData, materials: &Materials, at: Point) -> PaintResult {
        if let Some(color) = &volume.color {
            let Bundle::Float3(parts) = self.field(color, at)? else {
                return Ok(None);
            };
            let parts = parts.map(|part| self.clamped(part));
            return Ok(Some(Bundle::Float3(parts)));
        }
        let Some(composite) = &volume.composite else {
            return Ok(None);
        };
        match materials.get(&composite.base_materials) {
            Some(colors) if colors.len() >= composite.materials.len() => {
                self.mixture(composite, colors, at)
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Mean of the materials' colours, weighted by their shares.
    fn mixture(&mut self, composite: &Composite, colors: &[[f64; 3]], at: Point) -> PaintResult {
        let mut sum = self.kernel.constant(0.0);
        let mut mixed = [sum; 3];
        for (field, color) in composite.materials.iter().zip(colors) {
            let Bundle::Float(share) = self.field(field, at)? else {
                return Ok(None);
            };
            let share = self.clamped(share);
            sum = self.kernel.add(sum, share);
            for (mixed, part) in mixed.iter_mut().zip(color) {
                let part = self.kernel.constant(*part);
                let part = self.kernel.mul(share, part);
                *mixed = self.kernel.add(*mixed, part);
            }
        }
        let least = self.kernel.constant(LEAST_SHARES);
        let none = self.kernel.constant(NO_COLOR);
        let parts = mixed.map(|mixed| {
            let mean = self.kernel.div(mixed, sum);
            self.kernel.select(sum, least, none, mean)
        });
        Ok(Some(Bundle::Float3(parts)))
    }

    fn property(&mut self, volume: &VolumeData, name: &str, at: Point) -> PaintResult {
        let mut properties = volume.properties.iter();
        let Some(property) = properties.find(|property| property.name == name) else {
            return Ok(None);
        };
        Ok(match self.field(&property.field, at)? {
            Bundle::Float(value) => Some(Bundle::Float(value)),
            Bundle::Float3(parts) => Some(Bundle::Float(self.kernel.length(&parts))),
            Bundle::Matrix4x4(_)
            | Bundle::Integer(_)
            | Bundle::String(_)
            | Bundle::ResourceId(_) => None,
        })
    }

    fn clamped(&mut self, part: Expr) -> Expr {
        let (zero, one) = (self.kernel.constant(0.0), self.kernel.constant(1.0));
        let part = self.kernel.max(part, zero);
        self.kernel.min(part, one)
    }
}
