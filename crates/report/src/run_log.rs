//! The log of a check: one JSON object per line. `kripke plot` draws it.

use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u32 = 1;
/// The beginning of every log.
pub const HEAD: &str = "{\"event\":\"start\",\"log\":";

/// A line of a log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The check of a model begins.
    Start(Start),
    /// The state of a search.
    Progress(Sample),
    /// A question is answered.
    Answer(Answered),
    /// The check of the model ends.
    End(Ended),
}

/// The beginning of a check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// The version of the format.
    pub log: u32,
    /// The version of Kripke.
    pub kripke: String,
    /// The file of the model.
    pub model: String,
    /// The options, as on the command line.
    pub options: Vec<String>,
}

/// The counters of a search at one time.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since the beginning of the check.
    pub seconds: f64,
    /// Stored states.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
    /// The depth that was reached.
    pub depth: u64,
    /// Open states.
    pub queue: u64,
    /// Memory of the search, in bytes.
    pub bytes: u64,
}

/// The answer to a question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Answered {
    /// The name of the property.
    pub property: String,
    /// The verdict.
    pub verdict: String,
    /// The number of states.
    pub states: u64,
    /// The number of transitions.
    pub transitions: u64,
    /// The depth.
    pub depth: u64,
    /// The time that the answer took.
    pub seconds: f64,
    /// The store at the end of the search.
    pub store: String,
    /// The number of threads.
    pub threads: usize,
    /// The capacity of the cache, with a state cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_slots: Option<u64>,
}

/// The end of a check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// Seconds since the beginning of the check.
    pub seconds: f64,
    /// The peak memory of the process, in bytes.
    pub peak_rss: u64,
    /// The reason, if the check was stopped or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The log of one model.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedRun {
    /// The beginning.
    pub start: Start,
    /// The samples in order. The counters begin again with each question.
    pub samples: Vec<Sample>,
    /// The answers.
    pub answers: Vec<Answered>,
    /// The end.
    pub end: Option<Ended>,
}

/// The lines of a log.
pub fn lines(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).expect("plain data") + "\n").collect()
}

/// The runs of a log; or the number of a line that can't be read, counted from 1, and the reason.
pub fn read(text: &str) -> Result<Vec<LoggedRun>, (usize, String)> {
    let mut runs: Vec<LoggedRun> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let event: Event = serde_json::from_str(line).map_err(|e| (number + 1, e.to_string()))?;
        match (event, runs.last_mut()) {
            (Event::Start(start), _) if start.log > VERSION => {
                return Err((number + 1, format!("log format {} is newer than this version of Kripke", start.log)));
            }
            (Event::Start(start), _) => {
                runs.push(LoggedRun { start, samples: Vec::new(), answers: Vec::new(), end: None });
            }
            (_, None) => return Err((number + 1, "a log begins with a line `start`".to_string())),
            (Event::Progress(sample), Some(run)) => run.samples.push(sample),
            (Event::Answer(answer), Some(run)) => run.answers.push(answer),
            (Event::End(end), Some(run)) => run.end = Some(end),
        }
    }
    if runs.is_empty() { Err((1, "there is no run in it".to_string())) } else { Ok(runs) }
}

/// Samples at growing distances, so that their number is bounded.
#[derive(Clone, Debug)]
pub struct Sampler {
    samples: Vec<Sample>,
    /// One of so many samples is kept.
    every: u64,
    seen: u64,
}

/// The largest number of samples of a search.
const MOST_SAMPLES: usize = 2000;

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler { samples: Vec::new(), every: 1, seen: 0 }
    }
}

impl Sampler {
    /// Adds a sample. When there are too many, every other one is dropped, and half as many are kept from then on.
    pub fn add(&mut self, sample: Sample) {
        self.seen += 1;
        if !(self.seen - 1).is_multiple_of(self.every) {
            return;
        }
        self.samples.push(sample);
        if self.samples.len() > MOST_SAMPLES {
            let mut kept = 0;
            self.samples.retain(|_| {
                kept += 1;
                kept % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// All samples, and the last one.
    pub fn finish(mut self, last: Sample) -> Vec<Sample> {
        self.samples.push(last);
        self.samples
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn run(model: &str, options: &str, threads: usize, seconds: f64) -> LoggedRun {
        let sample = |i: u64| Sample {
            seconds: seconds * i as f64 / 10.0,
            states: 1000 * i * i,
            transitions: 3000 * i * i,
            depth: 5 * i,
            queue: 500 * i * (10 - i),
            bytes: (1 << 20) + 40_000 * i * i,
        };
        LoggedRun {
            start: Start {
                log: VERSION,
                kripke: "0".to_string(),
                model: model.to_string(),
                options: options.split_whitespace().map(String::from).collect(),
            },
            samples: (1..=10).map(sample).collect(),
            answers: vec![Answered {
                property: "safety".to_string(),
                verdict: "holds".to_string(),
                states: 100_000,
                transitions: 300_000,
                depth: 50,
                seconds,
                store: "exact".to_string(),
                threads,
                cache_slots: None,
            }],
            end: Some(Ended { seconds, peak_rss: 1 << 24, stopped: None }),
        }
    }

    #[test]
    fn a_log_is_read_back() {
        let run = run("m.pml", "-j2 --raw", 2, 1.5);
        let mut events = vec![Event::Start(run.start.clone())];
        events.extend(run.samples.iter().copied().map(Event::Progress));
        events.extend(run.answers.iter().cloned().map(Event::Answer));
        events.extend(run.end.clone().map(Event::End));
        let text = lines(&events);
        assert!(text.starts_with(HEAD), "{text}");
        assert_eq!(read(&text).unwrap(), std::slice::from_ref(&run));
        assert_eq!(read(&format!("{text}{text}")).unwrap().len(), 2);
        assert_eq!(read("").unwrap_err().0, 1);
        assert_eq!(read(&format!("{text}{{\"event\":\"other\"}}\n")).unwrap_err().0, 14);
        assert!(read(text.lines().nth(1).unwrap()).is_err());
    }

    #[test]
    fn the_number_of_samples_is_bounded() {
        let mut sampler = Sampler::default();
        for i in 0..100_000u32 {
            sampler.add(Sample { seconds: f64::from(i), ..Sample::default() });
        }
        let all = sampler.finish(Sample { seconds: 1e6, ..Sample::default() });
        assert!((MOST_SAMPLES / 2..=MOST_SAMPLES + 1).contains(&all.len()), "{}", all.len());
        assert!(all.windows(2).all(|pair| pair[0].seconds < pair[1].seconds));
    }
}
