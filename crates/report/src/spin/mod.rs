//! Results in SPIN's format, for scripts that read the reports of its verifiers.

pub mod listing;
mod messages;
mod report;
mod unreached;
mod variables;

pub use report::{Claim, Cycles, Memory, Report, Settings, elapsed};
pub use unreached::{Body, Entry, unreached};

/// A number as C's `%9.8g` writes it.
pub fn wide(n: u64) -> String {
    if n < 100_000_000 {
        return format!("{n:>9}");
    }
    scientific(n as f64, 8)
}

/// A number that is not smaller than 1, as C's `%g` writes it.
pub fn general(n: f64) -> String {
    if n >= 999_999.5 {
        return scientific(n, 6);
    }
    let whole = n.log10().floor() as usize;
    let text = format!("{n:.*}", 5 - whole.min(5));
    trimmed(&text).to_string()
}

/// A number with an exponent and at most so many digits.
fn scientific(n: f64, digits: usize) -> String {
    let text = format!("{n:.*e}", digits - 1);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e+{exponent:0>2}", trimmed(digits))
}

/// A decimal number without zeros at the end of its fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_have_eight_digits() {
        for (n, text) in [
            (0, "        0"),
            (12, "       12"),
            (99_999_999, " 99999999"),
            (100_000_000, "1e+08"),
            (123_456_789, "1.2345679e+08"),
            (12_300_000_000, "1.23e+10"),
        ] {
            assert_eq!(super::wide(n), text);
        }
    }

    #[test]
    fn factors_have_six_digits() {
        for (n, text) in [
            (1.0, "1"),
            (2.5, "2.5"),
            (134_217_728.0 / 15.0, "8.94785e+06"),
            (999_999.4, "999999"),
            (134_217_728.0 / 3000.0, "44739.2"),
            (1e9, "1e+09"),
        ] {
            assert_eq!(super::general(n), text);
        }
    }
}
