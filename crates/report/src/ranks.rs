//! The figures of the ranks of a distributed search, as a table.

use crate::json::Rank;
use crate::number::{bytes, grouped};

/// The names of the columns.
const HEAD: [&str; 7] = ["rank", "states", "transitions", "memory", "messages", "sent", "idle"];

/// A row for each rank. Nothing if there are none.
pub fn ranks_table(ranks: &[Rank]) -> String {
    if ranks.is_empty() {
        return String::new();
    }
    let mut rows = vec![HEAD.map(str::to_string)];
    rows.extend(ranks.iter().enumerate().map(|(number, rank)| {
        [
            number.to_string(),
            grouped(rank.states),
            grouped(rank.transitions),
            bytes(rank.memory),
            grouped(rank.messages),
            bytes(rank.bytes),
            format!("{:.1} s", rank.idle),
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String; 7]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        format!("    {}\n", cells.join("  "))
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_longest_entry() {
        assert_eq!(ranks_table(&[]), "");
        let rank = Rank { states: 1234, transitions: 5, memory: 2048, messages: 7, frames: 1, bytes: 90, idle: 0.25 };
        let table = ranks_table(&[rank, Rank::default()]);
        let widths: Vec<usize> = table.lines().map(|line| line.chars().count()).collect();
        assert!(widths.len() == 3 && widths.iter().all(|width| *width == widths[0]), "{table}");
        assert!(table.lines().nth(1).is_some_and(|line| line.contains("   0 ")), "{table}");
    }
}
