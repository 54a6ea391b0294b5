//! What came of a model with a set of options.

use std::collections::BTreeSet;

use super::catalogue::Entry;
use super::child::Sample;
use super::expected::Counts;

/// The best of several runs.
#[derive(Clone, Debug)]
pub struct Figures {
    pub model: String,
    pub parameters: String,
    pub property: String,
    /// The model, its parameters and its property.
    pub name: String,
    /// The program: `kripke`, `spin` or `ltsmin`.
    pub tool: &'static str,
    /// The number of the set, if the program is Kripke.
    pub set: Option<usize>,
    pub options: String,
    pub verdict: String,
    pub complete: bool,
    pub reason: Option<String>,
    pub counts: Counts,
    pub kinds: BTreeSet<String>,
    /// The counts of a run that counted otherwise than the first.
    pub unsteady: Option<Counts>,
    pub wall: f64,
    pub cpu: Option<f64>,
    /// The wall-clock seconds of every run.
    pub walls: Vec<f64>,
    pub peak: u64,
    /// The seconds that making the verifier took.
    pub preparation: Option<f64>,
    /// How many times as fast as the first set, in wall-clock time.
    pub speed: f64,
    /// Whether the counts are those expected, if there are any.
    pub expected: Option<bool>,
}

impl Figures {
    /// Of at least one run.
    pub fn new(entry: &Entry, options: String, samples: &[Sample]) -> Figures {
        let first = &samples[0];
        let best = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
        let cpus: Option<Vec<f64>> = samples.iter().map(|s| s.cpu).collect();
        let odd = samples.iter().find(|s| first.complete && s.complete && s.counts != first.counts);
        Figures {
            model: entry.path.display().to_string(),
            parameters: entry.parameters.clone(),
            property: entry.property.clone(),
            name: entry.name(),
            tool: "kripke",
            set: None,
            options,
            verdict: first.verdict.clone(),
            complete: first.complete,
            reason: first.reason.clone(),
            counts: first.counts,
            kinds: first.kinds.clone(),
            unsteady: odd.map(|s| s.counts),
            wall: best(&mut samples.iter().map(|s| s.wall)),
            cpu: cpus.map(|cpus| best(&mut cpus.into_iter())),
            walls: samples.iter().map(|s| s.wall).collect(),
            peak: samples.iter().map(|s| s.peak).min().unwrap_or(0),
            preparation: None,
            speed: 1.0,
            expected: None,
        }
    }

    /// Whether the search said all it could: it visited everything, or found what it was looking for.
    pub fn conclusive(&self) -> bool {
        self.complete || self.verdict == "violated"
    }

    /// The verdict, with the kinds of errors.
    pub fn result(&self) -> String {
        let kinds: Vec<String> = self.kinds.iter().map(|kind| kind.replace('_', "-")).collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join("+")) };
        format!("{}{kinds}", self.verdict)
    }

    pub fn states_per_second(&self) -> f64 {
        self.counts.states as f64 / self.wall.max(1e-9)
    }

    /// Of the whole program, if the system tells.
    pub fn bytes_per_state(&self) -> Option<f64> {
        (self.peak > 0 && self.counts.states > 0).then(|| self.peak as f64 / self.counts.states as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn sample(states: u64, wall: f64, cpu: Option<f64>, complete: bool) -> Sample {
        let counts = Counts { states, transitions: 2 * states, errors: 0 };
        let verdict = if complete { "holds" } else { "inconclusive" }.to_string();
        Sample { verdict, complete, reason: None, counts, kinds: BTreeSet::new(), wall, cpu, peak: 1000 }
    }

    fn figures(samples: &[Sample]) -> Figures {
        Figures::new(&Entry::file(Path::new("m.pml"), None), String::new(), samples)
    }

    #[test]
    fn the_best_run_counts() {
        let of = figures(&[sample(10, 2.0, Some(3.0), true), sample(10, 1.0, Some(4.0), true)]);
        assert_eq!((of.wall, of.cpu, of.unsteady), (1.0, Some(3.0), None));
        assert_eq!((of.states_per_second(), of.bytes_per_state()), (10.0, Some(100.0)));
        assert_eq!(figures(&[sample(10, 2.0, Some(3.0), true), sample(10, 1.0, None, true)]).cpu, None);
    }

    #[test]
    fn runs_that_differ_are_seen() {
        assert!(figures(&[sample(10, 1.0, None, true), sample(11, 1.0, None, true)]).unsteady.is_some());
        assert!(figures(&[sample(10, 1.0, None, false), sample(11, 1.0, None, false)]).unsteady.is_none());
    }
}
