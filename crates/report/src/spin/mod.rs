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
    let exponent = n.ilog10();
    let scaled = n as f64 / 10f64.powi(exponent as i32);
    let digits = format!("{scaled:.7}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits}e+{exponent:02}")
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
}
