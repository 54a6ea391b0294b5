//! Whether SPIN agrees with what cells expect: an error in the verifier, or none.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::cell::{Cell, Expect};

/// Runs SPIN's verifier once on each of at most so many models, evenly spread: how many that were, and those on which it says
/// something else.
pub fn differences(cells: &[Cell], most: usize) -> (usize, Vec<String>) {
    let folder = TempDir::with_prefix("kripke-fault-matrix-spin-").expect("folders can be made");
    let mut out = Vec::new();
    let mut seen = std::collections::HashSet::new();
    // What a division by zero does in the verifier is up to its C compiler, and SPIN refuses `b[b[i]]`.
    let comparable = |cell: &&Cell| !cell.name.contains("division") && !cell.name.contains("target's index");
    let models: Vec<&Cell> = cells.iter().filter(comparable).filter(|cell| seen.insert(&cell.text)).collect();
    let sample: Vec<&Cell> = models.iter().step_by((models.len() / most.max(1)).max(1)).copied().collect();
    for cell in &sample {
        let said = verify(&cell.text, folder.path());
        let agrees = match &cell.expect {
            Expect::Fault(..) => said.is_err(),
            Expect::Holds => said.is_ok(),
        };
        let said = said.err().unwrap_or_else(|| "no errors".to_string());
        println!("{} {}: {said}", if agrees { "agrees " } else { "DIFFERS" }, cell.name);
        if !agrees {
            out.push(format!("{}: {said}", cell.name));
        }
    }
    (sample.len(), out)
}

/// The first error that SPIN reports: in the text, or in a run. A division by zero ends the verifier by a signal.
fn verify(text: &str, folder: &Path) -> Result<(), String> {
    let shell = "spin -a m.pml > spin.txt 2>&1 || { head -3 spin.txt; exit 9; }
        gcc -O0 -w -DNOREDUCE -o pan pan.c 2> gcc.txt || { head -5 gcc.txt; exit 8; }
        ./pan -a > pan.txt 2>&1 || { echo signal; exit 1; }
        grep -q 'errors: 0' pan.txt || { grep '^pan:' pan.txt | head -1; exit 1; }";
    fs::write(folder.join("m.pml"), text).expect("files can be written");
    let output = Command::new("sh").args(["-c", shell]).current_dir(folder).output().expect("sh can be started");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stdout).replace('\n', " ")) }
}
