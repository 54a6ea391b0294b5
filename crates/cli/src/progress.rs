//! Progress on standard error: a line that is replaced on a terminal, or lines now and then.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use kripke_report::number::{bytes, duration, short};
use kripke_search::{Progress, Snapshot};

use crate::args::ProgressStyle;
use crate::output;

/// Delay before the first line.
const PATIENCE: Duration = Duration::from_millis(400);
const TICK: Duration = Duration::from_millis(250);
/// The number of rates in the chart, one per tick.
const HISTORY: usize = 8;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Delay before the first plain line. Each delay is twice the one before, up to [`LONGEST_WAIT`].
const PLAIN_PATIENCE: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Runs `search` and shows its progress.
pub fn watch<T>(progress: &Progress, memory: Option<u64>, style: ProgressStyle, search: impl FnOnce() -> T) -> T {
    match style {
        ProgressStyle::Plain => beside(|ended| plain(progress, memory, &ended), search),
        ProgressStyle::Auto if std::io::stderr().is_terminal() => {
            beside(|ended| replaced(progress, memory, &ended), search)
        }
        ProgressStyle::Json => beside(|ended| events(progress, &ended), search),
        ProgressStyle::Auto | ProgressStyle::None => search(),
    }
}

/// Runs `search` beside `show`, which is told when the search has ended.
pub fn beside<T>(show: impl FnOnce(Receiver<()>) + Send, search: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (done, ended) = mpsc::channel::<()>();
        // Without the thread, no progress is shown.
        let _ = thread::Builder::new().spawn_scoped(scope, move || show(ended));
        let result = search();
        drop(done);
        result
    })
}

/// One line, which is replaced at each tick and cleared at the end.
fn replaced(progress: &Progress, memory: Option<u64>, ended: &Receiver<()>) {
    let mut meter = Meter::new(memory);
    let mut wait = PATIENCE;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let line = meter.line(progress.snapshot(), Instant::now());
        // A line that wraps could not be cleared again.
        let line: String = line.chars().take(width().saturating_sub(1)).collect();
        output::progress(&line);
        wait = TICK;
    }
    if wait == TICK {
        output::progress("");
    }
}

/// Lines that stay, fewer and fewer.
fn plain(progress: &Progress, memory: Option<u64>, ended: &Receiver<()>) {
    let mut meter = Meter::new(memory);
    let mut wait = PLAIN_PATIENCE;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        output::remark(&format!("{}\n", meter.plain_line(progress.snapshot(), Instant::now())));
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Lines for programs, with the counters of the search.
fn events(progress: &Progress, ended: &Receiver<()>) {
    let start = Instant::now();
    let tell = || {
        let now = progress.snapshot();
        output::remark(&format!(
            "{{\"event\":\"progress\",\"seconds\":{:.3},\"states\":{},\"transitions\":{},\"depth\":{},\"queue\":{},\"bytes\":{}}}\n",
            start.elapsed().as_secs_f64(),
            now.states,
            now.transitions,
            now.depth,
            now.queue,
            now.bytes,
        ));
    };
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        tell();
    }
    tell();
}

fn width() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}

struct Meter {
    memory: Option<u64>,
    start: Instant,
    before: (Instant, Snapshot),
    rates: VecDeque<u64>,
}

impl Meter {
    fn new(memory: Option<u64>) -> Meter {
        let start = Instant::now();
        Meter { memory, start, before: (start, Snapshot::default()), rates: VecDeque::new() }
    }

    /// ` 17s depth 61   12.4M states  730k/s ▂▅▇▇▆  queue 3.1M ▲   287 MiB/48 GiB  room for ≈2.1G states`
    fn line(&mut self, now: Snapshot, at: Instant) -> String {
        let (then, before) = self.before;
        let seconds = at.duration_since(then).as_secs_f64().max(1e-3);
        self.rates.push_back((now.states.saturating_sub(before.states) as f64 / seconds) as u64);
        if self.rates.len() > HISTORY {
            self.rates.pop_front();
        }
        let trend = match now.queue.cmp(&before.queue) {
            std::cmp::Ordering::Greater => '▲',
            std::cmp::Ordering::Less => '▼',
            std::cmp::Ordering::Equal => ' ',
        };
        self.before = (at, now);
        let rate = self.rates.iter().sum::<u64>() / self.rates.len() as u64;
        format!(
            " {} depth {}   {} states  {}/s {}  queue {} {trend}   {}",
            duration(at.duration_since(self.start)),
            now.depth,
            short(now.states),
            short(rate),
            self.chart(),
            short(now.queue),
            self.room(now, rate),
        )
    }

    /// ` 17s depth 61   12.4M states  730k/s   queue 3.1M   287 MiB/48 GiB  room for ≈2.1G states`
    fn plain_line(&mut self, now: Snapshot, at: Instant) -> String {
        let (then, before) = std::mem::replace(&mut self.before, (at, now));
        let seconds = at.duration_since(then).as_secs_f64().max(1e-3);
        let rate = (now.states.saturating_sub(before.states) as f64 / seconds) as u64;
        format!(
            " {} depth {}   {} states  {}/s   queue {}   {}",
            duration(at.duration_since(self.start)),
            now.depth,
            short(now.states),
            short(rate),
            short(now.queue),
            self.room(now, rate),
        )
    }

    fn chart(&self) -> String {
        let top = self.rates.iter().copied().max().unwrap_or(0).max(1);
        self.rates.iter().map(|r| BARS[(r * 7 / top) as usize]).collect()
    }

    /// The memory that is left, as states or as time.
    fn room(&self, now: Snapshot, rate: u64) -> String {
        let Some(limit) = self.memory else { return bytes(now.bytes) };
        let used = format!("{}/{}", bytes(now.bytes), bytes(limit));
        if now.states < 1000 {
            return used;
        }
        let room = (limit.saturating_sub(now.bytes) as f64 / (now.bytes as f64 / now.states as f64)) as u64;
        let left = room.checked_div(rate).unwrap_or(u64::MAX);
        if left < 900 {
            return format!("{used}  full in {} at this rate", duration(Duration::from_secs(left)));
        }
        format!("{used}  room for ≈{} states", short(room))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_rate_and_room() {
        let mut meter = Meter::new(Some(1 << 30));
        let start = meter.start;
        let snapshot =
            |states, queue| Snapshot { states, transitions: 3 * states, depth: 7, queue, bytes: states * 32 };
        let first = meter.line(snapshot(1_000_000, 500), start + Duration::from_secs(1));
        assert!(first.starts_with(" 1.0 s depth 7   1.0M states  1.0M/s █  queue 500 ▲"), "{first}");
        assert!(first.ends_with("full in 32.0 s at this rate"), "{first}");
        let second = meter.line(snapshot(1_001_000, 400), start + Duration::from_secs(2));
        assert!(second.contains("█▁  queue 400 ▼"), "{second}");
        let third = meter.plain_line(snapshot(2_001_000, 400), start + Duration::from_secs(4));
        assert!(third.starts_with(" 4.0 s depth 7   2.0M states  500k/s   queue 400   "), "{third}");
    }
}
