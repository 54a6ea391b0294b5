//! The characteristics of several state spaces: as a table, as CSV, as plots.

use super::Survey;
use crate::escape::visible;
use crate::line_chart::{Chart, Scale, Series};
use crate::number::grouped;

/// A characteristic: its name, whether it is a column of the table, and its value.
type Characteristic = (&'static str, bool, fn(&Survey) -> f64);

/// The characteristics by which models are compared and selected.
const CHARACTERISTICS: [Characteristic; 25] = [
    ("states", true, |s| s.unique as f64),
    ("transitions", true, |s| s.transitions as f64),
    ("revisits", false, |s| s.revisits as f64),
    ("loops", false, |s| s.loops as f64),
    ("depth", true, |s| s.depth as f64),
    ("ends", false, |s| s.ends as f64),
    ("levels", true, |s| s.levels as f64),
    ("width", true, |s| s.width as f64),
    ("back_edges", true, |s| s.back_level_edges as f64),
    ("longest_back_edge", false, |s| s.longest_back_level_edge as f64),
    ("components", true, |s| s.components.count as f64),
    ("trivial", false, |s| s.components.trivial as f64),
    ("terminal", false, |s| s.components.terminal as f64),
    ("accepting", false, |s| s.components.accepting as f64),
    ("fully_accepting", false, |s| s.components.fully_accepting as f64),
    ("largest", true, |s| s.components.largest as f64),
    ("diameter", true, |s| s.diameter.0 as f64),
    ("diameter_bound", false, |s| s.diameter.1 as f64),
    ("successors", true, |s| s.out_degree.mean),
    ("least_successors", false, |s| s.out_degree.least as f64),
    ("most_successors", false, |s| s.out_degree.most as f64),
    ("most_predecessors", false, |s| s.in_degree.most as f64),
    ("bytes", true, |s| s.state_bytes.mean),
    ("least_bytes", false, |s| s.state_bytes.least as f64),
    ("most_bytes", false, |s| s.state_bytes.most as f64),
];

/// The beginning of the header of the table as CSV.
pub const CSV_HEADER: &str = "model,complete,states,transitions,revisits,loops,depth,";

/// The names of all characteristics.
pub fn names() -> impl Iterator<Item = &'static str> {
    CHARACTERISTICS.iter().map(|(name, _, _)| *name)
}

impl Survey {
    /// The value of a characteristic. The numbers of successors and of bytes of a state are means.
    pub fn value(&self, characteristic: &str) -> Option<f64> {
        CHARACTERISTICS.iter().find(|(name, _, _)| *name == characteristic).map(|(_, _, value)| value(self))
    }
}

/// The characteristics of several models as a table. An incomplete survey is marked.
pub fn table(models: &[(String, Survey)]) -> String {
    let columns: Vec<&Characteristic> = CHARACTERISTICS.iter().filter(|(_, shown, _)| *shown).collect();
    let head = std::iter::once("model").chain(columns.iter().map(|(name, _, _)| *name)).map(String::from);
    let mark = |survey: &Survey| if survey.complete { "" } else { " (incomplete)" };
    let row = |(name, survey): &(String, Survey)| {
        let cells = columns.iter().map(|(name, _, value)| cell(name, value(survey)));
        std::iter::once(format!("{}{}", visible(name), mark(survey))).chain(cells).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head.collect()).chain(models.iter().map(row)).collect();
    let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{:<width$}{}\n", row[0], cells.collect::<String>(), width = widths[0])
    };
    rows.iter().map(line).collect()
}

fn cell(name: &str, value: f64) -> String {
    match name {
        "successors" | "bytes" => format!("{value:.2}"),
        _ => grouped(value as u64),
    }
}

/// All characteristics of several models as CSV.
pub fn csv(models: &[(String, Survey)]) -> String {
    let head: Vec<&str> = ["model", "complete"].into_iter().chain(names()).collect();
    let row = |(name, survey): &(String, Survey)| {
        let values: Vec<String> = CHARACTERISTICS.iter().map(|(_, _, value)| value(survey).to_string()).collect();
        format!("\"{}\",{},{}\n", visible(name).replace('"', "\"\""), survey.complete, values.join(","))
    };
    format!("{}\n{}", head.join(","), models.iter().map(row).collect::<String>())
}

/// Plots of characteristics over the number of states: a mark for each model.
pub fn charts(models: &[(String, Survey)]) -> Vec<Chart> {
    let chart = |title: &str, names: [(&'static str, &str); 2]| {
        let series = names.map(|(name, characteristic)| {
            let points = models.iter().map(|(_, s)| (s.unique as f64, s.value(characteristic).unwrap_or(0.0)));
            Series::marks(name.to_string(), points.collect())
        });
        let (title, x_title) = (title.to_string(), "states".to_string());
        Chart { title, x_title, scale: Scale::Logarithmic, series: series.to_vec() }
    };
    vec![
        chart("breadth-first levels", [("number of levels", "levels"), ("width of the widest", "width")]),
        chart("transitions", [("all transitions", "transitions"), ("back-level edges", "back_edges")]),
        chart("strongly connected components", [("number", "components"), ("states of the largest", "largest")]),
        chart("diameter of the largest component", [("lower bound", "diameter"), ("upper bound", "diameter_bound")]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_all_models() {
        let survey = Survey { unique: 38, levels: 10, ..Survey::default() };
        let models = [("a,b.pml".to_string(), survey)];
        let text = csv(&models);
        assert!(text.starts_with(CSV_HEADER) && text.contains("\n\"a,b.pml\",false,38,0,"), "{text}");
        let count = |line: &str| line.replace("\"a,b.pml\"", "").matches(',').count();
        assert_eq!(text.lines().map(count).collect::<Vec<_>>(), [26, 26]);
        assert!(table(&models).lines().all(|line| line.len() == table(&models).lines().next().unwrap().len()));
        assert_eq!(charts(&models)[0].series[0].points, [(38.0, 10.0)]);
    }
}
