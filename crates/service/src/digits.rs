//! Numbers with as many digits as matter.

/// A number with as many digits as coordinates of 32 bits have.
pub fn seven_digits(number: f64) -> f64 {
    if number.is_normal() {
        decimal(number, 6 - number.abs().log10().floor() as i32)
    } else {
        number
    }
}

/// Rounds a number to so many decimals, which may be negative; never to -0.
pub(crate) fn decimal(number: f64, decimals: i32) -> f64 {
    let rounded = if let Ok(decimals) = usize::try_from(decimals) {
        format!("{number:.decimals$}").parse().unwrap_or(number)
    } else {
        let unit = 10_f64.powi(-decimals);
        (number / unit).round() * unit
    };
    rounded + 0.0
}
