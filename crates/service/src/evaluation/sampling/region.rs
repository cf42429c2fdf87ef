//! Regions of requests: a line, plane, grid or box of one input.

use fibula_nodes::{PortSpec, Type, names};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::sample_points::{Axis, PointSet, SamplePoints};
use crate::evaluation::arguments::{describe_inputs, parse_point, without_details};
use crate::refusal::{Refusal, Result, did_you_mean, quoted};

/// Points on a line, a plane or a grid, or the box that they lie in: its corners are points, too.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the corners need no words")]
pub struct Region {
    /// The input that varies; the first float3 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    #[serde(deserialize_with = "numbers")]
    pub from: Vec<f64>,
    #[serde(deserialize_with = "numbers")]
    pub to: Vec<f64>,
    /// Points on each axis; a single number: points on the line between the corners.
    #[serde(
        default,
        deserialize_with = "counts",
        skip_serializing_if = "Option::is_none"
    )]
    pub counts: Option<Vec<u64>>,
}

/// A number or a list of numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn list(self) -> Vec<T> {
        match self {
            OneOrMany::One(only) => vec![only],
            OneOrMany::Many(all) => all,
        }
    }
}

fn numbers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let read = OneOrMany::deserialize(from).map(OneOrMany::list);
    read.map_err(|_| D::Error::custom("a corner is a list of numbers, such as [-1, -1, 0]"))
}

fn counts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u64>>, D::Error> {
    let read = Option::<OneOrMany<u64>>::deserialize(from);
    let read = read.map(|read| read.map(OneOrMany::list));
    read.map_err(|_| D::Error::custom("counts is a list of positive integers, such as [64, 64, 1]"))
}

impl Region {
    /// Returns the points for a function with these inputs and arguments.
    pub(super) fn places(
        &self,
        inputs: &[PortSpec],
        arguments: &Map<String, Json>,
    ) -> Result<SamplePoints> {
        let varied = self.input(inputs)?;
        let PortSpec { name, ty, .. } = &inputs[varied];
        let argument = arguments
            .keys()
            .find(|argument| argument.eq_ignore_ascii_case(name));
        if let Some(argument) = argument {
            let message = format!(
                "{} varies in the region, and is also in arguments",
                quoted(argument)
            );
            return Err(Refusal::new("invalid_arguments", message)
                .hint("remove it from arguments, or set region.input to another input"));
        }
        let width = ty.width();
        for (corner, numbers) in [("from", &self.from), ("to", &self.to)] {
            let finite = numbers.iter().all(|number| number.is_finite());
            if numbers.len() != width || !finite {
                let numbers = json!(numbers);
                let message = format!("region.{corner} is {numbers}, but {name} is a {ty}");
                let hint = format!("pass {}", format_count(width, "finite number"));
                return Err(Refusal::new("invalid_value", message).hint(hint));
            }
        }
        let mut all = arguments.clone();
        let corner = if width == 1 {
            json!(self.from[0])
        } else {
            json!(self.from)
        };
        all.insert(name.clone(), corner);
        let values = parse_point(&without_details(inputs, &[varied]), &all, None)?;
        let space = self.space(width)?;
        Ok(SamplePoints::new(inputs, &values, &[varied], space))
    }

    /// Returns the index of the varying input.
    fn input(&self, inputs: &[PortSpec]) -> Result<usize> {
        let Some(name) = &self.input else {
            let open = |ty: Type| {
                let mut inputs = inputs.iter();
                inputs.position(|input| input.ty == ty && input.default_value().is_none())
            };
            let any = |ty: Type| inputs.iter().position(|input| input.ty == ty);
            let found = open(Type::Float3).or_else(|| open(Type::Float));
            let found = found.or_else(|| any(Type::Float3).or_else(|| any(Type::Float)));
            return found.ok_or_else(|| {
                let message = "the function has no float3 or float that could vary in a region";
                Refusal::new("invalid_arguments", message).hint(describe_inputs(inputs))
            });
        };
        let all = inputs.iter().map(|input| input.name.as_str()).enumerate();
        let place = names::find(name, all).map_err(|unknown| {
            let message = format!("the function has no input {}", quoted(name));
            Refusal::new("unknown_argument", message)
                .hint(did_you_mean(&unknown.nearest, describe_inputs(inputs)))
        })?;
        let input = &inputs[place];
        match input.ty {
            Type::Float | Type::Float3 => Ok(place),
            Type::Matrix4x4 | Type::Integer | Type::String | Type::ResourceId => {
                let message = format!(
                    "{} is a {}, which cannot vary in a region",
                    input.name, input.ty
                );
                Err(Refusal::new("invalid_arguments", message)
                    .hint("only a float3 or float can vary; pass the others in arguments"))
            }
        }
    }

    fn space(&self, width: usize) -> Result<PointSet> {
        /// Maximum number of points that can be numbered.
        const MOST: u64 = 1 << 48;
        let Some(counts) = &self.counts else {
            return Ok(PointSet::region(&self.from, &self.to));
        };
        let refused = |message: String| {
            let hint = format!(
                "pass {} from 1 on for a grid, or one for the points on the line between the corners",
                format_count(width, "whole number")
            );
            Err(Refusal::new("invalid_value", message).hint(hint))
        };
        if counts.contains(&0) || ![1, width].contains(&counts.len()) {
            let plain = json!(counts);
            return refused(format!("region.counts is {plain}"));
        }
        let total = counts
            .iter()
            .try_fold(1_u64, |total, count| total.checked_mul(*count));
        if total.is_none_or(|total| total > MOST) {
            let message = format!(
                "region.counts is {}: more than {MOST} points",
                json!(counts)
            );
            return Err(Refusal::new("too_large", message).hint("use smaller counts"));
        }
        let count = |place: usize| usize::try_from(counts[place]).unwrap_or(usize::MAX);
        let axis = |place: usize, count: usize| Axis {
            from: self.from[place],
            to: self.to[place],
            count,
        };
        Ok(if counts.len() == width {
            PointSet::Grid((0..width).map(|place| axis(place, count(place))).collect())
        } else {
            PointSet::Line((0..width).map(|place| axis(place, count(0))).collect())
        })
    }
}

/// `1 finite number`, `3 finite numbers`.
fn format_count(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}
