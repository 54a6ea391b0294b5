//! Plots of measurements over the number of states.

use std::collections::BTreeMap;

use kripke_report::line_chart::{Chart, Scale, Series};

use super::figures::Figures;

/// Time, memory, rate and speed of each set of options and each program, over the states that the first of them visits.
pub fn charts(all: &[Figures]) -> Vec<Chart> {
    let mut sizes: BTreeMap<&str, f64> = BTreeMap::new();
    for of in all {
        sizes.entry(&of.name).or_insert(of.counts.states as f64);
    }
    let mut names: Vec<String> = Vec::new();
    for name in all.iter().map(label) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let chart = |title: &str, value: &dyn Fn(&Figures) -> f64| {
        let series = names.iter().map(|name| {
            let own = all.iter().filter(|of| label(of) == *name && of.conclusive());
            Series::marks(name.clone(), own.map(|of| (sizes[of.name.as_str()], value(of))).collect())
        });
        let (title, x_title) = (title.to_string(), "states".to_string());
        Chart { title, x_title, scale: Scale::Logarithmic, series: series.collect() }
    };
    vec![
        chart("seconds", &|of| of.wall),
        chart("memory in MiB", &|of| of.peak as f64 / f64::from(1 << 20)),
        chart("states per second", &Figures::states_per_second),
        chart("speed, relative to the first", &|of| of.speed),
    ]
}

fn label(of: &Figures) -> String {
    match (of.tool, of.options.as_str()) {
        ("kripke", "") => "kripke".to_string(),
        ("kripke", options) => format!("kripke {options}"),
        (_, options) => options.to_string(),
    }
}
