//! Tables of models with expected results: those of catalogues, and those of `--expect`.

use std::collections::BTreeSet;
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

/// The result that is expected of a check.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum ExpectedResult {
    #[default]
    Any,
    Holds,
    Violated,
    /// Violated by errors of these kinds.
    Kinds(BTreeSet<String>),
    /// The model is refused.
    Rejected,
}

impl ExpectedResult {
    fn read(text: &str) -> Result<ExpectedResult, String> {
        Ok(match text {
            "" | "-" => ExpectedResult::Any,
            "holds" | "ok" => ExpectedResult::Holds,
            "violated" => ExpectedResult::Violated,
            "rejected" => ExpectedResult::Rejected,
            _ => {
                let kinds: BTreeSet<String> = text.split('+').map(|kind| kind.trim().replace('-', "_")).collect();
                if let Some(kind) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
                    return Err(format!(
                        "`{kind}` is no result: ok, holds, violated, rejected, or {}",
                        KINDS.join("+")
                    ));
                }
                ExpectedResult::Kinds(kinds)
            }
        })
    }

    /// Whether a verdict, with these kinds of errors, is as expected; `None` if anything is. `all`: all errors were counted.
    pub fn judge(&self, verdict: &str, found: &BTreeSet<String>, all: bool) -> Option<bool> {
        match self {
            ExpectedResult::Any => None,
            ExpectedResult::Holds => Some(verdict == "holds"),
            ExpectedResult::Violated => Some(verdict == "violated"),
            ExpectedResult::Kinds(kinds) => {
                let fit = if all { found == kinds } else { found.is_subset(kinds) };
                Some(verdict == "violated" && fit)
            }
            ExpectedResult::Rejected => Some(false),
        }
    }

    /// The verdict that belongs to the result, for conditions on entries.
    pub fn word(&self) -> &'static str {
        match self {
            ExpectedResult::Any => "",
            ExpectedResult::Holds => "holds",
            ExpectedResult::Violated | ExpectedResult::Kinds(_) => "violated",
            ExpectedResult::Rejected => "rejected",
        }
    }
}

impl fmt::Display for ExpectedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectedResult::Kinds(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(|kind| kind.replace('_', "-")).collect();
                write!(f, "violated ({})", kinds.join("+"))
            }
            _ => write!(f, "{}", self.word()),
        }
    }
}

/// The kinds of errors, as the JSON report has them.
const KINDS: [&str; 5] = ["assertion", "invalid_end_state", "fault", "reached", "property"];

/// One line of a table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Row {
    pub model: String,
    /// Options that give the model its parameters.
    pub parameters: String,
    /// Options that ask for a property.
    pub property: String,
    /// The numbers of states, transitions and errors; `None` where anything will do.
    counts: [Option<u64>; 3],
    pub result: ExpectedResult,
}

impl Row {
    /// Whether the counts are as expected.
    pub fn fits(&self, found: Counts) -> bool {
        let found = [found.states, found.transitions, found.errors];
        self.counts.iter().zip(found).all(|(want, found)| want.is_none_or(|want| want == found))
    }

    /// Whether some count is expected.
    pub fn counts(&self) -> bool {
        self.counts.iter().any(Option::is_some)
    }

    /// Whether other numbers of states or transitions are expected.
    pub fn differs(&self, states: u64, transitions: u64) -> bool {
        let other = |want: Option<u64>, found: u64| want.is_some_and(|want| want != found);
        other(self.counts[0], states) || other(self.counts[1], transitions)
    }

    /// The expected counts in words.
    pub fn words(&self) -> String {
        let nouns = ["states", "transitions", "errors"];
        let wanted = self.counts.iter().zip(nouns).filter_map(|(want, noun)| want.map(|want| format!("{want} {noun}")));
        wanted.collect::<Vec<_>>().join(", ")
    }
}

/// A table.
#[derive(Debug)]
pub struct Expected {
    /// The rows and the numbers of their lines.
    pub rows: Vec<(usize, Row)>,
}

impl Expected {
    pub fn read(path: &Path) -> Result<Expected, Failure> {
        let wrong = |why: String| Failure::BadInput(format!("{}{why}", path.display()));
        let text = files::read_text(path).map_err(|e| wrong(format!(": {}", files::explain(&e))))?;
        Expected::parse(&text).map_err(|(line, why)| wrong(format!(":{line}: {why}")))
    }

    /// The table, or the number of a line and what is wrong with it.
    fn parse(text: &str) -> Result<Expected, (usize, String)> {
        let (mut rows, mut columns) = (Vec::new(), Columns::default());
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
            if cells[0] == "model" && rows.is_empty() {
                columns = Columns::read(&cells);
            } else {
                rows.push((number, columns.row(&cells).map_err(|why| (number, why))?));
            }
        }
        Ok(Expected { rows })
    }

    /// The row with the path as the user gave it, or else with the name of the file.
    pub fn row(&self, model: &Path) -> Option<&Row> {
        let named = |name: &str| self.rows.iter().map(|(_, row)| row).find(|row| row.model == name);
        named(&model.to_string_lossy()).or_else(|| named(&model.file_name()?.to_string_lossy()))
    }
}

/// The places of the columns.
struct Columns {
    counts: [Option<usize>; 3],
    parameters: Option<usize>,
    property: Option<usize>,
    result: Option<usize>,
}

impl Default for Columns {
    /// The columns of a table without a header.
    fn default() -> Columns {
        Columns { counts: [Some(1), Some(2), Some(3)], parameters: None, property: None, result: None }
    }
}

impl Columns {
    /// The columns of a header. Others are ignored.
    fn read(header: &[&str]) -> Columns {
        let at = |names: &[&str]| header.iter().position(|cell| names.contains(cell));
        Columns {
            counts: [at(&["states"]), at(&["transitions"]), at(&["errors"])],
            parameters: at(&["parameters", "defines"]),
            property: at(&["property"]),
            result: at(&["result", "verdict"]),
        }
    }

    fn row(&self, cells: &[&str]) -> Result<Row, String> {
        let most = self.counts.iter().flatten().chain(&self.parameters).chain(&self.property).chain(&self.result).max();
        if most.is_some_and(|most| *most >= cells.len()) {
            return Err(match most {
                Some(3) => "expected four columns with tabs between: model, states, transitions, errors".to_string(),
                _ => "expected as many columns with tabs between as the header has".to_string(),
            });
        }
        let count = |at: Option<usize>| match at.map_or("-", |at| cells[at]) {
            "-" => Ok(None),
            text => text.parse().map(Some).map_err(|_| format!("`{text}` is neither a number nor `-`")),
        };
        let [states, transitions, errors] = self.counts;
        let text = |at: Option<usize>| at.map_or("", |at| cells[at]);
        let options = |at: Option<usize>| Some(text(at)).filter(|text| *text != "-").unwrap_or("").to_string();
        Ok(Row {
            model: cells[0].to_string(),
            parameters: options(self.parameters),
            property: options(self.property),
            counts: [count(states)?, count(transitions)?, count(errors)?],
            result: ExpectedResult::read(text(self.result))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# counts\nmodel\tstates\ttransitions\terrors\tverdict\n\
                         a.pml\t3\t4\t0\tok\n\nd/a.pml\t5\t-\t0\tassertion+invalid-end-state\n";

    #[test]
    fn a_path_comes_before_a_name() {
        let table = Expected::parse(TABLE).unwrap();
        let fits = |model: &str, states, transitions| {
            table.row(Path::new(model)).map(|row| row.fits(Counts { states, transitions, errors: 0 }))
        };
        assert_eq!(fits("a.pml", 3, 4), Some(true));
        assert_eq!(fits("elsewhere/a.pml", 3, 5), Some(false));
        assert_eq!(fits("d/a.pml", 5, 99), Some(true));
        assert_eq!(fits("b.pml", 3, 4), None);
        assert_eq!(table.row(Path::new("d/a.pml")).unwrap().words(), "5 states, 0 errors");
    }

    #[test]
    fn columns_have_names() {
        let text = "model\tproperty\tparameters\tresult\nm.pml\t--ltl '<> p'\t-DN=3\tviolated\nm.pml\t-\t\tholds\n";
        let rows = Expected::parse(text).unwrap().rows;
        assert_eq!(
            (rows[0].0, rows[0].1.property.as_str(), rows[0].1.parameters.as_str()),
            (2, "--ltl '<> p'", "-DN=3")
        );
        assert_eq!((&rows[0].1.result, rows[0].1.counts()), (&ExpectedResult::Violated, false));
        assert_eq!((rows[1].1.property.as_str(), rows[1].1.result.word()), ("", "holds"));
    }

    #[test]
    fn results_are_judged_by_kind() {
        let kinds = |text: &str| text.split('+').filter(|kind| !kind.is_empty()).map(String::from).collect();
        for (expected, verdict, found, all, judged) in [
            ("-", "violated", "assertion", true, None),
            ("ok", "holds", "", true, Some(true)),
            ("holds", "violated", "assertion", true, Some(false)),
            ("violated", "violated", "fault", false, Some(true)),
            ("assertion+invalid-end-state", "violated", "assertion", false, Some(true)),
            ("assertion+invalid-end-state", "violated", "assertion", true, Some(false)),
            ("assertion", "violated", "fault", false, Some(false)),
            ("assertion", "holds", "", false, Some(false)),
            ("rejected", "holds", "", false, Some(false)),
        ] {
            let expected = ExpectedResult::read(expected).unwrap();
            assert_eq!(expected.judge(verdict, &kinds(found), all), judged, "{expected:?} {verdict}");
        }
    }

    #[test]
    fn mistakes_are_located() {
        assert_eq!(Expected::parse("a.pml\t1\t2\n").unwrap_err().0, 1);
        let (line, why) = Expected::parse("model\tstates\na.pml\tmany\n").unwrap_err();
        assert_eq!((line, why.as_str()), (2, "`many` is neither a number nor `-`"));
        let (line, why) = Expected::parse("model\tresult\na.pml\tfine\n").unwrap_err();
        assert!(line == 2 && why.starts_with("`fine` is no result"), "{why}");
        assert_eq!(Expected::parse("model\tstates\tresult\na.pml\t3\n").unwrap_err().0, 2);
    }
}
