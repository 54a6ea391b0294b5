//! Mutated models: whatever comes in, loading ends in a model or in diagnostics, never in a panic or a hang.
//!
//! Every input is a function of the seed and its number, so that a failure is repeated with
//! `KRIPKE_FUZZ_SEED=… KRIPKE_FUZZ_ONLY=…`. `KRIPKE_FUZZ` says how many inputs to try.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load, render};
use kripke_model::Random;

const DEFAULT_INPUTS: usize = 3_000;
const DEFAULT_SEED: u64 = 0x6b72_6970_6b65;
/// Reported, not asserted.
const SLOW: Duration = Duration::from_secs(2);
const HANGS: Duration = Duration::from_secs(20);
/// Larger files only make the test slow.
const MAX_SEED_BYTES: usize = 40_000;

/// What to mutate, and with what.
pub struct Language {
    /// What a mutated file is called.
    pub input: &'static str,
    /// Models that need no file: the test has something to mutate on any machine.
    pub own: &'static [&'static str],
    /// Where more models are, relative to the crate, and how their names end.
    pub folders: &'static [&'static str],
    pub endings: &'static [&'static str],
    /// What is inserted here and there.
    pub words: &'static [&'static str],
    /// What is inserted thousands of times.
    pub bombs: &'static [&'static str],
    /// How much longer an input takes than others: the more, the fewer are tried.
    pub cost: usize,
}

struct OneFile<'a>(&'a Path, &'a [u8]);

impl Loader for OneFile<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.0 { Ok(self.1.to_vec()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// Where words and symbols begin.
fn token_starts(text: &[u8]) -> Vec<usize> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    (0..text.len())
        .filter(|i| !text[*i].is_ascii_whitespace() && (*i == 0 || !word(text[*i]) || !word(text[*i - 1])))
        .collect()
}

fn mutate(language: &Language, random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let tokens = token_starts(&text);
        let token = |random: &mut Random| {
            let i = random.below(tokens.len());
            let start = tokens.get(i).copied().unwrap_or(text.len());
            start..tokens.get(i + 1).copied().unwrap_or(text.len())
        };
        match random.below(10) {
            0 if !text.is_empty() => {
                let at = random.below(text.len());
                text[at] ^= 1 << random.below(8);
            }
            1 => {
                let gone = token(random);
                text.drain(gone);
            }
            2 => {
                let again = text[token(random)].to_vec();
                text.splice(at..at, again);
            }
            3 => {
                let (a, b) = (token(random), token(random));
                if a.end <= b.start {
                    let (left, right) = (text[a.clone()].to_vec(), text[b.clone()].to_vec());
                    text.splice(b, left);
                    text.splice(a, right);
                }
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let to = (from + random.below(2_000)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            5 => {
                let bomb = random.one_of(language.bombs).repeat(1 + random.below(5_000));
                text.splice(at..at, bomb.into_bytes());
            }
            6 => text.truncate(at),
            7 => {
                let to = (at + random.below(200)).min(text.len());
                text.drain(at..to);
            }
            _ => {
                let at = token(random).start;
                let word = format!(" {} ", random.one_of(language.words));
                text.splice(at..at, word.into_bytes());
            }
        }
    }
    text
}

fn collect(dir: &Path, endings: &[&str], into: &mut Vec<Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let model = path.extension().is_some_and(|e| endings.iter().any(|x| e == *x));
        if path.is_dir() {
            collect(&path, endings, into);
        } else if model && let Ok(text) = std::fs::read(&path) {
            into.extend(Some(text).filter(|t| t.len() <= MAX_SEED_BYTES));
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Saves an input that did something bad, and says where.
fn keep(language: &Language, input: &[u8], number: usize) -> PathBuf {
    let path = std::env::temp_dir().join(format!("kripke-fuzz-{number}-{}", language.input));
    let _ = std::fs::write(&path, input);
    path
}

fn read(language: &Language, input: &[u8]) {
    let path = Path::new(language.input);
    let loaded = load(path, &OneFile(path, input), &LoadOptions::default());
    let text = render::render_all(&loaded.sources, &loaded.diagnostics, false);
    assert_eq!(
        loaded.model.is_none(),
        loaded.diagnostics.iter().any(|d| d.severity == kripke_lang::diagnostic::Severity::Error)
    );
    assert!(loaded.model.is_some() || !text.is_empty());
    for (i, symbol) in loaded.symbols.all().iter().enumerate() {
        let file = loaded.sources.file(symbol.span.file);
        assert!(symbol.span.start <= symbol.span.end && symbol.span.end as usize <= file.text.len(), "{symbol:?}");
        assert!(symbol.container.is_none_or(|container| container < i), "{symbol:?}");
    }
}

/// Reads mutated models.
pub fn survive(language: &Language) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds: Vec<Vec<u8>> = language.own.iter().map(|t| t.as_bytes().to_vec()).collect();
    for folder in language.folders {
        collect(&here.join(folder), language.endings, &mut seeds);
    }
    let inputs = number("KRIPKE_FUZZ").map_or(DEFAULT_INPUTS, |n| n as usize) / language.cost;
    let seed = number("KRIPKE_FUZZ_SEED").unwrap_or(DEFAULT_SEED);
    if let Some(only) = number("KRIPKE_FUZZ_ONLY") {
        let input = mutate(language, &mut Random::of_case(seed, only as usize), &seeds);
        eprintln!("input {only} is in {}", keep(language, &input, only as usize).display());
        return read(language, &input);
    }
    let next = AtomicUsize::new(0);
    let bad: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let running: Vec<Mutex<Option<(Instant, usize)>>> = (0..workers).map(|_| Mutex::new(None)).collect();
    let finished = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for mine in &running {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= inputs || bad.lock().unwrap().len() >= 10 {
                        break;
                    }
                    let input = mutate(language, &mut Random::of_case(seed, number), &seeds);
                    let start = Instant::now();
                    *mine.lock().unwrap() = Some((start, number));
                    if catch_unwind(AssertUnwindSafe(|| read(language, &input))).is_err() {
                        bad.lock().unwrap().push(format!("{number}: {}", keep(language, &input, number).display()));
                    }
                    *mine.lock().unwrap() = None;
                    if start.elapsed() > SLOW {
                        let path = keep(language, &input, number);
                        eprintln!("slow: input {number}, {:.1?}, {}", start.elapsed(), path.display());
                    }
                }
                finished.fetch_add(1, Ordering::Relaxed);
            });
        }
        while finished.load(Ordering::Relaxed) < workers {
            std::thread::sleep(Duration::from_millis(50));
            for job in &running {
                if let Some((start, number)) = *job.lock().unwrap()
                    && start.elapsed() > HANGS
                {
                    let input = mutate(language, &mut Random::of_case(seed, number), &seeds);
                    eprintln!("hangs: input {number} of seed {seed}, {}", keep(language, &input, number).display());
                    std::process::abort();
                }
            }
        }
    });
    let bad = bad.into_inner().unwrap();
    assert!(bad.is_empty(), "inputs of seed {seed} that panic:\n{}", bad.join("\n"));
}
