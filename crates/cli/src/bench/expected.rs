//! Counts that the user expects.

use std::fmt;
use std::path::Path;

use crate::exit::Failure;
use crate::files;

/// What a complete search counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub errors: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states, {} transitions, {} errors", self.states, self.transitions, self.errors)
    }
}

/// One line of the table; `None` where anything will do.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Row {
    model: String,
    counts: [Option<u64>; 3],
}

/// Which model should count what.
#[derive(Debug)]
pub struct Expected {
    rows: Vec<Row>,
}

impl Expected {
    pub fn read(path: &Path) -> Result<Expected, Failure> {
        let wrong = |why: String| Failure::BadInput(format!("{}{why}", path.display()));
        let text = files::read_text(path).map_err(|e| wrong(format!(": {}", files::explain(&e))))?;
        Expected::parse(&text).map_err(|(line, why)| wrong(format!(":{line}: {why}")))
    }

    /// The table, or the number of a line and what is wrong with it.
    fn parse(text: &str) -> Result<Expected, (usize, String)> {
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
            let header = cells[0] == "model" && rows.is_empty();
            if line.trim().is_empty() || line.starts_with('#') || header {
                continue;
            }
            rows.push(row(&cells).map_err(|why| (number + 1, why))?);
        }
        Ok(Expected { rows })
    }

    /// Whether the counts of a model are as expected; `None` if nothing is expected of it.
    pub fn judge(&self, model: &Path, found: Counts) -> Option<bool> {
        let row = self.row(model)?;
        let found = [found.states, found.transitions, found.errors];
        Some(row.counts.iter().zip(found).all(|(want, found)| want.is_none_or(|want| want == found)))
    }

    /// The models of the table, in order.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.model.as_str())
    }

    /// Whether other numbers of states or transitions are expected of a model.
    pub fn differ(&self, model: &Path, states: u64, transitions: u64) -> bool {
        let other = |want: Option<u64>, found: u64| want.is_some_and(|want| want != found);
        self.row(model).is_some_and(|row| other(row.counts[0], states) || other(row.counts[1], transitions))
    }

    /// What is expected of a model, in words.
    pub fn words(&self, model: &Path) -> Option<String> {
        let nouns = ["states", "transitions", "errors"];
        let row = self.row(model)?;
        let wanted = row.counts.iter().zip(nouns).filter_map(|(want, noun)| want.map(|want| format!("{want} {noun}")));
        Some(wanted.collect::<Vec<_>>().join(", "))
    }

    /// The row with the path as the user gave it, or else with the name of the file.
    fn row(&self, model: &Path) -> Option<&Row> {
        let named = |name: &str| self.rows.iter().find(|row| row.model == name);
        named(&model.to_string_lossy()).or_else(|| named(&model.file_name()?.to_string_lossy()))
    }
}

fn row(cells: &[&str]) -> Result<Row, String> {
    let [model, states, transitions, errors, ..] = cells else {
        return Err("expected four columns with tabs between: model, states, transitions, errors".to_string());
    };
    let count = |text: &str| match text {
        "-" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| format!("`{text}` is neither a number nor `-`")),
    };
    Ok(Row { model: (*model).to_string(), counts: [count(states)?, count(transitions)?, count(errors)?] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "# counts\nmodel\tstates\ttransitions\terrors\tverdict\na.pml\t3\t4\t0\tok\n\nd/a.pml\t5\t-\t0\tok\n";

    #[test]
    fn a_path_comes_before_a_name() {
        let table = Expected::parse(TABLE).unwrap();
        let counts = |states, transitions| Counts { states, transitions, errors: 0 };
        assert_eq!(table.judge(Path::new("a.pml"), counts(3, 4)), Some(true));
        assert_eq!(table.judge(Path::new("elsewhere/a.pml"), counts(3, 5)), Some(false));
        assert_eq!(table.judge(Path::new("d/a.pml"), counts(5, 99)), Some(true));
        assert_eq!(table.judge(Path::new("b.pml"), counts(3, 4)), None);
        assert_eq!(table.words(Path::new("d/a.pml")).unwrap(), "5 states, 0 errors");
    }

    #[test]
    fn mistakes_are_located() {
        assert_eq!(Expected::parse("a.pml\t1\t2\n").unwrap_err().0, 1);
        let (line, why) = Expected::parse("model\tx\na.pml\t1\t2\tmany\n").unwrap_err();
        assert_eq!((line, why.as_str()), (2, "`many` is neither a number nor `-`"));
    }
}
