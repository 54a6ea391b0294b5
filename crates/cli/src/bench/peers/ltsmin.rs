//! LTSmin: `spins` and `prom2lts-mc` for Promela, `dve2lts-mc` for DVE. It explores the state space; it checks no property here, since
//! its formulas are about other names. Its steps are not those of SPIN, so its counts are shown and not compared.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::super::expected::Counts;
use super::{Entry, Folder, Sample, Unmeasured, Verifier, absolute, must, number_before};
use crate::args::{Asking, Check};

pub fn prepare(
    options: &[String],
    folder: Folder,
    entry: &Entry,
    check: &Check,
    interrupt: &AtomicBool,
) -> Result<Verifier, Unmeasured> {
    let refused = |why: &str| Err(Unmeasured::NotApplicable(why.to_string()));
    if check.asking != Asking::default() {
        return refused("LTSmin explores state spaces only");
    }
    let model = absolute(entry)?;
    let (program, file, preparation) = match entry.language(check) {
        "promela" => {
            let defines = check.reading.text.define.iter().map(|d| format!("-D{d}"));
            let arguments: Vec<String> = ["-o3".to_string()].into_iter().chain(defines).chain([model]).collect();
            let preparation = must(&folder, "spins", &arguments, interrupt)?;
            let name = entry.path.file_name().unwrap_or_default().to_string_lossy();
            ("prom2lts-mc", folder.path().join(format!("{name}.spins")).to_string_lossy().into_owned(), preparation)
        }
        "dve" if check.reading.text.define.is_empty() => ("dve2lts-mc", model, Duration::ZERO),
        _ => return refused("LTSmin does not read this model"),
    };
    let mut arguments = options.to_vec();
    if !options.iter().any(|option| option.starts_with("--threads")) {
        arguments.push("--threads=1".to_string());
    }
    arguments.push(file);
    Ok(Verifier { folder, program: program.into(), arguments, depths: &[], preparation, read })
}

/// The line `Explored 51 states 80 transitions, fanout: 1.569`.
fn read(text: &str, wall: f64) -> Option<Sample> {
    let line = text.lines().rev().find(|line| line.contains("xplored ") && line.contains(" states"))?;
    let states = number_before(line, " states")?;
    let transitions = number_before(line, " transitions").unwrap_or(0);
    Some(Sample {
        verdict: "explored".to_string(),
        complete: true,
        reason: None,
        counts: Counts { states, transitions, errors: 0 },
        kinds: BTreeSet::new(),
        wall,
        cpu: None,
        peak: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let text =
            "prom2lts-mc( 0/ 1): Explored 0 levels\nprom2lts-mc: Explored 51 states 80 transitions, fanout: 1.569\n";
        let sample = read(text, 0.1).unwrap();
        assert_eq!(sample.counts, Counts { states: 51, transitions: 80, errors: 0 });
        assert!(read("no such file", 0.1).is_none());
    }
}
