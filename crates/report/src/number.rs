//! Formatting and parsing of numbers: grouped digits, short forms, sizes, durations.

use std::time::Duration;

/// All digits in groups of three: `104 312 889`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// About four characters: `12.4M`, `950k`, `17`.
pub fn short(n: u64) -> String {
    let (unit, suffix) = match n {
        0..10_000 => return n.to_string(),
        10_000..1_000_000 => (1e3, "k"),
        1_000_000..1_000_000_000 => (1e6, "M"),
        1_000_000_000..1_000_000_000_000 => (1e9, "G"),
        _ => (1e12, "T"),
    };
    let scaled = n as f64 / unit;
    if scaled < 99.95 { format!("{scaled:.1}{suffix}") } else { format!("{scaled:.0}{suffix}") }
}

/// Binary units: `2.33 GiB`.
pub fn bytes(n: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut scaled = n as f64 / 1024.0;
    let mut unit = 0;
    while scaled >= 1000.0 && unit + 1 < units.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    let digits = if scaled < 9.995 {
        2
    } else if scaled < 99.95 {
        1
    } else {
        0
    };
    format!("{scaled:.digits$} {}", units[unit])
}

/// A duration: `2 ms`, `1.4 s`, `2m23s`, `3h05m`.
pub fn duration(d: Duration) -> String {
    let s = d.as_secs_f64();
    if s < 0.0095 {
        format!("{:.1} ms", s * 1e3)
    } else if s < 0.9995 {
        format!("{:.0} ms", s * 1e3)
    } else if s < 59.95 {
        format!("{s:.1} s")
    } else {
        let s = s.round() as u64;
        let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
        if h > 0 { format!("{h}h{m:02}m") } else { format!("{m}m{s:02}s") }
    }
}

/// A count and its noun: `1 step`, `7 steps`.
pub fn counted(n: u64, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(n))
}

/// Parses a memory size: `512M`, `48G`, `48GiB`, `1.5g`, or plain bytes.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1u64,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return Err(format!("`{unit}` is not a unit of memory; write for example 512M or 48G")),
    };
    scale(number, factor as f64)
        .map(|v| v as u64)
        .ok_or_else(|| format!("`{text}` is not a size; write for example 48G"))
}

/// Parses a duration: `90`, `90s`, `10m`, `2h`, `250ms`, `1m30s`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write for example 90s, 10m or 1h30m");
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let factor = match unit.trim() {
            "" | "s" => 1.0,
            "ms" => 1e-3,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(wrong()),
        };
        seconds += scale(number, factor).ok_or_else(wrong)?;
        rest = tail;
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// Parses a count: `1000`, `1_000`, `50k`, `2M`, `1e6`.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a number; write for example 1000000 or 1M");
    let plain = text.replace('_', "");
    if let Ok(n) = plain.parse::<u64>() {
        return Ok(n);
    }
    if let Ok(n) = plain.parse::<f64>() {
        return if (0.0..1.8e19).contains(&n) && n.fract() == 0.0 { Ok(n as u64) } else { Err(wrong()) };
    }
    let (number, unit) = split_unit(&plain);
    let factor = match unit {
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        "g" | "G" => 1e9,
        _ => return Err(wrong()),
    };
    scale(number, factor).map(|v| v as u64).ok_or_else(wrong)
}

fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

fn scale(number: &str, factor: f64) -> Option<f64> {
    let value = number.parse::<f64>().ok()? * factor;
    (0.0..1.8e19).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_easily() {
        for (n, want_grouped, want_short) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1000, "1 000", "1000"),
            (12_400_000, "12 400 000", "12.4M"),
            (104_312_889, "104 312 889", "104M"),
            (950_000, "950 000", "950k"),
        ] {
            assert_eq!(grouped(n), want_grouped);
            assert_eq!(short(n), want_short);
        }
        assert_eq!(counted(1, "step"), "1 step");
        assert_eq!(counted(0, "step"), "0 steps");
    }

    #[test]
    fn sizes_and_times_read_easily() {
        for (n, want) in [(17, "17 B"), (1024, "1.00 KiB"), (2_501_800_000, "2.33 GiB"), (1023 << 20, "1.00 GiB")] {
            assert_eq!(bytes(n), want);
        }
        for (ms, want) in [(2, "2.0 ms"), (140, "140 ms"), (1400, "1.4 s"), (143_000, "2m23s"), (11_100_000, "3h05m")] {
            assert_eq!(duration(Duration::from_millis(ms)), want);
        }
    }

    #[test]
    fn what_users_type_is_understood() {
        for (text, want) in [("512M", 512 << 20), ("48GiB", 48 << 30), ("1.5k", 1536), ("7", 7), ("2 GB", 2 << 30)] {
            assert_eq!(parse_bytes(text), Ok(want), "{text}");
        }
        for (text, ms) in [("90", 90_000), ("10m", 600_000), ("1m30s", 90_000), ("250ms", 250), ("0.5h", 1_800_000)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for (text, want) in [("1_000", 1000), ("2M", 2_000_000), ("1e6", 1_000_000), ("0", 0)] {
            assert_eq!(parse_count(text), Ok(want), "{text}");
        }
        for text in ["", "x", "-1", "5q", "1.2.3", "nan", "inf"] {
            assert!(parse_bytes(text).is_err(), "{text}");
            assert!(parse_duration(text).is_err(), "{text}");
            assert!(parse_count(text).is_err(), "{text}");
        }
    }
}
