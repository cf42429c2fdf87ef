//! Values of inputs: from Python and to Python.

use fibula_nodes::{PortSpec, Type, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::invalid;

/// Reads named values: numbers, lists of three, matrices of four rows.
pub(crate) fn named(values: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Value)>> {
    let read = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let value = value_of(&name, &value)?;
        Ok((name, value))
    };
    values.iter().map(read).collect()
}

fn value_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Value::Float(number));
    }
    if !value.is_instance_of::<PyString>() {
        if let Ok(three) = value.extract::<[f64; 3]>() {
            return Ok(Value::Float3(three));
        }
        if let Ok(rows) = value.extract::<[[f64; 4]; 4]>() {
            let scalars: Vec<f64> = rows.into_iter().flatten().collect();
            if let Some(matrix) = Value::from_scalars(Type::Matrix4x4, &scalars) {
                return Ok(matrix);
            }
        }
    }
    let message = format!("{name} is {}", value.get_type().name()?);
    let hint = "give a number, three numbers, or four rows of four numbers";
    Err(invalid(value.py(), message, hint))
}

/// Describes ports as (name, type, default); the default is JSON.
pub(crate) fn described(ports: &[PortSpec]) -> Vec<(String, String, Option<String>)> {
    let describe = |port: &PortSpec| {
        let default = port
            .default_value()
            .map(|value| value.to_json().to_string());
        (port.name.clone(), port.ty.to_string(), default)
    };
    ports.iter().map(describe).collect()
}
