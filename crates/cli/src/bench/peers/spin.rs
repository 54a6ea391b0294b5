//! SPIN: `spin -a`, a C compiler, and `pan`.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use kripke_search::Fairness;

use super::super::expected::Counts;
use super::{Entry, Folder, Sample, Unmeasured, Verifier, absolute, must, number_before};
use crate::args::{Asking, Check};
use crate::exit::Failure;

/// The question of an entry, for SPIN.
#[derive(PartialEq, Eq, Default, Debug)]
struct Question {
    /// A formula to be added to the model.
    ltl: Option<String>,
    compiler: Vec<&'static str>,
    verifier: Vec<String>,
}

pub fn prepare(
    options: &[String],
    folder: Folder,
    entry: &Entry,
    check: &Check,
    interrupt: &AtomicBool,
) -> Result<Verifier, Unmeasured> {
    if entry.language(check) != "promela" {
        return Err(Unmeasured::NotApplicable("SPIN reads Promela only".to_string()));
    }
    let question = question(&check.asking).map_err(|why| Unmeasured::NotApplicable(why.to_string()))?;
    let model = model(&folder, entry, &question)?;
    let (generator, compiler, verifier) = sorted(options);
    let mut arguments = vec!["-a".to_string()];
    arguments.extend(check.reading.text.define.iter().map(|d| format!("-D{d}")));
    arguments.extend(check.reading.text.undefine.iter().map(|u| format!("-U{u}")));
    arguments.extend(check.reading.lossy_send.then(|| "-m".to_string()));
    arguments.extend(generator);
    arguments.push(model);
    let mut preparation = must(&folder, "spin", &arguments, interrupt)?;
    let mut arguments: Vec<String> = ["-O2", "-w", "-o", "pan"].map(String::from).to_vec();
    arguments.extend(question.compiler.iter().map(|option| (*option).to_string()));
    if !compiler.iter().any(|option| option.starts_with("-DMEMLIM")) {
        arguments.push("-DMEMLIM=8192".to_string());
    }
    arguments.extend(compiler);
    arguments.push("pan.c".to_string());
    preparation += must(&folder, "cc", &arguments, interrupt)?;
    let mut arguments = question.verifier;
    let depths = if verifier.iter().any(|option| option.starts_with("-m")) { &[][..] } else { &DEPTHS };
    arguments.push("-n".to_string());
    arguments.extend(verifier);
    let program = folder.path().join("pan");
    Ok(Verifier { folder, program, arguments, depths, preparation, read })
}

/// The depths of the stack of `pan`, which allocates it at the start: the default, and larger ones if it is too small.
const DEPTHS: [&str; 3] = ["-m10000", "-m1000000", "-m20000000"];
/// The complaint of `pan` about a stack that is too small.
const TOO_DEEP: &str = "max search depth too small";

/// The file that SPIN reads: the model, or a file that includes it and adds a formula.
fn model(folder: &Folder, entry: &Entry, question: &Question) -> Result<String, Unmeasured> {
    let model = absolute(entry)?;
    let Some(formula) = &question.ltl else { return Ok(model) };
    let text = format!("#include \"{model}\"\nltl kripke_bench {{ {formula} }}\n");
    let wrong = |e: std::io::Error| Failure::BadInput(format!("can't write a temporary file: {e}"));
    let path = folder.put("model.pml", &text).map_err(wrong).map_err(Unmeasured::Failed)?;
    Ok(path.to_string_lossy().into_owned())
}

/// Options of the generator, of the compiler and of the verifier.
fn sorted(options: &[String]) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (mut generator, mut compiler, mut verifier) = (Vec::new(), Vec::new(), Vec::new());
    for option in options {
        let list = match option.as_bytes() {
            [b'-', b'o', b'0'..=b'9', ..] => &mut generator,
            [b'-', b'D' | b'O', ..] => &mut compiler,
            _ if option.starts_with("-march") || option.starts_with("-f") && option.len() > 2 => &mut compiler,
            _ => &mut verifier,
        };
        list.push(option.clone());
    }
    (generator, compiler, verifier)
}

fn question(asking: &Asking) -> Result<Question, &'static str> {
    let Asking { ltl, property, ltl_file, hoa, ctl, reach, acceptance, non_progress, .. } = asking;
    if !(ltl_file.is_empty() && hoa.is_empty() && ctl.is_empty() && reach.is_empty()) {
        return Err("SPIN has no such property");
    }
    if ltl.len() + property.len() + usize::from(*acceptance) + usize::from(*non_progress) > 1 {
        return Err("SPIN checks one property at a time");
    }
    let fair = match asking.fairness() {
        Fairness::None => None,
        Fairness::Weak => Some("-f".to_string()),
        _ => return Err("SPIN has weak fairness only"),
    };
    let mut question = Question { ltl: ltl.first().cloned(), ..Question::default() };
    let named = ltl.first().map(|_| "kripke_bench").or(property.first().map(String::as_str));
    match named {
        // A formula is the only question: assertions are ignored.
        Some(name) => question.verifier = ["-a", "-A", "-N", name].map(String::from).to_vec(),
        None if *acceptance => question.verifier.push("-a".to_string()),
        None if *non_progress => {
            question.compiler.push("-DNP");
            question.verifier.push("-l".to_string());
        }
        None => question.compiler.extend(["-DSAFETY", "-DNOCLAIM"]),
    }
    question.verifier.extend(fair.filter(|_| !question.verifier.is_empty()));
    Ok(question)
}

/// The report of `pan`.
fn read(text: &str, wall: f64) -> Option<Sample> {
    let states = number_before(text, " states, stored")?;
    // SPIN counts the step into the initial state, too.
    let transitions = number_before(text, " transitions (=")?.saturating_sub(1);
    let errors: u64 = text.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()?;
    let reason = [TOO_DEEP, "out of memory"].into_iter().find(|reason| text.contains(reason));
    let complete = reason.is_none() && !text.contains("Search not completed");
    let megabytes = text.lines().find(|line| line.contains("total actual memory usage"));
    let megabytes: Option<f64> = megabytes.and_then(|line| line.split_whitespace().next()?.parse().ok());
    let verdict = match errors {
        0 if complete => "holds",
        0 => "inconclusive",
        _ => "violated",
    };
    Some(Sample {
        verdict: verdict.to_string(),
        complete,
        reason: reason.map(String::from),
        counts: Counts { states, transitions, errors },
        kinds: BTreeSet::new(),
        wall,
        cpu: None,
        peak: megabytes.map_or(0, |megabytes| (megabytes * f64::from(1 << 20)) as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\nState-vector 20 byte, depth reached 17, errors: 0\n       38 states, stored\n       \
                          26 states, matched\n       65 transitions (= stored+matched)\n        0 atomic steps\n  \
                          128.730\ttotal actual memory usage\n\n";

    #[test]
    fn reports_are_read() {
        let sample = read(REPORT, 0.5).unwrap();
        assert_eq!(sample.counts, Counts { states: 38, transitions: 64, errors: 0 });
        assert_eq!((sample.verdict.as_str(), sample.complete, sample.peak >> 20), ("holds", true, 128));
        let failed = REPORT.replace("errors: 0", "errors: 1") + "Warning: Search not completed\n";
        let sample = read(&failed, 0.5).unwrap();
        assert_eq!((sample.verdict.as_str(), sample.complete), ("violated", false));
        let cut = format!("error: max search depth too small\n{REPORT}");
        assert_eq!(read(&cut, 0.5).unwrap().verdict, "inconclusive");
        assert!(read("nothing", 0.5).is_none());
    }

    #[test]
    fn options_go_to_the_programs_they_are_for() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let (generator, compiler, verifier) = sorted(&words("-o3 -DCOLLAPSE -O3 -c0 -march=native -m500 -f"));
        assert_eq!(generator, ["-o3"]);
        assert_eq!(compiler, ["-DCOLLAPSE", "-O3", "-march=native"]);
        assert_eq!(verifier, ["-c0", "-m500", "-f"]);
    }
}
