//! The run log of `--log`: samples of the running searches, and the answers. It is written after the last model, or when the check is
//! stopped.

use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kripke::answer::Answer;
use kripke_report::run_log::{self, Answered, Ended, Event, Sample, Sampler, Start};
use kripke_search::Progress;

use crate::args::Check;
use crate::exit::Failure;
use crate::files::{self, Kind, Replace};
use crate::{output, progress};

/// The time between samples.
const TICK: Duration = Duration::from_millis(50);

/// The log of a check.
pub struct RunLog {
    file: Option<PathBuf>,
    force: bool,
    options: Vec<String>,
    current: Mutex<Current>,
}

/// The events so far.
struct Current {
    start: Instant,
    events: Vec<Event>,
    /// The samples of the running search.
    sampler: Option<Sampler>,
    last: Sample,
}

impl RunLog {
    /// Refuses a file that can't be written, before the search.
    pub fn new(args: &Check) -> Result<RunLog, Failure> {
        let (file, force) = (args.reports.log.clone(), args.showing.force);
        if let Some(path) = &file {
            if files::is_standard(path) {
                return Err(Failure::BadInput("--log needs the name of a file".to_string()));
            }
            files::may_write(path, Replace::new(Kind::Log, force)).map_err(|e| files::unwritten(path, &e))?;
        }
        let current = Current { start: Instant::now(), events: Vec::new(), sampler: None, last: Sample::default() };
        Ok(RunLog { file, force, options: options(args), current: Mutex::new(current) })
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The check of a model begins.
    pub fn start(&self, file: &Path) {
        let mut current = self.current();
        current.start = Instant::now();
        current.events.push(Event::Start(Start {
            log: run_log::VERSION,
            kripke: env!("CARGO_PKG_VERSION").to_string(),
            model: file.display().to_string(),
            options: self.options.clone(),
        }));
    }

    /// Runs a search and takes samples of it.
    pub fn during<T>(&self, counters: &Progress, search: impl FnOnce() -> T) -> T {
        if self.file.is_none() {
            return search();
        }
        self.current().sampler = Some(Sampler::default());
        let sample = |ended: std::sync::mpsc::Receiver<()>| {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                self.current().sample(counters);
            }
        };
        let result = progress::beside(sample, search);
        let mut current = self.current();
        current.sample(counters);
        current.finish_search();
        result
    }

    /// A question is answered.
    pub fn answer(&self, answer: &Answer) {
        self.current().events.push(answered(answer));
    }

    /// The line of the log about an answer.
    pub fn line(&self, answer: &Answer) -> String {
        run_log::lines(&[answered(answer)])
    }

    /// The check of a model ends, perhaps because it is stopped.
    pub fn end(&self, stopped: Option<String>) {
        let mut current = self.current();
        current.finish_search();
        let seconds = current.start.elapsed().as_secs_f64();
        current.events.push(Event::End(Ended { seconds, peak_rss: kripke::memory::peak(), stopped }));
    }

    /// Writes the file. A failure changes the exit status.
    pub fn write(&self) {
        let Some(path) = &self.file else { return };
        let text = run_log::lines(&self.current().events);
        let written = files::write(path, Replace::new(Kind::Log, self.force), |out| out.write_all(text.as_bytes()));
        if let Err(e) = written {
            output::incomplete(&format!("can't write {}: {}", path.display(), files::explain(&e)));
        }
    }
}

impl Current {
    fn sample(&mut self, counters: &Progress) {
        let now = counters.snapshot();
        self.last = Sample {
            seconds: self.start.elapsed().as_secs_f64(),
            states: now.states,
            transitions: now.transitions,
            depth: now.depth,
            queue: now.queue,
            bytes: now.bytes,
        };
        if let Some(sampler) = &mut self.sampler {
            sampler.add(self.last);
        }
    }

    /// The samples of the search that has ended become events.
    fn finish_search(&mut self) {
        if let Some(sampler) = self.sampler.take() {
            let mut samples = sampler.finish(self.last);
            samples.dedup();
            self.events.extend(samples.into_iter().map(Event::Progress));
        }
    }
}

/// The options of the command line, without files to check and to write.
fn options(args: &Check) -> Vec<String> {
    let files: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
    let mut out: Vec<String> = Vec::new();
    let mut words = std::env::args().skip(1).skip_while(|word| word == "check");
    while let Some(word) = words.next() {
        let writes = ["--log", "--junit", "--sarif", "--trail", "--progress"];
        if writes.contains(&word.as_str()) {
            words.next();
        } else if !files.contains(&word) && !writes.iter().any(|name| word.starts_with(&format!("{name}="))) {
            out.push(word);
        }
    }
    out
}

fn answered(answer: &Answer) -> Event {
    let statistics = &answer.outcome.statistics;
    Event::Answer(Answered {
        property: answer.task.name.clone(),
        verdict: answer.verdict.word().to_string(),
        states: statistics.states,
        transitions: statistics.transitions,
        depth: statistics.depth,
        seconds: answer.elapsed.as_secs_f64(),
        store: statistics.store.word().to_string(),
        threads: answer.search.workers(),
        cache_slots: statistics.cache.map(|cache| cache.slots),
    })
}
