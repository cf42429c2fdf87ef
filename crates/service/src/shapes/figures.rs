//! Figures of measurements as JSON: the wanted ones, with their units, and with the digits that their errors allow.

use fibula_core::graph::model::Unit;
use fibula_geometry::Figure;
use fibula_nodes::names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value as Json, json};

use crate::digits::decimal;
use crate::refusal::{Refusal, Result, did_you_mean, quoted};

/// Digits of figures: those that the errors allow, two of each error, or all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
#[schemars(description = "")]
pub enum FigureDigits {
    #[default]
    Significant,
    Full,
}

/// Units of figures that are no power of the unit of length.
const OTHER_UNITS: [(&str, &str); 1] = [("feather_edge", "degree")];

/// Powers of the unit of length of figures other than lengths.
const POWERS: [(&str, u32); 10] = [
    ("area", 2),
    ("overhang", 2),
    ("volume", 3),
    ("overlap", 3),
    ("pieces", 3),
    ("slabs", 3),
    ("voids", 3),
    ("volumes", 3),
    ("inertia", 5),
    ("moments", 5),
];

/// All figures by name.
pub(crate) fn figures(all: &impl Serialize) -> Result<Map<String, Json>> {
    let internal = |message: String| Refusal::new("internal", message);
    match serde_json::to_value(all).map_err(|error| internal(error.to_string()))? {
        Json::Object(all) => Ok(all),
        other => Err(internal(format!("figures must be an object, not {other}"))),
    }
}

/// The wanted ones of all figures, with their units and digits.
///
/// # Errors
/// A [`Refusal`] if a wanted figure does not exist.
pub(crate) fn chosen_figures(
    all: Map<String, Json>,
    unit: &str,
    wanted: Option<&[String]>,
    digits: FigureDigits,
) -> Result<Map<String, Json>> {
    let mut chosen = match wanted {
        None => all,
        Some(wanted) => choose(all, wanted)?,
    };
    for (name, figure) in &mut chosen {
        if digits == FigureDigits::Significant {
            shorten(figure);
        }
        let other = OTHER_UNITS.iter().find(|(of, _)| of == name);
        if let (Some((_, unit)), Json::Object(figure)) = (other, &mut *figure) {
            figure.insert("unit".to_owned(), json!(unit));
        }
        let power = POWERS.iter().find(|(of, _)| of == name);
        let figures = match figure {
            Json::Array(figures) => &mut figures[..],
            one => std::slice::from_mut(one),
        };
        for figure in figures {
            if let (Some((_, power)), Json::Object(figure)) = (power, figure) {
                figure.insert("unit".to_owned(), json!(format!("{unit}^{power}")));
            }
        }
    }
    Ok(chosen)
}

/// Refuses a density that is not a number above 0.
pub(crate) fn check_density(density: f64) -> Result<()> {
    if !(density.is_finite() && density > 0.0) {
        let message = format!("density must be a number of g/cm^3 above 0, not {density}");
        return Err(Refusal::new("invalid_value", message)
            .hint("water has 1, PLA 1.24, aluminium 2.7, steel 7.85"));
    }
    Ok(())
}

/// Warning of a density that no material has, such as one in kg/m^3.
pub(crate) fn density_warning(density: f64) -> Option<String> {
    /// That of osmium, in g/cm^3.
    const DENSEST: f64 = 22.6;
    (density > DENSEST)
        .then(|| format!("no material has a density of {density} g/cm^3: that of steel is 7.85"))
}

/// True if one of these figures is wanted.
pub(super) fn is_any_wanted(figures: &[&str], wanted: Option<&[String]>) -> bool {
    let is_wanted = |name: &String| {
        figures
            .iter()
            .any(|figure| name.eq_ignore_ascii_case(figure))
    };
    wanted.is_none_or(|wanted| wanted.iter().any(is_wanted))
}

/// Warning that counts which were asked for, with cells of a size that was given, are those of the mesh.
pub(crate) fn uncounted_warning(cell: f64, wanted: Option<&[String]>) -> Option<String> {
    const COUNTS: [&str; 4] = ["components", "pieces", "cavities", "genus"];
    let has_count = wanted.is_some() && is_any_wanted(&COUNTS, wanted);
    has_count.then(|| {
        format!("pieces, cavities and holes that are smaller than the cell of {cell} may not be counted; omit cell")
    })
}

/// Mass in grams of a volume in cubes of a unit of length, for a density in grams per cubic centimetre.
pub(crate) fn mass(volume: Figure, unit: Unit, density: f64) -> Figure {
    let grams = density * (unit.metres() * 100.0).powi(3);
    Figure {
        value: volume.value * grams,
        error: volume.error * grams,
    }
}

/// Refuses a name that is none of the figures of a type of measures, nor of `more`, before anything is measured.
pub(crate) fn check_names<T: JsonSchema>(wanted: &[String], more: &[&str]) -> Result<()> {
    let schema = schemars::schema_for!(T).to_value();
    let own = schema["properties"].as_object().into_iter().flatten();
    let own = own.map(|(name, _)| name.clone());
    let known: Vec<String> = own
        .chain(more.iter().map(|&name| name.to_owned()))
        .collect();
    wanted
        .iter()
        .try_for_each(|name| find(name, &known).map(drop))
}

/// The known name that is meant.
fn find<'k>(name: &str, known: &'k [String]) -> Result<&'k String> {
    let names = known.iter().map(String::as_str).enumerate();
    let found = names::find(name, names).map_err(|unknown| {
        let message = format!("there is no figure {}", quoted(name));
        let list = format!("the figures are {}", known.join(", "));
        Refusal::new("invalid_value", message).hint(did_you_mean(&unknown.nearest, list))
    })?;
    Ok(&known[found])
}

fn choose(mut all: Map<String, Json>, wanted: &[String]) -> Result<Map<String, Json>> {
    let known: Vec<String> = all.keys().cloned().collect();
    let mut chosen = Map::new();
    for name in wanted {
        let name = find(name, &known)?;
        // A name that is given twice has been taken already.
        if let Some(figure) = all.remove(name) {
            chosen.insert(name.clone(), figure);
        }
    }
    Ok(chosen)
}

/// Number of decimals up to the second digit of an error, if it has one.
fn error_decimals(error: f64) -> Option<i32> {
    (error.is_normal() && error > 0.0).then(|| 1 - error.log10().floor() as i32)
}

/// Rounds a number to two digits of its error.
pub(super) fn round_to_error(number: f64, error: f64) -> f64 {
    error_decimals(error).map_or(number, |decimals| decimal(number, decimals))
}

/// Rounds a figure to two digits of its error, within which the true value stays.
pub(super) fn round_figure(figure: Figure) -> Figure {
    let Figure { value, error } = figure;
    let Some(decimals) = error_decimals(error) else {
        return figure;
    };
    let rounded = decimal(value, decimals);
    Figure {
        value: rounded,
        error: raised(error, (rounded - value).abs(), decimals),
    }
}

/// Returns an error, and the difference by which its value was rounded, up to so many decimals.
fn raised(error: f64, difference: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(-decimals);
    decimal(((error + difference) / unit).ceil() * unit, decimals)
}

/// Rounds a figure, and those in a list of figures, to the digits of its error; a number without error to six digits.
fn shorten(figure: &mut Json) {
    match figure {
        Json::Array(figures) => figures.iter_mut().for_each(shorten),
        Json::Object(figure) => {
            // Figures beside the value, with errors of their own, and values without an error.
            let is_exact = !figure.contains_key("error");
            for (name, value) in figure.iter_mut() {
                let is_beside = matches!(&**name, "bounds" | "from" | "to" | "fraction");
                if is_beside || is_exact {
                    shorten(value);
                }
            }
            let Some(error) = figure.get("error").and_then(Json::as_f64) else {
                return;
            };
            let decimals = error_decimals(error).filter(|_| !figure["error"].is_u64());
            let Some(decimals) = decimals else {
                return;
            };
            let mut farthest = 0.0_f64;
            for name in ["value", "at"] {
                if let Some(value) = figure.get_mut(name) {
                    round(value, decimals, &mut farthest);
                }
            }
            // The true value stays within the error.
            let error = raised(error, farthest, decimals);
            figure.insert("error".to_owned(), json!(error));
        }
        Json::Number(number) if number.is_f64() => {
            let Some(value) = number.as_f64().filter(|value| value.is_normal()) else {
                return;
            };
            let decimals = 5 - value.abs().log10().floor() as i32;
            *number = Number::from_f64(decimal(value, decimals)).unwrap_or_else(|| number.clone());
        }
        Json::Number(_) | Json::Null | Json::Bool(_) | Json::String(_) => {}
    }
}

/// Rounds all numbers to so many decimals, and keeps the largest difference.
fn round(value: &mut Json, decimals: i32, farthest: &mut f64) {
    match value {
        Json::Array(values) => values
            .iter_mut()
            .for_each(|value| round(value, decimals, farthest)),
        Json::Number(number) if number.is_f64() => {
            let Some(before) = number.as_f64() else {
                return;
            };
            let after = decimal(before, decimals);
            *farthest = farthest.max((after - before).abs());
            *number = Number::from_f64(after).unwrap_or_else(|| number.clone());
        }
        Json::Number(_) | Json::Object(_) | Json::Null | Json::Bool(_) | Json::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_digits_of_their_errors() {
        for (mut figure, expected) in [
            (
                json!({"value": 523.598_775, "error": 0.123_4}),
                json!({"value": 523.6, "error": 0.13}),
            ),
            (
                json!({"value": 523_598.775, "error": 1_234.0}),
                json!({"value": 523_600.0, "error": 1_300.0}),
            ),
            (
                json!({"value": [1.000_06, -0.000_001], "error": 0.000_2}),
                json!({"value": [1.000_06, 0.0], "error": 0.000_21}),
            ),
            (
                json!({"value": 3, "error": 0}),
                json!({"value": 3, "error": 0}),
            ),
            (
                json!({"value": 3, "error": 2}),
                json!({"value": 3, "error": 2}),
            ),
            (
                json!({"value": 30.123_456_7, "at": [1.234_567_8, 0.0]}),
                json!({"value": 30.123_5, "at": [1.234_57, 0.0]}),
            ),
            (
                json!([{"value": 8.123_4, "error": 0.012, "bounds": [[0.123_456_78]], "kind": "gap"}]),
                json!([{"value": 8.123, "error": 0.013, "bounds": [[0.123_457]], "kind": "gap"}]),
            ),
            (json!(0.100_512_34), json!(0.100_512)),
            (json!(null), json!(null)),
        ] {
            shorten(&mut figure);
            assert_eq!(figure, expected);
        }
    }
}
