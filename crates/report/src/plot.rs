//! Plots of logged runs: rate, queue, memory and depth over time, speed-up, and the size of a state cache, as SVG.

use std::collections::{BTreeMap, BTreeSet};

use crate::line_chart::{Chart, Scale, Series, document};
use crate::run_log::{LoggedRun, Sample};

/// What a plot shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// States per second over time.
    Rate,
    /// States over time.
    States,
    /// Open states over time.
    Queue,
    /// Memory of the search over time.
    Memory,
    /// Depth over time.
    Depth,
    /// Speed-up by the number of threads.
    SpeedUp,
    /// Visited states by the size of the state cache.
    Cache,
}

impl Quantity {
    /// All quantities.
    pub const ALL: [Quantity; 7] = [
        Quantity::Rate,
        Quantity::States,
        Quantity::Queue,
        Quantity::Memory,
        Quantity::Depth,
        Quantity::SpeedUp,
        Quantity::Cache,
    ];

    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Quantity::Rate => "rate",
            Quantity::States => "states",
            Quantity::Queue => "queue",
            Quantity::Memory => "memory",
            Quantity::Depth => "depth",
            Quantity::SpeedUp => "speed-up",
            Quantity::Cache => "cache",
        }
    }

    /// The quantity with a name.
    pub fn named(name: &str) -> Option<Quantity> {
        Quantity::ALL.into_iter().find(|quantity| quantity.word() == name)
    }

    fn title(self) -> &'static str {
        match self {
            Quantity::Rate => "states per second",
            Quantity::States => "states",
            Quantity::Queue => "open states",
            Quantity::Memory => "memory of the search (bytes)",
            Quantity::Depth => "depth",
            Quantity::SpeedUp => "speed-up",
            Quantity::Cache => "visited states",
        }
    }

    fn x_title(self) -> &'static str {
        match self {
            Quantity::SpeedUp => "threads",
            Quantity::Cache => "states in the cache",
            _ => "seconds",
        }
    }
}

/// The quantities that the runs have figures for, of those that are plotted by default.
pub fn usual(runs: &[LoggedRun]) -> Vec<Quantity> {
    let mut out = vec![Quantity::Rate, Quantity::Queue, Quantity::Memory, Quantity::Depth];
    out.extend([Quantity::SpeedUp, Quantity::Cache].into_iter().filter(|q| !chart(*q, runs).series.is_empty()));
    out
}

/// The plots, side by side.
pub fn svg(quantities: &[Quantity], runs: &[LoggedRun]) -> String {
    let charts: Vec<Chart> = quantities.iter().map(|quantity| chart(*quantity, runs)).collect();
    document(&charts)
}

fn chart(quantity: Quantity, runs: &[LoggedRun]) -> Chart {
    let series = match quantity {
        Quantity::SpeedUp => speed_up(runs),
        Quantity::Cache => cache(runs),
        _ => {
            let one = |(name, run): (String, &LoggedRun)| Series::line(name, over_time(quantity, &run.samples));
            names(runs).into_iter().zip(runs).map(one).filter(|series| !series.points.is_empty()).collect()
        }
    };
    Chart { title: quantity.title().to_string(), x_title: quantity.x_title().to_string(), scale: Scale::Linear, series }
}

/// The names of the runs: the model, if there are several, and the options.
fn names(runs: &[LoggedRun]) -> Vec<String> {
    let models: BTreeSet<&str> = runs.iter().map(|run| run.start.model.as_str()).collect();
    let name = |run: &LoggedRun| {
        let model = Some(run.start.model.clone()).filter(|_| models.len() > 1 || run.start.options.is_empty());
        model.into_iter().chain(run.start.options.iter().cloned()).collect::<Vec<_>>().join(" ")
    };
    runs.iter().map(name).collect()
}

/// The values at the times of the samples. A point is left out where a new search begins.
fn over_time(quantity: Quantity, samples: &[Sample]) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    let mut before = Sample::default();
    for sample in samples {
        let value = match quantity {
            Quantity::Rate => {
                let seconds = sample.seconds - before.seconds;
                let more = sample.states.checked_sub(before.states);
                more.filter(|_| seconds > 1e-6).map(|states| states as f64 / seconds)
            }
            Quantity::States => Some(sample.states as f64),
            Quantity::Queue => Some(sample.queue as f64),
            Quantity::Memory => Some(sample.bytes as f64),
            _ => Some(sample.depth as f64),
        };
        out.extend(value.map(|value| (sample.seconds, value)));
        before = *sample;
    }
    out
}

/// For each model, time with the fewest threads divided by time; and the ideal line.
fn speed_up(runs: &[LoggedRun]) -> Vec<Series> {
    let mut times: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    for run in runs {
        let Some(threads) = run.answers.iter().map(|answer| answer.threads).max() else { continue };
        let seconds: f64 = run.answers.iter().map(|answer| answer.seconds).sum();
        let best = times.entry(&run.start.model).or_default().entry(threads).or_insert(f64::INFINITY);
        *best = best.min(seconds);
    }
    times.retain(|_, times| times.len() > 1);
    let mut out: Vec<Series> = Vec::new();
    let mut most = 1;
    for (model, times) in &times {
        let Some((least, first)) = times.first_key_value() else { continue };
        let point = |(threads, seconds): (&usize, &f64)| (*threads as f64, *least as f64 * first / seconds.max(1e-9));
        most = most.max(times.last_key_value().map_or(1, |(threads, _)| *threads));
        out.push(Series::line((*model).to_string(), times.iter().map(point).collect()).with_marks());
    }
    if !out.is_empty() {
        out.push(Series::line("ideal".to_string(), vec![(1.0, 1.0), (most as f64, most as f64)]).dashed());
    }
    out
}

/// For each model, the states that were visited with each size of the cache.
fn cache(runs: &[LoggedRun]) -> Vec<Series> {
    let mut visited: BTreeMap<&str, BTreeMap<u64, f64>> = BTreeMap::new();
    for run in runs {
        for answer in &run.answers {
            let Some(slots) = answer.cache_slots else { continue };
            visited.entry(&run.start.model).or_default().insert(slots, answer.states as f64);
        }
    }
    let series = visited.into_iter().filter(|(_, points)| points.len() > 1).map(|(model, points)| {
        let points = points.into_iter().map(|(slots, states)| (slots as f64, states)).collect();
        Series::line(model.to_string(), points).with_marks()
    });
    series.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_log::tests::run;

    #[test]
    fn rates_are_differences_and_do_not_cross_searches() {
        let sample = |seconds, states| Sample { seconds, states, ..Sample::default() };
        let samples = [sample(1.0, 100), sample(2.0, 300), sample(3.0, 50), sample(3.5, 100)];
        assert_eq!(over_time(Quantity::Rate, &samples), [(1.0, 100.0), (2.0, 200.0), (3.5, 100.0)]);
        assert_eq!(over_time(Quantity::States, &samples).len(), 4);
    }

    #[test]
    fn speed_up_is_relative_to_the_fewest_threads() {
        let runs = [run("m.pml", "-j1", 1, 4.0), run("m.pml", "-j2", 2, 2.0), run("m.pml", "-j4", 4, 1.6)];
        let series = speed_up(&runs);
        assert_eq!(series[0].points, [(1.0, 1.0), (2.0, 2.0), (4.0, 2.5)]);
        assert_eq!(series[1].name, "ideal");
        assert!(speed_up(&runs[..1]).is_empty());
        assert_eq!(usual(&runs).len(), 5);
        assert_eq!(usual(&runs[..1]).len(), 4);
    }

    #[test]
    fn runs_are_named_by_what_differs() {
        let runs = [run("a.pml", "-j1", 1, 4.0), run("a.pml", "", 2, 2.0)];
        assert_eq!(names(&runs), ["-j1", "a.pml"]);
        let runs = [run("a.pml", "-j1", 1, 4.0), run("b.pml", "-j1", 2, 2.0)];
        assert_eq!(names(&runs), ["a.pml -j1", "b.pml -j1"]);
    }

    #[test]
    fn the_document_has_a_panel_for_each_quantity_and_no_markup_of_the_model() {
        let runs = [run("a<b>.pml", "-j1", 1, 4.0), run("a<b>.pml", "-j2", 2, 2.0)];
        let text = svg(&usual(&runs), &runs);
        for title in ["states per second", "open states", "memory of the search", "depth", "speed-up"] {
            assert!(text.contains(title), "{title}");
        }
        assert!(text.contains("a&lt;b&gt;.pml") && !text.contains("a<b>"));
    }
}
