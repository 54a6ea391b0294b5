//! Output with times, memory, speeds, thread counts and versions replaced by `#`.

/// Units of times and sizes, which follow their numbers as words.
const UNITS: [&str; 8] = ["ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB"];

/// Fields of JSON results that depend on the machine.
const FIELDS: [&str; 11] =
    ["kripke", "seconds", "load", "compile", "search", "cpu", "peak_rss", "store", "memory", "threads", "wall"];

/// A line without what differs from machine to machine.
pub fn mask(line: &str) -> String {
    let line = line.trim_end();
    if let Some(masked) = json(line) {
        return masked;
    }
    let words: Vec<&str> = line.split(' ').collect();
    let mut out: Vec<String> = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let unit = word.trim_end_matches([')', ',']);
        let counted = i > 0 && is_number(words[i - 1].trim_start_matches('('));
        if counted && (UNITS.contains(&unit) || unit == "B/state") {
            let before = out.pop().unwrap();
            let bracket = if before.starts_with('(') { "(" } else { "" };
            out.push(format!("{bracket}#{}", &word[unit.len()..]));
        } else if is_minutes(word) {
            out.push("#".to_string());
        } else {
            out.push(word.to_string());
        }
    }
    let masked = out.join(" ");
    if masked.contains('×') && masked.contains('#') || masked.contains("states/s") { row(&masked) } else { masked }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == '.') && word.starts_with(char::is_numeric)
}

/// A time such as `2m23s`.
fn is_minutes(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    word.strip_suffix('s').and_then(|word| word.split_once('m')).is_some_and(|(m, s)| digits(m) && digits(s))
}

/// `"field": value` of a field that is masked, unless the value is a word, a list or an object.
fn json(line: &str) -> Option<String> {
    let (name, value) = line.trim_start().strip_prefix('"')?.split_once("\": ")?;
    let numeric = value.trim_matches(['"', ',']).starts_with(|c: char| c.is_ascii_digit());
    (FIELDS.contains(&name) && numeric).then(|| line.replace(value.trim_end_matches(','), "#"))
}

/// A row of a benchmark table: everything between the first time and the speed is masked, and so are widths.
fn row(line: &str) -> String {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match (line.find('#'), line.find('×')) {
        (Some(from), Some(to)) if from < to => format!("{}#{}", &line[..from], &line[to..]),
        _ => line,
    }
}

#[test]
fn numbers_of_the_machine_are_masked() {
    for (line, masked) in [
        ("  38 states · 64 transitions · 0.3 ms · 4.00 MiB", "  38 states · 64 transitions · # · #"),
        ("7 steps (30 states, 2.1 ms)", "7 steps (30 states, #)"),
        ("2 states · 2m22s · 4 B/state · 2.54 GiB", "2 states · # · # · #"),
        ("    \"load\": 0.000187608,", "    \"load\": #,"),
        ("      \"store\": \"exact\",", "      \"store\": \"exact\","),
        ("  \"kripke\": \"0.1.0\",", "  \"kripke\": #,"),
        ("m.pml  -j1   10 194   5.0 ms   3.5 ms  2.0M 9.21 MiB   948   1.00×  holds", "m.pml -j1 10 194 #× holds"),
        ("a table of 3 s", "a table of #"),
        ("2 × producer", "2 × producer"),
    ] {
        assert_eq!(mask(line), masked);
    }
}
