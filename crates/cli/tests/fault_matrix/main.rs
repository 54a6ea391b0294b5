//! Every kind of fault in every position where an expression can stand, in every language, on both engines, with every
//! search: the program reports the fault with its kind and its line, exit status 1; or, where the language says that
//! the expression is not evaluated, nothing.
//!
//! The cells are generated: `promela.rs`, `statements.rs` (faults of whole statements), `properties.rs` (never claims and
//! formulas), `dve.rs`, `esml.rs`. Each says which combinations it leaves out, and why. `KRIPKE_FAULT_MATRIX=NAME` runs
//! the cells whose names contain NAME only; `KRIPKE_FAULT_MATRIX_LIST=1` prints every failing cell with its model. What
//! Promela cells expect is what SPIN's verifier reports: `cargo test … spin_agrees -- --ignored` asks it.

mod cell;
mod configurations;
mod dve;
mod esml;
mod promela;
mod properties;
mod run;
mod spin;
mod statements;

use cell::Matrix;

/// Runs all cells and counts them: a generator that loses cells fails, too.
fn judge(name: &str, matrix: Matrix, cells: usize, left_out: usize) {
    run::all(name, &matrix.cells);
    assert_eq!(matrix.cells.len(), cells, "{name}: number of cells");
    assert_eq!(matrix.left_out.len(), left_out, "{name}: combinations left out: {:#?}", matrix.left_out);
}

#[test]
fn promela_expressions() {
    judge("promela", promela::matrix(), 3981, 114);
}

#[test]
fn promela_statements() {
    judge("statements", statements::matrix(), 1290, 88);
}

#[test]
fn promela_properties() {
    judge("properties", properties::matrix(), 3002, 92);
}

#[test]
fn dve() {
    judge("dve", dve::matrix(), 1412, 1);
}

#[test]
fn esml() {
    judge("esml", esml::matrix(), 942, 1);
}

/// A sample of the models, evenly spread, where SPIN is installed; `KRIPKE_FAULT_MATRIX_SPIN` says how many.
#[test]
fn spin_agrees() {
    if !kripke_tests::spin::installed() {
        return;
    }
    let most = kripke_tests::places::setting("KRIPKE_FAULT_MATRIX_SPIN", 40) as usize;
    let (compared, differences) = spin::differences(&promela::matrix().cells, most);
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(compared >= most.min(40), "only {compared} models were compared with SPIN");
}
