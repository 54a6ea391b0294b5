//! Tables of expected results: tab-separated, the first line names the columns, `#` starts a comment.

use std::fs;
use std::path::Path;

/// One line of a table.
#[derive(Clone, Debug)]
pub struct Row<'t> {
    columns: &'t [String],
    cells: Vec<String>,
}

/// A whole table.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Table {
    /// Reads a table that is part of a suite: it is a mistake if it is missing or ragged.
    pub fn read(path: &Path) -> Table {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Table::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    pub fn parse(text: &str) -> Result<Table, String> {
        let split = |line: &str| line.split('\t').map(str::to_string).collect::<Vec<_>>();
        let mut lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(split);
        let columns = lines.next().ok_or("no line that names the columns")?;
        let lines: Vec<_> = lines.collect();
        match lines.iter().find(|l| l.len() != columns.len()) {
            Some(ragged) => Err(format!("{} columns, but {} in: {}", columns.len(), ragged.len(), ragged.join(" | "))),
            None => Ok(Table { columns, lines }),
        }
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.lines.iter().map(|cells| Row { columns: &self.columns, cells: cells.clone() })
    }
}

impl Row<'_> {
    pub fn get(&self, column: &str) -> &str {
        let at = self.columns.iter().position(|c| c == column);
        &self.cells[at.unwrap_or_else(|| panic!("the table has no column {column}"))]
    }

    /// A count, or nothing where the table has `-`.
    pub fn count(&self, column: &str) -> Option<u64> {
        match self.get(column) {
            "-" => None,
            text => Some(text.parse().unwrap_or_else(|_| panic!("{column} is no number: {text}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_go_by_the_name_of_their_column() {
        let table = Table::parse("# counts\nmodel\tstates\na.pml\t12\nb.pml\t-\n").unwrap();
        let rows: Vec<_> = table.rows().collect();
        assert_eq!((rows[0].get("model"), rows[0].count("states")), ("a.pml", Some(12)));
        assert_eq!(rows[1].count("states"), None);
    }

    #[test]
    fn ragged_tables_are_refused() {
        assert!(Table::parse("model\tstates\na.pml\n").is_err());
        assert!(Table::parse("").is_err());
    }
}
